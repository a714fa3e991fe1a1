"""What a run must be able to hold: tables of static size, and static numbers.

These are side conditions like others, on the limits of the machine (`duetpy.typecheck.conditions.MACHINE`). A run decides them
before it reads a row: in a branch that data chooses, a table without room or a number without a value would end the run for
some data and not for other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import inf

from duetpy.grammar.ast import Norm
from duetpy.source import Span
from duetpy.typecheck import types as t
from duetpy.typecheck.conditions import CELLS, FEW_CELLS, LARGEST, Obligation, cells_of_variable, growth_of_variable
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, KindVar, Quantity, maximum
from duetpy.typecheck.quantity.form import Applied, Atom, Compound, Extremum, Function, Monomial, Root

TAME_DEGREE = 8
"""Sizes and parameters lie between 1e-300 and 1e300, so that a polynomial of this degree is far from 10^2900."""

TAME_NUMBER = 10**300


def demanded(type_: t.Type, span: Span) -> Iterator[Obligation]:
    """What must hold so that a value of a type can be held."""
    match type_:
        case t.Matrix():
            cells = cells_of(type_)
            if not cells.is_infinite:
                yield Obligation(cells, "≤", Quantity.var(CELLS), "a table of this size is made here", span)
            if type_.clip is not None:
                yield from computable(type_.clip.bound, span)
        case t.StaticNat(value):
            yield from computable(value, span)
        case t.StaticReal(value):
            yield from computable(value.magnitude, span)
        case _:
            pass


def computable(number: Quantity, span: Span) -> Iterator[Obligation]:
    """What must hold so that a static number is finite, and a run can compute it."""
    if not number.finite():
        yield Obligation(number, "<", INFINITY, "a static number is finite", span)
    elif degree(number) > TAME_DEGREE:
        limit = Quantity.var(LARGEST)
        yield Obligation(number, "<", limit, "a static number can be computed", span)


COLUMN = Quantity.of(32)
"""So many cells more a column takes that is kept by itself, as all are but those of numbers; measured at 11 to 22."""


def held_of(type_: t.Type) -> Quantity:
    """The cells of a value, and what the columns of its tables take in addition."""
    return cells_of(type_, COLUMN)


def cells_of(type_: t.Type, column: Quantity = ZERO) -> Quantity:
    """The cells of a value, those of tables in its cells counted, whatever these are wrapped in; of a table of unknown size those
    of a row, as the number of its rows is data. Each column that is kept by itself counts as `column` rows more."""
    match type_:
        case t.Matrix(rows=rows, schema=t.Uniform(count, element)):
            length = (ONE if rows is None else rows) + _besides(element, column)
            return length * count * cells_of(element, column)
        case t.Matrix(rows=rows, schema=t.Columns(columns)):
            total = ZERO
            for one in columns:
                length = (ONE if rows is None else rows) + _besides(one.type, column)
                total = total + length * cells_of(one.type, column)
            return total
        case t.Matrix():
            return INFINITY
        case t.Product(left, right) | t.With(left, right) | t.Sum(left, right):
            return cells_of(left, column) + cells_of(right, column)
        case t.Box(inner=inner) | t.SetOf(inner) | t.Disc(inner) | t.Maybe(inner):
            return cells_of(inner, column)
        case t.TypeVar(variable):
            return cells_of_variable(variable)
        case _:
            return ONE


OF_SETS = Quantity.of(2)
OF_TABLES = Quantity.of(3)


def growth_of(value: t.Type | t.Schema) -> Quantity:
    """How values of a type, or the cells of columns, may grow with the rows of private tables: 1 if not at all, 2 if they may have
    as many elements as a set, 3 if as many as a table, which a function may have captured."""
    whole = t.Matrix(Norm.LINF, None, ONE, value) if isinstance(value, t.Uniform | t.Columns | t.SchemaVar) else value
    return maximum(*map(_growth_of_part, t.parts_of(whole)))


def _growth_of_part(part: t.Type) -> Quantity:
    match part:
        case t.Fun() | t.PFun() | t.Matrix(rows=None):
            return OF_TABLES
        case t.SetOf():
            return OF_SETS
        case t.TypeVar(variable):
            return growth_of_variable(variable)
        case _:
            return ONE


def _besides(element: t.Type, column: Quantity) -> Quantity:
    """What a column takes in addition to its cells: nothing if all columns are one array of numbers."""
    inner = element.inner if isinstance(element, t.Disc) else element
    return ZERO if isinstance(inner, t.Nat | t.Idx | t.Real | t.Bounded | t.StaticNat | t.StaticReal) else column


def degree(number: Quantity) -> float:
    """The degree of a quantity in its variables, at most; ∞ where it grows as exponentials do."""
    for coefficient in number.terms.values():
        top, bottom = coefficient.numerator, coefficient.denominator
        if top >= TAME_NUMBER * bottom or bottom >= TAME_NUMBER * top:
            return inf
    return max(map(_degree_of_product, number.terms), default=0.0)


@lru_cache(maxsize=8192)
def _degree_of_product(monomial: Monomial) -> float:
    return sum(_degree_of_power(atom, float(exponent)) for atom, exponent in monomial.factors.items())


def _degree_of_power(atom: Atom, exponent: float) -> float:
    """A root is computed from the number under it. Of the logarithm of a number near 1 no digit may be known: nothing bounds a
    quotient by it."""
    if isinstance(atom, KindVar):
        return abs(exponent)
    if isinstance(atom, Root):
        return exponent * atom.base.bit_length() / TAME_NUMBER.bit_length()
    if exponent < 0 and _holds_logarithm(atom):
        return inf
    return max(abs(exponent), 1.0) * _degree_of_atom(atom)


@lru_cache(maxsize=8192)
def _degree_of_atom(atom: Atom) -> float:
    match atom:
        case Applied(function=Function.EXP | Function.EXPM1):
            return inf
        case Applied(function=Function.RECIPROCAL) if _holds_logarithm(atom):
            return inf
        case _:
            return max(map(degree, _inside(atom)), default=0.0)


@lru_cache(maxsize=8192)
def _holds_logarithm(atom: Atom) -> bool:
    if isinstance(atom, Applied) and atom.function is Function.LOG:
        return True
    return any(
        _holds_logarithm(each) for inner in _inside(atom) for monomial in inner.terms for each in monomial.factors
    )


def _inside(atom: Atom) -> Iterable[Quantity]:
    """The quantities that an atom is made of."""
    match atom:
        case Compound(base=inner) | Applied(argument=inner):
            return (inner,)
        case Extremum(listed=members):
            return members
        case _:
            return ()


#   every argument of a function exists before it is called, and so fits
#   ───────────────────────────────────────────────────────────────────────
#   what is no larger than the arguments together fits, within the margin of a cell
def is_no_larger(cells: Quantity, arguments: list[t.Type]) -> bool:
    """Whether a table has no more cells than the arguments of a function, of whatever size these are."""
    total = Quantity.of(FEW_CELLS)
    for type_ in arguments:
        own = cells_of(type_)
        if not own.is_infinite:
            total = total + own
    return cells.leq(total)
