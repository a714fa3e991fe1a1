"""The arguments of ``run``: which of them are data, and which are public."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from duetpy.accounting.budget import Budget, budget_of, parse_budget
from duetpy.diagnostics.display import visible
from duetpy.report.error_goal import ErrorGoal, parse_error
from duetpy.report.verdict import Parameter
from duetpy.runtime.sources.array_cells import is_askable
from duetpy.runtime.sources.column_selection import DataArgument, parse_path
from duetpy.runtime.sources.given import halves_of, side_of
from duetpy.runtime.sources.persons import Identified
from duetpy.runtime.sources.registry import is_source
from duetpy.settings import Data, DataFile, NoValue, Public, SettingError, or_else, parse_number, resolve, resolve_all
from duetpy.typecheck.check import Typed
from duetpy.typecheck.persons import files_by_name, names_of_file
from duetpy.typecheck.types import (
    Box,
    Disc,
    Matrix,
    Product,
    SetOf,
    StaticNat,
    StaticReal,
    Sum,
    Type,
    With,
    holds_tables,
)
from duetpy.valuation import declared

Goal: TypeAlias = Budget | ErrorGoal | str | Mapping[str, float | Fraction | str]
"""What calibration may be asked for: a budget, also as a text or as numbers by name, or an error."""


PYTHON = frozenset({"builtins", "collections"})
"""Where the classes are of what is written down in Python: lists, sets, mappings and their keys, numbers, texts."""


class Held(dict[Any, object]):
    """Arguments by parameter, which print as their names."""

    def __repr__(self) -> str:
        return f"<arguments for {', '.join(map(str, self))}>"


def sort_arguments(
    type_: Type | None,
    parameters: Mapping[str, Parameter],
    arguments: Mapping[str, object],
    data: Held,
    values: Held,
    options: Collection[str] = (),
) -> None:
    """Sort arguments into data and public values: what the program protects is data, and so is all that is called so, and every
    table, path, and set that a library holds, unless it is called public, also in a pair, a sum or a box.

    Parameters
    ----------
    type_
        The program's.
    parameters
        What is proved about its parameters.
    arguments
        What is given, by name.
    data, values
        What the data and the public values are put into.
    options
        The names of the options of a run, each of which begins with an underscore.
    """
    names = declared(type_)
    resolved, unknown = resolve_all(arguments, names.names)
    files, of_persons = files_by_name(names.arguments), dict[str, dict[str, object]]()
    for name in unknown:
        file = resolve(name, files)
        if file is None and f"_{name}" in options:
            raise SettingError(f"the program has no {name}, and the option of a run is written _{name}")
        if file is None:
            # A name that is mistyped may be that of private rows.
            values[name] = arguments[name]
            continue
        owner, own = files[file]
        if owner in resolved or own in of_persons.setdefault(owner, {}):
            raise SettingError(f"{visible(name)} is given twice")
        of_persons[owner][own] = _picked(arguments[name])
    data.update({owner: Held(given) for owner, given in of_persons.items()})
    for name, given in resolved.items():
        wanted = names.arguments.get(name)
        # A number that the type determines is nobody's.
        called = given if type(given) is Data else None
        is_data = called is not None and not isinstance(wanted, StaticNat | StaticReal | None)
        given = given if called is None else called.value
        value = given if is_askable(given) else NoValue()
        is_table = isinstance(wanted, Matrix | SetOf)
        is_protected = name in parameters and parameters[name].private
        if isinstance(value, Public):
            values[name] = value.value if is_protected else _kept(value.value, name)
        elif is_table and not is_data and isinstance(value, str) and value.startswith("@") and len(value) > 1:
            values[name] = DataFile(Path(value[1:]))
        elif is_protected or is_data or (wanted is not None and (holds_tables(wanted) or _holds_rows(value, wanted))):
            # A table counts as data whatever it costs and whatever it is in, so that one in the clear is refused and not released.
            data[name] = _picked(value) if isinstance(wanted, Matrix) else value
        elif is_table and isinstance(value, str | PathLike):
            data[name] = value
        else:
            values[name] = _kept(value, name)


def _holds_rows(value: object, type_: Type) -> bool:
    """Whether a value holds rows, whatever they are read as: those of a source, or, where a set is wanted, an array, a column or a
    frame of a library, which nobody wrote down."""
    match type_:
        case Product(left, right) | With(left, right):
            one, other = halves_of(value)
            return _holds_rows(one, left) or _holds_rows(other, right)
        case Sum(left, right):
            side, held = side_of(value)
            return _holds_rows(held, left if side == "inl" else right)
        case Box(_, inner) | Disc(inner):
            return _holds_rows(value, inner)
        case SetOf():
            return type(value).__module__ not in PYTHON and not isinstance(value, DataFile)
        case _:
            return is_source(value)


def _kept(value: object, name: str) -> object:
    """A public value that can be gone over twice: a run looks at what is public before it reads rows, and then again."""
    from duetpy.runtime.sources.arrays import is_read_once

    try:
        if isinstance(value, Mapping) and any(map(is_read_once, value.values())):
            return {key: list(cells) if is_read_once(cells) else cells for key, cells in value.items()}
        return list(value) if isinstance(value, Iterable) and is_read_once(value) else value
    except Exception:
        raise SettingError(f"{visible(name)} cannot be read: the object that was given raised an exception") from None


def identify(type_: Type | None, data: Held, columns: Mapping[str, str]) -> None:
    """Note the columns of identifiers in files of persons; raises `SettingError` for one of no file that data is given for."""
    if not isinstance(columns, Mapping) or not all(isinstance(name, str) for name in columns):
        raise SettingError("the columns of identifiers are given by the names of files, as in {'visits': 'pat_no'}")
    files = files_by_name(declared(type_).arguments)
    for name, column in columns.items():
        meant = resolve(name, files)
        owner, file = files.get(meant or "", ("", ""))
        given = data.get(owner)
        if isinstance(given, str | PathLike | DataArgument) and owner in names_of_file((owner, file), files):
            given = Held({file: given})
        if not isinstance(given, Mapping) or file not in given:
            raise SettingError(f"no data is given for a file of persons called {visible(name)}")
        if not isinstance(column, str):
            raise SettingError(f"the column of identifiers in {visible(name)} is not a text")
        data[owner] = Held({**given, file: Identified(given[file], column)})


def _picked(value: object) -> object:
    """``"x.csv:age,income"``: a path with columns, as on the command line; a file that has such a name is meant first."""
    if type(value) is not str or ":" not in value or "\0" in value or os.path.exists(value):
        return value
    try:
        path, selection = parse_path(value)
    except ValueError as error:
        raise SettingError(str(error)) from None
    return value if selection is None or not path else DataArgument(None, path, selection)


def declared_values(typed: Typed | None, values: Mapping[str, object]) -> Mapping[str, object]:
    """Settings, every one of them declared by the program."""
    names = declared(None if typed is None else typed.type).names
    resolved, unknown = resolve_all(values, names)
    if unknown:
        hint = f"{or_else(unknown[0], names)}; the program has {', '.join(names) or 'no parameters'}"
        raise SettingError(f"unknown name {unknown[0]}{hint}")
    return resolved


def asked_goal(
    budget: Goal | None,
    ledger: str | PathLike[str] | None = None,
    error: float | Fraction | str | None = None,
    typed: Typed | None = None,
) -> Budget | ErrorGoal:
    """The budget that is given as a text or as numbers by name, what is left of a ledger for a program, or an error."""
    if sum(given is not None for given in (budget, ledger, error)) != 1:
        raise SettingError("calibrate takes either a budget or a _ledger or an _error")
    if error is not None:
        return parse_error(str(error))
    if ledger is not None:
        from duetpy.ledger.place import place_of
        from duetpy.ledger.store import left_of

        return left_of(place_of(ledger), typed)
    if isinstance(budget, Budget | ErrorGoal):
        return budget
    if isinstance(budget, str):
        return parse_budget(budget)
    if not isinstance(budget, Mapping):
        raise SettingError("a budget is a string such as 'epsilon=1,delta=1e-6', or numbers by name")
    return budget_of({name: parse_number(str(number)) for name, number in budget.items()})
