"""The privacy judgement: composition, functions, parts and mechanisms."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

PRIVACY = (
    Mutant(
        "a bind forgets what comes first", "privacy", "                    spent.append(first.costs)\n", "", ("bind",)
    ),
    Mutant(
        "what is returned is free",
        "privacy",
        "in_the_clear(value.context, ",
        "in_the_clear(Context(), ",
        ("return",),
    ),
    Mutant(
        "a loop is charged for one turn",
        "privacy",
        "spent[root] = costs.repeat(turns, cost)",
        "spent[root] = cost",
        ("privacy-loop",),
    ),
    Mutant(
        "the initial state of a loop is free",
        "privacy",
        "in_the_clear(count.context + init.context, ",
        "in_the_clear(count.context, ",
        ("privacy-loop",),
    ),
    Mutant(
        "the guard of a choice is free",
        "privacy",
        "in_the_clear(guard.context, ",
        "in_the_clear(Context(), ",
        ("privacy-if",),
    ),
    Mutant(
        "a choice is charged for its first branch",
        "privacy",
        "costs.choice([then.cost(root), otherwise.cost(root)])",
        "then.cost(root)",
        ("privacy-if",),
    ),
    Mutant(
        "a move by several steps costs one",
        "privacy",
        "costs.group(size, unit_parameter(instance, unit).cost)",
        "unit_parameter(instance, unit).cost",
        ("privacy-application",),
    ),
    Mutant(
        "an input that feeds two arguments pays for one of them",
        "privacy",
        "spent[root] = costs.together(costs.group(",
        "spent[root] = costs.choice(costs.group(",
        ("privacy-application",),
    ),
    Mutant(
        "a pair taken apart pays for its first part",
        "privacy",
        "of_parts[root] = costs.together(moves)",
        "of_parts[root] = moves[0]",
        ("privacy-let-pair",),
    ),
    Mutant(
        "a replaced row touches one part",
        "privacy",
        "factor = ONE if matrix.rows is None else Quantity.of(2)",
        "factor = ONE",
        ("parallel",),
    ),
    Mutant(
        "what all parts use is free",
        "privacy",
        "others = Context({root: ONE for root in body.costs if root != part})",
        "others = Context()",
        ("parallel",),
    ),
    Mutant(
        "noise for less than the sensitivity",
        "mechanisms",
        "if not s.leq(bound)]",
        "if not bound.leq(s)]",
        ("laplace",),
    ),
    Mutant(
        "auto takes the smallest sensitivity",
        "mechanisms",
        "inferred = maximum(*listed.entries.values()) if listed else ZERO",
        "inferred = min(listed.entries.values(), key=lambda s: s.evaluate_float({})) if listed else ZERO",
        ("laplace",),
    ),
    Mutant(
        "what a mechanism does not protect is free",
        "mechanisms",
        "    for root in tossed.entries:\n",
        "    for root in ():\n",
        ("laplace",),
    ),
    Mutant(
        "Laplace noise on a Euclidean sensitivity",
        "mechanisms",
        "if matrix.norm not in form.norms:",
        "if matrix.norm in ():",
        ("mlaplace",),
    ),
    Mutant(
        "queries of any sensitivity against a threshold",
        "selection",
        "        if not moved.leq(ONE):\n",
        "        if moved.is_infinite:\n",
        ("above-threshold",),
    ),
    Mutant(
        "a discrete score moves by 1",
        "selection",
        "if not isinstance(body.type, t.Real | t.StaticReal | t.Nat | t.StaticNat):",
        "if not isinstance(body.type, t.Real | t.StaticReal | t.Nat | t.StaticNat | t.Disc):",
        ("exponential",),
    ),
    Mutant(
        "a run on every entry costs one run",
        "parallelism",
        "return costs.repeat(matrix.width * maximum(size, ONE), cost)",
        "return cost",
        ("mmapp",),
    ),
    Mutant(
        "what every run uses is charged once",
        "parallelism",
        "{other: costs.repeat(runs, cost) for other, cost in body.costs.items() if other != root}",
        "{other: cost for other, cost in body.costs.items() if other != root}",
        ("mmapp",),
    ),
    Mutant(
        "a run on every column costs one run",
        "parallelism",
        "return costs.repeat(matrix.width, costs.group(size, cost))",
        "return costs.group(size, cost)",
        ("pmap-col",),
    ),
    Mutant(
        "batches are charged for their features only",
        "parallelism",
        "[costs.group(sizes[0], first.cost), costs.group(sizes[1], second.cost)]",
        "[costs.group(sizes[0], first.cost)]",
        ("pfld-rows",),
    ),
    Mutant(
        "the start of a fold over batches is free",
        "parallelism",
        "in_the_clear(init.context + function.context, ",
        "in_the_clear(function.context, ",
        ("pfld-rows",),
    ),
)
