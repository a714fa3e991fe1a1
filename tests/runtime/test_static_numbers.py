"""What is proved of static numbers is true of the numbers that a run computes with: their order, their differences, and what a call
puts in for kind variables."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import duetpy
from duetpy.diagnostics.error import DuetError
from duetpy.runtime.values import statics
from tests.runtime.runs import go

HARDLY_MORE = "1.00000000000000000001"
"""More than 1, and 1 as a double."""

TESTS = {
    f"{HARDLY_MORE} ≤ 1.0": False,
    f"1.0 < {HARDLY_MORE}": True,
    f"not ({HARDLY_MORE} ≤ 1.0)": True,
    f"ℝ⁺[{HARDLY_MORE}] ≤ ℝ⁺[1.0]": False,
    "real 9007199254740993 ≤ 9007199254740992.0": False,
    "1.0 ≤ 1.0": True,
}
ONE, OTHER = "laplace[1.0, 0.25] <x> { x }", "laplace[1.0, 4.0] <x> { x }"


@pytest.mark.parametrize(("test", "holds"), TESTS.items())
def test_a_run_takes_the_branch_that_the_price_is_of(test: str, holds: bool) -> None:
    release = go(f"pλ . x : ℝ ⇒ if {test} then {{ {ONE} }} else {{ {OTHER} }}", {}, x=3.0)
    (mechanism,) = release.releases
    assert release.privacy["total"]["epsilon"] == (0.25 if holds else 4.0)
    assert mechanism["scale"] == pytest.approx(4.0 if holds else 0.25)


def test_a_call_takes_the_branch_that_its_price_is_of() -> None:
    function = f"pλ a : ℝ⁺ . z : ℝ, a : ℝ⁺[a] ⇒ if a ≤ 1.0 then {{ {ONE} }} else {{ {OTHER} }}".replace("x", "z")
    release = go(f"pλ . x : ℝ ⇒ let f = {function} in f@[{HARDLY_MORE} . x, ℝ⁺[{HARDLY_MORE}]]", {}, x=3.0)
    assert release.privacy["total"]["epsilon"] == 4.0
    assert release.releases[0]["scale"] == pytest.approx(0.25)


ROWS = "𝕄 [L∞, U | m, 1⋅𝔻]"
OTHER_ROWS = "(mcreate[L∞ | ℕ[2], ℕ[1]] { i, j ⇒ disc 1.0 })"
CHOSEN = f"if {HARDLY_MORE} ≤ 1.0 then {OTHER_ROWS}#[6, 0] else {{}}#[0, 0]".replace("{ i", "{{ i").replace(
    "0 }", "0 }}"
)
PLACES = {
    "once": CHOSEN.format("xs"),
    "in lanes": f"(mmap-row xs {{ r ⇒ {CHOSEN.format('xs')} }})#[0, 0]",
    "in a fold": f"mfold-row (disc 0.0), xs {{ a, r ⇒ {CHOSEN.format('r')} }}",
    "in a fold of choices": (
        f"mfold-row (disc 0.0), xs {{ a, r ⇒ if a < 0.0 then a ⋅ a else ({CHOSEN.format('r')}) }}"
    ),
}


@pytest.mark.parametrize("body", PLACES.values(), ids=PLACES)
def test_a_branch_that_demands_what_does_not_hold_is_not_computed(body: str) -> None:
    """There is no seventh row in a table of two."""
    text = f"pλ m : ℕ . xs : {ROWS} ⇒ laplace[1.0, 1.0] <xs> {{ clip[0.0, 1.0] ({body}) }}"
    release = go(text, {"xs": [[0.5], [0.5]]}, how={"insecure_noise": "none"})
    assert release.result == 0.5


@pytest.mark.parametrize("digits", [40, 59, 61, 200])
def test_what_a_call_puts_in_is_known_well_enough_for_all_that_is_computed_of_it(digits: int) -> None:
    """ε is half of 10ᵈ times the logarithm of 1 + 10⁻ᵈ, so hardly less than 1/2."""
    function = f"pλ a : ℝ⁺ . z : ℝ ⇒ laplace[1.0, ℝ⁺[log(a) ⋅ 1e{digits}]] <z> {{ z }}"
    release = go(f"pλ . x : ℝ ⇒ let f = {function} in f@[√(1.0 + 1e-{digits}) . x]", {}, x=0.0)
    assert release.privacy["total"]["epsilon"] == pytest.approx(0.5)
    assert release.releases[0]["scale"] == pytest.approx(2.0)


def test_what_a_call_puts_in_goes_on_through_calls() -> None:
    inner = "pλ a : ℝ⁺ . z : ℝ ⇒ laplace[1.0, ℝ⁺[log(a) ⋅ 1e60]] <z> { z }"
    outer = "pλ b : ℝ⁺ . y : ℝ ⇒ f@[√b . y]"
    release = go(f"pλ . x : ℝ ⇒ let f = {inner} in let g = {outer} in g@[√(1.0 + 1e-60) . x]", {}, x=0.0)
    assert release.releases[0]["scale"] == pytest.approx(4.0)


def test_two_calls_with_numbers_that_look_alike_have_noise_of_their_own() -> None:
    function = "pλ a : ℝ⁺ . z : ℝ ⇒ laplace[1.0, ℝ⁺[log(a) ⋅ 1e60]] <z> { z }"
    text = f"pλ . x : ℝ ⇒ let f = {function} in u ← f@[√(1.0 + 1e-60) . x] ; f@[√(1.0 + 1e-58) . x]"
    assert [each["scale"] for each in go(text, {}, x=0.0).releases] == pytest.approx([2.0, 0.02])


NARROW = "clip[ℝ⁺[√2], ℝ⁺[√2 + 1e-{0}]] x"
STRETCHED = {
    "from below": f"1e{{0}} ⋅ ({NARROW} - ℝ⁺[√2])",
    "from above": f"1e{{0}} ⋅ (ℝ⁺[√2 + 1e-{{0}}] - {NARROW})",
    "below zero": "1e{0} ⋅ (clip[-ℝ⁺[√2 + 1e-{0}], -ℝ⁺[√2]] x + ℝ⁺[√2])",
    "twice": "1e{0} ⋅ clip[0.0, ℝ⁺[√2]] (clip[ℝ⁺[√2], ℝ⁺[√2 + 1e-{0}]] x - ℝ⁺[√2])",
}


@pytest.mark.parametrize("body", STRETCHED.values(), ids=STRETCHED)
@pytest.mark.parametrize("digits", [30, 60, 80])
def test_a_range_that_is_narrower_than_its_ends_are_known_is_not_believed(body: str, digits: int) -> None:
    text = f"sλ x : 𝔻 ⇒ {body.format(digits)}"
    sensitivity = duetpy.parse(text).state().parameters[0].value["sensitivity"]
    results = [duetpy.evaluate(text, x=x) for x in (-5.0, 0.0, 5.0)]
    assert max(results) - min(results) <= sensitivity


def test_ranges_of_whole_numbers_stay_as_narrow_as_they_are() -> None:
    text = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻], x : 𝔻 ⇒ clip[ℝ⁺[m], ℝ⁺[m + 1]] x - real (rows xs)"
    assert [each.sensitivity for each in duetpy.parse(text).state().parameters] == ["0", "1"]


UNKNOWN = {
    "below 10^-3000": "x ⋅ ℝ⁺[exp(6000)] ⋅ ℝ⁺[1 / exp(9010)] ⋅ ℝ⁺[exp(3000)]",
    "a divisor below 10^-3000": "x / ℝ⁺[1 / exp(9000)] ⋅ ℝ⁺[1 / exp(9010)]",
    "the logarithm of a number next to 1": "x / ℝ⁺[log(1 + 1e-300⋅1e-300)] ⋅ ℝ⁺[log(1 + 1e-300⋅1e-350⋅√2 + 1e-300⋅1e-350⋅√3)]",
}


@pytest.mark.parametrize("body", UNKNOWN.values(), ids=UNKNOWN)
def test_a_run_does_not_compute_with_a_bound_on_a_number_that_it_does_not_know(body: str) -> None:
    """The bounds are 10^-3000 and about 10^-500, whatever the number."""
    with pytest.raises(DuetError, match="D0501") as refused:
        go(f"pλ . x : ℝ ⇒ laplace[1.0, 1.0] <x> {{ {body} }}", {}, x=1.0)
    assert "thirty digits of" in str(refused.value.diagnostics[0].message)


def test_a_small_number_that_a_run_knows_is_computed_with() -> None:
    body = "x ⋅ ℝ⁺[exp(6000)] ⋅ ℝ⁺[1 / exp(6000)] ⋅ ℝ⁺[log(1 + 1e-400) ⋅ 1e400]"
    assert duetpy.evaluate(f"sλ x : ℝ ⇒ {body}", x=1.0) == pytest.approx(1.0)


CALLED = {
    "with a fraction": "(sλ a : ℝ⁺ . a : ℝ⁺[a], z : ℝ ⇒ z ⊓ √ (a + 1.0)) 2.0 s",
    "with a root": "(sλ a : ℝ⁺ . a : ℝ⁺[a], z : ℝ ⇒ z ⊓ √ (a + 1.0)) (√ 2.0) s",
    "in a call": "(sλ a : ℝ⁺ . a : ℝ⁺[a], z : ℝ ⇒ (sλ b : ℝ⁺ . b : ℝ⁺[b] ⇒ z ⊓ b) (√ (a + √ 2.0))) (√ 2.0) s",
}


@pytest.mark.parametrize("body", CALLED.values(), ids=CALLED)
def test_the_numbers_of_a_function_are_computed_once_however_often_it_is_called(
    body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[str] = []

    def counted(name: str) -> None:
        before = getattr(statics, name)

        def spied(*args: Any) -> Any:
            found.append(name)
            return before(*args)

        monkeypatch.setattr(statics, name, spied)

    counted("_rounded")
    counted("_written_out")
    counts: list[int] = []
    for turns in (2, 20):
        found.clear()
        duetpy.evaluate(f"sλ x : ℝ ⇒ loop ℕ[{turns}] on x {{ i, s ⇒ {body} }}", x=1.0)
        counts.append(len(found))
    assert counts[0] == counts[1] > 0


GIVEN = {
    "the double next to it": 2**0.5,
    "as Python prints it": Fraction("1.4142135623730951"),
    "thirty digits": Fraction("1.41421356237309504880168872421"),
    "sixty digits": Fraction("1.41421356237309504880168872420969807856967187537694807317668"),
}
FUNCTION = "sλ a : ℝ⁺ . a : ℝ⁺[a], b : ℝ⁺[√a], x : ℝ ⇒ b ⋅ x"
PROGRAM = "pλ a : ℝ⁺ . a : ℝ⁺[a], b : ℝ⁺[√a], x : ℝ ⇒ laplace[1.0, b] <x> { x }"
OTHERS: dict[str, Any] = {"a double off": 1.4142135623730954, "four digits": 1.414, "below 0": -(2**0.5)}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_a_root_that_a_type_says_may_be_given_as_the_double_next_to_it(given: Any) -> None:
    assert duetpy.evaluate(FUNCTION, a=2, b=given, x=1.0) == 2**0.5
    assert duetpy.evaluate("sλ p : ℝ⁺[√2] × ℝ ⇒ fst p", p=(given, 1.0)) == 2**0.5
    release = go(PROGRAM, {}, a=2, b=given, x=1.0)
    assert release.privacy["total"]["epsilon"] == pytest.approx(2**0.5)


@pytest.mark.parametrize("given", OTHERS.values(), ids=OTHERS)
def test_another_number_than_the_root_that_a_type_says_is_refused(given: Any) -> None:
    with pytest.raises(DuetError, match="D0611"):
        duetpy.evaluate(FUNCTION, a=2, b=given, x=1.0)
    with pytest.raises(DuetError, match="D0611"):
        go(PROGRAM, {}, a=2, b=given, x=1.0)
    with pytest.raises(DuetError, match="D0611"):
        duetpy.evaluate("sλ p : ℝ⁺[√2] × ℝ ⇒ fst p", p=(given, 1.0))
