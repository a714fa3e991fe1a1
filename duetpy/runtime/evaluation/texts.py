"""Functions of texts, of one or of one in each lane.

Contract. All are total. A result is no longer than the longest argument, and what is written of a number has 309 characters at
most. Nothing depends on the language of the machine or on the version of Unicode that Python knows, so a run can be
repeated anywhere: the letters with two cases are those of `_CASES`, and white space is `WHITE_SPACE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from fractions import Fraction

import numpy as np

from duetpy.runtime.exact.rationals import plain
from duetpy.runtime.sources.cells import parse_real
from duetpy.runtime.values.batching import lane, lanes_in, spread
from duetpy.runtime.values.values import Missing, MissingLanes, Texts, Truths, Value, texts_of

WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005"
    "\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""The characters with the property White_Space (Unicode 4.0 and later, PropList.txt)."""

_CASES: tuple[tuple[int, int, int, int], ...] = (
    (0x41, 0x5A, 1, 32),  # A to Z
    (0xC0, 0xD6, 1, 32),  # À to Ö
    (0xD8, 0xDE, 1, 32),  # Ø to Þ
    (0x100, 0x12E, 2, 1),  # Ā to Į
    (0x132, 0x136, 2, 1),  # Ĳ to Ķ
    (0x139, 0x147, 2, 1),  # Ĺ to Ň
    (0x14A, 0x176, 2, 1),  # Ŋ to Ŷ
    (0x178, 0x178, 1, -121),  # Ÿ
    (0x179, 0x17D, 2, 1),  # Ź to Ž
    (0x386, 0x386, 1, 38),  # Ά
    (0x388, 0x38A, 1, 37),  # Έ to Ί
    (0x38C, 0x38C, 1, 64),  # Ό
    (0x38E, 0x38F, 1, 63),  # Ύ, Ώ
    (0x391, 0x3A1, 1, 32),  # Α to Ρ
    (0x3A3, 0x3AB, 1, 32),  # Σ to Ϋ
    (0x400, 0x40F, 1, 80),  # Ѐ to Џ
    (0x410, 0x42F, 1, 32),  # А to Я
    (0x460, 0x480, 2, 1),  # Ѡ to Ҁ
    (0x48A, 0x4BE, 2, 1),  # Ҋ to Ҿ
)
"""Capitals, from one to another in steps, and how far from each its small letter is (Unicode 4.0, UnicodeData.txt: simple case
mappings of Basic Latin, Latin-1, Latin Extended-A, Greek and Cyrillic). The dotted İ and the dotless ı have no partner here: which
one it is depends on the language."""


def _pairs() -> Iterator[tuple[int, int]]:
    return ((capital, capital + way) for low, high, step, way in _CASES for capital in range(low, high + 1, step))


SMALL: dict[int, int] = dict(_pairs())
"""A capital ↦ its small letter."""

CAPITAL: dict[int, int] = {small: capital for capital, small in SMALL.items()} | {ord("ς"): ord("Σ")}
"""A small letter ↦ its capital."""


def length(value: Value) -> Value:
    if isinstance(value, Texts):
        return plain(np.array([len(text) for text in value.values.tolist()], dtype=np.float64), natural=True)
    return len(_one(value))


def beginning(count: Value, value: Value) -> Value:
    return _cut(count, value, lambda text, number: text[:number])


def end(count: Value, value: Value) -> Value:
    return _cut(count, value, lambda text, number: text[max(0, len(text) - number) :])


def lowered(value: Value) -> Value:
    return _each(value, lambda text: text.translate(SMALL))


def raised(value: Value) -> Value:
    return _each(value, lambda text: text.translate(CAPITAL))


def trimmed(value: Value) -> Value:
    return _each(value, lambda text: text.strip(WHITE_SPACE))


def contains(value: Value, part: Value) -> Value:
    return _asked(value, part, lambda text, other: other in text)


def starts(value: Value, start: Value) -> Value:
    return _asked(value, start, lambda text, other: text.startswith(other))


def number(value: Value) -> Value:
    if not isinstance(value, Texts):
        found = _spelled(_one(value))
        return Missing(Fraction(0)) if found is None else Fraction(found)
    spelled = [_spelled(text) for text in value.values.tolist()]
    is_there = np.array([each is not None for each in spelled], dtype=np.bool_)
    return MissingLanes(
        is_there, plain(np.array([0.0 if each is None else each for each in spelled], dtype=np.float64))
    )


def written(value: Value) -> Value:
    lanes = lanes_in(value)
    if lanes is not None:
        return texts_of([_text(lane(value, at)) for at in range(lanes)])
    return _text(value)


def _text(value: Value) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case date():
            return value.isoformat()
        case _:
            raise AssertionError("the checker lets only natural numbers, truth values and days through")


def _spelled(text: str) -> float | None:
    """The number that a text spells; a text beyond ASCII spells none."""
    return parse_real(text.encode()) if text.isascii() else None


def _one(value: Value) -> str:
    assert isinstance(value, str), "the checker lets only texts through"
    return value


def _each(value: Value, function: Callable[[str], str]) -> Value:
    if isinstance(value, Texts):
        return texts_of([function(text) for text in value.values.tolist()])
    return function(_one(value))


def _asked(value: Value, other: Value, question: Callable[[str, str], bool]) -> Value:
    lanes = lanes_in(value, other)
    if lanes is None:
        return question(_one(value), _one(other))
    first, second = _texts(value, lanes), _texts(other, lanes)
    return Truths(np.array([question(*pair) for pair in zip(first, second, strict=True)], dtype=np.bool_))


def _cut(count: Value, value: Value, function: Callable[[str, int], str]) -> Value:
    lanes = lanes_in(count, value)
    if lanes is None:
        assert isinstance(count, int)
        return function(_one(value), count)
    numbers = [count] * lanes if isinstance(count, int) else [_count(count, at) for at in range(lanes)]
    return texts_of([function(text, at) for text, at in zip(_texts(value, lanes), numbers, strict=True)])


def _count(counts: Value, at: int) -> int:
    found = lane(counts, at)
    assert isinstance(found, int), "the checker lets only natural numbers through"
    return found


def _texts(value: Value, lanes: int) -> list[str]:
    laned = spread(value, lanes)
    assert isinstance(laned, Texts), "the checker lets only texts through"
    return list(laned.values.tolist())
