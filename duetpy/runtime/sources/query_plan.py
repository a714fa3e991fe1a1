"""What a query makes of the blocks of a table.

Contract. Everything that is wrong with a query is found from the columns that the table has, before a cell is read. A row of a
block makes one row, or none where the condition is not true of it, from its own cells alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from duetpy.runtime.sources.array_cells import ArrowTable, TypedCells, array_of, kind_of, numbers_in, words_in
from duetpy.runtime.sources.cell_kinds import NUMBERS, TEXTS
from duetpy.runtime.sources.expressions import (
    LONGEST_TEXT,
    Column,
    Expression,
    columns_of,
    computed,
    kind_in,
    refusal,
    texts_in,
)
from duetpy.runtime.sources.frames import Heading
from duetpy.runtime.sources.problems import COLUMNS, HEADER, Problems
from duetpy.runtime.sources.queries import Select
from duetpy.runtime.sources.room import Room
from duetpy.runtime.sources.row_functions import Numbers, Vector, Words, is_true, part_of
from duetpy.runtime.sources.table import ColumnSpec, Kind

PRIVATE_SIZE = "D0616"

ROWS_AT_ONCE = 1 << 13
"""For which a query is computed."""

_NUMBER = ColumnSpec(None, Kind.REAL)
_TEXT = ColumnSpec(None, Kind.TEXT)


@frozen
class Plan:
    """A query whose columns are known.

    Parameters
    ----------
    items
        What is selected, by name, with its kind: ``n`` numbers, ``t`` texts.
    where
        Which rows are there; None for all.
    kinds
        The columns of the table that are read.
    rows
        How many rows the table has.
    longest
        How many characters a text of the table may have; None for any number.
    """

    items: tuple[tuple[str, Expression, str], ...]
    where: Expression | None
    kinds: Mapping[str, str]
    rows: int
    longest: int | None = None

    @property
    def limit(self) -> int:
        """How many characters a text that the query makes may have."""
        return LONGEST_TEXT if self.longest is None else min(self.longest, LONGEST_TEXT)

    def within(self, room: Room, origin: str) -> Plan:
        """The plan with a limit to its texts where the number of rows is public: so many characters that all texts which the query
        reads or makes fit into memory together with the result.

        Raises
        ------
        DuetError
            D0619 where there is no room for short ones.
        """
        if not room.is_public:
            return self
        parts = [item for _, item, _ in self.items] + ([] if self.where is None else [self.where])
        texts = list(self.kinds.values()).count("t") + sum(texts_in(part, self.kinds) for part in parts)
        held = [_TEXT] * texts + [_TEXT if kind == "t" else _NUMBER for _, _, kind in self.items]
        room.refuse_more(origin, self.rows, held)
        return evolve(self, longest=evolve(room, rows=self.rows).longest(held))

    @property
    def names(self) -> list[str]:
        return list(self.kinds)

    @property
    def empty(self) -> dict[str, TypedCells]:
        """The result without rows."""
        return {name: TypedCells(np.empty(0), _LETTERS[kind]) for name, _, kind in self.items}

    def rows_of(self, block: object) -> Iterator[dict[str, TypedCells]]:
        """The rows that a block of the table makes, some at a time: how many there are shall not decide how much memory the
        functions of a query take, which somebody may choose."""
        given = cells_by_name(block)
        columns = {name: _vector(given[name], kind, self.longest) for name, kind in self.kinds.items()}
        rows = len(next(iter(columns.values())).missing)
        for start in range(0, rows, ROWS_AT_ONCE):
            some = slice(start, start + ROWS_AT_ONCE)
            yield self._made({name: part_of(vector, some) for name, vector in columns.items()})

    def _made(self, columns: Mapping[str, Vector]) -> dict[str, TypedCells]:
        rows = len(next(iter(columns.values())).missing)
        kept = np.ones(rows, dtype=np.bool_)
        if self.where is not None:
            condition = computed(self.where, columns, rows, longest=self.limit)
            assert isinstance(condition, Numbers)
            kept = is_true(condition)
        return {name: _cells(computed(item, columns, rows, kind, self.limit), kept) for name, item, kind in self.items}


_LETTERS = {"n": "f", "t": "U"}


def names_in(select: Select, origin: str) -> list[str] | None:
    """The columns that a query mentions, None where it asks for all; raises `DuetError` D0615 where it mentions none."""
    if None in select.items:
        return None
    parts = [item[1] for item in select.items if item is not None] + ([] if select.where is None else [select.where])
    names = list(dict.fromkeys(name for part in parts for name in columns_of(part)))
    if not names:
        raise refusal(origin, "it mentions no column of the table")
    return names


def planned(select: Select, heading: Heading, names: Sequence[str] | None, origin: str) -> Plan:
    """A query on a table with these columns.

    Raises
    ------
    DuetError
        D0603 a column is missing; D0607 two have one name, in the table or in the result; D0615 the query mentions a column
        that holds neither numbers nor texts, or uses one for the other.
    """
    found = _kinds(heading.columns)
    mentioned = list(dict.fromkeys(name for name, _ in found)) if names is None else names
    items = [
        item
        for each in select.items
        for item in ([(name, Column(name)) for name, _ in found] if each is None else [each])
    ]
    where = [] if select.where is None else list(columns_of(select.where))
    _refuse_columns(
        [*mentioned, *where], Counter(name for name, _ in found), Counter(name for name, _ in items), origin
    )
    kinds = {name: kind for name, kind in found if name in {*mentioned, *where}}
    for name, kind in kinds.items():
        if kind not in _LETTERS:
            what = f"the column '{name}' contains neither numbers nor texts, and a query reads nothing else"
            raise refusal(origin, what)
    if select.where is not None and kind_in(select.where, kinds, origin) != "n":
        raise refusal(origin, "the condition is a text")
    return Plan(
        tuple((name, item, kind_in(item, kinds, origin)) for name, item in items), select.where, kinds, heading.rows
    )


def _refuse_columns(mentioned: Sequence[str], found: Counter[str], made: Counter[str], origin: str) -> None:
    problems = Problems(origin)
    for name in dict.fromkeys(mentioned):
        if found[name] == 0:
            problems.add(COLUMNS, f"the column '{name}' is missing")
    for name in dict.fromkeys(
        [*(name for name in mentioned if found[name] > 1), *(each for each in made if made[each] > 1)]
    ):
        problems.add(HEADER, f"there are {max(found[name], made[name])} columns '{name}'")
    problems.raise_if_any()


def cells_by_name(block: object) -> dict[str, object]:
    """The columns of a block of a table."""
    if isinstance(block, Mapping):
        return dict(block)
    assert isinstance(block, ArrowTable)
    return {name: block.column(at) for at, name in enumerate(block.column_names)}


def _kinds(columns: object) -> list[tuple[str, str]]:
    """The columns of a table without rows, and what they hold: ``n``, ``t`` or neither."""
    if isinstance(columns, Mapping):
        named = [(str(name), column) for name, column in columns.items()]
    else:
        assert isinstance(columns, ArrowTable)
        named = [(name, columns.column(at)) for at, name in enumerate(columns.column_names)]
    return [(name, _kind(column)) for name, column in named]


def _kind(column: object) -> str:
    letter = kind_of(column)
    # A column in which every cell is missing has no type.
    return "n" if letter is None or letter in NUMBERS else "t" if letter in TEXTS else ""


def _vector(column: object, kind: str, longest: int | None) -> Vector:
    cells = array_of(column)
    if kind == "n":
        values, missing = numbers_in(cells, _NUMBER)
        return Numbers(values, missing)
    texts, missing = words_in(cells, evolve(_TEXT, longest=longest))
    return Words(texts, missing)


def _cells(vector: Vector, kept: NDArray[np.bool_]) -> TypedCells:
    if isinstance(vector, Numbers):
        return TypedCells(np.ma.MaskedArray(vector.values[kept], vector.missing[kept]), "f")
    texts = vector.values[kept]
    texts[vector.missing[kept]] = None
    return TypedCells(texts, "U")
