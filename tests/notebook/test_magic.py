"""``%%duet`` in a shell of IPython: cells are checked and run, and refusals are shown as texts."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from duetpy import Checked, Release
from duetpy.accounting.budget import parse_budget
from duetpy.ledger.store import create
from tests.notebook.shells import new_shell

COUNT = """\
notion eps;
pλ xs : 𝕄 [L∞, U | ★, age : 𝔻 ∷ []], static ε : ℝ⁺ ⇒
  laplace[auto, ε] <xs> { count (mmap-row xs { r ⇒ 65.0 ≤ r.age }) }
"""


class Notebook:
    """A shell, and what its cells give."""

    def __init__(self, extension: str) -> None:
        self.shell = new_shell()
        self.run(f"%load_ext {extension}")

    def run(self, cell: str) -> Any:
        """The value of a cell that succeeds."""
        done = self.shell.run_cell(cell)
        done.raise_error()
        return done.result

    def fails(self, cell: str) -> BaseException:
        done = self.shell.run_cell(cell)
        error = done.error_in_exec or done.error_before_exec
        assert error is not None
        return error


@pytest.fixture(params=["duetpy", "duetpy.notebook"])
def notebook(request: pytest.FixtureRequest) -> Notebook:
    return Notebook(request.param)


@pytest.fixture
def shell() -> Notebook:
    return Notebook("duetpy")


def test_names_are_those_that_python_reads(shell: Notebook) -> None:
    """The µ of a keyboard is the letter μ to Python: the result could not be reached, and the table was not found."""
    found = shell.run(f"%%duet \N{MICRO SIGN}_1\n{COUNT}")
    assert shell.run("\N{MICRO SIGN}_1") is found
    shell.run("\N{MICRO SIGN} = [[70.0], [3.0]]")
    assert isinstance(shell.run(f"%%duet --data \N{MICRO SIGN} --set ε=1\n{COUNT}"), Release)


def test_a_cell_is_checked_and_bound(notebook: Notebook) -> None:
    found = notebook.run(f"%%duet counted\n{COUNT}")
    assert isinstance(found, Checked)
    assert notebook.shell.user_ns["counted"] is found
    assert found.parameters["xs"].cost == {"epsilon": "ε"}
    assert "costs ε" in found._repr_html_()
    assert "<counted>" not in notebook.shell.user_ns


def test_a_cell_is_checked_with_numbers(shell: Notebook) -> None:
    found = shell.run(f"%%duet --set ε=0.5 --delta 1e-6\n{COUNT}")
    assert found.parameters["xs"].value == {"epsilon": 0.5}


def test_a_number_of_the_notebook_is_put_in(shell: Notebook) -> None:
    shell.run("eps = 0.25")
    found = shell.run("%%duet --set ε={eps}\n" + COUNT)
    assert found.parameters["xs"].value == {"epsilon": 0.25}


@pytest.mark.parametrize(
    "table",
    [np.full((1000, 1), 70.0), [[70.0]] * 1000, pa.table({"age": [70.0] * 1000, "name": ["x"] * 1000})],
    ids=["numpy", "rows", "arrow"],
)
def test_a_cell_runs_on_a_table_of_the_notebook(shell: Notebook, table: object) -> None:
    shell.shell.user_ns["people"] = table
    found = shell.run(f"%%duet released --set ε=100 --data xs=people\n{COUNT}")
    assert isinstance(found, Release)
    assert shell.shell.user_ns["released"] is found
    assert abs(found.result - 1000) < 10
    assert found.noise == "secure"
    assert "protected" in found._repr_html_()


def test_the_one_private_table_need_not_be_named_and_may_be_a_file(shell: Notebook, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age\n70\n71\n", encoding="utf-8")
    found = shell.run(f"%%duet --set ε=100 --data {tmp_path}/people.csv\n{COUNT}")
    assert abs(found.result - 2) < 10


def test_noise_differs_from_run_to_run(shell: Notebook) -> None:
    shell.shell.user_ns["people"] = np.full((10, 1), 70.0)
    cell = f"%%duet --set ε=0.1 --data people\n{COUNT}"
    assert len({shell.run(cell).result for _ in range(4)}) > 1


def test_a_run_is_charged_to_a_ledger(shell: Notebook, tmp_path: Path) -> None:
    ledger = tmp_path / "people.ledger"
    create(ledger, parse_budget("epsilon=1"), "people")
    shell.shell.user_ns["people"] = np.full((10, 1), 70.0)
    shell.run(f"%%duet --set ε=0.75 --data people --ledger {ledger}\n{COUNT}")
    shell.shell.user_ns["people"] = np.full((11, 1), 70.0)
    error = shell.fails(f"%%duet --set ε=0.75 --data people --ledger {ledger}\n{COUNT}")
    assert "D0702" in str(error)


def test_a_program_without_data_runs_when_it_is_asked_to(shell: Notebook) -> None:
    text = "notion eps;\npλ n : ℕ . k : ℕ[n] ⇒ return k"
    assert isinstance(shell.run(f"%%duet --set k=3\n{text}"), Checked)
    found = shell.run(f"%%duet --run --set k=3\n{text}")
    assert isinstance(found, Release)
    assert found.result == 3


def test_a_refusal_is_shown_as_a_text_and_fails_the_cell(shell: Notebook, capsys: pytest.CaptureFixture[str]) -> None:
    cell = "%%duet wrong\nnotion eps;\npλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { x + x }"
    error = shell.fails(cell)
    shown = "".join(capsys.readouterr())
    assert "error[D0311]: this is more sensitive than claimed" in shown
    assert "--> <wrong>:2:38" in shown
    assert "help: write a sensitivity of 2, or laplace[auto, …]" in shown
    assert "Traceback" not in shown
    assert "wrong" not in shell.shell.user_ns
    assert type(error).__name__ == "Refused"


def test_a_bad_cell_stops_a_run_and_is_not_shown(
    shell: Notebook, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "people.csv").write_text("age\n70\nsecret\n", encoding="utf-8")
    shell.fails(f"%%duet --set ε=1 --data xs={tmp_path}/people.csv\n{COUNT}")
    shown = "".join(capsys.readouterr())
    assert "D06" in shown
    assert "secret" not in shown


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--set ε", "must have the form NAME=VALUE"),
        ("--set ε=x", "cannot be read"),
        ("--set eta=1", "unknown name eta"),
        ("--set ε=1 --set eps=2", "given twice"),
        ("--set ε=1 --set ε=2", "given twice"),
        ("--data xs=nobody", "no variable nobody"),
        ("--data ys=[1]", "unknown name ys"),
        ("--seed 1", "cannot read --seed"),
        ("--insecure-noise none", "cannot read --insecure-noise"),
        ("--data _insecure_noise=1", "unknown name _insecure_noise"),
        ("--set _insecure_noise=1", "unknown name _insecure_noise"),
        ("--ledger x.ledger", "--ledger needs a run"),
        ("--data people --ledger a --ledger b", "--ledger: is given twice"),
        ("--id a=b", "--id needs a run"),
        ("--delta 1e-9 --delta 1e-6", "--delta: is given twice"),
        ("--data people --on-bad-row default --on-bad-row refuse", "--on-bad-row: is given twice"),
        ("--notion eps --notion zcdp", "--notion: is given twice"),
        ("--data x.csv --id a=b --id a=c", "--id a is given twice"),
        ("--set xs=@x.csv --data xs=y.csv", "xs is given both as data and as a public value"),
        ("--delta 2", "between 0 and 1"),
        ("two words", "cannot read words"),
        ("'", "No closing quotation"),
        ("not-a-name", "cannot be the name of a variable"),
        ("if", "cannot be the name of a variable"),
    ],
)
def test_a_line_that_cannot_be_read_says_why(
    shell: Notebook, line: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    error = shell.fails(f"%%duet {line}\n{COUNT}")
    shown = "".join(capsys.readouterr())
    assert type(error).__name__ == "UsageError"
    assert told in str(error)
    assert told in shown
    assert "Traceback" not in shown


def test_several_private_tables_must_be_named(shell: Notebook) -> None:
    text = "notion eps;\npλ . x : ℝ, y : ℝ ⇒ a ← laplace[1.0, 1.0] <x> { x } ; laplace[1.0, 1.0] <y> { y }"
    assert "2 private parameters; write --data x=… or --data y=…" in str(shell.fails(f"%%duet --data 1.5\n{text}"))


@pytest.mark.parametrize(
    ("type_", "value"),
    [("℘(𝕊)", "['Ada']"), ("𝕊", "'Ada'"), ("𝔻", "3.0"), ("𝕊 × 𝔻", "('Ada', 3.0)"), ("℘(𝕊)", "'@people.csv'")],
)
def test_what_is_called_data_is_not_released_in_the_clear(shell: Notebook, type_: str, value: str) -> None:
    """`Checked.run` takes it for public, and the release said that it depends on no data."""
    text = f"notion eps;\npλ . x : {type_} ⇒ return x"
    shell.run(f"given = {value}")
    assert "D0701" in str(shell.fails(f"%%duet --data x=given\n{text}"))
    shell.run("import duetpy; given = duetpy.public(['Ada'])")
    text = "notion eps;\npλ . x : ℘(𝕊) ⇒ return x"
    assert shell.run(f"%%duet --data x=given\n{text}").result == ["Ada"]


def test_a_static_number_may_be_a_variable(shell: Notebook) -> None:
    shell.run("people = [[70.0], [3.0]]; half = 0.5")
    assert shell.run(f"%%duet --data xs=people --data ε=half\n{COUNT}").privacy["total"]["epsilon"] == 0.5


def test_the_module_shows_no_name_for_the_extension() -> None:
    import duetpy

    assert "load_ipython_extension" not in dir(duetpy)
    assert callable(duetpy.load_ipython_extension)


def test_files_of_persons_are_given_by_their_names(shell: Notebook) -> None:
    shell.run("visits = {'patient': ['a', 'a', 'b'], 'cost': [1.0, 2.0, 3.0]}")
    shell.run("bills = {'pat_no': ['b', 'c'], 'paid': [1.0, 2.0]}")
    program = "plam people : persons[patient : Str | visits : DF[cost : Disc], bills : DF[paid : Disc]] =>\n"
    program = f"notion eps;\n{program}  dlaplace[1, 50] <people> {{ rows people }}\n"
    release = shell.run(f"%%duet --data visits=visits --data people.bills=bills --id bills=pat_no\n{program}")
    assert abs(release.result - 3) < 3
    assert "FILE=COLUMN" in str(shell.fails(f"%%duet --data visits=visits --data bills=bills --id bills\n{program}"))
    assert "unknown name bill" in str(shell.fails(f"%%duet --data visits=visits --data bill=bills\n{program}"))


@pytest.mark.parametrize("type_", ["𝕄 [L∞, U | 1, a : 𝔻 else 0 ∷ []]", "℘(𝐝 𝕊)"])
def test_a_text_for_a_private_table_is_no_path(shell: Notebook, type_: str) -> None:
    text = f"notion eps;\npλ . x : {type_} ⇒ laplace[1.0, 1.0] <x> {{ if x ≡ x then 1.0 else 0.0 }}"
    for given in ('"Ada"', '"@Ada"'):
        assert isinstance(shell.run(f"%%duet --run --on-bad-row default --set 'x={given}'\n{text}"), Release)
        assert "Ada" not in str(shell.fails(f"%%duet --run --set 'x={given}'\n{text}"))
