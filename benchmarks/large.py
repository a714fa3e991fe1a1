"""Programs on a table that no memory holds: the rows are made when they are asked for, or read from Parquet, and none is kept.

    python -m benchmarks.large [--rows N] [--engine ENGINE …] [--parquet FOLDER] [--turns K]

Prints, for each program and engine, seconds of the processor and of the clock, the peak of memory above what the process held
before the run, and a digest of the result without noise, which is the same whatever computes it.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from attrs import field, frozen

import duetpy
from benchmarks.worker import in_memory

COLUMNS = 10
BLOCK_ROWS = 1 << 18
TURNS = 10
"""Of gradient descent."""

HEAD = f"pλ . xs : 𝕄 [L∞, U | ★, {COLUMNS}⋅𝔻] ⇒ "
PROGRAMS = {
    "mean": HEAD
    + "total ← laplace[auto, 1.0] <xs> { mfold-row 0.0, xs { t, r ⇒ t + clip[0.0, 1.0] (r#[0, 0]) } } ; "
    + "n ← laplace[auto, 1.0] <xs> { real (rows xs) } ; return total / n",
    "histogram": HEAD
    + f"parallel[xs, ℘{{{', '.join(f'{at}.0' for at in range(20))}}}] {{ r ⇒ floor (20.0 ⋅ r#[0, 0]) }} {{ bin, part ⇒ "
    + "laplace[auto, 1.0] <part> { real (rows part) } }",
    "descent": (
        f"pλ m : ℕ, k : ℕ . ⟨xs : 𝕄 [L∞, U | m, {COLUMNS}⋅𝔻], ys : 𝕄 [L∞, U | m, 1⋅𝔻]⟩, k : ℕ[k] ⇒ "
        "let start = mcreate[L∞ | ℕ[1], cols xs] { i, j ⇒ 0.0 } in loop k on start <xs, ys> { step, θ ⇒ "
        "gradient ← mgauss[auto, 0.05] <xs, ys> { ∇[LR | θ ; mclip[L2] xs, ys] } ; "
        "return mmap θ, gradient { weight, slope ⇒ weight - slope } }"
    ),
}


@frozen
class Rows:
    """A run of rows, made from its number alone."""

    start: int
    rows: int
    columns: Sequence[str]

    def read(self) -> Mapping[str, object]:
        made = np.random.default_rng(self.start).random((COLUMNS, self.rows))
        labels = np.where(made[0] + made[1] > 1.0, 1.0, -1.0)
        return {name: labels if name == "label" else made[int(name[1:])] for name in self.columns}


@frozen
class Synthetic:
    """So many rows of uniform numbers, and a label."""

    rows: int
    identity: str = "nobody"
    is_repeatable: bool = True
    schema: Mapping[str, str] = field(
        default=MappingProxyType({"label": "number"} | {f"x{at}": "number" for at in range(COLUMNS)})
    )

    def blocks(self, columns: Sequence[str]) -> Iterator[Rows]:
        for start in range(0, self.rows, BLOCK_ROWS):
            yield Rows(start, min(BLOCK_ROWS, self.rows - start), columns)


def written(folder: Path, rows: int) -> Path:
    """The same rows in a Parquet file, which is written unless it is there."""
    from pyarrow import RecordBatch, parquet

    path = folder / f"{rows}.parquet"
    if not path.exists():
        source = Synthetic(rows)
        blocks = (RecordBatch.from_pydict(dict(each.read())) for each in source.blocks([*source.schema]))
        first = next(blocks)
        with parquet.ParquetWriter(path, first.schema) as writer:
            for block in chain([first], blocks):
                writer.write_batch(block)
    return path


def arguments(program: str, source: str, turns: int) -> dict[str, Any]:
    features = ",".join(f"x{at}" for at in range(COLUMNS))
    return {"xs": f"{source}:{features}"} | ({"ys": f"{source}:label", "k": turns} if program == "descent" else {})


def opened() -> None:
    """Register the rows as a source."""
    duetpy.register_source("synthetic:", lambda name: Synthetic(int(name.partition(":")[2])))


def result(program: str, source: str, engine: str, *, turns: int = TURNS, stream: bool = True) -> Any:
    """What a program releases without noise."""
    checked = duetpy.parse(PROGRAMS[program], notion="zcdp" if program == "descent" else "eps").check()
    return checked.run(
        **arguments(program, source, turns), _stream=stream, _insecure_noise="none", _engine=engine
    ).result


def measured(program: str, source: str, engine: str, turns: int) -> dict[str, Any]:
    """One run, in a process of its own."""
    opened()
    result(program, "synthetic:1000", engine)
    held = in_memory(peak=False)
    clock, processor = time.perf_counter(), time.process_time()
    found = result(program, source, engine, turns=turns)
    took = (time.process_time() - processor, time.perf_counter() - clock)
    most = in_memory(peak=True)
    digest = sha256(repr(found).encode()).hexdigest()[:12]
    return {"cpu": took[0], "wall": took[1], "bytes": most - held, "held": held, "digest": digest}


def apart(program: str, source: str, engine: str, turns: int = TURNS) -> dict[str, Any]:
    """`measured` in a new process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as other:
        return other.submit(measured, program, source, engine, turns).result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10**6)
    parser.add_argument("--engine", nargs="+", default=["threads"])
    parser.add_argument("--parquet", type=Path, metavar="FOLDER")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=[*PROGRAMS])
    parser.add_argument("--turns", type=int, metavar="K", default=TURNS)
    chosen = parser.parse_args()
    print(
        f"{chosen.rows:,} rows × {COLUMNS} columns, {8e-6 * chosen.rows * COLUMNS:,.0f} MB as doubles; {os.cpu_count()} processors"
    )
    source = f"synthetic:{chosen.rows}" if chosen.parquet is None else str(written(chosen.parquet, chosen.rows))
    for program in chosen.only:
        for engine in chosen.engine:
            found = apart(program, source, engine, chosen.turns)
            memory = f"{found['bytes'] / 1e6:,.0f} MB above {found['held'] / 1e6:,.0f}"
            print(
                f"{program:10} {engine:8} {found['cpu']:8.1f} s CPU {found['wall']:8.1f} s {memory:22} {found['digest']}",
                flush=True,
            )


if __name__ == "__main__":
    main()
