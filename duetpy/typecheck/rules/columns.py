"""The sensitivity judgement for forms that look at columns, at batches of rows, and at two tables: mmap-col, chunks, zip."""

from __future__ import annotations

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import Element
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import EMPTY, Context, Root
from duetpy.typecheck.degrees import largest_degree
from duetpy.typecheck.errors import selection, sensitivity, shapes
from duetpy.typecheck.judgement import Judged, degree_of
from duetpy.typecheck.quantity import ONE, Quantity
from duetpy.typecheck.rows import column_type, judge_with_parts, no_escape
from duetpy.typecheck.subtype import widen


def column_factor(matrix: t.Matrix) -> Quantity:
    """By how much the columns' distances can exceed the matrix's, added up over all columns: 1 in L1, √n in L2, n in L∞.

    A row's move, added up over its entries, is at most that factor times its norm, and both sides add over rows. Where ★
    rows are counted, adding a row adds an entry to every column, whatever the norm.
    """
    if matrix.rows is None and not isinstance(matrix.element, t.Real):
        return matrix.width
    return t.norm_factor(matrix.norm, Norm.L1, matrix.width)


#   Γ ⊢ eᵢ : 𝕄[ℓᵢ, cᵢ | mᵢ, n⋅τᵢ] ; Σᵢ      Γ, xᵢ : 𝕄[ℓᵢ, cᵢ | mᵢ, 1⋅τᵢ] ⊢ e : τ ; sᵢ⋅xᵢ ⊞ C      τ a number
#   ──────────────────────────────────────────────────────────────────────────────────────────────────────
#   Γ ⊢ mmap-col e₁, … { x₁, … ⇒ e } : 𝕄[L∞, U | 1, n⋅τ] ; sᵢ⊙Σᵢ ⊞ C
#
#   the same with e : 𝕄[ℓ, c | k, 1⋅τ], result 𝕄[ℓ, L∞≤b if c | k, n⋅τ] ; (sᵢ⋅fᵢ)⊙Σᵢ ⊞ n⊙C,      fᵢ = 1, √n, n by ℓᵢ
#
# A column is never further than its matrix; a row of numbers in L∞ moves by the largest of them. A matrix of columns moves
# by no more than the columns' moves added up. Rows of the result mix rows of the columns, so only an L∞ bound survives.
def map_columns(checker: Checker, node: ast.Map) -> Judged:
    sources: list[Judged] = []
    matrices: list[t.Matrix] = []
    for argument in node.args:
        judged = checker.judge(argument)
        sources.append(judged)
        if isinstance(judged.type, t.Matrix) and judged.type.element is not None:
            matrices.append(judged.type)
        elif isinstance(judged.type, t.Matrix):
            checker.report(shapes.mixed_columns(argument.span, node.form, judged.type))
        elif not isinstance(judged.type, t.Poison):
            checker.report(shapes.not_a_matrix(argument.span, node.form, judged.type))
    fits = len(matrices) == len(sources)
    types: list[t.Type] = [column_type(matrix) for matrix in matrices] if fits else [t.POISON] * len(sources)
    body, roots = judge_with_parts(checker, node.body, node.names, types, sources)
    together = body.context.without(*roots)
    for source in sources:
        together = together + source.context
    if not fits or isinstance(body.type, t.Poison):
        return Judged(t.POISON, together)
    if isinstance(no_escape(checker, node.body, body, *roots).type, t.Poison):
        return Judged(t.POISON, together)
    width = matrices[0].width
    if any(matrix.width != width for matrix in matrices):
        return checker.refuse(shapes.shapes_differ(node.span, matrices[0], matrices[1]), together)
    return _gathered(checker, node, sources, matrices, roots, body, width)


def _gathered(
    checker: Checker,
    node: ast.Map,
    sources: list[Judged],
    matrices: list[t.Matrix],
    roots: list[Root],
    body: Judged,
    width: Quantity,
) -> Judged:
    captured = body.context.without(*roots)
    context = EMPTY
    checker.annotations.elements[node] = Element(is_cell=False, gives_rows=isinstance(body.type, t.Matrix))
    match body.type:
        case t.Matrix(norm, clip, rows, _) if rows is not None and body.type.width == ONE:
            for source, matrix, root in zip(sources, matrices, roots, strict=True):
                context = context + source.context.scaled(body.context[root] * column_factor(matrix))
            kept = None if clip is None else t.Clip(Norm.LINF, clip.bound)
            element = body.type.element or t.POISON
            result = t.Matrix(norm, kept, rows, t.Uniform(width, element))
            return Judged(result, context + captured.scaled(width), degree=degree_of(body))
        case t.Matrix():
            return checker.refuse(selection.column_body(node.body.span, body.type), captured)
        case scalar:
            for source, root in zip(sources, roots, strict=True):
                context = context + source.context.scaled(body.context[root])
            result = t.Matrix(Norm.LINF, None, ONE, t.Uniform(width, widen(scalar)))
            return Judged(result, context + captured, degree=degree_of(body))


#   Γ ⊢ b : ℕ[b]      Γ ⊢ eᵢ : 𝕄[ℓᵢ, cᵢ | m, σᵢ] ; Σᵢ      b ∣ m
#   ─────────────────────────────────────────────────────────────────────────────────      a row lies in one batch;
#   Γ ⊢ chunks[b, e₁] : 𝕄[L∞, U | m/b, 𝕄[ℓ₁, c₁ | b, σ₁] ∷ []] ; Σ₁                       fixed m only
#   Γ ⊢ chunks[b, e₁, e₂] : 𝕄[L∞, U | m/b, (… × …) ∷ []] ; Σ₁ ⊞ Σ₂          row-wise views of one input as in zip
def chunks(checker: Checker, node: ast.Prim, args: list[Judged]) -> Judged:
    size, tables = args[0], args[1:]
    together = EMPTY
    for table in tables:
        together = together + table.context
    if not isinstance(size.type, t.StaticNat):
        return checker.refuse(
            shapes.needs_static_count(node.args[0].span, size.type, "the number of rows of a chunk"), together
        )
    batch = size.type.value
    parts: list[t.Type] = []
    rows: Quantity | None = None
    for written, table in zip(node.args[1:], tables, strict=True):
        if not isinstance(table.type, t.Matrix):
            return checker.refuse(shapes.not_a_matrix(written.span, "chunks", table.type), together)
        if table.type.rows is None:
            return checker.refuse(sensitivity.aligns_unknown_rows(node.span, "chunks"), together)
        if rows is not None and table.type.rows != rows:
            return checker.refuse(selection.chunk_rows_differ(node.span), together)
        rows = table.type.rows
        parts.append(evolve(table.type, rows=batch))
    assert rows is not None
    checker.obligate(ONE, "≤", batch, "a batch has at least one row", node.args[0].span)
    checker.obligate(batch, "∣", rows, "every batch is full", node.args[0].span)
    element, context = parts[0], together
    if len(parts) == 2:
        element, context, _ = paired(tables, parts[0], parts[1])
    result = t.Matrix(Norm.LINF, None, rows / batch, t.Columns((t.Column(None, element),)))
    return Judged(result, context, degree=largest_degree(*tables))


def paired(tables: list[Judged], left: t.Type, right: t.Type) -> tuple[t.Type, Context, Root | None]:
    """Two tables side by side: the type of a pair, how far the pairs move in all, and the input whose rows they are.

    In τ₁ × τ₂ the moves of both tables add up. Two row-wise views of one input move in the same rows, each by no more than
    its own sensitivity: in τ₁ & τ₂ the larger of the two counts, for that input.
    """
    first, second = tables
    unit = first.rows_of
    if unit is None or unit != second.rows_of:
        return t.Product(left, right), first.context + second.context, None
    together = first.context.only(unit).join(second.context.only(unit))
    rest = first.context.without(unit) + second.context.without(unit)
    return t.With(left, right), rest + together, unit


#   Γ ⊢ e₁ : 𝕄[ℓ₁, c₁ | m, σ₁] ; Σ₁      Γ ⊢ e₂ : 𝕄[ℓ₂, c₂ | m, σ₂] ; Σ₂
#   ────────────────────────────────────────────────────────────────────────────────────────────      fixed m only:
#   Γ ⊢ zip[e₁, e₂] : 𝕄[L∞, U | m, (𝕄[ℓ₁, c₁ | 1, σ₁] × 𝕄[ℓ₂, c₂ | 1, σ₂]) ∷ []] ; Σ₁ ⊞ Σ₂           removing a row shifts all
#
# Where both are row-wise views of one input u, the pairs are of &, and u counts by the larger of Σ₁(u) and Σ₂(u).
def side_by_side(checker: Checker, node: ast.Prim, args: list[Judged]) -> Judged:
    together = args[0].context + args[1].context
    matrices: list[t.Matrix] = []
    for argument, judged in zip(node.args, args, strict=True):
        if not isinstance(judged.type, t.Matrix):
            return checker.refuse(shapes.not_a_matrix(argument.span, "zip", judged.type), together)
        matrices.append(judged.type)
    left, right = matrices
    if left.rows is None or right.rows is None:
        return checker.refuse(sensitivity.aligns_unknown_rows(node.span, "zip"), together)
    if left.rows != right.rows:
        return checker.refuse(shapes.shapes_differ(node.span, left, right), together)
    pair, context, unit = paired(args, evolve(left, rows=ONE), evolve(right, rows=ONE))
    result = t.Matrix(Norm.LINF, None, left.rows, t.Columns((t.Column(None, pair),)))
    return Judged(result, context, rows_of=unit, degree=largest_degree(*args))
