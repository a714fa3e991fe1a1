"""What is wrong only by digits that a run does not know of a root."""

from __future__ import annotations

from tests.soundness.broken.mutant import Mutant

PAIR = Mutant(
    "the numbers in a pair are as they were found where it was made",
    "told",
    "return None if number.magnitude.is_rational() else static",
    "return None",
    ("pair",),
)

CONTRACTION = Mutant(
    "a step contracts by 1 - ηλ, whatever is known of η and λ",
    "repetition",
    " or not (length.is_rational() and weakening.is_rational())",
    "",
    ("step-lr",),
)
