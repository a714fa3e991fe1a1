"""Parts and samples that get the rows of others, as they are gone over together; `tests.runtime.test_together` has the checks."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

SAMPLES, PARTS = "runtime.evaluation.samples", "runtime.evaluation.key_parts"

TOGETHER = (
    Mutant(
        "all turns have one sample",
        SAMPLES,
        "[draw() for _ in range(1 if known.draws_each else turns)][::-1]",
        "[draw()] * turns",
        ("turns",),
    ),
    Mutant("a turn has the rows of another", SAMPLES, "[*known.places, index]", "[index, *known.places]", ("turns",)),
    Mutant(
        "a turn has rows of the table of another",
        SAMPLES,
        "all(one is other for one, other in zip(known.tables, tables, strict=True))",
        "True",
        ("turns",),
    ),
    Mutant(
        "a sample of one table is one of another table",
        SAMPLES,
        "known.of != of or not known.places",
        "not known.places",
        ("sizes",),
    ),
    Mutant(
        "what parts mention need not be the same",
        PARTS,
        "left.keys() == right.keys() and all(are_alike(left[key], right[key]) for key in left)",
        "left.keys() == right.keys()",
        ("parts",),
    ),
    Mutant(
        "what is made of the rows of parts need not be the same",
        PARTS,
        "not are_alike(inputs, seen.inputs)",
        "not are_alike(inputs[:-1], seen.inputs[:-1])",
        ("parts",),
    ),
    Mutant(
        "what stands in brackets of what is made of parts need not be the same",
        PARTS,
        "left.kernel is right.kernel and are_alike(left.brackets, right.brackets)",
        "left.kernel is right.kernel",
        ("parts",),
    ),
)
