"""Where in an expression a sensitivity comes from: only for messages, never for a judgement.

What the checker concluded of each node is at hand, so the walk follows an input downwards: into the part that still has what
the whole has, through names to what ``let`` bound them to, and from a collection to the row that a body looks at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from duetpy.grammar import ast
from duetpy.grammar.binders import scopes
from duetpy.typecheck.context import Root
from duetpy.typecheck.judgement import Judged

Concluded = Mapping[ast.Node, Judged]


def culprit(body: ast.SExp, root: Root, concluded: Concluded, addends: Mapping[ast.Node, ast.SExp]) -> ast.SExp:
    """The smallest expression that an input moves without bound, and that makes the whole move so."""
    here = through(body)
    visited: set[ast.Node] = set()
    while here not in visited:
        visited.add(here)
        step = _narrower(here, root, concluded, addends)
        if step is None:
            break
        here, root = through(step[0]), step[1]
    return here


def _narrower(
    here: ast.SExp, root: Root, concluded: Concluded, addends: Mapping[ast.Node, ast.SExp]
) -> tuple[ast.SExp, Root] | None:
    for part in expressions_in(here, concluded, addends):
        judged = concluded.get(through(part))
        if judged is not None and not judged.context[root].finite():
            return part, root
    for part, names in bodies_of(here, concluded, addends):
        judged = concluded.get(through(part))
        found = () if judged is None else judged.context.entries.items()
        for inner, sensitivity in found:
            if inner.name in names and not sensitivity.finite():
                return part, inner
    return None


def reached(body: ast.SExp, concluded: Concluded, addends: Mapping[ast.Node, ast.SExp]) -> Iterator[ast.SExp]:
    """Every expression that an expression is made of, names followed to what they are bound to, the outermost first."""
    pending, visited = [through(body)], set[ast.Node]()
    while pending:
        here = pending.pop()
        if here in visited:
            continue
        visited.add(here)
        yield here
        pending.extend(through(part) for part in reversed(list(expressions_in(here, concluded, addends))))


def through(node: ast.SExp) -> ast.SExp:
    """The expression that a chain of ``let`` ends in."""
    while isinstance(node, ast.Let):
        node = node.body
    return node


def expressions_in(node: ast.SExp, concluded: Concluded, addends: Mapping[ast.Node, ast.SExp]) -> Iterator[ast.SExp]:
    """The expressions directly inside one, a name holding what it is bound to."""
    if isinstance(node, ast.Var):
        judged = concluded.get(node)
        if judged is not None and judged.origin is not None:
            yield judged.origin
        return
    for part, _ in _scopes(node, addends):
        yield part


def bodies_of(
    node: ast.SExp, concluded: Concluded, addends: Mapping[ast.Node, ast.SExp]
) -> Iterator[tuple[ast.SExp, tuple[str, ...]]]:
    """The expressions directly inside one with the names that it binds in them; of a call those of the function called."""
    function = _applied(node)
    return _scopes(function if isinstance(function, ast.Lam) else node, addends)


def _scopes(node: ast.SExp, addends: Mapping[ast.Node, ast.SExp]) -> Iterator[tuple[ast.SExp, tuple[str, ...]]]:
    for part, names in scopes(node):
        if isinstance(node, ast.Fold) and part is node.body:
            yield addends.get(node, node.body), names
        elif isinstance(part, ast.SExp):
            yield part, names


def _applied(node: ast.SExp) -> ast.SExp:
    while isinstance(node, ast.App | ast.TypeApp):
        node = node.function
    return through(node)
