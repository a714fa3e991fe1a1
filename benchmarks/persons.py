"""Programs on persons with many rows each, in a Parquet file that is made first.

    python -m benchmarks.persons [--persons N] [--rows K] [--stream]

Prints, for each program, seconds of the processor and of the clock, the peak of memory above what the process held before the
run, and the result without noise. Making the file is not measured. Lines are in no order of persons, as in a register of visits.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import duetpy
from benchmarks.worker import in_memory

TABLE = "people : persons[patient : 𝐝 ℕ | visits : 𝔻𝔽[dept : 𝕊, cost : 𝔻 in [0, 1000]]]"
PROGRAMS = {
    "count": f"pλ {TABLE} ⇒ dlaplace[1, 1.0] <people> {{ rows people }}",
    "cost of each": f"pλ {TABLE} ⇒ laplace[auto, 1.0] <people> {{ mfold-row 0.0, people {{ total, p ⇒ "
    "total + clip[0, 20000] (mfold-row (disc 0.0), p.visits { sum, visit ⇒ sum + visit.cost }) } }",
    "departments of each": f'pλ {TABLE} ⇒ parallel[people, ℘{{"A", "B", "C"}}] {{ p ⇒ mfold-row "", p.visits '
    "{ last, visit ⇒ visit.dept } } { dept, part ⇒ dlaplace[1, 1.0] <part> { rows part } }",
    "five visits": f"pλ {TABLE} ⇒ laplace[auto, 1.0] <people> {{ mfold-row 0.0, flat[5] people {{ p ⇒ p.visits }} "
    "{ total, visit ⇒ total + conv visit.cost } }",
}
LINES = 1 << 20


def make(file: Path, persons: int, rows: int) -> None:
    """So many lines, of persons in no order: each number is that of a person, rows times."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(0)
    owners = random.permutation(np.arange(persons * rows, dtype=np.int64) % persons)
    schema = pa.schema([("patient", pa.int64()), ("dept", pa.string()), ("cost", pa.float64())])
    with pq.ParquetWriter(file, schema) as writer:
        for start in range(0, len(owners), LINES):
            some = owners[start : start + LINES]
            depts = pa.array(["A", "B", "C"]).take(pa.array(random.integers(0, 3, len(some))))
            costs = np.round(random.random(len(some)) * 1000, 2)
            writer.write_table(pa.table([pa.array(some), depts, pa.array(costs)], schema=schema))


def measured(program: str, file: str, small: str, stream: bool) -> tuple[float, float, float, object]:
    """Seconds of the processor and of the clock, MB, and the result."""
    checked = duetpy.parse(PROGRAMS[program], name="p.eps.duet").check()
    # What is imported late is imported by a small run, and does not count.
    checked.run(visits=small, _stream=stream)
    before, clock, processor = in_memory(peak=False), time.perf_counter(), sum(os.times()[:4])
    result = checked.run(visits=file, _insecure_noise="none", _stream=stream).result
    peak = in_memory(peak=True) - before
    return sum(os.times()[:4]) - processor, time.perf_counter() - clock, peak / 1e6, result


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="programs on persons with many rows each")
    parser.add_argument("--persons", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=20, help="rows of each person")
    parser.add_argument("--stream", action="store_true", help="sort the lines on disk, and keep no row")
    parser.add_argument("programs", nargs="*", choices=[*PROGRAMS, []], default=[])
    given = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        file, small = Path(folder) / "visits.parquet", Path(folder) / "few.parquet"
        make(file, given.persons, given.rows)
        make(small, 10, 2)
        print(f"{given.persons:,} persons with {given.rows} rows each, {file.stat().st_size / 1e6:,.0f} MB")
        for program in given.programs or PROGRAMS:
            # A process of its own, whose peak of memory is that of the one run.
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                processor, clock, memory, result = pool.submit(
                    measured, program, str(file), str(small), given.stream
                ).result()
            print(f"{program:20} {processor:6.1f} s  {clock:6.1f} s  {memory:6,.0f} MB  {result}", flush=True)


if __name__ == "__main__":
    main()
