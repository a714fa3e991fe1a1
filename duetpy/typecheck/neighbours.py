"""How neighbouring inputs differ: the relation that a guarantee is about.

A guarantee is about a step of 1 in the distance of a type. Where that is as much as any row can make by being replaced, or by
coming or going, it is said so; where a row can make more, as an unclipped real row can, nothing but the step itself may be said.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from duetpy.typecheck.quantity import ONE
from duetpy.typecheck.types import (
    Bool,
    Disc,
    Matrix,
    Product,
    SetOf,
    StaticNat,
    StaticReal,
    Str,
    Type,
    With,
    children,
    counts_rows,
    diameter,
    norm_factor,
)

REPLACE, ADD_REMOVE, STEP, MIXED = "replace-one", "add-remove", "step", "mixed"


def neighbours(type_: Type) -> str:
    """How two neighbouring values of a type differ."""
    found = set()
    pending = [type_]
    while pending:
        here = pending.pop()
        match here:
            case Matrix():
                found.add(_of_rows(here))
            case Disc() | SetOf() | Bool() | Str():
                found.add(REPLACE)
            case StaticNat() | StaticReal():
                pass  # one value
            case Product() | With():
                pending.extend(children(here))
            case _:
                # A number, an index or a function may be replaced by one that is further away; the parts of a sum are
                # infinitely far from each other.
                found.add(STEP)
    return relation(found)


def _of_rows(table: Matrix) -> str:
    if table.rows is not None:
        return REPLACE if diameter(evolve(table, rows=ONE)).leq(ONE) else STEP
    if counts_rows(table):
        return ADD_REMOVE
    # A real row more is as far as it is long.
    clip = table.clip
    short = clip is not None and (norm_factor(clip.norm, table.norm, table.width) * clip.bound).leq(ONE)
    return ADD_REMOVE if short else STEP


def relation(relations: Iterable[str]) -> str:
    """The one relation of several inputs, or that they are mixed."""
    found = set(relations)
    return MIXED if len(found) > 1 else found.pop() if found else REPLACE
