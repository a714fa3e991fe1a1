"""What is sent: enough to compute the same bits elsewhere, and nothing else."""

import io
import pickle
import re
import sys
import threading
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import duetpy
from duetpy import parse
from duetpy.cli.main import main
from duetpy.ledger.store import Ledger
from duetpy.runtime.engines import Block, Fold, SerialEngine, Source, Total
from duetpy.runtime.engines.packing import NotSent, Sent, packed, unpacked
from duetpy.runtime.engines.worker import FAILED, absorbed
from duetpy.runtime.noise.random_bits import InsecureBits, SecureBits
from duetpy.runtime.release.mechanisms import Randomness
from duetpy.runtime.release.noiseless import checked, evaluate
from duetpy.runtime.values.values import ABSENT, Apart
from tests.engines.fakes import Elsewhere, Packing
from tests.runtime.test_plan import DATA, MIXED, NUMERIC, numbers, people, same_bits

CASES = [(text, numbers()) for text in NUMERIC] + [(text, people()) for text in MIXED]

SUMS = """sλ m : ℕ . xs : 𝕄 [L∞, U | m, a : 𝔻 ∷ s : 𝐝 𝕊 ∷ k : 𝐝 ℕ ∷ []] ⇒
  let ys = mmap-row xs { r ⇒ inl [𝔻] r.a } in
  mfold-row 0.0, ys { a, r ⇒ a + case (r#[0, 0]) { inl x ⇒ clip[0.0, 1.0] x ; inr y ⇒ clip[0.0, 1.0] y } }"""

CANARY = 8675309.0625


@pytest.mark.parametrize(("text", "table"), CASES)
@pytest.mark.sparse(3)
def test_what_is_packed_computes_the_same(text: str, table: Any) -> None:
    typed = checked(text)
    assert same_bits(
        evaluate(typed, _engine=Packing(), _block_rows=16, xs=table), evaluate(typed, _block_rows=16, xs=table)
    )


@pytest.mark.thorough("test_what_is_packed_computes_the_same")
@pytest.mark.parametrize(("text", "table"), CASES)
def test_another_process_computes_the_same(text: str, table: Any, processes: Executor) -> None:
    typed = checked(text)
    engine = Elsewhere(processes)
    assert same_bits(
        evaluate(typed, _engine=engine, _block_rows=50, xs=table), evaluate(typed, _block_rows=50, xs=table)
    )


def test_only_some_primitives_are_approximate() -> None:
    """What else numpy computes, IEEE 754 defines: its functions are called nowhere else where rows are computed with."""
    found: list[tuple[str, str]] = []
    for folder in ("evaluation", "values", "exact"):
        for path in sorted((RUNTIME / folder).glob("*.py")):
            found += [(path.stem, word) for word in CALLED.findall(path.read_text(encoding="utf-8"))]
    assert found == [("hyperbolic", "np.tanh"), ("kernels", "np.log"), ("kernels", "np.exp")]
    for text, _ in CASES:
        engine = Approximate()
        evaluate(checked(text), _engine=engine, xs=numbers() if text in NUMERIC else people())
        assert engine.seen == ("㏒" in text), text


RUNTIME = Path(duetpy.__file__).parent / "runtime"
CALLED = re.compile(
    r"\b(?:np|math|special)\.(?:exp|exp2|expm1|log|log2|log10|log1p|pow|power|float_power|tanh|sinh|cosh|sin|cos|tan|arc\w+|"
    r"asin|acos|atan|cbrt|hypot|einsum|erf\w*|gamma\w*|lgamma)\b"
)


class Approximate(SerialEngine):
    """Whether any fold is approximate."""

    seen = False

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        self.seen |= packed((fold, getattr(source, "shared", None))).is_approximate
        return super().fold(source, fold)


@pytest.mark.thorough("test_only_some_primitives_are_approximate")
@pytest.mark.parametrize(("text", "table"), [case for case in CASES if "㏒" not in case[0]])
def test_an_older_processor_computes_the_same(text: str, table: Any, older_processors: Executor) -> None:
    typed = checked(text)
    assert same_bits(
        evaluate(typed, _engine=Elsewhere(older_processors), _block_rows=50, xs=table), evaluate(typed, xs=table)
    )


class Listening(SerialEngine):
    """Keeps what would be sent."""

    def __init__(self) -> None:
        self.folds: list[bytes] = []
        self.blocks: list[bytes] = []

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        shared = getattr(source, "shared", None)
        self.folds.append(packed((fold, shared)).content)
        self.blocks += [packed(block, shared).content for block in source.blocks()]
        return super().fold(source, fold)


def holds(content: bytes, number: float) -> bool:
    return np.float64(number).tobytes() in content


@pytest.mark.parametrize(
    "text",
    [
        DATA + "mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) }",
        DATA + "mfilter xs { r ⇒ (r#[0, 0]) < (r#[0, 1]) }",
        DATA + "mmap xs { x ⇒ √ (x ⋅ x) }",
        DATA + "mmap-row (mmap xs { x ⇒ x / 3.0 }) { r ⇒ r }",
    ],
)
def test_a_fold_holds_no_row_and_a_block_only_its_own(text: str) -> None:
    table = numbers()
    table[250, 0] = CANARY
    engine = Listening()
    evaluate(checked(text), _engine=engine, _block_rows=100, xs=table)
    assert not any(holds(content, CANARY) for content in engine.folds)
    assert holds(engine.blocks[2], CANARY)
    assert not any(holds(content, CANARY) for content in engine.blocks[:2])


def test_what_a_map_remembers_stays() -> None:
    """A table keeps what was computed from it, and a machine the last result of every form: neither is sent along."""
    table = numbers()
    table[250, 0] = CANARY
    text = DATA + "loop ℕ[2] on 0.0 { i, z ⇒ z + mfold-row 0.0, (mclip[L2] xs) { a, r ⇒ a + clip (r#[0, 0]) } }"
    engine = Listening()
    evaluate(checked(text), _engine=engine, _block_rows=100, xs=table)
    assert engine.folds
    assert max(map(len, engine.folds)) < 20_000
    assert not any(holds(content, CANARY) for content in engine.folds)


class Modules(pickle.Unpickler):
    """Which modules a pickle names."""

    found: set[str]

    def find_class(self, module: str, name: str) -> Any:
        self.found.add(module)
        return super().find_class(module, name)

    def persistent_load(self, name: str) -> str:
        return name


def modules(content: bytes) -> set[str]:
    unpickler = Modules(io.BytesIO(content))
    unpickler.found = set()
    unpickler.load()
    return unpickler.found


TWO_RELEASES = """pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, 3⋅𝔻], ε : ℝ⁺[ε] ⇒
  x ← laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (r#[0, 0]) } } ;
  laplace[auto, ε] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] (x ⋅ (r#[0, 1])) } }"""


def test_noise_budgets_and_ledgers_stay(tmp_path: Path) -> None:
    ledger = tmp_path / "people.ledger"
    assert main(["ledger", "create", str(ledger), "--budget", "epsilon=10"]) == 0
    engine = Listening()
    parse(TWO_RELEASES, notion="eps").check().run(xs=numbers(), ε=1.0, _engine=engine, _ledger=ledger)
    assert len(engine.folds) == 2
    named = set().union(*map(modules, engine.folds + engine.blocks))
    assert any(module.startswith("duetpy.runtime.evaluation") for module in named)
    rooms = ("duetpy.runtime.noise", "duetpy.runtime.release", "duetpy.ledger", "duetpy.accounting", "random", "os")
    assert not [module for module in named if module.startswith(rooms)]


@pytest.mark.parametrize(
    "kept",
    [
        lambda folder: SecureBits(),
        lambda folder: InsecureBits(5),
        lambda folder: Randomness(SecureBits()),
        lambda folder: Ledger(folder / "people.ledger"),
        lambda folder: np.random.default_rng(5),
        lambda folder: threading.Lock(),
        lambda folder: lambda block: block,
        lambda folder: sys.stdout,
    ],
    ids=["bits", "seeded", "randomness", "ledger", "generator", "lock", "lambda", "file"],
)
def test_what_stays_is_not_sent(kept: Any, tmp_path: Path) -> None:
    held = kept(tmp_path)
    with pytest.raises(NotSent):
        packed(("a fold that holds", held))


def test_the_absent_side_is_one_in_every_process(processes: Executor) -> None:
    assert unpacked(packed(ABSENT)) is ABSENT
    assert unpacked(packed(Apart((1,), 2))).values == (1,)
    typed = checked(SUMS)
    engine = Elsewhere(processes)
    assert evaluate(typed, _engine=engine, _block_rows=7, xs=people()) == evaluate(typed, xs=people())


def test_foreign_code_is_not_sent() -> None:
    text = """sλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒
      mmap-row xs { r ⇒ (opaque "math:cos" : 𝔻 ⊸ 𝔻) (r#[0, 0]) }"""

    class Refusing(SerialEngine):
        folds = 0

        def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
            with pytest.raises(NotSent):
                packed((fold, getattr(source, "shared", None)))
            self.folds += 1
            return super().fold(source, fold)

    engine = Refusing()
    evaluate(checked(text), _engine=engine, _trust=["math"], xs=numbers(9)[:, :1])
    assert engine.folds


def nested(levels: int) -> str:
    body = "clip (r#[0, 0])"
    for _ in range(levels):
        body = f"(if (r#[0, 0]) < 0.5 then {body} else 0.0)"
    return DATA + f"mfold-row 0.0, xs {{ a, r ⇒ a + {body} }}"


def test_what_nests_deep_is_sent_without_a_stack_in_c(processes: Executor) -> None:
    typed = checked(nested(400))
    wanted = evaluate(typed, xs=numbers())
    assert evaluate(typed, _engine=Elsewhere(processes), _block_rows=100, xs=numbers()) == wanted


def test_what_nests_deeper_than_the_stack_is_not_sent() -> None:
    deep: tuple[Any, ...] = ()
    for _ in range(50_000):
        deep = (deep,)
    with pytest.raises(NotSent):
        packed(deep)


def test_a_worker_says_one_fixed_word(capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever happens there: of what it was sent nothing is raised, and nothing printed."""
    no_fold = packed((len, None))
    assert absorbed(no_fold, packed((CANARY,)), 100, 1) == FAILED
    assert absorbed(Sent(b"no pickle"), packed((CANARY,)), 100, 1) == FAILED
    assert capfd.readouterr() == ("", "")
    sent = packed((CANARY, "the private text"))
    assert repr(sent) == str(sent) == "<private bytes>"
