"""Problems with keys of types: values to choose from, bounds, patterns, defaults."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import correct_name, remove_entry

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
    "merge_does_not_fit",
    "too_few_alternatives",
    "unknown_format",
    "unknown_type_key",
]


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
def bad_bound(place: Place, name: str, reason: str, hint: str = "") -> Finding:
    """A bound is not of the kind that it must be.

    `min` and `max` are values of the type that they bound; lengths and counts are whole numbers, 0 or
    more.
    """
    return Finding("bad-bound", f"this cannot be a `{name}`: {reason}", place, hint)


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
