"""What is proved about a program, as Python sees it: the names of a statement, its line and its page in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from duetpy.report.by_name import ByName

if TYPE_CHECKING:
    from fractions import Fraction

    from duetpy.diagnostics.diagnostic import Diagnostic
    from duetpy.report.comparison import Comparison
    from duetpy.report.picture import Picture
    from duetpy.report.verdict import Parameter, Statement


class Proved:
    """A value with a `statement`, which says by name what is proved."""

    if TYPE_CHECKING:
        statement: Statement

        def _compared(self, delta: float | Fraction | str | None, values: Mapping[str, object]) -> Comparison: ...

    def __repr__(self) -> str:
        from duetpy.report.displays import statement_line

        return f"<{type(self).__name__} {statement_line(self.statement)}>"

    def _repr_html_(self) -> str:
        from duetpy.report.displays import statement_html

        return statement_html(self.statement)

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """What is proved about each parameter, by name."""
        return ByName({parameter.name: parameter for parameter in self.statement.parameters})

    @property
    def type(self) -> str:
        """The type of the program's value, in the language's own spelling; side conditions follow a bar."""
        return self.statement.type or ""

    @property
    def result(self) -> str:
        """The type of the program's result, given all its arguments."""
        return self.statement.result or ""

    @property
    def requires(self) -> tuple[str, ...]:
        """Side conditions on the public numbers, which a run verifies."""
        return self.statement.requires

    @property
    def notion(self) -> str:
        """The notion of privacy: eps, approx, renyi, zcdp, tcdp, gdp or rao."""
        return self.statement.notion.value

    @property
    def neighbours(self) -> str:
        """How neighbouring inputs differ: replace-one, add-remove, add-remove-person, replace-person, step or mixed."""
        return self.statement.neighbours

    @property
    def releases(self) -> list[dict[str, object]]:
        """Where noise is added, and how much: `releases` in the JSON of ``check``."""
        return self.statement.released()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The warnings."""
        return self.statement.diagnostics

    def plot(self, delta: float | Fraction | str | None = None, **values: object) -> Picture:
        """A picture of δ(ε) and of the trade-off curve of each privacy unit. A notebook shows it; ``save("x.svg")`` writes it, and
        ``figure`` is the matplotlib figure.

        Parameters
        ----------
        delta, **values
            As for `compare`; every number that a cost mentions is needed.

        Raises
        ------
        DuetError
            If a side condition fails for the numbers.
        ValueError
            Without matplotlib, if a number is missing or not valid, or if nothing is protected.
        """
        from duetpy.report.plot import curves

        return curves(self._compared(delta, values))
