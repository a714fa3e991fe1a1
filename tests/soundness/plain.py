"""Plain values: what expressions mean, without anything of the machine that computes them.

Numbers are ``int`` (ℕ, 𝕀) and ``Fraction`` (ℝ, 𝔻; a ``float`` where a root or a logarithm made it irrational), truth values
``bool``, strings ``str``, pairs of both sorts two-element tuples, sets ``frozenset``, functions Python functions, and boxes
what is in them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias, Union

from attrs import field, frozen

Number: TypeAlias = int | Fraction | float
Value: TypeAlias = Union[
    bool, int, Fraction, float, str, "tuple[Any, ...]", "frozenset[Any]", "Table", "Left", "Right", Callable[[Any], Any]
]


@frozen
class Left:
    value: Any


@frozen
class Right:
    value: Any


@frozen
class Table:
    """A matrix: its rows in order. A table may have no rows, and then still has columns.

    Parameters
    ----------
    once
        A row that it could have, where it has none.
    """

    rows: tuple[tuple[Any, ...], ...]
    width: int
    names: tuple[str | None, ...] | None = field(default=None, eq=False)
    once: tuple[Any, ...] | None = field(default=None, eq=False, repr=False)

    def with_rows(self, rows: tuple[tuple[Any, ...], ...]) -> Table:
        return Table(rows, self.width, self.names, self.a_row)

    @property
    def a_row(self) -> tuple[Any, ...] | None:
        """One of its rows, or one that it could have, if that is known."""
        return self.rows[0] if self.rows else self.once
