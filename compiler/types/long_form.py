"""The long form of a type: its keys, and corrections of misspelt or foreign ones."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

from wfc.compiler.diagnostics import Finding, Place, Report
from wfc.compiler.rules import shape as shape_problems
from wfc.compiler.rules import templates as template_problems
from wfc.compiler.rules import type_keys as type_keys_problems
from wfc.compiler.rules.spelling import nearest

__all__ = [
    "CHOICES",
    "CONSTRAINT_KEYS",
    "LONG_KEYS",
    "check_plain",
    "choices_hint",
    "default_without_type",
    "enum_of_text",
    "is_long_form",
    "mended",
    "misspelt_key",
    "type_of_default",
    "without_key",
]

CONSTRAINT_KEYS: Final = frozenset({"format", "min", "max", "min_length", "max_length", "pattern"})
LONG_KEYS: Final = (
    frozenset({"type", "enum", "one_of", "default", "description", "merge", "as"}) | CONSTRAINT_KEYS
)
CHOICES: Final = "from"
"""The key of the long form that gives the choices of a form's field, as an expression."""
LONG_SYNONYMS: Final[Mapping[str, str]] = {
    "minimum": "min",
    "maximum": "max",
    "minlength": "min_length",
    "maxlength": "max_length",
    "minitems": "min_length",
    "maxitems": "max_length",
    "initial": "default",
    "initialvalue": "default",
    "value": "default",
    "reducer": "merge",
    "regex": "pattern",
    "regexp": "pattern",
    "match": "pattern",
    "matches": "pattern",
    "desc": "description",
    "alias": "as",
    "jsonname": "as",
    "serializedname": "as",
    "values": "enum",
    "choices": "enum",
    "options": "enum",
}
"""What other systems call the keys of the long form."""
FORMS: Final = frozenset({"type", "enum", "one_of"})
WORDS: Final = frozenset(
    {"string", "integer", "number", "decimal", "boolean", "date", "datetime", "duration", "any"}
    | {"str", "int", "float", "double", "bool"}  # which is a wrong type, and no value of anything else
)
LONGEST: Final = 30
OF_DEFAULTS: Final[Mapping[type, str]] = {
    bool: "boolean",
    dict: "map of …",
    float: "number",
    int: "integer",
    list: "list of …",
    str: "string",
}
TYPE: Final = r"\s*(?:(?:optional|list\s+of|map\s+of)\s+)*(\S+)\s*"


def is_long_form(data: Mapping[str, object]) -> bool:
    """Return whether a mapping says more about one type, and is not a record written in place.

    It is if it has `type`, `enum` or `one_of`, and no key that the long form does not know. So a record may
    have a field `type` as long as another field tells it apart. `from` is a key of the long form unless what
    stands there can be the type of a field.
    """
    if FORMS.isdisjoint(data):
        return False
    if isinstance(data.get("enum"), list) or isinstance(data.get("one_of"), list):
        return True
    strange = data.keys() - LONG_KEYS
    return not strange or (strange == {CHOICES} and not can_be_type(data[CHOICES]))


def misspelt_key(data: Mapping[str, object]) -> tuple[str, str] | None:
    """Return the one key of a long form that is misspelt, and what is meant by it.

    Only if something speaks against a record: a value that cannot be a field's type. What is meant is empty where it
    cannot stand beside the others: choices beside a `type`.
    """
    if is_long_form(data):
        return None
    strange = [key for key in data if key not in LONG_KEYS]
    if len(strange) != 1 or all(can_be_type(value) for value in data.values()):
        return None
    written = strange[0].lower().replace("-", "_")
    meant = LONG_SYNONYMS.get(written.replace("_", "")) or nearest(strange[0], LONG_KEYS.difference(data))
    if meant == "enum" and "type" in data:
        return strange[0], ""
    if meant in data:
        meant = None
    if meant is None or FORMS.isdisjoint({*data, meant}):
        return None
    return strange[0], meant


def type_of_default(data: Mapping[str, object]) -> str:
    """Return the type of a default that stands without one; empty for what has a type, or is a record."""
    if not FORMS.isdisjoint(data) or not data.keys() <= LONG_KEYS:
        return ""
    if "default" not in data:
        return type_of_bounds(data)
    default = data["default"]
    if can_be_type(default) and default != {}:
        return ""
    return "optional …" if default is None else OF_DEFAULTS[default.__class__]


def type_of_bounds(data: Mapping[str, object]) -> str:
    """Return the type of a pattern, or of a least or greatest value, that stands without one; else nothing."""
    bounds = [key for key in data if key in CONSTRAINT_KEYS]
    if (
        not bounds
        or len(bounds) < len(data.keys() - {"description"})
        or any(can_be_type(data[key]) for key in bounds)
    ):
        return ""
    kinds = {data[key].__class__ for key in bounds}
    if not {"min", "max"}.isdisjoint(bounds):
        return "integer" if kinds == {int} else "number" if kinds <= {int, float} else ""
    of_text = all(
        isinstance(data[key], int) or not str(data[key]).isidentifier() for key in bounds
    )  # a word may be meant as the type of a field that is called so
    return "string" if of_text and kinds <= {int, str} else ""


def default_without_type(data: Mapping[str, object], place: Place, name: str, word: str) -> Finding:
    """Return the finding for a default, or for what bounds a value, that stands without a type.

    Args:
        word: The type that the default has.
    """
    at = place.key if isinstance(place.address[-1], str) else place
    if "default" not in data:
        said = ", ".join(f"{key}: {json.dumps(each, ensure_ascii=False)}" for key, each in data.items())
        shown = said if len(said) <= 2 * LONGEST else "…"
        hint = f"what bounds a value stands beside its type: `{{type: {word}, {shown}}}`"
        return shape_problems.missing_key(at, name, ["type"], hint)
    default = json.dumps(data["default"], ensure_ascii=False, default=str)
    shown = default if len(default) <= LONGEST else "…"
    hint = f"a default stands beside a type: `{{type: {word}, default: {shown}}}`"
    return shape_problems.missing_key(at, name, ["type"], hint)


def without_key(data: Mapping[str, object], key: str, meant: str) -> dict[str, object]:
    """Return a long form with a misspelt key as it is meant, or without it."""
    renamed = {meant if each == key else each: value for each, value in data.items()}
    return renamed if meant else {each: value for each, value in data.items() if each != key}


def choices_hint(choices: object) -> str:
    """Return how choices are written that stand beside a `type` under another name."""
    if isinstance(choices, list):
        return "choices are a type of their own: write `enum` in place of `type`"
    return "choices that are worked out stand under `from`, in the form of a `human` step; written ones are an `enum`"


def enum_of_text(text: str) -> str:
    """Return what to write instead of a text as the `enum` of a type: its values, a type or a pattern."""
    parts = [each.strip(" \"'") for each in re.split(r"[,|]", text.strip("[]() "))]
    if len(parts) > 1 and all(each.replace("-", "_").isidentifier() for each in parts):
        return f"write each as an item: `[{', '.join(parts)}]`"
    if re.search(r"[\[\](){}*+?^$\\|]", text):
        quoted = json.dumps(text, ensure_ascii=False)
        return f"an `enum` lists its values; a form is said by `{{type: string, pattern: {quoted}}}`"
    if text in WORDS or text.startswith(("list of ", "map of ", "optional ")):
        return f"an `enum` lists its values, such as `[low, high]`; a type stands alone: `{text}`"
    if text[:1].isupper() and text.isidentifier() and not text.isupper():
        return f"write `[{text}]`, or `{text}` alone if that is a type"
    return f"write `[{text}]`" if text and not re.search(r"\s", text.strip()) else ""


def can_be_type(value: object) -> bool:
    if isinstance(value, dict):
        return True
    match = re.fullmatch(TYPE, value) if isinstance(value, str) else None
    return match is not None and (match[1] in WORDS or not match[1][0].isascii() or match[1][0].isupper())


def check_plain(data: object, place: Place, key: str, report: Report, beside: str = "") -> None:
    """Report expressions in what is taken as it is: a `default`, the values of an `enum`, a `description`, `labels`.

    Args:
        beside: The key of a text that may have changed places with it.
    """
    if isinstance(data, str):
        if "${{" in data:
            start = data.index("${{")
            end = data.find("}}", start)
            marked = place.stretch(start, len(data) if end < 0 else end + 2)
            report(template_problems.expression_in_plain_text(marked, key, beside))
    elif isinstance(data, dict):
        for name, each in data.items():
            check_plain(each, place / name, key, report)
    elif isinstance(data, list):
        for index, each in enumerate(data):
            if not isinstance(each, str) or "${{" in each:
                check_plain(each, place / index, key, report)


def mended(data: dict[str, object], place: Place, report: Report) -> dict[str, object]:
    """Return the same long form with a misspelt key corrected, or a missing type, and either reported."""
    if word := type_of_default(data):
        report(default_without_type(data, place, f"`{place.address[-1]}`", word))
        return {"type": word.replace("…", "any"), **data}
    found = misspelt_key(data)
    if found is None:
        return data
    written, meant = found
    known = LONG_KEYS.difference(data, {"merge"}) if meant else ()
    hint = "" if meant else choices_hint(data[written])
    report(type_keys_problems.unknown_type_key((place / written).key, written, sorted(known), meant, hint))
    return without_key(data, written, meant)
