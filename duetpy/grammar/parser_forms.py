"""The forms of the sensitivity language: what binds names, and what stands in brackets of its own."""

from __future__ import annotations

from functools import partial

from duetpy.grammar.ast import (
    Aligned,
    Case,
    Filter,
    Fold,
    FrameOp,
    Guarantee,
    Hole,
    If,
    KindBinding,
    Lam,
    Let,
    LetPair,
    Loop,
    Map,
    MCreate,
    Name,
    Norm,
    Opaque,
    Pair,
    Param,
    PExp,
    PLam,
    Prim,
    SetLit,
    SExp,
    StaticNat,
    StaticReal,
)
from duetpy.grammar.cursor import Fault
from duetpy.grammar.parser_sexp import PREFIXES, PRIVATE_FORMS, SExpParser
from duetpy.grammar.spelling import LETTER_OF, OPENERS
from duetpy.source import Span
from duetpy.trampoline import Task, call

STARTERS = PRIVATE_FORMS | PREFIXES | {"let", "sλ", "if", "pλ", "loop", "case"}
"""Words that begin an expression but continue none, so that what should stand before one can be supposed."""

_TWO_TABLES = frozenset({"mmap", "mmap-col", "bmap"})
"""Maps that may go over two tables side by side."""


class FormParser(SExpParser):
    """Reads the forms; the privacy language is left to the next parser."""

    def form(self, kind: str) -> Task[SExp]:
        """Dispatch on the word or sign that begins a form."""
        match kind:
            case "(":
                return self.group()
            case "⟨":
                return self.pair()
            case "pλ":
                return self.privacy_lambda()
            case "ℕ" | "ℝ" | "ℝ⁺":
                return self.static_number(kind)
            case "℘":
                return self.set_literal()
            case "loop":
                return self.loop()
            case "mcreate":
                return self.create()
            case "mmap" | "mmap-row" | "mmap-col" | "bmap" | "mapDF":
                return self.map(kind)
            case "mfold-row":
                return self.fold()
            case "mfilter":
                return self.filter()
            case "zip":
                return self.bracketed_primitive(kind, 2, 2)
            case "chunks":
                return self.bracketed_primitive(kind, 2, 3)
            case "join₁":
                return self.bracketed_primitive(kind, 4, 4)
            case "∇" | "U∇" | "row∇":
                return self.gradient(kind)
            case "partitionDF":
                return self.partition()
            case "joinDF₁":
                return self.join_frames()
            case "unionAll":
                return self.union()
            case "case":
                return self.case()
            case _:
                return self.foreign()

    def open_form(self, kind: str) -> Task[SExp]:
        match kind:
            case "let":
                return self.let()
            case "sλ":
                return self.sensitivity_lambda()
            case _:
                return self.conditional()

    # ------------------------------------------------------------------------------------------------- groups

    def group(self) -> Task[SExp]:
        at = self.here()
        inside = yield from call(self.enclosed(self.sexp, "after the expression in parentheses"))
        return Hole(at) if inside is None else inside

    def pair(self) -> Task[SExp]:
        """``⟨e₁, e₂⟩`` or ``⟨e₁ & e₂⟩``."""
        start = self.start
        parts = yield from call(self.enclosed(self.parts, "after the second part of the pair"))
        if parts is None:
            return Hole(self.since(start))
        left, right, lazy = parts
        return Pair(self.since(start), left, right, lazy)

    def parts(self) -> Task[tuple[SExp, SExp, bool]]:
        left = yield from call(self.sexp())
        lazy = self.kind() == "&"
        self.expect("&" if lazy else ",", "after the first part of the pair")
        right = yield from call(self.sexp())
        return left, right, lazy

    def set_literal(self) -> Task[SExp]:
        """``℘{e, …}``."""
        start = self.start
        self.pos += 1
        if self.kind() != "{":
            self.miss("{", "after `℘`")
            raise Fault
        if self.kinds[self.pos + 1] == "}":
            self.pos += 2
            return SetLit(self.since(start), ())
        elements = yield from call(self.enclosed(self.sexps, "after the elements of the set"))
        return Hole(self.since(start)) if elements is None else SetLit(self.since(start), elements)

    def static_number(self, kind: str) -> Task[SExp]:
        """``ℕ[3]``, ``ℝ⁺[2.0]``, ``ℝ[-0.5]``."""
        yield from ()
        start = self.start
        self.pos += 1
        marks, opened = self.marks(), self.pos
        try:
            self.nesting = 0
            negative, value = self.bracketed("[", partial(self.signed, kind), f"after the value of `{kind}`")
        except Fault:
            self.restore(marks)
            value = None
        if value is None:
            self.leap(opened)
            return Hole(self.since(start))
        if kind == "ℕ":
            return StaticNat(self.since(start), value)
        return StaticReal(self.since(start), value, kind == "ℝ", negative)

    def bracketed_primitive(self, kind: str, least: int, most: int) -> Task[SExp]:
        """``zip[e, e]`` and the like."""
        start = self.start
        self.pos += 1
        args = yield from call(self.bracketed_list(least, most, f"after the arguments of `{kind}`"))
        return Prim(self.since(start), kind, args)

    def gradient(self, kind: str) -> Task[SExp]:
        """``∇[LR | θ; xs, ys]``."""
        start = self.start
        self.pos += 1
        inside = yield from call(self.enclosed(partial(self.gradient_parts, kind), f"after the arguments of `{kind}`"))
        if inside is None:
            return Hole(self.since(start))
        loss, args = inside
        return Prim(self.since(start), kind, args, loss=loss)

    def gradient_parts(self, kind: str) -> Task[tuple[str, tuple[SExp, ...]]]:
        if not self.is_word(self.pos):
            raise self.fault(
                f"expected the name of a loss, found {self.found()}", f"write `{kind}[LR | θ; xs, ys]`", code="D0010"
            )
        loss = self.next().text
        self.expect("|", f"after the loss of `{kind}`")
        model = yield from call(self.sexp())
        self.expect(";", f"after the model of `{kind}`")
        features = yield from call(self.sexp())
        self.expect(",", f"after the features of `{kind}`")
        labels = yield from call(self.sexp())
        return loss, (model, features, labels)

    def partition(self) -> Task[SExp]:
        """``partitionDF[e, a, e′]``."""
        start = self.start
        self.pos += 1
        if self.kind() != "[":
            self.miss("[", "after `partitionDF`")
            raise Fault
        inside = yield from call(self.enclosed(self.partition_parts, "after the arguments of `partitionDF`"))
        if inside is None:
            return Hole(self.since(start))
        frame, column, keys = inside
        return FrameOp(self.since(start), "partitionDF", column, (frame, keys))

    def partition_parts(self) -> Task[tuple[SExp, Name, SExp]]:
        frame = yield from call(self.sexp())
        self.expect(",", "after the frame of `partitionDF`")
        column = self.label("the name of a column")
        self.expect(",", "after the column of `partitionDF`")
        keys = yield from call(self.sexp())
        return frame, column, keys

    def join_frames(self) -> Task[SExp]:
        """``joinDF₁⧼a⧽[e, e′]``."""
        start = self.start
        self.pos += 1
        column = self.column("joinDF₁")
        args = yield from call(self.bracketed_list(2, 2, "after the arguments of `joinDF₁`"))
        return FrameOp(self.since(start), "joinDF₁", column, args)

    def union(self) -> Task[SExp]:
        """``unionAll e``, which takes in everything to its right."""
        start = self.start
        self.pos += 1
        arg = yield from call(self.sexp())
        return Prim(self.since(start), "unionAll", (arg,))

    def foreign(self) -> Task[SExp]:
        """``opaque "module:function" : τ``."""
        yield from ()
        start = self.start
        self.pos += 1
        target = self.tokens[self.pos].text
        self.expect("string", 'after `opaque`: the place of a function, as in `"module:function"`')
        self.expect(":", "after the place of the function")
        self.opaque = True
        try:
            type_ = self.type()
        finally:
            self.opaque = False
        return Opaque(self.since(start), target, type_)

    # ------------------------------------------------------------------------------------------------- binding

    def let_header(self) -> Task[tuple[Name, Name | None, SExp] | None]:
        """``let x = e in`` or ``let ⟨x, y⟩ = e in``, the names not bound yet; None where they could not be read."""
        opened = self.pos
        self.pos += 1
        left: Name | None = None
        right: Name | None = None
        try:
            if self.kind() == "⟨":
                pair = self.pos
                self.pos += 1
                left = self.name("the name of a variable")
                self.expect(",", "between the names of the pair")
                right = self.name("the name of a variable")
                self.close(pair, "after the names of the pair")
            else:
                left = self.name("the name of a variable")
            self.expect("=", f"after `let {left.text}`")
        except Fault:
            left = None
        if left is None:
            if not self.skip_to("=", "in"):
                raise Fault
            if not self.accept("="):
                self.pos += 1
                return None
        what = f"`let {left.text}`" if left and not right else "`let`"
        bound = yield from call(self.before("in", f"after the bound expression of {what}", opened))
        return (left, right, bound) if left else None

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
        self.miss(kind, place, opened)
        if self.kind() in STARTERS or self.ahead(1) == "←":
            return
        if not self.skip_to(kind):
            raise Fault
        self.pos += 1

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
            self.expect("⇒", f"after the parameters of `{word}`", opened)
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
            if kind in ("⇒", "∀", "sλ", "pλ", "let", "in", ";", "=", "end", ")", "]", "}", "⟩"):
                return False
            if kind in OPENERS:
                if index not in self.partner:
                    return False
                index = self.partner[index]
            index += 1

    def params(self, word: str) -> tuple[Param | Aligned, ...]:
        params = [self.param(word)]
        while self.accept(","):
            params.append(self.param(word))
        for param in params:
            for one in param.params if isinstance(param, Aligned) else (param,):
                self.terms.bind(one.name.text)
        return tuple(params)

    def param(self, word: str) -> Param | Aligned:
        """``x : τ``, ``x``, or in a privacy function ``⟨x : τ, y : τ⟩``."""
        if self.kind() != "⟨":
            return self.plain_param()
        if word == "sλ":
            advice = "aligned parameters belong to `pλ`; give `sλ` two parameters"
            raise self.fault("`sλ` has no aligned parameters", advice, label="only in `pλ`")
        start, opened = self.start, self.pos
        self.pos += 1
        views = [self.plain_param()]
        while self.accept(","):
            views.append(self.plain_param())
        self.close(opened, "after the aligned parameters")
        return Aligned(self.since(start), tuple(views))

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

    # ------------------------------------------------------------------------------------------------- tables

    def loop(self) -> Task[SExp]:
        """``loop k on init { i, x ⇒ e }``."""
        start, opened = self.start, self.pos
        self.pos += 1
        count = yield from call(self.before("on", "after the count of `loop`", opened))
        init = yield from call(self.sexp())
        if self.private_list() is not None:
            yield from call(self.braced(partial(self.private_body, 2, "loop"), "the body of `loop`"))
            self.misplaced(self.since(start))
            return Hole(self.since(start))
        inside = yield from call(self.braced(partial(self.binding_body, 2, "loop"), "the body of `loop`"))
        if inside is None:
            return Hole(self.since(start))
        (index, state), body = inside
        return Loop(self.since(start), count, init, index, state, body)

    def create(self) -> Task[SExp]:
        """``mcreate[ℓ | e, e] { i, j ⇒ e }``."""
        start = self.start
        self.pos += 1
        if self.kind() != "[":
            self.miss("[", "after `mcreate`")
            raise Fault
        shape = yield from call(self.enclosed(self.shape, "after the size of `mcreate`"))
        inside = yield from call(self.braced(partial(self.binding_body, 2, "mcreate"), "the body of `mcreate`"))
        if shape is None or inside is None:
            return Hole(self.since(start))
        norm, rows, cols = shape
        (row, col), body = inside
        return MCreate(self.since(start), norm, rows, cols, row, col, body)

    def shape(self) -> Task[tuple[Norm, SExp, SExp]]:
        norm = self.norm("the norm of `mcreate`")
        self.expect("|", "after the norm of `mcreate`")
        rows = yield from call(self.sexp())
        self.expect(",", "after the rows of `mcreate`")
        cols = yield from call(self.sexp())
        return norm, rows, cols

    def map(self, kind: str) -> Task[SExp]:
        """``mmap xs { x ⇒ e }``, ``mmap xs, ys { x, y ⇒ e }`` and their kin."""
        start = self.start
        self.pos += 1
        args = yield from call(self.tables(kind, 2 if kind in _TWO_TABLES else 1))
        inside = yield from call(self.braced(partial(self.binding_body, len(args), kind), f"the body of `{kind}`"))
        if inside is None:
            return Hole(self.since(start))
        names, body = inside
        return Map(self.since(start), kind, args, names, body)

    def tables(self, word: str, most: int) -> Task[tuple[SExp, ...]]:
        start = self.start
        args = yield from call(self.sexps())
        if len(args) > most:
            self.complain(
                f"`{word}` goes over {'one table' if most == 1 else 'at most two tables'}, not {len(args)}",
                "join them first, with `zip[xs, ys]`",
                code="D0014",
                span=self.since(start),
            )
            raise Fault
        return args

    def fold(self) -> Task[SExp]:
        """``mfold-row init, xs { acc, row ⇒ e }``."""
        start = self.start
        self.pos += 1
        init = yield from call(self.sexp())
        self.expect(",", "after the first value of `mfold-row`")
        arg = yield from call(self.sexp())
        inside = yield from call(self.braced(partial(self.binding_body, 2, "mfold-row"), "the body of `mfold-row`"))
        if inside is None:
            return Hole(self.since(start))
        (state, row), body = inside
        return Fold(self.since(start), init, arg, state, row, body)

    def filter(self) -> Task[SExp]:
        """``mfilter xs { row ⇒ e }``."""
        start = self.start
        self.pos += 1
        arg = yield from call(self.sexp())
        inside = yield from call(self.braced(partial(self.binding_body, 1, "mfilter"), "the body of `mfilter`"))
        if inside is None:
            return Hole(self.since(start))
        (row,), body = inside
        return Filter(self.since(start), arg, row, body)

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
        return tuple(names)
