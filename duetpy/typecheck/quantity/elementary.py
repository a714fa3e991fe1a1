"""log, exp, expm1, log1p and tanh of quantities.

``log`` is the logarithm of the larger of its argument and 1, so that it is never negative; whoever means the plain
logarithm asks :func:`log_is_safe` first. A function undoes its inverse, and exp turns sums into products.
"""

from __future__ import annotations

from duetpy.typecheck.quantity.arithmetic import atomic, power, settled
from duetpy.typecheck.quantity.extrema import maximum
from duetpy.typecheck.quantity.form import (
    INFINITY,
    ONE,
    ZERO,
    Applied,
    Atom,
    Function,
    Monomial,
    Quantity,
    applied,
)
from duetpy.typecheck.quantity.rational import Number, tidy_exponent


def log_is_safe(value: Quantity) -> bool:
    """Whether the argument is proved to be at least 1, where :func:`log` is the plain natural logarithm."""
    return ONE.leq(value)


def log(value: Quantity) -> Quantity:
    """The natural logarithm of max(value, 1)."""
    if value.is_infinite:
        return INFINITY
    if value.leq(ONE):
        return ZERO
    exponent = _exponent(value)
    return atomic(applied(Function.LOG, value)) if exponent is None else exponent


def _exponent(value: Quantity) -> Quantity | None:
    """x, where the value is exp(x) by its form."""
    result = ZERO
    for monomial, coefficient in value.terms.items():
        if len(value.terms) > 1 or coefficient != 1:
            return None
        for atom, times in monomial.factors.items():
            if not isinstance(atom, Applied) or atom.function is not Function.EXP or times < 0:
                return None
            result = result + atom.argument * times
    return result


def exp(value: Quantity) -> Quantity:
    """The exponential function: a product over the terms of the argument."""
    if value.is_infinite:
        return INFINITY
    exponents: dict[Atom, Number] = {}
    result = ONE
    for monomial, coefficient in value.terms.items():
        term, times = Quantity({monomial: 1}), tidy_exponent(coefficient)
        above_one, above_zero = _argument(term, Function.LOG), _argument(term, Function.LOG1P)
        if above_one is not None:
            result = result * power(maximum(above_one, ONE), times)
        elif above_zero is not None:
            result = result * power(ONE + above_zero, times)
        else:
            exponents[applied(Function.EXP, term)] = times
    return settled({Monomial(exponents): 1}) * result


def expm1(value: Quantity) -> Quantity:
    """exp(value) − 1."""
    return _with_inverse(Function.EXPM1, Function.LOG1P, value)


def log1p(value: Quantity) -> Quantity:
    """log(1 + value)."""
    return _with_inverse(Function.LOG1P, Function.EXPM1, value)


def tanh(value: Quantity) -> Quantity:
    """The hyperbolic tangent."""
    if value.is_infinite:
        return ONE
    return ZERO if value.is_zero else atomic(applied(Function.TANH, value))


def _with_inverse(function: Function, inverse: Function, value: Quantity) -> Quantity:
    """A function that keeps 0 and ∞, and its inverse."""
    if not value.terms:
        return value
    inner = _argument(value, inverse)
    return atomic(applied(function, value)) if inner is None else inner


def _argument(value: Quantity, function: Function) -> Quantity | None:
    """x, where the value is ``function(x)`` by its form."""
    if len(value.terms) != 1:
        return None
    ((monomial, coefficient),) = value.terms.items()
    if coefficient != 1 or len(monomial.factors) != 1:
        return None
    ((atom, times),) = monomial.factors.items()
    return atom.argument if isinstance(atom, Applied) and atom.function is function and times == 1 else None
