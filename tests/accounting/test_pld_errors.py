"""The error bounds of a composition: transforms are as wrong as they may be, and exponents lose their last digits."""

import math
from fractions import Fraction
from random import Random
from typing import ClassVar

import numpy as np
import pytest
from attrs import frozen
from scipy import fft

from duetpy.accounting.arrays import Array
from duetpy.accounting.gaussian_profile import gaussian_delta
from duetpy.accounting.losses.inversion import profile_epsilon
from duetpy.accounting.losses.losses import PROFILE_ERROR, GaussianLoss, LaplaceLoss, Loss
from duetpy.accounting.losses.sampled import PoissonLoss
from duetpy.accounting.pld import pld
from duetpy.accounting.pld.grid import Masses, discretize
from duetpy.accounting.pld.tilt import Moments, Part, Parts, Window
from duetpy.accounting.rounding import UNIT_ROUNDOFF

STEP, TILT = 0.25, 0.5


def parts_of(*each: tuple[int, list[float], int], step: float = STEP) -> Parts:
    """Masses from a first place on, so many times."""
    masses = [(Masses(first, np.array(mass), 0.0), count) for first, mass, count in each]
    return Parts.of([Part(own, count, Moments.of(own, step)) for own, count in masses])


def exact_masses(parts: Parts) -> dict[int, float]:
    """The composition term by term, near 0: all terms are positive, so that doubles keep nearly all digits."""
    found = np.zeros(513)
    found[256] = 1.0
    for part in parts.each:
        for _ in range(part.count):
            found = sum(mass * np.roll(found, part.masses.first + at) for at, mass in enumerate(part.masses.mass))
    return {place - 256: float(mass) for place, mass in enumerate(found)}


def full_norm(half: pld.Spectrum) -> float:
    """The norm of a spectrum of even size, of which a half is given."""
    squares = np.abs(half) ** 2
    return math.sqrt(float(2.0 * squares.sum() - squares[0] - squares[-1]))


@pytest.mark.parametrize(("place", "counts", "size"), [(-3, (400, 250), 256), (3, (400, 250), 256), (2, (1, 1), 4096)])
def test_what_transforms_and_powers_may_lose_is_made_up_for(
    place: int, counts: tuple[int, int], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every transform errs by all that the theorem allows, and every product by √5 units, such that one cell loses the most.

    Of many copies the errors of their spectra and powers are larger than that of the way back, of two on a long grid they are not.
    """
    parts = parts_of((-1, [2e-6, 1 - 5e-6, 3e-6], counts[0]), (-1, [1e-6, 1 - 3e-6, 2e-6], counts[1]))
    window = Window(-size // 2, size, 0.0)
    truth = exact_masses(parts)[place]
    ahead, back = fft.rfft, fft.irfft
    allowed = pld._transform_error(size)
    spectra: list[pld.Spectrum] = []

    def noted(values: Array) -> pld.Spectrum:
        spectra.append(np.asarray(ahead(values)))
        return spectra[-1]

    monkeypatch.setattr(fft, "rfft", noted)
    pld.compose(parts, STEP, TILT, window)
    total = np.prod([spectrum**count for spectrum, count in zip(spectra, counts, strict=True)], axis=0)
    # All spectra begin at the first place of their part, so that the cell is found from the first place of all together.
    cell = (place + sum(counts)) % size
    turned = total * np.exp(2j * np.pi * cell * np.arange(len(total)) / size)
    waiting = list(spectra)

    def wrong(values: Array) -> pld.Spectrum:
        spectrum = waiting.pop(0)
        rest = turned / spectrum
        return np.asarray(spectrum - allowed * full_norm(spectrum) / full_norm(rest) * rest.conj())

    def wrong_power(base: pld.Spectrum, exponent: int) -> pld.Spectrum:
        lost = math.sqrt(5.0) * UNIT_ROUNDOFF * exponent
        return np.asarray(base**exponent * (1.0 - lost * np.exp(-1j * np.angle(turned))))

    def wrong_back(spectrum: pld.Spectrum, length: int) -> Array:
        result = np.asarray(back(spectrum, length))
        result[cell] -= allowed * math.sqrt(float(result @ result))
        return result

    right = math.exp(pld.compose(parts, STEP, TILT, window).logs[place - window.first])
    monkeypatch.setattr(fft, "rfft", wrong)
    monkeypatch.setattr(pld, "_power", wrong_power)
    monkeypatch.setattr(fft, "irfft", wrong_back)
    found = math.exp(pld.compose(parts, STEP, TILT, window).logs[place - window.first])
    assert truth < found < right
    assert right < truth * 1.2


@pytest.mark.parametrize("place", [-9001, 7333, 40_961])
def test_what_the_exponents_lose_is_made_up_for(place: int) -> None:
    """All mass in one place, which a steep tilt lifts by a factor of e^10000 and more: taken off again, it is 1 and no less."""
    for tilt in (12.34567, 31.4159, 47.11):
        for count in (3, 7):
            found = pld.compose(parts_of((place, [1.0], count)), STEP, tilt, Window(count * place - 2, 8, 0.0))
            assert 0.0 <= found.logs[2] < 1e-7


@pytest.mark.parametrize("power", range(1, 21))
def test_transforms_may_err_by_what_the_theorem_says(power: int) -> None:
    """Higham 2002, Theorem 24.2, of radix two and twiddles that are exactly rounded, and twice that for other radices."""
    gamma = 4 * UNIT_ROUNDOFF / (1 - 4 * UNIT_ROUNDOFF)
    eta = UNIT_ROUNDOFF + gamma * (math.sqrt(2) + UNIT_ROUNDOFF)
    assert pld._transform_error(1 << power) >= 2 * power * eta / (1 - power * eta)


@pytest.mark.parametrize("seed", range(20))
def test_what_several_losses_leave_at_infinity_is_rounded_up(seed: int) -> None:
    random = Random(seed)
    each = []
    for _ in range(random.randint(2, 4)):
        infinite = 10 ** random.uniform(-16, -1)
        masses = Masses(0, np.array([1.0 - infinite]), infinite)
        each.append(Part(masses, random.randint(1, 9), Moments.of(masses, 1.0)))
    found = pld.compose(Parts.of(each), 1.0, 0.5, Window(0, 2, 0.0)).infinite
    kept = math.prod((1 - Fraction(part.masses.infinite)) ** part.count for part in each)
    assert 1 - kept <= Fraction(found) <= (1 - kept) * (1 + Fraction(1, 10**11))


@frozen(eq=False, repr=False)
class Short(Loss):
    """A loss of which the profile is as far below the truth as a profile may be."""

    base: Loss

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        return self.base.profile(eps, reverse) * (1.0 - PROFILE_ERROR * (1.0 - 1e-6))


@frozen(eq=False, repr=False)
class Back(Short):
    """A loss that is as short, and that loses nothing in the other direction."""

    symmetric: ClassVar[bool] = False

    def profile(self, eps: Array, reverse: bool = False) -> Array:
        return super().profile(eps) if reverse else np.zeros_like(eps)


@pytest.mark.parametrize("eps", [0.25, 1.0, 3.0])
def test_who_asks_for_a_profile_adds_what_it_may_be_short_of(eps: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it: half of that share would not do."""
    loss, mu = LaplaceLoss(4.0), 1.5
    masses = discretize(Short(loss), 0.25, 1e-15, False)
    places = (masses.first + np.arange(len(masses.mass))) * 0.25
    on_grid = masses.infinite + float(masses.mass @ -np.expm1(np.minimum(eps - places, 0.0)))
    assert on_grid >= float(loss.profile(np.array([eps]))[0]) * (1.0 - 1e-11)
    delta = gaussian_delta(eps, mu)
    for short in (Short(GaussianLoss(mu)), Back(GaussianLoss(mu))):
        assert gaussian_delta(profile_epsilon(short, delta), mu) <= delta * (1.0 + 1e-11)
    monkeypatch.setattr(pld, "gaussian_profile", lambda at, _: Short(GaussianLoss(mu)).profile(at))
    assert (pld.Distribution(1.0, 0, np.array([0.0]), 0.0, mu)._weights(eps, 0) >= delta * (1.0 - 1e-11)).all()
    gone = pld.Distribution(1.0, 0, np.array([-math.inf]), 0.0, mu, tilt=0.0, left=0.0)
    assert gone.delta(eps) >= delta * (1.0 - 1e-11)


@pytest.mark.parametrize(("other", "answer"), [(1.2, 1.8), (1.9, 1.9), (2.5, 2.0)])
def test_a_coarse_grid_helps_where_it_helps_in_both_directions(
    other: float, answer: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The coarse grid gives less than the fine one in the direction that decides; what it gives in the other one counts as well."""
    fine, coarse = {False: 1.5, True: 2.0}, {False: other, True: 1.8}

    def solved(_: object, step: float, mu: float, delta: float, tail: float, reverse: bool) -> tuple[float, object]:
        found = pld.Distribution(step, 0, np.array([0.0]), 0.0)
        return (fine if step == 0.5 else coarse)[reverse], found

    monkeypatch.setattr(pld, "_steps", lambda *_: ([1.0, 0.5], False))
    monkeypatch.setattr(pld, "_solved", solved)
    found = pld.certify([(PoissonLoss(0.5, GaussianLoss(1.0)), 2)], 0.0, 1e-6)
    assert found is not None
    assert (found.epsilon, found.exact) == (answer, False)


@pytest.mark.parametrize("step", [1.0, 0.1, 1e-3])
@pytest.mark.parametrize("first", [-40, 10**9, 3 * 10**15, 2**54, 2**56 + 12, -(2**55)])
def test_what_is_not_counted_has_no_weight(first: int, step: float) -> None:
    """Also where places are so far from 0 that two next to each other are one double."""
    found = pld.Distribution(step, first, np.zeros(96), 0.0)
    for place in (0, 1, 5, 31, 60, 94, 95):
        for units in (-3.0, -1.0, 0.0, 1.0, 2.0, 9.0):
            eps = float(found.positions()[place])
            eps += units * math.ulp(eps)
            start, weights = found._counted(eps), found._weights(eps, 0)
            assert not weights[:start].any()
            assert found.delta(eps) >= min(1.0, math.fsum(weights))
            assert start >= min(max(0, place - 4), 91) or abs(first) > 2**49


def test_what_a_sum_of_many_masses_loses_is_made_up_for() -> None:
    for seed in range(12):
        masses = np.random.default_rng(seed).dirichlet(np.ones(5000))
        found = pld.Distribution(1e-3, 0, np.log(masses), 0.0)
        for eps in (-3.0, 0.1, 2.0):
            exact = math.fsum(found.masses() * found._weights(eps, 0))
            assert exact <= found.delta(eps) <= exact * (1.0 + 2e-9)
