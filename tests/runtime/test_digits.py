"""Of a root a run knows so many digits: equal numbers have the same ones, however they are written and whoever found them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from itertools import combinations, permutations, product
from operator import add, mul

import pytest

from duetpy.diagnostics.error import DuetError
from duetpy.runtime.release.noiseless import evaluate
from duetpy.runtime.values.statics import KindScope, Static
from duetpy.source import Span
from duetpy.typecheck.quantity import ONE, ZERO, Kind, KindVar, Quantity, Signed, exp, log
from tests.soundness.broken.digits import DIGITS
from tests.soundness.evaluated import by_evaluator
from tests.soundness.falsify import program
from tests.soundness.mutants import planted
from tests.soundness.plain import Table

IN_A_CALL = "let f = sλ a : ℝ⁺, b : ℝ⁺ . y : ℝ, c : ℝ⁺[a], e : ℝ⁺[b] ⇒ {} in sλ d : 𝔹 ⇒ (sλ p : {} ⇒ {}) ({})"
"""What a function finds of √a⋅√b, where the form of the other branch is another one."""
CALL = "if d then f 1.0 {} {} else {}"
SECOND = "fst (snd p)"
EQUAL = (
    ("2.0", "8.0", "4.0"),
    ("1.0", "8.0", "√ 8.0"),
    ("ℝ⁺[1/3]", "ℝ⁺[1/3]", "ℝ⁺[1/3]"),
    ("8.0", "3.0", "2.0 ⋅ √ 6.0"),
)
IN_PAIRS = (
    ("⟨{}, 1.0⟩", "ℝ × ℝ", "fst p", "{}"),
    ("⟨{} & 1.0⟩", "ℝ & ℝ", "fst p", "{}"),
    ("⟨1.0, ⟨{}, 1.0⟩⟩", "ℝ × (ℝ × ℝ)", SECOND, "{}"),
    ("⟨{}, 1.0⟩", "ℝ × ℝ", "fst p", "loop ℕ[1] on {} {{ i, q ⇒ q }}"),
)
PAIRS = tuple(
    IN_A_CALL.format(pair.format("√ c ⋅ √ e"), type_, taken, kept.format(CALL.format(one, two, pair.format(equal))))
    for (pair, type_, taken, kept), (one, two, equal) in product(IN_PAIRS, EQUAL)
)


def moved(text: str) -> Fraction:
    """How far a number moves that is claimed not to depend on a truth value."""
    claim = program(text)
    assert claim.parameters[-1].sensitivity == ZERO
    first, second = (by_evaluator(claim)({}, [each]) for each in (False, True))
    return abs(Fraction(first) - Fraction(second))


def test_digits_that_depend_on_the_form_are_seen() -> None:
    with planted(DIGITS):
        assert any(moved(text) > 0 for text in PAIRS)


@pytest.mark.parametrize("text", PAIRS)
def test_the_numbers_in_a_pair_are_the_same_whoever_found_them(text: str) -> None:
    assert moved(text) == 0


def test_a_pair_in_rows_has_the_same_digits_in_all_of_them() -> None:
    body = "(sλ p : ℝ × ℝ ⇒ fst p) (if r#[0, 0] < 1.0 then f 1.0 8.0 else ⟨√ 8.0, 1.0⟩)"
    function = "let f = sλ a : ℝ⁺ . y : ℝ, c : ℝ⁺[a] ⇒ ⟨√ c, 1.0⟩ in"
    claim = program(f"{function} sλ xs : 𝕄 [L∞, U | 2, 1⋅𝔻] ⇒ mfold-row 0.0, xs {{ s, r ⇒ s + {body} }}")
    assert claim.parameters[-1].sensitivity == ZERO
    found = [by_evaluator(claim)({}, [Table(((0.0,), (each,)), 1)]) for each in (0.0, 2.0)]
    assert found[0] == found[1]


def computed(quantity: Quantity, numbers: dict[KindVar, Fraction] | None = None) -> Fraction:
    """The number that a run takes for a static number."""
    return KindScope(numbers or {}).signed(Signed(False, quantity), None)


ROOTS = [Quantity.of(number).sqrt() for number in (6, 10, 15, 21)]
SCALES = [exp(root) for root in ROOTS]
LOGARITHMS = [log(scale + ONE) for scale in ROOTS]


@pytest.mark.parametrize("parts", [ROOTS, SCALES, LOGARITHMS], ids=["roots", "powers of e", "logarithms"])
@pytest.mark.parametrize("combined", [add, mul])
def test_a_number_does_not_depend_on_the_order_of_its_parts(
    combined: Callable[[Quantity, Quantity], Quantity], parts: list[Quantity]
) -> None:
    assert len({computed(reduce(combined, order)) for order in permutations(parts)}) == 1


def test_a_number_is_the_same_in_the_scope_of_a_function() -> None:
    a, b = (KindVar(name, Kind.POS, uid) for uid, name in enumerate("ab"))
    forms = [
        Quantity.var(a).sqrt() * Quantity.var(b).sqrt(),
        (Quantity.var(a) * Quantity.var(b)).sqrt() + exp(Quantity.var(a).sqrt()),
        log(Quantity.var(a) + Quantity.var(b).sqrt()) / Quantity.var(b),
    ]
    numbers = [Fraction(number) for number in (2, 8, Fraction(1, 3), Fraction(12, 7), 1)]
    for form, one, other in product(forms, numbers, numbers):
        outside = form.substitute({a: Quantity.of(one), b: Quantity.of(other)})
        assert computed(form, {a: one, b: other}) == computed(outside)


def test_of_two_numbers_the_smaller_one_stays_the_smaller_one() -> None:
    found = [computed(each) for each in (*ROOTS, *SCALES, *LOGARITHMS)]
    for (one, first), (other, second) in combinations(zip((*ROOTS, *SCALES, *LOGARITHMS), found, strict=True), 2):
        assert first <= second or not one.leq(other)
        assert second <= first or not other.leq(one)


ABOVE_ROOT_2, BELOW_ROOT_5 = "1.414213562373095048801688724209699", "2.236067977499789696409173668731"
"""Above √2 and below what a run takes for it; below √5 and above what a run takes for it."""
NEXT_TO_ROOTS = (
    f"((clip[0.0, √ 2.0] {{}}) - {ABOVE_ROOT_2}) ⊔ 0.0",
    f"(clip[0.0, √ 2.0] {{}}) ⊔ {ABOVE_ROOT_2}",
    f"(√ 5.0 - clip[0.0, {BELOW_ROOT_5}] {{}}) ⊓ 0.0",
    f"clip[√ 2.0, {ABOVE_ROOT_2}] {{}}",
    f"if clip[0.0, √ 2.0] {{}} ≤ {ABOVE_ROOT_2} then 1.0 else 0.0",
    f"if clip[0.0, {BELOW_ROOT_5}] {{}} ≤ √ 5.0 then 1.0 else 0.0",
)


@pytest.mark.parametrize("body", NEXT_TO_ROOTS)
def test_a_fraction_between_a_root_and_its_digits_is_on_no_side_of_it(body: str) -> None:
    claim = program(f"sλ d : 𝔹 ⇒ {body.format('(if d then 0.0 else 3.0)')}")
    first, second = (Fraction(by_evaluator(claim)({}, [each])) for each in (False, True))
    assert abs(first - second) <= claim.parameters[-1].sensitivity.evaluate({}, up=False)


def test_a_number_of_which_no_thirty_digits_are_known_is_refused() -> None:
    """10^29 + 1/2 is between two numbers of thirty digits, and a root is as near to it as any number of digits can tell."""
    between = Quantity.of(10**29 + Fraction(1, 2)) + Quantity.of(Fraction(1, 10**200)).sqrt() / Quantity.of(2).sqrt()
    with pytest.raises(DuetError, match=r"thirty digits of .* cannot be computed"):
        computed(between)


def test_a_number_in_a_function_is_not_computed_again_for_each_call(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Quantity] = []
    static = KindScope.static

    def seen(self: KindScope, quantity: Quantity, span: Span | None) -> Static:
        found.append(quantity)
        return static(self, quantity, span)

    monkeypatch.setattr(KindScope, "static", seen)
    function = "let f = sλ a : ℝ⁺ . y : ℝ, c : ℝ⁺[a] ⇒ y + ℝ⁺[log (a + √7.0)] in"
    assert evaluate(f"{function} sλ y : ℝ ⇒ loop ℕ[40] on y {{ i, s ⇒ f s 2.0 }}", y=0.0) > 40
    assert sum(len(quantity.variables()) for quantity in found) == 1
