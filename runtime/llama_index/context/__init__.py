"""``workflows.context``: what a step knows of its run, and how snapshots are written."""

from __future__ import annotations

from wfc.runtime.driver.context import Context
from wfc.runtime.llama_index.context.serializers import BaseSerializer, JsonSerializer, PickleSerializer

__all__ = ["BaseSerializer", "Context", "JsonSerializer", "PickleSerializer"]
