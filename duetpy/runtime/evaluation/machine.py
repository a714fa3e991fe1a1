"""The state of one evaluation: the engine, what is remembered, and the frames in which expressions are evaluated.

Contract. A `Frame` belongs to one activation of a function or one row body: it maps names to values. A row body runs in a frame
with *lanes*: its row is bound to a value with one lane for each row of a block, and evaluating the body once gives the result of
every row. Where a body cannot be evaluated so (lanes that differ in shape), it is evaluated row by row; the results are the same.

Evaluation is pure, so a form that is given the very same objects as the last time returns the same result: loops compute
what does not change once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from pickle import PicklingError
from typing import Any, TypeAlias

from attrs import define, evolve, field

from duetpy.depth import Levels
from duetpy.runtime.engines import Engine, SerialEngine
from duetpy.runtime.evaluation.foreign import Library
from duetpy.runtime.evaluation.loop_invariants import Hoisting
from duetpy.runtime.evaluation.rows import ROWS_AT_ONCE
from duetpy.runtime.values.memory import BYTES_TOGETHER
from duetpy.runtime.values.statics import KindScope, Static
from duetpy.runtime.values.values import MatrixValue, Value
from duetpy.typecheck import core
from duetpy.typecheck.captures import Captures
from duetpy.typecheck.check import Typed
from duetpy.typecheck.quantity import KindVar


@define(eq=False, repr=False)
class Frame:
    """Names in scope, static numbers in scope, and the number of lanes (None outside of row bodies)."""

    names: dict[str, Value]
    kinds: KindScope
    lanes: int | None = None

    def forget(self, names: Iterable[str]) -> None:
        """Let go of values that the rest of the body does not see. Names are unique, so none stands for another value before."""
        for name in names:
            self.names.pop(name, None)


SHALLOW = Levels(20)
"""For a machine that is not told which program it evaluates."""


@define(eq=False, repr=False)
class Machine:
    """One evaluation.

    Parameters
    ----------
    expression
        What evaluates an expression (`duetpy.runtime.evaluation.evaluate.expression`).
    engine
        What runs folds over tables.
    block_rows
        Rows a block at most. It changes the speed, never a result.
    foreign
        The functions in Python that the program names.
    is_for_nobody
        Whether what is evaluated is a row that nobody has: foreign functions are not called for it.
    levels
        How deep the expressions of the program nest: a function may be called, or a row body entered, at any level.
    bodies
        How many bytes the body of a form holds at most in one lane, where that is known (`duetpy.runtime.release.footprint`).
    hoistings
        The bodies of folds, each taken apart once: expressions that are made for each row, or in each iteration, would all be kept.
    """

    expression: Evaluate = field(kw_only=True)
    engine: Engine = field(factory=SerialEngine)
    block_rows: int = ROWS_AT_ONCE
    foreign: Library = field(factory=Library)
    is_for_nobody: bool = False
    levels: Levels = SHALLOW
    captures: Captures = field(factory=Captures)
    bodies: Mapping[core.Node, int] = field(factory=dict)
    hoistings: dict[core.Fold, Hoisting] = field(factory=dict)
    _last: dict[Hashable, tuple[tuple[object, ...], Value]] = field(factory=dict, init=False)

    def __reduce__(self) -> tuple[Callable[..., Machine], tuple[Any, ...]]:
        """A machine as it is sent to where rows are: without what it remembers, and without an engine. Foreign code was trusted
        here, and runs nowhere else."""
        if self.foreign.functions:
            raise PicklingError("foreign code is not sent")
        large = {node: count for node, count in self.bodies.items() if count > BYTES_TOGETHER}
        return _received, (self.expression, self.block_rows, self.is_for_nobody, self.levels, large)

    def value(self, node: core.Expression, frame: Frame) -> Value:
        """The value of an expression in a frame."""
        return self.expression(self, node, frame)

    def within_a_block(self) -> Machine:
        """The machine for row bodies: an engine's worker must not wait for its own engine."""
        return evolve(self, engine=SerialEngine())

    def for_nobody(self) -> Machine:
        """The machine for rows that nobody has (`duetpy.runtime.values.empty_batch`)."""
        return self if self.is_for_nobody else evolve(self, engine=SerialEngine(), is_for_nobody=True)

    def captured(self, node: core.Node, frame: Frame) -> dict[str, Value]:
        """The values of the outer names that a function mentions."""
        return {name: frame.names[name] for name in self.captures.of(node) if name in frame.names}

    def seen_by_rows(self, body: core.Node, frame: Frame, *bound: str) -> dict[str, Value]:
        """The values of the outer names that a row body mentions. Tables are made before, and not by the workers for each block."""
        free = self.captures.body(body, *bound)
        found = {name: frame.names[name] for name in free if name in frame.names}
        for value in found.values():
            if isinstance(value, MatrixValue):
                value.settle()
        return found

    def hoisting(self, node: core.Fold) -> Hoisting:
        """The body of a fold, taken apart."""
        known = self.hoistings.get(node)
        return known or self.hoistings.setdefault(node, Hoisting(node.state, node.row, self.captures, node.body))

    def entered(self, scope: KindScope, own: Mapping[KindVar, Static]) -> KindScope:
        """The scope inside a function whose kind variables have been given numbers.

        What the function demands of them was decided before the program was entered: a call demands it of its own place, and so
        up to the program (`duetpy.typecheck.conditions`).
        """
        return scope.extended(own)

    def last(self, form: Hashable, inputs: tuple[object, ...]) -> Value | None:
        """The result of a form, or of a form with certain numbers, on the same objects, if those were its last."""
        known = self._last.get(form)
        if known is None or len(known[0]) != len(inputs):
            return None
        same = all(before is now for before, now in zip(known[0], inputs, strict=True))
        return known[1] if same else None

    def knows(self, node: core.Node, source: object) -> bool:
        """Whether the last result of a form was of this object too, whatever else it depended on."""
        known = self._last.get(node)
        return known is not None and any(before is source for before in known[0])

    def keep(self, form: Hashable, inputs: tuple[object, ...], result: Value) -> Value:
        """Remember the result of a form, with its inputs, so that their identities stay theirs."""
        self._last[form] = (inputs, result)
        return result


Evaluate: TypeAlias = Callable[[Machine, core.Expression, Frame], Value]


def machine_for(
    typed: Typed,
    expression: Evaluate,
    engine: Engine,
    foreign: Library,
    *,
    block_rows: int = ROWS_AT_ONCE,
    bodies: Mapping[core.Node, int] | None = None,
) -> Machine:
    """The machine that evaluates a program."""
    return Machine(
        expression=expression,
        engine=engine,
        block_rows=block_rows,
        foreign=foreign,
        levels=Levels(typed.height),
        captures=typed.captures.copy(),
        bodies={} if bodies is None else bodies,
    )


def _received(
    expression: Evaluate,
    block_rows: int,
    is_for_nobody: bool,
    levels: Levels,
    bodies: Mapping[core.Node, int],
) -> Machine:
    return Machine(
        expression=expression, block_rows=block_rows, is_for_nobody=is_for_nobody, levels=levels, bodies=bodies
    )
