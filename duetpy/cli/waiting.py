"""A line on a terminal while something takes longer than a second; it disappears at the end.

It shows the seconds, which anyone who waits can count, and nothing about progress: how far a run is would reveal how many rows
there are.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TextIO

AFTER = 1.0
"""Seconds until the line is shown."""

ERASED = "\r\033[K"
"""Back to the start of the line, and nothing behind it (ECMA-48)."""


@contextmanager
def waiting(stream: TextIO | None, what: str, after: float = AFTER, *, is_drawn: bool = False) -> Iterator[None]:
    """Show that something goes on, until it ends.

    Parameters
    ----------
    stream
        The terminal; None where nothing is to be shown.
    what
        What goes on.
    after
        Seconds until it is shown.
    is_drawn
        Whether rich draws a spinner, in place of the line.
    """
    if stream is None:
        yield
        return
    ended = Event()
    telling = Thread(target=_spin if is_drawn else _tell, args=(stream, what, ended, after), daemon=True)
    telling.start()
    try:
        yield
    finally:
        ended.set()
        telling.join()


def _tell(stream: TextIO, what: str, ended: Event, after: float) -> None:
    started = time.monotonic()
    if ended.wait(after):
        return
    # Nothing is written to a terminal that is gone.
    with suppress(OSError, ValueError):
        while True:
            stream.write(f"{ERASED}{what}: {time.monotonic() - started:.0f} s")
            stream.flush()
            if ended.wait(AFTER):
                break
        stream.write(ERASED)
        stream.flush()


def _spin(stream: TextIO, what: str, ended: Event, after: float) -> None:
    if ended.wait(after):
        return
    from duetpy.cli.drawn import spinner

    with suppress(OSError, ValueError), spinner(stream, what):
        ended.wait()
