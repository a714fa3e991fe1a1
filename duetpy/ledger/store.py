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
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from attrs import define, evolve, field, frozen

from duetpy.accounting.budget import Budget, Charge, covers, total
from duetpy.accounting.rounding import reached
from duetpy.diagnostics.diagnostic import Diagnostic, DuetError
from duetpy.diagnostics.display import visible
from duetpy.ledger.chain import (
    RELEASED,
    RESERVED,
    Damaged,
    Entry,
    Reservation,
    appended,
    canonical,
    chained,
    first_hash,
    parsed,
    written,
)
from duetpy.ledger.place import of_another
from duetpy.typecheck.cost import Notion
from duetpy.typecheck.neighbours import ADD_REMOVE, EACH, MIXED, REPLACE, STEP

EXCEEDED, NO_LEDGER, TAMPERED, UNUSABLE, OTHER_NEIGHBOURS = "D0702", "D0722", "D0723", "D0724", "D0727"

VERSION = 2
"""Of the file's layout."""

PATIENCE = 60.0
"""Seconds to wait for another process that writes."""

KEY_LENGTH = 32

KEPT = (Notion.PURE, Notion.APPROX, Notion.ZCDP, Notion.GDP)
"""The notions in which a ledger adds up."""

DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR")

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
    """What a ledger says at one moment.

    Parameters
    ----------
    terms, budget
        What it was begun with.
    entries
        Every entry, verified.
    key
        The key under which data is digested: without it a digest confirms no guess.
    """

    terms: Mapping[str, Any]
    budget: Budget
    entries: tuple[Entry, ...]
    key: bytes = field(repr=False)

    @property
    def dataset(self) -> str:
        return str(self.terms["dataset"])

    @property
    def charges(self) -> list[Charge]:
        return [entry.said.charge for entry in self.entries if isinstance(entry.said, Reservation)]

    @property
    def neighbours(self) -> str | None:
        """The relation that all charges are prices for; None before the first that spends something."""
        said = (entry.said for entry in self.entries)
        return next((s.neighbours for s in said if isinstance(s, Reservation) and is_spending(s.charge)), None)

    @property
    def head(self) -> str:
        """The hash of the last entry."""
        return self.entries[-1].hash if self.entries else first_hash(self.terms)

    @property
    def spent(self) -> Charge:
        """All charges together, exactly; of μ the square root of the sum of squares is left to whoever shows it."""
        return total(self.budget.notion, self.charges)


def is_spending(charge: Charge) -> bool:
    return bool(charge.amount or charge.delta)


class MaybeWritten(DuetError):
    """The system failed while an entry was being committed: nobody can tell whether it is in the file."""


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
            _make_durable(database)
            database.executescript(f"BEGIN IMMEDIATE; PRAGMA application_id = {MARK}; {SCHEMA}")
            database.execute("INSERT INTO terms VALUES (1, ?, ?)", (canonical(terms), secrets.token_bytes(KEY_LENGTH)))
            database.execute("COMMIT")
        _sync_folder(path)
    except BaseException as error:
        # Half a ledger would be in the way of the next attempt; nobody was told of this one.
        path.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error | OSError):
            raise unusable(path, error) from None
        raise


@define(eq=False)
class Ledger:
    """A ledger that is there."""

    path: Path

    def state(self) -> State:
        """What the ledger says, every entry verified."""
        with self._open() as database:
            return self._read(database)

    def reserve(self, charge: Charge, body: Mapping[str, Any], terms: Mapping[str, Any] | None = None) -> Entry:
        """Charge a run.

        Raises
        ------
        DuetError
            D0702 where the budget does not cover it; D0727 where it is a price for other neighbours than the charges so far:
            what one row replaced costs and what one row more costs do not add up; D0723 where `terms`, which the charge was
            computed for, are not those of the file.
        MaybeWritten
            The charge may be in the file.
        """
        refuse_far(self.path)

        def decide(state: State) -> None:
            if terms is not None and state.terms != terms:
                raise exchanged(self.path)
            kept, asked = state.neighbours, str(body["neighbours"])
            if kept is not None and is_spending(charge) and not adds_up(kept, asked):
                raise other_neighbours(self.path, kept, asked)
            if not covers(state.budget, [*state.charges, charge]):
                raise exceeded(self.path, state, charge, body)

        return self._append(RESERVED, body, decide)[0]

    def complete(self, body: Mapping[str, Any], charged: str) -> tuple[Entry, State]:
        """Store the output of a run that was charged, and say what the ledger says then; raises `DuetError` D0723 where the
        charge, which has the hash `charged`, is no longer in the file: somebody has put another one in its place, and it
        knows nothing of this run."""

        def decide(state: State) -> None:
            verified(self.path, state, int(body["entry"]), charged)

        return self._append(RELEASED, body, decide)

    def _append(self, kind: str, body: Mapping[str, Any], decide: Callable[[State], None]) -> tuple[Entry, State]:
        with self._open() as database:
            database.execute("BEGIN IMMEDIATE")
            state = self._read(database)
            decide(state)
            entry = appended(state.terms, state.entries, kind, now(), body)
            database.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)",
                (entry.number, kind, entry.at, entry.text, entry.previous, entry.hash),
            )
            try:
                database.execute("COMMIT")
            except sqlite3.Error as error:
                # Where the last sync fails, of the folder, the entry is there already.
                raise MaybeWritten(unusable(self.path, error).diagnostics) from None
            return entry, evolve(state, entries=(*state.entries, entry))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self._refuse_names()
        except (OSError, ValueError) as error:
            # A folder that may not be looked into, a name that is too long.
            raise unusable(self.path, error) from None
        try:
            with closing(_connect(self.path)) as database:
                if _mark(database, self.path) == MARK:
                    # Of another program's database nothing is changed.
                    _make_durable(database)
                yield database
        except sqlite3.Error as error:
            # Python itself raises one without a name, for a text that is none.
            if getattr(error, "sqlite_errorname", "SQLITE_CORRUPT") in DAMAGE:
                raise damaged(self.path, "sqlite cannot read it as a whole") from None
            raise unusable(self.path, error) from None

    def _refuse_names(self) -> None:
        """The file itself, and under one name."""
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

    def _read(self, database: sqlite3.Connection) -> State:
        if _mark(database, self.path) != MARK:
            raise no_ledger(self.path)
        found = database.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
        # A view, or a table that is a program's, could go on for ever.
        if not any(name == "terms" and sql.startswith("CREATE TABLE terms") for _, name, sql in found):
            raise tampered(self.path, 0)
        row = database.execute("SELECT text FROM terms").fetchone()
        terms = terms_of(None if row is None else row[0], self.path)
        if any(sql not in _layout() for *_, sql in found):
            raise damaged(self.path, "it holds a table or a trigger that is not its own")
        (key,) = database.execute("SELECT key FROM terms").fetchone()
        if type(key) is not bytes or len(key) != KEY_LENGTH:
            raise damaged(self.path, "its key is none")
        rows = database.execute("SELECT number, kind, at, body, previous, hash FROM entries ORDER BY number")
        try:
            entries = chained(terms, rows)
        except Damaged as error:
            raise tampered(self.path, error.number) from None
        return State(terms, budget_in(terms), entries, key)


def terms_of(text: object, path: Path) -> dict[str, Any]:
    """The terms of a ledger; raises `DuetError` where they are none, or another version's."""
    try:
        if not isinstance(text, str):
            raise ValueError
        terms = parsed(text)
        version = terms["version"]
        if type(version) is int and version != VERSION:
            raise other_version(path)
        budget = budget_in(terms)
        has_delta = budget.notion is Notion.APPROX
        is_sound = budget.amount > 0 and (0 < budget.delta < 1 if has_delta else budget.delta == 0)
        is_whole = canonical(terms) == text and all(isinstance(terms[name], str) for name in ("dataset", "created"))
        if type(version) is not int or budget.notion not in KEPT or not is_sound or not is_whole:
            raise ValueError
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        raise tampered(path, 0) from None
    return terms


def budget_in(terms: Mapping[str, Any]) -> Budget:
    return Budget(Notion(terms["notion"]), written(terms["amount"]), written(terms["delta"]))


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


@cache
def _layout() -> frozenset[str]:
    """What sqlite notes of the tables and triggers that `SCHEMA` makes."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(SCHEMA)
        found = database.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    return frozenset(str(sql) for (sql,) in found)


def _connect(path: Path) -> sqlite3.Connection:
    name = f"file:{quote(os.fsencode(path.absolute()))}?mode=rw"
    database = sqlite3.connect(name, uri=True, timeout=PATIENCE, isolation_level=None)
    database.execute("PRAGMA trusted_schema = OFF")
    return database


def _mark(database: sqlite3.Connection, path: Path) -> int:
    try:
        (mark,) = database.execute("PRAGMA application_id").fetchone()
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB":
            raise no_ledger(path) from None
        raise
    return int(mark)


def _make_durable(database: sqlite3.Connection) -> None:
    """From now on every commit is on the disk, journal and folder included, before it returns."""
    database.execute("PRAGMA journal_mode = DELETE")
    database.execute("PRAGMA synchronous = EXTRA")
    # Where a plain sync leaves it to the disk when it writes; elsewhere sqlite knows nothing of it.
    database.execute("PRAGMA fullfsync = ON")


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
    try:
        kind = of_another(path)
    except (OSError, ValueError) as error:
        raise unusable(path, error) from None
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


def no_ledger(path: Path) -> DuetError:
    return refusal(NO_LEDGER, f"{visible(str(path))} is no ledger", "duetpy ledger create makes one")


def damaged(path: Path, how: str) -> DuetError:
    return refusal(
        TAMPERED,
        f"the ledger {visible(str(path))} is damaged: {how}",
        "restore the file from where it was last whole; nothing is run on it",
    )


def tampered(path: Path, number: int) -> DuetError:
    where = "its terms were" if number == 0 else f"entry {number} was"
    return damaged(path, f"{where} changed, or something before was taken out")


def exchanged(path: Path) -> DuetError:
    return damaged(path, "another one was put in its place while the price was computed")


def left(path: Path, state: State) -> Budget:
    """What may still be charged, as a budget; raises `DuetError` D0702 where that is nothing.

    Of μ it is the float below the root of what is left of μ².
    """
    from duetpy.ledger.show import amounts, remaining, spent

    budget, total = state.budget, state.spent
    if budget.notion is Notion.GDP:
        rest = Budget(budget.notion, reached(remaining(state)["mu"]))
    else:
        rest = Budget(budget.notion, budget.amount - total.amount, budget.delta - total.delta)
    if rest.amount <= 0 or (budget.notion is Notion.APPROX and rest.delta <= 0):
        notes = (f"spent so far   {amounts(spent(state))} of {amounts(budget.numbers)}",)
        raise refusal(EXCEEDED, f"nothing is left of the ledger {visible(str(path))}", "let the data rest", notes)
    return rest


def left_of(path: Path) -> Budget:
    """What may still be charged to the ledger in a file; raises `DuetError` where that is nothing, or the file is no ledger."""
    return left(path, Ledger(path).state())


def adds_up(kept: str, asked: str) -> bool:
    """Whether prices for two relations bound something together: for the same one, unless inputs differ in it, since the next
    run may swap the data of two inputs."""
    return kept == asked and not asked.startswith(MIXED)


WORDS = {REPLACE: "one row replaced", ADD_REMOVE: "one row more or less"}


def _relation_in_words(relation: str) -> str:
    if relation.startswith(MIXED):
        return "several inputs of one kind with neighbours of their own"
    return WORDS.get(relation) or relation.removeprefix(f"{EACH}: ").replace(STEP, "a step of distance 1")


def other_neighbours(path: Path, kept: str, asked: str) -> DuetError:
    notes = (
        f"charged so far   prices for {visible(_relation_in_words(kept))}",
        f"this program     a price for {visible(_relation_in_words(asked))}",
    )
    if MIXED in (kept.partition(":")[0], asked.partition(":")[0]):
        help = (
            "declare all tables in one way: of these, a run may swap the data, and then a sum of prices bounds nothing"
        )
    else:
        help = (
            "declare the table as in the other programs (𝕄 [… | m, …] or 𝕄 [… | ★, …]), or keep another ledger: "
            "a sum of both would bound neither"
        )
    return refusal(OTHER_NEIGHBOURS, f"{visible(str(path))} adds up prices for other neighbours", help, notes)


def exceeded(path: Path, state: State, charge: Charge, body: Mapping[str, Any]) -> DuetError:
    from duetpy.ledger.show import amounts, charged, remaining, spent

    left = remaining(state)
    command = f"duetpy calibrate {visible(str(body.get('program', 'FILE')))} --ledger {visible(str(path))} --vary …"
    notes = (
        f"spent so far   {amounts(spent(state))} of {amounts(state.budget.numbers)}",
        f"this program   {amounts(charged(state.budget, charge))}",
    )
    help = (
        f"ask for no more than {amounts(left)} ({command})" if any(left.values()) else "nothing is left of this budget"
    )
    return refusal(EXCEEDED, "the budget does not cover this program", help, notes)
