"""Which names a node binds, where they are bound, and which names an expression takes from outside.

The classes of the tree say on their fields what these bind (`duetpy.trees.bound_in`). What an expression captures, which
definition a name means and what a run keeps for a function are all read off that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias, cast, get_args

from duetpy.grammar import ast
from duetpy.trees import scoped, scoping

Reference: TypeAlias = ast.Var | ast.Name | ast.BoxEntry
"""A use of a variable: in an expression, in the list ``<xs>`` of a mechanism or of a loop, in a type ``box[x@s] τ``."""


Expression: TypeAlias = ast.SExp | ast.PExp

_EXPRESSIONS = frozenset({*get_args(ast.SExp), *get_args(ast.PExp)})


def scopes(node: ast.Node) -> Iterator[tuple[Expression, tuple[str, ...]]]:
    """The expressions directly inside a node in the order written, each with the names that the node binds in it."""
    for inner, names in _inside(node):
        if type(inner) in _EXPRESSIONS:
            yield cast(Expression, inner), names


def _inside(node: ast.Node) -> Iterator[tuple[ast.Node, tuple[str, ...]]]:
    """As `scopes`, of all nodes directly inside: names and types too."""
    return ((inner, names) for inner, names in scoped(node, _names) if isinstance(inner, ast.Node))


def _names(binder: object) -> list[str]:
    """The names in a field that binds them."""
    match binder:
        case ast.Name(text=text):
            return [text]
        case ast.Param(name=name):
            return [name.text]
        case ast.Aligned(params=inner) | tuple(inner):
            return [name for item in inner for name in _names(item)]
        case _:
            return []


def flat(params: tuple[ast.Param | ast.Aligned, ...]) -> tuple[ast.Param, ...]:
    """The parameters of a function, aligned ones taken out of their groups."""
    return tuple(param for group in params for param in (group.params if isinstance(group, ast.Aligned) else (group,)))


def name_of(reference: Reference) -> str:
    """The name that a reference uses."""
    return reference.text if isinstance(reference, ast.Name) else reference.name


def references(root: ast.Node) -> Iterator[Reference]:
    """The uses of variables in a tree that the tree does not bind itself, in the order of the text.

    Types are looked into as well: the type of a parameter stands outside of what the parameter is bound in.
    """
    bound: Counter[str] = Counter()
    pending: list[tuple[ast.Node, tuple[str, ...], bool]] = [(root, (), False)]
    while pending:
        here, names, is_done = pending.pop()
        if is_done:
            bound.subtract(names)
            continue
        if names:
            bound.update(names)
            pending.append((here, names, True))
        if isinstance(here, ast.Var | ast.BoxEntry) and not bound[here.name]:
            yield here
        for field in scoping(type(here)).references:
            yield from (listed for listed in getattr(here, field) or () if not bound[listed.text])
        pending.extend((child, within, False) for child, within in reversed(list(_inside(here))))
