"""Starts a run at the till, follows it to its end, and prints what it hears."""

import asyncio

from llama_agents.client import WorkflowClient
from workflows.events import StartEvent


class Basket(StartEvent):
    prices: list[int]
    voucher: int = 0


async def main() -> None:
    client = WorkflowClient(base_url="http://localhost:8000")
    await client.is_healthy()
    print("served:", (await client.list_workflows()).workflows)
    begun = await client.run_workflow_nowait(
        "till", start_event=Basket(prices=[250, 150], voucher=50), context=None
    )
    async for event in client.get_workflow_events(handler_id=begun.handler_id):
        print(event.type, event.value)
    found = await client.get_handler(begun.handler_id)
    print(found.status, found.result.value)


if __name__ == "__main__":
    asyncio.run(main())
