"""The hyperbolic tangent: the line through values at nodes, so that it is 1-Lipschitz as it is computed."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from duetpy.runtime.exact.linear_forms import apart, with_doubles
from duetpy.runtime.exact.rationals import ZERO, Doubles, Numbers
from duetpy.runtime.values.values import Value

_NODE_BITS, _VALUE_BITS, _REACH = 16, 40, 15
"""tanh is drawn through its values at j⋅2⁻¹⁶, from 0 to 15, in units of 2⁻⁴⁰; its page adds up the errors."""

_STEP = 1 << (_VALUE_BITS - _NODE_BITS)
"""The way from one node to the next, in units."""


@cache
def tanh_values() -> NDArray[np.int64]:
    """The values at the nodes, in units: from 0 up, by 0 to `_STEP` from one node to the next, to at most 1.

    That is so by construction, whatever a library computes for tanh, and it makes the line through them 1-Lipschitz.
    """
    nodes = np.arange((_REACH << _NODE_BITS) + 1) / (1 << _NODE_BITS)
    values = np.rint(np.tanh(nodes) * 2.0**_VALUE_BITS).astype(np.int64)
    rises = np.clip(np.diff(values), 0, _STEP)
    risen: NDArray[np.int64] = np.minimum(np.concatenate([[0], np.cumsum(rises)]), 1 << _VALUE_BITS)
    return risen


def hyperbolic_tangent(value: Value) -> Value:
    """The line through `tanh_values`, and its mirror image below 0, at exactly x: no rounding stands between the two."""
    if not isinstance(value, Numbers):
        number = _scalar(value)
        return _on_the_line(abs(number)) * ((number > 0) - (number < 0))
    if value.doubles is None:
        near, is_between = with_doubles(value)
        return apart(value, is_between, lambda exact: _scalar(hyperbolic_tangent(exact)), lambda _: _of_doubles(near))
    return _of_doubles(value.doubles)


def _on_the_line(size: Fraction) -> Fraction:
    """The value at a number that is not negative; beyond the last node that of the last."""
    values = tanh_values()
    at = min(size, Fraction(_REACH)) * (1 << _NODE_BITS)
    node = min(math.floor(at), len(values) - 2)
    before, after = int(values[node]), int(values[node + 1])
    return (before + (after - before) * (at - node)) / (1 << _VALUE_BITS)


def _of_doubles(doubles: Doubles) -> Numbers:
    """The same of doubles: value + rise⋅rest, a product that is kept in two exact halves.

    With the size s = |x| at most 15 and the node j = ⌊s⋅2¹⁶⌋, the rest s − j⋅2⁻¹⁶ is a double: both are whole multiples of the
    last place of s, and their difference is less than s or s itself. The halves of a split double have at most 27 bits (Dekker
    1971), and a rise at most 25, so both products are exact; they are 0 or not smaller than the half.
    """
    values = tanh_values()
    size = np.minimum(np.abs(doubles), float(_REACH))
    node = np.minimum(np.floor(size * (1 << _NODE_BITS)).astype(np.intp), len(values) - 2)
    rest = size - node * 2.0**-_NODE_BITS
    spread_out = rest * 134217729.0  # 2^27 + 1 (Veltkamp's splitting)
    head = spread_out - (spread_out - rest)
    sign: Doubles = np.sign(doubles)
    rise = (values[node + 1] - values[node]) * sign
    terms = ((head * rise, _STEP), ((rest - head) * rise, _STEP), (values[node] * sign, 1 << _VALUE_BITS))
    return Numbers(tuple((Fraction(1, unit), array) for array, unit in terms), ZERO, doubles.shape)


def _scalar(value: Value) -> Fraction:
    assert isinstance(value, int | Fraction), "the checker lets only numbers through"
    return Fraction(value)
