"""The lines that `wfc run` prints of an agent's calls."""

from __future__ import annotations

import pytest

from wfc.compiler.cli.progress import Progress
from wfc.runtime import CallAnswered, CallAsked, ChildNote, HandedOver, StepState, StepStateChanged

PLACE = {"step": "settle", "agent": "desk", "turn": 2}


def test_calls_what_became_of_them_and_hand_overs_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    progress.tell(CallAsked(**PLACE, call="1", tool="refund", args={"amount": "5 €"}))
    progress.tell(
        CallAnswered(
            **PLACE, call="1", tool="refund", outcome="refused", text="refused: \x1b[31mno" + "!" * 600
        )
    )
    progress.tell(HandedOver(**PLACE, to="billing"))
    one, other, last = (line.split("s  ", 1)[1] for line in capsys.readouterr().err.splitlines())
    assert one == 'settle: desk, turn 2: calls refund {"amount": "5 €"}'
    assert other.startswith("settle: desk, turn 2: refund: refused: refused: ")
    assert "\x1b" not in other
    assert len(other) < 520
    assert last == "settle: desk, turn 2: hands over to billing"


def test_what_is_tried_again_within_a_step_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    for state, error, wait in (
        (StepState.RUNNING, None, None),
        (StepState.RETRYING, "the model replied 429", 2.0),
        (StepState.NOT_RUNNING, "the model replied 429", None),  # which the step above tells
    ):
        inner = StepStateChanged(
            name="think",
            step_state=state,
            worker_id="1",
            input_event_name="Asked",
            error=error,
            retry_in=wait,
        )
        progress.tell(ChildNote(run_id="r/help/1", workflow="desk.help", event=inner))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.split("s  ", 1)[1] == "desk.help.think: failed: the model replied 429; again in 2 s"
