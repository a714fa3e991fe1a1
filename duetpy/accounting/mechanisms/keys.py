"""Whether a key is shown, alone or with its number of rows: adding or removing a row moves its law by at most (ε, δ)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import ClassVar

from duetpy.accounting import kept_counts, kept_gaussian, kept_keys
from duetpy.accounting.expressions import Values
from duetpy.accounting.losses.losses import Loss
from duetpy.accounting.mechanisms.base import BEYOND, Mechanism, leaky, probability
from duetpy.accounting.noise_parameters import lower
from duetpy.accounting.notions.interpretation import CannotPrice, Parts, Premise
from duetpy.typecheck.cost import Atom
from duetpy.typecheck.quantity import Quantity


class Keys(Mechanism):
    """The largest probabilities that are (ε, δ)-private (`duetpy.accounting.kept_keys`).

    No (ε, δ)-private mechanism loses more than randomized response at ε behind a leak of δ.
    """

    names = ("keys",)
    parameters: ClassVar[tuple[Callable[[Quantity], Premise] | None, ...]] = (
        None,
        lambda delta: probability(delta, "δ is a probability"),
    )

    def approx(self, atom: Atom) -> Parts:
        return atom.params

    def loss(self, atom: Atom, values: Values) -> Loss:
        return leaky(atom.params, values)

    def shares(self, atom: Atom, values: Values) -> list[tuple[int, Fraction]]:
        epsilon, delta = (lower(param, values) for param in atom.params)
        return kept_keys.sizes_kept(epsilon, delta)

    def no_pure(self, atom: Atom) -> CannotPrice:
        return self.no_bound(atom, "pure ε")

    def no_bound(self, atom: Atom, wanted: str) -> CannotPrice:
        return CannotPrice(
            f"a key of a single row is shown with probability δ, and never without that row, so it has no {wanted}"
        )


class CountedKeys(Keys):
    """Numbers of rows with truncated noise, which are shown if they are large (`duetpy.accounting.kept_counts`)."""

    names = ("key-counts",)

    def shares(self, atom: Atom, values: Values) -> list[tuple[int, Fraction]]:
        epsilon, delta = (lower(param, values) for param in atom.params)
        return [(rows, Fraction(share)) for rows, share in kept_counts.sizes_counted(epsilon, delta)]

    def furthest(self, atom: Atom, values: Values) -> int:
        epsilon, delta = (lower(param, values) for param in atom.params)
        return kept_counts.threshold(epsilon, delta)


class GaussianKeys(Keys):
    """Numbers of rows with Gaussian noise, which are shown if they are large (`duetpy.accounting.kept_gaussian`).

    ε and δ are for all keys of a row together, and k is how many these are.
    """

    names = ("key-gauss",)
    parameters = (*Keys.parameters, None)

    def approx(self, atom: Atom) -> Parts:
        return atom.params[:2]

    def loss(self, atom: Atom, values: Values) -> Loss:
        return leaky(atom.params[:2], values)

    def shares(self, atom: Atom, values: Values) -> list[tuple[int, Fraction]]:
        epsilon, delta, most = (lower(param, values) for param in atom.params)
        if most > BEYOND:  # no run draws noise as wide as that
            return []
        return [(rows, Fraction(share)) for rows, share in kept_gaussian.sizes_gaussian(epsilon, delta, ceil(most))]
