"""Hints for keys that are unknown or missing."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.model.kinds import ABOUT_ACTIONS, STEP_KINDS
from wfc.compiler.rules import fixes, phrases
from wfc.compiler.rules import shape as shape_problems
from wfc.compiler.rules.spelling import nearest
from wfc.compiler.schema.synonyms import NOTES, other_key, step_note, top_note

__all__ = [
    "NOT_FIELDS",
    "OF_CANCELLED",
    "WITHIN_TEXTS",
    "advice",
    "idle_keys",
    "is_either",
    "is_entry_of_emit",
    "kind_of",
    "meaning",
    "version_for_language",
]

Schema = Mapping[str, Any]
PAUSES: Final = frozenset({"human", "wait"})
"""Kinds whose steps only wait, so that nothing of them can fail or be tried again."""
IDLE: Final = frozenset({*ABOUT_ACTIONS, "cache"})
"""Keys that do nothing in steps without an action."""
JOINS: Final = ("all", "any", "each", "within")
"""Keys that stand together under `accepts` alone."""
OF_EMIT: Final = frozenset({"fail", "save", "when", "with"})
"""Keys of an entry of `emit` that no join has."""
EITHER: Final = frozenset({"anyof", "either", "oneof", "or"})
INSTRUCTIONS: Final = frozenset({"instruction", "instructions"})
OF_ACTIONS: Final = frozenset(
    {
        "body",
        "headers",
        "method",
        "model",
        "output",
        "prompt",
        "query",
        "system",
        "tool",
        "url",
        "with",
        "workflow",
    }
)
"""Keys of what a `map` does for each item, which no `map` has itself."""
OF_BATCH: Final = frozenset({"as", "each", "in", "max"})
"""Keys of a batch, which no other entry of `emit` has."""
AT_ONCE: Final = (
    "it is a key of a step, beside its `kind`, or of a batch: "
    "`each: {in: …, as: …, event: …, max: …, concurrency: …}`"
)
ANSWERS: Final = {
    "error": "`error` says here that the step fails, by a name and no more",
    "give": "`give` says here what the step gives, all of it",
    "attempts": "`attempts` says here what comes of each attempt",
}
"""What the keys mean by which a test says how a step ends."""
MOST_NAMES: Final = 6
OF_KIND: Final = "a step of kind "
MOST_HOMES: Final = 3
"""How many kinds of steps are named that have a key."""
NAMES: Final = frozenset({"display_name", "displayName", "id", "label", "name", "title"})
CALLS: Final = frozenset({"hand_over", "tool"})
"""What a model may ask for in a scripted reply."""
OF_THE_WORKFLOW: Final = "the workflow's name stands under `workflow`; for more words there is `description`"
OF_MAILS: Final = frozenset(
    {"attachments", "bcc", "body", "cc", "from", "html", "message", "subject", "text"}
)
MAIL: Final = (
    "`send` brings an event to another run: `{to: WORKFLOW, to_key: …, event: …, with: {…}}`; "
    "a mail or a message to people is sent by a tool or a request"
)
GIVEN_INSTEAD: Final = (
    "what takes the place of an item that fails is said by a `map`, beside its `do`: `on_item_error: {give: …}`; "
    "elsewhere an error leads to an event: `- {event: …, with: {…}}`"
)
APPROVE: Final = (
    "that somebody must allow a call is said where an agent has the tool: "
    "`tools: [{tool: NAME, approve: {within: 4h}}]`"
)
BESIDE_EVENTS: Final = (
    "what an event carries is said where it is sent, beside its name: `emit: {event: …, with: …}`, "
    "and likewise under"
)
OF_CANCELLED: Final = (
    "which steps ran is said by `ran`, `{STEP: 1}` also of one that was cut off; what that one would have sent is not "
    "in `emitted`"
)
NOT_FIELDS: Final = "an event's fields stand under `with`"
WITHIN_TEXTS: Final = (
    "all that is shown is one text, into which `${{ … }}` puts values; `|` begins one of several lines"
)


def advice(
    key: str,
    content: Any,
    schema: Schema,
    missing: Sequence[str],
    absent: Sequence[str],
    definitions: Mapping[str, Schema],
) -> str:
    """Return what to do about a key that the language does not know at its place.

    Args:
        content: What stands under the key.
        missing: Keys that must be there and are not.
        absent: All that could be there and are not.
    """
    kind = kind_of(schema["properties"])
    idle = idle_keys(kind)
    acts = not idle - {"require"}
    absent = [each for each in absent if each not in idle]
    is_name = key in NAMES and not isinstance(content, (dict, list))
    if {"workflow", "steps"} <= schema["properties"].keys() and is_name:
        return "write `workflow`" if "workflow" in absent and key in {"id", "name"} else OF_THE_WORKFLOW
    if is_either(key, schema["properties"]):
        return one_or_each(content)
    if said := of_another_place(key, content, schema, kind, absent):
        return said
    lacks = (
        f"{phrases.joined(missing)} {'is' if len(missing) == 1 else 'are'} missing here" if missing else ""
    )
    if said := other_key(key, absent, content):
        return f"{said}; and {lacks}" if lacks and said in NOTES.values() else said
    if {"end", "with", "emitted"} <= schema["properties"].keys():
        return of_expectation(key, content, absent)
    if "attempts" in schema["properties"]:
        return beside_an_answer(key, absent)
    if all(each in schema["properties"] for each in JOINS) and (named := event_of(key, content)):
        return f"an event stands as it is: `accepts: {named}`"
    if {"say", "calls"} <= schema["properties"].keys() and key in CALLS:
        return f"write `calls: [{{{key}: …}}]`"
    if schema["properties"].keys() <= {"event", "with", "after"}:
        return NOT_FIELDS
    of_spec = {"workflow", "steps"} <= schema["properties"].keys()
    if said := top_note(key) if of_spec else step_note(key) if "kind" in schema["properties"] else "":
        return f"{said}; and {lacks}" if lacks else said
    if lacks:
        return lacks
    if "kind" not in schema["properties"] and not {"workflow", "steps"} <= schema["properties"].keys():
        return (
            f"what can stand here too is {phrases.joined(absent)}"
            if absent
            else "nothing else can stand here"
        )
    if key == "with" and kind is not None:
        return beside_events(kind, schema["properties"])
    if home := homes(key, schema, definitions):
        return f"it is a key of {home}"
    if not acts and other_key(key, ABOUT_ACTIONS):
        return f"a `{kind}` has no action that could fail or be limited: leave it out"
    return f"what can stand here too is {phrases.joined(absent)}" if absent else "nothing else can stand here"


def kind_of(properties: Mapping[str, Any]) -> str | None:
    """Return the kind of the steps that have these keys; nothing if they are not those of a step."""
    kind: str | None = properties.get("kind", {}).get("const")
    return kind


def idle_keys(kind: str | None) -> frozenset[str]:
    """Return the keys that do nothing in steps of a kind, though all steps may have them by the schema."""
    if kind == "send":
        return frozenset({"require"})
    if kind not in STEP_KINDS or (STEP_KINDS[kind].acts and kind not in PAUSES):
        return frozenset()
    return IDLE if kind == "human" else IDLE | {"require"}


def of_expectation(key: str, content: Any, absent: Sequence[str]) -> str:
    """Return what to do about a key in what a test expects: an event, or a field, that stands by itself."""
    if not key[:1].isupper():
        return NOT_FIELDS
    if "end" not in absent:
        return "the event that ends the run stands under `end`, and its fields under `with`"
    return f"write `end: {key}`" + (", and its fields under `with`" if content else "")


def beside_events(kind: str, properties: Container[str]) -> str:
    """Return where the values of an event stand that a step sends, and what is else meant by them at a request."""
    keys = [
        each
        for each in ("on_timeout", "on_error", "on_limit")
        if each in properties and each not in idle_keys(kind)
    ]
    said = f"{BESIDE_EVENTS} {phrases.joined(keys)}"
    return f"what is sent with a request stands under `body` or `query`; {said}" if kind == "http" else said


def homes(key: str, schema: Schema, definitions: Mapping[str, Schema]) -> str:
    """Return what has a key, if it is steps or the spec; empty if neither has it."""
    having = [
        (name == "spec" or name.endswith("_step"), each["title"])
        for name, each in definitions.items()
        if "title" in each
        and not name.endswith("_entry")
        and each is not schema
        and key in each.get("properties", ())
    ]
    titles = [title for of_flow, title in having if of_flow]
    kinds = [each.removeprefix(OF_KIND).strip("`") for each in titles if each.startswith(OF_KIND)]
    if len(titles) > MOST_HOMES:
        said = "steps of other kinds" if "kind" in schema["properties"] else "a step"
    elif len(kinds) == len(titles) > 1:
        said = f"steps of kind {phrases.joined(kinds)}"
    else:
        said = " and of ".join(titles)
    return f"{said}, and of other things" if said and len(titles) < len(having) else said


def of_another_place(key: str, content: Any, schema: Schema, kind: str | None, absent: Sequence[str]) -> str:
    """Return what to do about a key that has its meaning at another place of the same thing; often empty."""
    if "handoffs" in schema["properties"] and kind is None and key in INSTRUCTIONS:
        return "write `system`; what is asked stands under `prompt`"
    if key == "output" and kind == "map" and "${{" in str(content):
        return "what each item gives is said by `give`"
    if key in OF_ACTIONS and kind == "map":
        return "it is a key of the action: write it within `do`"
    if {"errors", "event"} <= {*absent} and key == "give":
        return GIVEN_INSTEAD
    if {"errors", "event"} <= {*absent} and isinstance(content, dict):
        named = "" if key in {"default", "otherwise", "else", "_"} else f"errors: [{key}], "
        return f"entries make a list, and each names its errors: `- {{{named}event: …}}`"
    if kind == "send" and key in OF_MAILS:
        return MAIL
    if key == "budget" and "limits" in schema["properties"]:
        return "what may be used is bounded by `limits: {tokens: …, cost_usd: …}`"
    if key == "approve" and ("handoffs" in schema["properties"] or of_tool(schema)):
        return APPROVE
    batch = {"each", "when"} <= schema["properties"].keys()
    entry = {"event", "when", "save"} <= schema["properties"].keys() and kind is None
    if (batch or entry) and key == "concurrency":
        return AT_ONCE
    if (batch and key in {*OF_BATCH, "event", "with"}) or (entry and key in OF_BATCH):
        return "all that a batch needs stands within it: `each: {in: …, as: …, event: …, max: …}`"
    return ""


def of_tool(schema: Schema) -> bool:
    """Return whether a tool is declared."""
    return {"rate", "at_once"} <= schema["properties"].keys() and "use" not in schema["properties"]


def beside_an_answer(key: str, absent: Container[str]) -> str:
    """Return what to do about a key beside `give`, `error` or `attempts` in what a test says that a step gives."""
    word = next(each for each in ANSWERS if each not in absent)
    whole = f"{{give: {{{word}: …, {key}: …}}}}"
    return f"{ANSWERS[word]}; a value that has a field `{word}` itself is written `{whole}`"


def is_either(key: str, possible: Container[str]) -> bool:
    """Return whether a key under `accepts` is another system's word for one of several events."""
    return key.lower().replace("_", "") in EITHER and all(each in possible for each in JOINS)


def is_entry_of_emit(value: Mapping[str, Any], possible: Container[str]) -> bool:
    """Return whether what stands under `accepts` is what a step emits."""
    return not OF_EMIT.isdisjoint(value) and all(each in possible for each in JOINS)


def one_or_each(content: Any) -> str:
    """Return the two ways to take one of several events; nobody but the author knows which is meant."""
    names = content if isinstance(content, list) and all(isinstance(each, str) for each in content) else []
    if len(names) == 1:
        return f"an event stands as it is: `accepts: {names[0]}`"
    listed = f"[{', '.join(names)}]" if 0 < len(names) <= MOST_NAMES else "[A, B]"
    return f"write `accepts: {listed}` to take each of them as it comes, or `{{any: {listed}}}` to take the first only"


def event_of(key: str, content: Any) -> str:
    """Return the event that a map under `accepts` names in place of a join; empty if it names none."""
    if key == "event" and isinstance(content, str) and content.isidentifier():
        return content
    return key if key[:1].isupper() and key.isidentifier() else ""


def meaning(schema: Schema, key: str, definitions: Mapping[str, Schema]) -> str:
    """Return what a key is for, in one sentence."""
    shape = schema["properties"].get(key, {})
    named = definitions.get(shape.get("$ref", "").rpartition("/")[2], {})
    told: str = shape.get("description") or named.get("description", "")
    first = re.split(r"[.:] ", told, maxsplit=1)[0].rstrip(".")
    return f"`{key}`: {first[0].lower()}{first[1:]}" if first else ""


def version_for_language(spec: Mapping[str, Any]) -> Finding | None:
    """Return the finding for a `version: 1` that is meant as the missing `wfc: 1`."""
    version = spec.get("version")
    if "wfc" in spec or isinstance(version, (bool, str)) or version != 1 or nearest("wfc", spec):
        return None
    place = Place(("version",), "key")
    hint = "write `wfc: 1`; a `version` is that of the workflow itself"
    return shape_problems.missing_key(place, "a spec", ["wfc"], hint, fix=fixes.replace_text(place, "wfc"))
