"""What the commands share that let a stored run go on: its code, and following it until it ends or rests."""

from __future__ import annotations

import getpass
import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.following import Followed, watch
from wfc.compiler.cli.stores import Keeping, StorePlace
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.runtime import Engine, WorkflowHandler

__all__ = ["go_on", "load_code", "refuse_unknown_steps", "this_user"]


def refuse_unknown_steps(wanted: Iterable[str], known: Sequence[str]) -> None:
    """Refuse steps to halt at that a workflow does not have.

    Raises:
        click.UsageError: There is one.
    """
    for name in wanted:
        if name not in known:
            steps = ", ".join(f"`{each}`" for each in known[:20])
            raise click.UsageError(printable(f"--break {name}: there is no such step; there are {steps}"))


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
