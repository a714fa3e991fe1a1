"""What the checker concludes about an expression: its type, its context, and what else it happens to know.

The further facts only ever tighten a later conclusion; forgetting one is always sound.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, field, frozen

from duetpy.by_value import ByValue
from duetpy.grammar import ast
from duetpy.typecheck.cells import greatest_of, least_of
from duetpy.typecheck.context import EMPTY, Context, Root
from duetpy.typecheck.cost import ZERO_COST, Cost, NonPrivate, group, sequence, together
from duetpy.typecheck.ends import is_exact
from duetpy.typecheck.quantity import Quantity, Signed, maximum
from duetpy.typecheck.types import (
    POISON,
    Bool,
    Bounded,
    Date,
    Disc,
    Idx,
    Matrix,
    Nat,
    StaticNat,
    StaticReal,
    Str,
    Type,
    counts_rows,
    diameter,
)


@frozen(eq=False, repr=False)
class Range(ByValue):
    """A number lies between two static numbers; `is_written` says that a run finds each of them by itself, from no others."""

    low: Signed
    high: Signed
    is_written: bool = field(default=False, eq=False, repr=False)

    @property
    def width(self) -> Quantity:
        """high − low, or a bound on it where the difference has no provable sign or a run may not find it."""
        if self.low.negative == self.high.negative and not (is_exact(self.low) and is_exact(self.high)):
            return self.magnitude
        difference = self.high - self.low
        if difference is not None and not difference.negative:
            return difference.magnitude
        return self.high.magnitude + self.low.magnitude

    @property
    def magnitude(self) -> Quantity:
        """The largest absolute value."""
        return maximum(self.low.magnitude, self.high.magnitude)


@frozen(eq=False, repr=False)
class Judged(ByValue):
    """Γ ⊢ e : τ ; Σ and side facts.

    Parameters
    ----------
    type, context
        τ and Σ.
    rows_of
        An input such that row i of this matrix depends, of that input, on row i only. None when unknown.
    range
        Static bounds on the number, when known, of a type in which |x − y| is the distance.
    count
        For a matrix of unknown size that was selected from one of fixed size: how many rows were replaced. Each of them
        takes at most one row out and puts at most one in, now and after any further row-wise step, so this bounds how far
        the number of rows moves, at half the price of the symmetric difference.
    one_way
        Of functions in the cells of a matrix: each goes one way as its argument grows, all of them the same.
    degree
        Of a number, or of those in a table: of how many numbers that a run reads it is a product at most, or a sum of such
        products. None when unknown; see `duetpy.typecheck.degrees`.
    is_rounded
        Of what arithmetic returns: its range holds it also if it is rounded to a double, and nothing else rests on it.
    ordered
        Of a table of unknown size: the places of its rows are a function of what it was made of, as those of a person's rows
        are, which are sorted when they are read. Nothing of the kind is known of a table whose order the data chose.
    parts
        Of a pair or a record that is written out, and of names for it: the judgements of its parts, in their order. Whoever takes
        a part takes what was written there, so that the others cost nothing. What gives the whole an input of its own has to
        forget them.
    origin
        The expression that ``let`` bound a name to; only messages read it.
    """

    type: Type
    context: Context = EMPTY
    rows_of: Root | None = None
    range: Range | None = None
    count: Context | None = None
    one_way: bool = False
    degree: int | None = None
    is_rounded: bool = False
    ordered: bool = False
    parts: tuple[Judged, ...] = ()
    origin: ast.SExp | None = field(default=None, eq=False, repr=False)

    @property
    def is_public(self) -> bool:
        return not self.context

    def diameter(self) -> Quantity:
        """How far apart two values of this expression can be."""
        if self.range is not None:
            return self.range.width
        return diameter(self.type)

    def capped(self) -> Judged:
        """The diameter lemma, applied to every separated input; and what no input moves, no rounding moves."""
        if not self.context:
            return self if self.context.is_empty else evolve(self, context=EMPTY)
        bound = self.diameter()
        if bound.is_infinite:
            return self
        return evolve(self, context=self.context.capped(bound))

    def poisoned(self) -> Judged:
        return Judged(POISON, self.context)

    def bound_to(self, origin: ast.SExp) -> Judged:
        """The same judgement, for a name of the expression."""
        return evolve(self, origin=origin)


POISONED = Judged(POISON)


def range_of(judged: Judged) -> Range | None:
    """The range of an expression: what was recorded, or the one value of a static number."""
    if judged.range is not None:
        return judged.range
    match judged.type:
        case StaticReal(value):
            return Range(value, value, is_written=True)
        case StaticNat(natural):
            return Range(Signed(False, natural), Signed(False, natural))
        case _:
            return None


def range_in_type(type_: Type) -> Range | None:
    """Between which numbers the values of a type lie: those of 𝔻 in [a, b].

    It is no range of a judgement, whose width is a distance: the values are 1 apart, however short the range is.
    """
    match type_:
        case Disc(Bounded() as bounded):
            return Range(Signed.of(least_of(bounded)), Signed.of(greatest_of(bounded)))
        case _:
            return None


def degree_of(judged: Judged) -> int | None:
    """The degree of an expression: natural numbers and discrete ones, which are doubles, are short whatever they are made of."""
    match judged.type:
        case StaticReal() | StaticNat() | Bool() | Str() | Date():
            return 0
        case Nat() | Idx() | Disc():
            return 1
        case _:
            return judged.degree


def rows_moved(judged: Judged) -> Context | None:
    """How far the number of rows of a table of unknown size moves; None where nothing bounds it.

    The symmetric difference counts every row that is added or removed. Under the cheapest matching a real row of length 0 is at no
    distance from no row.
    """
    if judged.count is not None:
        return judged.count
    match judged.type:
        case Matrix(rows=None) if counts_rows(judged.type):
            return judged.context
        case _:
            return None


@frozen(eq=False, repr=False)
class Charged(ByValue):
    """Γ ⊢ p : τ ; Π: the type that a privacy expression releases and what it costs each input."""

    type: Type
    costs: dict[Root, Cost]

    def cost(self, root: Root) -> Cost:
        return self.costs.get(root, ZERO_COST)


def in_the_clear(context: Context, reason: str) -> dict[Root, Cost]:
    """∞⊙Σ: everything that a context mentions is released."""
    return {root: NonPrivate(reason) for root in context.entries}


def add_costs(parts: list[dict[Root, Cost]]) -> dict[Root, Cost]:
    """Sequential composition, input by input."""
    gathered: dict[Root, list[Cost]] = {}
    for part in parts:
        for root, cost in part.items():
            gathered.setdefault(root, []).append(cost)
    return {root: sequence(costs) for root, costs in gathered.items()}


def add_moved(outside: dict[Root, Cost], moved: dict[Root, Cost]) -> dict[Root, Cost]:
    """The costs of a body that sees inputs both directly and through an input of its own that was made of them.

    One mechanism of the body may look at both, and both move at once: that is one change of several inputs, which may cost
    more than one release after the other. By moving first the one and then the other, `together` bounds it.
    """
    roots = dict.fromkeys([*outside, *moved])
    return {root: together(part[root] for part in (outside, moved) if root in part) for root in roots}


def paid_for_rows(tables: Sequence[Judged], priced: Sequence[Cost], as_one: bool) -> dict[Root, Cost]:
    """What inputs are charged for the rows of tables that they move; `priced` is for a row of each table.

    Tables that are one table (`as_one`) move together by the rows of that input, which is charged for them once.
    """
    views: dict[Root, list[tuple[Quantity, Cost]]] = {}
    for table, cost in zip(tables, priced, strict=True):
        for source, moved in table.context.entries.items():
            views.setdefault(source, []).append((moved, cost))
    spent: dict[Root, Cost] = {}
    for source, moves in views.items():
        if as_one and source == tables[0].rows_of:
            spent[source] = group(maximum(*(moved for moved, _ in moves)), moves[0][1])
        else:
            spent[source] = together(group(moved, cost) for moved, cost in moves)
    return spent
