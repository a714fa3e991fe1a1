"""Parameters that a call may leave out, because the type of a column says them.

A privacy function may name parameters of its own in the range of a column:

    xs : bag 𝔻 in [lo, lo + width]          lo : ℝ, static width : ℝ⁺
    xs : bag 𝔻 in [lo, lo + k ⋅ step]       lo : ℝ, step : ℝ, static k : ℕ
    xs : bag 𝔻 in [-most, most]             static most : ℝ⁺

lo and step are parameters, the others kind variables that a parameter is. The function is the one that the same list without the
range declares: xs is a ``bag 𝔻`` in its body, and lo, width, step and most are ordinary parameters. A call that gives all of
them is an ordinary call. A call that leaves them out stands for the call that gives them the numbers that the type of its column
says; these stand in the program, as those of any type.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve, field, frozen

from duetpy.by_value import Shown
from duetpy.grammar import ast
from duetpy.source import Span
from duetpy.typecheck import types as t
from duetpy.typecheck.taken import Said, Taken


@frozen(eq=False, repr=False)
class OpenRanges(Shown):
    """The parameters of a function as their body knows them.

    Parameters
    ----------
    params
        The parameters, without the ranges that name others.
    taken
        By place of a parameter: where it comes from if a call leaves it out.
    """

    params: tuple[ast.Param | ast.Aligned, ...]
    taken: dict[int, Taken] = field(factory=dict)


def opened(params: tuple[ast.Param | ast.Aligned, ...]) -> OpenRanges:
    """The parameters of a privacy function. A range that follows none of the three patterns stays where it is."""
    if any(isinstance(param, ast.Aligned) for param in params):
        return OpenRanges(params)
    plain = [param for param in params if isinstance(param, ast.Param)]
    found: list[ast.Param] = []
    taken: dict[int, Taken] = {}
    for at, param in enumerate(plain):
        match param.type:
            case ast.TBag(span=span, element=ast.TWithin() as within):
                said = _pattern(within, at, plain)
                if said and taken.keys().isdisjoint(said):
                    taken |= said
                    param = evolve(param, type=ast.TBag(span, within.inner))
            case _:
                pass
        found.append(param)
    return OpenRanges(tuple(found), taken)


def _pattern(written: ast.TWithin, column: int, params: Sequence[ast.Param]) -> dict[int, Taken]:
    reals = {param.name.text: at for at, param in enumerate(params) if _is_real(param.type)}
    static, sizes = _numbers(params, ast.TStaticReal), _numbers(params, ast.TStaticNat)
    match written.low, written.high:
        case ast.End(negative=True, size=ast.RVar(name=least)), ast.End(negative=False, size=ast.RVar(name=most)):
            if least == most and most in static:
                return {static[most]: Taken(column, Said.MOST)}
        case (
            ast.End(negative=False, size=ast.RVar(name=low)),
            ast.End(negative=False, size=ast.RBin(op="+", left=ast.RVar(name=start), right=size)),
        ) if low == start and low in reals:
            first = {reals[low]: Taken(column, Said.LOW)}
            match size:
                case ast.RVar(name=width) if width in static:
                    return first | {static[width]: Taken(column, Said.WIDTH)}
                case ast.RBin(op="⋅", left=ast.RVar(name=count), right=ast.RVar(name=step)):
                    if count in sizes and step in reals and step != low:
                        return first | {reals[step]: Taken(column, Said.STEP, sizes[count])}
    return {}


def _is_real(type_: ast.Type | None) -> bool:
    return isinstance(type_, ast.TBase) and type_.name == "ℝ"


def _numbers(params: Sequence[ast.Param], kind: type[ast.TStaticReal | ast.TStaticNat]) -> dict[str, int]:
    """The static parameters that are a kind variable, by its name; two parameters with the same variable are left out."""
    found: dict[str, list[int]] = {}
    for at, param in enumerate(params):
        match param.type:
            case ast.TStaticReal(value=ast.RVar(name=name)) | ast.TStaticNat(value=ast.RVar(name=name)):
                if isinstance(param.type, kind):
                    found.setdefault(name, []).append(at)
            case _:
                pass
    return {name: places[0] for name, places in found.items() if len(places) == 1}


def range_of_column(type_: t.Type) -> t.Bounded | None:
    """The range of the cells of a table, where all of them are in one."""
    if isinstance(type_, t.Matrix) and isinstance(type_.element, t.Disc) and isinstance(type_.element.inner, t.Bounded):
        return type_.element.inner
    return None


def said_by(bounded: t.Bounded, taken: Taken, span: Span, args: Sequence[ast.SExp | None]) -> ast.SExp:
    """The argument that a call leaves out; `args` are those that it gives, by place."""
    low, high = bounded.low, bounded.high
    match taken.said:
        case Said.LOW:
            return ast.RealLit(span, low)
        case Said.WIDTH:
            return ast.RealLit(span, high - low)
        case Said.MOST:
            return ast.RealLit(span, max(abs(low), abs(high)))
        case Said.STEP:
            count = None if taken.count is None else args[taken.count]
            assert count is not None
            return ast.Prim(span, "/", (ast.RealLit(span, high - low), ast.Prim(span, "real", (count,))))
