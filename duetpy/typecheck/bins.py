"""Tables of counts in which each row counts once: `mcreate[ℓ | m, n] { i, j ⇒ rows (mfilter xs { r ⇒ key r ≡ j }) }`.

An *index* is i or j. What does not mention an index is the same for all of its values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from attrs import frozen

from duetpy.by_value import ByValue
from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.grammar.binders import name_of, references
from duetpy.typecheck.context import Context
from duetpy.typecheck.direction import MAXIMAL_NESTING
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import ONE, Quantity, minimum
from duetpy.typecheck.types import Matrix, counts_rows, row_factor

TWO = Quantity.of(2)


@frozen(eq=False, repr=False)
class Bound(ByValue):
    """What a name stands for that a let around an expression has bound, in the names around the let, and whether that may mention
    one of the indices."""

    value: ast.SExp
    names: Names
    is_tied: bool


Names: TypeAlias = "Mapping[str, Bound]"
"""By name what lets have bound; other names are indices, or come from outside."""
Indices: TypeAlias = "frozenset[str]"


@frozen(eq=False, repr=False)
class Bins(ByValue):
    """The counts of a created matrix.

    Parameters
    ----------
    table
        The table whose rows are counted, each for one column at most in each row of the matrix.
    are_apart
        Whether each counts in one entry at most of the whole matrix.
    """

    table: ast.SExp
    are_apart: bool


def bins_of(node: ast.MCreate) -> Bins | None:
    """What a created matrix counts, if its entries are such counts; None of any other matrix."""
    row, column = node.row.text, node.col.text
    table = _counted_once(node.body, column, frozenset((column,)))
    if table is None:
        return None
    both = frozenset((row, column))
    by_row, by_column = (_counted_once(node.body, index, both) is not None for index in (row, column))
    either = by_row or (by_column and _counted_once(node.body, row, frozenset((row,))) is not None)
    return Bins(table, are_apart=row != column and either)


def _counted_once(body: ast.SExp, index: str, indices: Indices) -> ast.SExp | None:
    """The table of which each row counts for one value of the index at most, which the row decides and what mentions no index; None
    of an entry that is not such a count, or whose table mentions an index."""
    body, names = _spelt_out(body, {}, indices)
    if isinstance(body, ast.Prim) and facts_of(body.name).static == "embedded":
        body, names = _spelt_out(body.args[0], names, indices)
    if not isinstance(body, ast.Prim) or facts_of(body.name).counts != "row":
        return None
    table, names = _spelt_out(body.args[0], names, indices)
    if not isinstance(table, ast.Filter) or _depends(table.arg, names, indices):
        return None
    own = {name: bound for name, bound in names.items() if name != table.row.text}
    if table.row.text in indices:
        return None
    return table.arg if _holds_once(table.body, own, index, indices) else None


def _spelt_out(node: ast.SExp, names: Names, indices: Indices) -> tuple[ast.SExp, Names]:
    """What an expression is without the lets around it, and in place of a name that one of them binds."""
    for _ in range(MAXIMAL_NESTING):
        match node:
            case ast.Let(name=name, bound=bound, body=body):
                names = {**names, name.text: Bound(bound, names, _depends(bound, names, indices))}
                node = body
            case ast.Var(name=name) if name in names:
                node, names = names[name].value, names[name].names
            case _:
                break
    return node, names


def _depends(node: ast.SExp, names: Names, indices: Indices) -> bool:
    """Whether an expression may mention an index, by itself or by what lets have bound."""
    found = {name_of(reference) for reference in references(node)}
    return any(names[name].is_tied if name in names else name in indices for name in found)


def _holds_once(written: ast.SExp, around: Names, index: str, indices: Indices, nesting: int = 0) -> bool:
    """Whether a condition holds of a row for one value of the index at most: an equation of it with what mentions no index."""
    condition, names = _spelt_out(written, around, indices)
    if nesting > MAXIMAL_NESTING or not isinstance(condition, ast.Prim):
        return False
    stated = facts_of(condition.name)
    if stated.picks == "all":
        return any(_holds_once(part, names, index, indices, nesting + 1) for part in condition.args)
    if stated.compares != "equal":
        return False
    left, right = condition.args
    return (_is_index(left, names, index, indices) and not _depends(right, names, indices)) or (
        _is_index(right, names, index, indices) and not _depends(left, names, indices)
    )


def _is_index(written: ast.SExp, around: Names, index: str, indices: Indices, nesting: int = 0) -> bool:
    """Whether an expression is the number that the index is, of whatever type and metric: different for all values."""
    node, names = _spelt_out(written, around, indices)
    match node:
        case ast.Var(name=name):
            return name == index
        case ast.Prim(name=name, args=(inner,)) if nesting < MAXIMAL_NESTING and facts_of(name).is_same:
            return _is_index(inner, names, index, indices, nesting + 1)
        case _:
            return False


def moves_of_counts(
    norm: Norm, rows: Quantity, columns: Quantity, bins: Bins, source: Judged, count: Judged
) -> Context:
    """How far such counts move, each of which moves as `count` says.

    An added or removed row of the table moves one count by 1, in each row of the matrix or in all of it. A replaced row moves two,
    or one.
    """
    replacing = rows * row_factor(norm, minimum(columns, TWO))
    adding = rows
    if bins.are_apart:
        replacing, adding = minimum(replacing, TWO), ONE
    replaced, added = count.context.scaled(replacing), source.context.scaled(adding)
    is_counted = isinstance(source.type, Matrix) and source.type.rows is None and counts_rows(source.type)
    if not is_counted:
        return replaced
    # What the condition captures is at ∞ already. There is at least one entry, so that replacing moves no less than adding.
    known = {
        root
        for root, moved in replaced.entries.items()
        if not moved.is_infinite and (source.context[root].leq(count.context[root]) or added[root].leq(moved))
    }
    others = [root for root in added.entries if root not in known]
    return replaced.without(*known) + added.without(*others)
