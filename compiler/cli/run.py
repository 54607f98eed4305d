"""``wfc run``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.end_event import as_fields, as_json, field_as_text, refuse_unknown_field
from wfc.compiler.cli.inputs import from_outside, given, start_event
from wfc.compiler.cli.programs import load_program
from wfc.compiler.cli.spec_tests import named_test
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.diagnostics.escaping import printable
from wfc.runtime.authoring.definition import definition_of

if TYPE_CHECKING:
    from collections import deque

    from wfc.compiler.cli.answering import People, Terminal
    from wfc.compiler.cli.progress import Progress
    from wfc.runtime import Event, Workflow, WorkflowError
    from wfc.runtime.driver.handler import WorkflowHandler
    from wfc.runtime.driver.run.questions import OpenQuestion
    from wfc.runtime.testing import SpecTest

__all__ = ["command"]


WAITS_FOR_PEOPLE = 3
"""The exit status of a run that stops because a question is open and nobody is there to answer it."""


@click.command("run", cls=Command)
@click.argument("program", metavar="SPEC|MODULE")
@click.option("-i", "pairs", metavar="NAME=VALUE", multiple=True, help="An input; lists and records as JSON.")
@click.option("--input", "file", metavar="FILE|-", help="A JSON object of inputs; - reads standard input.")
@click.option("--mock", "test", metavar="TEST", help="Let this test of the spec answer for the actions.")
@click.option(
    "--answer",
    "answers",
    metavar="STEP=JSON",
    multiple=True,
    help="Answer a question of this step; in order.",
)
@click.option(
    "--deliver",
    "deliveries",
    metavar="EVENT=JSON",
    multiple=True,
    help="Bring this event from outside, at once.",
)
@click.option("--show", "field", metavar="FIELD", help="Print this field of the end event alone, as it is.")
def command(
    program: str,
    pairs: tuple[str, ...],
    file: str | None,
    test: str | None,
    answers: tuple[str, ...],
    deliveries: tuple[str, ...],
    field: str | None,
) -> int:
    """Run a SPEC, or a MODULE that wfc compiled.

    Prints the end event on standard output, to a terminal as a person reads it and elsewhere as one line of JSON,
    and on standard error what happens on the way. A spec is compiled in memory, and that code runs. With --mock no
    action is done, and inputs that are not given are the test's.

    A question that no --answer is for is asked at the terminal. Where there is none, the run stops there, with
    exit status 3.
    """
    with output_kept():
        followed = run(program, Inputs(pairs, file, test, answers, deliveries, field))
    return followed.status if followed.end is None else show(followed.end, field)


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


class Inputs(NamedTuple):
    """The inputs that the command line gives a run; see the options."""

    pairs: Sequence[str] = ()
    file: str | None = None
    test: str | None = None
    answers: Sequence[str] = ()
    deliveries: Sequence[str] = ()
    field: str | None = None


class End(NamedTuple):
    """An end event: its name, and its fields as plain data."""

    name: str
    values: dict[str, Any]


class Followed(NamedTuple):
    """The outcome of a run: the end event, or ``None`` if there is none, which has been reported."""

    end: End | None
    status: int


def run(program: str, inputs: Inputs) -> Followed:
    """Run to the end event."""
    loaded = load_program(program)
    if loaded is None:
        return Followed(None, 1)
    import asyncio

    from wfc.compiler.cli.answering import asking_steps, read_answers, terminal_if_any
    from wfc.runtime import WorkflowError
    from wfc.runtime.driver.engine import default_engine

    try:
        kind = definition_of(loaded.workflow).plan.start_class
        ends = definition_of(loaded.workflow).plan.end_classes
    except WorkflowError as error:
        raise click.ClickException(printable(str(error))) from None
    if inputs.field is not None:
        refuse_unknown_field(inputs.field, ends)
    case = named_test(loaded.resolved, inputs.test) if inputs.test is not None else None
    if case is not None:
        unheard(inputs.answers, case, str(inputs.test))
    values = given(inputs.pairs, inputs.file, kind)
    start = start_event(kind, values, None if case is None else case.start)
    events = from_outside(inputs.deliveries, loaded.workflow)
    answers = read_answers(inputs.answers, asking_steps(loaded.workflow))
    terminal = None if inputs.file == "-" else terminal_if_any()

    def begin() -> WorkflowHandler:
        for other in loaded.others:
            default_engine().add(other)
        if case is None:
            return made(loaded.workflow).run(start_event=start)
        from wfc.runtime.testing import start_mocked

        return start_mocked(loaded.workflow, start, case)

    mocked = frozenset(case.mock) if case is not None else frozenset()
    return asyncio.run(watch(begin, events, answers, terminal, mocked))


def unheard(answers: Sequence[str], case: SpecTest, test: str) -> None:
    """Refuse answers to steps that a test answers already, so that no answer is ignored.

    Raises:
        click.UsageError: There is such an answer.
    """
    for answer in answers:
        step = answer.partition("=")[0]
        if step in case.mock:
            told = f"`--answer {step}=…`: the test `{test}` answers for `{step}` already; leave one of the two out"
            raise click.UsageError(printable(told))


def made(workflow: type[Workflow]) -> Workflow:
    """Return an instance of a workflow.

    Raises:
        click.ClickException: A hand-written class cannot be made without arguments.
    """
    try:
        return workflow()
    except Exception as error:
        told = f"`{workflow.__name__}()` fails: {type(error).__name__}: {error}"
        raise click.ClickException(printable(told)) from error


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
) -> Followed:
    """Follow a run: print its events, and answer its questions.

    Args:
        events: The events from outside to deliver at once.
        answers: As for ``People``.
        terminal: See ``People``.
        mocked: See ``People``.
    """
    import asyncio

    from wfc.compiler.cli.answering import People
    from wfc.compiler.cli.progress import Progress
    from wfc.runtime import StopEvent, WorkflowError

    end: Any = None
    handler: WorkflowHandler | None = None
    people: People | None = None
    progress: Progress | None = None
    told = 0
    try:
        handler = begin()
        people = People(handler, answers or {}, terminal, mocked)
        progress = Progress(handler.waits_for)
        await deliver(events, handler)
        async for event in handler.stream_events(expose_internal=True):
            told += 1
            progress.tell(event)
            people.tell(event)
            if isinstance(event, StopEvent):
                end = event
        await handler
        await finish_parts()
    except (asyncio.CancelledError, KeyboardInterrupt):
        await interrupt(handler, progress, people, told)
        raise
    except WorkflowError as error:
        await finish_parts()
        return failed(error, people)
    finally:
        if people is not None:
            await people.stop()
    return Followed(ended_by(end), 0)


async def finish_parts() -> None:
    """Wait for parts of the run that were cancelled with it and go by their own `on_cancel`."""
    from wfc.runtime.driver.engine import default_engine

    engine = default_engine()
    if parts := engine.leaving():
        told = f"cancelled parts of the run finish what belongs to their end: {', '.join(parts)}"
        click.echo(printable(told), err=True)
        await engine.finish_exits()


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

    failure = people.failure if people is not None else None
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
