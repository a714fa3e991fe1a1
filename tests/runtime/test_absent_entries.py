"""Entries of public tables without rows: there is a value for them, of which nothing is claimed that it need not keep."""

from typing import Any

import pytest

from duetpy.runtime.release.noiseless import checked, evaluate
from tests.runtime.runs import go

NONE = "let bs = mfilter (mcreate[L∞ | ℕ[2], ℕ[1]] {{ i, j ⇒ {entry} }}) {{ r ⇒ false }} in {read}"
READ = "bs#[0, 0]"
PARTS = (
    "let bs = bmap (mcreate[L∞ | ℕ[2], ℕ[1]] { i, j ⇒ disc i }) { c ⇒ { a = c } } in "
    "let parts = mfilter partitionDF[bs, a, ℘{disc 1}] { t ⇒ false } in parts#[0, 0]"
)
IN_RANGE = "none[𝔻 in [5, 10]] or-else 7.0"


@pytest.mark.parametrize(
    ("entry", "read", "wanted"),
    [
        ("disc 1.0", READ, 0.0),
        ("disc (3 + 4)", READ, 0),
        ('"a"', READ, ""),
        ("none[𝔻]", READ, None),
        ('⟨1.0, date "2020-01-01"⟩', READ, (0.0, "0001-01-01")),
        ("℘{disc 1.0}", READ, frozenset()),
        ("℘{disc i}", "disc 1 ∈ bs#[0, 0]", False),
        ('dates (date "2020-01-01") (add-days (date "2020-01-01") (disc i))', READ, frozenset()),
        ("inl[𝕊] 1.0", "case bs#[0, 0] { inl x ⇒ x ; inr y ⇒ 2.0 }", 0.0),
        ("mcreate[L1 | ℕ[1], ℕ[2]] { a, b ⇒ 1.0 }", READ, [[0.0, 0.0]]),
        ("sλ x : ℝ ⇒ x", "bs#[0, 0] 2.0", 2.0),
        ("sλ x : ℝ ⇒ x", "bs#[1]#[0, 0] 2.0", 2.0),
    ],
)
def test_there_is_a_value_for_an_entry_that_is_not_there(entry: str, read: str, wanted: Any) -> None:
    text = NONE.format(entry=entry, read=read)
    assert evaluate(text) == wanted
    assert (
        evaluate(f"sλ xs : 𝔻𝔽[n : 𝔻] ⇒ rows (mfilter xs {{ r ⇒ let found = {text} in r.n < 3 }})", xs=[[1], [5]]) == 1
    )


def test_there_is_a_table_for_a_part_that_is_not_there() -> None:
    assert evaluate(PARTS) == []


@pytest.mark.parametrize(
    "entry",
    [
        "conv (bs#[0, 0])",
        "conv (bs#[0]#[0, 0])",
        "conv ((addColDF⧼a⧽ bs)#[0].a)",
        "conv (fst (mmap bs { c ⇒ ⟨c, 1⟩ })#[0, 0])",
    ],
)
def test_an_entry_that_may_not_be_there_has_no_range(entry: str) -> None:
    bs = f"mfilter (bmap (mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ disc 1.0 }}) {{ c ⇒ {IN_RANGE} }}) {{ r ⇒ false }}"
    type_: Any = checked(f"sλ x : ℝ ⇒ let bs = {bs} in x / ({entry} - 1.0)").type
    assert type_.sensitivity.is_infinite


def test_an_entry_of_a_table_with_rows_has_the_range_of_its_column() -> None:
    bs = f"bmap (mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ disc 1.0 }}) {{ c ⇒ {IN_RANGE} }}"
    type_: Any = checked(f"sλ x : ℝ ⇒ let bs = {bs} in x / (conv (bs#[0, 0]) - 1.0)").type
    assert type_.sensitivity.show() == "0.25"


def test_no_noise_is_drawn_for_a_range_that_a_released_number_may_empty() -> None:
    text = f"""pλ y : ℝ ⇒ n ← laplace[auto, 1] <y> {{ y }} ;
      let bs = mfilter (bmap (mcreate[L∞ | ℕ[1], ℕ[1]] {{ i, j ⇒ disc 1.0 }}) {{ c ⇒ {IN_RANGE} }}) {{ r ⇒ n < 0.0 }} in
      laplace[auto, 1] <y> {{ y / (conv (bs#[0, 0]) - 1.0) }}"""
    with pytest.raises(Exception, match="D0301"):
        go(text, {"y": 1.0}, "eps", {"insecure_noise": "none"})
