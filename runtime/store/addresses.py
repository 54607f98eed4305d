"""Addresses of servers, as they may be shown: without their passwords."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["SERVERS", "without_password"]

SERVERS: Final = ("postgresql://", "postgres://")
"""How the addresses of databases of servers begin."""

_PASSWORD: Final = re.compile(r"(?<=://)([^/?@:]*):.*@", re.DOTALL)
_OPTION: Final = re.compile(r"([?&])(?:password|sslpassword)=[^&]*", re.IGNORECASE)


def without_password(address: str) -> str:
    """Return an address as it may be shown."""
    shown = _OPTION.sub(r"\1", _PASSWORD.sub(r"\1@", address))
    return shown.replace("?&", "?").rstrip("?&")
