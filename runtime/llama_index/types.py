"""``workflows.types``: types of the results of runs."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

from wfc.runtime.events import StopEvent

__all__ = ["RunResultT", "StopEventT"]

StopEventT = TypeVar("StopEventT", bound=StopEvent)

RunResultT: TypeAlias = Any
"""What awaiting a run gives: the end event, or what a plain ``StopEvent`` carries."""
