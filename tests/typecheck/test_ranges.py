"""Numbers that are known to lie in a range: how far their products move, and that what runs is in the range."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from duetpy.runtime.exact import whole_numbers
from duetpy.typecheck.degrees import LONGEST
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.judgement import Judged, Range, range_of
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import ONE, ZERO, Kind, KindVar, Quantity, Signed
from duetpy.typecheck.ranges import GREATEST_NATURAL, distance_from_0, range_after, range_of_picked, slopes_in_ranges
from duetpy.typecheck.types import NAT, REAL, Type
from tests.effort import often
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.ranges import APPROXIMATE, ROUNDED, ROUNDED_RANGES, STOPPED
from tests.soundness.evaluated import by_evaluator
from tests.soundness.falsify import check, program, searched
from tests.soundness.mutants import planted
from tests.soundness.plain import Table

OUTSIDE = "clip[8193.0, 8193.5] (1.0 / x) + 1e20 - 1e20 - 8193.0"
"""In [0, 0.5]. In doubles it would be 8191."""

ROUNDABLE = (
    f"sλ . x : ℝ, xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfold-row 0.0, xs {{ a, r ⇒ a + ({OUTSIDE}) }}",
    f"sλ . x : ℝ, y : ℝ ⇒ clip[-9.0, 9.0] y ⋅ ({OUTSIDE})",
    f"sλ . y : ℝ ⇒ let x = dyn 0.5 in clip[-9.0, 9.0] y ⋅ ({OUTSIDE})",
)


def sensitivities(text: str) -> list[str]:
    return [parameter.sensitivity.show() for parameter in program(text).parameters]


@pytest.mark.parametrize("text", ROUNDABLE)
def test_what_lies_in_a_range_is_not_rounded_out_of_it(text: str) -> None:
    claim = program(text)
    assert claim.parameters[-1].sensitivity.show() == "0.5"
    assert searched(claim, by_evaluator(claim), 60).refutation is None


@pytest.mark.parametrize("mutant", ROUNDED, ids=[mutant.name for mutant in ROUNDED])
@pytest.mark.parametrize("text", ROUNDABLE)
def test_a_number_that_is_rounded_out_of_its_range_is_found(text: str, mutant: Mutant) -> None:
    with planted(mutant):
        claim = program(text)
        assert searched(claim, by_evaluator(claim), 60).refutation is not None


@pytest.mark.parametrize(
    "text",
    [
        "sλ . x : ℝ, xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfold-row 0.0, xs { a, r ⇒ "
        f"a + clip[0.0, 0.5] (loop ℕ[2] on x {{ i, x ⇒ {OUTSIDE} }}) }}",
        "sλ . x : ℝ, y : ℝ ⇒ clip[0.0, 1.0] y ⋅ loop ℕ[3] on x { i, s ⇒ clip[0.0, 1.0] s ⋅ clip[0.0, 1.0] s }",
    ],
)
def test_where_nothing_says_how_long_numbers_get_they_are_rounded_and_in_no_range(text: str) -> None:
    claim = program(text)
    assert searched(claim, by_evaluator(claim), 60).refutation is None


HUGE = f"ℕ[{'⋅'.join(['1' + '0' * 15] * 24)}]"
"""10^360: what is added to it in a run stops at 2^1024."""

STOPPING = (
    f"let n = (if r#[0, 0] < 1.0 then {HUGE} else {HUGE} + 1) in {HUGE} + ℕ[2] - (n + 1)",
    f"let n = (if r#[0, 0] < 1.0 then {HUGE} else {HUGE} + 1) in {HUGE} ⋅ ℕ[3] + ℕ[3] - 3 ⋅ n",
    f"{HUGE} ⋅ ℕ[3] + ℕ[3] - mfold-row 0, ys {{ b, s ⇒ b + if r#[0, 0] < 1.0 then {HUGE} else {HUGE} + 1 }}",
)
STOPPED_SUMS = tuple(
    f"sλ . ys : 𝕄 [L∞, U | 3, 1⋅𝔻], xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfold-row 0, xs {{ a, r ⇒ a + ({term}) }}"
    for term in STOPPING
)


@pytest.mark.parametrize("text", STOPPED_SUMS)
def test_natural_numbers_that_stop_lie_in_the_range_that_is_claimed(text: str) -> None:
    claim = program(text)
    assert searched(claim, by_evaluator(claim), 60).refutation is None
    with planted(STOPPED[0]):
        claim = program(text)
        assert searched(claim, by_evaluator(claim), 60).refutation is not None


def test_ranges_know_where_natural_numbers_stop() -> None:
    assert Quantity.of(whole_numbers.GREATEST_NATURAL) == GREATEST_NATURAL


def squares(times: int) -> str:
    lets = "".join(f"let x{at + 1} = x{at} ⋅ x{at} in " for at in range(times))
    return f"sλ . x : ℝ ⇒ let x0 = clip[0.0, 1.0] x in {lets}x{times}"


def test_products_of_many_numbers_have_no_sensitivity_of_their_own() -> None:
    assert LONGEST == 2**4
    assert sensitivities(squares(4)) == ["16"]
    assert sensitivities(squares(5)) == ["∞"]


def test_repeated_squares_take_no_more_memory_than_doubles() -> None:
    for text in (
        squares(200),
        "sλ . x : ℝ ⇒ loop ℕ[300] on x { i, s ⇒ clip[0.0, 1.0] s ⋅ clip[0.0, 1.0] s }",
        "sλ . x : ℝ ⇒ let f = sλ y : ℝ ⇒ clip y ⋅ clip y in "
        + "".join(f"let y{at} = f {f'y{at - 1}' if at else 'x'} in " for at in range(200))
        + "y199",
    ):
        claim = program(text)
        assert [parameter.sensitivity.show() for parameter in claim.parameters] == ["∞"]
        assert by_evaluator(claim)({}, [Fraction(1)]) == 1
        assert by_evaluator(claim)({}, [Fraction(1, 3)]) < Fraction(1, 1000)


SQUARE = "clip[0.0, 1.0] x ⋅ clip[0.0, 1.0] x"

SQUARED = {
    f"sλ . xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ (mmap xs {{ x ⇒ {SQUARE} }})#[0, 0]": "2",
    f"sλ . xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ (mmap xs, xs {{ x, y ⇒ {SQUARE} }})#[0, 0]": "2",
    f"sλ . xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ (mmap-row xs {{ r ⇒ let x = r#[0, 0] in {SQUARE} }})#[0, 0]": "2",
    f"sλ . xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ (mmap-row xs, xs {{ r, s ⇒ let x = r#[0, 0] in {SQUARE} }})#[0, 0]": "2",
    f"sλ . xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ (mmap-col xs {{ c ⇒ let x = c#[0, 0] in {SQUARE} }})#[0, 0]": "2",
    f"sλ . xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ let x = (mmap-col xs {{ c ⇒ c#[1, 0] }})#[0, 0] in {SQUARE}": "2",
    f"sλ . xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ let x = (mmap-col xs {{ c ⇒ c }})#[1, 0] in {SQUARE}": "2",
    f"sλ . xs : 𝔻𝔽[a : ℝ, s : 𝕊] ⇒ mfold-row 0.0, (bmap xs {{ r ⇒ let x = r.a in {SQUARE} }}) {{ t, r ⇒ t + r#[0, 0] }}": "1",
    "sλ . xs : 𝔻𝔽[a : ℝ, s : 𝕊] ⇒"
    ' mfold-row 0, (mfilter (bmap xs { r ⇒ { s = r.s, a = clip[0, 1] (disc r.a) } }) { r ⇒ r.s ≡ "a" }).[a, s] {'
    f" t, r ⇒ t + (let x = r.a in {SQUARE}) }}": "1",
    "sλ . xs : 𝔻𝔽[a : ℝ, s : 𝕊] ⇒"
    f" mfold-row 0.0, (mapDF xs {{ r ⇒ addColDF⧼v⧽ ⟨r, r.a⟩ }}) {{ t, r ⇒ t + (let x = r.v in {SQUARE}) }}": "1",
    f"sλ . y : ℝ ⇒ let x = (addColDF⧼v⧽ y).v in {SQUARE}": "2",
    "sλ . xs : 𝔻𝔽[a : ℝ, s : 𝕊] ⇒ mfold-row 0.0,"
    f' (joinDF₁⧼s⧽[xs, {{ s = "a", b = 2.0 }}]) {{ t, r ⇒ t + (let x = r.a in {SQUARE}) }}': "1",
    'sλ . xs : 𝔻𝔽[a : ℝ, s : 𝕊] ⇒ mfold-row 0.0, (partitionDF[xs, s, ℘{"a"}]) {'
    f" t, g ⇒ t + clip[0.0, 9.0] (mfold-row 0.0, g#[0, 0] {{ t, r ⇒ t + (let x = r.a in {SQUARE}) }}) }}": "9",
    "sλ . ps : persons[id : 𝕊 | visits : 𝔻𝔽[a : ℝ, s : 𝕊]] ⇒"
    f" mfold-row 0.0, (flat[3] ps {{ p ⇒ p.visits }}) {{ t, r ⇒ t + (let x = r.a in {SQUARE}) }}": "3",
    f"sλ . xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ let x = (renorm[L2] xs)#[0, 0] in {SQUARE}": "2",
    f"sλ . xs : 𝕄 [L1, U | 3, 1⋅ℝ] ⇒ let ⟨p, q⟩ = zip[xs, xs]#[0, 0] in let x = p#[0, 0] in {SQUARE}": "2",
    f"sλ . xs : 𝕄 [L1, U | 4, 1⋅ℝ] ⇒ let x = chunks[2, xs]#[0, 0]#[1, 0] in {SQUARE}": "2",
    f"sλ . p : ℝ × 𝕊 ⇒ let x = fst p in {SQUARE}": "2",
    f"sλ . p : ℝ × 𝕊 ⇒ let ⟨x, s⟩ = p in {SQUARE}": "2",
    f"sλ . p : ℝ + 𝕊 ⇒ case p {{ inl x ⇒ {SQUARE} ; inr s ⇒ 0.0 }}": "2",
    f'sλ . x : ℝ ⇒ case (if true then inl[𝕊] x else inr[ℝ] "a") {{ inl x ⇒ {SQUARE} ; inr s ⇒ 0.0 }}': "2",
    f"sλ . xs : 𝕄 [L1, U | 3, 1⋅𝔻] ⇒ let x = count xs / 3.0 in {SQUARE}": "2/3",
}


@pytest.mark.parametrize("text", SQUARED)
def test_the_numbers_that_are_multiplied_are_known_in_maps_and_parts(text: str) -> None:
    assert sensitivities(text) == [SQUARED[text]]


def test_what_a_map_multiplies_is_exact() -> None:
    claim = program(next(iter(SQUARED)))
    table = Table(((Fraction(2) ** -600,), (Fraction(0),), (Fraction(0),)), 1)
    assert by_evaluator(claim)({}, [table]) == Fraction(2) ** -1200


def test_maps_multiply_as_many_numbers_as_other_forms_do() -> None:
    for times, sensitivity in (4, "16"), (5, "∞"):
        text = f"sλ . xs : 𝕄 [L1, U | 1, 1⋅ℝ] ⇒ {'mmap ' * times}xs" + f" {{ x ⇒ {SQUARE} }}" * times
        assert sensitivities(text) == [sensitivity]
    claim = program(f"sλ . xs : 𝕄 [L1, U | 1, 1⋅ℝ] ⇒ (loop ℕ[300] on xs {{ i, t ⇒ mmap t {{ x ⇒ {SQUARE} }} }})#[0, 0]")
    assert by_evaluator(claim)({}, [Table(((Fraction(3, 4),),), 1)]) < Fraction(1, 1000)


def squares_of_discrete(times: int, end: str) -> str:
    return squares(times).replace("x : ℝ", "x : 𝔻").replace("1.0", end)


def test_repeated_squares_of_what_is_clipped_are_short_and_in_their_range() -> None:
    claim = program(squares_of_discrete(200, "1.0"))
    assert [parameter.sensitivity.show() for parameter in claim.parameters] == ["1"]
    run = by_evaluator(claim)
    assert run({}, [Fraction(1)]) - run({}, [Fraction(0)]) == 1
    assert run({}, [Fraction(1, 3)]) == 0


def is_within_what_is_claimed(end: str) -> bool:
    claim = program(squares_of_discrete(5, end))
    run = by_evaluator(claim)
    claimed = claim.parameters[0].sensitivity.constant
    assert claimed is not None
    return run({}, [Fraction(9)]) - run({}, [Fraction(0)]) <= claimed


ENDS = [f"{tenths / 10}" for tenths in range(1, 30)]


def test_the_range_of_what_is_rounded_holds_what_rounding_makes_of_its_ends() -> None:
    assert all(is_within_what_is_claimed(end) for end in ENDS)


@pytest.mark.parametrize("mutant", ROUNDED_RANGES, ids=[mutant.name for mutant in ROUNDED_RANGES])
def test_a_range_that_is_too_small_for_what_is_rounded_is_found(mutant: Mutant) -> None:
    with planted(mutant):
        assert not all(is_within_what_is_claimed(end) for end in ENDS)


def test_squares_in_a_loop_are_no_longer_if_a_range_bounds_how_far_data_move_them() -> None:
    """A discrete number moves what lies in [0, 1] by 1 at most, but nothing else is claimed of the product."""
    step = "clip[0.0, 1.0] s ⋅ (clip[0.0, 1.0] s + clip[0.0, 0.1] d)"
    claim = program(f"sλ . d : 𝔻 ⇒ clip[0.0, 1.0] (loop ℕ[300] on clip[0.0, 1.0] d {{ i, s ⇒ {step} }})")
    assert [parameter.sensitivity.show() for parameter in claim.parameters] == ["1"]
    assert by_evaluator(claim)({}, [Fraction(1)]) == 1
    assert by_evaluator(claim)({}, [Fraction(1, 3)]) < Fraction(1, 1000)


def test_the_program_is_its_last_expression_or_its_last_definition() -> None:
    body = "sλ . x : ℝ ⇒ clip[0.0, 3.0] x ⋅ clip[0.0, 3.0] x"
    assert sensitivities(f"let main = {body} in main") == ["6"]
    assert sensitivities(f"def main = {body}") == ["6"]
    assert sensitivities(f"let f = {body} in sλ . y : ℝ ⇒ f y") == ["∞"]
    assert sensitivities(f"let f = {body} in let g = f in g") == ["∞"]


def test_what_a_mechanism_released_is_a_short_public_number() -> None:
    released = "laplace[1.0, 1.0] <x> { x }"
    text = "pλ . x : ℝ, y : ℝ ⇒ z ← %s ; laplace[8.0, 1.0] <y> { clip[1.0, 4.0] z ⋅ y / clip[0.5, 9.0] z }"
    assert check(text % released, Notion.PURE).ok
    assert not check(text % "return x + 1.0", Notion.PURE).ok
    assert not check((text % released).replace("8.0", "7.9"), Notion.PURE).ok


# ---------------------------------------------------------------------------------------------------------------------
# Ends of which a run knows so many digits

ROOT, CLOSE = "√ (2.25 - 3e-62 - 1e-64)", "(1.5 - 1e-62)"
"""A root, and a number that is a little larger: to sixty digits the root is 1.5."""
MADE_OF_ROOTS = (
    "let x = if d then √ 2.0 else 0.0 in (x ⋅ x - 2.0) ⊔ 0.0",
    "let x = if d then √ 2.0 else 0.0 in (√ 2.0 ⋅ x - 2.0) ⊔ 0.0",
    "let x = if d then √ b else 0.0 in ((x ⋅ x) / b - 1.0) ⊔ 0.0",
    "let x = if d then √ 3.0 else 0.0 in (x / √ 2.0 ⋅ √ 6.0 - 3.0) ⊔ 0.0",
    "let x = if d then ㏒ 2.0 else 0.0 in (x / ㏒ 3.0 ⋅ ㏒ 3.0 / ㏒ 2.0 - 1.0) ⊔ 0.0",
    "(sλ c : ℝ⁺ . e : 𝔹, c : ℝ⁺[c] ⇒ let x = if e then 1.0 / c else 0.0 in (x ⋅ c - 1.0) ⊔ 0.0) d (√ 2.0)",
)
NEXT_TO_ROOTS = (
    f"((if d then {ROOT} else {CLOSE}) - {CLOSE}) ⊔ 0.0",
    f"((if d then 0.0 - {ROOT} else 0.0 - {CLOSE}) + {CLOSE}) ⊓ 0.0",
    f"let x = if d then {ROOT} else 0.0 in (x ⊔ {CLOSE}) - {CLOSE}",
    f"((if d then clip[0.0 - {CLOSE}, 0.0 - {ROOT}] (dyn 1.0) else 0.0 - {CLOSE}) + {CLOSE}) ⊓ 0.0",
    f"(if d then clip[{ROOT}, 2.0] {CLOSE} else {CLOSE}) - {CLOSE}",
    f"(if d then clip[0.0 - 2.0, 0.0 - {ROOT}] (0.0 - {CLOSE}) else 0.0 - {CLOSE}) + {CLOSE}",
)


def lost(body: str) -> bool:
    """Whether a number of a truth value, and of a parameter b that is 2, moves further than is claimed."""
    claim = program(f"sλ b : ℝ⁺ . b : ℝ⁺[b], d : 𝔹 ⇒ {body}")
    given = dict.fromkeys(claim.kinds, Fraction(2))
    moved, run = claim.parameters[-1].sensitivity.evaluate(given, up=True), by_evaluator(claim)
    found = [Fraction(run(given, [Fraction(2), d])) for d in (False, True)]
    return abs(found[1] - found[0]) > moved


@pytest.mark.parametrize("body", [*MADE_OF_ROOTS, *NEXT_TO_ROOTS])
def test_digits_that_a_run_does_not_know_are_in_the_range(body: str) -> None:
    assert not lost(body)


@pytest.mark.parametrize(("mutant", "bodies"), [*zip(APPROXIMATE, (MADE_OF_ROOTS, NEXT_TO_ROOTS), strict=True)])
def test_digits_that_are_left_out_of_the_range_are_found(mutant: Mutant, bodies: tuple[str, ...]) -> None:
    with planted(mutant):
        assert all(map(lost, bodies))


@pytest.mark.parametrize(
    "text",
    [
        "sλ b : ℝ⁺ . xs : bag 𝔻, b : ℝ⁺[b] ⇒ mfold-row 0.0, xs { s, r ⇒ s + 3.0 ⋅ clip[0.0, b] r#[0, 0] / b }",
        "sλ xs : bag 𝔻 ⇒ mfold-row 0.0, xs { s, r ⇒ s + 3.0 ⋅ (clip[0.0, √ 2.0] r#[0, 0] / √ 2.0) }",
        "let f = sλ b : ℝ⁺ . xs : bag 𝔻, b : ℝ⁺[b] ⇒ "
        "mfold-row 0.0, xs { s, r ⇒ s + 3.0 ⋅ (clip[0.0, b] r#[0, 0] / b) } in sλ xs : bag 𝔻 ⇒ f xs 7.0",
    ],
)
def test_a_number_divided_by_its_bound_is_at_most_1(text: str) -> None:
    assert sensitivities(text)[0] == "3"


def test_a_root_far_from_a_number_leaves_the_range_as_it_is() -> None:
    assert sensitivities("sλ d : 𝔻 ⇒ let x = if d < 0.0 then √ 2.0 else 0.0 in x ⊔ clip[1.0, 3.0] d") == ["2"]
    assert sensitivities("sλ d : 𝔻 ⇒ (clip[0.0, 2.0] d ⊓ √ 2.0) ⋅ 3.0") == ["3⋅√2"]
    assert sensitivities("sλ d : 𝔹 ⇒ if d then 1.5 else √ 2.0 + 1.0") == ["√2 + 1"]


# ---------------------------------------------------------------------------------------------------------------------
# Ends that depend on variables

M, X = KindVar.fresh("m", Kind.NAT), KindVar.fresh("x", Kind.POS)
m, x = Quantity.var(M), Quantity.var(X)
SIZES = (ZERO, ONE, Quantity.of(3), m, x, m + 1, x / 2)
VALUES = [{M: Fraction(1), X: Fraction(1, 4)}, {M: Fraction(4), X: Fraction(9)}, {M: Fraction(2), X: Fraction(2)}]

OPERATIONS = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "⋅": lambda one, other: one * other,
    "/": lambda one, other: one / other,
    "⊔": max,
    "⊓": min,
}


def numbers_in(bounds: Range, values: Mapping[KindVar, Fraction]) -> list[Fraction]:
    """The ends of a range at some values of the variables, and a number between them; none where there is nothing in it."""
    low, high = (Fraction(end.evaluate(values, up=False)) for end in (bounds.low, bounds.high))
    return [low, high, (2 * low + high) / 3] if low <= high else []


def drawn(draw: Random, type_: Type) -> Judged:
    """A number that nobody owns, of a type and with a range."""
    signs = (False,) if type_ == NAT else (False, True)
    low, high = (Signed(draw.choice(signs), draw.choice(SIZES)) for _ in range(2))
    return Judged(type_, range=Range(low, high))


@pytest.mark.parametrize(
    ("name", "type_"), [*((name, REAL) for name in OPERATIONS), *((name, NAT) for name in OPERATIONS if name != "/")]
)
def test_what_is_computed_lies_in_its_range_whatever_the_variables_are(name: str, type_: Type) -> None:
    draw, looked = Random(f"{name} {type_}"), 0
    for _ in range(often(600, 120)):
        args = [drawn(draw, type_), drawn(draw, type_)]
        if name == "/" and distance_from_0(range_of(args[1])) is None:
            continue
        found, slopes = range_after(facts_of(name), type_, args), slopes_in_ranges(facts_of(name), args)
        for values in VALUES:
            points = list(product(*(numbers_in(arg.range, values) for arg in args)))
            results = [OPERATIONS[name](*point) for point in points]
            if name == "-" and type_ == NAT:
                results = [max(result, Fraction(0)) for result in results]
            if found is not None:
                low, high = found.low.evaluate(values, up=False), found.high.evaluate(values, up=True)
                assert all(low <= result <= high for result in results), (args, values)
                looked += len(results)
            for (one, there), (other, here) in product(zip(points, results, strict=True), repeat=2) if slopes else ():
                moved = [
                    slope.evaluate(values, up=True) * abs(a - b) if a != b else 0
                    for slope, a, b in zip(slopes, one, other, strict=True)
                ]
                assert abs(there - here) <= sum(moved), (args, values)
    assert looked > 100


def test_the_largest_and_the_smallest_lie_in_the_range_of_what_is_picked() -> None:
    draw, looked = Random("picked"), 0
    for _ in range(often(600, 120)):
        init, term = drawn(draw, REAL), drawn(draw, REAL)
        for picks, pick in (("largest", max), ("smallest", min)):
            found = range_of_picked(picks, init, term)
            for values in VALUES:
                for first, each in product(numbers_in(init.range, values), numbers_in(term.range, values)):
                    for result in (first, pick(first, each)):
                        assert found.low.evaluate(values, up=False) <= result <= found.high.evaluate(values, up=True)
                        looked += 1
    assert looked > 100
