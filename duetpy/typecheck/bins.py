"""Tables of counts in which each row counts once: `mcreate[ℓ | m, n] { i, j ⇒ rows (mfilter xs { r ⇒ key r ≡ j }) }`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.grammar.binders import name_of, references
from duetpy.typecheck.context import Context
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.fold_patterns import MAXIMAL_NESTING
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import Quantity, minimum
from duetpy.typecheck.types import Matrix, counts_rows, row_factor

TWO = Quantity.of(2)


@frozen(eq=False, repr=False)
class Bound(ByValue):
    """What a name stands for that a let around an expression has bound, in the names around the let, and whether that may mention
    the column."""

    value: ast.SExp
    names: Names
    is_tied: bool


Names: TypeAlias = "Mapping[str, Bound]"
"""By name what lets have bound; other names are the column, or come from outside."""


def counted_once(node: ast.MCreate) -> ast.SExp | None:
    """The table of which each row counts for one column at most in each row of the created matrix; None of any other matrix."""
    column = node.col.text
    body, names = _spelt_out(node.body, {}, column)
    if isinstance(body, ast.Prim) and facts_of(body.name).static == "embedded":
        body, names = _spelt_out(body.args[0], names, column)
    if not isinstance(body, ast.Prim) or facts_of(body.name).counts != "row":
        return None
    table, names = _spelt_out(body.args[0], names, column)
    if not isinstance(table, ast.Filter) or _depends(table.arg, names, column):
        return None
    own = {name: bound for name, bound in names.items() if name != table.row.text}
    if table.row.text == column:
        return None
    return table.arg if _is_of_one_column(table.body, own, column) else None


def _spelt_out(node: ast.SExp, names: Names, column: str) -> tuple[ast.SExp, Names]:
    """What an expression is without the lets around it, and in place of a name that one of them binds."""
    for _ in range(MAXIMAL_NESTING):
        match node:
            case ast.Let(name=name, bound=bound, body=body):
                names = {**names, name.text: Bound(bound, names, _depends(bound, names, column))}
                node = body
            case ast.Var(name=name) if name in names:
                node, names = names[name].value, names[name].names
            case _:
                break
    return node, names


def _depends(node: ast.SExp, names: Names, column: str) -> bool:
    """Whether an expression may mention the column, by itself or by what lets have bound."""
    found = {name_of(reference) for reference in references(node)}
    return (column in found and column not in names) or any(names[name].is_tied for name in found if name in names)


def _is_of_one_column(written: ast.SExp, around: Names, column: str, nesting: int = 0) -> bool:
    """Whether a condition holds of a row for one column at most: an equation of the column with what does not mention it."""
    condition, names = _spelt_out(written, around, column)
    if nesting > MAXIMAL_NESTING or not isinstance(condition, ast.Prim):
        return False
    stated = facts_of(condition.name)
    if stated.picks == "all":
        return any(_is_of_one_column(part, names, column, nesting + 1) for part in condition.args)
    if stated.compares != "equal":
        return False
    left, right = condition.args
    return (_is_column(left, names, column) and not _depends(right, names, column)) or (
        _is_column(right, names, column) and not _depends(left, names, column)
    )


def _is_column(written: ast.SExp, around: Names, column: str, nesting: int = 0) -> bool:
    """Whether an expression is the number of the column, of whatever type and metric: different for all columns."""
    node, names = _spelt_out(written, around, column)
    match node:
        case ast.Var(name=name):
            return name == column
        case ast.Prim(name=name, args=(inner,)) if nesting < MAXIMAL_NESTING and facts_of(name).is_same:
            return _is_column(inner, names, column, nesting + 1)
        case _:
            return False


def moves_of_counts(norm: Norm, columns: Quantity, source: Judged, count: Judged) -> Context:
    """How far a row of such counts moves, each of which moves as `count` says.

    An added or removed row of the table moves one count by 1. A replaced row moves two of them, or one.
    """
    replaced = count.context.scaled(row_factor(norm, minimum(columns, TWO)))
    is_counted = isinstance(source.type, Matrix) and source.type.rows is None and counts_rows(source.type)
    if not is_counted:
        return replaced
    # What the condition captures is at ∞ already. There is at least one column, so that no factor is below 1.
    known = {
        root
        for root, moved in replaced.entries.items()
        if not moved.is_infinite and any(source.context[root].leq(each) for each in (count.context[root], moved))
    }
    others = [root for root in source.context.entries if root not in known]
    return replaced.without(*known) + source.context.without(*others)
