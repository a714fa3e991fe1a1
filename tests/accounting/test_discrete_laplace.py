"""The discrete Laplace's own loss, against sums over the integers to fifty digits."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from duetpy.accounting.certify import tight
from duetpy.accounting.losses.derived import grouped, shared, zcdp
from duetpy.accounting.losses.discrete_laplace import (
    LARGEST_SHIFT,
    DiscreteLaplaceLoss,
    discrete_laplace_renyi_at,
    discrete_laplace_rho_at,
    shared_steps,
)
from duetpy.accounting.losses.losses import PROFILE_ERROR, LaplaceLoss, ResponseLoss, laplace_rho, response_rho
from duetpy.accounting.losses_of_cost import atom_loss
from duetpy.accounting.price import Price, numbers, price
from duetpy.typecheck.cost import Atom, Group, Repeat, Sampled, Seq, Together
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from tests.effort import often
from tests.typecheck.judging import costs

SIZES = (1e-6, 0.03, 1.0, 5.0, 60.0)
STEPS = (1, 2, 3, 9, 40)
ORDERS = (1.0001, 1.1, 2.0, 3.5, 16.0, 300.0, 1e5)


def of(number: float | str) -> Quantity:
    return Quantity.of(str(number))


def noise(eps: str, steps: int | None) -> Atom:
    return Atom("dlaplace", (of(eps),), None, steps)


def losses(eps: float, steps: int) -> list[tuple[mp.mpf, mp.mpf]]:
    """Every loss of a shift by all steps, and its chance."""
    a = mp.mpf(eps) / steps
    q = mp.exp(-a)
    inside = [(a * (steps - 2 * x), mp.tanh(a / 2) * q**x) for x in range(1, steps)]
    return [(mp.mpf(eps), 1 / (1 + q)), *inside, (-mp.mpf(eps), q**steps / (1 + q))]


def profile(known: list[tuple[mp.mpf, mp.mpf]], at: float) -> mp.mpf:
    return mp.fsum(chance * -mp.expm1(mp.mpf(at) - loss) for loss, chance in known if loss > mp.mpf(at))


def renyi(known: list[tuple[mp.mpf, mp.mpf]], alpha: float) -> mp.mpf:
    order = mp.mpf(alpha) - 1
    return mp.log(mp.fsum(chance * mp.exp(order * loss) for loss, chance in known)) / order


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("eps", SIZES)
@pytest.mark.sparse(3)
def test_the_losses_are_those_of_the_noise(eps: float, steps: int) -> None:
    """The list that the other tests rest on, from the law itself: Σ (P − e^t Q)₊ over the integers."""
    with mp.workdps(50):
        a, known = mp.mpf(eps) / steps, losses(eps, steps)
        assert abs(mp.fsum(chance for _, chance in known) - 1) < mp.mpf(10) ** -45
        if eps < 1:
            return
        reach = int(300 / float(a)) + steps
        law = {x: mp.tanh(a / 2) * mp.exp(-a * abs(x)) for x in range(-reach, reach + 1)}
        for at in (0.0, eps / 3):
            grown = mp.exp(mp.mpf(at))
            summed = mp.fsum(max(mp.mpf(0), p - grown * law.get(x - steps, mp.mpf(0))) for x, p in law.items())
            assert abs(summed - profile(known, at)) < mp.mpf(10) ** -40


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("eps", SIZES)
@pytest.mark.sparse(4)
def test_every_view_of_the_loss_is_the_truth_rounded_up(eps: float, steps: int) -> None:
    loss = DiscreteLaplaceLoss(eps, steps)
    with mp.workdps(50):
        known = losses(eps, steps)
        for alpha in ORDERS:
            true = renyi(known, alpha)
            assert true <= mp.mpf(loss.renyi(alpha)) <= true * (1 + mp.mpf(10) ** -11) + mp.mpf(10) ** -13 / (alpha - 1)
        rho = mp.fsum(loss_ * chance for loss_, chance in known)
        assert rho <= mp.mpf(discrete_laplace_rho_at(eps, steps)) <= rho * (1 + mp.mpf(10) ** -12)
        corners = [float(value) for value, _ in known]
        places = [0.0, eps / 7, eps / 2, eps * (1 - 1e-9), 1.5 * eps, *corners, *(c * (1 + 1e-13) for c in corners)]
        for at, claim in zip(places, loss.profile(np.array(places)), strict=True):
            true = profile(known, at)
            assert true <= mp.mpf(float(claim)) * (1 + mp.mpf(PROFILE_ERROR))
            assert mp.mpf(float(claim)) <= true * (1 + mp.mpf(10) ** -12) + mp.mpf(10) ** -300


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("eps", SIZES)
@pytest.mark.sparse(4)
def test_no_order_costs_more_than_its_multiple_of_the_mean(eps: float, steps: int) -> None:
    """D_α ≤ α D₁, which is proved, at orders from 1 on."""
    with mp.workdps(50):
        known = losses(eps, steps)
        mean = mp.fsum(loss * chance for loss, chance in known)
        for power in range(-16, 40):
            alpha = 1 + 10.0 ** (power / 8)
            assert renyi(known, alpha) <= alpha * mean * (1 + mp.mpf(10) ** -30)


def test_it_lies_between_randomized_response_and_laplace_noise() -> None:
    for eps in SIZES:
        rhos = [discrete_laplace_rho_at(eps, steps) for steps in (1, 2, 4, 30, 10**6, LARGEST_SHIFT)]
        assert rhos == sorted(rhos, reverse=True)
        assert rhos[0] == pytest.approx(response_rho(eps), rel=1e-11)
        assert rhos[-1] == pytest.approx(laplace_rho(eps), rel=1e-11)
    places = np.linspace(0.0, 2.0, 41)
    for steps in (2, 5, 1000):
        found = DiscreteLaplaceLoss(2.0, steps).profile(places)
        assert (found <= ResponseLoss(2.0).profile(places) * (1 + 1e-12)).all()
        assert (found >= LaplaceLoss(2.0).profile(places) * (1 - 1e-12)).all()


def test_a_larger_scale_hides_more() -> None:
    """A run rounds its scale up."""
    places = np.linspace(0.0, 3.0, 61)
    for steps in (2, 7):
        small, large = DiscreteLaplaceLoss(3.0, steps), DiscreteLaplaceLoss(3.0 * (1 - 1e-6), steps)
        assert (large.profile(places) <= small.profile(places) * (1 + 1e-12)).all()
        assert all(large.renyi(alpha) <= small.renyi(alpha) for alpha in ORDERS)


def composed(eps: float, steps: int, count: int, at: float) -> mp.mpf:
    """δ of so many copies, exactly: losses are whole multiples of ε/s."""
    a = mp.mpf(eps) / steps
    single = {round(value / a): chance for value, chance in losses(eps, steps)}
    sums = {0: mp.mpf(1)}
    for _ in range(count):
        after: dict[int, mp.mpf] = {}
        for place, chance in sums.items():
            for more, other in single.items():
                after[place + more] = after.get(place + more, mp.mpf(0)) + chance * other
        sums = after
    return profile([(place * a, chance) for place, chance in sums.items()], at)


@pytest.mark.parametrize(
    ("eps", "steps", "count", "delta"),
    [
        ("0.1", 5, 30, 1e-6),
        ("0.5", 2, 20, 1e-9),
        pytest.param("0.02", 30, 50, 1e-4, marks=pytest.mark.thorough),
        ("1", 4, 1, 1e-3),
    ],
)
def test_the_certified_epsilon_of_many_is_the_exact_one(eps: str, steps: int, count: int, delta: float) -> None:
    cost = Repeat(of(count), noise(eps, steps)) if count > 1 else noise(eps, steps)
    found = tight(cost, {}, delta)
    with mp.workdps(40):
        assert composed(float(eps), steps, count, found.epsilon) <= mp.mpf(delta) * (1 + mp.mpf(10) ** -12)
        assert composed(float(eps), steps, count, found.epsilon * (1 - 1e-4)) > mp.mpf(delta)


@pytest.mark.parametrize(
    ("eps", "steps", "count", "delta", "factor"),
    [("1", 20, 1, 0.3, 1.6), ("0.1", 20, 100, 1e-6, 1.015), ("3", 5, 10, 1e-2, 1.04)],
)
def test_it_is_cheaper_than_its_epsilon_alone(eps: str, steps: int, count: int, delta: float, factor: float) -> None:
    known, alone = (tight(Repeat(of(count), noise(eps, s)), {}, delta).epsilon for s in (steps, None))
    assert known * factor < alone


def test_groups_and_shared_inputs_move_further() -> None:
    loss = DiscreteLaplaceLoss(0.5, 2)
    tripled = grouped(3, loss)
    assert isinstance(tripled, DiscreteLaplaceLoss)
    assert tripled.steps == 6
    assert tripled.eps == pytest.approx(1.5)
    both = shared([loss, DiscreteLaplaceLoss(0.75, 3)])
    assert isinstance(both, DiscreteLaplaceLoss)
    assert (both.steps, both.eps) == (5, pytest.approx(1.25))
    # Other noise: all that is known is the sum of the ε.
    assert shared_steps([loss, DiscreteLaplaceLoss(0.5, 3)]) is None
    assert shared_steps([ResponseLoss(0.5), loss]) is None
    mixed = shared([loss, DiscreteLaplaceLoss(0.5, 3)])
    assert isinstance(mixed, ResponseLoss)
    assert mixed.eps == pytest.approx(1.0)
    assert zcdp(both) == discrete_laplace_rho_at(both.eps, 5)


@pytest.mark.parametrize(
    "cost",
    [
        Group(of(3), noise("0.2", 2)),
        Together((noise("0.2", 2), noise("0.2", 2))),
        Seq(tuple(noise(f"{0.01 + i / 1000:.3f}", 1 + i % 7) for i in range(often(150, 40)))),
        Sampled("poisson", of("0.1"), Repeat(of(4), noise("0.3", 3))),
        Sampled("sample", of("0.1"), noise("1", 3)),
    ],
)
def test_it_costs_no_more_than_its_epsilon_alone_anywhere(cost: Group) -> None:
    from attrs import evolve

    def forgotten(term: object) -> object:
        match term:
            case Atom():
                return evolve(term, steps=None)
            case Seq(parts):
                return Seq(tuple(forgotten(part) for part in parts))
            case Together(parts):
                return Together(tuple(forgotten(part) for part in parts))
            case Group() | Repeat() | Sampled():
                return evolve(term, body=forgotten(term.body))
            case _:
                raise TypeError(term)

    for delta in (1e-3, 1e-6):
        assert tight(cost, {}, delta).epsilon <= tight(forgotten(cost), {}, delta).epsilon * (1 + 1e-6)


def test_the_checker_says_by_how_many_steps_the_number_moves() -> None:
    text = "pλ . x : ℕ ⇒ dlaplace[{}, 1.0] <x> {{ {} ⋅ x }}"
    assert [cost.steps for cost in costs(text.format("3.0", 3), Notion.ZCDP) if isinstance(cost, Atom)] == [3]
    assert [cost.steps for cost in costs(text.format("auto", 2), Notion.PURE) if isinstance(cost, Atom)] == [2]
    assert [cost.steps for cost in costs(text.format("2.5", 2), Notion.PURE) if isinstance(cost, Atom)] == [None]
    (cost,) = costs(text.format("2.0", 2), Notion.RENYI)
    assert isinstance(cost, Atom)
    assert isinstance(atom_loss(cost, {}), DiscreteLaplaceLoss)


def test_the_prices_are_formulas_of_epsilon_and_the_steps() -> None:
    found = price(noise("1", 3), Notion.ZCDP)
    assert isinstance(found, Price)
    assert found.show() == {"rho": "1 - (1 - exp(-1))⋅1/(3⋅sinh(1/3))"}
    assert found.show(ascii=True) == {"rho": "1 - (1 - exp(-1))*1/(3*sinh(1/3))"}
    value = numbers(noise("1", 3), Notion.ZCDP, {})
    assert isinstance(value, dict)
    rho = value["rho"]
    assert rho is not None
    with mp.workdps(40):
        exact = 1 - (1 - mp.exp(-1)) / (3 * mp.sinh(mp.mpf(1) / 3))
        assert exact <= mp.mpf(rho) <= exact * (1 + mp.mpf(10) ** -11)
    for unknown in (noise("1", None), noise("1", 1), Atom("dlaplace", (of(1),), None, 2 * LARGEST_SHIFT)):
        alone = price(unknown, Notion.ZCDP)
        assert isinstance(alone, Price)
        assert alone.show() == {"rho": "tanh(0.5)"}


def test_extremes_are_bounded() -> None:
    for loss in (DiscreteLaplaceLoss(1e5, 3), DiscreteLaplaceLoss(1e-200, 3), DiscreteLaplaceLoss(0.0, 3)):
        for alpha in (1.0 + 1e-9, 2.0, 1e9):
            assert 0.0 <= loss.renyi(alpha) <= loss.eps * (1 + 1e-12)
        values = loss.profile(np.array([-1.0, 0.0, 1e-300, 1.0, 1e6]))
        assert (values >= 0.0).all()
        assert (values <= 1.0).all()
    assert discrete_laplace_rho_at(math.inf, 3) == math.inf
    assert Fraction(discrete_laplace_rho_at(1e5, 3)) <= 10**5 + 1


@pytest.mark.parametrize("eps", [5e-324, 1e-323, 1e-320, 2e-310])
def test_steps_that_lose_less_than_any_double_have_a_curve(eps: float) -> None:
    """ε/s is 0 for them, and no quotient of two differences that are 0."""
    for steps in (7, 512, LARGEST_SHIFT):
        for alpha in (1.0 + 1e-9, 2.0, 1e6):
            assert 0.0 < discrete_laplace_renyi_at(eps, alpha, steps) <= eps
