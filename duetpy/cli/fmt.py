"""``duetpy fmt FILE…``: lay programs out, in place, without changing what they mean."""

from __future__ import annotations

import argparse
import os
import tempfile
from typing import TYPE_CHECKING

from duetpy.cli.console import Console

if TYPE_CHECKING:
    from duetpy.diagnostics.diagnostic import Diagnostic

DONE, REFUSED, UNWRITTEN = 0, 1, 70

_BOM = b"\xef\xbb\xbf"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a program, rewritten in place; - formats standard input to standard output",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    parser.add_argument(
        "--diff", action="store_true", help="write nothing, print what would change; exit 1 if a file would change"
    )
    spelling = parser.add_mutually_exclusive_group()
    spelling.add_argument(
        "--ascii",
        action="store_const",
        const=True,
        dest="spelling",
        help="write signs in ASCII (plam, Real+, =>), except in comments and texts; names stay as they are",
    )
    spelling.add_argument(
        "--unicode",
        action="store_const",
        const=False,
        dest="spelling",
        help="write signs in Unicode (pλ, ℝ⁺, ⇒); by default a program that has no sign in Unicode stays in ASCII",
    )
    parser.epilog = (
        "Comments stay where they are. A file whose formatted text would not be read as the same program is left alone.\n"
        "example: duetpy fmt --check *.duet"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.loading import STANDARD_INPUT

    parser: argparse.ArgumentParser = arguments.parser
    if arguments.files.count(STANDARD_INPUT) > 1:
        parser.error("standard input can be read only once")
    codes = [_format(name, arguments, console) for name in dict.fromkeys(arguments.files)]
    return max(codes)


def _format(name: str, arguments: argparse.Namespace, console: Console) -> int:
    """Format one file; the exit code that it asks for."""
    from duetpy.diagnostics.diagnostic import Diagnostic
    from duetpy.diagnostics.display import visible
    from duetpy.loading import STANDARD_INPUT, read_content

    content = read_content(name)
    if isinstance(content, Diagnostic):
        console.refuse((content,))
        return REFUSED
    after = _formatted(name, content, arguments.spelling)
    if not isinstance(after, bytes):
        console.refuse(after)
        return REFUSED
    is_same = content == after
    if arguments.diff and not is_same:
        console.out_as_laid_out(_difference(name, content, after))
    if arguments.check and not is_same:
        console.err(f"{visible(name)} would be reformatted\n")
    if arguments.diff or arguments.check:
        return DONE if is_same else REFUSED
    if name == STANDARD_INPUT:
        console.out_as_laid_out(after.decode("utf-8"))
    elif not is_same:
        try:
            _replace(name, after)
        except OSError as error:
            console.err(f"duetpy: {visible(name)} could not be written: {error.strerror or type(error).__name__}\n")
            return UNWRITTEN
        console.err(f"{visible(name)} reformatted\n")
    return DONE


def _formatted(name: str, content: bytes, ascii: bool | None) -> bytes | tuple[Diagnostic, ...]:
    """The formatted program, with the line ends and the byte order mark that it had; or why it cannot be formatted."""
    from duetpy.grammar.formatting import formatted
    from duetpy.library import imported_names
    from duetpy.loading import decoded
    from duetpy.source import Source
    from duetpy.typecheck.notions import NOTION_WORDS

    source = decoded(name, content)
    if not isinstance(source, Source):
        return (source,)
    names, diagnostics = imported_names(source)
    if any(diagnostic.is_error for diagnostic in diagnostics):
        return diagnostics
    text = formatted(source, names, NOTION_WORDS, ascii)
    if not isinstance(text, str):
        return text
    crlf = content.count(b"\r\n")
    if crlf > content.count(b"\n") - crlf:
        text = text.replace("\n", "\r\n")
    return (_BOM if content.startswith(_BOM) else b"") + text.encode("utf-8")


def _difference(name: str, before: bytes, after: bytes) -> str:
    from difflib import unified_diff

    from duetpy.diagnostics.display import visible

    sides = [side.decode("utf-8").splitlines(keepends=True) for side in (before, after)]
    shown = visible(name)
    lines = unified_diff(sides[0], sides[1], shown, f"{shown} (formatted)")
    return "".join([line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines])


def _replace(name: str, content: bytes) -> None:
    """Put a new text in the place of a file at once, with the file's mode: whoever reads it sees the one text or the other."""
    path = os.path.realpath(name)
    mode = os.stat(path).st_mode
    number, beside = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".", suffix=".duet.tmp")
    try:
        with open(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(number)
        os.chmod(beside, mode & 0o7777)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
