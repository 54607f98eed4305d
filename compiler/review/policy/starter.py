"""The policy to start with."""

from __future__ import annotations

from pathlib import Path

__all__ = ["starter_text"]


def starter_text() -> str:
    """Return the text of the policy to start with."""
    return Path(__file__).with_name("starter.yaml").read_text(encoding="utf-8")
