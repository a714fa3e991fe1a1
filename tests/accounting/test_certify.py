"""The certified (ε, δ): never below the truth, never above a price, and the methods in their order."""

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from benchmarks import literature
from duetpy.accounting import convert
from duetpy.accounting.certify import Bound, closed_form, tight
from duetpy.accounting.gaussian_profile import calibrate_mu, gaussian_delta, gaussian_epsilon
from duetpy.accounting.losses_of_cost import composition
from duetpy.accounting.price import Price, Refusal, numbers, price
from duetpy.accounting.rounding import raised
from duetpy.typecheck.cost import (
    Advanced,
    Atom,
    Choice,
    Converted,
    Cost,
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
from duetpy.typecheck.quantity import Kind, KindVar, Quantity, log
from tests.accounting import exact_losses as exact
from tests.accounting.terms import (
    binomial_delta,
    exponential,
    gauss,
    given,
    laplace,
    of,
    pairs,
    random_term,
    repeated,
    response,
)
from tests.effort import often


def epsilon(cost: Cost, delta: float | str = "1e-6") -> float:
    # A double, such as the δ of a price, stands for the decimal that it prints as.
    return tight(cost, {}, Fraction(delta) if isinstance(delta, str) else delta).epsilon


# ---------------------------------------------------------------------------------------------------------------------
# The truth, and the prices


@pytest.mark.parametrize("mechanism", [laplace, response, exponential])
def test_the_decimal_that_a_bound_prints_as_is_one(mechanism: Callable[[str], Cost]) -> None:
    own = "0.100000000000000005"  # the next double prints as 0.1, and at 0.1 Laplace noise has a δ of 2.5e-18
    assert Fraction(repr(epsilon(mechanism(own), "1e-60"))) > Fraction(own) - Fraction(1, 10**28)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.sparse(6)
def test_never_below_the_truth_on_random_terms(seed: int) -> None:
    draw = Random(seed)
    for _ in range(8):
        term = random_term(draw, 2)
        for delta in (1e-2, 1e-7):
            eps = epsilon(term, delta)
            for p, q in pairs(term):
                if len(p) > 600:
                    continue
                grown = Fraction(math.exp(min(eps, 500.0)))
                assert exact.delta((p, q), grown) <= Fraction(delta) * (1 + Fraction(1, 10**9)), term
                assert exact.delta((q, p), grown) <= Fraction(delta) * (1 + Fraction(1, 10**9)), term


MIXED: list[Cost] = [
    repeated(50, laplace("0.1")),
    repeated(20, exponential("0.2")),
    repeated(100, gauss(Notion.ZCDP, "0.001")),
    repeated(30, gauss(Notion.APPROX, "0.3", "1e-8")),
    Advanced(of(40), of("1e-7"), gauss(Notion.APPROX, "0.1", "1e-9")),
    Seq((repeated(10, laplace("0.2")), repeated(10, gauss(Notion.GDP, "0.2")), response(1))),
    Seq((given(Notion.ZCDP, "0.05"), laplace("0.3"), gauss(Notion.ZCDP, "0.05"))),
    Seq((given(Notion.RENYI, 10, "0.4"), gauss(Notion.RENYI, 10, "0.3"))),
    repeated(10, given(Notion.APPROX, "0.1", "1e-8")),
    Choice((laplace("0.5"), gauss(Notion.APPROX, "0.4", "1e-7"))),
    Together((gauss(Notion.APPROX, "0.4", "1e-7"), laplace("0.2"))),
    Group(of(3), gauss(Notion.APPROX, "0.1", "1e-8")),
    Sampled("sample", of("0.05"), gauss(Notion.APPROX, 1, "1e-6")),
    repeated(20, Sampled("poisson", of("0.05"), gauss(Notion.APPROX, 1, "1e-8"))),
    Converted(Notion.ZCDP, of("1e-6"), repeated(10, gauss(Notion.ZCDP, "0.01"))),
    Converted(Notion.RENYI, of("1e-6"), repeated(10, gauss(Notion.RENYI, 20, "0.1"))),
    Converted(Notion.TCDP, of("1e-6"), gauss(Notion.TCDP, "0.05", 50)),
    Converted(Notion.GDP, of("1e-6"), Seq((gauss(Notion.GDP, "0.3"), laplace("0.1")))),
    Seq((Atom("noisy-max", (of("0.3"),)), Atom("above-threshold", (of("0.3"),)))),
    Seq((Atom("dgauss", (of("0.05"),), Notion.ZCDP), laplace("0.2"))),
]


@pytest.mark.parametrize("cost", MIXED, ids=repr)
@pytest.mark.sparse(7)
def test_never_above_what_a_price_implies_at_the_same_delta(cost: Cost) -> None:
    for notion in Notion:
        found = numbers(cost, notion, {})
        if isinstance(found, Refusal) or notion is Notion.RAO:
            continue
        for delta in (1e-6, 1e-4):
            implied = implied_epsilon(notion, [math.inf if x is None else x for x in found.values()], delta)
            assert epsilon(cost, delta) <= implied * (1 + 1e-15)
        if notion is Notion.APPROX and found["delta"]:
            assert found["epsilon"] is not None
            assert epsilon(cost, found["delta"]) <= found["epsilon"]


def implied_epsilon(notion: Notion, parts: list[float], delta: float) -> float:
    match notion:
        case Notion.PURE:
            return parts[0]
        case Notion.APPROX:
            return parts[0] if parts[1] <= delta else math.inf
        case Notion.RENYI:
            alpha, eps = parts
            return eps if math.isinf(alpha) else eps + math.log(1 / delta) / (alpha - 1)
        case Notion.ZCDP:
            return parts[0] + 2 * math.sqrt(parts[0] * math.log(1 / delta))
        case Notion.TCDP:
            rho, omega = parts
            orders = [1 + 10 ** (i / 20) for i in range(-60, 100)]
            return min(rho * a + math.log(1 / delta) / (a - 1) for a in orders if a <= omega)
        case Notion.GDP:
            return gaussian_epsilon(delta, parts[0])
        case Notion.RAO:
            return math.inf


def renyi_epsilon(cost: Cost, delta: float) -> float:
    parts = composition(cost, {})
    return convert.curve_epsilon(lambda alpha: sum(n * loss.renyi(alpha) for loss, n in parts), delta)


@pytest.mark.parametrize("cost", MIXED, ids=repr)
@pytest.mark.sparse(4)
def test_a_smaller_delta_costs_more(cost: Cost) -> None:
    answers = [epsilon(cost, delta) for delta in ("1e-3", "1e-5", "1e-7")]
    assert all(a <= b * (1 + 1e-6) for a, b in pairwise(answers))


@pytest.mark.parametrize("count", [2, 10, 60])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-10])
def test_pure_is_above_kov_is_above_the_distribution(count: int, delta: float) -> None:
    eps = 0.2
    pure = count * eps
    kov = literature.optimal_epsilon([(eps, 0.0, count)], delta)
    found = epsilon(repeated(count, laplace("0.2")), delta)
    worst = epsilon(repeated(count, given(Notion.PURE, "0.2")), delta)
    assert found <= worst * (1 + 1e-9) <= min(kov, pure) * (1 + 2e-9)
    assert binomial_delta(eps, count, worst) <= delta


@pytest.mark.parametrize("count", [5, 50])
def test_zcdp_is_above_renyi_is_above_the_distribution(count: int) -> None:
    delta = 1e-6
    cost = Seq((repeated(count, laplace("0.1")), repeated(count, gauss(Notion.GDP, "0.1"))))
    rho = numbers(cost, Notion.ZCDP, {})
    assert not isinstance(rho, Refusal)
    assert rho["rho"] is not None
    simple = rho["rho"] + 2 * math.sqrt(rho["rho"] * math.log(1 / delta))
    zcdp = convert.zcdp_epsilon(rho["rho"], delta)
    renyi = renyi_epsilon(cost, delta)
    found = epsilon(cost, delta)
    assert simple >= zcdp >= renyi * (1 - 1e-9)
    assert renyi > found


# ---------------------------------------------------------------------------------------------------------------------
# Equal ways to write a term


@pytest.mark.parametrize(
    "atom",
    [
        laplace("0.3"),
        exponential("0.3"),
        response("0.3", 3),
        gauss(Notion.APPROX, "0.3", "1e-6"),
        gauss(Notion.RENYI, 5, "0.2"),
        Atom("dgauss", (of("0.03"),), Notion.ZCDP),
        Atom("ggauss", (of(3), of("0.3"))),
        Atom("canonical", (of("0.3"), of("1e-8"))),
        Atom("canonical", (of("0.3"), of(0))),
        given(Notion.PURE, "0.3"),
        given(Notion.APPROX, "0.3", "1e-8"),
        given(Notion.ZCDP, "0.03"),
        given(Notion.RENYI, 30, "0.2"),
        given(Notion.TCDP, "0.03", 40),
        given(Notion.GDP, "0.4"),
        Sampled("sample", of("0.1"), laplace("0.3")),
        Sampled("poisson", of("0.1"), gauss(Notion.GDP, "0.8")),
        Choice((laplace("0.3"), gauss(Notion.GDP, "0.2"))),
        Group(of(2), laplace("0.2")),
        Together((laplace("0.1"), gauss(Notion.GDP, "0.1"))),
    ],
    ids=repr,
)
@pytest.mark.sparse(5)
def test_repeating_is_writing_again(atom: Cost) -> None:
    assert epsilon(Seq((atom,) * 6)) == pytest.approx(epsilon(repeated(6, atom)), rel=1e-9)
    nested = repeated(2, Seq((atom, repeated(2, atom))))
    assert epsilon(nested) == pytest.approx(epsilon(repeated(6, atom)), rel=1e-9)
    assert epsilon(repeated(6, atom)) >= epsilon(atom)


def test_proof_steps_do_not_change_the_mechanism() -> None:
    body = repeated(10, gauss(Notion.ZCDP, "0.01"))
    plain = tight(body, {}, Fraction("1e-6"))
    assert plain.kind == "exact"
    converted = tight(Converted(Notion.ZCDP, of("1e-6"), body), {}, Fraction("1e-6"))
    assert (converted.kind, converted.method) == (plain.kind, plain.method)
    assert converted.epsilon == pytest.approx(plain.epsilon, rel=1e-11)
    loop = Advanced(of(10), of("1e-7"), gauss(Notion.ZCDP, "0.01"))
    assert tight(loop, {}, Fraction("1e-6")).epsilon == pytest.approx(plain.epsilon, rel=1e-11)


def test_the_worst_case_of_a_notion_is_above_its_mechanisms() -> None:
    for notion, trusted, own in (
        (Notion.PURE, given(Notion.PURE, "0.3"), laplace("0.3")),
        (Notion.ZCDP, given(Notion.ZCDP, "0.05"), gauss(Notion.ZCDP, "0.05")),
        (Notion.APPROX, given(Notion.APPROX, "0.3", "1e-8"), gauss(Notion.APPROX, "0.3", "1e-8")),
        (Notion.TCDP, given(Notion.TCDP, "0.05", 20), gauss(Notion.TCDP, "0.05", 20)),
        (Notion.RENYI, given(Notion.RENYI, 20, "0.5"), gauss(Notion.RENYI, 20, "0.5")),
    ):
        assert epsilon(repeated(10, trusted)) >= epsilon(repeated(10, own)), notion
    same = epsilon(repeated(10, given(Notion.GDP, "0.2")))
    assert same == epsilon(repeated(10, gauss(Notion.GDP, "0.2")))


# ---------------------------------------------------------------------------------------------------------------------
# Single mechanisms, and the ends


@pytest.mark.parametrize(
    ("cost", "method"),
    [
        (laplace(1), "Laplace"),
        (response(1, 5), "randomized response"),
        (given(Notion.PURE, 1), "randomized response as the worst case"),
        (gauss(Notion.APPROX, 1, "1e-6"), "Gaussian"),
        (repeated(50, gauss(Notion.ZCDP, "0.1")), "Gaussian"),
        (Seq((gauss(Notion.GDP, 1), gauss(Notion.ZCDP, "0.5"))), "Gaussian"),
        (given(Notion.APPROX, 1, "1e-9"), "randomized response with a leak as the worst case"),
        (Zero(), "nothing is spent"),
    ],
    ids=repr,
)
def test_what_has_a_formula_is_exact(cost: Cost, method: str) -> None:
    found = tight(cost, {}, Fraction("1e-6"))
    assert (found.kind, found.method, found.grid_error) == ("exact", method, 0.0)


def test_a_gaussian_at_its_own_delta_costs_its_epsilon() -> None:
    found = epsilon(gauss(Notion.APPROX, "0.7", "1e-6"))
    assert found == pytest.approx(0.7, rel=1e-9)
    assert found <= 0.7


def test_a_bound_on_a_mechanism_is_called_one() -> None:
    for cost in (exponential(1), Atom("noisy-max", (of(1),)), repeated(5, laplace(1)), given(Notion.ZCDP, "0.1")):
        assert tight(cost, {}, Fraction("1e-3")).kind == "upper"
    assert tight(repeated(50, response("0.1")), {}, Fraction("1e-3")).kind == "exact"


def test_a_distribution_on_a_grid_that_misses_the_losses_is_no_exact_answer() -> None:
    root = of(2).sqrt() / 10
    cost = repeated(30, Seq((response("0.1"), Atom("rand-resp", (of(2), root)))))
    assert tight(cost, {}, Fraction("1e-3")).kind == "upper"


def test_the_ends_of_delta() -> None:
    assert tight(laplace(1), {}, Fraction(0)).epsilon == 1.0
    assert tight(repeated(3, laplace(1)), {}, Fraction(0)).epsilon == pytest.approx(3.0)
    assert tight(gauss(Notion.ZCDP, 1), {}, Fraction(0)).epsilon == math.inf
    assert tight(gauss(Notion.ZCDP, 1), {}, Fraction(1)).epsilon == 0.0
    assert tight(NonPrivate("printed"), {}, Fraction(1)).epsilon == 0.0
    assert tight(NonPrivate("printed"), {}, Fraction("1e-6")).epsilon == math.inf
    assert tight(Seq((laplace(1), NonPrivate("printed"))), {}).epsilon == math.inf
    assert tight(given(Notion.APPROX, 1, "1e-5"), {}, Fraction("1e-6")).epsilon == math.inf
    assert tight(given(Notion.RAO, 1), {}, Fraction("1e-6")).epsilon == math.inf


def test_delta_down_to_very_small_ones() -> None:
    for delta in ("1e-15", "1e-40", "1e-200"):
        cost = Seq((repeated(20, laplace("0.1")), repeated(20, gauss(Notion.GDP, "0.1"))))
        found = epsilon(cost, delta)
        renyi = renyi_epsilon(cost, float(delta))
        below = gaussian_epsilon(float(delta), math.sqrt(20) * 0.1)
        assert below < found <= renyi


def test_delta_is_reported_as_asked() -> None:
    found = tight(laplace(1), {}, Fraction("1e-5"))
    assert found == Bound(found.epsilon, 1e-5, "exact", "Laplace")


def test_values_are_used_and_missed() -> None:
    eps, k = KindVar.fresh("ε", Kind.POS), KindVar.fresh("k", Kind.NAT)
    cost = Repeat(Quantity.var(k), Atom("laplace", (Quantity.var(eps),)))
    known = {eps: Fraction(1, 10), k: Fraction(50)}
    assert tight(cost, known, Fraction("1e-6")).epsilon == epsilon(repeated(50, laplace("0.1")))
    with pytest.raises(KeyError):
        tight(cost, {eps: Fraction(1)}, Fraction("1e-6"))


def test_broken_conditions_are_told_and_not_used() -> None:
    too_many = Sampled("sample", of(3), laplace(1))
    found = tight(too_many, {}, Fraction("1e-6"))
    assert found.epsilon == math.inf
    assert found.conditions == ("at most all rows are sampled",)
    unproved = Sampled("sample", of("0.5"), gauss(Notion.TCDP, 2, 3))
    formula = price(unproved, Notion.TCDP)
    assert isinstance(formula, Price)
    assert formula.premises
    assert epsilon(unproved) > 13 * 0.25 * 2


def test_a_public_choice_of_whole_programs_costs_the_larger() -> None:
    one, two = laplace("0.5"), gauss(Notion.APPROX, "0.6", "1e-7")
    assert epsilon(Choice((one, two))) == max(epsilon(one), epsilon(two))


def test_shuffled_reports_cost_less_than_one() -> None:
    report = response(4)
    shuffled = Shuffled(of(10_000), report)
    assert epsilon(shuffled) < 0.6
    assert epsilon(Shuffled(of(2), report)) <= 4.0


def test_sampling_is_amplification() -> None:
    for scheme in ("sample", "poisson"):
        for body in (laplace(1), gauss(Notion.GDP, 1), repeated(3, laplace("0.5"))):
            assert epsilon(Sampled(scheme, of("0.01"), body)) < 0.3 * epsilon(body)
            assert epsilon(Sampled(scheme, of(1), body)) <= epsilon(body) * (1 + 1e-6)


def test_the_same_column_twice_is_not_two_columns() -> None:
    """One change that moves both inputs of a Gaussian: μ₁ + μ₂, above √(μ₁² + μ₂²)."""
    one = gauss(Notion.GDP, "0.5")
    together, apart = epsilon(Together((one, one))), epsilon(Seq((one, one)))
    assert together == pytest.approx(gaussian_epsilon(1e-6, 1.0), rel=1e-9)
    assert apart == pytest.approx(gaussian_epsilon(1e-6, math.sqrt(0.5)), rel=1e-9)


def test_a_classical_gaussian_would_be_below_the_truth() -> None:
    """The control: noise by √(2 log(1.25/δ))/ε at ε = 10 has more δ than it claims; ours has not."""
    mu = 10 / math.sqrt(2 * math.log(1.25e5))
    assert gaussian_delta(10.0, mu) > 2e-5
    assert gaussian_delta(10.0, calibrate_mu(10.0, 1e-5)) <= 1e-5


def test_closed_forms_exist_only_for_single_losses() -> None:
    assert closed_form(composition(Seq((laplace(1), response(1))), {}), 1e-6) is None
    assert closed_form(composition(laplace(1), {}), 1e-6) is not None


def test_a_rational_epsilon_as_a_logarithm() -> None:
    """Quantities that are not fractions are evaluated upwards."""
    cost = Atom("rand-resp", (of(2), log(of(3))))
    assert epsilon(cost, 0) >= math.log(3)
    assert epsilon(cost, 0) == pytest.approx(math.log(3), rel=1e-15)


@pytest.mark.thorough("test_many_different_losses_one_of_which_is_all_leak")
def test_a_great_many_different_mechanisms() -> None:
    """Thousands of different ε are put into buckets, upwards; a bucket never lowers the answer."""
    parts = tuple(laplace(Fraction(1, 1000) + Fraction(i, 10**7)) for i in range(2000))
    found = epsilon(Seq(parts))
    below = epsilon(repeated(2000, laplace("0.001")))
    above = epsilon(repeated(2000, laplace(Fraction(12, 10_000))))
    assert below < found < above * 1.011


def test_a_bucket_is_never_below_what_is_put_into_it() -> None:
    """All of them are just below the edge of a bucket, so that the next one down is a whole bucket too small."""
    edge = Fraction(2.0 ** (-422 / 64))
    parts = tuple(laplace(edge * (1 - Fraction(i, 10**7))) for i in range(1, 131))
    least, most = (epsilon(repeated(130, laplace(edge * (1 + Fraction(share, 10**7))))) for share in (-131, 10**4))
    assert least * (1 - 1e-4) <= epsilon(Seq(parts)) <= most * (1 + 1e-4)


def test_many_different_losses_one_of_which_is_all_leak() -> None:
    """In buckets too: nothing but a δ has no ε to be raised, and δ = 1 is no more than 1."""
    parts = [given(Notion.APPROX, Fraction(i, 1000), Fraction(1, 10**9 + i)) for i in range(200)]
    assert (
        sum(i for i in range(200)) / 1000 > epsilon(Seq(tuple(parts)), 1e-3) > epsilon(Seq(tuple(parts[50:100])), 1e-3)
    )
    almost = given(Notion.APPROX, 1, Fraction(1) - Fraction(1, 10**17))
    assert epsilon(Seq((*parts, almost)), 1e-3) == math.inf


def test_inputs_that_move_together_through_an_overwhelming_epsilon() -> None:
    """From P to R to Q, an event of probability δ under R may be certain under P: e^ε δ > 1, however small δ is."""
    for eps in (720, 5000):
        tiny = given(Notion.APPROX, eps, Fraction(1, 10**310))
        assert epsilon(Together((tiny, tiny)), 0.99) == math.inf


def test_what_spends_nothing_disappears() -> None:
    nothing = Atom("rand-resp", (of(2), of(0)))
    assert tight(Seq((nothing, nothing)), {}).epsilon == 0.0
    assert epsilon(Seq((nothing, laplace("0.5")))) == epsilon(laplace("0.5"))
    assert epsilon(Sampled("poisson", of("0.1"), Seq((nothing, nothing)))) == 0.0


def test_a_deep_term_is_priced_without_a_distribution() -> None:
    deep: Cost = laplace("0.1")
    for _ in range(levels := often(3000, 450)):
        deep = Choice((Seq((deep, laplace("0.001"))), laplace("0.2")))
    assert tight(deep, {}).epsilon == pytest.approx(0.2 + (levels - 1) / 1000, rel=1e-5)


def test_a_billion_small_steps() -> None:
    found = epsilon(repeated(10**9, laplace("1e-5")))
    limit = gaussian_epsilon(1e-6, 1e-5 * math.sqrt(10**9))
    assert limit * 0.99 < found < limit * 1.1


# ---------------------------------------------------------------------------------------------------------------------
# Far away


@pytest.mark.parametrize("eps", [800, 10**4, 10**6])
@pytest.mark.parametrize("mechanism", ["laplace", "rand-resp"])
def test_what_protects_next_to_nothing_is_not_called_private(eps: int, mechanism: str) -> None:
    cost = response(eps, 2) if mechanism == "rand-resp" else laplace(eps)
    assert epsilon(cost) >= eps - 1e-5


@pytest.mark.parametrize(
    ("cost", "delta"),
    [
        (Repeat(of(3), Sampled("poisson", of("1e-12"), gauss(Notion.GDP, "26.8"))), "0.3"),
        (Sampled("poisson", of("1e-300"), gauss(Notion.GDP, 26)), "1e-302"),
        (Sampled("sample", of("1e-300"), gauss(Notion.GDP, 26)), "1e-302"),
        (Repeat(of(10**9), Sampled("poisson", of("0.5"), given(Notion.PURE, 50))), "1e-6"),
        (Repeat(of(10**15), Sampled("sample", of("0.5"), Group(of(3), given(Notion.PURE, "2.5")))), "1e-12"),
        (Group(of(3), given(Notion.ZCDP, "1e300")), "0.5"),
    ],
)
def test_there_is_an_answer_however_far_away(cost: Cost, delta: str) -> None:
    """Rates next to 0, more turns than a grid holds, and costs beyond all use: no fault, no warning, no nan."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 0.0 <= epsilon(cost, delta) <= 1e301


@pytest.mark.parametrize(
    "cost",
    [
        Group(of("1e300"), laplace("1e10")),
        Group(of("1e300"), gauss(Notion.GDP, "1e10")),
        Group(of("1e300"), response("1e10", 2)),
        Group(of("1e300"), given(Notion.APPROX, "1e10", "1e-6")),
        Group(of("1e400"), laplace("0.1")),
        Repeat(of("1e400"), gauss(Notion.GDP, "0.1")),
        Repeat(of("1e400"), laplace("0.1")),
        Seq((laplace("1e308"), laplace("1.7e308"))),
        Seq((gauss(Notion.GDP, "1e300"), laplace("0.1"))),
        Together((laplace("1e308"), response("1.7e308", 2))),
        Sampled("poisson", of(1), Repeat(of(1000), laplace("1e308"))),
        Sampled("poisson", of("1e-3"), gauss(Notion.APPROX, "1e308", "1e-12")),
    ],
)
def test_what_no_double_holds_is_never_nothing(cost: Cost) -> None:
    """∞ times a rounding error of 0 is not a number, and no comparison with it holds: such a loss was left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for delta in ("1e-6", "1e-4"):
            assert epsilon(cost, delta) > 1e200
        for notion in (Notion.PURE, Notion.APPROX, Notion.ZCDP, Notion.GDP):
            found = numbers(cost, notion, {})
            assert isinstance(found, Refusal) or None in found.values() or max(filter(None, found.values())) > 1e100


def test_rounding_keeps_what_is_infinite() -> None:
    assert raised(math.inf, 0.0) == raised(math.inf, 1e-15) == math.inf


def test_what_tells_everything_has_a_distribution() -> None:
    """Three steps of (20, 1e-12) tell all, and one row in a thousand is seen: δ = 0.001, and no less."""
    all_told = Group(of(3), given(Notion.APPROX, 20, "1e-12"))
    cost = Sampled("poisson", of("0.001"), Seq((all_told, Group(of(2), response(300, 3)))))
    assert epsilon(cost, "0.3") == 0.0
    assert epsilon(cost, "0.0009") == math.inf
