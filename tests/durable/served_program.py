"""A server of two workflows over a store, for tests that kill it: ``served_program.py PORT ADDRESS``."""

from __future__ import annotations

import sys
from typing import Any

from wfc.runtime import (
    Engine,
    Question,
    Record,
    StartEvent,
    StopEvent,
    WebhookTrigger,
    Workflow,
    pause,
    run_trigger,
    step,
)
from wfc.runtime.server import process
from wfc.runtime.server.access import Access, of_token
from wfc.runtime.server.application import Application
from wfc.runtime.server.installation import Installation

TOKEN = "t" * 40


class Ordered(StartEvent, closed=True):
    order: str


class Taken(StopEvent, closed=True):
    told: str


class Body(Record):
    order: str


class Orders(Workflow, name="orders"):
    @step
    async def take(self, event: Ordered) -> Taken:
        return Taken(told=event.order)

    @run_trigger("orders", webhook="orders", secret="SHOP", header="X-Sign")
    def by_orders(self, trigger: WebhookTrigger[Body]) -> Ordered:
        return Ordered(order=trigger.body.order)


class Decision(Record):
    note: str


class Asks(Workflow, name="asks"):
    @pause
    def ask(self, event: Ordered) -> Question[Decision]:
        return Question(Decision, title=f"What of {event.order}?")

    @ask.then
    def after_ask(self, event: Ordered, result: Decision) -> Taken:
        return Taken(told=f"{event.order}: {result.note}")


def main(port: int, address: str) -> None:
    engine = Engine(store=address)
    made = [one(engine=engine) for one in (Orders, Asks)]
    options: dict[str, Any] = {}
    if engine.store.has_queue:
        from wfc.runtime.driver.dbos import QueueWorker

        options["worker"] = QueueWorker
    access = Access([of_token(TOKEN, "user:ann")])
    server = Installation(engine, made, access, key=b"k" * 32, **options)
    process.serve(Application(server), process.listening("127.0.0.1", port), lambda: None)
    engine.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
