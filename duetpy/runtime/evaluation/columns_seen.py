"""Which columns of a table that is only gone over a program looks at: a pass over it need not read the others.

Contract. What decides is the program alone. A column is looked at where its field of a row is taken, or an entry of a row by a
number that is written out, and where it is selected. Where a row stands anywhere else, or a table with the same columns, all
columns are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import define, field

from duetpy.runtime.evaluation.passes import Program, is_of_shape
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.facts import facts_of


def gone_over(root: core.Node) -> Mapping[str, frozenset[int] | None]:
    """The parameters of a program, as it calls them, whose tables it only goes over, each with the places of the columns that it
    looks at; None for all of them."""
    program = Program(root)
    if program.main is None or any(isinstance(node, core.ForeignCall) for node in program.order):
        return {}
    tables = [(at, param) for at, param in enumerate(program.main.params) if isinstance(param.type, t.Matrix)]
    return {param.written: _looked_at(program, param.name) for at, param in tables if program.elsewhere(at) is None}


def _looked_at(program: Program, name: str) -> frozenset[int] | None:
    tables, rows = Standing(program, {name}), Standing(program)
    known = 0
    while known < (known := tables.size + rows.size):
        for order in (program.order, reversed(program.order)):
            # What a form stands for follows from those below it, and what a name stands for is found above where it stands.
            for node in order:
                tables.follow(node)
                rows.names.update(row for row, table in _gone_over(node) if table in tables.forms)
                rows.follow(node)
    looks = [
        (node, place) for form in program.order for node, place in _taken(form) if node in tables.forms | rows.forms
    ]
    passed_on: set[core.Node] = {function.body for function in program.functions.values()}
    for form in program.order:
        passed_on.update(_kept(form), _shaped(form), (given for _, given in _named(program, form)))
    passed_on.update(node for node, _ in looks)
    of_tables = {table for form in program.order for _, table in _gone_over(form)}
    are_all = tables.forms - of_tables - passed_on or rows.forms - passed_on
    return None if are_all else frozenset(place for _, place in looks)


@define
class Standing:
    """The names and the forms of a program that stand for the same kind of thing: tables with the columns of a given one, or rows
    of these."""

    program: Program
    names: set[str] = field(factory=set)
    forms: set[core.Node] = field(factory=set, init=False)

    @property
    def size(self) -> int:
        return len(self.names) + len(self.forms)

    def follow(self, node: core.Node) -> None:
        """Find whether a form stands for one, and what it gives a name to."""
        is_name = isinstance(node, core.Var) and node.name in self.names
        if is_name or any(child in self.forms for child in _kept(node)):
            self.forms.add(node)
        if isinstance(node, core.App | core.PApp):
            function, args = self.program.called(node)
            if function is not None and len(args) == len(function.params) and function.body in self.forms:
                self.forms.add(node)
        self.names.update(name for name, given in _named(self.program, node) if given in self.forms)


def _kept(node: core.Node) -> tuple[core.Node, ...]:
    """The form directly below one that its value is of the same kind as."""
    match node:
        case core.Let(body=kept) | core.Filter(arg=kept):
            return (kept,)
        case _:
            return ()


def _named(program: Program, node: core.Node) -> Iterator[tuple[str, core.Node]]:
    """What a form gives a name to, as it is."""
    match node:
        case core.Let(name=name, bound=bound) | core.PLet(name=name, bound=bound):
            yield name, bound
        case core.Parallel(part=name, table=table, most=None):
            yield name, table
        case core.App() | core.PApp():
            function, args = program.called(node)
            if function is not None and len(args) == len(function.params):
                yield from ((param.name, arg) for param, arg in zip(function.params, args, strict=True))


def _gone_over(node: core.Node) -> Iterator[tuple[str, core.Node]]:
    """The tables whose rows a form goes over, each with the name of a row."""
    match node:
        case core.RowFold(row=row, arg=table) | core.Fold(row=row, arg=table) | core.Filter(row=row, arg=table):
            yield row, table
        case core.Parallel(row=row, table=table, most=None):
            yield row, table
        case core.Map(form="row" | "element", names=names, args=args, sees_cell=False):
            yield from zip(names, args, strict=True)


def _taken(node: core.Node) -> Iterator[tuple[core.Node, int]]:
    """A row or a table, and each column that a form takes of it."""
    match node:
        case core.Field(record=row, place=place):
            yield row, place
        case core.Index(matrix=row, col=core.Literal(value=int() as place)):
            yield row, place
        case core.Select(table=table, places=places):
            yield from ((table, place) for place in places)


def _shaped(node: core.Node) -> tuple[core.Node, ...]:
    """The tables of which a form wants the shape alone, or the number of rows."""
    match node:
        case core.Prim(name=name, args=args) if facts_of(name).counts == "row" or is_of_shape(name):
            return args
        case _:
            return ()
