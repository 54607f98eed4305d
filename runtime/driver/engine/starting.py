"""Starting runs by the triggers of workflows: schedules that are due, and messages under topics."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from wfc.runtime.authoring.triggers import Schedule, TriggerRule, start_by, triggers_in
from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.engine.retold import RetoldRuns
from wfc.runtime.driver.engine.stored import topic_message_id
from wfc.runtime.driver.engine.successors import former_names
from wfc.runtime.driver.messages import EventData, key_of_event
from wfc.runtime.errors import (
    InvalidMessageError,
    RunEndedError,
    RunUnknownError,
    StepError,
    StoreError,
    WorkflowError,
)
from wfc.runtime.events import StartEvent
from wfc.runtime.plan.triggers import ScheduleTrigger, TopicTrigger
from wfc.runtime.store.journal import Entry
from wfc.runtime.store.sql import starting
from wfc.runtime.store.sql.starting import TopicMessage
from wfc.runtime.values.due_moments import last_due
from wfc.runtime.values.outputs import InvalidOutput, from_json
from wfc.runtime.values.schedules import next_due

__all__ = ["TriggerStarter"]

ON_TIME: Final = 60
"""The seconds after its moment in which a schedule is not late: what is older was missed."""

RECEIVES: Final = "(receives)"
"""How the position is called up to which the runs of a workflow have got the messages of topics; no trigger's name."""

SECOND: Final = 1_000_000_000
LOOKS_EVERY: Final = 0.2


class TriggerStarter:
    """Starts the runs that the triggers of some workflows ask for.

    Args:
        note: Called with what people at work on the store are to know: a start that was not possible, or not yet.
        clock: Returns the moment, in nanoseconds since 1970.
    """

    def __init__(
        self,
        engine: RetoldRuns,
        workflows: Sequence[StartableWorkflow],
        note: Callable[[str], None],
        *,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        self._engine = engine
        self._note = note
        self._clock = clock
        self._workflows = [(one, triggers_in(one._wfc.run_rules.functions)) for one in workflows]
        self._renamed = [(old, one._wfc.name) for one in workflows for old in former_names(one)]
        self._due: dict[tuple[str, str], float] = {}  # when a schedule is to be looked at again
        self._seen = -1  # the number of the last message that was looked at
        self._noted = ""  # why the last look could not do all

    async def look(self) -> None:
        """Start what is due.

        Raises:
            StoreError: The store cannot be read or written.
            WorkflowError: A message cannot be brought to a run now; the next look brings it.
        """
        now = self._clock()
        await self._take_over()
        for workflow, rules in self._workflows:
            for rule in rules:
                known = workflow._wfc.name, rule.name
                if rule.schedule is not None and now >= self._due.get(known, 0):
                    await self._look_at_schedule(workflow, rule, rule.schedule, now)
        last = self._engine.store.select(starting.last_published)
        if last != self._seen:
            for workflow, rules in self._workflows:
                for rule in rules:
                    if rule.topic is not None:
                        await self._look_at_topic(workflow, rule, last)
                await self._look_at_receivers(workflow, last)
            self._seen = last

    async def _take_over(self) -> None:
        """Let the triggers of workflows that had other names go on from where these have come to."""
        while self._renamed:
            before, now = self._renamed[-1]
            await self._engine.store.write(partial(starting.take_over, workflow=now, before=before))
            self._renamed.pop()

    def next_moments(self) -> Iterator[tuple[str, str, datetime]]:
        """Yield for each schedule its workflow, its name and its next moment."""
        now = datetime.fromtimestamp(self._clock() / SECOND, UTC)
        for workflow, rules in self._workflows:
            for rule in rules:
                if rule.schedule is not None:
                    due = next_due(rule.schedule.line, rule.schedule.zone, now)
                    if due is not None:
                        yield workflow._wfc.name, rule.name, due.astimezone(rule.schedule.zone)

    async def look_and_note(self) -> None:
        """Start what is due; what cannot be brought to a run now is noted, and brought by the next look.

        Raises:
            StoreError: The store cannot be read or written.
        """
        try:
            await self.look()
            self._noted = ""
        except StoreError:
            raise
        except WorkflowError as error:  # a run that is lost here, say, is soon found where it goes on
            if str(error) != self._noted:  # once, and not at every look
                self._noted = str(error)
                self._note(f"not all that triggers ask for could be done, and it is tried again: {error}")

    async def run(self, stops: asyncio.Event) -> None:
        """Start what is due, again and again, until it is to stop; what fails is tried again at the next look."""
        while not stops.is_set():
            with contextlib.suppress(StoreError):  # it may be back at the next look
                await self.look_and_note()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stops.wait(), LOOKS_EVERY)

    # --- schedules

    async def _look_at_schedule(
        self, workflow: StartableWorkflow, rule: TriggerRule, schedule: Schedule, now: int
    ) -> None:
        """Start the runs of the moments of a schedule that have come since somebody has looked last."""
        name, store = workflow._wfc.name, self._engine.store
        before = store.select(partial(starting.position_of, workflow=name, trigger=rule.name))
        until = datetime.fromtimestamp(now // SECOND, UTC)
        following = next_due(schedule.line, schedule.zone, until)
        entries: list[Entry] = []
        if before is not None and before < now:
            after = datetime.fromtimestamp(before // SECOND, UTC)
            for due in moments_to_start(schedule, after, until):
                run_id = f"{name}-{rule.name}-{due:%Y%m%dT%H%M%SZ}"
                entries += self._entry(workflow, rule, ScheduleTrigger(rule.name, due), run_id)
        if before is None or before < now:
            position = now // SECOND * SECOND
            moved = await store.write(
                lambda connection: starting.move_on(
                    connection, name, rule.name, before, position, entries, store.owner
                )
            )
            if not moved:
                return  # somebody else was faster, and it is looked at again
        self._due[name, rule.name] = float("inf") if following is None else following.timestamp() * SECOND

    def _entry(
        self,
        workflow: StartableWorkflow,
        rule: TriggerRule,
        trigger: ScheduleTrigger | TopicTrigger[Any],
        run_id: str,
    ) -> list[Entry]:
        """Return what creates the run that a trigger starts; nothing, if it cannot be started, which is noted."""
        try:
            event: StartEvent = start_by(rule, workflow, trigger, workflow._wfc.read_config)
            return [self._engine.queued_entry(workflow, event, run_id)]
        except (WorkflowError, StepError) as error:
            self._note(f"{run_id} cannot be started: {error}")
            return []

    # --- topics

    async def _look_at_topic(self, workflow: StartableWorkflow, rule: TriggerRule, last: int) -> None:
        """Start the runs of the messages of a topic that have come since somebody has looked last."""
        name, topic = workflow._wfc.name, str(rule.topic)
        async for before, message in self._messages(name, rule.name, [topic], last):
            entries: list[Entry] = []
            try:
                body = from_json(rule.body, message.body.encode(), extra_fields=True, outside=True)
            except InvalidOutput as error:
                self._note(
                    f"the message {message.number} of `{topic}` does not fit `{name}.{rule.name}`: {error}"
                )
            else:
                run_id = f"{name}-{rule.name}-{message.number}"
                entries = self._entry(workflow, rule, TopicTrigger(rule.name, body), run_id)
            await self._move_on(name, rule.name, before, message.number, entries)

    async def _look_at_receivers(self, workflow: StartableWorkflow, last: int) -> None:
        """Bring the messages of topics to the runs of a workflow that receive them; each run takes each one once."""
        rules = workflow._wfc.run_rules
        name = workflow._wfc.name
        topics = sorted({one.topic for one in rules.receives.values() if one.topic is not None})
        if not topics:
            return
        async for before, message in self._messages(name, RECEIVES, topics, last):
            receives = rules.receives.get(message.event)
            fields = json.loads(message.body)
            if receives is not None and receives.topic == message.topic and isinstance(fields, dict):
                await self._bring(name, EventData(message.event, fields), receives, message.number)
            await self._move_on(name, RECEIVES, before, message.number, [])

    async def _bring(self, name: str, event: EventData, receives: Any, number: int) -> None:
        for run_id, key in self._engine.store.select(partial(starting.open_runs, workflow=name)):
            try:
                if receives.key is not None and key_of_event(event, receives) != key:
                    continue
                await self._engine.post(run_id, event, message_id=topic_message_id(number))
            except (RunEndedError, RunUnknownError):
                continue  # it was over, or gone, before the message came
            except InvalidMessageError as error:
                self._note(f"the message {number} does not fit the run {run_id}: {error}")

    async def _messages(
        self, workflow: str, trigger: str, topics: list[str], last: int
    ) -> AsyncIterator[tuple[int, TopicMessage]]:
        """Yield the messages after a position, each with the position before it."""
        store = self._engine.store
        before = store.select(partial(starting.position_of, workflow=workflow, trigger=trigger))
        if before is None:  # what was sent before anybody has listened is not for it
            await self._move_on(workflow, trigger, None, last, [])
            return
        while messages := store.select(partial(starting.published_after, number=before, topics=topics)):
            for message in messages:
                yield before, message
                before = message.number

    async def _move_on(
        self, workflow: str, trigger: str, before: int | None, after: int, entries: list[Entry]
    ) -> None:
        store = self._engine.store
        await store.write(
            lambda connection: starting.move_on(
                connection, workflow, trigger, before, after, entries, store.owner
            )
        )


def moments_to_start(schedule: Schedule, after: datetime, until: datetime) -> list[datetime]:
    """Return the moments of a schedule for which runs are to be started: those on time, and of the missed ones some."""
    due = last_due(schedule.line, schedule.zone, after, until)
    on_time = [one for one in due if (until - one).total_seconds() <= ON_TIME]
    missed = due[: len(due) - len(on_time)]
    if schedule.missed == "skip":
        missed = []
    elif schedule.missed == "once":
        missed = missed[-1:]
    return [*missed, *on_time]
