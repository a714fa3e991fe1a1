"""Sums cell by cell: those of fractions, whatever the sizes of the numbers and however they are taken apart."""

import pickle
import random
from fractions import Fraction

import numpy as np
import pytest

from duetpy.runtime.exact import cell_sums, linear_forms, rationals
from duetpy.runtime.exact.cell_sums import CellSums, summed
from duetpy.runtime.exact.rationals import LARGEST, Numbers, plain
from tests.effort import often

SIZES = [5e-324, 2.0**-1022, 2.0**-600, 2.0**-49, 2.0**-48, 1.0, 2.0**47, 2.0**48 - 1, 2.0**48, 3.0**300, LARGEST]
FACTORS = [Fraction(1), Fraction(-1, 3), Fraction(7), Fraction(10) ** 320, Fraction(1, 10**320)]


def drawn(source: random.Random, shape: tuple[int, int]) -> np.ndarray:
    cells = [
        source.choice([0.0, 1.0, -1.0, 0.1, source.gauss(0.0, 1.0), 1.0 - 2.0**-53]) * source.choice([1.0, 1.0, *SIZES])
        for _ in range(shape[0] * shape[1])
    ]
    return np.clip(np.array(cells).reshape(shape), -LARGEST, LARGEST)


def grid(source: random.Random, shape: tuple[int, int]) -> Numbers:
    value = plain(drawn(source, shape))
    for _ in range(source.randrange(3)):
        value = linear_forms.add(value, rationals.scaled(plain(drawn(source, shape)), source.choice(FACTORS)))
    if source.random() < 0.3:
        value = linear_forms.add(value, rationals.constant(source.choice(FACTORS), shape))
    if source.random() < 0.2:
        every = [source.choice(FACTORS) for _ in range(shape[0] * shape[1])]
        value = linear_forms.add(value, rationals.of_fractions(every, shape))
    return value


def exactly(value: Numbers) -> list[Fraction]:
    return [Fraction(one) for one in value.fractions().ravel().tolist()]


def wanted(parts: list[Numbers]) -> list[Fraction]:
    every = [row for part in parts for row in part.fractions().tolist()]
    return [sum((row[at] for row in every), Fraction(0)) for at in range(parts[0].shape[1])]


@pytest.mark.parametrize("seed", range(often(150, 30)))
def test_sums_are_those_of_fractions(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(seed)
    monkeypatch.setattr(cell_sums, "_LANES", source.choice([1, 2, 1 << 13]))
    monkeypatch.setattr(cell_sums, "LONG", source.choice([1, 4, 1 << 12]))
    cells = source.choice([1, 2, 6])
    parts = [grid(source, (source.choice([0, 1, 3, 9]), cells)) for _ in range(4)]
    total = CellSums(cells)
    for part in parts:
        total = total.merged(summed(part))
    assert exactly(total.numbers((cells,))) == wanted(parts)


@pytest.mark.parametrize("seed", range(often(30, 8)))
def test_neither_order_nor_bytes_change_a_sum(seed: int) -> None:
    source = random.Random(seed)
    parts = [summed(grid(source, (3, 4))) for _ in range(5)]
    there, back = CellSums(4), CellSums(4)
    for part in parts:
        there = there.merged(part)
    for part in reversed(parts):
        back = pickle.loads(pickle.dumps(part)).merged(back)
    assert exactly(there.numbers((2, 2))) == exactly(back.numbers((2, 2)))


@pytest.mark.parametrize("number", [LARGEST, -LARGEST, 2.0**48 - 1, 1.0 - 2.0**-53, 5e-324, -0.1])
@pytest.mark.parametrize("rows", [cell_sums.LONG - 1, cell_sums.LONG, cell_sums._LANES + 1])
def test_as_many_rows_as_there_may_be_carry(number: float, rows: int) -> None:
    """The same sum is added to itself 40 times, which is that of 2^40 rows more."""
    total = summed(plain(np.full((rows, 2), number)))
    for _ in range(40):
        total = total.merged(total)
    assert exactly(total.numbers((2,))) == [Fraction(number) * rows * 2**40] * 2


def test_sums_that_are_doubles_are_plain() -> None:
    total = summed(plain(np.array([[0.5, 1e300], [0.25, -1e300], [2.0**-60, 3.0]])))
    assert total.numbers((2,)).doubles is None
    small = summed(plain(np.array([[0.5, 1e300], [0.25, -1e300], [2.0**-40, 3.0]]))).numbers((2,), natural=True)
    assert small.doubles is not None
    assert small.doubles.tolist() == [0.75 + 2.0**-40, 3.0]
    assert small.is_natural


def test_numbers_of_all_sizes_take_no_more_than_is_counted() -> None:
    """What three sums hold together, if their numbers have all sizes that doubles have."""
    cells = 100
    exponents = np.arange(-1074, 1024)
    total = summed(plain(np.ldexp(np.ones((len(exponents), cells)), exponents[:, None])))
    held = sum(counts.nbytes for levels in total.levels.values() for counts in levels.values())
    assert 40 * 8 * cells < held < cell_sums.BYTES * cells / 3


def test_the_sums_print_nothing() -> None:
    assert repr(summed(plain(np.ones((3, 1))))) == "<private sums>"
