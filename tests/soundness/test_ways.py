"""Random programs have the same exact values however rows are gone over: together, one by one, in halves, in blocks of any size."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

from duetpy.grammar.pretty import show_expression
from duetpy.runtime.evaluation import row_bodies
from duetpy.runtime.evaluation.evaluate import applied, expression, own_numbers
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.evaluation.rows import ROWS_AT_ONCE
from duetpy.runtime.values import batch_size
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import Value
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from tests.effort import often
from tests.soundness.agreement import Drawer
from tests.soundness.evaluated import bound, can_be_given, inside
from tests.soundness.falsify import Kinds, Program, Refused, arguments_for, check_tree, claims, valuations
from tests.soundness.generate import random_program

WAYS: dict[str, tuple[str, int, int]] = {
    "one by one": ("one by one", ROWS_AT_ONCE, batch_size.MOST_AT_ONCE),
    "in halves": ("in halves", ROWS_AT_ONCE, batch_size.MOST_AT_ONCE),
    "a row a block": ("together", 1, batch_size.MOST_AT_ONCE),
    "room for one cell": ("together", ROWS_AT_ONCE, 1),
    "room for seven cells, two rows a block": ("together", 2, 7),
    "now so, now so": ("any", 3, 5),
}
"""How the lanes of a body are gone over, the rows of a block at most, and the cells of all lanes at most."""

in_lanes = row_bodies.in_lanes


def going(way: str, source: random.Random) -> Callable[..., Value]:
    def body(
        machine: Machine,
        node: core.Expression,
        frame: Frame,
        captured: dict[str, Value],
        bound: dict[str, Value],
        lanes: int,
    ) -> Value:
        chosen = source.choice(("together", "one by one", "in halves")) if way == "any" else way
        if not lanes or chosen == "together" or (chosen == "in halves" and lanes == 1):
            return in_lanes(machine, node, frame, captured, bound, lanes)
        with machine.levels:
            each = row_bodies.lane_by_lane if chosen == "one by one" else row_bodies.in_halves
            return each(machine, node, frame, {**captured, **bound}, lanes)

    return body


def computed(claim: Program, kinds: Kinds, arguments: list[Any], block_rows: int = ROWS_AT_ONCE) -> Any:
    """The value of a program as the evaluator computes it, exactly."""
    machine, scope = Machine(expression=expression, block_rows=block_rows), KindScope(dict(kinds))
    value = expression(machine, claim.typed.core, Frame({}, KindScope()))
    type_ = claim.typed.type
    for given in bound([(each.name, each.type) for each in claim.parameters], arguments, scope):
        assert isinstance(type_, t.Fun)
        if type_.kinds:
            value = evolve(value, given={**value.given, **own_numbers(value, type_.kinds, kinds)})
        type_ = type_.codomain
        value = applied(machine, value, given, None, claim.typed.core)
    return inside(value)


def drawn(seed: int) -> tuple[Program, Kinds, list[Any]] | None:
    """A random program with arguments; None where it is refused, or takes what cannot be given."""
    file = random_program(seed)
    assert file.body is not None
    try:
        claim = claims(check_tree(file), show_expression(file.body))
    except Refused:
        return None
    source = random.Random(seed)
    kinds = next(valuations(claim, source), None)
    if kinds is None or not all(can_be_given(parameter.type) for parameter in claim.parameters):
        return None
    drawer = Drawer(source, claim.landmarks)
    return claim, kinds, arguments_for(claim.at(kinds), drawer)


@pytest.mark.parametrize("way", WAYS)
def test_every_way_gives_the_same_values(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, block_rows, most = WAYS[way]
    ran = 0
    for seed in range(often(300, 120)):
        found = drawn(seed)
        if found is None:
            continue
        claim, kinds, arguments = found
        wanted = computed(claim, kinds, arguments)
        with monkeypatch.context() as patched:
            patched.setattr(row_bodies, "in_lanes", going(chosen, random.Random(seed)))
            patched.setattr(batch_size, "MOST_AT_ONCE", most)
            assert repr(computed(claim, kinds, arguments, block_rows)) == repr(wanted), claim.text
        ran += 1
    assert ran > 80
