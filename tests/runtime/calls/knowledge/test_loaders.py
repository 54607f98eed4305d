"""A loader of one's own yields documents in the usual shapes; what is none is told with its place."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from wfc.runtime.calls.knowledge import loaders
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.index import is_current, update
from wfc.runtime.calls.knowledge.searching import index_of, search
from wfc.runtime.errors import SettingsError, StepError

PAGES: list[Any] = [
    {"text": "Descale it with acid.", "source": "Cleaning", "about": {"year": 2024}},
    {"text": "E13: the pump runs dry.", "source": "Messages"},
    {"text": "E14: the tank is empty.", "source": "Messages"},
]


@pytest.fixture
def wiki(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Knowledge]:
    """Return a collection that a function loads."""

    def loading(function: Any) -> Knowledge:
        monkeypatch.setattr(loaders, "load_function", lambda _place, _beside: function)
        return Knowledge("wiki", ["*.md"], folder, size=200, loader="wiki:pages")

    return loading


def listed() -> list[Any]:
    return PAGES


def yielded() -> Iterator[Any]:
    yield from PAGES


async def awaited() -> Iterator[Any]:
    return yielded()


async def streamed() -> AsyncIterator[Any]:
    for each in PAGES:
        yield each


class Node(SimpleNamespace):
    def get_content(self) -> str:
        return str(self.text)


def llama_like() -> list[Any]:
    return [
        Node(text=each["text"], metadata={"file_path": each["source"], **each.get("about", {})})
        for each in PAGES
    ]


def lang_like() -> Iterator[Any]:
    for each in PAGES:
        metadata = {"source": each["source"], **each.get("about", {})}
        yield SimpleNamespace(page_content=each["text"], metadata=metadata)


@pytest.mark.parametrize("function", [listed, yielded, awaited, streamed, llama_like, lang_like])
def test_what_a_loader_gives_is_found(wiki: Any, function: Any) -> None:
    texts = wiki(function)
    (found,) = search([texts], "acid", 1)
    assert (found.text, found.source, found.about["year"]) == ("Descale it with acid.", "Cleaning", "2024")
    assert found.start is None
    assert {each.text for each in search([texts], "E13 E14", 5)} == {PAGES[1]["text"], PAGES[2]["text"]}
    assert is_current(texts, index_of(texts))


def test_an_index_follows_its_loader(wiki: Any, write: Any) -> None:
    write({"a.md": "apples"})
    given = list(PAGES)
    texts = wiki(lambda: given)
    path = index_of(texts)
    assert update(texts, path).taken == ["a.md", "Cleaning", "Messages"]
    assert update(texts, path).same == 3
    given[:] = [{"text": "Use vinegar.", "source": "Cleaning"}, {"text": "Figs.", "source": "Fruit"}]
    assert not is_current(texts, path)
    done = update(texts, path)
    assert (done.taken, done.gone, done.same) == (["Cleaning", "Fruit"], ["Messages"], 1)


class Unread:
    pass


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (Unread(), "it is `Unread`, and has no text"),
        (5, "it is `int`, and has no text"),
        ({"text": 5}, "its text is no text"),
        ({"source": "x"}, "it is `dict`, and has no text"),
        ({"text": "x", "about": [1]}, "what is said about it is `list`, and no map"),
    ],
)
def test_what_is_no_document_is_told_with_its_place(wiki: Any, given: Any, why: str) -> None:
    texts = wiki(lambda: [PAGES[0], given, PAGES[1]])
    done = update(texts, index_of(texts))
    assert done.left_out == {"wiki:pages (document 2)": why}
    assert done.taken == ["Cleaning", "Messages"]


def failing(after: int) -> Any:
    def pages() -> Iterator[Any]:
        yield from PAGES[:after]
        raise ConnectionError("the line is down")

    return pages


def test_a_loader_that_fails_leaves_what_it_has_given_before(wiki: Any, write: Any) -> None:
    folder = write({"a.md": "apples"})
    update(wiki(listed), index_of(wiki(listed)))
    (folder / "a.md").write_text("pears")
    texts = wiki(failing(1))
    done = update(texts, index_of(texts))
    assert (done.taken, done.gone, done.same) == (["a.md"], [], 2)
    assert list(done.left_out) == ["wiki:pages"]
    assert "the line is down; what it gave before stays" in done.left_out["wiki:pages"]
    assert len(search([texts], "E13 E14", 5)) == 2
    with pytest.raises(StepError, match="the line is down"):
        is_current(texts, index_of(texts))


@pytest.mark.parametrize(
    ("function", "name", "why"),
    [
        (failing(2), "knowledge.loader", "the line is down"),
        (lambda: 5, "knowledge.loader", "it gave `int` where documents are wanted"),
        (lambda: "a text", "knowledge.loader", "it gave `str` where documents are wanted"),
        (lambda: None, "knowledge.loader", "it gave `NoneType` where documents are wanted"),
        (lambda _query: [], "knowledge.loader", "TypeError"),
        (list, "knowledge.empty", "no file fits `*.md`, and `wiki:pages` gave none"),
        (lambda: ({"text": "x"} for _ in range(10)), "knowledge.loader", "more than 5 documents"),
        (lambda: [{"text": "x" * 700}] * 3, "knowledge.loader", "more than 0 MB"),
    ],
)
def test_a_loader_that_never_worked_is_an_error(
    wiki: Any, monkeypatch: pytest.MonkeyPatch, function: Any, name: str, why: str
) -> None:
    monkeypatch.setattr(loaders, "MOST", 5)
    monkeypatch.setattr(loaders, "MOST_BYTES", 2000)
    with pytest.raises(StepError) as caught:
        search([wiki(function)], "x", 1)
    assert (caught.value.name, why in caught.value.message) == (name, True), caught.value.message


def test_hostile_documents_are_texts(wiki: Any, write: Any) -> None:
    """A name of a file that is there, halves of characters, line breaks in a name, and one that is all too long."""
    write({"a.md": "apples"})
    odd = {"text": "half \ud800 of it", "source": "x\ny", "about": {"k\udfff": "\udc00"}}
    texts = wiki(
        lambda: [{"text": "pears", "source": "a.md"}, odd, "no source", {"text": "l", "source": "s" * 9_000}]
    )
    done = update(texts, index_of(texts))
    assert done.left_out == {"a.md (wiki:pages)": "a file of the collection has this name"}
    assert done.taken == ["a.md", "x\ny", "wiki:pages", "s" * 1_000]
    assert search([texts], "half", 1)[0].text == "half ? of it"
    assert search([texts], "apples", 1)[0].source == "a.md"


def test_json_with_halves_of_characters_is_read(write: Any, texts: Knowledge) -> None:
    write({"a.json": '{"k": "half \\ud800 of it"}'})
    assert search([texts], "half", 1)[0].text == "k: half ? of it"


def test_a_loader_lies_beside_the_spec(folder: Path) -> None:
    (folder / "wiki.py").write_text("def pages():\n    yield {'text': 'apples', 'source': 'A'}\n")
    texts = Knowledge("wiki", beside=folder, loader="wiki:pages")
    assert search([texts], "apples", 1)[0].source == "A"
    with closing(sqlite3.connect(index_of(texts))) as database:
        assert database.execute("SELECT path, size FROM files").fetchall() == [("A", -2)]
    with pytest.raises(SettingsError, match="no function `page`"):
        search([Knowledge("wiki", beside=folder, loader="wiki:page")], "apples", 1)
