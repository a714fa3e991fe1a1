"""What ``run`` prints as CSV, as a table of a terminal, and into files."""

import csv
import io
import json
import re
from pathlib import Path

import pyarrow.parquet
import pytest

from duetpy.report.release_text import INSECURE
from tests.cli.harness import Duetpy, Write
from tests.cli.programs import ALIGNED, MEAN

PAIR = """\
pλ . people : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []] ⇒
  number ← dlaplace[1.0, 1.0] <people> { rows people } ;
  total ← laplace[100.0, 1.0] <people> { mfold-row 0.0, people { sum, row ⇒ sum + clip[0.0, 100.0] row.age } } ;
  return RESULT
"""

PARTS = """\
pλ . people : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []] ⇒
  parallel[people, ℘{KEYS}] { row ⇒ if row.age < 50.0 then "young" else "old" } { group, part ⇒
    number ← laplace[1.0, 1.0] <part> { real (rows part) } ;
    return ⟨group, ⟨number, number + 0.5⟩⟩
  }
"""

AGES = "age\n10\n20\n30\n60\n"


@pytest.fixture
def table(duetpy: Duetpy, write: Write) -> "Table":
    write("people.csv", AGES)
    return Table(duetpy, write)


class Table:
    """Runs a program without noise and reads what it prints."""

    def __init__(self, duetpy: Duetpy, write: Write) -> None:
        self.duetpy, self.write = duetpy, write

    def printed(self, program: str, *words: str) -> str:
        self.write("p.eps.duet", program)
        outcome = self.duetpy("run", "p.eps.duet", "--data", "people.csv", "--insecure-noise", "none", *words)
        assert (outcome.code, "INSECURE" in outcome.err + outcome.out) == (0, True), outcome.err
        return outcome.out

    def __call__(self, program: str, *words: str) -> list[list[str]]:
        return list(csv.reader(io.StringIO(self.printed(program, "--format", "csv", *words))))


# ---------------------------------------------------------------------------------------------------------------------
# Columns


def test_a_number_is_one_cell_under_value(table: Table) -> None:
    assert table(MEAN, "--set", "eps=1") == [["value"], ["30"]]


@pytest.mark.parametrize("end", ["return total", "let sum = total in return sum"])
def test_a_number_that_has_a_name_is_called_so(table: Table, end: str) -> None:
    assert table(PAIR.replace("return RESULT", end)) == [[end.split()[-1]], ["120"]]


def test_a_pair_has_a_column_for_each_component(table: Table) -> None:
    assert table(PAIR.replace("RESULT", "⟨number, total⟩")) == [["number", "total"], ["4", "120"]]


def test_nested_pairs_are_flattened(table: Table) -> None:
    nested = "⟨⟨number, 2.5⟩, ⟨total, number⟩⟩"
    assert table(PAIR.replace("RESULT", nested)) == [["number", "value", "total", "number_2"], ["4", "2.5", "120", "4"]]


def test_no_two_columns_have_one_name(table: Table) -> None:
    again = "let number_2 = 7 in return ⟨number, ⟨number_2, ⟨number, total⟩⟩⟩"
    assert table(PAIR.replace("return RESULT", again)) == [
        ["number", "number_2", "number_3", "total"],
        ["4", "7", "4", "120"],
    ]


def test_a_pair_behind_a_variable_is_a_pair(table: Table) -> None:
    program = PAIR.replace("return RESULT", "let both = ⟨number, total⟩ in return both")
    assert table(program)[0] == ["number", "total"]


def test_components_without_names_are_values(table: Table) -> None:
    """Only a result for each of several parts has keys."""
    program = PAIR.replace("RESULT", "⟨number + 1.0, ⟨total / 2.0, total / 3.0⟩⟩")
    assert table(program) == [["value", "value_2", "value_3"], ["5", "60", "40"]]


def test_parallel_has_one_row_for_each_part(table: Table) -> None:
    found = table(PARTS.replace("KEYS", '"young", "old"'))
    assert found == [["group", "number", "value"], ["old", "1", "1.5"], ["young", "3", "3.5"]]


NESTED = """\
pλ . people : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []] ⇒
  outer ← parallel[people, ℘{"young", "old"}] { row ⇒ if row.age < 50.0 then "young" else "old" } { group, part ⇒
    parallel[part, ℘{true, false}] { row ⇒ row.age < 20.0 } { child, few ⇒
      number ← dlaplace[1.0, 1.0] <few> { rows few } ;
      return RESULT
    }
  } ;
  return outer
"""


def test_parallels_in_parallels_have_one_row_for_each_record(table: Table) -> None:
    found = table(NESTED.replace("RESULT", "{ group = group, child = child, number = number }"), "-v")
    assert found[0] == ["group", "child", "number", "error95"]
    assert [row[:3] for row in found[1:]] == [
        ["old", "false", "1"],
        ["old", "true", "0"],
        ["young", "false", "2"],
        ["young", "true", "1"],
    ]


def test_sets_of_what_has_no_names_are_kept_apart(table: Table) -> None:
    found = table(NESTED.replace("RESULT", "number"))
    assert found == [["value"], ["[0.0, 1.0]"], ["[1.0, 2.0]"]]


def test_a_matrix_has_numbered_columns(duetpy: Duetpy, write: Write) -> None:
    write("x.duet", ALIGNED)
    write("rows.csv", "0.5,0.25,1\n0.125,0.25,-1\n")
    write("start.csv", "0,0\n")
    data = ("--data", "xs=rows.csv:0-1", "--data", "ys=rows.csv:2", "--set", "θ=@start.csv")
    words = ("run", "x.duet", *data, "--insecure-noise", "none", "--format", "csv")
    # At 0 each row adds half of itself, against its label.
    assert duetpy(*words).out == "column_1,column_2\n-0.09375,0\n"
    assert duetpy(*words, "-v").out.startswith("column_1,column_1_error95,column_2,column_2_error95\n-0.09375,")


def test_a_matrix_without_rows_has_its_columns(table: Table) -> None:
    program = PAIR.replace("RESULT", "mfilter (mcreate[L∞ | ℕ[2], ℕ[3]] { i, j ⇒ total }) { row ⇒ false }")
    assert table(program) == [["column_1", "column_2", "column_3"]]


def test_a_matrix_has_the_names_of_its_columns(table: Table, write: Write) -> None:
    write("weights.csv", "low,high\n1,0.5\n2,0.25\n")
    program = PAIR.replace("[]] ⇒", "[]], weights : 𝕄 [L∞, U | 2, low : ℝ ∷ high : ℝ ∷ []] ⇒").replace(
        "RESULT", "weights"
    )
    found = table(program, "--set", "weights=@weights.csv", "-v")
    assert found == [["low", "high"], ["1", "0.5"], ["2", "0.25"]]


def test_a_matrix_within_a_pair_is_a_cell_of_json(table: Table) -> None:
    program = PAIR.replace("RESULT", "⟨number, mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ total }⟩")
    (_, cells) = table(program)
    assert (cells[0], json.loads(cells[1])) == ("4", [[120.0, 120.0]])


# ---------------------------------------------------------------------------------------------------------------------
# Records

RECORD = PAIR.replace("RESULT", '{ headcount = number, mean = total / 4.0, total = total, kind = "all" }')
NAMED_PARTS = PARTS.replace("KEYS", '"young", "old"')


def test_a_record_has_a_column_for_each_field(table: Table) -> None:
    assert table(RECORD) == [["headcount", "mean", "total", "kind"], ["4", "30", "120", "all"]]


def test_a_record_on_a_terminal_is_a_table_with_a_heading(table: Table) -> None:
    program = PAIR.replace("RESULT", "{ total = total, headcount = number }")
    assert table.printed(program, "--format", "text").split() == ["total,headcount", "120,4"]


def test_a_record_is_an_object_in_json(table: Table) -> None:
    found = json.loads(table.printed(RECORD, "--format", "json"))["result"]
    assert found == {"headcount": 4.0, "mean": 30.0, "total": 120.0, "kind": "all"}
    assert list(found) == ["headcount", "mean", "total", "kind"]


def test_a_field_has_the_error_of_its_release(table: Table) -> None:
    head, cells = table(RECORD.replace("1.0, 1.0", "auto, 1.0").replace("100.0, 1.0", "auto, 1.0"), "-v")
    assert head == ["headcount", "headcount_error95", "mean", "total", "total_error95", "kind"]
    assert (float(cells[1]), float(cells[4])) == (pytest.approx(3, abs=1), pytest.approx(299.57, abs=0.1))


@pytest.mark.parametrize(
    "result",
    [
        "{ group = group, number = number, more = number + 0.5 }",
        "⟨group, { number = number, more = number + 0.5 }⟩",
        "let found = { number = number, more = number + 0.5 } in return ⟨group, found⟩",
    ],
)
def test_parts_have_the_columns_of_their_records(table: Table, result: str) -> None:
    written = result if "return" in result else f"return {result}"
    program = NAMED_PARTS.replace("return ⟨group, ⟨number, number + 0.5⟩⟩", written)
    assert table(program) == [["group", "number", "more"], ["old", "1", "1.5"], ["young", "3", "3.5"]]
    (error,) = {row[2] for row in table(program, "-v")[1:]}
    assert table(program, "-v")[0] == ["group", "number", "error95", "more"]
    assert float(error) > 0


STATISTICS = """import "std:stats";

def twice = plam xs : bag Disc, static eps : Real+ => noisy-count@[ . xs, eps] ;

plam xs : DF[age : Disc, group : Str] => RESULT
"""


@pytest.mark.parametrize(
    ("result", "header"),
    [
        ("noisy-count@[ . xs.[age], 1.0]", ["value", "error95"]),
        ("twice@[ . xs.[age], 1.0]", ["value", "error95"]),
        ('noisy-histogram@[ . xs.[group], Set{"a"}, 1.0]', ["key", "number", "error95"]),
        ("n <- noisy-count@[ . xs.[age], 1.0] ; let m = n in return { n = m, half = m / 2 }", ["n", "error95", "half"]),
        (
            "n <- noisy-sum@[ . xs.[age], 9, 1.0] ; m <- noisy-count@[ . xs.[age], 1.0] ; return { m = m, n = n }",
            ["m", "m_error95", "n", "n_error95"],
        ),
        # Two calls with different noise: the log knows them by their line only, so neither has an error.
        ("n <- twice@[ . xs.[age], 1.0] ; m <- twice@[ . xs.[age], 2.0] ; return { n = n, m = m }", ["n", "m"]),
        # What is computed from released numbers has another error.
        ("noisy-mean@[ . xs.[age], 0, 9, 1.0]", ["value"]),
        ("noisy-median@[ . xs.[age], 0, 1, 9, 1.0]", ["value"]),
    ],
)
def test_a_number_of_a_function_has_the_error_of_its_release(
    result: str, header: list[str], duetpy: Duetpy, write: Write
) -> None:
    write("x.eps.duet", STATISTICS.replace("RESULT", result))
    write("x.csv", "age,group\n3,a\n4,b\n")
    done = duetpy("run", "x.eps.duet", "--data", "x.csv", "-v")
    assert done.out.splitlines()[0].split(",") == header, done.err
    if "median" in result:
        assert ": sensitivity 1, scale 2, a score at most 9.2104 below the best (95 %)." in done.err


def test_records_of_parts_are_objects_in_json(table: Table) -> None:
    result = "{ group = group, number = number }"
    program = NAMED_PARTS.replace("⟨group, ⟨number, number + 0.5⟩⟩", result)
    found = json.loads(table.printed(program, "--format", "json"))["result"]
    assert found == [{"group": "old", "number": 1.0}, {"group": "young", "number": 3.0}]


def test_a_record_beside_something_else_keeps_its_names(table: Table) -> None:
    program = PAIR.replace("RESULT", "⟨{ headcount = number, total = total }, ⟨total, { number = number }⟩⟩")
    assert table(program) == [["headcount", "total", "total_2", "number"], ["4", "120", "120", "4"]]
    found = json.loads(table.printed(program, "--format", "json"))["result"]
    assert found == [{"headcount": 4.0, "total": 120.0}, [120.0, {"number": 4.0}]]


def test_a_record_made_of_records_has_the_names_of_its_fields(table: Table) -> None:
    program = PAIR.replace("return RESULT", "let r = { n = number } in return addColDF⧼sum⧽ ⟨r, r.n + total⟩")
    assert table(program) == [["n", "sum"], ["4", "124"]]


def test_a_stored_release_has_the_names_of_its_fields(table: Table, duetpy: Duetpy, write: Write) -> None:
    program = PAIR.replace("RESULT", "{ headcount = number, total = total }")
    write("p.eps.duet", program)
    assert duetpy("ledger", "create", "l.sqlite", "--budget", "epsilon=5").code == 0
    words = ("run", "p.eps.duet", "--data", "people.csv", "--ledger", "l.sqlite", "--format")
    first, again = duetpy(*words, "csv"), duetpy(*words, "csv")
    assert first.out == again.out
    assert first.out.startswith("headcount,total\n")
    assert "already charged before" in again.err
    assert list(json.loads(duetpy(*words, "json").out)["result"]) == ["headcount", "total"]


# ---------------------------------------------------------------------------------------------------------------------
# Cells


def test_numbers_have_the_digits_that_they_need(table: Table) -> None:
    assert table(PAIR.replace("RESULT", "⟨total / 9.0, total / 1e12⟩"))[1] == [repr(120 / 9), repr(120 / 1e12)]
    assert table(PAIR.replace("RESULT", "⟨true, 7⟩"))[1] == ["true", "7"]


def test_texts_are_quoted_where_csv_needs_it(table: Table) -> None:
    printed = table.printed(PARTS.replace("KEYS", '"a,b", "plain", "x;y", ""'), "--format", "csv")
    assert [line.rpartition(",")[0].rpartition(",")[0] for line in printed.splitlines()[1:]] == [
        '""',
        '"a,b"',
        "plain",
        '"x;y"',
    ]
    assert [row[0] for row in csv.reader(io.StringIO(printed))] == ["group", "", "a,b", "plain", "x;y"]


def test_a_missing_value_that_is_alone_on_its_line_is_no_empty_line(table: Table) -> None:
    """Programs that read CSV pass over empty lines, and a row would be missing there."""
    program = PAIR.replace("RESULT", '℘{none[Date], if true then date "2024-02-29" else none[Date]}')
    assert table.printed(program, "--format", "csv").splitlines() == ["value", '""', "2024-02-29"]
    assert table(PAIR.replace("RESULT", "⟨none[Date], none[𝔻]⟩")) == [["value", "value_2"], ["", ""]]


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝"])
def test_no_text_is_a_formula_of_a_spreadsheet(table: Table, sign: str) -> None:
    program = PARTS.replace("KEYS", f'"{sign}1+2"')
    assert table(program)[1][0] == f"'{sign}1+2"
    assert json.loads(table.printed(program, "--format", "json"))["result"][0][0] == f"{sign}1+2"


def test_a_negative_number_is_no_formula(table: Table) -> None:
    assert table(PAIR.replace("RESULT", "0.0 - total")) == [["value"], ["-120"]]


# ---------------------------------------------------------------------------------------------------------------------
# Errors


def test_verbose_puts_the_error_next_to_the_only_released_number(table: Table) -> None:
    header, row = table(PAIR.replace("RESULT", "⟨total, number + 1.0⟩"), "-v")
    assert header == ["total", "error95", "value"]
    # Laplace noise of scale 100 stays within 100⋅log 20 in 95 of 100 runs.
    assert (row[0], row[2]) == ("120", "5")
    assert float(row[1]) == pytest.approx(299.573, abs=1e-3)


def test_verbose_names_the_errors_of_several_numbers(table: Table) -> None:
    header, row = table(PAIR.replace("RESULT", "⟨number, total⟩"), "-v")
    assert header == ["number", "number_error95", "total", "total_error95"]
    assert float(row[3]) == pytest.approx(299.573, abs=1e-3)


@pytest.mark.parametrize(
    ("record", "header"),
    [
        ("{ n = number, error95 = 7.5 }", ["n", "error95_2", "error95"]),
        (
            "{ n = number, n_error95 = 7.5, m = total }",
            ["n", "n_error95_2", "n_error95", "m", "m_error95"],
        ),
    ],
)
def test_verbose_leaves_the_columns_of_the_program_their_names(table: Table, record: str, header: list[str]) -> None:
    """As of the record of `noisy-mean-within`: its error is its own, and not that of another number."""
    found = table(PAIR.replace("RESULT", record), "-v")
    assert found[0] == header
    assert found[1][2] == "7.5"


def test_verbose_in_parallel(table: Table) -> None:
    header, *rows = table(PARTS.replace("KEYS", '"young", "old"'), "-v")
    assert header == ["group", "number", "error95", "value"]
    assert [float(row[2]) for row in rows] == [pytest.approx(2.9957, abs=1e-4)] * 2


def test_no_error_where_mechanisms_of_one_line_differ(table: Table) -> None:
    two = PAIR.replace(";\n  total", "; total").replace("RESULT", "⟨number, total⟩")
    assert table(two, "-v")[0] == ["number", "total"]


def test_without_verbose_there_are_no_errors(table: Table) -> None:
    assert "error95" not in str(table(PAIR.replace("RESULT", "⟨number, total⟩")))


# ---------------------------------------------------------------------------------------------------------------------
# Streams and files


def test_text_is_csv_in_a_pipe_and_aligned_on_a_terminal(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    program = PARTS.replace("KEYS", '"young", "old"')
    assert (
        table.printed(program)
        == table.printed(program, "--format", "csv")
        == "group,number,value\nold,1,1.5\nyoung,3,3.5\n"
    )
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = table.printed(program)
    assert shown == "group   number   value\nold     1        1.5\nyoung   3        3.5\n"
    assert table.printed(program, "--format", "csv") == "group,number,value\nold,1,1.5\nyoung,3,3.5\n"
    assert table.printed(MEAN, "--set", "eps=1") == "30   ± 75 (95 %)\n"


@pytest.mark.parametrize("sign", ["\x1b", "\x7f", "\x9b", "\u202e", "\U000e0001"])
@pytest.mark.parametrize("form", ["text", "csv", "json"])
@pytest.mark.parametrize("program", ["parts", "one text"])
def test_no_text_moves_the_cursor_of_a_terminal(
    table: Table, monkeypatch: pytest.MonkeyPatch, form: str, program: str, sign: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    text = f"{sign}[2J"
    written = PARTS.replace("KEYS", f'"{text}"') if program == "parts" else PAIR.replace("RESULT", f'"{text}"')
    printed = table.printed(written, "--format", form)
    assert "[2J" in printed
    assert sign not in printed
    if form == "json":
        assert repr(text) in repr([json.loads(printed)["result"]])


def test_out_writes_by_the_ending(table: Table, tmp_path: Path) -> None:
    program = PAIR.replace("RESULT", "⟨number, total⟩")
    for name in ("result.csv", "result.CSV", "result.json", "result.txt"):
        assert table.printed(program, "--out", name) == ""
    assert (tmp_path / "result.csv").read_text(encoding="utf-8") == "number,total\n4,120\n"
    assert (tmp_path / "result.CSV").read_text(encoding="utf-8") == "number,total\n4,120\n"
    assert (tmp_path / "result.txt").read_text(encoding="utf-8") == "number   total\n4        120\n"
    value = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert (value["result"], value["noise"]) == ([4, 120.0], "INSECURE")


def test_out_writes_parquet_that_says_what_it_is(table: Table, tmp_path: Path) -> None:
    program = PAIR.replace("RESULT", "⟨number, total⟩")
    assert table.printed(program, "--out", "result.parquet") == ""
    found = pyarrow.parquet.read_table(tmp_path / "result.parquet")
    assert found.to_pydict() == {"number": [4], "total": [120.0]}
    said = json.loads(found.schema.metadata[b"duetpy"])
    assert said["noise"] == "INSECURE"
    assert said["privacy"]["protected"] is False


def test_parquet_without_its_library_is_refused_before_the_run(
    duetpy: Duetpy, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("people.csv", AGES)
    write("p.eps.duet", MEAN)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    outcome = duetpy("run", "p.eps.duet", "--data", "people.csv", "--set", "eps=1", "--out", "result.parquet")
    assert (outcome.code, outcome.out) == (2, "")
    assert "pip install 'duetpy[arrow]'" in outcome.err
    assert not (tmp_path / "result.parquet").exists()


@pytest.mark.parametrize("name", ["result.orc", "result.htm", "result"])
def test_out_refuses_an_ending_that_it_does_not_know(duetpy: Duetpy, write: Write, tmp_path: Path, name: str) -> None:
    write("people.csv", AGES)
    write("p.eps.duet", MEAN)
    outcome = duetpy("run", "p.eps.duet", "--data", "people.csv", "--set", "eps=1", "--out", name)
    assert (outcome.code, outcome.out) == (2, "")
    assert ".csv, .json, .txt, .parquet" in outcome.err
    assert not (tmp_path / name).exists()


def test_csv_leaves_everything_else_on_standard_error(duetpy: Duetpy, write: Write) -> None:
    write("people.csv", AGES)
    write("p.eps.duet", PAIR.replace("RESULT", "⟨number, total⟩"))
    outcome = duetpy("run", "p.eps.duet", "--data", "people.csv", "--format", "csv", "-v")
    assert [line.partition(":")[0] for line in outcome.err.splitlines()] == ["Privacy", "Release", "Release"]
    assert len(outcome.out.splitlines()) == 2
    insecure = duetpy("run", "p.eps.duet", "--data", "people.csv", "--format", "csv", "--insecure-noise", "7")
    assert insecure.err == f"{INSECURE}\n"


def test_a_refused_run_prints_no_header(duetpy: Duetpy, write: Write) -> None:
    write("people.csv", "age\nold\n")
    write("p.eps.duet", MEAN)
    outcome = duetpy("run", "p.eps.duet", "--data", "people.csv", "--set", "eps=1", "--format", "csv")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.endswith("nothing was released, nothing was spent\n")


def test_a_release_from_a_ledger_prints_the_same_table(duetpy: Duetpy, write: Write) -> None:
    write("people.csv", AGES)
    write("p.eps.duet", PARTS.replace("KEYS", '"young", "old"'))
    assert duetpy("ledger", "create", "l", "--budget", "epsilon=9").code == 0
    words = ("run", "p.eps.duet", "--data", "people.csv", "--ledger", "l", "--format", "csv", "-v")
    first, again = duetpy(*words), duetpy(*words)
    assert (first.code, again.code) == (0, 0)
    assert again.out == first.out
    assert re.match(r"group,number,error95,value\nold,", first.out)
    assert "already charged before" in again.err
