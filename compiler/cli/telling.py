"""Telling people of questions and of failures, beside a command that lets runs go on: see the settings `tell`."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.resting import command_that_answers
from wfc.compiler.cli.stores import StorePlace
from wfc.compiler.diagnostics.escaping import printable

if TYPE_CHECKING:
    from wfc.compiler.cli.programs import Program
    from wfc.runtime import Engine
    from wfc.runtime.driver.engine.telling import Send, Teller
    from wfc.runtime.store.sql.reading import TaskRow

__all__ = ["reason_not_to_tell", "teller_of", "telling"]


@contextlib.asynccontextmanager
async def telling(engine: Engine, place: StorePlace) -> AsyncIterator[None]:
    """Tell people meanwhile, and in the end of what was not told yet, if the settings say whom."""
    teller = teller_of(engine, place)
    if teller is None:
        yield
        return
    stops = asyncio.Event()
    at_work = asyncio.create_task(teller.run(stops))
    try:
        yield
    finally:
        stops.set()
        with contextlib.suppress(asyncio.CancelledError):
            await at_work


def teller_of(engine: Engine, place: StorePlace) -> Teller | None:
    """Return what tells people of the runs in a store; ``None`` if the settings do not say whom."""
    from wfc.runtime.driver.engine.telling import Teller, sender

    tell = place.tell
    if tell is None:
        return None
    send: Send = WorkflowSender(engine, place).send if tell.workflow else sender(tell, place.project)

    def command(task: TaskRow) -> str:
        return command_that_answers(task.task_id, task.about["form"], place)

    return Teller(engine, tell, send, note, command=command)


def reason_not_to_tell(place: StorePlace) -> str | None:
    """Return why the program of the settings `tell` would not be started, and which command agrees; `None`: it is."""
    from wfc.runtime.calls.commands import executable
    from wfc.runtime.errors import SettingsError

    if place.tell is None or not place.tell.program:
        return None
    try:
        executable(place.tell.program[0], place.project)
    except SettingsError as error:
        return str(error)
    return None


def note(text: str) -> None:
    click.echo(printable(text), err=True)


class WorkflowSender:
    """Starts a run of a workflow with each message; nobody is told of these runs."""

    def __init__(self, engine: Engine, place: StorePlace) -> None:
        self._engine = engine
        self._place = place
        self._program: Program | None = None

    async def send(self, message: Mapping[str, Any]) -> None:
        """Start a run whose start event has those fields of a message that it declares.

        Raises:
            WorkflowError: The spec has errors, or its start event does not take the message.
        """
        from wfc.runtime.authoring.definition import definition_of
        from wfc.runtime.driver.messages import read_as
        from wfc.runtime.errors import RunExistsError, SettingsError

        workflow = self._loaded().workflow
        kind = definition_of(workflow).plan.start_class
        wanted = {info.alias or name for name, info in kind.model_fields.items()}
        fields = {name: value for name, value in message.items() if name in wanted}
        event = read_as(kind, fields, f"what `tell.workflow` starts with, {kind.__name__},")
        run_id = f"tell-{hashlib.sha256(str(message['id']).encode()).hexdigest()[:24]}"
        try:
            made = workflow(engine=self._engine)
        except Exception as error:
            raise SettingsError(f"`tell.workflow` cannot be made: {error}") from None
        with contextlib.suppress(RunExistsError):  # it was started by a process that has died since
            await self._engine.enqueue(made, event, run_id, is_quiet=True)
        if not self._engine.store.has_workers():
            await self._finish(run_id)

    async def _finish(self, run_id: str) -> None:
        """Let a run that was started go on here until it ends or rests; how it ends is its own affair."""
        from wfc.runtime.errors import RunEndedError, RunLostError

        with contextlib.suppress(RunEndedError, RunLostError):
            await self._engine.resume(run_id)
            await self._engine.park(run_id)

    def _loaded(self) -> Program:
        from wfc.compiler.cli.programs import load_program
        from wfc.compiler.cli.versions import keep_version
        from wfc.runtime.errors import SettingsError

        if self._program is None:
            assert self._place.tell is not None
            path = str(self._place.project / self._place.tell.workflow)
            try:
                program = load_program(path)
                if program is None:
                    raise SettingsError(f"`tell.workflow`: {path} has errors")
                keep_version(self._engine, self._place, program, path)
            except (click.ClickException, OSError) as error:
                raise SettingsError(f"`tell.workflow`: {getattr(error, 'message', error)}") from None
            for each in (program.workflow, *program.others):
                self._engine.add(each, version=self._engine.version_of_class(each))
            self._program = program
        return self._program
