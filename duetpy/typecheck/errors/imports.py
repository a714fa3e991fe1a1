"""D01xx: files that import others."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

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
        help="write the path relative to the importing file",
    )


def cycle(node: ast.Import, files: tuple[str, ...]) -> Diagnostic:
    return Diagnostic(
        "D0106",
        "circular imports",
        node.span,
        "imports a file that imports this one",
        notes=(" → ".join(files),),
        help="move the shared definitions to a separate file",
    )


def too_deep(node: ast.Import) -> Diagnostic:
    return Diagnostic(
        "D0106", "imports are nested too deeply", node.span, "over 100 levels", help="nest the imports less deeply"
    )


def out_of_sight(span: Span, name: str, file: str, other: str) -> Diagnostic:
    """A name that this file neither defines nor imports; another file of the program defines it."""
    from pathlib import PurePath

    path = posixpath.relpath(PurePath(other).as_posix(), posixpath.dirname(PurePath(file).as_posix()) or ".")
    return Diagnostic(
        "D0101",
        f"unknown name `{name}`",
        span,
        "not in scope here",
        notes=(f"{other} defines {name}, but {file} does not import it",),
        help=f'write import "{path}"; at the beginning of {file}, or define {name} before it is used',
    )


def ambiguous(span: Span, name: str, places: Sequence[Span]) -> Diagnostic:
    """A name that several of a file's imports define."""
    return Diagnostic(
        "D0110",
        f"the name {name} is imported from several files",
        span,
        "ambiguous",
        labels=tuple(Label(place, "defined here") for place in places),
        notes=("the order of the imports does not decide between them",),
        help=f"rename {name} in one of them, or import one of them only",
    )


def type_left_to_importer(span: Span, name: str) -> Diagnostic:
    """A function of an imported file whose parameter has the type of its first use, which is in another file."""
    return Diagnostic(
        "D0211",
        f"the type of the parameter {name} depends on the files that import this one",
        span,
        "no type given",
        notes=("the file that uses it first would determine it for all others",),
        help=f"write its type: {name} : …",
    )


def other_notion(node: ast.Import, stated: Notion, how: str, notion: Notion, origin: str) -> Diagnostic:
    """A file that states a notion, imported where the program is priced in another one."""
    return Diagnostic(
        "D0111",
        f'"{node.path}" is written for {stated.info.title}, but the program is checked for {notion.info.title}',
        node.span,
        f"{stated.value} in {notion.value}",
        notes=(
            f"its {how} states {stated.value}; the program's notion, {notion.value}, comes from {_ORIGINS.get(origin, origin)}",
            "a number means a different cost there: parameters of mechanisms, ensures and types would be misread",
        ),
        help=f"give the program the notion {stated.value}, or remove the notion from the imported file: "
        "a file that states none is read in the notion of the program",
    )


_ORIGINS = {
    "command line": "the command line",
    "argument": "the argument `notion`",
    "notion line": "the first line of the program",
    "file name": "the name of the program's file",
    "default": "the default, since the program states none",
}
