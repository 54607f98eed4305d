"""Problems with types: how they are written, their bounds, and their defaults."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import correct_name, remove_entry, replace_text
from wfc.compiler.rules.spelling import is_one_slip

__all__ = [
    "alternative_twice",
    "bad_bound",
    "bad_enum_value",
    "bad_pattern",
    "bound_does_not_apply",
    "bounds_crossed",
    "default_does_not_fit",
    "empty_enum",
    "enum_value_twice",
    "fields_in_a_map",
    "infinite_type",
    "merge_does_not_fit",
    "not_a_type",
    "of_is_missing",
    "optional_twice",
    "too_few_alternatives",
    "two_types_at_once",
    "type_of_itself",
    "type_too_deep",
    "type_unfinished",
    "unknown_format",
    "unknown_type",
    "unknown_type_key",
    "words_after_type",
]

FORMS = "write a name, `list of T`, `map of T`, `optional T`, `{enum: [a, b]}` or `{field: T}`"


TYPES_FIRST = frozenset({"boolean", "datetime", "decimal", "duration", "integer", "number", "string"})
"""Types that stand first where the name of a field belongs, as in other languages."""
BUILT_IN = (
    "built in are `string`, `integer`, `number`, `decimal`, `boolean`, `date`, `datetime`, `duration`, `any`, "
    "`File`, `Message` and `Passage`"
)
BYTES = frozenset({"binary", "blob", "bytes"})


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


@problem
def unknown_type(place: Place, name: str, known: Iterable[str], meant: str = "") -> Finding:
    """A type is mentioned that is neither built in nor declared.

    Every value has a type, so that mistakes are found before anything runs. Built in are `string`, `integer`, `number`,
    `decimal`, `boolean`, `date`, `datetime`, `duration`, `any`, and the records `Message`, `Passage` and `File`; your
    own are declared under `types`, and every event is a type too. Most often the name is misspelt, or is what another
    language calls it.
    """
    names = list(known)
    declare = "declare it under `types`" if name.isidentifier() and not name.isupper() else ""
    if declare and name.islower() and name.isascii():  # so that it can be none of the author's own
        declare = BUILT_IN
    hint = f"write `{meant}`" if meant else closest(name, names) or declare
    either = (
        hint.startswith("did you mean") and declare not in {"", BUILT_IN} and not is_one_slip(name, names)
    )
    if either:
        hint += f" if not, {declare}"
    if (
        place.address[-1:]
        and place.address[-1] in TYPES_FIRST
        and name.islower()
        and not closest(name, names)
    ):
        meant, names, hint = "", [], f"a field's name stands before its type: `{name}: {place.address[-1]}`"
    if name in UNITS:
        meant, names, hint = "", [], f"write {UNITS[name]}, or `duration` for a length of time"
    if name.lower() in BYTES:
        meant, names, hint = "", [], "write `File` for a file, or `string` for a text"
    if name == "object" and place.address[-1:] == ("type",):
        meant, hint = "", "leave it out: the fields stand directly under what has them"
    if place.address[:1] == ("config",) and place.address[2:] == ("env",) and len(place.address) == 3:
        variable = f"WFC_{place.address[1]}".upper()
        hint = f"`{place.address[1]}` is read from `{variable}` by itself: give it a type, such as `string`"
    if not hint and place.address[:1] in {("config",), ("state",)}:
        hint = f"a value is given as the `default` of a type: {type_of_value(name)}"
    return Finding(
        "unknown-type",
        f"there is no type `{name}`",
        place,
        hint,
        fix=meant_type(place, name, meant) if meant else correct_name(place, name, names, by_hand=either),
        about=(name,),
    )


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
        f"`{word}` is the one field of `{name}`, and its fields are used as those of `{name}`",
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
def two_types_at_once(place: Place, first: str, second: str) -> Finding:
    """The long form of a type says twice what the type is.

    One of `type`, `enum` and `one_of` says it; the other keys add a default, a description or bounds.
    Keep the one that you mean.
    """
    return Finding(
        "two-types-at-once",
        f"`{first}` already says what the type is, and `{second}` says it again",
        place,
        "keep one",
    )


@problem
def unknown_type_key(
    place: Place, name: str, known: Sequence[str], meant: str = "", hint: str = ""
) -> Finding:
    """The long form of a type has a key that it does not know.

    Besides `type`, `enum` or `one_of` it knows `default`, `description`, `format`, `min`, `max`,
    `min_length`, `max_length` and `pattern`. A record whose fields happen to be called so is best declared
    under `types`.
    """
    return Finding(
        "unknown-type-key",
        f"a type has no key `{name}`",
        place,
        hint or closest(name, known) or (f"write `{meant}`" if meant else ""),
        fix=correct_name(place, name, known, meant or None) if not hint else None,
    )


@problem
def empty_enum(place: Place) -> Finding:
    """An `enum` has no values.

    An enumeration lists the values that are allowed, and there is none here, so no value could ever be
    given. List at least one.
    """
    return Finding("empty-enum", "`enum` lists at least one value", place, "for example `enum: [low, high]`")


@problem
def bad_enum_value(place: Place, value: object) -> Finding:
    """A value of an `enum` is neither a text, nor a whole number, nor true or false.

    Enumerations are for a few named cases. Fractions are not compared exactly, and records have types of
    their own. Use texts; and for a value that may be missing write `{type: …}` with `optional` around a
    named enumeration.
    """
    shown = {dict: "a record", list: "a list", type(None): "null"}.get(type(value), f"`{value}`")
    return Finding(
        "bad-enum-value", f"{shown} cannot be a value of an `enum`", place, "use texts or whole numbers"
    )


@problem
def enum_value_twice(place: Place, value: object) -> Finding:
    """An `enum` lists one value twice.

    One of them is superfluous, or was meant to be another value.
    """
    return Finding(
        "enum-value-twice",
        f"`{value}` is listed already",
        place,
        "write another value, or remove one of the two",
        fix=remove_entry(place),
    )


@problem
def too_few_alternatives(place: Place) -> Finding:
    """A `one_of` does not list at least two types.

    `one_of` is for a value that may be of one type or of another, so it takes a list of two types or
    more. For a single type write that type; for a value that may be missing write `optional T`.
    """
    return Finding(
        "too-few-alternatives", "`one_of` lists at least two types", place, "for example `[string, integer]`"
    )


@problem
def alternative_twice(place: Place, value: object) -> Finding:
    """A `one_of` lists one type twice.

    One of them is superfluous, or was meant to be another type.
    """
    shown = f"`{value}`" if isinstance(value, str) else "this type"
    return Finding(
        "alternative-twice",
        f"{shown} is among the alternatives already",
        place,
        "name another type, or remove one of the two",
        fix=remove_entry(place),
    )


@problem
def default_does_not_fit(
    place: Place, reason: str, name: str = "", known: Sequence[str] = (), hint: str = ""
) -> Finding:
    """A default is not a value of its field's type, or is out of its field's bounds.

    A default is used where nobody gives a value, so it must be one that could have been given. Change the default, or
    change the type.
    """
    if reason.endswith("found null"):
        hint = "write a value; what may be missing has the type `optional …`"
    return Finding(
        "default-does-not-fit",
        f"this default does not fit: {reason}",
        place,
        closest(name, known) or hint,
        fix=correct_name(place, name, known),
    )


@problem
def bound_does_not_apply(place: Place, name: str, type: str) -> Finding:
    """A bound means nothing for values of this type.

    `min` and `max` are for numbers and dates, `min_length` and `max_length` for texts, lists and maps, `pattern` and
    `format` for texts. Use the one that is meant for this type, or remove it.
    """
    return Finding(
        "bound-does-not-apply", f"`{name}` means nothing for {type}", place, fix=remove_entry(place)
    )


@problem
def bad_bound(place: Place, name: str, reason: str) -> Finding:
    """A bound is not of the kind that it must be.

    `min` and `max` are values of the type that they bound; lengths and counts are whole numbers, 0 or
    more.
    """
    return Finding("bad-bound", f"this cannot be a `{name}`: {reason}", place)


@problem
def bounds_crossed(place: Place, low: str, high: str) -> Finding:
    """The lower bound is above the upper one.

    No value could ever be given. Swap the two, or correct one of them.
    """
    return Finding("bounds-crossed", f"`{high}` is below `{low}`, so no value fits", place)


@problem
def unknown_format(place: Place, name: str, known: Iterable[str]) -> Finding:
    """A `format` is named that is not known.

    A format says what a text holds, so that other values are refused. Known are `email`, `hostname`,
    `ipv4`, `ipv6`, `uri` and `uuid`; dates and times have types of their own. For anything else use
    `pattern`.
    """
    names = list(known)
    return Finding(
        "unknown-format",
        f"there is no format `{name}`",
        place,
        closest(name, names) or f"known are {', '.join(f'`{each}`' for each in names)}",
        fix=correct_name(place, name, names),
    )


@problem
def bad_pattern(place: Place, reason: str) -> Finding:
    """A `pattern` is not a pattern that can be used.

    Patterns are regular expressions without looking around (`(?=…)`) and without referring back (`\\1`), with at most
    2,000 parts once bounded repetitions such as `a{1,50}` are written out, so that testing a text takes a time in
    proportion to its length, whoever wrote the text. How long a text may be is said by `max_length`.
    """
    return Finding("bad-pattern", f"this pattern cannot be used: {reason}", place)


@problem
def merge_does_not_fit(place: Place, why: str, hint: str = "") -> Finding:
    """A state field says how saves are put together, and its type cannot be put together like that.

    `merge: append` puts lists one after the other, `merge: {by: id}` replaces the records of a list that have the
    same `id`, and `merge: last`, for every type, keeps what is saved last.
    """
    return Finding("merge-does-not-fit", why, place, hint)


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
