"""Persons with rows in several inputs, and what they are promised."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy import DuetError
from duetpy.accounting.budget import parse_budget
from duetpy.ledger.store import Ledger, create
from duetpy.report.premises import premises_value
from duetpy.runtime.release.run import run
from duetpy.runtime.sources.column_selection import DataArgument
from duetpy.settings import DataFile

SUM = "laplace[auto, {1}] <{0}> {{ mfold-row 0.0, {0} {{ a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }} }}"
PROMISED = f"""pλ m : ℕ, n : ℕ, k : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ys : 𝕄 [L∞, U | n, 1⋅𝔻 else 0],
  zs : 𝕄 [L∞, U | k, 1⋅𝔻 else 0] ⇒
  a ← {SUM.format("xs", 0.7)} ; b ← {SUM.format("ys", 0.6)} ; c ← {SUM.format("zs", 0.2)} ;
  return (a + b + c) ensures ε ≤ 1.0"""
ROWS = np.ones((3, 1))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three files about different people."""
    monkeypatch.chdir(tmp_path)
    for name in ("x", "y", "z"):
        np.save(tmp_path / f"{name}.npy", ROWS)


def test_a_promise_to_people_with_rows_in_one_input_each_is_kept() -> None:
    release = duetpy.parse(PROMISED, notion="eps").check().run(xs="x.npy", ys="y.npy", zs="z.npy")
    assert release.privacy["total"] == {"notion": "eps", "epsilon": 0.7}


def test_a_promise_is_made_to_people_and_not_to_inputs() -> None:
    """The program keeps it for each input: 0.7 and 0.6. A person with rows in both is charged 1.3."""
    checked = duetpy.parse(PROMISED, notion="eps").check()
    with pytest.raises(DuetError, match=r"is broken: a person in xs and ys costs ε = 1\.3"):
        checked.run(xs="x.npy", ys="x.npy", zs="z.npy", _insecure_noise="none")
    # Both others together keep it: 0.6 + 0.2.
    release = checked.run(xs="x.npy", ys="y.npy", zs="y.npy")
    assert release.privacy["total"]["epsilon"] == 0.8


def test_people_are_those_of_inputs_that_share_through_another() -> None:
    """Neither xs nor ys has rows of the other, and the pair has rows of both."""
    table, total = "𝕄 [L∞, U | {}, 1⋅𝔻 else 0]", "mfold-row 0.0, ({}) {{ a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }}"
    m, n = table.format("m"), table.format("n")
    text = f"""pλ m : ℕ, n : ℕ . p : {m} × {n}, xs : {m}, ys : {n} ⇒
      a ← laplace[auto, 0.5] <p> {{ {total.format("fst p")} }} ;
      b ← {SUM.format("xs", 0.25)} ; c ← {SUM.format("ys", 0.125)} ; return (a + b + c)"""
    checked = duetpy.parse(text, notion="eps").check()
    release = checked.run(p=("x.npy", "y.npy"), xs="x.npy", ys="y.npy", m=3, n=3)
    assert release.privacy["total"]["epsilon"] == 0.875
    release = checked.run(p=("x.npy", "y.npy"), xs="z.npy", ys="y.npy", m=3, n=3)
    assert release.privacy["total"]["epsilon"] == 0.625


@pytest.mark.parametrize("rows", ["refuse", "default"])
def test_aligned_tables_have_one_number_of_rows(rows: str) -> None:
    table = "𝕄 [L∞, U | ★, 1⋅𝔻 else 0]"
    text = f"pλ . ⟨xs : {table}, ys : {table}⟩ ⇒ laplace[auto, 1.0] <xs, ys> {{ real (rows xs) + real (rows ys) }}"
    checked = duetpy.parse(text, notion="eps").check()
    assert checked.run(xs=ROWS, ys=ROWS, _insecure_noise="none", _on_bad_row=rows).result == 6.0
    with pytest.raises(DuetError, match="D0612"):
        checked.run(xs=ROWS, ys=ROWS[:2], _insecure_noise="none", _on_bad_row=rows)


def test_a_price_that_no_number_holds_protects_nobody() -> None:
    text = """pλ k : ℕ, ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒
      loop ℕ[k] on 0.0 <x> { i, a ⇒ laplace[1.0, ε] <x> { x } }"""
    checked = duetpy.parse(text, notion="eps").check()
    assert checked.run(x=0.0, k=2, ε=0.5).privacy["total"]["epsilon"] == 1.0
    with pytest.raises(DuetError, match="does not protect x"):
        checked.run(x=0.0, k=10**250, ε=1e100, _insecure_noise="none")


OF_KEYS = """pλ xs : 𝕄 [L∞, U | ★, 1⋅𝕊], keys : ℘(𝕊), static ε : ℝ⁺ ⇒
  parallel[xs, keys] { row ⇒ row#[0, 0] } { key, part ⇒ n ← dlaplace[auto, ε] <part> { rows part } ; return ⟨key, n⟩ }"""
OF_A_TABLE = """pλ n : ℕ . xs : 𝕄 [L∞, U | ★, 1⋅𝕊], keys : 𝕄 [L∞, U | n, 1⋅𝕊], static ε : ℝ⁺ ⇒
  a ← dlaplace[auto, ε] <xs> { rows xs } ; return ⟨a, keys⟩"""
OF_NOTHING = """pλ n : ℕ . xs : 𝕄 [L∞, U | ★, 1⋅𝕊], keys : 𝕄 [L∞, U | n, 1⋅𝕊], static ε : ℝ⁺ ⇒ return keys"""
CELLS = [["a"], ["b"]]


@pytest.mark.parametrize(
    ("text", "xs", "keys", "is_known"),
    [
        (OF_KEYS, "k.csv", DataFile(Path("k.csv")), True),
        (OF_A_TABLE, "k.csv", DataFile(Path("link.csv")), True),
        (OF_A_TABLE, "k.csv", DataFile(Path("copy.csv")), False),
        (OF_KEYS, DataArgument(None, "k.csv", None), DataFile(Path("k.csv")), True),
        (OF_A_TABLE, CELLS, CELLS, True),
        (OF_A_TABLE, CELLS, [["a"], ["b"]], False),
        # Such a run would say that its result depends on no cell of the data.
        (OF_NOTHING, "k.csv", DataFile(Path("link.csv")), True),
        (OF_NOTHING, CELLS, CELLS, True),
    ],
)
def test_what_is_protected_is_not_public_too(
    text: str, xs: object, keys: object, is_known: bool, tmp_path: Path
) -> None:
    """The result shows which keys there are, so no price for the rows of the file would be true."""
    for name in ("k.csv", "copy.csv"):
        Path(name).write_text("a\nb\n", encoding="utf-8")
    Path("link.csv").symlink_to("k.csv")
    typed = duetpy.parse(text, notion="eps").typed
    assert typed is not None
    for rule in ("refuse", "default"):
        ledger = tmp_path / rule
        create(ledger, parse_budget("epsilon=1"), "people")
        arguments: Any = {"on_bad_row": rule, "header": "no", "ledger": ledger}
        if is_known:
            with pytest.raises(DuetError, match="is given as data for xs and as the public value keys"):
                run(typed, {"xs": xs}, {"keys": keys, "ε": 1}, **arguments)
        else:
            run(typed, {"xs": xs}, {"keys": keys, "ε": 1}, **arguments)
        assert len(Ledger(ledger).state().entries) == (0 if is_known else 2)


def test_what_is_protected_and_public_is_called_by_its_name() -> None:
    typed = duetpy.parse(OF_A_TABLE, notion="eps").typed
    assert typed is not None
    with pytest.raises(DuetError, match="standard input is given as data for xs and as the public value keys"):
        run(typed, {"xs": DataArgument(None, "-", None)}, {"keys": DataFile(Path("-")), "ε": 1}, header="no")


@pytest.mark.parametrize(("type_", "one", "another"), [("𝐝 𝔹", True, False), ("𝔻", 1, 2), ("𝕊", "a", "b")])
def test_a_private_value_next_to_an_equal_public_one_is_not_refused(type_: str, one: object, another: object) -> None:
    """Python keeps one object of each, so that a refusal would tell that they are equal."""
    text = (
        f"pλ x : {type_}, p : ℘(𝐝 ℕ) × {type_} ⇒ a ← laplace[1.0, 1.0] <x> {{ if x ≡ x then 0.0 else 1.0 }} ; return p"
    )
    checked = duetpy.parse(text, notion="eps").check()
    for value in (one, another):
        assert checked.run(x=value, p=duetpy.public(([1], one))).result == ([1], one)


@pytest.mark.parametrize(
    ("type_", "private", "public"),
    [
        ("𝔹", (True, False), (True, [1.0])),
        ("𝔻", (1, 2), (1, [1.0])),
        ("℘(𝔻)", ((), (1.0,)), (1, ())),
    ],
)
def test_a_single_value_that_is_public_too_is_nobodys_row(
    type_: str, private: tuple[Any, Any], public: tuple[Any, Any]
) -> None:
    """There is one True, one 1 and one empty tuple, so whether a run is refused would say which one a private value is."""
    text = (
        f"pλ . x : {type_}, p : {'𝔹' if type_ == '𝔹' else '𝔻'} × ℘(𝔻) ⇒ "
        f"u ← laplace[1.0, 1.0] <x> {{ if x ≡ x then 1.0 else 0.0 }} ; return p"
    )
    checked = duetpy.parse(text, notion="eps").check()
    for value in private:
        assert checked.run(x=value, p=public).privacy["total"]["epsilon"] == 1.0


@pytest.mark.parametrize("private", ["k", "other"])
def test_what_is_wrong_with_a_public_text_is_said_whatever_the_private_one_is(private: str) -> None:
    """A short text is one object, too: which refusal comes first would say whether they are equal."""
    text = "pλ x : ℘(𝕊), keys : ℘(𝕊) ⇒ a ← laplace[1.0, 1.0] <x> { if x ≡ x then 0.0 else 1.0 } ; return keys"
    with pytest.raises(DuetError, match=r"keys : ℘\(𝕊\) cannot be this"):
        duetpy.parse(text, notion="eps").check().run(x=private, keys=duetpy.public("k"))


FIXED, FREE = "𝕄 [L∞, U | 3, 1⋅𝔻]", "𝕄 [L∞, U | ★, 1⋅𝔻]"
BOTH = (ROWS, ROWS)


@pytest.mark.parametrize(
    ("type_", "value", "steps"),
    [
        (FREE, ROWS, 1),
        (f"{FREE} × {FREE}", BOTH, 2),
        (f"{FIXED} × {FIXED}", BOTH, 2),
        (f"{FIXED} × {FREE}", BOTH, 3),
        (f"{FREE} & {FREE}", BOTH, 1),
        (f"{FREE} & {FIXED}", BOTH, 2),
        (f"{FREE} & 𝔻", (ROWS, 1.0), 2),
        (f"{FREE} & ({FREE} × {FREE})", (ROWS, BOTH), 2),
        (f"𝔻 + ({FREE} × {FREE})", ("inr", BOTH), 2),
        (f"𝔻 + {FREE}", ("inr", ROWS), 1),
        (f"𝐝 ({FIXED} × {FIXED})", BOTH, 1),
        ("𝔻 × ℝ", (1.0, 1.0), 2),
    ],
)
def test_check_says_of_which_pairs_one_person_may_pay_more(type_: str, value: object, steps: int) -> None:
    """What `check` states is one step, and the run knows how many one change of a person is."""
    checked = duetpy.parse(f"pλ . p : {type_} ⇒ given[1.0] <p> {{ let q = p in 1.0 }}", notion="eps").check()
    assert checked.run(p=value).privacy["total"]["epsilon"] == steps
    said = "a person in several parts of p is protected less than its cost says"
    for premises in (checked.statement.premises, checked.program.compare().premises):
        assert (said in premises) == (steps > 1)
        assert premises_value(premises).get("together", []) == [said] * (steps > 1)


@pytest.mark.parametrize(
    ("type_", "value", "steps"),
    [
        (FIXED, ROWS, 2),
        (FREE, ROWS, 1),
        ("𝔻", 1.0, 1),
        (f"{FREE} × {FIXED}", BOTH, 2),
        (f"𝐝 ({FIXED})", ROWS, 2),
        (f"𝔻 + {FIXED}", ("inr", ROWS), 2),
        (f"𝐝 (𝔻 + {FIXED})", ("inr", ROWS), 1),
    ],
)
def test_check_says_of_a_table_that_costs_nothing_that_its_number_of_rows_is_shown(
    type_: str, value: object, steps: int
) -> None:
    """A person in both is replaced, and so leaves the table that they could only leave or enter."""
    program = f"pλ . xs : {FREE}, ys : {type_} ⇒ given[1.0] <xs> {{ let q = xs in 1.0 }}"
    checked = duetpy.parse(program, notion="eps").check()
    assert checked.run(xs=ROWS, ys=value).privacy["total"]["epsilon"] == steps
    said = "a person with rows in xs who has one in ys too is protected less than the cost of xs says"
    for premises in (checked.statement.premises, checked.program.compare().premises):
        assert list(premises.together) == [said] * (steps > 1)


def test_check_says_that_a_person_may_be_in_a_table_and_a_real_number() -> None:
    program = f"pλ . xs : {FREE}, y : ℝ ⇒ given[1.0] <xs, y> {{ let q = ⟨xs, y⟩ in 1.0 }}"
    checked = duetpy.parse(program, notion="eps").check()
    assert checked.run(xs=ROWS, y=1.0).privacy["total"]["epsilon"] == 3
    said = "a person with rows in both xs and y is protected less than each of these costs says"
    assert list(checked.statement.premises.together) == [said]
    assert list(checked.program.compare().premises.together) == [said]


def test_a_number_of_rows_in_a_pair_that_may_be_the_result_is_not_denied() -> None:
    text = "pλ . p : 𝕄 [L∞, U | 3, 1⋅𝔻] × 𝔻 ⇒ return (rows (fst p))"
    found = duetpy.parse(text, notion="eps").check().run(p=([[1.0], [2.0], [3.0]], 1.0))
    assert found.result == 3
    assert "depends on no cell of the data" in repr(found)
