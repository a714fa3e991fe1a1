"""Program texts from outside: files, standard input and the files that they import, and the notion that a name chooses.

Whatever cannot be read is refused with a diagnostic; nothing here lets an exception of the operating system through.
"""

from __future__ import annotations

import codecs
import errno
import os
import sys
from typing import BinaryIO

from duetpy.diagnostics.closest import closest
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.settings import notion_called
from duetpy.source import Source
from duetpy.typecheck.notions import BY_WORD, Notion

STANDARD_INPUT = "-"

MAXIMAL_BYTES = 4 << 20
"""A longer file is no program; reading stops here, so that a device without end cannot hold the checker up."""

SUFFIX = "duet"

STANDARD = "std:"
"""What the name of a file begins with that the package brings along: ``import "std:stats";``."""


def notion_of_name(name: str) -> Notion | None:
    """The notion that a file name chooses: ``x.zcdp.duet`` does, ``x.duet`` and ``x.y.duet`` do not."""
    return BY_WORD.get(_inner_ending(name))


def _inner_ending(name: str) -> str:
    """What stands before the ending of a program's file name, empty for nothing."""
    pieces = os.path.basename(name).split(".")
    return pieces[-2] if len(pieces) > 2 and pieces[-1] == SUFFIX else ""


def refused_name(name: str, line: str | None, given: str | None) -> tuple[Diagnostic, ...]:
    """The refusal of a file name whose ending is not a notion, if the name was to choose the notion: a misspelt one must not
    be taken for (ε, δ)."""
    ending = _inner_ending(name)
    if given is not None or line is not None or not ending or ending in BY_WORD:
        return ()
    known = ", ".join(notion.value for notion in Notion)
    message = (
        f"the file name {os.path.basename(name)!r} ends in .{ending}.{SUFFIX}, and {ending} is not a notion of privacy"
    )
    help = (
        f"the notions are {known}; rename the file, or choose one with --notion or a first line such as `notion zcdp;`"
    )
    return (Diagnostic("D0008", message, help=help),)


def stated_notion(name: str, line: str | None) -> tuple[Notion, str] | None:
    """The notion that a file states and how, given its ``notion`` line: the line wins over the name; None where it has neither."""
    if line is not None and line in BY_WORD:
        return BY_WORD[line], "notion line"
    named = notion_of_name(name)
    return None if named is None else (named, "file name")


def chosen_notion(name: str, line: str | None, given: str | None, origin: str) -> tuple[Notion, str]:
    """The notion and where it came from: what was asked for, else the ``notion`` line, else the name, else (ε, δ)."""
    if given is not None:
        return notion_called(given), origin
    return stated_notion(name, line) or (Notion.APPROX, "default")


def source_of(name: str, text: str) -> Source:
    """A program text as the parser reads it: ``\\n`` line ends and no byte order mark."""
    return Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def read_source(name: str) -> Source | Diagnostic:
    """The program in a file, or on standard input for ``-``; a diagnostic if it cannot be read."""
    content = read_content(name)
    return content if isinstance(content, Diagnostic) else decoded(name, content)


def read_import(name: str) -> Source | Diagnostic:
    """The program in a file that nobody has named at the command line: an ordinary file, as a pipe would be waited for."""
    try:
        is_file = os.path.isfile(file_of(name))
    except FileNotFoundError:
        is_file = False
    return read_source(name) if is_file else _unreadable(name, "there is no such file")


def read_content(name: str) -> bytes | Diagnostic:
    """What a file holds, or standard input for ``-``; a diagnostic if it cannot be read, or is too long for a program."""
    try:
        if name == STANDARD_INPUT:
            if sys.stdin is None:
                return _unreadable(name, "there is no standard input")
            content = _bounded(sys.stdin.buffer)
        else:
            with open(file_of(name), "rb") as file:
                content = _bounded(file)
    except ValueError:
        # A name that holds a NUL never reaches the operating system.
        return _unreadable(name, "no file can have this name")
    except OSError as error:
        return _unreadable(name, error.strerror or type(error).__name__)
    if len(content) > MAXIMAL_BYTES:
        return _unreadable(name, f"it has more than {MAXIMAL_BYTES >> 20} MiB, and no program is so large")
    return content


def resolve_import(importer: str, path: str) -> str:
    """The name under which an imported file is read: relative to the file that imports it, or ``std:`` and its own."""
    if path.startswith(STANDARD):
        return f"{path.removesuffix(f'.{SUFFIX}')}.{SUFFIX}"
    folder = "" if importer == STANDARD_INPUT or importer.startswith("<") else os.path.dirname(importer)
    return os.path.normpath(os.path.join(folder, path))


def file_of(name: str) -> str:
    """Where a file is; what the package brings along is in one folder and nowhere else."""
    own = name.removeprefix(STANDARD)
    if own == name:
        return name
    if own != os.path.basename(own):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    return os.path.join(os.path.dirname(__file__), "std", own)


def _bounded(file: BinaryIO) -> bytes:
    return file.read(MAXIMAL_BYTES + 1)


def decoded(name: str, content: bytes) -> Source | Diagnostic:
    """A program's text from its bytes; a diagnostic if they are not UTF-8."""
    try:
        return source_of(name, codecs.decode(content, "utf-8"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = len(content[content.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8")) + 1
        return Diagnostic(
            "D0091",
            "the file is not UTF-8 text",
            where=f"{name}:{line}:{column}",
            notes=(f"found the byte 0x{content[error.start]:02x}",),
            help="save the program as UTF-8",
        )


def _unreadable(name: str, reason: str) -> Diagnostic:
    shown = "standard input" if name == STANDARD_INPUT else name
    help = "give the path of a file with a program, or - for standard input"
    folder = os.path.dirname(name)
    try:
        programs = [each for each in os.listdir(folder or ".") if each.endswith(f".{SUFFIX}")]
    except (OSError, ValueError):
        programs = []
    if os.path.basename(name) not in programs and (meant := closest(os.path.basename(name), programs)):
        help = f"did you mean {os.path.join(folder, meant[0])}?"
    return Diagnostic("D0090", "the program cannot be read", where=shown, notes=(reason,), help=help)
