"""A worker that ends as soon as nothing is due knows that, and does not take it for granted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from wfc.runtime import Engine, StartEvent, StopEvent, Workflow, step
from wfc.runtime.driver.engine.working import Worker, WorkerNote
from wfc.runtime.errors import StoreError


class Quick(Workflow, name="quick_until_idle"):
    @step
    async def end(self, ev: StartEvent) -> StopEvent:
        return StopEvent()


def test_a_look_that_failed_does_not_say_that_nothing_is_due(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> list[str]:
        engine = Engine(store=tmp_path / "runs.db")
        engine.add(Quick)
        await engine.enqueue(Quick(engine=engine), StartEvent(), "one")
        due = engine.store.due
        looks: list[int] = []

        def fails_once(*given: Any) -> Any:
            looks.append(1)
            if len(looks) == 1:
                raise StoreError("the store is away")
            return due(*given)

        monkeypatch.setattr(engine.store, "due", fails_once)
        notes: list[WorkerNote] = []
        await Worker(engine, lambda due: None, notes.append).run(until_idle=True)
        engine.close()
        return [note.what for note in notes]

    assert asyncio.run(main()) == ["begins", "done"]
