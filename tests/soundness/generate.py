"""Random well-typed sensitivity programs, made of syntax tree nodes by type.

Every production is written from the grammar and the types of the language, none from the checker's rules; what the checker
refuses nevertheless is counted and passed over. Sizes are numerals, or the size variable of a parameter. Here are the leaves and
the choice of a production by shape; the productions of a shape have a file each.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import count

from attrs import evolve, field, frozen

from duetpy.grammar import ast
from duetpy.grammar.ast import Kind, Norm
from tests.soundness import generate_binding as binding
from tests.soundness import generate_days as days
from tests.soundness import generate_in_ranges as in_ranges
from tests.soundness import generate_matrices as matrices
from tests.soundness import generate_missing as missing
from tests.soundness import generate_persons as persons
from tests.soundness import generate_reals as reals
from tests.soundness import generate_scalars as scalars
from tests.soundness import generate_tables as tables
from tests.soundness import generate_uses as uses
from tests.soundness.shapes import (
    ANSWERS,
    DN,
    FACTORS,
    MD,
    MR,
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
    fits,
    prim,
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
            case Scalar("𝔻?" | "ℝ?"):
                return missing.nothing(shape)
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
            return binding.bound(self, shape, depth, scope)
        match shape:
            case Scalar("ℝ"):
                return scalars.real(self, depth, scope)
            case Scalar("𝔻"):
                return scalars.discrete(self, depth, scope)
            case Scalar("𝔻?" | "ℝ?"):
                return missing.value(self, shape, depth, scope)
            case Scalar("𝕀[3]"):
                return self.leaf(shape, scope)
            case Scalar("𝐝 ℕ"):
                return uses.discrete_natural(self, depth, scope)
            case Scalar("ℕ"):
                return scalars.counted(self, depth, scope)
            case Scalar("𝔹"):
                return scalars.truth(self, depth, scope)
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
                        matrices.table(self, shape, depth, scope)
                        if element == D
                        else tables.real_table(self, shape, depth, scope)
                    )
                return (
                    matrices.real_grid(self, shape, depth, scope)
                    if element == R
                    else matrices.discrete_grid(self, shape, depth, scope)
                )

    # Parts that the forms share

    def injected(self, depth: int, scope: Scope) -> ast.SExp:
        side = self.random.choice(("inl", "inr"))
        value = prim("dyn", self.of(R, depth - 1, scope)) if depth > 0 else prim("dyn", self.leaf(R, scope))
        return ast.Inject(SPAN, side, ast.TBase(SPAN, "ℝ"), value)

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


DAYS = 1 / 16
"""The share of programs on days and texts."""
PERSONS = 1 / 12
"""The share of programs on persons."""
RANGES = 1 / 32
"""The share of programs on numbers in ranges."""
REALS = 1 / 32
"""The share of programs on tables of unknown size with real rows."""


def random_persons_program(seed: int) -> ast.File:
    """A sensitivity function of a table of persons."""
    return persons.program(Maker(random.Random(seed)))


def random_program(seed: int, depth: int = 4) -> ast.File:
    """A sensitivity function of one to three parameters."""
    if random.Random(f"days {seed}").random() < DAYS:
        return days.program(seed)
    if random.Random(f"persons {seed}").random() < PERSONS:
        return random_persons_program(seed)
    if random.Random(f"ranges {seed}").random() < RANGES:
        return in_ranges.random_program_in_ranges(seed)
    if random.Random(f"reals {seed}").random() < REALS:
        return reals.random_program_on_reals(seed)
    source = random.Random(seed)
    maker = Maker(source)
    width = source.randint(1, 3)
    rows = source.choice((1, 2, 3, 4, "m"))
    ball = (source.choice(NORMS), source.choice((1, 3)))
    choices: list[Shape] = [
        *(R, R, D, N, B, DN, MD, MR),
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
        Frame(source.choice((rows, None)), is_measured=source.random() < 0.4),
    ]
    scope: Scope = tuple((name, source.choice(choices)) for name in "xyz"[: source.randint(1, 3)])
    sized = any(isinstance(shape, Grid | Frame) and shape.rows == "m" for _, shape in scope)
    known = [shape for _, shape in scope if isinstance(shape, Grid)]
    results = [
        *(R, R, R, N, B, D, DN, MD),
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
