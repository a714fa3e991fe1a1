"""Which numbers are in a pair, where a run knows these to so many digits.

√8 and 2⋅√2 are one number and one type, so that a pair that holds one or the other does not move. A function that finds √a for
a = 8 has another last digit; so a run puts in the number that the type says wherever a pair is computed.
"""

from __future__ import annotations

from typing import TypeAlias

from duetpy.typecheck.types import Product, StaticReal, Type, With, children

Told: TypeAlias = "StaticReal | tuple[Told, Told] | None"
"""The types that say which numbers a pair has; None in the place of what is no such number."""


def told_by(types: tuple[Type, ...]) -> Told:
    """What all judgements of a pair agree on; None of what is no pair."""
    if not types or not all(isinstance(type_, Product | With) for type_ in types):
        return None
    left, right = (_told(tuple(dict.fromkeys(part))) for part in zip(*map(children, types), strict=True))
    return None if left is None and right is None else (left, right)


def _told(types: tuple[Type, ...]) -> Told:
    match types:
        case (StaticReal(number) as static,):
            return None if number.magnitude.is_rational() else static
        case _:
            return told_by(types)
