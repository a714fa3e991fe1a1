"""The same tasks by other libraries, in an environment of their own (``make bench-peers``).

Each program has the form of `by_hand`. Imports stand inside: a library that is not installed is missing in its own tasks only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.by_hand import Data, Program, Settings

EXACT = 1e12
"""An ε at which noise is far below the tolerance of the comparison."""


def diffprivlib(tool: str, **options: Any) -> Program:
    def program(data: Data, settings: Settings, turns: int, noisy: bool) -> Any:
        from diffprivlib import tools

        values = next(iter(data.values())).ravel()
        if tool == "count_nonzero":
            values = values > 50.0
        answer = getattr(tools, tool)(values, epsilon=settings["ε"] if noisy else EXACT, **options)
        return np.stack([np.arange(50), answer[0]], axis=1) if tool == "histogram" else answer

    return program


def opendp(build: Callable[[Any, Any, np.ndarray, Settings, float], Any]) -> Program:
    def program(data: Data, settings: Settings, turns: int, noisy: bool) -> Any:
        import opendp.prelude as dp

        dp.enable_features("contrib", "floating-point")
        values = next(iter(data.values())).ravel() if data else np.zeros(0)
        space = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=len(values)), dp.symmetric_distance()
        return build(dp, space, values, settings, 1.0 if noisy else 0.0)

    return program


def opendp_sum(dp: Any, space: Any, values: np.ndarray, settings: Settings, noise: float) -> Any:
    clipped = space >> dp.t.then_clamp((0.0, 100.0))
    return (clipped >> dp.t.then_sum() >> dp.m.then_laplace(100.0 * noise))(values)


def opendp_mean(dp: Any, space: Any, values: np.ndarray, settings: Settings, noise: float) -> Any:
    clipped = space >> dp.t.then_clamp((0.0, 100.0))
    return (clipped >> dp.t.then_mean() >> dp.m.then_laplace(100.0 * noise / len(values)))(values)


def opendp_histogram(dp: Any, space: Any, values: np.ndarray, settings: Settings, noise: float) -> Any:
    rows = dp.vector_domain(dp.atom_domain(T=dp.i64)), dp.symmetric_distance()
    categories = dp.t.then_count_by_categories(list(range(50)), null_category=False)
    return np.stack([np.arange(50), (rows >> categories >> dp.m.then_laplace(noise))(values)], axis=1)


def opendp_quantile(dp: Any, space: Any, values: np.ndarray, settings: Settings, noise: float) -> Any:
    rows = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    candidates = [15.0 + at / 2 for at in range(61)]
    scores = rows >> dp.t.then_quantile_score_candidates(candidates, 0.5)
    chosen = (scores >> dp.m.then_noisy_max(dp.max_divergence(), noise, negate=True))(values)
    return candidates[chosen]


def opendp_noise(dp: Any, space: Any, values: np.ndarray, settings: Settings, noise: float) -> Any:
    rows = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    return (rows >> dp.m.then_laplace(noise))(np.tile(np.arange(100.0), int(settings["m"])))


def polars_csv(data: Data, settings: Settings, turns: int, noisy: bool) -> float:
    """All columns are read, as the program declares all of them."""
    import polars

    return float(polars.read_csv(data["xs"])["c3"].clip(-2.0, 2.0).sum())


def polars_parquet(data: Data, settings: Settings, turns: int, noisy: bool) -> float:
    import polars

    return float(polars.read_parquet(data["xs"])["c3"].clip(-2.0, 2.0).sum())


def torch(data: Data, settings: Settings, turns: int, noisy: bool) -> Any:
    """Full gradients by automatic differentiation, of rows that were clipped once."""
    import torch

    xs, ys = torch.from_numpy(data["xs"]), torch.from_numpy(data["ys"]).ravel()
    xs = xs / torch.linalg.vector_norm(xs, dim=1, keepdim=True).clamp(min=1.0)
    theta = torch.zeros(xs.shape[1], dtype=torch.float64, requires_grad=True)
    for _ in range(turns):
        loss = torch.nn.functional.softplus(-ys * (xs @ theta)).mean()
        (gradient,) = torch.autograd.grad(loss, theta)
        if noisy:
            gradient = gradient + torch.randn_like(gradient) * (2 / len(ys) * (turns / (2 * settings["ρ"])) ** 0.5)
        theta = (theta - settings["η"] * gradient).detach().requires_grad_()
    return theta.detach().numpy()


def opacus(data: Data, settings: Settings, turns: int, noisy: bool) -> Any:
    """The gradient of each row, clipped; of all rows, or of those that a coin chooses."""
    import torch
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer

    xs, ys = torch.from_numpy(data["xs"]), torch.from_numpy(data["ys"]).ravel()
    rate = settings.get("q")
    if rate is None:
        xs = xs / torch.linalg.vector_norm(xs, dim=1, keepdim=True).clamp(min=1.0)
    model = GradSampleModule(torch.nn.Linear(xs.shape[1], 1, bias=False, dtype=torch.float64))
    (weight,) = model.parameters()
    torch.nn.init.zeros_(weight)
    optimizer = DPOptimizer(
        torch.optim.SGD(model.parameters(), lr=settings["η"]),
        noise_multiplier=1.0 if noisy else 0.0,
        max_grad_norm=1.0,
        expected_batch_size=len(ys) if rate is None else 1,
    )
    for _ in range(turns):
        some, theirs = xs, ys
        if rate is not None:
            drawn = torch.nonzero(torch.rand(len(ys)) < rate).ravel()
            some, theirs = xs[drawn], ys[drawn]
        optimizer.zero_grad()
        # A mean over the rows of a batch is what opacus takes a loss to be.
        torch.nn.functional.softplus(-theirs * model(some).ravel()).mean().backward()
        optimizer.step()
    return weight.detach().numpy().ravel()


PEERS: dict[str, dict[str, Program]] = {
    "diffprivlib": {
        "sum": diffprivlib("sum", bounds=(0.0, 100.0)),
        "mean": diffprivlib("mean", bounds=(0.0, 100.0)),
        "count": diffprivlib("count_nonzero"),
        "histogram": diffprivlib("histogram", bins=50, range=(-0.5, 49.5)),
    },
    "opendp": {
        "sum": opendp(opendp_sum),
        "mean": opendp(opendp_mean),
        "histogram": opendp(opendp_histogram),
        "quantile": opendp(opendp_quantile),
        "noise": opendp(opendp_noise),
    },
    "polars": {"CSV": polars_csv, "Parquet": polars_parquet},
    "torch": {"descent": torch},
    "opacus": {"descent": opacus, "DP-SGD": opacus},
}
"""The programs of each library, by the name of what it computes."""
