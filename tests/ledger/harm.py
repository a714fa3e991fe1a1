"""Ledgers to do harm to, and what they may say afterwards.

Whatever is done to the bytes of the file, a ledger reads exactly as before, and the next charge is added to what was there; or
every use of it is refused with D0723, and the file stays as it is. `Bench.outcome` says which, and raises for anything else.
"""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

from duetpy.accounting.budget import parse_budget
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.chain import canonical, completion
from duetpy.ledger.show import value
from duetpy.ledger.state import State
from duetpy.ledger.store import Ledger, create
from tests.ledger.test_store import TENTH, body

SAME, CHANGED = "same", "D0723"

EARLIER = (Path(__file__).parent / "version2.sql").read_text(encoding="utf-8")
"""The tables of a ledger before there were seals, as they were made then."""


class Wrong(AssertionError):
    """A ledger that reports something different than before, or ends in another way than it may."""


def filled(path: Path, runs: int, size: int = 1) -> None:
    """A new ledger with the charges of some runs and what they released."""
    create(path, parse_budget("epsilon=7"), "people")
    for run in range(runs):
        add(path, run, size)


def add(path: Path, run: int = 0, size: int = 1) -> None:
    """Charge a run and store what it released."""
    entry = Ledger(path).reserve(TENTH, body(TENTH))
    output = {"result": [run] * size}
    Ledger(path).complete(completion(entry.number, f"{run:064x}", output), entry.hash)


def earlier(path: Path, runs: int) -> None:
    """A ledger as the version before seals made it, with the same entries."""
    filled(path, runs)
    state = Ledger(path).state()
    path.unlink()
    path.touch(0o600)
    terms = {**state.terms, "version": 2}
    from duetpy.ledger.chain import entry_hash, first_hash

    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.executescript(f"BEGIN; PRAGMA application_id = {0x64756574}; {EARLIER}; COMMIT")
        database.execute("INSERT INTO terms VALUES (1, ?, ?)", (canonical(terms), state.key))
        previous = first_hash(terms)
        for entry in state.entries:
            own = entry_hash(entry.number, entry.kind, entry.at, entry.text, previous)
            row = (entry.number, entry.kind, entry.at, entry.text, previous, own)
            database.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", row)
            previous = own


def said(state: State) -> tuple[Any, ...]:
    """Everything that a ledger says: terms, figures, entries, stored releases and the key that these are found by."""
    outputs = [entry.output for entry in state.entries if entry.kind == "released"]
    return dict(state.terms), state.budget, state.key, state.entries, value(state), outputs


def written_in_place(path: Path, content: bytes) -> None:
    """Let a file hold this. What is emptied first, and closed, ext4 writes out to the disk at once (ext4(5), auto_da_alloc),
    and to empty it again then waits for the disk: of thousands of times each takes as long as the disk is busy."""
    path.touch(0o600)
    with open(path, "r+b") as file:
        file.write(content)
        file.truncate()


class Bench:
    """One ledger whose bytes are changed again and again.

    Parameters
    ----------
    path
        The file; it is made.
    make
        What makes it.
    """

    def __init__(self, path: Path, make: Callable[[Path], None]) -> None:
        self.path = path
        make(path)
        self.good = path.read_bytes()
        self.before = Ledger(path).state()
        self.said = said(self.before)

    def put(self, content: bytes) -> None:
        """Let the file hold this and nothing lie next to it."""
        written_in_place(self.path, content)
        for other in self.path.parent.glob(f"{self.path.name}-*"):
            other.unlink()

    def flipped(self, *bits: int) -> bytes:
        """The file with some bits turned, counted from its beginning."""
        content = bytearray(self.good)
        for bit in bits:
            content[bit // 8] ^= 1 << bit % 8
        return bytes(content)

    def outcome(self, content: bytes, *, differs: Iterable[str] = ()) -> str:
        """`SAME` or `CHANGED`, of reading and of charging alike."""
        self.put(content)
        try:
            read = self.read()
        except DuetError as error:
            self.refused(error, content)
            try:
                Ledger(self.path).reserve(TENTH, body(TENTH))
            except DuetError as another:
                self.refused(another, content)
                return CHANGED
            raise Wrong("what cannot be read was charged") from error
        if said(read) != self.said:
            raise Wrong("it says something else")
        if self.path.read_bytes() != content:
            raise Wrong("reading it changed it")
        self.charge()
        return SAME

    def read(self) -> State:
        return Ledger(self.path).state()

    def refused(self, error: DuetError, content: bytes) -> None:
        if [diagnostic.code for diagnostic in error.diagnostics] != [CHANGED]:
            raise Wrong(f"refused with {error}") from error
        if self.path.read_bytes() != content:
            raise Wrong("what refuses it changed it") from error

    def charge(self) -> None:
        """The next charge, and its release, come after what is there, and the sum is right."""
        add(self.path, 77)
        after = Ledger(self.path).state()
        count = len(self.before.entries)
        if after.entries[:count] != self.before.entries or len(after.entries) != count + 2:
            raise Wrong("a charge lost entries")
        if after.spent.amount != self.before.spent.amount + Fraction(1, 10) or after.key != self.before.key:
            raise Wrong("a charge changed figures")
