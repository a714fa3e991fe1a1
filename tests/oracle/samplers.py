"""Samplers against OpenDP's, which lives in an environment of its own: a third opinion in addition to the laws and the integers.

    make oracle        or        python -m tests.oracle.samplers [values]

Two samples of one law differ by chance in one of a million tests. Each comparison is also made with a sample of ours whose
scale is a quarter larger, and that one must be refused. Exit code 1 where a right sample is refused or a wrong one is not.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from scipy import stats

from duetpy.runtime.noise.continuous import gaussian_steps, laplace_steps
from duetpy.runtime.noise.exact_sampler import choose_by_rejection, discrete_gaussian, discrete_laplace
from duetpy.runtime.noise.exponential_choice import choose_exponential, permute_and_flip
from duetpy.runtime.noise.random_bits import SecureBits
from duetpy.runtime.noise.randomized_response import answer
from tests.oracle.workloads import made
from tests.statistics.test_samplers import ALPHA, two_sample_p

SLIP = Fraction(5, 4)
FINE = -40
SCORES = [Fraction(0), Fraction(1), Fraction(5, 2), Fraction(-3), Fraction(1, 3), Fraction(1)]
BITS = SecureBits()

Draw = Callable[[int, Fraction], Any]


@frozen
class Comparison:
    """One law: what the peer is asked for, our sample of so many values for a factor on the scale, and how to compare."""

    name: str
    wanted: dict[str, Any]
    draw: Draw
    compare: Callable[[Any, Any], float]


def by_counts(left: Any, right: Any) -> float:
    """Pearson's test of two samples of integers."""
    low = min(min(left), min(right))
    size = max(max(left), max(right)) - low + 1
    return two_sample_p(*(np.bincount(np.asarray(values) - low, minlength=size) for values in (left, right)))


def by_distance(left: Any, right: Any) -> float:
    """Kolmogorov's and Smirnov's test of two samples of reals."""
    return float(stats.ks_2samp(left, right, method="asymp").pvalue)


def comparisons(count: int) -> Iterator[Comparison]:
    for scale in (Fraction(1, 2), Fraction(7, 2), Fraction(40)):
        for name, draw, power in (
            ("discrete-laplace", discrete_laplace, 1),
            ("discrete-gaussian", discrete_gaussian, 2),
        ):
            yield Comparison(
                f"{name} {scale}",
                {"kind": name, "scale": float(scale), "count": count},
                lambda n, slip, d=draw, s=scale, p=power: [d((s * slip) ** p, BITS) for _ in range(n)],
                by_counts,
            )
        for name, steps in (("laplace", laplace_steps), ("gaussian", gaussian_steps)):
            yield Comparison(
                f"{name} {scale}",
                {"kind": name, "scale": float(scale), "count": count},
                lambda n, slip, d=steps, s=scale: d(n, s * slip, FINE, BITS) * 2.0**FINE,
                by_distance,
            )
    for name, choose in (
        ("exponential", choose_exponential),
        ("exponential", choose_by_rejection),
        ("noisy-max", permute_and_flip),
    ):
        yield Comparison(
            f"{name} ({choose.__name__})",
            {"kind": name, "scale": 1.5, "scores": [float(score) for score in SCORES], "count": count},
            lambda n, slip, c=choose: [c(SCORES, 1 / (Fraction(3, 2) * slip), BITS) for _ in range(n)],
            by_counts,
        )
    for size, epsilon in ((2, 1.0), (5, 1.5)):
        yield Comparison(
            f"response of {size}",
            {"kind": "response", "size": size, "chance": exp(epsilon) / (exp(epsilon) + size - 1), "count": count},
            lambda n, slip, k=size, e=epsilon: [answer(k - 1, k, Fraction(e) * slip, BITS) for _ in range(n)],
            by_counts,
        )


def main(count: int) -> int:
    wanted = list(comparisons(count))
    script = Path(__file__).with_name("opendp_peer.py")
    asked = subprocess.run(
        [str(made()), str(script)],
        input=json.dumps([each.wanted for each in wanted]),
        capture_output=True,
        text=True,
        check=True,
    )
    failures = 0
    for each, theirs in zip(wanted, json.loads(asked.stdout), strict=True):
        right = each.compare(each.draw(count, Fraction(1)), theirs)
        wrong = each.compare(each.draw(count, SLIP), theirs)
        verdict = "ok" if right > ALPHA > wrong else "REFUTED" if right <= ALPHA else "NOT SEEN"
        failures += verdict != "ok"
        print(f"{verdict:<10} p = {right:<9.3g} with a scale of 5/4: p = {wrong:<9.3g} {each.name}", flush=True)
    print(f"{len(wanted)} laws against OpenDP, {count} values each, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000))
