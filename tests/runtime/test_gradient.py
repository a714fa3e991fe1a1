"""The gradients of the loss family: their values, their sensitivities as facts, and their bits whatever the blocks and threads."""

import math
from fractions import Fraction

import numpy as np
import pytest

from duetpy.grammar.ast import Norm
from duetpy.runtime.engines import SerialEngine
from duetpy.runtime.engines.threads import ThreadsEngine
from duetpy.runtime.evaluation.descent import descent
from duetpy.runtime.evaluation.gradient import discrete_mean, examples, mean_gradient, row_gradients
from duetpy.runtime.evaluation.loss_functions import Loss, targets, weights
from duetpy.runtime.exact.rationals import of_fractions, plain, rounded, to_double
from duetpy.runtime.release.noiseless import evaluate
from duetpy.runtime.values.clipping import clipped
from duetpy.runtime.values.values import MatrixValue, numbers_of


def matrix(rows: np.ndarray) -> MatrixValue:
    return MatrixValue(len(rows), plain(np.asfortranarray(rows)))


def problem(seed: int, rows: int = 60, columns: int = 5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(1, columns)) * 3, rng.normal(size=(rows, columns)), rng.choice([-2.0, 0.0, 1.0], (rows, 1))


def expected(model: np.ndarray, features: np.ndarray, labels: np.ndarray) -> np.ndarray:
    signs = np.where(labels[:, 0] > 0, 1.0, -1.0)
    return -(signs / (1 + np.exp(signs * (features @ model[0]))))[:, None] * features


def mean(
    model: np.ndarray, features: np.ndarray, labels: np.ndarray, norm: Norm, bound: Fraction, **how: object
) -> MatrixValue:
    xs = clipped(matrix(features), norm, bound, rounds=True)
    assert isinstance(xs, MatrixValue)
    engine = how.get("engine", SerialEngine())
    block_rows = how.get("block_rows", 8192)
    assert isinstance(engine, SerialEngine | ThreadsEngine)
    assert isinstance(block_rows, int)
    return mean_gradient(matrix(model), xs, matrix(labels), (norm, bound), engine, block_rows)


WITHIN = 2.0**-16
"""How far an entry may be from the formula, in units of the bound."""


def steps(loss: Loss, margins: list[float], label: float) -> list[float]:
    """The weights of one row in whole steps."""
    found: list[float] = weights(loss, np.array([margins]), targets(loss, np.array([label])))[0].tolist()
    return found


@pytest.mark.parametrize("seed", range(5))
def test_the_formula(seed: int) -> None:
    model, features, labels = problem(seed)
    xs = rounded(clipped(matrix(features), Norm.L2, Fraction(1)).store)
    found = mean(model, features, labels, Norm.L2, Fraction(1))
    assert np.allclose(rounded(found.store)[0], expected(model, xs, labels).mean(axis=0), rtol=0, atol=WITHIN)
    args = (matrix(model), matrix(features), matrix(labels))
    each = rounded(row_gradients(*args).store)
    assert (np.abs(each - expected(model, features, labels)) <= WITHIN * np.abs(features)).all()
    together = rounded(discrete_mean(*args, SerialEngine()).store)[0]
    assert np.allclose(together, each.mean(axis=0), rtol=1e-12, atol=1e-15)


def length(row: list[Fraction], norm: Norm) -> Fraction:
    """The norm, or its square in L2."""
    match norm:
        case Norm.L1:
            return sum((abs(v) for v in row), Fraction(0))
        case Norm.L2:
            return sum((v * v for v in row), Fraction(0))
        case Norm.LINF:
            return max(abs(v) for v in row)


@pytest.mark.parametrize("norm", list(Norm))
@pytest.mark.parametrize("bound", [Fraction(1), Fraction(1, 3), Fraction(10) ** 280, Fraction(1, 10**280)])
@pytest.mark.parametrize("seed", range(6))
def test_a_label_moves_the_mean_by_at_most_b_over_m_and_a_row_by_twice_that(
    norm: Norm, bound: Fraction, seed: int
) -> None:
    """In exact arithmetic, with no tolerance."""
    model, features, labels = problem(seed, rows=4, columns=3)
    features *= float(bound) * 2
    if seed % 2:
        model *= 1e3 / float(bound)
    other_label, other_row = labels.copy(), features.copy()
    other_label[1] = -1.0 if labels[1] > 0 else 1.0
    other_row[1] *= -1
    base, relabelled, replaced = (
        mean(model, x, y, norm, bound).store.fractions().tolist()[0]
        for x, y in ((features, labels), (features, other_label), (other_row, other_label))
    )
    for found, allowed in ((relabelled, bound / 4), (replaced, 2 * bound / 4)):
        moved = length([a - b for a, b in zip(base, found, strict=True)], norm)
        assert moved <= (allowed * allowed if norm is Norm.L2 else allowed)
    assert length(base, norm) <= (bound * bound if norm is Norm.L2 else bound)


def test_the_bound_on_a_label_is_attained() -> None:
    features, labels = np.array([[1.0, 0.0]]), np.array([[1.0]])
    model = np.array([[0.3, 0.0]])
    one, other = (mean(model, features, y, Norm.L2, Fraction(1)).store.fractions()[0, 0] for y in (labels, -labels))
    assert 1 - Fraction(1, 2**36) <= other - one <= 1


@pytest.mark.parametrize("rows", [1, 7, 8192, 8193, 20_000])
def test_blocks_and_threads_change_no_bit(rows: int) -> None:
    model, features, labels = problem(1, rows=rows)
    wanted = mean(model, features, labels, Norm.L2, Fraction(1)).store.fractions().tolist()
    for block_rows in (1, 3, 1000, 50_000) if rows < 100 else (999, 50_000):
        found = mean(model, features, labels, Norm.L2, Fraction(1), block_rows=block_rows)
        assert found.store.fractions().tolist() == wanted
    engine = ThreadsEngine(workers=3, blocks_a_batch=1)
    found = mean(model, features, labels, Norm.L2, Fraction(1), engine=engine, block_rows=500)
    engine.close()
    assert found.store.fractions().tolist() == wanted


def test_order_changes_no_bit() -> None:
    model, features, labels = problem(2, rows=5000)
    order = np.random.default_rng(9).permutation(5000)
    one = mean(model, features, labels, Norm.L2, Fraction(1)).store.fractions().tolist()
    other = mean(model, features[order], labels[order], Norm.L2, Fraction(1)).store.fractions().tolist()
    assert one == other


def test_a_replaced_row_changes_its_own_term_only() -> None:
    model, features, labels = problem(3, rows=300)
    xs = clipped(matrix(features), Norm.L2, Fraction(1))
    changed = features.copy()
    changed[100] = 1e6
    ys = clipped(matrix(changed), Norm.L2, Fraction(1))
    theta = matrix(model)
    before = rounded(row_gradients(theta, xs, matrix(labels)).store)
    after = rounded(row_gradients(theta, ys, matrix(labels)).store)
    assert np.flatnonzero((before != after).any(axis=1)).tolist() == [100]


@pytest.mark.parametrize("scale", [1e308, 1e200, 1e-320])
def test_huge_models_and_rows_give_finite_numbers(scale: float) -> None:
    model = np.array([[scale, -scale, scale]])
    features = np.array([[scale, scale, -scale], [-scale, 0.0, scale]])
    labels = np.array([[1.0], [-1.0]])
    found = rounded(mean(model, features, labels, Norm.L2, Fraction(1)).store)
    assert np.isfinite(found).all()
    assert np.isfinite(rounded(row_gradients(matrix(model), matrix(features), matrix(labels)).store)).all()


def test_row_gradients_are_no_longer_than_their_rows() -> None:
    model, features, labels = problem(4, rows=500)
    xs = clipped(matrix(features * 3), Norm.L2, Fraction(1))
    for row in row_gradients(matrix(model), xs, matrix(labels)).store.fractions().tolist():
        assert length(row, Norm.L2) <= 1


# ---------------------------------------------------------------------------------------------------------------------
# The other losses

CLASSES = 3
LOSSES = [
    Loss("LR"),
    Loss("HINGE"),
    Loss("LS"),
    Loss("HUBER", Fraction(1, 10)),
    Loss("HUBER", Fraction(10**30)),
    Loss("SOFTMAX", classes=CLASSES),
    Loss("SOFTMAX", classes=1),
]


def label_length(loss: Loss, norm: Norm) -> Fraction:
    """How far another label moves the weights, in units of the scale; squared in L2."""
    match loss.name:
        case "LR":
            return Fraction(1)
        case "SOFTMAX":
            return {Norm.L1: Fraction(2), Norm.L2: Fraction(2), Norm.LINF: Fraction(1)}[norm]
        case _:
            return Fraction(4 if norm is Norm.L2 else 2)


def weight_length(loss: Loss, norm: Norm) -> Fraction:
    """How long the weights are, in units of the scale; squared in L2."""
    return label_length(loss, norm) if loss.name == "SOFTMAX" else Fraction(1)


@pytest.mark.parametrize("norm", [Norm.L1, Norm.L2, Norm.LINF])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_every_loss_stays_within_its_bounds(loss: Loss, norm: Norm, seed: int) -> None:
    """In exact arithmetic, with no tolerance: a replaced row, a replaced label, and the length of the mean."""
    bound = (Fraction(1), Fraction(3, 10), Fraction(10**6))[seed % 3]
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(4, 2)) * float(bound) * 2
    labels = rng.integers(-1, 5, size=(4, 1)).astype(float) * (1e40 if seed == 5 else 1.0)
    model = rng.normal(size=(1, 2 * loss.classes)) * (1e3 if seed % 2 else 1.0) / float(bound)
    engine, theta = SerialEngine(), matrix(model)

    def of(x: np.ndarray, y: np.ndarray) -> list[Fraction]:
        xs = clipped(matrix(x), norm, bound, rounds=True)
        assert isinstance(xs, MatrixValue)
        found = mean_gradient(theta, xs, matrix(y), (norm, bound), engine, loss=loss)
        rows: list[Fraction] = found.store.fractions().tolist()[0]
        unit = bound * loss.scale
        assert length(rows, norm) <= weight_length(loss, norm) * (unit**2 if norm is Norm.L2 else unit)
        return rows

    relabelled, replaced = labels.copy(), features.copy()
    relabelled[1] = -2.0 if labels[1] > 0 else 2.0
    replaced[1] *= -1
    base = of(features, labels)
    unit = bound * loss.scale / 4
    for found, allowed, power in (
        (of(features, relabelled), label_length(loss, norm), 1),
        (of(replaced, relabelled), weight_length(loss, norm), 2),
    ):
        moved = length([a - b for a, b in zip(base, found, strict=True)], norm)
        if norm is Norm.L2:
            assert moved <= allowed * (power * unit) ** 2
        else:
            assert moved <= allowed * power * unit


def test_what_every_loss_makes_of_labels() -> None:
    """0, as 0/1 labels have it, is not above 0, and neither is -0.0."""
    labels = np.array([0.0, -0.0, 1.0, 5e-324, -1.0, 1.5, 7.0])
    for loss, wanted in {
        Loss("LR"): [0, 0, 2**19, 2**19, 0, 2**19, 2**19],
        Loss("HINGE"): [-1, -1, 1, 1, -1, 1, 1],
        Loss("LS"): labels.tolist(),
        Loss("HUBER", Fraction(2)): labels.tolist(),
        Loss("SOFTMAX", classes=CLASSES): [0, 0, 1, 0, 0, 1, CLASSES - 1],
    }.items():
        assert targets(loss, labels).tolist() == wanted


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_rows_of_every_loss_keep_their_bound_and_are_their_own(loss: Loss) -> None:
    rng = np.random.default_rng(7)
    xs = clipped(matrix(rng.normal(size=(200, 2)) * 3), Norm.L2, Fraction(1))
    assert isinstance(xs, MatrixValue)
    labels, theta = (
        matrix(rng.integers(-1, 4, size=(200, 1)).astype(float)),
        matrix(rng.normal(size=(1, 2 * loss.classes))),
    )
    made = row_gradients(theta, xs, labels, loss)
    for row in made.store.fractions().tolist():
        assert length(row, Norm.L2) <= weight_length(loss, Norm.L2) * loss.scale**2
    average = rounded(discrete_mean(theta, xs, labels, SerialEngine(), loss).store)[0]
    exact_mean = rounded(mean_gradient(theta, xs, labels, (Norm.L2, Fraction(1)), SerialEngine(), loss=loss).store)[0]
    assert np.allclose(rounded(made.store).mean(axis=0), average, rtol=1e-12, atol=1e-9 * float(loss.scale))
    assert np.allclose(average, exact_mean, rtol=0, atol=WITHIN * float(loss.scale))
    for block_rows in (1, 7, 200):
        again = mean_gradient(theta, xs, labels, (Norm.L2, Fraction(1)), SerialEngine(), block_rows, loss)
        assert again.store.fractions().tolist() == (
            mean_gradient(theta, xs, labels, (Norm.L2, Fraction(1)), SerialEngine(), loss=loss)
            .store.fractions()
            .tolist()
        )


def test_the_weights_are_the_derivatives_of_the_losses() -> None:
    """Central differences of the losses, written out."""

    def hinge(z: float, y: float) -> float:
        return max(0.0, 1 - (1 if y > 0 else -1) * z)

    def huber(z: float, y: float) -> float:
        r = abs(z - y)
        return r * r / 2 if r <= 0.5 else 0.5 * (r - 0.25)

    for loss, value in ((Loss("HINGE"), hinge), (Loss("HUBER", Fraction(1, 2)), huber)):
        for y in (-3.0, -1.0, 0.1, 0.9, 4.0):
            found = steps(loss, [0.3], y)[0] / 2**19 * float(loss.scale)
            slope = (value(0.3 + 1e-6, y) - value(0.3 - 1e-6, y)) / 2e-6
            assert abs(found - slope) < 2.0**-19
    scores = np.array([0.3, -0.7, 1.1])
    chances = np.exp(scores) / np.exp(scores).sum()
    for y, own in ((-5.0, 0), (0.0, 0), (1.9, 1), (2.0, 2), (99.0, 2)):
        found_all = np.array(steps(Loss("SOFTMAX", classes=3), scores.tolist(), y)) / 2**19
        assert np.allclose(found_all, chances - (np.arange(3) == own), rtol=0, atol=WITHIN)


def test_extreme_margins_and_labels_give_whole_weights_within_bounds() -> None:
    for loss in LOSSES:
        most = 2.0**loss.reach_bits
        for margin in (most, -most, 0.0, 5e-324):
            for label in (1e308, -1e308, 0.0, 5e-324):
                found = steps(loss, [margin, *[-margin] * (loss.classes - 1)], label)
                assert all(step == round(step) and abs(step) <= 2**19 for step in found)


THIRD = Fraction(1, 3)
ENTRIES = [
    [Fraction(1, 2), Fraction(3, 4)],
    [THIRD, -THIRD],
    [Fraction(2, 3), Fraction(-2, 3)],
    [Fraction(0), Fraction(1)],
    [Fraction(1, 10), Fraction(-1, 10)],
    [Fraction(1, 10**320), Fraction(-1, 10**330)],
    [Fraction(10) ** 400, Fraction(-7)],
]
"""Rows of doubles and of others, which are above and below the doubles nearest to them."""


def of_entries(rows: list[list[Fraction]]) -> MatrixValue:
    return MatrixValue(len(rows), of_fractions([entry for row in rows for entry in row], (len(rows), len(rows[0]))))


def test_how_a_row_is_rounded_does_not_depend_on_the_others() -> None:
    labels = matrix(np.zeros((len(ENTRIES), 1)))
    together = examples(of_entries(ENTRIES), labels).features.tolist()
    assert together == [examples(of_entries([row]), labels).features[0].tolist() for row in ENTRIES]


def test_no_entry_gets_larger_by_being_rounded() -> None:
    for row in ENTRIES:
        for entry, double in zip(row, examples(of_entries([row]), matrix(np.zeros((1, 1)))).features[0], strict=True):
            assert abs(Fraction(float(double))) <= abs(entry)
            assert entry * Fraction(float(double)) >= 0
            nearest = to_double(entry)
            assert abs(double) in (abs(nearest), math.nextafter(abs(nearest), 0.0))


@pytest.mark.parametrize("loss", [Loss("LR"), Loss("HUBER", Fraction(1, 3))], ids=str)
def test_a_row_that_is_no_double_leaves_the_contributions_of_the_others_as_they_are(loss: Loss) -> None:
    """The third row is one of zeros, or one that is rounded to zeros."""
    model, labels = matrix(np.array([[0.5, -1.0]])), matrix(np.array([[1.0], [-1.0], [1.0]]))
    known = [[Fraction(1, 2), Fraction(3, 4)], [Fraction(-5, 8), Fraction(1, 4)]]
    plain_rows, mixed = (
        of_entries([*known, [Fraction(0), Fraction(0)]]),
        of_entries([*known, [Fraction(1, 10**400), Fraction(0)]]),
    )
    bound = Fraction(1)

    def every(features: MatrixValue) -> list[list[Fraction]]:
        found = (
            mean_gradient(model, features, labels, (Norm.L2, bound), SerialEngine(), loss=loss),
            discrete_mean(model, features, labels, SerialEngine(), loss),
            row_gradients(model, features, labels, loss),
            descent(loss, Fraction(1, 2), Fraction(0), model, features, labels, bound),
        )
        return [numbers_of(one).fractions().ravel().tolist() for one in found]

    assert numbers_of(mixed).doubles is None
    assert every(plain_rows) == every(mixed)


@pytest.mark.parametrize("loss", ["LR", "HINGE", "LS", "HUBER, 0.5", "SOFTMAX, ℕ[3]"])
def test_all_forms_of_the_gradient_in_a_program_agree(loss: str) -> None:
    source = np.random.default_rng(1)
    rows, labels = source.normal(size=(40, 2)), source.integers(0, 3, size=(40, 1)).astype(float)
    width = 6 if "SOFTMAX" in loss else 2

    def found(form: str) -> np.ndarray:
        text = f"""sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
          let model = mcreate[L∞ | ℕ[1], ℕ[{width}]] {{ i, j ⇒ 0.25 }} in {form} | model; mclip[L2, 1.0] xs, ys]"""
        return np.asarray(evaluate(text, xs=rows, ys=labels))

    mean = found(f"U∇[{loss}")
    assert mean.shape == (1, width)
    assert np.allclose(found(f"row∇[{loss}").mean(axis=0), mean, rtol=0, atol=1e-9)
    assert np.allclose(found(f"∇[{loss}"), mean, rtol=0, atol=WITHIN)
    if loss not in ("HINGE", "SOFTMAX, ℕ[3]"):
        assert np.allclose(found(f"step∇[{loss}, 0.5, 0.1"), 0.25 - 0.5 * (mean + 0.1 * 0.25), rtol=0, atol=WITHIN)
