"""Ways around a ledger: a result in its place, a second name, another file put there while a run goes on, a protected argument
that is called public, and data that only looks like what was charged for."""

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.cli.main import main
from duetpy.interp import mechanisms
from duetpy.interp.booking import Spent, file_digest
from duetpy.ledger.show import spent
from duetpy.ledger.store import Ledger

SUM = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
  laplace[auto, 0.5] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 100.0] (row#[0, 0]) } }
"""
NAMES = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, name : 𝐝 𝕊 ∷ []] ⇒ laplace[auto, 0.5] <xs> {
  mfold-row 0.0, xs { total, row ⇒ total + (if row.name == "a.txt" then 1.0 else 0.0) } }
"""
NUMBER = "pλ . x : ℝ ⇒ laplace[auto, 0.5] <x> { clip[0.0, 1.0] x }\n"
TWO = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
  a ← laplace[auto, 0.5] <xs> { mfold-row 0.0, xs { t, row ⇒ t + clip[0.0, 1.0] (row#[0, 0]) } };
  b ← laplace[auto, 0.5] <ys> { mfold-row 0.0, ys { t, row ⇒ t + clip[0.0, 1.0] (row#[0, 0]) } };
  return ⟨a, b⟩
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, program in (("sum", SUM), ("names", NAMES), ("number", NUMBER), ("two", TWO)):
        (tmp_path / f"{name}.eps.duet").write_text(program, encoding="utf-8")
    (tmp_path / "people.csv").write_text("31\n44\n", encoding="utf-8")
    assert main(["ledger", "create", "l", "--budget", "epsilon=10"]) == 0
    return tmp_path


def run(*words: str) -> int:
    return main(["run", *words])


def charged() -> float:
    return spent(Ledger(Path("l")).state())["epsilon"]


OTHER_WAYS = [
    ("sum.eps.duet", "--set", "xs=@people.csv"),
    ("number.eps.duet", "--set", "x=0.7"),
]


def test_a_charge_for_data_files_alone_lets_other_ways_go() -> None:
    """The control: a charge for what is given as data."""

    def naive_charge(words: tuple[str, ...]) -> float:
        return 0.5 * words.count("--data")

    assert naive_charge(("sum.eps.duet", "--data", "people.csv")) == 0.5
    assert [naive_charge(words) for words in OTHER_WAYS] == [0.0, 0.0]


@pytest.mark.parametrize("words", OTHER_WAYS)
def test_what_a_program_protects_is_charged_however_it_is_given(words: tuple[str, ...]) -> None:
    assert run(*words, "--ledger", "l") == 0
    assert charged() == 0.5


def test_from_python_too() -> None:
    program = duetpy.parse(SUM, notion="eps").check()
    for xs in ("@people.csv", duetpy.public([[31.0], [44.0]])):
        release = program.run(xs=xs, _insecure_noise=1)
        assert release.privacy["total"]["epsilon"] == 0.5


def test_one_file_given_in_two_ways_is_one_persons(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("two.eps.duet", "--data", "xs=people.csv", "--set", "ys=@people.csv", "--ledger", "l") == 0
    assert "(xs, ys together)" in capsys.readouterr().out
    assert charged() == 1.0


@pytest.mark.parametrize("out", ["l", "./l", "l-journal", "names.eps.duet", "keys.csv"])
def test_a_result_takes_the_place_of_nothing_that_is_read(folder: Path, out: str) -> None:
    (folder / "keys.csv").write_text("1\n2\n", encoding="utf-8")
    (folder / "clear.eps.duet").write_text(
        'import "names.eps.duet";\n' + SUM.replace("1⋅𝔻] ⇒", "1⋅𝔻], keys : ℘(𝐝 ℕ) ⇒"), encoding="utf-8"
    )
    (folder / "names.eps.duet").write_text("def one = 1.0;\n", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    words = ("clear.eps.duet", "--data", "people.csv", "--set", "keys=@keys.csv", "--ledger", "l", "--out", out)
    assert run(*words) == 2
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert run(*words[:-1], "result.txt") == 0
    assert charged() == 0.5


def test_a_refused_run_leaves_a_link_as_it_was(folder: Path) -> None:
    (folder / "link").symlink_to("nowhere")
    assert run("sum.eps.duet", "--data", "absent.csv", "--out", "link") == 1
    assert (folder / "link").is_symlink()
    assert not (folder / "nowhere").exists()


def test_a_ledger_with_two_names_is_not_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.link(folder / "l", folder / "other")
    for name in ("l", "other"):
        assert run("sum.eps.duet", "--data", "people.csv", "--ledger", name) == 1
        assert "D0724" in capsys.readouterr().err
    (folder / "other").unlink()
    assert charged() == 0.0


def test_a_ledger_that_was_exchanged_releases_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Between the charge and the release an older copy is put in its place: it knows nothing of the charge."""
    shutil.copy(folder / "l", folder / "older")
    drawn = mechanisms._drawn

    def exchanging(*given: Any) -> Any:
        os.replace(folder / "older", folder / "l")
        return drawn(*given)

    monkeypatch.setattr(mechanisms, "_drawn", exchanging)
    assert run("sum.eps.duet", "--data", "people.csv", "--ledger", "l") == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "D0723" in captured.err
    assert Ledger(folder / "l").state().entries == ()


def test_a_charge_that_is_not_looked_for_again_is_lost_with_its_file(folder: Path) -> None:
    """The control: charged, exchanged, released; what lies there afterwards knows of nothing."""
    shutil.copy(folder / "l", folder / "older")
    assert run("sum.eps.duet", "--data", "people.csv", "--ledger", "l") == 0
    assert charged() == 0.5
    os.replace(folder / "older", folder / "l")
    assert charged() == 0.0


def test_a_name_that_is_no_text_is_a_name(folder: Path) -> None:
    name = os.fsdecode(b"\xff\xfel")
    assert main(["ledger", "create", name, "--budget", "epsilon=1"]) == 0
    assert run("sum.eps.duet", "--data", "people.csv", "--ledger", name) == 0
    assert main(["ledger", "verify", name]) == 0


def release(xs: object, name: str = "sum") -> tuple[Any, bool]:
    """The result, and whether it came out of the ledger."""
    found = duetpy.load(f"{name}.eps.duet").check().run(xs=xs, _ledger="l")
    return found.result, bool((found.ledger or {})["replayed"])


def test_cells_that_name_files_are_texts(folder: Path) -> None:
    """Two tables are two, though the files that their cells happen to name are equal; and nothing looks for such files."""
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("the same\n", encoding="utf-8")
    first, _ = release([["a.txt"]], "names")
    (folder / "a.txt").write_text("another\n", encoding="utf-8")
    assert release([["a.txt"]], "names") == (first, True)
    (folder / "a.txt").write_text("the same\n", encoding="utf-8")
    second, is_replayed = release([["b.txt"]], "names")
    assert not is_replayed
    assert second != first


class Odd(float):
    """A number that says that it is another one."""

    def __repr__(self) -> str:
        return "1.0"


def test_a_table_with_a_mask_is_not_the_one_below_it() -> None:
    """What is masked is not in the bytes."""
    cells = np.array([[1.0], [2.0]])
    release(np.ma.array(cells, mask=False))
    with pytest.raises(duetpy.DuetError, match="D0604"):
        release(np.ma.array(cells, mask=[[False], [True]]))


def test_a_number_is_not_what_it_says_that_it_is() -> None:
    release([[1.0], [Odd(5.0)]])
    assert not release([[1.0], [Odd(7.0)]])[1]


def test_numbers_of_numpy_are_known() -> None:
    rows = np.array([[1.0], [2.0]])
    release([list(row) for row in rows])
    assert release([list(row) for row in rows])[1]


PAIR = """\
pλ m : ℕ . p : 𝕄 [L∞, U | m, 1⋅𝔻] × ℝ ⇒ laplace[auto, 0.5] <p> {
  let ⟨xs, y⟩ = p in mfold-row 0.0, xs { t, row ⇒ t + clip[0.0, 1.0] (row#[0, 0]) } }
"""


def test_a_file_in_a_pair_is_known_by_its_bytes(folder: Path) -> None:
    program = duetpy.parse(PAIR, notion="eps").check()

    def replayed() -> bool:
        return bool((program.run(p=("people.csv", 1.0), m=2, _ledger="l").ledger or {})["replayed"])

    assert [replayed(), replayed()] == [False, True]
    (folder / "people.csv").write_text("31\n45\n", encoding="utf-8")
    assert not replayed()


def test_what_is_no_regular_file_has_no_digest() -> None:
    """A device may never end."""
    assert file_digest(os.devnull, b"key") is None
    with pytest.raises(Spent):
        duetpy.load("sum.eps.duet").check().run(xs=os.devnull, m=2, _ledger="l", _on_bad_row="default")
