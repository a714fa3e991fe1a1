"""What the attacks of ``tests/attacks`` and the falsifier measure, each with its goal and the command that measures it again.

    python -m benchmarks.security_figures [SHARE] [--only FIGURE …]          (make audit-figures)

SHARE scales every count; 1 is the goal's own size and takes hours, the default of 0.01 takes minutes. A figure says what was
found in as many tries as it names, never that there is nothing to find.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from duetpy.accounting.budget import Charge, parse_budget
from duetpy.diagnostics.error import DuetError
from duetpy.ledger.show import spent
from duetpy.ledger.store import Ledger, create
from duetpy.runtime.noise.continuous import gaussian_steps, laplace_steps
from duetpy.runtime.noise.exact_sampler import discrete_laplace
from duetpy.runtime.noise.random_bits import SecureBits
from duetpy.runtime.sources.column_selection import Declared
from duetpy.runtime.sources.csv import CsvFile
from duetpy.runtime.sources.table import ColumnSpec, Kind, Table
from tests.attacks import fuzzed, neighbouring
from tests.attacks.secrets import SPELLINGS
from tests.ledger.test_store import SPENDER, reserve
from tests.runtime.test_csv_containment import contained
from tests.runtime.test_random import draw_in_forks_of_a_thread, draw_in_processes, draw_in_threads, draw_secure

ROOT = Path(__file__).parents[1]
ANY = ColumnSpec(None, Kind.REAL)
Found = TypeVar("Found")


@frozen
class Figure:
    """A figure, its goal and how a share of it is measured."""

    name: str
    goal: str
    measure: Callable[[float], str]

    def show(self, share: float) -> None:
        print(f"{self.name:<5}{self.goal}", flush=True)
        started = time.perf_counter()
        measured = self.measure(share)
        print(f"     measured: {measured}   ({time.perf_counter() - started:.0f} s)")
        print(f"     command:  python -m benchmarks.security_figures {share:g} --only {self.name}", flush=True)


def ranks(values: list[float]) -> NDArray[np.float64]:
    return np.argsort(np.argsort(np.array(values), kind="stable")).astype(np.float64)


def timing(count: int) -> str:
    """Spearman's correlation of the size of single draws with the time that they take."""
    bits = SecureBits()
    scale = Fraction(1)

    found = []
    draws: list[tuple[str, Callable[[], float]]] = [
        ("Laplace", lambda: float(laplace_steps(1, scale, -30, bits)[0])),
        ("Gaussian", lambda: float(gaussian_steps(1, scale, -30, bits)[0])),
        ("the integer sampler, scale 50", lambda: float(discrete_laplace(50 * scale, bits))),
    ]
    for name, draw in draws:
        sizes, times = [], []
        for _ in range(count):
            started = time.perf_counter_ns()
            noise = draw()
            times.append(float(time.perf_counter_ns() - started))
            sizes.append(abs(noise))
        found.append(f"{name} {np.corrcoef(ranks(sizes), ranks(times))[0, 1]:+.3f}")
    return f"{count:,} draws each: {', '.join(found)}"


def copies(repetitions: int) -> str:
    """How often four copies of one process, or four of its threads, did not draw four different strings and noises."""
    ways: list[tuple[str, Callable[[], list[tuple[object, ...]]]]] = [
        *(
            (method, partial(draw_in_processes, method, draw_secure))
            for method in multiprocessing.get_all_start_methods()
        ),
        ("threads", partial(draw_in_threads, draw_secure, 4)),
    ]
    if "fork" in multiprocessing.get_all_start_methods():
        ways.append(("fork in a thread", partial(draw_in_forks_of_a_thread, draw_secure)))
    found = []
    for name, draw in ways:
        alike = 0
        for _ in range(repetitions):
            drawn = [draw_secure(0), *draw()]
            alike += any(len(set(part)) < len(drawn) for part in zip(*drawn, strict=True))
        found.append(f"{name} {alike}")
    return f"repetitions of {repetitions} in which two of 4 copies and their parent drew alike: {', '.join(found)}"


def spread(measure: Callable[[range], Found], count: int, size: int) -> list[Found]:
    """What is found of the seeds below `count`, `size` at a time, on all processors."""
    parts = [range(start, min(start + size, count)) for start in range(0, count, size)]
    with multiprocessing.get_context("spawn").Pool() as pool:
        return pool.map(measure, parts, chunksize=1)


def some_lines(seeds: range) -> tuple[int, int]:
    beyond = raised = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"

        def read(content: bytes, columns: Declared = ANY, **options: Any) -> Table:
            path.write_bytes(content)
            return CsvFile(str(path), columns, **options).read()

        for seed in seeds:
            try:
                contained(read, seed)
            except AssertionError:
                beyond += 1
            except Exception:
                raised += 1
    return beyond, raised


def lines(count: int) -> str:
    beyond, raised = map(sum, zip(*spread(some_lines, count, 1000), strict=True))
    return f"{count:,} changed lines: {beyond} moved more than one record, {raised} exceptions"


def canaries() -> str:
    ended, said = last_line_of("-m", "pytest", "-p", "no:cacheprovider", "tests/attacks/test_side_doors.py")
    return f"{len(SPELLINGS)} forms of the secrets, tests/attacks/test_side_doors.py ended with {ended}: {said}"


def in_runs(seeds: range) -> int:
    with tempfile.TemporaryDirectory() as folder:
        sides = (neighbouring.compared(Path(folder), seed, neighbouring.seen_in_run) for seed in seeds)
        return sum(before != after for before, after in sides)


def in_commands(seeds: range) -> int:
    with tempfile.TemporaryDirectory() as folder:
        sides = (neighbouring.compared(Path(folder), seed) for seed in seeds)
        return sum(before != after for before, after in sides)


def in_random_programs(seeds: range) -> tuple[int, int]:
    """How many pairs there are, and how many of them differ; not every program has pairs."""
    found = [before != after for seed in seeds for before, after in neighbouring.random_pairs(seed, 3)]
    return len(found), sum(found)


def alike(count: int) -> str:
    commands, programs = max(1, count // 10), max(1, count // 50)
    drawn, differing = map(sum, zip(*spread(in_random_programs, programs, 50), strict=True))
    differing += sum(spread(in_commands, commands, 200))
    runs = max(0, count - commands - drawn)
    differing += sum(spread(in_runs, runs, 1000))
    return (
        f"{runs:,} pairs in Python, {commands:,} at the command line, {drawn:,} of {programs:,} random programs: "
        f"{differing} differ"
    )


def racing(path: str, requests: int, granted: multiprocessing.Queue[int]) -> None:
    taken = 0
    for _ in range(requests):
        try:
            reserve(Path(path), Charge(Fraction(1, 100)))
            taken += 1
        except DuetError:
            continue
    granted.put(taken)


def race(processes: int, requests: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "l"
        create(path, parse_budget("epsilon=1"), "people")
        context = multiprocessing.get_context("spawn")
        granted: multiprocessing.Queue[int] = context.Queue()
        workers = [context.Process(target=racing, args=(str(path), requests, granted)) for _ in range(processes)]
        for worker in workers:
            worker.start()
        total = sum(granted.get() for _ in workers)
        for worker in workers:
            worker.join()
        kept = spent(Ledger(path).state())["epsilon"]
    return (
        f"{processes} processes, {processes * requests:,} requests for 0.01 of 1: {total} granted, ε = {kept:g} written"
    )


def kills(count: int) -> str:
    """A process reports each charge after making it; after the process is killed, the ledger must hold every reported charge."""
    missing = told = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "l"
        for turn in range(count):
            path.unlink(missing_ok=True)
            create(path, parse_budget("epsilon=1"), "people")
            words = [sys.executable, "-c", SPENDER, str(path)]
            spender = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
            assert spender.stdout is not None
            numbers = [int(spender.stdout.readline())]
            time.sleep(0.007 * (turn % 43))
            os.kill(spender.pid, signal.SIGKILL)
            numbers += [int(line) for line in spender.stdout.read().split("\n")[:-1]]
            spender.wait()
            spender.stdout.close()
            entries = len(Ledger(path).state().entries)
            told += len(numbers)
            missing += sum(number > entries for number in numbers)
    return f"{count:,} kills after {told:,} charges: {missing} reported but not written"


CHECKED, READ = 100, 40


def some_texts(seeds: range) -> tuple[int, float]:
    crashes, slowest = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            dice = random.Random(seed)
            text, content = fuzzed.a_text(dice), fuzzed.a_data_file(dice)
            started = time.process_time()
            try:
                fuzzed.parsed(text)
                if seed % CHECKED == 0:
                    fuzzed.checked(text)
            except Exception:
                crashes += 1
            slowest = max(slowest, time.process_time() - started)
            if seed % READ == 0:
                try:
                    fuzzed.loaded(Path(folder) / "x.csv", content, dice)
                except Exception:
                    crashes += 1
    return crashes, slowest


def fuzz(count: int) -> str:
    crashes, slowest = zip(*spread(some_texts, count, 5000), strict=True)
    return (
        f"{count:,} texts parsed, {-(-count // CHECKED):,} of them checked, {-(-count // READ):,} data files read: "
        f"{sum(crashes)} exceptions, slowest text {max(slowest):.2f} s"
    )


def last_line_of(*words: str) -> tuple[int, str]:
    """How a command of this repository ended, and its last line."""
    found = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return found.returncode, (found.stdout.strip().splitlines() or ["nothing"])[-1]


def rules(share: float) -> str:
    every = max(1, round(1 / share))
    _, mutants = last_line_of("-m", "tests.soundness.mutants", "--every", str(every))
    programs = part(20_000, share)
    ended, _ = last_line_of("-m", "tests.soundness", str(programs))
    return f"every {every}. broken rule: {mutants}; {programs:,} random seeds ended with {ended}"


def part(goal: int, share: float) -> int:
    return max(20, round(goal * share))


FIGURES = (
    Figure("G4", "correlation of noise and time below 0.02 over 30,000 calls", lambda share: timing(30_000)),
    Figure("G6", "4 of 4 distinct in 100 repetitions", lambda share: copies(max(2, round(100 * share)))),
    Figure(
        "G8",
        "one changed line moves at most 1 record, 0 exceptions, 10^5 files",
        lambda share: lines(part(100_000, share)),
    ),
    Figure("G9", "0 hits of a canary in anything visible, all flags", lambda share: canaries()),
    Figure(
        "G10",
        "end code, stderr and shape alike on neighbours, 10^5 pairs",
        lambda share: alike(part(100_000, share)),
    ),
    Figure("G11", "0 overspent in 160,000 racing requests", lambda share: race(16, max(5, round(10_000 * share)))),
    Figure("G11", "0 of 1,000 kills leave a release without entry", lambda share: kills(part(1000, share))),
    Figure("G12", "every broken rule caught, nothing beyond its claim in 20,000 random programs", rules),
    Figure("G16", "0 crashes in 10^7 texts, at most 1 s each", lambda share: fuzz(part(10_000_000, share))),
)


def share_of(text: str) -> float:
    share = float(text)
    if not 0 < share <= 1:
        raise ValueError
    return share


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.security_figures",
        description="What the attacks and the falsifier measure, each beside its goal and its command.",
    )
    parser.add_argument(
        "share",
        metavar="SHARE",
        nargs="?",
        type=share_of,
        default=0.01,
        help="of the goals' own counts, at most 1, which takes hours; 0.01 by default, which takes minutes",
    )
    names = tuple(dict.fromkeys(figure.name for figure in FIGURES))
    parser.add_argument(
        "--only", nargs="+", choices=names, default=names, metavar="FIGURE", help=f"of {', '.join(names)}"
    )
    given = parser.parse_args()
    for figure in FIGURES:
        if figure.name in given.only:
            figure.show(given.share)


if __name__ == "__main__":
    main()
