"""The sections in which names are declared, by the findings that miss one."""

from __future__ import annotations

from typing import Final

__all__ = ["SECTIONS"]

SECTIONS: Final = {
    "unknown-agent": "agents",
    "unknown-event": "events",
    "unknown-knowledge": "knowledge",
    "unknown-model": "models",
    "unknown-text": "texts",
    "unknown-retry": "retries",
    "unknown-secret": "secrets",
    "unknown-state-field": "state",
    "unknown-step": "steps",
    "unknown-thread": "threads",
    "unknown-tool": "tools",
    "unknown-type": "types",
}
"""Where the name would be declared that a finding misses."""
