"""Random matrices and tables: filtered, mapped, updated, clipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from tests.soundness import generate_frames as frames
from tests.soundness import generate_tables as tables
from tests.soundness.shapes import NORMS, SPAN, B, D, Grid, R, Scalar, Scope, clip, prim, renorm

if TYPE_CHECKING:
    from tests.soundness.generate import Maker


def filtered(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
    row = f"row{next(maker.fresh)}"
    source = maker.of(grid, depth - 1, scope)
    body = maker.of(B, depth - 1, (*scope, (row, evolve(grid, rows=1))))
    return ast.Filter(SPAN, source, ast.Name(SPAN, row), body)


def mapped(maker: Maker, grid: Grid, depth: int, scope: Scope, element: Scalar) -> ast.SExp:
    name = f"e{next(maker.fresh)}"
    source = maker.of(evolve(grid, element=element), depth - 1, scope)
    body = maker.of(grid.element, depth - 1, (*scope, (name, element)))
    return ast.Map(SPAN, "mmap", (source,), (ast.Name(SPAN, name),), body)


def mapped_two(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
    names = [f"e{next(maker.fresh)}", f"e{next(maker.fresh)}"]
    elements = [maker.random.choice((R, D)), grid.element]
    finer = [norm for norm in NORMS if norm.value <= grid.norm.value]
    norms = [grid.norm, maker.random.choice(finer)]
    sources = tuple(
        maker.of(evolve(grid, element=element, norm=norm), depth - 1, scope)
        for element, norm in zip(elements, norms, strict=True)
    )
    body = maker.of(grid.element, depth - 1, (*scope, *zip(names, elements, strict=True)))
    return ast.Map(SPAN, "mmap", sources, tuple(ast.Name(SPAN, name) for name in names), body)


def mapped_rows(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    """Row by row: into rows of any shape, or into one column."""
    source_shape = maker.some_grid(scope, star=grid.rows is None)
    if source_shape is None or source_shape.rows != grid.rows:
        return None
    row = f"row{next(maker.fresh)}"
    inside = (*scope, (row, evolve(source_shape, rows=1)))
    if grid.width == 1 and grid.norm is Norm.LINF and maker.random.random() < 0.5:
        body = maker.of(grid.element, depth - 1, inside)
    else:
        body = maker.of(evolve(grid, rows=1), depth - 1, inside)
    source = maker.of(source_shape, depth - 1, scope)
    return ast.Map(SPAN, "mmap-row", (source,), (ast.Name(SPAN, row),), body)


def mapped_columns(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    source_shape = maker.some_grid(scope, star=False)
    if source_shape is None or grid.rows != 1 or grid.norm is not Norm.LINF or source_shape.width != grid.width:
        return None
    column = f"col{next(maker.fresh)}"
    body = maker.of(grid.element, depth - 1, (*scope, (column, evolve(source_shape, width=1))))
    return ast.Map(SPAN, "mmap-col", (maker.of(source_shape, depth - 1, scope),), (ast.Name(SPAN, column),), body)


def updated(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
    rows = grid.rows if isinstance(grid.rows, int) else 1
    i, j = maker.random.randrange(rows), maker.random.randrange(grid.width)
    source = maker.of(grid, depth - 1, scope)
    value = maker.of(grid.element, depth - 1, scope)
    return ast.Update(SPAN, source, ast.NatLit(SPAN, i), ast.NatLit(SPAN, j), value)


def binned(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp | None:
    """How many rows of a table each bin has, or something like it."""
    counted = maker.some_grid(scope)
    if grid.rows is None or counted is None or counted.element != D:
        return None
    i, j, row = (f"{name}{next(maker.fresh)}" for name in "ijr")
    key = maker.of(D, depth - 1, (*scope, (row, evolve(counted, rows=1))))
    by_row, by_column = (prim("disc", prim("real", ast.Var(SPAN, name))) for name in (i, j))
    column = maker.random.choice((by_column, by_column, by_column, by_row))
    condition = prim(maker.random.choice(("≡", "≡", "≡", "<")), *maker.random.choice(((key, column), (column, key))))
    if maker.random.random() < 0.3:
        other = maker.of(D, depth - 1, (*scope, (row, evolve(counted, rows=1))))
        other = maker.random.choice((other, prim("+", other, by_column)))
        condition = prim("∧", condition, prim("≡", other, by_row))
    if maker.random.random() < 0.3:
        condition = prim(maker.random.choice("∧∧∨"), condition, maker.of(B, depth - 2, scope))
    part = ast.Filter(SPAN, maker.of(counted, depth - 1, scope), ast.Name(SPAN, row), condition)
    width = ast.NatLit(SPAN, grid.width)
    body = prim("real", prim("rows", part))
    return ast.MCreate(SPAN, grid.norm, maker.size(grid, scope), width, ast.Name(SPAN, i), ast.Name(SPAN, j), body)


def real_grid(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
    def sub(**changes: Norm | Scalar) -> ast.SExp:
        return maker.of(evolve(grid, **changes), depth - 1, scope)

    def converted() -> ast.SExp:
        inner = clip(grid.norm, maker.random.choice((1, 3)), sub(element=D, norm=Norm.LINF))
        return prim("mconv", inner)

    return maker.pick(
        [
            (2, lambda: maker.created(grid, depth, scope)),
            (3, lambda: mapped(maker, grid, depth, scope, R)),
            (3, lambda: mapped(maker, grid, depth, scope, D)),
            (2, lambda: mapped_two(maker, grid, depth, scope)),
            (3, lambda: mapped_rows(maker, grid, depth, scope)),
            (2, lambda: mapped_columns(maker, grid, depth, scope)),
            (2, lambda: updated(maker, grid, depth, scope)),
            (2, lambda: tables.by_columns(maker, grid, depth, scope)),
            (2, lambda: tables.transposed(maker, grid, depth, scope)),
            (2, lambda: tables.product(maker, grid, depth, scope)),
            (2, lambda: tables.one_row(maker, grid, depth, scope)),
            (2, lambda: tables.converted(maker, grid, depth, scope)),
            (3, lambda: clip(maker.random.choice(NORMS), maker.random.choice((1, 2)), sub())),
            (3, lambda: renorm(grid.norm, sub(norm=maker.random.choice(NORMS)))),
            (4, converted),
            (2, lambda: frames.bag(maker, grid, depth, scope)),
            (2, lambda: maker.created(grid, depth, scope)),
            (2, lambda: binned(maker, grid, depth, scope)),
            (0, lambda: maker.created(grid, depth, scope)),
        ]
    )


def discrete_grid(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
    def sub(**changes: Norm | Scalar) -> ast.SExp:
        return maker.of(evolve(grid, **changes), depth - 1, scope)

    def clipped() -> ast.SExp | None:
        norm = maker.random.choice(NORMS)
        return clip(norm, 2, sub()) if grid.norm is Norm.LINF or norm is Norm.LINF else None

    return maker.pick(
        [
            (1, lambda: maker.created(grid, depth, scope)),
            (3, lambda: mapped(maker, grid, depth, scope, D)),
            (1, lambda: mapped(maker, grid, depth, scope, R)),
            (1, lambda: mapped_two(maker, grid, depth, scope)),
            (2, lambda: mapped_rows(maker, grid, depth, scope)),
            (1, lambda: updated(maker, grid, depth, scope)),
            (1, lambda: tables.by_columns(maker, grid, depth, scope)),
            (1, lambda: tables.transposed(maker, grid, depth, scope)),
            (1, lambda: tables.product(maker, grid, depth, scope)),
            (1, lambda: tables.one_row(maker, grid, depth, scope)),
            (3, lambda: tables.row_gradients(maker, grid, depth, scope)),
            (1, lambda: tables.selected(maker, grid, depth, scope)),
            (3, clipped),
            (1, lambda: frames.bag(maker, grid, depth, scope)),
            (1, lambda: frames.renamed(maker, grid, depth, scope)),
            (2, lambda: renorm(grid.norm, sub(norm=maker.random.choice(NORMS)))),
            (2, lambda: maker.created(grid, depth, scope)),
        ]
    )


def table(maker: Maker, grid: Grid, depth: int, scope: Scope) -> ast.SExp:
    """★ rows: from a parameter, or filtered out of a fixed number of rows."""
    fixed = maker.some_grid(scope, D, star=False)
    suits = fixed is not None and fixed.norm is Norm.LINF and fixed.width == grid.width
    return maker.pick(
        [
            (3, lambda: maker.variable(grid, scope)),
            (3, lambda: filtered(maker, fixed, depth, scope) if fixed is not None and suits else None),
            (3, lambda: filtered(maker, grid, depth, scope) if maker.variable(grid, scope) else None),
            (2, lambda: clip(tables.clip_for(maker, grid), 2, maker.of(grid, depth - 1, scope))),
            (2, lambda: mapped(maker, grid, depth, scope, D)),
            (2, lambda: mapped_rows(maker, grid, depth, scope)),
            (2, lambda: tables.joined(maker, grid, depth, scope)),
            (1, lambda: tables.product(maker, grid, depth, scope)),
            (1, lambda: tables.selected(maker, grid, depth, scope)),
            (2, lambda: frames.bag(maker, grid, depth, scope)),
            (1, lambda: frames.renamed(maker, grid, depth, scope)),
            (2, lambda: renorm(grid.norm, maker.of(evolve(grid, norm=maker.random.choice(NORMS)), depth - 1, scope))),
            (1, lambda: maker.leaf(grid, scope)),
        ]
    )
