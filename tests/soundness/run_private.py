"""Privacy programs as the driver runs them, with outputs in the place of noise: what its mechanisms were given.

The replay reads the rules' own meaning of a program; this reads what is run: annotations, closures, kinds found from values,
columns and batches. Both are given the same outputs, so both must add noise to the same numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import Factory, define

from duetpy.grammar import ast
from duetpy.runtime.evaluation.evaluate import expression
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.exact.rationals import plain
from duetpy.runtime.release.driver import Driver, run_function
from duetpy.runtime.release.mechanisms import Randomness
from duetpy.runtime.release.observer import Inputs, KeyCounts
from duetpy.runtime.values.batching import sort_key
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import MatrixValue, PrivacyClosure, SetValue, Value, numbers_of
from duetpy.typecheck import core
from duetpy.typecheck.annotations import ReleaseSite
from tests.soundness.evaluated import bound
from tests.soundness.falsify import Kinds
from tests.soundness.plain import Number
from tests.soundness.replay import KEYS, Call, Found, Private, Record, each_key

CHOICES = frozenset({"exponential", "noisy-max", "gibbs"})


@define(eq=False)
class Frozen:
    """Gives every mechanism an output, as the replay does, and keeps what noise would have been added to."""

    nodes: dict[int, ast.Node]
    outputs: random.Random
    record: list[Record] = Factory(list)

    def mechanism(self, site: ReleaseSite, kinds: KindScope, inputs: Inputs, draw: Callable[[], Value]) -> Value:
        node = self.nodes[id(site)]
        assert isinstance(node, ast.Mechanism)
        if isinstance(inputs, KeyCounts):
            each = each_key(node, [kinds.above(param, None) for param in site.atom.params])
            self.record.append(Found(node, each[0], each[1], {sort_key(key): rows for key, rows in inputs.counts}))
            shown = [key for key in KEYS if self.outputs.random() < 0.5]
            return SetValue(tuple(key if node.name == "keys" else (key, 5) for key in shown))
        scale, epsilon = kinds.above(site.sensitivity, None), kinds.above(site.atom.params[-1], None)
        match node.name, node.params:
            case "gibbs", (ast.RealLit(value=beta),):
                scale, epsilon = Fraction(1), 2 * beta
            case "ggauss", (_, _, ast.RealLit(value=wide)):
                scale, epsilon = wide, Fraction(1)
            case "canonical", _:
                epsilon = kinds.above(site.atom.params[0], None)
        given, output = self.frozen(node, inputs, draw)
        self.record.append(Call(node, epsilon, tuple(Fraction(value) / scale for value in given)))
        return output

    def frozen(self, node: ast.Mechanism, inputs: Inputs, draw: Callable[[], Value]) -> tuple[list[Number], Value]:
        """What noise is added to, and the output in the place of the noisy one."""
        match inputs:
            case list() if node.name == "rand-resp":
                size = node.params[0]
                assert isinstance(size, ast.NatLit)
                return list(inputs), self.outputs.randrange(size.value)
            case list():
                return list(inputs), self.outputs.randrange(len(inputs))
            case MatrixValue():
                cells = numbers_of(inputs).fractions().tolist()
                drawn = [[self.outputs.randint(-40, 40) / 4 for _ in row] for row in cells]
                return [cell for row in cells for cell in row], MatrixValue(
                    inputs.rows, plain(np.asfortranarray(drawn))
                )
            case int() | Fraction():
                if node.name in ("dlaplace", "dgauss"):
                    return [Fraction(inputs)], Fraction(self.outputs.randint(-10, 10))
                return [Fraction(inputs)], Fraction(self.outputs.randint(-40, 40), 4)
            case _:
                raise TypeError(node.name)

    def rows(self, node: core.Sample, total: int, size: Fraction, drawn: Sequence[int]) -> None:
        """An order of the reports says nothing here: with all outputs frozen all orders are alike."""


def run_record(claim: Private, kinds: Kinds, arguments: Sequence[Any]) -> list[Record]:
    """What the mechanisms of a run were given."""
    typed = claim.typed
    machine = Machine(expression=expression)
    observer = Frozen({id(site): node for node, site in typed.annotations.releases.items()}, random.Random(11))
    function = expression(machine, typed.core, Frame({}, KindScope()))
    assert isinstance(function, PrivacyClosure)
    scope = KindScope(dict(kinds))
    values = bound([(each.name, each.type) for each in claim.function.parameters], arguments, scope)
    own = dict(zip(function.node.kinds, (kinds[v] for v in claim.function.kinds), strict=True))
    run_function(Driver(machine, Randomness(None), observer), function, values, own, function.node)
    return observer.record
