"""Trees as data: children, height, equality up to spans, a digest, and parts put in the place of others. Nothing here recurses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import date
from enum import Enum
from fractions import Fraction
from typing import Any

from duetpy import trees
from duetpy.grammar.ast import Bind, Let, Node, PLet, SCons
from duetpy.trees import Tree, field_names


def children(node: Node) -> list[Node]:
    """The nodes directly below a node, in the order written."""
    return trees.children(node, Node)


def nodes(root: Node) -> Iterator[Node]:
    """Every node of a tree, in the order written."""
    return trees.walk(root, children)


def height(node: Node) -> int:
    """The number of nodes on the longest way down; the links of a column list, and of a chain of lets or binds, count as one."""
    return max(level for _, level in trees.levels(node, children, _next_link))


def first_below(root: Node, most: int) -> Node | None:
    """The first node that is more than so many levels down, counted as `height` does."""
    return next((node for node, level in trees.levels(root, children, _next_link) if level > most), None)


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


def fingerprint(root: Node) -> str:
    """A digest of a tree: two trees that are equal up to spans have the same one, and no others.

    The text that a tree is printed as does not identify it: a word such as ``abs`` is a name where a definition of that name is
    in sight and a primitive elsewhere, and an imported file does not see the definitions of the others.
    """
    made = hashlib.sha256()
    pending: list[object] = [root]
    while pending:
        part = pending.pop()
        below: list[object] = []
        match part:
            case Tree():
                below = [getattr(part, name) for name in field_names(type(part))]
                head = type(part).__name__
            case tuple():
                below = list(part)
                head = "tuple"
            case Enum():
                head = f"{type(part).__name__}.{part.name}"
            case Fraction():
                head = f"Fraction {part.numerator:#x}/{part.denominator:#x}"
            case bool() | None:
                head = repr(part)
            case int():
                # How many digits Python writes of a number is a setting of the process; of sixteens it writes any.
                head = f"int {part:#x}"
            case date():
                head = f"date {part.isoformat()}"
            case str():
                head = f"str {part!a}"
            case _:
                raise TypeError(f"a tree holds a {type(part).__name__}")
        # No head holds a line break, and its number of parts follows it, so no two trees are written alike.
        made.update(f"{head} {len(below)}\n".encode("ascii"))
        pending.extend(reversed(below))
    return made.hexdigest()


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
                done[node] = trees.map_children(node, Node, done.__getitem__)
    return done[root]
