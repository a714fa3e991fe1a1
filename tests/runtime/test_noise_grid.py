"""The lattice: every output is on it, and what rounding onto it adds is covered."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetpy.runtime.exact.rationals import constant, of_fractions
from duetpy.runtime.noise.continuous import gaussian, laplace
from duetpy.runtime.noise.noise_grid import (
    add_steps,
    choose_granularity,
    from_lattice,
    lattice_slack,
    narrowest,
    to_lattice,
)
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release import mechanisms
from tests.effort import often


def add_laplace(values: np.ndarray, scale: Fraction, exponent: int, bits: InsecureBits) -> np.ndarray:
    return laplace(to_lattice(values, exponent), scale, exponent, bits)


def add_gaussian(values: np.ndarray, sigma: Fraction, exponent: int, bits: InsecureBits) -> np.ndarray:
    return gaussian(to_lattice(values, exponent), sigma, exponent, bits)


QUICK = settings(max_examples=often(200, 80), derandomize=True, deadline=None)


@pytest.mark.parametrize("add", [add_laplace, add_gaussian])
@pytest.mark.parametrize("value", [0.0, 1.0, 1 / 3, 1e15, -1e18, 1e300])
def test_every_output_is_on_the_declared_lattice(add, value: float) -> None:
    exponent = choose_granularity(Fraction(1), Fraction(3))
    for output in add(np.full(2000, value), Fraction(3), exponent, InsecureBits(2)).tolist():
        assert (Fraction(output) / Fraction(2) ** exponent).denominator == 1


def test_noise_in_doubles_is_on_no_lattice() -> None:
    """The control: sums of doubles end where their size lets them, and the smaller the sum the finer its last bit."""
    exponent = choose_granularity(Fraction(1), Fraction(3))
    outputs = 1 / 3 + np.random.default_rng(1).laplace(scale=3, size=2000)
    assert any((Fraction(output) / Fraction(2) ** exponent).denominator > 1 for output in outputs.tolist())


def low_bits_show(outputs: np.ndarray) -> np.ndarray:
    """The event of the bit attack: smaller than 1/2 and no multiple of 2^-53 (Haney et al. 2022)."""
    return (np.abs(outputs) < 0.5) & (np.ldexp(outputs, 53) != np.rint(np.ldexp(outputs, 53)))


def test_the_bit_attack_breaks_doubles() -> None:
    """The control: noise in doubles tells 0 from 1 by one output in four."""
    generator = np.random.default_rng(0)
    assert low_bits_show(0.0 + generator.laplace(size=50_000)).mean() > 0.2
    assert low_bits_show(1.0 + generator.laplace(size=50_000)).sum() == 0


@pytest.mark.parametrize("add", [add_laplace, add_gaussian])
@pytest.mark.parametrize("exponent", [-30, -60, -80])
@pytest.mark.sparse(5)
def test_the_bit_attack_does_not_break_the_lattice(add, exponent: int) -> None:
    """Under 1-DP the event may be e times as likely at most; a Gaussian of scale 1 keeps to that near 1/2 as well."""
    count = often(20_000, 8_000)
    counts = [low_bits_show(add(np.full(count, at), Fraction(1), exponent, InsecureBits(1))).sum() for at in (0.0, 1.0)]
    if exponent == -30:
        assert counts == [0, 0]
    else:
        margin = 6 * math.sqrt(max(counts))
        assert min(counts) > count / 20
        assert max(counts) - margin <= math.e * (min(counts) + margin)


@QUICK
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=6),
    st.integers(-1074, 1023),
)
def test_rounding_onto_the_lattice_is_exact(values: list[float], exponent: int) -> None:
    steps = to_lattice(np.array(values), exponent)
    assert [int(step) for step in steps.tolist()] == [round(Fraction(v) / Fraction(2) ** exponent) for v in values]


@QUICK
@given(st.lists(st.integers(-(2**80), 2**80) | st.integers(-100, 100), max_size=5), st.integers(-1074, 1023))
def test_coming_off_the_lattice_is_one_rounding(steps: list[int], exponent: int) -> None:
    largest = Fraction(float(np.finfo(np.float64).max))
    for step, value in zip(steps, from_lattice(narrowest(steps), exponent).tolist(), strict=True):
        true = max(-largest, min(largest, step * Fraction(2) ** exponent))
        assert value == float(true)


@pytest.mark.parametrize("size", [2**60, 2**80])
def test_steps_beyond_the_doubles_are_the_largest_of_their_sign(size: int) -> None:
    largest = float(np.finfo(np.float64).max)
    assert from_lattice(narrowest([-size, size]), 1000).tolist() == [-largest, largest]


@QUICK
@given(st.lists(st.tuples(st.integers(-(2**70), 2**70), st.integers(-(2**63) + 1, 2**63 - 1)), max_size=5))
def test_sums_of_steps_do_not_wrap(pairs: list[tuple[int, int]]) -> None:
    left, right = (narrowest([pair[side] for pair in pairs]) for side in (0, 1))
    assert add_steps(left, right).tolist() == [a + b for a, b in pairs]


def test_int64_steps_near_the_limit_do_not_wrap() -> None:
    steps = np.array([2**63 - 1, -(2**63)], dtype=np.int64)
    assert add_steps(steps, steps).tolist() == [2**64 - 2, -(2**64)]


@pytest.mark.parametrize("add", [add_laplace, add_gaussian])
def test_large_values_take_the_exact_path(add) -> None:
    """2^62 steps and more: the integers of Python give what int64 gives to the same noise around 0."""
    around_zero = add(np.zeros(50), Fraction(2**20), -10, InsecureBits(5))
    far = add(np.full(50, 2.0**60), Fraction(2**20), -10, InsecureBits(5))
    expected = [float(Fraction(2**60) + Fraction(value)) for value in around_zero.tolist()]
    assert far.tolist() == expected


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_an_internal_fault_without_a_value(bad: float) -> None:
    with pytest.raises(ValueError, match=r"^a number to be released is not finite$"):
        to_lattice([1.0, bad], -30)


@pytest.mark.parametrize("exponent", [-1075, 1024])
def test_a_lattice_beyond_the_doubles_is_refused(exponent: int) -> None:
    with pytest.raises(ValueError, match="lattice"):
        to_lattice([1.0], exponent)
    with pytest.raises(ValueError, match="lattice"):
        from_lattice(np.array([1]), exponent)


@QUICK
@given(
    st.fractions(min_value=Fraction(1, 10**9), max_value=10**9),
    st.fractions(min_value=Fraction(1, 10**9), max_value=10**9),
)
def test_the_granularity_follows_the_smaller_of_sensitivity_and_scale(sensitivity: Fraction, scale: Fraction) -> None:
    step = Fraction(2) ** choose_granularity(sensitivity, scale)
    assert step * 2**30 <= min(sensitivity, scale) < step * 2**31


@pytest.mark.parametrize(
    ("smaller", "exponent"),
    [(Fraction(1), -30), (Fraction(5, 4), -30), (Fraction(2, 3), -31), (Fraction(1, 2), -31), (Fraction(1, 3), -32)],
)
def test_the_granularity_is_at_or_below_the_smaller_number(smaller: Fraction, exponent: int) -> None:
    assert choose_granularity(smaller, 2) == choose_granularity(2, smaller) == exponent


@pytest.mark.parametrize("bad", [0, -1.0, math.inf, math.nan])
def test_a_granularity_needs_positive_finite_numbers(bad: float) -> None:
    with pytest.raises(ValueError, match="positive and finite"):
        choose_granularity(bad, 1.0)
    with pytest.raises(ValueError, match="positive and finite"):
        choose_granularity(1.0, bad)


def test_extreme_granularities_stay_on_the_doubles() -> None:
    assert choose_granularity(5e-324, 1.0) == -1074
    assert choose_granularity(Fraction(2) ** 3000, Fraction(2) ** 3000) == 1023


@QUICK
@given(st.integers(0, 10**7), st.integers(-80, 20))
def test_the_slack_bounds_the_root_from_above_and_closely(count: int, exponent: int) -> None:
    step = Fraction(2) ** exponent
    slack = lattice_slack(count, "L2", exponent) / step
    assert slack**2 >= count
    assert slack - Fraction(1, 2**32) <= 0 or (slack - Fraction(1, 2**32)) ** 2 < count
    assert lattice_slack(count, "L1", exponent) == count * step
    assert lattice_slack(count, "L∞", exponent) == (step if count else 0)


@settings(max_examples=often(400, 100), derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.integers(-200, 200), st.integers(-200, 200)), min_size=1, max_size=5))
def test_the_slack_covers_what_rounding_adds(pairs: list[tuple[int, int]]) -> None:
    """Eighths on a lattice of ones: all ways in which two vectors can straddle the borders of rounding cells."""
    left, right = (np.array([pair[side] for pair in pairs]) / 8 for side in (0, 1))
    before = [abs(Fraction(a) - Fraction(b)) for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    after = [
        abs(int(a) - int(b)) for a, b in zip(to_lattice(left, 0).tolist(), to_lattice(right, 0).tolist(), strict=True)
    ]
    count = sum(a != b for a, b in pairs)
    assert sum(after) <= sum(before) + lattice_slack(count, "L1", 0)
    assert max(after) <= max(before) + lattice_slack(count, "L∞", 0)
    assert (
        math.sqrt(sum(x * x for x in after))
        <= math.sqrt(sum(x * x for x in before)) + lattice_slack(count, "L2", 0) + 1e-9
    )


def test_without_slack_rounding_breaks_a_sensitivity() -> None:
    """The control: 0.49 and 0.51 are a fiftieth apart before and a whole step after."""
    assert abs(int(to_lattice([0.49], 0)[0]) - int(to_lattice([0.51], 0)[0])) > 0.02


@pytest.mark.parametrize(
    "number", [Fraction(0), Fraction(5, 2), Fraction(1, 3), Fraction(-7, 1 << 40), Fraction(10**9, 3), Fraction(-12)]
)
@pytest.mark.parametrize("exponent", [-30, -2, 0, 3])
def test_one_number_goes_to_the_same_step_alone_and_in_all_cells(number: Fraction, exponent: int) -> None:
    alike = constant(number, (2, 3))
    apart = of_fractions([number] * 6, (2, 3))
    step = round(number / Fraction(2) ** exponent)
    assert mechanisms._steps(number.numerator, number.denominator, exponent) == step
    assert mechanisms._grid_steps(alike, exponent).tolist() == [step] * 6
    assert mechanisms._grid_steps(apart, exponent).tolist() == [step] * 6
