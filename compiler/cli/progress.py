"""Progress of a run, printed line by line on standard error."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.usage import Usage
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from datetime import datetime

    from wfc.runtime import Event
    from wfc.runtime.events import ErrorHandled, ThinkingText, TokenText
    from wfc.runtime.events.internal import CallWaits, ChildNote, EventEmitted, StepStateChanged
    from wfc.runtime.events.of_agents import CallAnswered, CallAsked, HandedOver
    from wfc.runtime.plan.pauses import QuestionAsked, QuestionClosed, QuestionDelegated, QuestionReminded

__all__ = ["Progress"]

TOLD = 10
"""How many runs of one step are told one by one; after that every hundredth. Failures are always told."""

LONGEST = 500
INSTEAD = {
    "": "nothing",
    "give": "another value in its place",
    "null": "null in its place",
    "skip": "the item is left out",
}
"""What becomes of an item that has failed, where an error leads to no event."""


def until(moment: datetime | None) -> str:
    """Return `` until …`` with the time to the second; empty if there is no end."""
    return (
        f" until {moment.astimezone().isoformat(sep=' ', timespec='seconds')}" if moment is not None else ""
    )


def attempt_of(event: StepStateChanged) -> str:
    """Return which attempt it is, unless it is the first."""
    return f" (attempt {event.attempt})" if event.attempt > 1 else ""


class Progress:
    """Prints a run's events as they come from its stream.

    Args:
        waits_for: Returns what a step run waits for, and until when; see ``WorkflowHandler.waits_for``.
    """

    def __init__(self, waits_for: Callable[[str], tuple[str, datetime | None] | None] | None = None) -> None:
        self.waits_for = waits_for or (lambda worker_id: None)
        self.start = time.monotonic()
        self.runs: Counter[str] = Counter()
        self.usage = Usage()
        self.emitted: Counter[tuple[str | None, str]] = Counter()
        self.waiting: Counter[tuple[str, str]] = Counter()
        self.taken: Counter[tuple[str, str, str]] = Counter()
        self.by_exit = ""  # the event that an exit of the run is about to emit
        self.answer: tuple[str, str, int, int] | None = None  # whose line is not finished

    def tell(self, event: Event) -> None:
        """Print a line for an event of ``stream_events(expose_internal=True)`` if it is to be shown."""
        from wfc.runtime.events import (
            ErrorHandled,
            PartialResult,
            ProgressText,
            StopEvent,
            ThinkingText,
            TokenText,
            event_name,
        )
        from wfc.runtime.events.internal import (
            CallWaits,
            ChildNote,
            EventEmitted,
            InternalDispatchEvent,
            LateEvent,
            StepStateChanged,
        )
        from wfc.runtime.events.of_agents import CallAnswered, CallAsked, HandedOver
        from wfc.runtime.plan.pauses import (
            QuestionAsked,
            QuestionClosed,
            QuestionDelegated,
            QuestionReminded,
        )

        match event:
            case StepStateChanged():
                self.tell_step(event)
            case EventEmitted():
                self.tell_emitted(event)
            case CallWaits():
                self.tell_waiting(event)
            case LateEvent():
                self.line(f"{event.step_name}: {event_name(event.event)} came late and was dropped")
            case TokenText():
                self.tell_piece(event, "")
            case ThinkingText():
                self.tell_piece(event, " thinks")
            case PartialResult():
                pass  # all of it is told when it is there
            case CallAsked() | CallAnswered() | HandedOver():
                self.tell_call(event)
            case ProgressText():
                self.line(f"{event.step}: {event.text}")
            case QuestionAsked() | QuestionReminded() | QuestionDelegated() | QuestionClosed():
                self.tell_question(event)
            case ErrorHandled():
                self.tell_taken(event)
            case StopEvent():
                self.finish_line()
                self.sum_up()
            case InternalDispatchEvent():
                self.usage.see(event)
                if isinstance(event, ChildNote):
                    self.tell_within(event)
            case _:
                self.line(f"{event_name(event)} {event.model_dump_json(by_alias=True)}")

    def tell_emitted(self, event: EventEmitted) -> None:
        from wfc.runtime.events import event_name

        name = event_name(event.event)
        if event.step_name is None and name == self.by_exit:
            self.by_exit = ""  # which the line about the exit says
        elif self.counts(self.emitted, (event.step_name, name)):
            self.line(f"{event.step_name or 'from outside'} -> {name}")

    def tell_question(
        self, event: QuestionAsked | QuestionReminded | QuestionDelegated | QuestionClosed
    ) -> None:
        from wfc.runtime.plan.pauses import QuestionAsked, QuestionDelegated, QuestionReminded

        match event:
            case QuestionAsked() | QuestionReminded():
                asks = "asks" if isinstance(event, QuestionAsked) else "still asks"
                whom = f" ({', '.join(event.assign)})" if event.assign else ""
                self.line(f"{event.step}: {asks}{whom}: {event.title}{until(event.expires_at)}")
            case QuestionDelegated():
                self.line(f"{event.step}: {event.by} passes the question on to {event.to}")
            case _ if event.because != "answered":
                self.line(f"{event.step}: the question is closed: {event.because}")

    def tell_taken(self, event: ErrorHandled) -> None:
        goes_to = ", ".join(event.goes_to) or INSTEAD[event.instead]
        who, what = event.step, event.name
        if event.exit:
            who, self.by_exit = f"the run, by its {event.exit},", goes_to
            what += f" of {event.step}" if event.step else ""
        self.taken[who, what, goes_to] += 1
        which = f", item {event.item}" if event.item is not None else ""
        self.line(f"{who.rstrip(',')}{which}: {what} is taken -> {goes_to}: {event.message}")

    def tell_step(self, event: StepStateChanged) -> None:
        from wfc.runtime.events.internal import StepState

        attempt = attempt_of(event)
        who = event.name if event.item is None else f"{event.name}, item {event.item}"
        match event.step_state:
            case StepState.RUNNING if event.attempt > 1 or self.counts(self.runs, event.name):
                self.line(f"{who}: started on {event.input_event_name}{attempt}")
            case StepState.WAITING if (found := self.waits_for(event.worker_id)) is not None:
                what, moment = found
                self.line(f"{who}: waits{f' for {what}' if what else ''}{until(moment)}")
            case StepState.RETRYING:
                self.tell_retry(who, event)
            case StepState.NOT_RUNNING if event.error:
                self.line(f"{who}: failed{attempt}: {event.error}")
            case StepState.NOT_RUNNING if event.output_event_name is None and self.runs[event.name] <= TOLD:
                self.line(f"{who}: done")  # what it emits, if anything, says so by itself
            case _:
                pass

    def tell_retry(self, who: str, event: StepStateChanged) -> None:
        """Print that a step has failed and is tried again."""
        from wfc.runtime.values.spans import span

        wait = f"; again in {span(round(event.retry_in, 1))}" if event.retry_in is not None else ""
        self.line(f"{who}: failed{attempt_of(event)}: {event.error}{wait}")

    def tell_within(self, note: ChildNote) -> None:
        """Print what is news of an agent or another workflow within the run: a step that is tried again."""
        from wfc.runtime.events.internal import StepState, StepStateChanged

        event = note.event
        if isinstance(event, StepStateChanged) and event.step_state is StepState.RETRYING:
            self.tell_retry(f"{note.workflow}.{event.name}", event)

    def tell_call(self, event: CallAsked | CallAnswered | HandedOver) -> None:
        """Print a call of an agent's model, what became of it, or that another agent goes on."""
        from wfc.runtime.events.of_agents import CallAsked, HandedOver

        who = f"{event.step}: {event.agent}, turn {event.turn}: "
        match event:
            case CallAsked():
                self.line(f"{who}calls {event.tool} {json.dumps(event.args, ensure_ascii=False)}")
            case HandedOver():
                self.line(f"{who}hands over to {event.to}")
            case _:
                self.line(f"{who}{event.tool}: {event.outcome}: {event.text}")

    def tell_waiting(self, event: CallWaits) -> None:
        """Print that a call waits for its turn."""
        from wfc.runtime.values.spans import span

        if self.counts(self.waiting, (event.step_name, event.name)):
            bounds = [] if event.at_once is None else [f"{event.at_once} at once"]
            if event.rate is not None:
                bounds.append(f"{event.rate[0]} in {span(event.rate[1])}")
            wait = f"; {span(round(event.seconds, 1))} at least" if event.seconds is not None else ""
            self.line(f"{event.step_name}: waits for its turn: {event.name} ({', '.join(bounds)}){wait}")

    def tell_piece(self, event: TokenText | ThinkingText, what: str) -> None:
        """Append a piece of a model's answer to its line on a terminal; to a file nothing is written.

        Args:
            what: What the model does, if it does not answer yet.
        """
        if not sys.stderr.isatty():
            return
        answer = (event.step + what, event.worker_id, event.attempt, event.reply)
        if answer != self.answer:
            self.finish_line()
            click.echo(f"{self.time()}  {printable(event.step)}{what}: ", err=True, nl=False)
            self.answer = answer
        margin = "\n" + " " * (len(self.time()) + 2)
        click.echo(margin.join(map(printable, event.text.split("\n"))), err=True, nl=False)

    def sum_up(self) -> None:
        """Print which failures, limits and time-outs the run has taken, each once with how often."""
        for (step, name, goes_to), times in self.taken.items():
            often = f", {times} times" if times > 1 else ""
            self.line(f"on the way {step} took {name} -> {goes_to}{often}")
        for line in self.usage.lines():
            self.line(line)

    def finish_line(self) -> None:
        """End the line of an answer that may be incomplete."""
        if self.answer is not None:
            click.echo(err=True)
            self.answer = None

    def time(self) -> str:
        return f"{time.monotonic() - self.start:7.2f}s"

    def counts(self, counter: Counter[Any], key: object) -> bool:
        """Count one more, and return whether it is to be shown."""
        counter[key] += 1
        if counter[key] == TOLD + 1 and counter is self.runs:
            self.line(f"{key}: from here on every hundredth is told")
        return counter[key] <= TOLD or counter[key] % 100 == 0

    def line(self, text: str) -> None:
        """Print one line with the time since the start."""
        if len(text) > LONGEST:
            text = text[:LONGEST] + " …"
        self.finish_line()
        click.echo(f"{self.time()}  {printable(text)}", err=True)
