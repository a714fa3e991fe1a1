"""``duetpy calibrate FILE --budget … --vary NAME``: the value of a public number that meets a budget or an error."""

from __future__ import annotations

import argparse
from pathlib import Path

from duetpy.cli.check import opened
from duetpy.cli.console import Console
from duetpy.cli.options import add_format, add_settings, budget, error
from duetpy.cli.pictures import add_plot, plotted

DONE, REFUSED = 0, 1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a program; - is standard input")
    limit = parser.add_mutually_exclusive_group(required=True)
    limit.add_argument(
        "--budget",
        type=budget,
        metavar="epsilon=E,delta=D",
        help="the budget of each privacy unit: epsilon=1,delta=1e-6, epsilon=1 (pure), rho=0.5 or mu=1",
    )
    limit.add_argument(
        "--error",
        type=error,
        metavar="E[@LINE]",
        help="the error that released numbers may have in 95 of 100 runs: all of them, or those at a line of the program; finds "
        "the most private value",
    )
    limit.add_argument("--ledger", type=Path, metavar="PATH", help="spend all that is left of this ledger")
    parser.add_argument("--vary", required=True, metavar="NAME", help="the size or parameter to find, such as ε or k")
    add_settings(parser, delta=False)
    add_format(parser)
    add_plot(parser, "the error of each release against NAME")
    parser.epilog = (
        "examples: duetpy calibrate gd.zcdp.duet --budget epsilon=1,delta=1e-6 --vary rho --set k=50\n"
        "          duetpy calibrate mean.eps.duet --error 0.5 --vary eps --set m=1000"
    )


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.diagnostics.as_json import diagnostic_value
    from duetpy.diagnostics.error import DuetError
    from duetpy.ledger.store import left_of
    from duetpy.report.calibration import calibration_text, calibration_value
    from duetpy.settings import SettingError

    parser: argparse.ArgumentParser = arguments.parser
    program = opened(arguments, console)
    try:
        given = arguments.budget or arguments.error
        limit = given if arguments.ledger is None else left_of(arguments.ledger, program.typed)
        found = program.calibrate(limit, arguments.vary, arguments.settings)
    except SettingError as error:
        parser.error(str(error))
    except DuetError as refusal:
        if arguments.format == "json":
            told = [diagnostic_value(diagnostic) for diagnostic in refusal.diagnostics]
            console.json({"vary": arguments.vary, "value": None, "diagnostics": told})
        else:
            console.refuse(refusal.diagnostics)
        return REFUSED
    if arguments.plot is not None and (code := plotted(found.plot, arguments.plot, console)):
        return code
    if arguments.format == "json":
        console.json(calibration_value(found))
    else:
        console.out(calibration_text(found, of_ledger=arguments.ledger is not None))
    return DONE
