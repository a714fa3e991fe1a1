"""A column is the one that the type calls by a name. A type may leave out the names that a value has, and give them to others."""

from __future__ import annotations

import duetpy


def test_a_name_that_the_type_left_out_is_free() -> None:
    """r's own column a stands where a column without a name is asked for; the column that is then called a is the new one."""
    text = (
        "sλ r : record [a : 𝔻], x : ℝ ⇒ "
        "let f = sλ t : 𝕄 [L∞, U | 1, 𝔻 ∷ []], v : ℝ ⇒ addColDF⧼a⧽ ⟨t, v⟩ in ⟨((f r x).[a])#[0, 0], (f r x).a⟩"
    )
    assert duetpy.evaluate(text, r=[[700.0]], x=1.0) == (1.0, 1.0)


def test_the_columns_of_a_join_are_those_of_its_type() -> None:
    """b of the left table has no name in f: r.b is the right one's."""
    text = (
        "sλ xs : 𝕄 [L∞, U | 1, b : 𝔻 ∷ k : 𝐝 ℕ ∷ []], ys : 𝕄 [L∞, U | 1, k : 𝐝 ℕ ∷ b : ℝ ∷ []] ⇒ "
        "let f = sλ t : 𝕄 [L∞, U | 1, 𝔻 ∷ k : 𝐝 ℕ ∷ []] ⇒ mapDF (joinDF₁⧼k⧽[t, ys]) { r ⇒ clip[0.0, 1.0] r.b } in f xs"
    )
    assert duetpy.evaluate(text, xs=[[1.0, 1]], ys=[[1, 0.0]]) == [[0.0]]


def test_the_keys_of_a_partition_are_those_of_its_type() -> None:
    text = (
        "sλ r : record [k : 𝐝 ℕ] ⇒ let f = sλ t : 𝕄 [L∞, U | 1, 𝐝 ℕ ∷ []] ⇒ "
        "bmap (partitionDF[addColDF⧼k⧽ ⟨t, disc 5⟩, k, ℘{disc 5}]) { p ⇒ clip (real (rows p)) } in f r"
    )
    assert duetpy.evaluate(text, r=[[7]]) == [[1.0]]
