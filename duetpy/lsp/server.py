"""The server: the protocol's requests and notifications, each answered from the document that it names.

A program is checked after each change, a moment after the last one, and with it the open programs that import it. Nothing that the
server does reads data, runs a program or imports foreign code.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence

from lsprotocol import types as lsp
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from duetpy import __version__
from duetpy.diagnostics.diagnostic import Diagnostic
from duetpy.grammar.declared import DECLARED, PRELUDE
from duetpy.grammar.formatting import formatted
from duetpy.grammar.spelling import SOFT
from duetpy.loading import SUFFIX, file_of, read_import, read_source, resolve_import
from duetpy.lsp.actions import fixes
from duetpy.lsp.completion import Kind, completions
from duetpy.lsp.documents import Document
from duetpy.lsp.hints import hints
from duetpy.lsp.hover import hover
from duetpy.lsp.positions import Position, Positions
from duetpy.lsp.problems import Problem, problem, problems
from duetpy.lsp.renaming import NotRenamed, renameable, renamed
from duetpy.source import Source, Span
from duetpy.typecheck.notions import NOTION_WORDS

NAME = "duetpy"

PAUSE = 0.15
"""Seconds without a change after which a program is checked."""

MOST_FILES, MOST_FOLDERS = 1_000, 20_000
"""A name is looked for in so many programs and folders of a workspace. In more of them one might be missed."""


class DuetServer(LanguageServer):
    """The language server with what it knows of each open text.

    The whole text is sent with each change: places are then computed here alone, from lines as the protocol defines them. A text is
    known by its path: one address may be written in several ways (`%20`, `%C3%BC`), and libraries write it differently.
    """

    def __init__(self) -> None:
        super().__init__(NAME, __version__, text_document_sync_kind=lsp.TextDocumentSyncKind.Full)
        self.known: dict[str, tuple[str, Document]] = {}
        """The document of each open text, by its path, with the text that it is of."""
        self.waiting: dict[str, asyncio.TimerHandle] = {}

    # ------------------------------------------------------------------------------------------------- documents

    @property
    def opened(self) -> dict[str, TextDocument]:
        """The open texts by their paths."""
        return {path_of(each.uri): each for each in self.workspace.text_documents.values()}

    def document(self, uri: str) -> Document:
        """What is known of a text: an open one, or a file. What is neither is empty: a request may cross its end."""
        path = path_of(uri)
        opened = self.opened.get(path)
        saved = read_import(path) if opened is None else None
        text = opened.source if opened is not None else saved.text if isinstance(saved, Source) else ""
        known = self.known.get(path)
        # A file that it imports may have changed, and is not checked yet.
        is_behind = known is not None and any(each in known[1].imports for each in self.waiting if each != path)
        if known is None or known[0] != text or is_behind or not known[1].is_current:
            known = text, Document.of(path, text, self.read)
            self.known[path] = known
        return known[1]

    def read(self, name: str) -> Source | Diagnostic:
        """A program by its path, as it is open here or as it is saved."""
        opened = self.opened.get(os.path.abspath(name))
        return read_import(name) if opened is None else Document.of(name, opened.source).source

    def forget_importers(self, path: str) -> list[str]:
        """The paths of the texts that import a file; what was known of them is forgotten."""
        importers = [each for each, (_, document) in self.known.items() if each != path and path in document.imports]
        for each in importers:
            del self.known[each]
        return importers

    def others(self) -> Iterator[Document]:
        """The open programs, and those in the folders that are open."""
        opened = self.opened
        paths = dict.fromkeys(opened)
        for folder in self.workspace.folders.values():
            paths.update(dict.fromkeys(programs_below(path_of(folder.uri))))
        if len(paths) > MOST_FILES:
            raise NotRenamed(f"the open folders hold more than {MOST_FILES} programs: open fewer of them")
        for path in paths:
            if path in opened:
                yield self.document(opened[path].uri)
            elif isinstance(source := read_import(path), Source):
                yield Document.of(path, source.text, self.read)

    def positions(self, source: Source) -> Positions:
        return Positions(source, self.workspace.position_encoding or lsp.PositionEncodingKind.Utf16)

    # ------------------------------------------------------------------------------------------------- places

    def offset(self, document: Document, position: lsp.Position) -> int:
        return self.positions(document.source).offset(Position(position.line, position.character))

    def position(self, source: Source, offset: int) -> lsp.Position:
        found = self.positions(source).position(offset)
        return lsp.Position(found.line, found.column)

    def range(self, source: Source, start: int, end: int) -> lsp.Range:
        return lsp.Range(self.position(source, start), self.position(source, end))

    def location(self, span: Span) -> lsp.Location:
        return lsp.Location(self.uri(span.source.name), self.range(span.source, span.start, span.end))

    def uri(self, path: str) -> str:
        """The address of a text, written as the editor does if it is open."""
        opened = self.opened.get(path)
        return path_uri(path) if opened is None else opened.uri

    # ------------------------------------------------------------------------------------------------- diagnostics

    def check_soon(self, uri: str) -> None:
        """Check a text a moment later, unless it changes before."""
        path = path_of(uri)
        self.forget_timer(path)
        self.waiting[path] = asyncio.get_running_loop().call_later(PAUSE, self.check_now, uri)

    def check_now(self, uri: str) -> None:
        """Check a text and the open ones that import it, and say what was found."""
        path = path_of(uri)
        self.forget_timer(path)
        importers = self.forget_importers(path)
        opened = self.opened
        for each in (path, *importers):
            if each in opened:
                self.publish(opened[each])
        if importers and self.can_refresh_hints:
            # By itself, an editor only asks again for the hints of the text that was changed.
            self.workspace_inlay_hint_refresh(None)

    @property
    def can_refresh_hints(self) -> bool:
        """Whether the client asks again for hints that are out of date."""
        workspace = self.client_capabilities.workspace
        hints = None if workspace is None else workspace.inlay_hint
        return hints is not None and bool(hints.refresh_support)

    def forget_timer(self, path: str) -> None:
        if (handle := self.waiting.pop(path, None)) is not None:
            handle.cancel()

    def publish(self, text: TextDocument) -> None:
        document = self.document(text.uri)
        found = [self.diagnostic(document, each) for each in problems(document)]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(text.uri, found, text.version))

    def diagnostic(self, document: Document, found: Problem) -> lsp.Diagnostic:
        related = [lsp.DiagnosticRelatedInformation(self.location(span), text) for span, text in found.related]
        return lsp.Diagnostic(
            range=self.range(document.source, found.start, found.end),
            severity=lsp.DiagnosticSeverity.Error if found.is_error else lsp.DiagnosticSeverity.Warning,
            code=found.code,
            source=NAME,
            message=found.message,
            related_information=related,
        )


def path_of(uri: str) -> str:
    """The path of a file; for a text that is not a file, its address in angle brackets."""
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return os.path.normpath(path) if path else f"<{uri}>"


def path_uri(path: str) -> str:
    if path.startswith("<"):
        return path[1:-1]
    return uris.from_fs_path(os.path.abspath(file_of(path))) or path


def programs_below(folder: str) -> Iterator[str]:
    """The programs in a folder, but for hidden folders and those of packages; raises `NotRenamed` if there are too many folders."""
    for number, (here, inside, files) in enumerate(os.walk(folder)):
        if number >= MOST_FOLDERS:
            raise NotRenamed(f"{folder} holds more than {MOST_FOLDERS} folders: open one of them")
        inside[:] = sorted(each for each in inside if not each.startswith(".") and each != "node_modules")
        yield from (os.path.join(here, name) for name in sorted(files) if name.endswith(f".{SUFFIX}"))


# ---------------------------------------------------------------------------------------------------------------------
# The protocol

server = DuetServer()


@server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
def did_open(ls: DuetServer, params: lsp.DidOpenTextDocumentParams) -> None:
    ls.check_now(params.text_document.uri)


@server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
async def did_change(ls: DuetServer, params: lsp.DidChangeTextDocumentParams) -> None:
    ls.check_soon(params.text_document.uri)


@server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
def did_save(ls: DuetServer, params: lsp.DidSaveTextDocumentParams) -> None:
    ls.check_now(params.text_document.uri)


@server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
def did_close(ls: DuetServer, params: lsp.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    ls.known.pop(path_of(uri), None)
    ls.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))
    # The open texts that import it read what is saved from now on.
    ls.check_now(uri)


@server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
def did_change_files(ls: DuetServer, params: lsp.DidChangeWatchedFilesParams) -> None:
    """Files that were changed by others: the open programs that import them are checked again."""
    for change in params.changes:
        if path_of(change.uri) not in ls.opened:
            ls.known.pop(path_of(change.uri), None)
            ls.check_now(change.uri)


@server.feature(lsp.TEXT_DOCUMENT_HOVER)
def on_hover(ls: DuetServer, params: lsp.HoverParams) -> lsp.Hover | None:
    document = ls.document(params.text_document.uri)
    found = hover(document, ls.offset(document, params.position))
    if found is None:
        return None
    shown = lsp.MarkupContent(lsp.MarkupKind.Markdown, found.text)
    return lsp.Hover(shown, ls.range(document.source, found.span.start, found.span.end))


@server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
def on_inlay_hint(ls: DuetServer, params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    document = ls.document(params.text_document.uri)
    start, end = ls.offset(document, params.range.start), ls.offset(document, params.range.end)
    return [
        lsp.InlayHint(ls.position(document.source, hint.offset), hint.text, lsp.InlayHintKind.Type, tooltip=hint.about)
        for hint in hints(document, start, end)
    ]


@server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
def on_definition(ls: DuetServer, params: lsp.DefinitionParams) -> lsp.Location | None:
    document = ls.document(params.text_document.uri)
    offset = ls.offset(document, params.position)
    occurrence = document.occurrence_at(offset)
    if occurrence is not None and occurrence.binder is not None:
        binder = occurrence.binder
        source = document.source if binder.file == document.name else source_of_file(document, binder.file)
        return None if source is None else ls.location(Span(source, binder.start, binder.end))
    for wanted in document.file.imports:
        if wanted.span.start <= offset <= wanted.span.end:
            source = source_of_file(document, resolve_import(document.name, wanted.path))
            return None if source is None else ls.location(Span(source, 0, 0))
    token = document.token_at(offset)
    return declaration(ls, token.kind) if token is not None and token.kind in DECLARED else None


def source_of_file(document: Document, name: str) -> Source | None:
    """The text of an imported file, as it was read for a document."""
    assert document.program.library is not None
    loaded = document.program.library.programs.get(name)
    return None if loaded is None else loaded.file.span.source


def declaration(ls: DuetServer, name: str) -> lsp.Location | None:
    """Where the prelude declares a primitive."""
    source = read_source(PRELUDE)
    if not isinstance(source, Source):
        return None
    at = next(
        (
            source.text.find(f"\nprim {head}")
            for head in (f"({name}) ", f"{name} ", f"{name}[")
            if f"\nprim {head}" in source.text
        ),
        None,
    )
    return None if at is None else ls.location(Span(source, at + 1, source.text.index("\n", at + 1)))


@server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
def on_references(ls: DuetServer, params: lsp.ReferenceParams) -> list[lsp.Location]:
    document = ls.document(params.text_document.uri)
    occurrence = document.occurrence_at(ls.offset(document, params.position))
    if occurrence is None or occurrence.binder is None:
        return []
    uses = document.uses(occurrence.binder)
    return [ls.location(use.span) for use in uses if params.context.include_declaration or not use.is_binding]


@server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
def on_prepare_rename(ls: DuetServer, params: lsp.PrepareRenameParams) -> lsp.Range | None:
    document = ls.document(params.text_document.uri)
    try:
        span = renameable(document, ls.offset(document, params.position)).span
    except NotRenamed:
        return None
    return ls.range(document.source, span.start, span.end)


@server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
def on_rename(ls: DuetServer, params: lsp.RenameParams) -> lsp.WorkspaceEdit:
    document = ls.document(params.text_document.uri)
    try:
        found = renamed(document, ls.offset(document, params.position), params.new_name, ls.others())
    except NotRenamed as reason:
        raise JsonRpcException(str(reason), lsp.LSPErrorCodes.RequestFailed) from None
    changes: dict[str, Sequence[lsp.TextEdit]] = {
        ls.uri(name): [lsp.TextEdit(ls.location(span).range, found.new) for span in spans]
        for name, spans in found.places.items()
    }
    return lsp.WorkspaceEdit(changes=changes)


@server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
def on_formatting(ls: DuetServer, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
    document = ls.document(params.text_document.uri)
    text = formatted(document.source, frozenset(document.seen) & SOFT, NOTION_WORDS)
    if not isinstance(text, str) or text == document.text:
        return []
    opened = ls.opened.get(document.name)
    if opened is not None and opened.source.count("\r\n") * 2 > opened.source.count("\n"):
        text = text.replace("\n", "\r\n")
    return [lsp.TextEdit(ls.range(document.source, 0, len(document.text)), text)]


_KINDS = {
    Kind.SIGN: lsp.CompletionItemKind.Operator,
    Kind.NAME: lsp.CompletionItemKind.Variable,
    Kind.PRIMITIVE: lsp.CompletionItemKind.Function,
    Kind.MECHANISM: lsp.CompletionItemKind.Method,
    Kind.WORD: lsp.CompletionItemKind.Keyword,
}


@server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["\\", "."]))
def on_completion(ls: DuetServer, params: lsp.CompletionParams) -> lsp.CompletionList:
    document = ls.document(params.text_document.uri)
    offset = ls.offset(document, params.position)
    items = [
        lsp.CompletionItem(
            label=found.label or found.text,
            kind=_KINDS[found.kind],
            detail=found.detail or None,
            documentation=lsp.MarkupContent(lsp.MarkupKind.Markdown, found.doc) if found.doc else None,
            filter_text=found.label or found.text,
            sort_text=f"{list(Kind).index(found.kind)}{number:04}",
            text_edit=lsp.TextEdit(ls.range(document.source, found.start, offset), found.text),
        )
        for number, found in enumerate(completions(document, offset))
    ]
    return lsp.CompletionList(is_incomplete=False, items=items)


@server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]))
def on_code_action(ls: DuetServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    uri = params.text_document.uri
    document = ls.document(uri)
    start, end = ls.offset(document, params.range.start), ls.offset(document, params.range.end)
    return [
        lsp.CodeAction(
            title=fix.title,
            kind=lsp.CodeActionKind.QuickFix,
            diagnostics=[ls.diagnostic(document, problem(document, fix.diagnostic))],
            edit=lsp.WorkspaceEdit(
                changes={uri: [lsp.TextEdit(ls.range(document.source, fix.start, fix.end), fix.text)]}
            ),
        )
        for fix in fixes(document, start, end)
    ]
