"""Numbers in what is said of a broken promise: six digits, and never less than is spent; and what a promise is held to."""

import math
from fractions import Fraction

import pytest

import duetpy
from duetpy.accounting import guarantees
from duetpy.accounting.certify import renyi_at
from duetpy.diagnostics.error import DuetError
from duetpy.source import Source, Span
from duetpy.typecheck.conditions import Limit, Promise
from duetpy.typecheck.cost import Choice, Cost, Seq
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, Quantity
from tests.accounting.terms import given, laplace
from tests.typecheck.judging import costs


@pytest.mark.parametrize(
    ("spent", "shown"),
    [
        ("0.3", "0.3"),
        ("1/3", "0.333334"),
        ("100", "100"),
        ("123456.7", "123457"),
        ("1e300", "1e300"),
        ("1e-300", "1e-300"),
    ],
)
def test_a_cost_is_shown_to_six_digits_and_rounded_up(spent: str, shown: str) -> None:
    text = f"pλ . x : ℝ ⇒ laplace[1.0, {spent}] <x> {{ x }} ensures ε ≤ {spent} / 2"
    with pytest.raises(DuetError, match=rf"x costs ε = {shown}\n"):
        duetpy.parse(text, notion="eps").check()


def test_an_order_is_rounded_down() -> None:
    text = "pλ . x : ℝ ⇒ given[7/3, 0.5] <x> { x } ensures α ≤ 3, ε ≤ 9"
    with pytest.raises(DuetError, match=r"α = 2\.33333, "):
        duetpy.parse(text, notion="renyi").check()


@pytest.mark.parametrize("number", [0.1, 0.3, 1.1, 1e22, 1e23, 2.0**-1074, 9007199254740992.0])
def test_what_is_promised_is_the_double_and_the_decimal_that_it_prints_as(number: float) -> None:
    """A cost is no less than both, and an order that is reached is no more than both."""
    span = Span(Source("program.duet", ""), 0, 0)
    low, high = sorted((Fraction(number), Fraction(repr(number))))

    def keeps(letter: str, bound: Fraction) -> bool:
        return guarantees._keeps(Limit(letter, Quantity.of(bound), span), {letter: number})

    assert keeps("ε", high)
    assert keeps("ε", low) is (low == high)
    assert not keeps("ε", low * Fraction(999_999, 1_000_000))
    assert keeps("α", low)
    assert keeps("α", high) is (low == high)
    assert not keeps("α", high * Fraction(1_000_001, 1_000_000))


def test_all_orders_are_more_than_any_order_that_is_promised() -> None:
    span = Span(Source("program.duet", ""), 0, 0)
    assert guarantees._keeps(Limit("α", Quantity.of(10**400), span), {"α": float("inf")})
    assert guarantees._keeps(Limit("α", INFINITY, span), {"α": float("inf")})
    assert not guarantees._keeps(Limit("α", INFINITY, span), {"α": 1e300})
    assert not guarantees._keeps(Limit("ε", INFINITY, span), {"ε": float("inf")})


@pytest.mark.parametrize(
    ("notion", "looser", "tighter", "others"),
    [
        (Notion.APPROX, ("ε", "0.99999"), ("ε", "0.9"), [("δ", "1e-5")]),
        (Notion.APPROX, ("δ", "1e-5"), ("δ", "1e-7"), [("ε", "0.99999")]),
        (Notion.RENYI, ("α", "2"), ("α", "20"), [("ε", "0.7")]),
    ],
)
def test_of_two_promises_the_one_that_says_more_decides(
    notion: Notion, looser: tuple[str, str], tighter: tuple[str, str], others: list[tuple[str, str]]
) -> None:
    """The formula keeps neither, and the best bound the looser one."""
    span = Span(Source("program.duet", ""), 0, 0)
    for promised, is_broken in (([looser], False), ([looser, tighter], True), ([tighter, looser], True)):
        limits = tuple(Limit(letter, Quantity.of(bound), span) for letter, bound in (*promised, *others))
        _, breaches = guarantees.settle(Promise(notion, limits, (("x", laplace(1)),)), {})
        assert bool(breaches) is is_broken


def test_a_cost_without_a_price_reaches_no_order() -> None:
    limit = Limit("α", Quantity.of(8), Span(Source("program.duet", ""), 0, 0))
    leaky, plain = given(Notion.APPROX, 1, "1e-6"), given(Notion.RENYI, 9, 1)
    for cost, is_broken in ((leaky, True), (plain, False)):
        _, breaches = guarantees.settle(Promise(Notion.RENYI, (limit,), (("x", cost),)), {})
        assert bool(breaches) is is_broken


def test_a_certified_epsilon_is_held_to_the_promise_in_its_last_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.1 as a double is above the decimal 0.1."""
    monkeypatch.setattr("duetpy.accounting.guarantees._best", lambda *_: (0.1, " at δ = 1e-6", "as the test says"))

    def promised(bound: str) -> None:
        text = f"pλ . x : ℝ ⇒ laplace[1.0, 0.3] <x> {{ x }} ensures ε ≤ {bound}, δ ≤ 1e-6"
        duetpy.parse(text, notion="ed").check()

    promised(f"{Fraction(0.1).numerator}/{Fraction(0.1).denominator}")
    with pytest.raises(DuetError, match=r"the best bound proved for x is ε = 0\.1 at δ = 1e-6"):
        promised("0.1")


@pytest.mark.parametrize(
    "text",
    [
        "pλ . x : ℝ ⇒ given[1.0, 1e-6] <x> { 0.0 }",
        "pλ xs : 𝕄 [L∞, U | ★, 1⋅𝕊] ⇒ keys[1, 1.0, 1e-6] xs <xs> { r ⇒ r#[0, 0] }",
    ],
)
def test_no_order_bounds_what_may_leak(text: str) -> None:
    """The curve is that of the rest."""
    (cost,) = costs(text)
    assert renyi_at(cost, 2.0) == math.inf
    (hardly,) = costs(text.replace("1e-6", "1e-30"))
    assert renyi_at(hardly, 2.0) == math.inf
    (other,) = costs("pλ . x : ℝ ⇒ gauss[1.0, 1.0, 1e-6] <x> { x }")
    assert renyi_at(other, 2.0) < 1.0


def test_no_curve_is_known_of_a_term_that_nests_too_deep() -> None:
    deep: Cost = laplace("0.1")
    for _ in range(450):
        deep = Choice((Seq((deep, laplace("0.001"))), laplace("0.2")))
    assert renyi_at(deep, 2.0) == math.inf
