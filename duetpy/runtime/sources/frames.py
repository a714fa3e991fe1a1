"""Files of columns and arrays: numpy's own, Parquet, and Arrow (Feather).

Contract. `blocks_in` gives what such a file holds in a form that `duetpy.runtime.sources.arrays` reads, cell for cell: what is
missing stays missing. `heading_in` gives what the file says of its columns and of how many rows it has, and asks for no cell, so
that the size of a small file that decompresses to a large one is known. Nothing but the file is read, and no code in it is run.
What a library says about a file that it cannot read may quote a cell, so it is never repeated.
"""

from __future__ import annotations

import math
import os
import struct
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from io import BytesIO
from typing import IO, Any, BinaryIO, TypeVar

import numpy as np
from attrs import field, frozen
from attrs.validators import ge
from numpy.typing import NDArray

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.opening import endings, open_file
from duetpy.runtime.sources.problems import COLUMNS, UNREADABLE, refuse
from duetpy.runtime.sources.room import refuse_large

T = TypeVar("T")


@frozen(eq=False)
class Heading:
    """What a file of columns says before a cell is read.

    Parameters
    ----------
    columns
        Its columns without rows, in a form that `duetpy.runtime.sources.arrays` reads.
    rows
        How many rows it has.
    size
        How many bytes of it are in memory at once, in addition to those of a table of doubles, where the file says so.
    width
        How many columns there are, where each has a name.
    """

    columns: object
    rows: int = field(validator=ge(0))
    size: int = 0
    width: int = 0


def heading_in(origin: str, names: Sequence[str] | None) -> Heading:
    """What a file of columns or arrays says before a cell is read.

    Parameters
    ----------
    origin
        The path, which ends as such a file does.
    names
        The columns that are wanted, if they are known by name: others need not be read.

    Raises
    ------
    DuetError
        D0601 the file cannot be read, or the library that reads it is not installed; D0603 it holds no table.
    """
    ending = endings(origin)[0]
    with open_file(origin) as handle:
        return safely(origin, f"a {ending} file", lambda: _HEADINGS[ending](handle, names, origin))


def blocks_in(origin: str, names: Sequence[str] | None) -> Iterator[object]:
    """What such a file holds, in runs of rows that fit into memory together with what they say; raises as `heading_in` does."""
    ending = endings(origin)[0]
    with open_file(origin) as handle:
        yield from safely_each(origin, f"a {ending} file", _READERS[ending](handle, names))


def safely_each(origin: str, what: str, blocks: Iterator[object], help: str = "") -> Iterator[object]:
    """Each of some blocks; raises as `safely` does."""
    while (block := safely(origin, what, lambda: next(blocks, None), help)) is not None:
        yield block


def safely(origin: str, what: str, read: Callable[[], T], help: str = "") -> T:
    """What a library reads; raises `DuetError` in fixed words where it raises anything."""
    try:
        return read()
    except DuetError:
        raise
    except MemoryError:
        refuse_large(origin)
    except ImportError as missing:
        library = missing.name or "a library"
        extra = "duckdb" if library == "duckdb" else "arrow"
        refuse(
            UNREADABLE,
            f"cannot be read: {library} is not installed",
            origin,
            help=f"pip install 'duetpy[{extra}]', or save the table as CSV",
        )
    except Exception:
        refuse(UNREADABLE, f"cannot be read as {what}", origin, help=help)


# ---------------------------------------------------------------------------------------------------------------------
# numpy


@frozen
class _Array:
    """What the first bytes of a stored array say: whether it is stored column after column, among other things."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    by_column: bool

    @property
    def size(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def rows(self) -> int:
        return self.shape[0] if self.shape else 1

    @property
    def at_once(self) -> int:
        """How many rows are read together, at least one; all of a table that is stored column after column."""
        return self.rows if self.by_column else max(1, _BATCH_BYTES * self.rows // max(1, self.size))

    @property
    def held(self) -> int:
        """The bytes of these."""
        return self.size * min(self.rows, self.at_once) // max(1, self.rows)

    def empty(self) -> NDArray[Any]:
        """The same array without rows."""
        return np.empty((0, *self.shape[1:]), self.dtype) if self.shape else np.empty((), self.dtype)


def _array_heading(handle: IO[bytes]) -> _Array:
    version = np.lib.format.read_magic(handle)
    if version == (1, 0):
        shape, by_column, dtype = np.lib.format.read_array_header_1_0(handle)
    else:
        # Version 3 is the second one with names in UTF-8, which is read here as Latin-1.
        shape, by_column, dtype = np.lib.format.read_array_header_2_0(handle)
        if dtype.names is not None and version == (3, 0):
            dtype.names = tuple(name.encode("latin-1").decode("utf-8") for name in dtype.names)
    if dtype.hasobject:
        raise ValueError("objects, which are code")
    if any(type(length) is not int or length < 0 for length in shape):
        raise ValueError("no shape")
    return _Array(shape, dtype, by_column and len(shape) > 1)


def _numpy_heading(handle: BinaryIO, names: Sequence[str] | None, origin: str) -> Heading:
    """Of an array, or of the arrays of an archive: its only one, or each a column under its name."""
    if not _is_archive(handle):
        found = _array_heading(handle)
        if found.size > os.fstat(handle.fileno()).st_size:
            raise ValueError("less than it says")
        wanted = _wanted(found.dtype.names or (), names)
        columns = found.empty() if wanted is None else found.empty()[wanted]
        return Heading(columns, found.rows, found.held)
    with zipfile.ZipFile(handle) as archive:
        members = {name.removesuffix(".npy"): name for name in archive.namelist()}
        if len(members) < len(archive.namelist()):
            raise ValueError("two arrays of one name")
        arrays: dict[str, _Array] = {}
        for name in _wanted(list(members), names) or members:
            with archive.open(members[name]) as member:
                arrays[name] = _array_heading(member)
    size = sum(array.held for array in arrays.values())
    if len(members) == 1 and len(only := next(iter(arrays.values())).shape) > 1:
        return Heading(next(iter(arrays.values())).empty(), only[0], size)
    lengths = {array.shape for array in arrays.values()}
    if len(lengths) != 1 or len(next(iter(lengths))) != 1:
        refuse(COLUMNS, "its columns have no common length", origin)
    return Heading({name: array.empty() for name, array in arrays.items()}, next(iter(lengths))[0], size)


_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")
"""How an archive begins; the second word if there is nothing in it: APPNOTE.TXT, 4.3.7 and 4.3.16."""


def _is_archive(handle: BinaryIO) -> bool:
    """Whether a file is an archive for numpy, which looks at its first bytes. Python's own test looks for the end of an archive
    at the end of the file, and the last row of an array may look like one."""
    start = handle.read(4)
    handle.seek(0)
    return start in _ARCHIVES


def _of_numpy(handle: BinaryIO, names: Sequence[str] | None) -> Iterator[object]:
    if not _is_archive(handle):
        found = _array_heading(handle)
        wanted = _wanted(found.dtype.names or (), names)
        rows = _rows_of(handle, found, found.at_once)
        yield from (some if wanted is None else some[wanted] for some in rows)
        return
    with zipfile.ZipFile(handle) as archive, ExitStack() as opened:
        files = [name.removesuffix(".npy") for name in archive.namelist()]
        chosen = _wanted(files, names) or files
        members = [opened.enter_context(archive.open(f"{name}.npy")) for name in chosen]
        arrays = [_array_heading(member) for member in members]
        # Of columns of several types as many rows as of the widest one.
        at_once = min(array.at_once for array in arrays)
        each = [_rows_of(member, array, at_once) for member, array in zip(members, arrays, strict=True)]
        if len(files) == 1 and len(arrays[0].shape) > 1:
            yield from each[0]
        else:
            yield from (dict(zip(chosen, columns, strict=True)) for columns in zip(*each, strict=True))
        for member in members:
            # At its end the sum of its bytes is compared.
            member.read(1)


def _rows_of(handle: IO[bytes], array: _Array, at_once: int) -> Iterator[NDArray[Any]]:
    """The rows of an array, of which the heading has been read, some at a time."""
    width = array.size // max(1, array.rows)
    for start in range(0, array.rows, max(1, at_once)):
        rows = min(at_once, array.rows - start)
        data = handle.read(rows * width)
        if len(data) < rows * width:
            raise ValueError("less than it says")
        shape = (rows, *array.shape[1:]) if array.shape else ()
        yield np.ndarray(shape, array.dtype, data, order="F" if array.by_column else "C")


# ---------------------------------------------------------------------------------------------------------------------
# Parquet and Arrow


def _parquet_heading(handle: BinaryIO, names: Sequence[str] | None, origin: str) -> Heading:
    file = import_module("pyarrow.parquet").ParquetFile(handle)
    return Heading(_empty(file.schema_arrow, names), file.metadata.num_rows)


def _of_parquet(handle: BinaryIO, names: Sequence[str] | None) -> Iterator[object]:
    schema = import_module("pyarrow.parquet").ParquetFile(handle).schema_arrow
    wanted = _wanted(schema.names, names)
    # Texts that the file keeps once stay so: otherwise the library writes each out for every row.
    texts = [column.name for column in schema if hasattr(column.type, "index_type") or str(column.type) in _TEXTS]
    rows = 0
    try:
        for batch in _batches_of_parquet(handle, wanted, texts):
            yield batch
            rows += batch.num_rows
        return
    except OSError:
        # The library cannot keep texts once that the file keeps as differences. Some writers turn to these when there are many
        # different texts, which one row may decide. What the file says of a column that is encrypted would end the process.
        pass
    for batch in _batches_of_parquet(handle, wanted, [], _without_types_of_arrow(handle)):
        if batch.num_rows > rows:
            yield batch.slice(rows)
        rows -= min(rows, batch.num_rows)


def _batches_of_parquet(
    handle: BinaryIO, wanted: list[str] | None, texts: list[str], metadata: Any = None
) -> Iterator[Any]:
    """The rows, of which texts in some columns are kept once. What a file says of itself is in it, or in the metadata."""
    handle.seek(0)
    library = import_module("pyarrow.parquet")
    file = library.ParquetFile(handle, metadata=metadata, read_dictionary=texts, pre_buffer=False, buffer_size=_BUFFER)
    yield from file.iter_batches(batch_size=_BATCH_ROWS, columns=wanted, use_threads=False)


def _without_types_of_arrow(handle: BinaryIO) -> Any:
    """What a Parquet file says of itself, without the types that its columns had in Arrow, also those of texts kept once.

    At the end of a file stands what it says, its length, and four letters (https://parquet.apache.org/docs/file-format/).
    """
    end = handle.seek(-8, os.SEEK_END)
    last = handle.read()
    length = int.from_bytes(last[:4], "little")
    handle.seek(end - length)
    # Another name of the same length leaves everything in its place.
    said = handle.read(length).replace(_TYPES_OF_ARROW, bytes(len(_TYPES_OF_ARROW)))
    return import_module("pyarrow.parquet").read_metadata(BytesIO(last[4:] + said + last))


def _arrow_heading(handle: BinaryIO, names: Sequence[str] | None, origin: str) -> Heading:
    library = import_module("pyarrow.ipc")
    schema = library.open_file(handle).schema
    handle.seek(_ARROW_START)
    rows = sum(_rows_said(bytes(message.metadata)) for message in library.MessageReader.open_stream(handle))
    return Heading(_empty(schema, names), rows)


def _of_arrow(handle: BinaryIO, names: Sequence[str] | None) -> Iterator[object]:
    library = import_module("pyarrow.ipc")
    found = library.open_file(handle).schema.names
    wanted = _wanted(found, names)
    fields = None if wanted is None else sorted(map(found.index, wanted))
    handle.seek(0)
    file = library.open_file(handle, options=library.IpcReadOptions(included_fields=fields))
    for at in range(file.num_record_batches):
        batch = file.get_batch(at)
        _verify_places(batch)
        yield batch


def _verify_places(batch: Any) -> None:
    """Raise what the library raises where texts do not lie within the file: it follows the places that a file says wherever they
    lead, into other memory or to the end of the process. Whether a text is UTF-8 each cell is asked by itself."""
    batch.validate()
    for column in batch.columns:
        stored = getattr(column, "storage", column)
        texts = getattr(stored, "dictionary", stored)
        if (as_bytes := _AS_BYTES.get(str(texts.type))) is not None:
            texts.view(as_bytes).validate(full=True)


_BATCH_BYTES = 1 << 23
"""Bytes of an array that are read together."""
_BATCH_ROWS = 1 << 16
_BUFFER = 1 << 18
"""Bytes of a column that are read at a time: otherwise the library reads those of a whole group of rows, and keeps them until the
last one. Its threads would wait for each other at Python's file: on two cores they take more processor time, and save none by the
clock."""
_TEXTS = ("string", "large_string")
_TYPES_OF_ARROW = b"ARROW:schema"
"""The name under which the library keeps the types of Arrow in a Parquet file."""
_AS_BYTES = {"string": "binary", "large_string": "large_binary", "string_view": "binary_view"}
"""The types of texts in Arrow, and those of the same bytes."""
_ARROW_START = 8
"""Behind the first word of a file there is a stream: https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format"""
_MESSAGE_OF_ROWS = 3
"""The number of RecordBatch in the union MessageHeader of Arrow's Message.fbs."""


def _rows_said(message: bytes) -> int:
    """How many rows the message of a record batch says that it has; 0 for any other message.

    A message is a flatbuffer (https://flatbuffers.dev/internals/): the place of its table; before a table, the distance to the
    places of its fields. Field 1 of a message is the type of its header, field 2 the header; field 0 of a record batch its length.
    """

    def number(form: str, at: int) -> int:
        return int(struct.unpack_from(form, message, at)[0])

    def place(table: int, field: int) -> int | None:
        places = table - number("<i", table)
        at = 4 + 2 * field
        distance = number("<H", places + at) if at < number("<H", places) else 0
        return table + distance if distance else None

    root = number("<I", 0)
    kind, header = place(root, 1), place(root, 2)
    if kind is None or header is None or message[kind] != _MESSAGE_OF_ROWS:
        return 0
    length = place(header + number("<I", header), 0)
    return 0 if length is None else number("<q", length)


def _empty(schema: Any, names: Sequence[str] | None) -> object:
    """A table without rows."""
    wanted = _wanted(schema.names, names)
    if wanted is not None:
        schema = import_module("pyarrow").schema([schema.field(name) for name in wanted])
    return schema.empty_table()


def _wanted(found: Sequence[str], names: Sequence[str] | None) -> list[str] | None:
    """The columns to read: all, if one that is wanted is not there or there twice, so that the refusal can say so."""
    return list(names) if names is not None and all(found.count(name) == 1 for name in names) else None


_HEADINGS: dict[str, Callable[[BinaryIO, Sequence[str] | None, str], Heading]] = {
    ".npy": _numpy_heading,
    ".npz": _numpy_heading,
    ".parquet": _parquet_heading,
    ".arrow": _arrow_heading,
    ".feather": _arrow_heading,
}
_READERS: dict[str, Callable[[BinaryIO, Sequence[str] | None], Iterator[object]]] = {
    ".npy": _of_numpy,
    ".npz": _of_numpy,
    ".parquet": _of_parquet,
    ".arrow": _of_arrow,
    ".feather": _of_arrow,
}
