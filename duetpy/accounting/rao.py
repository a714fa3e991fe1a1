"""Rao θ: the Fisher–Rao length of the path that one change makes the output law travel, within its family of shifts.

θ = Δ/b for Laplace noise, Δ/σ for Gaussian noise. Lengths compose as √(Σθ²) on the product manifold. θ depends on the family
and its composition is not proved for adaptive mechanisms, so a θ is an estimate: it is shown, and accepts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from duetpy.accounting.closed import Part, fisher_factor, largest, product, root, square, total
from duetpy.accounting.gdp import shift_in_noise
from duetpy.accounting.interpretation import CannotPrice, Interpretation, Parts
from duetpy.typecheck.cost import Atom, Given, Notion
from duetpy.typecheck.quantity import INFINITY, ZERO, Quantity


class Rao(Interpretation):
    """The notion ``rao``; a price is θ."""

    notion: ClassVar[Notion] = Notion.RAO

    def nothing(self) -> Parts:
        return (ZERO,)

    def everything(self) -> Parts:
        return (INFINITY,)

    def atom(self, atom: Atom) -> Parts:
        match atom.mechanism:
            case "laplace":
                return atom.params
            case "gauss":
                return (shift_in_noise(atom),)
            #   θ = √(N Γ(2−1/N)/Γ(1+1/N)) Δ/scale: the root of the Fisher information of a shift, for N ≥ 1
            case "ggauss":
                power, ratio = atom.params
                if atom.calibration is Notion.RAO:
                    return (ratio,)
                return (ratio if power.constant == 1 else product(ratio, fisher_factor(power)),)
            case "canonical":
                raise CannotPrice("the density of canonical noise has jumps, so a shift of it has no length θ")
            case other:
                raise CannotPrice(f"{other} is no shift of one density, so it has no length θ")

    def given(self, given: Given) -> Parts:
        if given.notion is Notion.RAO:
            return given.params
        raise CannotPrice(f"a cost in {given.notion.info.name} has no length θ")

    def sequence(self, prices: Sequence[tuple[Parts, Quantity]]) -> Parts:
        if len(prices) == 1 and prices[0][1].constant == 1:
            return prices[0][0]
        return (root(total([product(count, square(theta)) for (theta,), count in prices])),)

    def choice(self, prices: Sequence[Parts]) -> Parts:
        return (largest(*(theta for (theta,) in prices)),)

    #   the triangle inequality along the path
    def together(self, prices: Sequence[Parts]) -> Parts:
        return (total([theta for (theta,) in prices]),)

    def group(self, size: Part, body: Parts) -> Parts:
        return (product(size, body[0]),)

    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Parts:
        raise CannotPrice("a length θ is not amplified by sampling")

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        if inner is Notion.RAO:
            return body
        raise CannotPrice(f"a price in {inner.info.name} has no length θ")
