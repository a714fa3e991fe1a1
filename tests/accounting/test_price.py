"""Symbolic prices: each rule, their numbers, refusals, side conditions."""

import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from duetpy.accounting.certify import tight
from duetpy.accounting.price import Price, Refusal, interpretation, numbers, price, value
from duetpy.typecheck.cost import (
    Advanced,
    Atom,
    Choice,
    Converted,
    Cost,
    Given,
    Group,
    NonPrivate,
    Repeat,
    Sampled,
    Seq,
    Shuffled,
    Together,
    Zero,
)
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, Comparison, Kind, KindVar, Quantity, Signed, maximum
from tests.accounting.terms import (
    gauss,
    given,
    laplace,
    of,
    repeated,
    response,
    valued,
)
from tests.effort import often

EPS, DELTA, SLACK = KindVar.fresh("ε", Kind.POS), KindVar.fresh("δ", Kind.POS), KindVar.fresh("δ′", Kind.POS)
RHO, ALPHA, MU, OMEGA = (KindVar.fresh(name, Kind.POS) for name in "ραμω")
K, M, B = (KindVar.fresh(name, Kind.NAT) for name in "kmb")
ε, δ, δ1, ρ, α, μ, ω = (Quantity.var(v) for v in (EPS, DELTA, SLACK, RHO, ALPHA, MU, OMEGA))
k, m, b = (Quantity.var(v) for v in (K, M, B))

LAPLACE, EXPONENTIAL = Atom("laplace", (ε,)), Atom("exponential", (ε,))
GAUSS = Atom("gauss", (ε, δ), Notion.APPROX)
GAUSS_Z, GAUSS_R = Atom("gauss", (ρ,), Notion.ZCDP), Atom("gauss", (α, ε), Notion.RENYI)
GAUSS_T, GAUSS_M = Atom("gauss", (ρ, ω), Notion.TCDP), Atom("gauss", (μ,), Notion.GDP)


def shown(cost: Cost, notion: Notion) -> tuple[str, ...]:
    found = price(cost, notion)
    assert isinstance(found, Price), found
    return tuple(found.show().values())


def refused(cost: Cost, notion: Notion) -> Refusal:
    found = price(cost, notion)
    assert isinstance(found, Refusal)
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Rules


@pytest.mark.parametrize(
    ("cost", "notion", "parts"),
    [
        (LAPLACE, Notion.PURE, ("ε",)),
        (LAPLACE, Notion.APPROX, ("ε", "0")),
        (LAPLACE, Notion.ZCDP, ("ε + exp(-ε) - 1",)),
        (LAPLACE, Notion.GDP, ("2⋅Φ⁻¹(1 - exp(-ε/2)/2)",)),
        (LAPLACE, Notion.RAO, ("ε",)),
        (LAPLACE, Notion.RENYI, ("∞", "ε")),
        (EXPONENTIAL, Notion.ZCDP, ("ε⋅tanh(ε/2) ⊓ ε⋅ε/8",)),
        (response("0.5"), Notion.ZCDP, ("tanh(0.25)/2",)),
        (GAUSS, Notion.APPROX, ("ε", "δ")),
        (GAUSS_Z, Notion.ZCDP, ("ρ",)),
        (GAUSS_Z, Notion.GDP, ("√(2⋅ρ)",)),
        (GAUSS_R, Notion.RENYI, ("α", "ε")),
        (GAUSS_R, Notion.ZCDP, ("ε/α",)),
        (GAUSS_T, Notion.TCDP, ("ρ", "ω")),
        (GAUSS_T, Notion.ZCDP, ("ρ",)),
        (GAUSS_M, Notion.GDP, ("μ",)),
        (GAUSS_M, Notion.ZCDP, ("μ⋅μ/2",)),
        (Repeat(k, GAUSS), Notion.APPROX, ("k⋅ε", "k⋅δ")),
        (Repeat(k, GAUSS_Z), Notion.ZCDP, ("k⋅ρ",)),
        (Repeat(k, GAUSS_R), Notion.RENYI, ("α", "k⋅ε")),
        (Repeat(k, GAUSS_T), Notion.TCDP, ("k⋅ρ", "ω")),
        (
            Advanced(k, δ1, GAUSS),
            Notion.APPROX,
            ("k⋅ε ⊓ k⋅ε⋅tanh(ε/2) + ε⋅√(2⋅k⋅㏒(1/δ′))", "k⋅δ + δ′"),
        ),
        (Advanced(k, δ1, LAPLACE), Notion.PURE, ("k⋅ε",)),
        (Sampled("sample", b / m, GAUSS), Notion.APPROX, ("log1p(b⋅expm1(ε)/m)", "b⋅δ/m")),
        (Sampled("sample", b / m, LAPLACE), Notion.PURE, ("log1p(b⋅expm1(ε)/m)",)),
        (Sampled("sample", b / m, GAUSS_T), Notion.TCDP, ("13⋅b⋅b⋅ρ/(m⋅m)", "㏒(m/b)/(4⋅ρ)")),
        (Group(k, LAPLACE), Notion.PURE, ("k⋅ε",)),
        (Group(k, GAUSS), Notion.APPROX, ("k⋅ε", "δ⋅expm1(k⋅ε)/expm1(ε)")),
        (Group(k, GAUSS_Z), Notion.ZCDP, ("k⋅k⋅ρ",)),
        (Group(k, GAUSS_T), Notion.TCDP, ("k⋅k⋅ρ", "ω/k")),
        (Group(k, GAUSS_M), Notion.GDP, ("k⋅μ",)),
        (Group(k, GAUSS_R), Notion.RENYI, ("α", "k⋅k⋅ε")),
        (Together((LAPLACE, EXPONENTIAL)), Notion.PURE, ("2⋅ε",)),
        (Together((GAUSS_Z, GAUSS_Z)), Notion.ZCDP, ("4⋅ρ",)),
        (Together((GAUSS_M, GAUSS_M)), Notion.GDP, ("2⋅μ",)),
        (Shuffled(k, LAPLACE), Notion.APPROX, ("shuffled(k, ε, 1e-6)", "1e-6")),
        (Shuffled(k, LAPLACE), Notion.PURE, ("ε",)),
        (Shuffled(k, LAPLACE), Notion.ZCDP, ("ε + exp(-ε) - 1",)),
        (Shuffled(k, GAUSS), Notion.APPROX, ("ε", "δ")),
        (
            Converted(Notion.ZCDP, δ, Repeat(k, GAUSS_Z)),
            Notion.APPROX,
            ("min[α] (k⋅ρ⋅α + ㏒(1 - 1/α) - ㏒(δ⋅α)/(α - 1))", "δ"),
        ),
        (Converted(Notion.GDP, δ, GAUSS_M), Notion.APPROX, ("ε(μ, δ)", "δ")),
        (
            Converted(Notion.RENYI, δ, GAUSS_R),
            Notion.APPROX,
            ("ε + ㏒(1 - 1/α) - ㏒(δ⋅α)/(α - 1)", "δ"),
        ),
        (Converted(Notion.PURE, None, EXPONENTIAL), Notion.ZCDP, ("ε⋅tanh(ε/2)",)),
        (Converted(Notion.PURE, None, LAPLACE), Notion.APPROX, ("ε", "0")),
        (Converted(Notion.RENYI, None, GAUSS_R), Notion.TCDP, ("ε", "α")),
        (Converted(Notion.TCDP, None, GAUSS_T), Notion.RENYI, ("ω", "ρ⋅ω")),
        (Converted(Notion.ZCDP, δ, Zero()), Notion.APPROX, ("0", "0")),
        (Zero(), Notion.APPROX, ("0", "0")),
        (NonPrivate("printed"), Notion.ZCDP, ("∞",)),
        (Seq((LAPLACE, NonPrivate("printed"))), Notion.APPROX, ("∞", "∞")),
        (Repeat(k, NonPrivate("printed")), Notion.TCDP, ("∞", "∞")),
    ],
    ids=repr,
)
def test_rule(cost: Cost, notion: Notion, parts: tuple[str, ...]) -> None:
    assert shown(cost, notion) == parts


def test_the_better_order_of_inputs_that_move_together() -> None:
    """δ₁ + e^{ε₁} δ₂ in either order; never δ₁ + δ₂."""
    cost = Together((gauss(Notion.APPROX, 2, "1e-6"), gauss(Notion.APPROX, "0.1", "1e-7")))
    eps, delta = valued(cost, Notion.APPROX)
    assert eps == pytest.approx(2.1)
    assert delta == pytest.approx(min(1e-6 + math.exp(2) * 1e-7, 1e-7 + math.exp(0.1) * 1e-6))
    assert delta > 1.1e-6
    swapped = Together((gauss(Notion.APPROX, "0.1", "1e-7"), gauss(Notion.APPROX, 2, "1e-6")))
    assert valued(swapped, Notion.APPROX) == [eps, delta]


def test_five_inputs_that_move_together_take_one_order() -> None:
    cost = Together((gauss(Notion.APPROX, "0.5", "1e-6"),) * 5)
    eps, delta = valued(cost, Notion.APPROX)
    assert eps == pytest.approx(2.5)
    assert delta == pytest.approx(1e-6 * sum(math.exp(0.5 * i) for i in range(5)))


def test_choices_in_choices_are_chosen_among_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest of forty branches is found once, and the tests on the way to a premise are those of the program."""
    asked: list[int] = []

    def counted(*values: Quantity) -> Quantity:
        asked.append(len(values))
        return maximum(*values)

    monkeypatch.setattr("duetpy.accounting.expressions.maximum", counted)
    branches = [Atom("laplace", (Quantity.var(KindVar.fresh(f"e{at}", Kind.POS)),)) for at in range(40)]
    chain: Cost = branches[-1]
    for branch in branches[-2::-1]:
        chain = Choice((branch, chain))
    found = price(chain, Notion.PURE)
    assert asked == [40]
    assert found == price(Choice(tuple(branches)), Notion.PURE)
    first, second = (Comparison(Signed(False, ε), False, Signed(False, of(at))) for at in (2, 3))
    inner = Choice((gauss(Notion.APPROX, 1, "0.1"), gauss(Notion.APPROX, 1, "0.2")), test=second)
    risky = price(Choice((laplace(1), Choice((inner, GAUSS), test=first))), Notion.APPROX)
    assert isinstance(risky, Price)
    assert [premise.under for premise in risky.premises] == [(first.opposite(),)]


def test_of_too_many_branches_the_largest_are_kept_apart() -> None:
    """More than an extremum holds: what stays is an upper bound at every valuation, and as small as the largest."""
    variables = [KindVar.fresh(f"e{at}", Kind.POS) for at in range(600)]
    found = price(Choice(tuple(Atom("laplace", (Quantity.var(variable),)) for variable in variables)), Notion.PURE)
    assert isinstance(found, Price)
    at_numbers = {variable: Fraction(1 + (at * 7919) % 601, 100) for at, variable in enumerate(variables)}
    (part,) = found.parts
    assert part.evaluate_float(at_numbers) == pytest.approx(float(max(at_numbers.values())), rel=1e-12)


def test_a_group_of_a_fractional_size_takes_whole_steps() -> None:
    assert shown(Group(of(Fraction(3, 2)), GAUSS_Z), Notion.ZCDP) == ("4⋅ρ",)
    symbolic = price(Group(m / k, GAUSS_Z), Notion.ZCDP)
    assert isinstance(symbolic, Price)
    known = {M: Fraction(7), K: Fraction(2), RHO: Fraction(1, 4)}
    (at_numbers,) = symbolic.parts
    assert at_numbers.evaluate_float(known) == pytest.approx(16 / 4)
    found = numbers(Group(m / k, GAUSS_Z), Notion.ZCDP, known)
    assert not isinstance(found, Refusal)
    (rho,) = found.values()
    assert rho == pytest.approx(16 / 4)


def test_renyi_is_priced_at_the_least_order() -> None:
    """Releases at α = 2 and at α = 100 are priced at 2, each by its own curve; the larger order would be false."""
    cost = Seq((gauss(Notion.RENYI, 2, 1), gauss(Notion.RENYI, 100, 50)))
    assert valued(cost, Notion.RENYI) == [2.0, 2.0]
    trusted = Seq((gauss(Notion.RENYI, 2, 1), given(Notion.RENYI, 100, 50)))
    assert valued(trusted, Notion.RENYI) == [2.0, 51.0]
    bounded = interpretation(Notion.RENYI, Seq((cost, given(Notion.TCDP, "0.1", "1.5"))))
    assert bounded.nothing()[0] == of("1.5")


def test_the_least_order_of_tcdp() -> None:
    cost = Seq((gauss(Notion.TCDP, "0.1", 2), gauss(Notion.TCDP, "0.2", 1000)))
    assert valued(cost, Notion.TCDP) == [pytest.approx(0.3), 2.0]
    choice = Choice((gauss(Notion.TCDP, "0.1", 2), gauss(Notion.TCDP, "0.2", 1000)))
    assert valued(choice, Notion.TCDP) == [0.2, 2.0]


def test_conversion_of_tcdp_is_the_best_order_below_omega() -> None:
    for rho, omega in (("0.5", "1000"), ("0.5", "3"), ("0.01", "4")):
        cost = Converted(Notion.TCDP, of("1e-6"), gauss(Notion.TCDP, rho, omega))
        (eps, _) = valued(cost, Notion.APPROX)
        orders = (1 + (float(omega) - 1) * 0.999**i for i in range(9000))
        best = min(float(rho) * a + math.log(1 - 1 / a) - math.log(1e-6 * a) / (a - 1) for a in orders)
        assert best * (1 - 1e-6) <= eps <= best * (1 + 1e-12)


def test_numbers_do_not_need_a_symbolic_price() -> None:
    parts = tuple(Atom("laplace", (Quantity.var(KindVar.fresh(f"e{i}", Kind.POS)) + ONE,)) for i in range(50))
    values = {variable: Fraction(1, 2) for part in parts for variable in part.params[0].variables()}
    product = Converted(Notion.ZCDP, of("1e-6"), Seq(parts))
    found = numbers(product, Notion.APPROX, values)
    assert not isinstance(found, Refusal)
    assert found["delta"] == 1e-6


def test_a_deep_term_is_no_problem() -> None:
    deep: Cost = laplace("0.1")
    for _ in range(often(20_000, 2_000)):
        deep = Seq((Choice((deep, laplace("0.1"))),))
    assert valued(deep, Notion.PURE) == [0.1]


def test_many_mechanisms_are_counted_not_repeated() -> None:
    cost = Seq((LAPLACE, GAUSS) * 5_000)
    assert shown(cost, Notion.APPROX) == ("10000⋅ε", "5000⋅δ")


# ---------------------------------------------------------------------------------------------------------------------
# Numbers


def test_exact_numbers_stay_exact() -> None:
    """Ten times 0.1 is 1, and 0.1 + 0.2 is 0.3: costs are added before they become floats."""
    assert valued(repeated(10, laplace("0.1")), Notion.PURE) == [1.0]
    assert valued(Seq((laplace("0.1"), laplace("0.2"))), Notion.PURE) == [0.3]
    assert valued(gauss(Notion.APPROX, "1.25", "1e-5"), Notion.APPROX) == [1.25, 1e-05]


def test_numbers_are_rounded_to_the_side_that_claims_less() -> None:
    third = valued(laplace(Fraction(1, 3)), Notion.PURE)[0]
    assert Fraction(third) >= Fraction(1, 3)
    alpha, _ = valued(gauss(Notion.RENYI, Fraction(10, 3), 1), Notion.RENYI)
    assert Fraction(alpha) <= Fraction(10, 3)


def test_infinity_is_none() -> None:
    found = price(NonPrivate(), Notion.APPROX)
    assert isinstance(found, Price)
    assert found.is_infinite
    assert value(found) == {"epsilon": None, "delta": None}


def test_a_missing_value_is_told() -> None:
    found = price(LAPLACE, Notion.PURE)
    assert isinstance(found, Price)
    with pytest.raises(KeyError):
        value(found)
    with pytest.raises(KeyError):
        numbers(LAPLACE, Notion.PURE, {})


@pytest.mark.parametrize("notion", Notion)
def test_every_notion_names_its_parts(notion: Notion) -> None:
    found = price(Zero(), notion)
    assert isinstance(found, Price)
    assert tuple(found.show()) == notion.keys
    assert tuple(value(found)) == notion.keys


@pytest.mark.parametrize("ascii", [False, True])
def test_ascii_has_only_ascii_signs(ascii: bool) -> None:
    eps = Atom("laplace", (Quantity.var(KindVar.fresh("eps", Kind.POS)),))
    for notion in (Notion.ZCDP, Notion.GDP):
        found = price(Group(m / k, Seq((eps, eps))), notion)
        assert isinstance(found, Price)
        assert all(text.isascii() for text in found.show(ascii).values()) == ascii


# ---------------------------------------------------------------------------------------------------------------------
# Refusals and side conditions


@pytest.mark.parametrize(
    ("cost", "notion", "node", "word"),
    [
        (Seq((LAPLACE, GAUSS)), Notion.PURE, GAUSS, "laplace"),
        (Repeat(k, GAUSS_Z), Notion.APPROX, GAUSS_Z, "ZCDP[δ]"),
        (GAUSS_R, Notion.APPROX, GAUSS_R, "RENYI[δ]"),
        (GAUSS_T, Notion.APPROX, GAUSS_T, "TCDP[δ]"),
        (GAUSS_M, Notion.APPROX, GAUSS_M, "GDP[δ]"),
        (given(Notion.ZCDP, 1), Notion.APPROX, given(Notion.ZCDP, 1), "ZCDP[δ]"),
        (given(Notion.ZCDP, 1), Notion.GDP, given(Notion.ZCDP, 1), "implies no Gaussian"),
        (given(Notion.APPROX, 1, "1e-6"), Notion.ZCDP, given(Notion.APPROX, 1, "1e-6"), "implies no cost"),
        (given(Notion.RAO, 1), Notion.APPROX, given(Notion.RAO, 1), "implies no cost"),
        (Sampled("poisson", b / m, GAUSS_Z), Notion.ZCDP, Sampled("poisson", b / m, GAUSS_Z), "not amplified"),
        (Sampled("poisson", b / m, GAUSS_T), Notion.TCDP, Sampled("poisson", b / m, GAUSS_T), "without replacement"),
        (Sampled("sample", b / m, GAUSS_M), Notion.GDP, Sampled("sample", b / m, GAUSS_M), "not Gaussian"),
        (Together((GAUSS_R, GAUSS_R)), Notion.RENYI, Together((GAUSS_R, GAUSS_R)), "aligned"),
        (Together((GAUSS_T, GAUSS_T)), Notion.TCDP, Together((GAUSS_T, GAUSS_T)), "aligned"),
        (Atom("dgauss", (μ,), Notion.GDP), Notion.GDP, Atom("dgauss", (μ,), Notion.GDP), "slightly more"),
        (GAUSS_Z, Notion.RENYI, GAUSS_Z, "order"),
        (
            Converted(Notion.ZCDP, δ, GAUSS_Z),
            Notion.PURE,
            Converted(Notion.ZCDP, δ, GAUSS_Z),
            "implies no cost in pure",
        ),
    ],
    ids=repr,
)
def test_a_refusal_names_the_smallest_part_and_a_remedy(cost: Cost, notion: Notion, node: Cost, word: str) -> None:
    refusal = refused(cost, notion)
    assert refusal.node == node
    assert word in refusal.reason


def test_a_black_box_without_delta_is_pure() -> None:
    cost = given(Notion.APPROX, "0.5", 0)
    assert valued(cost, Notion.PURE) == [0.5]
    assert valued(cost, Notion.ZCDP)[0] == pytest.approx(0.5 * math.tanh(0.25))


def rests(cost: Cost, notion: Notion) -> list[tuple[Quantity, str, Quantity]]:
    """What a price rests on."""
    found = price(cost, notion)
    assert isinstance(found, Price)
    return [(premise.left, premise.relation, premise.right) for premise in found.premises]


def test_premises_are_what_is_not_proved() -> None:
    cost = Advanced(k, δ1, Sampled("sample", b / m, GAUSS))
    found = [(left.show(), relation, right.show()) for left, relation, right in rests(cost, Notion.APPROX)]
    assert found == [("δ′", "<", "1"), ("b/m", "≤", "1"), ("δ", "<", "1")]
    settled = Advanced(of(5), of("1e-6"), Sampled("sample", of("0.1"), gauss(Notion.APPROX, 1, "1e-6")))
    assert rests(settled, Notion.APPROX) == []
    broken = Sampled("sample", of(3), gauss(Notion.APPROX, 1, "1.5"))
    assert len(rests(broken, Notion.APPROX)) == 2


def test_premises_of_the_other_notions() -> None:
    assert rests(GAUSS_R, Notion.RENYI) == [(ONE, "<", α)]
    assert rests(GAUSS_T, Notion.TCDP) == [(ONE, "<", ω)]
    assert rests(Converted(Notion.ZCDP, δ, GAUSS_Z), Notion.APPROX) == [(δ, "<", ONE)]
    assert rests(Atom("rand-resp", (k, ε)), Notion.PURE) == [(of(2), "≤", k)]
    assert rests(Atom("ggauss", (μ, ε)), Notion.RAO) == [(ONE, "≤", μ)]


def test_the_amplification_of_tcdp_has_all_its_premises() -> None:
    def names(rho: str, omega: int, rate: str) -> int:
        return len(rests(Sampled("sample", of(rate), gauss(Notion.TCDP, rho, omega)), Notion.TCDP))

    assert names("0.01", 1000, "0.01") == 0
    assert names("0.01", 2, "0.01") == 1  # ω below log(1/q)/(2ρ)
    assert names("0.2", 1000, "0.01") >= 1
    assert names("0.01", 1000, "0.2") >= 1


@pytest.mark.thorough("accounting/test_price_of_terms.py::test_prices_are_true_of_random_terms")
def test_orders_too_many_to_be_written_are_not_left_out() -> None:
    """The order of what was converted from tCDP is at most each of 300 ω; where their least is no quantity there is no price."""
    orders = [Quantity.var(KindVar(f"ω{index}", Kind.POS, 1000 + index)) for index in range(300)]
    trusted = Seq(tuple(Given(Notion.TCDP, (of("0.1"), order + order.sqrt())) for order in orders))
    cost = Seq((Converted(Notion.TCDP, None, trusted), given(Notion.RENYI, 1000, 1)))
    refused = price(cost, Notion.RENYI)
    assert isinstance(refused, Refusal)
    assert "too large" in refused.reason
    named = Seq(tuple(Given(Notion.RENYI, (order + order.sqrt(), of(1))) for order in orders))
    assert isinstance(price(named, Notion.RENYI), Refusal)
    values = {variable: Fraction(4) for order in orders for variable in order.variables()}
    found = numbers(cost, Notion.RENYI, values)
    assert not isinstance(found, Refusal)
    assert found["alpha"] == 6.0


def test_a_group_needs_an_order_that_is_left_to_it() -> None:
    """Three steps of what is promised below ω = 2 are promised nothing: 2/3 is no order."""
    trusted = given(Notion.TCDP, "0.01", 2)
    assert rests(Group(of("1.5"), trusted), Notion.TCDP) == rests(Group(of(2), trusted), Notion.TCDP)
    for cost, notion in (
        (Group(of(3), trusted), Notion.TCDP),
        (Converted(Notion.TCDP, of("1e-6"), Group(of(3), trusted)), Notion.APPROX),
        (Converted(Notion.TCDP, None, Group(of(2), trusted)), Notion.RENYI),
    ):
        assert [each[1:] for each in rests(cost, notion)] == [("<", of(2))]
        assert isinstance(numbers(cost, notion, {}), Refusal)
        assert tight(cost, {}, Fraction(1, 2)).epsilon == math.inf
    assert rests(Group(of(3), given(Notion.TCDP, "0.01", 4)), Notion.TCDP) == []
    assert rests(Group(of(3), laplace(1)), Notion.TCDP) == []


def test_pricing_loads_neither_numpy_nor_scipy() -> None:
    code = (
        "import sys\n"
        "from duetpy.accounting.price import price\n"
        "from duetpy.accounting.certify import tight\n"
        "from duetpy.accounting.noise_scale import noise_scale\n"
        "from duetpy.accounting.mechanisms.table import MECHANISMS\n"
        "from duetpy.typecheck.cost import *\n"
        "from duetpy.typecheck.quantity import Quantity\n"
        "from fractions import Fraction\n"
        "of = Quantity.of\n"
        "lap, g = Atom('laplace', (of('0.5'),)), Atom('gauss', (of(1), of('1e-6')), Notion.APPROX)\n"
        "for cost in (lap, g, Repeat(of(100), g), Seq((lap, lap, lap)), Atom('exponential', (of(1),)), Zero()):\n"
        "    tight(cost, {}, Fraction(1, 10**9))\n"
        "    for notion in Notion: price(cost, notion)\n"
        "noise_scale(g, Fraction(1), {}); MECHANISMS['laplace'].accuracy(1.0)\n"
        "print(sorted({'numpy', 'scipy'} & set(sys.modules)))\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_symbolic_price_at_numbers_is_the_price_at_those_numbers() -> None:
    """A number chosen for a budget of μ = 0.1 is charged 0.1 by `check`, and no unit in the last place more."""
    turns, rho = KindVar("k", Kind.NAT, 901), KindVar("ρ", Kind.POS, 902)
    cost = Repeat(Quantity.var(turns), Atom("gauss", (Quantity.var(rho),), Notion.ZCDP))
    values = {turns: Fraction(50_000), rho: Fraction(1, 10**7)}
    found = price(cost, Notion.GDP)
    assert isinstance(found, Price)
    assert numbers(cost, Notion.GDP, values) == {"mu": 0.1}
    with pytest.raises(KeyError):
        numbers(cost, Notion.GDP, {rho: Fraction(1)})


@pytest.mark.parametrize("leak", [1, 2])
def test_one_input_that_leaks_nothing_hides_no_leak_of_another(leak: int) -> None:
    """Of what two inputs move, that of the second is seen with δ whatever becomes of the first."""
    parts = [Atom("laplace", (Quantity.of("0.5"),)), Given(Notion.APPROX, (Quantity.of("0.5"), Quantity.of("0.001")))]
    found = numbers(Together(tuple(parts[:: 1 if leak == 2 else -1])), Notion.APPROX, {})
    assert isinstance(found, dict)
    assert found["delta"] is not None
    assert 0.001 <= found["delta"] <= 0.001 * math.exp(0.5)
