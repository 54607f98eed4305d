"""What a run raises is ours, and of the kind that the step raised."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from pydantic import BaseModel, ValidationError

from wfc.runtime import (
    StartEvent,
    StepFailedError,
    StopEvent,
    Workflow,
    WorkflowError,
    WorkflowFailedEvent,
    WorkflowTimeoutError,
    step,
)

Play = Callable[..., Any]


class OutOfStockError(Exception):
    def __init__(self, article: str, *, left: int) -> None:
        super().__init__(f"only {left} of {article} left")
        self.article = article
        self.left = left


class RegisteredError(ValueError):
    known: ClassVar[list[str]] = []

    def __init_subclass__(cls) -> None:
        RegisteredError.known.append(cls.__name__)


class PickyError(LookupError):
    def __new__(cls, one: int, two: int) -> PickyError:
        return super().__new__(cls)

    def __init__(self, one: int, two: int) -> None: ...


class SlottedError(Exception):
    __slots__ = ("code",)

    def __init__(self, code: int) -> None:
        self.code = code


def failing(make: Callable[[], Exception]) -> type[Workflow]:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> StopEvent:
            raise make()

    return Flow


def raised_by(play: Play, make: Callable[[], Exception]) -> Any:
    with pytest.raises(StepFailedError) as caught:
        play(failing(make))
    assert isinstance(caught.value, WorkflowError)
    assert type(caught.value).__name__ == "StepFailedError"
    assert str(caught.value).startswith("step `start` failed on StartEvent, attempt 1: ")
    return caught.value


@pytest.mark.parametrize(
    "make",
    [
        lambda: ValueError("no"),
        lambda: KeyError("no"),
        lambda: TimeoutError("no"),
        lambda: FileNotFoundError(2, "no such file", "a.txt"),
        lambda: UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"),
        lambda: OutOfStockError("pens", left=3),
        lambda: ImportError("no", name="it"),
        lambda: SlottedError(7),
        lambda: asyncio.InvalidStateError("no"),
    ],
)
def test_it_is_of_the_kind_that_was_raised(play: Play, make: Callable[[], Exception]) -> None:
    assert isinstance(raised_by(play, make), type(make()))


def test_it_has_the_attributes_of_what_was_raised(play: Play) -> None:
    error = raised_by(play, lambda: OutOfStockError("pens", left=3))
    assert (error.article, error.left, error.step) == ("pens", 3, "start")
    assert isinstance(error.__cause__, OutOfStockError)
    assert raised_by(play, lambda: FileNotFoundError(2, "no such file", "a.txt")).filename == "a.txt"
    assert raised_by(play, lambda: SlottedError(7)).code == 7


def test_a_class_does_not_hear_of_it(play: Play) -> None:
    raised_by(play, lambda: RegisteredError("no"))
    assert RegisteredError.known == []


def test_kinds_that_cannot_be_derived_from_or_made(play: Play) -> None:
    class Model(BaseModel):
        number: int

    def invalid() -> Exception:
        try:
            Model.model_validate({"number": "x"})
        except ValidationError as error:
            return error
        raise AssertionError

    with pytest.raises(ValidationError) as caught:  # no other error can be of its class
        play(failing(invalid))
    assert isinstance(caught.value.__notes__, list)
    assert isinstance(raised_by(play, lambda: PickyError(1, 2)), LookupError)
    group = raised_by(play, lambda: ExceptionGroup("some", [ValueError()]))
    assert type(group) is StepFailedError


def test_errors_of_ours_keep_their_meaning(virtually: Callable[..., Any]) -> None:
    async def main() -> Any:
        handler = failing(lambda: WorkflowTimeoutError("of another run"))().run()
        last = [event async for event in handler.stream_events()][-1]
        with pytest.raises(StepFailedError) as caught:
            await handler
        return last, caught.value

    last, error = virtually(main)
    assert isinstance(last, WorkflowFailedEvent)
    assert last.exception is error.__cause__
    assert not isinstance(error, WorkflowTimeoutError)


def test_it_can_leave_the_process(play: Play) -> None:
    error = raised_by(play, lambda: OutOfStockError("pens", left=3))
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (type(again), str(again), again.step) == (StepFailedError, str(error), "start")
