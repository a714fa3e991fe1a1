"""Standard output and standard error as the commands see them: they never raise and never show a colour unasked.

A reader that stops reading (``duetpy check … | head -1``) ends the output and nothing else. Output that cannot be
written for another reason is remembered, so that the command does not end as if all were well.
"""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from duetpy.diagnostics.text import Palette


class Console:
    """The two streams of one command, and whether it has failed to write or was interrupted."""

    def __init__(self) -> None:
        self.failed = False
        self.interrupted = False
        self._silent: set[int] = set()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                with suppress(ValueError, OSError):
                    # A name or a letter that the terminal's encoding lacks is shown by its number, and is no fault. A stream
                    # that is closed already is one that cannot be written to.
                    stream.reconfigure(errors="backslashreplace")
        self.ascii = not _is_utf8(sys.stdout)

    @cached_property
    def palette(self) -> Palette:
        """The colours of what goes to standard error."""
        from duetpy.diagnostics.text import Palette

        return Palette(enabled=_is_colourful(sys.stderr))

    def out(self, text: str) -> None:
        """Write a result to standard output."""
        self._write(sys.stdout, text)

    def json(self, value: Any) -> None:
        """Write a result to standard output as one line of JSON."""
        import json

        self.out(json.dumps(value, ensure_ascii=self.ascii, allow_nan=False) + "\n")

    def err_json(self, value: Any) -> None:
        """Write diagnostics to standard error as one line of JSON."""
        import json

        self.err(json.dumps(value, ensure_ascii=True, allow_nan=False) + "\n")

    def err(self, text: str) -> None:
        """Write a diagnostic to standard error."""
        self._write(sys.stderr, text)

    def close(self) -> None:
        """Hand over what is still buffered."""
        self._write(sys.stdout, "")
        self._write(sys.stderr, "")

    def _write(self, stream: TextIO | None, text: str) -> None:
        if stream is None or id(stream) in self._silent:
            return
        try:
            stream.write(text)
            stream.flush()
        except BrokenPipeError:
            self._silence(stream)
        except (OSError, ValueError):
            self.failed = True
            self._silence(stream)

    def _silence(self, stream: TextIO) -> None:
        """Nothing more goes out here, what is buffered included: the interpreter's last flush must not fail."""
        self._silent.add(id(stream))
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)
        except (OSError, ValueError):
            pass


def _is_colourful(stream: TextIO | None) -> bool:
    """Whether colours are wanted: on a terminal, unless NO_COLOR (no-color.org) or TERM=dumb says otherwise."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    try:
        return stream.isatty()
    except ValueError:
        return False


def _is_utf8(stream: TextIO | None) -> bool:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return encoding.lower().replace("-", "").replace("_", "") in ("utf8", "utf8sig")
