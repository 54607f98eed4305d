"""``wfc runs resume``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.following import show
from wfc.compiler.cli.offers import breaks_option, run_argument
from wfc.compiler.cli.resuming import go_on, load_code, load_newer, load_own, refuse_unknown_places
from wfc.compiler.cli.runs.moving import tell
from wfc.compiler.cli.stdout import output_kept
from wfc.compiler.cli.stores import StorePlace, open_engine, place_of, refusals, store_option

if TYPE_CHECKING:
    from wfc.runtime import Engine, WorkflowHandler

__all__ = ["command"]


@click.command("resume", cls=Command)
@run_argument
@click.argument("program", metavar="[SPEC|MODULE]", required=False)
@breaks_option
@click.option("--no-breaks", "is_free", is_flag=True, help="Halt nowhere any more.")
@click.option("--step", "by_step", is_flag=True, help="Execute one step, reply or call; then halt.")
@store_option
def command(
    run: str, program: str | None, breaks: tuple[str, ...], is_free: bool, by_step: bool, store: str | None
) -> int:
    """Let a RUN go on in this process, until it ends or rests.

    It goes on with the code that it was started with, which is kept beside the project. With a SPEC or MODULE it moves
    to that version first, as by wfc runs upgrade; if it cannot go on there, it stays as it is.

    A run that has halted at a breakpoint goes on to the next one. --break names other breakpoints in place of those
    that it has, --no-breaks takes them away: see wfc run. With --step an agent goes on by one reply of its model, or
    one call of a tool.

    Prints the end event as wfc run does. A run that rests, as it waits for an answer or for a time, is told of, with
    exit status 3.
    """
    if sum((bool(breaks), is_free, by_step)) > 1:
        raise click.UsageError("--break, --no-breaks and --step exclude each other")
    place = place_of(store, os.path.dirname(program) if program else ".")
    engine = open_engine(place, is_new_allowed=False)
    try:
        with output_kept(), refusals():
            if program is None:
                load_code(engine, place, run, None)
            elif not move(engine, place, run, program):
                return 1
            begin = partial(resumed, engine, run, breaks, is_free=is_free, by_step=by_step)
            followed = asyncio.run(go_on(engine, place, begin))
    finally:
        engine.close()
    return followed.status if followed.end is None else show(followed.end, None)


async def resumed(
    engine: Engine, run: str, breaks: Sequence[str], *, is_free: bool, by_step: bool
) -> WorkflowHandler[Any]:
    """Let a run go on from where it rests or has halted.

    Raises:
        click.UsageError: It has no such place to halt at.
        WorkflowError: It cannot go on.
    """
    if breaks:  # before the run is taken up
        row = engine.show(engine.store.root_of(run) or run)
        refuse_unknown_places(breaks, type(engine.workflow(row.workflow, version=row.version)))
    handler = await engine.resume(run)
    if breaks or is_free:
        handler.break_at(*breaks)
    if by_step:
        handler.step()
    else:
        handler.go_on()
    return handler


def move(engine: Engine, place: StorePlace, run_id: str, program: str) -> bool:
    """Move a run to the version of a program, and tell what that means for it; return whether there is one."""
    version = load_newer(engine, place, program)
    if version is None:
        return False
    root = engine.store.root_of(run_id) or run_id
    engine.show(root)
    load_own(engine, place, root)
    tell(asyncio.run(engine.upgrade(root, version=version)), "table", is_done=True, on_error_stream=True)
    return True
