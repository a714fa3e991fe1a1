"""Runs that compute what nobody has shown to have a value: a watch sees it, whatever is claimed."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

RUNNING = (
    Mutant(
        "a fold computes a branch that sizes have not chosen",
        "interp.hoisting",
        "            case ast.If() if node in self.annotations.tested:\n"
        "                return evolve(node, guard=inner(node.guard))\n",
        "",
        ("guard",),
    ),
    Mutant(
        "nobody writes down which choices sizes make",
        "sensitivity",
        "        checker.annotations.tested.add(node)\n",
        "        pass\n",
        ("guard",),
    ),
)
