"""Room for recursion: programs nest deeper than the thousand calls that Python allows by default.

A Python function that calls another one takes memory but no C stack (since Python 3.11), so the limit on recursion can be
raised as far as memory goes. Every function that goes down a program announces that it goes deeper:

    def depth(node: Tree) -> int:
        with DEEPER:
            return 1 + max([depth(child) for child in node.children], default=0)

Such a function calls itself by calls of Python functions only. A generator expression, ``map``, ``sorted`` with a key and a
generated ``__eq__`` call back from C, which does take C stack: none of these may lie on the way from one level to the next.

Contract. The limit is raised when it is needed, to what is needed and `RESERVE` more, so that code that is not ours (foreign
functions) meets a limit about as near as without a program around it. It is the old one again once the last thread has left.
"""

from __future__ import annotations

import os
import sys
import threading
from types import FrameType

MAX_LEVELS = 100_000
"""A program that nests deeper is refused when it is read."""

FRAMES = 24
"""A level takes at most so many calls of Python functions."""

RESERVE = 700
"""Room at any level for other calls: messages, types and formulas, whose depth has limits of its own, and foreign functions."""

MOST = (1 << 31) - 1
"""The largest limit that Python takes."""

FIRST = 8
"""For so many levels there is room at once."""


class _Here(threading.local):
    """How deep this thread is, in levels, and for how many there is room."""

    level = 0
    room = 0


class _Limit:
    """The limit on recursion, which all threads share."""

    def __init__(self) -> None:
        # A handler of signals that reads a program may come in the middle of `need`, in the same thread.
        self._lock = threading.RLock()
        self._needs: dict[int, int] = {}
        self._before = 0
        self._set = 0

    def forked(self) -> None:
        """In a copy of the process only this thread goes on: no other one lets go of the lock, or leaves."""
        self._lock = threading.RLock()
        own = threading.get_ident()
        self._needs = {thread: frames for thread, frames in self._needs.items() if thread == own}

    def need(self, frames: int) -> None:
        """Allow this thread so many calls at least."""
        with self._lock:
            if not self._needs:
                self._before = self._set = sys.getrecursionlimit()
            if frames > self._set:
                self._set = frames
                sys.setrecursionlimit(frames)
            self._needs[threading.get_ident()] = frames

    def leave(self) -> None:
        """This thread needs no more than the limit that was."""
        with self._lock:
            self._needs.pop(threading.get_ident(), None)
            # Who has set another limit meanwhile keeps it.
            if not self._needs and self._set != self._before and sys.getrecursionlimit() == self._set:
                sys.setrecursionlimit(self._before)


_HERE = _Here()
_LIMIT = _Limit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LIMIT.forked)


class Levels:
    """Some levels of a program, announced by ``with`` before a function goes down them.

    Parameters
    ----------
    count
        How many levels at most.
    """

    __slots__ = ("_count",)

    def __init__(self, count: int) -> None:
        self._count = count

    def __enter__(self) -> None:
        level = _HERE.level + self._count
        if level > _HERE.room:
            _make_room(level, self._count)
        # Last: interrupted before, `with` does not leave what it has not entered.
        _HERE.level = level

    def __exit__(self, *error: object) -> None:
        _HERE.level = level = _HERE.level - self._count
        if not level:
            _HERE.room = 0
            _LIMIT.leave()


DEEPER = Levels(1)


def _make_room(level: int, ahead: int) -> None:
    """Make room for twice as many levels as there are, the last of which lie ahead.

    The calls so far are counted only when the levels have doubled, so that all of it takes time in proportion to the depth.
    """
    room = max(FIRST, 2 * level)
    calls = 0
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        calls += 1
        frame = frame.f_back
    _LIMIT.need(min(calls + FRAMES * (room - level + ahead) + RESERVE, MOST))
    _HERE.room = room
