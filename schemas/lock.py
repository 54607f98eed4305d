"""The files beside specs in which the tools of MCP servers are pinned. Both houses read them here.

A file is JSON: ``{"wfc_lock": 1, "servers": {NAME: {"command": […] or "url": …, "server": …, "tools": {…}}}}``, where a
tool has ``description``, ``input``, ``output`` (the schema of its result, if it has one) and ``sha256`` of these three.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

__all__ = ["FORMAT", "digest", "lock_path", "pinned_tool"]

FORMAT: Final = 1


def lock_path(spec: str) -> str:
    """Return the path of the file that belongs to a spec: ``desk.lock.json`` for ``desk.yaml``."""
    for end in (".yaml", ".yml"):
        spec = spec.removesuffix(end)
    return f"{spec}.lock.json"


def digest(description: str, given: object, result: object) -> str:
    """Return the digest of a tool: of its description and the schemas of its arguments and its result."""
    data = [description, given, result]
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def pinned_tool(description: str, given: object, result: object) -> Mapping[str, Any]:
    """Return a tool as it stands in the file."""
    found = {"description": description, "input": given, "sha256": digest(description, given, result)}
    return found if result is None else {**found, "output": result}
