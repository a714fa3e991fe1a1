"""The state of one evaluation: the program's tables, the engine, and the frames in which expressions are evaluated.

Contract. A `Frame` belongs to one activation of a function or one row body: it maps names to values and is entered and left
like a stack. A row body runs in a frame with *lanes*: its row is bound to a value with one lane for each row of a block,
and evaluating the body once gives the result of every row. Where a body cannot be evaluated so (lanes that differ in
shape), it is evaluated row by row; the results are the same.

Evaluation is pure, so a form that is given the very same objects as the last time returns the same result: loops compute
what does not change once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from attrs import define, evolve, field

from duetpy.grammar import ast
from duetpy.interp.captures import Captures
from duetpy.interp.engines import Engine, SerialEngine
from duetpy.interp.foreign import Library
from duetpy.interp.gradient import BLOCK
from duetpy.interp.promises import check_promises
from duetpy.interp.scope import KindScope, check_kinds, check_obligations
from duetpy.interp.values import Value
from duetpy.source import Span
from duetpy.typecheck.core import Annotations
from duetpy.typecheck.judged import Obligation
from duetpy.typecheck.promises import Promise
from duetpy.typecheck.quantity import KindVar


@define(eq=False, repr=False)
class Frame:
    """Names in scope, static numbers in scope, and the number of lanes (None outside of row bodies)."""

    names: dict[str, Value]
    kinds: KindScope
    lanes: int | None = None

    def push(self, name: str, value: Value) -> Value | None:
        """Bind a name; returns what `pop` wants back."""
        saved = self.names.get(name)
        self.names[name] = value
        return saved

    def pop(self, name: str, saved: Value | None) -> None:
        """Undo a `push`."""
        if saved is None:
            del self.names[name]
        else:
            self.names[name] = saved


@define(eq=False, repr=False)
class Machine:
    """One evaluation.

    Parameters
    ----------
    annotations
        The checker's tables.
    obligations
        Side conditions; those on the kind variables of inner functions are verified when these are entered.
    engine
        What runs folds over tables.
    block_rows
        Rows a block. It changes the speed, never a result.
    foreign
        The functions in Python that the program names.
    promises
        What privacy functions promise; those over the kind variables of inner functions are verified when these are entered.
    is_for_nobody
        Whether what is evaluated is a row that nobody has: foreign functions are not called for it.
    """

    annotations: Annotations
    obligations: tuple[Obligation, ...] = ()
    engine: Engine = field(factory=SerialEngine)
    block_rows: int = BLOCK
    foreign: Library = field(factory=Library)
    promises: tuple[Promise, ...] = ()
    is_for_nobody: bool = False
    captures: Captures = field(factory=Captures)
    _by_variable: dict[KindVar, list[Obligation]] | None = field(default=None, init=False)
    _last: dict[ast.Node, tuple[tuple[object, ...], Value]] = field(factory=dict, init=False)

    def within_a_block(self) -> Machine:
        """The machine for row bodies: an engine's worker must not wait for its own engine."""
        return evolve(self, engine=SerialEngine())

    def for_nobody(self) -> Machine:
        """The machine for rows that nobody has (`duetpy.interp.nobody`)."""
        return self if self.is_for_nobody else evolve(self, engine=SerialEngine(), is_for_nobody=True)

    def captured(self, node: ast.Node, frame: Frame, *bound: str) -> dict[str, Value]:
        """The values of the outer names that a body mentions."""
        free = self.captures.body(node, *bound)
        return {name: frame.names[name] for name in free if name in frame.names}

    def entered(self, scope: KindScope, own: Mapping[KindVar, Fraction], span: Span | None) -> KindScope:
        """The scope inside a function whose kind variables have been given numbers, once they are verified."""
        check_kinds(own, span)
        inside = scope.extended(own)
        if own:
            check_obligations(self._about(own, inside.numbers), inside.numbers)
            check_promises([each for each in self.promises if not each.variables().isdisjoint(own)], inside.numbers)
        return inside

    def _about(self, own: Mapping[KindVar, Fraction], known: Mapping[KindVar, Fraction]) -> Iterable[Obligation]:
        if self._by_variable is None:
            self._by_variable = {}
            for obligation in self.obligations:
                for variable in obligation.left.variables() | obligation.right.variables():
                    self._by_variable.setdefault(variable, []).append(obligation)
        for variable in own:
            for obligation in self._by_variable.get(variable, ()):
                if all(each in known for each in obligation.left.variables() | obligation.right.variables()):
                    yield obligation

    def last(self, node: ast.Node, inputs: tuple[object, ...]) -> Value | None:
        """The result of a form on the same objects, if those were its last."""
        known = self._last.get(node)
        if known is None or len(known[0]) != len(inputs):
            return None
        same = all(before is now for before, now in zip(known[0], inputs, strict=True))
        return known[1] if same else None

    def keep(self, node: ast.Node, inputs: tuple[object, ...], result: Value) -> Value:
        """Remember the result of a form, with its inputs, so that their identities stay theirs."""
        self._last[node] = (inputs, result)
        return result
