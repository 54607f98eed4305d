"""Ticks as JSON: one line of text each, which read back changes an execution in the same way."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, TypeVar

from wfc.runtime.core import body_ticks, halt_ticks, ticks
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Completed, Given, Tick
from wfc.runtime.errors import SnapshotError, StepError
from wfc.runtime.events import Event, StartEvent, StepFailedEvent
from wfc.runtime.plan import Plan
from wfc.runtime.plan.step import Step
from wfc.runtime.store.blobs import Body
from wfc.runtime.store.checkpoint import read_checkpoint, write_checkpoint
from wfc.runtime.store.emissions import read_emitted, read_saved, write_emitted, write_saved
from wfc.runtime.store.gathered import read_expected, write_expected
from wfc.runtime.store.json_text import ENCODER, SHORT, as_json_text, is_read_back, refusing
from wfc.runtime.store.models import PlainWriter
from wfc.runtime.store.pausing import read_pause_value, write_pause_value
from wfc.runtime.store.reading_values import bounds_in, natural, step_named
from wfc.runtime.store.values import Values
from wfc.runtime.store.writing import write_bounds

__all__ = ["LARGEST", "VERSION", "decode_tick", "encode_tick"]

VERSION = 1
"""The version of the format of ticks."""

LARGEST = 16_000_000
"""The most bytes that a tick may take."""


_HALF: Final = LARGEST // 2


class TooLarge(SnapshotError):  # noqa: N818 - it is known by its name
    """A tick takes more bytes than can be kept."""

    name = "too_large"


_READ: Final = json.JSONDecoder()

G = TypeVar("G", Completed, ticks.ItemCompleted)

_WITHOUT_GAVE: Final = 3

_COMPLETED: Final = b'["completed",%d,%d,{"$":"model","of":', b"},null%b]"
"""A tick with the completion of a step run: its moment and number, what it emitted, and what its action gave."""

Write = Callable[[Any, Execution, Values], list[Any]]
Read = Callable[[list[Any], Execution, Values], Tick]


def encode_tick(tick: Tick, at: int, execution: Execution, values: Values) -> Body:
    """Return a tick as JSON text; to be called before it is applied, since it is written by what it changes.

    Args:
        at: The moment of the tick.

    Raises:
        SnapshotError: Something in it cannot be written, such as a number that is none; ``TooLarge``: it is too large.
    """
    if type(tick) is Completed and tick.saved is None:  # most ticks are, and take half the time like this
        emitted = tick.emitted
        write = values.completions.get(type(emitted)) or _completion_of(type(emitted), values)
        body = write(at, tick.number, emitted, b"" if tick.gave is None else _given_text(tick.gave))
        # that it is short is asked here as well, since a call for each tick costs more than the question
        if body is not None and (len(body) <= SHORT or (len(body) <= LARGEST and is_read_back(body))):
            return body
    try:
        return _encode(tick, at, execution, values)
    except SnapshotError:
        if not isinstance(tick, Completed | ticks.ItemCompleted) or tick.gave is None:
            raise
        tick.gave = None  # which nothing depends on
        return _encode(tick, at, execution, values)


def _completion_of(kind: type[Any], values: Values) -> PlainWriter:
    """Return what writes completions that emit models of a class; it is made once for all runs of a workflow."""
    before, after = _COMPLETED
    found = values.completions[kind] = values.plain_writer(before, kind, after)
    return found


def _given_text(gave: Given) -> bytes:
    """Return what an action gave as the last parts of a tick; nothing if it cannot be written."""
    how, value = gave
    try:
        text = ENCODER.encode(value).encode()
    except (ValueError, RecursionError):
        return b""
    return b',"%b",%b' % (how.encode(), text) if len(text) < _HALF - 100 else b""


def _encode(tick: Tick, at: int, execution: Execution, values: Values) -> Body:
    code, write, _ = _FORMS[type(tick)]
    with refusing():
        body = as_json_text([code, at, *write(tick, execution, values)])
    if len(body) > LARGEST:
        raise TooLarge(f"it takes {len(body)} bytes, and at most {LARGEST} can be kept")
    return body


def decode_tick(body: Body, execution: Execution, values: Values) -> tuple[Tick, int]:
    """Return a tick and its moment, from what ``encode_tick`` wrote of it for an execution that was the same.

    Raises:
        SnapshotError: It is damaged.
    """
    try:
        text = body.decode()
        (code, at, *data), end = _READ.raw_decode(text)
        if end != len(text):
            raise SnapshotError("a tick is followed by something else")
        if type(at) is not int:
            raise SnapshotError("a tick has no moment")
        return _READERS[code](data, execution, values), at
    except SnapshotError:
        raise
    except RecursionError:
        raise SnapshotError("a tick is nested too deep") from None
    except Exception as error:  # also what the classes' own validators raise
        raise SnapshotError(f"a tick is damaged: {type(error).__name__}: {error}") from error


# --- steps, and what some ticks hold


def _step_name(step: Step | None) -> str | None:
    return None if step is None else step.key


def _step(name: str | None, plan: Plan) -> Step | None:
    if name is None:
        return None
    owner, is_item = (name[:-2], True) if name.endswith("[]") else (name, False)
    found = plan.by_name[owner]
    return found.item if is_item else found


def _error(data: Any, values: Values) -> Any:
    found = values.read(data)
    if not isinstance(found, Exception):
        raise SnapshotError("where an error is to be, the tick has something else")
    return found


def _step_error(data: Any, values: Values) -> StepError:
    found = _error(data, values)
    if not isinstance(found, StepError):
        raise SnapshotError("where a step's error is to be, the tick has another one")
    return found


def _write_started(tick: ticks.Started, execution: Execution, values: Values) -> list[Any]:
    bounds = write_bounds(tick.bounds or {}, execution.plan)
    limits = [[execution.plan.keys[index], most] for index, most in tick.limits.items()]
    return [values.write_model(tick.event), limits, bounds, tick.timeout]


def _read_started(data: list[Any], execution: Execution, values: Values) -> Tick:
    event, limits, bounds, timeout = data
    plan = execution.plan
    most = {step_named(name, plan).index: natural(count) for name, count in limits}
    return ticks.Started(values.read_model(event, StartEvent), most, bounds_in(bounds, plan), timeout)


def _write_failed(tick: ticks.Failed, execution: Execution, values: Values) -> list[Any]:
    event = None if tick.event is None else values.write_model(tick.event)
    saved = write_saved(tick.saved, execution.state, values)
    return [tick.number, values.write(tick.error), event, saved, _written_if_possible(tick.result, values)]


def _written_if_possible(value: Any, values: Values) -> Any:
    """Return a value as JSON data; ``None`` for one that cannot be kept, since all else is worth to be."""
    try:
        data = values.write(value)
        return data if len(ENCODER.encode(data).encode()) < LARGEST // 2 else None
    except (ValueError, RecursionError):  # a SnapshotError is a ValueError
        return None


def _read_failed(data: list[Any], execution: Execution, values: Values) -> Tick:
    number, error, event, saved, result = data
    caught = None if event is None else values.read_model(event, StepFailedEvent)
    found = read_saved(saved, execution.state, values)
    return ticks.Failed(number, _error(error, values), caught, found, values.read(result))


def _write_arrived(tick: ticks.Arrived, _: Execution, values: Values) -> list[Any]:
    data = [values.write_model(tick.event), _step_name(tick.step), tick.sender, tick.message_id]
    return data if tick.content is None else [*data, tick.content]


def _read_arrived(data: list[Any], execution: Execution, values: Values) -> Tick:
    event, step, sender, message_id, *content = data
    found: Event = values.read_event(event)
    return ticks.Arrived(found, _step(step, execution.plan), sender, message_id, *content)


def _write_collected(tick: body_ticks.Collected, _: Execution, values: Values) -> list[Any]:
    event = None if tick.event is None else values.write_model(tick.event)
    return [tick.number, event, write_expected(tick.expected, values), tick.buffer_id]


def _read_collected(data: list[Any], _: Execution, values: Values) -> Tick:
    number, event, expected, buffer_id = data
    found = None if event is None else values.read_event(event)
    return body_ticks.Collected(number, found, read_expected(expected, values), buffer_id)


def _write_waiting(tick: body_ticks.Waiting, _: Execution, values: Values) -> list[Any]:
    question = None if tick.question is None else values.write_model(tick.question)
    kind, requirements = values.classes.name(tick.event_type), values.write(dict(tick.requirements))
    return [tick.number, kind, tick.waiter_id, requirements, question, tick.seconds]


def _read_waiting(data: list[Any], _: Execution, values: Values) -> Tick:
    number, kind, waiter_id, requirements, question, seconds = data
    found = None if question is None else values.read_event(question)
    wanted = dict(values.read(requirements))
    return body_ticks.Waiting(number, values.classes.event(kind), waiter_id, wanted, found, seconds)


def _gave(tick: Completed | ticks.ItemCompleted) -> tuple[Any, ...]:
    return tick.gave or ()


def _given(tick: G, data: list[Any]) -> G:
    if len(data) > _WITHOUT_GAVE:
        tick.gave = data[3], data[4]
    return tick


def _write_paused(tick: ticks.Paused, execution: Execution, values: Values) -> list[Any]:
    step = execution.in_flight[tick.number].step
    return [tick.number, write_pause_value(tick.value, step, values), tick.now.isoformat(), tick.within]


def _read_paused(data: list[Any], execution: Execution, values: Values) -> Tick:
    number, value, now, within = data
    run = execution.in_flight.get(number)
    if run is None:
        raise SnapshotError("a tick is of a step run that is not under way")
    return ticks.Paused(
        number, read_pause_value(value, run.step, values), datetime.fromisoformat(now), within
    )


_FORMS: Final[dict[type[Any], tuple[str, Write, Read]]] = {
    ticks.Started: ("started", _write_started, _read_started),
    ticks.Recovered: (
        "recovered",
        lambda tick, _, __: [list(tick.ready), tick.rest],
        lambda data, _, __: ticks.Recovered(tuple(data[0]), data[1]),
    ),
    ticks.Rewound: (
        "rewound",
        lambda tick, _, values: [tick.to, tick.why, write_checkpoint(tick.execution, values), tick.of],
        lambda data, execution, values: ticks.Rewound(
            data[0], data[1], read_checkpoint(data[2], execution.plan, execution.run_id, values), data[3]
        ),
    ),
    ticks.Upgraded: (
        "upgraded",
        lambda tick, _, values: [list(tick.rules), write_checkpoint(tick.execution, values)],
        lambda data, execution, values: ticks.Upgraded(
            tuple(map(str, data[0])), read_checkpoint(data[1], execution.plan, execution.run_id, values)
        ),
    ),
    halt_ticks.Halted: (
        "halted",
        lambda tick, _, __: [tick.at, tick.number, tick.step, list(tick.held)] if tick.at else [],
        lambda data, _, __: (
            halt_ticks.Halted(data[0], data[1], data[2], tuple(data[3])) if data else halt_ticks.Halted()
        ),
    ),
    halt_ticks.BreakpointsSet: (
        "breakpoints",
        lambda tick, _, __: [list(tick.before), list(tick.after)],
        lambda data, _, __: halt_ticks.BreakpointsSet(tuple(data[0]), tuple(data[1])),
    ),
    halt_ticks.Continued: ("continued", lambda _, __, ___: [], lambda _, __, ___: halt_ticks.Continued()),
    Completed: (
        "completed",
        lambda tick, execution, values: [
            tick.number,
            write_emitted(tick.emitted, values),
            write_saved(tick.saved, execution.state, values),
            *_gave(tick),
        ],
        lambda data, execution, values: _given(
            Completed(data[0], read_emitted(data[1], values), read_saved(data[2], execution.state, values)),
            data,
        ),
    ),
    ticks.AttemptFailed: (
        "attempt-failed",
        lambda tick, _, values: [
            tick.number,
            tick.delay,
            values.write(tick.error),
            tick.falls_back,
            *([True] if tick.keeps_place else []),
        ],
        lambda data, _, values: ticks.AttemptFailed(
            data[0], data[1], _error(data[2], values), falls_back=data[3], keeps_place=data[4:] == [True]
        ),
    ),
    ticks.Failed: ("failed", _write_failed, _read_failed),
    ticks.Arrived: ("arrived", _write_arrived, _read_arrived),
    body_ticks.Edited: (
        "edited",
        lambda tick, execution, values: [
            tick.number,
            tick.ordinal,
            write_saved(tick.saved, execution.state, values),
            *([tick.by] if tick.by else []),
        ],
        lambda data, execution, values: body_ticks.Edited(
            data[0], data[1], read_saved(data[2], execution.state, values), *data[3:]
        ),
    ),
    body_ticks.ChildJoined: (
        "child-joined",
        lambda tick, _, __: [tick.number, tick.run_id],
        lambda data, _, __: body_ticks.ChildJoined(natural(data[0]), str(data[1])),
    ),
    body_ticks.ChildStarted: (
        "child-started",
        lambda tick, _, __: [tick.number],
        lambda data, _, __: body_ticks.ChildStarted(data[0]),
    ),
    ticks.Replaced: (
        "replaced",
        lambda tick, _, values: [tick.number, values.write_model(tick.event)],
        lambda data, _, values: ticks.Replaced(data[0], values.read_event(data[1])),
    ),
    body_ticks.Collected: ("collected", _write_collected, _read_collected),
    body_ticks.Waiting: ("waiting", _write_waiting, _read_waiting),
    body_ticks.WaitEnded: (
        "wait-ended",
        lambda tick, _, __: [tick.wait, tick.timed_out],
        lambda data, _, __: body_ticks.WaitEnded(data[0], timed_out=data[1]),
    ),
    ticks.Paused: ("paused", _write_paused, _read_paused),
    ticks.Answered: (
        "answered",
        lambda tick, execution, values: [
            tick.number,
            values.write(tick.answer),
            tick.by,
            *([] if tick.saved is None else [write_saved(tick.saved, execution.state, values)]),
        ],
        lambda data, execution, values: ticks.Answered(
            data[0],
            values.read(data[1]),
            data[2],
            read_saved(data[3], execution.state, values) if len(data) > 3 else None,
        ),
    ),
    ticks.Delegated: (
        "delegated",
        lambda tick, _, __: [tick.number, list(tick.assign), tick.to, tick.by, tick.because],
        lambda data, _, __: ticks.Delegated(data[0], tuple(map(str, data[1])), *map(str, data[2:5])),
    ),
    ticks.InboxEventDropped: (
        "inbox-event-dropped",
        lambda tick, _, __: [tick.event, tick.by],
        lambda data, _, __: ticks.InboxEventDropped(data[0], data[1]),
    ),
    ticks.InboxEventTaken: (
        "inbox-event-taken",
        lambda tick, _, values: [tick.number, tick.event],
        lambda data, _, values: ticks.InboxEventTaken(data[0], data[1]),
    ),
    ticks.InboxEventsRefused: (
        "inbox-events-refused",
        lambda tick, _, __: [tick.number, tick.last],
        lambda data, _, __: ticks.InboxEventsRefused(data[0], data[1]),
    ),
    ticks.PauseResolved: (
        "pause-resolved",
        lambda tick, _, values: [tick.number, values.write(tick.result)],
        lambda data, _, values: ticks.PauseResolved(data[0], values.read(data[1])),
    ),
    ticks.PauseFailed: (
        "pause-failed",
        lambda tick, _, values: [tick.number, values.write(tick.error)],
        lambda data, _, values: ticks.PauseFailed(data[0], _error(data[1], values)),
    ),
    ticks.ItemCompleted: (
        "item-completed",
        lambda tick, execution, values: [
            tick.number,
            values.write(tick.value),
            write_saved(tick.saved, execution.state, values),
            *_gave(tick),
        ],
        lambda data, execution, values: _given(
            ticks.ItemCompleted(data[0], values.read(data[1]), read_saved(data[2], execution.state, values)),
            data,
        ),
    ),
    ticks.ItemFailed: (
        "item-failed",
        lambda tick, _, values: [tick.number, values.write(tick.error)],
        lambda data, _, values: ticks.ItemFailed(data[0], _step_error(data[1], values)),
    ),
    ticks.RunExitTaken: (
        "run-exit-taken",
        lambda tick, execution, values: [
            write_emitted(tick.emitted, values),
            write_saved(tick.saved, execution.state, values),
        ],
        lambda data, execution, values: ticks.RunExitTaken(
            read_emitted(data[0], values), read_saved(data[1], execution.state, values)
        ),
    ),
    ticks.ModelUsed: (
        "model-used",
        lambda tick, _, values: [tick.tokens, tick.cost_usd, tick.number],
        lambda data, _, values: ticks.ModelUsed(*data[:3]),
    ),
    ticks.SearchMade: (
        "search-made",
        lambda tick, _, __: [tick.number, dict(tick.told)],
        lambda data, _, __: ticks.SearchMade(data[0], data[1]),
    ),
    ticks.MatchValueComputed: (
        "match-value-computed",
        lambda tick, _, values: [tick.number, tick.value],
        lambda data, _, values: ticks.MatchValueComputed(data[0], data[1]),
    ),
    ticks.StepsCancelled: (
        "steps-cancelled",
        lambda tick, _, values: [_step_name(tick.step), tick.number],
        lambda data, execution, values: ticks.StepsCancelled(_step(data[0], execution.plan), data[1]),
    ),
    ticks.TimerFired: (
        "timer-fired",
        lambda tick, _, values: [tick.timer],
        lambda data, _, values: ticks.TimerFired(data[0]),
    ),
    ticks.Cancelled: (
        "cancelled",
        lambda tick, _, values: [values.write(tick.error)],
        lambda data, _, values: ticks.Cancelled(_error(data[0], values)),
    ),
}

_READERS: Final = {code: read for code, _, read in _FORMS.values()}
