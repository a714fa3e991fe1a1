"""The cost term: how the costs of parts become the cost of a whole."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

COSTS = (
    Mutant(
        "a move by up to two steps costs one",
        "cost",
        "    if size.leq(Quantity.of(1)):\n        return body\n    return Group(size, body, alike)",
        "    if size.leq(Quantity.of(2)):\n        return body\n    return Group(size, body, alike)",
        ("privacy-application", "parallel"),
    ),
    Mutant(
        "a move without bound costs one step",
        "cost",
        '    if size.is_infinite:\n        return NonPrivate("can change by an unbounded number of steps")\n',
        "    if size.is_infinite:\n        return body\n",
        ("privacy-application",),
    ),
    Mutant(
        "a repeated cost is charged once",
        "cost",
        "    if isinstance(body, Zero | NonPrivate) or count.constant == 1:\n        return body\n    return Repeat",
        "    if isinstance(body, Zero | NonPrivate) or count.constant is not None:\n        return body\n    return Repeat",
        ("privacy-loop",),
    ),
    Mutant(
        "what is done twice is charged once",
        "cost",
        "    kept = _merged(flat)\n",
        "    kept = _merged(dict.fromkeys(flat))\n",
        ("bind",),
    ),
    Mutant(
        "what is released in the clear is forgotten beside what is not",
        "cost",
        "        if isinstance(cost, NonPrivate):\n            return cost\n        if not",
        "        if not isinstance(cost, NonPrivate) and not",
        ("bind", "return"),
    ),
    Mutant(
        "the costs of one mechanism's inputs are joined, not added",
        "cost",
        "    return _as_one(_merged(costs), Together)",
        "    return _as_one(_merged(costs), Choice)",
        ("privacy-application",),
    ),
    Mutant(
        "a body that sees an input twice composes instead of moving at once",
        "judgement",
        "return {root: together(part[root] for part in (outside, moved) if root in part) for root in roots}",
        "return {root: sequence(part[root] for part in (outside, moved) if root in part) for root in roots}",
        ("pmap-col", "sample", "privacy-let-pair", "mmapp"),
    ),
    Mutant(
        "a bind is charged for the dearest part",
        "judgement",
        "return {root: sequence(costs) for root, costs in gathered.items()}",
        "return {root: costs[-1] for root, costs in gathered.items()}",
        ("bind",),
    ),
    Mutant(
        "what types do not state is no more than they state",
        "stated",
        "    if known is None:\n        return False\n",
        "    if known is None:\n        return True\n",
        ("call",),
    ),
    Mutant(
        "a sequence states its largest cost",
        "stated",
        "combined = maximum if isinstance(cost, Choice) else _sum",
        "combined = maximum",
        ("call",),
    ),
    Mutant(
        "a choice states its first cost",
        "stated",
        "combined = maximum if isinstance(cost, Choice) else _sum",
        "combined = (lambda *parts: parts[0]) if isinstance(cost, Choice) else _sum",
        ("call",),
    ),
    Mutant(
        "a repeated cost is stated once",
        "stated",
        "tuple(count * part for part in once)",
        "once",
        ("call",),
    ),
    Mutant(
        "a larger order is a weaker guarantee",
        "stated",
        "theirs.leq(ours) if part.is_order else ours.leq(theirs)",
        "ours.leq(theirs)",
        ("call",),
    ),
    Mutant(
        "an order is not compared",
        "stated",
        "theirs.leq(ours) if part.is_order else ours.leq(theirs)",
        "part.is_order or ours.leq(theirs)",
        ("call",),
    ),
)
