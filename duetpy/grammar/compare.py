"""Trees as data: children, height, equality up to spans, and parts put in the place of others. Nothing here recurses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve, fields

from duetpy.grammar.ast import Bind, Let, Node, PLet, SCons

_FIELD_NAMES: dict[str, tuple[str, ...]] = {}


def field_names(cls: type[Node]) -> tuple[str, ...]:
    """The names of a node's parts in order, its span left out."""
    names = _FIELD_NAMES.get(cls.__name__)
    if names is None:
        names = _FIELD_NAMES[cls.__name__] = tuple(part.name for part in fields(cls) if part.name != "span")
    return names


def children(node: Node) -> list[Node]:
    """The nodes directly below a node, in the order written."""
    found: list[Node] = []
    for name in field_names(type(node)):
        part = getattr(node, name)
        if isinstance(part, Node):
            found.append(part)
        elif isinstance(part, tuple):
            found.extend(item for item in part if isinstance(item, Node))
    return found


def height(node: Node) -> int:
    """The number of nodes on the longest way down; the links of a column list, and of a chain of lets or binds, count as one."""
    return max(level for _, level in _by_level(node))


def first_below(root: Node, most: int) -> Node | None:
    """The first node that is more than so many levels down, counted as `height` does."""
    return next((node for node, level in _by_level(root) if level > most), None)


def _by_level(root: Node) -> Iterator[tuple[Node, int]]:
    """Every node of a tree with its level, in the order written."""
    pending = [(root, 1)]
    while pending:
        node, level = pending.pop()
        yield node, level
        pending.extend((child, level + (child is not _next_link(node))) for child in reversed(children(node)))


def _next_link(node: Node) -> Node | None:
    """The next of a chain of forms that every pass over trees walks in a loop."""
    match node:
        case SCons(rest=link) | Let(body=link) | Bind(then=link) | PLet(body=link):
            return link
        case _:
            return None


def same(left: object, right: object) -> bool:
    """Whether two trees (or tuples of trees, or leaves) are equal up to spans."""
    stack: list[tuple[Any, Any]] = [(left, right)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if isinstance(a, Node):
            stack.extend((getattr(a, name), getattr(b, name)) for name in field_names(type(a)))
        elif isinstance(a, tuple):
            if len(a) != len(b):
                return False
            stack.extend(zip(a, b, strict=True))
        elif a != b:
            return False
    return True


def replaced(root: Node, by: Mapping[Node, Node]) -> Node:
    """A tree with some of its nodes replaced; what holds none of them is the same node as before."""
    done: dict[Node, Node] = dict(by)
    pending = [root]
    while pending:
        node = pending[-1]
        below = [] if node in done else [child for child in children(node) if child not in done]
        pending.extend(below)
        if not below:
            pending.pop()
            if node not in done:
                done[node] = _with_children(node, done)
    return done[root]


def _with_children(node: Node, done: Mapping[Node, Node]) -> Node:
    """A node with what its children became."""
    changes: dict[str, Any] = {}
    for name in field_names(type(node)):
        part = getattr(node, name)
        if isinstance(part, Node):
            new: Any = done[part]
        elif isinstance(part, tuple):
            new = tuple(done[item] if isinstance(item, Node) else item for item in part)
            if all(a is b for a, b in zip(part, new, strict=True)):
                continue
        else:
            continue
        if new is not part:
            changes[name] = new
    return evolve(node, **changes) if changes else node
