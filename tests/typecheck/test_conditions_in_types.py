"""A side condition goes wherever its function goes: the program is refused where a call, or a type that is asked for, would
let it be broken, and accepted where it holds."""

from __future__ import annotations

import pytest

from duetpy import parse
from duetpy.source import Source, Span
from duetpy.typecheck import conditions
from duetpy.typecheck.conditions import Limit, Promise
from duetpy.typecheck.cost import Given
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Comparison, Kind, KindVar, Quantity, Relation, Signed, exp
from tests.effort import often
from tests.typecheck.judging import errors, judged, requirements

TABLE = "𝕄 [L∞, U | {}, 1⋅𝔻]"
LONG = f"(sλ m : ℕ . t : {TABLE.format('m')} ⇒ t#[6, 0])"
"""A function that is only right for tables of seven rows or more."""
SHORT = f"(sλ m : ℕ . t : {TABLE.format('m')} ⇒ t#[0, 0])"
"""One of the same type that is right for all tables."""
NINE = "(mcreate[L∞ | ℕ[9], ℕ[1]] { i, j ⇒ disc 0.0 })"
TWO = "(mcreate[L∞ | ℕ[2], ℕ[1]] { i, j ⇒ disc 0.0 })"
ASKED = f"(∀ m : ℕ . {TABLE.format('m')} ⊸[1] 𝔻)"
NOISE = "laplace[1.0, 1.0] <x> { clip[0.0, 1.0] x }"

FOR_ALL_LONG = "∀ m : ℕ | 7 ≤ m . 𝕄 [L∞, U | m, 1⋅𝔻] ⊸[1] 𝔻"

SHOWN = {
    "a function": (LONG, FOR_ALL_LONG),
    "a pair": (f"⟨{LONG} & 1⟩", f"({FOR_ALL_LONG}) & ℕ[1]"),
    "what a function returns": (f"sλ x : ℝ ⇒ inl[ℝ] {LONG}", f"ℝ ⊸[0] ({FOR_ALL_LONG}) + ℝ"),
    "a promise": (
        "⟨pλ ε : ℝ⁺ . x : 𝔻, ε : ℝ⁺[ε] ⇒ laplace[1.0, 2 ⋅ ε] <x> { clip[0.0, 1.0] x } ensures ε ≤ 1, 1⟩",
        "(∀ ε : ℝ⁺ | ensures ε ≤ 1 . 𝔻@2⋅ε, ℝ⁺[ε]@0 ⊸⋆ ℝ) × ℕ[1]",
    ),
    "without limits of the machine": (
        "⟨sλ n : ℕ . a : ℕ[n] ⇒ mcreate[L∞ | a, ℕ[1]] { i, j ⇒ 0.0 }, 1⟩",
        "(∀ n : ℕ . ℕ[n] ⊸[0] 𝕄 [L∞, U | n, 1⋅ℝ]) × ℕ[1]",
    ),
}


@pytest.mark.parametrize(("text", "shown"), SHOWN.values(), ids=SHOWN)
def test_a_type_is_shown_with_its_conditions(text: str, shown: str) -> None:
    assert parse(text, "eps").state().type == shown


def test_a_price_in_a_type_is_shown_with_what_it_rests_on() -> None:
    text = "pλ ω : ℝ⁺ . x : ℝ, ω : ℝ⁺[ω] ⇒ (pλ . v : ℝ ⇒ gauss[1.0, 0.1, ω] <v> { v })@[ . 3.0 ⋅ x]"
    assert parse(text, "tcdp").state().type == "∀ ω : ℝ⁺ | 1 < ω, 3 < ω . ℝ@⟨0.9, ω/3⟩, ℝ⁺[ω]@0 ⊸⋆ ℝ"


CALLED = {
    "if": f"sλ c : 𝔹 ⇒ (if c then {LONG} else {SHORT}) CALL",
    "if, the other way round": f"sλ c : 𝔹 ⇒ (if c then {SHORT} else {LONG}) CALL",
    "case": f"sλ s : ℝ + ℝ ⇒ (case s {{ inl a ⇒ {SHORT} ; inr b ⇒ {LONG} }}) CALL",
    "if of pairs": f"sλ c : 𝔹 ⇒ let ⟨h, n⟩ = (if c then ⟨{LONG}, 1⟩ else ⟨{SHORT}, 1⟩) in h CALL",
    "if of boxes": f"sλ c : 𝔹 ⇒ (unbox (if c then box {LONG} else box {SHORT})) CALL",
    "case of boxes": f"sλ s : ℝ + ℝ ⇒ (unbox (case s {{ inl a ⇒ box {SHORT} ; inr b ⇒ box {LONG} }})) CALL",
    "a table of functions": f"sλ x : ℝ ⇒ ((mcreate[L∞ | ℕ[1], ℕ[2]] {{ i, j ⇒ {LONG} }})#[0, 1]) CALL",
    "a changed cell": f"sλ x : ℝ ⇒ (((mcreate[L∞ | ℕ[1], ℕ[2]] {{ i, j ⇒ {SHORT} }})#[0, 1 ↦ {LONG}])#[0, 0]) CALL",
    "a let": f"sλ x : ℝ ⇒ let f = {LONG} in let g = f in g CALL",
    "a loop that starts with it": f"sλ x : ℝ ⇒ (loop ℕ[2] on {LONG} {{ i, h ⇒ {SHORT} }}) CALL",
    "a function that returns it": f"sλ x : ℝ ⇒ (sλ y : ℝ ⇒ {LONG}) x CALL",
    "a function of a function": f"sλ x : ℝ ⇒ let f = sλ k : ℕ . u : {TABLE.format('k')} ⇒ {LONG} u in f CALL",
    "a type variable": f"sλ x : ℝ ⇒ (sλ τ : ☆K . a : τ ⇒ a) {LONG} CALL",
    "a kind that was given": f"sλ x : ℝ ⇒ {LONG}@[SIZE] CALL",
}


@pytest.mark.parametrize("text", CALLED.values(), ids=CALLED)
def test_a_call_is_held_to_the_condition(text: str) -> None:
    assert errors(text.replace("CALL", NINE).replace("SIZE", "9")) == ()
    assert errors(text.replace("CALL", TWO).replace("SIZE", "2")) == ("D0501",)


PASSED = {
    "an argument": f"sλ x : ℝ ⇒ (sλ h : {ASKED} ⇒ h {TWO}) GIVEN",
    "an argument of a privacy function": (
        f"let p = sλ h : {ASKED} ⇒ pλ . x : 𝔻 ⇒ laplace[1.0, 1.0] <x> {{ clip[0.0, 1.0] (if x < 1.0 then h {TWO} else x) }} in "
        "p GIVEN"
    ),
    "the second argument of one type variable": f"sλ x : ℝ ⇒ (sλ τ : ☆K . a : τ, b : τ ⇒ b) {SHORT} GIVEN {TWO}",
    "the second use of a function without types": (
        f"sλ x : ℝ ⇒ let use = sλ h ⇒ h {TWO} in let u = use {SHORT} in use GIVEN"
    ),
    "the state of a loop": f"sλ x : ℝ ⇒ (loop ℕ[2] on {SHORT} {{ i, h ⇒ GIVEN }}) {TWO}",
    "the state of a fold": f"sλ m : ℕ . xs : {TABLE.format('m')} ⇒ (mfold-row {SHORT}, xs {{ h, r ⇒ GIVEN }}) {TWO}",
    "the state of a private loop": (
        f"pλ . x : 𝔻 ⇒ h ← loop ℕ[2] on {SHORT} <x> {{ i, h ⇒ return GIVEN }} ; "
        f"laplace[1.0, 1.0] <x> {{ clip[0.0, 1.0] (if x < 1.0 then h {TWO} else x) }}"
    ),
    "the codomain of a function": (f"sλ x : ℝ ⇒ (sλ k : ℝ ⊸[1] {ASKED} ⇒ (k 0.0) {TWO}) (sλ u : ℝ ⇒ GIVEN)"),
    "a part of a pair": f"sλ x : ℝ ⇒ (sλ p : {ASKED} × ℝ ⇒ let ⟨h, n⟩ = p in h {TWO}) ⟨GIVEN, 1.0⟩",
    "a side of a sum": (
        f"sλ x : ℝ ⇒ (sλ s : {ASKED} + ℝ ⇒ case s {{ inl h ⇒ h {TWO} ; inr n ⇒ disc 0.0 }}) (inl[ℝ] GIVEN)"
    ),
    "the argument of what is passed": (f"sλ x : ℝ ⇒ (sλ k : ({ASKED} ⊸[1] 𝔻) ⇒ k GIVEN) (sλ h : {ASKED} ⇒ h {TWO})"),
}


@pytest.mark.parametrize("text", PASSED.values(), ids=PASSED)
def test_a_function_with_a_condition_does_not_stand_for_one_without(text: str) -> None:
    assert errors(text.replace("GIVEN", SHORT)) == ()
    assert errors(text.replace("GIVEN", LONG)) == ("D0504",)


def test_a_batch_function_may_not_give_its_state_a_condition() -> None:
    text = (
        "pλ . xs : 𝕄 [L∞, U | 4, 1⋅𝔻], ys : 𝕄 [L∞, U | 4, 1⋅𝔻], x : 𝔻 ⇒ h ← pfld-rows[ℕ[2], START, xs, ys, "
        f"pλ . a : 𝕄 [L∞, U | 2, 1⋅𝔻], b : 𝕄 [L∞, U | 2, 1⋅𝔻], z : {ASKED} ⇒ return NEXT] ; "
        f"laplace[1.0, 1.0] <x> {{ clip[0.0, 1.0] (if x < 1.0 then h {TWO} else x) }}"
    )
    assert errors(text.replace("START", SHORT).replace("NEXT", "z")) == ()
    assert errors(text.replace("START", SHORT).replace("NEXT", LONG)) == ("D0504",)


def test_a_released_function_keeps_its_condition() -> None:
    text = (
        f"pλ . x : 𝔻 ⇒ h ← if 1 ≡ 1 then {{ return {LONG} }} else {{ return {SHORT} }} ; "
        "laplace[1.0, 1.0] <x> { clip[0.0, 1.0] (if x < 1.0 then h CALL else x) }"
    )
    assert errors(text.replace("CALL", NINE), Notion.PURE) == ()
    assert errors(text.replace("CALL", TWO), Notion.PURE) == ("D0501",)


def test_the_message_names_the_condition_and_where_it_comes_from() -> None:
    (found,) = judged(PASSED["an argument"].replace("GIVEN", LONG)).diagnostics
    assert "7 ≤ m" in found.message
    assert found.span is not None
    assert found.span.text == LONG[1:-1]
    assert [label.span.text for label in found.labels] == ["6"]
    assert "the index lies inside the matrix" in found.labels[0].message
    assert "@[" in found.help


def test_a_stronger_condition_may_be_asked_for() -> None:
    """The order on quantities decides: who knows that 9 ≤ m knows that 7 ≤ m."""
    text = (
        f"sλ x : ℝ ⇒ (loop ℕ[2] on (sλ m : ℕ . t : {TABLE.format('m')} ⇒ t#[FIRST, 0]) {{ i, h ⇒ "
        f"(sλ k : ℕ . t : {TABLE.format('k')} ⇒ t#[NEXT, 0]) }}) {NINE}"
    )
    assert errors(text.replace("FIRST", "8").replace("NEXT", "6")) == ()
    assert errors(text.replace("FIRST", "6").replace("NEXT", "8")) == ("D0504",)


# ---------------------------------------------------------------------------------------------------------------------
# What is required


def test_what_is_required_is_over_the_programs_own_sizes() -> None:
    text = f"sλ n : ℕ . xs : {TABLE.format('n')} ⇒ let f = {LONG} in f xs"
    assert requirements(text) == ("7 ≤ n",)
    assert requirements(f"sλ n : ℕ . xs : {TABLE.format('n')} ⇒ let f = {LONG} in xs#[0, 0]") == ()


def test_a_condition_of_calls_of_calls_is_asked_of_the_first() -> None:
    text = (
        f"sλ n : ℕ . xs : {TABLE.format('n')} ⇒ let f = {LONG} in let g = sλ k : ℕ . u : {TABLE.format('k')} ⇒ f u in "
        f"let h = sλ l : ℕ . v : {TABLE.format('l')} ⇒ g v in h xs"
    )
    assert requirements(text) == ("7 ≤ n",)


def test_a_test_on_sizes_guards_its_branches() -> None:
    text = f"sλ n : ℕ . xs : {TABLE.format('n')} ⇒ if rows xs ≤ 5 then disc 0.0 else {LONG} xs"
    assert requirements(text) == ("7 ≤ n if 5 < n",)
    # Where the sizes are known, the branch that is not taken demands nothing.
    assert errors(text.replace("sλ n : ℕ .", "sλ .").replace("| n,", "| 3,")) == ()
    assert errors(text.replace("sλ n : ℕ .", "sλ .").replace("| n,", "| 3,").replace("≤ 5", "≤ 2")) == ("D0501",)


def test_what_the_test_says_itself_is_not_demanded() -> None:
    """The branch is reached where there are seven rows, so that the function is correct for every size, and can be passed on."""
    body = f"if rows t ≤ 6 then disc 0.0 else {LONG} t"
    assert requirements(f"sλ m : ℕ . t : {TABLE.format('m')} ⇒ {body}") == ()
    given = f"(∀ m : ℕ . {TABLE.format('m')} ⊸[1] 𝔻)"
    passed = f"(sλ f : {given} ⇒ 0.0) (sλ m : ℕ . t : {TABLE.format('m')} ⇒ {body})"
    assert errors(passed) == ()
    assert errors(passed.replace("≤ 6", "≤ 5")) == ("D0504",)


def test_a_test_on_data_guards_nothing() -> None:
    text = f"sλ n : ℕ . xs : {TABLE.format('n')}, c : 𝔹 ⇒ if c then disc 0.0 else {LONG} xs"
    assert requirements(text) == ("7 ≤ n",)


def test_calls_that_double_at_every_level_end() -> None:
    """Conditions that follow from one another are kept once, and a function with too many of others is refused."""
    lines = [f"let f0 = {LONG} in"]
    for level in range(1, 19):
        lines.append(
            f"let f{level} = sλ m : ℕ . t : {TABLE.format('m')} ⇒ "
            f"if 0 ≡ 1 then f{level - 1} t else f{level - 1} (mcreate[L∞ | rows t + ℕ[{2**level}], ℕ[1]] {{ i, j ⇒ disc 0.0 }}) in"
        )
    text = "\n".join([*lines, f"sλ n : ℕ . xs : {TABLE.format('n')} ⇒ f18 xs"])
    assert errors(text) in ((), ("D0503",))


def test_of_numerals_below_one_quantity_the_largest_is_demanded() -> None:
    """A body that reads very many rows one by one demands the last of them, and of each branch what that branch reads."""
    count = often(1500, 500)
    reads = " + ".join(f"t#[{row}, 0]" for row in range(count))
    text = f"sλ m : ℕ . t : {TABLE.format('m')} ⇒ {reads}"
    assert requirements(text) == (f"{count} ≤ m",)
    guarded = f"sλ m : ℕ . t : {TABLE.format('m')} ⇒ if rows t < 9 then t#[3, 0] else t#[6, 0] + t#[4, 0] + t#[11, 0]"
    assert requirements(guarded) == ("4 ≤ m if m < 9", "12 ≤ m if 9 ≤ m")
    called = f"sλ x : ℝ ⇒ let f = sλ m : ℕ . t : {TABLE.format('m')} ⇒ t#[6, 0] + t#[1, 0] in f CALLED"
    assert errors(called.replace("CALLED", NINE)) == ()
    assert errors(called.replace("CALLED", TWO)) == ("D0501",)


def test_other_relations_are_demanded_one_by_one() -> None:
    """Of divisors each counts, and a number that is not static below another one."""
    text = (
        f"sλ m : ℕ, k : ℕ . t : {TABLE.format('m')}, k : ℕ[k] ⇒ "
        "let a = chunks[2, t] in let b = chunks[3, t] in t#[k, 0] + t#[2, 0]"
    )
    assert requirements(text) == ("2 ∣ m", "3 ∣ m", "k + 1 ≤ m", "3 ≤ m")


@pytest.mark.parametrize(
    ("head", "number", "demanded"),
    [
        ("m : ℕ . k : ℕ[m]", "real k / 2.0", ("1 ≤ m/2", "2 ∣ m")),
        ("m : ℕ, n : ℕ . k : ℕ[m], l : ℕ[n]", "real k / real l", ("1 ≤ m/n", "n ∣ m")),
        ("ε : ℝ⁺ . e : ℝ⁺[ε]", "e", ("1 ≤ ε", "1 ∣ ε")),
        ("m : ℕ . k : ℕ[m]", "real k ⋅ 3.0", ()),
        ("m : ℕ . k : ℕ[m]", "real (k ⊔ ℕ[3])", ()),
    ],
)
def test_what_a_call_puts_in_for_a_size_is_a_whole_number(head: str, number: str, demanded: tuple[str, ...]) -> None:
    turns = "sλ n : ℕ . number : ℝ⁺[n], y : 𝔻 ⇒ loop ℕ[n] on y { i, s ⇒ s + y }"
    assert requirements(f"sλ {head}, y : 𝔻 ⇒ ({turns}) ({number}) y") == demanded


# ---------------------------------------------------------------------------------------------------------------------
# Kinds that a call leaves open


@pytest.mark.parametrize(
    "text",
    [
        "sλ x : 𝔻 ⇒ let f = sλ η : ℝ⁺ . y : 𝔻 ⇒ y + disc ℝ⁺[η] in f x",
        "sλ x : ℝ ⇒ let f = sλ u : ℝ⁺ . y : ℝ ⇒ sλ z : ℝ ⇒ ℝ⁺[u] ⋅ z in f x x",
        "sλ x : ℝ ⇒ let f = sλ u : ℝ⁺, b : ℝ⁺ . y : ℝ, c : ℝ⁺[b] ⇒ c ⋅ y in f x 2.0",
    ],
)
def test_a_kind_that_nothing_tells_is_asked_for_by_name(text: str) -> None:
    (found,) = judged(text).diagnostics
    assert found.code == "D0210"
    assert "@[" in found.help


def test_a_kind_may_be_told_by_a_later_argument() -> None:
    text = "sλ x : ℝ ⇒ let f = sλ b : ℝ⁺ . y : ℝ, c : ℝ⁺[b] ⇒ ℝ⁺[b] ⋅ y in REST"
    assert errors(text.replace("REST", "f x 2.0")) == ()
    assert errors(text.replace("REST", "f 1.0 2.0")) == ()
    assert errors(text.replace("REST", "let g = f 1.0 in g 2.0 + g x")) != ()
    assert errors(text.replace("REST", "let g = f 1.0 in g 2.0 + g 3.0")) == ()


@pytest.mark.parametrize("rest", ["let g = f x in g 2.0", "let g = f x in g 2.0 + g 100.0", "(f x)@[3.0] 3.0", "f x"])
def test_no_input_moves_a_result_by_a_kind_that_stays_open(rest: str) -> None:
    """Each call of what is left may give it another value, and outside of the function it has none."""
    (found,) = judged(f"sλ x : ℝ ⇒ let f = sλ b : ℝ⁺ . y : ℝ, c : ℝ⁺[b] ⇒ ℝ⁺[b] ⋅ y in {rest}").diagnostics
    assert (found.code, found.message) == ("D0210", "cannot infer b, on which the sensitivity of this call depends")


# ---------------------------------------------------------------------------------------------------------------------
# Static numbers and sizes


@pytest.mark.parametrize("number", ["disc ℝ⁺[∞]", "disc ℝ⁺[exp(∞)]", "clip[0.0, ℝ⁺[∞]] x"])
def test_a_static_number_is_finite(number: str) -> None:
    assert errors(f"sλ x : ℝ, c : 𝔹 ⇒ let u = if c then {number} else {number} in 0.0") == ("D0501", "D0501")


def test_a_function_whose_static_number_may_be_too_large_is_not_passed_on() -> None:
    asked = "(∀ η : ℝ⁺ . ℝ⁺[η] ⊸[0] 𝔻)"
    text = f"sλ x : ℝ ⇒ (sλ f : {asked} ⇒ f 9.0) (sλ η : ℝ⁺ . e : ℝ⁺[η] ⇒ disc ℝ⁺[NUMBER])"
    assert errors(text.replace("NUMBER", "η ⋅ η")) == ()
    assert errors(text.replace("NUMBER", "exp(exp(η))")) == ("D0504",)


def test_a_function_that_makes_larger_tables_than_it_is_given_is_not_passed_on() -> None:
    make = f"(sλ m : ℕ . t : {TABLE.format('m')} ⇒ (mcreate[L∞ | SIZE, ℕ[1]] {{ i, j ⇒ disc 0.0 }})#[0, 0])"
    text = f"sλ x : ℝ ⇒ (sλ h : {ASKED} ⇒ h {TWO}) {make}"
    assert errors(text.replace("SIZE", "rows t")) == ()
    assert errors(text.replace("SIZE", "rows t ⋅ rows t")) == ("D0504",)
    assert errors(text.replace("SIZE", "rows t ⋅ (rows t ⊓ ℕ[8192])")) == ("D0504",)


def test_a_function_that_goes_over_the_rows_that_it_is_given_is_passed_on() -> None:
    asked = "(∀ m : ℕ, n : ℕ . 𝕄 [L∞, U | SIZE, n⋅𝔻] ⊸[1] 𝕄 [L∞, U | SIZE, n⋅𝔻])"
    given = "(sλ m : ℕ, n : ℕ . t : 𝕄 [L∞, U | SIZE, n⋅𝔻] ⇒ mmap-row t { r ⇒ mmap r { x ⇒ x + disc 1.0 } })"
    text = f"sλ x : ℝ ⇒ (sλ h : {asked} ⇒ 0.0) {given}"
    assert errors(text.replace("SIZE", "m")) == ()
    assert errors(text.replace("SIZE", "★")) == ()


def test_limits_of_the_machine_are_not_looked_for_in_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known about them before a run, so a search for a proof would be long and without success."""

    def searched(*_: object) -> None:
        raise AssertionError("no proof is looked for")

    monkeypatch.setattr(conditions, "decided", searched)
    number = exp(Quantity.var(KindVar.fresh("b", Kind.POS)))
    span = Span(Source("x", ""), 0, 0)
    for limit in conditions.MACHINE:
        assert conditions.Obligation(number, "<", Quantity.var(limit), "", span).decided() is None


@pytest.mark.parametrize(
    ("relation", "other", "follows"), [("≤", "≤", True), ("≤", "<", True), ("<", "<", True), ("<", "≤", False)]
)
def test_a_strict_condition_follows_from_a_strict_one_alone(relation: Relation, other: Relation, follows: bool) -> None:
    size, place = Quantity.var(KindVar.fresh("m", Kind.NAT)), Span(Source("m.duet", ""), 0, 0)
    wanted = conditions.Obligation(Quantity.of(2), relation, size, "because", place)
    known = conditions.Obligation(Quantity.of(2), other, size, "because", place)
    assert wanted.follows_from(known) is follows


SIZE = KindVar.fresh("m", Kind.NAT)
FEW = Comparison(Signed(False, Quantity.var(SIZE)), True, Signed.of(5))


def least(number: int, *under: Comparison) -> conditions.Obligation:
    """That a size is at least a number, under tests."""
    place = Span(Source("m.duet", ""), 0, 0)
    return conditions.Obligation(Quantity.of(number), "≤", Quantity.var(SIZE), "because", place, under)


def test_a_condition_under_a_test_says_nothing_where_the_test_fails() -> None:
    assert least(2, FEW).follows_from(least(2))
    assert least(2, FEW).follows_from(least(3, FEW))
    assert not least(2).follows_from(least(2, FEW))
    assert not least(2, FEW.opposite()).follows_from(least(3, FEW))


def test_a_condition_that_fails_under_a_test_refuses_nothing_yet() -> None:
    false = {SIZE: Quantity.of(1)}
    assert least(2).substitute(false).decided() is False
    assert (
        least(2, Comparison(Signed.of(7), True, Signed(False, Quantity.var(KindVar.fresh("k", Kind.NAT)))))
        .substitute(false)
        .decided()
        is None
    )
    assert least(2, FEW.opposite()).substitute(false).decided() is True


def test_how_large_values_of_a_type_are_is_a_condition_on_the_type() -> None:
    variable = KindVar.fresh("τ", Kind.TYPE)
    place = Span(Source("m.duet", ""), 0, 0)
    cells = conditions.cells_of_variable(variable)
    assert conditions.Obligation(cells, "≤", Quantity.var(SIZE), "", place).variables() == {variable, SIZE}


def test_a_promise_about_an_order_is_not_plain() -> None:
    """A bound at orders up to 4 says nothing about those up to 10, though 4 ≤ 10."""
    place = Span(Source("m.duet", ""), 0, 0)
    cost = Given(Notion.RENYI, (Quantity.of(4), Quantity.of("0.5")))
    limits = tuple(Limit(letter, Quantity.of(bound), place) for letter, bound in (("α", 10), ("ε", 1)))
    promise = Promise(Notion.RENYI, limits, (("x", cost),))
    assert not promise.is_plain()
    assert not conditions.follows(promise, ())
    pure = Promise(Notion.PURE, limits[1:], (("x", Given(Notion.PURE, (Quantity.of("0.5"),))),))
    assert pure.is_plain()


def test_what_is_smaller_need_not_divide() -> None:
    place = Span(Source("m.duet", ""), 0, 0)
    batch, rows = (Quantity.var(KindVar.fresh(name, Kind.NAT)) for name in "bm")
    divides = conditions.Obligation(batch, "∣", rows, "every batch is full", place)
    for relation in ("<", "≤"):
        smaller = conditions.Obligation(batch, relation, rows, "because", place)
        assert not conditions.follows(divides, (smaller,))
    assert conditions.follows(divides, (divides,))


def test_a_condition_speaks_of_what_its_test_speaks_of() -> None:
    """It is demanded where the number of the test is known, also if it mentions no other number."""
    place = Span(Source("m.duet", ""), 0, 0)
    size, other = KindVar.fresh("m", Kind.NAT), KindVar.fresh("n", Kind.NAT)
    test = Comparison(Signed.of(5), True, Signed(False, Quantity.var(size)))
    inside = conditions.Obligation(Quantity.var(other), "≤", Quantity.of(3), "because", place, (test,))
    assert inside.variables() == {size, other}


@pytest.mark.parametrize("table", ["0, 1⋅ℝ", "1, 0⋅ℝ", "1, []"])
def test_a_table_without_cells_is_refused_where_it_is_written(table: str) -> None:
    kept = "(sλ τ : ☆K . x : τ ⇒ mcreate[L∞ | ℕ[2], ℕ[2]] { i, j ⇒ x })"
    assert errors(f"sλ t : 𝕄 [L∞, U | {table}] ⇒ {kept} t") == ("D0501",)
    assert errors(f"let f = {kept} in f@[𝕄 [L∞, U | {table}]]") == ("D0501",)
