"""Days of the calendar as they are written: ``YYYY-MM-DD``, from 0001-01-01 to 9999-12-31 (RFC 3339, ``full-date``).

The calendar is the Gregorian one, carried on to the years before it was in use.
"""

from __future__ import annotations

import re
from datetime import date

_WRITTEN = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")


def date_of(text: str) -> date | None:
    """The day that a text names; None of any other text, and of a day that no calendar has."""
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return None
    try:
        return date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return None
