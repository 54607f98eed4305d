"""``workflows.context.serializers``: how the values of a snapshot are written."""

from __future__ import annotations

from wfc.runtime.store.serializers import JsonSerializer, PickleSerializer
from wfc.runtime.values.serializers import BaseSerializer

__all__ = ["BaseSerializer", "JsonSerializer", "PickleSerializer"]
