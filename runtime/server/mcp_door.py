"""The door to the Model Context Protocol: tools of a server for programs of agents, over HTTP or standard streams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Final

from wfc.runtime.errors import MissingPackageError, WorkflowError
from wfc.runtime.server.access import Principal
from wfc.runtime.server.calls import Problem
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.refusals import problem_of
from wfc.runtime.server.tool_calls import ANSWER, LONGEST_SHOWN, STATUS, ToolCalls, ToolTalk, flat_form

try:
    import mcp_types as types
    from mcp import MCPError
    from mcp.server.lowlevel import Server
    from mcp.server.stdio import stdio_server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS
except ImportError:
    raise MissingPackageError(
        "tools for programs of agents need the package mcp: pip install 'wfc-workflows[mcp]'"
    ) from None

__all__ = ["PRINCIPAL", "McpFace", "serve_streams"]

PRINCIPAL: Final = "wfc.principal"
"""Under what a request has who asks, and under what address it was asked."""
WAITS: Final = 50.0
"""The seconds that one request waits for a run."""
MOST_ASKED: Final = 3
"""How often one question is put to whoever has called, if the answers do not fit."""
MOST_SESSIONS: Final = 200
IDLE: Final = 900.0

Context = Any


class McpFace:
    """The tools of a server over HTTP: each request has its own principal.

    Args:
        known: Who calls where no request says it, as over standard streams.
    """

    def __init__(self, server: Installation, known: Principal | None = None) -> None:
        self.calls = ToolCalls(server)
        self._installation = server
        self._known = known
        self.protocol = Server(
            "wfc",
            version=version("wfc-workflows"),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
        )
        self._manager = StreamableHTTPSessionManager(
            app=self.protocol,
            # host and origin were held against our own rules before
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=server.bounds.body,
            max_sessions=MOST_SESSIONS,
            session_idle_timeout=IDLE,
        )
        self._open: asyncio.Event | None = None
        self._owner: asyncio.Task[None] | None = None

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request of somebody who was let in; see ``PRINCIPAL``."""
        if self._open is None:
            self._open = asyncio.Event()
            self._owner = asyncio.create_task(self._own(self._open))
        await self._open.wait()
        await self._manager.handle_request(scope, receive, send)

    async def _own(self, is_open: asyncio.Event) -> None:
        """Keep what the protocol needs beside requests, until the server is to end."""
        async with self._manager.run():
            is_open.set()
            await self._installation.drains.wait()

    # --- requests

    def _who(self, context: Context) -> tuple[Principal, str]:
        """Return who asks, and under what address."""
        if self._known is not None:
            return self._known, ""
        found: tuple[Principal, str] = context.request.scope[PRINCIPAL]
        return found

    async def _list_tools(self, context: Context, params: object) -> types.ListToolsResult:
        principal, _ = self._who(context)
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=one.name,
                    description=one.says,
                    input_schema=one.takes,
                    output_schema=one.gives,
                    annotations=types.ToolAnnotations(read_only_hint=one.reads_only),
                )
                for one in self.calls.offered(principal)
            ]
        )

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        principal, address = self._who(context)
        if params.name not in {one.name for one in self.calls.offered(principal)}:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool `{params.name[:100]}`")
        try:
            return await self._called(context, principal, address, params)
        except Problem as problem:
            return refusal(problem)
        except WorkflowError as error:
            return refusal(problem_of(error, self._installation.engine.store.errors))

    async def _called(
        self, context: Context, principal: Principal, address: str, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        given = params.arguments or {}
        if params.name == STATUS:
            return told(await self.calls.state(principal, text_in(given, "run")))
        if params.name == ANSWER:
            run = await self.calls.answer(principal, text_in(given, "task"), given.get("answer"))
            talk, reply = ToolTalk(run, {text_in(given, "task"): MOST_ASKED}), None
        elif params.request_state is not None:
            talk = self.calls.opened(params.request_state, principal)
            reply = {name: one for name, one in (params.input_responses or {}).items() if name in talk.asked}
        else:
            talk, reply = ToolTalk(await self.calls.begin(principal, params.name, given), {}), None
        asking = ToolDialogue(self.calls, context, principal, address)
        return await asking.go_on(talk, reply)


class ToolDialogue:
    """One request of a call: the run is followed, and whoever has called is asked what the run asks."""

    def __init__(self, calls: ToolCalls, context: Context, principal: Principal, address: str) -> None:
        self._calls = calls
        self._session = context.session
        self._request = context.request_id
        self._principal = principal
        self._address = address
        self._refused: dict[str, str] = {}  # why answers did not count

    async def go_on(
        self, talk: ToolTalk, replies: Mapping[str, Any] | None
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Follow the run of a call, with what was replied to its questions, to what is to be said of it now."""
        while True:
            for task, reply in (replies or {}).items():
                if not await self._take(task, reply):
                    return told(await self._calls.state(self._principal, talk.run))
            done = {task: times for task, times in talk.asked.items() if task not in self._refused}
            await self._calls.follow(talk.run, done, WAITS, self._tell)
            asked = await self._next(talk)
            if asked is None:
                return told(await self._calls.state(self._principal, talk.run))
            task, question = asked
            talk = talk.and_asked(task)
            self._refused.pop(task, None)
            if self._session.protocol_version in MODERN_PROTOCOL_VERSIONS:
                state = self._calls.sealed(talk, self._principal)
                request = types.ElicitRequest(params=question)
                return types.InputRequiredResult(input_requests={task: request}, request_state=state)
            replies = {task: await self._elicit(question, task)}

    async def _tell(self, number: int, said: str) -> None:
        await self._session.report_progress(float(number), None, said)

    async def _take(self, task: str, reply: Any) -> bool:
        """Bring a reply to its question; return whether to go on."""
        found = reply if isinstance(reply, types.ElicitResult) else types.ElicitResult.model_validate(reply)
        if found.action != "accept":
            return False
        if found.content is None:  # whoever was asked has followed a link
            return True
        answer = {name: value for name, value in found.content.items() if value is not None}
        try:
            await self._calls.answer(self._principal, task, answer)
        except Problem as problem:
            self._refused[task] = problem.detail + "".join(f"\n{one.message}" for one in problem.errors)
        return True

    async def _next(self, talk: ToolTalk) -> tuple[str, Any] | None:
        """Return what is to be asked next, if there is anything, and the other side can be asked."""
        for each in await self._calls.questions(self._principal, talk.run):
            times = talk.asked.get(each["task"], 0)
            if each["yours"] and times < MOST_ASKED and (not times or each["task"] in self._refused):
                question = await self._question(each)
                if question is not None:
                    return each["task"], question
        return None

    async def _question(self, each: Mapping[str, Any]) -> Any:
        """Return a question as the other side takes it: as a form, or else as a link; ``None``: as neither."""
        capabilities = self._session.client_capabilities
        can = capabilities.elicitation if capabilities is not None else None
        if can is None:
            return None
        message = "\n\n".join(
            filter(None, [self._refused.get(each["task"], ""), each["title"], each["show"] or ""])
        )[:LONGEST_SHOWN]
        form = flat_form(each["form"])
        if form is not None and (can.form is not None or can.url is None):
            return types.ElicitRequestFormParams(message=message, requested_schema=form)
        if can.url is None:
            return None
        link = await self._calls.link(self._principal, each["task"], self._address)
        if not link:
            return None
        return types.ElicitRequestURLParams(message=message, url=link, elicitation_id=each["task"])

    async def _elicit(self, question: Any, task: str) -> Any:
        """Ask over the connection, as the protocol did before; who does not answer is as who declines."""
        try:
            if isinstance(question, types.ElicitRequestFormParams):
                return await self._session.elicit_form(
                    question.message, question.requested_schema, self._request
                )
            return await self._session.elicit_url(question.message, question.url, task, self._request)
        except MCPError:
            return types.ElicitResult(action="cancel")


def text_in(given: Mapping[str, Any], name: str) -> str:
    """Return an argument that is a text.

    Raises:
        Problem: It is none.
    """
    found = given.get(name)
    if not isinstance(found, str):
        raise Problem(422, "tool.arguments", f"`{name}` is a text")
    return found


def told(state: dict[str, Any]) -> types.CallToolResult:
    """Return how a run is as the result of a call."""
    if "result" in state:
        said = f"{state['event']}: {json.dumps(state['result'], ensure_ascii=False)}"
    elif "error" in state:
        said = f"the run {state['run']} has failed: {state['error']}"
    elif state.get("waiting"):
        asked = "; ".join(f"{one['title']} (task {one['task']})" for one in state["waiting"])
        said = f"the run {state['run']} waits for an answer: {asked}"
    else:
        said = f"the run {state['run']} is {state['status']}: `{STATUS}` shows it later"
    content = types.TextContent(type="text", text=said)
    return types.CallToolResult(content=[content], structured_content=state, is_error="error" in state)


def refusal(problem: Problem) -> types.CallToolResult:
    """Return a refusal as the result of a call, so that a model reads it."""
    said = "\n".join([problem.detail, *(f"{one.pointer}: {one.message}" for one in problem.errors)])
    return types.CallToolResult(content=[types.TextContent(type="text", text=said)], is_error=True)


async def serve_streams(server: Installation, principal: Principal) -> None:
    """Serve whoever has started this process, over standard input and output, until that ends."""
    face = McpFace(server, principal)
    async with server.at_work(), stdio_server() as (incoming, outgoing):
        protocol = face.protocol
        await protocol.run(incoming, outgoing, protocol.create_initialization_options())
