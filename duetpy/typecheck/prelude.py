"""The signatures of ``prelude.duet``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from duetpy.grammar import ast
from duetpy.grammar.ast import Norm
from duetpy.grammar.declared import DECLARED, INFIX
from duetpy.typecheck import elaborate, facts
from duetpy.typecheck import types as t
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.quantity import Quantity, Signed
from duetpy.typecheck.signatures import Signature
from duetpy.typecheck.surroundings import Surroundings


def names() -> tuple[str, ...]:
    """The names of all primitives that the prelude declares."""
    return tuple(DECLARED)


def declared(name: str) -> Iterator[Signature]:
    """All signatures of a name, in the order of the file; none for a name that the prelude does not have."""
    return (signature(name, place) for place in range(len(facts.lines(name))))


@cache
def signed_end(end: ast.End) -> Signed:
    """One end of a range that the prelude states."""
    surroundings = Surroundings(Notion.APPROX)
    size = elaborate.quantity(surroundings, end.size)
    assert not surroundings.diagnostics, end.span.text
    return Signed(end.negative, size)


def signatures(name: str, norm: Norm | None, bounds: int) -> Iterator[Signature]:
    """The signatures that a use selects: by name, by the norm in brackets, by room for the bounds in brackets."""
    # A line that does not name the norm need not be parsed to know that.
    head = name if norm is None else f"{name}[{norm.value}"
    found = (signature(name, place) for place, line in enumerate(facts.lines(name)) if head in line)
    return (s for s in found if s.norm is norm and bounds <= len(s.statics))


@cache
def signature(name: str, place: int) -> Signature:
    """One signature of a name, the first at place 0."""
    declaration = facts.declaration(name, place)
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
    joined = isinstance(arguments[0], t.With) and len(arguments) == 1 and declaration.name in INFIX
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
