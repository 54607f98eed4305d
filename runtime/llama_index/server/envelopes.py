"""Events as the HTTP API of llama-index-workflows writes and takes them: a value, with names of its class."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from pydantic import ValidationError

from wfc.runtime.events import Event

__all__ = ["InvalidEventError", "envelope_of", "event_of"]

_OURS: Final = "wfc.runtime.events"
_THEIRS: Final = "workflows.events"


class InvalidEventError(ValueError):
    """The error for data that is no event of a workflow."""


def envelope_of(event: Event, *, qualified: bool = True) -> dict[str, Any]:
    """Return an event as clients read it.

    Args:
        qualified: Whether it has the name of its class with that of the module.
    """
    kind = type(event)
    name, types = _names_of(kind)
    return {
        "value": event.model_dump(mode="json"),
        "qualified_name": name if qualified else None,
        "type": kind.__name__,
        "types": list(types) or None,
    }


@lru_cache(1024)
def _names_of(kind: type[Event]) -> tuple[str, tuple[str, ...]]:
    """Return the name of a class with that of its module, and the names of those that it is derived from."""
    module = _THEIRS if kind.__module__.startswith(_OURS) else kind.__module__
    above = [one.__name__ for one in kind.mro()[1:] if issubclass(one, Event)]
    types = above[: above.index("Event")] if "Event" in above else above
    return f"{module}.{kind.__name__}", tuple(types)


def event_of(
    data: object, events: Callable[[], Mapping[str, type[Event]]], assumed: type[Event] | None = None
) -> Event:
    """Return the event that a client has sent: an envelope, JSON text of one, or the bare fields of an event.

    Nothing is imported: an event is one of those that are known.

    Args:
        events: Returns those that are known, by their names.
        assumed: Whose fields they are, if nothing says that.

    Raises:
        InvalidEventError: There is no such event, or the fields do not fit.
    """
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except ValueError:
            data = None
    if not isinstance(data, dict):
        raise InvalidEventError("an event is a JSON object, or the text of one")
    named = data.get("type") or str(data.get("qualified_name") or "").rpartition(".")[2]
    kind: type[Event]
    value: Any
    if assumed is not None and "value" not in data and not {"type", "qualified_name"} <= set(data):
        kind, value = assumed, data
    elif named in (known := events()):
        kind, value = known[named], data.get("value", data.get("data"))
    else:
        raise InvalidEventError(f"there is no event `{str(named)[:100]}`; there are {', '.join(known)}")
    try:
        return kind.model_validate({} if value is None else value)
    except ValidationError as error:
        raise InvalidEventError(f"the event does not fit: {error}") from None
