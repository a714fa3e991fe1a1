"""Elements of a private set that Python gives: what stands in the place of one decides that element, and no more."""

from collections import deque
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import create
from duetpy.runtime.sources.given import number_in
from duetpy.settings import DataFile

ROW = "𝕄 [L∞, U | 1, a : 𝔻 else 7 ∷ k : 𝐝 𝕊 ∷ []]"
TYPES = [
    (f"℘({ROW})", {"a": 1.0, "k": "x"}),
    (f"℘({ROW} × 𝐝 𝔻)", ({"a": 1.0, "k": "x"}, 1.0)),
    (f"℘({ROW} + 𝐝 𝔻)", ("inl", {"a": 1.0, "k": "x"})),
    ("℘(℘(𝐝 𝔻))", [1.0]),
    ("℘(℘(𝐝 𝕊))", ["x"]),
    ("℘(𝐝 𝔻)", 1.0),
    ("℘(𝐝 𝕊)", "x"),
    ("℘((𝐝 𝔻)?)", 1.0),
]


class Opened:
    """Reads like an open file."""

    def read(self) -> str:
        return ""

    def readline(self) -> str:
        return ""


STRANGE: list[Any] = [
    "Ada",
    Path("Ada.csv"),
    Opened(),
    [Opened()],
    (Opened(), Opened()),
    ("Ada", "Bob"),
    ("inl", "Ada"),
    ("inl", Opened()),
    {1, 2},
    frozenset(),
    range(3),
    deque([1, 2]),
    memoryview(b"abc"),
    iter([1]),
    [[1.0, "x"], [2.0, "y"]],
    np.array([[1, 2], [3, 4]]),
    np.array(["a", "b"]),
    np.array([1, "a"], dtype=np.object_),
    np.zeros(2, dtype=[("a", "f8")]),
    np.datetime64("2024-02-29"),
    np.float64(1.0),
    (np.array([1, 2]), 3),
]


def program(type_: str) -> duetpy.Checked:
    text = f"notion eps;\npλ . x : {type_} ⇒ laplace[1.0, 1.0] <x> {{ if x ≡ x then 1.0 else 0.0 }}"
    return duetpy.parse(text).check()


@pytest.mark.parametrize(("type_", "good"), TYPES)
def test_nothing_in_the_place_of_an_element_stops_a_run(type_: str, good: object) -> None:
    run = program(type_).run
    for strange in STRANGE:
        assert run(x=[good, strange], _on_bad_row="default", _insecure_noise="none").result == 1.0


def test_nothing_on_a_side_of_a_private_sum_stops_a_run() -> None:
    """A discrete value is somebody's as a whole, and a neighbour may be on the other side."""
    run = program(f"𝐝 (({ROW} × 𝐝 𝔻) + 𝕊)").run
    for strange in STRANGE:
        for held in (strange, (strange, 1.0), ({"a": 1.0, "k": "x"}, strange)):
            for given in (("inl", held), ("inr", held)):
                found = run(x=given, _on_bad_row="default", _insecure_noise="none")
                assert found.result == 1.0
                assert found.privacy["unit"] == "one row of x"
    with pytest.raises(DuetError, match="D0611"):
        program("𝐝 (𝕄 [L∞, U | 2, 2⋅𝔻 else 0] + 𝕊)").run(x=("inr", "x"), _on_bad_row="default")
    with pytest.raises(DuetError, match="you gave a file"):
        program("𝐝 (𝔻 + 𝕊)").run(x=DataFile(Path("people.csv")), _on_bad_row="default")


def test_the_name_of_a_file_in_the_place_of_a_table_in_a_set_is_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("1\n2\n", "utf-8")
    for given in ("people.csv", Path("people.csv")):
        with pytest.raises(DuetError, match="D0603"):
            program("℘(𝕄 [L∞, U | 2, 1⋅𝔻])").run(x=[given], _header="no")


@pytest.mark.parametrize("given", ["people.csv", Path("people.csv")])
def test_the_name_of_a_file_in_the_place_of_a_record_is_no_path(
    given: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("a,k\n1,x\n", "utf-8")
    digested: list[str] = []
    monkeypatch.setattr("duetpy.runtime.release.charged_run.file_digest", lambda path, key: digested.append(path))
    ledger = tmp_path / "our.ledger"
    create(ledger, parse_budget("eps=3"), dataset="people")
    run = program(f"℘({ROW})").run
    assert run(x=[{"a": 2.0, "k": "y"}, given], _on_bad_row="default", _ledger=ledger).result is not None
    assert not digested
    with pytest.raises(DuetError) as caught:
        run(x=[given], _header="yes")
    assert "people" not in str(caught.value)


def test_records_are_elements_however_they_are_written() -> None:
    text = f"sλ . x : ℘({ROW}) ⇒ x"
    rows = [{"a": 1.0, "k": "x"}, [2.0, "y"], (3.0, "z"), {"k": "w", "a": 4.0}]
    as_lists = [[1.0, "x"], [2.0, "y"], [3.0, "z"], [4.0, "w"]]
    assert duetpy.evaluate(text, x=rows) == duetpy.evaluate(text, x=as_lists)
    assert len(duetpy.evaluate(text, x=rows)) == 4


def test_a_set_of_tables_of_several_rows_is_refused_where_no_element_may_stop_the_run() -> None:
    """One with a row too many would, and it is somebody's."""
    run = program("℘(𝕄 [L∞, U | 2, 2⋅𝔻 else 0])").run
    for given in ([], [[[1, 2], [3, 4]]], [[[1, 2]]]):
        with pytest.raises(DuetError) as caught:
            run(x=given, _on_bad_row="default")
        assert [each.code for each in caught.value.diagnostics] == ["D0611"]
    assert run(x=[[[1, 2], [3, 4]]], _insecure_noise="none").result == 1.0


class Gone:
    """A proxy of something that is gone: it raises when it is asked for its type, or for anything that it does not have."""

    def __init__(self, asked: str) -> None:
        self.asked = asked

    def __getattribute__(self, name: str) -> Any:
        if object.__getattribute__(self, "asked") == name or not hasattr(type(self), name):
            raise ReferenceError("Ada")
        return object.__getattribute__(self, name)


TABLE = """notion eps;
pλ . xs : 𝕄 [L∞, U | ★, a : 𝔻 else 7 ∷ n : 𝐝 ℕ? ∷ k : 𝐝 𝕊 ∷ day : Date? ∷ []] ⇒
  laplace[auto, 1.0] <xs> { mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 9.0] (if r.k == "" then r.a else disc 9.0) } }"""


@pytest.mark.parametrize("asked", ["__class__", "there"])
def test_a_value_that_raises_when_it_is_asked_what_it_is_is_bad(asked: str) -> None:
    gone = Gone(asked)
    for type_, good in TYPES:
        for given in (
            [good, gone],
            [good, (gone, gone)],
            [good, ("inl", gone)],
            [good, [gone]],
            [good, {"a": gone}],
            gone,
        ):
            assert program(type_).run(x=given, _on_bad_row="default", _insecure_noise="none").result == 1.0
    record = program(f"𝐝 ({ROW})").run
    for given in ({"a": gone, "k": "x"}, [gone, gone], [gone], (1.0, gone)):
        assert record(x=given, _on_bad_row="default", _insecure_noise="none").result == 1.0
    rows = duetpy.parse(TABLE).check().run
    for row in (gone, [gone] * 4, {"a": gone, "n": gone, "k": gone, "day": gone}):
        assert rows(xs=[row, row], _on_bad_row="default", _insecure_noise="none").result == 14.0
    columns = {"a": np.fromiter([gone, 1.0], dtype=np.object_), "n": [gone, 1], "k": ["", gone], "day": [None, gone]}
    assert rows(xs=columns, _on_bad_row="default", _insecure_noise="none").result == 8.0
    for given in ([[gone, 1, "", None]], [[1.0, 1, gone, None]]):
        with pytest.raises(DuetError) as caught:
            rows(xs=given)
        assert [each.code for each in caught.value.diagnostics] == ["D0604"]


def test_a_number_is_so_long_at_most() -> None:
    """Or a single one would decide how long a run takes: the time to make a fraction of a decimal grows with the square of its
    digits, those that are 0 included."""
    for least in (2**40_000, -(2**40_000), Fraction(1, 2**40_000), Decimal("1e-10001"), Decimal("1e10001")):
        assert number_in(least) is None
    for digits in ("0." + "7" * 10_001, "0.5" + "0" * 10_000, "7." + "0" * 10_001, "0." + "0" * 10_000 + "1"):
        assert number_in(Decimal(digits)) is None
    for most in (2**40_000 - 1, Fraction(1, 2**40_000 - 1), Decimal("0." + "7" * 10_000), Decimal("1e10000")):
        assert number_in(most) == Fraction(most)
