"""The binding forms: ``let``, ``sλ``, ``pλ``, ``if``, ``case``, and the names that a body in braces binds."""

from __future__ import annotations

from duetpy.grammar.ast import (
    Aligned,
    Case,
    Guarantee,
    Hole,
    If,
    KindBinding,
    Lam,
    Let,
    LetPair,
    Name,
    Param,
    PExp,
    PLam,
    SExp,
)
from duetpy.grammar.cursor import Fault
from duetpy.grammar.parser_sexp import PRIVATE_FORMS, SExpParser
from duetpy.grammar.spelling import LETTER_OF, OPENERS
from duetpy.source import Span
from duetpy.trampoline import Task, call

STARTERS = PRIVATE_FORMS | {"let", "sλ", "if", "pλ", "loop", "case"}
"""Words that begin an expression but continue none, so that what should stand before one can be supposed."""


class BinderParser(SExpParser):
    """Reads the binding forms of the sensitivity language."""

    def open_form(self, kind: str) -> Task[SExp]:
        match kind:
            case "sλ":
                return self.sensitivity_lambda()
            case "if":
                return self.conditional()
            case _:
                return self.let()

    # ------------------------------------------------------------------------------------------------- binding

    def let_header(self) -> Task[tuple[Name, Name | None, SExp] | None]:
        """``let x = e in`` or ``let ⟨x, y⟩ = e in``, the names not bound yet; None where they could not be read."""
        opened = self.pos
        bare = self.at_bare_binding()
        if bare:
            advice = "begin a binding with `let`, or at the top of a file with `def`; a comparison is `≡`"
            self.complain(f"expected `let` before {self.found()}", advice, label="expected `let`")
        else:
            if self.kind() == "def":
                advice = "inside an expression write `let x = … in`"
                self.complain("a definition stands at the top of a file only", advice, label="expected `let`")
            self.pos += 1
        names: tuple[Name, Name | None] | None = None
        try:
            if self.kind() == "⟨":
                self.nesting = 0
                names = self.bracketed("⟨", self.two_names, "the names of the pair")
            else:
                names = self.name("the name of a variable"), None
        except Fault:
            if not self.skip_to("=", "in"):
                raise
        what = f"`let {names[0].text}`" if names and not names[1] else "`let`"
        if not self.accept("=") and not self.resume_at_bound(what):
            return None
        bound = yield from call(self.before("in", f"after the bound expression of {what}", opened))
        return (*names, bound) if names else None

    def resume_at_bound(self, what: str) -> bool:
        """Go on to the bound expression though its ``=`` is missing; whether there is one before ``in``."""
        hyphen = self.kind() == "-" and self.touches(self.pos)
        if hyphen:
            advice = "a hyphen is part of a name only before a letter: write `x1` or `x_1`"
            self.complain(f"expected `=` after {what}, found `-`", advice, label="a subtraction")
        if self.kind() != "in":
            self.miss("=", f"after {what}")
            if self.kind() in ("≡", "←"):
                self.pos += 1
                return True
            if not hyphen and (self.role(self.kind()) or self.kind() in ("let", "sλ", "if", "-")):
                return True
            if not self.skip_to("=", "in"):
                raise Fault
            if self.accept("="):
                return True
        elif self.quiet != self.pos:
            self.miss("=", f"after {what}")
        self.pos += 1
        return False

    def two_names(self) -> tuple[Name, Name]:
        left = self.name("the name of a variable")
        self.expect(",", "between the names of the pair")
        return left, self.name("the name of a variable")

    def before(self, kind: str, place: str, opened: int) -> Task[SExp]:
        """An expression and the word after it; a hole where the expression could not be read."""
        at, marks, result = self.here(), self.marks(), None
        try:
            result = yield from call(self.sexp())
        except Fault:
            self.restore(marks)
        if result is None:
            if not self.skip_to(kind):
                raise Fault
            result = Hole(at)
        self.arrive(kind, place, opened)
        return result

    def arrive(self, kind: str, place: str, opened: int) -> None:
        """Step over a word that must stand here, suppose it, or skip to it."""
        self.skip_bad(kind)
        if self.accept(kind):
            return
        if self.kinds[opened] == "name" and kind == "in":
            # The `let` was missing and has been told of: then a missing `in` is the same mistake.
            raise Fault
        self.miss(kind, place, opened)
        if self.kind() in STARTERS or self.ahead(1) == "←" or self.begins_line():
            return
        if not self.skip_to(kind):
            raise Fault
        self.pos += 1

    def begins_line(self) -> bool:
        """Whether an expression begins here on a new line."""
        return self.newline_before(self.pos) and self.role(self.kind()) != ""

    def let(self) -> Task[SExp]:
        start = self.start
        header = yield from call(self.let_header())
        marks = self.marks()
        if header is None:
            yield from call(self.sexp())
            return Hole(self.since(start))
        left, right, bound = header
        self.terms.bind(left.text)
        if right is not None:
            self.terms.bind(right.text)
        body = yield from call(self.sexp())
        self.restore(marks)
        if right is None:
            return Let(self.since(start), left, bound, body)
        return LetPair(self.since(start), left, right, bound, body)

    def conditional(self) -> Task[SExp]:
        """``if e then e else e``; the branches may stand in braces."""
        start, opened = self.start, self.pos
        self.pos += 1
        guard = yield from call(self.before("then", "after the condition of `if`", opened))
        then = yield from call(self.branch("the first branch"))
        self.arrive("else", "after the first branch of `if`", opened)
        otherwise = yield from call(self.branch("the second branch"))
        return If(self.since(start), guard, then, otherwise)

    def branch(self, what: str) -> Task[SExp]:
        if self.kind() != "{":
            return (yield from call(self.sexp()))
        at = self.here()
        inside = yield from call(self.enclosed(self.sexp, f"after {what} of `if`"))
        return Hole(at) if inside is None else inside

    def case(self) -> Task[SExp]:
        """``case e { inl x ⇒ e₁ ; inr y ⇒ e₂ }``."""
        start = self.start
        self.pos += 1
        scrutinee = yield from call(self.sexp())
        inside = yield from call(self.braced(self.branches, "the branches of `case`"))
        if inside is None:
            return Hole(self.since(start))
        left, left_body, right, right_body = inside
        return Case(self.since(start), scrutinee, left, left_body, right, right_body)

    def branches(self) -> Task[tuple[Name, SExp, Name, SExp]]:
        marks = self.marks()
        left = self.pattern("inl")
        left_body = yield from call(self.sexp())
        self.restore(marks)
        self.expect(";", "after the first branch of `case`")
        right = self.pattern("inr")
        right_body = yield from call(self.sexp())
        self.accept(";")
        return left, left_body, right, right_body

    def pattern(self, side: str) -> Name:
        """``inl x ⇒``; x is bound from here on."""
        if self.kinds[self.pos] == side:
            self.pos += 1
        else:
            self.expect(side, "at the head of a branch of `case`")
        name = self.binder("the name of a variable")
        self.expect("⇒", f"after `{side} {name.text}`")
        return name

    # ------------------------------------------------------------------------------------------------- functions

    def sensitivity_lambda(self) -> Task[SExp]:
        """``sλ κs . x : τ, … ⇒ e``."""
        start, marks = self.start, self.marks()
        header = self.lambda_header("sλ")
        body = yield from call(self.sexp())
        self.restore(marks)
        if header is None:
            return Hole(self.since(start))
        kinds, params = header
        return Lam(self.since(start), kinds, tuple(param for param in params if isinstance(param, Param)), body)

    def privacy_lambda(self) -> Task[SExp]:
        """``pλ κs . x : τ, ⟨y : τ, z : τ⟩ ⇒ p ensures ε ≤ 1``."""
        start, marks = self.start, self.marks()
        header = self.lambda_header("pλ")
        body = yield from call(self.pexp())
        ensures = self.guarantees()
        self.restore(marks)
        if header is None:
            return Hole(self.since(start))
        kinds, params = header
        return PLam(self.since(start), kinds, params, body, ensures)

    def lambda_header(self, word: str) -> tuple[tuple[KindBinding, ...], tuple[Param | Aligned, ...]] | None:
        """What stands before the body, ``⇒`` included; all names are bound. None where it could not be read."""
        opened = self.pos
        self.pos += 1
        try:
            kinds = self.kinds_of(f"`{word}`") if self.has_kinds() else ()
            params = self.params(word)
            self.arrive("⇒", f"after the parameters of `{word}`", opened)
        except Fault:
            if not self.skip_to("⇒"):
                raise
            self.pos += 1
            return None
        return kinds, params

    def has_kinds(self) -> bool:
        """Whether a dot comes before the parameters: the types of parameters have one only after ∀."""
        index = self.pos
        while True:
            kind = self.kinds[index]
            if kind == ".":
                return True
            # `forall` and its like may be names here: `sλ forall : ℕ . …`.
            if kind in ("⇒", "let", "in", ";", "=", "end", ")", "]", "}", "⟩") or (
                kind in ("∀", "sλ", "pλ") and self.kinds[index + 1] != ":"
            ):
                return False
            if kind in OPENERS:
                if index not in self.partner:
                    return False
                index = self.partner[index]
            index += 1

    def params(self, word: str) -> tuple[Param | Aligned, ...]:
        params = [self.param(word)]
        while self.accept(",") or self.at_forgotten_comma(word):
            params.append(self.param(word))
        for param in params:
            for one in param.params if isinstance(param, Aligned) else (param,):
                self.terms.bind(one.name.text)
        return tuple(params)

    def at_forgotten_comma(self, word: str) -> bool:
        """Tell of a parameter that no comma comes before."""
        if not self.is_word(self.pos) or self.kinds[self.pos + 1] != ":":
            return False
        self.miss(",", f"between the parameters of `{word}`")
        return True

    def param(self, word: str) -> Param | Aligned:
        """``x : τ``, ``x``, or in a privacy function ``⟨x : τ, y : τ⟩``."""
        if self.kind() != "⟨":
            return self.plain_param()
        if word == "sλ":
            advice = "aligned parameters belong to `pλ`; give `sλ` two parameters"
            raise self.fault("`sλ` has no aligned parameters", advice, label="only in `pλ`")
        start = self.start
        self.nesting = 0
        views = self.bracketed("⟨", lambda: self.listed(self.plain_param), "the aligned parameters")
        return Aligned(self.since(start), views)

    def plain_param(self) -> Param:
        name = self.name("the name of a parameter")
        type_ = self.type() if self.accept(":") else None
        return Param(self.since(name.span.start), name, type_)

    def guarantees(self) -> tuple[Guarantee, ...]:
        """``ensures ε ≤ 1, δ ≤ 1e-6``."""
        if not self.accept("ensures"):
            return ()
        found = [self.guarantee()]
        while self.kind() == "," and self.is_word(self.pos + 1) and self.kinds[self.pos + 2] == "≤":
            self.pos += 1
            found.append(self.guarantee())
        return tuple(found)

    def guarantee(self) -> Guarantee:
        name = self.label("the letter of a cost, such as `ε`")
        self.expect("≤", f"after `{name.text}`")
        bound = self.rexp()
        return Guarantee(self.since(name.span.start), LETTER_OF.get(name.text, name.text), bound)

    # ------------------------------------------------------------------------------------------------- bodies

    def private_list(self) -> tuple[Name, ...] | None:
        """``<xs, ys>``, or None where it was left out."""
        if self.kind() != "<":
            return None
        self.pos += 1
        names: list[Name] = []
        while self.kind() != ">":
            if names:
                self.expect(",", "or `>` between private names")
            names.append(self.name("the name of a private variable"))
        self.pos += 1
        return tuple(names)

    def private_body(self, count: int, word: str) -> Task[tuple[tuple[Name, ...], PExp]]:
        """``x, y ⇒ p`` inside braces."""
        names = self.bound_names(count, word)
        body = yield from call(self.pexp())
        return names, body

    def binding_body(self, count: int, word: str) -> Task[tuple[tuple[Name, ...], SExp]]:
        """``x, y ⇒ e`` inside braces."""
        names = self.bound_names(count, word)
        body = yield from call(self.sexp())
        return names, body

    def bound_names(self, count: int, word: str) -> tuple[Name, ...]:
        """``x, y ⇒``: as many names as the form binds, bound from here on."""
        start = self.start
        names = [self.binder("the name of a variable")]
        while self.accept(","):
            names.append(self.binder("the name of a variable"))
        if self.kind() == "⇒" and len(names) != count:
            wanted = "one name" if count == 1 else f"{count} names"
            self.complain(
                f"`{word}` binds {wanted} here, not {len(names)}",
                "write `{ x ⇒ … }`" if count == 1 else "write `{ x, y ⇒ … }`",
                code="D0014",
                span=Span(self.source, start, self.end),
            )
            raise Fault
        self.expect("⇒", f"after the names that `{word}` binds")
        if len(names) != count:
            # The arrow was missing, which is told; there are no names for what follows.
            raise Fault
        return tuple(names)
