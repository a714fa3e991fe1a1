"""The file of a ledger: an sqlite database that only ever grows.

Contract. `create` makes the file, readable by its owner alone; nothing else does. `Ledger.reserve` takes the write lock,
verifies the chain, decides, appends and syncs before it returns, so that two processes can never both spend the same rest
and a process that is killed afterwards has been charged. Whatever goes wrong with the file stops the run: D0722 it is not
there or not a ledger, D0723 an entry was tampered with, D0724 it cannot be read or written now.
"""

from __future__ import annotations

import hmac
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, evolve

from duetpy.accounting.budget import KEPT, Budget, Charge, adds_squares, covers
from duetpy.accounting.rounding import reached
from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.ledger import refusals
from duetpy.ledger.chain import (
    RELEASED,
    RESERVED,
    Completion,
    Damaged,
    Entry,
    appended,
    canonical,
    chained,
    first_hash,
    parsed,
    written,
)
from duetpy.ledger.layout import (
    MARK,
    SEALED,
    TABLES,
    UNSEALED,
    VERSION,
    connect,
    is_in_another_mode,
    layout,
    make_durable,
    noted_version,
    objects,
    one_moment,
    refuse_broken,
    refuse_others,
    was_ledger,
)
from duetpy.ledger.place import refuse_beside, refuse_far, refuse_name, refuse_names
from duetpy.ledger.places import grouped
from duetpy.ledger.recovery import unfinished
from duetpy.ledger.show import amounts, limit, remaining, spent
from duetpy.ledger.state import State, is_spending
from duetpy.typecheck.cost import is_free, is_unbounded
from duetpy.typecheck.neighbours import MIXED, has_rows, keeps_rows, relation_in_full
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.types import PFun
from duetpy.valuation import functions

if TYPE_CHECKING:
    from duetpy.typecheck.check import Typed

KEY_LENGTH = 32


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
    refuse_name(path)
    refuse_far(path)
    try:
        refuse_beside(path)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise refusals.refusal(
            refusals.NO_LEDGER,
            f"{visible(str(path))} exists already",
            "choose a new name: duetpy never overwrites a ledger",
        ) from None
    except (OSError, ValueError) as error:
        raise refusals.unusable(path, error) from None
    try:
        with closing(connect(path)) as database:
            make_durable(database, path)
            database.execute("BEGIN IMMEDIATE")
            database.execute(f"PRAGMA application_id = {MARK}")
            for statement in TABLES:
                database.execute(statement)
            key = secrets.token_bytes(KEY_LENGTH)
            database.execute("INSERT INTO terms VALUES (1, ?, ?)", (canonical(terms), key))
            _begin_seal(database, State(terms, budget, (), key))
            database.execute("COMMIT")
        _sync_folder(path)
    except BaseException as error:
        # Half a ledger would be in the way of the next attempt; nothing has reported this one.
        path.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error | OSError):
            raise refusals.unusable(path, error) from None
        raise


@define(eq=False)
class Ledger:
    """A ledger that is there."""

    path: Path

    def __repr__(self) -> str:
        return f"<Ledger {visible(str(self.path))}>"

    def state(self) -> State:
        """What the ledger says, every entry verified."""
        with self._open() as database, one_moment(database):
            return self._read(database)

    def reserve(self, charge: Charge, body: Mapping[str, Any], began: State | None = None) -> Entry:
        """Charge a run.

        Raises
        ------
        DuetError
            D0702 where the budget does not cover it; D0727 where it is a price for other neighbours than the charges so far:
            the cost of a replaced row and that of an added row do not add up; D0723 where the file does not continue what
            the ledger said when the run `began`: the charge was computed for another one, or an older copy took its place.
        MaybeWritten
            The charge may be in the file.
        """
        refuse_far(self.path)

        def decide(state: State) -> None:
            if began is not None and not continues(state, began):
                raise refusals.exchanged(self.path)
            asked = str(body["neighbours"])
            other = _other_neighbours(state, asked, spends=is_spending(charge), shows_rows=bool(body.get("shows_rows")))
            if other is not None:
                raise refusals.other_neighbours(self.path, other, asked)
            if (found := state.contradiction(grouped(body.get("files", [])))) is not None:
                raise refusals.other_people(self.path, found)
            if not covers(state.budget, [*state.charges, charge]):
                raise refusals.exceeded(self.path, state, charge, body)

        return self._append(RESERVED, body, decide)[0]

    def complete(self, body: Mapping[str, Any], charged: str) -> tuple[Entry, State]:
        """Store the output of a run that was charged, and say what the ledger says then; raises `DuetError` D0723 where the
        charge, which has the hash `charged`, is no longer in the file: somebody has put another one in its place, and it
        has no entry of this run; D0724 where it has another output already."""
        number = int(body["entry"])

        def decide(state: State) -> None:
            verified(self.path, state, number, charged)
            if any(isinstance(entry.said, Completion) and entry.said.entry == number for entry in state.entries):
                raise refusals.stored_already(self.path, number)

        return self._append(RELEASED, body, decide)

    def _append(self, kind: str, body: Mapping[str, Any], decide: Callable[[State], None]) -> tuple[Entry, State]:
        with self._open() as database:
            opened = self._file()
            if is_in_another_mode(database):
                # Of another program's file nothing is changed, and nothing of a damaged one.
                with one_moment(database):
                    self._read(database)
            make_durable(database, self.path)
            database.execute("BEGIN IMMEDIATE")
            state = self._read(database)
            decide(state)
            entry = appended(state.terms, state.entries, kind, now(), body)
            after = evolve(state, entries=(*state.entries, entry), is_sealed=True)
            database.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)",
                (entry.number, kind, entry.at, entry.text, entry.previous, entry.hash),
            )
            if not state.is_sealed:
                _begin_seal(database, state)
            database.execute("UPDATE seal SET number = ?, code = ?", (entry.number, after.seal))
            try:
                database.execute("COMMIT")
            except sqlite3.Error as error:
                # Where the last sync fails, of the folder, the entry is there already.
                raise MaybeWritten(refusals.unusable(self.path, error).diagnostics) from None
            if self._file() != opened:
                # sqlite wrote to the file that it had open, which has another name now or none.
                raise MaybeWritten(refusals.exchanged(self.path).diagnostics)
            return entry, after

    def _file(self) -> tuple[int, int] | None:
        """Which file has the name of the ledger."""
        try:
            found = os.stat(self.path, follow_symlinks=False)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            refuse_names(self.path)
        except (OSError, ValueError) as error:
            # A folder that may not be looked into, a name that is too long.
            raise refusals.unusable(self.path, error) from None
        self._refuse_other_journal()
        try:
            with closing(connect(self.path)) as database:
                yield database
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if getattr(error, "sqlite_errorname", "") == "SQLITE_NOTADB":
                raise self._no_database() from None
            raise refusals.failed(self.path, error) from None

    def _refuse_other_journal(self) -> None:
        """Raises `DuetError` where sqlite would put back pages that are not of this ledger, or not of its last charge."""
        try:
            found = unfinished(self.path)
        except OSError as error:
            raise refusals.unusable(self.path, error) from None
        if found is None:
            return
        now, then = (self._held(content) for content in found)
        if isinstance(then, State) and (isinstance(now, DuetError) or is_one_behind(then, now)):
            return
        raise now if isinstance(now, DuetError) else refusals.other_journal(self.path)

    def _held(self, content: bytes) -> State | DuetError:
        """What a ledger with this content says, or why it is refused."""
        if not content:
            return refusals.no_ledger(self.path)
        try:
            with closing(sqlite3.connect(":memory:")) as database:
                database.deserialize(content)
                return self._read(database)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            return refusals.failed(self.path, error)
        except DuetError as error:
            return error

    def _no_database(self) -> DuetError:
        try:
            is_own = was_ledger(self.path)
        except OSError as error:
            return refusals.unusable(self.path, error)
        return refusals.damaged(self.path, "its head was changed") if is_own else refusals.no_ledger(self.path)

    def _read(self, database: sqlite3.Connection) -> State:
        refuse_others(database, self.path)
        found = objects(database)
        # A view, or a table that is a program's, could go on for ever.
        if not any(name == "terms" and str(sql).startswith("CREATE TABLE terms") for _, name, _, sql in found):
            raise refusals.tampered(self.path, 0)
        row = database.execute("SELECT text FROM terms").fetchone()
        noted = noted_version(database)
        terms = terms_of(None if row is None else row[0], noted, self.path)
        if len(found) != len(set(found)) or set(found) != layout(is_sealed=noted == VERSION):
            raise refusals.damaged(self.path, "its tables and triggers are not those with which it was created")
        refuse_broken(database, self.path)
        (key,) = database.execute("SELECT key FROM terms").fetchone()
        if type(key) is not bytes or len(key) != KEY_LENGTH:
            raise refusals.damaged(self.path, "its key is not valid")
        query = "SELECT number, kind, at, body, previous, hash FROM entries ORDER BY number"
        try:
            # All rows at once: sqlite keeps a connection and its lock until each query has been read to its end, and whoever
            # keeps the error that a row raises keeps an unfinished one.
            entries = chained(terms, database.execute(query).fetchall())
        except Damaged as error:
            raise refusals.tampered(self.path, error.number) from None
        state = State(terms, budget_in(terms), entries, key, noted == VERSION)
        if state.is_sealed:
            refuse_other_seal(database, state, self.path)
        elif not entries:
            raise refusals.unheld(self.path)
        return state


def continues(now: State, then: State) -> bool:
    """Whether a ledger is unchanged, or only has further entries."""
    is_same = now.terms == then.terms and now.key == then.key
    return is_same and now.entries[: len(then.entries)] == then.entries


def is_one_behind(then: State, now: State) -> bool:
    """Whether an entry that was not finished, or none, is all that is undone."""
    return continues(now, then) and len(now.entries) <= len(then.entries) + 1


def _begin_seal(database: sqlite3.Connection, state: State) -> None:
    """Seal what a ledger says now; the version in the file's head says that it is sealed."""
    for statement in SEALED:
        database.execute(statement)
    database.execute("INSERT INTO seal VALUES (1, ?, ?)", (len(state.entries), state.seal))
    database.execute(f"PRAGMA user_version = {VERSION}")


def refuse_other_seal(database: sqlite3.Connection, state: State, path: Path) -> None:
    """Raises `DuetError` where the seal is not that of the terms, the key and the entries that were read."""
    number, code = database.execute("SELECT number, code FROM seal").fetchone() or (None, None)
    if number != len(state.entries):
        raise refusals.damaged(path, f"it has {len(state.entries)} entries, but its seal is for a different number")
    if type(code) is not str or not hmac.compare_digest(code.encode(), state.seal.encode()):
        raise refusals.damaged(path, "its seal is for a different budget, a different key or different entries")


def terms_of(text: object, noted: int, path: Path) -> dict[str, Any]:
    """The terms of a ledger; raises `DuetError` if the text does not hold them, or they are of another version.

    Parameters
    ----------
    noted
        The version in the file's head. What the terms say of it is believed only where both say the same, since one bit makes
        another version of this one; the first two versions noted nothing there.
    """
    try:
        if not isinstance(text, str):
            raise ValueError
        terms = parsed(text)
        version = terms["version"]
        is_whole_version = type(version) is int and version > 0
        if is_whole_version and version not in (UNSEALED, VERSION) and noted == (0 if version < UNSEALED else version):
            raise refusals.other_version(path)
        if not is_whole_version or noted not in ((VERSION,) if version == VERSION else (0, VERSION)):
            raise ValueError
        budget = budget_in(terms)
        has_delta = "delta" in budget.notion.keys
        is_sound = budget.amount > 0 and (0 < budget.delta < 1 if has_delta else budget.delta == 0)
        is_whole = canonical(terms) == text and all(isinstance(terms[name], str) for name in ("dataset", "created"))
        if version not in (UNSEALED, VERSION) or budget.notion.info.composes is None or not is_sound or not is_whole:
            raise ValueError
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        raise refusals.tampered(path, 0) from None
    return terms


def budget_in(terms: Mapping[str, Any]) -> Budget:
    return Budget(Notion(terms["notion"]), written(terms["amount"]), written(terms["delta"]))


def verified(path: Path, state: State, number: int, head: str) -> None:
    """Hold a ledger to a receipt; raises `DuetError` if its entry is gone or a different one."""
    found = (
        first_hash(state.terms) if number == 0 else next((e.hash for e in state.entries if e.number == number), None)
    )
    if found != head:
        missing = f"entry {number} is not the one of the receipt" if found else f"entry {number} is gone"
        raise refusals.refusal(
            refusals.TAMPERED,
            f"the ledger {visible(str(path))} is damaged: {missing}",
            "it was replaced by an older or a different file: restore the file to which the receipt belongs",
        )


def _sync_folder(path: Path) -> None:
    folder = os.open(path.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def left(path: Path, state: State) -> Budget:
    """What may still be charged, as a budget; raises `DuetError` D0702 where that is nothing.

    Of μ it is the float below the root of what is left of μ². Where all of δ is spent, what is left of ε is a pure budget.
    """
    budget, total = state.budget, state.spent
    if adds_squares(budget.notion):
        rest = Budget(budget.notion, reached(remaining(state)[budget.notion.measure]))
    else:
        rest = Budget(budget.notion, budget.amount - total.amount, budget.delta - total.delta)
    if rest.amount <= 0:
        notes = (f"spent so far   {amounts(spent(state))} of {amounts(limit(budget))}",)
        raise refusals.refusal(
            refusals.EXCEEDED,
            f"nothing is left of the ledger {visible(str(path))}",
            "release nothing more about this data set",
            notes,
        )
    parts = tuple(name for name, number in rest.exact.items() if number)
    return evolve(rest, notion=next(notion for notion in KEPT if notion.keys == parts))


def left_of(path: Path, typed: Typed | None) -> Budget:
    """What runs of a program may still charge to the ledger in a file; raises `DuetError` if nothing, if the file is not a
    ledger, or, D0727, if they are for other neighbours, whatever the data."""
    state = Ledger(path).state()
    rest = left(path, state)
    asked = [] if typed is None else list(_possible_neighbours(typed, state.neighbours or ""))
    others = [_other_neighbours(state, each, spends=True, shows_rows=False) for each in asked]
    if others and None not in others:
        raise refusals.other_neighbours(path, str(others[0]), asked[0])
    return rest


def _possible_neighbours(typed: Typed, kept: str) -> Iterator[str]:
    """The relations that runs of a program may be for: what costs nothing counts only where it is a protected table of m rows,
    and data may call the identifier otherwise, as the run did that the ledger keeps a relation of."""
    parameters = [
        each for function in functions(typed.type) if isinstance(function, PFun) for each in function.parameters
    ]
    protected = [each.type for each in parameters if not is_free(each.cost) and not is_unbounded(each.cost)]
    shown = [each.type for each in parameters if is_free(each.cost) and has_rows(each.type)]
    if protected:
        for types in [protected, [*protected, *shown]] if shown else [protected]:
            asked = relation_in_full(types)
            yield kept if kept.startswith(f"{asked}; ") else asked


def _other_neighbours(state: State, asked: str, *, spends: bool, shows_rows: bool) -> str | None:
    """The relation of earlier runs next to which one for another relation is refused."""
    kept = state.neighbours
    if kept is not None and ((spends and not adds_up(kept, asked)) or (shows_rows and not keeps_rows(kept))):
        return kept
    return None if keeps_rows(asked) else state.rows_shown


def adds_up(kept: str, asked: str) -> bool:
    """Whether prices for two relations bound something together: for the same one, unless inputs differ in it, since the next
    run may swap the data of two inputs."""
    return kept == asked and not asked.startswith(MIXED)
