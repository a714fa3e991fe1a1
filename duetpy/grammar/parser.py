"""Source text → syntax tree, with every syntax error reported once.

The language is what ``duet.lark`` says; Lark's parser reads it, from tables that come with the package. A token goes to
it in the first reading that its state accepts (`duetpy.grammar.words`). The parser always returns a tree: what could
not be read is a hole in it, of which no later pass need tell again. It takes time linear in the text, and no depth of
the text is a depth of the call stack.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar.ast import File, Hole, PrimitiveDecl, RExp, Type
from duetpy.grammar.automaton import Automaton
from duetpy.grammar.brackets import pair_brackets
from duetpy.grammar.build_pexp import Builder
from duetpy.grammar.declared import PREFIXES
from duetpy.grammar.lexer import tokenize
from duetpy.grammar.pieces import Piece
from duetpy.grammar.repair import Mender
from duetpy.grammar.spelling import CLOSERS, MISTAKEN_SIGNS, OPENERS, SIGNS
from duetpy.grammar.tables import END, Tables, load
from duetpy.grammar.texts import told
from duetpy.grammar.words import Words
from duetpy.grammar.written import WrittenIn
from duetpy.source import Source, Span

__all__ = ["MAX_DIAGNOSTICS", "parse_file", "parse_prelude", "parse_rexp_text", "parse_type_text", "parse_written"]

MAX_DIAGNOSTICS = 100
"""No more errors of one text are reported; a person stops reading long before."""


def parse_file(
    source: Source, names: frozenset[str] = frozenset(), notions: Sequence[str] = ()
) -> tuple[File, tuple[Diagnostic, ...]]:
    """Read a program.

    Parameters
    ----------
    source
        The program's text.
    names
        The names that its imports define: a soft word among them is a name throughout.
    notions
        The words that may follow ``notion``; any word may where none is listed.

    Returns
    -------
    The tree, with holes where it could not be read, and what is wrong with the text, in the order of the text.
    """
    file, diagnostics, _ = parse_written(source, names, notions)
    return file, diagnostics


def parse_written(
    source: Source, names: frozenset[str] = frozenset(), notions: Sequence[str] = ()
) -> tuple[File, tuple[Diagnostic, ...], WrittenIn]:
    """Read a program as `parse_file` does; also how it was written."""
    reader = Reader(source, "file", names)
    reader.builder.notions = notions
    made = reader.read()
    file: File = made.value if made is not None else File(Span(source, 0, 0), None, (), (), Hole(Span(source, 0, 0)))
    if file.body is None and not file.definitions and not file.imports and not reader.diagnostics:
        end = reader.tokens[-1]
        reader.diagnostics.append(told("empty_program", Span(source, end.start, end.end)))
    builder = reader.builder
    written = WrittenIn(source.text, reader.tokens, frozenset(builder.grouped), frozenset(builder.between_braces))
    return file, reader.all_diagnostics(), written


def parse_type_text(source: Source) -> tuple[Type | None, tuple[Diagnostic, ...]]:
    """Read a text that is one type; None where it could not be read."""
    reader = Reader(source, "type")
    made = reader.read()
    type_ = reader.builder.type_of(made) if made is not None else None
    return type_, reader.all_diagnostics()


def parse_rexp_text(source: Source) -> tuple[RExp | None, tuple[Diagnostic, ...]]:
    """Read a text that is one type-level real; None where it could not be read."""
    reader = Reader(source, "type")
    made = reader.read()
    rexp = reader.builder.rexp_of(made) if made is not None else None
    return rexp, reader.all_diagnostics()


def parse_prelude(source: Source) -> tuple[tuple[PrimitiveDecl, ...], tuple[Diagnostic, ...]]:
    """Read declarations of primitives, ``prim mclip[L2, b] : τ``, with the comments above them."""
    reader = Reader(source, "prelude")
    made = reader.read()
    return (made.value if made is not None else ()), reader.all_diagnostics()


_SCOPED = frozenset({"sλ", "pλ", "∀"})
"""What opens a scope; the stack keeps the place to which it goes back."""

_NOTICED = frozenset({"=", "←"})
"""What makes a mistake of the word before it, now and then."""

_NOTICED_WORDS = frozenset({"def", "notion"})
"""Words that are a mistake in some places."""

_CLOSING = frozenset({"def", "end"})
"""What ends a definition wherever it stands."""

_MINUS = frozenset({"-", "NEGATIVE"})
"""What subtracts, where an expression could end: a definition goes on with it."""

_LEFT_OVER = {
    "=": "bind with `let x = … in …` or `def x = …`; compare with `≡` (or `==`)",
    "⇒": "write a function as `sλ x : τ ⇒ e`",
    "→": "write a function as `sλ x : τ ⇒ e`",
    "[": "remove this; in a call, the bracket touches the name of the function: `f[ε] xs`",
}
"""What is meant, probably, by what cannot follow an expression."""


class Reader:
    """Reads one text.

    Parameters
    ----------
    source
        The text.
    start
        What it is: ``file``, ``prelude`` or ``type``.
    names
        Names bound outside of the text.
    tables
        Those of another grammar than ``duet.lark``.
    """

    def __init__(
        self, source: Source, start: str, names: frozenset[str] = frozenset(), tables: Tables | None = None
    ) -> None:
        self.source = source
        self.start = start
        tokens, self.diagnostics = tokenize(source)
        paired = pair_brackets(source, tokens)
        self.stray_brackets = paired.diagnostics
        """Brackets that match nothing; some will turn out to follow from another mistake."""
        self.missing_openers: dict[str, deque[int]] = {closer: deque() for closer in CLOSERS}
        """For each closing bracket, where its opening bracket was missed."""
        self.tokens = paired.tokens
        tables = tables or load()
        self.words = Words(source, paired, names, start == "prelude", tables.spelled)
        self.builder = Builder(source, self.words, self.complain_of_built, self.is_whole)
        self.automaton = Automaton(tables, start, self.builder)
        self.operands = self.automaton.tables.operands
        self.prefixes = self.automaton.tables.prefixes | PREFIXES
        self.mender: Mender | None = None
        self.built: list[tuple[Diagnostic, Span | None]] = []
        """What the builder says, and where a mistake of the syntax may have led to that."""
        self.wounds: list[tuple[int, int]] = []
        """Where something could not be read: the end of the token before, and the start of this one."""
        self.ended = False
        """Whether the rest of the text is given up."""

    # ------------------------------------------------------------------------------------------------- reading

    def read(self) -> Piece | None:
        """What the text says; None where nothing of it could be read."""
        words, automaton, tokens = self.words, self.automaton, self.tokens
        accepts, feed = automaton.accepts, automaton.feed
        kinds = words.kinds
        index = 0
        while not self.ended:
            words.at = index
            if (words.heads_line(index) or kinds[index] in _CLOSING) and accepts("LINE") and self.ends(index):
                self.put("LINE", index)
            if kinds[index + 1] in _NOTICED or kinds[index] in _NOTICED_WORDS:
                after = self.mend().notice(index)
                if after is not None:
                    index = after
                    continue
            for terminal, count in words.readings(index):
                if accepts(terminal):
                    length = count
                    break
            else:
                index = self.mend().mend(index)
                continue
            if terminal == END:
                return automaton.finish(tokens[index].end)
            token = tokens[index]
            value = token.text
            if terminal in ("BEFORE_ONE", "BEFORE_TWO") or (terminal == "PRIMITIVE" and token.kind != "name"):
                value = token.kind
            index += length
            piece = Piece(terminal, words.mark() if terminal in _SCOPED else value, token.start, tokens[index - 1].end)
            is_bound = terminal == "VAR" and token.text in words.terms.bound
            feed(piece)
            if is_bound:
                self.check_bound(piece, index - 1)
            elif terminal == "}":
                automaton.complete()
        return automaton.finish(tokens[-1].end) if accepts(END) else None

    def check_bound(self, piece: Piece, index: int) -> None:
        """Report a word that was a name up to here: its scope ended when the parser went on with it."""
        if piece.value not in self.words.terms.bound:
            message = f"expected the end, found {self.mend().found(index)}: the scope in which it is a name has ended"
            self.mend().tell(index, message, "remove this", "no name here")
            piece.value = None

    def mend(self) -> Mender:
        """What repairs the text, made when it is first needed."""
        if self.mender is None:
            self.mender = Mender(self)
        return self.mender

    def put(self, terminal: str, index: int, hole: bool = False) -> None:
        """Go on with a terminal that does not stand in the text, before a token or, as a hole, in place of it."""
        token = self.tokens[index]
        start = token.start if hole or not index else self.tokens[index - 1].end
        value = self.words.mark() if terminal in _SCOPED else None
        self.automaton.feed(Piece(terminal, value, start, token.end if hole else start))

    def ends(self, index: int) -> bool:
        """Whether a definition ends before a token, though no sign says so."""
        return self.words.kinds[index] in _CLOSING or self.begins(index)

    def begins(self, index: int) -> bool:
        """Whether an expression may begin at a token."""
        return any(
            terminal in self.operands and terminal not in _MINUS for terminal, _ in self.words.readings(index)[:1]
        )

    # ------------------------------------------------------------------------------------------------- telling

    def complain(self, found: Diagnostic) -> None:
        """Report an error of the syntax."""
        if len(self.diagnostics) < MAX_DIAGNOSTICS:
            self.diagnostics.append(found)

    def complain_of_built(self, found: Diagnostic, around: Span | None) -> None:
        """Report a diagnostic of what was built; an error only if everything around it could be read."""
        if not found.is_error:
            self.diagnostics.append(found)
        elif len(self.diagnostics) < MAX_DIAGNOSTICS:
            self.built.append((found, around or found.span))

    def hurt(self, index: int) -> None:
        """Something could not be read at a token."""
        self.wounds.append((self.tokens[index - 1].end if index else 0, self.tokens[index].start))

    def is_whole(self, span: Span) -> bool:
        """Whether all that stands in a span could be read, and what follows it too."""
        first = bisect_left(self.wounds, (span.start, span.start))
        return all(before > span.end for before, _ in self.wounds[first : first + 1])

    def missed_opener(self, opener: str, index: int) -> None:
        """An opening bracket is missing, so that a closing one further on will match nothing."""
        self.missing_openers[OPENERS[opener]].append(self.tokens[index].start)

    def tell_left_over(self, index: int) -> None:
        """Report what follows a whole program, definition or type."""
        assert self.mender is not None
        found = self.mender.found(index)
        if self.start == "type":
            self.mender.tell(index, f"expected the end after the type, found {found}", "remove this", "left over")
            return
        if self.start == "prelude":
            self.mender.tell(index, f"expected `prim`, found {found}", "write `prim name : τ`", "left over")
            return
        name = self.definition_before()
        if name is not None:
            message = f"expected the end of the definition of `{name}`, found {found}"
            advice = "begin the next definition or expression on a new line, in the first column"
        else:
            message = f"expected the end of the program, found {found}"
            advice = _LEFT_OVER.get(self.words.kinds[index], "remove this, or join it to the expression before it")
        self.mender.tell(index, message, advice, "left over")

    def definition_before(self) -> str | None:
        """The name of the definition that is being read, if one is."""
        values = self.automaton.values
        for place, piece in enumerate(values):
            if isinstance(piece, Piece) and piece.type == "def":
                name: str | None = values[place + 1].value
                return name
        return None

    def is_of_a_release(self, found: Diagnostic, built: list[Diagnostic]) -> bool:
        """Whether something releases nothing only because a release stands in it, or it in a release, where none can stand."""
        misplaced = [other.span for other in built if other.code == "D0011" and other.span]
        at = found.span
        return found.code == "D0012" and at is not None and any(at.contains(a) or a.contains(at) for a in misplaced)

    def all_diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the text, in its order, and not more than a person reads.

        A bracket that closes nothing is left out where the bracket that opens it is known to be missing, or where
        something else on its line is wrong already.
        """
        self.wounds.sort()
        built = [found for found, around in self.built if around is None or self.is_whole(around)]
        self.diagnostics += [found for found in built if not self.is_of_a_release(found, built)]
        self.built = []
        wrong_lines = {d.span.begin[0] for d in self.diagnostics if d.is_error and d.span}
        strays = [stray for stray in self.stray_brackets if not self.is_consequence(stray, wrong_lines)]
        found = sorted(self.diagnostics + strays, key=lambda d: d.span.start if d.span else 0)
        return tuple(found[:MAX_DIAGNOSTICS])

    def is_consequence(self, stray: Diagnostic, wrong_lines: set[int]) -> bool:
        """Whether a bracket matches nothing because of a mistake that is reported anyway."""
        if stray.span is None or stray.labels:
            return False
        missed = self.missing_openers[SIGNS[MISTAKEN_SIGNS.get(stray.span.text, stray.span.text)]]
        if missed and missed[0] < stray.span.start:
            missed.popleft()
            return True
        return stray.span.begin[0] in wrong_lines
