"""The names that an expression may begin with at a place, and the fields behind them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = [
    "EXTENDS",
    "Loops",
    "accepted",
    "common_fields",
    "event_fields",
    "fields_behind",
    "fields_of",
    "loops_around",
    "loops_before",
    "roots_of",
    "shown_type",
    "step_at",
    "table",
]

Loops = Mapping[str, str]
STATEMENT: Final = re.compile(r"\{%-?\s*(?:for\s+(\w+)\s+in\s+([\w.]+)|endfor)")
IN_BRACKETS: Final = re.compile(r"\bfor\s+(\w+)\s+in\s+([\w.]+)")
LIST: Final = "list of "
DEEPEST: Final = 20
EXTENDS: Final = "extends"

ROOTS: Final = {
    "event": "The event that the step has accepted.",
    "events": "The events that the step has accepted, by their names, and their fields.",
    "result": "What the step's action has given.",
    "response": "What the service has answered, but for its body.",
    "agent": "The agent that has given the answer, and what it has used.",
    "error": "What went wrong.",
    "inputs": "The fields of the event that the run began with.",
    "state": "What the run remembers.",
    "config": "The settings that the run was given.",
    "run": "The run itself.",
}
COLLECTED: Final = (
    "The events that the step has accepted, as a list: `events | length`, `[e.name for e in events]`, "
    '`events | pluck("name")`.'
)
"""What `events` is to a step that collects a batch."""

AFTERWARDS: Final = frozenset("save emit require stream that give".split())
"""The keys of steps that are worked out when the result is there."""

KNOWN: Final[Mapping[str, Mapping[str, Any]]] = {
    "error": {
        "name": {
            "type": "string",
            "description": "The dotted name of the error, such as `http.404` or `timeout`.",
        },
        "message": {"type": "string", "description": "What went wrong, in words."},
        "status": {
            "type": "optional integer",
            "description": "Of a request: the status of the reply, if one came.",
        },
        "body": {"type": "any", "description": "Of a request: the body of the reply, if one came."},
    },
    "response": {"status": "integer", "headers": "map of string"},
    "agent": {"name": "string", "turns": "integer", "tokens": "integer", "cost_usd": "number"},
    "run": {"id": "string", "attempt": "integer", "round": "integer", "now": "datetime"},
}
OUTPUTS: Final = {"human": "form"}
"""The keys of steps that say what comes back, where it is not `output`."""


def roots_of(data: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, str]:
    """Return the names that an expression at a path may begin with, each with what it is."""
    step, key = step_at(data, path), path[2] if len(path) > 2 else ""
    inside = path[:1] == ("steps",)
    joins = isinstance(step.get("accepts"), dict)
    there = {
        "event": inside and not joins,
        "events": inside and joins,
        "result": key in AFTERWARDS and step.get("kind") != "transform",
        "response": key in AFTERWARDS and step.get("kind") == "http",
        "agent": key in AFTERWARDS and step.get("kind") == "agent",
        "error": "on_error" in path or "on_item_error" in path,
        "inputs": True,
        "state": bool(data.get("state")),
        "config": bool(data.get("config")),
        "run": inside,
    }
    found = {name: about for name, about in ROOTS.items() if there[name]}
    if inside and collects(step):
        found["events"] = COLLECTED
    if step.get("kind") == "map":
        found[str(step.get("as", "item"))] = "The item that the action is done with."
    return found


def fields_of(data: Mapping[str, Any], path: tuple[str, ...], root: str) -> dict[str, Any]:
    """Return the fields behind a name, each with its type as the spec says it."""
    step = step_at(data, path)
    events = accepted(step.get("accepts"))
    if root == "event":
        return common_fields(data, events)
    if root.partition(".")[0] == "events" and collects(step):
        return {}  # a list
    if root == "events":
        return {**{name: table(data, "events").get(name) for name in events}, **common_fields(data, events)}
    if root.startswith("events."):
        return common_fields(data, [root.removeprefix("events.")])
    if root == "inputs":
        return common_fields(data, [str(data.get("start", ""))])
    if root == "result":
        if step.get("kind") == "human" and "quorum" in step:
            return {}  # a list of answers
        output = step.get(OUTPUTS.get(str(step.get("kind")), "output"))
        if output is None and step.get("kind") == "tool":
            tool = table(data, "tools").get(str(step.get("tool")))
            output = tool.get("output") if isinstance(tool, dict) else None
        return record(data, output)
    if root in {"state", "config"}:
        return dict(table(data, root))
    return dict(KNOWN.get(root, {}))


def collects(step: Mapping[str, Any]) -> bool:
    """Return whether a step takes the events of a batch together, as a list."""
    said = step.get("accepts")
    return isinstance(said, dict) and "each" in said


def shown_type(said: Any) -> str:
    """Return a type as few words: of a field, of an event, of whatever is declared."""
    if isinstance(said, str):
        return said
    if not isinstance(said, dict):
        return ""
    if isinstance(said.get("type"), str):
        return str(said["type"])
    if "enum" in said:
        return "one of " + ", ".join(map(str, said["enum"]))
    if "kind" in said:
        return f"{said['kind']} step"
    return "{" + ", ".join(map(str, said)) + "}"


def accepted(said: Any) -> list[str]:
    """Return the events that a step accepts."""
    if isinstance(said, str):
        return [said]
    if isinstance(said, list):
        return [name for each in said for name in accepted(each)]
    if isinstance(said, dict):
        return [name for key in ("any", "all", "each", "event") for name in accepted(said.get(key))]
    return []


def common_fields(data: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    """Return the fields that any of some events has; the check tells which of them may be used."""
    found: dict[str, Any] = {}
    for name in names:
        found = {**event_fields(data, name), **found}
    return found


def event_fields(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the fields of an event, those first of the event that it extends."""
    own: list[dict[str, Any]] = []
    while len(own) < DEEPEST:
        said = table(data, "events").get(name)
        if not isinstance(said, dict):
            break
        own.append({key: each for key, each in said.items() if key != EXTENDS})
        name = str(said.get(EXTENDS))
    return {key: each for fields in reversed(own) for key, each in fields.items()}


def record(data: Mapping[str, Any], said: Any) -> dict[str, Any]:
    """Return the fields of a type, which may be a record or the name of one."""
    said = meant(data, said)
    return dict(said) if isinstance(said, dict) and "enum" not in said else {}


def meant(data: Mapping[str, Any], said: Any, depth: int = 0) -> Any:
    """Return a type without its name, its question mark and its long form."""
    if depth > DEEPEST:
        return None
    if isinstance(said, str):
        name = said.strip().removeprefix("optional ").removesuffix("?").strip()
        known = table(data, "types")
        return meant(data, known[name], depth + 1) if name in known else name
    if isinstance(said, dict) and isinstance(said.get("type"), (str, dict)):
        return meant(data, said["type"], depth + 1)
    return said


def item_of(data: Mapping[str, Any], said: Any) -> Any:
    """Return the type of the items of a list; ``None`` if it is none."""
    said = meant(data, said)
    if isinstance(said, dict) and "list" in said:
        return said["list"]
    if not isinstance(said, str) or not said.startswith(LIST):
        return None
    return said.removeprefix(LIST).partition(",")[0]


def fields_behind(
    data: Mapping[str, Any], path: tuple[str, ...], dotted: str, loops: Loops
) -> dict[str, Any]:
    """Return the fields behind a name and the fields that follow it: ``event.order``.

    Args:
        loops: See ``loops_before``.
    """
    root, *names = dotted.split(".")
    if root in loops and len(loops) <= DEEPEST:
        over = loops[root]
        others = {name: each for name, each in loops.items() if name != root}
        if over == "events" and collects(step_at(data, path)):
            found = common_fields(data, accepted(step_at(data, path).get("accepts")))
        else:
            found = record(data, item_of(data, type_behind(data, path, over, others)))
    elif root == "events" and names:
        found = fields_of(data, path, f"events.{names.pop(0)}")
    else:
        found = fields_of(data, path, root) or of_item(data, path, root)
    for each in names[:DEEPEST]:
        found = record(data, found.get(each))
    return found


def of_item(data: Mapping[str, Any], path: tuple[str, ...], root: str) -> dict[str, Any]:
    """Return the fields of the item that the action of a `map` is done with."""
    step = step_at(data, path)
    over = step.get("over")
    if step.get("kind") != "map" or root != step.get("as", "item") or not isinstance(over, str):
        return {}
    return record(data, item_of(data, type_behind(data, path, over.strip(" ${}"), {})))


def type_behind(data: Mapping[str, Any], path: tuple[str, ...], dotted: str, loops: Loops) -> Any:
    head, _, name = dotted.strip().rpartition(".")
    return fields_behind(data, path, head, loops).get(name) if head else None


def loops_before(said: str) -> Loops:
    """Return the names of the loops of a prompt that are open at the end of what stands before, each with its list."""
    found: list[tuple[str, str]] = []
    for each in STATEMENT.finditer(said):
        if each[1] is None:
            found[-1:] = []
        else:
            found.append((each[1], each[2]))
    return dict(found)


def loops_around(line: str, at: int) -> Loops:
    """Return the names of the loops in brackets around a place of a line, each with its list.

    Of each bracket counts what stands in it without what stands in brackets of its own.
    """
    opened: dict[int, list[str]] = {}
    around: dict[int, list[str]] = {}
    for place, each in enumerate(line):
        if place == at:
            around = dict(opened)
        if each == "[":
            opened[place] = ["["]
            continue
        if each == "]" and opened:
            opened.popitem()
        if opened:
            opened[next(reversed(opened))].append(each)
    if at >= len(line):
        around = dict(opened)
    loops = (IN_BRACKETS.search("".join(own)) for own in around.values())
    return {each[1]: each[2] for each in loops if each}


def step_at(data: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:
    found = table(data, "steps").get(path[1]) if path[:1] == ("steps",) and len(path) > 1 else None
    return found if isinstance(found, dict) else {}


def table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}
