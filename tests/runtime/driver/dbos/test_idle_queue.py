"""A worker of a queue that ends as soon as nothing is due looks once more after what was under way meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from wfc.runtime import Engine
from wfc.runtime.driver.dbos import QueueWorker


async def nothing() -> None:
    """Be under way."""


def ends(worker: QueueWorker) -> None:
    del worker._going["one"]


def is_taken_and_ends(worker: QueueWorker) -> None:
    worker._taken += 1


@pytest.mark.parametrize(
    ("is_going", "meanwhile", "looks"),
    [(True, ends, 2), (False, is_taken_and_ends, 2), (False, lambda worker: None, 1)],
)
def test_what_ends_during_a_look_may_make_something_due(
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    is_going: bool,
    meanwhile: Callable[[QueueWorker], None],
    looks: int,
) -> None:
    async def main() -> int:
        engine = Engine(store=database)
        worker = QueueWorker(engine, lambda due: None, lambda note: None)
        made: list[int] = []
        if is_going:
            worker._going["one"] = asyncio.create_task(nothing())

        def look() -> bool:
            if not made:
                meanwhile(worker)
            made.append(1)
            return True

        monkeypatch.setattr(worker, "_sweep", look)
        await worker._sweep_often(until_idle=True)
        engine.close()
        return len(made)

    assert asyncio.run(main()) == looks
