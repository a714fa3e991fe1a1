"""Registered sources that promise the same rows each time are read again for each pass, with the same results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from attrs import define, field, frozen

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import Ledger, create
from duetpy.runtime.sources import registry, streams
from duetpy.runtime.values.values import MatrixValue
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.unkept import UNKEPT
from tests.soundness.mutants import planted

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

AGES = [at % 83 + 0.5 for at in range(400)]
SUM = "mfold-row 0.0, xs { t, row ⇒ t + clip[0.0, 90.0] row.age }"
MEAN = (
    "pλ %s xs : 𝕄 [L∞, U | %s, age : 𝔻 else 7 ∷ []] ⇒ "
    f"total ← laplace[auto, 1.0] <xs> {{ {SUM} }} ; "
    "n ← laplace[auto, 1.0] <xs> { mfold-row 0.0, xs { t, row ⇒ t + (if row.age < 18.0 then 1.0 else 0.0) } } ; return ⟨total, n⟩"
)
COUNTED, SIZED = MEAN % (".", "★"), MEAN % ("m : ℕ .", "m")


@frozen
class Rows:
    columns: dict[str, Any]

    def read(self) -> Mapping[str, object]:
        return self.columns


@define
class People:
    """A source that makes its rows when they are asked for; with `moves`, other ones the second time."""

    ages: Sequence[float]
    is_repeatable: object = True
    moves: bool = False
    identity: str = "people"
    schema: Mapping[str, str] = field(factory=lambda: {"age": "number"})
    times: int = 0

    @property
    def rows(self) -> int:
        return len(self.ages)

    def blocks(self, columns: Sequence[str]) -> Iterator[Rows]:
        self.times += 1
        ages = [self.ages[0] + 1, *self.ages[1:]] if self.moves and self.times > 1 else self.ages
        for start in range(0, len(ages), 90):
            yield Rows(dict.fromkeys(columns, ages[start : start + 90]))


@pytest.fixture(autouse=True)
def streamed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The sources whose rows are not kept."""
    found: list[str] = []
    first = streams.Stream.table

    def table(self: streams.Stream) -> MatrixValue:
        found.append(self.origin)
        return first(self)

    monkeypatch.setattr(streams.Stream, "table", table)
    monkeypatch.setattr(registry, "_REGISTERED", {})
    monkeypatch.chdir(tmp_path)
    return found


def outcome(text: str, xs: object, **how: Any) -> object:
    try:
        release = duetpy.parse(text, notion="eps").check().run(xs=xs, _insecure_noise=3, **how)
    except DuetError as error:
        return [str(each) for each in error.diagnostics]
    return repr((release.result, release.releases))


@pytest.mark.parametrize("rule", ["refuse", "default", "drop"])
@pytest.mark.parametrize("ages", [AGES, [], [math.nan, *AGES], [1e9, *AGES]], ids=["clean", "none", "bad", "large"])
@pytest.mark.parametrize("text", [COUNTED, SIZED], ids=["counted", "sized"])
def test_a_source_is_read_or_refused_as_if_it_were_kept(
    text: str, ages: list[float], rule: str, streamed: list[str]
) -> None:
    kept = outcome(text, People(ages), _on_bad_row=rule)
    assert not streamed
    people = People(ages)
    assert outcome(text, people, _on_bad_row=rule, _stream=True) == kept
    assert isinstance(kept, list) or (streamed and people.times == 3)
    duetpy.register_source("people:", lambda _: People(ages))
    named = [outcome(text, "people:all", _on_bad_row=rule, _stream=stream) for stream in (False, True)]
    assert named[0] == named[1]
    assert isinstance(kept, list) or named[0] == kept


@pytest.mark.parametrize("promise", [False, 1, "yes"])
def test_a_source_that_promises_nothing_is_kept(promise: object, streamed: list[str]) -> None:
    people = People(AGES, promise)
    assert outcome(COUNTED, people, _stream=True) == outcome(COUNTED, People(AGES))
    assert (streamed, people.times) == ([], 1)


class Silent:
    """A source that does not mention whether its rows are the same each time."""

    schema: ClassVar = {"age": "number"}
    rows = len(AGES)
    identity = "people"

    def __init__(self) -> None:
        self.people = People(AGES)

    def blocks(self, columns: Sequence[str]) -> Iterator[Rows]:
        return self.people.blocks(columns)


def test_a_source_that_does_not_mention_a_promise_is_kept(streamed: list[str]) -> None:
    given = Silent()
    assert outcome(COUNTED, given, _stream=True) == outcome(COUNTED, People(AGES))
    assert (streamed, given.people.times) == ([], 1)


def test_a_source_that_breaks_its_promise_is_refused_after_the_charge(tmp_path: Path) -> None:
    create(tmp_path / "l", parse_budget("epsilon=10"), "people")
    said = outcome(COUNTED, People(AGES, moves=True), _stream=True)
    assert isinstance(said, list)
    assert "D0601" in said[0]
    assert "changed while it was read" in said[0]
    with pytest.raises(DuetError):
        duetpy.parse(COUNTED, notion="eps").check().run(
            xs=People(AGES, moves=True), _stream=True, _ledger=str(tmp_path / "l")
        )
    assert len(Ledger(tmp_path / "l").state().entries) == 1


# ---------------------------------------------------------------------------------------------------------------------
# Memory

CLIPPED = "mclip[L2] xs"
DESCENT = (
    "pλ m : ℕ . ⟨xs : 𝕄 [L∞, U | m, 4⋅𝔻 else 0], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0]⟩ ⇒ %s"
    "loop ℕ[2] on (mcreate[L∞ | ℕ[1], cols xs] { i, j ⇒ 0.0 }) <xs, ys> { step, θ ⇒ "
    "g ← mgauss[auto, 0.5] <xs, ys> { ∇[LR | θ ; %s, ys] } ; return mmap θ, g { w, s ⇒ w - s } }"
)
IN_PLACE = DESCENT % ("", CLIPPED)
BY_NAME = DESCENT % (f"let clipped = {CLIPPED} in ", "clipped")
BY_FUNCTION = DESCENT % ("let f = sλ k : ℕ . t : 𝕄 [L∞, U | k, 4⋅𝔻] ⇒ mclip[L2] t in ", "f xs")
WIDE = DESCENT % ("", "mmap-row xs { r ⇒ mcreate[L∞ | ℕ[1], ℕ[40]] { i, j ⇒ r#[0, 0] } }")
WIDE = WIDE.replace("cols xs", "ℕ[40]").replace("mmap-row", "mclip[L2] mmap-row")
DATA: dict[str, Any] = {"xs": "x.parquet:a,b,c,d", "ys": "x.parquet:y"}
SMALL = "8MB"
"""Less than the features take, and more than the labels."""


def descent(text: str, **how: Any) -> object:
    try:
        checked = duetpy.parse(text, notion="zcdp").check()
        release = checked.run(**DATA, _insecure_noise=3, **how)
    except DuetError as error:
        return [each.code for each in error.diagnostics]
    return repr(release.result)


@pytest.fixture
def labelled() -> None:
    rows = 200_000
    cells = np.random.default_rng(1).uniform(-2, 2, size=(4, rows))
    columns = dict(zip("abcd", cells, strict=True)) | {"y": np.sign(cells.sum(axis=0))}
    pq.write_table(pa.table(columns), "x.parquet", row_group_size=1 << 14)


@pytest.mark.usefixtures("labelled")
@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_a_public_number_of_rows_that_are_not_kept_needs_no_room_for_all_of_them(
    rule: str, streamed: list[str]
) -> None:
    kept = descent(IN_PLACE, _on_bad_row=rule)
    assert not streamed
    for text in (IN_PLACE, BY_NAME):
        for how in ({"_memory": SMALL}, {"_memory": SMALL, "_stream": True}, {"_memory": SMALL, "m": 200_000}):
            assert descent(text, _on_bad_row=rule, **how) == kept
            assert streamed
            streamed.clear()


def test_what_does_not_fit_is_refused_before_the_charge(labelled: None, tmp_path: Path) -> None:
    assert refused_if_it_does_not_fit()
    assert isinstance(descent(BY_FUNCTION), str)
    create(tmp_path / "l", parse_budget("rho=10"), "people")
    checked = duetpy.parse(BY_FUNCTION, notion="zcdp").check()
    for rule in ("refuse", "default"):
        with pytest.raises(DuetError, match="D0706"):
            checked.run(**DATA, _memory=SMALL, _on_bad_row=rule, _ledger=str(tmp_path / "l"))
    assert not Ledger(tmp_path / "l").state().entries


def refused_if_it_does_not_fit() -> bool:
    """What a function makes of rows that are not kept: it may be given other tables. And what is wider than rows that are kept."""
    found = [descent(BY_FUNCTION, _memory=SMALL), descent(BY_FUNCTION, _memory=SMALL, _stream=True)]
    return [*found, descent(WIDE, _memory="30MB")] == [["D0706"]] * 3


@pytest.mark.parametrize("mutant", UNKEPT, ids=[mutant.name for mutant in UNKEPT])
def test_memory_that_is_forgotten_is_seen(mutant: Mutant, labelled: None) -> None:
    with planted(mutant):
        assert not refused_if_it_does_not_fit()
