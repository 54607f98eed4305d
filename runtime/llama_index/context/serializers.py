"""``workflows.context.serializers``: how the values of a snapshot are written."""

from __future__ import annotations

from wfc.runtime.values.serializers import BaseSerializer, JsonSerializer, PickleSerializer

__all__ = ["BaseSerializer", "JsonSerializer", "PickleSerializer"]
