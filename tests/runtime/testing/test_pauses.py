"""Tests of a spec's own where steps pause: people are mocked, time passes by itself, events are delivered."""

from __future__ import annotations

from typing import Any

import pytest

from wfc.runtime import (
    Child,
    Delay,
    Event,
    Item,
    Items,
    Outside,
    Question,
    Receives,
    Record,
    RetryPolicy,
    StartEvent,
    StepError,
    StopEvent,
    Workflow,
    pause,
)
from wfc.runtime.testing import Delivery, MockAnswer, SpecTest, run_test


class Begun(StartEvent, closed=True):
    names: list[str]


class Ready(Event, closed=True):
    texts: list[str]


class Paid(Event, closed=True):
    amount: int


class Approved(Event, closed=True):
    pass


class Done(StopEvent, closed=True):
    said: str


class Form(Record):
    verdict: str


class Waited(Event, closed=True):
    amount: int


class Archive(Event, closed=True):
    amount: int


class Kept(Record):
    place: str


class Orders(Workflow, name="orders", deadline=864000.0, source="orders.yaml", receives=(Receives(Paid),)):
    @pause
    def write(self, event: Begun) -> Items[str]:
        return Items(event.names, most=10)

    @write.item(on_error="skip")
    async def write_item(self, event: Begun, item: Item[str]) -> str:
        raise AssertionError("tests make no calls")

    @write.then
    def after_write(self, event: Begun, result: list[str]) -> Ready:
        return Ready(texts=result)

    @pause(within=4 * 3600.0)
    def approve(self, event: Ready) -> Question[Form]:
        return Question(Form, title=", ".join(event.texts), quorum=2)

    @approve.then
    def after_approve(self, event: Ready, result: list[Form]) -> Approved | Done:
        if all(one.verdict == "yes" for one in result):
            return Approved()
        return Done(said=" ".join(one.verdict for one in result))

    @approve.on_expired
    def approve_expired(self, event: Ready) -> Done:
        return Done(said=f"nobody on {', '.join(event.texts)}")

    @pause(within=86400.0)
    def pay(self, event: Approved) -> Outside[Paid]:
        return Outside(Paid)

    @pay.then
    def after_pay(self, event: Approved, result: Paid) -> Waited:
        return Waited(amount=result.amount)

    @pay.on_expired
    def pay_expired(self, event: Approved) -> Done:
        return Done(said="never paid")

    @pause
    def rest(self, event: Waited) -> Delay:
        return Delay(3 * 86400.0)

    @rest.then
    def after_rest(self, event: Waited, result: None) -> Archive:
        return Archive(amount=event.amount)

    @pause
    def archive(self, event: Archive) -> Child[Kept]:
        return Child("archive", {"amount": event.amount}, ends=(Kept,))

    @archive.then
    def after_archive(self, event: Archive, result: Kept) -> Done:
        return Done(said=f"{event.amount} kept at {result.place}")

    @archive.on_error
    def archive_failed(self, event: Archive, error: StepError) -> Done:
        return Done(said=error.name)


YES = MockAnswer([{"verdict": "yes"}, {"verdict": "yes"}])
WRITE = [MockAnswer("a text"), MockAnswer(error="model.refused"), MockAnswer("c text")]
PAID = Delivery("Paid", {"amount": 7}, 3600.0)


def problems_of(mock: dict[str, Any], expect: dict[str, Any], deliver: tuple[Delivery, ...] = (PAID,)) -> Any:
    start = {"names": ["a", "b", "c"]}
    return run_test(Orders, SpecTest("it", start=start, mock=mock, expect=expect, deliver=deliver)).problems


@pytest.mark.parametrize(
    ("mock", "expect", "deliver"),
    [
        (
            {"write": WRITE, "approve": [YES], "archive": [MockAnswer({"place": "cellar"})]},
            {
                "end": "Done",
                "with": {"said": "7 kept at cellar"},
                "ran": {"write": 1, "approve": 1, "pay": 1, "rest": 1, "archive": 1},
                "emitted": ["Begun", "Ready", "Approved", "Paid", "Waited", "Archive", "Done"],
                "streamed": [],
            },
            (PAID,),
        ),
        (
            {"write": WRITE, "approve": [YES], "archive": [MockAnswer(error="workflow.failed")]},
            {"with": {"said": "workflow.failed"}},
            (PAID,),
        ),
        ({"write": WRITE, "approve": [YES]}, {"with": {"said": "never paid"}}, ()),
        (
            {"write": WRITE, "approve": [MockAnswer(error="timeout")]},
            {"with": {"said": "nobody on a text, c text"}, "streamed": []},
            (),
        ),
    ],
    ids=["to the end", "child fails", "nobody pays", "nobody answers"],
)
def test_a_test_takes_a_run_through_its_pauses(
    mock: dict[str, Any], expect: dict[str, Any], deliver: tuple[Delivery, ...]
) -> None:
    assert problems_of(mock, expect, deliver) == ()


@pytest.mark.parametrize(
    ("mock", "said"),
    [
        ({"write": WRITE}, "step `approve` ran, but the test says nothing of it"),
        ({"approve": [YES]}, "step `write` ran, but the test says nothing of it"),
        (
            {"write": WRITE, "approve": [MockAnswer([{"verdict": 1}, {"verdict": "yes"}])]},
            "the mock of step `approve` is not what the step gives",
        ),
        ({"write": [MockAnswer(1)], "approve": [YES]}, "the mock of step `write` is not what the step gives"),
    ],
)
def test_a_mock_is_held_to_what_the_step_gives(mock: dict[str, Any], said: str) -> None:
    (problem,) = problems_of(mock, {"end": "Done"})
    assert said in problem


class Asking(Workflow, name="asking", source="asking.yaml"):
    @pause(retry_policy=RetryPolicy(max_attempts=3, delay=1.0), within=60.0)
    def ask(self, event: Begun) -> Question[Form]:
        return Question(Form, title="Well?")

    @ask.then
    def after_ask(self, result: Form) -> Done:
        return Done(said=result.verdict)

    @ask.on_expired
    def ask_expired(self) -> Done:
        return Done(said="nobody")


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([MockAnswer(error="connection"), MockAnswer({"verdict": "yes"})], "yes"),
        (
            [MockAnswer(error="connection"), MockAnswer(error="connection"), MockAnswer({"verdict": "no"})],
            "no",
        ),
        ([MockAnswer(error="connection")], "nobody"),
        ([MockAnswer({"verdict": 7}), MockAnswer(error="connection"), MockAnswer({"verdict": "so"})], None),
    ],
)
def test_an_attempt_of_a_question_goes_on_with_the_answers_that_are_left(
    answers: list[MockAnswer], expected: str | None
) -> None:
    case = SpecTest(
        "asked again",
        start={"names": []},
        mock={"ask": [MockAnswer(attempts=answers)]},
        expect={"end": "Done", "with": {"said": expected}},
    )
    outcome = run_test(Asking, case)
    assert outcome.passed is (expected is not None), outcome.problems
