"""Numbers that are read out of tables: folds, entries, gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from tests.soundness.shapes import LOSSES, NORMS, SPAN, B, D, Grid, R, Scalar, Scope, Shape, clip, prim

if TYPE_CHECKING:
    from tests.soundness.generate import Maker


def summed(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """A fold that adds, of fixed or unknown rows."""
    grid = maker.some_grid(scope)
    if grid is None:
        return None
    state, row = f"acc{next(maker.fresh)}", f"row{next(maker.fresh)}"
    inside = (*scope, (row, evolve(grid, rows=1)))
    term = maker.of(R, depth - 1, inside)
    if grid.rows is None or maker.random.random() < 0.3:
        term = maker.clipped(maker.of(maker.random.choice((R, D)), depth - 1, inside))
    accumulated: ast.SExp = prim("+", ast.Var(SPAN, state), term)
    if maker.random.random() < 0.3:
        guard = maker.of(B, depth - 1, inside)
        accumulated = ast.If(SPAN, guard, accumulated, ast.Var(SPAN, state))
    source = maker.of(grid, depth - 1, scope)
    init = maker.of(R, depth - 2, scope)
    return ast.Fold(SPAN, init, source, ast.Name(SPAN, state), ast.Name(SPAN, row), accumulated)


def folded(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """Any fold of a fixed number of rows."""
    grid = maker.some_grid(scope, star=False)
    if grid is None:
        return None
    state, row = f"acc{next(maker.fresh)}", f"row{next(maker.fresh)}"
    inside = (*scope, (state, R), (row, evolve(grid, rows=1)))
    body = prim("+", maker.of(R, depth - 1, inside), prim("⋅", maker.factor(), ast.Var(SPAN, state)))
    source = maker.of(grid, depth - 1, scope)
    return ast.Fold(SPAN, maker.of(R, depth - 2, scope), source, ast.Name(SPAN, state), ast.Name(SPAN, row), body)


def picked(maker: Maker, depth: int, scope: Scope, shape: Shape = R) -> ast.SExp | None:
    """The largest or smallest of a number a row, or whether all or any hold, of any number of rows."""
    grid = maker.some_grid(scope)
    if grid is None or (grid.rows is None and grid.element != D):
        return None
    state, row = f"acc{next(maker.fresh)}", f"row{next(maker.fresh)}"
    term = maker.of(shape, depth - 1, (*scope, (row, evolve(grid, rows=1))))
    init = maker.of(shape, depth - 2, scope)
    if shape == R:
        term, init = maker.clipped(term), maker.clipped(init)
    operands = (ast.Var(SPAN, state), term)
    sign = maker.random.choice("∧∨" if shape == B else "⊔⊓")
    body = prim(sign, *(operands if maker.random.random() < 0.5 else operands[::-1]))
    return ast.Fold(SPAN, init, maker.of(grid, depth - 1, scope), ast.Name(SPAN, state), ast.Name(SPAN, row), body)


def by_columns(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """An entry of a row of numbers, one for each column."""
    grid = maker.some_grid(scope)
    if grid is None:
        return None
    column = f"col{next(maker.fresh)}"
    body = maker.of(R, depth - 1, (*scope, (column, evolve(grid, width=1))))
    made = ast.Map(SPAN, "mmap-col", (maker.of(grid, depth - 1, scope),), (ast.Name(SPAN, column),), body)
    place = ast.NatLit(SPAN, maker.random.randrange(grid.width))
    return ast.Index(SPAN, made, ast.NatLit(SPAN, 0), place)


def zipped(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """A sum over two tables side by side."""
    grid = maker.some_grid(scope, star=False)
    if grid is None:
        return None
    other = evolve(grid, norm=maker.random.choice(NORMS), element=maker.random.choice((R, D)))
    state, row = f"acc{next(maker.fresh)}", f"row{next(maker.fresh)}"
    left, right = f"l{next(maker.fresh)}", f"r{next(maker.fresh)}"
    inside = (*scope, (left, evolve(grid, rows=1)), (right, evolve(other, rows=1)))
    entry = ast.Index(SPAN, ast.Var(SPAN, row), ast.NatLit(SPAN, 0), ast.NatLit(SPAN, 0))
    term = maker.of(R, depth - 1, inside)
    body = ast.LetPair(SPAN, ast.Name(SPAN, left), ast.Name(SPAN, right), entry, term)
    tables = prim("zip", maker.of(grid, depth - 1, scope), maker.of(other, depth - 1, scope))
    accumulated = prim("+", ast.Var(SPAN, state), body)
    return ast.Fold(SPAN, maker.number(), tables, ast.Name(SPAN, state), ast.Name(SPAN, row), accumulated)


def gradient(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """An entry of a mean gradient; the labels may be a column of the features' table, or another one."""
    grid = maker.some_grid(scope, D, star=False)
    if grid is None or (isinstance(grid.rows, int) and grid.rows == 1 and maker.random.random() < 0.5):
        return None
    source = maker.of(grid, depth - 1, scope)
    name, row = f"g{next(maker.fresh)}", f"row{next(maker.fresh)}"
    table = ast.Var(SPAN, name)
    column = ast.Index(SPAN, ast.Var(SPAN, row), ast.NatLit(SPAN, 0), ast.NatLit(SPAN, grid.width - 1))
    labels: ast.SExp = ast.Map(SPAN, "mmap-row", (table,), (ast.Name(SPAN, row),), column)
    if maker.random.random() < 0.4:
        labels = maker.of(evolve(grid, width=1), depth - 1, (*scope, (name, grid)))
    loss, numbers, classes = maker.random.choice(LOSSES)
    model = maker.created(Grid(Norm.LINF, 1, classes * grid.width, R), depth - 1, scope)
    features = clip(maker.random.choice(NORMS), maker.random.choice((1, 3)), table)
    made = ast.Prim(SPAN, "∇", (model, features, labels), bounds=numbers, loss=loss)
    return ast.Let(SPAN, ast.Name(SPAN, name), source, ast.Index(SPAN, made, ast.NatLit(SPAN, 0), ast.NatLit(SPAN, 0)))


def entry(maker: Maker, element: Scalar, depth: int, scope: Scope) -> ast.SExp | None:
    grid = maker.some_grid(scope, element, star=False)
    if grid is None:
        return None
    rows = grid.rows if isinstance(grid.rows, int) else 1
    i, j = maker.random.randrange(rows), maker.random.randrange(grid.width)
    source = maker.of(grid, depth - 1, scope)
    place: tuple[ast.SExp, ...] = (ast.NatLit(SPAN, i), ast.NatLit(SPAN, j))
    if maker.random.random() < 0.3:
        place = tuple(prim("idx", at) for at in place)
    if maker.random.random() < 0.2:
        return ast.Index(SPAN, ast.Index(SPAN, source, place[0], None), ast.NatLit(SPAN, 0), place[1])
    return ast.Index(SPAN, source, *place)
