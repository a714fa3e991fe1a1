"""Random privacy programs: releases of random sensitivity expressions, combined in every form that has a replay."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction

from attrs import evolve, frozen

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck.cost import Notion
from tests.soundness.generate import SPAN, D, Grid, Maker, N, R, Scope, Shape, prim, written

PRICES = tuple(map(Fraction, ("1", "2", "0.5")))
DEPTH = 2


@frozen(eq=False)
class PrivateMaker:
    """Makes privacy expressions that release a number.

    Parameters
    ----------
    maker
        Makes the expressions inside.
    notion
        Pure ε or zCDP, which says whether noise is Laplace or Gaussian.
    """

    maker: Maker
    notion: Notion

    @property
    def random(self) -> random.Random:
        return self.maker.random

    def price(self) -> ast.SExp:
        return ast.RealLit(SPAN, self.random.choice(PRICES))

    def noise(self, scope: Scope) -> ast.PExp:
        """A release with the inferred sensitivity, of everything or of some names."""
        name = "laplace" if self.notion is Notion.PURE else "gauss"
        body = self.maker.of(R, DEPTH, scope)
        if self.random.random() < 0.4:
            body = self.maker.clipped(self.maker.of(self.random.choice((R, D)), DEPTH, scope))
        return ast.Mechanism(SPAN, name, (None, self.price()), None, None, None, body)

    def of(self, depth: int, scope: Scope) -> ast.PExp:
        if depth <= 0:
            return self.noise(scope) if self.random.random() < 0.85 else self.returned()
        options: Sequence[tuple[int, Callable[[], ast.PExp | None]]] = [
            (3, lambda: self.noise(scope)),
            (5, lambda: self.bind(depth, scope)),
            (2, lambda: self.let(depth, scope)),
            (2, lambda: self.boxed(depth, scope)),
            (2, lambda: self.let_pair(depth, scope)),
            (2, lambda: self.choice(depth, scope)),
            (2, lambda: self.loop(depth, scope)),
            (4, lambda: self.called(depth, scope)),
            (2, lambda: self.parallel(depth, scope)),
            (2, lambda: self.runs(depth, scope)),
            (2, lambda: self.columns(depth, scope)),
        ]
        weights = [weight for weight, _ in options]
        for _ in range(6):
            _, produce = self.random.choices(options, weights)[0]
            made = produce()
            if made is not None:
                return made
        return self.noise(scope)

    def returned(self) -> ast.PExp:
        return ast.Return(SPAN, self.maker.number())

    def name(self, stem: str) -> str:
        return f"{stem}{next(self.maker.fresh)}"

    def bind(self, depth: int, scope: Scope) -> ast.PExp:
        name = self.name("u")
        first = self.of(depth - 1, scope)
        return ast.Bind(SPAN, ast.Name(SPAN, name), first, self.of(depth - 1, (*scope, (name, R))))

    def let(self, depth: int, scope: Scope) -> ast.PExp:
        shape = self.maker.any_shape(scope)
        name = self.name("v")
        value = self.maker.of(shape, DEPTH, scope)
        return ast.PLet(SPAN, ast.Name(SPAN, name), value, self.of(depth - 1, (*scope, (name, shape))))

    def boxed(self, depth: int, scope: Scope) -> ast.PExp:
        """A value in a box, which is opened under another name: maybe after it went through a return."""
        box, name = self.name("b"), self.name("v")
        value = prim("box", self.maker.of(R, DEPTH, scope))
        opened = ast.PLet(
            SPAN, ast.Name(SPAN, name), prim("unbox", ast.Var(SPAN, box)), self.of(depth - 1, (*scope, (name, R)))
        )
        if self.random.random() < 0.5:
            return ast.Bind(SPAN, ast.Name(SPAN, box), ast.Return(SPAN, value), opened)
        return ast.PLet(SPAN, ast.Name(SPAN, box), value, opened)

    def let_pair(self, depth: int, scope: Scope) -> ast.PExp:
        left, right, pair = self.name("l"), self.name("r"), self.name("q")
        value = ast.Pair(SPAN, self.maker.of(R, DEPTH, scope), self.maker.of(N, DEPTH, scope))
        inside = (*scope, (left, R), (right, N))
        body = ast.PLetPair(
            SPAN, ast.Name(SPAN, left), ast.Name(SPAN, right), ast.Var(SPAN, pair), self.of(depth - 1, inside)
        )
        return ast.PLet(SPAN, ast.Name(SPAN, pair), value, body)

    def choice(self, depth: int, scope: Scope) -> ast.PExp:
        """A choice by what was released."""
        name = self.name("u")
        guard = prim("<", ast.Var(SPAN, name), self.maker.number())
        branches = ast.PIf(SPAN, guard, self.of(depth - 1, scope), self.of(depth - 1, scope))
        return ast.Bind(SPAN, ast.Name(SPAN, name), self.noise(scope), branches)

    def loop(self, depth: int, scope: Scope) -> ast.PExp:
        index, state = self.name("i"), self.name("s")
        turns = ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(self.random.randint(1, 3)), False))
        body = self.of(depth - 1, (*scope, (index, N), (state, R)))
        return ast.PLoop(
            SPAN, None, turns, self.maker.number(), None, ast.Name(SPAN, index), ast.Name(SPAN, state), body
        )

    def called(self, depth: int, scope: Scope) -> ast.PExp:
        """A function of one or two parameters, given what may depend on the same inputs."""
        shapes: list[Shape] = [self.random.choice([R, R, N, D]) for _ in range(self.random.choice((1, 2, 2)))]
        names = [self.name("p") for _ in shapes]
        params = tuple(
            ast.Param(SPAN, ast.Name(SPAN, name), written(shape)) for name, shape in zip(names, shapes, strict=True)
        )
        function = ast.PLam(SPAN, (), params, self.of(depth - 1, tuple(zip(names, shapes, strict=True))))
        arguments = tuple(self.maker.of(shape, DEPTH, scope) for shape in shapes)
        return ast.PApp(SPAN, function, (), arguments)

    def table(self, scope: Scope, star: bool) -> Grid | None:
        known = [s for _, s in scope if isinstance(s, Grid) and (s.rows is None) == star and s.element == D]
        return self.random.choice(known) if known else None

    def parallel(self, depth: int, scope: Scope) -> ast.PExp | None:
        grid = self.table(scope, self.random.random() < 0.5)
        if grid is None:
            return None
        row, key, part = self.name("row"), self.name("k"), self.name("t")
        source = self.maker.of(grid, DEPTH - 1, scope)
        if grid.rows is not None and self.random.random() < 0.5 and grid.norm is Norm.LINF:
            source = self.maker.filtered(grid, DEPTH, scope)
        keys = ast.SetLit(SPAN, tuple(prim("disc", ast.RealLit(SPAN, Fraction(k))) for k in (0, 1, 3)))
        key_of = ast.Index(SPAN, ast.Var(SPAN, row), ast.NatLit(SPAN, 0), ast.NatLit(SPAN, 0))
        body = self.of(depth - 1, ((part, evolve(grid, rows=None)), (key, D)))
        parts = ast.Parallel(
            SPAN, source, keys, ast.Name(SPAN, row), key_of, ast.Name(SPAN, key), ast.Name(SPAN, part), body
        )
        return ast.Bind(SPAN, ast.Name(SPAN, self.name("all")), parts, self.returned())

    def runs(self, depth: int, scope: Scope) -> ast.PExp | None:
        """A run for every entry."""
        known = [shape for _, shape in scope if isinstance(shape, Grid) and isinstance(shape.rows, int)]
        if not known:
            return None
        grid = self.random.choice(known)
        name = self.name("e")
        inside = (*scope, (name, grid.element)) if self.random.random() < 0.4 else ((name, grid.element),)
        body = self.of(depth - 1, inside)
        made = ast.PMap(SPAN, "mmapp", self.maker.of(grid, DEPTH - 1, scope), ast.Name(SPAN, name), body)
        return ast.Bind(SPAN, ast.Name(SPAN, self.name("all")), made, self.returned())

    def columns(self, depth: int, scope: Scope) -> ast.PExp | None:
        grid = self.table(scope, star=False)
        if grid is None or grid.norm is not Norm.LINF:
            return None
        name = self.name("col")
        column = (name, evolve(grid, width=1))
        inside = (*scope, column) if self.random.random() < 0.4 else (column,)
        body = self.of(depth - 1, inside)
        made = ast.PMap(SPAN, "pmap-col", self.maker.of(grid, DEPTH - 1, scope), ast.Name(SPAN, name), body)
        return ast.Bind(SPAN, ast.Name(SPAN, self.name("all")), made, self.returned())


def random_private_program(seed: int, notion: Notion, depth: int = 3) -> ast.File:
    """A privacy function of one to three parameters."""
    source = random.Random(seed)
    width, rows = source.randint(1, 2), source.randint(1, 3)
    choices: list[Shape] = [
        R,
        R,
        D,
        N,
        Grid(source.choice((Norm.L1, Norm.L2)), rows, width, R),
        Grid(Norm.LINF, rows, width, D),
        Grid(Norm.LINF, rows, width, D),
        Grid(Norm.LINF, None, width, D),
    ]
    scope: Scope = tuple((name, source.choice(choices)) for name in "xyz"[: source.randint(1, 3)])
    body = PrivateMaker(Maker(source), notion).of(depth, scope)
    params = tuple(ast.Param(SPAN, ast.Name(SPAN, name), written(shape)) for name, shape in scope)
    return ast.File(SPAN, None, (), (), ast.PLam(SPAN, (), params, body))
