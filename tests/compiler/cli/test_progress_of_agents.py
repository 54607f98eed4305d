"""The lines that `wfc run` prints of an agent's calls."""

from __future__ import annotations

import pytest

from wfc.compiler.cli.progress import Progress
from wfc.runtime import CallAnswered, CallAsked, HandedOver

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
