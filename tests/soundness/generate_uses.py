"""Random uses of functions: with kinds and types, written and inferred, and handed to other functions."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Kind, Norm
from tests.soundness.shapes import DN, NORMS, SPAN, D, Grid, N, R, Scalar, Scope, Shape, prim, written, written_rows

if TYPE_CHECKING:
    from tests.soundness.generate import Maker


def variable(name: str) -> ast.Var:
    return ast.Var(SPAN, name)


def param(name: str, type_: ast.Type) -> ast.Param:
    return ast.Param(SPAN, ast.Name(SPAN, name), type_)


def call(
    maker: Maker, function: ast.Lam, kinds: tuple[ast.RExp | ast.Type, ...], arguments: list[ast.SExp]
) -> ast.SExp:
    """A function, named or not, at kinds that are written or left out."""
    name = f"f{next(maker.fresh)}"
    named = maker.random.random() < 0.6
    here: ast.SExp = variable(name) if named else function
    if kinds and maker.random.random() < 0.5:
        here = ast.TypeApp(SPAN, here, kinds)
    for argument in arguments:
        here = ast.App(SPAN, here, argument)
    return ast.Let(SPAN, ast.Name(SPAN, name), function, here) if named else here


def of_any_size(maker: Maker, shape: Shape, depth: int, scope: Scope) -> ast.SExp | None:
    """A function of a table with any number of rows, given one with a known number."""
    grid = maker.some_grid(scope, star=False)
    if grid is None or isinstance(shape, Grid):
        return None
    if maker.random.random() < 0.3 and NORMS.index(grid.norm) > 0:
        grid = evolve(grid, norm=maker.random.choice(NORMS[: NORMS.index(grid.norm)]))
    size, name = f"k{next(maker.fresh)}", f"t{next(maker.fresh)}"
    inner = evolve(grid, rows=size)
    wanted = inner
    if maker.random.random() < 0.3:
        # A parameter of a coarser metric takes it at the same price.
        wanted = evolve(inner, norm=Norm.LINF)
    captured = scope if maker.random.random() < 0.5 else ()
    body = maker.of(shape, depth - 1, (*captured, (name, wanted)))
    function = ast.Lam(SPAN, (ast.KindBinding(SPAN, size, Kind.NAT),), (param(name, written(wanted)),), body)
    rows = written_rows(grid.rows)
    assert rows is not None
    return call(maker, function, (rows,), [maker.of(grid, depth - 1, scope)])


def of_any_type(maker: Maker, shape: Shape, depth: int, scope: Scope) -> ast.SExp | None:
    """A function of any type: a pair of its argument and something else, of which the first is taken."""
    if not isinstance(shape, Scalar):
        return None
    variable_name, name = f"τ{next(maker.fresh)}", f"a{next(maker.fresh)}"
    lazy = maker.random.random() < 0.5
    pair = ast.Pair(SPAN, variable(name), maker.of(R, depth - 2, scope), lazy=lazy)
    binding = ast.KindBinding(SPAN, variable_name, Kind.TYPE)
    function = ast.Lam(SPAN, (binding,), (param(name, ast.TVar(SPAN, variable_name)),), pair)
    made = call(maker, function, (written(shape),), [prim("dyn", maker.of(shape, depth - 1, scope))])
    if shape not in (R, N):
        made = call(maker, function, (written(shape),), [maker.of(shape, depth - 1, scope)])
    return prim("fst", made)


def scaled(maker: Maker, depth: int, scope: Scope) -> ast.SExp:
    """A function that multiplies by a known number, whatever it is."""
    kind, c, x = f"c{next(maker.fresh)}", f"s{next(maker.fresh)}", f"a{next(maker.fresh)}"
    number = ast.RVar(SPAN, kind)
    body = maker.of(R, depth - 2, (*scope, (x, R)))
    product = prim("⋅", variable(c), prim("+", variable(x), body))
    params = (param(c, ast.TStaticReal(SPAN, number, False, False)), param(x, written(R)))
    function = ast.Lam(SPAN, (ast.KindBinding(SPAN, kind, Kind.POS),), params, product)
    factor = maker.random.choice((Fraction(2), Fraction(1, 2), Fraction(5, 2)))
    given = [ast.RealLit(SPAN, factor), maker.of(R, depth - 1, scope)]
    return call(maker, function, (ast.RNum(SPAN, factor, True),), given)


def higher(maker: Maker, depth: int, scope: Scope) -> ast.SExp:
    """A function of a function, given one that moves less or takes more."""
    f, x, y = f"h{next(maker.fresh)}", f"a{next(maker.fresh)}", f"b{next(maker.fresh)}"
    domain = maker.random.choice((R, N))
    arrow = ast.TFun(SPAN, (), written(domain), ast.RNum(SPAN, Fraction(3), True), written(R))
    taken: ast.SExp = ast.App(SPAN, variable(f), maker.of(domain, depth - 2, scope))
    if maker.random.random() < 0.4:
        taken = prim("+", taken, ast.App(SPAN, variable(f), maker.of(domain, depth - 2, scope)))
    user = ast.Lam(SPAN, (), (param(f, arrow),), taken)
    inner: ast.SExp = variable(x) if domain == R else prim("real", variable(x))
    factor = ast.RealLit(SPAN, maker.random.choice((Fraction(2), Fraction(-3), Fraction(1, 2))))
    body = prim("+", prim("⋅", factor, inner), maker.of(R, depth - 2, scope))
    given = ast.Lam(SPAN, (), (param(x, written(domain)),), body)
    return ast.Let(SPAN, ast.Name(SPAN, y), given, ast.App(SPAN, user, variable(y)))


def rows_as_unknown(maker: Maker, depth: int, scope: Scope) -> ast.SExp | None:
    """A function of a table of unknown size, given one of a known size: at the price of the other metric."""
    grid = maker.some_grid(scope, D, star=False)
    if grid is None:
        return None
    grid = evolve(grid, norm=Norm.LINF)
    name = f"t{next(maker.fresh)}"
    unknown = evolve(grid, rows=None)
    body = maker.of(R, depth - 1, ((name, unknown),))
    counted = prim("+", prim("real", prim("rows", variable(name))), body)
    function = ast.Lam(SPAN, (), (param(name, written(unknown)),), counted)
    return call(maker, function, (), [maker.of(grid, depth - 1, scope)])


def discrete_natural(maker: Maker, depth: int, scope: Scope) -> ast.SExp:
    def sub(shape: Shape = DN) -> ast.SExp:
        return maker.of(shape, depth - 1, scope)

    return maker.pick(
        [
            (3, lambda: prim(maker.random.choice("+-⋅⊔⊓%"), sub(), sub())),
            (3, lambda: prim("disc", sub(N))),
            (1, lambda: prim(maker.random.choice("⋅%"), sub(N), sub(N))),
            (1, lambda: prim("⋅", prim("disc", maker.natural()), sub())),
            (1, lambda: prim("disc", maker.natural())),
        ]
    )
