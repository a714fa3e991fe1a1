"""Cost terms with a δ and two laws that they allow: the certified ε at that δ is no smaller than theirs.

`prices` holds the prices of the notions. What is held here has no formula, or one that says more than the accountant does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from attrs import frozen

from duetpy.accounting.certify import tight
from duetpy.typecheck.cost import Choice, Cost, Group, Repeat, Sampled
from tests.soundness.distributions import Law, Pair, gauss, mixture
from tests.soundness.prices import climbed, given, heavy, leaky, many, noisy, of, shifted
from tests.soundness.witness import APPROX, GDP, PURE, TCDP, ZCDP


@frozen
class Certified:
    """A cost term, a δ, and two laws that its mechanisms can have on neighbours."""

    rule: str
    cost: Cost
    delta: str
    laws: Callable[[], Pair]


def bound(certified: Certified) -> float:
    """The certified ε at the δ."""
    return tight(certified.cost, {}, Fraction(certified.delta)).epsilon


def used(certified: Certified) -> float:
    """The δ of the laws at the certified ε, over that δ: above 1 it is refuted."""
    epsilon = bound(certified)
    if epsilon == math.inf:
        return 0.0
    p, q = certified.laws()
    grown = math.exp(epsilon)
    found = max(
        sum(max(0.0, one.get(x, 0.0) - grown * two.get(x, 0.0)) for x in {*one, *two}) for one, two in ((p, q), (q, p))
    )
    return found / float(certified.delta)


def apart(*branches: Cost) -> Choice:
    """A choice that each step may find made otherwise."""
    return Choice(branches, scattered=True)


def thinned(rows: int, rate: float) -> Law:
    """A sum of ones with Gaussian noise of deviation 1, where each row is kept with a probability."""
    chances = [math.comb(rows, i) * rate**i * (1 - rate) ** (rows - i) for i in range(rows + 1)]
    return mixture([(chance, gauss(float(i), 1.0)) for i, chance in enumerate(chances)])


def moved(gone: int, come: int, rate: float) -> Pair:
    """Rows of 1 that go, and rows of −1 that come."""
    return thinned(gone, rate), {-outcome: chance for outcome, chance in thinned(come, rate).items()}


COINS = Sampled("poisson", of(0.25), given(GDP, 1))

CERTIFIED = (
    # 0 becomes 0.01 by the one branch and e⋅0.01 by the other.
    Certified(
        "group",
        Group(of(2), apart(given(PURE, 1), given(APPROX, 0.001, 0.01))),
        "0.025",
        partial(climbed, (0.001, 0.01), (1, 0)),
    ),
    Certified("group", Group(of(2), apart(given(GDP, 1), given(GDP, 0.1))), "1e-3", partial(shifted, 2.0)),
    Certified("group", Group(of(2), apart(given(GDP, 0.1), given(GDP, 1))), "1e-3", partial(shifted, 2.0)),
    Certified("group", Group(of(2), apart(given(ZCDP, 0.5), given(ZCDP, 0.1))), "1e-3", partial(shifted, 2.0)),
    Certified("group", Group(of(2), apart(given(PURE, 0.25), given(PURE, 1))), "1e-3", partial(noisy, 2.0)),
    Certified(
        "group",
        Group(of(2), apart(given(TCDP, 0.01, 4), given(TCDP, 0.01, 400))),
        "1e-5",
        partial(heavy, 2, 0.08, 1e-3),
    ),
    # All steps find one choice.
    Certified(
        "group", Group(of(2), Choice((given(GDP, 1), given(APPROX, 0.001, 1e-9)))), "1e-3", partial(shifted, 2.0)
    ),
    # Rows that coins keep.
    Certified("poisson", Group(of(3), COINS), "1e-3", partial(moved, 3, 0, 0.25)),
    Certified("poisson", Group(of(3), COINS), "1e-3", partial(moved, 2, 1, 0.25)),
    Certified("poisson", Group(of(2), Group(of(3), COINS)), "1e-3", partial(moved, 6, 0, 0.25)),
    Certified(
        "poisson",
        Group(of(3), Repeat(of(2), COINS), alike=True),
        "1e-3",
        partial(many, 2, partial(moved, 3, 0, 0.25)),
    ),
    # Three rows, each in two of three parts: each part is found two steps away. That two steps of 0.5 are no more than randomized
    # response at 1 is all that is said of them; two groups of three steps are then not enough.
    Certified(
        "parallel",
        Group(of(3), Repeat(of(2), given(PURE, 0.5), apart=True)),
        "0.637",
        partial(many, 3, partial(leaky, 1.0, 0.0)),
    ),
)
