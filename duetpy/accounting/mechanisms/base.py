"""What a mechanism must say to be priced and to be run: all of its mathematics, in every notion.

The checker makes one `Atom` of a mechanism's run; a `Mechanism` answers for it. What is not said of a mechanism follows from its
pure ε, where it has one (`duetpy.typecheck.stated`), and is refused where it has none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import ClassVar

from duetpy.accounting import accuracy as accuracies
from duetpy.accounting import named_functions
from duetpy.accounting.expressions import Part, Values, product
from duetpy.accounting.losses.losses import LeakyLoss, Loss, ResponseLoss
from duetpy.accounting.notions.interpretation import CannotPrice, Parts, Premise
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, Quantity
from duetpy.typecheck.stated import pure_epsilon_of

EVERYTHING = LeakyLoss(1.0, ResponseLoss(0.0))
"""The loss of releasing the input."""

WITH_EPSILON = frozenset({Notion.PURE, Notion.APPROX, Notion.RENYI, Notion.ZCDP, Notion.TCDP})
"""The notions in which Laplace noise and randomized response of two answers have no smaller price, however often they run."""

BEYOND = 1e100
"""Parameters and numbers of copies beyond this protect nothing; products of those below it are doubles."""


class Mechanism:
    """One mechanism, priced from its `Atom` and its parameters alone."""

    names: ClassVar[tuple[str, ...]] = ()
    """The names of its atoms; `duetpy.accounting.mechanisms.table` finds it by them."""

    parameters: ClassVar[tuple[Callable[[Quantity], Premise] | None, ...]] = (None,)
    """For each parameter, what is asked of it; None where it may be any."""

    law: ClassVar[str | None] = None
    """The law of the noise that it adds to its value, where it adds some; a sampler of `duetpy.runtime.noise` draws it."""

    factor95: ClassVar[Fraction | None] = None
    """How many scales the error of 95 of 100 runs stays within, where that is one number."""

    choice95: ClassVar[int] = 20
    """Of one that chooses among k candidates: n where the score of what it chooses is in 95 of 100 runs at most b ln nk below the
    best one, with b = 2s/ε.

    The exponential mechanism chooses a candidate that is g below the best one with at most the probability e^{−g/b}, as the best
    one alone has a weight e^{g/b} times as large. So those that are b ln 20k or more below are chosen with at most k/(20k) together
    (Dwork & Roth 2014, Theorem 3.11).
    """

    is_exact: ClassVar[bool] = False
    """Whether its pair of output laws, on the worst neighbours, is its loss itself and not a bound on it."""

    def premises(self, atom: Atom) -> tuple[Premise, ...]:
        """What every price rests on: the parameters are in their range.

        Raises
        ------
        CannotPrice
            No rule describes the parameters of the atom.
        """
        if len(atom.params) != len(self.parameters):
            raise unwritten(atom)
        return tuple(test(param) for test, param in zip(self.parameters, atom.params, strict=True) if test is not None)

    def epsilon(self, atom: Atom) -> Quantity:
        """The pure ε."""
        eps = pure_epsilon_of(atom)
        if eps is None:
            raise self.no_pure(atom)
        return eps

    def approx(self, atom: Atom) -> Parts:
        """(ε, δ)."""
        eps = pure_epsilon_of(atom)
        if eps is None:
            raise CannotPrice(f"{atom.mechanism} has no closed (ε, δ); its numeric bound at a δ is the tight one")
        return (eps, ZERO)

    def rho(self, atom: Atom) -> Part:
        """ρ at every order."""
        return self.rho_of_pure(atom, self._known(atom, "ρ"))

    def mu(self, atom: Atom) -> Part:
        """μ."""
        return self.mu_of_pure(self._known(atom, "μ"))

    def renyi(self, atom: Atom, order: Quantity) -> Part:
        """D_α at one order α, which may be ∞."""
        eps = pure_epsilon_of(atom)
        if eps is None:
            return line_at(self.rho(atom), order)
        return eps if order.is_infinite else self.renyi_of_pure(atom, eps, order)

    def tcdp(self, atom: Atom) -> Parts:
        """(ρ, ω)."""
        return (self.rho(atom), INFINITY)

    def length(self, atom: Atom) -> Part:
        """The Fisher–Rao length θ of the path that one step of the input makes its law travel."""
        raise CannotPrice(f"{atom.mechanism} is not a shift of one density, so it has no length θ")

    def loss(self, atom: Atom, values: Values) -> Loss:
        """The privacy loss of the worst pair of laws, or a bound on it, at numbers for the variables."""
        return EVERYTHING if pure_epsilon_of(atom) is None else below(ResponseLoss, self._at(atom, values))

    def has_pair(self, atom: Atom) -> bool:
        """Whether one pair of laws that renaming outcomes exchanges dominates it, with the curve that `rho` states."""
        return False

    def is_least(self, atom: Atom, notion: Notion, runs: int) -> bool:
        """Whether no smaller price is true of `runs` mechanisms like this in sequence, where sensitivities are attained.

        It names the notions of which that is shown.
        """
        return False

    def scale(self, atom: Atom, sensitivity: Fraction, values: Values) -> Fraction:
        """The scale of the noise, rounded up; see `duetpy.accounting.noise_scale.noise_scale`."""
        raise ValueError(f"{atom.mechanism} adds no noise of one scale")

    def unit_scale(self, atom: Atom) -> Quantity | None:
        """The scale of the noise for a sensitivity of 1 as a formula; None where it has no closed form."""
        return None

    def accuracy(self, scale: float, count: int = 1, shape: Sequence[float] = ()) -> accuracies.Accuracy:
        """The error of `count` entries with independent noise.

        Parameters
        ----------
        scale
            b, σ, or the scale of another law, in the units of the entry.
        count
            How many entries are released at once; at least 1.
        shape
            The other parameters that the law depends on: see `duetpy.typecheck.mechanism_rows.Row`.
        """
        if count < 1 or not 0.0 <= scale < math.inf:
            raise ValueError("an accuracy is asked for at no entries or at no scale")
        return self.spread(scale, accuracies.tail_of(count), *shape)

    def has_law(self, shape: Sequence[Fraction | None]) -> bool:
        """Whether there is noise of these parameters, None where one is not known."""
        return bool(shape) and None not in shape

    def spread(self, scale: float, tail: float, *shape: float) -> accuracies.Accuracy:
        """The deviation of the noise, and which of its errors has the chance `tail` of a larger one."""
        raise ValueError("it adds no noise of one scale")

    def shares(self, atom: Atom, values: Values) -> list[tuple[int, Fraction]]:
        """Of a mechanism that shows the keys of rows: for some numbers of rows, with what probability a key of so many is shown.

        Raises
        ------
        KeyError
            A variable has no value.
        ValueError
            A parameter is out of range.
        """
        return []

    def furthest(self, atom: Atom, values: Values) -> int | None:
        """By how much a number that is shown is off at most, where that is bounded; raises as `shares`."""
        return None

    #   ρ = ε·tanh(ε/2), the largest KL divergence under ε-privacy; that D_α ≤ α D₁ then is shown at `losses.response_rho`.
    def rho_of_pure(self, atom: Atom, eps: Quantity) -> Part:
        """The ρ that its ε implies."""
        return named_functions.pure_rho(eps)

    def mu_of_pure(self, eps: Quantity) -> Part:
        """The μ that its ε implies."""
        return named_functions.pure_mu(eps)

    def renyi_of_pure(self, atom: Atom, eps: Quantity, order: Quantity) -> Part:
        """The D_α, at a finite order, that its ε implies."""
        return named_functions.response_renyi(eps, order)

    def no_pure(self, atom: Atom) -> CannotPrice:
        """Why it has no pure ε."""
        return CannotPrice(f"{atom.mechanism} has no pure ε")

    def no_bound(self, atom: Atom, wanted: str) -> CannotPrice:
        """Why it has no price `wanted`."""
        return CannotPrice(f"{atom.mechanism} has no closed {wanted}; its numeric (ε, δ) is the tight one")

    def _known(self, atom: Atom, wanted: str) -> Quantity:
        eps = pure_epsilon_of(atom)
        if eps is None:
            raise self.no_bound(atom, wanted)
        return eps

    def _at(self, atom: Atom, values: Values) -> float:
        """The last parameter, rounded up."""
        return atom.params[-1].evaluate_float(values, up=True)


def line_at(rho: Part, order: Quantity) -> Part:
    """D_α ≤ ρα at one order."""
    if order.is_infinite and not rho.is_zero:
        raise CannotPrice(
            "no mechanism of the program names an order α, and Gaussian noise has no ε at α = ∞; gauss[s, α, ε] and "
            "noisy-descent[E, b, σ, α] name one"
        )
    return product(order, rho)


def below(loss: Callable[[float], Loss], parameter: float) -> Loss:
    """A loss at its parameter, unless that protects nothing."""
    return loss(parameter) if parameter < BEYOND else EVERYTHING


def leaky(params: Sequence[Quantity], values: Values) -> Loss:
    """The worst loss of (ε, δ)-privacy at numbers for the variables."""
    eps, delta = (param.evaluate_float(values, up=True) for param in params)
    if not eps < BEYOND or delta >= 1.0:
        return EVERYTHING
    return LeakyLoss(delta, ResponseLoss(eps)) if delta > 0.0 else ResponseLoss(eps)


# ---------------------------------------------------------------------------------------------------------------------
# What parameters rest on


def unwritten(atom: Atom) -> CannotPrice:
    """The refusal of an atom whose parameters no rule describes."""
    return CannotPrice(f"what a cost of {atom.mechanism} rests on is written nowhere")


def stated_in(notion: Notion, params: tuple[Quantity, ...]) -> tuple[Premise, ...]:
    """What a cost stated in a notion rests on: δ below 1, an order above 1."""
    parts = notion.info.parts
    if len(params) != len(parts):
        raise CannotPrice(f"a cost of {len(params)} parts in {notion.value} has no meaning")
    found: list[Premise] = []
    for part, number in zip(parts, params, strict=True):
        if part.is_order:
            found.append(Premise(ONE, "<", number, f"the order {part.letter} is above 1"))
        elif part.key == "delta":
            found.append(probability(number, "δ is a probability"))
    return tuple(found)


def probability(number: Quantity, why: str) -> Premise:
    """A number below 1."""
    return Premise(number, "<", ONE, why)
