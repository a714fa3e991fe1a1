"""What a run made public."""

from __future__ import annotations

import json
from typing import Any, Literal

from attrs import frozen


@frozen
class Release:
    """What a run made public.

    Parameters
    ----------
    program
        The program's name.
    result
        The value in plain Python: numbers, truth values and texts; a matrix as a list of rows, a pair as a tuple, a set as a
        list.
    privacy
        What it cost whom; where the noise is insecure, that nobody is ``protected``, and no numbers.
    releases
        The mechanisms that ran, in the order of the text.
    data
        What was read: rows (None where their number is private), columns, and what was done with bad rows.
    noise
        ``secure``, or ``INSECURE`` where the noise was reproducible or left out.
    seconds
        How long the run took.
    ledger
        What a ledger was charged: its path and data set, the entry, ``charged`` and ``remaining`` by name, whether the release
        was ``replayed`` from it, and a ``receipt``. None without one.
    """

    program: str
    result: Any
    privacy: dict[str, Any]
    releases: list[dict[str, Any]]
    data: dict[str, dict[str, Any]]
    noise: Literal["secure", "INSECURE"]
    seconds: float
    ledger: dict[str, Any] | None = None

    def to_json(self, indent: int | None = None, *, ascii_only: bool = False) -> str:
        """As printed by ``run --format json``; with other letters by their numbers where a stream has none but ASCII's."""
        shown = {
            "program": self.program,
            "result": self.result,
            "privacy": self.privacy,
            "releases": self.releases,
            "data": self.data,
            "noise": self.noise,
            "seconds": self.seconds,
            **({} if self.ledger is None else {"ledger": self.ledger}),
        }
        return json.dumps(shown, ensure_ascii=ascii_only, indent=indent, allow_nan=False)
