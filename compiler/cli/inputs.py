"""Parsing of ``-i name=value`` and ``--input FILE`` into the start event, and of ``--deliver EVENT=JSON``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

import click

from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.rules import closest
from wfc.compiler.workspace.sources import MAX_OTHER_BYTES, load_other, quoted_path
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.values.strict_json import NotPlainError, parsed

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from wfc.runtime import Event, StartEvent, Workflow

__all__ = ["from_outside", "given", "start_event"]

LONGEST = 200
"""How much of what was given is repeated in a message."""


def given(pairs: Sequence[str], file: str | None, event: type[StartEvent]) -> dict[str, Any]:
    """Return the inputs of a command line as plain data; a pair takes precedence over the file.

    Raises:
        click.UsageError: A pair is not `name=value`, names no input, or cannot be of its type; the file
            holds no JSON object.
    """
    values = from_file(file) if file is not None else {}
    fields = by_name_outside(event)
    begun: set[str] = set()  # lists of files
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise click.UsageError(f"`-i {shown(pair)}` is not `name=value`")
        if name not in fields:
            hint = closest(name, fields) or f"it takes {listed(fields)}"
            raise click.UsageError(f"`{event.__name__}` has no field `{shown(name)}`; {hint}")
        if not (text.startswith("@") and (is_file(fields[name]) or holds_files(fields[name]))):
            values[name] = parse(name, text, fields[name])
        elif is_file(fields[name]):
            values[name] = of_file(name, text[1:])
        else:
            values[name] = [*(values[name] if name in begun else ()), of_file(name, text[1:])]
            begun.add(name)
    return values


def is_file(field: FieldInfo) -> bool:
    """Return whether a field holds a file, or may hold one."""
    from wfc.runtime.records import File

    return File in alternatives(field)


def holds_files(field: FieldInfo) -> bool:
    """Return whether a field holds a list of files, or may hold one."""
    from wfc.runtime.records import File

    return any(get_origin(each) is list and File in get_args(each) for each in alternatives(field))


def alternatives(field: FieldInfo) -> tuple[object, ...]:
    """Return the type of a field, or those of which it may have one."""
    annotation = field.annotation
    return get_args(annotation) if get_origin(annotation) in {Union, UnionType} else (annotation,)


def of_file(name: str, path: str) -> dict[str, Any]:
    """Return the file at a path as the data of a ``File``; its media type is that of its suffix.

    Raises:
        click.UsageError: It is too large, or its name is none that a ``File`` may have.
    """
    from mimetypes import MimeTypes

    from pydantic import ValidationError

    from wfc.runtime.records import MOST_FILE_BYTES, File
    from wfc.runtime.values.outputs import said

    data = load_other(path)
    # by what every Python knows, and not by what this machine does
    kind, packed = MimeTypes().guess_type(f"a{os.path.splitext(path)[1]}")
    media_type = "application/octet-stream" if packed or kind is None else kind
    try:
        return File.of(data, name=os.path.basename(path), media_type=media_type).model_dump(mode="json")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        why = (
            f"it has {len(data):,} bytes, and a `File` holds {MOST_FILE_BYTES:,} at most"
            if "content" in first["loc"]
            else said(first)
        )
        raise click.UsageError(f"`-i {name}=@{shown(path)}`: {printable(why)}") from None


def by_name_outside(event: type[Event]) -> dict[str, FieldInfo]:
    """Return the fields of an event by the names that they have in data outside."""
    from wfc.runtime.values.outside_names import outside_name

    return {outside_name(name, info): info for name, info in event.model_fields.items()}


def from_file(file: str) -> dict[str, Any]:
    where = "standard input" if file == "-" else quoted_path(file)
    raw = sys.stdin.buffer.read(MAX_OTHER_BYTES + 1) if file == "-" else load_other(file)
    if len(raw) > MAX_OTHER_BYTES:
        raise click.UsageError(f"{where} is larger than {MAX_OTHER_BYTES // 2**20} MB")
    try:
        values = parsed(raw)
    except ValueError as error:
        raise click.UsageError(f"{where} is not JSON: {printable(str(error))}") from None
    if not isinstance(values, dict):
        raise click.UsageError(f"{where} is not a JSON object with the inputs by name")
    return values


def parse(name: str, text: str, field: FieldInfo) -> Any:
    """Return a value as its field's type reads it: the text itself if that fits, else parsed as JSON."""
    from pydantic import TypeAdapter, ValidationError

    from wfc.runtime.values.outputs import said

    problem = ""
    from_json: Any = text
    try:
        from_json = parsed(text)
    except NotPlainError as error:
        problem = str(error)
    except ValueError:
        pass  # then it is a text
    candidates = [from_json, text] if field.annotation is Any else [text, from_json]
    if problem:
        candidates = [] if field.annotation is Any else [text]
    annotation: Any = field.rebuild_annotation()
    adapter = TypeAdapter(annotation)
    refused = problem
    for candidate in candidates:
        try:
            adapter.validate_json(json.dumps(candidate), strict=True, by_alias=True, by_name=False)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = "".join(f"{each}: " for each in [".".join(map(str, first["loc"]))] if each)
            problem = refused or f"{where}{said(first)}"
        else:
            return candidate
    if (
        not refused
        and from_json is text
        and ("array" in problem or "object" in problem or "dictionary" in problem)
    ):
        problem += """; lists and records are written as JSON, such as '["a", "b"]'"""
    if not refused and from_json is text and is_file(field):
        problem = f"a file is given by its path behind an `@`: `-i {name}=@{shown(text)}`"
    if not refused and from_json is text and holds_files(field):
        problem = (
            f"files are given one by one, each by its path behind an `@`: `-i {name}=@a.csv -i {name}=@b.csv`"
        )
    raise click.UsageError(f"`-i {name}={shown(text)}`: {printable(problem)}")


def start_event(
    event: type[StartEvent], values: Mapping[str, Any], of_test: Mapping[str, Any] | None = None
) -> StartEvent:
    """Return the start event with these values.

    Args:
        values: By the names that fields have in data outside.
        of_test: Those of the spec's test that answers for the actions, by the names in the spec; where both give
            one, that of the command line counts.

    Raises:
        click.UsageError: A required one is missing, or one does not fit.
    """
    from pydantic import ValidationError

    from wfc.runtime.values.outputs import said
    from wfc.runtime.values.outside_names import outside_name, own_name

    try:
        if of_test is None:
            return event.model_validate_json(json.dumps(values), strict=True, by_alias=True, by_name=False)
        own = {outside_name(name, info): own_name(name, info) for name, info in event.model_fields.items()}
        both = {**of_test, **{own.get(name, name): value for name, value in values.items()}}
        return event.model_validate_json(json.dumps(both), strict=True)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, each['loc'])) or event.__name__}: {said(each)}"
            for each in error.errors(include_url=False)
        ]
        fields = list(by_name_outside(event))
        takes = f"`{event.__name__}` takes {listed(fields)}" if fields else f"`{event.__name__}` takes none"
        give = f"; give each with `-i {fields[0]}=…`, or all with `--input FILE`" if fields else ""
        told = printable("; ".join(problems))
        raise click.UsageError(f"the inputs do not fit: {told}\n{takes}{give}") from None


def from_outside(pairs: Sequence[str], workflow: type[Workflow]) -> list[Event]:
    """Return the events of ``--deliver EVENT=JSON``.

    Raises:
        click.UsageError: A pair is not of that form, the workflow does not receive that event, or it does not fit.
    """
    from pydantic import ValidationError

    from wfc.runtime.events import event_name
    from wfc.runtime.values.outputs import said

    kinds = {event_name(kind): kind for kind in definition_of(workflow).plan.received}
    found: list[Event] = []
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if name not in kinds:
            takes = f"it receives {listed(kinds)}" if kinds else "it receives nothing"
            hint = closest(name, kinds) or takes
            raise click.UsageError(f"the workflow does not receive `{shown(name)}`; {hint}")
        try:
            fields = json.dumps(parsed(text if equals else "{}"))
            kind = kinds[name]
            found.append(kind.model_validate_json(fields, strict=True, by_alias=True, by_name=False))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = "".join(f"{each}: " for each in [".".join(map(str, first["loc"]))] if each)
            told = printable(f"{where}{said(first)}")
            raise click.UsageError(f"`--deliver {name}=…`: {told}") from None
        except ValueError as error:
            raise click.UsageError(f"`--deliver {name}=…`: invalid JSON: {printable(str(error))}") from None
    return found


def shown(text: str) -> str:
    """Return a given text as messages show it."""
    return printable(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


def listed(names: Sequence[str] | Mapping[str, object]) -> str:
    return ", ".join(f"`{name}`" for name in names)
