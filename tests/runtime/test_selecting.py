"""What mechanisms that choose draw: noise at a threshold, and coins for rows."""

import builtins
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import duetpy
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release import selecting
from duetpy.runtime.release.selecting import each_with_probability

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
    assert 1 + step <= moved < 1 + Fraction(1, 10**6)
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
    """Words that are told, and drawn bytes for the coins."""

    secure = False

    def __init__(self, words: list[int]) -> None:
        self.words, self.coins = words, InsecureBits(3)

    def uint64(self, count: int) -> NDArray[np.uint64]:
        assert count == len(self.words)
        return np.array(self.words, dtype=np.uint64)

    def bytes(self, count: int) -> builtins.bytes:
        return self.coins.bytes(count)


@pytest.mark.parametrize("whole", [0, 3 << 62, (1 << 64) - 1])
def test_a_row_is_drawn_with_exactly_its_probability(whole: int) -> None:
    """A word below ⌊2^64·q⌋ keeps its row, one above does not, and what is left of q is a coin."""
    words = [0, 1, (1 << 63) - 1, 1 << 63, whole - 1, whole + 1, (1 << 64) - 1] + [whole] * 400
    words = [word for word in words if 0 <= word < 1 << 64]
    rate = Fraction(4 * whole + 1, 1 << 66)
    kept = {words[at]: 0 for at in range(len(words))}
    for at in each_with_probability(len(words), rate, Told(words)).tolist():
        kept[words[at]] += 1
    coins = kept.pop(whole)
    assert all((count > 0) == (word < whole) for word, count in kept.items())
    assert 60 < coins < 140
