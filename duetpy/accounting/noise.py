"""The scale of the noise that a mechanism draws: the same atom that is charged says how much noise that takes.

Every scale is an exact rational that is not below the true one, so that the noise is at least as private as it is priced.
"""

from __future__ import annotations

import math
from fractions import Fraction

from duetpy.accounting.closed import Values, fisher
from duetpy.accounting.convert import calibrate_rho
from duetpy.accounting.gaussian import calibrate_mu
from duetpy.accounting.rounding import float_down, float_up, root_up
from duetpy.typecheck.cost import Atom, Notion
from duetpy.typecheck.quantity import Quantity


def noise_scale(atom: Atom, sensitivity: Fraction, values: Values) -> Fraction:
    """b of Laplace noise, σ of Gaussian noise, or the scale of the density exp(−(|x|/scale)^N), rounded up.

    Parameters
    ----------
    atom
        A mechanism that adds noise: laplace, dlaplace, gauss, dgauss, ggauss or canonical.
    sensitivity
        By how much one step of the input moves the value, rounded up; positive.
    values
        A number for every variable of the atom.

    Returns
    -------
    Fraction
        laplace: s/ε. gauss: s/√(2ρ) in zcdp and tcdp, s√(α/2ε) in renyi, s/μ in gdp, s/θ in rao; for (ε, δ) the analytic
        calibration (Balle & Wang 2018). dgauss: the same, but through zCDP for (ε, δ), which holds in every dimension
        (Canonne, Kamath & Steinke 2020). ggauss: s/ratio; in rao s/θ times the Rao length of a shift by one scale.
        canonical: s, whatever ε and δ are.

    Raises
    ------
    ValueError
        The mechanism adds no noise of one scale, or a parameter is 0, infinite or out of range.
    KeyError
        A variable has no value.
    """
    if sensitivity <= 0:
        raise ValueError("noise is calibrated for a positive sensitivity")
    match atom.mechanism, atom.calibration:
        case (("laplace" | "dlaplace"), _):
            return sensitivity / _lower(atom.params[-1], values)
        case "ggauss", Notion.RAO:
            length = fisher(float_up(_upper(atom.params[0], values)))
            if length == math.inf:
                raise ValueError("the power of a generalized Gaussian is infinite or below 1")
            return sensitivity * Fraction(length) / _lower(atom.params[1], values)
        case "ggauss", _:
            return sensitivity / _lower(atom.params[1], values)
        case "canonical", _:
            _lower(atom.params[0], values)
            if atom.params[1].evaluate(values, up=True) >= 1:
                raise ValueError("δ is at least 1")
            return sensitivity
        case (("gauss" | "dgauss"), calibration) if calibration is not None:
            return _gaussian_scale(atom, calibration, sensitivity, values)
        case _:
            raise ValueError(f"{atom.mechanism} adds no noise of one scale")


def _gaussian_scale(atom: Atom, calibration: Notion, sensitivity: Fraction, values: Values) -> Fraction:
    match calibration:
        case Notion.ZCDP | Notion.TCDP:
            return sensitivity * root_up(1 / (2 * _lower(atom.params[0], values)))
        case Notion.RENYI:
            order, price = atom.params
            return sensitivity * root_up(_upper(order, values) / (2 * _lower(price, values)))
        case Notion.GDP | Notion.RAO:
            return sensitivity / _lower(atom.params[0], values)
        case Notion.APPROX:
            eps, delta = (_lower(param, values) for param in atom.params)
            if delta >= 1:
                raise ValueError("δ is at least 1")
            if atom.mechanism == "dgauss":
                return sensitivity * root_up(1 / (2 * Fraction(calibrate_rho(float_down(eps), float_down(delta)))))
            return sensitivity / Fraction(calibrate_mu(eps, delta))
        case _:
            raise ValueError("pure ε has no Gaussian noise")


def _lower(param: Quantity, values: Values) -> Fraction:
    number = param.evaluate(values, up=False)
    if number == math.inf or number == 0:
        raise ValueError("a parameter of the noise is 0 or infinite")
    return Fraction(number)


def _upper(param: Quantity, values: Values) -> Fraction:
    number = param.evaluate(values, up=True)
    if number == math.inf:
        raise ValueError("a parameter of the noise is infinite")
    return Fraction(number)
