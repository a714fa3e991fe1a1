"""Runs the example notebook and writes it with what its cells show: ``python tools/example_notebook.py``.

The cells stand here; docs/notebook.ipynb is what they give. A test runs them again and compares.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from duetpy.diagnostics.error import DuetError

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"

MEAN = """\
notion eps;
pλ people : 𝕄 [L∞, U | m, age : 𝔻 ∷ []], static ε : ℝ⁺ ⇒
  laplace[auto, ε] <people> {
    (mfold-row 0.0, people { total, row ⇒ total + clip[0.0, 100.0] row.age }) / real (rows people)
  }
"""

CELLS: tuple[tuple[str, str], ...] = (
    (
        "markdown",
        "# duetpy in a notebook\n\nA cell that begins with `%%duet` is a program. It is checked, and nothing is read: the table "
        "says what each parameter costs, and how much noise there is. The name after `%%duet` is a variable for what was proved.",
    ),
    ("code", "%load_ext duetpy"),
    ("code", f"%%duet mean\n{MEAN}"),
    (
        "markdown",
        "With numbers for the public parameters, the costs are numbers; `{eps}` inserts the value of a notebook variable.",
    ),
    ("code", "eps = 0.5"),
    ("code", f"%%duet mean --set ε={{eps}} --set m=1000\n{MEAN}"),
    ("code", 'print(mean.why("people"))'),
    (
        "markdown",
        "`--data` runs the program, on a variable of the notebook (an array, a data frame, a list of rows) or a file. Noise is "
        "always secure, so each run gives a different number.",
    ),
    ("code", f"%%duet released --set ε={{eps}} --data people=../examples/first-number/people.csv\n{MEAN}"),
    ("markdown", "A claim that is false is refused, with the reason and what to do."),
    ("code", "%%duet wrong\n" + MEAN.replace("auto", "1.0")),
)
"""Kind and text of each cell."""


def executed() -> list[dict[str, Any]]:
    """The cells with their outputs, run in the folder of the notebook."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    shell = InteractiveShell(config=config)
    # What a cell shows is kept as a value, not printed.
    shell.displayhook.write_output_prompt = lambda: None
    shell.displayhook.write_format_data = lambda *_: None
    before = Path.cwd()
    os.chdir(NOTEBOOK.parent)
    try:
        found = []
        count = 0
        for kind, text in CELLS:
            cell: dict[str, Any] = {
                "cell_type": kind,
                "id": f"cell-{len(found)}",
                "metadata": {},
                "source": lines(text),
            }
            if kind == "code":
                count += 1
                cell |= {"execution_count": count, "outputs": outputs(shell, text, count)}
            found.append(cell)
        return found
    finally:
        os.chdir(before)


def outputs(shell: InteractiveShell, text: str, count: int) -> list[dict[str, Any]]:
    """What a cell prints and shows."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        done = shell.run_cell(text)
    if isinstance(done.error_in_exec, DuetError):
        told = {"ename": type(done.error_in_exec).__name__, "evalue": "", "traceback": printed.getvalue().splitlines()}
        return [{"output_type": "error", **told}]
    done.raise_error()
    found: list[dict[str, Any]] = []
    if printed.getvalue().strip():
        found.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    if done.result is not None:
        data = {"text/plain": lines(repr(done.result)), "text/html": lines(done.result._repr_html_())}
        found.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return found


def lines(text: str) -> list[str]:
    return text.rstrip("\n").splitlines(keepends=True)


def notebook() -> dict[str, Any]:
    """The whole notebook, as version 4.5 of the format has it."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": executed(), "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


if __name__ == "__main__":
    NOTEBOOK.write_text(json.dumps(notebook(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
