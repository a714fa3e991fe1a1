"""How exact the statistics of std:stats are, next to other libraries: at equal ε, on the same column, with the same public ranges.

    python -m benchmarks.statistics [--runs N] [--epsilon E] [--only WORD] [--json]

Each statistic is released N times by everybody. What is compared is the error that 95 of 100 releases stay within; of a quantile
it is counted in rows, of a regression in the predicted quantity, whose range is 2. With 400 runs such an error is itself off by
a tenth or so, and with 60 by a quarter: take many more for one statistic (``--only``) before you call one library better. The
other libraries run in `.venv-peers` (``make bench-peers``), in a program of their own (`statistics_peers.py`); one that is not
installed is said to be missing.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

import duetpy
from benchmarks.__main__ import PEERS

ROOT = Path(__file__).parents[1]
STAFF = ROOT / "examples" / "data" / "staff.csv"
PATIENTS = ROOT / "examples" / "data" / "diabetes.csv"
MEASURES = {"bmi": (15.0, 45.0), "bp": (60.0, 140.0), "ltg": (3.0, 6.5), "progress": (0.0, 360.0)}
"""The columns of a regression, of which the last is predicted, and their public ranges."""
LIBRARIES = ("diffprivlib", "opendp")
SITES = ("Aarhus", "Bergen", "Cork", "Delft", "Evora", "Faro", "Ghent", "Hobro", "Inari", "Jena", "Kiruna", "Lund")
DEPARTMENTS = ("Engineering", "Legal", "Sales", "Support")
TOP = 3
LOW, HIGH, STEP = 20_000.0, 100_000.0, 50.0
"""The public range of a salary, and the distance of the candidates for a quantile."""
CANDIDATES = int((HIGH - LOW) / STEP) + 1
SHARE = 0.95

Column = NDArray[np.float64]
Error = Callable[[Any, Column], float]


@frozen
class Statistic:
    """A statistic, and how far off a release of it is.

    Parameters
    ----------
    name
        Under which the others compute it too.
    call
        How a program of the language asks for it.
    error
        Of one release, given the column.
    table
        What the program is given: the `salaries`, the `sites`, the `pairs` of departments and sites, or the `patients`.
    """

    name: str
    call: str
    error: Error
    table: str = "salaries"


def off(truth: Callable[[Column], float]) -> Error:
    return lambda released, column: abs(released - truth(column))


def rows_off(share: float) -> Error:
    """How many rows a number is from having its share of them below it."""

    def error(released: Any, column: Column) -> float:
        below, within = float((column < released).sum()), float((column <= released).sum())
        wanted = share * len(column)
        return max(below - wanted, wanted - within, 0.0)

    return error


def quartiles_off(released: Any, column: Column) -> float:
    """Of the quartiles the one that is furthest off, in rows."""
    return max(rows_off(at / 4)(number, column) for at, number in enumerate(np.ravel(released), 1))


def most_off(released: Any, column: Column) -> float:
    """Of several counts the one that is furthest off."""
    del column
    truth = sites()
    return max(abs(released[name] - truth[name]) for name in SITES)


def cells_off(released: Any, column: Column) -> float:
    """Of the counts of a table the one that is furthest off."""
    del column
    found = pairs()
    return max(abs(number - found.count(pair)) for pair, number in released.items())


def places_off(released: Any, column: Column) -> float:
    """Of the most frequent sites the most rows that one has fewer than the one that should stand in its place."""
    del column
    truth = sites()
    best = sorted(truth.values(), reverse=True)
    return max(float(wanted - truth[name]) for wanted, name in zip(best, released, strict=False))


def prediction_off(released: Any, column: Column) -> float:
    """How far the predictions of a regression are from those of least squares: the root of the mean square."""
    del column
    columns = np.column_stack([np.ones(len(patients())), patients()[:, :-1]])
    best = np.linalg.lstsq(columns, patients()[:, -1], rcond=None)[0]
    return float(np.sqrt(np.mean((columns @ (np.ravel(released) - best)) ** 2)))


STATISTICS = (
    Statistic("count", "noisy-count@[ . column, ε]", off(len)),
    Statistic("sum", f"noisy-sum@[ . column, {HIGH:.0f}, ε]", off(lambda column: float(column.sum()))),
    Statistic("mean", f"noisy-mean@[ . column, {LOW}, {HIGH - LOW:.0f}, ε]", off(lambda column: float(column.mean()))),
    Statistic(
        "variance",
        f"noisy-variance@[ . column, {LOW}, {HIGH - LOW:.0f}, ε]",
        off(lambda column: float(column.var())),
    ),
    Statistic("median", f"noisy-median@[ . column, {LOW}, {STEP}, {CANDIDATES - 1}, ε]", rows_off(0.5)),
    Statistic(
        "quantile of 90 %", f"noisy-quantile@[ . column, 9, 1, {LOW}, {STEP}, {CANDIDATES - 1}, ε]", rows_off(0.9)
    ),
    Statistic("quartiles", f"noisy-quantiles@[ . column, 3, {LOW}, {STEP}, {CANDIDATES - 1}, ε]", quartiles_off),
    Statistic(
        "histogram", f"noisy-histogram@[ . column, ℘{{{', '.join(map(json.dumps, SITES))}}}, ε]", most_off, "sites"
    ),
    Statistic(
        "contingency table",
        f"noisy-table@[ . column, ℘{{{', '.join(f'⟨{json.dumps(a)}, {json.dumps(b)}⟩' for a in DEPARTMENTS for b in SITES)}}}, ε]",
        cells_off,
        "pairs",
    ),
    Statistic(f"the {TOP} most frequent", f"noisy-top@[ . column, keys, {TOP}, ε]", places_off, "sites"),
    Statistic("regression", "noisy-regression@[ . column, 4, 12 / ε, ε]", prediction_off, "patients"),
)


@cache
def read(name: str) -> tuple[str, ...]:
    """A column of the table of staff."""
    with STAFF.open(encoding="utf-8", newline="") as lines:
        return tuple(row[name] for row in csv.DictReader(lines, delimiter=";"))


def salaries() -> Column:
    return np.clip(np.array([float(cell) for cell in read("salary")]), LOW, HIGH)


@cache
def patients() -> Column:
    """The columns of `MEASURES`, each brought to −1 … 1 by its range."""
    with PATIENTS.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    middles = {name: ((low + high) / 2, (high - low) / 2) for name, (low, high) in MEASURES.items()}
    return np.array([[(float(row[name]) - at) / half for name, (at, half) in middles.items()] for row in rows])


def pairs() -> list[str]:
    """The department and the site of each row, as one text."""
    return [
        f"{department.capitalize()}/{site}" for department, site in zip(read("department"), read("site"), strict=True)
    ]


def sites() -> dict[str, int]:
    found = read("site")
    return {site: found.count(site) for site in SITES}


def ours(statistic: Statistic, epsilon: float, runs: int) -> list[Any]:
    """Releases of the program."""
    rows: Any = {
        "salaries": lambda: [[value] for value in salaries().tolist()],
        "sites": lambda: [[site] for site in read("site")],
        "pairs": lambda: [pair.split("/") for pair in pairs()],
        "patients": patients,
    }[statistic.table]()
    kind = {
        "salaries": "bag 𝔻",
        "sites": "bag 𝕊",
        "pairs": "𝕄 [L∞, U | ★, 2⋅𝕊]",
        "patients": f"𝕄 [L∞, U | ★, {len(MEASURES)}⋅𝔻]",
    }[statistic.table]
    has_keys = " keys," in statistic.call
    keys = {"keys": duetpy.public(np.array([[site] for site in SITES]))} if has_keys else {}
    listed = ", keys : 𝕄 [L∞, U | n, 1⋅𝕊]" if has_keys else ""
    text = f'import "std:stats"; pλ column : {kind}{listed}, static ε : ℝ⁺ ⇒ {statistic.call}'
    checked = duetpy.parse(text, notion="eps").check()
    found = [checked.run(column=rows, ε=epsilon, **keys).result for _ in range(runs)]
    if has_keys:
        return [[key for key, _ in released] for released in found]
    if statistic.table == "pairs":
        return [{f"{cell['first']}/{cell['second']}": cell["number"] for cell in released} for released in found]
    return [dict(released) for released in found] if statistic.table == "sites" else found


def theirs(
    library: str, epsilon: float, runs: int, python: Path = PEERS, chosen: Sequence[Statistic] = STATISTICS
) -> dict[str, list[Any]] | None:
    """Releases of another library by statistic; None where it is not installed."""
    if not python.exists():
        return None
    wanted = {
        "library": library,
        "statistics": [statistic.name for statistic in chosen],
        "column": salaries().tolist(),
        "texts": read("site"),
        "keys": SITES,
        "pairs": pairs(),
        "departments": DEPARTMENTS,
        "top": TOP,
        "low": LOW,
        "high": HIGH,
        "candidates": [LOW + STEP * at for at in range(CANDIDATES)],
        "epsilon": epsilon,
        "patients": patients().tolist(),
        "runs": runs,
    }
    script = str(Path(__file__).with_name("statistics_peers.py"))
    # No shell: the arguments are files of this project.
    done = subprocess.run([str(python), script], input=json.dumps(wanted), capture_output=True, text=True, check=True)
    found: dict[str, list[Any]] | None = json.loads(done.stdout)
    return found


def reached(errors: Sequence[float]) -> float:
    """What 95 of 100 errors stay within."""
    return sorted(errors)[math.ceil(SHARE * len(errors)) - 1]


def compared(
    epsilon: float, runs: int, python: Path = PEERS, chosen: Sequence[Statistic] = STATISTICS
) -> list[dict[str, Any]]:
    """A line for each statistic: the error of everybody, None where a library has no such statistic or is not installed."""
    column = salaries()
    peers = {library: theirs(library, epsilon, runs, python, chosen) for library in LIBRARIES}
    lines = []
    for statistic in chosen:
        line: dict[str, Any] = {"statistic": statistic.name}
        line["duetpy"] = reached([statistic.error(each, column) for each in ours(statistic, epsilon, runs)])
        for library, released in peers.items():
            told = None if released is None else released.get(statistic.name)
            line[library] = None if told is None else reached([statistic.error(each, column) for each in told])
        lines.append(line)
    return lines


def table(lines: Sequence[dict[str, Any]], installed: Sequence[str]) -> str:
    """The lines for people; a ratio below 1 says that duetpy is more exact."""
    shown = [["statistic", "duetpy", *(f"{library} (ratio)" for library in LIBRARIES)]]
    for line in lines:
        cells = [line["statistic"], f"{line['duetpy']:.4g}"]
        for library in LIBRARIES:
            if line[library] is None:
                cells.append("has none" if library in installed else "not installed")
            else:
                ratio = line["duetpy"] / line[library] if line[library] else math.inf
                cells.append(f"{line[library]:.4g} ({ratio:.2f})")
        shown.append(cells)
    widths = [max(len(row[at]) for row in shown) for at in range(len(shown[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in shown
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.statistics", description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=400, help="releases of each statistic (default: 400)")
    parser.add_argument("--epsilon", type=float, default=1.0, help="of each release (default: 1)")
    parser.add_argument("--json", action="store_true", help="print what was measured")
    parser.add_argument("--python", type=Path, default=PEERS, help="of an environment that has the other libraries")
    parser.add_argument("--only", default="", metavar="WORD", help="the statistics whose name contains a word")
    asked = parser.parse_args(arguments)
    chosen = [statistic for statistic in STATISTICS if asked.only in statistic.name]
    if not chosen:
        parser.error(f"no statistic is called so: {', '.join(statistic.name for statistic in STATISTICS)}")
    lines = compared(asked.epsilon, asked.runs, asked.python, chosen)
    if asked.json:
        print(json.dumps(lines))
        return 0
    installed = [library for library in LIBRARIES if any(line[library] is not None for line in lines)]
    print(f"errors of 95 of 100 releases, ε = {asked.epsilon:g}, {asked.runs} runs, {len(salaries()):,} rows")
    print(table(lines, installed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
