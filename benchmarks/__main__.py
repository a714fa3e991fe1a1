"""How fast duetpy is, as ratios: against NumPy written by hand, against other libraries, and as programs grow.

    make bench        or        python -m benchmarks [--scale tiny|usual|full] [--only WORD …] [--rounds N] [--json]
    make bench-peers            the other libraries, in .venv-peers

Each line names its goal. Nothing here is asserted by tests but that contenders compute the same.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import frozen

from benchmarks import growth
from benchmarks.measure import Line, by_cores, measured
from benchmarks.table import LEGEND, as_json, described, machine, table
from benchmarks.tasks import TASKS

PEERS = Path(__file__).parents[1] / ".venv-peers" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

NAMES = (*(task.name for task in TASKS), "cores", "check", "price", "start-up")

DESCENT = [task for task in TASKS if task.by_hand == "descent"]


@frozen
class Chosen:
    """What the command line asks for."""

    scale: str
    only: tuple[str, ...]
    rounds: int | None
    python_of_peers: str | None

    def takes(self, name: str) -> bool:
        return not self.only or any(is_meant(word, name) for word in self.only)


def is_meant(word: str, name: str) -> bool:
    return word.lower() in name.lower()


def lines(chosen: Chosen) -> Iterator[Line]:
    """Every line that is asked for, as soon as it is measured."""
    found: dict[str, Line] = {}
    for task in TASKS:
        if chosen.takes(task.name):
            found[task.name] = measured(task, chosen.scale, chosen.python_of_peers, chosen.rounds)
            yield found[task.name]
    yield from grown(found, chosen.scale)
    if chosen.takes("cores"):
        yield by_cores(DESCENT[1], chosen.scale, chosen.rounds or 2)
    if chosen.takes("check"):
        yield from growth.families(chosen.rounds or 2, chosen.scale == "full")
    if chosen.takes("price"):
        yield from growth.prices(chosen.rounds or 5)
    if chosen.takes("start-up"):
        yield growth.start_up(chosen.rounds or 10)


def grown(found: Mapping[str, Line], scale: str) -> Iterator[Line]:
    """How a turn of gradient descent grows with rows and with columns, from lines that are measured."""
    for word, small, large in (("rows", *DESCENT[:2]), ("columns", *DESCENT[1:])):
        before, after = (found[task.name].turn if task.name in found else None for task in (small, large))
        if before is not None and after is not None and scale != "tiny":
            sizes = [getattr(task.size(scale), word) for task in (small, large)]
            power = math.log(after / before) / math.log(sizes[1] / sizes[0])
            yield Line(f"a turn from {sizes[0]:,} to {sizes[1]:,} {word}", cpu=after, note=f"grows as n^{power:.1f}")


def chosen(words: list[str] | None = None) -> tuple[Chosen, bool]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="How fast duetpy is, as ratios.")
    parser.add_argument(
        "--scale", choices=("tiny", "usual", "full"), default="usual", help="tiny tries everything once"
    )
    parser.add_argument("--only", nargs="+", metavar="WORD", default=[], help="tasks whose name has one of these words")
    parser.add_argument("--rounds", type=int, help="how often everybody is timed")
    parser.add_argument(
        "--peers", metavar="PYTHON", help=f"the interpreter that has the peers; by default {PEERS.parent}"
    )
    parser.add_argument("--json", action="store_true", help="all that was measured, and the machine")
    given = parser.parse_args(words)
    if given.rounds is not None and given.rounds < 1:
        parser.error("--rounds is at least 1")
    for word in given.only:
        if not any(is_meant(word, name) for name in NAMES):
            parser.error(f"no task has {word!r} in its name: {', '.join(NAMES)}")
    if given.peers is not None and not Path(given.peers).exists():
        parser.error(f"there is no {given.peers}: make bench-peers makes .venv-peers")
    python = given.peers or (str(PEERS) if PEERS.exists() else None)
    return Chosen(given.scale, tuple(given.only), given.rounds, python), given.json


def main() -> None:
    wanted, is_json = chosen()
    facts = machine()
    found = []
    for line in lines(wanted):
        found.append(line)
        if sys.stderr.isatty():
            print(f"\r\033[K{len(found)} lines; {line.title}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    if is_json:
        print(json.dumps(as_json(found, facts), ensure_ascii=False, indent=1))
    else:
        print(described(facts), LEGEND, "", table(found), sep="\n")


if __name__ == "__main__":
    main()
