"""``wfc worker``."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note
from wfc.compiler.cli.json_text import one_line
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import StorePlace, open_engine, place_of, refusals, store_option
from wfc.compiler.cli.tables import format_option
from wfc.compiler.cli.telling import telling
from wfc.compiler.cli.versions import keep_version, name_of
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.compiler.cli.programs import Program
    from wfc.runtime import Engine
    from wfc.runtime.driver.engine.metrics import WorkerMetrics
    from wfc.runtime.driver.engine.starting import TriggerStarter
    from wfc.runtime.driver.engine.working import Worker, WorkerNote
    from wfc.runtime.store.sql.selecting import DueRun

__all__ = ["command"]


@click.command("worker", cls=Command)
@click.argument("paths", metavar="[SPEC|MODULE|FOLDER]...", nargs=-1)
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
@click.option(
    "--metrics",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Serve figures for Prometheus at /metrics of this port of this machine; 0: of a free one.",
)
@click.option("--schedules", is_flag=True, help="Show the next moment of each schedule, and end.")
@click.option("--until-idle", is_flag=True, help="End when nothing is due and nothing under way.")
@format_option
@store_option
def command(
    paths: tuple[str, ...],
    at_once: int,
    grace: float,
    metrics: int | None,
    schedules: bool,
    until_idle: bool,
    format: str,
    store: str | None,
) -> int:
    """Work on the runs of a store that are due, until it is told to end.

    Runs are due that wait to begin, whose time has come, for which something was posted, or that a process has left
    when it died. Each goes on with the code that it was started with, which is kept beside the store. With a SPEC, a
    MODULE, or a FOLDER of specs or of modules with their manifest, only the workflows of these are worked on, and their
    schedules and topics start runs: one for each moment and each message, however many workers there are.

    SIGTERM and Ctrl-C let it claim nothing any more, and end when the runs under way have ended or rest. What takes
    longer than --grace is given back, and goes on elsewhere or later; a second signal gives back all at once.
    """
    from wfc.runtime.driver.engine.metrics import WorkerMetrics

    place = place_of(store)
    engine = open_engine(place, is_new_allowed=True)
    try:
        with output_kept(), refusals():
            programs = loaded(paths)
            if programs is None:
                return 1
            only = {name_of(each.workflow) for _, each in programs} if paths else None
            starter = starter_of(engine, place, programs)
            moments = sorted(starter.next_moments(), key=lambda each: each[2]) if schedules else []

            def load(due: DueRun) -> str | None:
                return reason_against(engine, place, due, only)

            figures = WorkerMetrics(engine)

            def tell(note: WorkerNote) -> None:
                figures.note(note)
                click.echo(line(note, format), err=True)

            if not schedules:
                worker = kind_of_worker(engine)(engine, load, tell, at_once=at_once)
                with serving(figures, metrics):
                    asyncio.run(work_and_tell(worker, starter, engine, place, grace, until_idle=until_idle))
    finally:
        engine.close()
    if schedules:
        show_schedules(moments)
    return 0


def kind_of_worker(engine: Engine) -> type[Worker]:
    """Return the worker for the store of an engine."""
    if engine.store.has_queue:
        from wfc.runtime.driver.dbos import QueueWorker

        return QueueWorker
    from wfc.runtime.driver.engine.working import Worker

    return Worker


@contextlib.contextmanager
def serving(figures: WorkerMetrics, port: int | None) -> Iterator[None]:
    """Serve the figures of a worker, if a port is given.

    Raises:
        click.ClickException: The port is taken.
    """
    from wfc.runtime.driver.engine.metrics import served

    if port is None:
        yield
        return
    with contextlib.ExitStack() as stack:
        try:
            chosen = stack.enter_context(served(figures, port))
        except OSError as error:
            told = f"nothing can be served at the port {port}: {error.strerror or error}"
            raise click.ClickException(printable(told)) from None
        click.echo(f"figures are at http://127.0.0.1:{chosen}/metrics", err=True)
        yield


def loaded(paths: tuple[str, ...]) -> list[tuple[str, Program]] | None:
    """Return the programs at paths, with these; ``None`` if one has errors, which are shown."""
    from wfc.compiler.cli.programs import load_program

    found = [(one, load_program(one)) for path in paths for one in modules_at(path)]
    if any(program is None for _, program in found):
        return None
    return [(path, program) for path, program in found if program is not None]


def modules_at(path: str) -> list[str]:
    """Return the paths of the modules with workflows of which a folder's manifest tells, or of a folder's specs.

    Args:
        path: A folder, its manifest, or what is returned as it is.

    Raises:
        PathError: The manifest tells of no workflow, or the folder has neither a manifest nor a spec.
    """
    from wfc.compiler.cli.building.manifest import read_manifest
    from wfc.compiler.workspace.sources import MANIFEST, PathError, find_specs, quoted_path

    is_manifest = os.path.basename(path) == MANIFEST
    folder = os.path.dirname(path) or "." if is_manifest else path
    if not os.path.isdir(folder):
        return [path]
    modules = read_manifest(folder, force=True).modules
    found = [os.path.join(folder, name) for name, entry in sorted(modules.items()) if entry.get("workflow")]
    if is_manifest and not found:
        raise PathError(f"{quoted_path(folder)} has no {MANIFEST} with workflows: `wfc compile` writes it")
    return found or [one.path for one in find_specs([folder], note)]


def starter_of(engine: Engine, place: StorePlace, programs: list[tuple[str, Program]]) -> TriggerStarter:
    """Return what starts the runs that the triggers of programs ask for.

    Raises:
        click.ClickException: The code of one cannot be kept, or a trigger cannot be read.
    """
    from wfc.runtime.driver.engine.starting import TriggerStarter

    workflows = []
    for path, program in programs:
        keep_version(engine, place, program, path)
        try:
            workflows.append(program.workflow(engine=engine))
        except TypeError as error:  # a class by hand that needs arguments
            told = f"`{program.workflow.__name__}()` fails: {error}"
            raise click.ClickException(printable(told)) from error
    return TriggerStarter(engine, workflows, lambda text: click.echo(printable(text), err=True))


def show_schedules(moments: Sequence[tuple[str, str, datetime]]) -> None:
    """Show the next moment of each schedule, with its workflow and its name."""
    for workflow, name, due in moments:
        click.echo(printable(f"{due:%a %Y-%m-%d %H:%M %z}  {workflow}.{name}"))
    if not moments:
        click.echo("the workflows of this worker have no schedules", err=True)


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
    worker: Worker,
    starter: TriggerStarter,
    engine: Engine,
    place: StorePlace,
    grace: float,
    *,
    until_idle: bool,
) -> None:
    """Let a worker work, start meanwhile what triggers ask for, and tell people what the settings say."""
    stops = asyncio.Event()
    await starter.look_and_note()
    starting = asyncio.create_task(starter.run(stops))
    try:
        async with telling(engine, place):
            await work(worker, engine, grace, until_idle=until_idle)
    finally:
        stops.set()
        await starting


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
    click.echo(printable(f"working on {engine.store.name} as {engine.store.owner}"), err=True)
    try:
        await working
    except asyncio.CancelledError:
        click.echo("the runs under way are given back", err=True)


def line(note: WorkerNote, format: str) -> str:
    """Return what is told of a run."""
    if format == "json":
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        return one_line({"at": at, **note._asdict()}, sys.stderr.encoding)
    because = f": {note.because}" if note.because else ""
    about = f"{note.run_id}  {note.workflow}" if note.run_id else "the worker"
    return printable(f"{about}  {note.what}{because}")
