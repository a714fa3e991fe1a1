"""Who draws what: a file of this folder says which laws of noise and which choices it draws, and no file lists them.

A file may hold

* ``SAMPLERS``: by law, what adds its noise to numbers on a lattice, all at once;
* ``STEPS``: by law, what draws the noise of one number, in steps of the lattice;
* ``CHOICES``: by the name of a mechanism, what chooses one of several scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeAlias

import duetpy.runtime.noise
from duetpy.runtime.noise.float_enclosure import Doubles
from duetpy.runtime.noise.noise_grid import Steps, add_steps, from_lattice, narrowest
from duetpy.runtime.noise.random_bits import Bits

Sampler: TypeAlias = Callable[[Steps, Fraction, int, Bits], Doubles]
"""Of the numbers in steps, the scale, the exponent of the lattice, and bits."""

Step: TypeAlias = Callable[[Sequence[Fraction], Fraction, int, Bits], int]
"""Of the parameters of the law except for the scale, the scale, the exponent of the lattice, and bits."""

Choice: TypeAlias = Callable[[Sequence[Fraction], Fraction, Bits], int]
"""Of the scores, the rate λ, and bits."""


def noisy(law: str, steps: Steps, shape: Sequence[Fraction], scale: Fraction, exponent: int, bits: Bits) -> Doubles:
    """Numbers on the lattice with noise of a law on each."""
    sampler: Sampler | None = _found("SAMPLERS").get(law)
    if sampler is not None:
        return sampler(steps, scale, exponent, bits)
    step: Step = _found("STEPS")[law]
    extra = [step(shape, scale, exponent, bits) for _ in range(steps.size)]
    return from_lattice(add_steps(steps, narrowest(extra).reshape(steps.shape)), exponent)


def chosen(mechanism: str, scores: Sequence[Fraction], rate: Fraction, bits: Bits) -> int:
    """The index that a mechanism chooses."""
    choice: Choice = _found("CHOICES")[mechanism]
    return choice(scores, rate, bits)


@cache
def _found(table: str) -> Mapping[str, Any]:
    files = iter_modules(duetpy.runtime.noise.__path__, f"{duetpy.runtime.noise.__name__}.")
    return {name: made for file in files for name, made in vars(import_module(file.name)).get(table, {}).items()}
