"""Random cost terms over every mechanism and every combination, with the truth of those that have one in closed form."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import mpmath as mp
from attrs import evolve

from duetpy.typecheck.cost import (
    Advanced,
    Atom,
    Choice,
    Converted,
    Cost,
    Given,
    Group,
    Repeat,
    Sampled,
    Seq,
    Shuffled,
    Together,
    children,
)
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.accounting import exact_losses as exact


def of(number: Fraction | int | str) -> Quantity:
    return Quantity.of(number)


def size(draw: Random, low: float = -3.0, high: float = 0.5) -> Quantity:
    """A positive number of two digits, evenly spread in its logarithm."""
    return of(f"{10 ** draw.uniform(low, high):.2g}")


PURE = ("laplace", "exponential", "noisy-max", "above-threshold", "dlaplace", "gibbs")


def random_atom(draw: Random) -> Cost:
    """One mechanism or one trusted cost."""
    match draw.randrange(13):
        case 0 | 1 | 2:
            return random_pure(draw)
        case 3:
            return Atom("rand-resp", (of(draw.choice([2, 3, 10])), size(draw)))
        case 4:
            return Atom("gauss", (size(draw), of(f"1e-{draw.randint(5, 12)}")), Notion.APPROX)
        case 5:
            return Atom(draw.choice(["gauss", "dgauss"]), (size(draw, -4.0, 0.0),), Notion.ZCDP)
        case 6:
            return Atom("gauss", (size(draw, -2.0, 0.3),), Notion.GDP)
        case 7:
            return Atom("gauss", (of(draw.choice([4, 10, 30])), size(draw, -3.0, 0.0)), Notion.RENYI)
        case 8:
            return Atom("ggauss", (of(draw.choice(["1", "1.5", "2", "3"])), size(draw, -2.0, 0.0)))
        case 9:
            return Given(Notion.PURE, (size(draw),))
        case 10:
            return Given(Notion.APPROX, (size(draw), of(f"1e-{draw.randint(8, 14)}")))
        case 11:
            return Given(Notion.ZCDP, (size(draw, -4.0, 0.0),))
        case _:
            return Given(Notion.TCDP, (size(draw, -4.0, -1.0), of(draw.choice([20, 100]))))


def random_cost(draw: Random, depth: int) -> Cost:
    """A term over every constructor."""
    if depth == 0 or draw.random() < 0.2:
        return random_atom(draw)
    body = random_cost(draw, depth - 1)
    match draw.randrange(11):
        case 0 | 1 | 2:
            return Seq((body, random_cost(draw, depth - 1)))
        case 3 | 4:
            return Repeat(of(draw.choice([2, 3, 10, 40])), body)
        case 5:
            return Advanced(of(draw.choice([5, 50])), of("1e-8"), body)
        case 6:
            return Choice((body, random_cost(draw, depth - 1)))
        case 7:
            return Sampled(draw.choice(["sample", "poisson"]), of(draw.choice(["0.01", "0.1", "0.5"])), body)
        case 8:
            return Group(of(draw.choice([2, 3])), body)
        case 9:
            return Together((body, random_cost(draw, depth - 1)))
        case _:
            options = (Notion.ZCDP, Notion.GDP, Notion.PURE)
            return draw.choice(
                [Converted(draw.choice(options), of("1e-7"), body), Shuffled(of(1000), random_pure(draw))]
            )


def random_pure(draw: Random) -> Atom:
    mechanism = draw.choice(PURE)
    return Atom(mechanism, (size(draw),), None, draw.choice([None, 1, 2, 5, 40]) if mechanism == "dlaplace" else None)


def grown(cost: Cost, draw: Random) -> Cost | None:
    """The term with one parameter of one mechanism or trusted cost made larger, where a larger one costs more."""
    path: list[Cost] = [cost]
    while children(path[-1]):
        path.append(draw.choice(children(path[-1])))
    leaf = path[-1]
    factor = Fraction(draw.choice(["1.01", "1.5", "4"]))
    match leaf:
        case Atom("rand-resp" | "ggauss", (first, eps), _):
            larger: Cost = evolve(leaf, params=(first, eps * factor))
        case Atom("gauss", (alpha, eps), Notion.RENYI):
            larger = evolve(leaf, params=(alpha, eps * factor))
        case Given(Notion.TCDP, (rho, omega)):
            larger = evolve(leaf, params=(rho * factor, omega))
        case Atom(_, params, _) | Given(_, params):
            larger = evolve(leaf, params=(params[0] * factor, *params[1:]))
        case _:
            return None
    for above, below in zip(reversed(path[:-1]), reversed(path[1:]), strict=True):
        larger = _with_child(above, below, larger)
    return larger


def _with_child(cost: Cost, old: Cost, new: Cost) -> Cost:
    match cost:
        case Seq(parts) | Together(parts):
            return evolve(cost, parts=tuple(new if part is old else part for part in parts))
        case Choice(branches):
            return Choice(tuple(new if branch is old else branch for branch in branches))
        case Repeat() | Advanced() | Sampled() | Group() | Shuffled() | Converted():
            return evolve(cost, body=new)
        case _:
            raise AssertionError("a leaf has no child")


def mixed_delta(mu: float, responses: list[tuple[float, int]], at: float) -> mp.mpf:
    """δ(ε) of a Gaussian of parameter μ and of binary randomized responses, so many of each, to fifty digits.

    Doubles stand for the decimals that they print as, as they do in programs and in answers.
    """
    place, shift = mp.mpf(repr(float(at))), mp.mpf(repr(mu))
    laws: list[tuple[mp.mpf, mp.mpf]] = [(mp.mpf(0), mp.mpf(1))]
    for eps, count in responses:
        e = mp.mpf(repr(eps))
        p = 1 / (1 + mp.exp(-e))
        own = [((2 * j - count) * e, mp.binomial(count, j) * p**j * (1 - p) ** (count - j)) for j in range(count + 1)]
        laws = [(loss + more, mass * share) for loss, mass in laws for more, share in own]
    if mu == 0.0:
        return mp.fsum(mass * max(mp.mpf(0), 1 - mp.exp(place - loss)) for loss, mass in laws)
    return mp.fsum(mass * gaussian(place - loss, shift) for loss, mass in laws)


def gaussian(eps: mp.mpf, mu: mp.mpf) -> mp.mpf:
    """δ(ε) of a Gaussian at any real ε."""
    return exact.normal_cdf(-eps / mu + mu / 2) - mp.exp(eps) * exact.normal_cdf(-eps / mu - mu / 2)
