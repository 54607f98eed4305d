"""The part of `wfc serve` that offers workflows as tools to programs of agents (MCP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wfc.runtime.server.application import Application
    from wfc.runtime.server.installation import Installation

__all__ = ["offer_tools", "serve_streams"]

PATH = "/mcp"


def offer_tools(application: Application) -> None:
    """Offer the workflows of an application under /mcp, to those who have a token.

    Raises:
        MissingPackageError: The package mcp is not installed.
    """
    from wfc.runtime.server.mcp_door import McpFace

    application.faces[PATH] = McpFace(application.server).handle


def serve_streams(server: Installation, name: str, groups: list[str], address: str | None) -> None:
    """Serve whoever has started this process, who may do what its user may, until standard input ends.

    Raises:
        MissingPackageError: The package mcp is not installed.
    """
    import asyncio

    from wfc.runtime.server import mcp_door
    from wfc.runtime.server.access import ROLES, Principal

    server.address = (address or "").rstrip("/")
    asyncio.run(mcp_door.serve_streams(server, Principal(name, frozenset(ROLES), groups=tuple(groups))))
