"""The loss of one discrete Gaussian number against sums over the integers, and where it is not used."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import mpmath as mp
import numpy as np
import pytest

import duetpy
from duetpy.accounting.certify import tight
from duetpy.accounting.losses.derived import grouped
from duetpy.accounting.losses.discrete import DiscreteGaussianLoss
from duetpy.accounting.losses.losses import PROFILE_ERROR, CurveLoss, Loss, gaussian_profile
from duetpy.accounting.losses_of_cost import atom_loss
from duetpy.runtime.release.mechanisms import MARGIN
from duetpy.typecheck import types as t
from duetpy.typecheck.cost import Atom, Cost, Repeat
from duetpy.typecheck.notions import Notion
from tests.accounting.terms import of

with mp.workdps(50):
    RAISED = mp.mpf(MARGIN.numerator) / mp.mpf(MARGIN.denominator)
"""By what a run raises σ."""


@cache
def law(sigma: mp.mpf) -> dict[int, mp.mpf]:
    reach = math.ceil(42 * float(sigma)) + 2
    raw = {x: mp.exp(-mp.mpf(x * x) / (2 * sigma * sigma)) for x in range(-reach, reach + 1)}
    total = mp.fsum(raw.values())
    return {x: value / total for x, value in raw.items()}


def delta_of(found: dict[int, mp.mpf], shift: int, eps: float) -> mp.mpf:
    """Σ (P(x − shift) − e^ε P(x))₊."""
    grown = mp.exp(mp.mpf(eps))
    return mp.fsum(max(mp.mpf(0), value - grown * found.get(x + shift, mp.mpf(0))) for x, value in found.items())


def number(steps: int, rho: str) -> Atom:
    return Atom("dgauss", (of(rho),), Notion.ZCDP, steps)


def at(loss: Loss, eps: float) -> float:
    return float(loss.profile(np.array([eps]))[0])


@pytest.mark.parametrize(
    ("steps", "rho"),
    [
        (1, "0.5"),
        (1, "0.02"),
        (2, "0.5"),
        (3, "4"),
        pytest.param(5, "0.1", marks=pytest.mark.thorough),
        (1, "8"),
        (7, "30"),
    ],
)
@pytest.mark.sparse(2)
def test_the_profile_is_the_sum_over_the_integers(steps: int, rho: str) -> None:
    loss = atom_loss(number(steps, rho), {})
    assert isinstance(loss, DiscreteGaussianLoss)
    sigma = steps / mp.sqrt(2 * mp.mpf(rho))
    jump = float(steps / sigma**2)
    for eps in (-1.0, 0.0, jump / 2, jump, 0.3, 1.0, 3 * jump, 2.5, 6.0):
        claimed = at(loss, eps) * (1 + PROFILE_ERROR)
        for share in (mp.mpf(1), (1 + RAISED) / 2, RAISED):
            found = law(sigma * share)
            assert all(delta_of(found, shift, eps) <= claimed for shift in range(-steps, steps + 1))
        exact = delta_of(law(sigma), steps, eps)
        if exact > 1e-12:
            assert claimed <= exact * (1 + 1e-4) + mp.mpf(1e-12)


@pytest.mark.parametrize(
    ("steps", "sigma", "eps"),
    [(262, 9.59598229491478, 671.1589927185273), (838, 30.26821298147343, 679.7810857706152)],
)
def test_a_tail_that_is_next_to_no_double_is_not_taken_off(steps: int, sigma: float, eps: float) -> None:
    """e^ε F̄(k) is not known better than F̄(k), of which a double below 1e-308 holds few digits."""
    scale, grown = mp.mpf(sigma), mp.exp(mp.mpf(eps))
    total = mp.jtheta(3, 0, mp.exp(-1 / (2 * scale**2)))
    best = math.ceil(eps * sigma**2 / steps + steps / 2)

    def tail(first: int) -> mp.mpf:
        return mp.fsum(mp.exp(-mp.mpf(x * x) / (2 * scale**2)) for x in range(first, first + 600)) / total

    exact = max(tail(k - steps) - grown * tail(k) for k in (best - 1, best, best + 1))
    claimed = at(DiscreteGaussianLoss(steps, sigma, 0.5 * (steps / sigma) ** 2 * (1 + 1e-12)), eps)
    assert exact <= claimed <= 4 * exact + mp.mpf(1e-299)


def test_half_a_step_less_noise_would_be_refuted() -> None:
    """The sums would not let through a σ that is one percent smaller than the one that the loss is for."""
    loss = atom_loss(number(2, "0.5"), {})
    assert any(delta_of(law(mp.mpf(2) * mp.mpf("0.99")), 2, eps) > at(loss, eps) for eps in (0.1, 0.5, 1.0, 2.0))
    assert any(delta_of(law(mp.mpf(2)), 3, eps) > at(loss, eps) for eps in (0.1, 0.5, 1.0, 2.0))


def test_it_is_no_gaussian() -> None:
    """For Δ = σ = 1 the discrete law has a larger δ at some ε than N(0, 1) has."""
    loss = atom_loss(number(1, "0.5"), {})
    eps = np.linspace(0.0, 3.0, 61)
    assert (loss.profile(eps) > gaussian_profile(eps, 1.0) * 1.05).any()


@cache
def law_of_two(sigma: mp.mpf) -> dict[int, mp.mpf]:
    """The law of the sum of two independent numbers."""
    found = law(sigma)
    both: dict[int, mp.mpf] = {}
    for x, first in found.items():
        for y, second in found.items():
            both[x + y] = both.get(x + y, mp.mpf(0)) + first * second
    return both


def twice(sigma: mp.mpf, steps: int, eps: float) -> mp.mpf:
    """δ of two independent numbers: their loss is that of the sum of both outcomes, as it is linear in each."""
    grown = mp.mpf(eps)
    return mp.fsum(
        value * max(mp.mpf(0), 1 - mp.exp(grown - (2 * steps * s + 2 * steps * steps) / (2 * sigma * sigma)))
        for s, value in law_of_two(sigma).items()
    )


@pytest.mark.parametrize(("steps", "rho"), [(1, "0.5"), (2, "0.3")])
def test_two_numbers_cost_what_their_joint_law_says(steps: int, rho: str) -> None:
    sigma = steps / mp.sqrt(2 * mp.mpf(rho))
    for delta in (Fraction(1, 1000), Fraction(1, 10**6)):
        found = tight(Repeat(of(2), number(steps, rho)), {}, delta).epsilon
        assert twice(sigma, steps, found) <= mp.mpf(float(delta)) * (1 + mp.mpf(1e-12))
        assert twice(sigma, steps, found * 0.999) > mp.mpf(float(delta))


def test_it_is_tighter_than_the_curve_and_the_curve_is_kept_where_steps_are_unknown() -> None:
    for rho in ("0.02", "0.5", "3"):
        curve = tight(Atom("dgauss", (of(rho),), Notion.ZCDP), {}, Fraction(1, 10**6)).epsilon
        assert 0.8 * curve < tight(number(1, rho), {}, Fraction(1, 10**6)).epsilon < 0.995 * curve
    assert isinstance(atom_loss(Atom("dgauss", (of("0.5"),), Notion.ZCDP), {}), CurveLoss)
    assert isinstance(atom_loss(number(1, "1e-9"), {}), CurveLoss)
    assert isinstance(atom_loss(number(1, "1000"), {}), CurveLoss)


def test_a_group_moves_by_so_many_steps() -> None:
    loss = grouped(3, atom_loss(number(1, "0.5"), {}))
    assert 9.0 <= loss.renyi(2.0) <= 9.0 * (1 + 1e-9)
    found = law(mp.mpf(1))
    for eps in (0.0, 1.0, 4.0):
        assert delta_of(found, 3, eps) <= at(loss, eps) <= delta_of(found, 3, eps) * (1 + 1e-6) + mp.mpf(1e-12)


def cost_of(text: str, notion: str) -> Cost:
    found = duetpy.parse(text, notion=notion).typed
    assert found is not None
    assert isinstance(found.type, t.PFun)
    return found.type.parameters[0].cost


def test_the_checker_records_whole_known_sensitivities_only() -> None:
    assert cost_of("pλ . x : ℕ ⇒ dgauss[auto, 0.5] <x> { 2 ⋅ x }", "zcdp") == number(2, "0.5")
    assert cost_of("pλ . x : ℕ ⇒ dgauss[1.5, 0.5] <x> { x }", "zcdp") == Atom("dgauss", (of("0.5"),), Notion.ZCDP)
    unknown = cost_of("pλ k : ℕ . x : ℕ, k : ℕ[k] ⇒ dgauss[auto, 0.5] <x> { k ⋅ x }", "zcdp")
    assert unknown == Atom("dgauss", (of("0.5"),), Notion.ZCDP)
    assert number(2, "0.5") != number(1, "0.5")


def test_the_calibration_for_eps_and_delta_has_its_own_loss_too() -> None:
    atom = Atom("dgauss", (of(1), of("1e-6")), Notion.APPROX, 1)
    assert tight(atom, {}, Fraction(1, 10**6)).epsilon < 0.95
    assert tight(atom, {}, Fraction(1, 10**6)).epsilon > 0.9
