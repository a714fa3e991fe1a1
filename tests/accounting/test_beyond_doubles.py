"""Parameters beyond the doubles and below them: no cost becomes small, or no number at all, because it is too large to be one."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random

import mpmath as mp
import numpy as np
import pytest

from duetpy.accounting import certify
from duetpy.accounting.conversions import truncated_epsilon_at
from duetpy.accounting.convert import calibrate_rho, zcdp_epsilon
from duetpy.accounting.estimates import Unestimated, estimates
from duetpy.accounting.kept_counts import sizes_counted
from duetpy.accounting.losses.derived import TogetherLoss
from duetpy.accounting.losses.discrete_laplace import discrete_laplace_renyi_at
from duetpy.accounting.losses.generalized_gaussian import GeneralizedGaussianLoss
from duetpy.accounting.losses.losses import GaussianLoss, LaplaceLoss, laplace_renyi, response_renyi
from duetpy.accounting.losses.subsampling import multiples
from duetpy.accounting.mechanisms.table import MECHANISMS
from duetpy.accounting.price import Refusal, numbers
from duetpy.cli.main import main
from duetpy.typecheck.cost import Atom, Choice, Converted, Cost, Given, Group, Repeat, Sampled, Seq, Shuffled
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity, QuantityTooLarge
from tests.accounting.terms import of
from tests.effort import often

Maker = Callable[[Quantity, Random], Cost]

RISING = ("1e-400", "5e-324", "1e-160", "1", "700", "1e16", "1e99", "1e101", "1e160", "1e308", "1e309", "1e400")
"""Parameters; the larger one costs more."""

COUNTS = ("1", "3", "1e20", "1e101", "1e309", "1e400")
NEXT_TO_ONE = "0.99999999999999999"
RATES = ("1e-400", "1e-320", "1e-20", "0.5", NEXT_TO_ONE, "1")
DELTAS = ("1e-400", "1e-320", "1e-20", "1e-6", NEXT_TO_ONE)
ORDERS_ABOVE_ONE = (1 + Fraction(1, 10**400), "1.5", "1e20", "1e309", "1e400")


def of_epsilon(name: str) -> Maker:
    return lambda size, draw: Atom(name, (size,))


def of_gaussian(name: str) -> Maker:
    def made(size: Quantity, draw: Random) -> Cost:
        notion, params = stated(size, draw)
        return Atom(name, params, notion, draw.choice([None, 1, 10**20]) if name == "dgauss" else None)

    return made


def stated(size: Quantity, draw: Random) -> tuple[Notion, tuple[Quantity, ...]]:
    """A cost in a notion that has Gaussian noise."""
    notion = draw.choice([Notion.APPROX, Notion.RENYI, Notion.ZCDP, Notion.TCDP, Notion.GDP])
    delta, order = of(draw.choice(DELTAS)), of(draw.choice(ORDERS_ABOVE_ONE))
    others = {Notion.APPROX: (size, delta), Notion.RENYI: (order, size), Notion.TCDP: (size, order)}
    return notion, others.get(notion, (size,))


MADE: tuple[Maker, ...] = (
    *map(of_epsilon, ("laplace", "exponential", "noisy-max", "gibbs", "above-threshold")),
    lambda size, draw: Atom("rand-resp", (of(draw.choice(["2", "1e20", "1e309"])), size)),
    lambda size, draw: Atom("dlaplace", (size,), None, draw.choice([None, 1, 5, 10**20, 10**400])),
    lambda size, draw: Atom("ggauss", (of(draw.choice(["1", "1.5", "2", "50", "1e309"])), size)),
    lambda size, draw: Atom("canonical", (size, of(draw.choice(DELTAS)))),
    lambda size, draw: Atom("keys", (size, of(draw.choice(DELTAS)))),
    of_gaussian("gauss"),
    of_gaussian("dgauss"),
    lambda size, draw: Given(*stated(size, draw)),
)

AROUND: tuple[Callable[[Cost, Random], Cost], ...] = (
    lambda body, draw: body,
    lambda body, draw: Repeat(of(draw.choice(COUNTS)), body),
    lambda body, draw: Group(of(draw.choice(COUNTS)), body),
    lambda body, draw: Seq((body, Atom("laplace", (of("1e-320"),)))),
    lambda body, draw: Choice((body, Atom("gauss", (of("1e-320"),), Notion.GDP))),
    lambda body, draw: Sampled(draw.choice(["sample", "poisson"]), of(draw.choice(RATES)), body),
    lambda body, draw: Shuffled(of(draw.choice(COUNTS)), body),
    lambda body, draw: Converted(draw.choice([Notion.ZCDP, Notion.GDP, Notion.PURE]), of("1e-400"), body),
)


@pytest.mark.parametrize("seed", range(often(400, 26)))
def test_a_larger_parameter_never_costs_less(seed: int) -> None:
    draw = Random(seed)
    mechanism, around = MADE[seed % len(MADE)], draw.choice(AROUND)
    target = Fraction(draw.choice(["0", *DELTAS]))
    known = dict.fromkeys(Notion, 0.0)
    certified = 0.0
    for size in RISING:
        choices = Random(seed)
        cost = around(mechanism(of(size), choices), choices)
        found = certify.bounds(cost, {}, target, quick=True)
        assert all(bound.epsilon >= 0.0 for bound in found)
        assert found[-1].epsilon >= certified * (1 - 1e-9)
        certified = found[-1].epsilon
        for notion in Notion:
            price = measured(cost, notion)
            if price is not None:
                assert price >= known[notion] * (1 - 1e-9)
                known[notion] = price


def measured(cost: Cost, notion: Notion) -> float | None:
    """What a cost is in a notion, in the letter that is no order and no δ; None where it has no price."""
    try:
        found = numbers(cost, notion, {})
    except QuantityTooLarge:
        return None
    number = None if isinstance(found, Refusal) else found[notion.measure]
    return None if isinstance(found, Refusal) else math.inf if number is None else number


@pytest.mark.parametrize("eps", [1e153, 1e155, 1e160, 1e300, 1.7e308])
def test_discrete_gaussian_noise_is_calibrated_for_an_epsilon_of_which_the_square_is_no_double(eps: float) -> None:
    """A search that began at ∞ ended at ρ = 0, which was certified as ε = 0."""
    rho = calibrate_rho(eps, 1e-6)
    assert 0.99 * eps < rho < eps
    assert zcdp_epsilon(rho, 1e-6) <= eps
    assert certify.tight(Atom("dgauss", (of("1e160"), of("1e-6")), Notion.APPROX), {}).epsilon >= 1e160


def test_noise_of_a_scale_beyond_the_doubles_has_a_cost() -> None:
    assert certify.tight(Atom("dgauss", (of("1e-780"),), Notion.ZCDP, 1), {}, Fraction(1, 10**6)).epsilon == 0.0


def test_randomized_response_of_more_answers_than_a_double_counts_has_a_cost() -> None:
    assert certify.tight(Atom("rand-resp", (of(10**400), of(1))), {}, 0).epsilon == 1.0


def test_a_loss_too_small_for_any_grid_leaves_the_other_bounds() -> None:
    cost = Seq((Atom("gauss", (of("1e50"),), Notion.GDP), Atom("laplace", (of("1e-328"),))))
    assert 4e99 < certify.tight(cost, {}, Fraction(1, 2)).epsilon < math.inf
    sampled = Sampled("sample", of("1e-320"), Seq((Atom("gibbs", (of("1e-330"),)), Atom("laplace", (of("1e-320"),)))))
    assert certify.tight(sampled, {}, Fraction("1e-300")).epsilon == 0.0


def test_generalized_gaussian_noise_of_a_power_beyond_the_doubles_is_uniform() -> None:
    found = MECHANISMS["ggauss"].accuracy(2.0, 1, (math.inf,))
    assert (found.error95, found.deviation) == pytest.approx((1.9, 2.0 / math.sqrt(3.0)))


def test_keys_counted_with_an_epsilon_beyond_the_doubles_are_shown() -> None:
    assert dict(sizes_counted(Fraction(10) ** 400, Fraction(1, 10**6)))[2] == 1.0


def test_keys_of_which_a_row_has_more_than_any_noise_is_wide_have_no_shares() -> None:
    params = (of(1), of("1e-6"), of("1e300") * of("1e300"))
    assert MECHANISMS["key-gauss"].shares(Atom("key-gauss", params), {}) == []


def test_a_power_beyond_the_doubles_leaves_the_scale_of_noise_open(tmp_path: Path) -> None:
    program = tmp_path / "power.rao.duet"
    program.write_text("pλ . x : ℝ ⇒ ggauss[auto, 1e309, 1.0] <x> { x }", encoding="utf-8")
    assert main(["check", str(program)]) == 0


@pytest.mark.filterwarnings("error")
def test_what_no_double_holds_is_left_out_without_a_warning() -> None:
    body = Sampled("poisson", of("1e-400"), Given(Notion.PURE, (of("1e400"),)))
    assert 0.0 <= certify.tight(Sampled("poisson", of("0.5"), body), {}).epsilon < 1e-9
    with pytest.raises(Unestimated, match="too large"):
        estimates(Sampled("sample", of("0.5"), Atom("laplace", (of(720),))), {}, 0.5)


ORDER = 1.7e308
"""An order of which twice as much is no double."""


@pytest.mark.parametrize("eps", [5e-324, 1e-310, 1e-309, 1e-308, 1e-307])
@pytest.mark.parametrize(
    "curve", [laplace_renyi, response_renyi, lambda eps, alpha: discrete_laplace_renyi_at(eps, alpha, 3.0)]
)
def test_a_cost_at_an_order_next_to_the_largest_double_is_not_below_the_truth(
    eps: float, curve: Callable[[float, float], float]
) -> None:
    """Twice the order was ∞, and the cost of a small ε below 0."""
    x, least = mp.mpf(eps) * mp.mpf(ORDER), mp.mpf(curve(eps, ORDER)) * mp.mpf(ORDER)
    assert least >= (x + mp.log((1 + mp.exp(-2 * x)) / 2)) * (1 - mp.mpf(10) ** -9)
    assert least <= x * (1 + mp.mpf(10) ** -9) + mp.mpf("1e-14")


def test_nothing_is_known_of_orders_that_are_none() -> None:
    assert truncated_epsilon_at(0.0, 1.0, 0.0) == math.inf
    assert truncated_epsilon_at(0.0, 1.5, 0.0) == 0.0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mu", [1e-300, 1.0, 100.0, 1e5, 1e160])
def test_a_gaussian_profile_has_all_its_values_at_once(mu: float) -> None:
    """Near and far ε in one array: what one way of computing it cannot hold is taken from the other."""
    far = GaussianLoss(mu).profile(np.array([-1e300, -1.0, 0.0, 1.0, 1e5, 1e9, 1e300]))
    assert ((far >= 0.0) & (far <= 1.0 + 1e-9)).all()


def test_a_curve_of_generalized_gaussian_noise_that_no_double_holds_is_infinite() -> None:
    assert TogetherLoss(GeneralizedGaussianLoss(50.0, 5e-324), LaplaceLoss(1e-320)).renyi(1e16) >= 0.0


@pytest.mark.filterwarnings("error")
def test_orders_of_a_line_beyond_the_doubles_are_infinite() -> None:
    assert list(multiples(1.7e308)(3)) == [math.inf, math.inf]


def test_a_choice_among_more_candidates_than_a_double_counts_has_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "choice.eps.duet"
    program.write_text(
        "pλ k : ℕ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻], k : ℕ[k] ⇒ let cs = mcreate[L∞ | ℕ[1], k⋅k] { i, j ⇒ 1.0 } in "
        "exponential[auto, 1.0] cs <xs> { c ⇒ real (rows xs) }",
        encoding="utf-8",
    )
    assert main(["check", str(program), "--set", "k=1e300"]) == 0
    assert f"a score at most {2 * math.log(20) + 1200 * math.log(10):.1f}" in capsys.readouterr().out


def test_an_audit_says_of_noise_beyond_the_doubles_that_none_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "wide.eps.duet"
    program.write_text("pλ . x : ℝ ⇒ laplace[1e400, 1e400] <x> { x }", encoding="utf-8")
    assert main(["audit", str(program), "--trials", "10"]) == 1
    assert "D0703" in capsys.readouterr().err
