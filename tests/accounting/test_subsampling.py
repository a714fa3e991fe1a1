"""Rényi curves of subsampled mechanisms: the sums of the papers in sixty digits, and what is claimed beyond them."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from random import Random

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from duetpy.accounting.certify import tight
from duetpy.accounting.losses.composed import ComposedLoss
from duetpy.accounting.losses.losses import GaussianLoss, LaplaceLoss, Loss, ResponseLoss
from duetpy.accounting.losses.sampled import PoissonLoss, worst_profile
from duetpy.accounting.losses.subsampling import (
    LARGEST_ORDER,
    amplified_epsilon,
    between_orders,
    fixed_size_renyi,
    multiples,
    poisson_gaussian_renyi,
    poisson_renyi,
    reach_of,
)
from duetpy.accounting.price import numbers
from duetpy.typecheck.cost import Atom, Group, Sampled, Seq, Together
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import log
from tests.accounting import exact_losses as exact
from tests.accounting.terms import Pair, given, of, pairs, random_response, repeated

Divergence = Callable[[int], float]


def orders(divergence: Divergence) -> Callable[[int], NDArray[np.float64]]:
    return lambda last: np.array([divergence(j) for j in range(2, last + 1)])


def without_replacement(rate: float, order: int, divergence: Divergence, pure: float) -> mp.mpf:
    """Wang, Balle & Kasiviswanathan 2019, Theorem 9."""
    with mp.workdps(60):
        q = mp.mpf(rate)
        terms = [mp.binomial(order, j) * q**j * moment(j, divergence, pure) for j in range(2, order + 1)]
        return mp.log(1 + mp.fsum(terms)) / (order - 1)


def moment(j: int, divergence: Divergence, pure: float) -> mp.mpf:
    """A bound on E|V/R − V′/R|^j."""
    grown = mp.expm1(mp.mpf(pure))
    plain = mp.exp((j - 1) * mp.mpf(divergence(j))) * min(mp.mpf(2), grown**j)
    return min(4 * mp.expm1(mp.mpf(divergence(2))), plain) if j == 2 else plain


def by_chords(rate: float, order: int, divergence: Divergence, pure: float) -> mp.mpf:
    """The same with the least of the chords of log E|…|^j from the second moment to a later one."""
    with mp.workdps(60):
        q, start = mp.mpf(rate), mp.log(moment(2, divergence, pure))
        later = {m: mp.log(moment(m, divergence, pure)) for m in range(3, reach_of(order) + 1)}
        total = mp.mpf(1)
        for j in range(2, order + 1):
            ends = [start + (j - 2) * (log - start) / (m - 2) for m, log in later.items() if m >= j]
            total += q**j * mp.binomial(order, j) * mp.exp(min(ends) if j > 2 else start)
        return mp.log(total) / (order - 1)


def poisson(rate: float, order: int, divergence: Divergence) -> mp.mpf:
    """Zhu & Wang 2019, the general upper bound."""
    with mp.workdps(60):
        q = mp.mpf(rate)
        total = (1 - q) ** (order - 1) * (order * q - q + 1)
        total += mp.binomial(order, 2) * q**2 * (1 - q) ** (order - 2) * mp.exp(mp.mpf(divergence(2)))
        for j in range(3, order + 1):
            term = mp.exp((j - 1) * mp.mpf(divergence(j)))
            total += 3 * mp.binomial(order, j) * (1 - q) ** (order - j) * q**j * term
        return mp.log(total) / (order - 1)


def poisson_gaussian(rate: float, order: int, rho: float) -> mp.mpf:
    """Mironov, Talwar & Zhang 2019, §3.3."""
    with mp.workdps(60):
        q = mp.mpf(rate)
        terms = [
            mp.binomial(order, k) * (1 - q) ** (order - k) * q**k * mp.exp(k * (k - 1) * mp.mpf(rho))
            for k in range(order + 1)
        ]
        return mp.log(mp.fsum(terms)) / (order - 1)


def just_above(found: float, truth: mp.mpf) -> bool:
    return bool(truth <= found <= truth * (1 + mp.mpf("1e-6")) + mp.mpf("1e-11"))


CASES = [(0.01, 2), (0.01, 3), (0.3, 2), (0.3, 7), (0.001, 64), (0.9, 40), (1.0, 5)]


@pytest.mark.parametrize(("rate", "order"), CASES)
@pytest.mark.parametrize("rho", [0.001, 0.1, 2.0])
@pytest.mark.sparse(7)
def test_rows_without_replacement(rate: float, order: int, rho: float) -> None:
    found = fixed_size_renyi(rate, order, multiples(rho), math.inf)
    assert just_above(found, by_chords(rate, order, lambda j: rho * j, math.inf))
    printed = without_replacement(rate, order, lambda j: rho * j, math.inf)
    assert found <= printed * (1 + mp.mpf("1e-9")) + mp.mpf("1e-11")
    if rho == 0.001 and rate < 0.5 and 2 < order < 64:
        assert found <= printed / (1.04 if rate == 0.01 else 1.5)


@pytest.mark.parametrize(("rate", "order"), CASES)
@pytest.mark.parametrize("pure", [0.01, 0.5, 1.5])
@pytest.mark.sparse(7)
def test_rows_without_replacement_of_a_mechanism_that_has_a_pure_epsilon(rate: float, order: int, pure: float) -> None:
    def divergence(j: int) -> float:
        return min(pure, pure * pure / 2 * j)

    found = fixed_size_renyi(rate, order, orders(divergence), pure)
    assert just_above(found, by_chords(rate, order, divergence, pure))
    assert found <= without_replacement(rate, order, divergence, pure) * (1 + mp.mpf("1e-9")) + mp.mpf("1e-11")


@pytest.mark.parametrize(("rate", "order"), [case for case in CASES if case[0] < 1])
@pytest.mark.parametrize("rho", [0.001, 0.1, 2.0])
def test_rows_that_are_each_kept_by_chance(rate: float, order: int, rho: float) -> None:
    found = poisson_renyi(rate, order, multiples(rho))
    assert just_above(found, poisson(rate, order, lambda j: rho * j))
    exact = poisson_gaussian_renyi(rate, order, rho)
    assert just_above(exact, poisson_gaussian(rate, order, rho))
    assert exact <= found * (1 + 1e-9) + 1e-11


def test_all_rows_are_the_mechanism_and_none_is_nothing() -> None:
    assert poisson_renyi(1.0, 7.0, multiples(0.3)) == pytest.approx(2.1, rel=1e-12)
    assert poisson_renyi(1.0, 7.0, multiples(0.3)) >= 2.1
    assert poisson_gaussian_renyi(1.0, 7.5, 0.3) == pytest.approx(2.25, rel=1e-12)
    assert poisson_gaussian_renyi(1.0, 7.5, 0.3) >= 2.25
    for alpha in (2.0, 3.5, 7.0):
        assert poisson_renyi(0.0, alpha, multiples(0.3)) <= 1e-300
        assert poisson_gaussian_renyi(0.0, alpha, 0.3) <= 1e-300
        assert fixed_size_renyi(0.0, alpha, multiples(0.3), math.inf) <= 1e-300
        assert fixed_size_renyi(0.5, alpha, orders(lambda j: 0.0), math.inf) <= 1e-300


@pytest.mark.parametrize("eps", [700.490204437315, 704.7211397699375, 721.9779864090426, 1e3, math.inf])
def test_a_rate_next_to_the_least_double_amplifies_an_epsilon_next_to_the_largest_exponent(eps: float) -> None:
    """ε and log q are 700 and the sum is 1: their rounding is more than a share of it."""
    for rate in (7.664871518e-314, 2.706065501748002e-305, 5.131000072363863e-304, 0.5, 1.0):
        with mp.workdps(40):
            assert mp.mpf(amplified_epsilon(rate, eps)) >= mp.log1p(mp.mpf(rate) * mp.expm1(mp.mpf(eps)))


def test_nothing_is_claimed_of_what_is_not_summed() -> None:
    beyond = LARGEST_ORDER + 1.0
    for alpha, rho in ((beyond, 0.1), (LARGEST_ORDER - 0.5 + 1.0, 0.1), (3.0, 1e101), (3.0, math.inf)):
        assert poisson_renyi(0.1, alpha, multiples(rho)) == math.inf
        assert poisson_gaussian_renyi(0.1, alpha, rho) == math.inf
        assert fixed_size_renyi(0.1, alpha, multiples(rho), math.inf) == math.inf
    largest = float(LARGEST_ORDER)
    assert poisson_gaussian_renyi(0.1, largest, 1e-4) < math.inf


@pytest.mark.parametrize("alpha", [1.001, 1.5, 1.999, 2.25, 6.75])
def test_between_whole_orders_stands_the_chord_of_the_log_moment(alpha: float) -> None:
    """(α − 1) D_α on a line between its values at whole orders, which is 0 at 1."""

    def divergence(order: int) -> float:
        return 0.1 * order * order

    low, share = math.floor(alpha), alpha - math.floor(alpha)
    ends = [(order - 1) * divergence(order) for order in (low, low + 1)]
    chord = ((1 - share) * ends[0] + share * ends[1]) / (alpha - 1)
    found = between_orders(divergence, alpha)
    assert found == pytest.approx(chord, rel=1e-12)
    assert found >= chord * (1 - 1e-15)


def one_way_and_the_other(rate: Fraction, pair: Pair) -> tuple[Pair, Pair]:
    """Laws of a mechanism on rows that are drawn by coins: a row goes, and a row comes."""
    p, q = pair
    mixed = {x: rate * p[x] + (1 - rate) * q[x] for x in p}
    return (mixed, q), (q, mixed)


def test_samples_that_move_both_ways_are_no_samples_that_move_one_way() -> None:
    """A row that comes in one sample and goes in another: in exact fractions a quarter more than two of a kind. That is why
    coins draw from no input of which a step may be both (D0426)."""
    response = Atom("rand-resp", (of(2), log(of(20))))
    gone, come = one_way_and_the_other(Fraction(1, 100), exact.response(Fraction(20)))
    twice = Seq((Sampled("poisson", of("0.01"), response),) * 2)
    delta = Fraction(1, 1000)
    grown = Fraction(math.exp(tight(twice, {}, delta).epsilon))
    for both in (exact.product(gone, gone), exact.product(come, come)):
        assert exact.delta(both, grown) <= delta
    assert exact.delta(exact.product(gone, come), grown) > Fraction(12, 10) * delta


@pytest.mark.parametrize("seed", range(4))
def test_a_group_of_steps_is_held_to_samples_that_move_both_ways(seed: int) -> None:
    """Two steps of which the one brings a row and the other takes one, as where a row is replaced."""
    draw = Random(f"both ways {seed}")
    body = random_response(draw)
    rate = Fraction(draw.choice([1, 5, 30]), 100)
    (pair,) = pairs(body)
    gone, come = one_way_and_the_other(rate, pair)
    cost = Group(of(2), repeated(2, Sampled("poisson", of(rate), body)))
    for delta in (Fraction(1, 10), Fraction(1, 1000)):
        grown = Fraction(math.exp(tight(cost, {}, delta).epsilon))
        for both in (exact.product(gone, come), exact.product(gone, gone), exact.product(come, come)):
            assert exact.delta(both, grown) <= delta


def drawn_in_order(rows: int, batch: int, alpha: int, divergence: float) -> tuple[mp.mpf, mp.mpf, list[mp.mpf]]:
    """D_α of a sample of a mechanism that tells each row of its sample by its place, in both directions, and the mechanism's own
    D_2, D_3, …: the rows are 0 but the first, which becomes 1, and each answer is wrong with some chance."""
    wrong = 1 / (1 + mp.exp(mp.mpf(divergence)))

    def law(first: int) -> dict[tuple[int, ...], mp.mpf]:
        found: dict[tuple[int, ...], mp.mpf] = {}
        places = list(permutations(range(rows), batch))
        for seen in places:
            shown = [first if row == 0 else 0 for row in seen]
            for output in product((0, 1), repeat=batch):
                chance = mp.fprod(1 - wrong if a == b else wrong for a, b in zip(shown, output, strict=True))
                found[output] = found.get(output, mp.mpf(0)) + chance / len(places)
        return found

    one, two = law(0), law(1)

    def renyi(p: dict[tuple[int, ...], mp.mpf], q: dict[tuple[int, ...], mp.mpf]) -> mp.mpf:
        return mp.log(mp.fsum(p[x] ** alpha * q[x] ** (1 - alpha) for x in p)) / (alpha - 1)

    own = [
        mp.log((1 - wrong) ** j * wrong ** (1 - j) + wrong**j * (1 - wrong) ** (1 - j)) / (j - 1)
        for j in range(2, reach_of(alpha) + 1)
    ]
    return renyi(one, two), renyi(two, one), own


@pytest.mark.parametrize(("rows", "batch"), [(4, 1), (4, 2), (5, 3)])
@pytest.mark.parametrize("size", [0.05, 0.5, 2.0])
@pytest.mark.sparse(4)
def test_a_sample_is_no_further_from_its_neighbour_than_the_bound(rows: int, batch: int, size: float) -> None:
    with mp.workdps(30):
        for alpha in (2, 3, 6, 12):
            there, back, own = drawn_in_order(rows, batch, alpha, size)
            curve = np.array([float(each) * (1 + 1e-12) for each in own])
            found = fixed_size_renyi(batch / rows, alpha, lambda last, curve=curve: curve[: last - 1], size)
            assert max(there, back) <= found
            assert found <= 40 * max(there, back)


@pytest.mark.parametrize("eps", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("rate", [0.01, 0.1])
@pytest.mark.parametrize("alpha", [2, 4])
def test_a_row_that_is_replaced_in_a_sample_is_easier_to_tell_than_one_that_is_added(
    eps: float, rate: float, alpha: int
) -> None:
    """Of three answers the old row makes one likelier and the new row another: D_α is larger than of any row kept by a coin."""
    grown = math.exp(eps)
    rare = (1 - 1 / grown) / (grown + 1 - 2 / grown)
    without, old = (rare, rare, 1 - 2 * rare), (grown * rare, rare, 1 - (grown + 1) * rare)
    new = (old[1], old[0], old[2])
    one, other = ([(1 - rate) * u + rate * v for u, v in zip(without, drawn, strict=True)] for drawn in (old, new))
    lost = math.log(sum(p**alpha * q ** (1 - alpha) for p, q in zip(one, other, strict=True))) / (alpha - 1)
    order = given(Notion.RENYI, alpha, "1e-9")
    charged = {}
    for scheme in ("sample", "poisson"):
        cost = Seq((order, Sampled(scheme, of(str(rate)), given(Notion.PURE, str(eps)))))
        found = numbers(cost, Notion.RENYI, {})
        assert isinstance(found, dict)
        charged[scheme] = found["epsilon"] or math.inf
    assert charged["poisson"] < lost <= charged["sample"]


@pytest.mark.parametrize("base", [ResponseLoss(2.0), GaussianLoss(1.0), LaplaceLoss(1.5)], ids=str)
@pytest.mark.parametrize("reverse", [False, True])
def test_coins_for_rows_that_coins_kept_are_one_coin_in_each_direction(base: Loss, reverse: bool) -> None:
    """A row that is kept with probability 0.3 and then with 0.5 is kept with 0.15, whether it is added or removed."""
    places = np.linspace(-4.0, 3.0, 57)
    twice = PoissonLoss(0.5, PoissonLoss(0.3, base)).profile(places, reverse)
    once = PoissonLoss(0.15, base)
    assert twice == pytest.approx(once.profile(places, reverse), abs=1e-14)
    assert (twice >= once.profile(places, reverse)).all()
    assert np.abs(twice - once.profile(places, not reverse)).max() > 0.01


def test_what_is_drawn_is_amplified_wherever_its_profile_is_asked_for() -> None:
    """Of the rows that coins of rate q keep, H at 1 + q(x − 1) is q times that of the two answers at x, however near to 1."""
    loss = PoissonLoss(0.01, ComposedLoss(((ResponseLoss(math.log(9)), 2),)))
    pair = exact.power(exact.response(Fraction(9)), 2)
    for grown in (Fraction(1, 2), Fraction(3), Fraction(80)):
        truth = 0.01 * float(exact.delta(pair, grown))
        found = float(loss.profile(np.array([math.log1p(0.01 * float(grown - 1))]))[0])
        assert truth <= found <= truth * (1 + 1e-6)


def test_the_direction_that_loses_more_counts_where_another_input_moves_too() -> None:
    """Of two samples by coins, to add a row loses more at δ = ½ than to remove it."""
    answer = Atom("rand-resp", (of(2), log(of(9))))
    samples = repeated(2, Sampled("poisson", of("0.7"), answer))
    absent = {0: Fraction(1, 10), 1: Fraction(9, 10)}
    present = {0: Fraction(66, 100), 1: Fraction(34, 100)}
    added, removed = exact.power((absent, present), 2), exact.power((present, absent), 2)
    found = tight(Together((samples, given(Notion.PURE, "0.0001"))), {}, Fraction(1, 2)).epsilon
    grown = Fraction(math.exp(found))
    assert exact.delta(removed, grown) < Fraction(49, 100) < exact.delta(added, grown) <= Fraction(1, 2)


def test_the_worse_direction_is_the_larger_of_the_two() -> None:
    loss, places = PoissonLoss(0.1, GaussianLoss(1.0)), np.array([-2.0, -0.3, 0.0, 0.3, 2.0])
    ahead, back = loss.profile(places), loss.profile(places, True)
    assert (ahead < back).any()
    assert (ahead > back).any()
    assert (worst_profile(loss, places) == np.where(ahead < back, back, ahead)).all()
