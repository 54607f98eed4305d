"""Endpoints of workflows: what may be started, and with what."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any, Final

from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.events import Event, event_name
from wfc.runtime.server.calls import Call, Problem, Reply, TextReply
from wfc.runtime.server.installation import Installation, WorkflowSource
from wfc.runtime.values.outputs import adapter

__all__ = [
    "FORMS",
    "draw_flow",
    "drawing",
    "list_workflows",
    "schema_of",
    "show_python",
    "show_spec",
    "show_workflow",
]

FORMS: Final = {"mermaid": "text/plain", "dot": "text/plain", "html": "text/html", "svg": "image/svg+xml"}


@lru_cache(maxsize=2048)
def schema_of(kind: type[Event]) -> dict[str, Any]:
    """Return the JSON Schema of an event, with the names that its fields have outside; it must not be changed."""
    return adapter(kind).json_schema(by_alias=True)


def summary_of(server: Installation, workflow: StartableWorkflow) -> dict[str, Any]:
    """Return what a list shows of a workflow."""
    own = workflow._wfc
    return {
        "workflow": own.name,
        "version": server.engine.version_of(workflow),
        "start": event_name(own.plan.start_class),
        "ends": [event_name(kind) for kind in own.plan.end_classes],
        "receives": sorted(own.run_rules.receives),
    }


async def list_workflows(server: Installation, call: Call) -> Reply:
    """List the workflows that may be started."""
    found = [summary_of(server, one) for name, one in server.offered.items() if call.principal.knows(name)]
    return Reply({"workflows": found})


async def show_workflow(server: Installation, call: Call) -> Reply:
    """Show a workflow: the JSON Schemas of its inputs, of each end, and of the events that it receives."""
    workflow = server.workflow_for(call.principal, call.path["workflow"])
    own = workflow._wfc
    told = summary_of(server, workflow)
    told["inputs"] = schema_of(own.plan.start_class)
    told["results"] = {event_name(kind): schema_of(kind) for kind in own.plan.end_classes}
    told["events"] = {name: schema_of(one.event) for name, one in sorted(own.run_rules.receives.items())}
    return Reply(told)


async def show_spec(server: Installation, call: Call) -> Reply:
    """Show the spec that a workflow was made from, with the files that it imports.

    Raises:
        Problem: It is not known here.
    """
    return Reply({"files": _source_of(server, call).spec})


async def show_python(server: Installation, call: Call) -> Reply:
    """Show the Python of a workflow, with that of what it imports and mentions.

    Raises:
        Problem: It is not known here.
    """
    return Reply({"files": _source_of(server, call).python})


def _source_of(server: Installation, call: Call) -> WorkflowSource:
    name = call.path["workflow"]
    server.workflow_for(call.principal, name)
    found = server.sources.get(name)
    if found is None:
        raise Problem(404, "workflow.source", f"what `{name}` was made from is not known here")
    return found


async def draw_flow(server: Installation, call: Call) -> TextReply:
    """Draw a workflow: `form` is `mermaid`, `dot`, `html`, a page that loads nothing, or `svg`."""
    from wfc.runtime.drawing import draw_workflow
    from wfc.runtime.drawing.rendering import render
    from wfc.runtime.drawing.workflows import opening_graph

    workflow: Any = server.workflow_for(call.principal, call.path["workflow"])
    form = call.query.get("form", "mermaid")
    if form == "svg":
        flow = opening_graph(workflow, call.principal.knows)
        return drawing(await asyncio.to_thread(render, flow, form), form)
    return drawing(draw_workflow(type(workflow), form), form)


def drawing(text: str, form: str) -> TextReply:
    """Return a drawing in one of the ``FORMS`` as a reply."""
    # a page of ours, with its style and script within
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; sandbox allow-scripts"
    )
    headers = {"Content-Security-Policy": policy} if form == "html" else {}
    return TextReply(text, FORMS[form], headers)
