"""From the core of a program back to a program: one expression of the language, which stands alone and checks to the same.

Every name is bound once. Imports and definitions are lets. A sensitivity that was left to the checker (``auto``) is a number, and
types that were left out are written, wherever the language has a spelling for these. `duetpy.typecheck.agreement` compares what is
proved of the two programs. What no program can write is refused with `Unwritable`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any

from attrs import define, field

from duetpy.by_value import Shown
from duetpy.depth import DEEPER
from duetpy.grammar import ast
from duetpy.grammar.spelling import WORDS
from duetpy.source import Span
from duetpy.trees import field_names, scoping
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import KindArgument
from duetpy.typecheck.lowering import MARK
from duetpy.typecheck.notions import BY_BLOCK, Notion
from duetpy.typecheck.quantity import KindVar, Quantity, Signed
from duetpy.typecheck.scope import plain_name
from duetpy.typecheck.writing_types import Names, TypeWriter, Unwritable

_MAPS = {"entry": "mmap", "row": "mmap-row", "column": "mmap-col", "element": "bmap"}


def written(program: core.Expression, notion: Notion) -> ast.File:
    """A program whose core, type and cost are those of a program of this core and notion.

    Raises
    ------
    Unwritable
        If the language has no form for a part of it.
    """
    writer = Writer(TypeWriter(notion))
    writer.name_all(program)
    return ast.File(program.span, notion.value, (), (), writer.expression(program))


@define(eq=False, repr=False)
class Writer(Shown):
    """One way down a core.

    Parameters
    ----------
    types
        Writes types.
    names
        What the names of the core are called.
    kinds
        What the kind variables of each function are called.
    given
        All names.
    """

    types: TypeWriter
    names: dict[str, str] = field(factory=dict)
    kinds: dict[KindVar, str] = field(factory=dict)
    given: Names = field(factory=Names)

    # -----------------------------------------------------------------------------------------------------------------
    # Names

    def name_all(self, program: core.Expression) -> None:
        """Name everything: what the program itself takes first, because data and numbers are given by these names."""
        functions = [
            node
            for node in core.nodes(program)
            if isinstance(node, core.Lam | core.PLam) and not isinstance(node.body, core.ForeignCall)
        ]
        for function in (*_functions_of_value(program), *functions):
            for variable in function.kinds:
                if variable not in self.kinds:
                    self.kinds[variable] = self.types.kind_names.give(variable.name)
            for param in function.params:
                self.name(param.name, plain_name(param.written))
        for node in core.nodes(program):
            for _, bound in core.scopes(node):
                for name in bound:
                    wanted = plain_name(name.partition(MARK)[0])
                    # A word of the language that a let binds would be a name up to the end of the program.
                    self.name(name, f"{wanted}_" if wanted in WORDS else wanted)

    def name(self, name: str, wanted: str) -> None:
        if wanted and name not in self.names:
            self.names[name] = self.given.give(wanted)

    def binder(self, name: str, span: Span) -> ast.Name:
        return ast.Name(span, self.names[name])

    def binders(self, names: Iterable[str], span: Span) -> tuple[ast.Name, ...]:
        return tuple([self.binder(name, span) for name in names])

    @contextmanager
    def inside(self, function: core.Lam | core.PLam) -> Iterator[tuple[ast.KindBinding, ...]]:
        """The kinds and the parameters of a function in scope."""
        kinds = {variable: self.kinds[variable] for variable in function.kinds}
        outer = self.types.inputs
        with self.types.binding_kinds(kinds):
            self.types.inputs = {**outer, **{param.written: self.names[param.name] for param in function.params}}
            yield self.types.bindings(kinds, function.span)
            self.types.inputs = outer

    def params(self, function: core.Lam | core.PLam) -> list[ast.Param]:
        """The parameters. One whose type cannot be written had none, and gets the same one again from the first use."""
        found: list[ast.Param] = []
        for param in function.params:
            try:
                type_ = self.types.type(param.type, function.span)
            except Unwritable:
                type_ = None
            found.append(ast.Param(function.span, self.binder(param.name, function.span), type_))
        return found

    # -----------------------------------------------------------------------------------------------------------------
    # Sensitivity expressions

    def all(self, nodes: Iterable[core.Expression]) -> tuple[ast.SExp, ...]:
        return tuple([self.expression(node) for node in nodes])

    def expression(self, node: core.Expression) -> ast.SExp:
        with DEEPER:
            return self._expression(node)

    def _expression(self, node: core.Expression) -> ast.SExp:
        span = node.span
        match node:
            case core.Var(name=name):
                return ast.Var(span, self.names[name])
            case core.Literal():
                return _literal(node)
            case core.StaticNumber(number=number, is_natural=True):
                return ast.StaticNat(span, self.types.size(number.magnitude, span))
            case core.StaticNumber(number=number):
                return self.static(number, span)
            case core.Let() | core.LetPair():
                return self.lets(node)
            case core.Lam(body=core.ForeignCall(target=target)):
                return ast.Opaque(span, target, self.types.type(node.types[0], span))
            case core.Lam():
                with self.inside(node) as kinds:
                    return ast.Lam(span, kinds, tuple(self.params(node)), self.expression(node.body))
            case core.PLam():
                return self.privacy_function(node)
            case core.TypeApp():
                return ast.TypeApp(span, self.expression(node.function), self.arguments(node.arguments, span))
            case core.Inject(is_left=is_left, arg=arg):
                whole = node.types[0]
                assert isinstance(whole, t.Sum)
                other = self.types.type(whole.right if is_left else whole.left, span)
                return ast.Inject(span, "inl" if is_left else "inr", other, self.expression(arg))
            case core.Nothing(instead_of=instead_of):
                return ast.Nothing(span, self.types.type(instead_of, span))
            case core.Map():
                args, names = self.all(node.args), self.binders(node.names, span)
                return ast.Map(span, _MAPS[node.form], args, names, self.expression(node.body))
            case core.RowFold():
                return self.row_fold(node)
            case core.Field():
                return ast.FieldOf(span, self.expression(node.record), ast.Name(span, node.name))
            case core.Select():
                columns = tuple([ast.Name(span, name) for name in node.names])
                return ast.Select(span, self.expression(node.table), columns)
            case core.Record(names=names, values=values):
                return ast.Record(span, tuple([ast.Name(span, name) for name in names]), self.all(values))
            case core.AddColumn():
                return ast.FrameOp(span, "addColDF", ast.Name(span, node.name), self.all((node.arg,)))
            case core.Partition():
                args = self.all((node.table, node.keys))
                return ast.FrameOp(span, "partitionDF", ast.Name(span, node.name), args)
            case core.Join(left=left, right=right, most=most):
                args = self.all((left, right) if most is None else (most, left, right))
                form = "joinDF₁" if most is None else "joinDF"
                return ast.FrameOp(span, form, ast.Name(span, node.name), args)
            case _:
                found: ast.SExp = self.alike(node)
                return found

    def alike(self, node: core.Form) -> Any:
        """A form that both trees have: its parts under the same names. What the checker noted goes."""
        made, scopes = getattr(ast, type(node).__name__), scoping(type(node))
        parts: dict[str, object] = {}
        for name in field_names(made):
            part = getattr(node, name)
            if name not in scopes.binding + scopes.references:
                parts[name] = self.part(part)
            elif part is not None:
                parts[name] = self.binders(part, node.span) if isinstance(part, tuple) else self.binder(part, node.span)
            else:
                parts[name] = None
        return made(span=node.span, **parts)

    def part(self, part: object) -> object:
        """What the language has for a part of a form of the core."""
        if isinstance(part, tuple):
            return tuple([self.part(each) for each in part])
        if isinstance(part, core.Private):
            return self.private(part)
        return self.expression(part) if isinstance(part, core.Expression) else part

    def static(self, number: Signed, span: Span) -> ast.StaticReal:
        return ast.StaticReal(span, self.types.quantity(number.magnitude, span), number.negative, number.negative)

    def arguments(self, arguments: Sequence[KindArgument], span: Span) -> tuple[ast.RExp | ast.Type, ...]:
        found: list[ast.RExp | ast.Type] = []
        for argument in arguments:
            if isinstance(argument, Quantity):
                found.append(self.types.quantity(argument, span))
            elif isinstance(argument, t.TypeVar):
                # A name alone is read as a number; the checker sees that it is a type.
                found.append(ast.RVar(span, self.types.variable(argument.var, span)))
            else:
                found.append(self.types.type(argument, span))
        return tuple(found)

    def lets(self, node: core.Let | core.LetPair) -> ast.SExp:
        """A chain of lets, walked in a loop."""
        chain: list[tuple[core.Let | core.LetPair, ast.SExp]] = []
        here: core.Expression = node
        while isinstance(here, core.Let | core.LetPair):
            chain.append((here, self.expression(here.bound)))
            here = here.body
        body = self.expression(here)
        for link, bound in reversed(chain):
            if isinstance(link, core.Let):
                body = ast.Let(link.span, self.binder(link.name, link.span), bound, body)
            else:
                left, right = self.binders((link.left, link.right), link.span)
                body = ast.LetPair(link.span, left, right, bound, body)
        return body

    def privacy_function(self, node: core.PLam) -> ast.PLam:
        with self.inside(node) as kinds:
            units: dict[int, list[ast.Param]] = {}
            for unit, param in zip(node.units, self.params(node), strict=True):
                units.setdefault(unit, []).append(param)
            params = tuple([m[0] if len(m) == 1 else ast.Aligned(node.span, tuple(m)) for m in units.values()])
            ensures = tuple(
                [
                    ast.Guarantee(node.span, limit.letter, self.types.quantity(limit.bound, node.span))
                    for limit in node.ensures
                ]
            )
            return ast.PLam(node.span, kinds, params, self.private(node.body), ensures)

    def row_fold(self, node: core.RowFold) -> ast.Fold:
        """A fold that adds, or picks: its state has no name in the core."""
        span = node.span
        init, arg, term = self.all((node.init, node.arg, node.term))
        state = self.given.give("acc")
        body: ast.SExp = ast.Prim(span, node.sign, (ast.Var(span, state), term))
        if node.of_matrices:
            one, other = self.given.give("a"), self.given.give("b")
            each = ast.Prim(span, node.sign, (ast.Var(span, one), ast.Var(span, other)))
            names = (ast.Name(span, one), ast.Name(span, other))
            body = ast.Map(span, "mmap", (ast.Var(span, state), term), names, each)
        return ast.Fold(span, init, arg, ast.Name(span, state), self.binder(node.row, span), body)

    # -----------------------------------------------------------------------------------------------------------------
    # Privacy expressions

    def private(self, node: core.Private) -> ast.PExp:
        with DEEPER:
            return self._private(node)

    def _private(self, node: core.Private) -> ast.PExp:
        span = node.span
        match node:
            case core.Bind() | core.PLet() | core.PLetPair():
                return self.binds(node)
            case core.PApp():
                function, kinds = self.expression(node.function), self.arguments(node.kinds, span)
                return ast.PApp(span, function, kinds, self.all(node.args))
            case core.Mechanism():
                return self.mechanism(node)
            case core.PMap():
                form = "pmap-col" if node.by_column else "mmapp"
                arg = self.expression(node.arg)
                return ast.PMap(span, form, arg, self.binder(node.name, span), self.private(node.body))
            case core.Convert():
                return self.conversion(node)
            case _:
                found: ast.PExp = self.alike(node)
                return found

    def listed(self, node: core.PLoop | core.Mechanism) -> tuple[ast.Name, ...] | None:
        return None if node.private is None else self.binders(node.private, node.span)

    def binds(self, node: core.Bind | core.PLet | core.PLetPair) -> ast.PExp:
        """A chain of binds and lets, walked in a loop."""
        chain: list[tuple[core.Private, tuple[ast.Name, ...], ast.PExp | None, ast.SExp | None]] = []
        here: core.Private = node
        while isinstance(here, core.Bind | core.PLet | core.PLetPair):
            if isinstance(here, core.Bind):
                chain.append((here, self.binders((here.name,), here.span), self.private(here.first), None))
                here = here.then
            else:
                names = (here.left, here.right) if isinstance(here, core.PLetPair) else (here.name,)
                chain.append((here, self.binders(names, here.span), None, self.expression(here.bound)))
                here = here.body
        body = self.private(here)
        for link, binders, first, bound in reversed(chain):
            if first is not None:
                body = ast.Bind(link.span, binders[0], first, body)
            elif bound is not None and len(binders) == 1:
                body = ast.PLet(link.span, binders[0], bound, body)
            elif bound is not None:
                body = ast.PLetPair(link.span, binders[0], binders[1], bound, body)
        return body

    def mechanism(self, node: core.Mechanism) -> ast.Mechanism:
        params: list[ast.SExp | None] = []
        for param in node.params:
            params.append(self.inferred(node) if param is None else self.expression(param))
        candidates = None if node.candidates is None else self.expression(node.candidates)
        binder = None if node.binder is None else self.binder(node.binder, node.span)
        body = self.expression(node.body)
        return ast.Mechanism(node.span, node.name, tuple(params), candidates, self.listed(node), binder, body)

    def inferred(self, node: core.Mechanism) -> ast.SExp | None:
        """The sensitivity that ``auto`` stands for; itself where the language has no numeral for that."""
        try:
            return self.static(Signed(False, node.site.sensitivity), node.span)
        except Unwritable:
            return None

    def conversion(self, node: core.Convert) -> ast.Convert:
        slack = None if node.slack is None else self.expression(node.slack)
        outer, self.types.notion = self.types.notion, BY_BLOCK[node.form]
        body = self.private(node.body)
        self.types.notion = outer
        return ast.Convert(node.span, node.form, slack, body)


def _literal(node: core.Literal) -> ast.SExp:
    match node.value:
        case bool(truth):
            return ast.BoolLit(node.span, truth)
        case str(text):
            return ast.StrLit(node.span, text)
        case date() as day:
            return ast.DateLit(node.span, day)
        case int(natural):
            return ast.NatLit(node.span, natural)
        case number:
            return ast.RealLit(node.span, number)


def _functions_of_value(program: core.Expression) -> list[core.Lam | core.PLam]:
    """The functions that the value of a program is, as far as it can be followed, without those that have their arguments."""
    bound: dict[str, core.Expression] = {}
    found: list[core.Lam | core.PLam] = []
    arguments = 0
    here = program
    while True:
        match here:
            case core.Let():
                bound[here.name], here = here.bound, here.body
            case core.LetPair(body=inside) | core.If(otherwise=inside) | core.TypeApp(function=inside):
                here = inside
            case core.Var(name=name) if name in bound:
                here = bound[name]
            case core.App(function=inside):
                arguments, here = arguments + 1, inside
            case core.Lam(params=params, body=inside) if not isinstance(inside, core.ForeignCall):
                if arguments < len(params):
                    found.append(here)
                arguments, here = max(0, arguments - len(params)), inside
            case core.PLam():
                return [here, *reversed(found)]
            case _:
                return found[::-1]
