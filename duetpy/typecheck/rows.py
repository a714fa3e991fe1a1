"""What the rules for tables share: the type of a row and of a column, and maps over tables of unknown size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve

from duetpy.grammar import ast
from duetpy.source import Span
from duetpy.typecheck import types as t
from duetpy.typecheck.boxes import owes
from duetpy.typecheck.capacity import growth_of
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.conditions import Growth
from duetpy.typecheck.context import EMPTY, Context, Root
from duetpy.typecheck.errors import names, sensitivity, shapes
from duetpy.typecheck.fold_patterns import vanishes
from duetpy.typecheck.judgement import Judged, degree_of
from duetpy.typecheck.quantity import ONE, Quantity, maximum
from duetpy.typecheck.subtype import is_comparable


def expect_matrix(checker: Checker, node: ast.SExp, judged: Judged, form: str) -> t.Matrix | None:
    """The matrix type of an argument; None, with one diagnostic, if it is not a matrix."""
    match judged.type:
        case t.Matrix():
            return judged.type
        case t.Poison():
            return None
        case other:
            checker.report(shapes.not_a_matrix(node.span, form, other))
            return None


def row_type(matrix: t.Matrix) -> t.Matrix:
    """One row of a matrix: the same norm, bound and columns."""
    return evolve(matrix, rows=ONE)


def judge_with_parts(
    checker: Checker, body: ast.SExp, binders: Sequence[ast.Name], types: Sequence[t.Type], tables: Sequence[Judged]
) -> tuple[Judged, list[Root]]:
    """A body that sees one part of each table that a form goes over, and the inputs that these parts are to it."""
    roots = [Root.fresh(name.text, separated=t.is_separated(type_)) for name, type_ in zip(binders, types, strict=True)]
    bindings = [
        (name.text, Judged(type_, Context.of(root), degree=table.degree))
        for name, type_, root, table in zip(binders, types, roots, tables, strict=True)
    ]
    with checker.scope.binding(*bindings):
        judged = checker.judge(body)
    return judged, roots


def are_one_table(tables: Sequence[Judged]) -> bool:
    """Whether the rows of several tables are the rows of one input, each with all its views."""
    unit = tables[0].rows_of
    return len(tables) > 1 and unit is not None and all(table.rows_of == unit for table in tables)


def roots_of_rows(binders: Sequence[str], as_one: bool) -> list[Root]:
    """The inputs that rows of tables are to a body; of tables that are one table, they are one input."""
    if as_one:
        return [Root.fresh("+".join(binders), separated=True)] * len(binders)
    return [Root.fresh(name, separated=True) for name in binders]


def no_escape(checker: Checker, node: ast.SExp, judged: Judged, *roots: Root) -> Judged:
    """A box that owes to a row or an entry may not leave the body that sees it."""
    if owes(judged.type, *roots):
        return checker.refuse(names.box_escapes(node.span, [root.name for root in roots]), judged.context)
    return judged


def rows_kept(source: Judged, captured: Context) -> Root | None:
    """Row-wise forms keep 'row i depends on row i' unless the body also looks at the input as a whole."""
    return None if source.rows_of is None or captured.mentions(source.rows_of) else source.rows_of


def unknown_rows(
    checker: Checker,
    node: ast.Map,
    source: Judged,
    matrix: t.Matrix,
    result: t.Matrix,
    bound: Quantity,
    body: Judged,
    part: Root,
) -> Judged:
    """Row maps over ★: one row in, one row out.

    * counted rows to counted rows: 1, whatever the body, because an added input row is an added output row;
    * counted rows to real rows: `bound` on an output row's norm, because that is what an added row contributes;
    * real rows to real rows: how far the body stretches its `part`, where it plainly maps 0 to 0. Two rows that are matched move
      apart by no more; an added row is as far away as it is long, and its image is at most that many times as long.

    A captured input moves an unknown number of rows: ∞.

    A row may not keep what is as long as another table, in a box neither: n rows of a person would keep n² of them.

    A factor 0 counts as 1. Rows of zeros are at distance 0 from no rows at all, so a map to zeros does not make a constant:
    the number of its rows is still the input's, and `rows` or a fold that counts them must find the input in the context.
    """
    stretch, captured, degree = body.context[part], body.context.without(part), degree_of(body)
    everything = source.context + captured
    held = captured + sum((box.debt for box in t.boxes(result)), EMPTY)
    is_kept = source.context and held
    if is_kept and not grows_no_more(checker, result.column_types(), ONE, "each row would keep them", node.body.span):
        names_of = sorted({root.name for root in held.entries})
        return checker.refuse(sensitivity.rows_for_each_row(node.body.span, names_of), everything)
    if t.matches_rows(matrix) and t.matches_rows(result):
        if not vanishes(node.body, frozenset({node.names[0].text})):
            return checker.refuse(sensitivity.real_rows_of_unknown_number(node.span, node.form), everything)
        kept = None if source.count is None else source.count + captured.unbounded()
        moved = source.context.scaled(never_zero(stretch)) + captured.unbounded()
        return Judged(result, moved, count=kept, degree=degree)
    if not t.counts_rows(matrix):
        return checker.refuse(sensitivity.real_rows_of_unknown_number(node.span, node.form), everything)
    if t.counts_rows(result):
        factor = ONE
    elif t.matches_rows(result) and not bound.is_infinite:
        factor = never_zero(bound)
    else:
        return checker.refuse(sensitivity.unbounded_rows(node.span, node.form), everything)
    # The number of rows stays, but what a later filter keeps of them may hang on what the body captured.
    count = (source.count if source.count is not None else source.context) + captured.unbounded()
    moved = source.context.scaled(factor) + captured.unbounded()
    return Judged(result, moved, count=count, degree=degree, ordered=source.ordered)


def grows_no_more(checker: Checker, types: Iterable[t.Type], most: Quantity, reason: str, span: Span) -> bool:
    """Whether values of some types grow no more with private rows than is said: what type variables stand for is demanded of."""
    growth = Growth(maximum(*map(growth_of, types)), "≤", most, reason, span)
    if growth.decided() is False:
        return False
    checker.demand(growth)
    return True


def never_zero(factor: Quantity) -> Quantity:
    """A factor for a table of unknown size, whose rows the input must not be forgotten for."""
    return ONE if factor.is_zero else factor


def column_type(matrix: t.Matrix) -> t.Matrix:
    """One column of a matrix: an entry is no longer than its row, so the bound stays."""
    return evolve(matrix, schema=t.Uniform(ONE, matrix.element or t.POISON))


def key_column(checker: Checker, node: ast.FrameOp, matrix: t.Matrix) -> t.Type | None:
    """The type of the column with a name; None, with a diagnostic, if there is no such column."""
    name = node.column
    known = matrix.schema.columns if isinstance(matrix.schema, t.Columns) else ()
    found = [column.type for column in known if column.name == name.text]
    here = tuple(at for at, column in enumerate(known) if column.name == name.text)[-1:]
    checker.annotations.places[node] = checker.annotations.places.get(node, ()) + here
    if not found and name.text:
        checker.report(names.no_such_column(name.span, name.text, matrix))
    return found[-1] if found else None


def is_plain(type_: t.Type) -> bool:
    """Whether values of a type are single numbers, truth values, texts or days, or missing."""
    inner = type_.inner if isinstance(type_, t.Maybe) else type_
    inner = inner.inner if isinstance(inner, t.Disc) else inner
    return isinstance(inner, t.Real | t.Bounded | t.StaticReal | t.Nat | t.StaticNat | t.Idx | t.Bool | t.Str | t.Date)


def unreadable_column(matrix: t.Matrix) -> t.Type | None:
    """A column that nothing may read but an expression: boxes and functions are not charged for otherwise, and the rows of a table
    stand in any order. A discrete value has neither; the rows of a person are in theirs."""
    columns = matrix.column_types()
    return next((each for each in columns if not isinstance(each, t.Disc) and not is_comparable(each)), None)
