"""``-i name=value`` and ``--input FILE`` → the start event; ``--deliver EVENT=JSON`` → events from outside."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from wfc.compiler.cli.files import load_whole
from wfc.compiler.problems import closest

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from wfc.runtime import Event, StartEvent, Workflow

__all__ = ["from_outside", "given", "start_event"]


def given(pairs: Sequence[str], file: str | None, event: type[StartEvent]) -> dict[str, Any]:
    """The inputs of a command line as plain data; a pair counts more than the file.

    Raises:
        click.UsageError: A pair is not `name=value`, names no input, or cannot be of its type; the file
            holds no JSON object.
    """
    values = from_file(file) if file is not None else {}
    fields = {info.alias or name: info for name, info in event.model_fields.items()}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"`-i {pair}` is not `name=value`")
        if name not in fields:
            hint = closest(name, fields) or f"it takes {listed(fields)}"
            raise click.UsageError(f"`{event.__name__}` has no field `{name}`; {hint}")
        values[name] = parse(name, text, fields[name])
    return values


def from_file(file: str) -> dict[str, Any]:
    where = "standard input" if file == "-" else f"`{file}`"
    raw = sys.stdin.buffer.read() if file == "-" else load_whole(file)
    try:
        values = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{where} is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise click.UsageError(f"{where} is not a JSON object with the inputs by name")
    return values


def parse(name: str, text: str, field: FieldInfo) -> Any:
    """A value as its field's type reads it: the text itself where that fits, else what it says as JSON."""
    from pydantic import TypeAdapter, ValidationError

    try:
        from_json = json.loads(text)
    except (ValueError, RecursionError):
        from_json = text
    candidates = [from_json, text] if field.annotation is Any else [text, from_json]
    annotation: Any = field.annotation
    adapter = TypeAdapter(annotation)
    problem = ""
    for candidate in candidates:
        try:
            adapter.validate_json(json.dumps(candidate), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = "".join(f"{each}: " for each in [".".join(map(str, first["loc"]))] if each)
            problem = f"{where}{first['msg'][:1].lower()}{first['msg'][1:]}"
        else:
            return candidate
    if from_json is text and ("array" in problem or "object" in problem or "dictionary" in problem):
        problem += """; lists and records are written as JSON, such as '["a", "b"]'"""
    raise click.UsageError(f"`-i {name}={text}`: {problem}")


def start_event(event: type[StartEvent], values: Mapping[str, Any]) -> StartEvent:
    """The start event with these values.

    Raises:
        click.UsageError: A required one is missing, or one does not fit.
    """
    from pydantic import ValidationError

    try:
        return event.model_validate_json(json.dumps(values), strict=True)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, each['loc'])) or event.__name__}: {each['msg'][:1].lower()}{each['msg'][1:]}"
            for each in error.errors(include_url=False)
        ]
        fields = [info.alias or name for name, info in event.model_fields.items()]
        takes = f"`{event.__name__}` takes {listed(fields)}" if fields else f"`{event.__name__}` takes none"
        give = f"; give each with `-i {fields[0]}=…`, or all with `--input FILE`" if fields else ""
        raise click.UsageError(f"the inputs do not fit: {'; '.join(problems)}\n{takes}{give}") from None


def from_outside(pairs: Sequence[str], workflow: type[Workflow]) -> list[Event]:
    """The events of ``--deliver EVENT=JSON``.

    Raises:
        click.UsageError: A pair is not of that form, the workflow does not receive that event, or it does not fit.
    """
    from pydantic import ValidationError

    from wfc.runtime.events import event_name

    kinds = {event_name(kind): kind for kind in workflow.table().received}
    found: list[Event] = []
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if name not in kinds:
            takes = f"it receives {listed(kinds)}" if kinds else "it receives nothing"
            raise click.UsageError(f"the workflow does not receive `{name}`; {closest(name, kinds) or takes}")
        try:
            found.append(kinds[name].model_validate_json(text if equals else "{}", strict=True))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = "".join(f"{each}: " for each in [".".join(map(str, first["loc"]))] if each)
            raise click.UsageError(
                f"`--deliver {name}=…`: {where}{first['msg'][:1].lower()}{first['msg'][1:]}"
            ) from None
    return found


def listed(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(f"`{name}`" for name in names)
