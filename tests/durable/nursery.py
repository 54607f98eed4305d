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
import importlib
import itertools
import json
import os
import signal
import sys
import time
import traceback
from functools import cache, partial
from pathlib import Path
from typing import Any

import instruments
from durable_flows import ASKING, FLOWS, OTHERS, workflow_of
from model_wire import SHAPES, answering_at
from stores import KEEPERS, Keeper

from wfc.runtime import Engine
from wfc.runtime.driver.engine.starting import RECEIVES, TriggerStarter
from wfc.runtime.driver.engine.working import Worker
from wfc.runtime.driver.messages import EventData
from wfc.runtime.errors import (
    AnsweredAlreadyError,
    RunEndedError,
    RunExistsError,
    RunLostError,
    RunUnknownError,
    StoreError,
    UnknownQuestionError,
)
from wfc.runtime.store import crash_points
from wfc.runtime.store.sql import starting

PATIENCE = float(os.environ.get("WFC_PATIENCE", "300"))
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
        is_over, starter = asyncio.Event(), TriggerStarter(engine, engine.workflows(), print)
        await starter.look_and_note()
        handing_out = asyncio.create_task(starter.run(is_over))
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
        is_over.set()
        await handing_out
        engine.close()

    async def talk(
        self, flow: str, run_id: str, inputs: dict[str, Any], answers: dict[str, Any], messages: list[Any]
    ) -> None:
        """Starts a run, or lets it go on until it is over; answers its questions and writes to it meanwhile.

        Args:
            answers: What is answered to the question that has this in its title.
            messages: Events with their fields, in their order.
        """
        engine = self.opened(flow)
        try:
            handler = await engine.resume(run_id)
        except RunUnknownError:
            handler = engine.workflow(flow).run(run_id=run_id, **inputs)  # type: ignore[attr-defined]
        except RunEndedError:
            engine.close()
            return
        for number, (event, fields) in enumerate(messages):
            with contextlib.suppress(RunEndedError):
                await engine.post(run_id, EventData(event, fields), message_id=f"{run_id}-{number}")
        while not handler.is_done():
            await asyncio.sleep(0.002)
            for task in [
                one for one in engine.tasks() if one.run_id.startswith(f"{run_id}/")
            ]:  # of its agents
                value = next(found for part, found in answers.items() if part in task.title)
                with contextlib.suppress(*NOT_NOW, AnsweredAlreadyError, RunEndedError):
                    await engine.answer(task.task_id, value, by="user:ann")
        engine.close()

    async def enqueue(self, flow: str, run_id: str, inputs: dict[str, Any] | None = None) -> None:
        """Puts a run aside for others."""
        engine = self.opened(flow)
        workflow = engine.workflow(flow)
        await engine.enqueue(workflow, workflow._wfc.plan.start_class(**(inputs or {"n": 0})), run_id)
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

    async def restless(self, flow: str, run_id: str) -> None:
        """Does what people do while the run is just being put to rest in this same process."""
        engine = self.opened(flow)
        for said in FLOWS[flow].people:
            while True:
                if await self._says_while_parking(engine, flow, run_id, said):
                    break
                await asyncio.sleep(0.01)
        engine.close()

    async def _says_while_parking(self, engine: Engine, flow: str, run_id: str, said: Any) -> bool:
        try:
            await engine.resume(run_id)
        except RunUnknownError:
            engine.workflow(flow).run(run_id=run_id, n=0)  # type: ignore[attr-defined]
        except RunLostError:
            return False  # one that was killed has it, for as long as nobody knows
        except RunEndedError:
            return True
        parking = asyncio.create_task(engine.park(run_id))
        while (run := engine.run(run_id)) is not None and not run.port.is_parking:  # noqa: ASYNC110 - none says it
            await asyncio.sleep(0)
        is_said = await self._says(engine, run_id, said)
        parking.cancel()
        with contextlib.suppress(asyncio.CancelledError, RunUnknownError):
            await parking
        return is_said

    async def _says(self, engine: Engine, run_id: str, said: Any) -> bool:
        try:
            if said.kind == "post":
                await engine.post(run_id, EventData("Said", said.value), message_id=said.by)
                instruments.write("acknowledged", {"run": run_id, "by": said.by})
                return True
            if said.kind == "publish":
                return await self._publishes(engine, run_id, said)
            tasks = [one for one in engine.tasks(run_id=run_id, is_open=False) if one.step == said.step]
            if not tasks:
                return False
            handler = await engine.answer(tasks[0].task_id, said.value, by=said.by)
        except NOT_NOW:
            return False
        except (AnsweredAlreadyError, RunEndedError):
            return True  # it was said before, and is kept, or was the last one
        instruments.write("acknowledged", {"run": run_id, "by": said.by})
        if handler is not None:  # nobody else has the run: it goes on here, until somebody else may have it
            await asyncio.sleep(0.05)
            with contextlib.suppress(RunUnknownError):
                await asyncio.wait_for(engine.park(run_id), 240)
        return True

    async def _publishes(self, engine: Engine, run_id: str, said: Any) -> bool:
        """Publishes under a topic, once somebody listens: what was said before is not for him."""
        flow = engine.show(run_id).workflow
        at = engine.store.select(partial(starting.position_of, workflow=flow, trigger=RECEIVES))
        if at is None:
            return False
        event, message_id = EventData("Said", said.value), f"{run_id}-{said.by}"
        await engine.publish(said.step, event, message_id=message_id)
        known, _ = await engine.keep_for_topic(said.step, event, message_id)  # type: ignore[misc]
        instruments.write("acknowledged", {"run": run_id, "by": known})
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
    said = os.open(command.pop("stderr"), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(said, 2)  # a file for each run: what one says is no matter of those after it
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


@cache
def load_models() -> None:
    """Load once what the processes would load one after the other when they ask a model."""
    for module in ("wfc.runtime.calls.models", "pydantic_ai.models.openai", "wfc.runtime.agents.loop"):
        importlib.import_module(module)
    gc.freeze()


def main(folder: Path, keeper: str, doors: contextlib.ExitStack) -> None:
    stage = Stage(folder, KEEPERS[keeper])
    instruments.install(folder)
    more = os.environ.get("WFC_FLOWS", "").split()
    for flow in more or (*FLOWS, *OTHERS):
        workflow_of(folder, flow)
    gc.freeze()
    if more:
        load_models()
        doors.enter_context(answering_at(os.environ["WFC_MODELS_AT"], SHAPES["openai"]))
    print("ready", flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "wait":
            print(waited_for(command["pid"], command["seconds"]), flush=True)
            continue
        if command.get("flow") in ASKING:
            load_models()
        pid = os.fork()
        if not pid:
            child(stage, command)
        print(pid, flush=True)


if __name__ == "__main__":
    with contextlib.ExitStack() as doors:
        main(Path(sys.argv[1]), sys.argv[2], doors)
