"""``duetpy audit FILE``: try to refute what ``check`` proves about a program, on data that is made up."""

from __future__ import annotations

import argparse

from duetpy.cli.check import opened
from duetpy.cli.console import Console
from duetpy.cli.options import add_format, add_settings

DONE, REFUSED = 0, 1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a program; - is standard input")
    add_settings(parser, delta=False)
    parser.add_argument(
        "--trials",
        type=_trials,
        default=1000,
        metavar="N",
        help="number of pairs of neighbours, and of runs with noise; samples have 1,000 times as many values "
        "(default: 1000)",
    )
    add_format(parser)
    parser.epilog = "example: duetpy audit mean.eps.duet --set eps=0.5; exits with 1 if it finds a violation"


def _trials(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not 10 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError("expected a number from 10 to 100000")
    return int(text)


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.audit.findings import Audit
    from duetpy.diagnostics.error import DuetError
    from duetpy.report.audit_report import audit_text, audit_value
    from duetpy.settings import SettingError

    parser: argparse.ArgumentParser = arguments.parser
    program = opened(arguments, console)
    try:
        found = program.audit(arguments.settings, arguments.trials)
    except SettingError as error:
        parser.error(str(error))
    except DuetError as refusal:
        found = Audit(program.name, (), diagnostics=refusal.diagnostics)
    if arguments.format == "json":
        console.json(audit_value(found))
    else:
        console.refuse((*found.diagnostics, *found.violations))
        if not found.diagnostics:
            console.out(audit_text(found))
    return REFUSED if found.diagnostics or found.violations else DONE
