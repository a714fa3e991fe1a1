"""What a run draws noise for, seen where the noise is drawn: the numbers, the law and its scale, as the sampler is given them.

The samplers are replaced, and nothing above them: how a sensitivity became a scale, which remembered table a sum went over, and
what a place was calibrated for at another call all show here. What is drawn is a number of its own for each draw, whatever noise
would be added to, so two neighbours take the same path as long as nothing but noise hides them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
from attrs import Factory, define, frozen

from duetpy.runtime.noise import randomized_response, samplers
from tests.soundness.plain import Number


@frozen
class Draw:
    """One call of a sampler.

    Parameters
    ----------
    law
        What is drawn.
    scale
        The scale of additive noise; of choices 1/λ, of randomised response ε.
    centre
        What noise is added to, or the scores.
    """

    law: str
    scale: Fraction
    centre: tuple[Fraction, ...]


@define(eq=False)
class Interceptor:
    """Stands in the place of the samplers."""

    outputs: random.Random = Factory(lambda: random.Random(11))
    draws: list[Draw] = Factory(list)

    def noisy(self, law: str, steps: Any, shape: Sequence[Fraction], scale: Fraction, exponent: int, bits: Any) -> Any:
        unit = Fraction(2) ** exponent
        self.draws.append(Draw(law, scale, tuple(int(step) * unit for step in np.ravel(steps))))
        return np.array([float(self.outputs.randint(-6, 6)) for _ in range(steps.size)]).reshape(steps.shape)

    def chosen(self, mechanism: str, scores: Sequence[Fraction], rate: Fraction, bits: Any) -> int:
        self.draws.append(Draw(mechanism, 1 / rate, tuple(scores)))
        return self.outputs.randrange(len(scores))

    def answer(self, truth: int, size: int, epsilon: Fraction, bits: Any) -> int:
        self.draws.append(Draw("rand-resp", epsilon, (Fraction(truth),)))
        return self.outputs.randrange(size)


@contextmanager
def intercepted(outputs: int = 11) -> Iterator[list[Draw]]:
    """What is drawn meanwhile; `outputs` is the seed of what comes out instead."""
    here = Interceptor(random.Random(outputs))
    with ExitStack() as stack:
        stack.enter_context(patch.object(samplers, "noisy", here.noisy))
        stack.enter_context(patch.object(samplers, "chosen", here.chosen))
        stack.enter_context(patch.object(randomized_response, "answer", here.answer))
        yield here.draws


def lost(before: Sequence[Draw], after: Sequence[Draw]) -> Number:
    """What two runs lose at worst, by the noise that was drawn alone; ∞ where they do not draw the same noise."""
    if [(draw.law, draw.scale, len(draw.centre)) for draw in before] != [
        (draw.law, draw.scale, len(draw.centre)) for draw in after
    ]:
        return math.inf
    return sum((_lost_by(one, other) for one, other in zip(before, after, strict=True)), Fraction(0))


def _lost_by(before: Draw, after: Draw) -> Number:
    """The loss of one draw: |x − y|₁/b for Laplace noise of scale b (Dwork & Roth 2014, Theorem 3.6), 2λ times the largest change
    of a score for a choice at the rate λ (Theorem 3.10)."""
    moves = [abs(x - y) for x, y in zip(before.centre, after.centre, strict=True)]
    match before.law:
        case "laplace" | "discrete-laplace":
            return sum(moves, Fraction(0)) / before.scale
        case "exponential" | "noisy-max" | "gibbs":
            return 2 * max(moves) / before.scale
        case "rand-resp":
            return before.scale if any(moves) else Fraction(0)
        case _:
            # No ε bounds what Gaussian noise loses.
            return math.inf if any(moves) else Fraction(0)
