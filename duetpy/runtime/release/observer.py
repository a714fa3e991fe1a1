"""Watching a run: an observer sees what every mechanism is given, and may answer in its place.

Contract. A run has no observer unless a caller inside this package gives it one; commands that release something never do. An
observer sees private values, so it may only be given to runs on made-up data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Protocol, TypeAlias

from attrs import frozen

from duetpy.runtime.evaluation.loss_functions import Loss
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import MatrixValue, Private, Value
from duetpy.typecheck import core
from duetpy.typecheck.annotations import ReleaseSite


@frozen
class Descent:
    """The public numbers of a noisy descent: η, λ, E, b and σ, and the bound on the rows."""

    loss: Loss
    length: Fraction
    weakening: Fraction
    epochs: int
    batch: int
    noise: Fraction
    bound: Fraction


@frozen(eq=False)
class FirstSteps:
    """What a noisy descent was given: the gradient of every batch at the model that it starts from, a row each.

    One row of the tables stands in one batch only, so it moves this matrix by as much as it moves one step, in units of η.
    """

    chosen: Descent
    gradients: MatrixValue


@frozen(eq=False, repr=False)
class KeyCounts(Private):
    """The keys that rows have, in order, with how many rows have each."""

    counts: Sequence[tuple[Value, int]]


Inputs: TypeAlias = "Value | list[Fraction] | FirstSteps | KeyCounts"
"""What noise is added to: a number or a matrix; of mechanisms that choose, the scores, the answers or the keys."""


class Observer(Protocol):
    """Sees mechanisms run, and which rows are drawn for them."""

    def mechanism(self, site: ReleaseSite, kinds: KindScope, inputs: Inputs, draw: Callable[[], Value]) -> Value:
        """What the mechanism releases: what `draw` gives, which is the mechanism itself, or something in its place."""

    def rows(self, node: core.Sample, total: int, size: Fraction, drawn: Sequence[int]) -> None:
        """A sample of `total` rows, or an order of them: the places that were drawn, by the size or the rate that was asked for."""
