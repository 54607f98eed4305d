"""Output of a run's end event: readable on a terminal, else one line of JSON, or a single field."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.json_text import one_line
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.rules import closest

if TYPE_CHECKING:
    from wfc.runtime import StopEvent

__all__ = ["as_fields", "as_json", "field_as_text", "refuse_unknown_field"]

MARGIN = "  "


def refuse_unknown_field(name: str, ends: Iterable[type[StopEvent]]) -> None:
    """Refuse the name of a field that no end event has.

    Raises:
        click.UsageError: No end event has such a field.
    """
    from wfc.runtime.values.outside_names import outside_name

    fields: dict[str, None] = {}
    for end in ends:
        if end.model_config.get("extra") == "allow":
            return  # it holds whatever its step puts into it
        fields.update(dict.fromkeys(outside_name(each, info) for each, info in end.model_fields.items()))
    if name in fields:
        return
    known = ", ".join(f"`{each}`" for each in fields) or "none"
    hint = closest(name, fields) or f"there is {known}"
    raise click.UsageError(f"`--show {printable(name[:100])}`: no end event has this field; {hint}")


def as_json(name: str, values: dict[str, Any]) -> str:
    """Return an end event as one line of JSON, for other programs."""
    return one_line({"event": name, "with": values}, sys.stdout.encoding)


def as_fields(name: str, values: dict[str, Any]) -> str:
    """Return an end event in readable form: its name, and a line or a block for each field."""
    return "\n".join([printable(name), *(line for each in values.items() for line in field_lines(*each))])


def field_lines(name: str, value: Any) -> list[str]:
    if isinstance(value, str) and "\n" in value.strip("\n"):
        lines = value.strip("\n").split("\n")
    elif isinstance(value, str):
        return [f"{MARGIN}{printable(name)}: {printable(value)}"]
    elif isinstance(value, dict | list) and value:
        lines = json.dumps(value, ensure_ascii=False, indent=2).split("\n")
    else:
        return [f"{MARGIN}{printable(name)}: {json.dumps(value)}"]
    return [f"{MARGIN}{printable(name)}:", *(f"{MARGIN * 2}{printable(line)}".rstrip() for line in lines)]


def field_as_text(name: str, values: dict[str, Any]) -> str | None:
    """Return one field: text unchanged, anything else as JSON; ``None`` if the end event does not have it."""
    if name not in values:
        return None
    value = values[name]
    return value if isinstance(value, str) else one_line(value, sys.stdout.encoding)
