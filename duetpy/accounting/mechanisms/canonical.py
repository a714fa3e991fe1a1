"""Canonical noise of (ε, δ): T(N, N + 1) is the trade-off of (ε, δ)-privacy itself (Awan & Vadhan 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from duetpy.accounting import accuracy
from duetpy.accounting.expressions import Part, Values
from duetpy.accounting.losses.losses import Loss
from duetpy.accounting.mechanisms.base import WITH_EPSILON, Mechanism, leaky, probability
from duetpy.accounting.noise_parameters import lower
from duetpy.accounting.notions.interpretation import CannotPrice, Parts
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.stated import pure_epsilon_of


class Canonical(Mechanism):
    """Randomized response at ε behind a leak of δ."""

    names = ("canonical",)
    parameters = (None, lambda delta: probability(delta, "δ is a probability"))
    law = "canonical"
    is_exact = True

    def spread(self, scale: float, tail: float, *shape: float) -> accuracy.Accuracy:
        return accuracy.canonical(scale, tail, *shape)

    def has_law(self, shape: Sequence[Fraction | None]) -> bool:
        eps, delta = shape
        return eps is not None and delta is not None and eps > 0 and delta < 1

    def approx(self, atom: Atom) -> Parts:
        return atom.params if pure_epsilon_of(atom) is None else super().approx(atom)

    def length(self, atom: Atom) -> Part:
        raise CannotPrice("the density of canonical noise has jumps, so a shift of it has no length θ")

    def loss(self, atom: Atom, values: Values) -> Loss:
        return leaky(atom.params, values)

    def is_least(self, atom: Atom, notion: Notion, runs: int) -> bool:
        if notion is Notion.APPROX and runs == 1:
            return True
        return atom.params[1].is_zero and (notion in WITH_EPSILON or (notion is Notion.GDP and runs == 1))

    def scale(self, atom: Atom, sensitivity: Fraction, values: Values) -> Fraction:
        lower(atom.params[0], values)
        if atom.params[1].evaluate(values, up=True) >= 1:
            raise ValueError("δ is at least 1")
        return sensitivity

    def unit_scale(self, atom: Atom) -> Quantity | None:
        return Quantity.of(1)

    def no_pure(self, atom: Atom) -> CannotPrice:
        return self.no_bound(atom, "pure ε")

    def no_bound(self, atom: Atom, wanted: str) -> CannotPrice:
        return CannotPrice(
            f"canonical noise with a δ above 0 distinguishes neighbours with certainty with probability δ, so it has no {wanted}"
        )
