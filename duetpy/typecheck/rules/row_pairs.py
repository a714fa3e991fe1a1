"""The sensitivity judgement for maps over the rows of two tables, side by side."""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import Element
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.errors import sensitivity, shapes
from duetpy.typecheck.judgement import Judged, degree_of
from duetpy.typecheck.quantity import ONE
from duetpy.typecheck.rows import expect_matrix, judge_with_parts, no_escape, row_type
from duetpy.typecheck.subtype import widen


#   Γ ⊢ e₁ : 𝕄[ℓ₁, c₁ | m, σ₁] ; Σ₁      Γ ⊢ e₂ : 𝕄[ℓ₂, c₂ | m, σ₂] ; Σ₂
#   Γ, x : 𝕄[ℓ₁, c₁ | 1, σ₁], y : 𝕄[ℓ₂, c₂ | 1, σ₂] ⊢ e₃ : 𝕄[ℓ, c | 1, k⋅τ] ; s⋅x ⊞ t⋅y ⊞ C      diameter D
#   ─────────────────────────────────────────────────────────────────────────────────────────      fixed m only: a row
#   Γ ⊢ mmap-row e₁, e₂ { x, y ⇒ e₃ } : 𝕄[ℓ, c | m, k⋅τ] ; s⊙Σ₁ ⊞ t⊙Σ₂ ⊞ m⊙C                       less shifts all
#   and at most D in a separated input whose rows are the rows of both e₁ and e₂
#
# Row i of the result moves by s times as far as row i of e₁ and t times as far as row i of e₂; sum over the rows. If both are
# row-wise views of one input, row i of the result is a function of row i of that input: where that row differs it is at
# least 1 away, and rows of the result are never more than D apart.
def map_two_rows(checker: Checker, node: ast.Map) -> Judged:
    sources: list[Judged] = []
    matrices: list[t.Matrix | None] = []
    for argument in node.args:
        source = checker.judge(argument)
        sources.append(source)
        matrices.append(expect_matrix(checker, argument, source, node.form))
    types = [t.POISON if matrix is None else row_type(matrix) for matrix in matrices]
    body, roots = judge_with_parts(checker, node.body, node.names, types, sources)
    body = no_escape(checker, node.body, body, *roots)
    captured = body.context.without(*roots)
    everything = sources[0].context + sources[1].context + captured
    left, right = matrices
    if left is None or right is None or isinstance(body.type, t.Poison):
        return Judged(t.POISON, everything)
    if left.rows is None or right.rows is None:
        return checker.refuse(sensitivity.aligns_unknown_rows(node.span, "mmap-row of two matrices"), everything)
    if left.rows != right.rows:
        return checker.refuse(shapes.shapes_differ(node.span, left, right), everything)
    checker.annotations.elements[node] = Element(is_cell=False, gives_rows=isinstance(body.type, t.Matrix))
    match body.type:
        case t.Matrix(norm, clip, rows, schema) if rows == ONE:
            result = t.Matrix(norm, clip, left.rows, schema)
        case t.Matrix():
            return checker.refuse(shapes.row_body_not_a_row(node.body.span, body.type), everything)
        case number:
            result = t.Matrix(Norm.LINF, None, left.rows, t.Uniform(ONE, widen(number)))
    moved = sources[0].context.scaled(body.context[roots[0]]) + sources[1].context.scaled(body.context[roots[1]])
    unit = sources[0].rows_of
    if unit is None or unit != sources[1].rows_of or captured.mentions(unit):
        return Judged(result, moved + captured.scaled(left.rows), degree=degree_of(body))
    own = moved.only(unit).capped(body.diameter())
    context = moved.without(unit) + own + captured.scaled(left.rows)
    return Judged(result, context, rows_of=unit, degree=degree_of(body))
