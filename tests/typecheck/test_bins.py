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
        ("★", "L1", "1, 4", "i, j", "disc j ≡ r.b", "1"),
        ("★", "L1", "1, 4", "i, j", "disc j ≡ disc j", "4"),
        ("★", "L1", "1, 4", "i, j", "r.b + disc j ≡ disc j", "4"),
        ("★", "L1", "1, 4", "i, j", "let k = disc j in k ≡ r.b", "1"),
        ("★", "L1", "1, 4", "i, j", "let k = disc j in disc j ≡ k", "4"),
        ("★", "L1", "1, 4", "i, j", "let k = r.b in disc j ≡ k", "1"),
        ("★", "L1", "1, 4", "i, r", "r.b ≡ disc i", "4"),
        ("★", "L1", "1, 4", "i, j", "true", "4"),
        ("★", "L1", "1, 4", "i, j", "if r.a < 1 then r.b ≡ disc j else true", "4"),
    ],
)
def test_a_row_moves_the_entries_in_which_it_counts(
    rows: str, norm: str, sizes: str, names: str, condition: str, moves: str
) -> None:
    table = f"𝕄 [L∞, U | {rows}, a : 𝐝 ℕ ∷ b : 𝐝 ℕ ∷ []]"
    counts = f"mcreate[{norm} | {sizes}] {{ {names} ⇒ rows (mfilter xs {{ r ⇒ {condition} }}) }}"
    checked = duetpy.parse(f"sλ {'m : ℕ ' if rows == 'm' else ''}. xs : {table} ⇒ {counts}").check()
    assert checked.parameters["xs"].sensitivity == moves


@pytest.mark.parametrize(
    ("entry", "moves"),
    [
        ("let t = xs in rows (mfilter t { r ⇒ r.b ≡ disc j })", "1"),
        ("let r = disc j in rows (mfilter xs { r ⇒ r.b ≡ disc j })", "1"),
        ("let r = 2 in rows (mfilter xs { s ⇒ disc j ≡ s.b })", "1"),
        ("real (rows (mfilter xs { r ⇒ disc (real j) ≡ real r.b }))", "1"),
        ("rows (mfilter (mfilter xs { r ⇒ disc j ≤ r.a }) { r ⇒ r.b ≡ disc j })", "4"),
        ("let t = mfilter xs { r ⇒ disc j ≤ r.a } in rows (mfilter t { r ⇒ r.b ≡ disc j })", "4"),
        ("let k = disc j in rows (mfilter xs { r ⇒ disc j ≡ k })", "4"),
        ("cols xs + rows (mfilter xs { r ⇒ r.b ≡ disc j })", "4"),
        ("rows xs", "4"),
        ("count (mmap xs { x ⇒ x ≡ disc j })", "8"),
    ],
)
def test_an_entry_counts_a_row_once_where_the_row_alone_decides_for_which(entry: str, moves: str) -> None:
    text = f"sλ . xs : 𝕄 [L∞, U | ★, a : 𝐝 ℕ ∷ b : 𝐝 ℕ ∷ []] ⇒ mcreate[L1 | 1, 4] {{ i, j ⇒ {entry} }}"
    assert duetpy.parse(text).check().parameters["xs"].sensitivity == moves
