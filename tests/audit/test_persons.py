"""The neighbours of an audit are whole persons, and it finds what goes wrong with the rows of one."""

import random
from typing import Any

import pytest

from duetpy.audit.cases import cases, subject_of
from duetpy.audit.inputs import lines_of
from duetpy.audit.replay import replay
from duetpy.program import parse
from duetpy.typecheck.persons import persons_of
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.persons import OF_PERSONS, OF_ROSTERS
from tests.soundness.mutants import planted

PEOPLE = "people : persons[patient : {} | visits : 𝔻𝔽[date : 𝕊, cost : 𝔻], bills : 𝔻𝔽[paid : 𝔻?]]"
TURNS = (
    f"pλ . {PEOPLE.format('𝕊')} ⇒ laplace[auto, 1.0] <people> {{ mfold-row 0.0, people {{ s, p ⇒ "
    "s + clip[0.0, 5.0] (mfold-row 0.0, p.visits { t, v ⇒ conv v.cost - t }) } }"
)


@pytest.mark.parametrize("identifier", ["𝕊", "𝐝 ℕ"])
def test_one_person_comes_or_goes_with_all_their_lines(identifier: str) -> None:
    typed = parse(f"pλ . {PEOPLE.format(identifier)} ⇒ laplace[1, 1.0] <people> {{ real (rows people) }}", "eps").typed
    assert typed is not None
    (case, *_) = cases(subject_of(typed, {}), random.Random(1), 1)
    persons = persons_of(case.types["people"])
    assert persons is not None
    drawer, moved = case.drawer(random.Random(2)), 0
    for _ in range(100):
        left = case.draw(drawer)
        right = drawer.neighbour(case.types, left, ("people",))
        if right is None:
            continue
        before, after = (held(lines_of(persons, inputs["people"])) for inputs in (left, right))
        others = [who for who in before.keys() | after.keys() if before.get(who) != after.get(who)]
        assert len(others) <= 1
        assert not others or not (before.get(others[0]) and after.get(others[0]))
        moved += len(others)
    assert moved > 40


def test_one_person_comes_or_goes_in_all_tables() -> None:
    tables = "p : persons[id : 𝕊 | v : 𝔻𝔽[a : 𝔻]], q : persons[id : 𝕊 | w : 𝔻𝔽[b : 𝔻]]"
    typed = parse(f"pλ . {tables} ⇒ gauss[1, 0.5] <p, q> {{ real (rows p) + real (rows q) }}", "zcdp").typed
    assert typed is not None
    found = replay(subject_of(typed, {}), 60, 0)
    assert not found.violations
    # Two steps of a Gaussian of ρ = 1/2 are ρ = 2, which somebody with rows in both attains.
    assert {"rho": 2.0} in found.claims.values()
    assert found.share == pytest.approx(1.0)
    assert found.worst is not None
    old, new = (
        {row[0] for name in ("p", "q") for row in inputs[name]} for inputs in (found.worst.left, found.worst.right)
    )
    assert len(old ^ new) == 1


def test_the_rows_of_one_person_on_a_roster_become_others() -> None:
    people = PEOPLE.format("𝕊 in roster")
    typed = parse(f"pλ . roster : ℘(𝕊), {people} ⇒ laplace[1, 1.0] <people> {{ {SOME} }}", "eps").typed
    assert typed is not None
    (case, *_) = cases(subject_of(typed, {"|roster|": 4}), random.Random(1), 1)
    assert case.values["roster"] == [f"person {number:03}" for number in range(4)]
    persons = persons_of(case.types["people"])
    assert persons is not None
    drawer, moved = case.drawer(random.Random(2)), 0
    for _ in range(100):
        left = case.draw(drawer)
        right = drawer.neighbour(case.types, left, ("people",))
        if right is None:
            continue
        assert [row[0] for row in left["people"]] == [row[0] for row in right["people"]] == case.values["roster"]
        moved += sum(one != another for one, another in zip(left["people"], right["people"], strict=True))
        before, after = (held(lines_of(persons, inputs["people"])) for inputs in (left, right))
        assert sum(before.get(who) != after.get(who) for who in case.values["roster"]) <= 1
    assert moved > 40


SOME = "real (rows (mfilter people { p ⇒ 1 < rows p.visits }))"
OF_STRANGERS = "whoever is not on the roster is the last one on it"


def test_the_audit_finds_who_is_not_on_a_roster() -> None:
    (mutant,) = (each for each in OF_ROSTERS if each.name == OF_STRANGERS)
    text = f"pλ . roster : ℘(𝕊), {PEOPLE.format('𝕊 in roster')} ⇒ laplace[auto, 1.0] <people> {{ {SUM} }}"
    assert not parse(text, "eps").audit(trials=60).violations
    with planted(mutant):
        assert parse(text, "eps").audit(trials=200).violations


SUM = "mfold-row 0.0, people { s, p ⇒ s + clip[0.0, 5.0] (mfold-row 0.0, p.visits { t, v ⇒ t + conv v.cost }) }"


def held(files: dict[str, list[dict[str, Any]]]) -> dict[Any, list[str]]:
    """What stands in the lines of each person."""
    found: dict[Any, list[str]] = {}
    for name, lines in files.items():
        for line in lines:
            found.setdefault(line["patient"], []).append(f"{name} {line}")
    return {who: sorted(lines) for who, lines in found.items()}


SEEN = ("the rows of a person stand as in the file", "a fold begins with the last row of the person before")


@pytest.mark.parametrize("mutant", [mutant for mutant in OF_PERSONS if mutant.name in SEEN], ids=lambda each: each.name)
def test_the_audit_finds_what_is_wrong_with_persons(mutant: Mutant) -> None:
    assert not parse(TURNS, "eps").audit(trials=60).violations
    with planted(mutant):
        assert parse(TURNS, "eps").audit(trials=200).violations


@pytest.mark.parametrize(
    "program",
    [
        f"pλ . {PEOPLE.format('𝕊')} ⇒ keys[1, 1.0, 1e-3] (flat[3] people {{ p ⇒ p.visits }}) {{ v ⇒ v.date }}",
        "pλ . xs : 𝕄 [L∞, U | 4, a : 𝐝 ℕ ∷ []] ⇒ key-counts[1, 1.0, 1e-3] (mfilter xs { r ⇒ true }) { r ⇒ r.a }",
    ],
    ids=["rows of one person", "a replaced row"],
)
def test_keys_move_by_as_many_rows_as_a_step_of_their_table(program: str) -> None:
    typed = parse(program, "ed").typed
    assert typed is not None
    found = replay(subject_of(typed, {}), 24, 0)
    assert not found.violations
    assert list(found.furthest.values()) == [1.0]
