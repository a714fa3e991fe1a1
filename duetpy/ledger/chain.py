"""Entries and the hash chain over them.

Entry n's hash covers the hash of entry n − 1 and all that entry n says; the first is chained to the ledger's own terms. So
anyone who has the hash of one entry, a receipt, can detect whether anything up to that entry was changed or cut off. A seal is
stored with the entries and is renewed with each of them: it reveals that the last ones are missing, or that the key was changed.

What is hashed is the text as it lies in the file: nothing has to be parsed to be verified, and no other text has the hash.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from attrs import frozen

from duetpy.accounting.budget import Charge
from duetpy.ledger.places import Grouped, grouped

RESERVED, RELEASED = "reserved", "released"

_FRACTION = re.compile(r"[0-9]{1,4000}(?:/[0-9]{1,4000})?")
_MOMENT = re.compile(r"[0-9T:+-]{1,40}")
_RELEASE = re.compile(r'\{"data":(null|"[0-9a-f]{64}"),"entry":([1-9][0-9]{0,14}),"output":\{')
_TEXTS = ("identity", "program", "unit", "neighbours", "version")


class Damaged(ValueError):
    """The terms (number 0) or the first entry that are not as they were written."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@frozen
class Reservation:
    """What a charge says: what it spends, for which program with which public arguments, and for which neighbours it is the
    price.

    Parameters
    ----------
    trusted
        What the price rests on that nobody verified; None in entries of versions that did not write it down.
    shows_rows
        Whether it spends nothing, and only if the numbers of rows are public: no price for other numbers of rows is added to it.
    files
        The files that it is for, those of the same people together; empty of a single one.
    """

    charge: Charge
    program: str
    identity: str
    unit: str
    neighbours: str
    trusted: tuple[str, ...] | None
    shows_rows: bool
    files: Grouped


@frozen
class Completion:
    """What a finished run states in addition to its output: the entry that it was charged with, and a keyed digest of the data."""

    entry: int
    data: str | None


@frozen
class Entry:
    """One line of a ledger.

    Parameters
    ----------
    number
        From 1.
    kind
        ``reserved``: a charge. ``released``: the output of the run that an earlier entry was charged for.
    at
        When, in UTC.
    text
        What it says, as JSON with one spelling; see `reservation` and `completion`.
    previous, hash
        The chain.
    said
        The same, without the output.
    """

    number: int
    kind: str
    at: str
    text: str
    previous: str
    hash: str
    said: Reservation | Completion

    @property
    def output(self) -> dict[str, Any]:
        """What a finished run released."""
        found = parsed(self.text)["output"]
        if not isinstance(found, dict):
            raise ValueError
        return found


@lru_cache(maxsize=4096)
def written(text: object) -> Fraction:
    """A number of a ledger: a fraction of whole numbers, and nothing whose value is longer than its text."""
    if not isinstance(text, str) or not _FRACTION.fullmatch(text):
        raise ValueError
    return Fraction(text)


def parsed(text: str) -> dict[str, Any]:
    """An object in JSON; raises `ValueError` for every other text."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError from None
    if not isinstance(found, dict):
        raise ValueError
    return found


def canonical(value: object) -> str:
    """JSON with one spelling."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)


def first_hash(terms: Mapping[str, Any]) -> str:
    """The hash that the first entry is chained to."""
    return hashlib.sha256(canonical(terms).encode("ascii")).hexdigest()


def seal(key: bytes, terms: Mapping[str, Any], number: int, head: str) -> str:
    """What holds a ledger together: it covers the terms, the number of entries, the last hash, and by that all of them, and
    is made with the key that data is digested under, so that another key shows too."""
    return hmac.new(key, f'[{canonical(terms)},{number},"{head}"]'.encode("ascii"), "sha256").hexdigest()


def entry_hash(number: int, kind: str, at: str, text: str, previous: str) -> str:
    """Of the list of all that an entry says, in JSON. Kinds, moments and hashes have no sign that JSON would write otherwise."""
    return hashlib.sha256(f'[{number},"{kind}","{at}",{text},"{previous}"]'.encode()).hexdigest()


Row = tuple[object, object, object, object, object, object]


def chained(terms: Mapping[str, Any], rows: Iterable[Row]) -> tuple[Entry, ...]:
    """The entries in rows of a ledger, in their order; raises `Damaged` with the first that does not fit the chain."""
    entries: list[Entry] = []
    previous = first_hash(terms)
    for position, (number, kind, at, text, before, hash_) in enumerate(rows, start=1):
        if type(kind) is not str or type(at) is not str or type(text) is not str or type(hash_) is not str:
            raise Damaged(position)
        if number != position or before != previous or kind not in (RESERVED, RELEASED) or not _MOMENT.fullmatch(at):
            raise Damaged(position)
        if hash_ != entry_hash(position, kind, at, text, previous):
            raise Damaged(position)
        said = _reserved(text) if kind == RESERVED else _released(text, entries)
        if said is None:
            raise Damaged(position)
        entries.append(Entry(position, kind, at, text, previous, hash_, said))
        previous = hash_
    return tuple(entries)


def _reserved(text: str) -> Reservation | None:
    """What a charge states, or None if it is not one."""
    try:
        body = parsed(text)
        texts = [body[name] for name in _TEXTS]
        spent = Charge(written(body["amount"]), written(body["delta"]))
        trusted, shows_rows = body.get("trusted", []), body.get("shows_rows", False)
        files = grouped(body.get("files", []))
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        return None
    if (
        type(shows_rows) is not bool
        or type(trusted) is not list
        or not all(isinstance(each, str) for each in (*texts, *trusted))
    ):
        return None
    identity, program, unit, neighbours, _ = texts
    known = tuple(trusted) if "trusted" in body else None
    return Reservation(spent, program, identity, unit, neighbours, known, shows_rows, files)


def _released(text: str, before: list[Entry]) -> Completion | None:
    """What a finished run says, where it was charged. The output is looked at when it is asked for: most never are."""
    start = _RELEASE.match(text)
    if start is None:
        return None
    charged = int(start[2])
    if charged > len(before) or before[charged - 1].kind != RESERVED:
        return None
    return Completion(charged, None if start[1] == "null" else start[1][1:-1])


def appended(
    terms: Mapping[str, Any], entries: tuple[Entry, ...], kind: str, at: str, body: Mapping[str, Any]
) -> Entry:
    """The entry that follows; raises `ValueError` for one that nobody could read again."""
    previous = entries[-1].hash if entries else first_hash(terms)
    number, text = len(entries) + 1, canonical(body)
    said = _reserved(text) if kind == RESERVED else _released(text, list(entries))
    if said is None or not _MOMENT.fullmatch(at):
        raise ValueError("not an entry of a ledger")
    return Entry(number, kind, at, text, previous, entry_hash(number, kind, at, text, previous), said)


def reservation(
    charge: Charge,
    program: str,
    identity: str,
    unit: str,
    neighbours: str,
    version: str,
    trusted: Iterable[str],
    *,
    shows_rows: bool = False,
    files: Grouped = (),
) -> dict[str, Any]:
    """What a charge says: exact numbers as text, which program with which public arguments it is for, for which neighbours it
    is the price, and what that rests on in addition to the proof. Earlier versions read it, and pass over what they do not know."""
    return {
        "amount": str(charge.amount),
        "delta": str(charge.delta),
        "program": program,
        "identity": identity,
        "unit": unit,
        "neighbours": neighbours,
        "version": version,
        "trusted": list(trusted),
        "shows_rows": shows_rows,
        "files": [[list(place) for place in group] for group in files],
    }


def completion(number: int, data: str | None, output: Mapping[str, Any]) -> dict[str, Any]:
    """What a finished run says: its charge, a keyed digest of the data if it has one, and the output."""
    return {"entry": number, "data": data, "output": dict(output)}
