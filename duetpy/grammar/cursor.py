"""A place in the tokens: looking, stepping, names in scope, telling of errors, and going on after them.

How errors are handled
----------------------
`Cursor.complain` tells of an error where the parser stands, unless one was told of there already. Where something can
be supposed in place of what is missing, the parser supposes it and goes on. Elsewhere it raises `Fault`; a construct
that knows how it must go on (``in`` after a bound expression, the closing bracket of a group) catches that, skips to
there, and puts a hole in place of what could not be read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeVar

from duetpy.diagnostics.diagnostic import Diagnostic, Label, Severity
from duetpy.grammar.ast import Name
from duetpy.grammar.brackets import pair_brackets, starts_definition
from duetpy.grammar.lexer import Token, tokenize
from duetpy.grammar.spelling import CLOSERS, MISTAKEN_SIGNS, OPENERS, RESERVED, SIGNS, SOFT, TWINS, WORDS
from duetpy.source import Source, Span
from duetpy.trampoline import Task, call

T = TypeVar("T")

MAX_DIAGNOSTICS = 100
"""No more errors of one text are told of; a person stops reading long before."""

_ENDS = frozenset(CLOSERS) | {"end", ";"}


class Fault(Exception):
    """Something could not be read; it has been told of already."""


class Scope:
    """The words of the language that are names here, because the program has bound them."""

    def __init__(self) -> None:
        self.bound: dict[str, int] = {}
        self.trail: list[str] = []

    def bind(self, name: str) -> None:
        if name in WORDS:
            self.trail.append(name)
            self.bound[name] = self.bound.get(name, 0) + 1

    def restore(self, mark: int) -> None:
        while len(self.trail) > mark:
            name = self.trail.pop()
            self.bound[name] -= 1
            if not self.bound[name]:
                del self.bound[name]


class Cursor:
    """The state that all parsers share.

    Parameters
    ----------
    source
        The text to read.
    names
        Names bound outside of the text, by the files that it imports.
    """

    def __init__(self, source: Source, names: frozenset[str] = frozenset()) -> None:
        self.source = source
        tokens, self.diagnostics = tokenize(source)
        paired = pair_brackets(source, tokens)
        self.stray_brackets = paired.diagnostics
        """Brackets that match nothing; some will turn out to follow from another mistake."""
        self.missing_openers: dict[str, deque[int]] = {closer: deque() for closer in CLOSERS}
        """For each closing bracket, where its opening bracket was missed."""
        self.tokens: list[Token] = paired.tokens
        self.kinds: list[str] = [token.kind for token in paired.tokens]
        self.partner = paired.partner
        self.pos = 0
        self.quiet = -1
        """No error is told of at this position: it would repeat an earlier one."""
        self.terms = Scope()
        self.types = Scope()
        self.enclosures = 0
        """How many brackets are open around the current token."""
        self.assumed: list[str] = []
        """Closing brackets that were missing, and have been supposed."""
        for name in names:
            self.terms.bind(name)

    # ------------------------------------------------------------------------------------------------- looking

    def kind(self) -> str:
        """The kind of the current token among expressions: a word that is bound as a name is a name."""
        return self.kind_at(self.pos) if self.terms.bound else self.kinds[self.pos]

    def kind_at(self, index: int) -> str:
        kind = self.kinds[index]
        if self.terms.bound and self.tokens[index].text in self.terms.bound and kind != "string":
            return "name"
        return kind

    def ahead(self, distance: int) -> str:
        """The kind of a later token, ``end`` past the last one."""
        index = self.pos + distance
        return self.kind_at(index) if index < len(self.kinds) else "end"

    def type_kind(self) -> str:
        """The kind of the current token among types, where other names are in scope."""
        kind = self.kinds[self.pos]
        if self.types.bound and self.tokens[self.pos].text in self.types.bound and kind != "string":
            return "name"
        return kind

    def is_word(self, index: int) -> bool:
        """Whether the token is a name or any word of the language, soft or reserved."""
        text = self.tokens[index].text
        return self.kinds[index] != "string" and text[:1].isalpha() and text != "Real+"

    def is_soft(self) -> bool:
        """Whether the current token is a word that could have been bound as a name."""
        return self.tokens[self.pos].text in SOFT and self.kinds[self.pos] != "string"

    def touches(self, index: int) -> bool:
        """Whether no space stands between the token and the one before it."""
        return index > 0 and self.tokens[index - 1].end == self.tokens[index].start

    def heads_line(self, index: int) -> bool:
        """Whether the token stands in the first column."""
        start = self.tokens[index].start
        return start == 0 or self.source.text[start - 1] == "\n"

    def newline_before(self, index: int) -> bool:
        """Whether the token stands on a later line than the one before it."""
        return index > 0 and "\n" in self.source.text[self.tokens[index - 1].end : self.tokens[index].start]

    # ------------------------------------------------------------------------------------------------- stepping

    @property
    def start(self) -> int:
        """Where the current token starts."""
        return self.tokens[self.pos].start

    @property
    def end(self) -> int:
        """Where the token before the current one ends."""
        return self.tokens[self.pos - 1].end if self.pos else 0

    def since(self, start: int) -> Span:
        """From `start` to the last token read."""
        return Span(self.source, start, max(start, self.end))

    def here(self) -> Span:
        """The span of the current token."""
        token = self.tokens[self.pos]
        return Span(self.source, token.start, token.end)

    def next(self) -> Token:
        token = self.tokens[self.pos]
        if token.kind != "end":
            self.pos += 1
        return token

    def accept(self, kind: str) -> bool:
        if self.kind() == kind:
            self.pos += 1
            return True
        return False

    def expect(self, kind: str, place: str, opened: int | None = None) -> None:
        """Step over a token that must stand here.

        Parameters
        ----------
        kind
            What must stand here.
        place
            Where that is, in the reader's words: "after the bound expression of `let x`".
        opened
            The index of the token that began the construct, to point at where the text ends too early.
        """
        self.skip_bad(kind)
        if not self.accept(kind):
            self.miss(kind, place, opened)
            raise Fault

    def miss(self, kind: str, place: str, opened: int | None = None) -> None:
        """Tell that a token is missing."""
        if kind in OPENERS:
            self.missing_openers[OPENERS[kind]].append(self.start)
        twin = TWINS.get(kind)
        advice = f"write `{kind}`" + (f" (or `{twin}`)" if twin else "")
        message = f"expected `{kind}` {place}"
        if opened is not None and self.kinds[self.pos] == "end":
            token = self.tokens[opened]
            label = Label(self.here(), f"expected `{kind}` before the end")
            span = Span(self.source, token.start, token.end)
            self.complain(message, advice, span=span, label=f"has no `{kind}`", labels=(label,))
        else:
            self.complain(message, advice, label=f"expected `{kind}` before {self.found()}")

    def skip_bad(self, kind: str) -> None:
        """Step over what was no token, if what is wanted follows it."""
        if self.kinds[self.pos] == "bad":
            index = self.pos
            while self.kinds[index] == "bad":
                index += 1
            self.pos, self.quiet = index, index

    # ------------------------------------------------------------------------------------------------- brackets

    def close(self, opened: int, place: str) -> None:
        """Step over the bracket that closes the one at `opened`, or suppose it where it is missing altogether."""
        wanted = OPENERS[self.kinds[opened]]
        self.skip_bad(wanted)
        if self.kinds[self.pos] == wanted:
            self.pos += 1
            return
        if self.is_closed_ahead(opened) and self.kind() not in ("in", ";", "then", "else", "end"):
            either = f"`,` or `{wanted}`" if wanted == "]" else f"`{wanted}`"
            self.complain(
                f"expected {either} {place}",
                f"write {either}, or take this away",
                label=f"expected {either} before {self.found()}",
                labels=(Label(self.span_of(opened), "opened here"),),
            )
            raise Fault
        opening = self.tokens[opened].text
        if self.kinds[self.pos] == "end":
            label = Label(self.here(), f"expected `{wanted}` before the end")
            self.complain(
                f"`{opening}` is never closed",
                f"close it with `{wanted}`",
                code="D0006",
                span=self.span_of(opened),
                label="opened here",
                labels=(label,),
            )
        else:
            self.complain(
                f"`{opening}` is not closed: expected `{wanted}` {place}",
                f"close it with `{wanted}`",
                code="D0006",
                label=f"expected `{wanted}` before {self.found()}",
                labels=(Label(self.span_of(opened), "opened here"),),
            )
        self.assumed.append(wanted)

    def enclosed(self, inner: Callable[[], Task[T]], place: str) -> Task[T | None]:
        """What stands between the bracket here and its partner; None where it could not be read."""
        opened = self.pos
        marks = self.marks()
        self.pos += 1
        self.enclosures += 1
        value: T | None = None
        faulty = False
        try:
            value = yield from call(inner())
            self.close(opened, place)
        except Fault:
            faulty = True
        self.enclosures -= 1
        self.restore(marks)
        if faulty:
            self.leap(opened)
        return value

    def braced(self, inner: Callable[[], Task[T]], what: str) -> Task[T | None]:
        """What stands in braces: the body of a form; None where it could not be read."""
        self.skip_bad("{")
        if self.kinds[self.pos] != "{":
            self.miss("{", f"before {what}")
            raise Fault
        return (yield from call(self.enclosed(inner, f"after {what}")))

    def leap(self, opened: int) -> None:
        """Go on past the partner of a bracket; a fault of what is around it where there is none ahead."""
        if not self.is_closed_ahead(opened):
            raise Fault
        self.pos = self.quiet = self.partner[opened] + 1

    def is_closed_ahead(self, opened: int) -> bool:
        """Whether the partner of a bracket has not been passed yet."""
        return self.partner.get(opened, -1) >= self.pos

    def span_of(self, index: int) -> Span:
        token = self.tokens[index]
        return Span(self.source, token.start, token.end)

    # ------------------------------------------------------------------------------------------------- scopes

    def marks(self) -> tuple[int, int]:
        return len(self.terms.trail), len(self.types.trail)

    def restore(self, marks: tuple[int, int]) -> None:
        self.terms.restore(marks[0])
        self.types.restore(marks[1])

    def binder(self, what: str) -> Name:
        """A name that is bound here; `what` says what it names."""
        name = self.name(what)
        self.terms.bind(name.text)
        return name

    def name(self, what: str) -> Name:
        """A name; a reserved word in its place is told of and then taken for one."""
        self.skip_bad("name")
        token = self.tokens[self.pos]
        if not self.is_word(self.pos):
            raise self.fault(f"expected {what}, found {self.found()}", "write a name", label="expected a name")
        if token.text in RESERVED and token.text not in self.terms.bound:
            follows = self.ahead(1)
            if token.kind in ("in", "let", "then", "else", "on", "return") and follows not in ("=", "←", ":", "⇒"):
                raise self.fault(f"expected {what}, found {self.found()}", "write a name", label="expected a name")
            self.complain(
                f"`{token.text}` is a reserved word and cannot be {what}",
                "choose another name",
                code="D0013",
                label="reserved",
            )
        self.pos += 1
        return Name(Span(self.source, token.start, token.end), token.text)

    def label(self, what: str) -> Name:
        """The name of a column, which may be any word: no other reading is possible where one stands."""
        if not self.is_word(self.pos):
            raise self.fault(f"expected {what}, found {self.found()}", "write a name", label="expected a name")
        token = self.next()
        return Name(Span(self.source, token.start, token.end), token.text)

    # ------------------------------------------------------------------------------------------------- errors

    def found(self) -> str:
        """The current token, in words."""
        token = self.tokens[self.pos]
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

    def complain(
        self,
        message: str,
        advice: str = "",
        *,
        code: str = "D0005",
        span: Span | None = None,
        label: str = "",
        labels: tuple[Label, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> None:
        """Tell of an error at the current token, once."""
        repeated = self.quiet == self.pos or self.kinds[self.pos] == "bad" or self.kinds[self.pos - 1] == "bad"
        if self.assumed and self.kinds[self.pos] == self.assumed[-1]:
            # A bracket that was supposed too early stands here: the same mistake.
            self.assumed.pop()
            repeated = True
        self.quiet = self.pos
        if repeated or len(self.diagnostics) >= MAX_DIAGNOSTICS:
            return
        self.diagnostics.append(
            Diagnostic(code, message, span or self.here(), label=label, labels=labels, notes=notes, help=advice)
        )

    def all_diagnostics(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the text, in its order, and not more than a person reads.

        A bracket that closes nothing is left out where the bracket that opens it is known to be missing, or where
        something else on its line is wrong already.
        """
        wrong_lines = {d.span.begin[0] for d in self.diagnostics if d.is_error and d.span}
        strays = [stray for stray in self.stray_brackets if not self.is_consequence(stray, wrong_lines)]
        told = sorted(self.diagnostics + strays, key=lambda d: d.span.start if d.span else 0)
        return tuple(told[:MAX_DIAGNOSTICS])

    def is_consequence(self, stray: Diagnostic, wrong_lines: set[int]) -> bool:
        """Whether a bracket matches nothing because of a mistake that is told of anyway."""
        if stray.span is None or stray.labels:
            return False
        missed = self.missing_openers[SIGNS[MISTAKEN_SIGNS.get(stray.span.text, stray.span.text)]]
        if missed and missed[0] < stray.span.start:
            missed.popleft()
            return True
        return stray.span.begin[0] in wrong_lines

    def warn(self, code: str, message: str, advice: str, label: str) -> None:
        """Tell of something at the current token that is no error."""
        self.diagnostics.append(
            Diagnostic(code, message, self.here(), label=label, help=advice, severity=Severity.WARNING)
        )

    def fault(self, message: str, advice: str = "", *, code: str = "D0005", label: str = "") -> Fault:
        """Tell of an error after which the parser cannot go on here: ``raise self.fault(…)``."""
        self.complain(message, advice, code=code, label=label)
        return Fault()

    def skip_to(self, *targets: str) -> bool:
        """Skip to the first of `targets` that belongs to the construct being read; whether there is one.

        Brackets are skipped whole, and so is every ``let`` with its ``in``. Where there is none, the parser stands at
        the first token that belongs to a construct further out.
        """
        index, lets = self.pos, 0
        kinds = self.kinds
        while True:
            kind = kinds[index]
            if kind in targets and not (kind == "in" and lets):
                break
            if kind in _ENDS or (kind == "in" and not lets) or starts_definition(self.tokens, index):
                break
            if kind == "in":
                lets -= 1
            elif kind == "let":
                lets += 1
            elif kind in OPENERS:
                index = self.partner.get(index, index)
            index += 1
        self.pos = self.quiet = index
        return kinds[index] in targets
