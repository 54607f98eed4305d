"""Matching of a map's keys with those of the language; keys that do not match are reported."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Place, Report
from wfc.compiler.rules import closest
from wfc.compiler.rules import comprehensions as comprehension_problems
from wfc.compiler.rules import reading as reading_problems
from wfc.compiler.rules import shape as problems
from wfc.compiler.rules.fixes import replace_text
from wfc.compiler.rules.spelling import apart, nearest
from wfc.compiler.schema.advice import (
    NOT_FIELDS,
    OF_CANCELLED,
    WITHIN_TEXTS,
    advice,
    idle_keys,
    is_either,
    is_entry_of_emit,
    kind_of,
    version_for_language,
)
from wfc.compiler.schema.at_declarations import for_key_at_declaration
from wfc.compiler.schema.at_items import for_key_in_action
from wfc.compiler.schema.at_joins import for_key_in_join
from wfc.compiler.schema.at_steps import OF_TOOL, for_key_at_step, said_by_tool
from wfc.compiler.schema.at_the_top import of_section
from wfc.compiler.schema.beside import can_stand_beside
from wfc.compiler.schema.contents import is_entry, is_path, looks_like_steps
from wfc.compiler.schema.keywords import has_type
from wfc.compiler.schema.maps import list_made_by
from wfc.compiler.schema.missing import told_of_missing
from wfc.compiler.schema.step_conditions import for_condition, is_condition
from wfc.compiler.schema.synonyms import holds_expressions, is_other_word, kind_key, other_key, section
from wfc.compiler.schema.words import owner
from wfc.compiler.yaml import Document

__all__ = ["Keys", "mark_broken"]

Schema = Mapping[str, Any]
WAYS: Final = frozenset({"all", "each", "event", "fail", "restart"})
"""The keys of entries of `emit` of which each has one."""
WORDS_OF_KEY: Final = 3
"""How many words a key may have that somebody took for one."""
CANCELLED: Final = frozenset({"cancelled", "canceled"})


def mark_broken(broken: set[Address], address: Address) -> None:
    """Add an address and all the addresses above it to the broken ones."""
    while address and address not in broken:
        broken.add(address)
        address = address[:-1]


def of_one_way(key: str, schema: Schema) -> str:
    """Return what an entry of `emit` is called that has another way to leave than a key; empty if it is none.

    An entry may have either of them, so that to say that the key is none of `emit` would be wrong.
    """
    way = schema.get("required", ())
    is_entry = len(way) == 1 and way[0] in WAYS and "when" in schema["properties"]
    return f"an entry with `{way[0]}`" if is_entry and key in WAYS else ""


class Keys:
    """Compares the keys of maps with those of the schema, and reports unknown and missing ones.

    Args:
        broken: Receives the addresses that are reported.
    """

    def __init__(
        self, document: Document, definitions: Mapping[str, Schema], report: Report, broken: set[Address]
    ) -> None:
        self.document = document
        self.definitions = definitions
        self.report = report
        self.broken = broken
        steps = (each for name, each in definitions.items() if name.endswith("_step"))
        self.all_keys = frozenset(key for each in definitions.values() for key in each.get("properties", ()))
        self.step_keys = frozenset(key for each in steps for key in each["properties"])

    def take_out_misplaced(self, steps: dict[str, Any], names: dict[str, str]) -> None:
        """Report the keys of steps that stand beside the steps, and skip them and their steps."""
        if isinstance(steps.get("kind"), str) and "accepts" in steps:
            names_above = list(takewhile(lambda key: key not in self.step_keys, steps))
            above = names_above[-1] if names_above and steps[names_above[-1]] is None else None
            message = "`kind` is a key of a step, and stands where the names of steps do"
            hint = "write the step's name above its keys, and indent them below it"
            if slipped := self.slipped_name():
                hint += f"; `{slipped[1]}` stands empty under `{slipped[0]}`"
            if above is not None:
                hint = f"indent the keys of `{above}` below it"
                names.pop(above, None)
                mark_broken(self.broken, ("steps", above))
            self.report(problems.misplaced_key(Place(("steps", "kind"), "key"), message, hint))
            for key in self.step_keys & steps.keys():
                names.pop(key, None)
                mark_broken(self.broken, ("steps", key))
            return
        owner = ""
        for key, content in steps.items():
            about = steps.get(owner)
            is_step = isinstance(content, dict) and (
                not {"kind", "accepts"}.isdisjoint(content)
                or ("emit" in content and not (isinstance(about, dict) and "emit" not in about))
            )
            strange = key in self.step_keys and not is_step
            if not strange or not isinstance(about, dict) or key in about:
                owner = key
                continue
            place = Place(("steps", key), "key")
            message = f"`{key}` stands beside the steps, and seems to belong to `{owner}`"
            hint, begins = f"indent it as far as the other keys of `{owner}`", Place(("steps", owner), "key")
            self.report(problems.misplaced_key(place, message, hint, (begins, f"`{owner}` begins here")))
            for each in (owner, key):
                names.pop(each, None)
                mark_broken(self.broken, ("steps", each))

    def slipped_name(self) -> Address:
        """Return where a name stands above the steps with nothing below it, as none that is declared there."""
        data = self.document.data
        if not isinstance(data, dict):
            return ()
        sections = ((each, data.get(each)) for each in ("events", "state", "tools", "types"))
        found = [
            (section, name)
            for section, entries in sections
            if isinstance(entries, dict)
            for name, content in entries.items()
            if content is None
        ]
        return found[0] if len(found) == 1 else ()

    def open(self, value: dict[str, Any], schema: Schema, address: Address) -> dict[str, str]:
        """Return the same for a map that may have other keys as well, which another schema knows."""
        names = {key: key for key in value}
        missing = [key for key in self.required(schema, address) if key not in value]
        for name in list(missing):
            strange = [key for key in value if key not in self.step_keys]
            written = nearest(name, strange)
            if written is None and name == "kind" and (other := kind_key(value, strange)):
                missing.remove(name)
                self.unknown(other, schema, address, "write `kind`")
                self.broken.add((*address, other))
            if written is not None:
                missing.remove(name)
                names[written] = name
                self.document.rename((*address, written), name)
                self.unknown(written, schema, address, f"did you mean `{name}`?", name, [name])
        if missing:
            self.missing(schema, missing, address, value)
        return names

    def closed(self, value: dict[str, Any], schema: Schema, address: Address) -> dict[str, str]:
        """Return the valid keys, each with the intended one; report the others and what is missing."""
        properties: Mapping[str, Schema] = schema["properties"]
        names = {key: key for key in value if key in properties}
        if properties.keys() == {"use"} and value and self.is_another_map(value, address):
            return names
        absent = [key for key in properties if key not in names]
        other_version = None if address else version_for_language(value)
        if other_version is not None:
            names.pop("version")
            self.report(other_version)
        strange = []
        for key, content in value.items():
            if key in properties or self.lacks_colon(key, content, absent, address):
                continue
            meant = near = nearest(key, absent)
            hint = closest(key, absent)
            if meant is not None and (is_other_word(key, meant) or is_either(key, properties)):
                meant = None
            named_otherwise = not address and "steps" in absent and looks_like_steps(content)
            if (
                meant is None
                and not address
                and not named_otherwise
                and (other := section(key, content, absent))
            ):
                absent.remove(other)  # what is in it has another system's form, and is not looked at
                self.unknown(
                    key, schema, address, *of_section(key, other, self.document.text), [other, *absent]
                )
                self.broken |= {(key,), (other,)}
                continue
            if near is not None and not self.may_be_meant(key, near, value, properties):
                meant = near = None
            if (
                near not in {None, "event"}
                and {"event", "when"} <= properties.keys()
                and "event" in absent
                and self.is_event(content)
                and apart(key, str(meant)) != 0
            ):
                meant, hint = "event", "write `event`"
            if named_otherwise and meant != "steps":
                meant = None  # the section of that name is not meant
            if meant is None:
                strange.append(key)
                continue
            names[key] = meant
            absent.remove(meant)
            self.document.rename((*address, key), meant)
            self.unknown(key, schema, address, hint, meant, [meant, *absent])
        missing = [key for key in self.required(schema, address) if key not in names.values()]
        if other_version is not None:
            missing.remove("wfc")
        self.report_strange(strange, value, schema, address, missing, absent)
        return {key: names[key] for key in value if key in names}

    def report_strange(
        self,
        strange: Sequence[str],
        value: dict[str, Any],
        schema: Schema,
        address: Address,
        missing: Sequence[str],
        absent: Sequence[str],
    ) -> None:
        """Report the keys that mean nothing at their place; or, if there are none, those that are missing there."""
        for key in strange:
            hint = self.advice(key, value, schema, missing, absent)
            if not address and "steps" in missing and looks_like_steps(value[key]):
                hint = "write `steps`"
            self.unknown(key, schema, address, hint)
            self.broken.add((*address, key))
        if missing and not strange:
            self.missing(schema, missing, address, value)

    def may_be_meant(
        self, key: str, meant: str, value: dict[str, Any], properties: Mapping[str, Schema]
    ) -> bool:
        """Return whether a key may be a slip for one that is like it, by its value and by what stands beside it."""
        content = value[key]
        return (
            self.could_be(content, properties[meant], apart(key, meant) in {0, 1})
            and not is_entry_of_emit(value, properties)
            and not said_by_tool(key, value, self.document.data)
            and not self.is_of_other_kinds(key, meant)
            and not (apart(key, meant) != 1 and meant in idle_keys(kind_of(properties)))
            and not ("accepts" in properties and is_condition(key))
            and not (
                meant == "output" and holds_expressions(content)
            )  # values, as others have them, and no type
        )

    def is_of_other_kinds(self, key: str, meant: str) -> bool:
        """Return whether a key is one of other things, and more than a slip away from what it is like.

        An `on_timeout` is no `timeout` with letters too many: it says where to go.
        """
        return (
            key in self.all_keys
            and apart(key, meant) not in {0, 1}
            and key != f"{meant[:-1]}ies"  # as `retries` is taken for `retry`
        )

    def is_another_map(self, value: dict[str, Any], address: Address) -> bool:
        """Report a map where a text or `{use: NAME}` belongs, and return whether it is none that uses a text."""
        values = {key for key, each in value.items() if is_path(each) or "${{" in str(each)}
        named = [key for key in value if key not in values]
        if any(nearest(key, ["use"]) or other_key(key, ["use"], value[key]) for key in named):
            return False
        hint = WITHIN_TEXTS if values and address[-1] == "show" else ""  # a `prompt` may be meant as messages
        if any(" " in key.strip() for key in value):
            hint = f"a text of several lines, or with a colon in it, begins with a bar: `{address[-1]}: |`"
        wanted = "a text, or `{use: NAME}` for one from `texts`"
        name = f"`{address[-1]}`"
        self.report(problems.wrong_type(Place(address), name, wanted, "a map", hint))
        mark_broken(self.broken, address)
        return True

    def advice(
        self,
        key: str,
        value: dict[str, Any],
        schema: Schema,
        missing: Sequence[str],
        absent: Sequence[str],
    ) -> str:
        """Return what to do about a key of a map that none like it is meant for."""
        properties = schema["properties"]
        if key.lower() in properties and key.lower() in value:
            return f"`{key.lower()}` stands there already: keep one of them"
        if len(key.split()) > WORDS_OF_KEY and "{" not in key:
            return "a text stands behind its key; one of several lines below a `|`, indented further than the key"
        if "with" in properties and self.is_field(key, value.get("event")):
            return NOT_FIELDS
        if "emit" in missing and is_entry(value[key]):
            return "write `emit`"
        if "accepts" in properties and "emit" in properties and (said := self.of_step(key, value)):
            return f"{said}; and `accepts` is missing here" if "accepts" in missing else said
        if said := for_key_in_action(key, properties, self.definitions):
            return said
        for said_at in (for_key_in_join, for_key_at_declaration):
            if said := said_at(key, value[key], value, properties):
                return said
        data = self.document.data
        tools = data.get("tools") if isinstance(data, dict) else None
        absent = can_stand_beside(kind_of(properties), value, absent, tools)
        hint = advice(key, value[key], schema, missing, absent, self.definitions)
        other_word = other_key(key, absent, value[key])
        exchanged = hint == NOT_FIELDS and not other_word and not self.is_of_an_end(key)
        # the two have changed places, or it was meant to be said elsewhere
        if key in CANCELLED and {"end", "ran"} <= properties.keys():
            return OF_CANCELLED
        return "" if exchanged or is_entry_of_emit(value, properties) else hint

    def of_step(self, key: str, step: Mapping[str, Any]) -> str:
        """Return what does at a step what a key or a condition does elsewhere; often empty."""
        start = self.document.data.get("start") if isinstance(self.document.data, dict) else None
        if said_by_tool(key, step, self.document.data):
            return OF_TOOL
        return for_condition(key, step[key], step, start) or for_key_at_step(key, step[key], step)

    def is_event(self, content: Any) -> bool:
        """Return whether a value is the name of an event, as no condition is."""
        events = self.document.data.get("events") if isinstance(self.document.data, dict) else None
        return isinstance(content, str) and isinstance(events, dict) and content in events

    def is_field(self, key: str, name: object) -> bool:
        """Return whether an event of this name has a field of that one."""
        events = self.document.data.get("events") if isinstance(self.document.data, dict) else None
        fields = events.get(name) if isinstance(events, dict) and isinstance(name, str) else None
        return isinstance(fields, dict) and key in fields

    def is_of_an_end(self, key: str) -> bool:
        """Return whether an event that ends a run has a field of this name, or may have it."""
        data = self.document.data
        events, ends = (data.get("events"), data.get("end")) if isinstance(data, dict) else (None, None)
        names = ends if isinstance(ends, list) else [ends]
        fields = (
            [events.get(each) for each in names if isinstance(each, str)] if isinstance(events, dict) else []
        )
        return not all(
            isinstance(each, dict) and key not in each and "extends" not in each for each in fields
        )

    def lacks_colon(self, key: str, content: Any, absent: Sequence[str], address: Address) -> bool:
        """Report a key that goes on with its value, as in `form {note: string}`, and return whether it does."""
        found = re.match(r"(\w+)( +)[{\[]", key)
        whole = found is not None and isinstance(content, str) and content.endswith(("}", "]"))
        if found is None or not whole or found[1] not in absent:
            return False
        self.broken |= {(*address, key), (*address, found[1])}
        start, _ = self.document.stretch(Place((*address, key), "key"))
        _, end = self.document.stretch(Place((*address, key)))
        value = self.document.text[start + found.end(2) : end]
        hint = f"write `{found[1]}: {value if len(value) <= 40 and value.isprintable() else '…'}`"
        gap = Place((), "text", *(start + each for each in found.span(2)))
        fix = replace_text(gap, ": ", title=hint)
        place = Place((), "text", start, end)
        what = "a colon and a space are missing after this key"
        self.report(reading_problems.syntax_error(place, what, hint, fix))
        return True

    def could_be(self, content: Any, schema: Schema, is_near: bool) -> bool:
        """Return whether a value is of the sort that a key holds; if not, a similar key is hardly meant.

        Args:
            is_near: Whether the key is one letter away, so that its entries may have mistakes of their own.
        """
        schema = self.followed(schema)
        types, entries = schema.get("type"), schema.get("additionalProperties")
        if types is None or not has_type(content, types):
            return types is None
        if is_near or not isinstance(content, dict) or not isinstance(entries, dict):
            return True
        types = self.followed(entries).get("type")
        return types is None or all(has_type(each, types) for each in content.values())

    def followed(self, schema: Schema) -> Schema:
        """Return what a schema refers to."""
        while "$ref" in schema:
            schema = self.definitions[schema["$ref"].removeprefix("#/$defs/")]
        return schema

    def required(self, schema: Schema, address: Address) -> list[str]:
        """Return the required keys, without those that are present but broken."""
        return [key for key in schema.get("required", ()) if (*address, key) not in self.broken]

    def unknown(
        self,
        key: str,
        schema: Schema,
        address: Address,
        hint: str,
        meant: str = "",
        known: Sequence[str] = (),
    ) -> None:
        place = Place((*address, key), "key")
        of = of_one_way(key, schema) or owner(address, schema)
        self.report(problems.unknown_key(place, key, of, hint, meant, known))

    def missing(
        self, schema: Schema, keys: Sequence[str], address: Address, value: Mapping[str, Any]
    ) -> None:
        place = Place(address)
        if address and isinstance(address[-1], str):
            place = place.key
        if keys[0] == "do" and "give" in schema["properties"]:
            self.report(comprehension_problems.map_without_action(place, list_made_by(value)))
            return
        told = told_of_missing(keys, address, value, schema, self.definitions)
        self.report(problems.missing_key(place, owner(address, schema, short=True), keys, told))
