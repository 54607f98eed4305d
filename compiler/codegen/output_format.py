"""The number of the output format."""

from __future__ import annotations

__all__ = ["OUTPUT_FORMAT"]

OUTPUT_FORMAT = 1
"""Raised whenever generated code needs a newer runtime than before."""
