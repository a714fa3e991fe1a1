"""Sensitivity expressions as text: the inverse of the parser.

An expression is printed for a *level*: 0 where anything may stand, 1 to 7 for operators, `ROOT` and `WORD` for prefixes,
`CHAIN` for what may be applied or indexed, `ATOM` for what may be an argument.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import assert_never

from duetpy.depth import DEEPER
from duetpy.grammar import ast
from duetpy.grammar.declared import BEFORE_TWO, GREEDY
from duetpy.grammar.definition import rules
from duetpy.grammar.labels import label_text, quoted
from duetpy.grammar.layout import Mark, Piece, Text
from duetpy.grammar.levels import INFIX_LEVELS, LITERALS, REXP_LEVELS, ROOT_LEVEL, WORD_LEVEL, is_root
from duetpy.grammar.pretty_types import TypePrinter, number_text
from duetpy.grammar.spelling import LETTERS, TWINS
from duetpy.grammar.written import Short

OPERATOR = 2
"""The level of an expression before braces: operators, but nothing that reaches as far right as it can."""
CHAIN = 11
ATOM = 12

ENDS_OF_TEXTS = rules()["end_word"]
_IN_BRACKETS = frozenset({"zip", "chunks", "join₁"})


class SExpPrinter(TypePrinter, ABC):
    """Prints the sensitivity language; what may hold the privacy language is left to the next printer."""

    @abstractmethod
    def any_body(self, node: ast.Node) -> Text:
        """What may stand in the braces of a form: an expression of either language."""

    # ------------------------------------------------------------------------------------------------- expressions

    def sexp(self, node: ast.SExp, level: int = 0) -> Text:
        """An expression at a level."""
        with DEEPER:
            return self.parenthesized(self.level(node) < level or self.written.is_grouped(node), self.bare(node))

    def level(self, node: ast.SExp) -> int:
        """How tightly an expression holds together as it is printed."""
        return WORD_LEVEL if self.written.short(node) in (Short.NOT, Short.MINUS) else level_of(node)

    def closed(self, needed: bool, node: ast.SExp, level: int = 0) -> Text:
        """An expression that stands in parentheses where that is needed, whatever its level."""
        return self.parenthesized(needed and not self.written.is_grouped(node), self.sexp(node, level))

    def sexps(self, nodes: Sequence[ast.SExp], level: int = 0, space: Piece = " ") -> Text:
        # What reaches to the right could take a comma for its own: `pλ … ensures ε ≤ 1, x ≤ y`.
        level = max(level, 1 if len(nodes) > 1 else 0)
        return self.commas([self.sexp(node, level) for node in nodes], space)

    def bracket_list(self, nodes: Sequence[ast.SExp]) -> Text:
        items = self.sexps(nodes, space=Mark.LINE)
        return [Mark.GROUP, "[", Mark.IN, Mark.CUT, items, Mark.OUT, Mark.CUT, "]", Mark.END]

    def bare(self, node: ast.SExp) -> Text:
        """An expression without parentheses around it."""
        match node:
            case ast.Var(name=name):
                return name
            case ast.NatLit(value=natural):
                return self.written.literal(node) or str(natural)
            case ast.RealLit(value=real):
                return self.written.literal(node) or ("-" if real < 0 else "") + number_text(abs(real), True)
            case ast.StrLit(value=text):
                return self.written.literal(node) or quoted(text)
            case ast.DateLit(value=day):
                return f'date "{day.isoformat()}"'
            case ast.BoolLit(value=truth):
                return "true" if truth else "false"
            case ast.StaticNat(value=value):
                return [self.sign("ℕ"), "[", self.rexp(value), "]"]
            case ast.StaticReal(value=value, signed=signed, negative=negative):
                word = self.sign("ℝ" if signed else "ℝ⁺")
                return [word, "[", self.signed(negative, value), "]"]
            case ast.Prim():
                return self.primitive(node)
            case ast.Let() | ast.LetPair():
                return self.lets(node)
            case ast.Lam() | ast.PLam():
                return self.function_form(node)
            case ast.App(function=function, argument=argument):
                # A bare literal takes no argument.
                applied = self.closed(isinstance(function, LITERALS), function, CHAIN)
                return [applied, " ", self.sexp(argument, ATOM)]
            case ast.TypeApp(function=function, arguments=arguments):
                return [self.sexp(function, CHAIN), "@[", self.type_arguments(arguments), "]"]
            case ast.Pair(left=left, right=right, lazy=lazy):
                opener, middle, closer = self.sign("⟨"), " & " if lazy else ", ", self.sign("⟩")
                return [opener, self.sexp(left, 1), middle, self.sexp(right, 1), closer]
            case ast.Inject(side=side, other=other, arg=arg):
                bracket = "" if other is None else ["[", self.type(other), "]"]
                return [side, bracket, " ", self.sexp(arg, WORD_LEVEL)]
            case ast.Case():
                return self.case(node, node.left_body, node.right_body)
            case ast.Nothing(type=type_):
                return ["none[", self.type(type_), "]"]
            case ast.CaseMissing():
                return self.case_missing(node, node.there, node.absent)
            case ast.Record(names=names, values=values):
                level = 1 if len(values) > 1 else 0
                fields = [
                    [f"{label_text(name.text)} = ", self.sexp(value, level)]
                    for name, value in zip(names, values, strict=True)
                ]
                inside = [Mark.IN, Mark.LINE, self.commas(fields, Mark.LINE), Mark.OUT, Mark.LINE]
                return [Mark.GROUP, "{", inside, "}", Mark.END]
            case ast.SetLit(elements=elements):
                # `{-` would open a comment.
                gap = " " if elements and _starts_with_minus(elements[0]) else ""
                return [f"{self.sign('℘')}{{{gap}", self.sexps(elements), "}"]
            case ast.If(guard=guard, then=then, otherwise=otherwise):
                return self.conditional(guard, then, otherwise)
            case ast.Loop(count=count, init=init, index=index, state=state, body=body):
                head = ["loop ", self.sexp(count, OPERATOR), " on ", self.sexp(init, OPERATOR)]
                return [head, " ", self.body((index, state), body)]
            case ast.MCreate(norm=norm, rows=rows, cols=cols, row=row, col=col, body=body):
                head = [f"mcreate[{self.norm_word(norm.value)} | ", self.sexps((rows, cols)), "] "]
                return [head, self.body((row, col), body)]
            case ast.Map(form=form, args=args, names=names, body=body):
                return [f"{form} ", self.sexps(args, OPERATOR), " ", self.body(names, body)]
            case ast.Fold(init=init, arg=arg, state=state, row=row, body=body):
                head = ["mfold-row ", self.sexps((init, arg), OPERATOR)]
                return [head, " ", self.body((state, row), body)]
            case ast.Filter(arg=arg, row=row, body=body):
                return ["mfilter ", self.sexp(arg, OPERATOR), " ", self.body((row,), body)]
            case ast.Flat(most=most, arg=arg, row=row, body=body):
                return ["flat[", self.sexp(most), "] ", self.sexp(arg, OPERATOR), " ", self.body((row,), body)]
            case ast.Index(matrix=matrix, row=at, col=place):
                places = self.sexps((at,) if place is None else (at, place))
                return [self.sexp(matrix, CHAIN), "#[", places, "]"]
            case ast.Update(matrix=matrix, row=at, col=place, value=new):
                inside = [self.sexps((at, place)), f" {self.sign('↦')} ", self.sexp(new, 1)]
                return [self.sexp(matrix, CHAIN), "#[", inside, "]"]
            case ast.FieldOf(record=record, name=column) if self.written.in_angles(node):
                return [self.sexp(record, CHAIN), self.angled(column)]
            case ast.FieldOf(record=record, name=column):
                return [self.sexp(record, ATOM), f".{label_text(column.text)}"]
            case ast.Select(table=table, names=columns):
                shown = ", ".join(label_text(column.text) for column in columns)
                return [self.sexp(table, ATOM), f".[{shown}]"]
            case ast.FrameOp():
                return self.frame(node)
            case ast.Opaque(target=target, type=type_):
                return [f"opaque {quoted(target)} : ", self.type(type_)]
            case ast.Hole():
                return "_"
            case _:
                assert_never(node)

    def norm_word(self, name: str) -> str:
        """A norm among expressions; ``Linf`` is read among types, whose names are the ones in scope."""
        return self.type_sign(name)

    def type_arguments(self, arguments: Sequence[ast.RExp | ast.Type]) -> Text:
        tasks = [self.rexp(item) if isinstance(item, ast.RExp) else self.type(item) for item in arguments]
        return self.commas(tasks)

    # ------------------------------------------------------------------------------------------------- primitives

    def primitive(self, node: ast.Prim) -> Text:
        name, args = node.name, node.args
        if len(args) == 2 and name in INFIX_LEVELS:
            return self.infix(node)
        if node.loss is not None:
            head = f"{self.sign(name)}[{node.loss}"
            number = [", ", self.sexps(node.bounds)] if node.bounds else ""
            return [head, number, " | ", self.sexp(args[0]), f"{self.written.before_stop}; ", self.sexps(args[1:]), "]"]
        if name in _IN_BRACKETS:
            return [self.sign(name), self.bracket_list(args)]
        if name in BEFORE_TWO:
            return [self.sign(name), *([" ", self.sexp(arg, ATOM)] for arg in args)]
        if name in ENDS_OF_TEXTS:
            return [f"{name}[", self.sexp(args[0]), "] ", self.sexp(args[1], WORD_LEVEL)]
        if is_root(name):
            return [f"{self.sign(name)} ", self.sexp(args[0], ROOT_LEVEL)]
        if name in GREEDY:
            return [f"{self.sign(name)} ", self.sexp(args[0])]
        bracket: Text = ""
        if node.norm is not None and node.bounds:
            bracket = [f"[{self.norm_word(node.norm.value)}, ", self.sexps(node.bounds), "]"]
        elif node.norm is not None:
            bracket = [f"[{self.norm_word(node.norm.value)}]"]
        elif node.bounds:
            bracket = ["[", self.sexps(node.bounds), "]"]
        return [self.sign(name), bracket, " ", self.sexp(args[0], WORD_LEVEL)]

    def infix(self, node: ast.Prim) -> Text:
        """Operators of one level in a row, all on one line or one a line, and the signs that stand for a longer expression."""
        match self.written.short(node):
            case Short.NOT:
                return [f"{self.sign('¬')} ", self.sexp(node.args[0], INFIX_LEVELS[node.name])]
            case Short.MINUS:
                # `-5` would be a number.
                gap = " " if _starts_with_number(node.args[1]) else ""
                return [f"-{gap}", self.sexp(node.args[1], ROOT_LEVEL)]
            case _:
                pass
        steps: list[Text] = []
        own, here = INFIX_LEVELS[node.name], node
        while True:
            name, left, right = self.sides(here)
            is_apart = isinstance(right, ast.Prim) and self.written.is_told_apart(name, right.name)
            steps.append([Mark.LINE, f"{self.sign(name)} ", self.sexp(right, own + 1 + is_apart)])
            is_apart = isinstance(left, ast.Prim) and self.written.is_told_apart(left.name, name)
            goes_on = isinstance(left, ast.Prim) and len(left.args) == 2 and INFIX_LEVELS.get(left.name) == own
            if (
                not isinstance(left, ast.Prim)
                or not goes_on
                or is_apart
                or self.written.is_grouped(left)
                or self.level(left) != own
            ):
                return [Mark.GROUP, self.sexp(left, own + is_apart), steps[::-1], Mark.END]
            here = left

    def sides(self, node: ast.Prim) -> tuple[str, ast.SExp, ast.SExp]:
        """An operator and its operands as they are printed."""
        left, right = node.args
        match self.written.short(node):
            case Short.TURNED:
                return {"<": ">", "≤": "≥"}[node.name], right, left
            case Short.UNEQUAL:
                assert isinstance(left, ast.Prim)
                return "≠", left.args[0], left.args[1]
            case _:
                return node.name, left, right

    def frame(self, node: ast.FrameOp) -> Text:
        column = self.angled(node.column)
        match node.form:
            case "partitionDF":
                frame, keys = node.args
                middle = f", {label_text(node.column.text)}, "
                return ["partitionDF[", self.sexp(frame, 1), middle, self.sexp(keys), "]"]
            case "joinDF₁":
                return [self.sign(node.form) + column, self.bracket_list(node.args)]
            case "joinDF":
                most, *tables = node.args
                return ["joinDF[", self.sexp(most), f"]{column}", self.bracket_list(tables)]
            case _:
                return [f"{node.form}{column} ", self.sexp(node.args[0], WORD_LEVEL)]

    def angled(self, column: ast.Name) -> str:
        return f"{self.sign('⧼')}{label_text(column.text)}{self.sign('⧽')}"

    # ------------------------------------------------------------------------------------------------- binding

    def lets(self, node: ast.Let | ast.LetPair) -> Text:
        """``let … in`` one under the other, down to what they end in."""
        mark = len(self.terms.trail)
        lines: list[Text] = []
        tail: ast.SExp = node
        if self.written.shares_line(node):
            return self.let_on_a_line(node)
        while True:
            match tail:
                case _ if tail is not node and self.written.is_grouped(tail):
                    lines.append(self.sexp(tail))
                    self.terms.restore(mark)
                    return lines
                case ast.Let(name=name, bound=bound, body=body):
                    lines.append(self.let(name.text, bound))
                    self.terms.bind(name.text)
                    tail = body
                case ast.LetPair(left=left, right=right, bound=bound, body=body):
                    lines.append(self.let(self.name_pair(left, right), bound))
                    self.terms.bind(left.text)
                    self.terms.bind(right.text)
                    tail = body
                case _:
                    lines.append(self.sexp(tail))
                    self.terms.restore(mark)
                    return lines

    def name_pair(self, left: ast.Name, right: ast.Name) -> str:
        return f"{self.sign('⟨')}{left.text}, {right.text}{self.sign('⟩')}"

    def let_on_a_line(self, node: ast.Let | ast.LetPair) -> Text:
        """``let x = e in f`` on one line, where it fits."""
        mark = len(self.terms.trail)
        binders = (node.name,) if isinstance(node, ast.Let) else (node.left, node.right)
        names = binders[0].text if isinstance(node, ast.Let) else self.name_pair(*binders)
        head = self.let(names, node.bound)[:-1]
        for binder in binders:
            self.terms.bind(binder.text)
        body = self.sexp(node.body)
        self.terms.restore(mark)
        return [Mark.GROUP, head, Mark.LINE, body, Mark.END]

    def let(self, names: str, bound: ast.SExp) -> list[Text]:
        """``let x = e in`` and a line break."""
        return [*self.headed(f"let {names} =", bound, "in"), Mark.BREAK]

    def headed(self, head: str, value: ast.SExp, end: str, stop: str = "") -> list[Text]:
        """What binds a name to a value: on one line; with the body of the value below it; or with all of the value below it."""
        close: Text = [Mark.LINE, end] if end else ""
        if isinstance(value, ast.Lam | ast.PLam) and not self.written.is_grouped(value):
            return [f"{head} ", self.function_form(value, close), stop]
        shown = self.closed(bool(end) and isinstance(value, ast.Let | ast.LetPair), value)
        opened = Mark.SOFT if ends_in_body(value) and not self.written.is_grouped(value) else Mark.GROUP
        return [opened, head, Mark.IN, Mark.LINE, shown, Mark.OUT, close, stop, Mark.END]

    def function_form(self, node: ast.Lam | ast.PLam, close: Text = "") -> Text:
        """``sλ κs . x : τ ⇒ e`` and ``pλ κs . x : τ ⇒ p ensures …``; `close` is what follows it in its group."""
        marks = len(self.terms.trail), len(self.types.trail)
        word = "sλ" if isinstance(node, ast.Lam) else "pλ"
        static = {
            param.name.span.start
            for param in node.params
            if isinstance(param, ast.Param) and self.written.is_static(param)
        }
        listed = tuple(kind for kind in node.kinds if kind.span.start not in static)
        kinds = f" {self.kinds(listed)}" if listed or self.written.has_point(node) else ""
        for kind in node.kinds[len(listed) :]:
            self.types.bind(kind.name)
        head: Text = [Mark.GROUP, Mark.GROUP, self.sign(word) + kinds, Mark.IN, Mark.LINE]
        opening = self.opening(node.params[0]) if node.params else ""
        params: Text = [opening, Mark.GROUP, self.parameters(node.params)]
        arrow: Text = [f" {self.sign('⇒')}", Mark.END, Mark.END, Mark.LINE, self.opening(node.body)]
        for param in node.params:
            for one in param.params if isinstance(param, ast.Aligned) else (param,):
                self.terms.bind(one.name.text)
        body = self.any_body(node.body)
        promise: Text = ""
        if isinstance(node, ast.PLam) and node.ensures:
            promise = [Mark.LINE, "ensures ", self.commas([self.guarantee(guarantee) for guarantee in node.ensures])]
        self.terms.restore(marks[0])
        self.types.restore(marks[1])
        return [head, params, arrow, body, promise, Mark.OUT, close, Mark.END]

    def opening(self, body: ast.Node) -> Text:
        """Keeps a body on lines of its own where it was written so."""
        return Mark.FORCE if self.written.begins_line(body) else ""

    def parameters(self, params: Sequence[ast.Param | ast.Aligned]) -> Text:
        """On the lines where they were written, or on one line; where that is too long, tables have lines of their own."""
        chosen = any(map(self.written.begins_line, params[1:]))
        texts: list[Text] = []
        for index, param in enumerate(params):
            is_short = chosen or (index > 0 and _is_short(params[index - 1]) and _is_short(param))
            space = Mark.FILL if is_short else Mark.LINE
            texts += [",", Mark.BREAK if self.written.begins_line(param) else space] if index else []
            texts.append(self.param(param))
        return texts

    def param(self, node: ast.Param | ast.Aligned) -> Text:
        if isinstance(node, ast.Aligned):
            return [self.sign("⟨"), self.commas([self.param(p) for p in node.params]), self.sign("⟩")]
        if node.type is None:
            return node.name.text
        if self.written.is_static(node):
            kind = ast.Kind.NAT if isinstance(node.type, ast.TStaticNat) else ast.Kind.POS
            return f"static {node.name.text} : {self.type_sign(kind.value)}"
        return [f"{node.name.text} : ", self.type(node.type)]

    def guarantee(self, node: ast.Guarantee) -> Text:
        letter = LETTERS.get(node.letter, node.letter) if self.ascii else node.letter
        # After a promise, the words `max` and `min` are operands where the program binds them.
        are_names = self.ascii and not self.terms.bound.keys().isdisjoint((TWINS["⊔"], TWINS["⊓"]))
        return [f"{letter} {self.sign('≤')} ", self.rexp(node.bound, REXP_LEVELS["+"] if are_names else 0)]

    def body(self, names: tuple[ast.Name, ...], body: ast.Node) -> Text:
        """``{ x, y ⇒ e }``."""
        mark = len(self.terms.trail)
        arrow = f" {', '.join(name.text for name in names)} {self.sign('⇒')}" if names else ""
        for name in names:
            self.terms.bind(name.text)
        inner = [self.opening(body), self.any_body(body)]
        self.terms.restore(mark)
        return [Mark.GROUP, "{" + arrow, Mark.HUG, Mark.IN, Mark.LINE, inner, Mark.OUT, Mark.LINE, "}", Mark.END]

    def conditional(self, guard: ast.SExp, then: ast.Node, otherwise: ast.Node) -> Text:
        """``if e then { a } else { b }``, and ``if e then a else if f then b else c`` on one line or on one line each."""
        written = self.written
        steps: list[Text] = [Mark.GROUP, "if ", self.sexp(guard)]
        while True:
            is_braced = written.is_braced(then)
            steps.append([" then ", self.body((), then)] if is_braced else self.branch(" then", then))
            steps.append(Mark.FORCE if written.breaks_else(otherwise) else "")
            steps.append(" " if is_braced and not written.breaks_else(otherwise) else Mark.LINE)
            if written.is_braced(otherwise):
                return [steps, "else ", self.body((), otherwise), Mark.END]
            if written.is_grouped(otherwise) or not isinstance(otherwise, ast.If | ast.PIf):
                return [steps, self.branch("else", otherwise), Mark.END]
            steps += ["else if ", self.sexp(otherwise.guard)]
            then, otherwise = otherwise.then, otherwise.otherwise

    def branch(self, word: str, value: ast.Node) -> Text:
        """A branch without braces."""
        return [Mark.GROUP, word, Mark.IN, Mark.LINE, self.opening(value), self.any_body(value), Mark.OUT, Mark.END]

    def case(self, node: ast.Case | ast.PCase, left: ast.Node, right: ast.Node) -> Text:
        """``case e { inl x ⇒ a ; inr y ⇒ b }``."""
        scrutinee = self.sexp(node.scrutinee, OPERATOR)
        return self.two_cases(scrutinee, self.named("inl", node.left, left), self.named("inr", node.right, right))

    def case_missing(self, node: ast.CaseMissing | ast.PCaseMissing, there: ast.Node, absent: ast.Node) -> Text:
        """``case e { some x ⇒ a ; none ⇒ b }``."""
        scrutinee = self.sexp(node.scrutinee, OPERATOR)
        second: Text = [f"none {self.sign('⇒')} ", self.any_body(absent)]
        return self.two_cases(scrutinee, self.named("some", node.name, there), second)

    def named(self, word: str, name: ast.Name, body: ast.Node) -> Text:
        """``inl x ⇒ a``."""
        mark = len(self.terms.trail)
        self.terms.bind(name.text)
        text: Text = [f"{word} {name.text} {self.sign('⇒')} ", self.any_body(body)]
        self.terms.restore(mark)
        return text

    def two_cases(self, scrutinee: Text, first: Text, second: Text) -> Text:
        opened: Text = [Mark.GROUP, "case ", scrutinee, " {", Mark.IN, Mark.LINE]
        return [opened, first, " ;", Mark.LINE, second, Mark.OUT, Mark.LINE, "}", Mark.END]


def level_of(node: ast.SExp) -> int:
    """How tightly an expression holds together."""
    match node:
        case ast.Let() | ast.LetPair() | ast.Lam() | ast.PLam() | ast.If() | ast.Opaque():
            return 0
        case ast.Prim(name=name) if name in GREEDY:
            return 0
        case ast.Prim(name=name, args=(_, _)) if name in INFIX_LEVELS:
            return INFIX_LEVELS[name]
        case ast.Prim(name=name) if is_root(name):
            return ROOT_LEVEL
        case ast.Prim(name=name, loss=loss) if loss is None and name not in _IN_BRACKETS:
            return WORD_LEVEL
        case ast.Inject() | ast.FrameOp(form="addColDF") | ast.Record():
            return WORD_LEVEL
        case ast.App() | ast.TypeApp() | ast.Index() | ast.Update():
            return CHAIN
        case ast.NatLit(value=value) | ast.RealLit(value=value) if value < 0:
            return CHAIN
        case _:
            return ATOM


def ends_in_body(node: ast.SExp | ast.PExp) -> bool:
    """Whether a form ends with a body in braces, below which what follows goes on."""
    match node:
        case (
            ast.Map()
            | ast.Fold()
            | ast.Filter()
            | ast.Flat()
            | ast.MCreate()
            | ast.Loop()
            | ast.Case()
            | ast.CaseMissing()
        ):
            return True
        case ast.PLoop() | ast.Mechanism() | ast.Parallel() | ast.PMap() | ast.Sample() | ast.Convert() | ast.PCase():
            return True
        case ast.PCaseMissing():
            return True
        case _:
            return False


def _is_short(param: ast.Param | ast.Aligned) -> bool:
    return isinstance(param, ast.Param) and not isinstance(param.type, ast.TMatrix | ast.TFrame)


def head_of(node: ast.SExp) -> ast.SExp:
    """The expression that a chain begins with."""
    while True:
        match node:
            case ast.App(function=inner) | ast.TypeApp(function=inner):
                node = inner
            case (
                ast.Index(matrix=inner) | ast.Update(matrix=inner) | ast.FieldOf(record=inner) | ast.Select(table=inner)
            ):
                node = inner
            case _:
                return node


def _starts_with_number(node: ast.SExp) -> bool:
    """Whether what is printed for an operand may begin with a digit."""
    return isinstance(head_of(node), ast.NatLit | ast.RealLit)


def _starts_with_minus(node: ast.SExp) -> bool:
    while isinstance(node, ast.Prim) and len(node.args) == 2 and node.name in INFIX_LEVELS:
        node = node.args[0]
    head = head_of(node)
    return isinstance(head, (ast.NatLit, ast.RealLit)) and head.value < 0
