"""``--persons``: a program on rows protects persons, of whose rows so many count."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import duetpy
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.grammar.pretty import show_expression

ROWS = """pλ ε : ℝ⁺ . xs : 𝔻𝔽[dept : 𝕊, patient : 𝕊, cost : 𝔻 else 0], ys : 𝔻𝔽[age : 𝔻 else 0], ε : ℝ⁺[ε] ⇒
  number ← laplace[1, ε] <xs> { real (rows xs) } ;
  cost ← laplace[auto, 2 ⋅ ε] <xs> { mfold-row 0.0, xs { s, row ⇒ s + clip[0.0, 5.0] (conv row.cost) } } ;
  others ← laplace[1, ε] <ys> { real (rows ys) } ;
  return ⟨⟨number, cost⟩, others⟩
"""
COUNT = "xs : 𝔻𝔽[cost : 𝔻 else 0] ⇒ {} <xs> {{ real (rows xs) }}"
LINES = "patient,dept,cost\n" + "".join(f"p{at % 7},d,{at}\n" for at in range(0, 70, 2)) + "q,d,3\n"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.eps.duet").write_text(ROWS, encoding="utf-8")
    Path("visits.csv").write_text(LINES, encoding="utf-8")
    Path("ages.csv").write_text("age\n1\n2\n", encoding="utf-8")


def ran(capsys: pytest.CaptureFixture[str], *words: str, settings: str = "ε=1000") -> dict[str, Any]:
    files = ["--data", "xs=visits.csv", "--data", "ys=ages.csv", "--set", settings, "--format", "json"]
    assert main(["run", "rows.eps.duet", *files, *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_rows_that_count_are_as_many_as_was_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Noise of a scale of 0.0025 and less, which is larger than 0.1 once in 10^17 runs."""
    lines = [line.split(",") for line in LINES.splitlines()[1:]]
    often = Counter(line[0] for line in lines)
    for most in (1, 3, 100):
        (number, _), others = ran(capsys, "--persons", f"xs=patient,{most}")["result"]
        assert abs(number - sum(min(most, count) for count in often.values())) < 0.1
        assert abs(others - 2) < 0.1
    ((number, cost), _) = ran(capsys, "--persons", "xs=patient,100")["result"]
    assert abs(number - len(lines)) < 0.1
    assert abs(cost - sum(min(5, float(line[2])) for line in lines)) < 0.1


def test_the_report_is_about_persons(capsys: pytest.CaptureFixture[str]) -> None:
    report = ran(capsys, "--persons", "xs=patient,3", settings="ε=0.5")
    assert report["privacy"]["unit"].startswith("one `patient` with all their rows in visits.csv")
    assert report["privacy"]["neighbours"] == "mixed"
    costs = {one["name"]: one["value"]["epsilon"] for one in report["privacy"]["parameters"]}
    assert costs == {"xs": 3 * 3 * 0.5, "ys": 0.5}
    assert main(["check", "rows.eps.duet", "--persons", "xs=patient,3"]) == 0
    told = capsys.readouterr().out
    costs = [line.split() for line in told.splitlines() if ")   " in line and " costs " in line]
    assert [(words[0], words[-1]) for words in costs] == [("xs", "9⋅ε"), ("ys", "ε")]
    assert "a person with rows in both xs and ys is protected less" in told
    assert main(["cost", "rows.eps.duet", "--persons", "xs=patient,3", "--set", "ε=0.5"]) == 0
    assert "4.5" in capsys.readouterr().out
    assert (
        main(["calibrate", "rows.eps.duet", "--persons", "xs=patient,3", "--vary", "ε", "--budget", "epsilon=1"]) == 0
    )
    assert "0.11111" in capsys.readouterr().out


def test_why_and_audit_are_about_persons_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["rows.eps.duet", "--persons", "xs=patient,3", "--set", "ε=0.5"]
    assert main(["why", *words, "--format", "json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["parameters"]
    assert (first["name"], first["value"]) == ("xs", {"epsilon": 4.5})
    assert (second["name"], second["value"]) == ("ys", {"epsilon": 0.5})
    Path("count.eps.duet").write_text(f"pλ . {COUNT.format('laplace[1, 0.5]')}\n", encoding="utf-8")
    for persons, worth in (([], 0.5), (["--persons", "xs=patient,3"], 1.5)):
        assert main(["audit", "count.eps.duet", *persons, "--trials", "20", "--format", "json"]) == 0
        layers = {each["name"]: each["facts"] for each in json.loads(capsys.readouterr().out)["layers"]}
        assert layers["end to end"]["claimed"] == worth


def test_why_calls_the_numbers_of_the_program_as_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    """It said ε_2 of what the program calls ε."""
    assert main(["why", "rows.eps.duet", "xs", "--persons", "xs=patient,3"]) == 0
    told = capsys.readouterr().out
    assert "xs costs 9⋅ε" in told
    assert "ε_" not in told


def price(notion: str, mechanism: str, **numbers: float) -> dict[str, float | None]:
    kinds = "pλ ε : ℝ⁺ . ε : ℝ⁺[ε], "
    program = duetpy.parse(kinds + COUNT.format(mechanism), notion).by_persons({"xs": ("patient", 3)})
    return program.check().cost(**numbers)["xs"]


def test_the_cost_is_that_of_a_group() -> None:
    text = "pλ ε : ℝ⁺ . ε : ℝ⁺[ε], " + COUNT.format("gauss[1, ε, 1e-6]")
    checked = duetpy.parse(text, "ed").by_persons({"xs": ("patient", 3)}).check()
    assert "xs costs ⟨3⋅ε, 1e-6⋅expm1(3⋅ε)/expm1(ε)⟩" in repr(checked)


def test_a_group_of_rows_costs_what_each_notion_says() -> None:
    epsilon = 0.25
    assert price("eps", "laplace[1, ε]", ε=epsilon) == {"epsilon": 3 * epsilon}
    found = price("ed", "gauss[1, ε, 1e-6]", ε=epsilon)
    # The numeric accountant may find less.
    assert found["epsilon"] is not None
    assert found["epsilon"] <= 3 * epsilon
    wanted = 1e-6 * (math.exp(3 * epsilon) - 1) / (math.exp(epsilon) - 1)
    assert found["delta"] == pytest.approx(wanted, rel=1e-12)
    assert price("zcdp", "gauss[1, ε]", ε=epsilon) == {"rho": 9 * epsilon}
    assert price("gdp", "gauss[1, ε]", ε=epsilon) == {"mu": 3 * epsilon}


def test_the_program_is_a_call_on_the_rows_of_persons() -> None:
    file = duetpy.parse(ROWS, "eps").by_persons({"xs": ("patient", 3)}).file
    assert file is not None
    assert file.body is not None
    told = show_expression(file.body)
    assert "xs : persons[patient : 𝕊 | xs : 𝔻𝔽[dept : 𝕊, cost : 𝔻 else 0]], ys : 𝔻𝔽[age : 𝔻 else 0]" in told
    assert "@[ . flat[3] xs { person ⇒ person.xs }.[dept, patient, cost], ys, ε]" in told


def test_a_promise_is_kept_by_the_whole() -> None:
    program = duetpy.parse("pλ . " + COUNT.format("laplace[1, 1.0]") + " ensures ε ≤ 3", "eps")
    assert program.by_persons({"xs": ("patient", 3)}).check()
    with pytest.raises(DuetError):
        program.by_persons({"xs": ("patient", 4)}).check()


def test_frames_of_python_are_given_as_they_were() -> None:
    frame = {"patient": ["a", "b", "a"], "cost": [1.0, 2.0, 3.0]}
    checked = duetpy.parse("pλ . " + COUNT.format("laplace[1, 1.0]"), "eps").by_persons({"xs": ("patient", 1)}).check()
    for given in (frame, {"xs": frame}):
        assert checked.run(xs=given, _insecure_noise="none").result == 2.0


def test_the_order_of_lines_and_lines_of_nobody_change_nothing() -> None:
    checked = duetpy.parse(ROWS, "eps").by_persons({"xs": ("patient", 2)}).check()
    header, *lines = LINES.splitlines()
    Path("others.csv").write_text("age\n1\n", encoding="utf-8")
    found = []
    for text in (lines, lines[::-1], [*lines[3:], *lines[:3], ",d,99"]):
        Path("some.csv").write_text("\n".join([header, *text, ""]), encoding="utf-8")
        values: dict[str, Any] = {"xs": "some.csv", "ys": "others.csv", "ε": 1}
        found.append(checked.run(**values, _insecure_noise="none", _on_bad_row="drop").result)
    assert found[0] == found[1] == found[2]


def test_a_ledger_of_persons_takes_no_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ledger", "create", "ledger", "--budget", "epsilon=100"]) == 0
    Path("rows.eps.duet").write_text("pλ . " + COUNT.format("laplace[1, 1.0]") + "\n", encoding="utf-8")
    words = ["run", "rows.eps.duet", "--data", "xs=visits.csv", "--ledger", "ledger"]
    assert main([*words, "--persons", "xs=patient,2"]) == 0
    first = capsys.readouterr().out.splitlines()[-1]
    # The same run again, which is not charged; and one in which more rows count, which is another one.
    assert main([*words, "--persons", "xs=patient,2"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == first
    assert main([*words, "--persons", "xs=patient,3"]) == 0
    capsys.readouterr()
    assert main(["ledger", "show", "ledger", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["spent"]["epsilon"] == 5
    assert main(words) == 1
    assert "D0727" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "word", "told"),
    [
        (ROWS, "zs=patient,2", "zs: there is no parameter of that name"),
        (ROWS, "ε=patient,2", "ε: it is not declared as a data frame"),
        (ROWS, "xs=patient,0", "xs=patient,0 is not NAME=COLUMN,K"),
        (ROWS, "xs=patient,many", "xs=patient,many is not NAME=COLUMN,K"),
        (ROWS, "xs=xs,2", "xs: the identifier has its name"),
        (ROWS, "ys=age,2", "ys: it has no column but the identifier"),
        ("pλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ []] ⇒ return 1", "xs=p,2", "xs: it is not declared as a data frame"),
        ("pλ . ⟨xs : 𝔻𝔽[a : 𝔻], ys : 𝔻𝔽[a : 𝔻]⟩ ⇒ return 1", "xs=p,2", "xs: it is aligned with other tables"),
        ("sλ . xs : 𝔻𝔽[a : 𝔻] ⇒ rows xs", "xs=p,2", "the program does not release anything"),
    ],
)
def test_what_cannot_be_grouped_ends_with_2(
    text: str, word: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("rows.eps.duet").write_text(text, encoding="utf-8")
    assert main(["check", "rows.eps.duet", "--persons", word]) == 2
    assert told in capsys.readouterr().err


def test_a_table_is_named_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "rows.eps.duet", "--persons", "xs=a,2", "--persons", "xs=a,3"]) == 2
    assert "argument --persons: xs is given twice" in capsys.readouterr().err


@pytest.mark.parametrize("most", [0, -1, 2.5, True])
def test_python_names_a_whole_number_of_rows(most: Any) -> None:
    with pytest.raises(ValueError, match="must be a whole number of at least 1"):
        duetpy.parse(ROWS, "eps").by_persons({"xs": ("patient", most)})


def test_a_program_with_errors_is_told_about_them(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rows.eps.duet").write_text("pλ . xs : 𝔻𝔽[a : 𝔻] ⇒ laplace[", encoding="utf-8")
    assert main(["check", "rows.eps.duet", "--persons", "xs=p,2"]) == 1
    assert "error[D00" in capsys.readouterr().err


def test_a_column_is_called_as_in_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    Path("q.eps.duet").write_text("plam xs : DF[cost : Disc] => dlaplace[1, 1] <xs> { rows xs }\n", encoding="utf-8")
    words = ["run", "q.eps.duet", "--data", "xs=visits.csv", "--on-bad-row", "default"]
    for persons in ([], ["--persons", "xs=patient,2"]):
        assert main([*words, *persons]) == 1
        assert "error[D0614]: a bad cell of xs.cost has no default" in capsys.readouterr().err


def test_a_refused_program_has_no_files_that_an_option_could_name(capsys: pytest.CaptureFixture[str]) -> None:
    Path("q.eps.duet").write_text("plam p : persons[id : Str | v : DF[a : Disc]] => return nope\n", encoding="utf-8")
    assert main(["run", "q.eps.duet", "--data", "v=v.csv", "--id", "v=patient"]) == 1
    assert "error[D0101]: unknown name `nope`" in capsys.readouterr().err


def test_the_only_file_of_a_table_has_the_name_of_the_table_too(capsys: pytest.CaptureFixture[str]) -> None:
    """`--id` said that no data is given for the file where it was given for the table, or without a name."""
    text = "plam ps : persons[id : Str | v : DF[cost : Disc]] => dlaplace[1, 9] <ps> { rows ps }\n"
    Path("q.eps.duet").write_text(text, encoding="utf-8")
    Path("v.csv").write_text("pat_no,cost\na,1\nb,2\n", encoding="utf-8")
    for data in ("v.csv", "ps=v.csv", "v=v.csv", "ps.v=v.csv"):
        assert main(["run", "q.eps.duet", "--data", data, "--id", "v=pat_no"]) == 0
    checked = duetpy.parse(text, "eps").check()
    for arguments in ({"ps": "v.csv"}, {"v": Path("v.csv")}, {"ps": {"v": "v.csv"}}):
        assert checked.run(**arguments, _id={"v": "pat_no"}).privacy["files"] == ["v.csv"]
    capsys.readouterr()
    assert main(["run", "q.eps.duet", "--data", "v.csv", "--id", "v=pat_no", "--id", "ps.v=pat_no"]) == 2
    assert "ps.v is given twice" in capsys.readouterr().err


def test_an_audit_moves_persons() -> None:
    program = duetpy.parse("pλ . " + COUNT.format("laplace[1, 1.0]"), "eps").by_persons({"xs": ("patient", 2)})
    assert not program.audit(trials=60).violations


def test_it_is_said_how_many_rows_of_a_person_count(capsys: pytest.CaptureFixture[str]) -> None:
    said = "of each patient, at most 3 rows of xs count"
    words = ["rows.eps.duet", "--persons", "xs=patient,3", "--set", "ε=0.5"]
    assert main(["check", *words]) == 0
    assert f"  {said}\n" in capsys.readouterr().out
    assert main(["check", *words, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["counted"] == [said]
    files = ["--data", "xs=visits.csv", "--data", "ys=ages.csv"]
    assert main(["run", *words, *files, "--report", "page.html"]) == 0
    assert f"Persons: {said}.\n" in capsys.readouterr().err
    assert f"<p>O{said[1:]}.</p>" in Path("page.html").read_text(encoding="utf-8")
    assert main(["check", "rows.eps.duet", "--format", "json"]) == 0
    assert "counted" not in json.loads(capsys.readouterr().out)


def test_it_is_said_of_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    body = "laplace[1, ε] <xs, ys> { real (rows xs) + real (rows ys) }"
    text = f"pλ xs : 𝔻𝔽[a : 𝔻], ys : 𝔻𝔽[b : 𝔻], static ε : ℝ⁺ ⇒ {body}"
    Path("two.eps.duet").write_text(text, encoding="utf-8")
    assert main(["check", "two.eps.duet", "--persons", "xs=who,3", "--persons", "ys=who,2"]) == 0
    told = capsys.readouterr().out
    assert "xs, ys (the same persons)   costs 5⋅ε" in told
    assert "  of each who, at most 3 rows of xs count\n  of each who, at most 2 rows of ys count\n" in told


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("flat[2] people { p ⇒ p.a }", "flat[3] people { p ⇒ p.b }", ["2 rows of a", "3 rows of b"]),
        ("flat[2] people { p ⇒ p.a }", "flat[5] people { p ⇒ p.a }", ["5 rows of a"]),
        ("flat[2] people { p ⇒ p.a }", "flat[k] people { p ⇒ p.b }", ["2 rows of a", "k rows of b"]),
        # No sentence is printed for anything else that is done with a person's rows.
        ("flat[2] people { p ⇒ p.a }", "people", []),
        ("flat[2] people { p ⇒ p.a }", "flat[3] people { p ⇒ mfilter p.a { r ⇒ r.c < 1.0 } }", []),
        ("people", "people", []),
    ],
)
def test_it_is_said_of_programs_that_see_nothing_else(first: str, second: str, told: list[str]) -> None:
    text = f"""plam people : persons[id : Str | a : DF[c : Disc], b : DF[c : Disc]], static eps : Real+, static k : Nat =>
      x <- laplace[auto, eps] <people> {{ real (rows ({first})) }} ;
      y <- laplace[auto, eps] <people> {{ real (rows ({second})) }} ;
      return x + y"""
    counted = duetpy.parse(text, notion="eps").check().statement.counted
    assert counted == tuple(f"of each id, at most {each} count" for each in told)


def test_more_rows_than_a_number_can_say_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "rows.eps.duet", "--persons", f"xs=patient,{'9' * 5000}"]) == 2
    told = capsys.readouterr().err
    assert "is not NAME=COLUMN,K, such as visits=patient,3" in told
    assert len(told) < 500
