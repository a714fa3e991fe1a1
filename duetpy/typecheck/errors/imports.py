"""D01xx: files that import others."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from pathlib import PurePath

from duetpy.diagnostics.diagnostic import Diagnostic, Label
from duetpy.grammar import ast
from duetpy.source import Span
from duetpy.typecheck.notions import Notion


def missing(node: ast.Import) -> Diagnostic:
    return Diagnostic(
        "D0105",
        f'the file "{node.path}" cannot be imported',
        node.span,
        "no such file, or it cannot be read",
        help="imports are relative to the file that imports",
    )


def cycle(node: ast.Import, files: tuple[str, ...]) -> Diagnostic:
    return Diagnostic(
        "D0106",
        "the imports go in a circle",
        node.span,
        "imports a file that imports this one",
        notes=(" → ".join(files),),
        help="move the shared definitions to a file of their own",
    )


def too_deep(node: ast.Import) -> Diagnostic:
    return Diagnostic(
        "D0106", "imports are nested too deeply", node.span, "over 100 levels", help="import fewer files from files"
    )


def out_of_sight(span: Span, name: str, file: str, other: str) -> Diagnostic:
    """A name that this file neither defines nor imports; another file of the program defines it."""
    path = posixpath.relpath(PurePath(other).as_posix(), posixpath.dirname(PurePath(file).as_posix()) or ".")
    return Diagnostic(
        "D0101",
        f"nothing binds the name {name}",
        span,
        "not in scope here",
        notes=(f"{other} defines {name}, and {file} does not import it",),
        help=f'write import "{path}"; at the head of {file}, or define {name} before it is used',
    )


def ambiguous(span: Span, name: str, places: Sequence[Span]) -> Diagnostic:
    """A name that several of a file's imports define."""
    return Diagnostic(
        "D0110",
        f"the name {name} is imported from several files",
        span,
        "which of them is meant?",
        labels=tuple(Label(place, "defined here") for place in places),
        notes=("the order of imports puts none of them before the other",),
        help=f"rename {name} in one of them, or import one of them only",
    )


def type_left_to_importer(span: Span, name: str) -> Diagnostic:
    """A function of an imported file whose parameter has the type of its first use, which is in another file."""
    return Diagnostic(
        "D0211",
        f"the type of the parameter {name} is left to the files that import this one",
        span,
        "no type given",
        notes=("the file that uses it first would decide what it is in all others",),
        help=f"write {name} : and its type",
    )


def other_notion(node: ast.Import, stated: Notion, how: str, notion: Notion, origin: str) -> Diagnostic:
    """A file that states a notion, imported where the program is priced in another one."""
    return Diagnostic(
        "D0111",
        f'"{node.path}" is written for {stated.info.title}, and the program is checked for {notion.info.title}',
        node.span,
        f"{stated.value} in {notion.value}",
        notes=(
            f"its {how} states {stated.value}; the program's notion, {notion.value}, comes from {_ORIGINS.get(origin, origin)}",
            "one number is another cost there: what a mechanism takes, and what ensures and a type say, would be misread",
        ),
        help=f"give the program the notion {stated.value}, or take the notion out of the imported file: "
        "a file that states none is read in the notion of the program",
    )


_ORIGINS = {
    "command line": "the command line",
    "argument": "the argument `notion`",
    "notion line": "the first line of the program",
    "file name": "the name of the program's file",
    "default": "the default, for the program states none",
}
