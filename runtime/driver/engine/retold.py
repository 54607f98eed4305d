"""The part of an engine that tells stored runs again: how they were at a tick, and what they show, without a gap."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, Protocol

from wfc.runtime.driver.engine.kept_values import values_of
from wfc.runtime.driver.engine.tasks import StoredTasks
from wfc.runtime.driver.messages import Message, name_of
from wfc.runtime.driver.run.receiving import is_meant_for, own_class, read_as_own
from wfc.runtime.errors import InvalidMessageError, RunUnknownError, StoreError
from wfc.runtime.store.checkpoint import checkpoint_in
from wfc.runtime.store.journal import Kept
from wfc.runtime.store.replay import Replay, Replayed
from wfc.runtime.store.sql import inbox, messages, reading, selecting
from wfc.runtime.store.versions.reading import can_fold
from wfc.runtime.store.waits import Wait, waits_in

__all__ = ["RetoldRuns"]

LOOKS_EVERY = 0.1
"""The seconds between two looks at a store for what another process has written."""

_BEGINNINGS, _EDITED = ("started", "rewound"), "edited"
"""The first tick of a run whose whole past is kept, but for changes of the state that came before."""

_MOST_BEFORE_ITS_START = 100

MOST_AT_ONCE = 1000
"""How many ticks are read at once."""

MOST_TOLD = 10_000
"""The ticks that a run may have so that it is told from its beginning where nobody asks for that."""


class RetoldRuns(StoredTasks, Protocol):
    """The part of an engine with a store that tells its runs again from their journals; it changes nothing."""

    def replay(self, run_id: str, since: int = 0) -> Replay:
        """Return a replay of a stored run that has told nothing yet; of one that was pruned, from its snapshot on.

        Args:
            since: The tick up to which nothing needs to be told: if the run's snapshot is no later, it begins there.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            StoreError: The workflow has other steps now.
        """
        found = self.beginning_of(run_id)
        workflow = self.workflow(found.workflow, version=found.version)
        kept = self.kept_before(run_id, found)
        if since > (0 if kept is None else kept.seq):
            last = self.store.select(partial(reading.last_snapshot, number=found.number))
            if last is not None and found.since < last.snapshot_seq <= since:
                kept = last
        return Replay(workflow._wfc.plan, run_id, found.start, values_of(workflow), kept)

    def parts_of(self, run_id: str) -> list[str]:
        """Return the ids of the stored runs that are parts of a run, in the order in which they began."""
        return self.store.select(partial(reading.parts_of, run_id=run_id))

    def replay_near_end(self, run_id: str) -> Replay:
        """Return a replay of a stored run, of a long one from its last snapshot on, that has told nothing yet.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            StoreError: The workflow has other steps now.
        """
        last = self.last_tick(run_id)
        return self.replay(run_id, last if last > MOST_TOLD else 0)

    def last_tick(self, run_id: str) -> int:
        """Return the number of the last tick of a stored run."""
        return self.store.select(partial(selecting.last_tick, run_id=run_id))

    def tail_of(self, run_id: str, most: int) -> int:
        """Return the tick to follow a stored run since so as to be told its last ticks; of a long one perhaps fewer.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            StoreError: The workflow has other steps now.
        """
        since = max(0, self.last_tick(run_id) - most)
        told = self.replay(run_id, since)
        if since - told.seq > MOST_TOLD:
            told = self.replay_near_end(run_id)
        return max(since, told.seq)

    def beginning_of(self, run_id: str) -> selecting.Beginning:
        """Return what a stored run began with, if its steps are those that its workflow has here.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            StoreError: The workflow has other steps now.
        """
        found = self.store.select(partial(selecting.beginning, run_id=run_id))
        if found is None:
            raise RunUnknownError(f"there is no run `{run_id}` in this store")
        plan = self.workflow(found.workflow, version=found.version)._wfc.plan
        if not can_fold(found.plan, found.shape, plan):
            raise StoreError(
                f"the run {run_id} has a version of `{found.workflow}` with other steps or events than this one has, "
                f"so what happened to its steps cannot be told with it"
            )
        return found

    def version_since(self, run_id: str) -> int:
        """Return the tick by which a stored run moved to the version that it has; 0: it was started with that."""
        found = self.store.select(partial(selecting.beginning, run_id=run_id))
        return 0 if found is None else found.since

    def kept_before(self, run_id: str, found: selecting.Beginning) -> Kept | None:
        """Return the snapshot before which nothing of a run can be told; ``None``: all of its ticks can.

        What is not kept cannot, nor what was before it moved to the version that it has.
        """
        if found.since:
            moved = self.store.select(
                partial(selecting.ticks_after, run_id=run_id, since=found.since - 1, most=1)
            )[0]
            if moved and moved[0][0] == found.since:
                return Kept(checkpoint_in(moved[0][1]), found.since, ())
        elif self._is_kept_whole(run_id):
            return None
        return self.store.select(partial(reading.last_snapshot, number=found.number)) or Kept(None, 0, ())

    def bodies_of(self, run_id: str) -> list[bytes]:
        """Return all ticks of a run, as they are written.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            StoreError: They are not all kept, or the workflow has other steps now.
        """
        found = self.beginning_of(run_id)
        if self.kept_before(run_id, found) is not None:
            raise StoreError(
                f"of the run {run_id} not all can be told: it was pruned, in memory at first, or of another version"
            )
        return self.store.select(partial(selecting.bodies_after, number=found.number, since=0))

    def _is_kept_whole(self, run_id: str) -> bool:
        """Return whether all ticks of a run are kept: it was neither pruned, nor in memory at first."""
        if self.store.select(partial(selecting.snapshot_seq, run_id=run_id)) is None:
            return True
        ticks, _ = self._ticks_after(run_id, 0, _MOST_BEFORE_ITS_START)
        kinds = [json.loads(body)[0] for _, body in ticks]
        return (
            bool(ticks)
            and ticks[0][0] == 1
            and next((one for one in kinds if one != _EDITED), "") in _BEGINNINGS
        )

    def _ticks_after(self, run_id: str, since: int, most: int) -> tuple[list[tuple[int, bytes]], bool]:
        return self.store.select(partial(selecting.ticks_after, run_id=run_id, since=since, most=most))

    def told(self, run_id: str, at: int | None = None) -> Replay:
        """Return the replay of a stored run up to a tick that is named, from its beginning; else as it is now.

        A long run is then told from its last snapshot on only: what it is told since is its ``first``.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            StoreError: It has no such tick, or its history before that was pruned, or it has other steps now.
        """
        replay = self.replay_near_end(run_id) if at is None else self.replay(run_id)
        if at is not None and at < replay.seq:
            raise StoreError(
                f"of the run {run_id} only what followed its tick {replay.seq} is kept; what was before is pruned"
            )
        while at is None or replay.seq < at:
            most = MOST_AT_ONCE if at is None else min(MOST_AT_ONCE, at - replay.seq)
            ticks, _ = self._ticks_after(run_id, replay.seq, most)
            for seq, body in ticks:
                replay.check_next(seq)
                replay.skip(body)
            if not ticks:
                self.check_told(replay)
                break
        if at is not None and replay.seq < at:
            raise StoreError(f"the run {run_id} has no tick {at}: its last is {replay.seq}")
        return replay

    async def follow(
        self, run_id: str, since: int = 0, *, waits: bool = True, changes: bool = False
    ) -> AsyncIterator[Replayed]:
        """Yield what a stored run shows after a tick, each tick once and in order, until the run is over.

        Only what is recorded is shown, whoever works on the run. Who has seen the tick 7 goes on with ``since=7``.

        Args:
            waits: Whether to wait for what is still to come.
            changes: Whether to tell what each tick has changed in the state.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            StoreError: What comes after that tick, or the last one that was told, is not kept any more; or the
                workflow has other steps now.
        """
        replay = self.replay(run_id, since)
        if since < replay.seq:
            raise StoreError(
                f"what the run {run_id} showed up to its tick {replay.seq} is pruned, so it cannot be told without a "
                f"gap after {since}: follow it since {replay.seq}"
            )
        while True:
            ticks, is_over = self._ticks_after(run_id, replay.seq, MOST_AT_ONCE)
            for seq, body in ticks:
                replay.check_next(seq)
                replay.notes_changes = changes and replay.seq >= since
                told = replay.tell(body)
                if told.seq > since:
                    yield told
            ends = is_over or (not waits and len(ticks) < MOST_AT_ONCE)
            if ends or not ticks:
                self.check_told(replay)
            if ends:
                return
            if not ticks:
                await asyncio.sleep(LOOKS_EVERY)

    def check_told(self, replay: Replay) -> None:
        """Check whether a replay that finds no more ticks of its stored run has told them all.

        Raises:
            StoreError: It has not: those up to the run's snapshot were pruned meanwhile.
        """
        run_id = replay.execution.run_id
        kept = self.store.select(partial(selecting.snapshot_seq, run_id=run_id))
        if kept is not None and kept > replay.seq:
            ticks, _ = self._ticks_after(run_id, replay.seq, 1)  # some may have been written just now
            replay.check_next(ticks[0][0] if ticks else kept + 1)

    def waits_of(self, run_id: str) -> list[Wait]:
        """Return what the steps of a run that rests wait for; nothing of one that is under way or over."""
        body = self.store.select(partial(selecting.snapshot_at_rest, run_id=run_id))
        return [] if body is None else waits_in(body)

    def messages_of(self, run_id: str) -> list[dict[str, Any]]:
        """Return what people were told of a stored run, or are to be told, as data, the oldest first."""
        return self.store.select(partial(messages.messages_of, run_id=run_id))

    # --- runs by key, and runs that are not needed any more

    def ended_runs(
        self, *, older_than: float = 0.0, key: str | None = None, workflow: str | None = None
    ) -> list[str]:
        """Return the ids of the runs that have been over for some seconds, and are no part of another run."""
        moment = time.time_ns() - int(older_than * 1e9)
        return self.store.select(partial(selecting.ended_before, moment=moment, key=key, workflow=workflow))

    def check_over(self, run_id: str) -> None:
        """Check whether a stored run may be forgotten: it is over, and no part of one that is not.

        Raises:
            RunUnknownError: There is none of that id.
            StoreError: It is not over.
        """
        row = self.show(run_id)
        root = self.store.root_of(run_id) or run_id
        if row.ended is None or self.show(root).ended is None:
            raise StoreError(f"the run {root} is not over, so it is not forgotten: `wfc runs cancel` ends it")

    async def forget(self, run_id: str) -> None:
        """Delete all that is kept of a run that is over, and of its parts.

        Raises:
            RunUnknownError: There is none of that id.
            StoreError: It is not over, or the store cannot be written.
        """
        self.check_over(run_id)
        await self.store.forget(run_id)

    def check_message(self, run_id: str, event: Message) -> None:
        """Check whether a stored run takes an event, as far as its class says.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            InvalidMessageError: It takes no such event, or the event does not fit.
        """
        row = self.show(run_id)
        rules = self.workflow(row.workflow, version=row.version)._wfc.run_rules
        kind = own_class(rules, self.told(run_id).execution, event)
        if kind is None:
            takes = ", ".join(f"`{name}`" for name in rules.receives)
            told = f"it receives {takes}" if takes else "it receives nothing"
            raise InvalidMessageError(f"the run {run_id} does not receive `{name_of(event)}`; {told}")
        if not is_meant_for(rules, row.key, read_as_own(kind, event)):
            raise InvalidMessageError(
                f"this `{name_of(event)}` is for a run with another key than that of {run_id}, {row.key!r}"
            )

    def posted_to(self, run_id: str) -> list[dict[str, Any]]:
        """Return what was posted to a stored run and is not taken yet, the oldest first, as data."""
        found = self.store.select(partial(selecting.beginning, run_id=run_id))
        if found is None:
            return []
        items = self.store.select(partial(inbox.posted, number=found.number))
        return [
            {"kind": item.kind, "by": item.by, "at": item.at, **json.loads(item.body)} for _, item in items
        ]
