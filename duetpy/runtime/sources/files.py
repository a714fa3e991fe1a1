"""Tables from files of any kind: of lines, or of columns and arrays."""

from __future__ import annotations

from duetpy.runtime.sources.arrays import from_arrays, outline_arrays
from duetpy.runtime.sources.column_selection import Declared, Selection, database_table, declared_names
from duetpy.runtime.sources.csv import outline_csv, read_csv
from duetpy.runtime.sources.frames import frame_in, is_frame, refuse_log
from duetpy.runtime.sources.opening import TABBED, endings
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.table import Outline, Table


def read_file(origin: str, columns: Declared, selection: Selection | None, reading: Reading, rows: int | None) -> Table:
    """The table in a file; see `read_csv` and `from_arrays`, also for what they raise.

    Parameters
    ----------
    origin
        The path.
    columns, selection
        The declared columns, and those that the caller picked.
    reading
        How tables are read.
    rows
        How many rows there are at most, where something else says so.
    """
    if not is_frame(origin):
        return read_csv(origin, columns, reading.header, selection, reading.on_bad_row, reading.block_rows, rows)
    frame = frame_in(origin, declared_names(columns, selection))
    rule, blocks = reading.on_bad_row, reading.block_rows
    return from_arrays(frame, columns, origin, selection, rule, blocks, holds_types=reading.holds_types, is_file=True)


def outline_file(origin: str, columns: Declared, selection: Selection | None, reading: Reading) -> Outline:
    """What is public of a file where bad cells count as defaults; see `outline_csv` and `outline_arrays`."""
    if not is_frame(origin):
        return outline_csv(origin, columns, reading.header, selection)
    return outline_arrays(
        frame_in(origin, declared_names(columns, selection)), columns, origin, selection, is_file=True
    )


def way_of_reading(origin: str) -> str:
    """What the path of a file says about how its bytes are read: the same bytes are other rows if they are read in another way.

    Raises
    ------
    DuetError
        D0601 for a malformed name, and for a database that is not all in its file.
    """
    table = database_table(origin)
    if table is not None:
        refuse_log(table.file, origin)
        return f"table {table.table!r}"
    ending, packing = endings(origin)
    return f"{ending if ending == TABBED or is_frame(origin) else ''}{packing}"
