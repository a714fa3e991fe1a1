"""Generalized Gaussian noise: density ∝ exp(−(|x|/b)^N), Laplace noise at N = 1 and Gaussian noise at N = 2."""

from __future__ import annotations

import math
from fractions import Fraction

from duetpy.accounting import accuracy, named_functions
from duetpy.accounting.expressions import Part, Values, product, square
from duetpy.accounting.losses import generalized_gaussian
from duetpy.accounting.losses.losses import Loss
from duetpy.accounting.mechanisms.base import BEYOND, EVERYTHING
from duetpy.accounting.mechanisms.laplace import OfLaplace
from duetpy.accounting.noise_parameters import lower, upper
from duetpy.accounting.notions.interpretation import UNNAMED_DELTA, CannotPrice, Parts, Premise
from duetpy.accounting.rounding import float_up
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, Quantity
from duetpy.typecheck.stated import pure_epsilon_of


class GeneralizedGaussian(OfLaplace):
    """A shift by a share of the scale, at a power N; it has a pure ε at the power 1, which is Laplace noise."""

    names = ("ggauss",)
    parameters = (lambda power: Premise(ONE, "≤", power, "the power of a generalized Gaussian is at least 1"), None)
    law = "generalized-gaussian"

    def spread(self, scale: float, tail: float, *shape: float) -> accuracy.Accuracy:
        return accuracy.generalized_gaussian(scale, tail, *shape)

    def approx(self, atom: Atom) -> Parts:
        if pure_epsilon_of(atom) is not None:
            return super().approx(atom)
        power, shift = atom.params[0], shift_in_scale(atom)
        if power.constant == 2:
            return (named_functions.gaussian_epsilon(_as_gaussian(shift), UNNAMED_DELTA), UNNAMED_DELTA)
        return (named_functions.generalized_gaussian_epsilon(power, shift, UNNAMED_DELTA), UNNAMED_DELTA)

    # At N = 2 the density is that of N(0, b²/2), so μ = √2 Δ/b.
    def rho(self, atom: Atom) -> Part:
        return square(shift_in_scale(atom)) if atom.params[0].constant == 2 else super().rho(atom)

    def mu(self, atom: Atom) -> Part:
        return _as_gaussian(shift_in_scale(atom)) if atom.params[0].constant == 2 else super().mu(atom)

    #   θ = √(N Γ(2−1/N)/Γ(1+1/N)) Δ/b: the root of the Fisher information of a shift, for N ≥ 1
    def length(self, atom: Atom) -> Part:
        power, ratio = atom.params
        if atom.calibration is Notion.RAO or power.constant == 1:
            return ratio
        return product(ratio, named_functions.fisher_factor(power))

    def loss(self, atom: Atom, values: Values) -> Loss:
        power = atom.params[0].evaluate_float(values, up=True)
        ratio = shift_in_scale(atom).evaluate_float(values, up=True)
        return (
            generalized_gaussian.GeneralizedGaussianLoss(power, ratio)
            if power >= 1.0 and ratio < BEYOND
            else EVERYTHING
        )

    def scale(self, atom: Atom, sensitivity: Fraction, values: Values) -> Fraction:
        if atom.calibration is not Notion.RAO:
            return sensitivity / lower(atom.params[1], values)
        length = named_functions.fisher(float_up(upper(atom.params[0], values)))
        if length == math.inf:
            raise ValueError("the power of a generalized Gaussian is infinite or below 1")
        return sensitivity * Fraction(length) / lower(atom.params[1], values)

    def unit_scale(self, atom: Atom) -> Quantity | None:
        return 1 / atom.params[1] if atom.calibration is None else None

    def no_pure(self, atom: Atom) -> CannotPrice:
        return CannotPrice(
            "generalized Gaussian noise has a pure ε only at the power 1, which is laplace; in an (ε, δ) program every power "
            "has a certified cost"
        )

    def no_bound(self, atom: Atom, wanted: str) -> CannotPrice:
        return CannotPrice(
            f"{wanted} of ggauss is proved only at the powers 1 and 2, and does not exist above 2; in an (ε, δ) program every "
            "power has a certified cost"
        )


def _as_gaussian(shift: Part) -> Part:
    return product(Quantity.of(2).sqrt(), shift)


def shift_in_scale(atom: Atom) -> Part:
    """By how many scales one step of the input shifts the noise: Δ/b, or θ over the length of one scale."""
    power, shift = atom.params
    if atom.calibration is not Notion.RAO or power.constant == 1:
        return shift
    return (
        shift / Quantity.of(2).sqrt() if power.constant == 2 else product(shift, named_functions.inverse_fisher(power))
    )
