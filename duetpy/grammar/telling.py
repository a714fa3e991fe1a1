"""The report where a word or sign is missing: the message, the place in the reader's words, and an action.

A mistake is reported once. Nothing more is reported at a token that has a report, or next to text that is not a token.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from duetpy.diagnostics.diagnostic import Diagnostic, Label
from duetpy.grammar.advice import ALIGNED, NORMED, QUOTED, Wording, place_of
from duetpy.grammar.automaton import Automaton
from duetpy.grammar.lexer import Token
from duetpy.grammar.pieces import Piece
from duetpy.grammar.spelling import CLOSERS, OPENERS, TWINS
from duetpy.grammar.words import Words
from duetpy.source import Source, Span


class Reading(Protocol):
    """What repairs a text asks the reader of it; `duetpy.grammar.parser.Reader` is that."""

    source: Source
    start: str
    words: Words
    tokens: list[Token]
    automaton: Automaton
    prefixes: frozenset[str]
    missing_openers: dict[str, deque[int]]
    ended: bool

    def put(self, terminal: str, index: int, hole: bool = False) -> None:
        """Go on with a terminal that does not stand in the text."""

    def begins(self, index: int) -> bool:
        """Whether an expression may begin at a token."""

    def hurt(self, index: int) -> None:
        """Something could not be read at a token."""

    def missed_opener(self, opener: str, index: int) -> None:
        """An opening bracket is missing."""

    def tell_left_over(self, index: int) -> None:
        """Report what follows a whole text."""

    def definition_before(self) -> str | None:
        """The name of the definition that is being read."""

    def complain(self, found: Diagnostic) -> None:
        """Report an error."""


class Teller:
    """Reports the mistakes in one text.

    Parameters
    ----------
    reader
        Who reads it.
    """

    def __init__(self, reader: Reading) -> None:
        self.reader = reader
        self.words = reader.words
        self.tokens = reader.tokens
        self.kinds = reader.words.kinds
        self.automaton = reader.automaton
        self.wording = Wording(reader.automaton)
        self.quiet = -1
        """No mistake is reported at this token: it would repeat an earlier one."""
        self.count = 0
        self.supposed: list[int] = []
        """Depths of the stack at which a parenthesis was supposed."""
        self.bare_lets = 0
        """How many bindings without ``let`` wait for their ``in``."""
        self.left = False
        """Whether something followed a whole program."""
        self.index_at: dict[int, int] = {}

    def tell(
        self,
        index: int,
        message: str,
        advice: str,
        label: str = "",
        code: str = "D0005",
        span: Span | None = None,
        labels: tuple[Label, ...] = (),
    ) -> None:
        """Report a mistake at a token, once."""
        repeated = self.quiet == index or self.kinds[index] == "bad" or (index > 0 and self.kinds[index - 1] == "bad")
        self.quiet = index
        self.reader.hurt(index)
        if not repeated:
            self.reader.complain(Diagnostic(code, message, span or self.span(index), label, labels, help=advice))

    def span(self, index: int) -> Span:
        token = self.tokens[index]
        return Span(self.reader.source, token.start, token.end)

    def found(self, index: int) -> str:
        """A token, in words."""
        token = self.tokens[index]
        match token.kind:
            case "end":
                return "the end of the text"
            case "nat" | "decimal":
                return f"the number `{token.text}`"
            case "string":
                return "a text"
            case "name":
                return f"the name `{token.text}`"
            case _:
                return f"`{token.text}`"

    def tell_missing(self, index: int, told: str, missing: list[str]) -> None:
        """Tell that a word or sign is missing, or that a bracket is not closed."""
        if told == ",":
            told = next((terminal for terminal in missing if terminal in CLOSERS), told)
        if told in CLOSERS:
            return self.tell_open(index, told, missing)
        before = self.tokens[index - 1].text if index else ""
        if told in ("L1", "U"):
            return self.tell_norm(index, told)
        if told == "STRING":
            return self.tell_text(index)
        name = self.wording.context(told)[0] if told else ""
        if name == "cons" and told == "∷":
            return self.tell_columns(index)
        if told == "," and name == "names":
            told = "⇒"
            where = self.wording.where(",", before)
        else:
            where = self.wording.where(told, before) if told else ""
        if told == "⊸" or (told == "@" and name in ("view", "")):
            message = f"expected `⊸[…]` or `@` after the argument type of `∀`, found {self.found(index)}"
            advice = "a function type is written `∀ κs . τ ⊸[s] τ` or `∀ κs . τ@ε ⊸⋆ τ`"
            return self.tell(index, message, advice, "expected `⊸` (or `-o`)")
        if told == "[" and name == "clip_norm":
            return self.tell(index, f"expected `[` {where}", f"write `{before}[L2]`", "expected `[`")
        if told == "=" and self.kinds[index] == "-" and self.words.touches(index):
            message = f"expected `=` {where}, found `-`"
            advice = "a hyphen is part of a name only before a letter: write `x1` or `x_1`"
            return self.tell(index, message, advice, "a subtraction")
        if told == "." and self.kinds[index] == "<":
            return self.tell(
                index, f"expected the name of a parameter, found {self.found(index)}", ALIGNED, "expected a name"
            )
        code = "D0008" if name in ("notion", "import_") else "D0005"
        if told in ("", "NAME", "LABEL", "PRIMITIVE", "prim"):
            advice = "remove this" if told != "prim" else "write `prim name : τ`"
            if index and self.kinds[index - 1] == "℘":
                set_, here = self.tokens[index - 1].text, self.tokens[index].text
                element = here if here[:1].isalpha() else "τ"
                advice = f"write the type of the elements in parentheses: `{set_}({element})`"
            message = (
                f"{self.found(index)} is not allowed here"
                if told != "prim"
                else f"expected `prim`, found {self.found(index)}"
            )
            return self.tell(index, message, advice, "not here")
        twin = TWINS.get(told)
        advice = f"write `{told}`" + (f" (or `{twin}`)" if twin else "")
        if (told, name, self.kinds[index]) == (":", "member", "name"):
            advice = f"write `{told}`; {QUOTED}"
        if told == "{" and where.startswith("before the body of") and self.kinds[index : index + 2] == ["name", "{"]:
            advice = (
                f"name the inputs that the noise protects between `<` and `>`: `<{self.tokens[index].text}> {{ … }}`"
            )
        if told in OPENERS:
            self.reader.missed_opener(told, index)
        opened = self.opened(told) if self.kinds[index] == "end" else None
        if opened is not None:
            label = Label(self.span(index), f"expected `{told}` before the end")
            span = self.span(opened)
            return self.tell(index, f"expected `{told}` {where}", advice, f"has no `{told}`", code, span, (label,))
        return self.tell(
            index, f"expected `{told}` {where}", advice, f"expected `{told}` before {self.found(index)}", code
        )

    def tell_norm(self, index: int, told: str) -> None:
        name, position = self.wording.context(told)
        if told == "U" or (name, position) == ("matrix", 4):
            message = f"expected the clip of `𝕄`, found {self.found(index)}"
            advice = "a clip is `U` (unclipped), a norm, or a norm with a bound such as `L2≤b`"
            return self.tell(index, message, advice, "not a clip", "D0010")
        place = place_of(self.automaton, told)
        what = NORMED.get(name, "a norm")
        if place is not None:
            what = what.format(word=self.wording.word(place))
        advice = "the norms are `L1`, `L2` and `L∞` (or `Linf`)"
        return self.tell(index, f"expected {what}, found {self.found(index)}", advice, "not a norm", "D0010")

    def tell_text(self, index: int) -> None:
        if self.tokens[index - 1].kind == "import":
            message, advice = (
                f"expected a path after `import`, found {self.found(index)}",
                'write `import "path.duet";`',
            )
            return self.tell(index, message, advice, code="D0008")
        if self.tokens[index - 1].kind != "opaque":
            return self.tell(index, f"expected an expression, found {self.found(index)}", "write an expression")
        message = f"expected the location of a function, found {self.found(index)}"
        return self.tell(index, message, 'write `"module:function"`')

    def tell_columns(self, index: int) -> None:
        """A column without ``∷`` after it."""
        column = next((k for k in range(index - 1, 0, -1) if self.kinds[k] == ":"), 0)
        name = self.tokens[column - 1].text
        message, advice = "a list of columns must end with `∷ []`", f"write `{name} : τ ∷ []`"
        self.tell(index, message, advice, "a column is not followed by `∷`")

    def tell_open(self, index: int, wanted: str, missing: list[str]) -> None:
        """What stands in brackets has ended, and the bracket is not closed."""
        opened = self.opener(wanted)
        before = self.tokens[index - 1].text if index else ""
        place = self.wording.where(wanted, before)
        if self.kinds[index] == "," and place == "after the expression in parentheses":
            advice = (
                "write a pair as `⟨a, b⟩` (or `<|a, b|>`), a call with two arguments as `f a b`, and the numbers of a mechanism "
                "or of a privacy function in brackets: `laplace[1, ε]`, `f[ε] xs`"
            )
            return self.tell(index, "parentheses contain a single expression", advice, "not a list")
        labels = () if opened is None else (Label(self.span(opened), "opened here"),)
        closed = opened is not None and self.words.partner.get(opened, -1) >= index
        if closed and self.kinds[index] not in ("in", ";", "then", "else", "end"):
            either = f"`,` or `{wanted}`" if "," in missing else f"`{wanted}`"
            label = f"expected {either} before {self.found(index)}"
            return self.tell(
                index, f"expected {either} {place}", f"write {either}, or remove this", label, labels=labels
            )
        opening = self.tokens[opened].text if opened is not None else CLOSERS[wanted]
        advice = f"close it with `{wanted}`"
        if self.kinds[index] == "end" and opened is not None:
            ending = Label(self.span(index), f"expected `{wanted}` before the end")
            message = f"`{opening}` is never closed"
            return self.tell(index, message, advice, "opened here", "D0006", self.span(opened), (ending,))
        message = f"`{opening}` is not closed: expected `{wanted}` {place}"
        return self.tell(
            index, message, advice, f"expected `{wanted}` before {self.found(index)}", "D0006", labels=labels
        )

    def opener(self, wanted: str) -> int | None:
        """The token that opened the innermost bracket that `wanted` closes."""
        for piece in reversed(self.automaton.values):
            if isinstance(piece, Piece) and piece.type == CLOSERS[wanted] and piece.end > piece.start:
                return self.index_of(piece.start)
        return None

    def depth_of(self, opener: str) -> int:
        """The depth of the stack at which the innermost bracket of a kind was opened."""
        values = self.automaton.values
        place = len(values) - 1
        while place > 0 and not (isinstance(values[place], Piece) and values[place].type == opener):
            place -= 1
        return place + 1

    def opened(self, told: str) -> int | None:
        """The token that began what `told` goes on with."""
        place = place_of(self.automaton, told)
        if place is None or not place.bases:
            return None
        pieces = self.wording.pieces(place)
        return self.index_of(pieces[0].start) if pieces else None

    def index_of(self, start: int) -> int | None:
        if not self.index_at:
            self.index_at = {token.start: index for index, token in enumerate(self.tokens)}
        return self.index_at.get(start)
