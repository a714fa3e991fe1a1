"""The exact value of a sensitivity function: no noise in it, none needed.

Audits and tests compare what a function makes of two neighbouring inputs, so `evaluate` computes what a run would hand to a
mechanism, to the nearest doubles. It is for the person who holds the data: it refuses privacy functions, whose value is
nobody's without noise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from attrs import evolve

from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.library import Library
from duetpy.loading import source_of
from duetpy.runtime.engines import Engine, SerialEngine
from duetpy.runtime.evaluation.evaluate import applied, expression, own_numbers
from duetpy.runtime.evaluation.foreign import library
from duetpy.runtime.evaluation.machine import Frame, machine_for
from duetpy.runtime.evaluation.rows import ROWS_AT_ONCE
from duetpy.runtime.sources.binding import bound_value
from duetpy.runtime.sources.persons import with_roster
from duetpy.runtime.sources.reading import MISSING, NOT_THIS_WAY, UNKNOWN, WRONG_VALUE, Reading, refuse
from duetpy.runtime.sources.verification import verify
from duetpy.runtime.values.plain_values import plain_value
from duetpy.runtime.values.sizes import match_kinds
from duetpy.runtime.values.statics import KindScope, check_kinds, check_obligations
from duetpy.runtime.values.values import Closure, PrivacyClosure, Value
from duetpy.settings import SettingError
from duetpy.typecheck import rewriting
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed, check_file
from duetpy.typecheck.link import Loaded
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.show import show_type
from duetpy.valuation import functions, valuation


class OfProgram(Protocol):
    """A `duetpy.Checked`, which is above this file."""

    @property
    def program(self) -> Any: ...


def evaluate(
    program: OfProgram | Typed | str,
    /,
    *,
    _engine: Engine | None = None,
    _block_rows: int = ROWS_AT_ONCE,
    _trust: Collection[str] = (),
    **values: object,
) -> Any:
    """The value of a sensitivity function on plain values, or of an expression that is not a function.

    Parameters
    ----------
    program
        A checked program (`duetpy.Checked`), or a text.
    **values
        The arguments by name: numbers, truth values, texts, tuples, sets; arrays, lists of rows, data frames and paths of
        CSV files for matrices. Kind variables may be given by name as well, and must be if no argument determines them.
    _engine, _block_rows
        What processes the rows, one of `duetpy.engines` (by default a single thread), and how many of them at once.
    _trust
        The modules whose code the program may run.

    Returns
    -------
    Any
        Numbers, truth values, texts and tuples as such; a matrix as an array if one was given as an array, else as a list
        of rows; a set as a frozenset.

    Raises
    ------
    DuetError
        The program was refused, an argument is missing, unknown or not of its type, or (D0609) the program is a privacy
        function.
    TypeError
        If what is given for a program is neither.
    ValueError
        If an engine, a number of rows or a list of modules is not valid.
    """
    typed = _typed(program)
    if _engine is not None and not callable(getattr(_engine, "fold", None)):
        raise ValueError("engine is not one of duetpy.engines or another object that runs folds")
    if not isinstance(_block_rows, int) or _block_rows < 1:
        raise ValueError("block_rows is not a whole number above 0")
    if not isinstance(_trust, Collection):
        raise ValueError("trust is not a list of modules")
    type_ = sensitivity_type(typed)
    try:
        given = valuation(type_, values)
    except SettingError as error:
        raise refuse(WRONG_VALUE, str(error)) from None
    if given.unknown:
        names = [function.name for function in _parameters(type_)]
        message = f"the program has no {' and no '.join(map(visible, given.unknown))}"
        raise refuse(UNKNOWN, message, f"it takes {', '.join(map(visible, names)) or 'no argument'}")
    foreign = library(typed.foreign_calls, _trust, typed.name)
    engine = SerialEngine() if _engine is None else _engine
    machine = machine_for(typed, expression, engine, foreign, block_rows=_block_rows)
    kinds = KindScope(given.kinds)
    check_kinds(kinds.numbers)
    arguments: list[Value] = []
    reading = Reading(may_be_empty=True)
    for parameter in _parameters(type_):
        argument, kinds = _bound(parameter, given.given, kinds, reading)
        reading = with_roster(reading, parameter.name, argument)
        arguments.append(argument)
    check_obligations(typed.obligations, kinds.numbers)
    with machine.levels:
        value = expression(machine, typed.core, Frame({}, KindScope()))
    for parameter, argument in zip(_parameters(type_), arguments, strict=True):
        assert isinstance(value, Closure)
        if parameter.kinds:
            own = own_numbers(value, parameter.kinds, kinds.numbers)
            value = evolve(value, given={**value.given, **own})
        value = applied(machine, value, argument, None, value.node)
    if isinstance(value, Closure | PrivacyClosure):
        raise refuse(NOT_THIS_WAY, "the program's value is a function without a type that can be evaluated")
    arrays = any(isinstance(item, np.ndarray) for item in values.values())
    return plain_value(value, arrays=arrays, sets=True)


def _typed(program: object) -> Typed:
    if isinstance(program, str):
        return checked(program)
    found = program if isinstance(program, Typed) else getattr(getattr(program, "program", None), "typed", None)
    if not isinstance(found, Typed):
        raise TypeError(f"a program must be a str or what check() returns, not {type(program).__name__}")
    return found


def checked(text: str) -> Typed:
    """The judgement of a text; of one that imports nothing it is kept, for whoever evaluates it on one input after another."""
    return _on_its_own(text) or _judged(*_read(text))


@lru_cache(maxsize=16)
def _on_its_own(text: str) -> Typed | None:
    """The judgement of a text; None where it imports files, for these may be others the next time."""
    library, loaded = _read(text)
    return None if loaded.file.imports else _judged(library, loaded)


def _read(text: str) -> tuple[Library, Loaded]:
    library = Library()
    return library, library.add(source_of("<text>", text))


def _judged(library: Library, loaded: Loaded) -> Typed:
    return check_file(
        loaded.file,
        name="<text>",
        notion=loaded.notion or Notion.APPROX,
        notion_origin=loaded.notion_origin or "default",
        load=library.load,
        syntax=loaded.diagnostics,
    )


def sensitivity_type(typed: Typed) -> t.Type:
    """The type of a program that can be evaluated; raises `DuetError`."""
    errors = [diagnostic for diagnostic in typed.diagnostics if diagnostic.is_error]
    if errors or typed.type is None:
        raise DuetError(errors)
    *_, last = [typed.type, *(f.codomain for f in functions(typed.type) if isinstance(f, t.Fun))]
    if isinstance(last, t.PFun):
        raise refuse(
            NOT_THIS_WAY,
            "a privacy function has no value without noise",
            "run it, or evaluate the sensitivity function inside it",
        )
    return typed.type


def _parameters(type_: t.Type) -> Iterator[t.Fun]:
    return (function for function in functions(type_) if isinstance(function, t.Fun))


def _bound(
    parameter: t.Fun, given: Mapping[str, object], kinds: KindScope, reading: Reading
) -> tuple[Value, KindScope]:
    """The value of a parameter, and the numbers that it adds."""
    name, type_ = parameter.name, parameter.domain
    if name in given:
        value = bound_value(given[name], type_, name, kinds, reading)
    elif isinstance(type_, t.StaticNat | t.StaticReal):
        value = (
            int(kinds.above(type_.value, None)) if isinstance(type_, t.StaticNat) else kinds.signed(type_.value, None)
        )
    else:
        raise refuse(MISSING, f"missing value for {visible(name)} : {show_type(type_)}")
    solved = dict(kinds.numbers)
    match_kinds(type_, value, rewriting.free_variables(type_), solved)
    kinds = KindScope(solved)
    check_kinds(kinds.numbers)
    return verify(value, type_, name, kinds, Reading()), kinds
