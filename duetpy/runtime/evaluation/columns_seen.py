"""Which columns of a table that is only gone over a program looks at: a pass over it need not read the others.

Contract. What decides is the program alone. A column is looked at where its field of a row is taken, or an entry of a row by a
number that is written out, and where it is selected. Where a row stands anywhere else, or a table with the same columns, all
columns are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from attrs import define, field

from duetpy.runtime.evaluation.passes import Flow, Program, is_of_shape
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.facts import facts_of


def gone_over(root: core.Node) -> Mapping[str, frozenset[int] | None]:
    """The parameters of a program, as it calls them, whose tables it only goes over, each with the places of the columns that it
    looks at; None for all of them."""
    program = Program(root)
    if program.main is None or any(isinstance(node, core.ForeignCall) for node in program.order):
        return {}
    looks = _Looks(program)
    tables = [(at, param) for at, param in enumerate(program.main.params) if isinstance(param.type, t.Matrix)]
    return {param.written: looks.at(param.name) for at, param in tables if program.elsewhere(at) is None}


@define
class _Looks:
    """What a program does with tables and their rows.

    Parameters
    ----------
    program
        The program.
    same
        Which forms and names stand for the table or the row that others stand for.
    rows
        The tables whose rows a form goes over, each with the name of a row.
    taken
        Tables or rows, each with a column that a form takes of it.
    passed_on
        Forms of which nothing else is taken where they stand.
    """

    program: Program
    same: Flow = field(init=False)
    rows: list[tuple[str, core.Node]] = field(init=False)
    taken: list[tuple[core.Node, int]] = field(init=False)
    passed_on: set[core.Node] = field(init=False)

    def __attrs_post_init__(self) -> None:
        order, named = self.program.order, partial(_named, self.program)
        self.same = Flow(self.program, _kept, named)
        self.rows = [each for form in order for each in _gone_over(form)]
        self.taken = [each for form in order for each in _taken(form)]
        self.passed_on = {function.body for function in self.program.functions.values()}
        for form in order:
            self.passed_on.update(_kept(form), _shaped(form), (given for _, given in named(form)))

    def at(self, name: str) -> frozenset[int] | None:
        """The columns of the table of a name that the program looks at; None for all of them."""
        _, tables = self.same.reached([name])
        _, rows = self.same.reached([row for row, table in self.rows if table in tables])
        looks = [(node, place) for node, place in self.taken if node in tables or node in rows]
        looked = {node for node, _ in looks}
        known = self.passed_on.union(table for _, table in self.rows)
        are_all = tables - known - looked or rows - self.passed_on - looked
        return None if are_all else frozenset(place for _, place in looks)


def _kept(node: core.Node) -> tuple[core.Node, ...]:
    """The form directly below one that its value is of the same kind as."""
    match node:
        case core.Let(body=kept) | core.Filter(arg=kept):
            return (kept,)
        case _:
            return ()


def _named(program: Program, node: core.Node) -> Iterable[tuple[str, core.Node]]:
    """What a form gives a name to, as it is: what a function returns is known of whole calls alone."""
    is_part = isinstance(node, core.App | core.PApp) and program.whole(node) is None
    return () if is_part else program.given(node)


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
