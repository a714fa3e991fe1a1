"""Noise: what is returned is the rounding of one real number, whatever path computed it."""

import builtins
from collections.abc import Callable, Iterator
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from duetpy.runtime.noise import continuous
from duetpy.runtime.noise.continuous import gaussian, gaussian_steps, laplace, laplace_steps
from duetpy.runtime.noise.exact_sampler import bernoulli_exp
from duetpy.runtime.noise.float_enclosure import exponential
from duetpy.runtime.noise.random_bits import Bits, InsecureBits
from tests.effort import often
from tests.runtime.replayed_bits import ReplayBits, cell, exact_exponential, some_words


@pytest.fixture(autouse=True, scope="module")
def seven_hundred_bits() -> Iterator[None]:
    with mpmath.workprec(700):
        yield


RATIOS = [
    Fraction(1, 10**6),
    Fraction(1, 3),
    Fraction(7, 2),
    Fraction(2**30 + 1),
    Fraction(10**12, 7),
    Fraction(2**45),
    Fraction(2**47 - 1),
    Fraction(2**100, 3),
]


def nearest(value: mpmath.mpf) -> int:
    return int(mpmath.floor(value + 0.5))


def exact_laplace(word: int, ratio: Fraction) -> int:
    uniform, length = cell(word >> 1, 63)
    scale = mpmath.mpf(ratio.numerator) / ratio.denominator
    ends = {nearest(scale * exact_exponential(end, length)) for end in (uniform, uniform + 1)}
    assert len(ends) == 1
    return (1 - 2 * (word & 1)) * ends.pop()


def exact_gaussian(word: int, angle: int, ratio: Fraction) -> tuple[int, int]:
    uniform, length = cell(word >> 1, 63)
    turned, turned_length = cell(angle, 64)
    radius = mpmath.sqrt(2 * exact_exponential(uniform, length)) * ratio.numerator / ratio.denominator
    phase = 2 * mpmath.pi * turned / mpmath.mpf(2) ** turned_length
    return nearest(radius * mpmath.cos(phase)), nearest(radius * mpmath.sin(phase))


@pytest.mark.parametrize("ratio", RATIOS)
def test_laplace_rounds_the_real_number_that_its_bits_name(ratio: Fraction) -> None:
    words = some_words(300)
    drawn = laplace_steps(len(words), ratio, 0, ReplayBits(words))
    assert drawn.tolist() == [exact_laplace(word, ratio) for word in words]


@pytest.mark.parametrize("ratio", RATIOS)
def test_gaussian_rounds_the_real_numbers_that_its_bits_name(ratio: Fraction) -> None:
    words, angles = some_words(often(300, 100), 1), some_words(often(300, 100), 2)[::-1]
    drawn = gaussian_steps(2 * len(words), ratio, 0, in_the_order_of(ratio, words, angles))
    expected = [exact_gaussian(word, angle, ratio) for word, angle in zip(words, angles, strict=True)]
    assert drawn.tolist() == [step for pair in expected for step in pair]


def in_the_order_of(ratio: Fraction, words: list[int], angles: list[int]) -> ReplayBits:
    """The quick path draws all radii first, the slow path pair by pair."""
    if continuous._is_quick(ratio):
        return ReplayBits([*words, *angles])
    return ReplayBits([word for pair in zip(words, angles, strict=True) for word in pair])


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.sparse(6)
def test_few_values_follow_their_bits_as_many_do(count: int, ratio: Fraction) -> None:
    words = some_words(60, 3)
    for at in range(0, len(words) - 2 * count, count):
        few = words[at : at + count]
        assert laplace_steps(count, ratio, 0, ReplayBits(few)).tolist() == [exact_laplace(word, ratio) for word in few]
        pairs = [(words[at + n], words[-1 - at - n]) for n in range((count + 1) // 2)]
        drawn = gaussian_steps(count, ratio, 0, ReplayBits([word for pair in pairs for word in pair]))
        expected = [step for word, angle in pairs for step in exact_gaussian(word, angle, ratio)]
        assert drawn.tolist() == expected[:count]


def test_the_quick_path_leaves_little_to_the_integers() -> None:
    words = InsecureBits(9).uint64(40_000).tolist()
    bits = ReplayBits(words)
    laplace_steps(40_000, Fraction(2**30), 0, bits)
    assert bits.extensions <= 10
    bits = ReplayBits(words)
    gaussian_steps(40_000, Fraction(2**30), 0, bits)
    assert bits.extensions <= 20


def test_where_the_kernels_are_unsound_the_integers_take_over(monkeypatch: pytest.MonkeyPatch) -> None:
    words = some_words(200)
    quick = laplace_steps(len(words), Fraction(2**30), 0, ReplayBits(words)).tolist()
    monkeypatch.setattr(continuous, "kernels_are_sound", lambda: False)
    monkeypatch.setattr(continuous, "exponential", None)
    assert laplace_steps(len(words), Fraction(2**30), 0, ReplayBits(words)).tolist() == quick


def test_a_half_width_that_is_too_small_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of the tests above: kernels that are off by 2^-34 and do not say so give wrong steps."""
    words = some_words(300)

    def careless(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, half_widths = exponential(cells)
        return values + 2.0**-34, half_widths

    monkeypatch.setattr(continuous, "exponential", careless)
    drawn = laplace_steps(len(words), Fraction(2**36), 0, ReplayBits(words)).tolist()
    assert drawn != [exact_laplace(word, Fraction(2**36)) for word in words]


@pytest.mark.parametrize("draw", [laplace_steps, gaussian_steps])
@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1)])
def test_a_scale_must_be_positive(draw, scale: Fraction) -> None:
    with pytest.raises(ValueError, match="positive"):
        draw(3, scale, 0, InsecureBits(0))


@pytest.mark.parametrize("add", [laplace, gaussian])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (100, 7)])
def test_shapes_are_kept(add, shape: tuple[int, ...]) -> None:
    result = add(np.zeros(shape, dtype=np.int64), Fraction(3), -20, InsecureBits(0))
    assert result.shape == shape
    assert result.dtype == np.float64


def test_chunks_are_joined_without_gap_or_repetition() -> None:
    count = 2 * continuous._CHUNK + 3
    words = InsecureBits(4).uint64(count).tolist()
    drawn = laplace_steps(count, Fraction(2**20), 0, ReplayBits(words))
    places = [0, continuous._CHUNK - 1, continuous._CHUNK, 2 * continuous._CHUNK, count - 1]
    assert [int(drawn[at]) for at in places] == [exact_laplace(words[at], Fraction(2**20)) for at in places]
    assert gaussian_steps(count, Fraction(2**20), 0, InsecureBits(4)).shape == (count,)


class CountedBits(InsecureBits):
    """How many bits were asked for: the work of a sampler, without a clock."""

    asked = 0

    def uint64(self, count: int) -> NDArray[np.uint64]:
        self.asked += 64 * count
        return super().uint64(count)

    def bytes(self, count: int) -> builtins.bytes:
        self.asked += 8 * count
        return super().bytes(count)


def work_follows_noise(draw: Callable[[Bits], float]) -> bool:
    """Whether the tenth of the draws that is largest asks for more bits, on average, than the others."""
    drawn = []
    for seed in range(400):
        bits = CountedBits(seed)
        size = abs(draw(bits))
        drawn.append((size, bits.asked))
    asked = [bits for _, bits in sorted(drawn)]
    return float(np.mean(asked[-40:])) > 1.05 * float(np.mean(asked[:-40]))


@pytest.mark.parametrize("steps", [laplace_steps, gaussian_steps])
def test_the_work_of_a_draw_does_not_follow_the_noise(steps) -> None:
    assert not work_follows_noise(lambda bits: float(steps(1, Fraction(1), -30, bits)[0]))


def test_a_sampler_that_counts_works_longer_for_larger_noise() -> None:
    """The control: a geometric loop of coins, as exact samplers of integers are written."""

    def by_coins(bits: Bits) -> float:
        heads = 0
        while bernoulli_exp(Fraction(1, 50), bits):
            heads += 1
        return float(heads)

    assert work_follows_noise(by_coins)
