"""Problems with names: mentioned but not declared, declared twice, hard to tell apart, in the wrong style."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from wfc.compiler.diagnostics import Address, Finding, Fix, Place
from wfc.compiler.rules import closest, problem, warning
from wfc.compiler.rules.fixes import correct_name, remove_entry, replace_text, replace_value
from wfc.compiler.rules.spelling import is_one_slip, sure
from wfc.compiler.slotted import replace

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
    "unknown",
    "unknown_agent",
    "unknown_event",
    "unknown_knowledge",
    "unknown_model",
    "unknown_retry",
    "unknown_secret",
    "unknown_state_field",
    "unknown_step",
    "unknown_text",
    "unknown_tool",
    "unused_declaration",
]


CHOICE = (
    r"(?:\$?\{\{)?\s*[\"']?(?P<one>\w+)[\"']? if (?P<test>[^{}]+) else [\"']?(?P<other>\w+)[\"']?\s*(?:\}\})?"
)
"""An event chosen by an expression."""
FORM = r"(?P<form>all|any)\s*(?:of\s*)?[:(\[]?\s*(?P<names>[^()\[\]{}]+)[)\]]?"
LISTS = {("accepts",), ("end",), ("all",), ("any",)}
"""Where a list of events may stand."""


def unknown(code: str, what: str, section: str, place: Place, name: str, known: Iterable[str]) -> Finding:
    """Return a finding for a name that a section does not declare."""
    names = list(known)
    if (
        section == "events"
        and (choice := re.fullmatch(CHOICE, name))
        and {choice["one"], choice["other"]} <= {*names}
    ):
        meant = f"write `emit: [{{event: {choice['one']}, when: {choice['test']}}}, {choice['other']}]`"
        return Finding(code, f"there is no {what} `{name}`", place, meant)
    if re.fullmatch(r"\s*\$\{\{.*\}\}\s*", name):
        return of_expression(code, what, place, name, names)
    if several := joined_names(name, names):
        return Finding(
            code,
            f"there is no {what} `{name}`",
            place,
            f"write `{several}`",
            fix=replace_value(place, several),
        )
    if (several := listed_names(name, names)) and place.address[-1:] in LISTS:
        of_accepts = place.address[-1:] == ("accepts",)
        hint = (
            f"write `{several}`"
            + f" for each as it comes, or `{{all: {several}}}` for all together" * of_accepts
        )
        listing = replace_value(place, several, applicability="unsafe" if of_accepts else "safe")
        return Finding(code, f"there is no {what} `{name}`", place, hint, fix=listing)
    hint = closest(name, names)
    either = bool(hint) and could_be_declared(name, section) and not is_one_slip(name, names)
    if either:
        hint += f" if not, declare it under `{section}`"
    if not hint and not names:
        hint = f"declare it under `{section}`"
    elif not hint:
        hint = those(names)
        hint += f"; or declare it under `{section}`" if could_be_declared(name, section) else ""
    fix = correct_name(place, name, names, by_hand=either)
    return Finding(code, f"there is no {what} `{name}`", place, hint, fix=fix, about=(name,))


def those(names: Sequence[str]) -> str:
    """Return which names there are; empty if there is none."""
    some = ", ".join(f"`{each}`" for each in sorted(names)[:8])
    if len(names) < 2:
        return f"there is {some}" if names else ""
    return f"there are {some}{' …' if len(names) > 8 else ''}"


def of_expression(code: str, what: str, place: Place, written: str, names: Sequence[str]) -> Finding:
    """Return a finding for an expression where a name stands."""
    inner = written.strip().removeprefix("${{").removesuffix("}}").strip()
    known = inner in names
    return Finding(
        code,
        f"the name of {'an' if what[0] in 'aeiou' else 'a'} {what} stands here, and no expression",
        place,
        f"write `{inner}`" if known else those(names),
        fix=replace_value(place, inner) if known else None,
    )


def could_be_declared(name: str, section: str) -> bool:
    """Whether a section could have an entry of this name."""
    return name.isidentifier() and (section not in {"events", "types"} or name[:1].lower() != name[:1])


def joined_names(written: str, known: Iterable[str]) -> str:
    """The join or the fork that a text such as `all [A, B]` or `A and B` is meant to be; empty if it is none."""
    form = re.fullmatch(FORM, written.strip())
    if form is None and not re.search(r"\band\b|[&+]", written):
        return ""
    names = listed_names(form["names"] if form else written, known)
    return names and f"{{{form['form'] if form else 'all'}: {names}}}"


def listed_names(written: str, known: Iterable[str]) -> str:
    """The list that several names with commas between them are meant to be; empty if they are none."""
    parts = re.split(r"\s*(?:[,+&|]+|\band\b|\bor\b)\s*", written.strip("[](){} "))
    return f"[{', '.join(parts)}]" if len(parts) > 1 and set(parts) <= set(known) else ""


@problem
def unknown_event(place: Place, name: str, known: Iterable[str]) -> Finding:
    """An event is mentioned that `events` does not declare.

    Steps talk to each other by events only, and each event is declared once, under `events`, with its
    fields. A name that is not there is most often a slip of the keyboard: the step would wait for, or
    send, something that nobody else knows. Write the name as it is declared, or declare the event.
    """
    return unknown("unknown-event", "event", "events", place, name, [*known, *_words_at(place.address)])


def _words_at(address: Address) -> list[str]:
    """Return the words of the language that may stand in an event's place."""
    key = address[2] if len(address) > 2 and address[0] == "steps" else ""
    words = ["proceed"] if key == "accepts" and address[-1] == "on_timeout" else []
    return [*words, "nothing"] if key in {"emit", "on_timeout", "on_error", "on_limit"} else words


@problem
def unknown_model(place: Place, name: str, known: Iterable[str]) -> Finding:
    """A step or a `fallback` names a model that `models` does not declare.

    A step does not name a provider's model directly; it uses a name from `models`, where the provider,
    the key and the settings are written once. Write the name as it is declared there, or declare it.
    """
    return unknown("unknown-model", "model", "models", place, name, known)


@problem
def unknown_tool(place: Place, name: str, known: Iterable[str]) -> Finding:
    """A step names a tool that `tools` does not declare.

    A tool is declared under `tools`, where it is said what is called and what it takes and returns. Write
    the name as it is declared there, or declare the tool.
    """
    return unknown("unknown-tool", "tool", "tools", place, name, known)


@problem
def unknown_text(place: Place, name: str, known: Iterable[str]) -> Finding:
    """A text is used that `texts` does not declare.

    `prompt: {use: greeting}` takes the text that stands under `texts` by that name, and `{% use greeting %}` puts it
    into another text. Write the name as it is declared there, declare it, or write the text here: `prompt: Greet them.`
    """
    return unknown("unknown-text", "text", "texts", place, name, known)


@problem
def unknown_agent(place: Place, name: str, known: Iterable[str]) -> Finding:
    """A step or another agent names an agent that `agents` does not declare.

    An agent is a model with its tools, declared once under `agents`. Write the name as it is declared there, or
    declare the agent.
    """
    return unknown("unknown-agent", "agent", "agents", place, name, known)


@problem
def unknown_knowledge(place: Place, name: str, known: Iterable[str]) -> Finding:
    """A step searches a collection that `knowledge` does not declare.

    Which texts can be searched is declared under `knowledge`, each collection with a name. Write the name as it is
    declared there, or declare the collection.
    """
    return unknown("unknown-knowledge", "collection", "knowledge", place, name, known)


@problem
def unknown_retry(place: Place, name: str, known: Iterable[str]) -> Finding:
    """A step names a retry policy that `retries` does not declare.

    How often a failed action is tried again, and how long the run waits in between, is written once under
    `retries` and used by its name. No policy is built in. Write the name as it is declared, or declare
    the policy.
    """
    return unknown("unknown-retry", "retry policy", "retries", place, name, known)


@problem
def unknown_secret(place: Place, name: str, known: Iterable[str]) -> Finding:
    """A secret is used whose name is not in the list `secrets`.

    Passwords and keys are never written into a spec. The list `secrets` at the top names all that the
    workflow needs, so that whoever runs it can see what to provide; their values come from the
    environment. Add the name to the list, or write it as it is listed.
    """
    return unknown("unknown-secret", "secret", "secrets", place, name, known)


@problem
def unknown_state_field(
    place: Place, name: str, known: Iterable[str], among: Iterable[str] | None = None
) -> Finding:
    """Something is saved in, or expected of, a field that `state` does not declare.

    What a run remembers is declared under `state`, each field with its type. Write the field's name as it
    is declared, or declare the field.
    """
    known = list(known)
    if name.startswith("state.") and name[6:] in known:
        words = name[6:]
        return Finding(
            "unknown-state-field",
            f"there is no state field `{name}`",
            place,
            f"write `{words}`: here the fields stand without `state`",
            fix=replace_text(place, words, old=name, applicability="safe"),
            about=(name,),
        )
    found = unknown("unknown-state-field", "state field", "state", place, name, known)
    return found if among is None else replace(found, fix=correct_name(place, name, among))


@problem
def unknown_step(place: Place, name: str, known: Iterable[str], named: Collection[str] = ()) -> Finding:
    """A test names a step that `steps` does not have.

    Tests give stand-ins for steps and count how often steps ran, by their names. A name that is not there
    would make the test say nothing. Write the step's name as it stands under `steps`.
    """
    # Args: named: what is named there too, and so is hardly meant again.
    names = set(known)
    found = unknown("unknown-step", "step", "steps", place, name, names.difference(named))
    return replace(found, hint="all steps are named here already") if names and names <= {*named} else found


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
