"""Rules about fields that others fill or read: inputs, outputs, events from outside and settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from wfc.compiler.review.changes import Audience, ChangeRule, Level, SpecChange, mirrored, rule
from wfc.compiler.review.facts.types import fits, within
from wfc.compiler.review.pair import Pair
from wfc.compiler.review.sameness import said, same
from wfc.compiler.slotted import dataclass

__all__ = [
    "CONFIG",
    "GIVEN",
    "INPUTS",
    "OUTPUTS",
    "SHOWN",
    "Given",
    "Read",
    "changes_of_given",
    "changes_of_read",
]

_INFO, _WARN, _ACT, _BREAK = Level.INFO, Level.WARN, Level.ACT, Level.BREAK


@dataclass(frozen=True, slots=True)
class Given:
    """The rules about fields that others fill.

    Args:
        words: What such a field is called.
    """

    words: str
    added: ChangeRule
    required: ChangeRule
    removed: ChangeRule
    optional: ChangeRule
    narrowed: ChangeRule
    widened: ChangeRule
    default: ChangeRule


@dataclass(frozen=True, slots=True)
class Read:
    """The rules about fields that others read."""

    words: str
    added: ChangeRule
    removed: ChangeRule
    widened: ChangeRule
    narrowed: ChangeRule


def _given(id: str, audience: Audience, words: str, who: str, grave: Level) -> Given:
    """Enter the rules about fields that others fill into the catalogue."""
    title = words[:1].upper() + words[1:]
    return Given(
        words,
        *_presence(id, audience, title, who, grave),
        *mirrored(
            id,
            audience,
            (
                "narrowed",
                grave,
                f"""{title} takes less than before: another type, fewer values, or tighter bounds.

{who} with what it does not take any more fails.
Where it is not sure that it takes all that it took, it counts as narrowed.""",
            ),
            ("widened", _INFO, f"{title} takes all that it took, and more."),
        ),
        rule(
            f"{id}-default-changed",
            audience,
            _WARN,
            f"""{title} has another default.

{who} without it gets the new one. What is decided by it is told with the change.""",
            no_mirror="the opposite of another default is another default",
        ),
    )


def _presence(
    id: str, audience: Audience, title: str, who: str, grave: Level
) -> tuple[ChangeRule, ChangeRule, ChangeRule, ChangeRule]:
    added = rule(
        f"{id}-added", audience, _INFO, f"{title} is new, and may be left out.", mirror=f"{id}-removed"
    )
    required = rule(
        f"{id}-required",
        audience,
        grave,
        f"""{title} has to be given that did not have to be.

{who} without it fails. Give it a default, or let it be optional.""",
        mirror=f"{id}-optional",
    )
    removed = rule(
        f"{id}-removed",
        audience,
        grave,
        f"""{title} is gone.

{who} with it fails, since unknown fields are refused.""",
        mirror=f"{id}-added",
    )
    optional = rule(f"{id}-optional", audience, _INFO, f"{title} may be left out.", mirror=f"{id}-required")
    return added, required, removed, optional


def _read(id: str, audience: Audience, words: str, who: str) -> Read:
    """Enter the rules about fields that others read into the catalogue."""
    title = words[:1].upper() + words[1:]
    added, removed = mirrored(
        id,
        audience,
        ("added", _INFO, f"{title} is new."),
        ("removed", _BREAK, f"{title} is gone.\n\n{who} fails, or finds nothing."),
    )
    widened, narrowed = mirrored(
        id,
        audience,
        (
            "widened",
            _BREAK,
            f"""{title} may have values that it could not have before.

{who} may meet what it does not know: another type, nothing at all, a new word of an enumeration,
what was out of bounds. Where it is not sure that all values fit the earlier type, it counts as widened.""",
        ),
        ("narrowed", _INFO, f"{title} has only values that it could have before, and fewer of them."),
    )
    return Read(words, added, removed, widened, narrowed)


INPUTS: Final = _given("input", "callers", "an input", "Whoever starts a run", _BREAK)
GIVEN: Final = _given(
    "message-field", "callers", "a field of an event from outside", "Whoever sends the event", _BREAK
)
CONFIG: Final = _given("setting", "operators", "a setting", "Whoever configures the workflow", _ACT)
OUTPUTS: Final = _read("output", "callers", "a field of an outcome", "Whoever reads it")
SHOWN: Final = _read(
    "shown-field", "callers", "a field of an event that is shown while a run goes on", "Whoever reads it"
)


def changes_of_given(
    pair: Pair, rules: Given, about: str, of: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[SpecChange]:
    """Yield what has changed of fields that others fill.

    Args:
        of: What the fields belong to, as it is told: "of `Paid`".
    """
    yield from _renamed(pair, rules.removed, _one(rules.words), about, of, (old, new))
    for name, field in new.items():
        if name not in old:
            which = rules.required if field["required"] else rules.added
            told = f"{_one(rules.words)} `{name}`{of} is new" + (", and has to be given" * field["required"])
            yield which.found(pair.name, f"{about}.{name}", told, after=said(field), new=field["at"])
    for name, field in old.items():
        if name not in new:
            told = f"{_one(rules.words)} `{name}`{of} is gone"
            yield rules.removed.found(pair.name, f"{about}.{name}", told, before=said(field), old=field["at"])
        elif not same(field, new[name]):
            yield from _given_field(pair, rules, f"{about}.{name}", f"`{name}`{of}", field, new[name])


def _renamed(
    pair: Pair,
    which: ChangeRule,
    words: str,
    about: str,
    of: str,
    fields: tuple[Mapping[str, Any], Mapping[str, Any]],
) -> Iterator[SpecChange]:
    """Yield the fields that have another name: for those who know the old one they are gone."""
    owner = about.removeprefix("events.").removesuffix(".fields")
    for before, after in pair.fields_renamed.get(owner, {}).items():
        yield which.found(
            pair.name,
            f"{about}.{before}",
            f"{words} `{before}`{of} is called `{after}` now",
            before=before,
            after=after,
            old=fields[0][after]["at"],
            new=fields[1][after]["at"],
            covers=(f"moved.{owner}.{before}",),
        )


def _one(words: str) -> str:
    return f"the {words.removeprefix('an ').removeprefix('a ')}".removesuffix(" of an event from outside")


def _given_field(
    pair: Pair, rules: Given, about: str, told: str, before: Any, after: Any
) -> Iterator[SpecChange]:
    at = {"old": before["at"], "new": after["at"]}
    told = f"{_one(rules.words)} {told}"
    if before["required"] != after["required"]:
        which, words = (
            (rules.required, "has to be given now")
            if after["required"]
            else (rules.optional, "may be left out now")
        )
        yield which.found(pair.name, f"{about}.required", f"{told} {words}", **at)
        before, after = _always(before), _always(after)
    was, now = _shown(before), _shown(after)
    if not same(before["type"], after["type"]) or before.get("bounds") != after.get("bounds"):
        is_wider = _takes_all(before, after)
        which = rules.widened if is_wider else rules.narrowed
        words = f"{told} takes {now}, and took {was}"
        if was == now:
            words = f"{told} takes another {now}"
        yield which.found(pair.name, f"{about}.type", words, before=was, after=now, **at)
    if before.get("default") != after.get("default") and not after["required"] and not before["required"]:
        was, now = said(before.get("default")) or "nothing", said(after.get("default")) or "nothing"
        yield rules.default.found(
            pair.name,
            f"{about}.default",
            f"{told} is {now} where it is not given, and was {was}",
            before=was,
            after=now,
            **at,
        )


def _always(field: Any) -> Any:
    """Return a field without that it may be null."""
    if field["type"][0] != "optional":
        return field
    return {**field, "type": field["type"][1], "text": str(field["text"]).removeprefix("optional ")}


def _takes_all(before: Any, after: Any) -> bool:
    """Return whether a field takes all that it took."""
    return fits(before["type"], after["type"]) and within(before.get("bounds", {}), after.get("bounds", {}))


def _shown(field: Any) -> str:
    bounds = field.get("bounds") or {}
    said_of_it = ", ".join(f"{name} {value}" for name, value in bounds.items())
    return f"{field['text']} ({said_of_it})" if said_of_it else str(field["text"])


def changes_of_read(
    pair: Pair, rules: Read, about: str, of: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[SpecChange]:
    """Yield what has changed of fields that others read."""
    yield from _renamed(pair, rules.removed, "the field", about, of, (old, new))
    for name, field in new.items():
        if name not in old:
            told = f"the field `{name}`{of} is new"
            yield rules.added.found(pair.name, f"{about}.{name}", told, after=said(field), new=field["at"])
    for name, before in old.items():
        path = f"{about}.{name}"
        if name not in new:
            told = f"the field `{name}`{of} is gone"
            yield rules.removed.found(pair.name, path, told, before=said(before), old=before["at"])
            continue
        after = new[name]
        is_less_sure = before["required"] and not after["required"] and "default" not in after
        was, now = _shown(before), _shown(after)
        is_same = same(before["type"], after["type"]) and before.get("bounds") == after.get("bounds")
        if is_same and before["required"] == after["required"]:
            continue
        is_narrower = _takes_all(after, before) and not is_less_sure
        which = rules.narrowed if is_narrower else rules.widened
        words = f"the field `{name}`{of} is {now}, and was {was}"
        if was == now:
            words = (
                f"the field `{name}`{of} may be missing"
                if is_less_sure
                else f"the field `{name}`{of} is always there"
            )
            if before["required"] == after["required"]:
                words = f"the field `{name}`{of} is another {now}"
        yield which.found(
            pair.name,
            f"{path}.type",
            words,
            before=was,
            after=now,
            old=before["at"],
            new=after["at"],
        )
