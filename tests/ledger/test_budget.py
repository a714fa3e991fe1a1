"""Budgets: what they cover, exactly."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from duetpy.accounting.budget import Budget, Charge, covers, exact_sum, parse_budget
from duetpy.accounting.rounding import claimed, reached, short_up, written_down, written_up
from duetpy.ledger.pricing import charge
from duetpy.settings import SettingError
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity

TENTH = Fraction(1, 10)


@pytest.mark.parametrize(
    ("text", "notion", "numbers"),
    [
        ("epsilon=1", Notion.PURE, {"epsilon": 1.0, "delta": 0.0}),
        ("eps=1,delta=0", Notion.PURE, {"epsilon": 1.0, "delta": 0.0}),
        ("ε=0.1,δ=1e-6", Notion.APPROX, {"epsilon": 0.1, "delta": 1e-6}),
        ("rho=0.5", Notion.ZCDP, {"rho": 0.5}),
        ("μ=2", Notion.GDP, {"mu": 2.0}),
    ],
)
def test_budgets_are_read(text: str, notion: Notion, numbers: dict[str, float]) -> None:
    found = parse_budget(text)
    assert found.notion is notion
    assert found.numbers == numbers


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "epsilon", "epsilon=x", "epsilon=0", "epsilon=-1", "rho=1,mu=1", "epsilon=1,delta=1", "rho=1,rho=2"),
        *(
            "epsilon=-1,delta=1e-6",
            "epsilon=0,delta=1e-6",
            "epsilon=1,delta=-1e-6",
            "epsilon=1,delta=1e-200",
            "rho=1e200",
        ),
    ],
)
def test_what_is_no_budget(text: str) -> None:
    with pytest.raises(SettingError):
        parse_budget(text)


def test_sums_are_exact() -> None:
    assert covers(parse_budget("epsilon=0.3"), [Charge(TENTH)] * 3)
    assert not covers(parse_budget("epsilon=1"), [Charge(TENTH)] * 10 + [Charge(Fraction(1, 10**30))])


def test_both_numbers_must_fit() -> None:
    budget = parse_budget("epsilon=1,delta=1e-6")
    assert covers(budget, [Charge(TENTH, Fraction(1, 10**6))])
    assert not covers(budget, [Charge(TENTH, Fraction(1, 10**6)), Charge(TENTH, Fraction(1, 10**20))])


def test_gaussian_budgets_add_squares() -> None:
    budget = parse_budget("mu=5")
    assert covers(budget, [Charge(Fraction(3)), Charge(Fraction(4))])
    assert not covers(budget, [Charge(Fraction(3)), Charge(Fraction(4)), Charge(Fraction(1, 10**9))])


@given(st.lists(st.fractions(0, 2), max_size=6), st.sampled_from([Notion.PURE, Notion.ZCDP, Notion.GDP]))
def test_what_is_covered_stays_covered_with_less(charges: list[Fraction], notion: Notion) -> None:
    budget = Budget(notion, Fraction(3))
    made = [Charge(amount) for amount in charges]
    if covers(budget, made):
        assert all(covers(budget, made[:at] + made[at + 1 :]) for at in range(len(made)))


@given(st.fractions(0, 10**6))
def test_written_numbers_are_on_their_side(number: Fraction) -> None:
    assert Fraction(repr(written_down(number))) <= number <= Fraction(repr(written_up(number)))


def test_a_zero_is_written_with_its_one_sign() -> None:
    assert [repr(written(Fraction(0))) for written in (written_up, written_down)] == ["0.0", "0.0"]


@given(st.integers(1, 10**6).map(lambda n: Fraction(n, 10**4)))
def test_a_charge_is_not_below_the_cost(eps: Fraction) -> None:
    """The double next to 0.3 is below 0.3: three such charges would fit into a budget that three times 0.3 does not."""
    cost = Atom("laplace", (Quantity.of(eps),))
    for delta in (Fraction(0), Fraction(1, 10**40)):
        charged = charge(cost, Budget(Notion.APPROX, Fraction(10**3), TENTH), {}, delta)
        assert eps * (1 - 3 * delta) <= charged.amount <= eps + Fraction(1, 10**12)
        assert charged.delta == delta
    assert charge(cost, Budget(Notion.PURE, Fraction(1)), {}, None).amount == eps


def test_a_charge_that_is_no_fraction_is_rounded_up() -> None:
    root = Quantity.of(2).sqrt()
    cost = Atom("laplace", (root,))
    (pure, approx) = (
        charge(cost, budget, {}, None).amount
        for budget in (Budget(Notion.PURE, Fraction(9)), Budget(Notion.APPROX, Fraction(9), TENTH))
    )
    assert 2 < pure**2 < 2 + Fraction(1, 10**12)
    assert 2 < approx**2 < 2 + Fraction(1, 10**12)
    # In ρ the price of Laplace noise is no quantity: ε + e^(−ε) − 1.
    rho = charge(Atom("laplace", (Quantity.of(1),)), Budget(Notion.ZCDP, Fraction(9)), {}, None).amount
    exact = sum(Fraction((-1) ** k, math.factorial(k)) for k in range(30))
    assert exact < rho < exact + Fraction(1, 10**12)


def test_an_own_price_at_a_larger_delta_is_none_at_a_smaller_one() -> None:
    cost = Atom("gauss", (Quantity.of(1), Quantity.of(Fraction(1, 10**5))), Notion.APPROX)
    budget = Budget(Notion.APPROX, Fraction(9), TENTH)
    assert charge(cost, budget, {}, None).amount == 1
    assert charge(cost, budget, {}, Fraction(1, 10**4)).amount <= 1
    assert charge(cost, budget, {}, Fraction(1, 10**7)).amount > 1


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_a_double_claims_the_larger_of_itself_and_its_text(number: float) -> None:
    assert reached(number) <= Fraction(number) <= claimed(number)
    assert reached(number) <= Fraction(repr(number)) <= claimed(number)
    assert claimed(number) - reached(number) < Fraction(math.ulp(number))


@pytest.mark.parametrize(
    "number",
    [
        Fraction(1, 10),
        Fraction(1, 3),
        Fraction(0.1),
        Fraction(1, 10**400),
        Fraction(5),
        Fraction(0),
        Fraction(7, 2**1074),
    ],
)
def test_decimals_and_plain_fractions_are_charged_as_they_are(number: Fraction) -> None:
    assert short_up(number) == number


@given(st.fractions(min_value=0), st.integers(min_value=10**30), st.integers(min_value=-300, max_value=300))
def test_a_charge_is_never_shortened_downwards(number: Fraction, below: int, power: int) -> None:
    number = number / below * Fraction(10) ** power
    short = short_up(number)
    assert number <= short <= number * (1 + Fraction(1, 10**55)) + Fraction(1, 10**1000)


def test_sums_of_strange_numbers_stay_short() -> None:
    """The control: the numbers themselves have a sum with a denominator as long as all of theirs together."""
    strange = [Fraction(1, 10**50 + 2 * at + 1) for at in range(200)]
    assert exact_sum(strange).denominator > 10**5000
    total = exact_sum(short_up(each) for each in strange)
    assert total.denominator <= 10**1100
    assert total >= exact_sum(strange)


@given(st.lists(st.fractions()))
def test_sums_by_denominator_are_sums(numbers: list[Fraction]) -> None:
    assert exact_sum(numbers) == sum(numbers)
