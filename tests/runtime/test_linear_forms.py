"""Exact numbers multiplied, changed at some places and put together; one row does not decide how long all others take."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import pytest

from duetpy.accounting.rounding import LARGEST
from duetpy.runtime.evaluation.blocks import _pick
from duetpy.runtime.evaluation.hyperbolic import hyperbolic_tangent
from duetpy.runtime.exact import linear_forms, rationals, whole_numbers
from duetpy.runtime.exact.rationals import Numbers, is_other, plain
from duetpy.runtime.release.noiseless import checked, evaluate
from duetpy.runtime.values.hashes import hashed, of_number
from tests.effort import often
from tests.runtime.test_rationals import FACTORS, linear_form

SAFE = [0.0, 0.1, 3.0, -0.5, 1e16]

ALONE: dict[str, tuple[Callable[[Numbers], Any], Callable[[Fraction], Fraction]]] = {
    "floor": (whole_numbers.floor, lambda one: Fraction(math.floor(one))),
    "ceiling": (whole_numbers.ceiling, lambda one: Fraction(math.ceil(one))),
    "nearest": (whole_numbers.nearest, lambda one: Fraction(round(one))),
    "tangent": (hyperbolic_tangent, lambda one: Fraction(hyperbolic_tangent(one))),
    "negated": (rationals.negated, lambda one: -one),
}


@pytest.mark.parametrize("seed", range(often(60, 12)))
def test_a_number_times_itself(seed: int) -> None:
    """Its terms come twice in the square, each as the same array."""
    rng = random.Random(seed)
    one, rest = linear_form(rng, 3), rng.choice(FACTORS)
    value = linear_forms.add(one, rationals.constant(rest, (3,)))
    squares = [(each + rest) ** 2 for each in one.fractions().tolist()]
    for sign in (1, -1):
        square = rationals.scaled(linear_forms.product(value, value), Fraction(sign))
        wanted = [sign * each + own for each, own in zip(squares, one.fractions().tolist(), strict=True)]
        assert linear_forms.add(square, one).fractions().tolist() == wanted
        assert whole_numbers.nearest(square).fractions().tolist() == [round(sign * each) for each in squares]


def test_a_square_in_a_program_is_the_one_that_was_proved() -> None:
    program = checked(
        "sλ xs : 𝕄 [L∞, U | 3, x : 𝔻 ∷ []] ⇒ "
        "mfold-row 0.0, xs { s, r ⇒ s + (let z = clip[0.0, 10.0] r.x - 5.1 in z ⋅ z + 1.0) }"
    )
    cells = [0.0, 0.3, 10.0]
    wanted = float(sum((Fraction(x) - Fraction(51, 10)) ** 2 + 1 for x in cells))
    assert evaluate(program, xs=np.array(cells)[:, None]) == wanted


@pytest.mark.parametrize("factor", [Fraction(1), Fraction(1, 3)])
@pytest.mark.parametrize("rest", [Fraction(0), Fraction(1, 7)])
def test_a_product_with_zeros_has_no_sign(factor: Fraction, rest: Fraction) -> None:
    form = linear_forms.add(rationals.scaled(plain(np.array([1.0, -2.0])), factor), rationals.constant(rest, (2,)))
    zeros = rationals.constant(Fraction(0), (2,))
    for product in (linear_forms.product(zeros, form), linear_forms.product(form, zeros)):
        assert rationals.signs(product).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("seed", range(often(60, 12)))
def test_they_are_computed_as_fractions_are(seed: int) -> None:
    rng = random.Random(seed)
    size = rng.randrange(1, 7)
    left, right, third = (linear_form(rng, size) for _ in range(3))
    a, b, c = (each.fractions().tolist() for each in (left, right, third))
    product = linear_forms.product(left, right)
    assert product.fractions().tolist() == [x * y for x, y in zip(a, b, strict=True)]
    assert rationals.total(product) == sum(x * y for x, y in zip(a, b, strict=True))
    twice = linear_forms.product(product, third).fractions().tolist()
    assert twice == [x * y * z for x, y, z in zip(a, b, c, strict=True)]
    joined = linear_forms.joined([left, product, right])
    assert joined.fractions().tolist() == [*a, *product.fractions().tolist(), *b]
    assert rationals.rounded(joined).tolist() == [rationals.to_double(one) for one in joined.fractions().tolist()]
    assert linear_forms.side_by_side([left, right, third]).fractions().tolist() == [
        [*row] for row in zip(a, b, c, strict=True)
    ]
    places = np.array([rng.random() < 0.3 for _ in range(size)])
    entries = [rng.choice(FACTORS) for _ in range(int(places.sum()))]
    other = iter(entries)
    wanted = [next(other) if here else one for here, one in zip(places.tolist(), a, strict=True)]
    changed = linear_forms.replaced(left, places, entries)
    assert changed.fractions().tolist() == wanted
    assert rationals.signs(changed).tolist() == [(one > 0) - (one < 0) for one in wanted]
    for each in (left, changed, linear_forms.add(changed, product)):
        fractions = each.fractions().tolist()
        for together, alone in ALONE.values():
            assert together(each).fractions().tolist() == [alone(one) for one in fractions]
        assert hashed(each).tolist() == [of_number(one) for one in fractions]
        assert [_pick(each, picks) for picks in ("largest", "smallest")] == [max(fractions), min(fractions)]


@pytest.mark.parametrize("at", range(often(40, 10)))
def test_forms_of_one_array_are_multiplied(at: int) -> None:
    rng = random.Random(at)
    array, other = (np.array([rng.choice(SAFE) for _ in range(4)]) for _ in range(2))

    def form() -> Numbers:
        terms = tuple((rng.choice(FACTORS), one) for one in rng.choice([(array,), (other, array), (array, other), ()]))
        return Numbers(terms, Fraction(rng.choice([0, 1, -2])), (4,))

    left, right, third = form(), form(), form()
    product = linear_forms.product(left, right)
    wanted = [x * y for x, y in zip(left.fractions(), right.fractions(), strict=True)]
    assert product.fractions().tolist() == wanted
    assert rationals.signs(product).tolist() == [(one > 0) - (one < 0) for one in wanted]
    total = linear_forms.add(product, third).fractions().tolist()
    assert total == [x + y for x, y in zip(wanted, third.fractions(), strict=True)]
    assert linear_forms.add(third, product).fractions().tolist() == total


def test_fractions_that_are_0_are_multiplied() -> None:
    square = linear_forms.product(*[plain(np.array([0.3, 1e-200]))] * 2)
    nothing = linear_forms.add(square, rationals.negated(square))
    for left, right in ((nothing, square), (square, nothing), (nothing, plain(np.array([0.3, 0.1])))):
        assert linear_forms.product(left, right).fractions().tolist() == [0, 0]


def of_many_columns(columns: list[Numbers]) -> dict[str, Numbers]:
    """More terms than a form may have, if each product of two columns is two doubles: a product, a sum and a table."""
    squares = [linear_forms.product(column, column) for column in columns]
    multiples = [rationals.scaled(square, Fraction(1, 3 + at)) for at, square in enumerate(squares)]
    numbers = [rationals.constant(Fraction(at), squares[0].shape) for at in range(40)]
    one = numbers[1]
    return {
        "a product": reduce(linear_forms.product, columns[:8]),
        "a product of sums": linear_forms.product(*(reduce(linear_forms.add, squares[at::2][:4]) for at in range(2))),
        "a sum times a product": linear_forms.product(reduce(linear_forms.add, columns[:20]), squares[20]),
        "sums with a number": linear_forms.product(
            *(linear_forms.add(reduce(linear_forms.add, columns[:few]), one) for few in (7, 3))
        ),
        "a sum": reduce(linear_forms.add, squares),
        "a sum with a number": reduce(linear_forms.add, [one, *columns[: linear_forms.MAXIMAL_TERMS - 2], squares[0]]),
        "numbers and a product": linear_forms.side_by_side([*numbers, squares[0]]),
        "a table": linear_forms.side_by_side(multiples[:20]),
        "rows": linear_forms.joined(multiples[:20]),
    }


@pytest.mark.parametrize("other", [0.1, 2.0**301])
def test_one_row_makes_no_fractions_of_others(other: float) -> None:
    """Whole numbers have a product that is a double. Where a row has other numbers, its own entries alone are fractions."""
    rows = 12
    whole = np.arange(1.0, rows + 1.0)
    columns = linear_forms.MAXIMAL_TERMS
    odd = np.where(np.arange(rows) == 7, other, whole)
    found = of_many_columns([plain(odd + at) for at in range(columns)])
    wanted = of_many_columns([Numbers((), plain(odd + at).fractions(), (rows,)) for at in range(columns)])
    for name, number in found.items():
        assert number.fractions().tolist() == wanted[name].fractions().tolist(), name
        entries = 0 if isinstance(number.constant, Fraction) else int(is_other(number.constant).sum())
        assert entries <= number.fractions().size // rows, name
        # What a form is multiplied by next has terms, too.
        is_sum = name in ("a sum", "a sum with a number")
        most = linear_forms.MAXIMAL_TERMS if is_sum else 2 * linear_forms.TERMS_TOGETHER
        assert len(number.terms) <= most, name
    assert all(isinstance(number.constant, Fraction) for number in of_many_columns([plain(whole)] * columns).values())


def test_one_row_makes_no_term_more_of_all_that_are_chosen() -> None:
    """The largest of doubles is a double, and next to a fraction still one term."""
    places = np.arange(12) == 7
    columns = [plain(np.arange(12.0) * at % 13.0) for at in range(3, 11)]
    odd = [linear_forms.replaced(column, places, [Fraction(at, 3)]) for at, column in enumerate(columns)]
    largest = reduce(whole_numbers.maximum, odd)
    wanted = reduce(whole_numbers.maximum, columns).fractions()
    wanted[7] = Fraction(7, 3)
    assert largest.fractions().tolist() == wanted.tolist()
    assert len(largest.terms) == 1


SUMMED = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, x : 𝔻 ∷ []] ⇒ mfold-row 0.0, xs { s, r ⇒ s + (let a = clip[0.0, 1.0] r.x in "


@pytest.mark.parametrize(
    ("body", "result"), [("(a + 1.0) ⋅ (a - 0.5) + 0.0", Fraction(4)), ("sign ((a - a) ⋅ (a - 0.5))", Fraction(0))]
)
def test_a_program_adds_to_a_product_of_one_number(body: str, result: Fraction) -> None:
    assert evaluate(checked(SUMMED + body + ") }"), xs=np.ones((4, 1))) == result


def test_a_natural_number_beyond_the_greatest_is_that_one() -> None:
    some = Numbers(((Fraction(1), np.array([LARGEST, 3.0, LARGEST])),), Fraction(0), (3,), is_natural=True)
    found = whole_numbers.bounded(rationals.scaled(some, Fraction(2)))
    assert found.is_natural
    assert found.fractions().tolist() == [whole_numbers.GREATEST_NATURAL, 6, whole_numbers.GREATEST_NATURAL]


ROWS, STRANGE = 240, 117

REAL = "sλ m : ℕ . xs : 𝕄 [L2, U | m, 2⋅ℝ] ⇒ "
ROWS_OF_TWO = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, x : 𝔻 ∷ y : 𝔻 ∷ []] ⇒ "
PERSONS = "sλ xs : persons[who : 𝐝 ℕ | a : 𝔻𝔽[x : 𝔻, y : 𝔻]] ⇒ "
PRODUCT = "clip[0.0, 100.0] r.x ⋅ clip[0.0, 100.0] r.y"

PROGRAMS = {
    "a long row": (
        REAL + "let ys = mclip[L2] xs in mfold-row 0.0, ys { s, r ⇒ s + clip[0.0, 0.5] r#[0, 0] }",
        (0.25, 0.5),
        (3.0, 5.0),
    ),
    "a product that is no double": (
        ROWS_OF_TWO + "let ys = mmap-row xs { r ⇒ " + PRODUCT + " } in "
        "mfold-row 0.0, ys { s, y ⇒ s + y#[0, 0] / 3.0 + ys#[0, 0] ⋅ 0.0 }",
        (3.0, 5.0),
        (0.1, 0.3),
    ),
    "a product of a tiny number": (
        ROWS_OF_TWO + "mfold-row 0.0, xs { s, r ⇒ s + " + PRODUCT + " }",
        (0.1, 0.3),
        (1e-200, 0.3),
    ),
    "a product of two of them": (
        ROWS_OF_TWO + "mfold-row 0.0, xs { s, r ⇒ s ⊔ (" + PRODUCT + ") ⋅ clip[0.0, 1.0] r.x }",
        (0.5, 0.25),
        (0.1, 1e-200),
    ),
    "a sum of the products of a person": (
        PERSONS + "mfold-row 0.0, xs { s, p ⇒ s + clip[0.0, 9.0] (mfold-row 0.0, p.a { t, r ⇒ t + " + PRODUCT + " }) }",
        (3.0, 5.0),
        (0.1, 0.3),
    ),
    "a large number that is rounded": (
        ROWS_OF_TWO + "mfold-row 0.0, xs { s, r ⇒ s + floor (clip[0.0, 1e18] r.x / 3.0) }",
        (3.0, 5.0),
        (1e17, 0.3),
    ),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_one_row_makes_no_fractions_of_the_others(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, usual, strange = PROGRAMS[program]
    counted: list[int] = []

    def counting(function: Callable[..., Any], entries: Callable[[Any], int]) -> Callable[..., Any]:
        def counts(self: Numbers, *args: Any) -> Any:
            found = function(self, *args)
            counted.append(entries(found))
            return found

        return counts

    monkeypatch.setattr(Numbers, "fractions", counting(Numbers.fractions, np.size))
    monkeypatch.setattr(Numbers, "exactly", counting(Numbers.exactly, lambda _: 1))
    rows = [usual] * ROWS
    made = []
    for one in (usual, strange):
        rows[STRANGE] = one
        x, y = (np.array(column) for column in zip(*rows, strict=True))
        given = {"a": {"who": np.arange(ROWS) // 3, "x": x, "y": y}} if text.startswith(PERSONS) else np.array(rows)
        counted.clear()
        evaluate(checked(text), xs=given, _block_rows=50)
        made.append(sum(counted))
    assert made[1] < made[0] + 40


def test_only_what_is_strange_is_a_fraction() -> None:
    usual = plain(np.array([0.1, 0.3, 1e-200, 0.7]))
    square = linear_forms.product(usual, usual)
    assert isinstance(square.constant, np.ndarray)
    assert is_other(square.constant).tolist() == [False, False, True, False]
    alike = plain(np.array([1.0, 2.0]))
    assert linear_forms.joined([linear_forms.product(alike, alike), square.take(np.arange(2))]).constant == 0
    assert square.take(np.array([0, 1, 3])).constant == 0
    assert linear_forms.joined([alike, rationals.constant(3, (2,))]).doubles is not None
