"""Types, schemas and clip bounds as the checker knows them: sizes are exact quantities, binders have identities.

Two types are equal when they are equal up to the names written for parameters and kind variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, cast

from attrs import field, frozen

from duetpy import trees
from duetpy.by_value import ByValue
from duetpy.cached import cached_property
from duetpy.grammar.ast import Norm
from duetpy.trees import Piece, Tree, bound_in, walk
from duetpy.typecheck import cost as costs
from duetpy.typecheck.conditions import Condition
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, KindVar, Quantity, Signed, maximum
from duetpy.typecheck.taken import Taken

if TYPE_CHECKING:
    from duetpy.typecheck.context import Context


@frozen(eq=False, repr=False, getstate_setstate=False)
class Node(ByValue, Tree):
    """What the constructors of types share; what else they are made of are pieces. One that adds no part is a plain class."""


class Nat(Node):
    """ℕ, with |x − y|."""


class Real(Node):
    """ℝ, with |x − y|."""


class Bool(Node):
    """𝔹, discrete."""


class Str(Node):
    """𝕊, discrete."""


class Date(Node):
    """Date: the days from 0001-01-01 to 9999-12-31, discrete."""


@frozen(eq=False, repr=False)
class StaticNat(Node):
    """ℕ[η]: the one number η."""

    value: Quantity


@frozen(eq=False, repr=False)
class StaticReal(Node):
    """ℝ⁺[η] or ℝ[−η]: the one number ±η."""

    value: Signed


@frozen(eq=False, repr=False)
class Idx(Node):
    """𝕀[η]: the numbers 0 … η − 1."""

    size: Quantity


@frozen(eq=False, repr=False)
class Disc(Node):
    """𝐝 τ: the values of τ, at distance 1 wherever they differ. 𝔻 is 𝐝 ℝ."""

    inner: Type


@frozen(eq=False, repr=False)
class Bounded(Node):
    """ℝ in [a, b], which stands in 𝐝 only: the numbers between the doubles next to a and b."""

    low: Fraction
    high: Fraction


@frozen(eq=False, repr=False)
class Maybe(Node):
    """τ?: the values of τ, and none, at distance 1 wherever they differ."""

    inner: Type


@frozen(eq=False, repr=False)
class Clip(ByValue, Piece):
    """Every row has `norm` at most `bound`, as real numbers, whatever the element type."""

    norm: Norm
    bound: Quantity


@frozen(eq=False, repr=False)
class Column(ByValue, Piece):
    """A column and the name that data and programs call it by.

    Parameters
    ----------
    name, type
        Its name, and what its cells are.
    default
        What a run may take in the place of a bad cell. It is about the data that a parameter is bound to, and part of no type: two
        columns that differ in it alone are of one type.
    """

    name: str | None
    type: Type
    default: Fraction | bool | None = field(default=None, eq=False)


@frozen(eq=False, repr=False)
class Uniform(ByValue, Piece):
    """n⋅τ: `count` columns of one type; `default` as of a `Column`."""

    count: Quantity
    element: Type
    default: Fraction | bool | None = field(default=None, eq=False)


@frozen(eq=False, repr=False)
class Columns(ByValue, Piece):
    """τ₁ ∷ τ₂ ∷ …: columns that may differ in type and may be named."""

    columns: tuple[Column, ...]


@frozen(eq=False, repr=False)
class SchemaVar(ByValue, Piece):
    """Any columns; any of which all are discrete."""

    var: KindVar
    is_discrete: bool = False


Schema: TypeAlias = Uniform | Columns | SchemaVar


@frozen(eq=False, repr=False, slots=False)
class Matrix(Node):
    """𝕄 [ℓ, c | rows, schema]; `clip` is None for U and `rows` is None for ★."""

    norm: Norm
    clip: Clip | None
    rows: Quantity | None
    schema: Schema

    @cached_property
    def element(self) -> Type | None:
        """The one element type of all columns, or None where they differ."""
        match self.schema:
            case Uniform(_, element):
                return element
            case Columns(columns):
                kinds = {column.type for column in columns}
                if len(kinds) > 1:
                    kinds = {unbounded(kind) for kind in kinds}
                return kinds.pop() if len(kinds) == 1 else None
            case SchemaVar():
                return None

    @cached_property
    def width(self) -> Quantity:
        """The number of columns; ∞ if they are not known."""
        match self.schema:
            case Uniform(count, _):
                return count
            case Columns(columns):
                return Quantity.of(len(columns))
            case SchemaVar():
                return INFINITY

    def column_types(self) -> tuple[Type, ...]:
        match self.schema:
            case Uniform(_, element):
                return (element,)
            case Columns(columns):
                return tuple(column.type for column in columns)
            case SchemaVar(var, is_discrete):
                return (Disc(TypeVar(var)) if is_discrete else TypeVar(var),)  # columns of which no more is known


@frozen(eq=False, repr=False)
class SetOf(Node):
    """℘ τ, discrete."""

    element: Type


@frozen(eq=False, repr=False)
class Sum(Node):
    left: Type
    right: Type


@frozen(eq=False, repr=False)
class Product(Node):
    left: Type
    right: Type


@frozen(eq=False, repr=False)
class With(Node):
    """τ₁ & τ₂: either part may be asked for; the distance is the larger one."""

    left: Type
    right: Type


@frozen(eq=False, repr=False)
class Box(Node):
    """box[Σ] τ: a value whose debts are written on it, by the identity of the inputs."""

    debt: Context
    inner: Type


@frozen(eq=False, repr=False)
class Fun(Node):
    """∀ κs | Φ . τ₁ ⊸[s] τ₂.

    Parameters
    ----------
    kinds, domain, sensitivity, codomain
        κs, τ₁, s and τ₂.
    name
        The parameter's, for reports.
    conditions
        Φ: what must hold of the numbers that are put in for κs. Each mentions one of them.
    is_held
        Whether the codomain is the same function, waiting for its next argument: no body is computed yet, and kinds may be open.
    rounding
        How far rounding moves the results for two arguments further apart, in the units of a context.
    """

    kinds: tuple[KindVar, ...] = field(metadata=bound_in("domain", "sensitivity", "codomain", "conditions", "rounding"))
    name: str = field(eq=False)
    domain: Type
    sensitivity: Quantity
    codomain: Type
    conditions: tuple[Condition, ...] = ()
    is_held: bool = False
    rounding: Quantity = ZERO


@frozen(eq=False, repr=False)
class PrivateParameter(ByValue, Piece):
    """τ@p.

    Parameters
    ----------
    name, type, cost
        The parameter's name, for reports, its type, and what it costs.
    unit
        Parameters with the same number are views of the same rows: one privacy unit, charged once.
    taken
        Where the argument comes from if a call leaves it out. It is about how calls are written, and part of no type.
    """

    name: str = field(eq=False)
    type: Type
    cost: costs.Cost
    unit: int
    taken: Taken | None = field(default=None, eq=False)


@frozen(eq=False, repr=False)
class PFun(Node):
    """∀ κs | Φ . τ₁@p₁, … ⊸⋆ τ, priced in `notion`; Φ as of a `Fun`."""

    kinds: tuple[KindVar, ...] = field(metadata=bound_in("parameters", "codomain", "conditions"))
    parameters: tuple[PrivateParameter, ...]
    codomain: Type
    notion: Notion
    conditions: tuple[Condition, ...] = ()


@frozen(eq=False, repr=False)
class TypeVar(Node):
    var: KindVar


class Poison(Node):
    """The type of an expression that was already refused: it fits everywhere, so that one mistake is reported once."""


Type: TypeAlias = (
    Nat
    | Real
    | Bool
    | Str
    | Date
    | StaticNat
    | StaticReal
    | Idx
    | Disc
    | Bounded
    | Maybe
    | Matrix
    | SetOf
    | Sum
    | Product
    | With
    | Box
    | Fun
    | PFun
    | TypeVar
    | Poison
)

NAT = Nat()
REAL = Real()
BOOL = Bool()
STR = Str()
DATE = Date()
DATA = Disc(REAL)
POISON = Poison()


def unbounded(type_: Type) -> Type:
    """The type of a cell without the range of its numbers."""
    match type_:
        case Maybe(inner):
            return Maybe(unbounded(inner))
        case Disc(Bounded()):
            return DATA
        case _:
            return type_


def children(type_: Type) -> list[Type]:
    """The types directly inside a type."""
    if isinstance(type_, Matrix):
        return list(type_.column_types())
    return cast("list[Type]", trees.children(type_, Node))


def parts_of(type_: Type, enters: Callable[[Type], bool] | None = None) -> Iterator[Type]:
    """A type and every type inside it; of a type that is not entered nothing that is inside."""
    return walk(type_, children, enters)


def holds_tables(type_: Type) -> bool:
    """Whether a value of the type may have tables in it, other than those that a function keeps."""
    inside = parts_of(type_, lambda part: not isinstance(part, Fun | PFun))
    return any(isinstance(part, Matrix | TypeVar) for part in inside)


def holds_functions(type_: Type) -> bool:
    """Whether a value of the type may have functions in it; one of a type variable may be anything."""
    return any(isinstance(part, Fun | PFun | TypeVar | Poison) for part in parts_of(type_))


MAXIMAL_SIZE = 5_000
"""Types with more nodes than this are refused, so that no pass over a type can run away or run out of stack."""

MAXIMAL_DEPTH = 60


def is_unwieldy(type_: Type) -> bool:
    """Whether a type is larger or deeper than the checker takes on; walks no further than it must."""
    size, depth, layer = 1, 1, children(type_)
    while layer:
        size, depth = size + len(layer), depth + 1
        if size > MAXIMAL_SIZE or depth > MAXIMAL_DEPTH:
            return True
        layer = [inner for part in layer for inner in children(part)]
    return False


def is_poisoned(type_: Type) -> bool:
    return any(isinstance(part, Poison) for part in parts_of(type_))


def boxes(type_: Type) -> Iterator[Box]:
    """Every box inside a type."""
    return (part for part in parts_of(type_) if isinstance(part, Box))


# ---------------------------------------------------------------------------------------------------------------------
# Metric facts


def is_separated(type_: Type) -> bool:
    """Whether distinct values of a type are at least 1 apart (sep(τ) ≥ 1)."""
    match type_:
        case Nat() | Bool() | Str() | Date() | StaticNat() | StaticReal() | Idx() | Disc() | Maybe() | SetOf():
            return True
        case Matrix(rows=None):
            # A row of zeros that is not discrete is at no distance from no row.
            return counts_rows(type_)
        case Matrix() | Sum() | Product() | With():
            return all(is_separated(part) for part in children(type_))
        case Real() | Bounded() | Box() | Fun() | PFun() | TypeVar() | Poison():
            return False


def counts_rows(matrix: Matrix) -> bool:
    """Whether the distance of two ★ tables with these columns counts the rows that are added and removed.

    It does unless every column is real: then it is the cheapest matching. A column whose type is not known yet may turn
    out to be real, so nothing is known.
    """
    match matrix.schema:
        case Columns(()):
            return True
        case SchemaVar(is_discrete=is_discrete):
            return is_discrete
        case _:
            return not all(isinstance(column, Real | Bounded | TypeVar | Poison) for column in matrix.column_types())


def matches_rows(matrix: Matrix) -> bool:
    """Whether the distance of two ★ tables with these columns is the cheapest matching of their rows."""
    columns = matrix.column_types()
    return bool(columns) and all(isinstance(column, Real) for column in columns)


def replaces_rows(matrix: Matrix) -> bool:
    """Whether two tables with as many rows differ in no more rows than they are apart: a row that differs is ≥ 1 away."""
    return counts_rows(matrix) and all(is_separated(column) for column in matrix.column_types())


def has_discrete_rows(type_: Type) -> bool:
    """Whether a matrix's distance counts rows: L∞ over discrete columns."""
    return isinstance(type_, Matrix) and type_.norm is Norm.LINF and all(is_discrete(t) for t in type_.column_types())


def is_discrete(type_: Type) -> bool:
    """Whether a type carries the discrete metric: distances are 0 and 1 only."""
    return isinstance(type_, Disc | Maybe | Bool | Str | Date | SetOf | StaticNat | StaticReal)


def row_factor(norm: Norm, width: Quantity) -> Quantity:
    """The ℓ-norm of a row of `width` ones: how far a row moves when each of its entries moves by one."""
    match norm:
        case Norm.L1:
            return width
        case Norm.L2:
            return width.sqrt()
        case Norm.LINF:
            return ONE


def norm_factor(source: Norm, target: Norm, width: Quantity) -> Quantity:
    """The least factor c with ‖v‖_target ≤ c‖v‖_source for rows of `width` entries."""
    match source, target:
        case (Norm.L2, Norm.L1) | (Norm.LINF, Norm.L2):
            return width.sqrt()
        case Norm.LINF, Norm.L1:
            return width
        case _:
            return ONE


def diameter(type_: Type) -> Quantity:
    """An upper bound on the distance of two values of a type; ∞ where none is known."""
    match type_:
        case StaticNat() | StaticReal():
            return ZERO
        case Disc() | Maybe() | Bool() | Str() | Date() | SetOf():
            return ONE
        case Product(left, right):
            return diameter(left) + diameter(right)
        case With(left, right):
            return maximum(diameter(left), diameter(right))
        case Matrix(norm, clip, rows, schema) if rows is not None:
            return rows * _row_diameter(norm, clip, schema)
        case _:
            return INFINITY


def _row_diameter(norm: Norm, clip: Clip | None, schema: Schema) -> Quantity:
    match schema:
        case Uniform(count, element):
            width, widest = count, diameter(element)
        case Columns(columns):
            width = Quantity.of(len(columns))
            widest = maximum(*(diameter(column.type) for column in columns)) if columns else ZERO
        case SchemaVar():
            return INFINITY
    if not widest.is_infinite:
        return row_factor(norm, width) * widest
    elements = [schema.element] if isinstance(schema, Uniform) else [column.type for column in schema.columns]
    if clip is not None and all(isinstance(element, Real) for element in elements):
        # Two rows inside a ball of radius b are 2b apart in the ball's own norm.
        return norm_factor(clip.norm, norm, width) * clip.bound * 2
    return INFINITY
