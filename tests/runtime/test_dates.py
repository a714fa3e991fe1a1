"""Days: what is one in files, frames and settings, what is computed from them, and how they are released."""

import datetime as dt
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import duetpy
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.evaluation import dates
from duetpy.runtime.release.noiseless import evaluate
from duetpy.runtime.release.result_table import column_cells
from duetpy.runtime.sources.arrays import from_arrays
from duetpy.runtime.sources.cells import parse_date
from duetpy.runtime.sources.table import NO_CELL, ColumnSpec, Kind
from duetpy.runtime.values.values import Dates

DAYS = "sλ xs : 𝕄 [L∞, U | ★, hired : Date ∷ []] ⇒ xs"
MAYBE = "sλ xs : 𝕄 [L∞, U | ★, hired : Date? ∷ []] ⇒ xs"
COUNT = """pλ xs : 𝔻𝔽[hired : {type}], static ε : ℝ⁺ ⇒
  n ← laplace[1, ε] <xs> {{ real (rows (mfilter xs {{ r ⇒ {kept} }})) }} ;
  all ← laplace[1, ε] <xs> {{ real (rows xs) }} ;
  return ⟨n, all⟩"""
GROUPS = """pλ xs : 𝔻𝔽[hired : Date], first : Date, static ε : ℝ⁺ ⇒
  parallel[xs, dates first (add-days first 2)] { r ⇒ r.hired } { day, part ⇒
    n ← laplace[1, ε] <part> { real (rows part) } ;
    return ⟨day, n⟩
  }"""
BAD = (
    "2024-2-29",
    "29.02.2024",
    "2023-02-29",
    "2024-02-29T00:00:00",
    "2024-02-29 00:00",
    "0000-01-01",
    "10000-01-01",
    "20240229",
    "٢٠٢٤-٠٢-٢٩",
    "x",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def counted(content: str, kept: str = "true", type_: str = "Date", **options: Any) -> tuple[float, float]:
    """How many rows are kept, of how many."""
    Path("xs.csv").write_text(content, encoding="utf-8")
    program = duetpy.parse(COUNT.format(type=type_, kept=kept), notion="eps").check()
    result: tuple[float, float] = program.run(xs="xs.csv", ε=1, _insecure_noise="none", **options).result
    return result


# ---------------------------------------------------------------------------------------------------------------------
# What is a day


@pytest.mark.parametrize("cell", BAD)
def test_anything_but_a_day_of_the_calendar_is_a_bad_cell(cell: str) -> None:
    content = f"hired\n2024-01-31\n{cell}\n"
    with pytest.raises(DuetError, match="not a date") as caught:
        counted(content)
    assert [each.code for each in caught.value.diagnostics] == ["D0604"]
    with pytest.raises(DuetError, match="has no default") as caught:
        counted(content, _on_bad_row="default")
    assert [each.code for each in caught.value.diagnostics] == ["D0614"]
    assert "declare that a bad cell is missing, `hired : Date?`" in (caught.value.diagnostics[0].help or "")
    assert counted(content, _on_bad_row="drop") == (1, 1)
    assert counted(content, "is-missing r.hired", "Date?", _on_bad_row="default") == (1, 2)


def test_days_stand_in_lines_from_the_first_to_the_last() -> None:
    content = 'hired\n0001-01-01\n9999-12-31\n "2024-02-29" \n'.replace(' "2024-02-29" ', " 2024-02-29\t")
    assert counted(content, "year r.hired ≡ 2024") == (1, 3)
    assert counted(content, 'r.hired ≤ date "0001-01-01" ∨ r.hired > date "9999-12-30"') == (2, 3)


def test_eight_digits_are_no_day_though_lines_of_plain_numbers_are_read_many_at_a_time() -> None:
    with pytest.raises(DuetError):
        counted("hired\n" + "20240229\n" * 100)
    assert counted("hired\n" + "20240229\n" * 100, _on_bad_row="drop") == (0, 0)


def test_an_empty_cell_is_a_missing_day_where_one_may_be_missing() -> None:
    content = "hired\n2024-01-31\n\n2023-01-31\n".replace("\n\n", "\n \n")
    with pytest.raises(DuetError):
        counted(content)
    content = "hired,x\n2024-01-31,1\n,1\n9999-12-31,1\n"
    assert counted(content, "is-missing r.hired", "Date?") == (1, 3)
    assert counted(content, "is-missing r.hired", "Date?", _missing=["9999-12-31"]) == (2, 3)
    assert counted(content, 'year (r.hired or-else date "2024-01-01") ≡ 2024', "Date?") == (2, 3)


def test_the_day_of_a_cell_is_the_one_that_python_reads() -> None:
    for number in range(1, dt.date.max.toordinal(), 9973):
        day = dt.date.fromordinal(number)
        assert parse_date(day.isoformat().encode()) == number


class Series:
    """Stands for a Series of pandas or Polars."""

    def __init__(self, cells: Any) -> None:
        self.cells = cells
        self.dtype = cells.dtype

    def __array__(self) -> Any:
        return self.cells

    def __len__(self) -> int:
        return len(self.cells)


def column(value: Any, program: str = DAYS) -> list[Any]:
    return [row[0] for row in evaluate(program, xs=value)]


def column_by_default(value: Any) -> list[Any]:
    """The days that a run with `--on-bad-row default` reads."""
    read = from_arrays(value, (ColumnSpec("hired", Kind.DATE, missing=NO_CELL),), on_bad_row="default").numbers
    return [None if math.isnan(number) else dt.date.fromordinal(int(number)).isoformat() for number in read[:, 0]]


TWO = [dt.date(2024, 2, 29), dt.date(1, 1, 1)]
SHOWN = ["2024-02-29", "0001-01-01"]


@pytest.mark.parametrize(
    "made",
    [
        lambda: [[day] for day in TWO],
        lambda: {"hired": np.array(["2024-02-29", "0001-01-01"], dtype="datetime64[D]")},
        lambda: {"hired": Series(np.array(["2024-02-29", "0001-01-01"], dtype="datetime64[s]"))},
        lambda: {"hired": Series(np.array(TWO, dtype=object))},
        lambda: pa.table({"hired": pa.array(TWO, pa.date32())}),
    ],
)
def test_days_of_frames(made: Callable[[], Any]) -> None:
    assert column(made()) == SHOWN


@pytest.mark.parametrize("unit", ["h", "m", "s", "ms", "us", "ns"])
def test_a_moment_is_a_day_only_at_its_beginning(unit: str) -> None:
    whole = np.array(["2024-02-29", "1969-12-31"], dtype=f"datetime64[{unit}]")
    assert column({"hired": whole}) == ["2024-02-29", "1969-12-31"]
    later = whole + np.array([1, 0], dtype=f"timedelta64[{unit}]")
    with pytest.raises(DuetError, match="not a date"):
        column({"hired": later})


class Moment(dt.datetime):
    """A moment of a library that nobody knows."""


MOMENTS = ["2024-02-29", "2024-02-29T00:00:00.000000001", "NaT", "2262-04-11", "1677-09-22", "2024-02-29T23:59:59"]


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_rows_of_a_frame_have_the_days_that_the_frame_has(unit: str) -> None:
    """A cell of such a row is a Timestamp, and every day of a `Date?` was missing, silently."""
    frame = pd.DataFrame({"hired": np.array(MOMENTS, dtype=f"datetime64[{unit}]")})
    whole = column_by_default(frame)
    assert (whole[0], whole[2], whole[5]) == ("2024-02-29", None, None)
    assert column_by_default(list(frame.itertuples(index=False))) == whole
    assert column_by_default([row for _, row in frame.iterrows()]) == whole
    if unit != "ns":
        # So do those of Polars and Arrow.
        assert (
            column_by_default([[None if cell is pd.NaT else cell.to_pydatetime()] for cell in frame["hired"]]) == whole
        )


def test_a_moment_of_pandas_is_the_day_on_which_it_lies() -> None:
    """As a moment of Python, one in the year 20000 says that it lies in the year 1970."""
    zoned = pd.Timestamp("2024-02-29", tz="Europe/Berlin")
    beyond = pd.Timestamp(np.datetime64("20000-01-01", "s"))
    last = pd.Timestamp(np.datetime64("9999-12-31", "s"))
    assert column_by_default([[zoned], [beyond], [last]]) == [None, None, "9999-12-31"]


def test_what_is_no_day_of_a_frame() -> None:
    for cells in (
        np.array(["0000-12-31"], dtype="datetime64[D]"),
        np.array(["10000-01-01"], dtype="datetime64[D]"),
        np.array(["2262-04-11T23:47:16.854775807", "1677-09-21T00:12:43.145224193"], dtype="datetime64[ns]"),
        np.array([2**63 - 1, -(2**63) + 1]).view("datetime64[D]"),
    ):
        with pytest.raises(DuetError, match="not a date"):
            column({"hired": cells})
    moment = dt.datetime(2024, 2, 29, 0, 0)
    for cell in (
        moment.replace(microsecond=1),
        5,
        "2024-02-29",
        None,
        moment.replace(tzinfo=dt.UTC),
        Moment(2024, 2, 29),
    ):
        with pytest.raises(DuetError):
            column([[TWO[0]], [cell]])


def test_missing_days_of_frames() -> None:
    assert column([[None], [TWO[0]]], MAYBE) == [None, "2024-02-29"]
    some = Series(np.array(["2024-02-29", "NaT"], dtype="datetime64[ns]"))
    assert column({"hired": some}, MAYBE) == ["2024-02-29", None]
    assert column(pa.table({"hired": pa.array([TWO[0], None], pa.date32())}), MAYBE) == ["2024-02-29", None]
    with pytest.raises(DuetError):
        column({"hired": some})


@pytest.mark.parametrize(
    "cells",
    [
        Series(np.array(["2024-02-29", "x"], dtype=object)),
        np.array(["2024-02-29"]),
        np.array([19782.0]),
        np.array([TWO[0], "2024-02-29"], dtype=object),
    ],
)
def test_columns_that_one_cell_may_have_made_texts_or_numbers_are_refused(cells: Any) -> None:
    program = duetpy.parse(COUNT.format(type="Date?", kept="true"), notion="eps").check()
    with pytest.raises(DuetError) as caught:
        program.run(xs={"hired": cells}, ε=1, _insecure_noise="none", _on_bad_row="default")
    assert {each.code for each in caught.value.diagnostics} == {"D0618"}


@pytest.mark.parametrize("write", [pyarrow.parquet.write_table, pyarrow.feather.write_feather])
def test_days_of_files_of_columns(write: Callable[[Any, str], None]) -> None:
    name = "xs.parquet" if write is pyarrow.parquet.write_table else "xs.arrow"
    program = duetpy.parse(COUNT.format(type="Date?", kept="is-missing r.hired"), notion="eps").check()

    def run(table: Any) -> Any:
        write(table, name)
        return program.run(xs=name, ε=1, _insecure_noise="none").result

    assert run(pa.table({"hired": pa.array([*TWO, None], pa.date32())})) == (1, 3)
    for other in (pa.timestamp("us"), pa.string()):
        with pytest.raises(DuetError) as caught:
            run(pa.table({"hired": pa.array([*TWO, None], pa.date32()).cast(other)}))
        assert {each.code for each in caught.value.diagnostics} == {"D0618"}
    # A number of days that Python has no day for is one bad cell.
    with pytest.raises(DuetError) as caught:
        run(pa.table({"hired": pa.array([0, 2**31 - 1, -(2**31)], pa.int32()).cast(pa.date32())}))
    assert [each.code for each in caught.value.diagnostics] == ["D0604"]


# ---------------------------------------------------------------------------------------------------------------------
# What is computed


def test_each_day_of_the_calendar_is_the_one_that_python_has() -> None:
    """In lanes, against the calendar of the standard library."""
    every = np.arange(dates.FIRST, dates.LAST + 1, 37, dtype=np.int64)
    alone = [dt.date.fromordinal(int(number)) for number in every]
    lanes = Dates(every)
    for function, of_one in (
        (dates.year, lambda day: day.year),
        (dates.month, lambda day: day.month),
        (dates.day, lambda day: day.day),
        (dates.weekday, dt.date.isoweekday),
    ):
        found: Any = function(lanes)
        assert found.doubles.tolist() == [of_one(day) for day in alone]
        assert [function(day) for day in alone[::997]] == [of_one(day) for day in alone[::997]]
    starts: Any = dates.month_start(lanes)
    assert starts.values.tolist() == [day.replace(day=1).toordinal() for day in alone]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("year d", 2024),
        ("month d", 2),
        ("day d", 29),
        ("weekday d", 4),
        ("month-start d", "2024-02-01"),
        ('days d (date "2024-03-01")', 1),
        ('days d (date "2023-03-01")', -365),
        ("add-days d 1", "2024-03-01"),
        ("add-days d (-60)", "2023-12-31"),
        ("add-days d 1.9", "2024-03-01"),
        ("add-days d (-1.9)", "2024-02-28"),
        ("add-days d 100_000_000", "9999-12-31"),
        ("add-days d (-1e300)", "0001-01-01"),
        ("dates d (add-days d 1)", frozenset({"2024-02-29", "2024-03-01"})),
        ("dates d (add-days d (-1))", frozenset()),
        ('d < date "2024-03-01"', True),
        ('d ≥ date "2024-03-01"', False),
        ("d ∈ dates d d", True),
        ("d ≠ d", False),
        ("text d", "2024-02-29"),
    ],
)
def test_what_is_computed_of_a_day(expression: str, wanted: Any) -> None:
    assert evaluate(f"sλ d : Date ⇒ {expression}", d=dt.date(2024, 2, 29)) == wanted
    if not isinstance(wanted, frozenset):
        table = evaluate(
            f"sλ xs : 𝔻𝔽[hired : Date] ⇒ bmap xs {{ r ⇒ let d = r.hired in {expression} }}", xs=[[TWO[0]]] * 3
        )
        assert [row[0] for row in table] == [wanted] * 3


def test_days_are_keys_and_what_is_released_of_them() -> None:
    Path("xs.csv").write_text("hired\n2024-02-29\n2024-02-29\n2024-03-02\n", encoding="utf-8")
    program = duetpy.parse(GROUPS, notion="eps").check()
    release = program.run(xs="xs.csv", first="2024-02-29", ε=1, _insecure_noise="none")
    assert release.result == [("2024-02-29", 2), ("2024-03-01", 0), ("2024-03-02", 1)]
    assert json.loads(release.to_json())["result"][0] == ["2024-02-29", 2]
    wanted = [dt.date(2024, 2, 29), dt.date(2024, 3, 1), dt.date(2024, 3, 2)]
    assert column_cells(release.table())["day"] == wanted
    assert release.to_arrow().column("day").type == pa.date32()
    release.write_parquet("released.parquet")
    assert pyarrow.parquet.read_table("released.parquet").column("day").to_pylist() == wanted
    assert program.run(xs="xs.csv", first=dt.date(2024, 2, 29), ε=1, _insecure_noise="none").result == release.result


def test_days_that_are_not_known_are_keys_too() -> None:
    text = "pλ xs : 𝔻𝔽[hired : Date?], static ε : ℝ⁺, static δ : ℝ⁺ ⇒ keys[1, ε, δ] xs { r ⇒ r.hired }"
    Path("xs.csv").write_text("hired,x\n" + "2024-02-29,1\n" * 200 + "2024-03-01,1\n,1\n", encoding="utf-8")
    assert duetpy.parse(text).check().run(xs="xs.csv", ε=1, δ=1e-9).result == ["2024-02-29"]


def test_days_in_pairs_rows_and_missing_ones_are_days_of_frames() -> None:
    text = 'pλ x : ℝ ⇒ return ⟨date "2024-02-29", ⟨none[Date], 1.5⟩⟩'
    release = duetpy.parse(text, notion="eps").check().run(x=1, _insecure_noise="none")
    assert release.result == ("2024-02-29", (None, 1.5))
    assert release.to_arrow().schema.field(0).type == pa.date32()
    assert release.to_arrow().column(0).to_pylist() == [dt.date(2024, 2, 29)]


# ---------------------------------------------------------------------------------------------------------------------
# The command line


def run(*arguments: str) -> int:
    return main(["run", "groups.eps.duet", "--data", "xs.csv", "--insecure-noise", "none", *arguments])


@pytest.fixture
def groups() -> None:
    Path("groups.eps.duet").write_text(GROUPS, encoding="utf-8")
    Path("xs.csv").write_text("hired\n2024-02-29\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("shape", "wanted"), [("csv", "2024-02-29,1"), ("json", '["2024-02-29", 1.0]'), ("text", "2024-02-29,1")]
)
def test_a_day_is_set_and_printed(groups: None, capsys: pytest.CaptureFixture[str], shape: str, wanted: str) -> None:
    assert run("--set", "first=2024-02-29", "--set", "ε=1", "--format", shape) == 0
    assert wanted in capsys.readouterr().out


@pytest.mark.parametrize("value", ["2024-02-30", "2024-2-29", "7"])
def test_a_setting_that_is_no_day_is_refused(groups: None, capsys: pytest.CaptureFixture[str], value: str) -> None:
    assert run("--set", f"first={value}", "--set", "ε=1") == (1 if value == "7" else 2)
    assert "first" in capsys.readouterr().err


def test_a_column_of_days_is_drafted_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    Path("xs.csv").write_text("hired,left,note\n2024-02-29,,2024-01-01\n2024-03-01,2024-05-01,soon\n", encoding="utf-8")
    assert main(["schema", "xs.csv"]) == 0
    drafted = capsys.readouterr().out
    assert "DF[hired : Date, left : Date?, note : disc_t Str]" in drafted
    assert len(duetpy.parse(drafted, notion="eps").check().run(xs="xs.csv").releases) == 1


def test_a_ledger_knows_runs_by_their_days(groups: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "create", "l.jsonl", "--budget", "epsilon=10"]) == 0
    once = ("--set", "ε=1", "--ledger", "l.jsonl")
    arguments = ["run", "groups.eps.duet", "--data", "xs.csv", "--format", "json"]
    charged = []
    for first in ("2024-02-29", "2024-02-29", "2024-02-28"):
        capsys.readouterr()
        assert main([*arguments, *once, "--set", f"first={first}"]) == 0
        charged.append(json.loads(capsys.readouterr().out)["ledger"]["replayed"])
    assert charged == [False, True, False]


def test_words_of_days_are_names_where_a_program_binds_them() -> None:
    for word in ("year", "days", "add-days", "date", "prefix", "number", "text", "lower", "contains", "month-start"):
        program = f"sλ {word} : ℝ ⇒ let twice = {word} + {word} in twice"
        assert evaluate(program, **{word: 2.0}) == 4.0, word
    assert evaluate("let days = sλ a : ℝ ⇒ sλ b : ℝ ⇒ a - b in sλ x : ℝ ⇒ days x 1.0", x=3.0) == 2.0
    assert evaluate('let date = sλ s : 𝕊 ⇒ s ≡ "x" in sλ x : 𝕊 ⇒ date "x" ∧ date x', x="x") is True
    assert evaluate("(sλ Date : ℕ . x : 𝕀[Date] ⇒ x)@[3]", x=2) == 2


def test_neighbours_of_the_audit_have_other_days(groups: None) -> None:
    assert main(["audit", "groups.eps.duet", "--set", "first=2024-02-29"]) == 0


def test_days_of_the_lines_of_a_person() -> None:
    text = """pλ people : persons[patient : 𝕊 | visits : 𝔻𝔽[on : Date, paid : Date?]], static ε : ℝ⁺ ⇒
      laplace[auto, ε] <people> {
        real (rows (mfilter people { p ⇒ rows (mfilter p.visits { v ⇒ year v.on ≡ 2024 ∧ is-missing v.paid }) > 0 }))
      }"""
    lines = "patient,on,paid\na,2024-01-02,\nb,2023-01-02,\na,2022-01-02,2022-02-01\nc,2024-03-01,2024-03-01\n"
    Path("visits.csv").write_text(lines, encoding="utf-8")
    program = duetpy.parse(text, notion="eps").check()
    assert program.run(people={"visits": "visits.csv"}, ε=1, _insecure_noise="none").result == 1
