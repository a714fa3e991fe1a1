"""How much noise each release carries, from what the checker recorded about it.

Where every number is known, the scale is the one that the run will draw with (`duetpy.accounting.noise`). Before that it
is a formula, for the mechanisms that have one.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod
from typing import Literal, TypeAlias

from attrs import frozen

from duetpy.accounting.accuracy import LAWS, accuracy
from duetpy.accounting.closed import fisher
from duetpy.report.numbers import bound, figure
from duetpy.typecheck.core import ReleaseSite
from duetpy.typecheck.cost import Atom, Notion
from duetpy.typecheck.quantity import KindVar, Quantity
from duetpy.typecheck.stated import GAUSSIAN, ON_INTEGERS
from duetpy.valuation import Valuation

LAPLACE_95 = Fraction("2.9958")
"""P(|Lap(1)| ≤ x) = 1 − e^{−x} = 0.95 at x = log 20 = 2.99573…, rounded up."""

GAUSSIAN_95 = Fraction("1.96")
"""P(|N(0, 1)| ≤ x) = 0.95 at x = Φ⁻¹(0.975) = 1.95996…, rounded up."""

MAXIMAL_ENTRIES = 10**12
"""The largest release whose joint error is stated."""

Shown: TypeAlias = tuple[str, str, Literal["", "an entry", "all entries"]]
"""The scale, the error, and whose error it is."""


@frozen
class Noise:
    """The noise of one mechanism, ready to be printed.

    Parameters
    ----------
    mechanism, place, repeats
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
    place: str
    repeats: str
    sensitivity: str
    scale: str = ""
    error95: str = ""
    extent: Literal["", "an entry", "all entries"] = ""


def noise(site: ReleaseSite, values: Valuation) -> Noise:
    """The noise of a mechanism: numbers where every number is known, else formulas."""
    known = _numeric(site, values) or _symbolic(site, values)
    return Noise(
        site.mechanism, site.span.place, _shown(site.repeats, values), _shown(site.sensitivity, values), *known
    )


def _numeric(site: ReleaseSite, values: Valuation) -> Shown | None:
    if site.atom.mechanism not in LAWS:
        return None
    quantities = [q.substitute(values.quantities) for q in (site.sensitivity, *site.atom.params, *site.shape)]
    optional = quantities[2:3] if site.atom.mechanism == "canonical" else []  # its δ may be 0
    if any(q.variables() or (q.is_zero and q not in optional) or q.is_infinite for q in quantities):
        return None
    from duetpy.accounting.noise import noise_scale

    sensitivity = Fraction(quantities[0].evaluate({}, up=True))
    try:
        scale = float(noise_scale(site.atom, sensitivity, values.kinds))
    except (ValueError, OverflowError):
        return None  # a parameter is out of range, which its own diagnostic says
    count = prod(int(q.evaluate({}, up=True)) for q in quantities[1 + len(site.atom.params) :])
    error = _accuracy(site, scale, min(count, MAXIMAL_ENTRIES), values.kinds)
    return f"{_letter(site)} {figure(scale)}", bound(error), "all entries" if site.shape else ""


def _accuracy(
    site: ReleaseSite, scale: float, count: int = 1, kinds: Mapping[KindVar, Fraction] | None = None
) -> float:
    if site.atom.mechanism == "canonical":
        eps, delta = (param.evaluate_float(kinds or {}) for param in site.atom.params)
        return accuracy("canonical", scale, count, eps=eps, delta=delta).error95
    power = site.atom.params[0].evaluate_float(kinds or {}) if site.atom.mechanism == "ggauss" else 1.0
    return accuracy(LAWS[site.atom.mechanism], scale, count, power).error95


def _letter(site: ReleaseSite) -> str:
    return "σ" if site.atom.mechanism in GAUSSIAN else "scale"


def _symbolic(site: ReleaseSite, values: Valuation) -> Shown:
    unit, factor = unit_scale(site), _factor(site)
    extent: Literal["", "an entry"] = "an entry" if site.shape else ""
    more = " + 1" if site.atom.mechanism in ON_INTEGERS else ""
    if unit is None:
        calibrated = _calibrated(site, values)
        if calibrated is None or factor is None:
            return "", "", ""
        sensitivity, below = calibrated
        return f"{_letter(site)} {_quotient(sensitivity, below)}", _quotient(factor * sensitivity, below) + more, extent
    scale = f"{_letter(site)} {_shown(site.sensitivity * unit, values)}"
    if factor is None:
        return scale, "", ""
    error = unit * factor
    if unit.constant is not None:
        error = Quantity.of(Fraction(bound(float(unit.constant * factor))))
    return scale, _shown(site.sensitivity * error, values) + more, extent


def _factor(site: ReleaseSite) -> Fraction | None:
    """How many scales the error of one number stays within; None where that depends on a power that is not known."""
    match site.atom.mechanism:
        case "laplace" | "dlaplace":
            return LAPLACE_95
        case "gauss" | "dgauss":
            return GAUSSIAN_95
        case "ggauss" if site.atom.params[0].constant is not None:
            return Fraction(bound(_accuracy(site, 1.0)))
        case "canonical" if _is_known(site.atom):
            return Fraction(bound(_accuracy(site, 1.0)))
        case _:
            return None


def _is_known(atom: Atom) -> bool:
    """Whether ε and δ of canonical noise are numbers of which there is noise."""
    eps, delta = (param.constant for param in atom.params)
    return eps is not None and delta is not None and eps > 0 and delta < 1


def _calibrated(site: ReleaseSite, values: Valuation) -> tuple[Quantity, str] | None:
    """The sensitivity of Gaussian noise for a symbolic (ε, δ), and the number that it is divided by."""
    if site.atom.mechanism not in GAUSSIAN or site.atom.calibration is not Notion.APPROX:
        return None
    eps, delta = (_shown(param, values) for param in site.atom.params)
    below = f"μ({eps}, {delta})" if site.atom.mechanism == "gauss" else f"√(2⋅ρ({eps}, {delta}))"
    return site.sensitivity.substitute(values.quantities), below


def _quotient(quantity: Quantity, below: str) -> str:
    """A quantity over what stands as text: ``2/(m⋅μ(ε, δ))``."""
    text = quantity.show() if quantity.variables() else figure(quantity.evaluate_float({}))
    if " " in text:
        return f"({text})/{below}"
    above, bar, divisor = text.partition("/")
    return f"{above}/({divisor.strip('()')}⋅{below})" if bar else f"{text}/{below}"


#   Laplace                      b = s/ε            (Dwork, McSherry, Nissim & Smith 2006)
#   Gaussian   zCDP   ρ          σ = s/√(2ρ)        (Bun & Steinke 2016, Proposition 1.6)
#              Rényi  α, ε       σ = s√(α/(2ε))     (Mironov 2017, Proposition 7)
#              GDP    μ          σ = s/μ            (Dong, Roth & Su 2022, Theorem 2.7)
#              Rao    θ          σ = s/θ
#              approx ε, δ       σ = s⋅σ₁           with the analytic calibration σ₁ of s = 1 (Balle & Wang 2018)
#   canonical                    scale = s          (Awan & Vadhan 2023)
#   generalized Gaussian         scale = s/ratio; in Rao s⋅c(N)/θ with the root c(N) of its Fisher information at scale 1
def unit_scale(site: ReleaseSite) -> Quantity | None:
    """The scale of the noise, σ of Gaussian noise, for a sensitivity of 1; None where it has no closed form."""
    params = site.atom.params
    match site.atom.mechanism, site.atom.calibration:
        case (("laplace" | "dlaplace"), _):
            return 1 / params[-1]
        case "ggauss", None:
            return 1 / params[1]
        case "canonical", _:
            return Quantity.of(1)
        case "ggauss", _ if params[0].constant is not None:
            return Quantity.of(Fraction(figure(fisher(float(params[0].constant))))) / params[1]
        case (("gauss" | "dgauss"), Notion.ZCDP | Notion.TCDP):
            return 1 / (2 * params[0]).sqrt()
        case (("gauss" | "dgauss"), Notion.RENYI):
            return (params[0] / (2 * params[1])).sqrt()
        case "gauss", Notion.GDP | Notion.RAO:
            return 1 / params[0]
        case (("gauss" | "dgauss"), Notion.APPROX) if not any(param.variables() for param in params):
            from duetpy.accounting.noise import noise_scale

            return Quantity.of(Fraction(figure(float(noise_scale(site.atom, Fraction(1), {})))))
        case _:
            return None


def _shown(quantity: Quantity, values: Valuation) -> str:
    number = quantity.substitute(values.quantities)
    return number.show() if number.variables() else figure(number.evaluate_float({}))
