"""Triggers as plain data, for the manifest and for people."""

from __future__ import annotations

from typing import Final

from wfc.compiler.model.triggers import Schedule, Topic, Trigger, Webhook
from wfc.compiler.types import show

__all__ = ["STARTED", "as_data"]

STARTED: Final = (
    "`wfc worker` with this spec starts runs by schedules and topics, `wfc serve` by webhooks too"
)


def as_data(trigger: Trigger) -> dict[str, object]:
    """Return a trigger as the manifest has it; `with` holds a value for each field of the start event."""
    match trigger.source:
        case Schedule(cron=cron, zone=zone, missed=missed):
            found: dict[str, object] = {"cron": cron, "zone": zone, "missed": missed}
        case Webhook():
            found = {"webhook": trigger.source.path, "auth": auth_data(trigger.source)}
        case Topic(topic=topic):
            found = {"topic": topic}
    if trigger.body is not None:
        found["body"] = show(trigger.body)
    return {**found, "with": dict(trigger.values)}


def auth_data(hook: Webhook) -> dict[str, object]:
    """Return how senders prove who they are; secrets by name, times in seconds."""
    if hook.header is None:
        return {"bearer": hook.secret}
    signed: dict[str, object] = {"secret": hook.secret, "header": hook.header}
    return {"hmac": signed if hook.within is None else {**signed, "within": hook.within}}
