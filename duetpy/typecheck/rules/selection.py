"""The privacy judgement for mechanisms that choose: exponential, noisy-max, gibbs, AboveThreshold, rand-resp; and for a number of
nobody's: rand-nat."""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.blame import culprit, through
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Root
from duetpy.typecheck.cost import Atom, Cost
from duetpy.typecheck.errors import privacy, selection, shapes
from duetpy.typecheck.errors.causes import unbounded_cause
from duetpy.typecheck.errors.stretching import function_causes, stretching
from duetpy.typecheck.instances import told_by
from duetpy.typecheck.judgement import Charged, Judged, add_costs, in_the_clear
from duetpy.typecheck.quantity import ONE, ZERO, Quantity, maximum
from duetpy.typecheck.releasing import claimed, covered, listing, static_parameters, static_value, static_whole
from duetpy.typecheck.subtype import coerce, is_subtype


def _candidates(checker: Checker, node: ast.Mechanism, judged: Judged) -> tuple[t.Type, Quantity]:
    """The type and number of the candidates: one row of them."""
    assert node.candidates is not None
    match judged.type:
        case t.Matrix(_, _, rows, _) if rows == ONE and judged.type.element is not None:
            return judged.type.element, judged.type.width
        case t.Poison():
            return t.POISON, ONE
        case other:
            checker.report(selection.candidates_not_a_row(node.candidates.span, node.name, other))
            return t.POISON, ONE


def _scored(checker: Checker, node: ast.Mechanism) -> tuple[Quantity, Judged, Judged | None]:
    """The number of candidates, the candidates, and the score of one; None, with a diagnostic, if it is not a number."""
    assert node.candidates is not None
    assert node.binder is not None
    candidates = checker.judge(node.candidates)
    element, number = _candidates(checker, node, candidates)
    with checker.scope.binding((node.binder.text, Judged(element))):
        body = checker.judge(node.body)
    if isinstance(body.type, t.Poison) or isinstance(element, t.Poison):
        return number, candidates, None
    if not isinstance(body.type, t.Real | t.StaticReal | t.Nat | t.StaticNat):
        checker.report(selection.score_not_a_number(node.body.span, node.name, body.type))
        return number, candidates, None
    return number, candidates, body


#   Γ ⊢ c : 𝕄[_, _ | 1, k⋅τ] ; Σ_c      Γ, x : τ ⊢ e : ℝ ; Σ      Σ(z) ≤ s for every z in xs      0 < s, ε
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ exponential[s, ε] c <xs> { x ⇒ e } : 𝕀[k] ; ∞⊙Σ_c ⊞ ε on Σ|xs ⊞ ∞⊙(Σ∖xs)
#
# Index i is chosen with probability ∝ exp(ε⋅eᵢ/2s) (McSherry–Talwar 2007). Scores are real or natural: a discrete score
# would move without bound in one step. noisy-max adds exponential noise of scale 2s/ε and takes the largest.
def choice(checker: Checker, node: ast.Mechanism) -> Charged:
    if node.candidates is None or node.binder is None or len(node.params) != 2:
        checker.report(privacy.mechanism_arity(node.span, node.name, checker.notion, ("ε",), len(node.params)))
        return Charged(t.POISON, {})
    judged: list[Judged | None] = [None if param is None else checker.judge(param) for param in node.params]
    number, candidates, body = _scored(checker, node)
    result = t.Idx(number)
    if body is None:
        return Charged(result, {})
    parameters = static_parameters(checker, node, ("ε",), judged[1:])
    listed, tossed = listing(checker, node, body)
    inferred = maximum(*listed.entries.values()) if listed else ZERO
    sensitivity = claimed(checker, node, judged[0], listed, inferred)
    if parameters is None or sensitivity is None:
        return Charged(result, {})
    atom = Atom(node.name, parameters)
    checker.annotations.releases[node] = ReleaseSite(
        node.name, node.span, sensitivity, inferred, atom, (), checker.repeats, number
    )
    spent: dict[Root, Cost] = dict.fromkeys(listed.entries, atom)
    clear = in_the_clear(candidates.context, "chooses the candidates")
    unlisted = in_the_clear(tossed, f"is used in {node.name} but not listed between < and >")
    return Charged(result, add_costs([clear, unlisted, spent]))


#   Γ ⊢ c : 𝕄[_, _ | 1, k⋅τ] ; Σ_c      Γ, x : τ ⊢ e : ℝ ; Σ      0 < β
#   ──────────────────────────────────────────────────────────────────────────────────      index i is chosen with
#   Γ ⊢ gibbs[β] c <xs> { x ⇒ e } : 𝕀[k] ; ∞⊙Σ_c ⊞ 2β⋅Σ(z) on each z in xs ⊞ ∞⊙(Σ∖xs)        probability ∝ exp(−β⋅eᵢ)
#
# The exponential mechanism for the score −e, at the ε = 2βs that the inverse temperature β and the risk's sensitivity s
# give. The losses of two neighbours fill an interval of that length (Dong–Durfee–Rogers 2020).
def gibbs(checker: Checker, node: ast.Mechanism) -> Charged:
    if len(node.params) != 1 or node.candidates is None or node.binder is None:
        checker.report(selection.gibbs_arity(node.span, len(node.params)))
        return Charged(t.POISON, {})
    written = node.params[0]
    judged: list[Judged | None] = [None if written is None else checker.judge(written)]
    number, candidates, body = _scored(checker, node)
    result = t.Idx(number)
    if body is None:
        return Charged(result, {})
    parameters = static_parameters(checker, node, ("β",), judged)
    listed, tossed = listing(checker, node, body)
    inferred = maximum(*listed.entries.values()) if listed else ZERO
    sensitivity = claimed(checker, node, None, listed, inferred)
    if parameters is None or sensitivity is None:
        return Charged(result, {})
    twice = 2 * parameters[0]
    checker.annotations.releases[node] = ReleaseSite(
        node.name, node.span, sensitivity, inferred, Atom("gibbs", (twice * sensitivity,)), (), checker.repeats, number
    )
    spent: dict[Root, Cost] = {
        root: Atom("gibbs", (twice * moved,)) for root, moved in listed.entries.items() if not moved.is_zero
    }
    clear = in_the_clear(candidates.context, "chooses the candidates")
    unlisted = in_the_clear(tossed, f"is used in {node.name} but not listed between < and >")
    return Charged(result, add_costs([clear, unlisted, spent]))


#   Γ ⊢ qs : 𝕄[_, _ | 1, k⋅(τ ⊸[η] ℝ)] ; Σ_q      Γ ⊢ T : ℝ ; Σ_T      Γ ⊢ e : τ ; Σ      η⋅Σ(z) ≤ 1 for every z in xs
#   ───────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ AboveThreshold[ε, qs, T] <xs> { e } : 𝕀[k] ; ∞⊙(Σ_q ⊞ Σ_T) ⊞ ε on Σ|xs ⊞ ∞⊙(Σ∖xs)
#
# Lap(2/ε) on the threshold, Lap(4/ε) on each query, the first index above (Dwork–Roth 2014, Theorem 3.23); the last index
# where none is, which is post-processing. Queries that move by more than 1 would need more noise. Where all queries move one
# way, 3ε/4 is charged for the same noise (Lyu, Su and Li 2017).
def above_threshold(checker: Checker, node: ast.Mechanism) -> Charged:
    if len(node.params) != 3:
        checker.report(selection.threshold_arity(node.span, len(node.params)))
        return Charged(t.POISON, {})
    judged: list[Judged | None] = [None if param is None else checker.judge(param) for param in node.params]
    body = checker.judge(node.body)
    epsilon, queries, threshold = judged
    if epsilon is None or queries is None or threshold is None:
        checker.report(privacy.auto_misplaced(node.span, node.name, "a parameter"))
        return Charged(t.POISON, {})
    width, latent = _queries(checker, node, queries, body)
    result = t.Idx(width)
    assert node.params[0] is not None
    assert node.params[2] is not None
    value = static_value(checker, node.params[0], epsilon, node.name, "ε")
    if coerce(threshold.type, t.REAL) is None:
        checker.report(shapes.wrong_argument(node.params[2].span, t.REAL, threshold.type))
    if value is None or latent is None:
        return Charged(result, {})
    checker.obligate(ZERO, "<", value, f"ε of {node.name} is positive", node.params[0].span)
    listed, tossed = listing(checker, node, body)
    for root, s in listed.entries.items():
        moved = latent * s
        if not moved.leq(ONE):
            at, reasons = _stretched(checker, node, latent, root)
            checker.report(selection.query_too_sensitive(at.span, root.name, moved, latent, s, notes=reasons))
            return Charged(result, {})
    lost = (3 * value / 4,) if _moves_one_way(queries, body) else ()
    atom = Atom("above-threshold", (value, *lost))
    checker.annotations.releases[node] = ReleaseSite(node.name, node.span, ONE, latent, atom, (), checker.repeats)
    clear = in_the_clear(queries.context + threshold.context, "chooses the queries or the threshold")
    unlisted = in_the_clear(tossed, f"is used in {node.name} but not listed between < and >")
    return Charged(result, add_costs([clear, unlisted, dict.fromkeys(listed.entries, atom)]))


def _moves_one_way(queries: Judged, body: Judged) -> bool:
    """Whether all queries are monotone in the same direction in what they are asked about: a number on the line, or a table of
    unknown size, ordered by adding rows."""
    match body.type:
        case t.Real() | t.Nat() | t.StaticReal() | t.StaticNat():
            return queries.one_way
        case t.Matrix(rows=None):
            return queries.one_way and t.counts_rows(body.type)
        case _:
            return False


def _stretched(checker: Checker, node: ast.Mechanism, latent: Quantity, root: Root) -> tuple[ast.SExp, tuple[str, ...]]:
    """Whether the queries stretch or the value that they are asked of, and why."""
    concluded, addends = checker.concluded, checker.annotations.addends
    queries = node.params[1]
    if not latent.leq(ONE) and queries is not None:
        made = through(queries)
        origin = concluded[made].origin if isinstance(made, ast.Var) and made in concluded else None
        made = made if origin is None else through(origin)
        if not isinstance(made, ast.MCreate):
            return queries, ()
        return made.body, function_causes(made.body, latent.finite(), concluded, addends)
    moved = concluded.get(through(node.body))
    if moved is not None and not moved.context[root].finite():
        at = culprit(node.body, root, concluded, addends)
        return at, unbounded_cause(at, concluded).notes
    return node.body, stretching(node.body, concluded, addends)


def _queries(checker: Checker, node: ast.Mechanism, queries: Judged, body: Judged) -> tuple[Quantity, Quantity | None]:
    """The number of queries and how far each moves per unit of its argument."""
    written = node.params[1]
    assert written is not None
    match queries.type:
        case refused if t.is_poisoned(refused):
            return ONE, None
        case t.Matrix(_, _, rows, _) if rows == ONE and isinstance(queries.type.element, t.Fun):
            query, width = queries.type.element, queries.type.width
        case other:
            checker.report(selection.queries_not_functions(written.span, other))
            return ONE, None
    instance = told_by(checker, node, query, [(query.domain, body.type)], written.span)
    if instance is None:
        return width, None
    factor = coerce(body.type, instance.domain)
    if factor is None:
        checker.report(shapes.wrong_argument(node.body.span, instance.domain, body.type))
        return width, None
    if coerce(instance.codomain, t.REAL) is None or isinstance(instance.codomain, t.Disc):
        checker.report(selection.queries_not_functions(written.span, queries.type))
        return width, None
    latent = instance.sensitivity * factor
    covered(checker, body.context.scaled(latent).rounded(instance.rounding), written.span)
    return width, latent


#   Γ ⊢ k : ℕ[k]      Γ ⊢ e : 𝕀[k] ; Σ      2 ≤ k      0 < ε
#   ──────────────────────────────────────────────────────────────      the answer is true with probability
#   Γ ⊢ rand-resp[k, ε] <xs> { e } : 𝕀[k] ; ε on Σ|xs ⊞ ∞⊙(Σ∖xs)        e^ε/(e^ε + k − 1), else any other (Warner 1965)
#
# Any two inputs are answered alike up to e^ε, so how far e moves does not matter.
def randomized_response(checker: Checker, node: ast.Mechanism) -> Charged:
    if len(node.params) != 2 or node.params[0] is None or node.params[1] is None:
        checker.report(selection.randomized_response_arity(node.span, len(node.params)))
        return Charged(t.POISON, {})
    size = checker.judge(node.params[0])
    epsilon = checker.judge(node.params[1])
    body = checker.judge(node.body)
    k = static_whole(checker, node.params[0], size, "the number of answers")
    value = static_value(checker, node.params[1], epsilon, node.name, "ε")
    if k is None or value is None or isinstance(body.type, t.Poison):
        return Charged(t.POISON if k is None else t.Idx(k), {})
    checker.obligate(Quantity.of(2), "≤", k, "there are at least two answers", node.params[0].span)
    checker.obligate(ZERO, "<", value, f"ε of {node.name} is positive", node.params[1].span)
    if not is_subtype(body.type, t.Idx(k)):
        checker.report(selection.answer_not_an_index(node.body.span, body.type, k))
        return Charged(t.Idx(k), {})
    listed, tossed = listing(checker, node, body)
    atom = Atom("rand-resp", (k, value))
    checker.annotations.releases[node] = ReleaseSite(node.name, node.span, ONE, ONE, atom, (), checker.repeats)
    unlisted = in_the_clear(tossed, f"is used in {node.name} but not listed between < and >")
    return Charged(t.Idx(k), add_costs([unlisted, dict.fromkeys(listed.entries, atom)]))


#   Γ ⊢ a : ℕ ; Σ₁      Γ ⊢ b : ℕ ; Σ₂      a ≤ b where both are static
#   ─────────────────────────────────────────────────────────────────────      each of a … b, both ends included, is
#   Γ ⊢ rand-nat[a, b] : ℕ ; ∞⊙(Σ₁ ⊞ Σ₂)                                       equally likely; where b < a, it is a
#
# The number is drawn without a look at any input. Its bounds show in it.
def random_number(checker: Checker, node: ast.RandNat) -> Charged:
    bounds: list[Judged] = []
    for written in (node.low, node.high):
        judged = checker.judge(written)
        if not is_subtype(judged.type, t.NAT):
            checker.report(shapes.wrong_argument(written.span, t.NAT, judged.type))
        bounds.append(judged)
    low, high = bounds
    if isinstance(low.type, t.StaticNat) and isinstance(high.type, t.StaticNat):
        checker.obligate(
            low.type.value, "≤", high.type.value, "the lower bound of rand-nat is at most the upper one", node.span
        )
    return Charged(t.NAT, in_the_clear(low.context + high.context, "bounds a random number"))
