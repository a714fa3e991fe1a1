"""Which columns of a table that is only gone over a program looks at: a pass over it need not read the others.

Contract. What decides is the program alone. A column is looked at where its field of a row is taken, or an entry of a row by a
number that is written out, and where it is selected. Where a row stands anywhere else, or a table with the same columns, all
columns are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import define, field

from duetpy.runtime.evaluation.leads import Leads
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
    looks = Looks(program)
    return {param.written: looks.at(param.name) for at, param in tables if program.elsewhere(at) is None}


@define
class Looks:
    """What a program looks at of its tables, whichever of them is asked for: found once for all of them.

    Parameters
    ----------
    program
        The program.
    leads
        Which forms and names stand for a table with the same columns, or for a row of it, if a form or a name does.
    rows
        The tables whose rows a form goes over, each with the names of a row.
    taken
        The forms of which columns are taken, each with these.
    passed_on
        The forms that stand where they are given another name, or where nothing but their shape is wanted.
    """

    program: Program
    leads: Leads = field(factory=Leads, init=False)
    rows: dict[core.Node, list[str]] = field(factory=dict, init=False)
    taken: dict[core.Node, list[int]] = field(factory=dict, init=False)
    passed_on: set[core.Node] = field(factory=set, init=False)

    def __attrs_post_init__(self) -> None:
        self.passed_on.update(function.body for function in self.program.functions.values())
        for node in self.program.order:
            self._add(node)

    def _add(self, node: core.Node) -> None:
        kept = _kept(node)
        self.passed_on.update(kept, _shaped(node))
        for part in kept:
            self.leads.add(part, node)
        if isinstance(node, core.Var):
            self.leads.add(node.name, node)
        if isinstance(node, core.App | core.PApp):
            function, args = self.program.called(node)
            if function is not None and len(args) == len(function.params):
                self.leads.add(function.body, node)
        for name, given in _named(self.program, node):
            self.leads.add(given, name)
            self.passed_on.add(given)
        for row, table in _gone_over(node):
            self.rows.setdefault(table, []).append(row)
        for form, place in _taken(node):
            self.taken.setdefault(form, []).append(place)

    def at(self, name: str) -> frozenset[int] | None:
        """The places of the columns that the program looks at of the table of a name; None for all of them."""
        tables = {fact for fact in self.leads.reached([name]) if isinstance(fact, core.Node)}
        rows = self.leads.reached(row for table in tables for row in self.rows.get(table, ()))
        forms = {fact for fact in rows if isinstance(fact, core.Node)}
        elsewhere = [form for form in tables - self.rows.keys() if not self._is_known(form)]
        elsewhere += [form for form in forms if not self._is_known(form)]
        return None if elsewhere else frozenset(place for form in tables | forms for place in self.taken.get(form, ()))

    def _is_known(self, form: core.Node) -> bool:
        return form in self.passed_on or form in self.taken


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
