"""What a run is going to do, before it reads anything: ``run --explain-plan``.

    Plan (engine: threads)
      read table from people.csv
      laplace, sensitivity 100/m (3:3)
        fold the rows of table (4:6)

Contract. A plan is made of the program and of what is public: formulas, names, settings. No row is read for it, and the number
of rows of a ★ table is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from attrs import evolve

from duetpy.diagnostics.display import visible
from duetpy.diagnostics.error import DuetError
from duetpy.report.core_steps import count_of, place_of, steps, text_of, texts_of
from duetpy.runtime.evaluation.columns_seen import gone_over
from duetpy.runtime.evaluation.passes import Program
from duetpy.runtime.sources.binding import stream_in, streams_of_persons
from duetpy.runtime.sources.persons import persons_data
from duetpy.runtime.sources.reading import Reading
from duetpy.runtime.values.statics import KindScope
from duetpy.typecheck import core
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed
from duetpy.typecheck.persons import persons_of
from duetpy.typecheck.quantity import KindVar, Quantity


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
        What processes the rows.
    kinds
        The public numbers that are known.
    ways
        How the data of a parameter is read (`ways_of_reading`).
    """
    lines = [f"Plan (engine: {visible(engine)})"]
    lines += [f"  read {visible(name)} from {visible(source)}{ways.get(name, '')}" for name, source in sources.items()]
    numbers = {var: Quantity.of(value) for var, value in kinds.items()}
    lines += [
        f"{'  ' * (depth + 1)}{step}" for depth, step in steps(typed.core, lambda node, _: _placed(node, numbers))
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
        type_, persons = parameter.type, persons_of(parameter.type)
        files = (parameter.name,) if persons is None else persons.names
        if not isinstance(type_, t.Matrix) or not all(file in data for file in files):
            continue
        scope = KindScope(kinds)
        try:
            if persons is None:
                is_streamed = stream_in(data[parameter.name], type_, parameter.name, scope, reading) is not None
            else:
                own = persons_data({file: data[file] for file in files}, persons, parameter.name)
                is_streamed = streams_of_persons(own, persons, parameter.name, scope, reading) is not None
        except DuetError:
            continue  # the run says what is wrong
        if is_streamed:
            passes = program.passes(place, numbers)
            how = "block by block:"
            if persons is not None:
                by = visible(persons.identifier.name or "")
                # What is read from the disk has been read from the file before.
                how, passes = f"sorted by {by} on disk, and read from there", None if passes is None else passes - 1
            times = "again for each pass" if passes is None else f"{passes} times at most"
            way = f", {how} {times}{'' if reading.streams else ', if it does not fit into memory'}"
        elif reading.streams:
            elsewhere = program.elsewhere(place) if parameter.name not in reading.streamable else None
            why = "" if elsewhere is None else f": all rows are wanted together ({place_of(elsewhere)})"
            way = f", and keep its rows{why}"
        else:
            continue
        found |= dict.fromkeys(files, way)
    return found


def _placed(node: core.Node, numbers: Mapping[KindVar, Quantity]) -> str | None:
    step = _step(node, numbers)
    return None if step is None else f"{step} ({place_of(node)})"


def _step(node: core.Node, numbers: Mapping[KindVar, Quantity]) -> str | None:
    """What a form does to rows, how often it repeats what is in it, or where its noise goes; None for any other form."""
    match node:
        case core.RowFold(arg=table) | core.Fold(arg=table):
            return f"fold the rows of {text_of(table)}"
        case core.Map(args=tables):
            return f"map {texts_of(tables)} by {node.form}"
        case core.Filter(arg=table):
            return f"filter the rows of {text_of(table)}"
        case core.Flat(arg=table):
            return f"put the rows of each row of {text_of(table)} into one table"
        case core.Join(left=left):
            return f"join the rows of {text_of(left)} with a table"
        case core.Partition(table=table):
            return f"divide the rows of {text_of(table)} into a bag"
        case core.Prim(loss=loss) if loss is not None:
            return f"{node.name} of {loss} over rows"
        case core.Loop(count=count) | core.PLoop(count=count):
            return f"repeat {count_of(count, numbers)} times"
        case core.Parallel(table=table, keys=keys):
            return f"divide the rows of {text_of(table)} by a key of {text_of(keys)}; for each part"
        case core.PMap(arg=table):
            return f"for each {'column' if node.by_column else 'cell'} of {text_of(table)}"
        case core.PFoldRows(features=features):
            return f"for each batch of {text_of(features)}"
        case core.Sample(tables=tables, size=size):
            return f"{node.scheme}[{count_of(size, numbers)}] of the rows of {texts_of(tables)}"
        case core.Mechanism(site=site):
            return f"{site.mechanism}, sensitivity {site.sensitivity.substitute(numbers).show()}"
        case core.ForeignCall():
            return "call of foreign code"
        case _:
            return None
