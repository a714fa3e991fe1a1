"""The order of symbolic quantities, which decides what noise is enough: whatever it proves must hold of numbers."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from fractions import Fraction

from duetpy.grammar.ast import Kind
from duetpy.typecheck.quantity import KindVar, Quantity, QuantityTooLarge, exp, log, maximum, minimum, tanh

VARIABLES = (
    KindVar.fresh("m", Kind.NAT),
    KindVar.fresh("n", Kind.NAT),
    KindVar.fresh("x", Kind.POS),
    KindVar.fresh("y", Kind.POS),
)

PLACES: tuple[Mapping[KindVar, Fraction], ...] = tuple(
    dict(zip(VARIABLES, map(Fraction, numbers), strict=True))
    for numbers in (
        (1, 1, 1, 1),
        (1, 4, "1/4", 3),
        (4, 1, 3, "1/4"),
        (2, 3, "1/100", "1/100"),
        (9, 9, 20, "3/2"),
        (1, 100, "1/1000", 10),
        (100, 1, 10, "1/1000"),
    )
)

UNARY: tuple[tuple[Callable[[Quantity], Quantity], Callable[[float], float]], ...] = (
    (Quantity.sqrt, math.sqrt),
    (log, lambda x: math.log(max(x, 1.0))),
    (tanh, math.tanh),
    (lambda q: exp(minimum(q, Quantity.of(3))), lambda x: math.exp(min(x, 3.0))),
)

BINARY: tuple[tuple[Callable[[Quantity, Quantity], Quantity], Callable[[float, float], float]], ...] = (
    (lambda a, b: a + b, lambda a, b: a + b),
    (lambda a, b: a * b, lambda a, b: a * b),
    (lambda a, b: a / (b + 1), lambda a, b: a / (b + 1)),
    (maximum, max),
    (minimum, min),
)

Grown = tuple[Quantity, tuple[float, ...]]
"""A quantity, and its values at the places, computed independently."""


def grow(source: random.Random, depth: int) -> Grown:
    choice = source.random()
    if depth == 0 or choice < 0.2:
        if source.random() < 0.3:
            number = source.choice((1, 2, 3, Fraction(1, 2)))
            return Quantity.of(number), (float(number),) * len(PLACES)
        variable = source.choice(VARIABLES)
        return Quantity.var(variable), tuple(float(place[variable]) for place in PLACES)
    if choice < 0.4:
        symbolic, numeric = source.choice(UNARY)
        inner, values = grow(source, depth - 1)
        return symbolic(inner), tuple(map(numeric, values))
    joined, pointwise = source.choice(BINARY)
    (left, xs), (right, ys) = grow(source, depth - 1), grow(source, depth - 1)
    return joined(left, right), tuple(map(pointwise, xs, ys))


SLACK = 1 + 1e-9


def out_of_order(count: int, seed: int = 0) -> tuple[Quantity, Quantity] | None:
    """Two quantities that are put in an order, or a quantity and the value that it is given, which numbers refute."""
    source = random.Random(seed)
    for _ in range(count):
        try:
            (left, xs), (right, ys) = grow(source, 3), grow(source, 3)
            near = source.choice((left + right, maximum(left, right), left * 2, minimum(left, right)))
            pairs = [(left, right), (left, near), (near, left), (left + right, left * right)]
            found = [(a, b) for a, b in pairs if a.leq(b)]
        except QuantityTooLarge:
            continue
        for quantity, values in ((left, xs), (right, ys)):
            for place, value in zip(PLACES, values, strict=True):
                low, high = (float(quantity.evaluate(place, up=up)) for up in (False, True))
                if not low / SLACK <= value <= high * SLACK:
                    return quantity, quantity
        for a, b in found:
            if any(float(a.evaluate(place, up=False)) > float(b.evaluate(place, up=True)) * SLACK for place in PLACES):
                return a, b
    return None
