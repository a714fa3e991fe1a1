"""Products of matrices: exact on reals, a function of its own row on discrete numbers."""

from fractions import Fraction

import numpy as np
import pytest

from duetpy.runtime.evaluation.matrix_product import LONG, product
from duetpy.runtime.exact.linear_forms import add, replaced
from duetpy.runtime.exact.rationals import Doubles, Numbers, is_other, plain, rounded, scaled
from duetpy.runtime.values.batching import lane
from duetpy.runtime.values.values import MatrixValue, numbers_of


def matrix(values: Doubles, *, lanes: int | None = None) -> MatrixValue:
    rows = len(values) if lanes is None else len(values) // lanes
    return MatrixValue(rows, plain(np.asfortranarray(values)), lanes=lanes)


def by_definition(left: Doubles, right: Doubles) -> list[list[Fraction]]:
    return [
        [sum((Fraction(a) * Fraction(b) for a, b in zip(row, column, strict=True)), Fraction(0)) for column in right.T]
        for row in left.tolist()
    ]


@pytest.mark.parametrize("size", [1, 3, LONG - 1, LONG, 300])
@pytest.mark.parametrize(("scale", "last"), [(1.0, 1.0), (1e60, -1e-60), (1.0, 1e-300), (1e-200, 1.0), (1e150, 1e-300)])
def test_a_product_of_reals_is_exact(size: int, scale: float, last: float) -> None:
    """Where all numbers are of usual sizes, and where the rest of a product of two would be no double."""
    source = np.random.default_rng(size)
    left = source.normal(size=(3, size)) * 10.0 ** source.integers(-12, 12, size=(3, size))
    right = source.normal(size=(size, 2)) * scale
    left[0, 0], right[-1, 0] = 0.0, last
    found = numbers_of(product(matrix(left), matrix(right))).fractions().tolist()
    assert found == by_definition(left, right)


@pytest.mark.parametrize("size", [3, LONG])
def test_a_product_with_few_odd_numbers_is_exact(size: int) -> None:
    """Numbers between doubles, and doubles whose product lies between doubles, on both sides."""
    source = np.random.default_rng(size)
    left, right = source.integers(-9, 9, (4, size)).astype(float), source.integers(-9, 9, (size, 2)).astype(float)
    left[1, 0], left[2, 1], right[1, 0], right[2, 1] = 1e-310, 1e300, -1e305, 5e-324
    places = np.zeros(left.shape, dtype=np.bool_)
    places[2, 0] = places[3, 2] = True
    form = replaced(plain(left), places, [Fraction(1, 3), Fraction(10) ** 400])
    exact = form.fractions()
    wanted = (exact[:, :, None] * plain(right).fractions()[None]).sum(axis=1).tolist()
    assert numbers_of(product(MatrixValue(4, form), matrix(right))).fractions().tolist() == wanted


def test_rows_of_whole_numbers_stay_doubles_next_to_others() -> None:
    """One row does not decide how long what is computed from the others takes."""
    left = np.ones((5, LONG))
    left[2, 0] = 1e-310
    found = numbers_of(product(matrix(left), matrix(np.ones((LONG, 1)))))
    assert isinstance(found.constant, np.ndarray)
    assert is_other(found.constant)[:, 0].tolist() == [False, False, True, False, False]


def test_a_linear_form_stays_exact() -> None:
    third = MatrixValue(2, scaled(plain(np.array([[1.0], [2.0]])), Fraction(1, 3)))
    found = numbers_of(product(third, matrix(np.array([[3.0]])))).fractions().tolist()
    assert found == [[1], [2]]


@pytest.mark.parametrize("power", [100, 1500, 3000])
@pytest.mark.parametrize("sign", [1, -1])
def test_what_long_numbers_lose_is_less_than_the_checker_counts(power: int, sign: int) -> None:
    """Of multiples of doubles, of numbers that are all one, and of numbers of their own."""
    small = Fraction(sign * (2**power + 1), 3**power)
    own = np.array([[small], [-Fraction(5**power, 7**power)]], dtype=np.object_)
    of_doubles = scaled(plain(np.array([[1.5], [-1e300]])), small)
    for form in (
        of_doubles,
        Numbers((), small, (2, 1)),
        Numbers((), own, (2, 1)),
        add(of_doubles, Numbers((), own, (2, 1))),
    ):
        whole = form.fractions()
        found = numbers_of(product(MatrixValue(2, form), matrix(np.array([[3.0]])))).fractions()
        assert all(abs(entry - 3 * wanted) <= Fraction(1, 2**2046) for entry, wanted in zip(found, whole, strict=True))


def test_a_discrete_row_is_a_function_of_its_own_row() -> None:
    source = np.random.default_rng(1)
    left, right = source.normal(size=(50, 7)) * 1e10, source.normal(size=(7, 3))
    whole = rounded(numbers_of(product(matrix(left), matrix(right), rounds=True)))
    for at in range(50):
        alone = product(matrix(left[at : at + 1]), matrix(right), rounds=True)
        assert rounded(numbers_of(alone)).tolist() == [whole[at].tolist()]
    assert np.allclose(whole, left @ right)


def test_huge_numbers_stay_finite() -> None:
    huge = np.full((2, 2), 1e308)
    huge[0, 1] = -1e308
    for rounds in (True, False):
        assert np.isfinite(rounded(numbers_of(product(matrix(huge), matrix(huge), rounds=rounds)))).all()


def test_lanes_on_the_left_are_rows() -> None:
    left, right = np.arange(8.0).reshape(4, 2), np.array([[1.0, 2.0], [3.0, 5.0]])
    found = product(matrix(left, lanes=2), matrix(right))
    for at in range(2):
        alone = lane(found, at)
        assert isinstance(alone, MatrixValue)
        assert numbers_of(alone).fractions().tolist() == by_definition(left[2 * at : 2 * at + 2], right)


def test_no_rows_make_no_rows() -> None:
    found = product(matrix(np.zeros((0, 2))), matrix(np.ones((2, 3))))
    assert (found.rows, found.width) == (0, 3)
