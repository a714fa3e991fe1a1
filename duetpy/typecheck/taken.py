"""Where a parameter of a privacy function comes from if a call leaves it out: see `duetpy.typecheck.open_ranges`."""

from __future__ import annotations

from enum import Enum, auto

from attrs import frozen

from duetpy.by_value import ByValue


class Said(Enum):
    """What a range [a, b] says."""

    LOW = auto()
    """a"""
    WIDTH = auto()
    """b − a"""
    STEP = auto()
    """(b − a)/k"""
    MOST = auto()
    """the larger one of |a| and |b|"""


@frozen(eq=False, repr=False)
class Taken(ByValue):
    """Where a parameter that a call leaves out comes from.

    Parameters
    ----------
    column
        The place of the parameter in whose type the range stands.
    said
        What of it.
    count
        The place of k.
    """

    column: int
    said: Said
    count: int | None = None
