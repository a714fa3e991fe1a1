"""The privacy judgement for the set of keys that occur in a table, alone or with the number of rows that have each."""

from __future__ import annotations

from fractions import Fraction

from duetpy.grammar import ast
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.cost import Atom, Cost
from duetpy.typecheck.errors import privacy, selection, sensitivity
from duetpy.typecheck.judgement import Charged, Judged, add_costs, in_the_clear
from duetpy.typecheck.mechanism_rows import RULES, row_of
from duetpy.typecheck.quantity import ONE, Quantity, maximum
from duetpy.typecheck.releasing import listing, static_parameters, static_whole
from duetpy.typecheck.rows import expect_matrix, row_type, unreadable_column
from duetpy.typecheck.subtype import is_comparable, widen

LEAST_EPSILON = Quantity.of(Fraction(1, 1000))
LEAST_DELTA = Quantity.of(Fraction(1, 10**40))
"""For one key. The probability of being kept rises from 0 to 1 in about 2 log(1/δ)/ε steps, in units of 2^-256."""


#   Γ ⊢ e : 𝕄[ℓ, c | ★, σ] ; Σ      Γ, r : one row ⊢ e₂ : ℘ κ ; C      1 ≤ k      10⁻³ ≤ ε/k      10⁻⁴⁰ ≤ δ/k      δ < 1
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ keys[k, ε, δ] e <xs> { r ⇒ e₂ } : ℘ κ ; (k times ⟨ε/k, δ/k⟩ for a move of Σ|xs rows) ⊞ ∞⊙(Σ∖xs) ⊞ ∞⊙(C∖r)
#
# With e₂ : κ a row has one key, and k = 1; with κ? it may have none, and the keys are still of κ, as they are if some of a set
# are missing. Of a row's keys the first k by a hash count once, so that adding a row moves the counts of k keys by one: each is
# kept or not by a coin of its own, whose law moves by at most ⟨ε/k, δ/k⟩. Replacing a row moves 2k of them. key-counts
# gives ℘ (κ × ℕ) at the same price: the number of rows of each key has noise of its own, whose two laws for n and n + 1 rows
# differ by ⟨ε/k, δ/k⟩, and it is shown where it is large. key-gauss gives the same for ⟨ε, δ⟩ once, with 10⁻³ ≤ ε and 10⁻⁴⁰ ≤ δ:
# the numbers of rows of all k keys of a row are moved together. It takes tables of unknown size only.
def judge_keys(checker: Checker, node: ast.Mechanism) -> Charged:
    if node.candidates is None or node.binder is None or len(node.params) != 3:
        checker.report(selection.keys_arity(node.span, node.name, len(node.params)))
        return Charged(t.POISON, {})
    judged: list[Judged | None] = [None if param is None else checker.judge(param) for param in node.params]
    source = checker.judge(node.candidates)
    matrix = expect_matrix(checker, node.candidates, source, node.name)
    one_row: t.Type = t.POISON if matrix is None else row_type(matrix)
    row = Root.fresh(node.binder.text, separated=t.is_separated(one_row))
    with checker.scope.binding((node.binder.text, Judged(one_row, Context.of(row)))):
        found = checker.judge(node.body)
    key = _key_type(checker, node, found.type)
    parameters = static_parameters(checker, node, ("ε", "δ"), judged[1:])
    most = _most(checker, node, judged[0])
    if _has_no_price(checker, node):
        return Charged(t.POISON, {})
    if matrix is None or key is None or parameters is None or most is None:
        return Charged(t.POISON, {})
    if not (t.counts_rows(matrix) if matrix.rows is None else t.replaces_rows(matrix)):
        checker.report(selection.keys_of_real_rows(node.candidates.span, node.name, matrix))
        return Charged(t.POISON, {})
    covers_all = row_of(node.name).covers_all_keys
    if covers_all and matrix.rows is not None:
        checker.report(selection.key_gauss_of_so_many_rows(node.candidates.span, node.name, matrix))
        return Charged(t.POISON, {})
    if not isinstance(found.type, t.SetOf):
        checker.obligate(most, "≤", ONE, "the body gives one key per row, not a set of keys", node.span)
    elif (hidden := unreadable_column(matrix)) is not None:
        checker.report(sensitivity.rows_not_readable(node.candidates.span, node.name, matrix, hidden))
        return Charged(t.POISON, {})
    atom = _one_key(checker, node, most, parameters)
    moved = most if matrix.rows is None else 2 * most
    listed, tossed = listing(checker, node, source)
    farthest = maximum(ONE, *(size for size in listed.entries.values() if not size.is_infinite))
    site = ReleaseSite(node.name, node.span, moved, moved * farthest, atom, (), checker.repeats)
    checker.annotations.releases[node] = site
    if not listed and not source.context:
        checker.report(privacy.protects_nothing(node.candidates.span, node.name))
    of_row = atom if covers_all else costs.repeat(moved, atom, apart=True)
    spent: dict[Root, Cost] = {root: costs.group(size, of_row) for root, size in listed.entries.items()}
    clear = in_the_clear(found.context.without(row), "is used to find the keys of a row")
    unlisted = in_the_clear(tossed, f"is used in {node.name} but not listed between < and >")
    shown = t.Product(key, t.NAT) if RULES[node.name] == "counted" else key
    return Charged(t.SetOf(shown), add_costs([clear, unlisted, spent]))


def _has_no_price(checker: Checker, node: ast.Mechanism) -> bool:
    """Report a notion in which it has no price: each key needs its part of a δ."""
    priced = row_of(node.name).cost_places
    if checker.notion in priced:
        return False
    checker.report(selection.keys_need_delta(node.span, node.name, checker.notion, next(iter(priced))))
    return True


def _key_type(checker: Checker, node: ast.Mechanism, found: t.Type) -> t.Type | None:
    """The type of the keys that a row has, or of its one key; None, with a diagnostic, if these cannot be compared."""
    own = found.element if isinstance(found, t.SetOf) else found
    # A row whose key is missing has no key, so that what is shown is never missing.
    key = widen(own.inner if isinstance(own, t.Maybe) else own)
    if isinstance(key, t.Poison):
        return None
    if not is_comparable(key):
        checker.report(sensitivity.not_comparable(node.body.span, node.name, key))
        return None
    # What was found is compared, so a real number among it is data like any other.
    key = t.DATA if isinstance(key, t.Real) else key
    if not t.is_separated(key):
        checker.report(selection.keys_of_reals(node.body.span, node.name, key))
        return None
    return key


def _most(checker: Checker, node: ast.Mechanism, judged: Judged | None) -> Quantity | None:
    """How many keys of a row count."""
    written = node.params[0]
    if judged is None or written is None:
        checker.report(privacy.auto_misplaced(node.span, node.name, "k"))
        return None
    most = static_whole(checker, written, judged, "the number of keys of a row")
    if most is not None:
        checker.obligate(ONE, "≤", most, f"k of {node.name} is at least 1", written.span)
    return most


def _one_key(checker: Checker, node: ast.Mechanism, most: Quantity, parameters: tuple[Quantity, ...]) -> Atom:
    """The mechanism that shows one key or not, with its part of ε and δ; or all keys of a row, with all of both."""
    is_whole = row_of(node.name).covers_all_keys
    each = tuple(parameter if is_whole else parameter / most for parameter in parameters)
    for part, least, name, written in zip(each, (LEAST_EPSILON, LEAST_DELTA), ("ε", "δ"), node.params[1:], strict=True):
        assert written is not None
        checker.obligate(
            least,
            "≤",
            part,
            f"{name if is_whole else f'{name}/k'} of {node.name} is not so small that a run takes too long",
            written.span,
        )
    return Atom(node.name, (*each, most) if is_whole else each)
