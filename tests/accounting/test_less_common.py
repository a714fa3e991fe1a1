"""Integer noise, generalized Gaussians, entropic regularisation and shuffled reports: each formula against its definition."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from random import Random

import mpmath as mp
import numpy as np
import pytest

from duetpy.accounting.certify import tight
from duetpy.accounting.losses.generalized_gaussian import GeneralizedGaussianLoss, generalized_epsilon
from duetpy.accounting.losses.losses import PROFILE_ERROR, BoundedRangeLoss, CurveLoss, ResponseLoss
from duetpy.accounting.losses.shuffle import closed_form_epsilon, shuffled_epsilon
from duetpy.accounting.losses_of_cost import atom_loss, composition
from duetpy.accounting.noise_scale import noise_scale
from duetpy.accounting.price import Price, Refusal, numbers, price
from duetpy.typecheck.cost import Atom, Converted, Cost, Repeat, Seq, Shuffled
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Kind, KindVar, Quantity
from tests.accounting.exact_losses import continuous_delta, gaussian_delta
from tests.accounting.terms import given, laplace, of, response

DELTA = Fraction(1, 10**6)


def approx(cost: Cost, delta: Fraction = DELTA) -> float:
    return tight(cost, {}, delta).epsilon


# ---------------------------------------------------------------------------------------------------------------------
# Integers


def mass(weight: mp.mpf, reach: int) -> dict[int, mp.mpf]:
    """The law with P(z) ∝ weight^{…} is made by the callers; this one is ∝ q^|z|."""
    raw = {z: weight ** abs(z) for z in range(-reach, reach + 1)}
    total = mp.fsum(raw.values())
    return {z: value / total for z, value in raw.items()}


def discrete_gaussian_law(variance: Fraction, reach: int) -> dict[int, mp.mpf]:
    two = 2 * mp.mpf(variance.numerator) / variance.denominator
    raw = {z: mp.exp(-(mp.mpf(z) ** 2) / two) for z in range(-reach, reach + 1)}
    total = mp.fsum(raw.values())
    return {z: value / total for z, value in raw.items()}


def delta_of(law: dict[int, mp.mpf], shift: int, eps: float) -> mp.mpf:
    """Σ (P(z) − e^ε P(z − shift))₊, exactly except for the tails, which are far below any δ asked for."""
    grown = mp.exp(mp.mpf(eps))
    return mp.fsum(max(mp.mpf(0), value - grown * law.get(z - shift, mp.mpf(0))) for z, value in law.items())


def renyi_of(law: dict[int, mp.mpf], shift: int, alpha: float) -> mp.mpf:
    order = mp.mpf(alpha)
    inside = [z for z in law if z - shift in law]
    return mp.log(mp.fsum(law[z] ** order * law[z - shift] ** (1 - order) for z in inside)) / (order - 1)


@pytest.mark.parametrize("shift", [1, 2, 5])
@pytest.mark.parametrize("eps", [0.1, 1.0, 4.0])
@pytest.mark.sparse(4)
def test_discrete_laplace_noise_is_epsilon_private(shift: int, eps: float) -> None:
    """Scale s/ε against a move by s: the profile is at most that of randomized response, and is it for s = 1."""
    scale = noise_scale(Atom("dlaplace", (of(str(eps)),)), Fraction(shift), {})
    law = mass(mp.exp(-mp.mpf(scale.denominator) / scale.numerator), int(80 * scale) + 20)
    claimed = atom_loss(Atom("dlaplace", (of(str(eps)),)), {})
    assert isinstance(claimed, ResponseLoss)
    import numpy as np

    for part in (0.0, 0.3, 0.7, 1.0):
        true = float(delta_of(law, shift, part * eps))
        bound = float(claimed.profile(np.array([part * eps]))[0])
        assert true <= bound + 1e-12
        if shift == 1:
            assert true == pytest.approx(bound, abs=1e-12)


@pytest.mark.parametrize("shift", [1, 3])
@pytest.mark.parametrize("rho", ["0.02", "0.5", "4"])
@pytest.mark.sparse(4)
def test_discrete_gaussian_noise_is_concentrated(shift: int, rho: str) -> None:
    """D_α ≤ αρ at every order, and all of it in the limit of wide noise."""
    atom = Atom("dgauss", (of(rho),), Notion.ZCDP)
    sigma = noise_scale(atom, Fraction(shift), {})
    law = discrete_gaussian_law(sigma**2, int(60 * sigma) + 40 * shift)
    for alpha in (1.01, 1.5, 2.0, 4.0, 8.0):
        found = float(renyi_of(law, shift, alpha))
        assert found <= alpha * float(Fraction(rho)) * (1 + 1e-12)
        if sigma > 3:
            assert found >= alpha * float(Fraction(rho)) * 0.999


@pytest.mark.parametrize("shift", [1, 2, 7])
@pytest.mark.parametrize(("eps", "delta"), [("1", "1e-6"), ("0.3", "1e-4"), ("4", "1e-9"), ("12", "1e-3")])
@pytest.mark.sparse(5)
def test_a_discrete_gaussian_calibrated_for_epsilon_and_delta_has_them(shift: int, eps: str, delta: str) -> None:
    """By exact sums; the calibration goes through zCDP, and so is not the least σ."""
    sigma = noise_scale(Atom("dgauss", (of(eps), of(delta)), Notion.APPROX), Fraction(shift), {})
    law = discrete_gaussian_law(sigma**2, int(40 * sigma) + 40 * shift)
    assert delta_of(law, shift, float(Fraction(eps))) <= mp.mpf(str(float(Fraction(delta))))
    # Half the noise would not do: the test can fail.
    narrow = discrete_gaussian_law((sigma / 2) ** 2, int(40 * sigma) + 40 * shift)
    assert delta_of(narrow, shift, float(Fraction(eps))) > mp.mpf(str(float(Fraction(delta))))


def test_a_discrete_gaussian_is_no_gaussian_mechanism() -> None:
    """For Δ = σ = 1 the pair is easier to distinguish than N(0, 1) from N(1, 1): Δ/σ is not its μ."""
    law = discrete_gaussian_law(Fraction(1), 60)
    assert all(delta_of(law, 1, eps) > 1.04 * gaussian_delta(eps, 1.0) for eps in (0.0, 1.0, 2.0, 3.25))
    assert isinstance(price(Atom("dgauss", (of(1),), Notion.ZCDP), Notion.GDP), Refusal)
    assert isinstance(atom_loss(Atom("dgauss", (of(1),), Notion.ZCDP), {}), CurveLoss)


# ---------------------------------------------------------------------------------------------------------------------
# Generalized Gaussians


def generalized_delta(power: float, ratio: float, eps: float) -> mp.mpf:
    """δ(ε) of density exp(−|x|^N)/2Γ(1 + 1/N) against its shift, by quadrature."""
    n, r = mp.mpf(power), mp.mpf(ratio)
    norm = 2 * mp.gamma(1 + 1 / n)

    def density(x: mp.mpf) -> mp.mpf:
        return mp.exp(-(abs(x) ** n)) / norm

    reach = float(ratio) + 160.0 ** (1 / power)
    return continuous_delta(
        lambda x: density(x - r), density, eps, [-reach, 0.0, ratio / 2, float(ratio), (ratio + reach) / 2, reach]
    )


@pytest.mark.parametrize(("power", "ratio"), [(1.5, 0.3), (1.5, 1.2), (3.0, 0.2), (3.0, 0.9), (4.0, 0.5), (10.0, 0.1)])
@pytest.mark.parametrize("delta", [1e-2, 1e-6])
@pytest.mark.sparse(7)
def test_the_epsilon_of_a_generalized_gaussian(power: float, ratio: float, delta: float) -> None:
    eps = generalized_epsilon(power, ratio, delta)
    assert generalized_delta(power, ratio, eps) <= delta
    assert generalized_delta(power, ratio, eps * (1 - 1e-4) - 1e-4) > delta


@pytest.mark.parametrize("ratio", [0.2, 1.0])
def test_the_powers_with_a_name(ratio: float) -> None:
    """N = 1 is Laplace and N = 2 Gaussian; powers next to them are next to them."""
    for power in (1.0, 2.0):
        exact = generalized_epsilon(power, ratio, 1e-6)
        assert exact == pytest.approx(generalized_epsilon(power + 1e-7, ratio, 1e-6), rel=1e-4)
    assert generalized_epsilon(1.0, ratio, 0.0) == ratio
    assert generalized_epsilon(2.0, ratio, 0.0) == math.inf
    assert generalized_epsilon(3.0, 0.0, 0.0) == 0.0
    assert generalized_epsilon(0.9, ratio, 1e-6) == math.inf


@pytest.mark.parametrize("power", [1, 2, 3])
def test_a_length_and_its_scale_are_one_mechanism(power: int) -> None:
    """Calibrated by θ, noise has the scale for which the accountant counts the ratio, and its Rao length is θ."""
    atom = Atom("ggauss", (of(power), of("0.3")), Notion.RAO)
    scale = noise_scale(atom, Fraction(2), {})
    loss = atom_loss(atom, {})
    if power == 1:
        assert isinstance(loss, GeneralizedGaussianLoss)
        assert loss.ratio == pytest.approx(0.3)
    assert isinstance(loss, GeneralizedGaussianLoss)
    assert Fraction(loss.ratio) * scale >= 2  # no less is charged than is drawn
    assert float(Fraction(loss.ratio) * scale) == pytest.approx(2.0, rel=1e-9)
    found = price(atom, Notion.RAO)
    assert isinstance(found, Price)
    assert found.show() == {"theta": "0.3"}
    plain = Atom("ggauss", (of(power), Quantity.of(Fraction(loss.ratio))))
    assert numbers(plain, Notion.RAO, {}) == {"theta": pytest.approx(0.3, rel=1e-9)}
    for notion in (Notion.APPROX, Notion.ZCDP, Notion.GDP):
        one, other = numbers(atom, notion, {}), numbers(plain, notion, {})
        assert isinstance(one, Refusal) == isinstance(other, Refusal) == (power == 3 and notion is not Notion.APPROX)
        if not isinstance(one, Refusal) and not isinstance(other, Refusal):
            assert list(one.values()) == pytest.approx(list(other.values()), rel=1e-9)


@pytest.mark.parametrize("power", [1.0000001, 1.3, 3.0, 64.0, 1e3, 1e5, 1e6, 1e8])
@pytest.mark.parametrize("eps", [1e-6, 0.1, 1.0, 10.0])
@pytest.mark.sparse(9)
def test_rounding_hides_nothing_of_the_difference_of_two_tails(power: float, eps: float) -> None:
    """Of a large power the last bits of z are many of |z|^N, and of a power near 1 those of a loss are far apart in z."""
    with mp.workdps(50):
        n, wanted = mp.mpf(power), mp.mpf(eps)

        def tail(z: mp.mpf) -> mp.mpf:
            beyond = mp.gammainc(1 / n, abs(z) ** n, regularized=True) / 2
            return beyond if z >= 0 else 1 - beyond

        for height in ("1e-6", "0.1", "1", "10", "100"):
            place = mp.mpf(height) ** (1 / n)  # |z|^N there, and ε more where the shifted density has its own
            ratio = float(place * ((1 + wanted / mp.mpf(height)) ** (1 / n) - 1))
            half, low, high = mp.mpf(ratio) / 2, mp.mpf(0), mp.mpf(1024)
            for _ in range(170):
                middle = (low + high) / 2
                short = (middle + half) ** n - abs(middle - half) ** n < wanted
                low, high = (middle, high) if short else (low, middle)
            true = tail(low - half) - mp.exp(wanted) * tail(low + half)
            found = float(GeneralizedGaussianLoss(power, ratio).profile(np.array([eps]))[0]) * (1 + PROFILE_ERROR)
            assert true <= found
            assert power > 1e6 or found <= float(true) * 1.02 + 2e-11


@pytest.mark.parametrize(
    ("power", "ratio", "eps"),
    [
        (1e8, 3.9763143712427864e-08, 0.00817309461888996),
        (1e8, 2.390769609452199e-05, 0.045762224312594725),
        (1e7, 7.262101770238122e-08, 0.08340906727085556),
        (1e6, 0.015146059910762257, 0.03197028132466962),
    ],
)
def test_the_last_bits_of_a_large_power_are_not_missing(power: float, ratio: float, eps: float) -> None:
    """|z|^N is well below 1 where the loss is ε, and its last bits are a million times those of z and more."""
    with mp.workdps(60):
        n, half = mp.mpf(power), mp.mpf(ratio) / 2

        def inside(z: mp.mpf) -> mp.mpf:
            """The mass between −z and z."""
            series = mp.nsum(lambda k: (-(z**n)) ** k / (mp.factorial(k) * (k * n + 1)), [0, 40], method="d")
            return z * series / mp.gamma(1 + 1 / n)

        def loss(y: mp.mpf) -> mp.mpf:
            return (y + half) ** n - abs(y - half) ** n

        low, high = mp.mpf(0), mp.mpf(1)
        for _ in range(180):
            middle = (low + high) / 2
            low, high = (middle, high) if loss(middle) < eps else (low, middle)
        ahead = (1 - inside(low - half)) / 2 if low > half else (1 + inside(half - low)) / 2
        true = ahead - mp.exp(mp.mpf(eps)) * (1 - inside(low + half)) / 2
        found = float(GeneralizedGaussianLoss(power, ratio).profile(np.array([eps]))[0]) * (1 + PROFILE_ERROR)
        assert true <= found <= true * (1 + mp.mpf("1e-5"))


@pytest.mark.parametrize("power", [25.0, 40.0, 60.0, 200.0])
@pytest.mark.parametrize("ratio", [1e-9, 1e-6, 1e-2, 1.0])
@pytest.mark.sparse(9)
def test_a_flat_top_does_not_hide_a_small_shift(power: float, ratio: float) -> None:
    """Of a large power |z|^N is no double for z well above 0; the tails there are ½ − z/2Γ(1 + 1/N) all the same."""

    def tail(z: mp.mpf) -> mp.mpf:
        beyond = mp.gammainc(1 / mp.mpf(power), abs(z) ** power, regularized=True) / 2
        return beyond if z >= 0 else 1 - beyond

    with mp.workdps(40):
        half = mp.mpf(ratio) / 2
        loss = GeneralizedGaussianLoss(power, ratio)
        for eps in (0.0, 1e-8, 0.01, 0.3):
            low, high = mp.mpf(0), mp.mpf(2)
            for _ in range(130):
                middle = (low + high) / 2
                short = abs(middle + half) ** power - abs(middle - half) ** power < eps
                low, high = (middle, high) if short else (low, middle)
            true = tail(low - half) - mp.exp(eps) * tail(low + half)
            found = float(loss.profile(np.array([eps]))[0]) * (1 + PROFILE_ERROR)
            assert true * (1 - mp.mpf("1e-30")) <= found <= float(true) * (1 + 1e-6) + 2e-11
    assert generalized_epsilon(power, ratio, 0.0) == math.inf
    certified = tight(Atom("ggauss", (of(60), of("1e-6"))), {}, Fraction(1, 10**7))
    assert certified.epsilon > 0.0  # at 0 it is no less than 5e-7


@pytest.mark.parametrize(("power", "ratio"), [(1.05, 0.5), (1.5, 0.5), (3.0, 0.5), (3.0, 100.0), (7.0, 5.0)])
@pytest.mark.parametrize("delta", [1e-6, 1e-305])
def test_where_no_profile_reaches_the_mass_beyond_a_loss_is_its_delta(power: float, ratio: float, delta: float) -> None:
    """At a δ as small as what the profile may lack, and where ε is above 2^20; hardly above the least ε."""
    with mp.workdps(40):

        def tail(z: mp.mpf) -> mp.mpf:
            beyond = mp.gammainc(1 / mp.mpf(power), abs(z) ** power, regularized=True) / 2
            return beyond if z >= 0 else 1 - beyond

        def true(eps: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
            """The mass of all losses above ε, and δ."""
            half, low, high = mp.mpf(ratio) / 2, mp.mpf(0), mp.mpf(10) ** 4
            for _ in range(130):
                middle = (low + high) / 2
                short = (middle + half) ** power - abs(middle - half) ** power < eps
                low, high = (middle, high) if short else (low, middle)
            return tail(low - half), tail(low - half) - mp.exp(eps) * tail(low + half)

        loss, found = GeneralizedGaussianLoss(power, ratio), generalized_epsilon(power, ratio, delta)
        assert true(mp.mpf(loss.beyond(delta)))[0] <= delta
        assert true(mp.mpf(found))[1] <= delta < true(mp.mpf(found) * (0.97 if delta < 1e-300 else 0.98))[1]
    assert generalized_epsilon(power, ratio, 0.9) <= found


@pytest.mark.parametrize("power", [3.0, 20.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-12, 1e-100])
def test_the_loss_of_a_tiny_shift_is_bounded_though_it_is_lost_in_its_powers(power: float, delta: float) -> None:
    """Of a shift of 1e-13 the two powers differ in their last digits only, and these are rounding."""
    for ratio in (1e-13, 1.3e-13, 1.7e-13):
        with mp.workdps(60):
            place = (-mp.log(2 * mp.mpf(delta))) ** (1 / mp.mpf(power))
            loss = (place + mp.mpf(ratio)) ** power - place**power
            assert loss <= GeneralizedGaussianLoss(power, ratio).beyond(delta)


def test_a_flat_top_is_as_high_as_its_power_says() -> None:
    """δ(0) = r/2Γ(1 + 1/N), which at N = 1000 is not yet r/2."""
    found = float(GeneralizedGaussianLoss(1000.0, 0.5).profile(np.zeros(1))[0])
    truth = 0.25 / math.gamma(1.001)
    assert truth * (1 - PROFILE_ERROR) <= found <= truth * (1 + 1e-9)


def test_a_generalized_gaussian_has_an_epsilon_at_a_millionth() -> None:
    atom = Atom("ggauss", (of(3), of("0.4")))
    found = price(atom, Notion.APPROX)
    assert isinstance(found, Price)
    assert found.show() == {"epsilon": "ε(3, 0.4, 1e-6)", "delta": "1e-6"}
    valued = numbers(atom, Notion.APPROX, {})
    assert valued == {"epsilon": generalized_epsilon(3.0, 0.4, 1e-6), "delta": 1e-6}
    assert approx(atom) == generalized_epsilon(3.0, 0.4, 1e-6)
    assert approx(atom, Fraction(1, 1000)) < approx(atom)
    twice = numbers(Seq((atom, atom)), Notion.APPROX, {})
    assert not isinstance(twice, Refusal)
    assert twice["epsilon"] == pytest.approx(2 * generalized_epsilon(3.0, 0.4, 1e-6))
    assert approx(Repeat(of(2), atom), DELTA * 2) < 2 * approx(atom)


# ---------------------------------------------------------------------------------------------------------------------
# Entropic regularisation


def test_a_gibbs_choice_has_range_twice_beta_times_the_sensitivity() -> None:
    """Random risks that move by at most s: losses fill an interval of length 2βs, and (ε, δ) is that of the atom."""
    draw = Random(5)
    beta, moved = 0.7, 1.3
    import numpy as np

    claimed = BoundedRangeLoss(2 * beta * moved)
    widest = 0.0
    for _ in range(400):
        count = draw.choice([2, 3, 20])
        before = [draw.uniform(-3, 3) for _ in range(count)]
        after = [risk + moved * draw.choice([-1, 1, draw.uniform(-1, 1)]) for risk in before]
        laws = []
        for risks in (before, after):
            weights = np.exp(-beta * np.array(risks))
            laws.append(weights / weights.sum())
        losses = np.log(laws[0] / laws[1])
        widest = max(widest, float(losses.max() - losses.min()))
        assert float(np.abs(losses).max()) <= 2 * beta * moved + 1e-12
        for eps in (0.0, 0.5, 1.0):
            delta = float(np.maximum(laws[0] - np.exp(eps) * laws[1], 0).sum())
            assert delta <= float(claimed.profile(np.array([eps]))[0]) + 1e-12
    assert 0.99 * 2 * beta * moved < widest <= 2 * beta * moved + 1e-12
    assert composition(Atom("gibbs", (of("1.82"),)), {}) == ((BoundedRangeLoss(1.82), 1),)


# ---------------------------------------------------------------------------------------------------------------------
# Shuffled reports


@pytest.mark.parametrize(("count", "local"), [(10_000, 1.0), (1_000_000, 3.0)])
def test_the_price_of_shuffled_reports_is_the_closed_form_where_it_holds(count: int, local: float) -> None:
    wanted = closed_form_epsilon(count, local, 1e-6)
    assert wanted is not None
    assert shuffled_epsilon(count, local, 1e-6) == wanted
    cost = Shuffled(of(count), laplace(str(local)))
    assert numbers(cost, Notion.APPROX, {}) == {"epsilon": pytest.approx(wanted), "delta": 1e-6}
    assert approx(cost) < wanted


@pytest.mark.parametrize(("count", "local"), [(50, 1.0), (10_000, 6.0), (1, 1.0), (2, 800.0)])
def test_outside_of_its_premise_one_report_bounds_them(count: int, local: float) -> None:
    assert shuffled_epsilon(count, local, 1e-6) == local
    cost = Shuffled(of(count), response(str(local)))
    assert numbers(cost, Notion.APPROX, {}) == {"epsilon": pytest.approx(local), "delta": 1e-6}
    assert approx(cost) <= local


def test_more_reports_never_cost_more() -> None:
    for local in (0.1, 1.0, 4.0):
        found = [shuffled_epsilon(10**power, local, 1e-6) for power in range(8)]
        assert found == sorted(found, reverse=True)
        assert found[-1] < found[0]
    rising = [shuffled_epsilon(10_000, i / 10, 1e-6) for i in range(1, 80)]
    assert rising == sorted(rising)


def test_reports_of_two_answers_are_shuffled_as_one() -> None:
    """Each person answers twice: a report of 2ε₀."""
    cost = Shuffled(of(100_000), Seq((response("0.5"), response("0.5"))))
    assert numbers(cost, Notion.APPROX, {}) == {"epsilon": shuffled_epsilon(100_000, 1.0, 1e-6), "delta": 1e-6}


def test_a_report_with_a_leak_is_not_amplified() -> None:
    body = Atom("gauss", (of("0.5"), of("1e-5")), Notion.APPROX)
    assert numbers(Shuffled(of(1000), body), Notion.APPROX, {}) == {"epsilon": 0.5, "delta": 1e-5}


def test_shuffling_may_be_priced_inside_of_a_conversion() -> None:
    number = KindVar.fresh("n", Kind.NAT)
    cost = Converted(Notion.APPROX, None, Shuffled(Quantity.var(number), response("1")))
    found = price(cost, Notion.APPROX)
    assert isinstance(found, Price)
    assert found.show()["epsilon"] == "shuffled(n, 1, 1e-6)"


# ---------------------------------------------------------------------------------------------------------------------
# Canonical noise


def canonical_delta(eps: float, delta: float, shift: float, at: float) -> float:
    """∫ (N − e^at (N + shift))₊ from the densities, which are constant between half-integers and the two ends."""
    b = math.exp(-eps)
    outside = 2 * delta * b / (1 - b + 2 * delta * b)
    cell = next(m for m in range(10**6) if 2 * b ** (m + 1) / (1 + b) <= outside)
    end = cell + 0.5 + b / (1 - b) - outside * (1 + b) / (2 * (1 - b) * b**cell)

    def density(x: float) -> float:
        return (1 - b) / (1 + b) * b ** abs(round(x)) / (1 - outside) if abs(x) < end else 0.0

    corners = [m + 0.5 for m in range(-cell - 2, cell + 2)] + [-end, end]
    places = sorted({*corners, *(corner + shift for corner in corners)})
    middles = [((low + high) / 2, high - low) for low, high in pairwise(places)]
    return math.fsum(width * max(0.0, density(x) - math.exp(at) * density(x - shift)) for x, width in middles)


@pytest.mark.parametrize(("eps", "delta"), [("1", "0.01"), ("0.3", "0.1"), ("2", "0.5"), ("0.1", "1e-5"), ("4", "0.9")])
def test_canonical_noise_is_what_its_loss_says_and_no_smaller_shift_is_worse(eps: str, delta: str) -> None:
    loss = atom_loss(Atom("canonical", (of(eps), of(delta))), {})
    for share in (-1.5, -0.5, 0.0, 0.5, 1.0, 2.0):
        at = share * float(eps)
        (claimed,) = loss.profile(np.array([at]))
        for sign in (1, -1):
            assert canonical_delta(float(eps), float(delta), sign * 1.0, at) == pytest.approx(float(claimed), rel=1e-9)
            for shift in (0.03, 0.4, 0.9):
                assert canonical_delta(float(eps), float(delta), sign * shift, at) <= float(claimed) * (1 + 1e-9)
    assert canonical_delta(float(eps), float(delta), 1.5, float(eps)) > float(delta) * 1.05


def test_canonical_noise_is_priced_where_it_is_private() -> None:
    eps, delta = of("0.8"), of("1e-3")
    whole, leaking = Atom("canonical", (eps, of(0))), Atom("canonical", (eps, delta))
    for notion in (Notion.PURE, Notion.ZCDP, Notion.TCDP, Notion.GDP):
        found, same, refused = (price(a, notion) for a in (whole, Atom("rand-resp", (of(2), eps)), leaking))
        assert isinstance(found, Price)
        assert isinstance(same, Price)
        assert found.parts == same.parts
        assert isinstance(refused, Refusal)
        assert refused.node == leaking
    assert numbers(leaking, Notion.APPROX, {}) == {"epsilon": 0.8, "delta": 1e-3}
    assert isinstance(price(whole, Notion.RAO), Refusal)
    assert noise_scale(leaking, Fraction(7, 2), {}) == Fraction(7, 2)


def test_canonical_noise_composes_as_the_worst_of_its_kind() -> None:
    eps, delta = of("0.1"), of("1e-8")
    canonical, worst = Atom("canonical", (eps, delta)), given(Notion.APPROX, "0.1", "1e-8")
    assert approx(Repeat(of(30), canonical)) == approx(Repeat(of(30), worst))
    assert approx(Repeat(of(30), canonical)) < 30 * 0.1
    assert approx(Repeat(of(30), canonical)) > approx(Repeat(of(30), laplace("0.1")))


@pytest.mark.parametrize(("power", "ratio"), [(1.5, 1.2), (3.0, 0.9)])
def test_the_price_of_a_generalized_gaussian_is_above_its_own_law(power: float, ratio: float) -> None:
    found = numbers(Atom("ggauss", (of(str(power)), of(str(ratio)))), Notion.APPROX, {})
    assert isinstance(found, dict)
    assert found["epsilon"] is not None
    assert generalized_delta(power, ratio, found["epsilon"]) <= 1e-6
    assert atom_loss(Atom("ggauss", (of("0.5"), of(str(ratio)))), {}).leak == 1.0
