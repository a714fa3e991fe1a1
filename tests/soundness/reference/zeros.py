"""What an expression is where some names stand for 0 or for rows of zeros: the second checker's reading of sums over real rows.

A row without a partner is as far away as it is long, so that what it adds is bounded by that only if a row of zeros adds nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from duetpy.grammar import ast

Form: TypeAlias = "bool | Mapping[str, Form]"
"""Whether a number is 0, or all numbers of a row are; of a record that is written out, that of each field."""


def is_zero(node: ast.SExp, *names: str) -> bool:
    """Whether an expression is 0 where these names are."""
    return wholly(at_zero(node, dict.fromkeys(names, True)))


def wholly(form: Form) -> bool:
    return form if isinstance(form, bool) else all(map(wholly, form.values()))


def at_zero(node: ast.SExp, known: Mapping[str, Form]) -> Form:
    """What is known of the names is whether they are 0."""

    def zero(inner: ast.SExp) -> bool:
        return wholly(at_zero(inner, known))

    match node:
        case ast.Var(name=name):
            return known.get(name, False)
        case ast.RealLit(value=value) | ast.NatLit(value=value):
            return value == 0
        case ast.Let(name=name, bound=bound, body=body):
            return at_zero(body, {**known, name.text: at_zero(bound, known)})
        case ast.If(then=then, otherwise=otherwise):
            return zero(then) and zero(otherwise)
        case ast.Record(names=names, values=values):
            return {name.text: at_zero(value, known) for name, value in zip(names, values, strict=True)}
        case ast.FrameOp(form="addColDF", column=column, args=(ast.Pair(left=left, right=right),)):
            first = at_zero(left, known)
            return {**(first if isinstance(first, Mapping) else {}), column.text: at_zero(right, known)}
        case ast.FrameOp(form="addColDF", column=column, args=(value,)):
            return {column.text: at_zero(value, known)}
        case ast.FieldOf(record=record, name=name):
            row = at_zero(record, known)
            return row if isinstance(row, bool) else row.get(name.text, False)
        case ast.Index(matrix=matrix):
            return zero(matrix)
        case ast.Map(form="mmap", args=args, names=names, body=body):
            entries = {name.text: zero(arg) for name, arg in zip(names, args, strict=True)}
            return wholly(at_zero(body, {**known, **entries}))
        case ast.Prim(name="+" | "-" | "⊔" | "⊓", args=(left, right)):
            return zero(left) and zero(right)
        case ast.Prim(name="⋅", args=(left, right)):
            return zero(left) or zero(right)
        case ast.Prim(name="/" | "abs" | "tanh" | "sign" | "floor" | "ceil" | "round" | "mclip" | "renorm", args=args):
            return zero(args[0])
        case ast.Prim(name="clip", args=(value,), bounds=bounds):
            ends = [end.value for end in bounds if isinstance(end, ast.RealLit | ast.NatLit)]
            return zero(value) and (not bounds or (len(ends) == 2 and ends[0] <= 0 <= ends[1]))
        case _:
            return False
