"""Data that is in memory already: arrays, rows, data frames.

Contract. :func:`from_arrays` takes numpy arrays (plain, structured, masked), lists of rows, mappings of columns, and
the frames of pandas, Polars and Arrow, none of which is imported: a frame is known by its methods. What comes out is a
:class:`~duetpy.runtime.sources.table.Table` under the same rules for bad rows as a file: ``refuse`` raises every bad
cell by row and column, never by value; ``default`` is total, and puts the column's default where a cell is not finite,
missing or of another kind; ``drop`` leaves such rows out. The caller's arrays are copied, not kept.

The cells of lists are read one by one. An array or a column of a data frame has one type for all of its cells, and where a
library has chosen it, one cell may have decided it: a word among numbers makes texts of all of them. So a column of numbers
is refused where it has a type of texts, of complex numbers or of times, or where it holds objects and one is a text; a
column of texts is refused where it holds numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, Sized

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.array_cells import (
    WORDS,
    Array,
    ArrowTable,
    Cells,
    DataFrame,
    are_finite,
    are_good,
    array_of,
    is_askable,
    is_nobodys,
    kind_of,
    numbers_in,
    of_each,
    words_in,
)
from duetpy.runtime.sources.cell_kinds import OBJECTS, is_stranger, kinds_of
from duetpy.runtime.sources.cells import expected
from duetpy.runtime.sources.column_selection import Binding, Declared, Header, Selection, bind, declared_names
from duetpy.runtime.sources.csv import BadRowRule
from duetpy.runtime.sources.listed_rows import (
    are_names,
    are_plain,
    by_name,
    cells_of,
    columns_in,
    fields_in,
    in_pieces,
    name_of,
)
from duetpy.runtime.sources.problems import (
    BAD_CELL,
    COLUMNS,
    DECIDED,
    EMPTY,
    HEADER,
    LISTED,
    UNREADABLE,
    Problems,
    refuse,
)
from duetpy.runtime.sources.records import MOST_COLUMNS, characters_in, instead_of_value
from duetpy.runtime.sources.room import Room
from duetpy.runtime.sources.stacking import Ground, Part, stacked
from duetpy.runtime.sources.table import BLOCK_ROWS, ColumnSpec, Kind, Outline, Table

CELLS_AT_ONCE = 1 << 16
"""So many cells are verified and copied at once."""

_PLAINLY = "give a mapping from names to columns, a data frame that is in memory, or numpy.asarray(…) if its columns have no names"
_STATE_COLUMNS = "say how many, as in run(…, n=4), or give an array of two dimensions"


@frozen(eq=False)
class _Frame:
    """Columns of equal length, with names where the data has them.

    Parameters
    ----------
    kinds
        For each column the kind of the type that all of its cells have; None where they were given one by one.
    matrix
        The array whose columns these are, if they are.
    """

    names: tuple[str, ...] | None
    columns: tuple[Cells, ...]
    rows: int
    kinds: tuple[str | None, ...]
    matrix: Cells | None = None


def from_arrays(
    value: object,
    columns: Declared,
    origin: str = "the data",
    selection: Selection | None = None,
    on_bad_row: BadRowRule = "refuse",
    block_rows: int = BLOCK_ROWS,
    *,
    holds_types: bool = True,
    is_file: bool = False,
    by_rows: bool = False,
) -> Table:
    """Turn data in memory into a table of declared columns.

    Parameters
    ----------
    value
        A :class:`Table`; an array of shape (rows,) or (rows, columns) or of records; a list of numbers or of rows; a
        mapping from names to columns; a data frame of pandas, Polars or Arrow.
    columns
        The declared columns; or one declaration for as many columns as there are.
    origin
        The name of the data in messages, such as the parameter that it is bound to.
    selection
        Columns picked by name or position; None for all.
    on_bad_row
        ``refuse``, ``default`` or ``drop``, see above.
    block_rows
        Rows a block of the resulting table.
    holds_types
        Whether columns are refused whose type one cell may have decided. Otherwise each of their cells is looked at by
        itself.
    is_file
        Whether the value is what a file holds: its columns then have types whether there are rows or not.
    by_rows
        Whether the rows of a matrix in which each stands together stay so in memory.

    Raises
    ------
    DuetError
        D0603 the value has no columns, or others than the declared; D0607 two columns have one name; D0618 the type of a
        column may be what one cell decided; D0601 the value raised an exception. With ``refuse`` also D0602 no row, D0604
        bad cells, D0605 rows of different lengths.
    """
    rule, holds = on_bad_row, holds_types
    blocks = [value] if rule == "refuse" else in_pieces(value)
    return from_blocks(
        blocks, columns, origin, selection, rule, block_rows, holds_types=holds, is_file=is_file, by_rows=by_rows
    )


def from_blocks(
    blocks: Iterable[object],
    columns: Declared,
    origin: str,
    selection: Selection | None,
    on_bad_row: BadRowRule,
    block_rows: int,
    *,
    holds_types: bool,
    is_file: bool,
    expected: int | None = None,
    room: Room | None = None,
    by_rows: bool = False,
) -> Table:
    """Turn data that comes in runs of rows into a table; see `from_arrays`.

    Parameters
    ----------
    blocks
        One or more, each as `from_arrays` takes it, with the same columns.
    expected
        How many rows there are in all, where that is known: the first block may have none.
    room
        The memory for the table.
    by_rows
        As in `from_arrays`.

    Raises
    ------
    DuetError
        As `from_arrays`; D0619 where the rows do not fit into memory.
    """
    rule, holds = on_bad_row, holds_types
    ground = None if expected is None else Ground(expected)
    found = tables_of(
        blocks,
        columns,
        origin,
        selection,
        rule,
        holds_types=holds,
        is_file=is_file,
        room=room,
        ground=ground,
        by_rows=by_rows,
    )
    parts: list[Part] = []
    declared: tuple[ColumnSpec, ...] = ()
    rows = 0
    for table in found:
        declared = table.columns
        parts.append((table.numbers, table.texts))
        rows += table.rows
    numbers, texts = stacked(parts, rows, None if ground is None else ground.whole)
    return Table(declared, numbers, texts, block_rows=block_rows)


def tables_of(
    blocks: Iterable[object],
    columns: Declared,
    origin: str,
    selection: Selection | None,
    on_bad_row: BadRowRule,
    *,
    holds_types: bool,
    is_file: bool,
    room: Room | None,
    ground: Ground | None = None,
    by_rows: bool = False,
) -> Iterator[Table]:
    """The tables of the runs of rows, one after another; see `from_blocks`. What is wrong with cells is raised after the last."""
    is_total = on_bad_row != "refuse"
    problems = Problems(origin)
    rows, characters, expected = 0, 0, 0 if ground is None else ground.rows
    for value in blocks:
        frame = _whole(value, columns, origin, is_total)
        bindings = _bound(frame, columns, selection, origin)
        bindings = bindings if room is None else room.limited(bindings)
        declared = tuple(binding.column for binding in bindings)
        if holds_types:
            _refuse_types(frame, bindings, origin, is_file=is_file)
            _refuse_mixed(frame, bindings, origin)
        if room is not None:
            room.refuse_more(origin, max(expected, rows + frame.rows), declared)
        width = sum(column.kind.is_numeric for column in declared)
        numbers = None if ground is None else ground.place(rows, frame.rows, width)
        # Numbers are kept column by column, unless only whole rows are wanted.
        is_by_rows = by_rows and frame.matrix is not None and frame.matrix.flags.c_contiguous
        numbers = np.empty((frame.rows, width), order="C" if is_by_rows else "F") if numbers is None else numbers
        texts, bad = _cells_in(frame, bindings, numbers)
        if room is not None and not room.is_public:
            characters += characters_in(texts)
            room.refuse_more(origin, rows + frame.rows, declared, characters)
        if not is_total:
            _add_bad(bad, frame, bindings, problems, rows)
        if on_bad_row == "drop" and bad.any():
            kept = ~bad.any(axis=1)
            numbers, texts = np.asfortranarray(numbers[kept]), texts[kept]
        yield Table(declared, numbers, texts)
        rows += len(numbers)
    if not rows and not is_total:
        refuse(EMPTY, "there are no data rows", origin)
    problems.raise_if_any()


def _cells_in(
    frame: _Frame, bindings: Sequence[Binding], numbers: NDArray[np.float64]
) -> tuple[NDArray[np.object_], NDArray[np.bool_]]:
    """The texts of the bound columns with defaults for the bad cells, and which are bad; their numbers are put into the array."""
    is_number = np.array([binding.column.kind.is_numeric for binding in bindings], dtype=np.bool_)
    places = np.where(is_number, np.cumsum(is_number), np.cumsum(~is_number)) - 1
    texts = np.empty((frame.rows, int((~is_number).sum())), dtype=np.object_, order="F")
    bad = np.zeros((frame.rows, len(bindings)), dtype=np.bool_, order="F")
    matrix = frame.matrix if frame.matrix is not None and _are_all_real(frame, bindings) else None
    # So many cells as the cache holds are read at a time, of one column or of rows that stand together.
    are_apart = all(cells.flags.c_contiguous for cells in frame.columns)
    step = CELLS_AT_ONCE if are_apart else max(1, CELLS_AT_ONCE // len(frame.columns))
    for start in range(0, frame.rows, step):
        block = slice(start, start + step)
        if matrix is not None and are_finite(matrix[block], numbers[block]):
            continue
        for at, binding in enumerate(bindings):
            cells, column = frame.columns[binding.position][block], binding.column
            if column.kind.is_numeric:
                held = numbers[block, places[at]]
                if not are_good(cells, column, held):
                    held[:], bad[block, at] = of_each(numbers_in, cells, column)
            else:
                texts[block, places[at]], bad[block, at] = of_each(words_in, cells, column)
    return texts, bad


def _are_all_real(frame: _Frame, bindings: Sequence[Binding]) -> bool:
    """Whether all columns are wanted, each where it is, and for any real numbers."""
    columns = [binding.column for binding in bindings]
    is_in_place = [binding.position for binding in bindings] == list(range(len(frame.columns)))
    return is_in_place and all(column.kind is Kind.REAL and column.within is None for column in columns)


def outline_arrays(
    value: object, columns: Declared, origin: str, selection: Selection | None, *, is_file: bool = False
) -> Outline:
    """What no row of data in memory says, where bad cells count as defaults.

    Parameters
    ----------
    value, columns, origin, selection, is_file
        As in `from_arrays`.

    Raises
    ------
    DuetError
        D0603, D0607 and D0618, as `from_arrays` does; D0603 also for an iterator.
    """
    columns_or_rows = list(value.values()) if isinstance(value, Mapping) else [value]
    if any(map(is_read_once, columns_or_rows)):
        # It may stop at any row, and by then the run is charged; and what is looked at here is gone when it is read.
        what, help = ("has a column that is", "lists") if isinstance(value, Mapping) else ("is", "a list of rows")
        message = f"{what} an iterator, and one row may decide whether it goes on"
        refuse(COLUMNS, message, origin, help=f"give {help}")
    if isinstance(value, (list, tuple)) and not isinstance(columns, ColumnSpec):
        bind(columns, selection, None, len(columns), origin)
        return Outline(frozenset({len(value)}), len(columns))
    frame = _frame(value, columns, origin, is_total=True)
    bindings = _bound(frame, columns, selection, origin)
    _refuse_types(frame, bindings, origin, is_file=is_file)
    return Outline(frozenset({frame.rows}), len(bindings))


def is_read_once(value: object) -> bool:
    """Whether a value gives its cells or rows by being gone over, and need not give them again."""
    if isinstance(value, (Array, DataFrame, ArrowTable)):
        return False
    return isinstance(value, Iterator) or (isinstance(value, Iterable) and not isinstance(value, Sized))


def refuse_array(value: object, column: ColumnSpec, origin: str, *, looks_at_cells: bool = True) -> None:
    """Raise D0618 for an array or column whose type one cell may have decided."""
    if isinstance(value, (np.ndarray, Array)) and not isinstance(value, DataFrame):
        cells = array_of(value).ravel()
        frame = _Frame(None, (cells,), len(cells), (kind_of(value),))
        _refuse_types(frame, [Binding(column, 0)], origin)
        if looks_at_cells:
            _refuse_mixed(frame, [Binding(column, 0)], origin)


def _bound(frame: _Frame, columns: Declared, selection: Selection | None, origin: str) -> tuple[Binding, ...]:
    header = Header(frame.names, is_stated=True) if frame.names is not None else None
    return bind(columns, selection, header, len(frame.columns), origin)


def _refuse_types(frame: _Frame, bindings: Sequence[Binding], origin: str, *, is_file: bool = False) -> None:
    """Raise the columns of a type that no cell of their kind is of: the type decides alone, whether there are cells or not."""
    wrong = [binding for binding in bindings if frame.kinds[binding.position] not in (None, *kinds_of(binding.column))]
    _refuse_columns(
        [each for each in wrong if is_file or not is_nobodys(frame.kinds[each.position], frame.rows)],
        origin,
        _OTHER_COLUMN if is_file else "",
    )


_OTHER_COLUMN = "declare what the column holds in the file, or save the table as CSV, whose cells are read one by one"


def _refuse_mixed(frame: _Frame, bindings: Sequence[Binding], origin: str) -> None:
    """Raise the columns of objects in which texts stand for numbers, or numbers for texts."""
    _refuse_columns(
        [
            binding
            for binding in bindings
            if frame.kinds[binding.position] == OBJECTS
            and any(map(is_stranger(binding.column.kind), _objects(frame, binding)))
        ],
        origin,
    )


def _objects(frame: _Frame, binding: Binding) -> list[object]:
    return list(filter(is_askable, np.ma.getdata(frame.columns[binding.position]).tolist()))


def _refuse_columns(bindings: Sequence[Binding], origin: str, help: str = "") -> None:
    problems = Problems(origin)
    for binding in bindings:
        things = {Kind.TEXT: "texts", Kind.DATE: "dates"}.get(binding.column.kind, "numbers")
        message = f"its cells do not have a type of {things}, and a single cell may have decided that for all"
        problems.add(DECIDED, message, binding.title, help)
    problems.raise_if_any()


def _add_bad(
    bad: NDArray[np.bool_], frame: _Frame, bindings: Sequence[Binding], problems: Problems, first: int
) -> None:
    """Record the bad cells of a block by column, in the order of their first rows; `first` rows are in the blocks before it."""
    if not bad.any():
        return
    columns = np.flatnonzero(bad.any(axis=0))
    rows = {int(at): np.flatnonzero(bad[:, at]) for at in columns}
    for at in sorted(rows, key=lambda at: (int(rows[at][0]), at)):
        column, is_object = bindings[at].column, frame.kinds[bindings[at].position] is None
        numbers = [first + row + 1 for row in rows[at][:LISTED].tolist()]
        help = instead_of_value(column, is_object=is_object)
        problems.add_at(BAD_CELL, expected(column), "row", numbers, bindings[at].title, help, total=len(rows[at]))


def _whole(value: object, declared: Declared, origin: str, is_total: bool) -> _Frame:
    """The columns; raises `DuetError` D0601 where the value raises anything while it is asked for them: what that says may be
    somebody's."""
    try:
        return _frame(value, declared, origin, is_total)
    except DuetError:
        raise
    except Exception:
        help = "give the path of a file, an array, a data frame or a list of rows"
        refuse(UNREADABLE, "cannot be read: the object that was given raised an exception", origin, help=help)


def _frame(value: object, declared: Declared, origin: str, is_total: bool) -> _Frame:
    """Take the value apart into columns."""
    if isinstance(value, Table):
        held = tuple(value.column(at) for at in range(len(value.columns)))
        names = tuple(name for name in value.names if name is not None)
        is_named = bool(names) and len(names) == len(held)
        return _Frame(names if is_named else None, held, value.rows, (None,) * len(held))
    if isinstance(value, Mapping):
        return _named([(name, value[name]) for name in value], origin)
    if isinstance(value, ArrowTable):
        return _named([(name, value.column(at)) for at, name in enumerate(value.column_names)], origin)
    if isinstance(value, DataFrame):
        return _of_data_frame(value, declared, origin)
    if isinstance(value, (np.ndarray, Array)):
        cells = array_of(value)
        if cells.ndim == 2 and not isinstance(value, np.ndarray):
            # A frame of Dask, a series of structs, an array with coordinates.
            refuse(COLUMNS, "has two dimensions, and its columns may have names", origin, help=_PLAINLY)
        return _matrix(cells, origin, kind_of(value))
    if not isinstance(value, Iterable) or isinstance(value, WORDS):
        help = "give the path of a file with --data; in Python its path, an array, a data frame or a list of rows"
        refuse(COLUMNS, "is not an array, a list of rows or a data frame", origin, help=help)
    if isinstance(value, Set):
        # Where a row stands in a set is decided by the other rows, and two equal ones would be one.
        refuse(COLUMNS, "is a set, whose rows have no order", origin, help="give a list of rows")
    return _rows(list(value), declared, origin, is_total)


def _of_data_frame(value: DataFrame, declared: Declared, origin: str) -> _Frame:
    labels = list(value.columns)
    if are_names(labels, declared_names(declared, None) or ()):
        _refuse_twins(list(map(name_of, labels)), origin)
        return _named([(label, value[label]) for label in labels], origin)
    if len(set(labels)) < len(labels) or not labels:
        matrix = value.to_numpy()
        return _matrix(matrix, origin, kind_of(matrix))
    # One by one each has the type that it has in the frame.
    return evolve(_named([(label, value[label]) for label in labels], origin), names=None)


def _refuse_twins(names: Sequence[object], origin: str) -> None:
    problems = Problems(origin)
    for name, count in Counter(names).items():
        if count > 1:
            problems.add(HEADER, f"there are {count} columns '{name}'")
    problems.raise_if_any()


def _named(columns: Sequence[tuple[object, object]], origin: str) -> _Frame:
    arrays = tuple(array_of(cells) for _, cells in columns)
    names = tuple(name_of(label) for label, _ in columns)
    _refuse_twins(names, origin)
    if not arrays or any(cells.ndim != 1 or len(cells) != len(arrays[0]) for cells in arrays):
        refuse(COLUMNS, "its columns have no common length", origin)
    return _Frame(names, arrays, len(arrays[0]), tuple(kind_of(cells) for _, cells in columns))


def _matrix(array: Cells, origin: str, kind: str | None) -> _Frame:
    if array.dtype.names is not None and array.ndim == 1:
        return _named([(name, array[name]) for name in array.dtype.names], origin)
    if array.ndim not in (1, 2):
        refuse(COLUMNS, "must have one or two dimensions", origin)
    if array.ndim == 2 and array.shape[1] > MOST_COLUMNS:
        refuse(COLUMNS, f"has more than {MOST_COLUMNS:,} columns", origin)
    columns = (array,) if array.ndim == 1 else tuple(array[:, at] for at in range(array.shape[1]))
    return _Frame(None, columns, len(array), (kind,) * len(columns), array if array.ndim == 2 else None)


def _rows(rows: list[object], declared: Declared, origin: str, is_total: bool) -> _Frame:
    """Rows as sequences of cells, or single cells."""
    if is_total and isinstance(declared, ColumnSpec):
        # Rows are protected singly: none of them says how many columns there are.
        refuse(COLUMNS, "the number of columns is not known", origin, help=_STATE_COLUMNS)
    if rows and are_plain(rows):
        try:
            array = np.asarray(rows)
        except (ValueError, TypeError, OverflowError):
            array = np.empty(0, dtype=np.object_)
        width = 1 if array.ndim == 1 else array.shape[-1]
        # The lengths of rows are no public fact: under total reading they must not be what refuses the data.
        is_expected = not is_total or isinstance(declared, ColumnSpec) or width == len(declared)
        if array.dtype.kind in "fiub" and array.ndim in (1, 2) and is_expected:
            return _matrix(array, origin, None)
    named = () if isinstance(declared, ColumnSpec) else tuple(column.name for column in declared)
    rows = [by_name(row, named) for row in rows]
    if not is_total and (fields := fields_in(rows, named)) is not None:
        return _named(fields, origin)
    records = [cells_of(row, named, is_total) for row in rows]
    columns = columns_in(records, declared, origin, is_total)
    return _Frame(None, columns, len(records), (None,) * len(columns))
