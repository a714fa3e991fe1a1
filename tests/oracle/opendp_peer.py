"""Samples of OpenDP's samplers: run by the Python of an environment that has it.

    python tests/oracle/opendp_peer.py < wanted.json > samples.json

It imports nothing of this project, and this project imports nothing of theirs. Numbers are given and returned as JSON's own.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import opendp.prelude as dp

AT_ONCE = 10_000


def many(measurement: Any, zero: Any, count: int) -> list[Any]:
    """The noise of so many numbers, drawn as vectors."""
    found: list[Any] = []
    while len(found) < count:
        found += measurement([zero] * AT_ONCE)
    return found[:count]


def integers(make: Any, distance: Any) -> Callable[[float, int], list[int]]:
    return lambda scale, count: many(make(dp.vector_domain(dp.atom_domain(T=int)), distance(T=int), scale), 0, count)


def reals(make: Any, distance: Any) -> Callable[[float, int], list[float]]:
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=AT_ONCE)
    return lambda scale, count: many(make(domain, distance(T=float), scale, k=-40), 0.0, count)


def best(scores: list[float], scale: float, measure: Any, count: int) -> list[int]:
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    choose = dp.m.make_noisy_max(domain, dp.linf_distance(T=float), measure, scale=scale)
    return [choose(scores) for _ in range(count)]


def response(size: int, chance: float, count: int) -> list[int]:
    answer = dp.m.make_randomized_response(categories=list(range(size)), prob=chance)
    return [answer(size - 1) for _ in range(count)]


def sample(wanted: dict[str, Any]) -> list[Any]:
    count = wanted["count"]
    match wanted["kind"]:
        case "discrete-laplace":
            return integers(dp.m.make_laplace, dp.l1_distance)(wanted["scale"], count)
        case "discrete-gaussian":
            return integers(dp.m.make_gaussian, dp.l2_distance)(wanted["scale"], count)
        case "laplace":
            return reals(dp.m.make_laplace, dp.l1_distance)(wanted["scale"], count)
        case "gaussian":
            return reals(dp.m.make_gaussian, dp.l2_distance)(wanted["scale"], count)
        case "exponential":
            # The largest score with Gumbel noise.
            return best(wanted["scores"], wanted["scale"], dp.zero_concentrated_divergence(), count)
        case "noisy-max":
            # The largest score with exponential noise.
            return best(wanted["scores"], wanted["scale"], dp.max_divergence(), count)
        case "response":
            return response(wanted["size"], wanted["chance"], count)
        case kind:
            raise ValueError(f"no {kind}")


if __name__ == "__main__":
    dp.enable_features("contrib", "honest-but-curious")
    json.dump([sample(wanted) for wanted in json.load(sys.stdin)], sys.stdout)
