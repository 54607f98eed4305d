"""A condition sees what stands around a passage, however the passage was found; and what is alike is left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.calls.bindings import PythonTool
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.searching import consider, search
from wfc.runtime.calls.knowledge.wanted import SeenPassage, WantedPassages
from wfc.runtime.records import Passage

MANUAL = """# Care
Oil the chain. Wipe the frame.

# Storing
Oil the lock. Hang it up.
"""
OTHER = "Oil nothing here."


def first(seen: Passage | None) -> str:
    return "" if seen is None else seen.text.split("\n")[-1]


CONDITIONS: dict[str, tuple[Callable[[SeenPassage], object], list[str]]] = {
    "none before": (lambda passage: passage.previous is None, ["Oil nothing here.", "Oil the chain."]),
    "what is before": (lambda passage: first(passage.previous) == "Wipe the frame.", ["Oil the lock."]),
    "what is after": (lambda passage: first(passage.next) == "Wipe the frame.", ["Oil the chain."]),
    "the source of what is after": (
        lambda passage: passage.next is not None and passage.next.source == "a.md",
        ["Oil the chain.", "Oil the lock."],
    ),
    "the part": (
        lambda passage: passage.parent is not None and "Hang it up." in passage.parent.text,
        ["Oil the lock."],
    ),
    "where the part ends": (
        lambda passage: passage.parent is not None and passage.parent.end == len(OTHER),
        ["Oil nothing here."],
    ),
    "a chain of nothing": (lambda passage: passage.next is not None and passage.next is None, []),
}


def parts(meanings: Knowledge, index: Any) -> Knowledge:
    """Sentences, cut from parts of one heading each."""
    model = meanings.model if index in {"vector", "hybrid"} else None
    return replace(meanings, files=["./*.md"], by="sentence", size=40, parent=45, index=index, model=model)


@pytest.mark.parametrize("index", ["keyword", "vector", "hybrid", "list"])
@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_sees_what_stands_around(write: Any, meanings: Knowledge, index: Any, name: str) -> None:
    write({"a.md": MANUAL, "b.md": OTHER})
    that, wanted = CONDITIONS[name]
    found = search([parts(meanings, index)], "oil", 20, that)
    assert sorted(first(each) for each in found if "Oil" in each.text) == wanted


@pytest.mark.parametrize("name", CONDITIONS)
def test_so_it_does_where_vectors_are_kept_elsewhere(
    write: Any, meanings: Knowledge, choose: Callable[[], None], name: str
) -> None:
    write({"a.md": MANUAL, "b.md": OTHER})
    choose()
    that, wanted = CONDITIONS[name]
    found = search([parts(meanings, "vector")], "oil", 20, that)
    assert sorted(first(each) for each in found if "Oil" in each.text) == wanted


def test_a_condition_sees_the_heading_of_what_stands_around(write: Any, texts: Knowledge) -> None:
    write({"a.md": MANUAL})
    headings = replace(texts, by="markdown", size=40)

    def that(passage: SeenPassage) -> bool:
        return passage.previous is not None and passage.previous.about["heading"] == "Care"

    assert [each.about["heading"] for each in search([headings], "oil", 5)] == ["Care", "Storing"]
    assert [each.about["heading"] for each in search([headings], "oil", 5, that)] == ["Storing"]


def test_without_parts_there_is_no_parent(write: Any, texts: Knowledge) -> None:
    write({"a.md": MANUAL})
    assert search([texts], "oil", 5, lambda passage: passage.parent is None)
    assert not search([texts], "oil", 5, lambda passage: passage.parent is not None)


def test_rows_of_a_table_are_texts_of_their_own(write: Any, texts: Knowledge) -> None:
    write({"a.csv": "part,place\npump,left\npump,right\n"})
    found = search([texts], "pump", 5, lambda passage: passage.previous is None and passage.next is None)
    assert len(found) == 2


def test_what_a_condition_sees_is_the_passage_itself(write: Any, texts: Knowledge) -> None:
    write({"a.md": MANUAL, "b.md": OTHER})
    known = search([texts], "oil", 1)
    found = search([texts], "oil", 5, lambda passage: passage not in known)
    assert found and not [each for each in found if each.id == known[0].id]
    assert [each.id for each in search([texts], "oil", 5, lambda passage: passage in known)] == [known[0].id]


@pytest.mark.full
def test_many_candidates_of_one_long_text_are_looked_at_in_little_time(write: Any, texts: Knowledge) -> None:
    """A look around costs what the part has, not what the text has."""
    from time import process_time

    write({"a.txt": "\n\n".join(f"Oil number {number}." for number in range(12_000))})
    long = replace(texts, by="sentence", size=40, parent=2000)
    search([long], "oil", 1)
    plain, around = 0.0, 0.0
    for that in (lambda passage: passage.text == "", lambda passage: "x" in passage.next.text):
        begun = process_time()
        search([long], "oil", 1, that)
        plain, around = around, process_time() - begun
    assert around < 8 * plain
    begun = process_time()
    search([long], "oil", 1, lambda passage: "x" in passage.parent.text)  # type: ignore[union-attr]
    assert process_time() - begun < 200 * plain


# --- near-duplicates


def given(collections: list[Knowledge], query: str, unlike: float) -> dict[str, str]:
    found = consider(collections, query, WantedPassages(5, unlike=unlike))
    return {each.passage.source: each.cut_by for each in found}


def test_what_means_the_same_is_left_out_where_there_are_vectors(
    write: Any, meanings: Knowledge, texts: Knowledge
) -> None:
    """By words the first two share nothing, by meaning they are one."""
    write({"a.txt": "quick automobile", "b.txt": "rapid car", "c.txt": "a river and a car"})
    assert given([meanings], "fast auto", 0.95) == {"a.txt": "", "b.txt": "unlike", "c.txt": ""}
    assert given([meanings], "fast auto", 0.2) == {"a.txt": "", "b.txt": "unlike", "c.txt": "unlike"}
    by_words = replace(texts, files=["./*.txt"])
    assert given([by_words], "quick rapid car", 0.95) == {"a.txt": "", "b.txt": "", "c.txt": ""}
    hybrid = replace(meanings, index="hybrid")
    assert sorted(given([hybrid], "quick rapid car", 0.95).values()) == ["", "", "unlike"]


def test_so_it_is_where_vectors_are_kept_elsewhere(
    write: Any, meanings: Knowledge, choose: Callable[[], None]
) -> None:
    choose()
    write({"a.txt": "quick automobile", "b.txt": "rapid car", "c.txt": "a river and a car"})
    assert given([meanings], "fast auto", 0.95) == {"a.txt": "", "b.txt": "unlike", "c.txt": ""}


def test_what_another_model_embeds_or_none_is_compared_by_words(
    write: Any, meanings: Knowledge, texts: Knowledge, folder: Path
) -> None:
    write({"a.txt": "rapid car", "b/b.txt": "rapid car", "c/c.txt": "quick automobile"})
    one = replace(meanings, name="one", files=["./a.txt"])
    twin: PythonTool[list[list[float]]] = PythonTool("words:twin", output=list[list[float]], beside=folder)
    others = [replace(texts, name="by_words"), replace(meanings, name="by_twin", model=twin)]
    for other in (replace(each, files=["./b/*.txt"]) for each in others):
        assert sorted(given([one, other], "rapid car", 0.95).values()) == ["", "unlike"]
        synonym = replace(other, files=["./c/*.txt"])
        assert sorted(given([one, synonym], "rapid quick car", 0.95).values()) == ["", ""]
    same = replace(meanings, name="same", files=["./c/*.txt"])
    assert sorted(given([one, same], "rapid quick car", 0.95).values()) == ["", "unlike"]
