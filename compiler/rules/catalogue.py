"""All rooms' problems at once, for those who want the whole catalogue."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

__all__ = ["load"]


def load() -> None:
    """Import every module of problems, which enters them into ``PROBLEMS``."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem not in {"__init__", "catalogue"}:
            import_module(f"wfc.compiler.rules.{path.stem}")
