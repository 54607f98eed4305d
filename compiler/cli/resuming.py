"""What the commands share that let a stored run go on: its code, and following it until it ends or rests."""

from __future__ import annotations

import contextlib
import getpass
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.following import Followed, watch
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import Keeping, StorePlace, open_engine, place_of, refusals
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine, WorkflowHandler

__all__ = [
    "go_on",
    "load_code",
    "load_newer",
    "load_own",
    "opened_run",
    "refuse_unknown_places",
    "this_user",
]


def refuse_unknown_places(wanted: Iterable[str], workflow: type[Any]) -> None:
    """Refuse places to halt at that a workflow does not have.

    Raises:
        click.UsageError: There is one.
    """
    from wfc.runtime.driver.run.halting_places import check_place
    from wfc.runtime.errors import WorkflowStepDoesNotExistError

    for place in wanted:
        try:
            check_place(workflow, place)
        except WorkflowStepDoesNotExistError as error:
            raise click.UsageError(printable(f"--break {place}: {error}")) from None


def load_code(engine: Engine, place: StorePlace, run_id: str, program: str | None) -> bool:
    """Let an engine know the code that a run goes on with; return whether there is any.

    Raises:
        click.ClickException: What was kept is not there.
    """
    from wfc.compiler.cli.versions import load_version

    if program is None:
        row = engine.show(engine.store.root_of(run_id) or run_id)
        load_version(engine, place, row.workflow, row.version)
        return True
    from wfc.compiler.cli.programs import load_program

    loaded = load_program(program)
    if loaded is None:
        return False
    for workflow in (loaded.workflow, *loaded.others):
        engine.add(workflow)
    return True


@contextlib.contextmanager
def opened_run(store: str | None, run_id: str) -> Iterator[tuple[Engine, StorePlace]]:
    """Open the store that has a run, with the code that the run began with; what is refused there ends the command.

    Raises:
        click.ClickException: There is no such run, or its code is not there.
    """
    place = place_of(store)
    engine = open_engine(place, is_new_allowed=False)
    try:
        with refusals():
            engine.show(run_id)
            with output_kept():
                load_code(engine, place, run_id, None)
            yield engine, place
    finally:
        engine.close()


def load_newer(engine: Engine, place: StorePlace, program: str) -> str | None:
    """Let an engine know a newer code of runs, which is kept from now on; return its version.

    Returns:
        ``None`` if it has errors, which are shown.

    Raises:
        click.ClickException: It cannot be kept.
    """
    from wfc.compiler.cli.programs import load_program
    from wfc.compiler.cli.versions import add_version, keep_version

    loaded = load_program(program)
    if loaded is None:
        return None
    version = keep_version(engine, place, loaded, program)
    add_version(engine, loaded, version)
    return version


def load_own(engine: Engine, place: StorePlace, run_id: str) -> None:
    """Let an engine know the code that a run has, too, if it is still there."""
    with contextlib.suppress(click.ClickException):
        load_code(engine, place, run_id, None)


async def go_on(
    engine: Engine, place: StorePlace, begin: Callable[[], Awaitable[WorkflowHandler[Any] | None]]
) -> Followed:
    """Follow a run that goes on here until it ends or rests."""
    handler = await begin()
    if handler is None:
        click.echo("it is recorded, and another process goes on with the run", err=True)
        return Followed(None, 0)
    return await watch(lambda: handler, keeping=Keeping(engine, place, None), rests=True)


def this_user() -> str:
    """Return who uses this computer, as answers name people."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a number without a name
        name = str(os.getuid())
    return f"user:{name}"
