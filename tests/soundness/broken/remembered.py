"""What is remembered of one call and given to another."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

REMEMBERED = (
    Mutant(
        "what is made of rows is remembered without what stands in brackets",
        "runtime.evaluation.tables",
        "form = (node, step.brackets)",
        "form = node",
        ("repeated",),
    ),
    Mutant(
        "what a form makes is remembered without the numbers of the call",
        "runtime.evaluation.tables",
        "return (frame.kinds, *sources,",
        "return (*sources,",
        ("repeated",),
    ),
    Mutant(
        "what a form makes is remembered without the values that it mentions",
        "runtime.evaluation.tables",
        "*sources, *(captured[name] for name in sorted(captured)))",
        "*sources)",
        ("repeated",),
    ),
    Mutant(
        "what a form makes is remembered without its tables",
        "runtime.evaluation.machine",
        "zip(known[0], inputs, strict=True)",
        "zip(known[0][:1], inputs[:1], strict=True)",
        ("repeated",),
    ),
    Mutant(
        "a clipped table is remembered without its bound",
        "runtime.values.clipping",
        '("clipped", norm, bound, rounds)',
        '("clipped", norm, rounds)',
        ("repeated",),
    ),
    Mutant(
        "noise is remembered by where it is drawn",
        "runtime.release.mechanisms",
        "key = (site, count, kinds.items())",
        "key = (site, count, frozenset())",
        ("repeated",),
    ),
    Mutant(
        "parts are gone over together whatever the numbers of the call",
        "runtime.evaluation.key_parts",
        "return left.items() == right.items()",
        "return True",
        ("repeated",),
    ),
    Mutant(
        "parts are gone over together whatever they mention",
        "runtime.evaluation.key_parts",
        "return left.keys() == right.keys() and all(are_alike(left[key], right[key]) for key in left)",
        "return left.keys() == right.keys()",
        ("repeated",),
    ),
)
