"""What a call leaves out, read from the type of its column a second time: by the names in the range, whichever pattern it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from duetpy.grammar import ast
from duetpy.grammar.binders import flat
from duetpy.typecheck import types as t


def all_arguments(
    function: ast.PLam, args: Sequence[ast.SExp], given: Sequence[Any], types: Mapping[ast.Node, tuple[t.Type, ...]]
) -> list[Any]:
    """The values of all arguments of a call, in the order of the parameters.

    Parameters
    ----------
    function, args
        The function that is called, and the arguments as they are written.
    given
        Their values.
    types
        The types of expressions.
    """
    params = flat(function.params)
    if len(given) == len(params):
        return list(given)
    ends = {_called(param): _ends(param.type) for param in params}
    said = {name for found in ends.values() if found for name in _names(*found)} & ends.keys()
    said -= {name for found in ends.values() if found for name in _factors(found[1])}
    values = dict(zip((each for each in ends if each not in said), given, strict=True))
    written = dict(zip(values, args, strict=True))
    for name, found in ends.items():
        if found is not None:
            (column,) = types[written[name]]
            assert isinstance(column, t.Matrix)
            assert isinstance(column.element, t.Disc)
            bounded = column.element.inner
            assert isinstance(bounded, t.Bounded)
            values |= _solved(*found, bounded.low, bounded.high, values)
    return [values[each] for each in ends]


def _called(param: ast.Param) -> str:
    """What a range calls a parameter: by its number, if it is one, else by its name."""
    match param.type:
        case ast.TStaticReal(value=ast.RVar(name=name)) | ast.TStaticNat(value=ast.RVar(name=name)):
            return name
        case _:
            return param.name.text


def _ends(type_: ast.Type | None) -> tuple[ast.End, ast.End] | None:
    match type_:
        case ast.TBag(element=ast.TWithin(low=low, high=high)) if _names(low, high):
            return low, high
        case _:
            return None


def _names(*ends: ast.End) -> set[str]:
    found: set[str] = set()
    pending: list[ast.RExp] = [end.size for end in ends]
    while pending:
        match pending.pop():
            case ast.RVar(name=name):
                found.add(name)
            case ast.RBin(left=left, right=right):
                pending += [left, right]
            case _:
                pass
    return found


def _factors(high: ast.End) -> set[str]:
    """The k of lo + k ⋅ step, which a call gives."""
    match high.size:
        case ast.RBin(right=ast.RBin(left=ast.RVar(name=count))):
            return {count}
        case _:
            return set()


def _solved(
    low: ast.End, high: ast.End, least: Fraction, most: Fraction, values: Mapping[str, Any]
) -> dict[str, Fraction]:
    """What the names of a range are so that it is [least, most], or for one name the shortest that holds it."""
    match low.size, high.size:
        case ast.RVar(name=name), ast.RVar():
            return {name: max(-least, most, least, -most)}
        case ast.RVar(name=name), ast.RBin(right=ast.RVar(name=width)):
            return {name: least, width: most - least}
        case ast.RVar(name=name), ast.RBin(right=ast.RBin(left=ast.RVar(name=count), right=ast.RVar(name=step))):
            return {name: least, step: (most - least) / Fraction(values[count])}
    raise AssertionError("no such range is allowed")
