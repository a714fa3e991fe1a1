"""The second checker's rules for the primitives on tables."""

from __future__ import annotations

from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from tests.soundness.reference.checker import Fact, Reference, longest
from tests.soundness.reference.metrics import (
    DATA,
    NAT,
    REAL,
    And,
    Ball,
    Disc,
    Maybe,
    SetOf,
    Static,
    Table,
    Times,
    Type,
    Within,
    exchange,
    is_two_valued,
    sum_of,
    times,
    unbounded,
    without,
)
from tests.soundness.reference.numbers import INF, ONE, TWO, ZERO, Num, larger
from tests.soundness.reference.primitives import clip_rows, convert_rows, measured, rows_moved
from tests.soundness.reference.tables import all_discrete, table_of


def primitive(check: Reference, node: ast.Prim, args: list[Fact], bounds: list[Num]) -> Fact:
    match node.name:
        case "mclip":
            return clip_rows(check, node, args[0], bounds)
        case "mconv":
            return convert_rows(check, args[0])
        case "renorm":
            return measured(check, node, args[0])
        case "first" | "last" | "mode" | "elements" | "distinct":
            return of_rows(check, node.name, args[0])
        case "rows":
            return row_count(check, args[0])
        case "cols":
            check.rule("cols")
            return Fact(Static(table_of(args[0])[1].width, True))
        case "count":
            return entry_count(check, args[0])
        case "×":
            return multiplied(check, args)
        case "tr":
            return transposed(check, args[0])
        case "zip":
            return side_by_side(check, args)
        case "chunks":
            return in_batches(check, args)
        case "join₁":
            return paired(check, "join₁", args[0], args[2], ONE)
        case "∇" | "U∇" | "row∇":
            return gradient(check, node, args, bounds)
        case "step∇":
            return descended(check, node, args, bounds)
        case other:
            raise KeyError(other)


def of_rows(check: Reference, name: str, arg: Fact) -> Fact:
    """What depends on which rows there are: a row that is replaced is one that goes and one that comes."""
    source, table = table_of(arg)
    check.rule(name)
    moves = dict(source.moves) if table.rows is None else times(source.moves, TWO)
    columns = tuple((known, as_discrete(type_)) for known, type_ in table.columns)
    if name in ("mode", "elements"):
        ((_, value),) = columns
        held = value.inner if isinstance(value, Maybe) else value
        found = DATA if isinstance(held, Disc) and isinstance(held.inner, Within) else held
        return Fact(Maybe(found) if name == "mode" else SetOf(found), moves)
    if name == "distinct":
        before = source.replaced if table.rows is None else dict(source.moves)
        return Fact(Table(Norm.LINF, None, None, columns), moves, replaced=before, ordered=source.ordered)
    return Fact(Maybe(Table(Norm.LINF, None, ONE, columns)), moves)


def as_discrete(type_: Type) -> Type:
    return type_ if is_two_valued(type_) else Disc(type_)


def row_count(check: Reference, arg: Fact) -> Fact:
    _, table = table_of(arg)
    if table.rows is not None:
        check.rule("rows: m rows")
        return Fact(Static(table.rows, True))
    check.rule("rows: ★ rows")
    counted = rows_moved(arg) if "count" in check.lemmas else (arg.moves if all_discrete(table) else None)
    if "count" in check.lemmas and arg.replaced is not None and arg.replaced != arg.moves:
        check.rule("count: rows replaced")
    return Fact(NAT, unbounded(arg.moves) if counted is None else counted)


def entry_count(check: Reference, arg: Fact) -> Fact:
    """How many entries are true, or not 0."""
    _, table = table_of(arg)
    if table.element == REAL or isinstance(table.element, Static):
        check.rule("count: rows of numbers")
        return Fact(REAL, unbounded(arg.moves), factors=1)
    if table.rows is None:
        check.rule("count: ★ rows")
        moves = rows_moved(arg) if "count" in check.lemmas else dict(arg.moves)
        return Fact(REAL, unbounded(arg.moves) if moves is None else times(moves, table.width), factors=1)
    check.rule(f"count: {table.norm.value}, m rows")
    # k entries of a row that differ are ‖1ᵏ‖ away.
    return Fact(REAL, times(arg.moves, exchange(table.norm, Norm.L1, table.width)), factors=1)


def multiplied(check: Reference, args: list[Fact]) -> Fact:
    """The product of two matrices: row r of the left one makes Σⱼ rⱼ⋅(row j of the right one)."""
    (left, first), (right, second) = (table_of(arg) for arg in args)
    rows = "★" if first.rows is None else "m"
    columns = len(second.columns)
    unit = None if left.row_by_row in right.moves else left.row_by_row
    replaced = None if left.replaced is None else sum_of(left.replaced, unbounded(right.moves))
    if DATA in (first.element, second.element):
        check.rule(f"×: discrete, {rows} rows")
        on_left = left.moves if first.element == DATA else unbounded(left.moves)
        on_right = right.moves if second.element == DATA else unbounded(right.moves)
        spread_by = INF if first.rows is None else first.rows
        made = Table(Norm.LINF, None, first.rows, ((None, DATA),) * columns)
        return Fact(made, sum_of(on_left, times(on_right, spread_by)), row_by_row=unit, replaced=replaced)
    check.rule(f"×: ℝ, {rows} rows")
    norm = first.norm
    longest, most = row_bound(second), row_bound(first)
    a = b = INF
    if longest is not None:
        reach = exchange(longest.norm, norm, second.width) * longest.bound
        a = exchange(norm, Norm.L1, first.width) * reach
        if first.rows is None and a.is_zero:
            a = ONE  # rows of zeros, as many as there were rows
    if most is not None and first.rows is not None:
        # No entry of a row is larger than its norm, and each row of the right side is used in every row of the left.
        b = first.rows * most.bound * exchange(second.norm, norm, second.width)
    made = Table(norm, None, first.rows, ((None, REAL),) * columns)
    return Fact(made, sum_of(times(left.moves, a), times(right.moves, b)), row_by_row=unit, replaced=replaced)


def row_bound(table: Table) -> Ball | None:
    if table.ball is None and isinstance(table.element, Static):
        return Ball(Norm.LINF, table.element.value.magnitude())
    return table.ball


def transposed(check: Reference, arg: Fact) -> Fact:
    _, table = table_of(arg)
    assert table.rows is not None
    check.rule(f"tr: {table.norm.value}")
    made = Table(Norm.L1, None, table.width, ((None, table.element),) * int(table.rows.floor))
    return Fact(made, times(arg.moves, exchange(table.norm, Norm.L1, table.width)))


def side_by_side(check: Reference, args: list[Fact]) -> Fact:
    check.rule("zip")
    left, right = (table_of(arg)[1] for arg in args)
    unit = args[0].row_by_row if args[0].row_by_row == args[1].row_by_row else None
    moves = sum_of(*(arg.moves for arg in args))
    pair: Type = Times(left.row, right.row)
    if unit is not None:
        # Row i of both depends on row i of one input: the larger of the two moves bounds the pair.
        pair = And(left.row, right.row)
        moves = {**moves, unit: larger(*(arg.moves.get(unit, ZERO) for arg in args))}
    made = Table(Norm.LINF, None, left.rows, ((None, pair),))
    return Fact(made, moves, row_by_row=unit, factors=longest(*args))


def in_batches(check: Reference, args: list[Fact]) -> Fact:
    size, *sources = args
    assert isinstance(size.type, Static)
    shapes = [evolve(table_of(source)[1], rows=size.type.value) for source in sources]
    rows = table_of(sources[0])[1].rows
    assert rows is not None
    check.rule("chunks: one table" if len(sources) == 1 else "chunks: two tables")
    element: Type = shapes[0] if len(shapes) == 1 else Times(shapes[0], shapes[1])
    made = Table(Norm.LINF, None, rows / size.type.value, ((None, element),))
    return Fact(made, sum_of(*(source.moves for source in sources)), factors=longest(*sources))


def paired(check: Reference, form: str, one: Fact, other: Fact, most: Num) -> Fact:
    """Each row of the left with so many of the right at most."""
    (left, first), (right, second) = table_of(one), table_of(other)
    check.rule(f"{form}: ★ rows" if first.rows is None else f"{form}: m rows")
    taken = {name for name, _ in first.columns if name is not None}
    others = tuple((None if name in taken else name, type_) for name, type_ in second.columns)
    made = Table(Norm.LINF, None, None, first.columns + others)
    if not (all_discrete(first) and all_discrete(second)):
        moved = unbounded(left.moves)
    else:
        moved = times(left.moves, most if first.rows is None else most * TWO)
    before = left.replaced if first.rows is None else left.moves
    replaced = None if before is None else sum_of(times(before, most), unbounded(right.moves))
    moves = sum_of(moved, unbounded(right.moves))
    return Fact(made, moves, replaced=replaced, ordered=left.ordered, factors=longest(left, right))


def weights_of(loss: str | None, bounds: list[Num], norm: Norm) -> tuple[Num, Num, int]:
    """For the weights w that a loss gives a row: a bound on ‖w‖, on ‖w − w′‖ for two labels, and how many there are."""
    match loss:
        case "LR":  # σ ≤ 1, and σ(−z) + σ(z) = 1
            return ONE, ONE, 1
        case "HINGE" | "LS":
            return ONE, TWO, 1
        case "HUBER":
            c = bounds[0] if bounds else ONE
            return c, TWO * c, 1
        case _:
            # p − e has positive entries that add up to at most 1, and one negative one of at most 1.
            size = {Norm.L1: TWO, Norm.L2: TWO.root(), Norm.LINF: ONE}[norm]
            return size, size, int(bounds[0].floor)


def gradient(check: Reference, node: ast.Prim, args: list[Fact], bounds: list[Num]) -> Fact:
    model, (features, xs), labels = args[0], table_of(args[1]), args[2]
    name = node.name
    weight, by_label, classes = weights_of(node.loss, bounds, Norm.LINF if xs.ball is None else xs.ball.norm)
    unit = features.row_by_row
    together = "aligned" in check.lemmas and unit is not None and unit == labels.row_by_row
    check.rule(f"{name}: {node.loss}")
    ball = None if xs.ball is None else Ball(xs.ball.norm, xs.ball.bound * weight)
    if name == "∇":
        assert xs.rows is not None
        assert xs.ball is not None
        share = xs.ball.bound / xs.rows
        per_row, per_label = TWO * weight * share, by_label * share
        made = Table(xs.ball.norm, ball, ONE, ((None, REAL),) * (classes * len(xs.columns)))
    else:
        per_row = per_label = ONE
        made = Table(Norm.LINF, None, ONE, ((None, DATA),) * (classes * len(xs.columns)))
        if name == "row∇":
            made = evolve(made, rows=xs.rows, ball=ball)
    moves = sum_of(unbounded(model.moves), times(features.moves, per_row), times(labels.moves, per_label))
    kept = None
    if together and unit is not None:
        check.rule("aligned: one contribution")
        most = larger(features.moves.get(unit, ZERO), labels.moves.get(unit, ZERO))
        here: dict[int, Num] = {} if most.is_zero else {unit: most * per_row}
        moves = sum_of(without(moves, unit), here, {unit: INF} if unit in model.moves else {})
        kept = unit if name == "row∇" and unit not in model.moves else None
    return Fact(made, moves, row_by_row=kept)


def descended(check: Reference, node: ast.Prim, args: list[Fact], bounds: list[Num]) -> Fact:
    """One step of descent, of a length at which it brings two models closer."""
    model, (features, xs), labels = args[0], table_of(args[1]), args[2]
    *numbers, length, weakening = bounds
    check.rule(f"step∇: {node.loss}")
    weight, by_label, _ = weights_of(node.loss, numbers, Norm.L2)
    assert xs.ball is not None
    assert xs.rows is not None
    share = length * exchange(xs.ball.norm, Norm.L2, xs.width) * xs.ball.bound / xs.rows
    per_row, per_label = TWO * weight * share, by_label * share
    kept = (ONE - length * weakening) * exchange(table_of(model)[1].norm, Norm.L2, xs.width)
    unit = features.row_by_row
    on_features, on_labels = features.moves, labels.moves
    here: dict[int, Num] = {}
    if "aligned" in check.lemmas and unit is not None and unit == labels.row_by_row:
        check.rule("aligned: one contribution")
        most = larger(features.moves.get(unit, ZERO), labels.moves.get(unit, ZERO))
        here = {} if most.is_zero else {unit: most * per_row}
        on_features, on_labels = without(on_features, unit), without(on_labels, unit)
    moves = sum_of(times(model.moves, kept), times(on_features, per_row), times(on_labels, per_label), here)
    return Fact(Table(Norm.L2, None, ONE, ((None, REAL),) * len(xs.columns)), moves)
