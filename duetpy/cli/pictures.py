"""``--plot OUT.svg``: the privacy curves of a program as a picture."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from duetpy.cli.console import Console

if TYPE_CHECKING:
    from pathlib import Path

    from duetpy.report.comparison import Comparison

PICTURES = (".svg", ".png")


def add_plot(parser: argparse.ArgumentParser) -> None:
    """``--plot``."""
    parser.add_argument(
        "--plot",
        type=_picture,
        metavar="OUT.svg",
        help="plot δ(ε) and the trade-off curve of each privacy unit to an .svg or .png file (needs duetpy[plot])",
    )


def _picture(text: str) -> Path:
    from pathlib import Path

    path = Path(text)
    if path.suffix.lower() not in PICTURES:
        raise argparse.ArgumentTypeError(f"'{text}' must end in .svg or .png")
    return path


def plotted(found: Comparison, path: Path, console: Console) -> bool:
    """Draw the curves; False, with the reason told, where that is not possible."""
    from duetpy.report.plot import Unplottable, plot

    try:
        plot(found, path)
    except Unplottable as reason:
        console.err(f"error: {reason}\n")
        return False
    return True
