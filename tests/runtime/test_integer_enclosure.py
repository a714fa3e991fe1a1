"""Enclosures and quick kernels: the real number is within what they say."""

import math
from collections.abc import Iterator

import mpmath
import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from duetpy.runtime.noise import float_enclosure
from duetpy.runtime.noise.float_enclosure import (
    TURN_ERROR,
    exponential,
    exponential_of_one,
    kernels_are_sound,
    negative_log,
    quarters,
    turn,
    turn_of_one,
    turn_parts,
    turn_parts_of_one,
    uniform_of_one,
)
from duetpy.runtime.noise.integer_enclosure import exponential_bounds, log_bounds, pi_bounds, root_bounds, turn_bounds
from duetpy.runtime.noise.random_bits import InsecureBits
from tests.effort import often
from tests.runtime.replayed_bits import cell, exact_exponential, some_words


@pytest.fixture(autouse=True, scope="module")
def seven_hundred_bits() -> Iterator[None]:
    with mpmath.workprec(700):
        yield


QUICK = settings(max_examples=often(200, 80), derandomize=True, deadline=None)


@QUICK
@given(st.integers(1, 2**200), st.sampled_from([16, 53, 64, 128, 191]))
def test_a_logarithm_lies_in_its_enclosure(value: int, precision: int) -> None:
    low, high = log_bounds(value, precision)
    assert low <= mpmath.log(value) * 2**precision <= high
    assert high - low <= 3


@QUICK
@given(st.integers(3, 200), st.sampled_from([16, 64, 128, 191]), st.data())
def test_a_cell_is_enclosed_at_both_ends(length: int, precision: int, data: st.DataObject) -> None:
    word = data.draw(st.integers(0, 2**length - 1) | st.sampled_from([0, 1, 2**length - 1]))
    enclosure = exponential_bounds(word, length, precision)
    if word == 0:
        assert enclosure is None
    else:
        assert enclosure is not None
        assert 0 <= enclosure[0] <= exact_exponential(word + 1, length) * 2**precision + mpmath.mpf(2) ** -600
        assert exact_exponential(word, length) * 2**precision <= enclosure[1]
    for end in (word, word + 1):
        angle = 2 * mpmath.pi * end / mpmath.mpf(2) ** length
        for (low, high), true in zip(turn_bounds(word, length, precision), (mpmath.cos, mpmath.sin), strict=True):
            assert low <= true(angle) * 2**precision <= high


def test_enclosures_shrink_with_the_cell() -> None:
    word, length = cell(12345, 63, 2)
    for low, high in (exponential_bounds(word, length, length), *turn_bounds(word, length, length)):
        assert high - low < 2**60
    for low, high in turn_bounds(word, length, length - 8):
        assert high - low <= 4


def test_pi_and_roots_are_enclosed() -> None:
    for precision in (20, 64, 128, 300):
        low, high = pi_bounds(precision)
        assert low < mpmath.pi * 2**precision < high
        for square in (0, 1, 2, 3 << precision, (5 << precision) + 1):
            root = mpmath.sqrt(mpmath.mpf(square) / 2**precision) * 2**precision
            low, high = root_bounds((square, square), precision)
            assert low <= root <= high <= low + 1


# ---------------------------------------------------------------------------------------------------------------------
# The quick kernels


def test_the_exponential_kernel_keeps_within_half_of_its_half_width() -> None:
    words = [word >> 1 for word in some_words(3000)]
    values, half_widths = exponential(np.array(words, dtype=np.uint64))
    for word, value, half_width in zip(words, values.tolist(), half_widths.tolist(), strict=True):
        if word == 0:
            assert half_width == math.inf
            continue
        for end in (word, word + 1):
            assert abs(value - exact_exponential(end, 63)) <= half_width / 2 + 2.0**-1000


def test_the_logarithm_keeps_within_its_stated_error() -> None:
    exponents = np.arange(-900, 900, 7)
    values = np.ldexp(1.0 + InsecureBits(3).uint64(len(exponents)) / 2.0**64, exponents)
    for value, result in zip(values.tolist(), negative_log(values, 0).tolist(), strict=True):
        assert abs(result + mpmath.log(mpmath.mpf(value))) <= 2.0**-51 * abs(result) + 2.0**-52


def test_the_turn_kernel_keeps_within_its_stated_error() -> None:
    words = some_words(often(3000, 800))
    cosines, sines = turn(np.array(words, dtype=np.uint64))
    for word, cosine, sine in zip(words, cosines.tolist(), sines.tolist(), strict=True):
        for end in (word, word + 1):
            angle = 2 * mpmath.pi * end / mpmath.mpf(2) ** 64
            assert abs(cosine - mpmath.cos(angle)) <= TURN_ERROR
            assert abs(sine - mpmath.sin(angle)) <= TURN_ERROR


def test_the_kernels_pass_their_self_test() -> None:
    assert kernels_are_sound()


@pytest.mark.parametrize("table", ["log_centres", "cosines", "sines"])
def test_the_self_test_sees_a_wrong_table(table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tables = float_enclosure._tables()
    wrong = evolve(tables, **{table: [entry * (1 + 1e-12) for entry in getattr(tables, table)]})
    assert kernels_are_sound.__wrapped__()
    with monkeypatch.context() as patch:
        patch.setattr(float_enclosure, "_arrays", wrong.arrays)
        assert not kernels_are_sound.__wrapped__()
    float_enclosure._arrays()
    monkeypatch.setattr(float_enclosure, "_tables", lambda: wrong)
    assert not kernels_are_sound.__wrapped__()


def test_one_word_and_many_give_the_same_doubles() -> None:
    words = np.array(some_words(500), dtype=np.uint64)
    values, widths = exponential(words >> np.uint64(1))
    ones = [exponential_of_one(value) for value in (words >> np.uint64(1)).astype(float).tolist()]
    assert [one for one in ones if one[1] < math.inf] == [
        pair for pair in zip(values.tolist(), widths.tolist(), strict=True) if pair[1] < math.inf
    ]
    parts = list(zip(*(part.tolist() for part in turn_parts(words)), strict=True))
    assert [(turn_parts_of_one(one), uniform_of_one(one)) for one in quarters(words)] == [
        (part, float(word >> 1)) for part, word in zip(parts, words.tolist(), strict=True)
    ]
    assert [turn_of_one(*part) for part in parts] == list(zip(*(part.tolist() for part in turn(words)), strict=True))
