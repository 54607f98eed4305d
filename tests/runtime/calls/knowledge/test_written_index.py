"""Indexes that a model builds ask for what is new alone, within their bound, and are replaced at once."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.calls.bindings import PythonTool
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.grouping import MOST_AT_ONCE, groups
from wfc.runtime.calls.knowledge.index import is_current, update
from wfc.runtime.calls.knowledge.searching import consider, index_of, search
from wfc.runtime.calls.knowledge.wanted import WantedPassages
from wfc.runtime.calls.llm import Model
from wfc.runtime.errors import StepError

PASSAGE = re.compile(r'<passage number="(\d+)">\n(.*?)\n</passage>', re.DOTALL)


@dataclass(frozen=True)
class Writer(Model):
    """A model that gives the words of texts as keywords, all their words as a summary, and shared words as a score."""

    asked: list[str] = field(default_factory=list, compare=False)
    fails_after: list[int] = field(default_factory=list, compare=False)

    async def ask(self, host: Any, prompt: str, **more: Any) -> Any:
        self.asked.append(prompt)
        if self.fails_after and len(self.asked) > self.fails_after[0]:
            raise StepError("model.overloaded", "come back later")
        shown = {int(number): text for number, text in PASSAGE.findall(prompt)}
        output = more.get("output")
        if output is None:
            return " ".join(dict.fromkeys(" ".join(shown.values()).split()))
        if "passages" in output.model_fields:
            return output(
                passages=[{"number": n, "keywords": said(text)} for n, text in shown.items() if n != 5]
            )
        wanted = set(prompt.rpartition("The question: ")[2].split())
        scores = [
            {"number": n, "score": min(10, len(wanted & set(text.split())))} for n, text in shown.items()
        ]
        return output(scores=scores)


def said(text: str) -> list[str]:
    return ["machine", *("vehicle" if word == "car" else word for word in text.split())]


@pytest.fixture
def writer() -> Writer:
    return Writer("scripted:writer")


@pytest.fixture
def written(folder: Path, writer: Writer) -> Callable[[str], Knowledge]:
    """Return a collection of the text files, whose index the writer builds."""
    return lambda index: Knowledge(
        index, ["./**/*.txt"], folder, size=200, index=index, model=writer, max_calls=40
    )  # type: ignore[arg-type]


def sources(texts: Knowledge, query: str, top: int = 5) -> list[str]:
    return [each.source for each in search([texts], query, top)]


MANY = {f"{number:03}.txt": f"word{number} part{number // 10}" for number in range(100)}


def test_a_list_gives_its_passages_in_order(write: Any, folder: Path) -> None:
    write({"b.txt": "two", "a.txt": "one", "c.txt": "three"})
    listed = Knowledge("listed", ["./*.txt"], folder, index="list")
    assert sources(listed, "anything") == sources(listed, "") == ["a.txt", "b.txt", "c.txt"]
    found = search([listed], "x", 2, lambda passage: passage.text != "one")
    assert [(each.text, each.score) for each in found] == [("two", None), ("three", None)]
    (folder / "a.txt").unlink()
    update(listed, index_of(listed))
    assert sources(listed, "x", 1) == ["b.txt"]


def test_a_keyword_table_finds_by_what_the_model_says(write: Any, written: Any, writer: Writer) -> None:
    write({"a.txt": "a car", "b.txt": "a boat", **{f"c{n}.txt": f"other{n}" for n in range(10)}})
    table = written("keyword_table")
    done = update(table, index_of(table))
    assert (done.calls, len(writer.asked), done.passages) == (2, 2, 12)
    assert sources(table, "vehicle", 1) == ["a.txt"]
    assert "other2" in search([table], "other2", 1)[0].text  # which the model has not mentioned
    assert search([table], "", 1) == []
    assert update(table, index_of(table)).calls == 0


def test_a_tree_is_searched_from_its_top(write: Any, written: Any, writer: Writer) -> None:
    write(MANY)
    tree = written("tree")
    done = update(tree, index_of(tree))
    assert done.calls == len(writer.asked) <= 34
    writer.asked.clear()
    assert sources(tree, "word73", 1) == ["073.txt"]
    assert len(writer.asked) == 2  # one for each level
    assert all(len(PASSAGE.findall(prompt)) <= 3 * (MOST_AT_ONCE + 3) for prompt in writer.asked)
    assert sources(tree, "nothing of all that") == []
    told = consider([tree], "word73", WantedPassages(1))
    assert told[0].ranks == {"tree": 1} and told[0].passage.score == 0.1


def test_few_passages_need_no_summary(write: Any, written: Any, writer: Writer) -> None:
    write({"a.txt": "one", "b.txt": "two"})
    tree = written("tree")
    assert update(tree, index_of(tree)).calls == 0
    assert sources(tree, "two") == ["b.txt"]


@pytest.mark.parametrize("index", ["tree", "keyword_table"])
def test_a_change_asks_for_little(write: Any, written: Any, writer: Writer, folder: Path, index: str) -> None:
    write(MANY)
    texts = written(index)
    update(texts, index_of(texts))
    write({"050a.txt": "quite new"})
    (folder / "020.txt").unlink()
    begun = len(writer.asked)
    done = update(texts, index_of(texts))
    assert done.calls == len(writer.asked) - begun <= 8
    assert sources(texts, "new", 1) == ["050a.txt"]
    assert "020.txt" not in sources(texts, "word20", 200)
    assert is_current(texts, index_of(texts))
    fresh = replace(texts, name="fresh")
    update(fresh, index_of(fresh))
    for word in ("word7", "word42", "new"):
        assert sources(texts, word, 1) == sources(fresh, word, 1)


@pytest.mark.parametrize("index", ["tree", "keyword_table"])
def test_no_call_is_made_beyond_the_bound(write: Any, written: Any, writer: Writer, index: str) -> None:
    write(MANY)
    texts = replace(written(index), max_calls=3)
    with pytest.raises(StepError, match=r"needs \d+ calls of its model, and may make 3") as caught:
        update(texts, index_of(texts))
    assert caught.value.name == "knowledge.too_many_calls"
    assert writer.asked == []


@pytest.mark.parametrize("index", ["tree", "keyword_table"])
def test_a_model_that_fails_leaves_the_old_index_and_what_it_has_written(
    write: Any, written: Any, writer: Writer, index: str
) -> None:
    write({"000.txt": "the old one"})
    texts = written(index)
    update(texts, index_of(texts))
    write(MANY)
    writer.fails_after.append(len(writer.asked) + 8)
    with pytest.raises(BaseException, match="come back later"):
        update(texts, index_of(texts))
    writer.fails_after.clear()
    begun = len(writer.asked)
    done = update(texts, index_of(texts))
    assert done.calls == len(writer.asked) - begun
    assert done.calls <= {"tree": 26, "keyword_table": 5}[index]
    assert sources(texts, "word42", 1) == ["042.txt"]


KEYWORDS = """def keywords(texts):
    return [[] if "empty" in text else text.split()[:1] for text in texts]
def wrong(texts):
    return [["x"]]
"""


def test_keywords_by_a_function(write: Any, folder: Path) -> None:
    write({"a.txt": "first second", "b.txt": "second first", "c.txt": "empty", "words.py": KEYWORDS})
    function: Any = PythonTool("words:keywords", output=list[list[str]], beside=folder)
    table = Knowledge("table", ["./*.txt"], folder, index="keyword_table", model=function, max_calls=5)
    assert sources(table, "first of all") == ["a.txt"]
    wrong: Any = PythonTool("words:wrong", output=list[list[str]], beside=folder)
    with pytest.raises(StepError, match="must return a list for each") as caught:
        search([replace(table, name="wrong", model=wrong)], "x", 1)
    assert caught.value.name == "knowledge.written"


@pytest.mark.parametrize("count", [0, 1, 16, 17, 23, 500])
def test_groups_are_small_and_hold_all(count: int) -> None:
    chance = random.Random(count)  # noqa: S311 - it decides what a test does
    digests = [chance.randbytes(4) for _ in range(count)]
    below = count
    for level in groups(digests, lambda of: bytes([sum(map(sum, of)) % 256, *of[0]])):
        assert [each.start for each in level] == [
            sum(len(one.of) for one in level[:at]) for at in range(len(level))
        ]
        assert sum(len(each.of) for each in level) == below
        assert all(4 <= len(each.of) <= MOST_AT_ONCE + 3 for each in level)
        below = len(level)
    assert below <= MOST_AT_ONCE
