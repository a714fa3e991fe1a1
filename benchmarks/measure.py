"""The lines of the table: what was measured of a task, and whether it reaches its goal.

Load only adds time: the ratios that decide are those of the least times of all rounds, and the median and the range of the rounds
are listed next to them.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from attrs import field, frozen

from benchmarks.contest import Contender, Contest, contest, specification, started
from benchmarks.tasks import Task

MEMORY = 2.3
"""The largest peak, in sizes of the data as doubles."""

LARGE = 8 * 10**6
"""With fewer bytes of data the peak tells more of the program than of them."""


@frozen
class Line:
    """A line of the table. Seconds are of the processor unless they are called wall; None is not measured.

    Parameters
    ----------
    title
        The task with its size.
    cpu, wall
        The least time of a whole run.
    check, bind, turn
        Loading and checking; what a loop takes beyond its turns; and a turn, both None where load hides the turns.
    against
        The program that the ratios compare with.
    ratio, rounds, wall_ratio, turn_ratio
        Our time as a multiple of the best program's: the least, in each round, by the clock, of one turn.
    memory
        The peak above what the process held before it had data, in sizes of the data as doubles.
    peers
        Our time as a multiple of a library's, or why it was not measured.
    goal, reached
        The bar, and whether it was reached; None if this was not measured.
    """

    title: str
    cpu: float | None = None
    wall: float | None = None
    check: float | None = None
    bind: float | None = None
    turn: float | None = None
    against: str = ""
    ratio: float | None = None
    rounds: tuple[float, ...] = ()
    wall_ratio: float | None = None
    turn_ratio: float | None = None
    memory: float | None = None
    peers: Mapping[str, float | str] = field(factory=dict)
    goal: str = ""
    reached: bool | None = None
    note: str = ""
    versions: Mapping[str, str] = field(factory=dict)


def measured(task: Task, scale: str, python_of_peers: str | None, rounds: int | None = None) -> Line:
    """The line of a task; raises `Failed` if a program by hand does not compute the same."""
    size = task.size(scale)
    with tempfile.TemporaryDirectory() as name:
        try:
            with contest(task, size, Path(name), python_of_peers) as everybody:
                everybody.time(rounds or size.rounds)
                return line(everybody)
        except ImportError as error:
            return Line(task.shown(size), note=f"{error.name} is not installed")


def line(found: Contest) -> Line:
    task, size, ours, turns = found.task, found.size, found.ours, found.size.turns
    best = min(found.by_hand, key=lambda each: each.least(turns))
    ratio = ours.least(turns) / best.least(turns)
    peers = {name: against(ours, peer, turns) for name, peer in found.peers.items()}
    memory = ours.ask(do="memory")
    held = memory["held"] or 8 * size.rows * size.columns
    multiple = memory["bytes"] / held if task.memory else None
    goal, reached = judged(task, ratio, peers)
    if multiple is not None and held >= LARGE:
        reached = reached if reached is None else reached and multiple <= MEMORY
    turn = ours.a_turn(turns) if turns > 1 else None
    turns_by_hand = [took for each in found.by_hand if turns > 1 and (took := each.a_turn(turns)) is not None]
    # The first round is compared only with those who were timed in all of them.
    rivals = zip(*(each.cpu[turns] for each in found.by_hand), strict=True)
    return Line(
        title=task.shown(size),
        cpu=ours.least(turns),
        wall=min(ours.wall[turns]),
        check=min(ours.ask(do="check")["cpu"] for _ in range(3)),
        bind=None if turn is None else max(ours.least(1) - turn, 0.0),
        turn=turn,
        against=best.name,
        ratio=ratio,
        rounds=tuple(us / min(them) for us, them in zip(ours.cpu[turns], rivals, strict=True)),
        wall_ratio=min(ours.wall[turns]) / min(min(each.wall[turns]) for each in found.by_hand),
        turn_ratio=turn / min(turns_by_hand) if turn is not None and turns_by_hand else None,
        memory=multiple,
        peers=peers,
        goal=goal,
        reached=reached,
        versions={name: peer.version for name, peer in found.peers.items() if isinstance(peer, Contender)},
    )


def against(ours: Contender, peer: Contender | str, turns: int) -> float | str:
    return peer if isinstance(peer, str) else ours.least(turns) / peer.least(turns)


def judged(task: Task, ratio: float, peers: Mapping[str, float | str]) -> tuple[str, bool | None]:
    """The goal in words, and whether it is reached; None where the peer is not there."""
    found = ratio if task.goal.against == "numpy" else peers[task.goal.against]
    return f"≤ {task.goal.bar:g} {task.goal.against}", None if isinstance(found, str) else found <= task.goal.bar


def by_cores(task: Task, scale: str, rounds: int) -> Line:
    """What a second core saves."""
    size = task.size(scale)
    title = f"one core, then two: {task.shown(size)}"
    if not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2:
        return Line(title, note="cores cannot be chosen here")
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        spec = specification(task, size, Path(name)) | {"contender": "duetpy"}
        one, two = (stack.enter_context(started(spec | {"cores": cores}, f"{cores} cores")) for cores in (1, 2))
        for _ in range(rounds):
            one.time(size.turns)
            two.time(size.turns)
    cpu, wall = two.least(size.turns), min(two.wall[size.turns])
    saved, more = min(one.wall[size.turns]) / wall, cpu / one.least(size.turns)
    return Line(title, cpu=cpu, wall=wall, note=f"{saved:.2f}× as fast by the clock, {more:.2f}× the CPU time")
