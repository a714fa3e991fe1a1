"""Standard output and standard error as the commands see them: they never raise, and show colours only where they are wanted.

A reader that stops reading (``duetpy check … | head -1``) ends the output and nothing else, unless the command says that its
output cannot be had again (`Console.if_lost`). Output that cannot be written for another reason is remembered, so that the
command does not end as if all were well: a result that goes to a standard output that is closed is one. What goes to a
standard error that is closed is wanted by nobody.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import select
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TextIO

from duetpy.cached import cached_property
from duetpy.diagnostics.display import SPELLING, json_text, visible

if TYPE_CHECKING:
    from pathlib import Path

    from duetpy.diagnostics.diagnostic import Diagnostic
    from duetpy.diagnostics.text import Palette
    from duetpy.report.layout import Lay

_TWICE = re.compile(r"(`[^`\n]*`) \((?:or )?\1\)")
"""A sign with its spelling in ASCII, where both are spelt so."""

HANDLER = "duetpy-ascii"
"""What the streams call the way to treat what they cannot encode."""

NARROWEST = 40
"""A terminal is never taken to be narrower."""

NOTHING_SHOWN = "no detail of the program or its data is shown\n"
FAULT_LINE = f"duetpy: internal error; {NOTHING_SHOWN}"


class Console:
    """The two streams of one command, and whether it has failed to write or was interrupted.

    Attributes
    ----------
    failed
        Whether output was lost.
    is_told
        Whether a message says which output that was.
    if_lost
        What is to be reported if output is lost, by a command whose output cannot be had again by just repeating it.
    interrupted
        Whether somebody asked for an end.
    words
        The command line.
    """

    def __init__(self, words: Sequence[str] = ()) -> None:
        self.words = words
        self.failed = self.is_told = False
        self.if_lost: Callable[[], str] | None = None
        self.interrupted = False
        self._silent: set[int] = set()
        for stream in (sys.stdout, sys.stderr):
            # A name or a letter that the terminal's encoding lacks is spelt otherwise or shown by its number, and is no fault.
            _replace_with("backslashreplace" if _is_utf8(stream) else _spelling(), stream)
        self.ascii = not _is_utf8(sys.stdout)
        self.color = "auto"
        self.answer_in_unicode()

    @cached_property
    def palette(self) -> Palette:
        """The colours of what goes to standard error."""
        return self._palette(sys.stderr)

    @cached_property
    def out_palette(self) -> Palette:
        """The colours of what goes to standard output."""
        return self._palette(sys.stdout)

    def _palette(self, stream: TextIO | None) -> Palette:
        from duetpy.diagnostics.text import Palette

        return Palette(enabled=self.color == "always" or (self.color == "auto" and _is_colourful(stream)))

    @cached_property
    def is_drawn(self) -> bool:
        """Whether rich draws standard output: it is installed, and a terminal that has all signs wants more than plain text."""
        from importlib.util import find_spec

        is_wanted = self.color != "never" and not self.ascii and _is_colourful(sys.stdout)
        return is_wanted and find_spec("rich") is not None

    @property
    def is_terminal(self) -> bool:
        """Whether standard output is a terminal."""
        return _is_terminal(sys.stdout)

    @property
    def columns(self) -> int:
        """How wide a text for a terminal may be: as wide as the terminal, and no wider than can be read."""
        return max(NARROWEST, min(100, get_terminal_size().columns))

    @property
    def width(self) -> int | None:
        """How wide the terminal is to which standard output leads; None where it leads elsewhere."""
        return _columns(sys.stdout)

    def results_laid_out(self) -> Lay:
        """How a terminal shows the tables of results, whose cells stay as they are."""
        from duetpy.report.layout import in_parts

        plain = in_parts(self.width, self.out_palette)
        if not self.is_drawn:
            return plain
        from duetpy.cli.drawn import laid_out

        return laid_out(plain, self.width or self.columns)

    def answers_laid_out(self, indent: int) -> Lay:
        """How the tables of an answer are shown, set in by some columns and spelt as the answer is."""
        from duetpy.report.layout import without_heading

        plain = without_heading(" " * indent, self.out_palette)
        if not self.is_drawn:
            return plain
        from duetpy.cli.drawn import laid_out, spelt

        return spelt(laid_out(plain, self.width or self.columns, indent))

    def answer_in_ascii(self) -> None:
        """Spell the signs of all texts from here on in ASCII, because the question is spelt so; not those of results."""
        from duetpy.grammar.ascii import signs_spelt, spelt

        spell = spelt if self.ascii else signs_spelt
        SPELLING.set(lambda text: _TWICE.sub(r"\1", spell(text)))

    def answer_in_unicode(self) -> None:
        """Spell signs as the language does, as far as the terminal has them: what is spelt before it is laid out stays aligned."""
        SPELLING.set(_encodable if self.ascii else str)

    def heed(self) -> None:
        """Raises `KeyboardInterrupt` where somebody asked for an end and something swallowed it."""
        if self.interrupted:
            raise KeyboardInterrupt

    def can_show(self) -> bool:
        """Whether standard output takes something, as far as that can be known before something is written.

        Writing nothing fails if a stream is closed or open for reading only, or leads to a full device (write(2) may report
        the error that a longer write would meet). poll(2) reports a pipe that nobody reads any more.
        """
        stream = sys.stdout
        if stream is None:
            return False
        try:
            stream.flush()
            number = stream.fileno()
        except io.UnsupportedOperation:
            # Not a stream of the system: whoever put it there knows where it leads.
            return True
        except (OSError, ValueError):
            return False
        try:
            os.write(number, b"")
        except OSError:
            return False
        return _is_read(number)

    def out_exact(self, text: str) -> None:
        """Write what a program released to standard output: a sign that the encoding lacks is shown by its number, not respelt."""
        _replace_with("backslashreplace", sys.stdout)
        self._out(text)

    def out(self, text: str) -> None:
        """Write an answer to standard output; on a terminal, lines that are wider are continued below."""
        self._out(_fitted(SPELLING.get()(text), sys.stdout))

    def out_as_laid_out(self, text: str) -> None:
        """Write what must keep its lines: a program, or a page that fits the terminal."""
        self._out(SPELLING.get()(text))

    def _out(self, text: str) -> None:
        if sys.stdout is None and text:
            self.failed = True
        self._write(sys.stdout, text)

    def json(self, value: Any) -> None:
        """Write a result to standard output as one line of JSON."""
        self._out(json_text(value, ascii_only=not _is_utf8(sys.stdout)) + "\n")

    def err_json(self, value: Any) -> None:
        """Write diagnostics to standard error as one line of JSON."""
        self._write(sys.stderr, json_text(value, ascii_only=True) + "\n")

    def err(self, text: str) -> None:
        """Write what a person reads to standard error; on a terminal, lines that are wider are continued below."""
        self._write(sys.stderr, _fitted(SPELLING.get()(text), sys.stderr))

    def waiting(self, what: str) -> AbstractContextManager[None]:
        """While something goes on, say so on standard error if that is a terminal on which more than text is wanted, and this takes
        longer than a second."""
        from duetpy.cli.waiting import waiting

        is_shown = _is_colourful(sys.stderr) and id(sys.stderr) not in self._silent
        return waiting(sys.stderr if is_shown else None, what, is_drawn=self.is_drawn)

    def file(self, path: Path, write: Callable[[Path], object]) -> bool:
        """Write a file, whole; whether that was possible. Otherwise nothing is left in it: what is cut off of a number is another
        number, and a table without its last rows looks like one."""
        try:
            write(path)
        except BaseException as error:
            with suppress(OSError):
                os.truncate(path, 0)
            if not isinstance(error, OSError | ValueError | ImportError):
                raise
            # What an exception says may hold what was to be written.
            number = getattr(error, "errno", None)
            reason = type(error).__name__ if number is None else os.strerror(number)
            self.err(f"duetpy: {visible(str(path))} could not be written: {reason}\n")
            self.failed = self.is_told = True
            return False
        return True

    def refuse(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Write diagnostics to standard error as texts."""
        from duetpy.diagnostics.text import render

        columns = _columns(sys.stderr)
        for diagnostic in diagnostics:
            self._write(sys.stderr, SPELLING.get()(render(diagnostic, self.palette, columns) + "\n"))

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
            self.failed = self.failed or (self.if_lost is not None and stream is sys.stdout)
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


def _is_read(number: int) -> bool:
    """False for a pipe or a socket whose other end is closed; not known on Windows."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(number, 0)
    return not any(event & (select.POLLERR | select.POLLNVAL) for _, event in poll.poll(0))


def occupy_streams() -> None:
    """Let the numbers of closed streams lead nowhere: the next file that is opened would get one of them, and what a library
    says on standard error would be written into data, a result or a ledger."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free, which is this one.
            os.open(os.devnull, os.O_RDWR)


def _is_colourful(stream: TextIO | None) -> bool:
    """Whether colours are wanted: on a terminal, unless NO_COLOR (no-color.org) or TERM=dumb says otherwise."""
    return _is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _columns(stream: TextIO | None) -> int | None:
    """How wide the terminal is to which a stream leads; None of another stream, whose lines are left as they are."""
    return max(NARROWEST, get_terminal_size().columns) if _is_terminal(stream) else None


def _fitted(text: str, stream: TextIO | None) -> str:
    columns = _columns(stream)
    if columns is None:
        return text
    from duetpy.diagnostics.wrapping import wrapped_text

    return wrapped_text(text, columns)


def _is_terminal(stream: TextIO | None) -> bool:
    if stream is None:
        return False
    try:
        return stream.isatty()
    except ValueError:
        return False


def _replace_with(errors: str, stream: TextIO | None) -> None:
    """What becomes of signs that the encoding of a stream lacks."""
    if isinstance(stream, io.TextIOWrapper):
        with suppress(ValueError, OSError):
            # A stream that is closed already is one that cannot be written to.
            stream.reconfigure(errors=errors)


def _spelling() -> str:
    """The way of spelling in ASCII."""
    codecs.register_error(HANDLER, _spelt)
    return HANDLER


def _spelt(error: UnicodeError) -> tuple[str, int]:
    from duetpy.grammar.ascii import spelt

    if not isinstance(error, UnicodeEncodeError):
        raise error
    return spelt(error.object[error.start : error.end]), error.end


def _encodable(text: str) -> str:
    """A text with the signs that standard output lacks spelt in ASCII."""
    from duetpy.grammar.ascii import spelt

    encoding = sys.stdout.encoding
    return spelt(text) if codecs.lookup(encoding).name == "ascii" else text.encode(encoding, HANDLER).decode(encoding)


def _is_utf8(stream: TextIO | None) -> bool:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return encoding.lower().replace("-", "").replace("_", "") in ("utf8", "utf8sig")
