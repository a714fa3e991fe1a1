"""The process of a cluster that a run starts: it runs no script of the user, and does not outlive the run."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from duetpy.runtime.engines import SerialEngine
from tests.engines.conftest import ROOT
from tests.engines.test_dask import mean

UNGUARDED = """
import sys
import numpy as np
import duetpy
from tests.engines.test_dask import MEAN, XS
print("once", flush=True)
engine = duetpy.engines.dask(workers=1)
engine.ready()
print("child", engine._cluster.process.pid, flush=True)
if len(sys.argv) > 1:
    sys.stdin.read()
print(duetpy.parse(MEAN, notion="eps").check().run(xs=XS, ε=1.0, _engine=engine, _insecure_noise=3).result)
"""


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid: int) -> bool:
    end = time.monotonic() + 60
    while is_there(pid) and time.monotonic() < end:
        time.sleep(0.1)
    return not is_there(pid)


@pytest.mark.thorough("engines/test_dask.py::test_a_run_on_workers_has_the_bits_of_a_run_here")
@pytest.mark.parametrize("is_killed", [False, True])
def test_a_script_is_run_once_and_leaves_no_process(is_killed: bool, tmp_path: Path) -> None:
    """It has no ``if __name__ == "__main__"``, and never closes its engine."""
    script = tmp_path / "script.py"
    script.write_text(UNGUARDED, encoding="utf-8")
    command = [sys.executable, str(script), *(["wait"] if is_killed else [])]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "once\n"
    word, pid = process.stdout.readline().split()
    assert (word, is_there(int(pid))) == ("child", True)
    if is_killed:
        process.kill()
    out, _ = process.communicate(timeout=120)
    assert out == ("" if is_killed else f"{mean(SerialEngine())}\n")
    assert gone(int(pid))
