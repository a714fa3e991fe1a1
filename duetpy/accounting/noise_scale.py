"""The scale of the noise that a mechanism draws: the same atom that is charged says how much noise that takes.

Every scale is an exact rational that is not below the true one, so that the noise is at least as private as it is priced.
"""

from __future__ import annotations

from fractions import Fraction

from duetpy.accounting.expressions import Values
from duetpy.accounting.mechanisms.table import mechanism_of
from duetpy.typecheck.cost import Atom


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
    return mechanism_of(atom).scale(atom, sensitivity, values)
