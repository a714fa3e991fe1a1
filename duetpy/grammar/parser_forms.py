"""The forms of the sensitivity language that are atoms: brackets, literals of sets and statics, and tables."""

from __future__ import annotations

from functools import partial

from duetpy.grammar.ast import (
    Filter,
    Fold,
    FrameOp,
    Hole,
    Loop,
    Map,
    MCreate,
    Name,
    Norm,
    Opaque,
    Pair,
    Prim,
    SetLit,
    SExp,
    StaticNat,
    StaticReal,
)
from duetpy.grammar.cursor import Fault
from duetpy.grammar.operators import Operand
from duetpy.grammar.parser_binders import BinderParser
from duetpy.grammar.spelling import CLOSERS
from duetpy.trampoline import Task, call

_GROUP_ENDS = frozenset(CLOSERS) | {"end"}
"""What can neither follow an operand inside of parentheses nor be an argument."""

_TWO_TABLES = frozenset({"mmap", "mmap-row", "mmap-col", "bmap"})
"""Maps that may go over two tables side by side."""


class FormParser(BinderParser):
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
            case "∇" | "U∇" | "row∇" | "step∇":
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

    # ------------------------------------------------------------------------------------------------- groups

    def group(self) -> Task[SExp]:
        """``( e )``. A run of ``(((`` is opened at once and closed from the inside: each group begins the next one's ``e``."""
        marks = self.marks()
        openings: list[int] = []
        while self.kinds[self.pos] == "(":
            openings.append(self.pos)
            self.pos += 1
        self.enclosures += len(openings)
        first: Operand[SExp] | None = None
        while openings:
            opened = openings.pop()
            node: SExp | None = None
            is_faulty = False
            try:
                if first is not None and self.kinds[self.pos] in _GROUP_ENDS:
                    inner = first.node
                else:
                    inner = yield from call(self.sexp(first))
                self.check_single()
                node = inner
                self.close(opened, "after the expression in parentheses")
            except Fault:
                is_faulty = True
                while openings and not self.is_closed_ahead(opened):
                    opened, node = openings.pop(), None
                    self.enclosures -= 1
            self.enclosures -= 1
            self.restore(marks)
            if is_faulty:
                self.leap(opened)
            first = Operand(node or Hole(self.span_of(opened)), self.tokens[opened].start, self.end)
        assert first is not None
        return first.node

    def check_single(self) -> None:
        """Parentheses hold one expression: tell of a comma in them."""
        if self.kind() == ",":
            advice = "write a pair as `⟨a, b⟩` (or `<|a, b|>`), and a call with two arguments as `f a b`"
            raise self.fault("parentheses hold one expression", advice, label="not a list")

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
        begin = self.pos
        try:
            self.nesting = 0
            negative, value = self.bracketed("[", partial(self.signed, kind), f"the value of `{kind}`")
            self.check_height(value, begin)
        except Fault:
            if self.kinds[self.pos - 1] != "]":
                raise
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
        """``∇[LR | θ; xs, ys]``, ``∇[HUBER, c | θ; xs, ys]``, ``step∇[LR, η, λ | θ; xs, ys]``."""
        start = self.start
        self.pos += 1
        inside = yield from call(self.enclosed(partial(self.gradient_parts, kind), f"after the arguments of `{kind}`"))
        if inside is None:
            return Hole(self.since(start))
        loss, bounds, args = inside
        return Prim(self.since(start), kind, args, bounds=bounds, loss=loss)

    def gradient_parts(self, kind: str) -> Task[tuple[str, tuple[SExp, ...], tuple[SExp, ...]]]:
        least, most = (2, 3) if kind == "step∇" else (0, 1)
        usage = f"{kind}[LR, η, λ | θ; xs, ys]" if least else f"{kind}[LR | θ; xs, ys]"
        if not self.is_word(self.pos):
            raise self.fault(f"expected the name of a loss, found {self.found()}", f"write `{usage}`", code="D0010")
        loss = self.next().text
        bounds: tuple[SExp, ...] = ()
        while self.kind() == "," and len(bounds) < most:
            self.pos += 1
            bounds = (*bounds, (yield from call(self.sexp())))
        if len(bounds) < least:
            raise self.fault("a step needs its length η and its regularisation λ", f"write `{usage}`")
        self.expect("|", f"after the loss of `{kind}`")
        model = yield from call(self.sexp())
        self.expect(";", f"after the model of `{kind}`")
        features = yield from call(self.sexp())
        self.expect(",", f"after the features of `{kind}`")
        labels = yield from call(self.sexp())
        return loss, bounds, (model, features, labels)

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
        if self.kinds[self.pos] != "string":
            raise self.fault(f"expected the place of a function, found {self.found()}", 'write `"module:function"`')
        target = self.next().text
        self.expect(":", "after the place of the function")
        self.opaque = True
        try:
            type_ = self.type()
        finally:
            self.opaque = False
        return Opaque(self.since(start), target, type_)

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
