"""``wfc run``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from wfc.compiler.cli.agreeing import ask_for_programs
from wfc.compiler.cli.command import Command
from wfc.compiler.cli.end_event import refuse_unknown_field
from wfc.compiler.cli.following import Followed, show, watch
from wfc.compiler.cli.inputs import from_outside, given, start_event
from wfc.compiler.cli.offers import breaks_option
from wfc.compiler.cli.programs import load_program
from wfc.compiler.cli.resuming import refuse_unknown_places
from wfc.compiler.cli.spec_tests import named_test
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import Keeping, open_engine, place_of, store_option
from wfc.compiler.cli.versions import keep_version
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.workspace.sources import load_other
from wfc.runtime.authoring.definition import definition_of

if TYPE_CHECKING:
    from wfc.compiler.cli.programs import Program
    from wfc.runtime import StartEvent, Workflow
    from wfc.runtime.driver.handler import WorkflowHandler
    from wfc.runtime.testing import SpecTest

__all__ = ["command"]


@click.command("run", cls=Command)
@click.argument("program", metavar="SPEC|MODULE")
@click.option(
    "-i",
    "pairs",
    metavar="NAME=VALUE",
    multiple=True,
    help="An input; lists and records as JSON, a File as @PATH, several one by one.",
)
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
@click.option("--run-id", metavar="ID", help="The run's id, which no other run of the store has.")
@click.option("--detach", is_flag=True, help="Only put the run into the store; `wfc runs resume` begins it.")
@breaks_option
@store_option
@click.option("--show", "field", metavar="FIELD", help="Print this field of the end event alone, as it is.")
def command(
    program: str,
    pairs: tuple[str, ...],
    file: str | None,
    test: str | None,
    answers: tuple[str, ...],
    deliveries: tuple[str, ...],
    run_id: str | None,
    detach: bool,
    breaks: tuple[str, ...],
    store: str | None,
    field: str | None,
) -> int:
    """Run a SPEC, or a MODULE that wfc compiled.

    Prints the end event on standard output, to a terminal as a person reads it and elsewhere as one line of JSON,
    and on standard error what happens on the way. A spec is compiled in memory, and that code runs. With --mock no
    action is done, and inputs that are not given are the test's.

    A question that no --answer is for is asked at the terminal. Where there is none, the run is kept in a store, with
    exit status 3: `wfc tasks answer` lets it go on, also after a restart of the machine.

    With --store, WFC_STORE or a store in the settings, all that happens is kept there before it has effects, so that
    the run goes on after a crash; else the store is .wfc/runs.db beside the project, which is used at that point only.

    With --break the run is kept from its start. It halts before each run of that step and rests in the store, with exit
    status 3; `wfc runs resume` lets it go on, to the next one or, with --step, by one step. Where step `settle` lets an
    agent work, --break "settle/turn 3" halts before its model's third reply, "settle/turn 3/refund" before a call of
    that tool then, and "settle/turn/refund" before each one.
    """
    given_inputs = Inputs(pairs, file, test, answers, deliveries, field, run_id, detach, store, breaks)
    with output_kept():
        followed = run(program, given_inputs)
    if followed.put_aside:
        click.echo(followed.put_aside)
    return followed.status if followed.end is None else show(followed.end, field)


class Inputs(NamedTuple):
    """The inputs that the command line gives a run; see the options."""

    pairs: Sequence[str] = ()
    file: str | None = None
    test: str | None = None
    answers: Sequence[str] = ()
    deliveries: Sequence[str] = ()
    field: str | None = None
    run_id: str | None = None
    detach: bool = False
    store: str | None = None
    breaks: Sequence[str] = ()


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
    mocked = frozenset(case.mock) if case is not None else frozenset()
    check_breaks(inputs, loaded)
    if case is None and terminal is not None:
        ask_for_programs(
            loaded.texts or [load_other(program).decode(errors="replace")], os.path.dirname(program)
        )
    keeping = keeping_of(program, loaded, inputs)
    refuse_known_id(keeping, inputs.run_id)
    asking = [step for step in asking_steps(loaded.workflow) or [] if step not in answers]
    try:
        if inputs.detach:
            followed = asyncio.run(put_aside(keeping, made(loaded.workflow), start, inputs.run_id))
            say_that_nobody_hears(keeping, asking)
            return followed
        if terminal is None:
            say_that_nobody_hears(keeping, asking)

        def begin() -> WorkflowHandler:
            for other in loaded.others:
                default_engine().add(other)
            if case is None:
                handler = made(loaded.workflow).run(start_event=start, run_id=inputs.run_id)
                if inputs.breaks:
                    handler.break_at(*inputs.breaks)
                return handler
            from wfc.runtime.testing import start_mocked

            return start_mocked(loaded.workflow, start, case)

        halts = bool(inputs.breaks)
        return asyncio.run(watch(begin, events, answers, terminal, mocked, keeping=keeping, halts=halts))
    finally:
        default_engine().close()


def keeping_of(program: str, loaded: Program, inputs: Inputs) -> Keeping | None:
    """Return how a run is kept; ``None`` for one whose actions are mocked.

    Raises:
        click.UsageError: The options do not go together.
        click.ClickException: The store cannot be opened.
    """
    from wfc.runtime.driver.engine import default_engine

    place = place_of(inputs.store, os.path.dirname(program))
    if inputs.test is not None:
        if inputs.store is not None or inputs.detach or inputs.breaks:
            raise click.UsageError(
                "--mock does nothing for real, so there is nothing to keep: leave --store, --detach and --break out"
            )
        return None

    def prepare() -> None:
        open_engine(place, is_new_allowed=True, engine=default_engine())
        keep_version(default_engine(), place, loaded, program)

    if not (place.is_wanted or inputs.detach or inputs.breaks):
        return Keeping(default_engine(), place, prepare)
    prepare()
    return Keeping(default_engine(), place, None)


def refuse_known_id(keeping: Keeping | None, run_id: str | None) -> None:
    """Refuse the id of a run that is in the store, to which this one would come only later.

    Raises:
        click.ClickException: There is a run with that id.
    """
    if keeping is None or keeping.prepare is None or run_id is None:
        return  # a run that is kept from its start is refused then
    try:
        engine = open_engine(keeping.place, is_new_allowed=False)
    except click.ClickException:
        return  # there is none yet; or it cannot be opened, which is told when it is needed
    try:
        is_known = bool(engine.store.runs(run_id=run_id))
    finally:
        engine.close()
    if is_known:
        raise click.ClickException(printable(f"the store has a run with the id {run_id!r}"))


def check_breaks(inputs: Inputs, loaded: Program) -> None:
    """Check the places at which a run is to halt.

    Raises:
        click.UsageError: There is no such place, or the run does not begin here.
    """
    if inputs.breaks and inputs.detach:
        raise click.UsageError("--detach begins nothing here: give --break to `wfc runs resume`")
    refuse_unknown_places(inputs.breaks, loaded.workflow)


def say_that_nobody_hears(keeping: Keeping | None, asking: Sequence[str]) -> None:
    """Say that nobody is told of the questions of a run that is kept from its start, if it may ask any."""
    if keeping is None or not asking or not (keeping.place.is_wanted or keeping.prepare is None):
        return
    tell = keeping.place.tell
    if tell is None or "task" not in tell.of:
        names = ", ".join(f"`{step}`" for step in asking)
        told = f"nobody is told when {names} asks (setting `tell`); `wfc tasks list` shows what is open"
        click.echo(printable(told), err=True)


async def put_aside(
    keeping: Keeping | None, workflow: Workflow, start: StartEvent, run_id: str | None
) -> Followed:
    """Put a run into the store, where it begins when it is resumed.

    Raises:
        click.ClickException: It cannot be kept.
    """
    from wfc.runtime import WorkflowError

    assert keeping is not None
    try:
        known_as = await keeping.engine.enqueue(workflow, start, run_id)
    except WorkflowError as error:
        raise click.ClickException(printable(str(error))) from None
    return Followed(None, 0, known_as)


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
