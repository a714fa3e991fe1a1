"""The file of a ledger: an sqlite database that only ever grows.

Contract. `create` makes the file, readable by its owner alone; nothing else does. `Ledger.reserve` takes the write lock,
verifies the chain, decides, appends and syncs before it returns, so that two processes can never both spend the same rest
and a process that is killed afterwards has been charged. Whatever goes wrong with the file refuses the run: D0722 it is not
there or not a ledger, D0723 an entry was tampered with, D0724 it cannot be read or written now.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from attrs import define, frozen

from duetpy.accounting.budget import Budget, Charge, covers
from duetpy.diagnostics.diagnostic import Diagnostic, DuetError
from duetpy.diagnostics.display import visible
from duetpy.ledger.chain import RELEASED, RESERVED, Entry, canonical, entry_hash, first_bad, first_hash, written
from duetpy.ledger.place import of_another
from duetpy.typecheck.cost import Notion

EXCEEDED, NO_LEDGER, TAMPERED, UNUSABLE, OTHER_NEIGHBOURS = "D0702", "D0722", "D0723", "D0724", "D0727"

VERSION = 2
"""Of the file's layout."""

PATIENCE = 60.0
"""Seconds to wait for another process that writes."""

MARK = 0x64756574
"""What sqlite notes in the file's head, so that no other database is taken for a ledger: "duet" in ASCII."""

SCHEMA = """
CREATE TABLE terms (only INTEGER PRIMARY KEY CHECK (only = 1), text TEXT NOT NULL, key BLOB NOT NULL);
CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('reserved', 'released')),
    at TEXT NOT NULL,
    body TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE
);
CREATE TRIGGER terms_stay BEFORE UPDATE ON terms BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END;
CREATE TRIGGER terms_remain BEFORE DELETE ON terms BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END;
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END;
CREATE TRIGGER entries_remain BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'a ledger is never changed'); END;
"""


@frozen
class State:
    """What a ledger says at one moment."""

    terms: Mapping[str, Any]
    budget: Budget
    entries: tuple[Entry, ...]

    @property
    def dataset(self) -> str:
        return str(self.terms["dataset"])

    @property
    def charges(self) -> list[Charge]:
        return [entry.charge for entry in self.entries if entry.kind == RESERVED]

    @property
    def neighbours(self) -> str | None:
        """The relation that all charges are prices for; None before the first."""
        return next((e.neighbours for e in self.entries if e.kind == RESERVED and e.neighbours), None)

    @property
    def head(self) -> str:
        """The hash of the last entry."""
        return self.entries[-1].hash if self.entries else first_hash(self.terms)

    @property
    def spent(self) -> Charge:
        """All charges together, exactly; of μ the square root of the sum of squares is left to whoever shows it."""
        squares = self.budget.notion is Notion.GDP
        amount = sum((c.amount**2 if squares else c.amount for c in self.charges), Fraction(0))
        return Charge(amount, sum((c.delta for c in self.charges), Fraction(0)))


def create(path: Path, budget: Budget, dataset: str) -> None:
    """Make a new ledger; raises `DuetError` where there is a file of that name, or none can be made."""
    terms = {
        "version": VERSION,
        "dataset": dataset,
        "notion": budget.notion.value,
        "amount": str(budget.amount),
        "delta": str(budget.delta),
        "created": now(),
    }
    refuse_far(path)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise refusal(
            NO_LEDGER, f"{visible(str(path))} exists already", "a ledger is never begun anew; choose a new name"
        ) from None
    except (OSError, ValueError) as error:
        raise unusable(path, error) from None
    try:
        with closing(_connect(path)) as database:
            database.executescript(f"BEGIN IMMEDIATE; PRAGMA application_id = {MARK}; {SCHEMA}")
            database.execute("INSERT INTO terms VALUES (1, ?, ?)", (canonical(terms), secrets.token_bytes(32)))
            database.execute("COMMIT")
        _sync_folder(path)
    except (sqlite3.Error, OSError) as error:
        path.unlink(missing_ok=True)
        raise unusable(path, error) from None


@define(eq=False)
class Ledger:
    """A ledger that is there."""

    path: Path

    def state(self) -> State:
        """What the ledger says, every entry verified."""
        with self._open() as database:
            return self._read(database)

    def key(self) -> bytes:
        """The key under which data is digested: without it a digest confirms no guess."""
        with self._open() as database:
            (found,) = database.execute("SELECT key FROM terms").fetchone()
            return bytes(found)

    def reserve(self, charge: Charge, body: Mapping[str, Any]) -> Entry:
        """Charge a run; raises `DuetError` D0702 where the budget does not cover it, D0727 where it is a price for other
        neighbours than the charges so far: what one row replaced costs and what one row more costs do not add up."""
        refuse_far(self.path)

        def decide(state: State) -> None:
            if state.neighbours and (charge.amount or charge.delta) and body["neighbours"] != state.neighbours:
                raise other_neighbours(self.path, state.neighbours, str(body["neighbours"]))
            if not covers(state.budget, [*state.charges, charge]):
                raise exceeded(self.path, state, charge, body)

        return self._append(RESERVED, body, decide)

    def complete(self, body: Mapping[str, Any], charged: str) -> Entry:
        """Store the output of a run that was charged; raises `DuetError` D0723 where the charge, which has the hash
        `charged`, is no longer in the file: somebody has put another one in its place, and it knows nothing of this run."""

        def decide(state: State) -> None:
            verified(self.path, state, int(body["entry"]), charged)

        return self._append(RELEASED, body, decide)

    def _append(self, kind: str, body: Mapping[str, Any], decide: Callable[[State], None]) -> Entry:
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            state = self._read(database)
            decide(state)
            number, at = len(state.entries) + 1, now()
            entry = Entry(number, kind, at, body, state.head, entry_hash(number, kind, at, body, state.head))
            database.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)",
                (entry.number, kind, at, canonical(body), entry.previous, entry.hash),
            )
            database.execute("COMMIT")
            return entry

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        if self.path.is_symlink():
            raise refusal(NO_LEDGER, f"{visible(str(self.path))} is a link", "name the file itself")
        if not self.path.is_file():
            raise refusal(
                NO_LEDGER,
                f"there is no ledger {visible(str(self.path))}",
                "duetpy ledger create PATH --budget epsilon=1",
            )
        if self.path.stat().st_nlink > 1:
            raise linked(self.path)
        try:
            with closing(_connect(self.path)) as database:
                yield database
        except sqlite3.Error as error:
            raise unusable(self.path, error) from None

    def _read(self, database: sqlite3.Connection) -> State:
        try:
            (mark,) = database.execute("PRAGMA application_id").fetchone()
            more = mark == MARK and has_more(database)
            row = database.execute("SELECT text FROM terms").fetchone() if mark == MARK and not more else None
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise
            more, row = False, None
        if more:
            raise refusal(
                TAMPERED,
                f"the ledger {visible(str(self.path))} is damaged: it holds a table or a trigger that is not its own",
                "restore the file from where it was last whole; nothing is run on it",
            )
        if row is None:
            raise refusal(NO_LEDGER, f"{visible(str(self.path))} is no ledger", "duetpy ledger create makes one")
        try:
            terms = _parsed(row[0])
            if terms["version"] != VERSION:
                raise other_version(self.path)
            budget = Budget(Notion(terms["notion"]), written(terms["amount"]), written(terms["delta"]))
            rows = database.execute("SELECT number, kind, at, body, previous, hash FROM entries ORDER BY number")
            entries = tuple(Entry(n, kind, at, _parsed(body), prev, hash_) for n, kind, at, body, prev, hash_ in rows)
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            raise tampered(self.path, None) from None
        bad = first_bad(terms, entries)
        if bad is not None:
            raise tampered(self.path, bad)
        return State(terms, budget, entries)


def verified(path: Path, state: State, number: int, head: str) -> None:
    """Hold a ledger to a receipt; raises `DuetError` where the entry that it tells of is gone or another one."""
    found = (
        first_hash(state.terms) if number == 0 else next((e.hash for e in state.entries if e.number == number), None)
    )
    if found != head:
        missing = f"entry {number} is not the one of the receipt" if found else f"entry {number} is gone"
        raise refusal(
            TAMPERED,
            f"the ledger {visible(str(path))} is damaged: {missing}",
            "somebody put an older or another file in its place: restore the file that the receipt is of",
        )


def has_more(database: sqlite3.Connection) -> bool:
    """Whether the file holds a table, view or trigger that is not a ledger's: one more trigger could swallow charges."""
    return any(
        sql not in _layout() for (sql,) in database.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    )


@cache
def _layout() -> frozenset[str]:
    """What sqlite notes of the tables and triggers that `SCHEMA` makes."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(SCHEMA)
        found = database.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    return frozenset(str(sql) for (sql,) in found)


def _parsed(text: str) -> dict[str, Any]:
    import json

    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError
    return found


def _connect(path: Path) -> sqlite3.Connection:
    """A connection in which every commit is on the disk, journal and folder included, before it returns."""
    name = f"file:{quote(os.fsencode(path.absolute()))}?mode=rw"
    database = sqlite3.connect(name, uri=True, timeout=PATIENCE, isolation_level=None)
    database.execute("PRAGMA journal_mode = DELETE")
    database.execute("PRAGMA synchronous = EXTRA")
    database.execute("PRAGMA trusted_schema = OFF")
    return database


def _sync_folder(path: Path) -> None:
    folder = os.open(path.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


# ---------------------------------------------------------------------------------------------------------------------
# Refusals


def refusal(code: str, message: str, help: str, notes: tuple[str, ...] = ()) -> DuetError:
    return DuetError((Diagnostic(code, message, notes=notes, help=help),))


def unusable(path: Path, error: Exception) -> DuetError:
    """The file cannot be read or written: what the system says of it is public."""
    reason = getattr(error, "strerror", None) or str(error)
    return refusal(
        UNUSABLE, f"the ledger {visible(str(path))} cannot be used now", "mend that and run again", (visible(reason),)
    )


def refuse_far(path: Path) -> None:
    """Raises `DuetError` where the file lies, or would lie, on a file system of another computer."""
    kind = of_another(path)
    if kind is not None:
        raise refusal(
            UNUSABLE,
            f"the ledger {visible(str(path))} lies on a file system of another computer",
            "keep the ledger on a disk of this computer",
            (f"{visible(kind)}: its locks may not hold, so two runs could spend the same rest",),
        )


def linked(path: Path) -> DuetError:
    """A crash leaves a journal beside the name that was used; under another name of the same file nobody would see it, and a
    charge could be undone (sqlite.org/howtocorrupt.html, section 2.5)."""
    return refusal(
        UNUSABLE,
        f"the ledger {visible(str(path))} has another name too",
        f"remove the other name (a hard link: find … -samefile {visible(str(path))}), or copy the file and remove both",
        ("after a crash, the file is whole under the name that was used then and not under another",),
    )


def other_version(path: Path) -> DuetError:
    return refusal(
        NO_LEDGER,
        f"{visible(str(path))} is a ledger of another version of duetpy",
        "run the version that it was begun with: what was charged there is not known here",
    )


def tampered(path: Path, number: int | None) -> DuetError:
    where = "its terms were" if number is None else f"entry {number} was"
    return refusal(
        TAMPERED,
        f"the ledger {visible(str(path))} is damaged: {where} changed, or something before was taken out",
        "restore the file from where it was last whole; nothing is run on it",
    )


def left(path: Path, state: State) -> Budget:
    """What may still be charged, as a budget; raises `DuetError` D0702 where that is nothing.

    Of μ it is the float below the root of what is left of μ².
    """
    from duetpy.ledger.show import amounts, remaining, spent

    budget, total = state.budget, state.spent
    if budget.notion is Notion.GDP:
        rest = Budget(budget.notion, Fraction(remaining(state)["mu"]))
    else:
        rest = Budget(budget.notion, budget.amount - total.amount, budget.delta - total.delta)
    if rest.amount <= 0 or (budget.notion is Notion.APPROX and rest.delta <= 0):
        notes = (f"spent so far   {amounts(spent(state))} of {amounts(budget.numbers)}",)
        raise refusal(EXCEEDED, f"nothing is left of the ledger {visible(str(path))}", "let the data rest", notes)
    return rest


def left_of(path: Path) -> Budget:
    """What may still be charged to the ledger in a file; raises `DuetError` where that is nothing, or the file is no ledger."""
    return left(path, Ledger(path).state())


WORDS = {
    "replace-one": "one row replaced",
    "add-remove": "one row more or less",
    "step": "a step of distance 1",
    "mixed": "several inputs with neighbours of their own",
}


def other_neighbours(path: Path, kept: str, asked: str) -> DuetError:
    notes = (
        f"charged so far   prices for {WORDS.get(kept, kept)}",
        f"this program     a price for {WORDS.get(asked, asked)}",
    )
    help = (
        "declare the table as in the other programs (𝕄 [… | m, …] or 𝕄 [… | ★, …]), or keep another ledger: "
        "a sum of both would bound neither"
    )
    return refusal(OTHER_NEIGHBOURS, f"{visible(str(path))} adds up prices for other neighbours", help, notes)


def exceeded(path: Path, state: State, charge: Charge, body: Mapping[str, Any]) -> DuetError:
    from duetpy.ledger.show import amounts, remaining, spent

    left = remaining(state)
    command = f"duetpy calibrate {visible(str(body.get('program', 'FILE')))} --ledger {visible(str(path))} --vary …"
    notes = (
        f"spent so far   {amounts(spent(state))} of {amounts(state.budget.numbers)}",
        f"this program   {amounts(Budget(state.budget.notion, charge.amount, charge.delta).numbers)}",
    )
    help = (
        f"ask for no more than {amounts(left)} ({command})" if any(left.values()) else "nothing is left of this budget"
    )
    return refusal(EXCEEDED, "the budget does not cover this program", help, notes)
