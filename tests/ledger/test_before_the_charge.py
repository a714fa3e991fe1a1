"""Where bad cells count as defaults: what no row decides is settled before the charge, and nothing that a row says is."""

import contextlib
import errno
import json
import os
import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.cli.main import main
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import Ledger, create
from duetpy.runtime.release.endings import Spent
from tests.effort import often

SUM = """pλ m : ℕ . xs : 𝕄 [L∞, U | m, COLUMNS] ⇒
  laplace[auto, 0.25] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } }"""
NAMED = SUM.replace("COLUMNS", "age : 𝔻 else 0 ∷ []").replace("r#[0, 0]", "r.age")
ONE = SUM.replace("COLUMNS", "1⋅𝔻 else 0")
ANY = SUM.replace("m : ℕ", "m : ℕ, n : ℕ").replace("COLUMNS", "n⋅𝔻 else 0")
STAR = NAMED.replace("m : ℕ ", "").replace("| m,", "| ★,")
TWO = """pλ m : ℕ . ⟨xs : 𝕄 [L∞, U | ROWS, age : 𝔻 else 0 ∷ []], ys : 𝕄 [L∞, U | ROWS, age : 𝔻 else 0 ∷ []]⟩ ⇒
  laplace[auto, 0.25] <xs, ys> { (mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r.age) })
                               + (mfold-row 0.0, ys { a, r ⇒ a + clip[0.0, 1.0] (r.age) }) }"""
ALIGNED = TWO.replace("ROWS", "m")
ALIGNED_STAR = TWO.replace("m : ℕ ", "").replace("ROWS", "★")
PUBLIC = """pλ m : ℕ, j : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []], bs : 𝕄 [L∞, L2≤1.0 | j, 1⋅𝔻 else 0], k : ℕ[m + 1] ⇒
  x ← laplace[auto, 0.25] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r.age) } } ;
  return ⟨x, ⟨bs#[0, 0], k⟩⟩"""
SINGLE = "pλ . x : 𝔻 ⇒ laplace[auto, 0.25] <x> { clip[0.0, 1.0] x }"
SET = "pλ . x : ℘(𝐝 ℝ) ⇒ laplace[1.0, 0.25] <x> { if disc 1.0 ∈ x then 1.0 else 0.0 }"
BOUNDED = (
    """pλ m : ℕ . xs : 𝕄 [L∞, L2≤1.0 | m, 1⋅𝐝 𝕊] ⇒ laplace[auto, 0.25] <xs> { real (rows (mfilter xs { r ⇒ true })) }"""
)

PEOPLE = "age\n0.5\n\n0.25\n"


@cache
def checked(program: str) -> duetpy.Checked:
    """A program that many runs share; no run changes it."""
    return duetpy.parse(program, notion="eps").check()


class Desk:
    """A folder with people in it and a ledger."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "l"
        create(self.path, parse_budget("epsilon=100"), "people")
        self.write("people.csv", PEOPLE)

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    @property
    def entries(self) -> int:
        return len(Ledger(self.path).state().entries)

    def run(self, program: str, **arguments: Any) -> Any:
        return checked(program).run(_ledger=self.path, _on_bad_row="default", **arguments)

    def refused(self, program: str, **arguments: Any) -> tuple[str, str]:
        """The code and the words of a refusal that cost nothing."""
        before = self.entries
        with pytest.raises(DuetError) as caught:
            self.run(program, **arguments)
        assert not isinstance(caught.value, Spent)
        assert self.entries == before
        first = caught.value.diagnostics[0]
        return first.code, first.message


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.chdir(tmp_path)
    return Desk(tmp_path)


FILES: dict[str, tuple[str, str, str | Callable[[Desk], str], dict[str, Any]]] = {
    "missing": ("D0601", NAMED, "nobody.csv", {}),
    "a folder": ("D0601", NAMED, ".", {}),
    "packed": ("D0601", NAMED, lambda desk: desk.write("people.csv.gz", PEOPLE), {}),
    "packed in another way": ("D0601", NAMED, lambda desk: desk.write("people.csv.zip", PEOPLE), {}),
    "a database without such a table": ("D0601", NAMED, "duckdb:people.csv?table=people", {}),
    "another kind": ("D0601", NAMED, lambda desk: desk.write("people.parquet", PEOPLE), {}),
    "a name beyond all bounds": ("D0601", NAMED, "x" * 300, {}),
    "no path": ("D0601", NAMED, "people\0.csv", {}),
    "a column is missing": ("D0603", NAMED.replace("age :", "size :").replace("r.age", "r.size"), "people.csv", {}),
    "a column too many": ("D0603", NAMED, lambda desk: desk.write("b.csv", "age,size\n1,2\n") + ":age,size", {}),
    "a column twice": ("D0607", NAMED, lambda desk: desk.write("people.csv", "age,age\n1,2\n"), {}),
    "a column of no file": ("D0603", NAMED, "people.csv:size", {}),
    "no such position": ("D0603", ONE, "people.csv:7", {"_header": "yes"}),
    "two positions": ("D0603", ONE, "people.csv:0,7", {}),
    "more columns than declared": ("D0603", ONE, lambda desk: desk.write("b.csv", "a,b\n1,2\n"), {"_header": "yes"}),
    "other columns than set": ("D0603", ANY, "people.csv", {"_header": "yes", "n": 2}),
    "more columns than a line holds": ("D0612", ANY, "people.csv", {"_header": "no", "n": 10**12}),
    "more columns than there are numbers": ("D0612", ANY, "people.csv", {"_header": "no", "n": 10**200}),
    "no columns": ("D0603", ANY, "people.csv", {"_header": "no"}),
    "no header": ("D0602", ONE, lambda desk: desk.write("b.csv", ""), {"_header": "yes"}),
    "nobody": ("D0602", NAMED, lambda desk: desk.write("b.csv", "age\n"), {}),
    "nobody at all": ("D0603", NAMED, lambda desk: desk.write("b.csv", ""), {}),
    "lines of another system": ("D0603", NAMED, lambda desk: desk.write("b.csv", "age\r0.5\r"), {}),
    "other rows than set": ("D0612", NAMED, "people.csv", {"m": 7}),
    "other rows than set, with and without a header": ("D0612", ONE, "people.csv", {"m": 7}),
    "rows of text with a length": ("D0611", BOUNDED, "people.csv", {}),
}


@pytest.mark.parametrize(("code", "program", "given", "settings"), FILES.values(), ids=FILES)
def test_what_is_wrong_with_a_file_costs_nothing(
    desk: Desk, code: str, program: str, given: str | Callable[[Desk], str], settings: dict[str, Any]
) -> None:
    xs = given if isinstance(given, str) else given(desk)
    assert desk.refused(program, xs=xs, **settings)[0] == code


def test_a_file_that_may_not_be_read_costs_nothing(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = os.open

    def forbidden(path: Any, *given: Any, **named: Any) -> Any:
        if path == "people.csv":
            raise PermissionError(errno.EACCES, "Permission denied")
        return plain(path, *given, **named)

    monkeypatch.setattr(os, "open", forbidden)
    assert desk.refused(NAMED, xs="people.csv") == ("D0601", "cannot be read: Permission denied")


def test_aligned_tables_of_two_sizes_cost_nothing(desk: Desk) -> None:
    desk.write("less.csv", "age\n1\n")
    for program in (ALIGNED, ALIGNED_STAR):
        code, message = desk.refused(program, xs="people.csv", ys="less.csv")
        assert (code, message) == ("D0612", "xs and ys are aligned but do not have the same number of rows")
    apart = ALIGNED.replace("⟨", "").replace("⟩", "").replace("<xs, ys> {", "<xs> {").split("+ (mfold")[0] + "}"
    assert desk.refused(apart, xs="people.csv", ys="less.csv")[0] == "D0612"


class Rows(list):
    """Rows that nothing may look at before the charge."""

    def __init__(self, rows: list[Any], desk: Desk) -> None:
        super().__init__(rows)
        self.desk = desk
        self.seen: list[int] = []

    def __iter__(self) -> Any:
        self.seen.append(self.desk.entries)
        return super().__iter__()


class Passing:
    """Gives what it is made of to whoever asks first."""

    def __init__(self, cells: Any) -> None:
        self.cells = cells

    def __iter__(self) -> Any:
        return iter(self.cells)


ARRAYS: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "a number": ("D0603", 5, {}),
    "a set": ("D0603", {1.0, 2.0}, {}),
    "three dimensions": ("D0603", np.zeros((2, 2, 2)), {}),
    "two columns": ("D0603", np.zeros((2, 2)), {}),
    "complex numbers": ("D0618", np.array([1.5, 2j]), {}),
    "texts": ("D0618", np.array([1.5, "x"]), {}),
    "other names": ("D0603", {"size": [1.0]}, {}),
    "two lengths": ("D0603", {"age": [1.0], "size": [1.0, 2.0]}, {}),
    "other rows than set": ("D0612", np.zeros((2, 1)), {"m": 3}),
    "other rows than set in a list": ("D0612", [[1.0], [2.0]], {"m": 3}),
    "nobody": ("D0602", np.zeros((0, 1)), {}),
    "nobody in a list": ("D0602", [], {}),
    "an iterator, which may stop at any row": ("D0603", iter([[1.0]]), {}),
    "an iterator as a column": ("D0603", {"age": iter([1.0])}, {}),
    "a view of an iterator": ("D0603", {"age": Passing(iter([1.0]))}, {}),
}


@pytest.mark.parametrize(("code", "xs", "settings"), ARRAYS.values(), ids=ARRAYS)
def test_what_is_wrong_with_an_array_costs_nothing(desk: Desk, code: str, xs: Any, settings: dict[str, Any]) -> None:
    assert desk.refused(NAMED, xs=xs, **settings)[0] == code


KEYS = """pλ . xs : 𝕄 [L∞, U | ★, key : 𝕊 ∷ []], keys : GIVEN ⇒
  laplace[auto, 90.0] <xs> { real (rows (mfilter xs { r ⇒ ASKED })) }"""


@pytest.mark.parametrize(
    ("given", "asked", "keys"),
    [
        ("℘(𝕊)", "r.key ∈ keys", lambda: iter(["a", "b"])),
        ("𝕄 [L∞, U | n, key : 𝕊 ∷ []]", "r.key ≡ keys#[0, 0]", lambda: iter([["a"], ["b"]])),
        ("𝕄 [L∞, U | n, key : 𝕊 ∷ []]", "r.key ≡ keys#[0, 0]", lambda: {"key": iter(["a", "b"])}),
    ],
)
def test_a_public_iterator_is_looked_at_before_the_charge_and_read_after_it(
    desk: Desk, given: str, asked: str, keys: Callable[[], Any]
) -> None:
    program = KEYS.replace("GIVEN", given).replace("ASKED", asked)
    release = desk.run(program, xs=[["a"], ["a"], ["c"]], keys=duetpy.public(keys()))
    assert release.result == pytest.approx(2, abs=0.5)


SIDE = """pλ m : ℕ . p : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []] + ℘(𝐝 ℝ) ⇒
  laplace[1.0, 0.25] <p> { case p { inl t ⇒ mfold-row 0.0, t { a, r ⇒ a + clip[0.0, 1.0] r.age } ; inr s ⇒ 0.0 } }"""
SIDES: dict[str, tuple[str, Any]] = {
    "missing": ("D0601", ("inl", "nobody.csv")),
    "a column is missing": ("D0603", ("inl", {"size": [1.0, 2.0]})),
    "no side": ("D0603", 5),
    "texts": ("D0618", ("inl", {"age": np.array(["x", "y"])})),
    "a set of texts": ("D0618", ("inr", np.array(["x"]))),
    "other rows than set": ("D0612", ("inl", {"age": [1.0, 2.0]})),
    "nobody": ("D0602", ("inl", {"age": []})),
}


@pytest.mark.parametrize(("code", "given"), SIDES.values(), ids=SIDES)
def test_what_is_wrong_with_a_side_of_a_sum_costs_nothing(desk: Desk, code: str, given: Any) -> None:
    assert desk.refused(SIDE, p=given, m=3)[0] == code
    assert desk.run(SIDE, p=("inr", ["x", 1.0]), m=3).ledger["entry"] == 1
    assert desk.run(SIDE, p=("inl", {"age": ["x", 1.0, None]}), m=3).ledger["entry"] == 3


TABLE = "𝕄 [L∞, U | m, n⋅𝔻 else 0]"
LATER = f"""pλ m : ℕ, n : ℕ . p : EARLIER, ts : {TABLE} ⇒
  laplace[2.0, 0.25] <p, ts> {{
    let total = sλ ts : {TABLE} ⇒ mfold-row 0.0, ts {{ a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }} in total ts + OF
  }}"""
EARLIER: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "the first of a pair": (f"{TABLE} × 𝔻", "total (fst p)", lambda table: (table, 1.0)),
    "the second of a pair": (f"𝔻 × {TABLE}", "total (snd p)", lambda table: (1.0, table)),
    "a side": (f"{TABLE} + ℝ", "case p { inl t ⇒ total t ; inr x ⇒ 0.0 }", lambda table: ("inl", table)),
}


@pytest.mark.parametrize(("type_", "of", "given"), EARLIER.values(), ids=EARLIER)
def test_a_table_whose_size_a_later_one_says_is_held_to_it_before_the_charge(
    desk: Desk, type_: str, of: str, given: Callable[[Any], Any]
) -> None:
    program = LATER.replace("EARLIER", type_).replace("OF", of)
    three = np.array([[1.0], [np.nan], [3.0]])
    desk.write("blank.csv", "age\n1\n\n1\n\n")
    for earlier in (three, "people.csv", "blank.csv"):
        for later in (three[:2], np.ones((3, 2))):
            assert desk.refused(program, p=given(earlier), ts=later, _header="yes")[0] in {"D0603", "D0612"}
    assert desk.run(program, p=given("blank.csv"), ts=three, _header="yes").ledger["entry"] == 1


def test_a_table_of_which_any_change_is_one_is_held_to_its_type_before_the_charge(desk: Desk) -> None:
    program = (
        "pλ . xs : 𝐝 (𝕄 [L∞, U | 2, age : 𝔻 else 0 ∷ []]) ⇒ laplace[1.0, 0.25] <xs> { if xs ≡ xs then 1.0 else 0.0 }"
    )
    for text, code in (("age\n1\n", "D0612"), ("size\n1\n2\n", "D0603")):
        assert desk.refused(program, xs=desk.write("b.csv", text))[0] == code


def test_tables_of_unknown_sizes_need_not_have_the_same(desk: Desk) -> None:
    """How many rows each has is private, so that no run may end by it."""
    apart = ALIGNED_STAR.replace("⟨", "").replace("⟩", "")
    for other in ("age\n1\n", "age\n", PEOPLE):
        desk.run(apart, xs="people.csv", ys=desk.write("b.csv", other))
    assert desk.entries == 6


def test_a_side_that_neighbours_may_not_share_is_charged(desk: Desk) -> None:
    """Of two discrete values one may be on the other side, so that one value would decide whether a run is charged, or stops."""
    program = "pλ . p : 𝐝 (℘(𝐝 ℝ) + ℝ) ⇒ laplace[1.0, 0.25] <p> { if p ≡ p then 1.0 else 0.0 }"
    assert desk.run(program, p=("inl", np.array(["x"]))).ledger["entry"] == 1
    assert desk.run(program, p=("inr", 0.5)).ledger["entry"] == 3


def test_a_public_iterator_that_raises_costs_nothing(desk: Desk) -> None:
    program = KEYS.replace("GIVEN", "℘(𝕊)").replace("ASKED", "r.key ∈ keys")
    with pytest.raises(ValueError, match="keys cannot be read: the object that was given raised an exception"):
        desk.run(program, xs=[["a"]], keys=duetpy.public(1 / at for at in (1, 0)))
    assert not desk.entries


@pytest.mark.parametrize("program", [NAMED, STAR, SINGLE, SET])
def test_an_open_file_costs_nothing(desk: Desk, program: str) -> None:
    name = "xs" if "xs" in program else "x"
    with open("people.csv", encoding="utf-8") as file:
        code, message = desk.refused(program, **{name: file})
    assert (code, message.endswith("cannot be an open file: it does not show whose rows it contains")) == (
        "D0611",
        True,
    )


def test_a_file_for_a_number_costs_nothing(desk: Desk) -> None:
    from duetpy.runtime.release.run import run
    from duetpy.settings import DataFile

    typed = duetpy.parse(SINGLE, notion="eps").typed
    assert typed is not None
    with pytest.raises(DuetError, match="is not a table, but you gave a file") as caught:
        run(typed, {}, {"x": DataFile(Path("people.csv"))}, ledger=desk.path, on_bad_row="default")
    assert not isinstance(caught.value, Spent)
    assert desk.entries == 0


def test_public_arguments_that_do_not_fit_cost_nothing(desk: Desk) -> None:
    good: dict[str, Any] = {"xs": "people.csv", "bs": duetpy.public([[0.5]])}
    assert desk.refused(PUBLIC, **good | {"bs": duetpy.public([[2.0]])})[0] == "D0613"
    assert desk.refused(PUBLIC, **good | {"bs": duetpy.public([["x"]])})[0] == "D0604"
    code, message = desk.refused(PUBLIC, **good, k=7)
    assert (code, message) == ("D0611", "k = 7, but its type says m + 1, which is 4")
    assert desk.run(PUBLIC, **good, k=4).result[1] == (0.5, 4)


@pytest.mark.parametrize(
    ("program", "settings", "code"),
    [
        (NAMED.replace("laplace", "sample[ℕ[5]] xs { xs ⇒ laplace") + " }", {"m": 3}, "D0501"),
        (NAMED.replace("r.age", "xs#[4, 0]"), {}, "D0501"),
        (NAMED + " ensures ε ≤ 0.5 / m", {}, "D0511"),
        # Nothing solves that.
        (NAMED.replace("| m,", "| 2⋅m,"), {}, "D0608"),
    ],
)
def test_a_condition_on_sizes_costs_nothing(desk: Desk, program: str, settings: dict[str, int], code: str) -> None:
    assert desk.refused(program, xs="people.csv", **settings)[0] == code


def test_rows_are_not_looked_at_before_the_charge(desk: Desk) -> None:
    rows = Rows([[0.5], [None], "x"], desk)
    desk.run(NAMED, xs=rows)
    assert rows.seen
    assert set(rows.seen) == {1}
    again = Rows([[0.5], [None], "x"], desk)
    assert desk.refused(NAMED, xs=again, m=7)[0] == "D0612"
    assert again.seen == []


def test_what_a_row_says_is_charged(desk: Desk) -> None:
    """A column of objects is refused for what is in it: that is found after the charge."""
    for xs in (np.array([[0.5], ["x"]], dtype=object), {"age": np.array([0.5, "x"], dtype=object)}):
        before = desk.entries
        with pytest.raises(Spent, match="D0618"):
            desk.run(NAMED, xs=xs)
        assert desk.entries == before + 1


def test_a_type_that_raises_is_charged(desk: Desk) -> None:
    class Raising(dict):
        def __getitem__(self, name: str) -> Any:
            raise RuntimeError("the words of a row")

    with pytest.raises(Spent, match="D0601"):
        desk.run(NAMED, xs=Raising(age=[1.0]))


def test_from_the_command_line(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    desk.write("p.eps.duet", NAMED)
    words = ("run", "p.eps.duet", "--ledger", "l", "--on-bad-row", "default", "--data")
    for path in ("nobody.csv", ".", "people.csv:size"):
        assert main([*words, path]) == 1
        assert capsys.readouterr().err.splitlines()[-1] == "nothing was released, nothing was spent"
    assert desk.entries == 0
    assert main([*words, "people.csv"]) == 0
    assert desk.entries == 2


# ---------------------------------------------------------------------------------------------------------------------
# Neighbours

STRANGE = ["", " ", "x", '"', ",", "0.25", "age", "nan", "1,2,3", '"0.5', "\r", "1e400", "9" * 700]


def ended(desk: Desk, program: str, **arguments: Any) -> str:
    """How a run ends: what it is refused with, and whether it was charged; else what is reported about the data."""
    try:
        release = desk.run(program, **arguments)
    except DuetError as error:
        return f"{error.diagnostics} {isinstance(error, Spent)}"
    return json.dumps([release.data, release.privacy["total"]], sort_keys=True)


@pytest.mark.parametrize("header", ["yes", "no"])
@pytest.mark.parametrize("program", [NAMED, ONE, ANY, STAR, ALIGNED, ALIGNED_STAR])
@pytest.mark.sparse(5)
def test_no_line_decides_how_a_run_ends(desk: Desk, program: str, header: str) -> None:
    """Also not the last one where it turns blank, if anything else says how many rows there are: a setting, or a table that is
    aligned. (Where nothing does, a blank line at the end is no row, which docs/data.md says.)"""
    dice = random.Random(f"{program}{header}")
    first = ["age"] if header == "yes" else []
    is_two = "ys" in program
    for trial in range(often(8, 2)):
        settings = {"n": 1} if program == ANY else {}
        if "m : ℕ" in program and (trial % 2 or not is_two):
            settings["m"] = dice.choice([3, 3, 5])
        lines, at = [dice.choice(["0.5", "x", "7"]) for _ in range(3)], dice.choice([0, 1, 2, 2])
        desk.write("same.csv", "\n".join([*first, *lines, ""]))
        for order in (("xs", "ys"), ("ys", "xs")) if is_two else (("xs",),):
            ends = set()
            for changed in (lines[at], dice.choice(STRANGE), ""):
                desk.write("p.csv", "\n".join([*first, *lines[:at], changed, *lines[at + 1 :], ""]))
                given = dict(zip(order, ("p.csv", "same.csv"), strict=False))
                ends.add(ended(desk, program, **given, **settings, _header=header))
            assert len(ends) == 1, (lines, at, ends)


def test_no_line_of_a_table_in_a_pair_decides_how_a_run_ends(desk: Desk) -> None:
    program = """pλ m : ℕ . p : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ []] × 𝔹 ⇒
      laplace[auto, 0.25] <p> { mfold-row 0.0, fst p { a, r ⇒ a + clip[0.0, 1.0] r.age } }"""
    for rows in (2, 3, 5):
        ends = set()
        for last in ("0.5", "x", ""):
            desk.write("p.csv", f"age\n0.5\n0.25\n{last}\n")
            checked = duetpy.parse(program, notion="eps").check()
            with contextlib.ExitStack() as stack:
                if rows != 3:
                    stack.enter_context(pytest.raises(DuetError, match="D0612"))
                ends.add(checked.run(p=("p.csv", True), m=rows, _on_bad_row="default").data["p"]["rows"])
        assert ends == ({None} if rows == 3 else set())
    assert desk.refused(program, p=("p.csv", True), m=2)[0] == "D0612"
    assert desk.refused(program, p=("nobody.csv", True), m=3)[0] == "D0601"


def test_a_blank_line_at_the_end_decides_where_nothing_else_does(desk: Desk) -> None:
    """The control of the test above."""
    ends = set()
    for last in ("0.5", ""):
        desk.write("p.csv", f"age\n0.5\n{last}\n")
        ends.add(ended(desk, NAMED, xs="p.csv"))
    assert len(ends) == 2


def test_a_public_table_says_its_size_before_the_charge(desk: Desk) -> None:
    """The cost may depend on it: it need not be given together with the table, and a different number costs nothing."""
    program = """pλ j : ℕ . xs : 𝕄 [L∞, U | ★, age : 𝔻 else 0 ∷ []], bs : 𝕄 [L∞, U | j, 1⋅𝔻 else 0] ⇒
      x ← laplace[1.0, 1.0 / real (rows bs)] <xs> { real (rows xs) } ; return ⟨x, bs#[0, 0]⟩"""
    bs = [[1.0], [2.0], [3.0], [4.0]]
    assert desk.run(program, xs="people.csv", bs=duetpy.public(bs)).ledger["charged"]["epsilon"] == 0.25
    assert desk.refused(program, xs="people.csv", bs=duetpy.public(bs), j=2)[0] == "D0612"


@pytest.mark.parametrize("rule", ["default", "drop"])
def test_data_that_becomes_the_data_of_others_after_the_charge_stops_the_run(
    desk: Desk, tmp_path: Path, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of two tables that are the same people's cost twice as much, and only half of it was charged."""
    program = """pλ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0], ys : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0] ⇒
      a ← laplace[auto, 0.25] <xs> { real (rows xs) } ; b ← laplace[auto, 0.25] <ys> { real (rows ys) } ; return ⟨a, b⟩"""
    xs, ys = tmp_path / "x.csv", tmp_path / "y.csv"
    for path in (xs, ys):
        path.write_text("1\n2\n", encoding="utf-8")
    reserve = Ledger.reserve

    def reserved(self: Ledger, *arguments: Any) -> Any:
        entry = reserve(self, *arguments)
        ys.unlink()
        ys.hardlink_to(xs)
        return entry

    monkeypatch.setattr(Ledger, "reserve", reserved)
    with pytest.raises(Spent, match="changed while it was read"):
        checked(program).run(xs=xs, ys=ys, _ledger=desk.path, _on_bad_row=rule)
    assert desk.entries == 1


class Growing(float):
    """A number that is a larger one once something was charged."""

    desk: Desk

    def __str__(self) -> str:
        return "5.0" if self.desk.entries else "0.25"

    __repr__ = __str__

    def __float__(self) -> float:
        return float(str(self))


def test_a_number_that_grows_after_the_charge_stops_the_run(desk: Desk) -> None:
    program = "pλ ε : ℝ⁺ . xs : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0], ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <xs> { real (rows xs) }"
    epsilon = Growing(0.25)
    epsilon.desk = desk
    with pytest.raises(Spent, match="the arguments have changed since the run was charged"):
        desk.run(program, xs=[[1.0], [2.0]], ε=epsilon)
    assert Ledger(desk.path).state().charges[0].amount == Fraction(1, 4)
