"""Runs that end after noise was drawn say so, with and without a ledger, however they end."""

import errno
import json
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import duetpy
from duetpy.accounting.budget import parse_budget
from duetpy.cli.main import main
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.store import Ledger, create
from duetpy.runtime.noise import continuous
from duetpy.runtime.noise.random_bits import InsecureBits, SecureBits, Watched
from duetpy.runtime.release import run as run_module
from duetpy.runtime.release.endings import AfterNoise, Spent
from duetpy.runtime.sources import files, looks
from duetpy.runtime.values.batch_size import MOST_AT_ONCE, most_at_once
from tests.effort import often

SUM = """pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 ∷ []] ⇒
  laplace[auto, 0.25] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] r.age } }"""
SAMPLED = """pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 ∷ []] ⇒
  sample[ℕ[2]] xs { s ⇒ laplace[auto, 0.25] <s> { mfold-row 0.0, s { a, r ⇒ a + clip[0.0, 1.0] r.age } } }"""
CANARY = "8675309.25"

DRAWN = "noise was drawn: what this run costs counts as spent"
CHARGED = "noise was drawn: any charge of this run to the ledger stays"
FAULT = "duetpy: internal error; {}no detail of the program or its data is shown\n"
NOTHING = "nothing was released, nothing was spent"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age\n0.5\n0.25\n", encoding="utf-8")
    Path("p.eps.duet").write_text(SUM, encoding="utf-8")
    Path("s.eps.duet").write_text(SAMPLED, encoding="utf-8")
    create(Path("l"), parse_budget("epsilon=100"), "people")


def fails_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a run end when its noise has been drawn."""
    draw = continuous.laplace

    def failing(*given: Any) -> Any:
        draw(*given)
        raise error

    monkeypatch.setattr(continuous, "laplace", failing)


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["run", "p.eps.duet", "--data", "people.csv", *words])
    captured = capsys.readouterr()
    assert CANARY not in captured.out + captured.err
    assert (captured.out, NOTHING in captured.err) == ("", False)
    return code, captured.err


REFUSAL = DuetError((Diagnostic("D0501", "late"),))


def test_a_fault(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    fails_with(ValueError(CANARY), monkeypatch)
    assert told(capsys) == (70, FAULT.format(f"{DRAWN}; "))
    assert told(capsys, "--ledger", "l") == (70, FAULT.format(f"{CHARGED}; "))
    assert told(capsys, "--format", "json") == (70, FAULT.format(f"{DRAWN}; "))
    assert told(capsys, "--insecure-noise", "7") == (70, FAULT.format(f"{DRAWN}; "))


def test_a_fault_before_noise(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A charge that was written stays also where no noise was drawn."""

    def failing(*_: object) -> None:
        raise ValueError(CANARY)

    monkeypatch.setattr(run_module, "run_function", failing)
    assert told(capsys) == (70, FAULT.format(""))
    assert told(capsys, "--ledger", "l") == (
        70,
        FAULT.format("any charge of this run to the ledger stays; "),
    )


@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_a_fault_while_a_charge_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], rule: str
) -> None:
    """Nobody can tell whether it came before or after the last byte."""
    reserve = Ledger.reserve

    def failing(*given: Any) -> None:
        reserve(*given)
        raise ValueError(CANARY)

    monkeypatch.setattr(Ledger, "reserve", failing)
    Path("p.eps.duet").write_text(SUM.replace("𝔻 ∷", "𝔻 else 0 ∷"), encoding="utf-8")
    stays = "any charge of this run to the ledger stays; "
    assert told(capsys, "--ledger", "l", "--on-bad-row", rule) == (70, FAULT.format(stays))
    assert len(Ledger(Path("l")).state().entries) == 1
    with pytest.raises(Spent):
        duetpy.load("p.eps.duet").check().run(xs="people.csv", _ledger="l", _on_bad_row=rule)


def test_a_refusal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    fails_with(REFUSAL, monkeypatch)
    for words, meaning in (((), DRAWN), (("--ledger", "l"), CHARGED)):
        code, err = told(capsys, *words)
        assert (code, err.splitlines()[-1]) == (1, f"nothing was released, but {meaning}")
        code, err = told(capsys, *words, "--format", "json")
        (diagnostic,) = json.loads(err)["diagnostics"]
        assert (code, diagnostic["code"], diagnostic["notes"]) == (1, "D0501", [meaning])


def test_a_refusal_before_noise(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON and Python have no last line that says it."""

    def failing(*_: object) -> None:
        raise REFUSAL

    monkeypatch.setattr(run_module, "run_function", failing)
    stays = "any charge of this run to the ledger stays"
    code, err = told(capsys, "--ledger", "l", "--format", "json")
    (diagnostic,) = json.loads(err)["diagnostics"]
    assert (code, diagnostic["code"], diagnostic["notes"]) == (1, "D0501", [stays])
    with pytest.raises(DuetError) as caught:
        duetpy.load("p.eps.duet").check().run(xs="people.csv", _ledger="l")
    assert caught.value.diagnostics[0].notes == (stays,)
    with pytest.raises(DuetError) as caught:
        duetpy.load("p.eps.duet").check().run(xs="people.csv")
    assert caught.value.diagnostics[0].notes == ()


def test_an_interruption(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    fails_with(KeyboardInterrupt(), monkeypatch)
    assert told(capsys) == (130, f"\n{DRAWN}\ninterrupted\n")
    assert told(capsys, "--ledger", "l") == (130, f"\n{CHARGED}\ninterrupted\n")


def test_an_interruption_before_noise(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def failing(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run_module, "run_function", failing)
    stays = "any charge of this run to the ledger stays"
    assert told(capsys) == (130, "\ninterrupted\n")
    assert told(capsys, "--ledger", "l") == (130, f"\n{stays}\ninterrupted\n")
    with pytest.raises(KeyboardInterrupt) as caught:
        duetpy.load("p.eps.duet").check().run(xs="people.csv", _ledger="l")
    assert caught.value.__notes__ == [stays]


@pytest.mark.parametrize(
    "error", [ValueError(CANARY), REFUSAL, KeyboardInterrupt(CANARY), SystemExit(3), SystemExit(CANARY)]
)
@pytest.mark.parametrize("with_ledger", [False, True])
def test_from_python(error: BaseException, with_ledger: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    fails_with(error, monkeypatch)
    checked = duetpy.load("p.eps.duet").check()
    expected = DuetError if isinstance(error, Exception) else type(error)
    with pytest.raises(expected) as caught:
        checked.run(xs="people.csv", **({"_ledger": "l"} if with_ledger else {}))
    meaning = CHARGED if with_ledger else DRAWN
    assert caught.value.__notes__ == [meaning]
    assert CANARY not in str(caught.value)
    if isinstance(caught.value, SystemExit):
        assert caught.value.code == (1 if str(error) == CANARY else 3)
    if isinstance(caught.value, DuetError):
        assert isinstance(caught.value, AfterNoise)
        assert meaning in caught.value.diagnostics[-1].notes


class Late:
    """Stops a run at one of the lines that come after its output was stored."""

    def __init__(self, error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
        self.error, self.left = error, 0
        complete = Ledger.complete

        def completed(*given: Any) -> Any:
            found = complete(*given)
            frame: FrameType | None = sys._getframe()
            while frame is not None and (frame := frame.f_back) is not None and frame.f_code.co_filename != __file__:
                frame.f_trace = self.trace
            sys.settrace(self.trace)
            return found

        monkeypatch.setattr(Ledger, "complete", completed)

    def trace(self, frame: FrameType, event: str, _: object) -> Any:
        if event == "line" and "duetpy" in frame.f_code.co_filename:
            self.left -= 1
            if self.left == 0:
                sys.settrace(None)
                raise self.error(CANARY)
        return self.trace

    def run(self, line: int) -> BaseException | None:
        """How a run ends that is stopped at the line; None where it is over before."""
        self.left = line
        create(Path(f"l{line}"), parse_budget("epsilon=1"), "people")
        try:
            duetpy.load("p.eps.duet").check().run(xs="people.csv", _ledger=f"l{line}")
        except BaseException as stop:
            return stop
        finally:
            sys.settrace(None)
        return None


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
def test_what_stops_a_run_when_all_is_done(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it falls before the caller has the release, the end tells that the run was charged, and shows nothing. Nothing that
    holds in a run holds afterwards: what is read next is looked at again, with all lanes."""
    late, line = Late(error, monkeypatch), 1
    while (stop := late.run(line)) is not None:
        assert isinstance(stop, KeyboardInterrupt if error is KeyboardInterrupt else Spent)
        assert (CANARY in str(stop), stop.__notes__) == (False, [CHARGED])
        assert (looks._RUN.get(), files._OPEN.get(), most_at_once()) == (None, None, MOST_AT_ONCE)
        line += 15 // often(15, 1)
    assert line > 20


def test_an_interruption_while_a_release_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("duetpy.report.release_text.result_text", failing)
    assert told(capsys) == (130, f"\n{DRAWN}\ninterrupted\n")
    assert told(capsys, "--ledger", "l") == (130, f"\n{CHARGED}\ninterrupted\n")


def test_rows_that_were_drawn_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample was taken, and its mechanism has not begun."""

    def failing(*_: object) -> None:
        raise ValueError(CANARY)

    monkeypatch.setattr("duetpy.runtime.release.driver.noisy", failing)
    checked = duetpy.load("s.eps.duet").check()
    with pytest.raises(AfterNoise, match="D0901"):
        checked.run(xs="people.csv")
    with pytest.raises(DuetError, match="D0901") as caught:
        duetpy.load("p.eps.duet").check().run(xs="people.csv")
    assert not isinstance(caught.value, AfterNoise)


@pytest.mark.parametrize("with_ledger", [False, True])
def test_too_little_memory_for_what_is_computed(with_ledger: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes the memory is nothing that was counted when the rows were read: no fault of duetpy."""

    def failing(*_: object) -> None:
        raise MemoryError(CANARY)

    monkeypatch.setattr("duetpy.runtime.release.driver.noisy", failing)
    with pytest.raises(DuetError, match="D0619") as caught:
        duetpy.load("p.eps.duet").check().run(xs="people.csv", **({"_ledger": "l"} if with_ledger else {}))
    assert isinstance(caught.value, Spent) == with_ledger
    assert CANARY not in str(caught.value)


def test_a_result_that_cannot_be_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def failing(*_: object) -> None:
        raise ValueError(CANARY)

    monkeypatch.setattr("duetpy.report.release_text.result_text", failing)
    assert told(capsys) == (70, FAULT.format(f"{DRAWN}; "))
    assert told(capsys, "--ledger", "l") == (70, FAULT.format(f"{CHARGED}; "))


def test_a_release_that_cannot_be_stored(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def failing(*_: object) -> None:
        raise OSError(errno.EIO, CANARY)

    monkeypatch.setattr("duetpy.ledger.store.Ledger.complete", failing)
    assert told(capsys, "--ledger", "l") == (70, FAULT.format(f"{CHARGED}; "))


@pytest.mark.parametrize("bits", [SecureBits(), InsecureBits(7)])
def test_a_source_remembers_that_it_was_asked(bits: SecureBits | InsecureBits) -> None:
    for ask in (lambda watched: watched.uint64(3), lambda watched: watched.bytes(3)):
        watched = Watched(bits)
        assert (watched.was_asked, watched.secure) == (False, bits.secure)
        assert len(ask(watched)) == 3
        assert watched.was_asked
