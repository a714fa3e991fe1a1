"""The privacy curves of a program as a picture: δ(ε), and the trade-off between the two errors of whoever tests for a row.

Every point is a certified (ε, δ). A guarantee for several (ε, δ) is one for their trade-off function

    f(a) = max over them of max(0, 1 − δ − e^ε a, e^{−ε}(1 − δ − a))        (Dong, Roth & Su 2022, Proposition 2.5)

so the curves are bounds on the safe side: the true δ(ε) is not above, the true trade-off not below.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from duetpy.accounting.certify import tight
from duetpy.report.comparison import Comparison, Unit
from duetpy.valuation import Valuation

DELTAS = tuple(Fraction(f"{digit}e-{power}") for power in range(12, 1, -1) for digit in ("1",)) + tuple(
    Fraction(text) for text in ("0.03", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9")
)
"""The δ at which ε is computed."""

MISSING = "plots need matplotlib: pip install duetpy[plot]"

Point = tuple[float, float]


class Unplottable(Exception):
    """Nothing can be drawn; the text says why and what to do."""


def points(unit: Unit, values: Valuation) -> list[Point]:
    """Certified (ε, δ) of a unit, from small δ to large ones; ε = ∞ is left out."""
    found = [tight(unit.cost, values.kinds, delta) for delta in DELTAS]
    return [(each.epsilon, each.delta) for each in found if each.epsilon < math.inf]


def trade_off(known: Sequence[Point], error: float) -> float:
    """The least error of the second kind that certified (ε, δ) leave possible at an error of the first kind."""
    return max(
        (
            max(1.0 - delta - math.exp(min(eps, 700.0)) * error, math.exp(-eps) * (1.0 - delta - error))
            for eps, delta in known
        ),
        default=0.0,
    )


def plot(found: Comparison, path: Path) -> None:
    """Draw the curves of every unit into a file, an SVG or a PNG by its name.

    Raises
    ------
    Unplottable
        Without matplotlib, where a number is missing, where nothing is protected, or where the file cannot be written.
    """
    missing = sorted({name for unit in found.units for name in unit.missing})
    if missing:
        raise Unplottable(
            f"a plot needs a number for every variable: {' '.join(f'--set {name}=…' for name in missing)}"
        )
    if not found.units:
        raise Unplottable("there is nothing to plot: no parameter is protected")
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise Unplottable(MISSING) from None
    with matplotlib.rc_context({"svg.hashsalt": "duetpy", "svg.fonttype": "path"}):
        figure = Figure(figsize=(9.0, 4.0 * len(found.units)), layout="constrained")
        axes = figure.subplots(len(found.units), 2, squeeze=False)
        for unit, (left, right) in zip(found.units, axes, strict=True):
            known = points(unit, found.values)
            title = ", ".join(unit.parameters)
            left.plot([eps for eps, _ in known], [delta for _, delta in known], marker=".")
            left.set(yscale="log", xlabel="ε", ylabel="δ", title=f"{title}: certified δ(ε)")
            errors = [place / 200 for place in range(201)]
            right.plot(errors, [max(0.0, trade_off(known, error)) for error in errors])
            right.plot([0, 1], [1, 0], linestyle=":", color="grey")
            right.set(
                xlabel="false alarms (error I)",
                ylabel="misses (error II), at least",
                title=f"{title}: trade-off",
                xlim=(0, 1),
                ylim=(0, 1),
            )
        try:
            figure.savefig(path, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
        except OSError as error:
            raise Unplottable(f"{path} could not be written: {error.strerror or 'unknown reason'}") from None
