"""A process that has loaded all that a run needs, and forks the processes that are to be killed: that costs little.

It reads commands from standard input, one JSON list a line, and writes what became of each to standard output:
``["start", flow, run_id, point]`` gives the process's id, where a ``point`` such as ``commit:2`` lets it die there.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from wfc.runtime import Engine
from wfc.runtime.calls.sibling_modules import sibling_workflow
from wfc.runtime.errors import RunEndedError, RunLostError, RunUnknownError, UnknownQuestionError
from wfc.runtime.store import crash_points, port


def crash_at(text: str) -> None:
    point, _, count = text.partition(":")
    crash_points._POINT, crash_points._LAST = point, int(count or 1)  # type: ignore[misc]
    crash_points._arrivals = itertools.count(1)


async def run(flow: str, run_id: str, store: Path) -> None:
    """Starts a run, or lets it go on, and prunes it meanwhile."""
    engine = opened(flow, store)
    handler = None
    while handler is None:
        try:
            if engine.show(run_id).ended is not None:
                break
            handler = await engine.resume(run_id)
        except RunUnknownError:
            handler = engine.workflow(flow).run(run_id=run_id, n=0)
        except (RunLostError, RunEndedError):  # whoever answers has it
            await asyncio.sleep(0.01)
    while handler is not None and not handler.is_done():
        await asyncio.sleep(0.01)
        with contextlib.suppress(KeyError):
            await engine.store.prune(run_id)
    engine.close()


async def answer(flow: str, run_id: str, store: Path) -> None:
    """Answers the run's question as soon as there is one, and lets the run go on if nobody else does."""
    engine = opened(flow, store)
    task = f"{run_id}/ask/2"
    while True:
        try:
            handler = await engine.answer(task, {"n": 41, "note": "yes"}, by="user:ann")
        except (UnknownQuestionError, RunLostError, RunEndedError):
            await asyncio.sleep(0.01)
            continue
        break
    if handler is not None:
        await asyncio.wait([handler._run.future])
    engine.close()


def opened(flow: str, store: Path) -> Engine:
    engine = Engine(store=store)
    kind = sibling_workflow(store.parent, flow)
    assert kind is not None
    engine.add(kind(engine=engine))
    return engine


def child(command: list[Any], store: Path) -> None:
    status = 1
    try:
        kind, flow, run_id, point = command
        if point:
            crash_at(point)
        asyncio.run((run if kind == "start" else answer)(flow, run_id, store))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def main(store: Path) -> None:
    port.SHORTEST_TAIL = 600  # type: ignore[misc] # so that even short runs have snapshots
    for flow in ("loop", "batch", "ask"):
        sibling_workflow(store.parent, flow)
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        if command[0] == "wait":
            _, status = os.waitpid(command[1], 0)
            print(
                json.dumps(-os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)),
                flush=True,
            )
            continue
        pid = os.fork()
        if not pid:
            child(command, store)
        print(pid, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
