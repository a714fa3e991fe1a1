"""D01xx: files that import others."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from attrs import evolve

from duetpy.diagnostics.diagnostic import Diagnostic, Label
from duetpy.grammar import ast
from duetpy.source import Span
from duetpy.typecheck.errors.standard import standard_names
from duetpy.typecheck.errors.texts import Text, text_of
from duetpy.typecheck.notions import Notion


def missing(span: Span, path: str) -> Diagnostic:
    """A file that is not there; the help for one of the package's names those that the package has."""
    found = text_of(__name__, "no_file")(span, path)
    if not path.startswith("std:"):
        return found
    return evolve(found, help=f"import one of {', '.join(sorted(set(standard_names().values())))}")


def out_of_sight(span: Span, name: str, file: str, other: str) -> Diagnostic:
    """A name that this file neither defines nor imports; another file of the program defines it."""
    from pathlib import PurePath

    path = posixpath.relpath(PurePath(other).as_posix(), posixpath.dirname(PurePath(file).as_posix()) or ".")
    return text_of(__name__, "out_of_sight")(span, name, file, other, path)


def ambiguous(span: Span, name: str, places: Sequence[Span]) -> Diagnostic:
    """A name that several of a file's imports define."""
    labels = tuple(Label(place, "defined here") for place in places)
    return text_of(__name__, "ambiguous")(span, name, labels=labels)


def other_notion(node: ast.Import, stated: Notion, how: str, notion: Notion, origin: str) -> Diagnostic:
    """A file that states a notion, imported where the program is priced in another one."""
    of_program = _ORIGINS.get(origin, origin)
    return text_of(__name__, "other_notion")(node.span, node.path, stated, how, notion, of_program)


_ORIGINS = {
    "command line": "the command line",
    "argument": "the argument `notion`",
    "notion line": "the first line of the program",
    "file name": "the name of the program's file",
    "default": "the default, since the program states none",
}


def __getattr__(name: str) -> Text:
    return text_of(__name__, name)
