"""The registry of step kinds: what the whole compiler knows of each, in one entry.

A new kind begins with its keys in `schemas/workflow.schema.json` (`…_keys`, and its name in `step`). Then come its
node (`model/actions.py`, `Action`) and its entry here, its resolver (`resolve/steps/actions.py`, `CALLS`, or
`resolve/steps/steps.py`, `RESOLVERS`), and the code for it (`codegen/methods/actions.py`, `WRITERS`).
"""

from __future__ import annotations

from typing import Final

from wfc.compiler.model.actions import HttpCall, LlmCall, MapItems, ToolCall, WorkflowCall
from wfc.compiler.model.messages import SendEvent
from wfc.compiler.model.pauses import AskPerson, WaitEvent, WaitFor, WaitUntil
from wfc.compiler.slotted import dataclass

__all__ = ["STEP_KINDS", "StepKind"]


@dataclass(frozen=True, slots=True)
class StepKind:
    """What is known of a kind of step.

    Args:
        shape: What it is drawn as: a key of `SHAPES` in the runtime's `drawing/shapes.py`.
        nodes: What a step of this kind may do; none for a kind that only joins, saves and chooses, or that
            nothing runs yet.
        words: What people call it who know other systems.
        takes_defaults: Whether it takes `retry` and `timeout` from `defaults`, because it calls something and
            waits for nobody.
        is_pause: Whether it waits, for a person, a time or an event, and takes no worker meanwhile.
        acts: Whether it does anything beyond its exits.
        never_cached: Why its results cannot be kept; empty for one whose call decides that.
        cache_hint: What to do instead.
        reserved_names: Names that a module with such a step imports, and that authors like to use themselves.
    """

    shape: str
    nodes: tuple[type, ...] = ()
    words: str = ""
    takes_defaults: bool = False
    is_pause: bool = False
    acts: bool = True
    never_cached: str = ""
    cache_hint: str = "leave `cache` out"
    reserved_names: frozenset[str] = frozenset()


STEP_KINDS: Final[dict[str, StepKind]] = {
    "tool": StepKind(
        shape="component",
        nodes=(ToolCall, WorkflowCall),
        words="python function script code call command run shell service",
        takes_defaults=True,
    ),
    "transform": StepKind(
        shape="box",
        words="branch choice join if switch condition conditional router route gate merge pass set save",
        acts=False,
    ),
    "http": StepKind(
        shape="parallelogram",
        nodes=(HttpCall,),
        words="request rest api webhook get post fetch rest_call",
        takes_defaults=True,
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
        words="approval approve review form person user human_in_the_loop input interrupt manual ask",
        is_pause=True,
        never_cached="a person is asked each time",
        reserved_names=frozenset({"Question"}),
    ),
    "map": StepKind(
        shape="stack",
        nodes=(MapItems,),
        words="loop for foreach for_each each parallel iterate",
        takes_defaults=True,
        reserved_names=frozenset({"Child", "ChildEnd", "Item", "Items", "SKIP", "Skip"}),
    ),
    "wait": StepKind(
        shape="dashed",
        nodes=(WaitFor, WaitUntil, WaitEvent),
        words="sleep delay timer pause wait_for receive",
        is_pause=True,
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
        words="react assistant crew",
        takes_defaults=True,
        never_cached="an agent's tools may do anything",
        cache_hint="give what the agent is asked for to an `llm` step",
    ),
    "retrieve": StepKind(
        shape="cylinder",
        words="search rag retriever vector_search retrieval",
        takes_defaults=True,
        never_cached="a collection may have other texts by then",
    ),
    "send": StepKind(
        shape="signal",
        nodes=(SendEvent,),
        words="message notify publish signal",
        takes_defaults=True,
        never_cached="an event is sent each time",
        reserved_names=frozenset({"Keep"}),
    ),
}
"""Each kind of step by its name. Of words that several kinds go by, the first kind is meant."""
