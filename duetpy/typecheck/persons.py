"""Tables of persons: for each one an identifier and, from each file, all the rows that file has of them.

    persons[patient : 𝕊 | visits : 𝔻𝔽[…]]  =  𝕄 [L∞, U | ★, patient : 𝕊 ∷ visits : 𝐝 𝔻𝔽[…] ∷ []]

A person is one row. The rows of a file are a *block*, which has the discrete distance: whatever else a person's rows become, the
block has moved by 1. So the rules for tables of discrete columns hold, with *row* read as *person*, and nothing here is a distance
of its own.

Of persons on a roster, a public set, there are as many as it has elements, and a row is that of the same person in all tables:

    persons[patient : 𝕊 in roster | visits : 𝔻𝔽[…]]  =  𝕄 [L∞, U | m, patient : 𝕊 ∷ visits : 𝐝 𝔻𝔽[…] ∷ []]          m = |roster|

A block is kept in one order, which its content decides (`duetpy.runtime.sources.persons`), so that the place of a row in it is a
function of the person.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import Quantity


@frozen(eq=False, repr=False)
class Persons(ByValue):
    """What a table of persons is read from.

    Parameters
    ----------
    identifier
        The column that says whose rows they are.
    files
        The columns of each file other than the identifier, by its name.
    roster
        The name of the set whose elements they are; None for whoever the files have rows of.
    """

    identifier: t.Column
    files: tuple[tuple[str, t.Matrix], ...]
    roster: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.files)


def persons_of(type_: t.Type) -> Persons | None:
    """What a type of persons consists of; None of any other type."""
    match type_:
        case t.Matrix(Norm.LINF, None, rows, t.Columns((identifier, *blocks))) if blocks:
            roster = None if rows is None else roster_of(rows)
            files = [(column.name, block_in(column.type)) for column in blocks]
            found = tuple((name, block) for name, block in files if name is not None and block is not None)
            is_whole = len(found) == len(blocks) and all(is_file(block) for _, block in found)
            named = identifier.name is not None and identifies(identifier.type)
            is_bound = rows is None or roster is not None
            return Persons(identifier, found, roster) if is_whole and named and is_bound else None
        case _:
            return None


def size_of(roster: str) -> str:
    """What the number of the persons on a roster is called: a name that no program can write."""
    return f"|{roster}|"


def roster_of(rows: Quantity) -> str | None:
    """The roster that a number of rows is the size of."""
    named = [variable.name for variable in rows.variables() if rows == Quantity.var(variable)]
    return named[0][1:-1] if named and named[0].startswith("|") else None


def is_roster_of(type_: t.Type, persons: Persons) -> bool:
    """Whether a type is that of sets of identifiers of these persons."""
    return isinstance(type_, t.SetOf) and _undiscrete(type_.element) == _undiscrete(persons.identifier.type)


def _undiscrete(type_: t.Type) -> t.Type:
    return type_.inner if isinstance(type_, t.Disc) else type_


def files_by_name(types: Mapping[str, t.Type]) -> dict[str, tuple[str, str]]:
    """By each name under which data may be given for a file of persons, the parameter and the file.

    A file is called ``people.visits``, or ``visits`` where nothing else has that name.
    """
    found: dict[str, tuple[str, str]] = {}
    short: dict[str, list[tuple[str, str]]] = {}
    for name, type_ in types.items():
        persons = persons_of(type_)
        for file in persons.names if persons is not None else ():
            found[f"{name}.{file}"] = (name, file)
            short.setdefault(file, []).append((name, file))
    alone = {file: owners[0] for file, owners in short.items() if len(owners) == 1 and file not in types}
    return {**alone, **found}


def names_of_file(file: tuple[str, str], files: Mapping[str, tuple[str, str]]) -> list[str | None]:
    """The names under which data for a file may be given: of a table without other files also the table's own, or none."""
    is_alone = all(other == file for other in files.values() if other[0] == file[0])
    return [*(name for name in files if files[name] == file), *([file[0], None] if is_alone else [])]


def block_in(type_: t.Type) -> t.Matrix | None:
    """The table that a block is, inside its row; None for any other type."""
    match type_:
        case t.Disc(t.Matrix(rows=None) as table):
            return table
        case _:
            return None


def columns_of(file: t.Matrix) -> tuple[t.Column, ...]:
    """The columns of a file."""
    return file.schema.columns if isinstance(file.schema, t.Columns) else ()


def holds_blocks(type_: t.Type) -> bool:
    """Whether a value of the type may have a block in it."""
    return any(block_in(part) is not None for part in t.parts_of(type_))


def identifies(type_: t.Type) -> bool:
    """Whether values of a type can be identifiers: they are compared exactly, and are discrete."""
    return type_ in (t.STR, t.Disc(t.STR), t.Disc(t.NAT))


def is_file(type_: t.Type) -> bool:
    """Whether a type is that of the rows of one file: named columns, each of plain cells."""
    match type_:
        case t.Matrix(Norm.LINF, None, None, t.Columns(columns)) if columns:
            return all(column.name is not None and _is_cell(column.type) for column in columns)
        case _:
            return False


def _is_cell(type_: t.Type) -> bool:
    inner = type_.inner if isinstance(type_, t.Maybe) else type_
    inner = inner.inner if isinstance(inner, t.Disc) else inner
    return isinstance(inner, t.Nat | t.Real | t.Bounded | t.Bool | t.Str | t.Date)


def is_in_order(judged: Judged) -> bool:
    """Whether a table of unknown size may be gone over in the order of its rows: the place of each is a function of inputs of which
    any change is charged in full, or the table is public."""
    in_full = all(moved.is_infinite for moved in judged.context.entries.values())
    return in_full and (judged.ordered or judged.is_public)
