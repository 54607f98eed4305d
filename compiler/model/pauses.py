"""Pauses of a step: for a person, a time, or an event from outside."""

from __future__ import annotations

from wfc.compiler.expressions import Expression, Template
from wfc.compiler.model.events import Event
from wfc.compiler.model.values import Value
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Record


@dataclass(frozen=True, slots=True)
class AskPerson:
    """A question to a person.

    Args:
        form: What an answer is made of; ``None``: any answer confirms.
        choices: What an answer's field is chosen from, by field.
        prefill: Values that stand in the form already, by field.
        assign: Who is asked: ``user:NAME`` or ``group:NAME``.
        quorum: How many different people must answer, or ``None``: one, and the result is no list.
        remind: The seconds after which who watches is reminded, again and again; ``None``: never.
    """

    title: Template
    show: Template | None
    form: Record | None
    choices: tuple[tuple[str, Expression], ...]
    prefill: tuple[tuple[str, Value], ...]
    assign: tuple[Template, ...]
    quorum: int | Expression | None
    remind: float | Expression | None


@dataclass(frozen=True, slots=True)
class WaitFor:
    """A delay: seconds, or a duration that is computed when the step run begins."""

    seconds: float | Expression


@dataclass(frozen=True, slots=True)
class WaitUntil:
    """A wait until a moment that is computed when the step run begins."""

    moment: Expression


@dataclass(frozen=True, slots=True)
class WaitEvent:
    """A wait for an event from outside, the first of these; ``that`` determines which one of that name."""

    events: tuple[Event, ...]
    that: Expression | None


Pause = AskPerson | WaitFor | WaitUntil | WaitEvent

__all__ = ["AskPerson", "Pause", "WaitEvent", "WaitFor", "WaitUntil"]
