"""∇ in whole steps: exact products and sums, rows within their bound, weights that keep the label rule, everywhere the same."""

from __future__ import annotations

import hashlib
import math
import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from duetpy.grammar.ast import Norm
from duetpy.runtime.engines import SerialEngine
from duetpy.runtime.engines.threads import ThreadsEngine
from duetpy.runtime.evaluation import gradient
from duetpy.runtime.evaluation.gradient import gradient_sum, in_steps, mean_gradient, model_in_steps
from duetpy.runtime.evaluation.loss_functions import ONE, Loss, falling, falling_in_steps, rising, targets, weights
from duetpy.runtime.evaluation.rows import Block
from duetpy.runtime.exact import whole_products
from duetpy.runtime.exact.rationals import plain, rounded
from duetpy.runtime.exact.whole_products import is_exact, power_above, product
from duetpy.runtime.values.clipping import clipped
from duetpy.runtime.values.values import MatrixValue
from tests.soundness.broken.grid import GRID
from tests.soundness.broken.mutant import Mutant
from tests.soundness.mutants import planted

CLASSES = 3
LOSSES = [
    Loss("LR"),
    Loss("HINGE"),
    Loss("LS"),
    Loss("HUBER", Fraction(1, 10)),
    Loss("HUBER", Fraction(10) ** 300),
    Loss("SOFTMAX", classes=CLASSES),
]
BOUNDS = [
    Fraction(1),
    Fraction(10) ** 300,
    Fraction(1, 10**300),
    Fraction(1, 3),
    Fraction(10) ** 400,
    Fraction(1, 10**400),
]


def size(row: list[int] | list[Fraction], norm: Norm) -> Fraction:
    """The norm, or its square in L2."""
    match norm:
        case Norm.L1:
            return Fraction(sum(abs(entry) for entry in row))
        case Norm.L2:
            return Fraction(sum(entry * entry for entry in row))
        case Norm.LINF:
            return Fraction(max(abs(entry) for entry in row))


def power(bound: Fraction, norm: Norm) -> Fraction:
    return bound * bound if norm is Norm.L2 else bound


def table(rows: np.ndarray) -> MatrixValue:
    return MatrixValue(len(rows), plain(np.asfortranarray(rows)))


def bounded(rows: np.ndarray, norm: Norm, bound: Fraction) -> MatrixValue:
    found = clipped(table(rows), norm, bound, rounds=True)
    assert isinstance(found, MatrixValue)
    return found


def model_of(entries: np.ndarray) -> MatrixValue:
    return MatrixValue(1, plain(entries.reshape(1, -1)))


# ---------------------------------------------------------------------------------------------------------------------
# Bits


def test_the_bits_add_up_to_those_of_a_double() -> None:
    summed = gradient.SUMMED.bit_length() - 1
    assert 1 << summed == gradient.SUMMED
    assert gradient.FEATURE_BITS + gradient.WEIGHT_BITS + summed == 53
    assert gradient.FEATURE_BITS + gradient.MODEL_BITS == 53


@pytest.mark.parametrize("columns", [1, 3, 1000])
@pytest.mark.parametrize("norm", list(Norm))
def test_margins_are_exact_for_the_longest_rows_and_models(norm: Norm, columns: int) -> None:
    check_margins(norm, columns)


def check_margins(norm: Norm, columns: int) -> None:
    """Rows along the model, where every partial sum is as large as it gets, and rows whose margins cancel."""
    rng = np.random.default_rng(columns)
    theta = rng.choice([-1.0, 1.0], columns) * rng.uniform(0.9, 1.0, columns)
    xs = np.stack([theta, np.sign(theta), -theta, theta * np.where(np.arange(columns) % 2, 1.0, -1.0)]) * 1e9
    steps = rounded(in_steps(bounded(xs, norm, Fraction(1)), norm, Fraction(1), -22).store)
    fold = gradient_sum(Loss("LR"), theta, norm, -22)
    whole = [int(step) for step in fold.model[:, 0].tolist()]
    for row, margin in zip(steps.tolist(), product(steps, fold.model)[:, 0].tolist(), strict=True):
        terms = [int(a) * b for a, b in zip(row, whole, strict=True)]
        assert sum(abs(term) for term in terms) <= 1 << 53
        assert sum(terms) == margin


@pytest.mark.parametrize("norm", list(Norm))
@pytest.mark.parametrize("scale", [1.0, 1e300, 1e-300, 5e-324, 0.0])
def test_a_model_is_as_fine_as_its_dual_norm_allows(norm: Norm, scale: float) -> None:
    model = np.random.default_rng(3).normal(size=(2, 7)) * scale
    steps, exponent = model_in_steps(model, norm)
    dual = {Norm.L1: Norm.LINF, Norm.L2: Norm.L2, Norm.LINF: Norm.L1}[norm]
    sizes = []
    for entries, whole in zip(model.tolist(), steps.tolist(), strict=True):
        kept = [Fraction(step) * Fraction(2) ** exponent for step in whole]
        assert size([int(step) for step in whole], dual) <= power(Fraction(1 << 31), dual)
        for entry, near in zip(entries, kept, strict=True):
            assert 0 <= abs(Fraction(entry)) - abs(near) < Fraction(2) ** exponent
        sizes.append(size([Fraction(entry) for entry in entries], dual))
    if max(sizes):
        assert max(sizes) > power(Fraction(2) ** (exponent + 30), dual) * Fraction(99, 100)


def test_sums_are_exact_for_the_longest_blocks_and_beyond_64_bits() -> None:
    check_sums()


def check_sums() -> None:
    rows = gradient.SUMMED
    steps = np.full((rows, 2), 2.0**22)
    steps[:, 1] = np.where(np.arange(rows) % 2, 2.0**22 - 1, 1 - 2.0**22)
    steps[0, 1] = 1.0
    fold = gradient_sum(Loss("HINGE"), np.zeros(2), Norm.LINF, -22)
    block = Block(0, (table(steps), table(np.ones((rows, 1)))))
    total = fold.absorb(fold.zero(), block)
    wanted = [-(1 << 19) * sum(int(entry) for entry in column) for column in steps.T.tolist()]
    assert total.tolist() == wanted
    assert abs(wanted[0]) == 1 << 53
    for _ in range(12):
        total = fold.merge(total, total)
    assert total.tolist() == [entry << 12 for entry in wanted]


def test_a_library_that_does_not_multiply_and_add_is_found_out() -> None:
    assert is_exact(lambda left, right: left @ right)

    def single(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return (left.astype(np.float32) @ right.astype(np.float32)).astype(np.float64)

    def halves(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Operands as sums of a higher and a lower part, without the product of the two lower ones."""
        first, second = np.trunc(left / 2**12) * 2**12, np.trunc(right / 2**12) * 2**12
        return left @ second + first @ (right - second)

    def winograd(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Half the products, of sums of entries (Winograd 1968)."""
        even = left.shape[1] // 2 * 2
        a, b, c, d = left[:, :even:2], left[:, 1:even:2], right[:even:2], right[1:even:2]
        both = ((a[:, None, :] + d.T[None]) * (b[:, None, :] + c.T[None])).sum(axis=2)
        return both - (a * b).sum(axis=1)[:, None] - (c * d).sum(axis=0) + left[:, even:] @ right[even:]

    def last_bit(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        found: np.ndarray = left @ right
        return np.where(np.abs(found) == 2.0**53, np.nextafter(found, 0.0), found)

    wrong: list[Callable[[np.ndarray, np.ndarray], np.ndarray]] = [single, halves, winograd, last_bit]
    assert [is_exact(multiply) for multiply in wrong] == [False] * 4


@pytest.mark.parametrize(
    "number", [Fraction(1), Fraction(3, 2), Fraction(1, 3), Fraction(2) ** 900, Fraction(1, 10**400)]
)
def test_the_power_above(number: Fraction) -> None:
    exponent = power_above(number)
    assert Fraction(2) ** (exponent - 1) < number <= Fraction(2) ** exponent


# ---------------------------------------------------------------------------------------------------------------------
# Rows


@pytest.mark.parametrize("columns", [1, 4, 1000])
@pytest.mark.parametrize(
    "bound", BOUNDS, ids=lambda bound: f"{math.log10(bound.numerator) - math.log10(bound.denominator):.0f}"
)
@pytest.mark.parametrize("norm", list(Norm))
def test_rows_in_steps_are_within_the_bound(norm: Norm, bound: Fraction, columns: int) -> None:
    check_rows(norm, bound, columns)


def check_rows(norm: Norm, bound: Fraction, columns: int) -> None:
    """Nearest, or cut off where that is too long, and never longer than the bound, exactly."""
    rng = np.random.default_rng(columns)
    rows = rng.normal(size=(12, columns)) * rng.choice([1e-9, 0.1, 1.0, 100.0], (12, 1))
    rows[0], rows[1], rows[2] = 0.0, 1.0, np.where(np.arange(columns) == 0, 1.0, 0.0)
    xs = bounded(rows * min(float(min(bound, Fraction(10) ** 290)), 1e290), norm, bound)
    exponent = power_above(bound) - 22
    unit = Fraction(2) ** exponent
    made = in_steps(xs, norm, bound, exponent)
    found, exact = rounded(made.store), rounded(xs.store)
    assert in_steps(xs, norm, bound, exponent) is made
    for steps, entries in zip(found.tolist(), exact.tolist(), strict=True):
        assert size([int(step) for step in steps], norm) <= power(bound / unit, norm)
        near = [round(Fraction(entry) / unit) for entry in entries]
        if size(near, norm) > power(bound / unit, norm):
            near = [math.trunc(Fraction(entry) / unit) for entry in entries]
        assert steps == near


def test_some_rows_are_cut_off_and_some_are_not() -> None:
    xs = bounded(np.random.default_rng(0).normal(size=(500, 5)) * 3, Norm.L2, Fraction(1))
    steps, exact = rounded(in_steps(xs, Norm.L2, Fraction(1), -22).store), rounded(xs.store) * 2.0**22
    are_near = (steps == np.rint(exact)).all(axis=1)
    assert 100 < are_near.sum() < 400


def test_a_table_under_two_bounds_is_within_both() -> None:
    check_two_bounds()


def check_two_bounds() -> None:
    """A function may state a longer length for the rows than they were clipped to: then they are rounded for that one too."""
    xs = bounded(np.random.default_rng(0).normal(size=(500, 5)) * 3, Norm.L2, Fraction(3, 2))
    for bound in (Fraction(19, 10), Fraction(3, 2)):
        steps = rounded(in_steps(xs, Norm.L2, bound, -21).store).tolist()
        assert max(size([int(step) for step in row], Norm.L2) for row in steps) <= power(bound * 2**21, Norm.L2)


# ---------------------------------------------------------------------------------------------------------------------
# Weights


def weights_of(loss: Loss, margins: list[float], label: float) -> list[int]:
    found = weights(loss, np.array([margins]), targets(loss, np.array([label])))[0].tolist()
    assert all(step == int(step) for step in found)
    return [int(step) for step in found]


def most(loss: Loss, norm: Norm) -> Fraction:
    """How long a row of weights may be, in steps; the square in L2."""
    one = Fraction(1 << 19)
    if loss.name != "SOFTMAX":
        return power(one, norm)
    return {Norm.L1: 2 * one, Norm.L2: 2 * one**2, Norm.LINF: one}[norm]


def moved(loss: Loss, norm: Norm) -> Fraction:
    """How far another label may move them, in steps; the square in L2."""
    if loss.name == "LR":
        return power(Fraction(1 << 19), norm)
    return most(loss, norm) if loss.name == "SOFTMAX" else power(Fraction(2 << 19), norm)


@pytest.mark.parametrize("loss", [*LOSSES, Loss("SOFTMAX", classes=1), Loss("SOFTMAX", classes=300)], ids=str)
def test_weights_keep_their_length_and_the_label_rule(loss: Loss) -> None:
    check_weights(loss)


def check_weights(loss: Loss) -> None:
    rng = np.random.default_rng(loss.classes)
    for scale in (0.0, 1e-3, 1.0, 8.0, 30.0, 2.0**36):
        margins = np.clip(rng.normal(size=loss.classes) * scale, -(2.0**36), 2.0**36).tolist()
        found = [weights_of(loss, margins, label) for label in (-1e300, -1.0, 0.0, 0.5, 1.0, 2.0, 7.0, 1e300)]
        for norm in Norm:
            assert all(size(one, norm) <= most(loss, norm) for one in found)
            pairs = [[a - b for a, b in zip(one, other, strict=True)] for one in found for other in found]
            assert all(size(pair, norm) <= moved(loss, norm) for pair in pairs)


def test_the_chances_of_classes_add_up_to_at_most_one() -> None:
    check_chances()


def check_chances() -> None:
    """Of thousands of nearly alike classes, rounding to nearest would add up to more."""
    rng = np.random.default_rng(1)
    for classes in (2, 3, 7, 1000, 5000):
        for margins in (np.full(classes, 0.7), rng.normal(size=classes), np.zeros(classes) + 1e-3 * np.arange(classes)):
            steps = weights_of(Loss("SOFTMAX", classes=classes), margins.tolist(), 0.0)
            assert sum(steps) <= 0
            assert all(step >= 0 for step in steps[1:])
            assert -sum(steps) <= classes + 1


def test_odds_of_any_number_of_classes_have_room_and_use_it() -> None:
    """Their sum is at most 2^33, so that no rounded quotient of theirs is a whole number that the exact one does not reach."""
    for classes in (1, 2, 3, 4, 7, 8, 255, 256, 1000):
        odds = falling_in_steps(classes)
        assert 2**31 <= classes * odds[0] <= 2**33
        assert odds[-1] == 0.0
        assert np.array_equal(odds, np.floor(odds))


def test_the_tables_are_those_functions_and_the_same_everywhere() -> None:
    nodes = np.arange((16 << 14) + 1)
    for at in (*range(0, len(nodes), 997), len(nodes) - 1):
        assert abs(falling(14, 16)[at] / math.exp(-at / 2**14) - 1) < 2.0**-35
        assert abs(rising()[(16 << 14) + at] - 2**19 / (1 + math.exp(-at / 2**14))) <= 0.51
    values = rising().astype(np.float64)
    assert (np.diff(values) >= 0).all()
    assert (values + values[::-1] == ONE).all()
    assert hashlib.sha256(falling(14, 16).tobytes()).hexdigest()[:16] == "ce3b431b8c47dae3"
    assert hashlib.sha256(rising().tobytes()).hexdigest()[:16] == "a14c96afd4b9b049"


# ---------------------------------------------------------------------------------------------------------------------
# The whole gradient


@pytest.mark.parametrize("columns", [1, 1000])
@pytest.mark.parametrize("scale", [1.0, 1e300, 1e-300])
@pytest.mark.parametrize("bound", BOUNDS[:3], ids=["1", "1e300", "1e-300"])
@pytest.mark.parametrize("norm", list(Norm))
@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.sparse(5)
def test_the_bounds_hold_of_extreme_rows_bounds_and_models(
    loss: Loss, norm: Norm, bound: Fraction, scale: float, columns: int
) -> None:
    """In exact arithmetic, with no tolerance: a replaced row, a replaced label, and the length of the mean."""
    rng = np.random.default_rng(columns)
    features = rng.choice([-1.0, 1.0, 5e-324, 1e-7], (3, columns)) * float(bound) * 2
    labels = np.array([[1.0], [-1.0], [1e300]])
    theta = model_of(rng.normal(size=loss.classes * columns) * scale)

    def of(x: np.ndarray, y: np.ndarray) -> list[Fraction]:
        found = mean_gradient(theta, bounded(x, norm, bound), table(y), (norm, bound), SerialEngine(), loss=loss)
        entries: list[Fraction] = found.store.fractions().tolist()[0]
        return entries

    other_row, other_label = features.copy(), labels.copy()
    other_row[1] *= -1
    other_label[1] = 2.0
    base, unit = of(features, labels), bound * loss.scale / (1 << 19)
    assert size(base, norm) <= most(loss, norm) * power(unit, norm)
    for found, allowed in (
        (of(features, other_label), moved(loss, norm) * power(unit / 3, norm)),
        (of(other_row, other_label), most(loss, norm) * power(2 * unit / 3, norm)),
    ):
        assert size([a - b for a, b in zip(base, found, strict=True)], norm) <= allowed


UNIT = (Norm.L2, Fraction(1))


def problem(loss: Loss, rows: int = 9001, columns: int = 7) -> tuple[MatrixValue, MatrixValue, MatrixValue]:
    # Generated without a function that differs by processor.
    rng = np.random.Generator(np.random.PCG64(5))
    features = rng.integers(-(2**40), 2**40, (rows, columns)) * 2.0**-39
    labels = rng.integers(-1, 4, (rows, 1)).astype(np.float64)
    theta = rng.integers(-(2**40), 2**40, loss.classes * columns) * 2.0**-38
    return model_of(theta), bounded(features, Norm.L2, Fraction(1)), table(labels)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_layout_blocks_engines_and_the_library_change_no_bit(loss: Loss, monkeypatch: pytest.MonkeyPatch) -> None:
    theta, xs, ys = problem(loss)
    wanted = mean_gradient(theta, xs, ys, UNIT, SerialEngine(), loss=loss).store.fractions().tolist()
    rows = rounded(xs.store)
    wide = np.zeros((2 * len(rows), 2 * rows.shape[1]))
    wide[::2, ::2] = rows
    for layout in (np.ascontiguousarray(rows), np.asfortranarray(rows), wide[::2, ::2]):
        again = MatrixValue(len(layout), plain(layout))
        assert mean_gradient(theta, again, ys, UNIT, SerialEngine(), loss=loss).store.fractions().tolist() == wanted
    for block_rows in (7, 4096, 5000):
        assert mean_gradient(theta, xs, ys, UNIT, SerialEngine(), block_rows, loss).store.fractions().tolist() == wanted
    engine = ThreadsEngine(workers=3, blocks_a_batch=1)
    assert mean_gradient(theta, xs, ys, UNIT, engine, 1000, loss).store.fractions().tolist() == wanted
    engine.close()
    monkeypatch.setattr(whole_products, "library_is_exact", lambda: False)
    assert mean_gradient(theta, xs, ys, UNIT, SerialEngine(), loss=loss).store.fractions().tolist() == wanted


def fingerprint() -> str:
    """The bits of all gradients of one problem."""
    every = [
        mean_gradient(*problem(loss), UNIT, SerialEngine(), loss=loss).store.fractions().tolist() for loss in LOSSES
    ]
    return hashlib.sha256(repr(every).encode()).hexdigest()


@pytest.mark.parametrize(
    "settings",
    [
        {"OPENBLAS_NUM_THREADS": "4"},
        {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1"},
        {"NPY_DISABLE_CPU_FEATURES": "AVX512_ICL AVX512_SPR X86_V4 X86_V3"},
    ],
    ids=["four threads of the library", "an older processor's products", "an older processor's arithmetic"],
)
def test_threads_of_the_library_and_processors_change_no_bit(settings: dict[str, str]) -> None:
    code = "from tests.runtime.test_gradient_grid import fingerprint; print(fingerprint())"
    made = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.strip() == fingerprint()


# ---------------------------------------------------------------------------------------------------------------------
# What these tests see

CHECKS: dict[str, Callable[[], None]] = {
    "margins": lambda: [check_margins(norm, 1000) for norm in Norm] and None,
    "sums": check_sums,
    "rows": lambda: [check_rows(norm, Fraction(1, 3), 4) for norm in Norm] and None,
    "weights": lambda: [check_weights(loss) for loss in LOSSES] and None,
    "chances": check_chances,
    "two bounds": check_two_bounds,
    "norms": lambda: check_rows(Norm.L2, Fraction(1, 10**300), 4),
}


@pytest.mark.parametrize("mutant", GRID, ids=[mutant.name for mutant in GRID])
def test_a_wrong_step_is_seen(mutant: Mutant) -> None:
    (check,) = mutant.rules
    CHECKS[check]()
    with planted(mutant), pytest.raises((AssertionError, OverflowError)):
        CHECKS[check]()
