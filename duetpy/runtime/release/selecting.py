"""Mechanisms that choose: exponential, gibbs, noisy-max, AboveThreshold, randomised response; and random samples of rows.

Contract. Each has exactly the probabilities of its theorem for the exact scores and the rational parameters it is given;
parameters are rounded to the side of more noise, and the sensitivity carries the margin of `duetpy.runtime.release.mechanisms`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import floor, log
from typing import TypeVar

import numpy as np
from attrs import evolve

from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.rounding import float_up, raised
from duetpy.runtime.exact.rationals import to_double
from duetpy.runtime.noise import continuous, key_coins, randomized_response, samplers, sparse_coins
from duetpy.runtime.noise.exact_sampler import uniform_below, uniforms_below
from duetpy.runtime.noise.noise_grid import choose_granularity
from duetpy.runtime.noise.random_bits import Bits
from duetpy.runtime.release.key_counts import Counted
from duetpy.runtime.release.mechanisms import MARGIN, Randomness, Released, sensitivity_of
from duetpy.runtime.values.batching import Index
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import SetValue
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.mechanism_rows import RULES, row_of
from duetpy.typecheck.quantity import Quantity

T = TypeVar("T")

ZERO = Fraction(0)


def _report(
    site: ReleaseSite,
    sensitivity: Fraction,
    scale: Fraction | None,
    randomness: Randomness,
    candidates: int = 0,
    furthest: int | None = None,
) -> None:
    shown = None if scale is None else float_up(scale)
    below = None if shown is None or not candidates else score95(site, shown, candidates)
    done = Released(site.mechanism, to_double(sensitivity / MARGIN), shown, None, below, furthest)
    randomness.log.add(site, done)


def _epsilon(site: ReleaseSite, kinds: KindScope) -> Fraction:
    """ε, rounded down."""
    return kinds.below(site.atom.params[-1], site.span)


# ---------------------------------------------------------------------------------------------------------------------
# Candidates with scores


def chosen(scores: Sequence[Fraction], site: ReleaseSite, kinds: KindScope, randomness: Randomness) -> int:
    """The index that exponential, gibbs or noisy-max chooses; without randomness the first of the best.

    The rate of gibbs is ε/2s = β, less the margin; it prefers small scores, which are risks.
    """
    sensitivity = sensitivity_of(site, kinds)
    rate = _epsilon(site, kinds) / (2 * sensitivity)
    _report(site, sensitivity, 1 / rate if rate else None, randomness, len(scores))
    if RULES[site.mechanism] == "risk":
        scores = [-score for score in scores]
    if randomness.bits is None:
        return max(range(len(scores)), key=lambda at: scores[at])
    return samplers.chosen(site.mechanism, scores, rate, randomness.bits)


def score95(site: ReleaseSite, scale: float, candidates: int) -> float:
    """How far the score of the chosen candidate is below the best one in 95 of 100 runs at most (`Mechanism.choice95`)."""
    return raised(scale * log(mechanism_of(site.atom).choice95 * candidates), 1e-14)


def permuted(items: Sequence[T], bits: Bits) -> list[T]:
    """The items in a uniformly random order (Fisher & Yates 1938, with exactly uniform integers)."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        at = uniform_below(last + 1, bits)
        order[last], order[at] = order[at], order[last]
    return order


# ---------------------------------------------------------------------------------------------------------------------
# Queries against a threshold


def first_above(
    threshold: Fraction,
    queries: Iterator[Fraction],
    site: ReleaseSite,
    kinds: KindScope,
    randomness: Randomness,
) -> Iterator[bool]:
    """For each query in turn whether it is above the threshold, both with noise; ends with the first that is.

    Dwork & Roth 2014, Theorem 3.23, on the lattice 2^k·ℤ: values of sensitivity 1 that are rounded to it have sensitivity
    Δ = 1 + 2^k, a multiple of 2^k, and the proof shifts the noise by Δ and 2Δ, which maps the cells of the rounding onto each
    other. Lap(2Δ/ε) on the threshold, Lap(4Δ/ε) on each query.
    """
    sensitivity = sensitivity_of(site, kinds)
    # The first is the ε of the noise; where queries go one way, less is lost and charged.
    epsilon = kinds.below(site.atom.params[0], site.span)
    exponent = min(0, choose_granularity(sensitivity, 2 * sensitivity / epsilon))
    step = Fraction(2) ** exponent
    moved = (floor(sensitivity / step) + 2) * step
    _report(site, sensitivity, 2 * moved / epsilon, randomness)

    def drawn(value: Fraction, scale: Fraction) -> int:
        extra = 0 if randomness.bits is None else int(continuous.laplace_steps(1, scale, exponent, randomness.bits)[0])
        return round(value / step) + extra

    limit = drawn(threshold, 2 * moved / epsilon)
    for value in queries:
        is_above = drawn(value, 4 * moved / epsilon) >= limit
        yield is_above
        if is_above:
            return


# ---------------------------------------------------------------------------------------------------------------------
# Randomised response


def answered(truth: int, size: int, site: ReleaseSite, kinds: KindScope, randomness: Randomness) -> int:
    """The true answer with probability e^ε/(e^ε + k - 1), else any other (Warner 1965)."""
    _report(site, MARGIN, None, randomness)
    if randomness.bits is None:
        return truth
    return randomized_response.answer(truth, size, _epsilon(site, kinds), randomness.bits)


# ---------------------------------------------------------------------------------------------------------------------
# Keys


def shown(counts: Counted, site: ReleaseSite, kinds: KindScope, randomness: Randomness) -> SetValue:
    """The keys that are shown, in order, or with their numbers of rows; without randomness all of them."""
    params = tuple([Quantity.of(kinds.below(param, site.span)) for param in site.atom.params])
    furthest = mechanism_of(site.atom).furthest(evolve(site.atom, params=params), {})
    _report(site, sensitivity_of(site, kinds), None, randomness, furthest=furthest)
    if RULES[site.mechanism] == "counted":
        return _with_numbers(counts, site, kinds, randomness)
    if randomness.bits is None:
        return SetValue(tuple(key for key, _ in counts))
    epsilon, delta = _of_one_key(site, kinds)
    coins = key_coins.kept([number for _, number in counts], epsilon, delta, randomness.bits)
    return SetValue(tuple(key for (key, _), is_shown in zip(counts, coins, strict=True) if is_shown))


def _of_one_key(site: ReleaseSite, kinds: KindScope) -> tuple[Fraction, Fraction]:
    """Its part of ε and of δ, rounded down; of a mechanism that covers all keys of a row, all of both."""
    epsilon, delta = (kinds.below(param, site.span) for param in site.atom.params[:2])
    return epsilon, delta


def _with_numbers(counts: Counted, site: ReleaseSite, kinds: KindScope, randomness: Randomness) -> SetValue:
    if randomness.bits is None:
        return SetValue(tuple((key, number) for key, number in counts))
    epsilon, delta = _of_one_key(site, kinds)
    rows = [number for _, number in counts]
    if row_of(site.mechanism).covers_all_keys:
        most = int(kinds.above(site.atom.params[2], site.span))
        numbers = key_coins.gaussian(rows, epsilon, delta, most, randomness.bits)
    else:
        numbers = key_coins.noisy(rows, epsilon, delta, randomness.bits)
    return SetValue(tuple((key, noisy) for (key, _), noisy in zip(counts, numbers, strict=True) if noisy is not None))


# ---------------------------------------------------------------------------------------------------------------------
# Samples of rows


def without_replacement(rows: int, batch: int, bits: Bits) -> Index:
    """`batch` of the numbers 0 … rows - 1, all different, in a random order: every such sequence is equally likely.

    In the order of the table they would not do: with one row left out, all that follow stand in other places, and a body that
    tells places apart would see more than one replaced row.

    Of independent uniform numbers the first occurrences are such a sequence. While at most half of the rows are wanted, each
    number is new with probability at least ½, so the time grows with the batch and not with the table. Of more rows, those
    with the smallest of independent random words are taken, in the order of these; should two words be equal, all are drawn again.
    """
    if 2 * batch <= rows:
        found = np.empty(0, dtype=np.intp)
        while len(found) < batch:
            drawn = np.concatenate([found, uniforms_below(rows, batch - len(found), bits)])
            _, first = np.unique(drawn, return_index=True)
            found = drawn[np.sort(first)]
        return found
    while True:
        words = bits.uint64(rows)
        order = np.argsort(words, kind="stable")
        in_order = words[order]
        if not np.any(in_order[1:] == in_order[:-1]):
            return order[:batch]


LARGEST_DENOMINATOR = 1 << 256
"""Of a probability that is drawn in groups of rows."""


def each_with_probability(rows: int, rate: Fraction, bits: Bits) -> Index:
    """The numbers of 0 … rows - 1, each with exactly the given probability, independently.

    A random byte is below the first digit of the probability to the base 256, above it, or equal: then the next byte and the
    next digit decide. So a row is kept with probability Σ dⱼ/256ʲ, and takes 256/255 bytes on average. Where few rows are kept,
    they are drawn in groups, which takes less (`duetpy.runtime.noise.sparse_coins`).
    """
    if rate >= 1:
        return np.arange(rows)
    if 0 < rate <= sparse_coins.LARGEST and rate.denominator <= LARGEST_DENOMINATOR:
        groups = -(-rows // sparse_coins.GROUP)
        numbers = sparse_coins.heads(groups, rate, bits)
        return numbers[: np.searchsorted(numbers, rows)]
    kept: list[Index] = [np.empty(0, dtype=np.intp)]
    open_: Index | None = None
    count = rows
    while rate and count:
        digit = floor(rate * 256)
        rate = rate * 256 - digit
        drawn = np.frombuffer(bits.bytes(count), dtype=np.uint8)
        low = np.flatnonzero(drawn <= digit)
        is_equal = drawn[low] == digit
        # Of all rows, which are the first to be open, only those few are numbered that are kept or stay open.
        numbers = low if open_ is None else open_[low]
        kept.append(numbers[~is_equal])
        open_ = numbers[is_equal]
        count = len(open_)
    return np.sort(np.concatenate(kept))
