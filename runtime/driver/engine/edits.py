"""The part of an engine that edits stored runs: their state, and the events that wait to be taken."""

from __future__ import annotations

from functools import partial
from typing import Final, Protocol

from wfc.runtime.driver.engine.forking import ForkedRuns
from wfc.runtime.driver.loops import call_and_await
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.edits import Edits
from wfc.runtime.errors import RunEndedError, RunParkedError, StoreError

__all__ = ["EditedRuns"]

TRIES: Final = 3
"""How often an edit is tried while others take up the run and put it to rest."""


class EditedRuns(ForkedRuns, Protocol):
    """The part of an engine with a store that edits runs."""

    async def edit(self, run_id: str, edits: Edits, *, by: str = "") -> None:
        """Edit a run that is not over, whether it rests or not; return when that is recorded.

        All changes are made at once, or none. Where another process has the run, they are brought to it.

        Args:
            by: The person who edits, such as ``user:ann``.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            RunEndedError: It is over.
            InvalidValueError: A value does not fit the state, or there is no such place in it.
            InvalidMessageError: An event does not fit, no step takes it, or there is none of that number.
            StoreError: It cannot be changed.
        """
        for left in reversed(range(TRIES)):
            if self.show(run_id).ended is not None:
                raise RunEndedError(
                    f"the run {run_id} is over: let it go back first, to change what it does then"
                )
            run = await self.here(run_id)
            if run is not None:
                try:
                    await call_and_await(run.loop, partial(_take, run, edits, by))
                except RunParkedError:  # it came to rest meanwhile
                    if not left:
                        raise
                    continue
                await run.recorded()
                return
            past, found = self.past_of(run_id)
            ticks = edits.ticks(past.replay.execution, by)
            if self.store.is_worked_on(run_id):
                data = {
                    "state": dict(edits.state),
                    "events": [[one.event, dict(one.fields)] for one in edits.events],
                    "dropped": list(edits.dropped),
                }
                if await self.bring_elsewhere(run_id, "edit", data, by, leave=not left):
                    return
                continue
            try:
                await self.alter([self.entry_of(past, found, ticks)])
            except StoreError:
                if not left:
                    raise
            else:
                return


def _take(run: Run, edits: Edits, by: str) -> None:
    run.check_here()  # all changes are made, or none
    for tick in edits.ticks(run.execution, by):
        run.take(tick)
