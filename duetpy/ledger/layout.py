"""A ledger as an sqlite database: its tables, how it is opened, and whether the database is whole.

What the entries say is held by their chain, and all of it by the seal (`duetpy.ledger.chain`). Here is held what sqlite itself
relies on, so that neither can be led astray by a page that a disk changed: the tables are exactly those that were made, and
what the pages say fits together, tables, indices and free places alike.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import quote

from duetpy.ledger.refusals import damaged, no_ledger, unusable

VERSION = 3
"""Of the file's layout; it stands in the terms and, for one that knows of this version, in the file's head."""

UNSEALED = 2
"""The version before there were seals. A ledger of it is sealed by its next charge."""

PATIENCE = 60.0
"""Seconds to wait for another process that writes."""

MARK = 0x64756574
"""What sqlite notes in the file's head, so that no other database is taken for a ledger: "duet" in ASCII."""

TERMS = "CREATE TABLE terms (only INTEGER PRIMARY KEY CHECK (only = 1), text TEXT NOT NULL, key BLOB NOT NULL)"

ENTRIES = """\
CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('reserved', 'released')),
    at TEXT NOT NULL,
    body TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE
)"""

SEAL = "CREATE TABLE seal (only INTEGER PRIMARY KEY CHECK (only = 1), number INTEGER NOT NULL, code TEXT NOT NULL)"

TABLES = (
    TERMS,
    ENTRIES,
    "CREATE TRIGGER terms_stay BEFORE UPDATE ON terms BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END",
    "CREATE TRIGGER terms_remain BEFORE DELETE ON terms BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END",
    "CREATE TRIGGER entries_stay BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END",
    "CREATE TRIGGER entries_remain BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END",
)
"""What there was before the seal."""

SEALED = (
    SEAL,
    "CREATE TRIGGER seal_remains BEFORE DELETE ON seal BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END",
    "CREATE TRIGGER seal_grows BEFORE UPDATE ON seal WHEN NEW.number IS NOT OLD.number + 1 "
    "BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END",
)
"""What a seal needs in addition."""

Object = tuple[object, object, object, object]


@cache
def layout(*, is_sealed: bool) -> frozenset[Object]:
    """What sqlite notes of the tables, indices and triggers of a ledger: type, name, table and text."""
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in TABLES + (SEALED if is_sealed else ()):
            database.execute(statement)
        return frozenset(objects(database))


def objects(database: sqlite3.Connection) -> list[Object]:
    """What sqlite notes of the tables, indices and triggers that are there."""
    return database.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()


def address(path: Path) -> str:
    """A file as sqlite names it."""
    return f"file:{quote(os.fsencode(path.absolute()))}"


def connect(path: Path) -> sqlite3.Connection:
    """The database in a file that is there. What a page says of its cells is verified when it is read, and nothing that the
    file defines is run."""
    database = sqlite3.connect(f"{address(path)}?mode=rw", uri=True, timeout=PATIENCE, isolation_level=None)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    return database


@contextmanager
def one_moment(database: sqlite3.Connection) -> Iterator[None]:
    """Let everything that is read be of one moment: what another process appends meanwhile comes before it or after it."""
    database.execute("BEGIN")
    yield
    database.execute("ROLLBACK")


def make_durable(database: sqlite3.Connection, path: Path) -> None:
    """From now on every commit is on the disk, journal and folder included, before it returns."""
    (mode,) = database.execute("PRAGMA journal_mode = DELETE").fetchone()
    if mode != "delete":
        raise unusable(path, OSError(f"another program keeps it in the journal mode {mode}"))
    database.execute("PRAGMA synchronous = EXTRA")
    # Where a plain sync leaves it to the disk when it writes; elsewhere sqlite ignores it.
    database.execute("PRAGMA fullfsync = ON")


def is_in_another_mode(database: sqlite3.Connection) -> bool:
    """Whether to append to it would change how the file is written."""
    (mode,) = database.execute("PRAGMA journal_mode").fetchone()
    return bool(mode != "delete")


def noted_version(database: sqlite3.Connection) -> int:
    """The version that stands in the file's head; 0 before there were seals."""
    return _number(database, "user_version")


def refuse_others(database: sqlite3.Connection, path: Path) -> None:
    """Raises `DuetError` where the database is not marked as a ledger: another program's, or one whose mark was changed."""
    if _number(database, "application_id") != MARK:
        is_own = not layout(is_sealed=True).isdisjoint(objects(database))
        raise damaged(path, "its mark was changed") if is_own else no_ledger(path)


def was_ledger(path: Path) -> bool:
    """Whether a file that sqlite does not take for a database was a ledger once, or still is except for its head.

    Only for such a file: to close a file lets go of every lock that this process has on it (sqlite.org/howtocorrupt.html,
    section 2.2), and a file that is not a database has no such lock.
    """
    with open(path, "rb") as file:
        content = file.read(1 << 16)
    return any(statement.encode() in content for statement in TABLES + SEALED)


def refuse_broken(database: sqlite3.Connection, path: Path) -> None:
    """Raises `DuetError` where the pages of the database do not fit together.

    sqlite reads a page as it is. A table and its index, the pages and those that refer to them, and within a page the cells
    and the places that are free say the same thing twice (sqlite.org/pragma.html, integrity_check), so that one change of
    one of them shows. The bytes of the head that say how the file may be written are said once.
    """
    if database.execute("PRAGMA integrity_check(1)").fetchall() != [("ok",)]:
        raise damaged(path, "its pages do not fit together")
    serialize = getattr(database, "serialize", None)
    # Without it, which an sqlite before 3.36 may lack, sqlite refuses to write to a file with other bytes there.
    if serialize is not None and serialize()[18:20] not in (b"\x01\x01", b"\x02\x02"):
        raise damaged(path, "its head was changed")


def _number(database: sqlite3.Connection, pragma: str) -> int:
    (found,) = database.execute(f"PRAGMA {pragma}").fetchone()
    return int(found)
