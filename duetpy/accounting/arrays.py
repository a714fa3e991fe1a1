"""numpy, as the accountant uses it: imported where a name of it is first asked for, since closed forms need none of it.

So `duetpy check` starts without numpy, and the files that compute with arrays import it at their top like everything else.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

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

__all__ = ["Array", "Mask", "np", "special"]
