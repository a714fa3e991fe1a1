"""Tables of pandas, Polars and Arrow themselves, which live in an environment of their own.

    make oracle        or        python -m tests.oracle.frames [rounds]

The quick tests have stand-ins for the libraries; what those really do is tried here (`tests/oracle/frames_peer.py`). Exit code 1
where a row is read otherwise among others than alone, or where parts of one table count as different people.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.oracle.workloads import made

HERE = Path(__file__).resolve()


def main(rounds: int) -> int:
    surroundings = os.environ | {"PYTHONPATH": str(HERE.parents[2])}
    script = HERE.with_name("frames_peer.py")
    return subprocess.run([str(made()), "-W", "ignore", str(script), str(rounds)], env=surroundings).returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
