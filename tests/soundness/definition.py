"""The meaning of sensitivity expressions, written to be read: plain recursion over the syntax tree, exact numbers.

This is the reference that the evaluator is compared with, and that the falsifier may run. It knows nothing about lanes, blocks
or caches. Roots, logarithms and logistic weights are floats; all else is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

from duetpy.grammar import ast
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import Annotations
from duetpy.typecheck.quantity import KindVar, Quantity, Signed
from tests.soundness.plain import Left, Number, Right, Table
from tests.soundness.plain_flat import flat
from tests.soundness.plain_functions import (
    FRAMES,
    PRIMITIVES,
    as_real,
    chunks,
    field_of,
    gradients,
    join,
    mclip,
    mean,
    record_of,
    select,
    step,
)

Kinds = Mapping[KindVar, Fraction]
Names = Mapping[str, Any]


def number_at(value: Quantity, kinds: Kinds) -> Number:
    """The value of a quantity: exact where it is rational."""
    constant = value.constant
    if constant is not None:
        return constant
    low, high = value.evaluate(kinds, up=False), value.evaluate(kinds, up=True)
    if low == high and isinstance(low, Fraction):
        return low
    return float(high)


def signed_at(value: Signed, kinds: Kinds) -> Number:
    size = number_at(value.magnitude, kinds)
    return -size if value.negative else size


class Meaning:
    """Evaluation of one program, with the checker's tables for its static numbers."""

    def __init__(self, annotations: Annotations) -> None:
        self.annotations = annotations

    def of(self, node: ast.SExp, names: Names, kinds: Kinds) -> Any:
        match node:
            case ast.Var(name=name):
                return names[name]
            case ast.NatLit(value=value):
                return value if value >= 0 else Fraction(value)
            case ast.RealLit(value=value):
                return Fraction(value)
            case ast.StrLit(value=value) | ast.BoolLit(value=value) | ast.DateLit(value=value):
                return value
            case ast.StaticNat():
                return int(signed_at(self.annotations.numbers[node], kinds))
            case ast.StaticReal():
                return as_real(signed_at(self.annotations.numbers[node], kinds))
            case ast.Prim():
                return self.primitive(node, names, kinds)
            case ast.Let(name=name, bound=bound, body=body):
                return self.of(body, {**names, name.text: self.of(bound, names, kinds)}, kinds)
            case ast.LetPair(left=left, right=right, bound=bound, body=body):
                first, second = self.of(bound, names, kinds)
                return self.of(body, {**names, left.text: first, right.text: second}, kinds)
            case ast.Lam():
                return self.function(node, names, kinds)
            case ast.App(function=function, argument=argument):
                return self.of(function, names, kinds)(self.of(argument, names, kinds))
            case ast.TypeApp(function=function):
                return self.of(function, names, kinds)
            case ast.Pair(left=left, right=right):
                return (self.of(left, names, kinds), self.of(right, names, kinds))
            case ast.Inject(side=side, arg=arg):
                value = self.of(arg, names, kinds)
                return Left(value) if side == "inl" else Right(value)
            case ast.Case():
                return self.case(node, names, kinds)
            case ast.Nothing():
                return None
            case ast.CaseMissing(scrutinee=scrutinee, name=name, there=there, absent=absent):
                value = self.of(scrutinee, names, kinds)
                bound = names if value is None else {**names, name.text: value}
                return self.of(absent if value is None else there, bound, kinds)
            case ast.Record(names=fields, values=values):
                return record_of([name.text for name in fields], [self.of(value, names, kinds) for value in values])
            case ast.SetLit(elements=elements):
                return frozenset(self.of(element, names, kinds) for element in elements)
            case ast.If(guard=guard, then=then, otherwise=otherwise):
                return self.of(then if self.of(guard, names, kinds) else otherwise, names, kinds)
            case ast.Loop():
                return self.loop(node, names, kinds)
            case ast.FieldOf(record=record, name=name):
                return field_of(self.of(record, names, kinds), name.text)
            case ast.Select(table=table, names=chosen):
                return select(self.of(table, names, kinds), [name.text for name in chosen])
            case ast.Map(form="bmap" | "mapDF"):
                return self.elements(node, names, kinds)
            case ast.FrameOp(form=form, column=column, args=written):
                return FRAMES[form](column.text, *(self.of(arg, names, kinds) for arg in written))
            case _:
                return self.matrix_form(node, names, kinds)

    def function(self, node: ast.Lam, names: Names, kinds: Kinds) -> Callable[[Any], Any]:
        """A curried function; its kind variables are read off the arguments."""
        domains = self.annotations.domains[node]

        def applied(arguments: tuple[Any, ...], inner: Kinds) -> Callable[[Any], Any]:
            def to(argument: Any) -> Any:
                given = (*arguments, argument)
                known = dict(inner)
                read_kinds(domains[len(arguments)], argument, known)
                if len(given) < len(node.params):
                    return applied(given, known)
                bound = {param.name.text: value for param, value in zip(node.params, given, strict=True)}
                return self.of(node.body, {**names, **bound}, known)

            return to

        own = set(self.annotations.binders.get(node, ()))
        return applied((), {variable: value for variable, value in kinds.items() if variable not in own} | dict(kinds))

    def case(self, node: ast.Case, names: Names, kinds: Kinds) -> Any:
        match self.of(node.scrutinee, names, kinds):
            case Left(value):
                return self.of(node.left_body, {**names, node.left.text: value}, kinds)
            case Right(value):
                return self.of(node.right_body, {**names, node.right.text: value}, kinds)
            case other:
                raise AssertionError(other)

    def loop(self, node: ast.Loop, names: Names, kinds: Kinds) -> Any:
        count = self.of(node.count, names, kinds)
        state = self.of(node.init, names, kinds)
        for index in range(int(count)):
            state = self.of(node.body, {**names, node.index.text: index, node.state.text: state}, kinds)
        return state

    def matrix_form(self, node: ast.SExp, names: Names, kinds: Kinds) -> Any:
        match node:
            case ast.MCreate(rows=rows, cols=cols, row=row, col=col, body=body):
                m, n = self.of(rows, names, kinds), self.of(cols, names, kinds)
                return Table(
                    tuple(
                        tuple(self.of(body, {**names, row.text: i, col.text: j}, kinds) for j in range(n))
                        for i in range(m)
                    ),
                    n,
                )
            case ast.Map(form=form):
                tables = [self.of(arg, names, kinds) for arg in node.args]
                return {"mmap": self.entries, "mmap-row": self.rows, "mmap-col": self.columns}[form](
                    node, tables, names, kinds
                )
            case ast.Fold(init=init, arg=arg, state=state, row=row, body=body):
                value = self.of(init, names, kinds)
                table = self.of(arg, names, kinds)
                for entries in table.rows:
                    one = table.with_rows((entries,))
                    value = self.of(body, {**names, state.text: value, row.text: one}, kinds)
                return value
            case ast.Filter(arg=arg, row=row, body=body):
                table = self.of(arg, names, kinds)
                kept = [
                    entries
                    for entries in table.rows
                    if self.of(body, {**names, row.text: table.with_rows((entries,))}, kinds)
                ]
                return table.with_rows(tuple(kept))
            case ast.Flat(most=most, arg=arg, row=row, body=body):
                table = self.of(arg, names, kinds)
                made = [
                    self.of(body, {**names, row.text: table.with_rows((entries,))}, kinds) for entries in table.rows
                ]
                if not made and table.a_row is not None:
                    alike = self.of(body, {**names, row.text: table.with_rows((table.a_row,))}, kinds)
                    return flat(0, table.with_rows((table.a_row,)), [alike])
                return flat(int(self.of(most, names, kinds)), table, made)
            case ast.Index(matrix=matrix, row=row, col=col):
                table = self.of(matrix, names, kinds)
                entries = table.rows[place(self.of(row, names, kinds), table.rows)] if table.rows else nobody(table)
                if col is None:
                    return table.with_rows((entries,))
                return entries[place(self.of(col, names, kinds), entries)]
            case ast.Update(matrix=matrix, row=row, col=col, value=value):
                table = self.of(matrix, names, kinds)
                i = place(self.of(row, names, kinds), table.rows)
                j = place(self.of(col, names, kinds), table.rows[i])
                changed = [list(entries) for entries in table.rows]
                changed[i][j] = self.of(value, names, kinds)
                return table.with_rows(tuple(map(tuple, changed)))
            case _:
                raise TypeError(type(node).__name__)

    def entries(self, node: ast.Map, tables: list[Table], names: Names, kinds: Kinds) -> Table:
        def at(values: tuple[Any, ...]) -> Any:
            bound = {name.text: value for name, value in zip(node.names, values, strict=True)}
            return self.of(node.body, {**names, **bound}, kinds)

        first = tables[0]
        grid = tuple(
            tuple(at(values) for values in zip(*rows, strict=True))
            for rows in zip(*(table.rows for table in tables), strict=True)
        )
        samples = [table.a_row for table in tables if table.a_row is not None]
        if not grid and len(samples) == len(tables):
            return Table(grid, first.width, None, tuple(at(values) for values in zip(*samples, strict=True)))
        return Table(grid, first.width)

    def rows(self, node: ast.Map, tables: list[Table], names: Names, kinds: Kinds) -> Table:
        def at(rows: tuple[tuple[Any, ...], ...]) -> Any:
            bound = {
                name.text: table.with_rows((entries,))
                for name, table, entries in zip(node.names, tables, rows, strict=True)
            }
            return self.of(node.body, {**names, **bound}, kinds)

        made = [at(rows) for rows in zip(*(table.rows for table in tables), strict=True)]
        samples = [table.a_row for table in tables if table.a_row is not None]
        gives_rows = self.annotations.elements[node].gives_rows
        if not made and len(samples) == len(tables):
            return stacked([at(tuple(samples))], 0, gives_rows)
        return stacked(made, len(made), gives_rows)

    def elements(self, node: ast.Map, names: Names, kinds: Kinds) -> Table:
        """``bmap`` and ``mapDF``: the body sees a row, or the one cell of it."""
        bag, shape = self.of(node.args[0], names, kinds), self.annotations.elements[node]

        def at(entries: tuple[Any, ...]) -> Any:
            element = entries[0] if shape.is_cell else bag.with_rows((entries,))
            return self.of(node.body, {**names, node.names[0].text: element}, kinds)

        made = [at(entries) for entries in bag.rows]
        if not made and bag.a_row is not None:
            return stacked([at(bag.a_row)], 0, shape.gives_rows)
        return stacked(made, len(made), shape.gives_rows)

    def columns(self, node: ast.Map, tables: list[Table], names: Names, kinds: Kinds) -> Table:
        made: list[Any] = []
        for j in range(tables[0].width):
            bound = {
                name.text: Table(
                    tuple((entries[j],) for entries in table.rows), 1, None, table.a_row and (table.a_row[j],)
                )
                for name, table in zip(node.names, tables, strict=True)
            }
            made.append(self.of(node.body, {**names, **bound}, kinds))
        if made and isinstance(made[0], Table) and self.annotations.elements[node].gives_rows:
            height = len(made[0].rows)
            samples = [column.a_row for column in made if column.a_row is not None]
            once = tuple(entry for sample in samples for entry in sample) if len(samples) == len(made) else None
            rows = tuple(tuple(column.rows[i][0] for column in made) for i in range(height))
            return Table(rows, len(made), None, once)
        return Table((tuple(made),), len(made))

    def keys_of_row(self, node: ast.Parallel, row: Table, names: Names, kinds: Kinds) -> frozenset[Any]:
        """In the parts of which keys a row is: of several, those that come first in some order."""
        found = self.of(node.key_of, {**names, node.row.text: row}, kinds)
        if node.most is None:
            return frozenset({found})
        listed = sorted(found & self.of(node.keys, names, kinds), key=repr)
        return frozenset(listed[: int(self.of(node.most, names, kinds))])

    # Primitives

    def primitive(self, node: ast.Prim, names: Names, kinds: Kinds) -> Any:
        args = [self.of(arg, names, kinds) for arg in node.args]
        bounds = [self.of(bound, names, kinds) for bound in node.bounds]
        match node.name:
            case "mclip":
                assert node.norm is not None
                return mclip(node.norm, bounds[0] if bounds else 1, args[0])
            case "clip":
                low, high = bounds if bounds else (Fraction(-1), Fraction(1))
                return min(max(as_real(args[0]), as_real(low)), as_real(high))
            case "discf":
                return args[0]
            case "∇" | "U∇":
                return mean(gradients(node.loss, bounds, *args))
            case "step∇":
                return step(node.loss, bounds, *args)
            case "row∇":
                return gradients(node.loss, bounds, *args)
            case "chunks":
                return chunks(*args)
            case "join₁":
                return join(*args)
            case name:
                return PRIMITIVES[name](*args)


def nobody(table: Table) -> tuple[Any, ...]:
    """What stands for a row of a table that has none."""
    return tuple(nothing(entry) for entry in table.a_row or ())


def nothing(entry: Any) -> Any:
    """Zero, false, the empty text, the first day, or a pair of such; what else there is stands for itself."""
    match entry:
        case date():
            return date.min
        case tuple():
            return (nothing(entry[0]), nothing(entry[1]))
        case bool() | int() | Fraction() | str() | frozenset():
            return type(entry)()
        case _:
            return entry


def place(index: Number, among: Sequence[Any]) -> int:
    """The place that a computed index is; one beyond the end is the last."""
    return min(int(index), len(among) - 1)


def stacked(results: list[Any], count: int, rows: bool | None = None) -> Table:
    """The first results under each other, each a row or the cell of one; of no results, what one would have looked like."""
    if not results:
        return Table((), 1)
    first = results[0]
    if rows if rows is not None else isinstance(first, Table):
        return Table(tuple(row.rows[0] for row in results[:count]), first.width, first.names, first.rows[0])
    return Table(tuple((cell,) for cell in results[:count]), 1, None, (first,))


def read_kinds(wanted: t.Type, value: Any, known: dict[KindVar, Fraction]) -> None:
    """Sizes and static numbers: what a value of a type determines about its kind variables."""

    def is_(pattern: Quantity, number: Number) -> None:
        for variable in pattern.variables():
            if pattern == Quantity.var(variable):
                known[variable] = Fraction(number)

    match wanted:
        case t.StaticNat(pattern):
            is_(pattern, value)
        case t.StaticReal(pattern):
            is_(pattern.magnitude, abs(value))
        case t.Matrix(rows=rows, schema=schema):
            if rows is not None:
                is_(rows, len(value.rows))
            if isinstance(schema, t.Uniform):
                is_(schema.count, value.width)
        case t.Product(left, right) | t.With(left, right):
            read_kinds(left, value[0], known)
            read_kinds(right, value[1], known)
        case _:
            pass
