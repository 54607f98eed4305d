"""Workflows as tools for programs of agents, as plain data: what is offered, and what becomes of a call."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple

from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.errors import WorkflowError
from wfc.runtime.events import event_name
from wfc.runtime.server.access import Principal
from wfc.runtime.server.calls import Call, Problem, Reply
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.refusals import problem_of
from wfc.runtime.server.runs import run_reply
from wfc.runtime.server.starts import start_run
from wfc.runtime.server.tasks import answer_task, is_asked, link_task
from wfc.runtime.server.workflows import schema_of

__all__ = ["ANSWER", "LONGEST_SHOWN", "STATUS", "ToolCalls", "ToolOnOffer", "ToolTalk", "flat_form"]

MOST_TASKS: Final = 20
LONGEST_SHOWN: Final = 2_000
LOOKS: Final = 0.5
QUIET_LOOKS: Final = 4
"""After so many looks at a run that rests and is not woken, with nothing new recorded, nobody waits any more."""
LINK_LASTS: Final = 24 * 3600

STATUS: Final = "run_status"
ANSWER: Final = "answer_task"
MARK: Final = "mcp"
"""By what those who use tools are known in the audit."""

SIMPLE: Final = {"string", "integer", "number", "boolean"}
SAID: Final = "type title description enum default format minimum maximum minLength maxLength".split()
"""What a form of a question may say of a field (elicitation of MCP)."""


class ToolOnOffer(NamedTuple):
    """A tool: its name, what it does, and the JSON Schemas of what it takes and gives."""

    name: str
    says: str
    takes: dict[str, Any]
    gives: dict[str, Any]
    reads_only: bool = False


class ToolTalk(NamedTuple):
    """What is known of a call that goes over several requests: its run, and how often each task was asked for."""

    run: str
    asked: Mapping[str, int]

    def and_asked(self, task: str) -> ToolTalk:
        """Return it after a task was asked for once more."""
        return ToolTalk(self.run, {**self.asked, task: self.asked.get(task, 0) + 1})


class ToolCalls:
    """The workflows of a server as tools, and the runs that their calls begin."""

    def __init__(self, server: Installation) -> None:
        self.server = server
        self._key = server.key or secrets.token_bytes(32)

    # --- what there is

    def offered(self, principal: Principal) -> list[ToolOnOffer]:
        """Return the tools that somebody may call: one a workflow, and those over runs and questions."""
        found = []
        if principal.may("start"):
            found += [
                _tool_of(workflow)
                for name, workflow in sorted(self.server.offered.items())
                if principal.knows(name) and name not in {STATUS, ANSWER}
            ]
        if principal.may("see"):
            says = "Show how a run is: whether it is over, with its result, or what it waits for."
            takes = {"type": "object", "properties": {"run": {"type": "string"}}, "required": ["run"]}
            found.append(ToolOnOffer(STATUS, says, takes, _gives({}), reads_only=True))
        if principal.may("answer"):
            says = "Answer a question that a run has put, as its `form` says."
            fields = {"task": {"type": "string"}, "answer": {}}
            takes = {"type": "object", "properties": fields, "required": ["task", "answer"]}
            found.append(ToolOnOffer(ANSWER, says, takes, _gives({})))
        return found

    # --- what is done

    async def begin(self, principal: Principal, name: str, inputs: Mapping[str, Any]) -> str:
        """Start a run, and return its id.

        Raises:
            Problem: There is no such workflow for this one, or the inputs do not fit.
        """
        reply = await self._audited(
            start_run, "start_run", principal, {"workflow": name}, {"inputs": dict(inputs)}
        )
        return str(reply.data["run"])

    async def answer(self, principal: Principal, task: str, value: object) -> str:
        """Answer a question, and return the run that has put it.

        Raises:
            Problem: It is closed, or put to others, or the answer does not fit.
        """
        reply = await self._audited(answer_task, ANSWER, principal, {"task": task}, {"answer": value})
        return str(reply.data["run"])

    async def link(self, principal: Principal, task: str, address: str) -> str:
        """Return a link by which somebody answers a question; empty if there are none here."""
        if not (self.server.key and (self.server.address or address)):
            return ""
        name = principal.name
        data = {"for": name, "seconds": LINK_LASTS}
        made = await self._audited(link_task, "link_task", principal, {"task": task}, data, address)
        return str(made.data["link"])

    async def _audited(
        self,
        do: Callable[[Installation, Call], Awaitable[Reply]],
        action: str,
        principal: Principal,
        path: dict[str, str],
        data: dict[str, Any],
        address: str = "",
    ) -> Reply:
        call = Call(principal, path, {}, {}, data, b"", "", address, MARK, action)
        try:
            reply = await do(self.server, call)
        except (Problem, WorkflowError) as error:
            problem = (
                error if isinstance(error, Problem) else problem_of(error, self.server.engine.store.errors)
            )
            await self.server.audit.note(call, problem.code)
            raise problem from None
        target = reply.data.get("run", "") if action == "start_run" else ""
        if not reply.is_noted:
            await self.server.audit.note(call, str(reply.status), target=target)
        return reply

    async def follow(
        self,
        run_id: str,
        answered: Mapping[str, int],
        seconds: float,
        tell: Callable[[int, str], Awaitable[None]],
    ) -> None:
        """Return once a run is over, or asks what was not asked before, or rests, or some seconds have passed."""
        server, before, quiet = self.server, None, 0
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not server.is_draining:
            found = await server.watch.changed(run_id, before, min(left, LOOKS))
            if found is None:
                continue
            if found != before:
                await tell(found.seq, found.status)
            if found.is_over:
                return
            tasks = await asyncio.to_thread(server.engine.tasks, run_id=run_id)
            if any(task.task_id not in answered for task in tasks):
                return
            is_quiet = found == before and found.rests and not await server.goes_on(run_id)
            quiet = quiet + 1 if is_quiet else 0
            if quiet >= QUIET_LOOKS:
                return
            before = found

    async def state(self, principal: Principal, run_id: str) -> dict[str, Any]:
        """Return how a run is, with the questions that it waits for.

        Raises:
            Problem: There is no such run for this one.
        """
        told = (await run_reply(self.server, principal, run_id)).data
        found = {"run": run_id, "status": told["status"]}
        if (result := told.get("result")) is not None:
            found |= {"event": result["event"], "result": result["with"]}
        if (error := told.get("error")) is not None:
            found["error"] = error["message"]
        waiting = await self.questions(principal, run_id)
        return found | ({"waiting": waiting} if waiting else {})

    async def questions(self, principal: Principal, run_id: str) -> list[dict[str, Any]]:
        """Return the open questions of a run, each with its form and whether this one may answer it."""
        rows = await asyncio.to_thread(self.server.engine.tasks, run_id=run_id)
        full = [await asyncio.to_thread(self.server.engine.task, row.task_id) for row in rows[:MOST_TASKS]]
        return [
            {
                "task": row.task_id,
                "title": row.title,
                "show": (row.about or {}).get("show"),
                "form": (row.about or {}).get("form"),
                "assign": row.assign,
                "yours": principal.may("answer") and is_asked(principal, row),
            }
            for row in full
            if row.closed is None
        ]

    # --- what goes to the other side and comes back

    def sealed(self, conversation: ToolTalk, principal: Principal) -> str:
        """Return what is known of a call as a text that nobody else can make."""
        body = json.dumps(conversation, separators=(",", ":"))
        return f"{self._signature(body, principal)}.{body}"

    def opened(self, text: str, principal: Principal) -> ToolTalk:
        """Return what is known of a call.

        Raises:
            Problem: It was not sealed for this one.
        """
        signature, _, body = text.partition(".")
        if not hmac.compare_digest(
            signature.encode("utf-8", "replace"), self._signature(body, principal).encode()
        ):
            raise Problem(
                400, "tool.state", "that is not the state of a call of yours; `run_status` shows runs"
            )
        run, asked = json.loads(body)
        return ToolTalk(run, asked)

    def _signature(self, body: str, principal: Principal) -> str:
        said = f"wfc tool call 1\n{principal.name}\n{body}".encode("utf-8", "replace")
        return hmac.new(self._key, said, hashlib.sha256).hexdigest()


def _tool_of(workflow: StartableWorkflow) -> ToolOnOffer:
    own = workflow._wfc
    ends = {event_name(kind): schema_of(kind) for kind in own.plan.end_classes}
    says = (type(workflow).__doc__ or "").strip() or f"Runs the workflow {own.name}."
    return ToolOnOffer(own.name, says, schema_of(own.plan.start_class), _gives(ends))


def _gives(ends: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the JSON Schema of what a call gives, of which the result is one of the ends' fields."""
    shared: dict[str, Any] = {}
    kinds = []
    for schema in ends.values():
        shared |= schema.get("$defs", {})
        kinds.append({name: value for name, value in schema.items() if name != "$defs"})
    properties: dict[str, Any] = {
        "run": {"type": "string"},
        "status": {"type": "string"},
        "event": {"type": "string", **({"enum": list(ends)} if ends else {})},
        "result": {"anyOf": kinds} if kinds else {"type": "object"},
        "error": {"type": "string"},
        "waiting": {"type": "array", "items": {"type": "object"}},
    }
    found = {"type": "object", "properties": properties, "required": ["run", "status"]}
    return found | ({"$defs": shared} if shared else {})


def flat_form(form: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a form as questions of MCP have them; ``None`` if a field is more than a text, a number or a choice."""
    if form is None:
        return {"type": "object", "properties": {}}
    shared = form.get("$defs", {})
    properties = {}
    for name, field in form.get("properties", {}).items():
        plain = _plain(field, shared)
        if plain is None:
            return None
        properties[name] = plain
    if not properties and form.get("type") != "object":
        return None
    return {"type": "object", "properties": properties, "required": list(form.get("required", ()))}


def _plain(field: Mapping[str, Any], shared: Mapping[str, Any]) -> dict[str, Any] | None:
    name = str(field.get("$ref", "")).rpartition("/")[2]
    whole = {**shared.get(name, {}), **field}
    choices = [each for each in whole.get("anyOf", ()) if each.get("type") != "null"]
    if len(choices) == 1:
        return _plain(
            {**{key: value for key, value in whole.items() if key != "anyOf"}, **choices[0]}, shared
        )
    if whole.get("type") not in SIMPLE or ("enum" in whole and whole["type"] != "string"):
        return None
    return {key: whole[key] for key in SAID if whole.get(key) is not None}
