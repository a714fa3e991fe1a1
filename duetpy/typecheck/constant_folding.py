"""Arithmetic on static numbers: the result is static too, as far as its value and sign are known."""

from __future__ import annotations

from collections.abc import Callable

from duetpy.typecheck.quantity import ONE, Quantity, Signed, log, log_is_safe, maximum, minimum
from duetpy.typecheck.types import NAT, REAL, Idx, Nat, Real, StaticNat, StaticReal, Type


def fold(operation: str, args: tuple[Type, ...]) -> Type | None:
    """The type of an operation on static arguments; None if this table does not cover it."""
    match operation, args:
        case "product", (StaticReal(Signed(_, zero)), Real()) | (Real(), StaticReal(Signed(_, zero))) if zero.is_zero:
            return StaticReal(Signed(False, zero))
        case "product", (StaticNat(zero), Nat()) | (Nat(), StaticNat(zero)) if zero.is_zero:
            return StaticNat(zero)
        case "ordinary", (StaticNat() | Idx(),):
            return NAT
        case "ordinary", (StaticReal(),):
            return REAL
        case "embedded", (StaticNat(value),):
            return StaticReal(Signed(False, value))
        case "magnitude", (StaticReal(value),):
            return StaticReal(Signed(False, value.magnitude))
        case "root", (StaticReal(Signed(False, value)),):
            return StaticReal(Signed(False, value.sqrt()))
        case "logarithm", (StaticReal(Signed(False, value)),):
            return _logarithm(value)
        case _, (StaticNat(a), StaticNat(b)) if operation in _NATURAL:
            return StaticNat(_NATURAL[operation](a, b))
        case "difference", (StaticNat(a), StaticNat(b)):
            return _natural_difference(a, b)
        case "remainder", (StaticNat(a), StaticNat(b)) if a.constant is not None and b.constant:
            return StaticNat(Quantity.of(a.constant % b.constant))
        case (("larger" | "smaller"), (StaticReal(a), StaticReal(b))):
            return _extremum(operation, a, b)
        case _, (StaticReal(a), StaticReal(b)) if operation in _REAL:
            if operation == "quotient" and not b.magnitude.positive():
                return REAL
            result = _REAL[operation](a, b)
            return REAL if result is None else StaticReal(result)
        case _:
            return None


_NATURAL: dict[str, Callable[[Quantity, Quantity], Quantity]] = {
    "sum": lambda a, b: a + b,
    "product": lambda a, b: a * b,
    "larger": maximum,
    "smaller": minimum,
}

_REAL: dict[str, Callable[[Signed, Signed], Signed | None]] = {
    "sum": lambda a, b: a + b,
    "difference": lambda a, b: a - b,
    "product": lambda a, b: a * b,
    "quotient": lambda a, b: a / b,
}


def _logarithm(value: Quantity) -> Type:
    """log η is static where η ≥ 1 or η ≤ 1 is proved; elsewhere its sign is unknown and it is a plain real."""
    if log_is_safe(value):
        return StaticReal(Signed(False, log(value)))
    if value.positive() and value.leq(ONE):
        return StaticReal(Signed(True, log(ONE / value)))
    return REAL


def _natural_difference(a: Quantity, b: Quantity) -> Type:
    """ℕ has no negative numbers: the difference stops at 0."""
    if a.leq(b):
        return StaticNat(Quantity.of(0))
    difference = Signed(False, a) - Signed(False, b)
    return NAT if difference is None or difference.negative else StaticNat(difference.magnitude)


def _extremum(operation: str, a: Signed, b: Signed) -> Type:
    if not a.negative and not b.negative:
        pick = maximum if operation == "larger" else minimum
        return StaticReal(Signed(False, pick(a.magnitude, b.magnitude)))
    if a.leq(b):
        return StaticReal(b if operation == "larger" else a)
    if b.leq(a):
        return StaticReal(a if operation == "larger" else b)
    return REAL
