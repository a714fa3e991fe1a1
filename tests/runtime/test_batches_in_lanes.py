"""Batches inside a row body: of tables that differ from row to row, and of tables that do not."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.soundness.evaluated import by_evaluator
from tests.soundness.falsify import by_definition, program
from tests.soundness.plain import Table

ROWS = Table(tuple((Fraction(value),) for value in (1, 5, 7)), 1)
PAIR = Table(((Fraction(2),), (Fraction(3),)), 1)


@pytest.mark.parametrize("kept", ["true", "false"])
@pytest.mark.parametrize("part", "pq")
@pytest.mark.parametrize("tables", ["y, m", "m, y", "m, m", "y, y"])
def test_every_row_has_its_own_batches(tables: str, part: str, kept: str) -> None:
    claim = program(
        "sλ . x : 𝕄 [L∞, U | ★, 1⋅𝔻], y : 𝕄 [L∞, U | 2, 1⋅𝔻] ⇒ mmap mfilter x { r ⇒ " + kept + " } { e ⇒ "
        "clip[0.0, 100.0] (let m = mcreate[L2 | ℕ[2], ℕ[1]] { i, j ⇒ e } in mfold-row disc 0.0, "
        "chunks[ℕ[2], " + tables + "] { a, r ⇒ a + (let ⟨p, q⟩ = r#[0, 0] in " + part + "#[0, 0]) }) }"
    )
    assert by_evaluator(claim)({}, [ROWS, PAIR]) == by_definition(claim)({}, [ROWS, PAIR])
