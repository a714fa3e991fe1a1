"""This accountant compared with dp-accounting and prv-accountant on the same workloads, with its goals.

    python benchmarks/accounting.py          (make oracle first, for the columns of the peers)

ε and milliseconds of a warm run. ``reached`` says whether the ε and the time are within the targets.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from duetpy.accounting.gaussian_profile import gaussian_epsilon
from duetpy.accounting.losses.losses import GaussianLoss
from duetpy.accounting.losses.sampled import PoissonLoss
from duetpy.accounting.pld import pld
from tests.oracle.workloads import STANDARD, ours, peers, python_of_peers

TARGETS = {
    STANDARD[0]["name"]: (gaussian_epsilon(1e-6, 0.1 * 1000**0.5) * (1 + 1e-8), 0.005),
    STANDARD[1]["name"]: (gaussian_epsilon(1e-6, 1.0) * (1 + 1e-8), 0.005),
    STANDARD[2]["name"]: (6.1910, 0.2),
    STANDARD[5]["name"]: (8.7290, 0.2),
}
"""The largest ε and the seconds that each may take."""

IMPORTS = ("duetpy.accounting.price", "duetpy.accounting.certify", "duetpy.accounting.pld.pld")
IMPORT_TARGET = 0.5


def shown(answer: dict[str, object]) -> str:
    if "failed" in answer:
        return f"{str(answer['failed'])[:24]:>24}"
    return f"{answer['upper']:>12.6f} {1000 * float(str(answer['seconds'])):>8.1f} ms"


def main() -> None:
    python = python_of_peers()
    answers = peers(python, list(STANDARD)) if python is not None else [{} for _ in STANDARD]
    print(f"{'workload':<64} {'ours':>12} {'':>11} {'target':>10} {'dp-accounting':>24} {'prv-accountant':>24}")
    for work, answer in zip(STANDARD, answers, strict=True):
        eps, _, seconds = ours(work)
        target = TARGETS.get(work["name"])
        verdict = "" if target is None else "reached" if eps <= target[0] and seconds <= target[1] else "MISSED"
        beside = " ".join(f"{shown(each):>24}" for each in answer.values())
        print(f"{work['name']:<64} {eps:>12.7f} {1000 * seconds:>8.1f} ms {verdict:>10} {beside}")
    fine()
    imports()


def fine() -> None:
    """Noisy descent on a finer grid: ≤ 6.1880 within two seconds."""
    losses = [(PoissonLoss(0.01, GaussianLoss(1.0)), 10_000)]
    begin = time.perf_counter()
    answer = pld.certify(losses, 0.0, 1e-5, 1e-6)
    seconds = time.perf_counter() - begin
    assert answer is not None
    verdict = "reached" if answer.epsilon <= 6.1880 and seconds <= 2.0 else "MISSED"
    print(f"{STANDARD[2]['name'] + ', finer grid':<64} {answer.epsilon:>12.7f} {1000 * seconds:>8.1f} ms {verdict:>10}")


def imports() -> None:
    """How long a fresh interpreter takes to import the accountant, beyond starting."""

    def seconds(code: str) -> float:
        taken = []
        for _ in range(3):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[1])
            taken.append(time.perf_counter() - begin)
        return min(taken)

    empty = seconds("pass")
    for module in IMPORTS:
        took = seconds(f"import {module}") - empty
        print(
            f"import {module:<57} {'':>12} {1000 * took:>8.1f} ms {'reached' if took < IMPORT_TARGET else 'MISSED':>10}"
        )


if __name__ == "__main__":
    main()
