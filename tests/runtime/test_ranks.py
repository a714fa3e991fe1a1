"""Sums that see of a row only on which side of a number a cell is: the same numbers as when all terms are added."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

import duetpy
from duetpy.runtime.evaluation import ranks, tables
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.values.values import MatrixValue
from duetpy.typecheck import core
from tests.effort import often

CELLS = [0.0, -0.0, 5e-324, -5e-324, 0.1, 0.3, 0.1 + 0.2, 1.0, 2.5, -1.0, 1e308, -1e308, 1e-300, 3.0]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each sum whether it was taken apart; those that were are added up as well, and compared."""
    found: list[bool] = []
    counted = ranks.total

    def both(machine: Machine, node: core.RowFold, frame: Frame, source: MatrixValue) -> Fraction | None:
        known = counted(machine, node, frame, source)
        found.append(known is not None)
        if known is not None:
            assert known == tables.Sweep(machine, node, frame, source).total()
        return known

    monkeypatch.setattr(tables.ranks, "total", both)
    return found


def run(body: str, rows: list[Any], parameter: str = "xs : bag 𝔻") -> Any:
    text = f'import "std:stats"; pλ {parameter}, static ε : ℝ⁺ ⇒ {body}'
    return duetpy.parse(text, name="p.eps.duet").check().run(xs=rows, ε=1.0, _insecure_noise=1).result


@pytest.mark.parametrize("seed", range(often(20, 3)))
def test_a_quantile_has_the_scores_that_all_its_rows_add_up_to(seed: int, seen: list[bool]) -> None:
    random = Random(seed)
    rows = [[random.choice([*CELLS, random.uniform(-3, 3)])] for _ in range(random.randrange(1, 60))]
    run("noisy-quantile@[ . xs, 9, 1, -1.0, 0.1, 40, ε]", rows)
    run("noisy-quantile@[ . xs, 0.1, 0.7, 0.0, 1e307, 12, ε]", rows)
    run("noisy-quantile@[ . xs, 1, 3, 0.0, 1e-323, 12, ε]", rows)
    run("noisy-quantiles@[ . xs, 6, -1.0, 0.1, 40, ε]", rows)
    assert seen.count(True) == 40 + 12 + 12 + 6 * 40


def test_columns_of_a_data_frame_too(seen: list[bool]) -> None:
    body = """exponential[1, ε] (mcreate[L∞ | 1, 30] { i, j ⇒ real (dyn j) / 10 }) <xs> { y ⇒
      mfold-row 2.0, xs { sum, row ⇒ sum + clip[-1.0, 1.0] (sign (disc y - row.b)) } }"""
    run(body, [{"a": 1.0, "b": cell} for cell in CELLS], "xs : 𝔻𝔽[a : 𝔻, b : 𝔻]")
    assert seen == [True] * 30


@pytest.mark.parametrize(
    "term",
    [
        "sign (disc y - row.b) ⋅ row.a",
        "sign (disc y - row.b) + sign (disc y - row.b)",
        "sign (row.b - disc y)",
        "sign (disc y - row.b ⋅ 2)",
        "disc y - row.b",
        'sign (disc y - (opaque "math:tanh" : 𝔻 ⊸ 𝔻) row.b)',
        '(opaque "math:tanh" : 𝔻 ⊸ 𝔻) (sign (disc y - row.b))',
        " + ".join(["sign (disc y - row.b)", *["1.0"] * 200]),
        "if row.a < 1.0 then sign (disc y - row.b) else disc 0.0",
    ],
)
def test_what_sees_more_of_a_row_or_is_large_is_added_up(term: str, seen: list[bool]) -> None:
    body = f"""exponential[1, ε] (mcreate[L∞ | 1, 4] {{ i, j ⇒ real (dyn j) }}) <xs> {{ y ⇒
      mfold-row 0.0, xs {{ sum, row ⇒ sum + clip[-1.0, 1.0] ({term}) }} }}"""
    text = f"pλ xs : 𝔻𝔽[a : 𝔻, b : 𝔻], static ε : ℝ⁺ ⇒ {body}"
    rows = [{"a": float(at), "b": cell} for at, cell in enumerate(CELLS)]
    duetpy.parse(text, name="p.eps.duet").check().run(xs=rows, ε=1.0, _trust=["math"])
    assert seen == [False] * 4


def test_the_cells_are_sorted_for_the_second_number(monkeypatch: pytest.MonkeyPatch) -> None:
    sorts: list[int] = []
    sort = ranks.np.sort
    monkeypatch.setattr(ranks.np, "sort", lambda cells, **kwargs: (sorts.append(len(cells)), sort(cells, **kwargs))[1])
    run("noisy-median@[ . xs, 0.0, 0.1, 1, ε]", [[cell] for cell in CELLS])
    assert sorts == []
    run("noisy-median@[ . xs, 0.0, 0.1, 50, ε]", [[cell] for cell in CELLS])
    assert sorts == [len(CELLS)]
