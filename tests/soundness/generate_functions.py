"""Random privacy programs about functions: kept in pairs, chosen by what was released, handed to others, given some of their
arguments; with kind variables of their own, whose numbers are another's at every call.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

from attrs import evolve

from duetpy.grammar import ast
from duetpy.typecheck.notions import Notion
from tests.soundness.generate import Maker
from tests.soundness.generate_private import PRICES, PrivateMaker
from tests.soundness.shapes import SPAN, D, N, R, Scalar, Scope, Shape, prim, written

SPENT = "e"
"""The kind variable of what a call spends; several functions have one of that name."""


def name(text: str) -> ast.Name:
    return ast.Name(SPAN, text)


def var(text: str) -> ast.Var:
    return ast.Var(SPAN, text)


def real(value: Fraction) -> ast.SExp:
    return ast.RealLit(SPAN, value)


def positive(text: str) -> ast.KindBinding:
    return ast.KindBinding(SPAN, text, ast.Kind.POS)


def static(text: str) -> ast.Type:
    return ast.TStaticReal(SPAN, ast.RVar(SPAN, text), False, False)


def spending(private: PrivateMaker, shape: Shape) -> ast.PLam:
    """``pλ e : ℝ⁺ . p : τ, s : ℝ⁺[e] ⇒`` a release of p for e, or for twice e."""
    data, number = private.name("p"), private.name("s")
    body = private.number(((data, shape),))
    spent: ast.SExp = var(number)
    noise = "laplace" if private.notion is Notion.PURE else "gauss"
    released = ast.Mechanism(SPAN, noise, (None, spent), None, None, None, body)
    params = (
        ast.Param(SPAN, name(data), written(shape)),
        ast.Param(SPAN, name(number), static(SPENT)),
    )
    return ast.PLam(SPAN, (positive(SPENT),), params, released)


def called(private: PrivateMaker, function: ast.SExp, shape: Shape, scope: Scope) -> ast.PExp:
    """A call at a number, its kind written or not."""
    price = private.random.choice(PRICES)
    kinds = (ast.RNum(SPAN, price, True),) if private.random.random() < 0.5 else ()
    return ast.PApp(SPAN, function, kinds, (argument(private, shape, scope), real(price)))


def argument(private: PrivateMaker, shape: Shape, scope: Scope) -> ast.SExp:
    if shape == R and private.random.random() < 0.7:
        return private.anchor(scope)
    return private.maker.of(shape, 1, scope)


def both(private: PrivateMaker, first: ast.PExp, second: ast.PExp) -> ast.PExp:
    return ast.Bind(SPAN, name(private.name("u")), first, second)


def in_a_pair(private: PrivateMaker, shape: Shape, scope: Scope) -> ast.PExp:
    """Two functions in a pair, taken out of it and called in any order."""
    pair, left, right = private.name("q"), private.name("f"), private.name("g")
    functions = ast.Pair(SPAN, spending(private, shape), spending(private, shape))
    order = private.random.sample([left, right, private.random.choice([left, right])], 3)
    calls = [called(private, var(text), shape, scope) for text in order]
    body = both(private, calls[0], both(private, calls[1], calls[2]))
    opened = ast.PLetPair(SPAN, name(left), name(right), var(pair), body)
    return ast.PLet(SPAN, name(pair), functions, opened)


def chosen(private: PrivateMaker, shape: Shape, scope: Scope) -> ast.PExp:
    """One of two functions, by a number that was released, or by a case of it."""
    seen, function = private.name("u"), private.name("f")
    guard = prim("<", var(seen), private.maker.number())
    alike = spending(private, shape)
    other = evolve(alike, body=evolve(alike.body, body=private.number(((alike.params[0].name.text, shape),))))
    choice: ast.SExp = ast.If(SPAN, guard, alike, other)
    calls = both(private, called(private, var(function), shape, scope), called(private, var(function), shape, scope))
    return ast.Bind(SPAN, name(seen), private.noise(scope), ast.PLet(SPAN, name(function), choice, calls))


def handed_over(private: PrivateMaker, shape: Shape, scope: Scope) -> ast.PExp:
    """A function that calls the one that it is given twice, at numbers of its own."""
    twice, function, data = private.name("h"), private.name("f"), private.name("y")
    rate = ast.RVar(SPAN, SPENT)
    cost, free = ast.CostExp(SPAN, (rate,)), ast.CostExp(SPAN, (ast.RNum(SPAN, Fraction(0), False),))
    wanted = ast.TPFun(
        SPAN,
        (positive(SPENT),),
        (ast.PrivateParam(SPAN, written(shape), cost), ast.PrivateParam(SPAN, static(SPENT), free)),
        written(R),
    )
    inner: Scope = ((data, shape),)
    body = both(private, called(private, var(function), shape, inner), called(private, var(function), shape, inner))
    given = ast.PLam(SPAN, (), (ast.Param(SPAN, name(data), written(shape)),), body)
    made = ast.Lam(SPAN, (), (ast.Param(SPAN, name(function), wanted),), given)
    call = ast.PApp(SPAN, ast.App(SPAN, var(twice), spending(private, shape)), (), (argument(private, shape, scope),))
    return ast.PLet(SPAN, name(twice), made, call)


def in_part(private: PrivateMaker, shape: Shape, scope: Scope) -> ast.PExp:
    """``let f = sλ e : ℝ⁺ . k : ℝ⁺[e], z : ℝ ⇒ …``, given its number once or twice before it is used."""
    scaled, first, second = private.name("f"), private.name("g"), private.name("h")
    number, data = private.name("k"), private.name("z")
    products = [
        prim("⋅", var(number), var(data)),
        prim("⋅", prim("+", var(number), var(number)), var(data)),
        prim("/", var(data), prim("⋅", var(number), var(number))),
        prim("⋅", prim("⋅", ast.Prim(SPAN, "√", (var(number),)), ast.Prim(SPAN, "√", (var(number),))), var(data)),
    ]
    params = (
        ast.Param(SPAN, name(number), static(SPENT)),
        ast.Param(SPAN, name(data), written(R)),
    )
    function = ast.Lam(SPAN, (positive(SPENT),), params, private.random.choice(products))
    parts = [ast.App(SPAN, var(scaled), real(private.random.choice(PRICES))) for _ in range(2)]
    used = [ast.App(SPAN, var(text), private.anchor(scope)) for text in (first, second, first)]
    total = prim("+", prim(private.random.choice("+-⊔"), used[0], used[1]), used[2])
    noise = "laplace" if private.notion is Notion.PURE else "gauss"
    made: ast.PExp = ast.Mechanism(SPAN, noise, (None, private.price()), None, None, None, total)
    for text, value in ((second, parts[1]), (first, parts[0]), (scaled, function)):
        made = ast.PLet(SPAN, name(text), value, made)
    return made


FORMS: tuple[Callable[[PrivateMaker, Shape, Scope], ast.PExp], ...] = (in_a_pair, chosen, handed_over, in_part)


def random_function_program(seed: int, notion: Notion) -> ast.File:
    """A privacy function of two parameters, in which one or two of the forms above stand."""
    source = random.Random(seed)
    private = PrivateMaker(Maker(source), notion)
    scope: Scope = tuple((text, source.choice([R, R, D, N])) for text in "xy")
    shape: Scalar = source.choice([R, R, D, N])
    body = source.choice(FORMS)(private, shape, scope)
    if source.random() < 0.5:
        body = both(private, body, source.choice(FORMS)(private, shape, scope))
    params = tuple(ast.Param(SPAN, name(text), written(kind)) for text, kind in scope)
    return ast.File(SPAN, None, (), (), ast.PLam(SPAN, (), params, body))
