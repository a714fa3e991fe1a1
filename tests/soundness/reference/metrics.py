"""The types of the second checker and the facts about their metrics that the rules need."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from attrs import evolve, field, frozen

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from tests.soundness.reference.numbers import INF, ONE, TWO, ZERO, Num, larger

Moves: TypeAlias = Mapping[int, Num]
"""By how much each input's move is multiplied, by the number of the input; an input that is not there is at 0."""


@frozen
class Plain:
    """ℝ, ℕ, 𝔹, 𝕊, Date."""

    name: str


REAL, NAT, BOOL, STR = Plain("ℝ"), Plain("ℕ"), Plain("𝔹"), Plain("𝕊")
DATE = Plain("Date")


@frozen
class Static:
    """A number that is known; a natural or a real one."""

    value: Num
    is_natural: bool


@frozen
class Index:
    size: Num


@frozen
class Disc:
    inner: Type


@frozen
class Within:
    """The real numbers between two, which stand in 𝐝 only."""

    low: Fraction
    high: Fraction


@frozen
class Maybe:
    """τ?"""

    inner: Type


@frozen
class Ball:
    """Rows of norm at most `bound`."""

    norm: Norm
    bound: Num


@frozen
class Table:
    """A matrix; `rows` is None for ★. Columns are listed by name (or None) and type."""

    norm: Norm
    ball: Ball | None
    rows: Num | None
    columns: tuple[tuple[str | None, Type], ...]

    @property
    def width(self) -> Num:
        return Num.exactly(len(self.columns))

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(type_ for _, type_ in self.columns)

    @property
    def element(self) -> Type:
        first, *others = self.types if len(set(self.types)) == 1 else map(widened_cell, self.types)
        assert all(other == first for other in others), "columns of one type"
        return first

    @property
    def row(self) -> Table:
        return evolve(self, rows=ONE)


@frozen
class SetOf:
    element: Type


@frozen
class Times:
    left: Type
    right: Type


@frozen
class And:
    left: Type
    right: Type


@frozen
class Plus:
    left: Type
    right: Type


@frozen
class Box:
    debt: Moves
    inner: Type


@frozen
class Arrow:
    """τ ⊸[s] σ."""

    domain: Type
    sensitivity: Num
    codomain: Type


@frozen(eq=False)
class Scheme:
    """∀ κs . τ: a function that is judged where its kinds are known. `scope` and `kinds` are those around it."""

    node: ast.Lam
    scope: Mapping[str, object]
    kinds: Mapping[str, object]


@frozen
class Unknown:
    """A type variable; its number tells it from others."""

    number: int = field()


Type: TypeAlias = (
    Plain | Static | Index | Disc | Within | Maybe | Table | SetOf | Times | And | Plus | Box | Arrow | Scheme | Unknown
)
DATA = Disc(REAL)


def sum_of(*parts: Moves) -> dict[int, Num]:
    result: dict[int, Num] = {}
    for part in parts:
        for root, s in part.items():
            result[root] = result[root] + s if root in result else s
    return result


def times(moves: Moves, factor: Num) -> dict[int, Num]:
    return {} if factor.is_zero else {root: s * factor for root, s in moves.items()}


def unbounded(moves: Moves) -> dict[int, Num]:
    return dict.fromkeys(moves, INF)


def join(left: Moves, right: Moves) -> dict[int, Num]:
    return {root: larger(left.get(root, ZERO), right.get(root, ZERO)) for root in {**left, **right}}


def without(moves: Moves, *roots: int) -> dict[int, Num]:
    return {root: s for root, s in moves.items() if root not in roots}


# Metric facts


def is_two_valued(type_: Type) -> bool:
    """Whether distances are 0 or 1 only."""
    return isinstance(type_, Disc | Maybe | SetOf | Static) or type_ in (BOOL, STR, DATE)


def is_apart(type_: Type) -> bool:
    """sep(τ) ≥ 1."""
    match type_:
        case Plain(name):
            return name != "ℝ"
        case Static() | Index() | Disc() | Maybe() | SetOf():
            return True
        case Table(rows=None):
            # Rows are counted, except where all of them are of reals.
            return any(column != REAL for column in type_.types)
        case Table():
            return all(map(is_apart, type_.types))
        case Times(left, right) | And(left, right) | Plus(left, right):
            return is_apart(left) and is_apart(right)
        case _:
            return False


ORDER = (Norm.L1, Norm.L2, Norm.LINF)


def is_finer(left: Norm, right: Norm) -> bool:
    return ORDER.index(left) <= ORDER.index(right)


def norm_of_ones(norm: Norm, width: Num) -> Num:
    return {Norm.L1: width, Norm.L2: width.root(), Norm.LINF: ONE}[norm]


def exchange(source: Norm, target: Norm, width: Num) -> Num:
    """The largest ‖v‖_target for ‖v‖_source = 1."""
    if is_finer(source, target):
        return ONE
    return width if (source, target) == (Norm.LINF, Norm.L1) else width.root()


def widest(type_: Type) -> Num:
    """The diameter lemma's bound on the distance of two values."""
    match type_:
        case Static():
            return ZERO
        case Disc() | Maybe() | SetOf() | Plain("𝔹" | "𝕊" | "Date"):
            return ONE
        case Times(left, right):
            return widest(left) + widest(right)
        case And(left, right):
            return larger(widest(left), widest(right))
        case Table(norm, ball, rows, _) if rows is not None:
            entry = larger(ZERO, *map(widest, type_.types))
            if not entry.is_infinite:
                return rows * (norm_of_ones(norm, type_.width) * entry)
            if ball is not None and all(column == REAL for column in type_.types):
                return rows * (exchange(ball.norm, norm, type_.width) * ball.bound * TWO)
            return INF
        case _:
            return INF


def is_cell(number: Fraction) -> bool:
    """Whether a number is no larger than the largest double."""
    return abs(number) <= (2 - Fraction(1, 2**52)) * 2**1023


def doubles_in(known: Within) -> tuple[Num, Num]:
    """Between which numbers the doubles lie that are read of cells in a range: where an end is no double, the one next to it is
    rounded away from the range to 17 digits."""
    low, high = float(known.low), float(known.high)
    below = known.low if low >= known.low else -seventeen_digits(-low)
    return Num.exactly(below), Num.exactly(known.high if high <= known.high else seventeen_digits(high))


def seventeen_digits(number: float) -> Fraction:
    """The least decimal of 17 digits that is not below a double."""
    text = f"{number:.16e}"
    exponent = text.partition("e")[2]
    found = Fraction(text)
    step = Fraction(10) ** (int(exponent) - 16)
    return found if found >= Fraction(number) else found + step


# Subtyping


def fits(actual: Type, wanted: Type) -> Num | None:
    """The price at which a value may stand where another type is wanted; None where it may not."""
    if is_below(actual, wanted):
        return ONE
    match actual, wanted:
        case _, Disc(inner) if not isinstance(actual, Disc) and is_below(actual, inner) and not holds_box(actual):
            return ONE if is_apart(actual) else INF
        case _, Maybe(inner) if not isinstance(actual, Maybe) and is_value_of(actual, inner):
            return ONE if is_apart(actual) else INF
        case Table(rows=rows), Table(rows=None) if rows is not None and is_below(evolve(actual, rows=None), wanted):
            if all(map(is_two_valued, actual.types)):
                # Rows that differ are at least 1 apart in every norm; a replaced one leaves and enters.
                return TWO
            return ONE if all(column == REAL for column in actual.types) else None
        case _:
            return None


def holds_box(type_: Type) -> bool:
    match type_:
        case Box() | Arrow() | Scheme() | Unknown():
            return True
        case Table(rows=rows):
            return rows is None or any(map(holds_box, type_.types))
        case Times(left, right) | And(left, right) | Plus(left, right):
            return holds_box(left) or holds_box(right)
        case _:
            return False


def is_value_of(left: Type, right: Type) -> bool:
    """Whether all values of one type are values of another, at whatever distances."""
    return not holds_box(left) and (is_below(left, right) or (isinstance(right, Disc) and is_below(left, right.inner)))


def is_below(left: Type, right: Type) -> bool:
    if left is right or left == right:
        return True
    match left, right:
        case Static(_, True), Plain("ℕ"):
            return True
        case Static(_, False), Plain("ℝ"):
            return True
        case Within(), Plain("ℝ"):
            return True
        case Within(low, high), Within(least, greatest):
            return least <= low <= high <= greatest
        case Static(value, False), Within(low, high):
            return Num.exactly(low) <= value and value <= Num.exactly(high)
        case Static(value, natural), Static(other, wanted):
            return natural == wanted and value.is_same(other)
        case Index(), Plain("ℕ"):
            return True
        case Static(value, True), Index(size):
            return value + ONE <= size
        case Index(size), Index(wanted):
            return size <= wanted
        case (Disc(Plain("𝔹" | "𝕊" | "Date") as inner), other) | (other, Disc(Plain("𝔹" | "𝕊" | "Date") as inner)) if (
            other == inner
        ):
            return True
        case Maybe(a), Maybe(b):
            return is_value_of(a, b)
        case _, Maybe(inner):
            return is_apart(left) and is_value_of(left, inner)
        case (Disc(a), Disc(b)) | (SetOf(a), SetOf(b)):
            return is_below(a, b)
        case (Times(a, b), Times(c, d)) | (And(a, b), And(c, d)) | (Plus(a, b), Plus(c, d)):
            return is_below(a, c) and is_below(b, d)
        case Table(), Table():
            return table_is_below(left, right)
        case Box(debt, inner), Box(allowed, wanted):
            return all(s <= allowed.get(root, ZERO) for root, s in debt.items()) and is_below(inner, wanted)
        case Arrow(domain, s, codomain), Arrow(wanted_domain, t, wanted_codomain):
            return is_below(wanted_domain, domain) and s <= t and is_below(codomain, wanted_codomain)
        case _:
            return False


def table_is_below(left: Table, right: Table) -> bool:
    if (left.rows is None) != (right.rows is None) or len(left.columns) != len(right.columns):
        return False
    if left.rows is not None and right.rows is not None and not left.rows.is_same(right.rows):
        return False
    if not is_finer(left.norm, right.norm):
        return False
    if right.ball is not None:
        if left.ball is None or not is_finer(left.ball.norm, right.ball.norm):
            return False
        if not left.ball.bound <= right.ball.bound:
            return False
    return all(
        wanted_name in (None, name) and is_below(type_, wanted)
        for (name, type_), (wanted_name, wanted) in zip(left.columns, right.columns, strict=True)
    )


def widened_cell(type_: Type) -> Type:
    """A cell without the range of its numbers."""
    return widened(type_) if isinstance(type_, Disc | Maybe) else type_


def without_ranges(table: Table) -> Table:
    return evolve(table, columns=tuple((name, widened_cell(type_)) for name, type_ in table.columns))


def unranged(type_: Type) -> Type:
    """Without the ranges of numbers, also of those inside values."""
    match type_:
        case Disc(Within()):
            return DATA
        case Disc(inner) | Maybe(inner) | SetOf(inner):
            return type(type_)(unranged(inner))
        case Times(left, right) | And(left, right) | Plus(left, right):
            return type(type_)(unranged(left), unranged(right))
        case Box(debt, inner):
            return Box(debt, unranged(inner))
        case Table():
            return evolve(type_, columns=tuple((name, unranged(column)) for name, column in type_.columns))
        case _:
            return type_


def widened(type_: Type) -> Type:
    """Without what is known of single values."""
    match type_:
        case Static(_, natural):
            return NAT if natural else REAL
        case Index():
            return NAT
        case Within():
            return REAL
        case Disc(Within()):
            return DATA
        case Maybe(Disc(Within())):
            return Maybe(DATA)
        case Times(left, right):
            return Times(widened(left), widened(right))
        case _:
            return type_


def joined(left: Type, right: Type) -> Type:
    """A type that both fit."""
    if is_below(left, right):
        return right
    if is_below(right, left):
        return left
    match left, right:
        case Disc(Within(a, b)), Disc(Within(c, d)):
            return Disc(Within(min(a, c), max(b, d)))
        case Maybe(Disc(Within()) as a), Maybe(Disc(Within()) as b):
            return Maybe(joined(a, b))
        case Table(), Table():
            coarser = right.norm if is_finer(left.norm, right.norm) else left.norm
            balls = [ball for ball in (left.ball, right.ball) if ball is not None]
            for ball in (*balls, None):
                for shape in (left, right):
                    wanted = evolve(shape, norm=coarser, ball=ball)
                    if is_below(left, wanted) and is_below(right, wanted):
                        return wanted
            plain = without_ranges(left), without_ranges(right)
            assert plain != (left, right), (left, right)
            return joined(*plain)
        case Times(a, b), Times(c, d):
            return Times(joined(a, c), joined(b, d))
        case And(a, b), And(c, d):
            return And(joined(a, c), joined(b, d))
        case Plus(a, b), Plus(c, d):
            return Plus(joined(a, c), joined(b, d))
        case _:
            pass
    wide = widened(left), widened(right)
    assert wide != (left, right), (left, right)
    return joined(*wide)


def forgotten(type_: Type, marks: set[str]) -> Type:
    """A type whose numbers no longer tell that they were computed from some kind variables: these are known now."""

    def plain(number: Num) -> Num:
        return evolve(number, of=number.of - marks)

    def go(inner: Type) -> Type:
        return forgotten(inner, marks)

    match type_:
        case Static(value, natural):
            return Static(plain(value), natural)
        case Index(size):
            return Index(plain(size))
        case Disc(inner):
            return Disc(go(inner))
        case Maybe(inner):
            return Maybe(go(inner))
        case SetOf(inner):
            return SetOf(go(inner))
        case Times(left, right) | And(left, right) | Plus(left, right):
            return type(type_)(go(left), go(right))
        case Box(debt, inner):
            return Box({root: plain(s) for root, s in debt.items()}, go(inner))
        case Arrow(domain, s, codomain):
            return Arrow(go(domain), plain(s), go(codomain))
        case Table(norm, ball, rows, columns):
            return Table(
                norm,
                None if ball is None else Ball(ball.norm, plain(ball.bound)),
                None if rows is None else plain(rows),
                tuple((name, go(column)) for name, column in columns),
            )
        case _:
            return type_
