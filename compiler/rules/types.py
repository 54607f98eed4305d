"""Problems with types: what they are called, and how they are put together."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import correct_name, replace_text
from wfc.compiler.rules.phrases import listed, those_there
from wfc.compiler.rules.spelling import is_one_slip

__all__ = [
    "fields_in_a_map",
    "infinite_type",
    "not_a_type",
    "of_is_missing",
    "optional_twice",
    "two_types_at_once",
    "type_of_itself",
    "type_too_deep",
    "type_unfinished",
    "unknown_type",
    "words_after_type",
]

FORMS = "write a name, `list of T`, `map of T`, `optional T`, `{enum: [a, b]}` or `{field: T}`"


TYPES_FIRST = frozenset({"boolean", "datetime", "decimal", "duration", "integer", "number", "string"})
"""Types that stand first where the name of a field belongs, as in other languages."""


DECLARE = "declare it under `types`"
MOST_BUILT_IN = 20
BYTES = frozenset({"binary", "blob", "bytes"})
"""Words for what is no text, in other languages."""


VALUES = {
    "duration": re.compile(r"\d+ ?(ms|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?|weeks?)"),
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
    "datetime": re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*"),
    "integer": re.compile(r"-?\d+"),
    "decimal": re.compile(r"-?\d+\.\d+"),
    "boolean": re.compile(r"true|false"),
    "format: uri": re.compile(r"https?://[^\s${}]+"),
}
"""What values look like that are given where a type belongs, by the type that each has."""


UNITS = {
    "day": "`date` for a day of the calendar",
    **{
        each: f"`integer` for a number of {each}" for each in ("days", "hours", "minutes", "seconds", "weeks")
    },
}
"""What else may be meant by a unit of time where a type belongs."""


LONGEST = 60

OF_VALUES = frozenset({("config",), ("state",)})
"""Sections whose fields may have a value from the beginning."""


@problem
def unknown_type(
    place: Place, name: str, known: Iterable[str], meant: str = "", built_in: Sequence[str] = ()
) -> Finding:
    """A type is mentioned that is neither built in nor declared.

    Every value has a type, so that mistakes are found before anything runs. Built in are `string`, `integer`, `number`,
    `decimal`, `boolean`, `date`, `datetime`, `duration`, `any`, and the records `Message`, `Passage` and `File`; your
    own are declared under `types`, and every event is a type too. Most often the name is misspelt, or is what another
    language calls it.
    """
    # Args: known: The author's own, or all that can stand here. built_in: Those that every spec has.
    names = [*built_in, *known]
    is_word = name.isidentifier() and not name.isupper()
    is_small = name.islower() and name.isascii()  # so that it can be none of the author's own
    likely = "" if meant else closest(name, names)
    either = bool(likely) and is_word and not is_small and not is_one_slip(name, names)
    if said := instead_of_type(place, name, is_like=bool(closest(name, names))):
        hint, meant, names = said, "", []
    elif meant or likely:
        hint = f"write `{meant}`" if meant else f"{likely} if not, {DECLARE}" if either else likely
    elif is_word and is_small:
        hint = f"built in are {listed(built_in, MOST_BUILT_IN)}" if built_in else those_there(names)
        if place.address[:1] in OF_VALUES and len(place.address) == 2:
            hint += f"; a value is given as the `default` of a type: {type_of_value(name)}"
    else:
        hint = DECLARE if is_word else ""
    if not hint and place.address[:1] in OF_VALUES:
        hint = f"a value is given as the `default` of a type: {type_of_value(name)}"
    return Finding(
        "unknown-type",
        f"there is no type `{name}`",
        place,
        hint,
        fix=meant_type(place, name, meant) if meant else correct_name(place, name, names, by_hand=either),
        about=(name,),
    )


def instead_of_type(place: Place, name: str, *, is_like: bool) -> str:
    """Return what is meant by a word that stands where a type belongs, and is no slip for one; often empty.

    Args:
        is_like: Whether it is like the name of a type.
    """
    *above, key = place.address or ("",)
    if above[:1] == ["config"] and len(above) == 2 and key == "env":
        variable = f"WFC_{above[1]}".upper()
        return f"`{above[1]}` is read from `{variable}` by itself: give it a type, such as `string`"
    if name == "object" and key == "type":
        return "leave it out: the fields stand directly under what has them"
    if name.lower() in BYTES:
        return "write `File` for a file, or `string` for a text"
    if name in UNITS:
        return f"write {UNITS[name]}, or `duration` for a length of time"
    if key in TYPES_FIRST and name.islower() and not is_like:
        return f"a field's name stands before its type: `{name}: {key}`"
    return ""


def type_of_value(text: str) -> str:
    """Return how a value is declared that stands where its type belongs."""
    word = next((word for word, form in VALUES.items() if form.fullmatch(text)), "string")
    default = text if len(text) <= LONGEST else "…"
    if word == "format: uri":
        return f"`{{type: string, format: uri, default: {default}}}`"
    quoted = json.dumps(default, ensure_ascii=False)
    as_text = f"`{{type: string, default: {quoted}}}`"
    if word == "string":
        return as_text
    typed = f"`{{type: {word}, default: {quoted if word in {'datetime', 'decimal'} else default}}}`"
    return f"{typed}, or {as_text} if it is a text" if word in {"boolean", "decimal", "integer"} else typed


def meant_type(place: Place, name: str, meant: str) -> Fix | None:
    """The type that is meant; one with braces has no form that fits everywhere, and what holds what is not known."""
    if "{" in meant:
        return None
    return replace_text(place, meant, old=name, applicability="display" if "…" in meant else "safe")


@problem
def fields_in_a_map(place: Place, name: str, word: str, section: str, fields: Sequence[str]) -> Finding:
    """The fields of an event or a type stand in a map of their own.

    An event's fields stand directly under its name: `Told: {text: string}`. `Told: {fields: {text: string}}` is an
    event with one field, whose name is `fields`. Leave that map out; if there really is such a field, give it a value.
    """
    kind = "an event" if section == "events" else "a type"
    shown = ", ".join(f"{each}: …" for each in fields[:3]) + (", …" if len(fields) > 3 else "")
    return Finding(
        "fields-in-a-map",
        f"the fields of `{name}` stand one level too deep, under `{word}`",
        place,
        f"the fields of {kind} stand directly under its name: `{name}: {{{shown}}}`",
    )


@problem
def not_a_type(place: Place, value: object) -> Finding:
    """Something stands where a type is wanted, and it is not one.

    A type is a text such as `string` or `list of Order`, or a record of fields, or one of the longer
    forms (`{type: string, default: x}`, `{enum: [a, b]}`, `{one_of: [A, B]}`). A number, a list or
    nothing at all is not a type.
    """
    found = {dict: "a record", list: "a list", type(None): "nothing", str: "an empty text"}.get(
        type(value), f"`{str(value)[:30]}`"
    )
    return Finding("not-a-type", f"a type is wanted here, and this is {found}", place, FORMS)


@problem
def type_unfinished(place: Place, word: str) -> Finding:
    """A type stops in the middle.

    `list of`, `map of` and `optional` say something about the type that follows them, and none follows.
    Write what the list or the map holds, or what may be missing: `list of string`.
    """
    return Finding("type-unfinished", f"a type is wanted after `{word}`", place, "for example `string`")


@problem
def of_is_missing(place: Place, word: str) -> Finding:
    """`list` or `map` is not followed by `of`.

    A list says what it holds: `list of string`. So does a map, whose keys are always texts: `map of
    integer`.
    """
    return Finding(
        "of-is-missing",
        f"`{word}` says what it holds with `of`",
        place,
        f"write `{word} of …`",
        fix=replace_text(place, f"{word} of"),
    )


@problem
def optional_twice(place: Place) -> Finding:
    """`optional` is written twice in a row.

    A value that may be missing may be missing; saying it twice adds nothing, and perhaps something else
    was meant (`optional list of optional string` is a list that may be missing, of texts that may be
    missing). Remove one.
    """
    return Finding(
        "optional-twice",
        "`optional` stands here twice in a row",
        place,
        "remove one of them",
        fix=replace_text(
            place.stretch((place.start or 1) - 1, place.end or 0),
            "",
            applicability="safe",
            title="remove one",
        ),
    )


@problem
def words_after_type(place: Place, word: str, whole: str) -> Finding:
    """A type is complete, and more words follow it.

    A type is one name, with `list of`, `map of` or `optional` before it. A choice between types is
    written `{one_of: [A, B]}`; a choice between values `{enum: [a, b]}`.
    """
    if keyed := re.search(r"\b(map of) \w+ *(?:to|and|->|=>) *([\w ]+)$", whole):
        hint = f"the keys of a map are always texts, and are not said: write `{keyed[1]} {keyed[2]}`"
        return Finding("words-after-type", f"the type ends with `{word}`, and more follows", place, hint)
    is_value = VALUES["duration"].fullmatch(whole)
    hint = f"a value is given as the `default` of a type: {type_of_value(whole)}" if is_value else FORMS
    return Finding("words-after-type", f"the type ends with `{word}`, and more follows", place, hint)


@problem
def type_too_deep(place: Place, limit: int) -> Finding:
    """Types are written in types in types, too deep to follow.

    Give the inner records names, under `types`, and mention them by name. It reads better, and what is
    made of them gets the names that you choose.
    """
    return Finding(
        "type-too-deep", f"types are nested deeper than {limit} levels here", place, "name the inner ones"
    )


@problem
def two_types_at_once(place: Place, first: str, second: str, type: str = "") -> Finding:
    """The long form of a type says twice what the type is.

    One of `type`, `enum` and `one_of` says it; the other keys add a default, a description or bounds.
    Keep the one that you mean.
    """
    # Args: type: What stands under `type`.
    wrapper = type.rpartition(" ")[0]
    hint = "keep one"
    if (first, second) == ("type", "enum"):
        hint = (
            f"declare the `enum` under `types`, and write `{wrapper} NAME` here"
            if wrapper
            else ("leave out `type`: the values say what it is")
        )
    return Finding(
        "two-types-at-once",
        f"`{first}` already says what the type is, and `{second}` says it again",
        place,
        hint,
    )


@problem
def infinite_type(place: Place, name: str, path: Sequence[str]) -> Finding:
    """A type contains itself without an end, so that no value of it can be written down.

    A record that needs another record of its own type needs one more inside that, and so on. Make the field
    `optional`, or a list, which may be empty.
    """
    return Finding(
        "infinite-type",
        f"a value of `{name}` would have to contain itself without an end",
        place,
        f"{' → '.join(path)}: make `{path[1] if len(path) > 1 else name}` optional, or a list, or name another type",
    )


@problem
def type_of_itself(place: Place, name: str) -> Finding:
    """A type that is no record is made of itself.

    `Names: list of Names` never gets to the point of saying what is in the list. A record may have a
    field of its own type (`Folder: {name: string, folders: list of Folder}`), because it says what else
    there is.
    """
    return Finding(
        "type-of-itself",
        f"the type `{name}` is made of itself",
        place,
        f"write a record with fields, such as `{name}: {{items: list of {name}}}`",
    )
