"""What a run costs the people in its data, in numbers.

A privacy unit is one row of what a parameter, or a group of aligned parameters, is bound to. Rows of one file are one person
each: units that are bound to the same file are one person's, and their costs are combined as for one change that moves
several inputs at once (`duetpy.typecheck.cost.together`). Different files are different people, and the total is the largest.
Nothing shows whose data a table or a value in memory is, or what comes through a pipe: it may be a copy, a view or a mapping of
any other input, and libraries decide which, sometimes by a cell. So it counts as data about the same people as every other input.

A price is for one step of a unit, and one change of a person may be several: one for each part of a pair that holds the person's
rows, and two of a table of unknown size where something else of the same people can only be replaced: a row of a table whose
number of rows is fixed, a single value, a set. Then their row is replaced too, so that one row goes and another one comes. A fixed
number of rows is public, and the report shows it, so this holds of a table that costs nothing too.
"""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

from attrs import Factory, evolve, field, frozen

from duetpy.accounting.certify import DEFAULT_DELTA, tight
from duetpy.accounting.figures import figure
from duetpy.accounting.price import Refusal, numbers
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.release import Paid
from duetpy.runtime.sources.column_selection import DataArgument
from duetpy.runtime.sources.elements import holds_sides
from duetpy.runtime.sources.files import Mark, Opened, opened, passed
from duetpy.runtime.sources.given import halves_of, side_of
from duetpy.runtime.sources.looks import path_of
from duetpy.runtime.sources.persons import PersonsData
from duetpy.runtime.sources.problems import STANDARD_INPUT, shown_origin
from duetpy.runtime.sources.registry import is_source
from duetpy.runtime.values.statics import BROKEN
from duetpy.settings import DataFile
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.conditions import Promise
from duetpy.typecheck.cost import Cost, NonPrivate, Zero, choice, is_free, together
from duetpy.typecheck.neighbours import ADD_REMOVE, PERSONS, REPLACE, REPLACE_PERSON, has_rows, neighbours, relation
from duetpy.typecheck.notions import ORDERS, Notion
from duetpy.typecheck.persons import Persons, persons_of
from duetpy.typecheck.quantity import KindVar, Quantity
from duetpy.typecheck.units import units_of

IN_THE_CLEAR = "D0701"
NO_PRICE = "D0704"
NO_GUARANTEE = "D0590"

REPLACED = {ADD_REMOVE: REPLACE, PERSONS: REPLACE_PERSON}
"""How neighbours differ in a table of unknown size where one row, or one person, goes and another one comes."""

Values = Mapping[KindVar, Fraction]


@frozen(eq=False, repr=False)
class Source:
    """Where the rows of a parameter come from.

    Parameters
    ----------
    name
        What readers call it.
    file
        The mark of a file, or of a source with an identity; None of what is in memory or comes through a pipe.
    memory
        The object that the caller gave, or one of its own if that may be another caller's too; None of a file.
    place
        What it is called in every run, wherever that begins: the path of a file is whole and has no links in it.
    """

    name: str
    file: tuple[Hashable, ...] | None
    memory: object = None
    place: str = field(default=Factory(lambda self: self.name, takes_self=True), kw_only=True)

    def may_share(self, other: Source) -> bool:
        """Whether two sources may hold rows of the same people."""
        return self.file is None or other.file is None or self.is_one(other)

    def is_one(self, other: Source) -> bool:
        """Whether two sources are certainly one: the same file, or the same object."""
        if self.file is None or other.file is None:
            return self.file is other.file and self.memory is other.memory
        # All of a file holds each of its tables.
        return all(one == another for one, another in zip(self.file, other.file, strict=False))


@frozen(eq=False, repr=False)
class Part:
    """What a change can move by itself: a parameter, or a part of a pair.

    Parameters
    ----------
    type, sources
        Its type, and where it comes from.
    sides
        What moves in one step: of a pair of which the larger distance counts, the parts of each side; of what is a single value,
        its parts.
    """

    type: t.Type
    sources: tuple[Source, ...]
    sides: tuple[tuple[Part, ...], ...] = ()

    def shares(self, other: Part) -> bool:
        return any(one.may_share(another) for one in self.sources for another in other.sources)

    def of_fixed_size(self) -> Iterator[Part]:
        """The tables in it with a fixed number of rows: of those who are in one a row is replaced. If it may be on either side of a
        private sum, none: which one it is on is not shown."""
        if isinstance(self.type, t.Matrix) and self.type.rows is not None:
            yield self
        elif not (isinstance(self.type, t.Disc) and holds_sides(self.type)):
            for part in chain(*self.sides):
                yield from part.of_fixed_size()

    def single(self) -> Iterator[Part]:
        """What moves by itself in it."""
        if isinstance(self.type, t.With):
            for part in chain(*self.sides):
                yield from part.single()
        else:
            yield self

    @property
    def only_replaced(self) -> bool:
        """Whether nothing can be added to what moves by itself, or removed from it."""
        return not isinstance(self.type, t.StaticNat | t.StaticReal) and not self._is_of_any_size

    @property
    def _is_of_any_size(self) -> bool:
        return isinstance(self.type, t.Matrix) and self.type.rows is None

    def is_replaced(self, fixed: Sequence[Part]) -> bool:
        """Whether a change replaces a row of a table of unknown size, as it does in what is `fixed`."""
        return any(part._is_of_any_size and any(map(part.shares, fixed)) for part in self.single())

    def relation(self, fixed: Sequence[Part]) -> str:
        """How neighbours differ in it."""
        return relation(
            REPLACED.get(own, own) if single.is_replaced(fixed) else own
            for single in self.single()
            for own in ([] if isinstance(single.type, t.StaticNat | t.StaticReal) else [neighbours(single.type)])
        )

    def steps(self, fixed: Sequence[Part]) -> int:
        """How many steps one change of one person is: a row that is replaced leaves a table of unknown size and enters it."""
        match self.type:
            case t.StaticNat() | t.StaticReal():
                return 0
            case t.With():
                return max(_most_steps(side, fixed) for side in self.sides)
            case _:
                return 2 if self.is_replaced(fixed) else 1


def parts_of(name: str, value: object, type_: t.Type) -> Iterator[Part]:
    """The parts of a parameter: one, or those of a pair of which the distances add."""
    match type_:
        case t.Product(left, right):
            first, second = halves_of(value)
            yield from parts_of(name, first, left)
            yield from parts_of(name, second, right)
        case t.With(left, right):
            first, second = halves_of(value)
            sides = tuple(parts_of(name, first, left)), tuple(parts_of(name, second, right))
            yield Part(type_, tuple(_all_sources(part for side in sides for part in side)), sides)
        case t.Sum(left, right):
            side, held = side_of(value)
            yield from parts_of(name, held, left if side == "inl" else right)
        case t.Box(_, inner):
            yield from parts_of(name, value, inner)
        case t.Disc(inner):
            own = tuple(parts_of(name, value, inner))
            yield Part(type_, tuple(_all_sources(own)), (own,))
        case _:
            yield Part(type_, tuple(_sources(name, value, type_)))


def _all_sources(parts: Iterable[Part]) -> Iterator[Source]:
    return (source for part in parts for source in part.sources)


def sources_of(name: str, value: object, type_: t.Type) -> Iterator[Source]:
    """The sources of the rows of a parameter."""
    return sources_of_rows(parts_of(name, value, type_))


def sources_of_rows(parts: Iterable[Part]) -> Iterator[Source]:
    """The sources of tables and sets, without those of single values: whoever gives True or 1 gives the same object."""
    for part in parts:
        yield from sources_of_rows(chain(*part.sides))
        if not part.sides and has_rows(part.type):
            yield from part.sources


def _sources(name: str, value: object, type_: t.Type) -> Iterator[Source]:
    """The sources of a part.

    A text names a file where a table is wanted. Elsewhere it is somebody's, and is neither looked for nor shown.
    """
    match type_, value:
        case (_, PersonsData()):
            for file, own in value.files.items():
                yield from _sources(file, own, type_)
        case (_, DataArgument() | DataFile()):
            yield from _named(path_of(value.path))
        case (t.Matrix(), str() | os.PathLike()):
            yield from _named(path_of(value))
        case (t.Matrix() | t.SetOf(), _) if is_source(value):
            source = passed(value, visible(name))
            yield from _marked(name, source, source.marks)
        case _:
            # Of small numbers, short texts and empty tuples Python may keep one object, whoever gives it.
            is_known = (
                has_rows(type_)
                and not isinstance(value, str)
                and not (isinstance(value, tuple | frozenset) and not value)
            )
            yield Source(name, None, value if is_known else object())


def sources_by_file(value: object, type_: t.Type) -> Iterator[tuple[str, Source, str]]:
    """Of a table of persons, each file with its sources and the column of identifiers in it."""
    if isinstance(value, PersonsData):
        for file, own in value.files.items():
            for source in _sources(file, own, type_):
                yield file, source, value.columns[file]


def _named(name: str) -> Iterator[Source]:
    """Whose people the rows of a source with a name are: nothing shows it of a pipe. What cannot be looked at is refused when it is
    read."""
    source = opened(name)
    try:
        marks = source.marks
    except (OSError, ValueError):
        marks = ()
    if not marks:
        yield Source(shown_origin(name), None, STANDARD_INPUT if name == STANDARD_INPUT else name)
    yield from _marked(shown_origin(source.name), source, marks)


def _marked(name: str, source: Opened, marks: Iterable[Mark]) -> Iterator[Source]:
    """One for each mark of a source. The number of a file, with which its mark begins, changes when the file is written
    again, so its place is its path; other marks are the same in every run."""
    for mark in marks:
        place = mark
        if isinstance(mark[0], int):
            file = source.files[0]
            place = (os.path.realpath("/dev/stdin" if file == STANDARD_INPUT else file), *mark[2:])
        yield Source(name, mark, place=repr(place))


@frozen(eq=False, repr=False)
class Unit:
    """A privacy unit: the parameters that one change moves, the parts of each, and what they cost.

    Parameters
    ----------
    parameters, parts
        The parameters, and for each of them its parts.
    cost
        The cost of one step.
    fixed
        The parts of the run of which something can only be replaced.
    """

    parameters: tuple[t.PrivateParameter, ...]
    parts: tuple[tuple[Part, ...], ...]
    cost: Cost
    fixed: tuple[Part, ...] = ()

    @property
    def sources(self) -> tuple[Source, ...]:
        return tuple(_all_sources(part for parts in self.parts for part in parts))

    @property
    def steps(self) -> int:
        """How many steps one change of one person is. The parameters make theirs together."""
        return max(_most_steps(parts, self.fixed) for parts in self.parts)

    @property
    def paid(self) -> Cost:
        """The cost of one change of one person."""
        return costs.group(Quantity.of(self.steps), self.cost)

    @property
    def names(self) -> str:
        return "+".join(visible(parameter.name) for parameter in self.parameters)

    @property
    def persons(self) -> Persons | None:
        """Of a table of persons, what it consists of."""
        return persons_of(self.parameters[0].type)

    @property
    def has_rows(self) -> bool:
        return any(has_rows(parameter.type) for parameter in self.parameters)

    def shares(self, other: Unit) -> bool:
        return any(one.may_share(another) for one in self.sources for another in other.sources)


def _most_steps(parts: Sequence[Part], fixed: Sequence[Part]) -> int:
    """The steps of a change in all parts that belong to the same people: no fewer than 1."""
    together: list[list[Part]] = []
    for part in parts:
        same = [others for others in together if any(part.shares(other) for other in others)]
        together = [others for others in together if others not in same]
        together.append([other for others in same for other in others] + [part])
    return max(1, *(sum(part.steps(fixed) for part in others) for others in together))


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


def only_replaced(units: Iterable[Unit]) -> tuple[Part, ...]:
    """What nothing can be added to or removed from.

    Of what costs nothing only a fixed number of rows is shown. That of persons on a roster is the roster's, so that it reveals
    nobody's rows.
    """
    found: list[Part] = []
    for unit in units:
        parts = [part for parts in unit.parts for part in parts]
        if not isinstance(unit.cost, Zero):
            found += [single for part in parts for single in part.single() if single.only_replaced]
        elif unit.persons is None:
            found += [table for part in parts for table in part.of_fixed_size()]
    return tuple(found)


def joint(group: Sequence[Unit]) -> Cost:
    """What one change of these people costs."""
    return together(unit.paid for unit in group)


def joint_promises(promises: Sequence[Promise], function: t.PFun, units: Sequence[Unit]) -> list[Promise]:
    """The promises of the program itself, made to people with rows in several of its units."""
    paid = [unit.cost for unit in units_of(function.parameters)]
    own = [each for each in promises if [cost for _, cost in each.units] == paid]
    protected = [unit for unit in units if not isinstance(unit.cost, Zero)]
    more = [each for each in people(protected) if len(each) > 1 or each[0].steps > 1]
    paying = tuple((" and ".join(unit.names for unit in each), joint(each)) for each in more)
    return [evolve(each, units=paying) for each in own] if paying else []


def paid_by(units: Sequence[Unit]) -> tuple[Paid, ...]:
    """What one change of one person costs the people in the data."""
    groups = people([unit for unit in units if not isinstance(unit.cost, Zero)])
    return tuple([Paid(_names(group), _relation_of(group), joint(group)) for group in groups])


def _names(group: Iterable[Unit]) -> tuple[str, ...]:
    return tuple([parameter.name for unit in group for parameter in unit.parameters])


def _relation_of(group: Sequence[Unit]) -> str:
    return relation(each for unit in group for each in _relations(unit))


def privacy(units: Sequence[Unit], notion: Notion, values: Values, delta: Fraction | None) -> dict[str, Any]:
    """The object under ``privacy`` in ``run --format json``; raises `DuetError` where a cost has no price."""
    protected = [unit for unit in units if not isinstance(unit.cost, Zero)]
    groups = people(protected)
    paid = [joint(group) for group in groups]
    refuse_unproved([*paid, choice(paid)], notion, values)
    for group, cost in zip(groups, paid, strict=True):
        _number(cost, notion, values, group)
    total = _number(choice(paid), notion, values, protected)
    entries = [_entries(unit, notion, values, delta) for unit in protected]
    certified = entries[0][0]["tight"] if len(entries) == 1 else _tight(choice(paid), values, delta, total)
    return {
        **whom(units),
        "neighbours": relation(entry["neighbours"] for unit in entries for entry in unit),
        "parameters": [entry for unit in entries for entry in unit],
        "total": {"notion": notion.value, **total},
        "tight": dict(certified),
    }


def whom(units: Sequence[Unit]) -> dict[str, Any]:
    """Whom a run protects, by the files that it was given; of tables of persons, with the files in which all rows of a person are
    protected together."""
    protected = [unit for unit in units if not isinstance(unit.cost, Zero)]
    found = [visible(source.name) for unit in protected if unit.persons is not None for source in unit.sources]
    files = {"files": list(dict.fromkeys(found))} if found else {}
    return {"unit": " or ".join(_described(group) for group in people(protected)), **files}


def unprotected(stated: Mapping[str, Any]) -> dict[str, Any]:
    """The object under ``privacy`` where noise was reproducible or left out: whom it is about, and no number that could be taken
    for a protection."""
    files = {"files": stated["files"]} if "files" in stated else {}
    return {"protected": False, "unit": stated["unit"], "neighbours": stated["neighbours"], **files}


def _entries(unit: Unit, notion: Notion, values: Values, delta: Fraction | None) -> list[dict[str, Any]]:
    """What one change of one person costs each parameter of a unit; aligned parameters share one cost."""
    value = _number(unit.paid, notion, values, [unit])
    certified = _tight(unit.paid, values, delta, value)
    return [
        {"name": parameter.name, "neighbours": neighbours, "value": dict(value), "tight": dict(certified)}
        for parameter, neighbours in zip(unit.parameters, _relations(unit), strict=True)
    ]


def refuse_unproved(costs: Iterable[Cost], notion: Notion, values: Values) -> None:
    """Raise `DuetError` with everything that the prices rest on and that the actual numbers do not prove, and for a δ at which they
    guarantee nothing."""
    found = [numbers(cost, notion, values) for cost in costs]
    unproved = [premise for each in found if isinstance(each, Refusal) for premise in each.premises]
    told = dict.fromkeys(f"a side condition is not proved: {premise.show()} ({premise.why})" for premise in unproved)
    if told:
        raise DuetError(
            [Diagnostic(BROKEN, message, help="choose numbers that satisfy the condition") for message in told]
        )
    delta = max((each.get("delta") or 0.0 for each in found if not isinstance(each, Refusal)), default=0.0)
    if delta >= 1.0:
        note = "releasing all data in the clear is (0, 1)-private too"
        help = "use a smaller δ, or fewer iterations"
        message = f"no guarantee: δ reaches {figure(delta)}"
        raise DuetError((Diagnostic(NO_GUARANTEE, message, notes=(note,), help=help),))


def _number(cost: Cost, notion: Notion, values: Values, units: Sequence[Unit]) -> dict[str, float | None]:
    found = numbers(cost, notion, values)
    names = " and ".join(unit.names for unit in units)
    if isinstance(found, Refusal) and found.premises:
        refuse_unproved([cost], notion, values)
    if isinstance(found, Refusal):
        aligned = "declare parameters with the same rows as aligned: ⟨xs : …, ys : …⟩"
        help = f"{aligned}; give data about different people as different files" if len(units) > 1 else ""
        message = f"the combined cost of {names} is not known in this notion"
        raise DuetError((Diagnostic(NO_PRICE, message, notes=(found.reason,), help=help),))
    if any(number is None for key, number in found.items() if key not in ORDERS):
        message = f"with these numbers the program does not protect {names}"
        raise DuetError((Diagnostic(IN_THE_CLEAR, message, help="choose numbers for which its cost is finite"),))
    return found


def _tight(
    cost: Cost, values: Values, delta: Fraction | None, value: Mapping[str, float | None]
) -> dict[str, float | None]:
    """The certified (ε, δ) at the given δ, else the cost's own, else 1e-6; what spends nothing has a δ of 0."""
    if is_free(cost):
        return {"epsilon": 0.0, "delta": 0.0}
    if delta is None:
        own = value.get("delta")
        delta = Fraction(repr(own)) if own else DEFAULT_DELTA
    bound = tight(cost, values, delta)
    return {"epsilon": None if bound.epsilon == float("inf") else bound.epsilon, "delta": bound.delta}


def _described(group: Iterable[Unit]) -> str:
    """``one row of x.csv``, with the parameters' names where several share it; single values have no rows."""
    units = list(group)
    persons = next((unit.persons for unit in units if unit.persons is not None), None)
    sources = list(dict.fromkeys(visible(source.name) for unit in units for source in unit.sources))
    joined = " and ".join(sources)
    if persons is not None:
        joined = f"one `{visible(persons.identifier.name or '')}` with all their rows in {', '.join(sources)}"
    elif any(unit.has_rows for unit in units):
        joined = f"one row of {joined}"
    return joined if len(units) == 1 else f"{joined} ({', '.join(unit.names for unit in units)} together)"


def _relations(unit: Unit) -> list[str]:
    """How neighbours differ in each parameter: not by an added or removed row if each change replaces one."""
    return [
        relation(part.relation(unit.fixed) for part in parts)
        if any(part.is_replaced(unit.fixed) for part in parts)
        else neighbours(parameter.type)
        for parts, parameter in zip(unit.parts, unit.parameters, strict=True)
    ]
