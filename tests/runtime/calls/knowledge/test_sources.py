"""Texts from addresses, from rows of a database, and from retrievers that others wrote."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from http_service import Reply

from wfc.runtime.calls.knowledge import foreign
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.index import update
from wfc.runtime.calls.knowledge.searching import index_of, search
from wfc.runtime.errors import StepError


@pytest.fixture
def shop(folder: Path) -> Path:
    """A database with two answers."""
    with closing(sqlite3.connect(folder / "shop.db")) as database:
        database.execute("CREATE TABLE answers (question, answer, picture)")
        database.execute("INSERT INTO answers VALUES ('How to descale?', 'With acid.', x'00ff')")
        database.execute("INSERT INTO answers VALUES ('What is E13?', 'The pump runs dry.', NULL)")
        database.commit()
    return folder


def of_query(folder: Path, query: str, file: str = "shop.db") -> Knowledge:
    return Knowledge("rows", beside=folder, sql=[(file, query)])


def test_rows_of_a_query_are_texts(shop: Path) -> None:
    texts = of_query(shop, "SELECT * FROM answers")
    (found,) = search([texts], "pump", 1)
    assert found.text == "question: What is E13?\nanswer: The pump runs dry."
    assert found.about == {"row": "2"}
    path = index_of(texts)
    assert update(texts, path).same == 1
    with closing(sqlite3.connect(shop / "shop.db")) as database:
        database.execute("INSERT INTO answers VALUES ('Where is the fuse?', 'Behind the tank.', NULL)")
        database.commit()
    assert update(texts, path).taken == ["shop.db?SELECT * FROM answers"]
    assert "fuse" in search([texts], "fuse", 1)[0].text


@pytest.mark.parametrize(
    ("query", "file", "why"),
    [
        ("DELETE FROM answers", "shop.db", "not authorized"),
        ("SELECT * FROM nobody", "shop.db", "no such table"),
        ("ATTACH '/etc/passwd' AS x", "shop.db", "not authorized"),
        ("PRAGMA writable_schema = 1", "shop.db", "not authorized"),
        ("SELECT 1; SELECT 2", "shop.db", "one statement"),
        ("SELECT length(hex(zeroblob(40000000)))", "shop.db", "too big"),
        ("SELECT 1", "none.db", "there is no such file"),
        ("SELECT 1", "text.txt", ""),
        ("SELECT * FROM answers", "words.txt", "not a database"),
        ("SELECT * FROM answers", "away.db", "leads out of the folder"),
    ],
)
def test_a_query_only_reads(shop: Path, tmp_path: Path, query: str, file: str, why: str) -> None:
    (shop / "words.txt").write_text("no database at all, but long enough to be looked at" * 10)
    (shop / "text.txt").write_text("")
    (tmp_path / "away").write_bytes((shop / "shop.db").read_bytes())
    (shop / "away.db").symlink_to(tmp_path / "away")
    texts = of_query(shop, query, file)
    done = update(texts, index_of(texts))
    assert why in "".join(done.left_out.values())
    with closing(sqlite3.connect(shop / "shop.db")) as database:
        assert database.execute("SELECT count(*) FROM answers").fetchone() == (2,)


def test_what_stands_at_addresses_is_fetched(folder: Path, start: Any) -> None:
    service = start()
    page = b"<title>Help</title><p>Descale it with \xe4cid."
    service.answer = lambda _: Reply(200, page, {"Content-Type": "text/html; charset=latin-1"})
    url = f"{service.url}/help"
    texts = Knowledge("web", beside=folder, urls=[url])
    path = index_of(texts)
    assert update(texts, path).taken == [url]
    (found,) = search([texts], "\u00e4cid", 1)
    assert (found.source, found.about) == (url, {"title": "Help"})
    service.answer = lambda _: Reply(503, b"later")
    assert "what it said before stays" in update(texts, path).left_out[url]
    assert search([texts], "descale", 1)


# --- retrievers of others


class Node(SimpleNamespace):
    """A node as LlamaIndex has it."""

    def get_content(self) -> str:
        return str(self.text)


class LlamaLike:
    """LlamaIndex's shape: nodes with their scores."""

    async def aretrieve(self, query: str) -> list[Any]:
        node = Node(text=f"found {query}", node_id="n1", metadata={"file_path": "a.pdf", "page": 3})
        return [SimpleNamespace(node=node, score=0.7), SimpleNamespace(node=node, score=None)]


class LangLike:
    """LangChain's shape: documents."""

    async def ainvoke(self, query: str) -> list[Any]:
        return [SimpleNamespace(page_content=f"found {query}", metadata={"source": "b.md"}, id="d1")]


def plain(query: str, top: int) -> list[Any]:
    return [{"text": f"{query} {number}", "source": "c", "score": 1 / (number + 1)} for number in range(top)]


async def wrong(query: str, top: int) -> Any:
    return [object()] if top > 1 else 5


@pytest.mark.parametrize(
    ("retriever", "said"),
    [
        (LlamaLike(), ("found tea", "a.pdf", 0.7, {"file_path": "a.pdf", "page": "3"})),
        (LangLike(), ("found tea", "b.md", None, {"source": "b.md"})),
        (plain, ("tea 0", "c", 1.0, {})),
    ],
)
def test_a_retriever_is_told_by_its_methods(
    monkeypatch: pytest.MonkeyPatch, retriever: Any, said: tuple[Any, ...]
) -> None:
    monkeypatch.setattr(foreign, "load_attribute", lambda _place, _beside: retriever)
    first = search([Knowledge("others", python="search:retriever")], "tea", 2)[0]
    assert (first.text, first.source, first.score, first.about) == said


@pytest.mark.parametrize("top", [1, 2])
def test_what_is_no_passage_is_told(monkeypatch: pytest.MonkeyPatch, top: int) -> None:
    monkeypatch.setattr(foreign, "load_attribute", lambda _place, _beside: wrong)
    with pytest.raises(StepError, match="where a passage is wanted") as caught:
        search([Knowledge("others", python="search:retriever")], "tea", top)
    assert caught.value.name == "knowledge.retriever"


@pytest.mark.full
def test_the_retriever_of_llama_index_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

    class Own(BaseRetriever):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            node = TextNode(text="Descale it.", metadata={"file_name": "m.md"})
            return [NodeWithScore(node=node, score=0.5)]

    monkeypatch.setattr(foreign, "load_attribute", lambda _place, _beside: Own())
    (found,) = search([Knowledge("others", python="search:retriever")], "tea", 2)
    assert (found.text, found.source, found.score) == ("Descale it.", "m.md", 0.5)


@pytest.mark.full
def test_the_retriever_of_langchain_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    from langchain_core.documents import Document
    from langchain_core.embeddings import DeterministicFakeEmbedding
    from langchain_core.vectorstores import InMemoryVectorStore

    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents([Document("Descale it.", id="d1", metadata={"source": "m.md", "page": 3})])
    monkeypatch.setattr(foreign, "load_attribute", lambda _place, _beside: store.as_retriever())
    (found,) = search([Knowledge("others", python="search:retriever")], "tea", 2)
    assert (found.text, found.source, found.about["page"]) == ("Descale it.", "m.md", "3")
