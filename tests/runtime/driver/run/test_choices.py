"""Choices for a form's fields that are worked out when the question is asked: shown, held, and kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import Field

from wfc.runtime import (
    Context,
    InvalidAnswerError,
    Question,
    QuestionAsked,
    Record,
    SnapshotError,
    StartEvent,
    StepFailedError,
    StopEvent,
    Workflow,
    WorkflowHandler,
    WorkflowValidationError,
    pause,
)
from wfc.runtime.testing import run_virtually


class Begun(StartEvent):
    choices: dict[str, Any]


class Room(Record):
    name: str
    price: Decimal


class Form(Record):
    items_: Annotated[str, Field(alias="items")] = "none"
    count: int | None = None
    price: Decimal | None = None
    day: date | None = None
    moment: datetime | None = None
    length: timedelta | None = None
    yes: bool | None = None
    room: Room | None = None


class Asks(Workflow):
    @pause
    def ask(self, event: Begun) -> Question[Form]:
        return Question(Form, choices=event.choices)

    @ask.then
    def after_ask(self, event: Begun, result: Form) -> StopEvent:
        return StopEvent(result=result)


def played(choices: dict[str, Any], then: Callable[[WorkflowHandler], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        handler = Asks(timeout=None).run(choices=choices, run_id="r")
        while not handler.questions():
            if handler.is_done():
                return await handler
            await asyncio.sleep(0)
        try:
            return await then(handler)
        finally:
            await handler.cancel_run()

    return run_virtually(main)


def refusal(choices: dict[str, Any], answer: object) -> str:
    """Why an answer is refused; empty if it is not."""

    async def give(handler: WorkflowHandler) -> str:
        try:
            await handler.answer("r/ask/1", answer)
        except InvalidAnswerError as error:
            assert len(handler.questions()) == 1
            return str(error)
        return ""

    return str(played(choices, give))


CHOICES: dict[str, list[Any]] = {
    "items": ["a", "b"],
    "count": [1, 2],
    "price": [Decimal("2.50")],
    "day": [date(2026, 1, 31)],
    "moment": [datetime(2026, 1, 31, 12, tzinfo=UTC)],
    "length": [timedelta(minutes=90)],
    "yes": [True],
    "room": [Room(name="red", price=Decimal("1.0"))],
}


@pytest.mark.parametrize(
    ("field", "chosen", "other"),
    [
        ("items", "b", "B"),
        ("count", 2, 3),
        ("price", "2.5", "2.51"),
        ("day", "2026-01-31", "2026-02-01"),
        ("moment", "2026-01-31T13:00:00+01:00", "2026-01-31T12:00:01Z"),
        ("length", "PT90M", "PT91M"),
        ("yes", True, False),
        ("room", {"name": "red", "price": "1"}, {"name": "red", "price": "2"}),
    ],
)
def test_an_answer_is_one_of_the_choices(field: str, chosen: object, other: object) -> None:
    choices = {field: CHOICES[field]}
    rest = {"items": "a"}
    assert refusal(choices, {**rest, field: chosen}) == ""
    assert f"does not fit: `{field}`: one of " in refusal(choices, {**rest, field: other})
    if field != "items":
        assert refusal(choices, rest) == ""  # it may be null
        assert refusal({field: []}, rest) == ""
        assert "there is nothing to choose from" in refusal({field: []}, {**rest, field: chosen})


def test_a_default_counts_only_if_it_is_a_choice() -> None:
    assert '`items`: one of "a", "b" wanted, not "none"' in refusal({"items": ["a", "b"]}, {})
    assert refusal({"items": ["a", "none"]}, {}) == ""


def test_a_refusal_tells_the_first_of_many_choices_and_not_the_whole_of_long_ones() -> None:
    said = refusal({"items": [str(number) for number in range(1000)]}, {"items": "x" * 10_000})
    assert '`items`: one of "0", "1", "2", "3", "4", "5", "6", "7" and 992 more wanted, not "xxx' in said
    assert len(said) < 300
    assert len(refusal({"items": ["y" * 10_000] * 9}, {"items": "x"})) < 1000


def test_whoever_watches_is_shown_the_choices_each_once_and_other_questions_are_not() -> None:
    async def look(handler: WorkflowHandler) -> Any:
        (question,) = handler.questions()
        return question.form

    form = played(CHOICES | {"items": ["a", "b", "a"]}, look)
    shown = {name: each["enum"] for name, each in form["properties"].items()}
    assert json.loads(json.dumps(shown)) == {
        "items": ["a", "b"],
        "count": [1, 2, None],
        "price": ["2.50", None],
        "day": ["2026-01-31", None],
        "moment": ["2026-01-31T12:00:00Z", None],
        "length": ["PT1H30M", None],
        "yes": [True, None],
        "room": [{"name": "red", "price": "1.0"}, None],
    }
    assert not any("enum" in each for each in played({}, look)["properties"].values())


def test_the_event_of_the_question_has_the_same_form() -> None:
    async def main() -> Any:
        handler = Asks(timeout=None).run(choices={"count": [4]}, run_id="r")
        async for event in handler.stream_events():
            if isinstance(event, QuestionAsked):
                (question,) = handler.questions()
                assert event.form == question.form
                await handler.answer(event.id, {"count": 4})
        return (await handler).count

    assert run_virtually(main) == 4


def test_where_nobody_could_answer_nobody_is_asked() -> None:
    with pytest.raises(
        StepFailedError, match="nobody can answer `items`: there is nothing to choose from"
    ) as caught:
        played({"count": [1], "items": []}, lambda handler: handler.cancel_run())
    assert caught.value.error.name == "expression"


def test_choices_of_no_field_are_a_mistake_of_the_step() -> None:
    with pytest.raises((StepFailedError, WorkflowValidationError), match="gives choices for a field"):
        played({"size": [1]}, lambda handler: handler.cancel_run())


def snapshot(choices: dict[str, Any]) -> dict[str, Any]:
    async def take(handler: WorkflowHandler) -> Any:
        return json.loads(json.dumps(handler.ctx.to_dict()))

    return dict(played(choices, take))


def test_choices_are_kept_in_a_snapshot() -> None:
    data = snapshot(CHOICES)

    async def main() -> Any:
        workflow = Asks(timeout=None)
        ctx: Context[Any] = Context.from_dict(workflow, data)
        handler = workflow.run(ctx=ctx)
        await asyncio.sleep(0)
        (question,) = handler.questions()
        with pytest.raises(InvalidAnswerError, match="`price`: one of"):
            await handler.answer(question.id, {"items": "a", "price": "3"})
        room = {"name": "red", "price": "1.0"}
        await handler.answer(question.id, {"items": "a", "price": "2.5", "room": room})
        return (await handler).room, question.form["properties"]["count"]["enum"]

    assert run_virtually(main) == (Room(name="red", price=Decimal("1.0")), [1, 2, None])


@pytest.mark.parametrize("choices", [[], 7, {"size": [1]}, {"items": "ab"}])
def test_a_snapshot_with_choices_that_the_form_cannot_have_is_refused(choices: object) -> None:
    data = snapshot({"items": ["a"]})
    text = json.dumps(data)
    (pause_,) = data["execution"]["paused"]
    pause_["for"]["choices"] = choices
    assert json.dumps(data) != text

    async def main() -> Any:
        workflow = Asks(timeout=None)
        ctx: Context[Any] = Context.from_dict(workflow, data)
        return await workflow.run(ctx=ctx)

    with pytest.raises(SnapshotError):
        run_virtually(main)
