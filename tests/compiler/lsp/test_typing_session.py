"""A whole spec typed from empty, key by key, driven by pytest-lsp as the editor that it stands for."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

MARKED = """\
‸wfc: 1
‸workflow: orders
‸start: Asked
‸end: [Done, Refused]
‸models:
  fast: {‸use: "‸openai:gpt-5"}
‸events:
  Asked: {name: ‸string, amount: ‸decimal}
  Mid: {name: ‸string, urgency: ‸integer}
  Done: {name: ‸string}
  Refused: {reason: ‸string}
‸steps:
  weigh:
    ‸kind: ‸llm
    ‸accepts: ‸Asked
    ‸model: ‸fast
    ‸prompt: How urgent is ${{ ‸event.‸name }}?
    ‸output: {urgency: ‸integer}
    ‸emit: ‸Mid
  decide:
    ‸kind: ‸transform
    ‸accepts: ‸Mid
    ‸emit:
      - ‸event: ‸Done
        ‸when: ‸event.‸urgency > 3
      - ‸event: ‸Refused
        ‸with: {‸reason: not urgent}
‸tests:
  - ‸name: urgent
    ‸start: {‸name: a, ‸amount: 3}
    ‸mock: {‸weigh: {‸urgency: 5}}
    ‸expect: {‸end: ‸Done}
  - ‸name: not urgent
    ‸like: ‸urgent
    ‸mock: {‸weigh: {‸urgency: 1}}
    ‸expect: {‸end: ‸Refused}
"""
"""What is typed; ‸ where the word behind it has to be offered before it is there."""

CODE = "from wfc.compiler.cli import main; raise SystemExit(main(['lsp']))"
WAIT = 120  # a machine may have much else to do


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[sys.executable, "-c", CODE]))
async def client(lsp_client: LanguageClient, tmp_path: Path) -> AsyncIterator[None]:
    await lsp_client.initialize_session(
        lsp.InitializeParams(client_capabilities("visual-studio-code"), root_uri=tmp_path.as_uri())
    )
    yield
    await lsp_client.shutdown_session()


class Typing:
    """Somebody who types at the end of a document."""

    def __init__(self, client: LanguageClient, uri: str) -> None:
        self.client = client
        self.uri = uri
        self.text = ""
        self.version = 1
        client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(uri, "yaml", self.version, ""))
        )

    @property
    def end(self) -> lsp.Position:
        return lsp.Position(self.text.count("\n"), len(self.text) - self.text.rfind("\n") - 1)

    def key(self, new: str) -> None:
        """Type a character."""
        self.show(self.text + new)

    def show(self, text: str) -> None:
        """Send the text, whole, as the server asks editors to do."""
        self.text = text
        self.version += 1
        known = lsp.VersionedTextDocumentIdentifier(self.version, self.uri)
        change = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(known, [change]))

    async def offered(self) -> list[str]:
        params = lsp.CompletionParams(lsp.TextDocumentIdentifier(self.uri), self.end)
        found = await self.client.text_document_completion_async(params)
        items = found.items if isinstance(found, lsp.CompletionList) else found or []
        return [each.label for each in items]


async def told(client: LanguageClient, uri: str, wanted: list[str]) -> list[lsp.Diagnostic]:
    """Wait until what is told of a document, as codes, is what is wanted."""

    async def come() -> list[lsp.Diagnostic]:
        while uri not in client.diagnostics or [str(each.code) for each in client.diagnostics[uri]] != wanted:
            await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        return list(client.diagnostics[uri])

    return await asyncio.wait_for(come(), WAIT)


@pytest.mark.asyncio
async def test_a_whole_spec_is_typed_with_what_is_offered(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "orders.yaml").as_uri()
    typing, missed = Typing(client, uri), list[str]()
    for at, each in enumerate(MARKED):
        if each != "‸":
            typing.key(each)
            continue
        word = re.match(r"[\w:-]*\w", MARKED[at + 1 :])
        assert word is not None
        if not any(label.split(":")[0] == word[0].split(":")[0] for label in await typing.offered()):
            missed.append(f"{typing.text.splitlines()[-1]}‸{word[0]}")
    assert missed == []
    assert typing.text == MARKED.replace("‸", "")
    await told(client, uri, [])

    for key in "steps: [\n":  # a text that cannot be read any more, which is taken back
        typing.key(key)
    broken = lsp.TextDocumentIdentifier(uri)
    there = lsp.Position(MARKED[: MARKED.index("‸urgency > 3")].count("\n"), len("        when: event."))
    found = await client.text_document_completion_async(lsp.CompletionParams(broken, there))
    items = found.items if isinstance(found, lsp.CompletionList) else found or []
    assert "urgency" in [each.label for each in items]
    for _ in "steps: [\n":
        typing.show(typing.text[:-1])
    await told(client, uri, [])


@pytest.mark.asyncio
async def test_a_slip_is_mended_by_its_quick_fix(client: LanguageClient, tmp_path: Path) -> None:
    uri, text = (tmp_path / "orders.yaml").as_uri(), MARKED.replace("‸", "")
    typing = Typing(client, uri)
    for key in text.replace("when: event.urgency > 3", "when: urgency > 3"):
        typing.key(key)
    [slip] = await told(client, uri, ["unknown-name"])
    asked = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), slip.range, lsp.CodeActionContext([slip]))
    [action] = await client.text_document_code_action_async(asked) or []
    assert isinstance(action, lsp.CodeAction)
    assert action.title == "write `event.urgency`"
    assert action.edit is not None
    assert action.edit.changes is not None
    [edit] = action.edit.changes[uri]
    lines = typing.text.splitlines(keepends=True)
    start, end = (sum(map(len, lines[: at.line])) + at.character for at in (edit.range.start, edit.range.end))
    typing.show(typing.text[:start] + edit.new_text + typing.text[end:])
    assert typing.text == text
    await told(client, uri, [])
