"""An interruption (Ctrl-C) ends a command, wherever it falls.

Python raises it in whatever code is running. In the middle of an import of compiled code it becomes an error of another name, and
in a callback that nobody waits for (of a weak reference, as the locks of imports have, or of an object that is taken down) Python
reports it and goes on. So it is noted when it comes, and one that was swallowed is sent again until it ends what goes on.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from duetpy.cli.console import Console

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

PAUSE = 0.01
"""Seconds until a swallowed interruption is sent again: a callback is over by then, or it is swallowed once more."""


@contextmanager
def noted_interruptions(console: Console) -> Iterator[None]:
    """Remember an interruption, and raise `KeyboardInterrupt` for one that was swallowed, at the end at the latest."""
    before = signal.getsignal(signal.SIGINT)
    # Who calls this from a process of their own may have a handler of their own, which stays; and only the main thread may
    # set one.
    is_main = threading.current_thread() is threading.main_thread()
    if before is not signal.default_int_handler or not is_main:
        yield
        return

    def interrupt(signum: int, frame: FrameType | None) -> None:
        console.interrupted = True
        # Raised while another one is reported, it would be lost with what reports it. That one is sent again.
        if not is_reporting.is_set():
            signal.default_int_handler(signum, frame)

    senders: list[threading.Thread] = []
    is_over, is_reporting = threading.Event(), threading.Event()

    def send_again() -> None:
        while not is_over.wait(PAUSE):
            if not is_reporting.is_set():
                _thread.interrupt_main()
                return

    def swallowed(found: UnraisableHookArgs) -> None:
        if not issubclass(found.exc_type, KeyboardInterrupt):
            hook(found)
            return
        is_reporting.set()
        try:
            sender = threading.Thread(target=send_again, daemon=True)
            senders.append(sender)
            sender.start()
        finally:
            is_reporting.clear()

    hook = sys.unraisablehook
    signal.signal(signal.SIGINT, interrupt)
    sys.unraisablehook = swallowed
    try:
        yield
        console.heed()
    finally:
        try:
            is_over.set()
            for sender in senders:
                sender.join()
        finally:
            sys.unraisablehook = hook
            signal.signal(signal.SIGINT, before)
