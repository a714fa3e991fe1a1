"""What one mechanism, and one trusted cost, is priced at in each notion: the definitions, in fifty digits."""

from fractions import Fraction

import mpmath as mp
import pytest

from duetpy.accounting.price import Price, Refusal, price, value
from duetpy.typecheck.cost import Atom, Choice, Converted, Cost, Given, Group, Repeat, Sampled, Seq, Together
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ZERO
from tests.accounting.exact_losses import gaussian_delta
from tests.accounting.terms import exponential, gauss, given, laplace, of, response


def numbers(cost: Cost, notion: Notion) -> tuple[float | None, ...]:
    found = price(cost, notion)
    assert isinstance(found, Price), found
    return tuple(value(found).values())


def number(cost: Cost, notion: Notion) -> float:
    found = numbers(cost, notion)[0]
    assert found is not None
    return found


def at_order(cost: Cost, alpha: str) -> float:
    """The Rényi ε of a cost at an order: that of the cost and of a trusted one, which names the order and costs nothing."""
    order, eps = numbers(Seq((cost, given(Notion.RENYI, alpha, 0))), Notion.RENYI)
    assert order == float(alpha)
    assert eps is not None
    return eps


def just_above(found: float, truth: mp.mpf) -> bool:
    """Up to the last bit: a number is printed as the shortest text of its double."""
    return bool(truth * (1 - mp.mpf("1e-15")) <= found <= truth * (1 + mp.mpf("1e-7")))


def quantile(probability: mp.mpf) -> mp.mpf:
    return mp.sqrt(2) * mp.erfinv(2 * probability - 1)


def response_curve(eps: mp.mpf, alpha: mp.mpf) -> mp.mpf:
    return mp.log((mp.exp(alpha * eps) + mp.exp((1 - alpha) * eps)) / (1 + mp.exp(eps))) / (alpha - 1)


def laplace_curve(eps: mp.mpf, alpha: mp.mpf) -> mp.mpf:
    up, down = mp.exp((alpha - 1) * eps), mp.exp(-alpha * eps)
    return mp.log((alpha * up + (alpha - 1) * down) / (2 * alpha - 1)) / (alpha - 1)


EPSILONS = ["0.125", "1", "2", "5"]
ORDERS = ["1.25", "2", "9"]


@pytest.mark.parametrize("eps", EPSILONS)
@pytest.mark.parametrize("name", ["laplace", "noisy-max", "ggauss"])
def test_as_laplace_noise(name: str, eps: str) -> None:
    atom = Atom(name, (of(1), of(eps))) if name == "ggauss" else Atom(name, (of(eps),))
    e = mp.mpf(eps)
    with mp.workdps(50):
        assert just_above(number(atom, Notion.PURE), e)
        assert just_above(number(atom, Notion.ZCDP), e + mp.exp(-e) - 1)
        assert just_above(number(atom, Notion.GDP), 2 * quantile(1 - mp.exp(-e / 2) / 2))
        for alpha in ORDERS:
            assert just_above(at_order(atom, alpha), laplace_curve(e, mp.mpf(alpha)))


@pytest.mark.parametrize("eps", EPSILONS)
@pytest.mark.parametrize("name", ["exponential", "gibbs"])
def test_a_bounded_range(name: str, eps: str) -> None:
    """A loss in an interval of length ε is ε²/8-concentrated, and no easier to distinguish than an answer at ε/2."""
    atom = Atom(name, (of(eps),))
    e = mp.mpf(eps)
    with mp.workdps(50):
        assert just_above(number(atom, Notion.PURE), e)
        assert just_above(number(atom, Notion.ZCDP), min(e * e / 8, e * mp.tanh(e / 2)))
        assert just_above(number(atom, Notion.GDP), 2 * quantile(1 / (1 + mp.exp(-e / 2))))
        for alpha in ORDERS:
            order = mp.mpf(alpha)
            assert just_above(at_order(atom, alpha), min(order * e * e / 8, response_curve(e, order)))


@pytest.mark.parametrize("eps", EPSILONS)
@pytest.mark.parametrize(
    "name",
    [
        "rand-resp",
        "rand-resp of four",
        "above-threshold",
        "dlaplace",
        "canonical",
        "a trusted ε",
        "a trusted ε with no δ",
    ],
)
def test_the_worst_of_a_pure_epsilon(name: str, eps: str) -> None:
    """Nothing is known but ε: the loss is that of one answer in two, and no range and no Laplace noise makes it less."""
    costs: dict[str, Cost] = {
        "rand-resp": response(eps, 2),
        "rand-resp of four": response(eps, 4),
        "canonical": Atom("canonical", (of(eps), ZERO)),
        "a trusted ε": given(Notion.PURE, eps),
        "a trusted ε with no δ": given(Notion.APPROX, eps, 0),
    }
    cost = costs.get(name, Atom(name, (of(eps),)))
    e = mp.mpf(eps)
    with mp.workdps(50):
        assert just_above(number(cost, Notion.PURE), e)
        assert just_above(number(cost, Notion.ZCDP), e * mp.tanh(e / 2))
        assert just_above(number(cost, Notion.GDP), 2 * quantile(1 / (1 + mp.exp(-e))))
        for alpha in ORDERS:
            curve = response_curve(e, mp.mpf(alpha))
            # δ = 0 is one of many: by way of zCDP, which is not below.
            if name == "a trusted ε with no δ":
                assert just_above(at_order(cost, alpha), mp.mpf(alpha) * e * mp.tanh(e / 2))
            else:
                assert just_above(at_order(cost, alpha), curve)
            assert at_order(cost, alpha) >= curve * (1 - mp.mpf("1e-15"))
        rho, omega = numbers(cost, Notion.TCDP)
        assert rho is not None
        assert omega is None
        assert just_above(rho, e * mp.tanh(e / 2))


CALIBRATIONS = [
    ((Notion.ZCDP, "0.3"), "0.6"),
    ((Notion.TCDP, "0.3", "7"), "0.6"),
    ((Notion.RENYI, "4", "0.3"), "0.15"),
    ((Notion.GDP, "0.3"), "0.09"),
    ((Notion.RAO, "0.3"), "0.09"),
]
"""A calibration, and its (s/σ)²."""


@pytest.mark.parametrize(("calibration", "squared"), CALIBRATIONS)
@pytest.mark.parametrize("name", ["gauss", "noisy-descent", "dgauss"])
def test_gaussian_noise_of_each_calibration(name: str, calibration: tuple[Notion, ...], squared: str) -> None:
    notion, *params = calibration
    atom = Atom(name, tuple(of(str(param)) for param in params), notion)
    shift = mp.mpf(squared)
    assert just_above(number(atom, Notion.ZCDP), shift / 2)
    if name == "dgauss":
        assert isinstance(price(atom, Notion.GDP), Refusal)
    else:
        assert just_above(number(atom, Notion.GDP), mp.sqrt(shift))
    for alpha in ("1.25", "3"):
        assert just_above(at_order(atom, alpha), mp.mpf(alpha) * shift / 2)
    rho, omega = numbers(atom, Notion.TCDP)
    assert rho is not None
    assert just_above(rho, shift / 2)
    # What is drawn is Gaussian at every order, and a program gets no more than it asked for.
    assert omega == (7.0 if notion is Notion.TCDP and name != "noisy-descent" else None)
    assert isinstance(price(atom, Notion.PURE), Refusal)


@pytest.mark.parametrize("calibration", [None, Notion.RAO])
def test_the_power_two_is_gaussian_noise_and_no_other_is(calibration: Notion | None) -> None:
    """The density ∝ exp(−(x/s)²) is N(0, s²/2): a shift by a scale is √2 standard deviations. A Rao length is μ itself."""
    atom = Atom("ggauss", (of(2), of("0.3")), calibration)
    shift = mp.mpf("0.3") * (1 if calibration else mp.sqrt(2))
    assert just_above(number(atom, Notion.ZCDP), shift**2 / 2)
    assert just_above(number(atom, Notion.GDP), shift)
    assert just_above(at_order(atom, "3"), 3 * shift**2 / 2)
    eps, delta = numbers(atom, Notion.APPROX)
    assert eps is not None
    assert delta == 1e-6
    assert gaussian_delta(eps, float(shift)) <= 1e-6 < gaussian_delta(eps * (1 - 1e-6), float(shift))
    other = Atom("ggauss", (of("1.5"), of("0.3")), calibration)
    for notion in (Notion.PURE, Notion.ZCDP, Notion.GDP, Notion.TCDP):
        assert isinstance(price(other, notion), Refusal)


def test_lengths_of_independent_parts_add_in_squares() -> None:
    one, other = gauss(Notion.RAO, "0.3"), gauss(Notion.RAO, "0.4")
    assert numbers(one, Notion.RAO) == (0.3,)
    assert just_above(number(Seq((one, other)), Notion.RAO), mp.mpf("0.5"))
    assert just_above(number(Repeat(of(3), one), Notion.RAO), mp.sqrt(3) * mp.mpf("0.3"))
    assert just_above(number(Group(of(3), one), Notion.RAO), mp.mpf("0.9"))
    assert just_above(number(Together((one, other)), Notion.RAO), mp.mpf("0.7"))
    assert just_above(number(Choice((one, other)), Notion.RAO), mp.mpf("0.4"))
    with mp.workdps(50):
        length = mp.sqrt(3 * mp.gamma(mp.mpf(5) / 3) / mp.gamma(mp.mpf(4) / 3))
        assert just_above(number(Atom("ggauss", (of(3), of("0.3"))), Notion.RAO), length * mp.mpf("0.3"))
    assert numbers(Converted(Notion.RAO, None, one), Notion.RAO) == (0.3,)
    for cost in (
        response(1),
        Sampled("poisson", of("0.1"), one),
        Sampled("sample", of("0.1"), one),
        Converted(Notion.GDP, None, gauss(Notion.GDP, "0.3")),
        Converted(Notion.PURE, None, laplace("0.3")),
    ):
        assert isinstance(price(cost, Notion.RAO), Refusal)


GIVEN = [
    (given(Notion.GDP, "0.3"), {Notion.ZCDP: ("0.045",), Notion.GDP: ("0.3",), Notion.TCDP: ("0.045", None)}),
    (given(Notion.ZCDP, "0.3"), {Notion.ZCDP: ("0.3",), Notion.TCDP: ("0.3", None)}),
    (given(Notion.TCDP, "0.3", 5), {Notion.TCDP: ("0.3", "5"), Notion.RENYI: ("5", "1.5")}),
    (
        Given(Notion.TCDP, (of("0.3"), INFINITY)),
        {Notion.ZCDP: ("0.3",), Notion.TCDP: ("0.3", None), Notion.RENYI: (None, None)},
    ),
    (given(Notion.RENYI, 5, "0.3"), {Notion.RENYI: ("5", "0.3"), Notion.TCDP: ("0.3", "5")}),
    (given(Notion.APPROX, "0.3", "1e-6"), {Notion.APPROX: ("0.3", "1e-6")}),
    (
        given(Notion.PURE, "0.3"),
        {
            Notion.PURE: ("0.3",),
            Notion.APPROX: ("0.3", "0"),
            Notion.RENYI: (None, "0.3"),
            Notion.ZCDP: (),
            Notion.GDP: (),
            Notion.TCDP: (),
        },
    ),
]
"""A trusted cost, and what it is in every notion that it says anything of; of those with no numbers here see above."""


@pytest.mark.parametrize(("cost", "prices"), GIVEN)
def test_a_trusted_cost_says_nothing_but_what_follows_from_it(
    cost: Given, prices: dict[Notion, tuple[str | None, ...]]
) -> None:
    for notion in Notion:
        found = price(cost, notion)
        if notion not in prices:
            assert isinstance(found, Refusal), (notion, found)
        elif prices[notion]:
            wanted = tuple(None if each is None else float(each) for each in prices[notion])
            assert numbers(cost, notion) == wanted


@pytest.mark.parametrize("eps", EPSILONS)
def test_a_price_in_another_notion_is_what_is_known_of_the_term(eps: str) -> None:
    """Of Laplace noise that was priced in pure ε, no more than ε; of what was priced in zCDP or GDP, its ρ or μ."""
    e, three = mp.mpf(eps), mp.mpf(3)
    with mp.workdps(50):
        pure = Converted(Notion.PURE, None, laplace(eps))
        assert just_above(at_order(pure, "3"), response_curve(e, three))
        assert just_above(number(pure, Notion.ZCDP), e * mp.tanh(e / 2))
        assert just_above(number(pure, Notion.TCDP), e * mp.tanh(e / 2))
        assert just_above(number(pure, Notion.GDP), 2 * quantile(1 / (1 + mp.exp(-e))))
        assert numbers(pure, Notion.RENYI) == (None, float(eps))
        rho = e + mp.exp(-e) - 1
        concentrated = Converted(Notion.ZCDP, None, laplace(eps))
        assert just_above(at_order(concentrated, "3"), 3 * rho)
        assert just_above(number(concentrated, Notion.TCDP), rho)
        mu = 2 * quantile(1 - mp.exp(-e / 2) / 2)
        gaussian = Converted(Notion.GDP, None, laplace(eps))
        assert just_above(number(gaussian, Notion.ZCDP), mu**2 / 2)
        assert just_above(at_order(gaussian, "3"), 3 * mu**2 / 2)
        assert numbers(pure, Notion.APPROX) == (float(eps), 0.0)
        for cost, notion in (
            (concentrated, Notion.PURE),
            (concentrated, Notion.GDP),
            (concentrated, Notion.APPROX),  # without a δ to spend
            (gaussian, Notion.PURE),
            (gaussian, Notion.APPROX),
        ):
            assert isinstance(price(cost, notion), Refusal)


def test_the_order_of_a_term_is_the_least_of_those_that_are_read_in_it() -> None:
    inner, outer = gauss(Notion.RENYI, 2, "0.1"), gauss(Notion.RENYI, 3, "0.3")
    assert numbers(Seq((Converted(Notion.RENYI, None, inner), outer)), Notion.RENYI) == (2.0, 0.3)
    # What is converted from zCDP holds at every order, whatever its own noise was calibrated at: 3⋅0.1/2 + 0.3.
    assert numbers(Seq((Converted(Notion.ZCDP, None, inner), outer)), Notion.RENYI) == (3.0, 0.45)
    assert numbers(Converted(Notion.TCDP, None, given(Notion.TCDP, "0.1", 4)), Notion.RENYI) == (4.0, 0.4)


@pytest.mark.parametrize("count", [1, 3])
def test_only_gaussian_noise_is_sampled_as_gaussian_noise(count: int) -> None:
    """At the order 3 discrete noise in unknown steps, which no one pair dominates, has a factor of 3 before the last term."""
    q, rho = mp.mpf("0.05"), mp.mpf("0.25")

    def moment(factor: int) -> mp.mpf:
        third = factor * q**3 * mp.exp(6 * count * rho)
        return mp.log((1 - q) ** 2 * (1 + 2 * q) + 3 * q**2 * (1 - q) * mp.exp(2 * count * rho) + third) / 2

    def sampled(atom: Atom) -> float:
        return at_order(Sampled("poisson", of("0.05"), Repeat(of(count), atom)), "3")

    assert just_above(sampled(gauss(Notion.ZCDP, "0.25")), moment(1))
    assert just_above(sampled(Atom("dgauss", (of("0.25"),), Notion.ZCDP)), moment(3))
    mixed = Seq((gauss(Notion.ZCDP, "0.25"), Atom("dgauss", (of("0.25"),), Notion.ZCDP)))
    twice = at_order(Sampled("poisson", of("0.05"), mixed), "3")
    count = 2
    assert just_above(twice, moment(3))


def test_what_is_sampled_with_a_pure_epsilon_takes_the_better_bound() -> None:
    """Randomized response at ε on the rows that are kept, whatever the mechanism; Laplace noise also by its ρ, without a factor."""
    for eps in ("0.5", "2"):
        e, q = mp.mpf(eps), mp.mpf("0.1")
        body = Repeat(of(2), laplace(eps))
        up, down = 1 + q * mp.expm1(2 * e), 1 + q * mp.expm1(-2 * e)
        pure = mp.log((up**3 + mp.exp(2 * e) * down**3) / (1 + mp.exp(2 * e))) / 2
        rho = 2 * (e + mp.exp(-e) - 1)
        line = mp.log((1 - q) ** 2 * (1 + 2 * q) + 3 * q**2 * (1 - q) * mp.exp(2 * rho) + q**3 * mp.exp(6 * rho)) / 2
        found = at_order(Sampled("poisson", of(Fraction(1, 10)), body), "3")
        assert just_above(found, min(pure, line))
        alone = numbers(Sampled("sample", of(Fraction(1, 10)), exponential(eps)), Notion.PURE)[0]
        assert alone is not None
        assert just_above(alone, mp.log1p(q * mp.expm1(e)))


@pytest.mark.parametrize(("eps", "delta"), [("0.5", "1e-5"), ("2", "1e-6"), ("8", "1e-3")])
def test_gaussian_noise_for_epsilon_and_delta(eps: str, delta: str) -> None:
    """μ is where the exact δ of N(0, 1) against N(μ, 1) is met (Balle & Wang 2018); ρ is μ²/2."""
    atom = gauss(Notion.APPROX, eps, delta)
    mu = number(atom, Notion.GDP)
    assert gaussian_delta(mp.mpf(eps), mp.mpf(mu) * (1 - mp.mpf("1e-8"))) < mp.mpf(delta)
    assert gaussian_delta(mp.mpf(eps), mp.mpf(mu)) >= mp.mpf(delta) * (1 - mp.mpf("1e-12"))
    assert just_above(number(atom, Notion.ZCDP), mp.mpf(mu) ** 2 / 2 * (1 - mp.mpf("1e-9")))
    assert just_above(at_order(atom, "3"), 3 * mp.mpf(mu) ** 2 / 2 * (1 - mp.mpf("1e-9")))


@pytest.mark.parametrize(("eps", "delta"), [("0.5", "1e-5"), ("2", "1e-6"), ("8", "1e-3")])
def test_discrete_gaussian_noise_for_epsilon_and_delta(eps: str, delta: str) -> None:
    """ρ is the largest for which the least of exp((α−1)(αρ − ε))/(α−1)⋅(1 − 1/α)^α is at most δ (Canonne, Kamath & Steinke
    2020, Corollary 13)."""
    rho = number(Atom("dgauss", (of(eps), of(delta)), Notion.APPROX), Notion.ZCDP)

    def implied(concentrated: mp.mpf) -> mp.mpf:
        def log_delta(order: mp.mpf) -> mp.mpf:
            grown = (order - 1) * (order * concentrated - mp.mpf(eps))
            return grown - mp.log(order - 1) + order * mp.log(1 - 1 / order)

        low, high = mp.mpf("1.000001"), mp.mpf(1000)
        for _ in range(200):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (low, right) if log_delta(left) < log_delta(right) else (left, high)
        return mp.exp(log_delta(low))

    assert implied(mp.mpf(rho) * (1 + mp.mpf("1e-5"))) > mp.mpf(delta)
    assert implied(mp.mpf(rho) * (1 - mp.mpf("1e-5"))) < mp.mpf(delta)


def test_the_amplification_of_tcdp_holds_from_its_orders_on() -> None:
    """ω ≥ log(1/q)/(2ρ): of one row in a hundred and ρ = 0.1, that is 23.03."""
    for rate, rho, omega, is_broken in (
        ("0.01", "0.1", 24, False),
        ("0.01", "0.1", 23, True),
        ("0.1", "0.1", 12, False),
        ("0.1001", "0.1", 12, True),
        ("0.1", "0.1001", 12, True),
    ):
        cost = Sampled("sample", of(rate), given(Notion.TCDP, rho, omega))
        found = price(cost, Notion.TCDP)
        assert isinstance(found, Price)
        assert bool(found.premises) == is_broken
