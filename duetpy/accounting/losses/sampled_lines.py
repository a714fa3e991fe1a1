"""At which orders a sample of b of m rows, drawn without replacement, has D_α ≤ ρ′α: as many as its whole Rényi curve shows.

The amplification theorem of Bun, Dwork, Rothblum & Steinke 2018 gives ρ′ = 13q²ρ for orders up to log(1/q)/4ρ. The curve of
a sample is known at whole orders (`subsampling.fixed_size_at`), and between them lies below the chord of (α−1) D_α; where all of
that is below the line, the line holds, up to the order at which the curve leaves it: some four times as far.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from duetpy.accounting.arrays import Array, np
from duetpy.accounting.expressions import Closed, Part
from duetpy.accounting.losses.subsampling import LARGEST_ORDER, fixed_size_at
from duetpy.accounting.notions.interpretation import Conditional, Rule
from duetpy.accounting.quantity_bounds import plain
from duetpy.accounting.rounding import raised
from duetpy.typecheck.quantity import Quantity


def upper_quantity(part: Part) -> Quantity | None:
    """A plain quantity that is not below a part: of an expression of numbers its value, rounded up."""
    if isinstance(part, Closed) and not part.variables():
        number = part.evaluate_float({}, up=True)
        return _of_few_digits(number, ROUND_CEILING)
    return plain(part)


def lower_quantity(part: Part) -> Quantity | None:
    """A plain quantity that is not above a part, where one is known."""
    if isinstance(part, Closed):
        number = math.nan if part.variables() else part.evaluate_float({}, up=False)
        return _of_few_digits(number, ROUND_FLOOR)
    return part


def _of_few_digits(number: float, rounding: str) -> Quantity | None:
    """A computed number as formulas and conditions show it: the bits of the double say nothing."""
    rounded = Context(prec=12, rounding=rounding).create_decimal(Decimal(number))
    return Quantity.of(Fraction(rounded)) if rounded.is_finite() else None


def orders_of_curve(rate: Quantity, rho: Quantity, omega: Quantity, theorem: Conditional) -> Rule:
    """A theorem's price with all the orders at which the curve bears out its line, where all is numbers.

    Parameters
    ----------
    rate, rho, omega
        q = b/m, and D_α ≤ ρα for 1 < α < ω of what sees a sample.
    theorem
        (ρ′, ω′) with D_α ≤ ρ′α at the orders up to ω′, and its premises.

    Returns
    -------
    Rule
        (ρ′, n) without premises if D_α ≤ ρ′α is verified up to an n ≥ ω′; else the theorem. It is unchanged if its premises
        are not proved, so that a program is not priced by numbers that do not follow from its formula.
    """
    if rate.variables() or rho.variables() or omega.variables():
        return theorem
    line, reach = theorem.parts
    least = reach.evaluate_float({}, up=True)
    if least > LARGEST_ORDER or not all(premise.holds for premise in theorem.premises):
        return theorem
    last = orders_below(
        rate.evaluate_float({}, up=True),
        rho.evaluate_float({}, up=True),
        omega.evaluate_float({}, up=False),
        line.evaluate_float({}, up=False),
    )
    return (line, Quantity.of(last)) if last >= least else theorem


@lru_cache(maxsize=1 << 10)
def orders_below(rate: float, rho: float, omega: float, slope: float) -> int:
    """The last whole order n such that D_α ≤ slope·α of a sample for all 1 < α ≤ n; 1 if there is no such order."""
    if not rate < 1.0:
        return 1
    known = int(min(omega, float(LARGEST_ORDER)))

    def curve(last: int) -> Array:
        orders = np.arange(2.0, last + 1.0)
        return np.where(orders <= known, np.nextafter(rho * orders, math.inf), math.inf)

    before = 0.0
    for order in range(2, known + 1):
        here = raised((order - 1) * fixed_size_at(rate, order, curve, math.inf), 1e-14)
        if not is_below(before, here, order, slope):
            return order - 1
        before = here
    return known


def is_below(before: float, here: float, order: int, slope: float) -> bool:
    """Whether the chord of (α−1)D_α from `before` at order − 1 to `here` at the order is below slope·α(α−1) in between.

    The difference is a parabola in α, least at (slope + rise)/2·slope; at α = 1 both are 0, and there the slopes decide.
    """
    rise = here - before
    if not rise < math.inf:
        return False
    if order == 2:
        return rise <= slope
    least = min(max((slope + rise) / (2.0 * slope), order - 1.0), float(order))
    chord = before + (least - order + 1.0) * rise
    return raised(chord, 1e-13) <= slope * least * (least - 1.0) * (1.0 - 1e-13)
