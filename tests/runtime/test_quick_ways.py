"""What is computed in a quicker way where it can be is to the last bit what the general way computes."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from duetpy.runtime.evaluation.kernels import KERNELS, ROUNDING
from duetpy.runtime.exact import rationals
from duetpy.runtime.exact.exact_sum import exact_total
from duetpy.runtime.exact.rationals import LARGEST, Numbers, constant, plain
from duetpy.runtime.sources.array_cells import are_good, numbers_in
from duetpy.runtime.sources.table import GREATEST_NATURAL, ColumnSpec, Kind
from duetpy.runtime.values.matrix_ops import codes_of, parts_of
from duetpy.runtime.values.values import MatrixValue, Truths
from tests.effort import often

ODD = (0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, 0.1, -0.3, 1.0, 2.0**53, 1e308, LARGEST, -LARGEST)


def bits(values: np.ndarray) -> list[int]:
    return np.ascontiguousarray(values, dtype=np.float64).view(np.int64).tolist()


@pytest.mark.parametrize("seed", range(often(60, 20)))
def test_one_of_two_numbers_is_chosen_to_the_last_bit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, width = int(rng.integers(0, 9)), int(rng.integers(1, 4))
    left, right = (np.asfortranarray(rng.choice(ODD, (rows, width))) for _ in range(2))
    where = rng.random((rows, 1)) < 0.5
    mask = np.broadcast_to(where, (rows, width))
    assert bits(rationals.blended(mask, left, right)) == bits(np.where(mask, left, right))
    for one in (np.float64(ODD[seed % len(ODD)]), left):
        assert bits(rationals.blended(mask, one, right)) == bits(np.where(mask, one, right))
        assert bits(rationals.blended(mask, right, one)) == bits(np.where(mask, right, one))
    two = np.float64(0.1), np.float64(-0.0)
    assert bits(rationals.blended(mask, *two)) == bits(np.where(mask, *two))


def one_or_many(draw: random.Random, lanes: int, natural: bool) -> tuple[Numbers, list[Fraction]]:
    """Numbers of which all are one, or of their own, which may be no doubles; and what they are."""
    if natural:
        found = [Fraction(draw.choice((0, 1, 2, 2**53 - 1, 2**53, 2**53 + 1, 2**80, 2**80 + 1))) for _ in range(lanes)]
    else:
        found = [draw.choice((Fraction(1, 3), Fraction(3, 10), *map(Fraction, ODD))) for _ in range(lanes)]
    if draw.random() < 0.5:
        one = found[0]
        return constant(int(one) if natural else one, (lanes,)), [one] * lanes
    return rationals.of_fractions(found, (lanes,), natural=natural), found


@pytest.mark.parametrize("seed", range(often(300, 60)))
def test_numbers_of_which_all_are_one_compare_and_compute_as_others_do(seed: int) -> None:
    draw = random.Random(seed)
    lanes, natural = draw.randrange(1, 5), draw.random() < 0.4
    left, first = one_or_many(draw, lanes, natural)
    right, second = one_or_many(draw, lanes, natural)
    for name in ("<", "≤", "≡"):
        found = KERNELS[name](left, right)
        assert isinstance(found, Truths)
        alone = [
            KERNELS[name](int(a) if natural else a, int(b) if natural else b)
            for a, b in zip(first, second, strict=True)
        ]
        assert found.values.tolist() == alone
    for name in ("+", "-", "⋅", "/"):
        together = ROUNDING[name](left, right)
        assert isinstance(together, Numbers)
        alone = [
            ROUNDING[name](int(a) if natural else a, int(b) if natural else b)
            for a, b in zip(first, second, strict=True)
        ]
        assert together.fractions().tolist() == alone
        assert together.shape == (lanes,)


@pytest.mark.parametrize("size", [1, 2, 1023, 1024, 2047, 2048, 2**16 - 1, 2**16, 2**16 + 1])
@pytest.mark.parametrize("kind", ["odd", "normal", "of all sizes", "next to powers of two", "tiny", "alike"])
def test_sums_of_the_worst_numbers_are_exact(kind: str, size: int) -> None:
    rng = np.random.default_rng(size)
    match kind:
        case "odd":
            values = rng.choice(ODD, size)
        case "normal":
            values = rng.normal(size=size) * 10.0 ** rng.integers(-320, 307)
        case "of all sizes":
            values = rng.normal(size=size) * 10.0 ** rng.integers(-323, 307, size)
        case "next to powers of two":
            powers = np.ldexp(1.0, rng.integers(-1074, 1024, size))
            values = np.clip(np.nextafter(powers, rng.choice([0.0, math.inf], size)), 0.0, LARGEST)
            values *= rng.choice([-1.0, 1.0], size)
        case "tiny":
            values = rng.integers(-5, 6, size) * 5e-324
        case _:
            values = np.full(size, np.nextafter(2.0 ** rng.integers(-1000, 1000), 0.0))
    parts, exponents = np.frexp(values)
    steps = (parts * 2.0**53).astype(np.int64).tolist()
    whole = sum(step << (exponent + 1073) for step, exponent in zip(steps, exponents.tolist(), strict=True))
    assert exact_total(values) == Fraction(whole, 2**1126)


CELLS = (
    np.array(ODD),
    np.array([*ODD, math.nan]),
    np.array([1.0, math.inf]),
    np.array([]),
    np.array([1.5, -2.0], dtype=">f8"),
    np.array([1.5, -0.0], dtype=np.float32),
    np.array([0, 3, 7]),
    np.array([0, 3, -1]),
    np.array([0, GREATEST_NATURAL, 1]),
    np.array([0, GREATEST_NATURAL + 1, 1]),
    np.array([0, 2**64 - 1], dtype=np.uint64),
    np.array([3, 255], dtype=np.uint8),
    np.ma.MaskedArray([1.0, 2.0], [False, True]),
    np.ma.MaskedArray([1, 2], [True, False]),
    np.array([True, False]),
)
COLUMNS = (
    ColumnSpec(None, Kind.REAL),
    ColumnSpec(None, Kind.NAT),
    ColumnSpec(None, Kind.NAT, below=8),
    ColumnSpec(None, Kind.BOOL),
    ColumnSpec(None, Kind.DATE),
)


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("column", COLUMNS)
def test_cells_that_are_good_for_certain_are_what_each_of_them_is(cells: np.ndarray, column: ColumnSpec) -> None:
    held = np.full(cells.shape, 99.0)
    if not are_good(cells, column, held):
        return
    values, bad = numbers_in(cells, column)
    assert bits(held) == bits(values)
    assert not bad.any()


def test_most_columns_are_good_for_certain() -> None:
    held = np.empty(3)
    assert are_good(np.array([1.0, -0.0, 1e308]), ColumnSpec(None, Kind.REAL), held)
    assert bits(held) == bits(np.array([1.0, 0.0, 1e308]))
    assert are_good(np.array([0, 1, 7]), ColumnSpec(None, Kind.NAT, below=8), held)
    assert not are_good(np.array([0, 1, 8]), ColumnSpec(None, Kind.NAT, below=8), held)
    assert not are_good(np.array([0.0, 1.0, math.nan]), ColumnSpec(None, Kind.REAL), held)


WHOLE = tuple(float(number) for number in range(-4, 12))


@pytest.mark.parametrize("seed", range(often(100, 30)))
def test_a_row_is_in_the_part_of_the_key_that_it_is_equal_to(seed: int) -> None:
    draw = random.Random(seed)
    pool = WHOLE if draw.random() < 0.6 else sorted({number + 0.0 for number in ODD})
    keys = draw.sample(pool, draw.randrange(1, 8))
    near = [*ODD, *WHOLE, *(math.nextafter(key, draw.choice((-1.0, 1.0))) for key in keys)]
    values = [
        draw.choice(near) if draw.random() < 0.8 else draw.uniform(-6, 14) for _ in range(draw.choice((1, 2, 60)))
    ]
    values *= 300 if seed == 0 else 1
    codes = codes_of(plain(np.array(values)), len(values), [Fraction(key) for key in keys])
    assert codes.tolist() == [keys.index(value) if value in keys else -1 for value in values]
    parts = parts_of(MatrixValue(len(values), plain(np.array(values)[:, None])), codes, len(keys))
    for key, part in zip(keys, parts, strict=True):
        assert part.rows == sum(value == key for value in values)
        assert bits(part.store.doubles[:, 0]) == [bits(np.array([value]))[0] for value in values if value == key]
