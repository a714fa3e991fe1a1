"""A person's row may be in several parts of what a program is given: all that move when it changes are charged for."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import duetpy
from duetpy import DuetError
from duetpy.accounting.budget import parse_budget
from duetpy.ledger.store import Ledger, create
from duetpy.report.release_text import privacy_text
from duetpy.runtime.release.run_costs import Unit
from tests.effort import often

FIXED, FREE = "𝕄 [L∞, U | 3, 1⋅𝔻]", "𝕄 [L∞, U | ★, 1⋅𝔻]"
SUM = "(mfold-row 0.0, {0} {{ a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }})"
IN_PARTS = (
    "parallel[{0}, ℘{{disc 0.0, disc 1.0}}] {{ r ⇒ r#[0, 0] }} "
    "{{ k, t ⇒ c ← laplace[auto, {1}] <t> {{ real (rows t) }} ; return ⟨k, c⟩ }}"
)
ROWS, OTHERS = "x.npy", "y.npy"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files about different people."""
    monkeypatch.chdir(tmp_path)
    for name in (ROWS, OTHERS):
        np.save(tmp_path / name, np.array([[0.0], [1.0], [1.0]]))


def pair(one: str, other: str, epsilon: float = 1.0) -> str:
    total = f"{SUM.format('a')} + {SUM.format('b')}"
    return f"pλ . p : {one} × {other} ⇒ laplace[auto, {epsilon}] <p> {{ let ⟨a, b⟩ = p in {total} }}"


def new_ledger() -> Path:
    path = Path(f"l{len(list(Path().iterdir()))}")
    create(path, parse_budget("epsilon=10"), "people")
    return path


def charged(text: str, notion: str = "eps", **data: Any) -> Mapping[str, Any]:
    return duetpy.parse(text, notion=notion).check().run(**data).privacy


@pytest.mark.parametrize(("one", "other"), [(FIXED, FIXED), (FREE, FREE)])
def test_a_pair_of_one_table_moves_in_both_parts(one: str, other: str) -> None:
    text = pair(one, other)
    assert charged(text, p=(ROWS, OTHERS))["total"]["epsilon"] == 1.0
    for given in ((ROWS, ROWS), (np.load(ROWS), np.load(OTHERS))):
        found = charged(text, p=given)
        assert found["total"]["epsilon"] == 2.0
        assert found["parameters"][0]["value"]["epsilon"] == 2.0
        assert 1.0 < found["tight"]["epsilon"] <= 2.0


@pytest.mark.parametrize("in_memory", [0, 1])
def test_a_table_in_memory_may_be_of_the_people_of_any_file(in_memory: int) -> None:
    """Whichever is given first."""
    given: list[Any] = [ROWS, OTHERS]
    given[in_memory] = np.load(given[in_memory])
    assert charged(pair(FREE, FREE), p=tuple(given))["total"]["epsilon"] == 2.0
    first, second = (f"laplace[1.0, 0.5] <{name}> {{ {SUM.format(name)} }}" for name in ("xs", "ys"))
    found = charged(f"pλ xs : {FREE}, ys : {FREE} ⇒ a ← {first} ; {second}", xs=given[0], ys=given[1])
    assert found["total"]["epsilon"] == 1.0


def test_parts_are_of_the_same_people_through_another_part() -> None:
    """Nothing shows whose rows the table in memory has: one of them may be in both files."""
    total = " + ".join(SUM.format(name) for name in "abc")
    text = (
        f"pλ . p : {FREE} × ({FREE} × {FREE}) ⇒ laplace[1.0, 1.0] <p> {{ let ⟨a, q⟩ = p in let ⟨b, c⟩ = q in {total} }}"
    )
    assert charged(text, p=(ROWS, (np.load(ROWS), OTHERS)))["total"]["epsilon"] == 3.0
    assert charged(text, p=(ROWS, (OTHERS, OTHERS)))["total"]["epsilon"] == 2.0


def test_a_pair_of_one_table_is_another_input_of_the_same_people() -> None:
    of_table = f", xs : {FIXED} ⇒ b ← laplace[1.0, 0.5] <xs> {{ {SUM.format('xs')} }} ; laplace"
    text = pair(FIXED, FIXED).replace("⇒ laplace", of_table)
    assert charged(text, p=(ROWS, ROWS), xs=OTHERS)["total"]["epsilon"] == 2.0
    assert charged(text, p=(ROWS, OTHERS), xs=OTHERS)["total"]["epsilon"] == 1.5
    assert charged(text, p=(OTHERS, OTHERS), xs=OTHERS)["total"]["epsilon"] == 2.5


@pytest.mark.parametrize(
    ("given", "unit", "epsilon"),
    [
        ((ROWS, OTHERS), "one row of x.npy or y.npy", 1.0),
        ((ROWS, ROWS), "one row of x.npy", 2.0),
        ((ROWS, [[0.0], [1.0], [1.0]]), "one row of x.npy and p", 2.0),
    ],
)
def test_a_change_is_in_all_parts_of_a_pair_or_in_one_of_them(given: object, unit: str, epsilon: float) -> None:
    found = charged(pair(FREE, FREE), p=given)
    assert (found["unit"], found["total"]["epsilon"]) == (unit, epsilon)


def test_a_pair_of_different_people_is_said_to_be_one_next_to_other_inputs() -> None:
    noise = f"laplace[1.0, 1.0] <xs> {{ {SUM.format('xs')} }}"
    text = pair(FIXED, FIXED).replace("⇒ laplace", f", xs : {FIXED} ⇒ a ← {noise} ; laplace")
    said = charged(text, p=(ROWS, OTHERS), xs=ROWS)["unit"]
    assert said == "one row of x.npy or y.npy (p, xs together)"
    said = charged(text, p=(ROWS, OTHERS), xs=np.load(ROWS))["unit"]
    assert said == "one row of x.npy or y.npy, and xs (p, xs together)"
    # Next to each other, both of them may be somebody's: the costs of both are counted.
    text = f"pλ . xs : {FREE}, ys : {FREE}, v : 𝔻 ⇒ " + " ; ".join(
        f"a{name} ← laplace[1.0, 1.0] <{name}> {{ {SUM.format(name)} }}" for name in ("xs", "ys")
    )
    said = charged(f"{text} ; laplace[1.0, 1.0] <v> {{ clip[0.0, 1.0] v }}", xs=ROWS, ys=OTHERS, v=1.0)["unit"]
    assert said == "one row of x.npy and y.npy and v (xs, ys, v together)"
    assert charged(pair(FREE, FREE).replace("×", "&"), p=(ROWS, OTHERS))["unit"] == "one row of x.npy and y.npy"


def test_numbers_in_a_pair_are_one_persons_as_those_of_two_parameters_are() -> None:
    apart = "pλ . x : ℝ, y : ℝ ⇒ laplace[1.0, 1.0] { x + y }"
    both = "pλ . p : ℝ × ℝ ⇒ laplace[1.0, 1.0] <p> { let ⟨x, y⟩ = p in x + y }"
    assert (
        charged(apart, x=1.0, y=2.0)["total"]
        == charged(both, p=(1.0, 2.0))["total"]
        == {"notion": "eps", "epsilon": 2.0}
    )
    static = "pλ . p : ℝ × ℕ[3] ⇒ laplace[1.0, 1.0] <p> { fst p }"
    assert charged(static, p=(1.0, 3))["total"]["epsilon"] == 1.0


def test_a_pair_of_which_the_larger_distance_counts_moves_in_one_step() -> None:
    both = pair(FIXED, FIXED).replace("×", "&")
    assert (
        charged(both, p=(ROWS, ROWS))["total"]["epsilon"] == charged(both, p=(ROWS, OTHERS))["total"]["epsilon"] == 1.0
    )
    mixed = pair(FIXED, FREE).replace("×", "&")
    assert charged(mixed, p=(ROWS, OTHERS))["total"]["epsilon"] == 1.0
    assert charged(mixed, p=(ROWS, ROWS))["total"]["epsilon"] == 2.0
    inside = (
        f"pλ . p : ({FIXED} × {FIXED}) & {FIXED} ⇒ laplace[auto, 1.0] <p> {{ let ⟨q, c⟩ = p in {SUM.format('c')} }}"
    )
    assert charged(inside, p=((ROWS, ROWS), OTHERS))["total"]["epsilon"] == 2.0
    assert charged(inside, p=((ROWS, OTHERS), OTHERS))["total"]["epsilon"] == 1.0


def test_one_discrete_value_is_one_step_whatever_is_in_it() -> None:
    text = "pλ . p : 𝐝 (𝔻 × 𝔻) ⇒ laplace[1.0, 1.0] <p> { if p ≡ disc ⟨disc 0.0, disc 1.0⟩ then 1.0 else 0.0 }"
    assert charged(text, p=(0.0, 1.0))["total"]["epsilon"] == 1.0


def test_a_replaced_row_leaves_a_table_of_unknown_size_and_enters_it() -> None:
    text = (
        f"pλ . xs : {FIXED}, ys : {FREE} ⇒ a ← laplace[auto, 1.0] <xs> {{ {SUM.format('xs')} }} ; "
        f"b ← {IN_PARTS.format('ys', 1.0)} ; return ⟨a, b⟩"
    )
    apart = charged(text, xs=ROWS, ys=OTHERS)
    assert (apart["total"]["epsilon"], apart["neighbours"]) == (1.0, "mixed")
    found = charged(text, xs=ROWS, ys=ROWS)
    assert (found["total"]["epsilon"], found["neighbours"]) == (3.0, "replace-one")
    assert [each["value"]["epsilon"] for each in found["parameters"]] == [1.0, 2.0]


@pytest.mark.parametrize(
    ("type_", "shown", "wrapped"),
    [
        (FIXED, "rows xs", lambda table: table),
        (FIXED, "1", lambda table: table),
        (f"𝐝 ({FIXED})", "1", lambda table: table),
        (f"box[] ({FIXED})", "rows (unbox xs)", lambda table: table),
        (f"{FIXED} × 𝔻", "rows (fst xs)", lambda table: (table, 0.0)),
        (f"𝔻 + {FIXED}", "1", lambda table: ("inr", table)),
    ],
)
def test_a_number_of_rows_is_fixed_whatever_its_table_costs(
    type_: str, shown: str, wrapped: Callable[[str], object]
) -> None:
    """It is shown, so no row of its file was added or removed. The counts of both parts change when one is replaced."""
    text = f"pλ . xs : {type_}, ys : {FREE} ⇒ a ← {IN_PARTS.format('ys', 1.0)} ; return ⟨a, real ({shown})⟩"
    checked = duetpy.parse(text, notion="eps").check()
    for people, epsilon, neighbours in ((OTHERS, 1.0, "add-remove"), (ROWS, 2.0, "replace-one")):
        given = wrapped(people)
        found = checked.run(xs=given, ys=ROWS)
        assert (found.privacy["total"]["epsilon"], found.privacy["neighbours"]) == (epsilon, neighbours)
        assert found.paid[0].neighbours == neighbours
        # Of no other people in a ledger either: the next run may swap the files.
        with_ledger = checked.run(xs=given, ys=ROWS, _ledger=new_ledger())
        assert Ledger(Path(with_ledger.ledger["path"])).state().neighbours.startswith("mixed: rows: add-remove, ")


def test_the_size_of_a_roster_reveals_no_row() -> None:
    Path("v.csv").write_text("id,a\nann,1\nbob,2\n", encoding="utf-8")
    ledger = new_ledger()
    roster = duetpy.parse(
        "pλ . ids : ℘(𝕊), rs : persons[id : 𝕊 in ids | v : 𝔻𝔽[a : 𝔻]] ⇒ return real (rows rs)", notion="eps"
    )
    assert roster.check().run(ids=["ann", "bob"], v="v.csv", _ledger=ledger).result == 2.0
    counts = duetpy.parse(f"pλ . ys : {FREE} ⇒ {IN_PARTS.format('ys', 1.0)}", notion="eps")
    counts.check().run(ys=ROWS, _ledger=ledger)
    assert Ledger(ledger).state().neighbours == "add-remove"


def test_a_discrete_table_has_a_fixed_number_of_rows_too() -> None:
    discrete = f"𝐝 ({FIXED})"
    text = (
        f"pλ . xs : {discrete}, ys : {FREE} ⇒ a ← laplace[1.0, 1.0] <xs> {{ if xs ≡ xs then 1.0 else 0.0 }} ; "
        f"b ← {IN_PARTS.format('ys', 1.0)} ; return ⟨a, b⟩"
    )
    assert charged(text, xs=OTHERS, ys=ROWS)["total"]["epsilon"] == 1.0
    assert charged(text, xs=ROWS, ys=ROWS)["total"]["epsilon"] == 3.0


@pytest.mark.parametrize(
    ("type_", "value", "seen", "neighbours"),
    [
        ("𝔻", 1.0, "clip[0.0, 1.0] x", "replace-one"),
        ("𝔹", True, "if x then 1.0 else 0.0", "replace-one"),
        ("℘(𝔻)", [1.0, 2.0], "if disc 1.0 ∈ x then 1.0 else 0.0", "replace-one"),
        ("𝕄 [L∞, U | 1, 1⋅𝔻]", [[1.0]], "clip[0.0, 1.0] (x#[0, 0])", "replace-one"),
        ("ℝ", 1.0, "x", "mixed"),
    ],
)
def test_what_is_a_single_value_is_replaced_too(type_: str, value: object, seen: str, neighbours: str) -> None:
    """Nobody is added to it. Nothing shows whose it is: of the person in it a row of the table may be replaced."""
    text = f"pλ . x : {type_}, ys : {FREE} ⇒ a ← laplace[1.0, 1.0] <x> {{ {seen} }} ; {IN_PARTS.format('ys', 1.0)}"
    found = charged(text, x=value, ys=ROWS)
    assert (found["total"]["epsilon"], found["neighbours"]) == (3.0, neighbours)
    assert [(each["neighbours"], each["value"]["epsilon"]) for each in found["parameters"]] == [
        ("step" if type_ == "ℝ" else "replace-one", 1.0),
        ("replace-one", 2.0),
    ]


def test_a_value_of_which_nothing_is_said_replaces_nobody() -> None:
    found = charged(f"pλ . x : 𝔻, ys : {FREE} ⇒ {IN_PARTS.format('ys', 1.0)}", x=1.0, ys=ROWS)
    assert (found["total"]["epsilon"], found["neighbours"]) == (1.0, "add-remove")


@pytest.mark.parametrize("given", [("inl", [[1.0]]), ("inr", 1.0)])
def test_the_side_of_a_private_sum_decides_no_price(given: object) -> None:
    text = f"pλ . p : 𝐝 (𝕄 [L∞, U | 1, 1⋅𝔻] + 𝔻), ys : {FREE} ⇒ {IN_PARTS.format('ys', 1.0)}"
    assert charged(text, p=given, ys=ROWS)["total"]["epsilon"] == 1.0


@pytest.mark.parametrize(("of", "epsilon"), [("×", 3.0), ("&", 2.0)])
def test_a_single_value_is_replaced_next_to_a_table_in_a_pair(of: str, epsilon: float) -> None:
    text = (
        f"pλ . p : {FREE} {of} 𝔻 ⇒ laplace[auto, 1.0] <p> {{ let ⟨a, x⟩ = p in {SUM.format('a')} + clip[0.0, 1.0] x }}"
    )
    found = charged(text, p=(ROWS, 1.0))
    assert (found["total"]["epsilon"], found["neighbours"]) == (epsilon, "replace-one")


def test_of_a_person_with_a_single_value_all_rows_are_replaced() -> None:
    Path("v.csv").write_text("id,a\nann,1\nbob,2\n", encoding="utf-8")
    text = (
        "pλ . x : 𝔻, rs : persons[id : 𝕊 | v : 𝔻𝔽[a : 𝔻]] ⇒ a ← laplace[1.0, 1.0] <x> { clip[0.0, 1.0] x } ; "
        "laplace[1.0, 1.0] <rs> { real (rows rs) }"
    )
    found = charged(text, x=1.0, v="v.csv")
    assert [(each["neighbours"], each["value"]["epsilon"]) for each in found["parameters"]] == [
        ("replace-one", 1.0),
        ("replace-person", 2.0),
    ]


def test_of_a_table_next_to_persons_one_row_is_protected() -> None:
    """A value from Python may be of somebody in either of the two; "all their rows" is said of the files of persons only."""
    Path("v.csv").write_text("id,a\nann,1\nbob,2\n", encoding="utf-8")
    counts = " ; ".join(f"n{name} ← laplace[1.0, 1.0] <{name}> {{ real (rows {name}) }}" for name in ("rs", "ys"))
    types = f"rs : persons[id : 𝕊 | v : 𝔻𝔽[a : 𝔻]], ys : {FREE}"
    of_a_person = "one `id` with all their rows in v.csv"
    apart = charged(f"pλ . {types} ⇒ {counts} ; return nrs", rs={"v": "v.csv"}, ys=ROWS)
    assert apart["unit"] == f"{of_a_person} or one row of {ROWS}"
    text = f"pλ . {types}, x : 𝔻 ⇒ {counts} ; laplace[1.0, 1.0] <x> {{ clip[0.0, 1.0] x }}"
    found = charged(text, rs={"v": "v.csv"}, ys=ROWS, x=1.0)
    assert found["unit"] == f"{of_a_person}, and one row of {ROWS} and x (rs, ys, x together)"
    assert found["files"] == ["v.csv"]


@pytest.mark.parametrize(("other", "neighbours"), [(ROWS, "replace-one"), (OTHERS, "mixed")])
def test_neighbours_of_a_pair_are_those_of_its_parts(other: str, neighbours: str) -> None:
    text = pair(FREE, FREE).replace("×", "&").replace("p : ", f"xs : {FIXED}, p : ")
    found = charged(
        text.replace("⇒", f"⇒ b ← laplace[1.0, 1.0] <xs> {{ {SUM.format('xs')} }} ;", 1), p=(ROWS, other), xs=ROWS
    )
    assert [each["neighbours"] for each in found["parameters"]] == ["replace-one", neighbours]


def test_a_run_says_of_each_input_how_neighbours_differ_in_it() -> None:
    """ "Mixed neighbours" would leave open what a guarantee is about."""
    text = (
        f"pλ . xs : {FIXED}, ys : {FREE} ⇒ a ← laplace[1.0, 1.0] <xs> {{ {SUM.format('xs')} }} ; "
        f"laplace[1.0, 1.0] <ys> {{ {SUM.format('ys')} }}"
    )
    checked = duetpy.parse(text, notion="eps").check()
    for people, said in ((OTHERS, "xs: replace one row, ys: add or remove one row"), (ROWS, "replace one row")):
        found = checked.run(xs=people, ys=ROWS)
        assert f"(pure; {said})" in privacy_text(found)


@pytest.mark.parametrize("type_", [FIXED, f"𝐝 ({FIXED})", f"box[] ({FIXED})"])
def test_a_fixed_number_of_rows_is_said_to_be_public_whatever_it_is_wrapped_in(type_: str) -> None:
    found = duetpy.parse(f"pλ . xs : {type_} ⇒ return 1.0", notion="eps").check().run(xs=ROWS)
    assert found.data["xs"]["rows"] == 3
    assert "depends on no cell of the data" in repr(found)


def test_aligned_tables_move_together() -> None:
    text = (
        f"pλ . ⟨xs : {FREE}, ys : {FREE}⟩, zs : {FIXED} ⇒ a ← laplace[2.0, 1.0] <xs, ys> {{ {SUM.format('xs')} + "
        f"{SUM.format('ys')} }} ; laplace[1.0, 0.5] <zs> {{ {SUM.format('zs')} }}"
    )
    assert charged(text, xs=ROWS, ys=ROWS, zs=OTHERS)["total"]["epsilon"] == 1.0
    assert charged(text, xs=ROWS, ys=ROWS, zs=ROWS)["total"]["epsilon"] == 2.5


def test_aligned_files_are_of_the_same_people_wherever_else_they_are_read() -> None:
    """A pair of both was charged for one step, and so was a ★ table of one file where a row of the other is replaced."""
    noise = "laplace[auto, 1.0] <{0}> {{ {1} }}"
    total = f"let ⟨a, b⟩ = p in {SUM.format('a')} + {SUM.format('b')}"
    both, of_pair = noise.format("xs", SUM.format("xs")), noise.format("p", total)
    text = f"pλ . ⟨xs : {FIXED}, ys : {FIXED}⟩, p : {FIXED} × {FIXED} ⇒ u ← {both} ; v ← {of_pair} ; return u + v"
    assert charged(text, xs=ROWS, ys=ROWS, p=(ROWS, OTHERS))["total"]["epsilon"] == 2.0
    assert charged(text, xs=ROWS, ys=OTHERS, p=(ROWS, OTHERS))["total"]["epsilon"] == 3.0
    steps = " ; ".join(f"{name}1 ← {noise.format(name, SUM.format(name))}" for name in ("xs", "f", "s"))
    text = f"pλ . ⟨xs : {FREE}, ys : {FREE}⟩, f : {FIXED}, s : {FREE} ⇒ {steps} ; return xs1 + f1 + s1"
    assert charged(text, xs=ROWS, ys=OTHERS, f=ROWS, s=OTHERS)["total"]["epsilon"] == 5.0


def test_a_file_that_is_aligned_with_a_table_in_memory_may_be_of_anybody() -> None:
    """The table may be a copy of any other input, and a person with a row in it has one in the file, wherever that is read."""
    in_memory = np.load(ROWS)
    noise = "laplace[auto, 1.0] <{0}> {{ {1} }}"
    total = f"let ⟨a, b⟩ = p in {SUM.format('a')} + {SUM.format('b')}"
    text = (
        f"pλ . ⟨xs : {FREE}, ys : {FREE}⟩, p : {FREE} × {FREE} ⇒ "
        f"u ← {noise.format('xs', SUM.format('xs'))} ; v ← {noise.format('p', total)} ; return u + v"
    )
    for xs in (OTHERS, in_memory):
        assert charged(text, xs=xs, ys=ROWS, p=(ROWS, OTHERS))["total"]["epsilon"] == 3.0
    text = f"pλ . ⟨xs : {FREE}, ys : {FREE}⟩, f : {FIXED}, s : {FREE} ⇒ {IN_PARTS.format('s', 1.0)}"
    for xs, epsilon in ((OTHERS, 2.0), (in_memory, 2.0), ("z.npy", 1.0)):
        np.save("z.npy", in_memory)
        assert charged(text, xs=xs, ys=ROWS, f=OTHERS, s=ROWS)["total"]["epsilon"] == epsilon


def test_files_are_of_the_same_people_by_way_of_a_third() -> None:
    np.save("z.npy", np.load(ROWS))
    tables = ", ".join(f"⟨x{at} : {FIXED}, y{at} : {FIXED}⟩" for at in range(2))
    steps = " ; ".join(f"u{at} ← laplace[auto, 0.5] <x{at}> {{ {SUM.format(f'x{at}')} }}" for at in range(2))
    text = pair(FIXED, FIXED).replace("p :", f"{tables}, p :").replace("⇒ laplace", f"⇒ {steps} ; laplace")
    found = charged(text, x0=ROWS, y0=OTHERS, x1=OTHERS, y1="z.npy", p=(ROWS, "z.npy"))
    assert found["total"]["epsilon"] == 3.0


@pytest.mark.parametrize(
    ("notion", "key", "expected"), [("zcdp", "rho", 0.5), ("gdp", "mu", 1.0), ("renyi", "epsilon", 2.0)]
)
def test_two_steps_are_priced_as_a_group(notion: str, key: str, expected: float) -> None:
    noise = {"zcdp": "0.125", "gdp": "0.5", "renyi": "4.0, 0.5"}[notion]
    text = pair(FIXED, FIXED).replace("laplace[auto, 1.0]", f"gauss[auto, {noise}]")
    assert charged(text, notion, p=(ROWS, ROWS))["total"][key] == pytest.approx(expected)


def test_a_promise_is_held_to_all_parts_that_a_person_is_in() -> None:
    text = pair(FIXED, FIXED) + " ensures ε ≤ 1.5"
    checked = duetpy.parse(text, notion="eps").check()
    assert checked.run(p=(ROWS, OTHERS)).privacy["total"]["epsilon"] == 1.0
    with pytest.raises(DuetError, match="D0511"):
        checked.run(p=(ROWS, ROWS))


# ---------------------------------------------------------------------------------------------------------------------
# Random programs on two tables, each of which may be in several parts


@frozen
class Input:
    """A parameter: the types of its parts, by which of the tables they are given, and whether they are aligned."""

    types: tuple[str, ...]
    given: tuple[int, ...]
    is_aligned: bool
    epsilon: float


def random_input(draw: random.Random) -> Input:
    number = draw.choice([1, 1, 2, 2])
    is_aligned = number == 2 and draw.random() < 0.3
    types = [draw.choice([FIXED, FREE]) for _ in range(number)]
    if is_aligned:
        types = [types[0]] * 2
    given = [draw.randrange(2) for _ in types]
    return Input(tuple(types), tuple(given), is_aligned, draw.choice([0.25, 0.5, 1.0]))


def written(inputs: Sequence[Input]) -> str:
    """A program that releases something of each input, and returns all of it."""
    parameters, steps = [], []
    for at, each in enumerate(inputs):
        names = [f"x{at}y{part}" for part in range(len(each.types))]
        if len(names) == 1:
            parameters.append(f"{names[0]} : {each.types[0]}")
            noise = f"laplace[auto, {each.epsilon}] <{names[0]}> {{ {SUM.format(names[0])} }}"
            steps.append(IN_PARTS.format(names[0], each.epsilon) if each.types[0] == FREE else noise)
        elif each.is_aligned:
            parameters.append("⟨" + ", ".join(f"{name} : {each.types[0]}" for name in names) + "⟩")
            total = " + ".join(SUM.format(name) for name in names)
            steps.append(f"laplace[auto, {each.epsilon}] <{', '.join(names)}> {{ {total} }}")
        else:
            parameters.append(f"x{at} : {' × '.join(each.types)}")
            total = f"let ⟨a, b⟩ = x{at} in {SUM.format('a')} + {SUM.format('b')}"
            steps.append(f"laplace[auto, {each.epsilon}] <x{at}> {{ {total} }}")
    binds = " ; ".join(f"u{at} ← {step}" for at, step in enumerate(steps))
    released = "u0"
    for at in range(1, len(steps)):
        released = f"⟨{released}, u{at}⟩"
    return f"pλ . {', '.join(parameters)} ⇒ {binds} ; return {released}"


def data_of(inputs: Sequence[Input], tables: Sequence[np.ndarray]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, table in zip((ROWS, OTHERS), tables, strict=True):
        np.save(name, table)
    for at, each in enumerate(inputs):
        parts = [(ROWS, OTHERS)[table] for table in each.given]
        if len(parts) == 1 or each.is_aligned:
            found |= {f"x{at}y{part}": table for part, table in enumerate(parts)}
        else:
            found[f"x{at}"] = tuple(parts)
    return found


def numbers_of(released: Any) -> list[Any]:
    if isinstance(released, tuple) and len(released) == 2:
        return [*numbers_of(released[0]), released[1]]
    return [released]


def lost(inputs: Sequence[Input], before: Any, after: Any) -> float:
    """The privacy loss of Laplace noise on what is released without it: it is that of the ends of its law."""
    total = 0.0
    for each, one, other in zip(inputs, numbers_of(before), numbers_of(after), strict=True):
        scale = 2.0 if each.is_aligned else 1.0
        if isinstance(one, float):
            total += each.epsilon * abs(one - other) / scale
        else:
            counts, others = dict(one), dict(other)
            total += each.epsilon * sum(abs(counts[key] - others[key]) for key in counts)
    return total


def largest_share(seed: int) -> float:
    """What a change of one row loses, over what the run says that it costs."""
    draw = random.Random(seed)
    inputs = [random_input(draw) for _ in range(draw.randint(1, 3))]
    tables = [np.array([[float(draw.randrange(2))] for _ in range(3)]) for _ in range(2)]
    checked = duetpy.parse(written(inputs), notion="eps").check()
    costs = checked.run(**data_of(inputs, tables)).privacy["total"]["epsilon"]
    before = checked.run(**data_of(inputs, tables), _insecure_noise="none").result
    most = 0.0
    # Files that are aligned are of the same people.
    is_one = any(each.is_aligned and len(set(each.given)) > 1 for each in inputs)
    for changed in [{0, 1}] if is_one else [{0}, {1}]:
        kinds = {
            kind for each in inputs for kind, table in zip(each.types, each.given, strict=True) if table in changed
        }
        if not kinds:
            continue
        moved = [table.copy() for table in tables]
        is_replaced = FIXED in kinds or draw.random() < 0.5
        is_one_step = FIXED in kinds or not is_replaced
        for each in changed:
            if is_replaced:
                moved[each][1, 0] = 1.0 - moved[each][1, 0]
            else:
                moved[each] = np.delete(moved[each], 1, axis=0)
        after = checked.run(**data_of(inputs, moved), _insecure_noise="none").result
        most = max(most, lost(inputs, before, after) / costs / (1 if is_one_step else 2))
    return most


@pytest.mark.parametrize("seed", range(often(60, 8)))
def test_a_row_loses_no_more_than_the_run_says(seed: int) -> None:
    assert largest_share(seed) <= 1.0 + 1e-9


def test_a_price_for_one_step_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: charged for one step of each input, some rows lose more than the run says."""
    monkeypatch.setattr(Unit, "steps", 1)
    assert max(largest_share(seed) for seed in range(12)) > 1.5
