"""``workflows.context.context``."""

from __future__ import annotations

from wfc.runtime.driver.context import Context

__all__ = ["Context"]
