"""Errors of rounding that get lost."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

ROUNDING = tuple(
    Mutant(name, place, right, wrong, ("step", "mclip", "product"))
    for name, place, right, wrong in (
        (
            "no form rounds",
            "rules.primitives",
            "return evolve(judged, context=judged.context.rounded())",
            "return judged",
        ),
        (
            "no product of tables rounds",
            "rules.primitives",
            "return any(arg.context for arg in args) and all(map(_is_real_table, args))",
            "return False",
        ),
        (
            "no function rounds",
            "rules.functions",
            "rounding = ZERO if is_held else context.rounding",
            "rounding = ZERO",
        ),
        ("no call rounds", "rules.functions", "context.rounded(instance.rounding)", "context"),
        (
            "any function stands for one that rounds less",
            "subtype",
            "        and ours.rounding.leq(wanted.rounding)\n",
            "",
        ),
        ("any debt stands for one that is rounded less", "subtype", "left.rounding.leq(right.rounding) and ", ""),
        ("any state of a loop rounds as little as is assumed", "subtype", "if rounding.leq(allowed):", "if True:"),
        (
            "what stretches a number does not stretch its error",
            "context",
            "self.rounding if self.rounding.is_zero else times * self.rounding",
            "self.rounding",
        ),
        ("of a sum only the first term rounds", "context", "self.rounding + other.rounding)", "self.rounding)"),
        (
            "of two branches only the first rounds",
            "context",
            "_larger(self.rounding, other.rounding)",
            "self.rounding",
        ),
        (
            "what a body rounds is left behind in it",
            "context",
            "return Context(kept, self.rounding)",
            "return Context(kept)",
        ),
        (
            "a real number of bounded diameter is not rounded",
            "context",
            "ZERO if covers else self.rounding",
            "ZERO",
        ),
        (
            "noise covers any error",
            "releasing",
            '        checker.obligate(moved.rounding, "≤", COVERED, "the noise covers what is rounded", span)\n',
            "        pass\n",
        ),
        ("what a mechanism takes is exact", "releasing", "    covered(checker, body.context, node.body.span)\n", ""),
        (
            "what a privacy function is given is exact",
            "rules.privacy",
            "        covered(checker, context, written.span)\n",
            "",
        ),
        (
            "a pair that is taken apart is exact",
            "rules.privacy",
            "    covered(checker, bound.context, node.bound.span)\n",
            "",
        ),
        (
            "entries that are released one by one are exact",
            "rules.parallelism",
            "    covered(checker, source.context, node.arg.span)\n",
            "",
        ),
        (
            "what is promised of a number is promised of its error",
            "rules.trusted",
            "            covered(checker, found.context, name.span)\n",
            "",
        ),
        (
            "the queries of a threshold are exact",
            "rules.selection",
            "    covered(checker, body.context.scaled(latent).rounded(instance.rounding), written.span)\n",
            "",
        ),
    )
)
