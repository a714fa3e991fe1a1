"""Randomised response: the bits decide as the exact probability does, however many answers there are."""

from __future__ import annotations

import builtins
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.noise.randomized_response import answer
from tests.statistics.test_samplers import ALPHA, chi_square_p

CASES = [
    (size, epsilon)
    for size in (2, 3, 1000, 10**30)
    for epsilon in (Fraction(1), Fraction(1, 10**9), Fraction(100, 3), Fraction(10**6))
]


class Beginning(InsecureBits):
    """Bits that begin with 128 given ones."""

    def __init__(self, first: int) -> None:
        super().__init__(0)
        self.given = [first >> 64, first & (2**64 - 1)]

    def bytes(self, count: int) -> builtins.bytes:
        return self.given.pop(0).to_bytes(8, "little") if self.given else super().bytes(count)


@pytest.mark.parametrize(("size", "epsilon"), CASES)
def test_the_truth_is_true_below_its_probability_and_nowhere_else(size: int, epsilon: Fraction) -> None:
    with mpmath.workprec(2_000):
        others = (size - 1) * mpmath.exp(-mpmath.mpf(epsilon.numerator) / epsilon.denominator)
        edge = int(mpmath.floor(mpmath.mpf(2) ** 128 / (1 + others)))
    # A number that begins with the bits of the edge itself may lie on either side.
    for first, is_true in ((edge - 1, True), (edge + 1, False)):
        if 0 <= first < 1 << 128:
            assert (answer(1, size, epsilon, Beginning(first)) == 1) is is_true


@pytest.mark.parametrize(("size", "epsilon"), [(2, Fraction(1, 3)), (5, Fraction(2)), (7, Fraction(1, 100))])
@pytest.mark.parametrize("truth", [0, 1])
def test_answers_have_their_law(size: int, epsilon: Fraction, truth: int) -> None:
    bits = InsecureBits(3)
    counts = np.bincount([answer(truth, size, epsilon, bits) for _ in range(4_000)], minlength=size).tolist()

    def law(eps: float) -> list[float]:
        weights = [math.exp(eps) if at == truth else 1.0 for at in range(size)]
        return [weight / sum(weights) for weight in weights]

    assert chi_square_p(counts, law(float(epsilon))) > ALPHA
    assert chi_square_p(counts, law(float(epsilon) + 0.5)) < ALPHA


def test_an_answer_takes_as_much_memory_whatever_the_number_of_answers() -> None:
    """It took an array of them all: a run with many ended after the charge, and its release was lost."""
    checked = duetpy.parse("pλ k : ℕ . x : 𝕀[k], k : ℕ[k] ⇒ rand-resp[k, 1.0] <x> { x }", notion="eps").check()
    release = checked.run(x=5, k=10**18)
    assert 0 <= release.result < 10**18


def test_an_index_beyond_its_size_is_the_first_one_or_refused() -> None:
    checked = duetpy.parse("pλ . x : 𝕀[3] ⇒ rand-resp[ℕ[3], 1.0] <x> { x }", notion="eps").check()
    for given, told in ((2, 2), (3, 0), (7, 0), (-1, 0)):
        assert checked.run(x=given, _on_bad_row="default", _insecure_noise="none").result == told
        if given != told:
            with pytest.raises(DuetError, match=r"an index lies below its size|a natural number is needed"):
                checked.run(x=given, _insecure_noise="none")
