"""The statistics of benchmarks/statistics.py by other libraries: run by the Python of an environment that has them.

    python benchmarks/statistics_peers.py < wanted.json > releases.json

It imports nothing of this project. The answer is null where the library is not installed, and a statistic that the library does not
have is left out. Each release is one call of the library with its own defaults, at the same ε and the same public range.
"""

import json
import sys
from collections.abc import Callable
from typing import Any


def diffprivlib(wanted: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    import numpy as np
    from diffprivlib import models, tools

    column, epsilon = np.array(wanted["column"]), wanted["epsilon"]
    low, high, keys = wanted["low"], wanted["high"], wanted["keys"]
    codes = np.array([keys.index(text) for text in wanted["texts"]], dtype=float)

    def histogram() -> dict[str, float]:
        counts, _ = tools.histogram(codes, epsilon=epsilon, bins=len(keys), range=(-0.5, len(keys) - 0.5))
        return dict(zip(keys, map(float, counts), strict=True))

    def crosstable() -> dict[str, float]:
        departments = wanted["departments"]
        both = [pair.split("/") for pair in wanted["pairs"]]
        rows = np.array([departments.index(one) for one, _ in both], dtype=float)
        columns = np.array([keys.index(other) for _, other in both], dtype=float)
        shape = len(departments), len(keys)
        ends = [(-0.5, size - 0.5) for size in shape]
        counts, _, _ = tools.histogram2d(rows, columns, epsilon=epsilon, bins=shape, range=ends)
        return {
            f"{one}/{other}": float(counts[i, j]) for i, one in enumerate(departments) for j, other in enumerate(keys)
        }

    # The library takes the length of what it is given for public, and cuts off the noise above it: where all of it is counted, that
    # is half of the noise. Here a number of rows is private, so as many others are added that do not count.
    half = np.repeat([1.0, 0.0], len(column))
    rows = np.array(wanted["patients"])
    width = rows.shape[1] - 1

    def regression() -> list[float]:
        model = models.LinearRegression(
            epsilon=epsilon, bounds_X=(-np.ones(width), np.ones(width)), bounds_y=(-1.0, 1.0)
        )
        model.fit(np.clip(rows[:, :-1], -1.0, 1.0), np.clip(rows[:, -1], -1.0, 1.0))
        return [float(np.ravel(model.intercept_)[0]), *map(float, np.ravel(model.coef_))]

    return {
        "count": lambda: float(tools.count_nonzero(half, epsilon=epsilon)),
        "sum": lambda: float(tools.sum(column, epsilon=epsilon, bounds=(0.0, high))),
        "mean": lambda: float(tools.mean(column, epsilon=epsilon, bounds=(low, high))),
        "variance": lambda: float(tools.var(column, epsilon=epsilon, bounds=(low, high))),
        "median": lambda: float(tools.median(column, epsilon=epsilon, bounds=(low, high))),
        "quantile of 90 %": lambda: float(tools.quantile(column, 0.9, epsilon=epsilon, bounds=(low, high))),
        "quartiles": lambda: list(
            map(float, tools.quantile(column, [0.25, 0.5, 0.75], epsilon=epsilon, bounds=(low, high)))
        ),
        "histogram": histogram,
        "contingency table": crosstable,
        "regression": regression,
    }


def opendp(wanted: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    import opendp.prelude as dp

    dp.enable_features("contrib", "floating-point")
    column, epsilon = wanted["column"], wanted["epsilon"]
    low, high, keys, candidates = wanted["low"], wanted["high"], wanted["keys"], wanted["candidates"]
    reals = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
    texts = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()

    def calibrated(make: Callable[[float], Any], share: float = 1.0) -> Any:
        return dp.binary_search_chain(make, d_in=1, d_out=epsilon * share, bounds=(1e-9, 1e9))

    counting = calibrated(lambda scale: reals >> dp.t.then_count() >> dp.m.then_laplace(scale))
    half = calibrated(lambda scale: reals >> dp.t.then_count() >> dp.m.then_laplace(scale), 0.5)
    adding = calibrated(
        lambda scale: reals >> dp.t.then_clamp((0.0, high)) >> dp.t.then_sum() >> dp.m.then_laplace(scale)
    )
    width = (high - low) / 2
    centred = [value - low - width for value in column]
    around = calibrated(
        lambda scale: reals >> dp.t.then_clamp((-width, width)) >> dp.t.then_sum() >> dp.m.then_laplace(scale), 0.5
    )
    grouping = calibrated(
        lambda scale: texts >> dp.t.then_count_by_categories(keys, null_category=False) >> dp.m.then_laplace(scale)
    )

    def quantile(share: float, part: float = 1.0) -> Callable[[], float]:
        choose = calibrated(
            lambda scale: (
                reals
                >> dp.t.then_quantile_score_candidates(candidates, share)
                >> dp.m.then_noisy_max(dp.max_divergence(), scale, negate=True)
            ),
            part,
        )
        return lambda: float(candidates[choose(column)])

    cells = [f"{one}/{other}" for one in wanted["departments"] for other in keys]
    tabulating = calibrated(
        lambda scale: texts >> dp.t.then_count_by_categories(cells, null_category=False) >> dp.m.then_laplace(scale)
    )
    counts = [wanted["texts"].count(key) for key in keys]
    # A row has one key: one more changes one count by one, and none the other way.
    most = dp.binary_search_chain(
        lambda scale: dp.m.make_noisy_top_k(
            dp.vector_domain(dp.atom_domain(T=int)),
            dp.linf_distance(T=int, monotonic=True),
            dp.max_divergence(),
            k=wanted["top"],
            scale=scale,
        ),
        d_in=1,
        d_out=epsilon,
        bounds=(1e-9, 1e9),
    )
    quarters = [quantile(at / 4, 1 / 3) for at in (1, 2, 3)]
    return {
        "count": lambda: float(counting(column)),
        "sum": lambda: float(adding(column)),
        "mean": lambda: low + width + float(around(centred)) / max(1, half(column)),
        "median": quantile(0.5),
        "quantile of 90 %": quantile(0.9),
        "quartiles": lambda: [each() for each in quarters],
        "histogram": lambda: dict(zip(keys, map(float, grouping(wanted["texts"])), strict=True)),
        "contingency table": lambda: dict(zip(cells, map(float, tabulating(wanted["pairs"])), strict=True)),
        f"the {wanted['top']} most frequent": lambda: [keys[at] for at in most(counts)],
    }


def main() -> None:
    wanted = json.load(sys.stdin)
    try:
        made = {"diffprivlib": diffprivlib, "opendp": opendp}[wanted["library"]](wanted)
    except ImportError:
        json.dump(None, sys.stdout)
        return
    asked = [name for name in wanted["statistics"] if name in made]
    json.dump({name: [made[name]() for _ in range(wanted["runs"])] for name in asked}, sys.stdout)


if __name__ == "__main__":
    main()
