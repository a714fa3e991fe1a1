"""What was given to a program, sorted: data, which is somebody's, and public values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from os import PathLike

from attrs import define, evolve

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import as_word, given_with_set, visible
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.run_costs import Unit, of_aligned, only_replaced
from duetpy.runtime.release.whose_rows import parts_of, sources_by_file, sources_of
from duetpy.runtime.sources.column_selection import SQL, DataArgument
from duetpy.runtime.sources.elements import settled
from duetpy.runtime.sources.expressions import Expression
from duetpy.runtime.sources.looks import path_of
from duetpy.runtime.sources.persons import persons_data
from duetpy.runtime.sources.queries import parse_query
from duetpy.runtime.sources.query_plan import PRIVATE_SIZE
from duetpy.runtime.sources.reading import MISSING, NO_DROP, NOT_THIS_WAY, UNKNOWN, WRONG_VALUE, refuse
from duetpy.settings import DataFile, SettingError, or_else, resolve
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import NonPrivate, Zero
from duetpy.typecheck.neighbours import has_rows
from duetpy.typecheck.persons import files_by_name, persons_of
from duetpy.typecheck.quantity import Kind, KindVar
from duetpy.typecheck.show import show_type
from duetpy.typecheck.solve import as_variable
from duetpy.typecheck.units import units_of
from duetpy.valuation import Valuation, protected, valuation

OTHER_PEOPLE = "D0640"


@define(eq=False, repr=False)
class Arguments:
    """The arguments of a program by parameter, sorted into data and public values, and the numbers known so far."""

    function: t.PFun
    data: dict[str, object]
    values: dict[str, object]
    kinds: dict[KindVar, Fraction]

    @property
    def public(self) -> list[t.PrivateParameter]:
        """The parameters that a public value is read for."""
        return [
            parameter
            for parameter in self.function.parameters
            if parameter.name not in self.data and not isinstance(parameter.type, t.StaticNat | t.StaticReal)
        ]

    @property
    def hopeless(self) -> list[KindVar]:
        """Kind variables that no table can give a number to, and that were given none: of a table of 2⋅m rows nothing says m."""
        in_tables: set[KindVar | None] = set()
        for parameter in self.function.parameters:
            if isinstance(parameter.type, t.Matrix):
                sizes = [parameter.type.width] + ([] if parameter.type.rows is None else [parameter.type.rows])
                in_tables.update(map(as_variable, sizes))
        return [
            variable
            for variable in self.function.kinds
            if variable.kind is not Kind.TYPE and variable not in self.kinds and variable not in in_tables
        ]

    def units(self) -> list[Unit]:
        """The privacy units that data is bound to."""
        given = [parameter for parameter in self.function.parameters if parameter.name in self.data]
        units = [
            Unit(
                unit.parameters,
                tuple([tuple(parts_of(each.name, self.data[each.name], each.type)) for each in unit.parameters]),
                unit.cost,
            )
            for unit in units_of(given)
        ]
        units = of_aligned(units)
        return [evolve(unit, fixed=only_replaced(units)) for unit in units]


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
        message = f"the program has no {' and no '.join(map(visible, found.unknown))}"
        raise refuse(UNKNOWN, message, _declares(function, found.unknown[0]))
    twice = [name for name in found.given if name in bound]
    if twice:
        raise refuse(WRONG_VALUE, f"{visible(twice[0])} is given both as data and as a public value")
    public = _public(function, found)
    # What the program protects is somebody's, whatever it was given as: it is charged and reported.
    bound.update({name: public.pop(name) for name in protected(function) if name in public})
    types = {parameter.name: parameter.type for parameter in function.parameters}
    bound, public = ({name: settled(each, types[name]) for name, each in given.items()} for given in (bound, public))
    return Arguments(function, bound, public, dict(found.kinds))


def _declares(function: t.PFun, name: str) -> str:
    """What the program declares, and which of it somebody meant who wrote another name."""
    names = dict.fromkeys([*(v.name for v in function.kinds), *(p.name for p in function.parameters)])
    return f"it declares {', '.join(map(visible, names))}{or_else(name, names)}"


def _public(function: t.PFun, found: Valuation) -> dict[str, object]:
    names = {parameter.name for parameter in function.parameters}
    return {name: value for name, value in found.given.items() if name in names}


def _bound_data(function: t.PFun, names: tuple[str, ...], data: Mapping[str | None, object]) -> dict[str, object]:
    bound: dict[str, object] = {}
    types = {parameter.name: parameter.type for parameter in function.parameters}
    files, by_file = files_by_name(types), dict[str, dict[str, object]]()
    for name, value in data.items():
        if name is not None and resolve(name, names) is None and (file := resolve(name, files)) is not None:
            owner, own = files[file]
            if own in by_file.setdefault(owner, {}):
                raise SettingError(f"{visible(file)} is given twice")
            by_file[owner][own] = value
            continue
        meant = only_table(function) if name is None else resolve(name, names)
        if meant is None:
            message = f"the program has no parameter {visible(str(name))}"
            raise refuse(UNKNOWN, message, _declares(function, str(name)))
        if meant in bound:
            raise SettingError(f"{visible(meant)} is given twice")
        bound[meant] = value
    twice = [name for name in by_file if name in bound]
    if twice:
        raise SettingError(f"{visible(twice[0])} is given twice")
    bound.update(by_file)
    for name, given in bound.items():
        persons = persons_of(types[name])
        if persons is not None:
            bound[name] = persons_data(given, persons, name)
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
    """Report every parameter and every number for which nothing was given."""
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
            missing.append(Diagnostic(MISSING, message, help=f"add {given_with_set([variable.name])}"))
    if missing:
        raise DuetError(missing)


def _missing(parameter: t.PrivateParameter) -> Diagnostic:
    name = visible(parameter.name)
    is_public = isinstance(parameter.cost, NonPrivate)
    persons = persons_of(parameter.type)
    if persons is not None:
        help = f"add {' '.join(f'--data {as_word(file)}=FILE' for file in persons.names)}"
    elif isinstance(parameter.type, t.Matrix) and not is_public:
        help = f"add --data {as_word(parameter.name)}=FILE"
    elif isinstance(parameter.type, t.Matrix | t.SetOf):
        help = f"add --set {as_word(parameter.name)}=@FILE"
    else:
        help = f"add {given_with_set([parameter.name])}"
    return Diagnostic(MISSING, f"missing value for {name} : {show_type(parameter.type)}", help=help)


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


def refuse_other_people(arguments: Arguments) -> None:
    """Raise D0640 where it is not clear what one person's rows are: a file of persons holds any number of rows of one person, so no
    other parameter may count a row of it as a person, and no file may say by two columns whose a row is. That all tables of persons
    say in one way who is who, the checker sees to (`duetpy.typecheck.units.apart`)."""
    units = arguments.units()
    own = [unit for unit in units if unit.persons is not None]
    for unit in own:
        assert unit.persons is not None
        for other in units:
            if other.persons is None and other.has_rows and unit.shares(other):
                message = f"rows of {other.names} may be rows of the persons in {unit.names}"
                help = f"declare {other.names} as persons[…] too, or give both as files that are not the same"
                raise refuse(OTHER_PEOPLE, message, help)
    named = [
        (source, column, file)
        for unit in own
        for parameter in unit.parameters
        for file, source, column in sources_by_file(arguments.data[parameter.name], parameter.type)
    ]
    for at, (source, column, file) in enumerate(named):
        for other_source, other_column, other_file in named[:at]:
            if column != other_column and source.is_one(other_source):
                message = f"{visible(other_file)} and {visible(file)} identify persons by two columns of one file"
                raise refuse(OTHER_PEOPLE, message, "name the same column for both with --id")


def refuse_public_rows(arguments: Arguments) -> None:
    """Raise D0611 where the same file, or the same object, is data and a public value: what a result says of the public value it
    would say of the rows, whatever they cost, and also if they cost nothing."""
    rows = [(unit, source) for unit in arguments.units() for source in unit.sources]
    for parameter in arguments.public:
        if parameter.name not in arguments.values or not has_rows(parameter.type):
            continue
        for public in sources_of(parameter.name, arguments.values[parameter.name], parameter.type):
            for unit, source in rows:
                if source.is_one(public):
                    what = source.name if source.is_known or isinstance(source.memory, str) else "an object"
                    message = (
                        f"{what} is given as data for {unit.names} and as the public value {visible(parameter.name)}"
                    )
                    help = "write what is public into a file of its own, and give that"
                    raise refuse(WRONG_VALUE, message, help)


def _rows_chosen(value: object, type_: t.Type) -> tuple[str, str | None, Expression] | None:
    """The rows that a query chooses: its table and its condition; None where it takes all, and of all other data."""
    path = value.path if isinstance(value, DataArgument | DataFile) else value
    if not isinstance(type_, t.Matrix) or not isinstance(path, str | PathLike) or not path_of(path).startswith(SQL):
        return None
    select = parse_query(path_of(path))
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
            elif persons_of(type_) is not None:
                # The number of those on a roster stays the same, whatever lines there are.
                continue
            elif type_.rows is not None:
                reason = "is a table with a public number of rows"
            elif units[parameter.unit] > 1:
                reason = "is aligned with another table, which would keep the row"
            else:
                continue
            message = f"bad rows cannot be dropped: {visible(parameter.name)} : {show_type(parameter.type)} {reason}"
            raise refuse(NO_DROP, message, "run with --on-bad-row default, or declare one table with ★ rows")
