"""Fields that have another name in data that goes out or comes in: `id: {type: string, as: "_id"}`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

from wfc.compiler.diagnostics import Edit, Fix, Place, Report
from wfc.compiler.python.literals import is_name, normal_form, snake_case
from wfc.compiler.rules import outside_names as problems
from wfc.compiler.types.long_form import LONG_KEYS, is_long_form
from wfc.compiler.types.shapes import Field

__all__ = ["check_outside_names", "field_with_own_name", "own_name", "read_outside_name"]

MARKED: Final = r"(?P<own>[^\W\d]\w*)(?P<mark>[?!*])"
"""A name with a mark that says elsewhere whether its value may be missing."""
LONGEST_NAME: Final = 200
LONGEST_VALUE: Final = 200
PLAIN: Final = r"(?a)[A-Za-z](?:[\w ]*\w)?"
NOT_TEXT: Final = frozenset({"true", "false", "null"})


def read_outside_name(data: Mapping[str, object], place: Place, report: Report) -> str:
    """Return what a field's long form says under `as`; empty if it says nothing or nothing that can be a name."""
    name = data.get("as")
    if not isinstance(name, str):
        return ""
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        report(problems.bad_outside_name(place / "as", LONGEST_NAME))
        return ""
    return name


def check_outside_names(fields: Iterable[Field], before: Iterable[Field], report: Report) -> None:
    """Report the fields of a record that have the name of an earlier one in data outside.

    Nor may one have the name there that another has in the spec: whoever reads the data would take it for that one.

    Args:
        fields: The fields to look at.
        before: Fields of the record that have been looked at already.
    """
    seen: dict[str, Field] = {}
    for field in before:
        seen[field.name] = seen[field.name_outside] = field
    for field in fields:
        other = seen.get(field.name_outside) or seen.get(field.name)
        if other is not None:
            one, first = (field, other) if field.foreign else (other, field)
            report(
                problems.same_name_in_data(Place(one.address) / "as", one.foreign, Place(first.address).key)
            )
        seen[field.name] = seen[field.name_outside] = field


def own_name(fields: Mapping[str, Field], name: str) -> str:
    """Return the own name of the field that is called so outside; empty if there is none."""
    return next((field.name for field in fields.values() if field.foreign == name), "")


def field_with_own_name(
    name: str, data: object, place: Place, others: Iterable[object], *, small: bool
) -> Fix | None:
    """Return the fix that gives a field a name that it may have, and its present one under `as`.

    Args:
        name: The present one, which no field may have.
        data: What is declared of the field.
        others: The names of the record's fields, as they are written.
        small: Whether fields of this record are written `like_this`.
    """
    if (marked := re.fullmatch(MARKED, name)) is not None:
        return without_mark(marked["own"], marked["mark"], data, place, others)
    if name.lower().startswith(("optional ", "required ")):
        return without_mark(
            name.partition(" ")[2], "?" if name.lower()[0] == "o" else "!", data, place, others
        )
    if name.endswith(":") and is_name(name.rstrip(":")) and name.rstrip(":") not in others:
        return Fix(f"write `{name.rstrip(':')}`", (Edit(place.key, name.rstrip(":")),), "safe")
    own = re.sub(r"\W+", "_", normal_form(name)).strip("_")
    own = snake_case(own) if small else own
    own += "_" if own in LONG_KEYS or own == "extends" else ""
    if not is_name(own) or own in others or len(name) > LONGEST_NAME:
        return None
    outside = json.dumps(name, ensure_ascii=False)
    if isinstance(data, dict) and is_long_form(data):
        edit = Edit((place / next(iter(data))).key, f"as: {outside}", how="before")
        if "as" in data:
            return None
    else:
        edit = Edit(place, f"{{type: {in_flow(data)}, as: {outside}}}", how="rewrite")
    shown = f"{own}: {{type: {in_flow(data) if isinstance(data, str) else '…'}, as: {outside}}}"
    if "." in name:  # which may be meant as the way to a field of a record
        return Fix(f"if it is called so outside, write `{shown}`", (Edit(place.key, own), edit), "unsafe")
    return Fix(f"write `{shown}`", (Edit(place.key, own), edit), "safe")


def without_mark(own: str, mark: str, data: object, place: Place, others: Iterable[object]) -> Fix | None:
    """Return the fix for a name with the mark of other languages: `?` for what may be missing, `!` and `*` for what
    may not.
    """
    if own in others:
        return None
    edits, meant = [Edit(place.key, own)], own
    if mark == "?":
        if not isinstance(data, str):
            return None
        meant = f"{own}: {data if data.startswith('optional ') else f'optional {data}'}"
        edits.append(Edit(place, meant.removeprefix(f"{own}: "), how="rewrite"))
    return Fix(f"write `{meant}`", tuple(edits), "unsafe")


def in_flow(value: object) -> str:
    """Return plain data as YAML on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{in_flow(key)}: {in_flow(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(in_flow, value))}]"
    if isinstance(value, str) and re.fullmatch(PLAIN, value) and value.lower() not in NOT_TEXT:
        return value
    return json.dumps(value, ensure_ascii=False)
