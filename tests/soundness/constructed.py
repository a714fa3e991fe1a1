"""Inputs that no random search is likely to find: where radial clipping stretches most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from attrs import frozen

from tests.soundness.evaluated import meant_by
from tests.soundness.falsify import check, claims, outcome
from tests.soundness.plain import Table

STEP = Fraction(1, 2**20)


def matrix(*rows: Sequence[Fraction | float | int]) -> Table:
    return Table(tuple(tuple(Fraction(entry) for entry in row) for row in rows), len(rows[0]))


def moved(row: Sequence[float], direction: Sequence[float]) -> tuple[Table, Table]:
    """A row, and the row a small step further in a direction."""
    start = [Fraction(float(entry)) for entry in row]
    return matrix(start), matrix(
        [entry + Fraction(float(step)) * STEP for entry, step in zip(start, direction, strict=True)]
    )


def clipping(norm: str, metric: str, width: int) -> tuple[tuple[Table, Table], float]:
    """Where radial scaling stretches most, and by how much: the derivative on the sphere is I − x sᵀ, s norming x."""
    axis = [1.0, *[0.0] * (width - 1)]
    others = [0.0, *[1.0] * (width - 1)]
    if norm == "L1":
        # I − e₁1ᵀ: an entry that was 0 grows and takes as much from the first; all the others do.
        factor = {"L1": 2.0, "L2": math.sqrt(width), "L∞": max(1.0, width - 1.0)}[metric]
        return moved(axis, [0.0, 1.0, *[0.0] * (width - 2)] if metric == "L1" else others), factor
    if metric == "L2":
        return moved([1 / math.sqrt(width)] * width, [1.0, -1.0, *[0.0] * (width - 2)]), 1.0
    # x = (cos t, sin t/√(n−1), …) with tan 2t = −√(n−1) for the columns of I − x xᵀ, its negative complement for the rows.
    t = (math.pi - math.atan(math.sqrt(width - 1))) / 2
    point = [math.cos(t), *[math.sin(t) / math.sqrt(width - 1)] * (width - 1)]
    direction = axis if metric == "L1" else [-1.0, *[1.0] * (width - 1)]
    return moved(point, direction), (1 + math.sqrt(width)) / 2


CLIPPED = "sλ m : ℕ, n : ℕ . xs : 𝕄 [{metric}, U | m, n⋅ℝ] ⇒ mclip[{norm}] xs"


@frozen
class Constructed:
    """A program, the sizes of its table, and the pair of values that it is run on.

    Parameters
    ----------
    rule
        The rule that it is about.
    text
        The program, of one argument.
    before, after
        Its values.
    width
        The number of columns; the table has one row.
    """

    rule: str
    text: str
    before: Table
    after: Table
    width: int


def clipped(norm: str, metric: str, width: int) -> Constructed:
    (before, after), _ = clipping(norm, metric, width)
    return Constructed("mclip", CLIPPED.format(metric=metric, norm=norm), before, after, width)


CONSTRUCTED = tuple(
    clipped(norm, metric, width) for norm in ("L1", "L2") for metric in ("L1", "L2", "L∞") for width in (2, 3)
)


def is_refuted_at(pair: Constructed) -> bool:
    """Whether what is claimed of a program is false at its pair; raises `Refused` where it is refused."""
    claim = claims(check(pair.text), pair.text)
    kinds = {variable: Fraction(1 if variable.name == "m" else pair.width) for variable in claim.kinds}
    return outcome(claim.at(kinds), meant_by(claim), kinds, [pair.before], [pair.after], exact=False).refutes
