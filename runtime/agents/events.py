"""The events and the state of an agent's loop."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, Literal, TypeVar

from pydantic import ConfigDict, Field

from wfc.runtime.calls.asking import ToolAnswer, ToolQuestion
from wfc.runtime.calls.transcripts import CallRequest, Said, TurnReply
from wfc.runtime.errors import StepError
from wfc.runtime.events import ClosedFields, Event, Record, RunState, StartEvent, StopEvent, event_name
from wfc.runtime.plan.pauses import PartEnd, PartResult
from wfc.runtime.records import File, Message
from wfc.runtime.values.outputs import InvalidOutput, from_json
from wfc.runtime.values.outside_names import json_outside

__all__ = [
    "AgentAtWork",
    "AgentInput",
    "AgentOutput",
    "AgentStopped",
    "AnswerGiven",
    "AnswerWanted",
    "ApprovalForm",
    "CallAllowed",
    "CallDelegated",
    "CallDone",
    "CallToSave",
    "CodeDue",
    "CodeRun",
    "DoneCall",
    "JudgedReply",
    "LoopState",
    "Outcome",
    "PersonGives",
    "ReplyDue",
    "ReplyGiven",
    "Review",
    "ReviewWanted",
    "SavedCall",
    "ToolCall",
    "ToolCallResult",
    "TurnDue",
    "Worked",
]

T = TypeVar("T")

Outcome = Literal["done", "changed", "refused", "failed"]
"""What became of a call: it was made, made with other arguments, not allowed, or it has failed."""


class AgentInput(ClosedFields, StartEvent):
    """What an agent begins with.

    Args:
        prompt: What it is asked.
        system: What its model is told before anything else.
        bound: The arguments of its tools that the model does not choose, as JSON data.
        args: What the agent itself was given, as JSON data.
        timeout: How long a call of the model may take, where that is worked out in a run.
        thread: What tells the talk from others of its thread, for an agent that has one.
        kept_as: What is kept in the thread in place of the prompt.
        read_only: Whether nothing is kept in the thread.
        history: What was said before, for an agent without a thread.
        files: What the model is shown with the prompt.
        collection_keys: Whose entries it sees in collections that runs write, by their names.
    """

    prompt: str
    system: str | None = None
    bound: dict[str, dict[str, Any]] = Field(default_factory=dict)
    args: dict[str, Any] = Field(default_factory=dict)
    timeout: timedelta | None = None
    thread: str = ""
    kept_as: str | None = None
    read_only: bool = False
    history: list[Message] = Field(default_factory=list)
    files: list[File] = Field(default_factory=list)
    collection_keys: dict[str, str] = Field(default_factory=dict)


class AgentAtWork(Record):
    """An agent that another one has handed over to, and what it was given; see ``AgentInput``."""

    agent: str
    prompt: str
    system: str | None = None
    bound: dict[str, dict[str, Any]] = Field(default_factory=dict)
    args: dict[str, Any] = Field(default_factory=dict)


class TurnDue(ClosedFields, Event):
    """The model is to be asked again."""


class ReplyDue(ClosedFields, Event):
    """A reply that a workflow is to work out.

    Args:
        given: What that begins with, as JSON.
        offered: The tools that are offered, as models know them.
        first: The one that has to be called now; empty: none has to be.
    """

    given: str
    offered: list[str] = Field(default_factory=list)
    first: str = ""


class ReplyGiven(ClosedFields, Event):
    """The end of a workflow that was to work out a reply, as JSON."""

    end: str
    due: ReplyDue


class ToolCall(ClosedFields, Event):
    """A call that the model asks for."""

    call: CallRequest


class Review(Record):
    """Whether, and how, a person has to allow a call; or why it is refused as one like it was.

    Args:
        of_agent: Whether it can be made, and its tool is an agent.
    """

    is_wanted: bool = False
    title: str = ""
    show: str = ""
    assign: list[str] = Field(default_factory=list)
    within: float | None = None
    refused: str | None = None
    of_agent: bool = False


class ReviewWanted(ClosedFields, Event):
    """A call that a person has to allow."""

    call: CallRequest
    review: Review


class CallAllowed(ClosedFields, Event):
    """A call that may be made, or go on.

    Args:
        changed: The arguments, as JSON, that a person has put in place of its own.
        answers: What was answered to the tool, which has asked in the call.
    """

    call: CallRequest
    changed: str | None = None
    answers: list[ToolAnswer] = Field(default_factory=list)


class AnswerWanted(ClosedFields, Event):
    """A call that goes on when a person has answered what its tool asks; see ``AskingTool``."""

    allowed: CallAllowed
    question: ToolQuestion
    assign: list[str]
    within: float


class PersonGives(ClosedFields, Record):
    """A person's answer to what a tool asks: the fields of the tool's form."""

    model_config = ConfigDict(extra="allow")


class CallDelegated(ClosedFields, Event):
    """A call of a tool that is an agent; see ``CallAllowed``."""

    call: CallRequest
    changed: str | None = None


class ToolCallResult(ClosedFields, Event):
    """What became of a call.

    Args:
        text: What the model is told.
        value: The result of a tool whose result may be the answer, as JSON.
        goes_on: The agent that goes on, for a call that hands over.
    """

    id: str
    tool: str
    outcome: Outcome
    text: str
    value: str | None = None
    goes_on: AgentAtWork | None = None


A = TypeVar("A")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class DoneCall(Generic[A, R]):
    """A call of an agent's tool that is done: its arguments, and its result."""

    args: A
    result: R


class Worked(Record, PartResult, Generic[T]):
    """An agent's answer, and how it came about: what a step's tail asks for by ``agent``.

    Args:
        answer: What it has answered.
        name: The agent that has given it: the one that was at work last.
        turns: How many replies of models there were.
        tokens: How many tokens all models have used.
        cost_usd: What that has cost in US dollars, as far as it is known.
    """

    answer: T
    name: str = ""
    turns: int = 0
    tokens: int = 0
    cost_usd: float = 0.0


class AgentOutput(ClosedFields, PartEnd):
    """An agent's answer, as JSON; see ``Worked``."""

    answer: str
    turns: int
    tokens: int
    cost_usd: float
    name: str = ""

    @classmethod
    def from_end(cls, end: StopEvent, *, is_only: bool) -> AgentOutput:
        """Return the end of a workflow that is a tool: its fields, with its name where it has several ends."""
        fields = json_outside(end).decode()
        named = f'{{"event":{json.dumps(event_name(end))},"with":{fields}}}'
        return cls(answer=fields if is_only else named, turns=0, tokens=0, cost_usd=0.0)

    def as_result(self, kind: Any) -> Any:
        """Return the answer as a value of a type, or beside it how it came about, or all for an agent that has asked.

        Raises:
            StepError: It is not of this type.
        """
        if kind is AgentOutput:
            return self
        try:
            if not (isinstance(kind, type) and issubclass(kind, Worked)):
                return from_json(kind, self.answer, outside=True)
            answer = from_json(kind.model_fields["answer"].annotation, self.answer, outside=True)
            return kind(
                answer=answer, name=self.name, turns=self.turns, tokens=self.tokens, cost_usd=self.cost_usd
            )
        except InvalidOutput as error:
            raise StepError(
                "model.invalid_output", f"the answer of the agent is another one: {error}"
            ) from None


class AnswerGiven(ClosedFields, Event):
    """An agent's answer, which is to be kept in its thread."""

    output: AgentOutput


class AgentStopped(ClosedFields, PartEnd):
    """The end of an agent that has reached a bound of its own; ``name`` is that of the error."""

    name: str
    message: str
    turns: int

    def as_result(self, kind: Any) -> Any:
        """Raise the error that the agent's step has failed by.

        Raises:
            StepError: Always.
        """
        raise StepError(self.name, self.message)


class SavedCall(Record):
    """A call that is done, by which a step saves something.

    Args:
        args: What it was called with, as JSON.
        value: Its result, as JSON.
    """

    tool: str
    args: str
    value: str


class CallToSave(ClosedFields, Event):
    """A call that is done, of which something is to be saved before it is told."""

    result: ToolCallResult


class JudgedReply(Record):
    """A model's reply and what it comes to: an answer as JSON, calls to make, or what is wrong with it.

    Args:
        is_unmet: Whether it is an answer that only breaks a requirement.
        told: What the model is told of calls that nobody makes, by their ids.
        offered: The tools that it was offered.
    """

    reply: TurnReply
    answer: str | None = None
    problem: str | None = None
    is_unmet: bool = False
    told: dict[str, str] = Field(default_factory=dict)
    offered: list[str] | None = None


class CallDone(Record):
    """The result of a call, see ``ToolCallResult``; or what its tool asks before it goes on.

    Args:
        is_text: Whether ``text`` is the result itself, and not its JSON.
    """

    text: str
    value: str | None = None
    is_text: bool = True
    goes_on: AgentAtWork | None = None
    question: ToolQuestion | None = None


class CodeDue(ClosedFields, Event):
    """Code that is to be run, or to go on.

    Args:
        call: The call of the model by which it is run.
        code: The code; ``None``: what is under way goes on.
        results: What became of the calls that it has waited for.
    """

    call: str
    code: str | None = None
    results: list[ToolCallResult] = Field(default_factory=list)


class CodeRun(Record):
    """What came of code, until it waits for calls or is over.

    Args:
        printed: What it has printed.
        error: How it has failed; empty if it has not.
        state: What is kept of it.
        calls: What it waits for.
        waits: What the sandbox knows these calls by, and those that are not made.
    """

    printed: str = ""
    error: str = ""
    state: str = ""
    calls: list[CallRequest] = Field(default_factory=list)
    waits: dict[str, int] = Field(default_factory=dict)


class ApprovalForm(Record):
    """A person's answer to whether a call may be made; ``args`` are the arguments to make it with instead."""

    decision: Literal["continue", "change", "refuse"]
    args: dict[str, Any] | None = None
    note: str | None = None


class LoopState(RunState):
    """The state of an agent's loop.

    Args:
        messages: What was said since the prompt; whole at each turn, with an answer to each call.
        before: What was said before the prompt, in the thread of the agent.
        prompt: What stands in the prompt's place since a hand-over.
        at_work: The agent that was handed over to.
        elsewhere: The agent at work in the thread, where that is one of another step.
        told: What the model is told of calls that are not made, by their ids.
        tokens: How many its models have used.
        code: What came of the code of an agent that writes it.
        refused: What the model was told of calls that a person has refused, by tool and arguments.
        offered: The tools that were offered for the last reply, as the model knows them; ``None``: all.
        came_from: The agent that has handed over in the last turn, if one has.
        saved: The calls by which the step above saves something, in the order in which they were done.
    """

    messages: list[Said] = Field(default_factory=list)
    before: list[Said] = Field(default_factory=list)
    turns: int = 0
    told: dict[str, str] = Field(default_factory=dict)
    tokens: int = 0
    cost_usd: float = 0.0
    refused: dict[str, str] = Field(default_factory=dict)
    code: CodeRun = Field(default_factory=CodeRun)
    prompt: str | None = None
    at_work: AgentAtWork | None = None
    elsewhere: AgentAtWork | None = None
    came_from: str = ""
    offered: list[str] | None = None
    saved: list[SavedCall] = Field(default_factory=list)
