"""Moves by several steps past a public choice: one branch for all of them, or one for each."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement
from random import Random

import mpmath as mp
import numpy as np
import pytest

from duetpy.accounting.certify import tight
from duetpy.accounting.convert import joint_approx
from duetpy.accounting.gaussian_profile import gaussian_epsilon
from duetpy.accounting.losses.derived import ChoiceLoss, GroupLoss, TogetherLoss, grouped, zcdp
from duetpy.accounting.losses.discrete import DiscreteGaussianLoss
from duetpy.accounting.losses.discrete_laplace import DiscreteLaplaceLoss
from duetpy.accounting.losses.families import dominant
from duetpy.accounting.losses.generalized_gaussian import GeneralizedGaussianLoss
from duetpy.accounting.losses.losses import (
    BoundedRangeLoss,
    CurveLoss,
    GaussianLoss,
    KaryLoss,
    LaplaceLoss,
    LeakyLoss,
    Loss,
    ResponseLoss,
    response_renyi,
)
from duetpy.accounting.losses.sampled import PoissonLoss
from duetpy.accounting.price import Refusal, numbers, price
from duetpy.typecheck.cost import Atom, Choice, Cost, Given, Group, Repeat, Sampled, Seq, Together
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import log
from tests.accounting import exact_losses as exact
from tests.accounting.terms import (
    RATIOS,
    Pair,
    exponential,
    gauss,
    given,
    laplace,
    of,
    pairs,
    random_term,
    repeated,
    valued,
)

FLIP, LEAK = laplace(1), given(Notion.APPROX, "0.001", "0.01")


def epsilon(cost: Cost, delta: str) -> float:
    return tight(cost, {}, Fraction(delta)).epsilon


def climbed(*steps: tuple[Fraction, Fraction]) -> Pair:
    """A chance that grows from 0 by as much as each step of (e^ε, δ) lets it."""
    chance = Fraction(0)
    for grown, leak in steps:
        chance = grown * chance + leak
    return {1: chance, 0: 1 - chance}, {1: Fraction(0), 0: Fraction(1)}


def test_steps_that_find_different_branches_are_no_steps_of_one() -> None:
    """A chance of 0 becomes 0.01 by a step of δ, and e⋅0.01 by a step of ε = 1: more than two steps of either make it."""
    pair = climbed((Fraction(1), Fraction(1, 100)), (Fraction(2718, 1000), Fraction(0)))
    same = epsilon(Group(of(2), Choice((FLIP, LEAK))), "0.025")
    apart = epsilon(Group(of(2), Choice((FLIP, LEAK), scattered=True)), "0.025")
    assert exact.delta(pair, Fraction(math.exp(same))) > Fraction("0.025")
    assert apart == math.inf or exact.delta(pair, Fraction(math.exp(apart))) <= Fraction("0.025")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.sparse(3)
def test_runs_with_branches_of_their_own_are_within_the_group_of_a_scattered_choice(seed: int) -> None:
    """k independent runs of which each took one of the branches: exact laws, whichever they took."""
    draw = Random(f"scattered {seed}")
    branches = [random_term(draw, 1) for _ in range(2)]
    for size in (2, 3):
        cost = Group(of(size), Choice((branches[0], branches[1]), scattered=True))
        for delta in ("0.1", "0.001"):
            grown = Fraction(math.exp(epsilon(cost, delta)) * (1 + 1e-12))
            for taken in combinations_with_replacement(branches, size):
                for pair in pairs(Seq(taken)):
                    if len(pair[0]) <= 200:
                        for both in (pair, (pair[1], pair[0])):
                            assert exact.delta(both, grown) <= Fraction(delta), (cost, taken)


def test_one_branch_for_all_steps_is_the_larger_group() -> None:
    one, two = gauss(Notion.GDP, "0.3"), laplace("0.5")
    for delta in ("1e-3", "1e-9"):
        both = epsilon(Group(of(3), Choice((one, two))), delta)
        larger = max(epsilon(Group(of(3), one), delta), epsilon(Group(of(3), two), delta))
        assert both == pytest.approx(larger, rel=1e-12)
        assert epsilon(Group(of(3), Choice((one, two), scattered=True)), delta) >= larger
        assert epsilon(Choice((one, two), scattered=True), delta) == epsilon(Choice((one, two)), delta)


def test_a_price_of_a_group_is_that_of_steps_of_which_each_finds_the_worst_branch() -> None:
    for notion in (Notion.PURE, Notion.APPROX, Notion.ZCDP, Notion.TCDP, Notion.GDP):
        branches = (laplace(1), laplace("0.5"))
        apart = numbers(Group(of(3), Choice(branches, scattered=True)), notion, {})
        assert apart == numbers(Group(of(3), Choice(branches)), notion, {})
        assert apart == numbers(Group(of(3), laplace(1)), notion, {})


FAMILIES: tuple[tuple[Loss, ...], ...] = (
    (GaussianLoss(0.3), GaussianLoss(1.0), GaussianLoss(0.7)),
    (LaplaceLoss(1.0), LaplaceLoss(0.2)),
    (BoundedRangeLoss(0.2), BoundedRangeLoss(1.5)),
    (ResponseLoss(0.2), ResponseLoss(1.5)),
    (GeneralizedGaussianLoss(3.0, 0.2), GeneralizedGaussianLoss(3.0, 0.9)),
    (CurveLoss(0.1, math.inf, 9.0), CurveLoss(0.3, math.inf, 40.0)),
)


@pytest.mark.parametrize("branches", FAMILIES, ids=lambda branches: type(branches[0]).__name__)
def test_the_largest_of_a_family_dominates_it(branches: tuple[Loss, ...]) -> None:
    import numpy as np

    largest = dominant(branches)
    assert largest is not None
    places = np.linspace(0.0, 3.0, 13)
    for branch in branches:
        assert (largest.profile(places) >= branch.profile(places) * (1 - 1e-9)).all()
        assert all(largest.renyi(alpha) >= branch.renyi(alpha) for alpha in (1.5, 2.0, 8.0, 30.0))
    assert grouped(3, ChoiceLoss(branches, True)) == grouped(3, largest)


@pytest.mark.parametrize(
    "branches",
    [
        (GaussianLoss(0.3), LaplaceLoss(0.3)),
        (GeneralizedGaussianLoss(3.0, 0.2), GeneralizedGaussianLoss(4.0, 0.2)),
        (LeakyLoss(1e-3, ResponseLoss(0.1)), ResponseLoss(1.0)),
        (KaryLoss(1.0, 5), KaryLoss(1.0, 2)),
        (ChoiceLoss((LaplaceLoss(1.0), GaussianLoss(1.0))), ChoiceLoss((LaplaceLoss(2.0), GaussianLoss(0.1)))),
    ],
)
def test_of_several_families_every_step_is_held_to_the_worst(branches: tuple[Loss, ...]) -> None:
    assert dominant(branches) is None
    loss = ChoiceLoss(branches, True)
    assert grouped(3, loss) == GroupLoss(3, loss)
    assert grouped(3, ChoiceLoss(branches)) == ChoiceLoss(tuple(grouped(3, branch) for branch in branches))


def test_a_scattered_choice_of_one_family_is_as_tight_as_its_largest() -> None:
    of_all = Group(of(4), Choice((laplace("0.5"), laplace(1), laplace("0.1")), scattered=True))
    assert epsilon(of_all, "1e-6") == epsilon(Group(of(4), laplace(1)), "1e-6")


@pytest.mark.parametrize("count", [1, 2, 5])
def test_several_runs_of_one_branch_each_are_within_the_group_too(count: int) -> None:
    """The same in a loop: each iteration of each run chooses again."""
    flip = next(iter(pairs(laplace_like())))
    cost = Group(of(2), repeated(count, Choice((laplace_like(), LEAK), scattered=True)))
    grown = Fraction(math.exp(min(epsilon(cost, "0.01"), 50.0)))
    assert exact.delta(exact.power(flip, 2 * count), grown) <= Fraction(1, 100)


def laplace_like() -> Cost:
    """Randomized response, of which the laws are known exactly."""
    return Atom("rand-resp", (of(2), log(of(RATIOS[1]))))


@pytest.mark.parametrize(("size", "least", "tripled"), [(2, 4.0, 3.0), (3, 8.0, 9.0), (4, 8.0, 9.0), (5, 16.0, 27.0)])
def test_a_bound_at_one_order_says_something_of_a_group_from_two_to_the_steps_on(
    size: int, least: float, tripled: float
) -> None:
    """(α/2^c, 3^c ε) for k ≤ 2^c steps, where α ≥ 2^(c+1) (Mironov 2017): at smaller orders it is not proved."""
    found = grouped(size, CurveLoss(math.inf, 0.5, least))
    assert isinstance(found, CurveLoss)
    assert found.order == 2.0
    assert found.cap == pytest.approx(tripled * 0.5, rel=1e-12)
    assert found.cap >= tripled * 0.5
    for order in (least * (1.0 - 1e-12), least / 2.0, 1.5):
        below = grouped(size, CurveLoss(math.inf, 0.5, order))
        assert below.renyi(1.0 + 1e-6) == math.inf


@pytest.mark.parametrize("size", [2, 3, 7, 2**53 + 1, 10**19 + 1, 10**40])
def test_a_group_has_no_line_above_its_orders(size: int) -> None:
    """The double next to ω/k may be above it."""
    for share in (1.25, 1.5, 1.7, 3.0):
        found = grouped(size, CurveLoss(1e-90, math.inf, share * size))
        assert isinstance(found, CurveLoss)
        assert Fraction(found.order) * size <= Fraction(share * size)
        assert found.order == pytest.approx(share, rel=4e-16)
    assert grouped(size, CurveLoss(1e-90)).renyi(1e300) < math.inf


@pytest.mark.parametrize("size", [2, 10**6, 10**20, 10**59, 10**99])
def test_a_group_of_any_size_has_a_profile_of_numbers(size: int) -> None:
    """(e^ε − 1)/(e^{ε/k} − 1) is beyond the doubles for a large k; no profile is 0 times that."""
    with np.errstate(all="raise", under="ignore"):
        for eps in (1.0, 650.0 / size, 1e-9 / size):
            loss = GroupLoss(size, PoissonLoss(0.1, LaplaceLoss(eps)))
            found = loss.profile(np.array([0.0, 1e-12, 1.0, 50.0, 600.0, 649.0, 651.0, 720.0, 1e4, 1e99]))
            assert ((found >= 0.0) & (found <= 1.0)).all()
            assert found[0] >= min(0.1 * -math.expm1(-eps / 2), 1.0)


@pytest.mark.parametrize("mu", ["3", "10"])
@pytest.mark.parametrize("both", [lambda once: Group(of(2), once), lambda once: Together((once, once))])
def test_a_profile_next_to_the_least_double_is_not_0_times_a_power_of_e(mu: str, both: Callable[[Cost], Cost]) -> None:
    """Of 500 of 1000 rows, two that move are both drawn with this probability, and then the Gaussian shift is 2μ."""
    chance = math.log(0.5 * 499 / 999)
    for delta in ("1e-300", "1e-290", "1e-250"):
        found = epsilon(both(Sampled("sample", of("0.5"), given(Notion.GDP, mu))), delta)
        assert found >= chance + gaussian_epsilon(float(delta) * math.exp(-chance), 2 * float(mu))


@pytest.mark.parametrize("delta", ["0", "0.001", "0.05", "0.3"])
def test_inputs_that_move_together_lose_what_their_mechanisms_lose_one_after_the_other(delta: str) -> None:
    """One input moves two answers of a mechanism, another one a third: the laws are those of all three."""
    one, two, three = (Atom("rand-resp", (of(3), log(of(ratio)))) for ratio in RATIOS[1:])
    together = Together((Seq((one, two)), three))
    (pair,) = pairs(Seq((one, two, three)))
    found = epsilon(together, delta)
    assert exact.delta(pair, Fraction(math.exp(found))) <= Fraction(delta) + Fraction(1, 10**12)
    assert found <= 1.5 * epsilon(Seq((one, two, three)), delta)
    assert TogetherLoss(LaplaceLoss(0.5), ResponseLoss(2.0)).pure >= 2.5
    assert TogetherLoss(LaplaceLoss(0.5), GaussianLoss(0.1)).pure == math.inf


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize(
    "once",
    [Given(Notion.APPROX, (log(of(6)), of("1e-6"))), Atom("rand-resp", (of(3), log(of(6))))],
    ids=["leak", "answer"],
)
def test_several_steps_of_an_epsilon_above_1_lose_as_many_of_them(size: int, once: Cost) -> None:
    """Randomized response at k⋅ε is k steps of ε."""
    found = epsilon(Group(of(size), once), "0.01")
    assert exact.delta(exact.response(Fraction(6) ** size), Fraction(math.exp(found))) <= Fraction(1, 100)
    assert found <= size * math.log(6) * (1 + 1e-12)


@pytest.mark.parametrize("sensitivity", ["0.25", "4"])
@pytest.mark.parametrize("size", [2, 3, 7])
def test_a_line_to_an_order_grows_with_the_square_of_the_steps(sensitivity: str, size: int) -> None:
    """A Gaussian of ρ = μ²/2 is (ρ, ω)-tCDP, and k of its steps are a Gaussian of kμ."""
    shift = Fraction(sensitivity)
    line = CurveLoss(float(shift**2 / 2), math.inf, 70.0)
    moved = grouped(size, line)
    for alpha in (1.01, 2.0, 70.0 / size):
        assert moved.renyi(alpha) >= alpha * (size * shift) ** 2 / 2
    assert moved.renyi(70.0 / size * (1 + 1e-9)) == math.inf
    places = np.array([0.0, 0.5, 3.0, 40.0])
    assert (moved.profile(places) >= GaussianLoss(float(size * shift)).profile(places)).all()


@pytest.mark.parametrize("other", [1e-4, 0.3])
def test_inputs_moved_together_lose_no_less_than_the_one_that_loses_most(other: float) -> None:
    """Randomized response of 5, and one of little: the other input may have no effect, or that of a second answer."""
    places = np.array([0.0, 1e-5, 0.5, 1.0, 3.0, 4.9])
    truth = (math.exp(5.0) - np.exp(places)) / (math.exp(5.0) + 1.0)
    for both in ((ResponseLoss(5.0), LaplaceLoss(other)), (LaplaceLoss(other), ResponseLoss(5.0))):
        found = TogetherLoss(*both).profile(places)
        assert (found >= truth * (1.0 - 1e-12)).all()


@pytest.mark.parametrize("ratio", [0.2, 1.0, 3.0])
def test_a_generalized_gaussian_has_the_line_of_its_curve_or_none(ratio: float) -> None:
    """Of e^{−|x|²} moved by r, D_α = αr²; of a higher power, a tail e^{−|x|^p} moved by r loses without end."""
    assert ratio**2 <= zcdp(GeneralizedGaussianLoss(2.0, ratio)) <= ratio**2 * (1 + 1e-12)
    assert zcdp(GeneralizedGaussianLoss(3.0, ratio)) == math.inf
    assert zcdp(GeneralizedGaussianLoss(1.5, ratio)) == math.inf


@pytest.mark.parametrize("eps", [5e-324, 1e-318, 1e-200, 1e-100, 1e-9])
@pytest.mark.parametrize("leak", [1e-160, 1e-7])
def test_a_group_leaks_with_each_of_its_steps_however_small_its_epsilon(eps: float, leak: float) -> None:
    """δ(e^{kε} − 1)/(e^ε − 1) is kδ and next to nothing more, though the product of δ and ε is no double."""
    found = grouped(300, LeakyLoss(leak, ResponseLoss(eps))).leak
    assert 300 * Fraction(leak) <= Fraction(found) <= 300 * Fraction(leak) * Fraction(1 + 1e-6)
    assert epsilon(Group(of(300), given(Notion.APPROX, repr(eps), repr(leak))), "1e-170") == math.inf


@pytest.mark.parametrize("size", [563_819_775_967, 583_213_458_480_217_521])
def test_a_group_of_so_many_steps_that_a_double_rounds_them_costs_all(size: int) -> None:
    for each in (0.7662125617666959, 0.20104037898360005):
        exact_size, moved = Fraction(size), Fraction(each)
        assert exact_size * moved <= Fraction(grouped(size, LaplaceLoss(each)).pure)
        for loss in (CurveLoss(each), DiscreteGaussianLoss(1, 1e3, each / size**2)):
            slope = zcdp(loss)
            assert exact_size**2 * Fraction(slope) <= Fraction(zcdp(grouped(size, loss)))
        gaussian = grouped(size, GaussianLoss(each))
        assert isinstance(gaussian, GaussianLoss)
        assert exact_size * moved <= Fraction(gaussian.mu)
        assert exact_size * moved <= Fraction(grouped(size, DiscreteLaplaceLoss(each, 3)).pure)


def test_a_group_of_a_discrete_gaussian_moves_as_many_times_as_many_steps() -> None:
    found = grouped(2, DiscreteGaussianLoss(3, 4.0, 9 / 32))
    assert found == DiscreteGaussianLoss(6, 4.0, pytest.approx(36 / 32, rel=1e-12))
    assert grouped(60, DiscreteGaussianLoss(3, 4.0, 9 / 32)) == CurveLoss(pytest.approx(180**2 / 32, rel=1e-12))


def test_a_high_order_makes_much_of_a_shift_whose_square_is_no_double() -> None:
    assert 1e-40 <= GeneralizedGaussianLoss(2.0, 1e-170).renyi(1e300) <= 1e-40 * (1 + 1e-12)


def test_the_last_digit_of_a_large_exponent_counts() -> None:
    """δ(e^{kε} − 1)/(e^ε − 1) of a δ so small that kε may be hundreds, and δ₁ + e^{ε₁} δ₂ + e^{ε₁ + ε₂} δ₃."""
    draw, leak = Random(0), mp.mpf(1e-290)
    with mp.workdps(40):
        for _ in range(60):
            size = draw.randint(2, 40)
            eps = draw.uniform(100.0, 600.0) / size
            truth = leak * mp.expm1(size * mp.mpf(eps)) / mp.expm1(eps)
            found = grouped(size, LeakyLoss(1e-290, ResponseLoss(eps))).leak
            assert truth <= found <= truth * (1 + mp.mpf("1e-12"))
            low, middle, high = (mp.mpf(each) for each in sorted(draw.uniform(1.0, 300.0) for _ in range(3)))
            _, found = joint_approx([(float(each), 1e-290) for each in (low, middle, high)])
            assert leak * (1 + mp.exp(low) + mp.exp(low + middle)) <= found


def at_order(cost: Cost, alpha: str) -> float:
    """The Rényi ε of a term at an order that a release names which costs next to nothing."""
    order, eps = valued(Seq((cost, gauss(Notion.RENYI, alpha, "1e-12"))), Notion.RENYI)
    assert order == float(alpha)
    return eps


@pytest.mark.parametrize("alpha", ["1.5", "4", "32"])
@pytest.mark.parametrize("size", [2, 5])
def test_at_an_order_a_group_of_a_pure_body_costs_what_as_many_epsilon_do(size: int, alpha: str) -> None:
    """Randomized response at k⋅ε is k steps of ε. Where less is known to be lost, as of a range of ε, k²ρα is less."""
    for eps in ("0.05", "1", "6"):
        found = at_order(Group(of(size), given(Notion.PURE, eps)), alpha)
        largest = response_renyi(size * float(eps), float(alpha))
        assert largest <= found * (1 + 1e-9) <= largest * (1 + 1e-6)
    line = size * size * 0.01**2 / 8 * float(alpha)
    assert at_order(Group(of(size), exponential("0.01")), alpha) == pytest.approx(line, rel=1e-6)


def test_where_no_order_is_named_rows_and_inputs_that_move_together_cost_the_sum_of_their_epsilon() -> None:
    sampled = Sampled("poisson", of("0.5"), laplace(1))
    assert valued(Group(of(2), laplace(5)), Notion.RENYI) == [math.inf, 10.0]
    assert valued(Group(of(2), sampled), Notion.RENYI) == valued(Repeat(of(2), sampled), Notion.RENYI)
    assert valued(Together((laplace(1), Group(of(2), laplace(3)))), Notion.RENYI) == [math.inf, 7.0]
    for cost in (Group(of(2), gauss(Notion.ZCDP, 1)), Together((laplace(1), gauss(Notion.RENYI, 4, 1)))):
        assert isinstance(price(cost, Notion.RENYI), Refusal)
