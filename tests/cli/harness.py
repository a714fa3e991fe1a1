"""What the tests of the command line share: an outcome, and the ways of running a command."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "duetpy")


@frozen
class Outcome:
    """Exit code, standard output and standard error."""

    code: int
    out: str
    err: str


Duetpy = Callable[..., Outcome]
Write = Callable[[str, str], Path]


def environment(**changes: str) -> dict[str, str]:
    """The environment of a process that runs this checkout, with UTF-8 streams."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "PYTHONIOENCODING")}
    return {**inherited, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", **changes}


def spawn(folder: Path, *arguments: str, stdin: bytes = b"", **changes: str) -> subprocess.CompletedProcess[bytes]:
    """Run ``duetpy`` in a process of its own."""
    return subprocess.run(
        [*COMMAND, *arguments], cwd=folder, input=stdin, capture_output=True, env=environment(**changes), check=False
    )
