"""Which tables a program only goes over, row by row: they may be read again for each pass, and need not be kept.

Contract. What decides is the program alone. A name *holds rows* if it is bound to the table, or to what is made of its rows by
maps, filters and functions of the program. Rows are gone over by a fold, by a gradient, by counting them, part by part, and by
drawing a sample of them, whose rows are kept. Wherever else a name that holds rows stands, the table is wanted as a whole: in
what a row of another table sees, in a pair, as the state of a loop, in a shuffle. There the evaluation gives the same values as
of a table that is kept, but keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from math import ceil

from attrs import define, field

from duetpy.runtime.evaluation.kernels import ROUNDING
from duetpy.runtime.evaluation.samples import samples_ahead
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.captures import Captures
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.mechanism_rows import RULES
from duetpy.typecheck.prelude import signatures
from duetpy.typecheck.quantity import KindVar, OutsideDomain, Quantity

MOST = 10_000
"""More passes, or more forms on the way to them, are not counted."""

GRADIENTS = ("∇", "U∇", "row∇", "step∇")


def is_of_shape(name: str) -> bool:
    """Whether nothing moves a primitive: it looks at the type of its operand alone."""
    stated = [sensitivity for each in signatures(name, None, 0) for sensitivity in each.sensitivities]
    return bool(stated) and all(sensitivity.is_zero for sensitivity in stated)


@define
class Program:
    """A program, with the functions that its names stand for.

    Parameters
    ----------
    root
        The program.
    main
        The privacy function that it is; None if that is not a λ.
    functions
        Functions by their names.
    order
        All forms, each after those below it.
    seen_by_rows
        Those that are computed for each row.
    plain
        Those that define, call or are the program: functions that need no name.
    captures
        Tells which outer names a function mentions.
    rows
        Which forms and names hold the rows that others hold.
    passed_on
        Forms whose rows the form above them needs in order only, or is made of.
    loose
        Functions, and names of functions, that stand elsewhere than where they are defined or called.
    parts
        The names of the parts of tables by a key.
    """

    root: core.Node
    main: core.PLam | None = field(init=False)
    functions: dict[str, core.Lam | core.PLam] = field(factory=dict, init=False)
    order: list[core.Node] = field(factory=list, init=False)
    seen_by_rows: set[core.Node] = field(factory=set, init=False)
    plain: set[core.Node] = field(factory=set, init=False)
    captures: Captures = field(factory=Captures, init=False)
    rows: Flow = field(init=False)
    passed_on: set[core.Node] = field(init=False)
    loose: list[core.Node] = field(init=False)
    parts: set[str] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.captures.of(self.root)
        pending: list[tuple[core.Node, bool]] = [(self.root, False)]
        while pending:
            node, is_seen = pending.pop()
            self.order.append(node)
            if is_seen:
                self.seen_by_rows.add(node)
            if isinstance(node, core.Let | core.PLet) and isinstance(node.bound, core.Lam | core.PLam):
                self.functions[node.name] = node.bound
                self.plain.add(node.bound)
            if isinstance(node, core.App | core.TypeApp | core.PApp):
                self.plain.add(node.function)
            bodies = _row_bodies(node)
            pending += [(child, is_seen or child in bodies) for child in core.children(node)]
        self.order.reverse()
        tail = self.root
        while isinstance(tail, core.Let):
            tail = tail.body
        self.plain.add(tail)
        main = self.function(tail)
        self.main = main if isinstance(main, core.PLam) else None
        self.rows = Flow(self, made_of, self.given)
        # What holds rows may be the value of a function: then its calls hold them.
        self.passed_on = {function.body for function in self.functions.values()}
        for node in self.order:
            self.passed_on.update(made_of(node), self._goes_over(node))
        self.loose = list(filter(self._is_loose, self.order))
        self.parts = {node.part for node in self.order if isinstance(node, core.Parallel)}

    def function(self, node: core.Node) -> core.Lam | core.PLam | None:
        """The function that an expression is, where the text says it."""
        while isinstance(node, core.TypeApp):
            node = node.function
        return node if isinstance(node, core.Lam | core.PLam) else self.functions.get(getattr(node, "name", ""))

    def called(self, node: core.App | core.PApp) -> tuple[core.Lam | core.PLam | None, list[core.Expression]]:
        """The function of a call, and its arguments."""
        args: list[core.Expression] = []
        here: core.Node = node
        while isinstance(here, core.App | core.TypeApp):
            if isinstance(here, core.App):
                args.append(here.argument)
            here = here.function
        if isinstance(node, core.PApp):
            here, args = node.function, list(node.args)[::-1]
        return self.function(here), args[::-1]

    def whole(self, node: core.App | core.PApp) -> core.Lam | core.PLam | None:
        """The function that a call gives all its arguments."""
        function, args = self.called(node)
        return function if function is not None and len(args) == len(function.params) else None

    def _is_loose(self, node: core.Node) -> bool:
        is_called = node in self.plain
        match node:
            case core.Var(name=name) if name in self.functions:
                return node in self.seen_by_rows or not is_called
            case core.Lam() | core.PLam():
                return not is_called
            case _:
                return False

    def given(self, node: core.Node) -> Iterator[tuple[str, core.Node]]:
        """What a form gives a name to, and the parts of a table."""
        match node:
            case core.Let(name=name, bound=given) | core.PLet(name=name, bound=given):
                yield name, given
            case core.Parallel(part=name, table=given, most=None):
                yield name, given
            case core.App() | core.PApp():
                function, args = self.called(node)
                params = () if function is None else function.params
                yield from ((param.name, arg) for param, arg in zip(params, args, strict=False))

    def _goes_over(self, node: core.Node) -> tuple[core.Node, ...]:
        """The forms directly below one that it needs the rows of in order only."""
        match node:
            case core.RowFold(arg=table) | core.Fold(arg=table) | core.Let(bound=table) | core.PLet(bound=table):
                return (table,)
            case core.Sample(tables=tables):
                return tables
            case core.PFoldRows(features=features, labels=labels):
                return (features, labels)
            case core.Parallel(table=table, most=None):
                return (table,)
            case core.Prim(name=name, args=args) if facts_of(name).counts == "row" or is_of_shape(name):
                return args
            case core.Prim(name=name, args=args) if name in GRADIENTS:
                return args[1:]
            case core.App() | core.PApp():
                function, given = self.called(node)
                is_whole = function is not None and (len(given) == len(function.params) or node in self.plain)
                return tuple(given) if is_whole else ()
            case _:
                return ()

    def elsewhere(self, parameter: int) -> core.Node | None:
        """Where the table of a parameter is wanted as a whole; None if it is only gone over."""
        return self.holding(parameter).elsewhere()

    def holding(self, parameter: int) -> Holding:
        """What holds rows of a parameter."""
        assert self.main is not None
        return Holding(self, self.main.params[parameter].name)

    def passes(self, parameter: int, numbers: Mapping[KindVar, Quantity]) -> int | None:
        """How often the rows of a parameter that is only gone over are read at most, the first time included; None for more than
        `MOST`, and where a number is not known that decides it."""
        holding = self.holding(parameter)
        assert self.main is not None
        found, steps = 1, 0
        pending: list[tuple[core.Node, int]] = [(self.main.body, 1)]
        while pending:
            node, times = pending.pop()
            together = self._samples_ahead(node, times, numbers) if isinstance(node, core.Sample) else 1
            found, steps = found + -(-times // together) * holding.is_pass(node), steps + 1
            if max(found, steps) > MOST:
                return None
            if isinstance(node, core.App | core.PApp) and (function := self.whole(node)) is not None:
                pending.append((function.body, times))
            times = min(times * _turns(node, numbers), MOST + 1)
            pending += [(child, times) for child in core.children(node) if not isinstance(child, core.Lam | core.PLam)]
        return found

    def _samples_ahead(self, node: core.Sample, turns: int, numbers: Mapping[KindVar, Quantity]) -> int:
        """For how many turns the rows of a sample are looked up at once; 1 if the tables may change between turns."""
        assert self.main is not None
        tables = {param.name: param.type for param in self.main.params}
        types = [tables.get(getattr(table, "name", "")) for table in node.tables]
        static = node.size.static
        size = static.value.magnitude if isinstance(static, t.StaticReal) else getattr(static, "value", None)
        if node.scheme == "poisson" and isinstance(types[0], t.Matrix):
            size = types[0].rows and size and types[0].rows * size
        wanted = [size, *(type_.width for type_ in types if isinstance(type_, t.Matrix))]
        found = [number for each in wanted if each and (number := _evaluated(each, numbers)) is not None]
        is_known = len(found) == 1 + len(types) and node.scheme != "shuffle"
        return samples_ahead(turns, found[0], ceil(sum(found[1:]))) if is_known else 1


def only_sampled(root: core.Node) -> frozenset[str]:
    """The parameters of a program, as it calls them, of whose tables it draws samples, and wants nothing else but the shape."""
    program = Program(root)
    drawn: set[core.Node] = set()
    shaped: set[core.Node] = set()
    for node in program.order:
        match node:
            case core.Sample(scheme="sample" | "poisson", tables=tables):
                drawn.update(tables)
            case core.Prim(name=name, args=args) if is_of_shape(name):
                shaped.update(args)
    names = {node.name for node in drawn if isinstance(node, core.Var)}
    names -= {node.name for node in program.order if isinstance(node, core.Var) and node not in drawn | shaped}
    return frozenset(param.written for param in (program.main.params if program.main else ()) if param.name in names)


def _turns(node: core.Node, numbers: Mapping[KindVar, Quantity]) -> int:
    """How often what is in a form is computed at most; more than `MOST` where that is not known."""
    match node:
        case core.Mechanism(name=name, params=(core.Expression() as epochs, *_)) if RULES.get(name) == "descent":
            return _number(epochs, numbers)
        case core.Loop(count=count) | core.PLoop(count=count):
            return _number(count, numbers)
        case core.Parallel(keys=core.SetLit(elements=elements)):
            return len(elements)
        case core.Parallel() | core.PMap() | core.PFoldRows():
            return MOST + 1
        case core.Mechanism(candidates=candidates) if candidates is not None:
            return MOST + 1
        case _:
            return 1


def _evaluated(size: Quantity, numbers: Mapping[KindVar, Quantity]) -> Fraction | None:
    """The number that a quantity is, or one that is hardly above it; None where it is not known."""
    try:
        found = size.substitute(numbers).evaluate({}, up=True)
    except (KeyError, OutsideDomain):
        return None
    return found if isinstance(found, Fraction) else None


def _number(node: core.Expression, numbers: Mapping[KindVar, Quantity]) -> int:
    """The natural number that an expression is, if its type says so."""
    known = getattr(node.static, "value", None)
    shown = known.substitute(numbers).show() if isinstance(known, Quantity) else ""
    return int(shown) if shown.isdecimal() and len(shown) < 10 else MOST + 1


def _row_bodies(node: core.Node) -> tuple[core.Node, ...]:
    """The forms directly below one that are computed for each row, or cell."""
    match node:
        case core.Map(body=body) | core.Filter(body=body) | core.Fold(body=body) | core.Flat(body=body):
            return (body,)
        case core.MCreate(body=body) | core.RowFold(term=body) | core.Parallel(key_of=body):
            return (body,)
        case core.Mechanism(body=body, name=name) if RULES.get(name) in ("found", "counted"):
            return (body,)
        case _:
            return ()


def made_of(node: core.Node) -> tuple[core.Node, ...]:
    """The forms directly below one whose rows its own are made of."""
    match node:
        case core.Let(body=body):
            return (body,)
        case core.Map(args=args, form=form) if form != "column":
            return args if len(args) == 1 else ()
        case core.Filter(arg=table) | core.Flat(arg=table) | core.Select(table=table):
            return (table,)
        case core.Prim(name=name, args=args) if (stated := facts_of(name)).is_row_wise and not stated.remeasures:
            return args if name not in ROUNDING or node.may_round or node.is_discrete else ()
        case core.Prim(name="row∇", args=args):
            return args[1:]
        case _:
            return ()


@define
class Flow:
    """What the value of a form may be the value of: the forms directly above it that it stands for, and the names it is given.

    Parameters
    ----------
    program
        The program.
    below
        The forms directly below one that its value is made of.
    named
        What a form gives a name to.
    above
        Where a form, or what a name stands for, is next.
    """

    program: Program
    below: Callable[[core.Node], Iterable[core.Node]]
    named: Callable[[core.Node], Iterable[tuple[str, core.Node]]]
    above: dict[core.Node | str, list[core.Node | str]] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        for node in self.program.order:
            for child in self.below(node):
                self.above.setdefault(child, []).append(node)
            for name, given in self.named(node):
                self.above.setdefault(given, []).append(name)
            match node:
                case core.Var(name=name):
                    self.above.setdefault(name, []).append(node)
                case core.App() | core.PApp() if (function := self.program.whole(node)) is not None:
                    self.above.setdefault(function.body, []).append(node)

    def reached(self, names: Iterable[str]) -> tuple[set[str], set[core.Node]]:
        """The names and the forms that what some names stand for reaches."""
        found: set[core.Node | str] = set()
        pending: list[core.Node | str] = list(names)
        while pending:
            if (item := pending.pop()) not in found:
                found.add(item)
                pending += self.above.get(item, ())
        return {item for item in found if isinstance(item, str)}, {item for item in found if not isinstance(item, str)}


@define
class Holding:
    """The names and the forms that hold rows of one table.

    Parameters
    ----------
    program
        The program.
    given
        The name of the table itself.
    names, forms
        What holds rows.
    functions
        The functions that mention a name that holds rows, or such a function, by their names.
    """

    program: Program
    given: str
    names: set[str] = field(init=False)
    forms: set[core.Node] = field(init=False)
    functions: set[str] = field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        self.names, self.forms = self.program.rows.reached([self.given])
        # A function mentions those whose scope it stands in, and these come first.
        for name, function in self.program.functions.items():
            if self._mentions(function):
                self.functions.add(name)

    def _mentions(self, function: core.Lam | core.PLam) -> bool:
        free = self.program.captures.of(function)
        return not (free.isdisjoint(self.names) and free.isdisjoint(self.functions))

    def elsewhere(self) -> core.Node | None:
        """A form that holds rows, or a function that sees them, where the whole table is wanted; None if nothing wants it."""
        program = self.program
        found = {node for node in self.forms if node in program.seen_by_rows or node not in program.passed_on}
        found.update(node for node in program.loose if self._is_mentioned(node))
        return next((node for node in reversed(program.order) if node in found), None) if found else None

    def _is_mentioned(self, function: core.Node) -> bool:
        """Whether a function, or the one of a name, mentions what holds rows."""
        if isinstance(function, core.Lam | core.PLam):
            return self._mentions(function)
        return isinstance(function, core.Var) and function.name in self.functions

    def is_pass(self, node: core.Node) -> bool:
        """Whether the rows are read for a form."""
        match node:
            case core.RowFold(arg=table) | core.Fold(arg=table) | core.Parallel(table=table):
                return table in self.forms
            case core.Sample(tables=tables):
                return any(table in self.forms for table in tables)
            case core.Prim(name=name, args=(table,)) if facts_of(name).counts == "row":
                # A table has a row for each that was read, and the parts of one are counted together.
                is_known = isinstance(table, core.Var) and (
                    table.name in self.program.parts or table.name == self.given
                )
                return table in self.forms and not is_known
            case core.PFoldRows(features=features, labels=labels):
                return features in self.forms or labels in self.forms
            case core.Prim(name="∇" | "U∇" | "step∇", args=args):
                return any(arg in self.forms for arg in args)
            case _:
                return False
