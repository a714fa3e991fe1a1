"""Quicker ways that are wrong are seen, against fractions."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.runtime.evaluation import entry_by_entry
from duetpy.runtime.evaluation.columns_seen import gone_over
from duetpy.runtime.evaluation.kernels import ROUNDING
from duetpy.runtime.evaluation.step_sums import kinds_of_rows
from duetpy.runtime.exact import rationals
from duetpy.runtime.exact.exact_sum import exact_total
from duetpy.runtime.exact.rationals import LARGEST, Numbers, constant, plain
from duetpy.runtime.noise import sparse_coins
from duetpy.runtime.release.noiseless import evaluate
from duetpy.runtime.release.selecting import each_with_probability
from duetpy.runtime.sources import sealing
from duetpy.runtime.sources.arrays import from_arrays
from duetpy.runtime.sources.column_selection import ByPosition
from duetpy.runtime.sources.table import GREATEST_NATURAL, ColumnSpec, Kind, Table, no_texts
from duetpy.runtime.values.matrix_ops import codes_of
from duetpy.runtime.values.values import MatrixValue
from tests.runtime.test_selecting import Told
from tests.runtime.test_step_sums import flat
from tests.soundness.broken.mutant import Mutant
from tests.soundness.broken.quick import QUICK_WAYS
from tests.soundness.mutants import planted

ODD = (0.0, 0.1, 0.3, -0.1, 1.0, 2.0, 5e-324, -5e-324, 1e308, -1e308, LARGEST, -LARGEST, 2.0**53, -7.5)
LIMITS = (Fraction(1, 10), Fraction(0), Fraction(1), Fraction(2**53 + 1), Fraction(10) ** 400, -(Fraction(10) ** 400))


def check_kinds(*, natural: bool = False) -> None:
    """A function of how a cell compares with the limits, exactly or as doubles do, has the sum that it has over all rows."""
    draw = random.Random(natural)
    for _ in range(20):
        limits = draw.sample(LIMITS, draw.randrange(1, 4))
        if natural:
            limits = [Fraction(draw.randrange(-2, 9), draw.choice((1, 2))) for _ in limits]
            cells = [float(draw.choice((0, 1, 2, 3, 4))) for _ in range(30)]
        else:
            near = [float(limit) for limit in limits if abs(limit) < 10**300]
            near += [math.nextafter(each, way) for each in near for way in (math.inf, -math.inf)]
            cells = [draw.choice((*ODD, *near)) for _ in range(30)]
        kinds = kinds_of_rows(MatrixValue(len(cells), plain(np.array(cells)[:, None], natural=natural)), 0, limits)
        assert kinds is not None
        assert sum(kinds.counts) == len(cells)
        store = kinds.one_of_each.store
        assert isinstance(store, Numbers)
        for limit in limits:
            nearest = Fraction(rationals.to_double(limit))

            def term(cell: Fraction, limit: Fraction = limit, nearest: Fraction = nearest) -> Fraction:
                exactly = Fraction((cell > limit) - (cell < limit), 3)
                return exactly + (7 if cell < nearest else 11 if cell == nearest else 0)

            terms = rationals.of_fractions([term(cell) for cell in store.fractions()[:, 0].tolist()], (store.shape[0],))
            assert kinds.total(terms) == sum(term(Fraction(cell)) for cell in cells)


def check_columns() -> None:
    """Sums over two columns, in one run, each several times."""
    draw = random.Random(3)
    xs, ys = ([draw.choice((0.0, 0.5, 1.5, 2.5)) for _ in range(20)] for _ in range(2))
    terms: dict[str, Callable[[float, float, float], float]] = {
        "if row.x < c then 1.0 else 0.25": lambda x, y, c: 1.0 if x < c else 0.25,
        "if row.y < c then 1.0 else 0.25": lambda x, y, c: 1.0 if y < c else 0.25,
        "(if row.x < c then 1.0 else 0.0) + (if row.y < c then 4.0 else 0.0)": lambda x, y, c: (
            (1.0 if x < c else 0.0) + (4.0 if y < c else 0.0)
        ),
        "(if row.x < c then 1.0 else 0.0) + (if row.x + row.y < c then 4.0 else 0.0)": lambda x, y, c: (
            (1.0 if x < c else 0.0) + (4.0 if x + y < c else 0.0)
        ),
    }
    folds = "".join(
        f"let f{at} = sλ c : ℝ ⇒ mfold-row 0.0, xs {{ total, row ⇒ total + ({term}) }} in "
        for at, term in enumerate(terms)
    )
    candidates = (1.0, 2.0, 3.0)
    calls = [f"f{at} {each}" for at in range(len(terms)) for each in candidates]
    pairs = "".join(f"⟨{call}, " for call in calls[:-1]) + calls[-1] + "⟩" * (len(calls) - 1)
    text = f"sλ m : ℕ . xs : 𝕄 [L∞, U | m, x : 𝔻 ∷ y : 𝔻 ∷ []] ⇒ {folds}{pairs}"
    found = flat(evaluate(text, xs={"x": xs, "y": ys}))
    assert found == [
        sum(term(x, y, c) for x, y in zip(xs, ys, strict=True)) for term in terms.values() for c in candidates
    ]


def check_kept() -> None:
    """How many rows filters keep that look at one column, or at two."""
    draw = random.Random(4)
    xs, ys = ([draw.choice((0.0, 0.5, 1.5, 2.5)) for _ in range(20)] for _ in range(2))
    calls = "⟨f 1.0, ⟨f 2.0, ⟨g 1.0, g 2.0⟩⟩⟩"
    one, two = "row.x < c", "(row.x < c) ∧ (row.y < c)"
    folds = "".join(
        f"let {name} = sλ c : ℝ ⇒ real (rows (mfilter xs {{ row ⇒ {holds} }})) in "
        for name, holds in (("f", one), ("g", two))
    )
    found = flat(evaluate(f"sλ . xs : 𝕄 [L∞, U | ★, x : 𝔻 ∷ y : 𝔻 ∷ []] ⇒ {folds}{calls}", xs={"x": xs, "y": ys}))
    pairs = list(zip(xs, ys, strict=True))
    assert found == [
        *(sum(x < c for x, _ in pairs) for c in (1.0, 2.0)),
        *(sum(x < c and y < c for x, y in pairs) for c in (1.0, 2.0)),
    ]


def one_by_one(text: str, **values: Any) -> Any:
    usual = entry_by_entry.LANES_AN_ENTRY
    entry_by_entry.LANES_AN_ENTRY = 0
    try:
        return evaluate(text, **values)
    finally:
        entry_by_entry.LANES_AN_ENTRY = usual


def check_entries() -> None:
    entry = "row.x + (disc 10.0 ⋅ disc (real (dyn i)) + disc (real (dyn j)))"
    for i in range(2):
        for j in range(2):
            made = f"(mcreate[L∞ | ℕ[2], ℕ[2]] {{ i, j ⇒ {entry} }})#[{i}, {j}]"
            text = f"sλ m : ℕ . xs : 𝕄 [L∞, U | m, x : 𝔻 ∷ []] ⇒ bmap xs {{ row ⇒ {made} }}"
            assert np.ravel(one_by_one(text, xs={"x": [0.5, 1.5]})).tolist() == [x + 10.0 * i + j for x in (0.5, 1.5)]


def check_maps() -> None:
    made = "(mmap-row zs { z ⇒ row.x ⋅ z#[0, 0] })#[2, 0]"
    text = f"sλ m : ℕ . xs : 𝕄 [L∞, U | m, x : 𝔻 ∷ []], zs : 𝕄 [L∞, U | 3, 1⋅𝔻] ⇒ bmap xs {{ row ⇒ {made} }}"
    found = one_by_one(text, xs={"x": [0.5, 1.5]}, zs=np.array([[1.0], [2.0], [4.0]]))
    assert np.ravel(found).tolist() == [2.0, 6.0]


def check_codes() -> None:
    values = (1.0, 5.0, 0.5, 4.0, 7.5, 1.5)
    for keys in ((1, 2, 5), (0.5, 2.5)):
        found = codes_of(plain(np.array(values)), len(values), [Fraction(key) for key in keys])
        assert found.tolist() == [keys.index(value) if value in keys else -1 for value in values]


def check_sums() -> None:
    for size in (1, 3, 2047, 2048, 2**16):
        for value in (1.0 - 2.0**-53, 5e-324, 0.1, -1e300):
            assert exact_total(np.full(size, value)) == size * Fraction(value)
            mixed = np.full(size, value)
            mixed[0] = 2.0**-80
            assert exact_total(mixed) == (size - 1) * Fraction(value) + Fraction(1, 2**80)


def check_chosen() -> None:
    left, right = plain(np.array([1.5, 3.25, -0.1])), plain(np.array([0.7, -2.0, 1e300]))
    where = np.array([True, False, True])
    assert rationals.select(where, left, right).fractions().tolist() == [1.5, -2.0, Fraction(-0.1)]


def check_divided() -> None:
    found = ROUNDING["/"](plain(np.array([1.0, -2.5])), constant(Fraction(0), (2,)))
    assert isinstance(found, Numbers)
    assert found.fractions().tolist() == [0, 0]


def check_cells() -> None:
    real, natural = ColumnSpec(None, Kind.REAL), ColumnSpec(None, Kind.NAT)
    numbers = from_arrays(np.array([1.0, math.nan, math.inf]), (real,), on_bad_row="default").numbers
    assert numbers[:, 0].tolist() == [1.0, real.number, real.number]
    wholes = from_arrays(
        np.array([1, GREATEST_NATURAL + 1, GREATEST_NATURAL]), (natural,), on_bad_row="default"
    ).numbers
    assert wholes[:, 0].tolist() == [1.0, natural.number, float(GREATEST_NATURAL)]


def check_matrix() -> None:
    specs = (ColumnSpec(None, Kind.REAL, default=7.0), ColumnSpec(None, Kind.REAL, default=8.0))
    cells = np.array([[1.0, 2.0], [math.nan, 4.0], [-0.0, math.inf]])
    for array in (cells, np.asfortranarray(cells), cells[::-1][::-1]):
        for places, wanted in (
            ((0, 1), [[1.0, 2.0], [7.0, 4.0], [0.0, 8.0]]),
            ((1, 0), [[2.0, 1.0], [4.0, 8.0], [7.0, 0.0]]),
        ):
            table = from_arrays(array, specs, selection=ByPosition(places), on_bad_row="default")
            assert table.numbers.tolist() == wanted
            assert not np.signbit(table.numbers).any()
    finite = from_arrays(np.array([[1.0, 2.0], [3.0, 4.0]]), specs, selection=ByPosition((1, 0)))
    assert finite.numbers.tolist() == [[2.0, 1.0], [4.0, 3.0]]


def check_rows() -> None:
    bits = Told([0x54, 0x55, 0x56, 0x55], [0x54, 0x56])
    assert each_with_probability(4, Fraction(1, 3), bits).tolist() == [0, 1]


def check_few_rows() -> None:
    rate = Fraction(1, 3000)
    none = (1 - rate) ** sparse_coins.GROUP * (1 << 64)
    first, rest = int(none), int((none - int(none)) * (1 << 64))
    bits = Told([first, first, first + 1], [rest - 1], [rest + 1])
    assert sparse_coins._binomial(rate).drawn(3, bits).tolist() == [0, 1, 1]
    two = int(((1 - rate) ** 64 + 64 * rate * (1 - rate) ** 63) * (1 << 64)) + 1
    assert sparse_coins.heads(1, rate, Told([two], [6, 6], [6, 4])).tolist() == [4, 6]


def check_seals() -> None:
    """Of a hundred pairs of signs that change, none is missed; nor are two rows that change places."""
    keys, cells = sealing.new_keys(), np.random.default_rng(0).standard_normal((200, 1))

    def sealed(cells: np.ndarray) -> list[Any]:
        seals = sealing.Sealing(keys)
        return seals.add(Table((ColumnSpec(None, Kind.REAL),), cells, no_texts(len(cells)))) + seals.rest()

    for at in range(100):
        changed = cells.copy()
        changed[[at, at + 100]] *= -1.0
        assert sealed(changed) != sealed(cells.copy())
    assert sealed(cells[::-1].copy()) != sealed(cells.copy())


def check_columns_seen() -> None:
    head = "pλ . xs : 𝕄 [L∞, U | ★, a : 𝔻 ∷ b : 𝔻 ∷ c : 𝔻 ∷ []] ⇒ "
    for text, wanted in (
        ("laplace[auto, 1.0] <xs> { mfold-row 0.0, xs.[a, b] { t, row ⇒ t + clip[0.0, 9.0] row.b } }", {0, 1}),
        (
            "laplace[auto, 1.0] <xs> { mfold-row 0.0, (mmap-row xs { r ⇒ r }) { t, row ⇒ t + clip[0.0, 9.0] row.b } }",
            None,
        ),
        ("poisson[0.5] xs { some ⇒ laplace[auto, 1.0] <some> { real (rows some) } }", None),
    ):
        typed = duetpy.parse(head + text, notion="eps").check().program.typed
        assert typed is not None
        assert gone_over(typed.core)["xs"] == wanted


CHECKS: dict[str, Callable[[], None]] = {
    "kinds": check_kinds,
    "naturals": lambda: check_kinds(natural=True),
    "columns": check_columns,
    "kept": check_kept,
    "entries": check_entries,
    "maps": check_maps,
    "sums": check_sums,
    "codes": check_codes,
    "chosen": check_chosen,
    "divided": check_divided,
    "cells": check_cells,
    "matrix": check_matrix,
    "rows": check_rows,
    "few rows": check_few_rows,
    "seals": check_seals,
    "columns seen": check_columns_seen,
}


@pytest.mark.parametrize("check", CHECKS)
def test_the_quicker_ways_are_right(check: str) -> None:
    CHECKS[check]()


@pytest.mark.parametrize("mutant", QUICK_WAYS, ids=[mutant.name for mutant in QUICK_WAYS])
def test_a_wrong_way_is_seen(mutant: Mutant) -> None:
    (check,) = mutant.rules
    with planted(mutant), pytest.raises(AssertionError):
        CHECKS[check]()
