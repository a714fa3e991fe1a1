"""The privacy curves of a program as a picture: δ(ε), and the trade-off between the two errors of whoever tests for a row.

Every point is a certified (ε, δ). A guarantee for several (ε, δ) is one for their trade-off function

    f(a) = max over them of max(0, 1 − δ − e^ε a, e^{−ε}(1 − δ − a))        (Dong, Roth & Su 2022, Proposition 2.5)

and δ(ε) is convex in e^ε, so between two of them it is below their chord. A picture draws f through all its corners, and δ(ε) as
steps down that chord: so the curves are bounds on the safe side, the true δ(ε) is not above, the true trade-off not below.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, combinations, pairwise

from duetpy.accounting.certify import tight
from duetpy.diagnostics.display import given_with_set
from duetpy.report.comparison import Comparison, Unit
from duetpy.report.picture import Picture, Unplottable, canvas, plain
from duetpy.valuation import Valuation

DELTAS = tuple(Fraction(f"{digit}e-{power}") for power in range(12, 1, -1) for digit in ("1",)) + tuple(
    Fraction(text) for text in ("0.03", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9")
)
"""The δ at which ε is computed."""

STEPS = 32
"""Into so many steps the chord of two points is cut."""

Point = tuple[float, float]


def points(unit: Unit, values: Valuation) -> list[Point]:
    """Certified (ε, δ) of a unit, from small δ to large ones, while ε falls; ε = ∞ is left out."""
    found = [tight(unit.cost, values.kinds, delta) for delta in DELTAS]
    least = accumulate((each.epsilon for each in found), min)  # what holds at a δ holds at a larger one
    return [(eps, each.delta) for eps, each in zip(least, found, strict=True) if eps < math.inf]


def filled(known: Sequence[Point]) -> list[Point]:
    """Certified points with more of them on the chords in e^ε between. From a point to the next one, ε falls and δ rises."""
    found = list(known[:1])
    for (high, least), (low, most) in pairwise(known):
        for step in range(1, STEPS + 1):
            eps = low if step == STEPS else high + (low - high) * step / STEPS
            # (e^ε − e^low)/(e^high − e^low), by exponentials of what is not positive
            share = math.exp(eps - high) * math.expm1(low - eps) / math.expm1(low - high) if eps > low else 0.0
            found.append((eps, most - share * (most - least)))
    return found


def corners(known: Sequence[Point]) -> list[float]:
    """Errors of the first kind between which the trade-off of certified points is a line: where two of its lines meet."""
    lines = [(0.0, 0.0)]
    for eps, delta in known:
        steep = math.exp(min(eps, 700.0))
        lines += [(1.0 - delta, steep), ((1.0 - delta) / steep, 1.0 / steep)]
    meet = [
        (one - other) / (fall - slower) for (one, fall), (other, slower) in combinations(lines, 2) if fall != slower
    ]
    return sorted({0.0, 1.0, *(place for place in meet if 0.0 < place < 1.0)})


def trade_off(known: Sequence[Point], error: float) -> float:
    """The least error of the second kind that certified (ε, δ) leave possible at an error of the first kind."""
    return max(
        (
            max(1.0 - delta - math.exp(min(eps, 700.0)) * error, math.exp(-eps) * (1.0 - delta - error))
            for eps, delta in known
        ),
        default=0.0,
    )


def curves(found: Comparison) -> Picture:
    """The curves of every unit.

    Raises
    ------
    Unplottable
        Without matplotlib, if a number is missing, or if nothing is protected.
    """
    missing = sorted({name for unit in found.units for name in unit.missing})
    if missing:
        raise Unplottable(f"a plot needs a number for every variable: {given_with_set(missing)}")
    if not found.units:
        raise Unplottable("there is nothing to plot: no parameter is protected")
    figure = canvas(9.0, 4.0 * len(found.units))
    axes = figure.subplots(len(found.units), 2, squeeze=False)
    for unit, (left, right) in zip(found.units, axes, strict=True):
        known = points(unit, found.values)
        title = ", ".join(unit.parameters)
        # A step has the δ of its smaller ε.
        drawn = filled(known)
        left.plot(
            [eps for eps, _ in drawn], [delta for _, delta in drawn], drawstyle="steps-pre", marker=".", markevery=STEPS
        )
        left.set(yscale="log", xlabel="ε", ylabel="δ", title=f"{title}: certified δ(ε)")
        errors = corners(known)
        right.plot(errors, [max(0.0, trade_off(known, error)) for error in errors])
        right.plot([0, 1], [1, 0], linestyle=":", color="grey")
        right.set(
            xlabel="false alarms (error I)",
            ylabel="misses (error II), at least",
            title=f"{title}: trade-off",
            xlim=(0, 1),
            ylim=(0, 1),
        )
    if rests := "\n".join(map(plain, found.premises)):
        figure.supxlabel(rests, fontsize="small", x=0.0, ha="left")
    return Picture(figure)
