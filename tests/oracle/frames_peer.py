"""Columns of many kinds, as three libraries hold them: run by the Python of an environment that has these.

    python tests/oracle/frames_peer.py ROUNDS

What is read of a row must be what is read of it alone: else one person moves the rows of others. (A column that may hold what
one row made of the others is refused.) And two parts of one table must count as the same people. The control reads as numpy
does, and must be caught.
"""

import datetime
import random
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.arrays import from_arrays
from duetpy.runtime.sources.table import ColumnSpec, Kind

Make = Callable[[list[Any]], Any]
Read = Callable[[Any, Kind], list[object] | None]

CELLS: list[list[Any]] = [
    [0, 1, 5, -3, 2**31, 2**53 - 1, 2**53 + 1, 2**63 - 1, None],
    [0, 1, 5, 7, None],
    [0.0, -0.0, 1.5, 5e-324, 1e308, float("nan"), float("inf"), None, 2.0],
    [True, False, None],
    ["a", "b", "", "1", "é", None],
    [Decimal("1.5"), Decimal(2), Decimal("1e20"), None],
    [datetime.datetime(2020, 1, 1), datetime.datetime(1970, 1, 1), None],
]

PANDAS = [
    *("Int64", "Int8", "UInt8", "Float64", "Float32", "boolean", "string", "object", "category"),
    *("int64[pyarrow]", "double[pyarrow]", "bool[pyarrow]", "string[pyarrow]"),
]
ARROW = [
    *(pa.int64(), pa.int8(), pa.uint64(), pa.float64(), pa.float32(), pa.float16(), pa.bool_(), pa.null(), pa.binary()),
    *(pa.string(), pa.large_string(), pa.string_view(), pa.decimal128(38, 5), pa.timestamp("ns"), pa.date32()),
]
POLARS = [
    *(pl.Int64, pl.UInt8, pl.UInt64, pl.Int128, pl.Float64, pl.Float32, pl.Boolean, pl.Object, pl.Null, pl.Binary),
    *(pl.String, pl.Categorical, pl.Enum(["a", "b", "", "1", "é"]), pl.Decimal(38, 3), pl.Datetime, pl.Date),
]


def makers() -> Iterator[tuple[str, Make]]:
    """Every way to hold a column, by name."""
    for name in PANDAS:
        yield f"pandas {name}", lambda cells, name=name: pd.DataFrame({"a": pd.array(cells, dtype=name)})
    yield "pandas sparse", lambda cells: pd.DataFrame({"a": pd.arrays.SparseArray(cells)})
    yield "pandas as it comes", lambda cells: pd.DataFrame({"a": cells})
    for kind in ARROW:
        for word, encode in ENCODINGS.items():
            yield f"arrow {kind}{word}", lambda cells, t=kind, e=encode: pa.table({"a": e(pa.array(cells, t))})
            yield (
                f"arrow {kind}{word}, in chunks",
                lambda cells, t=kind, e=encode: pa.concat_tables(pa.table({"a": e(pa.array([x], t))}) for x in cells),
            )
            yield (
                f"arrow {kind}{word}, a batch",
                lambda cells, t=kind, e=encode: pa.record_batch({"a": e(pa.array(cells, t))}),
            )
            yield (
                f"arrow {kind}{word}, a column",
                lambda cells, t=kind, e=encode: {"a": pa.chunked_array([e(pa.array(cells, t))])},
            )
    for kind in POLARS:
        yield f"polars {kind}", lambda cells, t=kind: pl.DataFrame({"a": pl.Series(cells, dtype=t)})
        yield (
            f"polars {kind}, to arrow",
            lambda cells, t=kind: pl.DataFrame({"a": pl.Series(cells, dtype=t)}).to_arrow(),
        )


ENCODINGS: dict[str, Callable[[Any], Any]] = {
    "": lambda column: column,
    ", by dictionary": lambda column: column.dictionary_encode(),
    ", by runs": pc.run_end_encode,
}


def ours(table: Any, kind: Kind) -> list[object] | None:
    """What is read; None where the column is refused for its type."""
    try:
        read = from_arrays(table, [ColumnSpec("a", kind)], on_bad_row="default")
    except DuetError as error:
        if {diagnostic.code for diagnostic in error.diagnostics} != {"D0618"}:
            raise
        return None
    return [repr(cell) for cell in read.column(0).tolist()]


def as_numpy_does(table: Any, kind: Kind) -> list[object] | None:
    """The control."""
    column = table.column(0) if hasattr(table, "column") else table["a"]
    try:
        read = from_arrays({"a": np.asarray(column)}, [ColumnSpec("a", kind)], on_bad_row="default", holds_types=False)
        return [repr(cell) for cell in read.column(0).tolist()]
    except Exception:
        return ["no value at all"]


def disturbed(read: Read, rounds: int) -> tuple[int, list[str]]:
    """How many columns were read, and in which of them a row was read otherwise than alone."""
    dice = random.Random(0)
    tried = 0
    found: dict[str, str] = {}
    for name, make in list(makers()) * rounds:
        for pool in CELLS:
            cells = dice.choices(pool, k=dice.choice((2, 3, 5)))
            try:
                whole, singles = make(cells), [make([cell]) for cell in cells]
            except Exception:
                # The library does not hold such cells so.
                continue
            for kind in Kind:
                tried += 1
                together, parts = read(whole, kind), [read(single, kind) for single in singles]
                alone = [cell for part in parts for cell in part or ()]
                if together is not None and None not in parts and together != alone:
                    found.setdefault(name, f"{name} as {kind}: {cells} is read as {together}, each alone as {alone}")
    return tried, list(found.values())


def turned_away() -> list[str]:
    """Which columns of a type of numbers are refused, although no cell of theirs can have changed another."""
    found = []
    for name, make in makers():
        if any(word in name.lower() for word in ("int", "float", "double", "bool", "decimal")):
            for cells in ([1, None], [True, None], [Decimal("1.5"), None]):
                try:
                    column = make(cells)
                except Exception:
                    # The library does not hold such cells so.
                    continue
                if ours(column, Kind.REAL) is None:
                    found.append(name)
    return found


TWO = """\
pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒
  a ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip (r#[0, 0]) } } ;
  b ← laplace[auto, ε] <ys> { mfold-row 0.0, ys { a, r ⇒ a + clip (r#[0, 0]) } } ;
  return ⟨a, b⟩
"""


def parts() -> Iterator[tuple[str, Any, Any]]:
    """Two parts of one table."""
    held = {"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0]}
    frame, mixed, polar, arrow = (
        pd.DataFrame(held),
        pd.DataFrame(held).astype({"b": int}),
        pl.DataFrame(held),
        pa.table(held),
    )
    yield "pandas, columns", frame["a"], frame["b"]
    yield "pandas, frames of a column", frame[["a"]], frame[["b"]]
    yield "pandas, copies", frame[["a"]].copy(), frame[["b"]].copy()
    yield "pandas, columns of other types", mixed[["a"]], mixed[["b"]]
    yield "pandas, columns of Arrow", frame.astype("double[pyarrow]")[["a"]], frame.astype("double[pyarrow]")[["b"]]
    yield "pandas, an array", frame[["a"]], frame["b"].to_numpy()
    yield "polars, columns", polar["a"], polar["b"]
    yield "polars, frames of a column", polar.select("a"), polar.select("b")
    yield "polars, an array", polar["a"], polar["a"].to_numpy()
    yield "polars, as Arrow", polar.select("a"), polar.select("b").to_arrow()
    yield "arrow, columns", arrow["a"], arrow["b"]
    yield "arrow, tables of a column", arrow.select(["a"]), arrow.select(["b"])
    yield "arrow, a batch", arrow.to_batches()[0].select(["a"]), arrow.select(["b"])
    yield "arrow, a dictionary of columns", {"a": arrow["a"]}, {"b": arrow["b"]}


def torn() -> list[str]:
    """Which two parts count as different people."""
    checked = duetpy.parse(TWO, notion="eps").check()
    return [name for name, xs, ys in parts() if checked.run(xs=xs, ys=ys, ε=1).privacy["total"]["epsilon"] != 2]


def main(rounds: int) -> int:
    tried, found = disturbed(ours, rounds)
    _, caught = disturbed(as_numpy_does, 1)
    apart, away = torn(), turned_away()
    for line in [
        *found,
        *(f"{name}: parts of one table count as different people" for name in apart),
        *(f"{name}: a column of numbers is refused" for name in away),
    ]:
        print(line)
    for library in (pd, pl, pa):
        print(f"{library.__name__} {library.__version__}", end="   ")
    print(
        f"{tried} columns, {len(found)} read otherwise than row by row; {len(list(parts()))} pairs, {len(apart)} torn; "
        f"the control disturbs {len(caught)}"
    )
    return 1 if found or apart or away or not caught else 0


if __name__ == "__main__":
    try:
        sys.exit(main(int(sys.argv[1])))
    except DuetError as error:
        sys.exit(str(error.diagnostics))
