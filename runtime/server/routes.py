"""All endpoints in one table: by it requests find their way, are let in or not, and are described.

Of two paths that a request fits the first one counts.
"""

from __future__ import annotations

from typing import Final

from wfc.runtime.server import altering, deeds, hooks, pages, runs, starts, tasks, upkeep, workflows
from wfc.runtime.server.access import ROLES
from wfc.runtime.server.calls import Call, Reply
from wfc.runtime.server.endpoint import (
    ANYBODY,
    FLAG,
    LINK,
    PAGE,
    SENDER,
    TEXT,
    YES,
    Endpoint,
    list_of,
    object_of,
    whole,
)
from wfc.runtime.server.forms import FORMS
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.many import OVER_MANY
from wfc.runtime.server.openapi import description
from wfc.runtime.server.talks import TALKS

__all__ = ["ENDPOINTS"]


async def describe(server: Installation, call: Call) -> Reply:
    """Describe these endpoints by OpenAPI 3.1, with the inputs and results of the workflows that one may see."""
    return Reply(description((*ENDPOINTS, *server.beside), server, call.principal, call.server))


_DATA: Final = {"type": "object"}
_SEE: Final = ("see",)
_OPERATE: Final = ("operate",)
_FORM: Final = {"form": {"type": "string", "enum": list(workflows.FORMS)}}
_WAIT: Final = {"wait": whole(0, starts.LONGEST_WAIT)}
_MOST: Final = {"most": whole(1, runs.MOST)}
_EVENT: Final = {"event": TEXT, "with": _DATA, "message_id": TEXT}
_ANSWER: Final = object_of(("answer",), answer={})

ENDPOINTS: Final[tuple[Endpoint, ...]] = (
    Endpoint("GET", "/", "show_page", pages.show_page, (ANYBODY,), content=PAGE),
    Endpoint("GET", "/task", "show_task_page", pages.show_task_page, (ANYBODY,), content=PAGE),
    Endpoint("GET", "/form", "show_form_page", pages.show_form_page, (ANYBODY,), content=PAGE),
    Endpoint("GET", "/chat", "show_chat_page", pages.show_chat_page, (ANYBODY,), content=PAGE),
    Endpoint("GET", "/page/{file}", "show_page_file", pages.show_page_file, (ANYBODY,), content=PAGE),
    Endpoint("GET", "/livez", "livez", upkeep.livez, (ANYBODY,)),
    Endpoint("GET", "/readyz", "readyz", upkeep.readyz, (ANYBODY,)),
    Endpoint("GET", "/metrics", "metrics", upkeep.show_metrics, _SEE, content="text/plain"),
    Endpoint("GET", "/v1/me", "me", upkeep.show_me, ROLES),
    Endpoint("GET", "/v1/openapi.json", "openapi", describe, ROLES),
    Endpoint(
        "GET",
        "/v1/audit",
        "list_audit",
        upkeep.list_audit,
        _OPERATE,
        query={"who": TEXT, "action": TEXT, "target": TEXT, "after": TEXT, **_MOST},
    ),
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
    Endpoint("GET", "/v1/workflows/{workflow}/spec", "show_spec", workflows.show_spec, ("see", "author")),
    Endpoint(
        "GET", "/v1/workflows/{workflow}/python", "show_python", workflows.show_python, ("see", "author")
    ),
    Endpoint(
        "GET",
        "/v1/stream",
        "stream_changes",
        runs.stream_changes,
        ("see", "answer"),
        headers=("Accept",),
        content="text/event-stream",
    ),
    Endpoint(
        "POST",
        "/v1/workflows/{workflow}/runs",
        "start_run",
        starts.start_run,
        ("start",),
        body=object_of(inputs=_DATA),
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
            "workflow": TEXT,
            "status": {"type": "string", "enum": list(runs.STATUSES)},
            "key": TEXT,
            "search": TEXT,
            "since": TEXT,
            "until": TEXT,
            "after": TEXT,
            **_MOST,
        },
    ),
    *OVER_MANY,
    *FORMS,
    *TALKS,
    Endpoint(
        "GET",
        "/v1/runs/{run}/history",
        "show_history",
        runs.show_history,
        _SEE,
        query={"since": whole(0, 10**15), **_MOST},
    ),
    Endpoint(
        "GET",
        "/v1/runs/{run}/flow",
        "draw_run",
        runs.draw_run,
        _SEE,
        query={**_FORM, "at": whole(1, 10**15)},
        content="text/plain",
    ),
    Endpoint("GET", "/v1/runs/{run}/at/{seq}", "show_run_at", runs.show_run_at, _SEE),
    Endpoint(
        "GET",
        "/v1/runs/{run}/stream",
        "stream_run",
        runs.stream_run,
        _SEE,
        query={"since": TEXT},
        headers=("Last-Event-ID", "Accept"),
        content="text/event-stream",
    ),
    Endpoint("GET", "/v1/runs/{run}/version", "compare_run", altering.compare_run, _SEE),
    Endpoint("GET", "/v1/runs/{run}/deeds", "list_deeds", deeds.list_deeds, _SEE),
    Endpoint("GET", "/v1/runs/{run}", "show_run", runs.show_run, _SEE, query=_WAIT),
    Endpoint(
        "POST",
        "/v1/runs/{run}/events",
        "send_event",
        runs.send_event,
        _OPERATE,
        body=object_of(("event",), **_EVENT),
        headers=("If-Match",),
        good=(202,),
    ),
    Endpoint(
        "POST",
        "/v1/messages",
        "send_message",
        runs.send_message,
        _OPERATE,
        body=object_of(("workflow", "event"), workflow=TEXT, key=TEXT, **_EVENT),
        good=(202,),
    ),
    Endpoint(
        "POST",
        "/v1/runs/{run}/cancel",
        "cancel_run",
        runs.cancel_run,
        _OPERATE,
        body=object_of(reason=TEXT),
        headers=("If-Match",),
        good=(200, 202),
    ),
    Endpoint(
        "POST",
        "/v1/runs/{run}/resume",
        "resume_run",
        runs.resume_run,
        _OPERATE,
        body=object_of(upgrade=YES, reason=TEXT),
        query={"dry": FLAG},
        headers=("If-Match",),
        good=(202, 200),
    ),
    Endpoint(
        "POST",
        "/v1/runs/{run}/fork",
        "fork_run",
        altering.fork_run,
        _OPERATE,
        body=object_of(at=whole(0, 10**15), step=TEXT, state=_DATA),
        query={"dry": FLAG},
        headers=("If-Match",),
        good=(201, 200),
    ),
    Endpoint(
        "POST",
        "/v1/runs/{run}/upgrade",
        "upgrade_run",
        altering.upgrade_run,
        _OPERATE,
        body=object_of(),
        query={"dry": FLAG},
        headers=("If-Match",),
    ),
    Endpoint(
        "GET",
        "/v1/tasks",
        "list_tasks",
        tasks.list_tasks,
        ("see", "answer"),
        query={"run": TEXT, "mine": FLAG, "all": FLAG, "after": TEXT, **_MOST},
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
        "/v1/tasks/answers",
        "answer_tasks",
        tasks.answer_tasks,
        ("answer",),
        body=object_of(
            ("answers",),
            answers=list_of(object_of(("task", "answer"), task=TEXT, answer={}), 1, tasks.MOST_ANSWERS),
        ),
    ),
    Endpoint(
        "POST",
        "/v1/tasks/{task}/delegate",
        "delegate_task",
        tasks.delegate_task,
        ("answer", "operate"),
        body=object_of(("to",), to=TEXT, because=TEXT),
        good=(202,),
    ),
    Endpoint(
        "POST",
        "/v1/tasks/{task}/link",
        "link_task",
        tasks.link_task,
        _OPERATE,
        body=object_of(("for",), **{"for": TEXT, "seconds": whole(1, tasks.LINK_AT_MOST)}),
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
