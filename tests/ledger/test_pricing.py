"""What a program is charged, a short number that is not below its price and nothing where it has none, and what is left then."""

from fractions import Fraction
from pathlib import Path

import pytest

from duetpy.accounting.budget import Charge, parse_budget
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.chain import reservation
from duetpy.ledger.pricing import charge
from duetpy.ledger.store import Ledger, create, left_of
from duetpy.typecheck.cost import variables
from duetpy.typecheck.notions import Notion
from tests.typecheck.judging import costs

TRUSTED = "pλ x : 𝔻 ⇒ given[0.5, 0.000001] <x> { x }"


@pytest.mark.parametrize(
    ("program", "notion", "budget"),
    [
        ("laplace[1.0, ε] <x> { clip[0.0, 1.0] x }", Notion.PURE, "epsilon=1"),
        ("laplace[1.0, ε] <x> { clip[0.0, 1.0] x }", Notion.PURE, "rho=1"),
        ("given[ε, δ] <x> { x }", Notion.APPROX, "epsilon=1,delta=1e-5"),
    ],
)
def test_a_charge_is_a_decimal_that_covers_the_price(program: str, notion: Notion, budget: str) -> None:
    """Sums of fractions with large denominators would grow with every charge."""
    cost = costs(f"pλ x : 𝔻, static ε : ℝ⁺, static δ : ℝ⁺ ⇒ {program}", notion)[0]
    epsilon, delta = Fraction(2, 7**40), Fraction(1, 7**12)
    numbers = {variable: {"ε": epsilon, "δ": delta}[variable.name] for variable in variables(cost)}
    found = charge(cost, parse_budget(budget), numbers, None)
    assert all(10**400 % part.denominator == 0 for part in (found.amount, found.delta))
    price = epsilon**2 / 2 if budget == "rho=1" else epsilon
    assert price <= found.amount <= price * Fraction(10**12 + 1, 10**12)
    assert found.delta >= (delta if notion is Notion.APPROX else 0)


def test_a_stated_cost_has_a_price_from_its_delta_on() -> None:
    (cost,) = costs(TRUSTED, Notion.APPROX)
    budget = parse_budget("epsilon=1,delta=1e-5")
    for delta in (None, Fraction(1, 10**6)):
        found = charge(cost, budget, {}, delta)
        assert (found.amount, found.delta) == (Fraction(1, 2), Fraction(1, 10**6))
    with pytest.raises(DuetError, match="no ε is known at δ = 1e-09") as caught:
        charge(cost, budget, {}, Fraction(1, 10**9))
    assert [each.code for each in caught.value.diagnostics] == ["D0721"]


@pytest.mark.parametrize(("budget", "spent", "rest"), [("mu=0.5", "1/4", Fraction(3, 16)), ("mu=3", "1", Fraction(8))])
def test_what_is_left_of_mu_is_a_root(tmp_path: Path, budget: str, spent: str, rest: Fraction) -> None:
    """The squares of μ add up."""
    path = tmp_path / "l"
    create(path, parse_budget(budget), "people")
    asked = Charge(Fraction(spent))
    Ledger(path).reserve(asked, reservation(asked, "p", "", "xs", "replace-one", "0", ()))
    found = left_of(path, None).amount ** 2
    assert rest * (1 - Fraction(1, 10**15)) <= found <= rest
