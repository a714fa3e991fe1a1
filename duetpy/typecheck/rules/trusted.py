"""What a program takes on trust: foreign code, of which only its types are known, and mechanisms from outside, of which a
cost is promised."""

from __future__ import annotations

import re
from functools import partial

from attrs import evolve

from duetpy.grammar import ast
from duetpy.typecheck import cost as costs
from duetpy.typecheck import elaborate, let_inference
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import Foreign, ReleaseSite
from duetpy.typecheck.boxes import owes
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import EMPTY, Context, Root
from duetpy.typecheck.cost import Atom, Cost, Given
from duetpy.typecheck.errors import missing, names, privacy
from duetpy.typecheck.errors import trusted as problems
from duetpy.typecheck.judgement import Charged, Judged, add_costs, in_the_clear
from duetpy.typecheck.moves import in_steps, joined_views
from duetpy.typecheck.persons import holds_blocks
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, Quantity
from duetpy.typecheck.releasing import covered, static_value

_TARGET = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


#   σ₁, …, σₖ and τ can cross      dᵢ = diam(τ) where sep(σᵢ) ≥ 1, else ∞      dᵢ ≤ sᵢ
#   ─────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ opaque "m:f" : (∀ κs . σ₁ ⊸[s₁] … ⊸[sₖ] τ) : (∀ κs . σ₁ ⊸[d₁] … ⊸[dₖ] τ) ; ∅
#
# Distinct arguments are at least 1 apart and any two results at most diam(τ). A bare ⊸ claims nothing. The values that cross
# carry no debts of their own: boxes and functions do not. What comes back is held to τ when the program is run.
def opaque(checker: Checker, node: ast.Opaque) -> Judged:
    if not _TARGET.fullmatch(node.target):
        return checker.refuse(problems.not_a_target(node.span, node.target), EMPTY)
    written = elaborate.type_(checker, node.type)
    if t.is_poisoned(written):
        return Judged(t.POISON)
    if not isinstance(written, t.Fun):
        return checker.refuse(problems.foreign_not_a_function(node.type.span, written), EMPTY)
    functions = [written]
    while isinstance(functions[-1].codomain, t.Fun):
        functions.append(functions[-1].codomain)
    result = functions[-1].codomain
    if any(function.kinds for function in functions[1:]):
        return checker.refuse(problems.cannot_return(node.type.span, functions[0].codomain), EMPTY)
    for whole in (*[function.domain for function in functions], result):
        if any(isinstance(inner, t.Maybe) for inner in t.parts_of(whole)):
            return checker.refuse(missing.not_in_foreign_code(node.type.span, whole), EMPTY)
    for function in functions:
        if holds_blocks(function.domain):
            return checker.refuse(problems.blocks_in_foreign_code(node.type.span, function.domain), EMPTY)
        if not crosses(function.domain):
            return checker.refuse(problems.cannot_take(node.type.span, function.domain), EMPTY)
    if not crosses(result) or not _can_be_seen(result):
        return checker.refuse(problems.cannot_return(node.type.span, result), EMPTY)
    proved: t.Type = result
    for function in reversed(functions):
        known = t.diameter(result) if t.is_separated(function.domain) else INFINITY
        if not known.leq(function.sensitivity):
            return checker.refuse(
                problems.claims_too_little(node.type.span, function.domain, function.sensitivity, known), EMPTY
            )
        proved = evolve(function, sensitivity=known, codomain=proved)
    domains = tuple(function.domain for function in functions)
    checker.annotations.foreign[node] = Foreign(node.target, written.kinds, domains, result)
    return Judged(proved)


def crosses(type_: t.Type) -> bool:
    """Whether values of a type can be handed to foreign code: nothing in them is charged later than here."""
    return not any(isinstance(part, t.Box | t.Fun | t.PFun | t.TypeVar | t.With) for part in t.parts_of(type_))


def _can_be_seen(type_: t.Type) -> bool:
    """Whether it can be seen of a value that it is of the type: not where the type says which number it is."""
    return not any(
        isinstance(part, t.StaticNat | t.StaticReal)
        or (
            isinstance(part, t.Disc | t.SetOf | t.Matrix)
            and any(isinstance(inner, t.Matrix | t.Product | t.Sum) for inner in t.children(part))
        )
        for part in t.parts_of(type_)
    )


#   y₁, …, yₖ : σᵢ ; Σᵢ in Γ, as inputs of their own: Γ, yᵢ : σᵢ ⊢ e : τ ; Σ      0 < every part of p      τ is not a function
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ given[p] <y₁, …, yₖ> { e } : τ ; ∞⊙(Σ∖yᵢ) ⊞ (together over i of the cost p for a move of Σᵢ steps)
#
# The promise that is trusted: what e releases costs p for a step of 1 in each yᵢ, the others fixed. Aligned tables, and other
# row-wise views of one input, are one input of it. A body may use nothing else that is private, and what it releases is a value
# that is looked at, not a function that could be called many times.
def given(checker: Checker, node: ast.Mechanism) -> Charged:
    cost = _promised(checker, node)
    if node.private is None:
        checker.report(problems.given_needs_a_list(node.span))
        return Charged(t.POISON, {})
    listed: dict[str, Judged] = {}
    for name in node.private:
        found = let_inference.named(checker, ast.Var(name.span, name.text))
        if found is None:
            checker.report(names.unbound(name.span, name.text, checker.scope))
        elif not found.context and not isinstance(found.type, t.Poison):
            checker.report(privacy.listed_is_public(name.span, name.text))
        else:
            covered(checker, found.context, name.span)
            listed[name.text] = found
    units = _units(listed)
    bindings: list[tuple[str, Judged]] = []
    roots: list[Root] = []
    for unit in units:
        separated = all(t.is_separated(listed[name].type) for name in unit)
        roots.append(Root.fresh("+".join(unit), separated=separated))
        bindings += [(name, evolve(listed[name], context=Context.of(roots[-1]), count=None, parts=())) for name in unit]
    views = [
        (name, evolve(judged, rows_of=None if judged.rows_of is None else _only(judged.context)))
        for name, judged in bindings
    ]
    with checker.scope.binding(*views):
        body = checker.judge(node.body)
    if owes(body.type, *roots):
        checker.report(names.box_escapes(node.span, [root.name for root in roots]))
        return Charged(t.POISON, {})
    if not crosses(body.type):
        checker.report(problems.given_no_value(node.body.span, body.type))
        return Charged(t.POISON, {})
    if cost is None:
        return Charged(body.type, {})
    atom = Atom("given", cost.params, cost.notion)
    checker.annotations.releases[node] = ReleaseSite(node.name, node.span, ONE, ONE, atom, (), checker.repeats)
    outside = in_the_clear(body.context.without(*roots), "is used in given but not listed between < and >")
    moves = [_moves(unit, listed) for unit in units]
    spent: dict[Root, Cost] = {}
    for root in dict.fromkeys(root for context in moves for root in context.entries):
        sizes = [context[root] for context in moves if context.mentions(root)]
        spent[root] = costs.together(costs.group(size, cost) for size in sizes)
    return Charged(body.type, add_costs([outside, spent]))


def _only(context: Context) -> Root:
    (root,) = context.entries
    return root


def _promised(checker: Checker, node: ast.Mechanism) -> Given | None:
    """The cost in brackets: the parts of the notion; ε alone in (ε, δ) promises δ = 0."""
    names = checker.notion.letters
    notion = checker.notion
    if notion.info.alone is not None and len(node.params) == 1:
        notion = notion.info.alone
        names = notion.letters
    values: list[Quantity] = []
    is_known = len(names) == len(node.params)
    if not is_known:
        checker.report(problems.given_arity(node.span, names, len(node.params)))
    for position, written in enumerate(node.params):
        name = names[position] if position < len(names) else "a parameter"
        if written is None:
            checker.report(privacy.auto_misplaced(node.span, node.name, name))
            is_known = False
            continue
        value = static_value(checker, written, checker.judge(written), node.name, name)
        if value is None:
            is_known = False
            continue
        low = ONE if name in ("α", "ω") else ZERO
        reason = f"the order {name} of given is above 1" if name in ("α", "ω") else f"{name} of given is positive"
        checker.obligate(low, "<", value, reason, written.span)
        if name == "δ":
            checker.obligate(value, "<", ONE, "δ of given is a probability", written.span)
        values.append(value)
    return Given(notion, tuple(values)) if is_known else None


def _units(listed: dict[str, Judged]) -> list[list[str]]:
    """The listed names by input: row-wise views of one input are one."""
    by_row: dict[Root, list[str]] = {}
    units: list[list[str]] = []
    for name, judged in listed.items():
        if judged.rows_of is None:
            units.append([name])
        elif judged.rows_of in by_row:
            by_row[judged.rows_of].append(name)
        else:
            by_row[judged.rows_of] = [name]
            units.append(by_row[judged.rows_of])
    return units


def _moves(unit: list[str], listed: dict[str, Judged]) -> Context:
    """How many steps each input moves the views of one unit; ∞ where a type has no steps for it."""
    moves = EMPTY
    seen: list[Judged] = []
    for name in unit:
        judged = listed[name]
        context = judged.context.map(partial(in_steps, type_=judged.type))
        moves = joined_views(moves, context, seen, judged)
        seen.append(judged)
    return moves
