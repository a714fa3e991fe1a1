"""Random bags, records and data frames: bmap, mapDF, addColDF, partitionDF, joinDF₁, joinDF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from tests.soundness import generate_missing as missing
from tests.soundness.shapes import DN, NORMS, SPAN, D, Frame, Grid, R, Scope, Shape, clip, prim

if TYPE_CHECKING:
    from tests.soundness.generate import Maker


def variable(name: str) -> ast.Var:
    return ast.Var(SPAN, name)


def named(name: str) -> ast.Name:
    return ast.Name(SPAN, name)


def first_cell(row: ast.SExp) -> ast.SExp:
    return ast.Index(SPAN, row, ast.NatLit(SPAN, 0), ast.NatLit(SPAN, 0))


def some_frame(maker: Maker, scope: Scope) -> tuple[ast.SExp, Frame] | None:
    """A frame in scope; now and then only some of its rows."""
    known = [(name, shape) for name, shape in scope if isinstance(shape, Frame) and dict(scope)[name] == shape]
    if not known:
        return None
    name, frame = maker.random.choice(known)
    if maker.random.random() < 0.7:
        return variable(name), frame
    row = f"row{next(maker.fresh)}"
    kept = prim("≡", ast.FieldOf(SPAN, variable(row), named("number")), prim("disc", ast.NatLit(SPAN, 1)))
    if frame.is_measured and frame.rows is None and maker.random.random() < 0.5:
        kept = prim("<", ast.FieldOf(SPAN, variable(row), named("height")), maker.number())
    return ast.Filter(SPAN, variable(name), named(row), kept), evolve(frame, rows=None)


# ---------------------------------------------------------------------------------------------------------------------
# bmap, mapDF


def bag(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    """A table of one column, an element for each element of another; or of rows that are made of rows."""
    source = maker.some_grid(scope, D if grid.rows is None else None)
    if source is None or source.rows != grid.rows:
        return None
    element = f"e{next(maker.fresh)}"
    seen: Shape = source.element if source.width == 1 else evolve(source, rows=1)
    inside: Scope = (
        (*scope, (element, seen)) if grid.rows is not None or maker.random.random() < 0.2 else ((element, seen),)
    )
    if grid.width == 1 and grid.norm is Norm.LINF and maker.random.random() < 0.7:
        body = maker.of(grid.element, depth - 1, inside)
        if grid.rows is None and grid.element == R:
            body = maker.clipped(body)
    else:
        body = maker.of(evolve(grid, rows=1), depth - 1, inside)
        if grid.rows is None and grid.element == R:
            body = clip(maker.random.choice(NORMS), 2, body)
    form = maker.random.choice(("bmap", "bmap", "mapDF"))
    return ast.Map(SPAN, form, (maker.of(source, depth - 1, scope),), (named(element),), body)


def of_records(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """A sum over what is made of each record of a frame."""
    found = some_frame(maker, scope)
    if found is None:
        return None
    source, frame = found
    record, state, row = (f"{stem}{next(maker.fresh)}" for stem in ("rec", "acc", "row"))
    age, number = f"age{next(maker.fresh)}", f"no{next(maker.fresh)}"
    inside: Scope = ((age, D), (number, DN)) if frame.rows is None else (*scope, (age, D), (number, DN))
    fields = [
        (number, ast.FieldOf(SPAN, variable(record), named("number"))),
        (age, missing.cell(maker, variable(record))),
    ]
    if frame.is_measured:
        height = f"high{next(maker.fresh)}"
        fields.append((height, ast.FieldOf(SPAN, variable(record), named("height"))))
        inside = (*inside, (height, R))
    if maker.random.random() < 0.3:
        held, shape = f"held{next(maker.fresh)}", maker.random.choice((R, D, DN))
        source = with_box(maker, source, maker.of(shape, depth - 1, scope))
        fields.append((held, prim("unbox", ast.FieldOf(SPAN, variable(record), named("held")))))
        inside = (*inside, (held, shape))
    body = maker.of(D if frame.rows is None else R, depth - 1, inside)
    for name, field in fields:
        body = ast.Let(SPAN, named(name), field, body)
    mapped = ast.Map(SPAN, maker.random.choice(("bmap", "mapDF")), (source,), (named(record),), body)
    if frame.rows is None and maker.random.random() < 0.3:
        return prim("real", prim("rows", mapped))
    term = first_cell(variable(row))
    if frame.rows is None:
        term = maker.clipped(term)
    return ast.Fold(SPAN, maker.number(), mapped, named(state), named(row), prim("+", variable(state), term))


def with_box(maker: Maker, source: ast.SExp, value: ast.SExp) -> ast.SExp:
    """A frame each of whose rows has the same value in a box, in a column of its own."""
    row = f"row{next(maker.fresh)}"
    return ast.Map(
        SPAN, "bmap", (source,), (named(row),), add("held", ast.Pair(SPAN, variable(row), prim("box", value)))
    )


# ---------------------------------------------------------------------------------------------------------------------
# partitionDF, joinDF₁, joinDF


def keys(maker: Maker) -> ast.SExp:
    numbers = maker.random.sample(range(4), maker.random.randint(1, 3))
    return ast.SetLit(SPAN, tuple(prim("disc", ast.NatLit(SPAN, number)) for number in numbers))


def parts(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """The number of parts of a frame, of those with few rows, or of the rows in all parts, each up to a bound."""
    found = some_frame(maker, scope)
    if found is None:
        return None
    source, _ = found
    parted = ast.FrameOp(SPAN, "partitionDF", named("number"), (source, keys(maker)))
    choice, part = maker.random.random(), f"part{next(maker.fresh)}"
    inner = first_cell(variable(part)) if choice < 0.5 else variable(part)
    size = prim("rows", inner)
    if choice < 0.2:
        return prim("rows", parted)
    if choice < 0.5:
        few = prim("<", size, ast.NatLit(SPAN, maker.random.randint(1, 4)))
        return prim("rows", ast.Filter(SPAN, parted, named(part), few))
    state, row = f"acc{next(maker.fresh)}", f"row{next(maker.fresh)}"
    sizes = ast.Map(SPAN, "bmap", (parted,), (named(part),), prim("real", prim("disc", size)))
    total = prim("+", variable(state), maker.clipped(first_cell(variable(row))))
    start = maker.of(R, depth - 2, scope)
    summed = ast.Fold(SPAN, start, sizes, named(state), named(row), total)
    return ast.If(SPAN, prim("<", summed, maker.number()), maker.natural(), maker.natural())


def stood(maker: Maker, shape: Shape) -> ast.SExp:
    return maker.number() if shape == R else prim("disc", maker.number())


def joined_frames(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    first, second = some_frame(maker, scope), some_frame(maker, scope)
    if first is None or second is None:
        return None
    most = maker.random.randint(0, 3)
    bound = (ast.NatLit(SPAN, most),) if most else ()
    if maker.random.random() < 0.7:
        tables = (*bound, first[0], second[0])
        return prim("rows", ast.FrameOp(SPAN, "joinDF" if most else "joinDF₁", named("number"), tables))
    row, shape = f"row{next(maker.fresh)}", maker.random.choice((R, D))
    left = with_box(maker, first[0], maker.of(shape, depth - 1, scope))
    held = ast.FrameOp(SPAN, "joinDF" if most else "joinDF₁", named("number"), (*bound, left, second[0]))
    opened = prim("unbox", ast.FieldOf(SPAN, variable(row), named("held")))
    return prim("rows", ast.Filter(SPAN, held, named(row), prim("<", opened, stood(maker, shape))))


# ---------------------------------------------------------------------------------------------------------------------
# addColDF


def add(name: str, source: ast.SExp) -> ast.SExp:
    return ast.FrameOp(SPAN, "addColDF", named(name), (source,))


def of_record(maker: Maker, depth: int, scope: Scope) -> ast.SExp:
    """The fields of a record that is put together: one of them, or both."""
    record = f"rec{next(maker.fresh)}"
    fields = [maker.of(R, depth - 1, scope) for _ in range(2)]
    a, b = (ast.FieldOf(SPAN, variable(record), named(field)) for field in "ab")
    seen = maker.random.choice((a, b, prim("+", a, b), prim("⊔", a, b)))
    return ast.Let(SPAN, named(record), put_together(maker, fields), seen)


def put_together(maker: Maker, fields: list[ast.SExp]) -> ast.SExp:
    if maker.random.random() < 0.4:
        return ast.Record(SPAN, (named("a"), named("b")), tuple(fields))
    pair = ast.Pair(SPAN, add("a", fields[0]), fields[1])
    if maker.random.random() < 0.7:
        return add("b", pair)
    # A pair that is not written there, and is not by any writing out of names.
    return add("b", ast.If(SPAN, ast.BoolLit(SPAN, maker.random.random() < 0.5), pair, pair))


def renamed(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    """A table of one column, which gets a name, by which it is taken."""
    if grid.width != 1:
        return None
    return ast.Select(SPAN, add("a", maker.of(grid, depth - 1, scope)), (named("a"),))
