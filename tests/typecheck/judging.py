"""Short questions to the checker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from duetpy.grammar import ast
from duetpy.grammar.parser import parse_file
from duetpy.source import Source
from duetpy.typecheck import types as t
from duetpy.typecheck.check import Typed, check_file
from duetpy.typecheck.cost import Cost, is_unbounded
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.show import show_type


def judged(text: str, notion: Notion = Notion.APPROX) -> Typed:
    """What the checker concludes about a text."""
    file, diagnostics = parse_file(Source("program.duet", text))
    return judged_tree(file, notion, diagnostics)


def judged_tree(file: ast.File, notion: Notion = Notion.APPROX, syntax: Sequence[Any] = ()) -> Typed:
    return check_file(
        file, name="program.duet", notion=notion, notion_origin="default", load=lambda _, __: None, syntax=tuple(syntax)
    )


def accepted(text: str, notion: Notion = Notion.APPROX) -> t.Type:
    """The type of a program that must be accepted."""
    typed = judged(text, notion)
    assert typed.ok, [f"{diagnostic.code} {diagnostic.message}" for diagnostic in typed.diagnostics]
    assert typed.type is not None
    return typed.type


def sensitivities(text: str) -> tuple[str, ...]:
    """The sensitivity in each parameter of a curried function, as printed."""
    found: list[str] = []
    here = accepted(text)
    while isinstance(here, t.Fun):
        found.append(here.sensitivity.show())
        here = here.codomain
    return tuple(found)


def result(text: str) -> str:
    """The type of what a curried function returns."""
    here = accepted(text)
    while isinstance(here, t.Fun):
        here = here.codomain
    return show_type(here)


def costs(text: str, notion: Notion = Notion.APPROX) -> tuple[Cost, ...]:
    """The cost of each parameter of a privacy function."""
    type_ = accepted(text, notion)
    assert isinstance(type_, t.PFun)
    return tuple(parameter.cost for parameter in type_.parameters)


def in_the_clear(text: str, notion: Notion = Notion.APPROX) -> bool:
    """Whether the first parameter of a privacy function is released in the clear."""
    return is_unbounded(costs(text, notion)[0])


def errors(text: str, notion: Notion = Notion.APPROX) -> tuple[str, ...]:
    """The codes of the errors of a program."""
    return tuple(diagnostic.code for diagnostic in judged(text, notion).diagnostics if diagnostic.is_error)


def requirements(text: str, notion: Notion = Notion.APPROX) -> tuple[str, ...]:
    """The obligations that are left to the numbers of a run."""
    return tuple(each.show() for each in judged(text, notion).obligations if not each.is_of_machine)
