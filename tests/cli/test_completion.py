"""Completion in a shell: each script is run in its own shell, if that is there."""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from duetpy.cli.commands import COMMANDS
from tests.cli.harness import Duetpy, spawn

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


OFFERED = [
    ("duetpy ca", {"calibrate"}),
    ("duetpy run --re", {"--report"}),
    ("duetpy run x.duet --on-bad-row d", {"default", "drop"}),
    ("duetpy ledger e", {"export"}),
    ("duetpy ledger export l --format ", {"text", "csv", "json", "html"}),
    ("duetpy explain mcl", {"mclip"}),
    ("duetpy completion ", {"bash", "zsh", "fish"}),
    ("duetpy check pe", {"people.eps.duet"}),
]


if shutil.which("fish") is not None:

    @pytest.mark.parametrize(("line", "offered"), OFFERED)
    def test_fish_offers_what_may_follow(duetpy: Duetpy, tmp_path: Path, line: str, offered: set[str]) -> None:
        (tmp_path / "people.eps.duet").touch()
        script = tmp_path / "completion.fish"
        script.write_text(duetpy("completion", "fish").out, encoding="utf-8")
        asked = f"source {script}; complete -C '{line}'"
        done = subprocess.run(
            ["fish", "--no-config", "-c", asked], capture_output=True, encoding="utf-8", check=True, cwd=tmp_path
        )
        assert done.stderr == ""
        assert {offer.partition("\t")[0] for offer in done.stdout.splitlines()} >= offered


class Zsh:
    """An interactive zsh with the script, whose line editor is asked as a person does who presses the tabulator."""

    def __init__(self, folder: Path) -> None:
        script = folder / "completion.zsh"
        script.write_bytes(spawn(folder, "completion", "zsh").stdout)
        self.process, self.terminal = pty.fork()
        if self.process == 0:  # pragma: no cover
            os.chdir(folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "xterm", "COLUMNS": "200"})
        os.write(self.terminal, b"PROMPT=; LISTMAX=1000; autoload -Uz compinit && compinit -u -D\r")
        os.write(self.terminal, f"bindkey '^I' list-choices; source {script}; echo rea''dy\r".encode())
        assert "ready" in self.heard({"ready"})

    def offers(self, line: str, expected: set[str]) -> set[str]:
        """What is listed below a line, from when all that is expected is there, or nothing more comes."""
        os.write(self.terminal, f"{line}\t".encode())
        heard = self.heard(expected, line)
        os.write(self.terminal, b"\x15echo clea''red\r")
        self.heard({"cleared"})
        return set(re.findall(r"[\w.-]+", heard))

    def heard(self, expected: set[str], after: str = "") -> str:
        heard = ""
        while not expected <= set(re.findall(r"[\w.-]+", heard.partition(after)[2] if after else heard)):
            if not select.select([self.terminal], [], [], 30)[0]:
                break
            heard += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", " ", os.read(self.terminal, 65536).decode(errors="replace"))
        return heard.partition(after)[2] if after else heard

    def close(self) -> None:
        os.kill(self.process, signal.SIGHUP)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


@pytest.fixture(scope="module")
def zsh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zsh]:
    folder = tmp_path_factory.mktemp("zsh")
    (folder / "people.eps.duet").touch()
    shell = Zsh(folder)
    yield shell
    shell.close()


if shutil.which("zsh") is not None:

    @pytest.mark.parametrize(("line", "offered"), OFFERED)
    def test_zsh_offers_what_may_follow(zsh: Zsh, line: str, offered: set[str]) -> None:
        assert zsh.offers(line, offered) >= offered


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
