"""The mechanisms by the names of their atoms of cost: each file of this folder says which are its own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType

import duetpy.accounting.mechanisms
from duetpy.accounting.mechanisms.base import Mechanism
from duetpy.accounting.notions.interpretation import CannotPrice
from duetpy.typecheck.cost import Atom


def _mechanisms() -> dict[str, Mechanism]:
    """Every class that is named, by a walk over the files of this folder."""
    found: dict[str, Mechanism] = {}
    for file in iter_modules(duetpy.accounting.mechanisms.__path__, f"{duetpy.accounting.mechanisms.__name__}."):
        for each in vars(import_module(file.name)).values() if file.name != __name__ else ():
            if isinstance(each, type) and issubclass(each, Mechanism) and "names" in vars(each):
                found.update(dict.fromkeys(each.names, each()))
    return found


MECHANISMS: Mapping[str, Mechanism] = MappingProxyType(_mechanisms())

LAWS: Mapping[str, str] = MappingProxyType(
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
