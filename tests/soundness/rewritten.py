"""Programs written in another way, and what that may do to a claim.

Some rewritings say the same in other words: a part gets a name before the form in which it stands, the branches of a choice and the
operands of a sum change places, the body becomes the call of a function, a loop is cut in two, an input comes to it that nothing
uses. Of these no claim may become smaller, and most must stay as they are. Others hand a value on by a form that may know less of
it: then the claim may grow.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import count
from typing import Any, TypeAlias

import attrs
from attrs import evolve, frozen

from duetpy.accounting.expressions import Part
from duetpy.accounting.price import Price, price
from duetpy.grammar import ast
from duetpy.grammar.ast import Kind
from duetpy.grammar.binders import flat, scopes
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.notions import ORDERS
from duetpy.typecheck.quantity import KindVar, Quantity
from tests.soundness.generate_functions import name, var
from tests.soundness.shapes import SPAN, prim

Path: TypeAlias = "tuple[tuple[str, int | None], ...]"
"""The way down to a part: fields, and places in those that hold several parts."""

FRESH = count()


def fresh() -> str:
    return f"again{next(FRESH)}"


def number(value: int) -> ast.SExp:
    return ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(value), False))


# ---------------------------------------------------------------------------------------------------------------------
# Parts of a tree


@frozen(eq=False)
class Spot:
    """An expression, and where it stands.

    Parameters
    ----------
    path, node
        The way down to it, and itself.
    parent
        The form that it stands in.
    is_inner
        Whether the form binds names there, or may leave it out.
    """

    path: Path
    node: ast.Node
    parent: ast.Node
    is_inner: bool


CHOSEN = {
    ast.If: ("then", "otherwise"),
    ast.PIf: ("then", "otherwise"),
    ast.Case: ("left_body", "right_body"),
    ast.PCase: ("left_body", "right_body"),
    ast.CaseMissing: ("there", "absent"),
    ast.PCaseMissing: ("there", "absent"),
}
"""What runs in some cases only; the conditions of the others are not those of what stands around them."""
BODIES = ("body", "key_of", "then")


def spots(body: ast.SExp | ast.PExp) -> Iterator[Spot]:
    """All expressions in an expression but for itself."""
    pending: list[tuple[Path, ast.Node]] = [((), body)]
    while pending:
        path, parent = pending.pop()
        bound = {id(inner): names for inner, names in scopes(parent)}
        for attribute in attrs.fields(type(parent)):
            value = getattr(parent, attribute.name)
            parts = enumerate(value) if isinstance(value, tuple) else [(None, value)]
            for place, part in parts:
                if id(part) not in bound:
                    continue
                step = (*path, (attribute.name, place))
                is_inner = bool(bound[id(part)]) or attribute.name in (*CHOSEN.get(type(parent), ()), *BODIES)
                yield Spot(step, part, parent, is_inner and not isinstance(parent, ast.Mechanism))
                pending.append((step, part))


def at(node: Any, path: Path) -> Any:
    for attribute, place in path:
        node = getattr(node, attribute) if place is None else getattr(node, attribute)[place]
    return node


def put(node: Any, path: Path, part: Any) -> Any:
    """A tree with another part in one place."""
    if not path:
        return part
    (attribute, place), *rest = path
    value = getattr(node, attribute)
    if place is None:
        return evolve(node, **{attribute: put(value, tuple(rest), part)})
    return evolve(node, **{attribute: (*value[:place], put(value[place], tuple(rest), part), *value[place + 1 :])})


LITERALS = (ast.NatLit, ast.RealLit, ast.StrLit, ast.BoolLit, ast.DateLit, ast.StaticNat, ast.StaticReal)


def is_value(spot: Spot) -> bool:
    """Whether another expression of the same value may stand there."""
    is_expected = isinstance(spot.parent, ast.PLam) or (
        isinstance(spot.parent, ast.Mechanism) and spot.parent.name in ("noisy-descent", "given")
    )
    is_function = isinstance(spot.parent, ast.PFoldRows) and spot.path[-1][0] == "function"
    return isinstance(spot.node, ast.SExp) and not (isinstance(spot.node, LITERALS) or is_expected or is_function)


Rewriting: TypeAlias = Callable[[random.Random, Any], Any]
"""Another program, or None where there is nothing to be rewritten."""


def one_of(source: random.Random, body: Any, fits: Callable[[Spot], bool]) -> Spot | None:
    found = [spot for spot in spots(body) if fits(spot)]
    return source.choice(found) if found else None


def each_as(make: Callable[[Any], Any], fits: Callable[[Spot], bool] = is_value) -> Rewriting:
    """One part, written in another way."""

    def rewrite(source: random.Random, body: Any) -> Any:
        spot = one_of(source, body, fits)
        return None if spot is None else put(body, spot.path, make(spot.node))

    return rewrite


# ---------------------------------------------------------------------------------------------------------------------
# The same in other words


def named_before(source: random.Random, body: Any) -> Any:
    """``… e …`` as ``let v = e in … v …``, around the form in which e stands."""
    spot = one_of(
        source, body, lambda each: is_value(each) and not each.is_inner and not isinstance(each.node, ast.Var)
    )
    if spot is None:
        return None
    new, above = fresh(), spot.path[:-1]
    inside = put(spot.parent, spot.path[-1:], var(new))
    form = ast.PLet if isinstance(spot.parent, ast.PExp) else ast.Let
    return put(body, above, form(SPAN, name(new), spot.node, inside))


def named(node: ast.SExp) -> ast.SExp:
    new = fresh()
    return ast.Let(SPAN, name(new), node, var(new))


def denied(node: ast.If | ast.PIf) -> ast.If | ast.PIf:
    """``if not g then b else a``."""
    guard = prim("≡", node.guard, ast.BoolLit(SPAN, False))
    return evolve(node, guard=guard, then=node.otherwise, otherwise=node.then)


COMMUTES = frozenset("+⊔⊓∧∨≡")


def commutes(spot: Spot) -> bool:
    return isinstance(spot.node, ast.Prim) and spot.node.name in COMMUTES and len(spot.node.args) == 2


def as_call(source: random.Random, body: Any) -> Any:
    """A privacy function that calls itself as it was, with its own parameters."""
    if not isinstance(body, ast.PLam) or body.ensures or any(each.type is None for each in flat(body.params)):
        return None
    own = tuple([var(param.name.text) for param in flat(body.params)])
    return evolve(body, body=ast.PApp(SPAN, ast.PLam(SPAN, (), body.params, body.body), (), own))


def turns(node: ast.Node) -> int:
    match node:
        case ast.PLoop(slack=None, count=ast.StaticNat(value=ast.RNum(value=value))):
            return int(value)
        case _:
            return 0


def cut(node: ast.PLoop) -> ast.PExp:
    """One iteration, and then the others."""
    state = fresh()
    rest = evolve(node, count=number(turns(node) - 1), init=var(state))
    return ast.Bind(SPAN, name(state), evolve(node, count=number(1)), rest)


def with_an_input(source: random.Random, body: Any) -> Any:
    """One parameter more, which nothing uses."""
    if not isinstance(body, ast.PLam | ast.Lam):
        return None
    place = source.randrange(len(body.params) + 1)
    real = ast.TBase(SPAN, "ℝ")
    added = ast.Param(SPAN, name(fresh()), source.choice((real, ast.TBag(SPAN, ast.TBase(SPAN, "𝕊")))))
    return evolve(body, params=(*body.params[:place], added, *body.params[place:]))


def returned(node: ast.PExp) -> ast.PExp:
    new = fresh()
    return ast.Bind(SPAN, name(new), node, ast.Return(SPAN, var(new)))


def is_private(spot: Spot) -> bool:
    return isinstance(spot.node, ast.PExp)


SAME: dict[str, Rewriting] = {
    "a part has a name": named_before,
    "a name for a part": each_as(named),
    "branches in the other order": each_as(denied, lambda spot: isinstance(spot.node, ast.If | ast.PIf)),
    "operands in the other order": each_as(lambda node: evolve(node, args=node.args[::-1]), commutes),
    "a call of the program": as_call,
    "a loop in two": each_as(cut, lambda spot: turns(spot.node) >= 2),
    "an input that nothing uses": with_an_input,
    "what is released is returned": each_as(returned, is_private),
}
"""Rewritings that keep a claim, but for what a rule knows by the form in which something is written."""


# ---------------------------------------------------------------------------------------------------------------------
# Handed on


def applied(node: ast.SExp) -> ast.SExp:
    new = fresh()
    return ast.App(SPAN, ast.Lam(SPAN, (), (ast.Param(SPAN, name(new), None),), var(new)), node)


def looped(node: ast.SExp) -> ast.SExp:
    index, state = fresh(), fresh()
    return ast.Loop(SPAN, number(2), node, name(index), name(state), var(state))


def cased(node: ast.SExp) -> ast.SExp:
    given = ast.Inject(SPAN, "inl", ast.TBase(SPAN, "ℝ"), ast.NatLit(SPAN, 1))
    return ast.Case(SPAN, given, name(fresh()), node, name(fresh()), node)


def opened(node: ast.SExp) -> ast.SExp:
    left, right = fresh(), fresh()
    pair = ast.Pair(SPAN, node, ast.NatLit(SPAN, 1))
    return ast.LetPair(SPAN, name(left), name(right), pair, var(left))


def chosen(node: Any) -> Any:
    form = ast.PIf if isinstance(node, ast.PExp) else ast.If
    return form(SPAN, ast.BoolLit(SPAN, True), node, node)


def repeated(node: ast.PExp) -> ast.PExp:
    """A loop of one iteration."""
    nothing = ast.RealLit(SPAN, Fraction(0))
    inside = ast.Bind(SPAN, name(fresh()), node, ast.Return(SPAN, nothing))
    return ast.PLoop(SPAN, None, number(1), nothing, None, name(fresh()), name(fresh()), inside)


HANDED_ON: dict[str, Rewriting] = {
    "through a pair": each_as(lambda node: prim("fst", ast.Pair(SPAN, node, ast.NatLit(SPAN, 1)))),
    "through a pair of which one part is taken": each_as(
        lambda node: prim("snd", ast.Pair(SPAN, ast.NatLit(SPAN, 1), node, True))
    ),
    "through a pair that is opened": each_as(opened),
    "through a box": each_as(lambda node: prim("unbox", prim("box", node))),
    "through a function": each_as(applied),
    "through a loop": each_as(looped),
    "through a choice": each_as(chosen, lambda spot: is_value(spot) or is_private(spot)),
    "through a case": each_as(cased),
    "in a loop of one iteration": each_as(repeated, is_private),
}
"""Rewritings after which no claim is smaller."""


# ---------------------------------------------------------------------------------------------------------------------
# Claims


@frozen(eq=False)
class Claim:
    """What is claimed of a program.

    Parameters
    ----------
    parts
        By parameter its sensitivity or its price.
    noise
        The sensitivities that the noise of its mechanisms is made for.
    conditions
        What it requires.
    promises
        How many promises it makes.
    letters
        Those of the prices.
    """

    parts: dict[str, tuple[Part, ...] | None]
    noise: tuple[Quantity, ...]
    conditions: frozenset[str]
    promises: int
    letters: tuple[str, ...] = ("s",)


def claim_of(typed: Typed) -> Claim | None:
    """The claim about an accepted program; None of one that is refused."""
    if not typed.ok or typed.type is None:
        return None
    parts: dict[str, tuple[Part, ...] | None] = {}
    here = typed.type
    while isinstance(here, t.Fun):
        parts[here.name], here = (here.sensitivity,), here.codomain
    letters = ("s",)
    if isinstance(here, t.PFun):
        letters = typed.notion.letters
        for parameter in here.parameters:
            found = price(parameter.cost, typed.notion)
            parts[parameter.name] = found.parts if isinstance(found, Price) else None
    # What must fit into the memory is another thing for other forms.
    required = frozenset(each.show() for each in typed.obligations if "memory" not in each.show())
    noise = tuple([site.sensitivity for site in typed.annotations.releases.values()])
    return Claim(parts, noise, required, len(typed.promises), letters)


NUMBERS = ({"ℕ": 1, "ℝ⁺": Fraction(1, 3)}, {"ℕ": 3, "ℝ⁺": Fraction(2)}, {"ℕ": 5, "ℝ⁺": Fraction(5, 4)})
"""What kind variables stand for where claims are compared."""


def lowered(before: Claim, after: Claim, *, is_same: bool = False) -> str | None:
    """What a rewriting claims too little, or, of the same in other words, otherwise; None where nothing is wrong."""
    for parameter, parts in before.parts.items():
        others = after.parts.get(parameter)
        if parts is None or others is None:
            continue
        for letter, one, other in zip(before.letters, parts, others, strict=True):
            for numbers in NUMBERS if one != other else ():
                least, most = at_numbers(one, numbers), at_numbers(other, numbers)
                if least is None or most is None:
                    break
                # Of an order the smaller one says less.
                claims = (most, least) if letter in ORDERS and not is_same else (least, most)
                if differ(*claims, is_same=is_same):
                    return f"{parameter}: {shown(one)} became {shown(other)}"
    if len(before.noise) == len(after.noise):
        for numbers in NUMBERS:
            scales, others = scaled(before, numbers), scaled(after, numbers)
            if any(differ(one, other, is_same=is_same) for one, other in zip(scales, others, strict=True)):
                return f"noise is made for {others}, and was for {scales}"
    # A condition of one case is less than the same condition of all.
    lost = [each for each in before.conditions - after.conditions if each.split(" if ")[0] not in after.conditions]
    if lost:
        return f"nothing requires {', '.join(lost)} any more"
    return "a promise is forgotten" if after.promises < before.promises else None


def differ(before: float, after: float, *, is_same: bool) -> bool:
    """Whether a number became smaller, or, of the same in other words, another one."""
    if before == after:
        return False
    return after < before * (1 - 1e-9) - 1e-12 or (is_same and after > before * (1 + 1e-9) + 1e-12)


def scaled(claim: Claim, numbers: dict[str, Any]) -> list[float]:
    """What the noise is made for, from the least on."""
    return sorted(-1.0 if (found := at_numbers(each, numbers)) is None else found for each in claim.noise)


def shown(part: Part) -> str:
    return part.show() if isinstance(part, Quantity) else str(part)


def at_numbers(part: Part, numbers: dict[str, Any]) -> float | None:
    """A part at numbers for its variables; None where these do not fit it."""
    values: dict[KindVar, Fraction] = {
        variable: Fraction(numbers["ℕ" if variable.kind is Kind.NAT else "ℝ⁺"]) for variable in part.variables()
    }
    try:
        return part.evaluate_float(values, up=True)
    except (ArithmeticError, ValueError):
        return None
