"""An editor: the client of pygls, which starts ``wfc lsp`` as a process and talks with it as editors do."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

WAIT = 120  # a machine may have much else to do
CODE = "from wfc.compiler.cli import main; raise SystemExit(main(['lsp']))"


class Editor:
    """An editor with one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = LanguageClient("tests", "1")
        self.versions: dict[str, int] = {}
        self.told: dict[str, list[list[lsp.Diagnostic]]] = {}
        self.news = asyncio.Event()

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def note(params: lsp.PublishDiagnosticsParams) -> None:
            self.told.setdefault(params.uri, []).append(list(params.diagnostics))
            self.news.set()

    async def start(self) -> lsp.InitializeResult:
        await self.client.start_io(sys.executable, "-c", CODE)
        params = lsp.InitializeParams(lsp.ClientCapabilities(), root_uri=self.folder.as_uri())
        result = await asyncio.wait_for(self.client.initialize_async(params), WAIT)
        self.client.initialized(lsp.InitializedParams())
        return result

    async def stop(self) -> None:
        await asyncio.wait_for(self.client.shutdown_async(None), WAIT)
        self.client.exit(None)
        await asyncio.wait_for(self.client.stop(), WAIT)
        assert self.client._server is not None and self.client._server.returncode == 0

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def item(self, name: str) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri(name))

    def show(self, name: str, text: str) -> None:
        """Open a document, or change its whole text."""
        uri = self.uri(name)
        version = self.versions[uri] = self.versions.get(uri, 0) + 1
        if version == 1:
            item = lsp.TextDocumentItem(uri, "yaml", version, text)
            self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        else:
            whole = lsp.TextDocumentContentChangeWholeDocument(text)
            changed = lsp.VersionedTextDocumentIdentifier(version, uri)
            self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(changed, [whole]))

    async def findings(self, name: str, wanted: Callable[[list[str]], bool]) -> list[lsp.Diagnostic]:
        """Wait until what is told of a document, as codes, is what is wanted."""

        async def come() -> list[lsp.Diagnostic]:
            while True:
                self.news.clear()
                told = self.told.get(self.uri(name), [])
                if told and wanted([str(each.code) for each in told[-1]]):
                    return told[-1]
                await self.news.wait()

        return await asyncio.wait_for(come(), WAIT)

    async def ask(self, method: str, marked: str, name: str = "a.yaml", **more: Any) -> Any:
        """Show a text without its ``^``, and ask something of that place."""
        text = marked.replace("^", "")
        self.show(name, text)
        before = marked[: marked.index("^")]
        line = before.count("\n")
        character = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
        return await self.at(method, line, character, name, **more)

    async def at(self, method: str, line: int, character: int, name: str = "a.yaml", **more: Any) -> Any:
        kind = {
            "completion": lsp.CompletionParams,
            "hover": lsp.HoverParams,
            "definition": lsp.DefinitionParams,
            "references": lsp.ReferenceParams,
            "rename": lsp.RenameParams,
        }[method]
        params = kind(text_document=self.item(name), position=lsp.Position(line, character), **more)
        call: Callable[[Any], Awaitable[Any]] = getattr(self.client, f"text_document_{method}_async")
        return await asyncio.wait_for(call(params), WAIT)


@pytest.fixture
def edit(tmp_path: Path) -> Callable[[Callable[[Editor], Awaitable[None]]], None]:
    """Runs what is done in an editor."""

    def run(doing: Callable[[Editor], Awaitable[None]]) -> None:
        async def session() -> None:
            editor = Editor(tmp_path)
            await editor.start()
            try:
                await doing(editor)
            finally:
                await editor.stop()

        asyncio.run(session())

    return run
