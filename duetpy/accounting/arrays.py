"""numpy, as the accountant uses it: imported where a name of it is first asked for, since closed forms need none of it.

So `duetpy check` starts without numpy, and the files that compute with arrays import it at their top like everything else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, ParamSpec, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy import special
else:

    class _Late(ModuleType):
        """A module that is imported by its first use; what was asked for once is an attribute like any other."""

        def __getattr__(self, name: str) -> object:
            found = getattr(import_module(self.__name__), name)
            setattr(self, name, found)
            return found

    np, special = _Late("numpy"), _Late("scipy.special")

Array: TypeAlias = "NDArray[np.float64]"
Mask: TypeAlias = "NDArray[np.bool_]"

__all__ = ["Array", "Mask", "as_by_default", "np", "special"]

P = ParamSpec("P")
R = TypeVar("R")


def as_by_default(function: Callable[P, R]) -> Callable[P, R]:
    """A function in which NumPy raises and says what it does by default, whatever the process has told it: digits that are lost
    below the least double would end it with `FloatingPointError`. A process without NumPy has told it nothing."""

    @wraps(function)
    def inside(*args: P.args, **kwargs: P.kwargs) -> R:
        if sys.modules.get("numpy") is None:
            return function(*args, **kwargs)
        with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
            return function(*args, **kwargs)

    return inside
