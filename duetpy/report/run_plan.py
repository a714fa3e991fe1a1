"""What a run is going to do, before it reads anything: ``run --explain-plan``.

    Plan (engine: threads)
      read table from people.csv
      laplace, sensitivity 100/m (3:3)
        fold the rows of table (4:6)

Contract. A plan is made of the program and of what is public: formulas, names, settings. No row is read for it, and the number
of rows of a ★ table is not in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from attrs import evolve, frozen

from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.diagnostics.markup import shortened
from duetpy.runtime.evaluation.passes import Program, gone_over
from duetpy.runtime.sources.binding import stream_in
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.values.statics import KindScope
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.lowering import MARK
from duetpy.typecheck.quantity import KindVar, Quantity

EXCERPT = 40
"""So much of an expression is quoted."""


def plan_lines(
    typed: Typed,
    sources: Mapping[str, str],
    engine: str,
    kinds: Mapping[KindVar, Fraction],
    ways: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """The steps of a run in the order of the text, each below what repeats it or releases it.

    Parameters
    ----------
    typed
        The checked program.
    sources
        Where the data of each parameter comes from, by its name.
    engine
        What goes through the rows.
    kinds
        The public numbers that are known.
    ways
        How the data of a parameter is read (`ways_of_reading`).
    """
    lines = [f"Plan (engine: {visible(engine)})"]
    lines += [f"  read {visible(name)} from {visible(source)}{ways.get(name, '')}" for name, source in sources.items()]
    numbers = {var: Quantity.of(value) for var, value in kinds.items()}
    lines += [
        f"{'  ' * (depth + 1)}{step}" for depth, step in _shown(_steps(typed.core, numbers), _reached(typed.core))
    ]
    return lines


def ways_of_reading(
    typed: Typed, data: Mapping[str, object], kinds: Mapping[KindVar, Fraction], reading: Reading
) -> dict[str, str]:
    """How the rows of each parameter are read: once, and kept, or again for each pass over them.

    Parameters
    ----------
    typed, kinds
        As in `plan_lines`.
    data
        The source of each parameter.
    reading
        How tables are read.
    """
    assert isinstance(typed.type, t.PFun)
    program = Program(typed.core)
    reading = evolve(reading, streamable=gone_over(typed.core))
    numbers = {var: Quantity.of(value) for var, value in kinds.items()}
    found: dict[str, str] = {}
    for place, parameter in enumerate(typed.type.parameters):
        type_, given = parameter.type, data.get(parameter.name)
        if given is None or not isinstance(type_, t.Matrix):
            continue
        try:
            is_streamed = stream_in(given, type_, parameter.name, KindScope(kinds), reading) is not None
        except DuetError:
            continue  # the run says what is wrong
        if is_streamed:
            passes = program.passes(place, numbers)
            times = "again for each pass" if passes is None else f"{passes} times at most"
            found[parameter.name] = (
                f", block by block: {times}{'' if reading.streams else ', if it does not fit into memory'}"
            )
        elif reading.streams:
            elsewhere = program.elsewhere(place) if parameter.name not in reading.streamable else None
            why = "" if elsewhere is None else f": all rows are wanted together ({_place(elsewhere)})"
            found[parameter.name] = f", and keep its rows{why}"
    return found


@frozen
class Step:
    """What is done, how many others it is part of, and the function that it defines or calls, if it does."""

    depth: int
    text: str
    defined: str | None = None
    called: str | None = None


def _steps(root: core.Node | None, numbers: Mapping[KindVar, Quantity]) -> Iterator[Step]:
    """Every step. A walk without recursion: programs nest deeply."""
    pending: list[tuple[core.Node, int] | Step] = [] if root is None else [(root, 0)]
    while pending:
        match pending.pop():
            case Step() as definition:
                yield definition
            case (core.Let() | core.PLet()) as node, depth if isinstance(node.bound, core.Lam | core.PLam):
                place = f"when {_name(node.name)} is called ({_place(node.bound)})"
                pending += [(node.body, depth), (node.bound, depth + 1), Step(depth, place, defined=node.name)]
            case node, depth:
                match node:
                    case core.App(function=core.Var(name=name)) | core.PApp(function=core.Var(name=name)):
                        yield Step(depth, f"call {_name(name)} ({_place(node)})", called=name)
                    case _ if step := _step(node, numbers):
                        yield Step(depth, f"{step} ({_place(node)})")
                        depth += 1
                pending.extend((child, depth) for child in reversed(core.children(node)))


def _reached(root: core.Node | None) -> set[str]:
    """The functions that the program uses, directly or in others."""
    bodies: dict[str, core.Node] = {}
    found: set[str] = set()
    pending: list[core.Node] = [] if root is None else [root]
    while pending:
        match pending.pop():
            case (core.Let() | core.PLet()) as node if isinstance(node.bound, core.Lam | core.PLam):
                bodies[node.name] = node.bound
                pending.append(node.body)
            case core.Var(name=name) if name in bodies:
                found.add(name)
                pending.append(bodies.pop(name))
            case node:
                pending += core.children(node)
    return found


def _shown(steps: Iterator[Step], reached: set[str]) -> Iterator[tuple[int, str]]:
    """The steps without the functions that are not used or do nothing to rows, and their calls. A function stands above the calls
    of it."""
    found: list[Step] = []
    around: list[Step] = []
    doing: set[str] = set()
    for step in steps:
        around = [outer for outer in around if outer.depth < step.depth]
        if step.defined is not None:
            around.append(step)
        elif step.called is None or step.called in doing:
            doing.update(outer.defined for outer in around if outer.defined is not None)
        found.append(step)
    unused: int | None = None
    for step in found:
        if unused is not None and step.depth > unused:
            continue
        unused = step.depth if step.defined is not None and step.defined not in reached else None
        if unused is None and ((step.defined or step.called or "") in doing or step.defined is step.called is None):
            yield step.depth, step.text


def _step(node: core.Node, numbers: Mapping[KindVar, Quantity]) -> str | None:
    """What a form does to rows, how often it repeats what is in it, or where its noise goes; None for any other form."""
    match node:
        case core.RowFold(arg=table) | core.Fold(arg=table):
            return f"fold the rows of {_text(table)}"
        case core.Map(args=tables):
            return f"map {_texts(tables)} by {node.form}"
        case core.Filter(arg=table):
            return f"filter the rows of {_text(table)}"
        case core.Flat(arg=table):
            return f"put the rows of each row of {_text(table)} into one table"
        case core.Join(left=left):
            return f"join the rows of {_text(left)} with a table"
        case core.Partition(table=table):
            return f"divide the rows of {_text(table)} into a bag"
        case core.Prim(loss=loss) if loss is not None:
            return f"{node.name} of {loss} over rows"
        case core.Loop(count=count) | core.PLoop(count=count):
            return f"repeat {_count(count, numbers)} times"
        case core.Parallel(table=table, keys=keys):
            return f"divide the rows of {_text(table)} by a key of {_text(keys)}; for each part"
        case core.PMap(arg=table):
            return f"for each {'column' if node.by_column else 'cell'} of {_text(table)}"
        case core.PFoldRows(features=features):
            return f"for each batch of {_text(features)}"
        case core.Sample(tables=tables, size=size):
            return f"{node.scheme}[{_count(size, numbers)}] of the rows of {_texts(tables)}"
        case core.Mechanism(site=site):
            return f"{site.mechanism}, sensitivity {site.sensitivity.substitute(numbers).show()}"
        case core.ForeignCall():
            return "call of foreign code"
        case _:
            return None


def _count(node: core.Expression, numbers: Mapping[KindVar, Quantity]) -> str:
    """A public number: what is known of it, else how it is written."""
    known = getattr(node.static, "value", None)
    return known.substitute(numbers).show() if isinstance(known, Quantity) else _text(node)


def _texts(nodes: Sequence[core.Expression]) -> str:
    return ", ".join(map(_text, nodes))


def _text(node: core.Node) -> str:
    """An expression as it is written, on one line."""
    if isinstance(node, core.Var):
        return _name(node.name)
    return shortened(" ".join(node.span.text.split()), EXCERPT)


def _name(name: str) -> str:
    """A name as it is written."""
    return visible(name.partition(MARK)[0])


def _place(node: core.Node) -> str:
    line, column = node.span.begin
    source = node.span.source
    return f"{visible(source.name)}:{line}:{column}" if source.is_imported else f"{line}:{column}"
