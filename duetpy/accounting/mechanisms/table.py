"""The mechanisms by the names of their atoms of cost."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from duetpy.accounting.accuracy import Noise
from duetpy.accounting.mechanisms.base import Mechanism
from duetpy.accounting.mechanisms.canonical import Canonical
from duetpy.accounting.mechanisms.gaussian import DiscreteGaussian, Gaussian, NoisyDescent
from duetpy.accounting.mechanisms.generalized import GeneralizedGaussian
from duetpy.accounting.mechanisms.laplace import DiscreteLaplace, Laplace, NoisyMax
from duetpy.accounting.mechanisms.response import AboveThreshold, BoundedRange, RandomizedResponse
from duetpy.accounting.notions.interpretation import CannotPrice
from duetpy.typecheck.cost import Atom

MECHANISMS: Mapping[str, Mechanism] = MappingProxyType(
    {
        "laplace": Laplace(),
        "dlaplace": DiscreteLaplace(),
        "gauss": Gaussian(),
        "dgauss": DiscreteGaussian(),
        "ggauss": GeneralizedGaussian(),
        "canonical": Canonical(),
        "exponential": BoundedRange(),
        "gibbs": BoundedRange(),
        "noisy-max": NoisyMax(),
        "above-threshold": AboveThreshold(),
        "rand-resp": RandomizedResponse(),
        "noisy-descent": NoisyDescent(),
    }
)

LAWS: Mapping[str, Noise] = MappingProxyType(
    {name: mechanism.law for name, mechanism in MECHANISMS.items() if mechanism.law is not None}
)
"""By the name of the atom of cost, the law of the noise that is added to a value."""


def mechanism_of(atom: Atom) -> Mechanism:
    """The mechanism that made an atom.

    Raises
    ------
    CannotPrice
        Nobody has written down what it is.
    """
    found = MECHANISMS.get(atom.mechanism)
    if found is None:
        raise CannotPrice(f"unknown mechanism {atom.mechanism}")
    return found
