"""Settings of a program to be audited: numbers for everything that is public, and made-up data bound to it.

    Typed ─→ Case (sizes, parameters, public arguments) ─inputs→ Prepared

Numbers that the caller gives are kept; the others are drawn until the program's side conditions hold.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import date
from fractions import Fraction

from attrs import frozen

from duetpy.accounting.price import Refusal, numbers
from duetpy.audit.inputs import Drawer, Inputs, Undrawable, identifier, lines_of, mentioned, undrawable
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.arguments import privacy_function
from duetpy.runtime.release.run import Prepared, bind
from duetpy.runtime.release.run_costs import refuse_unproved
from duetpy.runtime.sources.reading import NOT_THIS_WAY, Reading, refuse
from duetpy.runtime.values.statics import TOO_LARGE, KindScope, check_obligations, shown_number
from duetpy.settings import SettingError, folded
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.capacity import cells_of
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import NonPrivate, Zero
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.persons import persons_of
from duetpy.typecheck.quantity import Kind, KindVar
from duetpy.typecheck.units import PrivacyUnit, units_of
from duetpy.valuation import valuation

MOST_CELLS = 1_000_000
"""No larger tables are made up."""

AUDIT_MEMORY = 1 << 30
"""The bytes that the tables of an audited program may take: it runs thousands of times."""

READING = Reading(on_bad_row="default", may_be_empty=True)
WHOLE = (1, 2, 3, 4, 6, 8)
POSITIVE = (
    Fraction(1),
    Fraction(1),
    Fraction(1, 2),
    Fraction(1, 10),
    Fraction(1, 100),
    Fraction(1, 10**5),
    Fraction(4),
)
SMALL = (Fraction(1, 10**5), Fraction(1, 10**6), Fraction(1, 100))
TRIES = 600
"""Settings are drawn so often before the audit gives up."""


@frozen(eq=False)
class Subject:
    """A program to be audited."""

    typed: Typed
    function: t.PFun
    settings: Mapping[str, object]
    units: tuple[PrivacyUnit, ...]
    draws_rows: bool
    numbers: tuple[float, ...]
    texts: tuple[str, ...]
    days: tuple[date, ...]


@frozen(eq=False)
class Case:
    """A program with numbers for all its sizes and parameters.

    Parameters
    ----------
    subject
        The program.
    kinds
        The numbers.
    values
        The same, and the public arguments, as `bind` takes them.
    types
        Its parameters' types.
    """

    subject: Subject
    kinds: KindScope
    values: Mapping[str, object]
    types: Mapping[str, t.Type]

    def drawer(self, source: random.Random) -> Drawer:
        subject = self.subject
        return Drawer(source, self.kinds, subject.numbers, subject.texts, subject.days, subject.draws_rows)

    def draw(self, drawer: Drawer) -> Inputs:
        """Data for every protected parameter."""
        inputs: Inputs = {}
        for unit in self.subject.units:
            count: int | None = None
            for name in unit.names:
                type_ = self.types[name]
                if not isinstance(type_, t.Matrix):
                    inputs[name] = drawer.draw(type_)
                    continue
                # Views of the same rows, and tables of the same persons, have the same number of rows.
                count = drawer.row_count(type_) if count is None else count
                inputs[name] = drawer.table(type_, count)
        return inputs

    def bound(self, inputs: Inputs) -> Prepared:
        """The program on these inputs, ready to run; raises `DuetError`."""
        data: dict[str | None, object] = {}
        for name, value in inputs.items():
            persons = persons_of(self.types[name])
            data[name] = value if persons is None else lines_of(persons, value)
        return bind(self.subject.typed, data, self.values, READING)

    def claim(self, unit: PrivacyUnit, notion: Notion | None = None) -> dict[str, float | None] | None:
        """What the program costs a unit in a notion, its own one if none is said; None where it has no price."""
        found = numbers(unit.cost, notion or self.subject.function.notion, self.kinds.numbers)
        return None if isinstance(found, Refusal) else found


def subject_of(typed: Typed, settings: Mapping[str, object]) -> Subject:
    """The program as the audit sees it; raises `DuetError` where there is nothing to audit."""
    function = privacy_function(typed)
    units = tuple([unit for unit in units_of(function.parameters) if not isinstance(unit.cost, Zero | NonPrivate)])
    if not units:
        raise refuse(NOT_THIS_WAY, "the program protects none of its parameters, so there is nothing to refute")
    assert typed.body is not None
    if typed.foreign:
        raise refuse(NOT_THIS_WAY, "the audit does not run foreign code", "audit the program without `opaque`")
    found = valuation(function, settings)
    if found.unknown:
        raise SettingError(f"the program has no {found.unknown[0]}")
    protected = {name for unit in units for name in unit.names}
    given = [name for name in found.given if name in protected]
    if given:
        raise SettingError(f"{given[0]} is protected, so the audit generates its data")
    numbers_, texts, days = mentioned(typed.body)
    return Subject(
        typed,
        function,
        {**found.given, **{variable.name: number for variable, number in found.kinds.items()}},
        units,
        any(isinstance(node, core.Sample) for node in core.nodes(typed.core)),
        numbers_,
        texts,
        days,
    )


def cases(subject: Subject, source: random.Random, count: int) -> list[Case]:
    """Different settings under which the program runs; raises `DuetError` where none was found."""
    found: list[Case] = []
    seen: set[frozenset[tuple[KindVar, Fraction]]] = set()
    last: tuple[Diagnostic, ...] = ()
    for _ in range(TRIES):
        try:
            case = drawn_case(subject, source)
            case.bound(case.draw(case.drawer(source)))
        except DuetError as refusal:
            last = refusal.diagnostics
            continue
        key = frozenset(case.kinds.numbers.items())
        if key not in seen or not key:
            seen.add(key)
            found.append(case)
        if len(found) >= count or (found and not any(v.kind is not Kind.TYPE for v in subject.function.kinds)):
            break
    if not found:
        raise DuetError(last)
    return found


def drawn_case(subject: Subject, source: random.Random) -> Case:
    known: dict[KindVar, Fraction] = dict(valuation(subject.function, subject.settings).kinds)
    for variable in subject.function.kinds:
        if variable not in known and variable.kind is not Kind.TYPE:
            known[variable] = drawn_number(variable, source)
    kinds = KindScope(known)
    values: dict[str, object] = {variable.name: number for variable, number in known.items()} | dict(subject.settings)
    protected = {name for unit in subject.units for name in unit.names}
    types = {parameter.name: parameter.type for parameter in subject.function.parameters}
    drawer = Drawer(source, kinds, subject.numbers, subject.texts, subject.days)
    check_obligations(subject.typed.obligations, kinds.numbers, AUDIT_MEMORY, some=True)
    # Where a price rests on what does not hold, nothing is claimed that could be refuted.
    refuse_unproved([unit.cost for unit in subject.units], subject.function.notion, kinds.numbers)
    for name, type_ in types.items():
        if isinstance(type_, t.Matrix) and not cells_of(type_).is_infinite:
            _refuse_large(name, kinds.above(cells_of(type_), None))
        try:
            if name in protected:
                drawer.draw(type_)
            elif name not in values and not isinstance(type_, t.StaticNat | t.StaticReal):
                values[name] = _roster(name, types, kinds) or public(drawer, type_)
        except Undrawable:
            raise undrawable(name, type_) from None
    return Case(subject, kinds, values, types)


def _roster(name: str, types: Mapping[str, t.Type], kinds: KindScope) -> list[object]:
    """The identifiers of the persons on a roster; empty if the parameter is not a roster."""
    for type_ in types.values():
        persons = persons_of(type_)
        if persons is not None and persons.roster == name and isinstance(type_, t.Matrix) and type_.rows is not None:
            return [identifier(type_, at) for at in range(int(kinds.above(type_.rows, None)))]
    return []


def _refuse_large(name: str, cells: Fraction) -> None:
    if cells > MOST_CELLS:
        message = f"the audit generates tables of at most {MOST_CELLS} cells, but {visible(name)} would have {shown_number(cells)}"
        raise refuse(TOO_LARGE, message, "audit the program at smaller sizes: what is proved holds for all of them")


def drawn_number(variable: KindVar, source: random.Random) -> Fraction:
    """A number for a size or a parameter; a δ is small, as only then it promises something."""
    if variable.kind is Kind.NAT:
        return Fraction(source.choice(WHOLE))
    return source.choice(SMALL if folded(variable.name).startswith("delta") else POSITIVE)


def public(drawer: Drawer, type_: t.Type) -> object:
    """A public argument: with ordinary numbers, as its owner would choose it."""
    if isinstance(type_, t.Matrix):
        rows = drawer.table(type_, max(1, drawer.row_count(type_)))
        return [
            [0.0 if (isinstance(cell, float) and abs(cell) > 1e9) or cell != cell else cell for cell in row]
            for row in rows
        ]
    return drawer.draw(type_)
