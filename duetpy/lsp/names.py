"""Which name is bound where: of variables and of the sizes and parameters in types, through imports too.

A name that stands for two things at once, ``static ε : ℝ⁺``, has one binder. A size that a program need not declare is bound where
it stands first. What names mean across files is what `duetpy.typecheck.link` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import define, field, frozen

from duetpy.grammar import ast
from duetpy.grammar.binders import flat
from duetpy.grammar.compare import nodes
from duetpy.grammar.lexer import Token
from duetpy.loading import resolve_import
from duetpy.source import Span
from duetpy.trees import scoping
from duetpy.typecheck.link import Loaded


@frozen
class Binder:
    """Where a name is bound: a file, and the place of the name in it."""

    file: str
    start: int
    end: int = field(eq=False)
    name: str = field(eq=False)


@frozen
class Occurrence:
    """A name in a text and its binder; None if the name is unbound, or bound by several files that are imported."""

    span: Span
    binder: Binder | None
    is_binding: bool
    node: ast.Node = field(eq=False, repr=False)


Seen = Mapping[str, tuple[Binder, ...]]
"""What each name of the imported files means: one definition, or several that disagree."""


def names_seen(name: str, programs: Mapping[str, Loaded]) -> Seen:
    """What a file sees of the files that it imports, directly or through others."""
    loaded = programs.get(name)
    return {} if loaded is None else _imported(loaded, programs, (name,))


def _imported(loaded: Loaded, programs: Mapping[str, Loaded], open_files: tuple[str, ...]) -> Seen:
    merged: dict[str, dict[Binder, None]] = {}
    for wanted in loaded.file.imports:
        found = programs.get(resolve_import(loaded.name, wanted.path))
        if found is None or found.name in open_files:
            continue
        for name, meant in _offered(found, programs, (*open_files, found.name)).items():
            merged.setdefault(name, {}).update(dict.fromkeys(meant))
    return {name: tuple(meant) for name, meant in merged.items()}


def _offered(loaded: Loaded, programs: Mapping[str, Loaded], open_files: tuple[str, ...]) -> Seen:
    """What a file offers to those that import it: its own definitions hide those that it imports."""
    own = {
        each.name.text: (Binder(loaded.name, each.name.span.start, each.name.span.end, each.name.text),)
        for each in loaded.file.definitions
    }
    return {**_imported(loaded, programs, open_files), **own}


def occurrences(file: ast.File, tokens: Sequence[Token], seen: Seen) -> Iterator[Occurrence]:
    """The names of a text in no particular order, each once."""
    walker = _Walker(file.span.source.name, {token.start: token.end for token in tokens})
    for name, meant in seen.items():
        walker.terms[name] = [meant[0] if len(meant) == 1 else None]
    for definition in file.definitions:
        walker.walk(definition.value)
        walker.bind(definition.name, walker.terms)
    if file.body is not None:
        walker.walk(file.body)
    yield from walker.found.values()


_Table = dict[str, list[Binder | None]]


@define
class _Walker:
    """Walks a tree with what is bound at each place. Trees are deep, so the stack is a list."""

    file: str
    ends: Mapping[int, int]
    terms: _Table = field(factory=dict)
    sizes: _Table = field(factory=dict)
    free: dict[str, Binder] = field(factory=dict)
    found: dict[tuple[int, int], Occurrence] = field(factory=dict)

    def walk(self, root: ast.Node) -> None:
        pending: list[tuple[ast.Node, Sequence[ast.Name]] | tuple[_Table, Sequence[str]]] = [(root, ())]
        while pending:
            here, names = pending.pop()
            if isinstance(here, dict):
                for name in names:
                    here[str(name)].pop()
                continue
            if names:
                pending.append((self.terms, [name.text for name in names if isinstance(name, ast.Name)]))
                for name in names:
                    assert isinstance(name, ast.Name)
                    self.bind(name, self.terms)
            kinds = here.kinds if isinstance(here, ast.Lam | ast.PLam | ast.TFun | ast.TPFun) else ()
            if kinds:
                pending.append((self.sizes, [kind.name for kind in kinds]))
                for kind in kinds:
                    self.bind(kind, self.sizes)
            self.refer(here)
            pending.extend(reversed(list(inside(here))))

    def bind(self, name: ast.Name | ast.KindBinding, table: _Table) -> None:
        text = name.text if isinstance(name, ast.Name) else name.name
        span = self.written(name)
        binder = Binder(self.file, span.start, span.end, text)
        table.setdefault(text, []).append(binder)
        self.note(span, binder, True, name)

    def refer(self, node: ast.Node) -> None:
        match node:
            case ast.Var(name=name) | ast.BoxEntry(name=name):
                self.use(node, name)
            case ast.Lam(params=params) | ast.PLam(params=params):
                self.listed(flat(params))
            case ast.TVar(name=name) | ast.RVar(name=name) | ast.SVar(name=name):
                stack = self.sizes.get(name)
                span = self.written(node)
                if stack:
                    self.note(span, stack[-1], False, node)
                else:
                    is_first = name not in self.free
                    binder = self.free.setdefault(name, Binder(self.file, span.start, span.end, name))
                    self.note(span, binder, is_first, node)
            case _:
                pass
        for listed in scoping(type(node)).references:
            for each in getattr(node, listed) or ():
                self.use(each, each.text)

    def listed(self, params: Sequence[ast.Param]) -> None:
        """The rosters and the ends of ranges in the types of parameters that are parameters themselves, which no type is in the
        scope of."""
        binders = {each.name.text: self.written(each.name) for each in params}
        for each in params:
            if isinstance(each.type, ast.TPersons) and each.type.roster is not None:
                roster = each.type.roster
                span = binders.get(roster.name)
                binder = None if span is None else Binder(self.file, span.start, span.end, roster.name)
                self.note(self.written(roster), binder, False, roster)
            if isinstance(each.type, ast.TBag) and isinstance(each.type.element, ast.TWithin):
                within = each.type.element
                for node in (node for end in (within.low, within.high) for node in nodes(end)):
                    if isinstance(node, ast.RVar) and node.name in binders and not self.sizes.get(node.name):
                        span = binders[node.name]
                        self.note(self.written(node), Binder(self.file, span.start, span.end, node.name), False, node)

    def use(self, node: ast.Node, name: str) -> None:
        stack = self.terms.get(name)
        self.note(self.written(node), stack[-1] if stack else None, False, node)

    def note(self, span: Span, binder: Binder | None, is_binding: bool, node: ast.Node) -> None:
        """What is made up by the reader stands nowhere in the text; what it reads twice stands there once."""
        if span.start in self.ends and (span.start, span.end) not in self.found:
            self.found[span.start, span.end] = Occurrence(span, binder, is_binding, node)

    def written(self, node: ast.Node) -> Span:
        """The name alone, of a node that begins with it."""
        span = node.span
        return Span(span.source, span.start, self.ends.get(span.start, span.end))


def inside(node: ast.Node) -> Iterator[tuple[ast.Node, Sequence[ast.Name]]]:
    """The nodes directly inside a node, except for names, each with the names that the node binds in it."""
    for part, binding in scoping(type(node)).binders.items():
        value = getattr(node, part)
        names = [name for binder in binding for name in _names(getattr(node, binder))]
        for inner in value if isinstance(value, tuple) else (value,):
            if isinstance(inner, ast.Node) and not isinstance(inner, ast.Name | ast.KindBinding):
                yield inner, names


def _names(binder: object) -> list[ast.Name]:
    match binder:
        case ast.Name():
            return [binder]
        case ast.Param(name=name):
            return [name]
        case ast.Aligned(params=inner) | tuple(inner):
            return [name for item in inner for name in _names(item)]
        case _:
            return []
