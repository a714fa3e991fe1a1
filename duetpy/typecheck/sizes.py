"""Sizes that a program need not declare: the numbers of rows and columns of its own inputs.

A run takes these from the data, so a program that lists no kind variables may name them where they stand:

    pλ xs : 𝕄 [L∞, U | m, n⋅𝔻], static ε : ℝ⁺ ⇒ …        is        pλ m : ℕ, n : ℕ, ε : ℝ⁺ . xs : …, ε : ℝ⁺[ε] ⇒ …

Only the function that is the program has such sizes: another one is called, and its list says what a call may give. Where
there is a list it is complete, so that a misspelt name stays an error. But the size of a roster has a name that no list can hold.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from duetpy import trees
from duetpy.grammar import ast
from duetpy.source import Span
from duetpy.typecheck.persons import size_of


def with_sizes(file: ast.File) -> ast.File:
    """The file with a kind variable for each size of the program's parameters that nobody declares."""
    body = file.body
    if body is None or isinstance(body, ast.Var):
        named = "main" if body is None else body.name
        at = next((at for at, each in reversed([*enumerate(file.definitions)]) if each.name.text == named), -1)
        if not file.definitions or (at < 0 and body is not None):
            return file
        found = file.definitions[at]
        changed = (*file.definitions[:at], evolve(found, value=_quantified(found.value)), *file.definitions[at:][1:])
        return evolve(file, definitions=changed)
    return evolve(file, body=_quantified(body))


def _quantified(original: ast.SExp) -> ast.SExp:
    """The program's function, also below what it binds first, or as what it binds last."""
    body, above = original, list[ast.Let]()
    while isinstance(body, ast.Let):
        above.append(body)
        body = body.bound if _is_named(body) else body.body
    if not isinstance(body, ast.Lam | ast.PLam):
        return original
    known = {kind.name for kind in body.kinds}
    is_complete = not all(_is_static(kind, body) for kind in body.kinds)
    kinds = {
        name: ast.KindBinding(span, name, ast.Kind.NAT) for name, span in _sizes(body, only_of_rosters=is_complete)
    }
    if not kinds:
        return original
    body = evolve(body, kinds=(*[kind for name, kind in kinds.items() if name not in known], *body.kinds))
    for let in reversed(above):
        body = evolve(let, bound=body) if _is_named(let) else evolve(let, body=body)
    return body


def _is_named(let: ast.Let) -> bool:
    """``let main = e in main``."""
    return isinstance(let.body, ast.Var) and let.body.name == let.name.text


def _is_static(kind: ast.KindBinding, function: ast.Lam | ast.PLam) -> bool:
    """Whether a parameter declares the kind variable."""
    return any(isinstance(param, ast.Param) and param.name.span.start == kind.span.start for param in function.params)


def _sizes(function: ast.Lam | ast.PLam, *, only_of_rosters: bool) -> Iterator[tuple[str, Span]]:
    """The names that stand as a number of rows or of columns in the types of parameters, and those of the sizes of rosters, in the
    order written."""
    for param in function.params:
        for one in param.params if isinstance(param, ast.Aligned) else (param,):
            if one.type is not None:
                # The type of a function quantifies its own.
                root: ast.Node = one.type
                for node in trees.walk(root, _below, lambda node: not isinstance(node, ast.TFun | ast.TPFun)):
                    match node:
                        case ast.TPersons(roster=ast.Roster(span=span, name=name)):
                            yield size_of(name), span
                        case ast.TMatrix(rows=ast.RVar() as size) | ast.SUniform(count=ast.RVar() as size):
                            if not only_of_rosters:
                                yield size.name, size.span
                        case _:
                            pass


def _below(node: ast.Node) -> list[ast.Node]:
    return trees.children(node, ast.Node)
