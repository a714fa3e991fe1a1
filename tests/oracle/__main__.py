"""Differential tests against dp-accounting and prv-accountant, which live in an environment of their own.

    make oracle        or        python -m tests.oracle [number of random workloads]

Their upper and lower bounds enclose the truth: a certified ε below one of the lower bounds is refuted, and one above every
upper bound by more than the peers' own width is too loose. Exit code 1 where either happens.
"""

from __future__ import annotations

import sys
from math import inf

from tests.oracle.workloads import STANDARD, made, ours, peers, random_workloads

LOOSE = 2e-3
"""How far above the best upper bound of the peers a certified ε may lie, as a share of it."""

NOISE = 1e-4
"""How far the lower bounds of the peers are trusted, as a share."""

WIDTH = 0.05
"""A peer that is wider than this share of ε, or crosses itself, is not asked: its own error dominates."""


def main(count: int) -> int:
    workloads = [*STANDARD, *random_workloads(count)]
    answers = peers(made(), workloads)
    failures = 0
    for work, answer in zip(workloads, answers, strict=True):
        eps, method, _ = ours(work)
        known = {
            name: said for name, said in answer.items() if "upper" in said and 0 <= said["lower"] <= said["upper"] < inf
        }
        narrow = {name: said for name, said in known.items() if said["upper"] - said["lower"] <= WIDTH * said["upper"]}
        below = [name for name, said in narrow.items() if eps < said["lower"] * (1 - NOISE) - 1e-9]
        best = min((said["upper"] for said in narrow.values()), default=inf)
        above = eps > best * (1 + LOOSE) + 1e-9
        failures += bool(below) or above
        verdict = (
            f"REFUTED by {', '.join(below)}" if below else "LOOSE" if above else "ok" if narrow else "not comparable"
        )
        said = "   ".join(f"{name} {each['lower']:.6g} … {each['upper']:.6g}" for name, each in known.items())
        print(f"{verdict:<16} ε = {eps:.7g} ({method})   {said}   {work['name']}: {describe(work)}")
    print(f"{len(workloads)} workloads, {failures} failures")
    return 1 if failures else 0


def describe(work: dict[str, object]) -> str:
    parts = work["parts"]
    assert isinstance(parts, list)
    shown = [" ".join(f"{key}={value}" for key, value in part.items()) for part in parts]
    return f"δ={work['delta']:g} " + " + ".join(shown) if isinstance(work["delta"], float) else ""


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40))
