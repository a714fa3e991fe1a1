"""Cost terms with two laws that they allow, in the notions that price them.

Where a program's mechanisms are known, `witnesses` runs them. A trusted cost stands for any mechanism of that cost, and the
worst one is written down here: what leaks with probability δ, what climbs by as much as it may in each step, what is
heavy beyond the order that is bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from attrs import frozen

from duetpy.accounting.price import Refusal, numbers
from duetpy.typecheck.cost import Advanced, Atom, Choice, Converted, Cost, Given, Group, Repeat, Sampled, Seq, Together
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.soundness.distributions import Law, Pair, all_of, both_ways, gauss, laplace, mixture, renyi, response, spent
from tests.soundness.falsify import Refused
from tests.soundness.witness import APPROX, GDP, PURE, RENYI, TCDP, ZCDP


@frozen
class Priced:
    """A cost term and two laws.

    Parameters
    ----------
    rule
        The rule that it is about.
    notion
        The notion to price it in.
    cost
        The term.
    laws
        Two laws that the mechanisms of the term can have on neighbours.
    tight
        Whether they use up all of the price, but for rounding.
    """

    rule: str
    notion: Notion
    cost: Cost
    laws: Callable[[], Pair]
    tight: bool = True


def used_up(priced: Priced) -> float:
    """The part of the price that the laws use up: above 1 it is refuted."""
    found = numbers(priced.cost, priced.notion, {})
    if isinstance(found, Refusal):
        raise Refused(found.reason)
    return spent(priced.notion, [math.inf if part is None else part for part in found.values()], priced.laws())


# ---------------------------------------------------------------------------------------------------------------------
# Laws


def coin(chance: float) -> Law:
    return {1: chance, 0: 1 - chance}


def coins(chance: float, other: float) -> Pair:
    return coin(chance), coin(other)


def leaky(eps: float, delta: float) -> Pair:
    """The worst pair of (ε, δ)-privacy: with probability δ it tells, else it is randomized response."""
    yes, no = response(2, eps, 0)[0] * (1 - delta), response(2, eps, 0)[1] * (1 - delta)
    return {"left": delta, 0: yes, 1: no}, {"right": delta, 0: no, 1: yes}


def climbed(*steps: tuple[float, float]) -> Pair:
    """A chance that grows from 0 by as much as each step of (ε, δ) lets it: p ↦ e^ε p + δ."""
    chance = 0.0
    for eps, delta in steps:
        chance = math.exp(eps) * chance + delta
    return coins(chance, 0.0)


def shifted(distance: float) -> Pair:
    """Gaussian noise of deviation 1."""
    return gauss(distance, 1.0), gauss(0.0, 1.0)


def noisy(distance: float) -> Pair:
    """Laplace noise of scale 1."""
    return laplace(distance, 1.0), laplace(0.0, 1.0)


def moved(eps: float, steps: int) -> Pair:
    """Discrete Laplace noise of scale s/ε, and the same moved by s steps; all up to 0 is one outcome, and all from s on."""
    law: dict[int, float] = dict.fromkeys(range(steps + 1), 0.0)
    for x in range(-1000 * steps, 1000 * steps + 1):
        law[min(max(x, 0), steps)] += math.tanh(eps / steps / 2) * math.exp(-abs(x) * eps / steps)
    return law, {steps - x: chance for x, chance in law.items()}


def many(count: int, pair: Callable[[], Pair]) -> Pair:
    p, q = pair()
    return all_of([p] * count), all_of([q] * count)


def side_by_side(*pairs: Callable[[], Pair]) -> Pair:
    made = [pair() for pair in pairs]
    return all_of([p for p, _ in made]), all_of([q for _, q in made])


def kept(rate: float, pair: Callable[[], Pair]) -> Pair:
    """The first of the laws with a probability, else the second; and the second."""
    p, q = pair()
    return mixture([(rate, p), (1 - rate, q)]), q


def answers(eps: float, count: int) -> Pair:
    """How many of the randomized responses say yes."""
    yes = response(2, eps, 0)[0]
    return tuple(
        {n: math.comb(count, n) * p**n * (1 - p) ** (count - n) for n in range(count + 1)} for p in (yes, 1 - yes)
    )


def heavy(alpha: float, eps: float, chance: float) -> Pair:
    """Two points, the one of the given chance as much rarer under the second law as D_α ≤ ε lets it be."""
    return rarest(chance, lambda order: eps, (alpha,))


def concentrated(rho: float, chance: float, omega: float = 16.0) -> Pair:
    """The same as D_α ≤ ρα lets it be at all orders up to ω, of which every tenth is looked at."""
    orders = [1.001, *(1 + step / 10 for step in range(1, math.ceil(10 * (omega - 1)))), omega]
    return rarest(chance, lambda order: rho * order, orders)


def rarest(chance: float, most: Callable[[float], float], orders: Sequence[float]) -> Pair:
    low, high = 0.0, chance
    for _ in range(100):
        middle = (low + high) / 2
        pair = coins(chance, middle)
        near = middle > 0.0 and all(both_ways(lambda p, a=a: renyi(p, a), pair) <= most(a) for a in orders)
        low, high = (low, middle) if near else (middle, high)
    return coins(chance, high)


# ---------------------------------------------------------------------------------------------------------------------
# Terms


def of(number: float | str) -> Quantity:
    return Quantity.of(str(number) if isinstance(number, float) else number)


def given(notion: Notion, *params: float | str) -> Given:
    return Given(notion, tuple(map(of, params)))


def gaussian(notion: Notion, *params: float | str) -> Atom:
    return Atom("gauss", tuple(map(of, params)), notion)


RESPONSE = Atom("rand-resp", (of(2), of(0.5)))

PRICES = (
    # A move by several steps
    Priced("group", PURE, Group(of(3), given(PURE, 0.5)), partial(noisy, 1.5)),
    Priced("group", APPROX, Group(of(3), given(APPROX, 0.5, 0.01)), partial(climbed, *[(0.5, 0.01)] * 3)),
    Priced("group", APPROX, Group(of(3), given(APPROX, 0.5, 0.001)), partial(noisy, 1.5), tight=False),
    Priced("group", ZCDP, Group(of(2), given(ZCDP, 0.125)), partial(shifted, 1.0)),
    Priced("group", GDP, Group(of(2), given(GDP, 0.5)), partial(shifted, 1.0)),
    Priced("group", TCDP, Group(of(2), given(TCDP, 0.125, 8)), partial(shifted, 1.0)),
    Priced("group", TCDP, Group(of(2), given(TCDP, 0.01, 8)), partial(heavy, 4, 0.16, 1e-3), tight=False),
    Priced("group", RENYI, Group(of(2), gaussian(RENYI, 4, 0.5)), partial(shifted, 1.0)),
    Priced("group", RENYI, Seq((Group(of(2), given(PURE, 2)), gaussian(RENYI, 4, 0.001))), partial(leaky, 4, 0.0)),
    # One change that moves several inputs of one mechanism
    Priced("together", PURE, Together((given(PURE, 0.5), given(PURE, 0.75))), partial(noisy, 1.25)),
    Priced(
        "together",
        APPROX,
        Together((given(APPROX, 0.5, 0.01), given(APPROX, 0.75, 0.002))),
        partial(climbed, (0.75, 0.002), (0.5, 0.01)),
    ),
    Priced(
        "together",
        APPROX,
        Together((given(APPROX, 0.75, 0.002), given(APPROX, 0.5, 0.01))),
        partial(climbed, (0.75, 0.002), (0.5, 0.01)),
    ),
    Priced("together", ZCDP, Together((given(ZCDP, 0.125), given(ZCDP, 0.5))), partial(shifted, 1.5)),
    Priced("together", GDP, Together((given(GDP, 0.3), given(GDP, 0.4))), partial(shifted, 0.7)),
    Priced("together", RENYI, Together((given(PURE, 0.5), given(PURE, 0.75))), partial(noisy, 1.25)),
    # Composition
    Priced(
        "bind",
        PURE,
        Seq((given(PURE, 1), given(PURE, 0.5))),
        lambda: side_by_side(partial(noisy, 1), partial(noisy, 0.5)),
    ),
    Priced("bind", PURE, Repeat(of(3), given(PURE, 0.5)), lambda: many(3, partial(leaky, 0.5, 0.0))),
    Priced("bind", APPROX, Seq((given(APPROX, 0.5, 0.01),) * 2), lambda: many(2, partial(leaky, 0.5, 0.01))),
    Priced("bind", APPROX, Repeat(of(3), given(APPROX, 0.5, 0.01)), lambda: many(3, partial(leaky, 0.5, 0.01))),
    Priced("bind", RENYI, Seq((gaussian(RENYI, 4, 0.5), gaussian(RENYI, 4, 1.5))), partial(shifted, 1.0)),
    Priced("bind", RENYI, Seq((gaussian(RENYI, 8, 1), gaussian(RENYI, 4, 1.5))), partial(shifted, 1.0)),
    Priced("bind", ZCDP, Seq((given(ZCDP, 0.125), given(ZCDP, 0.375))), partial(shifted, 1.0)),
    Priced("bind", ZCDP, Repeat(of(4), given(ZCDP, 0.125)), partial(shifted, 1.0)),
    Priced("bind", GDP, Seq((given(GDP, 0.6), given(GDP, 0.8))), partial(shifted, 1.0)),
    Priced("bind", GDP, Repeat(of(4), given(GDP, 0.5)), partial(shifted, 1.0)),
    Priced("bind", TCDP, Seq((given(TCDP, 0.125, 8), given(TCDP, 0.375, 20))), partial(shifted, 1.0)),
    Priced(
        "bind", TCDP, Seq((given(TCDP, 0.01, 4), given(TCDP, 0.01, 20))), partial(heavy, 4, 0.04, 1e-3), tight=False
    ),
    Priced("privacy-if", PURE, Choice((given(PURE, 0.5), given(PURE, 1))), partial(noisy, 1)),
    Priced(
        "privacy-if", APPROX, Choice((given(APPROX, 0.5, 0.01), given(APPROX, 1, 0.001))), partial(leaky, 0.5, 0.01)
    ),
    Priced(
        "privacy-if", APPROX, Choice((given(APPROX, 0.5, 0.001), given(APPROX, 1, 0.001))), partial(leaky, 1, 0.001)
    ),
    Priced("privacy-if", ZCDP, Choice((given(ZCDP, 0.5), given(ZCDP, 0.1))), partial(shifted, 1.0)),
    Priced("privacy-if", GDP, Choice((given(GDP, 1), given(GDP, 0.1))), partial(shifted, 1.0)),
    Priced("privacy-if", RENYI, Choice((gaussian(RENYI, 4, 2), gaussian(RENYI, 4, 1))), partial(shifted, 1.0)),
    Priced(
        "privacy-if",
        TCDP,
        Choice((given(TCDP, 0.01, 4), given(TCDP, 0.01, 20))),
        partial(heavy, 4, 0.04, 1e-3),
        tight=False,
    ),
    Priced("aloop", APPROX, Advanced(of(60), of(0.1), RESPONSE), partial(answers, 0.5, 60), tight=False),
    Priced(
        "aloop",
        APPROX,
        Advanced(of(4), of(0.001), given(APPROX, 0.5, 0.05)),
        lambda: many(4, partial(leaky, 0.5, 0.05)),
    ),
    # Samples
    Priced("sample", PURE, Sampled("sample", of(0.25), given(PURE, 1)), lambda: kept(0.25, partial(noisy, 1.0))),
    Priced(
        "sample",
        APPROX,
        Sampled("sample", of(0.25), given(APPROX, 1, 0.01)),
        lambda: kept(0.25, partial(leaky, 1, 0.01)),
    ),
    Priced(
        "sample",
        TCDP,
        Sampled("sample", of(0.1), given(TCDP, 0.1, 12)),
        lambda: kept(0.1, partial(concentrated, 0.1, 1e-30, 12.0)),
        tight=False,
    ),
    Priced(
        "sample",
        RENYI,
        Seq((Sampled("sample", of(0.1), given(ZCDP, 0.05)), gaussian(RENYI, 60, 0.00001))),
        lambda: kept(0.1, partial(shifted, math.sqrt(0.1))),
        tight=False,
    ),
    Priced(
        "poisson",
        APPROX,
        Sampled("poisson", of(0.25), given(APPROX, 1, 0.01)),
        lambda: kept(0.25, partial(leaky, 1, 0.01)),
    ),
    Priced(
        "poisson",
        RENYI,
        Sampled("poisson", of(0.25), gaussian(RENYI, 3, 1.5)),
        lambda: kept(0.25, partial(shifted, 1.0)),
    ),
    Priced(
        "poisson",
        RENYI,
        Seq((Sampled("poisson", of(0.25), given(PURE, 1)), gaussian(RENYI, 3, 0.001))),
        lambda: kept(0.25, partial(leaky, 1, 0.0)),
    ),
    Priced(
        "poisson",
        RENYI,
        Seq((Sampled("poisson", of(0.25), Atom("laplace", (of(1),))), gaussian(RENYI, 3, 0.001))),
        lambda: kept(0.25, partial(noisy, 1.0)),
        tight=False,
    ),
    Priced(
        "poisson",
        RENYI,
        Seq((Sampled("poisson", of(0.25), given(ZCDP, 0.125)), gaussian(RENYI, 3, 0.001))),
        lambda: kept(0.25, partial(shifted, 0.5)),
        tight=False,
    ),
    # Conversions
    Priced("convert", APPROX, Converted(RENYI, of(0.01), given(RENYI, 4, 2)), partial(heavy, 4, 2.0, 0.04)),
    Priced("convert", APPROX, Converted(TCDP, of(0.01), given(TCDP, 1.5, 2)), partial(concentrated, 1.5, 0.019, 2)),
    Priced("convert", APPROX, Converted(GDP, of(0.01), given(GDP, 1)), partial(shifted, 1.0)),
    Priced("convert", APPROX, Converted(ZCDP, of(0.01), given(ZCDP, 0.5)), partial(concentrated, 0.5, 0.0352)),
    Priced("convert", APPROX, Converted(PURE, None, given(PURE, 1)), partial(noisy, 1.0)),
    Priced("convert", ZCDP, Converted(PURE, None, given(PURE, 1)), partial(leaky, 1, 0.0)),
    Priced("convert", ZCDP, Converted(GDP, None, given(GDP, 1)), partial(shifted, 1.0)),
    Priced("convert", TCDP, Converted(PURE, None, given(PURE, 1)), partial(leaky, 1, 0.0)),
    Priced("convert", TCDP, Converted(RENYI, None, given(RENYI, 4, 0.04)), partial(heavy, 4, 0.04, 1e-3), tight=False),
    Priced("convert", TCDP, given(RENYI, 4, 0.04), partial(heavy, 4, 0.04, 1e-3), tight=False),
    Priced("convert", GDP, Converted(PURE, None, given(PURE, 1)), partial(leaky, 1, 0.0)),
    Priced("convert", RENYI, Converted(PURE, None, given(PURE, 1)), partial(leaky, 1, 0.0)),
    Priced("convert", RENYI, Seq((given(PURE, 1), gaussian(RENYI, 4, 0.001))), partial(leaky, 1, 0.0)),
    Priced("convert", RENYI, Seq((given(TCDP, 0.1, 3), gaussian(RENYI, 4, 0.001))), partial(heavy, 3, 0.3, 1e-3)),
    # Mechanisms
    Priced("rand-resp", GDP, Atom("rand-resp", (of(2), of(1))), partial(leaky, 1, 0.0)),
    Priced(
        "rand-resp", RENYI, Seq((Atom("rand-resp", (of(2), of(1))), gaussian(RENYI, 4, 0.001))), partial(leaky, 1, 0.0)
    ),
    Priced("laplace", RENYI, Seq((Atom("laplace", (of(1),)), gaussian(RENYI, 4, 0.001))), partial(noisy, 1.0)),
    Priced("dlaplace", PURE, Atom("dlaplace", (of(1.5),), None, 3), partial(moved, 1.5, 3)),
    Priced("dlaplace", ZCDP, Atom("dlaplace", (of(1.5),), None, 3), partial(moved, 1.5, 3)),
    Priced("dlaplace", ZCDP, Atom("dlaplace", (of(1.5),), None, 1), partial(moved, 1.5, 1)),
    Priced("dlaplace", TCDP, Atom("dlaplace", (of(0.5),), None, 2), partial(moved, 0.5, 2)),
    Priced(
        "dlaplace",
        RENYI,
        Seq((Atom("dlaplace", (of(0.3),), None, 3), gaussian(RENYI, 4, 0.0001))),
        partial(moved, 0.3, 3),
    ),
    Priced("gauss", GDP, gaussian(ZCDP, 0.5), partial(shifted, 1.0)),
    Priced("gauss", ZCDP, gaussian(RENYI, 4, 2), partial(shifted, 1.0)),
    Priced("gauss", GDP, gaussian(RENYI, 4, 2), partial(shifted, 1.0)),
    Priced("gauss", RENYI, gaussian(RENYI, 4, 2), partial(shifted, 1.0)),
)
