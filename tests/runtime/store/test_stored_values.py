"""Values of a state as JSON."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from parking import after, gone_on, parked

from wfc.runtime import (
    Context,
    Event,
    JsonSerializer,
    PickleSerializer,
    Record,
    SnapshotError,
    StartEvent,
    StopEvent,
    Workflow,
    step,
)
from wfc.runtime.testing import run_virtually


class Form(Record):
    note: str


class Answered(Event):
    note: str


class Other(Event):
    pass


class Own:
    def __init__(self, number: int) -> None:
        self.number = number


class Loose(Workflow):
    @step
    async def begin(self, ctx: Context[Any], event: StartEvent) -> StopEvent:
        await ctx.store.set("value", event.get("value"))
        await asyncio.sleep(10)
        return StopEvent(result=await ctx.store.get("value"))


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.5, None, True]},
        (1, {2: "b"}, {"$": "x"}),
        {b"\xff", timedelta(days=1)},
        Answered(note="a", more=Answered(note="b")),  # type: ignore[call-arg]
        float("inf"),
    ],
)
def test_values_of_a_loose_state_come_back_as_they_were(value: Any) -> None:
    class Holds(Loose):
        @step
        async def other(self, event: Answered) -> None:
            return None

        @step
        async def sends(self, event: Other) -> Answered | Other | None:
            return None

    made = lambda: Holds(disable_validation=True)  # noqa: E731
    assert gone_on(made, parked(made, after(1), value=value)) == value


def test_what_has_no_form_in_json_is_told_of() -> None:
    async def main() -> None:
        handler = Loose().run(value=Own(1))
        await asyncio.sleep(1)
        with pytest.raises(SnapshotError, match="a value of type Own cannot be in a snapshot"):
            handler.ctx.to_dict()
        await handler.cancel_run()

    run_virtually(main)


def test_nothing_is_ever_pickled() -> None:
    with pytest.raises(TypeError, match="never pickled"):
        PickleSerializer()


def test_a_serializer_writes_further_classes() -> None:
    serializer = JsonSerializer(allowed_types=[Form])
    assert serializer.deserialize(serializer.serialize({"a": Form(note="b")})) == {"a": Form(note="b")}
    with pytest.raises(ValueError, match="no class of this workflow"):
        JsonSerializer().deserialize(serializer.serialize(Form(note="b")))
    with pytest.raises(ValueError, match="cannot be written"):
        JsonSerializer().serialize(Own(1))
