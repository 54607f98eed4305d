"""Beside the file that declares its tools."""

from __future__ import annotations

from collections.abc import Mapping


def stock() -> dict[str, dict[str, str]]:
    return {"atlas": {"kind": "book", "shelf": "shelf 1"}}


def find(
    name: str, kind: str, stock: Mapping[str, Mapping[str, str]]
) -> dict[str, object] | None:
    found = stock.get(name)
    if found is None or found["kind"] != kind:
        return None
    return {"name": name, "kind": kind, "shelf": {"name": found["shelf"]}}
