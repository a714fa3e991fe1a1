"""How row bodies are run: once a block, not once a row; and to the same bits whatever the blocks, the threads and the way."""

import gc
from typing import Any

import numpy as np
import pytest

from duetpy.grammar import ast
from duetpy.runtime.engines import Block, Fold, SerialEngine, Source, Total
from duetpy.runtime.engines.threads import ThreadsEngine
from duetpy.runtime.evaluation import evaluate as evaluation
from duetpy.runtime.evaluation import row_bodies
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.release.noiseless import checked, evaluate
from duetpy.runtime.values.values import MatrixValue, Value

DATA = "sλ m : ℕ, n : ℕ . xs : 𝕄 [L∞, U | m, n⋅𝔻] ⇒ "
REAL = "sλ m : ℕ, n : ℕ . xs : 𝕄 [L2, U | m, n⋅ℝ] ⇒ "
PEOPLE = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ s : 𝐝 𝕊 ∷ k : 𝐝 ℕ ∷ []] ⇒ "

NUMERIC = [
    DATA + "mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }",
    DATA + "mfold-row 0.0, xs { a, r ⇒ a + 0.1 ⋅ clip[-0.3, 0.7] (r#[0, 0]) + (clip (r#[0, 1]) ⊔ 0.1) }",
    DATA + "mfold-row 0.0, xs { a, r ⇒ if (r#[0, 0]) < 0.5 then a + 1.0 else a }",
    DATA + "mfold-row 3, xs { a, r ⇒ a + (if (r#[0, 1]) ≤ (r#[0, 0]) then 1 else 0) }",
    DATA + "mfold-row 0.0, xs { a, r ⇒ a ⊔ (clip (r#[0, 0]) + clip (r#[0, 1])) }",
    DATA
    + "mfold-row (mcreate[L2 | ℕ[1], cols xs] { i, j ⇒ 0.0 }), (mconv (mclip[L2] xs)) { a, r ⇒ mmap a, r { x, y ⇒ x + y } }",
    DATA + "mclip[L2, 0.7] xs",
    DATA + "mclip[L1] (mmap xs { x ⇒ x / 3.0 })",
    DATA + "mmap xs { x ⇒ √ (x ⋅ x) + ㏒ (x ⋅ x + disc 1.0) }",
    DATA + "mmap-row xs { r ⇒ mfold-row (disc 0.0), (tr r) { a, e ⇒ a + (e#[0, 0]) } }",
    DATA + "mmap-row xs { r ⇒ mmap (mclip[L2] r) { x ⇒ x } }",
    DATA + "mfilter xs { r ⇒ (r#[0, 0]) < (r#[0, 1]) }",
    DATA + "mmap-row xs { r ⇒ loop ℕ[4] on 0.0 { i, y ⇒ 0.5 ⋅ y + clip (r#[0, i]) } }",
    DATA + "mfold-row 0.0, (mconv (mclip[L2] (mfilter xs { r ⇒ (r#[0, 0]) < 0.5 }))) { a, r ⇒ a + (r#[0, 0]) }",
    DATA + "rows (mfilter (mfilter (mmap xs { x ⇒ x ⋅ x }) { r ⇒ (r#[0, 0]) < 0.5 }) { r ⇒ 0.1 < (r#[0, 1]) })",
    DATA + "let c = mfilter xs { r ⇒ (r#[0, 0]) < 0.5 } in ⟨rows c, mfold-row 0.0, c { a, r ⇒ a + clip (r#[0, 1]) }⟩",
    DATA + "mfilter (mmap xs { x ⇒ x / 3.0 }) { r ⇒ 1000.0 < (r#[0, 0]) }",
    DATA + "loop ℕ[20] on xs { i, t ⇒ mmap t { x ⇒ x / 2.0 + disc 1.0 } }",
    DATA + "let c = mclip[L2] xs in mmap (mmap c { x ⇒ x + x }), (mclip[L1] c) { x, y ⇒ x - y }",
    DATA + "let c = mclip[L2] xs in mmap-row xs { r ⇒ mfold-row 0.0, c { a, s ⇒ a ⊔ clip ((s#[0, 0]) ⋅ (r#[0, 0])) } }",
    REAL + "mmap xs { x ⇒ clip[-0.3, 0.3] (0.7 ⋅ x - 0.1) }",
    REAL + "mmap xs, (mmap xs { x ⇒ 0.0 - x }) { x, y ⇒ (x ⊔ y) - 0.25 }",
    REAL + "mclip[L2] xs",
    REAL + "mmap-row xs { r ⇒ mclip[L1] r }",
    REAL + "mfold-row 0.0, xs { a, r ⇒ 0.5 ⋅ a + (r#[0, 0]) }",
    REAL + "mmap-row xs { r ⇒ if true then r else r#[0, 1 ↦ 0.0] }",
]
MIXED = [
    PEOPLE + 'mmap-row xs { r ⇒ if r.s ≡ "x" then r.a else r.a + disc 1.0 }',
    PEOPLE + 'mfilter xs { r ⇒ r.s ∈ ℘{"x", "z"} ∧ r.k < disc 3 }',
    PEOPLE + "mfold-row 0, xs { a, r ⇒ a + (if r.k % disc 2 ≡ disc 0 then 1 else 0) }",
    PEOPLE + "mmap-row xs { r ⇒ ⟨r.s, r.a⟩ }",
    PEOPLE + "xs.[s, k]",
]


def numbers(rows: int = 300) -> np.ndarray:
    rng = np.random.default_rng(11)
    x = rng.normal(size=(rows, 3)) * 10.0 ** rng.integers(-3, 3, (rows, 1))
    x[::7] = np.round(x[::7], 1)
    x[5] = [0.6, 0.8, 0.0]
    return x


def people(rows: int = 60) -> list[list[Any]]:
    rng = np.random.default_rng(12)
    return [[float(rng.normal()), str(rng.choice(["x", "y", "z"])), int(rng.integers(0, 6))] for _ in range(rows)]


def cases() -> list[tuple[str, Any]]:
    return [(text, numbers()) for text in NUMERIC] + [(text, people()) for text in MIXED]


def same_bits(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray) and left.dtype != np.object_:
        return left.shape == right.shape and left.tobytes() == right.tobytes()
    return repr(left) == repr(right)


@pytest.mark.parametrize(("text", "table"), cases())
@pytest.mark.sparse(5)
def test_blocks_and_threads_change_no_bit(text: str, table: Any) -> None:
    typed = checked(text)
    wanted = evaluate(typed, xs=table)
    for block_rows in (1, 7, 64, 10_000):
        assert same_bits(evaluate(typed, _block_rows=block_rows, xs=table), wanted)
    engine = ThreadsEngine(workers=3, blocks_a_batch=1)
    assert same_bits(evaluate(typed, _engine=engine, _block_rows=16, xs=table), wanted)
    engine.close()


@pytest.mark.parametrize(("text", "table"), cases())
@pytest.mark.sparse(5)
def test_a_block_is_its_rows_one_by_one(text: str, table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vectorised evaluation and the one of a row at a time are the same function."""
    typed = checked(text)
    together = evaluate(typed, xs=table)

    def one_by_one(
        machine: Machine,
        node: ast.SExp,
        frame: Frame,
        captured: dict[str, Value],
        bound: dict[str, Value],
        lanes: int,
    ) -> Value:
        return row_bodies.lane_by_lane(machine, node, frame, {**captured, **bound}, lanes)

    monkeypatch.setattr(row_bodies, "in_lanes", one_by_one)
    alone = evaluate(typed, xs=table)
    if isinstance(together, np.ndarray):
        assert np.allclose(together, alone, rtol=1e-14, atol=0)
    else:
        assert alone == pytest.approx(together, rel=1e-14) if isinstance(together, float) else alone == together


class Counting:
    """Counts the expressions that are evaluated."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        inner = evaluation.expression

        def counted(machine: Machine, node: ast.SExp, frame: Frame) -> Value:
            self.count += 1
            return inner(machine, node, frame)

        value = Machine.value

        def asked(machine: Machine, node: ast.SExp, frame: Frame) -> Value:
            self.count += 1
            return value(machine, node, frame)

        monkeypatch.setattr(evaluation, "expression", counted)
        monkeypatch.setattr(Machine, "value", asked)


@pytest.mark.parametrize("text", NUMERIC[:13])
def test_the_work_of_the_interpreter_grows_with_blocks_not_with_rows(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = checked(text)
    counting = Counting(monkeypatch)
    counts = []
    for rows in (10, 8000):
        counting.count = 0
        evaluate(typed, xs=numbers(rows))
        counts.append(counting.count)
    assert counts[0] == counts[1]


def test_a_million_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Counting(monkeypatch)
    table = np.linspace(-1.0, 1.0, 1_000_001).reshape(-1, 1)
    text = DATA + "mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[ℕ[0], ℕ[0]]) }"
    assert evaluate(text, xs=table) == pytest.approx(250_000.25)
    assert counting.count < 2000


def test_what_a_loop_does_not_change_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    folds = []

    class Watching:
        def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
            folds.append(type(fold).__name__)
            return SerialEngine().fold(source, fold)

    text = DATA + (
        "loop ℕ[10] on 0.0 { i, y ⇒ y + mfold-row 0.0, (mconv (mclip[L2] (mmap xs { x ⇒ x / 2.0 }))) "
        "{ a, r ⇒ a + (r#[0, 0]) } }"
    )
    evaluate(text, _engine=Watching(), xs=numbers())
    assert folds == ["Sum"]


def test_a_fold_of_no_known_shape_looks_at_each_row_but_computes_terms_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    typed = checked(REAL + "mfold-row 0.0, xs { a, r ⇒ 0.5 ⋅ a + (√ ((r#[0, 0]) ⋅ (r#[0, 0])) ⊔ (r#[0, 1])) }")
    counting = Counting(monkeypatch)
    counts = []
    for rows in (100, 200):
        counting.count = 0
        evaluate(typed, xs=numbers(rows))
        counts.append(counting.count)
    # ½⋅a + t: the sum, the product, ½, a and t.
    assert counts[1] - counts[0] == 5 * 100


def test_a_form_that_lanes_cannot_do_is_computed_once_for_each_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of a block are taken one by one, once."""
    seen = []
    inner = row_bodies.lane_by_lane

    def noted(*args: Any) -> Value:
        seen.append(args[-1])
        return inner(*args)

    monkeypatch.setattr(row_bodies, "lane_by_lane", noted)
    text = DATA + "mmap-row xs { r ⇒ real (rows (mfilter (tr r) { e ⇒ (e#[0, 0]) < 0.0 })) }"
    found = evaluate(text, xs=numbers(20))
    assert found[:, 0].tolist() == (numbers(20) < 0).sum(axis=1).tolist()
    assert seen == [20]


@pytest.mark.parametrize("rows", [0, 1, 2, 8191, 8192, 8193])
def test_every_row_is_seen_once_at_the_edges_of_blocks(rows: int) -> None:
    text = "sλ xs : 𝕄 [L∞, U | ★, 1⋅𝔻] ⇒ mfold-row 0, (mfilter xs { r ⇒ (r#[0, 0]) < 2.0 }) { a, r ⇒ a + 1 }"
    assert evaluate(text, xs=np.ones((rows, 1))) == rows


CHAIN = DATA + (
    "loop ℕ[2] on 0.0 { i, y ⇒ y + real (rows (mfilter (mclip[L2] xs) { r ⇒ 0.0 < (r#[0, 0]) })) "
    "+ mfold-row 0.0, (mconv (mclip[L2] xs)) { a, r ⇒ a + (r#[0, 0]) } }"
)


def test_tables_that_are_made_of_others_are_let_go_with_them() -> None:
    """A cycle of references would keep the tables of a run until the next collection: twice the memory, at no one's will."""
    typed, table = checked(CHAIN), numbers()
    gc.collect()
    gc.disable()
    try:
        before = tables_alive()
        evaluate(typed, xs=table)
        assert len(tables_alive()) == len(before)
    finally:
        gc.enable()


def tables_alive() -> list[MatrixValue]:
    """All there are: those that an earlier test left, too."""
    return [each for each in gc.get_objects() if isinstance(each, MatrixValue)]


def test_a_filter_is_counted_and_added_up_without_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    largest = []
    made = MatrixValue.settle

    def seen(table: MatrixValue) -> MatrixValue:
        if table.recipe is not None:
            largest.append(table)
        return made(table)

    monkeypatch.setattr(MatrixValue, "settle", seen)
    text = DATA + "let c = mfilter xs { r ⇒ (r#[0, 0]) < 0.5 } in "
    evaluate(text + "real (rows c)", xs=numbers())
    evaluate(text + "mfold-row 0.0, (mconv (mclip[L2] c)) { a, r ⇒ a + (r#[0, 0]) }", xs=numbers())
    assert not largest
    evaluate(text + "c", xs=numbers())
    assert len(largest) == 1
