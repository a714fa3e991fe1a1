"""The files that a run writes: settled before any data is opened, and none that the run needs itself."""

from __future__ import annotations

import argparse
import importlib.util
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from duetpy.cli.console import Console
    from duetpy.program import Program
    from duetpy.runtime.release.release import Release
    from duetpy.typecheck.types import Type

ENDINGS = {".csv": "csv", ".json": "json", ".txt": "text", ".parquet": "parquet", ".html": "html"}
"""What a result is written as, by the ending of the file."""


def result_target(program: Program, arguments: argparse.Namespace, data: Mapping[str | None, object]) -> Path | None:
    """The file to write to, of which it is certain now that it can be written; ends with 2 where it cannot."""
    path: Path | None = arguments.out
    if path is None:
        return None
    parser: argparse.ArgumentParser = arguments.parser
    refuse_needed("--out", path, program, arguments, data)
    from duetpy.diagnostics.closest import or_else

    written = ENDINGS.get(path.suffix.lower())
    if written is None:
        meant = or_else(path.suffix, ENDINGS)
        parser.error(f"argument --out: the name of the file must end in {', '.join(ENDINGS)}: {path}{meant}")
    if arguments.format not in ("text", written):
        parser.error(f"argument --out: {path} contradicts --format {arguments.format}; leave --format out")
    if written == "parquet" and importlib.util.find_spec("pyarrow") is None:
        parser.error(f"argument --out: {path} is written by PyArrow: pip install 'duetpy[arrow]'")
    _refuse_unwritable("--out", path, parser)
    return path


def report_target(program: Program, arguments: argparse.Namespace, data: Mapping[str | None, object]) -> Path | None:
    """The same for the report."""
    path: Path | None = arguments.report
    if path is None:
        return None
    parser: argparse.ArgumentParser = arguments.parser
    refuse_needed("--report", path, program, arguments, data)
    if path.suffix.lower() != ".html":
        parser.error(f"argument --report: the name of the file must end in .html: {path}")
    _refuse_written("--report", path, arguments)
    _refuse_unwritable("--report", path, parser)
    return path


def plot_target(program: Program, arguments: argparse.Namespace, data: Mapping[str | None, object]) -> Path | None:
    """The same for the picture of the result, if the result has something to draw."""
    path: Path | None = arguments.plot
    if path is None:
        return None
    from duetpy.report.picture import Unplottable, canvas
    from duetpy.report.pictures import NO_NUMBERS
    from duetpy.runtime.release.result_table import shape_of

    parser: argparse.ArgumentParser = arguments.parser
    refuse_needed("--plot", path, program, arguments, data)
    if program.typed is not None and not shape_of(program.typed).has_numbers:
        parser.error(f"argument --plot: {NO_NUMBERS}")
    try:
        canvas(1.0, 1.0)
    except Unplottable as reason:
        parser.error(f"argument --plot: {reason}")
    _refuse_written("--plot", path, arguments)
    _refuse_unwritable("--plot", path, parser)
    return path


def write_report(
    path: Path, release: Release, program: Program, arguments: argparse.Namespace, console: Console
) -> None:
    """Write the page about a run. What was released has been shown."""
    from duetpy import __version__
    from duetpy.report.run_page import run_page

    assert program.typed is not None
    text = run_page(release, program.typed, program.library, arguments.settings, __version__)
    console.file(path, partial(Path.write_text, data=text, encoding="utf-8", errors="backslashreplace"))


def write_plot(path: Path, release: Release, console: Console) -> None:
    """Draw what was released, which has been shown."""
    from duetpy.report.picture import Unplottable
    from duetpy.report.pictures import released

    try:
        picture = released(release)
    except Unplottable as reason:
        console.err(f"error: {reason}\n")
        console.failed = console.is_told = True
        return
    console.file(path, picture.save)


def refuse_needed(
    option: str, path: Path, program: Program, arguments: argparse.Namespace, data: Mapping[str | None, object]
) -> None:
    """End with 2 if the run itself needs the file, whatever its name ends in."""
    parser: argparse.ArgumentParser = arguments.parser
    try:
        if _is_read(path, program, arguments, data):
            parser.error(f"argument {option}: {path} is the program, its data or the ledger")
    except (OSError, ValueError) as error:
        parser.error(f"argument {option}: {path} cannot be written: {getattr(error, 'strerror', None) or error}")


def _refuse_written(option: str, path: Path, arguments: argparse.Namespace) -> None:
    """End with 2 if the file is one that the run has written by then, under whatever name: what was released would be lost."""
    parser: argparse.ArgumentParser = arguments.parser
    for name, other in (("--out", arguments.out), ("--report", arguments.report)):
        if other is None or name == option:
            continue
        is_link = path.exists() and other.exists() and path.samefile(other)
        if is_link or os.path.realpath(path) == os.path.realpath(other):
            parser.error(f"argument {option}: {path} is the file of {name}")


def _refuse_unwritable(option: str, path: Path, parser: argparse.ArgumentParser) -> None:
    """End with 2 unless the file can be written. A pipe that is opened to find out tells its reader that nothing more comes, and a
    device may take nothing: the release would be charged and lost."""
    try:
        is_new = not path.exists()
        if not is_new and not path.is_file() and not path.is_dir():
            parser.error(f"argument {option}: {path} cannot be written: not a regular file")
        with open(path, "ab"):
            pass
        if is_new:
            # A run that is refused leaves no trace; where the name is a link, what it points to was made.
            path.resolve().unlink()
    except (OSError, ValueError) as error:
        parser.error(f"argument {option}: {path} cannot be written: {getattr(error, 'strerror', None) or error}")


def _is_read(path: Path, program: Program, arguments: argparse.Namespace, data: Mapping[str | None, object]) -> bool:
    """Whether a file is one that the run itself needs: a result in the place of the ledger would undo its charges."""
    ledger: Path | None = getattr(arguments, "ledger", None)
    imported = () if program.library is None else program.library.programs
    given = (getattr(value, "path", "") for value in (*data.values(), *arguments.settings.values()))
    tables = [file for path in given for file in _files(os.fspath(path))]
    sources = [program.name, *imported, *tables, *(() if ledger is None else (ledger,))]
    if path.exists() and any(os.path.exists(source) and path.samefile(source) for source in sources):
        return True
    # The files that sqlite keeps next to a ledger, which may not be there yet.
    beside = () if ledger is None else [f"{os.path.realpath(ledger)}-{end}" for end in ("journal", "wal", "shm")]
    # DuckDB keeps such a file next to its own, too.
    return os.path.realpath(path) in (*beside, *tables)


def _files(path: str) -> tuple[str, ...]:
    """The files that a path names, also where they come as standard input."""
    from duetpy.runtime.sources.files import files_of
    from duetpy.runtime.sources.problems import STANDARD_INPUT

    return ("/dev/stdin",) if path == STANDARD_INPUT else files_of(path)


def elements_text(program: Program, settings: Mapping[str, object], header: str) -> str:
    """A note that the first line of a file of texts counts like the others: it looks the same as a heading would."""
    from duetpy.diagnostics.display import visible
    from duetpy.settings import DataFile, resolve
    from duetpy.typecheck.types import Matrix, SetOf
    from duetpy.valuation import declared

    every = declared(None if program.typed is None else program.typed.type).arguments
    types = {name: type_ for name, type_ in every.items() if isinstance(type_, SetOf | Matrix)}
    named = [(resolve(name, every) or "", value) for name, value in settings.items() if isinstance(value, DataFile)]
    return "".join(
        f"Data: each line of {visible(str(value.path))} is {'an element' if isinstance(types[name], SetOf) else 'a row'} "
        f"of {visible(name)}, the first one too; if that is a heading, add --header yes.\n"
        for name, value in named
        if header == "auto" and name in types and _is_of_nameless_texts(types[name])
    )


def _is_of_nameless_texts(type_: Type) -> bool:
    """Whether neither a number nor a name in a set or a table can show what the first line of its file is."""
    from duetpy.typecheck import types as t

    match type_:
        case t.SetOf(inner) | t.Disc(inner) | t.Maybe(inner) | t.Matrix(schema=t.Uniform(element=inner)):
            return _is_of_nameless_texts(inner)
        case t.Product() | t.With():
            return all(map(_is_of_nameless_texts, t.children(type_)))
        case t.Matrix(schema=t.Columns(columns)):
            return all(column.name is None and _is_of_nameless_texts(column.type) for column in columns)
        case _:
            return isinstance(type_, t.Str)
