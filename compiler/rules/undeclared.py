"""Problems with undeclared names: mentioned, and in no section."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import correct_name, replace_text, replace_value
from wfc.compiler.rules.phrases import those_there
from wfc.compiler.rules.spelling import is_one_slip
from wfc.compiler.slotted import replace

__all__ = [
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
        hint = those_there(sorted(names))
        hint += f"; or declare it under `{section}`" if could_be_declared(name, section) else ""
    fix = correct_name(place, name, names, by_hand=either)
    return Finding(code, f"there is no {what} `{name}`", place, hint, fix=fix, about=(name,))


def of_expression(code: str, what: str, place: Place, written: str, names: Sequence[str]) -> Finding:
    """Return a finding for an expression where a name stands."""
    inner = written.strip().removeprefix("${{").removesuffix("}}").strip()
    known = inner in names
    return Finding(
        code,
        f"the name of {'an' if what[0] in 'aeiou' else 'a'} {what} stands here, and no expression",
        place,
        f"write `{inner}`" if known else those_there(sorted(names)),
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
    parts = [each.strip() for each in re.split(r"[,+&|]+|\band\b|\bor\b", written.strip("[](){} "))]
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
