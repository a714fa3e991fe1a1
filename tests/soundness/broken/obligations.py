"""Side conditions that nobody demands."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

OBLIGATIONS = (
    Mutant(
        "an obligation that fails is passed over",
        "checker",
        "        if holds is False:\n"
        "            assert isinstance(here, Obligation)\n"
        "            self.report(errors.obligation_fails(here))\n"
        "        elif holds is None",
        "        if holds is None",
        ("laplace", "sample"),
    ),
    Mutant(
        "a divisor that does not divide is passed over",
        "quantity.relation",
        "return None if quotient.constant is None else quotient.constant.denominator == 1",
        "return None if quotient.constant is None else True",
        ("chunks", "pfld-rows"),
    ),
    Mutant(
        "what a call puts in for sizes is asked for nothing",
        "functions",
        "            checker.demand(condition)\n",
        "            pass\n",
        ("call", "passed"),
    ),
    Mutant(
        "a sensitivity function forgets its side conditions",
        "functions",
        "type_ = evolve(type_, kinds=kinds, conditions=tuple(conditions))",
        "type_ = evolve(type_, kinds=kinds)",
        ("call", "passed"),
    ),
    Mutant(
        "a privacy function forgets its side conditions",
        "functions",
        "t.PFun(kinds, parameters, body.type, checker.notion, tuple(conditions))",
        "t.PFun(kinds, parameters, body.type, checker.notion)",
        ("call", "passed"),
    ),
    Mutant(
        "what a function leaves open is asked for nothing later",
        "functions",
        "codomain=evolve(codomain, kinds=left, conditions=instance.conditions)",
        "codomain=evolve(codomain, kinds=left)",
        ("call",),
    ),
    Mutant(
        "of conditions that bound one quantity the weakest is kept",
        "conditions",
        "largest[bounded] = max(numeral, largest.get(bounded, numeral))",
        "largest[bounded] = min(numeral, largest.get(bounded, numeral))",
        ("call",),
    ),
    Mutant(
        "a condition of one branch stands for that of another",
        "conditions",
        "return condition.relation, condition.right, condition.under",
        "return condition.relation, condition.right",
        ("call",),
    ),
    Mutant(
        "a branch is reached under the test of the other one",
        "sensitivity",
        "with checker.under(test and test.opposite()):",
        "with checker.under(test):",
        ("guard",),
    ),
    Mutant(
        "a private branch is reached under the test of the other one",
        "privacy",
        "with checker.under(test and test.opposite()):",
        "with checker.under(test):",
        ("guard",),
    ),
    Mutant(
        "a static number may be infinite",
        "capacity",
        "    if not number.finite():\n",
        "    if False:\n",
        ("statics",),
    ),
    Mutant(
        "every promise is kept",
        "accounting.promises",
        "return bound is not None and bound.leq(limit.bound)",
        "return True",
        ("ensures",),
    ),
    Mutant(
        "a promise is kept by what costs more",
        "accounting.promises",
        "return bound is not None and bound.leq(limit.bound)",
        "return bound is not None and limit.bound.leq(bound)",
        ("ensures",),
    ),
    Mutant(
        "ε may be 0",
        "mechanisms",
        'checker.obligate(ZERO, "<", value, f"{name} of {node.name} is positive", written.span)',
        "pass",
        ("laplace",),
    ),
    Mutant(
        "δ may be 1",
        "mechanisms",
        'checker.obligate(value, "<", ONE, f"δ of {node.name} is a probability", written.span)',
        "pass",
        ("gauss",),
    ),
    Mutant(
        "an order may be 1",
        "mechanisms",
        'checker.obligate(ONE, "<", value, f"the order {name} of {node.name} is above 1", written.span)',
        "pass",
        ("gauss",),
    ),
    Mutant(
        "randomized response has one answer",
        "selection",
        'checker.obligate(Quantity.of(2), "≤", k, "there are at least two answers", node.params[0].span)',
        "pass",
        ("rand-resp",),
    ),
    Mutant(
        "the ε of AboveThreshold may be 0",
        "selection",
        'checker.obligate(ZERO, "<", value, f"ε of {node.name} is positive", node.params[0].span)',
        "pass",
        ("above-threshold",),
    ),
    Mutant(
        "the δ′ of aloop may be 1",
        "privacy",
        'checker.obligate(slack, "<", ONE, "δ′ of aloop is a probability", node.slack.span)',
        "pass",
        ("aloop",),
    ),
    Mutant(
        "the δ of a conversion may be 1",
        "privacy",
        'checker.obligate(slack, "<", ONE, f"δ of {node.form} is a probability", node.slack.span)',
        "pass",
        ("convert",),
    ),
    Mutant(
        "more rows are drawn than there are",
        "sampling",
        'checker.obligate(batch, "≤", rows, "a batch is drawn without replacement", node.size.span)',
        "pass",
        ("sample",),
    ),
    Mutant(
        "an empty batch is drawn",
        "sampling",
        'checker.obligate(ONE, "≤", batch, "a batch has at least one row", node.size.span)',
        "pass",
        ("sample",),
    ),
    Mutant(
        "a rate above 1",
        "sampling",
        'checker.obligate(rate, "≤", ONE, "the rate of poisson is a probability", node.size.span)',
        "pass",
        ("poisson",),
    ),
    Mutant(
        "batches need not be full",
        "parallelism",
        'checker.obligate(size, "∣", found[0].rows, "every batch is full", node.batch.span)',
        "pass",
        ("pfld-rows",),
    ),
    Mutant(
        "zCDP implies pure ε",
        "privacy",
        "if outer not in inner.info.converts_to:",
        "if outer not in inner.info.converts_to and outer is not Notion.PURE:",
        ("convert",),
    ),
    Mutant(
        "Rényi at one order implies zCDP",
        "privacy",
        "if outer not in inner.info.converts_to:",
        "if outer not in inner.info.converts_to and (inner, outer) != (Notion.RENYI, Notion.ZCDP):",
        ("convert",),
    ),
    Mutant(
        "a conversion to (ε, δ) takes no δ",
        "privacy",
        "    if needs_slack and node.slack is None:\n"
        "        checker.report(errors.conversion_needs_slack(node.span, node.form))\n",
        "",
        ("convert",),
    ),
    Mutant(
        "samples of real rows",
        "sampling",
        "        if not t.has_discrete_rows(matrix):\n"
        "            checker.report(errors.sample_of_real_rows(written.span, node.scheme, matrix))\n"
        "            return None\n",
        "",
        ("sample",),
    ),
    Mutant(
        "poisson of a fixed number of rows",
        "sampling",
        "            checker.report(errors.poisson_of_fixed_rows(written.span))\n            return None\n",
        "            pass\n",
        ("poisson",),
    ),
    Mutant(
        "columns of real rows are partitioned",
        "parallelism",
        "        checker.report(errors.parts_of_real_rows(node.arg.span, matrix))\n        return None\n",
        "        pass\n",
        ("pmap-col",),
    ),
)
