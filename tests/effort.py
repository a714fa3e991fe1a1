"""How many examples a test takes: some in every run, all of them where nothing is left out.

A developer runs `make test` after every change, so searches take fewer examples there. `make test-whole`, CI, and every run
that does not deselect the marker `thorough` (``pytest -m "not slow"``) take all of them. What a test asserts must hold for both.

Nor does a developer wait for a test that takes long by itself: `late.txt` lists those, as measured. `make late` measures again.
A test that is marked ``thorough`` names others that guard the same rule, and these are never late.
"""

from pathlib import Path

IS_THOROUGH = True
"""``tests/conftest.py`` sets this before any test is imported. Without pytest all examples are taken."""


def often(examples: int, in_brief: int) -> int:
    """The number of examples: all, or the smaller number in a run in brief."""
    if in_brief >= examples:
        raise ValueError(f"{in_brief} examples in brief are not fewer than {examples}")
    return examples if IS_THOROUGH else in_brief


LATE = Path(__file__).with_name("late.txt")
"""Tests that take longer than `LIMIT`, one a line."""

LIMIT = 0.12
"""Seconds of processor time. Few tests take longer, and these take most of the time."""

MEASURES = False
"""Whether `late.txt` is to be written: then what it lists is run as well."""

TAKEN: dict[str, float] = {}
"""Seconds of processor time that a test took, with what was made ready for it, and the processes that it waited for."""


def late() -> frozenset[str]:
    """Tests that run where all is run, and not in brief."""
    return frozenset(LATE.read_text(encoding="utf-8").splitlines())


def write_late() -> None:
    """Write `late.txt` from what was measured."""
    found = sorted(name for name, seconds in TAKEN.items() if seconds > LIMIT)
    LATE.write_text("".join(f"{name}\n" for name in found), encoding="utf-8")
