"""The step runs of a run as a timeline shows them, noted as they begin, go on and end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from wfc.runtime.events.internal import StepNote, StepState, StepStateChanged

__all__ = ["StepLine", "Timeline"]


@dataclass(slots=True)
class StepLine:
    """A step run as a timeline shows it; the moments are in nanoseconds.

    Args:
        took: The name of the event that it runs on.
        status: ``running``, ``waits``, ``retries``, ``done``, ``failed``, ``cancelled``, or ``cut off``: the run was
            over before.
        gave: The names of what it has emitted.
        error: Why its last attempt has failed, if it has.
        tokens: Of the models that it has called so far, in and out, those of agents included.
        cost_usd: Their cost in US dollars, as far as prices are known.
        since: The tick by which it began.
        until: The tick by which it ended; ``None``: it has not.
        is_undone: Whether the run went back to a time before it.
        place: Where it is within an agent, such as ``turn 3/refund``; empty for a step of another workflow.
    """

    number: int
    step: str
    took: str
    began: int
    ended: int | None = None
    attempts: int = 1
    status: str = "running"
    gave: str = ""
    error: str = ""
    tokens: int = 0
    cost_usd: float = 0.0
    since: int = 0
    until: int | None = None
    is_undone: bool = False
    place: str = ""


class StepEnd(NamedTuple):
    """How a step run has ended, as its line tells it."""

    status: str
    error: str
    gave: str
    ended: int
    until: int


_STATUS: Final = {  # by their texts, as to look up a member of an enum by itself is slow
    StepState.RUNNING.value: "running",
    StepState.WAITING.value: "waits",
    StepState.RETRYING.value: "retries",
    StepState.NOT_RUNNING.value: "done",
    StepState.CANCELLED.value: "cancelled",
}

_ENDS: Final = frozenset((StepState.NOT_RUNNING.value, StepState.CANCELLED.value))


class Timeline:
    """The step runs of a run by their numbers, in the order in which they began.

    A run that goes back can end a step run twice.
    """

    def __init__(self) -> None:
        self.lines: dict[int, StepLine] = {}
        self._ends: dict[int, list[StepEnd]] = {}  # those before a run went back

    def note(self, event: StepStateChanged | StepNote, at: int, seq: int) -> StepLine | None:
        """Note what a step run has come to, by a tick at a moment; return its line if that is new."""
        number, state = int(event.worker_id), event.step_state._value_
        line, new = self.lines.get(number), None
        if line is None:
            if state not in _STATUS:
                return None
            new = line = self.lines[number] = StepLine(
                number, event.name, event.input_event_name, at, since=seq
            )
        if line.ended is not None:
            return new
        if state in _STATUS:
            line.status = _STATUS[state]
        line.attempts = max(line.attempts, event.attempt)
        if event.error is not None:
            line.error = event.error
        if state in _ENDS:
            line.ended, line.until = at, seq
            line.gave = event.output_event_name or ""
            if event.error is not None:
                line.status = "failed"
        return new

    def ends(self) -> dict[int, list[StepEnd]]:
        """Return how step runs have ended, each in the order in which it did, since the run goes back."""
        for number, line in self.lines.items():
            known = self._ends.get(number)
            if line.ended is None or line.until is None or (known and known[-1].until == line.until):
                continue
            end = StepEnd(line.status, line.error, line.gave, line.ended, line.until)
            self._ends.setdefault(number, []).append(end)
        return self._ends

    def pay(self, number: int, tokens: int, cost_usd: float) -> None:
        """Note what a step run has spent on models."""
        if (line := self.lines.get(number)) is not None:
            line.tokens += tokens
            line.cost_usd += cost_usd

    def cut_off(self, at: int) -> None:
        """Note that the run was over before what is still under way."""
        for line in self.lines.values():
            if line.ended is None:
                line.ended, line.status = at, "cut off"
