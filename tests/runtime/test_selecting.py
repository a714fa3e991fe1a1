"""What mechanisms that choose draw: noise at a threshold, and coins for rows."""

import builtins
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import duetpy
from duetpy.runtime.noise.exact_sampler import uniforms_below
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release import selecting
from duetpy.runtime.release.mechanisms import MARGIN
from duetpy.runtime.release.selecting import each_with_probability, without_replacement

THRESHOLD = """pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒
  AboveThreshold[ε, mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . n : ℝ ⇒ n - real j }, 5.0] <x> { x }
"""


def watched(
    monkeypatch: pytest.MonkeyPatch, noise: list[float], value: float
) -> tuple[Any, list[tuple[Fraction, int]]]:
    """The release under the given noise, on the threshold first, and the scale and the lattice of each draw."""
    draws: list[tuple[Fraction, int]] = []

    def steps(count: int, scale: Fraction, exponent: int, bits: object) -> NDArray[np.int64]:
        assert count == 1
        draws.append((scale, exponent))
        return np.array([round(noise[len(draws) - 1] / Fraction(2) ** exponent)], dtype=np.int64)

    monkeypatch.setattr(selecting.continuous, "laplace_steps", steps)
    release = duetpy.parse(THRESHOLD, notion="eps").check().run(x=value, ε=0.5, _insecure_noise=1)
    return release, draws


def test_the_noise_at_a_threshold_is_that_of_its_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dwork and Roth 2014, theorem 3.23: Lap(2Δ/ε) on the threshold and Lap(4Δ/ε) on each query."""
    release, draws = watched(monkeypatch, [0.0] * 4, 0.0)
    assert len(draws) == 4
    step = Fraction(2) ** draws[0][1]
    moved = draws[0][0] * Fraction(1, 2) / 2
    assert MARGIN + step <= moved < 1 + Fraction(1, 10**6)
    assert (moved / step).denominator == 1
    assert draws[1:] == [(2 * draws[0][0], draws[0][1])] * 3
    assert release.releases[0]["scale"] == pytest.approx(float(draws[0][0]), rel=1e-15)


@pytest.mark.parametrize(
    ("noise", "index"),
    [
        ([0.0, 0.0, 0.0, 0.0], 2),
        ([0.0, 1.0, 0.0, 0.0], 0),
        ([0.0, 0.75, 2.25, 0.0], 1),
        ([-1.5, 0.0, 0.0, 0.0], 0),
        ([1.5, 1.25, 0.0, 0.0], 2),
    ],
)
def test_noise_is_added_on_both_sides_of_a_threshold(
    noise: list[float], index: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The queries are 4, 3 and 2, and the threshold is 5."""
    assert watched(monkeypatch, noise, 4.0)[0].result == index


class Told:
    """Bytes and words that are counted."""

    secure = False

    def __init__(self, *drawn: list[int]) -> None:
        self.drawn = list(drawn)

    def uint64(self, count: int) -> NDArray[np.uint64]:
        words = self.drawn.pop(0)
        assert count == len(words)
        return np.array(words, dtype=np.uint64)

    def bytes(self, count: int) -> builtins.bytes:
        drawn = self.drawn.pop(0)
        assert count == len(drawn)
        return bytes(drawn)


def test_a_row_is_drawn_with_exactly_its_probability() -> None:
    """A byte below the digit of the probability keeps its row, one above does not, and an equal one leaves it to the next."""
    rate = Fraction(0x80, 1 << 8) + Fraction(0x01, 1 << 16) + Fraction(0xFF, 1 << 24)
    bits = Told([0, 0x7F, 0x80, 0x81, 0xFF, 0x80, 0x80, 0x80], [0, 1, 2, 1], [0xFE, 0xFF])
    assert each_with_probability(8, rate, bits).tolist() == [0, 1, 2, 5]
    assert not bits.drawn
    # What ends with its last digit keeps no row that is equal to it; what has no end goes on.
    assert each_with_probability(2, Fraction(1, 2), Told([0x7F, 0x80])).tolist() == [0]
    assert each_with_probability(2, Fraction(1, 3), Told([0x55, 0x55], [0x55, 0x54], [0x55], [0x56])).tolist() == [1]


@pytest.mark.parametrize(
    "rate", [Fraction(1, 3), Fraction(1, 256), Fraction(255, 256), Fraction(257, 65536), Fraction(1, 1000)]
)
def test_rows_are_drawn_as_often_as_is_said(rate: Fraction) -> None:
    rows = 1_000_000
    kept = each_with_probability(rows, rate, InsecureBits(11))
    assert len(set(kept.tolist())) == len(kept)
    assert abs(len(kept) - rows * rate) < 5 * float(rows * rate * (1 - rate)) ** 0.5


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 1 << 32, 3 << 61, (1 << 63) - 1])
def test_uniform_numbers_are_remainders_of_words_below_a_multiple(bound: int) -> None:
    most = (1 << 64) // bound * bound
    words = [0, bound - 1, most - 1, *([most, (1 << 64) - 1] if most < 1 << 64 else [bound, most // 2])]
    again = [[5, bound]] if most < 1 << 64 else []
    found = uniforms_below(bound, len(words), Told(words, *again))
    kept = [word for word in words if word < most] + [word for more in again for word in more]
    assert found.tolist() == [word % bound for word in kept]


@pytest.mark.parametrize("batch", [0, 1, 2, 3, 5, 6, 7])
def test_every_sample_is_equally_likely_in_every_order(batch: int) -> None:
    """Of 7 rows up to 3 are drawn in one way, and more in another."""
    bits, count = InsecureBits(batch), 20_000
    drawn = Counter(tuple(without_replacement(7, batch, bits).tolist()) for _ in range(count))
    assert all(len(set(each)) == batch and set(each) <= set(range(7)) for each in drawn)
    for length in range(1, min(batch, 2) + 1):
        for part in (slice(0, length), slice(batch - length, batch)):
            seen = Counter()
            for each, times in drawn.items():
                seen[each[part]] += times
            share = 1 / math.perm(7, length)
            assert len(seen) == math.perm(7, length)
            assert all(abs(times - count * share) < 5 * (count * share) ** 0.5 for times in seen.values())


@pytest.mark.parametrize(
    ("mechanism", "rate", "sign"),
    [("exponential[2, ε]", 1 / 8, 1), ("noisy-max[2, ε]", 1 / 8, 1), ("gibbs[ε]", 0.5, -1)],
)
def test_a_choice_is_drawn_at_the_rate_of_its_theorem(
    mechanism: str, rate: float, sign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ε/2s for what is declared; β where risks are given; less the margin of a sensitivity."""
    asked: list[tuple[str, list[Fraction], Fraction]] = []

    def chosen(name: str, scores: list[Fraction], rate: Fraction, bits: object) -> int:
        asked.append((name, scores, rate))
        return 0

    monkeypatch.setattr(selecting.samplers, "chosen", chosen)
    program = f"pλ x : ℝ, static ε : ℝ⁺ ⇒ {mechanism} (mcreate[L∞ | 1, 3] {{ i, j ⇒ real j }}) <x> {{ c ⇒ x }}"
    duetpy.parse(program, notion="eps").check().run(x=7.0, ε=0.5, _insecure_noise=1)
    [(name, scores, used)] = asked
    assert (name, scores) == (mechanism.split("[")[0], [sign * Fraction(7)] * 3)
    assert Fraction(rate) * (1 - Fraction(1, 2**39)) < used < Fraction(rate)


def test_numbers_that_were_drawn_before_are_drawn_again() -> None:
    """The first occurrences, in the order in which they came up."""
    assert without_replacement(10, 4, Told([3, 13, 7, 3], [7, 9], [13], [0])).tolist() == [3, 7, 9, 0]


def test_of_more_than_half_of_the_rows_those_with_the_least_words_are_taken_in_their_order() -> None:
    """Words of which two are the same are all drawn again."""
    assert without_replacement(4, 3, Told([9, 1, 9, 0], [30, 10, 20, 5])).tolist() == [3, 1, 2]


def test_a_small_sample_of_many_rows_takes_few_bits() -> None:
    class Counting(InsecureBits):
        asked = 0

        def uint64(self, count: int) -> NDArray[np.uint64]:
            Counting.asked += count
            return super().uint64(count)

    drawn = without_replacement(10**12, 1000, Counting(1))
    assert len(set(drawn.tolist())) == 1000
    assert Counting.asked < 1100
