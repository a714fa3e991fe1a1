"""A process that runs one contender, and measures it when asked.

Each contender has a process of its own, so that its peak of memory and its threads are its own. The first line of standard
input says what to run; each line after it is an order, answered by a line of standard output. A contender is a function of data,
settings, a number of iterations and whether there is noise.
"""

from __future__ import annotations

import importlib.util
import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from benchmarks.by_hand import PROGRAMS, Program
from benchmarks.peers import PEERS

SHORTEST = 0.05
"""A shorter run is repeated until it takes so many seconds together: clocks of processor time are coarse."""


def duetpy(spec: dict[str, Any]) -> Program:
    import duetpy

    checked = duetpy.parse(spec["program"], notion=spec["notion"]).check()

    def run(data: Any, settings: Any, turns: int, noisy: bool) -> Any:
        loop = {spec["turns"]: turns} if spec["turns"] else {}
        noise = None if noisy else "none"
        return checked.run(**data, **settings, **loop, _insecure_noise=noise, _stream=spec["stream"]).result

    return run


def contenders(spec: dict[str, Any]) -> dict[str, Program]:
    """What can run, by its variant; nothing where a peer is not installed."""
    match spec["contender"]:
        case "duetpy":
            return {"": duetpy(spec)}
        case "numpy":
            return PROGRAMS[spec["computes"]]
        case peer:
            return {"": PEERS[peer][spec["computes"]]} if importlib.util.find_spec(peer) is not None else {}


def flat(answer: Any) -> Iterator[float]:
    """The numbers of an answer in order, whatever holds them."""
    if isinstance(answer, list | tuple) or (isinstance(answer, np.ndarray) and answer.ndim):
        for part in answer:
            yield from flat(part)
    else:
        yield float(answer)


def loaded(folder: Path, files: dict[str, str]) -> dict[str, Any]:
    """Arrays as they are, and other files as paths."""
    return {
        name: np.load(folder / file) if file.endswith(".npy") else str(folder / file) for name, file in files.items()
    }


def in_memory(peak: bool) -> int:
    """Bytes of this process, now or at most so far."""
    with suppress(OSError):
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return 1024 * int(status.partition("VmHWM:" if peak else "VmRSS:")[2].split()[0])
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most


def timed(run: Callable[[], object]) -> dict[str, float]:
    """Seconds of the processor, all threads together, and of the clock."""
    times = 1
    while True:
        cpu, wall = time.process_time(), time.perf_counter()
        for _ in range(times):
            run()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        if wall >= SHORTEST:
            return {"cpu": cpu / times, "wall": wall / times}
        times = math.ceil(1.5 * times * SHORTEST / max(wall, SHORTEST / 1000))


def serve(spec: dict[str, Any], orders: TextIO, answer: Callable[[dict[str, Any]], None]) -> None:
    if spec["cores"] and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: spec["cores"]])
    programs = contenders(spec)
    if not programs:
        answer({"failed": "not installed"})
        return
    folder = Path(spec["folder"])
    # What is imported late is imported by a small run, and counts neither as time nor as memory of the data.
    for run in programs.values():
        run(loaded(folder / "tiny", spec["files"]), spec["tiny"], 2, False)
    before = in_memory(peak=False)
    data = loaded(folder, spec["files"])
    answer({"version": version(spec["contender"])})
    for line in orders:
        order = json.loads(line)
        match order["do"]:
            case "answer":
                run = programs[order["variant"]]
                answer({"answer": list(flat(run(data, spec["exact"], order["turns"], False)))})
            case "time":
                run = partial(programs[order["variant"]], data, spec["settings"], order["turns"], True)
                answer(timed(run))
            case "check":
                answer(timed(partial(duetpy, spec)))
            case "memory":
                held = sum(array.nbytes for array in data.values() if isinstance(array, np.ndarray))
                answer({"bytes": in_memory(peak=True) - before, "held": held})


def version(name: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def main() -> None:
    spec = json.loads(sys.stdin.readline())
    # What a library prints must not mix with the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(reply: dict[str, Any]) -> None:
        print(json.dumps(reply), file=answers, flush=True)

    try:
        serve(spec, sys.stdin, answer)
    except Exception as error:
        answer({"failed": f"{type(error).__name__}: {error}"[:200]})


if __name__ == "__main__":
    main()
