"""Files as bytes: which endings there are, how a file is opened, and its lines in blocks.

Contract. A file is a regular one, or standard input (``-``), which is read once and kept: a pipe or a device would give other
bytes the next time, or none for ever. Its name says what a file is, and never its content, of which one row may be all. Whatever
is wrong with a file is raised in fixed words.
"""

from __future__ import annotations

import gzip
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from typing import BinaryIO, TextIO, cast

from duetpy.runtime.sources.looks import note, opened
from duetpy.runtime.sources.problems import STANDARD_INPUT, UNREADABLE, refuse
from duetpy.runtime.sources.records import LONGEST_LINE
from duetpy.runtime.sources.registry import ending_of, holds_lines, scheme_in
from duetpy.runtime.values.memory import available

GZIP = ".gz"
TABBED = ".tsv"
PACKED = frozenset({".bz2", ".xz", ".zst", ".lz4", ".br", ".zip", ".7z", ".rar", ".tar", ".tgz", GZIP})
"""How files end that hold no lines before they are decompressed, or decompressed once more."""
FOREIGN = frozenset({
    ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers", ".sqlite", ".sqlite3", ".db", ".duckdb", ".mdb", ".accdb", ".dbf",
    ".pq", ".orc", ".avro", ".json", ".jsonl", ".ndjson", ".geojson", ".xml", ".html", ".htm", ".pdf", ".pkl", ".pickle", ".h5",
    ".hdf5", ".mat", ".dta", ".sav", ".sas7bdat", ".xpt", ".rds", ".rdata",
})  # fmt: skip
"""Other files that hold no lines of cells: each line of theirs would be a bad row, and count as one."""

_FOR_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Without waiting for somebody at the other end of a pipe, for ever."""

_CHUNK = 1 << 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def endings(origin: str) -> tuple[str, str]:
    """The ending that says what a file holds, in lower case, and ``.gz`` after it if the file is compressed in that way."""
    name = os.path.basename(origin).lower()
    packing = GZIP if name.endswith(GZIP) else ""
    _, dot, last = name.removesuffix(packing).rpartition(".")
    return dot + last if dot else "", packing


def open_file(origin: str) -> BinaryIO:
    """The bytes of a file, as they are.

    Raises
    ------
    DuetError
        D0601 the file cannot be read.
    """
    if origin == STANDARD_INPUT:
        found = _all_of(sys.stdin)
        if isinstance(found, bytes):
            return BytesIO(found)
        refuse(UNREADABLE, found, STANDARD_INPUT, help=_INSTEAD)
    note(origin)
    refuse_irregular(origin)
    try:
        number = os.open(origin, _FOR_READING)
        file = os.fstat(number)
        if not stat.S_ISREG(file.st_mode):
            # Something else has taken the name since it was looked at.
            os.close(number)
            refuse(UNREADABLE, "cannot be read: not a regular file", origin)
        opened(origin, file)
        return os.fdopen(number, "rb")
    except (OSError, ValueError) as fault:
        refuse(UNREADABLE, _reason(fault), origin)


def refuse_irregular(path: str, origin: str = "") -> None:
    """Raise D0601 unless a path is a regular file that may be read, without opening it; `origin` names it in the message."""
    try:
        kind, may_be_read = os.stat(path).st_mode, os.access(path, os.R_OK)
    except (OSError, ValueError) as fault:
        refuse(UNREADABLE, _reason(fault), origin or path, help=_ONE_FILE if "*" in path else "")
    is_regular = stat.S_ISREG(kind)
    if stat.S_ISDIR(kind):
        refuse(UNREADABLE, "cannot be read: it is a folder", origin or path, help=_ONE_FILE)
    if not is_regular or not may_be_read:
        reason = "Permission denied" if is_regular else "not a regular file"
        refuse(UNREADABLE, f"cannot be read: {reason}", origin or path)


def _reason(fault: OSError | ValueError) -> str:
    reason = fault.strerror if isinstance(fault, OSError) else None
    return f"cannot be read: {reason or 'not a path'}"


_ONE_FILE = "give the path of one file; join several files of one table into one first"
_INSTEAD = "save it as a file, and give its path"


@lru_cache(maxsize=1)
def _all_of(stream: TextIO | None) -> bytes | str:
    """What stands on standard input, or why it cannot be read: more than one pass is made over it, and none must begin where one
    that failed has stopped."""
    source = getattr(stream, "buffer", None)
    if source is None:
        return "cannot be read: there is no standard input"
    most = available() // 4
    pieces: list[bytes] = []
    try:
        while piece := source.read(_CHUNK):
            most -= len(piece)
            if most < 0:
                return "is too long to be kept in memory"
            pieces.append(piece)
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else None
        return f"cannot be read: {reason or 'input error'}"
    # Of a stream that has not ended and has nothing at present.
    return "cannot be read: input error" if piece is None else b"".join(pieces)


def standard_input_file() -> os.stat_result | None:
    """What the system says of the file that standard input was taken from; None where it is no file on disk."""
    try:
        found = os.fstat(sys.stdin.fileno())
    except (AttributeError, OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


_CONVERT = "convert it to CSV first, or read it in Python and pass the table"
_IN_DUCKDB = "name a table in it: duckdb:FILE?table=NAME"
_PERHAPS_DUCKDB = f"if it is a file of DuckDB, {_IN_DUCKDB}; else {_CONVERT}"


@contextmanager
def lines_from(origin: str) -> Iterator[BinaryIO]:
    """The bytes of a file of lines, unpacked, as long as they are read.

    Raises
    ------
    DuetError
        D0601 the file cannot be read, or its name says that it holds no lines.
    """
    if scheme := scheme_in(origin):
        refuse(UNREADABLE, f"cannot be read: what {scheme} names is not CSV", origin, help=_CONVERT)
    ending, packing = endings(origin)
    if ending in PACKED:
        refuse(
            UNREADABLE,
            f"cannot be read: a {ending} file is compressed",
            origin,
            help="decompress it first, or compress it as .gz",
        )
    inner = os.path.basename(origin).lower().removesuffix(packing)
    if ending in FOREIGN or not holds_lines(ending_of(inner)) or not holds_lines(ending_of(origin)):
        of_database = {".duckdb": _IN_DUCKDB, ".db": _PERHAPS_DUCKDB}
        is_read = ending not in FOREIGN or ending in of_database
        help = "decompress it first" if packing and is_read else of_database.get(ending, _CONVERT)
        refuse(UNREADABLE, f"cannot be read: a {ending}{packing} file is not CSV", origin, help=help)
    handle = open_file(origin)
    try:
        # A disk may report what it could not read when the file is closed.
        with cast(BinaryIO, _Unpacked(handle)) if packing else handle as lines:
            yield lines
    except OSError as fault:
        refuse(UNREADABLE, f"cannot be read: {fault.strerror or 'input error'}", origin)


class _Unpacked(gzip.GzipFile):
    """A compressed file that reports damage as the system reports an unreadable disk, by `OSError`."""

    def __init__(self, packed: BinaryIO) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self.packed = packed

    def read(self, size: int | None = -1) -> bytes:
        try:
            return super().read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise OSError(0, "the compressed file is damaged") from None

    def close(self) -> None:
        super().close()
        self.packed.close()


def size_of(handle: BinaryIO) -> int | None:
    """How many bytes there are to read; None where only reading them would tell."""
    if isinstance(handle, BytesIO):
        return handle.getbuffer().nbytes
    return None if isinstance(handle, gzip.GzipFile) else os.fstat(handle.fileno()).st_size


def whole_lines(handle: BinaryIO) -> Iterator[bytes]:
    """The file in blocks that end in a line feed; the last line gets one if need be.

    A byte order mark at the start of a line is left out, of the first one as of every other: which line is the first one the rows
    before it decide. (Files that were joined have marks inside, too.)
    """
    pending = b""
    while chunk := handle.read(_CHUNK):
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield _unmarked(pending + chunk[:cut])
            pending = chunk[cut:]
        else:
            # Two bytes above the limit are kept: the line is known to be too long, even if the last of them is a carriage return.
            pending = (pending + chunk)[: len(_BYTE_ORDER_MARK) + LONGEST_LINE + 2]
    if pending:
        yield _unmarked(pending + b"\n")


def _unmarked(lines: bytes) -> bytes:
    return lines.removeprefix(_BYTE_ORDER_MARK).replace(b"\n" + _BYTE_ORDER_MARK, b"\n")
