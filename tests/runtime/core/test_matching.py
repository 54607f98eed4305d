"""Joins that fire once for each value that their events share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import (
    All,
    AllOf,
    AtLeast,
    Event,
    FirstOf,
    RunState,
    StartEvent,
    StepFailedError,
    StopEvent,
    StuckError,
    Workflow,
    WorkflowRuntimeError,
    WorkflowValidationError,
    step,
    transform,
)

Play = Callable[..., Any]


class Began(StartEvent):
    left: str = ""
    right: str = ""


class Left(Event):
    key: str


class Right(Event):
    key: str


class Texts(RunState):
    texts: tuple[str, ...] = ()


def matching(join: Any) -> type[Workflow]:
    """Sends a left and a right event for each letter, and says which pairs met when so many have."""

    class Matching(Workflow):
        @transform
        def begin(self, event: Began) -> All[Left, Right]:
            return All(*(Left(key=key) for key in event.left), *(Right(key=key) for key in event.right))

        @transform(join=join)
        def meet(self, state: Texts, left: Left | None, right: Right | None) -> StopEvent | None:
            met = f"{left.key if left else '-'}{right.key if right else '-'}"
            state.texts = (*state.texts, met)
            return StopEvent(result=state.texts) if len(state.texts) == 2 else None

        @meet.match_by
        def meet_by(self, event: Left | Right) -> Any:
            return 1 // 0 if event.key == "0" else {"key": event.key}

        @meet.on_timeout
        def meet_late(self, state: Texts, left: Left | None, right: Right | None) -> StopEvent | None:
            met = f"late {left.key if left else '-'}{right.key if right else '-'}"
            state.texts = (*state.texts, met)
            return StopEvent(result=state.texts) if len(state.texts) == 2 or not (left or right) else None

    return Matching


@pytest.mark.parametrize(
    ("join", "left", "right", "expected"),
    [
        (AllOf("begin"), "xy", "yx", ("yy", "xx")),  # in the order in which they are complete
        (AllOf("begin"), "xyz", "zx", ("zz", "xx")),
        (FirstOf("begin"), "xy", "yx", ("x-", "y-")),
        (AtLeast(2, "begin"), "yx", "xy", ("xx", "yy")),
        (AllOf("begin", within=5), "xy", "x", ("xx", "late y-")),
        (AllOf("begin", within=5, proceed=True), "x", "y", ("x-", "-y")),
        (AllOf("begin", within=5), "", "", ("late --",)),
    ],
)
def test_it_fires_once_for_each_value(play: Play, join: Any, left: str, right: str, expected: Any) -> None:
    assert play(matching(join), left=left, right=right) == expected


@pytest.mark.parametrize("join", [AllOf("begin"), AtLeast(2, "begin")])
def test_values_that_find_no_partner_leave_the_run_stuck(play: Play, join: Any) -> None:
    with pytest.raises(
        StuckError, match=r"can no longer move.*`meet` has (Left|Right).*bring it (Left|Right)"
    ):
        play(matching(join), left="x", right="y")


def test_two_of_one_kind_and_value_in_a_frame(play: Play) -> None:
    with pytest.raises(WorkflowRuntimeError, match="received two Left in one frame"):
        play(matching(AllOf("begin")), left="xx")


def test_a_value_that_cannot_be_computed_fails_the_run(play: Play) -> None:
    with pytest.raises(StepFailedError, match="ZeroDivisionError") as failure:
        play(matching(AllOf("begin")), left="0")
    assert failure.value.name == "expression"


def test_only_a_join_of_several_events_matches_and_it_has_no_rest() -> None:
    class Single(Workflow):
        @step
        async def one(self, event: Began) -> StopEvent:
            return StopEvent()

        @one.match_by
        def one_by(self, event: Began) -> str:
            return ""

    with pytest.raises(WorkflowValidationError, match="is no join"):
        Single()
    with pytest.raises(WorkflowValidationError, match="no rest to cancel"):
        matching(FirstOf("begin", rest="cancel"))()
