"""The order of symbolic quantities, their contexts and their evaluation."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

ORDER = "quantity.order"

QUANTITIES = (
    Mutant(
        "two branches are charged for the first",
        "context",
        "merged[root] = maximum(merged[root], quantity) if root in merged else quantity",
        "merged[root] = merged[root] if root in merged else quantity",
        ("if", "case", "pair"),
    ),
    Mutant(
        "an input that is used twice is charged for the larger use",
        "context",
        "merged[root] = merged[root] + quantity if root in merged else quantity",
        "merged[root] = maximum(merged[root], quantity) if root in merged else quantity",
        ("plus",),
    ),
    Mutant(
        "sums are compared by one of their terms",
        ORDER,
        "    for debt in sorted(debts, key=lambda debt: len(prices[debt])):\n",
        "    for debt in sorted(debts, key=lambda debt: len(prices[debt]))[:1]:\n",
        ("order",),
    ),
    Mutant(
        "a term of the larger side pays twice",
        ORDER,
        "            funds[fund] -= paid * price\n",
        "",
        ("order",),
    ),
    Mutant(
        "what can be paid in part is paid",
        ORDER,
        "        if due:\n            return False\n",
        "",
        ("order",),
    ),
    Mutant(
        "a maximum on the left is as small as one of its members",
        ORDER,
        "return all(goal(first, second, strict, effort, nesting + 1) for first, second in split)",
        "return any(goal(first, second, strict, effort, nesting + 1) for first, second in split)",
        ("order",),
    ),
    Mutant(
        "a quotient has no limits to fear",
        ORDER,
        "        if limit is None:\n            return None\n        result = limit * result",
        "        if limit is None:\n            continue\n        result = limit * result",
        ("order",),
    ),
    Mutant(
        "the larger of two quantities is evaluated as the smaller",
        "quantity.evaluation",
        "pick = max if lattice is form.Lattice.MAX else min",
        "pick = min",
        ("order",),
    ),
    Mutant(
        "a maximum keeps the dominated member",
        "quantity.extrema",
        "        if lattice is form.Lattice.MIN:\n            value, other = other, value\n",
        "        if lattice is form.Lattice.MAX:\n            value, other = other, value\n",
        ("order",),
    ),
)
