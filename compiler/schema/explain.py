"""Explanations, in plain words, of why data does not fit the schema, and removal of what does not fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Place, Report
from wfc.compiler.limits import MAX_FINDINGS, EnoughError, at_most
from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.rules import closest, fixes
from wfc.compiler.rules import comprehensions as comprehension_problems
from wfc.compiler.rules import reading as reading_problems
from wfc.compiler.rules import shape as problems
from wfc.compiler.rules import type_keys as type_keys_problems
from wfc.compiler.rules.spelling import nearest
from wfc.compiler.schema.assignees import for_assignees
from wfc.compiler.schema.choices import CHOOSING, written_otherwise
from wfc.compiler.schema.expansion import schema, validator
from wfc.compiler.schema.former_keys import as_written_today
from wfc.compiler.schema.keys import Keys, mark_broken
from wfc.compiler.schema.keywords import NOT_YET, has_type
from wfc.compiler.schema.kind_words import other_kind
from wfc.compiler.schema.loops import loop_read_as_texts
from wfc.compiler.schema.missing import of_entry_above
from wfc.compiler.schema.nested_joins import for_count, for_nested_join
from wfc.compiler.schema.spec import Spec
from wfc.compiler.schema.validator import OF_MAPS
from wfc.compiler.schema.words import (
    EXPRESSIONS,
    NEVER_MISSING,
    for_trigger,
    found,
    instead_fix,
    instead_hint,
    named,
    owner,
    wanted,
)
from wfc.compiler.types.long_form import (
    LONG_KEYS,
    choices_hint,
    default_without_type,
    misspelt_key,
    type_of_default,
    without_key,
)
from wfc.compiler.yaml import BROKEN, Document

__all__ = ["explain"]

Schema = Mapping[str, Any]

NEEDED: Final = ("start", "end", "events", "steps")
"""Sections without which nothing more can be said about a spec."""

NEVER_LEFT_OUT: Final = NEVER_MISSING | {"all", "any", "each", "form"}
"""Keys that cannot be removed where nothing stands under them."""

OF_ERRORS: Final = frozenset({"errors", "never_on", "retry_on"})
"""Keys that hold a list of names of errors."""
NAMES_IN_SCOPE: Final = frozenset({"config", "event", "events", "inputs", "response", "result", "state"})


class Dropped:
    """The type of `DROPPED`."""


DROPPED: Final = Dropped()  # what is left of a value that is no use at all


def explain(document: Document, report: Report) -> Spec | None:
    """Report what is ill-formed, and return a spec of the rest."""
    explainer = Explainer(document, at_most(report))
    try:
        data = explainer.mend(document.data, schema(), ())
    except EnoughError:
        report(reading_problems.too_many_findings(Place((), "text", 0, 0), MAX_FINDINGS))
        return None
    if not isinstance(data, dict) or any(key not in data for key in NEEDED):
        return None
    data = {"wfc": 1, "workflow": "unnamed", **data}  # if they were wrong, that is reported
    return Spec(document, data, frozenset(explainer.broken))


class Explainer:
    """Walks data and schema side by side, reports what does not fit, and returns what does."""

    def __init__(self, document: Document, report: Report) -> None:
        self.document = document
        self.validator = validator()
        self.definitions = self.validator.definitions
        self.report = report
        self.broken: set[Address] = set()
        self.keys = Keys(document, self.definitions, report, self.broken)
        events = document.data.get("events") if isinstance(document.data, dict) else None
        self.events = frozenset(events if isinstance(events, dict) else ())

    def fits(self, value: Any, schema: Schema) -> bool:
        """Return whether a value fits a condition of the schema."""
        return self.validator.check(schema)(value)

    def is_whole(self, value: Any) -> bool:
        """Return whether nothing in a value could not be read."""
        return self.document.whole or not has_broken(value)

    def drop(self, address: Address) -> Dropped:
        mark_broken(self.broken, address)
        return DROPPED

    def mend(
        self, value: Any, schema: Schema, address: Address, title: str = "", *, is_property: bool = False
    ) -> Any:
        """Return the parts of a value that fit, or ``DROPPED``.

        Args:
            value: Any data.
            schema: The schema that it should fit.
            address: Where it stands.
            title: What the schema that refers to this one calls it.
            is_property: Whether it is the value of a key of the language, and not of one of the author's.
        """
        if value is BROKEN:
            return self.drop(address)
        if schema.get("$comment") == NOT_YET and "const" not in schema:
            return self.not_yet(value, schema, address, is_property)
        title = title or schema.get("title", "")
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            if self.is_whole(value) and self.validator.definition(name)(value):
                return value
            return self.mend(value, self.definitions[name], address, schema.get("title", ""))
        if not self.simple(value, schema, address, title):
            return self.drop(address)
        if address[:1] == ("steps",) and address[-1] in CHOOSING and isinstance(value, (dict, list)):
            choice = written_otherwise(value, Place(address), self.events)
            if choice is not None:
                self.report(choice)
                return self.drop(address)
        if "enum" in schema or "const" in schema:
            return self.one_of(value, schema, address)
        for step in (self.map, self.list, self.alternatives, self.kinds, self.branches):
            value = step(value, schema, address)
            if value is DROPPED:
                return self.drop(address)
        if not self.is_whole(value):
            return self.drop(address)
        return value

    # --- values without parts

    def not_yet(self, value: Any, schema: Schema, address: Address, is_property: bool) -> Dropped:
        place = Place(address)
        if is_property:
            self.report(problems.not_supported_yet(place.key, f"`{address[-1]}`"))
        else:
            what = (
                self.definitions[schema["$ref"].removeprefix("#/$defs/")]["title"]
                if "$ref" in schema
                else "this"
            )
            self.report(problems.not_supported_yet(place, what))
        return self.drop(address)

    def simple(self, value: Any, schema: Schema, address: Address, title: str) -> bool:
        types = schema.get("type")
        if types is not None and not has_type(value, types):
            names = [types] if isinstance(types, str) else types
            if isinstance(value, list) and title.startswith(EXPRESSIONS):
                loop = loop_read_as_texts(value)
                if loop is not None and loop[1] in NAMES_IN_SCOPE:
                    self.report(comprehension_problems.loop_read_as_list(Place(address), loop[0]))
                    return False
            hint = for_nested_join(value, address, self.document.data) or for_count(value, address)
            hint = hint or for_trigger(value, address) or for_assignees(value, address)
            hint = hint or instead_hint(value, names, title, str(address[-1]) if address else "")
            alone = value.strip("[] ") if isinstance(value, str) else ""
            if hint == f"write `[{alone}]`" and (" " in alone or not self.fits([alone], schema)):
                hint = ""  # as a list it would be as wrong
            if value in ("*", "all"):
                hint = "what takes all errors has no `errors`" if address[-1:] == ("errors",) else ""
            place, fix = Place(address), instead_fix(value, names, title, Place(address))
            if isinstance(value, int) and 400 <= value < 600 and address[-2:-1] and address[-2] in OF_ERRORS:
                hint, fix = (
                    f"write `http.{value}`",
                    fixes.replace_text(place, f"http.{value}", old=str(value)),
                )
            self.report(
                problems.wrong_type(place, named(address), wanted(title, names), found(value), hint, fix)
            )
            return False
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            least, most = schema.get("minimum"), schema.get("maximum")
            if (least is not None and value < least) or (most is not None and value > most):
                bound = f"{least} or more" if most is None else f"from {least} to {most}"
                self.report(problems.out_of_range(Place(address), named(address), value, bound))
                return False
        return True

    def one_of(self, value: Any, schema: Schema, address: Address) -> Any:
        known = schema.get("enum", [schema.get("const")])
        if any(value == each and value.__class__ is each.__class__ for each in known):
            if schema.get("$comment") == NOT_YET:
                self.report(problems.not_supported_yet(Place(address), f"`{address[-1]}: {value}`"))
                return self.drop(address)
            return self.branches(value, schema, address)
        texts = [each for each in known if isinstance(each, str)]
        meant = nearest(value, texts) if isinstance(value, str) else None
        if meant and str(value)[:1].lower() != meant[:1].lower():
            meant = None  # a short word that is only a little like one of a few
        whole = self.whole_kinds(address) if address[-1:] == ("kind",) else []
        if meant and whole and meant not in whole:
            meant = None  # the other keys of the step say that another kind is meant
        hint = closest(str(value), [each for each in texts if not whole or each in whole]) if meant else ""
        if isinstance(value, str) and any(value == str(each) for each in known if not isinstance(each, str)):
            hint = f"write `{value}` without quotes"
        if not hint and "{" in (title := schema.get("title", "")):
            hint = f"it can be {title}"  # there is another form beside the words
        place = Place(address)
        if address[-1:] == ("kind",) and isinstance(value, str):
            if not hint and len(whole) == 1:
                hint = (
                    f"write `{whole[0]}`: the step has all that a step of this kind needs, and nothing else"
                )
            hint = hint or other_kind(value, self.document_map(address[:-1]))
            self.report(problems.unknown_kind(place, value, texts, hint, meant or ""))
        else:
            shown = [str(each).lower() if each is None else str(each) for each in known]
            written = value if isinstance(value, str) else ""
            self.report(
                problems.unknown_value(place, named(address), found(value), shown, hint, meant or "", written)
            )
        return meant or self.drop(address)

    def whole_kinds(self, address: Address) -> list[str]:
        """Return the kinds of which a step, as it is written, would be whole."""
        step = set(self.document_keys(address[:-1]))
        found = []
        for kind in STEP_KINDS:
            keys = self.definitions.get(f"{kind}_step", {})
            if (
                step
                and step <= keys.get("properties", {}).keys()
                and step.issuperset(keys.get("required", ()))
            ):
                found.append(kind)
        return found

    # --- maps

    def map(self, value: Any, schema: Schema, address: Address) -> Any:
        if not isinstance(value, dict) or OF_MAPS.isdisjoint(schema):
            return value  # it says nothing of entries, such as one that only chooses between others
        properties: Mapping[str, Schema] = schema.get("properties", {})
        others = schema.get("additionalProperties", {})
        required: Sequence[str] = schema.get("required", ())
        if len(value) < schema.get("minProperties", 0):
            if address not in self.broken:
                needed = bool(address) and address[-1] in NEVER_LEFT_OUT
                self.report(
                    problems.nothing_in_it(Place(address).key, named(address), "entry", needed=needed)
                )
            return DROPPED
        value = as_written_today(value, schema, address, self.document, self.report)
        result: dict[str, Any] = {}
        if "kind" in properties and "kind" in value:
            result["kind"] = self.mend(
                value["kind"], properties["kind"], (*address, "kind"), is_property=True
            )
            if result["kind"] is DROPPED:
                return DROPPED  # nobody knows what its other keys should be
        names = (
            self.keys.closed(value, schema, address)
            if others is False
            else self.keys.open(value, schema, address)
        )
        lost = any(key not in names.values() for key in required)
        lost = lost or (
            others is False and len(names) < len(value)
        )  # who knows what a strange key would change
        if address == ("steps",):
            self.keys.take_out_misplaced(value, names)
            if value and not names:
                return DROPPED  # all that there was is reported; where there was nothing, the schema says so
        for key, name in names.items():
            if name in result:
                continue
            known = name in properties
            fine = self.mend(
                value[key], properties[name] if known else others, (*address, name), is_property=known
            )
            if fine is not DROPPED:
                result[name] = fine
            elif name in required:
                lost = True
        lost = lost or len(result) < schema.get("minProperties", 0)
        return DROPPED if lost and address else result

    # --- lists and choices

    def list(self, value: Any, schema: Schema, address: Address) -> Any:
        if not isinstance(value, list):
            return value
        if len(value) < schema.get("minItems", 0):
            needed = bool(address) and address[-1] in NEVER_LEFT_OUT
            self.report(problems.nothing_in_it(Place(address), named(address), "item", needed=needed))
            return DROPPED
        if "items" not in schema:
            return value
        fine = [self.mend(each, schema["items"], (*address, index)) for index, each in enumerate(value)]
        return DROPPED if DROPPED in fine else fine  # addresses count the items, so none can be left out

    def alternatives(self, value: Any, schema: Schema, address: Address) -> Any:
        """Check an ``anyOf`` as the schema uses it: one of several keys must be present."""
        if "anyOf" not in schema or any(self.fits(value, each) for each in schema["anyOf"]):
            return value
        keys = [each["required"][0] for each in schema["anyOf"]]
        if not any((*address, key) in self.broken for key in self.document_keys(address)):
            place = Place(address)
            place = place.key if address and isinstance(address[-1], str) else place
            self.report(
                problems.missing_key(
                    place,
                    owner(address, schema, short=True),
                    keys,
                    of_entry_above(value, address),
                    one_of=True,
                )
            )
        return DROPPED

    def document_map(self, address: Address) -> Mapping[str, Any]:
        data: Any = self.document.data
        for step in address:
            try:
                data = data[step]
            except (KeyError, IndexError, TypeError):
                return {}
        return data if isinstance(data, dict) else {}

    def document_keys(self, address: Address) -> Sequence[str]:
        return tuple(self.document_map(address))

    def kinds(self, value: Any, schema: Schema, address: Address) -> Any:
        for choice in schema.get("allOf", ()):
            if self.fits(value, choice["if"]):
                value = self.mend(value, choice["then"], address)
                if value is DROPPED:
                    break
        return value

    def branches(self, value: Any, schema: Schema, address: Address) -> Any:
        if "if" not in schema:
            return value
        if isinstance(value, dict) and schema["then"].get("$ref", "").startswith("#/$defs/long_"):
            kept = self.definitions["long_type"]
            value = as_written_today(value, kept, address, self.document, self.report)
            value = self.with_type(self.without_slip(value, address), address)
        if self.fits(value, schema["if"]):
            return self.mend(value, schema.get("then", {}), address)
        mended = self.mend(value, schema.get("else", {}), address)
        if mended is not DROPPED and self.fits(mended, schema["if"]):
            return self.mend(mended, schema.get("then", {}), address)  # a misspelt key had hidden what it is
        return mended

    def with_type(self, value: dict[str, Any], address: Address) -> dict[str, Any]:
        """Report a default without a type, and return what it stands in with the type that the default has."""
        word = type_of_default(value)
        if not word:
            return value
        self.report(default_without_type(value, Place(address), named(address), word))
        return {"type": word.replace("…", "any"), **value}

    def without_slip(self, value: dict[str, Any], address: Address) -> dict[str, Any]:
        """Report a misspelt key of a type, and return the type with the correct key."""
        found = misspelt_key(value)
        if found is None:
            return value
        written, meant = found
        known = LONG_KEYS.difference(value, {"merge"}) if meant else ()
        place = Place((*address, written), "key")
        hint = "" if meant else choices_hint(value[written])
        self.report(type_keys_problems.unknown_type_key(place, written, sorted(known), meant, hint))
        if meant:
            self.document.rename((*address, written), meant)
        return without_key(value, written, meant)


def has_broken(value: Any) -> bool:
    level = [value]
    while level:
        if any(each is BROKEN for each in level):
            return True
        level = [
            inner
            for each in level
            if isinstance(each, (dict, list))
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return False
