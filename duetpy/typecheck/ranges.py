"""Between which static numbers a number lies, and how far a product or a quotient of such numbers moves."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from itertools import product

from duetpy.typecheck.ends import added, as_found, beyond, is_approximate
from duetpy.typecheck.facts import Facts
from duetpy.typecheck.judgement import Judged, Range, range_in_type, range_of
from duetpy.typecheck.prelude import signed_end
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, Quantity, Signed, maximum, minimum
from duetpy.typecheck.types import Idx, Nat, Real, StaticNat, Type

GREATEST_NATURAL = Quantity.of(1 << 1024)
"""The largest natural number that a run computes (`duetpy.runtime.exact.whole_numbers`); a static number does not."""


def hull(left: Range | None, right: Range | None) -> Range | None:
    """A range that holds both."""
    if left is None or right is None:
        return None
    return Range(-_above(-left.low, -right.low), _above(left.high, right.high))


def _above(one: Signed, other: Signed) -> Signed:
    """The larger number, or one above both as a run finds them."""
    return clear_of(_larger(one, other), one, other)


def clear_of(largest: Signed, *others: Signed) -> Signed:
    """The largest of some numbers, or one above it: a run, which knows others to so many digits, may find another order."""
    near = [each for each in others if is_approximate(each) and not beyond(each, up=True).leq(largest)]
    return beyond(largest, up=True) if near and not is_approximate(largest) else largest


def range_after(stated: Facts, result: Type, args: list[Judged]) -> Range | None:
    """The range of a result: interval arithmetic on what is known of the arguments, or what is true of any."""
    return as_held(result, _range_after(stated, args))


def as_held(type_: Type, known: Range | None) -> Range | None:
    """The range of what a run computes exactly in a range, unless it is a natural number that stops at the greatest one. It bounds
    the distance of two numbers; other values, discrete ones too, may be further apart."""
    if known is None or not isinstance(type_, Real | Nat):
        return None
    if isinstance(type_, Real) or known.high.magnitude.leq(GREATEST_NATURAL):
        return known
    return Range(Signed(False, ZERO), known.high)


def _range_after(stated: Facts, args: list[Judged]) -> Range | None:
    ranges = [range_of(arg) for arg in args]
    if stated.is_same and (within := range_in_type(args[0].type)) is not None:
        return within
    match stated.range, ranges:
        case "sum", [Range() as a, Range() as b]:
            low, high = added(a.low, b.low, up=False), added(a.high, b.high, up=True)
        case "difference", [Range() as a, Range() as b]:
            low, high = added(a.low, -b.high, up=False), added(a.high, -b.low, up=True)
            if isinstance(args[0].type, Nat | StaticNat | Idx):
                # On ℕ the difference stops at 0, and is at most what it is taken from.
                nothing = Signed(False, ZERO)
                low = nothing if low is None or low.negative else low
                high = a.high if high is None else nothing if high.negative else high
        case "product", [Range() as a, Range() as b] if _are_known(a, b):
            return _corners(a, b, Signed.__mul__)
        case "product", [Range() as a, Range() as b]:
            one, other = _size(a), _size(b)
            high = as_found(one * other, one, other, up=True)
            non_negative = not (a.low.negative or b.low.negative)
            low = as_found(a.low * b.low, a.low, b.low, up=False) if non_negative else high and -high
        case "quotient", [Range() as a, Range() as b] if args[1].is_public and distance_from_0(b) is not None:
            return _corners(a, b, Signed.__truediv__)
        case "larger", [Range() as a, Range() as b]:
            return Range(_larger(a.low, b.low), _above(a.high, b.high))
        case "smaller", [Range() as a, Range() as b]:
            return Range(-_above(-a.low, -b.low), -_larger(-a.high, -b.high))
        case "magnitude", [Range() as a]:
            low, high = Signed(False, ZERO), _size(a)
        case _, [Range() as a] if stated.near:
            down, up = (signed_end(end) for end in stated.near)
            low, high = added(a.low, -down, up=False), added(a.high, up, up=True)
        case _ if stated.within:
            low, high = (signed_end(end) for end in stated.within)
        case _:
            return None
    return None if low is None or high is None else Range(low, high)


def range_of_picked(picks: str, init: Judged, term: Judged) -> Range | None:
    """The range of the largest or smallest of a first number and of one a row; there may be no rows."""
    first, each = range_of(init), range_of(term)
    if first is None or each is None:
        return None
    if picks == "largest":
        return Range(first.low, _above(first.high, each.high))
    return Range(-_above(-first.low, -each.low), first.high)


def _size(bounds: Range) -> Signed:
    """The largest absolute value, or a number above it."""
    return _above(bounds.high, -bounds.low)


def _corners(one: Range, other: Range, made: Callable[[Signed, Signed], Signed | None]) -> Range | None:
    """The range of a function of two numbers, linear in the first and monotone in the second, from its values at their ends."""
    found: list[Range | None] = []
    for first, second in product((one.low, one.high), (other.low, other.high)):
        value = made(first, second)
        # A number divided by itself is 1, however many digits of it a run knows.
        is_itself = made is Signed.__truediv__ and one.is_written and other.is_written and abs(first) == abs(second)
        parts = () if is_itself else (first, second)
        low, high = (as_found(value, *parts, up=up) for up in (False, True))
        found.append(None if low is None or high is None else Range(low, high))
    return reduce(hull, found)


def _are_known(*bounds: Range) -> bool:
    return all(end.magnitude.constant is not None for each in bounds for end in (each.low, each.high))


def _larger(one: Signed, other: Signed) -> Signed:
    if one.leq(other):
        return other
    if other.leq(one) or one.negative != other.negative:
        return one
    return Signed(one.negative, (minimum if one.negative else maximum)(one.magnitude, other.magnitude))


#   x ∈ [a, b], |x| ≤ M      |y| ≤ M′             x ⋅ y − x′ ⋅ y′ = (x − x′) ⋅ y + x′ ⋅ (y − y′)
#   ────────────────────────────────────────      |y| ≥ l > 0 for all y that a public number can be: x / y − x′ / y = (x − x′) / y
#   x ⋅ y : M′⊙Σ ⊞ M⊙Σ′      x / y : 1/l⊙Σ
def slopes_in_ranges(stated: Facts, args: list[Judged]) -> tuple[Quantity, ...] | None:
    """How far each factor moves a product, or the dividend a quotient, where ranges bound it; None where none does."""
    match stated.range, [range_of(arg) for arg in args]:
        case "product", [one, other]:
            return tuple([INFINITY if beside is None else beside.magnitude for beside in (other, one)])
        case "quotient", [_, Range() as divisor] if (
            args[1].is_public and (least := distance_from_0(divisor)) is not None
        ):
            return ONE / least, INFINITY
        case _:
            return None


def distance_from_0(bounds: Range) -> Quantity | None:
    """A positive bound below the absolute value of all numbers in a range; None where 0 is in it, or may be."""
    if bounds.low.negative != bounds.high.negative:
        return None
    least = bounds.high.magnitude if bounds.low.negative else bounds.low.magnitude
    return least if least.positive() else None
