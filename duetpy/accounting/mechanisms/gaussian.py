"""Gaussian noise, on reals and on integers, and noisy descent, which is no easier to distinguish than a Gaussian of its μ."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from duetpy.accounting import accuracy, convert, named_functions
from duetpy.accounting.expressions import Part, Values
from duetpy.accounting.losses import discrete
from duetpy.accounting.losses.losses import CurveLoss, GaussianLoss, Loss
from duetpy.accounting.mechanisms.base import (
    BEYOND,
    EVERYTHING,
    Mechanism,
    below,
    line_at,
    stated_in,
    unwritten,
)
from duetpy.accounting.noise_parameters import epsilon_delta
from duetpy.accounting.notions.interpretation import CannotPrice, Interpretation, Parts, Premise, reading_of
from duetpy.accounting.rounding import float_down, root_up
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity

GAUSSIAN_95 = Fraction("1.96")
"""P(|N(0, 1)| ≤ x) = 0.95 at x = Φ⁻¹(0.975) = 1.95996…, rounded up."""


class _Calibrated(Mechanism):
    """Noise that a notion calibrates: its parameters are its cost there."""

    def premises(self, atom: Atom) -> tuple[Premise, ...]:
        if atom.calibration is None:
            raise unwritten(atom)
        return stated_in(atom.calibration, atom.params)

    def approx(self, atom: Atom) -> Parts:
        if atom.calibration is Notion.APPROX:
            return atom.params
        if atom.calibration is not None and atom.calibration.info.block is not None:
            notion = atom.calibration.info
            raise CannotPrice(
                f"noise calibrated in {notion.name} has no (ε, δ) without a δ: write {notion.block}[δ] {{ … }}"
            )
        return super().approx(atom)

    def rho(self, atom: Atom) -> Part:
        return gaussian_rho(atom)

    #   ε(α) = αs²/2σ² is a line through the pair that calibrated the noise
    def renyi(self, atom: Atom, order: Quantity) -> Part:
        if atom.calibration is Notion.RENYI:
            alpha, eps = atom.params
            return eps if alpha == order else eps * order / alpha
        return line_at(self.rho(atom), order)

    def no_pure(self, atom: Atom) -> CannotPrice:
        return CannotPrice("Gaussian noise has no pure ε; use laplace, or a notion with a δ, ρ or μ")


class NoisyDescent(_Calibrated):
    """The last iterate of noisy descent over cyclic batches (docs/rules/step.md)."""

    names = ("noisy-descent",)

    def mu(self, atom: Atom) -> Part:
        return shift_in_noise(atom)

    def loss(self, atom: Atom, values: Values) -> Loss:
        return below(GaussianLoss, shift_in_noise(atom).evaluate_float(values, up=True))

    def has_pair(self, atom: Atom) -> bool:
        return True


class Gaussian(NoisyDescent):
    """Gaussian noise, calibrated in some notion; in L2 on several numbers it is that on one."""

    names = ("gauss",)
    law = "gaussian"
    factor95 = GAUSSIAN_95
    is_exact = True

    def spread(self, scale: float, tail: float, *shape: float) -> accuracy.Accuracy:
        return accuracy.gaussian(scale, tail)

    # What is drawn is Gaussian at every order, and a program gets no more than it asked for.
    def tcdp(self, atom: Atom) -> Parts:
        return atom.params if atom.calibration is Notion.TCDP else super().tcdp(atom)

    def length(self, atom: Atom) -> Part:
        return shift_in_noise(atom)

    def is_least(self, atom: Atom, notion: Notion, runs: int) -> bool:
        match notion:
            case Notion.APPROX:
                return atom.calibration is Notion.APPROX and runs == 1
            case Notion.TCDP:
                return atom.calibration is not Notion.TCDP
            case _:
                return notion in (Notion.RENYI, Notion.ZCDP, Notion.GDP)

    def scale(self, atom: Atom, sensitivity: Fraction, values: Values) -> Fraction:
        found = None if atom.calibration is None else reading_of(atom.calibration).gaussian_scale(atom.params, values)
        return super().scale(atom, sensitivity, values) if found is None else sensitivity * found

    def unit_scale(self, atom: Atom) -> Quantity | None:
        return None if atom.calibration is None else reading_of(atom.calibration).gaussian_formula(atom.params)


#   For (ε, δ) through zCDP, which holds in every dimension (Canonne, Kamath & Steinke 2020).
class DiscreteGaussian(Gaussian):
    """P(z) ∝ e^{−z²/2σ²} on the integers."""

    names = ("dgauss",)
    law = "discrete-gaussian"
    is_exact = False

    def spread(self, scale: float, tail: float, *shape: float) -> accuracy.Accuracy:
        return accuracy.discrete_gaussian(scale, tail)

    def rho(self, atom: Atom) -> Part:
        return (
            named_functions.discrete_gaussian_rho(*atom.params)
            if atom.calibration is Notion.APPROX
            else super().rho(atom)
        )

    def mu(self, atom: Atom) -> Part:
        raise CannotPrice("the discrete Gaussian is not a Gaussian mechanism: it costs slightly more")

    def length(self, atom: Atom) -> Part:
        return Mechanism.length(self, atom)

    def loss(self, atom: Atom, values: Values) -> Loss:
        rho = self.rho(atom).evaluate_float(values, up=True)
        if not rho < BEYOND:
            return EVERYTHING
        if not atom.steps:
            return CurveLoss(rho)
        try:
            return discrete.shifted(atom.steps, float_down(self.scale(atom, Fraction(atom.steps), values)), rho)
        except ValueError:
            return CurveLoss(rho)

    # Its shift by all the steps of one whole number dominates; in several dimensions no one pair does.
    def has_pair(self, atom: Atom) -> bool:
        return atom.steps is not None

    def is_least(self, atom: Atom, notion: Notion, runs: int) -> bool:
        return False

    def scale(self, atom: Atom, sensitivity: Fraction, values: Values) -> Fraction:
        if atom.calibration is not Notion.APPROX:
            return super().scale(atom, sensitivity, values)
        eps, delta = epsilon_delta(atom.params, values)
        rho = convert.calibrate_rho(float_down(eps), float_down(delta))
        if rho == 0.0:
            raise ValueError("no double is the ρ of ε and δ as small as these")
        return sensitivity * root_up(1 / (2 * Fraction(rho)))

    def unit_scale(self, atom: Atom) -> Quantity | None:
        return None if atom.calibration in (Notion.GDP, Notion.RAO) else super().unit_scale(atom)


def shift_in_noise(atom: Atom) -> Part:
    """μ = s/σ of Gaussian noise, in each calibration."""
    return _of_calibration(atom, lambda notion: notion.gaussian_shift(atom.params))


def gaussian_rho(atom: Atom) -> Part:
    """ρ = s²/2σ² of Gaussian noise, in each calibration."""
    return _of_calibration(atom, lambda notion: notion.gaussian_rho(atom.params))


def _of_calibration(atom: Atom, asked: Callable[[type[Interpretation]], Part | None]) -> Part:
    found = None if atom.calibration is None else asked(reading_of(atom.calibration))
    if found is None:
        raise CannotPrice(f"{atom.mechanism} is calibrated in no notion that has noise for it")
    return found
