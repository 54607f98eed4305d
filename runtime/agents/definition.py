"""What an agent is: its model, its tools, the answer that it is to give, and its bounds."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal

from pydantic_core import to_json

from wfc.runtime.agents.function_tools import read_function
from wfc.runtime.calls.asking import AskingTool
from wfc.runtime.calls.foreign_schemas import ForeignSchema
from wfc.runtime.calls.llm import Model
from wfc.runtime.calls.transcripts import ANSWER_TOOL, OfferedTool
from wfc.runtime.errors import WorkflowRuntimeError, WorkflowValidationError
from wfc.runtime.plan.retries import RetryRule
from wfc.runtime.values.outputs import adapter, from_json
from wfc.runtime.values.outside_names import json_outside, own_name

__all__ = ["LONGEST_CALL", "Agent", "AgentTool", "Approval", "WorkflowStyle"]

LONGEST_CALL: Final = 300.0
"""How many seconds a call may take whose tool does not say it."""

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""The names of tools that all providers take."""


TAKEN: Final = ("messages", "tools", "system", "turn", "last")
"""What a workflow may take that works out a reply."""


@dataclass(frozen=True, slots=True)
class WorkflowStyle:
    """The workflow that works out an agent's replies.

    Args:
        workflow: Its name.
        takes: Which of ``TAKEN`` its start event has.
    """

    workflow: str
    takes: Sequence[str] = TAKEN


@dataclass(frozen=True)
class AgentTool:
    """A tool of an agent.

    Args:
        name: As the spec calls it.
        call: Calls it with a context, the config if ``takes_config``, and its arguments; ``None`` for an agent.
        args: The record class of its arguments.
        description: What the model is told of it.
        bound: The arguments that the model neither sees nor chooses, by their names outside.
        timeout: The seconds that a call may take.
        final: Whether its result is the agent's answer, if it is called alone.
        takes_config: Whether ``call`` is given the config.
        takes_key: The collection whose key ``call`` is given: whose entries those are that it sees.
        approve: How a person allows a call, worked out from the agent's own arguments, the config and those of the
            call; it returns ``None`` where nobody has to.
        agent: The class of the loop of an agent that is a tool of this one.
        hand_over: The name of an agent that goes on in place of this one; ``bound`` has those of its arguments that
            both agents have.
        foreign: What its arguments have to be, where others have said that.
        when: Whether it is offered, worked out before each reply from the agent's own arguments and the config.
        saves: Whether the step that has called the agent saves something when a call is done.
        output: The type of its result, where that is so.
        workflow: The name of the workflow that it is; its arguments are that one's inputs.
        ask: How a person is asked what the tool asks in a call; ``None``: nobody is.
    """

    name: str
    call: Callable[..., Any] | None
    args: type[Any]
    description: str = ""
    bound: Sequence[str] = ()
    timeout: float = LONGEST_CALL
    final: bool = False
    takes_config: bool = False
    takes_key: str = ""
    approve: Callable[[Any, Any, Any], Approval | None] | None = None
    agent: Any = None
    hand_over: str = ""
    foreign: ForeignSchema | None = None
    when: Callable[[Any, Any], bool] | None = None
    saves: bool = False
    output: Any = None
    workflow: str = ""
    ask: AskingTool | None = None

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        *,
        name: str = "",
        description: str = "",
        approve: Approval | Callable[[Any, Any, Any], Approval | None] | None = None,
        bound: Sequence[str] = (),
        timeout: float = LONGEST_CALL,
        final: bool = False,
        when: Callable[[Any, Any], bool] | None = None,
        saves: bool = False,
    ) -> AgentTool:
        """Return a Python function as a tool, with the schema of its signature and the words of its docstring.

        Args:
            function: What an agent takes among its ``tools``; see ``read_function``.
            name: What the model is told in place of its own name.
            description: What the model is told in place of its docstring.
            approve: How a person allows a call, or what works that out.

        Raises:
            WorkflowValidationError: It cannot be a tool; the message names the parameter.
        """
        found = read_function(function, name)
        known = [own_name(attribute, info) for attribute, info in found.args.model_fields.items()]
        if strange := [each for each in bound if each not in known]:
            raise WorkflowValidationError(
                f"the tool `{found.name}` has no argument `{strange[0]}` to be bound"
            )
        return cls(
            found.name,
            found.call,
            found.args,
            description=description or found.description,
            bound=bound,
            timeout=timeout,
            final=final,
            approve=(lambda *_: approve) if isinstance(approve, Approval) else approve,
            when=when,
            saves=saves,
            output=found.output,
        )

    @property
    def is_run(self) -> bool:
        """Whether a call of it is a run of its own: of another agent, or of a workflow."""
        return self.agent is not None or bool(self.workflow)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the arguments that a model gives."""
        if self.foreign is not None:
            return self.foreign.shown(frozenset(self.bound))
        found = adapter(self.args).json_schema(by_alias=True)
        found.pop("title", None)
        hidden = set(self.bound)
        found["properties"] = {
            name: one for name, one in found.get("properties", {}).items() if name not in hidden
        }
        found["required"] = [name for name in found.get("required", ()) if name not in hidden]
        return found


@dataclass(frozen=True)
class Approval:
    """How a person allows a call.

    Args:
        title: The question in one line; empty for one that is made of the tool's name.
        show: What the person is shown; ``None``: the arguments.
        assign: Who is asked, such as ``user:ann`` or ``group:leads``; empty: anybody who sees it.
        within: Seconds to wait for an answer; without one the call is refused.
    """

    title: str = ""
    show: str | None = None
    assign: Sequence[str] = ()
    within: float | None = None


@dataclass(frozen=True)
class Agent:
    """A model that works with tools in a loop until it gives an answer.

    Args:
        name: For messages.
        tools: What it may call. Of a function its name, signature and docstring count; see ``AgentTool.of``.
        style: How the model calls tools: as its provider offers it, in plain text, or in code that it writes; or the
            workflow that works out each reply.
        model: The model, or a function of the config that returns it; ``None``: a workflow works out the replies.
        args: The record class of what it is asked; ``None``: it is always given a text.
        prompt: Returns what it is asked as a text, from its arguments and the config; ``None``: they are that, one
            a line.
        system: What the model is told before anything else, or what returns it from the arguments and the config.
        bind: Returns, from the same, what its tools are given that the model does not choose, by tool.
        sees: What a hand-over to it brings: what was ``said``, ``all`` that was said and called, or ``nothing``.
        output: The type of the answer; ``None``: a text.
        max_turns: How many replies of the model there may be.
        last_turn: ``answer``: in the last turn no tools may be called.
        first_tool: The tool that has to be called before others are offered; empty: none.
        offer: How many tools are offered at once; ``None``: all.
        asks_once: Whether it is a model that is asked for one answer: if the last reply does not fit, that is told as
            of any call of a model.
        parallel_calls: How many calls may be made at once.
        on_tool_error: Whether the model is told of a tool's error, or the agent fails by it.
        tokens: How many tokens the models may use; ``None``: any number.
        cost_usd: What the models may cost in US dollars; ``None``: anything.
        retry_policy: For calls of the model.
        timeout: The seconds that a call of the model may take; ``None``: any number.
        shown: What watchers are shown: the ``text`` and the ``thinking`` of replies while they arrive, ``calls``.
    """

    name: str
    model: Model | Callable[[Any], Model] | None
    tools: Sequence[AgentTool | Callable[..., Any]] = ()
    output: Any = None
    max_turns: int = 20
    last_turn: Literal["fail", "answer"] = "fail"
    parallel_calls: int = 8
    on_tool_error: Literal["tell", "fail"] = "tell"
    tokens: int | None = None
    cost_usd: float | None = None
    retry_policy: RetryRule | None = None
    timeout: float | None = None
    shown: Sequence[str] = field(default_factory=tuple)
    args: type[Any] | None = None
    prompt: Callable[[Any, Any], str] | None = None
    system: str | Callable[[Any, Any], str] | None = None
    bind: Callable[[Any, Any], Mapping[str, Mapping[str, Any]]] | None = None
    sees: Literal["said", "all", "nothing"] = "said"
    style: Literal["function", "react", "code"] | WorkflowStyle = "function"
    first_tool: str = ""
    offer: int | None = None
    asks_once: bool = False

    all_tools: tuple[AgentTool, ...] = field(init=False, repr=False, compare=False)
    """Its tools, functions among them as tools."""

    def __post_init__(self) -> None:
        """Look at the tools at once.

        Raises:
            WorkflowValidationError: One is none, two have one name, or the first one is not there.
        """
        made = tuple(each if isinstance(each, AgentTool) else AgentTool.of(each) for each in self.tools)
        object.__setattr__(self, "all_tools", made)
        object.__setattr__(self, "tools", made)  # so that a copy need not read functions again
        counted = Counter(each.name for each in made)
        if twice := [name for name, count in counted.items() if count > 1]:
            raise WorkflowValidationError(f"the agent `{self.name}` has two tools of the name `{twice[0]}`")
        if self.first_tool and self.first_tool not in counted:
            raise WorkflowValidationError(
                f"the agent `{self.name}` has no tool `{self.first_tool}` to be the first"
            )

    def asked(
        self, args: Any = None, config: Any = None, *, prompt: str | None = None, **more: Any
    ) -> dict[str, Any]:
        """Return what its loop begins with.

        Args:
            args: A record of its arguments; ``None`` if its texts mention none.
            prompt: What it is asked, in place of its own text.
            more: Further fields of ``AgentInput``.
        """
        if prompt is None:
            prompt = _as_lines(args) if self.prompt is None else self.prompt(args, config)
        system = self.system(args, config) if callable(self.system) else self.system
        return {
            "prompt": prompt,
            "system": system,
            "bound": {} if self.bind is None else self.bind(args, config),
            "args": {} if args is None else json.loads(json_outside(args)),
            **more,
        }

    def args_in(self, data: Mapping[str, Any]) -> Any:
        """Return the record of its arguments, read from JSON data; ``None`` if it was given none."""
        return None if self.args is None or not data else from_json(self.args, to_json(data), outside=True)

    def model_for(self, config: Any) -> Model:
        """Return the model, made with the config if it needs that.

        Raises:
            WorkflowRuntimeError: It has none.
        """
        if self.model is None:
            raise WorkflowRuntimeError(f"the agent `{self.name}` has no model")
        return self.model if isinstance(self.model, Model) else self.model(config)

    @cached_property
    def by_name(self) -> dict[str, AgentTool]:
        """The tools by the names that models are told: short, and of letters that all providers take."""
        found: dict[str, AgentTool] = {}
        for number, tool in enumerate(self.all_tools, 1):
            fits = _NAME.fullmatch(tool.name) is not None and tool.name != ANSWER_TOOL
            spelled = re.sub(r"[^A-Za-z0-9_-]+", "_", tool.name).strip("_")
            if not fits and spelled != tool.name and _NAME.fullmatch(spelled) and spelled != ANSWER_TOOL:
                name = spelled
            else:
                name = tool.name if fits else f"tool_{number}"
            while name in found or (not fits and any(each.name == name for each in self.all_tools)):
                name += "_"
            found[name] = tool
        return found

    @cached_property
    def offered(self) -> tuple[OfferedTool, ...]:
        """The tools as a model is told of them."""
        return tuple(
            OfferedTool(name, _told(tool, name), tool.schema()) for name, tool in self.by_name.items()
        )


def _as_lines(args: Any) -> str:
    """Return the arguments of an agent as what it is asked: the one that there is, or each with its name."""
    given = {} if args is None else json.loads(json_outside(args))
    written = {name: one if isinstance(one, str) else to_json(one).decode() for name, one in given.items()}
    if len(written) == 1:
        return "".join(written.values())
    return "\n".join(f"{name}: {one}" for name, one in written.items())


def _told(tool: AgentTool, name: str) -> str:
    """Return a tool's description, with its own name where the model is told another one."""
    return tool.description if tool.name == name else f"{tool.name}: {tool.description}".removesuffix(": ")
