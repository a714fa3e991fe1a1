"""The first and the last row, the most frequent value, the different rows, and all pairs of rows with one key."""

from __future__ import annotations

from typing import Any

import pytest

from duetpy.runtime.release.noiseless import evaluate

BIG = 2**53


def picked(form: str, columns: str, rows: list[dict[str, Any]]) -> Any:
    return evaluate(f"sλ xs : 𝔻𝔽[{columns}] ⇒ {form}", xs=rows)


ROWS = [{"a": "b", "n": 2}, {"a": "a", "n": 3}, {"a": "a", "n": 1}, {"a": "b", "n": 2}]


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        ('case first xs { some x ⇒ ⟨x.a, x.n⟩ ; none ⇒ ⟨"", disc 0⟩ }', ("a", 1)),
        ('case last xs { some x ⇒ ⟨x.a, x.n⟩ ; none ⇒ ⟨"", disc 0⟩ }', ("b", 2)),
        # The chosen columns say what decides.
        ('case last xs.[n, a] { some x ⇒ ⟨x.a, x.n⟩ ; none ⇒ ⟨"", disc 0⟩ }', ("a", 3)),
        # Of two that are as frequent the least.
        ("mode xs.[a]", "a"),
        ("mode xs.[n]", 2),
        ("mode (mfilter xs { x ⇒ x.n < 0 }).[n]", None),
        ("is-missing (mode (mfilter xs { x ⇒ x.n < 0 }).[a])", True),
        ('case first (mfilter xs { x ⇒ x.n < 0 }) { some x ⇒ x.a ; none ⇒ "no row" }', "no row"),
        ("elements xs.[a]", {"a", "b"}),
        ("elements (mfilter xs { x ⇒ x.n < 0 }).[n]", set()),
        ("rows (distinct xs)", 3),
        ("rows (distinct xs.[a])", 2),
        ("rows (distinct (mfilter xs { x ⇒ x.n < 0 }))", 0),
        ("distinct xs.[a]", [["b"], ["a"]]),
    ],
)
def test_rows_are_picked_by_what_is_in_them(form: str, wanted: Any) -> None:
    assert picked(form, "a : 𝕊, n : 𝐝 ℕ", ROWS) == wanted


def test_what_is_missing_comes_first_and_does_not_count() -> None:
    rows = [{"y": None}, {"y": 4.0}, {"y": None}, {"y": -1.0}]
    assert picked("case first xs { some x ⇒ is-missing x.y ; none ⇒ false }", "y : 𝔻?", rows) is True
    assert picked("case last xs { some x ⇒ x.y or-else 9 ; none ⇒ disc 7.0 }", "y : 𝔻?", rows) == 4
    assert picked("mode xs", "y : 𝔻?", rows) == -1
    assert picked("rows (distinct xs)", "y : 𝔻?", rows) == 3
    assert picked("elements xs", "y : 𝔻?", rows) == {-1, 4}
    assert picked("mode (mfilter xs { x ⇒ is-missing x.y })", "y : 𝔻?", rows) is None


def test_large_numbers_are_told_apart() -> None:
    rows = [{"n": BIG - 1}, {"n": BIG - 2}, {"n": BIG - 1}]
    next_ones = "bmap xs { x ⇒ x.n + 2 }"
    assert picked(f"rows (distinct ({next_ones}))", "n : ℕ", rows) == 2
    assert picked(f"mode ({next_ones})", "n : ℕ", rows) == BIG + 1
    assert picked(f"case first ({next_ones}) {{ some x ⇒ x#[0, 0] ; none ⇒ disc 0 }}", "n : ℕ", rows) == BIG


def test_a_number_of_the_program_is_the_same_in_the_data() -> None:
    rows = [{"x": 0.3}, {"x": 0.4}]
    changed = "bmap xs { x ⇒ if x.x < 0.35 then x.x else disc 0.3 }"
    assert picked(f"rows (distinct ({changed}))", "x : 𝔻", rows) == 1


def test_the_order_of_the_rows_decides_nothing() -> None:
    for form in ("mode xs.[a]", 'case first xs { some x ⇒ x.a ; none ⇒ "" }', "rows (distinct xs)"):
        assert picked(form, "a : 𝕊, n : 𝐝 ℕ", ROWS) == picked(form, "a : 𝕊, n : 𝐝 ℕ", ROWS[::-1])


def test_all_pairs_come_in_the_order_of_both_files() -> None:
    pairs = (
        "sλ people : persons[who : 𝕊 | a : 𝔻𝔽[k : 𝕊?, x : 𝔻], b : 𝔻𝔽[z : 𝔻, k : 𝕊?]] ⇒ bmap people { p ⇒ "
        "mfold-row (disc 0.0), joinDF[9]⧼k⧽[p.a, p.b] { t, both ⇒ t ⋅ 100 + both.x ⋅ 10 + both.z } }"
    )
    people = {
        "a": [{"who": "u", "k": "m", "x": 2}, {"who": "u", "k": "l", "x": 1}, {"who": "v", "k": None, "x": 3}],
        "b": [
            {"who": "u", "z": 5, "k": "m"},
            {"who": "u", "z": 4, "k": "m"},
            {"who": "u", "z": 6, "k": "l"},
            {"who": "v", "z": 7, "k": None},
        ],
    }
    # (l, 1, 6), (m, 2, 4), (m, 2, 5); what is missing has no partner.
    assert evaluate(pairs, people=people) == [[162425], [0]]


def test_public_tables_are_joined() -> None:
    text = "sλ . xs : bag ℕ ⇒ rows (joinDF[9]⧼k⧽[TABLE, TABLE])"
    table = "addColDF⧼k⧽ (mcreate[L∞ | ℕ[3], ℕ[1]] { i, j ⇒ disc (dyn i) % 2 })"
    assert evaluate(text.replace("TABLE", table), xs=[]) == 5
