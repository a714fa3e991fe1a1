"""What one row holds decides nothing but that row: not the memory of a run, not whether Python can read it, not its end."""

import json
import math
import random
import sys
import tracemalloc
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.cli.main import main
from duetpy.ledger.store import create
from duetpy.runtime.release.charged_run import cells_digest
from duetpy.runtime.sources import arrays, cells, listed_rows, opening, records
from duetpy.runtime.sources.arrays import from_arrays
from duetpy.runtime.sources.cells import count_cells, first_cells, keeps_rule, parse_natural, split_cells
from duetpy.runtime.sources.csv import BadRowRule
from duetpy.runtime.sources.records import RecordReader
from duetpy.runtime.sources.table import GREATEST_NATURAL, NO_CELL, ColumnSpec, Kind
from tests.cli.harness import spawn
from tests.runtime.people import Reader, rows_of

# ---------------------------------------------------------------------------------------------------------------------
# Lines


def cut_sign_by_sign(line: bytes) -> tuple[list[bytes], bool]:
    """The grammar of a line as an automaton that looks at one sign after the other."""
    cells, keeps_rule, cell, at = [], True, b"", 0
    while True:
        if line[at : at + 1] == b'"':
            at += 1
            while True:
                if at >= len(line):
                    keeps_rule = False
                    break
                if line[at : at + 2] == b'""':
                    cell, at = cell + b'"', at + 2
                elif line[at : at + 1] == b'"':
                    at += 1
                    keeps_rule = keeps_rule and line[at : at + 1] in (b"", b",")
                    break
                else:
                    cell, at = cell + line[at : at + 1], at + 1
        while at < len(line) and line[at : at + 1] != b",":
            keeps_rule = keeps_rule and line[at : at + 1] != b'"'
            cell, at = cell + line[at : at + 1], at + 1
        cells.append(cell)
        if at >= len(line):
            return cells, keeps_rule
        cell, at = b"", at + 1


def test_lines_are_cut_as_sign_by_sign() -> None:
    dice = random.Random(7)
    lines = [bytes(dice.choices(b'",a ', weights=(4, 2, 1, 1), k=dice.randrange(14))) for _ in range(4000)]
    for line in lines:
        wanted, is_regular = cut_sign_by_sign(line)
        assert split_cells(line) == (wanted, is_regular), line
        assert keeps_rule(line) == is_regular
        assert count_cells(line) == (len(wanted) if is_regular else None)
        for most in (1, 2, 5, 20):
            assert first_cells(line, most) == wanted[:most]


@pytest.mark.parametrize("rule", ["default", "drop"])
@pytest.mark.parametrize("has_header", [True, False], ids=["header", "no header"])
def test_of_a_line_of_many_quoted_cells_no_more_are_cut_than_are_read(
    read: Reader, monkeypatch: pytest.MonkeyPatch, rule: str, has_header: bool
) -> None:
    cut: list[int] = []
    quoted = cells._quoted
    monkeypatch.setattr(cells, "_quoted", lambda line, start: cut.append(start) or quoted(line, start))
    column = ColumnSpec("age" if has_header else None, Kind.REAL, missing=NO_CELL)
    content = b"age\n" * has_header + b'"1"' + b',"x"' * 1000 + b"\n2\n"
    table = read(content, (column,), header="yes" if has_header else "no", on_bad_row=rule)
    assert table.column(0).tolist() == ([2.0] if rule == "drop" and has_header else [1.0, 2.0])
    assert len(cut) <= 2


@pytest.mark.parametrize("rule", ["default", "drop"])
@pytest.mark.parametrize("first", [b"7", b"7,7,7", b'7,"7,7', b"\xff,7", b""])
def test_the_first_row_of_a_file_without_a_header_does_not_decide_how_quickly_the_others_are_read(
    read: Reader, monkeypatch: pytest.MonkeyPatch, rule: str, first: bytes
) -> None:
    one_by_one: list[bytes] = []
    slowly = RecordReader._read_lines
    monkeypatch.setattr(
        RecordReader, "_read_lines", lambda self, lines: one_by_one.extend(lines) or slowly(self, lines)
    )
    monkeypatch.setattr(opening, "_CHUNK", 64)
    columns = (ColumnSpec(None, Kind.REAL), ColumnSpec(None, Kind.REAL))
    read(b"\n".join([first, *[b"1,2"] * 500, b""]), columns, header="no", on_bad_row=rule)
    assert len(one_by_one) <= 20


LENGTH = 1 << 17
LONG = {
    "quotes": b'"' * LENGTH,
    "quotes, an odd number": b'"' * (LENGTH - 1),
    "commas": b"," * LENGTH,
    "cells": b"ab," * (LENGTH // 3),
    "quoted cells": b'"",' * (LENGTH // 3),
    "quotes and letters": b'"' + b'""a' * (LENGTH // 3),
    "numbers": b"1," * (LENGTH // 2) + b"1",
    "digits": b"1" * LENGTH,
    "bytes of no text": b"\xff" * LENGTH,
    "spaces": b" " * LENGTH,
}


@pytest.mark.parametrize("place", ["first", "middle"])
@pytest.mark.parametrize("kind", [Kind.REAL, Kind.NAT, Kind.TEXT])
@pytest.mark.parametrize("line", LONG.values(), ids=LONG)
@pytest.mark.sparse(7)
def test_a_long_line_takes_a_few_times_its_length(
    read: Reader, monkeypatch: pytest.MonkeyPatch, line: bytes, kind: Kind, place: str
) -> None:
    for module in (opening, records):
        monkeypatch.setattr(module, "LONGEST_LINE", LENGTH)
    monkeypatch.setattr(opening, "_CHUNK", LENGTH // 16)
    monkeypatch.setattr(records, "QUICK_BYTES", LENGTH // 8)
    monkeypatch.setattr(records, "SPARE_BYTES", LENGTH)
    before = [] if place == "first" else [b"1"] * 10
    content = b"\n".join([*before, line, *[b"2"] * 10, b""])
    tracemalloc.start()
    table = read(content, (ColumnSpec(None, kind),), header="no", on_bad_row="default")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.rows == len(before) + 11
    assert peak < 12 * LENGTH


def test_cells_that_are_all_kept_take_many_times_the_length_of_a_line() -> None:
    """The control of the test above."""
    tracemalloc.start()
    split_cells(LONG["cells"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak > 12 * LENGTH


# ---------------------------------------------------------------------------------------------------------------------
# Rows of lists

TWO = (ColumnSpec("a", Kind.REAL), ColumnSpec("b", Kind.REAL))
PLAIN_ROWS: list[Any] = [[1, 2.5], (3, 4), np.array([5.0, 6.0])]
ODD_ROWS: list[Any] = [
    [1.5],
    [],
    [1, None],
    ["x", 2],
    {"b": 7},
    [10**400, 1],
    [1, 2, 3],
    4,
    np.array([1.0]),
    np.ones((2, 1)),
]


@pytest.mark.parametrize("rule", ["default", "drop"])
@pytest.mark.parametrize("kept", PLAIN_ROWS, ids=["list", "tuple", "array"])
def test_of_the_rows_of_a_list_only_those_near_an_odd_one_are_read_one_by_one(
    monkeypatch: pytest.MonkeyPatch, rule: BadRowRule, kept: Any
) -> None:
    one_by_one: list[object] = []
    named = arrays.by_name
    monkeypatch.setattr(arrays, "by_name", lambda row, names: one_by_one.append(row) or named(row, names))
    monkeypatch.setattr(listed_rows, "ROWS_TOGETHER", 4)
    for odd in ODD_ROWS:
        one_by_one.clear()
        together = from_arrays([*[kept] * 50, odd, *[kept] * 50], TWO, on_bad_row=rule)
        assert len(one_by_one) <= 4
        alone = [row for each in (kept, odd, kept) for row in rows_of(from_arrays([each], TWO, on_bad_row=rule))]
        assert rows_of(together) == [*alone[:1] * 50, *alone[1:-1], *alone[-1:] * 50]


# ---------------------------------------------------------------------------------------------------------------------
# Days that lie far apart

STAYS = "xs : 𝔻𝔽[a : Date, b : Date]"
OF_STAYS = {
    "keys": f"pλ {STAYS} ⇒ keys[2, 1.0, 1e-6] xs {{ r ⇒ dates r.a r.b }}",
    "parallel": (
        f'pλ {STAYS} ⇒ parallel[2, xs, ℘{{date "2020-01-02", date "2020-01-03"}}] {{ r ⇒ dates r.a r.b }} '
        "{ d, part ⇒ n ← dlaplace[1, 1.0] <part> { rows part } ; return ⟨d, n⟩ }"
    ),
    "a test": f'pλ {STAYS} ⇒ dlaplace[1, 1.0] <xs> {{ rows (mfilter xs {{ r ⇒ date "2020-01-02" ∈ dates r.a r.b }}) }}',
}


@pytest.mark.parametrize("text", OF_STAYS.values(), ids=OF_STAYS)
def test_two_days_that_lie_far_apart_take_no_more_memory_than_others(text: str) -> None:
    program = duetpy.parse(text, notion="approx").check()
    short, long = ("2020-01-02", "2020-01-04"), ("1800-01-01", "2020-01-04")

    def peak(*rows: tuple[str, str]) -> int:
        table = [{"a": date.fromisoformat(a), "b": date.fromisoformat(b)} for a, b in rows]
        program.run(xs=table, _insecure_noise=1)  # what is imported and computed once for all runs
        tracemalloc.start()
        program.run(xs=table, _insecure_noise=1)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(short, ("2020-01-02", "2020-01-03"), long) < peak(short, ("2020-01-02", "2020-01-03"), short) + (
        1 << 20
    )


# ---------------------------------------------------------------------------------------------------------------------
# Numbers of many digits


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (str(GREATEST_NATURAL), GREATEST_NATURAL),
        (str(GREATEST_NATURAL + 1), None),
        ("9" * 17, None),
        ("0" * 700 + "7", 7),
        ("+" + "0" * 700, 0),
        ("9" * 700, None),
        ("9" * 1100, None),
        ("9" * 1101, None),
        ("7." + "0" * 700, 7),
    ],
)
def test_naturals_of_many_digits(cell: str, value: int | None) -> None:
    assert parse_natural(cell.encode()) == value


COUNTS = """pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝐝 ℕ else 0 ∷ size : 𝔻 else 0 ∷ []] ⇒
  laplace[1.0, 1.0] <xs> { real (rows (mfilter xs { r ⇒ r.age ≡ disc 0 })) }
"""
SINGLE = "pλ . x : 𝔻 ⇒ laplace[auto, 1.0] <x> { clip[0.0, 1.0] x }\n"


@pytest.mark.parametrize("digits", ["640", "0", "4300"])
@pytest.mark.sparse(3)
def test_how_many_digits_python_takes_does_not_show(
    tmp_path: Path, digits: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Python has a limit on digits, and an environment may set another: no cell and no private value may meet it. One cell is
    tried in processes with the environment, and every cell under the limit that it sets."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.eps.duet").write_text(COUNTS, encoding="utf-8")
    (tmp_path / "x.eps.duet").write_text(SINGLE, encoding="utf-8")
    long = "9" * 700
    ends, limit = [], sys.get_int_max_str_digits()
    for cell in ("7", long, f"{long}.0", "0" * 700, f"-{long}", f"1e-{long}", f"0.{long}"):
        (tmp_path / "people.csv").write_text(f"age,size\n1,2\n{cell},{cell}\n", encoding="utf-8")
        words = ("--on-bad-row", "default", "--format", "json")
        for command in (("p.eps.duet", "--data", "people.csv"), ("x.eps.duet", "--set", f"x={cell}")):
            if cell == long:
                done = spawn(tmp_path, "run", *command, *words, PYTHONINTMAXSTRDIGITS=digits)
                ends.append((done.returncode, done.stderr.decode(), list(json.loads(done.stdout))))
            try:
                sys.set_int_max_str_digits(int(digits))
                code = main(("run", *command, *words))
            finally:
                sys.set_int_max_str_digits(limit)
            shown = capsys.readouterr()
            ends.append((code, shown.err, list(json.loads(shown.out))))
    assert {end[:2] for end in ends} == {(0, "")}
    assert len(ends) == 16


# ---------------------------------------------------------------------------------------------------------------------
# Values from Python


class Overflowing(float):
    def __float__(self) -> float:
        raise MemoryError


DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]

STRANGE: list[Any] = [
    None, math.nan, -math.inf, 10**5000, -(10**5000), 10**200_000, Fraction(1, 10**5000), Fraction(10**5000, 3),
    Decimal("1e999999999999"), Decimal("1e-999999999999"), Decimal("sNaN"), Decimal("1e9000"), Overflowing(1), DEEP,
    "x", "9" * 700, b"1", object(), 1j, np.array([1, 2]), np.array(5.0), np.ma.masked, np.datetime64("NaT"),
    np.timedelta64(5, "ns"), {"a": 1}, (1, 2), np.float32("nan"), np.longdouble("1e4000"), True, "\ud800",
]  # fmt: skip

PROGRAMS: dict[str, tuple[str, Any]] = {
    "a number": ("x : 𝔻 ⇒ laplace[auto, 0.25] <x> { clip[0.0, 1.0] x }", lambda cell: cell),
    "a natural": ("x : 𝐝 ℕ ⇒ laplace[1.0, 0.25] <x> { if x ≡ disc 0 then 1.0 else 0.0 }", lambda cell: cell),
    "a text": ('x : 𝕊 ⇒ laplace[1.0, 0.25] <x> { if x ≡ "" then 1.0 else 0.0 }', lambda cell: cell),
    "a set": ("x : ℘(𝐝 ℝ) ⇒ laplace[1.0, 0.25] <x> { if disc 1.0 ∈ x then 1.0 else 0.0 }", lambda cell: [1.0, cell]),
    "rows": (
        "x : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0] ⇒ laplace[auto, 0.25] <x> { real (rows x) }",
        lambda cell: [[1.0], [cell], cell],
    ),
    "records": (
        "x : 𝕄 [L∞, U | ★, a : 𝔻 else 0 ∷ b : 𝐝 𝕊 ∷ c : 𝐝 ℕ else 0 ∷ []] ⇒ laplace[auto, 0.25] <x> { real (rows x) }",
        lambda cell: [{"a": 1.0, "b": "x", "c": 2}, {"a": cell, "b": cell, "c": cell}, [cell, cell, cell], cell],
    ),
    "a record": (
        "x : 𝕄 [L∞, U | 1, a : 𝔻 else 0 ∷ b : 𝐝 𝕊 ∷ []] ⇒ laplace[auto, 0.25] <x> { clip[0.0, 1.0] (x#[0, 0]) }",
        lambda cell: {"a": cell, "b": cell},
    ),
    "a record as a list": (
        "x : 𝕄 [L∞, U | 1, a : 𝔻 else 0 ∷ b : 𝐝 𝕊 ∷ []] ⇒ laplace[auto, 0.25] <x> { clip[0.0, 1.0] (x#[0, 0]) }",
        lambda cell: [cell, cell],
    ),
}


@pytest.mark.parametrize(("program", "made"), PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.sparse(7)
def test_no_value_decides_how_a_run_ends(tmp_path: Path, program: str, made: Any) -> None:
    create(tmp_path / "l", parse_budget("epsilon=1000"), "people")
    checked = duetpy.parse(f"pλ . {program}", notion="eps").check()
    for cell in (1.0, *STRANGE):
        for ledger in ({}, {"_ledger": tmp_path / "l"}):
            checked.run(x=made(cell), _on_bad_row="default", **ledger)


@pytest.mark.parametrize("cell", [None, math.nan, 5.0, np.float64(5.0), b"x", np.ma.masked, np.datetime64("NaT")])
def test_a_record_that_is_missing_is_one_of_defaults(cell: object) -> None:
    checked = duetpy.parse(f"pλ . {PROGRAMS['a record'][0]}", notion="eps").check()
    found = checked.run(x=cell, _on_bad_row="default", _insecure_noise="none").result
    assert found == (1.0 if isinstance(cell, float) and cell == 5.0 else 0.0)


def test_a_record_in_its_other_forms_is_still_one() -> None:
    checked = duetpy.parse(f"pλ . {PROGRAMS['a record'][0]}", notion="eps").check()
    for form in ([0.5, "x"], [[0.5, "x"]], {"a": 0.5, "b": "x"}, {"a": [0.5], "b": ["x"]}, [{"a": 0.5, "b": "x"}]):
        for rule in ("refuse", "default"):
            assert checked.run(x=form, _on_bad_row=rule, _insecure_noise="none").result == 0.5


FIELDS: dict[str, Any] = {
    "a field is missing": {"a": [0.5]},
    "a field has another name": {"a": [0.5], "B": ["x"]},
    "a cell of two dimensions": {"a": [0.5], "b": np.zeros((1, 2))},
    "a frame in a cell": {"a": [0.5], "b": pd.DataFrame({"b": ["x"]})},
    "an array of another type": {"a": [0.5], "b": np.array([1.0])},
    "a column that cannot be taken apart": {"a": [0.5], "b": pd.MultiIndex.from_tuples([("x", "y")])},
    "a set in a cell": {"a": np.array([0.5]), "b": {"x"}},
    "a mapping in a cell": {"a": pd.Series([0.5]), "b": {0: "x"}},
    "columns of two cells": {"a": [0.5, 0.5], "b": ["x", "x"]},
    "columns without cells": {"a": [], "b": []},
    "a set": {0.5},
}


OF_BOTH = """pλ . x : 𝕄 [L∞, U | 1, a : 𝔻 else 0 ∷ b : 𝐝 𝕊 ∷ []] ⇒
  laplace[auto, 0.25] <x> { clip[0.0, 1.0] (x#[0, 0]) + (if x#[0, 1] ≡ "" then 0.0 else 0.25) }"""


@pytest.mark.parametrize("given", FIELDS.values(), ids=FIELDS)
def test_no_field_decides_whether_a_record_is_one(given: Any) -> None:
    """If all of its fields are columns of one cell, each of these is looked at by itself."""
    checked = duetpy.parse(OF_BOTH, notion="eps").check()
    found = checked.run(x=given, _on_bad_row="default", _insecure_noise="none").result
    assert found == (0.5 if isinstance(given, dict) and len(given["a"]) == 1 else 0.0)


def test_long_numbers_and_deep_lists_have_a_digest_or_none() -> None:
    found = [cells_digest(value, b"key") for value in (10**5000, 10**5000 + 1, Fraction(1, 10**5000), [10**5000])]
    assert None not in found
    assert len(set(found)) == len(found)
    assert cells_digest(10**5000, b"key") == found[0]
    assert cells_digest(DEEP, b"key") is None
