"""Links by which somebody without a token answers one question, fills in one form, or has one talk: signed.

A link holds what it is for, who uses it, and until when it counts, under a signature (HMAC-SHA256). Nothing is kept of
it: one to a question is used up once its person has answered, or the question is closed, and ends once the question is
passed on to others; one to a form is used up by the run that it starts, whose id is made of the link.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Final, Literal, NamedTuple

from wfc.runtime.server.calls import Problem

__all__ = ["LINKED", "Purpose", "TaskLink", "read_link", "run_of_link", "write_link"]

Purpose = Literal["task", "form", "chat"]
LONGEST: Final = 2000

LINKED: Final = "l-"
"""How the id of a run begins that a link stands for."""


class TaskLink(NamedTuple):
    """What a link says: what it is for, who uses it, until when (in seconds since 1970), and who has made it.

    Args:
        task: The id of the task, or the name of the form or the chat.
        nonce: What tells links apart that are alike otherwise.
        passed_on: How often the question had been passed on when the link was made.
    """

    task: str
    by: str
    until: int
    made_by: str
    nonce: str = ""
    passed_on: int = 0


def write_link(link: TaskLink, key: bytes, purpose: Purpose = "task") -> str:
    """Return a link as a token, which is good for one purpose."""
    body = json.dumps(link, ensure_ascii=False, separators=(",", ":")).encode()
    return f"{_text(body)}.{_text(_signature(body, key, purpose))}"


def run_of_link(token: str) -> str:
    """Return the id of the run that a link to a form or a talk stands for."""
    return f"{LINKED}{hashlib.sha256(token.encode()).hexdigest()[:32]}"


def read_link(token: str, key: bytes, purpose: Purpose = "task") -> TaskLink:
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
    if not hmac.compare_digest(_signature(data, key, purpose), signed):
        raise refused
    link = TaskLink(*json.loads(data))
    if link.until <= time.time():
        raise refused
    return link


def _signature(body: bytes, key: bytes, purpose: Purpose) -> bytes:
    return hmac.new(key, f"wfc {purpose} link 1\n".encode() + body, hashlib.sha256).digest()


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _data(text: str) -> bytes:
    found = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if _text(found) != text:  # of several ways to write the same bytes one counts
        raise ValueError("not written as we write it")
    return found
