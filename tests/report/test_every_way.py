"""A released value is the same wherever it is shown, also when a ledger shows it again: every way is compared with the value that
the program writes down."""

import csv
import io
import json
import random
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow.parquet
import pytest

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.ledger.store import create
from duetpy.report.release_text import result_text
from duetpy.runtime.release.release import Release
from tests.effort import often
from tests.html import text_of_page

SIGNS = [
    "",
    "a",
    " a ",
    "a,b",
    '"',
    "=1+1",
    "+1",
    "-1",
    "@x",
    "\t",
    "\n",
    "a\r\nb",
    "\x1b[2J",
    "\x00",
    "\u202e",
    "é",
    "日本",
]
SIGNS += [
    "none",
    "null",
    "NaN",
    "1",
    "true",
    "2024-01-01",
    "\\n",
    "<b>",
    "&amp;",
    "\u2028",
    "\x7f",
    "＝1",
    "\U0001f600",
    "'=1",
]
SCALARS: dict[str, list[Any]] = {
    "𝐝 ℕ": [0, 7, 2**53],
    "𝔻": [0.0, -0.5, 0.1, 1e300, 5e-324, 123456.789, 1e16],
    "𝔹": [True, False],
    "𝕊": SIGNS,
    "Date": [date(1, 1, 1), date(2024, 2, 29), date(9999, 12, 31)],
}
NAMES = [
    "a",
    "value",
    "key",
    "error95",
    "value_2",
    "column_1",
    "x y",
    "=n",
    "count",
    "eps",
    "fields",
    "pair",
    "result",
    "é",
    "a,b",
    "<b>",
    "0",
]
Written: TypeAlias = tuple[str, str, Any]
"""A type, an expression of it, and its value in plain Python."""
Maker: TypeAlias = Callable[[], Written]
"""Makes values of one shape."""


def literal(value: Any) -> str:
    match value:
        case str():
            return '"' + "".join(sign if sign.isalnum() else f"\\u{{{ord(sign):x}}}" for sign in value) + '"'
        case date():
            return f'date "{value}"'
        case _:
            return json.dumps(value)


def cells(source: random.Random) -> Maker:
    """Numbers, truth values, texts or days, some of them missing."""
    type_ = source.choice(list(SCALARS))
    can_miss = source.random() < 0.3

    def made() -> Written:
        value = source.choice(SCALARS[type_])
        plain = value.isoformat() if isinstance(value, date) else value
        if not can_miss:
            return type_, literal(value), plain
        if source.random() < 0.5:
            return f"{type_}?", f"none[{type_}]", None
        return f"{type_}?", f"(if true then {literal(value)} else none[{type_}])", plain

    return made


def records(source: random.Random) -> Maker:
    fields = {name: cells(source) for name in source.sample(NAMES, source.randint(1, 4))}

    def made() -> Written:
        values = {name: field() for name, field in fields.items()}
        types = ", ".join(f"{literal(name)} : {type_}" for name, (type_, _, _) in values.items())
        written = ", ".join(f"{literal(name)} = {text}" for name, (_, text, _) in values.items())
        return f"record[{types}]", f"{{ {written} }}", {name: value for name, (_, _, value) in values.items()}

    return made


def values(source: random.Random, depth: int) -> Maker:
    if depth == 0:
        return source.choice((cells, records))(source)
    kind = source.choice(("pair", "both", "set", "set", "sum", "matrix"))
    first, second = values(source, depth - 1), cells(source) if kind == "sum" else values(source, depth - 1)
    if kind in ("sum", "matrix"):
        first = cells(source)
    is_left, size = source.random() < 0.5, source.randint(1, 3)

    def made() -> Written:
        (type_, text, value), (other, beside, right) = first(), second()
        match kind:
            case "pair":
                return f"({type_} × {other})", f"⟨{text}, {beside}⟩", (value, right)
            case "both":
                return f"({type_} & {other})", f"⟨{text} & {beside}⟩", (value, right)
            case "sum" if is_left:
                return f"({type_} + {other})", f"(inl[{other}] {text})", ("inl", value)
            case "sum":
                return f"({type_} + {other})", f"(inr[{type_}] {beside})", ("inr", right)
            case "set":
                elements = [(text, value), *(first()[1:] for _ in range(size))]
                return f"℘({type_})", f"℘{{{', '.join(each for each, _ in elements)}}}", [each for _, each in elements]
            case _:
                body = f"(mcreate[L∞ | ℕ[{size}], ℕ[2]] {{ i, j ⇒ {text} }})"
                return f"𝕄 [L∞, U | {size}, 2⋅{type_}]", body, [[value] * 2] * size

    return made


def listed(value: Any) -> Any:
    """As JSON has it."""
    match value:
        case tuple() | list():
            return [listed(each) for each in value]
        case dict():
            return {name: listed(each) for name, each in value.items()}
        case _:
            return value


def in_order(value: Any) -> Any:
    """The same, without the order of sets and what stands in them twice."""
    match value:
        case list():
            return sorted({json.dumps(in_order(each), sort_keys=True) for each in value})
        case tuple():
            return [in_order(each) for each in value]
        case dict():
            return {name: in_order(each) for name, each in value.items()}
        case _:
            return value


def in_csv(cell: Any) -> str:
    match cell:
        case None:
            return ""
        case str():
            return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝")) else cell
        case float():
            return repr(cell).removesuffix(".0")
        case _:
            return json.dumps(listed(cell), ensure_ascii=False)


def in_frame(cell: Any) -> Any:
    return cell if isinstance(cell, bool | int | float | str | None) else json.dumps(listed(cell), ensure_ascii=False)


def faults(release: Release, value: Any, folder: Path) -> Iterator[str]:
    """The ways that do not show the value."""
    if in_order(release.result) != in_order(value):
        yield f"result: {release.result}"
    if json.loads(release.to_json())["result"] != listed(release.result):
        yield f"json: {release.to_json()}"
    table = release.table()
    names = [column.name for column in table.columns]
    if len(set(names)) < len(names):
        yield f"names: {names}"
    lines = list(
        csv.reader(io.StringIO(result_text(release, as_csv=True, errors=False, on_terminal=False), newline=""))
    )
    if lines != [list(map(in_csv, names)), *(list(map(in_csv, row)) for row in table.rows)]:
        yield f"csv: {lines}"
    columns = {
        column.name: [date.fromisoformat(cell) if cell and column.holds_days else in_frame(cell) for cell in found]
        for column, found in zip(table.columns, zip(*table.rows, strict=True), strict=True)
    }
    release.write_parquet(folder / "r.parquet")
    frame = release.to_pandas()
    for way, found in (
        ("arrow", release.to_arrow().to_pydict()),
        ("parquet", pyarrow.parquet.read_table(folder / "r.parquet").to_pydict()),
        ("pandas", {name: [None if cell != cell else cell for cell in frame[name].tolist()] for name in frame}),
    ):
        if repr(found) != repr(columns) and found != columns:
            yield f"{way}: {found}"
    shown = [repr(release), text_of_page(release._repr_html_() or "")]
    shown += [result_text(release, as_csv=False, errors=True, on_terminal=True)]
    if any(sign < " " and sign != "\n" for text in shown for sign in text):
        yield f"a control character: {shown}"


@pytest.mark.parametrize("seed", range(often(300, 12)))
def test_every_way_shows_the_value(seed: int, tmp_path: Path) -> None:
    source = random.Random(f"every way {seed}")
    _, text, value = values(source, source.choice((0, 1, 1, 2)))()
    program = f"pλ xs : 𝔻𝔽[a : 𝔻] ⇒ return {text}\n"
    data, ledger = tmp_path / "x.csv", tmp_path / "l"
    data.write_text("a\n1\n", encoding="utf-8")
    create(ledger, parse_budget("epsilon=1"), "people")
    checked, problems = duetpy.parse(program, notion="eps").try_check()
    if checked is None:
        # Not every value may be in a set.
        assert {each.code for each in problems} <= {"D0306", "D0204"}
        return
    moved = duetpy.parse(f"-- Again.\n{program}", notion="eps").check()
    first, again = (each.run(xs=data, _ledger=ledger) for each in (checked, moved))
    assert first.ledger is not None
    assert again.ledger is not None
    assert (first.ledger["replayed"], again.ledger["replayed"]) == (False, True)
    assert [*faults(first, value, tmp_path)] == []
    assert (repr(again.result), again.table()) == (repr(first.result), first.table())
    assert [*faults(again, value, tmp_path)] == []
