"""``python -m tests.soundness [COUNT] [--from SEED]``: random whole programs, and how often each rule was used.

Every failure is printed with the seed that makes its program again; ``--from SEED 1`` runs that one alone. The exit code
says whether anything failed, or any rule was never used.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from multiprocessing import Pool
from time import monotonic

from tests.soundness.coverage import table
from tests.soundness.whole import Outcome, examined

COUNT = 20_000
ENOUGH = 5_000
"""So many programs must use every rule; fewer may miss some."""
SHOWN = 10


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soundness", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=COUNT)
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="SEED")
    given = parser.parse_args()
    started = monotonic()
    told: Counter[str] = Counter()
    fired: Counter[str] = Counter()
    failures: list[Outcome] = []
    with Pool() as pool:
        for outcome in pool.imap_unordered(examined, range(given.first, given.first + given.count), chunksize=20):
            told += outcome.told
            fired += outcome.fired
            if outcome.failures:
                failures.append(outcome)
    for outcome in sorted(failures, key=lambda failed: failed.seed)[:SHOWN]:
        print(f"seed {outcome.seed} FAILS: {outcome.failures[0]}\n")
    for line in table(fired):
        print(line)
    print()
    for what, times in sorted(told.items()):
        print(f"{times:9,} {what}")
    last = given.first + given.count - 1
    print(f"{len(failures):9,} failures; seeds {given.first} to {last}, {monotonic() - started:.0f} s")
    unused = [line for line in table(fired) if line.split()[0] == "0"]
    if unused and given.count >= ENOUGH:
        print(f"{len(unused)} rules were never used")
    return 1 if failures or (unused and given.count >= ENOUGH) else 0


if __name__ == "__main__":
    sys.exit(main())
