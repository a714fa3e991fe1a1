"""Norms of rows as facts about real numbers."""

import random
from fractions import Fraction

import numpy as np
import pytest

from duetpy.grammar.ast import Norm
from duetpy.runtime.exact.rationals import of_fractions, plain, rounded, scaled
from duetpy.runtime.values.clipping import clipped, exceeds, scale_real_rows
from duetpy.runtime.values.values import MatrixValue

BOUNDS = [
    Fraction(1),
    Fraction(1, 10),
    Fraction(7, 10),
    Fraction(3),
    Fraction(1, 3),
    Fraction(10) ** 200,
    Fraction(1, 10**200),
    Fraction(1, 10**320),
    Fraction(10) ** 308,
    Fraction(1, 10**400),
    Fraction(10) ** 700,
]


def rows(rng: random.Random) -> np.ndarray:
    numbers = np.random.default_rng(rng.randrange(1 << 30))
    shape = (rng.randrange(1, 12), rng.randrange(1, 6))
    match rng.randrange(7):
        case 0:
            return numbers.normal(size=shape)
        case 1:
            return numbers.integers(-1, 2, shape).astype(float)
        case 2:
            return numbers.normal(size=shape) * 10.0 ** numbers.integers(-300, 300, shape)
        case 3:
            return numbers.choice(
                [5e-324, 1.7976931348623157e308, -1.7976931348623157e308, 0.0, 1.0, 2.0**-1022], shape
            )
        case 4:
            x = numbers.normal(size=shape)
            return x / np.linalg.norm(x, axis=1)[:, None]
        case 5:
            x = numbers.normal(size=shape)
            return x / np.abs(x).sum(axis=1)[:, None]
        case _:
            return numbers.choice([0.6, 0.8, -0.6, 0.5, 0.1, 0.3], shape)


def size(row: list[Fraction], norm: Norm) -> Fraction:
    """The norm, or its square in L2."""
    match norm:
        case Norm.L1:
            return sum((abs(v) for v in row), Fraction(0))
        case Norm.L2:
            return sum((v * v for v in row), Fraction(0))
        case Norm.LINF:
            return max(abs(v) for v in row)


def is_within(row: list[Fraction], norm: Norm, bound: Fraction) -> bool:
    return size(row, norm) <= (bound * bound if norm is Norm.L2 else bound)


@pytest.mark.parametrize("seed", range(80))
def test_too_long_means_too_long(seed: int) -> None:
    rng = random.Random(seed)
    x, bound = rows(rng), rng.choice(BOUNDS)
    for norm in Norm:
        found = exceeds(np.asfortranarray(x), norm, bound)
        assert found.tolist() == [not is_within([Fraction(v) for v in row], norm, bound) for row in x.tolist()]


@pytest.mark.parametrize("seed", range(80))
@pytest.mark.parametrize("discrete", [True, False])
@pytest.mark.sparse(3)
def test_clipped_rows_are_within_the_bound_and_no_shorter_than_need_be(seed: int, discrete: bool) -> None:
    rng = random.Random(seed)
    x, bound = rows(rng), rng.choice(BOUNDS)
    for norm in Norm:
        matrix = MatrixValue(len(x), plain(np.asfortranarray(x)))
        result = clipped(matrix, norm, bound, rounds=discrete)
        assert isinstance(result, MatrixValue)
        found = result.store.fractions()
        for before, after in zip(x.tolist(), found.tolist(), strict=True):
            row = [Fraction(v) for v in before]
            assert is_within(after, norm, bound)
            if is_within(row, norm, bound):
                assert after == row
            elif norm is not Norm.LINF and bound > Fraction(1, 10**300):
                least = bound * (1 - Fraction(1, 10 ** (11 if discrete else 60)))
                assert size(after, norm) >= (least * least if norm is Norm.L2 else least)


@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
def test_a_row_is_clipped_alone(norm: Norm) -> None:
    x = np.asfortranarray(np.random.default_rng(3).normal(size=(500, 7)) * 2)
    x[::5] *= 1e-3
    whole = rounded(clipped(MatrixValue(500, plain(x)), norm, Fraction(1), rounds=True).store)
    for at in range(0, 500, 17):
        alone = clipped(MatrixValue(1, plain(x[at : at + 1])), norm, Fraction(1), rounds=True)
        assert rounded(alone.store).tobytes() == whole[at : at + 1].tobytes()


@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
def test_so_is_a_row_of_reals_whatever_the_others_are(norm: Norm) -> None:
    """Of which length they are, and of which terms."""
    lengths = [Fraction(1), Fraction(1, 10**300), Fraction(1, 10**900), Fraction(10) ** 300, Fraction(7, 10**901)]
    bound = Fraction(1, 10**905)
    cells = [[length * Fraction(number) for number in (0.1, 3.0, -7.3)] for length in lengths]
    whole = scale_real_rows(of_fractions([cell for row in cells for cell in row], (len(cells), 3)), norm, bound)
    for row, found in zip(cells, whole.fractions().tolist(), strict=True):
        assert scale_real_rows(of_fractions(row, (1, 3)), norm, bound).fractions().tolist() == [found]


def test_clipping_twice_is_clipping_once() -> None:
    x = np.asfortranarray(np.random.default_rng(4).normal(size=(200, 5)))
    once = clipped(MatrixValue(200, plain(x)), Norm.L2, Fraction(1), rounds=True)
    twice = clipped(MatrixValue(200, once.store), Norm.L2, Fraction(1), rounds=True)
    assert rounded(once.store).tobytes() == rounded(twice.store).tobytes()


def test_a_table_is_clipped_once() -> None:
    table = MatrixValue(2, plain(np.asfortranarray(np.array([[3.0, 4.0], [0.1, 0.2]]))))
    assert clipped(table, Norm.L2, Fraction(1)) is clipped(table, Norm.L2, Fraction(1))
    assert clipped(table, Norm.L2, Fraction(1)) is not clipped(table, Norm.L2, Fraction(2))


def test_real_rows_keep_the_lipschitz_constant_of_radial_scaling() -> None:
    """1 in L2, for pairs of rows as close as doubles can be, where a rounded scaling would jump."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        x = rng.normal(size=(1, 3)) * 2
        y = np.nextafter(x, x + rng.normal(size=(1, 3)))
        results = []
        for row in (x, y):
            matrix = MatrixValue(1, plain(np.asfortranarray(row)))
            results.append(clipped(matrix, Norm.L2, Fraction(1)).store.fractions().tolist()[0])
        moved = sum((a - b) ** 2 for a, b in zip(*results, strict=True))
        apart = sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(x[0].tolist(), y[0].tolist(), strict=True))
        assert moved <= apart * (1 + Fraction(1, 2**80))


@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
@pytest.mark.parametrize("exponent", [3, 100, 266, 340, 900])
def test_long_rows_that_are_one_apart_are_clipped_to_rows_that_are_no_further_apart(norm: Norm, exponent: int) -> None:
    bound = Fraction(2) ** exponent
    rows = np.array([[float(bound), 0.0], [float(bound), 1.0]])
    one, other = scale_real_rows(plain(rows), norm, bound).fractions().tolist()
    moves = [a - b for a, b in zip(one, other, strict=True)]
    if norm is Norm.L2:
        assert sum(move * move for move in moves) <= 1
    else:
        assert sum(abs(move) for move in moves) <= 2
    assert sum(value * value if norm is Norm.L2 else abs(value) for value in other) <= (
        bound**2 if norm is Norm.L2 else bound
    )


@pytest.mark.parametrize("exponent", [-300, -700, -2000])
def test_so_are_rows_that_were_scaled_down_before(exponent: int) -> None:
    factor = Fraction(3) * Fraction(2) ** exponent
    bound = factor * 2**60
    rows = scaled(plain(np.array([[2.0**60, 0.0], [2.0**60, 1.0], [2.0**61, 1.0]])), factor)
    one, other, long = scale_real_rows(rows, Norm.L2, bound).fractions().tolist()
    assert sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) <= factor**2
    assert abs(long[1] * 2 / factor - 1) < Fraction(1, 2**100)


@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
def test_rows_that_are_no_sums_of_doubles_are_scaled_where_they_are_too_long(norm: Norm) -> None:
    short, long = [Fraction(1, 3), Fraction(-1, 7)], [Fraction(4, 3), Fraction(-1)]
    found = scale_real_rows(of_fractions([*short, *long], (2, 2)), norm, Fraction(1)).fractions().tolist()
    assert found[0] == short
    length = Fraction(7, 3) if norm is Norm.L1 else Fraction(5, 3)
    assert size(found[1], norm) <= 1
    assert all(abs(one * length - other) < Fraction(1, 2**100) for one, other in zip(found[1], long, strict=True))


@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2])
def test_rows_that_are_all_but_as_long_as_the_bound_are_told_apart(norm: Norm) -> None:
    """Some have a norm above 1 that doubles find below 1, and the other way round."""
    x = np.random.default_rng(6).normal(size=(600, 6))
    x /= (np.abs(x).sum(axis=1) if norm is Norm.L1 else np.linalg.norm(x, axis=1))[:, None]
    exact = [size([Fraction(value) for value in row], norm) for row in x.tolist()]
    assert exceeds(np.asfortranarray(x), norm, Fraction(1)).tolist() == [length > 1 for length in exact]
    if norm is Norm.L1:
        far_apart = np.array([[1.0, 2.0**-60, 0.0], [2.0**-60, 1.0, 2.0**-130], [1.0, 2.0**-60, 2.0**-130]])
        for row in (*x[:20], *far_apart):
            length = size([Fraction(value) for value in row.tolist()], norm)
            for bits in (130, 300):
                bounds = (length + Fraction(1, 2**bits), length, length - Fraction(1, 2**bits))
                assert [exceeds(row[None, :], norm, bound)[0] for bound in bounds] == [False, False, True]
