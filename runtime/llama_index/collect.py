"""``workflows.collect``: how many events of a list a step takes at once."""

from __future__ import annotations

from wfc.runtime.plan.collect import Cardinality, Collect, Take
from wfc.runtime.plan.collect import TakeAll as All

__all__ = ["All", "Cardinality", "Collect", "Take"]
