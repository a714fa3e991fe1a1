"""Which outer names an expression mentions.

A function, or the body of a map or a fold, runs with the values that its free names had where it was written. Only those
are kept, so that a program of ten thousand nested lets stays linear in time and memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import define, field

from duetpy.grammar import ast
from duetpy.typecheck.additive import parts


def scopes(node: ast.Node) -> Iterator[tuple[ast.Node, tuple[str, ...]]]:
    """The expressions directly inside a node, each with the names that the node binds in it."""
    match node:
        case ast.Let() | ast.PLet():
            yield node.bound, ()
            yield node.body, (node.name.text,)
        case ast.LetPair() | ast.PLetPair():
            yield node.bound, ()
            yield node.body, (node.left.text, node.right.text)
        case ast.Lam():
            yield node.body, tuple(param.name.text for param in node.params)
        case ast.PLam():
            yield node.body, tuple(param.name.text for param in flat(node.params))
        case ast.Case() | ast.PCase():
            yield node.scrutinee, ()
            yield node.left_body, (node.left.text,)
            yield node.right_body, (node.right.text,)
        case ast.Loop():
            yield node.count, ()
            yield node.init, ()
            yield node.body, (node.index.text, node.state.text)
        case ast.PLoop():
            if node.slack is not None:
                yield node.slack, ()
            yield node.count, ()
            yield node.init, ()
            yield node.body, (node.index.text, node.state.text)
        case ast.MCreate():
            yield node.rows, ()
            yield node.cols, ()
            yield node.body, (node.row.text, node.col.text)
        case ast.Map():
            yield from ((arg, ()) for arg in node.args)
            yield node.body, tuple(name.text for name in node.names)
        case ast.Fold():
            yield node.init, ()
            yield node.arg, ()
            yield node.body, (node.state.text, node.row.text)
        case ast.Filter():
            yield node.arg, ()
            yield node.body, (node.row.text,)
        case ast.Bind():
            yield node.first, ()
            yield node.then, (node.name.text,)
        case ast.Mechanism():
            yield from ((param, ()) for param in node.params if param is not None)
            if node.candidates is not None:
                yield node.candidates, ()
            yield node.body, () if node.binder is None else (node.binder.text,)
        case ast.Parallel():
            yield node.table, ()
            yield node.keys, ()
            yield node.key_of, (node.row.text,)
            yield node.body, (node.key.text, node.part.text)
        case ast.PMap():
            yield node.arg, ()
            yield node.body, (node.name.text,)
        case ast.Sample():
            yield node.size, ()
            yield from ((table, ()) for table in node.tables)
            yield node.body, tuple(name.text for name in node.names)
        case _:
            yield from ((inner, ()) for inner in parts(node))


def flat(params: tuple[ast.Param | ast.Aligned, ...]) -> tuple[ast.Param, ...]:
    """The parameters of a privacy function, aligned ones taken out of their groups."""
    return tuple(param for group in params for param in (group.params if isinstance(group, ast.Aligned) else (group,)))


@define
class Captures:
    """The free names of expressions, found once."""

    known: dict[ast.Node, frozenset[str]] = field(factory=dict)

    def of(self, node: ast.Node) -> frozenset[str]:
        """The names that an expression mentions and does not bind itself."""
        if node not in self.known:
            self._walk(node)
        return self.known[node]

    def body(self, node: ast.Node, *bound: str) -> frozenset[str]:
        """The free names of a body without those that are bound for it."""
        return self.of(node) - frozenset(bound)

    def _walk(self, root: ast.Node) -> None:
        """Bottom up, without recursion. The larger of two sets takes in the smaller, so a spine of lets costs n log n;
        the sets of bodies that will be asked for are kept."""
        pending: list[tuple[ast.Node, bool]] = [(root, False)]
        found: dict[ast.Node, set[str]] = {}
        while pending:
            node, is_done = pending.pop()
            if node in self.known:
                found[node] = set(self.known[node])
                continue
            if isinstance(node, ast.Var):
                found[node] = {node.name}
            elif not is_done:
                pending.append((node, True))
                pending.extend((inner, False) for inner, _ in scopes(node))
            else:
                self._gather(node, found)
        self.known[root] = frozenset(found[root])

    def _gather(self, node: ast.Node, found: dict[ast.Node, set[str]]) -> None:
        free: set[str] = set()
        keeps = isinstance(node, ast.Lam | ast.PLam | ast.Map | ast.Fold | ast.Filter | ast.MCreate | ast.Parallel)
        for inner, names in scopes(node):
            # A node that stands in two places was taken by the first.
            inside = found.pop(inner) if inner in found else set(self.of(inner))
            if keeps and names and inner not in self.known:
                self.known[inner] = frozenset(inside)
            inside.difference_update(names)
            free, inside = (free, inside) if len(free) >= len(inside) else (inside, free)
            free |= inside
        found[node] = free
        if isinstance(node, ast.Lam | ast.PLam):
            self.known[node] = frozenset(free)
