"""Lets a person answer what a run asks, and prints how it ended."""

import asyncio

from llama_agents.client import WorkflowClient
from workflows.events import HumanResponseEvent


class RoomGiven(HumanResponseEvent):
    response: str


async def main() -> None:
    client = WorkflowClient(base_url="http://localhost:8000")
    run = await client.run_workflow_nowait("porter")
    async for event in client.get_workflow_events(handler_id=run.handler_id):
        if event.type == "RoomWanted":
            answer = input(f"{event.value['prompt']} ")
            taken = await client.send_event(
                handler_id=run.handler_id, event=RoomGiven(response=answer.strip())
            )
            print("taken" if taken else "not taken")
    ended = await client.get_handler(run.handler_id)
    print(ended.status, ended.result.value)


if __name__ == "__main__":
    asyncio.run(main())
