"""``duetpy cost FILE``: the same program in every notion, side by side, and its trade-off curves as a picture."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from duetpy.cli.check import opened
from duetpy.cli.console import Console
from duetpy.cli.options import add_format, add_settings
from duetpy.cli.pictures import add_plot, curves_plotted

if TYPE_CHECKING:
    from duetpy.report.comparison import Comparison

DONE, REFUSED = 0, 1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a program; - is standard input")
    add_settings(parser)
    add_format(parser)
    add_plot(parser)
    parser.add_argument(
        "--estimates",
        action="store_true",
        help="also show estimates of ε from the literature (central limit, Edgeworth expansions), which guarantee nothing",
    )
    parser.epilog = "example: duetpy cost gd.zcdp.duet --set m=569 --set n=30 --set k=50 --set rho=0.02 --delta 1e-6"


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.settings import SettingError

    parser: argparse.ArgumentParser = arguments.parser
    program = opened(arguments, console)
    try:
        found = program.compare(arguments.settings, arguments.delta)
    except SettingError as error:
        parser.error(f"argument --set: {error}")
    if found.ok and arguments.plot is not None and (code := curves_plotted(found, arguments.plot, console)):
        return code
    _tell(found, arguments, console)
    return DONE if found.ok else REFUSED


def _tell(found: Comparison, arguments: argparse.Namespace, console: Console) -> None:
    from duetpy.report.comparison import INDENT, comparison_text, comparison_value
    from duetpy.report.estimates import estimated, estimates_text, estimates_value

    guesses = estimated(found) if arguments.estimates else ()
    if arguments.format == "json":
        console.json(comparison_value(found) | ({"estimates": estimates_value(guesses)} if arguments.estimates else {}))
        return
    console.refuse(found.diagnostics)
    if found.ok:
        console.out(
            comparison_text(found, console.answers_laid_out(INDENT), console.out_palette) + estimates_text(guesses)
        )
