"""Messages between runs: by id, by key, by topic; each taken once, and read by the receiver's own class."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from order_flows import Note, Opened, Orders, Paid

from wfc.runtime import (
    Engine,
    Event,
    EventData,
    InvalidMessageError,
    Keep,
    Outside,
    Receives,
    RunEndedError,
    RunUnknownError,
    StopEvent,
    Workflow,
    WorkflowConfigurationError,
    WorkflowRuntimeError,
    pause,
    run_key,
)

Virtually = Callable[[Callable[[], Any]], Any]


# the same event, as another program's class would have it
OtherPaid = type("Paid", (Event,), {"__annotations__": {"order_id": str, "amount": str}})


TooMuch = type("Paid", (Event,), {"__annotations__": {"order_id": str, "amount": str, "more": str}})


@pytest.mark.parametrize(
    ("event", "address"),
    [
        (Paid(order_id="A", amount=Decimal(5)), {"workflow": "orders", "key": "A"}),
        (Paid(order_id="A", amount=Decimal(5)), {"workflow": "orders"}),
        (Paid(order_id="A", amount=Decimal(5)), {"run_id": "one"}),
        (Paid(order_id="elsewhere", amount=Decimal(5)), {"run_id": "one"}),
        (OtherPaid(order_id="A", amount="5"), {"workflow": "orders"}),
        (EventData("Paid", {"order_id": "A", "amount": "5"}), {"workflow": "orders"}),
        (EventData("Paid", {"order_id": "A", "amount": "5"}), {"run_id": "one"}),
    ],
)
@pytest.mark.parametrize("began", [True, False])
def test_an_event_reaches_the_run_it_is_addressed_to(
    virtually: Virtually, event: Any, address: dict[str, Any], began: bool
) -> None:
    async def main() -> Any:
        engine = Engine()
        flow = Orders(engine=engine)
        handler = flow.run(order_id="A", run_id="one")
        other = flow.run(order_id="B", run_id="two")
        if began:
            await asyncio.sleep(0.1)
        assert await engine.deliver(event, **address)
        assert await handler == ["5"]
        assert not other.is_done()
        await other.cancel_run()

    virtually(main)


@pytest.mark.parametrize(
    ("event", "address", "error", "said"),
    [
        (Paid(order_id="A"), {"run_id": "x"}, RunUnknownError, "no run `x`"),
        (Paid(order_id="A"), {"run_id": "over"}, RunEndedError, "`over` has ended"),
        (Paid(order_id="C"), {"workflow": "orders"}, RunUnknownError, "key 'C'"),
        (Paid(order_id="Z"), {"workflow": "orders"}, RunEndedError, "key 'Z' has ended"),
        (Paid(order_id="A"), {"workflow": "others"}, RunUnknownError, "no workflow `others`"),
        (Paid(order_id="A"), {"workflow": "others", "key": "A"}, RunUnknownError, "run of `others`"),
        (Note(text="x"), {"workflow": "orders"}, InvalidMessageError, "which field of Note has the key"),
        (EventData("Lost", {}), {"run_id": "one"}, InvalidMessageError, "takes no Lost"),
        (EventData("Opened", {"order_id": "A"}), {"run_id": "one"}, InvalidMessageError, "takes no Opened"),
        (EventData("StopEvent", {}), {"run_id": "one"}, InvalidMessageError, "takes no StopEvent"),
        (StopEvent(), {"run_id": "one"}, InvalidMessageError, "takes no StopEvent"),
        (
            EventData("Paid", {"order_id": "A", "amount": "x"}),
            {"run_id": "one"},
            InvalidMessageError,
            "`amount`",
        ),
        (
            EventData("Paid", {"order_id": "A", "amount": 5.5, "x": 1}),
            {"run_id": "one"},
            InvalidMessageError,
            "`x`",
        ),
        (TooMuch(order_id="A", amount="1", more="x"), {"run_id": "one"}, InvalidMessageError, "`more`"),
        (EventData("Paid", {"order_id": object()}), {"run_id": "one"}, InvalidMessageError, "as JSON"),
        (EventData("Paid", {}), {"workflow": "orders"}, InvalidMessageError, "`order_id`: field required"),
        (Paid(order_id="A"), {}, WorkflowConfigurationError, "run_id"),
        (Paid(order_id="A"), {"run_id": "one", "workflow": "orders"}, WorkflowConfigurationError, "run_id"),
    ],
)
def test_what_does_not_reach_anybody_is_an_error(
    virtually: Virtually, event: Any, address: dict[str, Any], error: type[Exception], said: str
) -> None:
    async def main() -> None:
        engine = Engine()
        flow = Orders(engine=engine)
        over = flow.run(order_id="Z", run_id="over")
        await engine.deliver(Paid(order_id="Z"), run_id="over")
        await over
        handler = flow.run(order_id="A", run_id="one")
        with pytest.raises(error, match=said):
            await engine.deliver(event, **address)
        assert not handler.is_done()
        await handler.cancel_run()

    virtually(main)


def test_one_id_is_taken_once_by_each_run(virtually: Virtually) -> None:
    async def main() -> None:
        engine = Engine()
        flow = Orders(engine=engine)
        handlers = [flow.run(order_id="A", wanted=2) for _ in range(2)]
        paid = [Paid(order_id="A", amount=Decimal(n)) for n in range(3)]
        assert await engine.deliver(paid[0], workflow="orders", message_id="m")
        assert not await engine.deliver(paid[1], workflow="orders", message_id="m")
        await asyncio.sleep(1)
        assert not await engine.deliver(paid[1], run_id=handlers[0].run_id, message_id="m")
        assert not any(handler.is_done() for handler in handlers)
        assert await engine.deliver(paid[2], workflow="orders", message_id="n")
        assert [await handler for handler in handlers] == [["0", "2"]] * 2

    virtually(main)


def test_what_a_run_refused_may_come_again(virtually: Virtually) -> None:
    async def main() -> None:
        engine = Engine()
        handler = Orders(engine=engine).run(order_id="A")
        with pytest.raises(InvalidMessageError):
            await engine.deliver(EventData("Paid", {}), run_id=handler.run_id, message_id="m")
        assert await engine.deliver(Paid(order_id="A"), run_id=handler.run_id, message_id="m")
        await handler

    virtually(main)


@pytest.mark.parametrize(
    ("after", "result"), [(0, ["5"]), (9, ["5"]), (11, None)], ids=["at once", "in time", "too late"]
)
def test_an_event_may_wait_for_a_run_to_start(virtually: Virtually, after: float, result: Any) -> None:
    async def main() -> None:
        engine = Engine()
        paid = Paid(order_id="A", amount=Decimal(5))
        for _ in range(2):
            await engine.deliver(paid, workflow="orders", key="A", if_absent=Keep(10), message_id="m")
        await asyncio.sleep(after)
        handler = Orders(engine=engine).run(order_id="A")
        await asyncio.sleep(1)
        assert handler.is_done() is (result is not None)
        if result is None:
            await handler.cancel_run()
        else:
            assert await handler == result
        assert not engine.mailbox._kept
        assert not engine.mailbox._count

    virtually(main)


def test_how_many_events_wait_for_runs_is_bounded(virtually: Virtually, monkeypatch: Any) -> None:
    monkeypatch.setattr("wfc.runtime.driver.messages.KEPT", 3)

    async def main() -> None:
        engine = Engine()

        async def keep(key: str) -> None:
            await engine.deliver(Paid(order_id=key), workflow="orders", key=key, if_absent=Keep(10))

        for key in "ABC":
            await keep(key)
        with pytest.raises(WorkflowRuntimeError, match="already wait"):
            await keep("D")
        await asyncio.sleep(11)
        await keep("D")

    virtually(main)


def test_a_kept_event_that_does_not_fit_is_told_of(virtually: Virtually) -> None:
    async def main() -> list[Any]:
        told: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda loop, context: told.append(context["exception"])
        )
        engine = Engine()
        bad = EventData("Paid", {"order_id": "A", "amount": "?"})
        await engine.deliver(bad, workflow="orders", key="A", if_absent=Keep(10))
        handler = Orders(engine=engine).run(order_id="A")
        await handler.cancel_run()
        return told

    (error,) = virtually(main)
    assert isinstance(error, InvalidMessageError)


class Waits(Workflow, name="waits", deadline=None, receives=(Receives(Paid, key="order_id"),)):
    """Pauses for the first payment of more than ten."""

    @run_key
    def key(self, inputs: Opened) -> str:
        return inputs.order_id

    @pause(within=100.0)
    def wait(self, event: Opened) -> Outside[Paid]:
        return Outside(Paid)

    @wait.that
    def is_enough(self, result: Paid) -> bool:
        return result.amount > 10

    @wait.then
    def after_wait(self, result: Paid) -> StopEvent:
        return StopEvent(result=str(result.amount))

    @wait.on_expired
    def nobody(self) -> StopEvent:
        return StopEvent(result="nobody")


@pytest.mark.parametrize("before", [0, 1, 50], ids=["before it begins", "as it begins", "while it waits"])
@pytest.mark.parametrize("amounts", [[11], [1, 20], [20, 30], [1]])
def test_a_run_that_has_paused_gets_what_it_waits_for(
    virtually: Virtually, before: float, amounts: list[int]
) -> None:
    async def main() -> Any:
        engine = Engine()
        handler = Waits(engine=engine).run(order_id="A")
        if before:
            await asyncio.sleep(before - 1)
        for number, amount in enumerate(amounts):
            event = Paid(order_id="A", amount=Decimal(amount))
            if not handler.is_done():
                await engine.deliver(event, workflow="waits", message_id=f"{number}")
                assert not await engine.deliver(event, run_id=handler.run_id, message_id=f"{number}")
        return await handler

    enough = [str(amount) for amount in amounts if amount > 10]
    assert virtually(main) == (enough or ["nobody"])[0]


class Queued(
    Waits, name="queued", deadline=None, when_running="queue", receives=(Receives(Paid, key="order_id"),)
):
    """The same, one after the other."""


def test_of_runs_that_queue_the_first_gets_what_comes_for_their_key(virtually: Virtually) -> None:
    async def main() -> list[Any]:
        engine = Engine()
        handlers = [Queued(engine=engine).run(order_id="A") for _ in range(2)]
        await engine.deliver(Paid(order_id="A", amount=Decimal(20)), workflow="queued")
        return [await handler for handler in handlers]

    assert virtually(main) == ["20", "nobody"]
