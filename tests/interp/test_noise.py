"""Noise: what is returned is the rounding of one real number, whatever path computed it."""

import builtins
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from duetpy.interp import choice, float_enclosure, noise
from duetpy.interp.choice import choose_exponential
from duetpy.interp.enclosure import exponential_bounds, log_bounds, pi_bounds, root_bounds, turn_bounds
from duetpy.interp.exact_sampler import bernoulli_exp
from duetpy.interp.float_enclosure import (
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
from duetpy.interp.lattice import (
    add_steps,
    choose_granularity,
    from_lattice,
    lattice_slack,
    narrowest,
    to_lattice,
)
from duetpy.interp.noise import (
    add_gaussian,
    add_laplace,
    gaussian,
    gaussian_steps,
    laplace,
    laplace_steps,
)
from duetpy.interp.random import Bits, InsecureBits


@pytest.fixture(autouse=True, scope="module")
def seven_hundred_bits() -> Iterator[None]:
    with mpmath.workprec(700):
        yield


QUICK = settings(max_examples=200, derandomize=True, deadline=None)

EDGES = [0, 1, 2, 3, 2**10, 2**32 - 1, 2**53, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]


EXTENSION = 0xA5C3_5A3C_0F1E_2D4B


class ReplayBits:
    """Hands out given words in order; every later extension of a string is the same 64 bits."""

    secure = False

    def __init__(self, words: list[int]) -> None:
        self.words = list(words)
        self.extensions = 0

    def uint64(self, count: int) -> NDArray[np.uint64]:
        taken, self.words = self.words[:count], self.words[count:]
        assert len(taken) == count
        return np.array(taken, dtype=np.uint64)

    def bytes(self, count: int) -> builtins.bytes:
        self.extensions += 1
        return EXTENSION.to_bytes(8, "little")[:count]


def cell(word: int, length: int, extensions: int = 6) -> tuple[int, int]:
    """The string of bits after some extensions, and its length."""
    for _ in range(extensions):
        word, length = (word << 64) | EXTENSION, length + 64
    return word, length


def some_words(count: int, seed: int = 0) -> list[int]:
    """Words that are drawn, words near powers of two, and words near both ends."""
    powers = [2**at + offset for at in range(64) for offset in (-1, 0, 1)]
    drawn = InsecureBits(seed).uint64(count).tolist()
    return [word for word in [*EDGES, *powers, *drawn] if 0 <= word < 2**64]


def exact_exponential(word: int, length: int) -> mpmath.mpf:
    return -mpmath.log(mpmath.mpf(word) / mpmath.mpf(2) ** length)


# ---------------------------------------------------------------------------------------------------------------------
# Enclosures


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
    words = some_words(3000)
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


# ---------------------------------------------------------------------------------------------------------------------
# What is returned, against the real numbers that the bits name

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
    words, angles = some_words(300, 1), some_words(300, 2)[::-1]
    drawn = gaussian_steps(2 * len(words), ratio, 0, in_the_order_of(ratio, words, angles))
    expected = [exact_gaussian(word, angle, ratio) for word, angle in zip(words, angles, strict=True)]
    assert drawn.tolist() == [step for pair in expected for step in pair]


def in_the_order_of(ratio: Fraction, words: list[int], angles: list[int]) -> ReplayBits:
    """The quick path draws all radii first, the slow path pair by pair."""
    if noise._is_quick(ratio):
        return ReplayBits([*words, *angles])
    return ReplayBits([word for pair in zip(words, angles, strict=True) for word in pair])


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("count", [1, 2, 3, 4])
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
    monkeypatch.setattr(noise, "kernels_are_sound", lambda: False)
    monkeypatch.setattr(noise, "exponential", None)
    assert laplace_steps(len(words), Fraction(2**30), 0, ReplayBits(words)).tolist() == quick


def test_a_half_width_that_is_too_small_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of the tests above: kernels that are off by 2^-34 and do not say so give wrong steps."""
    words = some_words(300)

    def careless(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, half_widths = exponential(cells)
        return values + 2.0**-34, half_widths

    monkeypatch.setattr(noise, "exponential", careless)
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
    count = 2 * noise._CHUNK + 3
    words = InsecureBits(4).uint64(count).tolist()
    drawn = laplace_steps(count, Fraction(2**20), 0, ReplayBits(words))
    places = [0, noise._CHUNK - 1, noise._CHUNK, 2 * noise._CHUNK, count - 1]
    assert [int(drawn[at]) for at in places] == [exact_laplace(words[at], Fraction(2**20)) for at in places]
    assert gaussian_steps(count, Fraction(2**20), 0, InsecureBits(4)).shape == (count,)


# ---------------------------------------------------------------------------------------------------------------------
# The lattice


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
def test_the_bit_attack_does_not_break_the_lattice(add, exponent: int) -> None:
    """Under 1-DP the event may be e times as likely at most; a Gaussian of scale 1 keeps to that near 1/2 as well."""
    counts = [
        low_bits_show(add(np.full(20_000, at), Fraction(1), exponent, InsecureBits(1))).sum() for at in (0.0, 1.0)
    ]
    if exponent == -30:
        assert counts == [0, 0]
    else:
        margin = 6 * math.sqrt(max(counts))
        assert min(counts) > 1000
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


@settings(max_examples=400, derandomize=True, deadline=None)
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


# ---------------------------------------------------------------------------------------------------------------------
# The exponential mechanism


def exact_choice(words: list[int], scores: list[Fraction], rate: Fraction) -> int:
    keys = []
    for word, score in zip(words, scores, strict=True):
        uniform, length = cell(word >> 1, 63)
        advantage = rate * score
        keys.append(
            mpmath.mpf(advantage.numerator) / advantage.denominator - mpmath.log(exact_exponential(uniform, length))
        )
    return max(range(len(keys)), key=keys.__getitem__)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(
    st.lists(
        st.tuples(st.fractions(-20, 20), st.integers(0, 2**64 - 1)),
        min_size=1,
        max_size=12,
        unique_by=lambda pair: pair[1] >> 1,
    ),
    st.fractions(0, 3),
)
def test_a_choice_is_the_largest_of_the_keys_that_the_bits_name(pairs, rate: Fraction) -> None:
    scores, words = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    assert choose_exponential(scores, rate, ReplayBits(words)) == exact_choice(words, scores, rate)


def test_near_ties_are_settled_by_integers() -> None:
    """Two strings that agree in their first 63 bits: only the scores, 2^-70 apart, tell them from each other."""
    for first, second in ((Fraction(0), Fraction(1, 2**70)), (Fraction(1, 2**70), Fraction(0))):
        bits = ReplayBits([2**63, 2**63])
        chosen = choose_exponential([first, second], Fraction(1), bits)
        assert chosen == (0 if first > second else 1)
        assert bits.extensions > 0


def test_words_at_both_ends_are_settled() -> None:
    scores = [Fraction(0), Fraction(1), Fraction(2)]
    for words in ([0, 2**64 - 1, 2**64 - 1], [0, 0, 2**64 - 1], [2**64 - 2, 0, 0]):
        assert choose_exponential(scores, Fraction(1), ReplayBits(words)) == exact_choice(words, scores, Fraction(1))


def test_doubles_and_fractions_choose_alike() -> None:
    scores = np.random.default_rng(0).normal(size=500) * 10
    for seed in range(30):
        by_doubles = choose_exponential(scores, Fraction(1, 3), InsecureBits(seed))
        assert by_doubles == choose_exponential(
            [Fraction(s) for s in scores.tolist()], Fraction(1, 3), InsecureBits(seed)
        )


def test_unsound_kernels_leave_every_choice_to_the_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    words = InsecureBits(3).uint64(20).tolist()
    scores = [Fraction(at, 7) for at in range(20)]
    quick = choose_exponential(scores, Fraction(1), ReplayBits(words))
    monkeypatch.setattr(choice, "kernels_are_sound", lambda: False)
    assert choose_exponential(scores, Fraction(1), ReplayBits(words)) == quick


def test_extreme_scores_do_not_overflow() -> None:
    assert choose_exponential([1e308, -1e308], Fraction(1), InsecureBits(0)) == 0
    assert choose_exponential(np.array([-1e308, 1e308, -1e308]), Fraction(10**300), InsecureBits(0)) == 1
    assert choose_exponential([-1e308, 1e308], Fraction(1, 10**320), InsecureBits(0)) in (0, 1)
    assert {choose_exponential([1e308, -1e308], Fraction(0), InsecureBits(seed)) for seed in range(20)} == {0, 1}


@pytest.mark.parametrize(
    ("scores", "rate"),
    [
        ([], Fraction(1)),
        ([1.0], Fraction(-1)),
        ([1.0, math.nan], Fraction(1)),
        (np.array([math.inf, 0.0]), Fraction(1)),
    ],
)
def test_a_choice_refuses_what_has_no_law(scores, rate: Fraction) -> None:
    with pytest.raises(ValueError, match=r"candidate|finite"):
        choose_exponential(scores, rate, InsecureBits(0))
