"""The routes of the HTTP API of llama-index-workflows, as an ASGI application."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from pydantic_core import to_json

from wfc.runtime.drawing.representation import get_workflow_representation
from wfc.runtime.driver.context import Context
from wfc.runtime.errors import WorkflowError
from wfc.runtime.events import Event, StartEvent
from wfc.runtime.llama_index.server.envelopes import InvalidEventError, envelope_of, event_of
from wfc.runtime.llama_index.server.guarding import Guard
from wfc.runtime.llama_index.server.handlers import Handlers, RunRecord
from wfc.runtime.values.strict_json import parsed
from wfc.runtime.workflow import Workflow

try:
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import Response, StreamingResponse
    from starlette.routing import Route
    from starlette.types import Receive, Scope, Send
except ImportError:
    from wfc.runtime.errors import MissingPackageError

    raise MissingPackageError(
        "the server needs the package starlette: pip install 'wfc-workflows[server]'"
    ) from None

__all__ = ["WorkflowAPI"]

LARGEST: Final = 10_000_000
"""The bytes of a body."""

LONGEST_NUMBER: Final = 200
STATUSES: Final = {"running", "completed", "failed", "cancelled"}
HTTP: Final = {"running": 202, "completed": 200}


class Answering:
    """An endpoint as an ASGI application; refusals are told by the one around all of them, not by one more around each.

    Args:
        function: Returns the response to a request.
    """

    def __init__(self, function: Callable[[Request], Awaitable[Response]]) -> None:
        self._function = function

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        response = await self._function(Request(scope, receive, send))
        await response(scope, receive, send)


class DataResponse(Response):
    """A response of JSON; `JSONResponse` makes an encoder for each one, which takes five times as long."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return data as JSON; numbers that JSON has not are `null`."""
        return to_json(content, inf_nan_mode="null")


class WorkflowAPI:
    """What a server answers.

    Args:
        guard: Says which names of hosts are ours, and which pages of others may use it.
        heartbeat: The seconds after which a quiet stream says that it lives; ``None``: never.
        most_over: How many runs that are over are remembered; ``None``: all.
        takes_context: Whether a request may bring a saved context.
    """

    def __init__(
        self,
        guard: Guard,
        heartbeat: float | None,
        most_over: int | None,
        *,
        takes_context: bool,
        middleware: Sequence[Middleware] | None,
        exception_handlers: Mapping[Any, Any] | None,
    ) -> None:
        self.workflows: dict[str, Workflow] = {}
        self.more: dict[str, tuple[type[Event], ...]] = {}
        self.handlers = Handlers(most_over)
        self._heartbeat = heartbeat
        self._takes_context = takes_context
        self.app = Starlette(
            routes=self._routes(),
            middleware=[Middleware(guard.around), *(middleware or ())],
            exception_handlers=dict(exception_handlers or {HTTPException: told}),
        )

    def _routes(self) -> list[Route]:
        found: Sequence[tuple[str, str, Callable[[Request], Awaitable[Response]]]] = (
            ("POST", "/workflows/{name}/run", self.run),  # the first, as each request looks from here on
            ("GET", "/health", self.health),
            ("GET", "/workflows", self.list_workflows),
            ("POST", "/workflows/{name}/run-nowait", self.run_nowait),
            ("GET", "/workflows/{name}/schema", self.schema),
            ("GET", "/workflows/{name}/representation", self.representation),
            ("GET", "/workflows/{name}/events", self.event_schemas),
            ("GET", "/events/{handler_id}", self.stream),
            ("POST", "/events/{handler_id}", self.send_event),
            ("GET", "/handlers", self.list_handlers),
            ("GET", "/handlers/{handler_id}", self.show_handler),
            ("POST", "/handlers/{handler_id}/cancel", self.cancel),
            ("GET", "/results/{handler_id}", self.result),
        )
        return [Route(path, Answering(function), methods=[method]) for method, path, function in found]

    # --- workflows

    async def health(self, _: Request) -> Response:
        """Tell that the server is alive."""
        return DataResponse({"status": "healthy"})

    async def list_workflows(self, _: Request) -> Response:
        """List the names of the workflows."""
        return DataResponse({"workflows": list(self.workflows)})

    def _workflow(self, request: Request) -> tuple[str, Workflow]:
        name = str(request.path_params["name"])
        if name not in self.workflows:
            raise HTTPException(404, "Workflow not found")
        return name, self.workflows[name]

    async def schema(self, request: Request) -> Response:
        """Show the JSON Schemas of what a workflow begins and ends with."""
        _, workflow = self._workflow(request)
        ends = workflow.stop_event_class.model_json_schema()
        return DataResponse({"start": workflow.start_event_class.model_json_schema(), "stop": ends})

    async def representation(self, request: Request) -> Response:
        """Show a workflow as a graph."""
        graph = get_workflow_representation(self._workflow(request)[1])
        return DataResponse({"graph": graph.model_dump(mode="json")})

    async def event_schemas(self, request: Request) -> Response:
        """Show the JSON Schemas of the events of a workflow."""
        name, _ = self._workflow(request)
        return DataResponse({"events": [one.model_json_schema() for one in self.events(name).values()]})

    def events(self, name: str) -> dict[str, type[Event]]:
        """Return the events of a workflow, by their names."""
        kinds = (*self.workflows[name].events, *self.more.get(name, ()))
        return {one.__name__: one for one in kinds}

    # --- runs

    async def run(self, request: Request) -> Response:
        """Start a run, and give its result."""
        record = await self._started(request)
        await record.over.wait()
        return DataResponse(record.data(), 200 if record.status == "completed" else 500)

    async def run_nowait(self, request: Request) -> Response:
        """Start a run, and give its handler."""
        return DataResponse((await self._started(request)).data())

    async def _started(self, request: Request) -> RunRecord:
        name, workflow = self._workflow(request)
        body = await body_of(request)
        given = body.get("start_event")
        try:
            start = event_of(
                body.get("kwargs", {}) if given is None else given,
                partial(self.events, name),
                workflow.start_event_class,
            )
        except InvalidEventError as error:
            raise HTTPException(400, f"Validation error for 'start_event': {error}") from None
        if not isinstance(start, StartEvent):
            raise HTTPException(400, f"Start event must be an instance of {workflow.start_event_class}")
        number = body.get("handler_id") or secrets.token_hex(16)
        if not isinstance(number, str) or len(number) > LONGEST_NUMBER or not number.isprintable():
            raise HTTPException(400, "a handler_id is a text that can be printed, not too long")
        before = self.handlers.get(number)
        if before is not None and not before.over.is_set():
            raise HTTPException(409, f"Handler {number} is already running")
        try:
            context = self._context(body.get("context"), workflow, before)
            record = RunRecord(number, name, workflow.run(start_event=start, ctx=context))
        except WorkflowError as error:
            raise HTTPException(400, f"Error processing request body: {error}") from None
        self.handlers.add(record)
        return record

    def _context(self, data: object, workflow: Workflow, before: RunRecord | None) -> Context[Any] | None:
        """Return the context that a run goes on with: one that was sent, or that of the run before under its id."""
        if not data:
            return None if before is None else before.handler.ctx
        if not self._takes_context:
            raise HTTPException(
                400,
                "Context API is disabled. Set accept_context_api=True on WorkflowServer to enable it.",
            )
        if not isinstance(data, dict):
            raise HTTPException(400, "Error processing request body: the context is no object")
        return Context.from_dict(workflow, data)

    def _record(self, request: Request) -> RunRecord:
        found = self.handlers.get(str(request.path_params["handler_id"]))
        if found is None:
            raise HTTPException(404, "Handler not found")
        return found

    async def list_handlers(self, request: Request) -> Response:
        """List handlers: all, or those with a status or of a workflow."""
        status = [one for one in request.query_params.getlist("status") if one.strip()]
        names = [one for one in request.query_params.getlist("workflow_name") if one.strip()]
        found = [
            one.data()
            for one in self.handlers.all()
            if (not status or one.status in STATUSES & set(status)) and (not names or one.name in names)
        ]
        return DataResponse({"handlers": found})

    async def show_handler(self, request: Request) -> Response:
        """Show a handler, with its result once there is one: 202 before that."""
        record = self._record(request)
        return DataResponse(record.data(), HTTP.get(record.status, 500))

    async def result(self, request: Request) -> Response:
        """Show a handler with the bare value of its result, as clients of before read it."""
        record = self._record(request)
        data = record.data()
        if record.result is not None:
            value = envelope_of(record.result)
            is_plain = value["qualified_name"] == "workflows.events.StopEvent"
            data["result"] = value["value"].get("result") if is_plain else value["value"]
        return DataResponse(data, HTTP.get(record.status, 500))

    async def cancel(self, request: Request) -> Response:
        """Cancel a run; with `?purge=true` it is forgotten, too.

        Raises:
            HTTPException: There is none, or it is over.
        """
        record = self._record(request)
        is_purged = request.query_params.get("purge", "false").lower() == "true"
        if record.over.is_set() and not is_purged:
            raise HTTPException(404, "Handler not found")
        await record.cancel()
        if is_purged:
            self.handlers.forget(record.number)
        return DataResponse({"status": "deleted" if is_purged else "cancelled"})

    async def send_event(self, request: Request) -> Response:
        """Send an event to a run.

        Raises:
            HTTPException: There is no such run, or event, or the run is over.
        """
        record = self._record(request)
        body = await body_of(request)
        if not body.get("event"):
            raise HTTPException(400, "Event data is required")
        if record.over.is_set():
            raise HTTPException(409, "Workflow already completed")
        try:
            event = event_of(body["event"], partial(self.events, record.name))
        except InvalidEventError as error:
            raise HTTPException(400, str(error)) from None
        step = body.get("step")
        try:
            await record.handler.send_event(event, step if isinstance(step, str) else None)
        except WorkflowError as error:
            raise HTTPException(400, str(error)) from None
        return DataResponse({"status": "sent"})

    # --- streams

    async def stream(self, request: Request) -> Response:
        """Stream what a run shows: for browsers (SSE), or with `?sse=false` as lines of JSON."""
        record, asked = self._record(request), request.query_params
        as_events = asked.get("sse", "true").lower() == "true"
        internal = asked.get("include_internal", "false").lower() == "true"
        qualified = asked.get("include_qualified_name", "true").lower() == "true"
        after = self._after(request, record, as_events=as_events)
        if record.over.is_set() and after >= record.last:
            return Response(status_code=204)
        events = record.events(after, internal=internal, quiet=self._heartbeat if as_events else None)

        async def lines() -> AsyncGenerator[str, None]:
            async for one in events:
                if one is None:
                    yield ": heartbeat\n\n"
                    continue
                data = json.dumps(envelope_of(one[1], qualified=qualified))
                yield f"id: {one[0]}\ndata: {data}\n\n" if as_events else f"{data}\n"

        kind = "text/event-stream" if as_events else "application/x-ndjson"
        return StreamingResponse(lines(), media_type=kind, headers={"Cache-Control": "no-store"})

    def _after(self, request: Request, record: RunRecord, *, as_events: bool) -> int:
        text = request.query_params.get("after_sequence", "now")
        last = request.headers.get("last-event-id", "") if as_events else ""
        if last.lstrip("-").isdecimal() and last.isascii():
            text = last
        if text.lower() == "now":
            return record.last
        if not (text.lstrip("-").isdecimal() and text.isascii() and len(text) <= 18):
            raise HTTPException(400, f"Invalid after_sequence: '{text[:50]}'")
        return max(int(text), -1)

    async def end(self) -> None:
        """Cancel all runs that are under way."""
        await asyncio.gather(*(one.cancel() for one in self.handlers.all()))


async def body_of(request: Request) -> dict[str, Any]:
    """Return the body of a request, a JSON object.

    Raises:
        HTTPException: It is none, or too large.
    """
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > LARGEST:
            raise HTTPException(413, f"a body has {LARGEST} bytes at most")
    try:
        found = parsed(bytes(raw))
    except ValueError as error:
        raise HTTPException(400, f"Invalid JSON body: {error}") from None
    if not isinstance(found, dict):
        raise HTTPException(400, "Error processing request: the body is no JSON object")
    return found


async def told(_: Request, error: Exception) -> Response:
    """Return a refusal as clients read it."""
    assert isinstance(error, HTTPException)
    return DataResponse({"detail": error.detail}, error.status_code)
