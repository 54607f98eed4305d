"""What clients of llama-index-workflows do with a server; prints what came back: ``client.py ADDRESS``."""

import asyncio
import json
import sys

import httpx
from llama_agents.client import WorkflowClient

UNLIKE = {"handler_id", "run_id", "started_at", "updated_at", "completed_at"}


def told(data):
    """What a server said, without what differs between two runs of one program."""
    data = data.model_dump() if hasattr(data, "model_dump") else data
    if isinstance(data, dict):
        return {key: bool(value) if key in UNLIKE else told(value) for key, value in data.items()}
    return [told(one) for one in data] if isinstance(data, list) else data


async def shown(client, handler_id, **options):
    stream = client.get_workflow_events(handler_id, **options)
    found = [(one.type, one.value, one.types) async for one in stream]
    return found, stream.last_sequence


async def main(address):
    client, out = WorkflowClient(base_url=address), {}
    out["health"] = told(await client.is_healthy())
    out["workflows"] = told(await client.list_workflows())
    out["schema"] = told(await client.get_workflow_schema("greet"))
    events = (await client.get_workflow_events_schema("ask")).events
    out["events"] = sorted(one["title"] for one in events)
    out["run"] = told(await client.run_workflow("greet", start_event={"name": "Ada"}))
    out["plain"] = told(await client.run_workflow("plain", start_event={"name": "Ada"}))
    graph = (await client.get_workflow_graph("plain")).graph
    out["graph"] = sorted(one.id for one in graph.nodes)

    begun = await client.run_workflow_nowait(
        "greet", start_event={"name": "Bob", "times": 3}, handler_id="h1"
    )
    out["begun"] = [begun.status in {"running", "completed"}, begun.handler_id, begun.workflow_name]
    first, last = await shown(client, "h1")
    out["stream"] = first
    out["rest"] = (await shown(client, "h1", after_sequence=last))[0]
    out["result"] = told(await client.get_result("h1"))

    await client.run_workflow_nowait("ask", handler_id="h2")
    asked = client.get_workflow_events("h2")
    async for one in asked:
        if one.type == "Asked":
            out["asked"] = (one.value, one.types)
            break
    out["sent"] = told(await client.send_event("h2", {"type": "Answered", "value": {"answer": "Eve"}}))
    out["answered"] = told(await client.wait_for_handler("h2"))

    await client.run_workflow_nowait("ask", handler_id="h3")
    out["cancelled"] = told(await client.cancel_handler("h3"))
    handlers = (await client.get_handlers(workflow_name=["ask"])).handlers
    out["handlers"] = sorted((one.handler_id, one.status) for one in handlers)
    out["purged"] = told(await client.cancel_handler("h2", purge=True))

    async with httpx.AsyncClient(base_url=address) as raw:
        asked_for = {
            "no workflow": ("POST", "/workflows/nope/run", {}),
            "no handler": ("GET", "/handlers/nope", None),
            "no stream": ("GET", "/events/nope", None),
            "wrong start": ("POST", "/workflows/greet/run", {"start_event": {"name": 3}}),
            "wrong event": ("POST", "/events/h1", {"event": {"type": "Nope", "value": {}}}),
            "over": ("POST", "/events/h1", {"event": {"type": "Progress", "value": {"count": 1}}}),
            "no event": ("POST", "/events/h1", {}),
            "no such place": ("GET", "/events/h1?after_sequence=x", None),
            "fails": ("POST", "/workflows/plain/run", {"start_event": {"fail": True}}),
            "result": ("GET", "/results/h1", None),
        }
        out["statuses"] = {
            name: (await raw.request(method, path, json=data)).status_code
            for name, (method, path, data) in asked_for.items()
        }
    print(json.dumps(out, indent=1, sort_keys=True))


asyncio.run(main(sys.argv[1]))
