"""A process that has loaded all that a run needs, and forks the processes that are to be killed: that costs little.

It reads commands from standard input, one JSON object a line, and answers with a line for each:
``{"do": "run", "flow": …, "run_id": …, "point": "commit:2"}`` gives the id of a process, which dies at that point;
``{"do": "wait", "pid": …}`` its status.
"""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import gc
import itertools
import json
import os
import signal
import sys
import time
import traceback
from functools import partial
from pathlib import Path
from typing import Any

import instruments
from durable_flows import FLOWS, OTHERS, workflow_of
from stores import KEEPERS, Keeper

from wfc.runtime import Engine
from wfc.runtime.driver.engine.working import Worker
from wfc.runtime.driver.messages import EventData
from wfc.runtime.errors import (
    RunEndedError,
    RunExistsError,
    RunLostError,
    RunUnknownError,
    StoreError,
    UnknownQuestionError,
)
from wfc.runtime.store import crash_points

PATIENCE = float(os.environ.get("WFC_PATIENCE", "60"))
"""The seconds that a process has."""

NOT_NOW = (RunUnknownError, UnknownQuestionError, RunLostError)
"""Why something that a person does may have to be done again a moment later."""


class Stage:
    """Where runs are played: a folder, and the engine that keeps them there."""

    def __init__(self, folder: Path, keeper: Keeper) -> None:
        self.folder = folder
        self.keeper = keeper

    def opened(self, *flows: str) -> Engine:
        engine = self.keeper.open(self.folder)
        for flow in flows:
            engine.add(workflow_of(self.folder, flow, engine))
        return engine

    async def run(
        self,
        flow: str,
        run_id: str,
        prunes: bool = False,
        inputs: dict[str, Any] | None = None,
        pages: int | None = None,
    ) -> None:
        """Starts a run, or lets it go on until it is over, and prunes it meanwhile.

        Args:
            pages: By how many pages the file may grow, as if the disk were full then.
        """
        engine = self.opened(flow)
        if pages is not None:
            engine.store.write_now(partial(limit_pages, pages=pages))
        handler = None
        while handler is None:
            try:
                if engine.show(run_id).ended is not None:
                    break
                handler = await engine.resume(run_id)
            except RunUnknownError:
                with contextlib.suppress(RunExistsError):
                    handler = engine.workflow(flow).run(run_id=run_id, **(inputs or {"n": 0}))  # type: ignore[attr-defined]
            except (RunLostError, RunEndedError):  # whoever answers has it
                await asyncio.sleep(0.01)
        while handler is not None and not handler.is_done():
            await asyncio.sleep(0.01)
            if prunes and self.keeper.prune is not None:
                await self.keeper.prune(engine, run_id)  # type: ignore[misc]
        engine.close()

    async def enqueue(self, flow: str, run_id: str) -> None:
        """Puts a run aside for others."""
        engine = self.opened(flow)
        workflow = engine.workflow(flow)
        await engine.enqueue(workflow, workflow._wfc.plan.start_class(n=0), run_id)
        engine.close()

    async def people(self, flow: str, run_id: str) -> None:
        """Does what people do, each as soon as it can be done, and once more."""
        engine = self.opened(flow)
        for said in FLOWS[flow].people:
            for _time in range(2):
                while True:
                    if await self._says(engine, run_id, said):
                        break
                    await asyncio.sleep(0.01)
        engine.close()

    async def _says(self, engine: Engine, run_id: str, said: Any) -> bool:
        try:
            if said.kind == "post":
                await engine.post(run_id, EventData("Said", said.value), message_id=said.by)
                instruments.write("acknowledged", {"run": run_id, "by": said.by})
                return True
            tasks = [one for one in engine.tasks(run_id=run_id, is_open=False) if one.step == said.step]
            if not tasks:
                return False
            handler = await engine.answer(tasks[0].task_id, said.value, by=said.by)
        except NOT_NOW:
            return False
        except RunEndedError:
            return True  # it was the last one, said once more
        instruments.write("acknowledged", {"run": run_id, "by": said.by})
        if handler is not None:  # nobody else has the run: it goes on here, until somebody else may have it
            await asyncio.sleep(0.05)
            with contextlib.suppress(RunUnknownError):
                await asyncio.wait_for(engine.park(run_id), 10)
        return True

    async def work(self, flows: list[str]) -> None:
        """Works on all that is due, as ``wfc worker`` does, until nobody has anything to do.

        What a process had that has just died may become due a moment later, and the server of the store may be away.
        """
        engine, is_over = None, False
        while not is_over:
            with contextlib.suppress(StoreError):
                engine = engine or self.opened(*flows)
                await Worker(engine, lambda due: None, lambda note: None).run(until_idle=True)
                under_way = {row.workflow for row in engine.list_runs() if row.status in {"queued", "live"}}
                is_over = under_way.isdisjoint(flows)
            await asyncio.sleep(0 if is_over else 0.05)
        assert engine is not None
        engine.close()


def limit_pages(connection: Any, pages: int) -> None:
    (count,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {count + pages}").fetchone()


def move_clock(seconds: float) -> None:
    """Let this process think that it is later, or earlier."""
    real, rest = time.time_ns, round(seconds * 1e9)
    time.time_ns = lambda: real() + rest


def crash_at(text: str) -> None:
    point, _, count = text.partition(":")
    crash_points._POINT, crash_points._LAST = point, int(count or 1)  # type: ignore[misc]
    crash_points._arrivals = itertools.count(1)


def child(stage: Stage, command: dict[str, Any]) -> None:
    status = 1
    faulthandler.register(signal.SIGUSR1, all_threads=True)
    try:
        crash_at(command.pop("point", "") or "nowhere")
        move_clock(command.pop("clock", 0))
        asyncio.run(getattr(stage, command.pop("do"))(**command))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def waited_for(pid: int, seconds: float | None) -> int | str:
    """The status of a process that has ended: that of its exit, or less than 0, a signal. None may take a minute.

    Args:
        seconds: How long to wait for one that may well go on, which is said by ``"null"``.
    """
    until = time.monotonic() + (PATIENCE if seconds is None else seconds)
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        if time.monotonic() > until:
            break
        time.sleep(0.005)
    if seconds is not None:
        return "null"
    os.kill(pid, signal.SIGUSR1)  # which tells what its threads are at
    time.sleep(0.5)
    os.kill(pid, signal.SIGTERM)
    return -os.WTERMSIG(os.waitpid(pid, 0)[1])


def main(folder: Path, keeper: str) -> None:
    stage = Stage(folder, KEEPERS[keeper])
    instruments.install(folder)
    for flow in (*FLOWS, *OTHERS):
        workflow_of(folder, flow)
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "wait":
            print(waited_for(command["pid"], command["seconds"]), flush=True)
            continue
        pid = os.fork()
        if not pid:
            child(stage, command)
        print(pid, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
