"""Following a run until it ends or rests: its events are printed, its questions answered, its end event shown."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from wfc.compiler.cli.end_event import as_fields, as_json, field_as_text
from wfc.compiler.cli.resting import command_that_resumes, tell_of_rest
from wfc.compiler.cli.stores import Keeping
from wfc.compiler.cli.telling import telling
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from collections import deque

    from wfc.compiler.cli.answering import People, Terminal
    from wfc.compiler.cli.progress import Progress
    from wfc.runtime import Event, WorkflowError
    from wfc.runtime.driver.handler import WorkflowHandler
    from wfc.runtime.driver.run.questions import OpenQuestion

__all__ = ["End", "Followed", "show", "watch"]

WAITS_FOR_PEOPLE = 3
"""The exit status of a run that stops because a question is open and nobody is there to answer it."""


class End(NamedTuple):
    """An end event: its name, and its fields as plain data."""

    name: str
    values: dict[str, Any]


class Followed(NamedTuple):
    """The outcome of a run: the end event, or ``None`` if there is none, which has been reported.

    ``put_aside`` is the id of a run that was only put into a store.
    """

    end: End | None
    status: int
    put_aside: str = ""


def show(end: End, field: str | None) -> int:
    """Show an end event, or one field of it, and return the exit status."""
    if field is None:
        click.echo(as_fields(*end) if sys.stdout.isatty() else as_json(*end))
        return 0
    text = field_as_text(field, end.values)
    if text is None:
        click.echo(
            f"the run ended with {printable(as_json(*end))}, which has no field `{printable(field)}`",
            err=True,
        )
        return 1
    if sys.stdout.isatty():
        text = "\n".join(map(printable, text.split("\n")))
    encoding = sys.stdout.encoding or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding), nl=not text.endswith("\n"))
    return 0


def unanswered(question: OpenQuestion) -> list[str]:
    """Return the lines of the message for a run that stops because nobody answers."""
    from wfc.compiler.cli.forms import fields_of

    lines = [f"the run stopped: `{question.step}` asks, and nobody is here to answer: {question.title}"]
    lines += [f"  {line}" for line in (question.show or "").splitlines()]
    lines += [f"  {field.name}: {field.words}" for field in fields_of(question.form)]
    example = (
        "{" + ", ".join(f'"{field.name}": …' for field in fields_of(question.form) if field.required) + "}"
    )
    lines.append(f"answer with `--answer {question.step}='{example}'`, or run it at a terminal")
    return lines


async def watch(
    begin: Callable[[], WorkflowHandler],
    events: Sequence[Event] = (),
    answers: dict[str, deque[Any]] | None = None,
    terminal: Terminal | None = None,
    mocked: frozenset[str] = frozenset(),
    *,
    keeping: Keeping | None = None,
    rests: bool = False,
    halts: bool = False,
) -> Followed:
    """Follow a run as ``follow`` does, and tell people of what is kept in its store, if the settings say whom.

    One that was in memory at first has a store only when it rests.
    """
    follows = partial(
        follow, begin, events, answers, terminal, mocked, keeping=keeping, rests=rests, halts=halts
    )
    if keeping is None or keeping.place.tell is None:
        return await follows()
    if keeping.prepare is None:
        async with telling(keeping.engine, keeping.place):
            return await follows()
    followed = await follows()
    if followed.status == WAITS_FOR_PEOPLE:
        async with telling(keeping.engine, keeping.place):
            pass
    return followed


async def follow(
    begin: Callable[[], WorkflowHandler],
    events: Sequence[Event] = (),
    answers: dict[str, deque[Any]] | None = None,
    terminal: Terminal | None = None,
    mocked: frozenset[str] = frozenset(),
    *,
    keeping: Keeping | None = None,
    rests: bool = False,
    halts: bool = False,
) -> Followed:
    """Follow a run: print its events, and answer its questions.

    Args:
        events: The events from outside to deliver at once.
        answers: As for ``People``.
        terminal: See ``People``.
        mocked: See ``People``.
        keeping: How the run is kept when nobody is there to answer; ``None``: not at all.
        rests: Whether it is kept also when it waits for something else.
        halts: Whether it is kept when it halts at a breakpoint.
    """
    from wfc.compiler.cli.answering import People
    from wfc.compiler.cli.progress import Progress
    from wfc.runtime import WorkflowError
    from wfc.runtime.errors import RunParkedError

    handler: WorkflowHandler | None = None
    people: People | None = None
    progress: Progress | None = None
    resting: asyncio.Task[None] | None = None
    told = Told()
    try:
        handler = begin()
        if keeping is not None and keeping.prepare is None:
            click.echo(printable(f"run {handler.run_id}"), err=True)
        if rests:
            resting = asyncio.create_task(give_up(handler, keeping))
        elif halts:
            resting = asyncio.create_task(give_up_halted(handler, keeping))
        people = People(handler, answers or {}, terminal, mocked, partial(give_up, handler, keeping))
        progress = Progress(handler.waits_for)
        await deliver(events, handler)
        await told.follow(handler, progress, people)
        await handler
        await finish_parts()
    except (asyncio.CancelledError, KeyboardInterrupt):
        await leave_interrupted(handler, keeping, progress, people, told.count)
        raise
    except WorkflowError as error:
        await finish_parts()
        if isinstance(error, RunParkedError) and keeping is not None:
            return put_to_rest(error.run_id, keeping, progress)
        return failed(error, people)
    finally:
        if people is not None:
            await people.stop()
        if resting is not None:
            resting.cancel()
    return Followed(ended_by(told.end), 0)


async def give_up(handler: WorkflowHandler, keeping: Keeping | None) -> None:
    """Keep a run for which nobody is there as soon as it rests; cancel it if it cannot be kept."""
    from wfc.runtime import WorkflowError

    if keeping is not None:
        if handler.is_done():
            return
        try:
            if keeping.prepare is not None:
                keeping.prepare()
            await keeping.engine.park(handler.run_id)
        except (WorkflowError, click.ClickException) as error:
            click.echo(printable(f"the run cannot be kept: {error}"), err=True)
        else:
            return
    await handler.cancel_run()


async def give_up_halted(handler: WorkflowHandler, keeping: Keeping | None) -> None:
    """Keep a run once it has halted, and what was at work has come to its end."""
    if await handler.halted() is not None:
        await give_up(handler, keeping)


async def finish_parts() -> None:
    """Wait for parts of the run that were cancelled with it and go by their own `on_cancel`."""
    from wfc.runtime.driver.engine import default_engine

    engine = default_engine()
    if parts := engine.leaving():
        told = f"cancelled parts of the run finish what belongs to their end: {', '.join(parts)}"
        click.echo(printable(told), err=True)
        for run_id, error in (await engine.finish_exits()).items():
            click.echo(printable(f"{run_id} has not finished it: {error}"), err=True)


class Told:
    """What has been told of a run: how many events, and by which one it has ended."""

    def __init__(self) -> None:
        self.count = 0
        self.end: Any = None

    async def follow(self, handler: WorkflowHandler, progress: Progress, people: People) -> None:
        """Tell of each event of a run, until there are no more."""
        from wfc.runtime import StopEvent

        async for event in handler.stream_events(expose_internal=True):
            self.count += 1
            progress.tell(event)
            people.tell(event)
            if isinstance(event, StopEvent):
                self.end = event


def put_to_rest(run_id: str, keeping: Keeping, progress: Progress | None) -> Followed:
    """Tell that a run is kept and waits, and how it goes on."""
    if progress is not None:
        progress.sum_up()
    tell_of_rest(run_id, keeping)
    return Followed(None, WAITS_FOR_PEOPLE)


async def leave_interrupted(
    handler: WorkflowHandler | None,
    keeping: Keeping | None,
    progress: Progress | None,
    people: People | None,
    told: int,
) -> None:
    """Leave a run that was interrupted to whoever resumes it; cancel it if it is not kept."""
    if keeping is None or keeping.prepare is not None:
        await interrupt(handler, progress, people, told)
    elif handler is not None:
        goes_on = command_that_resumes(handler.run_id, keeping.place)
        click.echo(printable(f"the run was interrupted; {goes_on} goes on"), err=True)


async def interrupt(
    handler: WorkflowHandler | None, progress: Progress | None, people: People | None, told: int
) -> None:
    """Cancel a run, as far as it has come, and wait until it and its parts have ended.

    Args:
        told: How many events of it have been told.
    """
    if progress is not None:
        progress.finish_line()
    click.echo("the run was interrupted", err=True)
    if handler is not None:
        await handler.cancel_run(timeout=0.1)
        if progress is not None and not handler.is_done():
            await finish_interrupted(handler, progress, people, told)
    await finish_parts()


def failed(error: WorkflowError, people: People | None) -> Followed:
    """Report why a run failed, or which question stopped it; raise what answering it has raised."""
    from wfc.compiler.cli.answering import NobodyAnswersError
    from wfc.runtime.errors import RunLostError

    failure = people.failure if people is not None else None
    if isinstance(error, RunLostError):  # nobody can answer it here, so it is not told how
        report_failure(error)
        return Followed(None, 1)
    if isinstance(failure, NobodyAnswersError):
        for line in unanswered(failure.question):
            click.echo(printable(line), err=True)
        return Followed(None, WAITS_FOR_PEOPLE)
    if failure is not None:
        raise failure from None
    report_failure(error)
    return Followed(None, 1)


async def finish_interrupted(
    handler: WorkflowHandler, progress: Progress, people: People | None, told: int
) -> None:
    """Follow a run that was interrupted and has something left to do, as by its own `on_cancel`.

    Args:
        told: How many events of it have been told.
    """
    click.echo("it finishes what belongs to its end; interrupt it once more to stop that too", err=True)
    async for event in handler.stream_events(expose_internal=True, since=told):
        progress.tell(event)
        if people is not None:
            people.tell(event)


def ended_by(event: Event) -> End:
    """Return the end of a run, its fields named as they are outside."""
    from wfc.runtime.events import event_name
    from wfc.runtime.values.outside_names import with_outside_names

    fields = with_outside_names(event, event.model_dump(mode="json", by_alias=True))
    return End(event_name(event), fields)


async def deliver(events: Sequence[Event], handler: WorkflowHandler) -> None:
    """Send a run the events from outside, at once; report those that are meant for another run."""
    from wfc.runtime.events import event_name

    for event in events:
        if handler.is_meant_for(event):
            await handler.send_event(event)
        else:
            click.echo(f"not delivered: this `{event_name(event)}` is for a run with another key", err=True)


def report_failure(error: WorkflowError) -> None:
    """Report why a run failed, and the place of the expression that failed."""
    from wfc.compiler.cli.failures import place_of_failure

    click.echo(f"the run failed: {printable(str(error))}", err=True)
    if place := place_of_failure(error):
        click.echo(f"  {printable(place)}", err=True)
