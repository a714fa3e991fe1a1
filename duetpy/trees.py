"""The one way through every tree of this package: the syntax, the types, the costs.

What a walk has to know of a class it reads off the fields of the class, so that no walk can forget one:

* a field holds a part, or a tuple of parts, or None;
* a part that is a `Tree` is a node below, or a `Piece`, which belongs to the node that holds it and which walks look through;
* what a field binds, and where, stands in the metadata of the field (`bound_in`).

Trees may be deep. Nothing here recurses, but for pieces, and `map_parts` calls what it is handed from Python only, so that a
function that goes down a tree by it takes no C stack (`duetpy.depth`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from attrs import evolve, fields, frozen

from duetpy.by_value import ByValue


@frozen(eq=False, repr=False, getstate_setstate=False)
class Tree:
    """What the classes of all trees are derived from. It leaves open how a class is copied and pickled: one without slots that took
    over the way of a base without fields would lose its own."""


@frozen(eq=False, repr=False, getstate_setstate=False)
class Piece(Tree):
    """A part of a node that is not itself a node: a column of a table, a parameter of a function."""


AnyTree = TypeVar("AnyTree", bound=Tree)
Node = TypeVar("Node")

_NAMES: dict[type[Tree], tuple[str, ...]] = {}


def field_names(cls: type[Tree]) -> tuple[str, ...]:
    """The names of what a node is made of, in the order of its class; the place in the text is not among them."""
    names = _NAMES.get(cls)
    if names is None:
        names = _NAMES[cls] = tuple(each.name for each in fields(cls) if each.init and each.name != "span")
    return names


_PLAIN = frozenset({"str", "bool", "int", "Fraction", "str | None", "int | None", "tuple[str, ...]", "tuple[int, ...]"})
"""Types of fields that hold no tree, as they are written."""

_HOLDERS: dict[type[Tree], tuple[str, ...]] = {}


def _holders(cls: type[Tree]) -> tuple[str, ...]:
    """The fields of a class that may hold trees."""
    names = _HOLDERS.get(cls)
    if names is None:
        plain = {each.name for each in fields(cls) if each.type in _PLAIN}
        names = _HOLDERS[cls] = tuple([name for name in field_names(cls) if name not in plain])
    return names


def parts(node: Tree) -> list[object]:
    """What a node is made of in the order written, the items of tuples one by one."""
    found: list[object] = []
    for name in field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, tuple):
            found.extend(value)
        else:
            found.append(value)
    return found


def own(node: Tree, kind: type[Tree]) -> tuple[object, ...]:
    """The fields of a node that hold no node of a kind: what tells it from another one with the same children."""
    found: list[object] = []
    for name in field_names(type(node)):
        value = getattr(node, name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, kind):
                break
        else:
            found.append(value)
    return tuple(found)


def children(node: Tree, kind: type[Node]) -> list[Node]:
    """The nodes of a kind directly below a node, in the order written."""
    found: list[Node] = []
    for name in _holders(type(node)):
        value = getattr(node, name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, kind):
                found.append(part)
            elif isinstance(part, Piece):
                found.extend(children(part, kind))
    return found


def map_parts(node: AnyTree, change: Callable[[object], object]) -> AnyTree:
    """A node with each of its parts changed; the same node where all parts stay the same."""
    changes: dict[str, object] = {}
    for name in field_names(type(node)):
        old = getattr(node, name)
        if isinstance(old, tuple):
            items = [change(item) for item in old]
            if any(one is not other for one, other in zip(old, items, strict=True)):
                changes[name] = tuple(items)
        elif (new := change(old)) is not old:
            changes[name] = new
    return evolve(node, **changes) if changes else node


def map_children(node: AnyTree, kind: type[Node], change: Callable[[Node], Node]) -> AnyTree:
    """A node with each of its children of a kind changed."""

    def changed(part: object) -> object:
        if isinstance(part, kind):
            return change(part)
        return map_parts(part, changed) if isinstance(part, Piece) else part

    return map_parts(node, changed)


def walk(
    root: Node, below: Callable[[Node], Sequence[Node]], enters: Callable[[Node], bool] | None = None
) -> Iterator[Node]:
    """A node and all that lies below it, in the order written; below a node that it does not enter nothing is visited."""
    pending = [root]
    while pending:
        here = pending.pop()
        yield here
        if enters is None or enters(here):
            pending.extend(reversed(below(here)))


def levels(
    root: Node, below: Callable[[Node], Sequence[Node]], link: Callable[[Node], object] | None = None
) -> Iterator[tuple[Node, int]]:
    """As `walk`, each node with its level; that of the root is 1. The next `link` of a chain, which every pass over trees walks
    in a loop, is on the level of the one before."""
    pending = [(root, 1)]
    while pending:
        here, level = pending.pop()
        yield here, level
        same = None if link is None else link(here)
        pending.extend([(child, level + (child is not same)) for child in reversed(below(here))])


# ---------------------------------------------------------------------------------------------------------------------
# Binders

_BOUND_IN, _REFERS = "bound in", "refers"

REFERENCES = {_REFERS: True}
"""The metadata of a field that lists names which are bound elsewhere."""


def bound_in(*names: str) -> dict[str, tuple[str, ...]]:
    """The metadata of a field whose names are bound in other fields of the node."""
    return {_BOUND_IN: names}


@frozen(eq=False, repr=False)
class Scoping(ByValue):
    """What a class says of names.

    Parameters
    ----------
    binders
        For each field the fields whose names are bound in it.
    binding, references
        The fields that bind names, and those that list names bound elsewhere.
    """

    binders: dict[str, tuple[str, ...]]
    binding: tuple[str, ...]
    references: tuple[str, ...]


_SCOPING: dict[type[Tree], Scoping] = {}


def scoped(node: Tree, names: Callable[[Any], Sequence[str]]) -> Iterator[tuple[object, tuple[str, ...]]]:
    """What the fields that may hold trees hold of a node, in the order written, the items of tuples one by one, each with the names
    that the node binds in it; `names` are those in a field that binds."""
    cls = type(node)
    binders = scoping(cls).binders
    for field in _holders(cls):
        part, binding = getattr(node, field), binders[field]
        bound = tuple([name for binder in binding for name in names(getattr(node, binder))]) if binding else ()
        for inner in part if isinstance(part, tuple) else (part,):
            yield inner, bound


def scoping(cls: type[Tree]) -> Scoping:
    """What a class says of names, read off the metadata of its fields."""
    found = _SCOPING.get(cls)
    if found is None:
        bodies = {each.name: each.metadata.get(_BOUND_IN, ()) for each in fields(cls)}
        found = _SCOPING[cls] = Scoping(
            {name: tuple(binder for binder, bound in bodies.items() if name in bound) for name in field_names(cls)},
            tuple(name for name, bound in bodies.items() if bound),
            tuple(each.name for each in fields(cls) if each.metadata.get(_REFERS)),
        )
    return found
