"""Tables that a body makes for each row are made for so many rows at once as there is room for: the values are the same."""

from __future__ import annotations

import pytest

import duetpy
from duetpy.interp import tables

TABLE = "𝕄 [L∞, U | 4, 1⋅𝔻]"
BODIES = {
    "a table": "(mcreate[L∞ | ℕ[3], ℕ[2]] { i, j ⇒ r#[0, 0] / 3.0 })#[1, 1]",
    "a table of tables": "((mcreate[L∞ | ℕ[2], ℕ[2]] { i, j ⇒ mcreate[L∞ | ℕ[2], ℕ[1]] { k, l ⇒ r#[0, 0] } })#[1, 0])#[0, 0]",
    "a map of a table": "(mmap-row ys { s ⇒ s#[0, 0] + r#[0, 0] / 3.0 })#[2, 0]",
    "a choice of tables": "if r#[0, 0] < 2.0 then (mcreate[L∞ | ℕ[9], ℕ[1]] { i, j ⇒ r#[0, 0] })#[8, 0] else disc 0.1",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_rows_one_by_one_give_what_rows_together_give(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"sλ xs : {TABLE}, ys : {TABLE} ⇒ mmap-row xs {{ r ⇒ {body} }}"
    data = {"xs": [[1.0], [5.0], [0.1], [1e300]], "ys": [[0.0], [1.0], [2.0], [3.0]]}
    together = duetpy.evaluate(text, **data)
    asked: list[tuple[int, int]] = []
    refuse = tables.refuse_crowd

    def noted(lanes: int, cells: int) -> None:
        asked.append((lanes, cells))
        refuse(lanes, cells)

    monkeypatch.setattr(tables, "MOST_AT_ONCE", 1)
    monkeypatch.setattr(tables, "refuse_crowd", noted)
    assert duetpy.evaluate(text, **data) == together
    assert any(lanes > 1 and cells > 1 for lanes, cells in asked)
