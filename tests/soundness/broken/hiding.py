"""Rules for random orders that let reports hide more than they do."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

HIDING = (
    Mutant(
        "the reports of a table hide by what is spent of that table",
        "rules.shuffling",
        "Shuffled(count, report) if hides and not isinstance(own, costs.Zero) else own for own in seen",
        "own if isinstance(own, costs.Zero | costs.NonPrivate) else Shuffled(count, own) for own in seen",
        ("shuffle",),
    ),
    Mutant(
        "four times as many reports hide one",
        "accounting.losses_of_cost",
        "return ShuffleLoss(math.floor(number), report.pure, report)",
        "return ShuffleLoss(4 * math.floor(number), report.pure, report)",
        ("shuffle",),
    ),
)
