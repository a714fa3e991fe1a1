"""What a run made public."""

from __future__ import annotations

from importlib import import_module
from os import PathLike, fspath
from typing import Any, Literal, Protocol

from attrs import field, frozen

from duetpy.by_value import ByValue
from duetpy.diagnostics.display import json_text, visible
from duetpy.runtime.release.result_table import Errors, Shape, Table, column_cells
from duetpy.typecheck.cost import Cost


class Display(Protocol):
    """How a release is shown. Nothing above may be imported here, so whoever hands a release to a person gives it one."""

    def line(self, release: Release) -> str: ...

    def html(self, release: Release) -> str: ...

    def plot(self, release: Release) -> Any: ...


@frozen(eq=False, repr=False)
class Paid(ByValue):
    """What one change of one person costs: the parameters that it changes, how, and the cost of all of that together."""

    parameters: tuple[str, ...]
    neighbours: str
    cost: Cost


@frozen(repr=False)
class Release:
    """What a run made public.

    Parameters
    ----------
    program
        The program's name.
    result
        The value in plain Python: numbers, truth values and texts; a record as a dictionary, a matrix as a list of rows, a
        pair as a tuple, a set as a list.
    privacy
        The privacy cost, and what it protects; if the noise is insecure, that nothing is ``protected``, and no numbers.
    releases
        The mechanisms that ran, in the order of the text.
    data
        What was read: rows (None if their number is private), columns, and what was done with bad rows.
    noise
        ``secure``, or ``INSECURE`` if the noise was reproducible or left out.
    seconds
        How long the run took.
    ledger
        What a ledger was charged: its path and data set, the entry, ``charged`` and ``remaining`` by name, whether the release
        was ``replayed`` from it, and a ``receipt``. None without one.
    shape
        What the program calls the components of its result.
    errors
        How far off each of them may be; nothing if that is not known.
    paid
        What the people in the data are charged, one entry for all parameters that hold rows of the same ones.
    display
        How it is shown in one line and in a notebook.
    """

    program: str
    result: Any
    privacy: dict[str, Any]
    releases: list[dict[str, Any]]
    data: dict[str, dict[str, Any]]
    noise: Literal["secure", "INSECURE"]
    seconds: float
    ledger: dict[str, Any] | None = None
    shape: Shape | None = field(default=None, eq=False)
    errors: Errors = field(default=(), eq=False)
    paid: tuple[Paid, ...] = field(default=(), eq=False)
    display: Display | None = field(default=None, eq=False)

    def __repr__(self) -> str:
        return f"<Release of {visible(self.program) if self.display is None else self.display.line(self)}>"

    def _repr_html_(self) -> str | None:
        """For a notebook; nothing, so that it shows the line, of a release without a display."""
        return None if self.display is None else self.display.html(self)

    def plot(self) -> Any:
        """A picture of the numbers of the result, with error bars at 95 %. A notebook shows it; ``save("x.svg")`` writes it, and
        ``figure`` is the matplotlib figure.

        Raises
        ------
        ValueError
            Without matplotlib, or if the result has no column of numbers.
        """
        if self.display is None:
            raise ValueError("a release that no run made cannot be plotted")
        return self.display.plot(self)

    def to_json(self, indent: int | None = None, *, ascii_only: bool = False) -> str:
        """As printed by ``run --format json``; with ``ascii_only``, other letters are escaped."""
        shown = {
            "program": self.program,
            "result": self.result,
            "privacy": self.privacy,
            "releases": self.releases,
            "data": self.data,
            "noise": self.noise,
            "seconds": self.seconds,
            **({} if self.ledger is None else {"ledger": self.ledger}),
        }
        return json_text(shown, ascii_only=ascii_only, indent=indent)

    def table(self) -> Table:
        """The result as columns and rows, as printed by ``run --format csv``."""
        if self.shape is None:
            raise ValueError("a release that no run made has no names for its columns")
        return self.shape.table(self.result, self.errors)

    def to_pandas(self) -> Any:
        """The table of the result as a ``pandas.DataFrame``; raises `ImportError` if pandas is not installed."""
        return _library("pandas").DataFrame(column_cells(self.table()))

    def to_polars(self) -> Any:
        """The table of the result as a ``polars.DataFrame``; raises `ImportError` if Polars is not installed."""
        return _library("polars").DataFrame(column_cells(self.table()))

    def to_arrow(self) -> Any:
        """The table of the result as a ``pyarrow.Table``; raises `ImportError` if PyArrow is not installed."""
        return _library("pyarrow").table(column_cells(self.table()))

    def write_parquet(self, path: str | PathLike[str]) -> None:
        """Write `to_arrow` to a Parquet file, with everything else about the run as JSON in its metadata, under ``duetpy``; raises
        `ImportError` if PyArrow is not installed, `OSError` if the file cannot be written."""
        table = self.to_arrow().replace_schema_metadata({"duetpy": self.to_json(ascii_only=True)})
        _library("pyarrow.parquet").write_table(table, fspath(path))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ImportError(f"{name} is not installed: pip install {name}", name=name) from None
