"""How long exact numbers can get, and which of them may be rounded.

A product of two numbers is as long as both together, so that repeated squares of one number soon fill any memory. The degree of an
expression says of how many numbers that a run reads, each of them short, its value is a product at most, or a sum of such
products. The checker knows it where there is neither the state of a loop nor a parameter of a function that the program calls.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter
from sys import float_info

from attrs import evolve

from duetpy.grammar import ast
from duetpy.typecheck.facts import Facts, facts_of
from duetpy.typecheck.judgement import Judged, Range, degree_of, range_of
from duetpy.typecheck.mechanism_rows import FORMS
from duetpy.typecheck.quantity import Signed
from duetpy.typecheck.ranges import hull, range_after
from duetpy.typecheck.types import Real, StaticNat, StaticReal, Type, is_discrete

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


#   a ≤ x ≤ b
#   ────────────────────     rounding to the nearest double keeps the order of numbers
#   fl a ≤ fl x ≤ fl b
def rounded_or_in_range(stated: Facts, args: list[Judged], judged: Judged) -> Judged:
    """What a primitive returns: exact where a sensitivity rests on that or it is short, and otherwise rounded.

    What is rounded has no range, except where the diameter lemma needs one.
    """
    if not stated.is_arithmetic:
        return judged
    # A range of one number stays: what lies in it is no longer than that.
    if judged.degree is None and judged.range and not judged.range.width.is_zero and is_unmeasured(judged):
        range_ = None if is_unmeasured(judged.capped()) else _range_if_rounded(stated, judged.type, args, judged.range)
        judged = evolve(judged, range=range_, is_rounded=True)
    return evolve(judged, degree=1) if may_round(judged) else judged


def _range_if_rounded(stated: Facts, result: Type, args: list[Judged], exact: Range) -> Range | None:
    """Doubles that hold a result, rounded or not, of arguments that are rounded or not; None where an end depends on variables."""
    widened = [_between_doubles(range_of(arg)) for arg in args]
    if None in widened:
        return None
    of_doubles = range_after(stated, result, [evolve(arg, range=each) for arg, each in zip(args, widened, strict=True)])
    return _between_doubles(hull(exact, of_doubles))


def _between_doubles(bounds: Range | None) -> Range | None:
    """The smallest range of two doubles that holds another range, and with every number the double nearest to it."""
    if bounds is None:
        return None
    low, high = _double_above(-bounds.low), _double_above(bounds.high)
    return None if low is None or high is None else Range(-low, high)


def _double_above(number: Signed) -> Signed | None:
    """The least double that is not below a number; None beyond the largest."""
    size = number.magnitude.constant
    if size is None or size > float_info.max:
        return None
    exact = -size if number.negative else size
    nearest = float(exact)
    return Signed.of(Fraction(nearest if nearest >= exact else nextafter(nearest, inf)))


def computes(name: str) -> bool:
    """Whether a primitive makes longer numbers of its operands: arithmetic, of numbers or of tables."""
    return name == "×" or facts_of(name).is_arithmetic


def may_round(judged: Judged) -> bool:
    """Whether arithmetic is that of doubles here: nothing that is claimed of the result rests on how it is rounded."""
    if isinstance(judged.type, StaticNat | StaticReal):
        return False
    return is_discrete(judged.type) or judged.is_rounded or (judged.range is None and is_unmeasured(judged))


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
