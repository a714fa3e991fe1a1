"""Why a value moves further than was claimed: what stretches a move on its way, with two inputs that show it.

The examples are of the form that `duetpy.typecheck.errors.causes` describes.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.typecheck import types as t
from duetpy.typecheck.blame import culprit, reached, through
from duetpy.typecheck.errors.causes import Concluded, example, moved_inside, shown, unbounded_cause
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import ONE, Quantity, Signed


def function_causes(
    function: ast.SExp, bounded: bool, concluded: Concluded, addends: Mapping[ast.Node, ast.SExp]
) -> tuple[str, ...]:
    """Why a function that is written out is more sensitive than the place where it is put allows."""
    function = through(function)
    if not isinstance(function, ast.Lam):
        return ()
    if bounded:
        return stretching(function.body, concluded, addends)
    judged = concluded.get(through(function.body))
    names = {param.name.text for param in function.params}
    moved = () if judged is None else judged.context.entries.items()
    root = next((root for root, s in moved if root.name in names and not s.finite()), None)
    if root is None:
        return ()
    return unbounded_cause(culprit(function.body, root, concluded, addends), concluded).notes


def stretching(body: ast.SExp, concluded: Concluded, addends: Mapping[ast.Node, ast.SExp]) -> tuple[str, ...]:
    """What stretches a move in an expression, the outermost first; at most two reasons."""
    found: list[str] = []
    count = 0
    for node in reached(body, concluded, addends):
        judged = concluded.get(node)
        if judged is None or not judged.context:
            continue
        notes = _stretching(node, judged, concluded, addends)
        if notes and not set(notes) <= set(found):
            found.extend(notes)
            count += 1
        if count == 2:
            break
    return tuple(dict.fromkeys(found))


def _stretching(
    node: ast.SExp, judged: Judged, concluded: Concluded, addends: Mapping[ast.Node, ast.SExp]
) -> tuple[str, ...]:
    match node:
        case ast.Prim():
            args = [concluded.get(argument) for argument in node.args]
            return _primitive(node, judged, [arg for arg in args if arg is not None])
        case ast.If():
            guard = concluded.get(node.guard)
            if guard is not None and guard.context:
                return ("the condition depends on data, so one change can swap the branches",)
        case ast.Filter():
            source = concluded.get(node.arg)
            if source is not None and isinstance(source.type, t.Matrix) and source.type.rows is not None:
                return ("replacing a row can remove one row from the filtered table, add another, or do both",)
        case ast.Flat():
            return ("one added row of the outer table adds all the rows that flat takes from it",)
        case ast.Loop():
            body = concluded.get(node.body)
            stretched = moved_inside(body, node.state.text)
            if stretched is not None and not stretched.leq(ONE):
                return (f"each iteration multiplies a change of {node.state.text} by {stretched.show()}",)
        case ast.Fold():
            return _fold(node, concluded, addends)
        case ast.Map() | ast.MCreate():
            body = concluded.get(node.body)
            own = {name.text for name in node.names} if isinstance(node, ast.Map) else {node.row.text, node.col.text}
            captured = sorted({root.name for root in body.context.entries} - own) if body is not None else []
            if captured:
                return (f"{' and '.join(captured)} is used for each entry, so a change of it changes all of them",)
    return ()


def _fold(node: ast.Fold, concluded: Concluded, addends: Mapping[ast.Node, ast.SExp]) -> tuple[str, ...]:
    source = concluded.get(node.arg)
    if source is None or not isinstance(source.type, t.Matrix):
        return ()
    added = addends.get(node)
    if added is None:
        stretched = moved_inside(concluded.get(node.body), node.state.text)
        if stretched is not None and not stretched.leq(ONE):
            return (f"each row multiplies a change of {node.state.text} by {stretched.show()}",)
        return ()
    if source.type.rows is None:
        return (
            f"adding or removing a row adds or removes a term of {node.state.text}, however little the term depends on "
            f"the row",
        )
    return ()


def _primitive(node: ast.Prim, judged: Judged, args: list[Judged]) -> tuple[str, ...]:
    if not args:
        return ()
    first = args[0].type
    match node.name, first:
        case "∇", _ if node.loss == "LR":
            return (
                "each row contributes a gradient as long as its clipped features, so replacing one row changes the "
                "sum by up to twice that",
                "for example the rows [-0.1, 0.99] and [-0.1, -0.99] with label +1 and a large θ = [T, 0]: two clipped rows "
                "can be 2 apart",
            )
        case "U∇", _:
            return (
                "replacing one row can change the mean of unbounded rows to anything: the mean counts as changed, "
                "whatever m is",
            )
        case "clip", t.Disc() if judged.range is not None:
            low, high = judged.range.low, judged.range.high
            if not judged.range.width.leq(ONE):
                reason = "a discrete value can change from one end of its range to the other"
                width = judged.range.width.show()
                return (reason, example(low.show(), high.show(), "1", "clipped", width))
        case "clip", _ if not all(s.finite() for s in args[0].context.entries.values()):
            return ("because the value is clipped only here, one change can still move it through the whole range",)
        case _:
            return _declared(node, judged, args)
    return ()


def _declared(node: ast.Prim, judged: Judged, args: list[Judged]) -> tuple[str, ...]:
    """How a primitive of the prelude stretches, by what is stated there."""
    way, *words = facts_of(node.name).stretches or ("",)
    first = args[0].type
    match way, first:
        case "by turning round", t.Matrix(clip=t.Clip(_, bound)):
            return _converted(first, bound)
        case "by rescaling", t.Matrix() if node.norm is not None:
            return _clipped(node.norm, first, judged.type)
        case "in another norm", t.Matrix() if node.norm is not None:
            return _renormed(first, node.norm)
        case "as columns", t.Matrix(norm=Norm.LINF | Norm.L2) if not first.width.leq(ONE):
            before = "1" if first.norm is Norm.LINF else Quantity.of(2).sqrt().show()
            return (example("[0, 0]", "[1, 1]", before, way, "2"),)
        case "entry by entry", t.Matrix(norm=Norm.LINF | Norm.L2) if not first.width.leq(ONE):
            return ("if a row changes, each of its entries may begin or cease to count",)
        case "by a factor" | "by a divisor", _ if len(args) == 2 and isinstance(judged.type, t.Disc):
            return _scaled_discrete(way, words[0], args)
        case "by a factor", _ if len(args) == 2:
            return _scaled(args)
        case "by a divisor", _ if len(args) == 2:
            return _divided(args)
        case _:
            return ()


def _converted(source: t.Matrix, bound: Quantity) -> tuple[str, ...]:
    zeros = "" if source.width == ONE else ", 0"
    if source.rows is None:
        return ()
    row = f"[{bound.show()}{zeros}]", f"[{Signed(True, bound).show()}{zeros}]"
    return (
        "replacing a clipped row can reverse its direction, which changes it by twice the bound",
        example(*row, "1", "converted", (bound + bound).show()),
    )


def _clipped(clip: Norm, source: t.Matrix, result: t.Type) -> tuple[str, ...]:
    """A pair for radial clipping; n ≥ 2 columns."""
    if not isinstance(result, t.Matrix) or result.clip is None or source.width.leq(ONE) or clip is Norm.LINF:
        return ()
    bound = result.clip.bound.constant
    if bound is None:
        return ()
    if all(isinstance(column, t.Disc) for column in source.column_types()):
        if source.norm is Norm.LINF:
            return ()
        how = f"clipped to {shown(bound)} in {clip.value}"
        pair = f"[{shown(bound)}, {shown(bound)}]", f"[{shown(bound)}, 0]"
        after = "2" if source.norm is Norm.L1 else Quantity.of(2).sqrt().show()
        return (
            "clipping rescales the whole row, so a change of one entry can change all of them",
            example(*pair, "1", how, after),
        )
    match clip, source.norm:
        case Norm.L1, Norm.L1:
            first, second = (Fraction(1), Fraction(0)), (Fraction(1), Fraction(1, 4))
            before, stretched = Fraction(1, 4), Fraction(2, 5)
        case Norm.L2, Norm.L1:
            first, second = (Fraction(5, 13), Fraction(12, 13)), (Fraction(9, 13), Fraction(12, 13))
            before, stretched = Fraction(4, 13), Fraction(22, 65)
        case _:
            return ()
    return (
        "scaling a row to its bound also changes the entries that were equal",
        example(
            _row(first, bound),
            _row(second, bound),
            shown(before * bound),
            f"clipped to {shown(bound)} in {clip.value}",
            shown(stretched * bound),
        ),
    )


def _renormed(source: t.Matrix, wanted: Norm) -> tuple[str, ...]:
    if source.width.leq(ONE) or (source.norm, wanted) not in _LARGER:
        return ()
    discrete = any(isinstance(column, t.Disc) for column in source.column_types())
    root = Quantity.of(2).sqrt().show()
    sizes = {Norm.L1: "2", Norm.L2: root, Norm.LINF: "1"}
    reason = (
        "if a row changes, each of its entries can change" if discrete else "every entry of a row can change at once"
    )
    return (reason, example("[0, 0]", "[1, 1]", sizes[source.norm], f"measured in {wanted.value}", sizes[wanted]))


_LARGER = {(Norm.LINF, Norm.L2), (Norm.LINF, Norm.L1), (Norm.L2, Norm.L1)}


def _scaled_discrete(way: str, word: str, args: list[Judged]) -> tuple[str, ...]:
    factor = _static(args)
    reason = "the discrete metric has no scale: different values are still different after scaling"
    if factor is None:
        return () if all(arg.context for arg in args) else (reason,)
    if factor.is_zero:
        return ()
    how = f"{word} {factor.show()}"
    if way == "by a divisor" and isinstance(args[0].type, t.StaticReal | t.StaticNat):
        return ()
    return (
        reason,
        example("0", "1", "1", how, "1"),
    )


def _scaled(args: list[Judged]) -> tuple[str, ...]:
    factor = _static(args)
    if factor is None or factor.leq(ONE):
        return ()
    return (example("0", "1", "1", f"times {factor.show()}", factor.show()),)


def _divided(args: list[Judged]) -> tuple[str, ...]:
    divisor = None if args[0].type == args[1].type else _static(args[1:])
    if divisor is None or divisor.is_zero or ONE.leq(divisor) or divisor.constant is None:
        return ()
    return (example("0", "1", "1", f"divided by {divisor.show()}", (ONE / divisor).show()),)


def _static(args: list[Judged]) -> Quantity | None:
    """The size of the one static factor."""
    found = [arg.type for arg in args if isinstance(arg.type, t.StaticReal | t.StaticNat)]
    if len(found) != 1:
        return None
    value = found[0].value
    return value.magnitude if isinstance(value, Signed) else value


def _row(entries: tuple[Fraction, ...], scale: Fraction) -> str:
    return f"[{', '.join(shown(entry * scale) for entry in entries)}]"
