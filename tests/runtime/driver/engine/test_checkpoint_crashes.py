"""A process dies at each point of a retry, a rewind, a fork and an edit: the run is as before, or as after."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from checkpoint_flows import BROKEN, LOG, Above, Editing, check, within
from waiting import until

from wfc.runtime import Engine, Event
from wfc.runtime.errors import RunParkedError

SCRIPT = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from checkpoint_flows import within
from wfc.runtime.driver.messages import EventData
from wfc.runtime.driver.run.edits import Edits

DONE = {
    "retry": lambda engine: engine.retry("one"),
    "rewind": lambda engine: engine.rewind("one", 2, state={"sum": 7}),
    "fork": lambda engine: engine.fork("one", 2, new_id="two", state={"sum": 7}),
    "edit": lambda engine: engine.edit("one", Edits({"sum": 7}, [EventData("Extra", {"n": 1})])),
}
within(sys.argv[2], DONE[sys.argv[3]])
"""


@pytest.fixture(autouse=True)
def _fresh() -> None:
    LOG.clear()
    BROKEN.clear()


def ticks(path: str | Path) -> dict[str, list[str]]:
    """The kinds of the ticks of all runs, each of which is whole."""

    async def main(engine: Engine) -> dict[str, list[str]]:
        for row in engine.list_runs():
            await asyncio.to_thread(check, engine, row.run_id)
        return {row.run_id: [one.kind for one in engine.history(row.run_id)] for row in engine.list_runs()}

    return within(path, main)


async def fail(engine: Engine) -> None:
    """Starts a run whose part fails."""
    with pytest.raises(Exception, match="broken"):
        await Above(engine=engine).run(run_id="one", n=1)


async def rest(engine: Engine) -> None:
    """Starts a run that rests at its question."""
    handler = Editing(engine=engine).run(run_id="one", n=5)
    await until(engine.tasks)
    await engine.park("one")
    with pytest.raises(RunParkedError):
        await handler


def kill(path: str | Path, what: str, point: str) -> bool:
    """Lets a process die at a point of a change; returns whether it has."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), str(path), what],
        env={**os.environ, "WFC_CRASH_AT": point},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr
    return done.returncode != 0


@pytest.mark.full  # of a change's processes some die
@pytest.mark.parametrize("what", ["retry", "rewind", "fork", "edit"])
def test_a_change_is_made_or_not(store: str | Path, what: str) -> None:
    BROKEN.update(["two"] if what == "retry" else [])
    within(store, fail if what == "retry" else rest)
    BROKEN.clear()
    before, died = ticks(store), 0
    for point in ("commit:1", "commit:2", "committed:2", "altered:1"):
        has_died = kill(store, what, point)
        died += has_died
        after = ticks(store)
        if after != before:
            break
        assert has_died, "what was done is there"
    assert died
    added = {run_id: kinds[len(before.get(run_id, [])) :] for run_id, kinds in after.items()}
    assert {run_id: kinds for run_id, kinds in added.items() if kinds} == {
        "retry": {"one": ["rewound"], "one/part/2": ["rewound"]},
        "rewind": {"one": ["rewound", "edited"]},
        "fork": {"two": ["rewound", "edited"]},
        "edit": {"one": ["edited", "arrived"]},
    }[what]
    within(store, go_on)
    ticks(store)


async def go_on(engine: Engine) -> None:
    """Lets the runs that are not over come to their ends."""
    for row in engine.list_runs():
        if row.ended is None and engine.store.root_of(row.run_id) == row.run_id:
            handler = await engine.resume(row.run_id)
            if row.workflow.endswith("Editing"):
                await until(lambda run_id=row.run_id: engine.tasks(run_id=run_id))
                await handler.answer(f"{row.run_id}/ask/2", {"ok": True}, by="user:ann")
            assert isinstance(await handler, Event)
