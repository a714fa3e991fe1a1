"""Arrays of exact rational numbers: the arithmetic on which sensitivities are proved, at the speed of doubles.

Contract. The checker's rules are about real numbers. Sums of doubles are not sums: (x + 1e16) - 1e16 moves by 2 where x
moves by 0.1. So a number that is measured by |x - y| is never rounded on its way to a mechanism. An array of such
numbers is kept as a linear form Σ cᵢ·aᵢ + k of arrays of doubles aᵢ and rationals cᵢ, k: sums, differences and multiples
by a number are exact and cost nothing, and what has to know a sign (max, min, clip) finds it exactly, nearly always
in doubles. Where no finite sensitivity rests on a number, arithmetic is that of doubles (`duetpy.runtime.evaluation.kernels`).

Every operation works entry by entry with elementwise operations of numpy, so an entry's bits depend on the entry alone,
not on its neighbours, its position or the size of the block.

The arrays are private: they print as their shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from operator import itemgetter
from typing import TypeAlias, TypeVar

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from duetpy.accounting.rounding import LARGEST, float_down
from duetpy.runtime.exact.exact_sum import exact_total

Doubles: TypeAlias = NDArray[np.float64]
Objects: TypeAlias = NDArray[np.object_]
Mask: TypeAlias = NDArray[np.bool_]
Term: TypeAlias = tuple[Fraction, Doubles]
Scalar = TypeVar("Scalar", bound=np.generic)

ZERO = Fraction(0)
ONE = Fraction(1)


def to_double(value: Fraction | int) -> float:
    """The double nearest to a number; beyond the largest, that double."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return LARGEST if value > 0 else -LARGEST


def saturated(values: Doubles) -> Doubles:
    """Doubles that were just computed and hold no nan, changed: beyond the largest double they are that double."""
    return np.clip(values, -LARGEST, LARGEST, out=values)


def in_shape(values: NDArray[Scalar] | Scalar, shape: tuple[int, ...]) -> NDArray[Scalar]:
    """An array as it is, and a single number in every entry. For numpy, to spread what has the shape takes as long as to add it."""
    return values if isinstance(values, np.ndarray) and values.shape == shape else np.broadcast_to(values, shape)


@frozen(eq=False, repr=False)
class Numbers:
    """An array of exact numbers Σ cᵢ·aᵢ + k.

    Parameters
    ----------
    terms
        Pairs of a rational cᵢ and an array aᵢ of finite doubles.
    constant
        The number k, or an array of fractions. Most of these may be `ZERO`, as where few entries are no linear forms of doubles:
        these few alone are computed one by one, so that one row does not decide how long all others take.
    shape
        The shape of all arrays: (entries,), or (rows, columns) in a matrix.
    is_natural
        Whether these are natural numbers, of which a difference stops at 0.
    """

    terms: tuple[Term, ...]
    constant: Fraction | Objects
    shape: tuple[int, ...]
    is_natural: bool = False

    def __repr__(self) -> str:
        return f"<private numbers {self.shape}>"

    @property
    def doubles(self) -> Doubles | None:
        """The array of doubles that these numbers are, or None where they are not plain."""
        if len(self.terms) == 1 and self.terms[0][0] == 1 and _is_zero(self.constant):
            return self.terms[0][1]
        return None

    def each(self, change: Callable[[NDArray[np.generic]], NDArray[np.generic]], shape: tuple[int, ...]) -> Numbers:
        """Rearrange every array alike: reshape, slice, gather. What is 0 in all entries that are left is left out."""
        terms = tuple((factor, np.asarray(change(array), dtype=np.float64)) for factor, array in self.terms)
        if len(terms) > 1:
            terms = tuple(term for term in terms if term[1].any()) or terms[:1]
        constant = self.constant
        if not isinstance(constant, Fraction):
            changed = np.asarray(change(constant), dtype=np.object_)
            constant = changed if is_other(changed).any() else ZERO
        return evolve(self, terms=terms, constant=constant, shape=shape)

    def take(self, index: NDArray[np.intp]) -> Numbers:
        """The entries at the given positions of a one-dimensional array."""
        return self.each(lambda array: array[index], index.shape)

    def exactly(self, at: tuple[int, ...]) -> Fraction:
        """One entry."""
        constant = self.constant if isinstance(self.constant, Fraction) else self.constant[at]
        value: Fraction = constant
        for factor, array in self.terms:
            value += factor * Fraction(float(array[at]))
        return value

    def fractions(self) -> Objects:
        """All entries as fractions."""
        result = np.empty(self.shape, dtype=np.object_)
        result[...] = self.constant
        for factor, array in self.terms:
            result = result + factor * _as_fractions(array)
        return result


def plain(values: Doubles, *, natural: bool = False) -> Numbers:
    """Doubles as exact numbers."""
    return Numbers(((ONE, values),), ZERO, values.shape, natural)


def constant(value: Fraction | int, shape: tuple[int, ...]) -> Numbers:
    """One number in every entry."""
    return Numbers((), Fraction(value), shape, isinstance(value, int))


def of_fractions(values: list[Fraction] | list[int], shape: tuple[int, ...], *, natural: bool = False) -> Numbers:
    """Fractions in the order of the last axis first; those that are doubles are kept as such."""
    nearest = [to_double(value) for value in values]
    odd = [Fraction(double) != value for double, value in zip(nearest, values, strict=True)]
    doubles, places = np.array(nearest, dtype=np.float64).reshape(shape), np.array(odd, dtype=np.bool_).reshape(shape)
    if not places.any():
        return plain(doubles, natural=natural)
    doubles[places] = 0.0
    others = [Fraction(values[at]) for at in np.flatnonzero(places).tolist()]
    return Numbers(((ONE, doubles),) if doubles.any() else (), at_places(places, others), shape, natural)


def as_doubles(value: Numbers) -> Doubles | np.float64 | None:
    """The doubles that numbers are, or the one that all of them are; None if some of them are no doubles."""
    if value.terms or not isinstance(value.constant, Fraction):
        return value.doubles
    nearest = to_double(value.constant)
    return np.float64(nearest) if Fraction(nearest) == value.constant else None


def _is_zero(value: Fraction | Objects) -> bool:
    return isinstance(value, Fraction) and value == 0


def is_other(constant: Objects) -> Mask:
    """Which fractions are not 0."""
    found = np.fromiter((one is not ZERO and one != 0 for one in constant.ravel().tolist()), np.bool_, constant.size)
    return found.reshape(constant.shape)


def at_places(places: Mask, entries: list[Fraction]) -> Objects:
    """Fractions at some places, and 0 elsewhere."""
    found: Objects = np.full(places.shape, ZERO, dtype=np.object_)
    found[places] = entries
    return found


def _as_fractions(array: Doubles) -> Objects:
    result = np.empty(array.shape, dtype=np.object_)
    flat = result.reshape(-1)
    flat[:] = [Fraction(value) for value in array.ravel().tolist()]
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Linear operations: exact


def scaled(value: Numbers, factor: Fraction) -> Numbers:
    """A multiple by one number."""
    if factor == 0:
        return Numbers((), ZERO, value.shape, value.is_natural)
    terms = tuple((own * factor, array) for own, array in value.terms)
    constant = value.constant
    if isinstance(constant, Fraction):
        return evolve(value, terms=terms, constant=constant * factor)
    places = is_other(constant)
    return evolve(value, terms=terms, constant=at_places(places, (constant[places] * factor).tolist()))


def negated(value: Numbers) -> Numbers:
    return scaled(value, Fraction(-1))


def _multiple(values: Doubles, factor: Fraction) -> Doubles:
    """The doubles nearest to a multiple, or nearly so; 3 times 1/10 is 0.3."""
    if max(abs(factor.numerator), factor.denominator) > SAFE:
        flat = [to_double(factor * Fraction(value)) for value in values.ravel().tolist()]
        return np.array(flat, dtype=np.float64).reshape(values.shape)
    with np.errstate(over="ignore", under="ignore"):
        product = values * float(factor.numerator)
        result = saturated(product / float(factor.denominator))
    for at in places_of(np.isinf(product)):
        result[at] = to_double(factor * Fraction(float(values[at])))
    return result


def halves(values: Doubles) -> tuple[Doubles, Doubles]:
    spread = values * 134217729.0  # 2^27 + 1 (Veltkamp's splitting)
    head = spread - (spread - values)
    return head, values - head


def blended(where: Mask, left: Doubles | np.float64, right: Doubles | np.float64) -> Doubles:
    """`np.where`, to the last bit, without a jump for each entry: rows are in no order, and which way to go cannot be foreseen."""
    every = np.negative(where.view(np.int8)).astype(np.int64)
    other = right.view(np.int64)
    every &= left.view(np.int64) ^ other
    every ^= other
    return every.view(np.float64)


def select(where: Mask, left: Numbers, right: Numbers) -> Numbers:
    """The left entry where the mask holds, the right one elsewhere: exact."""
    natural, where = left.is_natural and right.is_natural, in_shape(where, left.shape)
    first, second = as_doubles(left), as_doubles(right)
    if first is not None and second is not None:
        return plain(blended(where, first, second), natural=natural)
    # Two terms of one factor, one of each side, are put together: one row that has another number brings no term of all rows.
    others: dict[Fraction, list[Doubles]] = {}
    for factor, array in reversed(right.terms):
        others.setdefault(factor, []).append(array)
    zero = np.float64(0.0)
    terms = [
        (factor, blended(where, array, others[factor].pop() if others.get(factor) else zero))
        for factor, array in left.terms
    ]
    terms += [(factor, blended(where, zero, array)) for factor, arrays in others.items() for array in reversed(arrays)]
    if isinstance(left.constant, Fraction) and isinstance(right.constant, Fraction):
        difference = left.constant - right.constant
        if difference != 0:
            terms.append((difference, where.astype(np.float64)))
        return Numbers(tuple(terms), right.constant, left.shape, natural)
    ends: list[Objects] = []
    for end, mask in ((left.constant, where), (right.constant, ~where)):
        if isinstance(end, Fraction) and end != 0:
            terms.append((end, mask.astype(np.float64)))
        ends.append(np.asarray(ZERO if isinstance(end, Fraction) else end, dtype=np.object_))
    rest: Objects = np.where(where, *ends)
    return Numbers(tuple(terms), rest if is_other(rest).any() else ZERO, left.shape, natural)


# ---------------------------------------------------------------------------------------------------------------------
# Signs and values


def signs(value: Numbers) -> Doubles:
    """-1, 0 or 1 for every entry, exactly."""
    if not value.terms and isinstance(value.constant, Fraction):
        return np.full(value.shape, float((value.constant > 0) - (value.constant < 0)))
    if len(value.terms) == 1 and isinstance(value.constant, Fraction):
        return _threshold_signs(value.terms[0], value.constant)
    if not isinstance(value.constant, Fraction):
        return _one_by_one(value, signs, lambda exact: float((exact > 0) - (exact < 0)))
    high, low, error, _ = _expansion(value)
    total = high + low
    result = np.sign(total)
    for at in places_of(~(np.abs(total) > error) & (error > 0)):
        exact = value.exactly(at)
        result[at] = float((exact > 0) - (exact < 0))
    return result


def _threshold_signs(term: Term, constant: Fraction) -> Doubles:
    """The signs of c·a + k, from comparing a with -k/c rounded down."""
    factor, array = term
    if constant == 0:
        return np.sign(array) if factor > 0 else -np.sign(array)
    threshold = -constant / factor
    below = float_down(threshold)
    above = (array > below).astype(np.float64)
    beneath = (array < below) if threshold == below else ~(array > below)
    result = above - beneath.astype(np.float64)
    return result if factor > 0 else -result


def _one_by_one(value: Numbers, others: Callable[[Numbers], Doubles], alone: Callable[[Fraction], float]) -> Doubles:
    """What a function makes of all numbers together; where there are fractions, each number is computed alone."""
    assert isinstance(value.constant, np.ndarray)
    result = np.array(others(evolve(value, constant=ZERO)))
    for at in places_of(is_other(value.constant)):
        result[at] = alone(value.exactly(at))
    return result


ROUNDED_AT_ONCE = 1 << 16
"""So many rows of numbers are rounded together."""


def rounded(value: Numbers) -> Doubles:
    """The doubles nearest to the numbers, of two the even one; beyond the largest double, that one.

    What is nearest depends on an entry's number alone, and not on how it is kept: a comparison that looks at it is a function
    of the row. Entries are computed in doubles, with a proof that no other double is nearer; the few without such a proof
    are computed exactly.
    """
    doubles = value.doubles
    if doubles is not None:
        return doubles
    if not value.terms and isinstance(value.constant, Fraction):
        return np.full(value.shape, to_double(value.constant))
    if len(value.terms) == 1 and _is_zero(value.constant) and _rounds_once(value.terms[0][0]):
        return _multiple(value.terms[0][1], value.terms[0][0])
    if not isinstance(value.constant, Fraction):
        return _one_by_one(value, rounded, to_double)
    if len(value.terms) == 2 and _is_zero(value.constant) and all(abs(factor) == 1 for factor, _ in value.terms):
        # The sum of two doubles is rounded once.
        first, second = [float(factor) * array for factor, array in value.terms]
        with np.errstate(over="ignore"):
            return saturated(first + second + 0.0)
    if value.shape and value.shape[0] > ROUNDED_AT_ONCE:
        return _rounded_in_parts(value)
    result, certain = _nearest_quotient(*_expansion(value))
    for at in places_of(~certain):
        result[at] = to_double(value.exactly(at))
    return saturated(result)


def nearest(value: Numbers) -> Doubles | np.float64:
    """`rounded`, or the double nearest to the one number that all of them are."""
    if value.terms or not isinstance(value.constant, Fraction):
        return rounded(value)
    return np.float64(to_double(value.constant))


def _rounded_in_parts(value: Numbers) -> Doubles:
    """The same a part at a time: what is computed on the way to the doubles takes ten times as much as they do."""
    result = np.empty(value.shape, dtype=np.float64, order="F")
    for start in range(0, value.shape[0], ROUNDED_AT_ONCE):
        part = slice(start, min(start + ROUNDED_AT_ONCE, value.shape[0]))
        shape = (part.stop - part.start, *value.shape[1:])
        result[part] = rounded(value.each(itemgetter(part), shape))
    return result


def _rounds_once(factor: Fraction) -> bool:
    """Whether `_multiple` rounds once only: a product with a double, or a quotient by one."""
    size = max(abs(factor.numerator), factor.denominator)
    return size <= WHOLE and (factor.denominator == 1 or abs(factor.numerator) == 1)


def _nearest_quotient(high: Doubles, low: Doubles, error: Doubles, divisor: int) -> tuple[Doubles, Mask]:
    """The doubles next to y/Q, for y of which |y - (h + l)| ≤ e, and where they are known to be the nearest ones.

    With the remainder y - Q⋅r of a double r, again kept as two doubles with a bound, r is the nearest where that is below Q times
    half the distance to the next smaller double, which is not longer than the one to the next larger. Halfway between two
    doubles no remainder decides; but where h + l is exact and Q a power of two, its one rounding was to the even one.
    """
    width = to_double(Fraction(divisor))
    with np.errstate(all="ignore"):
        first = (high + low) / width
        exact, is_binary = error == 0.0, divisor & (divisor - 1) == 0
        certain = exact & ((first == 0.0) | (_is_regular(first) & is_binary))
        if is_binary and bool(certain.all()):
            return first, np.asarray(certain)
        rest = _less_a_multiple(high, low, error, first, divisor)
        result = np.where(certain, first, first + (rest[0] + rest[1]) / width)
        # The two quotients are neighbours, or nearly so: their difference is exact.
        rest = _less_a_multiple(*rest, result - first, divisor)
        size = np.abs(result)
        reach = 0.5 * (size - np.nextafter(size, 0.0)) * width
        certain |= _is_regular(result) & (np.abs(rest[0] + rest[1]) + rest[2] * 1.5 < reach * (1.0 - 2.0**-40))
        return result, np.asarray(certain & ((np.abs(result - first) < 2.0**-40 * size) | (result == first)))


def _is_regular(values: Doubles) -> Mask:
    size = np.abs(values)
    return np.asarray((size < SAFE) & (size > 1 / SAFE))


def _less_a_multiple(
    high: Doubles, low: Doubles, error: Doubles, values: Doubles, factor: int
) -> tuple[Doubles, Doubles, Doubles]:
    for piece in _pieces(-factor):
        for part in _exact_product(values, piece):
            high, low, error = _absorbed(high, low, error, part)
    return high, low, error


def places_of(undecided: Mask) -> Iterator[tuple[int, ...]]:
    for at in np.argwhere(undecided).tolist():
        yield tuple(at)


SAFE = 2.0**300
"""Between 2^-300 and 2^300 no product below over- or underflows."""


def _expansion(value: Numbers) -> tuple[Doubles, Doubles, Doubles, int]:
    """Doubles h, l and a bound e with |Q·value - (h + l)| ≤ e, and Q > 0; e is 0 where h + l is exact, ∞ where it fails.

    With Q the common denominator, every Q·cᵢ is a whole number p. Cut into pieces of 26 bits, p times a double is a sum
    of exact products (Dekker 1971), and exact sums of two (Knuth, TAOCP 4.2.2, Theorem B) collect them.
    """
    assert isinstance(value.constant, Fraction)
    divisor = math.lcm(value.constant.denominator, *(factor.denominator for factor, _ in value.terms))
    high, low, error = np.zeros(value.shape), np.zeros(value.shape), np.zeros(value.shape)
    with np.errstate(all="ignore"):
        for factor, array in value.terms:
            whole = int(factor * divisor)
            size = np.abs(array)
            error += np.where((size > SAFE) | ((size < 1 / SAFE) & (size > 0)), np.inf, 0.0)
            for piece in _pieces(whole):
                for part in _exact_product(array, piece):
                    high, low, error = _absorbed(high, low, error, part)
        for piece in _pieces(int(value.constant * divisor)):
            high, low, error = _absorbed(high, low, error, np.full(value.shape, piece))
        # The bounds were added up in doubles; half as much again covers their roundings.
        error = np.where(np.isfinite(high) & np.isfinite(low), error * 1.5, np.inf)
    largest = max(Fraction(1), abs(value.constant), *(abs(factor) for factor, _ in value.terms))
    if largest * divisor > SAFE:
        error = np.full(value.shape, np.inf)
    return high, low, error, divisor


def _pieces(whole: int) -> Iterator[float]:
    """A whole number as a sum of doubles of 26 bits each."""
    sign, rest, weight = (1 if whole > 0 else -1), abs(whole), 0
    while rest:
        yield to_double(Fraction(sign * (rest & ((1 << 26) - 1)) << weight))
        rest >>= 26
        weight += 26


def _exact_product(array: Doubles, piece: float) -> tuple[Doubles, Doubles]:
    """Two arrays whose sum is array·piece: the piece has 26 bits, and each half of the split array 26 or 27."""
    head, tail = halves(array)
    return head * piece, tail * piece


def _absorbed(high: Doubles, low: Doubles, error: Doubles, part: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    high, first = two_sum(high, part)
    low, second = two_sum(low, first)
    return high, low, error + np.abs(second)


def two_sum(left: Doubles, right: Doubles) -> tuple[Doubles, Doubles]:
    """The rounded sum and its exact error."""
    total = left + right
    virtual = total - left
    return total, (left - (total - virtual)) + (right - virtual)


# ---------------------------------------------------------------------------------------------------------------------
# Whole numbers


WHOLE = 2.0**46
"""Below it, what `rounded` loses is under 1/2, so the floor of a rounded number is off by at most one."""


def total(value: Numbers) -> Fraction:
    """The exact sum of all entries."""
    if isinstance(value.constant, Fraction):
        entries = math.prod(value.shape)
        result = value.constant * entries
    else:
        result = sum((one for one in value.constant.ravel().tolist() if one is not ZERO), ZERO)
    for factor, array in value.terms:
        result += factor * exact_total(array)
    return result
