"""Settings: the public numbers that a person gives (``--set ε=0.5``, ``run(ε=0.5)``) and the names they go by.

A number is exact: ``0.1`` is 1/10. A name may be typed as a program writes it or with its Greek letters spelled out,
since not every keyboard has them; where a program declares both spellings, the exact one is meant.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from fractions import Fraction
from numbers import Rational
from typing import TYPE_CHECKING, TypeAlias

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.diagnostics.closest import closest
from duetpy.diagnostics.display import visible
from duetpy.grammar.dates import date_of
from duetpy.grammar.spelling import GREEK
from duetpy.typecheck.notions import BY_WORD, Notion
from duetpy.typecheck.quantity import QuantityTooLarge

if TYPE_CHECKING:
    from pathlib import Path

_TWINS = str.maketrans(
    GREEK
    | {"ϵ": "eps", "µ": "mu", "′": "'", "ʹ": "'"}
    | {digit: str(value) for value, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")}
)

MAXIMAL_DIGITS = 400
"""A number with more digits or a larger exponent is refused: exact arithmetic on it has no bound in time."""

TOO_LONG = "a number that is computed from these settings has thousands of digits: give shorter ones"

_NUMBER = re.compile(r"([+-]?)([0-9]+|(?=\.))(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,4}))?")
_FRACTION = re.compile(r"([+-]?[0-9]+)/([0-9]+)")


@frozen(eq=False, repr=False)
class DataFile(ByValue):
    """``@bounds.csv``: a public vector or matrix, read from a file."""

    path: Path


@frozen(eq=False, repr=False)
class Public(ByValue):
    """A table that its owner calls public: it may be released in the clear."""

    value: object

    def __repr__(self) -> str:
        return "<public>"


@frozen(eq=False, repr=False)
class Data(ByValue):
    """What its owner calls data: it is not released in the clear, whatever type it has."""

    value: object

    def __repr__(self) -> str:
        return "<data>"


def public(value: object) -> Public:
    """Mark a table, or a set, as public for `Checked.run`.

    Parameters
    ----------
    value
        An array, a data frame or a list of rows for a parameter that the program does not protect. Unmarked, such an
        argument is refused: it would be released in the clear. A set that is a Python list or set needs no mark.
    """
    return Public(value)


@frozen(eq=False, repr=False)
class NoValue(ByValue):
    """What was given for a name and is no value. It may be somebody's, who forgot the quotation marks of a text or whose age is
    missing: so it is not kept, and never told."""


WANTED = 'write 0.5, 1e-6, 1/3, true, false, 2024-02-29, "a text" or @FILE'
"""What values look like."""

Value: TypeAlias = Fraction | bool | str | date | DataFile | NoValue


class SettingError(ValueError):
    """A setting that cannot be understood; the message is for the person who gave it."""


def folded(name: str) -> str:
    """A name with Greek letters and subscripts spelled out, equal for all spellings of one identifier."""
    return unicodedata.normalize("NFC", name).translate(_TWINS)


def parse_assignment(text: str) -> tuple[str, Value]:
    """``NAME=VALUE`` as a name and a value; raises `SettingError`, which does not tell what was given."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise SettingError("a setting must have the form NAME=VALUE")
    return unicodedata.normalize("NFC", name.strip()), parse_value(value.strip())


def parse_value(text: str) -> Value:
    """A decimal number, a fraction, ``true``, ``false``, a day such as ``2024-02-29``, a ``"text"`` or ``@FILE``; `NoValue` for any
    other text."""
    if text in ("true", "false"):
        return text == "true"
    if text.startswith("@") and len(text) > 1:
        from pathlib import Path

        return DataFile(Path(text[1:]))
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return text[1:-1]
    if (day := date_of(text)) is not None:
        return day
    try:
        return parse_number(text)
    except SettingError:
        return NoValue()


def parse_number(text: str) -> Fraction:
    """``-12.5e-3``, ``.5`` or ``1/3``, exactly; raises `SettingError`, which tells the text."""
    if len(text) <= MAXIMAL_DIGITS:
        if match := _NUMBER.fullmatch(text):
            sign, whole, decimals, exponent = match.groups(default="")
            power = int(exponent or "0") - len(decimals)
            if abs(int(exponent or "0")) <= MAXIMAL_DIGITS:
                return Fraction(int(f"{sign}{whole}{decimals}")) * Fraction(10) ** power
        elif (match := _FRACTION.fullmatch(text)) and int(match[2]):
            return Fraction(int(match[1]), int(match[2]))
    raise SettingError(f"'{visible(text[:40])}' is not a number: write 0.5, 1e-6 or 1/3")


def exact(number: Rational) -> Fraction:
    """A whole number or a fraction of any type, held in Python's own integers: those of numpy wrap around."""
    return Fraction(int(number.numerator), int(number.denominator))


def resolve(name: str, declared: Iterable[str]) -> str | None:
    """The declared name that a given name means, or None; raises `SettingError` where two could be meant."""
    known = dict.fromkeys(declared)
    if name in known:
        return name
    key = folded(name)
    meant = [candidate for candidate in known if folded(candidate) == key]
    if len(meant) > 1:
        raise SettingError(
            f"'{visible(name)}' could be {' or '.join(map(visible, meant))}: write the one that you mean"
        )
    return meant[0] if meant else None


def or_else(name: str, declared: Iterable[str]) -> str:
    """``; did you mean ε?`` for a name that is spelt like a declared one, or like its spelling in ASCII; else nothing."""
    spelt = {folded(each): each for each in declared}
    found = closest(folded(name), spelt)
    return f"; did you mean {visible(spelt[found[0]])}?" if found else ""


def resolve_all(given: Mapping[str, object], declared: Iterable[str]) -> tuple[dict[str, object], list[str]]:
    """Settings by declared name, and the given names that nothing declares; raises `SettingError`.

    Two given names may not mean one declared name.
    """
    known = tuple(declared)
    resolved: dict[str, object] = {}
    unknown: list[str] = []
    for name, value in given.items():
        meant = resolve(name, known)
        if meant is None:
            unknown.append(name)
        elif meant in resolved:
            raise SettingError(f"{visible(meant)} is given twice")
        else:
            resolved[meant] = value
    return resolved, unknown


def notion_called(word: str) -> Notion:
    """The notion that a word names; raises `ValueError` where it names none."""
    if not isinstance(word, str) or word not in BY_WORD:
        raise ValueError(f"unknown notion {word!r}: one of {', '.join(BY_WORD)}")
    return BY_WORD[word]


@contextmanager
def short_numbers() -> Iterator[None]:
    """Numbers that are short may have products that are not: that is reported like a bad setting, and is not an internal error."""
    try:
        yield
    except QuantityTooLarge:
        raise SettingError(TOO_LONG) from None


def exact_delta(delta: float | Fraction | str | None) -> Fraction | None:
    """A δ, exactly: a float counts as the decimal that Python prints for it."""
    if delta is None:
        return None
    number = exact(delta) if isinstance(delta, Fraction) else parse_number(str(delta))
    if not 0 < number < 1:
        raise ValueError(f"δ = {delta} is not between 0 and 1")
    return number
