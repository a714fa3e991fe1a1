"""The privacy judgement for local reports that come out in a random order."""

from __future__ import annotations

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.boxes import owes
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.cost import Cost, Shuffled
from duetpy.typecheck.errors import names, selection, shapes
from duetpy.typecheck.judgement import Charged, Judged, add_moved, paid_for_rows
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, Quantity
from duetpy.typecheck.releasing import static_whole
from duetpy.typecheck.rows import are_one_table, expect_matrix, roots_of_rows
from duetpy.typecheck.subtype import widen


#   Γ ⊢ n : ℕ[n]      Γ ⊢ eᵢ : 𝕄[L∞, cᵢ | n, σᵢ] ; Σᵢ      σᵢ discrete      Γ, xᵢ : 𝕄[L∞, cᵢ | 1, σᵢ] ⊢ p : τ ; Π
#   ───────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ shuffle[n] e₁, … { x₁, … ⇒ p } : 𝕄[L∞, U | n, 1⋅τ] ; n⋅(Π∖xᵢ) together with Shuffled(n, Π(x₁) together with …),
#                                                            for a move of Σᵢ rows of each eᵢ
#
# Every row runs the same p, which sees that row alone, and the reports come out in a uniformly random order. Any two
# discrete rows are at most 1 apart, so Π(x) is what p spends between any two rows: it is a local randomizer. A row that is
# replaced changes one of n shuffled reports (Feldman–McMillan–Talwar 2023); what p captures is seen by all n runs.
#
# A row of several tables is a row of each: the reports hide each other only by what p spends when all of it is another, also
# where one table alone moves. Where p does not protect all of it, or the notion does not price a random order, an input that
# moves some of the tables is charged for the reports in order. Tables whose rows are the rows of one input are one table.
def judge_shuffle(checker: Checker, node: ast.Sample) -> Charged:
    size = checker.judge(node.size)
    tables: list[Judged] = [checker.judge(written) for written in node.tables]
    matrices, count = _tables(checker, node, tables), static_whole(checker, node.size, size, "the number of reports")
    if matrices is None or count is None:
        return Charged(t.POISON, {})
    rows = matrices[0].rows
    assert rows is not None
    checker.obligate(count, "≤", rows, "every row is shuffled", node.size.span)
    checker.obligate(rows, "≤", count, "every report is of one row", node.size.span)
    binders = [name.text for name in node.names]
    as_one = are_one_table(tables)
    roots = roots_of_rows(binders, as_one)
    bindings = [
        (name, Judged(evolve(matrix, rows=ONE), Context.of(root), rows_of=root))
        for name, matrix, root in zip(binders, matrices, roots, strict=True)
    ]
    outer = checker.repeats
    checker.repeats = outer * rows
    with checker.scope.binding(*bindings):
        body = checker.judge_private(node.body)
    checker.repeats = outer
    if owes(body.type, *roots):
        checker.report(names.box_escapes(node.span, binders))
        return Charged(t.POISON, {})
    spent: dict[Root, Cost] = {
        other: costs.repeat(rows, cost) for other, cost in body.costs.items() if other not in roots
    }
    result = t.Matrix(Norm.LINF, None, rows, t.Uniform(ONE, widen(body.type)))
    moved = _reported(checker, tables, roots, body, count, as_one)
    return Charged(result, add_moved(spent, moved))


def _reported(
    checker: Checker, tables: list[Judged], roots: list[Root], body: Charged, count: Quantity, as_one: bool
) -> dict[Root, Cost]:
    """What the inputs are charged: a shuffled report for each row that they move."""
    # Every row has a run of its own, with choices of its own.
    report = costs.scattered(costs.together(body.cost(root) for root in dict.fromkeys(roots)))
    hides = not isinstance(report, costs.NonPrivate) and (len(set(roots)) == 1 or checker.notion is Notion.APPROX)
    seen = [costs.scattered(body.cost(root)) for root in roots]
    priced = [Shuffled(count, report) if hides and not isinstance(own, costs.Zero) else own for own in seen]
    return paid_for_rows(tables, priced, as_one)


def _tables(checker: Checker, node: ast.Sample, tables: list[Judged]) -> list[t.Matrix] | None:
    """The tables of which every row makes a report; None, with a diagnostic, if their rows cannot be shuffled."""
    matrices: list[t.Matrix] = []
    for written, judged in zip(node.tables, tables, strict=True):
        matrix = expect_matrix(checker, written, judged, node.scheme)
        if matrix is None:
            return None
        matrices.append(matrix)
        if matrix.rows is None:
            checker.report(selection.shuffle_of_unknown_rows(written.span))
            return None
        if not t.has_discrete_rows(matrix):
            checker.report(selection.shuffle_of_real_rows(written.span, matrix))
            return None
        if matrix.rows != matrices[0].rows:
            checker.report(shapes.shapes_differ(node.span, matrices[0], matrix))
            return None
    return matrices
