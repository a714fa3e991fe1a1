"""The law of a sampler, found by going through everything that the samplers below it may give it, instead of drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp
from typing import TypeVar

T = TypeVar("T")


class Unlikely(Exception):
    """What was chosen so far has next to no probability."""


class Choices:
    """Stands in for the samplers that a sampler asks, and gives it each of their results in turn.

    Parameters
    ----------
    least
        What has a smaller probability is left out.
    """

    def __init__(self, least: float = 1e-7) -> None:
        self.least = least
        self.path: list[int] = []
        self.widths: list[int] = []
        self.weight = 1.0

    def begin(self) -> None:
        """Called first in an attempt: only one that succeeds at once is counted, for all are alike."""
        if self.widths:
            raise Unlikely

    def choose(self, weights: Sequence[float]) -> int:
        at = len(self.widths)
        self.widths.append(len(weights))
        if at == len(self.path):
            self.path.append(0)
        self.weight *= weights[self.path[at]]
        if self.weight < self.least:
            raise Unlikely
        return self.path[at]

    def uniform_below(self, bound: int, _: object) -> int:
        return self.choose([1 / bound] * bound)

    def bernoulli_exp(self, exponent: Fraction, _: object) -> bool:
        chance = exp(-exponent)
        return self.choose([1 - chance, chance]) == 1

    def law(self, draw: Callable[[], T]) -> dict[T, float]:
        """Every result with its probability, given that it is not left out."""
        found: dict[T, float] = {}
        while True:
            self.widths, self.weight = [], 1.0
            try:
                result = draw()
                found[result] = found.get(result, 0.0) + self.weight
            except Unlikely:
                pass
            while self.path and self.path[-1] + 1 == self.widths[len(self.path) - 1]:
                self.path.pop()
            if not self.path:
                total = sum(found.values())
                return {result: weight / total for result, weight in found.items()}
            self.path[-1] += 1
