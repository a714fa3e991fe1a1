"""What a run costs the people in its data, in numbers.

A privacy unit is one row of what a parameter, or a group of aligned parameters, is bound to. Rows of one file are one person
each: units that are bound to the same file are one person's, and their costs are combined as for one change that moves
several inputs at once (`duetpy.typecheck.cost.together`). Different files are different people, and the total is the largest. Of
plain values (numbers, texts, tuples) nothing tells whose they are: they count as one person's.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from numbers import Number
from typing import Any

import numpy as np
from attrs import evolve, frozen

from duetpy.accounting.certify import DEFAULT_DELTA, tight
from duetpy.accounting.price import Refusal, numbers
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.column_selection import DataArgument
from duetpy.runtime.sources.files import file_mark, opened, passed
from duetpy.runtime.sources.problems import shown_origin
from duetpy.runtime.sources.registry import is_source
from duetpy.runtime.values.statics import BROKEN
from duetpy.settings import DataFile
from duetpy.typecheck import types as t
from duetpy.typecheck.conditions import Promise
from duetpy.typecheck.cost import Cost, NonPrivate, Zero, choice, together
from duetpy.typecheck.neighbours import has_rows, neighbours, relation
from duetpy.typecheck.notions import ORDERS, Notion
from duetpy.typecheck.quantity import KindVar

IN_THE_CLEAR = "D0701"
NO_PRICE = "D0704"
NO_GUARANTEE = "D0590"

Values = Mapping[KindVar, Fraction]

#: Data whose identity says nothing: Python keeps equal ones once or twice as it likes. To tell them apart would tell whether
#: two private values are equal; so they may all be one person's.
VALUES = (Number, str, bytes, tuple, frozenset, np.generic, type(None))
PLAIN = object()
"""The source of every such value."""
ANYONES = "anyone's"
"""The mark of columns and tables of which nothing tells whose rows they are."""


@frozen(eq=False, repr=False)
class Source:
    """Where the rows of a parameter come from: a name for people, and what tells one source from another."""

    name: str
    file: tuple[Hashable, ...] | None
    memory: object | None

    def is_same(self, other: Source) -> bool:
        """Whether two sources may hold the same people's rows: one file, an array that is mapped from it, arrays that share memory,
        or plain values."""
        if self.file is not None and other.file is not None:
            # All of a file holds each of its tables.
            return all(one == another for one, another in zip(self.file, other.file, strict=False))
        for one, another in ((self, other), (other, self)):
            if one.file is not None:
                return one.file in marks(another.memory)
        if self.memory is other.memory or not marks(self.memory).isdisjoint(marks(other.memory)):
            return True
        return any(_is_one(one, other_) for one in held(self.memory) for other_ in held(other.memory))


def _is_one(one: object, another: object) -> bool:
    """Whether two parts of tables are the same, or views of the same."""
    if isinstance(one, np.ndarray) and isinstance(another, np.ndarray):
        return bool(np.may_share_memory(one, another))
    # The index of a data frame is made anew whenever it is asked for, and knows whether another one is a view of the same.
    is_view = getattr(one, "is_", None)
    return one is another or (callable(is_view) and type(one) is type(another) and bool(is_view(another)))


def marks(value: object) -> frozenset[Hashable]:
    """What two tables have in common where they hold the same rows: the row objects of a list, the array that theirs are views
    of, the file that is mapped into memory. Of objects that may stand for two people (tuples, a sign for what is missing)
    nothing is told: it would tell that two cells are equal. Columns and tables that do not show whose they are (those of Polars
    and of Arrow, tensors) have in common that they may be anyone's."""
    rows = value if isinstance(value, list) else held(value)
    found = frozenset(mark for row in rows for mark in _marks(row))
    columns = list(value.values()) if isinstance(value, Mapping) else [value]
    return found | {ANYONES} if any(map(_is_opaque, columns)) else found


def _is_opaque(value: object) -> bool:
    """Whether two tables of this kind can be parts of one and show nothing of it: no memory, no index, no rows."""
    if isinstance(value, (np.ndarray, np.generic, Mapping)) or _index(value):
        return False
    return any(hasattr(value, name) for name in ("__array__", "to_numpy", "column_names"))


def _marks(row: object) -> Iterator[Hashable]:
    if isinstance(row, (list, dict)):
        yield id(row)
    elif isinstance(row, np.ndarray) and row.ndim:
        while isinstance(base := row.base.obj if isinstance(row.base, memoryview) else row.base, np.ndarray):
            row = base
        yield id(row)
        if isinstance(row, np.memmap) and row.filename is not None:
            with suppress(OSError, ValueError):
                yield file_mark(os.stat(row.filename))


def held(value: object) -> list[object]:
    """The arrays and columns that a table in memory is made of, where they can be had without a copy of the rows."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, Mapping):
        return [part for column in value.values() for part in (column, *held(column))]
    if isinstance(value, (memoryview, array)):
        return [np.asarray(value)]
    columns, take = getattr(value, "columns", None), getattr(value, "__getitem__", None)
    if isinstance(columns, Iterable) and take is not None and hasattr(value, "to_numpy"):
        names = list(columns)
        # Of two columns of one name it would give a frame again.
        return [part for name in names if names.count(name) == 1 for part in held(take(name))] + _index(value)
    if hasattr(value, "__array__"):
        return [np.asarray(value), *_index(value)]
    return []


def _index(value: object) -> list[object]:
    """The object that names the rows of a data frame: its columns and the frames made of these have the same one."""
    index = getattr(value, "index", None)
    return [] if index is None or callable(index) else [index]


def sources_of(name: str, value: object, type_: t.Type) -> Iterator[Source]:
    """The sources of a parameter: one, or those of the parts of a pair.

    A text names a file where a table is wanted. Elsewhere it is somebody's, and is neither looked for nor told.
    """
    match type_, value:
        case (t.Disc(inner) | t.Box(_, inner), _):
            yield from sources_of(name, value, inner)
        case (t.Product(left, right) | t.With(left, right), [first, second]):
            yield from sources_of(name, first, left)
            yield from sources_of(name, second, right)
        case (t.Sum(left, right), (str() as side, inside)):
            yield from sources_of(name, inside, left if side == "inl" else right)
        case (_, DataArgument() | DataFile()):
            yield from _named(os.fspath(value.path))
        case (t.Matrix(), str() | os.PathLike()):
            yield from _named(os.fspath(value))
        case (t.Matrix() | t.SetOf(), _) if is_source(value):
            yield from (Source(name, mark, None) for mark in passed(value, visible(name)).marks)
        case (t.Matrix(), tuple()) if all(isinstance(row, (list, dict, np.ndarray)) for row in value):
            yield Source(name, None, list(value))
        case _:
            yield Source(name, None, PLAIN if isinstance(value, VALUES) else value)


def _named(name: str) -> Iterator[Source]:
    """Whose people the rows of a source with a name are. What cannot be looked at is refused when it is read."""
    source = opened(name)
    try:
        marks = source.marks
    except (OSError, ValueError):
        yield Source(name, None, name)
        return
    yield from (Source(shown_origin(source.name), mark, None) for mark in marks)


@frozen(eq=False, repr=False)
class Unit:
    """A privacy unit: the parameters that are views of the same rows, where these come from, and what they pay."""

    parameters: tuple[t.PrivateParameter, ...]
    sources: tuple[Source, ...]

    @property
    def cost(self) -> Cost:
        return self.parameters[0].cost

    @property
    def names(self) -> str:
        return "+".join(visible(parameter.name) for parameter in self.parameters)

    def shares(self, other: Unit) -> bool:
        return any(one.is_same(another) for one in self.sources for another in other.sources)


def refuse_in_the_clear(unit: Unit) -> None:
    """Data may only be given to a parameter that the program protects; raises `DuetError`."""
    if isinstance(unit.cost, NonPrivate):
        reason = (f"it {unit.cost.reason}",) if unit.cost.reason else ()
        raise DuetError(
            (
                Diagnostic(
                    IN_THE_CLEAR,
                    f"the program releases {unit.names} in the clear",
                    notes=reason,
                    help="release it through a mechanism; or, if it is public, give it with --set",
                ),
            )
        )


def people(units: Sequence[Unit]) -> list[list[Unit]]:
    """The units by the people that they belong to: those that share a source, directly or through others."""
    groups: list[list[Unit]] = []
    for unit in units:
        same = [group for group in groups if any(unit.shares(other) for other in group)]
        groups = [group for group in groups if group not in same]
        groups.append([other for group in same for other in group] + [unit])
    return groups


def joint_promises(promises: Sequence[Promise], function: t.PFun, units: Sequence[Unit]) -> list[Promise]:
    """The promises of the program itself, made to people whose rows stand behind several of its units."""
    paid = {parameter.unit: parameter.cost for parameter in function.parameters}
    own = [each for each in promises if [cost for _, cost in each.units] == [*paid.values()]]
    protected = [unit for unit in units if not isinstance(unit.cost, Zero)]
    shared = [group for group in people(protected) if len(group) > 1]
    joint = tuple((" and ".join(u.names for u in group), together(u.cost for u in group)) for group in shared)
    return [evolve(each, units=joint) for each in own] if joint else []


def privacy(units: Sequence[Unit], notion: Notion, values: Values, delta: Fraction | None) -> dict[str, Any]:
    """The object under ``privacy`` in ``run --format json``; raises `DuetError` where a cost has no price."""
    protected = [unit for unit in units if not isinstance(unit.cost, Zero)]
    groups = people(protected)
    joint = [together(unit.cost for unit in group) for group in groups]
    refuse_unproved(joint, notion, values)
    for group, cost in zip(groups, joint, strict=True):
        _number(cost, notion, values, group)
    total = _number(choice(joint), notion, values, protected)
    entries = [_entries(unit, notion, values, delta) for unit in protected]
    certified = entries[0][0]["tight"] if len(entries) == 1 else _tight(choice(joint), values, delta, total)
    return {
        "unit": " or ".join(_described(group) for group in groups),
        "neighbours": relation_of(protected),
        "parameters": [entry for unit in entries for entry in unit],
        "total": {"notion": notion.value, **total},
        "tight": dict(certified),
    }


def unprotected(stated: Mapping[str, Any]) -> dict[str, Any]:
    """The object under ``privacy`` where noise was reproducible or left out: whom it is about, and no number that could be taken
    for a protection."""
    return {"protected": False, "unit": stated["unit"], "neighbours": stated["neighbours"]}


def _entries(unit: Unit, notion: Notion, values: Values, delta: Fraction | None) -> list[dict[str, Any]]:
    """What each parameter of a unit pays: aligned ones the same, once."""
    value = _number(unit.cost, notion, values, [unit])
    certified = _tight(unit.cost, values, delta, value)
    return [
        {
            "name": parameter.name,
            "neighbours": neighbours(parameter.type),
            "value": dict(value),
            "tight": dict(certified),
        }
        for parameter in unit.parameters
    ]


def refuse_unproved(costs: Iterable[Cost], notion: Notion, values: Values) -> None:
    """Raise `DuetError` with everything that the prices rest on and that the actual numbers do not prove."""
    found = [numbers(cost, notion, values) for cost in costs]
    unproved = [premise for each in found if isinstance(each, Refusal) for premise in each.premises]
    told = dict.fromkeys(f"{premise.why}: {premise.show()} is not certain" for premise in unproved)
    if told:
        raise DuetError([Diagnostic(BROKEN, message) for message in told])


def _number(cost: Cost, notion: Notion, values: Values, units: Sequence[Unit]) -> dict[str, float | None]:
    found = numbers(cost, notion, values)
    names = " and ".join(unit.names for unit in units)
    if isinstance(found, Refusal) and found.premises:
        refuse_unproved([cost], notion, values)
    if isinstance(found, Refusal):
        help = "declare parameters that are bound to one file as aligned: ⟨xs : …, ys : …⟩" if len(units) > 1 else ""
        message = f"the combined cost of {names} is not known in this notion"
        raise DuetError((Diagnostic(NO_PRICE, message, notes=(found.reason,), help=help),))
    if any(number is None for key, number in found.items() if key not in ORDERS):
        raise DuetError((Diagnostic(IN_THE_CLEAR, f"with these numbers the program does not protect {names}"),))
    delta = found.get("delta")
    if delta is not None and delta >= 1.0:
        note = "releasing all data in the clear is (0, 1)-private too"
        help = "use a smaller δ, or fewer iterations"
        raise DuetError((Diagnostic(NO_GUARANTEE, f"no guarantee: δ reaches {delta:g}", notes=(note,), help=help),))
    return found


def _tight(
    cost: Cost, values: Values, delta: Fraction | None, value: Mapping[str, float | None]
) -> dict[str, float | None]:
    """The certified (ε, δ) at the given δ, else the cost's own, else 1e-6."""
    if delta is None:
        own = value.get("delta")
        delta = Fraction(own) if own else DEFAULT_DELTA
    bound = tight(cost, values, delta)
    return {"epsilon": None if bound.epsilon == float("inf") else bound.epsilon, "delta": bound.delta}


def _described(group: Iterable[Unit]) -> str:
    """``one row of x.csv``, with the parameters' names where several share it; single values have no rows."""
    units = list(group)
    sources = list(dict.fromkeys(visible(source.name) for unit in units for source in unit.sources))
    joined = " and ".join(sources)
    if any(has_rows(parameter.type) for unit in units for parameter in unit.parameters):
        joined = f"one row of {joined}"
    return joined if len(units) == 1 else f"{joined} ({', '.join(unit.names for unit in units)} together)"


def relation_of(units: Sequence[Unit]) -> str:
    """How neighbouring inputs of units differ."""
    return relation(neighbours(parameter.type) for unit in units for parameter in unit.parameters)
