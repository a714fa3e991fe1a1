"""One version of a program's text, with all that is known about it; each part is computed when it is first asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeAlias

from attrs import define, field

from duetpy.cached import cached_property
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar import ast
from duetpy.grammar.lexer import Token, tokenize
from duetpy.loading import read_import
from duetpy.lsp.names import Binder, Occurrence, Seen, names_seen, occurrences
from duetpy.program import Program, program_of
from duetpy.report.verdict import Statement
from duetpy.settings import SettingError
from duetpy.source import Source
from duetpy.typecheck.check import Typed

Reader = Callable[[str], Source | Diagnostic]

Stamp: TypeAlias = tuple[int, int, int]
"""When a file was changed, its size, and which file it is."""


@define(eq=False, slots=False)
class Document:
    """A program's text as an editor has it.

    Parameters
    ----------
    name
        The path, against which imports are resolved; for a text that is not a file, a name in angle brackets.
    source
        The text, with ``\\n`` line ends. A byte order mark stays: the editor counts it too.
    read
        Reads imported files.
    """

    name: str
    source: Source
    read: Reader = field(default=read_import, repr=False)
    asked: dict[str, Stamp | None] = field(factory=dict, init=False, repr=False)
    """The paths that were asked for to read the program, those of files that are missing too, and how each file was then."""

    @staticmethod
    def of(name: str, text: str, read: Reader = read_import) -> Document:
        """The document of a text with any line ends."""
        return Document(name, Source(name, text.replace("\r\n", "\n").replace("\r", "\n")), read)

    def with_text(self, text: str) -> Document:
        """The same document with another text, of ``\\n`` line ends."""
        return Document(self.name, Source(self.name, text), self.read)

    @property
    def text(self) -> str:
        return self.source.text

    @cached_property
    def program(self) -> Program:
        return program_of(self.source, read=self._noted)

    def _noted(self, name: str) -> Source | Diagnostic:
        path = os.path.abspath(name)
        self.asked[path] = _stamp(path)
        return self.read(name)

    @cached_property
    def file(self) -> ast.File:
        """The syntax tree as it was written, with holes where it could not be read."""
        assert self.program.file is not None
        return self.program.file

    @cached_property
    def statement(self) -> Statement | None:
        """What ``check`` says; None if the numbers in the program are too large for it to say anything."""
        try:
            return self.program.state()
        except SettingError:
            return None

    @cached_property
    def typed(self) -> Typed:
        """The judgement of the checker, with how it came about."""
        typed = self.program.judged(record=True)
        assert typed is not None
        return typed

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self.typed.diagnostics if self.statement is None else self.statement.diagnostics

    @cached_property
    def tokens(self) -> list[Token]:
        return tokenize(self.source)[0]

    def token_at(self, offset: int) -> Token | None:
        """The token that holds a code point, or ends there."""
        holds = [token for token in self.tokens if token.start <= offset <= token.end and token.kind != "end"]
        return next((token for token in holds if token.start <= offset < token.end), holds[-1] if holds else None)

    @cached_property
    def seen(self) -> Seen:
        """What the imported files define."""
        assert self.program.library is not None
        return names_seen(self.name, self.program.library.programs)

    @cached_property
    def occurrences(self) -> tuple[Occurrence, ...]:
        """Every name of the text with the place where it is bound."""
        return tuple(occurrences(self.file, self.tokens, self.seen))

    def occurrence_at(self, offset: int) -> Occurrence | None:
        return next((each for each in self.occurrences if each.span.start <= offset <= each.span.end), None)

    def uses(self, binder: Binder) -> list[Occurrence]:
        return [each for each in self.occurrences if each.binder == binder]

    @property
    def imports(self) -> frozenset[str]:
        """The paths of all files on which what is known of this one rests, whether they exist or not."""
        assert self.program.library is not None
        return frozenset(self.asked)

    @property
    def is_current(self) -> bool:
        """Whether no file on which this rests has changed since: not every editor says so."""
        return all(_stamp(path) == self.asked[path] for path in self.imports)


def _stamp(path: str) -> Stamp | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
