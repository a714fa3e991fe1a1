"""``duetpy repl``: expressions and definitions are checked as they are typed; nothing reads data, and nothing is run.

An entry goes on over several lines until it is whole, or until an empty line. What begins with a colon is a command.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from duetpy.cli.console import Console
from duetpy.diagnostics.display import visible

if TYPE_CHECKING:
    from duetpy.grammar.ast import Def, File
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


@frozen
class Entry:
    """What an entry adds to a session, and the program that it makes with all that was kept."""

    program: Program
    notion: str
    imports: list[str]
    rest: str
    definitions: tuple[Def, ...]

    @property
    def file(self) -> File:
        assert self.program.file is not None
        return self.program.file

    @property
    def is_misread(self) -> bool:
        return any(each.is_error for each in self.program.syntax)


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

    def read(self, text: str, value: str = "") -> Entry:
        """An entry with all that was kept, each part in its place in a file, and a value for it if it has none."""
        from duetpy.loading import source_of
        from duetpy.program import program_of

        notion, imports, rest = _head(text)
        kept = [notion or self.notion_line, *self.imports, *imports, *self.definitions]
        before = "".join(f"{each}\n" for each in kept if each)
        program = program_of(source_of(NAME, f"{before}{rest}\n{value}"), self.notion, "command line")
        assert program.file is not None
        # Of a text that cannot be read, what stands where it was typed is not part of it.
        added = tuple(each for each in program.file.definitions if each.span.start >= len(before))
        return Entry(program, notion, imports, rest, added)

    def is_open(self, text: str) -> bool:
        """Whether something is missing at the end of an entry, and nothing is wrong before."""
        entry = self.read(text)
        if not entry.rest:
            return False
        end = len(entry.file.span.source.text.rstrip())
        errors = [each.span for each in entry.program.syntax if each.is_error]
        return bool(errors) and all(
            span is not None and (span.start >= end or _is_bracket(span.text)) for span in errors
        )

    def check(self, text: str) -> None:
        """Check an entry, and keep what it adds if all of it is accepted: then the next one has nothing wrong before it."""
        from duetpy.report.check_text import statement_text

        entry = self.read(text)
        self.spell_as(entry.program)
        if entry.rest and (entry.file.body is not None or entry.is_misread):
            statement = entry.program.state(self.given(entry.program))
            self.console.refuse(statement.diagnostics)
            if statement.ok:
                self.keep(entry)
                self.last = entry.program
                _, _, told = statement_text(statement, verbose=True).partition("\n")
                self.console.out(told)
            return
        types: list[str] = []
        # The value of a file of definitions is one of them. Each of these is asked for by its name.
        for name in dict.fromkeys(each.name.text for each in entry.definitions) or ("0",):
            program = self.read(text, name).program
            statement = program.state(self.given(program))
            if not statement.ok:
                self.console.refuse(each for each in statement.diagnostics if each.is_error)
                return
            types.append(f"{visible(name)} : {statement.type}\n")
        self.keep(entry)
        if entry.definitions:
            self.console.out("".join(types))

    def keep(self, entry: Entry) -> None:
        self.notion_line = entry.notion or self.notion_line
        self.imports += [each for each in entry.imports if each not in self.imports]
        self.definitions += [f"{each.span.text};" for each in entry.definitions]

    def type(self, text: str) -> None:
        if (program := self.expression(text, "type")) is None:
            return
        statement = program.state()
        self.console.refuse(each for each in statement.diagnostics if each.is_error)
        if statement.ok:
            self.console.out(f"{statement.type}\n")

    def expression(self, text: str, command: str) -> Program | None:
        """The program of an expression that a command is about."""
        entry = self.read(text)
        if not entry.rest or (entry.file.body is None and not entry.is_misread):
            self.console.err(f"error: :{command} needs an expression\n")
            return None
        self.spell_as(entry.program)
        return entry.program

    def meant(self, text: str) -> Program | None:
        """The program that a command is about: that of an expression, else the last one."""
        if text:
            return self.expression(text, "cost")
        if self.last is None:
            self.console.err("error: there is no program yet; write an expression first\n")
        else:
            self.spell_as(self.last)
        return self.last

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


def _head(text: str) -> tuple[str, list[str], str]:
    """The notion and the imports at the beginning of an entry, with their semicolons, and what follows; comments alone are
    nothing."""
    from duetpy.grammar.lexer import tokenize
    from duetpy.source import Source

    tokens, wrong = tokenize(Source(NAME, text))
    notion, imports = "", []
    while tokens[0].kind in ("notion", "import") and tokens[1].kind != "end":
        line = f"{text[tokens[0].start : tokens[1].end]};"
        if tokens[0].kind == "notion":
            notion = line
        else:
            imports.append(line)
        del tokens[: 3 if tokens[2].kind == ";" else 2]
    is_over = tokens[0].kind == "end" and not wrong
    return notion, imports, "" if is_over else text[tokens[0].start :]


def _is_bracket(text: str) -> bool:
    from duetpy.grammar.spelling import OPENERS, SIGNS

    return SIGNS.get(text) in OPENERS or text == "{-"
