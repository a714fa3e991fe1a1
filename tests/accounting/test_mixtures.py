"""Groups of rows that coins keep before Gaussian noise: exact mixtures of Gaussians from both sides, and laws within them."""

import math
from fractions import Fraction
from functools import reduce
from itertools import pairwise, product
from random import Random

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import fft
from scipy.special import ndtr

from duetpy.accounting.certify import tight
from duetpy.accounting.losses.derived import ChoiceLoss, ComposedLoss, GroupLoss, grouped, zcdp
from duetpy.accounting.losses.losses import PROFILE_ERROR, GaussianLoss, LaplaceLoss, Loss
from duetpy.accounting.losses.mixtures import LARGEST_GROUP, MixtureLoss, OneWayLoss, hockey_stick
from duetpy.accounting.losses.sampled import FixedLoss, PoissonLoss
from duetpy.accounting.losses_of_cost import composition, each_way
from duetpy.accounting.price import Refusal, price
from duetpy.typecheck.cost import Choice, Cost, Group, Repeat, Sampled, Seq, substitute
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Kind, KindVar, Quantity
from tests.accounting.terms import gauss, laplace, of

Array = NDArray[np.float64]


def chances(count: int, rate: float) -> list[mp.mpf]:
    q = mp.mpf(rate)
    return [mp.binomial(count, i) * q**i * (1 - q) ** (count - i) for i in range(count + 1)]


def polynomial(weights: list[mp.mpf], x: mp.mpf) -> mp.mpf:
    return reduce(lambda total, weight: total * x + weight, reversed(weights))


@mp.workdps(60)
def truth(gone: int, come: int, rate: float, mu: float, eps: float) -> mp.mpf:
    """H_{e^ε} of the two mixtures, from the place where their densities are e^ε to 1."""
    ahead, behind, m = chances(gone, rate), chances(come, rate), mp.mpf(mu)
    if gone == 0 and eps >= -come * mp.log(1 - mp.mpf(rate)):
        return mp.mpf(0)

    gains = [w * mp.exp(-((i * m) ** 2) / 2) for i, w in enumerate(ahead)]
    losses = [w * mp.exp(-((j * m) ** 2) / 2) for j, w in enumerate(behind)]

    def excess(z: mp.mpf) -> mp.mpf:
        moved = mp.exp(m * z)
        return mp.log(polynomial(gains, moved)) - mp.log(polynomial(losses, 1 / moved)) - mp.mpf(eps)

    low, high = mp.mpf(-1), mp.mpf(1)
    while excess(high) < 0:
        high *= 2
    while excess(low) > 0:
        low *= 2
    # What is found moves by the square of what the place is off by.
    low = mp.findroot(excess, (low, high), solver="illinois", tol=mp.mpf(10) ** -80, maxsteps=200, verify=False)

    def above(z: mp.mpf) -> mp.mpf:
        return mp.erfc(z / mp.sqrt(2)) / 2

    p = sum(w * above(low - i * m) for i, w in enumerate(ahead))
    return p - mp.exp(mp.mpf(eps)) * sum(w * above(low + j * m) for j, w in enumerate(behind))


PAIRS = [(1, 0), (0, 1), (2, 0), (1, 1), (5, 0), (3, 2), (1, 4), (0, 5), (20, 0), (9, 11)]


@pytest.mark.parametrize(("gone", "come"), PAIRS)
@pytest.mark.parametrize(
    ("rate", "mu"), [(1e-6, 1e-4), (0.01, 0.02), (0.01, 1.0), (0.3, 3.0), (0.9, 0.5), (0.99, 40.0)]
)
@pytest.mark.sparse(7)
def test_a_profile_is_that_of_two_mixtures_and_never_below(gone: int, come: int, rate: float, mu: float) -> None:
    steps = gone + come
    places = [0.0, 1e-3 * mu * rate * steps, 0.3 * mu, mu * mu * steps / 2, -0.9 * come * math.log1p(-rate)]
    found = hockey_stick(gone, come, rate, mu, np.array(places))
    for eps, upper in zip(places, found, strict=True):
        exact = float(truth(gone, come, rate, mu, eps))
        assert exact <= upper * (1 + PROFILE_ERROR)
        assert upper <= exact * (1 + 1e-9) + 1e-25


@pytest.mark.parametrize(
    ("gone", "come", "rate", "mu", "place"),
    [
        (
            1,
            0,
            1e-20,
            1.0,
            30.0,
        ),  # where the density of a shift falls by a factor of e^30 over it, and the loss is next to 0
        (1, 1, 1e-24, 0.9, 36.0),
        (3, 0, 1e-16, 0.5, 35.0),
        (
            8,
            0,
            0.5,
            1e4,
            8e4 + 35.0,
        ),  # where the last digit of a place moves the tail by a share of 1e-8
        (5, 3, 0.9, 1e5, 5e5 + 30.0),
        (1, 0, 1e-6, 1e7, 1e7 + 36.0),
    ],
)
def test_a_profile_far_out_is_never_below_the_truth(gone: int, come: int, rate: float, mu: float, place: float) -> None:
    ahead, behind = chances(gone, rate), chances(come, rate)
    with mp.workdps(40):
        above = sum(w * mp.exp(i * mu * mp.mpf(place) - (i * mp.mpf(mu)) ** 2 / 2) for i, w in enumerate(ahead))
        below = sum(w * mp.exp(-i * mu * mp.mpf(place) - (i * mp.mpf(mu)) ** 2 / 2) for i, w in enumerate(behind))
        eps = float(mp.log(above / below))
    exact = truth(gone, come, rate, mu, eps)
    found = mp.mpf(float(hockey_stick(gone, come, rate, mu, np.array([eps]))[0])) * (1 + PROFILE_ERROR)
    assert exact <= found <= exact * 1.5 + mp.mpf(1e-289)


@pytest.mark.parametrize(
    ("gone", "come", "rate", "mu"),
    [
        (32, 0, 1e-15, 0.6),  # the weights of the largest shifts are no doubles, and their densities are the largest
        (3, 0, 1e-120, 10.0),
        (2, 30, 1e-13, 0.7),
        (1, 31, 1 - 2.0**-50, 3.0),
        (32, 0, 1 - 2.0**-53, 0.1),
        (0, 32, 1 - 2.0**-53, 0.1),
        (4, 4, 0.5, 1e-9),
        (4, 4, 0.5, 1e3),
    ],
)
@pytest.mark.sparse(3)
def test_a_profile_is_never_below_the_truth_at_extreme_rates_and_distances(
    gone: int, come: int, rate: float, mu: float
) -> None:
    places = [0.0, 1e-9, 0.1, 1.0, 30.0, 600.0, 2000.0]
    with np.errstate(divide="raise", invalid="raise"):
        found = hockey_stick(gone, come, rate, mu, np.array(places))
    for eps, upper in zip(places, found, strict=True):
        exact = truth(gone, come, rate, mu, eps)
        assert exact <= mp.mpf(float(upper)) * (1 + PROFILE_ERROR)
        assert upper <= float(exact) * (1 + 1e-6) + 1e-15


def test_no_row_more_than_there_were_tells_more_than_that_none_was_drawn() -> None:
    """Rows come only: the largest loss is that none was drawn, −k log(1 − q), and beyond it the profile is 0."""
    limit = -3 * math.log1p(-0.25)
    below, beyond = hockey_stick(0, 3, 0.25, 1.0, np.array([limit * (1 - 1e-6), limit * (1 + 1e-9)]))
    assert 0.0 < below < 1e-9
    assert beyond == 0.0


@pytest.mark.parametrize(("size", "rate", "mu"), [(2, 0.01, 1.0), (3, 0.25, 2.0), (8, 0.1, 0.3)])
@pytest.mark.sparse(3)
def test_a_group_is_above_all_pairs_both_ways_at_few_places_and_at_many(size: int, rate: float, mu: float) -> None:
    loss = MixtureLoss(size, rate, mu)
    for count in (41, 1500, 20_001):
        places = np.linspace(-3.0 * mu * size, 3.0 * mu * size, count)
        found, chosen = loss.profile(places) * (1 + PROFILE_ERROR), Random(count).sample(range(count), 3)
        assert (found == loss.profile(places, True) * (1 + PROFILE_ERROR)).all()
        for at in chosen:
            assert found[at] >= max(two_sided(size - come, come, rate, mu, places[at]) for come in range(size + 1))


def two_sided(gone: int, come: int, rate: float, mu: float, eps: float) -> float:
    """H_{e^ε} at any real ε."""
    if eps >= 0.0:
        return float(truth(gone, come, rate, mu, eps))
    return float(1 - mp.exp(eps) + mp.exp(eps) * truth(come, gone, rate, mu, -eps))


@pytest.mark.parametrize(("fewest", "most"), [(0, 0), (1, 2), (0, 2)])
@pytest.mark.sparse(3)
def test_one_way_is_above_the_pairs_of_that_way_and_tells_the_directions_apart(fewest: int, most: int) -> None:
    loss = OneWayLoss(5, fewest, most, 0.2, 1.0)
    places = np.array([-4.0, -0.7, -0.01, 0.0, 0.3, 2.5, 9.0])
    for reverse in (False, True):
        found = loss.profile(places, reverse) * (1 + PROFILE_ERROR)
        for come in range(fewest, most + 1):
            gone, other = (come, 5 - come) if reverse else (5 - come, come)
            exact = np.array([two_sided(gone, other, 0.2, 1.0, eps) for eps in places])
            assert (exact <= found + 1e-15).all()
            if fewest == most:
                assert found == pytest.approx(exact, rel=1e-9)
    assert loss.profile(places)[5] > 1.5 * loss.profile(places, True)[5]
    assert loss.renyi(3.0) == pytest.approx(3 * 25 / 2)
    assert zcdp(loss) == zcdp(MixtureLoss(5, 0.2, 1.0)) == pytest.approx(25 / 2)


def test_one_step_is_the_sampled_mechanism_itself() -> None:
    places = np.linspace(-2.0, 4.0, 13)
    single = PoissonLoss(0.1, GaussianLoss(1.5))
    for reverse in (False, True):
        assert OneWayLoss(1, 0, 0, 0.1, 1.5).profile(places, reverse) == pytest.approx(
            single.profile(places, reverse), rel=1e-9
        )


@pytest.mark.parametrize(("size", "rate", "mu"), [(2, 0.01, 1.0), (4, 0.3, 0.5), (8, 0.01, 1.0), (3, 0.9, 2.0)])
def test_a_mixture_is_never_above_a_group_of_any_mechanism(size: int, rate: float, mu: float) -> None:
    places = np.linspace(-8.0, 20.0, 57)
    any_mechanism = GroupLoss(size, PoissonLoss(rate, GaussianLoss(mu))).profile(places)
    assert (MixtureLoss(size, rate, mu).profile(places) <= any_mechanism * (1 + 1e-9)).all()


# ---------------------------------------------------------------------------------------------------------------------
# What a group is taken for


def test_groups_of_rows_that_coins_keep_before_gaussian_noise_are_mixtures() -> None:
    drawn = PoissonLoss(0.1, GaussianLoss(0.7))
    assert grouped(3, drawn) == MixtureLoss(3, 0.1, 0.7)
    assert grouped(2, grouped(3, drawn)) == MixtureLoss(6, 0.1, 0.7)
    assert grouped(3, ComposedLoss(((drawn, 4),))) == ComposedLoss(((MixtureLoss(3, 0.1, 0.7), 4),))


def test_all_other_groups_are_groups_of_any_mechanism() -> None:
    gaussian = GaussianLoss(0.7)
    others: list[Loss] = [
        PoissonLoss(0.1, LaplaceLoss(0.7)),
        PoissonLoss(0.1, PoissonLoss(0.5, gaussian)),
        PoissonLoss(0.1, ComposedLoss(((gaussian, 1), (LaplaceLoss(0.1), 1)))),
        PoissonLoss(0.1, ChoiceLoss((gaussian, LaplaceLoss(0.1)))),
        FixedLoss(0.1, gaussian),
    ]
    for loss in others:
        assert grouped(3, loss) == GroupLoss(3, loss)
    many = PoissonLoss(0.1, gaussian)
    assert grouped(LARGEST_GROUP, many) == MixtureLoss(LARGEST_GROUP, 0.1, 0.7)
    assert grouped(LARGEST_GROUP + 1, many) == GroupLoss(LARGEST_GROUP + 1, many)
    assert grouped(2, MixtureLoss(LARGEST_GROUP, 0.1, 0.7)) == GroupLoss(2, MixtureLoss(LARGEST_GROUP, 0.1, 0.7))


def drawn(rate: str = "0.01", mu: str = "1") -> Cost:
    return Sampled("poisson", of(rate), gauss(Notion.GDP, mu))


def test_no_notion_prices_what_it_refused() -> None:
    for notion in (Notion.ZCDP, Notion.GDP, Notion.TCDP):
        assert isinstance(price(Group(of(3), drawn()), notion), Refusal)


def test_what_moves_alike_is_a_part_of_the_term() -> None:
    alike, apart = Group(of(3), drawn(), alike=True), Group(of(3), drawn())
    assert alike != apart
    size = KindVar.fresh("k", Kind.NAT)
    moved = substitute(Group(Quantity.var(size), drawn(), alike=True), {size: of(3)})
    assert moved == alike


# ---------------------------------------------------------------------------------------------------------------------
# Compositions


def least_epsilon(gone: int, come: int, rate: float, mu: float, count: int, delta: float, step: float) -> float:
    """An ε below which the composition of so many pairs surely has more than δ: outcomes in cells, losses rounded down."""
    edges = np.concatenate([[-np.inf], np.linspace(-9.0 - come * mu, 9.0 + gone * mu, 60_001), [np.inf]])
    p = sum(float(w) * np.diff(ndtr(edges - i * mu)) for i, w in enumerate(chances(gone, rate)))
    q = sum(float(w) * np.diff(ndtr(edges + j * mu)) for j, w in enumerate(chances(come, rate)))
    some = (p > 1e-280) & (q > 1e-280)
    places = np.floor(np.minimum(np.log(p[some] / q[some]), 60.0) / step).astype(int)
    low = int(places.min())
    size = fft.next_fast_len(int(150.0 / step), real=True)
    masses = np.zeros(size)
    np.add.at(masses, places - low, p[some])
    total = np.maximum(fft.irfft(fft.rfft(masses) ** count, size), 0.0)
    losses = (np.arange(size) + count * low) * step
    least, most = 0.0, 60.0
    for _ in range(50):
        eps = (least + most) / 2
        found = float((total * -np.expm1(np.minimum(eps - losses, 0.0))).sum())
        least, most = (eps, most) if found > delta * (1 + 1e-6) else (least, eps)
    return least


def epsilon(cost: Cost, delta: str = "1e-6") -> float:
    return tight(cost, {}, Fraction(delta)).epsilon


@pytest.mark.thorough(
    "test_no_way_of_four_rows_has_less_than_its_laws", "test_only_what_moves_alike_is_composed_one_way"
)
def test_eight_rows_in_a_hundred_batches_cost_8_09_and_not_47() -> None:
    batches = Repeat(of(100), drawn())
    alike = epsilon(Group(of(8), batches, alike=True))
    assert least_epsilon(8, 0, 0.01, 1.0, 100, 1e-6, 1e-4) <= alike <= 8.0906
    assert alike >= 8.0904
    assert alike < epsilon(Group(of(8), batches)) < 8.6400  # rows may go in one batch and come in another


@pytest.mark.parametrize("come", [0, 1, 2])
@pytest.mark.sparse(3)
def test_no_way_of_four_rows_has_less_than_its_laws(come: int) -> None:
    cost = Group(of(4), Repeat(of(20), drawn("0.05", "0.8")), alike=True)
    known = max(least_epsilon(4 - come, come, 0.05, 0.8, 20, 1e-6, 1e-4) for come in (come, 4 - come))
    assert epsilon(cost) >= known
    if come == 0:
        assert epsilon(cost) <= known * 1.001


def test_rows_that_go_here_and_come_there_are_within_a_group_that_is_not_alike() -> None:
    """Half of the samples lose what the others gain."""
    edges = np.concatenate([[-np.inf], np.linspace(-8.0, 12.0, 500), [np.inf]])
    p, q = (np.diff(ndtr(edges)), sum(float(w) * np.diff(ndtr(edges - i)) for i, w in enumerate(chances(2, 0.3))))
    here, there = np.multiply.outer(p, q), np.multiply.outer(q, p)
    found = epsilon(Group(of(2), Repeat(of(2), drawn("0.3"))), "0.01")
    assert float(np.maximum(here - math.exp(found) * there, 0.0).sum()) <= 0.01


def ways_of(cost: Cost) -> int:
    return len(each_way(cost, {}))


def test_only_what_moves_alike_is_composed_one_way() -> None:
    batches = Repeat(of(10), drawn())
    alike = Group(of(3), batches, alike=True)
    assert ways_of(alike) == ways_of(Seq((alike, laplace("0.1")))) == 2
    assert ways_of(Seq((alike, Group(of(2), batches)))) == 2  # the others are held both ways
    assert ways_of(Group(of(3), batches)) == 0
    assert ways_of(Seq((alike, batches))) == 0  # one row in a view of its own may come where others go
    assert ways_of(Seq((alike, Group(of(2), drawn("0.5"), alike=True)))) == 0  # and so may two
    assert ways_of(Repeat(of(2), alike)) == 0  # what is moved may be another view each time
    assert ways_of(Group(of(3), drawn(), alike=True)) == 0  # of one sample there is one way
    assert ways_of(Group(of(3), Repeat(of(10), laplace(1)), alike=True)) == 0
    assert ways_of(Group(of(LARGEST_GROUP + 1), batches, alike=True)) == 0
    parts = Repeat(of(10), drawn(), apart=True)
    assert ways_of(Group(of(2), parts, alike=True)) == 2
    assert (
        ways_of(Group(of(3), parts, alike=True)) == 0
    )  # some of three steps may move one part, and the others another
    mixed = each_way(Group(of(3), Seq((batches, Choice((drawn("0.2"), laplace(1))), laplace(1))), alike=True), {})
    whole = grouped(3, LaplaceLoss(1.0))
    for parts in mixed:
        assert dict(parts)[whole] == 1
        assert dict(parts)[ChoiceLoss((MixtureLoss(3, 0.2, 1.0), whole))] == 1


def test_what_is_beside_a_group_that_moves_alike_is_paid_too() -> None:
    alike = Group(of(3), Repeat(of(10), drawn("0.1")), alike=True)
    alone = epsilon(alike)
    assert epsilon(Seq((alike, gauss(Notion.GDP, 1)))) > alone + 1.0
    assert epsilon(Seq((alike, Group(of(2), Repeat(of(10), drawn("0.1")))))) > alone + 1.0
    assert composition(alike, {}) == ((MixtureLoss(3, 0.1, 1.0), 10),)


# ---------------------------------------------------------------------------------------------------------------------
# Laws of mechanisms


def cells(centre: float, edges: Array) -> Array:
    return np.diff(ndtr(np.concatenate([[-np.inf], edges, [np.inf]]) - centre))


Row = tuple[float, float, float, float]
"""What a row adds to the first sum, and to the second after each of three outcomes of the first."""


def released(rows: list[Row], kept: list[bool], first: Array, second: list[Array]) -> Array:
    """The law of two noisy sums in cells, the second of which is another one after each outcome of the first."""
    those = [row for row, is_kept in zip(rows, kept, strict=True) if is_kept]
    before = cells(sum(row[0] for row in those), first)
    after = [cells(sum(row[1 + at] for row in those), edges) for at, edges in enumerate(second)]
    return np.concatenate([chance * law for chance, law in zip(before, after, strict=True)])


def sampled_law(rows: list[Row], rate: float, first: Array, second: list[Array]) -> Array:
    law = np.zeros(sum(len(edges) + 1 for edges in second))
    for kept in product([False, True], repeat=len(rows)):
        chance = math.prod(rate if each else 1 - rate for each in kept)
        law += chance * released(rows, list(kept), first, second)
    return law


def random_row(draw: Random) -> Row:
    """‖(first, second)‖ ≤ 1 whatever the first outcome was."""
    angle, *others = (draw.choice([draw.uniform(-math.pi, math.pi), 0.0, math.pi / 2]) for _ in range(4))
    size = draw.choice([1.0, 1.0, draw.random()])
    rest = size * math.sin(angle)
    return (size * math.cos(angle), *(rest * draw.choice([1.0, -1.0, math.cos(turn)]) for turn in others))


@pytest.mark.parametrize("seed", range(12))
def test_laws_of_rows_in_any_directions_are_within_the_mixture(seed: int) -> None:
    """Rows that stay, rows that go and rows that come, and a second sum that depends on what the first one gave."""
    draw = Random(f"mixture {seed}")
    gone, come, stay = draw.choice([(2, 0, 1), (1, 1, 2), (3, 0, 0), (2, 1, 1), (0, 2, 1)])
    rate = draw.choice([0.1, 0.4, 0.8])
    common, going, coming = ([random_row(draw) for _ in range(count)] for count in (stay, gone, come))
    first = np.array(sorted(draw.uniform(-2, 3) for _ in range(2)))
    second = [np.array(sorted(draw.uniform(-3, 4) for _ in range(40))) for _ in range(3)]
    one, two = (sampled_law(common + rows, rate, first, second) for rows in (going, coming))
    places = np.array([0.0, 0.05, 0.3, 1.0, 2.0])
    bound = MixtureLoss(gone + come, rate, 1.0).profile(places) * (1 + PROFILE_ERROR)
    for p, q in ((one, two), (two, one)):
        for eps, upper in zip(places, bound, strict=True):
            assert float(np.maximum(p - math.exp(eps) * q, 0.0).sum()) <= upper + 1e-15


def test_rows_of_one_direction_attain_the_mixture() -> None:
    edges = np.linspace(-6.0, 9.0, 3000)
    p = sum(float(w) * cells(float(i), edges) for i, w in enumerate(chances(3, 0.4)))
    q = cells(0.0, edges)
    for eps in (0.1, 1.0, 3.0):
        attained = float(np.maximum(p - math.exp(eps) * q, 0.0).sum())
        bound = float(MixtureLoss(3, 0.4, 1.0).profile(np.array([eps]))[0])
        assert attained <= bound <= attained * (1 + 1e-4)


def test_a_profile_falls_and_is_convex_in_its_argument() -> None:
    places = np.log(np.linspace(1.0, 40.0, 400))
    found = MixtureLoss(4, 0.1, 0.9).profile(places)
    slopes = [(b - a) / (math.exp(y) - math.exp(x)) for (x, a), (y, b) in pairwise(zip(places, found, strict=True))]
    assert all(slope < 0.0 for slope in slopes)
    assert all(after >= before - 1e-12 for before, after in pairwise(slopes))
