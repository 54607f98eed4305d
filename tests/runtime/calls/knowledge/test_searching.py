"""Passages are found by their words, in any script; an index follows its files."""

from __future__ import annotations

import os
import random
import sqlite3
import string
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.calls.bindings import PythonTool
from wfc.runtime.calls.knowledge import searching
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.helpers import Helpers, alone
from wfc.runtime.calls.knowledge.index import is_current, update
from wfc.runtime.calls.knowledge.searching import index_of, search
from wfc.runtime.errors import StepError

MANUAL = """---
product: C20
---
# Machine
Fill the tank.

## Cleaning
Descale it every three months. Never use vinegar.

## Messages
E13: the pump runs dry.
"""


def sources(texts: Knowledge, query: str, top: int = 5) -> list[str]:
    return [each.source for each in search([texts], query, top)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("descaling", ["manual.md"]),
        ("PUMP", ["manual.md"]),
        ("cafe", ["words.txt"]),
        ("Café?", ["words.txt"]),
        ("日本", ["east.txt"]),
        ("日", ["east.txt"]),
        ("東本", []),
        ("서울에서", ["east.txt"]),
        ('AND OR NOT NEAR(a b) "', ["words.txt"]),
        ("words:cafe", ["words.txt"]),
        ("c++ cat-dog 's *", ["words.txt"]),
        ("😀", []),
        ("", []),
        ("\0\ud800 cafe", ["words.txt"]),
        ("cafe " * 50_000, ["words.txt"]),
    ],
)
def test_what_fits_a_question(write: Any, texts: Knowledge, query: str, found: list[str]) -> None:
    write(
        {
            "manual.md": MANUAL,
            "words.txt": "un café, a cat and it\n",
            "east.txt": "東京は日本の首都。 서울에서",
        }
    )
    assert list(dict.fromkeys(sources(texts, query))) == found


def test_a_passage_says_where_it_stands(write: Any, texts: Knowledge) -> None:
    write({"a/manual.md": MANUAL})
    (found,) = search([replace(texts, size=60)], "vinegar", 1)
    assert (found.source, found.about) == ("a/manual.md", {"product": "C20", "heading": "Machine > Cleaning"})
    assert found.start is not None and found.end is not None and found.score is not None
    assert MANUAL[found.start : found.end] == found.text
    assert found.score > 0


def test_neighbours_are_added_without_gaps_and_repeats(write: Any, folder: Path) -> None:
    text = " ".join(f"Word{number} stands here." for number in range(60))
    write({"a.txt": text})
    for overlap in (0, 30):
        texts = Knowledge(f"by{overlap}", ["a.txt"], folder, size=100, overlap=overlap)
        (found,) = search([texts], "Word30", 1, neighbours=2)
        assert found.start is not None
        assert found.text == text[found.start : found.end]
        assert "Word25" in found.text and "Word35" in found.text
        every = search([texts], "stands", 100, neighbours=1)
        starts = [each.id for each in every]
        assert len(starts) == len(set(starts)) and len(every) < len(text) / 100


def test_only_those_count_that_are_wanted(write: Any, texts: Knowledge) -> None:
    write({f"{number}.md": f"---\nyear: {number}\n---\nThe same words." for number in range(30)})
    found = search([texts], "same words", 2, lambda passage: passage.about["year"] > "25")
    assert len(found) == 2 and all(each.about["year"] > "25" for each in found)


def test_several_collections_are_put_in_one_order(write: Any, folder: Path) -> None:
    write({"a.txt": "tea and coffee", "b.txt": "coffee", "c.txt": "tea"})
    ones = [Knowledge(name, [f"{name}.txt"], folder) for name in "abc"]
    assert [each.source for each in search(ones, "coffee", 5)] == ["a.txt", "b.txt"]
    assert len(search(ones, "coffee tea", 2)) == 2


def test_an_index_follows_its_files(write: Any, texts: Knowledge, folder: Path) -> None:
    write({"a.txt": "apples", "b.txt": "pears", "c.bin": "x"})
    path = index_of(texts)
    assert not is_current(texts, path)
    first = update(texts, path)
    assert (first.taken, first.passages) == (["a.txt", "b.txt"], 2)
    assert first.left_out == {"c.bin": "files that end with `.bin` are not read"}
    assert is_current(texts, path)
    assert update(texts, path).same == 2
    write({"a.txt": "plums", "d.txt": "figs"})
    (folder / "b.txt").unlink()
    assert not is_current(texts, path)
    second = update(texts, path)
    assert (second.taken, second.gone, second.same) == (["a.txt", "d.txt"], ["b.txt"], 0)
    assert [sources(texts, word) for word in ("apples", "pears", "plums", "figs")] == [
        [],
        [],
        ["a.txt"],
        ["d.txt"],
    ]


def test_a_file_that_only_looks_changed_is_not_cut_again(write: Any, texts: Knowledge, folder: Path) -> None:
    write({"a.txt": "apples"})
    update(texts, index_of(texts))
    os.utime(folder / "a.txt", (1, 1))
    done = update(texts, index_of(texts))
    assert (done.taken, done.same) == ([], 1)


def test_texts_that_are_to_be_cut_otherwise_are_cut_anew(write: Any, folder: Path) -> None:
    write({"a.txt": "One sentence here. " * 20})
    counts = [
        update(each, index_of(each)).passages
        for each in (Knowledge("a", ["*.txt"], folder, size=size) for size in (400, 60, 400))
    ]
    assert counts[0] == counts[2] < counts[1]


def test_an_index_that_grew_is_one_that_was_made_at_once(write: Any, folder: Path) -> None:
    """Changes by chance lead to the same passages as a new index of the files at the end."""
    chance = random.Random(11)  # noqa: S311 - it decides what a test does
    grown = Knowledge("grown", ["*.txt"], folder, size=60)
    write({"z.txt": "always there"})
    for round_ in range(8):
        for name in "abcde":
            text = " ".join("".join(chance.choices(string.ascii_lowercase[:4], k=3)) for _ in range(40))
            if chance.random() < 0.4:
                write({f"{name}.txt": text})
            elif chance.random() < 0.3:
                (folder / f"{name}.txt").unlink(missing_ok=True)
        update(grown, index_of(grown))
        fresh = Knowledge(f"fresh{round_}", ["*.txt"], folder, size=60)
        update(fresh, index_of(fresh))
        for word in ("abc", "aad", "bca", "there"):
            assert found_by(grown, word) == found_by(fresh, word)
        with closing(sqlite3.connect(index_of(grown))) as database:
            database.execute("INSERT INTO words (words) VALUES ('integrity-check')")


def found_by(texts: Knowledge, word: str) -> set[tuple[str, str, float]]:
    return {(each.source, each.text, round(each.score or 0, 6)) for each in search([texts], word, 1000)}


def test_a_collection_without_files_is_an_error(folder: Path, texts: Knowledge) -> None:
    with pytest.raises(StepError, match="`texts` has no texts: no file fits") as caught:
        search([texts], "x", 1)
    assert caught.value.name == "knowledge.empty"


@pytest.mark.parametrize("harm", [b"nonsense" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_index_is_told(write: Any, texts: Knowledge, harm: bytes) -> None:
    write({"a.txt": "apples"})
    path = index_of(texts)
    path.parent.mkdir(parents=True)
    path.write_bytes(harm)
    with pytest.raises(StepError, match="it may be deleted, and is made anew") as caught:
        search([texts], "apples", 1)
    assert caught.value.name == "knowledge.index"
    path.unlink()
    assert sources(texts, "apples") == ["a.txt"]


UPDATE_OFTEN = """
import sys
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.index import update
from wfc.runtime.calls.knowledge.searching import index_of
texts = Knowledge("texts", ["./**/*"], sys.argv[1], size=200)
for _ in range(3):
    update(texts, index_of(texts))
"""


@pytest.mark.full
def test_processes_side_by_side_and_killed_ones_leave_a_whole_index(
    write: Any, texts: Knowledge, folder: Path
) -> None:
    chance = random.Random(3)  # noqa: S311 - it decides what a test does
    for round_ in range(2):
        write({f"{number}.txt": f"word{number} round{round_} " * 100 for number in range(60)})
        both = [subprocess.Popen([sys.executable, "-c", UPDATE_OFTEN, str(folder)]) for _ in range(2)]
        time.sleep(0.4 + chance.random() * 0.3)
        both[0].kill()
        assert [each.wait() for each in both][1] == 0
        update(texts, index_of(texts))
        assert is_current(texts, index_of(texts))
        assert {each.source for each in search([texts], f"round{round_}", 1000)} == {
            f"{number}.txt" for number in range(60)
        }
        assert search([texts], f"round{round_ - 1}", 1000) == []


UPDATE = """
import sys
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.index import update
from wfc.runtime.calls.knowledge.searching import index_of
texts = Knowledge("texts", ["./**/*"], sys.argv[1], size=200)
update(texts, index_of(texts))
"""


def test_what_another_process_has_indexed_is_found_at_once(write: Any, texts: Knowledge) -> None:
    folder = write({"a.txt": "apples"})
    assert sources(texts, "apples pears") == ["a.txt"]
    write({"b.txt": "pears"})
    assert sources(texts, "apples pears") == ["a.txt"]  # files are not looked at by each search
    subprocess.run([sys.executable, "-c", UPDATE, str(folder)], check=True)
    assert sources(texts, "apples pears") == ["a.txt", "b.txt"]


def test_files_are_looked_at_again_by_and_by(
    write: Any, texts: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    write({"a.txt": "apples"})
    assert sources(texts, "pears") == []
    write({"a.txt": "pears"})
    now = time.monotonic()
    monkeypatch.setattr(searching.time, "monotonic", lambda: now + 599)
    assert sources(texts, "pears") == []
    monkeypatch.setattr(searching.time, "monotonic", lambda: now + 601)
    assert sources(texts, "pears") == ["a.txt"]


def test_an_index_that_cannot_be_brought_up_to_date_again_serves_as_it_was(
    write: Any, meanings: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    write({"a.txt": "a quick car", "b.txt": "a slow river"})
    said: list[str] = []
    helpers = alone()
    monkeypatch.setattr(helpers.host, "report", said.append)
    monkeypatch.setattr(searching, "_SECONDS", 0.0)
    monkeypatch.setattr(searching, "_TIMES", 0)
    assert search([meanings], "rapid", 1, helpers=helpers)[0].source == "a.txt"
    write({"c.txt": "a rapid"})
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Helpers, "embed", embed_questions_alone)
        assert search([meanings], "rapid", 1, helpers=helpers)[0].source == "a.txt"
    (told,) = said
    assert told.startswith("`meanings` is searched as it was: the line is down")
    assert search([meanings], "rapid", 1, helpers=helpers)[0].source == "c.txt"


EMBED = Helpers.embed


def embed_questions_alone(
    self: Helpers, knowledge: Knowledge, texts: list[str], *, is_query: bool = False
) -> list[list[float]]:
    if not is_query:
        raise StepError("connection", "the line is down")
    return EMBED(self, knowledge, texts, is_query=is_query)


def test_an_index_that_another_version_of_the_spec_has_made_is_made_anew(
    write: Any, meanings: Knowledge
) -> None:
    folder = write({"a.txt": "a quick car", "b.txt": "a slow river"})
    (folder / "others.py").write_text(
        "def embed(texts):\n    return [[float('river' in each), 1.0] for each in texts]"
    )
    model: PythonTool[list[list[float]]] = PythonTool("others:embed", output=list[list[float]], beside=folder)
    other = replace(meanings, model=model)
    for _ in range(2):
        assert sources(meanings, "rapid auto", 1) == ["a.txt"]
        assert sources(other, "river", 1) == ["b.txt"]
