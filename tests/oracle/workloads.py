"""Workloads that this accountant and its peers can all be asked for, and the ways to ask."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tomllib
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from duetpy.accounting.certify import tight
from duetpy.typecheck.cost import Atom, Cost, Repeat, Sampled, Seq
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity

ROOT = Path(__file__).parents[2]
ENVIRONMENT = ROOT / ".venv-oracle"
PEERS = ("dp-accounting", "prv-accountant", "opendp", "pandas", "polars", "pyarrow")

Workload = dict[str, Any]


def gaussian(mu: float, count: int = 1) -> dict[str, Any]:
    return {"kind": "gaussian", "mu": mu, "count": count}


def laplace(eps: float, count: int = 1) -> dict[str, Any]:
    return {"kind": "laplace", "eps": eps, "count": count}


def response(eps: float, count: int = 1) -> dict[str, Any]:
    return {"kind": "response", "eps": eps, "count": count}


def sampled(rate: float, mu: float, count: int = 1) -> dict[str, Any]:
    return {"kind": "poisson-gaussian", "rate": rate, "mu": mu, "count": count}


def workload(name: str, delta: float, *parts: dict[str, Any]) -> Workload:
    return {"name": name, "delta": delta, "parts": list(parts)}


STANDARD = (
    workload("1000 Gaussians of μ = .1, δ = 1e-6", 1e-6, gaussian(0.1, 1000)),
    workload("10⁶ Gaussians of μ = .001, δ = 1e-6", 1e-6, gaussian(0.001, 10**6)),
    workload("noisy descent, q = .01, σ = 1, T = 10⁴, δ = 1e-5", 1e-5, sampled(0.01, 1.0, 10_000)),
    workload("noisy descent, q = .001, σ = .8, T = 10⁴, δ = 1e-6", 1e-6, sampled(0.001, 1.25, 10_000)),
    workload("federated, q = 5e-4, σ = 1, T = 2·10⁴, δ = 1e-5", 1e-5, sampled(0.0005, 1.0, 20_000)),
    workload(
        "50 Laplace(.1), 50 Gaussian(.1), 10 responses(.5), δ = 1e-6",
        1e-6,
        laplace(0.1, 50),
        gaussian(0.1, 50),
        response(0.5, 10),
    ),
    workload("100 Laplace(.1), δ = 1e-6", 1e-6, laplace(0.1, 100)),
    workload("100 responses(.1), δ = 1e-6", 1e-6, response(0.1, 100)),
    workload("100 Laplace(.1), δ = 1e-15", 1e-15, laplace(0.1, 100)),
)


def random_workloads(count: int, seed: int = 0) -> list[Workload]:
    """Small workloads over every mechanism that the peers know."""
    draw = Random(seed)
    found = []
    for number in range(count):
        parts = []
        for _ in range(draw.randint(1, 3)):
            copies = draw.choice([1, 2, 10, 100])
            size = round(10.0 ** draw.uniform(-1.2, 0.2 - 0.5 * (copies > 10)), 3)
            match draw.randrange(4):
                case 0:
                    parts.append(gaussian(size, copies))
                case 1:
                    parts.append(laplace(size, copies))
                case 2:
                    parts.append(response(size, copies))
                case _:
                    parts.append(sampled(draw.choice([0.01, 0.1, 0.5]), size, copies))
        found.append(workload(f"random {number}", 10.0 ** -draw.randint(3, 9), *parts))
    return found


def term(work: Workload) -> Cost:
    """The workload as a cost term."""

    def of(number: float) -> Quantity:
        return Quantity.of(repr(number) if isinstance(number, float) else number)

    parts: list[Cost] = []
    for part in work["parts"]:
        match part["kind"]:
            case "gaussian":
                one: Cost = Atom("gauss", (of(part["mu"]),), Notion.GDP)
            case "poisson-gaussian":
                one = Sampled("poisson", of(part["rate"]), Atom("gauss", (of(part["mu"]),), Notion.GDP))
            case "laplace":
                one = Atom("laplace", (of(part["eps"]),))
            case _:
                one = Atom("rand-resp", (of(2), of(part["eps"])))
        parts.append(Repeat(of(part["count"]), one))
    return Seq(tuple(parts))


def ours(work: Workload) -> tuple[float, str, float]:
    """The certified ε, its method, and the seconds of a warm run."""
    cost, delta = term(work), Fraction(repr(work["delta"]))
    tight(cost, {}, delta)
    begin = time.perf_counter()
    found = tight(cost, {}, delta)
    return found.epsilon, found.method, time.perf_counter() - begin


def python_of_peers() -> Path | None:
    """The interpreter of the environment that holds the peers, if it was made."""
    python = ENVIRONMENT / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    return python if python.exists() else None


def made() -> Path:
    """That interpreter, the environment made where it is missing or lacks a package."""
    if python_of_peers() is None:
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    python = python_of_peers()
    assert python is not None
    # The scripts of the peers import duetpy itself, which is not installed there.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    packages = [*PEERS, *project["dependencies"]]
    installed = ENVIRONMENT / "packages.txt"
    if not installed.exists() or installed.read_text(encoding="utf-8").splitlines() != packages:
        subprocess.run(
            [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True
        )
        installed.write_text("\n".join(packages) + "\n", encoding="utf-8")
    return python


def peers(python: Path, workloads: list[Workload]) -> list[dict[str, dict[str, Any]]]:
    """What the peers answer."""
    script = Path(__file__).with_name("peers.py")
    asked = subprocess.run(
        [str(python), str(script)], input=json.dumps(workloads), capture_output=True, text=True, check=True
    )
    answers: list[dict[str, dict[str, Any]]] = json.loads(asked.stdout)
    return answers
