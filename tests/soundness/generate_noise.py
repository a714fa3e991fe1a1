"""Random noise on whole numbers, of other laws, on choices by their risks, and on reports that are shuffled."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck.notions import Notion
from tests.soundness.shapes import SPAN, D, Grid, N, Scalar, Scope, prim

if TYPE_CHECKING:
    from tests.soundness.generate_private import PrivateMaker

SCALES = tuple(map(Fraction, ("2", "4", "16")))
RATES = tuple(map(Fraction, ("0.25", "0.5", "1")))


def real(value: Fraction) -> ast.SExp:
    return ast.RealLit(SPAN, value)


def whole_anchor(private: PrivateMaker, scope: Scope) -> ast.SExp:
    """A natural number that moves with one of the names in scope, where one of them can be counted."""
    counted: list[ast.SExp] = []
    for name, shape in scope:
        here = ast.Var(SPAN, name)
        match shape:
            case Scalar("ℕ"):
                counted.append(here)
            case Scalar("𝕀[3]"):
                counted.append(prim("dyn", here))
            case Grid(rows=None):
                counted.append(prim("rows", here))
            case Scalar("ℝ"):
                signs = [ast.NatLit(SPAN, private.random.randrange(4)) for _ in range(2)]
                counted.append(ast.If(SPAN, prim("<", here, private.maker.number()), *signs))
            case _:
                pass
    return private.random.choice(counted) if counted else ast.NatLit(SPAN, 3)


def whole_noise(private: PrivateMaker, scope: Scope) -> ast.PExp | None:
    """``dlaplace`` and ``dgauss``."""
    if private.notion is Notion.GDP:
        return None
    name = "dgauss" if private.notion is Notion.ZCDP and private.random.random() < 0.8 else "dlaplace"
    body = whole_anchor(private, scope)
    choice = private.random.random()
    if choice < 0.3:
        body = prim("⋅", ast.NatLit(SPAN, private.random.randint(1, 3)), body)
    elif choice < 0.6:
        body = prim("+", body, whole_anchor(private, scope))
    elif choice < 0.8:
        body = prim(private.random.choice("+-⊔⊓"), body, private.maker.of(N, 2, scope))
    params = (private.sensitivity(), private.price())
    return ast.Mechanism(SPAN, name, params, None, private.listed(scope, body), None, body)


def wide_noise(private: PrivateMaker, scope: Scope) -> ast.PExp:
    """``ggauss``: the power 1 is Laplace noise, and 2 Gaussian."""
    gaussian = private.notion is Notion.GDP or (private.notion is Notion.ZCDP and private.random.random() < 0.5)
    body = private.number(scope)
    power = real(Fraction(2 if gaussian else 1))
    params = (private.sensitivity(), power, real(private.random.choice(SCALES)))
    return ast.Mechanism(SPAN, "ggauss", params, None, private.listed(scope, body), None, body)


def canonical(private: PrivateMaker, scope: Scope) -> ast.PExp | None:
    """Canonical noise of (ε, 0)."""
    if private.notion is Notion.GDP:
        return None
    body = private.number(scope)
    params = (private.sensitivity(), private.price())
    return ast.Mechanism(SPAN, "canonical", params, None, private.listed(scope, body), None, body)


def gibbs(private: PrivateMaker, scope: Scope) -> ast.PExp | None:
    """A choice by risks, where each input is charged for how far it moves them."""
    if private.notion is Notion.GDP:
        return None
    i, j, binder = private.name("i"), private.name("j"), private.name("c")
    sizes = [ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(size), False)) for size in (1, 3)]
    column = prim("real", ast.Var(SPAN, j))
    candidates = ast.MCreate(SPAN, Norm.LINF, sizes[0], sizes[1], ast.Name(SPAN, i), ast.Name(SPAN, j), column)
    risk = prim(private.random.choice("+-⊓"), private.number(scope), ast.Var(SPAN, binder))
    made = ast.Mechanism(
        SPAN,
        "gibbs",
        (real(private.random.choice(RATES)),),
        candidates,
        private.listed(scope, risk),
        ast.Name(SPAN, binder),
        risk,
    )
    return ast.Bind(SPAN, ast.Name(SPAN, private.name("all")), made, private.returned())


def shuffled(private: PrivateMaker, depth: int, scope: Scope) -> ast.PExp | None:
    """A report of each row, in random order; now and then the report sees more than its row."""
    known = [
        (name, shape)
        for name, shape in scope
        if isinstance(shape, Grid) and shape.norm is Norm.LINF and shape.element == D and shape.rows is not None
    ]
    if not known:
        return None
    name, shape = private.random.choice(known)
    grid = shape.bare
    table: ast.SExp = ast.Var(SPAN, name)
    if private.random.random() < 0.3:
        table = private.maker.of(grid, 1, scope)
    size: ast.SExp = prim("rows", ast.Var(SPAN, name))
    if isinstance(grid.rows, int) and private.random.random() < 0.5:
        size = ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(grid.rows), False))
    row = private.name("row")
    own: Scope = ((row, evolve(grid, rows=1)),)
    inside = (*scope, *own) if private.random.random() < 0.25 else own
    body = private.of(depth - 1, inside)
    made = ast.Sample(SPAN, "shuffle", size, (table,), (ast.Name(SPAN, row),), body)
    return ast.Bind(SPAN, ast.Name(SPAN, private.name("all")), made, private.returned())
