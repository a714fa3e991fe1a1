"""Formulas against hundreds of digits at random arguments of every size: not below the truth by as much as a last bit."""

import math
from collections.abc import Callable, Iterator
from random import Random

import mpmath as mp
import numpy as np
import pytest

from duetpy.accounting import convert
from duetpy.accounting.gaussian_profile import laplace_mu, pure_mu
from duetpy.accounting.losses import poisson_curves, subsampling
from duetpy.accounting.losses.composed import ComposedLoss
from duetpy.accounting.losses.derived import _grouped_leaky
from duetpy.accounting.losses.discrete_laplace import (
    DiscreteLaplaceLoss,
    discrete_laplace_renyi_at,
    discrete_laplace_rho_at,
)
from duetpy.accounting.losses.losses import (
    PROFILE_ERROR,
    BoundedRangeLoss,
    KaryLoss,
    LaplaceLoss,
    LeakyLoss,
    Loss,
    ResponseLoss,
    laplace_renyi,
    laplace_rho,
    response_renyi,
    response_rho,
)
from duetpy.accounting.losses.sampled import PoissonLoss
from duetpy.accounting.losses.shuffle import closed_form_epsilon
from duetpy.accounting.losses_of_cost import total_leak

Pair = list[tuple[mp.mpf, mp.mpf]]
"""The probabilities of each outcome under P and under Q."""


class Draw(Random):
    """Random arguments of the sizes at which formulas go wrong."""

    def size(self, low: float, high: float) -> float:
        return float(10.0 ** self.uniform(low, high))

    def eps(self) -> float:
        return self.choice([self.size(-150, 2.5), self.size(-4, 2), self.size(-12, 1), float(self.randint(1, 40))])

    def alpha(self) -> float:
        own = [1 + self.size(-15, 0), 1 + self.size(-2, 3), self.size(2, 12), float(self.randint(2, 300))]
        return self.choice([*own, self.size(12, 200)])

    def share(self) -> float:
        return self.choice([self.size(-150, -1), self.size(-16, 0), 1 - self.size(-15, -1), self.random()])


Found = Iterator[tuple[float, mp.mpf]]
"""Numbers that are bounds, each with what it bounds."""


def response(eps: mp.mpf, size: int = 2) -> Pair:
    rest = 1 / (mp.exp(eps) + size - 1)
    true = mp.exp(eps) * rest
    return [(true, rest), (rest, true), ((size - 2) * rest, (size - 2) * rest)]


def divergence(pair: Pair, alpha: mp.mpf) -> mp.mpf:
    logs = [(mp.log(p), mp.log(q)) for p, q in pair if p > 0]
    return mp.log(mp.fsum(mp.exp(alpha * p + (1 - alpha) * q) for p, q in logs)) / (alpha - 1)


def sticks(pair: Pair, grown: mp.mpf) -> mp.mpf:
    return mp.fsum(max(mp.mpf(0), p - grown * q) for p, q in pair)


def curves(draw: Draw) -> Found:
    eps, alpha, size, steps = draw.eps(), draw.alpha(), draw.choice([2, 3, 10, 10**9]), draw.choice([1, 2, 17, 10**9])
    e, a = mp.mpf(eps), mp.mpf(alpha)
    if (alpha - 1) * eps > 1e7:
        return
    yield response_renyi(eps, alpha), divergence(response(e), a)
    yield KaryLoss(eps, size).renyi(alpha), divergence(response(e, size), a)
    ends = a / (2 * a - 1) * mp.exp((a - 1) * e) + (a - 1) / (2 * a - 1) * mp.exp(-a * e)
    yield laplace_renyi(eps, alpha), mp.log(ends) / (a - 1)
    step = e / steps
    q, r = mp.exp(-step), mp.exp(-(2 * a - 1) * step)
    inside = (1 + (1 - q) * (r - r**steps) / (1 - r) + r**steps) / (1 + q)
    yield discrete_laplace_renyi_at(eps, alpha, steps), e + mp.log(inside) / (a - 1)


def lines(draw: Draw) -> Found:
    eps, steps = draw.eps(), draw.choice([1, 2, 17, 10**9])
    e = mp.mpf(eps)
    yield response_rho(eps), e * mp.tanh(e / 2)
    yield laplace_rho(eps), e + mp.exp(-e) - 1
    yield discrete_laplace_rho_at(eps, steps), e - (1 - mp.exp(-e)) * e / steps / mp.sinh(e / steps)
    # The bound on μ is above if the total variation of a shift by it is.
    for mu, missing in ((pure_mu(eps), 2 / (mp.exp(e) + 1)), (laplace_mu(eps), mp.exp(-e / 2))):
        yield 0.0, mp.erfc(mp.mpf(mu) / 2 / mp.sqrt(2)) - missing


def samples(draw: Draw) -> Found:
    eps, alpha, rate, size = draw.eps(), draw.alpha(), draw.share(), draw.choice([2, 3, 1000])
    rho, order = draw.choice([draw.size(-150, 1), draw.size(-6, 1)]), draw.randint(2, 9)
    e, a, q, r = mp.mpf(eps), mp.mpf(alpha), mp.mpf(rate), mp.mpf(rho)
    yield subsampling.amplified_epsilon(rate, eps), mp.log1p(q * mp.expm1(e))
    if alpha * eps < 3e4:
        mixed = [((1 - q) * other + q * own, other) for own, other in response(e, size)]
        yield poisson_curves.response_renyi(rate, alpha, eps, size), divergence(mixed, a)
    if rate < 1.0:
        chances = [mp.binomial(order, k) * (1 - q) ** (order - k) * q**k for k in range(order + 1)]
        total = mp.fsum(chance * mp.exp(k * (k - 1) * r) for k, chance in enumerate(chances))
        yield subsampling.poisson_gaussian_at(rate, order, rho), mp.log(total) / (order - 1)


def leaks(draw: Draw) -> Found:
    eps, delta, size = draw.eps(), draw.share(), draw.choice([2, 3, 7, 10**6])
    yield (
        _grouped_leaky(size, eps, delta).leak,
        min(mp.mpf(1), delta * mp.expm1(size * mp.mpf(eps)) / mp.expm1(mp.mpf(eps))),
    )
    parts: list[tuple[Loss, int]] = [
        (LeakyLoss(draw.share(), ResponseLoss(1.0)), draw.randint(1, 10 ** draw.randint(0, 8))) for _ in range(3)
    ]
    kept = mp.fsum(count * mp.log1p(-mp.mpf(loss.leak)) for loss, count in parts)
    yield total_leak(tuple(parts)), -mp.expm1(kept)
    yield ComposedLoss(tuple(parts)).leak, -mp.expm1(kept)


def at_deltas(draw: Draw) -> Found:
    eps, alpha, delta, size = draw.eps(), draw.alpha(), draw.share(), draw.choice([2, 3, 50, 10**9])
    e, a, d = mp.mpf(eps), mp.mpf(alpha), mp.mpf(delta)

    def log(number: mp.mpf) -> mp.mpf:
        return mp.log(max(number, mp.mpf(1)))

    yield convert.kary_epsilon(eps, size, delta), log(mp.exp(e) - d * (mp.exp(e) + size - 1))
    yield convert.laplace_epsilon(eps, delta), max(mp.mpf(0), e + 2 * mp.log1p(-d))
    yield convert.bounded_range_epsilon(eps, delta), 2 * log(mp.exp(e / 2) - mp.sqrt(d * mp.expm1(e)))
    if d * d < -mp.expm1(-e):
        yield convert.renyi_epsilon(alpha, eps, delta), e + mp.log1p(-1 / a) - mp.log(d * a) / (a - 1)
    reports, small = 2 + int(draw.size(0.5, 14)), draw.size(-30, -1)
    local = draw.size(-6, 1)
    shuffled = closed_form_epsilon(reports, local, small)
    if shuffled is not None:
        first = 4 * mp.sqrt(2 * mp.log(4 / mp.mpf(small))) / mp.sqrt((mp.exp(mp.mpf(local)) + 1) * reports)
        yield shuffled, mp.log1p(mp.expm1(mp.mpf(local)) * (first + mp.mpf(4) / reports))


def profiles(draw: Draw) -> Found:
    eps, size, steps, rate = draw.eps(), draw.choice([2, 3, 10**9]), draw.choice([1, 2, 7, 40]), draw.share()
    e, q = mp.mpf(eps), mp.mpf(min(rate, 1 - 1e-15))
    mixed = [((1 - q) * other + q * own, other) for own, other in response(e, size)]
    back = [(other, own) for own, other in mixed]
    top = draw.choice([eps, float(mp.log1p(q * mp.expm1(e))), float(-mp.log1p(q * mp.expm1(-e)))])
    at = top * draw.choice([draw.uniform(-1.1, 1.1), 1 - draw.size(-16, -1), draw.size(-16, -1) - 1, 0.0])
    x, grown, step = mp.mpf(at), mp.exp(mp.mpf(at)), e / steps
    places = np.array([at])
    share = mp.exp(-step)
    middle = (1 - share) / (1 + share)
    discrete = [(1 / (1 + share), mp.exp(-e) / (1 + share)), (mp.exp(-e) / (1 + share), 1 / (1 + share))]
    discrete += [(middle * share**k, middle * share ** (steps - k)) for k in range(1, steps)]
    sampled = PoissonLoss(float(q), KaryLoss(eps, size))
    outside = max(mp.mpf(0), 1 - grown)
    for loss, reverse, truth in (
        (ResponseLoss(eps), False, sticks(response(e), grown)),
        (KaryLoss(eps, size), False, sticks(response(e, size), grown)),
        (LaplaceLoss(eps), False, 1 - mp.exp((x - e) / 2) if abs(x) <= e else outside),
        (
            BoundedRangeLoss(eps),
            False,
            (mp.exp(e / 2) - mp.exp(x / 2)) ** 2 / mp.expm1(e) if abs(x) <= e else outside,
        ),
        (DiscreteLaplaceLoss(eps, steps), False, sticks(discrete, grown)),
        (sampled, False, sticks(mixed, grown)),
        (sampled, True, sticks(back, grown)),
    ):
        yield float(loss.profile(places, reverse)[0]) * (1 + PROFILE_ERROR), truth


@pytest.mark.parametrize("question", [curves, lines, samples, leaks, at_deltas, profiles])
@pytest.mark.parametrize("seed", range(4))
def test_no_bound_is_below_the_truth(question: Callable[[Draw], Found], seed: int) -> None:
    draw, asked = Draw(seed), 0
    with mp.workdps(400):
        for _ in range(16):
            for found, truth in question(draw):
                assert math.isinf(found) or found >= truth
                asked += 1
    assert asked > 30
