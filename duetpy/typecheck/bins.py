"""Tables of counts in which each row counts once: `mcreate[ℓ | m, n] { i, j ⇒ rows (mfilter xs { r ⇒ key r ≡ j }) }`."""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck.context import Context
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.fold_patterns import MAXIMAL_NESTING, mentions
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.types import Matrix, counts_rows, row_factor

TWO = Quantity.of(2)


def counted_once(node: ast.MCreate) -> ast.SExp | None:
    """The table of which each row counts for one column at most in each row of the created matrix; None of any other matrix."""
    body = node.body
    if isinstance(body, ast.Prim) and facts_of(body.name).static == "embedded":
        (body,) = body.args
    match body:
        case ast.Prim(name=name, args=(ast.Filter(arg=source, row=row, body=condition),)) if (
            facts_of(name).counts == "row"
        ):
            column = node.col.text
            if row.text == column or mentions(source, column):
                return None
            return source if _is_of_one_column(condition, column, row.text) else None
        case _:
            return None


def _is_of_one_column(condition: ast.SExp, column: str, row: str, nesting: int = 0) -> bool:
    """Whether a condition holds of a row for one column at most: an equation of the column with what does not mention it."""
    if nesting > MAXIMAL_NESTING or not isinstance(condition, ast.Prim):
        return False
    stated = facts_of(condition.name)
    if stated.picks == "all":
        return any(_is_of_one_column(part, column, row, nesting + 1) for part in condition.args)
    if stated.compares != "equal":
        return False
    left, right = condition.args
    return (_is_column(left, column) and not mentions(right, column)) or (
        _is_column(right, column) and not mentions(left, column)
    )


def _is_column(node: ast.SExp, column: str, nesting: int = 0) -> bool:
    """Whether an expression is the number of the column, of whatever type and metric: different for all columns."""
    match node:
        case ast.Var(name=name):
            return name == column
        case ast.Prim(name=name, args=(inner,)) if nesting < MAXIMAL_NESTING and _is_another_type(name):
            return _is_column(inner, column, nesting + 1)
        case _:
            return False


def _is_another_type(name: str) -> bool:
    """Whether a primitive is its operand, with another type or metric."""
    stated = facts_of(name)
    return stated.is_same or stated.static == "ordinary"


def moves_of_counts(norm: Norm, columns: Quantity, source: Judged, count: Judged) -> Context:
    """How far a row of such counts moves, each of which moves as `count` says.

    A row of the table that comes or goes moves one count by 1. One that is replaced moves two of them, or one.
    """
    replaced = count.context.scaled(row_factor(norm, columns if columns.leq(TWO) else TWO))
    is_counted = isinstance(source.type, Matrix) and source.type.rows is None and counts_rows(source.type)
    if not is_counted:
        return replaced
    # What the condition captures is at ∞ already.
    known = {
        root for root, moved in replaced.entries.items() if not moved.is_infinite and source.context[root].leq(moved)
    }
    others = [root for root in source.context.entries if root not in known]
    return replaced.without(*known) + source.context.without(*others)
