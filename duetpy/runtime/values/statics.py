"""Static numbers at run time: what kind variables stand for, and the side conditions on them.

They are public facts: sizes of tables with a fixed number of rows, bounds of clips, what was given with ``--set``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import TypeAlias, assert_never

from attrs import define, field

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.values.memory import limits
from duetpy.source import Span
from duetpy.typecheck.capacity import TAME_NUMBER
from duetpy.typecheck.conditions import CELLS, LARGEST, Growth, Obligation, is_unreached
from duetpy.typecheck.errors.obligations import obligation_fails
from duetpy.typecheck.quantity import Comparison, Kind, KindVar, OutsideDomain, Quantity, QuantityTooLarge, Signed
from duetpy.typecheck.types import StaticNat, StaticReal

UNDETERMINED = "D0705"
BROKEN = "D0501"
TOO_LARGE = "D0706"

THIRTY_DIGITS = Context(30, ROUND_HALF_EVEN, MIN_EMIN, MAX_EMAX, traps=[])
"""How a run rounds a number that is not a fraction; `duetpy.typecheck.ends.NEAR` covers far more."""


Static: TypeAlias = Fraction | Quantity
"""What a kind variable stands for: a fraction; or another number, as a quantity without variables."""


@define(eq=False)
class KindScope:
    """Numbers for the kind variables in scope, and the static numbers computed from them so far.

    A number that is not a fraction is rounded to thirty digits where it is computed with, and never passed on like that: of the
    logarithm of a number near 1 that was rounded to thirty digits there may not be one correct digit.

    Parameters
    ----------
    numbers
        The variables that stand for fractions.
    forms
        The variables that stand for other numbers.
    """

    numbers: Mapping[KindVar, Fraction] = field(factory=dict)
    forms: Mapping[KindVar, Quantity] = field(factory=dict)
    _known: dict[tuple[Quantity, bool], Fraction] = field(factory=dict, init=False)
    _rounded: dict[Quantity, Fraction] = field(factory=dict, init=False)
    _statics: dict[Quantity, Static] = field(factory=dict, init=False)
    _extended: dict[tuple[tuple[KindVar, Static], ...], KindScope] = field(factory=dict, init=False)

    def extended(self, more: Mapping[KindVar, Static]) -> KindScope:
        """The scope with further variables: the same object for the same variables, so that the many calls of a function in a
        loop or for rows compute its numbers once."""
        if not more:
            return self
        key = tuple(more.items())
        if (known := self._extended.get(key)) is not None:
            return known
        found = {**dict(self.items()), **more}
        made = KindScope(
            {variable: value for variable, value in found.items() if isinstance(value, Fraction)},
            {variable: value for variable, value in found.items() if isinstance(value, Quantity)},
        )
        return self._extended.setdefault(key, made)

    def knows(self, variables: Iterable[KindVar]) -> bool:
        """Whether all of them are in scope."""
        return all(variable in self.numbers or variable in self.forms for variable in variables)

    def items(self) -> frozenset[tuple[KindVar, Static]]:
        """All variables in scope, with what they stand for."""
        found: dict[KindVar, Static] = {**self.numbers, **self.forms}
        return frozenset(found.items())

    def closed(self, quantity: Quantity, span: Span | None = None) -> Quantity:
        """A quantity with what stands for no fraction written out; raises `DuetError` where that is too long."""
        if self.forms.keys().isdisjoint(quantity.variables()):
            return quantity
        return _written_out(quantity, self.forms, span)

    def static(self, quantity: Quantity, span: Span | None) -> Static:
        """What a variable stands for that a quantity is put in for; raises `DuetError` if it is no finite number, or too long."""
        if (found := self._statics.get(quantity)) is None:
            found = self._statics[quantity] = self._static(quantity, span)
        return found

    def _static(self, quantity: Quantity, span: Span | None) -> Static:
        number = self.above(quantity, span)
        if number == self.below(quantity, span):
            return number
        known = {v: Quantity.of(self.numbers[v]) for v in quantity.variables() if v in self.numbers}
        return _written_out(quantity, {**known, **self.forms}, span)

    def above(self, quantity: Quantity, span: Span | None) -> Fraction:
        """The number that a quantity is, or one that is hardly above it."""
        return self._evaluated(quantity, True, span)

    def below(self, quantity: Quantity, span: Span | None) -> Fraction:
        """The number that a quantity is, or one that is hardly below it."""
        return self._evaluated(quantity, False, span)

    def number(self, static: StaticNat | StaticReal, span: Span | None) -> int | Fraction | None:
        """The one number of a static type; None where nothing in scope says which."""
        size = static.value if isinstance(static, StaticNat) else static.value.magnitude
        if not self.knows(size.variables()):
            return None
        if isinstance(static, StaticReal):
            return self.signed(static.value, span)
        whole = self.above(size, span)
        return int(whole) if whole.denominator == 1 else None

    def signed(self, number: Signed, span: Span | None) -> Fraction:
        """A static number that a run computes with: a fraction, or a number rounded to thirty digits.

        What was proved is of numbers and not of how they are written. So equal numbers are the same here, and of two that are not
        fractions the smaller one is not the larger one here, whatever forms and scopes they are found in. A fraction of more
        digits may lie between such a number and what it is here: see `duetpy.typecheck.ranges.clear_of`.

        Raises
        ------
        DuetError
            Where so many digits cannot be computed.
        """
        size = number.magnitude
        if (magnitude := self._rounded.get(size)) is None:
            magnitude = self._rounded[size] = _rounded(self.static(size, span), size, span)
        return -magnitude if number.negative else magnitude

    def branch(self, test: Comparison | None) -> bool | None:
        """Whether the branch runs that is for numbers of which the test holds: as the checker decided it, which had the other one
        cost nothing and demand nothing. None where it has not decided, and both are accounted for."""
        if test is None:
            return None
        if test.fails(self.numbers):
            return False
        return True if test.opposite().fails(self.numbers) else None

    def _evaluated(self, quantity: Quantity, up: bool, span: Span | None) -> Fraction:
        known = self._known.get((quantity, up))
        if known is not None:
            return known
        try:
            number = self.closed(quantity, span).evaluate(self.numbers, up=up)
        except KeyError:
            names = sorted({v.name for v in quantity.variables() if not self.knows([v])})
            raise DuetError((undetermined(names, span),)) from None
        except OutsideDomain:
            message = f"{quantity.show()} has no value for these numbers"
            raise DuetError((Diagnostic(BROKEN, message, span, help=_OTHER_NUMBERS),)) from None
        if isinstance(number, float):
            message = f"{quantity.show()} is not a finite number for these settings"
            raise DuetError((Diagnostic(BROKEN, message, span, help=_OTHER_NUMBERS),))
        self._known[quantity, up] = number
        return number


def _rounded(number: Static, written: Quantity, span: Span | None) -> Fraction:
    """The fraction that a number is, or the number of thirty digits next to it; messages name it as it is written."""
    if isinstance(number, Fraction):
        return number
    own = KindScope()
    least, most = own.below(number, span), own.above(number, span)
    if least == most:
        return most
    low, high = (THIRTY_DIGITS.divide(Decimal(end.numerator), Decimal(end.denominator)) for end in (least, most))
    if low != high:
        message = f"thirty digits of {written.show()} cannot be computed"
        raise DuetError((Diagnostic(BROKEN, message, span, help=_OTHER_NUMBERS),))
    return Fraction(high)


def _written_out(quantity: Quantity, forms: Mapping[KindVar, Quantity], span: Span | None) -> Quantity:
    try:
        return quantity.substitute(forms)
    except QuantityTooLarge:
        message = f"{quantity.show()} is too long to be computed exactly: it has too many digits, roots or logarithms"
        raise DuetError((Diagnostic(BROKEN, message, span, help=_OTHER_NUMBERS),)) from None


_OTHER_NUMBERS = "choose other numbers: --set NAME=…"


def undetermined(names: Iterable[str], span: Span | None) -> Diagnostic:
    """Kind variables that nothing says the number of."""
    listed = ", ".join(names)
    return Diagnostic(
        UNDETERMINED,
        f"missing value for {listed} in this run",
        span,
        help="give the static arguments where the function is used: f@[…]",
    )


# ---------------------------------------------------------------------------------------------------------------------
# Side conditions


def check_kinds(numbers: Mapping[KindVar, Fraction], span: Span | None = None) -> None:
    """Kind variables of kind ℕ are whole and at least 1, those of kind ℝ⁺ above 0; raises `DuetError`, of what is put in by a call
    at the place of this.

    None is so large or so small that a polynomial in them could not be computed (`duetpy.typecheck.capacity`).
    """
    for variable, number in numbers.items():
        is_valid = number >= 1 and number.denominator == 1 if variable.kind is Kind.NAT else number > 0
        if variable.kind is not Kind.TYPE and not (is_valid and number * TAME_NUMBER >= 1 and number <= TAME_NUMBER):
            wanted = "a whole number of at least 1" if variable.kind is Kind.NAT else "above 0"
            limits = "" if not is_valid else ", between 1e-300 and 1e300"
            message = f"{variable.name} must be {wanted}{limits}, but is {shown_number(number)} in this run"
            help_ = _OTHER_NUMBERS if span else "set it to such a number, or give data of such a size"
            raise DuetError((Diagnostic(BROKEN, message, span, help=help_),))


def check_obligations(
    obligations: Iterable[Obligation],
    numbers: Mapping[KindVar, Fraction],
    memory: int | None = None,
    *,
    some: bool = False,
) -> None:
    """Verify side conditions at the actual numbers, exactly; raises `DuetError` with all that are broken, or with what nobody said
    the number of.

    Parameters
    ----------
    obligations, numbers
        The conditions, and what kind variables stand for.
    memory
        The bytes that the run may use.
    some
        Whether only some of the numbers are known yet: conditions on others are passed over.
    """
    known = {**numbers, **limits(memory)}
    decided = [each for each in obligations if not some or each.variables() <= known.keys()]
    for each in decided:
        if missing := each.variables() - known.keys():
            raise DuetError((undetermined(sorted(variable.name for variable in missing), each.span),))
    broken = [obligation for obligation in decided if not holds(obligation, known)]
    if broken:
        raise DuetError(list(dict.fromkeys(_broken(obligation, known) for obligation in broken)))


def holds(obligation: Obligation, numbers: Mapping[KindVar, Fraction]) -> bool:
    """Whether a side condition is certain: the left rounded up, the right rounded down."""
    if is_unreached(obligation.under, numbers):
        return True
    left = obligation.left.evaluate(numbers, up=True)
    right = obligation.right.evaluate(numbers, up=False)
    match obligation.relation:
        case "<":
            return left < right
        case "≤":
            return left <= right or _are_one(obligation, numbers)
        case "∣":
            return isinstance(left, Fraction) and isinstance(right, Fraction) and (right / left).denominator == 1
        case _:
            assert_never(obligation.relation)


def _are_one(obligation: Obligation, numbers: Mapping[KindVar, Fraction]) -> bool:
    """Whether both sides are the same quantity at these numbers: √2 ≤ √2 is true, whatever rounding says."""
    mapping = {variable: Quantity.of(numbers[variable]) for variable in obligation.variables()}
    return obligation.left.substitute(mapping) == obligation.right.substitute(mapping)


def _broken(obligation: Obligation, numbers: Mapping[KindVar, Fraction]) -> Diagnostic:
    left = shown_number(obligation.left.evaluate(numbers, up=True))
    right = shown_number(obligation.right.evaluate(numbers, up=False))
    if CELLS in obligation.right.variables():
        return Diagnostic(
            TOO_LARGE,
            f"a table of {obligation.left.show()} = {left} cells does not fit in the memory of this run ({right} cells)",
            obligation.span,
            "made here",
            notes=("this follows from public sizes alone; no row was read",),
            help="choose smaller sizes, or allow more memory: --memory 64GiB (in Python, _memory='64GiB')",
        )
    if LARGEST in obligation.right.variables():
        return Diagnostic(
            BROKEN,
            f"{obligation.left.show()} is not a number that can be computed",
            obligation.span,
            obligation.reason,
            help=_OTHER_NUMBERS,
        )
    if obligation.is_of_rounding or isinstance(obligation, Growth):
        return obligation_fails(obligation.span, obligation)
    relation = "divides" if obligation.relation == "∣" else obligation.relation
    return Diagnostic(
        BROKEN,
        f"a side condition fails in this run: {obligation.show()} ({obligation.reason})",
        obligation.span,
        "fails here",
        notes=(f"with the numbers of this run, it says that {left} {relation} {right}",),
        help=_OTHER_NUMBERS,
    )


def shown_number(number: Fraction | float) -> str:
    """A number as messages have it, whatever its size: in full up to fifteen digits, then as the double nearest to it."""
    if number == math.inf:
        return "∞"
    if isinstance(number, Fraction) and number.denominator == 1 and abs(number) < 10**15:
        return str(number.numerator)
    try:
        nearest = float(number)
    except OverflowError:
        return "more than any double"
    return f"{nearest:.12g}" if nearest or not number else "less than any double above 0"
