"""Why a ledger refuses: one function for each reason, so that all messages are written in one place.

D0702 the budget does not cover a charge; D0722 the file is not there or not a ledger; D0723 it was changed or is damaged; D0724
it cannot be used now; D0727 a charge is a price for other neighbours.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from duetpy.accounting.budget import Charge
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.display import as_word, visible
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.places import Contradiction, place_text
from duetpy.ledger.show import amounts, charged, limit, remaining, spent
from duetpy.ledger.state import State
from duetpy.typecheck.neighbours import ADD_REMOVE, EACH, MIXED, REPLACE, STEP

EXCEEDED, NO_LEDGER, TAMPERED, UNUSABLE, OTHER_NEIGHBOURS = "D0702", "D0722", "D0723", "D0724", "D0727"


def named(words: str) -> frozenset[str]:
    """A set of names, written one after another."""
    return frozenset(words.split())


OF_THE_SYSTEM = named("BUSY LOCKED READONLY IOERR CANTOPEN FULL PERM NOMEM INTERRUPT PROTOCOL AUTH NOLFS")
"""What the system can refuse to sqlite (sqlite.org/rescode.html). Every other error is one of what lies in the file."""


def refusal(code: str, message: str, help: str, notes: tuple[str, ...] = ()) -> DuetError:
    return DuetError((Diagnostic(code, message, notes=notes, help=help),))


# ---------------------------------------------------------------------------------------------------------------------
# The file


def failed(path: Path, error: sqlite3.Error | UnicodeError) -> DuetError:
    """The refusal for an SQLite error, unless the error says that the file is not a database. Python raises some errors without a
    name, for bytes that are not valid text."""
    name = getattr(error, "sqlite_errorname", "").removeprefix("SQLITE_")
    if name.partition("_")[0] in OF_THE_SYSTEM:
        return unusable(path, error)
    return damaged(path, "SQLite cannot read it as a whole")


def unusable(path: Path, error: Exception) -> DuetError:
    """The file cannot be read or written: what the system says of it is public."""
    reason = getattr(error, "strerror", None) or str(error)
    return refusal(
        UNUSABLE,
        f"the ledger {visible(str(path))} cannot be used now",
        "fix the problem and run again",
        (visible(reason),),
    )


def _unusable(path: Path, what: str, help: str, note: str) -> DuetError:
    return refusal(UNUSABLE, f"the ledger {visible(str(path))} {what}", help, (note,))


def _beside(path: Path, other: str, what: str, help: str, note: str) -> DuetError:
    """The refusal for what lies next to a ledger."""
    return _unusable(path, f"cannot be used now: {visible(os.path.basename(other))} {what}", help, note)


def far(path: Path, kind: str) -> DuetError:
    note = f"{visible(kind)}: its locks may not work, so two runs could spend the same remaining budget"
    return _unusable(path, "is on a network file system", "keep the ledger on a local disk", note)


def linked(path: Path) -> DuetError:
    """A crash leaves a journal next to the name that was used; under another name of the same file nobody would see it, and a
    charge could be undone (sqlite.org/howtocorrupt.html, section 2.5)."""
    find = f"find … -samefile {as_word(str(path))}"
    help = f"remove the other name (a hard link: {find}), or copy the file and remove both"
    note = "after a crash, the file can be repaired only under the name that was in use"
    return _unusable(path, "has a second name", help, note)


def no_file_beside(path: Path, other: str) -> DuetError:
    """What has the name of a journal is not a file: opening a pipe may never end."""
    note = "SQLite looks there for what a crash left unfinished"
    return _beside(path, other, "is not a regular file", f"move {visible(other)} away", note)


def no_journal(path: Path, other: str) -> DuetError:
    """Whatever lies there, sqlite deletes it."""
    note = "SQLite would take it for what a crash left unfinished, and delete it"
    return _beside(path, other, "is not its journal", f"move {visible(other)} away, or give it another name", note)


def other_log(path: Path, log: str) -> DuetError:
    """A write-ahead log is read in the place of the file, whichever database it was written for."""
    help = f"close the program that has the ledger open, or move {visible(log)} away"
    note = "duetpy never writes one: it belongs to another program or to another file"
    return _beside(path, log, "is next to it", help, note)


def other_journal(path: Path) -> DuetError:
    """A journal is played back into whatever file has the name that it was written for."""
    journal = f"{path}-journal"
    help = f"move {visible(journal)} away: without it the ledger is intact"
    note = "SQLite would restore the contents of another file, or old contents of this one"
    return _beside(path, journal, "does not belong to its last charge", help, note)


def other_version(path: Path) -> DuetError:
    return refusal(
        NO_LEDGER,
        f"{visible(str(path))} is a ledger of another version of duetpy",
        "use the version that created it: this version cannot read what was charged there",
    )


def unheld(path: Path) -> DuetError:
    """Before there were seals, nothing but the first entry held the budget."""
    return refusal(
        NO_LEDGER,
        f"{visible(str(path))} was created by an earlier version of duetpy, and nothing was charged to it",
        "create a new one with duetpy ledger create: nothing is lost",
        ("nothing in the file protects its budget, so a change of the budget would not be detected",),
    )


def no_ledger(path: Path) -> DuetError:
    return refusal(NO_LEDGER, f"{visible(str(path))} is not a ledger", "create one with duetpy ledger create")


def damaged(path: Path, how: str) -> DuetError:
    return refusal(
        TAMPERED,
        f"the ledger {visible(str(path))} is damaged: {how}",
        "restore the file from an intact copy; no program runs with this one",
    )


def tampered(path: Path, number: int) -> DuetError:
    where = "its terms were" if number == 0 else f"entry {number} was"
    return damaged(path, f"{where} changed, or an earlier entry was removed")


def exchanged(path: Path) -> DuetError:
    return refusal(
        TAMPERED,
        f"the ledger {visible(str(path))} was moved or replaced during the run",
        "put the file back that was there: what was charged to it has been spent",
    )


def stored_already(path: Path, number: int) -> DuetError:
    what = f"holds another output of the run that entry {number} is for"
    help = "run again: each process that releases something is charged by itself"
    return _unusable(path, what, help, "the process was copied while it ran (fork), and one charge is for one release")


# ---------------------------------------------------------------------------------------------------------------------
# The budget


WORDS = {REPLACE: "one row replaced", ADD_REMOVE: "one row added or removed"}


def _relation_in_words(relation: str) -> str:
    if relation.startswith(MIXED):
        return "several inputs with separate neighbours"
    return WORDS.get(relation) or relation.removeprefix(f"{EACH}: ").replace(STEP, "a step of distance 1")


def other_neighbours(path: Path, kept: str, asked: str) -> DuetError:
    notes = (
        f"charged so far   costs for {visible(_relation_in_words(kept))}",
        f"this program     a cost for {visible(_relation_in_words(asked))}",
    )
    if MIXED in (kept.partition(":")[0], asked.partition(":")[0]):
        help = (
            "declare all tables in the same way: a run may swap the data of these, and then a sum of costs "
            "bounds nothing"
        )
    else:
        help = (
            "declare the table as in the other programs (𝕄 [… | m, …] or 𝕄 [… | ★, …]), or keep a separate "
            "ledger: a sum of both would bound neither"
        )
    return refusal(OTHER_NEIGHBOURS, f"{visible(str(path))} adds up costs for another neighbour relation", help, notes)


def other_people(path: Path, found: Contradiction) -> DuetError:
    """What a person in both files loses is in no sum of costs of which some are for one of them only."""
    one, other = visible(place_text(found.one)), visible(place_text(found.other))
    same = (
        f"one program aligns tables in memory, which may be copies: rows of {one} and {other} may be the same people's"
        if found.is_possible
        else f"one program aligns {one} with {other}: a row of each is one person's"
    )
    notes = (same, "another one counts their rows as rows of different people")
    help = "align them in all programs that read both (⟨xs : …, ys : …⟩), or read them in separate programs"
    message = f"{visible(str(path))} adds up costs for another neighbour relation"
    return refusal(OTHER_NEIGHBOURS, message, help, notes)


def exceeded(path: Path, state: State, charge: Charge, body: Mapping[str, Any]) -> DuetError:
    left = remaining(state)
    command = f"duetpy calibrate {as_word(str(body.get('program', 'FILE')))} --ledger {as_word(str(path))} --vary …"
    notes = (
        f"spent so far   {amounts(spent(state))} of {amounts(limit(state.budget))}",
        f"this program   {amounts(charged(state.budget, charge))}",
    )
    help = f"spend no more than {amounts(left)} ({command})" if any(left.values()) else "nothing is left of this budget"
    return refusal(EXCEEDED, "the budget does not cover this program", help, notes)
