"""``wfc run``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.inputs import given, start_event
from wfc.compiler.cli.load import load_program

if TYPE_CHECKING:
    from wfc.runtime import StartEvent, StopEvent, Workflow

__all__ = ["command"]


@click.command("run")
@click.argument("program", metavar="SPEC|MODULE")
@click.option(
    "-i",
    "--set",
    "pairs",
    metavar="NAME=VALUE",
    multiple=True,
    help="An input; lists and records are given as JSON.",
)
@click.option("--input", "file", metavar="FILE|-", help="A JSON object with inputs; - reads standard input.")
@click.option(
    "--mock", metavar="TEST", help="Answer the actions as this test of the spec does, and do none of them."
)
def command(program: str, pairs: tuple[str, ...], file: str | None, mock: str | None) -> int:
    """Run a SPEC, or a MODULE that wfc compiled.

    Prints the end event as JSON on standard output, and on standard error what happens on the way. A spec is
    compiled in memory, and that code runs.
    """
    loaded = load_program(program)
    if loaded is None:
        return 1
    import asyncio

    from wfc.runtime.workflow import start_class

    start_type = start_class(loaded.workflow)
    start = start_event(start_type, given(pairs, file, start_type))
    return asyncio.run(run(loaded.workflow, start))


async def run(workflow: type[Workflow], start: StartEvent) -> int:
    """Run to the end, telling of it, and print the end event."""
    import json

    from wfc.compiler.cli.progress import Progress
    from wfc.runtime import StopEvent

    progress = Progress()
    end: StopEvent | None = None
    handler = workflow().run(start_event=start)
    async for event in handler.stream_events(expose_internal=True):
        progress.tell(event)
        if isinstance(event, StopEvent):
            end = event
    try:
        await handler
    except Exception as error:
        click.echo(f"the run failed: {plain(error)}", err=True)
        return 1
    assert end is not None
    record = {"event": type(end).__name__, "with": end.model_dump(mode="json", by_alias=True)}
    click.echo(json.dumps(record, ensure_ascii=False))
    return 0
