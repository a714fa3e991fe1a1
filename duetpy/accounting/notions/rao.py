"""Rao θ: the Fisher–Rao length of the path that one change makes the output law travel, within its family of shifts.

θ = Δ/b for Laplace noise, Δ/σ for Gaussian noise. Lengths compose as √(Σθ²) on the product manifold. θ depends on the family
and its composition is not proved for adaptive mechanisms, so a θ is an estimate: it is shown, and accepts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

from duetpy.accounting.expressions import Part, Values, largest, product, root, square, total
from duetpy.accounting.losses.losses import Loss
from duetpy.accounting.mechanisms.base import EVERYTHING, lower
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.notions.interpretation import CannotPrice, Interpretation, Parts
from duetpy.typecheck.cost import Atom, Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ZERO, Quantity


class Rao(Interpretation):
    """The notion ``rao``; a price is θ."""

    notion: ClassVar[Notion] = Notion.RAO

    def nothing(self) -> Parts:
        return (ZERO,)

    def everything(self) -> Parts:
        return (INFINITY,)

    def atom(self, atom: Atom) -> Parts:
        return (mechanism_of(atom).length(atom),)

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

    @classmethod
    def loss(cls, given: Given, values: Values) -> Loss:
        return EVERYTHING  # a length on an unknown family implies no (ε, δ) that composes

    #   σ = s/θ
    @classmethod
    def gaussian_shift(cls, params: tuple[Quantity, ...]) -> Part:
        return params[0]

    @classmethod
    def gaussian_rho(cls, params: tuple[Quantity, ...]) -> Part:
        return params[0] * params[0] / 2

    @classmethod
    def gaussian_scale(cls, params: tuple[Quantity, ...], values: Values) -> Fraction:
        return 1 / lower(params[0], values)

    @classmethod
    def gaussian_formula(cls, params: tuple[Quantity, ...]) -> Quantity:
        return 1 / params[0]
