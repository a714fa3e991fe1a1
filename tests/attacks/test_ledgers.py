"""Ways around a ledger: a result in its place, a second name, another file put there while a run goes on, a protected argument
that is called public, and data that only looks like what was charged for."""

import json
import os
import shutil
import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.cli.main import main
from duetpy.ledger.show import spent
from duetpy.ledger.store import Ledger
from duetpy.runtime.release import mechanisms
from duetpy.runtime.release.charged_run import cells_digest, file_digest
from duetpy.runtime.release.endings import Spent

SUM = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒
  laplace[auto, 0.5] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 100.0] (row#[0, 0]) } }
"""
NAMES = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, name : 𝐝 𝕊 ∷ []] ⇒ laplace[auto, 0.5] <xs> {
  mfold-row 0.0, xs { total, row ⇒ total + (if row.name == "a.txt" then 1.0 else 0.0) } }
"""
NUMBER = "pλ . x : ℝ ⇒ laplace[auto, 0.5] <x> { clip[0.0, 1.0] x }\n"
TWO = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒
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
        release = program.run(xs=xs)
        assert release.privacy["total"]["epsilon"] == 0.5


def test_one_file_given_in_two_ways_is_one_persons(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("two.eps.duet", "--data", "xs=people.csv", "--set", "ys=@people.csv", "--ledger", "l") == 0
    assert "(xs, ys together)" in capsys.readouterr().err
    assert charged() == 1.0


def test_a_release_for_two_peoples_files_is_not_shown_for_one_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy counts as other people's; the stored release would say half of what one file costs."""
    shutil.copy("people.csv", "copy.csv")
    assert run("two.eps.duet", "--data", "xs=people.csv", "--data", "ys=copy.csv", "--ledger", "l") == 0
    before = charged()
    assert run("two.eps.duet", "--data", "xs=people.csv", "--data", "ys=people.csv", "--ledger", "l") == 0
    assert "(xs, ys together)" in capsys.readouterr().err
    assert charged() - before == 1.0


@pytest.mark.parametrize("out", ["l", "./l", "l-journal", "names.eps.duet", "keys.csv"])
def test_a_result_takes_the_place_of_nothing_that_is_read(folder: Path, out: str) -> None:
    (folder / "keys.csv").write_text("1\n2\n", encoding="utf-8")
    (folder / "clear.eps.duet").write_text(
        'import "names.eps.duet";\n' + SUM.replace("1⋅𝔻 else 0] ⇒", "1⋅𝔻 else 0], keys : ℘(𝐝 ℕ) ⇒"), encoding="utf-8"
    )
    (folder / "names.eps.duet").write_text("def one = 1.0;\n", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    words = ("clear.eps.duet", "--data", "people.csv", "--set", "keys=@keys.csv", "--ledger", "l", "--out", out)
    assert run(*words) == 2
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert run(*words[:-1], "result.txt") == 0
    assert charged() == 0.5


def test_a_refused_run_leaves_a_link_as_it_was(folder: Path) -> None:
    (folder / "link.csv").symlink_to("nowhere")
    assert run("sum.eps.duet", "--data", "absent.csv", "--out", "link.csv") == 1
    assert (folder / "link.csv").is_symlink()
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
    """Between the charge and the release an older copy is put in its place: it has no record of the charge."""
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
pλ m : ℕ . p : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] × ℝ ⇒ laplace[auto, 0.5] <p> {
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
    """A device may never end. That it is one is public, and settled before the charge."""
    assert file_digest(os.devnull, b"key") is None
    with pytest.raises(duetpy.DuetError, match="D0601") as caught:
        duetpy.load("sum.eps.duet").check().run(xs=os.devnull, m=2, _ledger="l", _on_bad_row="default")
    assert not isinstance(caught.value, Spent)


MIXED = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ys : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0] ⇒
  a ← laplace[auto, 0.5] <xs> { mfold-row 0.0, xs { t, row ⇒ t + clip[0.0, 1.0] (row#[0, 0]) } };
  b ← laplace[auto, 0.5] <ys> { real (rows ys) };
  return ⟨a, b⟩
"""


def test_two_tables_with_neighbours_of_their_own_are_not_swapped(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For one file the first run costs something when a row is replaced and the second when one is added or removed: the sum of
    both bounds neither."""
    (folder / "mixed.eps.duet").write_text(MIXED, encoding="utf-8")
    (folder / "other.csv").write_text("1\n", encoding="utf-8")
    words = ("mixed.eps.duet", "--ledger", "l")
    assert run(*words, "--data", "xs=people.csv", "--data", "ys=other.csv") == 0
    assert run(*words, "--data", "xs=other.csv", "--data", "ys=people.csv") == 1
    assert "D0727" in capsys.readouterr().err
    assert run("sum.eps.duet", "--data", "people.csv", "--ledger", "l") == 1
    assert charged() == 0.5


STEPS = "pλ m : ℕ . xs : 𝕄 [{norm}, U | {rows}, 2⋅ℝ else 0] ⇒ laplace[1.0, 0.5] <xs> {{ {body} }}\n"


@pytest.mark.parametrize(("norm", "rows"), [("L∞", "m"), ("L1", "★")])
def test_steps_of_two_distances_are_two(folder: Path, norm: str, rows: str) -> None:
    """A row of ten cells that each move by 1 is a step in L∞, and ten in L1."""
    (folder / "two.csv").write_text("1,2\n3,4\n", encoding="utf-8")
    first = STEPS.format(norm="L1", rows="m", body="xs#[0, 0]")
    body = "mfold-row 0.0, xs { t, row ⇒ t + row#[0, 0] }"
    second = STEPS.format(norm=norm, rows=rows, body=body).replace("m : ℕ", "" if rows == "★" else "m : ℕ")
    for name, text in (("first", first), ("second", second), ("again", first.replace("#[0, 0]", "#[1, 1]"))):
        (folder / f"{name}.eps.duet").write_text(text, encoding="utf-8")
    codes = [run(f"{name}.eps.duet", "--data", "two.csv", "--ledger", "l") for name in ("first", "second", "again")]
    assert codes == [0, 1, 0]
    assert charged() == 1.0


def test_a_sum_for_two_distances_is_too_small() -> None:
    """The control: for a step in L∞, the sum of a price for steps in L1 and of one for steps in L∞ is not what it costs."""
    one, other = (0.0, 0.0), (1.0, 1.0)
    assert max(abs(a - b) for a, b in zip(one, other, strict=True)) == 1.0
    epsilon = 0.5
    for_steps_in_l1 = epsilon * abs(sum(one) - sum(other))
    for_steps_in_linf = epsilon * abs(one[0] - other[0])
    assert for_steps_in_l1 + for_steps_in_linf > epsilon + epsilon


def test_what_is_charged_is_never_told_smaller(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest double to a charge or to a budget may lie below it, and that to what is left above."""
    exact = "0.1000000000000000000001"
    (folder / "sum.eps.duet").write_text(SUM.replace("0.5]", f"{exact}]"), encoding="utf-8")
    assert run("sum.eps.duet", "--data", "people.csv", "--ledger", "l", "--format", "json") == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])["ledger"]
    assert Fraction(repr(told["charged"]["epsilon"])) >= Fraction(exact) > Fraction("0.1")
    assert Fraction(repr(told["remaining"]["epsilon"])) <= 10 - Fraction(exact)
    assert main(["ledger", "create", "small", "--budget", "epsilon=0.09999999999999999999999"]) == 0
    assert capsys.readouterr().out == "small: ε = 0.1 for small\n"
    assert run("sum.eps.duet", "--data", "people.csv", "--ledger", "small") == 1
    refusal = capsys.readouterr().err
    assert f"this program   ε = {told['charged']['epsilon']!r}" in refusal
    assert "spend no more than ε = 0.09999999999999999 " in refusal


@pytest.mark.parametrize("budget", ["mu=1e200", "mu=1e-200", "epsilon=1e399", "epsilon=1,delta=1e-399", "rho=1e101"])
def test_a_budget_of_which_nothing_could_be_said_is_none(budget: str, folder: Path) -> None:
    assert main(["ledger", "create", "new", "--budget", budget]) == 2
    assert not (folder / "new").exists()


@pytest.mark.parametrize("budget", ["mu=1e100", "mu=1e-100", "epsilon=1e100", "epsilon=1,delta=1e-100", "rho=1e-100"])
def test_the_largest_and_the_least_budgets_are_shown(budget: str) -> None:
    for words in (["create", "--budget", budget], ["show"], ["show", "--format", "json"], ["verify"]):
        assert main(["ledger", *words, "new"]) == 0


def test_a_small_charge_of_mu_is_told_in_time(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its square is below every double: a root that is looked for from there is never found."""
    (folder / "gauss.gdp.duet").write_text(SUM.replace("laplace[auto, 0.5]", "gauss[auto, 1e-170]"), encoding="utf-8")
    assert main(["ledger", "create", "mu", "--budget", "mu=1"]) == 0
    assert run("gauss.gdp.duet", "--data", "people.csv", "--ledger", "mu") == 0
    capsys.readouterr()
    assert main(["ledger", "show", "mu"]) == 0
    assert capsys.readouterr().out.startswith("mu: μ = 1e-170 of μ = 1 spent")


def test_names_in_a_ledger_obey_nothing_and_forge_no_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "a\x1b[31m\n   7  b.eps.duet"
    (folder / name).write_text(SUM, encoding="utf-8")
    assert main(["ledger", "create", "named", "--budget", "epsilon=9", "--dataset", "x\x1b[2J\ny"]) == 0
    assert run(name, "--data", "people.csv", "--notion", "eps", "--ledger", "named") == 0
    capsys.readouterr()
    assert main(["ledger", "show", "named"]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert len(shown.splitlines()) == 3


def test_the_bytes_of_an_array_are_not_a_file(folder: Path) -> None:
    """A file that holds what stands for an array in its digest is another table."""
    array = np.array([[1.0]])
    (folder / "forged.csv").write_bytes(f"{array.dtype.str}{array.shape}".encode() + array.tobytes())
    key = b"k" * 32
    assert file_digest("forged.csv", key) != cells_digest(array, key)
    assert cells_digest("1.0", key) != cells_digest(1.0, key)


def test_a_public_table_that_changes_under_a_run_makes_no_stored_release(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output would be handed out later for a table that it was not made with."""
    (folder / "keys.csv").write_text("1\n", encoding="utf-8")
    (folder / "keyed.eps.duet").write_text(
        SUM.replace("1⋅𝔻 else 0] ⇒", "1⋅𝔻 else 0], keys : ℘(𝐝 ℕ) ⇒"), encoding="utf-8"
    )
    words = ("keyed.eps.duet", "--data", "people.csv", "--set", "keys=@keys.csv", "--ledger", "l")
    drawn = mechanisms._drawn

    def changing(*given: Any) -> Any:
        (folder / "keys.csv").write_text("2\n", encoding="utf-8")
        return drawn(*given)

    with monkeypatch.context() as patch:
        patch.setattr(mechanisms, "_drawn", changing)
        assert run(*words) == 0
    (folder / "keys.csv").write_text("1\n", encoding="utf-8")
    assert run(*words) == 0
    assert charged() == 1.0
    capsys.readouterr()
    assert run(*words, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["ledger"]["replayed"]


@pytest.mark.parametrize("fails", ["commit", "unsure"])
def test_a_charge_that_may_be_there_is_not_called_unspent(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fails: str
) -> None:
    """The last sync fails, of the folder: what sqlite then reports as a fault is in the file."""

    class Failing(sqlite3.Connection):
        def execute(self, statement: str, *given: Any) -> sqlite3.Cursor:
            if statement != "COMMIT":
                return super().execute(statement, *given)
            if fails == "unsure":
                super().execute(statement)
            raise sqlite3.OperationalError("disk I/O error")

    connect = sqlite3.connect
    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", lambda *given, **named: connect(*given, factory=Failing, **named))
        assert run("sum.eps.duet", "--data", "people.csv", "--ledger", "l") == 1
    captured = capsys.readouterr()
    assert ("value" in captured.out, "D0724" in captured.err) == (False, True)
    assert "nothing was spent" not in captured.err
    assert charged() == (0.5 if fails == "unsure" else 0.0)
