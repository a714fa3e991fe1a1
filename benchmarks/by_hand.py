"""What a good NumPy user writes by hand for each task, in several ways; duetpy is compared with the best of them.

Each program takes the data, the settings and a number of iterations, and returns its answer as numbers. It does the work of the
duetpy program on the same doubles, clipping included, and draws NumPy's noise unless ``noisy`` is false. Random draws use the
quickest way that has the right law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

Data = Mapping[str, Any]
Settings = Mapping[str, float]
Program = Callable[[Data, Settings, int, bool], Any]

BLOCK = 1 << 13
"""Rows of a block: a million doubles of a column go through the cache, and so do 20 or 100 columns of it."""

RNG = np.random.default_rng()


def blocks(rows: int, size: int = BLOCK) -> Iterator[slice]:
    return (slice(start, start + size) for start in range(0, rows, size))


def weights(xs: np.ndarray) -> np.ndarray:
    """What shortens each row to a length of at most 1; a clipped copy of the rows would cost more than all the rest."""
    squares = np.einsum("ij,ij->i", xs, xs) if xs.flags.c_contiguous else sum(column * column for column in xs.T)
    return 1.0 / np.sqrt(np.maximum(1.0, squares))


def residuals(margins: np.ndarray, ys: np.ndarray) -> np.ndarray:
    return -ys / (1.0 + np.exp(ys * margins))


def noise(settings: Settings, noisy: bool, sensitivity: float, turns: int, size: int) -> np.ndarray:
    return RNG.normal(scale=sensitivity * np.sqrt(turns / (2 * settings["ρ"])), size=size) if noisy else np.zeros(size)


def descent(order: str, data: Data, settings: Settings, turns: int, noisy: bool) -> np.ndarray:
    """Full gradients: two products over the data a turn, or both of them while a block is in the cache."""
    xs, ys = data["xs"], data["ys"].ravel()
    if order == "columns":
        xs = np.asfortranarray(xs)
    scale, theta, rows = weights(xs), np.zeros(xs.shape[1]), len(xs)
    parts = list(blocks(rows)) if order == "blocks" else [slice(0, rows)]
    for _ in range(turns):
        total = np.zeros(len(theta))
        for part in parts:
            some, its = xs[part], scale[part]
            total += (residuals((some @ theta) * its, ys[part]) * its) @ some
        gradient = total / rows + noise(settings, noisy, 2 / rows, turns, len(theta))
        theta = theta - settings["η"] * gradient
    return theta


def batches(choose: Callable[[int, Settings, bool], np.ndarray], is_mean: bool) -> Program:
    """Gradients of the rows that are drawn, each clipped."""

    def program(data: Data, settings: Settings, turns: int, noisy: bool) -> np.ndarray:
        xs, ys = data["xs"], data["ys"].ravel()
        theta = np.zeros(xs.shape[1])
        for _ in range(turns):
            drawn = choose(len(xs), settings, noisy)
            some, theirs = xs[drawn], ys[drawn]
            if is_mean:
                scale = weights(some)
                gradient = (residuals((some @ theta) * scale, theirs) * scale) @ some / len(some)
            else:
                slopes = residuals(some @ theta, theirs)
                lengths = np.abs(slopes) * np.sqrt(np.einsum("ij,ij->i", some, some))
                gradient = (slopes / np.maximum(1.0, lengths)) @ some
            if noisy:
                gradient += RNG.normal(scale=0.01, size=len(theta))
            theta = theta - settings["η"] * gradient
        return theta

    return program


def without_replacement(rows: int, settings: Settings, noisy: bool) -> np.ndarray:
    return RNG.choice(rows, int(settings["b"]), replace=False, shuffle=False)


def by_coins(rows: int, settings: Settings, noisy: bool) -> np.ndarray:
    return np.flatnonzero(RNG.random(rows) < settings["q"])


def by_number(rows: int, settings: Settings, noisy: bool) -> np.ndarray:
    """The same law: how many rows there are is binomial, and which they are is uniform."""
    return RNG.choice(rows, RNG.binomial(rows, settings["q"]), replace=False, shuffle=False)


def laplace(answer: Any, noisy: bool, scale: float) -> Any:
    return answer + RNG.laplace(scale=scale, size=np.shape(answer)) if noisy else answer


def total(data: Data, settings: Settings, turns: int, noisy: bool) -> float:
    xs = data["xs"].ravel()
    return laplace(sum(np.clip(xs[part], 0.0, 100.0).sum() for part in blocks(len(xs))), noisy, 100.0)


def mean(data: Data, settings: Settings, turns: int, noisy: bool) -> float:
    rows = len(data["xs"])
    return laplace(total(data, settings, turns, False) / rows, noisy, 100.0 / rows)


def count(data: Data, settings: Settings, turns: int, noisy: bool) -> float:
    return laplace(np.count_nonzero(data["xs"] > 50.0), noisy, 1.0)


def histogram(data: Data, settings: Settings, turns: int, noisy: bool) -> np.ndarray:
    xs = data["xs"].ravel()
    counts = sum(np.bincount(np.clip(xs[part], 0, 50), minlength=51) for part in blocks(len(xs)))
    return np.stack([np.arange(50), laplace(counts[:50], noisy, 1.0)], axis=1)


def k_means(data: Data, settings: Settings, turns: int, noisy: bool) -> np.ndarray:
    """Sums of the nearest places by `bincount`; a row of 1, x and y longer than 3 would be shortened."""
    xs, ys = np.ascontiguousarray(data["deaths"].T) / 10.0
    scale = 3.0 / np.maximum(3.0, np.sqrt(1.0 + xs * xs + ys * ys))
    columns = (scale, xs * scale, ys * scale)
    centres = np.array([[0.9 + 0.3 * at] * 2 for at in range(3)])
    for _ in range(turns):
        far = [(xs - east) ** 2 + (ys - north) ** 2 for east, north in centres]
        nearest = np.where((far[0] <= far[1]) & (far[0] <= far[2]), 0, np.where(far[1] <= far[2], 1, 2))
        sums = np.array([np.bincount(nearest, weights=column, minlength=3) for column in columns])
        sums += noise(settings, noisy, 3.0, turns, 9).reshape(3, 3)
        centres = np.clip(sums[1:] / np.maximum(sums[0], 1.0), 0.0, 2.0).T
    return centres


def quantile(data: Data, settings: Settings, turns: int, noisy: bool) -> float:
    """One sort, the candidates by bisection, and the exponential mechanism by Gumbel noise."""
    ordered, candidates = np.sort(data["patients"].ravel()), 15.0 + np.arange(61) / 2
    below, within = (np.searchsorted(ordered, candidates, side) for side in ("left", "right"))
    scores = -np.maximum(2.0 * below - len(ordered), len(ordered) - 2.0 * within)
    return candidates[np.argmax(scores + RNG.gumbel(scale=4.0, size=61) if noisy else scores)]


def from_csv(data: Data, settings: Settings, turns: int, noisy: bool) -> float:
    rows = np.loadtxt(data["xs"], delimiter=",", skiprows=1)
    return laplace(np.clip(rows[:, 3], -2.0, 2.0).sum(), noisy, 4.0)


def from_parquet(data: Data, settings: Settings, turns: int, noisy: bool) -> float:
    """The library alone, which reads all the columns that the program declares."""
    from pyarrow import parquet

    columns = [column.to_numpy() for column in parquet.read_table(data["xs"]).columns]
    return laplace(np.clip(columns[3], -2.0, 2.0).sum(), noisy, 4.0)


def descent_from_parquet(data: Data, settings: Settings, turns: int, noisy: bool) -> np.ndarray:
    """All rows at once, which is what a turn over a file is compared with."""
    from pyarrow import parquet

    tables = {name: parquet.read_table(path).columns for name, path in data.items()}
    arrays = {name: np.stack([column.to_numpy() for column in columns], axis=1) for name, columns in tables.items()}
    return descent("blocks", arrays, settings, turns, noisy)


def noise_alone(data: Data, settings: Settings, turns: int, noisy: bool) -> np.ndarray:
    return laplace(np.broadcast_to(np.arange(100.0), (int(settings["m"]), 100)), noisy, 1.0)


def ordered(order: str) -> Program:
    return lambda data, settings, turns, noisy: descent(order, data, settings, turns, noisy)


PROGRAMS: dict[str, dict[str, Program]] = {
    "descent": {order: ordered(order) for order in ("rows", "columns", "blocks")},
    "sum": {"blocks": total},
    "mean": {"blocks": mean},
    "count": {"whole": count},
    "histogram": {"bincount": histogram},
    "k-means": {"bincount": k_means},
    "quantile": {"sort": quantile},
    "minibatch": {"choice": batches(without_replacement, True)},
    "DP-SGD": {"coins": batches(by_coins, False), "binomial": batches(by_number, False)},
    "CSV": {"loadtxt": from_csv},
    "Parquet": {"pyarrow": from_parquet},
    "streamed descent": {"pyarrow": descent_from_parquet},
    "noise": {"numpy": noise_alone},
}
"""The programs of a task, by a word for what sets each apart."""
