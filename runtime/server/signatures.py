"""How senders of webhooks prove who they are: a bearer token, or a signature of what they send (HMAC-SHA256).

How a signature is written tells what it covers. These are the ways of those who send webhooks most::

    9f86d0… or sha256=9f86d0…           the body (GitHub, Shopify with Base64, and most others)
    t=1700000000,v1=9f86d0…             the moment, a dot, and the body (Stripe)
    v0=9f86d0…                          v0, the moment in X-Slack-Request-Timestamp, and the body, with colons (Slack)
    v1,n4bQgY…                          the id, the moment and the body, with dots (Standard Webhooks)
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Mapping
from typing import Final, NamedTuple

from wfc.runtime.authoring.triggers import Hook

__all__ = ["is_bearer", "signed_content"]

LONGEST: Final = 1000
MOST: Final = 10
"""How many signatures a delivery has at most, as while its sender changes the secret."""


class Signed(NamedTuple):
    """What a signature covers, when it was made (in seconds since 1970, if it says so), and the signatures."""

    content: bytes
    at: str | None
    signatures: list[bytes]
    key: bytes


def is_bearer(secret: str, headers: Mapping[str, str]) -> bool:
    """Return whether a request has a secret as its bearer token."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    same = hmac.compare_digest(token.strip().encode(), secret.encode())
    return same and scheme.lower() == "bearer"


def signed_content(
    hook: Hook, secret: str, headers: Mapping[str, str], body: bytes, now: float
) -> bytes | None:
    """Return what a sender has signed, if it is so, and as new as the webhook wants; else ``None``."""
    text = headers.get((hook.header or "").lower(), "").strip()
    if not text or len(text) > LONGEST or not text.isascii():
        return None
    signed = read_signature(text, secret, headers, body)
    wanted = hmac.digest(signed.key, signed.content, "sha256")
    is_theirs = any(hmac.compare_digest(wanted, one) for one in signed.signatures[:MOST])
    if not is_theirs or not signed.key:  # with an empty key anybody could sign
        return None
    if hook.within is not None and not is_new(signed.at, hook.within, now):
        return None
    return signed.content


def is_new(at: str | None, within: float, now: float) -> bool:
    """Return whether a signed moment is near enough to the present; what has none is not."""
    if at is None or not (at.isascii() and at.isdigit() and len(at) <= 12):
        return False
    return abs(now - int(at)) <= within


def read_signature(text: str, secret: str, headers: Mapping[str, str], body: bytes) -> Signed:
    """Return what the text of a signature says."""
    key = secret.encode()
    if text.startswith("t="):
        pairs = [part.strip().partition("=")[::2] for part in text.split(",")]
        at = pairs[0][1]
        return Signed(f"{at}.".encode() + body, at, [hexed(one) for name, one in pairs if name == "v1"], key)
    if text.startswith("v0="):
        at = headers.get("x-slack-request-timestamp", "")
        return Signed(f"v0:{at}:".encode() + body, at, [hexed(text[3:])], key)
    if text.startswith("v1,"):
        at, sender_id = headers.get("webhook-timestamp", ""), headers.get("webhook-id", "")
        found = [one[3:] for one in text.split() if one.startswith("v1,")]
        if secret.startswith("whsec_"):
            key = base64ed(secret.removeprefix("whsec_"))
        return Signed(f"{sender_id}.{at}.".encode() + body, at, [base64ed(one) for one in found], key)
    text = text.removeprefix("sha256=")
    return Signed(body, None, [hexed(text) if len(text) == 64 else base64ed(text)], key)


def hexed(text: str) -> bytes:
    """Return the bytes of a hexadecimal text; none, if it is not one."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def base64ed(text: str) -> bytes:
    """Return the bytes of a text in Base64; none, if it is not one."""
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return b""
