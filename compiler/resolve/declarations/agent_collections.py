"""Collections of texts as tools of agents: a search, and of those that runs write one that remembers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from wfc.compiler.model import CollectionUse, Knowledge, Tool
from wfc.compiler.python.literals import pascal_case
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.types import INTEGER, PASSAGE, STRING, Constraints, Field, ListOf, Optional, Record

__all__ = ["as_collection_tool", "collection_of"]

SEARCH: Final = "search"
REMEMBER: Final = "remember"

USUAL_TOP: Final = 5
MOST: Final = 20
"""How many passages a model may ask for at once; each of them it reads, and pays."""


def as_collection_tool(knowledge: Knowledge, declared: Declarations) -> Tool:
    """Return what a collection is as a tool of agents: its operations, `NAME.search` and `NAME.remember`."""
    known = declared.collection_tools
    if knowledge.name not in known:
        nothing = Record(pascal_case(knowledge.name), role="namespace", address=knowledge.address)
        operations = [searching(knowledge)]
        broken = declared.is_broken((*knowledge.address, "per"))  # which is told there
        if knowledge.per is not None or broken:
            operations.append(remembering(knowledge))
        known[knowledge.name] = tool(knowledge, "", nothing, "", tuple(operations))
    return known[knowledge.name]


def collection_of(found: Tool, declared: Declarations) -> CollectionUse | None:
    """Return the collection that an operation belongs to; ``None`` for any other tool."""
    known = declared.collection_tools.get(found.group)
    if known is None or found not in (known.operations or ()):
        return None
    return CollectionUse(declared.knowledge.nodes[found.group], found.name.endswith(f".{REMEMBER}"))


def searching(knowledge: Knowledge) -> Tool:
    """Return the search of a collection, which takes values of `about` that a passage has to have."""
    args = Record(f"{pascal_case(knowledge.name)}SearchArgs", role="namespace", address=knowledge.address)
    args.fields["query"] = Field("query", STRING, description="What is searched for.")
    args.fields["top"] = Field(
        "top",
        INTEGER,
        has_default=True,
        default=USUAL_TOP,
        description="How many passages at most.",
        constraints=Constraints(min=1, max=MOST),
    )
    for name, each in about(knowledge, args):
        inner = each.type if isinstance(each.type, Optional) else Optional(each.type)
        told = each.description or "What is said about a passage."
        args.fields[name] = Field(
            name, inner, description=f"{told} Only passages of which just this is said."
        )
    said = f"Searches {called(knowledge)}, and gives the passages that fit best."
    return tool(knowledge, SEARCH, args, said)


def remembering(knowledge: Knowledge) -> Tool:
    """Return what remembers a text in a collection."""
    args = Record(f"{pascal_case(knowledge.name)}RememberArgs", role="namespace", address=knowledge.address)
    args.fields["text"] = Field("text", STRING, description="What is to be remembered, one fact.")
    for name, each in about(knowledge, args):
        args.fields[name] = Field(
            name, each.type, each.has_default, each.default, each.description, each.constraints
        )
    return tool(knowledge, REMEMBER, args, f"Remembers a text in {called(knowledge)}.")


def about(knowledge: Knowledge, args: Record) -> Iterator[tuple[str, Field]]:
    """Yield what is said about texts, by names that the arguments do not have yet."""
    for name, each in knowledge.about.fields.items():
        yield (f"about_{name}" if name in args.fields else name), each


def called(knowledge: Knowledge) -> str:
    """Return a collection as its tools tell of it."""
    said = knowledge.description.strip().rstrip(".")
    return f"`{knowledge.name}` ({said})" if said else f"the collection `{knowledge.name}`"


def tool(
    knowledge: Knowledge, name: str, args: Record, said: str, operations: tuple[Tool, ...] | None = None
) -> Tool:
    """Return a tool of a collection."""
    return Tool(
        name=f"{knowledge.name}.{name}" if name else knowledge.name,
        python=None,
        request=None,
        args=args,
        output=ListOf(PASSAGE) if name == SEARCH else STRING,
        secrets=(),
        read_only=name != REMEMBER,
        description=said,
        address=knowledge.address,
        file=knowledge.file,
        group=knowledge.name if name else "",
        operations=operations,
    )
