"""The sensitivity expressions of the core (`duetpy.typecheck.core`)."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from attrs import field, frozen

from duetpy.cached import cached_property
from duetpy.grammar.ast import Norm
from duetpy.source import Span
from duetpy.trees import Piece, Tree, bound_in
from duetpy.typecheck.annotations import Instance, KindArgument
from duetpy.typecheck.capacity import held_of
from duetpy.typecheck.conditions import Limit
from duetpy.typecheck.quantity import Comparison, KindVar, Quantity, Signed
from duetpy.typecheck.told import Told, told_by
from duetpy.typecheck.types import (
    Clip,
    Disc,
    Matrix,
    Maybe,
    StaticNat,
    StaticReal,
    Type,
    holds_functions,
    holds_tables,
)

__all__ = [
    "AddColumn", "App", "Case", "CaseMissing", "Expression", "Field", "Filter", "Flat", "Fold", "ForeignCall", "If",
    "Index", "Inject", "Join", "Lam", "Let", "LetPair", "Literal", "Loop", "MCreate", "Map", "Node", "Nothing",
    "PLam", "Pair", "Param", "Partition", "Prim", "Private", "Record", "RowFold", "Select", "SetLit", "StaticNumber",
    "TypeApp", "Update", "Var",
]  # fmt: skip


@frozen(eq=False, repr=False)
class Node(Tree):
    """A form of the core.

    Parameters
    ----------
    span
        Where it was written.
    types
        The type of its value: each that it was judged to have, since what stands in the text once may be judged several times.
    """

    span: Span
    types: tuple[Type, ...]

    @cached_property
    def may_hold_functions(self) -> bool:
        """Whether the value may be or hold a function: one of no known type may."""
        return not self.types or any(holds_functions(type_) for type_ in self.types)

    @cached_property
    def is_discrete(self) -> bool:
        """Whether the value is discrete, or a table of discrete cells, in every judgement."""
        return bool(self.types) and all(_is_discrete(type_) for type_ in self.types)

    @cached_property
    def cells(self) -> tuple[Quantity, ...]:
        """How many cells the value takes, if it is or holds a table: each number that is known by a type."""
        known = [held_of(type_) for type_ in self.types if holds_tables(type_)]
        return tuple(dict.fromkeys(cells for cells in known if not cells.is_infinite))

    def __repr__(self) -> str:
        """The form and its text: short and flat, however deep the tree below."""
        return f"<{type(self).__name__} {self.span.text[:40]!r}>"


def _is_discrete(type_: Type) -> bool:
    columns = type_.column_types() if isinstance(type_, Matrix) else (type_,)
    return all(isinstance(column, Disc | Maybe) for column in columns)


@frozen(eq=False, repr=False)
class Expression(Node):
    """A sensitivity expression.

    Parameters
    ----------
    static
        The type that says which number the value is. What was proved is of that number, which a computation might miss: √3 ⋅ √3
        is 3, and of two roots that are known to so many digits it is not.
    """

    static: StaticNat | StaticReal | None

    @cached_property
    def told(self) -> Told:
        """Of a pair, the types that say which numbers are in it, so far as all judgements agree."""
        return None if self.static is not None else told_by(self.types)


@frozen(eq=False, repr=False)
class Private(Node):
    """A privacy expression."""


# ---------------------------------------------------------------------------------------------------------------------
# Names, numbers, functions


@frozen(eq=False, repr=False)
class Var(Expression):
    name: str


@frozen(eq=False, repr=False)
class Literal(Expression):
    """A natural number is an `int`, any other number a `Fraction`."""

    value: int | Fraction | str | bool | date


@frozen(eq=False, repr=False)
class StaticNumber(Expression):
    """``ℕ[m]``, ``ℝ⁺[b]``, ``ℝ[-b]``: a number as written, over the kind variables."""

    number: Signed
    is_natural: bool


@frozen(eq=False, repr=False)
class Prim(Expression):
    """A primitive applied to its arguments.

    Parameters
    ----------
    name, args, norm, bounds, loss
        As in the syntax tree.
    may_round
        Whether the result may be rounded, because no finite sensitivity rests on it. All other arithmetic is exact: what is far too
        small for a double now may be scaled up later.
    lengths
        Of a gradient: how long the rows of its features are by their type, each that they were judged to have. Which of two
        bounds a row was clipped to may be data.
    """

    name: str
    args: tuple[Expression, ...]
    norm: Norm | None
    bounds: tuple[Expression, ...]
    loss: str | None
    may_round: bool
    lengths: tuple[Clip, ...]


@frozen(eq=False, repr=False)
class Let(Expression):
    name: str = field(metadata=bound_in("body"))
    bound: Expression
    body: Expression


@frozen(eq=False, repr=False)
class LetPair(Expression):
    left: str = field(metadata=bound_in("body"))
    right: str = field(metadata=bound_in("body"))
    bound: Expression
    body: Expression


@frozen(eq=False, repr=False)
class Param(Piece):
    """A parameter: its name in the core, its name as written, and its type."""

    name: str
    written: str
    type: Type


@frozen(eq=False, repr=False)
class Lam(Expression):
    """A sensitivity function, with the kind variables that it binds."""

    kinds: tuple[KindVar, ...]
    params: tuple[Param, ...] = field(metadata=bound_in("body"))
    body: Expression


@frozen(eq=False, repr=False)
class PLam(Expression):
    """A privacy function; parameters that are views of the same rows stand one by one.

    Parameters
    ----------
    kinds, params, body
        Its kind variables, its parameters and its body.
    units
        For each parameter the number of its privacy unit: views of the same rows have the same one.
    ensures
        What it promises of its cost.
    """

    kinds: tuple[KindVar, ...]
    params: tuple[Param, ...] = field(metadata=bound_in("body"))
    body: Private
    units: tuple[int, ...]
    ensures: tuple[Limit, ...]


@frozen(eq=False, repr=False)
class ForeignCall(Expression):
    """The body of a foreign function, whose code is in Python.

    Parameters
    ----------
    target
        ``module:function``.
    args, domains
        The arguments, and their types over the kind variables of the function.
    result
        The type of what it returns.
    """

    target: str
    args: tuple[Var, ...]
    domains: tuple[Type, ...]
    result: Type


@frozen(eq=False, repr=False)
class App(Expression):
    function: Expression
    argument: Expression
    instance: Instance


@frozen(eq=False, repr=False)
class TypeApp(Expression):
    """``f@[ηs]``, with the `arguments` ηs as they stand there."""

    function: Expression
    instance: Instance
    arguments: tuple[KindArgument, ...]


# ---------------------------------------------------------------------------------------------------------------------
# Pairs, sums, sets, choices


@frozen(eq=False, repr=False)
class Pair(Expression):
    """A pair: of the product, or with `lazy` of ``&``."""

    left: Expression
    right: Expression
    lazy: bool


@frozen(eq=False, repr=False)
class Inject(Expression):
    is_left: bool
    arg: Expression


@frozen(eq=False, repr=False)
class Case(Expression):
    scrutinee: Expression
    left: str = field(metadata=bound_in("left_body"))
    left_body: Expression
    right: str = field(metadata=bound_in("right_body"))
    right_body: Expression


@frozen(eq=False, repr=False)
class Nothing(Expression):
    """None, in the place of a value of a type."""

    instead_of: Type


@frozen(eq=False, repr=False)
class CaseMissing(Expression):
    scrutinee: Expression
    name: str = field(metadata=bound_in("there"))
    there: Expression
    absent: Expression


@frozen(eq=False, repr=False)
class SetLit(Expression):
    elements: tuple[Expression, ...]


@frozen(eq=False, repr=False)
class If(Expression):
    """A choice.

    Parameters
    ----------
    guard, then, otherwise
        Its parts.
    test
        The guard as a test on static numbers, if it is one. A branch that is not taken may hold what breaks its side conditions,
        or what has not been charged, so a run takes the branch that the test says (`duetpy.runtime.values.statics`).
    """

    guard: Expression
    then: Expression
    otherwise: Expression
    test: Comparison | None


@frozen(eq=False, repr=False)
class Loop(Expression):
    count: Expression
    init: Expression
    index: str = field(metadata=bound_in("body"))
    state: str = field(metadata=bound_in("body"))
    body: Expression


# ---------------------------------------------------------------------------------------------------------------------
# Matrices


@frozen(eq=False, repr=False)
class MCreate(Expression):
    norm: Norm
    rows: Expression
    cols: Expression
    row: str = field(metadata=bound_in("body"))
    col: str = field(metadata=bound_in("body"))
    body: Expression


@frozen(eq=False, repr=False)
class Map(Expression):
    """A map over one or two collections.

    Parameters
    ----------
    form
        By ``entry``, ``row``, ``column``, or ``element`` of a collection, which is a row or the one cell of it.
    args, names, body
        As in the syntax tree.
    sees_cell
        Whether the body over elements sees the one cell of each row instead of the row. It is so by its type, since a value of a
        type variable may turn out to be a row and is a cell all the same.
    gives_rows
        Whether the body returns a row, or over columns a column; else what it returns is a cell.
    """

    form: str
    args: tuple[Expression, ...]
    names: tuple[str, ...] = field(metadata=bound_in("body"))
    body: Expression
    sees_cell: bool
    gives_rows: bool


@frozen(eq=False, repr=False)
class RowFold(Expression):
    """A fold that adds, or picks, what the rows contribute, in any order.

    Parameters
    ----------
    sign
        The primitive that takes two values together: ``+``, of numbers or of matrices entry by entry, ``⊔``, ``⊓``, ``∧``, ``∨``.
    init, arg
        The value before the first row, and the table.
    row, term
        What one row contributes.
    of_matrices
        Whether the sum is of matrices.
    lengths
        The number of rows, each that it was judged to be; None where that is data.
    """

    sign: str
    init: Expression
    arg: Expression
    row: str = field(metadata=bound_in("term"))
    term: Expression
    of_matrices: bool
    lengths: tuple[Quantity | None, ...]


@frozen(eq=False, repr=False)
class Fold(Expression):
    """Any other fold, row after row; `lengths` as in `RowFold`."""

    init: Expression
    arg: Expression
    state: str = field(metadata=bound_in("body"))
    row: str = field(metadata=bound_in("body"))
    body: Expression
    lengths: tuple[Quantity | None, ...]


@frozen(eq=False, repr=False)
class Filter(Expression):
    arg: Expression
    row: str = field(metadata=bound_in("body"))
    body: Expression


@frozen(eq=False, repr=False)
class Flat(Expression):
    """At most `most` rows of the table that the body makes of each row, each next to some of the row's own cells."""

    most: Expression
    arg: Expression
    places: tuple[int, ...]
    row: str = field(metadata=bound_in("body"))
    body: Expression


@frozen(eq=False, repr=False)
class Index(Expression):
    """An entry, or with `col` None a whole row."""

    matrix: Expression
    row: Expression
    col: Expression | None


@frozen(eq=False, repr=False)
class Field(Expression):
    """The one entry of a record in the column at a place, and the name by which the program calls it."""

    record: Expression
    place: int
    name: str


@frozen(eq=False, repr=False)
class Update(Expression):
    matrix: Expression
    row: Expression
    col: Expression
    value: Expression


@frozen(eq=False, repr=False)
class Select(Expression):
    """The columns at some places, under the names they have by the type."""

    table: Expression
    places: tuple[int, ...]
    names: tuple[str, ...]


@frozen(eq=False, repr=False)
class Record(Expression):
    """A record of values under their names."""

    names: tuple[str, ...]
    values: tuple[Expression, ...]


@frozen(eq=False, repr=False)
class AddColumn(Expression):
    """A record with one more field; or a value that is not a record yet, with a name for its one column."""

    arg: Expression
    name: str


@frozen(eq=False, repr=False)
class Partition(Expression):
    """The parts of a table by the key in the column at a place, and its name."""

    table: Expression
    place: int
    name: str
    keys: Expression


@frozen(eq=False, repr=False)
class Join(Expression):
    """Two tables joined by the keys in a column of each, which has one name in both: each left row with the least of its
    partners, at most `most` of them; where this is None, with one."""

    name: str
    left: Expression
    left_place: int
    right: Expression
    right_place: int
    most: Expression | None
