"""The door for ``llama_index.core``'s agents: ``install()`` has them run on this runtime."""

from __future__ import annotations

from wfc.runtime.llama_index.installing import install

__all__ = ["install"]
