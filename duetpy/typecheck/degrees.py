"""How long exact numbers can get, and which of them may be rounded.

A product of two numbers is as long as both together, so that repeated squares of one number soon fill any memory. The degree of an
expression says of how many numbers that a run reads, each of them short, its value is a product at most, or a sum of such
products. The checker knows it where there is neither the state of a loop nor a parameter of a function that the program calls.
"""

from __future__ import annotations

from attrs import evolve

from duetpy.grammar import ast
from duetpy.typecheck.facts import Facts
from duetpy.typecheck.judgement import Judged, degree_of
from duetpy.typecheck.mechanism_rows import FORMS
from duetpy.typecheck.types import Real, StaticNat, StaticReal, is_discrete

LONGEST = 16
"""Longer products have no sensitivity of their own: their factors are short numbers of up to some thousand bits each."""

_AS_LONG = ("sum", "difference", "larger", "smaller", "magnitude", "embedded", "ordinary")


def largest_degree(*parts: Judged) -> int | None:
    """The degree of what is about as long as the longest of its parts."""
    known = [degree_of(part) for part in parts]
    return max((degree for degree in known if degree is not None), default=0) if None not in known else None


def degree_after(stated: Facts, args: list[Judged]) -> int | None:
    """The degree of what a primitive computes exactly."""
    if stated.static in _AS_LONG:
        return largest_degree(*args)
    if stated.static not in ("product", "quotient"):
        return None
    total = 0
    for arg in args:
        degree = degree_of(arg)
        if degree is None:
            return None
        total += degree
    return total if total <= LONGEST else None


#   What may be rounded lies in no range: a sum of two numbers from [0, 1/10] and [0, 1/5] may be rounded to more than 3/10.
#   Exact it may be, and in the range, if it is short.
def rounded_or_in_range(stated: Facts, judged: Judged) -> Judged:
    """What a primitive returns, either in a range, and then it is computed exactly, or rounded."""
    if not stated.is_arithmetic:
        return judged
    if judged.degree is None and judged.range is not None and is_unmeasured(judged.capped()):
        # A range of one number stays: what lies in it is no longer than that.
        judged = judged if judged.range.width.is_zero else evolve(judged, range=None)
    return evolve(judged, degree=1) if may_round(judged) else judged


def may_round(judged: Judged) -> bool:
    """Whether arithmetic is that of doubles here: nothing that is claimed of the result rests on how it is rounded."""
    if isinstance(judged.type, StaticNat | StaticReal):
        return False
    return is_discrete(judged.type) or (judged.range is None and is_unmeasured(judged))


def is_unmeasured(judged: Judged) -> bool:
    """Whether no finite sensitivity is claimed."""
    return all(quantity.is_infinite for quantity in judged.context.entries.values())


def degree_released(node: ast.PExp, released: object) -> int | None:
    """The degree of what a privacy expression releases: noise is added before a real number is rounded to a double."""
    form = FORMS.get(node.name) if isinstance(node, ast.Mechanism) else None
    is_noisy = form is not None and form.takes == "number"
    return 1 if is_noisy and isinstance(released, Real) else None


def program_in(body: ast.Node | None) -> ast.Node | None:
    """The function that is the program, which nothing in it can call: what its parameters stand for was read.

    It stands at the end of all definitions, or it is the last of them, and the program no more than its name.
    """
    while isinstance(body, ast.Let):
        if isinstance(body.body, ast.Var) and body.body.name == body.name.text:
            return body.bound
        body = body.body
    return body
