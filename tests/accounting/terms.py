"""Cost terms for the tests: makers of atoms, random terms, and what is true of them, computed exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from random import Random

import mpmath as mp

from duetpy.accounting.gaussian_profile import gaussian_delta
from duetpy.accounting.price import Refusal, numbers
from duetpy.typecheck.cost import Atom, Choice, Converted, Cost, Given, Group, Repeat, Sampled, Seq, Together
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity, log
from tests.accounting import exact_losses as exact

Pair = tuple[exact.Law, exact.Law]

RATIOS = (Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(6))


def of(number: Fraction | int | str) -> Quantity:
    return Quantity.of(number)


def laplace(eps: Fraction | int | str) -> Atom:
    return Atom("laplace", (of(eps),))


def exponential(eps: Fraction | int | str) -> Atom:
    return Atom("exponential", (of(eps),))


def response(eps: Fraction | int | str, size: int = 2) -> Atom:
    return Atom("rand-resp", (of(size), of(eps)))


def gauss(notion: Notion, *params: Fraction | int | str) -> Atom:
    return Atom("gauss", tuple(of(param) for param in params), notion)


def given(notion: Notion, *params: Fraction | int | str) -> Given:
    return Given(notion, tuple(of(param) for param in params))


def repeated(count: int, body: Cost) -> Repeat:
    return Repeat(of(count), body)


def valued(cost: Cost, notion: Notion) -> list[float]:
    """The price of a term without variables, number by number."""
    found = numbers(cost, notion, {})
    assert not isinstance(found, Refusal), found
    return [math.inf if number is None else number for number in found.values()]


def random_response(draw: Random) -> Atom:
    """Randomized response at a rational e^ε, so that all its probabilities are fractions."""
    return Atom("rand-resp", (of(draw.choice([2, 3, 8])), log(of(draw.choice(RATIOS)))))


def random_term(draw: Random, depth: int) -> Cost:
    """A term over randomized responses, small enough to enumerate."""
    if depth == 0 or draw.random() < 0.25:
        return random_response(draw)
    match draw.randrange(6):
        case 0 | 1:
            return Seq(tuple(random_term(draw, depth - 1) for _ in range(2)))
        case 2:
            return Repeat(of(draw.choice([2, 3])), random_term(draw, depth - 1))
        case 3:
            return Choice((random_term(draw, depth - 1), random_term(draw, depth - 1)))
        case 4:
            return Sampled("sample", of(Fraction(draw.randint(1, 9), 10)), random_term(draw, depth - 1))
        case _:
            return Sampled("poisson", of(Fraction(draw.randint(1, 9), 10)), random_term(draw, depth - 1))


def pairs(cost: Cost) -> Iterator[Pair]:
    """Exact pairs of output laws that a term of randomized responses can have, some of them."""
    match cost:
        case Atom("rand-resp", (size, eps), _):
            count = size.constant
            ratio = next(ratio for ratio in RATIOS if log(of(ratio)) == eps)
            assert count is not None
            yield exact.response(ratio, int(count))
        case Seq(parts):
            yield from _products([list(pairs(part)) for part in parts])
        case Repeat(count, body):
            times = count.constant
            assert times is not None
            for pair in pairs(body):
                yield exact.power(pair, int(times))
        case Choice(branches):
            for branch in branches:
                yield from pairs(branch)
        case Sampled(_, rate, body):
            share = rate.constant
            assert share is not None
            for p, q in pairs(body):
                mixed = {
                    x: share * p.get(x, Fraction(0)) + (1 - share) * q.get(x, Fraction(0)) for x in set(p) | set(q)
                }
                yield mixed, q
        case Converted(body=body):
            yield from pairs(body)
        case Group() | Together() | _:
            raise ValueError(f"no exact pair is known for {cost}")


def _products(options: list[list[Pair]]) -> Iterator[Pair]:
    if not options:
        yield {0: Fraction(1)}, {0: Fraction(1)}
        return
    for first in options[0]:
        for rest in _products(options[1:]):
            yield exact.product(first, rest)


def holds(notion: Notion, price: list[float], pair: Pair) -> bool:
    """Whether a price is true of a pair of laws, in both directions."""
    both = (pair, (pair[1], pair[0]))
    slack = 1 + 1e-9
    match notion:
        case Notion.PURE:
            return all(exact.delta(one, Fraction(math.exp(price[0] * slack))) == 0 for one in both)
        case Notion.APPROX:
            grown = Fraction(math.exp(min(price[0], 600.0) * slack))
            return all(exact.delta(one, grown) <= Fraction(price[1] * slack) + Fraction(1, 10**15) for one in both)
        case Notion.RENYI if math.isinf(price[0]):
            return holds(Notion.PURE, price[1:], pair)
        case Notion.RENYI:
            return all(exact.renyi(one, price[0]) <= price[1] * slack for one in both)
        case Notion.ZCDP | Notion.TCDP:
            orders = [a for a in (1.001, 1.5, 2.0, 4.0, 16.0, 100.0) if len(price) < 2 or a < price[1]]
            return all(exact.renyi(one, a) <= price[0] * a * slack for one in both for a in orders)
        case Notion.GDP:
            places = [Fraction(n, 10) for n in range(10, 90, 4)]
            return all(
                float(exact.delta(one, y)) <= gaussian_delta(math.log(y), price[0]) * slack + 1e-12
                for one in both
                for y in places
            )
        case Notion.RAO:
            return True  # an estimate, which claims nothing


def epsilon_of(pair: Pair, delta: float) -> float:
    """The least ε of a pair at δ, to about 1e-12, by bisection on exact values."""
    low, high = 0.0, 1.0
    target = Fraction(delta)
    while max(exact.delta(pair, Fraction(math.exp(high))), exact.delta(pair[::-1], Fraction(math.exp(high)))) > target:
        high *= 2
    for _ in range(45):
        middle = (low + high) / 2
        grown = Fraction(math.exp(middle))
        if max(exact.delta(pair, grown), exact.delta((pair[1], pair[0]), grown)) > target:
            low = middle
        else:
            high = middle
    return high


def binomial_delta(eps: float, count: int, at: float) -> mp.mpf:
    """δ of `count` randomized responses at ε, to fifty digits (Kairouz, Oh & Viswanath 2015, Theorem 3.3)."""
    e, x = mp.mpf(eps), mp.mpf(at)
    p = 1 / (1 + mp.exp(-e))
    return mp.fsum(
        mp.binomial(count, j) * p ** (count - j) * (1 - p) ** j * (1 - mp.exp(x - (count - 2 * j) * e))
        for j in range(count + 1)
        if (count - 2 * j) * e > x
    )
