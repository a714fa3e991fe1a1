"""One table in every kind of source: the same rows, whatever the cells are and however they are stored."""

import datetime
import math
import random
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from attrs import frozen

from duetpy.runtime.sources.arrays import from_arrays
from duetpy.runtime.sources.csv import BadRowRule
from duetpy.runtime.sources.files import read_file
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.sources.table import NO_CELL, ColumnSpec, Kind, Table
from tests.effort import often
from tests.runtime.people import rows_of

ARROW = {
    Kind.REAL: pa.float64(),
    Kind.NAT: pa.int64(),
    Kind.BOOL: pa.bool_(),
    Kind.TEXT: pa.string(),
    Kind.DATE: pa.date32(),
}
GARBLED = b"b\xff"
"""A text that is not UTF-8."""
CELLS: dict[Kind, list[Any]] = {
    Kind.REAL: [None, math.inf, 0.0, -0.0, 5e-324, -1.7976931348623157e308, 0.1, 2.0**53 + 2],
    Kind.NAT: [None, -1, 2**53, 2**53 + 1, 2**53 - 1, 0, 7],
    Kind.BOOL: [None, True, False],
    Kind.TEXT: [
        None,
        GARBLED,
        "",
        "NA",
        " a ",
        "é",
        "e\u0301",
        "x,y",
        'q"q',
        "\x00z",
        "\ufeffb",
        "a\rb",
        "1.0",
        "A" * 300,
    ],
    Kind.DATE: [None, *(datetime.date(*day) for day in ((1, 1, 1), (9999, 12, 31), (2024, 2, 29), (1582, 10, 10)))],
}
RULES: tuple[BadRowRule, ...] = ("default", "drop")


@frozen
class Given:
    """Columns, their cells, and chance, which says how they are stored."""

    columns: tuple[ColumnSpec, ...]
    cells: tuple[tuple[Any, ...], ...]
    dice: random.Random

    @property
    def names(self) -> list[str]:
        return [column.name or "" for column in self.columns]

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*self.cells, strict=True))

    @property
    def is_garbled(self) -> bool:
        return any(GARBLED in own for own in self.cells)

    def has(self, *kinds: Kind) -> bool:
        return any(column.kind in kinds for column in self.columns)

    def arrow(self, *, plain: bool = False) -> pa.Table:
        return pa.table([self._array(at, plain) for at in range(len(self.columns))], names=self.names)

    def _array(self, at: int, plain: bool) -> pa.Array:
        kind, cells = self.columns[at].kind, list(self.cells[at])
        if kind is Kind.TEXT:
            encoded = [cell.encode() if isinstance(cell, str) else cell for cell in cells]
            found = pa.array(encoded, pa.binary()).view(pa.string())
        else:
            found = pa.array(cells, ARROW[kind])
        is_encoded = not plain and kind is not Kind.DATE and self.dice.random() < 0.4
        return found.dictionary_encode() if is_encoded else found

    def numpy(self) -> dict[str, Any]:
        """Arrays of a type of their own; a cell that is missing is hidden by a mask, or is nan."""
        found: dict[str, Any] = {}
        for column, cells in zip(self.columns, self.cells, strict=True):
            hidden = [cell is None for cell in cells]
            match column.kind:
                case Kind.REAL:
                    order = self.dice.choice("<>")
                    found[str(column.name)] = np.array(
                        [math.nan if cell is None else cell for cell in cells], f"{order}f8"
                    )
                case Kind.DATE:
                    found[str(column.name)] = np.array(cells, dtype="M8[D]")
                case Kind.TEXT:
                    found[str(column.name)] = np.array(cells, dtype=object)
                case _:
                    bare = np.array(
                        [0 if cell is None else cell for cell in cells], dtype=ARROW[column.kind].to_pandas_dtype()
                    )
                    found[str(column.name)] = np.ma.MaskedArray(bare, hidden) if any(hidden) else bare
        return found


def random_table(dice: random.Random) -> Given:
    """A few columns of any kinds, of which some cells may be missing, and a few rows or none."""
    rows = dice.choice([0, 1, 2, 5, 9])
    columns = [
        ColumnSpec(f"c{at}", dice.choice(list(Kind)), missing=dice.choice([None, NO_CELL]))
        for at in range(dice.randint(2, 4))
    ]
    return Given(tuple(columns), tuple(tuple(dice.choices(CELLS[each.kind], k=rows)) for each in columns), dice)


def wanted(given: Given, rule: BadRowRule, *, is_query: bool) -> list[tuple[Any, ...]]:
    """Cell by cell what the documents say."""

    def value(cell: Any, column: ColumnSpec) -> tuple[Any, bool]:
        is_none = cell is GARBLED or cell == math.inf
        is_bad = column.kind is Kind.NAT and cell is not None and not 0 <= cell < 2**53
        if cell is None or is_none or is_bad:
            default = {Kind.TEXT: "", Kind.DATE: 1.0}.get(column.kind, 0.0)
            is_missing = cell is None or (is_none and is_query)
            return None if column.may_be_missing else default, is_missing and column.may_be_missing
        if column.kind is Kind.TEXT:
            return cell, True
        return float(cell.toordinal() if column.kind is Kind.DATE else cell), True

    made = [[value(cell, column) for cell, column in zip(row, given.columns, strict=True)] for row in given.rows]
    return [tuple(cell for cell, _ in row) for row in made if rule == "default" or all(is_good for _, is_good in row)]


def csv_cell(cell: Any) -> bytes:
    match cell:
        case None:
            return b""
        case bytes():
            return cell
        case str():
            return b'"' + cell.replace('"', '""').encode() + b'"'
        case bool():
            return str(cell).lower().encode()
        case _:
            return str(cell).encode()


def in_csv(given: Given) -> str:
    lines = [",".join(given.names).encode(), *(b",".join(map(csv_cell, row)) for row in given.rows)]
    ending = given.dice.choice([b"\n", b"\r\n"])
    Path("x.csv").write_bytes(ending.join(lines) + ending)
    return "x.csv"


def in_parquet(given: Given, *, plain: bool = False) -> str:
    dice = given.dice
    pa.parquet.write_table(
        given.arrow(plain=plain),
        "x.parquet",
        row_group_size=dice.choice([1, 2, 100]),
        use_dictionary=dice.choice([True, False]),
        data_page_size=dice.choice([1, None]),
        data_page_version=dice.choice(["1.0", "2.0"]),
    )
    return "x.parquet"


def in_arrow(given: Given) -> str:
    dice = given.dice
    compression = dice.choice(["zstd", "lz4", "uncompressed"])
    pa.feather.write_feather(given.arrow(), "x.arrow", compression=compression, chunksize=dice.choice([1, 2, 100]))
    return "x.arrow"


def in_numpy(given: Given) -> str:
    columns = given.numpy()
    if given.dice.random() < 0.5:
        np.savez("x.npz", **columns)
        return "x.npz"
    records = np.zeros(len(given.rows), dtype=[(name, cells.dtype) for name, cells in columns.items()])
    for name, cells in columns.items():
        records[name] = cells
    np.save("x.npy", records)
    return "x.npy"


def in_duckdb(given: Given) -> str:
    Path("x.duckdb").unlink(missing_ok=True)
    with import_module("duckdb").connect("x.duckdb") as database:
        database.register("given", given.arrow(plain=True))
        database.execute("CREATE TABLE t AS SELECT * FROM given")
    return "duckdb:x.duckdb?table=t"


def in_query(given: Given) -> str:
    return f"sql:SELECT * FROM read_parquet('{in_parquet(given, plain=True)}')"


NULLABLE = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype(), pa.float64(): pd.Float64Dtype()}


def in_pandas(given: Given) -> Any:
    mapper = given.dice.choice([None, NULLABLE.get, pd.ArrowDtype])
    return given.arrow(plain=mapper is not pd.ArrowDtype).to_pandas(types_mapper=mapper)


def in_polars(given: Given) -> Any:
    return pytest.importorskip("polars").from_arrow(given.arrow(plain=True))


def in_memory(given: Given) -> Any:
    by_name = dict(zip(given.names, given.cells, strict=True))
    by_row = [dict(zip(given.names, row, strict=True)) for row in given.rows]
    return given.dice.choice([by_name, by_row, list(map(list, given.rows)), given.numpy(), given.arrow()])


SOURCES: dict[Callable[[Given], Any], Callable[[Given], bool]] = {
    in_csv: lambda given: True,
    in_parquet: lambda given: True,
    in_arrow: lambda given: True,
    in_query: lambda given: not given.has(Kind.DATE),
    in_duckdb: lambda given: not given.has(Kind.DATE) and not given.is_garbled,
    in_numpy: lambda given: (
        not given.has(Kind.TEXT) and not any(isinstance(each, np.ma.MaskedArray) for each in given.numpy().values())
    ),
    in_pandas: lambda given: not given.is_garbled,
    in_polars: lambda given: not given.is_garbled,
    in_memory: lambda given: True,
}
"""The ways to store a table, and which tables each of them can hold."""


def plain_rows(table: Table) -> Iterator[tuple[Any, ...]]:
    for row in rows_of(table):
        yield tuple(None if isinstance(cell, float) and math.isnan(cell) else cell for cell in row)


def read(value: Any, columns: Sequence[ColumnSpec], rule: BadRowRule) -> list[tuple[Any, ...]]:
    is_path = isinstance(value, str)
    found = (
        read_file(value, columns, None, Reading(rule), None)
        if is_path
        else from_arrays(value, columns, on_bad_row=rule)
    )
    return list(plain_rows(found))


@pytest.mark.parametrize("store", SOURCES)
def test_a_table_is_the_same_in_every_source(
    store: Callable[[Given], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stored = 0
    # A database takes long to open.
    for seed in range(often(120, 20) if store is in_duckdb else often(400, 20)):
        given = random_table(random.Random(seed))
        if not SOURCES[store](given):
            continue
        value, stored = store(given), stored + 1
        if store is in_csv:
            # The empty text is a cell like any other, in a column that has none without a value.
            given = Given(given.columns, tuple(map(filled, given.columns, given.cells)), given.dice)
        for rule in RULES:
            expected = wanted(given, rule, is_query=store is in_query)
            assert read(value, given.columns, rule) == expected, (seed, rule, given.columns, given.rows)
    assert stored > often(20, 1)


def filled(column: ColumnSpec, cells: tuple[Any, ...]) -> tuple[Any, ...]:
    if column.kind is not Kind.TEXT or column.may_be_missing:
        return cells
    return tuple("" if cell is None else cell for cell in cells)
