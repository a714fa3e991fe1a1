"""Groups of rows that coins keep: fewer of them, nearer to each other, and moved alike where they are not."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

MIXTURES = (
    Mutant(
        "of a group that coins keep one row moves",
        "accounting.losses.derived",
        "            return MixtureLoss(size, rate, mu)",
        "            return MixtureLoss(1, rate, mu)",
        ("poisson",),
    ),
    Mutant(
        "a group of groups that coins keep adds up its steps",
        "accounting.losses.derived",
        "            return MixtureLoss(size * steps, rate, mu)",
        "            return MixtureLoss(size + steps, rate, mu)",
        ("poisson",),
    ),
    Mutant(
        "there is one way to keep some rows of a group",
        "accounting.losses.mixtures",
        "math.comb(count, i) * rate**i * (1.0 - rate) ** (count - i)",
        "rate**i * (1.0 - rate) ** (count - i)",
        ("poisson",),
    ),
    Mutant(
        "rows that coins keep move in directions of their own",
        "accounting.losses.mixtures",
        "self.shifts_gone, self.gone = mu * np.arange(gone + 1.0),",
        "self.shifts_gone, self.gone = mu * np.sqrt(np.arange(gone + 1.0)),",
        ("poisson",),
    ),
    Mutant(
        "of the ways that a group moves the best one counts",
        "accounting.certify",
        "    worst, mu = max(answers, key=lambda each: each[0].epsilon)",
        "    worst, mu = min(answers, key=lambda each: each[0].epsilon)",
        ("poisson",),
    ),
    Mutant(
        "rows of a group lie in the same parts",
        "accounting.losses_of_cost",
        "            apart = runs_in_a_group(times, steps) if",
        "            apart = times if",
        ("parallel",),
    ),
    Mutant(
        "steps of several views are alike",
        "cost",
        "    return Group(size, body, alike)",
        "    return Group(size, body, True)",
        ("poisson",),
    ),
)
