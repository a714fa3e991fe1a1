"""Pictures, drawn by matplotlib where it is installed: written to a file, or shown in a notebook."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

from duetpy.diagnostics.display import visible

MISSING = "plots need matplotlib: pip install 'duetpy[plot]'"


class Unplottable(ValueError):
    """Nothing can be drawn; the text says why and what to do."""


class Picture:
    """A picture; a notebook shows it below the cell that it is the value of.

    Attributes
    ----------
    figure
        The ``matplotlib.figure.Figure``, for changes of your own.
    """

    def __init__(self, figure: Any) -> None:
        self.figure = figure

    def __repr__(self) -> str:
        width, height = self.figure.get_size_inches()
        return f"<Picture {width:g} × {height:g} inches>"

    def save(self, path: Path | str) -> None:
        """Write the picture to a file, whose ending says how: ``.svg`` or ``.png``; raises `OSError` if it cannot be written."""
        is_svg = Path(path).suffix.lower() == ".svg"
        with _settings():
            self.figure.savefig(path, metadata={"Date": None} if is_svg else None)

    def _repr_svg_(self) -> str:
        written = StringIO()
        with _settings():
            self.figure.savefig(written, format="svg", metadata={"Date": None})
        return written.getvalue()


def canvas(width: float, height: float) -> Any:
    """An empty figure of a size in inches; raises `Unplottable` without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise Unplottable(MISSING) from None
    return Figure(figsize=(width, height), layout="constrained")


def plain(text: str) -> str:
    """A text that matplotlib shows as it is: a dollar sign would begin a formula."""
    return visible(text).replace("$", r"\$")


@contextmanager
def _settings() -> Iterator[None]:
    """The same picture gives the same file, on machines with other letters too; a letter that the font lacks is a box, which can be
    seen and needs no warning."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "duetpy", "svg.fonttype": "path"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        yield
