"""How large a spec may be; here, so that who asks need not load what reads it."""

from __future__ import annotations

from typing import Final

__all__ = ["MAX_BYTES"]

MAX_BYTES: Final = 4 * 2**20
"""How large a spec's file may be: 4 MB."""
