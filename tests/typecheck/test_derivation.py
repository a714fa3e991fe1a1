"""What `why` tells is what the checker did: every number of a derivation is what its rule makes of the numbers below it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from duetpy.grammar import ast
from duetpy.program import open_program
from duetpy.typecheck import cost as costs
from duetpy.typecheck import tracing
from duetpy.typecheck.check import Typed
from duetpy.typecheck.cost import Atom, Cost, Given, costs_in
from duetpy.typecheck.derivation import How, Part, Reader, Reason, Role
from duetpy.typecheck.quantity import INFINITY, ONE, Quantity, maximum, minimum
from duetpy.typecheck.tracing import Term, Traced
from duetpy.typecheck.types import Fun
from duetpy.valuation import functions

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(path for folder in ("examples", "tests/cases/good") for path in (ROOT / folder).rglob("*.duet"))
ACCEPTED = [path for path in PROGRAMS if "mistakes" not in path.parts]


def recorded(path: Path) -> Typed:
    program = open_program(str(path))
    typed = program.judged(record=True)
    assert typed is not None
    return typed


def reasons(typed: Typed) -> Iterator[tuple[Reason, Quantity | Cost]]:
    """Of each parameter why it has its number, and the number that was proved."""
    assert typed.recorder is not None
    reader = Reader(typed.recorder)
    for function in functions(typed.type):
        if isinstance(function, Fun):
            reason = reader.of_parameter(function, function.name)
            assert reason is not None
            yield reason, function.sensitivity
        else:
            for parameter in function.parameters:
                reason = reader.of_parameter(function, parameter.name)
                assert reason is not None
                yield reason, parameter.cost


def steps(reason: Reason) -> Iterator[Reason]:
    seen: set[int] = set()
    pending = [reason]
    while pending:
        here = pending.pop()
        if id(here) not in seen:
            seen.add(id(here))
            yield here
            pending += [part.reason for part in here.parts]


def adds_up(reason: Reason) -> bool:
    """Whether the number of a step is what its rule makes of its parts'."""
    if reason.number is None:
        return pays_up(reason)
    parts = [part for part in reason.parts if part.role is Role.PART]
    numbers = [part.times * number_of(part) for part in parts]
    match reason.how:
        case How.USE:
            return not parts and reason.number == ONE
        case How.FREE:
            return not parts and reason.number.is_zero
        case How.CAPTURED:
            return not parts and reason.number == INFINITY
        case How.SAME:
            return [reason.number] == numbers
        case How.SUM:
            return len(parts) > 1 and reason.number == sum(numbers[1:], start=numbers[0])
        case How.LARGEST:
            return len(parts) > 1 and reason.number == maximum(*numbers)
        case How.CAPPED:
            return reason.detail is not None and reason.number == minimum(numbers[0], reason.detail)
        case How.UNBOUNDED:
            return len(parts) == 1 and reason.number == INFINITY
        case How.CHANGED:
            return len(parts) == 1  # the terms of the trace hold the change itself
        case _:
            return False


def number_of(part: Part) -> Quantity:
    assert part.reason.number is not None
    return part.reason.number


def pays_up(reason: Reason) -> bool:
    """The same of a cost."""
    below = [part.reason.cost for part in reason.parts if part.reason.cost is not None]
    cost = reason.cost
    assert cost is not None
    match reason.how, cost:
        case How.NOISE, Atom() | Given():
            return not below and isinstance(reason.node, ast.Mechanism)
        case ((How.REPEATED | How.GROUP), (costs.Repeat() | costs.Group())) if isinstance(reason.node, ast.Mechanism):
            # A row has several keys, each of which is shown or not.
            return not below and atoms(cost) <= {"keys", "key-counts", "key-gauss"}
        case How.FREE, costs.Zero():
            return not below
        case How.CALLED, _:
            # The function is made by another one, of which no single call is recorded.
            return not below and isinstance(reason.node, ast.PApp | ast.PFoldRows)
        case How.CLEAR, costs.NonPrivate():
            return True
        case How.SEQUENCE, _ if cost == costs.sequence(below):
            return True
        case How.REPEATED, costs.Repeat(count) if [cost] == [costs.repeat(count, each) for each in below]:
            return True
        case How.ADVANCED, costs.Advanced(count, slack) if [cost] == [costs.Advanced(count, slack, b) for b in below]:
            return True
        case How.CONVERTED, costs.Converted(inner, slack) if [cost] == [
            costs.Converted(inner, slack, b) for b in below
        ]:
            return True
        case How.CHOICE, costs.Choice(test=test) if cost == costs.choice(below, test=test):
            return True
        case How.SAME, _ if below == [cost]:
            return True
        case _:
            return False


def atoms(cost: Cost) -> set[str]:
    return {each.mechanism for each in costs_in(cost) if isinstance(each, Atom)}


@pytest.mark.sparse(3)
@pytest.mark.parametrize("path", ACCEPTED, ids=lambda path: "/".join(path.parts[-3:]))
def test_every_step_adds_up(path: Path) -> None:
    for reason, proved in reasons(recorded(path)):
        assert proved == (reason.cost if reason.number is None else reason.number)
        for step in steps(reason):
            if not adds_up(step):
                # A call, a sample or a part of a table is charged for what it moves: as a group, at the sizes that it was given.
                node = step.node
                assert isinstance(
                    node, ast.PApp | ast.Parallel | ast.Sample | ast.PMap | ast.PFoldRows | ast.PLetPair
                ), (
                    step.how,
                    step.cost,
                    [part.reason.cost for part in step.parts],
                    node.span.text,
                )
                assert step.cost is not None
                below = [part.reason.cost for part in step.parts if part.reason.cost is not None]
                assert below
                assert atoms(step.cost) <= set().union(*map(atoms, below))


@pytest.mark.sparse(3)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: "/".join(path.parts[-3:]))
def test_every_operation_is_traced(path: Path) -> None:
    typed = recorded(path)
    assert typed.recorder is not None
    seen: set[int] = set()
    for judged in typed.recorder.concluded.values():
        assert not judged.context.entries or isinstance(judged.context, Traced)
        if isinstance(judged.context, Traced):
            assert judged.context.terms.keys() == judged.context.entries.keys()
            for root, term in judged.context.terms.items():
                assert term.number == judged.context[root]
                _remakes(term, seen)


def remade(term: Term) -> Quantity:
    """The number of a term from those of its parts."""
    match term:
        case tracing.Use():
            return ONE
        case tracing.Captured():
            return INFINITY
        case tracing.Sum(parts=parts):
            total = parts[0].number
            for part in parts[1:]:
                total = total + part.number
            return total
        case tracing.Largest(parts=parts):
            return maximum(*(part.number for part in parts))
        case tracing.Times(factor=factor, part=part):
            return factor * part.number
        case tracing.Capped(diameter=diameter, part=part):
            return minimum(part.number, diameter)
        case tracing.Unbounded():
            return INFINITY
        case tracing.Changed(change=change, part=part):
            return change(part.number)
        case tracing.Concluded(part=part):
            return part.number


def _remakes(term: Term, seen: set[int]) -> None:
    pending = [term]
    while pending:
        here = pending.pop()
        if id(here) not in seen:
            seen.add(id(here))
            assert remade(here) == here.number
            pending += getattr(here, "parts", ())
            pending += [here.part] if hasattr(here, "part") else []


@pytest.mark.parametrize("path", PROGRAMS[::7], ids=lambda path: "/".join(path.parts[-3:]))
def test_recording_changes_no_conclusion(path: Path) -> None:
    program = open_program(str(path))
    plain, traced = program.typed, recorded(path)
    assert plain is not None
    assert plain.recorder is None
    assert [d.code for d in plain.diagnostics] == [d.code for d in traced.diagnostics]
    assert (plain.type is None) == (traced.type is None)
    assert [site.sensitivity.show() for site in plain.releases] == [site.sensitivity.show() for site in traced.releases]
    for one, other in zip(functions(plain.type), functions(traced.type), strict=True):
        if isinstance(one, Fun):
            assert isinstance(other, Fun)
            assert one.sensitivity.show() == other.sensitivity.show()


@pytest.mark.parametrize("length", [2, 3000])
def test_a_long_chain_of_names_is_read_once_each(length: int, tmp_path: Path) -> None:
    """Each name doubles what the one before it has; told apart at every use, they would be 2^3000 steps."""
    lets = "\n".join(f"  let x{n} = x{n - 1} + x{n - 1} in" for n in range(1, length))
    path = tmp_path / "x.duet"
    path.write_text(f"sλ . x0 : ℝ ⇒\n{lets}\n  clip[0.0, 1.0] x{length - 1}\n", encoding="utf-8")
    ((reason, _),) = reasons(recorded(path))
    assert sum(1 for _ in steps(reason)) < 5 * length
