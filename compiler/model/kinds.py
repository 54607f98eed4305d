"""The kinds of steps: the nodes for their actions, and the registry of the properties of each kind.

To add one, follow "A new step kind" in `docs/contributing.md`: its keys in `schemas/workflow.schema.json`; its node
and its entry here; then its resolver (`CALLS` in `resolve/steps/actions.py`) and the method of a step's context that
is called, which has the kind's name. Only what is more than a call of that method has code of its own (`WRITERS` in
`codegen/methods/actions.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from wfc.compiler.expressions import Expression, Template
from wfc.compiler.model.agents import Agent, Knowledge, ThreadUse, team_of
from wfc.compiler.model.bindings import CommandLine, HttpRequest, Model, Tool
from wfc.compiler.model.messages import SendEvent
from wfc.compiler.model.pauses import AskPerson, Pause, WaitEvent, WaitFor, WaitUntil
from wfc.compiler.model.values import Value
from wfc.compiler.slotted import dataclass, field
from wfc.compiler.types import STRING, Record, Type

__all__ = [
    "ABOUT_ACTIONS",
    "STEP_KINDS",
    "Action",
    "AgentCall",
    "Call",
    "CommandCall",
    "ForgetCall",
    "HttpCall",
    "LlmCall",
    "MapItems",
    "RememberCall",
    "RetrieveCall",
    "RunsInside",
    "StepKind",
    "ToolCall",
    "WorkflowCall",
    "agent_tools",
    "agents_of",
    "calls_agent",
    "given_args",
    "is_request",
    "tells_of_agent",
]

ABOUT_ACTIONS: Final = ("retry", "timeout", "concurrency", "on_error", "idempotency_key")
"""Keys of a step that say something of its action."""


@dataclass(frozen=True, slots=True)
class LlmCall:
    """One model call; its fields are the arguments of ``ctx.llm``.

    Args:
        history: The messages that come before the prompt.
        files: The images and documents that the model is shown.
        stream: Whether whoever watches is shown the text of the reply while it comes.
        partial: Whether they are shown the fields of the reply that are there so far.
        thinking: Whether they are shown what the model thinks before it replies.
    """

    model: Model
    prompt: Template
    system: Template | None = None
    history: Value | None = None
    files: Value | None = None
    output: Type = STRING
    stream: bool = False
    partial: bool = False
    thinking: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call; ``args`` in the tool's order, those that are given."""

    tool: Tool
    args: tuple[tuple[str, Value], ...]
    output: Type


@dataclass(frozen=True, slots=True)
class HttpCall:
    """One http request of a step."""

    request: HttpRequest
    output: Type


@dataclass(frozen=True, slots=True)
class CommandCall:
    """One command of a step."""

    command: CommandLine
    output: Type


@dataclass(frozen=True, slots=True)
class WorkflowCall:
    """One run of another workflow.

    Args:
        workflows: Its name; of a workflow that data chooses, the names that may be chosen.
        inputs: The fields of its start event that are given, in its order.
        ends: Its end events: the name of each, and the record that its fields are read as.
        detach: Whether it is left to itself; the result is then the run's id.
        chosen_by: What gives the name at run time; ``None``: there is just one.
    """

    workflows: tuple[str, ...]
    inputs: tuple[tuple[str, Value], ...]
    ends: tuple[tuple[str, Record], ...]
    detach: bool
    chosen_by: Expression | None = None


@dataclass(frozen=True, slots=True)
class RetrieveCall:
    """One search.

    Args:
        knowledge: The collections that are searched; what several give is put in one order.
        query: What is searched for.
        top: How many passages at most.
        that: Which of them count: a condition that sees each as `passage`, and what is said about it as `about`.
        neighbours: How many passages before and after each are added to it.
        parent: Whether each is replaced by the larger part that it is cut from.
        fetch: How many are taken into account for the order.
        min_score: What a score is at least.
        unlike: How much of its words a passage may share with a better one.
        rerank: What puts them in order: a model, or a function as ``module:function``.
        file: The file beside which that function lies.
    """

    knowledge: tuple[Knowledge, ...]
    query: Template
    top: int
    that: Expression | None = None
    neighbours: int = 0
    parent: bool = False
    fetch: int | None = None
    min_score: float | None = None
    unlike: float | None = None
    rerank: Model | str | None = None
    file: str = ""


@dataclass(frozen=True, slots=True)
class RememberCall:
    """One entry of a collection that runs write.

    Args:
        text: What is remembered.
        about: What is said about it.
    """

    knowledge: Knowledge
    text: Template
    about: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class ForgetCall:
    """That entries of a collection that runs write are dropped.

    Args:
        passage: The id of one; ``None``: all that is kept under the value of `per`.
    """

    knowledge: Knowledge
    passage: Template | None = None


@dataclass(frozen=True, slots=True)
class AgentCall:
    """The work of an agent.

    Args:
        agent: The agent; for one that stands in the step, with the step's own keys.
        prompt: What it is asked; ``None``: what the agent makes of ``args``.
        args: What an agent under `agents` is given; ``None``: a prompt alone.
        system: What its model is told before anything else, where the step says it.
        output: The type of the answer.
        shown: What whoever watches is shown while it comes: keys of `stream`.
        limits: What the step bounds itself of an agent under `agents`.
        tells: Whether the step's tail asks how the answer came about, by `agent`.
        thread: The talk that it goes on with, if it does.
        history: The messages that come before the prompt.
        files: What the model is shown with the prompt; it is kept in no thread.
    """

    agent: Agent
    prompt: Template | None
    system: Template | None
    output: Type
    shown: tuple[str, ...] = ()
    args: tuple[tuple[str, Value], ...] | None = None
    limits: Mapping[str, object] = field(default_factory=dict)
    tells: bool = False
    thread: ThreadUse | None = None
    history: Value | None = None
    files: Value | None = None


@dataclass(frozen=True, slots=True)
class MapItems:
    """The action of a `map`, performed for each item of a list.

    Args:
        items: The list.
        name: Of an item, in expressions.
        item: An item's type.
        max: How many items there may be at most, of those that ``keep`` lets pass.
        keep: Which items anything is done with; ``None``: all.
        do: The action for each.
        result: The type of what ``do`` gives.
        give: The output for an item; ``None``: the result.
        given: The type of that.
        on_item_error: What follows when ``do`` fails for an item.
        instead: The output for an item whose ``do`` has failed, where ``on_item_error`` gives one.
        uses_loop: Whether anything asks for an item's place in the list.
    """

    items: Expression
    name: str
    item: Type
    max: int | Expression
    keep: Expression | None
    do: Call
    result: Type
    give: Value | None
    given: Type
    on_item_error: Literal["fail", "skip", "give"]
    instead: Value | None = None
    uses_loop: bool = False


Call = (
    LlmCall
    | ToolCall
    | HttpCall
    | CommandCall
    | WorkflowCall
    | AgentCall
    | RetrieveCall
    | RememberCall
    | ForgetCall
)
"""One call of something outside."""


RunsInside = WorkflowCall | AgentCall
"""A call that is a run of its own."""


def is_request(action: Action | None) -> bool:
    """Return whether a step, or a `map` for each item, sends a request, to which there is a reply."""
    call = action.do if isinstance(action, MapItems) else action
    return isinstance(call, HttpCall) or (isinstance(call, ToolCall) and call.tool.sends_request)


Action = Call | MapItems | SendEvent | Pause
"""All that a step may do."""


def calls_agent(action: Action | None) -> bool:
    """Return whether a step, or a `map` for each item, lets an agent work."""
    return isinstance(action.do if isinstance(action, MapItems) else action, AgentCall)


def tells_of_agent(action: Action | None) -> bool:
    """Return whether the result of a step holds, beside an agent's answer, how that came about."""
    return isinstance(action, AgentCall) and action.tells


def agent_tools(action: Action | None) -> tuple[Tool, ...]:
    """Return the tools of the agents that a step, or a `map` for each item, lets work; no agents."""
    found = {
        id(use.tool): use.tool for agent in agents_of(action) for use in agent.tools if use.agent is None
    }
    return tuple(found.values())


def agents_of(action: Action | None) -> list[Agent]:
    """Return the agents that a step, or a `map` for each item, lets work: the one that it calls comes first."""
    call = action.do if isinstance(action, MapItems) else action
    return team_of(call.agent) if isinstance(call, AgentCall) else []


def given_args(action: Action | None) -> list[Record]:
    """Return what those of them are given that are called by their arguments."""
    call = action.do if isinstance(action, MapItems) else action
    if not isinstance(call, AgentCall):
        return []
    return [
        agent.args
        for agent in team_of(call.agent)
        if agent.args is not None and (agent is not call.agent or call.args is not None or is_called(agent))
    ]


def is_called(agent: Agent) -> bool:
    """Return whether an agent may be handed over to by one of those that come to work for it."""
    return any(each.agent is agent for one in team_of(agent) for each in one.handoffs)


@dataclass(frozen=True, slots=True)
class StepKind:
    """The properties of a kind of step.

    Args:
        nodes: What a step of this kind may do; none for a kind that only joins, saves and chooses, or that
            nothing runs yet.
        shape: What it is drawn as: a key of `SHAPES` in the runtime's `drawing/shapes.py`; a plain box if it has
            none of its own.
        words: Names that other systems use for it.
        takes_defaults: Whether it takes `retry` and `timeout` from `defaults`, because it calls something and
            waits for nobody.
        is_pause: Whether it waits, for a person, a time or an event, and takes no worker meanwhile.
        takes_within: Whether its whole wait may be bounded, and has an exit for that.
        acts: Whether it does anything beyond its exits.
        never_cached: Why its results cannot be kept; empty for one whose call decides that.
        cache_hint: What to do instead of caching.
        reserved_names: Names that a module with such a step imports, and that authors like to use themselves.
    """

    nodes: tuple[type, ...] = ()
    shape: str = "box"
    words: str = ""
    takes_defaults: bool = False
    is_pause: bool = False
    takes_within: bool = False
    acts: bool = True
    never_cached: str = ""
    cache_hint: str = "leave `cache` out"
    reserved_names: frozenset[str] = frozenset()


STEP_KINDS: Final[dict[str, StepKind]] = {
    "tool": StepKind(
        shape="component",
        nodes=(ToolCall, WorkflowCall),
        words="python function script code call service activity",
        takes_defaults=True,
    ),
    "transform": StepKind(
        shape="box",
        words="branch choice decision decide case if switch condition conditional router route gate pass "
        "noop no_op set save assign",
        acts=False,
    ),
    "http": StepKind(
        shape="parallelogram",
        nodes=(HttpCall,),
        words="request rest api webhook get post fetch rest_call",
        takes_defaults=True,
    ),
    "command": StepKind(
        shape="box",
        nodes=(CommandCall,),
        words="shell bash sh exec program process subprocess cli run script_task container",
        takes_defaults=True,
        cache_hint="if it only looks something up, say `read_only: true`",
    ),
    "llm": StepKind(
        shape="hexagon",
        nodes=(LlmCall,),
        words="model prompt llm_call llm_chain chat completion ai gpt generate openai chain",
        takes_defaults=True,
    ),
    "human": StepKind(
        shape="trapezium",
        nodes=(AskPerson,),
        words="approval approve review form person user user_task human_in_the_loop input interrupt manual ask",
        is_pause=True,
        takes_within=True,
        never_cached="a person is asked each time",
        reserved_names=frozenset({"Question"}),
    ),
    "map": StepKind(
        shape="stack",
        nodes=(MapItems,),
        words="for foreach for_each each iterate batch",
        takes_defaults=True,
        reserved_names=frozenset({"Child", "ChildEnd", "Item", "Items", "Loop"}),
    ),
    "wait": StepKind(
        shape="dashed",
        nodes=(WaitFor, WaitUntil, WaitEvent),
        words="sleep delay timer pause wait_for receive",
        is_pause=True,
        takes_within=True,
        never_cached="a wait has to pass each time",
        reserved_names=frozenset({"Delay", "Outside", "Until"}),
    ),
    "workflow": StepKind(
        shape="framed",
        nodes=(WorkflowCall,),
        words="subworkflow sub_workflow subgraph child call_workflow",
        never_cached="another workflow may do anything",
        cache_hint="give the steps of that workflow a `cache`",
        reserved_names=frozenset({"Child", "ChildEnd"}),
    ),
    "agent": StepKind(
        shape="double hexagon",
        nodes=(AgentCall,),
        takes_within=True,
        words="react assistant crew",
        takes_defaults=True,
        never_cached="an agent's tools may do anything",
        cache_hint="give what the agent is asked for to an `llm` step",
        reserved_names=frozenset(
            {
                "Agent",
                "AgentLoop",
                "AgentTool",
                "Approval",
                "Child",
                "CodeLoop",
                "DoneCall",
                "KeptThread",
                "ThreadedLoop",
                "Worked",
                "WorkflowLoop",
                "WorkflowStyle",
            }
        ),
    ),
    "retrieve": StepKind(
        shape="cylinder",
        nodes=(RetrieveCall,),
        words="search rag retriever vector_search retrieval",
        takes_defaults=True,
        never_cached="a collection may have other texts by then",
        reserved_names=frozenset({"Knowledge"}),
    ),
    "remember": StepKind(
        nodes=(RememberCall,),
        words="memory memorize memorise store_memory note keep",
        takes_defaults=True,
        never_cached="what is remembered has to be kept each time",
        reserved_names=frozenset({"Knowledge"}),
    ),
    "forget": StepKind(
        nodes=(ForgetCall,),
        words="delete erase purge",
        takes_defaults=True,
        never_cached="there may be something to forget each time",
        reserved_names=frozenset({"Knowledge"}),
    ),
    "send": StepKind(
        shape="signal",
        nodes=(SendEvent,),
        words="message notify publish",
        takes_defaults=True,
        never_cached="an event is sent each time",
        reserved_names=frozenset({"Keep"}),
    ),
}
"""Each kind of step by its name. Of words that several kinds go by, the first kind is meant."""
