"""Every fold of the evaluation, where summaries are merged in any order: those of blocks without rows, and of no block, too."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy.runtime.engines import Engine, SerialEngine
from duetpy.runtime.evaluation import descent, gradient
from duetpy.runtime.evaluation import rows as rows_module
from duetpy.runtime.release.noiseless import evaluate
from duetpy.runtime.values import streamed
from tests.engines.fakes import Shuffled
from tests.runtime.test_plan import same_bits

BLOCK = 5
ROWS = np.random.default_rng(5).uniform(-1.0, 1.0, (40, 2))
# Blocks in which no row is kept, and one row that decides.
ROWS[5:15, 0], ROWS[22] = 1.0, (-0.5, 3.0)
SOME = ROWS[ROWS[:, 0] < 0.0]

DATA = "sλ m : ℕ . xs : 𝕄 [L∞, U | m, 2⋅𝔻] ⇒ "
HEAD = DATA + "let some = mfilter xs { r ⇒ r#[0, 0] < 0.0 } in "
MODEL = DATA + "let model = mcreate[L∞ | ℕ[1], ℕ[1]] { i, j ⇒ 0.5 } in "
ZEROS = "mcreate[L2 | ℕ[1], ℕ[2]] { i, j ⇒ 0.0 }"
FEATURES, LABELS = "mclip[L2] (mmap-row xs { r ⇒ r#[0, 0] })", "mmap-row xs { r ⇒ r#[0, 1] }"
FOLDS: dict[str, tuple[str, Callable[[], Any] | None]] = {
    "a sum": (HEAD + "mfold-row 0.0, some { a, r ⇒ a + clip[-9.0, 9.0] (r#[0, 1]) }", lambda: math.fsum(SOME[:, 1])),
    "a sum of matrices": (
        HEAD + f"mfold-row ({ZEROS}), (mconv (mclip[L2] some)) {{ a, r ⇒ mmap a, r {{ x, y ⇒ x + y }} }}",
        None,
    ),
    "the largest": (HEAD + "mfold-row -9.0, some { a, r ⇒ a ⊔ clip[-9.0, 9.0] (r#[0, 1]) }", lambda: 3.0),
    "the smallest": (
        HEAD + "mfold-row 9.0, some { a, r ⇒ a ⊓ clip[-9.0, 9.0] (r#[0, 1]) }",
        lambda: SOME[:, 1].min(),
    ),
    "all": (HEAD + "mfold-row true, some { a, r ⇒ a ∧ r#[0, 1] < 2.0 }", lambda: False),
    "any": (HEAD + "mfold-row false, some { a, r ⇒ a ∨ 2.0 < r#[0, 1] }", lambda: True),
    "rows": (HEAD + "rows some", lambda: len(SOME)),
    "a filter": (HEAD + "some", lambda: SOME),
    "a map": (DATA + "mmap xs { x ⇒ x + disc 1.0 }", lambda: ROWS + 1.0),
    "a gradient": (MODEL + f"∇[LR | model ; {FEATURES}, {LABELS}]", None),
    "a discrete gradient": (MODEL + f"U∇[LR | model ; {FEATURES}, {LABELS}]", None),
    "a step": (MODEL + f"step∇[LR, 0.5, 0.0 | model ; {FEATURES}, {LABELS}]", None),
}


@pytest.mark.parametrize("name", FOLDS)
def test_summaries_are_merged_in_any_order(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, expected = FOLDS[name]
    # The rows are one block where nobody says otherwise.
    wanted = evaluate(text, xs=ROWS)
    assert expected is None or np.array_equal(wanted, expected())
    for module in (gradient, descent):
        monkeypatch.setattr(module, "BLOCK", BLOCK)
    for seed in range(6):
        assert same_bits(evaluate(text, xs=ROWS, _engine=Shuffled(seed), _block_rows=BLOCK), wanted)


PARTS = """pλ xs : 𝔻𝔽[k : 𝐝 ℕ, a : 𝔻] ⇒ parallel[xs, ℘{0, 1, 2, 3, 9}] { r ⇒ r.k } { k, part ⇒
  number ← dlaplace[1, 1.0] <part> { rows part } ;
  few ← dlaplace[1, 1.0] <part> { rows (mfilter part { r ⇒ r.a < 0.5 ∨ k ≡ 2 }) } ;
  total ← laplace[9.0, 1.0] <part> { mfold-row 0.0, part { sum, r ⇒ sum + clip[0.0, 9.0] r.a } } ;
  return ⟨⟨number, few⟩, total⟩ }"""


def test_parts_of_a_table_that_is_not_kept_are_merged_in_any_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("k,a\n" + "".join(f"{at // 9},{at / 7}\n" for at in range(40)))
    program = duetpy.parse(PARTS, notion="eps").check()
    wanted = program.run(xs=str(path), _insecure_noise="none").result
    for module in (streamed, rows_module):
        monkeypatch.setattr(module, "CELLS_READ_AT_ONCE", 2 * BLOCK)

    def released(engine: Engine) -> Any:
        return program.run(xs=str(path), _engine=engine, _insecure_noise="none", _stream=True).result

    assert all(released(engine) == wanted for engine in (SerialEngine(), Shuffled(1), Shuffled(2)))
