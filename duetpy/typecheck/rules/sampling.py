"""The privacy judgement for random samples of rows."""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.boxes import owes
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.cost import Cost, Sampled
from duetpy.typecheck.errors import names, selection, shapes
from duetpy.typecheck.judgement import Charged, Judged, add_moved, paid_for_rows
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, ZERO, Quantity
from duetpy.typecheck.releasing import static_value, static_whole
from duetpy.typecheck.rows import are_one_table, expect_matrix, roots_of_rows

JOINTLY = frozenset(notion for notion in Notion if notion.info.bounds_ratio)
"""The notions that price a sampled row of several tables which is another in all of them."""


#   Γ ⊢ b : ℕ[b]      Γ ⊢ eᵢ : 𝕄[L∞, c | m, n⋅𝔻] ; Σᵢ      b ≤ m      Γ, xᵢ : 𝕄[L∞, c | b, n⋅𝔻] ⊢ p : τ ; Π
#   ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ sample[b] e₁, e₂ { x₁, x₂ ⇒ p } : τ ; Π∖xᵢ together with, for a move of Σᵢ rows of each eᵢ, Π(xᵢ) or what
#                                              Π(x₁) together with Π(x₂) is at the rate b/m
#
# The same b row numbers are drawn without replacement from all tables (Balle–Barthe–Gaboardi 2018). Only discrete rows: a
# unit of distance must lie in one row. Tables whose rows are the rows of one input are one table.
#
# A row of several tables is a row of each: samples with it and without it hide each other by what p spends when all of it is
# replaced, also where only one table moves: p may release the number of the row that was drawn, from a table that holds it.
# If p does not protect all of it, or the notion has no price for that, the drawn rows are assumed known, and Π(xᵢ) is charged.
#
#   Γ ⊢ q : ℝ⁺[q]      q ≤ 1      Γ ⊢ e : 𝕄[ℓ, c | ★, σ] ; Σ      Γ, x : 𝕄[ℓ, c | ★, σ] ⊢ p : τ ; Π
#   ────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ poisson[q] e { x ⇒ p } : τ ; Π∖x together with Π(x) amplified at rate q under add/remove, for a move of Σ rows
#
# Several tables must be row-wise views of one input: its rows are kept or not, each with all its views. A fixed number of rows
# is refused: a replaced row is two steps of this relation, and `sample` has a lemma of its own for it.
def judge_sample(checker: Checker, node: ast.Sample) -> Charged:
    size = checker.judge(node.size)
    tables: list[Judged] = [checker.judge(table) for table in node.tables]
    as_one = are_one_table(tables)
    drawn = _drawn(checker, node, size, tables, as_one)
    if drawn is None:
        return Charged(t.POISON, {})
    rate, types = drawn
    binders = [name.text for name in node.names]
    roots = roots_of_rows(binders, as_one)
    has_rows = node.scheme == "sample" or as_one
    bindings = [
        (name, Judged(type_, Context.of(root), rows_of=root if has_rows else None))
        for name, type_, root in zip(binders, types, roots, strict=True)
    ]
    with checker.scope.binding(*bindings):
        body = checker.judge_private(node.body)
    if owes(body.type, *roots):
        checker.report(names.box_escapes(node.span, binders))
        return Charged(t.POISON, {})
    outside = {root: cost for root, cost in body.costs.items() if root not in roots}
    return Charged(body.type, add_moved(outside, _amplified(checker, node, tables, roots, body, rate, as_one)))


def _amplified(
    checker: Checker,
    node: ast.Sample,
    tables: list[Judged],
    roots: list[Root],
    body: Charged,
    rate: Quantity,
    as_one: bool,
) -> dict[Root, Cost]:
    """What the sampled inputs are charged for the rows that they move: what the body spends when a sampled row is another in every
    table, amplified; or what it spends of the table that moves, where it may tell which rows were drawn."""
    replaced = costs.together(body.cost(root) for root in dict.fromkeys(roots))
    seen = [root for root in dict.fromkeys(roots) if not isinstance(body.cost(root), costs.Zero)]
    hides = not isinstance(replaced, costs.NonPrivate) and (len(seen) < 2 or checker.notion in JOINTLY)
    own = [body.cost(root) for root in roots]
    priced = [
        Sampled(node.scheme, rate, replaced) if hides and not isinstance(cost, costs.Zero) else cost for cost in own
    ]
    return paid_for_rows(tables, priced, as_one)


def _drawn(
    checker: Checker, node: ast.Sample, size: Judged, tables: list[Judged], as_one: bool
) -> tuple[Quantity, list[t.Type]] | None:
    """The sampling rate and the types of the samples; None, with a diagnostic, if the tables cannot be sampled so."""
    matrices: list[t.Matrix] = []
    for written, judged in zip(node.tables, tables, strict=True):
        matrix = expect_matrix(checker, written, judged, node.scheme)
        if matrix is None:
            return None
        if not t.counts_rows(matrix):
            checker.report(selection.sample_of_real_rows(written.span, node.scheme, matrix))
            return None
        matrices.append(matrix)
    return (
        _poisson(checker, node, size, matrices, as_one)
        if node.scheme == "poisson"
        else _fixed(checker, node, size, matrices)
    )


def _fixed(
    checker: Checker, node: ast.Sample, size: Judged, matrices: list[t.Matrix]
) -> tuple[Quantity, list[t.Type]] | None:
    batch = static_whole(checker, node.size, size, "the number of sampled rows")
    if batch is None:
        return None
    rows = matrices[0].rows
    for matrix, written in zip(matrices, node.tables, strict=True):
        if matrix.rows is None:
            checker.report(selection.sample_of_unknown_rows(written.span))
            return None
        if not t.has_discrete_rows(matrix):
            checker.report(selection.sample_of_real_rows(written.span, node.scheme, matrix))
            return None
        if matrix.rows != rows:
            checker.report(shapes.shapes_differ(node.span, matrices[0], matrix))
            return None
    assert rows is not None
    checker.obligate(ONE, "≤", batch, "a batch has at least one row", node.size.span)
    checker.obligate(batch, "≤", rows, "a batch has at most all rows", node.size.span)
    return batch / rows, [t.Matrix(m.norm, m.clip, batch, m.schema) for m in matrices]


def _poisson(
    checker: Checker, node: ast.Sample, size: Judged, matrices: list[t.Matrix], as_one: bool
) -> tuple[Quantity, list[t.Type]] | None:
    rate = static_value(checker, node.size, size, "poisson", "the rate")
    if rate is None:
        return None
    checker.obligate(ZERO, "<", rate, "the rate of poisson is positive", node.size.span)
    checker.obligate(rate, "≤", ONE, "the rate of poisson is a probability", node.size.span)
    for matrix, written in zip(matrices, node.tables, strict=True):
        if matrix.rows is not None:
            checker.report(selection.poisson_of_fixed_rows(written.span))
            return None
    if len(matrices) > 1 and not as_one:
        checker.report(selection.poisson_of_strangers(node.span))
        return None
    return rate, list(matrices)
