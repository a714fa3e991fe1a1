"""The trees of the lines of ``prelude.duet``, kept next to it: reading one takes a tenth of the time of parsing its line.

``python -m duetpy.grammar.prelude_trees`` writes the file. A tree is looked up by the text of its line, and a line that the file
does not hold is parsed; so a line that is added or changed counts at once.
"""

from __future__ import annotations

import json
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Any

from duetpy.grammar import ast
from duetpy.grammar.declared import DECLARED, signature_lines
from duetpy.grammar.definition import HERE, text_of
from duetpy.source import Source, Span
from duetpy.trees import field_names

SHIPPED = f"{HERE}/prelude.trees.json"


@cache
def _shipped() -> dict[str, str]:
    """The text of a line ↦ its tree, in JSON; nothing where the file cannot be read."""
    try:
        found: dict[str, str] = json.loads(text_of(SHIPPED))
    except (OSError, ValueError):
        return {}
    return found


def shipped_tree(text: str) -> ast.PrimitiveDecl | None:
    """The tree of a line, if the file holds it."""
    found = _shipped().get(text)
    if found is None:
        return None
    tree: ast.PrimitiveDecl = read(json.loads(found), Source("prelude.duet", text))
    return tree


def written(part: object) -> Any:
    """A part of a tree in a form that JSON can hold: a node is a list, headed by its class and the place in its line."""
    match part:
        case ast.Node():
            parts = [written(getattr(part, name)) for name in field_names(type(part))]
            return [type(part).__name__, part.span.start, part.span.end, *parts]
        case tuple():
            return {"tuple": [written(each) for each in part]}
        case Fraction():
            return {"Fraction": [part.numerator, part.denominator]}
        case Enum():
            return {type(part).__name__: [part.value]}
        case _:
            return part


def read(data: Any, source: Source) -> Any:
    """The part that `written` wrote."""
    if isinstance(data, list):
        name, start, end, *parts = data
        return getattr(ast, name)(Span(source, start, end), *[read(each, source) for each in parts])
    if isinstance(data, dict):
        ((name, held),) = data.items()
        if name == "tuple":
            return tuple([read(each, source) for each in held])
        return Fraction(*held) if name == "Fraction" else getattr(ast, name)(*held)
    return data


def parsed(text: str) -> ast.PrimitiveDecl:
    """The tree of a line, from its text."""
    from duetpy.grammar.parser import parse_prelude

    (found,), diagnostics = parse_prelude(Source("prelude.duet", text))
    assert not diagnostics, diagnostics
    return found


def made() -> str:
    """The text of the shipped file for the prelude."""
    lines = [line for declared in DECLARED.values() for line in signature_lines(declared.text)]
    trees = {line: json.dumps(written(parsed(line)), ensure_ascii=False, separators=(",", ":")) for line in lines}
    return json.dumps(trees, ensure_ascii=False, indent=0) + "\n"


if __name__ == "__main__":
    with open(SHIPPED, "w", encoding="utf-8") as file:
        file.write(made())
