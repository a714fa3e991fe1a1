"""Random values that may be missing, and uses of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duetpy.grammar import ast
from tests.soundness.shapes import MD, MR, SPAN, B, D, R, Scalar, Scope, Shape, prim, written

if TYPE_CHECKING:
    from tests.soundness.generate import Maker

HELD = {MD: D, MR: R}
"""The shape of a value that is not missing."""


def nothing(shape: Scalar) -> ast.SExp:
    return ast.Nothing(SPAN, written(HELD[shape]))


def value(maker: Maker, shape: Scalar, depth: int, scope: Scope) -> ast.SExp:
    """A value that may be missing."""

    def sub(inner: Shape) -> ast.SExp:
        return maker.of(inner, depth - 1, scope)

    return maker.pick(
        [
            (3, lambda: maker.leaf(shape, scope)),
            (2, lambda: stood_in(maker, shape, sub(HELD[shape]))),
            (2, lambda: ast.If(SPAN, sub(B), sub(shape), sub(shape))),
            (2, lambda: prim("or-else", sub(maker.random.choice((MD, MR))), sub(MD)) if shape == MD else None),
            (1, lambda: ast.If(SPAN, sub(B), sub(D), nothing(MD)) if shape == MD else None),
            (1, lambda: nothing(shape)),
        ]
    )


def stood_in(maker: Maker, shape: Scalar, held: ast.SExp) -> ast.SExp:
    """A value in the place of one that may be missing: a function takes it for one."""
    name = f"m{next(maker.fresh)}"
    param = ast.Param(SPAN, ast.Name(SPAN, name), written(shape))
    return ast.App(SPAN, ast.Lam(SPAN, (), (param,), ast.Var(SPAN, name)), held)


def replaced(maker: Maker, depth: int, scope: Scope) -> ast.SExp:
    """A value, or another one where it is missing."""
    default = maker.of(D, depth - 1, scope) if maker.random.random() < 0.7 else maker.number()
    return prim("or-else", maker.of(maker.random.choice((MD, MR)), depth - 1, scope), default)


def is_missing(maker: Maker, depth: int, scope: Scope) -> ast.SExp:
    return prim("is-missing", maker.of(maker.random.choice((MD, MR)), depth - 1, scope))


def same(maker: Maker, depth: int, scope: Scope) -> ast.SExp:
    return prim("≡", maker.of(MD, depth - 1, scope), maker.of(MD, depth - 1, scope))


def by_case(maker: Maker, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
    """Something for a value, and something else for none."""
    kind = maker.random.choice((MD, MR))
    name = f"k{next(maker.fresh)}"
    chosen = maker.of(kind, depth - 1, scope)
    there = maker.of(shape, depth - 1, (*scope, (name, HELD[kind])))
    return ast.CaseMissing(SPAN, chosen, ast.Name(SPAN, name), there, maker.of(shape, depth - 1, scope))


def cell(maker: Maker, row: ast.SExp) -> ast.SExp:
    """A number of a row of a frame: one that is always there, or one that is replaced where it is missing."""
    choice = maker.random.random()
    if choice < 0.5:
        return ast.FieldOf(SPAN, row, ast.Name(SPAN, "age"))
    weight = ast.FieldOf(SPAN, row, ast.Name(SPAN, "weight"))
    if choice < 0.8:
        return prim("or-else", weight, maker.number())
    name = f"k{next(maker.fresh)}"
    found = prim("⋅", ast.Var(SPAN, name), maker.factor())
    return ast.CaseMissing(SPAN, weight, ast.Name(SPAN, name), found, prim("disc", maker.number()))


def in_range(maker: Maker, row: ast.SExp, *, has_number: bool) -> ast.SExp:
    """A number of a row of a frame, or of some of its columns, whose type says between which numbers it lies."""
    age = ast.FieldOf(SPAN, row, ast.Name(SPAN, "age"))
    if maker.random.random() < 0.5:
        return age
    weight = ast.FieldOf(SPAN, row, ast.Name(SPAN, "weight"))
    known = prim("or-else", weight, maker.number())
    is_first = prim("≡", ast.FieldOf(SPAN, row, ast.Name(SPAN, "number")), prim("disc", ast.NatLit(SPAN, 1)))
    return ast.If(SPAN, is_first, age, known) if has_number and maker.random.random() < 0.5 else known


def kept(maker: Maker, row: ast.SExp) -> ast.SExp:
    """Whether a row of a frame is kept."""
    missing = prim("is-missing", ast.FieldOf(SPAN, row, ast.Name(SPAN, "weight")))
    return missing if maker.random.random() < 0.5 else prim("≡", missing, ast.BoolLit(SPAN, False))
