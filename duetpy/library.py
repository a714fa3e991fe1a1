"""A file with all that it imports, read before anything is checked.

Imports name programs only: a file that is not called ``*.duet`` is never opened, so that no diagnostic can quote a line
of data. An import that defines a soft word of the language (``def max = …``) makes it a name in every file that imports
it, which only the whole library can know; such a file is parsed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import define, evolve, field

from duetpy.by_value import Shown
from duetpy.depth import MAX_LEVELS
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar.ast import File, Hole
from duetpy.grammar.compare import first_below
from duetpy.grammar.parser import parse_file
from duetpy.grammar.spelling import SOFT
from duetpy.loading import SUFFIX, read_import, resolve_import, stated_notion
from duetpy.source import Source
from duetpy.typecheck.link import Loaded
from duetpy.typecheck.notions import NOTION_WORDS

MAXIMAL_FILES = 1_000
"""A program of more files is not read to the end; the missing imports are reported."""


@define(eq=False, repr=False)
class Library(Shown):
    """Programs by the names that they are read under.

    Parameters
    ----------
    programs
        What was read.
    read
        Reads a file; an editor has texts that are not saved.
    """

    programs: dict[str, Loaded] = field(factory=dict)
    read: Callable[[str], Source | Diagnostic] = read_import

    def load(self, importer: str, path: str) -> Loaded | None:
        """The file that ``import "path"`` means in a file; None if there is no such file."""
        return self.programs.get(resolve_import(importer, path))

    def add(self, source: Source) -> Loaded:
        """Parse a text and read all that it imports, directly or through others."""
        sources = {source.name: source}
        root = self._parse(source, frozenset())
        parsed = {source.name: root}
        pending = [root]
        while pending and len(parsed) < MAXIMAL_FILES:
            here = pending.pop()
            for name in _imports(here):
                if name not in parsed and isinstance(found := self.read(name), Source):
                    found.is_imported = True
                    sources[name] = found
                    parsed[name] = self._parse(found, frozenset())
                    pending.append(parsed[name])
        for name, loaded in parsed.items():
            soft = frozenset(_imported_names(loaded, parsed)) & SOFT
            self.programs[name] = self._parse(sources[name], soft) if soft else loaded
        return self.programs[source.name]

    @staticmethod
    def _parse(source: Source, names: frozenset[str]) -> Loaded:
        file, diagnostics = _shallow(*parse_file(source, names, NOTION_WORDS))
        notion, origin = stated_notion(source.name, file.notion) or (None, "")
        return Loaded(source.name, file, diagnostics, notion, origin)


def imported_names(source: Source) -> tuple[frozenset[str], tuple[Diagnostic, ...]]:
    """The soft words that are names throughout a text, because its imports define them; and what is wrong with the text."""
    library = Library()
    loaded = library.add(source)
    return frozenset(_imported_names(loaded, library.programs)) & SOFT, loaded.diagnostics


def _shallow(file: File, diagnostics: tuple[Diagnostic, ...]) -> tuple[File, tuple[Diagnostic, ...]]:
    """A file whose expressions nest as deeply as later passes allow, or one without any and the reason why."""
    # A level takes a letter at least, so the short are not looked through.
    beyond = first_below(file, MAX_LEVELS) if file.span.end - file.span.start > MAX_LEVELS else None
    if beyond is None:
        return file, diagnostics
    deep = Diagnostic(
        "D0009",
        "this expression is nested too deeply",
        beyond.span,
        f"it is inside {MAX_LEVELS:,} others",
        help="bind its inner parts with let, one after another",
    )
    return evolve(file, definitions=(), body=Hole(file.span)), (*diagnostics, deep)


def _imports(loaded: Loaded) -> Iterator[str]:
    """The names of the files that a file imports."""
    for wanted in loaded.file.imports:
        name = resolve_import(loaded.name, wanted.path)
        if name.endswith(f".{SUFFIX}") and "\0" not in name:
            yield name


def _imported_names(loaded: Loaded, parsed: dict[str, Loaded]) -> set[str]:
    """The names that a file's imports define, directly or through others."""
    found: set[str] = set()
    seen: set[str] = set()
    pending = [loaded]
    while pending:
        for name in _imports(pending.pop()):
            if name in parsed and name not in seen:
                seen.add(name)
                pending.append(parsed[name])
                found.update(definition.name.text for definition in parsed[name].file.definitions)
    return found
