"""Delivery of events between runs: to one run by id, to a workflow's runs by key, or by topic."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any, Protocol

from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.authoring.run_rules import RunRules, key_text
from wfc.runtime.driver.engine.children import ChildStarter, StartableWorkflow
from wfc.runtime.driver.loops import call_and_await
from wfc.runtime.driver.messages import (
    EventData,
    IfAbsent,
    Keep,
    Key,
    Mailbox,
    fields_of,
    key_of_event,
    name_of,
    read_as,
)
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.receiving import is_meant_for, read_as_own
from wfc.runtime.errors import (
    InvalidMessageError,
    RunEndedError,
    RunLostError,
    RunParkedError,
    RunUnknownError,
    WorkflowConfigurationError,
    WorkflowRuntimeError,
)
from wfc.runtime.events import Event
from wfc.runtime.plan.run_rules import Receives
from wfc.runtime.store.journal import KeyTaken
from wfc.runtime.values.outside_names import own_name

__all__ = ["EventDelivery"]


class EventDelivery(ChildStarter, Protocol):
    """The part of an engine that delivers events to its runs."""

    lock: threading.RLock
    mailbox: Mailbox

    def class_of(self, name: str, beside: type[Any] | None = None) -> type[Any] | None:
        """Return the class of a workflow."""

    def runs_of(self, workflow: str, key: str) -> list[Run]:
        """Return the live runs of a workflow under a key, the oldest first."""

    def receiving(self, event: str) -> Iterator[tuple[Run, Receives]]:
        """Yield the live runs that declare an event of that name as received, with the declarations."""

    async def post_to_stored(self, run_id: str, event: Event | EventData, message_id: str | None) -> bool:
        """Bring an event to a run that is not live here, if there is a store that has it; return whether there is."""

    async def stored_under(self, workflow: str, key: str) -> list[str]:
        """Return the ids of the runs of a workflow under a key that the engine's store has, the oldest first."""

    async def keep_for_key(
        self, known_by: Key, event: Event | EventData, message_id: str | None, seconds: float
    ) -> bool | None:
        """Keep an event for the next run under a key; return whether it is new, or ``None`` if there is one by now."""

    async def take_before(self, run: Run) -> None:
        """Let a run that had to wait for others take what was posted to it meanwhile, before what comes now."""

    async def keep_for_topic(
        self, topic: str, event: Event | EventData, message_id: str | None
    ) -> tuple[str, bool] | None:
        """Keep an event for all who listen to a topic, if there is a store; return its id, and whether it is new."""

    def has_ended(self, known_by: str | Key) -> bool:
        """Return whether a run of that id, or of that workflow and key, has ended recently."""

    def has_ended_under(self, known_by: Key) -> bool:
        """Return whether the engine's store has a run of a workflow under a key that is over."""

    async def deliver(
        self,
        event: Event | EventData,
        *,
        run_id: str | None = None,
        workflow: str | None = None,
        key: object = None,
        message_id: str | None = None,
        if_absent: IfAbsent = None,
        beside: type[Any] | None = None,
    ) -> bool:
        """Deliver an event to one run by id, or to a workflow's live runs by key (the first of a queue).

        A run takes an event whether its steps are at work, waiting, or have not begun; one of its class that
        its declared events have by name, else those that its steps accept.

        Args:
            key: ``None``: it is in the field of the event that the workflow declares for that.
            message_id: A run takes only one event under an id.
            if_absent: What to do where there is no run under the key: ``"start"`` one whose inputs are fields
                of the event, ``Keep(seconds)`` the event until one starts, or, by itself, raise.
            beside: The sender's class, which may have been generated beside the workflow.

        Returns:
            Whether the event is new to the run, or to at least one of the runs.

        Raises:
            RunUnknownError: There is no such run or workflow.
            RunEndedError: The run is over.
            InvalidMessageError: The event does not fit what the run takes.
            WorkflowConfigurationError: There is no address, or there are two.
        """
        if (run_id is None) == (workflow is None):
            raise WorkflowConfigurationError("deliver an event to a `run_id`, or to a `workflow` and a `key`")
        if run_id is not None:
            run = self.run(run_id)
            if run is None:
                if await self.post_to_stored(run_id, event, message_id):
                    return True
                raise self._absent(run_id, f"run `{run_id}`")
            return await self._receive(run, event, message_id)
        assert workflow is not None
        called = self._key_in(event, workflow, beside) if key is None else key_text(key)
        if isinstance(if_absent, Keep) and (kind := self.class_of(workflow, beside)) is not None:
            _check(event, definition_of(kind).run_rules, called, workflow)
        over: set[str] = set()
        while True:
            found = await self._deliver_by_key(event, workflow, called, message_id, if_absent, beside, over)
            if found is not None:
                return found

    async def _deliver_by_key(
        self,
        event: Event | EventData,
        workflow: str,
        key: str,
        message_id: str | None,
        if_absent: IfAbsent,
        beside: type[Any] | None,
        over: set[str],
    ) -> bool | None:
        """Deliver an event by what is to be seen now; ``None``: that holds no more, and nobody has the event.

        Args:
            over: The runs that were found to be over; those that this look finds to be so are added.
        """
        stored = await self.stored_under(workflow, key)
        with self.lock:  # so that no run starts here between the look and what follows from it
            here = {run.run_id: run for run in self.runs_of(workflow, key)}
            found = [*stored, *(known for known in here if known not in stored)]
            started = None
            if not found and if_absent == "start":
                started = self._start(event, self.workflow(workflow, beside), key)
        if started is not None:
            return await self._first(started, event, message_id)
        if not found and isinstance(if_absent, Keep):
            return await self.keep_for_key((workflow, key), event, message_id, if_absent.seconds)
        if not found:
            raise self._absent((workflow, key), f"run of `{workflow}` with the key {key!r}")
        rules = self._rules_of(workflow, beside)
        _check(event, rules, key, workflow)
        match rules.when_running:
            case "queue":
                del found[1:]  # the others are still to begin, and about something else
            case "replace":
                del found[:-1]  # the others are being cancelled
        taken = []
        for run_id in found:
            try:
                taken.append(await self._bring(here.get(run_id), run_id, event, message_id))
            except _GaveWayError:  # another process was sooner to start a run under the key
                continue
            except RunEndedError:
                if run_id in over:  # it is not one that has just ended
                    raise
                over.add(run_id)
        return any(taken) if taken else None

    async def _bring(
        self, run: Run | None, run_id: str, event: Event | EventData, message_id: str | None
    ) -> bool:
        """Bring an event to a run, wherever it is; return whether it is new to it, as far as that is known."""
        if run is None:
            return await self.post_to_stored(run_id, event, message_id)
        with _giving_way(run):
            return await self._receive(run, event, message_id)

    async def _first(self, run: Run, event: Event | EventData, message_id: str | None) -> bool | None:
        """Bring an event to the run that it has started; ``None``: another process was sooner to start one."""
        with contextlib.suppress(_GaveWayError), _giving_way(run):
            if run.takes(event):
                await self._receive(run, event, message_id)
            else:
                await run.recorded()
            return True
        return None

    async def publish(self, topic: str, event: Event | EventData, *, message_id: str | None = None) -> int:
        """Deliver an event to every live run that declares it as received, except those with another topic.

        With a store it is kept there too, for workers that start runs by it, or that have further runs.

        Where a run declares a field for its key, the event must have the run's key there.

        Returns:
            The number of runs to which the event is new.

        Raises:
            InvalidMessageError: The event does not fit what a run receives; all other runs have received it.
        """
        accepted, refused = 0, None
        if (kept := await self.keep_for_topic(topic, event, message_id)) is not None:
            message_id, _ = kept
        for run, receives in self.receiving(name_of(event)):
            if receives.topic not in {None, topic}:
                continue
            try:
                if receives.key is not None and key_of_event(event, receives) != run.key:
                    continue
                accepted += await self._receive(run, event, message_id)
            except RunEndedError:
                continue  # it ended while others got theirs
            except InvalidMessageError as error:
                refused = error
        if refused is not None:
            raise refused
        return accepted

    async def _receive(self, run: Run, event: Event | EventData, message_id: str | None) -> bool:
        """Pass an event to a run in its event loop, or in its store; return whether the event is new to the run.

        Raises:
            RunEndedError: The run is over.
            InvalidMessageError: The run does not accept such an event.
        """
        if run.loop.is_closed():
            raise RunEndedError(f"the event loop of the run {run.run_id} is closed")
        if run.port is not None and run.waits_for_its_turn:
            if not run.takes(event):
                raise InvalidMessageError(f"the run {run.run_id} takes no {name_of(event)} from outside")
            await run.recorded()  # or nobody could find it
            return await self.post_to_stored(run.run_id, event, message_id)
        await self.take_before(run)
        try:
            is_new = await call_and_await(run.loop, run.receive, event, message_id)
        except RunParkedError:  # it came to rest meanwhile
            return await self.post_to_stored(run.run_id, event, message_id)
        await run.recorded()
        return is_new

    async def here(self, run_id: str) -> Run | None:
        """Return the live run with an id, once it is not just being put to rest; then it is live no more."""
        while (run := self.run(run_id)) is not None and run.is_parking:
            await run.rested()
        return run

    def _absent(self, known_by: str | Key, described: str) -> WorkflowRuntimeError:
        if self.has_ended(known_by) or (isinstance(known_by, tuple) and self.has_ended_under(known_by)):
            return RunEndedError(f"the {described} has ended, so it takes no events")
        return RunUnknownError(f"there is no {described}")

    def _rules_of(self, workflow: str, beside: type[Any] | None) -> RunRules:
        kind = self.class_of(workflow, beside)
        if kind is None:
            raise RunUnknownError(f"there is no workflow `{workflow}` in this process")
        rules: RunRules = definition_of(kind).run_rules
        return rules

    def _key_in(self, event: Event | EventData, workflow: str, beside: type[Any] | None) -> str:
        """Return the key in an event for a run of a workflow."""
        rules = self._rules_of(workflow, beside)
        name = name_of(event)
        receives = rules.receives.get(name)
        if receives is None or receives.key is None:
            raise InvalidMessageError(
                f"`{workflow}` does not say which field of {name} has the key, so the sender must give it"
            )
        key = key_of_event(event, receives)
        if key is None:
            raise InvalidMessageError(f"{name} has no value in `{receives.key}`, which has the key")
        return key

    def _start(self, event: Event | EventData, workflow: StartableWorkflow, key: str) -> Run:
        """Start a run with inputs from the event's fields."""
        kind, name = workflow._wfc.plan.start_class, workflow._wfc.name
        names = {name for field, info in kind.model_fields.items() for name in (field, own_name(field, info))}
        fields = {name: value for name, value in fields_of(event).items() if name in names}
        run = workflow._wfc.prepare(
            workflow, start_event=read_as(kind, fields, f"the inputs of `{name}`"), engine=self
        )
        rules = workflow._wfc.run_rules
        if rules.key is not None:
            run.key = rules.key(run)
        if run.key != key:
            raise InvalidMessageError(
                f"a run of `{name}` started with {name_of(event)} would have the key {run.key!r}, not {key!r}"
            )
        return self.admit(run)


class _GaveWayError(Exception):
    """A run was not created, as another process has one under its key."""


@contextlib.contextmanager
def _giving_way(run: Run) -> Iterator[None]:
    """Say so of a run that is lost for that reason.

    Raises:
        _GaveWayError: It is.
    """
    port = run.port
    try:
        yield
    except RunLostError:
        if port is None or not isinstance(port.lease.lost, KeyTaken):
            raise
        raise _GaveWayError from None


def _check(event: Event | EventData, rules: RunRules, key: str, workflow: str) -> None:
    """Check an event for a run, wherever it is, as far as its class says.

    Raises:
        InvalidMessageError: The run receives no such event, or the event does not fit.
    """
    name = name_of(event)
    if not rules.receives:
        return  # what its steps take depends on where it is
    if name not in rules.receives:
        raise InvalidMessageError(f"the runs of `{workflow}` take no {name} from outside")
    if not is_meant_for(rules, key, read_as_own(rules.receives[name].event, event)):
        raise InvalidMessageError(f"this {name} is for a run with another key than {key!r}")
