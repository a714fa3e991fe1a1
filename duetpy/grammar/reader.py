"""Tokens → tree: the loop that hands tokens to Lark's parser, each in the first reading that its state accepts."""

from __future__ import annotations

from duetpy.diagnostics.diagnostic import Diagnostic, Severity
from duetpy.grammar.automaton import Automaton
from duetpy.grammar.brackets import pair_brackets
from duetpy.grammar.build_pexp import Builder
from duetpy.grammar.lexer import tokenize
from duetpy.grammar.pieces import Piece
from duetpy.grammar.tables import END, load
from duetpy.grammar.words import Words
from duetpy.source import Source, Span

_SCOPED = frozenset({"sλ", "pλ", "∀"})


class Reader:
    def __init__(self, source: Source, start: str, names: frozenset[str] = frozenset()) -> None:
        self.source = source
        tokens, self.diagnostics = tokenize(source)
        paired = pair_brackets(source, tokens)
        self.tokens = paired.tokens
        self.words = Words(source, paired, names, start == "prelude")
        self.builder = Builder(source, self.words, self.complain, self.warn)
        self.automaton = Automaton(load(), start, self.builder)

    def read(self) -> Piece:
        words, automaton, tokens = self.words, self.automaton, self.tokens
        accepts, readings = automaton.accepts, words.readings
        index = 0
        while True:
            words.at = index
            if words.heads_line(index) and accepts("LINE") and self.begins(index):
                automaton.feed(Piece("LINE", None, tokens[index - 1].end, tokens[index - 1].end))
            for terminal, count in readings(index):
                if accepts(terminal):
                    break
            else:
                raise SyntaxError(f"{tokens[index]} {readings(index)}")
            if terminal == END:
                return automaton.finish(tokens[index].end)
            token = tokens[index]
            value = words.mark() if terminal in _SCOPED else token.text
            if terminal == "PRIMITIVE" and token.kind != "name":
                value = token.kind
            index += count
            automaton.feed(Piece(terminal, value, token.start, tokens[index - 1].end))

    def begins(self, index):
        return self.tokens[index].kind in ("name", "nat", "decimal", "string", "(", "⟨", "true", "false") or (self.words.is_word(index) and self.tokens[index].kind not in ("in","then","else","def","ensures","⊔","⊓","∧","∨","∈","on","end"))

    def complain(self, message, advice="", *, code="D0005", span=None, label="", labels=(), notes=()):
        self.diagnostics.append(Diagnostic(code, message, span, label=label, labels=labels, notes=notes, help=advice))

    def warn(self, code, message, advice, label, span):
        self.diagnostics.append(Diagnostic(code, message, span, label=label, help=advice, severity=Severity.WARNING))
