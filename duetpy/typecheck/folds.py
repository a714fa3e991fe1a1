"""The sensitivity judgement for ``mfold-row``."""

from __future__ import annotations

from fractions import Fraction

from duetpy.grammar import ast
from duetpy.trampoline import Task, call
from duetpy.typecheck import errors
from duetpy.typecheck import types as t
from duetpy.typecheck.additive import addend
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.iteration import amplification, state_keeps
from duetpy.typecheck.judged import Judged, range_of
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, Quantity
from duetpy.typecheck.subtype import coerce, widen


def judge_fold(checker: Checker, node: ast.Fold) -> Task[Judged]:
    """A fold that adds is judged by its addend; any other by its body."""
    from duetpy.typecheck.matrices import expect_matrix, no_escape, row_type

    init = yield from call(checker.judge(node.init))
    source = yield from call(checker.judge(node.arg))
    matrix = expect_matrix(checker, node.arg, source, "mfold-row")
    type_: t.Type = t.POISON if matrix is None else row_type(matrix)
    row = Root.fresh(node.row.text, separated=t.is_separated(type_))
    state_type = widen(init.type)
    zero = _zero(node, state_type)
    added = None if zero is None else addend(node.body, node.state.text, zero)
    row_binding = (node.row.text, Judged(type_, Context.of(row)))
    if added is not None:
        with checker.scope.binding(row_binding):
            term = yield from call(checker.judge(added))
        term = no_escape(checker, node.body, term, row)
        if matrix is None or isinstance(term.type, t.Poison):
            return Judged(t.POISON, init.context + source.context + term.context.without(row))
        checker.annotations.addends[node] = added
        return _sum(checker, node, init, source, matrix, term, row, state_type)
    state = Root.fresh(node.state.text, separated=t.is_separated(state_type))
    with checker.scope.binding((node.state.text, Judged(state_type, Context.of(state))), row_binding):
        body = yield from call(checker.judge(node.body))
    body = no_escape(checker, node.body, body, row, state)
    captured = body.context.without(row, state)
    everything = init.context + source.context + captured
    if matrix is None or isinstance(body.type, t.Poison):
        return Judged(t.POISON, everything)
    state_keeps(checker, node.body, body, state_type, node.state.text)
    if matrix.rows is None:
        if everything:
            checker.report(errors.fold_of_unknown_rows(node.span, node.state.text))
        return Judged(state_type, everything.unbounded())
    return Judged(state_type, _general(init, source, matrix.rows, body, row, state, captured))


def _zero(node: ast.Fold, state_type: t.Type) -> ast.SExp | None:
    match state_type:
        case t.Real():
            return ast.RealLit(node.init.span, Fraction(0))
        case t.Nat():
            return ast.NatLit(node.init.span, 0)
        case _:
            return None


#   Γ ⊢ e₁ : ℝ ; Σ₁      Γ ⊢ e₂ : M ; Σ₂      Γ, r : one row ⊢ g : ℝ ; t⋅r ⊞ C
#   ────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ mfold-row e₁, e₂ { a, r ⇒ a + g } : ℝ ; Σ₁ ⊞ t⊙Σ₂ ⊞ m⊙C                      fixed m
#   Γ ⊢ mfold-row e₁, e₂ { a, r ⇒ a + g } : ℝ ; Σ₁ ⊞ B⊙Σ₂ ⊞ ∞⊙C                      ★, discrete rows, |g| ≤ B
#
# Fixed m: the sum moves by the sum of the moves of its terms. ★: one row more adds one term, of size at most B.
def _sum(
    checker: Checker,
    node: ast.Fold,
    init: Judged,
    source: Judged,
    matrix: t.Matrix,
    term: Judged,
    row: Root,
    state_type: t.Type,
) -> Judged:
    captured = term.context.without(row)
    everything = init.context + source.context + captured
    factor = coerce(term.type, state_type)
    if factor is None:
        return checker.refuse(errors.state_changes(node.body.span, node.state.text, state_type, term.type), everything)
    if matrix.rows is not None:
        moved = source.context.scaled(term.context[row]) + captured.scaled(matrix.rows)
        return Judged(state_type, init.context + moved.scaled(factor))
    bounds = range_of(term)
    discrete = all(t.is_discrete(column) for column in matrix.column_types())
    if not discrete:
        if everything:
            checker.report(errors.real_rows_of_unknown_number(node.span, "mfold-row"))
        return Judged(state_type, everything.unbounded())
    if bounds is None:
        if source.context:
            checker.report(errors.unbounded_rows(node.body.span, "mfold-row"))
        return Judged(state_type, everything.unbounded())
    same_for_all = term.context[row].is_zero
    counted = source.count if same_for_all and source.count is not None else source.context
    return Judged(state_type, init.context + counted.scaled(bounds.magnitude) + captured.unbounded())


#   Γ ⊢ e₁ : τ ; Σ₁      Γ ⊢ e₂ : M ; Σ₂      Γ, a : τ, r : one row ⊢ e : τ ; s⋅a ⊞ t⋅r ⊞ C      fixed m
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ mfold-row e₁, e₂ { a, r ⇒ e } : τ ; s^m⊙Σ₁ ⊞ t⋅max(1, s^(m−1))⊙Σ₂ ⊞ (1 + s + … + s^(m−1))⊙C
#
# Row i's move is multiplied by s once for each later row: at most s^(m−1) times where s ≥ 1, at most once where s ≤ 1.
def _general(
    init: Judged, source: Judged, rows: Quantity, body: Judged, row: Root, state: Root, captured: Context
) -> Context:
    s, per_row = body.context[state], body.context[row]
    on_state, on_captured = amplification(s, rows)
    if s.leq(ONE):
        on_rows = ONE
    elif on_state.is_infinite:
        on_rows = INFINITY
    else:
        # s > 1 or unknown, m a numeral: max(1, s)^m bounds max(1, s^(m−1)), and s^(m−1) is read off below where s ≥ 1.
        on_rows = _power(s, int(rows.constant or 0) - 1) if ONE.leq(s) else _power(s + 1, int(rows.constant or 0))
    return init.context.scaled(on_state) + source.context.scaled(per_row * on_rows) + captured.scaled(on_captured)


def _power(base: Quantity, exponent: int) -> Quantity:
    result = ONE if exponent >= 0 else ZERO
    for _ in range(exponent):
        result = result * base
    return result
