"""The value of a sensitivity expression.

Contract. Evaluation is call by value, deterministic and total: nothing that data can hold makes it fail. An index out of
range is the nearest one inside; a number that does not exist (an entry of an empty table) is 0. Numbers are exact
(see `duetpy.runtime.exact.rationals`). What the checker refuses never arrives here.

Functions that are given to functions may nest deeper than any program does, as deep as memory allows (`duetpy.depth`).
Matrices and maps have a file of their own, `duetpy.runtime.evaluation.tables`, and so have folds,
`duetpy.runtime.evaluation.row_folds`, and row bodies, `duetpy.runtime.evaluation.row_bodies`: they ask the machine for the values
of the parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction

from attrs import evolve

from duetpy.grammar.ast import Norm
from duetpy.runtime.evaluation import flattening, row_folds, tables
from duetpy.runtime.evaluation.descent import descent
from duetpy.runtime.evaluation.gradient import discrete_mean, mean_gradient, row_gradients
from duetpy.runtime.evaluation.kernels import KERNELS, ROUNDING, as_double, clamped, zipped
from duetpy.runtime.evaluation.laned_blocks import counted_rows
from duetpy.runtime.evaluation.loss_functions import loss_named
from duetpy.runtime.evaluation.machine import Frame, Machine
from duetpy.runtime.evaluation.matrix_product import product
from duetpy.runtime.evaluation.row_bodies import cannot_run, within
from duetpy.runtime.evaluation.rows import Derived, OfRows
from duetpy.runtime.sources.ranges import nearest_in
from duetpy.runtime.values.batching import copied, lanes_in, set_of, spread
from duetpy.runtime.values.choosing import select
from duetpy.runtime.values.joining import joined
from duetpy.runtime.values.matrix_ops import chunks
from duetpy.runtime.values.slices import Slices
from duetpy.runtime.values.statics import KindScope, Static
from duetpy.runtime.values.values import (
    ABSENT,
    Apart,
    Closure,
    Injected,
    InjectedLanes,
    MatrixValue,
    Missing,
    MissingLanes,
    NeverLaned,
    PrivacyClosure,
    Ragged,
    SetLanes,
    Truths,
    Value,
    matrix_of_columns,
)
from duetpy.source import Span
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.facts import facts_of
from duetpy.typecheck.quantity import KindVar, Quantity
from duetpy.typecheck.told import Told

ZERO, ONE = Fraction(0), Fraction(1)


def expression(machine: Machine, node: core.Expression, frame: Frame, *, is_told: bool = False) -> Value:
    """The value of an expression in a frame: the one that its type says, where it says one; so are the parts of a pair,
    unless the caller puts them in (`is_told`)."""
    if node.static is not None and (number := frame.kinds.number(node.static, node.span)) is not None:
        return number
    if node.told is not None and not is_told:
        return _as_told(expression(machine, node, frame, is_told=True), node.told, frame.kinds, node.span)
    match node:
        case core.Var():
            return frame.names[node.name]
        case core.Literal():
            return node.value
        case core.StaticNumber():
            number = frame.kinds.signed(node.number, node.span)
            return int(number) if node.is_natural else number
        case core.Prim():
            return primitive(machine, node, frame)
        case core.Let() | core.LetPair():
            return let_spine(machine, node, frame)
        case core.Lam():
            return Closure(node, machine.captured(node, frame), frame.kinds)
        case core.PLam():
            return PrivacyClosure(node, machine.captured(node, frame), frame.kinds)
        case core.App():
            return application(machine, node, frame)
        case core.TypeApp():
            return type_application(machine, node, frame)
        case core.Pair():
            return pair(machine, node, frame)
        case core.Inject():
            return injection(machine, node, frame)
        case core.Case():
            return case(machine, node, frame)
        case core.Nothing():
            return Missing(blank(node.instead_of))
        case core.CaseMissing():
            return case_missing(machine, node, frame)
        case core.SetLit():
            return set_literal(machine, node, frame)
        case core.If():
            return conditional(machine, node, frame)
        case core.Loop():
            return loop(machine, node, frame)
        case core.MCreate():
            return tables.create(machine, node, frame)
        case core.Map():
            return tables.map_form(machine, node, frame)
        case core.RowFold():
            return row_folds.row_fold(machine, node, frame)
        case core.Fold():
            return row_folds.fold(machine, node, frame)
        case core.Filter():
            return tables.filtered(machine, node, frame)
        case core.Flat():
            return flattening.flattened(machine, node, frame)
        case core.Index():
            return tables.index(machine, node, frame)
        case core.Update():
            return tables.update(machine, node, frame)
        case core.Field() | core.Select() | core.Record() | core.AddColumn() | core.Partition() | core.Join():
            return tables.frame_form(machine, node, frame)
        case core.ForeignCall():
            return foreign(machine, node, frame)
        case _:
            raise cannot_run(node)


def _as_told(value: Value, told: Told, kinds: KindScope, span: Span) -> Value:
    """A pair with the numbers that its type says, as they are found here: one branch may have found them in a call."""
    if isinstance(told, t.StaticReal):
        number = kinds.number(told, span)
        return value if number is None else number
    if told is None or not isinstance(value, tuple):
        return value
    left, right = value
    return _as_told(left, told[0], kinds, span), _as_told(right, told[1], kinds, span)


# ---------------------------------------------------------------------------------------------------------------------
# Names


def let_spine(machine: Machine, node: core.Let | core.LetPair, frame: Frame) -> Value:
    """A chain of lets, walked in a loop."""
    names: list[str] = []
    here: core.Expression = node
    while isinstance(here, core.Let | core.LetPair):
        bound = expression(machine, here.bound, frame)
        names += bind(machine, here, bound, frame)
        here = here.body
    result = expression(machine, here, frame)
    frame.forget(names)
    return result


def bind(
    machine: Machine, node: core.Let | core.LetPair | core.PLet | core.PLetPair, bound: Value, frame: Frame
) -> list[str]:
    """Give the names of a let what they are bound to."""
    if isinstance(node, core.Let | core.PLet):
        if isinstance(bound, MatrixValue) and isinstance(bound.recipe, Derived):
            bound.recipe.is_used |= machine.captures.is_repeated(node.name, node.body)
        frame.names[node.name] = bound
        return [node.name]
    assert isinstance(bound, tuple)
    frame.names[node.left], frame.names[node.right] = bound
    return [node.left, node.right]


# ---------------------------------------------------------------------------------------------------------------------
# Functions


def application(machine: Machine, node: core.App, frame: Frame) -> Value:
    """f e₁ e₂ …: a chain of arguments, walked in a loop."""
    arguments: list[core.App] = []
    here: core.Expression = node
    while isinstance(here, core.App):
        arguments.append(here)
        here = here.function
    function = expression(machine, here, frame)
    for argument in reversed(arguments):
        value = expression(machine, argument.argument, frame)
        if isinstance(function, Closure):
            own = instance(argument, frame, function)
            function = evolve(function, given={**function.given, **own}) if own else function
        function = applied(machine, function, value, frame.lanes, node)
    return function


def applied(machine: Machine, function: Value, argument: Value, lanes: int | None, node: core.Node) -> Value:
    """A function with one more argument: its body's value when that was the last one."""
    if not isinstance(function, Closure):
        raise Ragged
    params = function.node.params
    arguments = (*function.arguments, argument)
    if len(arguments) < len(params):
        return evolve(function, arguments=arguments)
    names = dict(function.names)
    names.update((param.name, value) for param, value in zip(params, arguments, strict=True))
    kinds = machine.entered(function.kinds, function.given)
    with machine.levels:
        return expression(machine, function.node.body, Frame(names, kinds, lanes))


def foreign(machine: Machine, node: core.ForeignCall, frame: Frame) -> Value:
    """The call of a foreign function: one for each row, never in lanes."""
    if frame.lanes is not None:
        raise NeverLaned
    if machine.is_for_nobody:
        return machine.foreign.result_for_nobody(node, frame.kinds)
    return machine.foreign.call(node, frame.names, frame.kinds)


def type_application(machine: Machine, node: core.TypeApp, frame: Frame) -> Value:
    function = expression(machine, node.function, frame)
    if not isinstance(function, Closure):
        raise Ragged
    return evolve(function, given={**function.given, **instance(node, frame, function)})


def instance(
    node: core.App | core.TypeApp | core.PApp | core.PFoldRows | core.Mechanism,
    frame: Frame,
    function: Closure | PrivacyClosure,
) -> dict[KindVar, Static]:
    """The numbers that a call or a type application gives to the open kind variables of a function, by place."""
    if not node.instance.values:
        return {}
    return {
        variable: frame.kinds.static(value, node.span)
        for variable, value in zip(open_kinds(function), node.instance.values, strict=True)
        if isinstance(value, Quantity)
    }


def own_numbers(
    function: Closure | PrivacyClosure, kinds: Sequence[KindVar], numbers: Mapping[KindVar, Fraction]
) -> dict[KindVar, Fraction]:
    """The numbers for the kind variables of a function whose type calls them `kinds`: by place, as far as they are known."""
    pairs = zip(open_kinds(function), kinds, strict=True)
    return {own: numbers[known] for own, known in pairs if known in numbers}


def open_kinds(function: Closure | PrivacyClosure) -> list[KindVar]:
    """The kind variables of a function that have no number yet."""
    return [var for var in function.node.kinds if isinstance(function, PrivacyClosure) or var not in function.given]


# ---------------------------------------------------------------------------------------------------------------------
# Pairs, sums, sets


def pair(machine: Machine, node: core.Pair, frame: Frame) -> Value:
    left = expression(machine, node.left, frame)
    right = expression(machine, node.right, frame)
    return (left, right)


def injection(machine: Machine, node: core.Inject, frame: Frame) -> Value:
    value = expression(machine, node.arg, frame)
    return Injected(node.is_left, value)


def case(machine: Machine, node: core.Case, frame: Frame) -> Value:
    """In lanes both branches are evaluated and chosen from, also where all lanes are of one side, which is data; but not a side
    that no lane has by what the program says."""
    scrutinee = expression(machine, node.scrutinee, frame)
    match scrutinee:
        case Injected():
            chosen = branch(machine, node, frame, scrutinee.is_left, scrutinee.value)
        case InjectedLanes(is_left, left_side, right_side):
            if left_side is ABSENT or right_side is ABSENT:
                is_only_left = right_side is ABSENT
                chosen = branch(machine, node, frame, is_only_left, left_side if is_only_left else right_side)
            else:
                left = branch(machine, node, frame, True, left_side)
                right = branch(machine, node, frame, False, right_side)
                lanes = len(is_left)
                chosen = select(is_left, copied(left, lanes), copied(right, lanes))
        case _:
            raise Ragged
    return chosen if frame.lanes is None else copied(chosen, frame.lanes)


def branch(machine: Machine, node: core.Case, frame: Frame, is_left: bool, value: Value) -> Value:
    name, body = (node.left, node.left_body) if is_left else (node.right, node.right_body)
    return within(machine, body, frame, {name: value})


def blank(type_: t.Type) -> Value:
    """Some value of what a cell or a record holds."""
    match type_:
        case t.Disc(inner):
            return blank(inner)
        case t.Real():
            return ZERO
        case t.Bounded():
            return nearest_in(type_, ZERO)
        case t.Bool():
            return False
        case t.Str():
            return ""
        case t.Date():
            return date.min
        case t.Maybe(inner):
            return Missing(blank(inner))
        case t.Matrix(schema=t.Columns(columns)):
            cells = [spread(blank(column.type), 1) for column in columns]
            return matrix_of_columns(cells, 1, None, tuple(column.name for column in columns))
        case _:
            return 0


def case_missing(machine: Machine, node: core.CaseMissing, frame: Frame) -> Value:
    """In lanes both branches are evaluated and chosen from, also where no lane is missing, which is data."""
    scrutinee = expression(machine, node.scrutinee, frame)
    match scrutinee:
        case Missing():
            chosen = expression(machine, node.absent, frame)
        case MissingLanes(is_there, held):
            lanes = len(is_there)
            there = within(machine, node.there, frame, {node.name: held})
            absent = expression(machine, node.absent, frame)
            chosen = select(is_there, copied(there, lanes), copied(absent, lanes))
        case Apart():
            raise Ragged
        case _:
            chosen = within(machine, node.there, frame, {node.name: scrutinee})
    return chosen if frame.lanes is None else copied(chosen, frame.lanes)


def set_literal(machine: Machine, node: core.SetLit, frame: Frame) -> Value:
    elements: list[Value] = [expression(machine, element, frame) for element in node.elements]
    lanes = lanes_in(*elements)
    if lanes is not None:
        return SetLanes(tuple(copied(element, lanes) for element in elements))
    return set_of(elements)


# ---------------------------------------------------------------------------------------------------------------------
# Choices and loops


def conditional(machine: Machine, node: core.If, frame: Frame) -> Value:
    """In lanes both branches are evaluated and chosen from: nothing fails, so nothing is lost."""
    by_test = frame.kinds.branch(node.test)
    guard = expression(machine, node.guard, frame) if by_test is None else by_test
    if isinstance(guard, Truths):
        then = expression(machine, node.then, frame)
        otherwise = expression(machine, node.otherwise, frame)
        return select(guard.values, then, otherwise)
    return expression(machine, node.then if guard is True else node.otherwise, frame)


def loop(machine: Machine, node: core.Loop, frame: Frame) -> Value:
    count = expression(machine, node.count, frame)
    state = expression(machine, node.init, frame)
    if not isinstance(count, int):
        raise Ragged
    for turn in range(count):
        names = {node.index: turn, node.state: state}
        state = within(machine, node.body, frame, names)
    return state


# ---------------------------------------------------------------------------------------------------------------------
# Primitives


def primitive(machine: Machine, node: core.Prim, frame: Frame) -> Value:
    args: list[Value] = [expression(machine, argument, frame) for argument in node.args]
    bounds: list[Fraction] = []
    for bound in node.bounds:
        value = expression(machine, bound, frame)
        assert isinstance(value, int | Fraction)
        bounds.append(Fraction(value))
    return computed(machine, node, args, bounds, frame.kinds)


def computed(machine: Machine, node: core.Prim, args: list[Value], bounds: list[Fraction], kinds: KindScope) -> Value:
    """The value of a primitive: the kernel of its name, or one of the forms that no signature can say."""
    if args and isinstance(args[0], Apart) and isinstance(args[0].values, Slices):
        if facts_of(node.name).counts == "row":
            return counted_rows(args[0].values)
        if facts_of(node.name).is_of_rows:
            return KERNELS[node.name](args[0])
    if any(isinstance(arg, Apart) for arg in args) and node.name not in ("box", "unbox"):
        raise Ragged
    match node.name:
        case "box" | "unbox" | "discf" | "idx":
            return args[0]
        case "clip":
            low, high = bounds if bounds else (-ONE, ONE)
            return clamped(args[0], low, high)
        case "zip":
            return zipped(args[0], args[1])
        case "chunks":
            return chunks(args[0], args[1:])
        case "join₁":
            return joined(args)
        case "×":
            return product(args[0], args[1], rounds=node.is_discrete, is_free=node.may_round)
        case "∇" | "U∇" | "row∇" | "step∇":
            return gradient(machine, node, args, bounds, kinds)
        case _:
            facts = facts_of(node.name)
            for arg in args:
                if isinstance(arg, MatrixValue) and facts.counts == "row":
                    arg.counted()
                elif isinstance(arg, MatrixValue) and not facts.is_row_wise:
                    arg.settle()
            brackets = () if node.norm is None else (node.norm, *bounds)
            if (node.may_round or node.is_discrete) and node.name in ROUNDING:
                if facts.is_row_wise and isinstance(args[0], MatrixValue):
                    # How precisely a real row is known may depend on the others.
                    return tables.by_rows(machine, node, args[0], OfRows(ROUNDING[node.name], brackets))
                return ROUNDING[node.name](*args, *brackets)
            value = KERNELS[node.name](*args, *brackets)
            return as_double(value) if node.may_round else value


def gradient(machine: Machine, node: core.Prim, args: list[Value], bounds: list[Fraction], kinds: KindScope) -> Value:
    model, features, labels = args
    assert isinstance(model, MatrixValue)
    assert isinstance(features, MatrixValue)
    assert isinstance(labels, MatrixValue)
    if any(matrix.lanes is not None for matrix in (model, features, labels)):
        raise Ragged
    assert node.loss is not None
    if node.name == "step∇":
        *numbers, length, weakening = bounds
        _, bound = length_of_rows(node, kinds)
        return descent(
            loss_named(node.loss, numbers), length, weakening, model, features, labels, bound, machine.engine
        )
    loss = loss_named(node.loss, bounds)
    match node.name:
        case "∇":
            bounded = length_of_rows(node, kinds)
            return mean_gradient(model, features, labels, bounded, machine.engine, machine.block_rows, loss)
        case "U∇":
            return discrete_mean(model, features, labels, machine.engine, loss)
        case _:
            return row_gradients(model, features, labels, loss, machine.engine)


def length_of_rows(node: core.Prim, kinds: KindScope) -> tuple[Norm, Fraction]:
    """How long the rows of the features of a gradient are at most, by their type.

    Sums of gradients are cut off at a place that the bound decides; rows may have chosen the bound that they were clipped to.
    """
    norm = max((clip.norm for clip in node.lengths), key=(Norm.L1, Norm.L2, Norm.LINF).index)
    return norm, max(kinds.above(clip.bound, node.span) for clip in node.lengths)
