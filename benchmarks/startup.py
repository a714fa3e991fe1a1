"""How long `duetpy check` of a small program takes, compared with importing what it is built on.

    python benchmarks/startup.py [RUNS]

Both are run in turn, with bytecode, and the least CPU time of each counts: what else the machine does only adds to it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "examples" / "k-means.zcdp.duet"

BASE = [sys.executable, "-c", "import attrs, lark"]
CHECK = [sys.executable, "-c", "from duetpy.cli.main import entry; entry()", "check", str(PROGRAM)]

TARGET = 2.4


def seconds(command: list[str], bytecode: str) -> float:
    """The CPU time of one run, the interpreter's own start included."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = getrusage(RUSAGE_CHILDREN)
    surroundings = {**known, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": bytecode}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=surroundings)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(runs: int) -> int:
    with tempfile.TemporaryDirectory() as bytecode:
        timed = [(seconds(BASE, bytecode), seconds(CHECK, bytecode)) for _ in range(runs + 1)][1:]
    base, check = (min(column) for column in zip(*timed, strict=True))
    print(f"import attrs, lark       {1000 * base:6.0f} ms")
    print(
        f"duetpy check {PROGRAM.name[:12]}{1000 * check:6.0f} ms, {check / base:.2f} times that; at most {TARGET} is the aim"
    )
    return 0 if check <= TARGET * base else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
