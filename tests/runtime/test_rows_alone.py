"""What a row body gives for a row is a function of that row: how others are computed, and how they are kept, is not seen in it."""

import random
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from duetpy.runtime.exact import linear_forms, rationals
from duetpy.runtime.release.noiseless import checked, evaluate
from duetpy.typecheck.check import Typed
from tests.effort import often

TABLE = "sλ xs : 𝕄 [L∞, U | ★, 2⋅𝔻] ⇒ "

SIDES = "let flag = (if row#[0, 1] ≡ 0.0 then inl[ℕ] 1.0 else inr[ℝ] 3) in "

ROUNDS = "(row#[0, 0] + 0.1) - 0.1 ≡ row#[0, 0]"

BODIES = {
    "sets of two sides": SIDES + 'let s = (case flag { inl a ⇒ ℘{"a"} ; inr b ⇒ ℘{"b"} }) in ' + ROUNDS + ' ∧ "a" ∈ s',
    "numbers of two sides": SIDES
    + "let z = (case flag { inl a ⇒ disc 0.1 ; inr b ⇒ row#[0, 1] }) in (z + disc 0.2) + row#[0, 0] ≡ disc 0.6",
    "products of two sides": SIDES
    + "let z = (case flag { inl a ⇒ disc 0.1 ; inr b ⇒ row#[0, 1] }) in (z ⋅ row#[0, 0]) ⋅ disc 3.0 ≡ disc 0.09",
    "a whole number": "let y = floor (0.5 ⋅ conv row#[0, 0] + (8.0 + conv row#[0, 1])) in "
    "disc (0.1 ⋅ y + 0.3 ⋅ conv row#[0, 0]) ≡ disc 0.90875",
}

ODD = [(0.3, 1.0), (2.0**70, 0.0), (2.0**70, 2.0**-9), (-(2.0**1000), 5.0), (1e-310, 1.0), (0.1, 2.0)]


@cache
def filtered(body: str) -> Typed:
    """The program of a row body, checked once for all tables that it is given."""
    return checked(TABLE + "mmap-row xs { row ⇒ " + f"if {body} then disc 1.0 else disc 0.0 }}")


def kept(body: str, table: Any) -> list[bool]:
    """For every row whether the filter keeps it: rows are distinguished by their last digits."""
    found = evaluate(filtered(body), xs=table)
    return [bool(entry) for entry in np.asarray(found).ravel().tolist()]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.sparse(3)
def test_one_row_changes_what_is_found_for_itself_only(body: str) -> None:
    drawn = random.Random(5)
    rows = [
        (drawn.choice([0.3, 0.3625, 0.7, drawn.random(), 3.0 * drawn.random()]), 0.0) for _ in range(often(120, 40))
    ]
    before = kept(body, np.array(rows))
    for one in ODD:
        assert kept(body, np.array([*rows, one]))[:-1] == before
        assert kept(body, np.array([one, *rows[1:]]))[1:] == before[1:]
    assert [kept(body, np.array([row]))[0] for row in rows] == before


def test_the_rows_would_show_a_rounding_that_is_left_out() -> None:
    """Control: in lanes this comparison rounds, and a lane without others would tell, were it computed without lanes."""
    assert (0.3 + 0.1) - 0.1 != 0.3
    assert Fraction(0.3) + Fraction(1, 10) - Fraction(1, 10) == Fraction(0.3)
    assert kept(ROUNDS, np.array([(0.3, 0.0), (0.7, 0.0)])) == [False, True]


BENDS = """sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
  let sets = mmap xs { x ⇒ if x < 3.0 then ℘{x} else ℘{x, disc 7.0} } in
  let bends = mmap sets { s ⇒ tanh (if disc 0.0 ∈ s then disc 2.0 else disc 1.0) } in
  row∇[LR | mcreate[L∞ | ℕ[1], ℕ[1]] { i, j ⇒ 0.0 }; bends, ys]"""
"""Whether the sets are of one size, and `tanh` is computed for all rows at once, is for each row to decide."""


def test_the_gradient_of_a_row_does_not_depend_on_how_others_are_kept() -> None:
    text, labels = checked(BENDS), np.full((5, 1), -1.0)
    alike, apart = ([[5.0]] * 4 + [[last]] for last in (5.0, 0.5))
    before, after = (
        np.asarray(evaluate(text, xs=np.array(rows), ys=labels)).ravel().tolist() for rows in (alike, apart)
    )
    assert before[:4] == after[:4]


def test_an_empty_text_is_a_side_like_any_other() -> None:
    text = TABLE + (
        'mmap-row xs { row ⇒ case (if row#[0, 0] < 0.5 then inl[ℕ] "" else inl[ℕ] "x") '
        '{ inl s ⇒ if s ≡ "x" then disc 1.0 else disc 0.0 ; inr b ⇒ disc 2.0 } }'
    )
    assert np.asarray(evaluate(text, xs=np.array([(0.3, 0.0), (0.7, 0.0)]))).ravel().tolist() == [0.0, 1.0]


def forms(drawn: random.Random, entries: int) -> tuple[rationals.Numbers, list[Fraction]]:
    """A linear form of doubles, some of which nearly cancel or lie halfway between two doubles, and its values."""
    factors = [
        Fraction(drawn.randint(-9, 9) or 1, drawn.choice([1, 2, 3, 7, 8, 10, 1000])) for _ in range(drawn.randint(1, 4))
    ]
    value = rationals.constant(Fraction(drawn.randint(-3, 3), drawn.choice([1, 10, 4])), (entries,))
    value = rationals.Numbers((), value.constant, value.shape)
    for factor in factors:
        size = 2.0 ** drawn.choice([0, 0, 0, 1, 30, 53, -53, -1050, 960])
        array = np.array([round(drawn.uniform(-4, 4), drawn.choice([0, 1, 17])) * size for _ in range(entries)])
        value = linear_forms.add(value, rationals.scaled(rationals.plain(array), factor))
    return value, value.fractions().tolist()


@pytest.mark.parametrize("seed", range(60))
def test_what_a_number_rounds_to_depends_on_the_number_alone(seed: int) -> None:
    value, wanted = forms(random.Random(seed), 40)
    nearest = [rationals.to_double(one) for one in wanted]
    assert rationals.rounded(value).tolist() == nearest
    assert rationals.rounded(rationals.of_fractions(wanted, (40,))).tolist() == nearest


PARTS = (
    "sλ xs : 𝕄 [L∞, U | ★, k : 𝐝 ℕ ∷ v : 𝔻 ∷ []] ⇒ bmap (partitionDF[xs, k, ℘{disc 1, disc 2, disc 3}]) { part ⇒ "
    "let n = (if (mfold-row 0.0, part { sum, r ⇒ sum + clip[0.0, 9.0] r.v }) < 3.0 then 3 else 5) in "
    "let y = loop ℕ[40] on n { i, a ⇒ a ⋅ 3 } in let z = loop ℕ[700] on n { i, a ⇒ a ⋅ 3 } in "
)
"""The parts have one number of rows, and are looked at together, or they have not, and are looked at one by one."""

OF_LARGE_NATURALS = {
    "remainder": ("disc (y % 2)", 1),
    "remainder of a smaller one": ("disc (n % y)", 3),
    "less": ("if y < y + 1 then disc 1 else disc 0", 1),
    "at most": ("if y + 1 ≤ y then disc 1 else disc 0", 0),
    "equal": ("if y + 1 ≡ y then disc 1 else disc 0", 0),
    "equal in a pair": ("if ⟨1, y + 1⟩ ≡ ⟨1, y⟩ then disc 1 else disc 0", 0),
    "element": ("if y + 1 ∈ ℘{y, y + 2} then disc 1 else disc 0", 0),
    "the greatest number in sums": ("disc (loop ℕ[1] on z { i, a ⇒ (a + a) - a })", 0),
    "the greatest number in multiples": ("disc (loop ℕ[1] on z { i, a ⇒ (a ⋅ 2) - a })", 0),
    "the greatest number in a sum of tables": (
        "if (mfold-row (mcreate[L1 | ℕ[1], ℕ[1]] { i, j ⇒ z }), (mcreate[L1 | ℕ[1], ℕ[1]] { i, j ⇒ z }) { a, r ⇒ "
        "mmap a, r { x, w ⇒ x + w } })#[0, 0] ≡ z then disc 1 else disc 0",
        1,
    ),
}


@pytest.mark.parametrize(("body", "wanted"), OF_LARGE_NATURALS.values(), ids=OF_LARGE_NATURALS)
def test_natural_numbers_beyond_doubles_are_the_same_alone_and_together(body: str, wanted: int) -> None:
    typed = checked(PARTS + body + " }")
    together = [(1, 1.0), (2, 2.0), (3, 2.5)]
    for rows in (together, [*together, (3, 0.2)], [together[0]]):
        assert evaluate(typed, xs=rows)[0] == [wanted]
