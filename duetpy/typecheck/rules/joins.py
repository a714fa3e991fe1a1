"""The sensitivity judgement for joins of two tables: join₁, by the place of a column, joinDF₁ and joinDF, by its name."""

from __future__ import annotations

from typing import TypeAlias

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.cells import counted_together
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.degrees import largest_degree
from duetpy.typecheck.errors import names, selection, shapes
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import ONE, Quantity
from duetpy.typecheck.releasing import static_whole
from duetpy.typecheck.rows import expect_matrix, is_plain, key_column, unreadable_column
from duetpy.typecheck.subtype import is_comparable, widen


#   Γ ⊢ e₁ : 𝕄[ℓ₁, c₁ | ★, σ₁] ; Σ₁      Γ ⊢ e₂ : 𝕄[ℓ₂, c₂ | r, σ₂] ; Σ₂      σ₁(i) = σ₂(j), separated
#   ──────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ join₁[e₁, i, e₂, j] : 𝕄[L∞, U | ★, σ₁ ⧺ σ₂] ; Σ₁ ⊞ ∞⊙Σ₂                from fixed m: 2⊙Σ₁
#
# Each left row is paired with the least right row of equal key, or dropped: adding a left row adds at most one row. One
# right row serves any number of left rows. The least is that of the table as a multiset: cells of rows in no order are plain, and
# no cell holds a box or a function, whose contents nothing would be charged for.
def join(checker: Checker, node: ast.Prim, args: list[Judged]) -> Judged:
    left, left_key, right, right_key = args
    context = left.context + right.context
    matrix = expect_matrix(checker, node.args[0], left, "join₁")
    other = expect_matrix(checker, node.args[2], right, "join₁")
    if matrix is None or other is None:
        return Judged(t.POISON, context)
    first = _key_column(checker, node.args[1], left_key, matrix)
    second = _key_column(checker, node.args[3], right_key, other)
    if first is None or second is None:
        return Judged(t.POISON, context)
    return joined(checker, node, (left, matrix, first), (right, other, second), ONE)


Side: TypeAlias = "tuple[Judged, t.Matrix, t.Type]"
"""One side of a join: the table, its type, and the type of its key."""


def joined(checker: Checker, node: ast.Prim | ast.FrameOp, left: Side, right: Side, most: Quantity) -> Judged:
    """The rule of joins, however the keys were named: of each left row with so many right rows at most."""
    (table, matrix, first), (other, other_matrix, second) = left, right
    context = table.context + other.context
    if not all(is_comparable(key) and t.is_separated(key) for key in (first, second)):
        return checker.refuse(selection.join_keys(node.span, first, second), context)
    if widen(first) != widen(second):
        return checker.refuse(selection.join_keys_differ(node.span, first, second), context)
    schema = _side_by_side(checker, node, matrix, other_matrix)
    if schema is None:
        return Judged(t.POISON, context)
    has_order = other_matrix.rows is not None or other.ordered or other.is_public
    has_places = has_order and unreadable_column(other_matrix) is None
    if not has_places and not all(is_plain(column) for column in other_matrix.column_types()):
        return checker.refuse(selection.join_of_cells(node.span, other_matrix), context)
    result = t.Matrix(Norm.LINF, None, None, schema)
    clear = other.context.unbounded()
    if not (t.counts_rows(matrix) if matrix.rows is None else t.replaces_rows(matrix)):
        return Judged(result, table.context.unbounded() + clear)
    moved = table.context.scaled(most if matrix.rows is None else most * Quantity.of(2))
    count = table.count if matrix.rows is None else table.context
    counted = None if count is None else count.scaled(most) + clear
    # In the order of the left rows, each with the least of its partners: the order of the right ones decides nothing.
    return Judged(result, moved + clear, count=counted, degree=largest_degree(table, other), ordered=table.ordered)


def _key_column(checker: Checker, node: ast.SExp, key: Judged, matrix: t.Matrix) -> t.Type | None:
    match key.type:
        case t.StaticNat(value) if value.constant is not None:
            position = int(value.constant)
        case other:
            checker.report(selection.key_not_static(node.span, other))
            return None
    match matrix.schema:
        case t.Columns(columns) if position < len(columns):
            return columns[position].type
        case t.Uniform(count, element):
            checker.obligate(Quantity.of(position + 1), "≤", count, "the key is one of the columns", node.span)
            return element
        case _:
            checker.report(names.no_such_column(node.span, str(position), matrix))
            return None


def _side_by_side(checker: Checker, node: ast.Prim | ast.FrameOp, left: t.Matrix, right: t.Matrix) -> t.Schema | None:
    """The columns of both; a name that both have is kept on the left only."""
    columns: list[t.Column] = []
    taken: set[str] = set()
    counted = counted_together(left.schema, right.schema)
    if counted is not None:
        return counted
    for matrix in (left, right):
        match matrix.schema:
            case t.Columns(found):
                columns += [t.Column(None if c.name in taken else c.name, c.type) for c in found]
                taken |= {c.name for c in found if c.name is not None}
            case t.Uniform(count, element) if count.constant is not None and count.constant <= 1000:
                columns += [t.Column(None, element)] * int(count.constant)
            case _:
                checker.report(shapes.columns_without_number(node.span, "join₁", f"{matrix.width.show()} columns"))
                return None
    return t.Columns(tuple(columns))


#   Γ ⊢ e₁ : 𝕄[ℓ₁, c₁ | ★, … ∷ a : κ ∷ …] ; Σ₁      Γ ⊢ e₂ : 𝕄[ℓ₂, c₂ | r, … ∷ a : κ ∷ …] ; Σ₂      sep(κ) ≥ 1
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ joinDF₁⧼a⧽[e₁, e₂] : 𝕄[L∞, U | ★, …₁ ∷ …₂] ; Σ₁ ⊞ ∞⊙Σ₂                  from fixed m: 2⊙Σ₁
#
#   the same      κ is plain      Γ ⊢ k : ℕ[k]      1 ≤ k
#   ─────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ joinDF[k]⧼a⧽[e₁, e₂] : 𝕄[L∞, U | ★, …₁ ∷ …₂] ; k⊙Σ₁ ⊞ ∞⊙Σ₂             from fixed m: 2k⊙Σ₁
#
# `join₁` on the column of that name in both: each left row gives one row at most, or k, as it is joined with the k least of its
# partners. All partners would be as many as the right table has, so that no finite factor were true, and one person with many rows
# in both tables would decide whether a run has the memory and the time for all pairs.
def join_frames(checker: Checker, node: ast.FrameOp) -> Judged:
    *bound, written, also_written = node.args
    counted = [checker.judge(most) for most in bound]
    left = checker.judge(written)
    right = checker.judge(also_written)
    context = sum((each.context for each in counted), left.context + right.context)
    first = expect_matrix(checker, written, left, node.form)
    second = expect_matrix(checker, also_written, right, node.form)
    if first is None or second is None:
        return Judged(t.POISON, context)
    keys = [key_column(checker, node, matrix) for matrix in (first, second)]
    if keys[0] is None or keys[1] is None:
        return Judged(t.POISON, context)
    most = static_whole(checker, bound[0], counted[0], "the number of rows that a row is joined with") if bound else ONE
    if most is None:
        return Judged(t.POISON, context)
    if bound:
        checker.obligate(ONE, "≤", most, "k of joinDF is at least 1", bound[0].span)
        if not is_plain(keys[0]):
            return checker.refuse(selection.join_keys(node.span, keys[0], keys[1]), context)
    return joined(checker, node, (left, first, keys[0]), (right, second, keys[1]), most)
