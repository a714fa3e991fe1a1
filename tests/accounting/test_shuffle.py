"""Shuffling: the exact pair against an enumeration, and the closed form against the exact pair."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from scipy import special

from duetpy.accounting.losses.losses import ResponseLoss
from duetpy.accounting.losses.shuffle import (
    ShuffleLoss,
    closed_form_epsilon,
    enough_reports,
    least_epsilon,
    shuffled_delta,
    shuffled_epsilon,
    tail_error,
)
from tests.accounting import exact_losses as exact


def binomial(count: int, success: Fraction) -> dict[int, Fraction]:
    return {k: math.comb(count, k) * success**k * (1 - success) ** (count - k) for k in range(count + 1)}


def enumerated(count: int, grown: Fraction) -> tuple[exact.Law, exact.Law]:
    """The pair of Feldman, McMillan & Talwar 2023, outcome by outcome."""
    first = grown / (grown + 1)
    p: dict[object, Fraction] = {}
    q: dict[object, Fraction] = {}
    for c, weight in binomial(count - 1, 2 / (grown + 1)).items():
        for a, half in binomial(c, Fraction(1, 2)).items():
            for hit, chance in ((1, first), (0, 1 - first)):
                here = weight * half * chance
                p[(a + hit, c - a + 1 - hit)] = p.get((a + hit, c - a + 1 - hit), Fraction(0)) + here
                q[(a + 1 - hit, c - a + hit)] = q.get((a + 1 - hit, c - a + hit), Fraction(0)) + here
    return p, q


@pytest.mark.parametrize("count", [2, 3, 8, 20])
@pytest.mark.parametrize("grown", [Fraction(3, 2), Fraction(5)])
def test_the_pair_is_enumerated_exactly(count: int, grown: Fraction) -> None:
    pair = enumerated(count, grown)
    places = [Fraction(1), Fraction(11, 10), Fraction(7, 5), Fraction(4)]
    found = shuffled_delta(count, math.log(grown), np.array([math.log(y) for y in places]))
    for y, value in zip(places, found, strict=True):
        truth = float(exact.delta(pair, y))
        assert value >= truth * (1 - 1e-12)
        assert value == pytest.approx(truth, rel=1e-9, abs=1e-11)
        assert float(exact.delta((pair[1], pair[0]), y)) == pytest.approx(truth, abs=1e-15)


@pytest.mark.parametrize(("count", "local"), [(400, 0.1), (60_000, 1.0), (60_000, 5.0)])
def test_no_number_of_other_reports_is_left_out(count: int, local: float) -> None:
    """δ(0) is the mean over C = c of the likeliest share of them, times p − q: a sum in which all c have their weight."""
    half = 2.0 / (math.exp(local) + 1.0)
    sizes = np.arange(count)
    logs = special.gammaln(count) - special.gammaln(sizes + 1.0) - special.gammaln(count - sizes)
    weights = np.exp(logs + sizes * math.log(half) + (count - 1 - sizes) * math.log1p(-half))
    middle = (
        special.gammaln(sizes + 1.0) - special.gammaln(sizes // 2 + 1.0) - special.gammaln(sizes - sizes // 2 + 1.0)
    )
    truth = math.tanh(local / 2) * float(weights @ np.exp(middle - sizes * math.log(2.0))) / float(weights.sum())
    assert truth * (1 - 1e-9) <= shuffled_delta(count, local, np.zeros(1))[0] <= truth * (1 + 1e-7)


@pytest.mark.parametrize("local", [1e-9, 1e-13, 1e-15, 1e-17])
def test_reports_that_say_next_to_nothing_keep_their_digits(local: float) -> None:
    """All other reports stand for any: C = n − 1, but for a share of about ε₀, and A ~ Bin(n − 1, ½)."""
    count, chances = 1000, [Fraction(math.comb(999, a), 2**999) for a in range(1000)]
    for delta in (local / 1e4, local / 1e9, local / 1e13):
        eps = least_epsilon(count, local, delta)
        assert 0.0 < eps < local
        # To first order in ε₀ the loss of outcome a is ε₀(2a − n)/n, and Q(a) the mean of two neighbouring chances.
        losses = [Fraction(local) * (2 * a - count) / count for a in range(1, 1000)]
        excess = sum(
            max(loss - Fraction(eps), 0) * (chances[a - 1] + chances[a]) / 2 for a, loss in enumerate(losses, 1)
        )
        assert excess <= Fraction(delta) * (1 + Fraction(1, 10**6))
        assert excess >= Fraction(delta) * (1 - Fraction(1, 10**6))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("local", [1e-300, 5e-324])
def test_reports_that_say_nothing_are_no_division_by_zero(local: float) -> None:
    assert least_epsilon(1000, local, 1e-6) == 0.0


@pytest.mark.parametrize("count", [2, 5])
def test_the_pair_of_large_local_losses_is_enumerated_exactly(count: int) -> None:
    """Beyond ε₀ = 30 the smaller chance is no difference from 1."""
    grown = Fraction(10**14)
    pair = enumerated(count, grown)
    places = [Fraction(1), Fraction(10**7), Fraction(10**13), Fraction(9 * 10**13)]
    found = shuffled_delta(count, math.log(grown), np.array([math.log(y) for y in places]))
    for y, value in zip(places, found, strict=True):
        truth = float(exact.delta(pair, y))
        assert truth * (1 - 1e-12) <= value == pytest.approx(truth, rel=1e-9, abs=1e-11)


def test_shuffling_is_never_worse_than_one_report() -> None:
    loss = ShuffleLoss(50, 2.0)
    eps = np.linspace(0.0, 2.5, 60)
    assert np.all(loss.profile(eps) <= ResponseLoss(2.0).profile(eps))
    assert np.all(np.diff(loss.profile(np.linspace(0.0, 2.5, 20_000))) <= 1e-15)
    assert loss.pure == 2.0


def test_more_reports_hide_more() -> None:
    values = [float(shuffled_delta(n, 1.0, np.array([0.2]))[0]) for n in (10, 100, 1000, 10_000)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("count", [10_000, 1_000_000])
def test_the_closed_form_covers_the_exact_pair(count: int) -> None:
    for local in (0.5, 1.0, 2.0):
        eps = closed_form_epsilon(count, local, 1e-6)
        assert eps is not None
        assert float(shuffled_delta(count, local, np.array([eps]))[0]) <= 1e-6


def test_the_closed_form_is_silent_outside_its_range() -> None:
    assert closed_form_epsilon(100, 1.0, 1e-6) is None
    assert closed_form_epsilon(10_000, 6.0, 1e-6) is None


def upper_tail(count: int, least: int) -> mp.mpf:
    """P[Bin(c, ½) ≥ k] by a sum to thirty digits."""
    term = mp.binomial(count, least) / mp.mpf(2) ** count
    total, at = term, least
    while term > total * mp.mpf(10) ** -30:
        term = term * (count - at) / (at + 1)
        at += 1
        total += term
    return total


@pytest.mark.parametrize(
    ("count", "least"), [(5000, 2550), (500_000, 252_500), (500_000, 253_500), (5_000_000, 2_503_000)]
)
def test_binomial_tails_keep_the_digits_that_the_slack_covers(count: int, least: int) -> None:
    """The older routine of scipy is off by more than was allowed for."""
    with mp.workdps(40):
        total = upper_tail(count, least)
        error = abs(mp.mpf(float(special.betainc(least, count - least + 1, 0.5))) / total - 1)
        assert error < tail_error(count) / 10
        if count > 5000:
            old = abs(mp.mpf(float(special.bdtrc(least - 1, count, 0.5))) / total - 1)
            assert old > 10 * error


@pytest.mark.parametrize(("count", "least"), [(9_809_884, 4_960_362), (74_826_982, 37_565_474)])
def test_far_tails_of_many_trials_keep_fewer_digits_and_the_slack_knows(count: int, least: int) -> None:
    """Some 35 standard deviations out; of a hundred million trials seven times what one million is allowed."""
    with mp.workdps(40):
        error = abs(mp.mpf(float(special.betainc(least, count - least + 1, 0.5))) / upper_tail(count, least) - 1)
        assert tail_error(1) < error < tail_error(count)


@pytest.mark.parametrize(("count", "local"), [(100, 1.0), (10_000, 4.4445), (10_000, 1.0)])
@pytest.mark.parametrize("delta", [1e-4, 1e-9])
@pytest.mark.sparse(5)
def test_the_least_epsilon_is_where_the_profile_meets_delta(count: int, local: float, delta: float) -> None:
    eps = least_epsilon(count, local, delta)
    assert shuffled_delta(count, local, np.array([eps]))[0] <= delta
    assert shuffled_delta(count, local, np.array([eps * (1 - 1e-6)]))[0] > delta
    assert ShuffleLoss(count, local).profile(np.linspace(0.0, eps, 1000))[-1] == pytest.approx(delta, rel=0.3)


def test_a_delta_below_the_slack_or_a_huge_report_gains_nothing() -> None:
    assert least_epsilon(1000, 1.0, 0.0) == 1.0
    assert least_epsilon(1000, 900.0, 1e-6) == 900.0
    assert least_epsilon(10**6, 0.001, 0.1) == 0.0
    assert ShuffleLoss(2, 900.0).profile(np.array([1.0])) == pytest.approx(1.0)


@pytest.mark.parametrize("local", [0.0, 1e-9, 0.1, 1.0, 5.0, 20.0])
def test_more_reports_than_can_be_computed_cost_no_more_than_fewer(local: float) -> None:
    """A million million reports are answered, by fewer: each of their profiles is above that of twice as many."""
    few = enough_reports(2**52, local)
    assert few == 10**12 or few * 2 / (math.exp(local) + 1) < 1e8
    at = np.array([local / 50, local / 5])
    assert np.all(shuffled_delta(2**52, local, at) == shuffled_delta(few, local, at))
    assert np.all(shuffled_delta(200, local, at) <= shuffled_delta(100, local, at) * (1 + 1e-9))
    assert enough_reports(1000, local) == 1000


@pytest.mark.parametrize("local", [690.0, 697.0, 700.0, 800.0])
def test_reports_of_no_use_are_priced_as_one(local: float) -> None:
    """Next to none of them can stand for another: the variance is one that divides no double."""
    assert least_epsilon(10**6, local, 1e-6) == local
    assert ShuffleLoss(10**6, local).profile(np.array([1.0]))[0] == pytest.approx(1.0)


@pytest.mark.thorough("test_more_reports_than_can_be_computed_cost_no_more_than_fewer")
def test_a_million_million_reports_are_priced() -> None:
    found = least_epsilon(10**12, 1.0, 1e-6)
    closed = closed_form_epsilon(10**12, 1.0, 1e-6)
    assert closed is not None
    assert 0 < found <= closed


def test_the_profile_of_enough_reports_is_computed_once_for_all_larger_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    file = shuffled_delta.__module__
    monkeypatch.setattr(f"{file}._LARGEST_VARIANCE", 1e3)
    monkeypatch.setattr(
        f"{file}.shuffled_delta", lambda count, *args: (asked.append(count), shuffled_delta(count, *args))[1]
    )
    least_epsilon.cache_clear()
    first = least_epsilon(10**7, 1.5, 1e-6)
    number = len(asked)
    assert number > 3
    assert least_epsilon(10**9, 1.5, 1e-6) < first
    assert len(asked) == number
    least_epsilon.cache_clear()


def test_a_share_of_a_report_hides_nobody() -> None:
    assert (
        shuffled_epsilon(1000.9, 1.0, 1e-6) == shuffled_epsilon(1000.0, 1.0, 1e-6) > shuffled_epsilon(1001.0, 1.0, 1e-6)
    )


@pytest.mark.parametrize("count", [300, 1000, 3000])
def test_delta_is_not_below_the_outcome_of_the_largest_loss(count: int) -> None:
    """All entries of the first kind: c of n − 1 others tell by a coin each, and the report itself is true."""
    local = math.log(3.0)
    half, eps = 2.0 / 4.0, local - 1e-3
    with mp.workdps(40):
        truth = mp.mpf(3) / 4 * -mp.expm1(mp.mpf(eps) - mp.log(3)) * (1 - mp.mpf(half) / 2) ** (count - 1)
    assert shuffled_delta(count, local, np.array([eps]))[0] >= truth * (1 - mp.mpf("1e-9"))
