"""A copy of the package in which some files are edited, and what a program that imports it prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "duetpy"


def copied(folder: Path, added: Mapping[str, str], placed: Mapping[tuple[str, str], str] | None = None) -> int:
    """Copy the package and edit the copy.

    Parameters
    ----------
    folder
        Where the copy goes.
    added
        By file, what is added to its end; a file that does not exist is created.
    placed
        By file and text in it, what stands in front of that text.

    Returns
    -------
    How many files of the copy are new or were edited.
    """
    # With the bytecode: only the files that are edited need to be compiled again.
    shutil.copytree(PACKAGE, folder / "duetpy")
    for place, text in added.items():
        with (folder / "duetpy" / place).open("a", encoding="utf-8") as file:
            file.write(text)
    for (place, mark), text in (placed or {}).items():
        file_ = folder / "duetpy" / place
        before = file_.read_text("utf-8")
        assert before.count(mark) == 1, mark
        file_.write_text(before.replace(mark, text + mark), "utf-8")
    return len({*added, *(place for place, _ in placed or {})})


def printed(folder: Path, use: str) -> str:
    """What a program prints that imports the copy."""
    (folder / "use.py").write_text(use, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "use.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
