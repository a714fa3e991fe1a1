"""Where bad cells become defaults: each column must say what becomes of them.

A cell that silently counts as 0 makes a wrong number: of 1,309 passengers, 263 of them without an age, the mean age would be 24 and
not 30. What a column declares (``age : 𝔻 else 40``), or that its cells may be missing, stands in the program, so that this is
known before a file is opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.exact.rationals import to_double
from duetpy.runtime.release.arguments import Arguments
from duetpy.runtime.sources.cells import shown_end
from duetpy.runtime.sources.column_selection import DataArgument
from duetpy.runtime.sources.given import halves_of, side_of
from duetpy.runtime.sources.ranges import nearest_in
from duetpy.runtime.sources.reading import NO_DEFAULT
from duetpy.runtime.sources.registry import is_source
from duetpy.settings import DataFile
from duetpy.typecheck import types as t
from duetpy.typecheck.persons import persons_of
from duetpy.typecheck.show import show_type


def refuse_without_defaults(arguments: Arguments) -> None:
    """Raise D0614 where a cell of data could be bad and its column does not say what stands in its place."""
    found = [
        Diagnostic(
            NO_DEFAULT, f"a bad cell of {_place(parameter.name, column)} has no default", help=_help(column, cell)
        )
        for parameter in arguments.function.parameters
        if parameter.name in arguments.data
        for column, cell in undeclared(parameter.type, arguments.data[parameter.name])
    ]
    if found:
        raise DuetError(tuple(found))


def _place(name: str, column: str) -> str:
    """A column of a parameter; a file of persons that is called like the table, as with ``--persons``, is named once."""
    table = visible(name)
    return column.removeprefix(".") if column.startswith(f".{table}.") else f"{table}{column}"


def undeclared(type_: t.Type, value: object) -> Iterator[tuple[str, t.Type]]:
    """The columns of what a value is bound to whose bad cells nothing is declared for: as ``.age``, with their types; one without a
    name is nothing. A set is a column where it is a file; any other set is a single value."""
    match type_:
        case t.Disc(inner) | t.Box(_, inner):
            yield from undeclared(inner, value)
        case t.Product(left, right) | t.With(left, right):
            first, second = halves_of(value)
            yield from undeclared(left, first)
            yield from undeclared(right, second)
        case t.Sum(left, right):
            _, held = side_of(value)
            yield from undeclared(left, held)
            yield from undeclared(right, held)
        case t.SetOf(element) if isinstance(value, DataFile | DataArgument) or is_source(value):
            yield from _of_column(t.Column(None, element))
        case t.Matrix(schema=t.Uniform(_, element, default)):
            yield from _of_column(t.Column(None, element, default))
        case t.Matrix() if (persons := persons_of(type_)) is not None:
            # A line whose identifier is bad is nobody's, so that only the columns of the files are left.
            for name, file in persons.files:
                yield from ((f".{visible(name)}{column}", cell) for column, cell in undeclared(file, None))
        case t.Matrix(schema=t.Columns(columns)):
            for column in columns:
                yield from _of_column(column)
        case _:
            # A single value is in no column; one that may be missing is missing where it is bad.
            return


def _of_column(column: t.Column) -> Iterator[tuple[str, t.Type]]:
    """A column, or those of the parts of its cells, where nothing is declared for a bad one."""
    match column.type:
        case t.Disc(inner) if not isinstance(inner, t.Real | t.Bounded | t.Nat | t.Idx | t.Bool | t.Date):
            yield from _of_column(t.Column(column.name, inner, column.default))
        case t.Disc() | t.Real() | t.Bounded() | t.Nat() | t.Idx() | t.Bool() | t.Date():
            if column.default is None:
                yield "" if column.name is None else f".{visible(column.name)}", column.type
        case t.Product(left, right):
            yield from _of_column(t.Column(column.name, left))
            yield from _of_column(t.Column(column.name, right))
        case t.Matrix():
            yield from undeclared(column.type, None)
        case _:
            # A missing value, or a text, is what it is; a static number is the one that its type says.
            return


def _help(column: str, cell: t.Type) -> str:
    name, shown, optional = column.rpartition(".")[2], show_type(cell), show_type(t.Maybe(cell))
    typed, missing = (f"{name} : {shown}", f"{name} : {optional}") if name else (f"n⋅{shown}", f"n⋅{optional}")
    inner = cell.inner if isinstance(cell, t.Disc) else cell
    if isinstance(inner, t.Date):
        return f"declare that a bad cell is missing, `{missing}`; or run with --on-bad-row refuse or drop"
    default = "false" if isinstance(inner, t.Bool) else "0"
    if isinstance(inner, t.Bounded):
        default = shown_end(to_double(nearest_in(inner, Fraction(0))))
    return (
        f"declare what a bad cell counts as, such as `{typed} else {default}`, or that it is missing, `{missing}`; "
        "or run with --on-bad-row refuse"
    )
