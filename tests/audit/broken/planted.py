"""Broken mechanisms and runtimes, each put in through a seam of the package; the audit must find every one.

Sources: inverse-CDF noise (Mironov 2012); a constant σ, whatever the arguments say (the class of a published fault); four wrong
versions of the sparse vector technique (Lyu, Su and Li 2017, Figure 1); Gaussian noise in a noisy maximum that is priced
for another law; clipping bounds and keys that are taken from the data; NaN that goes through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import Factory, frozen

from duetpy.runtime.evaluation import evaluate
from duetpy.runtime.noise import canonical_noise, continuous
from duetpy.runtime.release import driver, last_iterate, mechanisms, selecting
from duetpy.runtime.release.mechanisms import Calibration
from duetpy.runtime.sources import arrays
from tests.audit.broken import programs
from tests.soundness.broken.mutant import PRELUDE, Mutant

Plant = Callable[[pytest.MonkeyPatch], None]

RANDOM = np.random.default_rng(20)
"""What broken noise is made of."""


@frozen
class Broken:
    """A fault, the program that it shows in, the layers that must see it, and words that one of them must say of it."""

    name: str
    program: str
    plant: Plant
    layers: frozenset[str]
    notion: str = "eps"
    trials: int = 30
    mutant: Mutant | None = None
    settings: dict[str, object] = Factory(dict)
    says: str = ""


def added(draw: Callable[[int, float], Any]) -> Callable[..., Any]:
    """A sampler in the place of `noise.laplace` or `noise.gaussian` that adds doubles to doubles."""

    def sampler(steps: Any, scale: Fraction, exponent: int, bits: Any) -> Any:
        values = np.asarray(steps, dtype=np.float64) * 2.0**exponent
        return values + draw(values.size, float(scale)).reshape(values.shape)

    return sampler


# ---------------------------------------------------------------------------------------------------------------------
# Samplers


def inverse_cdf(patch: pytest.MonkeyPatch) -> None:
    def draw(count: int, scale: float) -> Any:
        uniform = RANDOM.random(count) - 0.5
        return -scale * np.sign(uniform) * np.log(1 - 2 * np.abs(uniform))

    patch.setattr(continuous, "laplace", added(draw))


def numpy_normal(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(continuous, "gaussian", added(lambda count, scale: RANDOM.normal(0.0, scale, count)))


def constant_sigma(patch: pytest.MonkeyPatch) -> None:
    """Noise on the lattice, of a σ that ignores what is asked for."""
    right = continuous.gaussian

    def sampler(steps: Any, scale: Fraction, exponent: int, bits: Any) -> Any:
        return right(steps, Fraction(1, 250), exponent, bits)

    patch.setattr(continuous, "gaussian", sampler)


def constant_scale(patch: pytest.MonkeyPatch) -> None:
    """The calibration itself returns a constant."""
    right = mechanisms.calibration

    def calibration(*arguments: Any) -> Calibration:
        drawn = right(*arguments)
        return Calibration(drawn.exponent, Fraction(1, 250), drawn.sensitivity)

    patch.setattr(mechanisms, "calibration", calibration)


def a_tenth_less(patch: pytest.MonkeyPatch) -> None:
    right = continuous.laplace
    patch.setattr(continuous, "laplace", lambda steps, scale, k, bits: right(steps, scale * Fraction(9, 10), k, bits))


def calibrated_a_tenth_less(patch: pytest.MonkeyPatch) -> None:
    right = mechanisms.noise_scale
    patch.setattr(mechanisms, "noise_scale", lambda *arguments: right(*arguments) * Fraction(9, 10))


def reused(patch: pytest.MonkeyPatch) -> None:
    """Noise that is kept from one call to the next."""
    right = continuous.laplace
    kept: dict[int, Any] = {}

    def sampler(steps: Any, scale: Fraction, exponent: int, bits: Any) -> Any:
        zero = np.zeros(steps.size, dtype=np.int64)
        if steps.size not in kept:
            kept[steps.size] = right(zero, Fraction(1), exponent, bits)
        return np.asarray(steps, dtype=np.float64) * 2.0**exponent + kept[steps.size] * float(scale)

    patch.setattr(continuous, "laplace", sampler)


def canonical_of_twice(patch: pytest.MonkeyPatch) -> None:
    right = canonical_noise.canonical_step
    patch.setattr(canonical_noise, "canonical_step", lambda eps, *others: right(2 * eps, *others))


def canonical_uncut(patch: pytest.MonkeyPatch) -> None:
    """The quantiles of a δ ten times as large."""
    right = canonical_noise.canonical_step
    patch.setattr(canonical_noise, "canonical_step", lambda eps, delta, *others: right(eps, 10 * delta, *others))


def length_without_power(patch: pytest.MonkeyPatch) -> None:
    """The scale that θ needs of Gaussian noise, whatever the power."""
    right = mechanisms.noise_scale

    def scale(atom: Any, sensitivity: Fraction, values: Any) -> Fraction:
        if atom.mechanism != "ggauss":
            return right(atom, sensitivity, values)
        return sensitivity / Fraction(atom.params[1].evaluate(values, up=False))

    patch.setattr(mechanisms, "noise_scale", scale)


def every_second_step(patch: pytest.MonkeyPatch) -> None:
    """Descent with noise in every second step."""
    right, turn = last_iterate.gaussian_steps, iter(range(10**9))

    def steps(*arguments: Any) -> Any:
        drawn = right(*arguments)
        return drawn if next(turn) % 2 else 0 * drawn

    patch.setattr(last_iterate, "gaussian_steps", steps)


def descent_a_tenth_less(patch: pytest.MonkeyPatch) -> None:
    right = last_iterate.noise_with_slack
    patch.setattr(last_iterate, "noise_with_slack", lambda *arguments: right(*arguments) * Fraction(9, 10))


def longer_steps(patch: pytest.MonkeyPatch) -> None:
    right = last_iterate.descent
    patch.setattr(last_iterate, "descent", lambda loss, length, *others: right(loss, 3 * length, *others))


# ---------------------------------------------------------------------------------------------------------------------
# The sparse vector technique and the noisy maximum


def sparse(
    threshold_noise: float = 2.0, query_noise: float = 4.0, by_queries: bool = False
) -> Callable[[pytest.MonkeyPatch], None]:
    """AboveThreshold with other noise: multiples of 1/ε, 0 for none; `by_queries` redraws the threshold for every query."""

    def first_above(threshold: Fraction, queries: Iterator[Fraction], site: Any, kinds: Any, randomness: Any) -> Any:
        epsilon = float(kinds.below(site.atom.params[-1], site.span))

        def drawn(scale: float) -> float:
            return float(RANDOM.laplace(0.0, scale / epsilon)) if scale else 0.0

        limit = float(threshold) + drawn(threshold_noise)
        for value in queries:
            if by_queries:
                limit = float(threshold) + drawn(threshold_noise)
            is_above = float(value) + drawn(query_noise) >= limit
            yield is_above
            if is_above:
                return

    return lambda patch: patch.setattr(selecting, "first_above", first_above)


def crossing_value(patch: pytest.MonkeyPatch) -> None:
    """AboveThreshold that answers with the noisy value that crossed (Lyu, Su and Li 2017, Algorithm 3)."""
    right = driver.above_threshold

    def above(driver_: Any, node: Any, frame: Any) -> Any:
        at = right(driver_, node, frame)
        return Fraction(at) + Fraction(float(RANDOM.laplace(0.0, 4.0)))

    patch.setattr(driver, "above_threshold", above)


def gaussian_maximum(patch: pytest.MonkeyPatch) -> None:
    def chosen(scores: Sequence[Fraction], site: Any, kinds: Any, randomness: Any) -> int:
        epsilon = float(kinds.below(site.atom.params[-1], site.span))
        sigma = 2 * float(kinds.above(site.sensitivity, site.span)) / epsilon
        noisy = [float(score) + RANDOM.normal(0.0, sigma) for score in scores]
        return int(np.argmax(noisy))

    patch.setattr(selecting, "chosen", chosen)


def maximum_released(patch: pytest.MonkeyPatch) -> None:
    """The noisy maximum answers with the value of the best."""

    def chosen(scores: Sequence[Fraction], site: Any, kinds: Any, randomness: Any) -> Any:
        return Fraction(max(float(score) + RANDOM.exponential(2.0) for score in scores))

    patch.setattr(selecting, "chosen", chosen)


# ---------------------------------------------------------------------------------------------------------------------
# Runtimes


def nan_through(patch: pytest.MonkeyPatch) -> None:
    """Cells that are not numbers are taken as they are."""

    def numbers(cells: Any, column: Any) -> Any:
        values = np.array([float(cell) for cell in np.ma.getdata(cells).tolist()], dtype=np.float64)
        return values, np.zeros(len(values), dtype=bool)

    patch.setattr(arrays, "numbers_in", numbers)


def double_spend(patch: pytest.MonkeyPatch) -> None:
    """Every release is drawn twice and averaged."""
    right = driver.additive

    def additive(driver_: Any, node: Any, frame: Any) -> Any:
        first = right(driver_, node, frame)
        second = right(driver_, node, frame)
        return (first + second) / 2

    patch.setattr(driver, "additive", additive)


def with_replacement(patch: pytest.MonkeyPatch) -> None:
    def draw(rows: int, batch: int, bits: Any) -> Any:
        return np.sort((bits.uint64(batch) % np.uint64(rows)).astype(np.int64))

    patch.setattr(selecting, "without_replacement", draw)


def bounds_from_data(patch: pytest.MonkeyPatch) -> None:
    """The bounds of a clip are stretched to what is there."""
    right = evaluate.clamped

    def clamped(value: Any, low: Fraction, high: Fraction) -> Any:
        largest = max((abs(each) for each in value.fractions().ravel().tolist()), default=high)
        return right(value, low, max(high, largest))

    patch.setattr(evaluate, "clamped", clamped)


def keys_from_data(patch: pytest.MonkeyPatch) -> None:
    """Only the parts that have rows are released."""
    right = driver.parts_of

    def parts_of(source: Any, codes: Any, count: int) -> list[Any]:
        return [part for part in right(source, codes, count) if part.rows]

    def zipped(keys: Sequence[Any], parts: Sequence[Any], strict: bool = True) -> Any:
        return zip(keys, parts, strict=False)

    patch.setattr(driver, "parts_of", parts_of)
    patch.setattr(driver, "zip", zipped, raising=False)


def every_key_counts(patch: pytest.MonkeyPatch) -> None:
    """A row counts for all of its keys, however many it was charged for."""
    right = driver.counted
    patch.setattr(driver, "counted", lambda found, table, most, **how: right(found, table, 1 << 30, **how))


def noise_of_one_key(patch: pytest.MonkeyPatch) -> None:
    """Gaussian noise on the numbers of rows of keys that is made for one of them."""
    right = selecting.key_coins.calibrated

    def calibrated(epsilon: Fraction, delta: Fraction, most: int) -> tuple[Fraction, int]:
        variance, limit = right(epsilon, delta, most)
        return variance / most, limit

    patch.setattr(selecting.key_coins, "calibrated", calibrated)


def a_row_early(patch: pytest.MonkeyPatch) -> None:
    """Keys whose number is just below what may be shown."""
    right = selecting.key_coins.calibrated
    patch.setattr(selecting.key_coins, "calibrated", lambda *how: (right(*how)[0], right(*how)[1] - 1))


def one_row_early(patch: pytest.MonkeyPatch) -> None:
    """Keys are shown as if one more row had each."""
    right = selecting.key_coins.kept
    patch.setattr(selecting.key_coins, "kept", lambda counts, *how: right([rows + 1 for rows in counts], *how))


def all_of_epsilon(patch: pytest.MonkeyPatch) -> None:
    """Each of k keys has all of ε and not its part."""
    right = selecting.key_coins.kept
    patch.setattr(selecting.key_coins, "kept", lambda counts, eps, delta, bits: right(counts, 2 * eps, delta, bits))


def noise_of_all_of_epsilon(patch: pytest.MonkeyPatch) -> None:
    """The numbers of rows have noise of all of ε and not of its part."""
    right = selecting.key_coins.noisy
    patch.setattr(selecting.key_coins, "noisy", lambda counts, eps, delta, bits: right(counts, 2 * eps, delta, bits))


def early_limit(patch: pytest.MonkeyPatch) -> None:
    """Numbers of rows are shown from three less on."""
    right = selecting.key_coins.threshold
    patch.setattr(selecting.key_coins, "threshold", lambda eps, delta: right(eps, delta) - 3)


def stops_at_zero(patch: pytest.MonkeyPatch) -> None:
    """A release of zero is left out: control flow that the data decides."""
    right = driver.additive

    def additive(driver_: Any, node: Any, frame: Any) -> Any:
        value = driver_.value(node.body, frame)
        if value == 0:
            return Fraction(0)
        return right(driver_, node, frame)

    patch.setattr(driver, "additive", additive)


def nothing(patch: pytest.MonkeyPatch) -> None:
    """The fault is in the checker."""


HALF = Mutant(
    "mclip claims half of what it moves",
    PRELUDE,
    "𝕄 [L1, U | m, n⋅ℝ] ⊸[2] 𝕄 [L1, L1≤b | m, n⋅ℝ]",
    "𝕄 [L1, U | m, n⋅ℝ] ⊸[1] 𝕄 [L1, L1≤b | m, n⋅ℝ]",
    ("mclip",),
)
HALF_OF_CLIP = Mutant(
    "clip of a discrete value claims half of its width",
    "rules.primitives",
    "arg.context.scaled(bounded.width)",
    "arg.context.scaled(bounded.width / 2)",
    ("clip",),
)
LOSES = "the privacy loss between neighbours is"
"""No mechanism draws too little noise: the sum is wrong, and only what is said of the price tells so."""

LAST_ALONE = Mutant(
    "a bind is charged for its last part",
    "judgement",
    "return {root: sequence(costs) for root, costs in gathered.items()}",
    "return {root: costs[-1] for root, costs in gathered.items()}",
    ("bind",),
)


def broken(name: str, program: str, plant: Plant, *layers: str, **options: Any) -> Broken:
    return Broken(name, program, plant, frozenset(layers), **options)


PLANTED = (
    broken("Laplace noise by the inverse of its distribution function", programs.SUM, inverse_cdf, "bits"),
    broken("numpy's normal noise", programs.GAUSS, numpy_normal, "bits", notion="approx"),
    broken("a sampler with a constant σ", programs.GAUSS, constant_sigma, "samplers", notion="approx"),
    broken("a calibration with a constant σ", programs.GAUSS, constant_scale, "samplers", notion="approx"),
    broken("a sampler with nine tenths of the scale", programs.SUM, a_tenth_less, "samplers"),
    broken("a calibration of nine tenths", programs.SUM, calibrated_a_tenth_less, "samplers"),
    broken("noise that is used again", programs.TWICE, reused, "samplers", "end to end"),
    broken("canonical noise for twice the ε", programs.CANONICAL, canonical_of_twice, "samplers", notion="approx"),
    broken(
        "canonical noise for ten times the δ",
        programs.CANONICAL,
        canonical_uncut,
        "samplers",
        notion="approx",
        trials=200,
    ),
    broken(
        "generalized noise of the length of Gaussian noise",
        programs.GENERALIZED,
        length_without_power,
        "samplers",
        notion="rao",
    ),
    broken("descent with noise in every second step", programs.DESCENT, every_second_step, "samplers", notion="gdp"),
    broken("descent with nine tenths of the noise", programs.DESCENT, descent_a_tenth_less, "samplers", notion="gdp"),
    broken("descent with steps three times as long", programs.DESCENT, longer_steps, "replay", notion="gdp"),
    broken("sparse vector without noise on the queries", programs.ABOVE, sparse(query_noise=0.0), "samplers"),
    broken(
        "sparse vector without noise on the threshold",
        programs.ABOVE,
        sparse(threshold_noise=0.0),
        "samplers",
        trials=400,
    ),
    broken("sparse vector with noise for another ε", programs.ABOVE, sparse(1.0, 1.0), "samplers"),
    broken(
        "sparse vector with a new threshold each time", programs.ABOVE, sparse(by_queries=True), "samplers", trials=400
    ),
    broken("sparse vector that answers with the value", programs.ABOVE, crossing_value, "replay"),
    broken("noisy maximum with Gaussian noise", programs.BEST, gaussian_maximum, "samplers", trials=600),
    broken("noisy maximum that answers with the value", programs.BEST, maximum_released, "samplers"),
    broken("NaN goes through", programs.SUM, nan_through, "replay", trials=200),
    broken("every release is drawn twice", programs.SUM, double_spend, "replay"),
    broken("sampling with replacement", programs.SAMPLE, with_replacement, "replay", trials=100),
    broken("bounds taken from the data", programs.SUM, bounds_from_data, "replay"),
    broken("keys taken from the data", programs.PARTS, keys_from_data, "replay"),
    broken("every key of a row counts", programs.KEYS, every_key_counts, "replay", notion="approx", trials=200),
    broken("keys shown one row early", programs.KEYS, one_row_early, "samplers", notion="approx", trials=200),
    broken("k keys at all of ε", programs.KEYS, all_of_epsilon, "samplers", notion="approx", trials=200),
    broken("counts of keys at all of ε", programs.KEY_COUNTS, noise_of_all_of_epsilon, "samplers", notion="approx"),
    broken(
        "counts of keys that are shown three rows early", programs.KEY_COUNTS, early_limit, "samplers", notion="approx"
    ),
    broken(
        "Gaussian noise on keys for another ε",
        programs.KEY_GAUSS,
        noise_of_one_key,
        "samplers",
        notion="approx",
        trials=800,
    ),
    broken("keys with Gaussian noise a row early", programs.KEY_GAUSS, a_row_early, "samplers", notion="approx"),
    broken("control flow that the data decides", programs.SUM, stops_at_zero, "replay", trials=100),
    broken("mclip claims half", programs.CLIPPED, nothing, "replay", trials=600, mutant=HALF),
    broken("clip claims half", programs.SUM, nothing, "replay", mutant=HALF_OF_CLIP),
    broken("two mechanisms at the price of one", programs.TWICE, nothing, "replay", mutant=LAST_ALONE, says=LOSES),
)

QUICK = (
    "Laplace noise by the inverse of its distribution function",
    "a calibration of nine tenths",
    "noise that is used again",
    "canonical noise for twice the ε",
    "generalized noise of the length of Gaussian noise",
    "descent with noise in every second step",
    "descent with steps three times as long",
    "sparse vector that answers with the value",
    "every release is drawn twice",
    "every key of a row counts",
    "keys shown one row early",
    "keys taken from the data",
    "clip claims half",
    "NaN goes through",
    "two mechanisms at the price of one",
)
"""Those that the default suite runs: each layer and each kind of fault once."""
