"""What a tool asks of a person while it is called, and what was answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import Field

from wfc.runtime.calls.foreign_schemas import ForeignSchema
from wfc.runtime.events import Record
from wfc.runtime.values.outputs import InvalidOutput

__all__ = [
    "MOST_QUESTIONS",
    "Asking",
    "AskingTool",
    "QuestionWantedError",
    "ToolAnswer",
    "ToolQuestion",
    "asking_for",
    "asking_now",
    "wrong_in_answer",
]

MOST_QUESTIONS: Final = 8
"""How often a tool may ask in one call."""


@dataclass(frozen=True)
class AskingTool:
    """How a person is asked by a tool.

    Args:
        within: Seconds to wait for an answer; without one the tool is told that nobody has answered.
        assign: Who is asked, such as ``user:ann`` or ``group:leads``; empty: anybody who sees it.
    """

    within: float
    assign: Sequence[str] = ()


class ToolQuestion(Record):
    """What a tool asks.

    Args:
        title: What it says to the person.
        form: The JSON Schema of an answer.
    """

    title: str
    form: dict[str, Any] = Field(default_factory=dict)


class ToolAnswer(Record):
    """What was answered to a tool; ``action`` is ``cancel`` where nobody has answered in time."""

    question: ToolQuestion
    action: Literal["accept", "cancel"]
    content: dict[str, Any] = Field(default_factory=dict)


def wrong_in_answer(question: ToolQuestion, content: dict[str, Any]) -> str:
    """Return what is wrong with an answer; empty if nothing is."""
    try:
        ForeignSchema(question.form).check(content)
    except InvalidOutput as error:
        return str(error)
    return ""


class QuestionWantedError(Exception):
    """A call goes on only when a person has answered."""

    def __init__(self, question: ToolQuestion) -> None:
        super().__init__(question.title)
        self.question = question


@dataclass(frozen=True)
class Asking:
    """That a person may be asked in a call.

    Args:
        call: What tells the call from all others of the run.
        answers: What was answered in it so far.
        within: Seconds that a person has for each answer.
    """

    call: str
    answers: Sequence[ToolAnswer]
    within: float


_NOW: ContextVar[Asking | None] = ContextVar("wfc_asking", default=None)


@contextmanager
def asking_for(asking: Asking | None) -> Iterator[None]:
    """Let the calls within ask a person, if they may."""
    token = _NOW.set(asking)
    try:
        yield
    finally:
        _NOW.reset(token)


def asking_now() -> Asking | None:
    """Return whether, and how, a person may be asked in the call that is being made."""
    return _NOW.get()
