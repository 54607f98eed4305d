"""``wfc runs follow``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.json_text import one_line
from wfc.compiler.cli.offers import run_argument
from wfc.compiler.cli.resuming import load_code
from wfc.compiler.cli.stores import open_engine, place_of, refusals, store_option
from wfc.compiler.cli.tables import format_option, moment
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine
    from wfc.runtime.store.replay import Replayed

__all__ = ["command"]

LONGEST = 200
"""How much of a value that has changed is shown to people."""

NOT_DONE = frozenset({"failed", "cancelled", "dead"})
"""How a run is over that has not come to its end event."""


@click.command("follow", cls=Command)
@run_argument
@click.option(
    "--since",
    type=click.IntRange(0),
    default=0,
    metavar="TICK",
    help="Only what came after this tick, which is the number in front of each line.",
)
@click.option(
    "--last",
    type=click.IntRange(1),
    metavar="TICKS",
    help="Only the last ticks so far, and what comes; of a very long run it may be fewer.",
)
@click.option(
    "--changes", "only_changes", is_flag=True, help="Show what each step has changed in the state instead."
)
@click.option("--no-wait", is_flag=True, help="End when all that has happened so far is shown.")
@format_option
@store_option
def command(
    run: str,
    since: int,
    last: int | None,
    only_changes: bool,
    no_wait: bool,
    format: str,
    store: str | None,
) -> int:
    """Show what happens in a RUN, from its beginning until it is over, whoever works on it.

    Only what is recorded is shown, each once and in order, so that whoever has seen the tick 7 goes on with --since 7.

    With --changes the lines are those of the state: a place, what was there and what is there now. A place is written
    as wfc runs edit --set takes it; lines[2:5] is a stretch of a list.

    Exit status: 0 the run is done, or there is no more to show; 1 it has failed or was cancelled.
    """
    if since and last is not None:
        raise click.UsageError("`--since` and `--last` both say where to begin: leave one out")
    place = place_of(store)
    engine = open_engine(place, is_new_allowed=False)
    try:
        with refusals():
            engine.show(run)
            if not load_code(engine, place, run, None):
                return 1
            shows = (change_lines if format == "json" else change_texts) if only_changes else None
            shows = shows or (lines if format == "json" else texts)
            since = since if last is None else since_last(engine, run, last)
            followed = engine.follow(run, since, waits=not no_wait, changes=only_changes)
            asyncio.run(follow(followed, shows))
            status = engine.show(run).status
            if status in NOT_DONE:
                click.echo(printable(f"the run is {status}: {engine.outcome(run)}"), err=True)
    finally:
        engine.close()
    return 1 if status in NOT_DONE else 0


def since_last(engine: Engine, run: str, most: int) -> int:
    """Return the tick after which the last ones of a run come, and say if they are fewer than was asked for."""
    since, wanted = engine.tail_of(run, most), max(0, engine.last_tick(run) - most)
    if since > wanted:
        because = (
            "the run is long, and its last snapshot is of then" if wanted else "what was before is not kept"
        )
        click.echo(printable(f"told since tick {since}: {because}"), err=True)
    return since


async def follow(followed: AsyncIterator[Replayed], shows: Callable[[Replayed], list[str]]) -> None:
    """Print what a run shows."""
    async for told in followed:
        for line in shows(told):
            click.echo(line)
        sys.stdout.flush()


def lines(told: Replayed) -> list[str]:
    """Return a tick as lines of JSON: one for each event, or one if there is none."""
    head: dict[str, Any] = {"tick": told.seq, "at": moment(told.at), "kind": told.kind}
    if told.back_to is not None:
        head["back to"] = told.back_to
    if told.halted:
        head["halted"] = told.halted
    found = [
        {
            **head,
            "part": part,
            **data_of(event),
        }
        for part, event in enumerate(told.events)
    ]
    return [one_line(each, sys.stdout.encoding) for each in found or [head]]


def data_of(event: Any) -> dict[str, Any]:
    """Return an event as data, with one that it tells of by its name too."""
    from wfc.runtime.events import event_name
    from wfc.runtime.events.internal import EventEmitted

    fields = event.model_dump(mode="json", by_alias=True)
    if isinstance(event, EventEmitted):
        fields["event"] = data_of(event.event)
    return {"event": event_name(event), "with": fields}


def texts(told: Replayed) -> list[str]:
    """Return what people are told of a tick."""
    head = f"{told.seq:>5}  {moment(told.at)}  "
    found = [text for event in told.events if (text := text_of(event))]
    if told.back_to is not None:
        found.insert(0, f"the run goes on from how it was after tick {told.back_to}")
    if told.halted:
        found.append("the run goes on" if told.halted == "goes on" else f"the run has halted {told.halted}")
    return [printable(head + text) for text in found]


def text_of(event: Any) -> str:
    """Return what people are told of an event; empty if it is told by another one."""
    from wfc.runtime.events import StopEvent, event_name
    from wfc.runtime.events.internal import EventEmitted, StepState, StepStateChanged
    from wfc.runtime.plan.pauses import QuestionAsked, QuestionClosed, QuestionDelegated
    from wfc.runtime.values.spans import span

    match event:
        case StepStateChanged(step_state=StepState.RUNNING):
            return f"{event.name}: began on {event.input_event_name}{attempt_of(event)}"
        case StepStateChanged(step_state=StepState.WAITING):
            return f"{event.name}: waits"
        case StepStateChanged(step_state=StepState.RETRYING):
            again = span(round(event.retry_in or 0, 1))
            return f"{event.name}: failed{attempt_of(event)}: {event.error}; again in {again}"
        case StepStateChanged(step_state=StepState.CANCELLED):
            return f"{event.name}: was cancelled"
        case StepStateChanged(step_state=StepState.NOT_RUNNING) if event.error:
            return f"{event.name}: failed{attempt_of(event)}: {event.error}"
        case StepStateChanged(step_state=StepState.NOT_RUNNING):
            return f"{event.name}: done" if event.output_event_name is None else ""
        case StepStateChanged():
            return ""
        case EventEmitted():
            return f"{event.step_name or 'from outside'} -> {event_name(event.event)}"
        case QuestionAsked():
            return f"{event.step}: asks: {event.title} ({event.id})"
        case QuestionDelegated():
            because = f": {event.because}" if event.because else ""
            return f"{event.step}: {event.by} passes the question on to {event.to}{because}"
        case QuestionClosed():
            return f"{event.step}: the question is closed: {event.because}"
        case StopEvent():
            return f"the run is done: {one_line(data_of(event))}"
    return f"{event_name(event)} {one_line(event.model_dump(mode='json', by_alias=True))}"


def attempt_of(event: Any) -> str:
    return f" (attempt {event.attempt})" if event.attempt > 1 else ""


def change_lines(told: Replayed) -> list[str]:
    """Return what a tick has changed in the state as a line of JSON; none if it has changed nothing."""
    from wfc.runtime.store.state_changes import ABSENT

    if not told.changes:
        return []
    changes = [
        {key: value for key, value in change._asdict().items() if value is not ABSENT}
        for change in told.changes
    ]
    data: dict[str, Any] = {"tick": told.seq, "at": moment(told.at), "kind": told.kind}
    data |= {key: value for key, value in (("step", told.step), ("by", told.by)) if value}
    return [one_line({**data, "changes": changes}, sys.stdout.encoding)]


def change_texts(told: Replayed) -> list[str]:
    """Return what a tick has changed in the state as people are told of it, a line for each place."""
    from wfc.runtime.store.state_changes import ABSENT

    who = told.step or told.by or told.kind.lower()
    head = f"{told.seq:>5}  {moment(told.at)}  {who}: "
    found = []
    for path, before, after in told.changes:
        if before is ABSENT:
            found.append(f"{path} = {shortened(after)}, which is new")
        elif after is ABSENT:
            found.append(f"{path} is gone; it was {shortened(before)}")
        else:
            found.append(f"{path}: {shortened(before)} -> {shortened(after)}")
    return [printable(head + text) for text in found]


def shortened(value: Any) -> str:
    """Return a value as JSON, of a large one its beginning."""
    text = one_line(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
