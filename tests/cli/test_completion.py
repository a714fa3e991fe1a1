"""Completion in a shell: the script of bash is run in bash; those of the others name the same commands and options."""

import shutil
import subprocess
from pathlib import Path

import pytest

from duetpy.cli.commands import COMMANDS
from tests.cli.harness import Duetpy

BASH = shutil.which("bash")


def completed(duetpy: Duetpy, folder: Path, *words: str) -> list[str]:
    """What bash offers for the last of the words."""
    assert BASH is not None
    script = folder / "completion.bash"
    script.write_text(duetpy("completion", "bash").out, encoding="utf-8")
    line = " ".join(f"'{word}'" for word in words)
    asked = f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _duetpy; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run([BASH, "--norc", "-c", asked], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("duetpy", "ca"), {"calibrate"}),
        (("duetpy", "run", "--re"), {"--report"}),
        (("duetpy", "run", "x.duet", "--on-bad-row", "d"), {"default", "drop"}),
        (("duetpy", "check", "--format", ""), {"text", "json", "sarif"}),
        (("duetpy", "ledger", "e"), {"export"}),
        (("duetpy", "ledger", "export", "l", "--format", ""), {"text", "csv", "json", "html"}),
        (("duetpy", "explain", "D031"), {"D0311", "D0312"}),
        (("duetpy", "explain", "mcl"), {"mclip"}),
        (("duetpy", "completion", ""), {"bash", "zsh", "fish"}),
        (("duetpy", "run", "x"), set()),
    ],
)
def test_bash_offers_what_may_follow(duetpy: Duetpy, tmp_path: Path, words: tuple[str, ...], offered: set[str]) -> None:
    found = set(completed(duetpy, tmp_path, *words))
    assert found >= offered
    assert all(word.startswith(words[-1]) for word in found)
    assert bool(found) == bool(offered)


def test_bash_offers_every_command(duetpy: Duetpy, tmp_path: Path) -> None:
    assert set(completed(duetpy, tmp_path, "duetpy", "")) == {*COMMANDS, "--help", "--version"}


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_script_knows_every_command_and_option(duetpy: Duetpy, shell: str) -> None:
    outcome = duetpy("completion", shell)
    assert (outcome.code, outcome.err) == (0, "")
    for word in (*COMMANDS, "quiet", "report", "on-bad-row", "insecure-noise"):
        assert word in outcome.out
    assert ("bashcompinit" in outcome.out) == (shell == "zsh")


def test_texts_of_fish_are_quoted(duetpy: Duetpy) -> None:
    for line in duetpy("completion", "fish").out.splitlines():
        text = line.replace("\\\\", "").replace("\\'", "")
        assert text.count("'") % 2 == 0, line


def test_another_shell_is_refused(duetpy: Duetpy) -> None:
    outcome = duetpy("completion", "tcsh")
    assert outcome.code == 2
    assert "invalid choice: 'tcsh'" in outcome.err
