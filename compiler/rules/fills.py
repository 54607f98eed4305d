"""Problems with the fields of events: nothing fills them, or it is not clear what does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.rules import problem
from wfc.compiler.rules.fixes import add_entries, replace_value
from wfc.compiler.rules.phrases import joined

__all__ = [
    "unclear_fill",
    "unclear_whole",
    "unfilled_field",
    "wrong_fill",
]


@problem
def unfilled_field(
    place: Place,
    event: str,
    fields: Sequence[str],
    looked: str,
    value: str = "…",
    output: str = "",
    bringing: str = "",
    given: bool = False,
) -> Finding:
    """An event is emitted, and nothing says what one of its fields is.

    A field gets its value from `with`; else from the result's field of the same name; else, if it is the
    only one still open, from the whole result, if that has its type; else from the accepted event's field
    of the same name. Where none of these is there, the field would be empty, and every step that uses it
    would fail. Write the value under `with`, or make the field optional.
    """
    # Args: given: whether some fields stand under `with` already.
    names = " and ".join(f"`{field}`" for field in fields)
    write = to_write(fields[0], value, given=given)
    return Finding(
        "unfilled-field",
        f"nothing fills {names} of `{event}`: {looked}",
        place,
        f"say what the step gives: `output: {{{output}}}`, or {write}"
        if output
        else write
        + (f", or declare it under `{bringing}` if that is to bring it" if bringing and value == "…" else ""),
        fix=filled(place, event, {**dict.fromkeys(fields, ""), fields[0]: value.strip("…")}, given=given),
        about=tuple(fields),
    )


def to_write(field: str, value: str, *, given: bool) -> str:
    """Return what gives one field its value, where others may be given already."""
    entry = f"{field}: {value}"
    return f"add `{entry}` to `with`" if given else f"write `with: {{{entry}}}`"


def filled(place: Place, event: str, fields: Mapping[str, str], *, given: bool) -> Fix:
    """Return what gives an event fields under `with`, those without a value to be filled in."""
    beside = place.address[-1] == "event"
    if beside and given:
        return add_entries(Place((*place.address[:-1], "with")), fields)
    values = ", ".join(f"{name}: {value}" for name, value in fields.items())
    title = "add `with: {" + ", ".join(f"{name}: {value or '…'}" for name, value in fields.items()) + "}`"
    if beside:
        return add_entries(Place(place.address[:-1]), {"with": f"{{{values}}}"}, title)
    return replace_value(place, f"{{event: {event}, with: {{{values}}}}}", "display", title)


@problem
def wrong_fill(
    place: Place,
    event: str,
    field: str,
    source: str,
    given: str,
    wanted: str,
    hint: str,
    *,
    others: bool = False,
) -> Finding:
    """An event's field would be filled by its name, but with a value of another type.

    The result, or the accepted event, has a field of the same name, so that it is most likely meant; but
    its type does not go into the field's. Write under `with` which value the field is to have, or change
    one of the two types. A value that may be null needs a `default` or a condition first.
    """
    # Args: others: whether other fields stand under `with` already.
    return Finding(
        "wrong-fill",
        f"`{field}` of `{event}` is {wanted}, but {source}, which would fill it, is {given}",
        place,
        hint or f"{to_write(field, '…', given=others)}, or change one of the two types",
    )


@problem
def unclear_fill(
    place: Place, event: str, field: str, having: Sequence[str], *, together: bool, nullable: bool
) -> Finding:
    """An event's field that may be left out could be filled from some of the accepted events.

    Fields are filled by their names, also those that need not be given. Here several of the joined events have the
    field, or only some of those events of which any one starts the step, so that nobody can know what is meant. Say
    under `with` what the field holds, or leave it out with `null`.
    """
    owners = joined(having)
    have = "has" if len(having) == 1 else "have"
    why = f"{owners} {have} it" if together else f"only {owners} {have} it"
    such = (
        f"such as `events.{having[0]}.{field}`" if together else f"such as by asking `event is {having[0]}`"
    )
    leave = f"leave it out with `{field}: null`" if nullable else "give it a value of its own"
    return Finding(
        "unclear-fill",
        f"it is not clear what fills `{field}` of `{event}`: {why}",
        place,
        f"say under `with` what is meant, {such}, or {leave}",
    )


@problem
def unclear_whole(place: Place, event: str, field: str, source: str, rival: str) -> Finding:
    """An event's field could be a whole value, such as the result, or the accepted event's field of its name.

    The whole result fills the only field that is still open, if it is just of its type. Here the accepted event has a
    field of that name that fits too, so that nobody who reads the step can know which of the two is meant: the text
    that came, or the one that was made of it? Say it under `with`.
    """
    return Finding(
        "unclear-whole",
        f"it is not clear what fills `{field}` of `{event}`: the whole `{source}` would fit, and `{rival}` too",
        place,
        f'say under `with` which is meant: `{field}: "${{{{ {rival} }}}}"` or `{field}: "${{{{ {source} }}}}"`',
    )
