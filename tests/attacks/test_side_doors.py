"""No side doors: whatever happens in a run, nothing that can be seen holds a cell.

A number and a text lie in the data. Every flag is used and everything fails that can; standard output and error, the
ledger's file and its journal, files for results, temporary files, what objects print as, and exceptions with all that
hangs on them are searched for both, in every form that a number takes on its way.
"""

import errno
import json
import logging
import os
import sqlite3
import traceback
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import duetpy
from duetpy.cli.arguments import COMMANDS
from duetpy.cli.main import FAULT, INTERRUPTED, main
from duetpy.ledger.store import Ledger
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release import mechanisms
from duetpy.runtime.release import run as run_module
from tests import effort
from tests.attacks.secrets import CANARY, SPELLINGS, WORD, seen

MEAN = """\
pλ m : ℕ, ε : ℝ⁺ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ name : 𝐝 𝕊 ∷ []], ε : ℝ⁺[ε] ⇒
  laplace[auto, ε] <xs> { mfold-row 0.0, xs { total, row ⇒ total + clip[0.0, 100.0] row.age } }
"""
BOUNDED = """\
pλ m : ℕ . xs : 𝕄 [L∞, L2≤1 | m, 2⋅𝔻 else 0] ⇒ mgauss[auto, ℝ⁺[0.5], ℝ⁺[1e-6]] <xs> { mconv xs }
"""
INDEXED = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝐝 𝕀[3] else 0 ∷ name : 𝐝 𝕊 ∷ []] ⇒ laplace[ℝ⁺[1.0], ℝ⁺[1.0]] <xs> { 0.0 }
"""
ALIGNED = """\
pλ m : ℕ . ⟨xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ name : 𝐝 𝕊 ∷ []], ys : 𝕄 [L∞, U | m, 1⋅𝔻 else 0]⟩ ⇒
  laplace[ℝ⁺[1.0], ℝ⁺[1.0]] <xs> { mfold-row 0.0, xs { a, r ⇒ a + clip[0.0, 1.0] r.age } }
"""
FOREIGN = """\
pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ name : 𝐝 𝕊 ∷ []] ⇒ laplace[auto, 1.0] <xs> { mfold-row 0.0, xs
  { a, r ⇒ a + clip[0.0, 1.0] ((opaque "strange:FUNCTION" : 𝔻 ⊸ 𝔻) r.age) } }
"""
STRANGE = f"""\
def raises(x):
    raise ValueError(f"the value is {{x}} and {WORD}")

def leaves(x):
    raise SystemExit(f"{{x}}")

def another_type(x):
    return [str(x), x]

def no_number(x):
    return float("nan")
"""
FIRST = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ name : 𝐝 𝕊 ∷ []] ⇒ return xs\n"
DEEP = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, age : 𝔻 else 0 ∷ name : 𝐝 𝕊 ∷ []] ⇒ laplace[auto, 1.0] <xs> { BODY }\n"

ROW = f"{CANARY},{WORD}"
PEOPLE = f"age,name\n{ROW}\n31,bob\n{ROW}\n44,{WORD}\n"


@frozen
class Door:
    """One way in which a run can go: a program, data, words of the command line, and an end code."""

    name: str
    program: str = MEAN
    data: str | bytes = PEOPLE
    words: tuple[str, ...] = ("--set", "ε=0.5")
    code: int = 1


def with_line(line: str | bytes) -> bytes:
    added = line if isinstance(line, bytes) else line.encode()
    return PEOPLE.encode() + added + b"\n"


DOORS = [
    Door("a release", code=0),
    Door("a header that is said", words=("--set", "ε=0.5", "--header", "yes"), code=0),
    Door("a header that is denied", words=("--set", "ε=0.5", "--header", "no")),
    Door("a bad cell", data=with_line(f"{CANARY}x,{WORD}")),
    Door("a text for a number", data=with_line(f"{WORD},{CANARY}")),
    Door("a bad cell in quotes", data=with_line(f'"{CANARY},{WORD}')),
    Door("a line too wide", data=with_line(f"{CANARY},{WORD},{CANARY}")),
    Door("a line too narrow", data=with_line(f"{CANARY}")),
    Door("a blank line inside", data=with_line(f"\n{ROW}")),
    Door("no UTF-8", data=with_line(b"\xff" + ROW.encode())),
    Door("a huge number", data=with_line(f"{CANARY}e400,{WORD}")),
    Door("many bad cells", data=PEOPLE + f"{WORD},{WORD}\n" * 50),
    Door("a missing column", data=PEOPLE.replace("age,", "other,")),
    Door("an empty file", data=""),
    Door("a header alone", data="age,name\n"),
    Door("no header", data="\n".join(PEOPLE.splitlines()[1:]), code=0),
    Door("rows beyond their bound", BOUNDED, f"{CANARY},0.5\n0.1,0.2\n", ()),
    Door("cells beyond their index", INDEXED, PEOPLE, ()),
    Door("a size that is not so", words=("--set", "ε=0.5", "--set", "m=3")),
    Door("aligned tables of two lengths", ALIGNED, PEOPLE, ("--data", "ys=short.csv")),
    Door("data in the clear", FIRST, PEOPLE, ()),
    Door("a number that is missing", words=()),
    Door("a number outside its range", words=("--set", "ε=-1"), code=2),
    Door("a condition that fails", words=("--set", "ε=0"), code=2),
    Door("foreign code that raises", FOREIGN.replace("FUNCTION", "raises"), words=("--trust", "strange")),
    Door("foreign code that leaves", FOREIGN.replace("FUNCTION", "leaves"), words=("--trust", "strange")),
    Door("foreign code of another type", FOREIGN.replace("FUNCTION", "another_type"), words=("--trust", "strange")),
    Door("foreign code without a number", FOREIGN.replace("FUNCTION", "no_number"), words=("--trust", "strange")),
    Door("foreign code that is not trusted", FOREIGN.replace("FUNCTION", "raises"), words=()),
    Door("a column that is not there", words=("--set", "ε=0.5", "--data", "zs=people.csv"), code=2),
    Door("an error in the program", DEEP.replace("BODY", "1.0 + ")),
]
FLAGS: list[tuple[str, ...]] = [
    (),
    ("--format", "json"),
    ("-v",),
    ("--out", "result.txt"),
    ("--out", "result.json", "--format", "json", "-v"),
    ("--on-bad-row", "default"),
    ("--on-bad-row", "default", "--format", "json", "-v"),
    ("--insecure-noise", "7", "-v"),
    ("--delta", "1e-6", "--notion", "approx"),
    ("--ledger", "l"),
    ("--ledger", "l", "--on-bad-row", "default", "--format", "json"),
    ("--ledger", "poor"),
    ("--ledger", "absent"),
]


class FixedBits(InsecureBits):
    """Noise that is the same in every run of this test, so that its digits spell no secret by chance."""

    def __init__(self) -> None:
        super().__init__(11)

    @property
    def secure(self) -> bool:
        return True


class Room:
    """A folder with data, and everything that a run leaves there or says."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
        self.folder, self.capfd, self.caplog = folder, capfd, caplog
        self.own = {"people.csv", "short.csv", "strange.py"}
        (folder / "short.csv").write_text("1\n2\n", encoding="utf-8")
        (folder / "strange.py").write_text(STRANGE, encoding="utf-8")

    def enter(self, door: Door, *flags: str, code: int | None = None) -> int:
        (self.folder / "p.ed.duet").write_text(door.program, encoding="utf-8")
        data = door.data if isinstance(door.data, bytes) else door.data.encode()
        (self.folder / "people.csv").write_bytes(data)
        bound = "xs=people.csv" if "ys=short.csv" in door.words else "people.csv"
        return self.command("run", "p.ed.duet", "--data", bound, *door.words, *flags)

    def command(self, *words: str) -> int:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            found = main(words)
        assert not [warning for warning in warned if "duetpy" in warning.filename], words
        self.search(words)
        return found

    def search(self, words: object) -> None:
        captured = self.capfd.readouterr()
        assert seen(captured.out) == [], words
        assert seen(captured.err) == [], words
        assert "Traceback" not in captured.err, words
        assert seen(self.caplog.text) == [], words
        for path in self.folder.rglob("*"):
            if path.is_file() and path.name not in self.own and "__pycache__" not in path.parts:
                assert seen(path.read_bytes()) == [], (words, path.name)


@pytest.fixture
def room(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> Room:
    monkeypatch.chdir(tmp_path)
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr(run_module, "SecureBits", FixedBits)
    caplog.set_level(logging.DEBUG)
    here = Room(tmp_path, capfd, caplog)
    assert main(["ledger", "create", "l", "--budget", "epsilon=100,delta=1e-3"]) == 0
    assert main(["ledger", "create", "poor", "--budget", "epsilon=1e-9,delta=1e-12"]) == 0
    return here


def test_the_search_sees_a_secret() -> None:
    """The control: the forms are found where they are."""
    exact = Fraction(CANARY)
    for shown in (
        f"x = {CANARY}",
        repr(exact),
        repr(np.array([CANARY, 1.0])),
        np.array([CANARY]).tobytes(),
        np.array([CANARY], dtype=">f8").tobytes(),
        CANARY.hex(),
        f"{CANARY:e}",
        f"{CANARY:,}",
        str(int(exact * 2**40)),
        hex(int(exact * 4)),
        json.dumps([CANARY, WORD]),
        WORD.upper(),
        ascii({WORD: 1}),
    ):
        assert seen(shown), shown
    assert len(set(SPELLINGS)) > 70
    assert not seen("the mean of 31 and 44 is 37.5")


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
def test_no_failure_and_no_flag_shows_a_cell(room: Room, flags: tuple[str, ...]) -> None:
    """Without flags every door is tried. In brief each other flag meets every fifth door, and each door a fifth of the flags."""
    step = 5 if flags and not effort.IS_THOROUGH else 1
    codes = {door.name: room.enter(door, *flags) for door in DOORS[FLAGS.index(flags) % step :: step]}
    assert not set(codes.values()) - {0, 1, 2}
    if not flags:
        assert codes == {door.name: door.code for door in DOORS}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_shows_a_cell(room: Room, command: str) -> None:
    """The data lies next to the program under every command; `schema` reads it."""
    (room.folder / "p.ed.duet").write_text(MEAN, encoding="utf-8")
    (room.folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
    lines = {
        "check": [
            ("p.ed.duet",),
            ("p.ed.duet", "--format", "json"),
            ("p.ed.duet", "--format", "sarif"),
            ("people.csv",),
        ],
        "schema": [("people.csv",), ("people.csv", "--format", "json"), ("people.csv", "--header", "yes")],
        "ledger": [("show", "l"), ("verify", "l"), ("show", "people.csv"), ("verify", "people.csv")],
        "cost": [("p.ed.duet",), ("people.csv",)],
        "audit": [("p.ed.duet", "--trials", "10"), ("people.csv",)],
        "calibrate": [("p.ed.duet", "--budget", "epsilon=1", "--vary", "ε"), ("people.csv",)],
    }
    own = ("check", "cost", "calibrate")
    for words in lines.get(command, [("p.ed.duet",), ("people.csv",)]):
        if command in own and "people.csv" in words:
            # Anyone who gives the data as the program is shown the line that is not a program: nothing called these rows private.
            continue
        room.command(command, *words)


def boom(error: Callable[[], BaseException]) -> Callable[..., Any]:
    def raising(*_: Any, **__: Any) -> Any:
        held = np.array([CANARY])
        inner = KeyError(f"{held[0]} and {WORD}")
        raise error() from inner

    return raising


FAULTS: list[tuple[Callable[[], BaseException], int]] = [
    (lambda: ValueError(f"bad value {CANARY}"), FAULT),
    (lambda: ZeroDivisionError(f"Fraction({Fraction(CANARY).numerator}, 0)"), FAULT),
    (lambda: MemoryError(f"{CANARY}"), 1),
    (lambda: RecursionError(WORD), FAULT),
    (lambda: OSError(errno.ENOSPC, "No space left on device", f"{WORD}"), FAULT),
    (lambda: AssertionError(WORD, CANARY), FAULT),
    (lambda: KeyboardInterrupt(f"{CANARY}"), INTERRUPTED),
    (lambda: UnicodeDecodeError("utf-8", WORD.encode(), 0, 1, WORD), FAULT),
]
POINTS = [(mechanisms, "_drawn"), (run_module, "verify"), (run_module, "bound_value"), (run_module, "plain_value")]


@pytest.mark.parametrize("point", POINTS, ids=lambda point: str(point[1]))
@pytest.mark.parametrize("fault", range(len(FAULTS)))
@pytest.mark.sparse(5)
def test_a_fault_in_the_middle_shows_nothing(
    room: Room, monkeypatch: pytest.MonkeyPatch, point: tuple[Any, str], fault: int
) -> None:
    error, code = FAULTS[fault]
    monkeypatch.setattr(*point, boom(error))
    for flags in ((), ("-v", "--format", "json"), ("--ledger", "l"), ("--ledger", "l", "--on-bad-row", "default")):
        assert room.enter(DOORS[0], *flags) == code


def test_a_ledger_that_fails_shows_nothing(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("reserve", "complete", "state"):
        for error in (lambda: OSError(errno.ENOSPC, WORD), lambda: sqlite3.OperationalError(f"disk full {CANARY}")):
            with monkeypatch.context() as patch:
                patch.setattr(Ledger, name, boom(error))
                assert room.enter(DOORS[0], "--ledger", "l") == FAULT


def test_results_that_cannot_be_written(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    (room.folder / "locked").mkdir()
    assert room.enter(DOORS[0], "--out", "locked") == 2
    assert room.enter(DOORS[0], "--out", "people.csv") == 2
    assert room.enter(DOORS[0], "--out", "no/such/folder") == 2
    monkeypatch.setattr(Path, "write_text", boom(lambda: OSError(errno.ENOSPC, WORD)))
    monkeypatch.setattr(Room, "enter", lambda self, _, *flags: self.command("run", "p.ed.duet", *flags))
    words = ("--data", "people.csv", "--set", "ε=0.5")
    assert room.enter(DOORS[0], *words, "--out", "r.txt") == FAULT


def test_replayed_releases_show_nothing(room: Room) -> None:
    assert room.enter(DOORS[0], "--ledger", "l") == 0
    assert room.enter(DOORS[0], "--ledger", "l", "--format", "json") == 0
    assert room.command("ledger", "show", "l", "--format", "json") == 0
    assert room.command("ledger", "verify", "l") == 0


# ---------------------------------------------------------------------------------------------------------------------
# From Python

TABLE = [[CANARY, WORD], [31.0, "bob"]]


def history(error: BaseException) -> Iterator[BaseException]:
    """An exception and all that hangs on it."""
    pending: list[BaseException | None] = [error]
    known: set[int] = set()
    while pending:
        here = pending.pop()
        if here is not None and id(here) not in known:
            known.add(id(here))
            yield here
            pending += [here.__cause__, here.__context__]


def inside(error: BaseException) -> str:
    """Everything that a logger with local variables writes about the frames of duetpy."""
    shown: list[str] = []
    for each in history(error):
        shown += [repr(each), str(each), repr(each.args), repr(getattr(each, "__notes__", ""))]
        shown += [repr(diagnostic) for diagnostic in getattr(each, "diagnostics", ())]
        package = str(Path(duetpy.__file__).parent)
        summary = traceback.StackSummary.extract(traceback.walk_tb(each.__traceback__), capture_locals=True)
        shown += [repr(frame.locals) for frame in summary if frame.filename.startswith(package)]
    return "\n".join(shown)


PYTHON_FAULTS: list[tuple[str, dict[str, Any]]] = [
    (MEAN, {"xs": [[WORD, CANARY]], "ε": 0.5}),
    (MEAN, {"xs": [[CANARY]], "ε": 0.5}),
    (MEAN, {"xs": CANARY, "ε": 0.5}),
    (MEAN, {"xs": {"age": [CANARY], "name": [CANARY, WORD]}, "ε": 0.5}),
    (MEAN, {"xs": TABLE, "ε": -1}),
    (MEAN, {"xs": TABLE}),
    (MEAN, {"xs": TABLE, "ε": 0.5, "m": 5}),
    (BOUNDED, {"xs": np.array([[CANARY, 1.0]])}),
    (INDEXED, {"xs": [[CANARY, WORD]]}),
    (INDEXED, {"xs": [[5, WORD]]}),
    (ALIGNED, {"xs": TABLE, "ys": [[CANARY]] * 3}),
    (FIRST, {"xs": TABLE}),
]


@pytest.mark.parametrize("case", range(len(PYTHON_FAULTS)))
@pytest.mark.parametrize("rule", ["refuse", "default"])
def test_exceptions_hold_no_cell(case: int, rule: Any) -> None:
    text, arguments = PYTHON_FAULTS[case]
    checked = duetpy.parse(text).check()
    try:
        release = checked.run(_on_bad_row=rule, _insecure_noise=5, **arguments)
        shown = repr(release) + release.to_json()
        is_refused = False
    except duetpy.DuetError as error:
        shown, is_refused = inside(error), True
    assert seen(shown) == []
    assert is_refused or rule == "default"


@pytest.mark.parametrize("fault", range(len(FAULTS)))
@pytest.mark.parametrize("point", POINTS, ids=lambda point: str(point[1]))
def test_exceptions_have_no_history(monkeypatch: pytest.MonkeyPatch, point: tuple[Any, str], fault: int) -> None:
    error, code = FAULTS[fault]
    monkeypatch.setattr(*point, boom(error))
    checked = duetpy.parse(MEAN).check()
    expected: type[BaseException] = KeyboardInterrupt if code == INTERRUPTED else duetpy.DuetError
    with pytest.raises(expected) as caught:
        checked.run(xs=TABLE, ε=0.5, _insecure_noise=5)
    assert list(history(caught.value)) == [caught.value]
    assert seen(inside(caught.value)) == []


def test_the_look_at_frames_sees_a_plain_exception() -> None:
    """The control: an exception that is raised `from None` where the rows are still has them."""
    from duetpy.runtime.release.run import prepare
    from duetpy.runtime.sources.reading import Reading

    typed = duetpy.parse(MEAN).typed
    assert typed is not None
    with pytest.raises(duetpy.DuetError) as caught:
        prepare(typed, {"xs": [[WORD, CANARY]]}, {"ε": 0.5}, Reading())
    assert seen(inside(caught.value))


def test_objects_print_no_cell() -> None:
    program = duetpy.parse(MEAN)
    checked = program.check()
    release = checked.run(xs=TABLE, ε=0.5, _insecure_noise=5)
    for shown in (program, checked, checked.parameters, release, release.data, release.to_json()):
        assert seen(f"{shown!r} {shown!s}") == []


def test_the_environment_is_left_alone(room: Room) -> None:
    before = dict(os.environ)
    room.enter(DOORS[0])
    assert dict(os.environ) == before
