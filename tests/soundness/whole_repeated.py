"""One random program that calls functions again and again: what its runs draw noise for.

* Written with functions or without, with tables that are kept or read again for each pass, it adds noise of the same scale to the
  same numbers.
* On neighbours, the numbers are no further apart than the scale of the noise allows for what is claimed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import duetpy
from duetpy.runtime.release.run import run
from duetpy.typecheck.check import Typed
from duetpy.typecheck.notions import Notion
from tests.soundness.falsify import check
from tests.soundness.generate_repeated import KEYS, random_repeating_program
from tests.soundness.intercepted import Draw, intercepted, lost
from tests.soundness.whole import Outcome
from tests.soundness.whole_private import claim_of, exceeds

CELLS = (0.0, 0.25, -0.25, 1.0, 2.5, 3.0, -4.0, 7.5, 100.0, -1e6, 1e6)
MOST_ROWS = 5

Rows = Sequence[tuple[object, ...]]


def row(source: random.Random, *, keyed: bool) -> tuple[object, ...]:
    return (source.choice(CELLS), source.choice(CELLS), *([source.choice(KEYS)] if keyed else ()))


def tables(source: random.Random, rows: int | None) -> dict[str, list[tuple[object, ...]]]:
    return {
        name: [row(source, keyed=name == "ks") for _ in range(rows or source.randrange(MOST_ROWS + 1))]
        for name in ("xs", "ys", "ks")
    }


def neighbour(source: random.Random, given: Mapping[str, Rows], name: str, *, numbered: bool) -> dict[str, Rows]:
    """The tables with a row more in one of them, or another row in the place of one."""
    changed = list(given[name])
    at = source.randrange(len(changed) + (not numbered))
    changed[at : at + numbered] = [row(source, keyed=name == "ks")]
    return {**given, name: changed}


def drawn(typed: Typed, given: Mapping[str, Rows], folder: Path, *, streams: bool) -> list[Draw]:
    """What a run draws."""
    for name, rows in given.items():
        lines = [["a", "b", "k"][: 3 if name == "ks" else 2], *rows]
        text = "".join(",".join(map(str, line)) + "\n" for line in lines)
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    paths = {name: folder / f"{name}.csv" for name in given}
    with intercepted() as found:
        run(typed, paths, {}, header="yes", on_bad_row="default", insecure_noise=1, stream=streams)
    return found


def examined_repeated(seed: int, folder: Path) -> Outcome:
    outcome = Outcome(seed)
    source = random.Random(seed)
    ways = random_repeating_program(seed)
    called, inlined = check(ways.called, Notion.PURE), check(ways.inlined, Notion.PURE)
    if not (called.ok and inlined.ok):
        outcome.failures.append(f"refused\n{ways.called}\n{ways.inlined}")
        return outcome
    claim = claim_of(called, ways.called)
    assert claim is not None
    numbered = claim.function.parameters[0].type.rows is not None
    before = tables(source, 4 if numbered else None)
    first = drawn(called, before, folder, streams=False)
    outcome.told["draws"] += len(first)
    for what, other in (
        ("read again for each pass", drawn(called, before, folder, streams=True)),
        ("without functions", drawn(inlined, before, folder, streams=False)),
        ("without functions, read again for each pass", drawn(inlined, before, folder, streams=True)),
    ):
        if other != first:
            outcome.failures.append(f"{what}: {other}\nfor {first}\n{ways.called}\n{ways.inlined}\n{before}")
    for members, budget in claim.units:
        name = claim.function.parameters[members[0]].name
        after = neighbour(source, before, name, numbered=numbered)
        for streams in (False, True):
            second = drawn(called, after, folder, streams=streams)
            spent = lost(first, second)
            outcome.told["pairs"] += 1
            if exceeds(spent, budget.evaluate({}, up=True)):
                outcome.failures.append(f"{spent} is lost, {budget.show()} claimed\n{ways.called}\n{before}\n{after}")
    return outcome
