"""How much noise each release carries, from what the checker recorded about it.

Where every number is known, the scale is the one that the run will draw with (`duetpy.accounting.noise_scale`). Before that it
is a formula, for the mechanisms that have one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import isfinite, prod
from typing import Literal, TypeAlias

from attrs import frozen

from duetpy.accounting import named_functions
from duetpy.accounting.figures import bound, figure
from duetpy.accounting.mechanisms.table import LAWS, MECHANISMS, mechanism_of
from duetpy.accounting.price import number
from duetpy.accounting.rounding import float_up, written_up
from duetpy.by_value import ByValue
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.mechanism_rows import row_of
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, Kind, KindVar, Quantity, log
from duetpy.valuation import Valuation

MAXIMAL_ENTRIES = 10**300
"""Of more entries the chance of a larger error of one is no double, and no joint error is stated."""

Shown: TypeAlias = tuple[str, str, Literal["", "per entry", "for all entries"]]
"""The scale, the error, and whose error it is."""

Shares: TypeAlias = Sequence[tuple[int, float]]


@frozen(eq=False, repr=False)
class Noise(ByValue):
    """The noise of one mechanism, ready to be printed.

    Parameters
    ----------
    mechanism, place, repeats
        Which mechanism, where, and how often it runs; empty where nothing says how often its function is called.
    sensitivity
        What the noise is calibrated for.
    scale
        ``scale …`` of Laplace noise or ``σ …`` of Gaussian noise; empty where it has no formula and a number is missing.
    error95
        What the error stays within in 95 of 100 runs; empty where the scale is.
    extent
        Whether the error is that of ``an entry`` or of ``all entries`` of a matrix; empty for a number.
    shares
        For some numbers of rows, with what probability a key of so many is shown; empty where a number is missing.
    furthest
        By how much a number of rows that is shown is off at most; None where that is not bounded, or a number is missing.
    score95
        By how much the score of what is chosen is below the best one in 95 of 100 runs at most; empty where nothing is chosen.
    letters
        Where nothing says how often its function is called, the letters of its formulas: they need not be those of the program.
    """

    mechanism: str
    place: str
    repeats: str
    sensitivity: str
    scale: str = ""
    error95: str = ""
    extent: Literal["", "per entry", "for all entries"] = ""
    shares: Shares = ()
    furthest: int | None = None
    score95: str = ""
    letters: str = ""


def noise(site: ReleaseSite, values: Valuation) -> Noise:
    """The noise of a mechanism: numbers where every number is known, else formulas."""
    known = _numeric(site, values) or _symbolic(site, values)
    repeats = "" if site.repeats.is_infinite else site.repeats.substitute(values.quantities).show()
    sensitivity = _above(site.sensitivity.substitute(values.quantities))
    chosen = _choice(site, values)
    score = ""
    if chosen is not None:
        scale, below = chosen
        known, score = (f"scale {_shown(scale)}", "", ""), _above(below)
    letters = "" if repeats else ", ".join(sorted({variable.name for variable in _open(site, values)}))
    return Noise(
        site.mechanism, site.span.place, repeats, sensitivity, *known, *_kept_keys(site, values), score, letters
    )


def _open(site: ReleaseSite, values: Valuation) -> Iterator[KindVar]:
    """The variables of a release that have no number."""
    for quantity in (site.sensitivity, *site.atom.params):
        yield from quantity.substitute(values.quantities).variables()


def _choice(site: ReleaseSite, values: Valuation) -> tuple[Quantity, Quantity] | None:
    """Of a mechanism that chooses, the scale b = 2s/ε of its weights, and b ln nk for k candidates: in 95 of 100 runs the score of
    what it chooses is at most so much below the best one (`Mechanism.choice95`)."""
    if site.candidates is None:
        return None
    (count, sensitivity, epsilon) = (
        each.substitute(values.quantities) for each in (site.candidates, site.sensitivity, site.atom.params[-1])
    )
    if any(each.is_zero or each.is_infinite for each in (count, sensitivity, epsilon)):
        return None
    scale, times = 2 * sensitivity / epsilon, mechanism_of(site.atom).choice95
    if count.variables():
        return scale, scale * log(times * count)
    many = count.evaluate({}, up=True)
    if not isinstance(many, Fraction):
        return None
    # Above the truth: the logarithm of a whole number of any size is off by less than an ulp, and so are the product and what is
    # printed.
    above = 2 * math.log(times * math.ceil(many)) * (1 + 1e-14)
    shown = bound(above) if scale.variables() else repr(above)
    return scale, sensitivity * Fraction(shown) / epsilon


def _kept_keys(site: ReleaseSite, values: Valuation) -> tuple[Shares, int | None]:
    """With what probability keys of some sizes are shown, and how far off their numbers of rows are; nothing where a number is
    missing or out of range."""
    params = [param.substitute(values.quantities) for param in site.atom.params]
    is_known = not any(param.variables() or param.is_zero or param.is_infinite for param in params)
    mechanism = MECHANISMS.get(site.atom.mechanism) if is_known else None
    if mechanism is None:
        return (), None
    shares = [(rows, float(share)) for rows, share in mechanism.shares(site.atom, values.kinds)]
    return shares, mechanism.furthest(site.atom, values.kinds)


def release_value(site: ReleaseSite, values: Valuation) -> dict[str, object]:
    """A mechanism as in ``check --format json``: formulas, and as `value` the numbers where all are known. The error is that of one
    number, as in the JSON of a run."""
    scale, error, _ = _symbolic(site, Valuation())
    found: dict[str, object] = {
        "mechanism": site.mechanism,
        "line": site.span.begin[0],
        "file": site.span.source.name if site.span.source.is_imported else None,
        "times": None if site.repeats.is_infinite else site.repeats.show(),
        "sensitivity": site.sensitivity.show(),
        "scale": scale.removeprefix(_letter(site)).strip() or None,
        "error95": error or None,
    }
    symbolic, chosen = _choice(site, Valuation()), _choice(site, values)
    if symbolic is not None:
        found |= {"scale": symbolic[0].show(), "score95": symbolic[1].show()}
    known = [quantity.substitute(values.quantities) for quantity in (site.repeats, site.sensitivity, *site.atom.params)]
    if any(quantity.variables() for quantity in known):
        return found
    times, drawn, within = known[0].evaluate({}, up=True), _drawn(site, values), error_of(site, values)
    return {
        **found,
        "value": {
            "times": math.ceil(times) if isinstance(times, Fraction) else None,
            "sensitivity": number(known[1]),
            "scale": None if drawn is None else drawn[0],
            "error95": None if within is None or not isfinite(within) else within,
            **_kept(site, values),
            **({} if chosen is None else {"scale": number(chosen[0]), "score95": number(chosen[1])}),
        },
    }


def error_of(site: ReleaseSite, values: Valuation) -> float | None:
    """How far a released number may be off in 95 of 100 runs, ∞ beyond all doubles; None where a number is missing, or the
    mechanism adds none."""
    drawn = _drawn(site, values)
    return None if drawn is None else _accuracy(site, drawn[0], kinds=values.kinds)


def _kept(site: ReleaseSite, values: Valuation) -> dict[str, object]:
    """For a mechanism that shows keys: how likely it shows a key, by its number of rows, and how far off its counts are."""
    shares, furthest = _kept_keys(site, values)
    found: dict[str, object] = {"kept": [{"rows": rows, "probability": share} for rows, share in shares]}
    return {**found, **({} if furthest is None else {"furthest": furthest})} if shares else {}


def _numeric(site: ReleaseSite, values: Valuation) -> Shown | None:
    drawn = _drawn(site, values)
    if drawn is None:
        return None
    scale, count = drawn
    error = _accuracy(site, scale, count, values.kinds) if count <= MAXIMAL_ENTRIES else math.inf
    return f"{_letter(site)} {figure(scale)}", bound(error), "for all entries" if site.shape else ""


def _drawn(site: ReleaseSite, values: Valuation) -> tuple[float, int] | None:
    """The scale that the run will draw with, and how many numbers; None where a number is missing."""
    if site.atom.mechanism not in LAWS:
        return None
    quantities = [q.substitute(values.quantities) for q in (site.sensitivity, *site.atom.params, *site.shape)]
    optional = quantities[2:3] if row_of(site.atom.mechanism).optional else []  # its δ may be 0
    if any(q.variables() or (q.is_zero and q not in optional) or q.is_infinite for q in quantities):
        return None
    from duetpy.accounting.noise_scale import noise_scale

    sensitivity = Fraction(quantities[0].evaluate({}, up=True))
    try:
        scale = float(noise_scale(site.atom, sensitivity, values.kinds))
    except (ValueError, OverflowError):
        return None  # a parameter is out of range, which its own diagnostic says
    return scale, prod(int(q.evaluate({}, up=True)) for q in quantities[1 + len(site.atom.params) :])


def _accuracy(
    site: ReleaseSite, scale: float, count: int = 1, kinds: Mapping[KindVar, Fraction] | None = None
) -> float:
    shape = [site.atom.params[place].evaluate_float(kinds or {}) for place in row_of(site.atom.mechanism).shape]
    return mechanism_of(site.atom).accuracy(scale, count, shape).error95


def _letter(site: ReleaseSite) -> str:
    return "σ" if row_of(site.atom.mechanism).is_gaussian else "scale"


def _symbolic(site: ReleaseSite, values: Valuation) -> Shown:
    unit, factor = _unit_scale(site), _factor(site)
    extent: Literal["", "per entry"] = "per entry" if site.shape else ""
    more = " + 1" if row_of(site.atom.mechanism).is_whole else ""
    if unit is None:
        below = _calibrated(site, values)
        if below is None or factor is None:
            return "", "", ""
        sensitivity = site.sensitivity.substitute(values.quantities)
        told, error = _digits(sensitivity, figure) / below, _digits(factor * sensitivity, bound) / below
        return f"{_letter(site)} {told.show()}", error.show() + more, extent
    times, formula = unit
    told = site.sensitivity * (formula if times == 1 else _short(times, figure) * formula)
    scale = f"{_letter(site)} {_shown(told.substitute(values.quantities))}"
    if factor is None:
        return scale, "", ""
    if formula.constant is not None:
        times, formula = times * formula.constant, ONE
    error = site.sensitivity * formula * _short(times * factor, bound)
    return scale, _above(error.substitute(values.quantities)) + more, extent


def _short(number: Fraction, shown: Callable[[float], str]) -> Fraction:
    """A number with the digits that are shown of it; as it is where it is beyond the doubles."""
    near = written_up(number)
    return Fraction(shown(near)) if isfinite(near) else number


def _digits(quantity: Quantity, shown: Callable[[float], str]) -> Quantity:
    """A quantity, of a number what is shown of it."""
    exact = None if quantity.variables() else quantity.evaluate({}, up=True)
    return Quantity.of(_short(exact, shown)) if isinstance(exact, Fraction) else quantity


def _factor(site: ReleaseSite) -> Fraction | None:
    """How many scales the error of one number stays within; None where that is beyond the doubles, or rests on an unknown power."""
    if site.atom.mechanism not in LAWS:
        return None
    mechanism, shape = mechanism_of(site.atom), row_of(site.atom.mechanism).shape
    if mechanism.factor95 is not None or not mechanism.has_law([site.atom.params[place].constant for place in shape]):
        return mechanism.factor95
    scales = _accuracy(site, 1.0)
    return Fraction(bound(scales)) if isfinite(scales) else None


def _calibrated(site: ReleaseSite, values: Valuation) -> Quantity | None:
    """What the sensitivity of Gaussian noise for a symbolic (ε, δ) is divided by: a number that stands as a name."""
    if not row_of(site.atom.mechanism).is_gaussian or site.atom.calibration is not Notion.APPROX:
        return None
    eps, delta = (_shown(param.substitute(values.quantities)) for param in site.atom.params)
    letter = "ρ" if row_of(site.atom.mechanism).is_whole else "μ"
    found = Quantity.var(KindVar.fresh(f"{letter}({eps}, {delta})", Kind.POS))
    return found if letter == "μ" else (2 * found).sqrt()


def _unit_scale(site: ReleaseSite) -> tuple[Fraction, Quantity] | None:
    """The scale of the noise, σ of Gaussian noise, for a sensitivity of 1, as a number, rounded up, times a formula; None where it
    has no closed form."""
    atom = site.atom
    if atom.mechanism not in LAWS:
        return None
    formula = mechanism_of(atom).unit_scale(atom)
    if formula is not None:
        return Fraction(1), formula
    place = row_of(atom.mechanism).power_place
    if place is not None and (power := atom.params[place].constant) is not None:
        length = named_functions.fisher(float_up(power))
        return (Fraction(length), 1 / atom.params[1]) if isfinite(length) else None
    if atom.calibration is Notion.APPROX and not any(param.variables() for param in atom.params):
        from duetpy.accounting.noise_scale import noise_scale

        try:
            return noise_scale(atom, Fraction(1), {}), ONE
        except ValueError:
            return None  # a parameter is out of range, which its own diagnostic says
    return None


def _shown(quantity: Quantity) -> str:
    return quantity.show() if quantity.variables() else figure(quantity.evaluate_float({}))


def _above(quantity: Quantity) -> str:
    """The same of a bound, which is rounded up."""
    return quantity.show() if quantity.variables() else bound(number(quantity))
