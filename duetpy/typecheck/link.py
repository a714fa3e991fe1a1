"""A file with its imports as one expression: every definition becomes a ``let`` around what follows it.

Modules are hygienic. A definition sees the earlier definitions of its own file and those that the file imports, directly or
through others; nothing else, whatever a file that imports it, or one imported together with it, binds. So a module means the same
imported as alone. Names are resolved here, so that the checker and the evaluator need not know of modules:

    two files define f           ↦  the f of an imported file is ``f from its-name.duet`` in the expression
    f means two definitions      ↦  D0110 where f is used
    f leaves its types to a use  ↦  D0211, unless its own file uses it: the first use elsewhere would decide what it is
    only files out of sight define f  ↦  D0101 where f is used

No name that can be written holds a space, so no binder captures a reference that was renamed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from os.path import basename
from typing import TypeAlias, cast

from attrs import define, evolve, field, frozen

from duetpy.by_value import ByValue, Shown
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar import ast
from duetpy.grammar.binders import Reference, flat, name_of, references
from duetpy.grammar.compare import nodes, replaced
from duetpy.typecheck.errors import imports as problems
from duetpy.typecheck.notions import Notion
from duetpy.typecheck.scope import imported_name
from duetpy.typecheck.sizes import with_sizes


@frozen(eq=False, repr=False)
class Loaded(ByValue):
    """A file that an import names.

    Parameters
    ----------
    name
        The name that it is known by.
    file
        Its tree.
    diagnostics
        What was wrong with its syntax.
    notion, notion_origin
        The notion that it states, and how (``notion line`` or ``file name``); None where it states none.
    """

    name: str
    file: ast.File
    diagnostics: tuple[Diagnostic, ...] = ()
    notion: Notion | None = None
    notion_origin: str = ""


Loader: TypeAlias = Callable[[str, str], Loaded | None]
"""Finds the file that ``import "path"`` means when written in a file of the given name; None if there is no such file."""


@frozen(eq=False, repr=False)
class Binding(Shown):
    """A definition of a file.

    Parameters
    ----------
    file
        The name of the file.
    definition
        What stands in it.
    linked
        The name that it has in the linked expression.
    """

    file: str
    definition: ast.Def
    linked: str


Names: TypeAlias = Mapping[str, tuple[Binding, ...]]
"""What a name means in a file: one definition, or several where imports disagree."""


@frozen(eq=False, repr=False)
class _Module(Shown):
    """A file, with the names of the files that it imports."""

    name: str
    file: ast.File
    imported: tuple[str, ...]


@define(eq=False, repr=False)
class _Gathering(Shown):
    """Every file that a program imports, each once and after those that it imports."""

    load: Loader
    diagnostics: list[Diagnostic] = field(factory=list)
    modules: dict[str, _Module] = field(factory=dict)
    edges: list[tuple[str, ast.Import, Loaded]] = field(factory=list)

    def gather(self, here: Loaded, open_files: tuple[str, ...]) -> None:
        imported: list[str] = []
        for wanted in here.file.imports:
            loaded = self.load(here.name, wanted.path)
            if loaded is None:
                self.diagnostics.append(problems.missing(wanted.span, wanted.path))
            elif loaded.name in open_files:
                self.diagnostics.append(problems.cycle(wanted.span, " → ".join((*open_files, loaded.name))))
            elif len(open_files) > 100:
                self.diagnostics.append(problems.too_deep(wanted.span))
            else:
                self.edges.append((here.name, wanted, loaded))
                imported.append(loaded.name)
                if loaded.name not in self.modules:
                    self.diagnostics.extend(loaded.diagnostics)
                    self.gather(loaded, (*open_files, loaded.name))
        self.modules[here.name] = _Module(here.name, here.file, tuple(imported))


def link(
    file: ast.File, name: str, load: Loader, notion: Notion, origin: str
) -> tuple[ast.SExp | None, tuple[Diagnostic, ...]]:
    """The expression that a file stands for, and what was wrong with its imports; None where the file has no value.

    Parameters
    ----------
    file, name
        The program and its name, against which its imports are resolved.
    load
        Finds imported files.
    notion, origin
        The notion that the whole program is priced in, and where it came from.
    """
    file = with_sizes(file)
    gathering = _Gathering(load)
    gathering.gather(Loaded(name, file), (name,))
    problems_found = gathering.diagnostics + _other_notions(gathering, notion, origin)
    body: ast.SExp | None = file.body
    if body is None and file.definitions:
        last = next((d for d in reversed(file.definitions) if d.name.text == "main"), file.definitions[-1])
        body = ast.Var(last.name.span, last.name.text)
    if body is None:
        return None, tuple(problems_found)
    if len(gathering.modules) == 1:
        return _chained(file.definitions, body), tuple(problems_found)
    resolution = _Resolution(gathering.modules, name)
    definitions = resolution.all_definitions()
    body = resolution.resolved(body, name, resolution.seen[name])
    return _chained(definitions, body), (*problems_found, *resolution.diagnostics)


def _chained(definitions: tuple[ast.Def, ...] | list[ast.Def], body: ast.SExp) -> ast.SExp:
    for definition in reversed(definitions):
        body = ast.Let(definition.span, definition.name, definition.value, body)
    return body


# ---------------------------------------------------------------------------------------------------------------------
# Names


@define(eq=False, repr=False)
class _Resolution(Shown):
    """What every name of every file means.

    Parameters
    ----------
    modules
        The files, each after those that it imports; the program is the last.
    program
        The program's name; its own definitions keep their names, for nothing comes after them.
    seen
        For each file that is done the names that it offers to those that import it.
    defined
        For each name the last of the files so far that defines it, in sight or not.
    used
        The definitions that something of their own file uses.
    """

    modules: Mapping[str, _Module]
    program: str
    seen: dict[str, Names] = field(factory=dict)
    defined: dict[str, str] = field(factory=dict)
    used: set[Binding] = field(factory=set)
    diagnostics: list[Diagnostic] = field(factory=list)

    def all_definitions(self) -> list[ast.Def]:
        """The definitions of all files in order, every name in them being that of what it means."""
        linked = self._linked_names()
        found: list[ast.Def] = []
        for module in self.modules.values():
            names = dict(_merged([self.seen[imported] for imported in module.imported]))
            own: list[tuple[Binding, ast.Def]] = []
            for definition in module.file.definitions:
                value = self.resolved(definition.value, module.name, names)
                text = definition.name.text
                binding = Binding(module.name, definition, linked[module.name, text])
                names[text] = (binding,)
                self.defined[text] = module.name
                renamed = evolve(definition.name, text=binding.linked)
                own.append((binding, evolve(definition, name=renamed, value=value)))
            self.seen[module.name] = names
            found += [self._whole(binding, definition) for binding, definition in own]
        return found

    def _whole(self, binding: Binding, definition: ast.Def) -> ast.Def:
        """A definition that means the same wherever its file is imported."""
        value = definition.value
        if binding.file == self.program or binding in self.used or not isinstance(value, ast.Lam | ast.PLam):
            return definition
        untyped = [param.name for param in flat(value.params) if param.type is None]
        if not untyped:
            return definition
        self.diagnostics += [problems.type_left_to_importer(name.span, name.text) for name in untyped]
        return evolve(definition, value=ast.Hole(value.span))

    def resolved(self, expression: ast.SExp, file: str, names: Names) -> ast.SExp:
        """An expression of a file, given what names mean there."""
        by: dict[ast.Node, ast.Node] = {}
        for reference in references(expression):
            name = name_of(reference)
            meant = names.get(name, ())
            if len(meant) == 1:
                if meant[0].file == file:
                    self.used.add(meant[0])
                if meant[0].linked != name:
                    by[reference] = _renamed(reference, meant[0].linked)
            elif meant or name in self.defined:
                self._refuse(reference, file, meant)
                if isinstance(reference, ast.Var):
                    by[reference] = ast.Hole(reference.span)
        return cast(ast.SExp, replaced(expression, by)) if by else expression

    def _refuse(self, reference: Reference, file: str, meant: tuple[Binding, ...]) -> None:
        name = name_of(reference)
        if meant:
            places = [binding.definition.name.span for binding in meant]
            self.diagnostics.append(problems.ambiguous(reference.span, name, places))
        else:
            self.diagnostics.append(problems.out_of_sight(reference.span, name, file, self.defined[name]))

    def _linked_names(self) -> dict[tuple[str, str], str]:
        """The name that each definition has in the linked expression: its own, unless another file defines it too."""
        own = {module.name: {d.name.text for d in module.file.definitions} for module in self.modules.values()}
        files = Counter(text for texts in own.values() for text in texts)
        taken: Counter[str] = Counter()
        found: dict[tuple[str, str], str] = {}
        for module, texts in own.items():
            for text in sorted(texts):
                if files[text] == 1 or module == self.program:
                    found[module, text] = text
                else:
                    # Not the whole path: the name is part of what a ledger knows a release by.
                    linked = imported_name(text, basename(module))
                    taken[linked] += 1
                    found[module, text] = linked if taken[linked] == 1 else f"{linked} ({taken[linked]})"
        return found


def _merged(imports: list[Names]) -> Names:
    """What a file sees of its imports: a name that two of them give different meanings has both."""
    merged: dict[str, dict[Binding, None]] = {}
    for names in imports:
        for name, meant in names.items():
            merged.setdefault(name, {}).update(dict.fromkeys(meant))
    return {name: tuple(meant) for name, meant in merged.items()}


def _renamed(reference: Reference, name: str) -> ast.Node:
    return evolve(reference, text=name) if isinstance(reference, ast.Name) else evolve(reference, name=name)


# ---------------------------------------------------------------------------------------------------------------------
# Notions


def _other_notions(gathering: _Gathering, notion: Notion, origin: str) -> list[Diagnostic]:
    """The imports of files that state another notion, and contain privacy functions or their types.

    The whole program is priced in one notion, so such a file would mean one number where it says another. A sensitivity
    function means the same in all.
    """
    found: list[Diagnostic] = []
    refused: set[str] = set()
    private: dict[str, bool] = {}
    for module in gathering.modules.values():
        # Imported files come first, so that what they hold is known; one in a circle counts as holding nothing.
        private[module.name] = _is_about_costs(module.file) or any(private.get(file, False) for file in module.imported)
    for importer, wanted, loaded in gathering.edges:
        if loaded.notion is None or loaded.notion is notion or not private[loaded.name]:
            continue
        if importer not in refused:
            found.append(problems.other_notion(wanted, loaded.notion, loaded.notion_origin, notion, origin))
        refused.add(loaded.name)
    return found


def _is_about_costs(file: ast.File) -> bool:
    """Whether a definition holds a privacy function, and so mechanisms, or the type of one."""
    return any(isinstance(node, ast.PLam | ast.TPFun) for definition in file.definitions for node in nodes(definition))
