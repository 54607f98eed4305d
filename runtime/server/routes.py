"""All endpoints in one table: by it requests find their way, are let in or not, and are described.

Of two paths that a request fits the first one counts.
"""

from __future__ import annotations

from typing import Any, Final

from wfc.runtime.server import altering, hooks, pages, runs, starts, tasks, upkeep, workflows
from wfc.runtime.server.calls import Call, Reply
from wfc.runtime.server.endpoint import ANYBODY, LINK, PAGE, SENDER, Endpoint
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.openapi import description

__all__ = ["ENDPOINTS"]


async def describe(server: Installation, call: Call) -> Reply:
    """Describe these endpoints by OpenAPI 3.1, with the inputs and results of the workflows that one may see."""
    return Reply(description(ENDPOINTS, server, call.principal, call.server))


def _object(needed: tuple[str, ...] = (), **members: object) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "object", "properties": members, "additionalProperties": False}
    return found | ({"required": list(needed)} if needed else {})


_TEXT: Final = {"type": "string"}
_DATA: Final = {"type": "object"}
_SEE: Final = ("see",)
_OPERATE: Final = ("operate",)
_FLAG: Final = {"type": "string", "enum": ["", "true", "false", "1", "0"]}


def _whole(least: int, most: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": least, "maximum": most}


_FORM: Final = {"form": {"type": "string", "enum": list(workflows.FORMS)}}
_WAIT: Final = {"wait": _whole(0, starts.LONGEST_WAIT)}
_MOST: Final = {"most": _whole(1, runs.MOST)}
_EVENT: Final = {"event": _TEXT, "with": _DATA, "message_id": _TEXT}
_ANSWER: Final = _object(("answer",), answer={})

ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    Endpoint("GET", "/", "show_page", pages.show_page, (ANYBODY,), content=PAGE),
    Endpoint("GET", "/task", "show_task_page", pages.show_task_page, (ANYBODY,), content=PAGE),
    Endpoint("GET", "/page/{file}", "show_page_file", pages.show_page_file, (ANYBODY,), content=PAGE),
    Endpoint("GET", "/livez", "livez", upkeep.livez, (ANYBODY,)),
    Endpoint("GET", "/readyz", "readyz", upkeep.readyz, (ANYBODY,)),
    Endpoint("GET", "/metrics", "metrics", upkeep.show_metrics, _SEE, content="text/plain"),
    Endpoint("GET", "/v1/me", "me", upkeep.show_me, ("see", "start", "answer", "operate")),
    Endpoint("GET", "/v1/openapi.json", "openapi", describe, ("see", "start", "answer", "operate")),
    Endpoint("GET", "/v1/workflows", "list_workflows", workflows.list_workflows, ("see", "start")),
    Endpoint("GET", "/v1/workflows/{workflow}", "show_workflow", workflows.show_workflow, ("see", "start")),
    Endpoint(
        "GET",
        "/v1/workflows/{workflow}/flow",
        "draw_flow",
        workflows.draw_flow,
        ("see", "start"),
        query=_FORM,
        content="text/plain",
    ),
    Endpoint(
        "POST",
        "/v1/workflows/{workflow}/runs",
        "start_run",
        starts.start_run,
        ("start",),
        body=_object(inputs=_DATA),
        query=_WAIT,
        headers=("Idempotency-Key",),
        good=(201, 200),
    ),
    Endpoint(
        "GET",
        "/v1/runs",
        "list_runs",
        runs.list_runs,
        _SEE,
        query={
            "workflow": _TEXT,
            "status": {"type": "string", "enum": list(runs.STATUSES)},
            "key": _TEXT,
            "after": _TEXT,
            **_MOST,
        },
    ),
    Endpoint(
        "GET",
        "/v1/runs/{run}/history",
        "show_history",
        runs.show_history,
        _SEE,
        query={"since": _whole(0, 10**15), **_MOST},
    ),
    Endpoint(
        "GET", "/v1/runs/{run}/flow", "draw_run", runs.draw_run, _SEE, query=_FORM, content="text/plain"
    ),
    Endpoint("GET", "/v1/runs/{run}/at/{seq}", "show_run_at", runs.show_run_at, _SEE),
    Endpoint(
        "GET",
        "/v1/runs/{run}/stream",
        "stream_run",
        runs.stream_run,
        _SEE,
        query={"since": _TEXT},
        headers=("Last-Event-ID", "Accept"),
        content="text/event-stream",
    ),
    Endpoint("GET", "/v1/runs/{run}", "show_run", runs.show_run, _SEE, query=_WAIT),
    Endpoint(
        "POST",
        "/v1/runs/{run}/events",
        "send_event",
        runs.send_event,
        _OPERATE,
        body=_object(("event",), **_EVENT),
        headers=("If-Match",),
        good=(202,),
    ),
    Endpoint(
        "POST",
        "/v1/messages",
        "send_message",
        runs.send_message,
        _OPERATE,
        body=_object(("workflow", "event"), workflow=_TEXT, key=_TEXT, **_EVENT),
        good=(202,),
    ),
    Endpoint(
        "POST",
        "/v1/runs/{run}/cancel",
        "cancel_run",
        runs.cancel_run,
        _OPERATE,
        body=_object(reason=_TEXT),
        headers=("If-Match",),
        good=(200, 202),
    ),
    Endpoint(
        "POST",
        "/v1/runs/{run}/resume",
        "resume_run",
        runs.resume_run,
        _OPERATE,
        body=_object(),
        query={"dry": _FLAG},
        headers=("If-Match",),
        good=(202, 200),
    ),
    Endpoint(
        "POST",
        "/v1/runs/{run}/fork",
        "fork_run",
        altering.fork_run,
        _OPERATE,
        body=_object(at=_whole(0, 10**15), step=_TEXT, state=_DATA),
        query={"dry": _FLAG},
        headers=("If-Match",),
        good=(201, 200),
    ),
    Endpoint(
        "POST",
        "/v1/runs/{run}/upgrade",
        "upgrade_run",
        altering.upgrade_run,
        _OPERATE,
        body=_object(),
        query={"dry": _FLAG},
        headers=("If-Match",),
    ),
    Endpoint(
        "GET",
        "/v1/tasks",
        "list_tasks",
        tasks.list_tasks,
        ("see", "answer"),
        query={"run": _TEXT, "mine": _FLAG, "all": _FLAG, "after": _TEXT, **_MOST},
    ),
    Endpoint("GET", "/v1/tasks/{task}", "show_task", tasks.show_task, ("see", "answer")),
    Endpoint(
        "POST",
        "/v1/tasks/{task}/answer",
        "answer_task",
        tasks.answer_task,
        ("answer",),
        body=_ANSWER,
        good=(202, 200),
    ),
    Endpoint(
        "POST",
        "/v1/tasks/{task}/delegate",
        "delegate_task",
        tasks.delegate_task,
        ("answer", "operate"),
        body=_object(("to",), to=_TEXT, because=_TEXT),
        good=(202,),
    ),
    Endpoint(
        "POST",
        "/v1/tasks/{task}/link",
        "link_task",
        tasks.link_task,
        _OPERATE,
        body=_object(("for",), **{"for": _TEXT, "seconds": _whole(1, tasks.LINK_AT_MOST)}),
        good=(201,),
    ),
    Endpoint(
        "POST",
        "/v1/hooks/{hook}",
        "receive_hook",
        hooks.receive_hook,
        (SENDER,),
        body={},
        good=(202,),
        is_raw=True,
    ),
    Endpoint("GET", "/v1/links/task", "show_by_link", tasks.show_by_link, (LINK,)),
    Endpoint("POST", "/v1/links/task", "answer_by_link", tasks.answer_by_link, (LINK,), body=_ANSWER),
)
