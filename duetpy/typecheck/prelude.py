"""Loads the signatures of ``prelude.duet``.

The file is cut into declarations once; a declaration is parsed when its name is first used, so that a small program pays
for the primitives that it uses and for no others.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.source import Source
from duetpy.typecheck import elaborate
from duetpy.typecheck import types as t
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity
from duetpy.typecheck.signatures import Signature
from duetpy.typecheck.surroundings import Surroundings

PRELUDE = Path(__file__).parent.parent / "grammar" / "prelude.duet"

_DECLARATION = re.compile(r"^prim (?:\((?P<sign>[^)]+)\)|(?P<name>[^\s\[:]+))")


@cache
def _blocks() -> dict[str, str]:
    """The text of every declaration of a name, with the documentation above it."""
    blocks: dict[str, list[str]] = {}
    pending: list[str] = []
    for line in PRELUDE.read_text(encoding="utf-8").splitlines():
        found = _DECLARATION.match(line)
        if found is None:
            pending = [*pending, line] if line.startswith(("-- |", "-- >")) else []
            continue
        blocks.setdefault(found["sign"] or found["name"], []).extend([*pending, line])
        pending = []
    return {name: "\n".join(lines) + "\n" for name, lines in blocks.items()}


def names() -> tuple[str, ...]:
    """The names of all primitives that the prelude declares."""
    return tuple(_blocks())


@cache
def declared(name: str) -> tuple[Signature, ...]:
    """All signatures of a name, in the order of the file; none for a name that the prelude does not have."""
    from duetpy.grammar.parser import parse_prelude

    text = _blocks().get(name)
    if text is None:
        return ()
    declarations, diagnostics = parse_prelude(Source("prelude.duet", text))
    assert not diagnostics, diagnostics
    return tuple(_signature(declaration) for declaration in declarations)


@cache
def signatures(name: str, norm: Norm | None, bounds: int) -> tuple[Signature, ...]:
    """The signatures that a use selects: by name, by the norm in brackets, by room for the bounds in brackets."""
    return tuple(s for s in declared(name) if s.norm is norm and bounds <= len(s.statics))


def _signature(declaration: ast.PrimitiveDecl) -> Signature:
    checker = Surroundings(Notion.APPROX)
    type_ = elaborate.type_(checker, declaration.type)
    assert not checker.diagnostics, (declaration.name, checker.diagnostics)
    assert isinstance(type_, t.Fun), declaration.name
    kinds = type_.kinds
    arguments: list[t.Type] = []
    sensitivities: list[Quantity] = []
    here: t.Type = type_
    while isinstance(here, t.Fun):
        arguments.append(here.domain)
        sensitivities.append(here.sensitivity)
        here = here.codomain
    joined = isinstance(arguments[0], t.With) and len(arguments) == 1 and not declaration.name[0].isalpha()
    if joined:
        assert isinstance(arguments[0], t.With)
        arguments = [arguments[0].left, arguments[0].right]
        sensitivities *= 2
    norm = next((bracket for bracket in declaration.brackets if isinstance(bracket, Norm)), None)
    by_name = {variable.name: variable for variable in kinds}
    statics = tuple(by_name[bracket] for bracket in declaration.brackets if isinstance(bracket, str))
    return Signature(
        declaration.name,
        norm,
        kinds,
        statics,
        tuple(arguments),
        tuple(sensitivities),
        here,
        declaration.doc,
        declaration.example,
        declaration.span.text,
        joined,
    )
