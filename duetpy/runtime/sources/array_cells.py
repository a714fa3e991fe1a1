"""What the arrays and columns of other libraries hold, as numbers and texts."""

from __future__ import annotations

import math
import re
import sys
from collections import UserString
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set, Sized
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, Protocol, TypeAlias, TypeGuard, TypeVar, assert_never, runtime_checkable

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.runtime.sources.arrow_columns import (
    GARBLED,
    NEITHER,
    NUMBER,
    arrow_cells,
    arrow_kind,
    arrow_type_kind,
    column_within,
    is_arrow_column,
)
from duetpy.runtime.sources.cell_kinds import OBJECTS
from duetpy.runtime.sources.table import FIRST_DAY, GREATEST_NATURAL, LAST_DAY, ColumnSpec, Kind

T = TypeVar("T")

Cells: TypeAlias = NDArray[Any]

WORDS = (str, UserString, bytes, bytearray)
"""What is one text or one piece of bytes, although Python goes over it sign by sign."""


@runtime_checkable
class Array(Protocol):
    """What numpy can read: a Series of pandas or Polars, an Array of Arrow."""

    def __array__(self) -> Cells: ...


@runtime_checkable
class DataFrame(Protocol):
    """A frame of pandas or Polars."""

    @property
    def columns(self) -> Iterable[object]: ...

    def to_numpy(self) -> Cells: ...

    def __getitem__(self, name: Any) -> object: ...


@runtime_checkable
class ArrowTable(Protocol):
    """A Table or RecordBatch of Arrow."""

    @property
    def column_names(self) -> Sequence[str]: ...

    def column(self, at: int) -> object: ...


@frozen(eq=False)
class TypedCells:
    """A column as a file holds it, and the kind of the type that the file gives it, as a letter of numpy."""

    cells: Cells
    kind: str


def array_of(value: object) -> Cells:
    """The cells of one column or matrix; the mask of a masked array is kept."""
    if isinstance(value, np.ma.MaskedArray):
        # Of a matrix, what is cut out of it has two dimensions again.
        return np.ma.MaskedArray(np.asarray(np.ma.getdata(value)), np.ma.getmask(value))
    if isinstance(value, TypedCells):
        return value.cells
    if (is_of_arrow := is_arrow_column(value)) or isinstance(value, (np.ndarray, Array)):
        try:
            kept = value if is_of_arrow else column_within(value)
            cells = np.asarray(value) if kept is None else arrow_cells(kept)
            # Where a library makes NumPy's own texts, they lose characters at their ends. Polars does so unless a cell is missing.
            has_own_texts = cells.dtype.kind == "U" and not isinstance(value, np.ndarray)
            return np.asarray(value, dtype=np.object_) if has_own_texts else cells
        except BaseException as fault:
            # Some libraries refuse a column for one cell of it, and one of them panics; then each cell is looked at by itself.
            if isinstance(fault, (KeyboardInterrupt, SystemExit)) or not isinstance(value, Iterable):
                raise
            if isinstance(value, Sized):
                return np.fromiter(one_by_one(value), dtype=np.object_)
    # A text is one cell, and of a set or a mapping nobody knows the order. fromiter keeps every item as it is; np.array would
    # look into nested ones.
    is_column = isinstance(value, Iterable) and not isinstance(value, (*WORDS, Set, Mapping))
    return np.fromiter(value if is_column and isinstance(value, Iterable) else [value], dtype=np.object_)


def one_by_one(column: Sized) -> Iterator[object]:
    """The cells of a column of another library; `GARBLED` for one that the library cannot give. Nothing but the cell decides
    what it becomes."""
    # A Series of pandas is asked by the labels of its rows, and its array by their places.
    cells: Any = getattr(column, "array", column)
    for at in range(len(column)):
        try:
            cell = cells[at]
            yield cell.as_py() if hasattr(cell, "as_py") else cell
        except BaseException as fault:
            if isinstance(fault, (KeyboardInterrupt, SystemExit, GeneratorExit)):
                raise
            yield GARBLED


def kind_of(value: object) -> str | None:
    """The kind of the type that all cells of a column have, as a letter of numpy; None where each has its own.

    Columns of other libraries with a type of their own are of that type's kind, whatever numpy makes of them: one of truth
    values, of which some are missing, would be objects.
    """
    if isinstance(value, TypedCells):
        return value.kind
    if is_arrow_column(value):
        return arrow_kind(value)
    if not isinstance(value, (np.ndarray, Array)):
        return None
    own = getattr(value, "dtype", None)
    if own is None:
        # Only NumPy says what the type of its cells is.
        own = array_of(value).dtype
    return _kind_of_type(getattr(getattr(own, "categories", None), "dtype", own))


def _kind_of_type(own: Any) -> str | None:
    """The kind of a type of NumPy, pandas, Polars or a library of tensors; `NEITHER` for every type that is not known: NumPy makes
    objects of its cells, each of which would be bad, or moments in another time zone."""
    kind, of_arrow = getattr(own, "kind", None), getattr(own, "pyarrow_dtype", None)
    if kind == "M":
        has_zone = getattr(of_arrow or own, "tz", None) is not None
        return NEITHER if has_zone or not _has_days(own) else kind
    if isinstance(own, np.dtype):
        return kind
    if of_arrow is not None:
        return arrow_type_kind(of_arrow)
    if isinstance(kind, str):
        return NUMBER if kind in "biuf" else _KINDS_OF_CELLS.get(getattr(own, "type", type(None)), NEITHER)
    return next((each for each, names in _NAMES.items() if names.fullmatch(str(own).lower())), NEITHER)


def is_nobodys(kind: str | None, rows: int) -> bool:
    """Whether nobody has chosen the type of a column: of no cells NumPy makes doubles."""
    return kind == "f" and not rows


_KINDS_OF_CELLS = {str: "U", object: OBJECTS, np.object_: OBJECTS}
"""What the cells of a column of pandas are, and the kind of its type, where they are objects for NumPy."""
_NAMES = {
    None: re.compile("null"),
    NUMBER: re.compile(r"(torch\.)?(u?int\d+|b?float\d+|bool(ean)?)|decimal\d*(\(.*\))?"),
    "U": re.compile(r"string|utf8|(categorical|enum)(\(.*\))?", re.DOTALL),
    "M": re.compile(r"date|datetime\(.*time_zone=none\)"),
    OBJECTS: re.compile("object"),
}
"""The names of the types of Polars and of tensors, in small letters."""


def numbers_in(cells: Cells, column: ColumnSpec) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The values of a numeric column with defaults for the bad cells (the nearest number in its range for one outside of it), and
    which are bad; nan where one is missing that may be. Zero has no sign."""
    data = np.ma.getdata(cells)
    missing = missing_in(cells) if column.may_be_missing else np.zeros(data.shape, dtype=np.bool_)
    if column.kind is Kind.DATE:
        values = _days_in(data)
    elif data.dtype.kind in "fiub":
        with np.errstate(over="ignore"):
            values = data.astype(np.float64)
    elif data.dtype.kind in "mM":
        # A moment or a span of time is not a number, though numpy gives some as counts of nanoseconds.
        values = np.full(data.shape, math.nan)
    else:
        values = np.array([_number(cell, column.kind) for cell in data.tolist()], dtype=np.float64)
    bad = ~np.isfinite(values)
    if isinstance(cells, np.ma.MaskedArray):
        bad |= np.ma.getmaskarray(cells)
    if column.kind not in (Kind.REAL, Kind.DATE) and data.dtype.kind == "f":
        # A number that has to be rounded to be whole is not.
        bad |= values != data
    match column.kind:
        case Kind.NAT:
            bad |= ~((values >= 0) & (values <= _greatest(column)) & (np.floor(values) == values))
        case Kind.BOOL:
            bad |= ~((values == 0) | (values == 1))
        case Kind.DATE:
            bad |= ~((values >= FIRST_DAY) & (values <= LAST_DAY))
        case Kind.REAL | Kind.TEXT:
            pass
        case _:
            assert_never(column.kind)
    bad &= ~missing
    values[bad | missing] = column.number
    if column.within is not None:
        low, high = column.within
        bad |= (values < low) | (values > high)
        values = np.clip(values, low, high)
    values += 0.0
    return values, bad


def are_good(cells: Cells, column: ColumnSpec, held: NDArray[np.float64]) -> bool:
    """Whether cells are good for certain, all of them, as finite doubles and whole numbers are; then `held` has their values."""
    if not cells.size or isinstance(cells, np.ma.MaskedArray):
        return False
    if column.kind is Kind.REAL and cells.dtype == np.float64:
        with np.errstate(all="ignore"):
            np.add(cells, 0.0, out=held)
        return bool(np.isfinite(held).all()) and _are_within(held, column)
    if column.kind is Kind.NAT and cells.dtype.kind in "iu":
        held[:] = cells
        return bool(cells.min() >= 0 and cells.max() <= _greatest(column))
    return False


def are_finite(cells: Cells, held: NDArray[np.float64]) -> bool:
    """Whether the cells of several columns are finite doubles, all of them; then `held` has their values."""
    if isinstance(cells, np.ma.MaskedArray) or cells.dtype != np.float64:
        return False
    with np.errstate(all="ignore"):
        # A sum has the order of the cells in memory, so that they are read as they stand there.
        values = np.add(cells, 0.0, out=held if held.flags.c_contiguous else None)
    if not np.isfinite(values).all():
        return False
    if values is not held:
        held[:] = values
    return True


def _are_within(values: NDArray[np.float64], column: ColumnSpec) -> bool:
    return column.within is None or bool(column.within[0] <= values.min() and values.max() <= column.within[1])


def _greatest(column: ColumnSpec) -> int:
    return GREATEST_NATURAL if column.below is None else min(GREATEST_NATURAL, column.below - 1)


_EPOCH = date(1970, 1, 1).toordinal()
"""The number of the day from which numpy counts."""

_A_DAY = {"D": 1, "h": 24, "m": 1440, "s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
"""How many units of numpy's moments a day has."""


def _has_days(own: np.dtype[Any]) -> bool:
    """Whether the moments of a type may be whole days; those of no unit are all missing."""
    unit, step = np.datetime_data(own) if isinstance(own, np.dtype) else ("ns", 1)
    return unit == "generic" or (unit in _A_DAY and step == 1)


def _days_in(data: Cells) -> NDArray[np.float64]:
    """The numbers of days; nan of a moment that is not a whole day, and of anything else."""
    if data.dtype.kind != "M":
        if data.dtype.kind != "O":
            return np.full(data.shape, math.nan)
        return np.array([_day(cell) for cell in data.tolist()], dtype=np.float64)
    unit, _ = np.datetime_data(data.dtype)
    if unit == "generic" or not _has_days(data.dtype):
        return np.full(data.shape, math.nan)
    moments = data.astype(data.dtype.newbyteorder("=")).view(np.int64)
    days, rest = np.divmod(moments, _A_DAY[unit])
    is_day = (rest == 0) & ~np.isnat(data)
    return np.where(is_day, days.astype(np.float64) + _EPOCH, math.nan)


def _day(cell: object) -> float:
    """The number of a day, or of the day that begins with a moment without a time zone; nan of anything else."""
    if _is_of_pandas(cell, "Timestamp"):
        # The fields that it has as a moment of Python hold another day where Python has none for it.
        moment: Any = cell
        cell = moment.to_datetime64() if moment.tzinfo is None else None
    if isinstance(cell, np.datetime64):
        return float(_days_in(np.array([cell]))[0])
    if isinstance(cell, datetime) and not (type(cell) is datetime and cell.tzinfo is None and cell.time() == time.min):
        # What a moment of any other type keeps of its time, only that type knows.
        return math.nan
    return float(date.toordinal(cell)) if isinstance(cell, date) else math.nan


def _number(cell: object, kind: Kind) -> float:
    """The double nearest to a number of any Python type, nan for anything else."""
    cell = scalar(cell)
    if not isinstance(cell, (Real, Decimal, np.bool_)) or isinstance(cell, np.timedelta64):
        # A span of time is not a number, though numpy counts it among the whole ones.
        return math.nan
    try:
        value = float(cell)
        # A fraction that is rounded to a whole number is not one.
        return math.nan if kind is not Kind.REAL and bool(value != cell) else value
    except Exception:
        # Most are too large; but a type of the caller's own may raise anything, and a bad cell stops nothing.
        return math.nan


def of_each(read: Callable[[Cells, ColumnSpec], T], cells: Cells, column: ColumnSpec) -> T:
    """What is read of each cell. One that raises when it is asked what it is, as a proxy of something that is gone does, is bad."""
    try:
        return read(cells, column)
    except Exception:
        if cells.dtype.kind != OBJECTS:
            raise
        kept = [cell if is_askable(cell) else GARBLED for cell in np.ma.getdata(cells).tolist()]
        found = np.fromiter(kept, dtype=np.object_)
        return read(np.ma.MaskedArray(found, np.ma.getmask(cells)), column)


PLAIN = frozenset({bool, int, float, Fraction, Decimal, str, date, type(None), list, tuple, dict})
"""Types of most of what Python gives: no file is of one of them, and nothing raises when it is asked what it is."""


def is_askable(value: object) -> bool:
    """Whether a value can be asked of what type it is, and which attributes it has: one of a type of the caller's own may raise
    anything."""
    if type(value) in PLAIN:
        return True
    try:
        isinstance(value, (Array, DataFrame))
        # Since Python 3.12, the question above looks at the class alone.
        for name in ("__array__", "__len__"):
            hasattr(value, name)
    except Exception:
        return False
    return True


def scalar(cell: object) -> object:
    """The number in an array without dimensions or in a tensor of one number; None of a masked one. Any other cell as it is."""
    try:
        if isinstance(cell, (Real, Decimal, np.generic)) or not isinstance(cell, Array):
            return cell
        array = cell if isinstance(cell, np.ma.MaskedArray) else np.asarray(cell)
        return None if array.ndim or np.ma.is_masked(array) or array.dtype.kind not in "fiub" else array[()]
    except Exception:
        return None


def words_in(cells: Cells, column: ColumnSpec) -> tuple[NDArray[np.object_], NDArray[np.bool_]]:
    """The texts of a column with defaults for the bad cells, and which are bad."""
    bare = np.ma.getdata(cells)
    no_text = _beyond_unicode(bare) if bare.dtype.kind == "U" else np.zeros(bare.shape, dtype=np.bool_)
    data = np.where(no_text, "", bare).tolist() if no_text.any() else bare.tolist()
    unread = np.ma.getmaskarray(cells) | no_text
    if (
        set(map(type, data)) == {str}
        and not unread.any()
        and (all(map(str.isascii, data)) or all(map(is_text, data)))
        and (column.longest is None or max(map(len, data)) <= column.longest)
    ):
        # Without a call for each cell.
        return np.array(data, dtype=np.object_), unread
    bad = np.array([not is_text(cell) for cell in data], dtype=np.bool_) | unread
    if column.longest is not None:
        bad |= np.array([isinstance(cell, str) and len(cell) > column.longest for cell in data], dtype=np.bool_)
    missing = missing_in(cells) if column.may_be_missing else np.zeros(bad.shape, dtype=np.bool_)
    # The text itself: a member of an enumeration of texts, for one, prints as another. Of a missing one, the default is None.
    words = (column.text if is_bad else str.__str__(cell) for cell, is_bad in zip(data, bad.tolist(), strict=True))
    return np.fromiter(words, dtype=np.object_), bad & ~missing


def is_text(value: object) -> TypeGuard[str]:
    """Whether a value is a text that a file could hold. Half of a surrogate pair, a character that UTF-16 writes in two parts,
    could not be written where it is released."""
    if not isinstance(value, str):
        return False
    try:
        return str.isascii(value) or str.encode(value) is not None
    except UnicodeEncodeError:
        return False


def missing_in(cells: Cells) -> NDArray[np.bool_]:
    """Which cells hold no value: nan, None, NaT, NA, or a mask over them."""
    data = np.ma.getdata(cells)
    if data.dtype.kind == "f":
        missing = np.isnan(data)
    elif data.dtype.kind in "mM":
        missing = np.isnat(data)
    elif data.dtype.kind == "O":
        missing = np.array([is_missing_value(cell) for cell in data.ravel().tolist()], dtype=np.bool_).reshape(
            data.shape
        )
    else:
        missing = np.zeros(data.shape, dtype=np.bool_)
    return np.asarray(missing | np.ma.getmaskarray(cells), dtype=np.bool_)


def is_missing_value(cell: object) -> bool:
    """Whether a cell of any Python type holds no value."""
    if cell is None or cell is np.ma.masked:
        return True
    try:
        if isinstance(cell, (float, np.floating, Decimal)):
            return bool(math.isnan(cell))
        if isinstance(cell, (np.datetime64, np.timedelta64)):
            return bool(np.isnat(cell))
        return _is_of_pandas(cell, "NAType", "NaTType")
    except Exception:
        # A type of the caller's own may raise anything; then its value is there, and bad.
        return False


def _is_of_pandas(cell: object, *names: str) -> bool:
    """Whether the type of a cell is one of these types of pandas, which is not imported for that."""
    own = type(cell)
    return own.__name__ in names and own.__module__.partition(".")[0] == "pandas"


def _beyond_unicode(texts: Cells) -> NDArray[np.bool_]:
    """Which cells of an array of texts hold numbers without a character: as texts, Python could not handle them."""
    longest = texts.dtype.itemsize // np.dtype("U1").itemsize
    if not texts.size or not longest:
        return np.zeros(texts.shape, dtype=np.bool_)
    native = np.ascontiguousarray(texts, dtype=texts.dtype.newbyteorder("="))
    characters = native.view(np.uint32).reshape(len(texts), longest)
    return np.asarray((characters > sys.maxunicode).any(axis=1), dtype=np.bool_)
