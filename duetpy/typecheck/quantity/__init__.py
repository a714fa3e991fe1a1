"""Exact symbolic quantities: non-negative reals with 0 and ∞, their arithmetic and their order.

Sensitivities and privacy costs are quantities. Equality is equality of normal forms and :meth:`Quantity.leq` answers
True only for what is proved, so that a checker may rely on either. Everything is exact: no float enters before a value
is asked for, and then the direction of rounding is asked for too.
"""

from duetpy.typecheck.quantity import operations
from duetpy.typecheck.quantity.elementary import exp, expm1, log, log1p, log_is_safe, tanh
from duetpy.typecheck.quantity.extrema import maximum, minimum
from duetpy.typecheck.quantity.form import INFINITY, ONE, ZERO, Quantity, hand_in
from duetpy.typecheck.quantity.kinds import Kind, KindVar
from duetpy.typecheck.quantity.rational import OutsideDomain, QuantityError, QuantityTooLarge
from duetpy.typecheck.quantity.relation import Comparison, Order, Relation, decided
from duetpy.typecheck.quantity.signed import Signed
from duetpy.typecheck.quantity.substitution import admits
from duetpy.typecheck.quantity.whole import denominator

hand_in(operations)

__all__ = [
    "INFINITY",
    "ONE",
    "ZERO",
    "Comparison",
    "Kind",
    "KindVar",
    "Order",
    "OutsideDomain",
    "Quantity",
    "QuantityError",
    "QuantityTooLarge",
    "Relation",
    "Signed",
    "admits",
    "decided",
    "denominator",
    "exp",
    "expm1",
    "log",
    "log1p",
    "log_is_safe",
    "maximum",
    "minimum",
    "tanh",
]
