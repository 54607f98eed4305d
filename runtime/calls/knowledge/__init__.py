"""Collections of texts that steps search by words: files → passages → an index → what fits a question."""

from __future__ import annotations

from wfc.runtime.calls.knowledge.definition import Knowledge

__all__ = ["Knowledge"]
