"""``duetpy run FILE``: check a program and release its result on data.

The command line, the program and the file to write to are settled before any data is opened.
"""

from __future__ import annotations

import argparse
import os
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from duetpy.cli.check import opened
from duetpy.cli.console import FAULT_LINE, NOTHING_SHOWN, Console
from duetpy.cli.options import add_settings
from duetpy.cli.pictures import add_plot
from duetpy.cli.run_files import (
    ENDINGS,
    elements_text,
    plot_target,
    report_target,
    result_target,
    write_plot,
    write_report,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal

    from duetpy.diagnostics.diagnostic import Diagnostic
    from duetpy.program import Program
    from duetpy.report.verdict import Statement
    from duetpy.runtime.release.release import Release
    from duetpy.typecheck.check import Typed

DONE, REFUSED, FAULT = 0, 1, 70

NOTHING_DONE = "nothing was released, nothing was spent\n"
MAYBE_CHARGED = "\nif this run was charged to the ledger, the charge stays; duetpy ledger show tells you"
IF_LOST = "any charge of this run to the ledger stays\n"
SHOWN_AGAIN = "the release is stored there: repeat the run to see it at no cost\n"
LOST = "the release cannot be shown again: repeating the run is charged again\n"
INTERNAL = "D0901"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a program; - is standard input")
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="[NAME=]PATH[:COLUMNS]",
        help="private rows for a parameter: x.csv if there is one private table, otherwise xs=x.csv; "
        "x.csv:age,income picks columns by name, x.csv:0-3 by position; .csv, .tsv, .csv.gz, .parquet, .arrow, "
        ".feather, .npy, .npz, duckdb:FILE?table=NAME, sql:SELECT (row-wise queries), or - for CSV on standard input; "
        "may be repeated",
    )
    parser.add_argument(
        "--id",
        action="append",
        default=[],
        metavar="FILE=COLUMN",
        help="the column that identifies persons in one of their files (visits=pat_no), if the file does not use the name "
        "of the program; may be repeated",
    )
    add_settings(parser)
    parser.add_argument(
        "--out",
        type=Path,
        metavar="PATH",
        help="write the result to this file; its ending is the format: .csv, .json, .parquet, .html, or .txt as on a terminal",
    )
    parser.add_argument(
        "--format",
        choices=("text", "csv", "json"),
        default="text",
        help="the result as text (the default): aligned on a terminal, CSV in a pipe; as CSV with a header; or, with "
        "everything about the run, as JSON",
    )
    parser.add_argument(
        "--header", choices=("auto", "yes", "no"), default="auto", help="whether data files have a header row"
    )
    parser.add_argument(
        "--on-bad-row",
        choices=("refuse", "default", "drop"),
        default="refuse",
        help="stop at a bad cell (only if you hold the data), take the default that its column declares (age : 𝔻 else 40), "
        "or drop its row (only if the number of rows is private)",
    )
    parser.add_argument(
        "--missing",
        type=_markers,
        default=(),
        metavar="NA,.",
        help="words for a missing value in CSV files, in addition to an empty cell; for columns that may have some (age : 𝔻?)",
    )
    parser.add_argument(
        "--insecure-noise",
        type=_insecure,
        metavar="none|SEED",
        help="no noise, or noise from a seed, for tests only: the result protects nobody",
    )
    parser.add_argument(
        "--engine",
        type=_engine,
        default="threads",
        metavar="threads|dask[:ADDRESS]",
        help="what processes the rows: the threads of this computer (the default), workers that Dask starts here, or those of "
        "the cluster at an address, such as dask:tls://scheduler:8786",
    )
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="MODULE",
        help="let the program run code of this Python module (opaque); the code can do anything; may be repeated",
    )
    parser.add_argument(
        "--ledger",
        type=Path,
        metavar="PATH",
        help="charge this ledger before noise is drawn, and stop if its budget does not cover the cost",
    )
    parser.add_argument(
        "--memory",
        type=_memory,
        metavar="SIZE",
        help="the memory that tables of the declared sizes may take, such as 500MB or 64GiB (default: all of this "
        "computer's)",
    )
    parser.add_argument(
        "--stream",
        action="store_true",
        help="read files again for each pass over their rows, and keep no row, if the program "
        "needs only such passes; tables that do not fit into the memory are always read in this way",
    )
    parser.add_argument(
        "--report",
        type=Path,
        metavar="PATH.html",
        help="also write one page about the run: what was released, whom it protects by how much, where noise went, the errors, "
        "what the guarantee rests on and what it does not cover, versions and hashes",
    )
    add_plot(parser, "the released numbers with their errors at 95 %%")
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="also show every mechanism that ran, and in tables the error at 95 %% next to every released number",
    )
    parser.add_argument(
        "--explain-plan",
        action="store_true",
        help="first print on standard error what the run is going to do: what it reads, how often it reads the rows, where "
        "noise is added; the plan itself reads no row",
    )
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        help="print only the result, errors and warnings: no privacy statement, no line of the ledger",
    )
    parser.epilog = "example: duetpy run mean.eps.duet --data people.csv --set eps=0.5"


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.diagnostics.error import DuetError
    from duetpy.settings import SettingError

    parser: argparse.ArgumentParser = arguments.parser
    program = opened(arguments, console)
    data = _data(program, arguments)
    try:
        statement = program.state(arguments.settings, arguments.delta)
    except SettingError as error:
        parser.error(f"argument --set: {error}")
    typed = program.typed
    if typed is None or not statement.ok:
        return _refuse(statement.diagnostics, arguments, console)
    target, report = result_target(program, arguments, data), report_target(program, arguments, data)
    plot = plot_target(program, arguments, data)
    if not console.can_show():
        console.failed = True
        console.err(NOTHING_DONE)
        return FAULT
    _tell(statement.diagnostics, arguments, console)
    if not arguments.quiet and arguments.format != "json":
        console.err(elements_text(program, arguments.settings, arguments.header))
        console.err("".join(f"Persons: {said}.\n" for said in statement.counted))
    if arguments.explain_plan:
        _tell_plan(typed, statement, data, arguments, console)
    from duetpy.runtime.release.endings import CHARGED, DRAWN, DRAWN_AND_CHARGED, AfterNoise, Spent
    from duetpy.runtime.release.run import run as release_result
    from duetpy.valuation import without_paths

    if arguments.engine != "threads":
        import logging

        # Dask reports workers that end, with tracebacks, on standard error, also after the run; and one row may end a worker.
        logging.disable()
    console.heed()
    try:
        with nullcontext() if arguments.quiet else console.waiting("running"):
            release = release_result(
                typed,
                data,
                without_paths(typed.type, arguments.settings),
                on_bad_row=arguments.on_bad_row,
                header=arguments.header,
                missing=arguments.missing,
                insecure_noise=arguments.insecure_noise,
                delta=arguments.delta,
                engine=arguments.engine,
                trust=arguments.trust,
                ledger=arguments.ledger,
                memory=arguments.memory,
                stream=arguments.stream,
            )
    except DuetError as error:
        if console.interrupted and _is_fault(error.diagnostics):
            return _interrupted(getattr(error, "__notes__", []), arguments, console)
        is_charged = isinstance(error, Spent)
        if isinstance(error, AfterNoise):
            meaning = DRAWN_AND_CHARGED if is_charged else DRAWN
            return _refuse(error.diagnostics, arguments, console, f"nothing was released, but {meaning}\n", meaning)
        if is_charged:
            return _refuse(error.diagnostics, arguments, console, f"nothing was released; {CHARGED}\n", CHARGED)
        return _refuse(error.diagnostics, arguments, console)
    except KeyboardInterrupt as stop:
        return _interrupted(getattr(stop, "__notes__", []), arguments, console)
    meaning = DRAWN if arguments.ledger is None else DRAWN_AND_CHARGED
    try:
        console.if_lost = partial(_if_lost, release, arguments)
        code = _release(release, target, arguments, console)
        if report is not None:
            write_report(report, release, program, arguments, console)
        if plot is not None:
            write_plot(plot, release, console)
        return code
    except KeyboardInterrupt:
        return _interrupted([meaning], arguments, console)
    except Exception:
        # What it says may hold what was released, which was not shown whole.
        if console.interrupted:
            return _interrupted([meaning], arguments, console)
        console.err(_fault_line(meaning))
        return FAULT


def _interrupted(notes: Sequence[str], arguments: argparse.Namespace, console: Console) -> NoReturn:
    for note in notes:
        console.err(f"\n{note}")
    if arguments.ledger is not None and not notes:
        console.err(MAYBE_CHARGED)
    raise KeyboardInterrupt


def _fault_line(meaning: str) -> str:
    return FAULT_LINE.replace(NOTHING_SHOWN, f"{meaning}; {NOTHING_SHOWN}") if meaning else FAULT_LINE


# ---------------------------------------------------------------------------------------------------------------------
# The command line


def _memory(text: str) -> int:
    from duetpy.runtime.values.memory import parse_size

    try:
        return parse_size(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _markers(text: str) -> tuple[str, ...]:
    from duetpy.runtime.sources.reading import markers_of

    try:
        return tuple(sorted(markers_of(text.split(","))))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _engine(text: str) -> str:
    from duetpy.runtime.engines.addresses import parse_address

    kind, separator, address = text.partition(":")
    if text != "threads" and kind != "dask":
        raise argparse.ArgumentTypeError(f"invalid choice: {text!r} (choose from 'threads', 'dask', 'dask:ADDRESS')")
    if separator:
        try:
            parse_address(address)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _insecure(text: str) -> int | Literal["none"]:
    if text == "none":
        return "none"
    if text.isascii() and text.isdigit() and len(text) <= 40:
        return int(text)
    raise argparse.ArgumentTypeError(f"'{text}' is neither 'none' nor a seed (a natural number)")


def _data(program: Program, arguments: argparse.Namespace) -> dict[str | None, object]:
    """What ``--data`` binds, by parameter; ends with 2 where it is malformed or names no parameter of the program."""
    from duetpy.diagnostics.display import visible
    from duetpy.runtime.sources.column_selection import parse_data_argument
    from duetpy.runtime.sources.problems import STANDARD_INPUT
    from duetpy.settings import SettingError, or_else, resolve
    from duetpy.typecheck.persons import files_by_name
    from duetpy.valuation import declared

    parser: argparse.ArgumentParser = arguments.parser
    known = None if program.typed is None or program.typed.type is None else declared(program.typed.type).arguments
    files = files_by_name(known or {})
    found: dict[str | None, object] = {}
    for text in arguments.data:
        try:
            argument = parse_data_argument(text, os.path.exists)
            name = argument.name
            if name is not None and known is not None:
                name = resolve(name, known) or resolve(name, files)
                if name is None:
                    given = argument.name or ""
                    hint = f"{or_else(given, known)}; {_offered([*known, *files])}"
                    parser.error(f"argument --data: unknown name {visible(given)}{hint}")
        except (SettingError, ValueError) as error:
            parser.error(f"argument --data: {error}")
        if name in found:
            parser.error(f"argument --data: {visible(name)} is given twice" if name else "argument --data: give names")
        if argument.path == arguments.file == STANDARD_INPUT:
            parser.error("argument --data: standard input is the program already")
        found[name] = argument
    # Of a program that is refused, nobody knows the files: the refusal is what is to be said.
    return found if known is None else _identified(found, files, arguments)


def _identified(
    found: dict[str | None, object], files: Mapping[str, tuple[str, str]], arguments: argparse.Namespace
) -> dict[str | None, object]:
    """The same, with the columns of identifiers that ``--id`` names; ends with 2 where it names no file that was given."""
    from duetpy.diagnostics.display import visible
    from duetpy.runtime.sources.persons import Identified
    from duetpy.settings import SettingError, resolve
    from duetpy.typecheck.persons import names_of_file

    parser: argparse.ArgumentParser = arguments.parser
    for text in arguments.id:
        given, equals, column = text.partition("=")
        if not equals or not given or not column:
            parser.error(f"argument --id: {visible(text)} is not FILE=COLUMN")
        try:
            name = resolve(given, files)
        except SettingError as error:
            parser.error(f"argument --id: {error}")
        same = [] if name is None else [each for each in names_of_file(files[name], files) if each in found]
        if not same:
            called = f"files of persons are called {' or '.join(map(visible, files))}, as in --data"
            hint = called if files else "the program has no table of persons"
            parser.error(f"argument --id: no data is given for a file of persons called {visible(given)}; {hint}")
        if isinstance(found[same[0]], Identified):
            parser.error(f"argument --id: {visible(given)} is given twice")
        found[same[0]] = Identified(found[same[0]], column)
    return found


def _offered(names: Iterable[str]) -> str:
    from duetpy.diagnostics.display import visible

    return f"the names are {', '.join(visible(name) for name in names)}"


# ---------------------------------------------------------------------------------------------------------------------
# What is reported


def _tell(diagnostics: Iterable[Diagnostic], arguments: argparse.Namespace, console: Console) -> None:
    """Diagnostics go to standard error, as text or, if the result is JSON, as one line of it."""
    told = tuple(diagnostics)
    if arguments.format == "json":
        from duetpy.diagnostics.as_json import diagnostic_value

        if told:
            console.err_json({"program": arguments.file, "diagnostics": [diagnostic_value(each) for each in told]})
        return
    console.refuse(told)


def _tell_plan(
    typed: Typed,
    statement: Statement,
    data: Mapping[str | None, object],
    arguments: argparse.Namespace,
    console: Console,
) -> None:
    """The plan goes where diagnostics go, in the same form."""
    from duetpy.report.run_plan import plan_lines, ways_of_reading
    from duetpy.runtime.sources.reading import Reading

    private = [parameter.name for parameter in statement.parameters if parameter.private]
    # A source without a name is that of the only private table.
    named = {name if name is not None else ", ".join(private): source for name, source in data.items()}
    sources = {name: str(getattr(source, "path", "")) for name, source in named.items()}
    kinds = statement.values.kinds
    reading = Reading(arguments.on_bad_row, arguments.header, memory=arguments.memory, streams=arguments.stream)
    ways = ways_of_reading(typed, named, kinds, reading)
    lines = plan_lines(typed, sources, arguments.engine, kinds, ways)
    if arguments.format == "json":
        console.err_json({"program": arguments.file, "plan": lines})
    else:
        console.err("".join(f"{line}\n" for line in lines))


def _refuse(
    diagnostics: Iterable[Diagnostic],
    arguments: argparse.Namespace,
    console: Console,
    end: str = NOTHING_DONE,
    meaning: str = "",
) -> int:
    """Tell why there is no release, and what that means for the budget: at the end of a text, and in the line of a fault."""
    told = tuple(diagnostics)
    if _is_fault(told):
        console.err(_fault_line(meaning))
        return FAULT
    _tell(told, arguments, console)
    if arguments.format != "json":
        console.err(end)
    return REFUSED


def _is_fault(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(diagnostic.code == INTERNAL for diagnostic in diagnostics)


def _release(release: Release, target: Path | None, arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.report.release_text import (
        data_text,
        ledger_text,
        privacy_text,
        quiet_text,
        releases_text,
        result_text,
        warnings_value,
    )

    shown = arguments.format if target is None else ENDINGS[target.suffix.lower()]
    on_terminal = target is None and console.is_terminal
    result = ""
    if shown == "json":
        result = release.to_json(ascii_only=target is None and console.ascii) + "\n"
    elif shown == "html":
        from duetpy.report.run_page import result_page

        result = result_page(release)
    elif shown != "parquet":
        as_csv = shown == "csv" or (target is None and not on_terminal)
        lay = console.results_laid_out() if on_terminal else None
        result = result_text(release, as_csv=as_csv, errors=arguments.verbose, on_terminal=on_terminal, lay=lay)
    report = ""
    if arguments.quiet and arguments.format != "json":
        report = quiet_text(release)
    elif arguments.format != "json":
        details = releases_text(release) if arguments.verbose else ""
        report = data_text(release) + privacy_text(release) + details + ledger_text(release)
    if target is None:
        console.out_exact(result)
    elif shown == "parquet":
        console.file(target, release.write_parquet)
    else:
        # As on the streams: a name that is not UTF-8 is shown by its number, and must not lose what was charged.
        console.file(target, partial(Path.write_text, data=result, encoding="utf-8", errors="backslashreplace"))
    if not console.failed:
        # Of a result that nobody can see, nothing is said to be protected.
        console.err(report)
        if arguments.format == "json" and (warned := warnings_value(release)):
            console.err_json({"program": arguments.file, "warnings": warned})
    return DONE


def _if_lost(release: Release, arguments: argparse.Namespace) -> str:
    """What is reported if the output of a run could not be written."""
    from duetpy.diagnostics.error import DuetError
    from duetpy.ledger.store import Ledger

    facts = release.ledger
    if facts is None:
        return ""
    if facts["replayed"]:
        return SHOWN_AGAIN
    try:
        is_kept = Ledger(arguments.ledger).state().is_kept(facts["entry"])
    except DuetError:
        is_kept = False
    return IF_LOST + (SHOWN_AGAIN if is_kept else LOST)
