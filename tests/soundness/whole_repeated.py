"""One random program that calls functions again and again: what its runs draw noise for.

* Written with functions or without, with tables that are kept or read again for each pass, it adds noise of the same scale to the
  same numbers.
* On neighbours, the numbers are no further apart than the scale of the noise allows for what is claimed.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from duetpy.depth import Levels
from duetpy.runtime.evaluation.evaluate import expression
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.noise.random_bits import InsecureBits
from duetpy.runtime.release.driver import Driver, run_function
from duetpy.runtime.release.mechanisms import Randomness
from duetpy.runtime.values.batching import slice_rows
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.streamed import streamed
from duetpy.runtime.values.values import MatrixValue, PrivacyClosure, Value
from duetpy.typecheck.notions import Notion
from tests.soundness.evaluated import bound, inside
from tests.soundness.falsify import check
from tests.soundness.generate_repeated import KEYS, random_repeating_program
from tests.soundness.intercepted import Draw, intercepted, lost
from tests.soundness.plain import Table
from tests.soundness.replay import Private
from tests.soundness.whole import Outcome
from tests.soundness.whole_private import claim_of, exceeds

CELLS = tuple(map(Fraction, (0, 0.25, -0.25, 1, 2.5, 3, -4, 7.5, 100, -1e6, 1e6)))
MOST_ROWS = 5
ROWS_AT_ONCE = 2
"""A block has so few rows that most tables have several."""

Tables = Mapping[str, Sequence[tuple[object, ...]]]


def row(source: random.Random, name: str) -> tuple[object, ...]:
    cells = (source.choice(CELLS), source.choice(CELLS))
    return (*cells, source.choice(KEYS)) if name == "ks" else cells


def tables(source: random.Random, rows: int | None) -> Tables:
    return {
        name: [row(source, name) for _ in range(source.randrange(MOST_ROWS + 1) if rows is None else rows)]
        for name in ("xs", "ys", "ks")
    }


def neighbour(source: random.Random, given: Tables, name: str, *, replaces: bool) -> Tables:
    """The tables with one row added to one of them, or with one row replaced."""
    changed = list(given[name])
    at = source.randrange(len(changed) + (not replaces))
    changed[at : at + replaces] = [row(source, name)]
    return {**given, name: changed}


def drawn(claim: Private, given: Tables, *, streams: bool) -> list[Draw]:
    """What a run draws noise for."""
    named = [each.name for each in claim.function.parameters]
    tables = [Table(tuple(given[name]), 3 if name == "ks" else 2) for name in named]
    return drawn_for(claim, tables, streams=streams)[0]


def drawn_for(
    claim: Private, arguments: Sequence[Any], *, streams: bool = False, outputs: int = 11
) -> tuple[list[Draw], Any]:
    """What a run on plain values draws noise for, and what it releases; `outputs` is the seed of what is drawn instead."""
    typed = claim.typed
    machine = Machine(
        expression=expression, block_rows=ROWS_AT_ONCE, levels=Levels(typed.height), captures=typed.captures.copy()
    )
    parameters = [(each.name, each.type) for each in claim.function.parameters]
    values = bound(parameters, arguments, KindScope())
    function = expression(machine, typed.core, Frame({}, KindScope()))
    assert isinstance(function, PrivacyClosure)
    driver = Driver(machine, Randomness(InsecureBits(1)))
    with intercepted(outputs) as found:
        shown = run_function(driver, function, [read_again(v) if streams else v for v in values], {}, function.node)
    return found, inside(shown)


def read_again(table: Value) -> MatrixValue:
    """A table that is read again for each pass, a row at a time."""
    assert isinstance(table, MatrixValue)
    pieces = [slice_rows(table, at, min(at + 1, table.rows)) for at in range(max(1, table.rows))]
    return streamed(lambda: iter(pieces), table.rows, slice_rows(table, 0, 0))


def examined_repeated(seed: int) -> Outcome:
    outcome = Outcome(seed)
    source = random.Random(seed)
    ways = random_repeating_program(seed)
    called, inlined = check(ways.called, Notion.PURE), check(ways.inlined, Notion.PURE)
    if not (called.ok and inlined.ok):
        outcome.failures.append(f"refused\n{ways.called}\n{ways.inlined}")
        return outcome
    claim, other_way = claim_of(called, ways.called), claim_of(inlined, ways.inlined)
    assert claim is not None
    assert other_way is not None
    before = tables(source, ways.rows)
    first = drawn(claim, before, streams=False)
    outcome.told["draws"] += len(first)
    for what, other in (
        ("read again for each pass", drawn(claim, before, streams=True)),
        ("without functions", drawn(other_way, before, streams=False)),
        ("without functions, read again for each pass", drawn(other_way, before, streams=True)),
    ):
        if other != first:
            outcome.failures.append(f"{what}: {other}\nfor {first}\n{ways.called}\n{ways.inlined}\n{before}")
    for members, budget in claim.units:
        name = claim.function.parameters[members[0]].name
        after = neighbour(source, before, name, replaces=ways.rows is not None)
        for streams in (False, True):
            second = drawn(claim, after, streams=streams)
            spent = lost(first, second)
            outcome.told["pairs"] += 1
            if exceeds(spent, budget.evaluate({}, up=True)):
                outcome.failures.append(f"{spent} is lost, {budget.show()} claimed\n{ways.called}\n{before}\n{after}")
    return outcome
