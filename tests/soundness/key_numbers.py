"""What is shown of one key, as the theorems say it, in doubles: an outcome is empty or holds the key, alone or with its number."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

Law: TypeAlias = dict[Any, float]


def coin(key: Any, rows: int, eps: float, delta: float) -> Law:
    """Whether a key of so many rows is shown, by the recursion (Desfontaines and others 2022, Definition 2)."""
    shown = 0.0
    for _ in range(rows):
        shown = min(math.exp(eps) * shown + delta, 1 - math.exp(-eps) * (1 - shown - delta), 1.0)
    return {(key,): shown, (): 1 - shown}


def noisy_number(key: Any, rows: int, eps: float, delta: float) -> Law:
    """A key with its number of rows and truncated noise, where that is above the limit of the noise."""
    limit = 1
    while math.exp(-eps * limit) > delta * sum(math.exp(-eps * abs(z)) for z in range(-limit, limit + 1)):
        limit += 1
    total = sum(math.exp(-eps * abs(z)) for z in range(-limit, limit + 1))
    law = {(): 0.0}
    for z in range(-limit, limit + 1):
        outcome = ((key, rows + z),) if rows + z > limit else ()
        law[outcome] = law.get(outcome, 0.0) + math.exp(-eps * abs(z)) / total
    return law


def gaussian_number(key: Any, rows: int, eps: float, delta: float, most: float) -> Law:
    """A key with its number of rows and Gaussian noise of the ρ that implies (ε, δ/2), where that is large enough."""
    orders = [1 + math.exp(x / 50) for x in range(-400, 600)]
    rho = max((eps - math.log1p(-1 / a) + (math.log(delta / 2) + math.log(a)) / (a - 1)) / a for a in orders)
    variance = most / (2 * rho)
    reach = math.ceil(40 * math.sqrt(variance)) + 1
    weights = {z: math.exp(-z * z / (2 * variance)) for z in range(-reach, reach + 1)}
    total, least = math.fsum(weights.values()), 2
    while most * math.fsum(weight for z, weight in weights.items() if z >= least - 1) > delta / 2 * total:
        least += 1
    law = {(): 0.0}
    for z, weight in weights.items():
        outcome = ((key, rows + z),) if rows + z >= least else ()
        law[outcome] = law.get(outcome, 0.0) + weight / total
    return law
