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

from duetpy.diagnostics.display import visible
from duetpy.diagnostics.markup import shortened
from duetpy.typecheck import core
from duetpy.typecheck.check import Typed
from duetpy.typecheck.lowering import MARK
from duetpy.typecheck.quantity import KindVar, Quantity

EXCERPT = 40
"""So much of an expression is quoted."""


def plan_lines(typed: Typed, sources: Mapping[str, str], engine: str, kinds: Mapping[KindVar, Fraction]) -> list[str]:
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
    """
    lines = [f"Plan (engine: {visible(engine)})"]
    lines += [f"  read {visible(name)} from {visible(source)}" for name, source in sources.items()]
    numbers = {var: Quantity.of(value) for var, value in kinds.items()}
    lines += [f"{'  ' * (depth + 1)}{step}" for depth, step in _steps(typed.core, numbers)]
    return lines


def _steps(root: core.Node | None, numbers: Mapping[KindVar, Quantity]) -> Iterator[tuple[int, str]]:
    """Every step, and how many others it is part of. A walk without recursion: programs nest deeply."""
    pending = [] if root is None else [(root, 0)]
    while pending:
        node, depth = pending.pop()
        step = _step(node, numbers)
        if step is not None:
            yield depth, f"{step} ({_place(node)})"
            depth += 1
        pending.extend((child, depth) for child in reversed(core.children(node)))


def _step(node: core.Node, numbers: Mapping[KindVar, Quantity]) -> str | None:
    """What a form does to rows, how often it repeats what is in it, or where its noise goes; None for any other form."""
    match node:
        case core.RowFold(arg=table) | core.Fold(arg=table):
            return f"fold the rows of {_text(table)}"
        case core.Map(args=tables):
            return f"map {_texts(tables)} by {node.form}"
        case core.Filter(arg=table):
            return f"filter the rows of {_text(table)}"
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
        return visible(node.name.partition(MARK)[0])
    return shortened(" ".join(node.span.text.split()), EXCERPT)


def _place(node: core.Node) -> str:
    line, column = node.span.begin
    source = node.span.source
    return f"{visible(source.name)}:{line}:{column}" if source.is_imported else f"{line}:{column}"
