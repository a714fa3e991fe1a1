"""The numbers that papers and slides print, recomputed, with the certified value and the time.

    python -m benchmarks.tables

Every row names its set-up; `tests/accounting/test_reference_numbers.py` holds the same numbers as assertions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable

import numpy as np

from benchmarks import literature
from duetpy.accounting import convert, estimates
from duetpy.accounting.gaussian_profile import gaussian_epsilon
from duetpy.accounting.losses.losses import GaussianLoss, LaplaceLoss, Loss, ResponseLoss, response_renyi
from duetpy.accounting.losses.sampled import FixedLoss, PoissonLoss
from duetpy.accounting.losses.shuffle import shuffled_delta
from duetpy.accounting.pld import pld

Row = tuple[str, str, Callable[[], float]]


def certified(losses: list[tuple[Loss, int]], delta: float, mu: float = 0.0, tolerance: float = 5e-6) -> float:
    answer = pld.certify(losses, mu, delta, tolerance)
    return math.inf if answer is None else answer.epsilon


def show(title: str, rows: Iterable[Row]) -> None:
    """One table: set-up, printed value, ours, milliseconds of the second of two runs."""
    print(f"\n{title}")
    for name, printed, compute in rows:
        compute()
        begin = time.perf_counter()
        value = compute()
        took = 1000 * (time.perf_counter() - begin)
        print(f"  {name:<62} {printed:>12} {value:>14.7g} {took:>9.1f} ms")


def bad_outcomes() -> Iterable[Row]:
    slides = {
        1.1: ((0.5, ".00044", ".94751"), (1e-3, "9.05e-34", ".5385"), (1e-6, "9.04e-67", ".2874")),
        10.0: ((0.5, ".419", ".586"), (1e-3, ".00042", ".00218"), (1e-6, ".195e-6", "4.36e-6")),
        100.0: ((0.5, ".449", ".556"), (1e-3, ".00084", ".00118"), (1e-6, "7.87e-7", "1.27e-6")),
    }
    for alpha, cells in slides.items():
        for p, low, high in cells:
            yield f"α = {alpha:g}, p = {p:g}, at least", low, lambda a=alpha, p=p: math.exp(-0.1) * p ** (a / (a - 1))
            yield f"α = {alpha:g}, p = {p:g}, at most", high, lambda a=alpha, p=p: (math.exp(0.1) * p) ** ((a - 1) / a)


def cyclic_descent() -> Iterable[Row]:
    batches, contraction, mu = 40, 1 - 0.05 * 0.002, 2 / 3
    printed = {50: ("30.51", "5.82", "4.34"), 100: ("49.88", "7.61", "5.60"), 200: ("83.83", "9.88", "7.58")}
    for epochs, (composed, renyi, tradeoff) in printed.items():
        yield (
            f"E = {epochs}, composition",
            composed,
            lambda e=epochs: gaussian_epsilon(1e-5, literature.composed_mu(mu, e)),
        )
        yield (
            f"E = {epochs}, last iterate by Rényi divergences",
            renyi,
            lambda e=epochs: convert.zcdp_epsilon(literature.last_iterate_rho(mu, contraction, batches, e), 1e-5),
        )
        yield (
            f"E = {epochs}, last iterate by trade-off functions",
            tradeoff,
            lambda e=epochs: gaussian_epsilon(1e-5, literature.last_iterate_mu(mu, contraction, batches, e)),
        )


def federated() -> Iterable[Row]:
    for steps in (200, 1000, 10_000, 20_000):
        losses: list[tuple[Loss, int]] = [(PoissonLoss(0.0005, GaussianLoss(1.0)), steps)]
        yield (
            f"m = {steps}, limit (estimate)",
            "",
            lambda m=steps: gaussian_epsilon(1e-5, estimates.limit_mu_poisson(0.0005, 1.0, m)),
        )
        for order in (1, 2):
            yield (
                f"m = {steps}, Edgeworth of order {order} (estimate)",
                "",
                lambda found=losses, n=order: max(
                    estimates.edgeworth_epsilon(found, 1e-5, n, reverse) for reverse in (False, True)
                ),
            )
        yield f"m = {steps}, certified", "", lambda found=losses: certified(found, 1e-5)


def descent() -> Iterable[Row]:
    poisson: list[tuple[Loss, int]] = [(PoissonLoss(0.01, GaussianLoss(1.0)), 10_000)]
    fixed: list[tuple[Loss, int]] = [(FixedLoss(0.01, GaussianLoss(1.0)), 10_000)]
    yield "μ in the limit, Poisson sampling", "1.3108", lambda: estimates.limit_mu_poisson(0.01, 1.0, 10_000)
    yield "μ in the limit, batches of fixed size", "1.7101", lambda: estimates.limit_mu_fixed(0.01, 1.0, 10_000)
    yield (
        "ε in the limit, Poisson sampling (estimate)",
        "6.0071",
        lambda: gaussian_epsilon(1e-5, estimates.limit_mu_poisson(0.01, 1.0, 10_000)),
    )
    yield "ε certified, Poisson sampling", "6.18774", lambda: certified(poisson, 1e-5)
    yield "ε certified, Poisson sampling, finer grid", "6.18774", lambda: certified(poisson, 1e-5, tolerance=1e-6)
    yield "ε certified at δ = 1e-15, Poisson sampling", "", lambda: certified(poisson, 1e-15)
    yield "ε certified, batches of fixed size", "", lambda: certified(fixed, 1e-5)


def compositions() -> Iterable[Row]:
    mixed: list[tuple[Loss, int]] = [(LaplaceLoss(0.1), 50), (ResponseLoss(0.5), 10)]
    tenths: list[tuple[Loss, int]] = [(ResponseLoss(0.1), 100)]
    yield (
        "50 Laplace(.1), 50 Gaussian(.1), 10 responses(.5), δ = 1e-6",
        "8.72898",
        lambda: certified(mixed, 1e-6, math.sqrt(50) * 0.1),
    )
    yield (
        "100 × ε = .1, δ = 1e-6, Kairouz–Oh–Viswanath",
        "5.756",
        lambda: literature.optimal_epsilon([(0.1, 0.0, 100)], 1e-6),
    )
    yield (
        "100 × ε = .1, δ = 1e-6, Rényi",
        "5.073",
        lambda: convert.curve_epsilon(lambda a: 100 * response_renyi(0.1, a), 1e-6),
    )
    yield "100 × ε = .1, δ = 1e-6, exact", "4.774567588", lambda: certified(tenths, 1e-6)
    yield "100 × ε = .1, δ = 1e-30, exact", "", lambda: certified(tenths, 1e-30)
    yield "10⁶ Gaussians of μ = .001, δ = 1e-6, exact", "4.886554", lambda: gaussian_epsilon(1e-6, 1.0)
    yield "10⁶ Gaussians of μ = .001, δ = 1e-300, exact", "", lambda: gaussian_epsilon(1e-300, 1.0)


def shuffling() -> Iterable[Row]:
    local = math.log(10_000 / (8 * math.log(2e6)) - 1)
    for eps, printed in ((0.5, "3e-6"), (0.6, "1e-7"), (0.7, "4e-9"), (0.8, "9e-11"), (0.9, "2e-12"), (1.0, "2e-14")):
        yield (
            f"n = 10⁴, ε₀ = 4.4445, δ at ε = {eps}, exact pair",
            printed,
            lambda at=eps: float(shuffled_delta(10_000, local, np.array([at]))[0]),
        )


def census() -> Iterable[Row]:
    rho, delta = 0.0195 * 3.325, 1e-11
    yield "ρ + 2√(ρ log 1/δ)", "2.63", lambda: rho + 2 * math.sqrt(rho * math.log(1 / delta))
    yield "best Rényi order", "2.4202", lambda: convert.zcdp_epsilon(rho, delta)
    yield "exact for Gaussian noise", "2.32", lambda: gaussian_epsilon(delta, math.sqrt(2 * rho))


if __name__ == "__main__":
    show("Rényi slides, probabilities of bad outcomes at ε = 0.1", bad_outcomes())
    show("f-DP review, Table 1: noisy cyclic gradient descent, δ = 1e-5", cyclic_descent())
    show("f-DP review, Figure 2: federated analytics, p = .0005, σ = 1, δ = 1e-5", federated())
    show("DP-SGD, q = .01, σ = 1, T = 10⁴, δ = 1e-5", descent())
    show("Compositions", compositions())
    show("Shuffling, f-DP review, Tables 2 and 3", shuffling())
    show("Census of 2020, level of the nation, δ = 1e-11", census())
