"""``duetpy schema DATA``: a draft of a program's data types, for the person who holds the data."""

from __future__ import annotations

import argparse

from duetpy.cli.console import Console
from duetpy.cli.options import add_format

DONE, REFUSED = 0, 1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "data",
        metavar="DATA",
        help="a CSV file (also .tsv, .csv.gz, - for standard input); it is read, so the draft is as private as its rows",
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
    from duetpy.report.schema import PRIVATE, schema_text, schema_value
    from duetpy.runtime.sources.survey import survey

    try:
        found = survey(arguments.data, arguments.header)
    except DuetError as error:
        if arguments.format == "json":
            for diagnostic in error.diagnostics:
                console.err_json({"file": arguments.data, "diagnostics": [diagnostic_value(diagnostic)]})
        else:
            console.refuse(error.diagnostics)
        return REFUSED
    console.err(f"duetpy: {PRIVATE}\n")
    if arguments.format == "json":
        console.json(schema_value(arguments.data, found))
    else:
        console.out(schema_text(visible(arguments.data), found))
    return DONE
