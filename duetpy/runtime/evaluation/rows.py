"""The rows of tables in blocks, and tables whose rows are made of those of others when they are needed.

    RowFold ─▶ mclip ─▶ filter ─▶ xs         one pass over the blocks of xs: filter, clip and add each while it is in the cache

A map, a filter or a clip outside of row bodies gives a table with a recipe. Whoever goes over its rows has each block made of the
block of the table below, by the engine's worker that takes it. A table that is gone over a second time is made as a whole
first, and so is one that is asked for anything but its rows in order. Which of the two happens shows in time and memory only: what
is made of a row depends on that row alone. What is made of a table that is read again for each pass is made again, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from threading import Lock
from typing import Protocol, TypeAlias, TypeVar

import numpy as np
from attrs import define, field, frozen

from duetpy.runtime.engines import Engine, Fold
from duetpy.runtime.exact.rationals import Doubles, Numbers, plain
from duetpy.runtime.values.batching import Index, evolve_matrix, join_matrices, slice_rows, take_rows
from duetpy.runtime.values.streamed import CELLS_READ_AT_ONCE, Streamed, regrouped, sizes_within
from duetpy.runtime.values.values import MatrixValue, Value
from duetpy.typecheck import core

Total = TypeVar("Total")

ROWS_AT_ONCE = 1 << 16
"""Rows of a block, if these are narrow: so many that the fixed cost of a block is small, and few enough that a column stays in the
processor's cache."""

CELLS_AT_ONCE = 1 << 18
"""Cells of a block of wide rows."""


DEEPEST = 8
"""So many tables may wait for each other; a loop of maps must not nest as deep as it is long."""

Tables: TypeAlias = tuple[MatrixValue, ...]


class Step(Protocol):
    """What is made of a block of rows: a row for each, or those rows that it keeps."""

    @property
    def keeps_all(self) -> bool:
        """Whether it makes a row for each."""

    def of(self, tables: Tables) -> MatrixValue:
        """The rows made of the same rows of some tables."""


@frozen(eq=False, repr=False)
class OfRows:
    """What a kernel makes of each row of one table by itself, given what stands in brackets."""

    kernel: Callable[..., Value]
    brackets: tuple[object, ...]
    keeps_all: bool = field(default=True, init=False)

    def of(self, tables: Tables) -> MatrixValue:
        made = self.kernel(*tables, *self.brackets)
        assert isinstance(made, MatrixValue)
        return made


class Places(Protocol):
    """Which rows are kept."""

    def of(self, table: MatrixValue) -> Index:
        """Their places in a block that has rows."""


@frozen(eq=False, repr=False)
class Kept:
    """The rows of one table at the places that `places` finds."""

    places: Places
    keeps_all: bool = field(default=False, init=False)

    def of(self, tables: Tables) -> MatrixValue:
        (table,) = tables
        if not table.rows:
            return table
        index = self.places.of(table)
        return evolve_matrix(table, take_rows(table.store, index), len(index), None)


@frozen(eq=False, repr=False)
class Making:
    """How wanted tables are made of others, which are numbered: the results of `steps` are numbered on after these, and each says
    by their numbers what it is made of."""

    steps: tuple[tuple[Step, tuple[int, ...]], ...]
    wanted: tuple[int, ...]


def planned(tables: Tables) -> tuple[Tables, Making]:
    """The tables that are there, and how those that may have recipes are made of them."""
    bases: list[MatrixValue] = []
    derived: list[tuple[MatrixValue, Derived]] = []
    for table in _upwards(tables):
        recipe = table.recipe
        if isinstance(recipe, Derived):
            derived.append((table, recipe))
        else:
            bases.append(table)
    number = {id(table): at for at, table in enumerate([*bases, *(table for table, _ in derived)])}
    steps = tuple((recipe.step, tuple(number[id(source)] for source in recipe.sources)) for _, recipe in derived)
    return tuple(bases), Making(steps, tuple(number[id(table)] for table in tables))


def _upwards(tables: Tables) -> list[MatrixValue]:
    """Tables and all that they are made of, each once, after what it is made of."""
    pending = [(table, False) for table in reversed(tables)]
    found: dict[int, MatrixValue] = {}
    while pending:
        table, are_sources_found = pending.pop()
        if id(table) in found:
            continue
        recipe = table.recipe
        if are_sources_found or not isinstance(recipe, Derived):
            found[id(table)] = table
        else:
            pending.append((table, True))
            pending.extend((source, False) for source in reversed(recipe.sources))
    return list(found.values())


@frozen(eq=False, repr=False)
class Block:
    """Consecutive rows, from `start` on, of one table or of several aligned ones.

    Parameters
    ----------
    start
        The number of the first row in the tables below.
    pieces
        The rows of the tables that are there.
    making
        How the wanted tables are made of these; None if they are wanted themselves.
    """

    start: int
    pieces: Tables
    making: Making | None = None

    def __repr__(self) -> str:
        return "<private block>"

    def made(self) -> Block:
        """The block with the rows of the wanted tables. This is a method, as is all that leads to a row body: what C calls
        takes its stack, and bodies nest as deep as programs do."""
        if self.making is None:
            return self
        found = list(self.pieces)
        for step, numbers in self.making.steps:
            found.append(step.of(tuple([found[at] for at in numbers])))
        return Block(self.start, tuple([found[at] for at in self.making.wanted]))

    @property
    def tables(self) -> Tables:
        """The rows of the wanted tables."""
        return self.made().pieces

    @property
    def rows(self) -> int:
        return self.tables[0].rows


class Body(Protocol):
    """What the rows of a block come to."""

    def of(self, block: Block) -> Value:
        """A value with one lane for each row."""


@frozen(eq=False, repr=False)
class Rows:
    """The rows of a table, or of several aligned ones, in blocks. A table without rows is one block without rows, so that
    whatever is made of it has the right columns."""

    bases: Tables
    making: Making
    most: int
    cells: int = CELLS_AT_ONCE

    def __repr__(self) -> str:
        return "<private rows>"

    @property
    def block_rows(self) -> int:
        """The rows of a block: `most`, or fewer where rows are wide."""
        width = max(1, *map(_width_of, self.bases))
        is_streamed = any(table.is_streamed for table in self.bases)
        return max(1, min(self.most, (CELLS_READ_AT_ONCE if is_streamed else self.cells) // width))

    @property
    def rows(self) -> int:
        return self.bases[0].rows

    @property
    def shared(self) -> Making:
        """What every block holds."""
        return self.making

    def sizes(self) -> Iterator[int]:
        """How many rows each block has."""
        recipes = [table.recipe for table in self.bases]
        cells = [each.cells for each in recipes if isinstance(each, Streamed) and each.cells is not None]
        step = self.block_rows
        return sizes_within(np.sum(cells, axis=0), CELLS_READ_AT_ONCE, step) if cells else repeat(step)

    def blocks(self) -> Iterator[Block]:
        start = 0
        for pieces in zip(*(_blocks_of(table, self.sizes()) for table in self.bases), strict=True):
            yield Block(start, pieces, self.making)
            start += pieces[0].rows


def _width_of(table: MatrixValue) -> int:
    """How many columns of a table there are in a block."""
    recipe = table.recipe
    return recipe.width if isinstance(recipe, Streamed) else table.width


def _blocks_of(table: MatrixValue, sizes: Iterator[int]) -> Iterator[MatrixValue]:
    recipe = table.recipe
    if isinstance(recipe, Streamed):
        yield from recipe.blocks(sizes)
        return
    start = 0
    while True:
        stop = min(start + next(sizes), table.rows)
        yield slice_rows(table, start, stop)
        if stop == table.rows:
            return
        start = stop


def rows_of(tables: Sequence[MatrixValue], most: int, cells: int = CELLS_AT_ONCE) -> Rows:
    """The rows of tables that are gone over together, in blocks of so many rows, and of so many cells of a table, at most."""
    _settle_used(tables)
    return Rows(*planned(tuple(tables)), most, cells)


def _settle_used(tables: Sequence[MatrixValue]) -> None:
    """Make what was gone over before as a whole, so that nothing is computed three times, and what has no row for each row at the
    bottom, if it goes with others."""
    for table in tables:
        recipe = table.recipe
        if isinstance(recipe, Derived):
            is_expensive = recipe.is_used or recipe.depth > DEEPEST
            if (is_expensive and not recipe.is_streamed) or (len(tables) > 1 and not recipe.keeps_all):
                table.settle()
            recipe.is_used = True


Parts: TypeAlias = "tuple[tuple[int, MatrixValue | None], ...]"


@define(eq=False, repr=False)
class Ground:
    """A whole table of doubles of a known number of rows, in which blocks are put as soon as they are made.

    Blocks may come from several threads, in any order and more than once: each has rows of its own. Only the first one decides
    how wide the table is, and whether it holds natural numbers.
    """

    rows: int
    whole: Doubles | None = None
    is_natural: bool = False
    names: tuple[str | None, ...] | None = None
    _lock: Lock = field(factory=Lock)

    def takes(self, start: int, made: MatrixValue) -> bool:
        """Whether the rows of a block are doubles of the same kind as those before; then they are put in their place."""
        doubles = made.store.doubles if isinstance(made.store, Numbers) else None
        if doubles is None:
            return False
        assert isinstance(made.store, Numbers)
        with self._lock:
            if self.whole is None:
                self.whole = np.empty((self.rows, made.width), order="F")
                self.is_natural, self.names = made.store.is_natural, made.names
        if made.width != self.whole.shape[1] or made.store.is_natural != self.is_natural:
            return False
        self.whole[start : start + made.rows] = doubles
        return True


@frozen(eq=False, repr=False)
class Gathered:
    """The rows of every block, by the place of the block.

    Parameters
    ----------
    ground
        What takes them, if they are doubles; then they are no part of the summary. It stays in this process.
    """

    ground: Ground | None = None

    def __reduce__(self) -> tuple[type[Gathered], tuple[()]]:
        return Gathered, ()

    def zero(self) -> Parts:
        return ()

    def absorb(self, total: Parts, block: Block) -> Parts:
        made = block.made().pieces[0]
        is_taken = self.ground is not None and self.ground.takes(block.start, made)
        return (*total, (block.start, None if is_taken else made))

    def merge(self, left: Parts, right: Parts) -> Parts:
        return left + right

    def joined(self, parts: Parts) -> MatrixValue:
        """All rows, in order."""
        ordered = sorted(parts, key=lambda part: part[0])
        ground = self.ground
        if ground is None or ground.whole is None:
            return join_matrices([made for _, made in ordered if made is not None])
        whole = MatrixValue(ground.rows, plain(ground.whole, natural=ground.is_natural), ground.names)
        if all(made is None for _, made in ordered):
            return whole
        ends = [*(start for start, _ in ordered[1:]), ground.rows]
        return join_matrices(
            [
                slice_rows(whole, start, end) if made is None else made
                for (start, made), end in zip(ordered, ends, strict=True)
            ]
        )


def rows_at(tables: Sequence[MatrixValue], index: Index, most: int) -> list[MatrixValue]:
    """The rows of aligned tables at some places, in that order; those of tables that are read again are looked up in one pass."""
    if not any(table.is_streamed for table in tables):
        return [evolve_matrix(table, take_rows(table.store, index), len(index), None) for table in tables]
    order = np.argsort(index, kind="stable")
    places = index[order]
    parts: list[list[MatrixValue]] = [[] for _ in tables]
    start = 0
    for block in rows_of(tables, most).blocks():
        made = block.tables
        wanted = places[slice(*np.searchsorted(places, (start, start + made[0].rows)))] - start
        for found, table in zip(parts, made, strict=True):
            # A block of which no row is wanted says what columns there are, as long as no other does.
            if len(wanted) or not found:
                found.append(evolve_matrix(table, take_rows(table.store, wanted), len(wanted), None))
        start += made[0].rows
    back = np.argsort(order, kind="stable")
    joined = [join_matrices(found) for found in parts]
    return [evolve_matrix(table, take_rows(table.store, back), len(index), None) for table in joined]


def batches(tables: Sequence[MatrixValue], size: int, most: int) -> Iterator[Tables]:
    """The rows of aligned tables in batches of `size`, in order, of which the last may have fewer."""
    if any(table.is_streamed for table in tables):
        return regrouped((block.tables for block in rows_of(tables, most).blocks()), repeat(size))
    rows = tables[0].rows
    starts = range(0, rows, size)
    return (tuple([slice_rows(table, start, min(start + size, rows)) for table in tables]) for start in starts)


@frozen(eq=False, repr=False)
class Tally:
    """How many rows the last step keeps, without gathering them."""

    def zero(self) -> int:
        return 0

    def absorb(self, total: int, block: Block) -> int:
        assert block.making is not None
        *before, (step, numbers) = block.making.steps
        if not isinstance(step, Kept):
            return total + block.made().rows
        (number,) = numbers
        below = Block(block.start, block.pieces, Making(tuple(before), (number,))).made().pieces[0]
        return total + (len(step.places.of(below)) if below.rows else 0)

    def merge(self, left: int, right: int) -> int:
        return left + right


class Part(Protocol):
    """A part of a table that is read again for each pass, of which other parts are gone over in the same way."""

    @property
    def siblings(self) -> int:
        """How many parts there are."""

    def total(
        self, form: core.Node, inputs: tuple[object, ...], fold: Fold[Total, Block], most: int
    ) -> tuple[Total] | None:
        """What a fold over the part comes to; None where its rows are to be gone over by themselves.

        Parameters
        ----------
        form
            The form that folds.
        inputs
            What decides what it computes from a row; last, the steps applied to the rows of the part before it.
        fold, most
            The fold, and the rows of a block at most.
        """


def part_of(table: MatrixValue) -> tuple[Part, tuple[Step, ...]] | None:
    """The part that a table is made of, and by which steps, one after another; None where it is made of something else."""
    steps: list[Step] = []
    while isinstance(recipe := table.recipe, Derived):
        if recipe.part is not None:
            return recipe.part, tuple(reversed(steps))
        if len(recipe.sources) != 1:
            return None
        steps.append(recipe.step)
        (table,) = recipe.sources
    return None


def chain(steps: Sequence[Step]) -> Making:
    """Steps of which each is made of the one before, and the first of a table."""
    return Making(tuple((step, (at,)) for at, step in enumerate(steps)), (len(steps),))


@define(eq=False, repr=False)
class Derived:
    """The recipe of a table whose rows are made of those of others, which are aligned.

    Parameters
    ----------
    sources
        The tables below.
    step
        What is made of their rows.
    engine, most
        What runs folds, and the rows of a block at most.
    keeps_all
        Whether there is a row for each row of the tables at the bottom.
    depth
        How many tables wait for each other.
    is_used
        Whether its rows were gone over before, or will be again.
    is_streamed
        Whether they are made again for each pass, as those of a table below are read again.
    counter
        What may know the number of its rows.
    part
        Which part of a table it is, if it is one.
    """

    sources: Tables
    step: Step
    engine: Engine
    most: int
    keeps_all: bool
    depth: int
    is_used: bool = False
    is_streamed: bool = False
    counter: Callable[[], int | None] | None = None
    part: Part | None = None
    _blank: MatrixValue | None = None

    def table(self, wanted: MatrixValue) -> MatrixValue:
        fold = Gathered(Ground(self.count(wanted)) if self.keeps_all else None)
        return fold.joined(self.engine.fold(Rows(*planned((wanted,)), self.most), fold))

    def count(self, wanted: MatrixValue) -> int:
        if self.step.keeps_all:
            return self.sources[0].counted()
        known = None if self.counter is None else self.counter()
        if known is not None:
            return known
        return self.engine.fold(Rows(*planned((wanted,)), self.most), Tally())

    def blank(self, wanted: MatrixValue) -> MatrixValue:
        if self._blank is None:
            bases, making = planned((wanted,))
            none = tuple(slice_rows(base, 0, 0) if base.recipe is None else base.recipe.blank(base) for base in bases)
            self._blank = Block(0, none, making).made().pieces[0]
        return self._blank


def derived(sources: Sequence[MatrixValue], step: Step, engine: Engine, most: int) -> MatrixValue:
    """The table that a step makes of aligned ones, when it is needed."""
    _settle_used(sources)
    below = [source.recipe for source in sources if isinstance(source.recipe, Derived)]
    keeps_all = step.keeps_all and all(recipe.keeps_all for recipe in below)
    depth = 1 + max((recipe.depth for recipe in below), default=0)
    is_streamed = any(source.is_streamed for source in sources)
    recipe = Derived(tuple(sources), step, engine, most, keeps_all, depth, is_streamed=is_streamed)
    return MatrixValue(None, None, recipe=recipe)
