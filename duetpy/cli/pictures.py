"""``--plot OUT.svg``: a picture of what a command found."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from duetpy.cli.console import Console

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duetpy.report.comparison import Comparison
    from duetpy.report.picture import Picture

PICTURES = (".svg", ".png")
DONE, REFUSED, UNWRITTEN = 0, 1, 70


CURVES = "δ(ε) and the trade-off curve of each privacy unit"


def add_plot(parser: argparse.ArgumentParser, shown: str = CURVES) -> None:
    """``--plot``."""
    parser.add_argument(
        "--plot",
        type=_picture,
        metavar="OUT.svg",
        help=f"plot {shown} to an .svg or .png file (needs duetpy[plot])",
    )


def _picture(text: str) -> Path:
    from pathlib import Path

    path = Path(text)
    if path.suffix.lower() not in PICTURES:
        raise argparse.ArgumentTypeError(f"'{text}' must end in .svg or .png")
    return path


def plotted(draw: Callable[[], Picture], path: Path, console: Console) -> int:
    """Draw a picture into a file and return the exit code; if that is not possible, report why."""
    from duetpy.report.picture import Unplottable

    try:
        picture = draw()
    except Unplottable as reason:
        console.err(f"error: {reason}\n")
        return REFUSED
    return DONE if console.file(path, picture.save) else UNWRITTEN


def curves_plotted(found: Comparison, path: Path, console: Console) -> int:
    """The same of the privacy curves of a program."""
    from duetpy.report.plot import curves

    return plotted(lambda: curves(found), path, console)
