"""The exponential mechanism: the largest of the keys that the bits name is chosen."""

import math
from collections.abc import Iterator
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duetpy.accounting.mechanisms.table import MECHANISMS
from duetpy.runtime.noise import exponential_choice
from duetpy.runtime.noise.exponential_choice import choose_exponential
from duetpy.runtime.noise.random_bits import InsecureBits
from tests.effort import often
from tests.runtime.replayed_bits import ReplayBits, cell, exact_exponential


@pytest.fixture(autouse=True, scope="module")
def seven_hundred_bits() -> Iterator[None]:
    with mpmath.workprec(700):
        yield


def exact_choice(words: list[int], scores: list[Fraction], rate: Fraction) -> int:
    keys = []
    for word, score in zip(words, scores, strict=True):
        uniform, length = cell(word >> 1, 63)
        advantage = rate * score
        keys.append(
            mpmath.mpf(advantage.numerator) / advantage.denominator - mpmath.log(exact_exponential(uniform, length))
        )
    return max(range(len(keys)), key=keys.__getitem__)


@settings(max_examples=often(150, 25), derandomize=True, deadline=None)
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


@pytest.mark.parametrize("are_sound", [True, False])
@pytest.mark.parametrize("are_doubles", [True, False])
def test_so_is_it_in_doubles_and_in_integers(
    are_doubles: bool, are_sound: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At twice the rate some of these choices would be others."""
    monkeypatch.setattr(exponential_choice, "kernels_are_sound", lambda: are_sound)
    scores = [Fraction(at, 8) for at in range(8)]
    given = np.array(scores, dtype=np.float64) if are_doubles else scores
    others = 0
    for seed in range(6):
        words = InsecureBits(seed).uint64(len(scores)).tolist()
        wanted = exact_choice(words, scores, Fraction(2))
        assert choose_exponential(given, Fraction(2), ReplayBits(words)) == wanted
        others += exact_choice(words, scores, Fraction(4)) != wanted
    assert others


@pytest.mark.parametrize("are_doubles", [True, False])
def test_an_advantage_lies_within_its_error(are_doubles: bool) -> None:
    scores, rate = [1 / (3 + at) for at in range(20)], Fraction(2, 7)
    given = np.array(scores) if are_doubles else scores
    values, errors = exponential_choice._advantages(given, rate)
    best = max(map(Fraction, scores))
    misses = [
        abs(Fraction(value) - rate * (Fraction(score) - best))
        for value, score in zip(values.tolist(), scores, strict=True)
    ]
    assert all(miss <= Fraction(error) for miss, error in zip(misses, errors.tolist(), strict=True))
    assert any(misses)


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


class Extended(ReplayBits):
    """Hands out given extensions too."""

    def __init__(self, words: list[int], extensions: list[int]) -> None:
        super().__init__(words)
        self.later = list(extensions)

    def bytes(self, count: int) -> bytes:
        return self.later.pop(0).to_bytes(count, "little")


@pytest.mark.parametrize("end", [0, 2**64 - 1])
@pytest.mark.parametrize("last", [(3, 2**63), (2**63, 3)])
def test_strings_that_stay_at_an_end_get_more_bits(end: int, last: tuple[int, int]) -> None:
    """As long as all bits of a string are alike, its key has no bound on one side."""
    bits = Extended([end, end], [end, end, *last])
    assert choose_exponential([0.0, 0.0], Fraction(1), bits) == last.index(2**63)
    assert bits.later == []


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
    monkeypatch.setattr(exponential_choice, "kernels_are_sound", lambda: False)
    wrong = np.arange(20.0)
    monkeypatch.setattr(exponential_choice, "_gumbel", lambda words: (100 * wrong, 100 * wrong))
    assert choose_exponential(scores, Fraction(1), ReplayBits(words)) == quick != 19


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


@pytest.mark.parametrize("count", [2, 5, 100, 10_000])
def test_the_score_that_is_chosen_is_hardly_ever_further_below_the_best_than_is_said(count: int) -> None:
    """The worst case: one best candidate, and all others as far below it as is said. `exponential` chooses one of these by their
    share of the weights, `noisy-max` if the largest of their exponential noises exceeds that of the best one by so much."""

    def missed(gap: float) -> tuple[float, float]:
        weight = mpmath.exp(-gap)
        share = (count - 1) * weight / (1 + (count - 1) * weight)
        most = mpmath.quad(
            lambda x: mpmath.exp(-x) * (1 - (1 - weight * mpmath.exp(-x)) ** (count - 1)), [0, 1, 10, 60]
        )
        return float(share), float(most)

    with mpmath.workprec(100):
        for at, name in enumerate(("exponential", "noisy-max")):
            said = math.log(MECHANISMS[name].choice95 * count)
            assert missed(said)[at] <= 0.05
            assert missed(said - 1)[at] > 0.05
