"""An application of FastAPI that has pages of its own, and two workflows below a path."""

import uvicorn
from fastapi import FastAPI
from llama_agents.server import WorkflowServer
from workflows import Workflow, step
from workflows.events import StartEvent, StopEvent

app = FastAPI(title="Ferry")


@app.get("/piers/{number}")
async def pier(number: int) -> dict:
    return {"number": number, "name": f"Pier {number}"}


class Fare(Workflow):
    @step
    async def work_out(self, ev: StartEvent) -> StopEvent:
        passenger = ev.get("passenger", {})
        return StopEvent(
            result={"name": passenger["name"].title(), "pays": 3 if passenger["age"] < 14 else 6}
        )


class Departure(Workflow):
    @step
    async def call_out(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result=f"to {getattr(ev, 'island', 'nowhere')}")


def main() -> None:
    workflows = WorkflowServer()
    workflows.add_workflow("fare", Fare())
    workflows.add_workflow("departure", Departure())
    app.mount("/workflows-of-the-ferry", workflows.app)
    uvicorn.run(app, host="127.0.0.1", port=8000, log_level="warning")


if __name__ == "__main__":
    main()
