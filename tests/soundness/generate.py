"""Random well-typed sensitivity programs, made of syntax tree nodes by type.

Every production is written from the grammar and the types of the language, none from the checker's rules; what the checker
refuses nevertheless is counted and passed over. Sizes are numerals, or the size variable of a parameter.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import count

from attrs import evolve, field, frozen

from duetpy.grammar import ast
from duetpy.grammar.ast import Kind, Norm
from tests.soundness import generate_frames as frames
from tests.soundness import generate_tables as tables
from tests.soundness import generate_uses as uses
from tests.soundness.shapes import (
    ANSWER,
    ANSWERS,
    DN,
    FACTORS,
    LOSSES,
    NORMS,
    NUMBERS,
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
    Scalar,
    Scope,
    Shape,
    clip,
    fits,
    prim,
    renorm,
    sets,
    written,
)


@frozen(eq=False)
class Maker:
    """Makes expressions.

    Parameters
    ----------
    random
        The source of choices.
    fresh
        Numbers for new names.
    """

    random: random.Random
    fresh: count[int] = field(factory=count)

    def name(self, stem: str) -> str:
        # Now and then a name that is in use, for the sake of shadowing.
        return self.random.choice("xyab") if self.random.random() < 0.15 else f"{stem}{next(self.fresh)}"

    def pick(self, options: Sequence[tuple[int, Callable[[], ast.SExp | None]]]) -> ast.SExp:
        """One of the productions, by weight; one that does not apply is drawn again. The last always applies."""
        weights = [weight for weight, _ in options]
        for _ in range(6):
            _, produce = self.random.choices(options, weights)[0]
            made = produce()
            if made is not None:
                return made
        made = options[-1][1]()
        assert made is not None
        return made

    # Leaves

    def variable(self, shape: Shape, scope: Scope) -> ast.SExp | None:
        hidden: set[str] = set()
        visible: list[str] = []
        for name, known in reversed(scope):
            if name not in hidden and fits(known, shape):
                visible.append(name)
            hidden.add(name)
        return ast.Var(SPAN, self.random.choice(visible)) if visible else None

    def number(self) -> ast.SExp:
        return ast.RealLit(SPAN, self.random.choice(NUMBERS))

    def factor(self) -> ast.SExp:
        return ast.RealLit(SPAN, self.random.choice(FACTORS))

    def natural(self, most: int = 5) -> ast.SExp:
        return ast.NatLit(SPAN, self.random.randint(0, most))

    def leaf(self, shape: Shape, scope: Scope) -> ast.SExp:
        found = self.variable(shape, scope) if self.random.random() < 0.8 else None
        if found is not None:
            return found
        match shape:
            case Scalar("ℝ"):
                return self.number()
            case Scalar("𝔻"):
                return prim("disc", self.number())
            case Scalar("𝐝 ℕ"):
                return prim("disc", self.natural())
            case Scalar("𝕀[3]"):
                return prim("idx", self.natural(ANSWERS - 1))
            case Scalar("ℕ"):
                return self.natural()
            case Scalar("𝔹"):
                return ast.BoolLit(SPAN, self.random.random() < 0.5)
            case Both(left, right):
                return ast.Pair(SPAN, self.leaf(left, scope), self.leaf(right, scope))
            case Either():
                return ast.Pair(SPAN, self.leaf(R, scope), self.leaf(R, scope), lazy=True)
            case OneOf():
                return self.injected(0, scope)
            case Grid():
                return self.created(shape, 0, scope)
            case Frame():
                raise AssertionError("frames are parameters")

    # Expressions of a shape

    def of(self, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
        if depth <= 0 or self.random.random() < 0.1:
            return self.leaf(shape, scope)
        if self.random.random() < 0.18:
            return self.bound(shape, depth, scope)
        match shape:
            case Scalar("ℝ"):
                return self.real(depth, scope)
            case Scalar("𝔻"):
                return self.discrete(depth, scope)
            case Scalar("𝕀[3]"):
                return self.leaf(shape, scope)
            case Scalar("𝐝 ℕ"):
                return uses.discrete_natural(self, depth, scope)
            case Scalar("ℕ"):
                return self.counted(depth, scope)
            case Scalar("𝔹"):
                return self.truth(depth, scope)
            case Both(left, right):
                return ast.Pair(SPAN, self.of(left, depth - 1, scope), self.of(right, depth - 1, scope))
            case Either():
                return ast.Pair(SPAN, self.of(R, depth - 1, scope), self.of(R, depth - 1, scope), lazy=True)
            case OneOf():
                return self.injected(depth, scope)
            case Frame():
                return self.leaf(shape, scope)
            case Grid(element=element):
                if shape.ball is not None or shape.named:
                    return tables.narrowed(self, shape, depth, scope)
                if shape.rows is None:
                    return (
                        self.table(shape, depth, scope)
                        if element == D
                        else tables.real_table(self, shape, depth, scope)
                    )
                return self.real_grid(shape, depth, scope) if element == R else self.discrete_grid(shape, depth, scope)

    def bound(self, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
        """Forms that fit any type: let, let-pair, if, functions, boxes, case, parts of pairs, loops."""
        return self.pick(
            [
                (4, lambda: self.let(shape, depth, scope)),
                (2, lambda: self.let_pair(shape, depth, scope)),
                (2, lambda: self.choice(shape, depth, scope)),
                (2, lambda: self.called(shape, depth, scope)),
                (2, lambda: self.boxed(shape, depth, scope)),
                (2, lambda: self.by_case(shape, depth, scope)),
                (2, lambda: self.looped(shape, depth, scope)),
                (2, lambda: uses.of_any_type(self, shape, depth, scope)),
                (2, lambda: uses.of_any_size(self, shape, depth, scope)),
                (1, lambda: self.let(shape, depth, scope)),
            ]
        )

    def any_shape(self, scope: Scope) -> Shape:
        known = [shape for _, shape in scope if not isinstance(shape, Frame) and shape != ANSWER]
        return self.random.choice([R, R, D, N, B, DN, Both(R, R), Either(), *known])

    def let(self, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
        inner = self.any_shape(scope)
        name = self.name("v")
        value = self.of(inner, depth - 1, scope)
        return ast.Let(SPAN, ast.Name(SPAN, name), value, self.of(shape, depth - 1, (*scope, (name, inner))))

    def let_pair(self, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
        pair = Both(self.random.choice([R, D, N]), self.random.choice([R, D, N]))
        left, right = self.name("l"), self.name("r")
        if left == right:
            right = f"{right}′"
        value = self.of(pair, depth - 1, scope)
        inside = (*scope, (left, pair.left), (right, pair.right))
        body = self.of(shape, depth - 1, inside)
        return ast.LetPair(SPAN, ast.Name(SPAN, left), ast.Name(SPAN, right), value, body)

    def choice(self, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
        return ast.If(
            SPAN,
            self.of(B, depth - 1, scope),
            self.of(shape, depth - 1, scope),
            self.of(shape, depth - 1, scope),
        )

    def called(self, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
        """A function of one or two parameters, named or not, applied once or, where it can be, twice."""
        shapes = [self.random.choice([R, D, N]) for _ in range(self.random.choice((1, 1, 2)))]
        names = [f"p{next(self.fresh)}" for _ in shapes]
        params = tuple(
            ast.Param(SPAN, ast.Name(SPAN, name), written(inner)) for name, inner in zip(names, shapes, strict=True)
        )
        body = self.of(shape, depth - 1, (*scope, *zip(names, shapes, strict=True)))
        function: ast.SExp = ast.Lam(SPAN, (), params, body)
        name = f"f{next(self.fresh)}"
        named = self.random.random() < 0.6
        here: ast.SExp = ast.Var(SPAN, name) if named else function
        arguments = [self.of(inner, depth - 1, scope) for inner in shapes]
        for argument in arguments:
            here = ast.App(SPAN, here, argument)
        if named and shapes == [shape] and self.random.random() < 0.5:
            here = ast.App(SPAN, ast.Var(SPAN, name), here)
        return ast.Let(SPAN, ast.Name(SPAN, name), function, here) if named else here

    def boxed(self, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
        name = f"b{next(self.fresh)}"
        value = prim("box", self.of(shape, depth - 1, scope))
        opened = prim("unbox", ast.Var(SPAN, name))
        if shape == R and self.random.random() < 0.5:
            opened = prim("+", opened, prim("unbox", ast.Var(SPAN, name)))
        return ast.Let(SPAN, ast.Name(SPAN, name), value, opened)

    def injected(self, depth: int, scope: Scope) -> ast.SExp:
        side = self.random.choice(("inl", "inr"))
        value = prim("dyn", self.of(R, depth - 1, scope)) if depth > 0 else prim("dyn", self.leaf(R, scope))
        return ast.Inject(SPAN, side, ast.TBase(SPAN, "ℝ"), value)

    def by_case(self, shape: Shape, depth: int, scope: Scope) -> ast.SExp:
        left, right = f"i{next(self.fresh)}", f"j{next(self.fresh)}"
        return ast.Case(
            SPAN,
            self.of(OneOf(), depth - 1, scope),
            ast.Name(SPAN, left),
            self.of(shape, depth - 1, (*scope, (left, R))),
            ast.Name(SPAN, right),
            self.of(shape, depth - 1, (*scope, (right, R))),
        )

    def looped(self, shape: Shape, depth: int, scope: Scope) -> ast.SExp | None:
        if shape == B or isinstance(shape, OneOf | Grid | Either):
            return None
        index, state = f"t{next(self.fresh)}", self.name("s")
        turns: ast.SExp = ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(self.random.randint(0, 4)), False))
        if self.random.random() < 0.25:
            turns = prim("⊓", self.of(N, depth - 1, scope), ast.NatLit(SPAN, 4))
        init = self.of(shape, depth - 1, scope)
        body = self.of(shape, depth - 1, (*scope, (index, N), (state, shape)))
        return ast.Loop(SPAN, turns, init, ast.Name(SPAN, index), ast.Name(SPAN, state), body)

    # ℝ

    def real(self, depth: int, scope: Scope) -> ast.SExp:
        def sub(shape: Shape = R) -> ast.SExp:
            return self.of(shape, depth - 1, scope)

        return self.pick(
            [
                (5, lambda: prim(self.random.choice("+-"), sub(), sub())),
                (2, lambda: prim(self.random.choice("⊔⊓"), sub(), sub())),
                (4, lambda: prim("⋅", self.factor(), sub())),
                (1, lambda: prim("⋅", sub(), self.factor())),
                (2, lambda: prim("/", sub(), self.factor())),
                (3, lambda: self.clipped(sub(self.random.choice((R, D, D))))),
                (2, lambda: prim("real", sub(N))),
                (2, lambda: prim(self.random.choice(("fst", "snd")), sub(Either()))),
                (1, lambda: prim(self.random.choice(("fst", "snd")), sub(Both(R, R)))),
                (3, lambda: self.summed(depth, scope)),
                (2, lambda: self.folded(depth, scope)),
                (3, lambda: self.entry(R, depth, scope)),
                (2, lambda: self.zipped(depth, scope)),
                (2, lambda: self.by_columns(depth, scope)),
                (2, lambda: self.gradient(depth, scope)),
                (2, lambda: tables.descended(self, depth, scope)),
                (1, lambda: prim(self.random.choice("√㏒"), sub())),
                (1, lambda: prim("⋅", sub(), sub())),
                (1, lambda: prim("conv", sub(D))),
                (1, lambda: prim("dyn", sub())),
                (1, lambda: prim("/", sub(), sub())),
                (1, lambda: prim(self.random.choice(("sign", "floor", "ceil", "round", "exp")), sub())),
                (2, lambda: tables.counted(self, depth, scope)),
                (2, lambda: uses.scaled(self, depth, scope)),
                (2, lambda: uses.higher(self, depth, scope)),
                (2, lambda: uses.rows_as_unknown(self, depth, scope)),
                (2, lambda: tables.batched(self, depth, scope)),
                (2, lambda: tables.of_frame(self, depth, scope)),
                (2, lambda: frames.of_records(self, depth, scope)),
                (1, lambda: frames.of_record(self, depth, scope)),
                (1, lambda: prim("+", sub(), self.number())),
            ]
        )

    def clipped(self, value: ast.SExp) -> ast.SExp:
        if self.random.random() < 0.2:
            return prim("clip", value)
        low, high = sorted(self.random.sample((-5, -2, -1, 0, 1, 3, 10), 2))
        bounds = (ast.RealLit(SPAN, Fraction(low)), ast.RealLit(SPAN, Fraction(high)))
        return ast.Prim(SPAN, "clip", (value,), bounds=bounds)

    def some_grid(
        self, scope: Scope, element: Scalar | None = None, star: bool | None = None, norm: Norm | None = None
    ) -> Grid | None:
        """The shape of a table in scope, maybe with another element or norm."""
        known = [
            shape for _, shape in scope if isinstance(shape, Grid) and (star is None or (shape.rows is None) == star)
        ]
        if not known:
            return None
        grid = self.random.choice(known).bare
        if element is not None and grid.element != element:
            if grid.rows is None:
                return None
            grid = evolve(grid, element=element)
        return evolve(grid, norm=norm) if norm is not None and grid.rows is not None else grid

    def summed(self, depth: int, scope: Scope) -> ast.SExp | None:
        """A fold that adds, of fixed or unknown rows."""
        grid = self.some_grid(scope)
        if grid is None:
            return None
        state, row = f"acc{next(self.fresh)}", f"row{next(self.fresh)}"
        inside = (*scope, (row, evolve(grid, rows=1)))
        term = self.of(R, depth - 1, inside)
        if grid.rows is None or self.random.random() < 0.3:
            term = self.clipped(self.of(self.random.choice((R, D)), depth - 1, inside))
        accumulated: ast.SExp = prim("+", ast.Var(SPAN, state), term)
        if self.random.random() < 0.3:
            guard = self.of(B, depth - 1, inside)
            accumulated = ast.If(SPAN, guard, accumulated, ast.Var(SPAN, state))
        source = self.of(grid, depth - 1, scope)
        init = self.of(R, depth - 2, scope)
        return ast.Fold(SPAN, init, source, ast.Name(SPAN, state), ast.Name(SPAN, row), accumulated)

    def folded(self, depth: int, scope: Scope) -> ast.SExp | None:
        """Any fold of a fixed number of rows."""
        grid = self.some_grid(scope, star=False)
        if grid is None:
            return None
        state, row = f"acc{next(self.fresh)}", f"row{next(self.fresh)}"
        inside = (*scope, (state, R), (row, evolve(grid, rows=1)))
        body = prim("+", self.of(R, depth - 1, inside), prim("⋅", self.factor(), ast.Var(SPAN, state)))
        source = self.of(grid, depth - 1, scope)
        return ast.Fold(SPAN, self.of(R, depth - 2, scope), source, ast.Name(SPAN, state), ast.Name(SPAN, row), body)

    def by_columns(self, depth: int, scope: Scope) -> ast.SExp | None:
        """An entry of a row of numbers, one for each column."""
        grid = self.some_grid(scope)
        if grid is None:
            return None
        column = f"col{next(self.fresh)}"
        body = self.of(R, depth - 1, (*scope, (column, evolve(grid, width=1))))
        made = ast.Map(SPAN, "mmap-col", (self.of(grid, depth - 1, scope),), (ast.Name(SPAN, column),), body)
        place = ast.NatLit(SPAN, self.random.randrange(grid.width))
        return ast.Index(SPAN, made, ast.NatLit(SPAN, 0), place)

    def zipped(self, depth: int, scope: Scope) -> ast.SExp | None:
        """A sum over two tables side by side."""
        grid = self.some_grid(scope, star=False)
        if grid is None:
            return None
        other = evolve(grid, norm=self.random.choice(NORMS), element=self.random.choice((R, D)))
        state, row = f"acc{next(self.fresh)}", f"row{next(self.fresh)}"
        left, right = f"l{next(self.fresh)}", f"r{next(self.fresh)}"
        inside = (*scope, (left, evolve(grid, rows=1)), (right, evolve(other, rows=1)))
        entry = ast.Index(SPAN, ast.Var(SPAN, row), ast.NatLit(SPAN, 0), ast.NatLit(SPAN, 0))
        term = self.of(R, depth - 1, inside)
        body = ast.LetPair(SPAN, ast.Name(SPAN, left), ast.Name(SPAN, right), entry, term)
        tables = prim("zip", self.of(grid, depth - 1, scope), self.of(other, depth - 1, scope))
        accumulated = prim("+", ast.Var(SPAN, state), body)
        return ast.Fold(SPAN, self.number(), tables, ast.Name(SPAN, state), ast.Name(SPAN, row), accumulated)

    def gradient(self, depth: int, scope: Scope) -> ast.SExp | None:
        """An entry of a mean gradient; the labels may be a column of the features' table, or another one."""
        grid = self.some_grid(scope, D, star=False)
        if grid is None or (isinstance(grid.rows, int) and grid.rows == 1 and self.random.random() < 0.5):
            return None
        source = self.of(grid, depth - 1, scope)
        name, row = f"g{next(self.fresh)}", f"row{next(self.fresh)}"
        table = ast.Var(SPAN, name)
        column = ast.Index(SPAN, ast.Var(SPAN, row), ast.NatLit(SPAN, 0), ast.NatLit(SPAN, grid.width - 1))
        labels: ast.SExp = ast.Map(SPAN, "mmap-row", (table,), (ast.Name(SPAN, row),), column)
        if self.random.random() < 0.4:
            labels = self.of(evolve(grid, width=1), depth - 1, (*scope, (name, grid)))
        loss, numbers, classes = self.random.choice(LOSSES)
        model = self.created(Grid(Norm.LINF, 1, classes * grid.width, R), depth - 1, scope)
        features = clip(self.random.choice(NORMS), self.random.choice((1, 3)), table)
        made = ast.Prim(SPAN, "∇", (model, features, labels), bounds=numbers, loss=loss)
        return ast.Let(
            SPAN, ast.Name(SPAN, name), source, ast.Index(SPAN, made, ast.NatLit(SPAN, 0), ast.NatLit(SPAN, 0))
        )

    def entry(self, element: Scalar, depth: int, scope: Scope) -> ast.SExp | None:
        grid = self.some_grid(scope, element, star=False)
        if grid is None:
            return None
        rows = grid.rows if isinstance(grid.rows, int) else 1
        i, j = self.random.randrange(rows), self.random.randrange(grid.width)
        source = self.of(grid, depth - 1, scope)
        place: tuple[ast.SExp, ...] = (ast.NatLit(SPAN, i), ast.NatLit(SPAN, j))
        if self.random.random() < 0.3:
            place = tuple(prim("idx", at) for at in place)
        if self.random.random() < 0.2:
            return ast.Index(SPAN, ast.Index(SPAN, source, place[0], None), ast.NatLit(SPAN, 0), place[1])
        return ast.Index(SPAN, source, *place)

    # 𝔻, ℕ, 𝔹

    def discrete(self, depth: int, scope: Scope) -> ast.SExp:
        def sub(shape: Shape = D) -> ast.SExp:
            return self.of(shape, depth - 1, scope)

        return self.pick(
            [
                (3, lambda: prim(self.random.choice("+-⋅/⊔⊓"), sub(), sub())),
                (2, lambda: prim("⋅", self.factor(), sub())),
                (4, lambda: self.entry(D, depth, scope)),
                (1, lambda: prim(self.random.choice(("√", "㏒", "sign", "floor", "ceil", "round", "exp")), sub())),
                (1, lambda: prim("real", prim("disc", sub(N)))),
                (1, lambda: prim("disc", sub(R))),
                (1, lambda: self.discretised(depth, scope)),
                (3, lambda: tables.field(self, depth, scope)),
                (1, lambda: prim("+", sub(), prim("disc", self.number()))),
            ]
        )

    def discretised(self, depth: int, scope: Scope) -> ast.SExp:
        name = f"p{next(self.fresh)}"
        inner = self.random.choice((D, N, R))
        body = self.of(R, depth - 1, (*scope, (name, inner)))
        function = ast.Lam(SPAN, (), (ast.Param(SPAN, ast.Name(SPAN, name), written(inner)),), body)
        return ast.App(SPAN, prim("discf", function), self.of(inner, depth - 1, scope))

    def counted(self, depth: int, scope: Scope) -> ast.SExp:
        def sub(shape: Shape = N) -> ast.SExp:
            return self.of(shape, depth - 1, scope)

        return self.pick(
            [
                (4, lambda: prim(self.random.choice("+-"), sub(), sub())),
                (2, lambda: prim(self.random.choice("⊔⊓"), sub(), sub())),
                (2, lambda: prim("⋅", ast.NatLit(SPAN, self.random.randint(1, 4)), sub())),
                (1, lambda: prim("%", sub(), ast.NatLit(SPAN, self.random.randint(1, 5)))),
                (3, lambda: self.row_count(depth, scope)),
                (1, lambda: tables.size(self, depth, scope)),
                (2, lambda: tables.joined_count(self, depth, scope)),
                (2, lambda: frames.parts(self, depth, scope)),
                (1, lambda: frames.joined_frames(self, depth, scope)),
                (1, lambda: prim("conv", sub(DN))),
                (1, lambda: prim("-", sub(), self.natural())),
                (1, lambda: prim("+", sub(), self.natural())),
            ]
        )

    def row_count(self, depth: int, scope: Scope) -> ast.SExp | None:
        grid = self.some_grid(scope)
        if grid is None:
            return None
        if grid.rows is None:
            return prim("rows", self.of(grid, depth - 1, scope))
        if grid.element != D:
            return None
        return prim("rows", self.filtered(grid, depth, scope))

    def filtered(self, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
        row = f"row{next(self.fresh)}"
        source = self.of(grid, depth - 1, scope)
        body = self.of(B, depth - 1, (*scope, (row, evolve(grid, rows=1))))
        return ast.Filter(SPAN, source, ast.Name(SPAN, row), body)

    def truth(self, depth: int, scope: Scope) -> ast.SExp:
        def sub(shape: Shape) -> ast.SExp:
            return self.of(shape, depth - 1, scope)

        return self.pick(
            [
                (4, lambda: prim(self.random.choice("<≤≡"), sub(D), sub(D))),
                (3, lambda: prim(self.random.choice("<≤≡"), sub(N), sub(N))),
                (2, lambda: prim(self.random.choice("∧∨"), sub(B), sub(B))),
                (2, lambda: prim(self.random.choice("<≤≡"), sub(DN), sub(DN))),
                (1, lambda: prim("∈", sub(N), ast.SetLit(SPAN, (sub(N), self.natural())))),
                (1, lambda: prim("∈", sub(N), prim("unionAll", sets(ast.SetLit(SPAN, (sub(N),)), sub(N))))),
                (1, lambda: prim(self.random.choice("<≤≡"), sub(R), sub(R))),
                (1, lambda: prim("<", sub(D), prim("disc", self.number()))),
            ]
        )

    # Matrices

    def size(self, grid: Grid, scope: Scope) -> ast.SExp:
        if isinstance(grid.rows, int):
            return ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(grid.rows), False))
        assert grid.rows is not None
        return ast.StaticNat(SPAN, ast.RVar(SPAN, grid.rows))

    def created(self, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
        if grid.rows is None:
            fixed = self.created(evolve(grid, rows=self.random.randint(1, 3)), depth, scope)
            return ast.Filter(SPAN, fixed, ast.Name(SPAN, f"row{next(self.fresh)}"), ast.BoolLit(SPAN, True))
        i, j = f"i{next(self.fresh)}", f"j{next(self.fresh)}"
        inside: Scope = (*scope, (i, N), (j, N))
        body = self.of(grid.element, depth - 1, inside) if depth > 0 else self.leaf(grid.element, inside)
        width = ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(grid.width), False))
        return ast.MCreate(SPAN, grid.norm, self.size(grid, scope), width, ast.Name(SPAN, i), ast.Name(SPAN, j), body)

    def mapped(self, grid: Grid, depth: int, scope: Scope, element: Scalar) -> ast.SExp:
        name = f"e{next(self.fresh)}"
        source = self.of(evolve(grid, element=element), depth - 1, scope)
        body = self.of(grid.element, depth - 1, (*scope, (name, element)))
        return ast.Map(SPAN, "mmap", (source,), (ast.Name(SPAN, name),), body)

    def mapped_two(self, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
        names = [f"e{next(self.fresh)}", f"e{next(self.fresh)}"]
        elements = [self.random.choice((R, D)), grid.element]
        finer = [norm for norm in NORMS if norm.value <= grid.norm.value]
        norms = [grid.norm, self.random.choice(finer)]
        sources = tuple(
            self.of(evolve(grid, element=element, norm=norm), depth - 1, scope)
            for element, norm in zip(elements, norms, strict=True)
        )
        body = self.of(grid.element, depth - 1, (*scope, *zip(names, elements, strict=True)))
        return ast.Map(SPAN, "mmap", sources, tuple(ast.Name(SPAN, name) for name in names), body)

    def mapped_rows(self, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
        """Row by row: into rows of any shape, or into one column."""
        source_shape = self.some_grid(scope, star=grid.rows is None)
        if source_shape is None or source_shape.rows != grid.rows:
            return None
        row = f"row{next(self.fresh)}"
        inside = (*scope, (row, evolve(source_shape, rows=1)))
        if grid.width == 1 and grid.norm is Norm.LINF and self.random.random() < 0.5:
            body = self.of(grid.element, depth - 1, inside)
        else:
            body = self.of(evolve(grid, rows=1), depth - 1, inside)
        source = self.of(source_shape, depth - 1, scope)
        return ast.Map(SPAN, "mmap-row", (source,), (ast.Name(SPAN, row),), body)

    def mapped_columns(self, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
        source_shape = self.some_grid(scope, star=False)
        if source_shape is None or grid.rows != 1 or grid.norm is not Norm.LINF or source_shape.width != grid.width:
            return None
        column = f"col{next(self.fresh)}"
        body = self.of(grid.element, depth - 1, (*scope, (column, evolve(source_shape, width=1))))
        return ast.Map(SPAN, "mmap-col", (self.of(source_shape, depth - 1, scope),), (ast.Name(SPAN, column),), body)

    def updated(self, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
        rows = grid.rows if isinstance(grid.rows, int) else 1
        i, j = self.random.randrange(rows), self.random.randrange(grid.width)
        source = self.of(grid, depth - 1, scope)
        value = self.of(grid.element, depth - 1, scope)
        return ast.Update(SPAN, source, ast.NatLit(SPAN, i), ast.NatLit(SPAN, j), value)

    def real_grid(self, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
        def sub(**changes: Norm | Scalar) -> ast.SExp:
            return self.of(evolve(grid, **changes), depth - 1, scope)

        def converted() -> ast.SExp:
            inner = clip(grid.norm, self.random.choice((1, 3)), sub(element=D, norm=Norm.LINF))
            return prim("mconv", inner)

        return self.pick(
            [
                (2, lambda: self.created(grid, depth, scope)),
                (3, lambda: self.mapped(grid, depth, scope, R)),
                (3, lambda: self.mapped(grid, depth, scope, D)),
                (2, lambda: self.mapped_two(grid, depth, scope)),
                (3, lambda: self.mapped_rows(grid, depth, scope)),
                (2, lambda: self.mapped_columns(grid, depth, scope)),
                (2, lambda: self.updated(grid, depth, scope)),
                (2, lambda: tables.by_columns(self, grid, depth, scope)),
                (2, lambda: tables.transposed(self, grid, depth, scope)),
                (2, lambda: tables.product(self, grid, depth, scope)),
                (2, lambda: tables.one_row(self, grid, depth, scope)),
                (2, lambda: tables.converted(self, grid, depth, scope)),
                (3, lambda: clip(self.random.choice(NORMS), self.random.choice((1, 2)), sub())),
                (3, lambda: renorm(grid.norm, sub(norm=self.random.choice(NORMS)))),
                (4, converted),
                (2, lambda: frames.bag(self, grid, depth, scope)),
                (2, lambda: self.created(grid, depth, scope)),
            ]
        )

    def discrete_grid(self, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
        def sub(**changes: Norm | Scalar) -> ast.SExp:
            return self.of(evolve(grid, **changes), depth - 1, scope)

        def clipped() -> ast.SExp | None:
            norm = self.random.choice(NORMS)
            return clip(norm, 2, sub()) if grid.norm is Norm.LINF or norm is Norm.LINF else None

        return self.pick(
            [
                (1, lambda: self.created(grid, depth, scope)),
                (3, lambda: self.mapped(grid, depth, scope, D)),
                (1, lambda: self.mapped(grid, depth, scope, R)),
                (1, lambda: self.mapped_two(grid, depth, scope)),
                (2, lambda: self.mapped_rows(grid, depth, scope)),
                (1, lambda: self.updated(grid, depth, scope)),
                (1, lambda: tables.by_columns(self, grid, depth, scope)),
                (1, lambda: tables.transposed(self, grid, depth, scope)),
                (1, lambda: tables.product(self, grid, depth, scope)),
                (1, lambda: tables.one_row(self, grid, depth, scope)),
                (2, lambda: tables.row_gradients(self, grid, depth, scope)),
                (1, lambda: tables.selected(self, grid, depth, scope)),
                (3, clipped),
                (1, lambda: frames.bag(self, grid, depth, scope)),
                (1, lambda: frames.renamed(self, grid, depth, scope)),
                (2, lambda: renorm(grid.norm, sub(norm=self.random.choice(NORMS)))),
                (2, lambda: self.created(grid, depth, scope)),
            ]
        )

    def table(self, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
        """★ rows: from a parameter, or filtered out of a fixed number of rows."""
        fixed = self.some_grid(scope, D, star=False)
        suits = fixed is not None and fixed.norm is Norm.LINF and fixed.width == grid.width
        return self.pick(
            [
                (3, lambda: self.variable(grid, scope)),
                (3, lambda: self.filtered(fixed, depth, scope) if fixed is not None and suits else None),
                (3, lambda: self.filtered(grid, depth, scope) if self.variable(grid, scope) else None),
                (2, lambda: clip(tables.clip_for(self, grid), 2, self.of(grid, depth - 1, scope))),
                (2, lambda: self.mapped(grid, depth, scope, D)),
                (2, lambda: self.mapped_rows(grid, depth, scope)),
                (2, lambda: tables.joined(self, grid, depth, scope)),
                (1, lambda: tables.product(self, grid, depth, scope)),
                (1, lambda: tables.selected(self, grid, depth, scope)),
                (2, lambda: frames.bag(self, grid, depth, scope)),
                (1, lambda: frames.renamed(self, grid, depth, scope)),
                (2, lambda: renorm(grid.norm, self.of(evolve(grid, norm=self.random.choice(NORMS)), depth - 1, scope))),
                (1, lambda: self.leaf(grid, scope)),
            ]
        )


def random_program(seed: int, depth: int = 4) -> ast.File:
    """A sensitivity function of one to three parameters."""
    source = random.Random(seed)
    maker = Maker(source)
    width = source.randint(1, 3)
    rows = source.choice((1, 2, 3, 4, "m"))
    ball = (source.choice(NORMS), source.choice((1, 3)))
    choices: list[Shape] = [
        *(R, R, D, N, B, DN),
        Both(R, R),
        Either(),
        OneOf(),
        Grid(source.choice(NORMS), rows, width, R),
        Grid(source.choice(NORMS), rows, width, R, ball),
        Grid(source.choice(NORMS), rows, width, D),
        Grid(source.choice(NORMS), rows, width, D, ball),
        Grid(Norm.LINF, rows, width, D),
        Grid(Norm.LINF, rows, width, D, named=True),
        Grid(Norm.LINF, None, width, D),
        Grid(source.choice(NORMS), None, width, D),
        Grid(Norm.LINF, None, width, D, named=source.random() < 0.5),
        Frame(source.choice((rows, None))),
    ]
    scope: Scope = tuple((name, source.choice(choices)) for name in "xyz"[: source.randint(1, 3)])
    sized = any(isinstance(shape, Grid | Frame) and shape.rows == "m" for _, shape in scope)
    known = [shape for _, shape in scope if isinstance(shape, Grid)]
    results = [
        *(R, R, R, N, B, D, DN),
        Both(R, N),
        Either(),
        *known,
        *(shape.bare for shape in known),
        *(evolve(grid.bare, element=R, norm=source.choice(NORMS)) for grid in known),
        *(evolve(grid.bare, norm=source.choice(NORMS)) for grid in known),
    ]
    body = maker.of(source.choice(results), depth, scope)
    kinds = (ast.KindBinding(SPAN, "m", Kind.NAT),) if sized else ()
    params = tuple(ast.Param(SPAN, ast.Name(SPAN, name), written(shape)) for name, shape in scope)
    return ast.File(SPAN, None, (), (), ast.Lam(SPAN, kinds, params, body))
