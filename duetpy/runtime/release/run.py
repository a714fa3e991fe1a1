"""A run: from a checked program, data and public numbers to a release.

Contract. Everything that can be refused without data is refused before any data is opened: the program's errors, unknown and
missing arguments, parameters in the clear, side conditions on the public numbers. Then, where bad cells count as defaults,
what no row decides of the data (`duetpy.runtime.release.outline`). Then the tables are read and held to their declared types;
then the rest of the side conditions; only then does a mechanism run. A failure is a `DuetError` with diagnostics; none of
them, and nothing that is logged or timed here, holds a cell of a table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextvars import copy_context
from fractions import Fraction
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from attrs import define, evolve, field

from duetpy.ledger.place import place_of
from duetpy.ledger.store import Ledger
from duetpy.runtime.engines import Engine, NeedsWorkers
from duetpy.runtime.engines.named import NO_ENGINE, engine_named
from duetpy.runtime.engines.threads import usable_cores
from duetpy.runtime.evaluation.columns_seen import gone_over
from duetpy.runtime.evaluation.evaluate import expression, own_numbers
from duetpy.runtime.evaluation.foreign import Library, library
from duetpy.runtime.evaluation.machine import Frame, machine_for
from duetpy.runtime.evaluation.passes import only_sampled
from duetpy.runtime.noise.random_bits import Bits, InsecureBits, SecureBits, Watched
from duetpy.runtime.release.arguments import (
    Arguments,
    arguments_of,
    privacy_function,
    refuse_dropping,
    refuse_missing,
    refuse_other_people,
    refuse_other_rows,
    refuse_public_rows,
)
from duetpy.runtime.release.charged_run import Booked, Booking, refuse_insecure, refuse_others, replayed
from duetpy.runtime.release.defaults import refuse_without_defaults
from duetpy.runtime.release.driver import Driver, run_function
from duetpy.runtime.release.endings import Spending, ended
from duetpy.runtime.release.fitting import bodies_of, demanded, unkept_forms
from duetpy.runtime.release.guarantees import check_promises
from duetpy.runtime.release.mechanisms import Randomness
from duetpy.runtime.release.observer import Observer
from duetpy.runtime.release.outline import Outlined, outlined
from duetpy.runtime.release.release import Display, Release
from duetpy.runtime.release.result_table import shape_of
from duetpy.runtime.release.run_costs import joint_promises, paid_by, privacy, refuse_in_the_clear, unprotected
from duetpy.runtime.sources.binding import bound_value, separators_of
from duetpy.runtime.sources.column_selection import DataArgument
from duetpy.runtime.sources.csv import BadRowRule, HeaderRule
from duetpy.runtime.sources.files import opened_once
from duetpy.runtime.sources.looks import refuse_changed
from duetpy.runtime.sources.persons import match_roster, with_roster
from duetpy.runtime.sources.ranges import ranges_of
from duetpy.runtime.sources.reading import WRONG_VALUE, Reading, markers_of, of_public, refuse
from duetpy.runtime.sources.registry import is_source
from duetpy.runtime.sources.verification import refuse_unaligned, verify
from duetpy.runtime.values.batch_size import within_memory
from duetpy.runtime.values.memory import available, reuse_memory
from duetpy.runtime.values.plain_values import plain_value
from duetpy.runtime.values.sizes import match_kinds
from duetpy.runtime.values.statics import KindScope, check_kinds, check_obligations
from duetpy.runtime.values.values import MatrixValue, PrivacyClosure, Value
from duetpy.settings import DataFile, SettingError
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.persons import persons_of
from duetpy.typecheck.quantity import Kind, KindVar
from duetpy.typecheck.rewriting import free_variables
from duetpy.valuation import agree


def run(
    typed: Typed,
    data: Mapping[str | None, object],
    values: Mapping[str, object],
    *,
    on_bad_row: BadRowRule = "refuse",
    header: HeaderRule = "auto",
    missing: Collection[str] = (),
    insecure_noise: int | Literal["none"] | None = None,
    engine: Engine | str | None = None,
    delta: Fraction | None = None,
    trust: Collection[str] = (),
    ledger: str | PathLike[str] | None = None,
    memory: int | None = None,
    stream: bool = False,
    display: Display | None = None,
) -> Release:
    """Run a checked program.

    Parameters
    ----------
    typed
        The program; its value must be a privacy function.
    data
        The private tables by parameter: a path, a `DataArgument`, arrays, rows, data frames. Under None, the one private
        table of a program that has no other.
    values
        Public numbers by the name of a kind variable or of a parameter; public tables and sets by the parameter's. What is
        given here for a parameter that the program protects counts as data.
    on_bad_row, header
        How files are read.
    missing
        What stands for a missing value in a file of lines, in addition to an empty cell.
    insecure_noise
        A seed, or ``none`` for no noise at all. The release says INSECURE.
    engine
        What runs folds: an engine, or the name of one: ``threads``, the default, ``dask``, ``dask:ADDRESS``.
    delta
        The δ of the tight (ε, δ).
    trust
        The modules whose code the program may run.
    ledger
        The ledger that is charged.
    memory
        The bytes that tables of the sizes in the program may take; all that the machine has, where None.
    stream
        Whether files whose rows the program only goes over are read again for each pass, also where there is room for them.
    display
        How the release is shown.

    Raises
    ------
    DuetError
        The program, an argument, the data or a side condition was refused (see the module), or D0901 an internal fault.
    ValueError
        If a way of reading, a seed or an engine is not valid, the ledger is not a path, or the modules are not a list.
    """
    _refuse_unknown_ways(on_bad_row, header, insecure_noise)
    markers = markers_of(missing)
    place = None if ledger is None else place_of(ledger)
    if not isinstance(trust, Collection):
        raise ValueError("trust is not a list of modules")
    own_engine = None
    if engine is None or isinstance(engine, str):
        engine = own_engine = engine_named("threads" if engine is None else engine)
    elif not callable(getattr(engine, "fold", None)):
        raise ValueError(NO_ENGINE)
    reuse_memory()
    spending = Spending(randomness_of(insecure_noise))

    def attempt() -> Release:
        room = within_memory(available() if memory is None else memory, usable_cores())
        # What the caller lets numpy raise or say would depend on the rows.
        with np.errstate(all="ignore"), room, opened_once():
            reading = Reading(on_bad_row, header, memory=memory, missing=markers, streams=bool(stream))
            return evolve(
                _attempt(typed, data, values, reading, engine, delta, trust, place, spending), display=display
            )

    try:
        try:
            # An interruption may fall where a setting is put back. Of a context that ends with the run nothing stays.
            return copy_context().run(attempt)
        finally:
            if own_engine is not None:
                own_engine.close()
    except BaseException as cause:
        # Whatever it says may hold a value of someone's: it is not repeated. It may come when the run was charged and is over.
        end = ended(cause, spending)
    # Raised here, it carries neither the exception that it came from nor the frames in which rows are held.
    raise end


def _refuse_unknown_ways(on_bad_row: object, header: object, insecure_noise: object) -> None:
    if on_bad_row not in get_args(BadRowRule):
        raise ValueError("on_bad_row is neither 'refuse' nor 'default' nor 'drop'")
    if header not in ("auto", "yes", "no"):
        raise ValueError("header is neither 'auto' nor 'yes' nor 'no'")
    is_seed = isinstance(insecure_noise, Integral) and not isinstance(insecure_noise, bool)
    if insecure_noise is not None and insecure_noise != "none" and not is_seed:
        raise ValueError("insecure_noise is neither 'none' nor a seed (a whole number)")


def _attempt(
    typed: Typed,
    data: Mapping[str | None, object],
    values: Mapping[str, object],
    reading: Reading,
    engine: Engine,
    delta: Fraction | None,
    trust: Collection[str],
    ledger: Path | None,
    spending: Spending,
) -> Release:
    """The release; whatever is raised instead, `run` raises without its history."""
    started = time.perf_counter()
    booking: Booking | None = None
    booked: Booked | None = None
    randomness = spending.randomness
    parameters = privacy_function(typed).parameters
    shape = shape_of(typed)
    reading = evolve(reading, sampled=only_sampled(typed.core))
    named = (str, PathLike, DataArgument, DataFile)
    has_persons = any(persons_of(parameter.type) for parameter in parameters)
    if has_persons or any(isinstance(given, named) or is_source(given) for given in data.values()):
        reading = evolve(reading, streamable=gone_over(typed.core))
    if reading.on_bad_row == "default":
        refuse_without_defaults(arguments_of(typed, data, values))
    foreign = library(typed.foreign_calls, trust, typed.name, "default" if reading.is_total else "refuse")
    if ledger is not None:
        if not randomness.is_secure:
            raise refuse_insecure()
        booking = Booking(Ledger(ledger), typed, settled(typed, data, values, reading), reading, delta, spending)
        known = booking.stored()
        if known is not None:
            return replayed(booking, *known, shape)
    if isinstance(engine, NeedsWorkers):
        engine.ready()
    if booking is not None:
        if reading.is_total:
            booked = booking.reserve(known_without_rows(typed, booking, reading, delta))
        booking.before = booking.data_digest()
    prepared = prepare(typed, data, values, reading, delta, foreign)
    if booking is not None:
        booked = booked or booking.reserve(prepared.kinds.numbers)
        refuse_others(booked, prepared.arguments, prepared.kinds.numbers)
    result = prepared.release(engine, randomness)
    releases = randomness.log.report()
    release = Release(
        typed.name,
        shape.named(plain_value(result)),
        prepared.privacy if randomness.is_secure else unprotected(prepared.privacy),
        releases,
        prepared.data,
        "secure" if randomness.is_secure else "INSECURE",
        time.perf_counter() - started,
        shape=shape,
        errors=shape.errors(releases),
        paid=paid_by(prepared.arguments.units()),
    )
    return release if booking is None or booked is None else booking.complete(booked, release, randomness.log.sites())


def randomness_of(insecure_noise: int | Literal["none"] | None) -> Randomness:
    """Where the noise of a run comes from; it is known afterwards whether any was drawn."""
    bits = bits_of(insecure_noise)
    return Randomness(None if bits is None else Watched(bits))


def bits_of(insecure_noise: int | Literal["none"] | None) -> Bits | None:
    """Where randomness comes from."""
    if insecure_noise is None:
        return SecureBits()
    return None if insecure_noise == "none" else InsecureBits(int(insecure_noise))


# ---------------------------------------------------------------------------------------------------------------------
# Reading and verifying


@define(eq=False, repr=False)
class Prepared:
    """A run that has only its mechanisms left to do."""

    typed: Typed
    arguments: Arguments
    kinds: KindScope
    values: list[Value]
    privacy: dict[str, Any]
    foreign: Library
    data: dict[str, dict[str, Any]] = field(factory=dict)
    bodies: Mapping[core.Node, int] = field(factory=dict)

    def release(self, engine: Engine, randomness: Randomness) -> Value:
        """Run the program."""
        return self.entered(engine, randomness)()

    def entered(self, engine: Engine, randomness: Randomness, observer: Observer | None = None) -> Callable[[], Value]:
        """The program with its arguments, to be run any number of times."""
        machine = machine_for(self.typed, expression, engine, self.foreign, bodies=self.bodies)
        with machine.levels:
            function = expression(machine, self.typed.core, Frame({}, KindScope()))
        assert isinstance(function, PrivacyClosure)
        given = own_numbers(function, self.arguments.function.kinds, self.kinds.numbers)
        driver = Driver(machine, randomness, observer)
        return lambda: run_function(driver, function, self.values, given, function.node)


def settled(
    typed: Typed, data: Mapping[str | None, object], values: Mapping[str, object], reading: Reading
) -> Arguments:
    """The arguments, after all that can be refused without data; raises `DuetError`."""
    arguments = arguments_of(typed, data, values)
    for unit in arguments.units():
        refuse_in_the_clear(unit)
    refuse_other_rows(arguments)
    refuse_other_people(arguments)
    refuse_public_rows(arguments)
    refuse_missing(arguments, arguments.hopeless)
    known = KindScope(arguments.kinds)
    check_kinds(known.numbers)
    demands = demanded(typed, unkept_forms(typed.core, reading.streamable))
    check_obligations(demands, known.numbers, reading.memory, some=True)
    check_promises(typed.promises, known.numbers)
    return arguments


def prepare(
    typed: Typed,
    data: Mapping[str | None, object],
    values: Mapping[str, object],
    reading: Reading,
    delta: Fraction | None = None,
    foreign: Library | None = None,
) -> Prepared:
    """Read and verify everything; see the module for the order."""
    prepared = bind(typed, data, values, reading, foreign)
    return evolve(prepared, privacy=priced(typed, prepared.arguments, prepared.kinds.numbers, delta))


def priced(
    typed: Typed, arguments: Arguments, numbers: Mapping[KindVar, Fraction], delta: Fraction | None
) -> dict[str, Any]:
    """What the run costs whom; raises `DuetError` where that has no price or keeps no promise."""
    units, notion = arguments.units(), arguments.function.notion
    check_promises(joint_promises(typed.promises, arguments.function, units), numbers)
    return privacy(units, notion, numbers, delta) | {"foreign": list(typed.foreign)}


def known_without_rows(
    typed: Typed, booking: Booking, reading: Reading, delta: Fraction | None
) -> Mapping[KindVar, Fraction]:
    """The numbers that settings, public values and public sizes of the data say, where bad cells count as defaults.

    It refuses what `prepare` would refuse whatever the rows are: a run that is refused for nothing that any row says shall not be
    charged.
    """
    arguments = booking.arguments
    bound, public, reading = _public_read(arguments, reading)
    kinds = outlined(arguments, public, reading).kinds
    booking.refuse_unknown(kinds.numbers)
    priced(typed, arguments, kinds.numbers, delta)
    for parameter in arguments.function.parameters:
        unknown = free_variables(parameter.type) - kinds.numbers.keys()
        if parameter.name not in arguments.data and not unknown:
            _argument(parameter, arguments, bound, kinds, of_public(reading))
    check_kinds(kinds.numbers)
    bodies_of(typed, arguments, kinds, reading, {}, some=True)
    check_promises(typed.promises, kinds.numbers)
    return kinds.numbers


def bind(
    typed: Typed,
    data: Mapping[str | None, object],
    values: Mapping[str, object],
    reading: Reading,
    foreign: Library | None = None,
) -> Prepared:
    """Read everything and verify it, but for what the price asks: `prepare` does that too."""
    arguments = settled(typed, data, values, reading)
    bound, kinds = _all_read(arguments, reading)
    refuse_missing(
        arguments, [v for v in arguments.function.kinds if v.kind is not Kind.TYPE and v not in kinds.numbers]
    )
    arguments_in_order: list[Value] = []
    facts: dict[str, dict[str, Any]] = {}
    for parameter in arguments.function.parameters:
        rule = reading if parameter.name in arguments.data else of_public(reading)
        value = _argument(parameter, arguments, bound, kinds, rule)
        if parameter.name in arguments.data:
            given = arguments.data[parameter.name]
            separators = separators_of(given, parameter.type, parameter.name, kinds, reading)
            facts[parameter.name] = _facts(parameter.type, value, reading, separators, parameter.name)
        arguments_in_order.append(value)
    refuse_unaligned(arguments.function.parameters, arguments_in_order)
    check_kinds(kinds.numbers)
    bodies = bodies_of(typed, arguments, kinds, reading, bound, some=False)
    check_promises(typed.promises, kinds.numbers)
    return Prepared(typed, arguments, kinds, arguments_in_order, {}, foreign or Library(), facts, bodies)


def _argument(
    parameter: t.PrivateParameter, arguments: Arguments, bound: Mapping[str, Value], kinds: KindScope, reading: Reading
) -> Value:
    """The value of a parameter, held to its type; raises `DuetError` where it is another than its type says."""
    value = _static_value(parameter.type, kinds)
    if value is None:
        return verify(bound[parameter.name], parameter.type, parameter.name, kinds, reading)
    if parameter.name in arguments.values:
        try:
            agree(parameter.type, kinds.numbers, arguments.values[parameter.name], parameter.name)
        except SettingError as error:
            raise refuse(WRONG_VALUE, str(error), "leave it out, or change what its type depends on") from None
    return value


def _public_read(arguments: Arguments, reading: Reading) -> tuple[dict[str, Value], KindScope, Reading]:
    """The public arguments as values, the sizes that they say, and a way of reading that knows the rosters among them."""
    if reading.on_bad_row == "drop":
        refuse_dropping(arguments)
    bound, kinds = _read(arguments, KindScope(arguments.kinds), of_public(reading), arguments.public)
    for name, value in bound.items():
        reading = with_roster(reading, name, value)
    return bound, kinds, reading


def _all_read(arguments: Arguments, reading: Reading) -> tuple[dict[str, Value], KindScope]:
    """The arguments as values, and the sizes that they have: what is public first."""
    bound, kinds, reading = _public_read(arguments, reading)
    found = Outlined(kinds, {}, {})
    if reading.is_total:
        found = outlined(arguments, kinds, reading)
        kinds = found.kinds
    private = [parameter for parameter in arguments.function.parameters if parameter.name in arguments.data]
    more, kinds = _read(arguments, kinds, reading, private, found)
    refuse_changed()
    return bound | more, kinds


def _read(
    arguments: Arguments,
    known: KindScope,
    reading: Reading,
    parameters: Sequence[t.PrivateParameter],
    outlined: Outlined | None = None,
) -> tuple[dict[str, Value], KindScope]:
    """The values of some parameters, and the sizes that they have; `outlined` says how many rows tables have, if anything does."""
    bound: dict[str, Value] = {}
    kinds = known
    unknown = frozenset(arguments.function.kinds)
    for parameter in parameters:
        given = (arguments.data | arguments.values)[parameter.name]
        rule = reading
        if outlined is not None:
            rule = evolve(reading, rows=outlined.rows.get(parameter.name), most=outlined.most.get(parameter.name))
        bound[parameter.name] = bound_value(given, parameter.type, parameter.name, kinds, rule)
        reading = with_roster(reading, parameter.name, bound[parameter.name])
        solved = dict(kinds.numbers)
        match_kinds(parameter.type, bound[parameter.name], unknown, solved)
        match_roster(parameter.name, bound[parameter.name], unknown, solved)
        kinds = KindScope(solved)
    return bound, kinds


def _static_value(type_: t.Type, kinds: KindScope) -> Value | None:
    match type_:
        case t.StaticNat(number):
            return int(kinds.above(number, None))
        case t.StaticReal(signed):
            return kinds.signed(signed, None)
        case _:
            return None


def _facts(type_: t.Type, value: Value, reading: Reading, separators: Mapping[str, str], name: str) -> dict[str, Any]:
    """What may be reported about data: not the number of rows if neighbours differ in it; between which numbers cells were
    brought; what separates the cells of each file, if not a comma."""
    bad_rows = {"refuse": "refused", "default": "default", "drop": "dropped"}[reading.on_bad_row]
    if not isinstance(value, MatrixValue):
        # A program may take the tables in a pair or a sum apart, and return their public sizes for nothing.
        sizes = {"has_public_sizes": True} if t.holds_tables(type_) else {}
        return {"rows": None, "columns": None, "bad_rows": bad_rows, **sizes}
    table = type_
    while isinstance(table, t.Disc | t.Box):
        table = table.inner
    rows = value.rows if isinstance(table, t.Matrix) and table.rows is not None else None
    facts: dict[str, Any] = {"rows": rows, "columns": value.width, "bad_rows": bad_rows}
    if reading.on_bad_row == "default" and (ranges := ranges_of(type_)):
        facts["ranges"] = ranges
    unusual = {file: separator for file, separator in separators.items() if separator != ","}
    if name in unusual:
        facts["separator"] = unusual.pop(name)
    return {**facts, "separators": unusual} if unusual else facts
