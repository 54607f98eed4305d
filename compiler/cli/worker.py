"""``wfc worker``."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.json_text import one_line
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import StorePlace, open_engine, place_of, refusals, store_option
from wfc.compiler.cli.tables import format_option
from wfc.compiler.cli.telling import telling
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine
    from wfc.runtime.driver.engine.working import Worker, WorkerNote
    from wfc.runtime.store.sql.selecting import DueRun

__all__ = ["command"]


@click.command("worker", cls=Command)
@click.argument("paths", metavar="[SPEC|MODULE]...", nargs=-1)
@click.option(
    "--at-once", type=click.IntRange(1), default=100, show_default=True, help="How many runs at once."
)
@click.option(
    "--grace",
    type=click.FloatRange(0),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How long the runs under way have when the worker is to end.",
)
@click.option("--until-idle", is_flag=True, help="End when nothing is due and nothing under way.")
@format_option
@store_option
def command(
    paths: tuple[str, ...], at_once: int, grace: float, until_idle: bool, format: str, store: str | None
) -> int:
    """Work on the runs of a store that are due, until it is told to end.

    Runs are due that wait to begin, whose time has come, for which something was posted, or that a process has left
    when it died. Each goes on with the code that it was started with, which is kept beside the store. With a SPEC or a
    MODULE, only the workflows of these are worked on.

    SIGTERM and Ctrl-C let it claim nothing any more, and end when the runs under way have ended or rest. What takes
    longer than --grace is given back, and goes on elsewhere or later; a second signal gives back all at once.
    """
    place = place_of(store)
    engine = open_engine(place, is_new_allowed=True)
    try:
        with output_kept(), refusals():
            only = None if not paths else names_of(paths)
            if only is not None and not only:
                return 1

            def load(due: DueRun) -> str | None:
                return reason_against(engine, place, due, only)

            def tell(note: WorkerNote) -> None:
                click.echo(line(note, format), err=True)

            worker = kind_of_worker(engine)(engine, load, tell, at_once=at_once)
            asyncio.run(work_and_tell(worker, engine, place, grace, until_idle=until_idle))
    finally:
        engine.close()
    return 0


def kind_of_worker(engine: Engine) -> type[Worker]:
    """Return the worker for the store of an engine."""
    if engine.store.has_queue:
        from wfc.runtime.engines.dbos import QueueWorker

        return QueueWorker
    from wfc.runtime.driver.engine.working import Worker

    return Worker


def names_of(paths: tuple[str, ...]) -> set[str]:
    """Return the names of the workflows at paths; none if one has errors, which are shown."""
    from wfc.compiler.cli.programs import load_program
    from wfc.runtime.authoring.definition import definition_of

    found: set[str] = set()
    for path in paths:
        program = load_program(path)
        if program is None:
            return set()
        found.add(definition_of(program.workflow).name or program.workflow.__name__)
    return found


def reason_against(engine: Engine, place: StorePlace, due: DueRun, only: set[str] | None) -> str | None:
    """Let an engine know the code of a run; return why it is not worked on here, or ``None``."""
    from wfc.compiler.cli.versions import load_version

    if only is not None and due.workflow not in only:
        return f"`{due.workflow}` is not among the workflows of this worker"
    try:
        load_version(engine, place, due.workflow, due.version)
    except click.ClickException as error:
        return error.message
    return None


async def work_and_tell(
    worker: Worker, engine: Engine, place: StorePlace, grace: float, *, until_idle: bool
) -> None:
    """Let a worker work, and tell people meanwhile what the settings say."""
    async with telling(engine, place):
        await work(worker, engine, grace, until_idle=until_idle)


async def work(worker: Worker, engine: Engine, grace: float, *, until_idle: bool) -> None:
    """Let a worker work until it is drained by a signal."""
    loop = asyncio.get_running_loop()
    working = asyncio.create_task(worker.run(grace=grace, until_idle=until_idle))
    signals = 0

    def end() -> None:
        nonlocal signals
        signals += 1
        worker.drain()
        if signals > 1:
            working.cancel()
        else:
            click.echo("the worker ends when its runs have ended or rest", err=True)

    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # where loops take no signals, they interrupt at once
            loop.add_signal_handler(number, end)
    click.echo(printable(f"working on {engine.store.name}"), err=True)
    try:
        await working
    except asyncio.CancelledError:
        click.echo("the runs under way are given back", err=True)


def line(note: WorkerNote, format: str) -> str:
    """Return what is told of a run."""
    if format == "json":
        return one_line(note._asdict(), sys.stderr.encoding)
    because = f": {note.because}" if note.because else ""
    return printable(f"{note.run_id}  {note.workflow}  {note.what}{because}")
