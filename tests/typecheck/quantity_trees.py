"""Random expressions of quantities, and an evaluation of them that does not use quantities.

An expression is a tree that is read twice: as a quantity, and node by node with mpmath at two precisions. Where the two
disagree the number is too ill-conditioned to compare.
"""

from __future__ import annotations

from fractions import Fraction

import mpmath
from hypothesis import assume
from hypothesis import strategies as st

from duetpy.typecheck.quantity import (
    Kind,
    KindVar,
    Quantity,
    QuantityTooLarge,
    exp,
    expm1,
    log,
    log1p,
    maximum,
    minimum,
    tanh,
)

M, N = KindVar.fresh("m", Kind.NAT), KindVar.fresh("n", Kind.NAT)
X, Y = KindVar.fresh("x", Kind.POS), KindVar.fresh("y", Kind.POS)
VARIABLES = (M, N, X, Y)

POWERS = (Fraction(2), Fraction(3), Fraction(-1), Fraction(-2), Fraction(1, 2), Fraction(1, 3), Fraction(-3, 2))
UNARY = {"log": log, "exp": exp, "expm1": expm1, "log1p": log1p, "tanh": tanh}
BINARY = {
    "+": lambda left, right: left + right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
    "max": maximum,
    "min": minimum,
}
NUMBERS = (0, 1, 2, 3, 12, Fraction(1, 2), Fraction(2, 3), Fraction(1, 1000), 16777217)

# Trees: a variable, a number, (name, tree), ("^", tree, exponent) or (name, tree, tree).
LEAVES = st.sampled_from([*VARIABLES, *VARIABLES, *NUMBERS])
NODE_NAMES = [*BINARY, *BINARY, "+", "*", *UNARY]


def branches(trees):
    return st.one_of(
        st.tuples(st.sampled_from(list(BINARY)), trees, trees),
        st.tuples(st.sampled_from(["+", "*", "/"]), trees, trees),
        st.tuples(st.sampled_from(list(UNARY)), trees),
        st.tuples(st.just("^"), trees, st.sampled_from(POWERS)),
    )


TREES = st.recursive(LEAVES, branches, max_leaves=7)
POLYNOMIALS = st.recursive(
    st.sampled_from([*VARIABLES, 1, 2, Fraction(1, 2)]),
    lambda trees: st.tuples(st.sampled_from(["+", "*"]), trees, trees),
    max_leaves=5,
)

NATURALS = st.sampled_from([1, 2, 3, 4, 9, 1000, 10**6])
REALS = st.sampled_from([Fraction(1), Fraction(1, 10**6), Fraction(10**6), Fraction(3, 7), Fraction(9, 4), Fraction(5)])
VALUATIONS = st.fixed_dictionaries({M: NATURALS, N: NATURALS, X: REALS, Y: REALS})
#: The valuations at which every proved inequality is checked.
GRID = [
    {M: m, N: n, X: x, Y: y}
    for m, n in [(1, 1), (1, 10**6), (10**6, 1), (3, 2)]
    for x, y in [
        (Fraction(1, 10**6), Fraction(10**6)),
        (Fraction(10**6), Fraction(1, 10**6)),
        (Fraction(1, 3), Fraction(1, 2)),
        (Fraction(7), Fraction(3, 2)),
    ]
]


def build(tree) -> Quantity:
    match tree:
        case KindVar():
            return Quantity.var(tree)
        case ("^", base, exponent):
            return build(base) ** exponent
        case (name, argument):
            return UNARY[name](build(argument))
        case (name, left, right):
            return BINARY[name](build(left), build(right))
        case _:
            return Quantity.of(tree)


def built(tree) -> Quantity:
    """The quantity of a tree; a tree whose exact form is refused as too large is no example."""
    try:
        return build(tree)
    except QuantityTooLarge:
        assume(False)
        raise


#: Digits of the independent evaluation.
DIGITS = 150


class Unknown(Exception):
    """The independent evaluation does not know the number well enough."""


def times(left, right):
    if left == 0 or right == 0:
        if mpmath.inf in (left, right):
            # 0·∞ is 0, but of a symbolic factor that only may be 0 a quantity keeps ∞.
            raise Unknown
        return mpmath.mpf(0)
    return left * right


def over(left, right):
    return times(left, mpmath.inf if right == 0 else 1 / right)


LARGEST_EXPONENT = 6_000
"""Beyond 10^3000 a quantity has bounds that are far apart."""


def exponential(argument):
    if argument > LARGEST_EXPONENT and argument != mpmath.inf:
        raise Unknown
    return mpmath.exp(argument)


def root(base, exponent):
    if base in (0, mpmath.inf):
        return mpmath.mpf(0) if (base == 0) == (exponent > 0) else mpmath.inf
    return mpmath.power(base, mpmath.mpf(exponent.numerator) / exponent.denominator)


ORACLE = {
    "log": lambda x: mpmath.log(max(x, mpmath.mpf(1))),
    "exp": exponential,
    "expm1": lambda x: exponential(x) - 1,
    "log1p": lambda x: mpmath.log(1 + x),
    "tanh": mpmath.tanh,
    "+": lambda x, y: x + y,
    "*": times,
    "/": over,
    "max": max,
    "min": min,
}


def number(value: Fraction | int):
    return mpmath.mpf(value.numerator) / value.denominator


def oracle_at(tree, values):
    match tree:
        case KindVar():
            return number(values[tree])
        case ("^", base, exponent):
            return root(oracle_at(base, values), exponent)
        case (name, *arguments):
            return ORACLE[name](*(oracle_at(argument, values) for argument in arguments))
        case _:
            return number(tree)


def oracle(tree, values):
    """The value of a tree to 100 digits; raises :class:`Unknown` where 60 and 150 digits disagree."""
    with mpmath.workdps(60):
        coarse = oracle_at(tree, values)
    with mpmath.workdps(DIGITS):
        fine = oracle_at(tree, values)
        if coarse != fine and not abs(coarse - fine) <= fine * mpmath.mpf("1e-40"):
            raise Unknown
        return fine


def known(tree, values):
    """The same, and a tree that it does not know is no example."""
    try:
        return oracle(tree, values)
    except Unknown:
        assume(False)
        raise


def bound(value) -> mpmath.mpf:
    return mpmath.mpf(value) if isinstance(value, float) else number(value)


#: What 60 digits give to 1e-40, 150 digits give far closer than this.
SLACK = mpmath.mpf("1e-100")
