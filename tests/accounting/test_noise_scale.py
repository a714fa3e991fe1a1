"""The scale of the noise, its accuracy, and that what is drawn is at least as private as what is charged."""

import math
from fractions import Fraction

import mpmath as mp
import pytest

from duetpy.accounting.convert import zcdp_epsilon
from duetpy.accounting.losses.losses import GaussianLoss
from duetpy.accounting.losses_of_cost import atom_loss
from duetpy.accounting.mechanisms.table import MECHANISMS, mechanism_of
from duetpy.accounting.noise_scale import noise_scale
from duetpy.accounting.rounding import float_down, float_up, lowered, raised, root_down, root_up
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Kind, KindVar, Quantity
from tests.accounting.exact_losses import gaussian_delta
from tests.accounting.terms import exponential, gauss, laplace, of


@pytest.mark.parametrize(
    ("atom", "scale"),
    [
        (laplace("0.1"), 10),
        (Atom("dlaplace", (of("0.25"),)), 4),
        (Atom("ggauss", (of(3), of("0.25"))), 4),
        (gauss(Notion.ZCDP, "0.125"), 2),
        (gauss(Notion.TCDP, "0.125", 5), 2),
        (gauss(Notion.RENYI, 4, "0.5"), 2),
    ],
    ids=repr,
)
def test_the_formula_of_a_scale_that_is_shown_is_the_scale(atom: Atom, scale: int) -> None:
    shown = mechanism_of(atom).unit_scale(atom)
    assert shown is not None
    assert shown.evaluate_float({}) == scale
    assert noise_scale(atom, Fraction(1), {}) == pytest.approx(scale, rel=1e-15)


def test_laplace_scale_is_exact() -> None:
    assert noise_scale(laplace("0.1"), Fraction(1, 3), {}) == Fraction(10, 3)
    assert noise_scale(Atom("dlaplace", (of("0.5"),)), Fraction(2), {}) == 4
    assert noise_scale(Atom("laplace", (of("0.5"),), Notion.RAO), Fraction(1), {}) == 2
    assert noise_scale(Atom("ggauss", (of(3), of("0.25"))), Fraction(1), {}) == 4


@pytest.mark.parametrize(
    ("atom", "square"),
    [
        (gauss(Notion.ZCDP, "0.3"), Fraction(4) / (2 * Fraction("0.3"))),
        (gauss(Notion.TCDP, "0.3", 5), Fraction(4) / (2 * Fraction("0.3"))),
        (gauss(Notion.RENYI, 7, "0.3"), Fraction(4) * 7 / (2 * Fraction("0.3"))),
        (gauss(Notion.GDP, "0.3"), Fraction(4) / Fraction("0.09")),
        (gauss(Notion.RAO, "0.3"), Fraction(4) / Fraction("0.09")),
        (Atom("dgauss", (of("0.3"),), Notion.ZCDP), Fraction(4) / (2 * Fraction("0.3"))),
    ],
    ids=repr,
)
def test_gaussian_scales_are_rounded_up_and_no_further(atom: Atom, square: Fraction) -> None:
    sigma = noise_scale(atom, Fraction(2), {})
    assert sigma * sigma >= square
    assert (sigma * (1 - Fraction(1, 2**70))) ** 2 < square


@pytest.mark.parametrize(("eps", "delta"), [("1", "1e-5"), ("10", "1e-5"), ("0.01", "1e-12"), ("3", "0.01")])
def test_the_analytic_calibration_is_private(eps: str, delta: str) -> None:
    sigma = noise_scale(gauss(Notion.APPROX, eps, delta), Fraction(3), {})
    mu = mp.mpf(3) * sigma.denominator / sigma.numerator
    exact_delta = mp.mpf(Fraction(delta).numerator) / Fraction(delta).denominator
    assert gaussian_delta(mp.mpf(eps), mu) <= exact_delta
    assert gaussian_delta(mp.mpf(eps), mu * (1 + mp.mpf("1e-9"))) > exact_delta


def test_a_discrete_gaussian_for_epsilon_and_delta_goes_through_zcdp() -> None:
    sigma = noise_scale(Atom("dgauss", (of(1), of("1e-6")), Notion.APPROX), Fraction(1), {})
    rho = float(1 / (2 * sigma * sigma))
    assert zcdp_epsilon(rho, 1e-6) <= 1.0
    assert zcdp_epsilon(rho * 1.001, 1e-6) > 1.0
    assert sigma > noise_scale(gauss(Notion.APPROX, 1, "1e-6"), Fraction(1), {})


@pytest.mark.parametrize(
    "atom",
    [
        gauss(Notion.APPROX, "0.7", "1e-6"),
        gauss(Notion.ZCDP, "0.1"),
        gauss(Notion.RENYI, 8, "0.4"),
        gauss(Notion.TCDP, "0.1", 9),
        gauss(Notion.GDP, "0.6"),
        gauss(Notion.RAO, "0.6"),
    ],
    ids=repr,
)
def test_the_loss_that_is_accounted_is_the_noise_that_is_drawn(atom: Atom) -> None:
    loss = atom_loss(atom, {})
    assert isinstance(loss, GaussianLoss)
    sigma = noise_scale(atom, Fraction(1), {})
    assert Fraction(loss.mu) * sigma >= 1  # no less is charged than is drawn
    assert float(Fraction(loss.mu) * sigma) == pytest.approx(1.0, rel=1e-8)


@pytest.mark.parametrize("power", ["1", "1.5", "2", "7"])
def test_a_rao_length_is_that_of_a_shift_by_one_scale(power: str) -> None:
    """s/θ times √(N Γ(2 − 1/N)/Γ(1 + 1/N)), rounded up."""
    found = noise_scale(Atom("ggauss", (of(power), of("0.3")), Notion.RAO), Fraction(2), {})
    with mp.workdps(50):
        n = mp.mpf(power)
        truth = mp.sqrt(n * mp.gamma(2 - 1 / n) / mp.gamma(1 + 1 / n)) * 2 / mp.mpf("0.3")
        assert truth <= mp.mpf(found.numerator) / found.denominator <= truth * (1 + mp.mpf("1e-12"))


def test_canonical_noise_is_as_wide_as_its_step() -> None:
    assert noise_scale(Atom("canonical", (of("0.1"), of("1e-6"))), Fraction(7, 3), {}) == Fraction(7, 3)


def test_roots_among_the_parameters_are_rounded_to_more_noise() -> None:
    root = of(2).sqrt()
    for atom, fourth in (
        (Atom("laplace", (root,)), Fraction(1, 4)),
        (Atom("ggauss", (of(3), root)), Fraction(1, 4)),
        (Atom("gauss", (root,), Notion.GDP), Fraction(1, 4)),
        (Atom("gauss", (root,), Notion.ZCDP), Fraction(1, 8)),
        (Atom("gauss", (root, of(3)), Notion.RENYI), Fraction(1, 18)),
        (Atom("gauss", (of(3), root), Notion.RENYI), Fraction(9, 8)),
    ):
        scale = noise_scale(atom, Fraction(1), {})
        assert fourth <= scale**4 <= fourth * (1 + Fraction(1, 10**12))


def test_scales_follow_their_arguments() -> None:
    """Twice the sensitivity is twice the noise; half the ε of Laplace is twice the noise."""
    for atom in (laplace("0.4"), gauss(Notion.APPROX, 1, "1e-6"), gauss(Notion.ZCDP, "0.2")):
        one, two = (noise_scale(atom, Fraction(s), {}) for s in (1, 2))
        assert two == pytest.approx(2 * one, rel=1e-15)
    assert noise_scale(laplace("0.2"), Fraction(1), {}) == 2 * noise_scale(laplace("0.4"), Fraction(1), {})
    assert noise_scale(gauss(Notion.ZCDP, "0.1"), Fraction(1), {}) == pytest.approx(
        2 * noise_scale(gauss(Notion.ZCDP, "0.4"), Fraction(1), {}), rel=1e-15
    )


def test_values_of_variables_are_used() -> None:
    eps = KindVar.fresh("ε", Kind.POS)
    atom = Atom("laplace", (Quantity.var(eps),))
    assert noise_scale(atom, Fraction(1), {eps: Fraction(1, 7)}) == 7
    with pytest.raises(KeyError):
        noise_scale(atom, Fraction(1), {})


@pytest.mark.parametrize(
    "atom",
    [
        exponential(1),
        Atom("above-threshold", (of(1),)),
        Atom("rand-resp", (of(2), of(1))),
        gauss(Notion.APPROX, 1, 1),
        gauss(Notion.APPROX, 1, 2),
        Atom("dgauss", (of(1), of(1)), Notion.APPROX),
        Atom("canonical", (of(1), of(1))),
        Atom("canonical", (of(0), of("1e-6"))),
        Atom("ggauss", (of("0.5"), of(1)), Notion.RAO),
        Atom("ggauss", (Quantity({}, True), of(1)), Notion.RAO),
        laplace(0),
        gauss(Notion.ZCDP, 0),
        Atom("gauss", (of(1),), None),
        Atom("gauss", (of(1),), Notion.PURE),
        Atom("laplace", (Quantity({}, True),)),
    ],
    ids=repr,
)
def test_what_has_no_scale_is_refused(atom: Atom) -> None:
    with pytest.raises(ValueError, match=r"scale|infinite|at least 1|no Gaussian"):
        noise_scale(atom, Fraction(1), {})


@pytest.mark.parametrize("sensitivity", [Fraction(0), Fraction(-1)])
def test_a_sensitivity_is_positive(sensitivity: Fraction) -> None:
    with pytest.raises(ValueError, match="positive sensitivity"):
        noise_scale(laplace(1), sensitivity, {})


# ---------------------------------------------------------------------------------------------------------------------
# Rounding


@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(-1, 3), Fraction(1, 10), Fraction(2**60 + 1), Fraction(5)])
def test_floats_enclose(number: Fraction) -> None:
    assert Fraction(float_down(number)) <= number <= Fraction(float_up(number))
    assert float_up(number) - float_down(number) <= 2 * math.ulp(float(number))
    assert Fraction(lowered(float(number), 1e-15)) < number < Fraction(raised(float(number), 1e-15))


def test_floats_beyond_the_largest() -> None:
    huge = Fraction(10) ** 400
    assert float_up(huge) == math.inf
    assert float_down(huge) < math.inf
    assert float_up(-huge) > -math.inf
    assert float_down(-huge) == -math.inf


@pytest.mark.parametrize("square", [Fraction(0), Fraction(2), Fraction(1, 3), Fraction(4, 9), Fraction(10) ** 60 + 1])
def test_roots_enclose(square: Fraction) -> None:
    low, high = root_down(square), root_up(square)
    assert low * low <= square <= high * high
    assert high - low <= high / 2**79
    if square == Fraction(4, 9):
        assert low == high == Fraction(2, 3)


# ---------------------------------------------------------------------------------------------------------------------
# Accuracy


@pytest.mark.parametrize("count", [1, 7, 1000])
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_the_error_is_the_quantile_of_the_largest_entry(noise: str, count: int) -> None:
    found = MECHANISMS["laplace" if noise == "laplace" else "gauss"].accuracy(2.5, count)
    t = mp.mpf(found.error95) / mp.mpf("2.5")
    one = 1 - mp.exp(-t) if noise == "laplace" else mp.erf(t / mp.sqrt(2))
    assert one**count == pytest.approx(0.95, rel=1e-9)
    assert found.deviation == pytest.approx(2.5 * (math.sqrt(2) if noise == "laplace" else 1.0))


def test_the_error_of_one_laplace_is_three_scales() -> None:
    assert MECHANISMS["laplace"].accuracy(1.0).error95 == pytest.approx(math.log(20))
    assert MECHANISMS["gauss"].accuracy(1.0).error95 == pytest.approx(1.959964, abs=1e-6)


@pytest.mark.parametrize("scale", [0.05, 0.3, 0.7, 1.0, 7.5, 32.0, 32.1, 300.0])
@pytest.mark.parametrize("noise", ["discrete-laplace", "discrete-gaussian"])
def test_the_error_of_whole_noise_is_a_whole_number(noise: str, scale: float) -> None:
    """By exact sums: the least number that 95 % stay within, and one more at most where Gaussian noise is wide."""
    reach = int(40 * scale) + 10
    exponent = (lambda z: z / scale) if noise == "discrete-laplace" else (lambda z: z * z / (2 * scale * scale))
    weights = [math.exp(-exponent(z)) for z in range(reach)]
    total = 2 * math.fsum(weights) - 1
    found = MECHANISMS["dlaplace" if noise == "discrete-laplace" else "dgauss"].accuracy(scale)
    assert found.error95 == int(found.error95)

    def inside(error: int) -> float:
        return (2 * math.fsum(weights[: error + 1]) - 1) / total

    assert inside(int(found.error95)) >= 0.95
    less = int(found.error95) - (2 if noise == "discrete-gaussian" and scale > 32 else 1)
    assert less < 0 or inside(less) < 0.95
    deviation = math.sqrt(2 * math.fsum(z * z * w for z, w in enumerate(weights)) / total)
    assert found.deviation >= deviation * (1 - 1e-12)
    assert found.deviation == pytest.approx(deviation)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, 3.0, 20.0, 1e3, 1.5e4, 1e5])
def test_the_error_of_a_generalized_gaussian(power: float) -> None:
    found = MECHANISMS["ggauss"].accuracy(2.0, 1, (power,))
    n, t = mp.mpf(power), mp.mpf(found.error95) / 2
    assert 1 - mp.gammainc(1 / n, t**n, regularized=True) == pytest.approx(0.95, rel=1e-9)
    assert found.deviation == pytest.approx(float(2 * mp.sqrt(mp.gamma(3 / n) / mp.gamma(1 / n))))


@pytest.mark.parametrize(("scale", "count"), [(1.0, 0), (-1.0, 1), (math.inf, 1)])
def test_an_accuracy_of_nothing_is_refused(scale: float, count: int) -> None:
    with pytest.raises(ValueError, match="accuracy"):
        MECHANISMS["laplace"].accuracy(scale, count)
