"""Engines by their names: ``threads``, ``dask``, ``dask:ADDRESS``."""

from __future__ import annotations

from duetpy.runtime.engines.dask import DaskEngine
from duetpy.runtime.engines.threads import ThreadsEngine

DASK = "dask"


NO_ENGINE = "engine is neither 'threads' nor 'dask' nor 'dask:ADDRESS' nor an object that runs folds"


def engine_named(name: str) -> ThreadsEngine | DaskEngine:
    """A new engine; raises `ValueError` for a name that there is not."""
    kind, separator, address = name.partition(":")
    if kind == DASK:
        return DaskEngine(address if separator else None)
    if name != "threads":
        raise ValueError(NO_ENGINE)
    return ThreadsEngine()
