"""The types that random programs are made of, and how they are written."""

from __future__ import annotations

from fractions import Fraction

from attrs import evolve, frozen

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.source import Source, Span

_SOURCE = Source("random.duet", "")
SPAN = Span(_SOURCE, 0, 0)


@frozen
class Scalar:
    """ℝ, 𝔻, ℕ, 𝔹, 𝐝 ℕ, 𝔻? or ℝ?."""

    name: str


R, D, N, B, DN = Scalar("ℝ"), Scalar("𝔻"), Scalar("ℕ"), Scalar("𝔹"), Scalar("𝐝 ℕ")
MD, MR = Scalar("𝔻?"), Scalar("ℝ?")
ANSWER = Scalar("𝕀[3]")
ANSWERS = 3


@frozen
class Both:
    """ℝ × ℝ and its kin."""

    left: Scalar
    right: Scalar


@frozen
class Either:
    """ℝ & ℝ."""


@frozen
class OneOf:
    """ℝ + ℝ."""


@frozen
class Grid:
    """A matrix of ℝ or 𝔻.

    Parameters
    ----------
    rows
        A numeral, the name of a size variable, or None for ★.
    ball
        The bound on the rows in its type, if any.
    named
        Whether the columns are called a, b, c.
    """

    norm: Norm
    rows: int | str | None
    width: int
    element: Scalar
    ball: tuple[Norm, int] | None = None
    named: bool = False

    @property
    def bare(self) -> Grid:
        """The shape without what a wider type forgets."""
        return evolve(self, ball=None, named=False)


@frozen
class Frame:
    """A table of ages, numbers and weights, 𝔻 in a range, 𝐝 ℕ and 𝔻? in another one, under these names.

    Parameters
    ----------
    rows
        A numeral, the name of a size variable, or None for ★.
    is_measured
        Whether it has heights as well, which are ℝ.
    """

    rows: int | str | None
    is_measured: bool = False


Shape = Scalar | Both | Either | OneOf | Grid | Frame
COLUMNS = "abc"
LOSSES: tuple[tuple[str, tuple[ast.SExp, ...], int], ...] = (
    ("LR", (), 1),
    ("LR", (), 1),
    ("HINGE", (), 1),
    ("LS", (), 1),
    ("HUBER", (), 1),
    ("HUBER", (ast.RealLit(SPAN, Fraction(2)),), 1),
    ("SOFTMAX", (ast.StaticNat(SPAN, ast.RNum(SPAN, Fraction(2), False)),), 2),
)
"""Losses, their numbers, and how many classes they have."""
Scope = tuple[tuple[str, Shape], ...]
NORMS = (Norm.L1, Norm.L2, Norm.LINF)
FACTORS = tuple(map(Fraction, ("0.5", "2", "3", "0.25", "-1", "-2.5")))
NUMBERS = tuple(map(Fraction, ("0", "1", "2.5", "-3", "5", "100")))


def prim(name: str, *args: ast.SExp) -> ast.SExp:
    return ast.Prim(SPAN, name, args)


def sets(first: ast.SExp, element: ast.SExp) -> ast.SExp:
    return ast.SetLit(SPAN, (first, ast.SetLit(SPAN, (element, ast.NatLit(SPAN, 2)))))


def clip(norm: Norm, bound: int, arg: ast.SExp) -> ast.SExp:
    return ast.Prim(SPAN, "mclip", (arg,), norm=norm, bounds=(ast.RealLit(SPAN, Fraction(bound)),))


def renorm(norm: Norm, arg: ast.SExp) -> ast.SExp:
    return ast.Prim(SPAN, "renorm", (arg,), norm=norm)


def fits(known: Shape, wanted: Shape) -> bool:
    """Whether a variable of a type may stand where another is wanted: the same, or a finer one."""
    if known == wanted:
        return True
    if not isinstance(known, Grid) or not isinstance(wanted, Grid):
        return False
    if NORMS.index(known.norm) > NORMS.index(wanted.norm) or (wanted.named and not known.named):
        return False
    if wanted.ball is not None:
        if known.ball is None or NORMS.index(known.ball[0]) > NORMS.index(wanted.ball[0]):
            return False
        if known.ball[1] > wanted.ball[1]:
            return False
    return evolve(known.bare, norm=wanted.norm) == wanted.bare


AGES, WEIGHTS = (Fraction(-3, 2), Fraction(5, 2)), (Fraction(0), Fraction(1, 10))
"""Between which numbers they lie. One tenth is no double."""


def within(shape: Shape, ends: tuple[Fraction, Fraction]) -> ast.TWithin:
    low, high = (ast.End(SPAN, end < 0, ast.RNum(SPAN, abs(end), True)) for end in ends)
    return ast.TWithin(SPAN, written(shape), low, high)


def written(shape: Shape) -> ast.Type:
    """The type as it would be written."""
    match shape:
        case Scalar("𝐝 ℕ"):
            return ast.TDisc(SPAN, ast.TBase(SPAN, "ℕ"))
        case Scalar("𝔻"):
            return ast.TDisc(SPAN, ast.TBase(SPAN, "ℝ"))
        case Scalar("𝔻?"):
            return ast.TMissing(SPAN, written(D))
        case Scalar("ℝ?"):
            return ast.TMissing(SPAN, written(R))
        case Scalar("𝕀[3]"):
            return ast.TIdx(SPAN, ast.RNum(SPAN, Fraction(ANSWERS), False))
        case Scalar(name):
            return ast.TBase(SPAN, name)
        case Both(left, right):
            return ast.TBinary(SPAN, "×", written(left), written(right))
        case Either():
            return ast.TBinary(SPAN, "&", written(R), written(R))
        case OneOf():
            return ast.TBinary(SPAN, "+", written(R), written(R))
        case Frame(rows, is_measured):
            heights = ast.SCons(SPAN, "height", written(R), ast.SEmpty(SPAN)) if is_measured else ast.SEmpty(SPAN)
            weights = ast.SCons(SPAN, "weight", within(MD, WEIGHTS), heights)
            numbers = ast.SCons(SPAN, "number", written(DN), weights)
            columns = ast.SCons(SPAN, "age", within(D, AGES), numbers)
            return ast.TMatrix(SPAN, Norm.LINF, ast.ClipBound(SPAN, None, None), written_rows(rows), columns)
        case Grid(norm, rows, width, element, ball):
            bound = ast.ClipBound(SPAN, None, None)
            if ball is not None:
                bound = ast.ClipBound(SPAN, ball[0], ast.RNum(SPAN, Fraction(ball[1]), False))
            schema: ast.Schema = ast.SUniform(SPAN, ast.RNum(SPAN, Fraction(width), False), written(element))
            if shape.named:
                schema = ast.SEmpty(SPAN)
                for name in reversed(COLUMNS[:width]):
                    schema = ast.SCons(SPAN, name, written(element), schema)
            return ast.TMatrix(SPAN, norm, bound, written_rows(rows), schema)


def written_rows(rows: int | str | None) -> ast.RExp | None:
    if rows is None:
        return None
    return ast.RNum(SPAN, Fraction(rows), False) if isinstance(rows, int) else ast.RVar(SPAN, rows)
