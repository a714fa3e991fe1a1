"""Rao θ: the Fisher–Rao length of the path that one change makes the output law travel, within its family of shifts.

θ = Δ/b for Laplace noise, Δ/σ for Gaussian noise. Lengths compose as √(Σθ²) on the product manifold. θ depends on the family
and its composition is not proved for adaptive mechanisms, so a θ is an estimate: it is shown, and accepts nothing.
"""

from __future__ import annotations

from typing import ClassVar

from duetpy.accounting.expressions import Values
from duetpy.accounting.losses.losses import Loss
from duetpy.accounting.mechanisms.base import EVERYTHING
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.accounting.notions.interpretation import CannotPrice, Parts
from duetpy.accounting.notions.lengths import Length
from duetpy.typecheck.cost import Atom, Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity


class Rao(Length):
    """The notion ``rao``; a price is θ."""

    notion: ClassVar[Notion] = Notion.RAO

    def atom(self, atom: Atom) -> Parts:
        return (mechanism_of(atom).length(atom),)

    def given(self, given: Given) -> Parts:
        if given.notion is Notion.RAO:
            return given.params
        raise CannotPrice(f"a cost in {given.notion.info.name} has no length θ")

    def sampled(self, scheme: str, rate: Quantity, body: Parts) -> Parts:
        raise CannotPrice("a length θ is not amplified by sampling")

    def converted(self, inner: Notion, slack: Quantity | None, body: Parts) -> Parts:
        raise CannotPrice(f"a cost in {inner.info.name} has no length θ")

    @classmethod
    def loss(cls, given: Given, values: Values) -> Loss:
        return EVERYTHING  # a length on an unknown family implies no (ε, δ) that composes
