"""``ensures``: promises are kept by upper bounds, for every number or for the numbers given, and no input slips past one."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.typecheck.types import PFun
from tests.typecheck.judging import judged

LOOP = (
    "pλ ε : ℝ⁺, δ : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε], δ : ℝ⁺[δ] ⇒ loop ℕ[100] on 0.0 <x> { i, a ⇒ gauss[1.0, ε, δ] <x> { x } } "
    "ensures ε ≤ 1, δ ≤ 1e-6"
)
STEP = "let step = pλ a : ℝ⁺ . x : ℝ, a : ℝ⁺[a] ⇒ laplace[auto, a] <x> { x } ensures ε ≤ 0.5 in "


def outcome(text: str, notion: str = "eps", **values: str | int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The codes of the errors, and what is required."""
    statement = duetpy.parse(text, notion=notion).state({name: Fraction(value) for name, value in values.items()})
    return tuple(d.code for d in statement.diagnostics if d.is_error), statement.requires


@pytest.mark.parametrize(
    ("text", "notion"),
    [
        ("pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { x } ensures ε ≤ 1", "eps"),
        ("pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <x> { x } ensures ε ≤ ε", "eps"),
        ("pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε / 3.0] <x> { x } ensures ε ≤ ε / 2", "eps"),
        # A third and a sixth are a half exactly; 0.1 + 0.2 is 0.3.
        (
            "pλ . x : ℝ ⇒ a ← laplace[1.0, 0.1] <x> { x } ; laplace[1.0, 0.2] <x> { x } ensures ε ≤ 0.3",
            "eps",
        ),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5] <x> { x } ensures ρ ≤ 0.5", "zcdp"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5] <x> { x } ensures μ ≤ 1/2", "gdp"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 10.0, 0.5] <x> { x } ensures α ≤ 10, ε ≤ 0.5", "renyi"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 10.0, 0.5] <x> { x } ensures ε ≤ 0.5", "renyi"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.05, 20.0] <x> { x } ensures ρ ≤ 0.05, ω ≤ 20", "tcdp"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5, 0.1] <x> { x } ensures ε ≤ 0.5, δ ≤ 0.1", "approx"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5, 0.1] <x> { x } ensures ε ≤ 0.5", "approx"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5, 0.1] <x> { x } ensures δ ≤ 0.1", "approx"),
        ("pλ . x : ℝ ⇒ return 1.0 ensures ε ≤ 0", "eps"),
        ("plam . x : Real => laplace[1.0, 1.0] <x> { x } ensures eps <= 1", "eps"),
    ],
)
def test_a_promise_that_the_price_keeps_leaves_nothing_open(text: str, notion: str) -> None:
    assert outcome(text, notion) == ((), ())


@pytest.mark.parametrize(
    ("text", "notion"),
    [
        ("pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> { x } ensures ε ≤ 0.999999999999999999999", "eps"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5] <x> { x } ensures ρ ≤ 0.4", "zcdp"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5] <x> { x } ensures μ ≤ 0.4", "gdp"),
        # Ten is promised, and the guarantee reaches to nine.
        ("pλ . x : ℝ ⇒ gauss[1.0, 9.0, 0.5] <x> { x } ensures α ≤ 10, ε ≤ 0.5", "renyi"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.05, 20.0] <x> { x } ensures ρ ≤ 0.05, ω ≤ 21", "tcdp"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5, 0.1] <x> { x } ensures ε ≤ 0.5, δ ≤ 0.09", "approx"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5, 0.1] <x> { x } ensures δ ≤ 0.09", "approx"),
        # Of several limits on one number each is promised, where a tighter bound decides too.
        ("pλ . x : ℝ ⇒ laplace[1.0, 1.5] <x> { x } ensures ε ≤ 1, ε ≤ 2, δ ≤ 1e-6", "approx"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5, 0.1] <x> { x } ensures ε ≤ 0.5, δ ≤ 0.2, δ ≤ 0.09", "approx"),
        # In the clear: listed nowhere, by another name, from a box.
        ("pλ . x : ℝ ⇒ return x ensures ε ≤ 1", "eps"),
        ("pλ . x : ℝ, y : ℝ ⇒ laplace[1.0, 1.0] <x> { x + y } ensures ε ≤ 1", "eps"),
        ("pλ . x : ℝ, y : ℝ ⇒ let z = box y in laplace[1.0, 1.0] <x> { x + unbox z } ensures ε ≤ 1", "eps"),
        # Of an inner function, called or not.
        ("let f = pλ . x : ℝ ⇒ laplace[1.0, 2.0] <x> { x } ensures ε ≤ 1 in pλ . y : ℝ ⇒ f@[ . y]", "eps"),
        ("let f = pλ . x : ℝ ⇒ laplace[1.0, 2.0] <x> { x } ensures ε ≤ 1 in pλ . y : ℝ ⇒ return 1.0", "eps"),
        (STEP + "pλ . y : ℝ ⇒ step@[1.0 . y, 1.0]", "eps"),
        (STEP + "pλ . y : ℝ ⇒ step@[ . y, 1.0]", "eps"),
        (STEP + "let twice = pλ b : ℝ⁺ . z : ℝ, b : ℝ⁺[b] ⇒ step@[ . z, b] in pλ . y : ℝ ⇒ twice@[ . y, 0.6]", "eps"),
    ],
)
def test_a_promise_that_is_broken_is_an_error(text: str, notion: str) -> None:
    assert set(outcome(text, notion)[0]) == {"D0511"}


def test_what_numbers_must_decide_is_required() -> None:
    text = "pλ ε : ℝ⁺ . x : ℝ, ε : ℝ⁺[ε] ⇒ laplace[1.0, ε] <x> { x } ensures ε ≤ 1"
    assert outcome(text) == ((), ("ε ≤ 1",))
    assert outcome(text, ε=1) == ((), ())
    assert outcome(text, ε="1.0000001")[0] == ("D0511",)


def test_the_tightest_upper_bound_decides() -> None:
    assert outcome(LOOP, "approx", ε="0.02", δ="1e-9") == ((), ()), "the price is ε = 2"
    assert outcome(LOOP, "approx", ε="0.2", δ="1e-9")[0] == ("D0511",)
    # More δ than promised buys nothing: the accountant is asked at the promised one.
    assert outcome(LOOP.replace("1e-6", "1e-7"), "approx", ε="0.02", δ="1e-7") == ((), ())


def test_a_promise_is_kept_by_the_very_bound_that_is_printed() -> None:
    statement = duetpy.parse(LOOP.partition("ensures")[0], notion="approx").state(
        {"ε": Fraction("0.02"), "δ": Fraction("1e-9")}, Fraction(1, 10**6)
    )
    tight = statement.parameters[0].tight
    assert tight is not None
    assert tight["epsilon"] is not None
    # The next double, as the decimal of a double may lie below it.
    at, below = repr(math.nextafter(tight["epsilon"], 2.0)), repr(tight["epsilon"] * 0.999)
    assert outcome(LOOP.replace("ε ≤ 1,", f"ε ≤ {at},"), "approx", ε="0.02", δ="1e-9")[0] == ()
    assert outcome(LOOP.replace("ε ≤ 1,", f"ε ≤ {below},"), "approx", ε="0.02", δ="1e-9")[0] == ("D0511",)


def test_a_call_is_held_to_the_promise_of_its_function() -> None:
    text = STEP + "pλ ε : ℝ⁺ . y : ℝ, ε : ℝ⁺[ε] ⇒ u ← step@[ . y, ε] ; step@[ . y, ε]"
    assert outcome(text) == ((), ("ε ≤ 0.5",))
    assert outcome(text, ε="0.5") == ((), ())
    assert outcome(text, ε="0.6")[0] == ("D0511",)
    half = STEP + "pλ ε : ℝ⁺ . y : ℝ, ε : ℝ⁺[ε] ⇒ step@[ . y, ε / 2.0]"
    assert outcome(half, ε="0.9") == ((), ())


def test_a_promise_over_the_kinds_of_an_outer_function() -> None:
    text = (
        "let make = sλ a : ℝ⁺ . a : ℝ⁺[a] ⇒ pλ . x : ℝ ⇒ laplace[1.0, a] <x> { x } ensures ε ≤ 0.5 in "
        "pλ . y : ℝ ⇒ (make 0.75)@[ . y]"
    )
    assert outcome(text)[0] == ("D0511",)
    assert outcome(text.replace("0.75", "0.5")) == ((), ())


@pytest.mark.parametrize(
    ("text", "notion", "code"),
    [
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5] <x> { x } ensures θ ≤ 1", "rao", "D0510"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5] <x> { x } ensures ε ≤ 1", "zcdp", "D0510"),
        ("pλ . x : ℝ ⇒ laplace[1.0, 0.5] <x> { x } ensures δ ≤ 0.1", "eps", "D0510"),
        ("pλ . x : ℝ ⇒ gauss[1.0, 0.5, 0.1] <x> { x } ensures ε ≤ 1, δ ≤ 1", "approx", "D0501"),
        ("pλ . x : ℝ ⇒ laplace[1.0, 0.5] <x> { x } ensures ε ≤ ζ", "eps", "D0102"),
    ],
)
def test_what_cannot_be_promised_is_refused(text: str, notion: str, code: str) -> None:
    assert code in outcome(text, notion)[0]


def test_a_promise_does_not_change_what_is_charged() -> None:
    plain = LOOP.partition("ensures")[0]
    types = [judged(text).type for text in (plain, LOOP)]
    terms = [[str(p.cost) for p in type_.parameters] for type_ in types if isinstance(type_, PFun)]
    assert len(terms) == 2
    assert [re.sub(r"\d+", "", term) for term in terms[0]] == [re.sub(r"\d+", "", term) for term in terms[1]]


# ---------------------------------------------------------------------------------------------------------------------
# Runs


def refusal(text: str, notion: str = "eps", **values: object) -> tuple[str, ...]:
    checked = duetpy.parse(text, notion=notion).check()
    with pytest.raises(DuetError) as caught:
        checked.run(**values)
    return tuple(diagnostic.code for diagnostic in caught.value.diagnostics)


def test_a_run_is_held_to_a_promise_before_the_data_is_opened() -> None:
    text = (
        "pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ε : ℝ⁺[ε] ⇒ laplace[auto, ε] <xs> "
        "{ mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } } ensures ε ≤ 1"
    )
    assert refusal(text, xs="no such file.csv", ε=2) == ("D0511",)
    assert duetpy.parse(text, notion="eps").check().run(xs=[[1.0]], ε=1, _insecure_noise="none").result == 1.0


def test_a_run_is_held_to_a_promise_about_the_size_of_the_data() -> None:
    text = (
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ laplace[auto, real (rows xs)] <xs> "
        "{ mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } } ensures ε ≤ 2"
    )
    assert refusal(text, xs=[[1.0]] * 3) == ("D0511",)
    assert duetpy.parse(text, notion="eps").check().run(xs=[[1.0]] * 2, _insecure_noise="none").result == 2.0


def test_a_person_behind_two_parameters_is_promised_the_sum(tmp_path_factory: pytest.TempPathFactory) -> None:
    one = "laplace[auto, 0.75] <{0}> {{ mfold-row 0.0, {0} {{ a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }} }}"
    text = (
        "pλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | n, 1⋅𝔻] ⇒ "
        f"a ← {one.format('xs')} ; {one.format('ys')} ensures ε ≤ 1"
    )
    folder = tmp_path_factory.mktemp("data")
    for name in ("a.csv", "b.csv"):
        (folder / name).write_text("1\n0\n", encoding="utf-8")
    duetpy.parse(text, notion="eps").check().run(xs=folder / "a.csv", ys=folder / "b.csv")
    assert refusal(text, xs=folder / "a.csv", ys=folder / "a.csv") == ("D0511",)


def test_a_function_that_is_passed_around_is_held_to_its_promise_when_it_is_entered() -> None:
    text = (
        "let step = pλ a : ℝ⁺ . x : ℝ, a : ℝ⁺[a] ⇒ laplace[auto, a] <x> { x } ensures ε ≤ 0.5 in "
        "pλ b : ℝ⁺ . y : ℝ, b : ℝ⁺[b] ⇒ let f = if 0 ≡ 0 then step else step in f@[ . y, b]"
    )
    assert refusal(text, y=1.0, b=1) == ("D0511",)


# ---------------------------------------------------------------------------------------------------------------------
# What a function demands of its sizes

ROW = "clip[0.0, 1.0] {0}#[0, 0]"
SHUFFLED = (
    "let f = pλ n : ℕ, k : ℕ . t : 𝕄 [L∞, U | n, 1⋅𝔻], k : ℕ[k] ⇒ "
    f"shuffle[k] t {{ r ⇒ laplace[1.0, 1.0] <r> {{ {ROW.format('r')} }} }} in "
)
CHUNKED = "let f = sλ n : ℕ, b : ℕ . t : 𝕄 [L∞, U | n, 1⋅𝔻], b : ℕ[b] ⇒ chunks[b, t] in "
NOISE = f"laplace[1.0, 1.0] <xs> {{ {ROW.format('xs')} }}"
TABLES = "xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | 4, 1⋅𝔻], zs : 𝕄 [L∞, U | 6, 1⋅𝔻]"


def test_a_call_is_held_to_what_the_function_demands() -> None:
    assert outcome(f"pλ . {TABLES.replace('m', '5')} ⇒ {SHUFFLED} f@[ . xs, 9]") == (("D0501",), ())
    assert outcome(f"pλ . {TABLES.replace('m', '5')} ⇒ {SHUFFLED} f@[ . xs, 5]") == ((), ())


def test_what_a_call_leaves_open_is_required_in_the_names_of_the_caller() -> None:
    text = f"pλ m : ℕ . {TABLES} ⇒ {SHUFFLED} f@[ . xs, 9]"
    assert outcome(text) == ((), ("9 ≤ m", "m ≤ 9"))
    assert outcome(text, m=9) == ((), ())
    assert outcome(text, m=8)[0] == ("D0501",)


def test_the_demands_of_two_calls_are_not_mixed_up() -> None:
    text = f"pλ m : ℕ . {TABLES} ⇒ {CHUNKED} let u = f ys 2 in let v = f zs 3 in let w = f xs 5 in {NOISE}"
    assert outcome(text) == ((), ("5 ∣ m",))
    assert outcome(text, m=20) == ((), ())
    assert outcome(text, m=21)[0] == ("D0501",)


def test_one_call_in_several_steps_is_held_to_all_of_it() -> None:
    text = f"pλ m : ℕ . {TABLES} ⇒ {CHUNKED} let g = f zs in let u = g 2 in let v = g COUNT in {NOISE}"
    assert outcome(text.replace("COUNT", "3")) == ((), ())
    assert outcome(text.replace("COUNT", "4"))[0] == ("D0501",)


def test_a_function_that_is_passed_on_keeps_its_demands() -> None:
    text = (
        "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], ys : 𝕄 [L∞, U | 4, 1⋅𝔻] ⇒ "
        f"let f = pλ n : ℕ . t : 𝕄 [L∞, U | n, 1⋅𝔻] ⇒ let u = chunks[2, t] in laplace[1.0, 1.0] <t> {{ {ROW.format('t')} }} in "
        "let app = sλ g : (∀ n : ℕ . 𝕄 [L∞, U | n, 1⋅𝔻]@1 ⊸⋆ ℝ) ⇒ pλ . t : 𝕄 [L∞, U | 5, 1⋅𝔻] ⇒ g@[ . t] in "
        "let h = app f in f@[ . ys]"
    )
    assert outcome(text)[0] == ("D0504",)


def test_a_function_that_is_passed_on_keeps_its_promise() -> None:
    text = (
        "let step = pλ a : ℝ⁺ . x : ℝ, a : ℝ⁺[a] ⇒ laplace[1.0, SPENT] <x> { x } ensures ε ≤ 0.5 in "
        "let twice = sλ f : (∀ a : ℝ⁺ . ℝ@COST, ℝ⁺[a]@0 ⊸⋆ ℝ) ⇒ pλ . y : ℝ ⇒ u ← f@[2 . y, 2.0] ; f@[2 . y, 2.0] in twice step"
    )
    assert outcome(text.replace("SPENT", "0.5").replace("COST", "0.5"))[0] == ()
    assert outcome(text.replace("SPENT", "a").replace("COST", "a"))[0] == ("D0504",)
