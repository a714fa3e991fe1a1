"""Mechanisms that answer with one of a few words, or with whether, and have the loss of randomized response."""

from __future__ import annotations

import math

from duetpy.accounting import named_functions
from duetpy.accounting.expressions import Part, Values, smallest
from duetpy.accounting.losses.losses import BoundedRangeLoss, KaryLoss, Loss
from duetpy.accounting.mechanisms.base import BEYOND, WITH_EPSILON, Mechanism, below
from duetpy.accounting.notions.interpretation import Premise
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity, minimum


class RandomizedResponse(Mechanism):
    """The true one of k answers with probability e^ε/(e^ε + k − 1), else any other (Warner 1965; Kairouz et al. 2016)."""

    names = ("rand-resp",)
    parameters = (lambda size: Premise(Quantity.of(2), "≤", size, "randomized response has at least two answers"), None)
    is_exact = True

    def loss(self, atom: Atom, values: Values) -> Loss:
        size = min(atom.params[0].evaluate(values, up=False), BEYOND)  # fewer answers tell more
        return below(lambda eps: KaryLoss(eps, max(2, math.floor(size))), self._at(atom, values))

    def has_pair(self, atom: Atom) -> bool:
        return True

    def is_least(self, atom: Atom, notion: Notion, runs: int) -> bool:
        if notion in (Notion.PURE, Notion.APPROX):
            return True
        return atom.params[0].constant == 2 and (notion in WITH_EPSILON or (notion is Notion.GDP and runs == 1))


class AboveThreshold(Mechanism):
    """Whether a noisy query is above a noisy threshold: ε in all, as randomized response.

    Where less is lost than ε was named, that follows as the last parameter.
    """

    names = ("above-threshold",)

    def premises(self, atom: Atom) -> tuple[Premise, ...]:
        return () if len(atom.params) == 2 else super().premises(atom)

    def has_pair(self, atom: Atom) -> bool:
        return True


#   ρ = ε²/8 for a range of length ε: with K(λ) = log E e^{λL}, K(0) = K(−1) = 0 and K″ ≤ ε²/4 (Popoviciu), so that
#   K(λ) ≤ λ(λ+1)ε²/8 for λ ≥ 0 (Cesar & Rogers 2021).
class BoundedRange(Mechanism):
    """Mechanisms whose losses on two neighbours fill an interval of length ε (Dong, Durfee & Rogers 2020)."""

    names = ("exponential", "gibbs")

    def rho_of_pure(self, atom: Atom, eps: Quantity) -> Part:
        return minimum(eps * eps / 8, named_functions.pure_rho(eps))

    # A range of length ε is at most as telling as randomized response at ε/2: see docs/notions/gdp.md.
    def mu_of_pure(self, eps: Quantity) -> Part:
        return named_functions.pure_mu(eps / 2)

    def renyi_of_pure(self, atom: Atom, eps: Quantity, order: Quantity) -> Part:
        return smallest(order * eps * eps / 8, named_functions.response_renyi(eps, order))

    def loss(self, atom: Atom, values: Values) -> Loss:
        return below(BoundedRangeLoss, self._at(atom, values))
