"""What a query computes from a row.

Contract. Every function here is total, and what it gives for a row depends on the cells of that row alone. A value that is missing
(NULL), a number that is not finite, and what cannot be computed (x / 0, an overflow, a text that is not a number, or is too
long) are all one thing: missing. Logic has three values, as in SQL. Numbers are doubles; truth values are the numbers 1 and 0;
texts are compared character by character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.runtime.sources.cells import parse_real

Missing: TypeAlias = NDArray[np.bool_]


@frozen(eq=False)
class Numbers:
    """Numbers, and which are missing."""

    values: NDArray[np.float64]
    missing: Missing


@frozen(eq=False)
class Words:
    """Texts, and which are missing."""

    values: NDArray[np.object_]
    missing: Missing


Vector: TypeAlias = Numbers | Words


def numbers(values: NDArray[np.float64], missing: Missing) -> Numbers:
    """Numbers of which those that are not finite are missing. Zero has no sign."""
    absent = missing | ~np.isfinite(values)
    return Numbers(np.where(absent, 0.0, values) + 0.0, absent)


def truths(values: NDArray[np.bool_], missing: Missing) -> Numbers:
    return Numbers(np.where(missing, 0.0, values.astype(np.float64)), missing)


def words(values: Sequence[str | None]) -> Words:
    found = np.fromiter(("" if value is None else value for value in values), dtype=np.object_, count=len(values))
    return Words(found, np.fromiter((value is None for value in values), dtype=np.bool_, count=len(values)))


def part_of(vector: Vector, rows: slice) -> Vector:
    """Some rows of a vector."""
    if isinstance(vector, Numbers):
        return Numbers(vector.values[rows], vector.missing[rows])
    return Words(vector.values[rows], vector.missing[rows])


def no_longer(vector: Vector, longest: int) -> Vector:
    """A vector whose texts of more characters are missing."""
    if isinstance(vector, Numbers):
        return vector
    too_long = np.fromiter((len(text) > longest for text in vector.values), dtype=np.bool_, count=len(vector.values))
    if not too_long.any():
        return vector
    return Words(np.where(too_long, "", vector.values), vector.missing | too_long)


def is_true(vector: Numbers) -> NDArray[np.bool_]:
    return np.asarray(~vector.missing & (vector.values != 0.0), dtype=np.bool_)


def is_false(vector: Numbers) -> NDArray[np.bool_]:
    return np.asarray(~vector.missing & (vector.values == 0.0), dtype=np.bool_)


@frozen
class Function:
    """A function of a row.

    Parameters
    ----------
    takes
        The kinds of the arguments: ``n`` a number, ``t`` a text, ``=`` of the kind of the first one. A last ``*`` means that what
        precedes it may be repeated.
    gives
        ``n``, ``t``, or ``=`` for the kind of the first argument.
    compute
        From the arguments, all of one length.
    """

    takes: str
    gives: str
    compute: Callable[..., Vector]


def _arithmetic(operation: Callable[..., NDArray[np.float64]]) -> Callable[..., Vector]:
    def compute(*given: Numbers) -> Vector:
        with np.errstate(all="ignore"):
            return numbers(operation(*(each.values for each in given)), _any(given))

    return compute


def _any(given: Sequence[Vector]) -> Missing:
    return np.asarray(np.logical_or.reduce([each.missing for each in given]), dtype=np.bool_)


def _compared(operation: Callable[..., NDArray[np.bool_]]) -> Callable[[Vector, Vector], Vector]:
    def compute(one: Vector, other: Vector) -> Vector:
        return truths(np.asarray(operation(one.values, other.values), dtype=np.bool_), one.missing | other.missing)

    return compute


def _same(one: Vector, other: Vector) -> NDArray[np.bool_]:
    """Whether two values are the same, where two that are missing are."""
    equal = np.asarray(one.values == other.values, dtype=np.bool_)
    return (one.missing & other.missing) | (~one.missing & ~other.missing & equal)


def _not_distinct(one: Vector, other: Vector) -> Vector:
    return truths(_same(one, other), np.zeros(len(one.missing), dtype=np.bool_))


def _distinct(one: Vector, other: Vector) -> Vector:
    return truths(~_same(one, other), np.zeros(len(one.missing), dtype=np.bool_))


def negation(given: Numbers) -> Numbers:
    return truths(given.values == 0.0, given.missing)


def conjunction(*given: Numbers) -> Numbers:
    """False if one is, else missing if one is."""
    is_no = np.logical_or.reduce([is_false(each) for each in given])
    return truths(~is_no, ~is_no & _any(given))


def disjunction(*given: Numbers) -> Numbers:
    """True if one is, else missing if one is."""
    is_yes = np.logical_or.reduce([is_true(each) for each in given])
    return truths(is_yes, ~is_yes & _any(given))


def _is_null(given: Vector) -> Vector:
    return truths(given.missing.copy(), np.zeros(len(given.missing), dtype=np.bool_))


def _is_not_null(given: Vector) -> Vector:
    return truths(~given.missing, np.zeros(len(given.missing), dtype=np.bool_))


def _one_of(given: Vector, *others: Vector) -> Numbers:
    return disjunction(*(_equal(given, each) for each in others))


def _equal(one: Vector, other: Vector) -> Numbers:
    return truths(np.asarray(one.values == other.values, dtype=np.bool_), one.missing | other.missing)


def _none_of(given: Vector, *others: Vector) -> Vector:
    return negation(_one_of(given, *others))


def chosen(condition: NDArray[np.bool_], one: Vector, other: Vector) -> Vector:
    """One value where a condition holds, and another elsewhere."""
    missing = np.where(condition, one.missing, other.missing)
    if isinstance(one, Words) and isinstance(other, Words):
        return Words(np.where(condition, one.values, other.values), missing)
    assert isinstance(one, Numbers)
    assert isinstance(other, Numbers)
    return Numbers(np.where(condition, one.values, other.values), missing)


def _coalesce(*given: Vector) -> Vector:
    found = given[-1]
    for each in reversed(given[:-1]):
        found = chosen(~each.missing, each, found)
    return found


def _null_if(one: Vector, other: Vector) -> Vector:
    same = is_true(_equal(one, other))
    missing = one.missing | same
    return Words(one.values, missing) if isinstance(one, Words) else Numbers(one.values, missing)


def _extreme(operation: Callable[..., NDArray[np.float64]]) -> Callable[..., Vector]:
    """The largest or smallest of those that are there."""

    def compute(*given: Numbers) -> Vector:
        found = given[0]
        for each in given[1:]:
            both = ~found.missing & ~each.missing
            values = np.where(
                both, operation(found.values, each.values), np.where(found.missing, each.values, found.values)
            )
            found = Numbers(values, found.missing & each.missing)
        return found

    return compute


def _of_texts(operation: Callable[..., str]) -> Callable[..., Vector]:
    def compute(*given: Words) -> Vector:
        found = [operation(*row) for row in zip(*(each.values.tolist() for each in given), strict=True)]
        return Words(np.fromiter(found, dtype=np.object_, count=len(found)), _any(given))

    return compute


def _measured(operation: Callable[..., float]) -> Callable[..., Vector]:
    def compute(*given: Words) -> Vector:
        rows = list(zip(*(each.values.tolist() for each in given), strict=True))
        return numbers(np.fromiter((operation(*row) for row in rows), dtype=np.float64, count=len(rows)), _any(given))

    return compute


def is_like(text: str, pattern: str) -> bool:
    """SQL's LIKE without an escape: ``_`` is any character, ``%`` any number of them. In time |text| · |pattern| at most, and of
    what stands between two ``%`` about as quickly as Python finds it: a long text is one row's."""
    first, *rest = pattern.split("%")
    if not rest:
        return len(text) == len(first) and _fits(text, first, 0)
    *between, last = rest
    at = len(first)
    is_found = _fits(text, first, 0)
    for part in between:
        # What is found first leaves the most for the parts behind it.
        place = _place(text, part, at) if is_found else -1
        is_found, at = place >= 0, place + len(part)
    return is_found and at <= len(text) - len(last) and _fits(text, last, len(text) - len(last))


def _fits(text: str, part: str, at: int) -> bool:
    """Whether a part of a pattern without ``%`` stands at a place."""
    here = text[at : at + len(part)]
    return here == part or (len(here) == len(part) and all(map(_is_either, part, here)))


def _is_either(wanted: str, found: str) -> bool:
    return wanted in ("_", found)


def _place(text: str, part: str, at: int) -> int:
    """The first place, not before another, at which a part stands; -1 if it stands nowhere."""
    if "_" in part and len(part) <= _COMPILED:
        found = _expression(part).search(text, at)
        return -1 if found is None else found.start()
    letters = max(part.split("_"), key=len)
    before = part.index(letters)
    place = text.find(letters, at + before)
    while place >= 0 and not _fits(text, part, place - before):
        place = text.find(letters, place + 1)
    return place if place < 0 else place - before


@lru_cache(maxsize=64)
def _expression(part: str) -> re.Pattern[str]:
    return re.compile(".".join(map(re.escape, part.split("_"))), re.DOTALL)


_COMPILED = 1_000
"""Parts of patterns of up to so many characters become regular expressions. A longer one, which a row may hold, would take too much
memory."""


def as_numbers(given: Vector) -> Numbers:
    """TRY_CAST to a double: of a text the number that it spells, as in a cell of CSV."""
    if isinstance(given, Numbers):
        return given
    read = (parse_real(text.encode("utf-8", "replace")) for text in given.values.tolist())
    values = np.fromiter(
        (np.nan if value is None else value for value in read), dtype=np.float64, count=len(given.values)
    )
    return numbers(values, given.missing)


FUNCTIONS: Mapping[str, Sequence[Function]] = {
    "+": (Function("nn", "n", _arithmetic(np.add)),),
    "-": (Function("nn", "n", _arithmetic(np.subtract)), Function("n", "n", _arithmetic(np.negative))),
    "*": (Function("nn", "n", _arithmetic(np.multiply)),),
    "/": (Function("nn", "n", _arithmetic(np.divide)),),
    "abs": (Function("n", "n", _arithmetic(np.abs)),),
    "floor": (Function("n", "n", _arithmetic(np.floor)),),
    "ceil": (Function("n", "n", _arithmetic(np.ceil)),),
    "ceiling": (Function("n", "n", _arithmetic(np.ceil)),),
    "sign": (Function("n", "n", _arithmetic(np.sign)),),
    "sqrt": (Function("n", "n", _arithmetic(np.sqrt)),),
    "greatest": (Function("n*", "n", _extreme(np.maximum)),),
    "least": (Function("n*", "n", _extreme(np.minimum)),),
    "COMPARE_EQUAL": (Function("==", "n", _equal),),
    "COMPARE_NOTEQUAL": (Function("==", "n", _compared(np.not_equal)),),
    "COMPARE_LESSTHAN": (Function("==", "n", _compared(np.less)),),
    "COMPARE_GREATERTHAN": (Function("==", "n", _compared(np.greater)),),
    "COMPARE_LESSTHANOREQUALTO": (Function("==", "n", _compared(np.less_equal)),),
    "COMPARE_GREATERTHANOREQUALTO": (Function("==", "n", _compared(np.greater_equal)),),
    "COMPARE_DISTINCT_FROM": (Function("==", "n", _distinct),),
    "COMPARE_NOT_DISTINCT_FROM": (Function("==", "n", _not_distinct),),
    "COMPARE_IN": (Function("==*", "n", _one_of),),
    "COMPARE_NOT_IN": (Function("==*", "n", _none_of),),
    "OPERATOR_NOT": (Function("n", "n", negation),),
    "OPERATOR_IS_NULL": (Function("=", "n", _is_null),),
    "OPERATOR_IS_NOT_NULL": (Function("=", "n", _is_not_null),),
    "OPERATOR_COALESCE": (Function("=*", "=", _coalesce),),
    "nullif": (Function("==", "=", _null_if),),
    "CONJUNCTION_AND": (Function("n*", "n", conjunction),),
    "CONJUNCTION_OR": (Function("n*", "n", disjunction),),
    "||": (Function("tt", "t", _of_texts(lambda one, other: one + other)),),
    "lower": (Function("t", "t", _of_texts(str.lower)),),
    "upper": (Function("t", "t", _of_texts(str.upper)),),
    "length": (Function("t", "n", _measured(len)),),
    "contains": (Function("tt", "n", _measured(lambda text, part: part in text)),),
    "starts_with": (Function("tt", "n", _measured(str.startswith)),),
    "ends_with": (Function("tt", "n", _measured(str.endswith)),),
    "~~": (Function("tt", "n", _measured(is_like)),),
    "!~~": (Function("tt", "n", _measured(lambda text, pattern: not is_like(text, pattern))),),
}
"""By the names that the syntax tree of DuckDB has for them. There are no others."""


def fitting(name: str, kinds: Sequence[str]) -> Function | None:
    """The function of a name for arguments of some kinds; None if it has no such function."""
    for function in FUNCTIONS.get(name, ()):
        wanted = function.takes.removesuffix("*")
        if function.takes.endswith("*") and len(kinds) > len(wanted):
            wanted += wanted[-1] * (len(kinds) - len(wanted))
        if len(wanted) == len(kinds) and all(
            kind == (kinds[0] if want == "=" else want) for want, kind in zip(wanted, kinds, strict=True)
        ):
            return function
    return None
