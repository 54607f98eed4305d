"""Problems with values: of the wrong type, with names that are not wanted, or without those that are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import add_entries, add_quotes, correct_name, own_name_instead
from wfc.compiler.slotted import replace

__all__ = [
    "MADE_WHOLE",
    "missing_entry",
    "of_agent_without_args",
    "of_field_within",
    "secret_as_data",
    "unknown_entry",
    "wrong_value",
]

QUOTES = ("put it in quotes", "put it in quotes if it is meant as a text")
"""The hints of :mod:`wfc.compiler.types.values` for what YAML has not read as a text."""


MADE_WHOLE: Final = "`| round` and `| floor` make it whole"
"""What is told of a number where a whole one is wanted."""


@problem
def wrong_value(place: Place, why: str, hint: str = "", name: str = "", known: Sequence[str] = ()) -> Finding:
    """A value is not of the type that is wanted at its place.

    Every field has a type, of an event, of the state, of what a tool is given, and whatever is put there must fit
    it. So a mistake shows here, and not in the middle of a run. Change the value or the type; a value that may be null
    needs a `default`, or a condition that excludes null, before it can go where something must be.
    """
    return Finding(
        "wrong-value",
        why,
        place,
        hint,
        fix=correct_name(place, name, known) if known else quoted(place, why) if hint in QUOTES else None,
    )


def quoted(place: Place, why: str) -> Fix:
    """Return what makes a text of a number, or of `true` or `false`, which hardly anybody writes for a text: rather is
    the type another one.
    """
    return add_quotes(place, "unsafe" if why.endswith(("found `true`", "found `false`")) else "safe")


OF_ANSWERS: Final = {
    **dict.fromkeys(
        ["answer", "output", "result", "returns", "value"], "an answer is the value itself, or `{give: …}`"
    ),
    **dict.fromkeys(["after", "delay"], "how long it takes stands beside the value: `{give: {…}, after: …}`"),
    **dict.fromkeys(
        ["exception", "fail", "fails", "raise", "raises", "throw", "throws"], "write `{error: …}`"
    ),
}
"""Keys of other systems in the answers of tests."""
BUILT_IN: Final = frozenset({"File", "Message", "Passage"})
"""Types that are there already, to which no field is added."""
WORDS: Final = {"mock": ("error", "give", "attempts"), "tools": ("error", "give")}
"""Keys of the language with which an answer of a test may begin in place of the value's own."""


def is_whole(place: Place) -> bool:
    """Return whether a key stands in an answer of a test itself, and in no value within it."""
    return all(isinstance(each, int) or each == "attempts" for each in place.address[4:-1])


@problem
def unknown_entry(
    place: Place,
    name: str,
    owner: str,
    known: Iterable[str],
    own: str = "",
    likely: Iterable[str] | None = None,
) -> Finding:
    """A value is given for a name that is not wanted.

    The event, tool or type that the values are for has no field of this name, so the value would go
    nowhere. Most often it is a slip of the keyboard. Write the name as it is declared, or declare the
    field. What stands under `as` is a field's name outside, and none here.
    """
    # Args: likely: those of the known names that can be meant; None: all.
    if own:
        hint, renamed = own_name_instead(place, name, own)
        return Finding("unknown-entry", f"{owner} has no field `{name}`", place, hint, fix=renamed)
    names = list(known)
    likely = names if likely is None else list(likely)
    section = place.address[2] if len(place.address) > 3 and is_whole(place) else ""
    if words := WORDS.get(str(section)):
        likely = [*likely, *words]
    hint = closest(name, likely) or (OF_ANSWERS.get(name, "") if words else "")
    if not hint and names:
        hint = (
            "there " + ("is " if len(names) == 1 else "are ") + ", ".join(f"`{each}`" for each in names[:8])
        )
        if may_be_declared(owner, place):
            hint += f"; else declare `{name}` in {owner}"
    elif not hint and may_be_declared(owner, place):
        hint = f"it has no fields: leave `{name}` out, or declare it in {owner}"
    fix = correct_name(place, name, likely)
    return Finding("unknown-entry", f"{owner} has no field `{name}`", place, hint, fix=fix, about=(name,))


def may_be_declared(owner: str, place: Place) -> bool:
    """Return whether values are given for an event or a type of the author's own."""
    name = owner.strip("`")
    own = owner.startswith("`") and name[:1].isupper() and name.isidentifier() and name not in BUILT_IN
    return own and place.address[:1] in {("steps",), ("tests",)}


def of_field_within(finding: Finding, name: str, field: str) -> Finding:
    """Return the finding about what is given as a field, where that is a field of another one."""
    if not finding.hint.startswith("there "):
        return finding
    hint = f"`{name}` is a field of `{field}`: write `{field}: {{{name}: …}}`, or declare it beside that, not in it"
    return replace(finding, hint=hint)


def after_a_comma(finding: Finding, before: str) -> Finding:
    """Return the finding about what is given as a field, where a comma may have cut the text of the field before it:
    the text under the strange name ends with a quote that begins nowhere.
    """
    hint = (
        f"if a comma cuts the text of `{before}` here, write the quote at its end also where that text begins"
    )
    return replace(finding, hint=hint, fix=None)


def of_agent_without_args(finding: Finding) -> Finding:
    """Return the finding about what is given to an agent that declares nothing, and so takes a task alone."""
    more = f"{finding.hint}; what else the agent is given is declared under its `args`"
    return replace(finding, hint=more) if finding.hint.startswith("there is ") else finding


@problem
def missing_entry(
    place: Place, names: Sequence[str], owner: str, under: str = "", *, is_empty: bool = False
) -> Finding:
    """A value that must be given is not there.

    The event, tool or type has a field that is neither optional nor has a default, so each time a value
    must be given for it. Add it, or make the field optional where it is declared.
    """
    # Args: under: The key that holds the values and is itself not there. is_empty: Whether nothing else is given there.
    shown = " and ".join(f"`{name}`" for name in names)
    entries = ", ".join(f"{name}: …" for name in names[:4])
    hint = (
        f"`with: {{{entries}}}` gives it" if is_empty and place.address[-1:] in {("with",), ("tool",)} else ""
    )
    fix = None if place.start is not None else added(place, names, under)
    return Finding("missing-entry", f"{owner} needs {shown}", place, hint, fix=fix, about=tuple(names))


def added(place: Place, names: Sequence[str], under: str) -> Fix:
    """Return what gives values that are missing, to be filled in."""
    if not under:
        return add_entries(place, dict.fromkeys(names, ""))
    title = f"add `{under}: {{{', '.join(f'{name}: …' for name in names)}}}`"
    return add_entries(place, {under: f"{{{', '.join(f'{name}: ' for name in names)}}}"}, title)


@problem
def secret_as_data(place: Place, name: str) -> Finding:
    """A secret is named where data of the run stands.

    What is in events and in the state, what tools and other workflows are given and what is streamed is recorded and
    shown, and a secret is not. So `{secret: NAME}` stands only where something is sent or started: in a header, in
    `query` and `body` of a request, in `env` of a program, and under `secrets` of a tool in Python; `auth` and
    `api_key` take the name alone. A record with a field `secret` is written `{secret: "${{ 'NAME' }}"}`.
    """
    return Finding(
        "secret-as-data",
        f"the secret `{name}` would be plain data here, which is recorded and may be shown",
        place,
        KEY_OF_A_MODEL if place.address[-2:-1] == ("settings",) else NAMED_WHERE_USED,
    )


NAMED_WHERE_USED: Final = (
    "name it where it is used: in `auth`, as `{secret: NAME}` in a header, in `query`, `body` or `env`, "
    "or under `secrets` of a tool in Python"
)
KEY_OF_A_MODEL: Final = "a model is given its key by `api_key`: `api_key: NAME`"
