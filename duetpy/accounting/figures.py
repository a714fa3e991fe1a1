"""Numbers for people. A bound is printed rounded up from all of its digits, so that what is printed is still a bound.

A number stands for its shortest decimal text, which is what the JSON says and what was rounded to its safe side.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import Literal

from duetpy.typecheck.notions import ORDERS

_UP = {digits: Context(prec=digits, rounding=ROUND_CEILING) for digits in (2, 5)}
_DOWN = Context(prec=5, rounding=ROUND_FLOOR)
_NEAREST = Context(prec=6, rounding=ROUND_HALF_EVEN)


def bound(value: float | None, digits: Literal[2, 5] = 5) -> str:
    """An upper bound to so many significant digits; ``∞`` for None."""
    if value is None or math.isinf(value):
        return "∞"
    return _shown(_UP[digits].plus(Decimal(repr(value))).normalize(_UP[digits]), value)


def at_most(value: float) -> str:
    """What may be spent, to five significant digits."""
    return "∞" if math.isinf(value) else _shown(_DOWN.plus(Decimal(repr(value))).normalize(_DOWN), value)


def part(name: str, value: float | None) -> str:
    """A part of a price by its name: an order, α or ω, is rounded down, since a guarantee up to a smaller one claims less."""
    if name not in ORDERS or value is None or math.isinf(value):
        return bound(value)
    return _shown(_DOWN.plus(Decimal(repr(value))).normalize(_DOWN), value)


def figure(value: float) -> str:
    """A number to six significant digits."""
    if math.isinf(value) or math.isnan(value):
        return repr(value).replace("inf", "∞")
    return _shown(_NEAREST.create_decimal(repr(value)).normalize(_NEAREST), value)


def _shown(rounded: object, value: float) -> str:
    return f"{rounded:f}" if value == 0 or 1e-4 <= abs(value) < 1e7 else _scientific(f"{rounded:e}")


def _scientific(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}"
