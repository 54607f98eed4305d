"""`cache`: which steps may have it, and what invalidates a cached result."""

from __future__ import annotations

from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import (
    Action,
    Cached,
    CommandCall,
    HttpCall,
    HttpRequest,
    MapItems,
    ToolCall,
    WorkflowCall,
)
from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.model.step_keys import ONLY_READS
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values import durations
from wfc.compiler.rules import caching as caching_problems

__all__ = ["resolve_cache"]

ABOUT_ACTION: Final = (
    *("kind", "model", "prompt", "system", "output", "history"),
    *("tool", "with", "method", "url", "query", "headers", "auth", "body"),
    *("command", "stdin", "env"),
)
"""What says what an action does. What a step is called, how often it is tried and where it leads changes no result."""


def resolve_cache(data: Data, action: Action | None, place: Place, declared: Declarations) -> Cached | None:
    """Return a step's `cache` setting; report a step whose action has to be performed each time.

    Args:
        action: What the step does, or ``None`` where that is not known.
    """
    wanted = data["cache"]
    do = data.get("do") if data.get("kind") == "map" else data
    if wanted is False or data.get("kind") == "transform" or not isinstance(do, dict):
        return None
    seconds: float | None = None
    if isinstance(wanted, dict) and "for" in wanted:
        seconds = durations.duration(wanted["for"], place / "cache" / "for", declared.report)
    if isinstance(action, MapItems):
        action = action.do
    kind = "workflow" if isinstance(action, WorkflowCall) else str(do.get("kind"))
    why = why_each_time(kind, action)
    if why:
        hint = STEP_KINDS[kind].cache_hint
        if isinstance(action, ToolCall) and action.tool.python is not None:
            hint = "if it only looks something up, say `read_only: true` where it is declared"
        declared.report(caching_problems.cannot_be_cached((place / "cache").key, why, hint))
        return None
    definition = {key: do[key] for key in ABOUT_ACTION if key in do}
    if "require" in data:
        definition["require"] = data["require"]
    return Cached(seconds, definition)


def why_each_time(kind: str, action: Action | None) -> str:
    """Return why an action has to be performed each time; nothing if it need not be."""
    if STEP_KINDS[kind].never_cached:
        return STEP_KINDS[kind].never_cached
    if isinstance(action, HttpCall):
        return why_request_changes(action.request)
    if isinstance(action, CommandCall):
        return "" if action.command.read_only else "a command may change something"
    if isinstance(action, ToolCall):
        tool = action.tool
        if tool.request is not None:
            return why_request_changes(tool.request)
        return "" if tool.read_only else f"tool `{tool.name}` may change something"
    return ""


def why_request_changes(request: HttpRequest) -> str:
    """Return why a request has to be made each time."""
    method = request.method.upper()
    return "" if method in ONLY_READS else f"a `{method}` request may change something"
