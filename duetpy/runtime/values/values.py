"""What expressions evaluate to.

Contract. A value belongs to one point of evaluation or to many at once. Outside of row bodies a number is an `int` (ℕ) or an
exact `Fraction` (ℝ, 𝔻), a day is a `date`, and truth values, strings and pairs are Python's own. Inside a row body an expression
has one value a *lane*: `Numbers`, `Truths`, `Texts` and `Dates` hold one entry a lane, and pairs and matrices are made of these.
What does not depend on the row stays without lanes. `duetpy.runtime.values.batching` takes laned values apart and puts them
together.

No value shows its content when printed, so that no log, traceback or debugger line can (`repr` gives a fixed word).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Protocol, TypeAlias, Union

import numpy as np
from attrs import Factory, define, evolve, field, frozen
from numpy.typing import NDArray

from duetpy.runtime.exact.linear_forms import side_by_side
from duetpy.runtime.exact.rationals import Mask, Numbers, Objects
from duetpy.runtime.values.statics import KindScope, Static
from duetpy.typecheck import core
from duetpy.typecheck.quantity import KindVar


class Private:
    """Shows nothing of what it holds."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<private>"


@frozen(eq=False, repr=False)
class Truths(Private):
    """A truth value a lane."""

    values: Mask


@frozen(eq=False, repr=False)
class Texts(Private):
    """A string a lane."""

    values: Objects


@frozen(eq=False, repr=False)
class Dates(Private):
    """A day a lane, as the number of days since 0000-12-31, so that 0001-01-01 is 1."""

    values: NDArray[np.int64]


@frozen(eq=False, repr=False)
class SetValue:
    """A set: its elements without repetition, in the order of `duetpy.runtime.values.batching.sort_key`."""

    elements: Sequence[Value]

    def __repr__(self) -> str:
        return "<private set>"


@frozen(eq=False, repr=False)
class SetLanes(Private):
    """A set a lane; element i of lane l is lane l of `elements[i]`, and may be there twice."""

    elements: tuple[Value, ...]


@frozen(eq=False, repr=False)
class Injected(Private):
    """``inl v`` or ``inr v``."""

    is_left: bool
    value: Value


@frozen(eq=False, repr=False)
class InjectedLanes(Private):
    """Lane l is ``inl`` of `left` where the mask holds, else ``inr`` of `right`; the other one is there, but unused."""

    is_left: Mask
    left: Value
    right: Value


@frozen(eq=False, repr=False)
class Missing(Private):
    """None, in the place of a value of τ: the `blank` one of τ shows of what shape values are, and is never looked at otherwise.

    A value of τ? that is not missing is the value of τ itself.
    """

    blank: Value


@frozen(eq=False, repr=False)
class MissingLanes(Private):
    """Lane l is that of `held` where the mask holds, else none; what `held` has there is unused."""

    is_there: Mask
    held: Value


@frozen(eq=False, repr=False)
class Closure:
    """A sensitivity function with the values of the names it mentions, and the arguments that it has so far.

    Parameters
    ----------
    node
        The function.
    names, kinds
        What its free names and kind variables stand for.
    given
        Numbers for its own kind variables, as far as they are known.
    arguments
        The values of its first parameters.
    """

    node: core.Lam
    names: Mapping[str, Value]
    kinds: KindScope
    given: Mapping[KindVar, Static] = Factory(dict)
    arguments: tuple[Value, ...] = ()

    def __repr__(self) -> str:
        return "<function>"


@frozen(eq=False, repr=False)
class PrivacyClosure:
    """A privacy function with the values of the names it mentions."""

    node: core.PLam
    names: Mapping[str, Value]
    kinds: KindScope

    def __repr__(self) -> str:
        return "<privacy function>"


@frozen(eq=False, repr=False)
class Functions:
    """A function a lane; of no lanes, `once` is one that a lane could hold."""

    values: tuple[Closure, ...]
    once: Closure | None = None

    def __repr__(self) -> str:
        return "<functions>"


@frozen(eq=False, repr=False)
class Apart(Private):
    """A value a lane, where they share no shape: tables of different heights, sets of different sizes.

    Nothing computes with these: a body that meets them is evaluated lane by lane. Of no lanes, `once` is a value that a lane
    could hold.
    """

    values: Sequence[Value]
    once: Value | None = None

    def __reduce__(self) -> str | tuple[type[Apart], tuple[Sequence[Value], Value | None]]:
        # There is one absent side, in every process.
        return "ABSENT" if self is ABSENT else (Apart, (self.values, self.once))


ABSENT = Apart(())
"""The side of a sum that no lane has, by what the program says and not by what the data holds."""


Store: TypeAlias = "Numbers | tuple[Value, ...]"


class Recipe(Protocol):
    """How the rows of a table are made that are not there yet."""

    @property
    def is_streamed(self) -> bool:
        """Whether its rows are read again for each pass, and never kept."""

    def table(self, wanted: MatrixValue) -> MatrixValue:
        """All rows of the table that has this recipe."""

    def count(self, wanted: MatrixValue) -> int:
        """How many rows it has."""

    def blank(self, wanted: MatrixValue) -> MatrixValue:
        """Its columns, without rows."""


@define(eq=False, repr=False)
class MatrixValue:
    """A matrix, or one matrix a lane.

    Parameters
    ----------
    rows
        The number of rows (of each lane).
    store
        The cells: numbers of shape (stored rows, columns), or one laned value a column with a lane for each stored row.
        The rows of lane 0 come first, then those of lane 1. So a table with n rows and n lanes of one row each have the
        same store, and going over the rows of a table moves nothing.
    names
        The names of the columns, where they have any.
    lanes
        The number of lanes; None outside of row bodies.
    recipe
        Of a table outside of row bodies whose store was not needed yet: how it is made. Rows and names may be missing then too;
        whoever asks for one of the three gets it.
    memo
        Results of row-wise primitives on this matrix, so that loops compute them once.
    """

    _rows: int | None
    _store: Store | None
    _names: tuple[str | None, ...] | None = None
    lanes: int | None = None
    recipe: Recipe | None = field(default=None, kw_only=True)
    memo: dict[Hashable, MatrixValue] = field(factory=dict, init=False)
    _columns: dict[int, Value] = field(factory=dict, init=False)

    def __repr__(self) -> str:
        return "<private matrix>"

    @property
    def rows(self) -> int:
        return self.counted()

    def counted(self) -> int:
        """The number of rows. Code that may run inside a row body calls this, and `settle`, before it takes up any stack of C."""
        if self._rows is None:
            assert self.recipe is not None, "a table has rows, or a recipe for them"
            self._rows = self.recipe.count(self)
        return self._rows

    @property
    def store(self) -> Store:
        if self._store is None:
            self.settle()
            assert self._store is not None
        return self._store

    @property
    def names(self) -> tuple[str | None, ...] | None:
        recipe = self.recipe
        return self._names if recipe is None else recipe.blank(self).names

    def settle(self) -> MatrixValue:
        """The table itself, with all of its rows made."""
        recipe = self.recipe
        if recipe is not None:
            # Two threads may both come here. They make the same, and the recipe is there until all else is.
            made = recipe.table(self)
            self._rows, self._names, self._store = made.rows, made.names, made.store
            self.recipe = None
        return self

    def __reduce__(self) -> tuple[type[MatrixValue], tuple[int, Store, tuple[str | None, ...] | None, int | None]]:
        # What was computed from the matrix is not copied.
        self.settle()
        return MatrixValue, (self.rows, self.store, self.names, self.lanes)

    @property
    def is_streamed(self) -> bool:
        """Whether its rows are read again for each pass: whoever can do without the whole table does."""
        recipe = self.recipe
        return recipe is not None and recipe.is_streamed

    @property
    def height(self) -> int:
        """The number of stored rows, over all lanes."""
        return self.rows if self.lanes is None else self.rows * self.lanes

    @property
    def width(self) -> int:
        """The number of columns."""
        recipe = self.recipe
        store = self.store if recipe is None else recipe.blank(self).store
        return store.shape[1] if isinstance(store, Numbers) else len(store)

    def column(self, position: int) -> Value:
        """One column, a lane for each stored row; the same object every time."""
        store = self.store
        if not isinstance(store, Numbers):
            return store[position]
        known = self._columns.get(position)
        if known is None:
            known = store.each(lambda array: array[:, position], (self.height,))
            self._columns[position] = known
        return known

    def remembered(self, key: Hashable, made: MatrixValue) -> MatrixValue:
        """Keep a result under a key; the first one stays, as its identity is what later results are remembered by."""
        return self.memo.setdefault(key, made)


Value: TypeAlias = Union[
    bool,
    int,
    Fraction,
    str,
    date,
    "tuple[Value, Value]",
    SetValue,
    SetLanes,
    Injected,
    InjectedLanes,
    Missing,
    MissingLanes,
    MatrixValue,
    Closure,
    PrivacyClosure,
    Numbers,
    Truths,
    Texts,
    Dates,
    Functions,
    Apart,
]


class Ragged(Exception):
    """Lanes that differ in shape, or in which function they hold: the body is evaluated row by row instead."""


class NeverLaned(Ragged):
    """A form that cannot be computed in lanes, whatever they hold."""


def matrix_of_columns(
    columns: Sequence[Value], rows: int, lanes: int | None, names: tuple[str | None, ...] | None = None
) -> MatrixValue:
    """A matrix from laned columns; numbers of one kind are kept in one array, column by column in memory."""
    numeric = [column for column in columns if isinstance(column, Numbers)]
    if len(numeric) == len(columns) and len({column.is_natural for column in numeric}) == 1:
        return MatrixValue(rows, side_by_side(numeric), names, lanes)
    return MatrixValue(rows, tuple(columns), names, lanes)


CELLS_GATHERED = 1 << 16


def gathered(array: NDArray[np.generic], index: NDArray[np.intp]) -> NDArray[np.generic]:
    """The rows of an array at the given positions. Numbers are kept column by column, and many are gathered so; rows that stand
    together are gathered as they are, so many at a time as the cache holds."""
    if len(index) < array.shape[1]:
        return array[index]
    rows = np.empty((len(index), array.shape[1]), dtype=array.dtype, order="F")
    if array.flags.c_contiguous:
        step = max(1, CELLS_GATHERED // max(1, array.shape[1]))
        for start in range(0, len(index), step):
            rows[start : start + step] = array.take(index[start : start + step], axis=0)
        return rows
    for at in range(array.shape[1]):
        rows[:, at] = array[:, at].take(index)
    return rows


def numbers_of(matrix: MatrixValue) -> Numbers:
    """The cells of a matrix of numbers, of shape (stored rows, columns)."""
    if isinstance(matrix.store, Numbers):
        return matrix.store
    columns = [column for column in matrix.store if isinstance(column, Numbers)]
    if len(columns) != len(matrix.store):
        # The checker lets only numbers through. Not an assertion: without it columns would be left out, and nobody would know.
        raise TypeError
    return side_by_side(columns)


def texts_of(values: Sequence[str]) -> Texts:
    result: NDArray[np.object_] = np.empty(len(values), dtype=np.object_)
    result[:] = values
    return Texts(result)


def dates_of(values: Sequence[date]) -> Dates:
    return Dates(np.array([value.toordinal() for value in values], dtype=np.int64))


def map_held(value: Value, change: Callable[[Value], Value]) -> Value:
    """What is made of other values, with each of these changed; any other value is itself."""
    match value:
        case tuple():
            return (change(value[0]), change(value[1]))
        case SetLanes(elements):
            return SetLanes(tuple([change(element) for element in elements]))
        case Injected(is_left, held):
            return Injected(is_left, change(held))
        case Closure(names=names, arguments=arguments):
            changed = {name: change(held) for name, held in names.items()}
            return evolve(value, names=changed, arguments=tuple([change(held) for held in arguments]))
        case PrivacyClosure(names=names):
            return evolve(value, names={name: change(held) for name, held in names.items()})
        case _:
            return value
