"""Problems with the names in expressions: values, fields, filters and tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import correct_name, own_name_instead, replace_text
from wfc.compiler.rules.foreign_names import (
    AT_A_PLACE,
    FILTER_NAMES,
    FOREIGN_PLACES,
    INSTEAD_OF_FILTERS,
    INSTEAD_OF_NAMES,
    OF_ANY_PLACE,
    OTHERWISE_CALLED,
    SECTIONS,
    WHERE_NAMES_ARE,
)
from wfc.compiler.rules.phrases import listed, suggestion
from wfc.compiler.rules.spelling import is_one_slip
from wfc.compiler.slotted import replace

__all__ = [
    "field_of_several",
    "no_fields",
    "of_field_within",
    "only_some_have",
    "private_name",
    "unknown_field",
    "unknown_filter",
    "unknown_name",
    "unknown_test",
]


NOT_IN_TEXTS: Final = "a secret is never part of a text"


@problem
def unknown_name(
    place: Place, name: str, known: Sequence[str], meant: str = "", *, word: bool = True, asked: bool = False
) -> Finding:
    """An expression begins with a name that means nothing at its place.

    Every expression begins with one of a few names: `event` (what the step accepted), `events` (what a
    join accepted), `result` (of the step's action), `inputs`, `state`, `config`, `run`, and the items of
    an `each`. Which of them there are depends on the place. A text needs quotes: `"billing"`.
    """
    own = meant if name in {"event", "events", "secrets"} or name in SECTIONS or NOT_IN_TEXTS in meant else ""
    own = own or next(
        (said for of, (names, said) in INSTEAD_OF_NAMES.items() if of in known and name in names), ""
    )
    if name in FOREIGN_PLACES and meant.startswith(("write ", "leave out ", "`event.")):
        own = own or meant
    if name == "env" and meant.startswith("write `"):  # its own name may be the only mistake
        own = meant if meant.startswith("write `config.") else f"{meant}; {WHERE_NAMES_ARE[name]}"
    hint = own or WHERE_NAMES_ARE.get(name) or SECTIONS.get(name) or closest(name, known)
    called = OTHERWISE_CALLED.get(name, "")
    if name in OF_ANY_PLACE and not own and not meant and (there := at_this_place(name, known)):
        quoted = f'; a text stands in quotes: `"{name}"`' if word else ""
        hint = f"{hint}; {there}" if name in WHERE_NAMES_ARE else f"{there}{quoted}"
        called, known = "", []
    if not hint and meant:
        hint, known = meant, []
    elif called in {"true", "false", "none", *known} and name not in WHERE_NAMES_ARE:
        sure = not word or called in {"true", "false", "none"}
        alone = f'did you mean `{called}`? a text stands in quotes: `"{name}"`'
        hint, known = f"write `{called}`" if sure else alone, [called] if sure else []
    elif word and meant and hint == closest(name, known):
        hint, known = (
            f"{hint[:-1]}, or {meant.removeprefix('write ')}?",
            [],
        )  # a name of its own, or of a field
    elif name == "input" and not word and meant and not meant.startswith("write `inputs."):
        hint, known = meant, []  # elsewhere the input of a step is what it has accepted
    either = bool(hint) and hint == closest(name, known) and not is_one_slip(name, known)
    if either and word:
        hint += f' a text stands in quotes: `"{name}"`'
    if not hint:
        there = suggestion(name, known)
        quoted = f'a text stands in quotes: `"{name}"`' if word else ""
        if asked:
            quoted = f'a text is no condition by itself, and is compared with something: `… == "{name}"`'
        hint = "; ".join(each for each in (there, quoted) if each)
    fix = (
        None
        if own or name in WHERE_NAMES_ARE or name in SECTIONS
        else correct_name(place, name, known, by_hand=either)
    )
    if name == "events" and meant.startswith("write `event."):
        fix = replace_text(place, "event", old="events")
    return Finding(
        "unknown-name",
        f"there is no `{name}` here",
        place,
        hint,
        fix=fix,
        about=(name,),
    )


def at_this_place(name: str, known: Sequence[str]) -> str:
    """Return what there is where a name of another language stands that may mean one thing or another."""
    there = [said for each, said in AT_A_PLACE.items() if each in known]
    if OTHERWISE_CALLED.get(name) in known and len(there) == 1:
        return ""  # which is told by its name
    return ", ".join(there)


@problem
def private_name(place: Place, name: str) -> Finding:
    """A name that begins with `_` is mentioned.

    Such names are kept for the program itself. No declared name begins so, and no expression can reach
    one.
    """
    return Finding("private-name", f"`{name}` begins with `_`, and such names cannot be used", place)


@problem
def unknown_field(
    place: Place, name: str, of: str, known: Sequence[str], own: str = "", event: str = ""
) -> Finding:
    """A field is mentioned that there is not.

    What fields an event, a record, a result or the state has is declared, each with its type. Write the
    field's name as it is declared, or declare the field. What stands under `as` is its name outside, and none here.
    """
    # Args: event: whose fields they are, where the author declares them.
    if own:
        hint, renamed = own_name_instead(place, name, own)
        return Finding("unknown-field", f"{of} has no field `{name}`", place, hint, fix=renamed)
    hint = suggestion(name, known) or "it has no fields" + f": declare `{name}` in `{event}`" * bool(event)
    if of == "`response`" and hint.startswith("there "):
        hint += "; what the reply holds is the `result`"
    if of == "`args`" and hint.startswith("there "):
        hint += "; what else is given is declared under `args`"
    if of == "`loop`" and name == "index0":
        return Finding("unknown-field", f"{of} has no field `{name}`", place, "write `loop.index - 1`")
    of_old = of == "`old`"  # whose fields the author declares for this expression alone
    if of_old and known:
        hint += f"; `from` says what the runs that are there have: write `{name}` there if they have it"
    fix = correct_name(place, name, known, by_hand=of_old)
    return Finding("unknown-field", f"{of} has no field `{name}`", place, hint, fix=fix, about=(name,))


def of_field_within(finding: Finding, path: str) -> Finding:
    """Return the finding about a field that is one of another field's, whose path is given."""
    if not finding.hint.startswith("there "):
        return finding
    *_, owner, name = path.split(".")
    return replace(finding, hint=f"write `{path}`, or declare `{name}` beside `{owner}`, not in it")


def field_of_several(place: Place, name: str, events: Sequence[str]) -> Finding:
    """Return the finding about a field of `events` that several of the joined events have."""
    written = [f"`events.{event}.{name}`" for event in events]
    why = "several of the joined events have that field"
    hint = f"{why}: write {', '.join(written[:-1])} or {written[-1]}"
    return Finding("unknown-field", f"`events` itself has no field `{name}`", place, hint)


@problem
def no_fields(place: Place, words: str, kind: str, remedy: str) -> Finding:
    """A field is asked of something that has none.

    Events and records have fields. A text, a number or a list has not; and of a value of type `any`
    nothing is known, so nothing can be relied upon. Declare what it holds: give the tool or the step an
    `output`.
    """
    return Finding("no-fields", f"`{words}` is {kind}, which has no fields", place, remedy)


@problem
def only_some_have(place: Place, name: str, words: str, have: Sequence[str], lack: Sequence[str]) -> Finding:
    """A field is used that only some of the possible events or records have.

    A step that accepts any one of several events can use the fields that all of them have. For a field of
    only some, ask first which one it is: `event is ReplyRejected and …`, or `{% if event is ReplyRejected
    %}` in a prompt.
    """
    return Finding(
        "only-some-have",
        f"{listed(lack)} {'has' if len(lack) == 1 else 'have'} no field `{name}`",
        place,
        f"ask first: `{words} is {have[0]}`, or declare it in {listed(lack)} too"
        if " " not in words
        else f"give it to {listed(lack)}, or leave those out",
    )


@problem
def unknown_filter(place: Place, name: str, known: Sequence[str]) -> Finding:
    """A filter is used that there is not.

    Filters change a value, after a `|`: `name | upper`. There is a fixed set of them, which the reference
    lists. What none of them does, a tool can do.
    """
    flat = name.lower().replace("_", "")
    said, meant = INSTEAD_OF_FILTERS.get(flat, ""), FILTER_NAMES.get(flat, "")
    meant = meant if meant in known else ""
    hint = said or (f"write `{meant}`" if meant else closest(name, known))
    fix = None if said else correct_name(place, name, known, meant or None)
    return Finding("unknown-filter", f"there is no filter `{name}`", place, hint, fix=fix)


@problem
def unknown_test(
    place: Place, name: str, known: Sequence[str], compared: str = "", kind: str = ""
) -> Finding:
    """`is` is followed by something that cannot be asked.

    `x is none` asks whether a value is missing, `x is empty` whether a text, a list or a map has nothing in it or is
    missing, `event is OrderFound` which event it is, `value is string` which of several types it has. All else is
    compared with `==`.
    """
    # Args: compared: How a text is compared with the name, of a text; kind: the type that has this name elsewhere.
    hint = "ask `is not none`" if name == "defined" else suggestion(name, known)
    if name in {"true", "false", "True", "False"}:
        hint = f"compare: write `== {name.lower()}`"
    elif name == "blank":
        hint = "ask `is empty`"
    elif name in {"first", "last"}:
        loops = "`[… for one in LIST]`, `{% for %}`, a `map`"
        hint = f"whether an item is the {name} says `loop.{name}`, in a loop: {loops}"
    elif kind and compared:
        hint = f"a type is asked for by `is {kind}`, and a text compared by `{compared}`"
    elif kind:
        hint = f"write `is {kind}`"
    elif compared and name != "defined" and not closest(name, known):
        hint = f"to compare write `{compared}`"
    return Finding(
        "unknown-test",
        f"`is {name}` asks nothing that is known",
        place,
        hint,
        fix=replace_text(place, "not none", applicability="display")
        if name == "defined"
        else correct_name(place, name, known)
        if hint == suggestion(name, known)
        else None,
        about=(name,),
    )
