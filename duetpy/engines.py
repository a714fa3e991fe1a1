"""What processes the rows of a run: ``checked.run(…, _engine=duetpy.engines.dask("tls://scheduler:8786"))``.

Every engine gives the same result, to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duetpy.runtime.engines.dask import DaskEngine
    from duetpy.runtime.engines.threads import ThreadsEngine

__all__ = ["dask", "threads"]


def threads(workers: int | None = None) -> ThreadsEngine:
    """Threads of this process.

    Parameters
    ----------
    workers
        The number of threads; by default one for each core that this process may use, where these are measured to be faster
        than one.

    Returns
    -------
    ThreadsEngine
        An engine that keeps its threads for the next run, until it is closed; a ``with`` statement closes it.

    Raises
    ------
    ValueError
        If the number of threads is below 1.
    """
    from duetpy.runtime.engines.threads import ThreadsEngine

    return ThreadsEngine(workers)


def dask(address: str | None = None, *, workers: int | None = None, security: Any = None) -> DaskEngine:
    """Workers of a Dask cluster, which are found or started by the first run that needs them.

    Rows and what is computed from them are sent to the workers; noise is drawn, and budgets are kept, in this process alone.

    Parameters
    ----------
    address
        A scheduler, as ``"tls://scheduler:8786"``; ``tcp`` only on this machine. None starts workers on this machine.
    workers
        How many workers are started here; by default one for each core that this process may use.
    security
        Dask's ``Security`` for an address with TLS; by default that of Dask's configuration.

    Returns
    -------
    DaskEngine
        An engine that keeps its workers for the next run, until it is closed; a ``with`` statement closes it.

    Raises
    ------
    ValueError
        If the address or the number of workers is not valid.
    """
    from duetpy.runtime.engines.dask import DaskEngine

    return DaskEngine(address, workers, security)


def __dir__() -> list[str]:
    return sorted(__all__)
