"""Vectors are kept and searched where the settings say, alike everywhere: files, PostgreSQL, a store of one's own."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime.calls.knowledge import searching
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.index import update
from wfc.runtime.calls.knowledge.searching import consider, index_of, search
from wfc.runtime.calls.knowledge.vector_stores import chosen_store
from wfc.runtime.calls.knowledge.wanted import WantedPassages
from wfc.runtime.calls.settings import settings_near
from wfc.runtime.errors import SettingsError, StepError


def sources(texts: Knowledge, query: str, top: int = 1) -> list[str]:
    return [each.source for each in search([texts], query, top)]


def names(texts: Knowledge) -> list[str]:
    store = chosen_store(texts)
    assert store is not None
    return sorted(store.store.names())


def test_all_stores_find_the_same(write: Any, meanings: Knowledge, choose: Any, folder: Path) -> None:
    chance = random.Random(5)  # noqa: S311
    words = ["car", "river", "soup", "bread", "night", "rapid", "tea", "milk", "fuse", "tank"]
    write({f"{number:02}.txt": " ".join(chance.choices(words, k=7)) for number in range(60)})
    write({"zero.txt": "!!!"})  # which no word stands in: its vector is nothing but zeros
    questions = [" ".join(chance.choices(words, k=3)) for _ in range(12)] + ["?!", "nothing of that"]

    def all_found() -> list[list[tuple[str, float]]]:
        return [
            [(each.passage.source, round(each.passage.score or 0.0, 5)) for each in found if not each.cut_by]
            for found in (consider([meanings], question, WantedPassages(20)) for question in questions)
        ]

    (folder / "wfc.toml").write_text("")
    in_files = all_found()
    choose()
    in_store = all_found()
    for ours, theirs in zip(in_files, in_store, strict=True):
        assert [score for _, score in theirs] == pytest.approx([score for _, score in ours], abs=1e-4)
        least = ours[-1][1] + 1e-3  # which of those that fit alike come last is left to chance
        assert {name for name, score in theirs if score > least} == {
            name for name, score in ours if score > least
        }
    update(meanings, index_of(meanings))  # what was in force before goes with the update after the next
    assert len(names(meanings)) == 1
    assert not [*index_of(meanings).parent.glob("*.vectors")]
    (folder / "wfc.toml").write_text("")
    assert all_found() == in_files


def test_an_index_follows_its_files_and_drops_what_it_names_no_more(
    write: Any, meanings: Knowledge, choose: Any, folder: Path
) -> None:
    choose()
    write({"a.txt": "a quick car", "b.txt": "a river"})
    path = index_of(meanings)
    assert update(meanings, path).embedded == 2
    assert update(meanings, path).embedded == 0
    (first,) = names(meanings)
    write({"c.txt": "a rapid auto"})
    assert update(meanings, path).embedded == 1
    assert len(names(meanings)) == 2  # who has begun to search may still use the one before
    assert sources(meanings, "fast automobile", 2) == ["a.txt", "c.txt"]
    update(meanings, path)
    (second,) = names(meanings)
    assert second != first
    store = chosen_store(meanings)
    assert store is not None
    store.store.write(
        f"{second[:-12]}{'0' * 12}", iter([(1, [1.0])])
    )  # as a process leaves it that was killed
    foreign = f"{path.stem}-{'f' * 12}-{'0' * 12}"
    store.store.write(foreign, iter([(1, [1.0])]))  # of another machine with such an index
    update(meanings, path)
    assert names(meanings) == sorted([second, foreign])
    store.store.drop(second)
    with pytest.raises(StepError, match="are gone; delete it"):
        sources(meanings, "car")
    assert update(meanings, path).embedded == 0  # what is kept is enough to write them anew
    assert sources(meanings, "fast automobile") == ["a.txt"]
    changed = replace(meanings, size=100)
    update(changed, path)
    update(changed, path)
    assert len(names(meanings)) == 2  # an index that is made anew owns what the one before did


def test_a_collection_without_texts_that_can_be_read_has_a_set(
    write: Any, meanings: Knowledge, choose: Any
) -> None:
    choose()
    write({"a.txt": b"\xff"})
    assert sources(meanings, "car") == []


def test_a_store_of_ones_own_that_fails_leaves_the_old_index(
    write: Any, meanings: Knowledge, folder: Path, own_store: str
) -> None:
    (folder / "wfc.toml").write_text('vectors = {python = "own:store"}')
    write({"a.txt": "a quick car"})
    update(meanings, index_of(meanings))
    write({"b.txt": "a rapid auto in the street"})
    (folder / "full").write_text("")
    with pytest.raises(StepError, match="no room is left") as caught:
        update(meanings, index_of(meanings))
    assert caught.value.name == "knowledge.vectors"
    searching._UP_TO_DATE[searching._said(meanings)] = searching._Looked(index_of(meanings), float("inf"))
    assert sources(meanings, "fast automobile", 2) == ["a.txt"]
    (folder / "full").unlink()
    assert update(meanings, index_of(meanings)).embedded == 0
    assert sources(meanings, "fast automobile", 2) == ["a.txt", "b.txt"]
    (folder / "nonsense").write_text("")
    with pytest.raises(StepError, match="what are no passages with their scores"):
        sources(meanings, "fast automobile")


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ('"pgvector"', "`vectors` must be"),
        ("{}", "`vectors` must be"),
        ('{database = ""}', "`vectors` must be"),
        ('{database = "A", python = "a:b"}', "`vectors` must be"),
        ('{database = "postgresql://wfc:hunter2@host/db"}', "`vectors` must be"),
        ('{redis = "A"}', "`vectors` must be"),
        ('{database = "NOT_THERE"}', "the secret `NOT_THERE` is missing"),
        ('{database = "MYSQL"}', "none of a PostgreSQL database"),
        ('{python = "own:nobody"}', "no function `nobody`"),
        ('{python = "nowhere:store"}', "there is no module `nowhere`"),
    ],
)
def test_wrong_settings_are_told(
    write: Any,
    meanings: Knowledge,
    folder: Path,
    own_store: str,
    monkeypatch: pytest.MonkeyPatch,
    vectors: str,
    said: str,
) -> None:
    monkeypatch.setenv("MYSQL", "mysql://wfc:hunter2@host/db")
    (folder / "wfc.toml").write_text(f"vectors = {vectors}")
    write({"a.txt": "a car"})
    with pytest.raises(SettingsError, match=said) as caught:
        update(meanings, index_of(meanings))
    assert "hunter2" not in str(caught.value)


def test_a_keyword_index_needs_no_store(write: Any, texts: Knowledge, folder: Path) -> None:
    (folder / "wfc.toml").write_text('vectors = {database = "NOT_THERE"}')
    assert settings_near(folder).vectors == ("database", "NOT_THERE")
    write({"a.txt": "a car"})
    assert sources(replace(texts, files=["*.txt"]), "car") == ["a.txt"]


@pytest.mark.full
def test_a_server_that_goes_away_is_told_without_its_password(
    write: Any, meanings: Knowledge, folder: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VECTORS", database)
    (folder / "wfc.toml").write_text('vectors = {database = "VECTORS"}')
    write({"a.txt": "a car"})
    assert sources(meanings, "auto") == ["a.txt"]
    monkeypatch.setenv("VECTORS", "postgresql://wfc:hunter2@127.0.0.1:9/db")
    with pytest.raises(StepError, match="connection failed") as caught:
        sources(meanings, "auto")
    assert caught.value.name == "knowledge.vectors" and "hunter2" not in caught.value.message
    monkeypatch.setenv("VECTORS", database)
    assert sources(meanings, "auto") == ["a.txt"]
    with closing(sqlite3.connect(index_of(meanings))) as index:
        (told,) = index.execute("SELECT value FROM about WHERE name = 'vectors'").fetchone()
    assert "127.0.0.1" not in told
