"""How to write what is most likely meant by an expression whose types do not go together."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from wfc.compiler.diagnostics import Finding
from wfc.compiler.expressions.syntax.tree import Attribute, Compare, Constant, Name, Node, Subscript
from wfc.compiler.expressions.typing.foreign_objects import FIELD, NOT_ITEMS, OWNERS, for_object, has_field
from wfc.compiler.expressions.typing.scope import Scope
from wfc.compiler.rules.phrases import joined, listed
from wfc.compiler.slotted import replace
from wfc.compiler.types import (
    BOOLEAN,
    DECIMAL,
    INTEGER,
    NUMBER,
    STRING,
    Enumeration,
    ListOf,
    MapOf,
    Record,
    Type,
    base,
    may_be_null,
    members,
    show,
    without_null,
)

__all__ = [
    "CONSTANTS",
    "TRUTH",
    "for_comparison",
    "for_condition",
    "for_misfit",
    "for_missing_parts",
    "for_name",
    "for_path",
    "for_value_alone",
    "for_word",
    "instead_of_or",
    "is_word",
    "past_a_wrapper",
    "with_owner",
]

DECLARED: Final = frozenset({"config", "state"})
"""Those of them whose fields are declared in a section of the same name."""
QUOTED_PATH: Final = re.compile(rf"(?:{'|'.join(OWNERS)})(?:\.[^\W\d]\w*)+")
IN_BRACES: Final = re.compile(rf"\$?\{{{{1,2}} *({QUOTED_PATH.pattern}) *\}}{{1,2}}")
"""Such a path as other languages put it into a text."""
PATH: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
ASKED: Final = re.compile(r"\s*[.\[]")
NUMBERS: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")
CONSTANTS: Final = frozenset({"true", "false", "none", "null"})
COMMA: Final = re.compile(r"(-?[0-9]+),([0-9]+)")
TRUTH: Final = {
    "yes": True,
    "on": True,
    "y": True,
    "no": False,
    "off": False,
    "n": False,
    "true": True,
    "false": False,
}


WRAPPERS: Final = frozenset(
    {"body", "content", "data", "detail", "details", "fields", "json", "params", "payload", "properties", "value",
     "values"}
)  # fmt: skip
"""Names of what holds the fields of an event elsewhere."""
OF_MAPS: Final = frozenset({"keys", "values", "length"})
"""Filters that ask a map what it holds."""
EVENTS: Final = frozenset({"event", "events"})
OF_OBJECTS: Final = frozenset({"self", "this", "ctx", "context", "github", "run", "step", "workflow"})
"""Names by which other languages reach what has a name of its own here."""
OF_REPLIES: Final = frozenset({"http", "reply", "res", "resp"})
"""Names of what a request gave, in other languages."""


def for_name(node: Name, text: str, scope: Scope) -> str:
    """Return what is meant by a name that means nothing: a field of something, or a thing that is reached otherwise."""
    after = FIELD.match(text, node.name_end)
    asked = after[1] if after else node.name
    if after and asked in scope.names and node.name in OF_OBJECTS:
        return for_object(node.name, text, after, scope)
    if node.name == "events" and after and has_field(scope.names.get("event"), asked):
        return f"write `event.{asked}`: `events` is what a join has accepted"
    if node.name == "events" and after and (came := for_what_came(asked, scope)):
        return came
    if node.name in EVENTS and (not after or EVENTS & scope.names.keys()):
        return ""
    if node.name == "secrets" or asked in scope.secrets:
        return for_secret(text, asked) if after or node.name != "secrets" else ""
    trigger = scope.names.get("trigger")
    if trigger is not None and any(
        node.name in each.fields for each in members(trigger) if isinstance(each, Record)
    ):
        return f"write `trigger.{node.name}`"
    if after and node.name == "input" and (owner := of_input(asked, scope)):
        return owner
    items = [each for each in scope.names if each not in NOT_ITEMS]
    for owner in (*reversed(items), *OWNERS):
        if (node.name, owner) == ("steps", "error"):
            continue  # the `name` of a step, of which none is known here, is not that of an error
        if has_field(scope.names.get(owner), asked):
            return f"write `{owner}.{asked}`"
    if after and node.name in (OF_OBJECTS | OF_REPLIES) and has_field(scope.names.get("response"), asked):
        return f"write `response.{asked}`"
    return ""


def of_input(asked: str, scope: Scope) -> str:
    """Return what is meant by a field of `input`: elsewhere that is what the step has accepted, which is what the run
    began with in the first steps only.
    """
    inputs, event = scope.names.get("inputs"), scope.names.get("event")
    if not has_field(inputs, asked):
        return ""
    if event != inputs and has_field(event, asked):
        return f"`event.{asked}` is what the step has accepted, `inputs.{asked}` what the run began with"
    return f"write `inputs.{asked}`" if event == inputs else f"what the run began with is `inputs.{asked}`"


def for_filter(name: str) -> str:
    """Return what is meant by a name that is that of a filter, or by a text without its quotes."""
    return f'`{name}` is a filter, which stands behind a value: `VALUE | {name}`; a text stands in quotes: `"{name}"`'


def for_what_came(name: str, scope: Scope) -> str:
    """Return how an event is reached that a step has waited for; empty if it has waited for none of that name."""
    waited = scope.names.get("result")
    known = (
        []
        if waited is None
        else [each.name for each in members(waited) if isinstance(each, Record) and each.role == "event"]
    )
    if name not in known or name not in scope.classes:
        return ""
    more = f", and `result is {name}` says whether it is this one" if len(known) > 1 else ""
    return f"what the step has waited for is `result`{more}"


def with_owner(finding: Finding, of: Node, name: str, scope: Scope) -> Finding:
    """Return the finding for a field that its owner lacks, with the hint that another name of the place has it."""
    if not isinstance(of, Name) or finding.hint.startswith("did you mean"):
        return finding
    own = of.name
    others = [each for each in OWNERS if each != own and has_field(scope.names.get(each), name)]
    declared = [each for each in others if each in DECLARED]
    if finding.code == "unknown-field" and own in DECLARED and declared:
        there = declared[0]
        hint = f"`{name}` is declared under `{there}`: write `{there}.{name}`, or declare it under `{own}`"
        return replace(finding, hint=hint, fix=None)
    if finding.code == "unknown-field" and own in DECLARED and finding.hint.startswith("it has no"):
        others = others[:1]
        also = f"; or there is `{others[0]}.{name}`" if others else ""
        return replace(finding, hint=f"declare it under `{own}`{also}", fix=None)
    if finding.code == "unknown-field" and others and finding.hint.startswith(("it has no", "there ")):
        # either may be wrong: the name of the owner, or that of the field
        fields = f"{finding.hint}; and " if finding.hint.startswith("there ") else ""
        event = scope.names[own] if own in {"event", "inputs"} and others[0] in DECLARED else None
        also = (
            f", or declare it in `{event.name}`"
            if isinstance(event, Record) and event.role == "event"
            else ""
        )
        return replace(finding, hint=f"{fields}there is `{others[0]}.{name}`{also}", fix=None)
    if finding.code == "only-some-have" and own == "event" and "inputs" in others:
        return replace(finding, hint=f"{finding.hint}; that of the start event is always `inputs.{name}`")
    return finding


def past_a_wrapper(finding: Finding, node: Attribute, text: str) -> Finding:
    """Return the finding for a field of something that has none, or for a field that is not there, with the hint that
    what is asked for behind it stands right behind its owner: `event.payload.name`, and `event.total.name` likewise.
    """
    if finding.code == "no-fields" and not finding.hint and isinstance(node.of, (Attribute, Subscript)):
        owner, name = node.of.of, node.name
    elif finding.code == "unknown-field" and node.name in WRAPPERS and finding.hint.startswith("there "):
        after = FIELD.match(text, node.name_end)
        owner, name = node.of, after[1] if after else ""
    else:
        return finding
    if not isinstance(owner.type, Record) or name not in owner.type.fields:
        return finding
    words = " ".join(text[owner.start : owner.end].split())
    return replace(finding, hint=f"write `{words}.{name}`", fix=None)


def for_missing_parts(words: str, kind: Type) -> str:
    """Return how to come to what a record holds, which has no parts; empty for all else."""
    if not isinstance(kind, Record) or not kind.name or not kind.fields:
        return ""
    events = [name for name, each in kind.fields.items() if kind.name == "events" and name[:1].isupper()]
    what = "a joined event has its name" if events else "a field stands"
    return f"{what} behind a dot: `{words}.{(events or list(kind.fields))[0]}`"


def for_misfit(words: str, kind: Type, filter_name: str, takes: str) -> str:
    """Return what may be meant by a filter that is for no values of a type; empty where that cannot be told."""
    if isinstance(kind, Record) and kind.fields:
        fields = listed(kind.fields)
        if filter_name in OF_MAPS:
            return f"that is for a map, whose keys come from data; the fields of a record are known: {fields}"
        return f"one of its fields may be meant: {fields}"
    if isinstance(kind, ListOf) and isinstance(kind.item, Record) and takes.startswith("list of"):
        fitting = [name for name, each in kind.item.fields.items() if not may_be_null(each.type)]
        return f'take a field of each item first, such as `| pluck("{fitting[0]}")`' if fitting else ""
    if isinstance(kind, ListOf) and filter_name in OF_MAPS:
        return f"that is for a map; `{words}` is a list, whose items are reached by `for`"
    return ""


def instead_of_or(words: str, kind: Type, other: str) -> str:
    """Return how to give a value in place of one that is there, and is nothing all the same; else an empty text."""
    given = base(kind)
    if given is STRING or isinstance(given, (ListOf, MapOf)):
        return f"`{words} if {words} is not empty else {other}`"
    return f"`{words} if {words} != 0 else {other}`" if given in (INTEGER, NUMBER, DECIMAL) else ""


def is_word(node: Name, text: str) -> bool:
    """Return whether nothing is asked of a name, so that it may be a text without its quotes."""
    return ASKED.match(text, node.name_end) is None


def for_path(node: Node, scope: Scope) -> str:
    """Return how a text is written that is the path of a value between quotes; empty for all else."""
    text = node.value if isinstance(node, Constant) else None
    if not isinstance(text, str) or not PATH.fullmatch(text) or text.partition(".")[0] not in scope.names:
        return ""
    return f"write `{text}` without quotes"


def for_secret(text: str, name: str) -> str:
    """Return how a secret is written that stands in a text."""
    words = text.lower()
    if "bearer" in words or "token " in words:
        return f"a secret is never part of a text: write `auth: {{bearer: {name}}}` beside `headers`"
    if "basic " in words:
        return f"a secret is never part of a text: write `auth: {{basic: {{user: …, password: {name}}}}}`"
    return (
        f"a secret is never part of a text: it stands in `auth`, in `api_key`, or as `{{secret: {name}}}` alone "
        "in a header, `query`, `body` or `env`"
    )


def for_truth(words: str, operator: str, name: str) -> str:
    """Return how to ask whether something is true that is compared with `yes` or `no`; empty for other names."""
    truth = TRUTH.get(name.lower())
    if truth is None or operator not in {"==", "!="}:
        return ""
    return f"write `{words}`" if truth == (operator == "==") else f"write `not {words}`"


def for_word(words: str, operator: str, name: str, kind: Type) -> str:
    """Return how to compare a text or a truth with a word that is no name; empty where that cannot be told."""
    if base(kind) is BOOLEAN:
        return for_truth(words, operator, name)
    return f'a text stands in quotes: `"{name}"`'


def for_comparison(
    operator: str, sides: tuple[Node, Node], kinds: tuple[Type, Type], words: tuple[str, str]
) -> str:
    """Return how to write a comparison of two sides that cannot be compared; empty where that cannot be told."""
    for value, kind, other in ((sides[1], kinds[0], words[0]), (sides[0], kinds[1], words[1])):
        if not isinstance(value, Constant) or isinstance(value.value, bool) or value.value is None:
            continue
        if isinstance(value.value, str) and QUOTED_PATH.fullmatch(value.value):
            return f"write `{value.value}` without quotes, if its value is meant"
        if isinstance(value.value, str) and (named := IN_BRACES.fullmatch(value.value)):
            return f"write `{named[1]}`, without quotes and braces, if its value is meant"
        if found := for_constant(operator, value.value, kind, other):
            return found
    return ""


def for_constant(operator: str, value: object, kind: Type, words: str) -> str:
    """Return how to write a comparison of a value written out with something of a type."""
    base_kind = base(kind)
    if base_kind is DECIMAL:
        if isinstance(value, float):
            return f'write `"{value}"`: decimals beside numbers stand in quotes'
        if isinstance(value, str) and (comma := COMMA.fullmatch(value)):
            return f'write `"{comma[1]}.{comma[2]}"`'
    among = isinstance(kind, Enumeration) and str(value) not in kind.values and operator in {"==", "!="}
    if not isinstance(value, str) and isinstance(kind, Enumeration) and among:
        return f"it can be {joined([str(each) for each in kind.values], 'or')}"
    if not isinstance(value, str):
        is_text = base_kind is STRING and operator in {"==", "!="}
        return f'write `"{value}"`, or compare something that is a number' if is_text else ""
    if base_kind in (INTEGER, NUMBER) and NUMBERS.fullmatch(value):
        also = (
            f", or declare `{words}` as a `decimal`" if "." in value and QUOTED_PATH.fullmatch(words) else ""
        )
        return f"write `{value}` without quotes{also}"
    if base_kind is BOOLEAN:
        return for_truth(words, operator, value)
    if operator in {"==", "!="} and any(
        isinstance(each, Record) and show(each) == value for each in members(kind)
    ):
        return f"ask `{words} is {'not ' * (operator == '!=')}{value}`"
    return ""


def for_condition(type: Type, node: Node | None = None) -> str:
    """Return how to make a condition of a value that is none.

    Args:
        node: What the author wrote, if that is at hand.
    """
    if isinstance(node, Constant) and isinstance(node.value, str):
        braces = " and braces" if node.value.lstrip().startswith(("{%", "{{", "${{")) else ""
        return f"a condition stands without quotes{braces} around it; if a text is meant, compare something with it"
    kind = without_null(type)
    if isinstance(kind, ListOf) and base(kind.item) is BOOLEAN:
        return "a condition stands without brackets; of a list ask `| all`, `| any` or `is not empty`"
    if isinstance(kind, (ListOf, MapOf)):
        return "ask `is not empty` if that is meant"
    if kind is STRING:
        return "ask `is not empty` if that is meant, or compare it"
    if may_be_null(type):
        return "ask `is not none` if that is meant, or compare it"
    if named := [each.name for each in members(kind) if isinstance(each, Record) and each.name]:
        return f"ask which it is: `is {named[0]}`" if len(named) > 1 else "ask for one of its fields"
    kind = base(type)
    if kind is STRING:
        return "compare it with one of its values"
    return (
        "ask `!= 0` if that is meant, or compare it"
        if kind in (INTEGER, NUMBER)
        else "compare it with something"
    )


def for_denied(type: Type) -> str:
    """Return the same behind `not`; empty where that makes no difference."""
    kind = without_null(type)
    if isinstance(kind, (ListOf, MapOf)) or kind is STRING:
        return "write `is empty` behind it, and no `not` before it, if that is meant"
    if may_be_null(type) and base(kind) is not BOOLEAN:
        return "write `is none` behind it, and no `not` before it, if that is meant"
    return ""


def for_value_alone(before: Node | None, part: Node, words: Callable[[Node], str]) -> str:
    """Return what to write for `x == "a" or "b"`, where the comparison is meant to hold for both.

    Args:
        words: Returns a node as the author wrote it.
    """
    if not isinstance(before, Compare) or not isinstance(part, Constant) or isinstance(part.value, bool):
        return ""
    return f"write `{words(before.left)} {before.operator} {words(part)}`"
