"""The sensitivity judgement for ``flat``: the rows of all persons in one table, so many of each at most."""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import persons
from duetpy.typecheck import types as t
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.degrees import largest_degree
from duetpy.typecheck.errors import names, sensitivity, shapes
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import ONE, Quantity
from duetpy.typecheck.releasing import static_whole
from duetpy.typecheck.rows import expect_matrix, is_plain, row_type


#   Γ ⊢ e₁ : 𝕄[ℓ, c | ★, σ] ; Σ      Γ, p : one row ⊢ e₂ : 𝕄[ℓ′, c′ | ★, σ′] ; C in order      k : ℕ[k], 1 ≤ k
#   ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ flat[k] e₁ { p ⇒ e₂ } : 𝕄[L∞, U | ★, σ without blocks ⧺ σ′] ; k⊙Σ ⊞ ∞⊙(C∖p)          from fixed m: 2k⊙Σ
#
# Both tables count rows. The result is h(p) for every row p, with |h(p)| ≤ k: adding a row to e₁ adds at most k here. The rows
# that h keeps are those whose hash, taken with the cells of p and their place among its rows, is least: a function of p alone, as
# rows in order are. Replacing a row removes up to k rows and adds up to k others, so that their number moves by at most k.
def flatten(checker: Checker, node: ast.Flat) -> Judged:
    counted = checker.judge(node.most)
    source = checker.judge(node.arg)
    matrix = expect_matrix(checker, node.arg, source, "flat")
    type_: t.Type = t.POISON if matrix is None else row_type(matrix)
    row = Root.fresh(node.row.text, separated=t.is_separated(type_))
    with checker.scope.binding((node.row.text, Judged(type_, Context.of(row), degree=source.degree))):
        body = checker.judge(node.body)
    most = static_whole(checker, node.most, counted, "the number of rows of a person")
    captured = body.context.without(row)
    everything = source.context + captured + counted.context
    if most is None or matrix is None or isinstance(body.type, t.Poison):
        return Judged(t.POISON, everything)
    checker.obligate(ONE, "≤", most, "k of flat is at least 1", node.most.span)
    if not isinstance(body.type, t.Matrix) or body.type.rows is not None:
        return checker.refuse(shapes.flat_of_no_table(node.body.span, body.type), everything)
    if not persons.is_in_order(body):
        return checker.refuse(sensitivity.flat_in_no_order(node.body.span), everything)
    columns = _columns(checker, node, matrix, body.type)
    if columns is None:
        return Judged(t.POISON, everything)
    result = t.Matrix(Norm.LINF, None, None, t.Columns(columns))
    is_counted = t.counts_rows(matrix) if matrix.rows is None else t.replaces_rows(matrix)
    if not is_counted or not t.counts_rows(result):
        return checker.refuse(sensitivity.real_rows_of_unknown_number(node.span, "flat"), everything)
    clear = captured.unbounded()
    moved = source.context.scaled(most if matrix.rows is None else most * Quantity.of(2))
    persons_moved = source.count if source.count is not None and matrix.rows is None else source.context
    count = persons_moved.scaled(most) + clear
    return Judged(result, moved + clear, count=count, degree=largest_degree(source, body))


def _columns(checker: Checker, node: ast.Flat, matrix: t.Matrix, rows: t.Matrix) -> tuple[t.Column, ...] | None:
    """What a row of the result holds: the cells of the person, and then those of one row of theirs."""
    beside = _named(matrix)
    kept = tuple(at for at, column in enumerate(beside) if persons.block_in(column.type) is None)
    checker.annotations.places[node] = kept
    columns = (*(beside[at] for at in kept), *_named(rows))
    taken: set[str] = set()
    for at, column in enumerate(columns):
        if not is_plain(column.type):
            table, others = (node.arg, beside) if at < len(kept) else (node.body, _named(rows))
            checker.report(shapes.flat_of_cells(table.span, column, others))
            return None
        if column.name is not None and column.name in taken:
            checker.report(names.field_twice(node.span, column.name))
            return None
        taken.add(column.name or "")
    return columns


def _named(matrix: t.Matrix) -> tuple[t.Column, ...]:
    """The columns of a table, each with its name if it has one."""
    match matrix.schema:
        case t.Columns(columns):
            return columns
        case t.Uniform(count, element) if count.constant is not None and count.constant <= 1000:
            return (t.Column(None, element),) * int(count.constant)
        case _:
            return (t.Column(None, t.POISON),)
