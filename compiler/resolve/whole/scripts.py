"""What tests say of agents: the replies of their models, what their tools give, and the calls that are expected."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import Agent, AgentCall, MapItems, MockAnswer, ScriptedReply, Step, Thread, Tool
from wfc.compiler.model.agents import team_of, writes_code
from wfc.compiler.python.literals import normal_form
from wfc.compiler.resolve.declarations import operations
from wfc.compiler.resolve.declarations.fields import read_fields
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.resolve.values.error_names import error_names
from wfc.compiler.resolve.values.reader import read_data, read_record
from wfc.compiler.resolve.whole.answers import is_event
from wfc.compiler.rules import agent_tests as problems
from wfc.compiler.rules import cases as case_problems
from wfc.compiler.rules import undeclared as undeclared_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import STRING, Record, Type, show

__all__ = ["ScriptReader", "script_reader"]

REPLIES: Final = ("calls", "code", "say", "give", "error")
"""What a reply may be; `say` may stand beside `calls`."""
CALLED: Final = ("tool", "hand_over")
"""What a call in a reply may name."""

PLAIN: Final = ("string", "integer", "number", "boolean")
"""The types of fields that a server's form has."""

HAND_OVER: Final = "hand_over_to_"
"""What the names of tools begin with by which a model hands over."""

UNRESOLVED: Final = frozenset(
    {"missing-key", "unknown-agent", "unknown-model", "unknown-thread", "unknown-tool"}
)
"""Findings with which nobody knows what a step of kind `agent` calls."""
OF_AGENTS: Final = ("agents", "knowledge", "models", "threads", "tools")
"""Sections, besides the steps, of which nothing may be lost or unread, else a name that is not known may be one of what
is."""


def script_reader(declared: Declarations, steps: Mapping[str, Step]) -> ScriptReader:
    """Return the reader for a spec whose steps are resolved."""
    lost = any(declared.is_broken((section,)) for section in (*OF_AGENTS, "steps"))
    lost = lost or any(declared.tables[section].unread for section in OF_AGENTS)
    lost = lost or bool(declared.tables["agents"].broken)
    lost = lost or not UNRESOLVED.isdisjoint(declared.codes) or None in declared.workflow_tools.values()
    return ScriptReader(declared, steps, declared.flow_whole and not lost)


@dataclass(slots=True)
class ScriptReader:
    """Reads `script`, `tools` and the expected calls.

    Args:
        steps: The steps, by name.
        whole: Whether all steps are there, so that what is not among them is nowhere.
    """

    declared: Declarations
    steps: Mapping[str, Step]
    whole: bool

    def agents(self) -> dict[str, tuple[Agent, Type]]:
        """Return what may have a script: steps, and the agents that they call, each with the type of its answer."""
        found: dict[str, tuple[Agent, Type]] = {}
        for step, action in self.calls():
            found[step.name] = action.agent, action.output
        for _, action in self.calls():
            found.setdefault(action.agent.name, (action.agent, action.output))
        for agent in self.team():
            found.setdefault(agent.name, (agent, agent.output))
        for _, action in self.calls():
            if action.thread is not None and action.thread.thread.summarize is not None:
                found.setdefault(action.thread.thread.name, (summing_up(action.thread.thread), STRING))
        return found

    def team(self) -> list[Agent]:
        """Return all agents that come to work."""
        found = {id(agent): agent for _, action in self.calls() for agent in team_of(action.agent)}
        return list(found.values())

    def calls(self) -> Iterator[tuple[Step, AgentCall]]:
        """Yield the steps that call an agent."""
        for step in self.steps.values():
            action = step.action.do if isinstance(step.action, MapItems) else step.action
            if isinstance(action, AgentCall):
                yield step, action

    def tools_in_use(self) -> dict[str, Tool]:
        """Return the tools that agents may call, agents among them."""
        return {use.tool.name: use.tool for one in self.team() for use in one.tools}

    def approved(self) -> dict[str, Tool]:
        """Return the tools whose calls a person has to allow, or which may ask a person."""
        uses = (use for one in self.team() for use in one.tools)
        return {
            use.tool.name: use.tool for use in uses if use.approval is not None or use.tool.ask is not None
        }

    def is_told(self, name: str) -> bool:
        """Return whether a name that no tool has is a mistake, and not one of operations that could not be read."""
        of = name.partition(".")[0]
        unread = of in self.declared.tables["knowledge"].broken or operations.are_unread(name, self.declared)
        return self.whole and not unread

    def scripts(self, data: object, place: Place) -> dict[str, tuple[ScriptedReply, ...]]:
        """Return the replies of the models of agents."""
        found: dict[str, tuple[ScriptedReply, ...]] = {}
        known = self.agents()
        for name, content in data.items() if isinstance(data, Mapping) else ():
            at, own = place / str(name), normal_form(str(name))
            if own not in known:
                if self.whole:
                    self.declared.report(problems.not_of_an_agent(at.key, own, "agent", list(known)))
                continue
            agent, output = known[own]
            replies = enumerate(content if isinstance(content, list) else ())
            found[own] = tuple(
                self.reply(each, at / index, agent, output)
                for index, each in replies
                if isinstance(each, Mapping)
            )
        return found

    def reply(self, data: Data, place: Place, agent: Agent, output: Type) -> ScriptedReply:
        """Return one reply."""
        given = [key for key in REPLIES if key in data]
        if not given and not self.declared.any_broken(place, REPLIES):
            self.declared.report(problems.empty_reply(place))
        if len(given) > 1 and given not in (["calls", "say"], ["code", "say"]):
            self.declared.report(problems.several_replies((place / given[1]).key, given[0], given[1]))
        self.check_style(data, place, agent)
        offered = data.get("offered")
        return ScriptedReply(
            say=str(data.get("say", "")),
            give=(self.answer(data["give"], place / "give", output),) if "give" in data else (),
            calls=tuple(self.calls_in(data.get("calls"), place / "calls", agent)),
            error=self.error(data["error"], place / "error") if "error" in data else None,
            code=str(data.get("code", "")),
            asked=str(data.get("asked", "")),
            shown=str(data.get("shown", "")),
            offered=tuple(self.named(offered, place / "offered", agent))
            if isinstance(offered, list)
            else None,
        )

    def check_style(self, data: Data, place: Place, agent: Agent) -> None:
        """Report calls of an agent that writes code, and code of one that calls tools."""
        writes = writes_code(agent)
        if "code" in data and not writes:
            why, hint = f"the agent `{agent.name}` writes no code", "write what it calls under `calls`"
            self.declared.report(value_problems.wrong_value((place / "code").key, why, hint))
        elif "calls" in data and writes:
            why, hint = (
                f"the agent `{agent.name}` calls tools in the code that it writes",
                "write that under `code`",
            )
            self.declared.report(value_problems.wrong_value((place / "calls").key, why, hint))

    def answer(self, data: object, place: Place, output: Type) -> object:
        """Return an answer that a model gives as data."""
        if output == STRING:
            why = "the answer of this agent is a text, which its model says"
            self.declared.report(value_problems.wrong_value(place, why, "write `say` instead of `give`"))
            return None
        return read_data(data, place.address, output, self.declared.report)

    def error(self, name: object, place: Place) -> str:
        error_names(str(name), place, self.declared.report, mocked=True)
        return str(name)

    def named(self, names: list[object], place: Place, agent: Agent) -> Iterator[str]:
        """Yield the names of tools that an agent has."""
        known = {*(each.tool.name for each in agent.tools), *(each.agent.name for each in agent.handoffs)}
        for index, name in enumerate(names):
            own = normal_form(str(name))
            if own not in known and self.is_told(own):
                self.declared.report(problems.not_of_an_agent(place / index, own, "tool", sorted(known)))
            yield own

    def calls_in(
        self, data: object, place: Place, agent: Agent
    ) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Yield calls of tools, and hand-overs, with their arguments."""
        tools = {each.tool.name: each.free for each in agent.tools}
        others = {each.agent.name: each.free for each in agent.handoffs}
        for index, each in enumerate(data if isinstance(data, list) else ()):
            if not isinstance(each, Mapping):
                continue
            given = [key for key in CALLED if key in each]
            if not given:
                if not self.declared.any_broken(place / index, CALLED):
                    self.declared.report(problems.empty_reply(place / index))
                continue
            if len(given) > 1:
                self.declared.report(problems.several_replies((place / index / "hand_over").key, *given))
            at, name = place / index, normal_form(str(each[given[0]]))
            known = tools if given[0] == "tool" else others
            free = known.get(name)
            if free is None:
                if self.is_told(name):
                    found = problems.not_of_an_agent(at / given[0], name, given[0], list(known))
                    self.declared.report(found)
                continue
            if self.declared.is_broken((*at.address, "with")):
                continue  # what could not be read is told there
            args = each.get("with", {})
            at = at / "with" if "with" in each else at
            called = name if given[0] == "tool" else HAND_OVER + name
            yield called, outside(read_record(args, at, free, name, self.declared.report), free)

    def people(self, data: object, place: Place) -> dict[str, tuple[MockAnswer, ...]]:
        """Return what people say to calls that they have to allow."""
        found: dict[str, tuple[MockAnswer, ...]] = {}
        known = self.approved()
        for name, content in data.items() if isinstance(data, Mapping) else ():
            at, own = place / str(name), normal_form(str(name))
            tool = known.get(own)
            if tool is None:
                if self.is_told(own):
                    self.declared.report(problems.not_of_an_agent(at.key, own, "approval", list(known)))
                continue
            listed = enumerate(content if isinstance(content, list) else ())
            found[own] = tuple(
                self.person(each, at / index, tool) for index, each in listed if isinstance(each, Mapping)
            )
        return found

    def person(self, data: Data, place: Place, tool: Tool) -> MockAnswer:
        """Return what a person says to a call: the data of the form, or that nobody answers."""
        if tool.ask is not None and not {"error", "decision"} & data.keys():
            return MockAnswer(dict(data))  # which is held against the form when the tool asks
        given = [key for key in ("error", "decision") if key in data]
        if given == ["error", "decision"]:
            self.declared.report(problems.several_replies((place / "decision").key, *given))
        elif not given and not self.declared.any_broken(place, ("error", "decision")):
            self.declared.report(problems.empty_reply(place, by_person=True, given="give" in data))
        if "error" in data:
            return MockAnswer(error="timeout")
        answer: dict[str, object] = {"decision": data.get("decision"), "note": data.get("note")}
        if "with" in data:
            if data.get("decision") != "change":
                at = (place / "with").key
                self.declared.report(problems.several_replies(at, str(data.get("decision")), "with"))
            answer["args"] = self.some_args(data["with"], place / "with", tool)
        return MockAnswer(answer)

    def tools(self, data: object, place: Place) -> dict[str, tuple[MockAnswer, ...]]:
        """Return what tools give to agents."""
        found: dict[str, tuple[MockAnswer, ...]] = {}
        known = self.tools_in_use()
        for name, content in data.items() if isinstance(data, Mapping) else ():
            at, own = place / str(name), normal_form(str(name))
            tool = known.get(own)
            if tool is None:
                if self.is_told(own):
                    self.declared.report(problems.not_of_an_agent(at.key, own, "tool", list(known)))
                continue
            each = enumerate(content) if isinstance(content, list) else [(None, content)]
            found[own] = tuple(
                self.tool_answer(one, at if index is None else at / index, tool) for index, one in each
            )
        return found

    def tool_answer(self, data: object, place: Place, tool: Tool) -> MockAnswer:
        """Return what a tool gives, or how it fails; one that asks a person says what, and what it gives ``then``."""
        if tool.ask is not None and isinstance(data, Mapping) and "ask" in data and "then" in data:
            given = self.given(data["then"], place / "then", tool)
            return MockAnswer(given, asks=self.asked(data["ask"], place / "ask"))
        if not isinstance(data, Mapping) or not {"give", "error"} & data.keys():
            return MockAnswer(self.given(data, place, tool))
        head = "error" if "error" in data else "give"
        for key in data:
            if key not in {head, "after"}:
                self.declared.report(problems.several_replies((place / str(key)).key, head, str(key)))
        after = 0.0
        if "after" in data:
            after = duration(data["after"], place / "after", self.declared.report, zero=True) or 0.0
        if head == "error":
            return MockAnswer(error=self.error(data["error"], place / "error"), after=after)
        return MockAnswer(self.given(data["give"], place / "give", tool), after=after)

    def asked(self, data: object, place: Place) -> dict[str, object]:
        """Return what a tool asks: its title, and its form as a JSON Schema."""
        said = data if isinstance(data, Mapping) else {}
        form = said.get("form")
        record = Record("Form", role="namespace", address=(*place.address, "form"))
        read_fields(form, (place / "form").address, record, self.declared)
        return {"title": str(said.get("title", "")), "form": asked_form(record)}

    def given(self, data: object, place: Place, tool: Tool) -> object:
        """Return what a tool gives; a workflow with several ends says by which it ends."""
        if not tool.ends:
            return read_data(data, place.address, tool.output, self.declared.report)
        ends = dict(tool.ends)
        if not is_event(data):
            self.declared.report(
                case_problems.which_end_of_the_workflow(place, [str(tool.workflow)], list(ends))
            )
            return None
        name = normal_form(str(data["event"]))
        if name not in ends:
            self.declared.report(undeclared_problems.unknown_event(place / "event", name, ends))
            return None
        at = place / "with" if "with" in data else place
        given = read_data(data.get("with", {}), at.address, ends[name], self.declared.report)
        return {"event": name, "with": given}

    def expected_calls(self, data: object, place: Place, mocked: Collection[str]) -> list[dict[str, object]]:
        """Return the calls that a test expects, each with some of its arguments; of agents those that are mocked."""
        found: list[dict[str, object]] = []
        working = {use.tool.name for one in self.team() for use in one.tools if use.agent is not None}
        known = {
            name: tool for name, tool in self.tools_in_use().items() if name not in working or name in mocked
        }
        for index, each in enumerate(data if isinstance(data, list) else ()):
            if not isinstance(each, Mapping) or "tool" not in each:
                continue
            at, name = place / index, normal_form(str(each["tool"]))
            tool = known.get(name)
            if tool is None:
                if self.is_told(name):
                    self.declared.report(problems.not_of_an_agent(at / "tool", name, "tool", list(known)))
                continue
            found.append({"tool": name, "with": self.some_args(each.get("with"), at / "with", tool)})
        return found

    def some_args(self, data: object, place: Place, tool: Tool) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, content in data.items() if isinstance(data, Mapping) else ():
            field, at = tool.args.fields.get(normal_form(str(key))), place / str(key)
            if field is None and not self.declared.is_broken((*tool.address, "args")):
                self.declared.report(
                    value_problems.unknown_entry(at.key, str(key), f"`{tool.name}`", tool.args.fields, "", [])
                )
            elif field is not None:
                found[field.name_outside] = read_data(
                    content, at.address, field.type, self.declared.report, field.constraints
                )
        return found


def asked_form(record: Record) -> dict[str, object]:
    """Return the JSON Schema of a form of plain fields, as servers ask by."""
    fields: dict[str, object] = {}
    for field in record.fields.values():
        kind = show(field.type).removeprefix("optional ")
        fields[field.name_outside] = {"type": kind} if kind in PLAIN else {}
    required = [each.name_outside for each in record.fields.values() if each.required]
    return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}


def summing_up(thread: Thread) -> Agent:
    """Return what sums up the older part of a thread, which has a script as agents have."""
    return Agent(thread.name, thread.summarize, None, STRING, [], {}, thread.address)


def outside(args: Mapping[str, object], record: Record) -> dict[str, object]:
    """Return arguments by the names that they have outside."""
    return {record.fields[name].name_outside: value for name, value in args.items()}
