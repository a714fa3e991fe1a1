"""Samples of a fixed number of rows: which tables have them, and what a row costs."""

import pytest

from duetpy.typecheck.checker import Checker
from duetpy.typecheck.cost import Atom, Group, Sampled, Together
from duetpy.typecheck.notions import Notion
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
        (f"pλ m : ℕ . xs : 𝕄 [L1, U | m, 2⋅𝔻] ⇒ sample[ℕ[5]] xs {ONE}", "D0424"),
        (f"pλ m : ℕ . xs : 𝕄 [L2, U | m, 2⋅𝔻] ⇒ sample[ℕ[5]] xs {ONE}", "D0424"),
        (f"pλ . xs : {TABLE.replace('m,', '4,')} ⇒ sample[ℕ[5]] xs {ONE}", "D0501"),
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


BESIDE = f"pλ m : ℕ . xs : {TABLE}, ys : {TABLE} ⇒ sample[ℕ[5]] xs, ys "
OF_X = f"laplace[auto, 1.0] <x> {{ {SUM.format('x')} }}"
EACH = f"{{ x, y ⇒ a ← {OF_X} ; laplace[auto, 2.0] <y> {{ {SUM.format('y')} }} }}"


@pytest.mark.parametrize("notion", [Notion.PURE, Notion.APPROX])
def test_a_drawn_row_hides_by_what_all_of_its_tables_are_protected_with(notion: Notion) -> None:
    first, second = costs(BESIDE + EACH, notion)
    assert isinstance(first, Sampled)
    assert isinstance(first.body, Together)
    assert len(first.body.parts) == 2
    assert first == second


@pytest.mark.parametrize("notion", [Notion.RENYI, Notion.TCDP, Notion.ZCDP, Notion.GDP])
def test_tables_that_are_not_aligned_are_not_amplified_where_steps_of_both_have_no_price(notion: Notion) -> None:
    first, second = costs(BESIDE + EACH, notion)
    assert isinstance(first, Atom)
    assert isinstance(second, Atom)


@pytest.mark.parametrize("notion", [Notion.PURE, Notion.APPROX, Notion.RENYI, Notion.TCDP])
def test_a_table_in_the_clear_tells_which_rows_were_drawn(notion: Notion) -> None:
    numbers = "let ys = mcreate[L∞ | rows xs, ℕ[1]] { i, j ⇒ disc (real i) } in"
    seen = f"{{ x, y ⇒ a ← {OF_X} ; return ⟨y#[0, 0], a⟩ }}"
    (cost,) = costs(f"pλ m : ℕ . xs : {TABLE} ⇒ {numbers} sample[ℕ[5]] xs, ys {seen}", notion)
    assert isinstance(cost, Atom)
    unseen = seen.replace("y#[0, 0]", "1")
    (cost,) = costs(f"pλ m : ℕ . xs : {TABLE} ⇒ {numbers} sample[ℕ[5]] xs, ys {unseen}", notion)
    assert isinstance(cost, Sampled)


def test_a_refusal_without_a_word_is_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a report of the privacy language forgotten, the program would still not be taken for a proved one."""
    monkeypatch.setattr(Checker, "report", lambda *_: None)
    typed = judged(BOX, Notion.ZCDP)
    assert [diagnostic.code for diagnostic in typed.diagnostics] == ["D0901"]
    assert not typed.ok


BAG = "bag 𝔻"
COUNTED = "{{ t ⇒ laplace[auto, ℝ⁺[1.0]] <t> {{ real (rows t) }} }}".format()


def drawn(*tables: str, before: str = "") -> str:
    """Samples by coins of several tables, one after the other."""
    return (
        before
        + " ; ".join(f"a{at} ← poisson[0.5] ({table}) {COUNTED}" for at, table in enumerate(tables))
        + " ; return 0.0"
    )


FIRST, SECOND = f"sλ . p : {BAG} & {BAG} ⇒ fst p", f"sλ . p : {BAG} & {BAG} ⇒ snd p"


@pytest.mark.parametrize(
    "text",
    [
        f"pλ . z : {BAG} & {BAG} ⇒ {drawn('fst z', 'snd z')}",
        f"pλ . z : 𝕄 [L∞, U | 1, 2⋅({BAG})] ⇒ {drawn('z#[0, 0]', 'z#[0, 1]')}",
        f"pλ n : ℕ . z : 𝕄 [L∞, U | 3, n⋅({BAG})] ⇒ {drawn('z#[0, 0]', 'z#[1, 0]')}",
        f"pλ . z : 𝕄 [L1, U | 1, 1⋅({BAG} & {BAG})] ⇒ {drawn('fst (z#[0, 0])', 'snd (z#[0, 0])')}",
        f"pλ . z : 𝕄 [L1, U | 1, a : 𝔻 ∷ b : {BAG} & {BAG} ∷ []] ⇒ {drawn('fst (z#[0, 1])', 'snd (z#[0, 1])')}",
        f"pλ . z : ({BAG} & {BAG}) × ℝ ⇒ let ⟨p, r⟩ = z in {drawn('fst p', 'snd p')}",
        f"pλ . z : ℝ × (𝔻 & ({BAG} & {BAG})) ⇒ {drawn('fst (snd (snd z))', 'snd (snd (snd z))')}",
        # By a function: what it draws from, it is given.
        f"let f = pλ . t : {BAG} ⇒ {drawn('t')} in pλ . z : {BAG} & {BAG} ⇒ a ← f@[ . fst z] ; f@[ . snd z]",
        f"let f = pλ . p : {BAG} & {BAG} ⇒ {drawn('fst p', 'snd p')} in pλ . xs : {BAG} ⇒ f@[ . ⟨xs & xs⟩]",
        f"let first = {FIRST} in let second = {SECOND} in pλ . z : {BAG} & {BAG} ⇒ {drawn('first z', 'second z')}",
        # Inside what runs many times, and where a part moves by no more than one step.
        f"pλ . z : {BAG} & {BAG} ⇒ loop ℕ[2] on 0.0 <z> {{ i, s ⇒ {drawn('fst z', 'snd z')} }}",
        f"let f = pλ c : ℝ⁺ . z : {BAG} & {BAG}, c : ℝ⁺[c] ⇒ {drawn('fst z', 'snd z')} in "
        f"pλ . z : {BAG} & {BAG} ⇒ f@[1.0 . z, 1.0]",
    ],
)
def test_coins_draw_from_no_input_that_gains_a_row_here_and_loses_one_there(text: str) -> None:
    assert "D0426" in errors(text, Notion.PURE)


@pytest.mark.parametrize(
    "text",
    [
        f"pλ . z : {BAG} ⇒ {drawn('z', 'mfilter z { r ⇒ r#[0, 0] < 1.0 }')}",
        f"pλ . z : {BAG} × {BAG} ⇒ {drawn('fst z', 'snd z')}",
        f"pλ . z : {BAG} & 𝔻 ⇒ {drawn('fst z', 'fst z')}",
        f"pλ . z : 𝕄 [L1, U | 1, 2⋅({BAG})] ⇒ {drawn('z#[0, 0]', 'z#[0, 1]')}",
        f"pλ . z : 𝕄 [L∞, U | 3, 1⋅({BAG})] ⇒ {drawn('z#[0, 0]', 'z#[1, 0]')}",
        f"pλ . xs : {BAG}, ys : {BAG} ⇒ {drawn('xs', 'ys')}",
        f"pλ . xs : {BAG} ⇒ let z = ⟨xs & mfilter xs {{ r ⇒ r#[0, 0] < 1.0 }}⟩ in {drawn('fst z', 'snd z')}",
        # A group of two steps is held to the worse way.
        f"pλ . xs : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ {drawn('mfilter xs { r ⇒ r#[0, 0] < 1.0 }', 'mfilter xs { r ⇒ 1.0 < r#[0, 0] }')}",
        f"pλ . z : {BAG} & {BAG} ⇒ laplace[auto, ℝ⁺[1.0]] <z> {{ real (rows (fst z)) + real (rows (snd z)) }}",
    ],
)
def test_coins_draw_from_what_moves_one_way(text: str) -> None:
    assert errors(text, Notion.PURE) == ()
