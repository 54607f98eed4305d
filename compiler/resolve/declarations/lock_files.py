"""The tools of MCP servers that `wfc tools pin` has kept beside a spec."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping
from typing import Any

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import McpServer
from wfc.compiler.resolve.symbols.declarations import Declarations, Refused
from wfc.compiler.rules import operations as problems
from wfc.schemas.lock import FORMAT, digest, lock_path

__all__ = ["PinnedTools", "pinned_tools", "server_identity"]

PinnedTools = Mapping[str, Mapping[str, Any]]
"""Tools by the names that their server has for them, as `wfc.schemas.lock` has them."""


def server_identity(server: McpServer) -> dict[str, object]:
    """Return which server that is, as the spec writes it: a program with its arguments, or an address."""
    if server.program is not None:
        return {"command": [server.program.program, *(each.text.text for each in server.program.arguments)]}
    return {"url": server.url.text if server.url is not None else ""}


def pinned_tools(name: str, server: McpServer, place: Place, declared: Declarations) -> PinnedTools | None:
    """Return the tools of a server as they were pinned; ``None`` if they were not, or with a finding.

    Args:
        name: What the spec calls the server.
        place: Where it does.
    """
    path = declared.project.path
    lock = lock_path(posixpath.basename(path))
    found = declared.project.text(lock)
    if isinstance(found, Refused):
        return None
    try:
        data = json.loads(found[1])
    except (ValueError, RecursionError):
        data = None
    servers = data.get("servers") if isinstance(data, dict) else None
    if not isinstance(data, dict) or data.get("wfc_lock") != FORMAT or not isinstance(servers, dict):
        declared.report(problems.broken_lock_file(place, lock, "is no file with pinned tools", path))
        return {}
    entry = servers.get(name)
    if not isinstance(entry, dict):
        return None
    if declared.any_broken(place, ("command", "url")):
        return {}
    if {key: entry[key] for key in ("command", "url") if key in entry} != server_identity(server):
        declared.report(problems.pinned_elsewhere(place, name, path, lock))
        return {}
    tools = entry.get("tools")
    if not isinstance(tools, dict) or not all(map(is_whole, tools.values())):
        declared.report(problems.broken_lock_file(place, lock, "was changed by hand", path))
        return {}
    if not tools:
        declared.report(problems.broken_lock_file(place, lock, f"has no tool of `{name}`", path))
    return tools


def is_whole(tool: object) -> bool:
    """Return whether a tool is as it was pinned."""
    return (
        isinstance(tool, dict)
        and isinstance(tool.get("description"), str)
        and isinstance(tool.get("input"), dict)
        and tool.get("sha256") == digest(tool["description"], tool["input"], tool.get("output"))
    )
