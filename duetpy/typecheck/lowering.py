"""From a checked program to its core: the syntax tree, and what the checker has found, in one tree.

Sugar goes here, names become unique, and what the checker noted of a node stands on it from now on. Nothing is decided: a node
of which the checker noted nothing, because it was never reached by a judgement of its own, says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, cast

from attrs import define, field

from duetpy.by_value import Shown
from duetpy.depth import DEEPER
from duetpy.grammar import ast
from duetpy.grammar.binders import flat
from duetpy.trees import field_names, scoping
from duetpy.typecheck import core
from duetpy.typecheck.annotations import NO_INSTANCE, Annotations, Instance
from duetpy.typecheck.fold_patterns import matrix_addend, picked_operand
from duetpy.typecheck.types import Disc, StaticNat, StaticReal, Type

MARK = "·"
"""No identifier holds this sign, so that a name with it is nobody's."""

_MAPS = {"mmap": "entry", "mmap-row": "row", "mmap-col": "column", "bmap": "element", "mapDF": "element"}


def lowered(body: ast.SExp, annotations: Annotations) -> core.Expression:
    """The core of a program that was checked without an error."""
    return Lowering(annotations).expression(body)


@define(eq=False, repr=False)
class Lowering(Shown):
    """One way down a program."""

    annotations: Annotations
    names: dict[str, str] = field(factory=dict)
    """What the names in scope are called in the core."""
    taken: set[str] = field(factory=set)
    last: dict[str, int] = field(factory=dict)
    """The last number that was appended to a name."""

    # -----------------------------------------------------------------------------------------------------------------
    # Names

    def fresh(self, written: str) -> str:
        """A name of its own for a binder: the one that was written, unless another binder has it."""
        name = written
        while name in self.taken:
            self.last[written] = count = self.last.get(written, 1) + 1
            name = f"{written}{MARK}{count}"
        self.taken.add(name)
        return name

    def bind(self, binders: Sequence[ast.Name], outer: dict[str, str | None]) -> tuple[str, ...]:
        """Bring names into scope; `outer` keeps what they meant before. Of two of one name the last is the one that is seen."""
        names: list[str] = []
        for binder in binders:
            outer.setdefault(binder.text, self.names.get(binder.text))
            names.append(self.fresh(binder.text))
            self.names[binder.text] = names[-1]
        return tuple(names)

    def restore(self, outer: Mapping[str, str | None]) -> None:
        for written, name in outer.items():
            if name is None:
                del self.names[written]
            else:
                self.names[written] = name

    @contextmanager
    def binding(self, *binders: ast.Name) -> Iterator[tuple[str, ...]]:
        """Names that are in scope within ``with``."""
        outer: dict[str, str | None] = {}
        yield self.bind(binders, outer)
        self.restore(outer)

    def types(self, node: ast.Node) -> tuple[Type, ...]:
        return self.annotations.types.get(node, ())

    def static(self, node: ast.Node) -> StaticNat | StaticReal | None:
        """The number that the value is: where judgements differ, none is known."""
        types = self.types(node)
        return types[0] if len(types) == 1 and isinstance(types[0], StaticNat | StaticReal) else None

    def instance(self, node: ast.Node) -> Instance:
        return self.annotations.instances.get(node, NO_INSTANCE)

    def listed(self, private: tuple[ast.Name, ...] | None) -> tuple[str, ...] | None:
        """The names between angle brackets."""
        return None if private is None else tuple([self.names[name.text] for name in private])

    # -----------------------------------------------------------------------------------------------------------------
    # Sensitivity expressions

    def all(self, written: tuple[ast.SExp, ...]) -> tuple[core.Expression, ...]:
        return tuple([self.expression(each) for each in written])

    def expression(self, node: ast.SExp) -> core.Expression:
        with DEEPER:
            return self._expression(node)

    def _expression(self, node: ast.SExp) -> core.Expression:
        known = node.span, self.types(node), self.static(node)
        places = self.annotations.places.get(node, ())
        match node:
            case ast.Var(name=name):
                return core.Var(*known, self.names[name])
            case ast.NatLit() | ast.RealLit():
                number = node.value if isinstance(node, ast.NatLit) and node.value >= 0 else Fraction(node.value)
                if any(isinstance(type_, Disc) for type_ in self.types(node)):
                    number = type(number)(float(number))
                return core.Literal(*known, number)
            case ast.StrLit(value=text) | ast.BoolLit(value=text) | ast.DateLit(value=text):
                return core.Literal(*known, text)
            case ast.StaticNat() | ast.StaticReal():
                return core.StaticNumber(*known, self.annotations.numbers[node], isinstance(node, ast.StaticNat))
            case ast.Prim():
                return self.primitive(node)
            case ast.Let() | ast.LetPair():
                return self.lets(node)
            case ast.Lam():
                with self.binding(*[param.name for param in node.params]) as names:
                    body = self.expression(node.body)
                return core.Lam(*known, self.annotations.binders[node], self.params(node, names, node.params), body)
            case ast.PLam():
                params = flat(node.params)
                sizes = [len(group.params) if isinstance(group, ast.Aligned) else 1 for group in node.params]
                units = tuple([unit for unit, size in enumerate(sizes) for _ in range(size)])
                with self.binding(*[param.name for param in params]) as names:
                    private = self.private(node.body)
                known_params, ensures = self.params(node, names, params), self.annotations.limits.get(node, ())
                return core.PLam(*known, self.annotations.binders[node], known_params, private, units, ensures)
            case ast.App():
                return self.application(node)
            case ast.Inject():
                return core.Inject(*known, node.side == "inl", self.expression(node.arg))
            case ast.Nothing():
                return core.Nothing(*known, self.annotations.missing[node])
            case ast.Map():
                args = self.all(node.args)
                with self.binding(*node.names) as names:
                    body = self.expression(node.body)
                element = self.annotations.elements.get(node)
                sees_cell, gives_rows = (False, False) if element is None else (element.is_cell, element.gives_rows)
                return core.Map(*known, _MAPS[node.form], args, names, body, sees_cell, gives_rows)
            case ast.Fold():
                return self.fold(node)
            case ast.FieldOf():
                return core.Field(*known, self.expression(node.record), places[0], node.name.text)
            case ast.FrameOp(form="addColDF"):
                return core.AddColumn(*known, self.expression(node.args[0]), node.column.text)
            case ast.FrameOp(form="partitionDF"):
                table, keys = self.all(node.args)
                return core.Partition(*known, table, places[0], node.column.text, keys)
            case ast.FrameOp():
                *most, left, right = self.all(node.args)
                return core.Join(*known, node.column.text, left, places[0], right, places[1], most[0] if most else None)
            case ast.Opaque():
                return self.foreign(node)
            case ast.Hole():
                raise AssertionError("a program with syntax errors has no core")
            case _:
                found: core.Expression = self.alike(node)
                return found

    def alike(self, node: ast.Node) -> Any:
        """A form that both trees have: its parts under the same names, and what the checker noted. One that the core has not, or
        whose parts have other names there, raises here."""
        made = getattr(core, type(node).__name__)
        noted = {name: note(self, node) for name, note in _NOTED.items() if name in field_names(made)}
        scopes, parts = scoping(type(node)), dict[str, object]()
        for name in field_names(type(node)):
            if name in scopes.references:
                parts[name] = self.listed(getattr(node, name))
            elif name not in noted and name not in scopes.binding:
                binders = {binder: getattr(node, binder) for binder in scopes.binders[name]}
                with self.binding(*_names(binders.values())) as bound:
                    parts[name] = self.part(getattr(node, name))
                given = iter(bound)
                for binder, names in binders.items():
                    parts[binder] = (
                        tuple([next(given) for _ in names]) if isinstance(names, tuple) else names and next(given)
                    )
        return made(span=node.span, **noted, **parts)

    def part(self, part: object) -> object:
        """What the core has for a part of a form of the language."""
        if isinstance(part, tuple):
            return tuple([self.part(each) for each in part])
        if isinstance(part, ast.Name):
            return part.text
        if isinstance(part, ast.Node):
            return self.private(part) if isinstance(part, ast.PExp) else self.expression(cast("ast.SExp", part))
        return part

    def lets(self, node: ast.Let | ast.LetPair) -> core.Expression:
        """A chain of lets, walked in a loop."""
        outer: dict[str, str | None] = {}
        chain: list[tuple[ast.Let | ast.LetPair, tuple[str, ...], core.Expression]] = []
        here: ast.SExp = node
        while isinstance(here, ast.Let | ast.LetPair):
            bound = self.expression(here.bound)
            binders = (here.name,) if isinstance(here, ast.Let) else (here.left, here.right)
            chain.append((here, self.bind(binders, outer), bound))
            here = here.body
        body = self.expression(here)
        self.restore(outer)
        for link, names, bound in reversed(chain):
            known = link.span, self.types(link) or body.types, self.static(link) or body.static
            if isinstance(link, ast.Let):
                body = core.Let(*known, names[0], bound, body)
            else:
                body = core.LetPair(*known, names[0], names[1], bound, body)
        return body

    def primitive(self, node: ast.Prim) -> core.Expression:
        """A primitive: a chain of operators is walked in a loop."""
        chain: list[ast.Prim] = []
        here: ast.SExp = node
        while isinstance(here, ast.Prim) and here.args:
            chain.append(here)
            here = here.args[0]
        first = None if isinstance(here, ast.Prim) else self.expression(here)
        if first is None:
            assert isinstance(here, ast.Prim)
            chain.append(here)
        for link in reversed(chain):
            args = self.all(link.args if first is None else link.args[1:])
            first = core.Prim(
                link.span,
                self.types(link),
                self.static(link),
                link.name,
                args if first is None else (first, *args),
                link.norm,
                self.all(link.bounds),
                link.loss,
                self.annotations.rounding.get(link, False),
                self.annotations.lengths.get(link, ()),
            )
        assert first is not None
        return first

    def application(self, node: ast.App) -> core.Expression:
        """``f e₁ e₂ …``: a chain of arguments, walked in a loop."""
        chain: list[ast.App] = []
        here: ast.SExp = node
        while isinstance(here, ast.App):
            chain.append(here)
            here = here.function
        function = self.expression(here)
        for link in reversed(chain):
            argument, instance = self.expression(link.argument), self.instance(link)
            function = core.App(link.span, self.types(link), self.static(link), function, argument, instance)
        return function

    def params(
        self, node: ast.Lam | ast.PLam, names: tuple[str, ...], params: tuple[ast.Param, ...]
    ) -> tuple[core.Param, ...]:
        domains = self.annotations.domains[node]
        return tuple(
            core.Param(name, param.name.text, domain)
            for name, param, domain in zip(names, params, domains, strict=True)
        )

    def fold(self, node: ast.Fold) -> core.Expression:
        known = node.span, self.types(node), self.static(node)
        init, arg = self.expression(node.init), self.expression(node.arg)
        lengths = self.annotations.folded.get(node, ())
        added, matrices = self.annotations.addends.get(node), matrix_addend(node)
        found = ("+", added) if added is not None else ("+", matrices) if matrices is not None else picked_operand(node)
        if found is not None:
            sign, term = found
            with self.binding(node.row) as (row,):
                each = self.expression(term)
            return core.RowFold(*known, sign, init, arg, row, each, added is None and matrices is not None, lengths)
        with self.binding(node.state, node.row) as (state, row):
            body = self.expression(node.body)
        return core.Fold(*known, init, arg, state, row, body, lengths)

    def foreign(self, node: ast.Opaque) -> core.Expression:
        """A function whose body is a call: its parameters have names that no program can write."""
        code = self.annotations.foreign[node]
        names = [self.fresh(f"{MARK}{at}") for at in range(len(code.domains))]
        args = tuple(
            [core.Var(node.span, (domain,), None, name) for name, domain in zip(names, code.domains, strict=True)]
        )
        call = core.ForeignCall(node.span, (code.result,), None, code.target, args, code.domains, code.result)
        params = tuple([core.Param(name, name, domain) for name, domain in zip(names, code.domains, strict=True)])
        return core.Lam(node.span, self.types(node), None, code.kinds, params, call)

    # -----------------------------------------------------------------------------------------------------------------
    # Privacy expressions

    def private(self, node: ast.PExp) -> core.Private:
        with DEEPER:
            return self._private(node)

    def _private(self, node: ast.PExp) -> core.Private:
        match node:
            case ast.Bind() | ast.PLet() | ast.PLetPair():
                return self.binds(node)
            case ast.PMap(form=form, arg=arg):
                known = node.span, self.types(node), self.expression(arg)
                with self.binding(node.name) as (name,):
                    return core.PMap(*known, name, self.private(node.body), form == "pmap-col")
            case ast.PApp(function=function):
                written = self.annotations.full_calls.get(node, node.args)
                kinds, instance = self.annotations.arguments.get(node, ()), self.instance(node)
                return core.PApp(
                    node.span, self.types(node), self.expression(function), kinds, self.all(written), instance
                )
            case ast.PHole():
                raise AssertionError("a program with syntax errors has no core")
            case _:
                found: core.Private = self.alike(node)
                return found

    def binds(self, node: ast.Bind | ast.PLet | ast.PLetPair) -> core.Private:
        """A chain of binds and lets, walked in a loop."""
        outer: dict[str, str | None] = {}
        chain: list[tuple[ast.Bind | ast.PLet | ast.PLetPair, tuple[str, ...], core.Form]] = []
        here: ast.PExp = node
        while isinstance(here, ast.Bind | ast.PLet | ast.PLetPair):
            first = self.private(here.first) if isinstance(here, ast.Bind) else self.expression(here.bound)
            binders = (here.left, here.right) if isinstance(here, ast.PLetPair) else (here.name,)
            chain.append((here, self.bind(binders, outer), first))
            here = here.then if isinstance(here, ast.Bind) else here.body
        body = self.private(here)
        self.restore(outer)
        for link, names, first in reversed(chain):
            known = link.span, self.types(link) or body.types
            if isinstance(first, core.Private):
                body = core.Bind(*known, names[0], first, body)
            elif isinstance(link, ast.PLet):
                body = core.PLet(*known, names[0], first, body)
            else:
                body = core.PLetPair(*known, names[0], names[1], first, body)
        return body


def _names(binders: Iterable[ast.Name | tuple[ast.Name, ...] | None]) -> list[ast.Name]:
    """The names in fields that bind them."""
    each = [names if isinstance(names, tuple) else (names,) for names in binders]
    return [name for names in each for name in names if name is not None]


_NOTED: dict[str, Callable[[Lowering, ast.Node], object]] = {
    "types": Lowering.types,
    "static": Lowering.static,
    "arguments": lambda known, node: known.annotations.arguments.get(node, ()),
    "kinds": lambda known, node: known.annotations.arguments.get(node, ()),
    "instance": Lowering.instance,
    "may_hold_boxes": lambda known, node: node in known.annotations.boxed,
    "places": lambda known, node: known.annotations.places.get(node, ()),
    "site": lambda known, node: known.annotations.releases[node],
    "test": lambda known, node: known.annotations.tests.get(node),
}
"""By the name that a part of the core has: what the checker noted of the form."""
