"""The meaning of the primitives and of the operations on tables, on plain values: the functions that the definition applies."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from duetpy.grammar.ast import Norm
from tests.soundness.plain import Number, Table


def as_real(value: Number) -> Number:
    return Fraction(value) if isinstance(value, int) else value


def field_of(record: Table, name: str) -> Any:
    return record.rows[0][position(record, name)]


def position(table: Table, name: str) -> int:
    assert table.names is not None
    return len(table.names) - 1 - table.names[::-1].index(name)


def with_column(name: str, value: Any) -> Table:
    """A record with one column more; a table of one column, which gets a name; a record of one column."""
    match value:
        case (Table() as record, added):
            (entries,) = record.rows
            return Table(((*entries, added),), record.width + 1, (*(record.names or ()), name))
        case Table(rows, width):
            return Table(rows, width, (name,))
        case _:
            return Table(((value,),), 1, (name,))


def record_of(names: list[str], values: list[Any]) -> Table:
    return Table((tuple(values),), len(values), tuple(names))


def partition(name: str, table: Table, keys: frozenset[Any]) -> Table:
    place = position(table, name)
    parts = [tuple(entries for entries in table.rows if entries[place] == key) for key in keys]
    return Table(tuple((table.with_rows(part),) for part in parts), 1)


def join_frames(name: str, left: Table, right: Table) -> Table:
    return join(left, position(left, name), right, position(right, name))


def join_some(name: str, most: int, left: Table, right: Table) -> Table:
    return join(left, position(left, name), right, position(right, name), most)


FRAMES: dict[str, Callable[..., Any]] = {
    "addColDF": with_column,
    "partitionDF": partition,
    "joinDF₁": join_frames,
    "joinDF": join_some,
}


def select(table: Table, chosen: list[str]) -> Table:
    assert table.names is not None
    places = [table.names.index(name) for name in chosen]
    rows = tuple(tuple(entries[place] for place in places) for entries in table.rows)
    once = None if table.a_row is None else tuple(table.a_row[place] for place in places)
    return Table(rows, len(places), tuple(chosen), once)


def remainder(left: int, right: int) -> int:
    return left % right if right else 0


def root(value: Number) -> Number:
    return math.sqrt(value) if value > 0 else Fraction(0)


def logarithm(value: Number) -> Number:
    return math.log(value) if value > 0 else Fraction(0)


def exponential(value: Number) -> Number:
    """e^x, up to the largest double."""
    found = math.exp(min(max(value, Fraction(-800)), Fraction(709))) if value < 709.7 else sys.float_info.max
    # Twice the largest double is a number too.
    return Fraction(found)


def minus(left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int):
        return max(left - right, 0)
    return left - right


def quotient(left: Number, right: Number) -> Number:
    return as_real(left) / right if right else Fraction(0)


def transposed(table: Table) -> Table:
    return Table(tuple(zip(*table.rows, strict=True)), len(table.rows))


def product(left: Table, right: Table) -> Table:
    columns = [[row[j] for row in right.rows] for j in range(right.width)]
    rows = tuple(
        tuple(sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns)
        for row in left.rows
    )
    return Table(rows, right.width, None, (Fraction(0),) * right.width)


def zipped(left: Table, right: Table) -> Table:
    rows = tuple(
        ((Table((a,), left.width, left.names), Table((b,), right.width, right.names)),)
        for a, b in zip(left.rows, right.rows, strict=True)
    )
    return Table(rows, 1)


def chunks(size: int, *tables: Table) -> Table:
    count = len(tables[0].rows) // size
    parts = [[table.with_rows(table.rows[i * size : (i + 1) * size]) for table in tables] for i in range(count)]
    return Table(tuple((part[0] if len(part) == 1 else tuple(part),) for part in parts), 1)


def sorted_rows(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows by what is in them, column after column, what is missing first; as they are where a cell is not plain."""
    if not all(isinstance(entry, str | bool | int | Fraction | date | None) for row in rows for entry in row):
        return rows
    return sorted(rows, key=content)


def content(row: tuple[Any, ...]) -> list[tuple[bool, Any]]:
    """By what rows are ordered."""
    return [(entry is not None, 0 if entry is None else entry) for entry in row]


def a_row(table: Table, of: Callable[..., tuple[Any, ...]]) -> Table | None:
    """The least or the greatest row, as a record."""
    return table.with_rows((of(table.rows, key=content),)) if table.rows else None


def mode(table: Table) -> Any:
    """What is in a column most often, and of several the least."""
    values = [entry for (entry,) in table.rows if entry is not None]
    return min(set(values), key=lambda value: (-values.count(value), value), default=None)


def join(left: Table, left_key: int, right: Table, right_key: int, most: int = 1) -> Table:
    """Each row of the left with the least rows of the right that have the same key, so many at most."""
    made: list[tuple[Any, ...]] = []
    for entries in left.rows:
        partners = [other for other in right.rows if other[right_key] == entries[left_key] is not None]
        made += [entries + other for other in sorted_rows(partners)[:most]]
    taken = set(left.names or ())
    left_names = left.names or (None,) * left.width
    right_names = tuple(None if name in taken else name for name in right.names or (None,) * right.width)
    once = left.a_row + right.a_row if left.a_row is not None and right.a_row is not None else None
    return Table(tuple(made), left.width + right.width, left_names + right_names, once)


def mclip(norm: Norm, bound: Number, table: Table) -> Table:
    """Every row within a ball: clamped in L∞, scaled down in L1 and L2."""

    def within(row: tuple[Number, ...]) -> tuple[Number, ...]:
        if norm is Norm.LINF:
            return tuple(min(max(entry, -bound), bound) for entry in row)
        length = sum((abs(entry) for entry in row), Fraction(0)) if norm is Norm.L1 else exact_hypot(row)
        return row if length <= bound else tuple(entry * bound / length for entry in row)

    return table.with_rows(tuple(within(row) for row in table.rows))


def exact_hypot(row: tuple[Number, ...]) -> Number:
    """The Euclidean length, exact where it is rational."""
    squares = sum((Fraction(entry) ** 2 for entry in row), Fraction(0))
    top, bottom = math.isqrt(squares.numerator), math.isqrt(squares.denominator)
    if top * top == squares.numerator and bottom * bottom == squares.denominator:
        return Fraction(top, bottom)
    return math.sqrt(squares)


def logistic(z: float) -> float:
    """1/(1 + e^−z)."""
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


def gradients(loss: str | None, numbers: list[Number], theta: Table, xs: Table, ys: Table) -> Table:
    """Row i: the gradient of the loss at row i, class after class."""
    model = theta.rows[0]
    made = []
    for row, (label,) in zip(xs.rows, ys.rows, strict=True):
        parts = [model[at : at + xs.width] for at in range(0, len(model), xs.width)]
        margins = [
            sum((Fraction(a) * Fraction(b) for a, b in zip(part, row, strict=True)), Fraction(0)) for part in parts
        ]
        made.append(tuple(float(w) * float(entry) for w in weights(loss, numbers, margins, label) for entry in row))
    return Table(tuple(made), theta.width)


def step(loss: str | None, numbers: list[Number], theta: Table, xs: Table, ys: Table) -> Table:
    """θ − η⋅(∇ + λ⋅θ)."""
    *own, length, weakening = numbers
    (model,) = theta.rows
    slope = [Fraction(0)] * len(model)
    for row, (label,) in zip(xs.rows, ys.rows, strict=True):
        margin = sum((Fraction(a) * Fraction(b) for a, b in zip(model, row, strict=True)), Fraction(0))
        (weight,) = weights(loss, own, [margin], label)
        slope = [total + Fraction(weight) * Fraction(entry) for total, entry in zip(slope, row, strict=True)]
    moved = (
        Fraction(a) - Fraction(length) * (total / len(xs.rows) + Fraction(weakening) * Fraction(a))
        for a, total in zip(model, slope, strict=True)
    )
    return Table((tuple(moved),), theta.width)


def weights(loss: str | None, numbers: list[Number], margins: list[Fraction], label: Number) -> list[Number]:
    """The derivatives of the loss by the margins."""
    z, y = margins[0], (1 if label > 0 else -1)
    match loss:
        case "LR":  # log(1 + exp(−y z)); beyond ±700 the weight is 0 or 1 to the last digit
            return [-y * logistic(-y * float(min(max(z, Fraction(-700)), Fraction(700))))]
        case "HINGE":  # max(0, 1 − y z)
            return [-y if y * z < 1 else 0]
        case "LS":
            return [min(max(z - label, -1), 1)]
        case "HUBER":  # r²/2 for |r| ≤ c, else c⋅(|r| − c/2), with r = z − label
            c = numbers[0] if numbers else 1
            return [min(max(z - label, -c), c)]
        case _:  # log Σ exp zⱼ − z_label
            odds = [math.exp(max(float(z - max(margins)), -700)) for z in margins]
            own = math.floor(min(max(label, 0), len(margins) - 1))
            return [odd / sum(odds) - (at == own) for at, odd in enumerate(odds)]


def mean(table: Table) -> Table:
    count = len(table.rows)
    return Table((tuple(sum(float(row[j]) for row in table.rows) / count for j in range(table.width)),), table.width)


def sign(value: Number) -> Number:
    return Fraction((value > 0) - (value < 0))


def same(value: Any) -> Any:
    return value


def days_later(day: date, count: Number) -> date:
    """So many days later, one after the other as far as the calendar goes."""
    try:
        return day + timedelta(days=math.trunc(count))
    except OverflowError:
        return date.max if count > 0 else date.min


def small(letter: str) -> str:
    """The small letter of a capital of an alphabet of Europe, where one letter has one."""
    other = letter.lower()
    return other if letter < "\u0500" and len(other) == 1 and other.upper() == letter else letter


def capital(letter: str) -> str:
    other = letter.upper()
    return other if letter < "\u0500" and len(other) == 1 and other.lower() == letter else letter


def spelled(text: str) -> Fraction | None:
    """What a text spells, if it does so as cells of a file do."""
    bare = text.strip(" \t")
    return Fraction(float(bare)) if bare and set(bare) <= set("0123456789") else None


def written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.isoformat() if isinstance(value, date) else str(value)


PRIMITIVES: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": minus,
    "⋅": lambda a, b: a * b,
    "/": quotient,
    "%": remainder,
    "⊔": max,
    "⊓": min,
    "√": root,
    "㏒": logarithm,
    "year": lambda day: day.year,
    "month": lambda day: day.month,
    "day": lambda day: day.day,
    "weekday": lambda day: day.isoweekday(),
    "month-start": lambda day: date(day.year, day.month, 1),
    "days": lambda first, second: Fraction((second - first).days),
    "add-days": days_later,
    "dates": lambda first, last: frozenset(first + timedelta(at) for at in range((last - first).days + 1)),
    "length": len,
    "prefix": lambda count, text: text[:count],
    "suffix": lambda count, text: text[max(len(text) - count, 0) :],
    "lower": lambda text: "".join(small(letter) for letter in text),
    "upper": lambda text: "".join(capital(letter) for letter in text),
    "trim": lambda text: text.strip(),
    "contains": lambda text, part: text.find(part) >= 0,
    "starts": lambda text, start: text[: len(start)] == start,
    "number": spelled,
    "text": written,
    "or-else": lambda a, b: b if a is None else a,
    "is-missing": lambda a: a is None,
    "≡": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "≤": lambda a, b: a <= b,
    "∧": lambda a, b: a and b,
    "∨": lambda a, b: a or b,
    "∈": lambda a, b: a in b,
    "unionAll": lambda sets: frozenset().union(*sets),
    "real": as_real,
    "dyn": same,
    "idx": same,
    "sign": sign,
    "floor": lambda x: Fraction(math.floor(x)),
    "ceil": lambda x: Fraction(math.ceil(x)),
    "round": lambda x: Fraction(round(x)),
    "exp": exponential,
    "abs": abs,
    "tanh": lambda x: Fraction(math.tanh(min(max(x, Fraction(-30)), Fraction(30)))),
    "disc": same,
    "conv": same,
    "box": same,
    "unbox": same,
    "mconv": same,
    "renorm": same,
    "fst": lambda pair: pair[0],
    "snd": lambda pair: pair[1],
    "first": lambda table: a_row(table, min),
    "last": lambda table: a_row(table, max),
    "mode": mode,
    "elements": lambda table: frozenset(entry for (entry,) in table.rows if entry is not None),
    "distinct": lambda table: table.with_rows(tuple(dict.fromkeys(table.rows))),
    "rows": lambda table: len(table.rows),
    "cols": lambda table: table.width,
    "count": lambda table: Fraction(sum(1 for row in table.rows for entry in row if entry)),
    "tr": transposed,
    "×": product,
    "zip": zipped,
}
