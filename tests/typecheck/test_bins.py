"""Counts by bins are charged for the entries in which a row counts, as the page of mcreate says."""

import pytest

import duetpy

BOTH = "r.a ≡ disc i ∧ r.b ≡ disc j"


@pytest.mark.parametrize(
    ("rows", "norm", "sizes", "names", "condition", "moves"),
    [
        ("★", "L1", "3, 4", "i, j", BOTH, "1"),
        ("★", "L2", "3, 4", "i, j", BOTH, "1"),
        ("m", "L1", "3, 4", "i, j", BOTH, "2"),
        ("m", "L2", "3, 4", "i, j", BOTH, "2"),
        ("m", "L2", "1, 4", "i, j", BOTH, "√2"),
        ("★", "L1", "3, 4", "i, j", "r.a + disc j ≡ disc i ∧ r.b ≡ disc j", "1"),
        ("★", "L1", "3, 4", "i, j", "r.a ≡ disc i ∧ r.b + disc i ≡ disc j", "1"),
        ("★", "L1", "3, 4", "i, j", "r.a + disc i ≡ disc j ∧ r.b + disc j ≡ disc i", "3"),
        ("★", "L1", "3, 4", "i, j", "r.b ≡ disc j", "3"),
        ("★", "L1", "3, 4", "i, j", "r.a ≡ disc i", "12"),
        ("★", "L1", "3, 4", "i, j", "r.a ≡ disc i ∨ r.b ≡ disc j", "12"),
        ("★", "L1", "3, 4", "i, j", "r.a < disc i ∧ r.b ≡ disc j", "3"),
        ("★", "L1", "3, 4", "i, j", "(let i = r.a in r.a ≡ i) ∧ r.b ≡ disc j", "3"),
        ("★", "L1", "3, 4", "j, j", "r.a ≡ disc j ∧ r.b ≡ disc j", "3"),
        ("m", "L1", "3, 4", "i, j", "r.b ≡ disc j", "6"),
    ],
)
def test_a_row_moves_the_entries_in_which_it_counts(
    rows: str, norm: str, sizes: str, names: str, condition: str, moves: str
) -> None:
    table = f"𝕄 [L∞, U | {rows}, a : 𝐝 ℕ ∷ b : 𝐝 ℕ ∷ []]"
    counts = f"mcreate[{norm} | {sizes}] {{ {names} ⇒ rows (mfilter xs {{ r ⇒ {condition} }}) }}"
    checked = duetpy.parse(f"sλ {'m : ℕ ' if rows == 'm' else ''}. xs : {table} ⇒ {counts}").check()
    assert checked.parameters["xs"].sensitivity == moves
