"""Small matrices in many lanes are the same whether their entries are made one after another or all at once."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from duetpy.runtime.evaluation import entry_by_entry
from duetpy.runtime.release.noiseless import evaluate
from tests.effort import often

ROWS = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, x : 𝔻 ∷ y : 𝔻 ∷ n : 𝐝 ℕ ∷ z : 𝔻? ∷ s : 𝐝 𝕊 ∷ []], zs : 𝕄 [L∞, U | 3, 2⋅𝔻]"
ENTRIES = (
    "row.x / 10.0 - row.y ⋅ disc (real (dyn j))",
    "if row.n % 3 ≡ disc (dyn j) then disc 1.0 else if i < 1 then row.x else disc 0.1",
    "if j < 2 then row.x ⊔ row.y else √ row.x",
    "let sum = row.x + row.y in if sum < disc 0.5 then sum ⋅ sum else (disc 0.0 - sum) / disc 3.0",
    "disc 0.3",
    "row.z or-else (if j < 1 then disc 0.5 else row.x)",
    'if row.s ≡ disc "a" then row.x else row.y / row.x',
)
NATURALS = ("row.n ⋅ disc (dyn j)", "if j < 1 then row.n else row.n % 7", "disc (dyn i) - row.n")
OTHERS = ("row.s", "row.x < disc (real (dyn j))", "row.z", "⟨row.x, row.n⟩")
MAPS = (
    "(row.x - z#[0, 0]) ⋅ (row.y - z#[0, 1])",
    "if row.n < 2 then z#[0, 0] else row.x / z#[0, 1]",
    "disc (mfold-row 0.0, zs { t, w ⇒ t + conv (w#[0, 0] ⋅ row.x) })",
)
ODD = (0.0, -0.0, 0.1, 5e-324, -5e-324, 1e308, -1e308, 1.7976931348623157e308, 3.0, -7.5, 2.0**53)


def people(draw: random.Random, count: int) -> dict[str, list[Any]]:
    def number() -> float:
        return draw.choice(ODD) if draw.random() < 0.5 else draw.uniform(-9, 9)

    return {
        "x": [number() for _ in range(count)],
        "y": [number() for _ in range(count)],
        "n": [draw.choice((0, 1, 2, 5, 2**53 - 1)) for _ in range(count)],
        "z": [draw.choice((None, number())) for _ in range(count)],
        "s": [draw.choice("ab") for _ in range(count)],
    }


def both_ways(monkeypatch: pytest.MonkeyPatch, run: Callable[[], Any]) -> tuple[str, str, int]:
    """What comes out of a run that makes no matrix entry by entry, and of one that tries; and how many that made."""
    made: list[object] = []

    def counting(*given: Any) -> Any:
        found = original(*given)
        made.extend([] if found is None else [found])
        return found

    original = entry_by_entry._made
    monkeypatch.setattr(entry_by_entry, "_made", counting)
    monkeypatch.setattr(entry_by_entry, "LANES_AN_ENTRY", 10**9)
    together = repr(run())
    assert not made
    monkeypatch.setattr(entry_by_entry, "LANES_AN_ENTRY", 0)
    return together, repr(run()), len(made)


@pytest.mark.parametrize("body", [*ENTRIES, *NATURALS, *OTHERS])
def test_matrices_of_entries(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(body)
    for _ in range(often(8, 2)):
        shape = f"ℕ[{draw.randint(1, 3)}], ℕ[{draw.randint(1, 4)}]"
        at = "#[0, 0]" if draw.random() < 0.3 else ""
        text = f"{ROWS} ⇒ bmap xs {{ row ⇒ (mcreate[L∞ | {shape}] {{ i, j ⇒ {body} }}){at} }}"
        values = {"xs": people(draw, draw.choice((1, 3, 40))), "zs": np.zeros((3, 2))}
        together, one_by_one, made = both_ways(monkeypatch, lambda text=text, values=values: evaluate(text, **values))
        assert together == one_by_one
        assert bool(made) == (body not in OTHERS)


@pytest.mark.parametrize("body", MAPS)
def test_maps_over_a_table_that_all_rows_share(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(body)
    for _ in range(often(8, 2)):
        zs = np.array([[draw.choice(ODD), draw.uniform(-2, 2)] for _ in range(3)])
        text = f"{ROWS} ⇒ bmap xs {{ row ⇒ mmap-row zs {{ z ⇒ {body} }} }}"
        values = {"xs": people(draw, draw.choice((1, 3, 40))), "zs": zs}
        together, one_by_one, made = both_ways(monkeypatch, lambda text=text, values=values: evaluate(text, **values))
        assert together == one_by_one
        assert made
