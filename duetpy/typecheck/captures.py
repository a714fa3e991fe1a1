"""Which outer names an expression mentions.

A function, or the body of a map or a fold, runs with the values that its free names had where it was written. Only those
are kept, so that a program of ten thousand nested lets stays linear in time and memory.
"""

from __future__ import annotations

from attrs import define, field

from duetpy.typecheck import core

_WITH_BODIES = (
    core.Lam,
    core.PLam,
    core.Map,
    core.RowFold,
    core.Fold,
    core.Filter,
    core.Flat,
    core.MCreate,
    core.Parallel,
)

_OFTEN = (*_WITH_BODIES, core.Loop, core.PLoop)
"""The forms whose parts may be evaluated several times."""


@define(eq=False, repr=False)
class Captures:
    """The free names of expressions, found once."""

    known: dict[core.Node, frozenset[str]] = field(factory=dict)
    repeated: dict[core.Node, bool] = field(factory=dict)

    def copy(self) -> Captures:
        """The same, to go on from: whoever evaluates makes expressions of their own, which are not kept for the next run."""
        return Captures(dict(self.known), dict(self.repeated))

    def of(self, node: core.Node) -> frozenset[str]:
        """The names that an expression mentions and does not bind itself."""
        if node not in self.known:
            self._walk(node)
        return self.known[node]

    def body(self, node: core.Node, *bound: str) -> frozenset[str]:
        """The free names of a body without those that are bound for it."""
        return self.of(node) - frozenset(bound)

    def is_repeated(self, name: str, body: core.Node) -> bool:
        """Whether an expression may look at a name more than once."""
        if body not in self.repeated:
            seen = 0
            for node in core.nodes(body):
                seen += isinstance(node, core.Var) and node.name == name
                if isinstance(node, _OFTEN):
                    seen += 2 * any(bound and name in self.of(inner) for inner, bound in core.scopes(node))
                if seen > 1:
                    break
            self.repeated[body] = seen > 1
        return self.repeated[body]

    def _walk(self, root: core.Node) -> None:
        """Bottom up, without recursion. The larger of two sets takes in the smaller, so a spine of lets costs n log n;
        the sets of bodies that will be asked for are kept."""
        pending: list[tuple[core.Node, bool]] = [(root, False)]
        found: dict[core.Node, set[str]] = {}
        while pending:
            node, is_done = pending.pop()
            if node in self.known:
                found[node] = set(self.known[node])
                continue
            if isinstance(node, core.Var):
                found[node] = {node.name}
            elif not is_done:
                pending.append((node, True))
                pending.extend((inner, False) for inner, _ in core.scopes(node))
            else:
                self._gather(node, found)
        self.known[root] = frozenset(found[root])

    def _gather(self, node: core.Node, found: dict[core.Node, set[str]]) -> None:
        free: set[str] = set()
        keeps = isinstance(node, _WITH_BODIES)
        for inner, names in core.scopes(node):
            # A node that stands in two places was taken by the first.
            inside = found.pop(inner) if inner in found else set(self.of(inner))
            if keeps and names and inner not in self.known:
                self.known[inner] = frozenset(inside)
            inside.difference_update(names)
            free, inside = (free, inside) if len(free) >= len(inside) else (inside, free)
            free |= inside
        found[node] = free
        if isinstance(node, core.Lam | core.PLam):
            self.known[node] = frozenset(free)
