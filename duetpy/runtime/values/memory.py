"""The memory that a run may use, as a number of cells.

Sizes that a program states are public, so whether the tables that it makes of these sizes fit is decided before a row is read:
what a run does in one branch and not in another must not show in how it ends.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np

from duetpy.typecheck.conditions import CELLS, LARGEST
from duetpy.typecheck.quantity import KindVar

BYTES_PER_CELL = 32
"""A double, what is computed from it, and what it is computed from; measured at 24 to 40."""

BYTES_TOGETHER = 16
"""The same for all tables that exist together: a double, and one that is computed from it."""

UNKNOWN = 8 << 30
"""Bytes, where the system does not say how much memory it has."""

GREATEST_STATIC = Fraction(10**2900)
"""Static numbers are evaluated within 10^±3000 (`duetpy.typecheck.quantity.enclosure`)."""

_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))


_SIZE = re.compile(r"(?P<number>[0-9]{1,30}(\.[0-9]{1,30})?)\s*(?P<unit>[kmgt]?i?b?)", re.IGNORECASE)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def parse_size(text: str) -> int:
    """A number of bytes: ``4000000``, ``500MB``, ``64GiB``; raises `ValueError`."""
    found = _SIZE.fullmatch(text.strip())
    unit = None if found is None else _UNITS.get(found["unit"].lower().removesuffix("b"))
    if found is None or unit is None or (size := int(Fraction(found["number"]) * unit)) < BYTES_PER_CELL:
        raise ValueError(f"{text!r} is not an amount of memory; write 500MB or 64GiB")
    return size


def available() -> int:
    """The bytes of memory of this machine, or of the container that the process runs in."""
    found = UNKNOWN
    with suppress(AttributeError, OSError, ValueError):
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for path in _LIMITS:
        with suppress(OSError, ValueError):
            found = min(found, int(path.read_text(encoding="ascii")))
    for limit in _own_limits():
        found = min(found, limit)
    return found


def _own_limits() -> Iterator[int]:
    """What this process may take at most, where the system sets such a limit."""
    with suppress(ImportError):
        import resource

        for name in ("RLIMIT_AS", "RLIMIT_DATA"):
            with suppress(AttributeError, OSError, ValueError):
                limit, _ = resource.getrlimit(getattr(resource, name))
                if limit != resource.RLIM_INFINITY:
                    yield limit


@cache
def reuse_memory() -> None:
    """Let the C library of Linux reuse the memory of a block of rows for the next one, once in a process.

    It gives freed memory back to the system, which then clears each page again. How much it keeps goes by the largest piece that
    was freed so far, of 32 MiB at most (mallopt(3), M_MMAP_THRESHOLD). So one of nearly that size is asked for, and freed before
    any of its pages are there. For other libraries this changes nothing.
    """
    with suppress(MemoryError):
        np.empty((1 << 25) - (1 << 15), dtype=np.uint8)


def limits(memory: int | None = None) -> dict[KindVar, Fraction]:
    """What the limits of the machine are in a run that may use so many bytes; all that there are, where None."""
    cells = (available() if memory is None else memory) // BYTES_PER_CELL
    return {CELLS: Fraction(max(1, cells)), LARGEST: GREATEST_STATIC}
