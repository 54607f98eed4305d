"""What is shown of a run's data: its state, and the events that nobody has taken yet."""

from __future__ import annotations

from typing import Any

from wfc.runtime.core.execution import Execution
from wfc.runtime.events import event_name

__all__ = ["pending_of", "state_of"]


def state_of(execution: Execution) -> dict[str, Any]:
    """Return the state of a run as JSON data."""
    data = execution.state.model_dump(mode="json", by_alias=True)
    return dict(data)


def pending_of(execution: Execution) -> list[dict[str, Any]]:
    """Return the events in a run's inbox that nobody has taken yet, the oldest first, as JSON data."""
    return [
        {"number": number, "event": event_name(event), "with": event.model_dump(mode="json", by_alias=True)}
        for number, event in execution.inbox.items()
    ]
