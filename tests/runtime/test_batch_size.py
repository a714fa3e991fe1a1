"""Tables that a body makes for each row are made for so many rows at once as there is room for: the values are the same."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

import duetpy
from duetpy.runtime.evaluation import blocks, row_bodies, tables
from duetpy.runtime.exact.cell_sums import CellSums
from duetpy.runtime.values import batch_size, batching

TABLE = "𝕄 [L∞, U | 4, 1⋅𝔻]"
BODIES = {
    "a table": "(mcreate[L∞ | ℕ[3], ℕ[2]] { i, j ⇒ r#[0, 0] / 3.0 })#[1, 1]",
    "a table of tables": "((mcreate[L∞ | ℕ[2], ℕ[2]] { i, j ⇒ mcreate[L∞ | ℕ[2], ℕ[1]] { k, l ⇒ r#[0, 0] } })#[1, 0])#[0, 0]",
    "a map of a table": "(mmap-row ys { s ⇒ s#[0, 0] + r#[0, 0] / 3.0 })#[2, 0]",
    "a choice of tables made before": "(if r#[0, 0] < 2.0 then ys else zs)#[1, 0]",
    "a side of a sum": (
        "(case (if r#[0, 0] < 2.0 then inl[ℝ] 0.0 else inr[ℝ] 0.0) { inl a ⇒ ys ; inr b ⇒ zs })#[1, 0] + r#[0, 0] / 3.0"
    ),
    "a set of a table": "if ℘{(if r#[0, 0] < 2.0 then ys else zs)} ≡ ℘{zs} then disc 0.1 else r#[0, 0] / 3.0",
    "a table that sees another": (
        "let u = mcreate[L∞ | ℕ[3], ℕ[2]] { i, j ⇒ r#[0, 0] / 3.0 } in (mcreate[L∞ | ℕ[2], ℕ[2]] { i, j ⇒ u#[i, j] })#[1, 1]"
    ),
    "a changed cell": "(ys#[0, 0 ↦ r#[0, 0] / 3.0])#[0, 0]",
    "batches": "(chunks[2, (if r#[0, 0] < 2.0 then ys else zs)])#[1, 0]#[0, 0]",
    "a choice of tables": "if r#[0, 0] < 2.0 then (mcreate[L∞ | ℕ[9], ℕ[1]] { i, j ⇒ r#[0, 0] })#[8, 0] else disc 0.1",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_rows_one_by_one_give_what_rows_together_give(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = "let zs = mmap ys { y ⇒ y + disc 1.0 } in"
    text = f"sλ xs : {TABLE}, ys : {TABLE} ⇒ {made} mmap-row xs {{ r ⇒ {body} }}"
    data = {"xs": [[1.0], [5.0], [0.1], [1e300]], "ys": [[0.0], [1.0], [2.0], [3.0]]}
    together = duetpy.evaluate(text, **data)
    asked: list[tuple[int, int]] = []
    refuse = batch_size.refuse_crowd

    def noted(many: int, cells: int) -> None:
        asked.append((many, cells))
        refuse(many, cells)

    monkeypatch.setattr(batch_size, "MOST_AT_ONCE", 7)
    for user in (batching, tables):
        monkeypatch.setattr(user, "refuse_crowd", noted)
    assert duetpy.evaluate(text, **data) == together
    assert any(many > 1 and cells > 1 for many, cells in asked)


MORE = {
    "a table in a loop": "(loop ℕ[3] on ys { i, a ⇒ a#[0, 0 ↦ a#[0, 0] + r#[0, 0] / 3.0] })#[0, 0]",
    "a choice for each row of a table": "(mmap ys { y ⇒ y + (if r#[0, 0] < 2.0 then ys else zs)#[0, 0] })#[2, 0]",
    "a table that a map of another one sees": (
        "let u = (if r#[0, 0] < 2.0 then ys else zs) in (mmap ys { y ⇒ y / 3.0 + u#[0, 0] })#[1, 0]"
    ),
    "a pair of tables": "let p = (if r#[0, 0] < 2.0 then ⟨ys, r⟩ else ⟨zs, r⟩) in (fst p)#[1, 0] + r#[0, 0] / 3.0",
}
"""Bodies in bodies."""


@pytest.mark.parametrize("body", [*BODIES.values(), *MORE.values()], ids=[*BODIES, *MORE])
@pytest.mark.parametrize("most", [1, 3, 5, 9])
@pytest.mark.sparse(3)
def test_half_of_the_rows_at_a_time_give_what_all_give(body: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    made = "let zs = mmap ys { y ⇒ y + disc 1.0 } in"
    text = f"sλ xs : {TABLE}, ys : {TABLE} ⇒ {made} mmap-row xs {{ r ⇒ {body} }}"
    data = {"xs": [[1.0], [5.0], [0.1], [1e300]], "ys": [[0.0], [1.0], [2.0], [3.0]]}
    together = duetpy.evaluate(text, **data)
    monkeypatch.setattr(batch_size, "MOST_AT_ONCE", most)
    assert duetpy.evaluate(text, **data) == together


def test_rows_that_are_too_many_at_once_are_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not evaluated one by one: that takes a hundred times as long for thousands of rows."""
    asked: list[int] = []
    halves = row_bodies.in_halves

    def noted(machine: Any, node: Any, frame: Any, names: Any, many: int) -> Any:
        asked.append(many)
        return halves(machine, node, frame, names, many)

    monkeypatch.setattr(batch_size, "MOST_AT_ONCE", 8)
    monkeypatch.setattr(row_bodies, "in_halves", noted)
    text = f"sλ xs : 𝕄 [L∞, U | 8, 1⋅𝔻], ys : {TABLE} ⇒ mmap-row xs {{ r ⇒ {BODIES['a changed cell']} }}"
    assert duetpy.evaluate(text, xs=[[3.0 * row] for row in range(8)], ys=[[0.0]] * 4) == [[row] for row in range(8)]
    assert asked == [8, 4, 4]


LARGE = "mcreate[L∞ | ℕ[100000], ℕ[1]] { i, j ⇒ disc 1.0 }"
CHOICES = {
    "a choice": "(if r#[0, 0] < 2.0 then a else b)#[0, 0]",
    "a side of a sum": "(case (if r#[0, 0] < 2.0 then inl[ℝ] 0.0 else inr[ℝ] 0.0) { inl u ⇒ a ; inr v ⇒ b })#[0, 0]",
    "a table that sees another": (
        "let u = mcreate[L∞ | ℕ[1000], ℕ[1]] { i, j ⇒ r#[0, 0] } in (mcreate[L∞ | ℕ[1000], ℕ[1]] { i, j ⇒ u#[i, 0] })#[0, 0]"
    ),
}


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(batch_size, "MOST_AT_ONCE", 1 << 20)
    return 1 << 20


@pytest.mark.parametrize("body", CHOICES.values(), ids=CHOICES)
@pytest.mark.sparse(3)
def test_no_number_of_rows_decides_whether_copies_of_a_table_fit(body: str, little_room: int) -> None:
    """64 rows hold no more at once than one does, in addition to what all of them may hold together."""
    text = f"sλ xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ let a = {LARGE} in let b = {LARGE} in mmap-row xs {{ r ⇒ {body} }}"
    peaks = []
    for rows in (1, 64):
        tracemalloc.start()
        duetpy.evaluate(text, xs=[[float(row % 4)] for row in range(rows)])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] <= peaks[0] + 8 * 6 * little_room


def test_no_number_of_rows_decides_whether_what_a_fold_computes_for_each_fits(little_room: int) -> None:
    body = "let u = mcreate[L∞ | ℕ[100000], ℕ[1]] { i, j ⇒ r#[0, 0] } in if s < 1.0 then u#[0, 0] + s else u#[1, 0] - s"
    text = f"sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ mfold-row (disc 0.0), xs {{ s, r ⇒ {body} }}"
    peaks, found = [], []
    for rows in (2, 64):
        tracemalloc.start()
        found.append(duetpy.evaluate(text, xs=[[1.0]] * rows))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert found == [0.0, 0.0]
    assert peaks[1] <= peaks[0] + 8 * 6 * little_room


def test_a_sum_of_large_tables_goes_over_few_rows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "mmap s, (mmap r { c ⇒ clip[0.0, 1.0] c }) { x, y ⇒ x + y }"
    start = "(mcreate[L1 | ℕ[1], ℕ[1]] { i, j ⇒ 0.0 })"
    text = f"sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ mfold-row {start}, xs {{ s, r ⇒ {body} }}"
    rows = [[0.25 * (row % 4)] for row in range(40)]
    together = duetpy.evaluate(text, xs=rows)
    monkeypatch.setattr(batch_size, "MOST_AT_ONCE", 7)
    seen: list[int] = []
    absorb = blocks.MatrixSum.absorb

    def noted(self: blocks.MatrixSum, total: CellSums, block: blocks.Block) -> CellSums:
        seen.append(block.rows)
        return absorb(self, total, block)

    monkeypatch.setattr(blocks.MatrixSum, "absorb", noted)
    assert duetpy.evaluate(text, xs=rows) == together
    assert max(seen) == 7
    assert sum(seen) == 40


CHANGED = {
    "a number": "xs#[2, 0 ↦ z]",
    "a number in one row of another": "(mmap xs { x ⇒ (ys#[1, 0 ↦ x])#[1, 0] })",
    "a number at a place that data chooses": "xs#[if z < 1.0 then 0 else 2, 0 ↦ z]",
    "a text": '(mmap xs { x ⇒ "a" })#[2, 0 ↦ "b"]',
    "a pair": "(mmap xs { x ⇒ ⟨x, x⟩ })#[2, 0 ↦ ⟨z, z⟩]",
}


@pytest.mark.parametrize("changed", CHANGED.values(), ids=CHANGED)
@pytest.mark.parametrize("most", [1, 3])
def test_a_cell_is_changed_in_a_table_of_more_rows_than_lanes_may_have(
    changed: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"sλ z : 𝔻, xs : {TABLE}, ys : {TABLE} ⇒ {changed}"
    data = {"z": 5.0, "xs": [[1.0], [5.0], [0.1], [1e300]], "ys": [[0.0], [1.0], [2.0], [3.0]]}
    wanted = duetpy.evaluate(text, **data)
    monkeypatch.setattr(batch_size, "MOST_AT_ONCE", most)
    assert duetpy.evaluate(text, **data) == wanted


def test_no_row_decides_whether_a_cell_of_a_large_table_is_changed() -> None:
    text = (
        "pλ ε : ℝ⁺ . z : 𝔻, ε : ℝ⁺[ε] ⇒ laplace[auto, ε] <z> { clip[0.0, 1.0] (if z < 1.0 then disc 0.0 else "
        "((mcreate[L∞ | ℕ[60000], ℕ[1]] { i, j ⇒ z })#[ℕ[3], ℕ[0] ↦ disc 2.0])#[5, 0]) }"
    )
    checked = duetpy.parse(text, name="text").check()
    for z in (0.0, 5.0):
        checked.run(z=z, ε=1.0, _memory="4MB")
