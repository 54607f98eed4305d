"""Problems with declared names: misspelt, declared twice, hard to tell apart, in the wrong style, never used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.rules import problem, warning
from wfc.compiler.rules.fixes import remove_entry, replace_text
from wfc.compiler.rules.spelling import sure

__all__ = [
    "bad_name",
    "event_of_itself",
    "look_alike_names",
    "misspelt_declaration",
    "name_built_in",
    "name_declared_twice",
    "name_in_use",
    "not_pascal_case",
    "not_snake_case",
    "state_without_default",
    "unused_declaration",
]


@problem
def misspelt_declaration(place: Place, name: str, meant: str, uses: Sequence[Place]) -> Finding:
    """Something is declared under one name and used under another, which is nearly the same.

    Wherever it is used it has the same name, and only the declaration has another one. So the slip of the pen is
    most likely there. Write the name in the declaration as it is written everywhere else.
    """
    return Finding(
        "misspelt-declaration",
        f"`{name}` is declared here, and everything else says `{meant}`",
        place,
        f"did you mean `{meant}`?",
        related=tuple((each, "used here") for each in uses[:1]),
        fix=replace_text(
            place, meant, old=name, applicability="safe" if sure(name, meant, [meant]) else "unsafe"
        ),
    )


@problem
def bad_name(place: Place, name: str, why: str, *, small: bool = False, fix: Fix | None = None) -> Finding:
    """A name is not of a form that a name may have.

    Names of steps, events, types, fields and all else consist of letters of any script, digits and `_`.
    They begin with a letter: names that begin with `_` are kept for the program itself, and there they
    could not be used in an expression. Use another name. If it is how a service calls the field, say so with
    `as`, and use a name of your own everywhere else: `id: {type: string, as: "_id"}`.
    """
    if name == "$ref":
        said = "a type is mentioned by its name, as in `order: Order`"
        return Finding("bad-name", f"`{name}` cannot be a name: {why}", place, said)
    if fix is not None:
        return Finding("bad-name", f"`{name}` cannot be a name: {why}", place, fix.title, fix=fix)
    better = re.sub(r"\W+", "_", name).strip("_")
    better = better.lower() if small else better
    hint = f"write `{better}`" if better.isidentifier() and better != name else ""
    return Finding(
        "bad-name",
        f"`{name}` cannot be a name: {why}",
        place,
        hint,
        fix=replace_text(place, better, old=name, applicability="display") if hint else None,
    )


@problem
def not_pascal_case(place: Place, name: str, better: str) -> Finding:
    """The name of an event or of a type is not written LikeThis.

    Events and types begin with a capital letter, and each further word in them too (`OrderPlaced`), while
    steps and all else are small (`look_up_order`). So whoever reads a spec sees at once what is a message
    and what is a step. In scripts without capital letters there is nothing to do.
    """
    return Finding(
        "not-pascal-case",
        f"`{name}` is an event or a type, whose names look `LikeThis`",
        place,
        f"write `{better}`",
        fix=replace_text(place, better, old=name, applicability="display"),
    )


@problem
def not_snake_case(place: Place, name: str, what: str, better: str) -> Finding:
    """A name is not written like_this, although it is neither an event's nor a type's.

    Steps, state fields, models, tools and the rest are written small, with `_` between words
    (`look_up_order`), while events and types begin with capital letters (`OrderPlaced`). So whoever reads
    a spec sees at once which is which. Fields of events are yours to name; those of `types` and of an
    `output` may be written as the service that answers writes them (`orderId`).
    """
    return Finding(
        "not-snake-case",
        f"`{name}` is a {what}, whose names look `like_this`",
        place,
        f"write `{better}`",
        fix=replace_text(place, better, old=name, applicability="display"),
    )


@problem
def name_built_in(place: Place, name: str, fields: Iterable[str]) -> Finding:
    """A type or an event has the name of a type that every workflow knows anyway.

    `Message` (what one side of a conversation with a model says), `Passage` (a piece of text that a search has found)
    and `File` need no declaration, and mean the same in every spec. If a type of your own had such a name, nobody
    could tell which one is meant. Use the one that is there, or give yours another name.
    """
    return Finding(
        "name-built-in",
        f"`{name}` is a type of the language already",
        place,
        f"use it as it is, with its fields {' '.join(f'`{each}`' for each in fields)}, or give yours another name",
    )


@problem
def name_declared_twice(place: Place, name: str, first: Place, what: str) -> Finding:
    """Two things are declared under one name.

    An event and a type share one world of names, because either may be used as the type of a field; and
    two spellings that differ only in how the letters are stored in the file (`é` as one sign or as two)
    are one name. It would not be clear which one is meant. Give one of them another name.
    """
    return Finding(
        "name-declared-twice",
        f"`{name}` is declared already, as {what}",
        place,
        related=((first, "first declared here"),),
    )


@problem
def look_alike_names(place: Place, name: str, other: str, first: Place) -> Finding:
    """Two names differ, but people can hardly tell them apart.

    A Cyrillic `о` and a Latin `o` look the same and are different letters; `HttpDone` and `HTTPDone`
    differ only in capitals. Who reads the spec would take the two for one. Give one of them another name.
    """
    return Finding(
        "look-alike-names",
        f"`{name}` looks like `{other}`, which is declared too and is not the same",
        place,
        related=((first, "the other one"),),
    )


@problem
def name_in_use(place: Place, name: str) -> Finding:
    """The name chosen for an item already means something in expressions.

    Inside an `each`, `as` gives the item a name for its expressions, and so does a `for`. `event`, `result`, `state`,
    `inputs` and their like, and the names of events and types, mean something there already, and would be hidden.
    Choose another name for the item.
    """
    return Finding(
        "name-in-use",
        f"`{name}` already means something in expressions, so an item cannot be called that",
        place,
    )


@problem
def state_without_default(place: Place, name: str) -> Finding:
    """A field of the state is neither optional nor has a default.

    The state is there from the first moment of a run, before any step has saved anything, so each field
    must be able to have a value then. Give it a default, `{type: integer, default: 0}`, or make it
    optional, `optional string`.
    """
    return Finding(
        "state-without-default",
        f"`{name}` has no value when a run begins",
        place,
        "give it a `default`, or make it `optional`",
        fix=replace_text(Place(place.address).stretch(0, 0), "optional ", applicability="display"),
    )


@warning
def unused_declaration(place: Place, what: str, name: str) -> Finding:
    """A type, model, tool, resource, retry policy or secret is declared, and nothing uses it.

    Either it is left over and may go, or it was meant to be used and something else is used instead. The
    workflow runs all the same, so this is a warning.
    """
    return Finding(
        "unused-declaration",
        f"nothing uses the {what} `{name}`",
        place,
        fix=remove_entry(place),
    )


@problem
def event_of_itself(place: Place, name: str) -> Finding:
    """Events extend each other in a circle.

    `extends` gives an event the fields of another one. If that one leads back to the first, nobody can say which
    fields they have. Let one of them declare its fields itself.
    """
    return Finding("event-of-itself", f"`{name}` extends itself, over the events that it extends", place)
