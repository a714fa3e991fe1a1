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

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

from attrs import evolve, frozen

from duetpy.accounting.certify import DEFAULT_DELTA, tight
from duetpy.accounting.figures import figure
from duetpy.accounting.price import Refusal, numbers
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.places import Grouped, Place, connected
from duetpy.runtime.release.release import Paid
from duetpy.runtime.release.whose_rows import Part, Source, all_sources, known, most_steps, move_at_once
from duetpy.runtime.values.statics import BROKEN
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.conditions import Promise
from duetpy.typecheck.cost import Cost, NonPrivate, Zero, choice, is_free, together
from duetpy.typecheck.neighbours import has_rows, neighbours, relation
from duetpy.typecheck.notions import ORDERS, Notion
from duetpy.typecheck.persons import Persons, persons_of
from duetpy.typecheck.quantity import KindVar, Quantity
from duetpy.typecheck.units import units_of

IN_THE_CLEAR = "D0701"
NO_PRICE = "D0704"
NO_GUARANTEE = "D0590"

Values = Mapping[KindVar, Fraction]


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
        return tuple(all_sources(part for parts in self.parts for part in parts))

    @property
    def steps(self) -> int:
        """How many steps one change of one person is. The parameters make theirs together."""
        return max(most_steps(parts, self.fixed) for parts in self.parts)

    @property
    def moves_at_once(self) -> bool:
        """Whether these are the steps of a change of everything in it: a pair may be of different people."""
        return all(map(move_at_once, self.parts))

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
                    help="release it through a mechanism; or, if it is public, give it with --set, or as duetpy.public(…)",
                ),
            )
        )


def people(units: Sequence[Unit]) -> list[list[Unit]]:
    """The units by the people that they belong to: those that share a source, directly or through others."""
    return connected(units, Unit.shares)


def of_aligned(units: Sequence[Unit]) -> list[Unit]:
    """The units, each of which knows the sources that are of the same people: a person with a row in one of two aligned tables has
    one in the other, wherever else their files are read. So a file that is aligned with a table in memory may be of anybody, and
    two such tables may make any two files of the same people. A file that has an identity is of the people of both."""
    aligned = [unit.sources for unit in units if len(unit.parameters) > 1]
    identified = [(source,) for unit in units for source in unit.sources if len(source.marks) > 1]
    groups = [list(chain(*same)) for same in connected([*aligned, *identified], _hold_one_file)]
    return [
        evolve(unit, parts=tuple([tuple([part.aligned(groups) for part in parts]) for parts in unit.parts]))
        for unit in units
    ]


def _hold_one_file(sources: Sequence[Source], others: Sequence[Source]) -> bool:
    return any(one.may_share(other) for one in known(sources) for other in known(others))


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


def paying(units: Iterable[Unit]) -> list[Unit]:
    """The units that cost something."""
    return [unit for unit in units if not isinstance(unit.cost, Zero)]


def by_people(units: Iterable[Unit]) -> Grouped:
    """The places of the rows for which a run is charged, those of the same people together: aligned tables hold them row by row,
    also where they cost nothing, all places of one file are of the same people, and other files are of different people. Empty of
    a single place, and of persons, who are known by their identifiers."""
    own = [unit for unit in units if unit.persons is None]
    together = [unit.sources for unit in own if len(unit.parameters) > 1]
    apart = [(source,) for unit in paying(own) if len(unit.parameters) == 1 for source in unit.sources]
    # By what is in both of two groups: a source that holds the people of two others does not make these the same people.
    found = connected([*apart, *together], _hold_one_mark)
    groups = tuple(sorted(places for same in found if (places := _places_of(list(chain(*same)))) != ((),)))
    return groups if sum(map(len, groups)) > 1 else ()


def _hold_one_mark(sources: Sequence[Source], others: Sequence[Source]) -> bool:
    """Whether two groups hold one file, under whatever name, or sources of one identity."""
    own, marks = ({mark for source in known(group) for mark in source.marks} for group in (sources, others))
    return not own.isdisjoint(marks)


def _places_of(sources: Sequence[Source]) -> tuple[Place, ...]:
    in_memory = {id(source.memory) for source in sources if not source.is_known}
    return ((),) * len(in_memory) + tuple(sorted({place for source in known(sources) for place in source.places}))


def joint(group: Sequence[Unit]) -> Cost:
    """What one change of these people costs."""
    return together(unit.paid for unit in group)


def joint_promises(promises: Sequence[Promise], function: t.PFun, units: Sequence[Unit]) -> list[Promise]:
    """The promises of the program itself, made to people with rows in several of its units."""
    paid = [unit.cost for unit in units_of(function.parameters)]
    own = [each for each in promises if [cost for _, cost in each.units] == paid]
    more = [each for each in people(paying(units)) if len(each) > 1 or each[0].steps > 1]
    paid_together = tuple((_in_all(each), joint(each)) for each in more)
    return [evolve(each, units=paid_together) for each in own] if more else []


def _in_all(group: Sequence[Unit]) -> str:
    names = " and ".join(unit.names for unit in group)
    return names if len(group) == 1 else f"a person in {names}"


def paid_by(units: Sequence[Unit]) -> tuple[Paid, ...]:
    """What one change of one person costs the people in the data."""
    return tuple([Paid(_names(group), _relation_of(group), joint(group)) for group in people(paying(units))])


def _names(group: Iterable[Unit]) -> tuple[str, ...]:
    return tuple([parameter.name for unit in group for parameter in unit.parameters])


def _relation_of(group: Sequence[Unit]) -> str:
    return relation(each for unit in group for each in _relations(unit))


def privacy(units: Sequence[Unit], notion: Notion, values: Values, delta: Fraction | None) -> dict[str, Any]:
    """The object under ``privacy`` in ``run --format json``; raises `DuetError` where a cost has no price."""
    protected = paying(units)
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
    protected = paying(units)
    found = _sources_of(unit for unit in protected if unit.persons is not None)
    files = {"files": found} if found else {}
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
    """``one row of x.csv``, with the parameters' names where several share it; single values have no rows. All rows of a
    person are protected, and next to persons one row of any other table."""
    units = list(group)
    persons = next((unit.persons for unit in units if unit.persons is not None), None)
    others = [unit for unit in units if unit.persons is None]
    found = []
    if persons is not None:
        files = _sources_of(unit for unit in units if unit.persons is not None)
        found.append(f"one `{visible(persons.identifier.name or '')}` with all their rows in {', '.join(files)}")
    if others:
        joined = _joined(others)
        found.append(f"one row of {joined}" if any(unit.has_rows for unit in others) else joined)
    joined = ", and ".join(found)
    return joined if len(units) == 1 else f"{joined} ({', '.join(unit.names for unit in units)} together)"


def _joined(units: Sequence[Unit]) -> str:
    """What one change of one person may be in: all of it, or, of a pair of tables of different people, one or the other."""
    if all(unit.moves_at_once for unit in units):
        return " and ".join(_sources_of(units))
    sources = [source for unit in units for source in unit.sources]
    known = connected([source for source in sources if not source.may_be_of_anybody], Source.may_share)
    known.sort(key=lambda group: min(map(sources.index, group)))
    others = [source for source in sources if source.may_be_of_anybody]
    listed = [" or ".join(" and ".join(_named(group)) for group in known), " and ".join(_named(others))]
    return ", and ".join(filter(None, listed))


def _sources_of(units: Iterable[Unit]) -> list[str]:
    return _named(source for unit in units for source in unit.sources)


def _named(sources: Iterable[Source]) -> list[str]:
    return list(dict.fromkeys(visible(source.name) for source in sources))


def _relations(unit: Unit) -> list[str]:
    """How neighbours differ in each parameter: not by an added or removed row if each change replaces one."""
    return [
        relation(part.relation(unit.fixed) for part in parts)
        if any(part.is_replaced(unit.fixed) for part in parts)
        else neighbours(parameter.type)
        for parts, parameter in zip(unit.parts, unit.parameters, strict=True)
    ]
