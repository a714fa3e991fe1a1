"""Pages that people read, block by block: what a block holds, what its commands print, and how the two are compared.

A fenced block ``console`` holds commands (after ``$``) and what they print, with both streams in one, as on a terminal;
``pycon`` is a Python session, ``ipython`` a cell of the page's notebook, ``python NAME`` a script, ``csv NAME`` data and
``duet NAME`` a program under that name. In a block marked ``random`` the figures of releases differ from run to run: there the
words are compared, and the shape of the numbers. ``needs=MODULE`` names a library without which a block is not run.
"""

import doctest
import importlib.util
import io
import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from duetpy.cli.main import main

ROOT = Path(__file__).parents[1]
RANDOM = "random"

_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
_DIGEST = re.compile(r"\b(?:\d+:)?[0-9a-f]{40,}\b")


class Block(NamedTuple):
    """A fenced block: the words after its fence, its text, and the number of its first line."""

    words: tuple[str, ...]
    text: str
    line: int

    @property
    def language(self) -> str:
        return self.words[0] if self.words else ""

    @property
    def missing(self) -> list[str]:
        """The libraries that it needs and that are not installed."""
        needed = [word.removeprefix("needs=") for word in self.words if word.startswith("needs=")]
        return [name for name in needed if not importlib.util.find_spec(name)]


def blocks(page: str) -> Iterator[Block]:
    words: tuple[str, ...] | None = None
    kept: list[str] = []
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), 1):
        if words is None and line.startswith("```"):
            words, kept, start = tuple(line[3:].split()), [], number + 1
        elif words is not None and line == "```":
            yield Block(words, "".join(f"{each}\n" for each in kept), start)
            words = None
        elif words is not None:
            kept.append(line)
    assert words is None, f"{page}: a block is not closed"


class Command(NamedTuple):
    """A command of a block as it is written, in one line, and what it prints."""

    written: str
    line: str
    printed: str


def commands(block: Block) -> Iterator[Command]:
    """Each command of a console block with what it prints."""
    found: list[tuple[list[str], list[str]]] = []
    goes_on = False
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append(([line], []))
        else:
            found[-1][0 if goes_on else 1].append(line)
        goes_on = (line.startswith("$ ") or goes_on) and line.endswith("\\")
    for command, printed in found:
        line = "".join(each.removesuffix("\\").strip() + " " for each in command).removeprefix("$ ").strip()
        yield Command("\n".join(command), line, "".join(f"{each}\n" for each in printed))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def run(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints: those of this package, and the few others that pages use."""
    program, *arguments = shlex.split(command)
    if program in ("cat", "head"):
        count = int(arguments.pop(0).removeprefix("-")) if program == "head" else None
        texts = [Path(name).read_text(encoding="utf-8").splitlines(keepends=True)[:count] for name in arguments]
        return "".join(line for lines in texts for line in lines)
    if program == "duetpy":
        # On a terminal both streams are one, in the order in which they are written.
        shown = Terminal()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(shown), redirect_stderr(shown):
            patch.setenv("NO_COLOR", "1")
            # A page can be scrolled: what it shows is as on a terminal that is wide enough.
            patch.setattr("duetpy.cli.console._columns", lambda stream: None)
            main(arguments)
        return shown.getvalue()
    capsys.readouterr()
    assert program == "python", f"{program} cannot be run here"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", arguments)
        runpy.run_path(arguments[0], run_name="__main__")
    captured = capsys.readouterr()
    return captured.err + captured.out


def shape(text: str) -> str:
    """A text with its numbers, its digests and its spacing left open."""
    return re.sub(r"[ \n]+", " ", _NUMBER.sub("#", _DIGEST.sub("#", text))).strip()


def comparable(text: str, words: tuple[str, ...]) -> str:
    return shape(text) if RANDOM in words else text.strip("\n")


class _Shape(doctest.OutputChecker):
    """Compares what a Python session prints, figures aside."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return shape(want) == shape(got)


class _Runner(doctest.DocTestRunner):
    """Keeps what was printed instead of what a page says."""

    def __init__(self, checker: doctest.OutputChecker) -> None:
        super().__init__(checker=checker, verbose=False)
        self.got: list[tuple[doctest.Example, str]] = []

    def report_failure(self, out: object, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        self.got.append((example, got))


class Page:
    """A page that is followed from top to bottom in the current folder.

    Attributes
    ----------
    wrong
        What its blocks do not print as they say.
    text
        The page as it would be right.
    notebook, shown
        The notebook of the page, if it has one, and the values of its cells.
    """

    def __init__(self, name: str) -> None:
        self.name, self.names = name, dict[str, object]()
        self.wrong: list[str] = []
        self.notebook: Any = None
        self.shown: list[Any] = []
        self._right: list[tuple[Block, str]] = []

    @property
    def text(self) -> str:
        lines = (ROOT / self.name).read_text(encoding="utf-8").splitlines(keepends=True)
        for block, text in reversed(self._right):
            lines[block.line - 1 : block.line - 1 + block.text.count("\n")] = [text]
        return "".join(lines)

    def follow(self, capsys: pytest.CaptureFixture[str]) -> None:
        for block in blocks(self.name):
            if block.missing:
                continue
            match block.language:
                case "duet" | "csv" | "python":
                    Path(block.words[1]).write_text(block.text, encoding="utf-8")
                case "console":
                    self._console(block, capsys)
                case "pycon":
                    self._session(block)
                case "ipython":
                    self._cell(block)
                case "lark":
                    pass  # `test_the_page_of_the_language_quotes_the_grammar` compares it
                case _:
                    pytest.fail(f"{self.name}:{block.line}: a block of this kind would not be tested")

    def _console(self, block: Block, capsys: pytest.CaptureFixture[str]) -> None:
        right = []
        for command in commands(block):
            printed = run(command.line, capsys)
            same = comparable(printed, block.words) == comparable(command.printed, block.words)
            end = "\n" if command.printed.endswith("\n\n") or not command.printed else ""
            right.append(f"{command.written}\n" + (command.printed if same else printed.strip("\n") + "\n" + end))
            if not same:
                self.wrong.append(f"{self.name}:{block.line}: {command.line}\n{printed}")
        self._right.append((block, "".join(right).rstrip("\n") + "\n"))

    def _cell(self, block: Block) -> None:
        """Run a cell of the page's notebook; what it shows is not compared."""
        if self.notebook is None:
            from tests.notebook.shells import new_shell

            self.notebook = new_shell()
            self.notebook.displayhook.write_output_prompt = lambda: None
            self.notebook.displayhook.write_format_data = lambda *_: None
        done = self.notebook.run_cell(block.text)
        if not done.success:
            self.wrong.append(f"{self.name}:{block.line}: {done.error_before_exec or done.error_in_exec}")
        self.shown.append(done.result)
        self._right.append((block, block.text))

    def _session(self, block: Block) -> None:
        """Run a Python session; what it binds stays bound."""
        where = f"{self.name}:{block.line}"
        session = doctest.DocTestParser().get_doctest(block.text, self.names, where, where, 0)
        runner = _Runner(_Shape() if RANDOM in block.words else doctest.OutputChecker())
        report: list[str] = []
        runner.run(session, out=report.append, clear_globs=False)
        self.names.update(session.globs)
        lines = block.text.splitlines(keepends=True)
        for example, got in reversed(runner.got):
            self.wrong.append(f"{where}: {example.source}{got}")
            start = example.lineno + example.source.count("\n")
            lines[start : start + example.want.count("\n")] = [got]
        # What raises is reported by the runner itself, and is never what a page means to show.
        self.wrong += report
        self._right.append((block, "".join(lines)))
