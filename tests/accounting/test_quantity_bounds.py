"""A plain quantity above a part of a price: never below it, and missing only where none is known."""

from __future__ import annotations

from fractions import Fraction

import pytest

from duetpy.accounting.conversions import concentrated_epsilon, truncated_epsilon
from duetpy.accounting.expressions import Part, largest, product, root, smallest, square, total
from duetpy.accounting.guarantees import settle
from duetpy.accounting.losses.discrete_laplace import discrete_laplace_rho
from duetpy.accounting.named_functions import gaussian_mu, laplace_rho, pure_mu
from duetpy.accounting.quantity_bounds import plain
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, Quantity
from tests.typecheck.judging import judged

ONE_THIRD = Quantity.of(Fraction(1, 3))
LAPLACE = laplace_rho(ONE_THIRD)


@pytest.mark.parametrize(
    "part",
    [
        LAPLACE,
        laplace_rho(Quantity.of(30)),
        discrete_laplace_rho(ONE_THIRD, Quantity.of(2)),
        total([LAPLACE, Quantity.of(2)]),
        product(LAPLACE, LAPLACE, Quantity.of(3)),
        product(laplace_rho(Quantity.of(30)), laplace_rho(Quantity.of(30))),
        largest(LAPLACE, Quantity.of("0.01"), discrete_laplace_rho(ONE_THIRD, Quantity.of(2))),
        smallest(LAPLACE, Quantity.of("0.01")),
        smallest(pure_mu(ONE_THIRD), LAPLACE),
        concentrated_epsilon(ONE_THIRD, Quantity.of("1e-6")),
        concentrated_epsilon(Quantity.of(40), Quantity.of("0.01")),
        truncated_epsilon(ONE_THIRD, INFINITY, Quantity.of("1e-6")),
        root(LAPLACE),
        square(LAPLACE),
        square(laplace_rho(Quantity.of(30))),
    ],
)
def test_the_quantity_is_not_below_the_part(part: Part) -> None:
    bound = plain(part)
    assert isinstance(bound, Quantity)
    assert bound.evaluate({}, up=False) >= Fraction(part.evaluate_float({}, up=False))
    assert bound.evaluate_float({}, up=True) >= part.evaluate_float({}, up=False)


def test_a_quantity_is_its_own_bound() -> None:
    assert plain(ONE_THIRD) is ONE_THIRD


@pytest.mark.parametrize(
    "part",
    [
        pure_mu(ONE_THIRD),
        total([pure_mu(ONE_THIRD), ONE_THIRD]),
        truncated_epsilon(ONE_THIRD, Quantity.of(3), ONE_THIRD),
        gaussian_mu(ONE_THIRD, ONE_THIRD),
        # It falls as δ grows, and what is known of this δ lies above it.
        concentrated_epsilon(ONE_THIRD, LAPLACE),
    ],
)
def test_nothing_is_claimed_of_what_has_no_bound(part: Part) -> None:
    assert plain(part) is None


@pytest.mark.parametrize(
    ("mechanism", "bound", "is_settled"),
    [
        ("laplace[1.0, ε] <x> { real x }", "ε ⋅ ε / 2.0", True),
        ("dlaplace[2.0, ε] <x> { 2 ⋅ x }", "ε ⋅ ε / 2.0", True),
        ("dlaplace[2.0, ε] <x> { 2 ⋅ x }", "ε ⋅ ε / 3.0", False),
    ],
)
def test_a_promise_is_settled_by_the_bound_of_a_formula(mechanism: str, bound: str, is_settled: bool) -> None:
    typed = judged(f"pλ ε : ℝ⁺ . x : ℕ, ε : ℝ⁺[ε] ⇒ {mechanism} ensures ρ ≤ {bound}", Notion.ZCDP)
    (promise,) = typed.promises
    pending, breaches = settle(promise, {})
    assert breaches == []
    assert (pending == []) is is_settled
