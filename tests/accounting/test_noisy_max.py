"""The largest of noisy scores is no easier to distinguish than Laplace noise: against the exact law, in every notion."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from duetpy.accounting.certify import tight
from duetpy.accounting.losses.losses import LaplaceLoss, Loss
from duetpy.accounting.losses_of_cost import atom_loss
from duetpy.accounting.price import Price, numbers, price
from duetpy.typecheck.cost import Atom, Cost, Repeat
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity

EPSILONS = ("0.1", "0.5", "1", "3")


def law(scores: np.ndarray) -> np.ndarray:
    """Chances to be the largest uᵢ + Eᵢ, Eᵢ exponential of scale 1, by inclusion and exclusion:

    P[i] = Σ_S (−1)^|S|/(|S| + 1) · wᵢ Π_{j ∈ S} wⱼ over the sets S of the others, with w = e^{u − max u}.
    """
    weights = np.exp(scores - scores.max())
    found = np.zeros(len(weights))
    for i, own in enumerate(weights):
        others = np.delete(weights, i)
        for size in range(len(others) + 1):
            for some in combinations(others, size):
                found[i] += (-1) ** size / (size + 1) * own * math.prod(some)
    return found


def pairs(eps: float, count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Laws of two neighbours: scores of which each moves by up to ε/2 to either side, in units of the noise."""
    draw = np.random.default_rng(7)
    found = []
    for _ in range(count):
        size = int(draw.integers(2, 6))
        scores = draw.exponential(1.0, size) * draw.choice([0.0, 0.3, 1.0, 3.0])
        moves = draw.choice([-eps / 2, eps / 2], size) if draw.random() < 0.6 else draw.uniform(-eps / 2, eps / 2, size)
        found.append((law(scores), law(scores + moves)))
    return found


def loss_of(eps: str) -> Loss:
    return atom_loss(Atom("noisy-max", (Quantity.of(eps),)), {})


@pytest.mark.parametrize("eps", EPSILONS)
def test_no_scores_are_easier_to_tell_than_the_loss(eps: str) -> None:
    places = np.linspace(-1.2 * float(eps), 1.2 * float(eps), 41)
    profile = loss_of(eps).profile(places)
    for one, other in pairs(float(eps), 400):
        assert one.sum() == pytest.approx(1.0, abs=1e-12)
        for p, q in ((one, other), (other, one)):
            truth = np.maximum(p[None, :] - np.exp(places)[:, None] * q[None, :], 0.0).sum(axis=1)
            assert (truth <= profile + 1e-12).all()


@pytest.mark.parametrize("eps", EPSILONS)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.95])
def test_two_candidates_attain_it_at_every_place(eps: str, share: float) -> None:
    size, place = float(eps), share * float(eps)
    # The best threshold for x is at z = (ε + x)/2 below the middle of the shifted law.
    apart = (size + place) / 2
    before, after = law(np.array([0.0, apart - size])), law(np.array([0.0, apart]))
    found = max(after[1] - math.exp(place) * before[1], before[0] - math.exp(place) * after[0])
    assert found == pytest.approx(float(loss_of(eps).profile(np.array([place]))[0]), rel=1e-9)


@pytest.mark.parametrize("eps", EPSILONS)
@pytest.mark.parametrize("alpha", [1.01, 2.0, 7.0, 60.0])
@pytest.mark.sparse(3)
def test_its_divergences_are_within_the_prices(eps: str, alpha: float) -> None:
    atom = Atom("noisy-max", (Quantity.of(eps),))
    rho = numbers(atom, Notion.ZCDP, {})
    assert isinstance(rho, dict)
    bound = rho["rho"]
    assert bound is not None
    curve = atom_loss(atom, {}).renyi(alpha)
    for one, other in pairs(float(eps), 200):
        for p, q in ((one, other), (other, one)):
            truth = math.log(float((p * np.exp((alpha - 1.0) * np.log(p / q))).sum())) / (alpha - 1.0)
            assert truth <= curve + 1e-11
            assert truth <= bound * alpha + 1e-11


def test_half_the_noise_would_be_seen() -> None:
    """The pairs are hard enough: a loss at nine tenths of ε is exceeded by them."""
    profile = LaplaceLoss(0.9).profile(np.array([0.0]))
    worst = max(float(np.maximum(p - q, 0.0).sum()) for p, q in pairs(1.0, 400))
    assert worst > float(profile[0])


def test_it_costs_what_laplace_noise_costs_and_less_than_randomized_response() -> None:
    best, noise = Atom("noisy-max", (Quantity.of("0.4"),)), Atom("laplace", (Quantity.of("0.4"),))
    for notion in (Notion.PURE, Notion.ZCDP, Notion.GDP, Notion.TCDP):
        found, expected = price(best, notion), price(noise, notion)
        assert isinstance(found, Price)
        assert found == expected
    response = Atom("rand-resp", (Quantity.of(2), Quantity.of("0.4")))

    def many(one: Cost) -> float:
        return tight(Repeat(Quantity.of(30), one), {}, Fraction(1, 10**6)).epsilon

    assert many(best) == pytest.approx(many(noise), rel=1e-9)
    assert many(best) < many(response)
    assert tight(Repeat(Quantity.of(30), best), {}, Fraction(1, 10**6)).kind == "upper"
