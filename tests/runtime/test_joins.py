"""A join is a function of its tables as multisets: the order of the rows on the right chooses no partner."""

import itertools
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

import duetpy
from duetpy import DuetError, evaluate

JOIN = """sλ xs : 𝔻𝔽[a : ℕ], ys : 𝔻𝔽[a : ℕ, b : TYPE] ⇒
  mfold-row 0.0, joinDF₁⧼a⧽[xs, ys] { s, r ⇒ s + clip[0.0, 5.0] (VALUE) }"""


@pytest.mark.parametrize(
    ("type_", "value", "cells", "least"),
    [
        ("𝔻", "r.b", [2.0, 0.5, 5.0], 0.5),
        ("𝔻?", "r.b or-else 3.0", [2.0, None, 5.0], 3),
        ("𝕊", 'if r.b ≡ "B" then disc 1.0 else disc 2.0', ["b", "a", "B"], 1),
        ("𝔹", "if r.b then disc 1.0 else disc 2.0", [True, False, True], 2),
        (
            "Date",
            'if r.b ≡ date "2024-03-01" then disc 1.0 else disc 2.0',
            [date(2024, 3, 2), date(2024, 3, 1), date(2025, 1, 9)],
            1,
        ),
    ],
)
def test_the_least_row_is_the_partner(type_: str, value: str, cells: list[Any], least: float) -> None:
    program = JOIN.replace("TYPE", type_).replace("VALUE", value)
    for order in itertools.permutations([*([1, cell] for cell in cells), [2, cells[0]]]):
        assert evaluate(program, xs=[[1], [3], [1]], ys=list(order)) == 2 * least


def test_reals_that_are_nearest_to_one_double_are_ordered() -> None:
    program = """sλ xs : 𝔻𝔽[a : ℕ], ys : 𝔻𝔽[a : ℕ, b : ℝ, c : ℝ] ⇒
  let close = bmap ys { y ⇒ { a = y.a, b = y.b + 1e30, c = y.c } } in
  mfold-row 0.0, joinDF₁⧼a⧽[xs, close] { s, r ⇒ s + clip[0.0, 5.0] (disc r.c) }"""
    rows = [[1, 2.0, 1.0], [1, 1.0, 4.0]]
    assert [evaluate(program, xs=[[1]], ys=list(order)) for order in itertools.permutations(rows)] == [Fraction(4)] * 2


def test_rows_that_cannot_be_ordered_are_no_partners() -> None:
    program = "sλ xs : 𝔻𝔽[a : ℕ], ys : 𝕄 [L∞, U | ★, a : ℕ ∷ b : ℘(ℕ) ∷ []] ⇒ rows (joinDF₁⧼a⧽[xs, ys])"
    with pytest.raises(DuetError) as caught:
        duetpy.parse(program, notion="eps").check()
    assert [each.code for each in caught.value.diagnostics] == ["D0428"]
    duetpy.parse(program.replace("ys : 𝕄 [L∞, U | ★", "ys : 𝕄 [L∞, U | 3"), notion="eps").check()


@pytest.mark.parametrize("join", ["joinDF₁⧼a⧽", "joinDF[9]⧼a⧽"])
def test_a_key_that_is_missing_has_no_partner(join: str) -> None:
    program = f"sλ xs : 𝔻𝔽[a : 𝕊?], ys : 𝔻𝔽[a : 𝕊?, b : 𝔻] ⇒ rows ({join}[xs, ys])"
    xs, ys = [["u"], [None], ["v"], [None], ["u"]], [["u", 1.0], [None, 2.0], ["w", 3.0]]
    assert evaluate(program, xs=xs, ys=ys) == 2
    assert evaluate(program, xs=[[None]], ys=[[None, 2.0]]) == 0


@pytest.mark.parametrize("most", [1, 2, 3, 10**39])
def test_so_many_of_the_least_rows_are_partners(most: int) -> None:
    program = f"""sλ xs : 𝔻𝔽[a : ℕ], ys : 𝔻𝔽[a : ℕ, b : 𝔻] ⇒
  mfold-row 0.0, joinDF[{most}]⧼a⧽[xs, ys] {{ s, r ⇒ s + clip[0.0, 9.0] r.b }}"""
    least = sum([1.0, 2.0, 4.0][:most])
    for order in itertools.permutations([[1, 4.0], [1, 1.0], [2, 8.0], [1, 2.0]]):
        assert evaluate(program, xs=[[1], [3], [1]], ys=list(order)) == 2 * least


def test_rows_of_a_join_cost_as_many_rows_as_one_is_joined_with() -> None:
    program = "pλ xs : 𝔻𝔽[a : 𝕊], ys : 𝔻𝔽[a : 𝕊, b : 𝔻] ⇒ dlaplace[S, 1.0] <xs> { rows (joinDF[K]⧼a⧽[xs, ys]) }"
    for k in (2, 5):
        given = program.replace("K", str(k))
        checked = duetpy.parse(given.replace("S", str(k)), notion="eps").check()
        assert checked.parameters["xs"].cost == {"epsilon": "1"}
        with pytest.raises(DuetError, match="more sensitive than claimed"):
            duetpy.parse(given.replace("S", str(k - 1)), notion="eps").check()


@pytest.mark.parametrize("join", ["joinDF₁", "joinDF[2]"])
def test_the_order_of_the_right_table_decides_nothing(join: str) -> None:
    """So the rows of a person are in order after they were joined with a list that a run gives."""
    text = (
        "sλ people : persons[who : 𝕊 | visits : 𝔻𝔽[code : 𝕊, n : 𝔻]], prices : 𝔻𝔽[code : 𝕊, price : 𝔻] ⇒ "
        f"bmap (flat[9] people {{ p ⇒ {join}⧼code⧽[p.visits, prices] }}) {{ v ⇒ v.price }}"
    )
    people = [{"who": "a", "code": code, "n": n} for code, n in (("y", 2.0), ("x", 1.0), ("x", 3.0))]
    prices = [("x", 5.0), ("y", 2.0), ("x", 4.0), ("x", 7.0)]
    found = {str(evaluate(text, people={"visits": people}, prices=list(order))) for order in (prices, prices[::-1])}
    assert found == {"[[4.0], [4.0], [2.0]]" if join == "joinDF₁" else "[[4.0], [5.0], [4.0], [5.0], [2.0]]"}
