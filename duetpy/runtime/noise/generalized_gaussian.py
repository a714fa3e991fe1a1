"""Generalized Gaussian noise of density ∝ exp(-(|z|/b)^N), exactly rounded to a lattice, by integers alone.

Contract. For the rational N ≥ 1 and b that it is given, :func:`generalized_gaussian_step` returns round(Z/2^k) for a *real* Z of
that law. As in ``noise.py`` the result, added to a number on the lattice, is a function of the continuous mechanism's
answer, so that every guarantee of continuous noise holds for it. docs/noise-proof.md, section 8, has the proof.

How. |Z|/b = X has density ∝ exp(-x^N) on x ≥ 0. By convexity x^N ≥ max(0, 1 + N(x - 1)), so exp(-x^N) lies under
min(1, exp(N - 1 - N·x)): a law that is uniform on [0, 1 - 1/N] with probability 1 - 1/N, and 1 - 1/N + E/N for an exponential E
otherwise. X is proposed from it and kept with probability exp(F - X^N), where F is 0 or E; that is the event
F + E' > X^N of another exponential E'. Proposals are kept with probability Γ(1 + 1/N) ≥ 0.88. Infinite strings of fair bits name
the real numbers E, E' and U; both the decision to keep and the rounding are read off enclosures, and the *same* strings are
prolonged until an enclosure decides.

Timing. The loop runs as long as proposals are rejected: running time is outside the guarantee.
"""

from __future__ import annotations

from fractions import Fraction

from attrs import define

from duetpy.runtime.noise.exact_sampler import bernoulli
from duetpy.runtime.noise.integer_enclosure import Enclosure, common_step, exponential_bounds, log_bounds
from duetpy.runtime.noise.random_bits import Bits

_BITS = 64
"""By how many bits a string is begun and prolonged."""


@define
class _Uniform:
    """A uniform real number in [0, 1] of which the first bits are known."""

    word: int = 0
    length: int = 0

    def prolong(self, bits: Bits) -> None:
        self.word = (self.word << _BITS) | int.from_bytes(bits.bytes(_BITS // 8), "little")
        self.length += _BITS

    def exponential(self) -> Enclosure | None:
        """Bounds of -ln U at a precision of as many bits as are known; None where there is no upper one yet."""
        return exponential_bounds(self.word, self.length, self.length)


@define
class _Proposal:
    """X under the envelope, and what it is to be kept with: every number is enclosed at the precision `length`."""

    power: Fraction
    is_tail: bool
    place: _Uniform
    chance: _Uniform

    def prolong(self, bits: Bits) -> None:
        self.place.prolong(bits)
        self.chance.prolong(bits)

    def value(self) -> Enclosure | None:
        """X: (1 - 1/N)·U, or 1 - 1/N + E/N."""
        top, bottom = self.power.numerator, self.power.denominator
        low, high = self.place.word, self.place.word + 1
        if not self.is_tail:
            return (top - bottom) * low // top, -(-(top - bottom) * high // top)
        spent = self.place.exponential()
        if spent is None:
            return None
        corner = (top - bottom) << self.place.length
        return (corner + bottom * spent[0]) // top, -(-(corner + bottom * spent[1]) // top)

    def is_kept(self) -> bool | None:
        """Whether N·ln X < ln(F + E'), F being E in the tail and 0 elsewhere; None where the bits do not decide it."""
        value, chance = self.value(), self.chance.exponential()
        spent = self.place.exponential() if self.is_tail else (0, 0)
        if value is None or chance is None or spent is None:
            return None
        precision = self.place.length
        low, high = spent[0] + chance[0], spent[1] + chance[1]
        if low <= 0 or value[1] <= 0:
            return None
        top, bottom = self.power.numerator, self.power.denominator
        # The logarithm of the fixed-point number n/2^P is ln n - P·ln 2; the factors N = top/bottom do not cancel P·ln 2.
        two_low, two_high = log_bounds(2, precision)
        above = top * (log_bounds(value[1], precision)[1] - precision * two_low)
        if above < bottom * (log_bounds(low, precision)[0] - precision * two_high):
            return True
        if value[0] <= 0:
            return None
        below = top * (log_bounds(value[0], precision)[0] - precision * two_high)
        return False if below > bottom * (log_bounds(high, precision)[1] - precision * two_low) else None


def generalized_gaussian_step(power: Fraction, scale: Fraction, exponent: int, bits: Bits) -> int:
    """round(Z/2^exponent) for Z of density ∝ exp(-(|z|/scale)^power).

    Parameters
    ----------
    power
        N ≥ 1, an exact rational.
    scale
        b > 0, rounded *up* where it is not exact.
    exponent
        The exponent k of the lattice.
    bits
        Where the randomness comes from.

    Raises
    ------
    ValueError
        When the power is below 1 or the scale is not positive.
    """
    if power < 1 or scale <= 0:
        raise ValueError("a generalized Gaussian has a power of at least 1 and a positive scale")
    ratio = Fraction(scale) / Fraction(2) ** exponent
    while True:
        proposal = _Proposal(power, bernoulli(1 / power, bits), _Uniform(), _Uniform())
        kept: bool | None = None
        while kept is None:
            proposal.prolong(bits)
            kept = proposal.is_kept()
        if kept:
            sign = 1 - 2 * (bits.bytes(1)[0] & 1)
            return sign * _rounded(proposal, ratio, bits)


def _rounded(proposal: _Proposal, ratio: Fraction, bits: Bits) -> int:
    """The integer nearest to ratio·X; the strings are prolonged until there is one."""
    while True:
        value = proposal.value()
        step = None if value is None else common_step(value, ratio, proposal.place.length)
        if step is not None:
            return step
        proposal.prolong(bits)


STEPS = {
    "generalized-gaussian": lambda shape, scale, exponent, bits: generalized_gaussian_step(
        shape[0], scale, exponent, bits
    )
}
"""The law that is drawn here: see `duetpy.runtime.noise.samplers`."""
