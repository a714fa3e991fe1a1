"""Engines by their names, on the command line and from Python."""

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import duetpy
from duetpy.cli.main import main
from duetpy.runtime.engines import dask as module
from duetpy.runtime.engines.dask import DaskEngine
from duetpy.runtime.engines.named import engine_named
from duetpy.runtime.engines.threads import ThreadsEngine
from tests.engines.conftest import ROOT, Scheduler
from tests.engines.test_dask import MEAN, XS

COMMAND = ["run", "mean.eps.duet", "--data", "people.csv", "--set", "ε=1", "--insecure-noise", "7", "--format", "json"]


@pytest.fixture(autouse=True)
def _logs_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that Dask works for turns logs off for the rest of its process."""
    monkeypatch.setattr(logging.root.manager, "disable", logging.root.manager.disable)


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mean.eps.duet").write_text(MEAN, encoding="utf-8")
    lines = [",".join(map(repr, row)) for row in XS.tolist()]
    (tmp_path / "people.csv").write_text("\n".join(["a,b,c", *lines, ""]), encoding="utf-8")


def result(out: str) -> str:
    return repr(json.loads(out)["result"])


@pytest.mark.usefixtures("people", "nothing_here")
def test_a_cluster_is_named_by_its_address(scheduler: Scheduler, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(COMMAND) == 0
    here = capsys.readouterr()
    assert main([*COMMAND, "--engine", f"dask:{scheduler.address}"]) == 0
    there = capsys.readouterr()
    assert result(there.out) == result(here.out)
    assert there.err == here.err


@pytest.mark.usefixtures("people", "nothing_here")
def test_what_dask_logs_is_not_on_standard_error(
    scheduler: Scheduler, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it says when a worker ends, and what asyncio says of it."""
    fetched, logged = module._Sending._fetched, []
    for name in ("distributed.client", "asyncio"):
        monkeypatch.setattr(logging.getLogger(name), "propagate", True)

    def ending(sending: Any, task: Any) -> Any:
        for name in ("distributed.client", "asyncio"):
            logging.getLogger(name).error("a worker ended")
            logged.append(name)
        return fetched(sending, task)

    monkeypatch.setattr(module._Sending, "_fetched", ending)
    monkeypatch.setattr(logging.getLogger("distributed"), "propagate", True)
    assert main([*COMMAND, "--engine", f"dask:{scheduler.address}"]) == 0
    assert logged
    assert [record.message for record in caplog.records] == []


@pytest.mark.thorough("test_a_cluster_is_named_by_its_address")
@pytest.mark.usefixtures("people")
def test_a_cluster_of_this_machine_is_started_and_ended() -> None:
    outcomes = [
        subprocess.run(
            [sys.executable, "-m", "duetpy", *COMMAND, *more],
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for more in ([], ["--engine", "dask"])
    ]
    assert result(outcomes[0].stdout) == result(outcomes[1].stdout)
    assert outcomes[0].stderr == outcomes[1].stderr


@pytest.mark.usefixtures("people")
def test_a_cluster_that_cannot_be_used_stops_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND[:-2], "--engine", "dask:tcp://127.0.0.1:1"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "error[D0732]: no scheduler answers at tcp://127.0.0.1:1" in captured.err
    assert captured.err.endswith("nothing was released, nothing was spent\n")


def test_engines_have_names() -> None:
    assert isinstance(engine_named("threads"), ThreadsEngine)
    assert isinstance(engine_named("dask"), DaskEngine)
    assert isinstance(engine_named("dask:tls://there:8786"), DaskEngine)
    for name in ("", "abacus", "dask:", "dask:there", "threads:2", "Dask"):
        with pytest.raises(ValueError, match=r"engine is neither 'threads' nor|is not an address"):
            engine_named(name)


def test_the_public_engines() -> None:
    assert dir(duetpy.engines) == ["dask", "threads"]
    assert isinstance(duetpy.engines.threads(2), ThreadsEngine)
    assert isinstance(duetpy.engines.dask("tls://there:8786"), DaskEngine)
    for workers in (0, -1):
        with pytest.raises(ValueError, match="at least one worker"):
            duetpy.engines.dask(workers=workers)


def test_dir_holds_public_names_only() -> None:
    assert dir(duetpy) == sorted(duetpy.__all__)
    assert not [name for name in dir(duetpy) if name.startswith("_") and name != "__version__"]


def test_nothing_of_dask_is_imported_before_it_is_needed() -> None:
    code = "import sys, duetpy; duetpy.engines.dask('tls://there:1'); print({'dask', 'distributed'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "set()\n"
