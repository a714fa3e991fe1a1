"""The sensitivity judgement for the product of two matrices."""

from __future__ import annotations

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.errors import sensitivity, shapes
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import INFINITY, Quantity
from duetpy.typecheck.rows import never_zero


@frozen(eq=False, repr=False)
class Factor(ByValue):
    """One side of a product.

    Parameters
    ----------
    matrix
        Its type.
    bound
        A norm and a bound on the rows in it; None where none is known.
    is_discrete
        Whether its numbers are under the discrete metric.
    """

    matrix: t.Matrix
    bound: t.Clip | None
    is_discrete: bool


#   Γ ⊢ e₁ : 𝕄[ℓ, c₁≤a | m, k⋅ℝ] ; Σ₁      Γ ⊢ e₂ : 𝕄[ℓ₂, c₂≤b | k, n⋅ℝ] ; Σ₂
#   ─────────────────────────────────────────────────────────────────────────────────      write c→ℓ for the least factor
#   Γ ⊢ e₁ × e₂ : 𝕄[ℓ, U | m, n⋅ℝ] ; (ℓ→L1)⋅(c₂→ℓ)⋅b⊙Σ₁ ⊞ m⋅a⋅(ℓ₂→ℓ)⊙Σ₂                   from one norm to the other
#
#   Γ ⊢ e₁ : 𝕄[_, _ | m, k⋅𝔻] ; Σ₁      Γ ⊢ e₂ : 𝕄[_, _ | k, n⋅𝔻] ; Σ₂
#   ─────────────────────────────────────────────────────────────────────
#   Γ ⊢ e₁ × e₂ : 𝕄[L∞, U | m, n⋅𝔻] ; Σ₁ ⊞ m⊙Σ₂
#
# A row r of e₁ makes the row Σⱼ rⱼ⋅(row j of e₂), so it moves by at most Σⱼ |δⱼ| times the longest row of e₂. Row j of e₂ is
# in all m rows, a⋅ times at most. A side without a bound on its rows is no Lipschitz constant for the other: ∞. With ★
# rows on the left the first factor is the same, and what is on the right is in an unknown number of rows: ∞. Discrete: one
# row that differs makes one row differ, and a row of e₂ all m. Where one side is real it is read as discrete, for ∞.
# A factor 0 on ★ rows counts as 1: the rows of the product are zeros then, but as many as the rows of e₁.
def judge_product(checker: Checker, node: ast.Prim, args: list[Judged]) -> Judged:
    together = args[0].context + args[1].context
    sides: list[Factor] = []
    for written, judged in zip(node.args, args, strict=True):
        if not isinstance(judged.type, t.Matrix):
            if isinstance(judged.type, t.SetOf):
                return checker.refuse(shapes.product_of_sets(written.span, judged.type), together)
            return checker.refuse(shapes.not_a_matrix(written.span, "×", judged.type), together)
        found = side(judged.type)
        if found is None:
            return checker.refuse(shapes.product_of_others(written.span, judged.type), together)
        sides.append(found)
    left, right = sides
    if right.matrix.rows is None:
        return checker.refuse(sensitivity.aligns_unknown_rows(node.span, "×"), together)
    if left.matrix.width != right.matrix.rows:
        return checker.refuse(shapes.product_shapes(node.span, left.matrix, right.matrix), together)
    if left.is_discrete or right.is_discrete:
        first = args[0].context if left.is_discrete else args[0].context.unbounded()
        second = args[1].context if right.is_discrete else args[1].context.unbounded()
        spread = INFINITY if left.matrix.rows is None else left.matrix.rows
        result = t.Matrix(Norm.LINF, None, left.matrix.rows, t.Uniform(right.matrix.width, t.DATA))
        context = first + second.scaled(spread)
    else:
        norm = left.matrix.norm
        on_left, on_right = stretches(left, right)
        if left.matrix.rows is None:
            on_left = never_zero(on_left)
        result = t.Matrix(norm, None, left.matrix.rows, t.Uniform(right.matrix.width, t.REAL))
        context = args[0].context.scaled(on_left) + args[1].context.scaled(on_right)
    unit = args[0].rows_of
    rows_of = None if unit is None or args[1].context.mentions(unit) else unit
    count = None if args[0].count is None else args[0].count + args[1].context.unbounded()
    return Judged(result, context, rows_of=rows_of, count=count)


def stretches(left: Factor, right: Factor) -> tuple[Quantity, Quantity]:
    """How far the product moves, for each step of the left side and for each of the right one."""
    norm, width = left.matrix.norm, right.matrix.width
    on_left = on_right = INFINITY
    if right.bound is not None:
        longest = t.norm_factor(right.bound.norm, norm, width) * right.bound.bound
        on_left = t.norm_factor(norm, Norm.L1, left.matrix.width) * longest
    if left.bound is not None and left.matrix.rows is not None:
        on_right = left.matrix.rows * left.bound.bound * t.norm_factor(right.matrix.norm, norm, width)
    return on_left, on_right


def side(matrix: t.Matrix) -> Factor | None:
    """A matrix as a side of a product; None where its entries are not numbers of one kind."""
    match matrix.element:
        case t.Real():
            return Factor(matrix, matrix.clip, is_discrete=False)
        case t.StaticReal(value) if matrix.rows is not None:
            return Factor(matrix, matrix.clip or t.Clip(Norm.LINF, value.magnitude), is_discrete=False)
        case t.Disc(t.Real() | t.Bounded()):
            return Factor(matrix, matrix.clip, is_discrete=True)
        case _:
            return None
