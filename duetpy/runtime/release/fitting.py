"""Whether a program fits into memory, with tables that are read again for each pass, of which a run holds some rows at a time.

Contract. A form counts as not kept only in the program itself: the functions that it calls may be given other tables as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from duetpy.depth import Levels
from duetpy.runtime.evaluation.passes import Program
from duetpy.runtime.release.amounts import evaluated
from duetpy.runtime.release.arguments import Arguments
from duetpy.runtime.release.footprint import footprint
from duetpy.runtime.sources.binding import stream_in
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.room import NUMBER_BYTES
from duetpy.runtime.values.statics import KindScope, check_obligations
from duetpy.runtime.values.values import MatrixValue, Value
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.capacity import cells_of
from duetpy.typecheck.check import Typed
from duetpy.typecheck.conditions import CELLS, Obligation


def _unkept_parameters(
    arguments: Arguments, kinds: KindScope, reading: Reading, bound: Mapping[str, Value]
) -> frozenset[str]:
    """The parameters whose tables are read again, or will be: because the user says so, or because they do not fit."""
    found: set[str] = set()
    for parameter in arguments.function.parameters:
        name, type_, value = parameter.name, parameter.type, bound.get(parameter.name)
        if value is not None:
            is_unkept = isinstance(value, MatrixValue) and value.is_streamed
        elif name in reading.streamable and isinstance(type_, t.Matrix):
            cells = evaluated(cells_of(type_), kinds) or 0
            is_large = reading.streams or NUMBER_BYTES * cells > reading.room.memory
            is_unkept = is_large and stream_in(arguments.data.get(name), type_, name, kinds, reading) is not None
        else:
            is_unkept = False
        if is_unkept:
            found.add(name)
    return frozenset(found)


def unkept_forms(root: core.Node, parameters: Collection[str]) -> frozenset[core.Node]:
    """The forms that hold rows of some parameters, outside of functions."""
    program = Program(root) if parameters else None
    if program is None or program.main is None:
        return frozenset()
    found: set[core.Node] = set()
    for at, parameter in enumerate(program.main.params):
        if parameter.written in parameters:
            found |= program.holding(at).forms
    inside: set[core.Node] = set()
    pending: list[core.Node] = [program.main.body]
    while pending:
        node = pending.pop()
        inside.add(node)
        pending += [child for child in core.children(node) if not isinstance(child, core.Lam | core.PLam)]
    return frozenset(found & inside)


def demanded(typed: Typed, forms: Collection[core.Node]) -> Iterable[Obligation]:
    """The side conditions of a program, except for the memory of some of its forms."""
    unkept = {form.span for form in forms}
    return [each for each in typed.obligations if each.span not in unkept or CELLS not in each.right.variables()]


def bodies_of(
    typed: Typed, arguments: Arguments, kinds: KindScope, reading: Reading, bound: Mapping[str, Value], *, some: bool
) -> dict[core.Node, int]:
    """How many bytes the bodies of a program hold at most.

    Parameters
    ----------
    typed, arguments, kinds, reading
        The program, and what it is run with.
    bound
        The tables, as far as they have been read.
    some
        Whether only some numbers are known; see `check_obligations`.

    Raises
    ------
    DuetError
        For a side condition that is broken, and where the program may hold more than the run may use.
    """
    unkept = unkept_forms(typed.core, _unkept_parameters(arguments, kinds, reading, bound))
    check_obligations(demanded(typed, unkept), kinds.numbers, reading.memory, some=some)
    with Levels(typed.height):
        return footprint(typed, kinds.numbers, arguments.function.kinds, reading.memory, unkept)
