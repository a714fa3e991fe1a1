"""The second checker's rules for bags, records and data frames."""

from __future__ import annotations

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from tests.soundness.reference.checker import Fact, Kinds, Reference, Scope, longest
from tests.soundness.reference.metrics import (
    Disc,
    Maybe,
    Static,
    Table,
    Times,
    Type,
    join,
    sum_of,
    times,
    unbounded,
    widened,
    without,
)
from tests.soundness.reference.numbers import INF, ONE, TWO, ZERO, Num
from tests.soundness.reference.table_primitives import paired
from tests.soundness.reference.tables import (
    exchange,
    largest,
    rows_are_replaced,
    still_row_by_row,
    table_of,
    unknown_rows,
)


def of(check: Reference, node: ast.Map | ast.FrameOp | ast.Record, scope: Scope, kinds: Kinds) -> Fact:
    if isinstance(node, ast.Map):
        return mapped(check, node, scope, kinds)
    if isinstance(node, ast.Record):
        return record(check, node, scope, kinds)
    match node.form:
        case "addColDF":
            return column_added(check, node, scope, kinds)
        case "partitionDF":
            return parted(check, node, scope, kinds)
        case "joinDF":
            most, left, right = (check.of(arg, scope, kinds) for arg in node.args)
            assert isinstance(most.type, Static)
            return paired(check, "joinDF", left, right, most.type.value)
        case _:
            left, right = (check.of(arg, scope, kinds) for arg in node.args)
            return paired(check, "joinDF₁", left, right, ONE)


def holds_cells(table: Table) -> bool:
    """Whether the elements of a bag are its cells."""
    return len(table.columns) == 1 and table.columns[0][0] is None


def mapped(check: Reference, node: ast.Map, scope: Scope, kinds: Kinds) -> Fact:
    """An element out of each element; the m rows of a table keep their places."""
    source, table = table_of(check.of(node.args[0], scope, kinds))
    entry, name = check.bound_part(table.element if holds_cells(table) else table.row, source)
    body = check.of(node.body, {**scope, node.names[0].text: name}, kinds)
    rest = without(body.moves, entry)
    if isinstance(body.type, Table) and body.type.rows is not None and body.type.rows.is_one:
        made, ball = evolve(body.type, rows=table.rows), body.type.ball
        size = INF if ball is None else exchange(ball.norm, made.norm, made.width) * ball.bound
    else:
        made, size = Table(Norm.LINF, None, table.rows, ((None, as_column(body.type)),)), largest(body)
    if table.rows is None:
        return unknown_rows(check, node, source, table, made, body, entry, size)
    check.rule("bmap: m rows")
    moves = sum_of(times(source.moves, body.moves.get(entry, ZERO)), times(rest, table.rows))
    return Fact(made, moves, row_by_row=still_row_by_row(source, rest), factors=body.length)


def as_column(type_: Type) -> Type:
    """The cells that rows get from one expression: each in the range that it has for all of them."""
    return type_ if isinstance(type_, Disc | Maybe) else widened(type_)


def record(check: Reference, node: ast.Record, scope: Scope, kinds: Kinds) -> Fact:
    """A row in L∞: the farthest of its fields."""
    check.rule("record")
    fields = [check.of(value, scope, kinds) for value in node.values]
    columns = tuple((name.text, widened(field.type)) for name, field in zip(node.names, fields, strict=True))
    moves: dict[int, Num] = {}
    for field in fields:
        moves = join(moves, field.moves)
    parts = tuple(
        evolve(field, type=widened(field.type), between=field.range, factors=field.length) for field in fields
    )
    return Fact(Table(Norm.LINF, None, ONE, columns), moves, factors=longest(*parts), parts=parts)


def column_added(check: Reference, node: ast.FrameOp, scope: Scope, kinds: Kinds) -> Fact:
    """A record with one field more, a table whose one column gets a name, or a record of one field."""
    (written,), name = node.args, node.column.text
    if isinstance(written, ast.Pair) and not written.lazy:
        left, right = check.of(written.left, scope, kinds), check.of(written.right, scope, kinds)
        is_widest = isinstance(left.type, Table) and left.type.norm is Norm.LINF
        check.rule("addColDF: a field more, the larger move" if is_widest else "addColDF: a field more, both moves")
        moves = (join if is_widest else sum_of)(left.moves, right.moves)
        source = Fact(Times(left.type, right.type), moves, factors=longest(left, right))
    else:
        source = check.of(written, scope, kinds)
        if isinstance(source.type, Times):
            check.rule("addColDF: a field more, both moves")
    match source.type:
        case Times(Table() as record, added):
            columns = (*record.columns, (name, as_column(added)))
            return Fact(Table(record.norm, None, ONE, columns), source.moves, factors=source.factors)
        case Table() as table:
            check.rule("addColDF: a name")
            return evolve(source, type=evolve(table, columns=((name, table.element),)))
        case cell:
            check.rule("addColDF: a record of one field")
            return Fact(Table(Norm.LINF, None, ONE, ((name, as_column(cell)),)), source.moves, factors=source.length)


def parted(check: Reference, node: ast.FrameOp, scope: Scope, kinds: Kinds) -> Fact:
    """One table for each key. An added or removed row changes one of them, and a replaced row two."""
    source, table = table_of(check.of(node.args[0], scope, kinds))
    keys = unbounded(check.of(node.args[1], scope, kinds).moves)
    made = Table(Norm.LINF, None, None, ((None, evolve(table, rows=None)),))
    if not rows_are_replaced(table):
        check.rule("partitionDF: rows of numbers")
        return Fact(made, sum_of(unbounded(source.moves), keys))
    check.rule("partitionDF: ★ rows" if table.rows is None else "partitionDF: m rows")
    changed = dict(source.moves) if table.rows is None else times(source.moves, TWO)
    # A table that changes is one element less of the bag and one more.
    moves, replaced = sum_of(times(changed, TWO), keys), sum_of(changed, keys)
    return Fact(made, moves, replaced=replaced, factors=source.factors)
