"""Runs on every batch of two tables, and queries to a threshold: what they cost, and what fits."""

import pytest

from duetpy.typecheck.cost import Atom, Together
from duetpy.typecheck.notions import Notion
from tests.typecheck.judging import costs, errors

TABLE = "𝕄 [L∞, U | {}, 3⋅𝔻]"
SUM = "gauss[auto, ℝ⁺[0.5]] <{0}> {{ mfold-row 0.0, {0} {{ a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }} }}"
APART = f"xs : {TABLE.format('b')}, ys : {TABLE.format('b')}"
TWO_RELEASES = f"g ← {SUM.format('xs')} ; h ← {SUM.format('ys')} ; return (z + g + h)"
ONE_RELEASE = f"g ← {SUM.format('xs').replace('<xs>', '<xs, ys>')} ; return (z + g)"


def batches(given: str, body: str, labels: str = "ys", size: str = "ℕ[50]") -> str:
    table = TABLE.format("m")
    return f"""let step = pλ b : ℕ . {given}, z : ℝ ⇒ {body} in
      let f = sλ m : ℕ . t : {table} ⇒ t in
      pλ m : ℕ . ⟨xs : {table}, ys : {table}⟩ ⇒ pfld-rows[{size}, 0.0, xs, {labels}, step]"""


def test_a_row_of_aligned_tables_is_in_one_batch_of_aligned_inputs() -> None:
    first, second = costs(batches(f"⟨{APART}⟩", ONE_RELEASE), Notion.ZCDP)
    assert first == second
    assert isinstance(first, Atom)


@pytest.mark.parametrize(
    "text",
    [
        # Inputs that are not aligned are charged each by itself, and the row is in both.
        batches(APART, TWO_RELEASES),
        # What a function makes of a table may have its rows in another order: the row is in two batches.
        batches(f"⟨{APART}⟩", ONE_RELEASE, "f ys"),
    ],
)
def test_a_row_that_two_inputs_hold_pays_for_both(text: str) -> None:
    for cost in costs(text, Notion.ZCDP):
        assert isinstance(cost, Together)
        assert [type(part) for part in cost.parts] == [Atom, Atom]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (batches(f"⟨{APART}⟩", ONE_RELEASE, size="ℕ[0]"), {"D0501"}),
        (batches(f"⟨{APART}⟩".replace("3⋅𝔻", "2⋅𝔻", 1), ONE_RELEASE), {"D0201"}),
    ],
)
def test_batches_that_do_not_fit_are_refused(text: str, codes: set[str]) -> None:
    assert set(errors(text, Notion.ZCDP)) == codes


@pytest.mark.parametrize("column", ["3⋅ℝ", "𝔻 ∷ ℝ ∷ []"])
def test_rows_that_move_a_little_are_not_put_into_batches(column: str) -> None:
    """One step may move a row of every batch by a little, and each batch is charged for it."""
    body = "laplace[1.0, 1.0] <xs> { xs#[0, 1] + ys#[0, 1] }"
    text = batches(APART, body).replace("3⋅𝔻", column)
    assert "D0414" in errors(text, Notion.PURE)


def test_a_batch_stands_for_no_table_of_unknown_size() -> None:
    """A row that is replaced leaves such a table and enters it: two steps."""
    free = "𝕄 [L∞, U | ★, 3⋅𝔻]"
    text = batches(f"xs : {free}, ys : {free}", TWO_RELEASES).replace("pλ b : ℕ .", "pλ .")
    assert errors(text, Notion.ZCDP) == ("D0201",)


@pytest.mark.parametrize(
    ("queries", "codes"),
    [
        ("mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . n : ℝ ⇒ n - real j }", ()),
        ("mcreate[L1 | ℕ[2], ℕ[3]] { i, j ⇒ sλ . n : ℝ ⇒ n }", ("D0422",)),
        ("mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . n : ℝ ⇒ disc n }", ("D0422",)),
        ("mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . n : ℝ ⇒ true }", ("D0422",)),
        ("mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ sλ . n : ℕ ⇒ real n }", ("D0201",)),
        ("mcreate[L1 | ℕ[1], ℕ[3]] { i, j ⇒ 1.0 }", ("D0422",)),
    ],
)
def test_queries_are_one_row_of_functions_to_reals(queries: str, codes: tuple[str, ...]) -> None:
    text = f"pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ AboveThreshold[ε, {queries}, 5.0] <x> {{ x }}"
    assert errors(text, Notion.PURE) == codes
