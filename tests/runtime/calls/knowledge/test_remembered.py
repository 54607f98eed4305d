"""Workflows that remember: across runs and processes, by words and by meaning, and for nobody but whom it is about."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime import Context, StartEvent, StopEvent, Workflow, step
from wfc.runtime.calls.bindings import PythonTool
from wfc.runtime.calls.knowledge import remembered
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.helpers import Helpers, alone
from wfc.runtime.calls.knowledge.remembered import shelf_of
from wfc.runtime.calls.knowledge.searching import search
from wfc.runtime.calls.memories import MemoryMemories, NewEntry, ShelfBounds
from wfc.runtime.driver.engine import Engine
from wfc.runtime.errors import StepError, StepFailedError

NOTES = Knowledge("notes", kept_as="flow.notes", about={"topic": str | None}, entries=4)


class Done(StopEvent):
    """What a run has found."""

    found: list[str]
    ids: list[str]


class Wish(StartEvent):
    """Who says what, and asks what."""

    user: str
    text: str = ""
    asks: str = ""
    forgets: str | None = None
    by_meaning: bool = False


class Flow(Workflow):
    """Remembers, forgets and searches."""

    notes = NOTES

    @step
    async def work(self, ctx: Context, event: Wish) -> Done:
        """Do what is wished."""
        own = self.notes.of(event.user)
        if event.text:
            await ctx.remember(own, event.text, about={"topic": "talk"})
            await ctx.remember(own, event.text, about={"topic": "talk"})
        if event.forgets is not None:
            await ctx.forget(own, event.forgets or None)
        found = await ctx.retrieve(own, event.asks, top=10) if event.asks else []
        assert all(each.about == {"topic": "talk"} and each.source == "notes" for each in found)
        return Done(found=[each.text for each in found], ids=[each.id for each in found])


def run(engine: Engine, flow: type[Workflow] = Flow, **wish: Any) -> Done:
    async def once() -> Any:
        return await flow(engine=engine).run(start_event=Wish(**wish))

    return asyncio.run(once())


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    if request.param == "memory":
        return Engine()
    return Engine(tmp_path / "runs.db" if request.param == "sqlite" else request.getfixturevalue("database"))


def test_what_one_run_remembers_another_finds_for_the_same_user_alone(engine: Engine) -> None:
    run(engine, user="ann", text="She takes tea without milk.")
    run(engine, user="ann", text="She sits at the window.")
    run(engine, user="bob", text="He takes tea with lemon.")
    assert run(engine, user="ann", asks="tea").found == ["She takes tea without milk."]
    assert run(engine, user="bob", asks="tea window").found == ["He takes tea with lemon."]
    assert run(engine, user="ann\0", asks="tea").found == []


def test_one_passage_or_all_is_forgotten_and_nobody_elses(engine: Engine) -> None:
    for each in ("tea one", "tea two"):
        run(engine, user="ann", text=each)
    (mine,) = run(engine, user="ann", asks="one").ids
    assert len(run(engine, user="bob", forgets=mine, text="tea three", asks="tea").found) == 1
    assert len(run(engine, user="ann", asks="tea").found) == 2
    for strange in ("notes#", "notes#x", "other#1", "#", "notes#" + "9" * 40, "notes#٣"):
        assert len(run(engine, user="ann", forgets=strange, asks="tea").found) == 2
    assert run(engine, user="ann", forgets=mine, asks="tea").found == ["tea two"]
    assert run(engine, user="ann", forgets="", asks="tea").found == []
    assert run(engine, user="bob", asks="tea").found == ["tea three"]


def test_the_oldest_go_beyond_the_bound(engine: Engine) -> None:
    for number in range(7):
        run(engine, user="ann", text=f"tea {number}")
    assert sorted(run(engine, user="ann", asks="tea").found) == ["tea 3", "tea 4", "tea 5", "tea 6"]


def test_hostile_texts_are_data(engine: Engine) -> None:
    for text in ('tea \0 " OR * NEAR(', "tea ${{ inputs }} {% raw %} </note>", "茶 tea"):
        run(engine, user="ann", text=text)
    found = run(engine, user="ann", asks='tea" OR *').found
    assert len(found) == 3
    assert any("${{ inputs }} {% raw %} </note>" in each for each in found)


@pytest.mark.parametrize(
    ("text", "name"), [("x" * 10_000_000, "at most 32,000"), (" \n", "nothing was given")]
)
def test_what_cannot_be_remembered_is_refused(text: str, name: str) -> None:
    with pytest.raises(StepFailedError, match=name) as caught:
        run(Engine(), user="ann", text=text)
    assert "(knowledge.text)" in str(caught.value)


def test_a_collection_of_many_keys_needs_one() -> None:
    class Keyless(Flow):
        @step
        async def work(self, ctx: Context, event: Wish) -> Done:
            """Search without a key."""
            await ctx.retrieve(NOTES, "tea")
            return Done(found=[], ids=[])

    with pytest.raises(StepFailedError, match="none was given"):
        run(Engine(), Keyless, user="ann")


EMBEDDER = """
import os
def embed(texts):
    with open(os.environ["EMBEDDED"], "a") as file:
        file.writelines(each + "\\n" for each in texts)
    return [[float("tea" in each or "brew" in each), float("seat" in each), 0.1] for each in texts]
def other(texts):
    return [[*each, 0.2] for each in embed(texts)]
"""


def test_by_meaning_and_embedded_once_and_anew_by_another_embedder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wordy.py").write_text(EMBEDDER)
    monkeypatch.setenv("EMBEDDED", str(tmp_path / "embedded.txt"))

    def flow(function: str) -> type[Flow]:
        tool = PythonTool(f"wordy:{function}", output=list[list[float]], beside=tmp_path)
        notes = Knowledge("notes", kept_as="flow.notes", index="vector", model=tool, about={"topic": str})
        return type("Meaning", (Flow,), {"notes": notes})

    engine = Engine(tmp_path / "runs.db")
    for text in ("tea without milk", "a seat at the window"):
        run(engine, flow("embed"), user="ann", text=text)
    assert run(engine, flow("embed"), user="ann", asks="brew").found[0] == "tea without milk"
    assert run(engine, flow("other"), user="ann", asks="brew").found[0] == "tea without milk"
    assert run(engine, flow("other"), user="ann", asks="seat").found[0] == "a seat at the window"
    embedded = (tmp_path / "embedded.txt").read_text().splitlines()
    assert embedded.count("tea without milk") == 3  # twice when it was remembered, and once by the other


class Searching:
    """Searches a key's entries, and counts how many of them were put into an index."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, knowledge: Knowledge = NOTES) -> None:
        self.kept, self.knowledge, self.indexed = MemoryMemories(), knowledge, 0
        plain = remembered._insert

        def counted(database: Any, knowledge: Any, entries: Any, helpers: Any) -> None:
            plain(database, knowledge, entries, helpers)
            self.indexed += len(entries)

        monkeypatch.setattr(remembered, "_insert", counted)
        host: Any = alone().host
        monkeypatch.setattr(host, "memories", lambda: self.kept)
        self.helpers = Helpers(host, asyncio.run)

    def add(self, key: str, text: str) -> None:
        asyncio.run(self.kept.add(shelf_of(self.knowledge.of(key)), NewEntry(text, _body(text)), MANY))

    def __call__(self, key: str, query: str) -> list[str]:
        found = search([self.knowledge.of(key)], query, 100, helpers=self.helpers)
        return sorted(each.text for each in found)


MANY = ShelfBounds(1000)


def _body(text: str) -> str:
    return json.dumps({"text": text, "about": {"topic": "talk"}})


def test_a_search_takes_up_what_has_changed_since_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Searching(monkeypatch, replace(NOTES, entries=1000))
    for number in range(200):
        ask.add("ann", f"tea {number}")
    ask.add("bob", "tea with rum")
    assert len(ask("ann", "tea")) == 100 and ask.indexed == 200
    assert ask("bob", "tea") == ["tea with rum"] and ask.indexed == 201
    ask.add("ann", "rum")
    assert ask("ann", "rum") == ["rum"] and ask.indexed == 202
    shelf = shelf_of(ask.knowledge.of("ann"))
    (number,) = (each.number for each in asyncio.run(ask.kept.entries(shelf, MANY)) if "rum" in each.body)
    asyncio.run(ask.kept.forget(shelf, number))
    assert ask("ann", "rum") == [] and ask("ann", "199") == ["tea 199"] and ask.indexed == 202
    asyncio.run(ask.kept.forget(shelf))
    assert ask("ann", "tea") == [] and ask("bob", "rum") == ["tea with rum"] and ask.indexed == 202


def test_indexes_for_later_searches_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Searching(monkeypatch)
    for key in ("ann", "bob"):
        ask.add(key, "tea")
        ask(key, "tea")
    first, second = remembered._IDLE[ask.kept].values()
    monkeypatch.setattr(remembered, "_MOST_BYTES", first.size + second.size - 1)
    assert ask("ann", "tea") == ["tea"]
    assert [name[0] for name in remembered._IDLE[ask.kept]] == [shelf_of(NOTES.of("ann"))]  # type: ignore[index]
    monkeypatch.setattr(remembered, "_MOST_BYTES", 0)
    assert ask("bob", "tea") == ["tea"] and not remembered._IDLE[ask.kept]
    assert ask("bob", "tea") == ["tea"] and ask.indexed == 4


def test_searches_at_once_do_not_see_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Searching(monkeypatch, replace(NOTES, entries=1000))

    def work(key: str) -> None:
        for number in range(30):
            ask.add(key, f"tea {key} {number}")
            found = ask(key, "tea")
            assert f"tea {key} {number}" in found and all(f" {key} " in each for each in found)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, ["ann", "bob", "eve"] * 2))


def test_what_fails_half_way_is_searched_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "moody.py").write_text(MOODY)
    tool = PythonTool("moody:embed", output=list[list[float]], beside=tmp_path)
    ask = Searching(monkeypatch, replace(NOTES, index="vector", model=tool, entries=1000))
    for number in range(3):
        ask.add("ann", f"tea {number}")
    assert len(ask("ann", "tea")) == 3
    ask.add("ann", "milk")
    (tmp_path / "mood").write_text("")
    for _ in range(2):
        with pytest.raises(StepError, match="the line is down"):
            ask("ann", "tea")
    (tmp_path / "mood").unlink()
    assert ask("ann", "milk") == ["milk", "tea 0", "tea 1", "tea 2"]
    (tmp_path / "mood").write_text("other size")
    ask.add("ann", "rum")
    with pytest.raises(StepError, match="different sizes") as caught:
        ask("ann", "milk")
    assert caught.value.name == "knowledge.embedding"


MOODY = """
from pathlib import Path

def embed(texts):
    mood = Path(__file__).with_name("mood")
    if mood.exists() and not mood.read_text() and "milk" in texts:
        raise ConnectionError("the line is down")
    more = [0.5] if mood.exists() and mood.read_text() else []
    return [[float("tea" in each), float("milk" in each), 0.1, *more] for each in texts]
"""


SPEC = """
wfc: 1
workflow: noting
start: Told
end: Noted
knowledge:
  notes: {per: inputs.user}
events:
  Told: {user: string, text: string}
  Noted: {id: string}
steps:
  note:
    kind: remember
    accepts: Told
    knowledge: notes
    text: ${{ event.text }}
    emit: {event: Noted, with: {id: "${{ result }}"}}
"""


def test_a_process_that_is_killed_at_any_point_remembers_once(tmp_path: Path) -> None:
    """Each process dies at another point of its ticks, among them before and after the entry is written."""
    (tmp_path / "noting.yaml").write_text(SPEC)
    store = f"sqlite:///{tmp_path / 'runs.db'}"
    wfc = str(Path(sys.executable).with_name("wfc"))

    def call(*command: str, crash: str = "") -> int:
        environment = {**os.environ, "WFC_CRASH_AT": crash}
        return subprocess.run(
            [wfc, *command, "--store", store],
            check=False,
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            timeout=300,
        ).returncode

    given = ("run", "noting.yaml", "-i", "user=ann", "-i", "text=tea", "--run-id", "one")
    for _ in range(20):  # at times its second commit is that which writes the run down
        assert call(*given, crash="commit:2") == -signal.SIGKILL
        with closing(sqlite3.connect(tmp_path / "runs.db")) as connection:
            if connection.execute("SELECT status FROM runs").fetchall():
                break
    died = [call("worker", "--until-idle", crash=point) for point in ("commit:1", "committed:2", "commit:2")]
    assert -signal.SIGKILL in died
    assert call("worker", "--until-idle") == 0
    with closing(sqlite3.connect(tmp_path / "runs.db")) as connection:
        assert connection.execute("SELECT status FROM runs").fetchall() == [("done",)]
        assert [body for (body,) in connection.execute("SELECT body FROM memories")] == [
            '{"about": {}, "text": "tea"}'
        ]
