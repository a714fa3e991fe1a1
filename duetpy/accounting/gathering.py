"""Equal mechanisms of a sequence as one that is repeated, which is written and computed sooner.

Sums of doubles depend on their order, so that all who ask for a tight ε ask for it of the same term.
"""

from __future__ import annotations

from collections import Counter

from duetpy.typecheck.cost import Atom, Cost, Given, Seq, repeat, sequence
from duetpy.typecheck.quantity import Quantity


def gathered(cost: Cost) -> Cost:
    """A sequence with equal mechanisms counted, each where the first of them stands: ten thousand releases in a row are one that
    is repeated. Of what is gathered it is the same term again."""
    if not isinstance(cost, Seq):
        return cost
    times = Counter(part for part in cost.parts if isinstance(part, Atom | Given))
    counted = [
        repeat(Quantity.of(times.pop(part)), part) if isinstance(part, Atom | Given) else part
        for part in cost.parts
        if not isinstance(part, Atom | Given) or part in times
    ]
    return sequence(counted)
