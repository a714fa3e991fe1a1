"""What was given to a program, sorted: data, which is somebody's, and public values."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from os import PathLike

from attrs import define

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.run_costs import Unit, parts_of
from duetpy.runtime.sources import files
from duetpy.runtime.sources.column_selection import SQL, DataArgument
from duetpy.runtime.sources.expressions import Expression
from duetpy.runtime.sources.queries import parse_query
from duetpy.runtime.sources.query_plan import PRIVATE_SIZE
from duetpy.runtime.sources.reading import MISSING, NO_DROP, NOT_THIS_WAY, UNKNOWN, WRONG_VALUE, refuse
from duetpy.settings import DataFile, SettingError, resolve
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import NonPrivate, Zero
from duetpy.typecheck.quantity import KindVar
from duetpy.typecheck.show import show_type
from duetpy.valuation import Valuation, protected, valuation


@define(eq=False, repr=False)
class Arguments:
    """The arguments of a program by parameter, sorted into data and public values, and the numbers known so far."""

    function: t.PFun
    data: dict[str, object]
    values: dict[str, object]
    kinds: dict[KindVar, Fraction]

    def units(self) -> list[Unit]:
        """The privacy units that data is bound to."""
        members: dict[int, list[t.PrivateParameter]] = {}
        for parameter in self.function.parameters:
            if parameter.name in self.data:
                members.setdefault(parameter.unit, []).append(parameter)
        return [
            Unit(
                tuple(group),
                tuple(
                    tuple(parts_of(parameter.name, self.data[parameter.name], parameter.type)) for parameter in group
                ),
            )
            for group in members.values()
        ]


def privacy_function(typed: Typed) -> t.PFun:
    """The type of the program's value; raises `DuetError` where it was refused or cannot be run."""
    errors = [diagnostic for diagnostic in typed.diagnostics if diagnostic.is_error]
    if errors:
        raise DuetError(errors)
    if not isinstance(typed.type, t.PFun):
        shown = "nothing" if typed.type is None else show_type(typed.type)
        raise refuse(
            NOT_THIS_WAY,
            f"only a privacy function can be run, but this program is {shown}",
            "a sensitivity function contains no noise: use duetpy.evaluate",
        )
    return typed.type


def arguments_of(typed: Typed, data: Mapping[str | None, object], values: Mapping[str, object]) -> Arguments:
    """What was given, by the names that the program declares; raises `DuetError`."""
    function = privacy_function(typed)
    names = tuple(parameter.name for parameter in function.parameters)
    try:
        found = valuation(function, values)
        bound = _bound_data(function, names, data)
    except SettingError as error:
        raise refuse(WRONG_VALUE, str(error)) from None
    if found.unknown:
        raise refuse(UNKNOWN, f"the program has no {' and no '.join(map(visible, found.unknown))}", _declares(function))
    twice = [name for name in found.given if name in bound]
    if twice:
        raise refuse(WRONG_VALUE, f"{visible(twice[0])} is given both as data and as a public value")
    public = _public(function, found)
    # What the program protects is somebody's, whatever it was given as: it is charged and reported.
    bound.update({name: public.pop(name) for name in protected(function) if name in public})
    return Arguments(function, bound, public, dict(found.kinds))


def _declares(function: t.PFun) -> str:
    names = dict.fromkeys([*(v.name for v in function.kinds), *(p.name for p in function.parameters)])
    return f"it declares {', '.join(map(visible, names))}"


def _public(function: t.PFun, found: Valuation) -> dict[str, object]:
    names = {parameter.name for parameter in function.parameters}
    return {name: value for name, value in found.given.items() if name in names}


def _bound_data(function: t.PFun, names: tuple[str, ...], data: Mapping[str | None, object]) -> dict[str, object]:
    bound: dict[str, object] = {}
    for name, value in data.items():
        meant = only_table(function) if name is None else resolve(name, names)
        if meant is None:
            raise refuse(UNKNOWN, f"the program has no parameter {visible(str(name))}", _declares(function))
        if meant in bound:
            raise SettingError(f"{visible(meant)} is given twice")
        bound[meant] = value
    return bound


def only_table(function: t.PFun) -> str:
    """The one private table of a program; raises `DuetError` if there is not exactly one."""
    tables = [
        parameter.name
        for parameter in function.parameters
        if isinstance(parameter.type, t.Matrix) and not isinstance(parameter.cost, Zero | NonPrivate)
    ]
    if not tables:
        # A table in the clear is still the one that is meant; that it is in the clear is then the diagnostic.
        tables = [parameter.name for parameter in function.parameters if isinstance(parameter.type, t.Matrix)]
    if len(tables) != 1:
        listed = ", ".join(map(visible, tables)) or "none"
        raise refuse(
            MISSING,
            f"missing name of the parameter for the data; the private tables are: {listed}",
            "write --data NAME=FILE",
        )
    return tables[0]


def refuse_missing(arguments: Arguments, kinds: Iterable[KindVar]) -> None:
    """Tell of every parameter and every number that nothing was given for."""
    missing: list[Diagnostic] = []
    for parameter in arguments.function.parameters:
        static = isinstance(parameter.type, t.StaticNat | t.StaticReal)
        if not static and parameter.name not in arguments.data and parameter.name not in arguments.values:
            missing.append(_missing(parameter))
    told = {diagnostic.message for diagnostic in missing}
    for variable in kinds:
        message = f"missing value for {visible(variable.name)}"
        if message not in told:
            told.add(message)
            missing.append(Diagnostic(MISSING, message, help=f"add --set {visible(variable.name)}=…"))
    if missing:
        raise DuetError(missing)


def _missing(parameter: t.PrivateParameter) -> Diagnostic:
    name = visible(parameter.name)
    is_public = isinstance(parameter.cost, NonPrivate)
    if isinstance(parameter.type, t.Matrix) and not is_public:
        help = f"add --data {name}=FILE"
    elif isinstance(parameter.type, t.Matrix | t.SetOf):
        help = f"add --set {name}=@FILE"
    else:
        help = f"add --set {name}=…"
    return Diagnostic(MISSING, f"missing value for {name} : {show_type(parameter.type)}", help=help)


def files_of(arguments: Arguments) -> dict[str, tuple[tuple[int, ...] | None, ...]]:
    """What the system says of the files that each argument names."""
    found: dict[str, tuple[tuple[int, ...] | None, ...]] = {}
    for parameter in arguments.function.parameters:
        value = (arguments.data | arguments.values).get(parameter.name)
        path = value.path if isinstance(value, DataArgument | DataFile) else value
        # Where no table is wanted, a text is somebody's and names no file.
        is_file = path is not value or isinstance(parameter.type, t.Matrix)
        if is_file and isinstance(path, str | PathLike):
            origin = os.fspath(path)
            found[origin] = tuple(map(_seen, files.files_of(origin)))
    return found


def _seen(path: str) -> tuple[int, ...] | None:
    try:
        seen = os.stat(path)
    except (OSError, ValueError):
        return None
    return (seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns)


def refuse_other_rows(arguments: Arguments) -> None:
    """Raise D0616 for aligned tables of which a query chooses the rows, unless queries choose the same rows for all of them: a row
    that enters one of them need not enter the others, and their numbers of rows would show it."""
    for unit in arguments.units():
        chosen = [_rows_chosen(arguments.data[parameter.name], parameter.type) for parameter in unit.parameters]
        if any(each != chosen[0] for each in chosen):
            names = " and ".join(visible(parameter.name) for parameter in unit.parameters)
            message = f"{names} are aligned, and WHERE chooses the rows of one of them"
            help = "write the same WHERE in the queries for all of them, on the same table; or declare them without ⟨ ⟩"
            raise refuse(PRIVATE_SIZE, message, help)


def _rows_chosen(value: object, type_: t.Type) -> tuple[str, str | None, Expression] | None:
    """The rows that a query chooses: its table and its condition; None where it takes all, and of all other data."""
    path = value.path if isinstance(value, DataArgument | DataFile) else value
    if not isinstance(type_, t.Matrix) or not isinstance(path, str | PathLike) or not os.fspath(path).startswith(SQL):
        return None
    select = parse_query(os.fspath(path))
    return None if select.where is None else (select.file, select.table, select.where)


def refuse_dropping(arguments: Arguments) -> None:
    """Raise D0620 where a row that is left out would show: each private parameter must be a table of a private number of rows, and
    aligned to no other."""
    units = Counter(parameter.unit for parameter in arguments.function.parameters)
    for parameter in arguments.function.parameters:
        if parameter.name in arguments.data:
            type_ = parameter.type
            while isinstance(type_, t.Disc | t.Box):
                type_ = type_.inner
            if not isinstance(type_, t.Matrix):
                reason = "is not a table"
            elif type_.rows is not None:
                reason = "is a table with a public number of rows"
            elif units[parameter.unit] > 1:
                reason = "is aligned with another table, which would keep the row"
            else:
                continue
            message = f"bad rows cannot be dropped: {visible(parameter.name)} : {show_type(parameter.type)} {reason}"
            raise refuse(NO_DROP, message, "run with --on-bad-row default, or declare one table with ★ rows")
