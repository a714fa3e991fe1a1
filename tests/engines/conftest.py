"""Clusters and processes, started once."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path

import pytest
from attrs import frozen

from duetpy.runtime.engines import dask as engine_of_dask
from duetpy.runtime.engines.dask import DaskEngine
from duetpy.runtime.engines.local_cluster import WITHOUT_SPILL

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def processes() -> Iterator[Executor]:
    """Two other processes, with their own hashes of texts."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


LATER = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR AVX2 FMA3 X86_V3 X86_V4"


@pytest.fixture(scope="session")
def older_processors() -> Iterator[Executor]:
    """A process whose numpy takes the processor for an older one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NPY_DISABLE_CPU_FEATURES", LATER)
        patch.setenv("PYTHONWARNINGS", "ignore")
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            pool.submit(int).result(timeout=60)
            yield pool


@frozen
class Scheduler:
    """A scheduler of this process, with workers that are threads of it."""

    address: str


@pytest.fixture(scope="module")
def scheduler() -> Iterator[Scheduler]:
    """One for each file: its workers look after themselves all the time, which would slow the tests of other folders."""
    import dask
    from distributed import LocalCluster

    with (
        dask.config.set(WITHOUT_SPILL),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            protocol="tcp://",
            host="127.0.0.1",
            memory_limit=0,
            dashboard_address=None,
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        ) as cluster,
    ):
        yield Scheduler(cluster.scheduler_address)


@pytest.fixture
def by_address(scheduler: Scheduler) -> Iterator[DaskEngine]:
    """The engine of a cluster that somebody else started."""
    with DaskEngine(scheduler.address) as engine:
        yield engine


@pytest.fixture(scope="module")
def started() -> Iterator[DaskEngine]:
    """The engine that starts a cluster of its own, with workers that know these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        with DaskEngine(workers=2) as engine:
            engine.ready()
            yield engine


@pytest.fixture
def nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is not computed by a worker is a fault."""

    def here(*_: object) -> object:
        raise AssertionError("a block was computed by the driver")

    monkeypatch.setattr(engine_of_dask._Sending, "_here", here)
