import errno
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from duetpy import __version__
from duetpy.cli import check as check_command
from duetpy.cli.arguments import COMMANDS, UNBUILT
from duetpy.cli.console import FAULT_LINE
from duetpy.cli.main import NO_LIBRARY_LINE, NO_MEMORY_LINE, UNWRITTEN_LINE
from tests.cli.harness import COMMAND, Duetpy, Write, environment, spawn
from tests.cli.programs import CLEAR, CURRIED, MEAN

COUNT = "pλ m : ℕ . xs : 𝕄 [L∞, U | m, 1⋅𝔻] ⇒ laplace[ℝ⁺[1.0], ℝ⁺[1.0]] <xs> { clip[0.0, 1.0] (xs#[ℕ[0], ℕ[0]]) }\n"


def test_version(duetpy: Duetpy) -> None:
    outcome = duetpy("--version")
    assert (outcome.code, outcome.out, outcome.err) == (0, f"duetpy {__version__}\n", "")


def test_help_names_every_command_and_exit_code(duetpy: Duetpy) -> None:
    outcome = duetpy("--help")
    assert outcome.code == 0
    for word in (*COMMANDS, "exit codes", "130"):
        assert word in outcome.out


def test_nothing_asks_for_the_help(duetpy: Duetpy) -> None:
    assert duetpy() == duetpy("--help")


def test_a_word_that_is_no_command_is_answered_with_the_commands(duetpy: Duetpy) -> None:
    err = duetpy("nonsense").err
    assert "invalid choice: 'nonsense'" in err
    assert all(f"'{command}'" in err for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(duetpy: Duetpy, command: str) -> None:
    outcome = duetpy(command, "--help")
    assert outcome.code == 0
    assert f"usage: duetpy {command}" in outcome.out
    assert outcome.err == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("check",),
        ("check", "x.duet", "--nonsense"),
        ("check", "x.duet", "--form", "json"),
        ("check", "x.duet", "--format", "xml"),
        ("check", "x.duet", "--notion", "nonsense"),
        ("check", "x.duet", "--delta", "0"),
        ("check", "x.duet", "--delta", "1"),
        ("check", "x.duet", "--delta", "-1e-6"),
        ("check", "x.duet", "--delta", "nan"),
        ("check", "x.duet", "--set", "k"),
        ("check", "x.duet", "--set", "k="),
        ("check", "x.duet", "--set", "k=0,5"),
        ("check", "x.duet", "--set", "k=1", "--set", "k=2"),
        ("check", "-", "-"),
        ("explain", "D9999"),
        ("explain", "nonsense"),
    ],
)
def test_a_malformed_command_line(duetpy: Duetpy, write: Write, arguments: tuple[str, ...]) -> None:
    write("x.duet", "pλ k : ℕ . k : ℕ[k] ⇒ return k\n")
    outcome = duetpy(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.endswith("--help shows how it is used\n")
    assert "error:" in outcome.err


@pytest.mark.parametrize("command", UNBUILT)
def test_a_command_that_there_is_not_says_what_there_is(duetpy: Duetpy, command: str) -> None:
    outcome = duetpy(command, "mean.eps.duet")
    assert (outcome.code, outcome.out) == (2, "")
    assert f"unknown command '{command}': " in outcome.err


@pytest.mark.parametrize("options", [("--report", "out.pdf"), ("--engine", "dusk"), ("--engine", "dask:tcp://there")])
def test_an_option_that_there_is_not_is_malformed(duetpy: Duetpy, write: Write, options: tuple[str, str]) -> None:
    write("mean.eps.duet", MEAN)
    outcome = duetpy("run", "mean.eps.duet", *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"argument {options[0]}: " in outcome.err


def test_a_fault_prints_one_fixed_line(duetpy: Duetpy, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("x.duet", CLEAR)

    def fail(*_: object) -> int:
        raise ValueError("the private value 8675309")

    monkeypatch.setattr(check_command, "run", fail)
    outcome = duetpy("check", "x.duet")
    assert (outcome.code, outcome.out, outcome.err) == (70, "", FAULT_LINE)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        *((error, FAULT_LINE) for error in (RecursionError, AssertionError, KeyError)),
        (MemoryError, NO_MEMORY_LINE),
        (ModuleNotFoundError, NO_LIBRARY_LINE),
    ],
)
def test_every_kind_of_fault_has_its_line(
    duetpy: Duetpy, write: Write, monkeypatch: pytest.MonkeyPatch, error: type[Exception], line: str
) -> None:
    write("x.duet", CLEAR)

    def fail(*_: object) -> int:
        raise error("secret")

    monkeypatch.setattr(check_command, "run", fail)
    outcome = duetpy("check", "x.duet")
    assert (outcome.code, outcome.err) == (70, line)


def test_an_interruption(duetpy: Duetpy, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("x.duet", CLEAR)

    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(check_command, "run", interrupt)
    outcome = duetpy("check", "x.duet")
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "\ninterrupted\n")


def test_an_interruption_that_is_told_as_another_error(
    duetpy: Duetpy, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compiled code that imports something makes an error of its own of whatever was raised meanwhile."""
    write("x.duet", CLEAR)

    def interrupt(*_: object) -> int:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            return 0
        except KeyboardInterrupt:
            raise ImportError("numpy could not be imported") from None

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        monkeypatch.setattr(check_command, "run", interrupt)
        outcome = duetpy("check", "x.duet")
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "\ninterrupted\n")


def test_an_interruption_within_a_run_is_no_fault(
    duetpy: Duetpy, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("mean.eps.duet", COUNT)
    write("x.csv", "1\n2\n")
    duetpy("ledger", "create", "x.ledger", "--budget", "epsilon=5")

    def interrupt(*_: object) -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("numpy could not be imported") from None

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        monkeypatch.setattr("duetpy.runtime.release.run.Prepared.release", interrupt)
        outcome = duetpy("run", "mean.eps.duet", "--data", "x.csv", "--ledger", "x.ledger")
    finally:
        signal.signal(signal.SIGINT, before)
    assert (outcome.code, outcome.out) == (130, "")
    assert "if this run was charged to the ledger, the charge stays" in outcome.err
    assert outcome.err.endswith("\ninterrupted\n")


def test_control_c_in_a_process_of_its_own(tmp_path: Path) -> None:
    """The program is a pipe: once its other end can be opened, the process has opened it, and soon waits for its text.

    A signal just before it waits is seen when the wait ends, so the pipe is closed after the signal. Whoever runs the tests in
    the background has the signal ignored, and what they start inherits that.
    """
    pipe = tmp_path / "x.duet"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [*COMMAND, "check", "x.duet"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with open(pipe, "wb"):
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (out, err) == (b"", b"\ninterrupted\n")


def test_module_and_script_are_the_same(tmp_path: Path) -> None:
    done = spawn(tmp_path, "--version")
    assert done.returncode == 0
    assert done.stdout.decode() == f"duetpy {__version__}{os.linesep}"


def test_standard_input(tmp_path: Path) -> None:
    done = spawn(tmp_path, "check", "-", stdin=CURRIED.encode())
    assert done.returncode == 0
    assert "sensitivity 2" in done.stdout.decode()
    done = spawn(tmp_path, "check", "-", stdin=b"\xff")
    assert done.returncode == 1
    assert b"D0091" in done.stderr


def test_a_reader_that_leaves_is_no_fault(tmp_path: Path) -> None:
    """What is printed is more than a pipe holds, so that the writer does meet the closed end."""
    names = [f"{index}.duet" for index in range(40 if sys.platform == "linux" else 400)]
    for name in names:
        (tmp_path / name).write_text("sλ . " + ", ".join(f"x{i} : ℝ" for i in range(40)) + " ⇒ 1.0\n", encoding="utf-8")
    process = subprocess.Popen(
        [*COMMAND, "check", *names],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        pipesize=4096,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    err = process.stderr.read()
    assert process.wait(timeout=60) == 0
    assert err == b""
    process.stderr.close()


class FullDisk(io.TextIOWrapper):
    """A stream that takes nothing more."""

    def write(self, text: str, /) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("arguments", [("check", "x.duet"), ("--version",), ("explain", "D0311")])
def test_output_that_cannot_be_written_is_told(
    duetpy: Duetpy, write: Write, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    write("x.duet", CURRIED)
    monkeypatch.setattr("sys.stdout", FullDisk(io.BytesIO()))
    outcome = duetpy(*arguments)
    assert (outcome.code, outcome.err) == (70, UNWRITTEN_LINE)


class NobodyReads(io.TextIOWrapper):
    """A pipe whose other end is closed."""

    def write(self, text: str, /) -> int:
        raise BrokenPipeError


@pytest.mark.parametrize("arguments", [("check", "x.duet"), ("--version",), ("--help",), ("explain", "D0311")])
def test_a_closed_pipe_is_no_fault(
    duetpy: Duetpy, write: Write, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    write("x.duet", CURRIED)
    monkeypatch.setattr("sys.stdout", NobodyReads(io.BytesIO()))
    outcome = duetpy(*arguments)
    assert (outcome.code, outcome.err) == (0, "")


def test_closed_streams_crash_nothing(tmp_path: Path) -> None:
    """And a result that could not be printed is not a success."""
    (tmp_path / "x.duet").write_text(CLEAR, encoding="utf-8")
    code = "import sys, os; os.close(1); os.close(2); os.execv(sys.executable, [sys.executable, '-m', 'duetpy', 'check', 'x.duet'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment(), check=False)
    assert done.returncode == 70


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("check", "x.duet"), 1, b"D0090"),
        (("--version",), 0, b""),
        (("run", "{}/x.duet", "--data", "{}/x.csv", "--out", "o.txt"), 2, b"--out: o.txt cannot be written"),
        (("run", "{}/x.duet", "--data", "{}/x.csv", "--ledger", "x.ledger"), 1, b"D0722"),
        (("ledger", "create", "x.ledger", "--budget", "epsilon=1"), 1, b"D0724"),
    ],
)
@pytest.mark.sparse(3)
def test_a_current_folder_that_is_gone_is_no_fault(
    tmp_path: Path, arguments: tuple[str, ...], code: int, told: bytes
) -> None:
    (tmp_path / "x.duet").write_text(COUNT, encoding="utf-8")
    (tmp_path / "x.csv").write_text("1\n2\n", encoding="utf-8")
    (tmp_path / "gone").mkdir()
    command = [*COMMAND, *(argument.format(tmp_path) for argument in arguments)]
    leave = f"import os, sys; os.rmdir('../gone'); os.execv(sys.executable, {command!r})"
    done = subprocess.run(
        [sys.executable, "-c", leave], cwd=tmp_path / "gone", env=environment(), capture_output=True, check=False
    )
    assert done.returncode == code
    assert told in done.stderr
    assert b"Traceback" not in done.stderr


def test_an_encoding_without_greek_gets_the_spelling_in_ascii(tmp_path: Path) -> None:
    (tmp_path / "mean.eps.duet").write_text(MEAN, encoding="utf-8")
    done = spawn(tmp_path, "check", "mean.eps.duet", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"costs eps" in done.stdout
    assert b"+/-" in done.stdout
    assert b"\\" not in done.stdout
    done = spawn(tmp_path, "check", "mean.eps.duet", "--format", "json", PYTHONUTF8="0", PYTHONIOENCODING="latin-1")
    assert done.returncode == 0
    assert b'"epsilon": "\\u03b5"' in done.stdout


def test_colours_need_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "x.duet").write_text("pλ . x : 𝔻 ⇒ return y\n", encoding="utf-8")
    done = spawn(tmp_path, "check", "x.duet")
    assert done.returncode == 1
    assert b"\x1b" not in done.stderr + done.stdout


@pytest.mark.parametrize(
    ("variable", "value", "coloured"), [("TERM", "xterm", True), ("NO_COLOR", "1", False), ("TERM", "dumb", False)]
)
def test_colours_on_a_terminal(
    duetpy: Duetpy, write: Write, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, coloured: bool
) -> None:
    write("x.duet", "pλ . x : 𝔻 ⇒ return y\n")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(variable, value)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    outcome = duetpy("check", "x.duet")
    assert outcome.code == 1
    assert ("\x1b[" in outcome.err) is coloured
    assert "\x1b" not in outcome.out


@pytest.mark.parametrize(
    "words",
    [
        ("run", "x.eps.duet", "--ledger", "a", "--ledger", "b"),
        ("run", "x.eps.duet", "--on-bad-row", "default", "--on-bad-row=refuse"),
        ("check", "x.eps.duet", "--delta", "1e-6", "--delta", "1e-6"),
        ("ledger", "create", "l", "--budget", "epsilon=1", "--budget", "epsilon=2"),
        ("calibrate", "x.eps.duet", "--vary", "a", "--vary", "b"),
    ],
    ids=" ".join,
)
def test_an_option_is_given_once(duetpy: Duetpy, words: tuple[str, ...]) -> None:
    """Of two ledgers only the last was charged."""
    outcome = duetpy(*words)
    assert (outcome.code, outcome.out) == (2, "")
    option = next(word for word in words if word.startswith("--"))
    assert f"argument {option}: is given twice\n" in outcome.err
    assert not os.path.exists("l")


def test_what_may_be_repeated_is(duetpy: Duetpy) -> None:
    outcome = duetpy("check", "x.eps.duet", "--set", "a=1", "--set", "b=2", "-v", "-v")
    assert "twice" not in outcome.err
