"""Samples and orders of rows against their laws: what amplification by sampling and by shuffling is priced for.

A sample of fixed size has every set of rows equally likely and in every order, a Poisson sample has each row with its own coin,
and a shuffle every order. The draws are made on small tables of the audit's own, so that every set and every order can be counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from duetpy.audit import statistics
from duetpy.audit.recording import Draw
from duetpy.runtime.evaluation.evaluate import expression
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.exact.rationals import plain
from duetpy.runtime.noise.random_bits import Bits, InsecureBits
from duetpy.runtime.release import driver as driver_module
from duetpy.runtime.release import selecting
from duetpy.runtime.release.driver import Driver
from duetpy.runtime.release.mechanisms import Randomness
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import MatrixValue, numbers_of
from duetpy.typecheck import core

Doubles = NDArray[np.float64]

ROWS, BATCHES, ORDERED = 7, (3, 4), 4
"""35 sets of three or four rows of seven: at most half of the rows, and more, are drawn in different ways. 24 orders of four."""

PER_VALUE = 100
"""A draw of a set or an order stands for so many values of a sample of noise."""

TABLE = "rows"

BLOCK = 3
"""Coins of so many neighbouring rows are looked at together."""


def sample_rows(draw: Draw, size: int, seed: int) -> tuple[int, dict[str, float], Callable[[float], float]]:
    """Test one way of drawing.

    Returns
    -------
    tuple
        How many draws there were; the p-values by name; and the p-value that draws would have in which the first row comes
        up too often by some factor.
    """
    bits = InsecureBits(seed)
    if draw.node.scheme == "poisson":
        return coins(draw.size, size, bits)
    count = max(1000, size // PER_VALUE)
    if draw.node.scheme == "sample":
        found = [batches(batch, count, bits) for batch in BATCHES]
        named = {
            name: min(1.0, len(BATCHES) * min(each.get(name, 1.0) for _, each, _ in found))
            for name in dict.fromkeys(name for _, each, _ in found for name in each)
        }
        return sum(total for total, _, _ in found), named, found[0][2]
    orders = list(permutations(range(ORDERED)))
    total, named, seen = counted(orders, reported_orders(draw.node, count, bits), count)
    _, drawn, _ = counted(orders, (tuple(selecting.permuted(range(ORDERED), bits)) for _ in range(count)), count)
    return 2 * total, {**named, "permutations": min(drawn.values())}, seen


def reported_orders(node: core.Sample, count: int, bits: Bits) -> Iterator[tuple[int, ...]]:
    """The orders in which a run gives the reports of a shuffle: here each is the number of its row."""
    first = core.Var(node.span, (), None, node.names[0])
    zero = core.Literal(node.span, (), None, 0)
    number = core.Return(node.span, (), core.Index(node.span, (), None, first, zero, zero), False)
    tables = tuple([core.Var(node.span, (), None, TABLE) for _ in node.tables])
    table = MatrixValue(ORDERED, plain(np.arange(float(ORDERED)).reshape(-1, 1)))
    reporting = core.Sample(node.span, (), node.scheme, zero, tables, node.names, number)
    driver = Driver(Machine(expression=expression), Randomness(bits))
    for _ in range(count):
        found = driver_module.shuffled(driver, reporting, Frame({TABLE: table}, KindScope()))
        assert isinstance(found, MatrixValue)
        yield tuple([int(each) for each in numbers_of(found).fractions().ravel().tolist()])


def batches(batch: int, count: int, bits: Bits) -> tuple[int, dict[str, float], Callable[[float], float]]:
    """Samples of a fixed size: every set of rows is equally likely, and every order."""
    drawn = [selecting.without_replacement(ROWS, batch, bits).tolist() for _ in range(count)]
    sets = list(combinations(range(ROWS), batch))
    total, named, seen = counted(sets, (tuple(sorted(each)) for each in drawn), count)
    ranks = (tuple(sorted(range(batch), key=each.__getitem__)) for each in drawn)
    _, places, _ = counted(list(permutations(range(batch))), ranks, count)
    return total, {**named, "order": min(places.values())}, seen


def counted(
    cells: list[tuple[int, ...]], drawn: Iterable[tuple[int, ...]], count: int
) -> tuple[int, dict[str, float], Callable[[float], float]]:
    """Sets or orders that are equally likely."""
    places = {cell: at for at, cell in enumerate(cells)}
    counts = np.zeros(len(cells))
    strangers = 0
    for each in drawn:
        if each in places:
            counts[places[each]] += 1
        else:
            strangers += 1
    fair: Doubles = np.full(len(cells), 1 / len(cells))
    first = np.array([cell[0] == 0 for cell in cells])

    def tilted(slip: float) -> float:
        law = np.where(first, slip, 1.0)
        return statistics.chi_square((count * law / law.sum()).tolist(), fair)

    named = {"different rows": 0.0} if strangers else {"chi-square": statistics.chi_square(counts.tolist(), fair)}
    return count, named, tilted


def coins(rate: Fraction, size: int, bits: Bits) -> tuple[int, dict[str, float], Callable[[float], float]]:
    """One coin for each row, all alike and independent."""
    size -= size % BLOCK
    kept = np.zeros(size, dtype=np.int64)
    kept[selecting.each_with_probability(size, rate, bits)] = 1
    q = min(1.0, float(rate))
    heads = int(kept.sum())
    inside = kept.reshape(-1, BLOCK)
    counts = np.bincount(inside @ (1 << np.arange(BLOCK)), minlength=1 << BLOCK)
    law = np.array([q ** i.bit_count() * (1 - q) ** (BLOCK - i.bit_count()) for i in range(1 << BLOCK)])
    named = {"rate": statistics.coin(heads, size, q), "independence": statistics.chi_square(counts, law)}
    return size, named, lambda slip: statistics.coin(round(size * min(1.0, q * slip)), size, q)
