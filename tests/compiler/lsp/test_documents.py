"""What is said of a document, asked without a server: at once, and after random edits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from tests.compiler.review.formatting.test_random_edits import edited
from wfc.compiler.lsp.completion import proposals
from wfc.compiler.lsp.documents import Documents, OpenDocument, data_of
from wfc.compiler.lsp.extras import lenses, links
from wfc.compiler.lsp.folder import declaration_at, mention_at, uses
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


SHAPES = [["a"], {"a": "b"}, [["a"]], [{"a": ["b"]}], {"a": {"b": ["c"]}}, None, 1, True, [], {}, "a", {1: 2}]
TYPED = [
    "${{ result | ",
    "${{ event.a.b | up",
    "${{ events.",
    "${{ inputs.a is ",
    "{event: ",
    "- ",
    "? ",
    "x.",
    "{",
]


def misshapen(chance: Random) -> str:
    """A good spec in which chance has given keys values of other shapes, and somebody types an expression."""
    data = {"": data_of(chance.choice(SPECS).read_text())}
    for _ in range(chance.choice([1, 1, 2, 4])):
        holder, key = chance.choice([*below(data)])
        holder[key] = deepcopy(chance.choice(SHAPES))
    text = yaml.safe_dump(data[""], sort_keys=False, width=100_000)
    places = [each.end() for each in re.finditer(": ", text)] if chance.random() < 0.5 else []
    if places:
        at = chance.choice(places)
        text = text[:at] + f'"{chance.choice(TYPED)}' + text[max(at, text.find("\n", at)) :]
    return text


def below(data: Any) -> Iterator[tuple[Any, Any]]:
    """Each value below some data, but for the first, as what holds it and its key or index."""
    for key, value in [*(data.items() if isinstance(data, dict) else enumerate(data))]:
        if key:
            yield data, key
        if isinstance(value, (dict, list)):
            yield from below(value)


def hold(seed: int, made: Callable[[Random], str] = edited) -> None:
    """Ask everything at random places of a text that chance has edited, as somebody types who makes mistakes."""
    chance = Random(seed)  # noqa: S311
    documents = Documents()
    document = documents.put("/nowhere/a.yaml", made(chance))
    for _ in range(3):
        at = chance.randrange(len(document.text) + 1)
        for each in (at, typed_at(document.text, chance)):
            ask(documents, document, each)
        outline(document), lenses(document), list(links(document))
        for found in documents.findings(document):
            assert 0 <= found.start.offset <= found.end.offset <= len(document.text)
        text = document.text
        document = documents.put("/nowhere/a.yaml", text[:at] + chance.choice(" :{[.|\n-'a") + text[at:])


def ask(documents: Documents, document: OpenDocument, at: int) -> None:
    """Ask everything that may be asked of a place."""
    for each in proposals(documents, document, at):
        assert 0 <= each.start <= at
    if found := hover(documents, document, at):
        assert found.start <= at <= found.end
    if spot := declaration_at(documents, document, at):
        assert 0 <= spot.start <= spot.end <= len(spot.text)
    if name := mention_at(document, at):
        spots = uses(documents, document, name)
        assert name.of or [each for each in spots if each.start <= at <= each.end]


STEP = "steps:\n  s:\n    accepts: Asked\n    "


@pytest.mark.parametrize(
    "marked",
    [
        f"{STEP}kind: tool\n    tool: find\n    with: {{^",
        f"{STEP}kind: tool\n    tool: find\n    with:\n      ^",
        f"tools: [find]\n{STEP}kind: tool\n    tool: find\n    with:\n      ^",
        f'{STEP}kind: [llm]\n    prompt: "${{{{ result | ^',
        f'{STEP}kind: {{a: b}}\n    prompt: "${{{{ result | ^',
        f'{STEP}kind: llm\n    prompt: "${{{{ inputs.^a }}}}"\nstart: {{a: b}}\n',
        f'{STEP}kind: llm\n    prompt: "${{{{ inputs.^a }}}}"\nstart: [[Asked], {{b: [c]}}]\n',
    ],
)
def test_what_has_another_shape_is_answered(marked: str) -> None:
    text = "wfc: 1\nworkflow: w\nevents: {Asked: {a: string}}\n" + marked
    for is_first in (True, False):  # what was readable before, or was not
        documents = Documents()
        if not is_first:
            documents.put("/nowhere/a.yaml", "wfc: 1\nworkflow: w\nevents: {Asked: {a: string}}\n")
        document = documents.put("/nowhere/a.yaml", text.replace("^", ""))
        ask(documents, document, text.index("^"))


def typed_at(text: str, chance: Random) -> int:
    """A place behind something that is being typed, or within an expression."""
    found = [each.end() for each in re.finditer(r"\$\{\{ [^}\n]*?\||\$\{\{ \w+\.|\bis |: ", text)]
    return chance.choice(found or [0])


def test_random_keystrokes() -> None:
    for seed in range(25):
        hold(seed)
        hold(seed, misshapen)


@pytest.mark.full
def test_more_random_keystrokes() -> None:
    for seed in range(1_000, 1_400):
        hold(seed)
        hold(seed, misshapen)


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
