"""Links by which somebody without a token answers one question, once: signed, and used up by the question itself.

A link holds the question, who answers by it, and until when it counts, under a signature (HMAC-SHA256). Nothing is kept
of it: it is used up once its person has answered, or the question is closed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Final, NamedTuple

from wfc.runtime.server.calls import Problem

__all__ = ["TaskLink", "read_link", "write_link"]

_PURPOSE: Final = b"wfc task link 1\n"
LONGEST: Final = 2000


class TaskLink(NamedTuple):
    """What a link says: the task, who answers by it, until when (in seconds since 1970), and who has made it."""

    task: str
    by: str
    until: int
    made_by: str


def write_link(link: TaskLink, key: bytes) -> str:
    """Return a link as a token."""
    body = json.dumps(link, ensure_ascii=False, separators=(",", ":")).encode()
    return f"{_text(body)}.{_text(_signature(body, key))}"


def read_link(token: str, key: bytes) -> TaskLink:
    """Return what a token says.

    Raises:
        Problem: It is none of ours, or its time is over; nothing tells which.
    """
    refused = Problem(401, "link.invalid", "this link is not valid any more, or never was")
    body, dot, signature = token.partition(".")
    if not key or not dot or len(token) > LONGEST or not token.isascii():
        raise refused
    try:
        data, signed = _data(body), _data(signature)
    except (ValueError, binascii.Error):
        raise refused from None
    if not hmac.compare_digest(_signature(data, key), signed):
        raise refused
    link = TaskLink(*json.loads(data))
    if link.until <= time.time():
        raise refused
    return link


def _signature(body: bytes, key: bytes) -> bytes:
    return hmac.new(key, _PURPOSE + body, hashlib.sha256).digest()


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _data(text: str) -> bytes:
    found = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if _text(found) != text:  # of several ways to write the same bytes one counts
        raise ValueError("not written as we write it")
    return found
