"""The names in a spec: where each is declared, and where it is used."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any, Final

from wfc.compiler.lsp.scope import EXTENDS
from wfc.compiler.model.agents import STYLES
from wfc.compiler.slotted import dataclass
from wfc.compiler.yaml.source_tree import SourceNode, source_tree

__all__ = [
    "EXITS",
    "EXITS_OF_RUN",
    "IN_TESTS",
    "SECTIONS",
    "Mention",
    "PlacedNode",
    "declared_in",
    "kind_at",
    "names_in",
    "names_of",
    "nodes_of",
]

Path = tuple[str, ...]

SECTIONS: Final = {
    "event": "events",
    "step": "steps",
    "model": "models",
    "tool": "tools",
    "agent": "agents",
    "retry": "retries",
    "type": "types",
    "state": "state",
    "config": "config",
    "thread": "threads",
    "collection": "knowledge",
}
"""The kinds of names, and the keys of the documents below which they are declared."""

EXITS: Final = ("emit", "on_error", "on_limit", "on_timeout")
"""The keys of steps, and of what they accept together, under which events are made."""
EXITS_OF_RUN: Final = ("on_error", "on_cancel", "on_deadline")
"""The keys of workflows under which events are made."""
EVENT_KEYS: Final = frozenset({"event", *EXITS, *EXITS_OF_RUN})
BY_KEY: Final = {key: key for key in ("model", "agent", "tool", "retry", "thread")} | {
    "tools": "tool",
    "save": "state",
    "knowledge": "collection",
}
FREE: Final = frozenset("with output form args headers query body".split())
"""Keys below which authors choose the keys."""

JOINS: Final = frozenset("accepts any all each".split())
WITHIN: Final = frozenset({"steps", "agents", *EXITS_OF_RUN})
"""Where the keys of these tables name something."""

OWN_NAME: Final = ("workflow",)

BOUNDS: Final = frozenset({("start",), ("end",), ("accepts",), ("emits",)})
"""Where a workflow, or a part of one, says what goes in and out."""

IN_TESTS: Final = {"mock": "step", "ran": "step", "script": "agent", "tools": "tool", "people": "tool"}


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """A key or a value of a document, with the keys around it; a key's own is the last of its path."""

    path: Path
    node: SourceNode
    is_key: bool


@dataclass(frozen=True, slots=True)
class Mention:
    """A name where it stands.

    Args:
        declares: Whether it is declared there.
        of: The workflow that means something by it, if it is not the document's own.
    """

    kind: str
    name: str
    start: int
    end: int
    path: Path
    declares: bool
    of: str = ""


def nodes_of(text: str) -> list[PlacedNode]:
    """Return all keys and values of a document that can be read; items of lists do not count in their paths."""
    found: list[PlacedNode] = []
    waiting: list[tuple[Path, SourceNode]] = [((), source_tree(text))]
    while waiting:
        path, node = waiting.pop()
        found.append(PlacedNode(path, node, False))
        for key, value in node.parts:
            if key is None:
                waiting.append((path, value))
            else:
                own = (*path, key.value)
                found.append(PlacedNode(own, key, True))
                waiting.append((own, value))
    return found


def names_in(nodes: list[PlacedNode]) -> Iterator[Mention]:
    """Yield every name in a document, declarations and uses."""
    declared = {each.path for each in nodes if each.is_key and len(each.path) == 2}
    for each in nodes:
        node = each.node
        if node.collects or node.style in {"*", "|", ">"} or not node.value:
            continue
        kind, declares = key_names(each.path) if each.is_key else (kind_at(each.path), each.path == OWN_NAME)
        if each.path[0:1] == ("moved",) and not each.is_key:  # a step or an event that had another name
            kind = next(
                (kind for kind in ("step", "event") if (SECTIONS[kind], node.value) in declared), kind
            )
        if kind == "agent" and each.is_key and not declares and ("steps", node.value) in declared:
            kind = "step"  # whose agent is its own
        if kind == "event" and not (declares or node.value[0].isupper()):
            continue  # a word of the language, such as `nothing`
        if each.path[-1:] == ("style",) and node.value in STYLES:
            continue
        if kind:
            name = node.value
            if kind == "tool" and not declares:
                kind, name = tool_meant(name, declared)
            start = node.start + (node.style in {"'", '"'})
            yield Mention(kind, name, start, start + len(name), each.path, declares)


def names_of(kind: str) -> str:
    """Return the kind whose names a kind shares: a name is a type's or an event's, and not that of both."""
    return "event" if kind == "type" else kind


def tool_meant(name: str, known: Container[Path]) -> tuple[str, str]:
    """Return the kind and the name of what stands for a tool: an agent, a collection, or a tool.

    Of one of several operations, such as ``shop.find``, it is the service or the collection that it belongs to.
    """
    group = name.partition(".")[0]
    for kind in ("agent", "collection"):
        for each in (name, group):
            if (SECTIONS[kind], each) in known:
                return kind, each
    return "tool", group if ("tools", group) in known else name


def key_names(path: Path) -> tuple[str, bool]:
    """Return which kind of name a key is, and whether it declares it; an empty text if it is none."""
    if len(path) == 2:
        for kind, section in SECTIONS.items():
            if path[0] == section:
                return kind, True
    if path[0] == "receives" and len(path) == 2:
        return "event", False
    if path[0] == "steps" and len(path) == 4 and path[2] == "save":
        return "state", False
    if path[0] == "tests" and len(path) in {3, 4} and path[-2] in IN_TESTS:
        return IN_TESTS[path[-2]], False
    return "", False


def kind_at(path: Path) -> str:
    """Return which kind of name a value has to be; an empty text if it need not be one."""
    if not path:
        return ""
    key = path[-1]
    if path in BOUNDS:
        return "event"
    if path[0] == "defaults" and len(path) == 2:
        return BY_KEY.get(key, "")
    if path[0] == "models" and key == "fallback":
        return "model"
    if names_workflow(path):
        return "workflow"
    if path[0] == "events" and len(path) == 3 and key == EXTENDS:
        return "event"
    if path[0] == "tests" and key in {"tool", "offered"} and FREE.isdisjoint(path):
        return "tool"
    if path[0] == "tests":
        return "event" if path[-2:] == ("expect", "end") or path[-2:] == ("deliver", "event") else ""
    if path[0] not in WITHIN or not FREE.isdisjoint(path[2:]):
        return ""
    if key in EVENT_KEYS or (path[0] == "steps" and path[2:3] == ("accepts",) and key in JOINS):
        return "event"
    if path[0] in {"steps", "agents"} and path[2:] in {("tools", "tool"), ("do", "tool"), ("do", "agent")}:
        return key
    if path[0] in {"steps", "agents"} and len(path) == 3:
        return BY_KEY.get(key, "")
    return ""


def names_workflow(path: Path) -> bool:
    """Return whether a value at a path is the name of a workflow."""
    inner = path[2:] if path[0] in {"steps", "agents", "tools"} else ()
    is_moved = path[0] == "moved" and path[-1].startswith("workflow.")
    return (
        path == OWN_NAME
        or is_moved
        or inner
        in {
            ("workflow",),
            ("workflow", "only"),
            ("do", "workflow"),
            ("do", "workflow", "only"),
            ("to",),
            ("style",),
        }
    )


def declared_in(data: Any, kind: str) -> Mapping[str, Any]:
    """Return what data declare of a kind, by name."""
    found = data.get(SECTIONS.get(kind, "")) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}
