"""Descriptions, in an author's words, of a spec's data and places."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Address
from wfc.compiler.schema.keywords import has_type
from wfc.compiler.schema.listed_maps import fields_of_list, map_for_list, record_for_list
from wfc.compiler.schema.nested_joins import FORMS, for_join_as_whole
from wfc.compiler.schema.scalars import LONGEST, TEXT, for_number, for_scalar, instead_fix, short
from wfc.compiler.types.long_form import can_be_type, enum_of_text
from wfc.compiler.types.stray_quotes import about_stray_quote

__all__ = [
    "EXPRESSIONS",
    "NEVER_MISSING",
    "for_trigger",
    "found",
    "instead_fix",
    "instead_hint",
    "named",
    "owner",
    "wanted",
]

WORDS: Final = {
    "object": "a map",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "`true` or `false`",
}
YES: Final = frozenset({"yes", "on", "y"})
NO: Final = frozenset({"no", "off", "n"})
MOST_NAMES: Final = 9
"""Lists of so many names are not written out in a hint."""
ASSIGNED: Final = r"(?:state\.)?(?P<name>\w+) *:?= *(?P<words>[^=].{0,60})"
EXPRESSIONS: Final = ("a condition", "an expression")
"""How the titles of expressions begin."""

ALLOWED: Final = frozenset({"accept", "allow", "approve", "approved", "continue", "ok", "true"})
REFUSED: Final = frozenset({"decline", "deny", "denied", "false", "refuse", "reject", "rejected"})
OF_TRIGGERS: Final = frozenset({"auth", "body", "missed", "with", "zone"})
SCHEDULE: Final = re.compile(r"(?:[-\d*/,]+ +){2}(?:[-\w*/,]+ *){3}")
"""What the five fields of a schedule look like."""
OF_TEST: Final = frozenset({"expect", "mock"})
"""Keys of which a test mostly has one."""
OF_EXPECT: Final = frozenset({"end", "fails", "paused", "with"})
"""Keys of which what a test expects has one."""


def found(value: Any) -> str:
    """Return a description of a value."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, (int, float)):
        return f"the number `{short(repr(value))}`"
    if isinstance(value, str):
        return f"the text `{short(value)}`" if value else "an empty text"
    if isinstance(value, dict):
        return "a map" if value else "an empty map"
    return "a list" if value else "an empty list"


def wanted(title: str, types: Sequence[str]) -> str:
    """Return a description of what a place expects, from the schema's title or else from its types."""
    if title:
        return title
    words = [WORDS[each] for each in types]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def named(address: Address) -> str:
    """Return a value's name: its key, or its number in a list."""
    if not address:
        return "a spec"
    last = address[-1]
    if isinstance(last, str):
        return f"`{short(last)}`"
    above = next((step for step in reversed(address) if isinstance(step, str)), "")
    return f"item {last + 1} of `{short(above)}`"


def owner(address: Address, schema: Mapping[str, Any], *, short: bool = False) -> str:
    """Return a map's name as the subject of a sentence (``short``) or as the owner of a key."""
    title: str = schema.get("title", "")
    if not address or (not short and "kind" in schema.get("properties", {})):
        return title or "a spec"
    return f"an entry of {named(address[:-1])}" if isinstance(address[-1], int) else named(address)


def instead_hint(value: Any, types: Sequence[str], title: str, key: str) -> str:
    """Return what to write instead of a value of the wrong type; empty if there is no suggestion."""
    texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
    is_record = key == "output" or title.startswith("a record: fields")
    if is_record and isinstance(value, list) and value and not (texts and can_be_type(value[0])):
        record = record_for_list(value, is_type=title.startswith("a type,") or key == "form")
        if record:
            return record
    if title.startswith("a type,") and texts and value:
        shown = short(", ".join(value))
        if len(value) > 1:
            return f"write `{{enum: [{shown}]}}`"
        return f"write `list of {shown}`" if can_be_type(shown) and not shown.isupper() else ""
    if title.startswith("a condition") and texts and value:
        each = [f"({part})" if " or " in part else part for part in value]
        whole = " and ".join(each)
        return (
            f"write one condition: `{whole}`" if len(whole) <= 3 * LONGEST else "put them together with `and`"
        )
    if key in FORMS and isinstance(value, dict) and (within := for_join_as_whole(value, key)) is not None:
        return within
    if key == "enum" and title == "a list of values" and isinstance(value, str):
        return enum_of_text(value)
    if given := reshaped(value, title, key) or in_a_map(value, title):
        return given
    if value is None:
        return for_nothing(types, title, key)
    if isinstance(value, str):
        assigned = re.fullmatch(ASSIGNED, value) if key == "save" else None
        if assigned is not None:
            name, words = assigned.group("name", "words")
            return f'write `{{{name}: "${{{{ {words} }}}}"}}`'
        if title == "a list of answers":
            return f"write `[{decided(value)}]`"
        return "write `{end: …}`" if key == "expect" else for_text(value, types)
    if isinstance(value, list) and title.startswith("a type,") and key != "default":
        return list_for_type(value)
    if isinstance(value, list) and value and title.startswith("a map from"):
        return map_for_list(value, key)
    if "string" in types and isinstance(value, (bool, int, float)):
        return for_scalar(value, title, key)
    if "string" in types and isinstance(value, (dict, list)) and "object" not in types:
        if title.startswith(EXPRESSIONS) and isinstance(value, list):
            return "put the whole expression in quotes, for YAML reads brackets and braces as its own"
        is_text = title.startswith(TEXT) and isinstance(value, dict) and is_flat(value) and not key.isdigit()
        return "put it in quotes if it is meant as a text" if is_text else ""
    return ""


def list_for_type(value: Sequence[Any]) -> str:
    """Return how a type is written in whose place a list of values stands; empty if they are of several sorts."""
    if not value:
        return "a list that is empty at first is `{type: list of …, default: []}`"
    sorts = {each.__class__ for each in value}
    word = {bool: "boolean", int: "integer", float: "number"}.get(sorts.pop(), "")
    if sorts or not word:
        return ""
    shown = short(", ".join(str(each).lower() for each in value))
    return f"a list with these values is `{{type: list of {word}, default: [{shown}]}}`"


def is_flat(value: Mapping[str, Any]) -> bool:
    """Return whether a map may be a text between braces that has lost its quotes."""
    return len(value) == 1 and None in value.values()


NEVER_MISSING: Final = frozenset(
    {"accepts", "emit", "end", "event", "events", "in", "kind", "start", "steps", "wfc", "workflow"}
)
"""Keys that each spec or each step must have."""


def for_nothing(types: Sequence[str], title: str, key: str) -> str:
    """Return what to write where nothing stands."""
    if list(types) == ["object"]:
        below = "indent below it what belongs to it"
        return below if key in NEVER_MISSING else f"write `{{}}` for none, or {below}"
    if key.isdigit():  # an item of a list
        none = "write `nothing` if nothing is to be sent, or " if "`nothing`" in title else ""
        return f"{none or 'write a value after the `- `, or '}remove the item"
    if "`nothing`" in title and key in NEVER_MISSING:
        return "write `nothing` if nothing is to be sent, or a value"
    if key == "name" and title.startswith(TEXT):  # that of a test
        return "write a value after the colon; a text that YAML reads as nothing, such as `null`, stands in quotes"
    if title.startswith("a type,"):
        return "write a type after the colon, such as `string` or `optional string`, or remove the key"
    if key in NEVER_MISSING:
        return "write a value after the colon"
    return "write a value after the colon, or remove the key"


def reshaped(value: Any, title: str, key: str) -> str:
    """Return names and fields rewritten from another kind of collection; empty if that is not possible."""
    names = [str(each) for each in value][:4] if isinstance(value, (dict, list)) else []
    flat = bool(names) and all(isinstance(each, str) for each in value)
    if title == "the name of an event":
        return event_in(value, names, key) if flat or isinstance(value, dict) else ""
    if title.startswith("an event's fields"):
        return fields_in(value, names)
    if title.startswith("a map from steps to numbers") and flat:
        return f"write `{{{', '.join(f'{each}: 1' for each in names)}}}`"
    if key == "end" and any(each[:1].islower() for each in names):
        return ""
    says_more = isinstance(value, dict) and any(
        isinstance(each, (dict, list)) and each for each in value.values()
    )
    if isinstance(value, dict) and names and (title.startswith("a list of names") or key == "end"):
        if says_more:  # a list of the names alone would not say it
            return variables(value) if key == "secrets" else ""
        more = "; each has the name of the environment's variable that holds it" if key == "secrets" else ""
        return f"write `[{', '.join(names)}]`{more}"
    if isinstance(value, dict) and names and title.startswith("a list of"):
        if title == "a list of texts":
            return ""
        if all(not each for each in value.values()):
            return f"write `[{', '.join(names)}]`"
        by_name = all(isinstance(each, dict) for each in value.values()) and not OF_TEST & value.keys()
        if title.startswith("a list of tests") and by_name:
            return f"write a list instead of a map: `- name: {names[0]}`, with the rest of it below"
        if len(names) == 1 and isinstance(value[names[0]], list) and title.startswith("a list of tests"):
            return f"the list stands directly under `tests`, and here it stands under `{names[0]}`"
        return "begin it with `- `: it is one entry of a list"
    if (
        isinstance(value, list)
        and len(value) == 1
        and isinstance(value[0], dict)
        and key == "expect"
        and OF_EXPECT & value[0].keys()
    ):
        keys = ", ".join(f"{each}: …" for each in names_of(value[0]))
        return f"write a map instead of a list: `expect: {{{keys}}}`"
    return ""


def variables(secrets: Mapping[str, Any]) -> str:
    """Return how secrets are written that say where they come from, as in `{key: {env: MODEL_KEY}}`."""
    names = [each.get("env", "…") if isinstance(each, dict) else "…" for each in secrets.values()]
    listed = ", ".join(str(each) for each in names[:4])
    return f"list the names of the environment's variables, by which they are used too: `[{listed}]`"


def event_in(value: Any, names: Sequence[str], key: str) -> str:
    """Return the event that a map, or a list of one name, says in the place of a name; empty if there is none."""
    if isinstance(value, list):
        return f"write `{names[0]}`" if len(value) == 1 else ""
    if {"in", "as"} <= value.keys():
        return "what is sent for each item of a list stands under `each`: `each: {in: …, as: …, event: …, max: …}`"
    event = value.get("event", names[0]) if names else ""
    if not isinstance(event, str) or not event or event[0].islower():
        return ""
    beside = ", and its fields under `with`" if key == "end" and value.get(event) else ""
    return f"write `{event}`{beside}"


def fields_in(value: Any, names: Sequence[str]) -> str:
    """Return the fields of an event that a text, a list or a list of maps may mean; empty if that is not clear."""
    if isinstance(value, str):
        if value[:1].isupper():
            extended = f"the fields of another event are taken over by `{{extends: {value}}}`"
            return extended if value.isidentifier() else ""
        fields = [value] if value.isidentifier() else []
    elif names and all(isinstance(each, dict) for each in value):
        return fields_of_list(value)
    else:
        fields = [*names] if names and all(isinstance(each, str) for each in value) else []
    if not fields or any(can_be_type(each) for each in fields):
        return ""  # what is meant may be a type, and no field is named
    return f"write `{{{', '.join(f'{each}: string' for each in fields)}}}`, each field with its type"


def for_trigger(value: Any, address: Sequence[str | int]) -> str:
    """Return how a trigger is written whose name is missing, or of which only the value is given; often empty."""
    if len(address) != 2 or address[0] != "triggers" or not isinstance(value, str):
        return ""
    if address[1] in {"cron", "topic", "webhook"}:
        return f"a trigger has a name: `triggers: {{NAME: {{{address[1]}: …}}}}`"
    if address[1] in OF_TRIGGERS:
        return "it is a key of a trigger, which has a name: `triggers: {NAME: {…}}`"
    return f'write `{{cron: "{short(value)}"}}`' if SCHEDULE.fullmatch(value) else ""


def names_of(value: Mapping[str, Any]) -> list[str]:
    """Return the first keys of a map."""
    return [str(each) for each in value][:4]


def in_a_map(value: Any, title: str) -> str:
    """Return how a number, a text or a list of names is written that stands where a map of it is wanted."""
    if title.startswith("one event per item") and isinstance(value, str):
        listed, event = ("…", value) if value[:1].isupper() and value.isidentifier() else (short(value), "…")
        return f"write `each: {{in: {listed}, as: …, event: {event}, max: …}}`"
    if title == "how much is kept" and isinstance(value, int) and not isinstance(value, bool):
        return f"write `{{messages: {value}}}`"
    if title == "a reply of a model" and isinstance(value, str):
        return f"write `{{say: {short(value)}}}`" if value.isidentifier() else "write `{say: …}`"
    if title.startswith("a length of time") and isinstance(value, dict):
        given = next(
            (
                value[key]
                for key in ("within", "after", "every", "timeout")
                if isinstance(value.get(key), str)
            ),
            "",
        )
        return f"write the time alone: `{short(given)}`" if given else ""
    if title == "an MCP server" and isinstance(value, str) and value.strip():
        if "://" in value:
            return f"write `{{url: {short(value)}}}`"
        return f"write `{{command: [{short(', '.join(value.split()))}]}}`"
    if title == "how a call is allowed" and value is True:
        return "write `{within: …}`, with how long a person has for an answer"
    if title.startswith("what a person says to a call") and isinstance(value, str):
        return f"write `{decided(value)}`"
    names = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    are_names = bool(names) and all(isinstance(each, str) and each.isidentifier() for each in names)
    if title.startswith("a map from events to") and are_names and len(names) < MOST_NAMES:
        return f"write `{{{', '.join(f'{each}: {{}}' for each in names)}}}`"
    return ""


def decided(word: str) -> str:
    """Return what a person says to a call, in a test, who allows it or does not."""
    if word.lower() in YES | ALLOWED:
        return "{decision: continue}"
    return "{decision: refuse}" if word.lower() in NO | REFUSED else "{decision: …}"


def for_text(value: str, types: Sequence[str]) -> str:
    if "boolean" in types and value.lower() in YES | NO:
        return f"write `{'true' if value.lower() in YES else 'false'}`"
    alone = value.strip("[] ")  # of whose brackets one may be there
    if "array" in types and alone and len(value) <= LONGEST and "," not in value:
        return f"write `[{alone}]`"
    if number := for_number(value.strip(), types):
        return number
    return about_stray_quote(value, lambda each: has_type(each, types))
