"""Samples of a fixed number of rows: which tables have them, and what a row pays."""

import pytest

from duetpy.typecheck.checker import Checker
from duetpy.typecheck.cost import Group, Notion, Sampled, Together
from tests.typecheck.judging import costs, errors, judged

TABLE = "𝕄 [L∞, U | m, 1⋅𝔻]"
NOISE = "gauss[auto, ℝ⁺[0.5]]"
SUM = "(mfold-row 0.0, {} {{ a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }})"
ONE = f"{{ x ⇒ {NOISE} <x> {{ {SUM.format('x')} }} }}"
TWO = f"{{ x, y ⇒ {NOISE} <x, y> {{ {SUM.format('x')} + {SUM.format('y')} }} }}"
BOX = f"pλ m : ℕ . xs : {TABLE} ⇒ sample[ℕ[5]] xs {{ x ⇒ return (box x) }}"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"pλ m : ℕ . xs : 𝕄 [L2, U | m, 1⋅ℝ] ⇒ sample[ℕ[5]] xs {ONE}", "D0424"),
        (f"pλ . xs : 𝕄 [L2, U | ★, 1⋅ℝ] ⇒ poisson[0.1] xs {ONE}", "D0424"),
        (f"pλ xs : ℝ ⇒ sample[ℕ[5]] xs {ONE}", "D0201"),
        (f"pλ m : ℕ, k : ℕ . xs : {TABLE}, ys : {TABLE.replace('m,', 'k,')} ⇒ sample[ℕ[5]] xs, ys {TWO}", "D0208"),
        (f"pλ . xs : {TABLE.replace('m,', '★,')} ⇒ poisson[0.0] xs {ONE}", "D0501"),
        (BOX, "D0103"),
    ],
)
def test_tables_without_samples_are_refused(text: str, code: str) -> None:
    assert errors(text, Notion.ZCDP) == (code,)


def test_what_moves_two_tables_by_itself_pays_for_both() -> None:
    """Rows of both tables are drawn as one, and one row of xs moves one of each; a move of z is not a row of xs."""
    shifted = "let u = mmap xs { a ⇒ a + z } in let v = mmap xs { a ⇒ a - z } in"
    of_rows, of_shift = costs(f"pλ m : ℕ . xs : {TABLE}, z : 𝔻 ⇒ {shifted} sample[ℕ[5]] u, v {TWO}", Notion.ZCDP)
    assert isinstance(of_rows, Sampled)
    assert isinstance(of_shift, Together)
    assert [part.size.show() for part in of_shift.parts if isinstance(part, Group)] == ["m", "m"]


def test_a_refusal_without_a_word_is_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a report of the privacy language forgotten, the program would still not be taken for a proved one."""
    monkeypatch.setattr(Checker, "report", lambda *_: None)
    typed = judged(BOX, Notion.ZCDP)
    assert [diagnostic.code for diagnostic in typed.diagnostics] == ["D0901"]
    assert not typed.ok
