"""Searching for the value of one number that spends a budget and no more, or that has an error and no larger one.

An error is a budget of its own: the larger error is the cheaper one, so the value sought is that at which it is reached.

The cost as a function of the number is asked for at places only. Its direction is decided by probing; then the last value
within the budget and the first beyond it are closed in on, and the answer is a value at which the certified cost itself was
found to be within the budget. Nothing rests on monotonicity but that the answer is the best one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import TypeAlias

from attrs import frozen

from duetpy.by_value import ByValue

SMALLEST, LARGEST, MOST = -24, 24, 12
"""The range of the search as powers of ten: of real numbers, and of whole ones from 1 on."""

_DIGITS = 12
"""Values are decimals of so many digits: what is printed is what was verified."""

_CLOSE = 1e-9
"""The bracket is closed in on until its ends differ by this share."""

_TURNS = 60
_STEPS = 20_000
"""So many whole numbers are passed over in search of one that meets the side conditions, such as one that divides m."""


class NoCalibration(Exception):
    """There is no value to be found; the text says why."""


@frozen(eq=False, repr=False)
class Forbidden(ByValue):
    """A value that a side condition rules out; with a `gap`, its neighbours may be allowed, as where it must divide m."""

    reason: str
    gap: bool = False


Spending: TypeAlias = float | Forbidden
"""The cost over the budget at a value: at most 1 where the budget covers it."""

Spend = Callable[[Fraction, bool], Spending]
"""Of a value; the second argument asks for a quick upper bound instead of the tight one."""


@frozen(eq=False, repr=False)
class Limit(ByValue):
    """What a search must not exceed, in words: of what, what it is called, and how one takes up so much of it."""

    measure: str
    name: str
    takes: str


BUDGET = Limit("cost", "budget", "spends")
ERROR = Limit("error", "error that was asked for", "has")


@frozen(eq=False, repr=False)
class Found(ByValue):
    """The value that spends a budget.

    Parameters
    ----------
    value
        The value.
    spent
        The share of the budget that it spends, at most 1.
    rises
        Whether the cost rises with the value.
    """

    value: Fraction
    spent: float
    rises: bool


def search(spend: Spend, *, whole: bool, name: str, limit: Limit = BUDGET) -> Found:
    """The value at which the budget is met and beyond which it is not.

    Parameters
    ----------
    spend
        The share of the budget that a value spends.
    whole
        Whether only whole numbers can be values.
    name
        What is varied, for the reasons.
    limit
        What must not be exceeded, for the reasons.

    Raises
    ------
    NoCalibration
        Where the cost does not rise or fall throughout, does not depend on the value, or is within the budget nowhere or
        everywhere.
    """
    spend = cache(spend)
    powers = range(MOST + 1) if whole else range(SMALLEST, LARGEST + 1)
    places = [Fraction(10) ** power for power in powers]
    if whole:
        places = list(dict.fromkeys(_slid(spend, place) for place in places))
    quick = [spend(place, True) for place in places]
    allowed = [index for index, at in enumerate(quick) if not isinstance(at, Forbidden)]
    if len(allowed) < 2 and not whole:
        places = [_decimal(10 ** (step / 16), whole=False) for step in range(-192, 193)]
        quick = [spend(place, True) for place in places]
        allowed = [index for index, at in enumerate(quick) if not isinstance(at, Forbidden)]
    if not allowed:
        reason = next(at.reason for at in quick if isinstance(at, Forbidden))
        raise NoCalibration(f"no tried value of {name} is allowed: {reason}")
    rises = _direction([at for at in quick if not isinstance(at, Forbidden)], name, limit)
    order = places if rises else places[::-1]
    known = quick if rises else quick[::-1]
    return _Search(spend, whole, name, rises, limit).run(order, known)


def _direction(known: Sequence[float], name: str, limit: Limit) -> bool:
    """Whether the cost rises along the places."""
    steps = list(pairwise(known))
    if all(_about(one, other) for one, other in steps):
        if len(known) == 1:
            raise NoCalibration(f"only one of the tried values of {name} is possible, so there is nothing to choose")
        if not any(known):
            raise NoCalibration(
                f"at every value of {name} that was tried, it {limit.takes} nothing of the {limit.name}"
            )
        raise NoCalibration(f"the {limit.measure} does not depend on {name}")
    if all(other >= one or _about(one, other) for one, other in steps):
        return True
    if all(other <= one or _about(one, other) for one, other in steps):
        return False
    raise NoCalibration(
        f"the {limit.measure} neither rises nor falls throughout with {name}, so no single value is the best"
    )


def _about(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-300)


def _decimal(value: float | Fraction, *, whole: bool) -> Fraction:
    """A value as a decimal of few digits."""
    if whole:
        return Fraction(max(1, round(value)))
    return Fraction(Decimal(f"{float(value):.{_DIGITS - 1}e}"))


def _slid(spend: Spend, place: Fraction) -> Fraction:
    """The next whole number from a place down that no gap rules out, or the place."""
    for steps in range(_STEPS):
        if place - steps < 1:
            break
        at = spend(place - steps, True)
        if not (isinstance(at, Forbidden) and at.gap):
            return place - steps
    return place


@frozen(eq=False, repr=False)
class _Search(ByValue):
    spend: Spend
    whole: bool
    name: str
    rises: bool
    limit: Limit

    def run(self, order: Sequence[Fraction], quick: Sequence[Spending]) -> Found:
        """Places from the cheapest on."""
        start = next(index for index, at in enumerate(quick) if not isinstance(at, Forbidden))
        good: tuple[Fraction, float] | None = None
        bad: tuple[Fraction, Spending] | None = None
        for place, cheap in zip(order[start:], quick[start:], strict=True):
            at = cheap if isinstance(cheap, Forbidden) or cheap <= 1.0 else self.spend(place, False)
            if isinstance(at, Forbidden) or at > 1.0:
                bad = (place, at)
                break
            good = (place, at)
        if good is None and start:
            good = self._beside(order[start - 1], order[start])
        if good is None:
            raise NoCalibration(self._nowhere(order[start], bad))
        if bad is None and self.whole and not self.rises:
            return Found(*good, self.rises)  # there is no whole number below the last one
        if bad is None:
            raise NoCalibration(
                f"every value of {self.name} that was tried is within the {self.limit.name}, up to {_shown(order[-1])}"
            )
        return self._closed(good, bad)

    def _beside(self, ruled_out: Fraction, dear: Fraction) -> tuple[Fraction, float] | None:
        """A value within the budget, between one that is ruled out and a dearer one beyond it; None if no value is found."""
        for _ in range(_TURNS):
            near = math.exp((math.log(ruled_out) + math.log(dear)) / 2)
            place = _decimal(near, whole=self.whole)
            if not min(ruled_out, dear) < place < max(ruled_out, dear):
                break
            at = self.spend(place, False)
            if isinstance(at, Forbidden):
                ruled_out = place
            elif at <= 1.0:
                return place, at
            else:
                dear = place
        return None

    def _nowhere(self, first: Fraction, bad: tuple[Fraction, Spending] | None) -> str:
        at = None if bad is None else bad[1]
        most = "∞" if not isinstance(at, float) or math.isinf(at) else f"{at:.6g}"
        return (
            f"no value of {self.name} meets the {self.limit.name}: "
            f"at {self.name} = {_shown(first)} it {self.limit.takes} {most} times the {self.limit.name}"
        )

    def _closed(self, good: tuple[Fraction, float], bad: tuple[Fraction, Spending]) -> Found:
        best, spent = good
        low, high = best, bad[0]
        below, above = _log(spent), _log(bad[1])
        last = 0
        for turn in range(_TURNS):
            if abs(high - low) <= (1 if self.whole else Fraction(_CLOSE) * min(low, high)):
                break
            middle = self._between(low, below, high, above, turn)
            if not min(low, high) < middle < max(low, high):
                break
            place = self._allowed(middle, low)
            if place is None:  # nothing is allowed between
                low = middle
                continue
            at = self.spend(place, False)
            if not isinstance(at, Forbidden) and at <= 1.0:
                best, spent, low, below = place, at, max(place, middle) if self.rises else min(place, middle), _log(at)
                above, last = above / 2 if last > 0 else above, 1
            else:
                high, above = place, _log(at)
                below, last = below / 2 if last < 0 else below, -1
        return self._rounded(best, spent)

    def _rounded(self, best: Fraction, spent: float) -> Found:
        """The value, or one as good that has fewer digits: the search stops short of 1/20, which may be the answer."""
        for digits in range(1, _DIGITS if not self.whole else 1):
            near = Fraction(Decimal(f"{float(best):.{digits - 1}e}"))
            if 0 <= (near - best if self.rises else best - near) <= Fraction(_CLOSE) * 10 * best:
                at = self.spend(near, False)
                if not isinstance(at, Forbidden) and at <= 1.0:
                    return Found(near, at, self.rises)
        return Found(best, spent, self.rises)

    def _allowed(self, place: Fraction, low: Fraction) -> Fraction | None:
        """The first value from a place towards the private end that no gap rules out; None if every value is ruled out."""
        step = -1 if self.rises else 1
        for _ in range(_STEPS):
            if place == low:
                return None
            at = self.spend(place, True) if self.whole else 0.0
            if not (isinstance(at, Forbidden) and at.gap):
                return place
            place += step
        raise NoCalibration(f"the side conditions leave too few values of {self.name} to search")

    def _between(self, low: Fraction, below: float, high: Fraction, above: float, turn: int) -> Fraction:
        """A value between the ends: by a line through the logarithms, and where that fails by halving."""
        left, right = math.log(low), math.log(high)
        share = 0.5
        if turn < _TURNS // 2 and math.isfinite(above) and math.isfinite(below) and above > below:
            share = min(max(-below / (above - below), 1e-3), 1.0 - 1e-3)
        value = _decimal(math.exp(left + share * (right - left)), whole=self.whole)
        if min(low, high) < value < max(low, high):
            return value
        return Fraction(math.floor((low + high) / 2)) if self.whole else _decimal((low + high) / 2, whole=False)


def _log(spending: Spending) -> float:
    """The logarithm of what is spent; ∞ where a value is ruled out, -∞ where nothing is."""
    if isinstance(spending, Forbidden):
        return math.inf
    return math.log(spending) if spending > 0.0 else -math.inf


def _shown(value: Fraction) -> str:
    return f"{float(value):g}"
