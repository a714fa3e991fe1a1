"""log, exp, expm1, log1p and tanh of quantities.

``log`` is the logarithm of the larger of its argument and 1, so that it is never negative; whoever means the plain
logarithm asks :func:`log_is_safe` first. A function undoes its inverse, and exp turns sums into products.
"""

from __future__ import annotations

from duetpy.typecheck.quantity import form
from duetpy.typecheck.quantity.arithmetic import atomic, power, settled
from duetpy.typecheck.quantity.extrema import maximum
from duetpy.typecheck.quantity.rational import Number, tidy_exponent


def log_is_safe(value: form.Quantity) -> bool:
    """Whether the argument is proved to be at least 1, where :func:`log` is the plain natural logarithm."""
    return form.ONE.leq(value)


def log(value: form.Quantity) -> form.Quantity:
    """The natural logarithm of max(value, 1)."""
    if value.is_infinite:
        return form.INFINITY
    if value.leq(form.ONE):
        return form.ZERO
    exponent = _exponent(value)
    return atomic(form.applied(form.Function.LOG, value)) if exponent is None else exponent


def _exponent(value: form.Quantity) -> form.Quantity | None:
    """x, where the value is exp(x) by its form."""
    result = form.ZERO
    for monomial, coefficient in value.terms.items():
        if len(value.terms) > 1 or coefficient != 1:
            return None
        for atom, times in monomial.factors.items():
            if not isinstance(atom, form.Applied) or atom.function is not form.Function.EXP or times < 0:
                return None
            result = result + atom.argument * times
    return result


def exp(value: form.Quantity) -> form.Quantity:
    """The exponential function: a product over the terms of the argument."""
    if value.is_infinite:
        return form.INFINITY
    exponents: dict[form.Atom, Number] = {}
    result = form.ONE
    for monomial, coefficient in value.terms.items():
        term, times = form.Quantity({monomial: 1}), tidy_exponent(coefficient)
        above_one, above_zero = _argument(term, form.Function.LOG), _argument(term, form.Function.LOG1P)
        if above_one is not None:
            result = result * power(maximum(above_one, form.ONE), times)
        elif above_zero is not None:
            result = result * power(form.ONE + above_zero, times)
        else:
            exponents[form.applied(form.Function.EXP, term)] = times
    return settled({form.Monomial(exponents): 1}) * result


def expm1(value: form.Quantity) -> form.Quantity:
    """exp(value) − 1."""
    return _with_inverse(form.Function.EXPM1, form.Function.LOG1P, value)


def log1p(value: form.Quantity) -> form.Quantity:
    """log(1 + value)."""
    return _with_inverse(form.Function.LOG1P, form.Function.EXPM1, value)


def tanh(value: form.Quantity) -> form.Quantity:
    """The hyperbolic tangent."""
    if value.is_infinite:
        return form.ONE
    return form.ZERO if value.is_zero else atomic(form.applied(form.Function.TANH, value))


def _with_inverse(function: form.Function, inverse: form.Function, value: form.Quantity) -> form.Quantity:
    """A function that keeps 0 and ∞, and its inverse."""
    if not value.terms:
        return value
    inner = _argument(value, inverse)
    return atomic(form.applied(function, value)) if inner is None else inner


def _argument(value: form.Quantity, function: form.Function) -> form.Quantity | None:
    """x, where the value is ``function(x)`` by its form."""
    if len(value.terms) != 1:
        return None
    ((monomial, coefficient),) = value.terms.items()
    if coefficient != 1 or len(monomial.factors) != 1:
        return None
    ((atom, times),) = monomial.factors.items()
    return atom.argument if isinstance(atom, form.Applied) and atom.function is function and times == 1 else None
