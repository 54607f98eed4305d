"""The published schema of specs: what an editor shows and checks while one is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["EDITOR_LINE", "load", "path"]

EDITOR_LINE: Final = "# yaml-language-server: $schema={}"
"""The first line of a spec, by which editors find the schema; ``{}`` is its path or address."""


def path() -> Path:
    """The file of the schema."""
    from pathlib import Path  # slow, and settings are read without it

    return Path(__file__).parent / "workflow.schema.json"


def load() -> dict[str, Any]:
    """The schema, of draft 2020-12, as plain data; a new copy each time."""
    import json

    schema: dict[str, Any] = json.loads(path().read_text(encoding="utf-8"))
    return schema
