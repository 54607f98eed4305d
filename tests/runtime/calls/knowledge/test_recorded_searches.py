"""What a step has searched stands in the ticks of a stored run, whatever the passages say."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime import Context, StartEvent, StopEvent, Workflow, step
from wfc.runtime.calls.knowledge import foreign
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.driver.engine import Engine
from wfc.runtime.server.data import json_bytes, search_data
from wfc.runtime.server.shown import told_of_event


class Asked(StartEvent):
    """A question."""

    query: str


class Flow(Workflow):
    """Searches what a function finds."""

    @step
    async def look_up(self, ctx: Context, event: Asked) -> StopEvent:
        """Search."""
        query = f"\udfff{event.query}"
        found = await ctx.retrieve(Knowledge("others", python="a:b"), query, top=1, fetch=150, min_score=0.5)
        return StopEvent(result=len(found))


def odd(_query: str, top: int) -> list[Any]:
    others = [{"text": f"text {number}", "id": f"i{number}", "score": 0.1} for number in range(top - 1)]
    return [{"text": "half \ud800" + "x" * 5_000, "id": "first", "score": 0.9}, *others]


def test_what_was_searched_is_told_again(store: str | Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "load_attribute", lambda _place, _beside: odd)
    engine = Engine(store)
    engine.add(Flow)

    async def go() -> Any:
        return await Flow(engine=engine).run(start_event=Asked(query="q " + "?" * 5_000), run_id="r")

    assert asyncio.run(go()) == 1
    replay = engine.told("r", engine.last_tick("r"))
    ((seq, search),) = replay.searches
    told = search_data(seq, search)
    assert (told["step"], told["collections"], 1 < seq < replay.seq) == ("look_up", ["others"], True)
    assert told["query"].startswith("?q ??") and len(told["query"]) == 2_000
    first, second, *rest = told["considered"]
    assert (first["id"], first["cut_by"], first["score"], len(first["text"])) == ("first", "", 0.9, 300)
    assert (second["cut_by"], len(rest)) == ("top", 98)
    assert json_bytes(told)
    kind, data = told_of_event(search)
    assert kind == "shown" and data["event"] == "Searched"
    engine.close()
