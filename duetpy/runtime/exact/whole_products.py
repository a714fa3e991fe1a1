"""Products of matrices of whole numbers that doubles hold.

Contract. Where every product of two entries, and every sum of some of those that make up an entry of the result, is a whole
number of at most 2^53, doubles hold all of them. Then a library that multiplies and adds is exact, in whatever order, with
whatever layout, blocks, fused operations, threads or rounding mode, and the result is the same on every processor.

A library that does something else (sums of sums as in Strassen's method, operands cut into shorter ones) is found out by
`library_is_exact`, and then int64 takes its place.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from operator import matmul

import numpy as np

from duetpy.runtime.exact.rationals import Doubles


def product(left: Doubles, right: Doubles) -> Doubles:
    """The exact product of two matrices of whole numbers, as far as the contract allows for them."""
    if library_is_exact():
        return left @ right
    return np.asarray(left.astype(np.int64) @ right.astype(np.int64), dtype=np.float64)


@cache
def library_is_exact() -> bool:
    """Whether numpy's library multiplies and adds, in all shapes that are used."""
    return is_exact(matmul)


def is_exact(multiply: Callable[[Doubles, Doubles], Doubles]) -> bool:
    """Whether the products of the longest whole numbers are those of int64."""
    shapes = ((1, 1), (20, 1), (33, 3))
    return all(
        np.array_equal(multiply(left, right), left.astype(np.int64) @ right.astype(np.int64))
        for columns, classes in shapes
        for left, right in _worst(columns, classes)
    )


def _worst(columns: int, classes: int) -> list[tuple[Doubles, Doubles]]:
    """Features times models, and weights times features: entries with all their bits, sums up to 2^53, sums that cancel."""
    rows = 1 << 12
    generator = np.random.default_rng(columns)

    def odd(bits: int, *shape: int) -> Doubles:
        return np.asarray(generator.integers(-(1 << (bits - 1)), 1 << (bits - 1), shape) * 2 + 1, dtype=np.float64)

    features, weights, model = (
        np.asfortranarray(odd(22, rows, columns)),
        odd(19, rows, classes),
        odd(31, columns, classes),
    )
    first = np.arange(columns)[:, None] == 0
    return [
        (features, np.trunc(model / columns)),
        (features, np.where(first, 2.0**31 - columns, np.sign(model))),
        (weights.T, features),
        (np.full((classes, rows), 2.0**19), np.full((rows, columns), 2.0**22)),
    ]


def times_two_to(values: Doubles, exponent: int) -> Doubles:
    """Doubles times a power of two, rounded where the result is subnormal."""
    return values * 2.0**exponent if abs(exponent) < 1000 else np.ldexp(values, exponent)


def power_above(number: Fraction) -> int:
    """The least k with number ≤ 2^k; the number is positive."""
    exponent = number.numerator.bit_length() - number.denominator.bit_length() - 1
    while number > Fraction(2) ** exponent:
        exponent += 1
    return exponent
