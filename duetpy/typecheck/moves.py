"""How far a change of the inputs moves what is made of them, in steps inside its type."""

from __future__ import annotations

from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.context import Context
from duetpy.typecheck.cost import Cost
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.neighbours import moves_one_way
from duetpy.typecheck.quantity import INFINITY, ONE, Quantity


def moved(size: Quantity, type_: t.Type, cost: Cost) -> Cost:
    """The cost for a move by `size` of something of a type: unbounded where the move has no steps inside the type."""
    return costs.group(in_steps(size, type_), cost, alike=moves_one_way(type_))


def in_steps(size: Quantity, type_: t.Type) -> Quantity:
    """A move by `size` in steps inside a type, each of which is priced; ∞ where the move has none there."""
    return size if size.leq(ONE) or has_steps(type_) else INFINITY


def joined_views(before: Context, context: Context, seen: list[Judged], arg: Judged) -> Context:
    """Views of one callee unit: the same rows move where all are row-wise views of one input, else the moves add."""
    unit = arg.rows_of
    if not seen or unit is None or any(other.rows_of != unit for other in seen):
        return before + context
    return before.without(unit) + context.without(unit) + before.only(unit).join(context.only(unit))


def has_steps(type_: t.Type) -> bool:
    """Whether a move by s can be made in ⌈s⌉ moves by at most 1 inside the type, as group privacy needs.

    Yes on a line, between rows that are replaced one by one, and inside a convex set of real rows. No for rows measured
    entry by entry over discrete columns, where an intermediate row may break the bound or a distance is √k.
    """
    match type_:
        case t.Nat() | t.Real() | t.StaticNat() | t.StaticReal():
            return True
        case t.Matrix(rows=rows):
            if rows is None and t.counts_rows(type_):
                return True
            if all(t.is_discrete(column) for column in type_.column_types()):
                return t.has_discrete_rows(type_)
            return rows is not None and all(isinstance(column, t.Real) for column in type_.column_types())
        case _:
            return t.is_discrete(type_)
