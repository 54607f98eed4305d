"""The published schemas of specs and policies: what an editor shows and checks while one is written."""

from __future__ import annotations

from typing import Any

__all__ = ["load"]


def load(of: str = "workflow") -> dict[str, Any]:
    """Return a schema, of draft 2020-12, as plain data; a new copy each time."""
    import json
    from pathlib import Path  # slow, and settings are read without it

    path = Path(__file__).parent / f"{of}.schema.json"
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema
