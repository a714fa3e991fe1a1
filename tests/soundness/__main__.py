"""``python -m tests.soundness [COUNT] [--from SEED]``: random whole programs, and how often each rule was used.

Every failure is printed, when it is found, with the seed that makes its program again; ``1 --from SEED`` runs that one alone.
The exit code says whether anything failed, or any rule was never used.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from multiprocessing import Pool
from time import monotonic

from tests.soundness.coverage import PAGE, page, rows, table, untried
from tests.soundness.whole import Outcome, examined
from tests.soundness.whole_keys import examined_keys
from tests.soundness.whole_private import examined_functions, examined_private, examined_sampling

COUNT = 20_000
ENOUGH = 5_000
"""So many programs must use every rule; fewer may miss some."""
SHOWN = 10
KINDS = (
    ("sensitivity", examined, 1),
    ("privacy", examined_private, 4),
    ("functions", examined_functions, 8),
    ("sampling", examined_sampling, 20),
    ("keys", examined_keys, 20),
)
"""What is made of a seed, and one of how many seeds makes it."""


def everything_of(seed: int, alone: bool = False) -> list[tuple[str, Outcome]]:
    """All that is made of a seed."""
    return [(kind, kept(examine, seed)) for kind, examine, every in KINDS if alone or seed % every == 0]


def kept(examine: Callable[[int], Outcome], seed: int) -> Outcome:
    """What became of one program; an exception is a failure of its seed, and the others go on."""
    try:
        return examine(seed)
    except Exception:
        return Outcome(seed, failures=[f"raises\n{traceback.format_exc()}"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soundness", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=COUNT)
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="SEED")
    parser.add_argument("--write", action="store_true", help="write docs/coverage.md")
    given = parser.parse_args()
    started = monotonic()
    told: Counter[str] = Counter()
    fired: Counter[str] = Counter()
    failures: list[tuple[str, Outcome]] = []
    seeds = range(given.first, given.first + given.count)
    with Pool() as pool:
        for outcomes in pool.imap_unordered(partial(everything_of, alone=given.count == 1), seeds, chunksize=20):
            for kind, outcome in outcomes:
                told += outcome.told
                fired += outcome.fired
                if outcome.failures:
                    failures.append((kind, outcome))
                    shown = outcome.failures[0] if len(failures) <= SHOWN else "…"
                    print(f"{kind} seed {outcome.seed} FAILS: {shown}\n", flush=True)
    ran = f"{len(failures):9,} failures; seeds {seeds[0]} to {seeds[-1]}, {monotonic() - started:.0f} s"
    lines = [*table(fired), "", *(f"{times:9,} {what}" for what, times in sorted(told.items())), ran]
    print("\n".join(lines))
    if given.write:
        PAGE.write_text(page(lines, given.count), encoding="utf-8")
    unused = [rule for times, rule, _ in rows(fired) if not times] + [f"all of {page}" for page in untried()]
    if unused and given.count >= ENOUGH:
        print("never used:", *unused, sep="\n          ")
    return 1 if failures or (unused and given.count >= ENOUGH) else 0


if __name__ == "__main__":
    sys.exit(main())
