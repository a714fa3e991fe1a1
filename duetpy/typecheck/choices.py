"""What the rules for two branches share, in both judgements: the join of the branches, and what the choice itself is charged."""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.typecheck import cost as costs
from duetpy.typecheck import types as t
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context
from duetpy.typecheck.degrees import largest_degree
from duetpy.typecheck.errors import shapes
from duetpy.typecheck.judgement import Charged, Judged, add_costs, in_the_clear, range_of
from duetpy.typecheck.quantity import Comparison
from duetpy.typecheck.ranges import hull
from duetpy.typecheck.subtype import join_types


def branches(checker: Checker, node: ast.SExp, left: Judged, right: Judged, guard: Context) -> Judged:
    """The join of two branches, plus what the choice itself is charged."""
    context = guard + left.context.join(right.context)
    joined = join_types(left.type, right.type)
    if joined is None:
        return checker.refuse(shapes.branches_differ(node.span, left.type, right.type), context)
    return Judged(joined, context, range=hull(range_of(left), range_of(right)), degree=largest_degree(left, right))


def either(
    checker: Checker,
    node: ast.PExp,
    guard: Judged,
    first: Charged,
    second: Charged,
    test: Comparison | None = None,
) -> Charged:
    """One of two branches, which one being seen: what decides it is in the clear, the rest is charged for the larger branch."""
    joined = join_types(first.type, second.type)
    if joined is None:
        checker.report(shapes.branches_differ(node.span, first.type, second.type))
        joined = t.POISON
    roots = dict.fromkeys([*first.costs, *second.costs])
    spent = {root: costs.choice([first.cost(root), second.cost(root)], test=test) for root in roots}
    return Charged(joined, add_costs([in_the_clear(guard.context, "decides which branch runs"), spent]))
