"""Parameters of noise, exactly: each is rounded to the side of more noise."""

from __future__ import annotations

import math
from fractions import Fraction

from duetpy.accounting.expressions import Values
from duetpy.typecheck.quantity import Quantity


def lower(param: Quantity, values: Values) -> Fraction:
    """A parameter rounded down.

    Raises
    ------
    ValueError
        It is 0 or infinite.
    """
    number = param.evaluate(values, up=False)
    if number == math.inf or number == 0:
        raise ValueError("a parameter of the noise is 0 or infinite")
    return Fraction(number)


def upper(param: Quantity, values: Values) -> Fraction:
    """A parameter rounded up; raises `ValueError` where it is infinite."""
    number = param.evaluate(values, up=True)
    if number == math.inf:
        raise ValueError("a parameter of the noise is infinite")
    return Fraction(number)


def epsilon_delta(params: tuple[Quantity, ...], values: Values) -> tuple[Fraction, Fraction]:
    """ε and δ that calibrate noise, rounded down; raises `ValueError` where these allow none."""
    eps, delta = (lower(param, values) for param in params)
    if delta >= 1:
        raise ValueError("δ is at least 1")
    return eps, delta
