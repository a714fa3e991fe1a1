"""Exact arrays: every operation against the same operation on fractions, and no entry that knows of its neighbours."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from duetpy.runtime.evaluation import descent
from duetpy.runtime.exact import linear_forms, rationals, whole_numbers
from duetpy.runtime.exact.exact_sum import exact_total
from duetpy.runtime.exact.rationals import LARGEST, Numbers, plain
from tests.effort import often
from tests.runtime.exact_folds import ExactSum

EXTREMES = [5e-324, -5e-324, LARGEST, -LARGEST, 0.0, 1.0, 2.0**-1022, 2.0**53 + 2]
FACTORS = [
    Fraction(1),
    Fraction(-1),
    Fraction(1, 10),
    Fraction(3, 7),
    Fraction(-2),
    Fraction(10) ** 30,
    Fraction(1, 10**40),
    Fraction(123456789123456789, 10**18),
    Fraction(10) ** 320,
]


def drawn(rng: random.Random, size: int) -> np.ndarray:
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    match rng.randrange(6):
        case 0:
            return numbers.normal(size=size)
        case 1:
            return numbers.integers(-5, 5, size).astype(float)
        case 2:
            return numbers.normal(size=size) * 10.0 ** numbers.integers(-300, 300, size)
        case 3:
            return np.round(numbers.random(size), 1)
        case 4:
            return np.where(numbers.random(size) < 0.5, 0.0, 1e16) + numbers.integers(0, 3, size)
        case _:
            return numbers.choice(EXTREMES, size)


def linear_form(rng: random.Random, size: int) -> Numbers:
    value = plain(drawn(rng, size))
    for _ in range(rng.randrange(3)):
        value = linear_forms.add(value, rationals.scaled(plain(drawn(rng, size)), rng.choice(FACTORS)))
    if rng.random() < 0.4:
        value = linear_forms.add(value, rationals.constant(rng.choice(FACTORS), (size,)))
    if rng.random() < 0.1:
        value = linear_forms.add(value, rationals.of_fractions([rng.choice(FACTORS) for _ in range(size)], (size,)))
    return rationals.scaled(value, rng.choice(FACTORS)) if rng.random() < 0.5 else value


@pytest.mark.parametrize("seed", range(often(100, 30)))
def test_operations_are_those_on_fractions(seed: int) -> None:
    rng = random.Random(seed)
    size = rng.randrange(1, 9)
    left, right = linear_form(rng, size), linear_form(rng, size)
    a, b = left.fractions().tolist(), right.fractions().tolist()
    assert [left.exactly((at,)) for at in range(size)] == a
    assert linear_forms.add(left, right).fractions().tolist() == [x + y for x, y in zip(a, b, strict=True)]
    assert rationals.signs(left).tolist() == [float((x > 0) - (x < 0)) for x in a]
    assert whole_numbers.maximum(left, right).fractions().tolist() == [max(x, y) for x, y in zip(a, b, strict=True)]
    assert whole_numbers.minimum(left, right).fractions().tolist() == [min(x, y) for x, y in zip(a, b, strict=True)]
    assert rationals.total(left) == sum(a)
    counts, divisor = whole_numbers.over_one_denominator(left)
    assert [Fraction(count, divisor) for count in counts] == a
    low, high = sorted(rng.sample(FACTORS, 2))
    assert whole_numbers.clamped(left, low, high).fractions().tolist() == [min(max(x, low), high) for x in a]
    mask = np.array([rng.random() < 0.5 for _ in range(size)])
    chosen = rationals.select(mask, left, right).fractions().tolist()
    assert chosen == [x if yes else y for yes, x, y in zip(mask.tolist(), a, b, strict=True)]
    index = np.array([rng.randrange(size) for _ in range(5)])
    assert left.take(index).fractions().tolist() == [a[at] for at in index.tolist()]


@pytest.mark.parametrize("seed", range(often(100, 30)))
def test_rounding_is_close_and_finite(seed: int) -> None:
    rng = random.Random(seed)
    value = linear_form(rng, 6)
    for double, wanted in zip(rationals.rounded(value).tolist(), value.fractions().tolist(), strict=True):
        within = max(-Fraction(LARGEST), min(Fraction(LARGEST), wanted))
        assert abs(Fraction(double) - within) <= max(abs(within) / 2**48, Fraction(1, 2**1074))


@pytest.mark.parametrize("seed", range(often(60, 20)))
def test_rounding_is_to_the_nearest_double(seed: int) -> None:
    """Also beyond 2^53, among the smallest doubles, and halfway: what an entry becomes follows from its value alone."""
    rng = random.Random(seed)
    value = linear_form(rng, 6)
    tiny = rationals.scaled(
        linear_forms.add(plain(drawn(rng, 6)), plain(drawn(rng, 6))), Fraction(rng.choice([1, 3, 7]), 2**1040)
    )
    large = rationals.scaled(plain(np.random.default_rng(seed).normal(size=6)), rng.choice(FACTORS[5:]))
    parts = rationals.scaled(plain(np.random.default_rng(seed).normal(size=6)), Fraction(3, 7))
    two = linear_forms.add(plain(drawn(rng, 6)), rationals.scaled(plain(drawn(rng, 6)), Fraction(rng.choice([1, -1]))))
    for each in (value, tiny, large, parts, two, rationals.negated(two)):
        wanted = [rationals.to_double(exactly) for exactly in each.fractions().tolist()]
        assert rationals.rounded(each).tolist() == wanted


@pytest.mark.parametrize("exponent", [-700, -200, 0, 200, 700])
def test_what_is_left_of_large_numbers_is_found(exponent: int) -> None:
    """Two doubles do not hold three numbers of such different sizes; beyond 2^300 no bound on what is lost is known."""
    sizes = [2.0 ** (exponent - less) for less in (0, 60, 130)]
    one, terms = Fraction(1), [np.array([size]) for size in sizes + sizes]
    for taken, left in ((2, sizes[2]), (3, 0.0)):
        summands = [*((one, each) for each in terms[:3]), *((-one, each) for each in terms[3 : 3 + taken])]
        value = Numbers(tuple(summands), Fraction(0), (1,))
        assert rationals.signs(value).tolist() == [float(left > 0.0)]
        assert rationals.rounded(value).tolist() == [left]


def test_one_number_in_all_lanes_has_its_sign() -> None:
    for number, sign in ((Fraction(-1, 3), -1.0), (Fraction(0), 0.0), (Fraction(1, 3), 1.0)):
        assert rationals.signs(rationals.constant(number, (2,))).tolist() == [sign] * 2


def test_halfway_between_two_of_the_smallest_doubles_the_rest_decides() -> None:
    halfway = plain(np.array([2.0**-1000 * (1 + 2.0**-15)] * 3))
    value = rationals.scaled(linear_forms.add(halfway, plain(np.array([5e-324, 0.0, -5e-324]))), Fraction(1, 2**60))
    assert rationals.rounded(value).tolist() == [2.0**-1060 + 5e-324, 2.0**-1060, 2.0**-1060]
    odd = plain(np.array([2.0**-1000 * (1 + 3 * 2.0**-15)] * 3))
    value = rationals.scaled(linear_forms.add(odd, plain(np.array([5e-324, 0.0, -5e-324]))), Fraction(1, 2**60))
    above = 2.0**-1060 + 2 * 5e-324
    assert rationals.rounded(value).tolist() == [above, above, 2.0**-1060 + 5e-324]


def test_cancellation_is_seen_through() -> None:
    x = plain(np.array([0.75, -0.1, 1e16]))
    moved = linear_forms.add(
        linear_forms.add(x, rationals.constant(Fraction(10**16), (3,))), rationals.constant(Fraction(-(10**16)), (3,))
    )
    assert rationals.rounded(moved).tolist() == [0.75, -0.1, 1e16]
    tenth, fifth = rationals.scaled(x, Fraction(1, 10)), rationals.scaled(x, Fraction(1, 5))
    nothing = linear_forms.add(linear_forms.add(tenth, fifth), rationals.scaled(x, Fraction(-3, 10)))
    assert rationals.rounded(nothing).tolist() == [0.0, 0.0, 0.0]


def test_an_entry_does_not_know_its_neighbours() -> None:
    rng = random.Random(7)
    value = linear_form(rng, 40)
    whole = rationals.rounded(whole_numbers.maximum(value, linear_form(random.Random(8), 40)))
    for start in range(0, 40, 7):
        part = np.arange(start, min(start + 7, 40))
        alone = rationals.rounded(whole_numbers.maximum(value.take(part), linear_form(random.Random(8), 40).take(part)))
        assert alone.tobytes() == whole[part].tobytes()


@pytest.mark.parametrize("seed", range(20))
def test_integers_of_any_size_are_spelled_out(seed: int) -> None:
    rng = random.Random(seed)
    counts = [rng.randrange(-(1 << rng.randrange(1, 300)), 1 << rng.randrange(1, 300)) for _ in range(4)]
    value = whole_numbers.of_integers(counts, Fraction(1, 7), (4,))
    assert value.fractions().tolist() == [Fraction(count, 7) for count in counts]


def test_natural_numbers_beyond_the_doubles_are_compared_as_they_are() -> None:
    """Where one of two is a double and the other is not, too: the doubles nearest to both are the same."""
    even, odd = (
        plain(np.array([2.0**53]), natural=True),
        rationals.of_fractions([Fraction(2**53 + 1)], (1,), natural=True),
    )
    for left, right, order in ((even, odd, -1), (odd, even, 1), (odd, odd, 0)):
        first, second = whole_numbers.compared(left, right)
        assert np.sign(first - second).tolist() == [order]


def test_a_natural_number_next_to_a_small_one_is_bounded() -> None:
    greatest = Fraction(whole_numbers.GREATEST_NATURAL)
    given = [Fraction(2**53 + 1), Fraction(3), greatest * 64]
    found = whole_numbers.bounded(rationals.of_fractions(given, (3,), natural=True))
    assert found.fractions().tolist() == [*given[:2], greatest]


def test_zeros_next_to_fractions_stay_zeros() -> None:
    thirds = rationals.of_fractions([Fraction(1, 3), Fraction(0)], (2,))
    assert rationals.signs(linear_forms.add(thirds, rationals.constant(Fraction(0), (2,)))).tolist() == [1.0, 0.0]


def test_long_products_stay_small() -> None:
    value = Fraction(1)
    for _ in range(5000):
        value = descent.settled(value * Fraction(99, 100) + Fraction(1, 3))
    assert value.denominator.bit_length() <= 2500
    assert abs(value - Fraction(100, 3)) < Fraction(1, 10**9)
    assert descent.settled(Fraction(10) ** 400) == Fraction(LARGEST)
    assert descent.settled(-(Fraction(10) ** 400)) == -Fraction(LARGEST)


def test_many_terms_are_written_out() -> None:
    total = plain(np.array([1.0, 2.0]))
    for at in range(linear_forms.MAXIMAL_TERMS + 10):
        total = linear_forms.add(total, plain(np.array([float(at), 1.0])))
    assert len(total.terms) <= linear_forms.MAXIMAL_TERMS
    count = linear_forms.MAXIMAL_TERMS + 10
    assert total.fractions().tolist() == [1 + count * (count - 1) // 2, 2 + count]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.sparse(4)
def test_the_quick_sum_is_the_exact_one(seed: int) -> None:
    rng = random.Random(seed)
    values = drawn(rng, rng.randrange(0, 40_000))
    oracle = ExactSum()
    assert exact_total(values) == oracle.exact(oracle.absorb(oracle.zero(), values))


@pytest.mark.parametrize("count", [2**16 - 1, 2**16, 2**16 + 1, 2**17 + 3])
@pytest.mark.parametrize("value", [1.0 - 2.0**-53, 2.0**1000, 5e-324, 0.1, -1.7e308])
def test_the_quick_sum_of_very_many(value: float, count: int) -> None:
    values = np.full(count, value)
    assert exact_total(values) == count * Fraction(value)
    values[::7] = 2.0**-1074
    values[count // 2] = -value
    numbers, times = np.unique(values, return_counts=True)
    expected = sum(int(many) * Fraction(number) for number, many in zip(numbers.tolist(), times, strict=True))
    assert exact_total(values) == expected


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_the_quick_sum_of_what_is_not_finite_comes_to_an_end(value: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        exact_total(np.array([1.0, value, 2.0]))


def test_values_never_show() -> None:
    canary = 8675309.25
    assert "8675309" not in repr(plain(np.array([canary]))) + str(plain(np.array([canary])))


def test_numbers_round_alike_in_parts_and_together(monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(5)
    cells = np.array([[dice.uniform(-1, 1) * 2.0 ** dice.randint(-60, 60) for _ in range(3)] for _ in range(11)])
    value = linear_forms.add(
        rationals.scaled(plain(cells), Fraction(1, 3)), rationals.constant(Fraction(1, 7), cells.shape)
    )
    together = rationals.rounded(value)
    monkeypatch.setattr(rationals, "ROUNDED_AT_ONCE", 4)
    assert rationals.rounded(value).tolist() == together.tolist()
    assert together.tolist() == [[float(Fraction(cell) / 3 + Fraction(1, 7)) for cell in row] for row in cells.tolist()]


@pytest.mark.parametrize("shape", [(3,), (3, 2)])
@pytest.mark.parametrize("left", [Fraction(1), Fraction(1, 3), Fraction(10) ** 400])
@pytest.mark.parametrize("right", [Fraction(-2), Fraction(2, 3), None])
def test_of_numbers_that_are_all_alike_one_is_chosen_exactly(
    left: Fraction, right: Fraction | None, shape: tuple[int, ...]
) -> None:
    first = rationals.constant(left, shape)
    different = plain(np.arange(np.prod(shape), dtype=np.float64).reshape(shape))
    second = different if right is None else rationals.constant(right, shape)
    mask = np.array([True, False, True])
    mask = mask[:, None] if len(shape) == 2 else mask
    chosen = rationals.select(mask, first, second)
    assert chosen.fractions().shape == shape
    for at in np.ndindex(shape):
        one, other = left, second.exactly(at)
        assert chosen.exactly(at) == (one if mask[at[0]].all() else other)
        assert whole_numbers.maximum(first, second).exactly(at) == max(one, other)
        assert whole_numbers.minimum(first, second).exactly(at) == min(one, other)
