"""Pauses as seen from outside: open questions, their answers, and awaited events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic_core import to_json

from wfc.runtime.authoring.injection import CallingRun
from wfc.runtime.core.advance.pausing import seconds_after
from wfc.runtime.core.advance.releasing import question_id
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.step_runs import Pause
from wfc.runtime.core.ticks import (
    Answered,
    Cancelled,
    Delegated,
    InboxEventsRefused,
    InboxEventTaken,
    Tick,
)
from wfc.runtime.driver.run.step_runs import unmet_requirements
from wfc.runtime.errors import (
    InvalidAnswerError,
    InvalidDelegationError,
    StepFailedError,
    UnknownQuestionError,
)
from wfc.runtime.errors.raised import step_error
from wfc.runtime.events import event_name
from wfc.runtime.plan.pauses import (
    Delay,
    Outside,
    Question,
    Until,
    seconds_of,
)
from wfc.runtime.values.choices import not_chosen, schema_with_choices
from wfc.runtime.values.outputs import InvalidOutput, from_json
from wfc.runtime.values.state_edits import edited
from wfc.runtime.values.unmet import Unmet

__all__ = [
    "OpenQuestion",
    "awaited_event",
    "open_questions",
    "read_answer",
    "read_delegation",
    "take_from_inbox",
]


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that waits for an answer.

    Args:
        id: For ``handler.answer``; it never changes.
        form: The JSON Schema of an answer; ``None``: any answer is valid.
        assign: The people who may answer; if empty, anyone.
        quorum: How many people must answer; ``None``: one.
        asked_at: In UTC.
        expires_at: When the step stops waiting, in UTC; ``None``: it does not.
        answered_by: Who has answered so far.
    """

    id: str
    step: str
    title: str
    show: str | None
    form: Mapping[str, Any] | None
    prefill: Mapping[str, object]
    assign: tuple[str, ...]
    quorum: int | None
    asked_at: datetime
    expires_at: datetime | None
    answered_by: tuple[str, ...]


def open_questions(execution: Execution) -> list[OpenQuestion]:
    """Return the questions of a run that wait for an answer, in the order in which they were asked."""
    return [
        _shown(execution, pause) for pause in execution.paused.values() if isinstance(pause.value, Question)
    ]


def _shown(execution: Execution, pause: Pause) -> OpenQuestion:
    question = pause.value
    assert isinstance(question, Question)
    return OpenQuestion(
        id=question_id(execution, pause.run),
        step=pause.run.step.name,
        title=question.title,
        show=question.show,
        form=schema_with_choices(question.form, question.choices, question.shape),
        prefill=question.prefill,
        assign=tuple(question.assign),
        quorum=question.quorum,
        asked_at=pause.began,
        expires_at=pause.expires,
        answered_by=tuple(by for by, _ in pause.answers),
    )


def awaited_event(execution: Execution, number: int) -> tuple[str, datetime | None] | None:
    """Return the name of the event that a paused step run waits for (empty: a time), and the end of the wait.

    Return ``None`` for a step run that waits for something else: an answer, or other runs.
    """
    pause = execution.paused.get(number)
    if pause is None:
        return None
    match pause.value:
        case Delay(seconds=length):
            return "", seconds_after(pause.began, seconds_of(length))
        case Until(moment=moment):
            return "", moment
        case Outside() as outside:
            return " or ".join(event_name(event) for event in outside.events), pause.expires
    return None


def read_answer(
    run: CallingRun, question: str, value: object, by: str, state: Mapping[str, Any] | None = None
) -> Tick | None:
    """Return the tick for an answer; ``None`` if the question is closed, or this person has answered it.

    Args:
        state: What is changed in the state in the same moment: values as JSON data, by path.

    Raises:
        InvalidValueError: Such a value does not fit the state, or there is no such place in it.
        UnknownQuestionError: The run never asked this question.
        InvalidAnswerError: The answer does not fit the form, or does not meet the requirements.
        ExpressionError: A requirement cannot be evaluated.
    """
    execution = run.execution
    number = _number(execution, question)
    pause = execution.paused.get(number)
    if pause is None or execution.outcome is not None or any(by == known for known, _ in pause.answers):
        return None
    asked = pause.value
    assert isinstance(asked, Question)
    answer: Any = None
    if asked.form is not None:
        try:
            answer = from_json(asked.form, to_json(value, by_alias=True))
        except (InvalidOutput, ValueError) as error:
            places = error.places if isinstance(error, InvalidOutput) else ()
            raise InvalidAnswerError(f"the answer to `{question}` does not fit: {error}", places) from None
        if strange := not_chosen(asked.choices, answer):
            raise InvalidAnswerError(f"the answer to `{question}` does not fit: {strange}")
    if said := unmet_requirements(run, pause.run, answer):
        unmet = [one for one in said if isinstance(one, Unmet)]
        raise InvalidAnswerError(
            f"the answer to `{question}` is not as required: {'; '.join(said)}",
            tuple(((one.fields[-1],), str(one)) for one in unmet),
            tuple(tuple((field,) for field in one.fields[:-1]) for one in unmet),
        )
    saved = edited(execution.state, state, is_declared=execution.plan.is_generated) if state else None
    return Answered(number, answer, by, saved)


def read_delegation(execution: Execution, question: str, to: str, by: str, because: str) -> Tick:
    """Return the tick by which a question is passed on.

    Whoever passes it on is replaced by the other one; who is not asked himself replaces all who are.

    Raises:
        UnknownQuestionError: The run never asked this question.
        InvalidDelegationError: The question is closed, or the other one is asked already.
    """
    number = _number(execution, question)
    pause = execution.paused.get(number)
    if pause is None or execution.outcome is not None:
        raise InvalidDelegationError(f"the question `{question}` is closed, so it cannot be passed on")
    asked = pause.value
    assert isinstance(asked, Question)
    if to in asked.assign:
        raise InvalidDelegationError(f"{to} is asked already")
    if any(to == known for known, _ in pause.answers):
        raise InvalidDelegationError(f"{to} has answered already")
    who = by.partition(" (says ")[0]  # as a person is recorded for whom somebody else speaks
    assign = tuple(to if one == who else one for one in asked.assign) if who in asked.assign else (to,)
    return Delegated(number, assign, to, by, because)


def _number(execution: Execution, question: str) -> int:
    head, _, last = question.rpartition("/")
    if last.isdecimal() and last.isascii() and len(last) < _LONGEST_NUMBER:
        number = int(last)
        if number in execution.asked_for and head.startswith(f"{execution.run_id}/"):
            return number
    raise UnknownQuestionError(f"this run has asked no question `{question}`")


_LONGEST_NUMBER = 19


def take_from_inbox(run: CallingRun, number: int) -> Tick | None:
    """Return the tick by which a pause takes the oldest matching event from the inbox, or refuses those in it."""
    pause = run.execution.paused.get(number)
    if pause is None or not isinstance(pause.value, Outside):
        return None
    that, seen = pause.run.step.that, pause.seen
    for at, event in run.execution.inbox.items():
        if at > pause.seen and isinstance(event, pause.value.event):
            seen = at
            try:
                if that is None or that(run, pause.run, event):
                    return InboxEventTaken(number, at)
            except Exception as error:
                step = pause.run.step.name
                failed = StepFailedError(
                    step, pause.run.event_name, pause.run.attempt, step_error(error), tail=True
                )
                failed.__cause__ = error
                return Cancelled(failed)
    return InboxEventsRefused(number, seen) if seen > pause.seen else None
