"""A release as a data frame: the columns of ``run --format csv``, for whichever library is there."""

import pickle
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import duetpy
from duetpy import Release
from duetpy.accounting.budget import parse_budget
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import Ledger, create

PARTS = """\
pλ . people : 𝕄 [L∞, U | ★, age : 𝔻 else 0 ∷ []] ⇒
  parallel[people, ℘{"=young", "old"}] { row ⇒ if row.age < 50.0 then "=young" else "old" } { group, part ⇒
    number ← laplace[1.0, 1.0] <part> { real (rows part) } ;
    return ⟨group, ⟨number, 7⟩⟩
  }
"""

COLUMNS = {"group": ["=young", "old"], "number": [2.0, 1.0], "value": [7, 7]}


@pytest.fixture
def release() -> Release:
    people = [[10.0], [20.0], [60.0]]
    return duetpy.parse(PARTS, notion="eps").check().run(people=people, _insecure_noise="none")


def test_arrow(release: Release) -> None:
    table = release.to_arrow()
    assert table.to_pydict() == COLUMNS
    assert [table.schema.field(name).type for name in COLUMNS] == [pa.string(), pa.float64(), pa.int64()]


NAMED = PARTS.replace("⟨group, ⟨number, 7⟩⟩", "{ group = group, number = number, value = 7 }")


def test_the_fields_of_records_are_columns() -> None:
    release = duetpy.parse(NAMED, notion="eps").check().run(people=[[10.0], [20.0], [60.0]], _insecure_noise="none")
    assert release.to_arrow().to_pydict() == COLUMNS
    assert release.result == [
        {"group": "=young", "number": 2.0, "value": 7},
        {"group": "old", "number": 1.0, "value": 7},
    ]


def test_a_stored_record_has_its_columns() -> None:
    """A ledger keeps fields in the order of their names, and older ones have rows without names."""
    checked = duetpy.parse(NAMED, notion="eps").check()
    release = checked.run(people=[[10.0], [20.0], [60.0]], _insecure_noise="none")
    assert release.shape is not None
    stored = [[["=young", 2.0, 7]], {"value": 7, "number": 1.0, "group": "old"}]
    assert release.shape.table(release.shape.named(stored), ()).rows == (("=young", 2.0, 7), ("old", 1.0, 7))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(release: Release, monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, SimpleNamespace(DataFrame=lambda columns: ("frame", columns)))
    found: Any = getattr(release, f"to_{library}")()
    assert found == ("frame", COLUMNS)


@pytest.mark.parametrize(
    ("method", "library"), [("to_pandas", "pandas"), ("to_polars", "polars"), ("to_arrow", "pyarrow")]
)
def test_a_library_that_is_missing(
    release: Release, monkeypatch: pytest.MonkeyPatch, method: str, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=f"{library} is not installed: pip install {library}"):
        getattr(release, method)()


def test_a_matrix_within_a_pair_is_json() -> None:
    program = "pλ . x : 𝔻 ⇒ n ← laplace[1.0, 1.0] <x> { clip[0.0, 1.0] x } ; return ⟨n, mcreate[L∞ | ℕ[1], ℕ[2]] { i, j ⇒ 0.5 }⟩"
    found = duetpy.parse(program, notion="eps").check().run(x=1.0, _insecure_noise="none")
    assert found.to_arrow().to_pydict() == {"n": [1.0], "value": ["[[0.5, 0.5]]"]}


def test_a_release_that_is_unpickled_has_its_table(release: Release) -> None:
    again = pickle.loads(pickle.dumps(release))
    assert again == release
    assert again.to_arrow().to_pydict() == COLUMNS


LONG = "pλ . x : 𝔻, k : ℕ ⇒ n ← laplace[1.0, 1.0] <x> { clip[0.0, 1.0] x } ; return ⟨n, k⟩"


@pytest.mark.parametrize(
    ("number", "cell"),
    [(2**63 - 1, 2**63 - 1), (2**63, 2.0**63), (10**308, 1e308), (2**1024, str(2**1024))],
    ids=["64 bits", "65 bits", "a double", "no double"],
)
def test_a_whole_number_of_any_length_has_a_cell(number: int, cell: object) -> None:
    found = duetpy.parse(LONG, notion="eps").check().run(x=1.0, k=number, _insecure_noise="none")
    assert found.result == (1.0, number)
    assert found.to_arrow().to_pydict() == {"n": [1.0], "k": [cell]}


@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_a_number_that_nobody_could_write_is_refused_before_the_charge(tmp_path: Path, rule: Any) -> None:
    """Python writes no more than 4,300 digits, and what is released must be stored and printed."""
    create(tmp_path / "l", parse_budget("epsilon=2"), "people")
    checked = duetpy.parse(LONG, notion="eps").check()
    with pytest.raises(DuetError, match="D0611"):
        checked.run(x=1.0, k=10**4400, _ledger=tmp_path / "l", _on_bad_row=rule)
    assert not Ledger(tmp_path / "l").state().entries
    assert str(2**1024) in checked.run(x=1.0, k=2**1024, _ledger=tmp_path / "l", _on_bad_row=rule).to_json()


def test_a_day_in_a_record_is_one_in_its_column() -> None:
    program = (
        "pλ . x : 𝔻 ⇒ n ← laplace[1.0, 1.0] <x> { clip[0.0, 1.0] x } ; "
        'let day = date "2024-02-29" in return { n = n, day = day }'
    )
    alone = 'pλ . x : 𝔻 ⇒ n ← laplace[1.0, 1.0] <x> { clip[0.0, 1.0] x } ; return ⟨n, date "2024-02-29"⟩'
    named, pair = (
        duetpy.parse(text, notion="eps").check().run(x=0.5, _insecure_noise="none").to_arrow()
        for text in (program, alone)
    )
    assert named.column("day").type == pair.column(1).type == pa.date32()
    assert named.column("day").to_pylist() == pair.column(1).to_pylist()
