"""Which names a node binds, where they are bound, and which names an expression takes from outside.

This is the one table of binders: what an expression captures, which definition a name means and what a run keeps for a
function are all read off it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from duetpy.grammar import ast
from duetpy.grammar.compare import children

Reference: TypeAlias = ast.Var | ast.Name | ast.BoxEntry
"""A use of a variable: in an expression, in the list ``<xs>`` of a mechanism or of a loop, in a type ``box[x@s] τ``."""


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
            yield from ((inner, ()) for inner in children(node))


def flat(params: tuple[ast.Param | ast.Aligned, ...]) -> tuple[ast.Param, ...]:
    """The parameters of a privacy function, aligned ones taken out of their groups."""
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
        match here:
            case ast.Var(name=name) | ast.BoxEntry(name=name) if not bound[name]:
                yield here
            case ast.Mechanism(private=private) | ast.PLoop(private=private):
                yield from (listed for listed in private or () if not bound[listed.text])
            case _:
                pass
        within = dict(scopes(here))
        pending.extend((child, within.get(child, ()), False) for child in reversed(children(here)))
