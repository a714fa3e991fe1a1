"""A language, type checker and runtime for differentially private programs.

    import duetpy
    checked = duetpy.load("mean.eps.duet").check()
    checked.parameters["table"].cost        # {'epsilon': 'ε'}
    release = checked.run(table="people.csv", ε=0.5)

Numeric libraries are imported when something is computed, not before.
"""

from __future__ import annotations

from duetpy.version import VERSION as __version__

# `typing` takes longer to import than everything else here, and the command line begins with this file.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from duetpy import engines
    from duetpy.diagnostics.diagnostic import Diagnostic
    from duetpy.diagnostics.error import DuetError
    from duetpy.program import Checked, Program, load, parse
    from duetpy.runtime.release.noiseless import evaluate
    from duetpy.runtime.release.release import Release
    from duetpy.runtime.sources.registry import Source, register_source
    from duetpy.settings import public

__all__ = [
    "Checked",
    "Diagnostic",
    "DuetError",
    "Program",
    "Release",
    "Source",
    "__version__",
    "engines",
    "evaluate",
    "load",
    "parse",
    "public",
    "register_source",
]

_HOMES = {
    "Diagnostic": "duetpy.diagnostics.diagnostic",
    "DuetError": "duetpy.diagnostics.error",
    "Checked": "duetpy.program",
    "Program": "duetpy.program",
    "Release": "duetpy.runtime.release.run",
    "evaluate": "duetpy.runtime.release.noiseless",
    "load": "duetpy.program",
    "parse": "duetpy.program",
    "public": "duetpy.settings",
    "Source": "duetpy.runtime.sources.registry",
    "register_source": "duetpy.runtime.sources.registry",
    "load_ipython_extension": "duetpy.notebook",
}


def __getattr__(name: str) -> Any:
    """The public names, each imported when it is first used."""
    from importlib import import_module

    if name == "engines":
        return import_module("duetpy.engines")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'duetpy' has no attribute {name!r}")
    found = getattr(import_module(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
