"""Columns of Arrow, which is not imported: a column is known by its methods.

Contract. What a cell is depends on that cell and on the type of the column, which is the same whatever the rows are. In particular
a text that is not UTF-8 is a bad cell: the library would refuse the whole column for it.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Any, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray


class Garbled:
    """Stands for a cell that a library cannot read, such as a text that is not valid UTF-8. The cell is bad, not missing."""


GARBLED = Garbled()

NEITHER = "V"
"""The kind of types whose cells are neither numbers nor texts."""

NUMBER = "n"
"""The kind of types of numbers and truth values that no library gives a column by itself."""

DAYS = "D"
"""The kind of types whose cells are days, so that no column of anything else may be made of them."""

_NUMBERS = re.compile(r"u?int\d+|halffloat|float|double|bool|decimal\d*\(.*\)")
_TEXTS = re.compile(r"(large_)?(string|utf8)|string_view")
_DAYS = "date32[day]"
_NESTED = re.compile(r"(large_|fixed_size_)?list|map<|struct<|\w*union<")


@runtime_checkable
class ArrowColumn(Protocol):
    """An Array or ChunkedArray of Arrow."""

    @property
    def type(self) -> Any: ...

    def to_pylist(self) -> list[object]: ...

    def __array__(self) -> NDArray[Any]: ...


def is_arrow_column(value: object) -> TypeGuard[ArrowColumn]:
    """Whether a value is one. A file has a column of each batch of its rows, all of one type, and Python asks a value slowly."""
    own: type = type(value)
    return _is_of_columns(own) or isinstance(value, ArrowColumn)


@lru_cache(maxsize=64)
def _is_of_columns(type_: type) -> bool:
    """Whether a type says that its values are columns; of any other one each value is asked."""
    return all(getattr(type_, name, None) is not None for name in ("type", "to_pylist", "__array__"))


def column_within(value: Any) -> ArrowColumn | None:
    """The column of Arrow in which pandas keeps the texts or days of a column, if it does.

    A text or day that Python does not have is one bad cell there, while pandas refuses the whole column for it.
    """
    own = getattr(value, "dtype", None)
    if not hasattr(own, "pyarrow_dtype") and getattr(own, "storage", None) != "pyarrow":
        return None
    kept = getattr(value, "array", value).__arrow_array__()
    return kept if is_arrow_column(kept) and arrow_kind(kept) in ("U", DAYS) else None


def arrow_kind(column: ArrowColumn) -> str | None:
    """The kind of numpy's types that the type of a column belongs to: `NUMBER`, ``U`` for texts,
    `DAYS`, `NEITHER` for the others (moments, lists, bytes); None for the type of columns in which every cell is missing."""
    return arrow_type_kind(column.type)


def arrow_type_kind(own: Any) -> str | None:
    """The same of a type."""
    runs, is_plain = False, True
    while not _NESTED.match(str(own)) and (inner := _inner(own)) is not None:
        own, runs, is_plain = inner, runs or hasattr(own, "run_end_type"), False
    name = str(own)
    if name == "null":
        return None
    if name == _DAYS:
        # A library has no days beyond the year 9999, and refuses the whole column for one where it does not keep their numbers.
        return DAYS if is_plain else NEITHER
    if _TEXTS.fullmatch(name):
        # The texts of runs can only be had all at once.
        return NEITHER if runs else "U"
    return NUMBER if _NUMBERS.fullmatch(name) else NEITHER


def arrow_cells(column: Any) -> NDArray[Any]:
    """The cells of a column: numbers, or objects of which None is missing."""
    kind = arrow_kind(column)
    if kind == NEITHER:
        return np.broadcast_to(np.array(math.nan), (len(column),))
    if kind == "U":
        return _texts(column)
    if kind == DAYS:
        numbers = column.cast("int32")
        days = np.asarray(numbers.fill_null(0)).astype(np.int64).astype("datetime64[D]")
        return np.where(np.asarray(numbers.is_null()), np.datetime64("NaT", "D"), days)
    if _is_encoded(column.type):
        # Converted to a NumPy array, dictionary-encoded chunks show another row's value in place of a missing one.
        return np.fromiter(column.to_pylist(), dtype=np.object_)
    return np.asarray(column)


def _inner(type_: Any) -> Any:
    """The type of the values that a type keeps in a way of its own; None of a plain type."""
    return getattr(type_, "storage_type", None) or getattr(type_, "value_type", None)


def _is_encoded(type_: Any) -> bool:
    """Whether an Arrow type keeps each value once and numbers the rows, perhaps inside another type."""
    while type_ is not None:
        if hasattr(type_, "index_type"):
            return True
        type_ = _inner(type_)
    return False


def _texts(column: Any) -> NDArray[np.object_]:
    """The texts of a column. One that the column keeps once for many rows is not written out for each of them."""
    if hasattr(column, "chunks"):
        parts = [_texts(chunk) for chunk in column.chunks]
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.object_)
    if not hasattr(column.type, "index_type"):
        return np.fromiter(map(_text, _bytes(column)), dtype=np.object_)
    words = np.append(_texts(column.dictionary), np.array([GARBLED, None], dtype=np.object_))
    last, none = len(words) - 2, len(words) - 1
    # A place at which there is no text is one bad cell; the library would refuse the whole column for it.
    places = np.asarray(column.indices.fill_null(0).cast("uint64", safe=False))
    is_none = np.asarray(column.indices.is_null())
    places = np.where(is_none, none, np.minimum(places, last))
    found: NDArray[np.object_] = words[places.astype(np.intp)]
    return found


def _bytes(column: Any) -> list[object]:
    while (inner := _inner(column.type)) is not None:
        column = column.cast(inner)
    cells: list[object] = column.cast("large_binary").to_pylist()
    return cells


def _text(cell: object) -> object:
    try:
        return cell.decode() if isinstance(cell, bytes) else None
    except UnicodeDecodeError:
        return GARBLED
