"""Laplace noise, on reals and on integers, and mechanisms that are no easier to distinguish."""

from __future__ import annotations

from fractions import Fraction

from duetpy.accounting import accuracy, named_functions
from duetpy.accounting.expressions import Part, Values
from duetpy.accounting.losses import discrete_laplace
from duetpy.accounting.losses.losses import LaplaceLoss, Loss
from duetpy.accounting.mechanisms.base import WITH_EPSILON, Mechanism, below
from duetpy.accounting.noise_parameters import lower
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity

LAPLACE_95 = Fraction("2.9958")
"""P(|Lap(1)| ≤ x) = 1 − e^{−x} = 0.95 at x = log 20 = 2.99573…, rounded up."""


class OfLaplace(Mechanism):
    """A mechanism that is no easier to distinguish than Laplace noise of its ε, where it has one."""

    def rho_of_pure(self, atom: Atom, eps: Quantity) -> Part:
        return named_functions.laplace_rho(eps)

    def mu_of_pure(self, eps: Quantity) -> Part:
        return named_functions.laplace_mu(eps)

    def renyi_of_pure(self, atom: Atom, eps: Quantity, order: Quantity) -> Part:
        return named_functions.laplace_renyi(eps, order)


class NoisyMax(OfLaplace):
    """The largest of noisy scores: no easier to distinguish than Laplace noise of its ε (docs/rules/exponential-noisy-max.md)."""

    names = ("noisy-max",)
    # Under exponential noise of mean b, a candidate that is g below the best one exceeds it with P(X − Y ≥ g) = e^{−g/b}/2.
    choice95 = 10

    def loss(self, atom: Atom, values: Values) -> Loss:
        return below(LaplaceLoss, self._at(atom, values))

    def has_pair(self, atom: Atom) -> bool:
        return True


#   b = s/ε      (Dwork, McSherry, Nissim & Smith 2006)
class _ScaledByEpsilon(Mechanism):
    factor95 = LAPLACE_95

    def scale(self, atom: Atom, sensitivity: Fraction, values: Values) -> Fraction:
        return sensitivity / lower(atom.params[-1], values)

    def unit_scale(self, atom: Atom) -> Quantity | None:
        return 1 / atom.params[-1]


class Laplace(_ScaledByEpsilon, NoisyMax):
    """Laplace noise; in L1 on several numbers it is no easier to distinguish than on one."""

    names = ("laplace",)
    law = "laplace"
    is_exact = True

    def spread(self, scale: float, tail: float, *shape: float) -> accuracy.Accuracy:
        return accuracy.laplace(scale, tail)

    def length(self, atom: Atom) -> Part:
        return atom.params[0]

    def is_least(self, atom: Atom, notion: Notion, runs: int) -> bool:
        return notion in WITH_EPSILON or (notion is Notion.GDP and runs == 1)


class DiscreteLaplace(_ScaledByEpsilon):
    """P(z) ∝ e^{−ε|z|/s} on the integers: its own law where s is a known whole number, else randomized response at ε."""

    names = ("dlaplace",)
    law = "discrete-laplace"

    def spread(self, scale: float, tail: float, *shape: float) -> accuracy.Accuracy:
        return accuracy.discrete_laplace(scale, tail)

    def rho_of_pure(self, atom: Atom, eps: Quantity) -> Part:
        steps = discrete_laplace.shift_of(atom)
        return (
            super().rho_of_pure(atom, eps)
            if steps is None
            else discrete_laplace.discrete_laplace_rho(eps, Quantity.of(steps))
        )

    def renyi_of_pure(self, atom: Atom, eps: Quantity, order: Quantity) -> Part:
        steps = discrete_laplace.shift_of(atom)
        if steps is None:
            return super().renyi_of_pure(atom, eps, order)
        return discrete_laplace.discrete_laplace_renyi(eps, order, Quantity.of(steps))

    def loss(self, atom: Atom, values: Values) -> Loss:
        steps = discrete_laplace.shift_of(atom)
        if steps is None:
            return super().loss(atom, values)
        return below(lambda eps: discrete_laplace.DiscreteLaplaceLoss(eps, steps), self._at(atom, values))

    def has_pair(self, atom: Atom) -> bool:
        return True
