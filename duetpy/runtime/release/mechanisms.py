"""Mechanisms: what leaves a program, with the noise that it takes.

Contract. The value handed to a mechanism is exact: it moves by at most the sensitivity s that the checker proved, with two
exceptions, and both are charged here.

  * Models are rounded to 2^-2048 in a step of descent (`duetpy.runtime.evaluation.descent`) and rows of real numbers are scaled
    to 2^-2046 (`duetpy.runtime.values.clipping`); by the time they come here, the checker has shown, these errors are below 2^-968
    (`duetpy.typecheck.conditions.COVERED`). Static numbers that are not fractions are known to thirty digits. s is raised by 2^-40
    of itself, and a sensitivity below 2^-900 is refused.
* The value is rounded to the lattice 2^k·ℤ on which the noise lives; that moves neighbours apart by up to
  `lattice_slack`, which is added. k depends on s and the scale alone.

The scale is the accountant's for that sum, from the same atom that is charged; noise is drawn on the lattice exactly
(`duetpy.runtime.noise.continuous`). What is released is public from then on, and kept as doubles.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

import numpy as np
from attrs import define, evolve, field, frozen

from duetpy.accounting.mechanisms.table import LAWS, mechanism_of
from duetpy.accounting.noise_scale import noise_scale
from duetpy.accounting.rounding import float_up
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.exact.rationals import Doubles, Numbers, as_doubles, plain, rounded, to_double
from duetpy.runtime.exact.whole_numbers import over_one_denominator
from duetpy.runtime.noise import samplers
from duetpy.runtime.noise.noise_grid import (
    Steps,
    choose_granularity,
    from_lattice,
    lattice_slack,
    narrowest,
    to_lattice,
)
from duetpy.runtime.noise.random_bits import Bits, Watched
from duetpy.runtime.values.batching import set_of
from duetpy.runtime.values.statics import KindScope, Static
from duetpy.runtime.values.values import Injected, MatrixValue, MissingLanes, SetValue, Value, numbers_of
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.mechanism_rows import row_of
from duetpy.typecheck.quantity import KindVar

MARGIN = 1 + Fraction(1, 1 << 40)
LEAST_SENSITIVITY = Fraction(1, 1 << 900)
GREATEST_SENSITIVITY = Fraction(1 << 900)


@frozen
class Released:
    """What a mechanism did, for the report.

    Parameters
    ----------
    mechanism
        The law of the noise, as in `LAWS`, or the name of a mechanism that adds no noise to its value.
    sensitivity
        What its noise is calibrated for.
    scale
        b, σ, the scale of exp(−(|x|/scale)^N), or s of canonical noise; for mechanisms that choose, 2s/ε; None where there
        is no such number.
    error95
        What the error of one released number stays within in 95 of 100 runs; None where numbers are not released.
    score95
        By how much the score of what is chosen is below the best one in 95 of 100 runs at most; None where nothing is chosen.
    furthest
        By how much a number of rows that is shown is off at most; None where that is not bounded.
    """

    mechanism: str
    sensitivity: float
    scale: float | None
    error95: float | None
    score95: float | None = None
    furthest: int | None = None


@define
class Log:
    """How often each release happened, in the order of the first time."""

    counts: dict[tuple[ReleaseSite, Released], int] = field(factory=dict)

    def add(self, site: ReleaseSite, released: Released) -> None:
        key = (site, released)
        self.counts[key] = self.counts.get(key, 0) + 1

    def report(self) -> list[dict[str, object]]:
        """As in ``run --format json``."""
        return [
            {
                "mechanism": done.mechanism,
                "word": site.mechanism,
                "line": site.place[0],
                "file": site.place[1],
                "count": count,
                "sensitivity": done.sensitivity,
                "scale": done.scale,
                "error95": done.error95,
                **({} if done.score95 is None else {"score95": done.score95}),
                **({} if done.furthest is None else {"furthest": done.furthest}),
            }
            for (site, done), count in self._in_order()
        ]

    def sites(self) -> tuple[ReleaseSite, ...]:
        """Where each of these stands in the text."""
        return tuple([site for (site, _), _ in self._in_order()])

    def _in_order(self) -> list[tuple[tuple[ReleaseSite, Released], int]]:
        return sorted(self.counts.items(), key=lambda item: item[0][0].span.start)


@define
class Randomness:
    """Where noise comes from; without `bits` no noise is drawn, which protects nobody."""

    bits: Bits | None
    log: Log = field(factory=Log)
    calibrations: dict[tuple[ReleaseSite, int, frozenset[tuple[KindVar, Static]]], Calibration] = field(factory=dict)

    @property
    def is_secure(self) -> bool:
        return self.bits is not None and self.bits.secure

    @property
    def was_asked(self) -> bool:
        """Whether a mechanism has run, or bits were asked for in any other way."""
        return bool(self.log.counts) or (isinstance(self.bits, Watched) and self.bits.was_asked)


# ---------------------------------------------------------------------------------------------------------------------
# What is released


def released(value: Value) -> Value:
    """A value as it is known from outside: doubles instead of exact numbers. What is public may be rounded."""
    match value:
        case bool() | str():
            return value
        case Fraction():
            return Fraction(to_double(value))
        case tuple():
            return (released(value[0]), released(value[1]))
        case Injected(is_left, held):
            return Injected(is_left, released(held))
        case MissingLanes(is_there, held):
            return MissingLanes(is_there, released(held))
        case SetValue(elements):
            return set_of([released(element) for element in elements])
        case MatrixValue():
            return _released_matrix(value)
        case Numbers():
            return plain(rounded(value), natural=value.is_natural)
        case _:
            return value


def _released_matrix(value: MatrixValue) -> MatrixValue:
    store = value.store
    if isinstance(store, Numbers):
        if store.doubles is not None:
            return value
        return evolve(value, store=plain(np.asfortranarray(rounded(store)), natural=store.is_natural))
    cells = [column.held if isinstance(column, MissingLanes) else column for column in store]
    if all(not isinstance(column, Numbers) or column.doubles is not None for column in cells):
        return value
    return evolve(value, store=tuple(released(column) for column in store))


# ---------------------------------------------------------------------------------------------------------------------
# Additive noise


def sensitivity_of(site: ReleaseSite, kinds: KindScope) -> Fraction:
    """s with the margin for exact arithmetic; raises `DuetError` where no noise can be made for it."""
    bare = kinds.above(site.sensitivity, site.span)
    if not LEAST_SENSITIVITY <= bare <= GREATEST_SENSITIVITY:
        raise DuetError((_unusable(site),))
    return bare * MARGIN


def _unusable(site: ReleaseSite) -> Diagnostic:
    return Diagnostic(
        "D0703",
        f"cannot draw noise for {site.mechanism} with these numbers",
        site.span,
        notes=("sensitivities and scales must be between 2^-900 and 2^900, so that doubles can hold the result",),
        help="scale the data, or choose other parameters",
    )


@frozen
class Calibration:
    """The noise of one release: its lattice, its scale, and the sensitivity that the checker proved."""

    exponent: int
    scale: Fraction
    sensitivity: Fraction


def calibration(site: ReleaseSite, kinds: KindScope, count: int, randomness: Randomness) -> Calibration:
    """The noise for `count` numbers; computed once for every site and every set of numbers.

    Raises
    ------
    DuetError
        When the scale is too large or too small for doubles, or when the parameters give none.
    """
    key = (site, count, kinds.items())
    known = randomness.calibrations.get(key)
    if known is not None:
        return known
    raised = sensitivity_of(site, kinds)
    atom = evolve(site.atom, params=tuple(kinds.closed(param) for param in site.atom.params))
    try:
        if row_of(site.atom.mechanism).is_whole:
            exponent, slack = 0, Fraction(0)
        else:
            exponent = choose_granularity(raised, noise_scale(atom, raised, kinds.numbers))
            slack = lattice_slack(count, "L1" if row_of(site.atom.mechanism).is_measured_in_l1 else "L2", exponent)
        scale = noise_scale(atom, raised + slack, kinds.numbers)
    except (ValueError, OverflowError, ZeroDivisionError):
        raise DuetError((_unusable(site),)) from None
    widest = scale / min([Fraction(1), *_shape(site, kinds)[:1]])
    if not LEAST_SENSITIVITY <= scale <= widest <= GREATEST_SENSITIVITY:
        raise DuetError((_unusable(site),))
    made = Calibration(exponent, scale, raised / MARGIN)
    randomness.calibrations[key] = made
    return made


def refuse_without_noise(site: ReleaseSite, kinds: KindScope) -> None:
    """Raise `DuetError` where no noise can be drawn for a release, if all its numbers are known: before any row is read, as
    whether data reaches it may be private."""
    if not kinds.knows(v for each in (site.sensitivity, *site.atom.params, *site.shape) for v in each.variables()):
        return
    sensitivity_of(site, kinds)
    if site.atom.mechanism in LAWS:
        count = prod(int(kinds.above(size, site.span)) for size in site.shape)
        calibration(site, kinds, count, Randomness(None))
        _shape(site, kinds)


def noisy(value: Value, site: ReleaseSite, kinds: KindScope, randomness: Randomness) -> Value:
    """A number or a matrix with independent noise on every entry; exact in, doubles out."""
    if isinstance(value, MatrixValue):
        grid = numbers_of(value)
        rows, width = grid.shape
        drawn = calibration(site, kinds, rows * width, randomness)
        result = _drawn(_grid_steps(grid, drawn.exponent), drawn, site, kinds, randomness).reshape(rows, width)
        return MatrixValue(value.rows, plain(np.asfortranarray(result)))
    assert isinstance(value, int | Fraction)
    drawn = calibration(site, kinds, 1, randomness)
    steps = narrowest([_steps(value.numerator, value.denominator, drawn.exponent)])
    return Fraction(float(_drawn(steps, drawn, site, kinds, randomness)[0]))


def _steps(numerator: int, denominator: int, exponent: int) -> int:
    """The nearest whole number of steps 2^exponent, half to even."""
    number, unit = numerator << max(0, -exponent), denominator << max(0, exponent)
    whole, rest = divmod(number, unit)
    return whole + (2 * rest > unit or (2 * rest == unit and whole % 2 == 1))


def _grid_steps(grid: Numbers, exponent: int) -> Steps:
    doubles = as_doubles(grid)
    if doubles is not None:
        return to_lattice(np.broadcast_to(doubles, grid.shape).ravel(), exponent)
    numerators, denominator = over_one_denominator(grid)
    return narrowest([_steps(numerator, denominator, exponent) for numerator in numerators])


def _drawn(steps: Steps, drawn: Calibration, site: ReleaseSite, kinds: KindScope, randomness: Randomness) -> Doubles:
    """The noisy numbers, and the entry in the log."""
    name, shape, scale = LAWS[site.atom.mechanism], _shape(site, kinds), float_up(drawn.scale)
    error = mechanism_of(site.atom).accuracy(scale, 1, [to_double(number) for number in shape]).error95
    randomness.log.add(site, Released(name, to_double(drawn.sensitivity), scale, error))
    if randomness.bits is None:
        return from_lattice(steps, drawn.exponent)
    return samplers.noisy(name, steps, shape, drawn.scale, drawn.exponent, randomness.bits)


def _shape(site: ReleaseSite, kinds: KindScope) -> tuple[Fraction, ...]:
    """What the law depends on in addition to the scale, rounded down: a smaller ε or δ of canonical noise hides more.

    No noise is drawn with a power that is not a fraction.
    """
    row, params = row_of(site.atom.mechanism), site.atom.params
    found = tuple(kinds.below(params[place], site.span) for place in row.shape)
    if row.power_place is not None and found != tuple(kinds.above(params[place], site.span) for place in row.shape):
        raise DuetError((_unusable(site),))
    return found
