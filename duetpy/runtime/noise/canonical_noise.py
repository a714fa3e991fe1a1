"""Canonical noise of (ε, δ), exactly rounded to a lattice, by integers alone.

Contract. For the rational ε, δ and scale that it is given, :func:`canonical_step` returns round(scale·N/2^k) for a *real* N of the
canonical law (Awan and Slavković 2018; Awan and Vadhan 2023): N = G₁ - G₂ + U with geometric G of ratio b = e^-ε and U uniform on
(-1/2, 1/2), given that N lies between its quantiles q/2 and 1 - q/2, q = 2δb/(1 - b + 2δb). As in ``noise.py`` the result,
added to a number on the lattice, is a function of the continuous mechanism's answer, so its guarantee is that of N.
docs/noise-proof.md, section 9, has the proof.

How. G₁ - G₂ is a discrete Laplace variable, drawn by integers. Its magnitude m and an infinite string of fair bits, which names a
uniform W in [0, 1], name |N| = m + W - 1/2. Both whether N lies between the quantiles and the rounding are read off enclosures,
and the *same* string is prolonged until an enclosure decides.

Timing. The loop runs as long as proposals are rejected: running time is outside the guarantee.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil

from duetpy.runtime.noise.exact_sampler import bernoulli_exp, discrete_laplace, uniform_below
from duetpy.runtime.noise.random_bits import Bits

_BITS = 64
"""By how many bits a string is begun and prolonged."""

_GUARD = 16

Bounds = tuple[Fraction, Fraction]


def canonical_step(eps: Fraction, delta: Fraction, scale: Fraction, exponent: int, bits: Bits) -> int:
    """round(scale·N/2^exponent) for canonical noise N of (eps, delta).

    Parameters
    ----------
    eps
        ε > 0, rounded *down* where it is not exact.
    delta
        δ in [0, 1), rounded *down* where it is not exact; at 0 nothing is cut off.
    scale
        The sensitivity, rounded *up* where it is not exact.
    exponent
        The exponent k of the lattice.
    bits
        Where the randomness comes from.

    Raises
    ------
    ValueError
        When ε or the scale is not positive, or δ is no probability below 1.
    """
    if eps <= 0 or scale <= 0 or not 0 <= delta < 1:
        raise ValueError("canonical noise has ε > 0, 0 <= δ < 1 and a positive scale")
    ratio = Fraction(scale) / Fraction(2) ** exponent
    while True:
        centre = _proposed(Fraction(eps), Fraction(delta), bits)
        cell, word, length = abs(centre), 0, 0
        kept: bool | None = None
        while kept is None:
            word, length = word << _BITS | int.from_bytes(bits.bytes(_BITS // 8), "little"), length + _BITS
            kept = is_kept(eps, delta, cell, word, length)
        if not kept:
            continue
        while (found := _rounded(cell, word, length, ratio)) is None:
            word, length = word << _BITS | int.from_bytes(bits.bytes(_BITS // 8), "little"), length + _BITS
        return -found if centre < 0 else found


def _proposed(eps: Fraction, delta: Fraction, bits: Bits) -> int:
    """G₁ - G₂, or where δ cuts off nearly all of it, G₁ - G₂ given that it is at most m in size, for an m beyond the quantiles.

    By b^(m-1) < δ(1 + b)/(1 - b + 2δb) none of the cell m is kept; and (1 - δ)/(δ(2 - ε)) is at least the logarithm of the inverse
    of that, divided by ε. A uniform number is kept with probability e^(-ε·its size), which is above 1/e.
    """
    if delta == 0 or eps >= 1:
        return discrete_laplace(1 / eps, bits)
    most = ceil((1 - delta) / (delta * (2 - eps))) + 1
    if eps * most >= 1:
        return discrete_laplace(1 / eps, bits)
    while True:
        centre = uniform_below(2 * most + 1, bits) - most
        if bernoulli_exp(eps * abs(centre), bits):
            return centre


def is_kept(eps: Fraction, delta: Fraction, cell: int, word: int, length: int) -> bool | None:
    """Whether m + W - 1/2 lies between the quantiles for every W in the cell [word, word + 1]/2^length; None if undecided.

    P(N > m + W - 1/2) is at least q/2 exactly if b^(m-1)·(1 - (1 - b)W)·(1 - b + 2δb) >= δ(1 + b), for m >= 1. Numbers of
    the cell m = 0 always lie between them, as δ <= 1.
    """
    if cell == 0 or delta == 0:
        return True
    low, high = exp_bounds(eps, length)
    first, last = exp_bounds(eps * (cell - 1), length)
    near, far = Fraction(word, 1 << length), Fraction(word + 1, 1 << length)
    width = (1 - (1 - 2 * delta) * low, 1 - (1 - 2 * delta) * high)
    least = first * (1 - (1 - low) * far) * min(width)
    if least >= delta * (1 + high):
        return True
    most = last * (1 - (1 - high) * near) * max(width)
    return False if most < delta * (1 + low) else None


def _rounded(cell: int, word: int, length: int, ratio: Fraction) -> int | None:
    """The integer nearest to ratio·(m + W - 1/2), where all of the string's cell has the same."""
    ends = (Fraction(2 * (word + at), 1 << length) + 2 * cell - 1 for at in (0, 1))
    low, high = ((ratio * end + 1).__floor__() // 2 for end in ends)
    return low if low == high else None


@lru_cache(maxsize=1024)
def exp_bounds(spent: Fraction, precision: int) -> Bounds:
    """Two fractions that enclose e^-spent for a rational spent >= 0; they are about 2^-precision apart.

    With z = spent/2^n <= 1 the terms z^j/j! of e^z are computed in floors of units 2^-W. A term that is short by d units has a
    next one that is short by at most d·z/(j + 1) + 1, which is below 2 from d < 2 on, as the first is exact and the second is
    short by less than 1. The sum stops at a term of 0 units, which is below 2, and as each term is at most half the one
    before, the tail from it on is below 4. The reciprocal is squared n times, outwards.
    """
    halvings = max(0, (spent.numerator // spent.denominator).bit_length())
    working = precision + halvings + _GUARD
    top, bottom = spent.numerator, spent.denominator << halvings
    term, total, count = 1 << working, 0, 0
    while term:
        total, count = total + term, count + 1
        term = term * top // (bottom * count)
    low, high = (1 << 2 * working) // (total + 2 * count + 4), -((-1 << 2 * working) // total)
    for _ in range(halvings):
        low, high = low * low >> working, -((-high * high) >> working)
    return Fraction(low, 1 << working), Fraction(min(high, 1 << working), 1 << working)


STEPS = {"canonical": lambda shape, scale, exponent, bits: canonical_step(shape[0], shape[1], scale, exponent, bits)}
"""The law that is drawn here: see `duetpy.runtime.noise.samplers`."""
