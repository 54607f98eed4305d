"""What parameters of lists mean: places from which they go on, which nobody needs to read, and moments."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import datetime
from typing import Any, Final

from wfc.runtime.server.calls import Call, Problem

__all__ = ["read_cursor", "read_moment", "write_cursor"]

SECOND: Final = 1_000_000_000


def write_cursor(*parts: int | str) -> str:
    """Return a place in a list as a text that nobody needs to read."""
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def read_cursor(text: str, *kinds: type) -> list[Any]:
    """Return the parts of a place in a list.

    Raises:
        Problem: It is none of this list.
    """
    try:
        found = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError):
        found = None
    fits = isinstance(found, list) and [type(one) for one in found] == list(kinds)
    if not fits or not all(abs(one) < 2**63 if isinstance(one, int) else one.isprintable() for one in found):
        raise Problem(400, "cursor", "`after` is none that this list has given")
    return list(found)


def read_moment(call: Call, name: str) -> int | None:
    """Return a moment among the parameters, in nanoseconds since 1970; ``None``: it is not there.

    Raises:
        Problem: It is none.
    """
    text = call.query.get(name)
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None or not 1970 < found.year < 2200:
        raise Problem(400, "query", f"`{name}` is a moment such as 2027-01-31T12:00:00Z")
    return int(found.timestamp()) * SECOND
