"""The examples with noise from a seed: every engine releases the same numbers, to the last bit."""

from concurrent.futures import Executor
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from duetpy import load
from duetpy.runtime.engines import Engine, SerialEngine
from duetpy.runtime.engines.dask import DaskEngine
from duetpy.runtime.engines.threads import ThreadsEngine
from duetpy.runtime.evaluation.machine import machine_for
from duetpy.runtime.release import run as run_module
from tests.engines.fakes import Delayed, Elsewhere, Packing, Repeating, Shuffled
from tests.test_examples import DATA, EXAMPLES, MODELS

ROWS = 100
"""Rows of a block: the tables of the examples have some hundred."""


def arguments(*settings: str) -> dict[str, Fraction]:
    return {name: Fraction(number) for name, _, number in (each.partition("=") for each in settings)}


def model(name: str) -> tuple[str, dict[str, Any]]:
    train = np.loadtxt(DATA / "breast_cancer_train.csv", skiprows=1, delimiter=",")
    return name, {"xs": train[:, :-1], "ys": train[:, -1:], **arguments(*MODELS[name])}


def table(name: str, file: str, columns: str, *settings: str) -> tuple[str, dict[str, Any]]:
    parameter = next(name for name, found in load(EXAMPLES / name).check().parameters.items() if found.private)
    return name, {parameter: f"{DATA / file}:{columns}", **arguments(*settings)}


CASES = [
    table("spread.eps.duet", "diabetes.csv", "bmi", "ε=0.5"),
    table("count.eps.duet", "diabetes.csv", "age,bmi", "ε=0.5"),
    table("median.eps.duet", "diabetes.csv", "bmi", "ε=0.5"),
    table("histogram.eps.duet", "breast_cancer.csv", "diagnosis,radius_mean", "ε=0.5"),
    table("ages.eps.duet", "diabetes.csv", "age", "ε=0.5"),
    table("adaptive-clipping.eps.duet", "diabetes.csv", "bmi", "ε=1"),
    table("k-means.zcdp.duet", "cholera.csv", "x,y", "t=2", "ρ=1"),
    table("mwem.eps.duet", "diabetes.csv", "bmi", "t=1", "ε=2"),
    model("logistic.zcdp.duet"),
    model("dp-sgd.ed.duet"),
    model("minibatch.ed.duet"),
    model("batches.ed.duet"),
    model("frank-wolfe.ed.duet"),
    model("normalize.zcdp.duet"),
    model("output-perturbation.zcdp.duet"),
    model("tune.ed.duet"),
]

FAKES = [ThreadsEngine(3, blocks_a_batch=1), Shuffled(5), Repeating(5), Delayed(5), Packing(5)]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "machine_for", partial(machine_for, block_rows=ROWS))


def released(name: str, given: dict[str, Any], engine: Engine) -> tuple[Any, Any]:
    release = load(EXAMPLES / name).check().run(**given, _engine=engine, _insecure_noise=11)
    return release.result, release.releases


@pytest.mark.parametrize(("name", "given"), CASES, ids=[name for name, _ in CASES])
@pytest.mark.sparse(5)
def test_every_engine_releases_the_same(name: str, given: dict[str, Any]) -> None:
    wanted = released(name, given, SerialEngine())
    for engine in FAKES:
        assert repr(released(name, given, engine)) == repr(wanted), engine


OFTEN = ("median.eps.duet", "mwem.eps.duet", "tune.ed.duet", "dp-sgd.ed.duet")
"""Those that go over the data a hundred times."""
SENT = [case for case in CASES if case[0] not in OFTEN][::3]


@pytest.mark.thorough("test_every_engine_releases_the_same")
@pytest.mark.parametrize(("name", "given"), SENT, ids=[name for name, _ in SENT])
def test_workers_release_the_same(name: str, given: dict[str, Any], started: DaskEngine) -> None:
    assert repr(released(name, given, started)) == repr(released(name, given, SerialEngine()))


@pytest.mark.thorough("test_every_engine_releases_the_same")
@pytest.mark.parametrize(("name", "given"), CASES, ids=[name for name, _ in CASES])
def test_an_older_processor_releases_the_same(name: str, given: dict[str, Any], older_processors: Executor) -> None:
    assert repr(released(name, given, Elsewhere(older_processors))) == repr(released(name, given, SerialEngine()))
