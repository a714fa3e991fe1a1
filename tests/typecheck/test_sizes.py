"""What a program need not declare: a static parameter is declared once, and sizes of its own inputs not at all."""

import pytest

import duetpy
from duetpy import DuetError
from duetpy.grammar.formatting import formatted
from duetpy.report.core_text import core_text
from duetpy.source import Source

NOISY = "laplace[auto, ε / real k] <xs> { clip[0.0, 1.0] (mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] r#[0, 0] }) }"
WHOLE = f"pλ m : ℕ, n : ℕ, ε : ℝ⁺, k : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻], ε : ℝ⁺[ε], k : ℕ[k] ⇒ {NOISY}"
BRIEF = f"pλ xs : 𝕄 [L∞, U | m, n⋅𝔻], static ε : ℝ⁺, static k : ℕ ⇒ {NOISY}"


def core(text: str) -> str:
    """The program with everything written out."""
    typed = duetpy.parse(text, name="q.eps.duet").judged()
    assert typed is not None
    return str(core_text(typed))


@pytest.mark.parametrize(
    "text",
    [
        BRIEF,
        f"pλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻], static ε : ℝ⁺, static k : ℕ ⇒ {NOISY}",
        f"pλ m : ℕ, n : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, n⋅𝔻], ε : ℝ⁺[ε], static k : ℕ ⇒ {NOISY}",
        f"plam xs : Matrix [Linf, U | m, n * Disc], static ε : Real+, static k : Nat => {NOISY}",
    ],
)
def test_what_is_left_out_is_what_would_be_written(text: str) -> None:
    assert core(text) == core(WHOLE)


@pytest.mark.parametrize(
    "around",
    [
        "def main = {}",
        "def main = {}\ndef f = 1.0",
        "def q = {}\nq",
        "def f = 1.0\ndef q = {}",
        "let main = {} in main",
        "let c = 1.0 in let main = {} in main",
        "let c = 1.0 in {}",
    ],
)
def test_the_function_that_is_the_program_is_found(around: str) -> None:
    assert core(around.format(BRIEF)) == core(around.format(WHOLE))


def test_aligned_tables_share_a_size() -> None:
    text = "pλ ⟨xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | m, n⋅𝔻]⟩, static ε : ℝ⁺ ⇒ laplace[1.0, ε] <xs, ys> { 0.0 }"
    assert "pλ m : ℕ, n : ℕ, ε : ℝ⁺ . ⟨xs" in core(text)


def codes(text: str) -> list[str]:
    with pytest.raises(DuetError) as caught:
        duetpy.parse(text, name="q.eps.duet").check()
    return [diagnostic.code for diagnostic in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # A list is complete.
        (f"pλ m : ℕ . xs : 𝕄 [L∞, U | mm, 1⋅𝔻], static ε : ℝ⁺, static k : ℕ ⇒ {NOISY}", "D0102"),
        # What is called says what a call may give.
        ("let f = sλ xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ rows xs in sλ x : ℝ ⇒ x", "D0102"),
        # No size: a run could not tell it from the data.
        ("sλ xs : 𝕄 [L∞, L2≤b | 3, 1⋅𝔻] ⇒ 0.0", "D0102"),
        ("sλ f : 𝕄 [L∞, U | m, 1⋅𝔻] ⊸[1] ℝ ⇒ 0.0", "D0102"),
        ("sλ static τ : ☆K ⇒ 0.0", "D0005"),
        ("sλ static k : ℕ . x : ℝ ⇒ x", "D0005"),
        ("sλ static k ⇒ k", "D0005"),
        ("sλ static k : 𝔻 ⇒ k", "D0005"),
    ],
)
def test_everything_else_is_declared(text: str, code: str) -> None:
    assert code in codes(text)


def test_a_program_may_call_something_static() -> None:
    text = "sλ static : ℝ, y : ℝ ⇒ let x = static + y in let static = x in static"
    assert list(duetpy.parse(text).check().parameters) == ["static", "y"]
    assert codes("sλ x : ℝ ⇒ static x") == ["D0101"]


def test_a_size_is_what_the_data_have() -> None:
    assert codes(BRIEF.replace("{ clip", "{ real m ⋅ clip")) == ["D0101"]
    checked = duetpy.parse(BRIEF, name="q.eps.duet").check()
    assert isinstance(checked.run(xs=[[1.0, 2.0]] * 50, ε=2.0, k=1).result, float)


def shown(text: str) -> str:
    return str(formatted(Source("q.duet", text)))


def test_formatting_keeps_what_was_written() -> None:
    text = "pλ xs : 𝕄 [L∞, U | m, 1⋅𝔻], static k : ℕ, static ε : ℝ⁺ ⇒ laplace[1.0, ε / real k] <xs> { 0.0 }\n"
    assert shown(text) == text
    assert shown(text.replace("pλ ", "pλ . ")) == text.replace("pλ ", "pλ . ")
    ascii_ = "plam xs : Matrix [Linf, U | m, 1 * Disc], static k : Nat, static eps : Real+ =>\n  return static\n"
    assert shown(ascii_) == ascii_
