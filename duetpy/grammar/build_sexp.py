"""Sensitivity expressions: what a rule of the grammar has read → the node that it is."""

from __future__ import annotations

from fractions import Fraction

from duetpy.grammar import ast
from duetpy.grammar.build_literals import LiteralBuilder
from duetpy.grammar.build_terms import Body, Header, Parameters
from duetpy.grammar.levels import GROUPED_OTHERWISE
from duetpy.grammar.pieces import Piece
from duetpy.grammar.spelling import LETTER_OF, WORDS
from duetpy.grammar.type_pieces import KINDS
from duetpy.source import Span

_TWO_TABLES = frozenset({"mmap", "mmap-row", "mmap-col", "bmap"})
"""Maps that may go over two tables side by side."""

_TURNED = {">": "<", "≥": "≤"}
"""A comparison ↦ the one that says the same of its sides turned round."""


class SExpBuilder(LiteralBuilder):
    """Makes sensitivity expressions, and those forms of which either language has one."""

    # ------------------------------------------------------------------------------------------------- operators

    def infix(self, c: list[Piece]) -> Piece:
        left, op, right = c
        span, args = self.over(c), (self.sexp(left), self.sexp(right))
        for piece, order in ((left, 1), (right, -1)):
            if piece.type == "expr" and isinstance(piece.value, ast.Prim):
                inner, outer = piece.value.name, op.type
                if (inner, outer)[::order] in GROUPED_OTHERWISE:
                    self.tell("grouped_otherwise", piece.value.span, outer, inner)
        match op.type:
            case "≟":
                self.tell("subtraction", self.span(op))
                node = ast.Prim(span, "-", args)
            case ">" | "≥":
                node = ast.Prim(span, _TURNED[op.type], args[::-1])
            case "≠":
                node = self.denied(ast.Prim(span, "≡", args), span, op)
            case sign:
                node = ast.Prim(span, sign, args)
        return self.made(node, c)

    def denied(self, node: ast.SExp, span: Span, sign: Piece) -> ast.Prim:
        """That a truth value is false."""
        return ast.Prim(span, "≡", (node, ast.BoolLit(self.span(sign), False)))

    def not_(self, c: list[Piece]) -> Piece:
        """``¬ a`` is ``a ≡ false``."""
        return self.made(self.denied(self.sexp(c[1]), self.over(c), c[0]), c)

    def minus(self, c: list[Piece]) -> Piece:
        """``-x`` is ``0.0 - x``."""
        return self.made(ast.Prim(self.over(c), "-", (ast.RealLit(self.span(c[0]), Fraction(0)), self.sexp(c[1]))), c)

    def prefix(self, c: list[Piece]) -> Piece:
        name = c[0].value if c[0].type == "BEFORE_ONE" else c[0].type
        return self.made(ast.Prim(self.over(c), name, (self.sexp(c[-1]),)), c)

    def before_two(self, c: list[Piece]) -> Piece:
        """``days a b``."""
        return self.made(ast.Prim(self.over(c), c[0].value, (self.sexp(c[1]), self.sexp(c[2]))), c)

    def end_of_text(self, c: list[Piece]) -> Piece:
        """``prefix[n] s`` and ``suffix[n] s``."""
        return self.made(ast.Prim(self.over(c), c[0].type, (self.sexp(c[2]), self.sexp(c[-1]))), c)

    def clip(self, c: list[Piece]) -> Piece:
        bounds = self.counted(c[1:4], 2, 2) if len(c) > 2 else ()
        return self.made(ast.Prim(self.over(c), "clip", (self.sexp(c[-1]),), None, bounds), c)

    def clip_norm(self, c: list[Piece]) -> Piece:
        """``mclip[L2, b] e`` and ``renorm[L2] e``."""
        bounds = (self.sexp(c[4]),) if c[3].type == "," else ()
        return self.made(ast.Prim(self.over(c), c[0].type, (self.sexp(c[-1]),), c[2].value, bounds), c)

    def add_column(self, c: list[Piece]) -> Piece:
        return self.made(ast.FrameOp(self.over(c), "addColDF", c[1].value, (self.sexp(c[-1]),)), c)

    def inject(self, c: list[Piece]) -> Piece:
        other = self.type_of(c[2]) if len(c) > 2 else None
        if len(c) > 2 and other is None:
            return self.made(ast.Hole(self.over(c)), c)
        return self.made(ast.Inject(self.over(c), c[0].type, other, self.sexp(c[-1])), c)

    def named_value(self, c: list[Piece]) -> Piece:
        """``a = e``."""
        return Piece("named", (self.called(c[0]), self.sexp(c[2])), c[0].start, c[-1].end)

    def record_of(self, c: list[Piece]) -> Piece:
        """``{ a = e, b = e′ }``."""
        names, values = zip(*(piece.value for piece in c[1:-1:2]), strict=True)
        return self.made(ast.Record(self.over(c), names, values), c)

    # ------------------------------------------------------------------------------------------------- chains

    def apply(self, c: list[Piece]) -> Piece:
        rest = Span(self.source, c[0].start, len(self.source.text))
        function, argument = self.sexp(c[0]), self.sexp(c[1], rest)
        span = self.over(c)
        if isinstance(argument, ast.Hole) and c[1].type == "expr":
            # Whatever it stands for, what is around it is not applied to it.
            return self.made(ast.Prim(span, "≡", (function, argument)), c)
        return self.made(ast.App(span, function, argument), c)

    def index(self, c: list[Piece]) -> Piece:
        col = self.sexp(c[5]) if len(c) > 5 else None
        return self.made(ast.Index(self.over(c), self.sexp(c[0]), self.sexp(c[3]), col), c)

    def update(self, c: list[Piece]) -> Piece:
        parts = self.sexp(c[0]), self.sexp(c[3]), self.sexp(c[5]), self.sexp(c[7])
        return self.made(ast.Update(self.over(c), *parts), c)

    def column(self, c: list[Piece]) -> Piece:
        return Piece("column", self.called(c[1]), c[0].start, c[-1].end)

    def part(self, c: list[Piece]) -> Piece:
        """``row⧼age⧽``."""
        return self.made(ast.FieldOf(self.over(c), self.sexp(c[0]), c[1].value), c)

    def field(self, c: list[Piece]) -> Piece:
        """``row.age``."""
        return self.made(ast.FieldOf(self.over(c), self.sexp(c[0]), self.called(c[2])), c)

    def select(self, c: list[Piece]) -> Piece:
        return self.made(ast.Select(self.over(c), self.sexp(c[0]), tuple(map(self.called, c[3].value))), c)

    def call(self, c: list[Piece]) -> Piece:
        """``f@[ηs]`` and ``f@[ηs . es]``."""
        function, span = self.sexp(c[0]), self.over(c)
        listed = c[3].value[::2] if c[3].type == "types" else ()
        kinds: list[ast.RExp | ast.Type] = []
        for piece in listed:
            if (kind := self.argument_of(piece)) is None:
                return self.made(ast.Hole(span), c)
            kinds.append(kind)
        if not any(piece.type == "." for piece in c[3:5]):
            return self.made(ast.TypeApp(span, function, tuple(kinds)), c)
        args = self.sexps(c[-2]) if c[-2].type == "exprs" else ()
        return self.made(ast.PApp(span, function, tuple(kinds), args), c)

    def call_on(self, c: list[Piece]) -> Piece:
        """``f[a, b] e`` is ``f@[ . e, a, b]``."""
        args = self.sexp(c[-1]), *self.sexps(c[2])
        return self.made(ast.PApp(self.over(c), self.sexp(self.var(c[:1])), (), args), c)

    # ------------------------------------------------------------------------------------------------- brackets

    def group(self, c: list[Piece]) -> Piece:
        self.grouped.add((c[1].start, c[1].end))
        return Piece("group", c[1].value, c[0].start, c[-1].end)

    def braced(self, c: list[Piece]) -> Piece:
        self.between_braces.add((c[1].start, c[1].end))
        return Piece("group", c[1].value, c[0].start, c[-1].end)

    def exprs(self, c: list[Piece]) -> Piece:
        return Piece("exprs", c[::2], c[0].start, c[-1].end)

    def labels(self, c: list[Piece]) -> Piece:
        return Piece("labels", c[::2], c[0].start, c[-1].end)

    def pair(self, c: list[Piece]) -> Piece:
        return self.made(ast.Pair(self.over(c), self.sexp(c[1]), self.sexp(c[3]), c[2].type == "&"), c)

    def set(self, c: list[Piece]) -> Piece:
        elements = self.sexps(c[2]) if len(c) > 3 else ()
        return self.made(ast.SetLit(self.over(c), elements), c)

    def bracketed(self, c: list[Piece]) -> Piece:
        least, most = {"zip": (2, 2), "chunks": (2, 3)}.get(c[0].type, (4, 4))
        return self.made(ast.Prim(self.over(c), c[0].type, self.counted(c[1:4], least, most)), c)

    def gradient(self, c: list[Piece]) -> Piece:
        """``∇[LR | θ; xs, ys]``, ``∇[HUBER, c | θ; xs, ys]``, ``step∇[LR, η, λ | θ; xs, ys]``."""
        kind, loss, span = c[0].type, c[2].value, self.over(c)
        bounds = tuple(self.sexp(piece) for piece in c[4:-7:2])
        least, most = (2, 3) if kind == "step∇" else (0, 1)
        if len(bounds) < least:
            self.tell("step_without_size", self.span(c[-7]), f"{kind}[LR, η, λ | θ; xs, ys]")
        elif len(bounds) > most:
            self.tell("after_loss", self.span(c[4 + 2 * most]), kind)
        elif loss is not None:
            args = self.sexp(c[-6]), self.sexp(c[-4]), self.sexp(c[-2])
            return self.made(ast.Prim(span, kind, args, bounds=bounds, loss=loss), c)
        return self.made(ast.Hole(span), c)

    def partition(self, c: list[Piece]) -> Piece:
        args = self.sexp(c[2]), self.sexp(c[6])
        return self.made(ast.FrameOp(self.over(c), "partitionDF", self.called(c[4]), args), c)

    def join_frames(self, c: list[Piece]) -> Piece:
        if c[0].type == "joinDF":
            self.tell("joined_with_all", self.span(c[0]))
        return self.made(ast.FrameOp(self.over(c), "joinDF₁", c[1].value, self.counted(c[2:5], 2, 2)), c)

    def join_some(self, c: list[Piece]) -> Piece:
        args = self.sexp(c[2]), *self.counted(c[5:8], 2, 2)
        return self.made(ast.FrameOp(self.over(c), "joinDF", c[4].value, args), c)

    def union(self, c: list[Piece]) -> Piece:
        return self.made(ast.Prim(self.over(c), c[0].type, (self.sexp(c[1]),)), c)

    def opaque_code(self, c: list[Piece]) -> Piece:
        """``opaque "module:function" : τ``."""
        target, type_ = c[1].value, self.type_of(c[3], opaque=True)
        node = ast.Hole(self.over(c)) if target is None or type_ is None else ast.Opaque(self.over(c), target, type_)
        return self.made(node, c)

    # ------------------------------------------------------------------------------------------------- binding

    def bound(self, c: list[Piece]) -> Piece:
        """``let x = e``: the names are bound from here on."""
        names = tuple(self.name(piece) for piece in c[:-1] if piece.type == "NAME")
        return self.header(names, self.sexp(c[-1]), c)

    def let(self, c: list[Piece]) -> Piece:
        header: Header = c[0].value
        self.words.restore(header.mark)
        span, body, names, value = self.over(c), c[2].value, header.names, header.value
        assert not isinstance(value, ast.PExp)
        assert value is not None
        private = isinstance(body, ast.PExp)
        if not all(name.text for name in names):
            return self.made((ast.PHole if private else ast.Hole)(span), c)
        if len(names) == 1:
            return self.made((ast.PLet if private else ast.Let)(span, names[0], value, body), c)
        return self.made((ast.PLetPair if private else ast.LetPair)(span, names[0], names[1], value, body), c)

    def if_(self, c: list[Piece]) -> Piece:
        span, guard = self.over(c), self.sexp(c[1])
        then, otherwise = c[3].value, c[5].value
        if isinstance(then, ast.PExp) or isinstance(otherwise, ast.PExp):
            return self.made(ast.PIf(span, guard, self.as_private(then), self.as_private(otherwise)), c)
        return self.made(ast.If(span, guard, then, otherwise), c)

    def inl(self, c: list[Piece]) -> Piece:
        return self.header((self.name(c[1]),), None, c)

    inr = some = inl

    def left(self, c: list[Piece]) -> Piece:
        """``inl x ⇒ e``, ``inr x ⇒ e`` and ``some x ⇒ e``."""
        header: Header = c[0].value
        self.words.restore(header.mark)
        return Piece("branch", (header.names[0], c[2].value), c[0].start, c[-1].end)

    right = there = left

    def case(self, c: list[Piece]) -> Piece:
        span, scrutinee = self.over(c), self.sexp(c[1])
        (left, first), (right, second) = c[3].value, c[5].value
        if not left.text or not right.text:
            return self.made(ast.Hole(span), c)
        if isinstance(first, ast.PExp) or isinstance(second, ast.PExp):
            private = self.as_private(first), self.as_private(second)
            return self.made(ast.PCase(span, scrutinee, left, private[0], right, private[1]), c)
        return self.made(ast.Case(span, scrutinee, left, first, right, second), c)

    def absent(self, c: list[Piece]) -> Piece:
        """``none ⇒ e``."""
        return Piece("branch", c[2].value, c[0].start, c[-1].end)

    def case_missing(self, c: list[Piece]) -> Piece:
        span, scrutinee = self.over(c), self.sexp(c[1])
        (name, there), absent = c[3].value, c[5].value
        if not name.text:
            return self.made(ast.Hole(span), c)
        if isinstance(there, ast.PExp) or isinstance(absent, ast.PExp):
            private = self.as_private(there), self.as_private(absent)
            return self.made(ast.PCaseMissing(span, scrutinee, name, *private), c)
        return self.made(ast.CaseMissing(span, scrutinee, name, there, absent), c)

    def nothing(self, c: list[Piece]) -> Piece:
        """``none[τ]``."""
        type_ = self.type_of(c[2])
        span = self.over(c)
        return self.made(ast.Hole(span) if type_ is None else ast.Nothing(span, type_), c)

    # ------------------------------------------------------------------------------------------------- functions

    def plain(self, c: list[Piece]) -> Piece:
        """``x : τ``. A word that names a kind variable is a name in the types that follow."""
        name = self.name(c[0])
        type_ = c[2] if len(c) > 2 else None
        if name.text in WORDS and type_ is not None and type_.type == "tbase" and type_.value in KINDS:
            self.words.bind_kind_parameter(name.text)
        return Piece("plain", (name, type_), c[0].start, c[-1].end)

    def static_parameter(self, c: list[Piece]) -> Piece:
        """``static ε : ℝ⁺``: a kind variable and the parameter of its type, ``ε : ℝ⁺[ε]``, declared as one."""
        name = self.name(c[1])
        self.words.types.bind(name.text)
        return Piece("static", (name, c[3]), c[0].start, c[-1].end)

    def aligned(self, c: list[Piece]) -> Piece:
        return Piece("aligned", c[1:-1:2], c[0].start, c[-1].end)

    def params(self, c: list[Piece]) -> Piece:
        return Piece("params", c[::2], c[0].start, c[-1].end)

    def parameters(self, c: list[Piece]) -> Piece:
        if len(c) == 1:
            return c[0]
        kinds = c[0].value if len(c) == 3 else []
        return Piece("parameters", (kinds, c[-1].value), c[0].start, c[-1].end)

    def lambda_(self, c: list[Piece]) -> Piece:
        """``sλ κs . x : τ``: the names are bound from here on."""
        kinds, params = c[1].value if c[1].type == "parameters" else ([], c[1].value)
        hushed, self.hushed = self.hushed, not self.is_whole(self.over(c))
        made = self.parameters_of(c[0].type, kinds, params)
        self.hushed = hushed
        for piece in params:
            for one in piece.value if piece.type == "aligned" else (piece,):
                self.words.bind(one.value[0].text)
        return Piece("lambda", (made, c[0].value), c[0].start, c[-1].end)

    plambda = lambda_

    def parameters_of(self, word: str, kinds: list[Piece], params: list[Piece]) -> Parameters | None:
        """The parameters as nodes; None, with a diagnostic, if one could not be read."""
        bindings: list[ast.KindBinding] = []
        failed = False
        for piece in kinds:
            if piece.type == "aligned":
                self.say("kinds are not aligned", "write `m : ℕ, n : ℕ .`", span=self.span(piece))
                return None
            if piece.type == "static":
                self.say(
                    "`static` declares a parameter",
                    "write it after the dot",
                    span=self.span(piece),
                    label="before the dot",
                )
                return None
            kind = self.kind_of(*piece.value)
            failed |= kind is None
            bindings += [kind] if kind else []
        found: list[ast.Param | ast.Aligned] = []
        for piece in params:
            if piece.type == "static":
                static = self.static_of(piece)
                failed |= static is None
                if static:
                    bindings.append(static[0])
                    found.append(static[1])
                continue
            if piece.type != "aligned":
                param = self.param_of(piece)
                failed |= param is None
                found += [param] if param else []
                continue
            views = [self.param_of(one) for one in piece.value]
            if word == "sλ":
                advice = "aligned parameters belong to `pλ`; give `sλ` two parameters"
                self.say("`sλ` has no aligned parameters", advice, span=self.span(piece), label="only in `pλ`")
                failed = True
            failed |= None in views
            found.append(ast.Aligned(self.span(piece), tuple(view for view in views if view)))
        return None if failed else Parameters(tuple(bindings), tuple(found))

    def static_of(self, piece: Piece) -> tuple[ast.KindBinding, ast.Param] | None:
        name, written = piece.value
        kind = self.kind_of(name, written)
        if kind is None or not name.text:
            return None
        value = ast.RVar(name.span, name.text)
        match kind.kind:
            case ast.Kind.NAT:
                return kind, ast.Param(self.span(piece), name, ast.TStaticNat(kind.span, value))
            case ast.Kind.POS:
                return kind, ast.Param(self.span(piece), name, ast.TStaticReal(kind.span, value, False, False))
            case _:
                self.say(
                    "a static parameter is a number",
                    "write `ℕ` (Nat) or `ℝ⁺` (Real+)",
                    span=self.span(written),
                    label="a kind of types",
                )
                return None

    def param_of(self, piece: Piece) -> ast.Param | None:
        name, written = piece.value
        type_ = self.type_of(written) if written is not None else None
        if not name.text or (type_ is None and written is not None):
            return None
        return ast.Param(self.span(piece), name, type_)

    def lam(self, c: list[Piece]) -> Piece:
        parameters, mark = c[0].value
        self.words.restore(mark)
        body, span = self.sexp(c[2]), self.over(c)
        if parameters is None:
            return self.made(ast.Hole(span), c)
        params = tuple(param for param in parameters.params if isinstance(param, ast.Param))
        return self.made(ast.Lam(span, parameters.kinds, params, body), c)

    def plam(self, c: list[Piece]) -> Piece:
        parameters, mark = c[0].value
        self.words.restore(mark)
        body, span = self.pexp(c[2]), self.over(c)
        ensures = c[3].value if len(c) > 3 else ()
        if parameters is None or ensures is None:
            return self.made(ast.Hole(span), c)
        return self.made(ast.PLam(span, parameters.kinds, parameters.params, body, ensures), c)

    def ensures(self, c: list[Piece]) -> Piece:
        guarantees = tuple(piece.value for piece in c[1::2])
        return Piece("ensures", None if None in guarantees else guarantees, c[0].start, c[-1].end)

    def guarantee(self, c: list[Piece]) -> Piece:
        bound, letter = self.rexp_of(c[2]), c[0].value
        node = None
        if bound is not None and letter is not None:
            node = ast.Guarantee(self.over(c), LETTER_OF.get(letter, letter), bound)
        return Piece("guarantee", node, c[0].start, c[-1].end)

    # ------------------------------------------------------------------------------------------------- tables

    def names(self, c: list[Piece]) -> Piece:
        """``x, y`` before the ``⇒`` of a body, bound from here on."""
        return self.header(tuple(self.name(piece) for piece in c[::2]), None, c)

    def body(self, c: list[Piece]) -> Piece:
        header: Header = c[1].value
        self.words.restore(header.mark)
        return Piece("body", Body(header.names, self.span(c[1]), c[3]), c[0].start, c[-1].end)

    def mcreate(self, c: list[Piece]) -> Piece:
        body = self.bodied(c[-1], 2, "mcreate")
        if body is None:
            return self.made(ast.Hole(self.over(c)), c)
        shape = c[2].value, self.sexp(c[4]), self.sexp(c[6])
        row, col = body.names
        return self.made(ast.MCreate(self.over(c), *shape, row, col, self.sexp(body.value)), c)

    def map(self, c: list[Piece]) -> Piece:
        """``mmap xs { x ⇒ e }``, ``mmap xs, ys { x, y ⇒ e }`` and their kin."""
        kind, args = c[0].type, self.sexps(c[1])
        most = 2 if kind in _TWO_TABLES else 1
        if len(args) > most:
            wanted = "one table" if most == 1 else "at most two tables"
            self.tell("tables_of_map", self.span(c[1]), kind, wanted, len(args))
            return self.made(ast.Hole(self.over(c)), c)
        body = self.bodied(c[2], len(args), kind)
        if body is None:
            return self.made(ast.Hole(self.over(c)), c)
        return self.made(ast.Map(self.over(c), kind, args, body.names, self.sexp(body.value)), c)

    def fold(self, c: list[Piece]) -> Piece:
        body = self.bodied(c[-1], 2, "mfold-row")
        if body is None:
            return self.made(ast.Hole(self.over(c)), c)
        args = self.sexp(c[1]), self.sexp(c[3])
        state, row = body.names
        return self.made(ast.Fold(self.over(c), *args, state, row, self.sexp(body.value)), c)

    def filter(self, c: list[Piece]) -> Piece:
        body = self.bodied(c[-1], 1, "mfilter")
        if body is None:
            return self.made(ast.Hole(self.over(c)), c)
        return self.made(ast.Filter(self.over(c), self.sexp(c[1]), body.names[0], self.sexp(body.value)), c)

    def flat(self, c: list[Piece]) -> Piece:
        body = self.bodied(c[-1], 1, "flat")
        if body is None:
            return self.made(ast.Hole(self.over(c)), c)
        return self.made(
            ast.Flat(self.over(c), self.sexp(c[2]), self.sexp(c[4]), body.names[0], self.sexp(body.value)), c
        )

    def loop(self, c: list[Piece]) -> Piece:
        """``loop k on e { i, x ⇒ … }``; with a list of names, or a body that releases something, it is a privacy loop."""
        count, init, span = self.sexp(c[1]), self.sexp(c[3]), self.over(c)
        private = c[4].value if len(c) > 5 else None
        body = self.bodied(c[-1], 2, "loop")
        if body is None:
            return self.made(ast.Hole(span), c)
        index, state = body.names
        inner = body.value.value
        if private is None and not isinstance(inner, ast.PExp):
            return self.made(ast.Loop(span, count, init, index, state, inner), c)
        return self.made(ast.PLoop(span, None, count, init, private, index, state, self.as_private(inner)), c)

    def listed(self, c: list[Piece]) -> Piece:
        """``<xs, ys>``."""
        names: tuple[ast.Name, ...] = tuple(self.name(piece) for piece in c[1:-1:2])
        return Piece("listed", names, c[0].start, c[-1].end)
