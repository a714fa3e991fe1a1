"""Forms that fit any type: lets, branches, functions, boxes, cases and loops."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from duetpy.grammar import ast
from tests.soundness import generate_missing as missing
from tests.soundness import generate_uses as uses
from tests.soundness.shapes import (
    ANSWER,
    DN,
    MD,
    MR,
    SPAN,
    B,
    Both,
    D,
    Either,
    Frame,
    Grid,
    N,
    OneOf,
    R,
    Scope,
    Shape,
    prim,
    written,
)

if TYPE_CHECKING:
    from tests.soundness.generate import Maker


def bound(maker: Maker, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
    """Forms that fit any type: let, let-pair, if, functions, boxes, case, parts of pairs, loops."""
    return maker.pick(
        [
            (4, lambda: let(maker, shape, depth, scope)),
            (2, lambda: let_pair(maker, shape, depth, scope)),
            (2, lambda: choice(maker, shape, depth, scope)),
            (2, lambda: called(maker, shape, depth, scope)),
            (2, lambda: boxed(maker, shape, depth, scope)),
            (2, lambda: by_case(maker, shape, depth, scope)),
            (2, lambda: missing.by_case(maker, shape, depth, scope)),
            (2, lambda: looped(maker, shape, depth, scope)),
            (2, lambda: uses.of_any_type(maker, shape, depth, scope)),
            (2, lambda: uses.of_any_size(maker, shape, depth, scope)),
            (1, lambda: let(maker, shape, depth, scope)),
        ]
    )


def any_shape(maker: Maker, scope: Scope) -> Shape:
    known = [shape for _, shape in scope if not isinstance(shape, Frame) and shape != ANSWER]
    return maker.random.choice([R, R, D, N, B, DN, MD, Both(R, R), Either(), *known])


def let(maker: Maker, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
    inner = any_shape(maker, scope)
    name = maker.name("v")
    value = maker.of(inner, depth - 1, scope)
    return ast.Let(SPAN, ast.Name(SPAN, name), value, maker.of(shape, depth - 1, (*scope, (name, inner))))


def let_pair(maker: Maker, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
    pair = Both(maker.random.choice([R, D, N]), maker.random.choice([R, D, N]))
    left, right = maker.name("l"), maker.name("r")
    if left == right:
        right = f"{right}′"
    value = maker.of(pair, depth - 1, scope)
    inside = (*scope, (left, pair.left), (right, pair.right))
    body = maker.of(shape, depth - 1, inside)
    return ast.LetPair(SPAN, ast.Name(SPAN, left), ast.Name(SPAN, right), value, body)


def choice(maker: Maker, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
    guard, then, otherwise = [maker.of(sort, depth - 1, scope) for sort in (B, shape, shape)]
    match otherwise:
        case ast.Prim(name="disc", args=(ast.RealLit() as literal,)) if shape == D:
            # Next to a discrete number a literal is one by itself.
            otherwise = literal
    return ast.If(SPAN, guard, then, otherwise)


def called(maker: Maker, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
    """A function of one or two parameters, named or not, applied once or, where it can be, twice."""
    shapes = [maker.random.choice([R, D, N]) for _ in range(maker.random.choice((1, 1, 2)))]
    names = [f"p{next(maker.fresh)}" for _ in shapes]
    params = tuple(
        ast.Param(SPAN, ast.Name(SPAN, name), written(inner)) for name, inner in zip(names, shapes, strict=True)
    )
    body = maker.of(shape, depth - 1, (*scope, *zip(names, shapes, strict=True)))
    function: ast.SExp = ast.Lam(SPAN, (), params, body)
    name = f"f{next(maker.fresh)}"
    named = maker.random.random() < 0.6
    here: ast.SExp = ast.Var(SPAN, name) if named else function
    arguments = [maker.of(inner, depth - 1, scope) for inner in shapes]
    for argument in arguments:
        here = ast.App(SPAN, here, argument)
    if named and shapes == [shape] and maker.random.random() < 0.5:
        here = ast.App(SPAN, ast.Var(SPAN, name), here)
    return ast.Let(SPAN, ast.Name(SPAN, name), function, here) if named else here


def boxed(maker: Maker, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
    name = f"b{next(maker.fresh)}"
    value = prim("box", maker.of(shape, depth - 1, scope))
    opened = prim("unbox", ast.Var(SPAN, name))
    if shape == R and maker.random.random() < 0.5:
        opened = prim("+", opened, prim("unbox", ast.Var(SPAN, name)))
    return ast.Let(SPAN, ast.Name(SPAN, name), value, opened)


def by_case(maker: Maker, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
    left, right = f"i{next(maker.fresh)}", f"j{next(maker.fresh)}"
    return ast.Case(
        SPAN,
        maker.of(OneOf(), depth - 1, scope),
        ast.Name(SPAN, left),
        maker.of(shape, depth - 1, (*scope, (left, R))),
        ast.Name(SPAN, right),
        maker.of(shape, depth - 1, (*scope, (right, R))),
    )


def looped(maker: Maker, shape: Shape, depth: int, scope: Scope) -> ast.SExp | None:
    if shape in (B, MD, MR) or isinstance(shape, OneOf | Grid | Either):
        return None
    index, state = f"t{next(maker.fresh)}", maker.name("s")
    turns: ast.SExp = ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(maker.random.randint(0, 4)), False))
    if maker.random.random() < 0.25:
        turns = prim("⊓", maker.of(N, depth - 1, scope), ast.NatLit(SPAN, 4))
    init = maker.of(shape, depth - 1, scope)
    body = maker.of(shape, depth - 1, (*scope, (index, N), (state, shape)))
    return ast.Loop(SPAN, turns, init, ast.Name(SPAN, index), ast.Name(SPAN, state), body)
