"""How much noise each release carries, from what the checker recorded about it.

Where every number is known, the scale is the one that the run will draw with (`duetpy.accounting.noise`). Before that it
is a formula, for the mechanisms that have one.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Literal

from attrs import frozen

from duetpy.report.numbers import bound, figure
from duetpy.typecheck.core import ReleaseSite
from duetpy.typecheck.cost import Notion
from duetpy.typecheck.quantity import Quantity
from duetpy.valuation import Valuation

LAPLACE_95 = Fraction("2.9958")
"""P(|Lap(1)| ≤ x) = 1 − e^{−x} = 0.95 at x = log 20 = 2.99573…, rounded up."""

GAUSSIAN_95 = Fraction("1.96")
"""P(|N(0, 1)| ≤ x) = 0.95 at x = Φ⁻¹(0.975) = 1.95996…, rounded up."""

MAXIMAL_ENTRIES = 10**12
"""The largest release whose joint error is stated."""

LAPLACE = ("laplace", "dlaplace")
GAUSSIAN = ("gauss", "dgauss")


@frozen
class Noise:
    """The noise of one mechanism, ready to be printed.

    Parameters
    ----------
    mechanism, line, repeats
        Which mechanism, where, and how often it runs.
    sensitivity
        What the noise is calibrated for.
    scale
        ``scale …`` of Laplace noise or ``σ …`` of Gaussian noise; empty where it has no formula and a number is missing.
    error95
        What the error stays within in 95 of 100 runs; empty where the scale is.
    extent
        Whether the error is that of ``an entry`` or of ``all entries`` of a matrix; empty for a number.
    """

    mechanism: str
    line: int
    repeats: str
    sensitivity: str
    scale: str = ""
    error95: str = ""
    extent: Literal["", "an entry", "all entries"] = ""


def noise(site: ReleaseSite, values: Valuation) -> Noise:
    """The noise of a mechanism: numbers where every number is known, else formulas."""
    known = _numeric(site, values) or _symbolic(site, values)
    return Noise(
        site.mechanism, site.span.begin[0], _shown(site.repeats, values), _shown(site.sensitivity, values), *known
    )


def _numeric(site: ReleaseSite, values: Valuation) -> tuple[str, str, Literal["", "an entry", "all entries"]] | None:
    if site.atom.mechanism not in (*LAPLACE, *GAUSSIAN):
        return None
    quantities = [q.substitute(values.quantities) for q in (site.sensitivity, *site.atom.params, *site.shape)]
    if any(q.variables() or q.is_zero or q.is_infinite for q in quantities):
        return None
    from duetpy.accounting.accuracy import accuracy
    from duetpy.accounting.noise import noise_scale

    sensitivity = Fraction(quantities[0].evaluate({}, up=True))
    scale = float(noise_scale(site.atom, sensitivity, values.kinds))
    is_laplace = site.atom.mechanism in LAPLACE
    count = prod(int(q.evaluate({}, up=True)) for q in quantities[1 + len(site.atom.params) :])
    error = accuracy("laplace" if is_laplace else "gaussian", scale, min(count, MAXIMAL_ENTRIES)).error95
    name = "scale" if is_laplace else "σ"
    return f"{name} {figure(scale)}", bound(error), "all entries" if site.shape else ""


def _symbolic(site: ReleaseSite, values: Valuation) -> tuple[str, str, Literal["", "an entry", "all entries"]]:
    unit = unit_scale(site)
    if unit is None:
        return "", "", ""
    is_laplace = site.atom.mechanism in LAPLACE
    factor = LAPLACE_95 if is_laplace else GAUSSIAN_95
    error = unit * factor
    if unit.constant is not None:
        error = Quantity.of(Fraction(bound(float(unit.constant * factor))))
    scale = f"{'scale' if is_laplace else 'σ'} {_shown(site.sensitivity * unit, values)}"
    return scale, _shown(site.sensitivity * error, values), "an entry" if site.shape else ""


#   Laplace                      b = s/ε            (Dwork, McSherry, Nissim & Smith 2006)
#   Gaussian   zCDP   ρ          σ = s/√(2ρ)        (Bun & Steinke 2016, Proposition 1.6)
#              Rényi  α, ε       σ = s√(α/(2ε))     (Mironov 2017, Proposition 7)
#              GDP    μ          σ = s/μ            (Dong, Roth & Su 2022, Theorem 2.7)
#              Rao    θ          σ = s/θ
#              approx ε, δ       σ = s⋅σ₁           with the analytic calibration σ₁ of s = 1 (Balle & Wang 2018)
def unit_scale(site: ReleaseSite) -> Quantity | None:
    """The scale of Laplace or the σ of Gaussian noise for a sensitivity of 1; None where it has no closed form."""
    params = site.atom.params
    if site.atom.mechanism in LAPLACE:
        return 1 / params[-1]
    if site.atom.mechanism not in GAUSSIAN:
        return None
    match site.atom.calibration:
        case Notion.ZCDP | Notion.TCDP:
            return 1 / (2 * params[0]).sqrt()
        case Notion.RENYI:
            return (params[0] / (2 * params[1])).sqrt()
        case Notion.GDP | Notion.RAO:
            return 1 / params[0]
        case Notion.APPROX if not any(param.variables() for param in params):
            from duetpy.accounting.noise import noise_scale

            return Quantity.of(Fraction(figure(float(noise_scale(site.atom, Fraction(1), {})))))
        case _:
            return None


def _shown(quantity: Quantity, values: Valuation) -> str:
    number = quantity.substitute(values.quantities)
    return number.show() if number.variables() else figure(number.evaluate_float({}))
