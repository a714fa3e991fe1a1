"""What a function for all types keeps for each row of a person may be no table, set or function, however its type is hidden."""

import pytest

from tests.typecheck.judging import errors

KEEPS = "sλ τ : ☆K . xs : 𝔻𝔽[cost : 𝔻], v : τ ⇒ mapDF xs { x ⇒ addColDF⧼v⧽ ⟨x, v⟩ }"
ITERATES = (
    "sλ τ : ☆K . p : record[visits : 𝐝 𝔻𝔽[cost : 𝔻]], z : τ, f : (τ ⊸[∞] τ) ⇒ mfold-row z, p.visits { s, v ⇒ f s }"
)
CELLS = "sλ τ : ☆K . xs : 𝔻𝔽[cost : 𝔻], v : 𝐝 τ ⇒ bmap xs { x ⇒ v }"
ROWS = "sλ ς : ☆K . xs : 𝔻𝔽[cost : 𝔻], v : 𝕄 [L∞, U | 1, 𝐝 ς] ⇒ bmap xs { x ⇒ v }"
MADE = "sλ τ : ☆K . xs : 𝔻𝔽[cost : 𝔻], f : (𝔻 ⊸[∞] τ) ⇒ mapDF xs { x ⇒ addColDF⧼v⧽ ⟨x, f x.cost⟩ }"

TABLE = "𝔻𝔽[amount : 𝔻]"
HIDDEN = {
    "an argument": f"let keep = {KEEPS} in rows (keep p.visits p.bills)",
    "a type application": f"let keep = {KEEPS} in rows (keep@[{TABLE}] p.visits p.bills)",
    "a partial application": f"let keep = {KEEPS} in let of = keep p.visits in rows (of p.bills)",
    "a type application for later": f"let keep = {KEEPS} in let at = keep@[{TABLE}] in rows (at p.visits p.bills)",
    "a function applied in place": f"rows (({KEEPS}) p.visits p.bills)",
    "a function for all types": f"let keep = {KEEPS} in let also = sλ σ : ☆K . w : σ, ys : 𝔻𝔽[cost : 𝔻] ⇒ keep ys w in "
    "rows (also p.bills p.visits)",
    "a pair": f"let keep = {KEEPS} in rows (keep p.visits ⟨1.0, p.bills⟩)",
    "a pair of a function for all types": f"let keep = {KEEPS} in "
    "let also = sλ σ : ☆K . w : σ, ys : 𝔻𝔽[cost : 𝔻] ⇒ keep ys ⟨1, w⟩ in rows (also p.bills p.visits)",
    "an &-pair": f"let keep = {KEEPS} in rows (keep p.visits ⟨1.0 & p.bills⟩)",
    "a sum": f"let keep = {KEEPS} in rows (keep p.visits (inl[ℝ] p.bills))",
    "a box": f"let keep = {KEEPS} in rows (keep p.visits (box p.bills))",
    "a row": f"let keep = {KEEPS} in rows (keep p.visits (p.[bills]))",
    "a set": f"let keep = {KEEPS} in rows (keep p.visits (elements p.bills.[amount]))",
    "a function": f"let keep = {KEEPS} in rows (keep p.visits (sλ a : 𝔻 ⇒ rows p.bills))",
    "a state": f"let keep = {KEEPS} in rows (loop 1 on p.visits {{ i, t ⇒ (keep t p.bills).[cost] }})",
    "a branch": f"let keep = {KEEPS} in rows ((if 1 ≤ 2 then keep else keep) p.visits p.bills)",
    "a discrete cell": f"let keep = {CELLS} in rows (keep p.visits (p#[0, 2]))",
    "discrete columns": f"let keep = {ROWS} in rows (keep p.visits (p.[bills]))",
    "what a function returns": f"let keep = {MADE} in rows (keep p.visits (sλ a : 𝔻 ⇒ mfilter p.bills {{ b ⇒ b.amount < a }}))",
    "the state of a fold": f"let again = {ITERATES} in "
    "rows (again (p.[visits]) p.visits (sλ t : 𝔻𝔽[cost : 𝔻] ⇒ (joinDF[2]⧼cost⧽[t, p.visits]).[cost]))",
    "a function in the state of a fold": f"let again = {ITERATES} in "
    "rows ((again (p.[visits]) (sλ a : 𝔻 ⇒ p.bills) (sλ g : (𝔻 ⊸[0] 𝔻𝔽[amount : 𝔻]) ⇒ g)) 1.0)",
}
PLAIN = {
    "a number": f"let keep = {KEEPS} in rows (keep p.visits (real (rows p.bills)))",
    "a text": f'let keep = {KEEPS} in rows (keep p.visits "a")',
    "a pair of numbers": f"let keep = {KEEPS} in rows (keep p.visits ⟨1.0, rows p.bills⟩)",
    "a partial application": f"let keep = {KEEPS} in let of = keep p.visits in rows (of p.id)",
    "a state that is a number": f"let again = {ITERATES} in again (p.[visits]) (rows p.bills) (sλ n : ℕ ⇒ n + 1)",
    "a state that is a set": f"let again = {ITERATES} in let old = elements p.bills.[amount] in "
    "rows (mfilter p.visits { v ⇒ v.cost ∈ again (p.[visits]) old (sλ s : ℘(𝔻) ⇒ unionAll ℘{s, old}) })",
}
HANDED_ON = f"""
let use = sλ f : (∀ τ : ☆K . 𝔻𝔽[cost : 𝔻] ⊸[1] τ ⊸[∞] 𝔻𝔽[cost : 𝔻, v : τ]) ⇒ sλ xs : 𝔻𝔽[cost : 𝔻] ⇒ rows (f xs xs) in
use ({KEEPS})
"""


def about(body: str) -> str:
    return (
        "notion eps; pλ people : persons[id : 𝕊 | visits : 𝔻𝔽[cost : 𝔻], bills : 𝔻𝔽[amount : 𝔻]], static ε : ℝ⁺ ⇒\n"
        f"  laplace[auto, ε] <people> {{ mfold-row 0, people {{ sum, p ⇒ sum + clip[0, 9] (disc (real ({body}))) }} }}"
    )


@pytest.mark.parametrize("way", HIDDEN)
def test_what_a_type_variable_hides_is_kept_for_no_row(way: str) -> None:
    assert errors(about(HIDDEN[way])) == ("D0310",)


@pytest.mark.parametrize("way", PLAIN)
def test_what_does_not_grow_is_kept(way: str) -> None:
    assert errors(about(PLAIN[way])) == ()


def test_a_function_that_would_keep_anything_is_not_handed_on_as_one_for_all_types() -> None:
    assert errors(HANDED_ON) == ("D0504",)
