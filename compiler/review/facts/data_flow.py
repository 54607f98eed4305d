"""Where data come from that reach a prompt, a tool, an address, a program or another workflow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wfc.compiler.expressions import Expression, Path, Template
from wfc.compiler.model import (
    Action,
    AgentCall,
    CommandCall,
    CommandLine,
    Emit,
    EmitEach,
    Fill,
    Header,
    HttpCall,
    HttpRequest,
    Join,
    LlmCall,
    MapItems,
    OAuth2,
    Save,
    SendEvent,
    Step,
    ToolCall,
    Value,
    WaitEvent,
    Workflow,
    WorkflowCall,
)
from wfc.compiler.model.flow import emits, exits

__all__ = ["SETTING", "DataFlow", "data_facts"]

MAX_ROUNDS = 50
SETTING = "config."
"""What the names of settings begin with among origins."""

_ANSWERS = {
    "llm": "what the model of `{}` answers",
    "agent": "what the agent of `{}` answers",
    "human": "what people answer in `{}`",
    "http": "the reply that `{}` gets",
    "tool": "what the tool of `{}` gives",
    "command": "what the program of `{}` prints",
    "workflow": "what the workflow of `{}` gives",
    "map": "what the items of `{}` give",
}


def data_facts(flow: DataFlow) -> dict[str, dict[str, list[str]]]:
    """Return for each step, and for each thing outside that it hands data to, where those data come from.

    What is configured does not come from outside.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for step in flow.workflow.steps:
        for sink, mask in flow.sinks(step).items():
            if origins := [each for each in flow.named(mask) if not each.startswith(SETTING)]:
                found.setdefault(step.name, {})[sink] = origins
    return found


class DataFlow:
    """The origins of each field of an event or of the state, as bits of a number.

    Args:
        workflow: Whose flow is followed.
    """

    def __init__(self, workflow: Workflow) -> None:
        self.workflow = workflow
        self.origins: list[str] = []
        self.bits: dict[str, int] = {}
        self.fields: dict[tuple[str, str], int] = {}
        self.state: dict[str, int] = {}
        for name in workflow.start.record.fields:
            self.fields[workflow.start.name, name] = self.bit(f"the input `{name}`")
        for received in workflow.receives:
            mark = self.bit(f"`{received.event.name}` from outside")
            for name in received.event.record.fields:
                self.fields[received.event.name, name] = mark
        for name in workflow.config.fields:
            self.bit(f"{SETTING}{name}")
        self.results = {step.name: self.of_result(step) for step in workflow.steps}
        self.follow()

    def bit(self, origin: str) -> int:
        if origin not in self.bits:
            self.bits[origin] = 1 << len(self.origins)
            self.origins.append(origin)
        return self.bits[origin]

    def named(self, mask: int) -> list[str]:
        found = []
        while mask:
            low = mask & -mask
            found.append(self.origins[low.bit_length() - 1])
            mask ^= low
        return sorted(found)

    def of_result(self, step: Step) -> int:
        if isinstance(step.action, WaitEvent):
            mask = 0
            for event in step.action.events:
                mask |= self.bit(f"`{event.name}` from outside")
            return mask
        words = _ANSWERS.get(step.kind)
        return self.bit(words.format(step.name)) if words is not None and step.result is not None else 0

    def follow(self) -> None:
        """Fill in what reaches which field, until nothing more comes."""
        for _ in range(MAX_ROUNDS):
            before = dict(self.fields), dict(self.state)
            for step in self.workflow.steps:
                self.saved(step, step.save, {})
                for _, exit_ in exits(step):
                    for entry in exit_.entries:
                        self.saved(step, entry.save, {})
                        for emit, each in emits(entry.emission):
                            self.emitted(step, emit, each)
            if before == (self.fields, self.state):
                return

    def saved(self, step: Step, saves: Iterable[Save], items: dict[str, int]) -> None:
        for save in saves:
            self.state[save.field] = self.state.get(save.field, 0) | self.of_value(step, save.value, items)

    def emitted(self, step: Step, emit: Emit, each: EmitEach | None) -> None:
        items = {} if each is None else {each.name: self.of(step, each.items.uses, {})}
        for fill in emit.fills:
            key = emit.event.name, fill.field
            self.fields[key] = self.fields.get(key, 0) | self.of_value(step, fill.value, items)

    # --- what an expression reads

    def of_value(self, step: Step, value: Value | None, items: dict[str, int]) -> int:
        mask = 0
        waiting = [] if value is None else [value]
        while waiting:
            one = waiting.pop()
            for part in (one.expression, one.template):
                if part is not None:
                    mask |= self.of(step, part.uses, items)
            waiting += one.items or ()
            waiting += [each for _, each in one.entries or ()]
        return mask

    def of_texts(
        self, step: Step, texts: Iterable[Template | Expression | None], items: dict[str, int]
    ) -> int:
        mask = 0
        for each in texts:
            if each is not None:
                mask |= self.of(step, each.uses, items)
        return mask

    def of(self, step: Step, paths: Iterable[Path], items: dict[str, int]) -> int:
        mask = 0
        for path in paths:
            root = path[0]
            if root in items:
                mask |= items[root]
            elif root in ("event", "events"):
                mask |= self.of_accepted(step, path)
            elif root in ("result", "response", "error"):
                mask |= self.results[step.name]
            elif root == "inputs":
                for name in path[1:2] or self.workflow.start.record.fields:
                    mask |= self.bits.get(f"the input `{name}`", 0)
            elif root == "config":
                for name in path[1:2] or self.workflow.config.fields:
                    mask |= self.bits.get(f"{SETTING}{name}", 0)
            elif root == "state":
                for name in path[1:2] or tuple(self.state):
                    mask |= self.state.get(name, 0)
        return mask

    def of_accepted(self, step: Step, path: Path) -> int:
        mask = 0
        names = path[1:3]
        for event in step.accepts.events:
            joined = isinstance(step.accepts, Join) and names[:1] == (event.name,)
            wanted = names[1:] if joined else names[:1]
            for field in event.record.fields:
                if not wanted or field in wanted or (wanted == ("[]",)):
                    mask |= self.fields.get((event.name, field), 0)
        return mask

    # --- where it is handed out

    def sinks(self, step: Step) -> dict[str, int]:
        """Return what a step hands out, by what gets it."""
        return dict(self.handed(step, step.action, {}))

    def handed(self, step: Step, action: Action | None, items: dict[str, int]) -> Iterator[tuple[str, int]]:
        match action:
            case MapItems():
                inside = {action.name: self.of(step, action.items.uses, {})}
                yield from self.handed(step, action.do, inside)
            case LlmCall():
                mask = self.of_texts(step, (action.prompt, action.system), items)
                mask |= self.of_value(step, action.history, items) | self.of_value(step, action.files, items)
                yield "prompt", mask
            case AgentCall():
                yield (
                    "prompt",
                    self.of_texts(step, (action.prompt, action.system), items)
                    | self.of_values(step, action.args or (), items)
                    | self.of_value(step, action.history, items)
                    | self.of_value(step, action.files, items),
                )
                bound = [value for use in action.agent.tools for _, value in use.bound]
                yield "arguments", self.of_values(step, [("", each) for each in bound], items)
            case ToolCall():
                yield "arguments", self.of_values(step, action.args, items)
            case HttpCall():
                yield from self.of_request(step, action.request, items)
            case CommandCall():
                yield "command", self.of_command(step, action.command, items)
            case WorkflowCall():
                yield "inputs", self.of_values(step, action.inputs, items)
            case SendEvent():
                yield "message", self.of_fills(step, action.emit.fills, items)

    def of_values(self, step: Step, values: Iterable[tuple[str, Value]], items: dict[str, int]) -> int:
        mask = 0
        for _, each in values:
            mask |= self.of_value(step, each, items)
        return mask

    def of_fills(self, step: Step, fills: Iterable[Fill], items: dict[str, int]) -> int:
        return self.of_values(step, [(each.field, each.value) for each in fills], items)

    def of_request(
        self, step: Step, request: HttpRequest, items: dict[str, int]
    ) -> Iterator[tuple[str, int]]:
        sent = 0
        if isinstance(request.url, Template):  # of which the host is written down, or configured
            sent = self.of_texts(step, [request.url], items)
        else:
            yield "address", self.of_texts(step, [request.url.given], items)
        sent |= self.of_values(step, request.query, items) | self.of_value(step, request.body, items)
        sent |= self.of_headers(step, request.headers, items)
        if isinstance(request.auth, OAuth2):
            sent |= self.of_values(step, request.auth.body, items)
        yield "request", sent

    def of_headers(self, step: Step, headers: Iterable[Header], items: dict[str, int]) -> int:
        return self.of_texts(
            step, [each.value for each in headers if isinstance(each.value, Template)], items
        )

    def of_command(self, step: Step, command: CommandLine, items: dict[str, int]) -> int:
        texts = [each.text for each in command.arguments]
        mask = self.of_texts(step, [*texts, command.stdin], items)
        return mask | self.of_headers(step, command.env, items)
