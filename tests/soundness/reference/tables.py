"""The second checker's rules for tables."""

from __future__ import annotations

from itertools import count

from attrs import evolve, frozen

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from tests.soundness.laws import with_new_names, written_out
from tests.soundness.reference.checker import Fact, Kinds, Reference, Scope, longest
from tests.soundness.reference.metrics import (
    REAL,
    Ball,
    Disc,
    Moves,
    Static,
    Table,
    Type,
    exchange,
    fits,
    is_apart,
    is_finer,
    is_two_valued,
    joined,
    norm_of_ones,
    sum_of,
    times,
    unbounded,
    unranged,
    widened,
    without,
)
from tests.soundness.reference.numbers import INF, ONE, TWO, ZERO, Num, larger, smaller
from tests.soundness.reference.zeros import is_zero


def of(check: Reference, node: ast.SExp, scope: Scope, kinds: Kinds) -> Fact:
    match node:
        case ast.MCreate():
            return created(check, node, scope, kinds)
        case ast.Map(form="bmap" | "mapDF") | ast.FrameOp() | ast.Record():
            from tests.soundness.reference import frames

            return frames.of(check, node, scope, kinds)
        case ast.Map(form="mmap", args=(_,)):
            return entry_by_entry(check, node, scope, kinds)
        case ast.Map(form="mmap"):
            return two_tables(check, node, scope, kinds)
        case ast.Map(form="mmap-row", args=(_, _)):
            return row_pairs_mapped(check, node, scope, kinds)
        case ast.Map(form="mmap-row"):
            return rows_mapped(check, node, scope, kinds)
        case ast.Map(form="mmap-col"):
            return columns_mapped(check, node, scope, kinds)
        case ast.Fold():
            from tests.soundness.reference import folds

            return folds.folded(check, node, scope, kinds)
        case ast.Flat():
            return flattened(check, node, scope, kinds)
        case ast.Filter():
            return filtered(check, node, scope, kinds)
        case ast.Index():
            return indexed(check, node, scope, kinds)
        case ast.Update():
            return updated(check, node, scope, kinds)
        case ast.FieldOf(record=record, name=name):
            row = table_of(check.of(record, scope, kinds))
            names = [known for known, _ in row[1].columns]
            assert name.text in names
            written = check.written_part(row[0], names.index(name.text))
            if written is not None:
                check.rule("e.a: of a written record")
                return written
            column = row[1].types[names.index(name.text)]
            if isinstance(column, Disc) and isinstance(column.inner, Table):
                check.rule("e.b: the rows of a person")
                return Fact(column.inner, unbounded(row[0].moves), ordered=True, factors=row[0].factors)
            check.rule("e.a")
            return Fact(column, row[0].moves, factors=row[0].factors)
        case ast.Select(table=table, names=names):
            check.rule("e.[a, b]")
            fact, shape = table_of(check.of(table, scope, kinds))
            chosen = tuple(column for name in names for column in shape.columns if column[0] == name.text)
            assert len(chosen) == len(names), "a table that lost a name is refused"
            made = evolve(shape, columns=chosen)
            # On ★ both are measured alike: by rows that are counted, or by those that are matched.
            alike = shape.rows is not None or all_discrete(shape) == all_discrete(made)
            moves = fact.moves if alike else unbounded(fact.moves)
            return evolve(fact, type=made, moves=moves, between=None, parts=())
        case _:
            raise TypeError(type(node).__name__)


def table_of(fact: Fact) -> tuple[Fact, Table]:
    assert isinstance(fact.type, Table), fact.type
    return fact, fact.type


def all_discrete(table: Table) -> bool:
    """Whether the distance counts rows: on ★ it does, unless all columns are real; with m rows, where rows are the same or not."""
    if table.rows is None:
        return any(column != REAL for column in table.types)
    return all(map(is_two_valued, table.types))


def rows_are_replaced(table: Table) -> bool:
    """Whether a table that moves has at most one row for each unit by which it moves that is another, or comes, or goes."""
    return all_discrete(table) if table.rows is None else all(map(is_apart, table.types))


def spread(table: Table, norm: Norm | None = None) -> Num:
    """How far a table moves when every entry moves by 1."""
    assert table.rows is not None
    return table.rows * norm_of_ones(norm or table.norm, table.width)


def largest(fact: Fact) -> Num:
    """A bound on a number's size."""
    return INF if fact.range is None else larger(fact.range[0].magnitude(), fact.range[1].magnitude())


def created(check: Reference, node: ast.MCreate, scope: Scope, kinds: Kinds) -> Fact:
    check.rule(f"mcreate: {node.norm.value}")
    from tests.soundness.reference.metrics import Index

    sizes = [check.of(size, scope, kinds) for size in (node.rows, node.cols)]
    rows, cols = (size.type.value for size in sizes if isinstance(size.type, Static))
    inside = {**scope, node.row.text: Fact(Index(rows)), node.col.text: Fact(Index(cols))}
    body = check.of(node.body, inside, kinds)
    made = Table(node.norm, None, rows, ((None, widened(body.type)),) * int(cols.floor))
    counts = binned(node)
    if counts is not None:
        source, shape = table_of(check.of(counts.table, inside, kinds))
        by_rows = times(body.moves, rows * norm_of_ones(node.norm, smaller(TWO, cols)))
        moves, added = by_rows, times(source.moves, rows)
        if counts.in_one_place:
            check.rule("mcreate: counts by bins of two numbers")
            moves, added = {r: smaller(s, body.moves[r] * TWO) for r, s in by_rows.items()}, dict(source.moves)
        else:
            check.rule("mcreate: counts by bins")
        if shape.rows is None and all_discrete(shape):
            # A row that is added or removed moves one count.
            moves = {r: s if s.is_infinite else smaller(s, added.get(r, INF)) for r, s in moves.items()}
        return Fact(made, sum_of(*(size.moves for size in sizes), moves), factors=body.length)
    moves = sum_of(*(size.moves for size in sizes), times(body.moves, spread(made)))
    return Fact(made, moves, factors=body.length)


@frozen
class Counts:
    """The table whose rows are counted, each in one column at most of each row; and whether in one place of all."""

    table: ast.SExp
    in_one_place: bool


def binned(node: ast.MCreate) -> Counts | None:
    body = written_out(with_new_names(node.body, {}, count()), {})
    match body.args[0] if isinstance(body, ast.Prim) and body.name == "real" else body:
        case ast.Prim(name="rows", args=(ast.Filter(arg=table, row=row, body=condition),)):
            i, j = node.row.text, node.col.text
            equations = [part.args for part in anded(condition) if isinstance(part, ast.Prim) and part.name == "≡"]
            sides = [(bare(one), other) for pair in equations for one, other in (pair, pair[::-1])]
            by_column = [other for name, other in sides if name == j and not occurs(j, other)]
            by_row = [other for name, other in sides if name == i and not occurs(i, other)]
            if not by_column or row.text == j or occurs(j, table):
                return None
            is_alone = any(not occurs(j, other) for other in by_row) or any(not occurs(i, other) for other in by_column)
            return Counts(table, bool(by_row) and is_alone and i not in (j, row.text) and not occurs(i, table))
        case _:
            return None


def anded(condition: ast.SExp) -> list[ast.SExp]:
    """What has to hold for a condition to hold."""
    if isinstance(condition, ast.Prim) and condition.name == "∧":
        return [part for arg in condition.args for part in anded(arg)]
    return [condition]


def occurs(name: str, node: ast.Node) -> bool:
    """Whether a name is written anywhere inside, bound or free."""
    from duetpy.grammar.compare import children

    match node:
        case ast.Var(name=found) | ast.Name(text=found):
            return found == name
        case _:
            return any(occurs(name, child) for child in children(node))


def bare(node: ast.SExp) -> str:
    """The name that an expression is, whatever its type is made."""
    while isinstance(node, ast.Prim) and node.name in ("real", "disc", "dyn"):
        (node,) = node.args
    return node.name if isinstance(node, ast.Var) else ""


def entry_by_entry(check: Reference, node: ast.Map, scope: Scope, kinds: Kinds) -> Fact:
    source, table = table_of(check.of(node.args[0], scope, kinds))
    entry, name = check.bound_part(table.element, source)
    body = check.of(node.body, {**scope, node.names[0].text: name}, kinds)
    rest = without(body.moves, entry)
    made = Table(table.norm, None, table.rows, ((None, widened(body.type)),) * len(table.columns))
    if table.rows is None:
        reach = largest(body) * norm_of_ones(made.norm, made.width)
        return unknown_rows(check, node, source, table, made, body, entry, reach)
    check.rule("mmap: m rows")
    moves = sum_of(times(source.moves, body.moves.get(entry, ZERO)), times(rest, spread(table)))
    return Fact(made, moves, row_by_row=still_row_by_row(source, rest), factors=body.length)


def still_row_by_row(source: Fact, rest: Moves) -> int | None:
    return None if source.row_by_row in rest else source.row_by_row


def two_tables(check: Reference, node: ast.Map, scope: Scope, kinds: Kinds) -> Fact:
    check.rule("mmap: two tables")
    (left, first), (right, second) = (table_of(check.of(arg, scope, kinds)) for arg in node.args)
    x, x_fact = check.bound_part(first.element, left)
    y, y_fact = check.bound_part(second.element, right)
    body = check.of(node.body, {**scope, node.names[0].text: x_fact, node.names[1].text: y_fact}, kinds)
    rest = without(body.moves, x, y)
    # Distances in both norms are at least those in the coarser one.
    norm = second.norm if is_finer(first.norm, second.norm) else first.norm
    moves = sum_of(
        times(left.moves, body.moves.get(x, ZERO)),
        times(right.moves, body.moves.get(y, ZERO)),
        times(rest, spread(first, norm)),
    )
    made = Table(norm, None, first.rows, ((None, widened(body.type)),) * len(first.columns))
    unit = still_row_by_row(left, rest)
    if unit is not None and right.row_by_row != unit and (right.row_by_row is not None or unit in right.moves):
        unit = None
    return Fact(made, moves, row_by_row=unit, factors=body.length)


def rows_mapped(check: Reference, node: ast.Map, scope: Scope, kinds: Kinds) -> Fact:
    source, table = table_of(check.of(node.args[0], scope, kinds))
    row, name = check.bound_part(table.row, source)
    body = check.of(node.body, {**scope, node.names[0].text: name}, kinds)
    rest = without(body.moves, row)
    if isinstance(body.type, Table):
        made = evolve(body.type, rows=table.rows)
        ball = body.type.ball
        size = INF if ball is None else exchange(ball.norm, made.norm, made.width) * ball.bound
    else:
        made = Table(Norm.LINF, None, table.rows, ((None, widened(body.type)),))
        size = largest(body)
    if table.rows is None:
        return unknown_rows(check, node, source, table, made, body, row, size)
    check.rule("mmap-row: into rows" if isinstance(body.type, Table) else "mmap-row: into a column")
    moves = sum_of(times(source.moves, body.moves.get(row, ZERO)), times(rest, table.rows))
    return Fact(made, moves, row_by_row=still_row_by_row(source, rest), factors=body.length)


def row_pairs_mapped(check: Reference, node: ast.Map, scope: Scope, kinds: Kinds) -> Fact:
    (left, first), (right, second) = (table_of(check.of(arg, scope, kinds)) for arg in node.args)
    x, x_fact = check.bound_part(first.row, left)
    y, y_fact = check.bound_part(second.row, right)
    body = check.of(node.body, {**scope, node.names[0].text: x_fact, node.names[1].text: y_fact}, kinds)
    rest = without(body.moves, x, y)
    assert first.rows is not None
    if isinstance(body.type, Table):
        made = evolve(body.type, rows=first.rows)
    else:
        made = Table(Norm.LINF, None, first.rows, ((None, widened(body.type)),))
    moves = sum_of(times(left.moves, body.moves.get(x, ZERO)), times(right.moves, body.moves.get(y, ZERO)))
    unit = left.row_by_row
    if unit is None or unit != right.row_by_row or unit in rest:
        return Fact(made, sum_of(moves, times(rest, first.rows)), factors=body.length)
    # Row i is a function of row i of the one input: what bounds a row of the result bounds how far it moves.
    own = check.capped(evolve(body, moves={unit: moves[unit]} if unit in moves else {}))
    moves = sum_of(without(moves, unit), own.moves, times(rest, first.rows))
    return Fact(made, moves, row_by_row=unit, factors=body.length)


def unknown_rows(
    check: Reference, node: ast.Map, source: Fact, table: Table, made: Table, body: Fact, entry: int, size: Num
) -> Fact:
    """One row in, one row out."""
    form, rest = "bmap" if node.form == "mapDF" else node.form, without(body.moves, entry)
    if not all_discrete(table):
        assert is_zero(node.body, node.names[0].text), "rows of numbers: not known to stay at 0"
        check.rule(f"{form}: ★ rows, ℝ into ℝ")
        stretch = body.moves.get(entry, ZERO)
        moves = sum_of(times(source.moves, ONE if stretch.is_zero else stretch), unbounded(rest))
        kept = None if source.replaced is None else sum_of(source.replaced, unbounded(rest))
        return Fact(made, moves, replaced=kept, factors=body.length)
    if all_discrete(made):
        check.rule(f"{form}: ★ rows, 𝔻 into 𝔻")
        factor = ONE
    else:
        check.rule(f"{form}: ★ rows, 𝔻 into ℝ")
        assert not size.is_infinite
        # Rows of zeros are at no distance from no rows, but there are as many of them as there were rows.
        factor = ONE if size == ZERO else size
    moves = sum_of(times(source.moves, factor), unbounded(rest))
    before = source.moves if source.replaced is None else source.replaced
    kept = sum_of(before, unbounded(rest))
    return Fact(made, moves, replaced=kept, ordered=source.ordered, factors=body.length)


def columns_mapped(check: Reference, node: ast.Map, scope: Scope, kinds: Kinds) -> Fact:
    sources = [table_of(check.of(arg, scope, kinds)) for arg in node.args]
    inside, roots = dict(scope), []
    for name, (source, table) in zip(node.names, sources, strict=True):
        root, fact = check.bound_part(evolve(table, columns=((None, table.element),)), source)
        inside[name.text] = fact
        roots.append(root)
    body = check.of(node.body, inside, kinds)
    rest = without(body.moves, *roots)
    width = sources[0][1].width
    which = "two tables" if len(sources) == 2 else "one table"
    parts: list[Moves] = []
    if isinstance(body.type, Table):
        check.rule(f"mmap-col: into columns, {which}")
        for root, (source, table) in zip(roots, sources, strict=True):
            # A move of the table is, added up over its columns, at most ‖·‖₁ ≤ f‖·‖ of it; with ★ rows each column
            # gets a row for every row.
            counted = table.rows is None and table.element != REAL
            f = width if counted else exchange(table.norm, Norm.L1, width)
            parts.append(times(source.moves, body.moves.get(root, ZERO) * f))
        ball = None if body.type.ball is None else Ball(Norm.LINF, body.type.ball.bound)
        made = evolve(body.type, ball=ball, columns=((None, body.type.element),) * int(width.floor))
        return Fact(made, sum_of(*parts, times(rest, width)), factors=body.length)
    check.rule(f"mmap-col: into numbers, {which}")
    for root, (source, _) in zip(roots, sources, strict=True):
        parts.append(times(source.moves, body.moves.get(root, ZERO)))
    made = Table(Norm.LINF, None, ONE, ((None, widened(body.type)),) * int(width.floor))
    return Fact(made, sum_of(*parts, rest), factors=body.length)


# ---------------------------------------------------------------------------------------------------------------------
# Filters and entries


def filtered(check: Reference, node: ast.Filter, scope: Scope, kinds: Kinds) -> Fact:
    source, table = table_of(check.of(node.arg, scope, kinds))
    row, name = check.bound_part(table.row, source)
    body = check.of(node.body, {**scope, node.row.text: name}, kinds)
    rest = unbounded(without(body.moves, row))
    made = evolve(table, rows=None)
    # Of m rows, one that differs is one that goes and one that comes.
    if not rows_are_replaced(table):
        check.rule("mfilter: rows of numbers")
        return Fact(made, sum_of(unbounded(source.moves), rest))
    if table.rows is None:
        check.rule("mfilter: ★ rows")
        before = source.moves if source.replaced is None else source.replaced
        kept = sum_of(before, rest)
        return Fact(made, sum_of(source.moves, rest), replaced=kept, ordered=source.ordered, factors=source.factors)
    check.rule("mfilter: m rows")
    moves, kept = sum_of(times(source.moves, TWO), rest), sum_of(source.moves, rest)
    return Fact(made, moves, replaced=kept, factors=source.factors)


def flattened(check: Reference, node: ast.Flat, scope: Scope, kinds: Kinds) -> Fact:
    """So many rows at most for each row."""
    most = check.of(node.most, scope, kinds)
    assert isinstance(most.type, Static)
    k = most.type.value
    source, table = table_of(check.of(node.arg, scope, kinds))
    row, name = check.bound_part(table.row, source)
    body, rows = table_of(check.of(node.body, {**scope, node.row.text: name}, kinds))
    rest = unbounded(without(body.moves, row))
    beside = tuple(
        each for each in table.columns if not (isinstance(each[1], Disc) and isinstance(each[1].inner, Table))
    )
    made = Table(Norm.LINF, None, None, (*beside, *rows.columns))
    assert body.ordered or not body.moves
    check.rule("flat: ★ rows" if table.rows is None else "flat: m rows")
    persons = source.moves if source.replaced is None or table.rows is not None else source.replaced
    moved = times(source.moves, k if table.rows is None else k * TWO)
    replaced = sum_of(times(persons, k), rest)
    return Fact(made, sum_of(moved, rest), replaced=replaced, factors=longest(source, body))


def indexed(check: Reference, node: ast.Index, scope: Scope, kinds: Kinds) -> Fact:
    source, table = table_of(check.of(node.matrix, scope, kinds))
    if table.rows is None:
        # There may be no rows: then what stands for an entry is in no range.
        table = evolve(table, columns=tuple((name, unranged(column)) for name, column in table.columns))
    row = check.of(node.row, scope, kinds)
    if node.col is None:
        check.rule("e#[i]")
        return Fact(table.row, sum_of(source.moves, unbounded(row.moves)), factors=source.factors)
    check.rule("e#[i, j]")
    col = check.of(node.col, scope, kinds)
    at = column_at(table, col)
    moves = sum_of(source.moves, unbounded(row.moves), unbounded(col.moves))
    return Fact(at, moves, factors=source.factors)


def column_at(table: Table, col: Fact) -> Type:
    if isinstance(col.type, Static) and col.type.value.is_numeral:
        return table.types[int(col.type.value.floor)]
    return table.element


def updated(check: Reference, node: ast.Update, scope: Scope, kinds: Kinds) -> Fact:
    check.rule("e#[i, j ↦ e′]")
    source, table = table_of(check.of(node.matrix, scope, kinds))
    row, col, value = (check.of(part, scope, kinds) for part in (node.row, node.col, node.value))
    wanted = column_at(table, col)
    price = fits(value.type, wanted)
    columns = table.columns
    if not (isinstance(col.type, Static) and col.type.value.is_numeral):
        columns = tuple((name, wanted) for name, _ in columns)
    if price is None:
        columns = ((None, joined(value.type, wanted)),) * len(columns)
        price = ONE
    if table.rows is None:
        price = price * (TWO if all_discrete(table) else ONE if set(table.types) == {REAL} else INF)
    moves = sum_of(source.moves, unbounded(row.moves), unbounded(col.moves), times(value.moves, price))
    return Fact(evolve(table, ball=None, columns=columns), moves)
