"""How large a spec may be, and how much is said of it; here, so that who asks need not load what reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

__all__ = ["MAX_BYTES", "MAX_FINDINGS", "EnoughError", "at_most"]

MAX_BYTES: Final = 4 * 2**20
"""How large a spec's file may be: 4 MB."""

MAX_FINDINGS: Final = 2_000
"""How many findings one pass over a spec may make; nobody reads more, and each costs time and memory."""

T = TypeVar("T")


class EnoughError(Exception):
    """There are too many findings to go on."""


def at_most(report: Callable[[T], None], limit: int = MAX_FINDINGS) -> Callable[[T], None]:
    """A report that takes so many findings, and raises :class:`EnoughError` at the next."""
    left = limit

    def send(finding: T) -> None:
        nonlocal left
        if left <= 0:
            raise EnoughError
        left -= 1
        report(finding)

    return send
