"""``workflows.handler``: a run that is under way, or over."""

from __future__ import annotations

from wfc.runtime.driver.handler import WorkflowHandler

__all__ = ["WorkflowHandler"]
