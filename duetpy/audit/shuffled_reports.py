"""The reports of a shuffle: each is about one row, so one row that changes moves the inputs of one report.

This holds of a shuffle of tables that are the program's own, if its body looks at nothing else that is protected: then a report
is all that the other rows may leave as it is. Which report it is nobody sees, and the price of a shuffle rests on that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from attrs import frozen

from duetpy.audit.cases import Subject
from duetpy.audit.recording import Call
from duetpy.typecheck import core
from duetpy.typecheck.annotations import ReleaseSite
from duetpy.typecheck.captures import Captures


@frozen(eq=False)
class Reports:
    """A shuffle of which every report is about one row.

    Parameters
    ----------
    node
        The shuffle.
    tables
        The parameters that it shuffles, as the program calls them.
    sites
        The mechanisms in its body.
    """

    node: core.Sample
    tables: frozenset[str]
    sites: frozenset[ReleaseSite]


def reports_of(subject: Subject) -> tuple[Reports, ...]:
    """The shuffles of a program's own tables that look at nothing else."""
    protected = frozenset(name for unit in subject.units for name in unit.names)
    declared = [parameter.name for parameter in subject.function.parameters]
    return tuple(
        found
        for node in core.nodes(subject.typed.core)
        if isinstance(node, core.PLam) and [param.written for param in node.params] == declared
        for found in _shuffles(node, {param.name: param.written for param in node.params}, protected)
    )


def _shuffles(function: core.PLam, written: dict[str, str], protected: Collection[str]) -> Iterator[Reports]:
    public = {name for name, known in written.items() if known not in protected}
    captures = Captures()
    for node in core.nodes(function.body):
        if not (isinstance(node, core.Sample) and node.scheme == "shuffle"):
            continue
        names = [table.name for table in node.tables if isinstance(table, core.Var) and table.name in written]
        seen = captures.body(node.body, *node.names)
        if len(names) < len(node.tables) or not public.issuperset(seen):
            continue
        sites = frozenset(inner.site for inner in core.nodes(node.body) if isinstance(inner, core.Mechanism))
        yield Reports(node, frozenset(written[name] for name in names), sites)


def reports_that_moved(reports: Reports, rows: int, first: Sequence[Call], second: Sequence[Call]) -> int:
    """In how many reports the mechanisms were given something else on a neighbour."""
    pairs = [(one, two) for one, two in zip(first, second, strict=True) if one.site in reports.sites]
    turns, rest = divmod(len(pairs), max(1, rows))
    if rest or not turns:
        return 0
    return len({at // turns for at, (one, two) in enumerate(pairs) if one.inputs != two.inputs})
