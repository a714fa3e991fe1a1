"""Renaming what a program binds: every name that means it, in all files that see it, and nothing else.

What would be written is read again first. If any name of any file that is concerned would then mean something else than before,
nothing is renamed, and the reason says where.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar.lexer import tokenize
from duetpy.grammar.spelling import SOFT
from duetpy.lsp.documents import Document, Reader
from duetpy.lsp.names import Binder, Occurrence
from duetpy.source import Source, Span


class NotRenamed(Exception):
    """A name cannot be changed; the message is for the person who asked."""


@frozen
class Renaming:
    """The places of a name in each file, in order, and the new name."""

    new: str
    places: Mapping[str, Sequence[Span]]


def renameable(document: Document, offset: int) -> Occurrence:
    """The name at a place, if it can be changed; raises `NotRenamed`."""
    occurrence = document.occurrence_at(offset)
    if occurrence is None:
        raise NotRenamed("there is no name of this program here (columns have the names that the data gives them)")
    if occurrence.binder is None:
        raise NotRenamed(f"unknown name `{occurrence.span.text}`")
    return occurrence


def renamed(document: Document, offset: int, new: str, others: Iterable[Document] = ()) -> Renaming:
    """What changes if the name at a place is changed, in a document and in others; raises `NotRenamed`.

    Parameters
    ----------
    document, offset
        The place.
    new
        The new name.
    others
        Every other file that may see the name; they are read only if it is a definition.
    """
    occurrence = renameable(document, offset)
    binder = occurrence.binder
    assert binder is not None
    _check_name(new)
    known = {document.name: document}
    if _is_shared(document, binder):
        known |= {each.name: each for each in others if each.name != document.name}
    places = {
        name: sorted((use.span for use in each.uses(binder)), key=lambda span: span.start)
        for name, each in known.items()
    }
    places = {name: spans for name, spans in places.items() if spans}
    if binder.file not in places:
        raise NotRenamed(f"`{occurrence.span.text}` is defined in {binder.file}, which cannot be changed from here")
    concerned = [each for each in known.values() if each.name in places or each.imports & set(places)]
    for each in concerned:
        _check_text(each)
    _check_meaning(concerned, places, new)
    return Renaming(new, places)


@frozen
class _Overlay:
    """Reads the new text of a file that changes."""

    texts: Mapping[str, str]
    below: Reader

    def __call__(self, name: str) -> Source | Diagnostic:
        return Source(name, self.texts[name]) if name in self.texts else self.below(name)


def _is_shared(document: Document, binder: Binder) -> bool:
    """Whether other files may see a name."""
    own = [each.name.span.start for each in document.file.definitions]
    return binder.file != document.name or binder.start in own


def _check_name(new: str) -> None:
    tokens, diagnostics = tokenize(Source("", new))
    is_word = len(tokens) == 2 and (tokens[0].kind == "name" or tokens[0].text in SOFT) and tokens[0].end == len(new)
    if diagnostics or not is_word or tokens[0].start:
        raise NotRenamed(f"`{new}` is not a name")


def _check_text(document: Document) -> None:
    wrong = next((each for each in document.program.syntax if each.is_error), None)
    if wrong is not None:
        line = f" at line {wrong.span.begin[0]}" if wrong.span is not None else ""
        raise NotRenamed(f"{document.name} cannot be read{line}: {wrong.message}")


def _check_meaning(concerned: Sequence[Document], places: Mapping[str, Sequence[Span]], new: str) -> None:
    """Whether every name means afterwards what it means now."""
    texts = {each.name: replaced(each.text, places.get(each.name, ()), new) for each in concerned}

    for each in concerned:
        after = Document(each.name, Source(each.name, texts[each.name]), _Overlay(texts, each.read))
        _check_text(after)
        old = {_moved(use, places, new): use for use in each.occurrences}
        found = {(use.span.start, use.binder, use.is_binding) for use in after.occurrences}
        wrong = next((use for key, use in old.items() if key not in found), None)
        if wrong is not None or len(old) != len(found):
            place = f" at line {wrong.span.begin[0]} of {each.name}" if wrong is not None else ""
            raise NotRenamed(
                f"with the name `{new}`, something{place} would mean something else: it is bound there already"
            )


def _moved(use: Occurrence, places: Mapping[str, Sequence[Span]], new: str) -> tuple[int, Binder | None, bool]:
    """A name where it stands afterwards."""
    file = use.span.source.name
    binder = use.binder
    if binder is not None:
        binder = Binder(binder.file, _shifted(binder.start, places.get(binder.file, ()), new), 0, "")
    return _shifted(use.span.start, places.get(file, ()), new), binder, use.is_binding


def _shifted(offset: int, spans: Sequence[Span], new: str) -> int:
    return offset + sum(len(new) - (span.end - span.start) for span in spans if span.start < offset)


def replaced(text: str, spans: Sequence[Span], new: str) -> str:
    """A text with the new name in each of some places, which are in order."""
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += [text[at : span.start], new]
        at = span.end
    return "".join([*parts, text[at:]])
