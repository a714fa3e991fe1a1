"""How many rows of a person count, if a program sees persons through ``flat[k]`` only, as those that ``--persons`` makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from duetpy.diagnostics.display import visible
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.persons import persons_of
from duetpy.typecheck.quantity import Quantity, maximum

if TYPE_CHECKING:
    from duetpy.typecheck import core


def counted_rows(typed: Typed) -> Iterator[str]:
    """A sentence for each file of persons of which the program sees only a limited number of rows per person.

    Names are unique in the core, so that every use of a parameter is found by its name.
    """
    tables = typed.type.parameters if isinstance(typed.type, t.PFun) else ()
    if all(persons_of(parameter.type) is None for parameter in tables) or typed.core is None:
        return
    from duetpy.typecheck import core

    uses = [node.name for node in core.nodes(typed.core) if isinstance(node, core.Var)]
    flats = [node for node in core.nodes(typed.core) if isinstance(node, core.Flat)]
    for parameter in tables:
        persons = persons_of(parameter.type)
        if persons is None:
            continue
        seen = [_seen(node) for node in flats if isinstance(node.arg, core.Var) and node.arg.name == parameter.name]
        if len(seen) != uses.count(parameter.name) or any(count is None for _, count in seen):
            continue
        for file in persons.names:
            counts = [count for name, count in seen if name == file and count is not None]
            if counts:
                who = visible(persons.identifier.name or "")
                yield f"of each {who}, at most {maximum(*counts).show()} rows of {visible(file)} count"


def _seen(node: core.Flat) -> tuple[str, Quantity | None]:
    """The file of whose rows some are taken as they are, and how many of a person's; None where more is done with them before."""
    from duetpy.typecheck import core

    body, most = node.body, node.most.static
    is_whole = isinstance(body, core.Field) and isinstance(body.record, core.Var) and body.record.name == node.row
    if not is_whole or not isinstance(most, t.StaticNat):
        return "", None
    assert isinstance(body, core.Field)
    return body.name, most.value
