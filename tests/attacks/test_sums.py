"""Sums that move further than their sensitivity (Casacuberta, Shoemate, Vadhan, Wagaman, CCS 2022), and numbers beyond every bound.

The control is numpy: floating-point sums in the order of the rows, integers that wrap, clipping by one multiplication, and
values that survive clipping. Here sums are exact, so a row moves them by what the type says and the order does not matter.
"""

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from duetpy import evaluate
from duetpy.program import parse
from duetpy.runtime.noise.noise_grid import lattice_slack
from duetpy.runtime.release import mechanisms
from tests.effort import often

SUM = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ mfold-row 0.0, xs { t, r ⇒ t + clip[-1.0, 1.0] (r#[0, 0]) }\n"
RELEASED = (
    "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻 else 0] ⇒ laplace[auto, 1.0] <xs> "
    "{ mfold-row 0.0, xs { t, r ⇒ t + clip[-1.0, 1.0] (r#[0, 0]) } }\n"
)
COLUMNS = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, 3⋅𝔻 else 0] ⇒ mgauss[auto, 0.5, 1e-6] <xs> {
  mfold-row (mcreate[L2 | ℕ[1], ℕ[3]] { i, j ⇒ 0.0 }), (mconv (mclip[L2, 1.0] xs)) { t, r ⇒ mmap t, r { a, b ⇒ a + b } } }
"""
LIMITS = {"laplace": Fraction(2), "mgauss": Fraction(2)}
EDGES = [
    0.0,
    1.0,
    -1.0,
    0.1,
    1 / 3,
    2.0**-53,
    2.0**-30,
    1 - 2.0**-53,
    1e-300,
    5e-324,
    1e16,
    -1e16,
    1e308,
    0.5 + 2.0**-31,
    2.0**-31,
]


class Inputs:
    """What noise is added to, as exact numbers."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[list[Fraction]] = []
        self.exponent = 0
        inner = mechanisms._drawn

        def noted(steps: Any, drawn: Any, *rest: Any) -> Any:
            self.seen.append([int(step) * Fraction(2) ** drawn.exponent for step in steps])
            self.exponent = drawn.exponent
            return inner(steps, drawn, *rest)

        monkeypatch.setattr(mechanisms, "_drawn", noted)


def neighbours(dice: random.Random, width: int) -> tuple[list[list[float]], list[list[float]]]:
    rows = [[dice.choice(EDGES) for _ in range(width)] for _ in range(dice.randint(1, 40))]
    changed = [*rows]
    changed[dice.randrange(len(rows))] = [dice.choice(EDGES) for _ in range(width)]
    if dice.random() < 0.5:
        dice.shuffle(changed)
    return rows, changed


def moves(monkeypatch: pytest.MonkeyPatch, seeds: range) -> list[Fraction]:
    """How far the inputs of noise moved, beyond what they may: at most 0.

    A sum of cells is on the lattice. Of clipped rows the sum is rounded to it, for which the noise is larger by `lattice_slack`.
    """
    inputs = Inputs(monkeypatch)
    programs = [(parse(RELEASED, notion="eps").check(), 1), (parse(COLUMNS).check(), 3)]
    beyond = []
    for seed in seeds:
        checked, width = programs[seed % 2]
        for rows in neighbours(random.Random(seed), width):
            checked.run(xs=rows, _insecure_noise=1)
        before, after = inputs.seen[-2:]
        gaps = [abs(a - b) for a, b in zip(before, after, strict=True)]
        longest = 2 + lattice_slack(3, "L2", inputs.exponent)
        beyond.append(gaps[0] - 2 if width == 1 else sum(gap * gap for gap in gaps) - longest * longest)
    return beyond


def test_released_sums_move_no_further_than_their_sensitivity(monkeypatch: pytest.MonkeyPatch) -> None:
    found = moves(monkeypatch, range(often(80, 30)))
    assert max(found) <= 0
    assert max(found[0::2]) == 0


@pytest.mark.slow
def test_many_released_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    assert max(moves(monkeypatch, range(200, 4000))) <= 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_in_floating_point_move_further(dtype: Any) -> None:
    """The control: a cell of 1 becomes 0, and the sum of a column moves by more than 1.

    After 2^k ones the sum stands at a power of two, or one below it. What follows is 5/8 of the unit in the last place above
    that power: it is rounded up there, and below the power, where the unit is half as large, rounded down.
    """
    exponent = 12 if dtype is np.float32 else 18
    unit = np.spacing(dtype(2.0**exponent))
    cells = np.concatenate([np.ones(2**exponent, dtype=dtype), np.full(2**exponent - 100, dtype(0.625) * unit)])
    changed = cells.copy()
    changed[0] = 0
    assert cells.dtype == dtype
    assert np.cumsum(cells)[-1] - np.cumsum(changed)[-1] > 1
    assert np.add.reduce(np.stack([cells, cells], 1), 0)[0] - np.add.reduce(np.stack([changed, changed], 1), 0)[0] > 1
    if dtype is np.float32:
        sums = [evaluate(SUM, xs=column.astype(np.float64).reshape(-1, 1)) for column in (cells, changed)]
        assert sums[0] - sums[1] == 1.0


def test_the_order_of_rows_does_not_matter() -> None:
    assert (1e16 + 1.0) - 1e16 == 0.0
    text = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅ℝ else 0] ⇒ mfold-row 0.0, xs { t, r ⇒ t + r#[0, 0] }\n"
    for rows in ([1e16, 1.0, -1e16], [1.0, 1e16, -1e16], [-1e16, 1e16, 1.0]):
        assert evaluate(text, xs=[[row] for row in rows]) == 1.0
        assert evaluate(SUM, xs=[[row] for row in rows]) == 1.0


def test_integers_of_numpy_wrap() -> None:
    """The control: one cell that is smaller by 1 moves the sum by almost 2⁶⁴."""
    cells = np.array([2**62, 2**62], dtype=np.int64)
    changed = np.array([2**62, 2**62 - 1], dtype=np.int64)
    with np.errstate(over="ignore"):
        assert int(changed.sum()) - int(cells.sum()) == 2**64 - 1


def test_integers_do_not_wrap() -> None:
    text = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅ℕ else 0] ⇒ mfold-row 0, xs { t, r ⇒ t + r#[0, 0] }\n"
    assert evaluate(text, xs=[[2**53 - 1]] * 4096) == 4096 * (2**53 - 1)


def test_clipped_rows_are_no_longer_than_their_bound() -> None:
    """The control clips as numpy users do; the exact norm of about half of the vectors is then beyond the bound."""
    text = "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻 else 0] ⇒ mclip[L2, 1.0] xs\n"
    source = np.random.default_rng(3)
    naive = 0
    for _ in range(60):
        row = source.normal(size=5) * 10
        scaled = row * (1.0 / np.linalg.norm(row))
        naive += sum(Fraction(float(cell)) ** 2 for cell in scaled) > 1
        (clipped,) = evaluate(text, xs=[row.tolist()])
        # What is shown is rounded once, to the nearest double; what noise is added to is tested above, exactly.
        assert sum(Fraction(float(cell)) ** 2 for cell in clipped) <= (1 + Fraction(1, 2**50)) ** 2
    assert naive > 10


HUGE = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -0.0, 2.0**53 + 1, 1e400]


def test_what_is_no_number_survives_clipping_in_numpy() -> None:
    """The control: one record makes the sum of all of them no number, and noise does not hide that."""
    clipped = np.clip(np.array([0.5, math.nan, 0.25]), -1, 1)
    assert math.isnan(clipped.sum() + np.random.default_rng(1).laplace())


def test_no_value_is_outside_every_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell that is not a number is refused or replaced by its column's default, and whatever is left moves little."""
    inputs = Inputs(monkeypatch)
    checked = parse(RELEASED, notion="eps").check()
    checked.run(xs=[[0.5], [0.25]], _insecure_noise=1)
    for value in HUGE:
        checked.run(xs=[[value], [0.25]], _insecure_noise=1, _on_bad_row="default")
        (before,), (after,) = inputs.seen[0], inputs.seen[-1]
        assert abs(before - after) <= 2
