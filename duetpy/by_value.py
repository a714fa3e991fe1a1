"""What classes of attrs share: equality, hashing and a text by what an object holds, each written once.

attrs would write these methods again for each class and compile them whenever the program starts, which takes longer than all
their calls in a short run. A class that says ``@frozen(eq=False, repr=False)`` and is derived from `ByValue` inherits equivalent
methods, and its fields may have the same options as with attrs: ``eq=False``, ``repr=False``.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from attrs import fields

_SHOWN: dict[type[Any], tuple[str, ...]] = {}
_HELD: dict[type[Any], Callable[[Any], object]] = {}


class Shown:
    """Shows what an object holds: ``Label(span=…, text='here')``."""

    __slots__ = ()

    def __repr__(self) -> str:
        cls: type[Any] = type(self)
        names = _SHOWN.get(cls)
        if names is None:
            names = _SHOWN[cls] = tuple(each.name for each in fields(cls) if each.repr)
        held = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        return f"{cls.__qualname__.rpartition('>.')[2]}({held})"


class ByValue(Shown):
    """Is what it holds: two objects of one class are equal if what they hold is."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        cls = self.__class__
        if other.__class__ is not cls:
            return NotImplemented
        held = _HELD.get(cls) or _held_by(cls)
        return held(self) == held(other)

    def __hash__(self) -> int:
        cls = self.__class__
        # By the name of the class: its address differs from run to run, and with it the order of a set would.
        return hash((cls.__qualname__, (_HELD.get(cls) or _held_by(cls))(self)))


def _held_by(cls: type[Any]) -> Callable[[Any], object]:
    """What an object of a class holds that counts for equality: the one thing, or a tuple."""
    names = [each.name for each in fields(cls) if each.eq]
    found: Callable[[Any], object] = attrgetter(*names) if names else _nothing
    _HELD[cls] = found
    return found


def _nothing(_: object) -> None:
    return None
