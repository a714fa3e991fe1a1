"""What is wrong only by digits that a run does not know of a root."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

DIGITS = Mutant(
    "a root has the digits that its form gives",
    "runtime.values.statics",
    "_rounded(self.static(size, span), size, span)",
    "self.above(size, span)",
    ("pair",),
)

CONTRACTION = Mutant(
    "a step contracts by 1 - ηλ, whatever is known of η and λ",
    "repetition",
    " or not (length.is_rational() and weakening.is_rational())",
    "",
    ("step-lr",),
)
