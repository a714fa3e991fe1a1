"""A client of the language server: starts ``duetpy lsp`` and speaks the protocol with it, a request after the other."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from tests.cli.harness import environment

T = TypeVar("T")

PATIENCE = 60
"""Seconds after which an answer will not come any more, however busy the machine is."""


class Client:
    """A client with a server of its own.

    Parameters
    ----------
    folder
        The folder that is open.
    encodings
        The encodings of positions that the client offers; the protocol's default if None.
    """

    def __init__(self, folder: Path, encodings: list[lsp.PositionEncodingKind] | None = None) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.folder = folder
        self.published: dict[str, list[lsp.PublishDiagnosticsParams]] = {}
        self.arrived = threading.Condition()
        self.versions: dict[str, int] = {}
        self.client = LanguageClient("tests", "1")
        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self.keep(params))
        self.refreshed = 0
        self.client.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)(lambda params: self.refresh())
        self.wait(self.client.start_io(sys.executable, "-m", "duetpy", "lsp", env=environment()))
        general = lsp.GeneralClientCapabilities(position_encodings=encodings)
        hints = lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True)
        workspace = lsp.WorkspaceClientCapabilities(inlay_hint=hints)
        self.capabilities = self.wait(
            self.client.initialize_async(
                lsp.InitializeParams(
                    capabilities=lsp.ClientCapabilities(general=general, workspace=workspace),
                    workspace_folders=[lsp.WorkspaceFolder(folder.as_uri(), "folder")],
                )
            )
        ).capabilities
        self.client.initialized(lsp.InitializedParams())

    def wait(self, asked: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(asked, PATIENCE), self.loop).result()

    def keep(self, params: lsp.PublishDiagnosticsParams) -> None:
        with self.arrived:
            self.published.setdefault(params.uri, []).append(params)
            self.arrived.notify_all()

    def refresh(self) -> None:
        """The server says that hints are out of date."""
        with self.arrived:
            self.refreshed += 1
            self.arrived.notify_all()

    def close(self) -> int | None:
        """End the server as an editor does; its exit code."""
        process = self.client._server
        assert process is not None
        self.wait(self.client.shutdown_async(None))
        self.tell(lambda: self.client.exit(None))
        self.wait(process.wait())
        self.wait(self.client.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        return process.returncode

    def tell(self, notify: Any) -> None:
        """Send a notification from the thread of the loop."""
        done = threading.Event()

        def now() -> None:
            notify()
            done.set()

        self.loop.call_soon_threadsafe(now)
        assert done.wait(PATIENCE)

    # ------------------------------------------------------------------------------------------------- texts

    def uri(self, name: str) -> str:
        return name if ":" in name else (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> lsp.PublishDiagnosticsParams:
        """Open a text, and wait for what is found in it."""
        uri = self.uri(name)
        self.versions[uri] = self.versions.get(uri, 0) + 1
        item = lsp.TextDocumentItem(uri, "duet", self.versions[uri], text)
        self.tell(lambda: self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item)))
        return self.found(uri, self.versions[uri])

    def change(self, name: str, text: str) -> lsp.PublishDiagnosticsParams:
        uri = self.uri(name)
        self.type(name, text)
        return self.found(uri, self.versions[uri])

    def type(self, name: str, text: str) -> None:
        """Change a text, and do not wait."""
        uri = self.uri(name)
        self.versions[uri] += 1
        identifier = lsp.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        params = lsp.DidChangeTextDocumentParams(identifier, [change])
        self.tell(lambda: self.client.text_document_did_change(params))

    def shut(self, name: str) -> None:
        identifier = lsp.TextDocumentIdentifier(self.uri(name))
        self.tell(lambda: self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(identifier)))

    def found(self, uri: str, version: int | None) -> lsp.PublishDiagnosticsParams:
        """What was published of a version of a text."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: self._of(uri, version), PATIENCE), "nothing was published"
            return self._of(uri, version)[-1]

    def _of(self, uri: str, version: int | None) -> list[lsp.PublishDiagnosticsParams]:
        return [each for each in self.published.get(uri, []) if each.version == version]

    # ------------------------------------------------------------------------------------------------- requests

    def at(self, name: str, line: int, character: int) -> dict[str, Any]:
        return {"text_document": self.document(name), "position": lsp.Position(line, character)}

    def document(self, name: str) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri(name))

    def hover(self, name: str, line: int, character: int) -> lsp.Hover | None:
        return self.wait(self.client.text_document_hover_async(lsp.HoverParams(**self.at(name, line, character))))

    def hints(self, name: str) -> list[lsp.InlayHint]:
        everything = lsp.Range(lsp.Position(0, 0), lsp.Position(10_000, 0))
        params = lsp.InlayHintParams(self.document(name), everything)
        return list(self.wait(self.client.text_document_inlay_hint_async(params)) or [])

    def definition(self, name: str, line: int, character: int) -> lsp.Location | None:
        params = lsp.DefinitionParams(**self.at(name, line, character))
        found: Any = self.wait(self.client.text_document_definition_async(params))
        return found

    def rename(self, name: str, line: int, character: int, new: str) -> dict[str, list[lsp.TextEdit]]:
        params = lsp.RenameParams(**self.at(name, line, character), new_name=new)
        edit = self.wait(self.client.text_document_rename_async(params))
        return {uri: list(edits) for uri, edits in ((edit.changes if edit else None) or {}).items()}

    def format(self, name: str) -> list[lsp.TextEdit]:
        params = lsp.DocumentFormattingParams(self.document(name), lsp.FormattingOptions(2, True))
        return list(self.wait(self.client.text_document_formatting_async(params)) or [])

    def complete(self, name: str, line: int, character: int) -> list[lsp.CompletionItem]:
        params = lsp.CompletionParams(**self.at(name, line, character))
        found: Any = self.wait(self.client.text_document_completion_async(params))
        return list(found.items)

    def actions(self, name: str, place: lsp.Range) -> list[lsp.CodeAction]:
        params = lsp.CodeActionParams(self.document(name), place, lsp.CodeActionContext([]))
        found: Any = self.wait(self.client.text_document_code_action_async(params))
        return list(found or [])


def units(text: str, encoding: str = "utf-16-le") -> int:
    """How many units a text takes in an encoding: this is said again here, so as not to believe the server."""
    return len(text.encode(encoding)) // {"utf-16-le": 2, "utf-8": 1, "utf-32-le": 4}[encoding]


def place(text: str, part: str, encoding: str = "utf-16-le", nth: int = 0) -> tuple[int, int]:
    """Line and character, from zero, of the n-th time that something stands in a text."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(part, at + 1)
    line = text.count("\n", 0, at)
    return line, units(text[text.rfind("\n", 0, at) + 1 : at], encoding)


def applied(text: str, edits: list[lsp.TextEdit]) -> str:
    """A text after edits, whose places count UTF-16."""
    lines = text.split("\n")

    def offset(position: lsp.Position) -> int:
        line = lines[position.line].encode("utf-16-le")
        inside = len(line[: 2 * position.character].decode("utf-16-le"))
        return sum(len(each) + 1 for each in lines[: position.line]) + inside

    for edit in sorted(edits, key=lambda edit: offset(edit.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


def spans(text: str, found: lsp.Range, encoding: str = "utf-16-le") -> str:
    """What stands in a range of a text, which lies on one line."""
    assert found.start.line == found.end.line
    line = text.split("\n")[found.start.line].encode(encoding)
    width = {"utf-16-le": 2, "utf-8": 1, "utf-32-le": 4}[encoding]
    return line[found.start.character * width : found.end.character * width].decode(encoding)


def hover_text(hover: lsp.Hover | None) -> str:
    assert hover is not None
    assert isinstance(hover.contents, lsp.MarkupContent)
    return hover.contents.value
