"""Runs that are charged: which are the same run, and which have no price yet."""

import json
import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import duetpy
from duetpy import DuetError
from duetpy.accounting.budget import parse_budget
from duetpy.ledger.store import Ledger, create
from duetpy.runtime.release.charged_run import _packed, _unpacked, cells_digest, digest, file_digest
from duetpy.runtime.release.run import Prepared
from duetpy.runtime.sources import files
from duetpy.settings import NoValue
from duetpy.typecheck.types import Fun
from tests.typecheck.judging import accepted

ROWS = np.ones((3, 1))
KEYED = """pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], keys : ℘(𝐝 ℕ) ⇒
  laplace[auto, 0.25] <xs> { if disc 1 ∈ keys then mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } else 0.0 }"""
FOREIGN = """pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒
  given[0.25] <xs> { (opaque "foreign_for_tests:mean" : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⊸ ℝ) xs }"""
BY_SIZE = """pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒
  laplace[auto, 1.0 / real (rows xs)] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } }"""


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "l"
    create(path, parse_budget("epsilon=1"), "people")
    return path


@pytest.fixture
def module() -> Iterator[ModuleType]:
    made = ModuleType("foreign_for_tests")
    sys.modules[made.__name__] = made
    yield made
    del sys.modules[made.__name__]


def replayed(release: Any) -> bool:
    return bool(release.ledger["replayed"])


@pytest.mark.parametrize("kind", [list, frozenset])
def test_another_public_argument_is_another_run(ledger: Path, kind: type) -> None:
    """Also where it has no fixed form, so that nobody can tell whether it is the same."""
    checked = duetpy.parse(KEYED, notion="eps").check()
    first = checked.run(xs=ROWS, keys=duetpy.public(kind([1])), _ledger=ledger)
    again = checked.run(xs=ROWS, keys=duetpy.public(kind([1])), _ledger=ledger)
    assert (replayed(first), replayed(again)) == (False, kind is list)
    assert not replayed(checked.run(xs=ROWS, keys=duetpy.public(kind([2])), _ledger=ledger))


def test_foreign_code_may_have_changed(ledger: Path, module: ModuleType) -> None:
    checked = duetpy.parse(FOREIGN, notion="eps").check()
    for number in (1.0, 2.0):
        module.__dict__["mean"] = lambda rows, number=number: number
        release = checked.run(xs=ROWS, _trust=("foreign_for_tests",), _ledger=ledger)
        assert (release.result, replayed(release)) == (number, False)


@pytest.mark.parametrize("bad", ["refuse", "default"])
def test_a_public_number_of_rows_is_known_before_the_charge(ledger: Path, tmp_path: Path, bad: str) -> None:
    checked = duetpy.parse(BY_SIZE, notion="eps").check()
    file = tmp_path / "xs.csv"
    file.write_text("a\n1\n?\n3\n" if bad == "default" else "a\n1\n2\n3\n", encoding="utf-8")
    checked.run(xs=ROWS, _ledger=ledger, _on_bad_row=bad)
    checked.run(xs=str(file), _ledger=ledger, _on_bad_row=bad, _header="yes")
    assert [3 * charge.amount for charge in Ledger(ledger).state().charges] == [pytest.approx(1.0)] * 2


def test_a_price_that_the_first_line_would_say_is_asked_for(ledger: Path, tmp_path: Path) -> None:
    """Whether it is a row is what it says itself."""
    checked = duetpy.parse(BY_SIZE, notion="eps").check()
    file = tmp_path / "xs.csv"
    file.write_text("1\n2\n3\n", encoding="utf-8")
    with pytest.raises(DuetError, match="the cost depends on m"):
        checked.run(xs=str(file), _ledger=ledger, _on_bad_row="default")
    assert not Ledger(ledger).state().entries
    for given in ({"m": 3}, {"_header": "no"}):
        checked.run(xs=str(file), _ledger=ledger, _on_bad_row="default", **given)
    assert [3 * charge.amount for charge in Ledger(ledger).state().charges] == [pytest.approx(1.0)] * 2


def test_a_file_on_one_side_of_a_sum_is_known_by_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "xs.csv"
    type_ = accepted("sλ m : ℕ . x : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] + 𝕊 ⇒ 1.0")
    assert isinstance(type_, Fun)
    found = []
    for text in ("1\n", "2\n"):
        file.write_text(text, encoding="utf-8")
        found.append([digest((side, str(file)), type_.domain, b"key") for side in ("inl", "inr")])
    assert found[0][0] != found[1][0]
    assert found[0][1] == found[1][1]  # there it is a text, and no file


def test_each_file_of_a_pair_is_known_by_its_bytes(tmp_path: Path) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    type_ = accepted("sλ m : ℕ, n : ℕ . x : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] × 𝕄 [L∞, U | n, 1⋅𝔻 else 0] ⇒ 1.0")
    assert isinstance(type_, Fun)
    found = []
    for texts in (("1\n", "2\n"), ("1\n", "3\n"), ("3\n", "2\n")):
        for file, text in zip((one, other), texts, strict=True):
            file.write_text(text, encoding="utf-8")
        found.append(digest((str(one), str(other)), type_.domain, b"key"))
    assert None not in found
    assert len(set(found)) == 3


def test_the_sides_of_a_sum_are_told_apart() -> None:
    type_ = accepted("sλ x : 𝔻 + 𝔻 ⇒ 1.0")
    assert isinstance(type_, Fun)
    assert digest(("inl", 1.0), type_.domain, b"key") != digest(("inr", 1.0), type_.domain, b"key")


def test_the_same_bytes_that_are_read_in_another_way_are_other_data(tmp_path: Path) -> None:
    """A line `1,2` is two cells of x.csv and one of x.tsv."""
    found = set()
    for name in ("x.csv", "x.tsv"):
        (tmp_path / name).write_text("1,2\n", encoding="utf-8")
        found.add(file_digest(str(tmp_path / name), b"key"))
    assert len(found) == 2
    assert None not in found


def test_a_database_that_another_process_writes_is_never_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.duckdb"
    file.write_bytes(b"as it lies there")
    table = f"duckdb:{file}?table=t"
    found = []
    for is_busy in (False, True):
        monkeypatch.setattr(files, "is_busy", lambda _, is_busy=is_busy: is_busy)
        found.append(file_digest(table, b"key"))
    assert [digest is None for digest in found] == [False, True]


class Whole(int):
    """What it is as a number says nothing about what a run reads of it; so for the other types here."""


class Text(str):
    pass


class Several(list[float]):
    pass


class Both(NamedTuple):
    first: float
    second: float


class Own(np.float64):
    pass


@pytest.mark.parametrize(
    "value",
    [
        Whole(1),
        Text("a"),
        Several([1.0]),
        Both(1.0, 2.0),
        Own(1.0),
        [Whole(1)],
        np.array([1.0, None], dtype=object),
        np.array([(1.0, 2)], dtype=[("a", float), ("b", int)]),
        object(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_fixed_form_is_never_the_same(value: object) -> None:
    """Also where a static number is wanted, which is compared as a number."""
    static = accepted("sλ s : ℝ⁺ . x : ℝ⁺[s] ⇒ 1.0")
    assert isinstance(static, Fun)
    assert cells_digest(value, b"key") is None
    assert digest(value, static.domain, b"key") is None


def test_a_static_number_is_the_one_on_the_command_line() -> None:
    static = accepted("sλ s : ℝ⁺ . x : ℝ⁺[s] ⇒ 1.0")
    assert isinstance(static, Fun)
    found = [
        digest(value, static.domain, b"key") for value in (0.1, Fraction(1, 10), np.float64(0.1), True, 1, math.inf)
    ]
    assert found[0] == found[1]
    assert None not in found
    assert len(set(found)) == 5


def test_other_data_has_another_digest() -> None:
    values = [0.0, 1.0, 1, True, "1", None, Fraction(1, 3), [1.0], (1.0,), [1.0, 2.0], [[1.0], [2.0]], [NoValue()]]
    arrays = [np.zeros(2), np.ones(2), np.ones((2, 1)), np.ones(2, dtype=np.int64), np.ones(2, dtype=np.float32)]
    scalars = [np.float64(1.0), np.float64(2.0), np.int64(1), np.bool_(True)]
    found = [cells_digest(value, b"key") for value in (*values, *arrays, *scalars, [np.zeros(2)], [np.ones(2)])]
    assert None not in found
    assert len(set(found)) == len(found)
    assert cells_digest(1.0, b"another key") not in found


def test_data_that_changes_during_a_run_is_not_the_data_of_its_release(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = duetpy.parse(KEYED, notion="eps").check()
    file = tmp_path / "xs.csv"
    file.write_text("1\n2\n", encoding="utf-8")
    release = Prepared.release

    def written(prepared: Prepared, *rest: Any) -> Any:
        file.write_text("1\n3\n", encoding="utf-8")
        return release(prepared, *rest)

    given = {"xs": str(file), "keys": duetpy.public([1]), "_header": "no", "_ledger": ledger}
    with monkeypatch.context() as patch:
        patch.setattr(Prepared, "release", written)
        checked.run(**given)
    assert [replayed(checked.run(**given)) for _ in range(2)] == [False, True]


def test_an_input_that_costs_nothing_is_of_no_neighbours(ledger: Path) -> None:
    """The ledger holds prices for a row that is replaced; the rows of ys are added and removed, and none is looked at."""
    for more in ("", ", ys : 𝕄 [L∞, U | ★, 1⋅𝔻 else 0]"):
        text = f"pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0]{more} ⇒ laplace[1.0, 0.25] <xs> {{ clip[0.0, 1.0] (xs#[0, 0]) }}"
        duetpy.parse(text, notion="eps").check().run(xs=ROWS, _ledger=ledger, **({"ys": ROWS} if more else {}))
    assert Ledger(ledger).state().spent.amount == Fraction(1, 2)


def test_a_stored_result_is_the_one_that_was_released() -> None:
    result = ([(1.0, "a"), (2.0, "b")], {"number": (True, None), "rows": [[1.0], [2.0]]})
    assert _unpacked(json.loads(json.dumps(_packed(result)))) == result


@pytest.mark.parametrize("number", [Fraction(10**700, 3), Fraction(3, 10**700), 10**700])
def test_a_number_of_many_digits_has_a_digest_in_every_process(number: Fraction | int) -> None:
    """How many digits Python writes is a setting of the process."""
    kept = sys.get_int_max_str_digits()
    found = []
    try:
        for most in (640, 0):
            sys.set_int_max_str_digits(most)
            found.append(cells_digest(number, b"key"))
    finally:
        sys.set_int_max_str_digits(kept)
    assert found[0] == found[1]


def test_another_number_for_a_kind_variable_is_another_run(ledger: Path) -> None:
    """It is no argument, and two numbers may have one price."""
    text = (
        "pλ m : ℕ, b : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ laplace[auto, 0.1] <xs> { clip[0.0, ℝ⁺[b]] (xs#[0, 0]) }"
    )
    checked = duetpy.parse(text, notion="eps").check()
    assert [replayed(checked.run(xs=ROWS, b=b, _ledger=ledger)) for b in (1, 1, 2)] == [False, True, False]


def test_another_notion_is_another_run(ledger: Path) -> None:
    text = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ laplace[auto, 0.1] <xs> { clip[0.0, 1.0] (xs#[0, 0]) }"
    notions = ("eps", "eps", "approx")
    runs = [duetpy.parse(text, notion=notion).check().run(xs=ROWS, _ledger=ledger) for notion in notions]
    assert list(map(replayed, runs)) == [False, True, False]
