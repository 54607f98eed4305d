"""What stands at an address that a collection names."""

from __future__ import annotations

from typing import Any

__all__ = ["fetch"]


async def fetch(host: Any, url: str) -> tuple[str, bytes]:
    """Return what kind of content it is, and its bytes.

    Args:
        host: The step that asks; the settings may limit the requests to a host.

    Raises:
        StepError: ``http…``, ``timeout``, ``connection``.
        MissingPackageError: The package for HTTP is not installed.
    """
    from wfc.runtime.calls.http import fetch as fetched

    async with host.in_turn(None, url):
        return await fetched(url)
