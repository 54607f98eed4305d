"""Rules about what steps call: tools, requests, programs, agents, messages; and with what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wfc.compiler.review.catalogue.placing import change_between
from wfc.compiler.review.changes import Level, SpecChange, mirrored, rule
from wfc.compiler.review.pair import Pair
from wfc.compiler.review.sameness import became, differences, said, same

__all__ = ["argument_changed", "changes_of_calls"]

_INFO, _WARN, _ACT = Level.INFO, Level.WARN, Level.ACT
_ANOTHER = "the opposite of another one is another one"

tool_changed = rule(
    "tool-changed",
    "security",
    _ACT,
    "A step calls another tool than before, or another workflow.",
    no_mirror=_ANOTHER,
)

binding_changed = rule(
    "tool-binding-changed",
    "security",
    _ACT,
    """A tool is something else than before: another function, address, program or server.

Whoever calls the tool by its name calls that from now on.""",
    no_mirror=_ANOTHER,
)

harmless = rule(
    "read-only-added",
    "security",
    _ACT,
    """A tool or a program is said to change nothing, which was not said before.

It is called again after a crash and is tried again without a key then. Does it really change nothing?""",
    mirror="read-only-removed",
)

not_harmless = rule(
    "read-only-removed",
    "security",
    _INFO,
    "A tool or a program is not said any more to change nothing.",
    mirror="read-only-added",
)

request_changed = rule(
    "request-changed",
    "security",
    _ACT,
    """A request is another one: its method, its address, what it sends, or how it proves who sends it.

Look at what it does there now, and at what is sent.""",
    no_mirror=_ANOTHER,
)

command_changed = rule(
    "command-changed",
    "security",
    _ACT,
    """A program is started with other arguments, another input or other variables.

Arguments decide what a program does.""",
    no_mirror=_ANOTHER,
)

argument_changed = rule(
    "argument-changed",
    "reviewers",
    _WARN,
    "A tool, an agent or a workflow is given something else than before.",
    no_mirror=_ANOTHER,
)

signature_changed = rule(
    "tool-arguments-changed",
    "operators",
    _WARN,
    """A tool takes other arguments than before, by what the spec says of it.

The function, the service or the program has to take them.""",
    no_mirror="arguments may come and go in one change",
)

_KEY = mirrored(
    "idempotency-key",
    "operators",
    ("added", _INFO, "A step gives a key of its own by which a repeated call is known."),
    (
        "removed",
        _ACT,
        """A step gives no key of its own any more by which a repeated call is known.

Where the service knew repeated calls by it, an effect may happen twice when a call is tried again.""",
    ),
)

key_changed = rule(
    "idempotency-key-changed",
    "operators",
    _ACT,
    """The key by which a repeated call is known is made otherwise.

Calls that were made with the earlier key are not known by the new one: what has been done may be done again.""",
    no_mirror=_ANOTHER,
)

message_changed = rule(
    "sent-message-changed",
    "reviewers",
    _WARN,
    "A step sends another event than before, or fills, addresses or keeps it otherwise.",
    no_mirror=_ANOTHER,
)

item_error = rule(
    "item-error-changed",
    "reviewers",
    _ACT,
    """Something else happens than before when one item of a list fails.

What failed the step may be left out without a word, or stand for a result; or the other way round.""",
    no_mirror=_ANOTHER,
)


def changes_of_calls(pair: Pair) -> Iterator[SpecChange]:
    """Yield what has changed of what is called, and with what."""
    for name, before, after in pair.both("tools"):
        yield from _tool(pair, name, before, after)
    yield from _renamed_arguments(pair)
    for name, path, one, other in pair.actions:
        yield from _action(pair, name, path, one, other)
    for name, before, after in pair.changed_steps:
        yield from _key(pair, name, before, after)


def _tool(pair: Pair, name: str, before: Any, after: Any) -> Iterator[SpecChange]:
    path, at = f"tools.{name}", (before, after)
    parts = ("binding", "python", "workflow", "mcp", "openapi", "request", "command")
    if any(
        not same(before[each], after[each]) for each in ("binding", "python", "workflow", "mcp", "openapi")
    ):
        was, now = _bound(before), _bound(after)
        told = f"the tool `{name}` is {now}, and was {was}"
        if was == now:
            told = f"the tool `{name}` calls {now} otherwise: {_first(before, after, parts)}"
        covers = tuple(f"{path}.{each}" for each in (*parts, "secrets"))
        yield binding_changed.found(
            pair.name,
            f"{path}.binding",
            told,
            before=was,
            after=now,
            old=before["at"],
            new=after["at"],
            covers=covers,
        )
    else:
        yield from _request(
            pair, f"{path}.request", f"the tool `{name}`", before["request"], after["request"]
        )
        yield from _command(
            pair, f"{path}.command", f"the tool `{name}`", before["command"], after["command"]
        )
    if before["read_only"] != after["read_only"]:
        which = harmless if after["read_only"] else not_harmless
        told = _harmless(f"the tool `{name}`", after)
        yield change_between(
            pair, which, f"{path}.read_only", told, before["read_only"], after["read_only"], at
        )
    if not same(before["args"], after["args"]):
        was, now = _signature(before["args"]), _signature(after["args"])
        told = f"the tool `{name}` takes {now}, and took {was}"
        users = [agent for agent, each in pair.new["agents"].items() if name in each["tools"]]
        covers = tuple(f"agents.{agent}.tools.{name}.free" for agent in users)
        yield signature_changed.found(
            pair.name,
            f"{path}.args",
            told,
            before=was,
            after=now,
            old=before["at"],
            new=after["at"],
            covers=covers,
        )


def _renamed_arguments(pair: Pair) -> Iterator[SpecChange]:
    """Yield the arguments of tools that have another name and are the same otherwise."""
    for owner, names in pair.fields_renamed.items():
        tool = owner.removeprefix("tools.")
        for before, after in names.items() if tool != owner else ():
            yield signature_changed.found(
                pair.name,
                f"{owner}.args.{after}",
                f"the argument `{before}` of the tool `{tool}` is called `{after}` now",
                before=before,
                after=after,
                old=pair.old["tools"][tool]["args"][after]["at"],
                new=pair.new["tools"][tool]["args"][after]["at"],
            )


def _harmless(what: str, said_of: Any) -> str:
    return f"{what} is said {'to change nothing' if said_of['read_only'] else 'no more to change nothing'}"


def _signature(args: Any) -> str:
    if args is None:
        return "what it is given"
    shown = (f"{name}{'' if each['required'] else '?'}: {each['text']}" for name, each in args.items())
    return ", ".join(shown) or "nothing"


def _bound(tool: Any) -> str:
    match tool["binding"]:
        case "python":
            return f"the function `{tool['python']}`"
        case "workflow":
            return f"the workflow `{tool['workflow']}`"
        case "mcp":
            return f"`{tool['mcp']['name']}` of an MCP server"
        case "openapi":
            return f"`{tool['openapi']['method']} {tool['openapi']['path']}` of a service"
        case "http":
            return "a request"
    return "a program"


def _first(before: Any, after: Any, parts: tuple[str, ...]) -> str:
    """Return the first thing in which two bindings differ, in words."""
    for each in parts:
        for found in differences(before[each], after[each]):
            return became(f"{' '.join(found.path) or each}", found.old, found.new)
    return ""


def _action(pair: Pair, name: str, path: str, before: Any, after: Any) -> Iterator[SpecChange]:
    at = (before, after)
    match before["does"]:
        case "tool":
            yield from _tool_call(pair, name, path, before, after)
        case "http":
            yield from _request(pair, f"{path}.request", f"`{name}`", before["request"], after["request"])
        case "command":
            yield from _command(pair, f"{path}.command", f"`{name}`", before["command"], after["command"])
        case "workflow":
            yield from _arguments(pair, name, f"{path}.inputs", before["inputs"], after["inputs"], at)
            if sorted(before["workflows"]) != sorted(after["workflows"]):
                told = f"`{name}` calls {said(after['workflows'])}, and called {said(before['workflows'])}"
                yield change_between(
                    pair, tool_changed, f"{path}.workflows", told, before["workflows"], after["workflows"], at
                )
        case "agent":
            yield from _arguments(pair, name, f"{path}.args", before["args"] or {}, after["args"] or {}, at)
            if before["agent"] != after["agent"]:
                told = f"`{name}` asks the agent `{after['agent']}`, and asked `{before['agent']}`"
                yield change_between(
                    pair, tool_changed, f"{path}.agent", told, before["agent"], after["agent"], at
                )
        case "map":
            for key in ("on_item_error", "instead"):
                if not same(before[key], after[key]):
                    told = became(f"when an item of `{name}` fails, `{key}`", before[key], after[key])
                    yield change_between(pair, item_error, f"{path}.{key}", told, before[key], after[key], at)
        case "send":
            for found in differences(before, after):
                told = became(f"{' '.join(found.path)} of what `{name}` sends", found.old, found.new)
                about = ".".join((path, *found.path))
                yield change_between(pair, message_changed, about, told, found.old, found.new, at)


def _tool_call(pair: Pair, name: str, path: str, before: Any, after: Any) -> Iterator[SpecChange]:
    if before["tool"] != after["tool"]:
        told = f"`{name}` calls `{after['tool']}`, and called `{before['tool']}`"
        at = (before, after)
        yield change_between(
            pair,
            tool_changed,
            f"{path}.tool",
            told,
            before["tool"],
            after["tool"],
            at,
            covers=(f"steps.{name}.result",),
        )
    yield from _arguments(pair, name, f"{path}.args", before["args"], after["args"], (before, after))


def _arguments(
    pair: Pair, name: str, path: str, old: Any, new: Any, at: tuple[Any, Any]
) -> Iterator[SpecChange]:
    for arg in dict.fromkeys([*old, *new]):
        before, after = old.get(arg), new.get(arg)
        if not same(before, after):
            told = became(f"`{arg}`, as `{name}` gives it,", before, after)
            yield change_between(pair, argument_changed, f"{path}.{arg}", told, before, after, at)


def _request(pair: Pair, path: str, who: str, before: Any, after: Any) -> Iterator[SpecChange]:
    for found in differences(before, after):
        what = " ".join(found.path)
        told = became(f"{what} of the request of {who}", found.old, found.new)
        about = ".".join((path, *found.path))
        yield change_between(pair, request_changed, about, told, found.old, found.new, (before, after))


def _command(pair: Pair, path: str, who: str, before: Any, after: Any) -> Iterator[SpecChange]:
    if same(before, after) or before is None or after is None:
        return
    if before["read_only"] != after["read_only"]:
        which = harmless if after["read_only"] else not_harmless
        told = _harmless(f"the program of {who}", after)
        yield change_between(
            pair, which, f"{path}.read_only", told, before["read_only"], after["read_only"], (before, after)
        )
    was, now = _line(before), _line(after)
    if was != now:
        told = f"{who} starts `{now}`, and started `{was}`"
        covers = (f"{path}.program", f"{path}.arguments")
        yield command_changed.found(
            pair.name,
            f"{path}.line",
            told,
            before=was,
            after=now,
            old=before["at"],
            new=after["at"],
            covers=covers,
        )
    for key in ("stdin", "env"):
        for found in differences(before[key], after[key], (key,)):
            what = " ".join(found.path)
            told = became(f"{what} of the program of {who}", found.old, found.new)
            about = ".".join((path, *found.path))
            yield change_between(pair, command_changed, about, told, found.old, found.new, (before, after))


def _line(command: Any) -> str:
    return " ".join([str(command["program"]), *(said(each) for each in command["arguments"])])


def _key(pair: Pair, name: str, before: Any, after: Any) -> Iterator[SpecChange]:
    one, other = before["idempotency_key"], after["idempotency_key"]
    if same(one, other):
        return
    added, removed = _KEY
    which = added if one is None else removed if other is None else key_changed
    told = {
        added: f"`{name}` gives a key by which a repeated call is known: {said(other)}",
        removed: f"`{name}` gives no key any more by which a repeated call is known, which was {said(one)}",
    }.get(
        which, f"the key by which a repeated call of `{name}` is known is {said(other)}, and was {said(one)}"
    )
    yield change_between(pair, which, f"steps.{name}.idempotency_key", told, one, other, (before, after))
