"""Random samples of rows for several turns of a loop together: a table that is read again is read once for all of them.

Contract. Which rows a sample has does not depend on their cells, nor on what was released before. So the samples of the next
turns may be drawn before these begin, and each is as good as one that is drawn in its turn. How many are drawn together depends
on sizes alone, and is the same whether the rows are kept or not: a run releases the same either way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil

import numpy as np
from attrs import define, field

from duetpy.runtime.evaluation.rows import Tables, rows_at
from duetpy.runtime.values.batching import Index, slice_rows
from duetpy.runtime.values.values import MatrixValue
from duetpy.typecheck import core

CELLS_AHEAD = 1 << 19
"""Samples of so many cells together are drawn at once."""


def samples_ahead(turns: int, rows: Fraction | int, width: int) -> int:
    """For how many of the next turns samples are drawn at once, of so many rows each, in tables that are so wide together."""
    return max(1, min(turns, CELLS_AHEAD // max(1, ceil(rows) * width)))


@define(eq=False, repr=False)
class Ahead:
    """Samples for the next turns, the last one first.

    Parameters
    ----------
    of
        The number of rows that were drawn from, and what says how many are drawn.
    places
        The places of the rows of each sample.
    tables, samples
        The tables that are read again, and the rows of each sample; no samples where a turn looks up its own.
    draws_each, looks_up_each
        Whether samples were drawn, or looked up, that no turn could use, as the next one was about tables of other sizes, or about
        other tables: then each turn draws, or looks up, its own.
    """

    of: tuple[int, Fraction]
    places: list[Index] = field(factory=list)
    tables: Tables = ()
    samples: list[Tables] = field(factory=list)
    draws_each: bool = False
    looks_up_each: bool = False


@define(eq=False, repr=False)
class Samples:
    """The samples that a run has drawn for later turns, by the form that takes them."""

    _ahead: dict[core.Sample, Ahead] = field(factory=dict, init=False)

    def places(self, node: core.Sample, of: tuple[int, Fraction], turns: int, draw: Callable[[], Index]) -> Index:
        """The places of the rows of the next sample.

        Parameters
        ----------
        node
            The form.
        of
            How many rows there are, and what says how many are drawn.
        turns
            For how many turns samples are drawn, if no samples are left.
        draw
            Draws a sample.
        """
        known = self._ahead.setdefault(node, Ahead(of))
        if known.of != of or not known.places:
            known.draws_each |= bool(known.places)
            known.of, known.samples = of, []
            known.places = [draw() for _ in range(1 if known.draws_each else turns)][::-1]
        return known.places.pop()

    def rows(self, node: core.Sample, tables: Sequence[MatrixValue], index: Index, most: int) -> Sequence[MatrixValue]:
        """The rows at the places that were taken last; those of tables that are read again are looked up with the rows of later
        turns, as long as these are turns of the same tables.
        """
        known = self._ahead[node]
        if known.samples and all(one is other for one, other in zip(known.tables, tables, strict=True)):
            return known.samples.pop()
        known.looks_up_each |= bool(known.samples)
        known.samples = []
        if known.looks_up_each or not known.places or not any(table.is_streamed for table in tables):
            return rows_at(tables, index, most)
        wanted = [*known.places, index]
        found = rows_at(tables, np.concatenate(wanted), most)
        ends = np.cumsum([len(each) for each in wanted]).tolist()
        each = zip([0, *ends], ends, strict=False)
        known.tables = tuple(tables)
        known.samples = [tuple(slice_rows(table, start, stop) for table in found) for start, stop in each]
        return known.samples.pop()
