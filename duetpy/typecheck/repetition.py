"""What repeating a body does to a sensitivity: loops and folds."""

from __future__ import annotations

from duetpy.grammar import ast
from duetpy.typecheck import types as t
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.errors import shapes
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import INFINITY, ONE, ZERO, Quantity, Signed, minimum
from duetpy.typecheck.subtype import is_subtype


def turns_of(checker: Checker, node: ast.SExp, count: Judged) -> Quantity | None:
    """The static number of iterations, or None where it is only a natural number."""
    match count.type:
        case t.StaticNat(value):
            return value
        case t.Nat() | t.Poison():
            return None
        case other:
            checker.report(shapes.not_a_count(node.span, other))
            return None


def state_keeps(checker: Checker, node: ast.SExp, body: Judged, state_type: t.Type, name: str) -> None:
    """The state's type is an invariant: what one iteration returns must fit what the next one assumes."""
    if not is_subtype(body.type, state_type):
        checker.report(shapes.state_changes(node.span, name, state_type, body.type))


MAXIMAL_POWER = 64
"""Beyond this many iterations an amplified state is not written out as a power; 2^64 is no useful sensitivity."""


def amplification(s: Quantity, turns: Quantity | None) -> tuple[Quantity, Quantity]:
    """The factors s^k on the initial state and 1 + s + … + s^(k−1) on what the body captures.

    With s ≤ 1 they are at most 1 and k, and with s < 1 the second is below 1/(1 − s) too. With s > 1 they are written out for
    a numeral k and are ∞ for a symbolic one. They are written out for s = ∞ as well: a body that never runs is charged
    nothing, and one that runs once is charged once.
    """
    limit = geometric(s)
    if turns is None:
        return (ONE if s.leq(ONE) else INFINITY), limit
    constant = turns.constant
    if s.is_zero:
        return ((ONE, ZERO) if constant == 0 else (ZERO, ONE)) if constant is not None else (ONE, ONE)
    if s == ONE:
        return ONE, turns
    if constant is not None and constant <= MAXIMAL_POWER:
        powers = [ONE]
        for _ in range(int(constant)):
            powers.append(powers[-1] * s)
        total = ZERO
        for power in powers[:-1]:
            total = total + power
        return powers[-1], total
    if s.leq(ONE):
        return ONE, minimum(turns, limit)
    return INFINITY, INFINITY


def geometric(s: Quantity) -> Quantity:
    """1 + s + s² + … = 1 + 1/(1/s − 1), or ∞ where s is not known to be below 1."""
    if not s.positive() or s.is_infinite:
        return INFINITY
    gain = Signed(False, ONE / s) - Signed(False, ONE)
    return INFINITY if gain is None or gain.negative or gain.magnitude.is_zero else ONE + ONE / gain.magnitude


#   η, λ rational functions of whole numbers
#   ────────────────────────────────────────      else 1/(1 + η⋅λ): of √2 and 1/√2 a run knows so many digits, and what it takes
#   c = 1 − η⋅λ                                   for 1 − η⋅λ may be far from what that is
def contraction(length: Quantity, weakening: Quantity) -> Quantity:
    """1 − η⋅λ for η⋅λ ≤ 1, or a bound on it where that has no form or a run may not find it."""
    u = length * weakening
    rest = Signed(False, ONE) - Signed(False, u)
    if rest is None or rest.negative or not (length.is_rational() and weakening.is_rational()):
        return ONE / (ONE + u)
    return rest.magnitude
