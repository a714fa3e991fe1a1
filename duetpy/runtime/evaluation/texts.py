"""Functions of texts, of one or of one in each lane.

Contract. All are total. A result is no longer than the longest argument, and what is written of a number has 309 characters at
most. Nothing depends on the language of the machine or on the version of Unicode that Python knows, so a run can be
repeated anywhere: letters with two cases, and white space, are those of `letters`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from fractions import Fraction

import numpy as np

from duetpy.runtime.exact.rationals import plain
from duetpy.runtime.sources.cells import parse_real
from duetpy.runtime.values import letters
from duetpy.runtime.values.batching import lane, lanes_in, spread
from duetpy.runtime.values.values import Missing, MissingLanes, Texts, Truths, Value, texts_of


def length(value: Value) -> Value:
    if isinstance(value, Texts):
        return plain(np.array([len(text) for text in value.values.tolist()], dtype=np.float64), natural=True)
    return len(_one(value))


def beginning(count: Value, value: Value) -> Value:
    return _cut(count, value, lambda text, number: text[:number])


def end(count: Value, value: Value) -> Value:
    return _cut(count, value, lambda text, number: text[max(0, len(text) - number) :])


def lowered(value: Value) -> Value:
    return _each(value, lambda text: text.translate(letters.SMALL))


def raised(value: Value) -> Value:
    return _each(value, lambda text: text.translate(letters.CAPITAL))


def trimmed(value: Value) -> Value:
    return _each(value, lambda text: text.strip(letters.WHITE_SPACE))


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
