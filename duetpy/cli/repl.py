"""``duetpy repl``: expressions and definitions are checked as they are typed; nothing reads data, and nothing is run.

An entry goes on over several lines until it is whole, or until an empty line. What begins with a colon is a command.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from attrs import define, field

from duetpy.cli.console import Console
from duetpy.diagnostics.display import visible

if TYPE_CHECKING:
    from duetpy.program import Program
    from duetpy.settings import Value

DONE = 0

NAME = "<repl>"
PROMPT, MORE = "duet> ", "  ... "

HELP = """\
an expression         what is proved about it
def NAME = EXPRESSION keep a definition; `import "file.duet";` and `notion zcdp;` are kept too
:type EXPRESSION      its type only
:cost [EXPRESSION]    its cost in every notion; without an expression, that of the last one
:why [NAME]           how the numbers of the last program came about, or those of one of its parameters
:set NAME=VALUE       a public number for :cost, :why and what is proved; :set alone forgets all of them
:help                 this list
:quit                 end, as at the end of the input (Ctrl-D); Ctrl-C drops what is being typed
"""


def configure(parser: argparse.ArgumentParser) -> None:
    from duetpy.typecheck.notions import BY_WORD

    parser.add_argument("--notion", choices=tuple(BY_WORD), metavar="N", help="the notion of privacy (default: (ε, δ))")
    parser.epilog = f"{HELP}example: echo 'sλ x : ℝ ⇒ x + x' | duetpy repl"


def run(arguments: argparse.Namespace, console: Console) -> int:
    session = Session(console, arguments.notion)
    read = _reader(console)
    while not session.is_over and (entry := _entry(read, session)) is not None:
        session.answer(entry)
    return DONE


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def _reader(console: Console) -> Callable[[str], str | None]:
    """Reads a line after a prompt, which only a terminal shows; None at the end."""
    if sys.stdin is not None and sys.stdin.isatty() and console.is_terminal:
        return partial(_typed, console)
    return _piped


class _Dropped(Exception):
    """Somebody interrupted the entry that was being typed, and not the session."""


def _typed(console: Console, prompt: str) -> str | None:
    from contextlib import suppress

    with suppress(ImportError):
        __import__("readline")
    try:
        return input(prompt)
    except EOFError:
        console.out("\n")
        return None
    except KeyboardInterrupt:
        console.interrupted = False
        console.out("\n")
        raise _Dropped from None


def _piped(_prompt: str) -> str | None:
    line = sys.stdin.buffer.readline() if sys.stdin is not None else b""
    return line.decode("utf-8", "replace").rstrip("\r\n") if line else None


def _entry(read: Callable[[str], str | None], session: Session) -> str | None:
    """The next entry, over as many lines as it takes; None at the end of the input."""
    lines: list[str] = []
    while True:
        try:
            line = read(MORE if lines else PROMPT)
        except _Dropped:
            lines.clear()
            continue
        if line is None:
            break
        if not line.strip():
            if lines:
                break
            continue
        lines.append(line)
        text = "\n".join(lines)
        if text.lstrip().startswith(":") or not session.is_open(text):
            break
    return "\n".join(lines) if lines else None


# ---------------------------------------------------------------------------------------------------------------------
# Answering


@define
class Session:
    """What was defined and set so far."""

    console: Console
    notion: str | None = None
    notion_line: str = ""
    imports: list[str] = field(factory=list)
    definitions: list[str] = field(factory=list)
    settings: dict[str, Value] = field(factory=dict)
    last: Program | None = None
    is_over: bool = False

    def answer(self, entry: str) -> None:
        """Check an entry, or do what a command says."""
        from duetpy.settings import SettingError

        text = entry.strip()
        try:
            if text.startswith(":"):
                self.command(*text[1:].partition(" ")[::2])
            else:
                self.check(text)
        except SettingError as error:
            self.console.err(f"error: {error}\n")

    def command(self, name: str, rest: str) -> None:
        match name, rest.strip():
            case (("quit" | "q"), ""):
                self.is_over = True
            case (("help" | "h" | "?"), ""):
                self.console.out(HELP)
            case "type", text if text:
                self.type(text)
            case "cost", text:
                self.cost(text)
            case "why", text:
                self.why(text or None)
            case "set", text:
                self.set(text)
            case (("quit" | "q" | "help" | "h" | "?"), _):
                self.console.err(f"error: :{name} stands alone on its line\n")
            case "type", _:
                self.console.err("error: :type needs an expression\n")
            case _:
                first = visible(name.split()[0]) if name.split() else ""
                self.console.err(f"error: unknown command :{first}; :help lists them\n")

    # ------------------------------------------------------------------------------------------------- programs

    def program(self, text: str, rest: str = "") -> Program:
        """The program of an entry with all that was kept, each in its place, and what else is to follow."""
        from duetpy.loading import source_of
        from duetpy.program import program_of

        if _is(text, "notion"):
            whole = [text, *self.imports]
        else:
            whole = [self.notion_line, *self.imports, *([] if _is(text, "import") else self.definitions), text]
        whole.append(rest)
        return program_of(source_of(NAME, "\n".join(filter(None, whole))), self.notion, "command line")

    def is_open(self, text: str) -> bool:
        """Whether something is missing at the end of an entry, and nothing is wrong before."""
        if _is(text, "import", "notion"):
            return False
        program = self.program(text)
        end = len(program.file.span.source.text.rstrip()) if program.file is not None else 0
        errors = [each.span for each in program.syntax if each.is_error]
        return bool(errors) and all(
            span is not None and (span.start >= end or _is_bracket(span.text)) for span in errors
        )

    def check(self, text: str) -> None:
        """Check an expression or a definition; a definition that is accepted is kept."""
        from duetpy.report.check_text import statement_text

        program = self.program(text)
        self.spell_as(program)
        if _is(text, "notion", "import"):
            self.keep(text)
            return
        statement = program.state(self.given(program))
        self.console.refuse(each for each in statement.diagnostics if each.is_error or not _is(text, "def"))
        if not statement.ok:
            return
        if _is(text, "def"):
            self.definitions.append(text)
            file = program.file
            assert file is not None
            self.console.out(f"{visible(file.definitions[-1].name.text)} : {statement.type}\n")
            return
        self.last = program
        _, _, told = statement_text(statement, verbose=True).partition("\n")
        self.console.out(told)

    def keep(self, text: str) -> None:
        """Keep a notion or an import, if it can be read."""
        line = text if text.endswith(";") else f"{text};"
        statement = self.program(line, "0").state()
        wrong = [each for each in statement.diagnostics if each.is_error]
        self.console.refuse(wrong)
        if wrong:
            return
        if _is(text, "notion"):
            self.notion_line = line
        else:
            self.imports.append(line)

    def type(self, text: str) -> None:
        program = self.program(text)
        self.spell_as(program)
        statement = program.state()
        self.console.refuse(each for each in statement.diagnostics if each.is_error)
        if statement.ok:
            self.console.out(f"{statement.type}\n")

    def meant(self, text: str) -> Program | None:
        """The program that a command is about: that of an expression, else the last one."""
        program = self.program(text) if text else self.last
        if program is None:
            self.console.err("error: there is no program yet; write an expression first\n")
        else:
            self.spell_as(program)
        return program

    def spell_as(self, program: Program) -> None:
        """Answer in ASCII where everything that was typed is in ASCII, as far as it has signs."""
        from duetpy.cli.check import answer_alike

        self.console.answer_in_unicode()
        answer_alike([program], self.console)

    def cost(self, text: str) -> None:
        from duetpy.report.comparison import INDENT, comparison_text

        if (program := self.meant(text)) is None:
            return
        found = program.compare(self.given(program))
        self.console.refuse(found.diagnostics)
        if found.ok:
            self.console.out(comparison_text(found, self.console.answers_laid_out(INDENT)).replace("--set ", ":set "))

    def why(self, name: str | None) -> None:
        if (program := self.meant("")) is None:
            return
        found = program.why(name, self.given(program))
        self.console.refuse(found.statement.diagnostics)
        if found.ok:
            self.console.out(found.text(self.console.ascii))

    def given(self, program: Program) -> dict[str, object]:
        """The settings that a program declares."""
        from duetpy.settings import resolve_all
        from duetpy.valuation import declared

        given, _ = resolve_all(self.settings, declared(program.typed.type if program.typed is not None else None).names)
        return given

    def set(self, text: str) -> None:
        from duetpy.settings import WANTED, NoValue, SettingError, folded, parse_assignment

        if not text:
            self.settings.clear()
            return
        name, value = parse_assignment(text)
        if isinstance(value, NoValue):
            raise SettingError(f"the value of {visible(name)} cannot be read: {WANTED}")
        self.settings = {other: kept for other, kept in self.settings.items() if folded(other) != folded(name)}
        self.settings[name] = value


def _is(text: str, *words: str) -> bool:
    """Whether an entry begins with one of some words."""
    return text.split(maxsplit=1)[:1] in [[word] for word in words]


def _is_bracket(text: str) -> bool:
    from duetpy.grammar.spelling import OPENERS, SIGNS

    return SIGNS.get(text) in OPENERS or text == "{-"
