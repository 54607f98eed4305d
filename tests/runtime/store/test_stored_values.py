"""Values of a state as JSON."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from datetime import timedelta
from typing import Any

import pytest
from parking import after, gone_on, parked
from pydantic import BaseModel, Field, field_serializer, model_serializer

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


class Shape(BaseModel, ABC):
    """Is abstract, and writes its class's name too, so that it cannot be read by its declared type."""

    cache: object = Field(default_factory=object, exclude=True)

    @abstractmethod
    def area(self) -> float: ...

    @model_serializer(mode="wrap")
    def with_name(self, handler: Any) -> dict[str, Any]:
        return {**handler(self), "class": type(self).__name__}


class Square(Shape):
    side: float

    def area(self) -> float:
        return self.side**2


class Holder(BaseModel):
    shape: Shape
    broken: list[int] = []

    @field_serializer("broken")
    def fails(self, value: list[int]) -> list[int]:
        raise TypeError("made for an older pydantic")


class Shapes(BaseModel):
    found: Any = None
    declared: Holder | None = None


class Draws(Workflow):
    @step
    async def begin(self, ctx: Context[Shapes], event: StartEvent) -> StopEvent:
        await ctx.store.set("found", Square(side=2))
        await ctx.store.set("declared", Holder(shape=Square(side=3), broken=[1, 2]))
        await asyncio.sleep(10)
        found = await ctx.store.get_state()
        return StopEvent(result=[found.found.area(), found.declared.shape.area(), found.declared.broken])


def test_what_is_derived_from_a_declared_class_comes_back_as_it_was() -> None:
    assert gone_on(Draws, parked(Draws, after(1))) == [4, 9, [1, 2]]


class Foreign(BaseModel):
    value: Any


def test_an_error_names_the_key_and_what_to_do() -> None:
    async def main() -> None:
        handler = Loose().run(value={"deep": Foreign(value=1)})
        await asyncio.sleep(1)
        with pytest.raises(ValueError, match=r"`value` of DictState: .*allowed_types=\[Foreign\]"):
            handler.ctx.to_dict()
        await handler.cancel_run()

    run_virtually(main)


def test_allowed_types_are_read_in_values_of_any_place() -> None:
    serializer = JsonSerializer(allowed_types=[Foreign])

    async def main() -> Any:
        handler = Loose().run(value={"deep": Foreign(value=Foreign(value=2))})
        await asyncio.sleep(1)
        data = handler.ctx.to_dict(serializer)
        await handler.cancel_run()
        made: Context[Any] = Context(Loose(), previous_context=data, serializer=serializer)
        return await Loose(serializer=serializer).run(ctx=made)

    assert run_virtually(main) == {"deep": Foreign(value=Foreign(value=2))}


def test_a_serializer_writes_events_of_any_class() -> None:
    serializer = JsonSerializer()
    event = Answered(note="a")
    assert serializer.deserialize(serializer.serialize([event])) == [event]


class Stops(Workflow):
    @step
    async def begin(self, ctx: Context[Any], event: StartEvent) -> StopEvent:
        await ctx.store.set("own", event.get("value"))
        found = await ctx.wait_for_event(Answered)
        return StopEvent(result=[found.note, (await ctx.store.get("own")).value])


def test_a_run_that_was_cancelled_goes_on_from_its_snapshot() -> None:
    serializer = JsonSerializer(allowed_types=[Foreign])

    async def main() -> Any:
        handler = Stops().run(value=Foreign(value=1))
        await asyncio.sleep(1)
        await handler.cancel_run()
        with pytest.raises(SnapshotError, match=r"^`own`: .*allowed_types"):
            Stops().run(ctx=Context.from_dict(Stops(), handler.ctx.to_dict()))
        assert handler.ctx.to_dict(serializer, include_state=False)["state"] is None
        ctx: Context[Any] = Context.from_dict(Stops(), handler.ctx.to_dict(serializer), serializer)
        assert ctx.is_running
        again = Stops().run(ctx=ctx)
        await again.send_event(Answered(note="b"))
        return await again

    assert run_virtually(main) == ["b", 1]
