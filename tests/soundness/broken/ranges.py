"""Static numbers, ranges and diameters."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

RANGES = (
    Mutant(
        "a clipped discrete value moves by 1",
        "rules.primitives",
        "return Judged(t.REAL, arg.context.scaled(bounded.width), range=bounded, degree=1)",
        "return Judged(t.REAL, arg.context, range=bounded, degree=1)",
        ("clip",),
    ),
    Mutant(
        "a clipped discrete value moves by its largest absolute value",
        "rules.primitives",
        "arg.context.scaled(bounded.width)",
        "arg.context.scaled(bounded.magnitude)",
        ("clip",),
    ),
    Mutant(
        "a range is as wide as its larger end",
        "judgement",
        "            return difference.magnitude\n",
        "            return self.magnitude\n",
        ("clip", "if"),
    ),
    Mutant(
        "natural numbers are subtracted below 0 in ranges",
        "ranges",
        "if isinstance(args[0].type, Nat | StaticNat | Idx):",
        "if args[0].type is None:",
        ("mfold-row",),
    ),
    Mutant(
        "a number next to a cell is in the range of the cell",
        "literals",
        "Judged(Disc(Bounded(exact, exact)))",
        "Judged(other.type)",
        ("if", "some"),
    ),
    Mutant(
        "a number next to a cell is 0 in its range",
        "literals",
        "Disc(Bounded(exact, exact))",
        "Disc(Bounded(Fraction(0), Fraction(0)))",
        ("if", "some"),
    ),
    Mutant(
        "the range of a product forgets signs",
        "ranges",
        "non_negative = not (a.low.negative or b.low.negative)",
        "non_negative = True",
        ("times",),
    ),
    Mutant(
        "the diameter lemma for values that can be close",
        "context",
        "_smaller(quantity, diameter) if root.separated else quantity",
        "_smaller(quantity, diameter)",
        ("diameter", "disc", "equal", "if"),
    ),
    Mutant(
        "a pair of discrete values has diameter 1",
        "types",
        "return diameter(left) + diameter(right)",
        "return diameter(left)",
        (
            "diameter",
            "pair",
        ),
    ),
    Mutant(
        "a matrix has the diameter of a row",
        "types",
        "return rows * _row_diameter(norm, clip, schema)",
        "return _row_diameter(norm, clip, schema)",
        ("mcreate",),
    ),
    Mutant(
        "two rows in a ball are at most its radius apart",
        "types",
        "return norm_factor(clip.norm, norm, width) * clip.bound * 2",
        "return norm_factor(clip.norm, norm, width) * clip.bound",
        ("mconv", "mmap-col"),
    ),
    Mutant(
        "reals are at least 1 apart",
        "types",
        "case Nat() | Bool() | Str() | Date() | StaticNat() | StaticReal() | Idx() | Disc() | Maybe() | SetOf():\n"
        "            return True",
        "case Nat() | Real() | Bool() | Str() | StaticNat() | StaticReal() | Idx() | Disc() | Maybe() | SetOf():\n"
        "            return True",
        ("diameter", "disc", "equal"),
    ),
    Mutant(
        "a static sum is told as the first number",
        "constant_folding",
        '"sum": lambda a, b: a + b,\n    "difference": lambda a, b: a - b,',
        '"sum": lambda a, b: a,\n    "difference": lambda a, b: a - b,',
        ("times",),
    ),
    Mutant(
        "a static quotient is upside down",
        "constant_folding",
        '"quotient": lambda a, b: a / b,',
        '"quotient": lambda a, b: b / a,',
        ("times",),
    ),
    Mutant(
        "the larger of two static numbers is told as the smaller",
        "constant_folding",
        'pick = maximum if operation == "larger" else minimum',
        "pick = minimum",
        ("times",),
    ),
    Mutant(
        "a difference of static natural numbers is told as 0",
        "constant_folding",
        "    if a.leq(b):\n        return StaticNat(Quantity.of(0))",
        "    if b.leq(a):\n        return StaticNat(Quantity.of(0))",
        ("times",),
    ),
    Mutant(
        "a static root is told as half the number's logarithm",
        "constant_folding",
        "return StaticReal(Signed(False, value.sqrt()))",
        "return StaticReal(Signed(False, log(value) / 2))",
        ("times",),
    ),
    Mutant(
        "two static numbers are one type",
        "subtype",
        "case (t.StaticNat(), t.Nat()) | (t.Idx(), t.Nat()) | (t.StaticReal(), t.Real()):",
        "case (t.StaticNat(), t.Nat()) | (t.Idx(), t.Nat()) | (t.StaticReal(), t.Real() | t.StaticReal()):",
        ("if",),
    ),
    Mutant(
        "a magnitude is at most its number's upper end",
        "ranges",
        "low, high = Signed(False, ZERO), _size(a)\n",
        "low, high = Signed(False, ZERO), a.high\n",
        ("abs",),
    ),
    Mutant(
        "discrete values are as close as the range that they lie in is short",
        "ranges",
        "if known is None or not isinstance(type_, Real | Nat):",
        "if known is None:",
        ("tanh", "disc"),
    ),
    Mutant(
        "a floor is no lower than what it is taken of",
        "ranges",
        "low, high = added(a.low, -down, up=False), added(a.high, up, up=True)",
        "low, high = a.low, a.high",
        ("whole",),
    ),
    Mutant(
        "the ends of a product are the products of the ends, low by low and high by high",
        "ranges",
        "in product((one.low, one.high), (other.low, other.high)):",
        "in zip((one.low, one.high), (other.low, other.high), strict=True):",
        ("times",),
    ),
    Mutant(
        "a factor is multiplied by its own size",
        "ranges",
        "for beside in (other, one)]",
        "for beside in (one, other)]",
        ("times",),
    ),
    Mutant(
        "a factor is as large as its upper end",
        "ranges",
        "INFINITY if beside is None else beside.magnitude for",
        "INFINITY if beside is None else beside.high.magnitude for",
        ("times",),
    ),
    Mutant(
        "a divisor is at least as large as its larger end",
        "ranges",
        "least = bounds.high.magnitude if bounds.low.negative else bounds.low.magnitude",
        "least = bounds.low.magnitude if bounds.low.negative else bounds.high.magnitude",
        ("divide",),
    ),
    Mutant(
        "a divisor that lies around 0 is as large as its smaller end",
        "ranges",
        "    if bounds.low.negative != bounds.high.negative:\n",
        "    if bounds.low is None:\n",
        ("divide",),
    ),
    Mutant(
        "the larger of two numbers lies where the first does",
        "ranges",
        "return Range(_larger(a.low, b.low), _above(a.high, b.high))",
        "return a",
        ("times", "max"),
    ),
    Mutant(
        "the smaller of two numbers lies where the first does",
        "ranges",
        "return Range(-_above(-a.low, -b.low), -_larger(-a.high, -b.high))",
        "return a",
        ("times", "min"),
    ),
    Mutant(
        "a sum over rows lies in the range of what one row adds",
        "rules.folds",
        "added(first.high, each.high * size, up=True)",
        "added(first.high, each.high, up=True)",
        ("times", "mfold-row"),
    ),
    Mutant(
        "what lies in one range lies in every other one",
        "subtype",
        "return c <= a and b <= d",
        "return True",
        ("in",),
    ),
    Mutant(
        "what is chosen of two numbers is in the range of the second",
        "subtype",
        "return t.Disc(t.Bounded(min(a, c), max(b, d)))",
        "return t.Disc(t.Bounded(c, d))",
        ("in",),
    ),
    Mutant(
        "one of two tables has the ranges of the first",
        "subtype",
        "return None if plain == (left, right) else join_types(*plain)",
        "return None if plain == (left, right) else left",
        ("in",),
    ),
    Mutant(
        "a new cell is in the range of the others",
        "rules.matrices",
        "matrix, factor = evolve(matrix, schema=t.Uniform(matrix.width, joined)), ONE",
        "factor = ONE",
        ("in",),
    ),
    Mutant(
        "what replaces a missing number is in the range of the number",
        "rules.primitives",
        "t.Disc(t.Bounded(min(first.low, second.low), max(first.high, second.high)))",
        "t.Disc(first)",
        ("in",),
    ),
    Mutant(
        "a number that is no double is an end of a range of doubles",
        "cells",
        "    if double <= end:\n        return end\n",
        "    return end\n",
        ("in",),
    ),
    Mutant(
        "the distance of two discrete numbers is that of the ends of their range",
        "judgement",
        "        if self.range is not None:\n            return self.range.width\n",
        "        if (known := self.range or range_in_type(self.type)) is not None:\n            return known.width\n",
        ("in",),
    ),
)

ROUNDED = (
    Mutant(
        "numbers are rounded out of their ranges",
        "degrees",
        "(judged.range is None and is_unmeasured(judged))",
        "is_unmeasured(judged)",
        ("times",),
    ),
)
STOPPED = (
    Mutant(
        "natural numbers never stop in ranges",
        "ranges",
        "known.high.magnitude.leq(GREATEST_NATURAL)",
        "known.high.magnitude.finite()",
        ("plus-minus",),
    ),
)
"""What is wrong in a run only: the claims are true of what is meant."""

APPROXIMATE = (
    Mutant(
        "what is made of numbers that a run knows to some digits ends where what they stand for does",
        "ends",
        "not any(map(is_approximate, of))",
        "True",
        ("times", "root"),
    ),
    Mutant(
        "the larger of two numbers of which a run knows one to some digits is the one that is proved to be larger",
        "ranges",
        "    return beyond(largest, up=True) if near and not is_approximate(largest) else largest\n",
        "    return largest\n",
        ("times", "root"),
    ),
)
"""What is wrong only by the last digit of a root or a logarithm."""

ROUNDED_RANGES = (
    Mutant(
        "what is rounded keeps the range of what is exact",
        "degrees",
        "_range_if_rounded(stated, judged.type, args, judged.range)",
        "judged.range",
        ("times",),
    ),
    Mutant(
        "the range of what is rounded ends at the nearest doubles of the exact ends",
        "degrees",
        "return _between_doubles(hull(exact, of_doubles))",
        "return _between_doubles(exact)",
        ("times",),
    ),
    Mutant(
        "the range of what is rounded ends below the end of what is exact",
        "degrees",
        "nearest if nearest >= exact else nextafter(nearest, inf)",
        "nextafter(nearest, -inf)",
        ("times",),
    ),
)
"""What is wrong only by the last bit of a product of many numbers."""
