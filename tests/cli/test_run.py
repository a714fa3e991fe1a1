import json
import re
from pathlib import Path
from typing import Any

import pytest

from duetpy.cli.console import FAULT_LINE
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.report.release_text import INSECURE
from tests.cli.harness import Duetpy, Outcome, Write
from tests.cli.programs import ALIGNED, CLEAR, CURRIED, LYING, MEAN, RHO

NOTHING = "nothing was released, nothing was spent\n"
CANARY = "8675309.25"


@pytest.fixture
def mean(write: Write) -> None:
    write("mean.eps.duet", MEAN)
    write("people.csv", "age\n" + "".join(f"{age}\n" for age in (10, 20, 30, 40)))


def run(duetpy: Duetpy, *arguments: str) -> Outcome:
    return duetpy("run", "mean.eps.duet", "--data", "people.csv", "--set", "eps=0.5", *arguments)


def released(outcome: Outcome) -> dict[str, Any]:
    assert outcome.code == 0, outcome.err
    value: dict[str, Any] = json.loads(outcome.out)
    return value


# ---------------------------------------------------------------------------------------------------------------------
# Missing cells

UNKNOWN = """pλ ε : ℝ⁺ . xs : 𝔻𝔽[age : 𝔻?, town : 𝕊?], ε : ℝ⁺[ε] ⇒
  n ← laplace[1, ε] <xs> { real (rows (mfilter xs { x ⇒ is-missing x.age })) } ;
  return ⟨n, ⟨if n < 100 then none[𝕊] else (sλ z : 𝕊? ⇒ z) "", ""⟩⟩
"""


@pytest.mark.parametrize(
    ("how", "shown"),
    [
        ("json", '"result": [2.0, [null, ""]]'),
        ("csv", 'n,value,value_2\n2,,""\n'),
        ("text", 'n,value,value_2\n2,,""\n'),
    ],
)
def test_missing_cells_are_counted_and_released(duetpy: Duetpy, write: Write, how: str, shown: str) -> None:
    write("u.eps.duet", UNKNOWN)
    write("u.csv", "age,town\n1,Rome\n,Oslo\nNA,\n")
    words = ("run", "u.eps.duet", "--data", "u.csv", "--set", "eps=1", "--insecure-noise", "none", "--format", how)
    refused = duetpy(*words)
    assert refused.code == 1
    assert "u.csv, line 4, column 'age'" in refused.err
    done = duetpy(*words, "--missing", "NA,.")
    assert done.code == 0, done.err
    assert shown in done.out


@pytest.mark.parametrize("words", ["NA,\udcff", "", "NA,", '"', "a;b", " x"])
def test_what_cannot_stand_for_a_missing_cell_is_refused(duetpy: Duetpy, write: Write, words: str) -> None:
    write("u.eps.duet", UNKNOWN)
    done = duetpy("run", "u.eps.duet", "--data", "u.csv", "--set", "eps=1", f"--missing={words}")
    assert done.code == 2
    assert "--missing" in done.err


def test_another_word_for_missing_cells_is_another_run(duetpy: Duetpy, write: Write) -> None:
    """A ledger gives out what was released only for the same request."""
    write("u.eps.duet", UNKNOWN)
    write("u.csv", "age,town\n1,Rome\n-9,Oslo\n3,NA\n")
    assert duetpy("ledger", "create", "l.db", "--budget", "epsilon=10").code == 0
    words = ("run", "u.eps.duet", "--data", "u.csv", "--set", "eps=1", "--ledger", "l.db", "--format", "json")
    first, again = released(duetpy(*words)), released(duetpy(*words))
    other = released(duetpy(*words, "--missing=-9"))
    assert first["result"] == again["result"]
    assert first["result"] != other["result"]


# ---------------------------------------------------------------------------------------------------------------------
# Releases


@pytest.mark.usefixtures("mean")
def test_a_release_as_text(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    outcome = run(duetpy)
    assert outcome.code == 0
    (result,), (privacy,) = outcome.out.splitlines(), outcome.err.splitlines()
    # 100/4 over 0.5 is a scale of 50; 95 of 100 runs stay within 149.8.
    assert re.fullmatch(r"-?\d+   ± 150 \(95 %\)", result)
    assert privacy == (
        "Privacy: one row of people.csv (4 rows, public) is protected with ε = 0.5 (pure; replace one row)."
    )


@pytest.mark.usefixtures("mean")
def test_without_noise_the_result_is_exact_and_marked(duetpy: Duetpy) -> None:
    outcome = run(duetpy, "--insecure-noise", "none")
    assert (outcome.out, outcome.err) == ("value\n25\n", f"{INSECURE}\n")
    value = released(run(duetpy, "--insecure-noise", "none", "--format", "json"))
    assert (value["result"], value["noise"]) == (25.0, "INSECURE")


@pytest.mark.usefixtures("mean")
def test_a_seed_repeats_itself_and_the_system_does_not(duetpy: Duetpy) -> None:
    def result(*arguments: str) -> float:
        found: float = released(run(duetpy, "--format", "json", *arguments))["result"]
        return found

    assert result("--insecure-noise", "7") == result("--insecure-noise", "7")
    assert result("--insecure-noise", "7") != result("--insecure-noise", "8")
    assert result() != result()


@pytest.mark.usefixtures("mean")
def test_the_json_of_a_release(duetpy: Duetpy) -> None:
    outcome = run(duetpy, "--format", "json", "--delta", "1e-3")
    value = released(outcome)
    assert outcome.err == ""
    assert outcome.out.count("\n") == 1
    assert set(value) == {"program", "result", "privacy", "releases", "data", "noise", "seconds"}
    assert value["program"] == "mean.eps.duet"
    assert isinstance(value["result"], float)
    privacy = value["privacy"]
    assert privacy["unit"] == "one row of people.csv"
    assert privacy["neighbours"] == "replace-one"
    assert privacy["total"] == {"notion": "eps", "epsilon": 0.5}
    (table,) = privacy["parameters"]
    assert (table["name"], table["value"]) == ("table", {"epsilon": 0.5})
    assert table["tight"]["delta"] == 1e-3
    (release,) = value["releases"]
    assert release["line"] == 2
    assert release["count"] == 1
    assert release["sensitivity"] == pytest.approx(25.0)
    assert release["scale"] == pytest.approx(50.0)
    assert release["error95"] == pytest.approx(149.79, abs=0.01)
    assert value["data"] == {"table": {"rows": 4, "columns": 1, "bad_rows": "refused"}}
    assert value["noise"] == "secure"
    assert value["seconds"] >= 0


@pytest.mark.usefixtures("mean")
def test_verbose_tells_of_the_mechanisms(duetpy: Duetpy) -> None:
    assert "Release: laplace at line 2: sensitivity 25" in run(duetpy, "-v").err
    assert "Release:" not in run(duetpy).err


def test_a_loop_and_its_result(duetpy: Duetpy, write: Write) -> None:
    write("rho.zcdp.duet", RHO)
    write("x.csv", "0.5\n1\n0\n")
    outcome = duetpy("run", "rho.zcdp.duet", "--data", "x.csv", "--set", "k=10", "--set", "rho=0.05", "-v")
    assert outcome.code == 0
    # The result is what the last of ten releases gave, so no error is claimed for it.
    assert "error95" not in outcome.out
    assert "; the program's own cost is ρ = 0.5 (zCDP)." in outcome.err
    assert "10 times" in outcome.err


def test_a_matrix_is_printed_row_by_row(duetpy: Duetpy, write: Write) -> None:
    write("x.duet", ALIGNED)
    write("data.csv", "0.5,0.25,1\n0.1,0.2,-1\n")
    write("theta.csv", "0,0\n")
    arguments = ("--data", "xs=data.csv:0-1", "--data", "ys=data.csv:2", "--set", "θ=@theta.csv")
    outcome = duetpy("run", "x.duet", *arguments)
    assert outcome.code == 0, outcome.err
    header, row = outcome.out.splitlines()
    assert header == "column_1,column_2"
    assert len(row.split(",")) == 2
    assert "one row of data.csv (2 rows, public) is protected with ε = 1, δ = 1e-6 (ε and δ;" in outcome.err
    value = released(duetpy("run", "x.duet", *arguments, "--format", "json"))
    assert [len(row) for row in value["result"]] == [2]


@pytest.mark.usefixtures("mean")
@pytest.mark.parametrize("noise", ["none", "7"])
def test_an_insecure_run_never_says_that_anything_is_protected(duetpy: Duetpy, tmp_path: Path, noise: str) -> None:
    told = []
    tables = (("--format", "csv"), ("--out", "result.csv", "-v"))
    for words in ((), ("-v",), ("--format", "json"), ("--format", "json", "-v"), ("--out", "result.txt"), *tables):
        outcome = run(duetpy, "--insecure-noise", noise, *words)
        assert outcome.code == 0
        told.append(outcome.out + outcome.err)
    told += [(tmp_path / name).read_text(encoding="utf-8") for name in ("result.txt", "result.csv")]
    for text in told:
        for claim in ("protected with", "Privacy:", "worth", "ε =", "epsilon", "Trusted"):
            assert claim not in text
    assert all(INSECURE in text for text in (told[0], told[1], *told[4:7]))
    privacy = json.loads(told[2])["privacy"]
    assert privacy == {"protected": False, "unit": "one row of people.csv", "neighbours": "replace-one"}
    assert "protected with ε = 0.5" in run(duetpy).err


@pytest.mark.usefixtures("mean")
def test_out_takes_the_result(duetpy: Duetpy, tmp_path: Path) -> None:
    outcome = run(duetpy, "--out", "result.txt", "--insecure-noise", "none")
    assert outcome.code == 0
    assert (tmp_path / "result.txt").read_text(encoding="utf-8") == "25   ± 150 (95 %)\n"
    assert (outcome.out, outcome.err) == ("", f"{INSECURE}\n")
    outcome = run(duetpy, "--out", "result.json", "--format", "json")
    assert outcome.out == ""
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["noise"] == "secure"


@pytest.mark.usefixtures("mean")
def test_out_takes_names_that_are_no_utf_8(duetpy: Duetpy, tmp_path: Path) -> None:
    """What was charged for is not lost by the name of a program."""
    (tmp_path / "mean\udcff.eps.duet").write_text(MEAN, encoding="utf-8")
    arguments = ("run", "mean\udcff.eps.duet", "--data", "people.csv", "--set", "eps=0.5", "--format", "json")
    outcome = duetpy(*arguments, "--out", "result.json")
    assert (outcome.code, outcome.err) == (0, "")
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["program"] == "mean\udcff.eps.duet"


@pytest.mark.usefixtures("mean")
def test_bad_rows_by_default(duetpy: Duetpy, write: Write) -> None:
    write("people.csv", "age\n10\nunknown\n")
    value = released(run(duetpy, "--on-bad-row", "default", "--format", "json", "--insecure-noise", "none"))
    assert value["result"] == 5.0
    assert value["data"]["table"]["bad_rows"] == "default"


@pytest.mark.usefixtures("mean")
@pytest.mark.parametrize("rule", ["refuse", "default"])
@pytest.mark.parametrize(
    ("name", "between", "said"),
    [("x.csv", ";", "semicolons"), ("x.csv", "\t", "tabs"), ("x.tsv", "\t", "tabs"), ("x.csv", ",", None)],
)
def test_what_separates_cells_is_said(
    duetpy: Duetpy, write: Write, rule: str, name: str, between: str, said: str | None
) -> None:
    write(name, f"size{between}age\n1{between}10\n2{between}20\n")
    words = ("run", "mean.eps.duet", "--data", name, "--set", "eps=1", "--on-bad-row", rule, "--insecure-noise", "none")
    outcome = duetpy(*words)
    assert outcome.out == "value\n15\n"
    line = f"Data: the cells of table are separated by {said}.\n"
    assert outcome.err.startswith("Data:" if said else "INSECURE")
    assert (line in outcome.err) is (said is not None)
    facts = released(duetpy(*words, "--format", "json"))["data"]["table"]
    assert facts.get("separator") == (between if said else None)


@pytest.mark.usefixtures("mean")
@pytest.mark.parametrize("first", ["10;20", "a;b", "10,20"])
def test_no_row_says_what_separates_cells(duetpy: Duetpy, write: Write, first: str) -> None:
    """Where nothing but its look says that a first line is a header, it may be a row."""
    write("x.eps.duet", MEAN.replace("age : 𝔻 else 0 ∷ []", "2⋅𝔻 else 0").replace("row.age", "(row#[0, 0])"))
    write("n.csv", f"{first}\n1,2\n")
    words = ("--set", "eps=1", "--set", "m=2", "--on-bad-row", "default", "--format", "json")
    outcome = duetpy("run", "x.eps.duet", "--data", "n.csv:0-1", "--header", "no", *words)
    assert "separator" not in released(outcome)["data"]["table"]


@pytest.mark.usefixtures("mean")
def test_a_header_can_be_forced(duetpy: Duetpy, write: Write) -> None:
    write("x.eps.duet", MEAN.replace("age : 𝔻 else 0 ∷ []", "1⋅𝔻").replace("row.age", "(row#[0, 0])"))
    write("n.csv", "1\n2\n3\n")
    arguments = ("run", "x.eps.duet", "--data", "n.csv", "--set", "eps=1", "--format", "json")
    assert released(duetpy(*arguments))["data"]["table"]["rows"] == 3
    assert released(duetpy(*arguments, "--header", "yes"))["data"]["table"]["rows"] == 2


# ---------------------------------------------------------------------------------------------------------------------
# Refusals: exit code 1, a diagnostic, and nothing on standard output


def refused(outcome: Outcome, code: str) -> None:
    assert outcome.code == 1, outcome
    assert outcome.out == ""
    assert f"error[{code}]" in outcome.err
    assert "\nhelp: " in outcome.err
    assert outcome.err.endswith(NOTHING)


@pytest.mark.usefixtures("mean")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"age\n{CANARY}x\n", "D0604"),
        (f"age\n{CANARY},{CANARY}\n", "D0605"),
        (f"{CANARY},{CANARY}\n", "D0603"),
        ("age\n", "D0602"),
        ("", "D0602"),
        (f"age,age\n{CANARY},{CANARY}\n", "D0607"),
    ],
)
def test_bad_data_is_refused_without_a_value(duetpy: Duetpy, write: Write, text: str, code: str) -> None:
    write("people.csv", text)
    outcome = run(duetpy)
    refused(outcome, code)
    assert CANARY not in outcome.err


@pytest.mark.usefixtures("mean")
def test_data_that_cannot_be_read(duetpy: Duetpy, tmp_path: Path) -> None:
    (tmp_path / "people.csv").unlink()
    refused(run(duetpy), "D0601")
    (tmp_path / "people.csv").mkdir()
    refused(run(duetpy), "D0601")


@pytest.mark.usefixtures("mean")
def test_a_refusal_as_json(duetpy: Duetpy, write: Write) -> None:
    write("people.csv", "age\nunknown\n")
    outcome = run(duetpy, "--format", "json")
    assert outcome.code == 1
    assert outcome.out == ""
    told = json.loads(outcome.err)
    assert told["program"] == "mean.eps.duet"
    assert [diagnostic["code"] for diagnostic in told["diagnostics"]] == ["D0604"]
    assert "line 2" in told["diagnostics"][0]["where"]


def test_a_refused_program_is_not_run(duetpy: Duetpy, write: Write) -> None:
    write("lie.eps.duet", LYING)
    refused(duetpy("run", "lie.eps.duet", "--data", "there-is-none.csv"), "D0311")


def test_a_program_that_cannot_be_read(duetpy: Duetpy) -> None:
    refused(duetpy("run", "none.duet", "--data", "x.csv"), "D0090")


def test_a_sensitivity_function_is_not_run(duetpy: Duetpy, write: Write) -> None:
    write("f.duet", CURRIED)
    refused(duetpy("run", "f.duet", "--set", "x=1", "--set", "y=2"), "D0609")


def test_data_is_not_bound_to_a_parameter_in_the_clear(duetpy: Duetpy, write: Write) -> None:
    write("clear.duet", CLEAR)
    write("x.csv", "1\n")
    outcome = duetpy("run", "clear.duet", "--data", "x=x.csv")
    refused(outcome, "D0701")
    assert "releases x in the clear" in outcome.err


@pytest.mark.usefixtures("mean")
def test_missing_numbers_and_data(duetpy: Duetpy) -> None:
    refused(duetpy("run", "mean.eps.duet", "--data", "people.csv"), "D0608")
    refused(duetpy("run", "mean.eps.duet", "--set", "eps=0.5"), "D0608")


@pytest.mark.usefixtures("mean")
def test_sizes_that_contradict_the_data(duetpy: Duetpy) -> None:
    refused(run(duetpy, "--set", "m=5"), "D0612")


def test_side_conditions_are_verified_before_data_is_opened(duetpy: Duetpy, write: Write) -> None:
    write("x.ed.duet", MEAN.replace("laplace[auto, ε]", "gauss[auto, ε, ℝ⁺[1.5]]"))
    refused(duetpy("run", "x.ed.duet", "--data", "there-is-none.csv", "--set", "eps=1"), "D0501")


@pytest.mark.usefixtures("mean")
def test_a_fault_in_a_run_says_nothing_of_the_data(duetpy: Duetpy, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> object:
        raise DuetError((Diagnostic("D0901", CANARY),))

    monkeypatch.setattr("duetpy.runtime.release.run.run", fail)
    outcome = run(duetpy)
    assert (outcome.code, outcome.out, outcome.err) == (70, "", FAULT_LINE)


@pytest.mark.usefixtures("mean")
# ---------------------------------------------------------------------------------------------------------------------
# Malformed command lines


@pytest.mark.usefixtures("mean")
@pytest.mark.parametrize(
    "arguments",
    [
        ("--data", "people.csv"),
        ("--data", "table=people.csv", "--data", "table=people.csv"),
        ("--data", "nonsense=people.csv"),
        ("--data", "table="),
        ("--data", "table=people.csv:"),
        ("--data", "table=people.csv:3-1"),
        ("--data", "table=people.csv:0,age"),
        ("--set", "nonsense=1"),
        ("--set", "eps=0"),
        ("--set", "m=2.5"),
        ("--out", "."),
        ("--out", "people.csv"),
        ("--out", "mean.eps.duet"),
        ("--out", "none/result.txt"),
        ("--out", "result.orc"),
        ("--out", "result"),
        ("--out", "result.csv", "--format", "json"),
        ("--out", "result.json", "--format", "csv"),
        ("--on-bad-row", "skip"),
        ("--header", "maybe"),
        ("--insecure-noise", "all"),
        ("--insecure-noise", "-1"),
        ("--engine", "dusk"),
        ("--engine", "threads:4"),
        ("--engine", "dask:"),
        ("--engine", "dask:there"),
        ("--engine", "dask:tcp://there"),
        ("--report", "x.pdf"),
        ("--format", "sarif"),
    ],
)
def test_a_malformed_command_line(duetpy: Duetpy, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    outcome = duetpy("run", "mean.eps.duet", "--data", "people.csv", *arguments)
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.usefixtures("mean")
def test_the_engine_can_be_named(duetpy: Duetpy) -> None:
    without = ("--insecure-noise", "none")
    assert run(duetpy, *without, "--engine", "threads").out == run(duetpy, *without).out
    error = run(duetpy, "--engine", "dusk").err
    assert "argument --engine: invalid choice: 'dusk' (choose from 'threads', 'dask', 'dask:ADDRESS')" in error
    assert "write tls://HOST:PORT, or tcp://127.0.0.1:PORT" in run(duetpy, "--engine", "dask:there").err


@pytest.mark.usefixtures("mean")
def test_a_refused_run_leaves_no_file(duetpy: Duetpy, write: Write, tmp_path: Path) -> None:
    write("people.csv", "age\nunknown\n")
    refused(run(duetpy, "--out", "result.txt"), "D0604")
    assert not (tmp_path / "result.txt").exists()


def test_a_delta_that_grows_with_the_data_is_refused_before_any_noise(duetpy: Duetpy, write: Write) -> None:
    write(
        "turns.ed.duet",
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ loop (rows xs) on 0.0 <xs> { i, a ⇒ "
        "gauss[auto, 1.0, 0.5] <xs> { mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 1.0] (r#[0, 0]) } } }",
    )
    write("one.csv", "1\n")
    write("two.csv", "1\n2\n")
    assert duetpy("run", "turns.ed.duet", "--data", "one.csv").code == 0
    outcome = duetpy("run", "turns.ed.duet", "--data", "two.csv")
    assert outcome.code == 1
    assert outcome.out == ""
    assert "D0590" in outcome.err
    assert outcome.err.endswith(NOTHING)


def test_a_mechanism_of_an_imported_file_is_told_by_its_file(duetpy: Duetpy, write: Write) -> None:
    """Its line is no line of the program."""
    write("lib.duet", "-- Noise.\ndef noisy = pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[auto, ε] <x> { x }\n")
    write(
        "main.eps.duet",
        'import "lib.duet";\npλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒\n  a ← noisy@[ . x, ε] ; laplace[auto, ε] <x> { x + a }\n',
    )
    words = ("--set", "ε=1")
    checked = duetpy("check", "main.eps.duet", *words).out
    assert re.findall(r"release laplace at ([^:]+):", checked) == ["line 2 of lib.duet", "line 3"]
    outcome = duetpy("run", "main.eps.duet", *words, "--set", "x=1", "-v")
    assert re.findall(r"Release: laplace at ([^:]+):", outcome.err) == ["line 2 of lib.duet", "line 3"]
    value = released(duetpy("run", "main.eps.duet", *words, "--set", "x=1", "--format", "json"))
    assert [(each["line"], each["file"]) for each in value["releases"]] == [(2, "lib.duet"), (3, None)]
    assert "the scale of laplace at line 2 of lib.duet" in duetpy("audit", "main.eps.duet", "--trials", "20").out


def test_quiet_leaves_the_result_errors_and_warnings(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    write("people.csv", "age\n20\n43\n")
    given = ("run", "mean.eps.duet", "--data", "people.csv", "--set", "ε=0.5")
    for option in ("-q", "--quiet"):
        outcome = duetpy(*given, option)
        assert (outcome.code, outcome.err) == (0, "")
        assert outcome.out.startswith("value\n")
    assert "protected with" in duetpy(*given).err
    weak = duetpy("run", "mean.eps.duet", "--data", "people.csv", "--set", "ε=50", "--quiet")
    assert weak.err.startswith("Warning: with ε = 50")
    assert len(weak.err.splitlines()) == 1
    as_json = duetpy("run", "mean.eps.duet", "--data", "people.csv", "--set", "ε=50", "--format", "json")
    (warning,) = json.loads(as_json.err)["warnings"]
    assert warning.startswith("with ε = 50")
    assert duetpy(*given, "--format", "json").err == ""
    insecure = duetpy(*given, "--quiet", "--insecure-noise", "1")
    assert insecure.err.startswith("INSECURE")
    refused = duetpy("run", "mean.eps.duet", "--data", "nothing.csv", "--set", "ε=0.5", "--quiet")
    assert refused.code == 1
    assert "D0601" in refused.err


def test_a_quiet_run_charges_and_says_so_only_if_asked(duetpy: Duetpy, write: Write) -> None:
    write("mean.eps.duet", MEAN)
    write("people.csv", "age\n20\n43\n")
    assert duetpy("ledger", "create", "l", "--budget", "epsilon=1").code == 0
    given = ("run", "mean.eps.duet", "--data", "people.csv", "--set", "ε=0.4", "--ledger", "l")
    assert duetpy(*given, "--quiet").err == ""
    assert json.loads(duetpy("ledger", "show", "l", "--format", "json").out)["spent"]["epsilon"] == 0.4
