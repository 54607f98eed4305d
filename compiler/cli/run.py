"""``wfc run``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.inputs import given, start_event
from wfc.compiler.cli.load import load_program
from wfc.compiler.cli.mocks import named_test
from wfc.compiler.cli.streams import output_kept
from wfc.compiler.render import printable

if TYPE_CHECKING:
    from wfc.runtime import Workflow
    from wfc.runtime.handler import WorkflowHandler

__all__ = ["command"]


@click.command("run")
@click.argument("program", metavar="SPEC|MODULE")
@click.option("-i", "pairs", metavar="NAME=VALUE", multiple=True, help="An input; lists and records as JSON.")
@click.option("--input", "file", metavar="FILE|-", help="A JSON object of inputs; - reads standard input.")
@click.option("--mock", "test", metavar="TEST", help="Let this test of the spec answer for the actions.")
def command(program: str, pairs: tuple[str, ...], file: str | None, test: str | None) -> int:
    """Run a SPEC, or a MODULE that wfc compiled.

    Prints the end event as JSON on standard output, and on standard error what happens on the way. A spec is
    compiled in memory, and that code runs. With --mock no action is done, and inputs that are not given are
    the test's.
    """
    with output_kept():
        end = run(program, pairs, file, test)
    if end is None:
        return 1
    click.echo(end)
    return 0


def run(program: str, pairs: Sequence[str], file: str | None, test: str | None) -> str | None:
    """Run to the end event and give it as JSON; ``None`` if there is none, which has been told."""
    loaded = load_program(program)
    if loaded is None:
        return None
    import asyncio

    from wfc.runtime import WorkflowError
    from wfc.runtime.workflow import start_class

    try:
        kind = start_class(loaded.workflow)
    except WorkflowError as error:
        raise click.ClickException(str(error)) from None
    case = named_test(loaded.resolved, test) if test is not None else None
    values = given(pairs, file, kind)
    start = start_event(kind, values if case is None else {**case.start, **values})

    def begin() -> WorkflowHandler:
        if case is None:
            return made(loaded.workflow).run(start_event=start)
        from wfc.runtime.testing import start_mocked

        return start_mocked(loaded.workflow, start, case)

    return asyncio.run(watch(begin))


def made(workflow: type[Workflow]) -> Workflow:
    """An instance of a workflow.

    Raises:
        click.ClickException: A hand-written class cannot be made without arguments.
    """
    try:
        return workflow()
    except Exception as error:
        told = f"`{workflow.__name__}()` fails: {type(error).__name__}: {error}"
        raise click.ClickException(printable(told)) from error


async def watch(begin: Callable[[], WorkflowHandler]) -> str | None:
    """Follow a run, telling of it; the end event as JSON, or ``None`` after saying why there is none."""
    import asyncio
    import json

    from wfc.compiler.cli.progress import Progress
    from wfc.runtime import StopEvent, WorkflowError
    from wfc.runtime.events import event_name

    progress = Progress()
    end: Any = None
    try:
        handler = begin()
        async for event in handler.stream_events(expose_internal=True):
            progress.tell(event)
            if isinstance(event, StopEvent):
                end = event
        await handler
    except asyncio.CancelledError:
        click.echo("the run was interrupted", err=True)
        await handler.cancel_run()
        raise
    except WorkflowError as error:
        click.echo(f"the run failed: {printable(str(error))}", err=True)
        return None
    record = {"event": event_name(end), "with": end.model_dump(mode="json", by_alias=True)}
    return json.dumps(record, ensure_ascii=False)
