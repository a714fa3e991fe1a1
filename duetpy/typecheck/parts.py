"""What the rules of both judgements take apart: pairs, sums, and tests on static numbers."""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.typecheck import types as t
from duetpy.typecheck.boxes import repaid
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.context import Context, Root
from duetpy.typecheck.errors import shapes
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.judgement import Judged, degree_of
from duetpy.typecheck.quantity import Comparison, Quantity, Signed, maximum
from duetpy.typecheck.subtype import coerce


def pair_parts(checker: Checker, node: ast.SExp, judged: Judged) -> tuple[t.Type, t.Type]:
    if isinstance(judged.type, t.Product | t.With):
        return judged.type.left, judged.type.right
    if not isinstance(judged.type, t.Poison):
        checker.report(shapes.not_a_pair(node.span, judged.type))
    return t.POISON, t.POISON


def opened(
    left: str, right: str, parts: tuple[t.Type, t.Type], degree: int | None
) -> tuple[Root, Root, Judged, Judged]:
    """Two names for the parts of a pair, as inputs of their own."""
    x = Root.fresh(left, separated=t.is_separated(parts[0]))
    y = Root.fresh(right, separated=t.is_separated(parts[1]))
    return x, y, Judged(parts[0], Context.of(x), degree=degree), Judged(parts[1], Context.of(y), degree=degree)


def closed(body: Judged, x: Root, y: Root, pair: Judged) -> Judged:
    """Charge what the body does with the parts to the pair: a move of a × by d splits as d = d₁ + d₂, one of an & does not."""
    left, right = body.context[x], body.context[y]
    factor = left + right if isinstance(pair.type, t.With) else maximum(left, right)
    context = body.context.without(x, y) + pair.context.scaled(factor)
    type_ = repaid(body.type, {x: pair.context, y: pair.context})
    return Judged(type_, context, range=body.range, degree=degree_of(body))


def sum_parts(checker: Checker, node: ast.SExp, judged: Judged) -> tuple[t.Type, t.Type]:
    if isinstance(judged.type, t.Sum):
        return judged.type.left, judged.type.right
    if not isinstance(judged.type, t.Poison):
        checker.report(shapes.not_a_sum(node.span, judged.type))
    return t.POISON, t.POISON


def judge_guard(checker: Checker, node: ast.If | ast.PIf) -> tuple[Judged, Comparison | None]:
    """What decides between two branches, and what it says of static numbers."""
    guard = checker.judge(node.guard)
    if coerce(guard.type, t.BOOL) is None:
        checker.report(shapes.not_a_boolean(node.guard.span, guard.type))
    test = static_test(checker, node.guard)
    if test is not None:
        checker.annotations.tests[node] = test
    return guard, test


def static_test(checker: Checker, guard: ast.SExp) -> Comparison | None:
    """What a guard says of static numbers, if that is all that it says: the branches are then reached where it holds, and where
    it does not, whatever the data is."""
    match guard:
        case ast.Prim(args=(left, right)) if facts_of(guard.name).compares in ("below", "at most"):
            ends = [checker.concluded.get(side) for side in (left, right)]
            numbers = [None if judged is None else static_number(judged.type) for judged in ends]
            match numbers:
                case [Signed() as low, Signed() as high]:
                    return Comparison(low, facts_of(guard.name).compares == "below", high)
        case ast.Prim(args=(denied, ast.BoolLit(value=False))) if facts_of(guard.name).compares == "equal":
            test = static_test(checker, denied)
            return test and test.opposite()
    return None


def static_size(type_: t.Type) -> Quantity | None:
    """A static number that is not negative."""
    match type_:
        case t.StaticReal(Signed(False, magnitude)) | t.StaticNat(magnitude):
            return magnitude
        case _:
            return None


def static_number(type_: t.Type) -> Signed | None:
    match type_:
        case t.StaticNat(value):
            return Signed(False, value)
        case t.StaticReal(value):
            return value
        case _:
            return None
