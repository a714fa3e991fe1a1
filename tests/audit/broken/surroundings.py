"""More broken runtimes: what is said on the way, which rows are drawn, noise that comes again or knows the data, samplers that are
wrong far out or for one input only. The audit must find every one."""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.evaluation import evaluate
from duetpy.runtime.exact.rationals import plain
from duetpy.runtime.noise import continuous, exponential_choice
from duetpy.runtime.noise.exact_sampler import bernoulli_exp
from duetpy.runtime.noise.noise_grid import from_lattice
from duetpy.runtime.noise.random_bits import SecureBits
from duetpy.runtime.release import driver, mechanisms, run, selecting
from duetpy.runtime.values.batching import slice_rows, stack
from duetpy.runtime.values.values import matrix_of_columns
from tests.audit.broken import programs
from tests.audit.broken.planted import Broken, Plant, broken

# ---------------------------------------------------------------------------------------------------------------------
# What is said


def saying(how: str) -> Plant:
    """A run that reveals the value before its noise."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        right = driver.additive

        def additive(driver_: Any, node: Any, frame: Any) -> Any:
            value = driver_.value(node.body, frame)
            if how == "refusal":
                note = f"the value is {float(value)}"
                raise DuetError((Diagnostic("D0703", "no noise can be drawn", node.span, notes=(note,)),))
            if how == "fault":
                raise ZeroDivisionError
            if how == "warning" and value > 2:
                warnings.warn("a large sum", stacklevel=1)
            if how == "error":
                sys.stderr.write(f"{value}\n")
            return right(driver_, node, frame)

        patch.setattr(driver, "additive", additive)

    return plant


def one_turn_more(patch: pytest.MonkeyPatch) -> None:
    """A loop that goes on while the data is large."""
    right = driver.loop

    def loop(driver_: Any, node: Any, frame: Any) -> Any:
        column = frame.names["xs"].column(0)
        if sum((abs(each) for each in column.fractions().ravel().tolist()), Fraction(0)) > 10:
            right(driver_, node, frame)
        return right(driver_, node, frame)

    patch.setattr(driver, "loop", loop)


def overlapping(patch: pytest.MonkeyPatch) -> None:
    """The second part has the rows of the first one, too."""
    right = driver.parts_of

    def parts_of(source: Any, codes: Any, count: int) -> list[Any]:
        both = right(source, np.where(np.asarray(codes) == 0, 1, codes), count)
        return [right(source, codes, count)[0], *both[1:]]

    patch.setattr(driver, "parts_of", parts_of)


def doubled_above_three(patch: pytest.MonkeyPatch) -> None:
    """Twice as sensitive as proved, for some values only."""
    right = evaluate.clamped

    def clamped(value: Any, low: Fraction, high: Fraction) -> Any:
        factors = np.where(value.fractions() > 3, 2.0, 1.0)
        kept = right(value, low, high).fractions().astype(np.float64)
        return plain(np.asfortranarray(kept * factors))

    patch.setattr(evaluate, "clamped", clamped)


# ---------------------------------------------------------------------------------------------------------------------
# Noise that comes again


def kept_for_a_run(patch: pytest.MonkeyPatch) -> None:
    """A vector's noise is that of the step before."""
    right = mechanisms._drawn
    kept: dict[tuple[int, int], Any] = {}

    def drawn(steps: Any, made: Any, site: Any, kinds: Any, randomness: Any) -> Any:
        key = (id(randomness), steps.size)
        if key not in kept:
            kept[key] = right(np.zeros(steps.size, dtype=np.int64), made, site, kinds, randomness)
        return from_lattice(steps, made.exponent) + kept[key]

    patch.setattr(mechanisms, "_drawn", drawn)


def once_for_all(patch: pytest.MonkeyPatch) -> None:
    """Noise is drawn once for a process."""
    right = mechanisms.noisy
    kept: dict[Any, Any] = {}

    def noisy(value: Any, site: Any, kinds: Any, randomness: Any) -> Any:
        if site not in kept:
            kept[site] = right(Fraction(0), site, kinds, randomness)
        return Fraction(float(value + kept[site]))

    patch.setattr(driver, "noisy", noisy)


class Constant(SecureBits):
    """The same words for every request."""

    def uint64(self, count: int) -> Any:
        return np.random.default_rng(1).integers(0, 1 << 64, count, dtype=np.uint64)


def constant_bits(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(run, "SecureBits", Constant)


# ---------------------------------------------------------------------------------------------------------------------
# Noise


def cut_off(patch: pytest.MonkeyPatch) -> None:
    """Laplace noise never beyond eight scales, which one value in three thousand is."""
    right = continuous.laplace

    def sampler(steps: Any, scale: Fraction, exponent: int, bits: Any) -> Any:
        extra = right(np.zeros(steps.size, dtype=np.int64), scale, exponent, bits)
        most = np.floor(8 * float(scale) / 2.0**exponent) * 2.0**exponent
        return np.asarray(steps, dtype=np.float64) * 2.0**exponent + np.clip(extra, -most, most).reshape(steps.shape)

    patch.setattr(continuous, "laplace", sampler)


def less_away_from_zero(patch: pytest.MonkeyPatch) -> None:
    """Half of the noise where the value is not 0."""
    right = continuous.laplace

    def sampler(steps: Any, scale: Fraction, exponent: int, bits: Any) -> Any:
        return np.where(
            np.asarray(steps) == 0, right(steps, scale, exponent, bits), right(steps, scale / 2, exponent, bits)
        )

    patch.setattr(continuous, "laplace", sampler)


def grid_of_the_value(patch: pytest.MonkeyPatch) -> None:
    """What is released is rounded to a grid that the true value's size chooses."""
    right = continuous.laplace

    def sampler(steps: Any, scale: Fraction, exponent: int, bits: Any) -> Any:
        out = right(steps, scale, exponent, bits)
        true = np.maximum(np.abs(np.asarray(steps, dtype=np.float64)), 1.0)
        grid = 2.0**exponent * np.maximum(1.0, 2.0 ** (np.floor(np.log2(true)) - 20))
        return np.rint(out / grid) * grid

    patch.setattr(continuous, "laplace", sampler)


def one_for_a_row(patch: pytest.MonkeyPatch) -> None:
    """All columns of a row get the same noise."""
    right = continuous.laplace

    def sampler(steps: Any, scale: Fraction, exponent: int, bits: Any) -> Any:
        if steps.size % 2:
            return right(steps, scale, exponent, bits)
        extra = right(np.zeros(steps.size // 2, dtype=np.int64), scale, exponent, bits)
        return np.asarray(steps, dtype=np.float64) * 2.0**exponent + np.repeat(extra, 2).reshape(steps.shape)

    patch.setattr(continuous, "laplace", sampler)


def whole_noise_of_half(patch: pytest.MonkeyPatch) -> None:
    right = mechanisms.noise_scale

    def scale(atom: Any, sensitivity: Fraction, values: Any) -> Fraction:
        return right(atom, sensitivity, values) / (2 if atom.mechanism == "dgauss" else 1)

    patch.setattr(mechanisms, "noise_scale", scale)


def loose_delta(patch: pytest.MonkeyPatch) -> None:
    """Gaussian noise for δ = 1/10, whatever is asked for."""
    from duetpy.accounting.gaussian_profile import calibrate_mu

    def scale(atom: Any, sensitivity: Fraction, values: Any) -> Fraction:
        return sensitivity / Fraction(calibrate_mu(atom.params[0].evaluate(values, up=False), Fraction(1, 10)))

    patch.setattr(mechanisms, "noise_scale", scale)


# ---------------------------------------------------------------------------------------------------------------------
# Choices and rows


def without_half(patch: pytest.MonkeyPatch) -> None:
    right = exponential_choice.choose_exponential
    patch.setattr(exponential_choice, "choose_exponential", lambda scores, rate, bits: right(scores, 2 * rate, bits))


def in_their_order(patch: pytest.MonkeyPatch) -> None:
    """Permute and flip that does not permute."""

    def chosen(scores: Sequence[Fraction], rate: Fraction, bits: Any) -> int:
        best = max(scores)
        return next(at for at in itertools.cycle(range(len(scores))) if bernoulli_exp(rate * (best - scores[at]), bits))

    patch.setattr(exponential_choice, "permute_and_flip", chosen)


def first_answer_in_the_clear(patch: pytest.MonkeyPatch) -> None:
    right = selecting.answered
    patch.setattr(selecting, "answered", lambda truth, *others: right(truth, *others) if truth else 0)


def neighbouring_rows(patch: pytest.MonkeyPatch) -> None:
    """All rows are drawn equally often, but together with those that follow."""

    def draw(rows: int, batch: int, bits: Any) -> Any:
        return (int(bits.uint64(1)[0]) % rows + np.array(selecting.permuted(range(batch), bits))) % rows

    patch.setattr(selecting, "without_replacement", draw)


def rows_in_order(patch: pytest.MonkeyPatch) -> None:
    """All sets of rows are equally likely, and each stands in the order of the table."""
    right = selecting.without_replacement
    patch.setattr(selecting, "without_replacement", lambda rows, batch, bits: np.sort(right(rows, batch, bits)))


def heavier_rate(patch: pytest.MonkeyPatch) -> None:
    right = selecting.each_with_probability
    patch.setattr(
        selecting, "each_with_probability", lambda rows, rate, bits: right(rows, min(1, rate * Fraction(6, 5)), bits)
    )


def no_shuffle(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(selecting, "permuted", lambda items, bits: list(items))


def shuffling(seen: Callable[[int], int], told: Callable[[list[int]], list[int]]) -> Plant:
    """A shuffle whose report i is about the row `seen(i)`, and whose reports come in the order `told` of the one that was drawn."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        def shuffled(driver_: Any, node: Any, frame: Any) -> Any:
            sources: list[Any] = [driver_.value(table, frame) for table in node.tables]
            rows, reports = sources[0].rows, []
            for at in map(seen, range(rows)):
                each = {name: slice_rows(source, at, at + 1) for name, source in zip(node.names, sources, strict=True)}
                reports.append(driver.within(driver_, node.body, frame, each))
            order = selecting.permuted(range(rows), driver_.randomness.bits)
            if driver_.observer is not None:
                driver_.observer.rows(node, rows, Fraction(rows), order)
            return matrix_of_columns([stack([reports[at] for at in told(order)])], rows, None)

        patch.setattr(driver, "shuffled", shuffled)

    return plant


def rate_of_the_driver(patch: pytest.MonkeyPatch) -> None:
    """The sampler is right, and asked for too many rows."""
    right = driver.sampled

    def sampled(driver_: Any, node: Any, frame: Any) -> Any:
        with pytest.MonkeyPatch.context() as inner:
            draw = selecting.without_replacement
            inner.setattr(selecting, "without_replacement", lambda rows, batch, bits: draw(rows, rows, bits))
            return right(driver_, node, frame)

    patch.setattr(driver, "sampled", sampled)


SURROUNDINGS: tuple[Broken, ...] = (
    broken("a refusal that tells the value", programs.SUM, saying("refusal"), "replay"),
    broken("a run that never comes to its end", programs.SUM, saying("fault"), "replay"),
    broken("a warning of large values", programs.SUM, saying("warning"), "replay", trials=400),
    broken("a value that is written to standard error", programs.SUM, saying("error"), "replay"),
    broken(
        "a number of turns that the data decides", programs.STEPS, one_turn_more, "replay", notion="zcdp", trials=100
    ),
    broken("parts that overlap", programs.PARTS, overlapping, "replay", trials=100),
    broken("parts that overlap, in (ε, δ)", programs.PARTS, overlapping, "replay", notion="approx", trials=100),
    broken("twice the sensitivity for some values", programs.SUM, doubled_above_three, "replay", trials=200),
    broken("a vector's noise used in every step", programs.STEPS, kept_for_a_run, "end to end", notion="zcdp"),
    broken("noise that is drawn once", programs.SUM, once_for_all, "end to end", settings={"ε": 10}),
    broken("secure bits that repeat themselves", programs.SUM, constant_bits, "bits"),
    broken("Laplace noise without its tails", programs.SUM, cut_off, "samplers", trials=100),
    broken("less noise away from zero", programs.SUM, less_away_from_zero, "samplers"),
    broken("a grid that the value chooses", programs.SUM, grid_of_the_value, "bits"),
    broken("one noise for a row", programs.CLIPPED, one_for_a_row, "samplers"),
    broken("discrete noise of half the scale", programs.WHOLE, whole_noise_of_half, "samplers", notion="approx"),
    broken("Gaussian noise that ignores δ", programs.GAUSS, loose_delta, "samplers", notion="approx"),
    broken("the exponential mechanism without its half", programs.CHOSEN, without_half, "samplers", trials=200),
    broken("permute and flip in a fixed order", programs.BEST, in_their_order, "samplers"),
    broken("one answer in the clear", programs.ANSWER, first_answer_in_the_clear, "samplers"),
    broken("a sample of neighbouring rows", programs.SAMPLE, neighbouring_rows, "samplers", notion="approx"),
    broken("a sample in the order of the table", programs.SAMPLE, rows_in_order, "samplers", notion="approx"),
    broken("a sample of more rows than asked for", programs.SAMPLE, rate_of_the_driver, "replay", notion="approx"),
    broken("a Poisson sample of a higher rate", programs.POISSON, heavier_rate, "samplers"),
    broken("a shuffle that leaves the order", programs.SHUFFLED, no_shuffle, "samplers", notion="approx"),
    broken("a shuffle whose order is not used", programs.SHUFFLED, shuffling(int, sorted), "samplers", notion="approx"),
    broken(
        "reports that are all about one row",
        programs.SHUFFLED,
        shuffling(lambda at: 0, list),
        "replay",
        notion="approx",
        trials=150,
    ),
)

QUICK_SURROUNDINGS = (
    "a refusal that tells the value",
    "a run that never comes to its end",
    "a value that is written to standard error",
    "parts that overlap, in (ε, δ)",
    "a vector's noise used in every step",
    "noise that is drawn once",
    "secure bits that repeat themselves",
    "less noise away from zero",
    "a grid that the value chooses",
    "one answer in the clear",
    "a sample of neighbouring rows",
    "a sample in the order of the table",
    "a shuffle that leaves the order",
    "a shuffle whose order is not used",
    "reports that are all about one row",
)
