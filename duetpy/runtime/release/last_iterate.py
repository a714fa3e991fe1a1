"""Noisy descent of which only the last model is released.

Contract. The rule for noisy-descent is about steps X ↦ φ(X) + Z, Z continuous Gaussian noise of standard deviation η⋅σ on
every entry, of which no one sees but the last. What is computed is X ↦ round(round(φ(X)) + Z) on a lattice: φ exactly
(`duetpy.runtime.evaluation.descent`), the noise exactly rounded (`duetpy.runtime.noise.continuous`). Each of the two
roundings may carry two models r further apart, so a step moves them by 2r more than the rule says; the shifts that the proof
charges grow by as much each, and the noise is made larger by a factor that covers them all (docs/rules/step.md).
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import numpy as np

from duetpy.accounting.rounding import float_up
from duetpy.runtime.evaluation.descent import descent
from duetpy.runtime.evaluation.rows import ROWS_AT_ONCE, batches
from duetpy.runtime.exact.rationals import of_fractions, plain, to_double
from duetpy.runtime.noise.continuous import gaussian_steps
from duetpy.runtime.noise.noise_grid import add_steps, choose_granularity, from_lattice, lattice_slack, narrowest
from duetpy.runtime.release.mechanisms import MARGIN, Randomness, Released, sensitivity_of
from duetpy.runtime.release.observer import Descent, FirstSteps
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import MatrixValue, numbers_of
from duetpy.typecheck.annotations import ReleaseSite


def last_model(
    chosen: Descent,
    model: MatrixValue,
    features: MatrixValue,
    labels: MatrixValue,
    site: ReleaseSite,
    kinds: KindScope,
    randomness: Randomness,
) -> MatrixValue:
    """noisy-descent[E, b, σ] { step∇[loss, η, λ | θ; xs, ys] }."""
    turns = chosen.epochs * (features.rows // chosen.batch)
    moved = sensitivity_of(site, kinds) / MARGIN * chosen.length
    exponent = choose_granularity(moved, chosen.length * chosen.noise)
    scale = noise_with_slack(chosen.length * chosen.noise, moved, model.width, turns, exponent)
    released = Released("gaussian", to_double(moved), float_up(scale), None)
    unit = Fraction(2) ** exponent
    steps = narrowest([round(entry / unit) for entry in numbers_of(model).fractions()[0].tolist()])
    for _ in range(chosen.epochs):
        for some, theirs in batches((features, labels), chosen.batch, ROWS_AT_ONCE):
            here = MatrixValue(1, of_fractions([int(count) * unit for count in steps.tolist()], (1, model.width)))
            after = descent(chosen.loss, chosen.length, chosen.weakening, here, some, theirs, chosen.bound)
            steps = narrowest([round(entry / unit) for entry in numbers_of(after).fractions()[0].tolist()])
            if randomness.bits is not None:
                steps = add_steps(steps, gaussian_steps(model.width, scale, exponent, randomness.bits))
            randomness.log.add(site, released)
    return MatrixValue(1, plain(np.asfortranarray(from_lattice(steps, exponent).reshape(1, model.width))))


def first_steps(chosen: Descent, model: MatrixValue, features: MatrixValue, labels: MatrixValue) -> FirstSteps:
    """What an observer is shown."""
    grid = numbers_of(model).fractions()[0].tolist()
    found: list[Fraction] = []
    for some, theirs in batches((features, labels), chosen.batch, ROWS_AT_ONCE):
        after = descent(chosen.loss, chosen.length, chosen.weakening, model, some, theirs, chosen.bound)
        moved = numbers_of(after).fractions()[0].tolist()
        found += [(to - entry) / chosen.length for entry, to in zip(grid, moved, strict=True)]
    rows = features.rows // chosen.batch
    return FirstSteps(chosen, MatrixValue(rows, of_fractions(found, (rows, model.width))))


def noise_with_slack(scale: Fraction, moved: Fraction, width: int, turns: int, exponent: int) -> Fraction:
    """η⋅σ, larger by 2r⋅√T/s′: T shifts of 2r more, against shifts of at least s′, where a label may move half of `moved`."""
    slack = 4 * lattice_slack(width, "L2", exponent) * (isqrt(turns) + 1)
    return scale * (1 + slack / moved * MARGIN) * MARGIN
