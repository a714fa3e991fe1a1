"""A watch over runs: after the side conditions of a program have been checked, none of a function inside it is broken, no static
number lacks a value, no static index lies outside, and no table is made that does not fit.

While a program is judged, the watch writes down what each function over kind variables demands of them. While it runs, that is
decided by plain arithmetic at the numbers that each call really puts in. How the checker carries conditions from a function to
where it is called plays no part in this, so that a condition that gets lost on its way is seen wherever data reaches it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from importlib import import_module
from typing import Any
from unittest.mock import patch

from attrs import Factory, define

from duetpy.accounting.guarantees import settle
from duetpy.diagnostics.error import DuetError
from duetpy.grammar import ast
from duetpy.runtime.evaluation import evaluate, tables
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.exact.rationals import Numbers, rounded
from duetpy.runtime.release import driver
from duetpy.runtime.release import run as running
from duetpy.runtime.values.batching import counted, lanes_in
from duetpy.runtime.values.memory import limits
from duetpy.runtime.values.statics import KindScope, Static
from duetpy.runtime.values.values import (
    Apart,
    Closure,
    Injected,
    InjectedLanes,
    MatrixValue,
    Missing,
    MissingLanes,
    PrivacyClosure,
    SetLanes,
    SetValue,
    Value,
)
from duetpy.source import Span
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.checker import Checker
from duetpy.typecheck.conditions import CELLS, FEW_CELLS, MACHINE, Condition, Promise, is_unreached
from duetpy.typecheck.judgement import Judged
from duetpy.typecheck.quantity import KindVar, Quantity
from tests.soundness import evaluated, run_private
from tests.soundness.falsify import Kinds, holds

# The files themselves: of one that nothing has used yet the package hands out a stand-in, in which nothing can be replaced.
functions, matrices = (import_module(f"duetpy.typecheck.rules.{name}") for name in ("functions", "matrices"))

MEMORY = 1 << 22
"""The bytes that tables may take in a watched run: little, so that programs can be made that need more."""


class Broken(AssertionError):
    """What was decided before the run does not hold while it runs."""


@define(eq=False)
class Watch:
    """What was demanded, and what of it was broken.

    Parameters
    ----------
    memory
        The bytes that tables may take.
    found
        By the kind variables of a function, as one judgement of it calls them: what it demands of them.
    judgements
        The kind variables of a function at each of its judgements: what stands in the text once may be judged several times.
    static_indices
        The indices whose value is static, or bounded by a static number.
    entered, asked
        How many functions were entered, and how many conditions were decided then.
    faults
        What is wrong, in words.
    """

    memory: int = MEMORY
    found: dict[tuple[KindVar, ...], list[Condition]] = Factory(dict)
    judgements: dict[ast.Node, list[tuple[KindVar, ...]]] = Factory(dict)
    static_indices: set[Span] = Factory(set)
    entered: int = 0
    asked: int = 0
    faults: list[str] = Factory(list)
    running: int = 0
    place: Any = None

    def fail(self, words: str) -> Broken:
        self.faults.append(words)
        return Broken(words)

    def permits(self, typed: Typed, kinds: Kinds) -> bool:
        """Whether a run at these numbers is entered: all that the program demands holds."""
        numbers = {**kinds, **limits(self.memory)}
        return all(
            each.variables() <= numbers.keys() and holds(each, numbers) for each in typed.obligations
        ) and not any(
            self._breaks(promise, kinds) for promise in typed.promises if not is_unreached(promise.under, kinds)
        )

    def enter(self, function: Closure | PrivacyClosure, given: Mapping[KindVar, Static]) -> None:
        """Decide what a function demands, at the numbers that it is called with."""
        binders = function.node.kinds
        if not binders:
            return
        self.entered += 1
        put_in = {**dict(function.kinds.items()), **given}
        numbers = {variable: _to_many_digits(number) for variable, number in put_in.items()} | limits(self.memory)
        judgements = next((known for known in self.judgements.values() if known[-1] == binders), [binders])
        broken = [why for kinds in judgements if (why := self._broken(kinds, binders, numbers)) is not None]
        if len(broken) == len(judgements):
            raise self.fail(broken[-1])

    def _broken(
        self, kinds: tuple[KindVar, ...], binders: tuple[KindVar, ...], numbers: Mapping[KindVar, Fraction]
    ) -> str | None:
        """A condition of one judgement that does not hold."""
        names = {
            old: Quantity.var(new) for old, new in zip(kinds, binders, strict=True) if old.kind is not ast.Kind.TYPE
        }
        for condition in self.found.get(kinds, []):
            if any(variable.kind is ast.Kind.TYPE for variable in condition.variables()):
                continue  # how large the values of a type are is seen where a table of them is made
            here = condition.substitute(names)
            self.asked += 1
            unknown = here.variables() - numbers.keys()
            if unknown:
                return f"{here.show()}: nothing says what {', '.join(sorted(v.name for v in unknown))} is"
            if isinstance(here, Promise):
                if not is_unreached(here.under, numbers) and self._breaks(here, numbers):
                    return f"the promise {here.show()} is broken"
            elif not holds(here, numbers):
                told = {v.name: str(numbers[v]) for v in here.variables()}
                return f"{here.show()} does not hold at {told}: {here.reason}"
        return None

    def _breaks(self, promise: Promise, numbers: Mapping[KindVar, Fraction]) -> bool:
        known = {variable: number for variable, number in numbers.items() if variable not in MACHINE}
        return bool(settle(promise, known)[1])

    def look_at_copies(self, value: Value) -> None:
        room, cells = limits(self.memory)[CELLS], cells_in(value)
        if cells > FEW_CELLS and cells > room:
            raise self.fail(f"a table that holds {cells} cells does not fit in {room}")

    def look_at_table(self, rows: int, width: int) -> None:
        """Look at one table. `duetpy.runtime.values.batch_size` bounds how many a body makes for its rows together."""
        room = limits(self.memory)[CELLS]
        if rows * width > FEW_CELLS and rows * width > room:
            raise self.fail(f"a table of {rows}·{width} cells does not fit in {room}")

    def look_at_place(self, node: core.Expression, index: Value, size: int) -> None:
        if node.span not in self.static_indices or not size:
            return
        most = float(rounded(index).max(initial=0.0)) if isinstance(index, Numbers) else index
        if not isinstance(most, int | float) or not 0 <= most < size:
            raise self.fail(f"the index {most} is not below {size}")


def _to_many_digits(number: Static) -> Fraction:
    return number if isinstance(number, Fraction) else Fraction(number.evaluate({}, up=True))


@contextmanager
def watched(memory: int = MEMORY) -> Iterator[Watch]:
    """The checker and the evaluator under a watch."""
    watch = Watch(memory)
    with ExitStack() as stack:
        for holder, name, wrapper in (
            (Checker, "abstracting", _abstracting),
            (functions, "sensitivity_function", _judged),
            (functions, "privacy_function", _judged),
            (matrices, "check_index", _check_index),
            *((holder, "applied", _applied) for holder in (evaluate, evaluated)),
            *((holder, "run_function", _run_function) for holder in (driver, running, run_private)),
            (KindScope, "_evaluated", _evaluated),
            (tables, "create", _create),
            (tables, "entry", _placed),
            (tables, "whole_row", _placed),
            (tables, "updated", _placed),
            (tables, "index", _in_place),
            (tables, "update", _in_place),
        ):
            stack.enter_context(patch.object(holder, name, wrapper(watch, getattr(holder, name))))
        yield watch


# ---------------------------------------------------------------------------------------------------------------------
# While a program is judged


def _abstracting(watch: Watch, original: Any) -> Any:
    @contextmanager
    def abstracting(checker: Checker, kinds: tuple[KindVar, ...]) -> Iterator[list[Condition]]:
        with original(checker, kinds) as found:
            yield found
        watch.found[kinds] = list(found)

    return abstracting


def _judged(watch: Watch, original: Any) -> Any:
    def judge(checker: Checker, node: ast.Lam | ast.PLam) -> Judged:
        judged = original(checker, node)
        watch.judgements.setdefault(node, []).append(tuple(checker.annotations.binders[node]))
        return judged

    return judge


def _check_index(watch: Watch, original: Any) -> Any:
    def check_index(checker: Checker, node: ast.SExp, judged: Judged, size: Quantity | None) -> None:
        if size is not None and isinstance(judged.type, t.StaticNat | t.Idx):
            watch.static_indices.add(node.span)
        original(checker, node, judged, size)

    return check_index


# ---------------------------------------------------------------------------------------------------------------------
# While it runs


def _applied(watch: Watch, original: Any) -> Any:
    def applied(machine: Machine, function: Value, argument: Value, lanes: int | None, node: core.Node) -> Value:
        if isinstance(function, Closure) and len(function.arguments) + 1 == len(function.node.params):
            watch.enter(function, function.given)
        watch.running += 1
        try:
            return original(machine, function, argument, lanes, node)
        finally:
            watch.running -= 1

    return applied


def _run_function(watch: Watch, original: Any) -> Any:
    def run_function(
        own: driver.Driver,
        function: PrivacyClosure,
        args: list[Value],
        given: dict[KindVar, Fraction],
        node: core.Node,
    ) -> Value:
        watch.enter(function, given)
        watch.running += 1
        try:
            return original(own, function, args, given, node)
        finally:
            watch.running -= 1

    return run_function


def _evaluated(watch: Watch, original: Any) -> Any:
    def evaluated(scope: KindScope, quantity: Quantity, up: bool, span: Any) -> Fraction:
        try:
            number: Fraction = original(scope, quantity, up, span)
        except DuetError as error:
            if watch.running:
                raise watch.fail(error.diagnostics[0].message) from None
            raise
        return number

    return evaluated


def _create(watch: Watch, original: Any) -> Any:
    def create(machine: Machine, node: core.MCreate, frame: Frame) -> Value:
        sizes = [evaluate.expression(machine, side, frame) for side in (node.rows, node.cols)]
        rows, width = sizes
        if isinstance(rows, int) and isinstance(width, int):
            watch.look_at_table(rows, width)
        made = original(machine, node, frame)
        if frame.lanes is None:
            watch.look_at_copies(made)
        return made

    return create


def cells_in(value: Value) -> int:
    """The cells of a value, those of tables in its cells included."""
    match value:
        case MatrixValue():
            if isinstance(value.store, Numbers):
                return math.prod(value.store.shape)
            return sum(map(cells_in, value.store))
        case Apart(several):
            return sum(map(cells_in, several))
        case tuple():
            return sum(map(cells_in, value))
        case SetLanes(elements):
            return sum(map(cells_in, elements))
        case SetValue(elements):
            return sum(map(cells_in, elements))
        case InjectedLanes(_, left, right):
            return cells_in(left) + cells_in(right)
        case Injected(_, held) | MissingLanes(_, held) | Missing(held):
            return cells_in(held)
        case Numbers():
            return math.prod(value.shape)
        case _:
            return counted(lanes_in(value))


def _placed(watch: Watch, original: Any) -> Any:
    """What takes an entry, a row or a changed cell: the last thing that its form does."""

    def placed(source: MatrixValue, row: Value, *more: Value) -> Value:
        watch.place = source, row, more[0] if more else None
        result: Value = original(source, row, *more)
        return result

    return placed


def _in_place(watch: Watch, original: Any) -> Any:
    def in_place(machine: Machine, node: core.Index | core.Update, frame: Frame) -> Value:
        result = original(machine, node, frame)
        source, row, column = watch.place
        watch.look_at_place(node.row, row, source.rows)
        if node.col is not None and column is not None:
            watch.look_at_place(node.col, column, source.width)
        return result

    return in_place
