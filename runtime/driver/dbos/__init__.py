"""Workers on one or more machines that share the runs of a store on PostgreSQL, by the queue of dbos.

A run that is due is a workflow of dbos in a queue: ``drive``. A worker that takes one from there claims the run from
the store, lets it go on until it ends or rests, and is done with it. What happens in the run itself is recorded by the
store alone, in a tenth of the time that a step of dbos takes. When a worker dies, the others see that its beats have
ended, and put what dbos knows it had under way back into the queue.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final

from wfc.runtime.driver.engine.retold import RetoldRuns
from wfc.runtime.driver.engine.working import SUSPECT, Load, Worker, WorkerNote
from wfc.runtime.errors import MissingPackageError, StoreError, WorkflowConfigurationError
from wfc.runtime.store.postgresql import PostgresJournal
from wfc.runtime.store.sql.selecting import DueRun

try:
    from dbos import DBOS, Serializer
except ImportError:
    raise MissingPackageError(
        "workers on a store on PostgreSQL need the package dbos: pip install 'wfc-workflows[dbos]'"
    ) from None

__all__ = ["QueueWorker"]

QUEUE: Final = "wfc"
SCHEMA: Final = "wfc_dbos"
DRIVE: Final = "wfc.drive"
_LOG: Final = logging.getLogger("dbos")
PROTOCOL: Final = "wfc-1"
"""What dbos takes for the version of the application; of which version a run is, the store knows."""

SWEEPS_EVERY: Final = 0.5
"""The seconds between two looks at what is due, unless the server tells before."""

TAKES_EVERY: Final = 0.2
"""The seconds between two looks at the queue."""

OFFERS_AGAIN: Final = 2.0
"""The seconds after which a run that is still due is put into the queue again; if it is there, that changes nothing."""

OFFERS_SOON: Final = 0.2
"""The same of a run that this worker has just been done with: while the queue still has it as being worked on, an
offer changes nothing."""

GIVES_UP_AFTER: Final = 60.0
"""The seconds for which the server may be away before the worker ends."""

FORGETS_AFTER: Final = 60.0
"""The seconds for which the queue knows what was done."""

MOST_AT_ONCE: Final = 200
"""How many runs are put into the queue at once, and how many done ones are forgotten."""


class _JsonSerializer(Serializer):
    """What the queue keeps, as JSON: the default would be code."""

    def serialize(self, data: Any) -> str:
        """Return data as JSON text."""
        return json.dumps(data, default=str)

    def deserialize(self, serialized_data: str) -> Any:
        """Return the data of a JSON text."""
        return json.loads(serialized_data)

    def name(self) -> str:
        """Return what the queue calls this way of writing."""
        return "wfc_json"


class QueueWorker(Worker):
    """A worker that takes the runs of a store on PostgreSQL from the queue that it shares with others.

    Args:
        load: See ``Load``; asked once for each version of a workflow.
        tell: Called with what happens to each run.
        at_once: How many runs may be under way at once in each worker; of several that say so the last one counts.

    Raises:
        WorkflowConfigurationError: The engine's store is not on PostgreSQL.
    """

    def __init__(
        self, engine: RetoldRuns, load: Load, tell: Callable[[WorkerNote], None], *, at_once: int = 100
    ) -> None:
        super().__init__(engine, load, tell, at_once=at_once)
        store = engine.store
        if not isinstance(store, PostgresJournal):
            raise WorkflowConfigurationError("only the runs of a store on PostgreSQL are taken from a queue")
        self._store = store
        self._offered: dict[str, float] = {}  # when runs were put into the queue, by their ids
        self._was_going: dict[str, float] = {}  # when this worker was done with runs, by their ids
        self._forgets_at = 0.0
        self._other_handlers: set[logging.Handler] = set()  # of the log of dbos, which others have set
        self._entrance = asyncio.Lock()
        self._taken = 0  # how many runs were taken from the queue

    async def run(self, *, grace: float = 30.0, until_idle: bool = False) -> None:
        """Work until it is drained.

        Args:
            grace: How many seconds after that the runs have, before they are given back for others to go on.
            until_idle: Whether to return also when nothing is due and nothing is under way.

        Raises:
            StoreError: The queue cannot be opened, or the store cannot be read for long.
        """
        loop = asyncio.get_running_loop()

        def due_now() -> None:
            loop.call_soon_threadsafe(self._news.set)

        await asyncio.to_thread(self._open_queue, loop)
        self._store.listen_for_due(due_now)
        try:
            with self._store.claiming():  # not while it ends: nobody is to leave a run to it then
                await self._sweep_often(until_idle=until_idle)
        finally:
            self._leaves.set()
            # it takes nothing from the queue any more, and waits for what it has taken
            closing = asyncio.create_task(asyncio.to_thread(_close_queue, math.ceil(grace) + 5))
            await self._finish(grace)
            await closing
            _drop_handlers(self._other_handlers)

    async def _sweep_often(self, *, until_idle: bool) -> None:
        failing_since: float | None = None
        while not self._leaves.is_set():
            taken_before = None if self._going else self._taken
            try:
                is_idle = await asyncio.to_thread(self._sweep)
                failing_since = None
            except StoreError:
                failing_since = failing_since or time.monotonic()
                if time.monotonic() - failing_since > GIVES_UP_AFTER:
                    raise
                is_idle = False
            if until_idle and is_idle and not self._going:
                if taken_before == self._taken:
                    return
                continue  # what was under way until now may have made something due since that look
            self._news.clear()
            news, leaves = (asyncio.ensure_future(one.wait()) for one in (self._news, self._leaves))
            await asyncio.wait((news, leaves), timeout=SWEEPS_EVERY, return_when=asyncio.FIRST_COMPLETED)
            news.cancel()
            leaves.cancel()

    # --- the queue

    def _open_queue(self, loop: asyncio.AbstractEventLoop) -> None:
        """Open the queue, and take from it from now on.

        Raises:
            StoreError: It cannot be opened.
        """

        async def drive(run_id: str) -> str:
            taken: Future[str] = asyncio.run_coroutine_threadsafe(self._take(run_id), loop)
            return await asyncio.wrap_future(taken)

        others = set(_LOG.handlers)
        try:
            DBOS(
                config={
                    "name": QUEUE,
                    "system_database_url": self._store.address,
                    "dbos_system_schema": SCHEMA,
                    "application_version": PROTOCOL,
                    "executor_id": self._store.owner,
                    "serializer": _JsonSerializer(),
                    "sys_db_pool_size": 5,
                    "use_listen_notify": False,
                    "log_level": "ERROR",
                }
            )
            DBOS.workflow(name=DRIVE)(drive)
            DBOS.launch()
            DBOS.register_queue(
                QUEUE,
                worker_concurrency=self._at_once,
                polling_interval_sec=TAKES_EVERY,
                on_conflict="always_update",
            )
        except Exception as error:
            _close_queue(0)
            _drop_handlers(others)
            said = " ".join(str(error).split())
            raise StoreError(f"the queue in {self._store.name} cannot be opened: {said}") from error

        self._other_handlers = others

    async def _take(self, run_id: str) -> str:
        """Let a run go on that was taken from the queue, until it ends or rests; return what became of it.

        It may have been left to others: then it is put into the queue again.
        """
        if self._leaves.is_set() or run_id in self._going:
            return "left to others"
        self._taken += 1
        task = self._going[run_id] = asyncio.create_task(self._take_up(run_id))
        await asyncio.wait([task])
        return "taken"

    async def _take_up(self, run_id: str) -> None:
        try:
            try:
                found = await asyncio.to_thread(self._store.runs, run_id=run_id)
            except StoreError:
                found = []
            for row in found:
                due = DueRun(run_id, row.workflow, row.version, row.recoveries)
                if self._has_code(due):
                    await self._admit(due)
                    self._tell(await self._outcome(due))
        finally:
            del self._going[run_id]
            self._begun.pop(run_id, None)
            self._was_going[run_id] = time.monotonic()

    async def _admit(self, due: DueRun) -> None:
        """Wait until a run may begin: one that may be what kills its processes begins alone."""
        async with self._entrance:
            await self._until_safe([] if self._alone is None else [self._alone])
            self._alone = None
            if due.recoveries >= SUSPECT:
                await self._until_safe(list(self._going))
                self._alone = due.run_id
            while self._begun and self._must_wait() and not self._leaves.is_set():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._leaves.wait(), SWEEPS_EVERY)
            self._begun[due.run_id] = time.monotonic()

    async def _until_safe(self, run_ids: list[str]) -> None:
        for run_id in run_ids:
            while not self._is_safe(run_id):  # noqa: ASYNC110 - what is waited for is in the store
                await asyncio.sleep(TAKES_EVERY)

    # --- what is put into it

    def _sweep(self) -> bool:
        """Put into the queue what is due; return whether nothing is.

        Raises:
            StoreError: The store cannot be read.
        """
        try:
            known = self._put_back()
            now = time.monotonic()
            self._forget_offers(now)
            due = [
                one
                for one in self._store.due(list(self._refused), MOST_AT_ONCE + len(self._broken))
                if one.run_id not in self._broken and one.run_id not in self._going
            ]
            for one in due:
                if one.run_id not in known and one.run_id not in self._offered:
                    self._offer(one.run_id)
                    self._offered[one.run_id] = now
            self._forget_what_is_done(now)
        except StoreError:
            raise
        except Exception as error:  # of whatever kind the library and its own have
            raise StoreError(f"the queue in {self._store.name} cannot be used: {error}") from error
        return not due

    def _forget_offers(self, now: float) -> None:
        """Forget what was put into the queue so long ago that it may be put there again."""
        for run_id, at in list(self._was_going.items()):  # a copy: the loop adds to it meanwhile
            if now - at > OFFERS_AGAIN:
                del self._was_going[run_id]
        self._offered = {
            run_id: at
            for run_id, at in self._offered.items()
            if now - at < (OFFERS_SOON if run_id in self._was_going else OFFERS_AGAIN)
        }

    def _offer(self, run_id: str) -> None:
        DBOS.enqueue_workflow_with_options(
            {
                "workflow_name": DRIVE,
                "queue_name": QUEUE,
                "workflow_id": f"{run_id}@{uuid.uuid4().hex}",
                "app_version": PROTOCOL,
                "deduplication_id": run_id,
                "duplication_policy": "return-existing",
            },
            run_id,
        )

    def _put_back(self) -> set[str]:
        """Put back into the queue what workers had under way that are dead; return the ids of the runs."""
        pending = DBOS.list_workflows(name=DRIVE, status="PENDING", load_input=False, load_output=False)
        owners = {one.executor_id or "" for one in pending} - {self._store.owner}
        dead = {owner for owner in owners if not self._store.is_alive(owner)}
        left = [one.workflow_id for one in pending if (one.executor_id or "") in dead]
        if left:
            DBOS.resume_workflows(left, queue_name=QUEUE)
        return {workflow_id.rpartition("@")[0] for workflow_id in left}

    def _forget_what_is_done(self, now: float) -> None:
        """Delete from the queue, now and then, what was done a while ago: the store has all that is to be known."""
        if now < self._forgets_at:
            return
        self._forgets_at = now + FORGETS_AFTER / 2
        before = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(time.time() - FORGETS_AFTER))
        done = DBOS.list_workflows(
            name=DRIVE,
            status=["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
            completed_before=before,
            limit=MOST_AT_ONCE * 10,
            load_input=False,
            load_output=False,
        )
        if done:
            DBOS.delete_workflows([one.workflow_id for one in done])


def _close_queue(seconds: int) -> None:
    """Take nothing from the queue any more, and wait for the end of what was taken."""
    DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=seconds)


def _drop_handlers(others: set[logging.Handler]) -> None:
    """Drop the handlers of its log that dbos has set: they write to what was standard error then, closed or not."""
    for handler in set(_LOG.handlers) - others:
        _LOG.removeHandler(handler)
