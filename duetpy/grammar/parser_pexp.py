"""Privacy expressions.

Parentheses may hold a privacy expression or the function of a privacy application, and only what is inside tells which.
`either` therefore reads both languages at once; where the context asks for a privacy expression (`strict`), a
sensitivity expression is told of at the place where it ends up.
"""

from __future__ import annotations

from functools import partial

from duetpy.grammar.ast import (
    Bind,
    Case,
    Convert,
    Hole,
    If,
    Let,
    LetPair,
    Loop,
    Mechanism,
    Name,
    Parallel,
    PCase,
    PExp,
    PFoldRows,
    PHole,
    PIf,
    PLet,
    PLetPair,
    PLoop,
    PMap,
    RandNat,
    Return,
    Sample,
    SExp,
    TypeApp,
)
from duetpy.grammar.cursor import Fault
from duetpy.grammar.operators import Operand
from duetpy.grammar.parser_forms import FormParser
from duetpy.grammar.parser_sexp import CONVERSIONS, PRIVATE_FORMS
from duetpy.source import Span
from duetpy.trampoline import Task, call

WITH_CANDIDATES = frozenset({"exponential", "noisy-max", "gibbs"})
"""Mechanisms that choose among candidates, each scored by the body."""


class PExpParser(FormParser):
    """Reads the privacy language."""

    def pexp(self) -> Task[PExp]:
        """A privacy expression."""
        result = yield from call(self.either(strict=True))
        assert isinstance(result, PExp)
        return result

    def either(self, strict: bool) -> Task[PExp | SExp]:
        """A privacy expression or, unless `strict`, a sensitivity expression."""
        kind = self.kind()
        if self.is_word(self.pos) and self.kinds[self.pos + 1] == "←":
            return (yield from call(self.bind()))
        if self.at_bare_binding() and self.ahead(2) in PRIVATE_FORMS:
            advice = f"write `{self.tokens[self.pos].text} ← …`; `let x = … in` is for what releases nothing"
            self.complain("a release is bound by `←`, not by `=`", advice, label="expected `←` after this")
            return (yield from call(self.bind()))
        if self.at_bare_binding():
            return (yield from call(self.private_let(strict)))
        start = self.start
        result: PExp | SExp
        match kind:
            case "let":
                return (yield from call(self.private_let(strict)))
            case "def" if self.at_inner_definition():
                return (yield from call(self.private_let(strict)))
            case "(":
                result = yield from call(self.private_group())
            case "if":
                result = yield from call(self.private_conditional(strict))
            case "case":
                result = yield from call(self.private_case(strict))
            case "loop":
                result = yield from call(self.private_loop(strict))
            case _ if self.begins_private(kind):
                return (yield from call(self.private_form(kind)))
            case _:
                result = yield from call(self.expression(private=True))
                return self.as_private(result) if strict else result
        if not isinstance(result, PExp):
            # What was read so far may go on: it may be the function of a privacy application.
            first = Operand[SExp](result, start, self.end)
            result = yield from call(self.expression(private=True, first=first))
        return self.as_private(result) if strict else result

    def as_private(self, node: PExp | SExp) -> PExp:
        """The node, or a hole where a sensitivity expression stands in the place of a privacy expression."""
        if isinstance(node, PExp):
            return node
        if isinstance(node, TypeApp):
            values = ", ".join(argument.span.text for argument in node.arguments)
            self.complain(
                f"a privacy function is called with a point before its arguments: `{node.function.span.text}@[ . {values}]`",
                f"write `@[ . {values}]`; what stands before the point are sizes, which may be left out",
                code="D0012",
                span=node.span,
                label="names no arguments",
            )
        elif not isinstance(node, Hole):
            self.complain(
                "expected a privacy expression, found a sensitivity expression",
                "release it with `return …`, or through a mechanism",
                code="D0012",
                span=node.span,
                label="releases nothing",
            )
        return PHole(node.span)

    def private_form(self, kind: str) -> Task[PExp]:
        """Dispatch on the word that begins a privacy expression."""
        match kind:
            case "return":
                return self.release()
            case "aloop":
                return self.advanced_loop()
            case "parallel":
                return self.parallel()
            case "mmapp" | "pmap-col":
                return self.private_map(kind)
            case "pfld-rows":
                return self.private_fold()
            case "rand-nat":
                return self.random_number()
            case "sample" | "poisson" | "shuffle":
                return self.sampled(kind)
            case _ if kind in CONVERSIONS:
                return self.conversion(kind)
            case _:
                return self.mechanism(kind)

    # ------------------------------------------------------------------------------------------------- sequencing

    def bind(self) -> Task[PExp]:
        """``x ← p ; q``; a bind inside p takes the first semicolon."""
        start, opened = self.start, self.pos
        name = self.name("the name of a variable")
        self.pos += 1
        at, marks, first = self.here(), self.marks(), None
        try:
            first = yield from call(self.pexp())
        except Fault:
            self.restore(marks)
        if first is None:
            if not self.skip_to(";"):
                raise Fault
            first = PHole(at)
        self.arrive(";", f"after the privacy expression of `{name.text} ←`", opened)
        self.terms.bind(name.text)
        then = yield from call(self.pexp())
        self.restore(marks)
        return Bind(self.since(start), name, first, then)

    def release(self) -> Task[PExp]:
        """``return e``."""
        start = self.start
        self.pos += 1
        value = yield from call(self.sexp())
        return Return(self.since(start), value)

    def private_group(self) -> Task[PExp | SExp]:
        at = self.here()
        inside = yield from call(self.enclosed(self.either_grouped, "after the expression in parentheses"))
        return Hole(at) if inside is None else inside

    def either_grouped(self) -> Task[PExp | SExp]:
        inner = yield from call(self.either(strict=False))
        self.check_single()
        return inner

    def private_let(self, strict: bool) -> Task[PExp | SExp]:
        start = self.start
        header = yield from call(self.let_header())
        marks = self.marks()
        if header is None:
            yield from call(self.either(strict))
            return PHole(self.since(start))
        left, right, bound = header
        self.terms.bind(left.text)
        if right is not None:
            self.terms.bind(right.text)
        body = yield from call(self.either(strict))
        self.restore(marks)
        span = self.since(start)
        if isinstance(body, PExp):
            return PLet(span, left, bound, body) if right is None else PLetPair(span, left, right, bound, body)
        return Let(span, left, bound, body) if right is None else LetPair(span, left, right, bound, body)

    def private_conditional(self, strict: bool) -> Task[PExp | SExp]:
        start, opened = self.start, self.pos
        self.pos += 1
        guard = yield from call(self.before("then", "after the condition of `if`", opened))
        then = yield from call(self.either_branch(strict, "the first branch"))
        self.arrive("else", "after the first branch of `if`", opened)
        otherwise = yield from call(self.either_branch(strict, "the second branch"))
        span = self.since(start)
        if isinstance(then, PExp) or isinstance(otherwise, PExp):
            return PIf(span, guard, self.as_private(then), self.as_private(otherwise))
        return If(span, guard, then, otherwise)

    def either_branch(self, strict: bool, what: str) -> Task[PExp | SExp]:
        if self.kind() != "{":
            return (yield from call(self.either(strict)))
        at = self.here()
        inside = yield from call(self.enclosed(partial(self.either, strict), f"after {what} of `if`"))
        return self.unread(strict, at) if inside is None else inside

    def unread(self, strict: bool, span: Span) -> PExp | SExp:
        return PHole(span) if strict else Hole(span)

    def private_case(self, strict: bool) -> Task[PExp | SExp]:
        """``case e { inl x ⇒ p ; inr y ⇒ q }``."""
        start = self.start
        self.pos += 1
        scrutinee = yield from call(self.sexp())
        inside = yield from call(self.braced(partial(self.either_branches, strict), "the branches of `case`"))
        span = self.since(start)
        if inside is None:
            return self.unread(strict, span)
        left, left_body, right, right_body = inside
        if isinstance(left_body, PExp) or isinstance(right_body, PExp):
            first, second = self.as_private(left_body), self.as_private(right_body)
            return PCase(span, scrutinee, left, first, right, second)
        return Case(span, scrutinee, left, left_body, right, right_body)

    def either_branches(self, strict: bool) -> Task[tuple[Name, PExp | SExp, Name, PExp | SExp]]:
        marks = self.marks()
        left = self.pattern("inl")
        left_body = yield from call(self.either(strict))
        self.restore(marks)
        self.expect(";", "after the first branch of `case`")
        right = self.pattern("inr")
        right_body = yield from call(self.either(strict))
        self.accept(";")
        return left, left_body, right, right_body

    # ------------------------------------------------------------------------------------------------- loops

    def private_loop(self, strict: bool) -> Task[PExp | SExp]:
        """``loop k on init <xs> { i, x ⇒ p }``; without a private list the body tells which loop it is."""
        start, opened = self.start, self.pos
        self.pos += 1
        count = yield from call(self.before("on", "after the count of `loop`", opened))
        init = yield from call(self.sexp())
        private = self.private_list()
        strict = strict or private is not None
        inside = yield from call(self.braced(partial(self.either_body, strict, 2, "loop"), "the body of `loop`"))
        span = self.since(start)
        if inside is None:
            return self.unread(strict, span)
        (index, state), body = inside
        if isinstance(body, PExp):
            return PLoop(span, None, count, init, private, index, state, body)
        return Loop(span, count, init, index, state, body)

    def either_body(self, strict: bool, count: int, word: str) -> Task[tuple[tuple[Name, ...], PExp | SExp]]:
        names = self.bound_names(count, word)
        body = yield from call(self.either(strict))
        return names, body

    def advanced_loop(self) -> Task[PExp]:
        """``aloop[δ′] k on init <xs> { i, x ⇒ p }``."""
        start, opened = self.start, self.pos
        self.pos += 1
        (slack,) = yield from call(self.bracketed_list(1, 1, "after the δ′ of `aloop`"))
        count = yield from call(self.before("on", "after the count of `aloop`", opened))
        init = yield from call(self.sexp())
        private = self.private_list()
        inside = yield from call(self.braced(partial(self.private_body, 2, "aloop"), "the body of `aloop`"))
        if inside is None:
            return PHole(self.since(start))
        (index, state), body = inside
        return PLoop(self.since(start), slack, count, init, private, index, state, body)

    # ------------------------------------------------------------------------------------------------- mechanisms

    def mechanism(self, kind: str) -> Task[PExp]:
        """``laplace[s, ε] <xs> { e }``, ``exponential[s, ε] candidates <xs> { x ⇒ e }``."""
        start = self.start
        self.pos += 1
        if self.kind() != "[":
            self.miss("[", f"after `{kind}`")
            raise Fault
        params = yield from call(self.enclosed(self.mechanism_params, f"after the parameters of `{kind}`"))
        candidates: SExp | None = None
        if kind in WITH_CANDIDATES:
            candidates = yield from call(self.sexp())
        private = self.private_list()
        body: SExp | None
        binder: Name | None = None
        if kind in WITH_CANDIDATES:
            inside = yield from call(self.braced(partial(self.binding_body, 1, kind), f"the body of `{kind}`"))
            if inside is None:
                return PHole(self.since(start))
            (binder,), body = inside
        else:
            body = yield from call(self.braced(self.sexp, f"the body of `{kind}`"))
        if params is None or body is None:
            return PHole(self.since(start))
        return Mechanism(self.since(start), kind, params, candidates, private, binder, body)

    def mechanism_params(self) -> Task[tuple[SExp | None, ...]]:
        params = [(yield from call(self.mechanism_param()))]
        while self.accept(","):
            params.append((yield from call(self.mechanism_param())))
        return tuple(params)

    def mechanism_param(self) -> Task[SExp | None]:
        """An expression, or None for ``auto``."""
        if self.kind() == "auto" and self.ahead(1) in (",", "]"):
            self.pos += 1
            return None
        return (yield from call(self.sexp()))

    def random_number(self) -> Task[PExp]:
        """``rand-nat[a, b]``."""
        start = self.start
        self.pos += 1
        low, high = yield from call(self.bracketed_list(2, 2, "after the bounds of `rand-nat`"))
        return RandNat(self.since(start), low, high)

    # ------------------------------------------------------------------------------------------------- tables

    def parallel(self) -> Task[PExp]:
        """``parallel[xs, keys] { row ⇒ e } { key, part ⇒ p }``."""
        start = self.start
        self.pos += 1
        table, keys = yield from call(self.bracketed_list(2, 2, "after the table and keys of `parallel`"))
        by = yield from call(self.braced(partial(self.binding_body, 1, "parallel"), "the key of `parallel`"))
        inside = yield from call(self.braced(partial(self.private_body, 2, "parallel"), "the body of `parallel`"))
        if by is None or inside is None:
            return PHole(self.since(start))
        (row,), key_of = by
        (key, part), body = inside
        return Parallel(self.since(start), table, keys, row, key_of, key, part, body)

    def private_map(self, kind: str) -> Task[PExp]:
        """``mmapp e { x ⇒ p }``, ``pmap-col e { x ⇒ p }``."""
        start = self.start
        self.pos += 1
        arg = yield from call(self.sexp())
        inside = yield from call(self.braced(partial(self.private_body, 1, kind), f"the body of `{kind}`"))
        if inside is None:
            return PHole(self.since(start))
        (name,), body = inside
        return PMap(self.since(start), kind, arg, name, body)

    def private_fold(self) -> Task[PExp]:
        """``pfld-rows[batch, init, xs, ys, f]``."""
        start = self.start
        self.pos += 1
        args = yield from call(self.bracketed_list(5, 5, "after the arguments of `pfld-rows`"))
        batch, init, features, labels, function = args
        return PFoldRows(self.since(start), batch, init, features, labels, function)

    def sampled(self, kind: str) -> Task[PExp]:
        """``sample[b] xs, ys { x, y ⇒ p }``, and ``poisson`` and ``shuffle``."""
        start = self.start
        self.pos += 1
        (size,) = yield from call(self.bracketed_list(1, 1, f"after the size of `{kind}`"))
        tables = yield from call(self.sexps())
        inside = yield from call(self.braced(partial(self.private_body, len(tables), kind), f"the body of `{kind}`"))
        if inside is None:
            return PHole(self.since(start))
        names, body = inside
        return Sample(self.since(start), kind, size, tables, names, body)

    def conversion(self, kind: str) -> Task[PExp]:
        """``ZCDP[δ] { p }``, ``EPSDP { p }``."""
        start = self.start
        self.pos += 1
        slack: SExp | None = None
        if self.kind() == "[":
            (slack,) = yield from call(self.bracketed_list(1, 1, f"after the δ of `{kind}`"))
        body = yield from call(self.braced(self.pexp, f"the body of `{kind}`"))
        if body is None:
            return PHole(self.since(start))
        return Convert(self.since(start), kind, slack, body)
