"""What is told of a missing key: what it is for, and where it may have gone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Address
from wfc.compiler.schema.advice import meaning

__all__ = ["of_entry_above", "told_of_missing"]

Schema = Mapping[str, Any]
OF_ENTRY: Final = frozenset({"save", "when", "with"})
"""Keys of an entry of `emit` that say nothing alone."""
DELIVERS: Final = frozenset({"to", "to_key", "topic", "with"})
"""Keys of a step of kind `send` that say to whom it delivers what."""
BOUNDS: Final = ("within", "until")
OF_STEP: Final = frozenset({"accepts", "emit"})
"""Keys that a map has which is a step, whatever it is called."""
ONLY_EMITS: Final = "a step that only emits is a `transform`"
IN_TEXT: Final = re.compile(r"^[ \t]*(?:- +)?([a-z_]+):(?: |$)", re.MULTILINE)
"""A line of a text that begins like a key."""
FOLDED: Final = re.compile(r" (emit|on_limit|on_timeout|output|within): (?:[{\[\"']|[A-Z]\w*\n|\w+\n)")
"""The same where lines are folded into one, at the end of it."""


def told_of_missing(
    keys: Sequence[str],
    address: Address,
    value: Mapping[str, Any],
    schema: Schema,
    definitions: Mapping[str, Schema],
) -> str:
    """Return the hint for keys that a map cannot do without; empty if there is nothing to say of them."""
    if len(address) == 2 and address[0] == "steps":
        if keys[0] == "kind" and (told := no_step(str(address[1]), value, definitions)):
            return told
        if keys[0] == "event" and value.get("kind") == "send" and DELIVERS.isdisjoint(value):
            return f"`send` delivers an `event` to other runs; {ONLY_EMITS}"
    told = meaning(schema, keys[0], definitions) if len(keys) == 1 else ""
    notes = list(swallowed(keys, value))
    if len(address) == 2 and address[0] == "steps" and "kind" in value and is_bare(value, definitions):
        notes.append(ONLY_EMITS)
    if list(keys) == ["on_timeout"]:
        notes += of_waiting(value, schema)
    return "; ".join(each for each in (told, *notes) if each)


def is_bare(value: Mapping[str, Any], definitions: Mapping[str, Schema]) -> bool:
    """Return whether a step emits, and has no key that a `transform` has not."""
    return (
        "emit" in value
        and value["kind"] != "transform"
        and value.keys() <= definitions["transform_step"]["properties"].keys()
    )


def of_entry_above(value: object, address: Address) -> str:
    """Return what to do about an item of a list that lacks what it is for, and may belong to the one above it."""
    if not isinstance(value, dict) or not isinstance(address[-1], int) or address[-1] == 0:
        return ""
    if not value.keys() <= OF_ENTRY:
        return ""
    written = "".join(f", {each}: …" for each in value)
    return (
        "if it belongs to the entry above, leave out the `- ` before it; between `[ ]` one entry is written in braces, "
        f"`{{event: …{written}}}`"
    )


def no_step(name: str, value: Mapping[str, Any], definitions: Mapping[str, Schema]) -> str:
    """Return what a map without a kind under `steps` may be instead; empty if it may well be a step."""
    steps = [each["properties"] for key, each in definitions.items() if key.endswith("_step")]
    if any(name in each for each in steps) and OF_STEP.isdisjoint(value):
        return f"under `steps` stand names of steps, and `{name}` is a key of one"
    if value and not any(key in each for key in value for each in steps):
        return f"each step has a `kind`, which says what it does; if `{name}` is an event, it stands under `events`"
    return ""


def swallowed(keys: Sequence[str], value: Mapping[str, Any]) -> Iterator[str]:
    """Generate which of the missing keys begins a line of a text beside them, so is indented as a part of it."""
    for owner, text in value.items():
        for found in IN_TEXT.finditer(text) if isinstance(text, str) and "\n" in text else ():
            if found[1] in keys:
                yield f"a line of the text of `{owner}` begins with `{found[1]}:`; a key begins further left than it"
                return
        folded = FOLDED.search(text) if isinstance(text, str) and text.endswith("\n") else None
        if folded is not None and folded[1] in keys:
            yield f"the text of `{owner}` goes on with `{folded[1]}:`; a key begins further left than such a text"
            return


def of_waiting(value: Mapping[str, Any], schema: Schema) -> Iterator[str]:
    """Generate what else is to be known of a wait that does not say what follows when its time is over."""
    if "timeout" in value:
        yield "the bound of the wait is `within`, and there is no `timeout`"
    bounds = [each for each in BOUNDS if each in schema["properties"]]
    if len(bounds) > 1 and not any(each in value for each in bounds):
        yield "how long to wait is missing too: `within`, such as `within: 3 days`, or `until`"
