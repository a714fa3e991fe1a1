"""The meaning of ``flat``: of each person the rows whose numbers are least, so many at most."""

from __future__ import annotations

import hashlib
import struct
from datetime import date
from fractions import Fraction
from functools import reduce
from typing import Any

from tests.soundness.plain import Table

WORD = 2**64


def number_of(cell: Any) -> int:
    """A number for a cell: what stands in a double, and for a text or another number the beginning of its hash."""
    match cell:
        case None:
            return 0x6E6F6E65
        case bool():
            return int(cell)
        case date():
            return cell.toordinal()
        case int() | Fraction() | float() if Fraction(cell) == Fraction(float(cell)):
            return int.from_bytes(struct.pack(">d", float(cell) or 0.0), "big")
        case _:
            return int.from_bytes(hashlib.sha256(str(cell).encode("utf-8", "surrogatepass")).digest()[:8], "big")


def mixed(state: int, cell: int) -> int:
    bits = (state * 0x9E3779B97F4A7C15 + cell + 0x632BE59BD9B4E019) % WORD
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB % WORD
    return bits ^ (bits >> 31)


def flat(most: int, persons: Table, tables: list[Table]) -> Table:
    """The rows of all tables, so many of each at most, in addition to the cells of the persons that are not tables."""
    made: list[tuple[Any, ...]] = []
    plain: list[int] = []
    for entries, table in zip(persons.rows, tables, strict=True):
        plain = [at for at, entry in enumerate(entries) if not isinstance(entry, Table)]
        beside = tuple(entries[at] for at in plain)
        mine = reduce(mixed, map(number_of, beside), 0)
        keys = [
            mixed(mixed(mine, reduce(mixed, map(number_of, row), 0)), place) for place, row in enumerate(table.rows)
        ]
        first = sorted(range(len(keys)), key=lambda place, keys=keys: (keys[place], place))[:most]
        made += [beside + table.rows[place] for place in sorted(first)]
    held = persons.names or (None,) * persons.width
    one = tables[0] if tables else Table((), 0)
    names = tuple(held[at] for at in plain) + (one.names or (None,) * one.width)
    once = None
    if persons.a_row is not None and one.a_row is not None:
        once = tuple(persons.a_row[at] for at in plain) + one.a_row
    return Table(tuple(made), len(names), names if any(names) else None, once)
