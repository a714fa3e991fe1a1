"""Programs rewritten without a change of meaning: other names, lets written out, code that nothing uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

import attrs
from attrs import evolve

from duetpy.grammar import ast
from duetpy.grammar.compare import children

Scope = Mapping[str, str]


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """The node with each node directly inside it changed."""
    changes: dict[str, Any] = {}
    for attribute in attrs.fields(type(node)):
        value = getattr(node, attribute.name)
        if isinstance(value, ast.Node):
            changes[attribute.name] = change(value)
        elif isinstance(value, tuple):
            changes[attribute.name] = tuple(change(item) if isinstance(item, ast.Node) else item for item in value)
    return evolve(node, **changes)


def renamed(node: Any, scope: Scope, fresh: count[int]) -> Any:
    """Every bound variable under a name of its own."""

    def under(inner: Any, *names: ast.Name) -> tuple[Any, dict[str, str]]:
        inside = dict(scope)
        new = {name.text: f"n{next(fresh)}" for name in names}
        inside.update(new)
        return renamed(inner, inside, fresh), new

    def name(old: ast.Name, new: Mapping[str, str]) -> ast.Name:
        return ast.Name(old.span, new[old.text])

    def parameter(old: Any, new: Mapping[str, str]) -> Any:
        type_ = old.type
        if isinstance(type_, ast.TPersons) and type_.roster is not None:
            type_ = evolve(type_, roster=evolve(type_.roster, name=new[type_.roster.name]))
        return evolve(old, name=name(old.name, new), type=type_)

    def go(inner: Any) -> Any:
        return renamed(inner, scope, fresh)

    match node:
        case ast.Var():
            return ast.Var(node.span, scope.get(node.name, node.name))
        case ast.Let():
            body, new = under(node.body, node.name)
            return evolve(node, name=name(node.name, new), bound=go(node.bound), body=body)
        case ast.LetPair():
            body, new = under(node.body, node.left, node.right)
            return evolve(node, left=name(node.left, new), right=name(node.right, new), bound=go(node.bound), body=body)
        case ast.Lam():
            body, new = under(node.body, *(param.name for param in node.params))
            return evolve(node, params=tuple(parameter(p, new) for p in node.params), body=body)
        case ast.Case():
            left_body, left = under(node.left_body, node.left)
            right_body, right = under(node.right_body, node.right)
            return ast.Case(
                node.span, go(node.scrutinee), name(node.left, left), left_body, name(node.right, right), right_body
            )
        case ast.Loop():
            body, new = under(node.body, node.index, node.state)
            index, state = name(node.index, new), name(node.state, new)
            return ast.Loop(node.span, go(node.count), go(node.init), index, state, body)
        case ast.MCreate():
            body, new = under(node.body, node.row, node.col)
            row, col = name(node.row, new), name(node.col, new)
            return evolve(node, rows=go(node.rows), cols=go(node.cols), row=row, col=col, body=body)
        case ast.Map():
            body, new = under(node.body, *node.names)
            names = tuple(name(old, new) for old in node.names)
            return evolve(node, args=tuple(map(go, node.args)), names=names, body=body)
        case ast.Fold():
            body, new = under(node.body, node.state, node.row)
            state, row = name(node.state, new), name(node.row, new)
            return ast.Fold(node.span, go(node.init), go(node.arg), state, row, body)
        case ast.Filter():
            body, new = under(node.body, node.row)
            return ast.Filter(node.span, go(node.arg), name(node.row, new), body)
        case ast.Flat():
            body, new = under(node.body, node.row)
            return ast.Flat(node.span, go(node.most), go(node.arg), name(node.row, new), body)
        case _:
            return rebuilt(node, go)


def with_names_of_its_own(body: ast.SExp) -> Any:
    return renamed(body, {}, count())


def written_out(node: Any, values: Mapping[str, Any]) -> Any:
    """Every let-bound name replaced by what it stands for; names are taken to be bound once."""
    match node:
        case ast.Var(name=name) if name in values:
            return values[name]
        case ast.Let(name=name, bound=bound, body=body):
            return written_out(body, {**values, name.text: written_out(bound, values)})
        case _:
            return rebuilt(node, lambda inner: written_out(inner, values))


def every(node: ast.Node) -> list[ast.Node]:
    found, pending = [], [node]
    while pending:
        here = pending.pop()
        found.append(here)
        pending.extend(children(here))
    return found
