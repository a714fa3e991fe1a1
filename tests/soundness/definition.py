"""The meaning of sensitivity expressions, written to be read: plain recursion over the syntax tree, exact numbers.

This is the reference that the evaluator is compared with, and that the falsifier may run. It knows nothing of lanes, blocks
or caches. Roots, logarithms and logistic weights are floats; all else is exact.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.core import Annotations
from duetpy.typecheck.quantity import KindVar, Quantity, Signed
from tests.soundness.plain import Left, Number, Right, Table

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


def as_real(value: Number) -> Number:
    return Fraction(value) if isinstance(value, int) else value


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
            case ast.StrLit(value=value) | ast.BoolLit(value=value):
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
            case ast.Index(matrix=matrix, row=row, col=col):
                table = self.of(matrix, names, kinds)
                entries = table.rows[int(self.of(row, names, kinds))]
                if col is None:
                    return table.with_rows((entries,))
                return entries[int(self.of(col, names, kinds))]
            case ast.Update(matrix=matrix, row=row, col=col, value=value):
                table = self.of(matrix, names, kinds)
                i, j = int(self.of(row, names, kinds)), int(self.of(col, names, kinds))
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


def stacked(results: list[Any], count: int, rows: bool | None = None) -> Table:
    """The first results under each other, each a row or the cell of one; of no results, what one would have looked like."""
    if not results:
        return Table((), 1)
    first = results[0]
    if rows if rows is not None else isinstance(first, Table):
        return Table(tuple(row.rows[0] for row in results[:count]), first.width, first.names, first.rows[0])
    return Table(tuple((cell,) for cell in results[:count]), 1, None, (first,))


def read_kinds(wanted: t.Type, value: Any, known: dict[KindVar, Fraction]) -> None:
    """Sizes and static numbers that a value of a type tells of its kind variables."""

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


def field_of(record: Table, name: str) -> Any:
    return record.rows[0][position(record, name)]


def position(table: Table, name: str) -> int:
    assert table.names is not None
    return len(table.names) - 1 - table.names[::-1].index(name)


def with_column(name: str, value: Any) -> Table:
    """A record with one column more; a table of one column, which gets a name; a record of one column."""
    match value:
        case (Table() as record, added):
            (entries,) = record.rows
            return Table(((*entries, added),), record.width + 1, (*(record.names or ()), name))
        case Table(rows, width):
            return Table(rows, width, (name,))
        case _:
            return Table(((value,),), 1, (name,))


def partition(name: str, table: Table, keys: frozenset[Any]) -> Table:
    place = position(table, name)
    parts = [tuple(entries for entries in table.rows if entries[place] == key) for key in keys]
    return Table(tuple((table.with_rows(part),) for part in parts), 1)


def join_frames(name: str, left: Table, right: Table) -> Table:
    return join(left, position(left, name), right, position(right, name))


FRAMES: dict[str, Callable[..., Any]] = {
    "addColDF": with_column,
    "partitionDF": partition,
    "joinDF₁": join_frames,
}


def select(table: Table, chosen: list[str]) -> Table:
    assert table.names is not None
    places = [table.names.index(name) for name in chosen]
    rows = tuple(tuple(entries[place] for place in places) for entries in table.rows)
    return Table(rows, len(places), tuple(chosen))


def remainder(left: int, right: int) -> int:
    return left % right if right else 0


def root(value: Number) -> Number:
    return math.sqrt(value) if value > 0 else Fraction(0)


def logarithm(value: Number) -> Number:
    return math.log(value) if value > 0 else Fraction(0)


def exponential(value: Number) -> Number:
    """e^x, up to the largest double."""
    found = math.exp(min(max(value, Fraction(-800)), Fraction(709))) if value < 709.7 else sys.float_info.max
    # Twice the largest double is a number too.
    return Fraction(found)


def minus(left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int):
        return max(left - right, 0)
    return left - right


def quotient(left: Number, right: Number) -> Number:
    return as_real(left) / right if right else Fraction(0)


def transposed(table: Table) -> Table:
    return Table(tuple(zip(*table.rows, strict=True)), len(table.rows))


def product(left: Table, right: Table) -> Table:
    columns = [[row[j] for row in right.rows] for j in range(right.width)]
    rows = tuple(
        tuple(sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns)
        for row in left.rows
    )
    return Table(rows, right.width, None, (Fraction(0),) * right.width)


def zipped(left: Table, right: Table) -> Table:
    rows = tuple(
        ((Table((a,), left.width, left.names), Table((b,), right.width, right.names)),)
        for a, b in zip(left.rows, right.rows, strict=True)
    )
    return Table(rows, 1)


def chunks(size: int, *tables: Table) -> Table:
    count = len(tables[0].rows) // size
    parts = [[table.with_rows(table.rows[i * size : (i + 1) * size]) for table in tables] for i in range(count)]
    return Table(tuple((part[0] if len(part) == 1 else tuple(part),) for part in parts), 1)


def join(left: Table, left_key: int, right: Table, right_key: int) -> Table:
    made: list[tuple[Any, ...]] = []
    for entries in left.rows:
        partner = next((other for other in right.rows if other[right_key] == entries[left_key]), None)
        if partner is not None:
            made.append(entries + partner)
    taken = set(left.names or ())
    left_names = left.names or (None,) * left.width
    right_names = tuple(None if name in taken else name for name in right.names or (None,) * right.width)
    once = left.a_row + right.a_row if left.a_row is not None and right.a_row is not None else None
    return Table(tuple(made), left.width + right.width, left_names + right_names, once)


def mclip(norm: Norm, bound: Number, table: Table) -> Table:
    """Every row within a ball: clamped in L∞, scaled down in L1 and L2."""

    def within(row: tuple[Number, ...]) -> tuple[Number, ...]:
        if norm is Norm.LINF:
            return tuple(min(max(entry, -bound), bound) for entry in row)
        length = sum((abs(entry) for entry in row), Fraction(0)) if norm is Norm.L1 else exact_hypot(row)
        return row if length <= bound else tuple(entry * bound / length for entry in row)

    return table.with_rows(tuple(within(row) for row in table.rows))


def exact_hypot(row: tuple[Number, ...]) -> Number:
    """The Euclidean length, exact where it is rational."""
    squares = sum((Fraction(entry) ** 2 for entry in row), Fraction(0))
    top, bottom = math.isqrt(squares.numerator), math.isqrt(squares.denominator)
    if top * top == squares.numerator and bottom * bottom == squares.denominator:
        return Fraction(top, bottom)
    return math.sqrt(squares)


def logistic(z: float) -> float:
    """1/(1 + e^−z)."""
    return 1 / (1 + math.exp(-z)) if z >= 0 else math.exp(z) / (1 + math.exp(z))


def gradients(loss: str | None, numbers: list[Number], theta: Table, xs: Table, ys: Table) -> Table:
    """Row i: the gradient of the loss at row i, class after class."""
    model = theta.rows[0]
    made = []
    for row, (label,) in zip(xs.rows, ys.rows, strict=True):
        parts = [model[at : at + xs.width] for at in range(0, len(model), xs.width)]
        margins = [
            sum((Fraction(a) * Fraction(b) for a, b in zip(part, row, strict=True)), Fraction(0)) for part in parts
        ]
        made.append(tuple(float(w) * float(entry) for w in weights(loss, numbers, margins, label) for entry in row))
    return Table(tuple(made), theta.width)


def step(loss: str | None, numbers: list[Number], theta: Table, xs: Table, ys: Table) -> Table:
    """θ − η⋅(∇ + λ⋅θ)."""
    *own, length, weakening = numbers
    (model,) = theta.rows
    slope = [Fraction(0)] * len(model)
    for row, (label,) in zip(xs.rows, ys.rows, strict=True):
        margin = sum((Fraction(a) * Fraction(b) for a, b in zip(model, row, strict=True)), Fraction(0))
        (weight,) = weights(loss, own, [margin], label)
        slope = [total + Fraction(weight) * Fraction(entry) for total, entry in zip(slope, row, strict=True)]
    moved = (
        Fraction(a) - Fraction(length) * (total / len(xs.rows) + Fraction(weakening) * Fraction(a))
        for a, total in zip(model, slope, strict=True)
    )
    return Table((tuple(moved),), theta.width)


def weights(loss: str | None, numbers: list[Number], margins: list[Fraction], label: Number) -> list[Number]:
    """The derivatives of the loss by the margins."""
    z, y = margins[0], (1 if label > 0 else -1)
    match loss:
        case "LR":  # log(1 + exp(−y z)); beyond ±700 the weight is 0 or 1 to the last digit
            return [-y * logistic(-y * float(min(max(z, Fraction(-700)), Fraction(700))))]
        case "HINGE":  # max(0, 1 − y z)
            return [-y if y * z < 1 else 0]
        case "LS":
            return [min(max(z - label, -1), 1)]
        case "HUBER":  # r²/2 for |r| ≤ c, else c⋅(|r| − c/2), with r = z − label
            c = numbers[0] if numbers else 1
            return [min(max(z - label, -c), c)]
        case _:  # log Σ exp zⱼ − z_label
            odds = [math.exp(max(float(z - max(margins)), -700)) for z in margins]
            own = math.floor(min(max(label, 0), len(margins) - 1))
            return [odd / sum(odds) - (at == own) for at, odd in enumerate(odds)]


def mean(table: Table) -> Table:
    count = len(table.rows)
    return Table((tuple(sum(float(row[j]) for row in table.rows) / count for j in range(table.width)),), table.width)


def sign(value: Number) -> Number:
    return Fraction((value > 0) - (value < 0))


def same(value: Any) -> Any:
    return value


PRIMITIVES: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": minus,
    "⋅": lambda a, b: a * b,
    "/": quotient,
    "%": remainder,
    "⊔": max,
    "⊓": min,
    "√": root,
    "㏒": logarithm,
    "≡": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    "≤": lambda a, b: a <= b,
    "∧": lambda a, b: a and b,
    "∨": lambda a, b: a or b,
    "∈": lambda a, b: a in b,
    "unionAll": lambda sets: frozenset().union(*sets),
    "real": as_real,
    "dyn": same,
    "idx": same,
    "sign": sign,
    "floor": lambda x: Fraction(math.floor(x)),
    "ceil": lambda x: Fraction(math.ceil(x)),
    "round": lambda x: Fraction(round(x)),
    "exp": exponential,
    "abs": abs,
    "tanh": lambda x: Fraction(math.tanh(min(max(x, Fraction(-30)), Fraction(30)))),
    "disc": same,
    "conv": same,
    "box": same,
    "unbox": same,
    "mconv": same,
    "renorm": same,
    "fst": lambda pair: pair[0],
    "snd": lambda pair: pair[1],
    "rows": lambda table: len(table.rows),
    "cols": lambda table: table.width,
    "count": lambda table: Fraction(sum(1 for row in table.rows for entry in row if entry)),
    "tr": transposed,
    "×": product,
    "zip": zipped,
}
