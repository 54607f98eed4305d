"""Results that are used again: when, under which key, and what a file may hold without harm."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime import (
    Cache,
    CacheHit,
    Context,
    Item,
    Items,
    Record,
    RetryPolicy,
    StartEvent,
    StepError,
    StopEvent,
    Workflow,
    WorkflowValidationError,
    pause,
    step,
)
from wfc.runtime.testing import ScriptedModel, run_virtually

Play = Callable[..., Any]


class Asked(StartEvent):
    text: str = "hello"


class Reply(Record):
    mood: str


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WFC_CACHE", str(tmp_path))
    return tmp_path


def asking(model: ScriptedModel, cache: Cache | None = None, wanted: str | None = None) -> type[Workflow]:
    """Asks a model, wants a mood if it says which, and tries three times."""

    class Asking(Workflow):
        @step(
            cache=cache or Cache(definition="1"), retry_policy=RetryPolicy(delay=0, retry_on=["requirement"])
        )
        async def ask(self, ctx: Context, event: Asked) -> Reply:
            return await ctx.llm(model, event.text, output=Reply)

        @ask.require
        def ask_requires(self, event: Asked, result: Reply) -> Any:
            if wanted is not None and result.mood != wanted:
                yield f"not {wanted}"

        @ask.then
        def after_ask(self, event: Asked, result: Reply) -> StopEvent:
            return StopEvent(result=result.mood)

    return Asking


def test_the_same_call_is_made_once(play: Play) -> None:
    model = ScriptedModel(Reply(mood="good"), Reply(mood="bad"))
    assert [play(asking(model)) for _ in range(3)] == ["good"] * 3
    assert len(model.prompts) == 1
    assert play(asking(model), text="other") == "bad"


@pytest.mark.parametrize("other", [Cache(definition="2"), Cache()])
def test_another_definition_is_another_call(play: Play, other: Cache) -> None:
    model = ScriptedModel(Reply(mood="good"), Reply(mood="bad"))
    assert play(asking(model)) == "good"
    assert play(asking(model, other)) == "bad"


def test_a_result_is_good_for_so_long(play: Play) -> None:
    model = ScriptedModel(Reply(mood="good"), Reply(mood="bad"))
    cache = Cache(seconds=3600, definition="1")

    async def main() -> list[Any]:
        found = []
        for seconds in (0, 3599, 2, 3000):
            await asyncio.sleep(seconds)
            found.append(await asking(model, cache)().run())
        return found

    assert run_virtually(main) == ["good", "good", "bad", "bad"]


def test_only_what_is_valid_enters(play: Play, folder: Path) -> None:
    model = ScriptedModel(Reply(mood="bad"), Reply(mood="good"), Reply(mood="worse"))
    assert play(asking(model, wanted="good")) == "good"
    assert play(asking(model, wanted="good")) == "good"
    assert len(model.prompts) == 2
    assert play(asking(model, wanted="worse")) == "worse"  # what is kept is not what this one requires


def test_what_was_found_is_told(watch: Play) -> None:
    model = ScriptedModel(Reply(mood="good"))
    first, second = (watch(asking(model)) for _ in range(2))
    assert not [event for event in first if isinstance(event, CacheHit)]
    assert [event.step_name for event in second if isinstance(event, CacheHit)] == ["ask"]


def test_items_have_a_cache_too(play: Play) -> None:
    model = ScriptedModel("one", "two")

    class Mapped(Workflow):
        @pause
        def work(self, event: Asked) -> Items[str]:
            return Items(event.text.split())

        @work.item(cache=Cache(), num_workers=1)
        async def work_item(self, ctx: Context, event: Asked, item: Item[str]) -> str:
            return await ctx.llm(model, item)

        @work.then
        def after_work(self, event: Asked, result: list[str]) -> StopEvent:
            return StopEvent(result=result)

    assert play(Mapped, text="a b a") == ["one", "two", "one"]


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.json"))


@pytest.mark.parametrize(
    "harm",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: "[" * 100_000,
        lambda text: "null",
        lambda text: text.replace("good", "evil"),  # its digest says so
        lambda text: text.replace('"version": 1', '"version": 2'),
        lambda text: json.dumps({**json.loads(text), "made": "now"}),
        lambda text: json.dumps({**json.loads(text), "made": 1e300}),
        lambda text: text + " " * 2_000_000,
    ],
    ids=["empty", "cut", "deep", "null", "changed", "version", "no time", "future", "large"],
)
def test_a_file_that_is_not_whole_is_a_miss(
    play: Play,
    folder: Path,
    harm: Callable[[str], str],
    caplog: pytest.LogCaptureFixture,
    request: pytest.FixtureRequest,
) -> None:
    model = ScriptedModel(Reply(mood="good"), Reply(mood="bad"))
    play(asking(model))
    (file,) = files(folder)
    file.write_text(harm(file.read_text()))
    assert play(asking(model)) == "bad"
    assert play(asking(model)) == "bad"  # from the cache again
    damaged = [each.getMessage() for each in caplog.records if "is damaged" in each.getMessage()]
    assert len(damaged) == ("version" not in request.node.name)  # that of another release is whole
    assert all(file.name in each for each in damaged)


def test_links_and_folders_and_pipes_are_misses(play: Play, folder: Path) -> None:
    model = ScriptedModel(*[Reply(mood=str(number)) for number in range(4)])
    play(asking(model))
    (file,) = files(folder)
    aside = folder / "aside"
    file.rename(aside)
    file.symlink_to(aside)
    assert play(asking(model)) == "1"
    file.unlink()
    os.mkfifo(file)
    assert play(asking(model)) == "2"
    file.unlink()
    file.mkdir()
    assert play(asking(model)) == "3"


def test_an_entry_of_another_type_is_a_miss(
    play: Play, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from wfc.runtime.calls.cache import store_entry

    model = ScriptedModel(Reply(mood="good"), Reply(mood="bad"))
    play(asking(model))
    (file,) = files(folder)
    store_entry(file, 0.0, '{"result": {"mood": 1, "more": 2}, "response": null}')
    assert play(asking(model)) == "bad"
    assert caplog.text.count("is damaged") == 1


def test_a_folder_that_cannot_be_written_is_no_failure(
    play: Play, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_text("")
    monkeypatch.setenv("WFC_CACHE", str(folder / "file" / "below"))
    model = ScriptedModel(Reply(mood="good"))
    assert play(asking(model)) == "good"


def test_the_folder_does_not_grow_without_bound(folder: Path) -> None:
    from wfc.runtime.calls.cache import store_entry

    for number in range(200):
        store_entry(folder / "ab" / f"{number}.json", 0.0, "{}")
    assert len(files(folder)) == 64


def test_what_fails_is_not_kept(play: Play, folder: Path) -> None:
    model = ScriptedModel(StepError("model.refused", "no"), Reply(mood="good"))
    with pytest.raises(Exception, match="no"):
        play(asking(model))
    assert not files(folder)
    assert play(asking(model)) == "good"


def test_a_time_is_positive() -> None:
    with pytest.raises(WorkflowValidationError):
        Cache(seconds=0)
