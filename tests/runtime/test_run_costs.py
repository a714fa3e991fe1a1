"""Persons with rows in several inputs, and what they are promised."""

from collections import UserDict, UserList, deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy import DuetError

SUM = "laplace[auto, {1}] <{0}> {{ mfold-row 0.0, {0} {{ a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }} }}"
PROMISED = f"""pλ m : ℕ, n : ℕ, k : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0], ys : 𝕄 [L∞, U | n, 1⋅𝔻 else 0],
  zs : 𝕄 [L∞, U | k, 1⋅𝔻 else 0] ⇒
  a ← {SUM.format("xs", 0.7)} ; b ← {SUM.format("ys", 0.6)} ; c ← {SUM.format("zs", 0.2)} ;
  return (a + b + c) ensures ε ≤ 1.0"""
ROWS = np.ones((3, 1))


def test_a_promise_to_people_with_rows_in_one_input_each_is_kept() -> None:
    given = {"xs": ROWS, "ys": np.ones((4, 1)), "zs": np.ones((5, 1))}
    release = duetpy.parse(PROMISED, notion="eps").check().run(**given)
    assert release.privacy["total"] == {"notion": "eps", "epsilon": 0.7}


@pytest.mark.parametrize("others", [ROWS, ROWS[:2]])
def test_a_promise_is_made_to_people_and_not_to_inputs(others: np.ndarray) -> None:
    """The program keeps it for each input: 0.7 and 0.6. A person with rows in both is charged 1.3."""
    checked = duetpy.parse(PROMISED, notion="eps").check()
    with pytest.raises(DuetError, match=r"xs and ys costs ε = 1\.3"):
        checked.run(xs=ROWS, ys=others, zs=np.ones((5, 1)), _insecure_noise="none")
    # Both others together keep it: 0.6 + 0.2.
    release = checked.run(xs=np.ones((4, 1)), ys=ROWS, zs=others)
    assert release.privacy["total"]["epsilon"] == 0.8


class Rows(Sequence[list[float]]):
    """Keeps rows in a way of its own."""

    def __init__(self, rows: list[list[float]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: Any) -> Any:
        return self.rows[at]


@pytest.mark.parametrize("kept", [list, tuple, deque, UserList, Rows, lambda rows: dict(enumerate(rows)).values()])
def test_the_same_rows_are_the_same_people_whatever_keeps_them(kept: Any) -> None:
    rows = [[1.0], [0.5], [0.25]]
    checked = duetpy.parse(PROMISED.replace("ensures ε ≤ 1.0", ""), notion="eps").check()
    for xs, ys in ((kept(rows), rows), (rows[:2], kept(rows)), (kept(rows), kept(rows[1:]))):
        release = checked.run(xs=xs, ys=ys, zs=[[1.0]] * 4)
        assert release.privacy["total"] == {"notion": "eps", "epsilon": 1.3}
    others = kept([[1.0], [0.5]])
    assert checked.run(xs=kept(rows), ys=others, zs=[[1.0]] * 4).privacy["total"]["epsilon"] == 0.7


@pytest.mark.parametrize(
    "row", [list, dict, deque, UserList, UserDict, np.array, lambda cells: memoryview(np.array([5.0, *cells]))[1:]]
)
def test_the_same_row_objects_are_the_same_people(row: Any) -> None:
    cells: list[Any] = [{"x": at} if row in (dict, UserDict) else [at] for at in (1.0, 0.5, 0.25)]
    rows = [row(each) for each in cells]
    checked = duetpy.parse(PROMISED.replace("ensures ε ≤ 1.0", ""), notion="eps").check()
    release = checked.run(xs=rows, ys=[*rows], zs=[[1.0]] * 4, _on_bad_row="default")
    assert release.privacy["total"]["epsilon"] == 1.3


def test_a_list_and_a_table_with_it_as_a_column_are_the_same_people() -> None:
    cells = [1.0, 0.5, 0.25]
    checked = duetpy.parse(PROMISED.replace("ensures ε ≤ 1.0", ""), notion="eps").check()
    for xs, ys in ((cells, {"x": cells}), ({"x": cells}, cells), ({"x": cells}, UserDict(x=cells))):
        assert checked.run(xs=xs, ys=ys, zs=[[1.0]] * 4).privacy["total"]["epsilon"] == 1.3
    assert checked.run(xs=cells, ys=[*cells], zs=[[1.0]] * 4).privacy["total"]["epsilon"] == 0.7


class Copied:
    """Stands for a column of a data frame whose cells are copied whenever they are asked for."""

    def __init__(self) -> None:
        self.index = object()

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
        return np.ones(3)


def test_copies_that_are_gone_are_nobodys_rows() -> None:
    """Of two tables, a copy of each may lie at the same place, one after the other."""
    checked = duetpy.parse(PROMISED, notion="eps").check()
    for _ in range(20):
        release = checked.run(xs=Copied(), ys=Copied(), zs=Copied())
        assert release.privacy["total"] == {"notion": "eps", "epsilon": 0.7}


def test_people_are_those_of_inputs_that_share_through_another() -> None:
    """Neither xs nor ys has rows of the other, and the pair has rows of both."""
    table, total = "𝕄 [L∞, U | {}, 1⋅𝔻 else 0]", "mfold-row 0.0, ({}) {{ a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }}"
    m, n = table.format("m"), table.format("n")
    text = f"""pλ m : ℕ, n : ℕ . p : {m} × {n}, xs : {m}, ys : {n} ⇒
      a ← laplace[auto, 0.5] <p> {{ {total.format("fst p")} }} ;
      b ← {SUM.format("xs", 0.25)} ; c ← {SUM.format("ys", 0.125)} ; return (a + b + c)"""
    other = np.ones((4, 1))
    checked = duetpy.parse(text, notion="eps").check()
    release = checked.run(p=(ROWS, other), xs=ROWS, ys=other, m=3, n=4)
    assert release.privacy["total"]["epsilon"] == 0.875
    release = checked.run(p=(ROWS, other), xs=np.ones((3, 1)), ys=other, m=3, n=4)
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
