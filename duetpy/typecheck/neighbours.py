"""How neighbouring inputs differ: the relation that a guarantee is about."""

from __future__ import annotations

from collections.abc import Iterable

from duetpy.typecheck.types import Matrix, Type, children

REPLACE, ADD_REMOVE, MIXED = "replace-one", "add-remove", "mixed"


def neighbours(type_: Type) -> str:
    """How two neighbouring values of a type differ: rows of an unknown number come and go, anything else is replaced."""
    found = set()
    pending = [type_]
    while pending:
        here = pending.pop()
        if isinstance(here, Matrix) and here.rows is None:
            found.add(ADD_REMOVE)
        elif isinstance(here, Matrix):
            found.add(REPLACE)
        else:
            pending.extend(children(here))
    return relation(found)


def relation(relations: Iterable[str]) -> str:
    """The one relation of several inputs, or that they are mixed."""
    found = set(relations)
    return MIXED if len(found) > 1 else found.pop() if found else REPLACE
