"""Samplers against their exact laws, each test with a control that must fail.

The bits are reproducible, so a test gives the same verdict on every run. The quick suite sees errors of some per cent; the
slow one draws a million values and sees one per cent.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations

import mpmath
import numpy as np
import pytest
from scipy import special

from duetpy.runtime.noise.continuous import gaussian_steps, laplace_steps
from duetpy.runtime.noise.exact_sampler import (
    bernoulli,
    bernoulli_exp,
    choose_by_rejection,
    discrete_gaussian,
    discrete_laplace,
    uniform_below,
)
from duetpy.runtime.noise.exponential_choice import choose_exponential
from duetpy.runtime.noise.generalized_gaussian import generalized_gaussian_step
from duetpy.runtime.noise.random_bits import Bits, InsecureBits
from duetpy.runtime.release.selecting import permuted
from tests.effort import often

ALPHA = 1e-6
"""A right sampler fails a test with this probability."""

Draw = Callable[[int, Fraction, int, Bits], np.ndarray]
Law = Callable[[np.ndarray], np.ndarray]


def laplace_law(values: np.ndarray) -> np.ndarray:
    return np.where(values < 0, np.exp(np.minimum(values, 0)) / 2, 1 - np.exp(-np.maximum(values, 0)) / 2)


CONTINUOUS = [(laplace_steps, laplace_law, 2.0, 6.0), (gaussian_steps, special.ndtr, 1.0, 3.0)]
"""Sampler, distribution function at scale 1, variance and kurtosis at scale 1."""


def drawn(draw: Draw, count: int, scale: Fraction, seed: int) -> np.ndarray:
    """Values in units of the scale, on a lattice far finer than they are."""
    return draw(count, scale, -40, InsecureBits(seed)) * 2.0**-40 / float(scale)


def kolmogorov_p(values: np.ndarray, law: Law) -> float:
    """The p-value of the greatest distance between the empirical and the exact distribution function."""
    below = law(np.sort(values))
    ranks = np.arange(len(values) + 1) / len(values)
    distance = max((ranks[1:] - below).max(), (below - ranks[:-1]).max())
    return float(special.kolmogorov(distance * np.sqrt(len(values))))


def variance_p(values: np.ndarray, variance: float, kurtosis: float) -> float:
    """The two-sided p-value of the mean square, whose standard error follows from the fourth moment."""
    error = variance * np.sqrt((kurtosis - 1) / len(values))
    return float(special.erfc(abs((values**2).mean() - variance) / error / np.sqrt(2)))


def chi_square_p(counts: Sequence[int], probabilities: Sequence[float]) -> float:
    """Pearson's test; cells that expect fewer than ten are put together with their neighbours."""
    total = sum(counts)
    cells: list[list[float]] = [[0.0, 0.0]]
    for count, probability in zip(counts, probabilities, strict=True):
        if cells[-1][1] >= 10:
            cells.append([0.0, 0.0])
        cells[-1][0] += count
        cells[-1][1] += probability * total
    observed, expected = np.array(cells[:-1]).T if cells[-1][1] < 10 else np.array(cells).T
    if cells[-1][1] < 10:
        observed[-1] += cells[-1][0]
        expected[-1] += cells[-1][1]
    return float(special.chdtrc(len(expected) - 1, ((observed - expected) ** 2 / expected).sum()))


def counts_of(values: Sequence[int], reach: int) -> list[int]:
    """How often each integer from -reach to reach occurs, the ends with all that lies beyond."""
    clipped = np.clip(np.asarray(values, dtype=np.int64), -reach, reach) + reach
    return np.bincount(clipped, minlength=2 * reach + 1).tolist()


# ---------------------------------------------------------------------------------------------------------------------
# Continuous laws, through the lattice


def verdicts(draw: Draw, law: Law, variance: float, kurtosis: float, count: int, seed: int, slip: float) -> list[float]:
    """The p-values of the tests when the sampler's scale is wrong by a factor."""
    values = drawn(draw, count, Fraction(7, 3), seed) * slip
    signs = (values > 0).mean()
    return [
        kolmogorov_p(values, law),
        variance_p(values, variance, kurtosis),
        float(special.erfc(abs(signs - 0.5) * 2 * np.sqrt(count / 2))),
    ]


@pytest.mark.parametrize(("draw", "law", "variance", "kurtosis"), CONTINUOUS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sparse(3)
def test_noise_has_its_law(draw: Draw, law: Law, variance: float, kurtosis: float, seed: int) -> None:
    assert min(verdicts(draw, law, variance, kurtosis, 100_000, seed, 1.0)) > ALPHA


@pytest.mark.parametrize(("draw", "law", "variance", "kurtosis"), CONTINUOUS)
@pytest.mark.parametrize("slip", [0.95, 1.05])
@pytest.mark.sparse(3)
def test_a_scale_five_per_cent_off_is_seen(draw: Draw, law: Law, variance: float, kurtosis: float, slip: float) -> None:
    assert min(verdicts(draw, law, variance, kurtosis, 100_000, 0, slip)) < ALPHA


@pytest.mark.slow
@pytest.mark.parametrize(("draw", "law", "variance", "kurtosis"), CONTINUOUS)
@pytest.mark.parametrize("seed", range(5))
def test_a_million_values_have_their_law(draw: Draw, law: Law, variance: float, kurtosis: float, seed: int) -> None:
    assert min(verdicts(draw, law, variance, kurtosis, 10**6, seed, 1.0)) > ALPHA
    assert min(verdicts(draw, law, variance, kurtosis, 10**6, seed, 1.01)) < ALPHA
    assert min(verdicts(draw, law, variance, kurtosis, 10**6, seed, 0.99)) < ALPHA


def test_the_wrong_law_is_seen() -> None:
    """A Gaussian of the same variance is no Laplace."""
    values = drawn(gaussian_steps, 100_000, Fraction(1), 0) * np.sqrt(2)
    assert variance_p(values, 2.0, 6.0) > ALPHA
    assert kolmogorov_p(values, laplace_law) < ALPHA


COARSE = [Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(12)]


def rounded_law(law: Law, ratio: Fraction, reach: int) -> list[float]:
    """The probabilities of the integers from -reach to reach after rounding, the ends with all that lies beyond."""
    borders = (np.arange(-reach, reach) + 0.5) / float(ratio)
    below = np.concatenate([[0.0], law(borders), [1.0]])
    return np.diff(below).tolist()


@pytest.mark.parametrize("ratio", COARSE)
@pytest.mark.parametrize(("draw", "law", "variance", "kurtosis"), CONTINUOUS)
@pytest.mark.parametrize("chunk", [4, 100_000])
def test_rounded_noise_has_its_law(
    draw: Draw, law: Law, variance: float, kurtosis: float, ratio: Fraction, chunk: int
) -> None:
    """On coarse lattices every cell is counted; the integers alone (few values a call) and the arrays obey one law."""
    count = 8_000 if chunk == 4 else 100_000
    bits = InsecureBits(1)
    steps = np.concatenate([draw(min(chunk, count), ratio, 0, bits) for _ in range(0, count, chunk)])
    reach = int(12 * ratio) + 3
    counts = counts_of(steps, reach)
    assert chi_square_p(counts, rounded_law(law, ratio, reach)) > ALPHA
    assert chi_square_p(counts, rounded_law(law, ratio * Fraction(4, 3), reach)) < ALPHA


def test_the_two_halves_of_a_pair_are_independent() -> None:
    steps = gaussian_steps(200_000, Fraction(1), -40, InsecureBits(3)) * 2.0**-40
    first, second = steps[::2], steps[1::2]
    for left, right in ((first, second), (first**2, second**2), (np.abs(first), second)):
        correlation = np.corrcoef(left, right)[0, 1]
        assert abs(correlation) * np.sqrt(len(first)) < 5
    assert kolmogorov_p((first + second) / np.sqrt(2), special.ndtr) > ALPHA
    assert kolmogorov_p((first - second) / np.sqrt(2), special.ndtr) > ALPHA


def test_neighbouring_values_are_independent() -> None:
    for draw in (laplace_steps, gaussian_steps):
        steps = draw(200_000, Fraction(1), -40, InsecureBits(4)) * 2.0**-40
        for lag in (1, 2, 1 << 13, 1 << 14):
            assert abs(np.corrcoef(steps[lag:], steps[:-lag])[0, 1]) * np.sqrt(len(steps)) < 5


def test_tails_are_not_cut_off() -> None:
    """P[|Z| > 11 b] = exp(-11): about 17 of a million, and 44 b is reached by the largest of 2^63 values only."""
    steps = np.abs(laplace_steps(10**6, Fraction(1), -30, InsecureBits(5))) * 2.0**-30
    assert 2 < (steps > 11).sum() < 50


# ---------------------------------------------------------------------------------------------------------------------
# Integers alone


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 255, 256, 257])
@pytest.mark.sparse(3)
def test_uniform_integers(bound: int) -> None:
    bits = InsecureBits(1)
    counts = np.bincount([uniform_below(bound, bits) for _ in range(30_000)], minlength=bound).tolist()
    assert len(counts) == bound
    if bound > 1:
        assert chi_square_p(counts, [1 / bound] * bound) > ALPHA


def coin_p(results: Sequence[bool], probability: float) -> float:
    heads = sum(results)
    return chi_square_p([heads, len(results) - heads], [probability, 1 - probability])


@pytest.mark.parametrize("exponent", [Fraction(1, 7), Fraction(1), Fraction(3, 2), Fraction(5, 2)])
@pytest.mark.sparse(3)
def test_coins_of_probability_exp(exponent: Fraction) -> None:
    bits = InsecureBits(2)
    results = [bernoulli_exp(exponent, bits) for _ in range(20_000)]
    assert coin_p(results, float(mpmath.exp(-exponent.numerator / mpmath.mpf(exponent.denominator)))) > ALPHA
    assert coin_p(results, float(mpmath.exp(-1.2 * float(exponent)))) < ALPHA


def test_coins_at_their_ends() -> None:
    bits = InsecureBits(2)
    assert all(bernoulli_exp(Fraction(0), bits) for _ in range(100))
    assert not any(bernoulli(Fraction(0), bits) for _ in range(100))
    assert all(bernoulli(Fraction(1), bits) for _ in range(100))
    assert coin_p([bernoulli(Fraction(2, 3), bits) for _ in range(20_000)], 2 / 3) > ALPHA


def discrete_laplace_law(scale: Fraction, reach: int) -> list[float]:
    ratio = np.exp(-1 / float(scale))
    inner = (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.arange(-reach, reach + 1))
    inner[[0, -1]] /= 1 - ratio
    return inner.tolist()


def discrete_gaussian_law(variance: Fraction, reach: int) -> list[float]:
    weights = np.exp(-(np.arange(-4 * reach, 4 * reach + 1) ** 2) / (2 * float(variance)))
    weights /= weights.sum()
    inner = weights[3 * reach : -3 * reach]
    inner[0] += weights[: 3 * reach].sum()
    inner[-1] += weights[-3 * reach :].sum()
    return inner.tolist()


DISCRETE = [(discrete_laplace, discrete_laplace_law, 12), (discrete_gaussian, discrete_gaussian_law, 3)]


@pytest.mark.parametrize(("draw", "law", "spread"), DISCRETE)
@pytest.mark.parametrize("parameter", [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(20)])
@pytest.mark.sparse(5)
def test_discrete_noise_has_its_law(draw, law, spread: int, parameter: Fraction) -> None:
    bits = InsecureBits(6)
    reach = int(spread * parameter) + 4
    counts = counts_of([draw(parameter, bits) for _ in range(8_000)], reach)
    assert chi_square_p(counts, law(parameter, reach)) > ALPHA
    assert chi_square_p(counts, law(parameter * Fraction(7, 5), reach)) < ALPHA


@pytest.mark.slow
@pytest.mark.parametrize(("draw", "law", "spread"), DISCRETE)
@pytest.mark.parametrize("parameter", [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(20)])
def test_much_discrete_noise_has_its_law(draw, law, spread: int, parameter: Fraction) -> None:
    bits = InsecureBits(7)
    reach = int(spread * parameter) + 4
    counts = counts_of([draw(parameter, bits) for _ in range(300_000)], reach)
    assert chi_square_p(counts, law(parameter, reach)) > ALPHA
    assert chi_square_p(counts, law(parameter * Fraction(21, 20), reach)) < ALPHA


def generalized_law(power: Fraction, ratio: Fraction, reach: int) -> list[float]:
    """Probabilities of round(ratio·X), X of density ∝ exp(-|x|^N), from -reach to reach, the ends with all beyond."""
    n = float(power)
    borders = (np.arange(-reach, reach) + 0.5) / float(ratio)
    # A power that overflows leaves no tail, and neither does 1e300.
    upper = special.gammaincc(1 / n, np.minimum(np.abs(borders), 1e300 ** (1 / n)) ** n) / 2
    below = np.concatenate([[0.0], np.where(borders < 0, upper, 1 - upper), [1.0]])
    return np.diff(below).tolist()


POWERS = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(17, 2), Fraction(100)]


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(5, 2), Fraction(40)])
@pytest.mark.sparse(8)
def test_generalized_gaussian_noise_has_its_law(power: Fraction, ratio: Fraction) -> None:
    bits = InsecureBits(12)
    reach = int(12 * ratio) + 3
    counts = counts_of([generalized_gaussian_step(power, ratio, 0, bits) for _ in range(4_000)], reach)
    assert chi_square_p(counts, generalized_law(power, ratio, reach)) > ALPHA
    assert chi_square_p(counts, generalized_law(power, ratio * Fraction(3, 2), reach)) < ALPHA
    if ratio > 1:
        assert chi_square_p(counts, generalized_law(4 * power, ratio, reach)) < ALPHA or power == 100


@pytest.mark.parametrize(("power", "draw"), [(Fraction(1), laplace_steps), (Fraction(2), gaussian_steps)])
@pytest.mark.sparse(2)
def test_powers_one_and_two_agree_with_the_other_samplers(power: Fraction, draw: Draw) -> None:
    """exp(-x²) is a Gaussian of σ² = 1/2: two samplers that share the enclosures of ln only."""
    bits, scale = InsecureBits(13), 6 if power == 1 else 6 / np.sqrt(2)
    left = counts_of([generalized_gaussian_step(power, Fraction(6), 0, bits) for _ in range(6_000)], 40)
    for slip, is_same in ((1.0, True), (1.25, False)):
        right = counts_of(draw(100_000, Fraction(scale * slip), 0, InsecureBits(14)), 40)
        assert (two_sample_p(np.array(left), np.array(right)) > ALPHA) is is_same


def test_a_generalized_gaussian_is_decided_with_few_bits_too() -> None:
    """Words that begin with zeros or ones leave the enclosures open: more bits are drawn, and the answer is one number."""

    class Begun:
        """Bits that begin with given bytes."""

        secure = False

        def __init__(self, begin: bytes) -> None:
            self.begin, self.rest = begin, InsecureBits(1)

        def bytes(self, count: int) -> bytes:
            head, self.begin = self.begin[:count], self.begin[count:]
            return head + self.rest.bytes(count)[: count - len(head)]

        def uint64(self, count: int) -> np.ndarray:
            raise AssertionError("one number at a time")

    for begin in (bytes(40), b"\xff" * 40, bytes(9) + b"\xff" * 31):
        for power in (Fraction(1), Fraction(5, 2)):
            assert isinstance(generalized_gaussian_step(power, Fraction(3), -30, Begun(begin)), int)
    for power, scale in ((Fraction(1, 2), Fraction(1)), (Fraction(2), Fraction(0))):
        with pytest.raises(ValueError, match="power"):
            generalized_gaussian_step(power, scale, 0, InsecureBits(0))


def test_orders_are_equally_likely() -> None:
    bits = InsecureBits(15)
    orders = {order: at for at, order in enumerate(permutations("abcd"))}
    counts = np.bincount([orders[tuple(permuted("abcd", bits))] for _ in range(12_000)], minlength=24)
    assert chi_square_p(counts.tolist(), [1 / 24] * 24) > ALPHA

    def careless() -> tuple[str, ...]:
        """Every place swapped with any other: 4⁴ ways cannot be shared out among 24 orders."""
        items = list("abcd")
        for at in range(4):
            other = uniform_below(4, bits)
            items[at], items[other] = items[other], items[at]
        return tuple(items)

    counts = np.bincount([orders[careless()] for _ in range(12_000)], minlength=24)
    assert chi_square_p(counts.tolist(), [1 / 24] * 24) < ALPHA
    assert permuted([], bits) == []


def two_sample_p(left: np.ndarray, right: np.ndarray) -> float:
    """The p-value of Pearson's test that two vectors of counts come from one law."""
    used = left + right >= 10
    left, right = (np.append(part[used], part[~used].sum()) for part in (left, right))
    weight = np.sqrt(left.sum() / right.sum())
    statistic = ((left / weight - right * weight) ** 2 / np.maximum(left + right, 1)).sum()
    return float(special.chdtrc(len(left) - 1, statistic))


def test_geometric_parts_of_two_samplers_agree() -> None:
    """⌊|Z|⌋ of a Laplace variable is geometric, as is |X| - 1 of a discrete one given X ≠ 0: two samplers, one law."""
    bits = InsecureBits(9)
    discrete = np.abs([discrete_laplace(Fraction(3), bits) for _ in range(20_000)])
    right = np.bincount(np.minimum(discrete[discrete > 0] - 1, 40), minlength=41)
    for scale, is_same in ((Fraction(3), True), (Fraction(17, 5), False)):
        continuous = np.abs(laplace_steps(100_000, scale, -40, InsecureBits(8))) >> 40
        left = np.bincount(np.minimum(continuous, 40), minlength=41)
        assert (two_sample_p(left, right) > ALPHA) is is_same


@pytest.mark.parametrize("bad", [Fraction(0), Fraction(-1)])
def test_parameters_must_be_positive(bad: Fraction) -> None:
    bits = InsecureBits(0)
    for draw in (discrete_laplace, discrete_gaussian):
        with pytest.raises(ValueError, match="positive"):
            draw(bad, bits)
    with pytest.raises(ValueError, match="below"):
        uniform_below(0, bits)
    with pytest.raises(ValueError, match="between"):
        bernoulli(Fraction(4, 3), bits)
    with pytest.raises(ValueError, match="γ"):
        bernoulli_exp(Fraction(-1, 2), bits)


# ---------------------------------------------------------------------------------------------------------------------
# The exponential mechanism


SCORES = [Fraction(0), Fraction(1), Fraction(5, 2), Fraction(-3), Fraction(1, 3), Fraction(1)]


def choice_law(rate: Fraction) -> list[float]:
    weights = np.exp([float(rate * score) for score in SCORES])
    return (weights / weights.sum()).tolist()


@pytest.mark.parametrize("choose", [choose_exponential, choose_by_rejection])
@pytest.mark.parametrize("rate", [Fraction(0), Fraction(1, 2), Fraction(2)])
@pytest.mark.sparse(6)
def test_choices_have_their_law(choose, rate: Fraction) -> None:
    bits = InsecureBits(10)
    counts = np.bincount(
        [choose(SCORES, rate, bits) for _ in range(often(8_000, 4_000))], minlength=len(SCORES)
    ).tolist()
    assert chi_square_p(counts, choice_law(rate)) > ALPHA
    assert chi_square_p(counts, choice_law(rate + Fraction(1, 4))) < ALPHA


@pytest.mark.slow
@pytest.mark.parametrize("choose", [choose_exponential, choose_by_rejection])
def test_many_choices_have_their_law(choose) -> None:
    bits = InsecureBits(11)
    rate = Fraction(3, 4)
    counts = np.bincount([choose(SCORES, rate, bits) for _ in range(200_000)], minlength=len(SCORES)).tolist()
    assert chi_square_p(counts, choice_law(rate)) > ALPHA
    assert chi_square_p(counts, choice_law(rate * Fraction(26, 25))) < ALPHA


@pytest.mark.parametrize("choose", [choose_exponential, choose_by_rejection])
def test_a_single_candidate_is_chosen(choose) -> None:
    assert choose([Fraction(3)], Fraction(1), InsecureBits(0)) == 0
