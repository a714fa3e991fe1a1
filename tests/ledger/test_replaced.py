"""Ledgers that are moved, restored or replaced while a run has them open: at every step the run is charged in the file that has the
name afterwards, or nothing of it is released."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from duetpy.accounting.budget import parse_budget
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.chain import Entry, completion
from duetpy.ledger.store import Ledger, create
from duetpy.runtime.release import charged_run
from tests.ledger.harm import add
from tests.ledger.test_store import TENTH, body

PROGRAM = """pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, age : 𝔻 else 0 ∷ []], ε : ℝ⁺[ε] ⇒ laplace[auto, ε] <xs> { real (rows xs) }
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger with a charge, next to a copy from before it."""
    made = tmp_path / "people.ledger"
    create(made, parse_budget("epsilon=1"), "people")
    shutil.copy(made, tmp_path / "copy")
    add(made)
    return made


def put_back(path: Path) -> None:
    os.replace(path.parent / "copy", path)


def put_another(path: Path) -> None:
    other = path.parent / "other"
    create(other, parse_budget("epsilon=1"), "people")
    os.replace(other, path)


def put_another_of_other_terms(path: Path) -> None:
    other = path.parent / "other"
    create(other, parse_budget("rho=1"), "people")
    os.replace(other, path)


def write_over(path: Path) -> None:
    path.write_bytes((path.parent / "copy").read_bytes())


def move(path: Path) -> None:
    path.rename(path.parent / "elsewhere")


WAYS: tuple[Callable[[Path], None], ...] = (put_back, put_another, put_another_of_other_terms, write_over, move)

STEPS = ("PRAGMA journal_mode = DELETE", "BEGIN IMMEDIATE", "SELECT text", "INSERT", "UPDATE seal", "COMMIT")


@contextmanager
def at(step: str, harm: Callable[[], None]) -> Iterator[list[str]]:
    """Do harm once, before the statement that begins with a text."""
    done: list[str] = []

    class Watched(sqlite3.Connection):
        def execute(self, sql: str, *rest: Any) -> Any:
            if sql.startswith(step) and not done:
                done.append(sql)
                harm()
            return super().execute(sql, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Watched))
        yield done


def unless_refused(write: Callable[[], Entry]) -> Entry | None:
    try:
        return write()
    except DuetError as error:
        codes = {each.code for each in error.diagnostics}
    assert codes <= {"D0722", "D0723", "D0724"}
    return None


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("step", STEPS)
def test_a_charge_is_in_the_file_of_the_name_or_it_is_refused(
    path: Path, step: str, way: Callable[[Path], None]
) -> None:
    began = Ledger(path).state()
    with at(step, lambda: way(path)) as done:
        entry = unless_refused(lambda: Ledger(path).reserve(TENTH, body(TENTH), began))
    assert done
    if entry is not None:
        # With what was charged before.
        assert Ledger(path).state().entries == (*began.entries, entry)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("step", STEPS)
def test_an_output_is_stored_with_its_charge_or_not_shown(path: Path, step: str, way: Callable[[Path], None]) -> None:
    entry = Ledger(path).reserve(TENTH, body(TENTH))
    before = Ledger(path).state().entries
    with at(step, lambda: way(path)) as done:
        stored = unless_refused(lambda: Ledger(path).complete(completion(3, None, {"result": 1}), entry.hash)[0])
    assert done
    if stored is not None:
        assert Ledger(path).state().entries == (*before, stored)


@pytest.mark.parametrize("way", WAYS)
def test_a_charge_is_for_the_ledger_that_the_run_began_with(path: Path, way: Callable[[Path], None]) -> None:
    """An older copy has the same terms, and has forgotten what was charged since; one of ρ must not take ε = 0.1 for ρ = 0.1."""
    began = Ledger(path).state()
    way(path)
    with pytest.raises(DuetError, match=r"was moved or replaced during the run|cannot find"):
        Ledger(path).reserve(TENTH, body(TENTH), began)
    assert not path.exists() or Ledger(path).state().entries == ()


def test_what_others_charged_meanwhile_is_no_other_ledger(path: Path) -> None:
    began = Ledger(path).state()
    add(path)
    assert Ledger(path).reserve(TENTH, body(TENTH), began).number == 5


@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_a_run_is_not_charged_to_an_older_copy(
    path: Path, rule: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(path.parent)
    Path("count.eps.duet").write_text(PROGRAM, encoding="utf-8")
    Path("people.csv").write_text("age\n1\n2\n", encoding="utf-8")
    price = charged_run.charge

    def slow(*given: Any) -> Any:
        put_back(path)
        return price(*given)

    monkeypatch.setattr(charged_run, "charge", slow)
    words = ["run", "count.eps.duet", "--data", "people.csv", "--set", "ε=0.5", "--on-bad-row", rule]
    assert main([*words, "--ledger", str(path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "was moved or replaced during the run" in err
    assert "nothing was spent" in err
    assert Ledger(path).state().entries == ()


def test_a_charge_has_one_output(path: Path) -> None:
    entry = Ledger(path).reserve(TENTH, body(TENTH))
    outputs = [completion(entry.number, None, {"result": result}) for result in (1, 2)]
    Ledger(path).complete(outputs[0], entry.hash)
    with pytest.raises(DuetError, match="holds another output of the run that entry 3 is for"):
        Ledger(path).complete(outputs[1], entry.hash)
    assert [each.output for each in Ledger(path).state().entries[3:]] == [{"result": 1}]


class Copying(list[list[float]]):
    """Rows that copy the process when they are read after the charge."""

    copied = False

    def __iter__(self) -> Iterator[list[float]]:
        if not Copying.copied and Ledger(Path("new.ledger")).state().entries:
            Copying.copied = True
            os.fork()
        return super().__iter__()


def test_a_process_that_is_copied_during_a_run_releases_once(tmp_path: Path) -> None:
    """Each of the two would draw noise of its own."""
    create(tmp_path / "new.ledger", parse_budget("epsilon=1"), "people")
    script = """
import os
import duetpy
from tests.ledger.test_replaced import PROGRAM, Copying
checked = duetpy.parse(PROGRAM, notion="eps").check()
try:
    found = checked.run(xs=Copying([[1.0]]), ε=0.5, _ledger="new.ledger", _on_bad_row="default").result
except duetpy.DuetError as error:
    found = error.diagnostics[0].code
os.write(1, f"{type(found).__name__} {found if isinstance(found, str) else ''}\\n".encode())
"""
    root = Path(__file__).parents[2]
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert sorted(ran.stdout.split()) == ["D0724", "float", "str"]
