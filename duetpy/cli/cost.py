"""``duetpy cost FILE``: the same program in every notion, side by side, and its trade-off curves as a picture."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from duetpy.cli.check import opened
from duetpy.cli.console import Console
from duetpy.cli.options import add_format, add_settings

if TYPE_CHECKING:
    from duetpy.report.comparison import Comparison

DONE, REFUSED = 0, 1

PICTURES = (".svg", ".png")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a program; - is standard input")
    add_settings(parser)
    add_format(parser)
    parser.add_argument(
        "--plot",
        type=_picture,
        metavar="OUT.svg",
        help="plot δ(ε) and the trade-off curve of each privacy unit to an .svg or .png file (needs duetpy[plot])",
    )
    parser.epilog = "example: duetpy cost gd.zcdp.duet --set m=569 --set n=30 --set k=50 --set rho=0.02 --delta 1e-6"


def _picture(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() not in PICTURES:
        raise argparse.ArgumentTypeError(f"'{text}' must end in .svg or .png")
    return path


def run(arguments: argparse.Namespace, console: Console) -> int:
    from duetpy.settings import SettingError

    parser: argparse.ArgumentParser = arguments.parser
    program = opened(arguments)
    try:
        found = program.compare(arguments.settings, arguments.delta)
    except SettingError as error:
        parser.error(f"argument --set: {error}")
    if found.ok and arguments.plot is not None and not _plotted(found, arguments.plot, console):
        return REFUSED
    _tell(found, arguments.format, console)
    return DONE if found.ok else REFUSED


def _tell(found: Comparison, form: str, console: Console) -> None:
    from duetpy.report.comparison import comparison_text, comparison_value

    if form == "json":
        console.json(comparison_value(found))
        return
    console.refuse(found.diagnostics)
    if found.ok:
        console.out(comparison_text(found))


def _plotted(found: Comparison, path: Path, console: Console) -> bool:
    """Draw the curves; False, with the reason told, where that is not possible."""
    from duetpy.report.plot import Unplottable, plot

    try:
        plot(found, path)
    except Unplottable as reason:
        console.err(f"error: {reason}\n")
        return False
    return True
