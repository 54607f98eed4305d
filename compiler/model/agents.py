"""Models that work with tools in a loop, and texts that can be searched."""

from __future__ import annotations

from typing import Any, Final, Literal

from wfc.compiler.diagnostics import Address
from wfc.compiler.expressions import Expression, Template
from wfc.compiler.model.bindings import Model, Tool
from wfc.compiler.model.exits import Save
from wfc.compiler.model.values import Secret, Value
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import Record, Type

KnowledgeIndex = Literal["keyword", "vector", "hybrid", "list", "tree", "keyword_table"]
"""By what a collection is searched."""


@dataclass(frozen=True, slots=True)
class Approval:
    """That a person has to allow the calls of a tool.

    Args:
        when: Which calls; ``None``: all.
        title: The question; ``None``: one that is made of the tool's name.
        show: What the person is shown; ``None``: the arguments.
        within: Seconds to wait for an answer.
    """

    when: Expression | None
    title: Template | None
    show: Template | None
    assign: tuple[Template, ...]
    within: float


@dataclass(frozen=True, slots=True)
class CollectionUse:
    """A collection as a tool of an agent.

    Args:
        remembers: Whether the tool writes it; else it searches.
    """

    knowledge: Knowledge
    remembers: bool


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool as an agent has it.

    Args:
        bound: The arguments that the model does not choose.
        free: What it chooses.
        final: Whether its result is the agent's answer.
        approval: That a person has to allow its calls, if one has to.
        agent: The agent that is this tool; ``tool`` has its name, its arguments and its output.
        collection: The collection that is, likewise.
        address: Where it is listed.
        when: When it is offered; ``None``: always.
        save: What the step saves when a call of it is done.
    """

    tool: Tool
    bound: tuple[tuple[str, Value], ...]
    free: Record
    final: bool = False
    approval: Approval | None = None
    agent: Agent | None = None
    address: Address = ()
    when: Expression | None = None
    save: tuple[Save, ...] = ()
    collection: CollectionUse | None = None


@dataclass(frozen=True, slots=True)
class HandOver:
    """That an agent may let another one go on in its place.

    Args:
        agent: The other one.
        kept: Those of its arguments that both have: they go on as they are.
        free: Those that the model chooses.
        address: Where it is listed.
    """

    agent: Agent
    kept: tuple[str, ...]
    free: Record
    address: Address


@dataclass(frozen=True, slots=True)
class OwnStyle:
    """The workflow that works out the replies of an agent.

    Args:
        workflow: Its name; empty where it is not clear which is meant, which has been reported.
        takes: What it is given of what there is.
        callee: What is known of it; ``None`` where that is nothing, which has been reported.
    """

    workflow: str
    takes: tuple[str, ...]
    callee: Any


STYLES: Final = ("function", "react", "code")
"""The styles that agents have without a workflow of one's own."""


@dataclass(frozen=True, slots=True, eq=False)
class Agent:
    """A model that works with tools in a loop.

    Args:
        model: ``None`` where that is not known, which has been reported, or where a workflow works out the replies.
        system: What the model is told before anything else.
        output: ``STRING`` where the agent declares none.
        tools: What the model may use.
        bounds: Its bounds, by the names that the runtime has for them; those that it gives itself.
        args: What it takes, for one under `agents`; ``None`` for one that stands in a step.
        declares_args: Whether it says itself what it takes, which is a task otherwise.
        prompt: What it is asked, made of `args`; ``None``: these, one a line.
        description: What its callers read of it.
        sees: What a hand-over to it brings.
        handoffs: The agents that it may hand over to.
        mentioned: First words of what its system text and its tools mention.
        own_style: The workflow that works out its replies, if one does.
    """

    name: str
    model: Model | None
    system: Template | None
    output: Type
    tools: list[ToolUse]
    bounds: dict[str, object]
    address: Address
    args: Record | None = None
    declares_args: bool = False
    prompt: Template | None = None
    description: str = ""
    sees: str = "said"
    handoffs: list[HandOver] = field(default_factory=list)
    mentioned: set[str] = field(default_factory=set)
    own_style: OwnStyle | None = None

    @property
    def needs_args(self) -> bool:
        """Whether more than its prompt mentions `args`, so that no other prompt can stand in their place."""
        return "args" in self.mentioned or any(each.kept for each in self.handoffs)


def saves_of_calls(action: object) -> tuple[Save, ...]:
    """Return what a step saves when calls of its agent's tools are done."""
    agent = getattr(action, "agent", None)
    return tuple(save for use in agent.tools for save in use.save) if isinstance(agent, Agent) else ()


def system_in_each_turn(agent: Agent, system: Template | None) -> Template | None:
    """Return a system text that mentions the state, of which the agent's calls may save something."""
    if system is None or not any(use.save for use in agent.tools):
        return None
    return system if any(path[:1] == ("state",) for path in system.uses) else None


def writes_code(agent: Agent) -> bool:
    """Return whether an agent's model calls tools in code that it writes."""
    return agent.bounds.get("style") == "code"


def team_of(agent: Agent) -> list[Agent]:
    """Return an agent and all that may come to work for it: its tools, and those that it hands over to."""
    found = {id(agent): agent}
    waiting = [agent]
    for one in waiting:
        nearby = [use.agent for use in one.tools if use.agent is not None]
        nearby += [each.agent for each in one.handoffs]
        waiting += [each for each in nearby if id(each) not in found]
        found |= {id(each): each for each in nearby}
    return list(found.values())


@dataclass(frozen=True, slots=True, eq=False)
class Thread:
    """A talk that is kept.

    Args:
        key: What tells it from others of this name; ``None``: each run has its own.
        messages: How many messages of it the model is shown.
        tokens: How many tokens these have.
        summarize: The model that sums up the rest.
        seconds: How long it is kept after the last answer.
    """

    name: str
    key: Expression | None
    messages: int | None
    tokens: int | None
    summarize: Model | None
    seconds: float | None
    address: Address


@dataclass(frozen=True, slots=True)
class ThreadUse:
    """A thread as a step uses it.

    Args:
        say: What is kept in place of the prompt.
        read_only: Whether nothing is kept.
    """

    thread: Thread
    say: Template | None = None
    read_only: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Knowledge:
    """A collection of texts that can be searched.

    Args:
        files: Paths with wildcards, relative to the file that declares it.
        file: That file, as findings show it.
        by: Along what its texts are cut into passages; ``None``: as a file's ending says.
        size: How many characters a passage has at most.
        overlap: How many of them it shares with the one before.
        parent: How many characters the larger parts have at most of which passages are cut; 0: there are none.
        index: By what it is searched.
        model: What embeds its texts, or builds its index: a model, or a function, as ``module:function``.
        max_calls: How many calls of that model an update may make that builds the index by it.
        about: What is said about its texts.
        urls: Addresses whose texts belong to it.
        sql: An SQLite file, or the secret with the address of a PostgreSQL database, and the query of its rows.
        loader: A function that yields texts, as ``module:function``.
        python: A retriever that is not ours, as ``module:name``.
        per: Whose entries these are, where runs write it; ``None``: it is made of its sources.
        entries: How many of them are kept for each.
        seconds: How old these may be.
        description: What it is, for people and for models.
    """

    name: str
    files: tuple[str, ...]
    file: str
    by: Literal["size", "sentence", "markdown", "code"] | None
    size: int
    overlap: int
    address: Address
    parent: int = 0
    index: KnowledgeIndex = "keyword"
    model: Model | str | None = None
    about: Record = field(default_factory=lambda: Record("about", role="namespace"))
    urls: tuple[str, ...] = ()
    sql: tuple[tuple[str | Secret, str], ...] = ()
    loader: str = ""
    python: str = ""
    per: Expression | None = None
    entries: int | None = None
    seconds: float | None = None
    max_calls: int = 0
    description: str = ""


__all__ = [
    "Agent",
    "Approval",
    "CollectionUse",
    "HandOver",
    "Knowledge",
    "KnowledgeIndex",
    "OwnStyle",
    "Thread",
    "ThreadUse",
    "ToolUse",
    "saves_of_calls",
    "system_in_each_turn",
    "team_of",
    "writes_code",
]
