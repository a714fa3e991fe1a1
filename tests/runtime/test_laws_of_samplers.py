"""Samplers have the laws that they say if those below them do: found without drawing, so that no law waits for a long test."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import permutations
from math import ceil, exp, isclose
from typing import Any

import numpy as np
import pytest

from duetpy import parse
from duetpy.accounting.kept_counts import threshold
from duetpy.accounting.kept_gaussian import calibrated
from duetpy.runtime.noise import canonical_noise, exact_sampler, exponential_choice, key_coins
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release import selecting
from duetpy.runtime.release.mechanisms import MARGIN
from tests.runtime.enumerated import Choices

BITS = InsecureBits(1)

HALF, HUNDREDTH = Fraction(1, 2), Fraction(1, 100)


def assert_law(found: dict[int, float], wanted: dict[int, float], error: float = 1e-3) -> None:
    total = sum(wanted.values())
    for result in {*found, *wanted}:
        assert isclose(found.get(result, 0.0), wanted.get(result, 0.0) / total, abs_tol=error), result


# ---------------------------------------------------------------------------------------------------------------------
# By integers


@pytest.mark.parametrize("exponent", ["0", "1/3", "1"])
def test_a_coin_of_at_most_one(exponent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    choices = Choices(1e-5)
    monkeypatch.setattr(exact_sampler, "uniform_below", choices.uniform_below)
    found = choices.law(lambda: exact_sampler.bernoulli_exp(Fraction(exponent), BITS))
    assert isclose(found.get(True, 0.0), exp(-Fraction(exponent)), abs_tol=1e-3)


@pytest.mark.parametrize("exponent", ["0", "1/3", "1", "5/2", "3"])
def test_a_coin_of_any_exponent(exponent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    choices = Choices()
    monkeypatch.setattr(exact_sampler, "_bernoulli_exp_fraction", choices.bernoulli_exp)
    found = choices.law(lambda: exact_sampler.bernoulli_exp(Fraction(exponent), BITS))
    assert isclose(found.get(True, 0.0), exp(-Fraction(exponent)), abs_tol=1e-6)


@pytest.mark.parametrize("scale", ["1/2", "1", "5/2"])
def test_discrete_laplace(scale: str, monkeypatch: pytest.MonkeyPatch) -> None:
    choices = Choices()

    def uniform_below(bound: int, bits: object) -> int:
        if bound == Fraction(scale).numerator:
            choices.begin()
        return choices.uniform_below(bound, bits)

    monkeypatch.setattr(exact_sampler, "uniform_below", uniform_below)
    monkeypatch.setattr(exact_sampler, "_bernoulli_exp_fraction", choices.bernoulli_exp)
    found = choices.law(lambda: exact_sampler.discrete_laplace(Fraction(scale), BITS))
    assert_law(found, {x: exp(-abs(x) / Fraction(scale)) for x in range(-40, 41)})


@pytest.mark.parametrize("variance", ["1/2", "3", "7"])
def test_discrete_gaussian(variance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    choices = Choices(1e-9)
    places = range(-20, 21)

    def laplace(scale: Fraction, _: object) -> int:
        choices.begin()
        weights = [exp(-abs(x) / scale) for x in places]
        return places[choices.choose([weight / sum(weights) for weight in weights])]

    monkeypatch.setattr(exact_sampler, "discrete_laplace", laplace)
    monkeypatch.setattr(exact_sampler, "bernoulli_exp", choices.bernoulli_exp)
    found = choices.law(lambda: exact_sampler.discrete_gaussian(Fraction(variance), BITS))
    assert_law(found, {x: exp(-x * x / (2 * Fraction(variance))) for x in places})


# ---------------------------------------------------------------------------------------------------------------------
# Choices


def test_permute_and_flip(monkeypatch: pytest.MonkeyPatch) -> None:
    choices, rate = Choices(), Fraction(3, 4)
    monkeypatch.setattr(exponential_choice, "uniform_below", choices.uniform_below)
    monkeypatch.setattr(exponential_choice, "bernoulli_exp", choices.bernoulli_exp)
    scores = [Fraction(1), Fraction(-1, 2), Fraction(2), Fraction(2)]
    wanted = dict.fromkeys(range(4), 0.0)
    for order in permutations(range(4)):
        rest = 1.0
        for at in order:
            taken = exp(-rate * (2 - scores[at]))
            wanted[at] += rest * taken
            rest *= 1 - taken
    assert_law(choices.law(lambda: exponential_choice.permute_and_flip(scores, rate, BITS)), wanted, 1e-6)


def test_every_order_of_reports_is_equally_likely(monkeypatch: pytest.MonkeyPatch) -> None:
    choices = Choices()
    monkeypatch.setattr(selecting, "uniform_below", choices.uniform_below)
    found = choices.law(lambda: tuple(selecting.permuted(range(4), BITS)))
    assert {order: round(24 * weight, 9) for order, weight in found.items()} == dict.fromkeys(
        permutations(range(4)), 1.0
    )


# ---------------------------------------------------------------------------------------------------------------------
# Canonical noise


def test_what_is_proposed_where_delta_cuts_off_nearly_all(monkeypatch: pytest.MonkeyPatch) -> None:
    eps, delta = Fraction(1, 20), Fraction(1, 4)
    choices = Choices(1e-5)

    def uniform_below(bound: int, bits: object) -> int:
        choices.begin()
        return choices.uniform_below(bound, bits)

    monkeypatch.setattr(canonical_noise, "uniform_below", uniform_below)
    monkeypatch.setattr(canonical_noise, "bernoulli_exp", choices.bernoulli_exp)
    found = choices.law(lambda: canonical_noise._proposed(eps, delta, BITS))
    most = max(found)
    assert_law(found, {x: exp(-eps * abs(x)) for x in range(-most, most + 1)})
    # None of the next cell is kept.
    ratio = exp(-eps)
    assert ratio**most < delta * (1 + ratio) / (1 - ratio + 2 * delta * ratio)


class Words:
    """Bits that are given words of 64, one after another."""

    secure = False

    def __init__(self, *words: int) -> None:
        self.words = list(words)

    def bytes(self, count: int) -> bytes:
        assert count == 8
        return self.words.pop(0).to_bytes(8, "little")

    def uint64(self, count: int) -> Any:
        raise AssertionError("a string of bits is made of bytes")


@pytest.mark.parametrize("centre", [0, 2, -2, 5])
@pytest.mark.parametrize("exponent", [-20, 1, -70])
def test_canonical_noise_is_the_rounded_number_that_the_bits_name(
    centre: int, exponent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is beyond a quantile is drawn again, and as many bits are read as the rounding takes."""
    first, second = 12345678901234567890, 9876543210987654321
    proposed = iter([10**6, centre])
    monkeypatch.setattr(canonical_noise, "_proposed", lambda *_: next(proposed))
    bits = Words(7, first, second)
    found = canonical_noise.canonical_step(HALF, HUNDREDTH, Fraction(3, 2), exponent, bits)
    assert bits.words == ([] if exponent == -70 else [second])
    uniform = Fraction((first << 64) + second, 1 << 128)
    number = Fraction(3, 2) * (abs(centre) + uniform - HALF) / Fraction(2) ** exponent
    assert found == (-round(number) if centre < 0 else round(number))


# ---------------------------------------------------------------------------------------------------------------------
# Numbers of rows of keys


def test_a_number_has_truncated_noise_and_is_shown_above_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = threshold(HALF, HUNDREDTH)
    drawn = iter([limit + 1, -limit - 1, limit, -limit, 0, 1])
    scales: list[Fraction] = []

    def laplace(scale: Fraction, _: object) -> int:
        scales.append(scale)
        return next(drawn)

    monkeypatch.setattr(key_coins, "discrete_laplace", laplace)
    found = list(key_coins.noisy([1, 2 * limit + 1, limit, limit], HALF, HUNDREDTH, BITS))
    assert found == [limit + 1, limit + 1, None, limit + 1]
    assert set(scales) == {1 / HALF}


def test_a_number_has_gaussian_noise_and_is_shown_from_the_limit_on(monkeypatch: pytest.MonkeyPatch) -> None:
    variance, limit = calibrated(HALF, HUNDREDTH, 3)
    drawn = iter([limit - 1, limit - 2, -1, 0])
    variances: list[Fraction] = []

    def normal(asked: Fraction, _: object) -> int:
        variances.append(asked)
        return next(drawn)

    monkeypatch.setattr(key_coins, "discrete_gaussian", normal)
    found = list(key_coins.gaussian([1, 1, limit, limit], HALF, HUNDREDTH, 3, BITS))
    assert found == [limit, None, None, limit]
    assert set(variances) == {variance}


TABLE = "x : 𝔻𝔽[a : 𝕊, b : 𝕊]"
ROWS = [{"a": "u", "b": "v"}, {"a": "u", "b": "w"}]


@pytest.mark.parametrize(
    ("mechanism", "name", "numbers"),
    [("key-counts", "noisy", (HALF / 2, HUNDREDTH / 2)), ("key-gauss", "gaussian", (HALF, HUNDREDTH, 2))],
)
def test_numbers_of_rows_are_drawn_for_what_the_program_pays(
    mechanism: str, name: str, numbers: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, ...]] = []

    def counted(rows: Iterable[int], *how: object) -> list[int | None]:
        asked.append((tuple(rows), *how[:-1]))
        return [7, None, 5]

    monkeypatch.setattr(key_coins, name, counted)
    text = f"pλ {TABLE} ⇒ {mechanism}[ℕ[2], 0.5, 0.01] x {{ r ⇒ ℘{{r.a, r.b}} }}"
    release = parse(text, notion="approx").check().run(x=ROWS)
    assert release.result == [("u", 7), ("w", 5)]
    assert len(asked) == 1
    rows, *how = asked[0]
    assert rows == (2, 1, 1)
    # Of `key-counts` each key of a row has its part of ε and δ.
    assert tuple(how) == numbers


# ---------------------------------------------------------------------------------------------------------------------
# Parameters with roots

ROOT, PART = "ℝ⁺[√2]", "ℝ⁺[√2 / 100.0]"


def is_just_below(found: Fraction, square: Fraction) -> bool:
    """Whether a number is hardly below the root of another one."""
    return square * (1 - Fraction(1, 10**20)) < found * found < square


def test_a_rate_is_rounded_down(monkeypatch: pytest.MonkeyPatch) -> None:
    rates: list[Fraction] = []

    def chosen(_name: str, _scores: object, rate: Fraction, _bits: object) -> int:
        rates.append(rate)
        return 0

    monkeypatch.setattr(selecting.samplers, "chosen", chosen)
    candidates = "(mcreate[L∞ | 1, 3] { i, j ⇒ real j })"
    parse(f"pλ x : ℝ ⇒ noisy-max[1, {ROOT}] {candidates} <x> {{ c ⇒ x }}", notion="eps").check().run(x=7.0)
    [rate] = rates
    assert is_just_below(rate * 2 * MARGIN, Fraction(2))


def test_the_noise_at_a_threshold_is_rounded_up(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[Fraction, int]] = []

    def steps(_count: int, scale: Fraction, exponent: int, _bits: object) -> list[int]:
        drawn.append((scale, exponent))
        return [0]

    monkeypatch.setattr(selecting.continuous, "laplace_steps", steps)
    queries = "mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . n : ℝ ⇒ n - real j }"
    parse(f"pλ x : ℝ ⇒ AboveThreshold[{ROOT}, {queries}, 5.0] <x> {{ x }}", notion="eps").check().run(x=9.0)
    scale, exponent = drawn[0]
    step = Fraction(2) ** exponent
    # Rounding moves a value of sensitivity 1 by a step more, and the proof shifts by whole steps.
    moved = ceil(MARGIN / step + 1) * step
    assert is_just_below(2 * moved / scale, Fraction(2))


@pytest.mark.parametrize(
    ("program", "notion", "place", "numbers"),
    [
        (f"pλ x : ℝ ⇒ canonical[1.0, {ROOT}, {PART}] <x> {{ x }}", "approx", "mechanisms.samplers.noisy", (2, 3)),
        (f"pλ x : 𝔻 ⇒ rand-resp[2, {ROOT}] <x> {{ idx ℕ[0] }}", "eps", "selecting.randomized_response.answer", (2,)),
        (f"pλ {TABLE} ⇒ keys[1, {ROOT}, {PART}] x {{ r ⇒ r.a }}", "approx", "selecting.key_coins.kept", (1, 2)),
        (f"pλ {TABLE} ⇒ key-counts[1, {ROOT}, {PART}] x {{ r ⇒ r.a }}", "approx", "selecting.key_coins.noisy", (1, 2)),
    ],
)
def test_epsilon_and_delta_are_rounded_down(
    program: str, notion: str, place: str, numbers: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Fraction] = []

    def seen(*how: Any) -> Any:
        asked.extend(how[2] if place.endswith("samplers.noisy") else [how[at] for at in numbers])
        return 0 if place.endswith("answer") else np.zeros(1)

    monkeypatch.setattr(f"duetpy.runtime.release.{place}", seen)
    parse(program, notion=notion).check().run(x=ROWS if TABLE in program else 1.0)
    assert all(map(is_just_below, asked, (Fraction(2), Fraction(2, 10**4))))
    assert len(asked) == len(numbers)
