"""Cost terms with a δ and two laws that they allow: the certified ε at that δ is no smaller than theirs.

`prices` holds the prices of the notions. What is held here has no formula, or one that says more than the accountant does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from attrs import frozen

from duetpy.accounting.tight import tight
from duetpy.typecheck.cost import Choice, Cost, Group
from tests.soundness.distributions import Pair
from tests.soundness.prices import climbed, given, heavy, noisy, of, shifted
from tests.soundness.witnesses import APPROX, GDP, PURE, TCDP, ZCDP


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
)
