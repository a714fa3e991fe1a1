"""The run of a privacy expression: what is released, in which order.

Contract. Loops, binds and mechanisms run here, one after another; noise, randomness and the log never leave this file and
those it calls. What a mechanism or ``return`` gives is public from then on and kept as doubles, but for boxes, which stay as
they are: what is in them is private until it is charged. Which mechanisms run, and how often, depends on public values
only; of a mechanism that stops at a noisy answer, on that answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import assert_never

import numpy as np
from attrs import define, evolve, field

from duetpy.accounting.mechanisms.table import LAWS
from duetpy.runtime.evaluation.evaluate import applied, bind, expression, instance, length_of_rows
from duetpy.runtime.evaluation.key_parts import parts_by_key
from duetpy.runtime.evaluation.loss_functions import loss_named
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.evaluation.row_bodies import cannot_run, row_body
from duetpy.runtime.evaluation.rows import batches
from duetpy.runtime.evaluation.samples import Samples, samples_ahead
from duetpy.runtime.noise.exact_sampler import uniform_below
from duetpy.runtime.release import selecting
from duetpy.runtime.release.key_counts import counted, in_parts
from duetpy.runtime.release.last_iterate import first_steps, last_model
from duetpy.runtime.release.mechanisms import Randomness, Released, noisy, released
from duetpy.runtime.release.observer import Descent, Inputs, KeyCounts, Observer
from duetpy.runtime.values.batching import Index, evolve_matrix, lane, set_of, spread, stack, take_rows
from duetpy.runtime.values.matrix_ops import codes_of, entries, matrix, one_column, parts_of
from duetpy.runtime.values.statics import KindScope, Static
from duetpy.runtime.values.values import (
    Closure,
    Injected,
    MatrixValue,
    Missing,
    PrivacyClosure,
    SetValue,
    Value,
    matrix_of_columns,
)
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.mechanism_rows import RULES
from duetpy.typecheck.quantity import KindVar


@define(eq=False, repr=False)
class Driver:
    """A run of a program: how expressions are evaluated, where noise comes from, and who watches, if anybody does."""

    machine: Machine
    randomness: Randomness
    observer: Observer | None = None
    samples: Samples = field(factory=Samples, init=False)
    turns: int = field(default=1, init=False)
    """How many turns of the loops around it a form has yet to run in, this one included."""

    def value(self, node: core.Expression, frame: Frame) -> Value:
        return expression(self.machine, node, frame)

    def handed_on(self, node: core.Return | core.PLoop | core.PFoldRows, value: Value) -> Value:
        """A value as a form releases it: doubles, but for what may be in a box, which nobody has seen."""
        return value if node.may_hold_boxes else released(value)

    def drawn(self, site: ReleaseSite, kinds: KindScope, inputs: Inputs, draw: Callable[[], Value]) -> Value:
        """What a mechanism releases."""
        return draw() if self.observer is None else self.observer.mechanism(site, kinds, inputs, draw)


def private(driver: Driver, node: core.Private, frame: Frame) -> Value:
    """What a privacy expression releases: a chain of binds and lets, walked in a loop."""
    names: list[str] = []
    here = node
    while True:
        match here:
            case core.Bind():
                frame.names[here.name] = private(driver, here.first, frame)
                names.append(here.name)
                here = here.then
            case core.PLet() | core.PLetPair():
                names += bind(driver.machine, here, driver.value(here.bound, frame), frame)
                here = here.body
            case _:
                break
    result = form(driver, here, frame)
    frame.forget(names)
    return result


def form(driver: Driver, node: core.Private, frame: Frame) -> Value:
    match node:
        case core.Return():
            return returned(driver, node, frame)
        case core.Bind() | core.PLet() | core.PLetPair():
            return private(driver, node, frame)
        case core.PIf():
            return conditional(driver, node, frame)
        case core.PApp():
            return application(driver, node, frame)
        case core.PLoop():
            return loop(driver, node, frame)
        case core.Mechanism():
            return mechanism(driver, node, frame)
        case core.Parallel():
            return parallel(driver, node, frame)
        case core.Convert():
            return private(driver, node.body, frame)
        case core.PMap():
            return map_runs(driver, node, frame)
        case core.PFoldRows():
            return fold_batches(driver, node, frame)
        case core.Sample(scheme="shuffle"):
            return shuffled(driver, node, frame)
        case core.Sample():
            return sampled(driver, node, frame)
        case core.PCase():
            return case(driver, node, frame)
        case core.PCaseMissing():
            return case_missing(driver, node, frame)
        case core.RandNat():
            return random_number(driver, node, frame)
        case _:
            raise cannot_run(node)


def returned(driver: Driver, node: core.Return, frame: Frame) -> Value:
    return driver.handed_on(node, driver.value(node.value, frame))


def conditional(driver: Driver, node: core.PIf, frame: Frame) -> Value:
    by_test = frame.kinds.branch(node.test)
    guard = driver.value(node.guard, frame) if by_test is None else by_test
    return private(driver, node.then if guard is True else node.otherwise, frame)


def case(driver: Driver, node: core.PCase, frame: Frame) -> Value:
    scrutinee = driver.value(node.scrutinee, frame)
    assert isinstance(scrutinee, Injected)
    name, body = (node.left, node.left_body) if scrutinee.is_left else (node.right, node.right_body)
    return within(driver, body, frame, {name: scrutinee.value})


def case_missing(driver: Driver, node: core.PCaseMissing, frame: Frame) -> Value:
    scrutinee = driver.value(node.scrutinee, frame)
    if isinstance(scrutinee, Missing):
        return private(driver, node.absent, frame)
    return within(driver, node.there, frame, {node.name: scrutinee})


def within(driver: Driver, node: core.Private, frame: Frame, names: dict[str, Value]) -> Value:
    """What a privacy expression releases with a few more names."""
    frame.names.update(names)
    result = private(driver, node, frame)
    frame.forget(names)
    return result


def loop(driver: Driver, node: core.PLoop, frame: Frame) -> Value:
    count = driver.value(node.count, frame)
    state = driver.handed_on(node, driver.value(node.init, frame))
    assert isinstance(count, int)
    outer = driver.turns
    for turn in range(count):
        driver.turns = outer * count - turn
        names: dict[str, Value] = {node.index: turn, node.state: state}
        state = within(driver, node.body, frame, names)
    driver.turns = outer
    return state


# ---------------------------------------------------------------------------------------------------------------------
# Functions


def application(driver: Driver, node: core.PApp, frame: Frame) -> Value:
    function = driver.value(node.function, frame)
    args: list[Value] = [driver.value(argument, frame) for argument in node.args]
    assert isinstance(function, PrivacyClosure)
    given = instance(node, frame, function)
    return run_function(driver, function, args, given, node)


def run_function(
    driver: Driver, function: PrivacyClosure, args: list[Value], given: Mapping[KindVar, Static], node: core.Node
) -> Value:
    """A privacy function on its arguments, with numbers for its kind variables."""
    kinds = driver.machine.entered(function.kinds, given)
    names = dict(function.names)
    names.update((param.name, arg) for param, arg in zip(function.node.params, args, strict=True))
    with driver.machine.levels:
        return private(driver, function.node.body, Frame(names, kinds))


# ---------------------------------------------------------------------------------------------------------------------
# Mechanisms


def mechanism(driver: Driver, node: core.Mechanism, frame: Frame) -> Value:
    match rule := RULES.get(node.name):
        case None:
            return additive(driver, node, frame)
        case "claim":
            return given(driver, node, frame)
        case "choice" | "risk":
            return choice(driver, node, frame)
        case "queries":
            return above_threshold(driver, node, frame)
        case "response":
            return response(driver, node, frame)
        case "descent":
            return last_iterate(driver, node, frame)
        case "found" | "counted":
            return found_keys(driver, node, frame)
        case _:
            assert_never(rule)


def additive(driver: Driver, node: core.Mechanism, frame: Frame) -> Value:
    site = node.site
    if site.atom.mechanism not in LAWS:
        raise cannot_run(node)
    value = driver.value(node.body, frame)
    return driver.drawn(site, frame.kinds, value, lambda: noisy(value, site, frame.kinds, driver.randomness))


def given(driver: Driver, node: core.Mechanism, frame: Frame) -> Value:
    """A trusted mechanism: its value is released as it is."""
    value = driver.value(node.body, frame)
    site = node.site
    driver.randomness.log.add(site, Released(node.name, 1.0, None, None))
    return driver.drawn(site, frame.kinds, value, lambda: released(value))


def last_iterate(driver: Driver, node: core.Mechanism, frame: Frame) -> Value:
    """Descent with noise in every step; no model but the last is seen by anything."""
    step = node.body
    assert isinstance(step, core.Prim)
    assert step.loss is not None
    numbers: list[Fraction] = []
    for written in (*node.params, *step.bounds):
        assert written is not None
        number = driver.value(written, frame)
        assert isinstance(number, int | Fraction)
        numbers.append(Fraction(number))
    tables: list[MatrixValue] = [matrix(driver.value(argument, frame)) for argument in step.args]
    epochs, batch, noise = numbers[:3]  # an order α may follow, which only the price reads
    *own, length, weakening = numbers[len(node.params) :]
    _, bound = length_of_rows(step, frame.kinds)
    chosen = Descent(loss_named(step.loss, own), length, weakening, int(epochs), int(batch), noise, bound)
    model, features, labels = tables
    site = node.site
    kinds, randomness = frame.kinds, driver.randomness

    def drawn() -> Value:
        return last_model(chosen, model, features, labels, site, kinds, randomness)

    # Without an observer the first steps are not computed by themselves.
    return (
        drawn()
        if driver.observer is None
        else driver.drawn(site, kinds, first_steps(chosen, model, features, labels), drawn)
    )


def choice(driver: Driver, node: core.Mechanism, frame: Frame) -> Value:
    assert node.candidates is not None
    assert node.binder is not None
    source = matrix(driver.value(node.candidates, frame))
    candidates = entries(source)
    scores: list[Fraction] = []
    for at in range(source.width):
        frame.names[node.binder] = lane(candidates, at)
        score = driver.value(node.body, frame)
        frame.forget([node.binder])
        assert isinstance(score, int | Fraction)
        scores.append(Fraction(score))
    site = node.site
    kinds, randomness = frame.kinds, driver.randomness
    return driver.drawn(site, kinds, scores, lambda: selecting.chosen(scores, site, kinds, randomness))


def above_threshold(driver: Driver, node: core.Mechanism, frame: Frame) -> Value:
    _, queries_node, threshold_node = node.params
    assert queries_node is not None
    assert threshold_node is not None
    source = matrix(driver.value(queries_node, frame))
    threshold = driver.value(threshold_node, frame)
    argument = driver.value(node.body, frame)
    assert isinstance(threshold, int | Fraction)
    functions = entries(source)

    def answers() -> Iterator[Fraction]:
        for at in range(source.width):
            query = lane(functions, at)
            assert isinstance(query, Closure)
            told = instance(node, frame, query)
            query = evolve(query, given={**query.given, **told}) if told else query
            value = applied(driver.machine, query, argument, None, node)
            assert isinstance(value, int | Fraction)
            yield Fraction(value)

    site = node.site
    level, kinds, randomness = Fraction(threshold), frame.kinds, driver.randomness

    def drawn() -> Value:
        return sum(1 for _ in selecting.first_above(level, answers(), site, kinds, randomness)) - 1

    # Without an observer only the queries up to the first that is above are computed.
    return drawn() if driver.observer is None else driver.drawn(site, kinds, list(answers()), drawn)


def response(driver: Driver, node: core.Mechanism, frame: Frame) -> Value:
    size_node = node.params[0]
    assert size_node is not None
    size = driver.value(size_node, frame)
    truth = driver.value(node.body, frame)
    assert isinstance(size, int)
    assert isinstance(truth, int)
    site = node.site
    kinds, randomness, told = frame.kinds, driver.randomness, min(truth, size - 1)
    return driver.drawn(site, kinds, [Fraction(told)], lambda: selecting.answered(told, size, site, kinds, randomness))


def found_keys(driver: Driver, node: core.Mechanism, frame: Frame) -> Value:
    """A set of keys, each with the probability that its number of rows gives it, and with a noisy number of rows where asked."""
    assert node.candidates is not None
    assert node.binder is not None
    most_node = node.params[0]
    assert most_node is not None
    most = driver.value(most_node, frame)
    assert isinstance(most, int)
    source = matrix(driver.value(node.candidates, frame))
    has_several = all(isinstance(type_, t.SetOf) for type_ in node.body.types)
    counts = counted(
        row_body(driver.machine, node.body, node.binder, frame).of(source), source, most, has_several=has_several
    )
    site = node.site
    kinds, randomness = frame.kinds, driver.randomness
    return driver.drawn(site, kinds, KeyCounts(counts), lambda: selecting.shown(counts, site, kinds, randomness))


def random_number(driver: Driver, node: core.RandNat, frame: Frame) -> Value:
    """A number between two public ones, both included; without randomness the lower one."""
    low = driver.value(node.low, frame)
    high = driver.value(node.high, frame)
    assert isinstance(low, int)
    assert isinstance(high, int)
    bits = driver.randomness.bits
    return low if bits is None or high <= low else low + uniform_below(high - low + 1, bits)


# ---------------------------------------------------------------------------------------------------------------------
# Parts, runs, batches, samples


def parallel(driver: Driver, node: core.Parallel, frame: Frame) -> Value:
    """Every public key runs, whether its part has rows or not."""
    source = matrix(driver.value(node.table, frame))
    keys = driver.value(node.keys, frame)
    assert isinstance(keys, SetValue)
    if source.is_streamed and node.most is None:
        parts = parts_by_key(driver.machine, node, frame, source, keys)
    elif node.most is None:
        found = row_body(driver.machine, node.key_of, node.row, frame).of(source)
        codes = codes_of(spread(found, source.rows), source.rows, keys.elements)
        parts = parts_of(source, codes, len(keys.elements))
    else:
        most = driver.value(node.most, frame)
        assert isinstance(most, int)
        places = in_parts(
            row_body(driver.machine, node.key_of, node.row, frame).of(source), source, most, keys.elements
        )
        parts = [evolve_matrix(source, take_rows(source.store, at), len(at), None) for at in places]
    results: list[Value] = []
    for key, part in zip(keys.elements, parts, strict=True):
        names: dict[str, Value] = {node.key: key, node.part: part}
        results.append(within(driver, node.body, frame, names))
    return set_of(results)


def map_runs(driver: Driver, node: core.PMap, frame: Frame) -> Value:
    """A run for every entry, or for every column."""
    source = matrix(driver.value(node.arg, frame))
    by_column = node.by_column
    cells = entries(source)
    results: list[Value] = []
    for at in range(source.width if by_column else source.rows * source.width):
        seen = one_column(source, at) if by_column else lane(cells, at)
        results.append(within(driver, node.body, frame, {node.name: seen}))
    rows = 1 if by_column else source.rows
    columns = [stack(results[start : start + rows]) for start in range(0, len(results), rows)]
    return matrix_of_columns(columns, rows, None)


def fold_batches(driver: Driver, node: core.PFoldRows, frame: Frame) -> Value:
    batch = driver.value(node.batch, frame)
    state = driver.handed_on(node, driver.value(node.init, frame))
    features = matrix(driver.value(node.features, frame))
    labels = matrix(driver.value(node.labels, frame))
    function = driver.value(node.function, frame)
    assert isinstance(batch, int)
    assert isinstance(function, PrivacyClosure)
    for rows in batches((features, labels), batch, driver.machine.block_rows):
        state = run_function(driver, function, [*rows, state], instance(node, frame, function), node)
    return state


def sampled(driver: Driver, node: core.Sample, frame: Frame) -> Value:
    """A random sample of rows; without randomness, the first ones."""
    size = driver.value(node.size, frame)
    tables: list[MatrixValue] = [matrix(driver.value(table, frame)) for table in node.tables]
    assert isinstance(size, int | Fraction)
    bits = driver.randomness.bits
    rows = tables[0].rows
    is_poisson = node.scheme == "poisson"

    def draw() -> Index:
        if bits is None:
            return np.arange(rows if is_poisson else int(size))
        if is_poisson:
            return selecting.each_with_probability(rows, Fraction(size), bits)
        return selecting.without_replacement(rows, int(size), bits)

    ahead = samples_ahead(driver.turns, rows * size if is_poisson else size, sum(table.width for table in tables))
    index = driver.samples.places(node, (rows, Fraction(size)), ahead, draw)
    if driver.observer is not None:
        driver.observer.rows(node, rows, Fraction(size), index.tolist())
    drawn = driver.samples.rows(node, tables, index, driver.machine.block_rows)
    names: dict[str, Value] = dict(zip(node.names, drawn, strict=True))
    return within(driver, node.body, frame, names)


def shuffled(driver: Driver, node: core.Sample, frame: Frame) -> Value:
    """A report of every row, in a random order; without randomness, in the order of the rows."""
    sources: list[MatrixValue] = [matrix(driver.value(table, frame)) for table in node.tables]
    rows = sources[0].rows
    reports: list[Value] = []
    for row in batches(sources, 1, driver.machine.block_rows):
        names: dict[str, Value] = dict(zip(node.names, row, strict=True))
        reports.append(within(driver, node.body, frame, names))
    bits = driver.randomness.bits
    if bits is not None:
        order = selecting.permuted(range(rows), bits)
        if driver.observer is not None:
            driver.observer.rows(node, rows, Fraction(rows), order)
        reports = [reports[at] for at in order]
    return matrix_of_columns([stack(reports)], rows, None)
