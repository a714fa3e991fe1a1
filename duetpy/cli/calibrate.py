"""``duetpy calibrate FILE --budget … --vary NAME``: the value of a public number that meets a budget."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from duetpy.cli.check import refuse_unknown_names
from duetpy.cli.console import Console
from duetpy.cli.options import add_settings

if TYPE_CHECKING:
    from duetpy.accounting.budget import Budget

DONE, REFUSED = 0, 1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a program; - is standard input")
    limit = parser.add_mutually_exclusive_group(required=True)
    limit.add_argument(
        "--budget",
        type=_budget,
        metavar="epsilon=E,delta=D",
        help="the budget of each privacy unit: epsilon=1,delta=1e-6, epsilon=1 (pure), rho=0.5 or mu=1",
    )
    limit.add_argument("--ledger", type=Path, metavar="PATH", help="spend all that is left of this ledger")
    parser.add_argument("--vary", required=True, metavar="NAME", help="the size or parameter to find, such as ε or k")
    add_settings(parser, delta=False)
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="text (the default) or one JSON object"
    )
    parser.epilog = "example: duetpy calibrate gd.zcdp.duet --budget epsilon=1,delta=1e-6 --vary rho --set k=50"


def _budget(text: str) -> Budget:
    from duetpy.accounting.budget import parse_budget
    from duetpy.settings import SettingError

    try:
        return parse_budget(text)
    except SettingError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.diagnostics.as_json import diagnostic_value
    from duetpy.diagnostics.diagnostic import DuetError
    from duetpy.diagnostics.text import render
    from duetpy.ledger.store import left_of
    from duetpy.program import open_program
    from duetpy.report.calibration import calibration_text, calibration_value
    from duetpy.settings import SettingError

    parser: argparse.ArgumentParser = arguments.parser
    program = open_program(arguments.file, arguments.notion, "command line")
    refuse_unknown_names([program], arguments)
    try:
        budget = arguments.budget if arguments.ledger is None else left_of(arguments.ledger)
        found = program.calibrate(budget, arguments.vary, arguments.settings)
    except SettingError as error:
        parser.error(str(error))
    except DuetError as refusal:
        if arguments.format == "json":
            told = [diagnostic_value(diagnostic) for diagnostic in refusal.diagnostics]
            console.json({"vary": arguments.vary, "value": None, "diagnostics": told})
        else:
            for diagnostic in refusal.diagnostics:
                console.err(render(diagnostic, console.palette) + "\n")
        return REFUSED
    if arguments.format == "json":
        console.json(calibration_value(found))
    else:
        console.out(calibration_text(found, of_ledger=arguments.ledger is not None))
    return DONE
