"""Addresses of servers, as they may be shown: without their passwords."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

__all__ = ["SERVERS", "secrets_of", "without_password"]

SERVERS: Final = ("postgresql://", "postgres://")
"""How the addresses of databases of servers begin."""

_PASSWORD: Final = re.compile(r"(?<=://)([^/?@:]*):.*@", re.DOTALL)
_OPTION: Final = re.compile(r"([?&])(?:password|sslpassword)=[^&]*", re.IGNORECASE)


def secrets_of(address: str) -> list[str]:
    """Return what may not be shown of an address, and its pieces, the longest first."""
    hidden = [found.group(0).partition(":")[2].removesuffix("@") for found in _PASSWORD.finditer(address)]
    hidden += [found.group(0).partition("=")[2] for found in _OPTION.finditer(address)]
    pieces = {piece for text in hidden for piece in (text, unquote(text), *re.split(r"[/:@?]", text))}
    return sorted(filter(None, pieces), key=len, reverse=True)


def without_password(address: str) -> str:
    """Return an address as it may be shown."""
    shown = _OPTION.sub(r"\1", _PASSWORD.sub(r"\1@", address))
    return shown.replace("?&", "?").rstrip("?&")
