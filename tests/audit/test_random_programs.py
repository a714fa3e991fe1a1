"""Random programs as they run, on neighbours, under frozen outputs, by every engine.

What mechanisms are given is recorded from the runtime itself, not from the definition that the falsifier evaluates. It may
move by the sensitivities that were proved, at most, and every engine must give the same numbers, to the last bit, however
rows are cut into blocks.
"""

from collections.abc import Callable
from functools import partial

import pytest

from duetpy import source
from duetpy.audit import replay
from duetpy.audit.cases import subject_of
from duetpy.audit.replayed import Replayed
from duetpy.diagnostics.error import DuetError
from duetpy.grammar.parser import parse_file
from duetpy.grammar.pretty import show_expression
from duetpy.runtime.engines import Block, Engine, Fold, SerialEngine, Source, Total
from duetpy.runtime.engines.threads import ThreadsEngine
from duetpy.runtime.evaluation.machine import machine_for
from duetpy.runtime.release import run as run_module
from tests.effort import often
from tests.engines.fakes import Packing, Shuffled
from tests.soundness.falsify import check_tree
from tests.soundness.generate_private import random_private_program
from tests.soundness.whole_private import notion_of

ENGINES: dict[str, tuple[Callable[[], Engine], int]] = {
    "serial": (SerialEngine, 8192),
    "one row a block": (SerialEngine, 1),
    "threads": (partial(ThreadsEngine, 2, blocks_a_batch=1), 1),
    "threads, odd blocks": (partial(ThreadsEngine, 3, blocks_a_batch=2), 2),
    "any order": (Shuffled, 2),
    "sent": (Packing, 3),
}
PAIRS = 6


def replayed(seed: int, engine: str, monkeypatch: pytest.MonkeyPatch) -> Replayed | None:
    """What a program's pairs gave; None where it is refused by the checker or of a form that no audit makes data for."""
    notion = notion_of(seed)
    drawn = random_private_program(seed, notion)
    assert drawn.body is not None
    # Read from its text, so that no two mechanisms stand at one place.
    file, _ = parse_file(source.Source("<text>", show_expression(drawn.body)))
    typed = check_tree(file, notion)
    if not typed.ok:
        return None
    make, rows = ENGINES[engine]
    monkeypatch.setattr(replay, "SerialEngine", make)
    monkeypatch.setattr(run_module, "machine_for", partial(machine_for, block_rows=rows))
    try:
        return replay.replay(subject_of(typed, {}), PAIRS, seed)
    except DuetError:
        return None


def examine(seeds: range, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of programs that ran; each by all engines."""
    ran = 0
    for seed in seeds:
        found = {engine: replayed(seed, engine, monkeypatch) for engine in ENGINES}
        first = found["serial"]
        if first is None:
            assert set(found.values()) == {None}
            continue
        for engine, other in found.items():
            assert other is not None
            assert not other.violations, (seed, engine, next(iter(other.violations.values())))
            assert (other.pairs, other.refused, other.furthest, other.share) == (
                first.pairs,
                first.refused,
                first.furthest,
                first.share,
            ), (seed, engine)
        ran += first.pairs > first.refused
    return ran


def test_random_programs_run_as_proved_by_every_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert examine(range(often(40, 12)), monkeypatch) > often(15, 2)


class Again(SerialEngine):
    """The control: the first block is absorbed twice."""

    def fold(self, source: Source[Block], fold: Fold[Total, Block]) -> Total:
        total = super().fold(source, fold)
        return fold.merge(total, fold.absorb(fold.zero(), next(iter(source.blocks())))) if source.rows else total


@pytest.mark.thorough("test_random_programs_run_as_proved_by_every_engine")
def test_an_engine_that_takes_a_row_twice_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENGINES, "again", (Again, 1))
    with pytest.raises(AssertionError, match="again"):
        examine(range(100), monkeypatch)


@pytest.mark.slow
def test_many_random_programs_run_as_proved_by_every_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert examine(range(30, 1000), monkeypatch) > 500
