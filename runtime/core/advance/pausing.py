"""Pausing of step runs, until what they wait for is available, has failed, or took too long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from wfc.runtime.core.advance.items import start_items
from wfc.runtime.core.advance.observing import note_state
from wfc.runtime.core.advance.releasing import finish, question_id
from wfc.runtime.core.advance.scheduling import free_worker, start_timer
from wfc.runtime.core.body_ticks import ChildJoined
from wfc.runtime.core.effects import CheckInbox, Publish, StartChild
from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.moments import SECOND, seconds_later
from wfc.runtime.core.step_runs import Exit, Pause
from wfc.runtime.core.ticks import (
    Answered,
    Delegated,
    InboxEventDropped,
    InboxEventsRefused,
    InboxEventTaken,
    Paused,
    PauseFailed,
    PauseResolved,
)
from wfc.runtime.errors import StepError
from wfc.runtime.events import Event
from wfc.runtime.events.internal import StepState
from wfc.runtime.plan.pauses import (
    Child,
    Delay,
    Items,
    Outside,
    Question,
    QuestionAsked,
    QuestionDelegated,
    QuestionReminded,
    Until,
    seconds_of,
)
from wfc.runtime.plan.step import Step
from wfc.runtime.values.choices import schema_with_choices
from wfc.runtime.values.drafts import save
from wfc.runtime.values.spans import span

__all__ = [
    "child_joined",
    "inbox_event_dropped",
    "inbox_event_taken",
    "inbox_events_refused",
    "keep_in_inbox",
    "keep_sent_event",
    "pause_failed",
    "pause_resolved",
    "pause_timer_fired",
    "question_answered",
    "question_delegated",
    "seconds_after",
    "step_paused",
]


def step_paused(execution: Execution, tick: Paused) -> None:
    """Handle the beginning of a step run's pause."""
    run = execution.in_flight.pop(tick.number, None)
    if run is None:
        return
    value = tick.value
    at_work = isinstance(value, Items) or (isinstance(value, Child) and not value.detach)
    pause = Pause(run, value, tick.now, at_work)
    if execution.paused is NONE:
        execution.paused = {}
    execution.paused[run.number] = pause
    note_state(execution, run, StepState.WAITING, None)
    if not at_work:
        free_worker(execution, run.step)
    if tick.within is not None:
        pause.expires = seconds_after(tick.now, tick.within)
        _bound(execution, pause, tick.within, Exit.EXPIRED)
    timeout = execution.timeout_of(run.step)
    if timeout is not None:
        _bound(execution, pause, timeout, Exit.BROKEN)
    _BEGIN[type(value)](execution, pause)


def _bound(execution: Execution, pause: Pause, seconds: float, exit: Exit) -> None:
    pause.timers[start_timer(execution, seconds, pause)] = exit


def seconds_after(moment: datetime, seconds: float) -> datetime | None:
    """Return the moment this many seconds later, or ``None`` if ``datetime`` cannot represent it."""
    try:
        return moment + timedelta(seconds=seconds)
    except OverflowError:
        return None


_ASKED: Final = set(QuestionAsked.model_fields)
"""The fields of a ``QuestionAsked``: one set shared by all, as many thousands may wait."""


def _ask(execution: Execution, pause: Pause) -> None:
    question = pause.value
    assert isinstance(question, Question)
    if not execution.asked_for:
        execution.asked_for = set()
    execution.asked_for.add(pause.run.number)
    asked = QuestionAsked.model_construct(
        _ASKED,
        id=question_id(execution, pause.run),
        step=pause.run.step.name,
        title=question.title,
        show=question.show,
        form=schema_with_choices(question.form, question.choices, question.shape),
        prefill=dict(question.prefill),
        assign=list(question.assign),
        quorum=question.quorum,
        asked_at=pause.began,
        expires_at=pause.expires,
    )
    execution.want(Publish(asked))
    _remind_later(execution, pause, question)


def _remind_later(execution: Execution, pause: Pause, question: Question[Any]) -> None:
    """Begin with the time until the next reminder, unless the question is closed by then."""
    if question.remind is None:
        return
    seconds = seconds_of(question.remind)
    end = min((execution.due_at[timer] for timer in pause.timers), default=None)
    if end is None or seconds_later(execution.at, seconds) < end - _AT_ONCE:
        _bound(execution, pause, seconds, Exit.REMINDED)


_AT_ONCE: Final = SECOND // 1000
"""What is not longer than this before the end of a question is at its end: stored times are rounded."""


def _remind(execution: Execution, pause: Pause) -> None:
    """Tell that a question is still open, and begin anew with the time until the next reminder."""
    question = pause.value
    assert isinstance(question, Question)
    reminded = QuestionReminded(
        id=question_id(execution, pause.run),
        step=pause.run.step.name,
        title=question.title,
        assign=list(question.assign),
        asked_at=pause.began,
        expires_at=pause.expires,
        answered_by=[by for by, _ in pause.answers],
    )
    execution.want(Publish(reminded))
    _remind_later(execution, pause, question)


def _delay(execution: Execution, pause: Pause) -> None:
    assert isinstance(pause.value, Delay)
    _bound(execution, pause, max(0.0, seconds_of(pause.value.seconds)), Exit.RESULT)


def _until(execution: Execution, pause: Pause) -> None:
    assert isinstance(pause.value, Until)
    _bound(execution, pause, max(0.0, (pause.value.moment - pause.began).total_seconds()), Exit.RESULT)


def _expect(execution: Execution, pause: Pause) -> None:
    if execution.expecting is NONE:
        execution.expecting = {}
    execution.expecting[pause.run.number] = pause
    if execution.inbox:
        execution.want(CheckInbox(pause.run.number))


def _start_child(execution: Execution, pause: Pause) -> None:
    assert isinstance(pause.value, Child)
    execution.want(StartChild(pause.run.number, pause.value, pause.run.attempt))


_BEGIN: Final[dict[type, Callable[[Execution, Pause], None]]] = {
    Question: _ask,
    Delay: _delay,
    Until: _until,
    Outside: _expect,
    Child: _start_child,
    Items: start_items,
}


def pause_timer_fired(execution: Execution, pause: Pause, timer: int) -> None:
    """Handle the expiry of a pause's timer."""
    exit = pause.timers.pop(timer)
    if exit is Exit.REMINDED:
        _remind(execution, pause)
        return
    error = None
    if exit is Exit.BROKEN and (timeout := execution.timeout_of(pause.run.step)) is not None:
        error = StepError("timeout", f"it took longer than {span(timeout)}")
    finish(execution, pause, exit, error)


def question_answered(execution: Execution, tick: Answered) -> None:
    """Handle an answer to a question; only the first answer of each person counts."""
    pause = execution.paused.get(tick.number)
    if (
        pause is None
        or not isinstance(pause.value, Question)
        or any(tick.by == by for by, _ in pause.answers)
    ):
        return
    if tick.saved is not None:
        execution.state = save(execution.state, tick.saved)
    pause.answers.append((tick.by, tick.answer))
    quorum = pause.value.quorum
    if quorum is None:
        finish(execution, pause, Exit.RESULT, tick.answer)
    elif len(pause.answers) >= quorum:
        finish(execution, pause, Exit.RESULT, [answer for _, answer in pause.answers])


def question_delegated(execution: Execution, tick: Delegated) -> None:
    """Handle the passing on of a question, and tell of it."""
    pause = execution.paused.get(tick.number)
    if pause is None or not isinstance(pause.value, Question):
        return
    pause.value = replace(pause.value, assign=tick.assign)
    told = QuestionDelegated(
        id=question_id(execution, pause.run),
        step=pause.run.step.name,
        title=pause.value.title,
        assign=list(tick.assign),
        to=tick.to,
        by=tick.by,
        because=tick.because,
    )
    execution.want(Publish(told))


def keep_in_inbox(execution: Execution, event: Event) -> None:
    """Keep an event from outside until a pause takes it."""
    number = execution.number = execution.number + 1
    if execution.inbox is NONE:
        execution.inbox = {}
    execution.inbox[number] = event
    for pause in execution.expecting.values():
        assert isinstance(pause.value, Outside)
        if isinstance(event, pause.value.event):
            execution.want(CheckInbox(pause.run.number))


def keep_sent_event(execution: Execution, event: Event, sender: Step) -> None:
    """Keep an event that a step sent and no step accepts, until a body waits for it."""
    if not execution.unclaimed:
        execution.unclaimed = {}
    execution.unclaimed.setdefault(type(event), sender.name)
    keep_in_inbox(execution, event)


def inbox_event_dropped(execution: Execution, tick: InboxEventDropped) -> None:
    """Remove a kept event; nobody has to have waited for those of its class that are left."""
    event = execution.inbox.pop(tick.event, None)
    if event is not None and not any(type(one) is type(event) for one in execution.inbox.values()):
        execution.unclaimed = {
            kind: sender for kind, sender in execution.unclaimed.items() if kind is not type(event)
        }


def inbox_event_taken(execution: Execution, tick: InboxEventTaken) -> None:
    """End a pause with the kept event that it takes."""
    pause = execution.paused.get(tick.number)
    if pause is not None and tick.event in execution.inbox:
        finish(execution, pause, Exit.RESULT, execution.inbox.pop(tick.event))


def inbox_events_refused(execution: Execution, tick: InboxEventsRefused) -> None:
    """Note which kept events a pause has refused."""
    pause = execution.paused.get(tick.number)
    if pause is not None:
        pause.seen = tick.last


def child_joined(execution: Execution, tick: ChildJoined) -> None:
    """Note whose end a pause waits for."""
    pause = execution.paused.get(tick.number)
    if pause is not None:
        pause.joined = tick.run_id


def pause_resolved(execution: Execution, tick: PauseResolved) -> None:
    """End a pause with the result that it waited for."""
    pause = execution.paused.get(tick.number)
    if pause is not None:
        finish(execution, pause, Exit.RESULT, tick.result, child_ended=True)


def pause_failed(execution: Execution, tick: PauseFailed) -> None:
    """End a pause with the error of what it waited for."""
    pause = execution.paused.get(tick.number)
    if pause is not None:
        finish(execution, pause, Exit.BROKEN, tick.error, child_ended=True)
