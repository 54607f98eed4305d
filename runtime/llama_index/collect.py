"""``workflows.collect``: how many events of a list a step takes at once."""

from __future__ import annotations

from wfc.runtime.plan.collect import All, Cardinality, Collect, Take

__all__ = ["All", "Cardinality", "Collect", "Take"]
