"""``wfc triggers``."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import click

from wfc.compiler.cli.command import Command
from wfc.compiler.cli.findings import note, show
from wfc.compiler.cli.trigger_data import STARTED
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.model.triggers import Schedule, Topic, Trigger, Webhook
from wfc.compiler.passes import check_text
from wfc.compiler.types import show as show_type
from wfc.compiler.workspace.project import project_of
from wfc.compiler.workspace.severity import with_severities
from wfc.compiler.workspace.sources import load

__all__ = ["command"]

MOST = 1000
FIRST_YEAR, LAST_YEAR = 1970, 9000


@click.command("triggers", cls=Command)
@click.argument("spec")
@click.option(
    "--count",
    type=click.IntRange(1, MOST),
    default=5,
    show_default=True,
    help="How many times of each schedule.",
)
@click.option("--from", "start", metavar="MOMENT", help="Times after this moment; by default, after now.")
def command(spec: str, count: int, start: str | None) -> int:
    """Show what starts runs of a SPEC by itself, and when schedules are due next.

    Times are local ones of the schedule's zone. A MOMENT is written such as 2026-01-31T10:00:00+01:00; without an
    offset it is in UTC.
    """
    after = datetime.now(UTC) if start is None else moment(start)
    source = load(spec)
    checked = with_severities(check_text(source.raw, source.path, project_of([source])))
    show([checked], on_error_stream=True)
    if checked.failed or checked.workflow is None:
        return 1
    triggers = checked.workflow.triggers
    if not triggers:
        note(f"{source.path}: it has no triggers; `wfc run` starts a run")
        return 0
    for trigger in triggers:
        for line in lines(trigger, after, count):
            click.echo(printable(line))
    note(STARTED)
    return 0


def moment(text: str) -> datetime:
    """Return a moment that is given on the command line.

    Raises:
        click.UsageError: It is none.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = datetime.min
    if not FIRST_YEAR <= found.year <= LAST_YEAR:
        raise click.UsageError(
            f"`--from {printable(text[:100])}` is no moment; write it such as 2026-01-31T10:00:00+01:00"
        )
    return found.astimezone(UTC) if found.tzinfo is not None else found.replace(tzinfo=UTC)


def lines(trigger: Trigger, after: datetime, count: int) -> Iterator[str]:
    """Yield what is shown of a trigger."""
    match trigger.source:
        case Schedule():
            source = trigger.source
            yield f"{trigger.name}: `{source.cron}` in {source.zone}, missed: {source.missed}"
            yield from (f"  {due:%a %Y-%m-%d %H:%M %z}" for due in due_times(source, after, count))
        case Webhook():
            how = f"signed in `{trigger.source.header}`" if trigger.source.header else "with a bearer token"
            yield f"{trigger.name}: webhook `{trigger.source.path}`, {how}{of_body(trigger)}"
        case Topic():
            yield f"{trigger.name}: messages of `{trigger.source.topic}`{of_body(trigger)}"


def of_body(trigger: Trigger) -> str:
    return f", each {show_type(trigger.body)}" if trigger.body is not None else ""


def due_times(schedule: Schedule, after: datetime, count: int) -> Iterator[datetime]:
    """Yield the next times at which a schedule is due, in its zone."""
    from zoneinfo import ZoneInfo

    from wfc.runtime.values.schedules import next_due
    from wfc.schemas.cron import parse_cron

    line, zone = parse_cron(schedule.cron), ZoneInfo(schedule.zone)
    for _ in range(count):
        due = next_due(line, zone, after)
        if due is None:
            return
        yield due.astimezone(zone)
        after = due
