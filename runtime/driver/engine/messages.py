"""Messages between runs: an event goes to a run found by id, by workflow and key, or by topic; as JSON where needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from pydantic import ValidationError
from pydantic_core import to_json

from wfc.runtime.authoring.run_rules import RunRules, key_text
from wfc.runtime.errors import (
    InvalidMessageError,
    RunEndedError,
    RunUnknownError,
    WorkflowRuntimeError,
)
from wfc.runtime.events import Event, event_name
from wfc.runtime.plan.run_rules import Receives
from wfc.runtime.values.outputs import problems

if TYPE_CHECKING:
    from wfc.runtime.driver.engine import Engine, Key
    from wfc.runtime.driver.run import Run
    from wfc.runtime.workflow import Workflow

__all__ = [
    "IfAbsent",
    "Keep",
    "Mailbox",
    "Message",
    "deliver_to_key",
    "deliver_to_run",
    "is_meant_for",
    "publish",
    "read_as",
    "receive",
]

T = TypeVar("T")

KEPT = 10_000
"""How many messages an engine keeps for runs that are still to start."""


@dataclass(frozen=True, slots=True)
class Message:
    """An event as data: its name, and its fields as JSON data. For senders that do not have its class."""

    event: str
    fields: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Keep:
    """What is to happen to an event for which there is no run yet: it waits so many seconds for one to start."""

    seconds: float


IfAbsent = Literal["start"] | Keep | None
"""When there is no such run: start one with the event's fields as its inputs, keep the event, or say so."""


class Mailbox:
    """Messages for runs that are still to start, by workflow and key."""

    def __init__(self) -> None:
        self._kept: dict[Key, dict[int, tuple[Event | Message, str | None]]] = {}
        self._count = self._last = 0

    def keep(self, key: Key, event: Event | Message, message_id: str | None, seconds: float) -> bool:
        """Keeps a message; whether it is new.

        Raises:
            WorkflowRuntimeError: There are too many already.
        """
        waiting = self._kept.setdefault(key, {})
        if message_id is not None and any(known == message_id for _, known in waiting.values()):
            return False
        if self._count >= KEPT:
            raise WorkflowRuntimeError(f"{KEPT} messages already wait for runs that have not started")
        number = self._last = self._last + 1
        self._count += 1
        waiting[number] = event, message_id
        asyncio.get_running_loop().call_later(seconds, self._drop, key, number)
        return True

    def _drop(self, key: Key, number: int) -> None:
        waiting = self._kept.get(key, {})
        if waiting.pop(number, None) is not None:
            self._count -= 1
            if not waiting:
                del self._kept[key]

    def take(self, key: Key) -> list[tuple[Event | Message, str | None]]:
        """Gives out what was kept for a run that starts now, the oldest first."""
        waiting = self._kept.pop(key, {})
        self._count -= len(waiting)
        return list(waiting.values())


# --- to whom


async def deliver_to_run(engine: Engine, event: Event | Message, run_id: str, message_id: str | None) -> bool:
    """Delivers to the run of an id; whether it is new to it.

    Raises:
        RunUnknownError: There is no such run.
        RunEndedError: It is over.
        InvalidMessageError: It does not take such an event.
    """
    run = engine.run(run_id)
    if run is None:
        raise _absent(engine, run_id, f"run `{run_id}`")
    return await _in_loop(run, receive, run, event, message_id)


async def deliver_to_key(
    engine: Engine,
    event: Event | Message,
    workflow: str,
    key: object,
    message_id: str | None,
    if_absent: IfAbsent,
    beside: type[Workflow] | None,
) -> bool:
    """Delivers to all runs of a workflow under a key; whether it is new to any of them.

    Of runs that queue, it goes to the one whose turn it is: the others are still to begin, and about something else.

    Args:
        key: ``None``: it is in the field of the event that the workflow declares for that.
        beside: The class of the sender, which may have been generated beside the workflow.

    Raises:
        RunUnknownError: There is no such workflow or run.
        RunEndedError: The last run under the key is over.
        InvalidMessageError: A run does not take such an event, or cannot be started with it.
    """
    called = _key_in(engine, event, workflow, beside) if key is None else key_text(key)
    with engine.lock:  # so that no run starts between the look and what follows from it
        runs = engine.runs_of(workflow, called)
        if not runs:
            if if_absent is None:
                raise _absent(engine, (workflow, called), f"run of `{workflow}` with the key {called!r}")
            if isinstance(if_absent, Keep):
                return engine.mailbox.keep((workflow, called), event, message_id, if_absent.seconds)
            return _start(engine, event, engine.workflow(workflow, beside), called, message_id)
    if RunRules.of(type(runs[0].workflow)).when_running == "queue":
        del runs[1:]
    return any([await _in_loop(run, receive, run, event, message_id) for run in runs])


async def publish(engine: Engine, topic: str, event: Event | Message, message_id: str | None) -> int:
    """Delivers to every run that declares to receive the event, and no other topic for it; to how many it is new.

    Raises:
        InvalidMessageError: It does not fit what a run receives; all others have got it.
    """
    accepted, refused = 0, None
    for run, receives in engine.receiving(_name_of(event)):
        if receives.topic not in {None, topic}:
            continue
        try:
            if receives.key is not None and _key_of(event, receives) != run.key:
                continue
            accepted += await _in_loop(run, receive, run, event, message_id)
        except RunEndedError:
            continue  # it ended while others got theirs
        except InvalidMessageError as error:
            refused = error
    if refused is not None:
        raise refused
    return accepted


def _absent(engine: Engine, known_by: str | Key, described: str) -> WorkflowRuntimeError:
    if engine.has_ended(known_by):
        return RunEndedError(f"the {described} has ended, so it takes no events")
    return RunUnknownError(f"there is no {described}")


def _key_in(engine: Engine, event: Event | Message, workflow: str, beside: type[Workflow] | None) -> str:
    kind = engine.class_of(workflow, beside)
    if kind is None:
        raise RunUnknownError(f"there is no workflow `{workflow}`, and no run of one")
    receives = RunRules.of(kind).receives.get(_name_of(event))
    if receives is None or receives.key is None:
        raise InvalidMessageError(
            f"`{workflow}` does not say which field of {_name_of(event)} has the key, so the sender must give it"
        )
    key = _key_of(event, receives)
    if key is None:
        raise InvalidMessageError(f"{_name_of(event)} has no value in `{receives.key}`, which has the key")
    return key


def _start(
    engine: Engine, event: Event | Message, workflow: Workflow, key: str, message_id: str | None
) -> bool:
    """Starts a run with what the event has for its inputs, and gives it the event if it takes such."""
    kind = workflow.start_event_class
    data = _data(event)
    names = {name for field, info in kind.model_fields.items() for name in (field, info.alias)}
    fields = {name: value for name, value in data.items() if name in names}
    start = read_as(kind, fields, f"the inputs of `{workflow.workflow_name}`")
    run = workflow.prepare(start_event=start, engine=engine)
    declared = RunRules.of(type(workflow))
    if declared.key is not None:
        run.key = declared.key(run)
    if run.key != key:
        raise InvalidMessageError(
            f"a run of `{workflow.workflow_name}` started with {_name_of(event)} would have the key {run.key!r}, "
            f"not {key!r}"
        )
    engine.admit(run)
    if _class_for(run, event) is not None:
        receive(run, event, message_id)
    return True


# --- at the receiver


def is_meant_for(run: Run, event: Event) -> bool:
    """Whether an event from outside is for a run, as far as keys tell: the field with the key must have the run's.

    Args:
        run: One that has been admitted, so that its key is known.
        event: Of a class that it receives.
    """
    receives = RunRules.of(type(run.workflow)).receives.get(_name_of(event))
    return receives is None or receives.key is None or _key_of(event, receives) == run.key


def receive(run: Run, event: Event | Message, message_id: str | None) -> bool:
    """Gives an event to a run, in its event loop; whether it is new to it.

    Raises:
        RunEndedError: It is over.
        InvalidMessageError: It does not take such an event.
    """
    if run.is_done or run.execution.outcome is not None:
        raise RunEndedError(f"the run {run.run_id} has ended, so it takes no {_name_of(event)}")
    kind = _class_for(run, event)
    if kind is None:
        raise InvalidMessageError(
            f"the run {run.run_id} of `{run.workflow.workflow_name}` takes no {_name_of(event)} from outside"
        )
    if message_id is not None and message_id in run.execution.received:
        return False
    own = event if type(event) is kind else read_as(kind, _data(event), _name_of(event))
    run.send(own, message_id=message_id)
    if message_id is not None:
        run.execution.receive(message_id)  # also where the run has not begun
    return True


def _class_for(run: Run, event: Event | Message) -> type[Event] | None:
    """The receiver's own class for an event: of those that it declares, or else of those that it can use now."""
    name = _name_of(event)
    receives = RunRules.of(type(run.workflow)).receives
    if receives:
        found = receives.get(name)
        return found.event if found is not None else None
    if isinstance(event, Event) and run.takes(event):
        return type(event)
    waited = [waiter.event_type for waiter in run.execution.event_waits.values()]
    accepted = [one for step in run.execution.plan.steps for one in step.accepts]
    return next((one for one in (*waited, *accepted) if event_name(one) == name), None)


def read_as(kind: type[T], fields: Mapping[str, object], what: str) -> T:
    """Reads what came from elsewhere, by way of JSON, as an event of a class.

    Args:
        what: It is called so in the message.

    Raises:
        InvalidMessageError: It does not fit, or has no JSON form.
    """
    try:
        return kind.model_validate_json(to_json(fields, by_alias=True, inf_nan_mode="constants"))  # type: ignore[attr-defined, no-any-return]
    except ValidationError as error:
        raise InvalidMessageError(f"{what} cannot be taken: {problems(error)}") from None
    except ValueError as error:  # PydanticSerializationError, circular references
        raise InvalidMessageError(f"{what} cannot be written as JSON: {error}") from None


def _name_of(event: Event | Message) -> str:
    return event.event if isinstance(event, Message) else event_name(event)


def _data(event: Event | Message) -> Mapping[str, Any]:
    if isinstance(event, Message):
        return event.fields
    return event.model_dump(by_alias=True)


def _key_of(event: Event | Message, receives: Receives) -> str | None:
    """The key that an event holds, as the receiver reads it; ``None`` if it holds none.

    Raises:
        InvalidMessageError: It does not fit what the receiver takes.
    """
    assert receives.key is not None
    kind = receives.event
    own = event if type(event) is kind else read_as(kind, _data(event), _name_of(event))
    value = getattr(own, receives.key, None)
    return None if value is None else key_text(value)


async def _in_loop(run: Run, function: Callable[..., T], *arguments: Any) -> T:
    """Calls in a run's event loop, at once if this is it."""
    if asyncio.get_running_loop() is run.loop:
        return function(*arguments)

    if run.loop.is_closed():
        raise RunEndedError(f"the event loop of the run {run.run_id} is closed")

    async def call() -> T:
        return function(*arguments)

    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(call(), run.loop))
