"""Random privacy programs: releases of random sensitivity expressions, combined in every form that has a replay."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction

from attrs import evolve, frozen

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck.notions import Notion
from tests.soundness import generate_missing as missing
from tests.soundness import generate_persons as persons
from tests.soundness.falsify import nodes
from tests.soundness.generate import PERSONS, Maker
from tests.soundness.generate_binding import any_shape
from tests.soundness.generate_matrices import filtered
from tests.soundness.generate_noise import canonical, gibbs, shuffled, whole_noise, wide_noise
from tests.soundness.shapes import (
    ANSWER,
    ANSWERS,
    MD,
    MR,
    SPAN,
    D,
    Grid,
    N,
    OneOf,
    R,
    Scalar,
    Scope,
    Shape,
    prim,
    written,
    written_rows,
)

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
        Pure ε, zCDP or GDP, which says whether noise is Laplace or Gaussian.
    """

    maker: Maker
    notion: Notion

    @property
    def random(self) -> random.Random:
        return self.maker.random

    def price(self) -> ast.SExp:
        return ast.RealLit(SPAN, self.random.choice(PRICES))

    def anchor(self, scope: Scope) -> ast.SExp:
        """A number that moves with one of the names in scope, by a bounded amount, where it is private."""
        shapes = dict(scope)
        name = self.random.choice(list(shapes))
        here = ast.Var(SPAN, name)
        match shapes[name]:
            case Scalar("ℝ"):
                return here
            case Scalar("𝔻"):
                return self.maker.clipped(here)
            case Scalar("ℕ" | "𝕀[3]"):
                return prim("real", here)
            case Scalar("𝔻?"):
                return self.maker.clipped(prim("or-else", here, self.maker.number()))
            case Grid(rows=None):
                return prim("real", prim("rows", here))
            case Grid(rows=rows, width=width) if rows is not None:
                row = self.random.randrange(rows) if isinstance(rows, int) else 0
                column = ast.NatLit(SPAN, self.random.randrange(width))
                return self.maker.clipped(ast.Index(SPAN, here, ast.NatLit(SPAN, row), column))
            case _:
                return self.maker.number()

    def number(self, scope: Scope) -> ast.SExp:
        """A number to be released."""
        choice = self.random.random()
        if choice < 0.35:
            return self.anchor(scope)
        if choice < 0.5:
            return prim("⋅", self.maker.factor(), self.anchor(scope))
        if choice < 0.65:
            return prim("+", self.anchor(scope), self.anchor(scope))
        made = prim(self.random.choice("+-"), self.anchor(scope), self.maker.of(R, DEPTH, scope))
        return self.maker.clipped(made) if choice < 0.8 else made

    def sensitivity(self) -> ast.SExp | None:
        """The inferred one, or one that is large."""
        return None if self.random.random() < 0.75 else ast.RealLit(SPAN, Fraction(self.random.choice((16, 64))))

    def listed(self, scope: Scope, body: ast.SExp) -> tuple[ast.Name, ...] | None:
        """Now and then only some of the names that the body mentions."""
        if self.random.random() < 0.85:
            return None
        mentioned = {node.name for node in nodes(body) if isinstance(node, ast.Var)}
        names = [name for name in dict(scope) if name in mentioned]
        return tuple(ast.Name(SPAN, name) for name in self.random.sample(names, 1)) if names else None

    def noise(self, scope: Scope) -> ast.PExp:
        """A release with the inferred sensitivity or a larger one, of everything or of some names."""
        gaussian = self.notion is Notion.GDP or (self.notion is Notion.ZCDP and self.random.random() < 0.8)
        if self.random.random() < 0.15:
            return self.noise_on_table(scope, "mgauss" if gaussian else "mlaplace")
        name = "gauss" if gaussian else "laplace"
        body = self.number(scope)
        params = (self.sensitivity(), self.price())
        return ast.Mechanism(SPAN, name, params, None, self.listed(scope, body), None, body)

    def scalar_noise(self, scope: Scope) -> ast.PExp:
        body = self.number(scope)
        return ast.Mechanism(SPAN, "laplace", (self.sensitivity(), self.price()), None, None, None, body)

    def noise_on_table(self, scope: Scope, name: str) -> ast.PExp:
        norm = Norm.L1 if name == "mlaplace" else self.random.choice((Norm.L1, Norm.L2))
        known = [shape.bare for _, shape in scope if isinstance(shape, Grid) and shape.rows is not None]
        anchored = [ast.Index(SPAN, ast.Var(SPAN, n), *[ast.NatLit(SPAN, 0)] * 2) for n, s in scope if s in known]
        grid = evolve(self.random.choice(known), norm=norm, element=R) if known else Grid(norm, 1, 2, R)
        i, j = self.name("i"), self.name("j")
        entry = self.maker.clipped(self.random.choice(anchored)) if anchored else self.anchor(scope)
        table: ast.SExp = ast.MCreate(
            SPAN,
            norm,
            self.maker.size(grid, scope),
            ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(grid.width), False)),
            ast.Name(SPAN, i),
            ast.Name(SPAN, j),
            prim("+", prim("real", ast.Var(SPAN, j)), entry),
        )
        if known and self.random.random() < 0.5:
            table = self.maker.of(grid, DEPTH, scope)
        made = ast.Mechanism(SPAN, name, (self.sensitivity(), self.price()), None, None, None, table)
        return ast.Bind(SPAN, ast.Name(SPAN, self.name("all")), made, self.returned())

    def selection(self, depth: int, scope: Scope) -> ast.PExp:
        """A choice between numbers by noisy scores."""
        i, j, binder = self.name("i"), self.name("j"), self.name("c")
        column = prim("real", ast.Var(SPAN, j))
        sizes = [ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(size), False)) for size in (1, 3)]
        candidates = ast.MCreate(SPAN, Norm.LINF, sizes[0], sizes[1], ast.Name(SPAN, i), ast.Name(SPAN, j), column)
        score = prim(self.random.choice("+-⊔"), self.number(scope), ast.Var(SPAN, binder))
        name = self.random.choice(("exponential", "noisy-max"))
        params = (self.sensitivity(), self.price())
        made = ast.Mechanism(SPAN, name, params, candidates, None, ast.Name(SPAN, binder), score)
        return ast.Bind(SPAN, ast.Name(SPAN, self.name("all")), made, self.returned())

    def threshold(self, depth: int, scope: Scope) -> ast.PExp:
        """The first of some queries above a threshold."""
        i, j, z = self.name("i"), self.name("j"), self.name("z")
        query = prim("-", ast.Var(SPAN, z), prim("real", ast.Var(SPAN, j)))
        sizes = [ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(size), False)) for size in (1, 3)]
        function = ast.Lam(SPAN, (), (ast.Param(SPAN, ast.Name(SPAN, z), written(R)),), query)
        queries = ast.MCreate(SPAN, Norm.L1, sizes[0], sizes[1], ast.Name(SPAN, i), ast.Name(SPAN, j), function)
        body = ast.Prim(SPAN, "⋅", (ast.RealLit(SPAN, Fraction(self.random.choice((1, 1, 2)), 20)), self.anchor(scope)))
        params = (self.price(), queries, self.maker.number())
        made = ast.Mechanism(SPAN, "AboveThreshold", params, None, None, None, body)
        return ast.Bind(SPAN, ast.Name(SPAN, self.name("all")), made, self.returned())

    def response(self, depth: int, scope: Scope) -> ast.PExp | None:
        known = [name for name, shape in scope if shape == ANSWER]
        if not known:
            return None
        params = (ast.NatLit(SPAN, ANSWERS), self.price())
        body = ast.Var(SPAN, self.random.choice(known))
        made = ast.Mechanism(SPAN, "rand-resp", params, None, None, None, body)
        return ast.Bind(SPAN, ast.Name(SPAN, self.name("all")), made, self.returned())

    def converted(self, depth: int, scope: Scope) -> ast.PExp | None:
        """Pure ε inside ρ."""
        if self.notion is not Notion.ZCDP:
            return None
        return ast.Convert(SPAN, "EPSDP", None, evolve(self, notion=Notion.PURE).of(depth - 1, scope))

    def batches(self, depth: int, scope: Scope) -> ast.PExp | None:
        """A fold over batches of two tables, or of one taken twice."""
        known = [
            (name, shape)
            for name, shape in scope
            if isinstance(shape, Grid) and shape.norm is Norm.LINF and shape.element == D and shape.rows is not None
        ]
        if not known:
            return None
        (x, first), (y, second) = self.random.choice(known), self.random.choice(known)
        if first.rows != second.rows:
            y, second = x, first
        sizes = [b for b in (1, 2) if isinstance(first.rows, int) and first.rows % b == 0] or [1]
        batch = self.random.choice(sizes)
        names = [self.name(stem) for stem in "abz"]
        shapes: list[Shape] = [evolve(first, rows=batch), evolve(second, rows=batch), R]
        params: list[ast.Param | ast.Aligned] = [
            ast.Param(SPAN, ast.Name(SPAN, name), written(shape)) for name, shape in zip(names, shapes, strict=True)
        ]
        if (x != y and self.random.random() < 0.7) or self.random.random() < 0.2:
            views = (params[0], params[1])
            assert isinstance(views[0], ast.Param)
            assert isinstance(views[1], ast.Param)
            params = [ast.Aligned(SPAN, views), params[2]]
        body = self.of(depth - 1, tuple(zip(names[:2], shapes[:2], strict=True)))
        function = ast.PLam(SPAN, (), tuple(params), body)
        size = ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(batch), False))
        tables = [self.maker.variable(shape, scope) or ast.Var(SPAN, name) for name, shape in ((x, first), (y, second))]
        return ast.PFoldRows(SPAN, size, self.maker.number(), tables[0], tables[1], function)

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
            (2, lambda: self.selection(depth, scope)),
            (1, lambda: self.threshold(depth, scope)),
            (3, lambda: self.response(depth, scope)),
            (2, lambda: self.converted(depth, scope)),
            (2, lambda: self.batches(depth, scope)),
            (2, lambda: self.of_any_size(depth, scope)),
            (2, lambda: self.by_case(depth, scope)),
            (1, lambda: self.drawn(depth, scope)),
            (2, lambda: whole_noise(self, scope)),
            (1, lambda: wide_noise(self, scope)),
            (1, lambda: canonical(self, scope)),
            (1, lambda: gibbs(self, scope)),
            (2, lambda: shuffled(self, depth, scope)),
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
        shape = any_shape(self.maker, scope)
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

    def by_case(self, depth: int, scope: Scope) -> ast.PExp:
        """A choice by what was released, which the chosen side sees."""
        if self.random.random() < 0.4:
            return self.by_missing(depth, scope)
        name, left, right = self.name("u"), self.name("l"), self.name("r")
        side = prim("<", ast.Var(SPAN, name), self.maker.number())
        real = written(R)
        released = prim("dyn", ast.Var(SPAN, name))
        sides = [ast.Inject(SPAN, which, real, released) for which in ("inl", "inr")]
        chosen = ast.If(SPAN, side, *sides)
        case = ast.PCase(
            SPAN,
            chosen if self.random.random() < 0.8 else self.maker.of(OneOf(), DEPTH, scope),
            ast.Name(SPAN, left),
            self.of(depth - 1, (*scope, (left, R))),
            ast.Name(SPAN, right),
            self.of(depth - 1, (*scope, (right, R))),
        )
        return ast.Bind(SPAN, ast.Name(SPAN, name), self.noise(scope), case)

    def by_missing(self, depth: int, scope: Scope) -> ast.PExp:
        """A choice by whether what was released counts as missing, or whether a value is missing."""
        name, there = self.name("u"), self.name("k")
        side = prim("<", ast.Var(SPAN, name), self.maker.number())
        released = missing.stood_in(self.maker, MR, prim("dyn", ast.Var(SPAN, name)))
        is_private = self.random.random() < 0.2
        chosen, shape = (
            (self.maker.of(MD, DEPTH, scope), D)
            if is_private
            else (
                ast.If(SPAN, side, missing.nothing(MR), released),
                R,
            )
        )
        case = ast.PCaseMissing(
            SPAN,
            chosen,
            ast.Name(SPAN, there),
            self.of(depth - 1, (*scope, (there, shape))),
            self.of(depth - 1, scope),
        )
        return ast.Bind(SPAN, ast.Name(SPAN, name), self.noise(scope), case)

    def drawn(self, depth: int, scope: Scope) -> ast.PExp:
        """A number at random, of nobody's data."""
        name = self.name("d")
        made = ast.RandNat(SPAN, ast.NatLit(SPAN, 1), ast.NatLit(SPAN, self.random.randint(2, 5)))
        return ast.Bind(SPAN, ast.Name(SPAN, name), made, self.of(depth - 1, (*scope, (name, N))))

    def of_any_size(self, depth: int, scope: Scope) -> ast.PExp | None:
        """A function of a table with any number of rows, its kind written or not."""
        known = [shape.bare for _, shape in scope if isinstance(shape, Grid) and shape.rows is not None]
        if not known:
            return None
        grid = self.random.choice(known)
        size, name = self.name("k"), self.name("t")
        inner = evolve(grid, rows=size)
        params = (ast.Param(SPAN, ast.Name(SPAN, name), written(inner)),)
        kinds = (ast.KindBinding(SPAN, size, ast.Kind.NAT),)
        function = ast.PLam(SPAN, kinds, params, self.of(depth - 1, ((name, inner),)))
        rows = written_rows(grid.rows)
        assert rows is not None
        at = (rows,) if self.random.random() < 0.5 else ()
        return ast.PApp(SPAN, function, at, (self.maker.of(grid, DEPTH - 1, scope),))

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
            source = filtered(self.maker, grid, DEPTH, scope)
        keys = ast.SetLit(SPAN, tuple(prim("disc", ast.RealLit(SPAN, Fraction(k))) for k in (0, 1, 3)))
        key_of = ast.Index(SPAN, ast.Var(SPAN, row), ast.NatLit(SPAN, 0), ast.NatLit(SPAN, 0))
        body = self.of(depth - 1, ((part, evolve(grid, rows=None)), (key, D)))
        parts = ast.Parallel(
            SPAN, None, source, keys, ast.Name(SPAN, row), key_of, ast.Name(SPAN, key), ast.Name(SPAN, part), body
        )
        return ast.Bind(SPAN, ast.Name(SPAN, self.name("all")), parts, self.returned())

    def runs(self, depth: int, scope: Scope) -> ast.PExp | None:
        """A run for every entry."""
        known = [shape.bare for _, shape in scope if isinstance(shape, Grid) and isinstance(shape.rows, int)]
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


def random_persons_release(seed: int, notion: Notion) -> ast.File:
    """A privacy function of a table of persons."""
    return persons.private_program(PrivateMaker(Maker(random.Random(seed)), notion))


def random_sample_of_persons(seed: int) -> ast.File:
    """Laplace noise on sums over persons who are drawn at random."""
    return persons.sampling_program(PrivateMaker(Maker(random.Random(seed)), Notion.PURE))


def random_sampling_program(seed: int) -> ast.File:
    """Laplace noise on some rows of a table, drawn at random: b of m, or each with probability q; every third of the former is
    drawn from two tables that are not aligned."""
    if random.Random(f"persons {seed}").random() < PERSONS:
        return random_sample_of_persons(seed)
    source = random.Random(seed)
    maker = PrivateMaker(Maker(source), Notion.PURE)
    rows = source.choice((None, 2, 3, 4))
    grid = Grid(Norm.LINF, rows, source.randint(1, 2), D)
    drawn = grid if rows is None else evolve(grid, rows=source.randint(1, rows))
    inside: Scope = (("s", drawn), ("y", R)) if source.random() < 0.4 else (("s", drawn),)
    is_joint, beside = rows is not None and seed % 3 == 0, Grid(Norm.LINF, rows, 1, D)
    if is_joint:
        inside = (*inside, ("t", evolve(beside, rows=drawn.rows)))
    body: ast.PExp = maker.scalar_noise(inside)
    if source.random() < 0.6:
        body = ast.Bind(SPAN, ast.Name(SPAN, "u"), maker.scalar_noise(inside), maker.scalar_noise((*inside, ("u", R))))
    size: ast.SExp = ast.RealLit(SPAN, source.choice((Fraction(1, 4), Fraction(1, 2), Fraction(1))))
    if drawn.rows is not None:
        assert isinstance(drawn.rows, int)
        size = ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(drawn.rows), False))
    scheme = "poisson" if rows is None else "sample"
    given: Scope = (("x", grid), ("y", R), ("z", beside)) if is_joint else (("x", grid), ("y", R))
    tables = tuple(ast.Var(SPAN, name) for name in ("xz" if is_joint else "x"))
    names = tuple(ast.Name(SPAN, name) for name in ("st" if is_joint else "s"))
    made = ast.Sample(SPAN, scheme, size, tables, names, body)
    params = tuple(ast.Param(SPAN, ast.Name(SPAN, name), written(shape)) for name, shape in given)
    return ast.File(SPAN, None, (), (), ast.PLam(SPAN, (), params, made))


def random_private_program(seed: int, notion: Notion, depth: int = 3) -> ast.File:
    """A privacy function of one to three parameters."""
    if random.Random(f"persons {seed}").random() < PERSONS:
        return random_persons_release(seed, notion)
    source = random.Random(seed)
    width, rows = source.randint(1, 2), source.choice((1, 2, 3, 4, "m"))
    choices: list[Shape] = [
        *(R, R, D, N, ANSWER, MD),
        Grid(source.choice((Norm.L1, Norm.L2)), rows, width, R),
        Grid(Norm.LINF, rows, width, D),
        Grid(Norm.LINF, rows, width, D),
        Grid(Norm.LINF, rows, width, D, (source.choice((Norm.L1, Norm.L2)), 2)),
        Grid(Norm.LINF, None, width, D),
    ]
    scope: Scope = tuple((name, source.choice(choices)) for name in "xyz"[: source.randint(1, 3)])
    written_params: list[ast.Param | ast.Aligned] = [
        ast.Param(SPAN, ast.Name(SPAN, name), written(shape)) for name, shape in scope
    ]
    if source.random() < 0.25:
        views: Scope = tuple((name, Grid(Norm.LINF, rows, source.randint(1, 2), D)) for name in "uv")
        pair = tuple(ast.Param(SPAN, ast.Name(SPAN, name), written(shape)) for name, shape in views)
        written_params.append(ast.Aligned(SPAN, pair))
        scope = (*scope, *views)
    body = PrivateMaker(Maker(source), notion).of(depth, scope)
    sized = any(isinstance(shape, Grid) and shape.rows == "m" for _, shape in scope)
    kinds = (ast.KindBinding(SPAN, "m", ast.Kind.NAT),) if sized else ()
    return ast.File(SPAN, None, (), (), ast.PLam(SPAN, kinds, tuple(written_params), body))
