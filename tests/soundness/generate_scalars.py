"""Random numbers, discrete values, naturals and truth values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duetpy.grammar import ast
from tests.soundness import generate_frames as frames
from tests.soundness import generate_matrices as matrices
from tests.soundness import generate_missing as missing
from tests.soundness import generate_readings as readings
from tests.soundness import generate_tables as tables
from tests.soundness import generate_uses as uses
from tests.soundness.shapes import DN, SPAN, B, Both, D, Either, N, R, Scope, Shape, prim, sets, written

if TYPE_CHECKING:
    from tests.soundness.generate import Maker


def real(maker: Maker, depth: int, scope: Scope) -> ast.SExp:
    def sub(shape: Shape = R) -> ast.SExp:
        return maker.of(shape, depth - 1, scope)

    return maker.pick(
        [
            (5, lambda: prim(maker.random.choice("+-"), sub(), sub())),
            (2, lambda: prim(maker.random.choice("⊔⊓"), sub(), sub())),
            (4, lambda: prim("⋅", maker.factor(), sub())),
            (1, lambda: prim("⋅", sub(), maker.factor())),
            (2, lambda: prim("/", sub(), maker.factor())),
            (3, lambda: maker.clipped(sub(maker.random.choice((R, D, D))))),
            (2, lambda: prim("real", sub(N))),
            (2, lambda: prim(maker.random.choice(("fst", "snd")), sub(Either()))),
            (1, lambda: prim(maker.random.choice(("fst", "snd")), sub(Both(R, R)))),
            (3, lambda: readings.summed(maker, depth, scope)),
            (2, lambda: readings.folded(maker, depth, scope)),
            (2, lambda: readings.picked(maker, depth, scope)),
            (3, lambda: readings.entry(maker, R, depth, scope)),
            (2, lambda: readings.zipped(maker, depth, scope)),
            (2, lambda: readings.by_columns(maker, depth, scope)),
            (2, lambda: readings.gradient(maker, depth, scope)),
            (2, lambda: tables.descended(maker, depth, scope)),
            (1, lambda: prim(maker.random.choice("√㏒"), sub())),
            (1, lambda: prim("⋅", sub(), sub())),
            (2, lambda: prim("⋅", maker.clipped(sub(maker.random.choice((R, D)))), maker.clipped(sub()))),
            (1, lambda: prim("/", sub(), maker.clipped(prim("dyn", maker.number())))),
            (1, lambda: prim("conv", sub(D))),
            (1, lambda: prim("dyn", sub())),
            (1, lambda: prim("/", sub(), sub())),
            (
                1,
                lambda: prim(
                    maker.random.choice(("sign", "floor", "ceil", "round", "exp", "abs", "abs", "tanh", "tanh")), sub()
                ),
            ),
            (2, lambda: tables.counted(maker, depth, scope)),
            (2, lambda: uses.scaled(maker, depth, scope)),
            (2, lambda: uses.higher(maker, depth, scope)),
            (2, lambda: uses.rows_as_unknown(maker, depth, scope)),
            (2, lambda: tables.batched(maker, depth, scope)),
            (2, lambda: tables.of_frame(maker, depth, scope)),
            (2, lambda: frames.of_records(maker, depth, scope)),
            (1, lambda: frames.of_record(maker, depth, scope)),
            (1, lambda: prim("+", sub(), maker.number())),
        ]
    )


def discrete(maker: Maker, depth: int, scope: Scope) -> ast.SExp:
    def sub(shape: Shape = D) -> ast.SExp:
        return maker.of(shape, depth - 1, scope)

    return maker.pick(
        [
            (3, lambda: prim(maker.random.choice("+-⋅/⊔⊓"), sub(), sub())),
            (2, lambda: prim("⋅", maker.factor(), sub())),
            (4, lambda: readings.entry(maker, D, depth, scope)),
            (
                1,
                lambda: prim(
                    maker.random.choice(("√", "㏒", "sign", "floor", "ceil", "round", "exp", "abs", "tanh")), sub()
                ),
            ),
            (1, lambda: prim("real", prim("disc", sub(N)))),
            (1, lambda: prim("disc", sub(R))),
            (1, lambda: discretised(maker, depth, scope)),
            (3, lambda: tables.field(maker, depth, scope)),
            (2, lambda: missing.replaced(maker, depth, scope)),
            (1, lambda: prim("+", sub(), prim("disc", maker.number()))),
        ]
    )


def discretised(maker: Maker, depth: int, scope: Scope) -> ast.SExp:
    name = f"p{next(maker.fresh)}"
    inner = maker.random.choice((D, N, R))
    body = maker.of(R, depth - 1, (*scope, (name, inner)))
    function = ast.Lam(SPAN, (), (ast.Param(SPAN, ast.Name(SPAN, name), written(inner)),), body)
    return ast.App(SPAN, prim("discf", function), maker.of(inner, depth - 1, scope))


def counted(maker: Maker, depth: int, scope: Scope) -> ast.SExp:
    def sub(shape: Shape = N) -> ast.SExp:
        return maker.of(shape, depth - 1, scope)

    return maker.pick(
        [
            (4, lambda: prim(maker.random.choice("+-"), sub(), sub())),
            (2, lambda: prim(maker.random.choice("⊔⊓"), sub(), sub())),
            (2, lambda: prim("⋅", ast.NatLit(SPAN, maker.random.randint(1, 4)), sub())),
            (1, lambda: prim("%", sub(), ast.NatLit(SPAN, maker.random.randint(1, 5)))),
            (3, lambda: row_count(maker, depth, scope)),
            (1, lambda: tables.size(maker, depth, scope)),
            (2, lambda: tables.joined_count(maker, depth, scope)),
            (2, lambda: frames.parts(maker, depth, scope)),
            (2, lambda: frames.joined_frames(maker, depth, scope)),
            (1, lambda: prim("conv", sub(DN))),
            (1, lambda: prim("-", sub(), maker.natural())),
            (1, lambda: prim("+", sub(), maker.natural())),
        ]
    )


def row_count(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    grid = maker.some_grid(scope)
    if grid is None:
        return None
    if grid.rows is None:
        return prim("rows", maker.of(grid, depth - 1, scope))
    if grid.element != D:
        return None
    return prim("rows", matrices.filtered(maker, grid, depth, scope))


def truth(maker: Maker, depth: int, scope: Scope) -> ast.SExp:
    def sub(shape: Shape) -> ast.SExp:
        return maker.of(shape, depth - 1, scope)

    return maker.pick(
        [
            (4, lambda: prim(maker.random.choice("<≤≡"), sub(D), sub(D))),
            (3, lambda: prim(maker.random.choice("<≤≡"), sub(N), sub(N))),
            (2, lambda: prim(maker.random.choice("∧∨"), sub(B), sub(B))),
            (2, lambda: prim(maker.random.choice("<≤≡"), sub(DN), sub(DN))),
            (2, lambda: readings.picked(maker, depth, scope, B)),
            (2, lambda: missing.is_missing(maker, depth, scope)),
            (1, lambda: missing.same(maker, depth, scope)),
            (1, lambda: prim("∈", sub(N), ast.SetLit(SPAN, (sub(N), maker.natural())))),
            (1, lambda: prim("∈", sub(N), prim("unionAll", sets(ast.SetLit(SPAN, (sub(N),)), sub(N))))),
            (1, lambda: prim(maker.random.choice("<≤≡"), sub(R), sub(R))),
            (1, lambda: prim("<", sub(D), prim("disc", maker.number()))),
        ]
    )
