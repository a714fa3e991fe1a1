"""Files as a run first sees them.

Contract. In a run each path is looked at once, and each object that stands for a path is asked for it once. That look says
whose people the rows are, from the price and the charge to the report. When the rows have been read, a path at which there is
another file, or a file that was written to, is refused: the rows may be of other people than those who were charged.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from os import PathLike
from typing import NoReturn

from attrs import Factory, define, frozen

from duetpy.runtime.sources.problems import UNREADABLE, refuse


@frozen
class Look:
    """What the system says of a file.

    Parameters
    ----------
    device, number
        Which file it is, under whatever name it is found.
    size, written, changed
        How long it is, when it was last written to, and when it was last renamed or told when it was written, in nanoseconds.
    """

    device: int
    number: int
    size: int
    written: int
    changed: int

    @property
    def mark(self) -> tuple[int, int]:
        """Whose people its rows are."""
        return (self.device, self.number)


@define
class _Run:
    """What a run has seen at each path, None where there was no file; and which path each object that stands for one says, by the
    number of the object, which is kept. Of some paths it has opened another file than it saw; of some it knows where links lead."""

    looks: dict[str, Look | None] = Factory(dict)
    others: set[str] = Factory(set)
    paths: dict[int, tuple[PathLike[str], str]] = Factory(dict)
    ends: dict[str, str] = Factory(dict)


_RUN: ContextVar[_Run | None] = ContextVar("run", default=None)


@contextmanager
def looking_once() -> Iterator[None]:
    """A run."""
    token = _RUN.set(_Run())
    try:
        yield
    finally:
        _RUN.reset(token)


def look_at(path: str) -> Look:
    """What is at a path; in a run, what was there when it was first looked at. Raises `OSError` where there is no file."""
    run = _RUN.get()
    note(path)
    found = _seen(path) if run is None else run.looks[path]
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return found


def note(path: str) -> None:
    """Look at a path that is going to be opened, whatever is there."""
    run = _RUN.get()
    if run is not None and path not in run.looks:
        run.looks[path] = _seen(path)


def opened(path: str, found: os.stat_result) -> None:
    """Note what was opened at a path that was looked at."""
    run = _RUN.get()
    if run is not None and _look(found) != run.looks[path]:
        run.others.add(path)


def path_of(given: str | PathLike[str]) -> str:
    """The path that something stands for. An object could say another one each time, so a run asks it once."""
    run = _RUN.get()
    if run is None or isinstance(given, str):
        return _said(given)
    if id(given) not in run.paths:
        run.paths[id(given)] = (given, _said(given))
    return run.paths[id(given)][1]


def _said(given: str | PathLike[str]) -> str:
    """The path that an object says, which may be bytes, as of a folder that is listed by a name in bytes."""
    try:
        return os.fsdecode(given)
    except Exception:
        message = "cannot be read: the object that was given raised an exception"
        refuse(UNREADABLE, message, "the path", help="give the path as a text")


def end_of(path: str) -> str:
    """The whole path to which links lead from a path, in a run those of when it was first asked: a library that opens a file by its
    path, and does not say which one it has opened, opens the one that is looked at."""
    run = _RUN.get()
    return os.path.realpath(path) if run is None else run.ends.setdefault(path, os.path.realpath(path))


def refuse_changed() -> None:
    """Raise D0601 if something else is at a path, or was opened there, than when the run first looked."""
    run = _RUN.get()
    if run is None:
        return
    for path, found in run.looks.items():
        if path in run.others or _seen(path) != found:
            refuse_other(path)


def refuse_other(origin: str) -> NoReturn:
    """Raise D0601: two passes over a file, or two tables of it, would not be of the same people."""
    refuse(UNREADABLE, "changed while it was read", origin, help="run again when the file is complete")


def _seen(path: str) -> Look | None:
    try:
        return _look(os.stat(path))
    except (OSError, ValueError):
        return None


def _look(found: os.stat_result) -> Look:
    return Look(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
