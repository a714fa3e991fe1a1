"""The sensitivity judgement for ``mfold-row``."""

from __future__ import annotations

from fractions import Fraction

from attrs import evolve

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar import ast
from duetpy.typecheck import types as t
from duetpy.typecheck.capacity import OF_SETS
from duetpy.typecheck.cells import has_real_cells
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.degrees import largest_degree
from duetpy.typecheck.ends import added
from duetpy.typecheck.errors import sensitivity, shapes
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.fold_patterns import matrix_addend, picked_operand, sum_addend, vanishes
from duetpy.typecheck.judgement import Judged, Range, range_of
from duetpy.typecheck.literals import is_literal, is_real, judge_as
from duetpy.typecheck.persons import is_in_order
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, Quantity, Signed
from duetpy.typecheck.ranges import as_held, range_of_picked
from duetpy.typecheck.repetition import amplification, state_keeps
from duetpy.typecheck.rows import expect_matrix, grows_no_more, no_escape, row_type
from duetpy.typecheck.subtype import coerce, context_leq, widen


def judge_fold(checker: Checker, node: ast.Fold) -> Judged:
    """A fold that adds is judged by its addend; any other by its body."""
    # A literal starts a sum of reals or of naturals as what is added says.
    init = None if is_literal(node.init) else checker.judge(node.init)
    source = checker.judge(node.arg)
    matrix = expect_matrix(checker, node.arg, source, "mfold-row")
    known = checker.annotations.folded.get(node, ())
    checker.annotations.folded[node] = (*known, None if matrix is None else matrix.rows)
    type_: t.Type = t.POISON if matrix is None else row_type(matrix)
    row = Root.fresh(node.row.text, separated=t.is_separated(type_))
    state_type = widen(init.type, checker.allowed) if init is not None else t.NAT
    zero = _zero(node, state_type)
    added = None if zero is None else sum_addend(node, zero)
    if added is not None:
        checker.annotations.addends[node] = added
    elif isinstance(state_type, t.Matrix) and state_type.rows is not None and has_real_cells(state_type):
        added = matrix_addend(node)
        state_type = evolve(state_type, clip=None)  # a sum outgrows what bounds its first term
    row_binding = (node.row.text, Judged(type_, Context.of(row), degree=source.degree))
    if added is not None:
        with checker.scope.binding(row_binding):
            term = checker.judge(added)
        term = no_escape(checker, node.body, term, row)
        if init is None:
            init = judge_as(checker, node.init, is_real(term.type))
            state_type = widen(init.type, checker.allowed)
        if matrix is None or isinstance(term.type, t.Poison):
            return Judged(t.POISON, init.context + source.context + term.context.without(row))
        return _sum(checker, node, added, init, source, matrix, term, row, state_type)
    is_unknown = matrix is not None and matrix.rows is None and t.counts_rows(matrix)
    picked = picked_operand(node) if is_unknown else None
    if picked is not None:
        return _picked(checker, node, *picked, init, source, row, row_binding)
    init = judge_as(checker, node.init, False) if init is None else init
    if is_unknown and not is_in_order(source) and sensitivity.adds_other_matrices(node, state_type):
        return checker.refuse(sensitivity.fold_of_unknown_rows(node, state_type), init.context + source.context)
    state_type = widen(init.type, checker.allowed) if is_literal(node.init) else state_type
    state = Root.fresh(node.state.text, separated=t.is_separated(state_type))
    with checker.scope.binding((node.state.text, Judged(state_type, Context.of(state))), row_binding):
        body = checker.judge(node.body)
    body = no_escape(checker, node.body, body, row, state)
    captured = body.context.without(row, state)
    everything = init.context + source.context + captured
    if matrix is None or isinstance(body.type, t.Poison):
        return Judged(t.POISON, everything)
    state_keeps(checker, node.body, body, state_type, node.state.text)
    if matrix.rows is None and is_in_order(source):
        turns = "each row could make the state longer"
        if source.context and not grows_no_more(checker, [state_type], OF_SETS, turns, node.body.span):
            return checker.refuse(sensitivity.rows_in_state(node.span, node.state.text, state_type), everything)
        return Judged(state_type, everything.unbounded())
    if matrix.rows is None:
        return _refused(checker, sensitivity.fold_of_unknown_rows(node, state_type), state_type, everything)
    return Judged(state_type, _general(init, source, matrix.rows, body, row, state, captured))


def _zero(node: ast.Fold, state_type: t.Type) -> ast.SExp | None:
    match state_type:
        case t.Real():
            return ast.RealLit(node.init.span, Fraction(0))
        case t.Nat():
            return ast.NatLit(node.init.span, 0)
        case _:
            return None


#   Γ ⊢ e₁ : σ ; Σ₁      Γ ⊢ e₂ : M ; Σ₂      Γ, r : one row ⊢ g : σ ; t⋅r ⊞ C      σ is ℝ, ℕ or 𝕄[ℓ, U | k, n⋅ℝ]
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ mfold-row e₁, e₂ { a, r ⇒ a + g } : σ ; Σ₁ ⊞ t⊙Σ₂ ⊞ m⊙C                      fixed m
#   Γ ⊢ mfold-row e₁, e₂ { a, r ⇒ a + g } : σ ; Σ₁ ⊞ B⊙Σ₂ ⊞ ∞⊙C                      ★, counted rows, ‖g‖ ≤ B
#   Γ ⊢ mfold-row e₁, e₂ { a, r ⇒ a + g } : σ ; Σ₁ ⊞ ((d ⊔ 0) − (c ⊓ 0))⊙R ⊞ ∞⊙C    ★, R of the rows replaced, g ∈ [c, d]
#   Γ ⊢ mfold-row e₁, e₂ { a, r ⇒ a + g } : σ ; Σ₁ ⊞ t⊙Σ₂ ⊞ ∞⊙C                      ★, real rows, g(0) = 0
#
# Fixed m: the sum moves by the sum of the moves of its terms. ★: one counted row more adds one term, of size at most B; of a
# row that is replaced, one term goes and one comes, or only one of the two; a real row more is as far as it is long, t times
# which bounds its term, since g maps 0 to 0.
def _sum(
    checker: Checker,
    node: ast.Fold,
    added: ast.SExp,
    init: Judged,
    source: Judged,
    matrix: t.Matrix,
    term: Judged,
    row: Root,
    state_type: t.Type,
) -> Judged:
    captured = term.context.without(row)
    everything = init.context + source.context + captured
    factor = _change_of_metric(term.type, state_type)
    start = _change_of_metric(init.type, state_type)
    if factor is None or start is None:
        return checker.refuse(
            shapes.state_changes(node.body.span, node.state.text, state_type, term.type, source.ordered), everything
        )
    first = init.context.scaled(start)
    if matrix.rows is not None:
        moved = source.context.scaled(term.context[row]) + captured.scaled(matrix.rows)
        known = as_held(state_type, _range(init, term, matrix.rows))
        return Judged(state_type, first + moved.scaled(factor), range=known, degree=largest_degree(init, term))
    if t.matches_rows(matrix):
        if not vanishes(added, frozenset({node.row.text})):
            return _refused(
                checker, sensitivity.real_rows_of_unknown_number(node.span, "mfold-row"), state_type, everything
            )
        moved = source.context.scaled(term.context[row] * factor)
        return Judged(state_type, first + moved + captured.unbounded())
    if not t.counts_rows(matrix):
        return _refused(
            checker, sensitivity.real_rows_of_unknown_number(node.span, "mfold-row"), state_type, everything
        )
    bound = _size(term, state_type)
    if bound is None:
        if not is_in_order(source):
            return checker.refuse(sensitivity.unbounded_rows(node.body.span, "mfold-row"), everything)
        return Judged(state_type, everything.unbounded())
    moved = source.context.scaled(bound)
    apart = bound if term.context[row].is_zero else _apart(term)
    if source.count is not None and apart is not None:
        replaced = source.count.scaled(apart)
        moved = replaced if context_leq(replaced, moved) else moved
    return Judged(state_type, first + moved + captured.unbounded())


#   Γ ⊢ e₁ : σ ; Σ₁      Γ ⊢ e₂ : M ; Σ₂      Γ, r : one row ⊢ g : σ ; t⋅r ⊞ C      ★, counted rows      ⊕ is ⊔, ⊓, ∧ or ∨
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ mfold-row e₁, e₂ { a, r ⇒ a ⊕ g } : σ ; Σ₁ ⊞ D⊙Σ₂ ⊞ ∞⊙C            D: how far the largest or smallest can lie apart
#
# The result depends on the rows alone and not on their order, so the diameter lemma holds of it; without a D it is refused.
def _picked(
    checker: Checker,
    node: ast.Fold,
    sign: str,
    taken: ast.SExp,
    init: Judged | None,
    source: Judged,
    row: Root,
    row_binding: tuple[str, Judged],
) -> Judged:
    with checker.scope.binding(row_binding):
        term = checker.judge(taken)
    term = no_escape(checker, node.body, term, row)
    init = judge_as(checker, node.init, is_real(term.type)) if init is None else init
    everything = init.context + source.context + term.context.without(row)
    if isinstance(term.type, t.Poison) or isinstance(init.type, t.Poison):
        return Judged(t.POISON, everything)
    state_type = widen(init.type)
    picks = facts_of(sign).picks
    if coerce(term.type, state_type) != ONE or not _are_picked(picks, state_type):
        return checker.refuse(
            shapes.state_changes(node.body.span, node.state.text, state_type, term.type, source.ordered), everything
        )
    known = None if t.is_discrete(state_type) else range_of_picked(picks, init, term)
    moved = (source.context + term.context.without(row)).unbounded()
    result = Judged(state_type, init.context + moved, range=known, degree=largest_degree(init, term))
    if moved and result.diameter().is_infinite and not is_in_order(source):
        wide = taken if range_of(term) is None else node.init
        return checker.refuse(sensitivity.picked_of_any_size(wide.span), everything)
    return result


def _are_picked(picks: str, type_: t.Type) -> bool:
    """Whether values of a type have a largest and a smallest one, or are truth values."""
    if picks in ("all", "any"):
        return isinstance(type_, t.Bool)
    return isinstance(type_.inner if isinstance(type_, t.Disc) else type_, t.Real | t.Bounded | t.Nat)


#   e₁ ∈ [a, b]      g ∈ [c, d] for every row
#   ────────────────────────────────────────────────────────────      the sum is exact
#   mfold-row e₁, e₂ { a, r ⇒ a + g } ∈ [a + m⋅c, b + m⋅d]
def _range(init: Judged, term: Judged, rows: Quantity) -> Range | None:
    first, each = range_of(init), range_of(term)
    if first is None or each is None:
        return None
    size = Signed(False, rows)
    low, high = added(first.low, each.low * size, up=False), added(first.high, each.high * size, up=True)
    return None if low is None or high is None else Range(low, high)


def _refused(checker: Checker, error: Diagnostic, state_type: t.Type, moves: Context) -> Judged:
    """What nothing moves may be folded in any way; else the refusal is all that is said of the fold."""
    return checker.refuse(error, moves) if moves else Judged(state_type)


def _change_of_metric(type_: t.Type, state_type: t.Type) -> Quantity | None:
    """The price at which a term or the first state counts in the metric of the sum; None where it does not fit."""
    if not isinstance(state_type, t.Matrix) or not isinstance(type_, t.Matrix):
        return coerce(type_, state_type)
    measured = coerce(evolve(type_, norm=state_type.norm), state_type)
    if measured is None:
        return None
    return measured * t.norm_factor(type_.norm, state_type.norm, type_.width)


def _size(term: Judged, state_type: t.Type) -> Quantity | None:
    """A bound on the norm of one term, in the norm of the sum."""
    bounds = range_of(term)
    if bounds is not None:
        return bounds.magnitude
    match term.type, state_type:
        case t.Matrix(clip=t.Clip(norm, bound), rows=Quantity() as rows), t.Matrix(norm=wanted):
            return bound * rows * t.norm_factor(norm, wanted, term.type.width)
        case _:
            return None


def _apart(term: Judged) -> Quantity | None:
    """How far apart two terms can be of which either may be missing, and then counts 0."""
    bounds = range_of(term)
    if bounds is None:
        return None
    below, above = bounds.low, bounds.high
    return (ZERO if above.negative else above.magnitude) + (below.magnitude if below.negative else ZERO)


#   Γ ⊢ e₁ : τ ; Σ₁      Γ ⊢ e₂ : M ; Σ₂      Γ, a : τ, r : one row ⊢ e : τ ; s⋅a ⊞ t⋅r ⊞ C      fixed m
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ mfold-row e₁, e₂ { a, r ⇒ e } : τ ; s^m⊙Σ₁ ⊞ t⋅max(1, s^(m−1))⊙Σ₂ ⊞ (1 + s + … + s^(m−1))⊙C
#
# Row i's move is multiplied by s once for each later row: by at most s^(m−1) where s ≥ 1, by at most 1 where s ≤ 1 or m = 1.
def _general(
    init: Judged, source: Judged, rows: Quantity, body: Judged, row: Root, state: Root, captured: Context
) -> Context:
    s, per_row = body.context[state], body.context[row]
    on_state, on_captured = amplification(s, rows)
    if s.leq(ONE) or rows == ONE:
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
