"""What stands around a run: files next to the program that have names of modules of Python, files that change while they are
read, streams of few letters, Python without assertions, and one person's rows that come in under two names."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import duetpy
from duetpy.accounting.budget import Budget, parse_budget
from duetpy.cli.main import main
from duetpy.ledger.store import create
from duetpy.run_arguments import asked_goal
from duetpy.runtime.release import run as run_module
from duetpy.runtime.release.charged_run import Booking
from tests.attacks.secrets import WORD, seen
from tests.cli.harness import ROOT, spawn
from tests.sources import parsed

SUM = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒
  laplace[auto, 0.5] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 1.0] (row#[0, 0]) } }
"""
TWO = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒
  a ← laplace[auto, 0.5] <xs> { mfold-row 0.0, xs { t, row ⇒ t + clip[0.0, 1.0] (row#[0, 0]) } } ;
  b ← laplace[auto, 0.5] <ys> { mfold-row 0.0, ys { t, row ⇒ t + clip[0.0, 1.0] (row#[0, 0]) } } ;
  return ⟨a, b⟩
"""
TEXTS = """\
pλ . s : 𝐝 𝕊, u : 𝐝 𝕊 ⇒
  a ← laplace[auto, 0.5] <s> { if s == "red" then 1.0 else 0.0 } ;
  b ← laplace[auto, 0.5] <u> { if u == "red" then 1.0 else 0.0 } ;
  return ⟨a, b⟩
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sum.eps.duet").write_text(SUM, encoding="utf-8")
    (tmp_path / "people.csv").write_text("0.5\n0.25\n", encoding="utf-8")
    return tmp_path


def test_modules_of_the_current_folder_are_not_imported(folder: Path) -> None:
    """`python -m` looks there first: a file secrets.py next to the data would take the place of Python's."""
    for name in ("secrets", "random", "numpy", "attrs", "attr", "scipy", "sqlite3", "json", "argparse", "fractions"):
        (folder / f"{name}.py").write_text("print('taken'); raise SystemExit(99)\n", encoding="utf-8")
    assert spawn(folder, "ledger", "create", "l", "--budget", "epsilon=1").returncode == 0
    done = spawn(folder, "run", "sum.eps.duet", "--data", "people.csv", "--ledger", "l")
    assert done.returncode == 0, done.stderr
    assert b"taken" not in done.stdout + done.stderr


def test_a_plain_program_imports_what_lies_beside_it(folder: Path) -> None:
    """The control: the same file takes the place of Python's own module."""
    (folder / "secrets.py").write_text("print('taken'); raise SystemExit(99)\n", encoding="utf-8")
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}
    words = [sys.executable, "-c", "import secrets"]
    done = subprocess.run(words, cwd=folder, capture_output=True, env=surroundings, check=False)
    assert done.returncode == 99
    assert b"taken" in done.stdout


def test_python_without_assertions_releases_too(folder: Path) -> None:
    words = ["-OO", "-m", "duetpy", "run", "sum.eps.duet", "--data", "people.csv"]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_assertions_only_tell_types() -> None:
    """`python -O` leaves them out: nothing that a promise rests on may be one."""
    for path in sorted((ROOT / "duetpy").rglob("*.py")):
        if path.relative_to(ROOT / "duetpy").parts[0] in ("grammar", "typecheck", "diagnostics"):
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Assert):
                told = ast.unparse(node.test)
                assert told.startswith("isinstance(") or told.endswith(" is not None"), f"{path}: {told}"


def test_a_column_that_is_no_number_is_never_left_out() -> None:
    from duetpy.runtime.exact.rationals import plain
    from duetpy.runtime.values.values import MatrixValue, numbers_of, texts_of

    with pytest.raises(TypeError):
        numbers_of(MatrixValue(1, (plain(np.array([1.0])), texts_of(["a"]))))


@pytest.mark.parametrize("after", ["0.5\n0.75\n", "0.5\n"])
@pytest.mark.parametrize("replaces", [True, False])
def test_a_file_that_changes_while_it_is_read_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, after: str, replaces: bool
) -> None:
    read = run_module.bound_value
    path = folder / "people.csv"
    os.utime(path, (1, 1))

    def changing(*given: Any) -> Any:
        found = read(*given)
        target = folder / "new.csv" if replaces else path
        target.write_text(after, encoding="utf-8")
        if replaces:
            target.replace(path)
        return found

    program = duetpy.parse(SUM, notion="eps").check()
    program.run(xs="people.csv")
    monkeypatch.setattr(run_module, "bound_value", changing)
    with pytest.raises(duetpy.DuetError, match="D0601"):
        program.run(xs="people.csv")


PAIR = """\
pλ . p : 𝕄 [L∞, U | ★, 1⋅𝔻] × 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ laplace[auto, 0.5] <p> { let ⟨xs, ys⟩ = p in
  mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 1.0] (row#[0, 0]) } }
"""


def test_a_file_of_a_pair_that_changes_while_it_is_read_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two halves of one file would be of different people."""
    read = run_module.bound_value
    path = folder / "people.csv"
    program = duetpy.parse(PAIR, notion="eps").check()
    assert program.run(p=("people.csv", "people.csv")).privacy["total"]["epsilon"] == 1.0

    def changing(*given: Any) -> Any:
        found = read(*given)
        path.write_text("0.5\n0.75\n0.25\n", encoding="utf-8")
        return found

    monkeypatch.setattr(run_module, "bound_value", changing)
    with pytest.raises(duetpy.DuetError, match="D0601"):
        program.run(p=("people.csv", "people.csv"))


@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_a_link_that_moves_does_not_change_whose_rows_they_are(
    folder: Path, monkeypatch: pytest.MonkeyPatch, rule: Any
) -> None:
    """What is charged is what one change of a person costs, at whatever moment two names come to stand for one file."""
    (folder / "others.csv").write_text("0.5\n0.75\n", encoding="utf-8")
    program = duetpy.parse(TWO, notion="eps").check()
    outcomes = set()
    for name in ("reserve", "data_digest"):
        for is_before in (True, False):
            for each in ("now.csv", "l"):
                (folder / each).unlink(missing_ok=True)
            (folder / "now.csv").symlink_to("others.csv")
            create(folder / "l", parse_budget("epsilon=9"), "people")
            step = getattr(Booking, name)

            def moving(*given: Any, step: Any = step, is_before: bool = is_before) -> Any:
                found = None if is_before else step(*given)
                (folder / "now.csv").unlink()
                (folder / "now.csv").symlink_to("people.csv")
                return step(*given) if is_before else found

            monkeypatch.setattr(Booking, name, moving)
            try:
                release = program.run(xs="people.csv", ys="now.csv", m=2, _ledger="l", _on_bad_row=rule)
            except duetpy.DuetError as error:
                outcomes.add(error.diagnostics[0].message)
            else:
                assert release.ledger is not None
                assert release.ledger["charged"]["epsilon"] == release.privacy["total"]["epsilon"] == 0.5
                outcomes.add("released")
            monkeypatch.setattr(Booking, name, step)
    refused = {"changed while it was read"}
    assert outcomes == (refused if rule == "default" else {*refused, "released"})


@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_a_link_that_is_elsewhere_while_it_is_read_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, rule: Any
) -> None:
    """Before and afterwards it is what it was."""
    (folder / "others.csv").write_text("0.5\n0.75\n", encoding="utf-8")
    (folder / "now.csv").symlink_to("others.csv")
    read = run_module.bound_value

    def moving(*given: Any) -> Any:
        for target in ("people.csv", "others.csv"):
            (folder / "now.csv").unlink()
            (folder / "now.csv").symlink_to(target)
            if target == "people.csv":
                found = read(*given)
        return found

    monkeypatch.setattr(run_module, "bound_value", moving)
    with pytest.raises(duetpy.DuetError, match="changed while it was read"):
        duetpy.parse(TWO, notion="eps").check().run(xs="people.csv", ys="now.csv", m=2, _on_bad_row=rule)


@pytest.mark.parametrize(
    ("names", "outcome"),
    [(("now.duckdb", "link.duckdb"), "released"), (("others.duckdb", "people.duckdb"), "changed while it was read")],
    ids=["links", "files"],
)
@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_a_database_that_is_elsewhere_while_it_is_read_is_refused_or_not_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch, rule: Any, names: tuple[str, str], outcome: str
) -> None:
    """The library opens a database by its path, and does not say which file it has opened."""
    for name, cell in (("others.duckdb", 1.0), ("people.duckdb", 0.0)):
        with import_module("duckdb").connect(name) as made:
            made.execute(f"CREATE TABLE t AS SELECT CAST({cell} AS DOUBLE) AS x FROM range(2)")
    (folder / "now.duckdb").symlink_to("others.duckdb")
    (folder / "link.duckdb").symlink_to("people.duckdb")
    read = run_module.bound_value

    def elsewhere(*given: Any) -> Any:
        def exchange() -> None:
            for source, target in zip((*names, "kept"), ("kept", *names), strict=True):
                os.replace(source, target)

        exchange()
        found = read(*given)
        exchange()
        return found

    def ran() -> Any:
        ways: dict[str, Any] = {"m": 2, "_on_bad_row": rule, "_insecure_noise": "none"}
        tables = {"xs": "people.csv", "ys": "duckdb:now.duckdb?table=t"}
        try:
            return duetpy.parse(TWO, notion="eps").check().run(**tables, **ways).result
        except duetpy.DuetError as error:
            return error.diagnostics[0].message

    assert ran() == (0.75, 2.0)
    monkeypatch.setattr(run_module, "bound_value", elsewhere)
    assert ran() == ((0.75, 2.0) if outcome == "released" else outcome)


class Moving:
    """An object that stands for another file from one moment on."""

    def __init__(self, asked: int) -> None:
        self.left = asked

    def __fspath__(self) -> str:
        self.left -= 1
        return "others.csv" if self.left < 0 else "people.csv"


@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_an_object_that_stands_for_a_path_is_asked_once(folder: Path, rule: Any) -> None:
    (folder / "others.csv").write_text("0.5\n0.75\n", encoding="utf-8")
    program = duetpy.parse(TWO, notion="eps").check()
    for asked in range(25):
        release = program.run(xs="people.csv", ys=Moving(asked), _insecure_noise="none", _on_bad_row=rule)
        is_same = release.privacy["unit"] == "one row of people.csv (xs, ys together)"
        assert (is_same, release.result) == (asked > 0, (0.75, 0.75 if asked else 1.25))


class Stands:
    """An object that stands for a file, and says anything, or raises it."""

    def __init__(self, path: object) -> None:
        self.path = path

    def __fspath__(self) -> Any:
        if isinstance(self.path, Exception):
            raise self.path
        return self.path


def test_a_path_may_be_bytes(folder: Path) -> None:
    create(folder / "l", parse_budget("epsilon=10"), "people")
    program = duetpy.parse(TWO, notion="eps").check()
    given: list[tuple[Any, Any]] = [(Stands(b"people.csv"), Stands(b"l")), ("people.csv", "l")]
    runs = [program.run(xs="people.csv", ys=ys, _ledger=ledger).ledger for ys, ledger in given]
    assert [found is not None and found["replayed"] for found in runs] == [False, True]
    goal = asked_goal(None, given[0][1])
    assert isinstance(goal, Budget)
    assert goal.amount == 9


@pytest.mark.parametrize("said", [3, RuntimeError("somebody")])
def test_an_object_that_says_no_path_is_refused(said: object) -> None:
    program = duetpy.parse(TWO, notion="eps").check()
    given: Any = Stands(said)
    with pytest.raises(duetpy.DuetError) as caught:
        program.run(xs="people.csv", ys=given)
    assert [each.code for each in caught.value.diagnostics] == ["D0601"]
    assert "somebody" not in str(caught.value)
    calls: list[Callable[[], object]] = [
        lambda: program.run(xs="people.csv", ys="people.csv", _ledger=given),
        lambda: asked_goal(None, given),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="ledger is not a path"):
            call()


@pytest.mark.parametrize("rule", ["refuse", "default"])
@pytest.mark.parametrize("header", ["auto", "yes", "no"])
def test_a_file_of_one_line_tells_no_cell(
    folder: Path, capsys: pytest.CaptureFixture[str], header: str, rule: str
) -> None:
    """Where lines end in carriage returns alone, the whole file stands where the header does."""
    named = SUM.replace("1⋅𝔻 else 0]", "age : 𝔻 else 0 ∷ name : 𝐝 𝕊 ∷ []]").replace("row#[0, 0]", "row.age")
    (folder / "named.eps.duet").write_text(named, encoding="utf-8")
    for text in (
        f"age,name\r31,{WORD}\r44,{WORD}",
        f"age,x,name\r31,{WORD},b\r44,{WORD},a\r",
        f"age\r{WORD},name,{WORD}\n",
    ):
        (folder / "people.csv").write_bytes(text.encode())
        words = ("--header", header)
        code = main(["run", "named.eps.duet", "--data", "people.csv", "--on-bad-row", rule, *words])
        assert code == (0 if (header, rule) == ("no", "default") else 1)
        main(["schema", "people.csv", *words])
        captured = capsys.readouterr()
        assert seen(captured.out + captured.err) == []


@pytest.mark.thorough("cli/test_main.py::test_an_encoding_without_greek_gets_the_spelling_in_ascii")
def test_json_is_json_on_a_stream_of_few_letters(folder: Path) -> None:
    (folder / "é𝔻").mkdir()
    (folder / "é𝔻" / "sum.eps.duet").write_text(SUM, encoding="utf-8")
    words = ("run", "é𝔻/sum.eps.duet", "--data", "people.csv", "--format", "json")
    done = spawn(folder, *words, PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["program"] == "é𝔻/sum.eps.duet"


# ---------------------------------------------------------------------------------------------------------------------
# Whose rows


def total(program: str = TWO, **arguments: Any) -> float:
    release = duetpy.parse(program, notion="eps").check().run(**arguments)
    return float(release.privacy["total"]["epsilon"])


CELLS = np.array([0.5, 0.25])
IN_MEMORY: list[Callable[[], object]] = [
    lambda: CELLS,
    lambda: CELLS.copy(),
    lambda: [[0.5], [0.25]],
    lambda: [(0.5,), (0.25,)],
    lambda: {"x": CELLS},
    lambda: memoryview(CELLS),
    lambda: np.ma.array(CELLS, mask=[True, False]),
    lambda: pd.DataFrame({"x": CELLS}),
    lambda: pd.Series(pd.array([0.5, None], dtype="Float64")),
    lambda: pa.table({"x": CELLS}),
]


@pytest.mark.parametrize("one", IN_MEMORY)
@pytest.mark.parametrize("other", IN_MEMORY)
@pytest.mark.sparse(4)
def test_tables_in_memory_may_be_about_the_same_people(
    folder: Path, one: Callable[[], object], other: Callable[[], object]
) -> None:
    """Any of them may be a copy, a view or a mapping of the other, and also of a file; no cell may decide what a run costs."""
    assert total(xs=one(), ys=other(), _on_bad_row="default") == 1.0
    assert total(xs=one(), ys="people.csv", _on_bad_row="default") == 1.0


def test_different_files_are_about_different_people(folder: Path) -> None:
    """The control: a file is never a part of another one."""
    (folder / "copy.csv").write_bytes((folder / "people.csv").read_bytes())
    assert total(xs="people.csv", ys="copy.csv") == 0.5
    assert total(xs="people.csv", ys="people.csv") == 1.0
    # Whoever is in memory may be in either file, and so all three belong together.
    release = "  c ← laplace[auto, 0.25] <zs> { mfold-row 0.0, zs { t, row ⇒ t + clip[0.0, 1.0] (row#[0, 0]) } } ;\n"
    three = TWO.replace("ys : 𝕄", "zs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ys : 𝕄").replace("  return", release + "  return")
    assert total(three, xs="people.csv", ys="copy.csv", zs=CELLS) == 1.25
    assert total(three, xs="people.csv", ys="copy.csv", zs="copy.csv") == 0.75


def test_a_file_in_a_pair_is_the_same_people() -> None:
    """Twice as part of the pair, since the number may be theirs too."""
    program = TWO.replace("xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ys", "p : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] × ℝ, ys").replace(
        "<xs> { mfold", "<p> { let ⟨xs, w⟩ = p in mfold"
    )
    assert total(program, p=("people.csv", 1.0), ys="people.csv", m=2) == 1.5


def test_a_private_text_is_not_told_and_no_file_is_looked_for(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / WORD).write_text("1\n", encoding="utf-8")
    asked: list[object] = []
    stat = os.stat
    monkeypatch.setattr(os, "stat", lambda path, *more, **named: (asked.append(path), stat(path, *more, **named))[1])
    release = duetpy.parse(TEXTS, notion="eps").check().run(s=WORD, u="red")
    assert seen(release.to_json()) == []
    assert WORD not in map(str, asked)
    (folder / "texts.eps.duet").write_text(TEXTS, encoding="utf-8")
    assert main(["ledger", "create", "l", "--budget", "epsilon=9"]) == 0
    assert main(["run", "texts.eps.duet", "--set", f's="{WORD}"', "--set", 'u="b"', "--ledger", "l"]) == 0
    captured = capsys.readouterr()
    assert seen(captured.out + captured.err) == []
    assert seen((folder / "l").read_bytes()) == []


def test_a_file_that_is_looked_for_tells_its_name() -> None:
    """The control: a reader that tries every text as a path."""
    with pytest.raises(FileNotFoundError) as caught:
        Path(WORD).read_bytes()
    assert seen(str(caught.value))


def test_whether_two_private_texts_are_equal_does_not_show() -> None:
    assert {total(TEXTS, s="a", u=other) for other in ("a", "b", "people.csv", "./people.csv")} == {1.0}
