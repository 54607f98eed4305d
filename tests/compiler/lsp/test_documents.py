"""What is said of a document, asked without a server: at once, and after random edits."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.compiler.review.formatting.test_random_edits import edited
from wfc.compiler.lsp.completion import proposals
from wfc.compiler.lsp.documents import Documents, OpenDocument
from wfc.compiler.lsp.folder import uses
from wfc.compiler.lsp.hover import hover
from wfc.compiler.lsp.names import names_in
from wfc.compiler.lsp.navigation import outline
from wfc.compiler.lsp.server import path_of

ROOT = Path(__file__).parents[3]
SPECS = sorted((ROOT / "specs").glob("*.yaml"))


def opened(path: Path) -> tuple[Documents, OpenDocument]:
    documents = Documents()
    return documents, documents.put(str(path), path.read_text())


def labels(documents: Documents, document: OpenDocument, offset: int) -> set[str]:
    return {each.label for each in proposals(documents, document, offset)}


def test_every_event_that_stands_somewhere_would_be_proposed_there() -> None:
    documents, document = opened(ROOT / "specs/ticket_triage.yaml")
    found = [each for each in names_in(document.nodes or []) if each.kind == "event"]
    assert len(found) > 12
    for each in found:
        if not each.declares:
            assert each.name in labels(documents, document, each.start), each


@pytest.mark.full
@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_every_name_that_is_used_is_declared_or_imported(path: Path) -> None:
    documents, document = opened(path)
    for name in names_in(document.nodes or []):
        if name.kind not in {"state", "step", "agent", "thread"}:
            assert name.declares or name.name in documents.declared(document, name.kind), name
            spots = uses(documents, document, name)
            assert (name.start, name.end) in {(each.start, each.end) for each in spots}


def test_a_type_is_shown_where_a_field_is_used() -> None:
    documents, document = opened(ROOT / "specs/ticket_triage.yaml")
    at = document.text.index("event.body") + 7
    found = hover(documents, document, at)
    assert (
        found is not None and found.said == "`event.body`: string\n\n`TicketOpened.body`: read in `classify`"
    )
    assert document.text[found.start : found.end] == "event.body"


def hold(seed: int) -> None:
    """Ask everything at random places of a text that chance has edited, as somebody types who makes mistakes."""
    chance = Random(seed)  # noqa: S311
    documents = Documents()
    document = documents.put("/nowhere/a.yaml", edited(chance))
    for _ in range(3):
        at = chance.randrange(len(document.text) + 1)
        for each in proposals(documents, document, at):
            assert 0 <= each.start <= at
        if found := hover(documents, document, at):
            assert found.start <= at <= found.end
        outline(document)
        for each in documents.findings(document):
            assert 0 <= each.start.offset <= each.end.offset <= len(document.text)
        text = document.text
        document = documents.put("/nowhere/a.yaml", text[:at] + chance.choice(" :{[.|\n-'a") + text[at:])


def test_random_keystrokes() -> None:
    for seed in range(25):
        hold(seed)


@pytest.mark.full
def test_more_random_keystrokes() -> None:
    for seed in range(1_000, 1_400):
        hold(seed)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b%20c/%C3%A9.yaml", "/a/b c/é.yaml"),
        ("file:///c%3A/a.yaml", "c:/a.yaml"),
        ("untitled:Untitled-1", "untitled:Untitled-1.yaml"),
    ],
)
def test_where_documents_lie(uri: str, path: str) -> None:
    assert path_of(uri) == path
