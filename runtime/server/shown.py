"""What a run shows to those who follow it: the messages that follow from each tick, and their places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from wfc.runtime.driver.engine import Engine
from wfc.runtime.events import ErrorHandled, Event, StopEvent
from wfc.runtime.events.internal import EventEmitted, StepStateChanged
from wfc.runtime.plan.pauses import QuestionAsked, QuestionClosed, QuestionDelegated, QuestionReminded
from wfc.runtime.server.batches import StreamMessage
from wfc.runtime.server.calls import Problem
from wfc.runtime.server.data import event_data, json_bytes, moment
from wfc.runtime.store.replay import Replay, Replayed
from wfc.runtime.store.sql import selecting

__all__ = [
    "BEHIND",
    "START",
    "TICKS",
    "Placed",
    "Position",
    "message_at",
    "read_position",
    "tell",
    "told_of_event",
    "told_since",
]

LARGEST: Final = 65_536
"""The bytes of one message; of a larger one is told how large it is, and where to find it."""

TICKS: Final = 200
"""How many ticks of a run are read at once."""

BEHIND: Final = 9_999_999
"""The part of a position that is behind all that follows from its tick."""

_ID: Final = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,7}))?")


class Position(NamedTuple):
    """A place in what a run shows: a tick, and which of the messages that follow from it."""

    seq: int
    part: int

    def __str__(self) -> str:
        return f"{self.seq}.{self.part}"


START: Final = Position(0, BEHIND)


def read_position(text: str) -> Position:
    """Return the position that an id names; that of a tick alone is behind all of it.

    Raises:
        Problem: It is none.
    """
    found = _ID.fullmatch(text)
    if found is None:
        raise Problem(400, "stream.position", "that is no id of a message of this stream")
    return Position(int(found[1]), BEHIND if found[2] is None else int(found[2]))


Placed = tuple[Position, StreamMessage]


def tell(replay: Replay, ticks: Sequence[tuple[int, bytes]]) -> list[Placed]:
    """Return what the next ticks of a run show, and have the replay go on by them.

    Raises:
        SnapshotError: One is damaged.
        StoreError: They do not follow from those before: some were pruned, or they are of other steps.
    """
    found: list[Placed] = []
    for seq, body in ticks:
        replay.check_next(seq)
        found += _messages_of(replay.tell(body))
    return found


def told_since(engine: Engine, run_id: str, since: Position) -> list[Placed]:
    """Return what a run has shown after a position, as far as its journal is still there.

    Raises:
        RunUnknownError: There is none of that id, or its workflow is not known here.
        StoreError: It was pruned meanwhile, or the workflow has other steps now.
    """
    replay = engine.replay(run_id)
    found: list[Placed] = []
    while True:
        ticks, _ = engine.store.select(
            partial(selecting.ticks_after, run_id=run_id, since=replay.seq, most=TICKS)
        )
        found += [one for one in tell(replay, ticks) if one[0] > since]
        if not ticks:
            engine.check_told(replay)
            return found


_TASKS: Final = (QuestionAsked, QuestionClosed, QuestionDelegated, QuestionReminded)


def _messages_of(told: Replayed) -> list[Placed]:
    """Return the messages of a tick, one for each thing that it has shown."""
    head: dict[str, object] = {"seq": told.seq, "at": moment(told.at)}
    found: list[tuple[str, dict[str, object]]] = []
    if told.back_to is not None:
        found.append(("back", {**head, "to": told.back_to}))
    for event in told.events:
        if not isinstance(event, StopEvent):
            kind, data = told_of_event(event)
            found.append((kind, {**head, **data}))
    placed = []
    for part, (kind, data) in enumerate(found):
        at = Position(told.seq, part)
        placed.append((at, message_at(at, kind, data)))
    return placed


def message_at(at: Position, kind: str, data: dict[str, object]) -> StreamMessage:
    """Return a message with its place; of one that is too large nothing but how large it is."""
    body = json_bytes(data)
    if len(body) > LARGEST:
        kept: dict[str, object] = {
            name: data[name] for name in ("seq", "at", "status", "event") if name in data
        }
        body = json_bytes(kept | {"too_large": len(body)})
    return StreamMessage(str(at), kind, body)


def told_of_event(event: Event) -> tuple[str, dict[str, object]]:
    """Return what is told of something that a run has shown: the kind of message, and its data."""
    return _kind_of(event), _data_of(event)


def _kind_of(event: Event) -> str:
    match event:
        case StepStateChanged():
            return "step"
        case EventEmitted():
            return "event"
        case ErrorHandled():
            return "handled"
    return "task" if isinstance(event, _TASKS) else "shown"


def _data_of(event: Event) -> dict[str, object]:
    if isinstance(event, EventEmitted):
        return {"step": event.step_name, **event_data(event.event)}
    if isinstance(event, (StepStateChanged, ErrorHandled, *_TASKS)):
        return {"what": type(event).__name__, **event.model_dump(mode="json", by_alias=True)}
    return event_data(event)
