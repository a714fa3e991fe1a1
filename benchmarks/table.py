"""One table of ratios, and the machine that they were measured on."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from attrs import asdict

from benchmarks.measure import MEMORY, Line

HEADINGS = (
    "task",
    "CPU ms",
    "wall ms",
    "check",
    "bind",
    "× CPU",
    "median (range)",
    "× wall",
    "× turn",
    "memory",
    "the best by hand",
    "goal",
    "",
    "peers and notes",
)

LEGEND = f"""\
CPU, wall: the least time of a whole run, binding included. check: load and check. bind: a run less its turns,
empty (as × turn) if other load hides the turns.
× CPU: least CPU time against that of the best program written by hand with numpy; then the median and the range of the rounds.
× wall, × turn: the same by the clock, and a turn alone. memory: the peak above the start in sizes of the data (goal ≤ {MEMORY:g}).
peers: CPU time of a run against theirs."""


def milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{1000 * seconds:.2f}" if seconds < 0.01 else f"{1000 * seconds:,.0f}"


def times(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"


def spread(rounds: Sequence[float]) -> str:
    if not rounds:
        return ""
    return f"{times(statistics.median(rounds))} ({times(min(rounds))}–{times(max(rounds))})"


def cells(line: Line) -> tuple[str, ...]:
    beside = [f"{name} {found if isinstance(found, str) else times(found) + '×'}" for name, found in line.peers.items()]
    verdict = "" if not line.goal else "?" if line.reached is None else "reached" if line.reached else "MISSED"
    return (
        line.title,
        milliseconds(line.cpu),
        milliseconds(line.wall),
        milliseconds(line.check),
        milliseconds(line.bind),
        times(line.ratio),
        spread(line.rounds),
        times(line.wall_ratio),
        times(line.turn_ratio),
        times(line.memory),
        line.against,
        line.goal,
        verdict,
        ", ".join([*beside, *filter(None, [line.note])]),
    )


def table(lines: Sequence[Line]) -> str:
    """The lines under each other, numbers on the right."""
    rows = [HEADINGS, *map(cells, lines)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = {0, *range(10, len(HEADINGS))}
    shown = (
        "  ".join(
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    return "\n".join(map(str.rstrip, shown))


def machine() -> dict[str, Any]:
    """What the times depend on."""
    processor = platform.processor()
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        named = [line.partition(":")[2].strip() for line in facts.read_text().splitlines() if "model name" in line]
        processor = named[0] if named else processor
    return {
        "system": platform.platform(),
        "processor": processor,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in ("duetpy", "numpy", "scipy", "attrs", "lark")},
    }


def described(facts: dict[str, Any]) -> str:
    load = "" if facts["load"] is None else f", load {facts['load']:.1f}"
    packages = ", ".join(f"{name} {version}" for name, version in facts["packages"].items())
    return f"{facts['cores']} cores of {facts['processor']}{load}; Python {facts['python']}; {packages}"


def as_json(lines: Sequence[Line], facts: dict[str, Any]) -> dict[str, Any]:
    return {"machine": facts, "lines": [asdict(line) for line in lines]}
