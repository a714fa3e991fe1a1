"""Random tables: batches, columns, joins, gradients, frames, tables of unknown size with real rows."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from tests.soundness import generate_frames as frames
from tests.soundness import generate_missing as missing
from tests.soundness.shapes import COLUMNS, DN, LOSSES, NORMS, SPAN, B, D, Frame, Grid, R, Scope, clip, prim, renorm

if TYPE_CHECKING:
    from tests.soundness.generate import Maker


def variable(name: str) -> ast.Var:
    return ast.Var(SPAN, name)


def named(name: str) -> ast.Name:
    return ast.Name(SPAN, name)


def number(value: int) -> ast.SExp:
    return ast.NatLit(SPAN, value)


def clip_for(maker: Maker, grid: Grid) -> Norm:
    """A clip that leaves discrete rows in their metric."""
    return maker.random.choice(NORMS) if grid.norm is Norm.LINF else Norm.LINF


def narrowed(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
    """A table with a bound on its rows, or with names: from a variable, or clipped."""
    found = maker.variable(grid, scope)
    if found is not None and (maker.random.random() < 0.5 or grid.named):
        return found
    if grid.named or grid.ball is None:
        return maker.of(grid.bare, depth, scope)
    norm, bound = grid.ball
    if grid.element == D and norm is not Norm.LINF and grid.norm is not Norm.LINF:
        return found if found is not None else maker.of(grid.bare, depth, scope)
    smaller = maker.random.choice([b for b in (1, 2, 3) if b <= bound])
    return clip(norm, smaller, maker.of(grid.bare, depth - 1, scope))


def field(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """A named entry of a named row."""
    known = [(name, shape) for name, shape in scope if isinstance(shape, Grid) and shape.named and shape.rows == 1]
    if not known:
        return None
    name, shape = maker.random.choice(known)
    if maker.variable(shape, scope) is None or dict(scope)[name] != shape:
        return None
    return ast.FieldOf(SPAN, variable(name), named(maker.random.choice(COLUMNS[: shape.width])))


def selected(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    """Some columns of a named table."""
    if grid.element != D or grid.norm is not Norm.LINF:
        return None
    wide = evolve(grid, width=maker.random.randint(grid.width, 3), named=True)
    found = maker.variable(wide, scope)
    if found is None:
        return None
    chosen = maker.random.sample(COLUMNS[: wide.width], grid.width)
    return ast.Select(SPAN, found, tuple(map(named, chosen)))


def of_frame(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """A sum, over some rows of a frame, of a field of each."""
    known = [(name, shape) for name, shape in scope if isinstance(shape, Frame) and dict(scope)[name] == shape]
    if not known:
        return None
    name, frame = maker.random.choice(known)
    table: ast.SExp = variable(name)
    row, state = f"row{next(maker.fresh)}", f"acc{next(maker.fresh)}"
    choice = maker.random.random()
    if choice < 0.4:
        is_one = prim("≡", ast.FieldOf(SPAN, variable(row), named("number")), prim("disc", number(1)))
        if maker.random.random() < 0.4:
            is_one = missing.kept(maker, variable(row))
        table = ast.Filter(SPAN, table, named(row), is_one)
    elif choice < 0.6:
        table = ast.Select(SPAN, table, (named("age"), named("weight")))
    elif choice < 0.8:
        return prim("real", prim("rows", ast.Prim(SPAN, "join₁", (table, number(1), table, number(1)))))
    inside: Scope = (*scope, (f"n{row}", DN))
    has_height = frame.is_measured and not 0.4 <= choice < 0.6
    age = maker.clipped(missing.cell(maker, variable(row)))
    if has_height and maker.random.random() < 0.5:
        height = ast.FieldOf(SPAN, variable(row), named("height"))
        age = maker.clipped(height) if maker.random.random() < 0.7 else height
    elif maker.random.random() < 0.4:
        age = prim("conv", missing.in_range(maker, variable(row), has_number=not 0.4 <= choice < 0.6))
    term: ast.SExp = age
    if choice < 0.4 or choice >= 0.8:
        test = maker.of(DN, depth - 2, inside)
        guard = prim("<", variable(f"n{row}"), test)
        bound = ast.FieldOf(SPAN, variable(row), named("number"))
        term = ast.Let(SPAN, named(f"n{row}"), bound, ast.If(SPAN, guard, age, maker.number()))
        if frame.rows is None or choice < 0.4:
            term = maker.clipped(term)
    return ast.Fold(SPAN, maker.number(), table, named(state), named(row), prim("+", variable(state), term))


def size(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """The number of columns, or of rows where it is known."""
    grid = maker.some_grid(scope)
    if grid is None:
        return None
    name = maker.random.choice(("rows", "cols")) if grid.rows is not None else "cols"
    return prim("dyn", prim(name, maker.of(grid, depth - 1, scope)))


def joined_count(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    grid = maker.some_grid(scope, D)
    if grid is None:
        return None
    return prim("rows", join_of(maker, grid, grid, depth, scope))


def join_of(maker: Maker, left: Grid, right: Grid, depth: int, scope: Scope) -> ast.SExp:
    keys = [number(maker.random.randrange(side.width)) for side in (left, right)]
    first, second = maker.of(left, depth - 1, scope), maker.of(right, depth - 1, scope)
    return ast.Prim(SPAN, "join₁", (first, keys[0], second, keys[1]))


def joined(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    """A table of unknown size out of two."""
    if grid.width < 2 or grid.norm is not Norm.LINF:
        return None
    width = maker.random.randint(1, grid.width - 1)
    rows = maker.random.choice((None, 2))
    left = evolve(grid, width=width, rows=rows)
    right = evolve(grid, width=grid.width - width, rows=maker.random.choice((None, 2)))
    return join_of(maker, left, right, depth, scope)


def batched(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """A sum over batches of rows."""
    grid = maker.some_grid(scope, star=False)
    if grid is None:
        return None
    fits = [b for b in (1, 2, 3) if isinstance(grid.rows, int) and grid.rows % b == 0] or [1]
    batch = maker.random.choice(fits)
    row, state = f"row{next(maker.fresh)}", f"acc{next(maker.fresh)}"
    count = ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(batch), False))
    one = ast.Index(SPAN, variable(row), number(0), number(0))
    first = f"p{next(maker.fresh)}"
    if maker.random.random() < 0.5:
        body: ast.SExp = maker.of(R, depth - 1, (*scope, (first, evolve(grid, rows=batch))))
        term: ast.SExp = ast.Let(SPAN, named(first), one, body)
        tables = ast.Prim(SPAN, "chunks", (count, maker.of(grid, depth - 1, scope)))
    else:
        other, second = evolve(grid, norm=maker.random.choice(NORMS)), f"q{next(maker.fresh)}"
        inside: Scope = (*scope, (first, evolve(grid, rows=batch)), (second, evolve(other, rows=batch)))
        term = ast.LetPair(SPAN, named(first), named(second), one, maker.of(R, depth - 1, inside))
        sources = (maker.of(grid, depth - 1, scope), maker.of(other, depth - 1, scope))
        tables = ast.Prim(SPAN, "chunks", (count, *sources))
    added = prim("+", variable(state), term)
    return ast.Fold(SPAN, maker.number(), tables, named(state), named(row), added)


def counted(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """How many entries are not 0, or how many rows are as a test wants."""
    grid = maker.some_grid(scope)
    if grid is None:
        return None
    if grid.element == D and maker.random.random() < 0.3:
        row = f"row{next(maker.fresh)}"
        test = maker.of(B, depth - 1, (*scope, (row, evolve(grid, rows=1))))
        tests = ast.Map(SPAN, "mmap-row", (maker.of(grid, depth - 1, scope),), (named(row),), test)
        return prim("count", tests)
    if grid.rows is not None:
        grid = evolve(grid, norm=maker.random.choice(NORMS), element=maker.random.choice((D, D, R)))
    return prim("count", maker.of(grid, depth - 1, scope))


def product(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    """A product of two matrices, with bounds on the rows of both or not."""
    middle = maker.random.randint(1, 3)
    norms = [maker.random.choice(NORMS) for _ in range(2)]
    if grid.element == D:
        norms = [Norm.LINF, Norm.LINF]
        if grid.norm is not Norm.LINF:
            return None
    sides = [evolve(grid, width=middle), evolve(grid, norm=norms[1], rows=middle)]
    made = [maker.of(side, depth - 1, scope) for side in sides]
    if maker.random.random() < 0.7 and grid.rows is not None:
        made = [clip(norm, 2, side) for norm, side in zip(norms, made, strict=True)]
    elif maker.random.random() < 0.5:
        made[1] = clip(norms[1], 2, made[1])
    return prim("×", *made)


def by_columns(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    """A table made column by column, out of one table or two; or a row of numbers."""
    source = maker.some_grid(scope)
    if source is None or source.width != grid.width or (source.rows is None and grid.rows == "m"):
        return None
    many = 2 if maker.random.random() < 0.4 else 1
    sources = [source, evolve(source, element=maker.random.choice((R, D)))][:many]
    if source.rows is None:
        sources = [source] * many
    names = [f"col{next(maker.fresh)}" for _ in sources]
    inside = (*scope, *((name, evolve(each, width=1)) for name, each in zip(names, sources, strict=True)))
    if grid.rows == 1 and grid.norm is Norm.LINF and maker.random.random() < 0.5:
        body = maker.of(grid.element, depth - 1, inside)
    else:
        body = maker.of(evolve(grid, width=1), depth - 1, inside)
    made = tuple(maker.of(each, depth - 1, scope) for each in sources)
    return ast.Map(SPAN, "mmap-col", made, tuple(map(named, names)), body)


def transposed(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    if not isinstance(grid.rows, int) or grid.rows > 3:
        return None
    turned = evolve(grid, norm=maker.random.choice(NORMS), rows=grid.width, width=grid.rows)
    made = prim("tr", maker.of(turned, depth - 1, scope))
    return made if grid.norm is Norm.L1 else renorm(grid.norm, made)


def one_row(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    source = maker.some_grid(scope, grid.element, star=False)
    if grid.rows != 1 or source is None or source.width != grid.width:
        return None
    source = evolve(source, norm=grid.norm)
    at = maker.random.randrange(source.rows) if isinstance(source.rows, int) else 0
    return ast.Index(SPAN, maker.of(source, depth - 1, scope), number(at), None)


def converted(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    """Discrete rows as real ones: clipped entry by entry, or not at all."""
    if maker.random.random() < 0.3:
        inner = evolve(grid, element=D, norm=Norm.LINF)
        return renorm(grid.norm, prim("mconv", maker.of(inner, depth - 1, scope)))
    inner = evolve(grid, element=D)
    return prim("mconv", clip(Norm.LINF, maker.random.choice((1, 3)), maker.of(inner, depth - 1, scope)))


def row_gradients(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    """The gradient of each row, or the mean of unbounded ones: discrete rows."""
    if grid.norm is not Norm.LINF:
        return None
    name = "row∇" if grid.rows != 1 or maker.random.random() < 0.3 else "U∇"
    source = maker.some_grid(scope, D, star=False)
    if name == "U∇" and source is not None:
        grid = evolve(grid, rows=source.rows)
    table = f"g{next(maker.fresh)}"
    row = f"row{next(maker.fresh)}"
    loss, numbers, classes = maker.random.choice([known for known in LOSSES if grid.width % known[2] == 0])
    grid = evolve(grid, width=grid.width // classes)
    features = maker.of(grid, depth - 1, scope)
    last = ast.Index(SPAN, variable(row), number(0), number(grid.width - 1))
    labels: ast.SExp = ast.Map(SPAN, "mmap-row", (variable(table),), (named(row),), last)
    if maker.random.random() < 0.4:
        labels = maker.of(evolve(grid, width=1), depth - 1, scope)
    model = maker.created(Grid(Norm.LINF, 1, classes * grid.width, R), depth - 1, scope)
    made = ast.Prim(SPAN, name, (model, variable(table), labels), bounds=numbers, loss=loss)
    return ast.Let(SPAN, named(table), features, made)


def descended(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """A parameter of a model after a step of descent, or after some."""
    grid = maker.some_grid(scope, D, star=False)
    if grid is None:
        return None
    table, row = f"g{next(maker.fresh)}", f"row{next(maker.fresh)}"
    last = ast.Index(SPAN, variable(row), number(0), number(grid.width - 1))
    labels: ast.SExp = ast.Map(SPAN, "mmap-row", (variable(table),), (named(row),), last)
    if maker.random.random() < 0.4:
        labels = maker.of(evolve(grid, width=1), depth - 1, (*scope, (table, grid)))
    # With b = 1 and at most 3 columns, β ≤ 3; λ ≤ 1/2 and η ≤ 1/2 keep η⋅(2λ + β) ≤ 2.
    pace = tuple(
        ast.RealLit(SPAN, maker.random.choice(tuple(map(Fraction, choices))))
        for choices in (("0.5", "0.25"), ("0", "0.5", "0.25"))
    )
    loss, numbers, _ = maker.random.choice([known for known in LOSSES if known[0] in ("LR", "LS", "HUBER")])
    features = clip(maker.random.choice(NORMS), 1, variable(table))
    start = maker.of(Grid(maker.random.choice(NORMS), 1, grid.width, R), depth - 1, scope)
    index, state = f"t{next(maker.fresh)}", f"s{next(maker.fresh)}"
    repeated = maker.random.random() < 0.3
    here = variable(state) if repeated else start
    made: ast.SExp = ast.Prim(SPAN, "step∇", (here, features, labels), bounds=(*numbers, *pace), loss=loss)
    if repeated:
        turns = ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(maker.random.randint(1, 3)), False))
        first = renorm(Norm.L2, start)
        made = ast.Loop(SPAN, turns, first, named(index), named(state), made)
    made = ast.Index(SPAN, made, number(0), number(0))
    return ast.Let(SPAN, named(table), maker.of(grid, depth - 1, scope), made)


def real_table(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
    """Real rows of unknown number: out of discrete rows, with a bound on each."""
    discrete = evolve(grid, element=D)

    def converted_table() -> ast.SExp:
        norm = maker.random.choice(NORMS)
        inner = prim("mconv", clip(norm, 3, maker.of(evolve(discrete, norm=Norm.LINF), depth - 1, scope)))
        return inner if norm is grid.norm else renorm(grid.norm, inner)

    def entries() -> ast.SExp:
        name = f"e{next(maker.fresh)}"
        body = maker.clipped(maker.of(maker.random.choice((R, D)), depth - 1, (*scope, (name, D))))
        return ast.Map(SPAN, "mmap", (maker.of(discrete, depth - 1, scope),), (named(name),), body)

    def by_rows() -> ast.SExp:
        row = f"row{next(maker.fresh)}"
        bounded = evolve(grid, rows=1, ball=(maker.random.choice(NORMS), 3))
        body = maker.of(bounded, depth - 1, (*scope, (row, evolve(discrete, rows=1))))
        return ast.Map(SPAN, "mmap-row", (maker.of(discrete, depth - 1, scope),), (named(row),), body)

    def unbounded() -> ast.SExp:
        return renorm(grid.norm, prim("mconv", maker.of(evolve(discrete, norm=Norm.LINF), depth - 1, scope)))

    def some_rows() -> ast.SExp:
        fixed = maker.of(evolve(grid, rows=2), depth - 1, scope)
        return ast.Filter(SPAN, fixed, named(f"row{next(maker.fresh)}"), ast.BoolLit(SPAN, True))

    return maker.pick(
        [
            (4, converted_table),
            (3, lambda: frames.bag(maker, grid, depth, scope)),
            (3, entries),
            (3, by_rows),
            (1, lambda: product(maker, grid, depth, scope)),
            (1, unbounded),
            (1, some_rows),
        ]
    )
