"""A ledger adds up what a person loses who has a row in each of two aligned tables, unless a run counts their rows as rows of
different people."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations
from pathlib import Path
from typing import ClassVar

import pytest
from attrs import define

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.ledger.places import Grouped, connected, contradiction, may_share, place_text
from duetpy.ledger.store import Ledger, create
from duetpy.runtime.sources import registry

TABLE = "𝕄 [L∞, U | m, age : 𝔻 ∷ []]"
SUM = "mfold-row 0.0, {0} {{ s, r ⇒ s + clip[0.0, 1.0] r.age }}"
BOTH = f"laplace[auto, 0.5] <xs, ys> {{ ({SUM.format('xs')}) + ({SUM.format('ys')}) }}"
EACH = " ; ".join(f"{name} ← laplace[auto, 1.0] <{name}s> {{ {SUM.format(f'{name}s')} }}" for name in ("x", "y"))


def program(text: str) -> duetpy.Checked:
    return duetpy.parse(text, notion="eps").check()


ALIGNED = program(f"pλ . ⟨xs : {TABLE}, ys : {TABLE}⟩ ⇒ {BOTH}")
APART = program(f"pλ . xs : {TABLE}, ys : {TABLE} ⇒ {EACH} ; return x + y")
IN_A_PAIR = program(
    f"pλ . p : {TABLE} × {TABLE} ⇒ let ⟨xs, ys⟩ = p in laplace[auto, 0.5] <xs, ys> {{ {SUM.format('xs')} }}"
)
ALONE = program(f"pλ . xs : {TABLE} ⇒ laplace[auto, 1.0] <xs> {{ {SUM.format('xs')} }}")
FREE_ALIGNED = program(f"pλ . ⟨xs : {TABLE}, ys : {TABLE}⟩ ⇒ return ⟨rows xs, rows ys⟩")
FREE = program(f"pλ . xs : {TABLE}, ys : {TABLE} ⇒ return ⟨rows xs, rows ys⟩")


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("x", "y", "z"):
        Path(f"{name}.csv").write_text(f"age\n1\n2\n{ord(name)}\n", encoding="utf-8")
    Path("folder").mkdir()
    Path("folder", "link.csv").symlink_to("../y.csv")
    create(tmp_path / "ledger", parse_budget("epsilon=100"), "people")
    return tmp_path / "ledger"


def spent(ledger: Path) -> float:
    return float(Ledger(ledger).state().spent.amount)


@pytest.mark.parametrize("other", ["y.csv", "./y.csv", "folder/link.csv"])
@pytest.mark.parametrize("aligned_first", [True, False])
def test_what_is_aligned_is_not_charged_as_of_different_people(ledger: Path, other: str, aligned_first: bool) -> None:
    """0.5 and 1 was said to be spent, and a person with a row in both had lost 2.5."""
    first, second = (ALIGNED, APART) if aligned_first else (APART, ALIGNED)
    first.run(xs="x.csv", ys="y.csv", _ledger=ledger)
    before = spent(ledger)
    with pytest.raises(duetpy.DuetError, match="D0727") as refused:
        second.run(xs="x.csv", ys=other, _ledger=ledger)
    assert re.search(r"aligns \S*x\.csv with \S*y\.csv", str(refused.value))
    assert spent(ledger) == before


@pytest.mark.parametrize("aligned_first", [True, False])
def test_what_is_aligned_is_of_the_same_people_also_where_it_costs_nothing(ledger: Path, aligned_first: bool) -> None:
    first, second = (FREE_ALIGNED, APART) if aligned_first else (APART, FREE_ALIGNED)
    first.run(xs="x.csv", ys="y.csv", _ledger=ledger)
    with pytest.raises(duetpy.DuetError, match="D0727"):
        second.run(xs="x.csv", ys="y.csv", _ledger=ledger)


def test_a_pair_counts_its_files_as_of_different_people(ledger: Path) -> None:
    ALIGNED.run(xs="x.csv", ys="y.csv", _ledger=ledger)
    with pytest.raises(duetpy.DuetError, match="D0727"):
        IN_A_PAIR.run(p=("x.csv", "y.csv"), m=3, _ledger=ledger)
    IN_A_PAIR.run(p=("x.csv", "x.csv"), m=3, _ledger=ledger)


def test_files_are_aligned_by_way_of_a_third(ledger: Path) -> None:
    for runs in permutations([(ALIGNED, "x", "y"), (ALIGNED, "y", "z"), (APART, "z", "x")]):
        path = ledger.with_name("".join(f"{one}{other}" for _, one, other in runs))
        create(path, parse_budget("epsilon=100"), "people")
        *charged, (last, one, other) = runs
        for checked, first, second in charged:
            checked.run(xs=f"{first}.csv", ys=f"{second}.csv", _ledger=path)
        with pytest.raises(duetpy.DuetError, match="D0727"):
            last.run(xs=f"{one}.csv", ys=f"{other}.csv", _ledger=path)


def test_what_counts_all_rows_of_a_person_is_added(ledger: Path) -> None:
    """Runs on one of the files each, on one file twice, on what may be of anybody, on another file, and those that cost nothing."""
    FREE.run(xs="x.csv", ys="y.csv", _ledger=ledger)
    ALIGNED.run(xs="x.csv", ys="y.csv", _ledger=ledger)
    for name in ("x", "y"):
        ALONE.run(xs=f"{name}.csv", _ledger=ledger)
    APART.run(xs="x.csv", ys="x.csv", _ledger=ledger)
    APART.run(xs="x.csv", ys=[[1.0], [2.0], [3.0]], _ledger=ledger)
    APART.run(xs="x.csv", ys="z.csv", _ledger=ledger)
    assert spent(ledger) == 0.5 + 1 + 1 + 2 + 2 + 1


@define
class Block:
    """Three rows."""

    columns: Sequence[str]

    def read(self) -> Mapping[str, object]:
        return {name: [1.0, 2.0, 3.0] for name in self.columns}


@define
class Clinic:
    """A source of them."""

    identity: object
    schema: ClassVar[dict[str, str]] = {"age": "number"}
    rows: ClassVar[int] = 3

    def blocks(self, columns: Sequence[str]) -> Iterator[Block]:
        yield Block(columns)


CLINIC, YEAR, OTHER_YEAR = Clinic("clinic"), Clinic(("clinic", 2026)), Clinic(("clinic", 2025))


@pytest.mark.parametrize("aligned_first", [True, False])
@pytest.mark.parametrize(("aligned", "apart"), [(YEAR, CLINIC), (CLINIC, YEAR)], ids=["part", "whole"])
def test_what_holds_the_people_of_what_is_aligned_is_known(
    ledger: Path, aligned: Clinic, apart: Clinic, aligned_first: bool
) -> None:
    """In one run that is charged for a person with a row in each; 1.5 was said to be spent by two runs, and 2.5 was lost."""
    runs = [(ALIGNED, aligned), (APART, apart)]
    (first, one), (second, other) = runs if aligned_first else reversed(runs)
    first.run(xs=one, ys="y.csv", _ledger=ledger)
    with pytest.raises(duetpy.DuetError, match="D0727") as refused:
        second.run(xs=other, ys="y.csv", _ledger=ledger)
    assert re.search(r"source 'clinic'", str(refused.value))


def test_two_parts_of_a_source_are_of_different_people(ledger: Path) -> None:
    """Also where a run reads all of the source, for which a person in either part is charged."""
    ALIGNED.run(xs=YEAR, ys="y.csv", _ledger=ledger)
    APART.run(xs=OTHER_YEAR, ys="y.csv", _ledger=ledger)
    APART.run(xs=YEAR, ys=OTHER_YEAR, _ledger=ledger)
    APART.run(xs=YEAR, ys=CLINIC, _ledger=ledger)
    assert spent(ledger) == 0.5 + 1 + 1 + 2


def test_a_file_that_has_an_identity_is_one_file(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run on it alone was refused after one that aligns it with another file: its path and its identity were of two people."""
    monkeypatch.setattr(registry, "_REGISTERED", {})
    duetpy.register_source(".clinic", Clinic)
    Path("x.clinic").touch()
    ALIGNED.run(xs="x.clinic", ys="y.csv", _ledger=ledger)
    ALONE.run(xs="x.clinic", _ledger=ledger)
    assert spent(ledger) == 0.5 + 1
    with pytest.raises(duetpy.DuetError, match="D0727"):
        APART.run(xs="x.clinic", ys="y.csv", _ledger=ledger)


IN_MEMORY = [[1.0], [2.0], [3.0]]


@pytest.mark.parametrize("aligned_first", [True, False])
def test_a_file_that_is_aligned_with_data_in_memory_may_be_of_anybody(ledger: Path, aligned_first: bool) -> None:
    """What is in memory may be a copy of another file, whose people are then those of the file that it is aligned with."""
    runs = [(ALIGNED, IN_MEMORY), (APART, "z.csv")]
    (first, one), (second, other) = runs if aligned_first else reversed(runs)
    first.run(xs="x.csv", ys=one, _ledger=ledger)
    with pytest.raises(duetpy.DuetError, match="D0727"):
        second.run(xs="x.csv", ys=other, _ledger=ledger)


def test_data_in_memory_is_charged_to_everybody(ledger: Path) -> None:
    for name in ("x", "y"):
        ALIGNED.run(xs=f"{name}.csv", ys=IN_MEMORY, _ledger=ledger)
        APART.run(xs=f"{name}.csv", ys=IN_MEMORY, _ledger=ledger)
    ALIGNED.run(xs="x.csv", ys="y.csv", _ledger=ledger)
    assert spent(ledger) == 5 * 0.5 + 2 * (2 - 0.5)


def test_what_is_in_memory_is_a_copy_of_one_file(ledger: Path) -> None:
    """Of two other files it makes nobody the same: a run on them was refused, "one program aligns y.csv with z.csv". Two objects
    may be copies of both."""
    ALIGNED.run(xs="x.csv", ys=IN_MEMORY, _ledger=ledger)
    APART.run(xs="y.csv", ys="z.csv", _ledger=ledger)
    assert spent(ledger) == 0.5 + 1
    with pytest.raises(duetpy.DuetError, match="D0727") as refused:
        ALIGNED.run(xs="x.csv", ys=[*IN_MEMORY[1:], [1.0]], _ledger=ledger)
    assert re.search(r"in memory.*may be copies: rows of \S*y\.csv and \S*z\.csv", str(refused.value))


@pytest.mark.parametrize("aligned_first", [True, False])
def test_two_aligned_tables_in_memory_may_be_copies_of_two_files(ledger: Path, aligned_first: bool) -> None:
    """1.5 was said to be spent where a person with a row in both files had lost 2.5."""
    other = [[2.0], [1.0], [3.0]]
    runs = [(ALIGNED, (IN_MEMORY, other)), (APART, ("y.csv", "z.csv"))]
    (first, (xs, ys)), (second, (x, y)) = runs if aligned_first else reversed(runs)
    first.run(xs=xs, ys=ys, _ledger=ledger)
    with pytest.raises(duetpy.DuetError, match="D0727"):
        second.run(xs=x, ys=y, _ledger=ledger)


def test_one_table_in_memory_that_is_aligned_with_itself_is_one_copy(ledger: Path) -> None:
    ALIGNED.run(xs=IN_MEMORY, ys=IN_MEMORY, _ledger=ledger)
    APART.run(xs="y.csv", ys="z.csv", _ledger=ledger)
    assert spent(ledger) == 0.5 + 1


def test_a_file_with_two_names_is_one_file(ledger: Path) -> None:
    """A run on both said that they are of different people, though it had charged for both."""
    Path("hard.csv").hardlink_to("x.csv")
    APART.run(xs="x.csv", ys="hard.csv", _ledger=ledger)
    ALIGNED.run(xs="x.csv", ys="hard.csv", _ledger=ledger)
    ALIGNED.run(xs="hard.csv", ys="z.csv", _ledger=ledger)
    assert spent(ledger) == 2 + 2 * 0.5
    with pytest.raises(duetpy.DuetError, match="D0727"):
        APART.run(xs="x.csv", ys="z.csv", _ledger=ledger)


def told_pair_by_pair(charged: Sequence[Grouped]) -> bool:
    """Whether two runs say in two ways who is who, of places none of which is in memory: the control, in which each place is
    compared with each."""
    aligned = connected([group for files in charged for group in files if len(group) > 1], may_share)
    same = [list(chain(*groups)) for groups in aligned]
    return any(
        not may_share(one, other) and any(may_share(one, each) and may_share(other, each) for each in same)
        for files in charged
        for one, other in combinations(files, 2)
    )


@pytest.mark.parametrize("seed", range(5))
def test_who_is_who_is_told_as_pair_by_pair(seed: int) -> None:
    draw = random.Random(seed)
    places = [
        ("/x",),
        ("/y",),
        ("/y", "'t'"),
        ("/y", "'u'"),
        *[("source", "'c'", *more) for more in ("", "1", "2", "12")],
    ]
    found = set()
    for _ in range(300):
        charged = []
        for _ in range(draw.randint(1, 4)):
            own = draw.sample(places, draw.randint(2, 4))
            cut = draw.randint(1, len(own))
            charged.append((tuple(own[:cut]), *[(place,) for place in own[cut:]]))
        is_told = contradiction(charged) is not None
        assert is_told == told_pair_by_pair(charged), charged
        found.add(is_told)
    assert len(found) == 2


def test_no_two_places_have_one_text() -> None:
    places = [
        (),
        ("/a",),
        ("/a", "'b'"),
        ("/a, 'b'",),
        ("source", "'a'"),
        ("source", "'a'", "'b'"),
        ("source", "\"'a', 'b'\""),
    ]
    assert len(set(map(place_text, places))) == len(places)


def test_the_same_run_is_found_again(ledger: Path) -> None:
    """What is released again is charged to nobody."""
    for _ in range(2):
        APART.run(xs="x.csv", ys="y.csv", _ledger=ledger)
    assert spent(ledger) == 1
