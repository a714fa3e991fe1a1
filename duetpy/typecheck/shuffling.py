"""The privacy judgement for local reports that come out in a random order."""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.trampoline import Task, call
from duetpy.typecheck import cost as costs
from duetpy.typecheck import errors
from duetpy.typecheck import types as t
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.cost import Cost, Shuffled
from duetpy.typecheck.debts import owes
from duetpy.typecheck.judged import Charged, Judged, add_moved
from duetpy.typecheck.quantity import ONE, Quantity
from duetpy.typecheck.subtype import widen


#   Γ ⊢ n : ℕ[n]      Γ ⊢ e : 𝕄[L∞, c | n, σ] ; Σ      σ discrete      Γ, x : 𝕄[L∞, c | 1, σ] ⊢ p : τ ; Π
#   ───────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ shuffle[n] e { x ⇒ p } : 𝕄[L∞, U | n, 1⋅τ] ; n⋅(Π∖x) together with Shuffled(n, Π(x)), for a move of Σ rows
#
# Every row runs the same p, which sees that row alone, and the reports come out in a uniformly random order. Any two
# discrete rows are at most 1 apart, so Π(x) is what p spends between any two rows: it is a local randomizer. A row that is
# replaced changes one of n shuffled reports (Feldman–McMillan–Talwar 2023); what p captures is seen by all n runs.
def judge_shuffle(checker: Checker, node: ast.Sample) -> Task[Charged]:
    size = yield from call(checker.judge(node.size))
    tables: list[Judged] = []
    for written in node.tables:
        tables.append((yield from call(checker.judge(written))))
    matrix, count = _table(checker, node, tables), _count(checker, node, size)
    if matrix is None or matrix.rows is None or count is None:
        return Charged(t.POISON, {})
    checker.obligate(count, "≤", matrix.rows, "every row is shuffled", node.size.span)
    checker.obligate(matrix.rows, "≤", count, "every report is of one row", node.size.span)
    (name,) = (name.text for name in node.names)
    row = t.Matrix(matrix.norm, matrix.clip, ONE, matrix.schema)
    root = Root.fresh(name, separated=True)
    outer = checker.repeats
    checker.repeats = outer * matrix.rows
    with checker.scope.binding((name, Judged(row, Context.of(root)))):
        body = yield from call(checker.judge_private(node.body))
    checker.repeats = outer
    if owes(body.type, root):
        checker.report(errors.box_escapes(node.span, [name]))
        return Charged(t.POISON, {})
    spent: dict[Root, Cost] = {
        other: costs.repeat(matrix.rows, cost) for other, cost in body.costs.items() if other != root
    }
    report = body.cost(root)
    shuffled = report if isinstance(report, costs.Zero | costs.NonPrivate) else Shuffled(count, report)
    (table,) = tables
    moved = {source: costs.group(rows, shuffled) for source, rows in table.context.entries.items()}
    result = t.Matrix(Norm.LINF, None, matrix.rows, t.Uniform(ONE, widen(body.type)))
    return Charged(result, add_moved(spent, moved))


def _count(checker: Checker, node: ast.Sample, size: Judged) -> Quantity | None:
    match size.type:
        case t.StaticNat(count):
            return count
        case t.Poison():
            return None
        case other:
            checker.report(errors.needs_static_count(node.size.span, other))
            return None


def _table(checker: Checker, node: ast.Sample, tables: list[Judged]) -> t.Matrix | None:
    """The one table of which every row makes a report; None, told of, where its rows are no such thing."""
    if len(tables) != 1:
        checker.report(errors.unsupported(node.span, "shuffle over several tables"))
        return None
    span = node.tables[0].span
    match tables[0].type:
        case t.Poison():
            return None
        case t.Matrix() as matrix:
            pass
        case other:
            checker.report(errors.not_a_matrix(span, node.scheme, other))
            return None
    if matrix.rows is None:
        checker.report(errors.shuffle_of_unknown_rows(span))
        return None
    if not t.has_discrete_rows(matrix):
        checker.report(errors.shuffle_of_real_rows(span, matrix))
        return None
    return matrix
