"""``wfc send``."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.offers import run_ids, workflows
from wfc.compiler.cli.resting import command_that_resumes
from wfc.compiler.cli.resuming import load_code
from wfc.compiler.cli.stores import StorePlace, open_engine, place_of, refusals, store_option
from wfc.compiler.diagnostics.escaping import printable
from wfc.runtime.values.strict_json import parsed

if TYPE_CHECKING:
    from wfc.runtime import Engine
    from wfc.runtime.driver.messages import Message

__all__ = ["command"]

LONGEST = 200


@click.command("send", cls=Command)
@click.argument("message", metavar="EVENT=JSON")
@click.option("--run", "run_id", metavar="RUN", shell_complete=run_ids, help="To this run.")
@click.option(
    "--workflow",
    metavar="NAME",
    shell_complete=workflows,
    help="To the runs of this workflow that have the --key.",
)
@click.option("--key", metavar="KEY", help="The key of the runs.")
@click.option("--topic", metavar="TOPIC", help="To all who listen to this topic.")
@click.option(
    "--id",
    "message_id",
    metavar="ID",
    help="A run takes one message of an id, however often it is sent.",
)
@store_option
def command(
    message: str,
    run_id: str | None,
    workflow: str | None,
    key: str | None,
    topic: str | None,
    message_id: str | None,
    store: str | None,
) -> int:
    """Send an event from outside to a run: by its id, or by its workflow and key. Or send it to all who listen.

    It is held against what the run receives, and recorded; then the process that has the run is told. If none has it,
    a `wfc worker` or `wfc runs resume` lets the run take it, in the order in which events were sent.

    With --topic it is kept for the workers: a worker with a spec whose triggers have this topic starts a run with it,
    whatever JSON it is, and lets all runs take it that receive such an event under this topic.

    Exit status: 0 it is recorded; 1 it does not fit, or there is no such run, or that is over.
    """
    if topic is not None:
        if run_id is not None or workflow is not None or key is not None:
            raise click.UsageError("`--topic` sends to all who listen, so no run is named")
        return send_to_topic(message, topic, message_id, store)
    if (run_id is None) == (workflow is None) or (workflow is None) != (key is None):
        raise click.UsageError(
            "name the run: by `--run RUN`, or by `--workflow NAME --key KEY`; or all: by `--topic TOPIC`"
        )
    event = message_of(message)
    place = place_of(store)
    engine = open_engine(place, is_new_allowed=False)
    try:
        with refusals():
            runs = [run_id] if run_id is not None else engine.runs_under(str(workflow), str(key))
            if not runs:
                told = f"no run of `{workflow}` with the key {key!r} is there that is not over"
                raise click.ClickException(printable(told))
            for one in runs:
                engine.show(one)
                if not load_code(engine, place, one, None):
                    return 1
                engine.check_message(one, event)
            asyncio.run(post(engine, place, runs, event, message_id))
    finally:
        engine.close()
    return 0


def send_to_topic(message: str, topic: str, message_id: str | None, store: str | None) -> int:
    """Keep a message under a topic, and tell who takes it."""
    if not topic.strip() or len(topic) > LONGEST:
        raise click.UsageError(printable(f"`--topic {topic[:LONGEST]}` is no topic"))
    event = message_of(message, is_any=True)
    engine = open_engine(place_of(store), is_new_allowed=True)
    try:
        with refusals():
            kept = asyncio.run(engine.keep_for_topic(topic, event, message_id))
            is_new = kept is not None and kept[1]
            told = "workers that listen take it" if engine.store.has_workers() else "no worker is at work"
    finally:
        engine.close()
    click.echo(f"recorded; {told}" if is_new else "it was sent already", err=True)
    return 0


def message_of(text: str, *, is_any: bool = False) -> Message:
    """Return a message of the command line.

    Args:
        is_any: Whether it may hold JSON of any kind, not only fields.

    Raises:
        click.UsageError: It is not of the form `EVENT=JSON`.
    """
    from wfc.runtime.driver.messages import Message

    name, equals, body = text.partition("=")
    try:
        fields: Any = parsed(body) if equals else {}
    except ValueError as error:
        raise click.UsageError(printable(f"`{name}=…` is not JSON: {error}")) from None
    if not name or not (is_any or isinstance(fields, dict)):
        raise click.UsageError(
            printable(f"`{text[:100]}` is not `EVENT=JSON`, with the fields as a JSON object")
        )
    return Message(name, fields)


async def post(
    engine: Engine, place: StorePlace, runs: list[str], event: Message, message_id: str | None
) -> None:
    """Post a message to runs, and tell who takes it."""
    for run_id in runs:
        await engine.post(run_id, event, message_id=message_id)
        root = engine.store.root_of(run_id) or run_id
        if engine.store.is_worked_on(root):
            told = f"{run_id}: recorded, and the process that has the run is told"
        elif engine.store.has_workers():
            told = f"{run_id}: recorded; a worker takes the run up"
        else:
            told = f"{run_id}: recorded; nobody works on it: {command_that_resumes(root, place)}"
        click.echo(printable(told), err=True)
