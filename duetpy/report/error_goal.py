"""An error as a goal: how far the numbers of some releases may be off, in 95 of 100 runs, and how far they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from math import isinf

from attrs import frozen

from duetpy.accounting.calibrate import Forbidden, NoCalibration, Spending
from duetpy.accounting.mechanisms.table import LAWS
from duetpy.accounting.rounding import float_up
from duetpy.diagnostics.display import given_with_set
from duetpy.report.noise import error_of
from duetpy.settings import SettingError, parse_number
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.mechanism_rows import RULES
from duetpy.valuation import Valuation

_GOAL = re.compile(r"(.+?)(?:@([0-9]{1,9}))?")


@frozen
class ErrorGoal:
    """The largest error at 95 % that a number may have, of the releases at a line of the program, or of all of them.

    The error is that of one number, as `error95` in the reports; of a matrix, of one entry.
    """

    amount: Fraction
    line: int | None = None

    def sites(self, releases: Sequence[ReleaseSite]) -> list[ReleaseSite]:
        """The releases that are meant.

        Raises
        ------
        SettingError
            If the program has no release at the line.
        NoCalibration
            If one of the chosen releases adds no noise to a number, or no release does, or one adds noise of no stated error.
        """
        if self.line is None:
            noisy = [site for site in releases if site.atom.mechanism in LAWS]
            unstated = next(filter(_adds_unstated_noise, releases), None)
            if unstated is not None:
                raise NoCalibration(f"{_unstated(unstated)}; --error E@LINE is about the releases at one line")
            if not noisy:
                raise NoCalibration("the program adds noise to no number, so there is no error to meet")
            return noisy
        own = [site for site in releases if not site.span.source.is_imported]
        meant = [site for site in own if site.span.begin[0] == self.line]
        if not meant:
            lines = ", ".join(str(line) for line in sorted({site.span.begin[0] for site in own})) or "none"
            raise SettingError(f"there is no release at line {self.line}; the lines with releases are {lines}")
        chosen = next((site for site in meant if site.atom.mechanism not in LAWS), None)
        if chosen is not None and _adds_unstated_noise(chosen):
            raise NoCalibration(_unstated(chosen))
        if chosen is not None:
            raise NoCalibration(f"{chosen.mechanism} adds no noise to a number, so it has no error at 95 %")
        return meant

    def spending(self, sites: Sequence[ReleaseSite], values: Valuation) -> Spending:
        """The largest error as a share of the goal."""
        shares: list[float] = []
        for site in sites:
            found = error_of(site, values)
            if found is None:
                _demand(site, values)
                return Forbidden(f"{site.mechanism} has no noise scale there")
            shares.append(found if isinf(found) else float_up(Fraction(repr(found)) / self.amount))
        return max(shares)


def _adds_unstated_noise(site: ReleaseSite) -> bool:
    """Whether numbers are released with noise of which no error at 95 % is known: numbers of rows, models of a descent."""
    return RULES.get(site.mechanism) in ("counted", "descent")


def _unstated(site: ReleaseSite) -> str:
    return f"{site.mechanism} at {site.span.place} adds noise whose error at 95 % is not stated"


def _demand(site: ReleaseSite, values: Valuation) -> None:
    needed = needed_text(site, values)
    if needed:
        raise NoCalibration(needed)


def needed_text(site: ReleaseSite, values: Valuation) -> str:
    """A request for the numbers that the error of a release needs and that are not there; empty if all are."""
    known = [quantity.substitute(values.quantities) for quantity in (site.sensitivity, *site.atom.params, *site.shape)]
    unset = sorted({var.name for quantity in known for var in quantity.variables()})
    asked = f"to compute the error of {site.mechanism}, give more numbers: {given_with_set(unset)}"
    return asked if unset else ""


def parse_error(text: str) -> ErrorGoal:
    """``0.5``, or ``0.5@3`` for the releases at line 3; raises `SettingError`."""
    found = _GOAL.fullmatch(text)
    amount = parse_number(found[1] if found else text)
    if amount <= 0:
        raise SettingError(f"an error is a number above 0, not {text}")
    line = int(found[2]) if found is not None and found[2] else None
    return ErrorGoal(amount, line)
