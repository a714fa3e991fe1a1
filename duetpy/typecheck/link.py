"""A file with its imports as one expression: every definition becomes a ``let`` around what follows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from attrs import define, field, frozen

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar import ast


@frozen
class Loaded:
    """A file that an import names: the name it is known by, its tree, and what was wrong with its syntax."""

    name: str
    file: ast.File
    diagnostics: tuple[Diagnostic, ...] = ()


Loader: TypeAlias = Callable[[str, str], Loaded | None]
"""Finds the file that ``import "path"`` means when written in a file of the given name; None when there is none."""


@define
class _Linker:
    load: Loader
    diagnostics: list[Diagnostic] = field(factory=list)
    definitions: list[ast.Def] = field(factory=list)
    done: set[str] = field(factory=set)

    def gather(self, file: ast.File, name: str, open_files: tuple[str, ...]) -> None:
        for wanted in file.imports:
            loaded = self.load(name, wanted.path)
            if loaded is None:
                self.diagnostics.append(_missing(wanted))
            elif loaded.name in open_files:
                self.diagnostics.append(_cycle(wanted, (*open_files, loaded.name)))
            elif len(open_files) > 100:
                self.diagnostics.append(_too_deep(wanted))
            elif loaded.name not in self.done:
                self.diagnostics.extend(loaded.diagnostics)
                self.gather(loaded.file, loaded.name, (*open_files, loaded.name))
        self.definitions.extend(file.definitions)
        self.done.add(name)


def link(file: ast.File, name: str, load: Loader) -> tuple[ast.SExp | None, tuple[Diagnostic, ...]]:
    """The expression that a file stands for, and what was wrong with its imports; None where the file has no value."""
    linker = _Linker(load)
    linker.gather(file, name, (name,))
    body: ast.SExp | None = file.body
    if body is None and file.definitions:
        last = next((d for d in reversed(file.definitions) if d.name.text == "main"), file.definitions[-1])
        body = ast.Var(last.name.span, last.name.text)
    if body is None:
        return None, tuple(linker.diagnostics)
    for definition in reversed(linker.definitions):
        body = ast.Let(definition.span, definition.name, definition.value, body)
    return body, tuple(linker.diagnostics)


def _missing(node: ast.Import) -> Diagnostic:
    return Diagnostic(
        "D0105",
        f'the file "{node.path}" cannot be imported',
        node.span,
        "no such file, or it cannot be read",
        help="imports are relative to the file that imports",
    )


def _cycle(node: ast.Import, files: tuple[str, ...]) -> Diagnostic:
    return Diagnostic(
        "D0106",
        "the imports go in a circle",
        node.span,
        "imports a file that imports this one",
        notes=(" → ".join(files),),
        help="move the shared definitions to a file of their own",
    )


def _too_deep(node: ast.Import) -> Diagnostic:
    return Diagnostic(
        "D0106", "imports are nested too deeply", node.span, "over 100 levels", help="import fewer files from files"
    )
