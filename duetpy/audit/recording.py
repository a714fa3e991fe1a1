"""Observers: what every mechanism was given, under outputs that are made up once and repeated for a neighbour."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import numpy as np
from attrs import define, field, frozen

from duetpy.runtime.exact.rationals import Numbers, plain
from duetpy.runtime.release.mechanisms import released
from duetpy.runtime.release.observer import Descent, FirstSteps, Inputs, KeyCounts
from duetpy.runtime.values.batching import sort_key
from duetpy.runtime.values.statics import KindScope
from duetpy.runtime.values.values import MatrixValue, SetValue, Value, numbers_of
from duetpy.source import Span
from duetpy.typecheck import core
from duetpy.typecheck.annotations import ReleaseSite

MANY = 50_000
"""A run with more calls than this is stopped: the audit's runs are small ones."""


class Strayed(Exception):
    """A neighbour's run called another mechanism, or with inputs of another shape."""


@frozen(eq=False)
class Call:
    """One run of one mechanism: where, under which numbers, and what it was given: numbers, or how many rows have each key."""

    site: ReleaseSite
    kinds: KindScope
    shape: tuple[int, ...]
    inputs: tuple[Fraction, ...]
    output: Value
    descent: Descent | None = None
    counts: Mapping[object, int] | None = None

    @property
    def place(self) -> str:
        return place_of(self.site)

    def is_like(self, other: Call) -> bool:
        """Whether two calls are of one place and shape."""
        return self.site is other.site and self.shape == other.shape and self.descent == other.descent


@frozen(eq=False)
class Draw:
    """Rows that were drawn at random: of how many, by which size or rate, and which."""

    node: core.Sample
    total: int
    size: Fraction
    drawn: tuple[int, ...]

    @property
    def place(self) -> str:
        return _place(self.node.scheme, self.node.span)


def place_of(site: ReleaseSite) -> str:
    return _place(site.mechanism, site.span)


def _place(form: str, span: Span) -> str:
    """A form and where it stands: no two places of a program have one name, so that what is found of one is not said of two."""
    line, column = span.begin
    is_alone = span.source.line(line).count(form) == 1
    return f"{form} at {span.place}" if is_alone else f"{form} at {span.place}, column {column}"


def call_of(site: ReleaseSite, kinds: KindScope, inputs: Inputs, output: Value) -> Call:
    chosen = inputs.chosen if isinstance(inputs, FirstSteps) else None
    counts = {sort_key(key): number for key, number in inputs.counts} if isinstance(inputs, KeyCounts) else None
    return Call(site, kinds, shape_of(inputs), numbers_in(inputs), output, chosen, counts)


def shape_of(inputs: Inputs) -> tuple[int, ...]:
    if isinstance(inputs, FirstSteps):
        return shape_of(inputs.gradients)
    if isinstance(inputs, MatrixValue):
        return (inputs.rows, inputs.width)
    return (len(inputs),) if isinstance(inputs, list) else ()


def numbers_in(inputs: Inputs) -> tuple[Fraction, ...]:
    """The exact numbers that a mechanism was given; empty if it was given another kind of value."""
    match inputs:
        case FirstSteps():
            return numbers_in(inputs.gradients)
        case MatrixValue():
            columns = [inputs.column(at) for at in range(inputs.width)]
            if all(isinstance(column, Numbers) for column in columns):
                return tuple(numbers_of(inputs).fractions().ravel().tolist())
            return ()
        case list():
            return tuple(Fraction(each) for each in inputs)
        case bool() | str():
            return ()
        case int() | Fraction():
            return (Fraction(inputs),)
        case _:
            return ()  # also of keys, of which there need not be as many on a neighbour


@define(eq=False)
class Freezing:
    """Answers in the place of every mechanism and keeps a record. The answers are drawn on the first run and repeated on the
    runs of neighbours, so that whatever differs between the records is what the data did."""

    source: random.Random
    answers: Sequence[Value] | None = None
    calls: list[Call] = field(factory=list)
    draws: list[Draw] = field(factory=list)

    def rows(self, node: core.Sample, total: int, size: Fraction, drawn: Sequence[int]) -> None:
        self.draws.append(Draw(node, total, size, tuple(drawn)))

    def mechanism(self, site: ReleaseSite, kinds: KindScope, inputs: Inputs, draw: Callable[[], Value]) -> Value:
        at = len(self.calls)
        if at >= MANY or (self.answers is not None and at >= len(self.answers)):
            raise Strayed
        given = numbers_in(inputs)
        answer = self.made_up(site, inputs, given) if self.answers is None else self.answers[at]
        self.calls.append(call_of(site, kinds, inputs, answer))
        return answer

    def made_up(self, site: ReleaseSite, inputs: Inputs, given: tuple[Fraction, ...]) -> Value:
        """An answer as the mechanism might give it: mostly near the true one, so that what comes after it is exercised."""
        if isinstance(inputs, KeyCounts):
            shown = [(key, number) for key, number in inputs.counts if self.source.random() < 0.7]
            if site.mechanism != "keys":
                return SetValue(tuple((key, number + self.source.randrange(5)) for key, number in shown))
            return SetValue(tuple(key for key, _ in shown))
        if isinstance(inputs, list):
            count = len(inputs) if site.mechanism != "rand-resp" else 2
            return self.source.randrange(max(1, count))
        if isinstance(inputs, FirstSteps):
            # One model, wherever the gradients point.
            width = inputs.gradients.width
            grid = np.array([float(self.near(value)) for value in given[:width]]).reshape(1, width)
            return MatrixValue(1, plain(np.asfortranarray(grid)))
        if site.mechanism == "given":
            return released(inputs)
        drawn = [self.near(value) for value in given]
        if isinstance(inputs, MatrixValue):
            grid = np.array([float(value) for value in drawn]).reshape(inputs.rows, inputs.width)
            return MatrixValue(inputs.rows, plain(np.asfortranarray(grid)))
        return drawn[0]

    def near(self, value: Fraction) -> Fraction:
        choice = self.source.random()
        if choice < 0.15:
            return Fraction(0)
        centre = float(value) if abs(value) < 10**12 else 0.0
        return Fraction(centre + self.source.choice((0.0, 0.25, -0.25, 1.0, -1.0, 3.0, -40.0)))


@define(eq=False)
class Watching:
    """Lets every mechanism run and keeps what went in and what came out."""

    calls: list[Call] = field(factory=list)

    def mechanism(self, site: ReleaseSite, kinds: KindScope, inputs: Inputs, draw: Callable[[], Value]) -> Value:
        output = draw()
        self.calls.append(call_of(site, kinds, inputs, output))
        return output

    def rows(self, node: core.Sample, total: int, size: Fraction, drawn: Sequence[int]) -> None:
        """Nothing: the samplers of rows are looked at by themselves."""
