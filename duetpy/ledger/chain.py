"""Entries and the hash chain over them.

Entry n's hash covers the hash of entry n − 1 and all that entry n says; the first is chained to the ledger's own terms. So
whoever holds the hash of one entry, a receipt, can tell whether anything up to that entry was changed or cut off.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from attrs import frozen

from duetpy.accounting.budget import Charge

RESERVED, RELEASED = "reserved", "released"

_FRACTION = re.compile(r"[0-9]{1,4000}(?:/[0-9]{1,4000})?")


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
    body
        What it says; see `reservation` and `completion`.
    previous, hash
        The chain.
    """

    number: int
    kind: str
    at: str
    body: Mapping[str, Any]
    previous: str
    hash: str

    @property
    def charge(self) -> Charge:
        """What a reservation spends."""
        return Charge(written(self.body["amount"]), written(self.body["delta"]))

    @property
    def neighbours(self) -> str | None:
        """The relation that a reservation is the price for; None where it spends nothing."""
        return str(self.body["neighbours"]) if self.charge.amount or self.charge.delta else None


def written(text: object) -> Fraction:
    """A number of a ledger: a fraction of whole numbers, and nothing whose value is longer than its text."""
    if not isinstance(text, str) or not _FRACTION.fullmatch(text):
        raise ValueError
    return Fraction(text)


def canonical(value: object) -> str:
    """JSON with one spelling."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)


def first_hash(terms: Mapping[str, Any]) -> str:
    """The hash that the first entry is chained to."""
    return hashlib.sha256(canonical(terms).encode("ascii")).hexdigest()


def entry_hash(number: int, kind: str, at: str, body: Mapping[str, Any], previous: str) -> str:
    return hashlib.sha256(canonical([number, kind, at, body, previous]).encode("ascii")).hexdigest()


def first_bad(terms: Mapping[str, Any], entries: Sequence[Entry]) -> int | None:
    """The number of the first entry that does not fit the chain; None where all do."""
    previous = first_hash(terms)
    for position, entry in enumerate(entries, start=1):
        expected = entry_hash(position, entry.kind, entry.at, entry.body, previous)
        if entry.number != position or entry.previous != previous or entry.hash != expected:
            return position
        if entry.kind not in (RESERVED, RELEASED) or not _is_sound(entry, entries):
            return position
        previous = entry.hash
    return None


def _is_sound(entry: Entry, entries: Sequence[Entry]) -> bool:
    """Whether an entry says what its kind must say."""
    try:
        if entry.kind == RESERVED:
            return entry.charge.amount >= 0 and entry.charge.delta >= 0 and isinstance(entry.body["neighbours"], str)
        charged = int(entry.body["entry"])
        return 1 <= charged < entry.number and entries[charged - 1].kind == RESERVED
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        return False


def reservation(
    charge: Charge, program: str, identity: str, unit: str, neighbours: str, version: str
) -> dict[str, Any]:
    """What a charge says: exact numbers as text, which program with which public arguments it is for, and for which
    neighbours it is the price."""
    return {
        "amount": str(charge.amount),
        "delta": str(charge.delta),
        "program": program,
        "identity": identity,
        "unit": unit,
        "neighbours": neighbours,
        "version": version,
    }


def completion(number: int, data: str | None, output: Mapping[str, Any]) -> dict[str, Any]:
    """What a finished run says: its charge, a keyed digest of the data where there is one, and the output."""
    return {"entry": number, "data": data, "output": dict(output)}
