"""Which keys are shown, given how many rows have each: a coin for every key, or noise on every number.

Contract. For the rational ε and δ that it is given, a key of n rows is shown with probability exactly π(n) of
`duetpy.accounting.kept_keys`, a whole multiple of 2^-256, independently of all others. A coin is 256 uniform bits, read as a number
and compared with that multiple; no number here is a double.

`noisy` adds a discrete Laplace variable of the rational ε to a number, drawn again while it is beyond t: exactly the law of
`duetpy.accounting.kept_counts`. `gaussian` adds a discrete Gaussian variable of a rational σ².

Timing. Each coin takes as many bits, whatever the key and its number of rows; noise takes as long as that of its
law does. How many coins there are is the number of different
keys, which takes time in proportion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from duetpy.accounting.kept_counts import threshold
from duetpy.accounting.kept_gaussian import calibrated
from duetpy.accounting.kept_keys import BITS, keep_table
from duetpy.runtime.noise.exact_sampler import discrete_gaussian, discrete_laplace
from duetpy.runtime.noise.random_bits import Bits

_BYTES = BITS // 8

_AT_ONCE = 1 << 14
"""The bits of so many coins are asked for together."""


def kept(counts: Sequence[int], epsilon: Fraction, delta: Fraction, bits: Bits) -> Iterator[bool]:
    """For every count in turn whether a key of so many rows is shown."""
    table = keep_table(epsilon, delta)
    certain = len(table) - 1
    for start in range(0, len(counts), _AT_ONCE):
        several = counts[start : start + _AT_ONCE]
        drawn = bits.bytes(_BYTES * len(several))
        for at, count in enumerate(several):
            coin = int.from_bytes(drawn[_BYTES * at : _BYTES * (at + 1)], "big")
            yield coin < table[min(count, certain)]


def noisy(counts: Sequence[int], epsilon: Fraction, delta: Fraction, bits: Bits) -> Iterator[int | None]:
    """For every count in turn its number with noise, if that is shown."""
    limit = threshold(epsilon, delta)
    for count in counts:
        number = count + _truncated(epsilon, limit, bits)
        yield number if number > limit else None


def gaussian(counts: Sequence[int], epsilon: Fraction, delta: Fraction, most: int, bits: Bits) -> Iterator[int | None]:
    """As `noisy`, with Gaussian noise for rows that have `most` keys: see `duetpy.accounting.kept_gaussian`."""
    variance, limit = calibrated(epsilon, delta, most)
    for count in counts:
        number = count + discrete_gaussian(variance, bits)
        yield number if number >= limit else None


def _truncated(epsilon: Fraction, limit: int, bits: Bits) -> int:
    """Discrete Laplace noise that is no larger than a limit, on either side."""
    while True:
        noise = discrete_laplace(1 / epsilon, bits)
        if abs(noise) <= limit:
            return noise
