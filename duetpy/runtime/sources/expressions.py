"""The expressions that a query may contain, and what they are for a block of rows.

Contract. The forms are closed. `kind_in` decides from the kinds of the columns alone whether an expression has a value, and
`computed` then gives one for every row (`duetpy.runtime.sources.row_functions`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias, assert_never

import numpy as np
from attrs import frozen

from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.sources.problems import problem
from duetpy.runtime.sources.row_functions import (
    Function,
    Numbers,
    Vector,
    Words,
    as_numbers,
    chosen,
    fitting,
    is_true,
    no_longer,
    numbers,
)

ROW_WISE = "D0615"

LONGEST_TEXT = 1 << 16
"""In characters. A query may join a text to itself as often as it has letters: without a limit, how long the text of one row is
would decide whether the run has enough memory."""


@frozen
class Column:
    """The cell of a column."""

    name: str


@frozen
class Constant:
    """A number or a text; None is missing."""

    value: float | str | None


@frozen
class Call:
    """A function of `FUNCTIONS`."""

    name: str
    arguments: tuple[Expression, ...]


@frozen
class Case:
    """The value of the first condition that holds, or the last one."""

    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression


@frozen
class Cast:
    """TRY_CAST to a double."""

    inner: Expression


Expression: TypeAlias = Column | Constant | Call | Case | Cast


def refusal(query: str, what: str) -> DuetError:
    """D0615: a query that is not row-wise."""
    help = "select columns of one table, and filter its rows; duetpy explain D0615 lists what a query may contain"
    return DuetError((problem(ROW_WISE, f"is not a row-wise query: {what}", query, help=help),))


def columns_of(expression: Expression) -> Iterator[str]:
    """The columns that an expression mentions."""
    match expression:
        case Column(name):
            yield name
        case Constant():
            return
        case Call(_, arguments):
            for each in arguments:
                yield from columns_of(each)
        case Case(branches, otherwise):
            for condition, value in branches:
                yield from columns_of(condition)
                yield from columns_of(value)
            yield from columns_of(otherwise)
        case Cast(inner):
            yield from columns_of(inner)
        case _:
            assert_never(expression)


def kind_in(expression: Expression, kinds: Mapping[str, str], origin: str) -> str:
    """What an expression gives: ``n`` numbers, ``t`` texts.

    Raises
    ------
    DuetError
        D0615 where it compares or computes with values of the wrong kind.
    """
    match expression:
        case Column(name):
            return kinds[name]
        case Constant(value):
            return "t" if isinstance(value, str) else "n"
        case Call(name, arguments):
            found = _kinds_of(arguments, kinds, origin)
            return _gives(_function(name, found, origin), found)
        case Case(branches, otherwise):
            if set(_kinds_of([condition for condition, _ in branches], kinds, origin)) != {"n"}:
                raise refusal(origin, "a condition of CASE is a text")
            values = set(_kinds_of([*(value for _, value in branches), otherwise], kinds, origin))
            if len(values) != 1:
                raise refusal(origin, "CASE gives numbers and texts")
            return values.pop()
        case Cast(inner):
            kind_in(inner, kinds, origin)
            return "n"
        case _:
            assert_never(expression)


def _kinds_of(arguments: Sequence[Expression], kinds: Mapping[str, str], origin: str) -> list[str]:
    """The kinds of some arguments. What is missing is of the kind of the others."""
    found = [None if each == Constant(None) else kind_in(each, kinds, origin) for each in arguments]
    known = next((kind for kind in found if kind is not None), "n")
    return [known if kind is None else kind for kind in found]


def _function(name: str, kinds: Sequence[str], origin: str) -> Function:
    found = fitting(name, kinds)
    if found is None:
        raise refusal(
            origin,
            f"{visible(name.removeprefix('COMPARE_').lower())} of such arguments: numbers and texts do not go together",
        )
    return found


def _gives(function: Function, kinds: Sequence[str]) -> str:
    return kinds[0] if function.gives == "=" else function.gives


def texts_in(expression: Expression, kinds: Mapping[str, str]) -> int:
    """How many texts the functions in an expression make of a row."""
    match expression:
        case Column() | Constant():
            return 0
        case Call(_, arguments):
            parts = arguments
        case Case(branches, otherwise):
            parts = (*(each for branch in branches for each in branch), otherwise)
        case Cast(inner):
            parts = (inner,)
        case _:
            assert_never(expression)
    own = not isinstance(expression, Cast) and kind_in(expression, kinds, "") == "t"
    return own + sum(texts_in(each, kinds) for each in parts)


def computed(
    expression: Expression, columns: Mapping[str, Vector], rows: int, kind: str = "n", longest: int = LONGEST_TEXT
) -> Vector:
    """The values of an expression, whose kinds `kind_in` has found to be right.

    Parameters
    ----------
    columns, rows
        The cells of the table.
    kind
        That of a missing constant.
    longest
        How many characters a text that a function makes may have: a longer one is missing.
    """
    kinds = {name: "t" if isinstance(vector, Words) else "n" for name, vector in columns.items()}

    def value(inner: Expression, wanted: str) -> Vector:
        match inner:
            case Column(name):
                return columns[name]
            case Constant(None):
                nothing = np.ones(rows, dtype=np.bool_)
                return (
                    Words(np.full(rows, "", np.object_), nothing) if wanted == "t" else Numbers(np.zeros(rows), nothing)
                )
            case Constant(str() as text):
                return Words(np.full(rows, text, dtype=np.object_), np.zeros(rows, dtype=np.bool_))
            case Constant(number):
                assert isinstance(number, float)
                return numbers(np.full(rows, number), np.zeros(rows, dtype=np.bool_))
            case Call(name, arguments):
                found = _kinds_of(arguments, kinds, "")
                given = [value(each, kind) for each, kind in zip(arguments, found, strict=True)]
                return no_longer(_function(name, found, "").compute(*given), longest)
            case Case(branches, otherwise):
                own = _kinds_of([*(each for _, each in branches), otherwise], kinds, "")[0]
                result = value(otherwise, own)
                for condition, each in reversed(branches):
                    holds = value(condition, "n")
                    assert isinstance(holds, Numbers)
                    result = chosen(is_true(holds), value(each, own), result)
                return result
            case Cast(deeper):
                return as_numbers(value(deeper, "n"))
            case _:
                assert_never(inner)

    return value(expression, kind)
