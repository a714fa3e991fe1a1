"""What a crash leaves next to a ledger, tried out before sqlite acts on it.

A process that is killed while it writes leaves a journal: the pages as they were. The next one that opens the file puts them
back, and asks nothing: a journal of another file, or of a moment long gone (sqlite.org/howtocorrupt.html, section 1.4), would
write over charges. So the file is read as it is, the journal is played back in memory, and whoever asks looks at both.

The format of a journal is that of sqlite.org/fileformat2.html, section 3.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from duetpy.ledger.layout import address
from duetpy.ledger.place import JOURNAL

ALL = 0xFFFFFFFF
"""As many records as there is room for."""

LOCKS = 1 << 30
"""The first byte that processes lock: its page holds nothing."""

TRIES = 20


def unfinished(path: Path) -> tuple[bytes, bytes] | None:
    """The file as it is, and as it will be when sqlite has played back the journal next to it.

    None where there is no journal, where others are at work, and where sqlite cannot tell what is in a file.
    """
    if not hasattr(sqlite3.Connection, "serialize"):
        return None
    for _ in range(TRIES):
        journal = _journal(path)
        if not journal.startswith(JOURNAL):
            return None
        try:
            # Read without a lock, and closed without letting go of those that this process holds.
            with closing(sqlite3.connect(f"{address(path)}?mode=ro&immutable=1", uri=True)) as database:
                content = database.serialize()
        except sqlite3.Error:
            return None
        # As long as one journal is there, whatever is written into the file can be undone by it.
        if _journal(path) == journal:
            return content, played_back(content, journal)
    return None


def _journal(path: Path) -> bytes:
    try:
        return Path(f"{path}-journal").read_bytes()
    except FileNotFoundError:
        return b""


def played_back(content: bytes, journal: bytes) -> bytes:
    """A file with the pages of a journal put back, as sqlite does it: up to the first record that is not whole or has no number.

    Nothing where the file was longer once than it is: a ledger only grows, and a number may be any.
    """
    pages, sector = _number(journal, 16), _number(journal, 20)
    # Without a size of its own a journal has that of the file.
    page = _number(journal, 24) or int.from_bytes(content[16:18], "big")
    if not (is_size(page, 512) and is_size(sector, 32)):
        return content
    if pages * page > len(content):
        return b""
    played = bytearray(content[: pages * page])
    for number, before in _records(journal, page, pages):
        played[(number - 1) * page : number * page] = before
    return bytes(played)


def _records(journal: bytes, page: int, pages: int) -> Iterator[tuple[int, bytes]]:
    """The pages in a journal with their numbers; each part of it begins with a head of its own, in a sector of its own. One with
    a number beyond `pages` is passed over, whole or not, and none follows the one that would hold sqlite's locks."""
    at = 0
    while journal[at : at + 8] == JOURNAL and len(journal) >= at + 28:
        count, nonce, sector = _number(journal, at + 8), _number(journal, at + 12), _number(journal, at + 20)
        if not is_size(sector, 32):
            return
        at += sector
        room = max(0, len(journal) - at) // (page + 8)
        for _ in range(room if count == ALL else min(count, room)):
            number, before = _number(journal, at), journal[at + 4 : at + 4 + page]
            total = (nonce + sum(before[page - 200 : 0 : -200])) % (1 << 32)
            if number in (0, LOCKS // page + 1) or (number <= pages and _number(journal, at + 4 + page) != total):
                return
            if number <= pages:
                yield number, before
            at += page + 8
        at = -(-at // sector) * sector


def is_size(number: int, least: int) -> bool:
    """Whether a page or a sector can have so many bytes: a power of two within limits."""
    return least <= number <= 65536 and number.bit_count() == 1


def _number(content: bytes, at: int) -> int:
    return int.from_bytes(content[at : at + 4], "big")
