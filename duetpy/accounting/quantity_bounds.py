"""A plain quantity that is at least a part of a price: for what needs one, such as the formula of a later step.

Whoever asks may use it wherever the part increases what comes of it.
"""

from __future__ import annotations

from duetpy.accounting.expressions import Closed, Named, Operation, Part
from duetpy.typecheck.quantity import ZERO, Quantity, QuantityTooLarge, maximum, minimum


def plain(part: Part) -> Quantity | None:
    """A quantity that is nowhere below a part: itself, or of an expression one that is known; None where none is.

    Operations are monotone, so an upper bound of theirs is the operation on upper bounds; of a minimum any operand will do.
    """
    if isinstance(part, Quantity):
        return part
    known = [plain(argument) for argument in part.arguments]
    bounds = [bound for bound in known if bound is not None]
    try:
        if part.operation is Operation.MINIMUM and bounds:
            return minimum(*bounds)
        return _combined(part, bounds) if len(bounds) == len(known) else None
    except QuantityTooLarge:
        return None


def _combined(part: Closed, bounds: list[Quantity]) -> Quantity | None:
    match part.operation:
        case Named(bound=bound, signs=signs):
            # An argument in which the function decreases may not be raised.
            ends = zip(signs, part.arguments, bounds, strict=True)
            is_upper = all(sign > 0 or argument is known for sign, argument, known in ends)
            return bound(*bounds) if bound is not None and is_upper else None
        case Operation.SUM:
            return sum(bounds, ZERO)
        case Operation.PRODUCT:
            found = bounds[0]
            for factor in bounds[1:]:
                found = found * factor
            return found
        case Operation.MAXIMUM | Operation.MINIMUM:
            return maximum(*bounds)
        case Operation.ROOT:
            return bounds[0].sqrt()
        case Operation.SQUARE:
            return bounds[0] * bounds[0]
