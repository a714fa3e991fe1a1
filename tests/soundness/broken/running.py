"""Runs that compute something else than was judged: a watch, or what noise is added to, shows it."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

RUNNING = (
    Mutant(
        "a fold computes a branch that sizes have not chosen",
        "runtime.evaluation.loop_invariants",
        "            case core.If(test=None):\n",
        "            case core.If():\n",
        ("guard",),
    ),
    Mutant(
        "nobody writes down which choices sizes make",
        "parts",
        "        checker.annotations.tests[node] = test\n",
        "        pass\n",
        ("guard",),
    ),
)
HANDED_ON = Mutant(
    "what is in a box is rounded where the box is handed on",
    "runtime.release.driver",
    "return value if node.may_hold_boxes else released(value)",
    "return released(value)",
    ("box",),
)
