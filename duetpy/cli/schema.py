"""``duetpy schema DATA…``: a draft of a program on files, for the person who holds the data."""

from __future__ import annotations

import argparse

from duetpy.cli.console import Console
from duetpy.cli.options import add_format

DONE, REFUSED = 0, 1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        metavar="DATA",
        nargs="+",
        help="CSV files (also .tsv, .csv.gz, - for standard input); they are read, so the draft is as private as their rows",
    )
    parser.add_argument(
        "--header", choices=("auto", "yes", "no"), default="auto", help="whether the file has a header row"
    )
    add_format(parser)
    parser.epilog = "example: duetpy schema people.csv > mean.eps.duet"


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.diagnostics.as_json import diagnostic_value
    from duetpy.diagnostics.display import visible
    from duetpy.diagnostics.error import DuetError
    from duetpy.loading import STANDARD_INPUT
    from duetpy.report.schema import PRIVATE, program, schema_text, schema_value, tables_of
    from duetpy.runtime.sources.survey import survey

    parser: argparse.ArgumentParser = arguments.parser
    paths: list[str] = arguments.data
    if paths.count(STANDARD_INPUT) > 1:
        parser.error("standard input can be read only once")
    found = []
    for path in paths:
        try:
            found.append(survey(path, arguments.header))
        except DuetError as error:
            if arguments.format == "json":
                for diagnostic in error.diagnostics:
                    console.err_json({"file": path, "diagnostics": [diagnostic_value(diagnostic)]})
            else:
                console.refuse(error.diagnostics)
            return REFUSED
    console.err(f"duetpy: {PRIVATE}\n")
    if arguments.format == "text":
        console.out_as_laid_out(schema_text([visible(path) for path in paths], found))
        return DONE
    whole = program(tables_of(paths, found))
    for path, looked in zip(paths, found, strict=True):
        console.json(schema_value(path, looked, whole))
    return DONE
